"""Plain data from a browser in; moves, the way they lead to the maximum, and a search by annealing out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kappamax._agreement import kappa
from kappamax._checks import web as checks
from kappamax._result import plain
from kappamax.annealing.anneal import PROPOSALS, anneal
from kappamax.annealing.schedules import StaleAgreement
from kappamax.annealing.trace import Moment
from kappamax.fibers.markov_basis import basic_moves
from kappamax.fibers.move_ranking import rank_moves
from kappamax.fibers.moves import Move
from kappamax.maximum.max_kappa import max_kappa
from kappamax.table import Table
from kappamax.web.schemas import plain_table, table_of, weighting_of

__all__ = ["annealing", "moves", "path_to_maximum"]

_TIME_LIMIT = 5.0
_MOST_MOVES = 200
_MOST_STEPS = 200
_ANNEALING_STEPS = 2_000_000
_LINES = 200
_LARGEST_SEED = 2**32


def moves(request: dict[str, Any]) -> dict[str, Any]:
    """The moves that apply to a table, best first; with `move`, the table after it."""
    table = table_of(request)
    weights = weighting_of(request, table)
    if request.get("move") is not None:
        return _after(table, weights, checks.mapping("move", request["move"]))
    ranked = rank_moves(table, weights=weights, top=checks.whole("top", request.get("top", 20), 1, _MOST_MOVES))
    return ranked.to_dict() | {
        "moves": [
            {
                "plus": plain(one.move.plus),
                "minus": plain(one.move.minus),
                "written": ranked.written(one.move),
                "effect": one.effect,
                "value_after": one.value_after,
            }
            for one in ranked
        ]
    }


def path_to_maximum(request: dict[str, Any]) -> dict[str, Any]:
    """The best move after the best move, until none raises agreement."""
    table = table_of(request)
    weights = weighting_of(request, table)
    steps = []
    for _ in range(_MOST_STEPS):
        ranked = rank_moves(table, weights=weights, top=1)
        if not ranked.n_raising:
            break
        table = ranked[0].move.after(table)
        steps.append({"written": ranked.written(ranked[0].move), "value": ranked[0].value_after, **plain_table(table)})
    result = max_kappa(table, weights=weights, time_limit=_TIME_LIMIT)
    reached = result.objective.score == result.solution.cost
    return {"steps": steps, "maximum": result.maximum, "proven": result.proven, "reached": reached}


def annealing(request: dict[str, Any], show: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """A search by annealing: what it goes through is shown as it goes, where it ended is the answer."""
    table = table_of(request)
    weights = weighting_of(request, table)
    seed = checks.whole("seed", request.get("seed", 1), 0, _LARGEST_SEED)
    proposal = checks.one_of("proposal", request.get("proposal", "moves"), PROPOSALS)

    def watch(moment: Moment) -> None:
        show(
            {
                "step": moment.step,
                "temperature": moment.temperature,
                "agreement": moment.agreement,
                "acceptance": moment.acceptance,
                **_counts_at(table, moment),
            }
        )

    found = anneal(
        table,
        weights=weights,
        proposal=proposal,
        rng=seed,
        trace=_steps_per_line(table, proposal),
        max_steps=_ANNEALING_STEPS,
        watch=watch,
    )
    return {
        "end": True,
        "observed": found.value,
        "value": found.reached,
        "proven": found.proven,
        "bound": found.bound,
        "steps": found.steps,
        "settled": found.settled,
        "stopped": found.stopped,
        **plain_table(found.table),
    }


def _after(table: Table, weights: Any, asked: dict[str, Any]) -> dict[str, Any]:
    plus, minus = (checks.cells(name, asked.get(name)) for name in ("plus", "minus"))
    move: Any = Move((tuple(plus[0]), tuple(plus[1])), (tuple(minus[0]), tuple(minus[1])), table.n_categories)
    after = move.after(table)
    return {
        **plain_table(after),
        "value": kappa(after, weights=weights).value,
        "effect": move.effect(weights),
        "written": move.written(table.categories),
    }


def _counts_at(table: Table, moment: Moment) -> dict[str, Any]:
    """The counts a search is at, for the square that the page shows of two raters."""
    if table.n_raters != 2 or not table.complete:
        return {}
    counts = np.zeros((table.n_categories, table.n_categories), dtype=np.int64)
    np.add.at(counts, tuple(np.asarray(moment.patterns).T), moment.counts)
    return {"counts": counts.tolist()}


def _steps_per_line(table: Table, proposal: str) -> int:
    """So many that the page gets some hundred lines, whatever the design."""
    if proposal == "moves":
        n_moves = basic_moves(table.n_categories, table.n_raters).n_moves
    else:
        n_moves = table.n_raters * table.n_subjects * (table.n_subjects - 1) // 2
    return max(10, min(2 * StaleAgreement().patience_for(n_moves), _ANNEALING_STEPS) // _LINES)
