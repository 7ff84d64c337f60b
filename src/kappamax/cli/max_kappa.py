"""`kappamax max FILE`: the largest and smallest agreement the raters' margins allow."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.input_options import Reading, measuring_options, notes_to_stderr, read_table, reading_options
from kappamax.cli.progress import progress_line
from kappamax.cli.weightings import each_weighting

if TYPE_CHECKING:
    from kappamax.maximum.max_kappa import Maximum
    from kappamax.maximum.maximizers import MaximizerCount
    from kappamax.table import Table

__all__ = ["maximum"]


@click.command("max", short_help="The largest agreement the margins allow.")
@reading_options
@measuring_options()
@click.option("--minimum", is_flag=True, help="Show the table with the least agreement too.")
@click.option("--all", "list_all", is_flag=True, help="Show every table that reaches a proven maximum (up to 100).")
@click.option("--time-limit", type=float, metavar="S", help="Seconds per search; then the best so far and a bound.")
@click.option(
    "--certificate",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the proof to FILE, for `kappamax verify`; one weighting only.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def maximum(
    reading: Reading,
    weights: tuple[str, ...],
    coefficient: str,
    minimum: bool,
    list_all: bool,
    time_limit: float | None,
    certificate: Path | None,
    as_json: bool,
) -> None:
    """Find the largest agreement the margins of FILE allow, with a proof or a bound, and a table that reaches it."""
    if certificate is not None and len(weights) > 1:
        raise click.UsageError("--certificate takes one weighting; got several --weights.")
    with notes_to_stderr(), progress_line() as tell:
        table = read_table(reading)
        found, interrupted = each_weighting(
            weights, lambda scheme: _limits(table, scheme, coefficient, time_limit, list_all, tell)
        )
    if as_json:
        from kappamax.cli.output import echo_json

        echo_json(table, [plain for plain, _ in found])
    else:
        _show(table, found, minimum, list_all)
    if certificate is not None and found[0][1] is not None:
        found[0][1].save_certificate(certificate)
        click.echo(f"certificate written to {certificate}", err=True)
    if interrupted:
        raise KeyboardInterrupt


def _limits(
    table: Table, scheme: str, coefficient: str, time_limit: float | None, list_all: bool, tell: Any
) -> tuple[dict[str, Any], Maximum | None]:
    """One weighting's range as plain data, with the result itself where it is defined."""
    from kappamax.cli.output import undefined_result
    from kappamax.errors import UndefinedKappaError
    from kappamax.maximum.max_kappa import max_kappa
    from kappamax.maximum.maximizers import count_maximizers, iter_maximizers

    try:
        result = max_kappa(table, weights=scheme, coefficient=coefficient, time_limit=time_limit, progress=tell)
        plain = result.to_dict() | _maximizers(count_maximizers(result))
        if list_all and result.proven and result.objective.fixed_chance:
            plain["maximizers"] = [one.to_dict() for one in islice(iter_maximizers(result), _MOST_SHOWN)]
        return plain, result
    except UndefinedKappaError as error:
        return undefined_result(table, coefficient, scheme, _FIELDS, error.reason), None


def _maximizers(count: MaximizerCount) -> dict[str, Any]:
    """How many tables reach the maximum: a number, or null with at least how many and why."""
    from kappamax._result import plain

    if count.n is not None:
        return {"n_maximizers": plain(count.n)}
    return {"n_maximizers": None, "n_maximizers_at_least": count.at_least, "n_maximizers_reason": count.reason}


_MOST_SHOWN = 100
_FIELDS = (
    *("value", "maximum", "minimum", "ratio", "method", "proven", "proof", "bound"),
    *("n_maximizers", "minimum_method", "minimum_proven", "minimum_proof", "minimum_bound", "table", "minimum_table"),
)


def _show(table: Table, found: list[tuple[dict[str, Any], Maximum | None]], minimum: bool, list_all: bool) -> None:
    from kappamax.cli.output import data_line, echo_pattern_table, echo_table
    from kappamax.display import numbers
    from kappamax.maximum.maximizers import iter_maximizers

    header = ["weights", "value", "maximum", "minimum", "reached", "proof", "tables"]
    rows, notes = [], [data_line(table)]
    for plain, result in found:
        if result is None:
            rows.append([plain["weights"], "undefined", *[""] * 5])
            notes.append(f"{plain['weights']}: undefined: {plain['reason']}.")
            continue
        values = (numbers.decimal(number) for number in (result.value, result.maximum, result.minimum))
        reached = "undefined" if result.ratio is None else numbers.percent(result.ratio)
        tables = _tables(plain)
        rows.append([result.weights, *values, reached, result.proof or "not proven", tables])
        if result.ratio_reason is not None:
            notes.append(f"{result.weights}: ratio undefined: {result.ratio_reason}.")
        if plain.get("n_maximizers_reason"):
            notes.append(f"{result.weights}: tables not counted to the end: {plain['n_maximizers_reason']}.")
        if not result.proven:
            notes.append(f"{result.weights}: maximum not proven; at most {numbers.decimal(result.bound)}.")
        if not result.minimum_proven:
            notes.append(f"{result.weights}: minimum not proven; at least {numbers.decimal(result.minimum_bound)}.")
    echo_table(found[0][0]["title"], header, rows, notes)
    for plain, result in found:
        if result is not None:
            title = f"A table with the maximum, {result.weights} weights"
            shown = [result.table]
            if list_all and result.proven and result.objective.fixed_chance:
                shown = list(islice(iter_maximizers(result), _MOST_SHOWN))
                title = f"Table {{}} of {_tables(plain)} with the maximum, {result.weights} weights"
            for number, one in enumerate(shown, start=1):
                echo_pattern_table(title.format(number), one)
            if minimum:
                echo_pattern_table(f"A table with the minimum, {result.weights} weights", result.minimum_table)


def _tables(plain: dict[str, Any]) -> str:
    """How many tables reach the maximum, for a reader."""
    n = plain.get("n_maximizers")
    return f">= {plain.get('n_maximizers_at_least', 1)}" if n is None else str(n)
