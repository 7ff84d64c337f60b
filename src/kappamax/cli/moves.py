"""Define `kappamax moves FILE`, which ranks the moves that keep the margins by their effect on agreement."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from kappamax.cli.command import Option, command
from kappamax.cli.options import INPUT, JSON, WEIGHTS
from kappamax.cli.runner import Findings, echo_notes, echo_table, run
from kappamax.display import numbers, text

if TYPE_CHECKING:
    from kappamax.table import Table


@command(
    "kappamax moves ratings.csv --top 5",
    "kappamax moves ratings.csv --minimal --coefficient fleiss",
    Input=INPUT,
    Weights=WEIGHTS,
    Search=[Option("--minimal", "Rank the moves of a minimal Markov basis instead of all basic moves.")],
    Output=[
        Option(
            "--top N", "Largest number of moves to show; the moves that raise agreement most come first.", default=20
        ),
        JSON,
    ],
)
def moves(minimal: bool, top: int, **options: Any) -> None:
    """Rank the moves that keep the margins of FILE.

    In a basic move two subjects swap the ratings of some raters. A move is written as the patterns of ratings that
    become more frequent (+) and less frequent (-) by one subject. If FILE is "-", standard input is read.
    """
    from kappamax.fibers.move_ranking import rank_moves

    measure = partial(rank_moves, top=top, moves="minimal" if minimal else "basic")
    fields = ("value", "n_applicable", "n_raising", "n_lowering", "n_keeping", "moves")
    run(options, measure, _show, fields=fields)


def _show(table: Table, found: Findings) -> None:
    for plain, ranked in found:
        title = f"{plain['title']}, {text.weighting(plain['weights'])}: "
        if ranked is None:
            echo_table(f"{title}undefined", ["move"], [], [f"undefined: {plain['reason']}."])
            continue
        rows = [
            [ranked.written(one.move), one.effect, *numbers.decimals(float(one.change), one.value_after)]
            for one in ranked
        ]
        counts = f"{numbers.count(ranked.n_raising)} raise agreement, {numbers.count(ranked.n_lowering)} lower it, "
        notes = [f"{text.plural(ranked.n_applicable, 'move')}: {counts}{numbers.count(ranked.n_keeping)} keep it"]
        header = ["move", "agreement", "disagreement", "value after"]
        echo_table(f"{title}{numbers.decimal(ranked.value)}", header, rows, notes)
    echo_notes(table.data.sentences())
