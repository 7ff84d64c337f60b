"""Work out the bound that prices prove; no solver is trusted.

If no pattern costs less than its ratings' prices, no table costs less than the prices' total. Where one does, by at
most d, the bound falls by d for every subject.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._rootsum import RootSum, magnitude, widen
from kappamax.maximum.pricing import Pricing
from kappamax.maximum.problem import CompleteProblem, OutOfTime, Problem, Watch
from kappamax.maximum.solution import Prices, Solution

__all__ = [
    "LISTED_CELLS",
    "at_least_as_observed",
    "better_of",
    "bound_of",
    "certified",
    "cost_step",
    "lowest_reduced_cost",
    "real_reduced_costs",
    "reduced_costs",
    "settles",
]

Array = npt.NDArray[Any]

LISTED_CELLS = 2_000_000
_CLEAR = 1e-9
_MOST_TIED = 200_000


def certified(
    problem: Problem, patterns: Array, counts: Array, prices: Prices, method: str, watch: Watch | None = None
) -> Solution:
    """Return a solution with the exact bound of its prices, proven where that settles it."""
    bound = bound_of(problem, prices, watch)
    return _settled(Solution(problem, patterns, counts, problem.total(patterns, counts), bound, method, prices))


def at_least_as_observed(solution: Solution) -> Solution:
    """Return the solution, with the observed table in place of one that costs more."""
    patterns, counts = solution.problem.observed()
    cost = solution.problem.total(patterns, counts)
    if solution.cost <= cost:
        return solution
    return _settled(replace(solution, patterns=patterns, counts=counts, cost=cost, method="observed", proof=None))


def better_of(first: Solution, second: Solution, watch: Watch | None = None) -> Solution:
    """Return the better table of two solutions with the better bound of the two."""
    if second.proven:
        return second
    table, bound = min(first, second, key=lambda one: one.cost), max(first, second, key=lambda one: one.bound)
    assert bound.prices is not None
    return certified(table.problem, table.patterns, table.counts, bound.prices, table.method, watch)


def settles(problem: Problem, cost: RootSum, bound: RootSum) -> bool:
    """Whether a bound proves a cost optimal: no attainable cost lies between them."""
    if bound >= cost:
        return True
    step = cost_step(problem)
    return step is not None and cost - step < bound


def bound_of(problem: Problem, prices: Prices, watch: Watch | None = None) -> RootSum:
    """Return a bound that prices prove: the largest, unless the time runs out."""
    total = prices.total(problem.margins, problem.objective.radicands)
    return total + lowest_reduced_cost(problem, prices, watch) * problem.n_subjects


def lowest_reduced_cost(problem: Problem, prices: Prices, watch: Watch | None = None) -> RootSum:
    """Return the least of cost minus prices over all patterns, zero if none is below.

    All patterns are listed where there are at most two million; otherwise a search finds those that could be lowest.
    Where the time of the watch runs out first, the result is a number that none is below.
    """
    lowest = RootSum()
    if isinstance(problem, CompleteProblem) and problem.n_raters == 2 and len(problem.roots) == 1:
        return min(lowest, _lowest_of_two(problem, prices))
    if problem.n_cells <= LISTED_CELLS:
        for patterns in problem.all_patterns():
            lowest = min(lowest, _lowest(problem, prices, patterns))
        return lowest
    worth = prices.real(problem.roots)
    pricing = Pricing(problem, watch)
    margin = _CLEAR * (1 + float(np.abs(worth).max()) + pricing.scale)  # far above what rounding can do to the sums
    try:
        least = min(0.0, pricing.least(worth).least)
        found = pricing.below(worth, least + margin, _MOST_TIED)
    except OutOfTime:
        return RootSum(Fraction(min(0.0, pricing.rough_least(worth)) - margin))
    if found.total > _MOST_TIED:  # too many to compare exactly: give the margin away
        return RootSum(Fraction(least - margin))
    return min(lowest, _lowest(problem, prices, found.patterns)) if found.total else lowest


def reduced_costs(problem: Problem, prices: Prices, patterns: Array) -> Array:
    """Return cost minus prices of each pattern, exactly, times the prices' denominator."""
    costs, worth = problem.costs(patterns), prices.of(patterns)
    bound = max(1, magnitude(costs)) * prices.denominator + magnitude(worth)
    return np.asarray(widen(costs, bound) * prices.denominator - widen(worth, bound))


def real_reduced_costs(problem: Problem, worth: Array, patterns: Array) -> npt.NDArray[np.float64]:
    """Return cost minus prices of each pattern in doubles, for prices in doubles of shape (r, k)."""
    return np.asarray(problem.real(patterns) - sum(worth[a][patterns[:, a]] for a in range(problem.n_raters)))


def cost_step(problem: Problem) -> int | None:
    """Return the greatest whole number that divides every pattern's cost, None with roots."""
    if problem.objective.radicands != (1,):
        return None
    denominator = problem.objective.denominator
    entries = [
        int(value) * (denominator // weights.denominator) * factor
        for _, _, weights in problem.objective.pairs()
        for value in np.unique(weights.multipliers)
        for factor in problem.factors
    ]
    return gcd(*entries)


def _settled(solution: Solution) -> Solution:
    """Mark a solution as proven by its prices where its bound settles it."""
    if not settles(solution.problem, solution.cost, solution.bound):
        return solution
    return replace(solution, bound=solution.cost, proof="prices")


def _lowest_of_two(problem: CompleteProblem, prices: Prices) -> RootSum:
    """The least reduced cost of two raters' cells at once, rational costs."""
    ((_, _, costs),) = problem.entries
    first, second = prices.numerators[:, :, 0]
    largest = max(1, magnitude(costs)) * prices.denominator + 2 * magnitude(prices.numerators)
    matrix = widen(costs[:, :, 0], largest) * prices.denominator - widen(first, largest)[:, None]
    matrix -= widen(second, largest)[None, :]
    return problem.number([int(matrix.min())]) / prices.denominator


def _lowest(problem: Problem, prices: Prices, patterns: Array) -> RootSum:
    """The least reduced cost among some patterns; only those near the least in doubles are worked out exactly."""
    if len(problem.roots) == 1:
        return problem.number([int(reduced_costs(problem, prices, patterns).min())]) / prices.denominator
    worth = prices.real(problem.roots)
    real = real_reduced_costs(problem, worth, patterns)
    near = patterns[real <= min(0.0, real.min()) + _CLEAR * (1 + float(np.abs(worth).max()))]
    exact = {tuple(row) for row in reduced_costs(problem, prices, near).tolist()}
    return min(map(problem.number, exact), default=RootSum()) / prices.denominator
