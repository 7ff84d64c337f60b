"""Define `kappamax anneal FILE`, which searches for the largest agreement by simulated annealing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from kappamax.cli.command import Option, command
from kappamax.cli.options import INPUT, JSON, WEIGHTS, jobs, seed
from kappamax.cli.runner import Finding, Findings, echo_pattern_table, echo_rows, run
from kappamax.display import numbers, text

if TYPE_CHECKING:
    from kappamax.table import Table


@command(
    "kappamax anneal ratings.csv --seed 1",
    "kappamax anneal ratings.csv --proposal swaps --restarts 10 --jobs 2",
    Input=INPUT,
    Weights=WEIGHTS,
    Search=[
        Option(
            "--proposal NAME",
            "How a step of the search changes the table: moves (draw a move, as in the paper) or swaps (two subjects "
            "swap the ratings of some raters).",
            default="moves",
            names="annealing.methods.METHODS",
        ),
        Option(
            "--moves NAME",
            "Set of moves to draw from with --proposal moves: basic (all basic moves) or minimal (a minimal Markov "
            "basis).",
            default="basic",
            names="annealing.methods.MOVE_SETS",
        ),
        Option("--restarts N", "Number of independent searches; the best result is shown.", default=1),
        seed("the search"),
    ],
    Limits=[
        Option(
            "--max-steps N",
            "Largest number of steps of a search. Default: no limit for moves, 10,000,000 for swaps.",
            type=int,
        ),
        Option("--time-limit SECONDS", "Time limit for finding the bound on the maximum, in seconds.", default=2.0),
        jobs(),
    ],
    Output=[JSON],
)
def anneal(jobs: int, seed: int | None, **options: Any) -> None:
    """Search for the largest agreement by simulated annealing.

    The search goes through tables that have the margins of FILE. The column "steps" gives the number of steps, and
    "last change" the number of the last step with a change that the stopping rule counts. If FILE is "-", standard
    input is read.
    """
    from kappamax._validate import as_choice
    from kappamax.annealing.methods import METHODS, MoveMethod, SwapMethod
    from kappamax.annealing.simulated_annealing import anneal

    proposal, moves, max_steps = (options.pop(name) for name in ("proposal", "moves", "max_steps"))
    method: MoveMethod | SwapMethod = SwapMethod(max_steps=max_steps)
    if as_choice("proposal", proposal, tuple(METHODS)) == "moves":
        method = MoveMethod(moves=moves, max_steps=max_steps)
    settings = {"method": method, "restarts": options.pop("restarts"), "bound_time": options.pop("time_limit")}
    fields = ("value", "reached", "steps", "proven", "bound", "gap", "table")
    run(options, partial(anneal, n_jobs=jobs, rng=seed, **settings), _show, fields=fields)


def _show(table: Table, found: Findings) -> None:
    header = ["value", "reached", "proven maximum", "steps", "last change"]
    echo_rows(table, found, title="{title}, simulated annealing", header=header, row=_row)
    for _, result in found:
        if result is not None:
            echo_pattern_table(f"Final table of the search, {text.weighting(result.weights)}", result.table)


def _row(finding: Finding) -> tuple[list[str], list[str]]:
    found = finding.result
    proven = "yes" if found.proven else f"no, at most {numbers.decimal(found.bound)}"
    values = numbers.decimals(found.value, found.reached)
    return [*values, proven, numbers.count(found.steps), numbers.count(found.settled)], []
