"""Compute the exact bound that dual prices prove.

If no pattern costs less than the sum of the prices of its ratings, then no table costs less than the total of the
prices. If the least reduced cost of the patterns of a set of raters is not zero, it is added to the prices of that set,
so that prices of any kind give a bound. The bound does not depend on the correctness of a solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import gcd

import numpy as np

from kappamax._integers import magnitude, widen
from kappamax._rootsum import RootSum
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Array, Floats
from kappamax.maximum.pricing import Pricing
from kappamax.maximum.problem import CompleteProblem, OutOfTime, Problem, Watch
from kappamax.maximum.solution import Prices, Solution

_LISTED_CELLS = 5_000  # possible patterns up to which all of them are listed
_MOST_TIED = 200_000  # largest number of patterns near the least reduced cost that are compared exactly


def certified(
    problem: Problem,
    patterns: Array,
    counts: Array,
    prices: Prices,
    method: str,
    watch: Watch | None = None,
    lowest: Sequence[RootSum] | None = None,
) -> Solution:
    """Return a solution with the exact bound of its prices, marked as proven if the bound proves it optimal.

    The least reduced cost of every set of raters is computed unless a theorem gives it as `lowest`.
    """
    found = lowest_reduced_costs(problem, prices, watch) if lowest is None else lowest
    prices, bound = feasible(problem, prices, found)
    return _settled(Solution(problem, patterns, counts, problem.total(patterns, counts), bound, method, prices))


def at_least_as_observed(solution: Solution) -> Solution:
    """Return the solution, in which the observed table replaces the table found if it costs less."""
    problem = solution.problem
    cost = problem.objective.score * problem.sign
    if solution.cost <= cost:
        return solution
    patterns, counts = problem.observed()
    return _settled(replace(solution, patterns=patterns, counts=counts, cost=cost, method="observed", proof=None))


def better_of(first: Solution, second: Solution, watch: Watch | None = None) -> Solution:
    """Return the better table of two solutions with the better of their bounds."""
    if second.proven:
        return second
    table, bound = min(first, second, key=lambda one: one.cost), max(first, second, key=lambda one: one.bound)
    assert bound.prices is not None
    return certified(table.problem, table.patterns, table.counts, bound.prices, table.method, watch)


def settles(problem: Problem, cost: RootSum, bound: RootSum) -> bool:
    """Return whether a bound proves a cost optimal because no attainable cost lies between them."""
    if bound >= cost:
        return True
    step = cost_step(problem)
    return step is not None and cost - step < bound


def bound_of(problem: Problem, prices: Prices, watch: Watch | None = None) -> RootSum:
    """Return the bound that prices prove, or a lower one if the time limit is reached."""
    return feasible(problem, prices, lowest_reduced_costs(problem, prices, watch))[1]


def feasible(problem: Problem, prices: Prices, lowest: Sequence[RootSum]) -> tuple[Prices, RootSum]:
    """Return prices under which the least reduced cost of every set of raters is zero, and the bound that they prove.

    The prices are unchanged, and the bound takes account of negative reduced costs, if the least reduced costs are not
    exact.
    """
    radicands, total = problem.objective.radicands, prices.total(problem.margins, problem.objective.radicands)
    changes = [(low * prices.denominator).terms for low in lowest]
    if any(part.denominator > 1 or f not in radicands for change in changes for f, part in change.items()):
        negative = [low if low.sign() < 0 else RootSum() for low in lowest]
        return prices, sum((low * n for low, n in zip(negative, problem.set_sizes, strict=True)), total)
    if not any(changes):
        return prices, total
    numerators = prices.numerators.astype(object)
    for index, change in enumerate(changes):
        added = np.array([int(change.get(f, 0)) for f in radicands], dtype=object)
        if problem.objective.table.complete:
            numerators[0] += added
        else:
            numerators[-1, index] += added
    raised = Prices(widen(numerators, magnitude(numerators)), prices.denominator)
    return raised, raised.total(problem.margins, radicands)


def lowest_reduced_costs(problem: Problem, prices: Prices, watch: Watch | None = None) -> list[RootSum]:
    """Return the least reduced cost (cost minus prices) over all patterns of every set of raters.

    If there are few possible patterns, they are listed; otherwise a search finds those that may have the least reduced
    cost. If the time limit is reached, the results are lower bounds of the reduced costs.
    """
    if isinstance(problem, CompleteProblem) and problem.n_raters == 2 and len(problem.roots) == 1:
        return [_lowest_of_two(problem, prices)]
    if problem.n_cells <= _LISTED_CELLS:
        patterns = np.concatenate(list(problem.all_patterns()))
        if problem.objective.table.complete:
            return [_lowest(problem, prices, patterns)]
        return [_lowest(problem, prices, patterns[patterns[:, -1] == index]) for index in range(len(problem.sets))]
    worth = prices.real(problem.roots)
    pricing = Pricing(problem, watch)
    margin = ROUNDING_MARGIN * (1 + float(np.abs(worth).max()) + problem.scale)
    try:
        exact = None
        if watch is not None and watch.over:
            low = pricing.rough_lowest(worth) if pricing.too_slow_after_the_limit else pricing.lowest(worth)
            return [RootSum(Fraction(float(number) - margin)) for number in low]
        if pricing.slow:
            exact = _lowest_by_search(problem, prices, pricing, worth, margin)
        if exact is None:
            exact = pricing.exact_lowest(prices)
        return exact or [RootSum(Fraction(float(low) - margin)) for low in pricing.lowest(worth)]
    except OutOfTime:
        return [RootSum(Fraction(float(low) - margin)) for low in pricing.rough_lowest(worth)]


def _lowest_by_search(
    problem: Problem, prices: Prices, pricing: Pricing, worth: Floats, margin: float
) -> list[RootSum] | None:
    """Return the least reduced cost of every set of raters, from the patterns that are near the least in doubles.

    The result is None if these are too many to compare exactly.
    """
    lowest = pricing.lowest(worth)
    complete = problem.objective.table.complete
    shifted = worth.copy()  # the least reduced cost of every set of raters is zero
    if complete:
        shifted[0] += lowest[0]
    else:
        shifted[-1, : len(lowest)] += lowest
    near = pricing.below(shifted, margin, _MOST_TIED)
    if not near.complete:
        return None
    own = (
        [np.ones(len(near.patterns), dtype=bool)]
        if complete
        else [near.patterns[:, -1] == i for i in range(len(lowest))]
    )
    return [_lowest(problem, prices, near.patterns[members]) for members in own]


def reduced_costs(problem: Problem, prices: Prices, patterns: Array) -> Array:
    """Return the exact reduced cost of each pattern, times the denominator of the prices."""
    costs, worth = problem.costs(patterns), prices.of(patterns)
    bound = max(1, magnitude(costs)) * prices.denominator + magnitude(worth)
    return np.asarray(widen(costs, bound) * prices.denominator - widen(worth, bound))


def real_reduced_costs(problem: Problem, worth: Array, patterns: Array) -> Floats:
    """Return the reduced cost of each pattern in doubles, for prices in doubles of shape (r, k)."""
    return np.asarray(problem.real(patterns) - sum(worth[a][patterns[:, a]] for a in range(problem.n_raters)))


def cost_step(problem: Problem) -> int | None:
    """Return the greatest whole number that divides the cost of every pattern, or None if costs contain roots."""
    if problem.objective.radicands != (1,):
        return None
    denominator = problem.objective.denominator
    distinct = {id(weights): weights for _, _, weights in problem.objective.pairs()}
    entries = [
        int(value) * (denominator // weights.denominator) * factor
        for weights in distinct.values()
        for value in np.unique(weights.multipliers)
        for factor in problem.factors
    ]
    return gcd(*entries)


def _settled(solution: Solution) -> Solution:
    """Mark a solution as proven by its prices if its bound proves it optimal."""
    if not settles(solution.problem, solution.cost, solution.bound):
        return solution
    return replace(solution, bound=solution.cost, proof="prices")


def _lowest_of_two(problem: CompleteProblem, prices: Prices) -> RootSum:
    """Return the least reduced cost over all patterns of two raters with rational costs."""
    ((_, _, costs),) = problem.entries
    first, second = prices.numerators[:, :, 0]
    largest = max(1, magnitude(costs)) * prices.denominator + 2 * magnitude(prices.numerators)
    matrix = widen(costs[:, :, 0], largest) * prices.denominator - widen(first, largest)[:, None]
    matrix -= widen(second, largest)[None, :]
    return problem.number([int(matrix.min())]) / prices.denominator


def _lowest(problem: Problem, prices: Prices, patterns: Array) -> RootSum:
    """Return the least reduced cost of some patterns; only those near the least in doubles are computed exactly."""
    if len(problem.roots) == 1:
        return problem.number([int(reduced_costs(problem, prices, patterns).min())]) / prices.denominator
    worth = prices.real(problem.roots)
    real = real_reduced_costs(problem, worth, patterns)
    near = patterns[real <= real.min() + ROUNDING_MARGIN * (1 + float(np.abs(worth).max()))]
    exact = {tuple(row) for row in reduced_costs(problem, prices, near).tolist()}
    return min(map(problem.number, exact)) / prices.denominator
