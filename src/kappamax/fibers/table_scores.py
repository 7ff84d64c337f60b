"""Find the scores that the tables with one table's margins have, numbered 0, 1, 2, ...

A score has a component per square root, and a second weighting adds more. The components of all tables with the same
margins differ by multiples of a step each. So costs are reduced first: the step is divided out, and with it what a
rater's category costs whatever the others choose; components that follow from others are left out. What remains is
packed into one total by mixed radix, so that there are few totals to count. Where the fiber has few tables, but states
or totals are many, tables are listed instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm, prod
from typing import Any, NamedTuple

import numpy as np

from kappamax._integers import SUMMABLE, Digits, distinct_rows, dot, magnitude, widen
from kappamax._rootsum import RootSum
from kappamax._typing import Array, Floats, Integers
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.fibers.counting import Progress, TableCounter, all_patterns, require_complete, require_memory
from kappamax.fibers.enumeration import LISTED_TABLES, chances_of, few_tables, fewest_tables
from kappamax.table import Table
from kappamax.weights import PairWeights, Weights

_WORTH_LISTING = 50_000_000  # additions that take about as long as listing the largest number of tables


class TableScores:
    """The scores that one or several objectives of one complete table reach over its fiber.

    Parameters
    ----------
    objectives : sequence of Objective
    memory_limit : float
        Bytes that an answer may take.

    Raises
    ------
    NotSupportedError
        If ratings are missing, the weights are not exact, or the states alone exceed the limit.
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
        progress: Progress | None = None,
    ) -> Tally:
        """Return every score that some table has, with its probability by chance, its number of tables, or both.

        Parameters
        ----------
        n_tables, probabilities : bool
            Which of the two are wanted; the other may be empty.
        at : RootSum, optional
            Only scores at which the first objective has this one (which some table has).
        progress : callable, optional
            Called with (work done, work in all) for each of the two.
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
        """Return how many additions the probabilities take, few where tables are listed.

        As soon as they are known to be more than `most`, a lower bound is returned.
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
        """How many totals are told apart."""
        return prod(self._sizes)

    def scores(self, rows: Array) -> list[tuple[RootSum, ...]]:
        """Return each objective's exact score, from the components of a tally."""
        found = []
        for row in rows.tolist():
            entries = iter(row)
            found.append(tuple(RootSum({f: next(entries) for f in one.radicands}) for one in self.objectives))
        return found

    @cached_property
    def _lattice(self) -> _Lattice:
        """How components of scores are made of independent ones."""
        columns, own = (
            np.concatenate([objective.scores(patterns) for objective in self.objectives], axis=1)
            for patterns in (self.patterns, self.table.patterns)
        )
        return _lattice_of(self.table, columns, [dot(column, self.table.counts) for column in own.T])

    @cached_property
    def _few(self) -> Integers | None:
        """The counts of all patterns in every table, where these are soon listed."""
        if fewest_tables(self.table) > LISTED_TABLES:
            return None
        countable = not self._crowded and self.counter.table_bytes() <= self.memory_limit
        return few_tables(self.table, self.patterns, self.counter.n_tables()[0] if countable else None)

    @cached_property
    def _crowded(self) -> bool:
        """Whether there are too many states, whatever the totals, or more than are worth going through."""
        return self.counter.probability_bytes() > self.memory_limit or self.counter.work() > _WORTH_LISTING

    def _lists(self, *, n_tables: bool) -> bool:
        """Whether tables are listed: where they are few, and states or totals are many."""
        if not self._crowded:
            needed = self.counter.table_bytes if n_tables else self.counter.probability_bytes
            if needed(self.n_totals) <= self.memory_limit and self.counter.work(self.n_totals) <= _WORTH_LISTING:
                return False
        return self._few is not None

    def _opposed_work(self) -> int:
        """Additions needed if the largest total were that of a table with every other rater's ratings reversed.

        It is soon known, and for distances it is about the number needed.
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
        """The tally of tables that are listed."""
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
        """All totals at which the first objective has a given score (one that some table has)."""
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
        """One more than each independent component's largest total, or than a bound far beyond counting."""
        sizes = []
        for one in self._lattice.independent:
            most = magnitude(one.costs) * self.table.n_subjects
            sizes.append((self.counter.largest_total(one.costs) if 0 < most < SUMMABLE else most) + 1)
        return sizes

    @property
    def _packed(self) -> Array:
        """The independent components of each pattern's cost as one number."""
        return packed([one.costs for one in self._lattice.independent], self._sizes)


class Tally(NamedTuple):
    """Outcomes that are reached by chance.

    Attributes
    ----------
    rows : whole numbers, shape (n, number of components)
        Components of the score and, where chance varies, the pooled use of every category.
    probabilities : floats, shape (n,)
        Empty if they were not asked for.
    n_tables : list of n ints
        How many tables have each outcome; empty if they were not counted.
    """

    rows: Array
    probabilities: Floats
    n_tables: list[int]


def packed(costs: Sequence[Array], sizes: Sequence[int]) -> Array:
    """Return several costs of each pattern as one number, in whose totals the i-th digit is below sizes[i]."""
    total = widen(np.zeros(len(costs[0]), dtype=np.int64), prod(sizes))
    for own, size in zip(costs, sizes, strict=True):
        total = total * size + own
    return total


def require_exact_weights(weights: Weights | PairWeights) -> None:
    """Require exact weights: scores are counted only where they are exact."""
    if not weights.exact:
        raise NotSupportedError(
            f"{weights.name} weights are not exact numbers, so tables cannot be counted by score. "
            "Sampling and the Monte Carlo test work."
        )


class _Lattice(NamedTuple):
    """The components of scores: those of the observed table, and how each changes with the independent ones."""

    observed: list[int]
    recipes: list[dict[int, Fraction]]
    independent: list[_IndependentComponent]

    def rows(self, digits: Sequence[Array]) -> Array:
        """Return the components of scores, one row each, from the totals of the independent ones."""
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
    """One component: its column, reduced costs per pattern, the step between scores, the score at total zero."""

    column: int
    costs: Array
    step: int
    offset: int


def _lattice_of(table: Table, columns: Array, observed: list[int]) -> _Lattice:
    """The lattice of scores, from the scores of all patterns and those of the observed table."""
    shape = [int((row > 0).sum()) for row in table.margins]
    # a core adds r + 1 costs to a cost and subtracts r; reducing adds a number below the core's gcd per rater
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
    """What costs cannot be changed by adding numbers to one rater's one category: zero wherever a code is zero.

    Such an addition changes the score of every table of the fiber alike. So two costs with one core differ by a
    constant over the fiber, and the greatest common divisor of the core is the step between scores.
    """
    r = costs.ndim
    return np.asarray(costs - sum(_along(edge, a, r) for a, edge in enumerate(_edges(costs))) - costs[(0,) * r])


def _reduced(costs: Array, core: Array) -> tuple[Array, int]:
    """Costs of all patterns, one axis per rater, as small whole numbers >= 0, and the step between scores."""
    r = costs.ndim
    step = int(np.gcd.reduce(np.abs(core).ravel()))
    whole = costs - costs[(0,) * r] + sum(_along(-edge % step, a, r) for a, edge in enumerate(_edges(costs)))
    whole = whole // step
    for a in range(r):
        whole = whole - _along(whole.min(axis=tuple(b for b in range(r) if b != a)), a, r)
    return widen(whole.ravel(), magnitude(whole)), step


def _edges(costs: Array) -> list[Array]:
    """For each rater the costs of its categories beside everybody else's first, less that of all first."""
    r = costs.ndim
    return [np.moveaxis(costs, a, -1)[(0,) * (r - 1)] - costs[(0,) * r] for a in range(r)]


def _along(edge: Array, axis: int, n_axes: int) -> Array:
    """A vector laid along one axis of an array."""
    shape = [1] * n_axes
    shape[axis] = -1
    return edge.reshape(shape)


def _recipes(cores: Sequence[Array]) -> list[dict[int, Fraction]]:
    """Each core as a combination of the first independent ones, by elimination in fractions."""
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
