"""Margins and a value of the coefficient in, an assumed table with exactly both out.

Margins and kappa do not determine which categories are confused with which. The default is a mixture of two tables
with these margins: what independent raters would give, and the table with the largest agreement. The coefficient
grows evenly along such mixtures, since all these tables share what chance expects. Other tables with the same margins
and value differ in their standard error only; the widest and narrowest of them are linear programmes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import ceil, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._checks import planning as checks
from kappamax._rootsum import RootSum, as_fraction, quotient, rational_quotient
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import InvalidOptionError
from kappamax.io import Ratings, as_table
from kappamax.maximum.closed_forms import comonotone_table
from kappamax.maximum.problem import problem_for
from kappamax.maximum.solve import solve
from kappamax.planning.formula import gradient_of
from kappamax.table import Label, Table

__all__ = ["LARGEST_PROGRAMME", "Assumption", "Joint", "from_margins", "from_pilot"]

Array = npt.NDArray[Any]
Chosen = Mapping[str, Any]  # weights and coefficient, as `as_objective` takes them

MOST_CELLS = 20_000
LARGEST_PROGRAMME = 4_000
_FINE = 10**4  # at least so many subjects behind a maximum
_COARSE = 10**6  # margins with a larger common denominator are rounded to this one
_LARGEST_TOTAL = 2**61
_POPULATION = 2**50


def from_margins(
    margins: Any,
    kappa: float | Fraction | None,
    n_raters: int | None,
    categories: Sequence[Label] | None,
    chosen: Chosen,
) -> Assumption:
    """The population with given margins and value."""
    checks.margins_need_kappa(kappa)
    checks.number("kappa", kappa)
    rows = checks.margins(margins, n_raters, MOST_CELLS)
    labels = range(1, len(rows[0]) + 1) if categories is None else checks.category_labels(categories, len(rows[0]))
    shares = np.array([[as_fraction(share)[0] for share in row] for row in rows], dtype=object)
    raters = [str(number) for number in range(1, len(rows) + 1)]
    joint = Joint(shares, tuple(labels), raters, ordered=True, chosen=chosen)
    return Assumption(joint.at(kappa, "kappa"), joint, from_pilot=False)


def from_pilot(
    ratings: Sequence[Ratings], kappa: float | Fraction | None, categories: Sequence[Label] | None, chosen: Chosen
) -> Assumption:
    """The population with the proportions of pilot ratings, or with their margins and another value."""
    pilot = as_table(*ratings, categories=categories)
    joint = None
    if kappa is not None:
        checks.number("kappa", kappa)
        checks.complete_for_kappa(pilot.complete)
        checks.few_cells(pilot.n_categories, pilot.n_raters, MOST_CELLS)
    if pilot.complete and pilot.n_categories**pilot.n_raters <= MOST_CELLS:
        shares = np.array(
            [[Fraction(n, pilot.n_subjects) for n in row] for row in pilot.margins.tolist()], dtype=object
        )
        joint = Joint(shares, pilot.categories, pilot.raters, ordered=pilot.ordered, chosen=chosen, pilot=pilot)
    if kappa is not None and joint is not None:
        return Assumption(joint.at(kappa, "kappa"), joint, from_pilot=True)
    return Assumption(_population_of(pilot, chosen), joint, from_pilot=True)


@dataclass(frozen=True)
class Assumption:
    """The population a study is planned for, and the tables with the same margins where they can be listed."""

    population: Objective
    joint: Joint | None
    from_pilot: bool

    @property
    def value(self) -> float:
        """The coefficient in the population."""
        return self.population.value(self.population.score)

    @property
    def title(self) -> str:
        """What readers call the coefficient."""
        return self.population.coefficient.title

    @property
    def maximum(self) -> float | None:
        """The largest value the margins allow."""
        return None if self.joint is None else float(self.joint.largest.value)

    @property
    def n_cells(self) -> int:
        """Number of possible patterns."""
        return int(self.population.table.n_categories**self.population.table.n_raters)

    def at_null(self, null: float, *, needed: bool) -> Objective | None:
        """The population with another value; None where none is at hand and none needed."""
        table = self.population.table
        if needed:
            checks.complete_for_null(table.complete)
            checks.few_cells(table.n_categories, table.n_raters, MOST_CELLS)
        if self.joint is None:
            return None
        try:
            return self.joint.at(null, "null")
        except InvalidOptionError:  # a value the margins do not allow
            if needed:
                raise
            return None

    def extreme_spread(self, population: Objective, sign: int) -> Objective:
        """The population with the same margins and value and the largest or smallest standard error."""
        assert self.joint is not None
        return self.joint.extreme_spread(population, sign)


@dataclass(frozen=True)
class Knot:
    """A table with the margins: the coefficient's value and the share of every possible pattern."""

    value: Fraction
    shares: Array


class Joint:
    """Tables with given margins, by the value of a coefficient.

    Parameters
    ----------
    shares : fractions, shape (r, k)
        How often each rater uses each category.
    categories, raters, ordered
        Labels of the table to make.
    chosen : mapping
        Weights and coefficient, as for `as_objective`.
    pilot : Table, optional
        A complete table with these margins; mixtures then pass through it.
    """

    def __init__(
        self,
        shares: Array,
        categories: Sequence[Label],
        raters: Sequence[str],
        *,
        ordered: bool,
        chosen: Chosen,
        pilot: Table | None = None,
    ) -> None:
        self.n_raters, self.n_categories = shares.shape
        checks.few_cells(self.n_categories, self.n_raters, MOST_CELLS)
        whole = _whole_margins(shares)
        self.shares = np.array([_shares_of(row) for row in whole], dtype=object)
        self.categories, self.raters, self.ordered = tuple(categories), tuple(raters), ordered
        self.chosen, self.pilot = chosen, pilot
        objective = as_objective(self._table(*comonotone_table(whole)), **chosen)
        self.title = objective.coefficient.title
        if objective.coefficient.by_rating:  # alpha in a large population is Fleiss' kappa
            objective = as_objective(objective.table, weights=objective.weights, coefficient="fleiss")
        self.objective = objective

    @cached_property
    def patterns(self) -> npt.NDArray[np.int32]:
        """Every possible pattern, in the order of the shares."""
        return np.indices((self.n_categories,) * self.n_raters, dtype=np.int32).reshape(self.n_raters, -1).T

    @cached_property
    def independent(self) -> Knot:
        """What raters would give who know nothing of each other or of the subjects."""
        by_chance = as_objective(self.objective.table, weights=self.objective.weights).expected
        value = _exact(self.objective.expected - by_chance, self.objective.expected)
        return Knot(value, reduce(np.multiply.outer, self.shares).ravel())

    @cached_property
    def largest(self) -> Knot:
        """The table with the largest value."""
        return self._extreme(1)

    @cached_property
    def smallest(self) -> Knot:
        """The table with the smallest value."""
        return self._extreme(-1)

    @cached_property
    def observed(self) -> Knot | None:
        """The pilot's own table."""
        if self.pilot is None:
            return None
        shares = np.full(self.n_categories**self.n_raters, Fraction(0), dtype=object)
        shares[self._cells(self.pilot.patterns)] = [
            Fraction(n, self.pilot.n_subjects) for n in self.pilot.counts.tolist()
        ]
        pilot = as_objective(self.pilot, weights=self.objective.weights, coefficient=self.objective.coefficient.name)
        return Knot(_exact(pilot.expected - pilot.observed(pilot.score), pilot.expected), shares)

    def at(self, value: Any, argument: str) -> Objective:
        """The population with a value: mixed from the two nearest of the tables above; refused beyond the extremes."""
        wanted, _ = as_fraction(value)
        knots = [knot for knot in (self.independent, self.observed, self.largest) if knot is not None]
        if wanted < min(knot.value for knot in knots):
            knots.append(self.smallest)
        knots.sort(key=lambda knot: knot.value)
        name = self.objective.weights.name
        what = self.title if name == "unweighted" else f"{self.title} with {name} weights"
        if wanted > knots[-1].value:
            checks.above_maximum(argument, float(wanted), float(knots[-1].value), what)
        if wanted < knots[0].value:
            checks.below_minimum(argument, float(wanted), float(knots[0].value), what)
        above = next(knot for knot in knots if knot.value >= wanted)
        below = next(knot for knot in reversed(knots) if knot.value <= wanted)
        if above.value == below.value:
            return self._population(below.shares)
        t = (wanted - below.value) / (above.value - below.value)
        return self._population((1 - t) * below.shares + t * above.shares)

    def extreme_spread(self, objective: Objective, sign: int) -> Objective:
        """The population with an objective's margins and value and the largest (1) or smallest (-1) standard error.

        The slopes depend on margins and value alone, so the variance is linear in the table: a linear programme.
        """
        from scipy.optimize import linprog  # 0.3 s to import

        gradient = gradient_of(objective, self.patterns)
        levels = np.arange(self.n_categories)
        rows = [(codes == level) for codes in self.patterns.T for level in levels]
        scores = objective.scores(self.patterns).astype(float) @ np.sqrt(np.array(objective.radicands, dtype=float))
        total = float(objective.score) / objective.table.n_subjects
        size = float(scores.max()) or 1.0
        found = linprog(
            -sign * gradient**2,
            A_eq=np.array([*rows, scores / size], dtype=float),
            b_eq=np.append((objective.table.margins / objective.table.n_subjects).ravel(), total / size),
        )
        return objective if found.x is None else self._population(np.clip(found.x, 0, None))

    def _extreme(self, sign: int) -> Knot:
        solution = solve(problem_for(self.objective, sign))
        shares = np.full(self.n_categories**self.n_raters, Fraction(0), dtype=object)
        shares[self._cells(solution.patterns)] = _shares_of(solution.counts)
        score = solution.cost * sign
        return Knot(_exact(self.objective.expected - self.objective.observed(score), self.objective.expected), shares)

    def _cells(self, patterns: npt.NDArray[np.int32]) -> Array:
        return np.asarray(np.ravel_multi_index(tuple(patterns.T), (self.n_categories,) * self.n_raters))

    def _table(self, patterns: Array, counts: Array) -> Table:
        return Table(patterns, counts, self.categories, self.raters, ordered=self.ordered)

    def _population(self, shares: Array) -> Objective:
        return _population_of(self._table(self.patterns, _whole(shares)), self.chosen)


def _population_of(table: Table, chosen: Chosen) -> Objective:
    """The objective of a table with the same shares and so many subjects that their number no longer matters."""
    factor = max(1, _POPULATION // table.n_subjects)
    large = Table(table.patterns, table.counts * factor, table.categories, table.raters, ordered=table.ordered)
    return as_objective(large, **chosen)


def _shares_of(counts: npt.NDArray[np.int64]) -> list[Fraction]:
    total = int(counts.sum())
    return [Fraction(n, total) for n in counts.tolist()]


def _whole_margins(shares: Array) -> npt.NDArray[np.int64]:
    """Margins in whole numbers with one total, exact where the shares have a small common denominator."""
    total = lcm(*(share.denominator for share in shares.ravel()))
    exact = total <= _COARSE and all(sum(row) == 1 for row in shares)
    total = total * ceil(_FINE / total) if exact else _COARSE
    whole = np.array([_apportioned(row, total) for row in shares])
    checks.no_share_lost(shares, whole, total)
    return whole


def _whole(shares: Array) -> npt.NDArray[np.int64]:
    """Whole counts with given shares: exact where they fit into 61 bits, apportioned otherwise."""
    total = 1
    if shares.dtype == object:
        for share in shares:
            total = lcm(total, share.denominator)
            if total > _LARGEST_TOTAL:
                break
        else:
            return np.array([int(share * total) for share in shares], dtype=np.int64)
    return _apportioned(shares / shares.sum(), _POPULATION)


def _apportioned(shares: Array, total: int) -> npt.NDArray[np.int64]:
    """Whole numbers with a given total, nearest to shares of it (largest remainders)."""
    exact = [Fraction(share) * total for share in shares]
    counts = np.array([int(share) for share in exact], dtype=np.int64)
    order = np.argsort([float(int(share) - share) for share in exact], kind="stable")
    counts[order[: total - int(counts.sum())]] += 1
    return counts


def _exact(numerator: RootSum, denominator: RootSum) -> Fraction:
    """A quotient of exact numbers as a fraction; the nearest double's where roots remain."""
    found = rational_quotient(numerator, denominator)
    return Fraction(quotient(numerator, denominator)) if found is None else found
