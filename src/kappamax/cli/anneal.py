"""`kappamax anneal FILE`: what simulated annealing reaches, and how far that may be from the maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.completion import MOVES, PROPOSALS, name_option
from kappamax.cli.input_options import Reading, measuring_options, notes_to_stderr, read_table, reading_options
from kappamax.cli.weightings import each_weighting

if TYPE_CHECKING:
    from kappamax.annealing.anneal import Annealing
    from kappamax.table import Table

__all__ = ["anneal"]


@click.command(short_help="Search for the largest agreement by annealing.")
@reading_options
@measuring_options()
@name_option("--proposal", among=PROPOSALS, metavar="P", help="moves (the paper's) or swaps.")
@name_option("--moves", among=MOVES, metavar="M", help="basic, or minimal: a minimal basis.")
@click.option("--max-steps", type=int, metavar="N", help="Stop after so many steps in any case.")
@click.option("--restarts", type=int, default=1, metavar="N", show_default=True, help="Searches; the best is shown.")
@click.option("--jobs", type=int, default=1, metavar="N", show_default=True, help="Processes that share them.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="For the same result every time.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def anneal(
    reading: Reading, weights: tuple[str, ...], coefficient: str, seed: int | None, as_json: bool, **settings: Any
) -> None:
    """Search the tables with the margins of FILE for the largest agreement by simulated annealing."""
    settings["n_jobs"] = settings.pop("jobs")
    with notes_to_stderr():
        table = read_table(reading)
        found, interrupted = each_weighting(
            weights, lambda scheme: _search(table, scheme, coefficient, rng=seed, **settings)
        )
    if as_json:
        from kappamax.cli.output import echo_json

        echo_json(table, [plain for plain, _ in found])
    else:
        _show(table, found)
    if interrupted:
        raise KeyboardInterrupt


_FIELDS = ("value", "reached", "steps", "proven", "bound", "gap", "table")


def _search(table: Table, scheme: str, coefficient: str, **settings: Any) -> tuple[dict[str, Any], Annealing | None]:
    """One weighting's search as plain data, with the result itself where the coefficient is defined."""
    from kappamax.annealing.anneal import anneal
    from kappamax.cli.output import undefined_result
    from kappamax.errors import UndefinedKappaError

    try:
        result = anneal(table, weights=scheme, coefficient=coefficient, **settings)
        return result.to_dict(), result
    except UndefinedKappaError as error:
        return undefined_result(table, coefficient, scheme, _FIELDS, error.reason), None


def _show(table: Table, found: list[tuple[dict[str, Any], Annealing | None]]) -> None:
    from kappamax.cli.output import data_line, echo_pattern_table, echo_table
    from kappamax.display import numbers

    rows, notes = [], [data_line(table)]
    for plain, result in found:
        if result is None:
            rows.append([plain["weights"], "undefined", *[""] * 4])
            notes.append(f"{plain['weights']}: undefined: {plain['reason']}.")
            continue
        proven = "yes" if result.proven else f"no, at most {numbers.decimal(result.bound)}"
        values = (numbers.decimal(number) for number in (result.value, result.reached))
        rows.append([result.weights, *values, proven, numbers.count(result.steps), numbers.count(result.settled)])
    header = ["weights", "value", "reached", "is the maximum", "steps", "last change"]
    echo_table(f"{found[0][0]['title']}, simulated annealing", header, rows, notes)
    for _, result in found:
        if result is not None:
            echo_pattern_table(f"Where it ended, {result.weights} weights", result.table)
