"""Search all patterns for one that would refute a bound.

Numbers are integers that never exceed the true values they stand for, so a pattern that the search leaves out cannot
refute the bound. The search has a limit of steps, beyond which the answer is `None`: not known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kappamax._jit import STEPS_WITHOUT_COMPILER, kernel
from kappamax._typing import Array, Integers

PATTERN_STEPS = 200_000_000
_STEPS_UNCOMPILED = 20_000


class PatternsBelow(NamedTuple):
    """Patterns below a limit, cost less prices: some of them, how many there are, the least, and the steps taken."""

    patterns: Integers
    total: int
    least: int
    steps: int


def patterns_below(
    costs: Array, prices: Array, limit: int, most: int, most_steps: int | None = None
) -> PatternsBelow | None:
    """All patterns with costs - prices < limit, depth first over raters.

    Parameters
    ----------
    costs : int64, shape (r, r, k, k)
        `costs[a, b, i, j]` with a < b is what the ratings i of rater a and j of rater b cost together.
    prices : int64, shape (r, k)
    limit : int
    most : int
        How many patterns to return; all of them are counted.
    most_steps : int, optional
        A limit of steps below the one of every search.

    Returns
    -------
    PatternsBelow or None
        None where the limit of steps was reached. `least` is the limit itself if no pattern is below it.
    """
    r = len(prices)
    cheapest = costs.min(axis=(2, 3))
    rest = np.array([cheapest[d:, d:].sum() for d in range(r + 1)], dtype=np.int64)
    found = np.zeros((max(1, most), r), dtype=np.int64)
    allowed = PATTERN_STEPS if most_steps is None else min(PATTERN_STEPS, most_steps)
    for steps in (_STEPS_UNCOMPILED, PATTERN_STEPS):
        run = kernel(_patterns_below, work=steps, worth=_STEPS_UNCOMPILED)
        affordable = min(steps, STEPS_WITHOUT_COMPILER) if run is _patterns_below else steps
        total, least, taken, finished = run(costs, prices, rest, limit, most, found, min(allowed, affordable))
        if finished:
            return PatternsBelow(found[: min(int(total), most)].copy(), int(total), int(least), int(taken))
    return None


def _patterns_below(costs, prices, rest, limit, most, found, most_steps):  # type: ignore[no-untyped-def]  # compiled by numba
    """Count the patterns below the limit; a partial pattern is dropped where the cheapest completion is not below."""
    r, k = prices.shape
    due = np.zeros((r + 1, r, k), dtype=np.int64)  # due[d, t, x]: rating x of rater t beside the first d raters
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
