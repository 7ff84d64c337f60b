"""Search all patterns, or all tables, for one that would refute a bound.

Numbers are integers that never exceed the true values they stand for, so whatever a search leaves out is left out for
good reason. Each search has a limit of steps; beyond it the answer is `None`: not known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._jit import kernel

__all__ = ["BITS", "LISTED_TABLES", "PatternsBelow", "TablesBelow", "patterns_below", "tables_below"]

Array = npt.NDArray[Any]

#: integers handed to a search, and all sums of them, stay below 2 to this power
BITS = 61
PATTERN_STEPS = 200_000_000
TABLE_STEPS = 20_000_000
LISTED_TABLES = 20_000
MOST_TABLES = 1_000
_STEPS_UNCOMPILED = 20_000
_STEPS_WITHOUT_COMPILER = 1_000_000
_MOST_COUNTS = 100_000_000


class PatternsBelow(NamedTuple):
    """Patterns below a limit, cost less prices: some of them, how many there are, the least, and the steps taken."""

    patterns: npt.NDArray[np.int64]
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
        total, least, taken, finished = run(
            costs, prices, rest, limit, most, found, min(allowed, _affordable(run, _patterns_below, steps))
        )
        if finished:
            return PatternsBelow(found[: min(int(total), most)].copy(), int(total), int(least), int(taken))
    return None


class TablesBelow(NamedTuple):
    """Tables whose total cost is below a limit, as counts of the columns, and whether the search came to its end."""

    counts: npt.NDArray[np.int64]
    finished: bool


def tables_below(columns: Array, needed: Array, costs: Array, limit: int, most: int = MOST_TABLES) -> TablesBelow:
    """Tables made of the given columns that use up what is needed and cost less than a limit, depth first.

    Parameters
    ----------
    columns : int64, shape (m, c)
        The resources that each column uses, one unit each; -1 stands for none.
    needed : int64, shape (number of resources,)
        How much of each resource a table uses.
    costs : int64, shape (m,)
        At least zero.
    limit : int
    most : int
        Tables after which the search ends; fewer where there are so many columns that they would fill the memory.

    Returns
    -------
    TablesBelow
        Unfinished where there are more tables or the limit of steps was reached.
    """
    if limit <= 0:  # no cost is below it
        return TablesBelow(np.zeros((0, len(columns)), dtype=np.int64), True)
    order = np.argsort(-costs, kind="stable")  # dear columns first: they leave the least room
    columns, costs = columns[order], costs[order]
    last = np.full(len(needed), -1, dtype=np.int64)
    for position, column in enumerate(columns):
        last[column[column >= 0]] = position
    if ((last < 0) & (needed > 0)).any():
        return TablesBelow(np.zeros((0, len(columns)), dtype=np.int64), True)
    most = max(1, min(most, _MOST_COUNTS // max(1, len(columns))))
    found = np.zeros((most, len(columns)), dtype=np.int64)
    for steps in (_STEPS_UNCOMPILED, TABLE_STEPS):
        run = kernel(_tables_below, work=steps, worth=_STEPS_UNCOMPILED)
        affordable = _affordable(run, _tables_below, steps)
        n_found, finished = run(columns, needed.copy(), costs, last, limit, found, affordable)
        if finished or n_found == most:
            break
    counts = np.zeros((int(n_found), len(columns)), dtype=np.int64)
    counts[:, order] = found[: int(n_found)]
    return TablesBelow(counts, bool(finished))


def _affordable(run: Any, source: Any, steps: int) -> int:
    """The steps a kernel may take: fewer where numba is missing and it runs as it is."""
    return min(steps, _STEPS_WITHOUT_COMPILER) if run is source else steps


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


def _tables_below(columns, left, costs, last, limit, found, most_steps):  # type: ignore[no-untyped-def]  # compiled by numba
    """Count up the columns one after another; after the last column that uses a resource it must be used up."""
    m, c = columns.shape
    counts = np.zeros(m, dtype=np.int64)
    spent = np.zeros(m + 1, dtype=np.int64)
    position, steps, n_found = 0, 0, 0
    entering = True
    while position >= 0:
        steps += 1
        if steps > most_steps:
            return n_found, False
        if entering:  # as many as the resources and the limit allow
            most = (limit - 1 - spent[position]) // costs[position] if costs[position] > 0 else np.int64(2**62)
            for t in range(c):
                if columns[position, t] >= 0:
                    most = min(most, left[columns[position, t]])
            change = most
        else:
            change = np.int64(-1)
        counts[position] += change
        closed = counts[position] >= 0
        for t in range(c):
            resource = columns[position, t]
            if resource >= 0:
                left[resource] -= change
                if last[resource] == position and left[resource] > 0:
                    closed = False
        if not closed:  # fewer would leave even more: take all of this column back
            for t in range(c):
                if columns[position, t] >= 0:
                    left[columns[position, t]] += counts[position]
            counts[position] = 0
            position, entering = position - 1, False
            continue
        spent[position + 1] = spent[position] + counts[position] * costs[position]
        if position < m - 1:
            position, entering = position + 1, True
            continue
        if n_found == len(found):
            return n_found, False
        found[n_found] = counts
        n_found += 1
        entering = False
    return n_found, True
