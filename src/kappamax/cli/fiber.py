"""`kappamax fiber FILE`: all tables with the observed margins, counted by their agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.input_options import (
    Reading,
    measuring_options,
    memory_option,
    notes_to_stderr,
    read_table,
    reading_options,
)
from kappamax.cli.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kappamax.fibers.distribution import Distribution
    from kappamax.fibers.fiber import Fiber
    from kappamax.table import Table

__all__ = ["fiber"]

_FIELDS = ("value", "n_tables", "n_same_value", "distribution")
_MOST_LISTED = 10_000
_MOST_ROWS = 40


@click.command(short_help="All tables with the same margins, counted.")
@reading_options
@measuring_options()
@click.option("--list", "list_all", is_flag=True, help=f"List every table too (up to {_MOST_LISTED:,}).")
@click.option("--sample", "n_sample", type=int, metavar="N", help="Draw N tables as likely as by chance too.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Of the random tables.")
@memory_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def fiber(
    reading: Reading,
    weights: tuple[str, ...],
    coefficient: str,
    list_all: bool,
    n_sample: int | None,
    seed: int | None,
    memory_limit: float,
    as_json: bool,
) -> None:
    """Every table with the margins of FILE: how many there are, and how likely each value is by chance."""
    from kappamax.fibers.fiber import Fiber

    with notes_to_stderr():
        table = read_table(reading)
        tables = Fiber(table, memory_limit=1e9 * memory_limit)
        listed = _listed(tables) if list_all else []
        drawn = list(tables.iter_sample(n_sample, rng=seed)) if n_sample is not None else []
        found = [_distribution(tables, scheme, coefficient) for scheme in weights or ("unweighted",)]
    if as_json:
        from kappamax.cli.output import echo_json

        extra = ({"tables": _plain(listed)} if list_all else {}) | (
            {"sample": _plain(drawn)} if n_sample is not None else {}
        )
        echo_json(table, [plain | extra for plain, _ in found])
    else:
        _show(table, found, listed, drawn)


def _listed(tables: Fiber) -> list[Table]:
    from kappamax.errors import NotSupportedError

    if (n_tables := tables.count()) > _MOST_LISTED:
        shown = f"{n_tables:,}" if n_tables < 10**9 else f"{float(n_tables):.2g}"
        raise NotSupportedError(
            f"the fiber has {shown} tables; they are listed up to {_MOST_LISTED:,}. Use its distribution, or a sample."
        )
    return list(tables.tables())


def _plain(tables: Iterable[Table]) -> list[dict[str, Any]]:
    return [one.to_dict() for one in tables]


def _distribution(tables: Fiber, scheme: str, coefficient: str) -> tuple[dict[str, Any], Distribution | None]:
    """One weighting's distribution as plain data, with the result itself where there is one."""
    from kappamax._result import plain
    from kappamax.cli.output import named, undefined_result
    from kappamax.coefficients import as_objective
    from kappamax.errors import NotSupportedError, UndefinedKappaError

    try:
        with progress_bar(f"{scheme} distribution") as tell:
            result = tables.distribution(scheme, coefficient=coefficient, progress=tell)
        return named(tables.table, coefficient, scheme) | result.to_dict(), result
    except UndefinedKappaError as error:
        return undefined_result(tables.table, coefficient, scheme, _FIELDS, error.reason), None
    except NotSupportedError as error:
        objective = as_objective(tables.table, weights=scheme, coefficient=coefficient)
        known = {"value": objective.value(objective.score), "n_tables": plain(_count(tables))}
        return undefined_result(tables.table, coefficient, scheme, _FIELDS, str(error)) | known, None


def _count(tables: Fiber) -> int | None:
    """The number of tables where it can be counted, even if their values cannot."""
    from kappamax.errors import NotSupportedError

    try:
        with progress_bar("counting tables") as tell:
            return tables.count(progress=tell)
    except NotSupportedError:
        return None


def _show(
    table: Table,
    found: list[tuple[dict[str, Any], Distribution | None]],
    listed: list[Table],
    drawn: list[Table],
) -> None:
    from kappamax.cli.output import data_line, echo_pattern_table, echo_table
    from kappamax.display import numbers

    header = ["weights", "value", "tables", "same value", "least", "largest", "by chance"]
    rows, notes = [], [data_line(table)]
    for plain, result in found:
        value = "undefined" if plain["value"] is None else numbers.decimal(plain["value"])
        if result is None:
            n_tables = plain["n_tables"]
            rows.append([plain["weights"], value, "" if n_tables is None else numbers.count(int(n_tables)), *[""] * 4])
            notes.append(f"{plain['weights']}: {plain['reason']}")
            continue
        ends = [numbers.decimal(float(end)) for end in (result.values[0], result.values[-1])]
        counts = (sum(result.n_tables), result.n_same_value)
        rows.append([plain["weights"], value, *map(numbers.count, counts), *ends, numbers.pvalue(result.pvalue())])
    notes.append('"By chance": how likely at least this value is if ratings fall on subjects at random.')
    echo_table(f"{found[0][0]['title']} over all tables with these margins", header, rows, notes)
    for plain, result in found:
        if result is not None and len(result.values) <= _MOST_ROWS:
            _show_values(plain["weights"], result)
    for number, one in enumerate(listed, start=1):
        echo_pattern_table(f"Table {number} of {len(listed)}", one)
    for number, one in enumerate(drawn, start=1):
        echo_pattern_table(f"Random table {number} of {len(drawn)}", one)


def _show_values(weights: str, result: Distribution) -> None:
    """Every value with its tables, the observed one marked."""
    from kappamax.cli.output import echo_table
    from kappamax.display import numbers

    rows = [
        [
            f"{numbers.decimal(value)}{' observed' if score == result.observed_score else ''}",
            numbers.count(n),
            numbers.pvalue(chance),
        ]
        for value, n, chance, score in zip(
            result.values.tolist(), result.n_tables, result.probabilities.tolist(), result.scores, strict=True
        )
    ]
    echo_table(f"Values with {weights} weights", ["value", "tables", "probability"], rows)
