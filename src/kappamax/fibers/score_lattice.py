"""Objectives of one table in; the scores its fiber can reach, numbered 0, 1, 2, ..., out.

A score has a component per square root, and a second weighting adds more. The components of all tables with the same
margins differ by multiples of a step each. So costs are reduced first: the step is divided out, and with it what a
rater's category costs whatever the others choose; components that follow from others are left out. What remains is
packed into one total by mixed radix, so that `ways` counts few totals. Where the fiber has few tables, but states or
totals are many, tables are listed instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm, prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._checks import fibers as checks
from kappamax._rootsum import Digits, RootSum, distinct_rows, dot, magnitude, widen
from kappamax.disagreement.objective import Objective
from kappamax.fibers.count import all_patterns
from kappamax.fibers.counting import Progress, Ways
from kappamax.fibers.enumeration import LISTED_TABLES, chances_of, few_tables, fewest_tables

__all__ = ["ScoreSpace", "Tally"]

Array = npt.NDArray[Any]

_SAFE = 2**60
_WORTH_LISTING = 50_000_000  # additions that take about as long as listing the largest number of tables


class ScoreSpace:
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
        table = objectives[0].table
        checks.complete(table.n_missing)
        for objective in objectives:
            checks.exact_scores(objective.weights.exact, objective.weights.name)
        self.objectives = objectives
        self.memory_limit = memory_limit
        self.patterns = patterns = all_patterns(table.margins)
        self.ways = Ways(table.margins, patterns)
        if self._crowded and self._few is None:
            checks.fits("the distribution", self.ways.chance_bytes(), memory_limit)
        columns = np.concatenate([objective.scores(patterns) for objective in objectives], axis=1)
        own = np.concatenate([objective.scores(table.patterns) for objective in objectives], axis=1)
        #: the observed table's own components
        self.own = [dot(column, table.counts) for column in own.T]
        shape = [int((row > 0).sum()) for row in table.margins]
        # a core adds r + 1 costs to a cost and subtracts r; reducing adds a number below the core's gcd per rater
        columns = widen(columns, magnitude(columns) * (2 * len(shape) + 2) ** 2)
        cores = [_core(column.reshape(shape)) for column in columns.T]
        #: each component's change as a sum of multiples of independent ones' changes
        self.recipes = _recipes(cores)
        self.parts: list[_Part] = []
        at = np.ravel_multi_index(tuple(_places(table.margins, table.patterns).T), shape)
        for i in _independent(self.recipes):
            costs, step = _reduced(columns[:, i].reshape(shape), cores[i])
            offset = self.own[i] - step * dot(costs[at], table.counts)
            self.parts.append(_Part(i, costs, step, offset))
        if not self.parts:  # every table has the same score
            self.parts.append(_Part(0, np.zeros(len(patterns), dtype=np.int64), 1, self.own[0]))

    def tally(
        self,
        *,
        n_tables: bool = True,
        chances: bool = True,
        at: RootSum | None = None,
        progress: Progress | None = None,
    ) -> Tally:
        """Every score that some table has, with its number of tables and its probability by chance.

        Parameters
        ----------
        n_tables, chances : bool
            Which of the two are wanted; the other may be empty.
        at : RootSum, optional
            Only scores at which the first objective has this one (which some table has).
        progress : callable, optional
            Called with (work done, work in all) for each of the two.
        """
        if self._lists(n_tables=n_tables):
            return self._listed(at)
        counted = self._counted(progress) if n_tables else []
        likely = self._chances(progress) if chances else np.zeros(0)
        totals = range(self.n_totals) if at is None else self._totals_at(at)
        found = counted if n_tables else likely
        reached = [total for total in totals if found[total]]
        return Tally(
            self._components(reached),
            [counted[total] for total in reached] if n_tables else [],
            likely[reached] if chances else likely,
        )

    def work(self) -> int:
        """Additions needed for either of the two; few where tables are listed."""
        if self._lists(n_tables=False):
            assert self._few is not None
            return self._few.size
        return self.ways.work(self.n_totals)

    def least_work(self) -> int:
        """Additions needed at least; soon known, and for distances about as many as are needed."""
        least = self._opposed_work()
        if (self._crowded or least > _WORTH_LISTING) and self._few is not None:
            return self._few.size
        return least

    @cached_property
    def n_totals(self) -> int:
        """How many totals are told apart."""
        return prod(self._sizes)

    def scores(self, rows: Array) -> list[tuple[RootSum, ...]]:
        """Each objective's exact score, from the components of a tally."""
        found = []
        for row in rows.tolist():
            entries = iter(row)
            found.append(tuple(RootSum({f: next(entries) for f in one.radicands}) for one in self.objectives))
        return found

    @cached_property
    def _few(self) -> npt.NDArray[np.int64] | None:
        """The counts of all patterns in every table, where these are soon listed."""
        table = self.objectives[0].table
        if fewest_tables(table) > LISTED_TABLES:
            return None
        countable = not self._crowded and self.ways.table_bytes() <= self.memory_limit
        return few_tables(table, self.patterns, self.ways.n_tables()[0] if countable else None)

    @cached_property
    def _crowded(self) -> bool:
        """Whether there are too many states, whatever the totals, or more than are worth going through."""
        return self.ways.chance_bytes() > self.memory_limit or self.ways.work() > _WORTH_LISTING

    def _lists(self, *, n_tables: bool) -> bool:
        """Whether tables are listed: where they are few, and states or totals are many."""
        if not self._crowded:
            needed = self.ways.table_bytes if n_tables else self.ways.chance_bytes
            if needed(self.n_totals) <= self.memory_limit and self.ways.work(self.n_totals) <= _WORTH_LISTING:
                return False
        return self._few is not None

    def _opposed_work(self) -> int:
        """Additions needed if the largest total were that of a table with every other rater's ratings reversed."""
        margins = [row[row > 0] for row in self.objectives[0].table.margins]
        ends = [np.cumsum(row[::-1] if a % 2 else row) for a, row in enumerate(margins)]
        breaks = np.unique(np.concatenate(ends))
        codes = [np.searchsorted(own, breaks) for own in ends]
        turned = [len(own) - 1 - code if a % 2 else code for a, (own, code) in enumerate(zip(ends, codes, strict=True))]
        at = np.ravel_multi_index(turned, [len(own) for own in ends])
        times = np.diff(breaks, prepend=0)
        return self.ways.work(prod(dot(part.costs[at], times) + 1 for part in self.parts))

    def _listed(self, at: RootSum | None) -> Tally:
        """The tally of tables that are listed."""
        assert self._few is not None
        scores = [objective.scores(self.patterns) for objective in self.objectives]
        n_subjects = self.objectives[0].table.n_subjects
        rows = Digits(np.concatenate(scores, axis=1), n_subjects).weighted(self._few)
        distinct, place = distinct_rows(rows)
        n_tables = np.bincount(place)
        chances = np.asarray(np.bincount(place, weights=chances_of(self._few)), dtype=float)
        if at is not None:
            first = self.objectives[0].radicands
            wanted = [int(at.terms.get(f, 0)) for f in first]
            kept = (distinct[:, : len(first)] == np.array(wanted, dtype=object)).all(axis=1)
            distinct, n_tables, chances = distinct[kept], n_tables[kept], chances[kept]
        return Tally(distinct, n_tables.tolist(), chances)

    def _counted(self, progress: Progress | None) -> list[int]:
        """The number of tables at every total."""
        checks.fits("counting tables by score", self.ways.table_bytes(self.n_totals), self.memory_limit)
        return self.ways.n_tables(self._packed(), self.n_totals, progress)

    def _chances(self, progress: Progress | None) -> npt.NDArray[np.float64]:
        """The probability by chance of every total."""
        checks.fits("the distribution", self.ways.chance_bytes(self.n_totals), self.memory_limit)
        return self.ways.chances(self._packed(), self.n_totals, progress)

    def _components(self, totals: npt.ArrayLike) -> Array:
        """The whole numbers that make up each objective's score at given totals, one row per total."""
        digits = np.unravel_index(np.asarray(totals, dtype=np.int64), self._sizes)
        changes = {
            part.column: part.step * digit.astype(object) + (part.offset - self.own[part.column])
            for part, digit in zip(self.parts, digits, strict=True)
        }
        rows = np.empty((len(digits[0]), len(self.own)), dtype=object)
        for column, recipe in enumerate(self.recipes):
            scale = lcm(*(q.denominator for q in recipe.values()))
            change: Any = sum(int(q * scale) * changes[i] for i, q in recipe.items())
            rows[:, column] = self.own[column] + change // scale
        return rows

    def _totals_at(self, score: RootSum) -> list[int]:
        """All totals at which the first objective has a given score (one that some table has)."""
        radicands = self.objectives[0].radicands
        fixed = [
            (int(score.terms.get(radicands[part.column], 0)) - part.offset) // part.step
            for part in self.parts
            if part.column < len(radicands)
        ]
        totals = np.arange(self.n_totals).reshape(self._sizes)
        return [int(total) for total in totals[tuple(fixed)].ravel()]

    @cached_property
    def _sizes(self) -> list[int]:
        """One more than each part's largest total over the fiber, or than a bound far beyond counting."""
        n_subjects = self.objectives[0].table.n_subjects
        bounds = [magnitude(part.costs) * n_subjects for part in self.parts]
        return [
            (self.ways.largest_total(part.costs) if 0 < most < _SAFE else most) + 1
            for part, most in zip(self.parts, bounds, strict=True)
        ]

    def _packed(self) -> Array:
        """The components of each pattern's cost as one number."""
        packed = widen(np.zeros(len(self.ways.possible), dtype=np.int64), self.n_totals)
        for part, size in zip(self.parts, self._sizes, strict=True):
            packed = packed * size + part.costs
        return packed


class Tally(NamedTuple):
    """Scores that tables have: a row of whole numbers each, how many tables, and how likely they are by chance."""

    rows: Array
    n_tables: list[int]
    chances: npt.NDArray[np.float64]


class _Part(NamedTuple):
    """An independent component: its column, reduced costs per pattern, the step between scores, score at total zero."""

    column: int
    costs: Array
    step: int
    offset: int


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


def _independent(recipes: Sequence[dict[int, Fraction]]) -> list[int]:
    return [i for i, recipe in enumerate(recipes) if recipe == {i: 1}]


def _places(margins: Array, patterns: Array) -> Array:
    """Codes counted among the categories that each rater used."""
    return np.stack([np.cumsum(row > 0)[codes] - 1 for row, codes in zip(margins, patterns.T, strict=True)], axis=1)
