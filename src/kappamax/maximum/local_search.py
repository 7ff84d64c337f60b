"""A table in, one of no higher cost with the same margins out: one rater's ratings at a time are placed anew.

With the other raters fixed, placing one rater's ratings is a transportation problem, solved exactly. A quick first
table for column generation; nothing depends on how good it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax.maximum.problem import Problem
from kappamax.maximum.transport import transport_table
from kappamax.patterns import group_patterns

__all__ = ["improved_table"]

Array = npt.NDArray[Any]

_SCALE = 2.0**40
_ROUNDS = 20


def improved_table(problem: Problem, patterns: Array, counts: Array) -> tuple[npt.NDArray[np.int32], Array]:
    """Go round the raters until none of them can be placed better."""
    best = problem.total(patterns, counts)
    stale, rater = 0, 0
    for _ in range(_ROUNDS * problem.n_raters):
        candidate = _placed_anew(problem, patterns, counts, rater)
        cost = problem.total(*candidate)
        if cost < best:
            best, (patterns, counts), stale = cost, candidate, 0
        else:
            stale += 1
        if stale == problem.n_raters:
            break
        rater = (rater + 1) % problem.n_raters
    return patterns, counts


def _placed_anew(problem: Problem, patterns: Array, counts: Array, rater: int) -> tuple[npt.NDArray[np.int32], Array]:
    """The table with one rater's ratings placed at least cost beside the others'."""
    k = problem.n_categories
    others = [other for other in range(problem.n_raters) if other != rater]
    rest, totals = group_patterns(patterns[:, others], counts, n_categories=k)
    whole = np.repeat(rest, k, axis=0)
    full = np.insert(whole, rater, np.tile(np.arange(k), len(rest)), axis=1).astype(np.int32)
    costs = problem.real(full).reshape(len(rest), k)
    costs -= costs.min()
    scaled = np.rint(costs * (_SCALE / (costs.max() or 1.0))).astype(np.int64)
    table, _ = transport_table(scaled, totals, problem.margins[rater])
    used = np.flatnonzero(table.ravel())
    return full[used], table.ravel()[used]
