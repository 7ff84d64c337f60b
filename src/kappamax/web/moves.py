"""Answer requests about moves, paths of moves to the maximum, and simulated annealing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kappamax._result import plain
from kappamax.annealing.methods import METHODS
from kappamax.annealing.simulated_annealing import anneal
from kappamax.annealing.stopping_rules import StaleAgreement
from kappamax.annealing.trace import Moment
from kappamax.fibers.markov_basis import basic_moves
from kappamax.fibers.move_ranking import rank_moves
from kappamax.fibers.moves import Move
from kappamax.kappas import kappa
from kappamax.maximum.max_kappa import max_kappa
from kappamax.table import Table
from kappamax.web import schemas
from kappamax.web.schemas import WeightingRequest, plain_table
from kappamax.weights import Weights

TIME_LIMIT = 5.0
_MAX_PATH = 200
_ANNEALING_STEPS = 2_000_000
_REPLIES = 200


def ranked_moves(request: WeightingRequest) -> dict[str, Any]:
    """Return the moves that can be applied to a table, best first, or the table after the requested move."""
    table = request.table()
    weights = request.weights()
    if request.move is not None:
        return _after(table, weights, request.move)
    ranked = rank_moves(table, weights=weights, top=request.top)
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


def path_to_maximum(request: WeightingRequest) -> dict[str, Any]:
    """Return the tables that result from applying the best move repeatedly until no move raises agreement."""
    table = request.table()
    weights = request.weights()
    steps = []
    for _ in range(_MAX_PATH):
        ranked = rank_moves(table, weights=weights, top=1)
        if not ranked.n_raising:
            break
        table = ranked[0].move.after(table)
        steps.append({"written": ranked.written(ranked[0].move), "value": ranked[0].value_after, **plain_table(table)})
    result = max_kappa(table, weights=weights, time_limit=TIME_LIMIT)
    reached = result.objective.score == result.solution.cost
    return {"steps": steps, "maximum": result.maximum, "proven": result.proven, "reached": reached}


def annealing(request: WeightingRequest, show: Callable[[dict[str, Any]], None] | None) -> dict[str, Any]:
    """Return the result of simulated annealing, and call `show` with its steps during the search."""
    table = request.table()
    weights = request.weights()

    def watch(moment: Moment) -> None:
        assert show is not None
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
        method=METHODS[request.proposal](max_steps=_ANNEALING_STEPS),
        rng=request.seed,
        trace=_steps_per_line(table, request.proposal),
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


def _after(table: Table, weights: Weights, asked: schemas.Move) -> dict[str, Any]:
    """Return the table after a move, with its kappa."""
    plus, minus = ((tuple(first), tuple(second)) for first, second in (asked.plus, asked.minus))
    move = Move(plus, minus, table.n_categories)
    after = move.after(table)
    return {
        **plain_table(after),
        "value": kappa(after, weights=weights).value,
        "effect": move.effect(weights),
        "written": move.written(table.categories),
    }


def _counts_at(table: Table, moment: Moment) -> dict[str, Any]:
    """Return the current counts of a search as a square table, if two raters have complete ratings."""
    if table.n_raters != 2 or not table.complete:
        return {}
    counts = np.zeros((table.n_categories, table.n_categories), dtype=np.int64)
    np.add.at(counts, tuple(np.asarray(moment.patterns).T), moment.counts)
    return {"counts": counts.tolist()}


def _steps_per_line(table: Table, proposal: str) -> int:
    """Return the number of steps between two lines of the answer, so that there are at most a few hundred lines."""
    if proposal == "moves":
        n_moves = basic_moves(table.n_categories, table.n_raters).n_moves
    else:
        n_moves = table.n_raters * table.n_subjects * (table.n_subjects - 1) // 2
    return max(10, min(2 * StaleAgreement().patience_for(n_moves), _ANNEALING_STEPS) // _REPLIES)
