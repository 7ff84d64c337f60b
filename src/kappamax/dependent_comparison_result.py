"""Define the result of a comparison of several coefficients of the same subjects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kappamax._result import Result, TableResult
from kappamax._typing import Floats
from kappamax.display import numbers, text


@dataclass(frozen=True, repr=False)
class ComparedCoefficient(Result):
    """One of several coefficients that are compared.

    Attributes
    ----------
    name : str
        Name of the coefficient in the comparison.
    raters : tuple of str
        Names of the raters.
    weights : str
        Name of the weights.
    coefficient : str
        Short name of the kind of coefficient.
    value : float
        Value of the coefficient.
    se : float or None
        Standard error; None where it cannot be estimated.
    ci : tuple of two floats, or None
        Confidence interval; None where the standard error cannot be estimated.
    """

    name: str
    raters: tuple[str, ...]
    weights: str
    coefficient: str
    value: float
    se: float | None
    ci: tuple[float, float] | None


@dataclass(frozen=True, repr=False)
class CoefficientDifference(Result):
    """Difference of two coefficients of the same subjects.

    Attributes
    ----------
    first, second : str
        Names of the two coefficients.
    difference : float
        Difference ``first - second``.
    se : float or None
        Standard error of the difference; None where it cannot be estimated.
    ci : tuple of two floats, or None
        Confidence interval, which holds together with those of all other differences; None where it cannot be computed.
    statistic : float or None
        Difference divided by its standard error, which is that of the delta method for the bootstrap; None where the
        standard error is zero or cannot be estimated.
    pvalue, adjusted_pvalue : float or None
        P-value of the two-sided test of this difference alone, and p-value corrected for the number of differences.
    """

    first: str
    second: str
    difference: float
    se: float | None
    ci: tuple[float, float] | None
    statistic: float | None
    pvalue: float | None
    adjusted_pvalue: float | None


@dataclass(frozen=True, repr=False)
class DependentComparison(TableResult):
    """Comparison of several coefficients of the same subjects.

    Attributes
    ----------
    coefficients : tuple of ComparedCoefficient
        The coefficients with their standard errors and intervals.
    differences : tuple of CoefficientDifference
        Differences of all pairs of coefficients, with simultaneous intervals.
    covariance : array of float or None
        Covariance matrix of the coefficients; None where it cannot be estimated.
    statistic, pvalue : float or None
        Hotelling's T2 and the p-value of the test that all coefficients are equal; None where there is no test.
    df : tuple of two ints, or None
        Degrees of freedom of the F distribution; None for the bootstrap, or where there is no test.
    level : float
        Confidence level.
    method : {"jackknife", "delta", "bootstrap"}
        Method by which the covariances were estimated.
    n_subjects : int
        Number of subjects.
    n_units : int
        Number of clusters, or of subjects if they are not in clusters, that have ratings to compare for each
        coefficient; the smallest of these numbers if they differ.
    n_resamples : int or None
        Number of resamples; None if the method is not the bootstrap.
    n_undefined : int or None
        Number of resamples in which a coefficient is undefined; None if the method is not the bootstrap.
    reason : str or None
        Why there is no test of equality, or why it has fewer degrees of freedom than differences; otherwise None.
    notes : tuple of str
        Notes about resamples without a statistic, and about intervals that they prevent.
    """

    coefficients: tuple[ComparedCoefficient, ...]
    differences: tuple[CoefficientDifference, ...]
    covariance: Floats | None
    statistic: float | None
    pvalue: float | None
    df: tuple[int, int] | None
    level: float
    method: str
    n_subjects: int
    n_units: int
    n_resamples: int | None = None
    n_undefined: int | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    _library: str | None = field(default=None, repr=False, compare=False)

    @property
    def at_most(self) -> bool:
        """Whether no resample is as extreme as the sample, so that the p-value is an upper bound."""
        return self.pvalue is not None and self.n_resamples is not None and self.pvalue <= 1 / (self.n_resamples + 1)

    def _columns(self) -> dict[str, Iterable[Any]]:
        found = self.differences
        ends = [(None, None) if one.ci is None else one.ci for one in found]
        return {
            "first": [one.first for one in found],
            "second": [one.second for one in found],
            "difference": [one.difference for one in found],
            "se": [one.se for one in found],
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
            "statistic": [one.statistic for one in found],
            "pvalue": [one.pvalue for one in found],
            "adjusted_pvalue": [one.adjusted_pvalue for one in found],
        }

    def _frame_library(self) -> str | None:
        return self._library

    def _rows(self) -> list[tuple[str, str]]:
        percent = f"{100 * self.level:g}%"
        rows = [
            (one.name, f"{numbers.decimal(one.value)}, se {numbers.decimal(one.se)}, {numbers.interval(one.ci)}")
            for one in self.coefficients
        ]
        for one in self.differences:
            adjusted = numbers.equation("adjusted p", numbers.pvalue(one.adjusted_pvalue))
            shown = f"{numbers.decimal(one.difference)}, se {numbers.decimal(one.se)}, {numbers.interval(one.ci)}"
            rows.append((f"{one.first} - {one.second}", f"{shown}, {adjusted}"))
        freedom = "" if self.df is None else f", F with {self.df[0]} and {self.df[1]} df"
        by = self.method if self.n_resamples is None else f"{self.method}, {numbers.count(self.n_resamples)} resamples"
        return [
            *rows,
            ("intervals", f"{percent}; those of the differences hold together"),
            ("Hotelling's T2", f"{numbers.decimal(self.statistic)}{freedom}"),
            ("p-value", numbers.pvalue(self.pvalue, at_most=self.at_most)),
            ("method", by),
            *([] if self.reason is None else [("reason", self.reason)]),
            *(("note", note) for note in self.notes),
            *self._size_rows(text.plural(self.n_subjects, "subject")),
        ]
