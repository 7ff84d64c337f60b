"""Count the tables of a fiber by score, for one or several objectives.

A score has one integer component for each square root in the weights, and a second weighting adds further components.
The values of a component over the tables of a fiber differ by multiples of a step. The costs of the patterns are
therefore reduced before counting: costs that depend only on the category of one rater are removed, the step is divided
out, and components that are determined by others are omitted. The remaining components are encoded as one total in a
mixed radix, so that there are few totals to count. If the fiber has few tables, but many states or totals, the tables
are listed instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm, prod
from typing import Any, NamedTuple

import numpy as np

from kappamax._integers import SUMMABLE, Digits, distinct_rows, dot, magnitude, widen
from kappamax._progress import WorkCallback
from kappamax._rootsum import RootSum
from kappamax._typing import Array, Floats, Integers
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.fibers.counting import TableCounter, all_patterns
from kappamax.fibers.enumeration import LISTED_TABLES, chances_of, few_tables, fewest_tables
from kappamax.fibers.limits import require_complete, require_memory
from kappamax.table import Table
from kappamax.weights import PairWeights, Weights

_WORTH_LISTING = 50_000_000  # number of additions that take about as long as listing LISTED_TABLES tables


class TableScores:
    """The scores of one or several objectives over the fiber of a table of complete ratings.

    Parameters
    ----------
    objectives : sequence of Objective
        Objectives of the same table.
    memory_limit : float
        Number of bytes that a computation may use.

    Raises
    ------
    NotSupportedError
        If ratings are missing, the weights are not exact, or the states alone exceed the memory limit.
    """

    def __init__(self, objectives: Sequence[Objective], memory_limit: float) -> None:
        self.table = objectives[0].table
        require_complete(self.table)
        for objective in objectives:
            require_exact_weights(objective.weights)
        self.objectives = objectives
        self.memory_limit = memory_limit
        self.patterns = all_patterns(self.table.margins)
        self.counter = TableCounter(self.table.margins, self.patterns)
        n_bytes = self.counter.probability_bytes()
        if n_bytes > memory_limit and self._few is None:
            require_memory("the distribution", n_bytes, memory_limit)

    def tally(
        self,
        *,
        n_tables: bool = False,
        probabilities: bool = True,
        at: RootSum | None = None,
        progress: WorkCallback | None = None,
    ) -> Tally:
        """Return every score that some table has, with its probability, its number of tables, or both.

        Parameters
        ----------
        n_tables : bool, optional
            Whether to count the tables with each score, default False.
        probabilities : bool, optional
            Whether to compute the probability of each score under the null distribution, default True.
        at : RootSum, optional
            Score of the first objective, which some table must have. If it is given, only outcomes with this score are
            returned.
        progress : callable, optional
            Function that is called with the amount of work done and the total amount of work, first while tables are
            counted and then while probabilities are computed.

        Returns
        -------
        Tally
        """
        if self._lists(n_tables=n_tables):
            return self._listed(at)
        counted, likely = [], np.zeros(0)
        if n_tables:
            require_memory("counting tables by score", self.counter.table_bytes(self.n_totals), self.memory_limit)
            counted = self.counter.n_tables(self._packed, self.n_totals, progress)
        if probabilities:
            require_memory("the distribution", self.counter.probability_bytes(self.n_totals), self.memory_limit)
            likely = self.counter.probabilities(self._packed, self.n_totals, progress)
        totals = range(self.n_totals) if at is None else self._totals_at(at)
        found = counted if n_tables else likely
        reached = [total for total in totals if found[total]]
        digits = np.unravel_index(np.array(reached, dtype=np.int64), self._sizes)
        return Tally(
            self._lattice.rows(digits),
            likely[reached] if probabilities else likely,
            [counted[total] for total in reached] if n_tables else [],
        )

    def work(self, most: float = np.inf) -> int:
        """Return the number of additions that the probabilities take, or the size of the list if tables are listed.

        If the number is found to exceed `most`, a lower bound on it is returned.
        """
        least = self.counter.work()
        if least > most and fewest_tables(self.table) > LISTED_TABLES:
            return least
        least = self._opposed_work()
        if (self._crowded or least > _WORTH_LISTING) and self._few is not None:
            least = self._few.size
        if least > most:
            return least
        if self._lists(n_tables=False):
            assert self._few is not None
            return self._few.size
        return self.counter.work(self.n_totals)

    @cached_property
    def n_totals(self) -> int:
        """Number of distinct totals in the mixed radix."""
        return prod(self._sizes)

    def scores(self, rows: Array) -> list[tuple[RootSum, ...]]:
        """Return the exact scores of the objectives for each row of components of a tally."""
        found = []
        for row in rows.tolist():
            entries = iter(row)
            found.append(tuple(RootSum({f: next(entries) for f in one.radicands}) for one in self.objectives))
        return found

    @cached_property
    def _lattice(self) -> _Lattice:
        """Components of the scores, expressed by independent components."""
        columns, own = (
            np.concatenate([objective.scores(patterns) for objective in self.objectives], axis=1)
            for patterns in (self.patterns, self.table.patterns)
        )
        return _lattice_of(self.table, columns, [dot(column, self.table.counts) for column in own.T])

    @cached_property
    def _few(self) -> Integers | None:
        """Counts of all patterns in every table, or None if listing the tables would take too long."""
        if fewest_tables(self.table) > LISTED_TABLES:
            return None
        countable = not self._crowded and self.counter.table_bytes() <= self.memory_limit
        return few_tables(self.table, self.patterns, self.counter.n_tables()[0] if countable else None)

    @cached_property
    def _crowded(self) -> bool:
        """Whether the states alone take too much memory or more time than listing tables."""
        return self.counter.probability_bytes() > self.memory_limit or self.counter.work() > _WORTH_LISTING

    def _lists(self, *, n_tables: bool) -> bool:
        """Return whether tables are listed, which is the case if there are few tables but many states or totals."""
        if not self._crowded:
            needed = self.counter.table_bytes if n_tables else self.counter.probability_bytes
            if needed(self.n_totals) <= self.memory_limit and self.counter.work(self.n_totals) <= _WORTH_LISTING:
                return False
        return self._few is not None

    def _opposed_work(self) -> int:
        """Estimate the number of additions from a table in which every second rater's ratings are sorted in reverse.

        The estimate takes the total of this table for the largest total. It is fast to compute and, if the weights are
        distances, close to the true number.
        """
        margins = [row[row > 0] for row in self.table.margins]
        ends = [np.cumsum(row[::-1] if a % 2 else row) for a, row in enumerate(margins)]
        breaks = np.unique(np.concatenate(ends))
        codes = [np.searchsorted(own, breaks) for own in ends]
        turned = [len(own) - 1 - code if a % 2 else code for a, (own, code) in enumerate(zip(ends, codes, strict=True))]
        at = np.ravel_multi_index(turned, [len(own) for own in ends])
        times = np.diff(breaks, prepend=0)
        return self.counter.work(prod(dot(one.costs[at], times) + 1 for one in self._lattice.independent))

    def _listed(self, at: RootSum | None) -> Tally:
        """Return the tally computed from the list of all tables."""
        assert self._few is not None
        scores = [objective.scores(self.patterns) for objective in self.objectives]
        rows = Digits(np.concatenate(scores, axis=1), self.table.n_subjects).weighted(self._few)
        distinct, place = distinct_rows(rows)
        n_tables = np.bincount(place)
        likely = np.asarray(np.bincount(place, weights=chances_of(self._few)), dtype=float)
        if at is not None:
            first = self.objectives[0].radicands
            wanted = [int(at.terms.get(f, 0)) for f in first]
            kept = (distinct[:, : len(first)] == np.array(wanted, dtype=object)).all(axis=1)
            distinct, n_tables, likely = distinct[kept], n_tables[kept], likely[kept]
        return Tally(distinct, likely, n_tables.tolist())

    def _totals_at(self, score: RootSum) -> list[int]:
        """Return all totals at which the first objective has a given score, which some table must have."""
        radicands = self.objectives[0].radicands
        fixed = [
            (int(score.terms.get(radicands[one.column], 0)) - one.offset) // one.step
            for one in self._lattice.independent
            if one.column < len(radicands)
        ]
        totals = np.arange(self.n_totals).reshape(self._sizes)
        return [int(total) for total in totals[tuple(fixed)].ravel()]

    @cached_property
    def _sizes(self) -> list[int]:
        """Number of possible values of each independent component, or a bound on it if costs are too large to add."""
        sizes = []
        for one in self._lattice.independent:
            most = magnitude(one.costs) * self.table.n_subjects
            sizes.append((self.counter.largest_total(one.costs) if 0 < most < SUMMABLE else most) + 1)
        return sizes

    @property
    def _packed(self) -> Array:
        """Cost of each pattern, with its independent components encoded as one number."""
        return packed([one.costs for one in self._lattice.independent], self._sizes)


class Tally(NamedTuple):
    """Distinct outcomes with their probabilities and numbers of tables.

    Attributes
    ----------
    rows : integers, shape (n, number of components)
        Components of the score and, if expected disagreement depends on it, the pooled use of each category.
    probabilities : floats, shape (n,)
        Probability of each outcome under the null distribution; empty if it was not requested.
    n_tables : list of n ints
        Number of tables with each outcome; empty if they were not counted.
    """

    rows: Array
    probabilities: Floats
    n_tables: list[int]


def packed(costs: Sequence[Array], sizes: Sequence[int]) -> Array:
    """Return several costs of each pattern encoded as one number in a mixed radix.

    The i-th digit of a total, which is the total of the i-th costs, must be below sizes[i].
    """
    total = widen(np.zeros(len(costs[0]), dtype=np.int64), prod(sizes))
    for own, size in zip(costs, sizes, strict=True):
        total = total * size + own
    return total


def require_exact_weights(weights: Weights | PairWeights) -> None:
    """Require exact weights, since tables are counted only by exact scores."""
    if not weights.exact:
        raise NotSupportedError(
            f"{weights.name} weights are not exact numbers, so tables cannot be counted by their scores. "
            "Sampling and the Monte Carlo test support these weights."
        )


class _Lattice(NamedTuple):
    """The components of the scores over a fiber, expressed by independent components.

    Attributes
    ----------
    observed : list of int
        Components of the observed table.
    recipes : list of dict
        For each component, the coefficients of the independent components of which its change is a linear combination.
    independent : list of _IndependentComponent
        The independent components.
    """

    observed: list[int]
    recipes: list[dict[int, Fraction]]
    independent: list[_IndependentComponent]

    def rows(self, digits: Sequence[Array]) -> Array:
        """Return the components of the scores, one row for each score, given totals of the independent components."""
        changes = {
            one.column: one.step * digit.astype(object) + (one.offset - self.observed[one.column])
            for one, digit in zip(self.independent, digits, strict=True)
        }
        rows = np.empty((len(digits[0]), len(self.observed)), dtype=object)
        for column, recipe in enumerate(self.recipes):
            scale = lcm(*(q.denominator for q in recipe.values()))
            change: Any = sum(int(q * scale) * changes[i] for i, q in recipe.items())
            rows[:, column] = self.observed[column] + change // scale
        return rows


class _IndependentComponent(NamedTuple):
    """One independent component of the scores.

    Attributes
    ----------
    column : int
        Index of the component.
    costs : integers
        Reduced cost of each pattern.
    step : int
        Difference of the component per unit of the total reduced cost.
    offset : int
        Value of the component if the total reduced cost is zero.
    """

    column: int
    costs: Array
    step: int
    offset: int


def _lattice_of(table: Table, columns: Array, observed: list[int]) -> _Lattice:
    """Return the lattice of the scores, given the scores of all patterns and the components of the observed table."""
    shape = [int((row > 0).sum()) for row in table.margins]
    # a core combines at most 2 r + 2 costs, and the reduction adds a number below the gcd of the core for each rater
    columns = widen(columns, magnitude(columns) * (2 * len(shape) + 2) ** 2)
    cores = [_core(column.reshape(shape)) for column in columns.T]
    recipes = _recipes(cores)
    places = [np.cumsum(row > 0)[codes] - 1 for row, codes in zip(table.margins, table.patterns.T, strict=True)]
    at = np.ravel_multi_index(places, shape)
    independent = []
    for i, recipe in enumerate(recipes):
        if recipe == {i: 1}:
            costs, step = _reduced(columns[:, i].reshape(shape), cores[i])
            offset = observed[i] - step * dot(costs[at], table.counts)
            independent.append(_IndependentComponent(i, costs, step, offset))
    if not independent:  # every table has the same score
        independent.append(_IndependentComponent(0, np.zeros(len(columns), dtype=np.int64), 1, observed[0]))
    return _Lattice(observed, recipes, independent)


def _core(costs: Array) -> Array:
    """Return the part of the costs that does not depend on the categories of single raters.

    The core is zero if all raters but one have their first category. Adding a number to the costs of one category of
    one rater changes the score of every table of the fiber by the same amount and leaves the core unchanged. Scores
    with the same core therefore differ by a constant over the fiber, and the greatest common divisor of the core is the
    step between scores.
    """
    r = costs.ndim
    return np.asarray(costs - sum(_along(edge, a, r) for a, edge in enumerate(_edges(costs))) - costs[(0,) * r])


def _reduced(costs: Array, core: Array) -> tuple[Array, int]:
    """Return the costs of all patterns, one axis per rater, reduced to small integers >= 0, and the step."""
    r = costs.ndim
    step = int(np.gcd.reduce(np.abs(core).ravel()))
    whole = costs - costs[(0,) * r] + sum(_along(-edge % step, a, r) for a, edge in enumerate(_edges(costs)))
    whole = whole // step
    for a in range(r):
        whole = whole - _along(whole.min(axis=tuple(b for b in range(r) if b != a)), a, r)
    return widen(whole.ravel(), magnitude(whole)), step


def _edges(costs: Array) -> list[Array]:
    """Return the costs of each rater's categories, less that of the first, if all other raters have their first one."""
    r = costs.ndim
    return [np.moveaxis(costs, a, -1)[(0,) * (r - 1)] - costs[(0,) * r] for a in range(r)]


def _along(edge: Array, axis: int, n_axes: int) -> Array:
    """Return a vector reshaped to lie along one axis of an array."""
    shape = [1] * n_axes
    shape[axis] = -1
    return edge.reshape(shape)


def _recipes(cores: Sequence[Array]) -> list[dict[int, Fraction]]:
    """Return each core as a linear combination of independent ones, by exact Gaussian elimination."""
    if len(cores) == 1:
        return [{0: Fraction(1)} if cores[0].any() else {}]
    rows, _ = distinct_rows(np.stack([core.ravel() for core in cores], axis=1))
    recipes: list[dict[int, Fraction]] = []
    basis: list[tuple[int, list[Fraction], dict[int, Fraction]]] = []
    for i, column in enumerate(rows.T.tolist()):
        left, made = [Fraction(entry) for entry in column], {i: Fraction(1)}
        for pivot, vector, recipe in basis:
            factor = left[pivot] / vector[pivot]
            if factor:
                left = [a - factor * b for a, b in zip(left, vector, strict=True)]
                made = {j: made.get(j, Fraction(0)) - factor * recipe.get(j, Fraction(0)) for j in {*made, *recipe}}
        pivot = next((row for row, entry in enumerate(left) if entry), -1)
        if pivot < 0:
            recipes.append({j: -q for j, q in made.items() if j != i and q})
        else:
            basis.append((pivot, left, made))
            recipes.append({i: Fraction(1)})
    return recipes
