"""Estimate the coefficient of each group, with the pseudo-subjects of the adjusted interval.

The estimated standard error of a coefficient is correlated with its value and is zero under perfect agreement, so that
tests and intervals that compare values by their standard errors err. The value and the standard error of a table to
which pseudo-subjects are added do not have this fault to the same degree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kappamax._tolerances import NO_SPREAD
from kappamax._typing import Array, Floats, Integers
from kappamax.confidence_intervals import MOST_ADJUSTED, adjusted_centers_and_errors, smallest_value
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.pseudo_subjects import pseudo_subjects_for
from kappamax.standard_errors import quantiles_of, sample_counts, standard_error

TEST_LEVEL = 0.95  # confidence level of the interval whose pseudo-subjects are added for tests


class Estimates(NamedTuple):
    """Estimates of independent groups, arrays of shape (n_groups,).

    Attributes
    ----------
    centers, errors : floats
        Values of the tables with pseudo-subjects, and their standard errors.
    dfs : floats
        Degrees of freedom of the standard errors.
    """

    centers: Floats
    errors: Floats
    dfs: Floats


class Contrast(NamedTuple):
    """Linear combination of the coefficients of independent groups, arrays of shape (...,).

    Attributes
    ----------
    center, error, df : floats
        Estimate with pseudo-subjects, its standard error, and the degrees of freedom by the formula of Welch and
        Satterthwaite.
    """

    center: Array
    error: Array
    df: Array

    def limits(self, level: float) -> tuple[Array, Array]:
        """Return the limits of a confidence interval."""
        reach = quantiles_of((1 + level) / 2, self.df) * self.error
        return self.center - reach, self.center + reach


@dataclass(frozen=True)
class DefinedGroups:
    """The groups in which the coefficient is defined; arrays have shape (n_groups,).

    Attributes
    ----------
    names : list of str
        Names of the groups.
    objectives : list of Objective
        Table, weights and coefficient of each group.
    values, errors : floats
        Coefficients and their standard errors; NaN where a standard error cannot be estimated.
    places : integers
        Positions among all groups.
    n_all : int
        Number of all groups.
    """

    names: list[str]
    objectives: list[Objective]
    values: Floats
    errors: Floats
    places: Integers
    n_all: int

    @cached_property
    def sizes(self) -> Floats:
        """Numbers of subjects."""
        return np.array([float(one.table.n_subjects) for one in self.objectives])

    @cached_property
    def for_tests(self) -> Estimates:
        """Estimates with all pseudo-subjects, on which tests are based, whatever the level of intervals is."""
        return self.estimates(TEST_LEVEL)

    def estimates(self, level: float, shares: Array | None = None) -> Estimates:
        """Return estimates with pseudo-subjects, or with a share of them in each group."""
        return group_estimates(self.objectives, level, np.ones(len(self.names)) if shares is None else shares)

    @property
    def without_error(self) -> str | None:
        """Why the standard error of some group cannot be used by tests; None if all of them can."""
        _, errors, dfs = self.for_tests
        for name, error, df in zip(self.names, errors.tolist(), dfs.tolist(), strict=True):
            if error == 0:  # set to zero by `group_estimates`
                return f"the standard error of group {name!r} is zero"
            if not (error > 0 and df > 0):  # NaN
                return f"the standard error of group {name!r} cannot be estimated"
        return None


def group_estimates(objectives: Sequence[Objective], level: float, shares: Sequence[float] | Array) -> Estimates:
    """Return the estimates of the groups with a share of the pseudo-subjects of an interval.

    For subjects in clusters, and for tables with too many patterns for the adjusted interval, they are the value and
    its standard error without pseudo-subjects; the standard error is NaN where it cannot be estimated, and zero if it
    is zero except for rounding.
    """
    return Estimates(*np.array([_estimate(*one, level) for one in zip(objectives, shares, strict=True)]).T)


def _estimate(objective: Objective, share: float, level: float) -> tuple[float, float, float]:
    table = objective.table
    n = float(sample_counts(objective, table.rows, "delta").sum())
    if table.clusters is not None or len(table.rows.counts) > MOST_ADJUSTED:
        size = n if table.clusters is None else float(table.clusters.n_clusters)
        error = float(standard_error(objective))
        return objective.value(objective.score), 0.0 if error <= NO_SPREAD else error, size - 1
    center, adjusted = adjusted_centers_and_errors(objective, None, level, share=share)
    return float(center), float(adjusted), n + share * pseudo_subjects_for(Evaluator(objective), level)[1] - 1


def contrast(factors: Array, estimates: Estimates) -> Contrast:
    """Return the linear combination of the groups with given factors, shape (..., n_groups)."""
    parts = (factors * estimates.errors) ** 2
    variance = parts.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):  # all standard errors zero
        df = variance**2 / (parts**2 / estimates.dfs).sum(axis=-1)
    return Contrast(factors @ estimates.centers, np.sqrt(variance), df)


def expected_weights(objectives: Sequence[Objective]) -> Floats:
    """Return the total expected disagreement of each group, by which the stratified coefficient weights the groups."""
    return np.array([float(one.n_units) * float(one.expected) for one in objectives])


def smallest_values(objectives: Sequence[Objective]) -> Floats:
    """Return a lower bound of the coefficient of each group; minus infinity if none is known."""
    return np.array([smallest_value(one) for one in objectives])
