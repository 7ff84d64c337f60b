"""A table and a bound below its cost in; the proof that no table is better, or one that is, out: search.

Only patterns whose reduced cost fits into the gap can occur in a better table, and only so often that their reduced
costs add up to less than the gap. What remains is a finite search.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._jit import kernel
from kappamax.maximum.certificate import cost_step, reduced_costs
from kappamax.maximum.problem import Problem, Solution

__all__ = ["close_gap", "search_gap"]

Array = npt.NDArray[Any]

SEARCH_NODES = 20_000_000
_MOST_TIES = 1000
_CLEAR = 1e-9
_NODES_UNCOMPILED = 20_000
_OUT_OF_NODES = 2


def close_gap(problem: Problem, solution: Solution, patterns: Array) -> Solution:
    """The solution, proven by search if no table of the given patterns beats it within the limit of nodes.

    Parameters
    ----------
    patterns : array, shape (m, r)
        Must hold every pattern whose reduced cost is within the gap.
    """
    if not problem.objective.weights.exact:
        return solution
    answer = search_gap(problem, solution, patterns)
    return replace(solution, bound=solution.cost, proof="search") if answer == "none better" else solution


def search_gap(problem: Problem, solution: Solution, patterns: Array) -> str:
    """Whether a better table exists: "none better", "better", or "bound only" where the limit of nodes was reached.

    Depth first over patterns, from the dearest to the free ones. The cost of a table is the prices' total plus its
    patterns' reduced costs, so a better table spends less than the gap on them.
    """
    prices = solution.prices
    assert prices is not None
    exact = reduced_costs(problem, prices, patterns)
    reduced = exact.astype(float) @ problem.roots / float(prices.denominator)
    gap = float(solution.cost - prices.total(problem.margins, problem.objective.radicands))
    clear = _CLEAR * (1 + gap + problem.n_subjects * max(0.0, -float(reduced.min())))
    if float(reduced.min()) < -clear:
        return "bound only"
    reduced = reduced.clip(min=0)
    step = cost_step(problem)
    limit = gap + clear if step is None else gap - step / 2  # whole costs: a better one is better by a step
    fits = np.flatnonzero(reduced < limit)
    order = fits[np.argsort(-reduced[fits], kind="stable")]
    return _answer(problem, solution, patterns[order], reduced[order], limit, gap - clear)


def _answer(problem: Problem, solution: Solution, patterns: Array, reduced: Array, limit: float, certain: float) -> str:
    """Run the search; tables too close to call in doubles are compared exactly."""
    last = np.full(problem.margins.shape, -1)
    for position, pattern in enumerate(patterns):
        last[np.arange(problem.n_raters), pattern] = position
    if ((last < 0) & (problem.margins > 0)).any():
        return "none better"
    ties = np.zeros((_MOST_TIES, len(patterns)), dtype=np.int64)
    for nodes in (_NODES_UNCOMPILED, SEARCH_NODES):
        run = kernel(_depth_first, work=nodes, worth=_NODES_UNCOMPILED)
        outcome, n_ties = run(patterns, reduced, problem.margins.copy(), last, limit, certain, nodes, ties)
        if outcome != _OUT_OF_NODES:
            break
    if outcome:
        return "better" if outcome == 1 else "bound only"
    for counts in ties[:n_ties]:
        used = counts > 0
        if problem.total(patterns[used], counts[used]) < solution.cost:
            return "better"
    return "none better"


def _depth_first(patterns, reduced, left, last, limit, certain, most_nodes, ties):  # type: ignore[no-untyped-def]  # compiled by numba
    """Counts of the patterns with the margins `left` and total reduced cost below the limit.

    Returns 0 if there are none but those kept in `ties`, 1 if one is certainly better, 2 if a limit was reached.
    `last[a, i]` is the last pattern that uses category i of rater a: after it, the category must be used up.
    """
    m, r = patterns.shape
    counts = np.zeros(m, dtype=np.int64)
    spent = np.zeros(m + 1)
    position, nodes, n_ties = 0, 0, 0
    fresh = True
    while position >= 0:
        nodes += 1
        if nodes > most_nodes:
            return 2, n_ties
        if fresh:  # the largest count of this pattern that fits its raters' margins and the gap
            most = left[0, patterns[position, 0]]
            for a in range(1, r):
                most = min(most, left[a, patterns[position, a]])
            if reduced[position] > 0:
                most = min(most, int((limit - spent[position]) / reduced[position]) + 1)
                while most > 0 and spent[position] + most * reduced[position] >= limit:
                    most -= 1
            for a in range(r):
                left[a, patterns[position, a]] -= most
            counts[position] = most
        else:
            for a in range(r):
                left[a, patterns[position, a]] += 1
            counts[position] -= 1
        fresh = False
        if counts[position] < 0:
            for a in range(r):
                left[a, patterns[position, a]] -= 1
            counts[position] = 0
            position -= 1
            continue
        closed = True
        for a in range(r):
            if last[a, patterns[position, a]] == position and left[a, patterns[position, a]] > 0:
                closed = False
        if not closed:
            continue
        total = spent[position] + counts[position] * reduced[position]
        if position < m - 1:
            position += 1
            spent[position] = total
            fresh = True
        elif total < certain:
            return 1, n_ties
        elif n_ties == len(ties):
            return 2, n_ties
        else:
            ties[n_ties] = counts
            n_ties += 1
    return 0, n_ties
