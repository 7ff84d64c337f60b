"""Estimate the joint covariance matrix of several coefficients of the same subjects, and test whether they are equal.

The coefficients are correlated, because they are computed from ratings of the same subjects. Their covariance matrix is
that of the delta method: each subject, or each cluster of subjects, contributes the product of its slopes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from kappamax._result import Result
from kappamax._tolerances import NO_SPREAD
from kappamax._typing import Array, Floats
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.standard_errors import StandardError, cluster_sums, compared_clusters, sample_counts, slopes
from kappamax.table import Table

_SINGULAR = 1e-10  # smallest eigenvalue of a covariance matrix, relative to the largest, that does not count as zero


class RetestCoefficients(NamedTuple):
    """Coefficients of the same subjects and their covariance matrix.

    Attributes
    ----------
    values : floats, shape (m,)
        Values of the coefficients.
    covariance : floats, shape (m, m), or None
        Estimated covariance matrix; None if fewer than two subjects or clusters have ratings to compare.
    n : int
        Number of subjects or clusters with ratings to compare, the smallest one of all coefficients.
    """

    values: Floats
    covariance: Floats | None
    n: int

    @classmethod
    def of(cls, objectives: Sequence[Objective], table: Table) -> RetestCoefficients:
        """Return the joint estimate of coefficients.

        Parameters
        ----------
        objectives : sequence of Objective
            Coefficients of some raters of the table, whose names say which these are.
        table : Table
            Ratings of all raters.
        """
        values = np.array([one.value(one.score) for one in objectives])
        columns = [[table.rater_index(rater) for rater in one.table.raters] for one in objectives]
        clusters = table.clusters
        counts: Array = np.ones(0)
        sizes, spread = [], []
        for one, own in zip(objectives, columns, strict=True):
            if clusters is None:
                sizes.append(int(sample_counts(one, one.table.rows, "delta").sum()))
                spread.append(slopes(one, table.patterns[:, own]))
                counts = table.counts
            else:
                part = clusters._replace(patterns=clusters.patterns[:, own])
                sizes.append(int(compared_clusters(one, part).sum()))
                spread.append(cluster_sums(part, slopes(one, part.patterns)))
                counts = np.ones(clusters.n_clusters)
        n = min(sizes, default=0)
        return cls(values, _covariance(np.array(spread), counts) * n / (n - 1) if n > 1 else None, n)

    def mean(self) -> tuple[float, StandardError]:
        """Return the mean of the coefficients and its standard error."""
        value = float(self.values.mean())
        if self.covariance is None:
            return value, StandardError(None, "delta", None)
        se = sqrt(max(0.0, float(self.covariance.mean())))
        return value, StandardError(0.0 if se <= NO_SPREAD else se, "delta", self.n - 1)

    def equality(self) -> RaterEquality:
        """Return Hotelling's test of the differences between each coefficient and the next."""
        q = len(self.values) - 1
        if q < 1:
            return RaterEquality(None, None, None, "fewer than two coefficients are defined")
        if self.covariance is None or self.n <= q:
            return RaterEquality(None, None, None, "there are too few subjects or clusters for so many coefficients")
        differences = np.diff(self.values)
        covariance = np.diff(np.diff(self.covariance, axis=0), axis=1)
        eigenvalues = np.linalg.eigvalsh(covariance)
        if eigenvalues[0] <= max(NO_SPREAD**2, _SINGULAR * eigenvalues[-1]):
            return RaterEquality(None, None, None, "the covariance matrix of the differences is singular")
        statistic = float(differences @ np.linalg.solve(covariance, differences))
        df = (q, self.n - q)
        return RaterEquality(statistic, df, _f_tail(statistic * df[1] / ((self.n - 1) * q), *df))


@dataclass(frozen=True, repr=False)
class RaterEquality(Result):
    """Test of whether several coefficients of the same subjects are equal (Hotelling's T-squared).

    Attributes
    ----------
    statistic : float or None
        Hotelling's T-squared; None if there is no test.
    df : tuple of two int, or None
        Degrees of freedom of the F distribution; None if there is no test.
    pvalue : float or None
        P-value; None if there is no test.
    reason : str or None
        Reason why there is no test; None otherwise.
    """

    statistic: float | None
    df: tuple[int, int] | None
    pvalue: float | None
    reason: str | None = None

    @property
    def in_words(self) -> str:
        """The rounded p-value and the statistic, or why there is none."""
        if self.df is None:
            return f"not tested: {self.reason}"
        return f"p-value {numbers.pvalue(self.pvalue)}, T2 {numbers.decimal(self.statistic)}"


def _covariance(spread: Floats, counts: Array) -> Floats:
    """Return the sum over subjects or clusters of the products of their deviations from the mean slope."""
    centered = spread - (spread @ counts / counts.sum())[:, None]
    return np.asarray((centered * counts) @ centered.T)


def _f_tail(statistic: float, df1: int, df2: int) -> float:
    from scipy.special import fdtrc  # imported here because the import takes 0.2 s

    return float(fdtrc(df1, df2, statistic))
