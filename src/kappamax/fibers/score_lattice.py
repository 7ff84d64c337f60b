"""Express the scores of all tables of a fiber by few small whole numbers.

A score has one integer component for each square root in the weights, and a second weighting adds further components.
The values of a component over the tables of a fiber differ by multiples of a step. The costs of the patterns are
therefore reduced: costs that depend only on the category of one rater are removed, the step is divided out, and
components that are determined by others are omitted. The remaining components are encoded as one total in a mixed
radix.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm, prod
from typing import Any, NamedTuple

import numpy as np

from kappamax._integers import distinct_rows, dot, magnitude, widen
from kappamax._typing import Array
from kappamax.patterns import indices_of
from kappamax.table import Table


def lattice_of(table: Table, columns: Array, observed: list[int]) -> ScoreLattice:
    """Return the lattice of the scores, given the scores of all patterns and the components of the observed table."""
    # raters who used one category have no axis: they change nothing, and numpy's arrays have at most 64 axes
    varied = [a for a, row in enumerate(table.margins) if np.count_nonzero(row) > 1] or [0]
    shape = [int((table.margins[a] > 0).sum()) for a in varied]
    # a core combines at most 2 r + 2 costs, and the reduction adds a number below the gcd of the core for each rater
    columns = widen(columns, magnitude(columns) * (2 * len(shape) + 2) ** 2)
    cores = [_core(column.reshape(shape)) for column in columns.T]
    recipes = _recipes(cores)
    at = indices_of([np.cumsum(table.margins[a] > 0)[table.patterns[:, a]] - 1 for a in varied], shape)
    independent = []
    for i, recipe in enumerate(recipes):
        if recipe == {i: 1}:
            costs, step = _reduced(columns[:, i].reshape(shape), cores[i])
            offset = observed[i] - step * dot(costs[at], table.counts)
            independent.append(IndependentComponent(i, costs, step, offset))
    if not independent:  # every table has the same score
        independent.append(IndependentComponent(0, np.zeros(len(columns), dtype=np.int64), 1, observed[0]))
    return ScoreLattice(observed, recipes, independent)


def packed(costs: Sequence[Array], sizes: Sequence[int]) -> Array:
    """Return several costs of each pattern encoded as one number in a mixed radix.

    The i-th digit of a total, which is the total of the i-th costs, must be below sizes[i].
    """
    total = widen(np.zeros(len(costs[0]), dtype=np.int64), prod(sizes))
    for own, size in zip(costs, sizes, strict=True):
        total = total * size + own
    return total


class ScoreLattice(NamedTuple):
    """The components of the scores over a fiber, expressed by independent components.

    Attributes
    ----------
    observed : list of int
        Components of the observed table.
    recipes : list of dict
        For each component, the coefficients of the independent components of which its change is a linear combination.
    independent : list of IndependentComponent
        The independent components.
    """

    observed: list[int]
    recipes: list[dict[int, Fraction]]
    independent: list[IndependentComponent]

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


class IndependentComponent(NamedTuple):
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
