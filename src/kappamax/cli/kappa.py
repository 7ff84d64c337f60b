"""`kappamax kappa FILE`: agreement, one row per weighting."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.input_options import Reading, measuring_options, notes_to_stderr, read_table, reading_options

if TYPE_CHECKING:
    from kappamax.kappas import Agreement
    from kappamax.table import Table

__all__ = ["kappa"]


@click.command()
@reading_options
@measuring_options()
@click.option("--level", type=float, default=0.95, show_default=True, metavar="L", help="Of the confidence interval.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def kappa(
    reading: Reading,
    weights: tuple[str, ...],
    coefficient: str,
    level: float,
    as_json: bool,
) -> None:
    """Agreement of the raters in FILE ("-" is standard input)."""
    with notes_to_stderr():
        table = read_table(reading)
        found = [_measure(table, scheme, coefficient, level) for scheme in weights or ("unweighted",)]
    if as_json:
        from kappamax.cli.output import echo_json

        echo_json(table, [result for result, _ in found])
    else:
        _show(table, found, level)


def _measure(table: Table, scheme: str, coefficient: str, level: float) -> tuple[dict[str, Any], Agreement | None]:
    """One weighting's result as plain data, with the result itself where it is defined."""
    from kappamax._result import plain
    from kappamax.coefficients import as_objective
    from kappamax.errors import UndefinedKappaError
    from kappamax.kappas import Agreement, agreement

    try:
        result = agreement(table, weights=scheme, coefficient=coefficient, level=level)
        return result.to_dict(), result
    except UndefinedKappaError as error:
        objective = as_objective(table, weights=scheme, coefficient=coefficient)
        undefined: dict[str, Any] = {field.name: None for field in fields(Agreement)}
        return undefined | {
            "coefficient": objective.coefficient.name,
            "title": objective.coefficient.title,
            "weights": objective.weights.name,
            "observed_agreement": 1 - float(objective.observed(objective.score)),
            "level": level,
            "n_subjects": plain(table.n_subjects),
            "n_raters": table.n_raters,
            "n_categories": table.n_categories,
            "notes": list(objective.weights.notes),
            "reason": error.reason,
        }, None


def _show(table: Table, found: list[tuple[dict[str, Any], Agreement | None]], level: float) -> None:
    from kappamax.cli.output import data_line, echo_table
    from kappamax.display import numbers

    header = ["weights", "value", f"{100 * level:g}% interval", "std. error", "observed", "expected"]
    rows, notes = [], [data_line(table)]
    for plain, result in found:
        if result is None:
            rows.append([plain["weights"], "undefined", "", "", numbers.decimal(plain["observed_agreement"]), ""])
            notes.append(f"{plain['weights']}: undefined: {plain['reason']}.")
            continue
        shown = (result.value, result.se, result.observed_agreement, result.expected_agreement)
        value, se, observed, expected = (numbers.decimal(number) for number in shown)
        rows.append([result.weights, value, numbers.interval(result.ci), se, observed, expected])
        notes.extend(f"{result.weights}: {note}." for note in result.notes)
    echo_table(found[0][0]["title"], header, rows, notes)
