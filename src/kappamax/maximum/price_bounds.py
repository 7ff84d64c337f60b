"""Find the patterns of least reduced cost for given dual prices, and the bound that the prices prove.

If no pattern costs less than the sum of the prices of its ratings, then no table costs less than the total of the
prices. If some pattern costs less by at most d, the bound falls by d for every subject. The bound does not depend on
the correctness of a solver.

If there are too many patterns to list, a depth-first search over the raters excludes most of them: a partial pattern is
dropped as soon as it cannot fall below the limit even if every remaining rater, independently of the others, makes the
cheapest choice.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import gcd
from typing import NamedTuple

import numpy as np

from kappamax._integers import magnitude, widen
from kappamax._jit import kernel
from kappamax._rootsum import RootSum
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Array, Codes, Floats
from kappamax.maximum.problem import CompleteProblem, OutOfTime, Problem, RaterSet, Watch
from kappamax.maximum.solution import Prices, Solution

LISTED_CELLS = 2_000_000  # possible patterns up to which all of them are listed
_MOST_TIED = 200_000  # largest number of patterns near the least reduced cost that are compared exactly
_UNCOMPILED_PATTERNS = 2000  # possible patterns up to which plain Python is faster than importing numba
_AT_A_TIME = 1_000_000  # numbers processed between two checks of the time limit and Ctrl-C
_ALWAYS = 50  # rounds between such checks that are completed even after the time limit; they suffice for most designs


def certified(
    problem: Problem, patterns: Array, counts: Array, prices: Prices, method: str, watch: Watch | None = None
) -> Solution:
    """Return a solution with the exact bound of its prices, marked as proven if the bound proves it optimal."""
    bound = bound_of(problem, prices, watch)
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
    total = prices.total(problem.margins, problem.objective.radicands)
    return total + lowest_reduced_cost(problem, prices, watch) * problem.n_subjects


def lowest_reduced_cost(problem: Problem, prices: Prices, watch: Watch | None = None) -> RootSum:
    """Return the least reduced cost (cost minus prices) over all patterns, or zero if none is negative.

    Up to two million patterns are listed; otherwise a search finds those that may have the least reduced cost. If the
    time limit is reached, the result is a lower bound of all reduced costs.
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
    margin = ROUNDING_MARGIN * (1 + float(np.abs(worth).max()) + pricing.scale)
    try:
        least = min(0.0, pricing.least(worth).least)
        found = pricing.below(worth, least + margin, _MOST_TIED)
    except OutOfTime:
        return RootSum(Fraction(min(0.0, pricing.rough_least(worth)) - margin))
    if found.total > _MOST_TIED:  # too many to compare exactly, so the result is lower by the rounding margin
        return RootSum(Fraction(least - margin))
    return min(lowest, _lowest(problem, prices, found.patterns)) if found.total else lowest


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
    entries = [
        int(value) * (denominator // weights.denominator) * factor
        for _, _, weights in problem.objective.pairs()
        for value in np.unique(weights.multipliers)
        for factor in problem.factors
    ]
    return gcd(*entries)


class PatternsFound(NamedTuple):
    """Result of a search for patterns below a limit.

    Attributes
    ----------
    patterns : array, shape (m, r)
        Some or all of the patterns below the limit.
    reduced : array, shape (m,)
        Their reduced costs.
    total : int
        Number of patterns below the limit.
    least : float
        Least reduced cost.
    """

    patterns: Codes
    reduced: Floats
    total: int
    least: float


class Pricing:
    """Search for the patterns of a problem that have a small reduced cost under given prices.

    The methods raise `OutOfTime` if the time limit is reached before the search is complete.
    """

    def __init__(self, problem: Problem, watch: Watch | None = None) -> None:
        self.watch = watch or Watch()
        #: every set of raters with an array whose entry d is a lower bound of the cost of all pairs of its raters >= d
        self.sets = [(one, _cost_of_the_rest(one)) for one in problem.rater_sets()]
        self.run = kernel(_search, work=float(problem.n_cells), worth=_UNCOMPILED_PATTERNS)

    def least(self, prices: Array, limit: float = np.inf) -> PatternsFound:
        """Return the pattern of least reduced cost if that is below the limit."""
        best = PatternsFound(np.zeros((0, len(prices)), dtype=np.int32), np.zeros(0), 0, np.inf)
        for one, rest in self.sets:
            found = self._found(one, rest, prices, min(limit, best.least), 0)
            if found.total:
                best = found
        return best

    def below(self, prices: Array, limit: float, most: int) -> PatternsFound:
        """Return up to `most` patterns with reduced cost below the limit, and the number of all such patterns."""
        patterns, reduced, totals, least = zip(
            *(self._found(one, rest, prices, limit, most) for one, rest in self.sets), strict=True
        )
        return PatternsFound(np.concatenate(patterns)[:most], np.concatenate(reduced)[:most], sum(totals), min(least))

    def rough_least(self, prices: Array) -> float:
        """Return a lower bound of all reduced costs that treats every pair of raters separately and needs no search."""
        lowest = []
        for one, _ in self.sets:
            own, paid = _prices_of_set(one, prices)
            if (r := len(own)) == 1:
                lowest.append(-float(own.max()) - paid)
                continue
            shared = own / (r - 1)  # each rater's price is divided among r - 1 pairs
            pairs = one.pair_costs - shared[:, None, :, None] - shared[None, :, None, :]
            lowest.append(float(pairs.min(axis=(2, 3))[np.triu_indices(r, 1)].sum()) - paid)
        return min(lowest)

    @property
    def scale(self) -> float:
        """Upper bound of the absolute cost of a pattern."""
        return max(float(np.abs(one.pair_costs).max(initial=0)) * len(one.raters) ** 2 for one, _ in self.sets)

    def _found(self, one: RaterSet, rest: Array, prices: Array, limit: float, most: int) -> PatternsFound:
        """Search the patterns of one set of raters; with `most` = 0, keep only the pattern of least reduced cost."""
        own, paid = _prices_of_set(one, prices)
        r, k = own.shape
        patterns = np.zeros((max(1, most), r), dtype=np.int32)
        reduced = np.zeros(max(1, most))
        # due[d, t, x] is the cost of rating x of rater t together with the first d raters, minus its price
        due = np.zeros((r + 1, r, k))
        due[0] = -own
        state = due, np.full(r, -1, dtype=np.int32), np.zeros(r + 1), np.zeros(2, dtype=np.int64), np.full(1, np.inf)
        rounds, steps = 0, max(1, _AT_A_TIME // (r * k))
        while not self.run(one.pair_costs, rest, limit + paid, most, patterns, reduced, *state, steps):
            rounds += 1
            if rounds >= _ALWAYS and self.watch.over:
                raise OutOfTime
        count, least = int(state[3][1]), float(state[4][0])
        kept = min(count, max(1, most))
        whole = np.repeat(one.other_codes[None, :], kept, axis=0)
        whole[:, one.raters] = patterns[:kept]
        return PatternsFound(whole, reduced[:kept] - paid, count, least - paid)


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
    near = patterns[real <= min(0.0, real.min()) + ROUNDING_MARGIN * (1 + float(np.abs(worth).max()))]
    exact = {tuple(row) for row in reduced_costs(problem, prices, near).tolist()}
    return min(map(problem.number, exact), default=RootSum()) / prices.denominator


def _prices_of_set(one: RaterSet, prices: Array) -> tuple[Floats, float]:
    """Return the prices of the categories of a set's raters, and the sum of the prices of all other columns."""
    others = np.setdiff1d(np.arange(len(prices)), one.raters)
    own = np.ascontiguousarray(prices[one.raters, : one.pair_costs.shape[-1]])
    return own, float(prices[others, one.other_codes[others]].sum())


def _cost_of_the_rest(one: RaterSet) -> Floats:
    least = one.pair_costs.min(axis=(2, 3))
    return np.array([least[d:, d:].sum() for d in range(len(one.raters) + 1)])


def _search(costs, rest, limit, most, patterns, reduced, due, choice, paid, progress, lowest, most_steps):  # type: ignore[no-untyped-def]  # compiled by numba
    """Continue the depth-first search over raters for up to `most_steps` steps and return whether it is complete.

    With `most` = 0 the limit falls to the least reduced cost found, and only that pattern is kept. The arrays from
    `due` on hold the state of the search; `progress` holds the depth and the number of patterns found, and `lowest` the
    least reduced cost.
    """
    r, k = due.shape[1:]
    depth, count, least = progress[0], progress[1], lowest[0]
    for _ in range(most_steps):
        if depth < 0:
            break
        choice[depth] += 1
        if choice[depth] >= k:
            choice[depth] = -1
            depth -= 1
            continue
        here = choice[depth]
        total = paid[depth] + due[depth, depth, here]
        bound = total + rest[depth + 1]
        for t in range(depth + 1, r):
            cheapest = np.inf
            for x in range(k):
                value = due[depth, t, x] + costs[depth, t, here, x]
                due[depth + 1, t, x] = value
                cheapest = min(cheapest, value)
            bound += cheapest
        if bound >= limit or (most == 0 and bound >= least):
            continue
        if depth == r - 1:
            least = min(least, total)
            if most == 0:
                count = 1
                patterns[0] = choice
                reduced[0] = total
            else:
                if count < most:
                    patterns[count] = choice
                    reduced[count] = total
                count += 1
            continue
        paid[depth + 1] = total
        depth += 1
    progress[0], progress[1], lowest[0] = depth, count, least
    return depth < 0
