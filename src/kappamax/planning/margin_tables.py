"""Build tables with given margins and a given value of a coefficient.

Margins and kappa do not determine which categories are confused with each other. The default is a mixture of two tables
with these margins: the table of independent raters and the table with the largest agreement. The coefficient is linear
along such mixtures, since all these tables have the same expected agreement. Other tables with the same margins and
value differ only in their standard error; the tables with the largest and the smallest standard error are solutions of
linear programs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import ceil, floor, lcm, log
from typing import Any

import numpy as np

from kappamax._rootsum import RootSum, as_fraction, quotient, rational_quotient
from kappamax._typing import Array, Codes, Integers
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.maximum.closed_forms import comonotone_table
from kappamax.maximum.problem import problem_for
from kappamax.maximum.solve import solve
from kappamax.patterns import indices_of, patterns_at
from kappamax.planning.formula import gradient_of
from kappamax.table import Label, Table

Chosen = Mapping[str, Any]  # weights and coefficient, as `as_objective` takes them

MOST_ASSUMED_PATTERNS = 20_000
LARGEST_PROGRAM = 4_000
_FEW_PATTERNS = 64  # possible patterns of three or more raters up to which the smallest value is found exactly
_ROUNDING = 1e-9
_LEAST_TOTAL = 10**4  # minimum number of subjects of the table with the largest agreement
_COARSE = 10**6  # margins with a larger common denominator are rounded to multiples of 1 / this
_LARGEST_EXACT_TOTAL = 2**61
_POPULATION = 2**50


@dataclass(frozen=True)
class MixtureTable:
    """A table that can be a component of a mixture.

    Attributes
    ----------
    value : Fraction
        Value of the coefficient.
    shares : fractions, shape (number of patterns,)
        Share of every possible pattern.
    """

    value: Fraction
    shares: Array


class MarginTables:
    """Family of tables with given margins, parametrised by the value of a coefficient.

    Parameters
    ----------
    shares : fractions, shape (r, k)
        Share of each category among the ratings of each rater.
    categories : sequence of labels
        Labels of the categories.
    raters : sequence of str
        Names of the raters.
    ordered : bool
        Whether the categories are ordered.
    chosen : mapping
        Weights and coefficient, as for `as_objective`.
    pilot : Table, optional
        A table of complete ratings with these margins. If it is given, the family contains it.

    Raises
    ------
    InvalidOptionError
        If there is no pilot and a share is too small.
    NotSupportedError
        If there are too many possible patterns, or the weights depend on the ratings.
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
        require_few_patterns(self.n_categories, self.n_raters)
        whole = _whole_margins(shares) if pilot is None else _multiplied(pilot.margins)
        self.shares = np.array([shares_of(row) for row in whole], dtype=object)
        self.chosen, self.pilot = chosen, pilot
        table = Table(*comonotone_table(whole), tuple(categories), tuple(raters), ordered=ordered)
        objective = _planned(table, chosen)
        self.title = objective.coefficient.title
        if objective.coefficient.by_rating:  # alpha equals Fleiss' kappa in a large population
            objective = as_objective(objective.table, weights=objective.weights, coefficient="fleiss")
        self.objective = objective

    @cached_property
    def patterns(self) -> Codes:
        """All possible patterns, in the order of the shares."""
        return patterns_at(np.arange(self.n_categories**self.n_raters), (self.n_categories,) * self.n_raters)

    @cached_property
    def independent(self) -> MixtureTable:
        """Table of independent raters."""
        by_chance = as_objective(self.objective.table, weights=self.objective.weights).expected
        return MixtureTable(_value_at(self.objective, by_chance), reduce(np.multiply.outer, self.shares).ravel())

    @cached_property
    def largest(self) -> MixtureTable:
        """Table with the largest value of the coefficient."""
        return self._extreme(1)

    @cached_property
    def smallest(self) -> MixtureTable:
        """Table with the smallest value of the coefficient.

        For many raters or categories, a table of whole counts can take minutes to find, so its shares are the solution
        of a linear program in doubles.
        """
        shares = None
        if self.n_raters > 2 and len(self.patterns) > _FEW_PATTERNS:
            shares = self._optimal_shares(-self.objective.real_scores(self.patterns))
        if shares is None:
            return self._extreme(-1)
        population = self._population(shares)
        return self._mixture_table(population, population.score, population.table.patterns, population.table.counts)

    @cached_property
    def observed(self) -> MixtureTable | None:
        """Table of the pilot, or None if there is none."""
        if self.pilot is None:
            return None
        pilot = as_objective(self.pilot, weights=self.objective.weights, coefficient=self.objective.coefficient.name)
        return self._mixture_table(pilot, pilot.score, self.pilot.patterns, self.pilot.counts)

    def at(self, value: Any, argument: str) -> Objective:
        """Return the population with a given value, which is a mixture of two known tables with the nearest values.

        Parameters
        ----------
        value : number
            Value of the coefficient.
        argument : str
            Name of the argument that holds the value, for error messages.

        Returns
        -------
        Objective

        Raises
        ------
        InvalidOptionError
            If the margins do not allow the value.
        """
        wanted, _ = as_fraction(value)
        beyond = self.limit_passed(wanted)
        name = self.objective.weights.name
        what = self.title if name == "unweighted" else f"{self.title} with {name} weights"
        if beyond is not None and wanted > beyond.value:
            most = floor(float(beyond.value) * 10_000) / 10_000
            raise InvalidOptionError(
                f"{argument} must be at most {most:.4f}, the largest {what} that these margins allow; got "
                f"{float(wanted):g}."
            )
        if beyond is not None:
            raise InvalidOptionError(
                f"{argument} must be at least {float(beyond.value):.4f}, the smallest {what} that these margins "
                f"allow; got {float(wanted):g}."
            )
        known = self._known_around(wanted)
        above = next(table for table in known if table.value >= wanted)
        below = next(table for table in reversed(known) if table.value <= wanted)
        if above.value == below.value:
            return self._population(below.shares)
        t = (wanted - below.value) / (above.value - below.value)
        return self._population((1 - t) * below.shares + t * above.shares)

    def limit_passed(self, value: Any) -> MixtureTable | None:
        """Return the table with the largest value if a value exceeds it, or with the smallest, or None if neither."""
        wanted, _ = as_fraction(value)
        known = self._known_around(wanted)
        if wanted > known[-1].value:
            return known[-1]
        return known[0] if wanted < known[0].value else None

    def population(self, table: MixtureTable) -> Objective:
        """Return the population with the shares of a table."""
        return self._population(table.shares)

    def _known_around(self, wanted: Fraction) -> list[MixtureTable]:
        """Return the known tables in order of their values, with the largest or the smallest only if needed."""
        known = [table for table in (self.independent, self.observed) if table is not None]
        if wanted > max(table.value for table in known):
            known.append(self.largest)
        if wanted < min(table.value for table in known):
            known.append(self.smallest)
        return sorted(known, key=lambda table: table.value)

    def extreme_spread(self, objective: Objective, sign: int) -> Objective:
        """Return the population with the same margins and value and the largest (1) or smallest (-1) standard error.

        The gradient depends only on the margins and the value, so the variance is linear in the table and its extremes
        are solutions of linear programs.
        """
        gradient = gradient_of(objective, self.patterns)
        scores = objective.scores(self.patterns).astype(float) @ np.sqrt(np.array(objective.radicands, dtype=float))
        total = float(objective.score) / objective.table.n_subjects
        size = float(scores.max()) or 1.0
        found = self._optimal_shares(-sign * gradient**2, scores / size, total / size)
        return objective if found is None else self._population(found)

    def _optimal_shares(self, costs: Array, row: Array | None = None, total: float = 0.0) -> Array | None:
        """Return the shares of all patterns that minimise a cost under the margins, or None if there are none.

        If `row` is given, the shares times this row add up to `total`.
        """
        from scipy.optimize import linprog  # 0.3 s to import

        rows = [(codes == category) for codes in self.patterns.T for category in range(self.n_categories)]
        more = [] if row is None else [row]
        sums = np.append(self.shares.astype(float).ravel(), [total] * len(more))
        costs = costs / (float(np.abs(costs).max()) or 1.0)
        found = linprog(costs, A_eq=np.array([*rows, *more], dtype=float), b_eq=sums)
        return None if found.x is None else np.clip(found.x, 0, None)

    def _extreme(self, sign: int) -> MixtureTable:
        solution = solve(problem_for(self.objective, sign))
        return self._mixture_table(self.objective, solution.cost * sign, solution.patterns, solution.counts)

    def _mixture_table(self, objective: Objective, score: RootSum, patterns: Codes, counts: Integers) -> MixtureTable:
        shares = np.full(self.n_categories**self.n_raters, Fraction(0), dtype=object)
        places = indices_of(patterns.T, (self.n_categories,) * self.n_raters)
        shares[places] = shares_of(counts)
        return MixtureTable(_value_at(objective, objective.observed(score)), shares)

    def _population(self, shares: Array) -> Objective:
        return population_of(self.objective.table.like(self.patterns, _whole(shares)), self.chosen)


def require_few_patterns(n_categories: int, n_raters: int) -> None:
    """Require that the number of possible patterns is small enough to list all of them."""
    if n_raters * log(n_categories) > log(MOST_ASSUMED_PATTERNS) + _ROUNDING:
        raise NotSupportedError(
            f"{n_categories} categories and {n_raters} raters have {n_categories}^{n_raters} possible patterns; an "
            f"assumed table is built for at most {MOST_ASSUMED_PATTERNS:,}. Pass pilot ratings without kappa, and "
            "either width or variance='estimate'."
        )


def population_of(table: Table, chosen: Chosen) -> Objective:
    """Return the objective of a table with the same shares and a very large number of subjects."""
    factor = max(1, _POPULATION // table.n_subjects)
    return _planned(table.like(table.patterns, table.counts * factor), chosen)


def _planned(table: Table, chosen: Chosen) -> Objective:
    """Return the objective of a table; weights that depend on the ratings of the study cannot be planned for."""
    objective = as_objective(table, **chosen)
    if objective.varying_weights:
        raise NotSupportedError(
            f"the number of subjects is not available for {objective.weights.name} weights, which depend on how often "
            "the raters of the study use each category. Use other weights, such as gwet-ordinal or quadratic."
        )
    return objective


def shares_of(counts: Integers) -> list[Fraction]:
    """Return counts divided by their total, as fractions."""
    total = int(counts.sum())
    return [Fraction(n, total) for n in counts.tolist()]


def _value_at(objective: Objective, disagreement: RootSum) -> Fraction:
    """Return the coefficient at an observed disagreement, as a fraction that is exact if the value is rational."""
    beyond = objective.expected - disagreement
    exact = rational_quotient(beyond, objective.expected)
    return Fraction(quotient(beyond, objective.expected)) if exact is None else exact


def _whole_margins(shares: Array) -> Integers:
    """Return margins as integers with a common total, which are exact if the common denominator is small."""
    total = lcm(*(share.denominator for share in shares.ravel()))
    exact = total <= _COARSE and all(sum(row) == 1 for row in shares)
    total = total * ceil(_LEAST_TOTAL / total) if exact else _COARSE
    whole = np.array([_apportioned(row, total) for row in shares])
    for share, count in zip(shares.ravel(), whole.ravel(), strict=True):
        if share > 0 and count == 0:
            raise InvalidOptionError(f"margins must be 0 or at least {1 / total:g}; got {float(share):g}.")
    return whole


def _multiplied(margins: Integers) -> Integers:
    """Return the margins of a pilot, multiplied so that the table with the largest agreement is accurate."""
    return np.asarray(margins * ceil(_LEAST_TOTAL / int(margins[0].sum())))


def _whole(shares: Array) -> Integers:
    """Return integer counts with given shares. They are exact if they fit into 61 bits, and apportioned otherwise."""
    total = 1
    if shares.dtype == object:
        for share in shares:
            total = lcm(total, share.denominator)
            if total > _LARGEST_EXACT_TOTAL:
                break
        else:
            return np.array([int(share * total) for share in shares], dtype=np.int64)
    return _apportioned(shares / shares.sum(), _POPULATION)


def _apportioned(shares: Array, total: int) -> Integers:
    """Return integers with a given total that are nearest to given shares of it, by the largest remainder method."""
    exact = [Fraction(share) * total for share in shares]
    counts = np.array([int(share) for share in exact], dtype=np.int64)
    order = np.argsort([float(int(share) - share) for share in exact], kind="stable")
    counts[order[: total - int(counts.sum())]] += 1
    return counts
