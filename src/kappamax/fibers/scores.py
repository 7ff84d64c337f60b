"""Objectives of one table in; the scores its fiber can reach, numbered 0, 1, 2, ..., out.

A score has a component per square root, and a second weighting adds more. The components of all tables with the same
margins differ by multiples of a step each. So costs are reduced first: the step is divided out, and with it what a
rater's category costs whatever the others choose; components that follow from others are left out. What remains is
packed into one total by mixed radix, so that `ways` counts few totals.
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
from kappamax._exact import RootSum, distinct_rows, dot, magnitude, widen
from kappamax.fibers.count import all_patterns
from kappamax.fibers.enumerate import iter_tables
from kappamax.fibers.ways import Progress, Ways
from kappamax.objective import Objective

__all__ = ["ScoreSpace"]

Array = npt.NDArray[Any]

LISTED_TABLES = 20_000
_SAFE = 2**60


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
        patterns = all_patterns(table.margins)
        self.ways = Ways(table.margins, patterns)
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

    def n_tables(self, progress: Progress | None = None) -> list[int]:
        """The number of tables at every total: by listing where there are few tables but many states."""
        needed = self.ways.table_bytes(self.n_totals)
        most = max(8 * self.n_totals, self.ways.table_bytes())
        if needed > self.memory_limit >= most and self.ways.n_tables()[0] <= LISTED_TABLES:
            return self._listed()
        checks.fits("counting tables by score", needed, self.memory_limit)
        return self.ways.n_tables(self._packed(), self.n_totals, progress)

    def chances(self, progress: Progress | None = None) -> npt.NDArray[np.float64]:
        """The probability by chance of every total."""
        checks.fits("the distribution", self.ways.chance_bytes(self.n_totals), self.memory_limit)
        return self.ways.chances(self._packed(), self.n_totals, progress)

    def work(self) -> int:
        """Additions needed for either of the two."""
        return self.ways.work(self.n_totals)

    def least_work(self) -> int:
        """Additions needed at least; soon known, and for distances about as many as are needed."""
        margins = [row[row > 0] for row in self.objectives[0].table.margins]
        # every other rater's ratings in reversed order, matched with the others' in order
        ends = [np.cumsum(row[::-1] if a % 2 else row) for a, row in enumerate(margins)]
        breaks = np.unique(np.concatenate(ends))
        codes = [np.searchsorted(own, breaks) for own in ends]
        turned = [len(own) - 1 - code if a % 2 else code for a, (own, code) in enumerate(zip(ends, codes, strict=True))]
        at = np.ravel_multi_index(turned, [len(own) for own in ends])
        times = np.diff(breaks, prepend=0)
        return self.ways.work(prod(dot(part.costs[at], times) + 1 for part in self.parts))

    @cached_property
    def n_totals(self) -> int:
        """How many totals are told apart."""
        return prod(self._sizes)

    def scores(self, totals: Sequence[int]) -> list[tuple[RootSum, ...]]:
        """Each objective's exact score at given totals."""
        found = []
        for row in self.components(totals).tolist():
            entries = iter(row)
            found.append(tuple(RootSum({f: next(entries) for f in one.radicands}) for one in self.objectives))
        return found

    def components(self, totals: npt.ArrayLike) -> Array:
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

    def totals_at(self, score: RootSum) -> list[int]:
        """All totals at which the first objective has a given score (one that some table has)."""
        radicands = self.objectives[0].radicands
        fixed = [
            (int(score.terms.get(radicands[part.column], 0)) - part.offset) // part.step
            for part in self.parts
            if part.column < len(radicands)
        ]
        totals = np.arange(self.n_totals).reshape(self._sizes)
        return [int(total) for total in totals[tuple(fixed)].ravel()]

    def _listed(self) -> list[int]:
        """The number of tables at every total, by listing all of them."""
        n_tables = [0] * self.n_totals
        packed = self._packed()
        margins = self.objectives[0].table.margins
        for counts in iter_tables(margins, all_patterns(margins)):
            n_tables[dot(counts, packed)] += 1
        return n_tables

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
