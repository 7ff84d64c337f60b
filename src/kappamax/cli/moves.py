"""`kappamax moves FILE`: which single moves would raise agreement, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.input_options import Reading, measuring_options, notes_to_stderr, read_table, reading_options

if TYPE_CHECKING:
    from kappamax.fibers.move_ranking import RankedMoves
    from kappamax.table import Table

__all__ = ["moves"]


@click.command(short_help="Moves that keep the margins, best first.")
@reading_options
@measuring_options()
@click.option("--top", type=int, default=20, metavar="N", show_default=True, help="How many moves to show.")
@click.option("--minimal", is_flag=True, help="Only moves of the minimal Markov basis instead of all basic ones.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def moves(
    reading: Reading,
    weights: tuple[str, ...],
    coefficient: str,
    top: int,
    minimal: bool,
    as_json: bool,
) -> None:
    """Moves that keep the margins of FILE, best first: two subjects swap some raters' ratings."""
    with notes_to_stderr():
        table = read_table(reading)
        found = [_rank(table, scheme, coefficient, top, minimal) for scheme in weights or ("unweighted",)]
    if as_json:
        from kappamax.cli.output import echo_json

        echo_json(table, [plain for plain, _ in found])
    else:
        _show(table, found)


def _rank(
    table: Table, scheme: str, coefficient: str, top: int, minimal: bool
) -> tuple[dict[str, Any], RankedMoves | None]:
    """One weighting's moves as plain data, with the result itself where the coefficient is defined."""
    from kappamax.cli.output import undefined_result
    from kappamax.errors import UndefinedKappaError
    from kappamax.fibers.move_ranking import rank_moves

    try:
        ranked = rank_moves(
            table, weights=scheme, coefficient=coefficient, top=top, moves="minimal" if minimal else "basic"
        )
        return ranked.to_dict(), ranked
    except UndefinedKappaError as error:
        return undefined_result(table, coefficient, scheme, _FIELDS, error.reason), None


_FIELDS = ("value", "n_applicable", "n_raising", "n_lowering", "n_keeping", "moves")


def _show(table: Table, found: list[tuple[dict[str, Any], RankedMoves | None]]) -> None:
    from kappamax.cli.output import data_line, echo_table
    from kappamax.display import numbers, text

    for plain, ranked in found:
        title = f"{plain['title']}, {plain['weights']} weights: "
        if ranked is None:
            echo_table(f"{title}undefined", ["move"], [], [f"undefined: {plain['reason']}.", data_line(table)])
            continue
        rows = [
            [ranked.written(one.move), one.effect, numbers.decimal(float(one.change)), numbers.decimal(one.value_after)]
            for one in ranked
        ]
        counts = f"{numbers.count(ranked.n_raising)} raise agreement, {numbers.count(ranked.n_lowering)} lower it, "
        notes = [f"{text.plural(ranked.n_applicable, 'move')}: {counts}{numbers.count(ranked.n_keeping)} keep it"]
        header = ["move", "agreement", "disagreement", "value after"]
        echo_table(f"{title}{numbers.decimal(ranked.value)}", header, rows, [*notes, data_line(table)])
