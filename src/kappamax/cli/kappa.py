"""`kappamax kappa FILE`: agreement, one row per weighting."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.reading import notes_to_stderr, read_table, reading_options

if TYPE_CHECKING:
    from kappamax.measure import Agreement
    from kappamax.table import Table

__all__ = ["kappa"]


@click.command()
@reading_options
@click.option(
    "--weights",
    "-w",
    multiple=True,
    metavar="W",
    help="unweighted, linear, quadratic, sqrt, power(p), ordinal, ratio, circular or bipolar; may be repeated. "
    "Default: unweighted.",
)
@click.option(
    "--coefficient",
    "-c",
    default="kappa",
    metavar="C",
    show_default=True,
    help="kappa (Cohen's or Conger's), fleiss, gwet, brennan-prediger, krippendorff or percent.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the confidence interval.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def kappa(
    file: str,
    layout: str,
    categories: list[str] | None,
    raters: list[str] | None,
    weights: tuple[str, ...],
    coefficient: str,
    level: float,
    as_json: bool,
) -> None:
    """Agreement of the raters in FILE ("-" is standard input)."""
    with notes_to_stderr():
        table = read_table(file, layout, categories, raters)
        found = [_measure(table, scheme, coefficient, level) for scheme in weights or ("unweighted",)]
    if as_json:
        from kappamax.cli.writing import echo_json

        echo_json(table, [result for result, _ in found])
    else:
        _show(table, found, level)


def _measure(table: Table, scheme: str, coefficient: str, level: float) -> tuple[dict[str, Any], Agreement | None]:
    """One weighting's result as plain data, with the result itself where it is defined."""
    from kappamax._result import plain
    from kappamax.coefficients import objective_for
    from kappamax.errors import UndefinedKappaError
    from kappamax.measure import Agreement, agreement

    try:
        result = agreement(table, weights=scheme, coefficient=coefficient, level=level)
        return result.to_dict(), result
    except UndefinedKappaError as error:
        objective = objective_for(table, weights=scheme, coefficient=coefficient)
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
    from kappamax.cli.writing import echo_table
    from kappamax.display import numbers, text

    header = ["weights", "value", f"{100 * level:g}% interval", "std. error", "observed", "expected"]
    rows, notes = [], []
    for plain, result in found:
        if result is None:
            rows.append([plain["weights"], "undefined", "", "", numbers.decimal(plain["observed_agreement"]), ""])
            notes.append(f"{plain['weights']}: undefined: {plain['reason']}.")
            continue
        shown = (result.value, result.se, result.observed_agreement, result.expected_agreement)
        value, se, observed, expected = (numbers.decimal(number) for number in shown)
        rows.append([result.weights, value, numbers.interval(result.ci), se, observed, expected])
        notes.extend(f"{result.weights}: {note}." for note in result.notes)
    missing = f", {text.plural(table.n_missing, 'rating')} missing" if table.n_missing else ""
    notes.insert(
        0,
        f"{text.plural(table.n_subjects, 'subject')}, {table.n_raters} raters{missing}; "
        f"categories {text.listing(table.categories)}",
    )
    echo_table(found[0][0]["title"], header, rows, notes)
