"""Find an optimal table of many raters by column generation.

A linear program over a few patterns gives dual prices. A search then finds patterns of negative reduced cost and adds
them. When there are none left, the program over the few patterns has the same optimum as the program over all patterns.
Every round proves a bound, which is the total of the prices plus the number of subjects times the least reduced cost.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from kappamax._rootsum import RootSum
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Array, Codes, Integers
from kappamax.errors import Interrupted
from kappamax.maximum.exact_prices import certified_near
from kappamax.maximum.first_table import first_guess
from kappamax.maximum.gap_search import close_gap
from kappamax.maximum.linear_program import (
    POSITIVE_AMOUNT,
    PatternProgram,
    Relaxation,
    integer_table,
    refined,
    whole_table,
)
from kappamax.maximum.pooled_prices import pooled_prices
from kappamax.maximum.price_bounds import certified, real_reduced_costs, settles
from kappamax.maximum.pricing import Pricing
from kappamax.maximum.problem import CompleteProblem, OutOfTime, Problem, Watch
from kappamax.maximum.remainders import forced_by_remainders, with_remainders
from kappamax.maximum.rounding import rounded_table
from kappamax.maximum.solution import Prices, Solution, zero_prices

STOPPED = 0.1  # seconds that computing a bound may take after Ctrl-C
_SMOOTHING = 0.5  # weight of the prices with the best bound so far
_NEW_PATTERNS = 60  # patterns added per round
_TIGHT_PATTERNS = 20_000  # largest number of patterns of reduced cost zero that are used to make prices exact
_MOST_CANDIDATES = 200_000  # largest number of patterns in the search for a better table
_MOST_CANDIDATES_OF_SETS = 2_000  # the same if there are several sets of raters
_PATIENCE = 4.0  # seconds that an integer program may take if there are several sets of raters
_NAME = "column generation"


def generate_columns(problem: Problem, watch: Watch) -> Solution:
    """Generate patterns until the linear program is solved, then find a table of whole counts and exact prices.

    Raises
    ------
    Interrupted
        On Ctrl-C; the exception holds the best table and bound found so far.
    """
    generation: _Generation | None = None
    try:
        generation = _Generation(problem, watch)
        with suppress(OutOfTime):
            generation.run()
        return generation.solution()
    except KeyboardInterrupt:
        found = problem.observed() if generation is None else generation.best
        prices = np.zeros(problem.margins.shape) if generation is None else generation.center
        best = certified_near(problem, *found, prices, found[0], found[0], _NAME, Watch(STOPPED))
        raise Interrupted(best) from None


class _Generation:
    """State of a column generation: the patterns generated so far, the best table, and the prices.

    Attributes
    ----------
    patterns : array, shape (m, r)
        Distinct patterns.
    center, newest : arrays of prices
        The prices with the best bound so far, and the prices of the last linear program.
    finished : bool
        Whether no pattern has a negative reduced cost under the newest prices.
    """

    def __init__(self, problem: Problem, watch: Watch) -> None:
        self.problem, self.watch = problem, watch
        self.pricing = Pricing(problem, watch)
        self.best = first_guess(problem, watch)
        self.patterns = np.unique(np.concatenate([self.best[0], self._unanimous()]), axis=0)
        self.program = PatternProgram(problem, self.patterns)
        self._known = {row.tobytes() for row in np.ascontiguousarray(self.patterns)}
        self.center = self.newest = np.zeros(problem.margins.shape)
        self.bound = -np.inf
        self.forced = forced_by_remainders(problem)
        self.pooled: tuple[Prices, RootSum] | None = None
        if problem.sign == -1 and isinstance(problem, CompleteProblem) and not self.pricing.slow and not watch.over:
            self.pooled = pooled_prices(problem, watch)
        if self.pooled is not None:
            prices, lowest = self.pooled
            self.center = self.newest = prices.real(problem.roots)
            self.bound = float((self.center * problem.margins).sum()) + problem.n_subjects * float(lowest)
        self.finished = False

    def _unanimous(self) -> Codes:
        """Return the patterns in which all raters of a set agree, if ratings are missing.

        In designs with many sets of raters, the optimum often uses no others.
        """
        problem = self.problem
        if problem.objective.table.complete or problem.sign == -1:
            return np.zeros((0, problem.n_raters), dtype=np.int32)
        n_sets, k = len(problem.sets), problem.n_labels
        patterns = np.full((n_sets, k, problem.n_raters), k, dtype=np.int32)
        patterns[:, :, :-1] = np.where(problem.sets[:, None, :], np.arange(k)[None, :, None], k)
        patterns[:, :, -1] = np.arange(n_sets)[:, None]
        return patterns.reshape(-1, problem.n_raters)

    def run(self) -> None:
        """Add patterns until none has a negative reduced cost or the time limit is reached.

        Prices halfway between the best and the newest find useful patterns in fewer rounds (smoothing).
        """
        problem, pricing = self.problem, self.pricing
        sizes = np.array(problem.set_sizes, dtype=float)
        rounds = 0
        while not self.watch.over:
            relaxed = self.program.solve(self.watch)
            if relaxed is None:
                return
            self.newest = relaxed.prices
            clear = -ROUNDING_MARGIN * (1 + float(np.abs(self.newest).max()))
            if relaxed.value - self.bound < ROUNDING_MARGIN * (1 + abs(relaxed.value)):
                self.newest, self.finished = self.center, True
                return
            if self._add(pricing.nearby(self.newest, self._starts(relaxed), clear, _NEW_PATTERNS)):
                continue
            smoothed = (
                self.newest if np.isinf(self.bound) else _SMOOTHING * self.center + (1 - _SMOOTHING) * self.newest
            )
            rounds += 1
            added = False
            for prices in (smoothed, self.newest):
                lowest, found = pricing.improving(prices, clear, _NEW_PATTERNS)
                bound = float((prices * problem.margins).sum()) + float(sizes @ lowest)
                if bound > self.bound:
                    self.bound, self.center, self.pooled = bound, prices, None
                if not len(found):
                    if prices is self.newest:
                        self.finished = True
                        return
                    continue
                added = self._add(found)
                if added:
                    break
            gap = relaxed.value - self.bound
            self.watch.tell(f"round {rounds}: {len(self.patterns)} patterns, least cost {gap:.3g} above the bound")
            if not added:
                self.finished = True
                return

    def _starts(self, relaxed: Relaxation) -> Codes:
        """Return the patterns that the linear program uses, and those in which all raters agree."""
        k, r = self.problem.n_labels, self.problem.n_raters
        return np.concatenate(
            [
                self.patterns[relaxed.amounts > POSITIVE_AMOUNT],
                np.repeat(np.arange(k, dtype=np.int32)[:, None], r, axis=1),
            ]
        )

    def _add(self, patterns: Array) -> bool:
        """Add the patterns that are new, and return whether there are any."""
        fresh = [row for row in np.ascontiguousarray(patterns) if row.tobytes() not in self._known]
        self._known.update(row.tobytes() for row in fresh)
        if fresh:
            self.program.add(np.array(fresh))
            self.patterns = np.concatenate([self.patterns, fresh])
        return bool(fresh)

    def solution(self) -> Solution:
        """Return the best table over the generated patterns with exact prices, and close its gap if possible."""
        problem, watch = self.problem, self.watch
        solution = self._by_pooled_prices()
        if solution is not None and solution.proven:
            return solution
        relaxed = None if watch.over else self.program.solve(watch)
        support = self.best[0]
        if relaxed is not None:
            support = self.patterns[relaxed.amounts > POSITIVE_AMOUNT]
            least, own = float(problem.total(*self.best)), relaxed.value
            if own < least - ROUNDING_MARGIN * (1 + abs(least)) and not watch.over:
                self._round(relaxed)
                solution = self._by_pooled_prices()
                if solution is not None and solution.proven:
                    return solution
                if self.forced is not None and settles(problem, problem.total(*self.best), self.forced):
                    free = [RootSum()] * len(problem.sets)  # no pattern costs less than zero
                    return with_remainders(certified(problem, *self.best, zero_prices(problem), _NAME, watch, free))
        prices, tight = self.center, self.patterns
        if self.finished:
            prices = self.newest
            with suppress(OutOfTime):
                limit = ROUNDING_MARGIN * 100 * (1 + float(np.abs(prices).max()))
                tight = self.pricing.below(prices, limit, _TIGHT_PATTERNS).patterns
        solution = certified_near(problem, *self.best, prices, tight, support, _NAME, watch)
        if not solution.proven and not watch.over:
            solution = refined(solution, np.unique(np.concatenate([tight, self.patterns]), axis=0), watch)
        if not solution.proven and not watch.over:
            with suppress(OutOfTime):
                return self._gap_closed(solution)
        return solution

    def _by_pooled_prices(self) -> Solution | None:
        """Return the best table with the prices that are the same for all raters, if they have the best bound."""
        if self.pooled is None:
            return None
        prices, lowest = self.pooled
        return certified(self.problem, *self.best, prices, _NAME, self.watch, [lowest])

    def _round(self, relaxed: Relaxation) -> None:
        """Find a table of whole counts whose cost is near the optimum of the linear program."""
        problem = self.problem
        enough = relaxed.value if self.forced is None else max(relaxed.value, float(self.forced))
        enough += ROUNDING_MARGIN * (1 + abs(enough))
        table = whole_table(problem, self.patterns, relaxed.amounts)
        if table is None and problem.objective.coefficient.group_size == 2:
            tight = self.patterns
            if not isinstance(problem, CompleteProblem):
                limit = ROUNDING_MARGIN * (1 + float(np.abs(relaxed.prices).max()))
                with suppress(OutOfTime):
                    tight = self.pricing.below(relaxed.prices, limit, _TIGHT_PATTERNS).patterns
            if not self.watch.over:
                table = rounded_table(problem, self.patterns, relaxed, tight, enough, self.watch)
        if not self.watch.over and (table is None or float(problem.total(*table)) > enough):
            whole = integer_table(problem, self._useful(relaxed, table), self._patience)
            if whole is not None and (table is None or problem.total(*whole) < problem.total(*table)):
                table = whole
        if table is not None and problem.total(*table) < problem.total(*self.best):
            self.best = table

    def _useful(self, relaxed: Relaxation, table: tuple[Codes, Integers] | None) -> Codes:
        """Return the patterns that can occur in a table that costs less than the best one.

        The reduced cost of such a pattern is at most the difference between that cost and the linear program.
        """
        found = [self.best] if table is None else [self.best, table]
        least = min(float(self.problem.total(*one)) for one in found)
        reduced = real_reduced_costs(self.problem, relaxed.prices, self.patterns)
        return self.patterns[reduced <= least - relaxed.value + ROUNDING_MARGIN * (1 + abs(least))]

    @property
    def _patience(self) -> Watch:
        """Time limit of an integer program, which rarely ends if there are many sets of raters."""
        return self.watch if len(self.problem.sets) == 1 else self.watch.within(_PATIENCE)

    def _gap_closed(self, solution: Solution) -> Solution:
        """Return the solution after solving the integer program over every pattern that a better table could use."""
        assert solution.prices is not None
        problem, pricing = self.problem, self.pricing
        self.watch.tell("closing the gap between table and bound")
        worth = solution.prices.real(problem.roots)
        gap = float(solution.cost - solution.bound) + ROUNDING_MARGIN * (1 + float(np.abs(worth).max()))
        most = _MOST_CANDIDATES if len(problem.sets) == 1 else _MOST_CANDIDATES_OF_SETS
        within = pricing.below(worth, gap, most)
        if not within.complete:
            return solution
        candidates = np.unique(np.concatenate([within.patterns, solution.patterns]), axis=0)
        table = integer_table(problem, candidates, self._patience)
        if table is not None and problem.total(*table) < solution.cost:
            solution = certified(problem, *table, solution.prices, solution.method, self.watch)
        return solution if solution.proven else close_gap(problem, solution, candidates, self.watch)
