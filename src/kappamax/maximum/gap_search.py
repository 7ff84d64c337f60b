"""Search for a better table if the bound lies below the cost of the best table known.

A better table can use only patterns whose reduced cost is at most the gap, and its reduced costs add up to less than
the gap. This leaves a finite search, which uses 64-bit integers that are rounded down.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kappamax._rootsum import RootSum
from kappamax._typing import Array, Integers
from kappamax.fibers.enumeration import BITS, tables_below
from kappamax.maximum.price_bounds import cost_step, reduced_costs
from kappamax.maximum.problem import Problem, Watch
from kappamax.maximum.solution import Solution


def close_gap(problem: Problem, solution: Solution, patterns: Array, watch: Watch) -> Solution:
    """Return the best table over the given patterns, proven if the search finishes within its limit.

    Parameters
    ----------
    problem : Problem
        Problem that the solution belongs to.
    solution : Solution
        Best table known, with the prices of its bound.
    patterns : array, shape (m, r)
        Patterns that include every pattern whose reduced cost is at most the gap.
    watch : Watch
        Time limit of the search.

    Returns
    -------
    Solution
        The best table found; its `proof` is "search" if no better table exists.
    """
    assert solution.prices is not None
    radicands, denominator = problem.objective.radicands, solution.prices.denominator
    exact = reduced_costs(problem, solution.prices, patterns).tolist()
    reduced = [RootSum(dict(zip(radicands, row, strict=True))) / denominator for row in exact]
    lowest = min(RootSum(), min(reduced))  # negative only if the time limit cut the computation of the bound short
    base = solution.prices.total(problem.margins, radicands) + lowest * problem.n_subjects
    step = cost_step(problem) or 0
    while True:
        gap = solution.cost - base
        room = gap - step  # largest sum of reduced costs of a better table
        if room.sign() < 0:
            return replace(solution, bound=solution.cost, proof="search")
        fits = [i for i, cost in enumerate(reduced) if cost - lowest <= room]
        costs = [reduced[i] - lowest for i in fits]
        better, finished = _better(problem, patterns[fits], costs, room, gap, watch)
        if better is None:
            return replace(solution, bound=solution.cost, proof="search") if finished else solution
        used = better > 0
        found = patterns[fits][used], better[used]
        solution = replace(solution, patterns=found[0], counts=found[1], cost=problem.total(*found))


def _better(
    problem: Problem, patterns: Array, costs: list[RootSum], room: RootSum, gap: RootSum, watch: Watch
) -> tuple[Integers | None, bool]:
    """Return the counts of a table whose reduced costs add up to less than the gap, and whether the search is complete.

    The counts are None if no such table was found.
    """
    shift = BITS - 1 - room.exponent()
    lowered = np.array([cost.floor(shift) for cost in costs], dtype=np.int64)
    columns = (patterns + problem.n_categories * np.arange(problem.n_raters)).astype(np.int64)
    limit = room.ceiling(shift) + 1
    found = tables_below(columns, problem.margins.ravel(), lowered, limit, stopped=lambda: watch.over)
    for counts in found.counts:
        total = sum((cost * int(n) for cost, n in zip(costs, counts, strict=True) if n), RootSum())
        if total < gap:
            return counts, True
    return None, found.finished
