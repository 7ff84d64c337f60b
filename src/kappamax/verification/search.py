"""Search all patterns for those that could refute a bound.

Costs are integers that do not exceed the true values, so that a pattern which the search excludes cannot refute the
bound. If the search reaches its limit of steps, the result is None, which means unknown.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kappamax._jit import STEPS_WITHOUT_COMPILER, kernel
from kappamax._typing import Array, Integers

PATTERN_STEPS = 200_000_000  # largest number of steps of a search
_UNCOMPILED_PATTERN_STEPS = 20_000  # steps tried in plain Python before the search is compiled


class PatternsBelow(NamedTuple):
    """Result of a search for patterns whose cost minus prices is below a limit.

    Attributes
    ----------
    patterns : array, shape (m, r)
        Some or all of the patterns below the limit.
    total : int
        Number of patterns below the limit.
    least : int
        Least cost minus prices, or the limit if no pattern is below it.
    steps : int
        Number of steps taken.
    """

    patterns: Integers
    total: int
    least: int
    steps: int


def patterns_below(
    costs: Array, prices: Array, limit: int, most: int, most_steps: int | None = None
) -> PatternsBelow | None:
    """Find all patterns whose cost minus prices is below a limit by a depth-first search over the raters.

    Parameters
    ----------
    costs : int64, shape (r, r, k, k)
        `costs[a, b, i, j]` with a < b is the cost of rating i of rater a together with rating j of rater b.
    prices : int64, shape (r, k)
        Price of every rater's categories.
    limit : int
        Limit of cost minus prices.
    most : int
        Largest number of patterns to return; all of them are counted.
    most_steps : int, optional
        Largest number of steps, if it is lower than the default, `PATTERN_STEPS`.

    Returns
    -------
    PatternsBelow or None
        Patterns found, or None if the limit of steps was reached.
    """
    r = len(prices)
    cheapest = costs.min(axis=(2, 3))
    rest = np.array([cheapest[d:, d:].sum() for d in range(r + 1)], dtype=np.int64)
    found = np.zeros((max(1, most), r), dtype=np.int64)
    allowed = PATTERN_STEPS if most_steps is None else min(PATTERN_STEPS, most_steps)
    for steps in (_UNCOMPILED_PATTERN_STEPS, PATTERN_STEPS):
        run = kernel(_patterns_below, work=steps, worth=_UNCOMPILED_PATTERN_STEPS)
        affordable = min(steps, STEPS_WITHOUT_COMPILER) if run is _patterns_below else steps
        total, least, taken, finished = run(costs, prices, rest, limit, most, found, min(allowed, affordable))
        if finished:
            return PatternsBelow(found[: min(int(total), most)].copy(), int(total), int(least), int(taken))
    return None


def _patterns_below(costs, prices, rest, limit, most, found, most_steps):  # type: ignore[no-untyped-def]  # compiled by numba
    """Count the patterns below the limit; drop a partial pattern if its cheapest completion is not below the limit."""
    r, k = prices.shape
    # due[d, t, x] is the cost of rating x of rater t together with the first d raters, minus its price
    due = np.zeros((r + 1, r, k), dtype=np.int64)
    due[0] = -prices
    choice = np.full(r, -1, dtype=np.int64)
    paid = np.zeros(r + 1, dtype=np.int64)
    total, least, steps, depth = 0, limit, 0, 0
    while depth >= 0:
        choice[depth] += 1
        if choice[depth] >= k:
            choice[depth] = -1
            depth -= 1
            continue
        steps += 1
        if steps > most_steps:
            return total, least, steps, False
        here = choice[depth]
        paid[depth + 1] = paid[depth] + due[depth, depth, here]
        bound = paid[depth + 1] + rest[depth + 1]
        for t in range(depth + 1, r):
            cheapest = due[depth, t, 0] + costs[depth, t, here, 0]
            for x in range(k):
                due[depth + 1, t, x] = due[depth, t, x] + costs[depth, t, here, x]
                cheapest = min(cheapest, due[depth + 1, t, x])
            bound += cheapest
        if bound >= limit:
            continue
        if depth < r - 1:
            depth += 1
            continue
        least = min(least, paid[r])
        if total < most:
            found[total] = choice
        total += 1
    return total, least, steps, True
