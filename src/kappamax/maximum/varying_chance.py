"""Find the largest and smallest coefficient if rearranging the ratings changes the expected disagreement.

With missing ratings, Fleiss' kappa, Gwet's AC and Krippendorff's alpha divide the observed disagreement by a function
of the pooled use of categories, which can differ between rearrangements. For a fixed use the divisor is fixed, and the
problem is a linear program with one additional equation per category. Its dual prices bound the disagreement for every
other use as well and are therefore called a cut. Cuts are added at the most promising use until they exclude every use
that could improve on the best table.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np

from kappamax._rootsum import RootSum
from kappamax._typing import Array
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import Interrupted, NotSupportedError
from kappamax.fibers.enumeration import LISTED_TABLES, tables_below
from kappamax.maximum.exact_prices import solved_exactly
from kappamax.maximum.highs import solve_integer, solve_linear
from kappamax.maximum.linear_program import POSITIVE_AMOUNT, incidence
from kappamax.maximum.price_bounds import cost_step
from kappamax.maximum.problem import Problem, Watch
from kappamax.maximum.solution import Cut, Prices, Solution
from kappamax.verification.uses import MOST_USES, Use, attainable_uses

MOST_POSSIBLE_PATTERNS = 4_000  # patterns up to which this method is used
MOST_CUTS = 300  # cuts after which all tables are listed instead
_SOLVER_TOLERANCE = 1e-7  # relative error of the solver's prices
_BY_CUTS = "linear programs for fixed use of categories"
_BY_LISTING = "all tables listed"


def solve_varying_chance(problem: Problem, watch: Watch) -> Solution:
    """Find the table with the most extreme coefficient, proven by cuts or by listing all tables.

    If neither proves it within the limits of work and time, the solution holds the best table found and the bound of
    the cuts.

    Raises
    ------
    NotSupportedError
        If there are too many possible patterns or uses of categories.
    Interrupted
        On Ctrl-C; the exception holds the best table and bound found so far.
    """
    search = _UseSearch(problem, watch)
    try:
        return _searched(search)
    except KeyboardInterrupt:
        raise Interrupted(search.unproven()) from None


def _searched(search: _UseSearch) -> Solution:
    """Add cuts at the most promising use of categories until they exclude every use; otherwise list all tables."""
    table, watch = search.problem.objective.table, search.watch
    place: int | None = search.place[tuple(search.problem.objective.pooled_use(table.patterns).T @ table.counts)]
    while place is not None:
        watch.tell(f"{len(search.cuts)} cuts, {len(search.uses)} possible uses of the categories")
        if watch.over or not search.cut_at(place):
            return search.unproven()
        place = search.open_use()
        if place in search.solved or len(search.cuts) == MOST_CUTS:  # no new cut, or too many
            return search.by_listing() or search.unproven()
    return search.proven("prices", tuple(search.cuts))


class _UseSearch:
    """The best table so far, and the cuts that bound all other tables."""

    def __init__(self, problem: Problem, watch: Watch) -> None:
        objective = problem.objective
        self.problem, self.watch = problem, watch
        #: the best table so far, its cost and its expected disagreement; UndefinedKappaError is raised if this is zero
        self.table = problem.observed()
        self.cost, self.chance = problem.total(*self.table), objective.expected
        varies = f"rearranging these ratings changes the expected agreement of {objective.coefficient.title}"
        if problem.n_cells > MOST_POSSIBLE_PATTERNS:
            raise NotSupportedError(
                f"{varies}; its maximum can then be found for up to {MOST_POSSIBLE_PATTERNS:,} possible patterns, "
                f"but this design has {numbers.rough(problem.n_cells)}."
            )
        found = uses_of(objective)
        if found is None:
            raise NotSupportedError(
                f"{varies}; its maximum can then be found for up to {MOST_USES:,} possible uses of the categories, "
                "but this design has more."
            )
        self.patterns = np.concatenate(list(problem.all_patterns()))
        self.use = objective.pooled_use(problem.decoded(self.patterns))
        #: constraint matrix with one row per rater and category, one row per category, and one column per pattern
        self.rows = np.concatenate([incidence(problem, self.patterns).toarray(), self.use.T])
        chances = {use: objective.expected_at(np.array(use, dtype=object)) for use in found}
        #: every use of categories at which the coefficient is defined, and the disagreement expected there
        self.uses = np.array([use for use, chance in chances.items() if chance], dtype=np.int64)
        self.chances = [chance for chance in chances.values() if chance]
        self.place = {tuple(use): place for place, use in enumerate(self.uses.tolist())}
        self.real_chances = np.array([float(chance) for chance in self.chances])
        #: the cuts, of which the first has prices zero, and the bound of each cut for each use, in doubles
        self.cuts: list[Cut] = []
        self.by_cut = np.zeros((0, len(self.uses)))
        zero = np.zeros((len(problem.constraints) + self.use.shape[1], len(problem.roots)), dtype=object)
        self._add(self._lowered(zero, 1))
        self.solved: set[int] = set()

    def proven(self, proof: str, cuts: tuple[Cut, ...] = ()) -> Solution:
        """Return the best table as a proven solution."""
        return Solution(
            self.problem, *self.table, self.cost, self.cost, _BY_CUTS if cuts else _BY_LISTING, None, proof, cuts
        )

    def unproven(self) -> Solution:
        """Return the best table with the bound of the cuts, converted to a cost at the use of this table."""
        ratio = float((self.by_cut.max(axis=0) / self.real_chances).min())
        below = Fraction(ratio - _SOLVER_TOLERANCE * (1 + abs(ratio)))  # rounding errors are far smaller
        bound = self.chance * below
        return Solution(self.problem, *self.table, self.cost, bound, _BY_CUTS, None, None, tuple(self.cuts))

    def by_listing(self) -> Solution | None:
        """Return the best of all tables by listing them, or None if there are too many."""
        columns = (self.patterns + self.problem.n_categories * np.arange(self.problem.n_raters)).astype(np.int64)
        free = np.zeros(len(columns), dtype=np.int64)
        found = tables_below(columns, self.problem.margins.ravel(), free, 1, LISTED_TABLES)
        if not found.finished:
            return None
        for counts in found.counts:
            place = self.place.get(tuple((self.use.T @ counts).tolist()))
            if place is not None:  # the coefficient is defined there
                self._take_if_better(counts, place)
        return self.proven("search")

    def open_use(self) -> int | None:
        """Return the most promising use of categories for which a better table is not yet excluded, or None."""
        best = float(self.cost) / float(self.chance)
        ratios = self.by_cut.max(axis=0) / self.real_chances
        for place in np.argsort(ratios, kind="stable").tolist():
            if ratios[place] > best + _SOLVER_TOLERANCE * (1 + abs(best)):
                return None
            if not self._excluded(place):
                return int(place)
        return None

    def _excluded(self, place: int) -> bool:
        """Return whether a cut shows that no table with this use is better than the best table."""
        step = cost_step(self.problem)
        for number in np.argsort(-self.by_cut[:, place])[:2].tolist():
            bound = self.cuts[number].bound(self.problem.margins, self.uses[place], self.problem.objective.radicands)
            if step is not None:  # costs are multiples of the step
                bound = RootSum(-(-bound.rational // step) * step)
            if (bound * self.chance - self.cost * self.chances[place]).sign() >= 0:
                return True
        return False

    def cut_at(self, place: int) -> bool:
        """Solve the linear program for one use of categories, which gives a cut and perhaps a better table.

        Return False if the time limit is reached.
        """
        self.solved.add(place)
        sides = np.concatenate([self.problem.sides, self.uses[place]])
        costs = self.problem.real(self.patterns)
        relaxed = solve_linear(costs, self.rows, sides.astype(float), self.watch)
        if relaxed is None:
            return False
        amounts, prices = relaxed
        self._add(self._exact_cut(amounts, prices))
        if not self._consider(amounts, sides, place):
            whole = solve_integer(costs, self.rows, sides.astype(float), self.watch)
            if whole is not None:
                self._consider(whole, sides, place)
        return True

    def _add(self, cut: Cut) -> None:
        self.cuts.append(cut)
        bounds = cut.real_bounds(self.problem.margins, self.uses, self.problem.roots)
        self.by_cut = np.concatenate([self.by_cut, bounds[None]])

    def _consider(self, amounts: Array, sides: Array, place: int) -> bool:
        """Accept the amounts as the best table if they are better; return whether they are a table with this use."""
        counts = np.rint(amounts).astype(np.int64)
        if (counts < 0).any() or (self.rows.astype(np.int64) @ counts != sides).any():
            return False
        self._take_if_better(counts, place)
        return True

    def _take_if_better(self, counts: Array, place: int) -> None:
        used = counts > 0
        cost = self.problem.total(self.patterns[used], counts[used])
        if (cost * self.chance - self.cost * self.chances[place]).sign() < 0:
            self.table = self.patterns[used], counts[used]
            self.cost, self.chance = cost, self.chances[place]

    def _exact_cut(self, amounts: Array, prices: Array) -> Cut:
        """Return a cut with exact prices near those of the linear program."""
        problem = self.problem
        costs = problem.costs(self.patterns)
        reduced = problem.real(self.patterns) - prices @ self.rows
        scale = _SOLVER_TOLERANCE * (1 + np.abs(prices).max())
        tight = np.flatnonzero(np.abs(reduced) < scale)
        tight = tight[
            np.argsort(np.where(amounts[tight] > POSITIVE_AMOUNT, -1.0, np.abs(reduced[tight])), kind="stable")
        ]
        exact = solved_exactly(self.rows.T[tight], costs[tight], prices, float(problem.roots[0]))
        denominator = lcm(*(number.denominator for row in exact for number in row))
        return self._lowered(
            np.array([[int(number * denominator) for number in row] for row in exact], dtype=object), denominator
        )

    def _lowered(self, whole: Array, denominator: int) -> Cut:
        """Return the cut of given numerators; prices of sets are lowered until no reduced cost is negative."""
        problem, n_margins = self.problem, len(self.problem.constraints)
        numerators = problem.at_constraints(whole[:n_margins])
        by_rating = Prices(numerators, denominator).of(self.patterns).astype(object)
        left = problem.costs(self.patterns).astype(object) * denominator - by_rating - self.use @ whole[n_margins:]
        for index in range(len(problem.sets)):
            own = [problem.number(row) for row in left[self.patterns[:, -1] == index].tolist()]
            if (lowest := min(own)).sign() < 0:
                numerators[-1, index] += np.array([int(lowest.terms.get(f, 0)) for f in problem.objective.radicands])
        return Cut(Prices(numerators, denominator), whole[n_margins:])


def uses_of(objective: Objective) -> list[Use] | None:
    """Return every pooled use of categories that a rearrangement can have, in whole units.

    The result is None if there are too many uses.
    """
    table = objective.table
    subjects = []
    for codes in table.patterns.T:
        kinds: dict[int, int] = {}
        for size, count in zip(table.n_ratings[codes >= 0].tolist(), table.counts[codes >= 0].tolist(), strict=True):
            weight = objective.rating_weights[size]
            kinds[weight] = kinds.get(weight, 0) + count
        subjects.append(kinds)
    return attainable_uses(table.margins.tolist(), subjects)
