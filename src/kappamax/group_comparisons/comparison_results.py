"""Hold the results of the comparison of independent groups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kappamax._result import Result, TableResult
from kappamax.display import numbers, text

_SHOWN = 12  # groups, and differences, that are printed


@dataclass(frozen=True, repr=False)
class GroupAgreement(Result):
    """Coefficient of one group.

    Attributes
    ----------
    name : str
        Name of the group.
    n_subjects : int or None
        Number of subjects; None if the ratings could not be read.
    value : float or None
        Coefficient; None if it is undefined.
    se : float or None
        Standard error; None where the coefficient is undefined or the standard error cannot be estimated.
    ci : tuple of two floats, or None
        Confidence interval, which is the default interval of `agreement`; None where the coefficient is undefined.
    reason : str or None
        Why the coefficient is undefined, so that the group is left out of all tests; None if it is defined.
    """

    name: str
    n_subjects: int | None
    value: float | None
    se: float | None
    ci: tuple[float, float] | None
    reason: str | None = None


@dataclass(frozen=True, repr=False)
class HomogeneityTest(Result):
    """Test of whether the coefficients of all groups are equal.

    Attributes
    ----------
    method : {"simulation", "welch", "chi2"}
        Method of the test; see `compare_groups`.
    statistic : float or None
        Chi-square statistic or, for Welch's test, F statistic; None if there is no test.
    df : int or None
        Number of compared groups - 1; None if there is no test.
    df_error : float or None
        Degrees of freedom of the denominator of Welch's F statistic; None for other methods.
    pvalue : float or None
        P-value; None if there is no test.
    n_draws : int or None
        Number of simulated studies; None if the method is not "simulation".
    reason : str or None
        Why there is no test, or why the method is not "simulation" although the option was "auto"; None if nothing of
        this applies.
    """

    method: str
    statistic: float | None = None
    df: int | None = None
    df_error: float | None = None
    pvalue: float | None = None
    n_draws: int | None = None
    reason: str | None = None

    def is_bound(self, pvalue: float) -> bool:
        """Return whether a p-value of these simulated studies is an upper bound, since none of them is as extreme.

        Parameters
        ----------
        pvalue : float
            P-value of this test, of a difference or of the trend.

        Returns
        -------
        bool
        """
        return self.n_draws is not None and pvalue <= 1 / (self.n_draws + 1)

    @property
    def how(self) -> str:
        """The method in words, for use after the p-value."""
        if self.method == "simulation":
            return f"{self.n_draws:,} simulated studies" if self.n_draws else "simulated studies"
        return {"welch": "Welch's test", "chi2": "chi-square test"}[self.method]


@dataclass(frozen=True, repr=False)
class PooledAgreement(Result):
    """Coefficient of all groups together, the weighted mean of the coefficients of the groups.

    Attributes
    ----------
    pooling : {"stratified", "subjects", "inverse-variance"}
        Weights of the groups; see `compare_groups`.
    value : float or None
        Pooled coefficient; None if it cannot be computed.
    se : float or None
        Standard error, which treats the weights as known; None where it cannot be estimated.
    ci : tuple of two floats, or None
        Confidence interval; None where it cannot be computed.
    weights : tuple of float
        Weight of each group, in the order of the groups; the sum is 1, and groups that are left out have weight 0.
    reason : str or None
        Why there is no value; None if there is one.
    """

    pooling: str
    value: float | None = None
    se: float | None = None
    ci: tuple[float, float] | None = None
    weights: tuple[float, ...] = field(default=(), repr=False)
    reason: str | None = None


@dataclass(frozen=True, repr=False)
class GroupDifference(Result):
    """Difference between the coefficients of two groups.

    Attributes
    ----------
    first, second : str
        Names of the groups.
    difference : float
        Coefficient of the first group minus that of the second.
    ci : tuple of two floats, or None
        Simultaneous confidence interval: the intervals of all differences contain the true differences together with
        the probability of the confidence level. None where a standard error cannot be estimated.
    pvalue : float or None
        P-value of the hypothesis that the two coefficients are equal, adjusted for the number of differences; None
        where a standard error is zero or cannot be estimated.
    """

    first: str
    second: str
    difference: float
    ci: tuple[float, float] | None
    pvalue: float | None


@dataclass(frozen=True, repr=False)
class GroupTrend(Result):
    """Linear trend of the coefficient over ordered groups.

    Attributes
    ----------
    scores : tuple of float
        Score of each group, in the order of the groups.
    slope : float or None
        Change of the coefficient per unit of the scores, by linear regression weighted by the numbers of subjects; None
        if there is no trend to estimate.
    se : float or None
        Standard error of the slope; None where it cannot be estimated.
    ci : tuple of two floats, or None
        Confidence interval of the slope; None where it cannot be computed.
    pvalue : float or None
        Two-sided p-value of the hypothesis that the slope is zero; None where it cannot be computed.
    reason : str or None
        Why there is no slope or no p-value; None if there are both.
    """

    scores: tuple[float, ...]
    slope: float | None = None
    se: float | None = None
    ci: tuple[float, float] | None = None
    pvalue: float | None = None
    reason: str | None = None


@dataclass(frozen=True, repr=False)
class GroupComparison(TableResult):
    """Comparison of the agreement of independent groups of subjects.

    Attributes
    ----------
    coefficient : str
        Name of the coefficient, as it was given.
    weights : str
        Name of the weights.
    level : float
        Confidence level of all intervals.
    groups : tuple of GroupAgreement
        Coefficient of each group.
    homogeneity : HomogeneityTest
        Test of whether the coefficients of all groups are equal.
    pooled : PooledAgreement
        Coefficient of all groups together.
    differences : tuple of GroupDifference
        Differences of all pairs of groups in which the coefficient is defined; empty for more than 100 such groups.
    trend : GroupTrend or None
        Linear trend over the groups; None if it was not asked for.
    """

    coefficient: str
    weights: str
    level: float
    groups: tuple[GroupAgreement, ...]
    homogeneity: HomogeneityTest
    pooled: PooledAgreement
    differences: tuple[GroupDifference, ...] = ()
    trend: GroupTrend | None = None
    _library: str | None = field(default=None, repr=False, compare=False)

    @property
    def n_undefined(self) -> int:
        """Number of groups in which the coefficient is undefined, which are left out of all tests."""
        return sum(group.value is None for group in self.groups)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data for JSON."""
        return super().to_dict() | {"n_undefined": self.n_undefined}

    def _columns(self) -> dict[str, Iterable[Any]]:
        groups = self.groups
        columns: dict[str, Iterable[Any]] = {
            "group": [group.name for group in groups],
            "n_subjects": [group.n_subjects for group in groups],
            "value": [group.value for group in groups],
            "se": [group.se for group in groups],
            "ci_low": [group.ci and group.ci[0] for group in groups],
            "ci_high": [group.ci and group.ci[1] for group in groups],
            "reason": [group.reason for group in groups],
        }
        return columns if self.trend is None else columns | {"score": self.trend.scores}

    def _frame_library(self) -> str | None:
        return self._library

    def pvalue_text(self, pvalue: float | None) -> str:
        """Return a p-value of this comparison as text; "<= 0.0001" if no simulated study is as extreme.

        Parameters
        ----------
        pvalue : float or None
            P-value of the test of homogeneity, of a difference or of the trend.

        Returns
        -------
        str
        """
        return numbers.pvalue(pvalue, at_most=pvalue is not None and self.homogeneity.is_bound(pvalue))

    def _equation(self, pvalue: float | None) -> str:
        return numbers.equation("p", self.pvalue_text(pvalue))

    def _summary_rows(self) -> list[tuple[str, str]]:
        """Return the pooled value, the test of homogeneity and the trend as names and formatted text."""
        pooled, test, trend = self.pooled, self.homogeneity, self.trend
        if pooled.value is None:
            shown = f"undefined: {pooled.reason}"
        else:
            shown = f"{numbers.decimal(pooled.value)} ({self._interval(pooled.ci)})"
        rows = [("pooled", shown)]
        if test.pvalue is None:
            rows.append(("equal in all groups", f"no test: {test.reason}"))
        else:
            rows.append(("equal in all groups", f"{self._equation(test.pvalue)} ({test.how})"))
        if trend is not None and trend.slope is None:
            rows.append(("trend", f"no test: {trend.reason}"))
        elif trend is not None:
            shown = f"slope {numbers.decimal(trend.slope)} ({self._interval(trend.ci)})"
            rows.append(("trend", f"{shown}, {self._equation(trend.pvalue)}"))
        return rows

    def _interval(self, ci: tuple[float, float] | None) -> str:
        return f"{100 * self.level:g}% interval {numbers.interval(ci)}"

    def _rows(self) -> list[tuple[str, str]]:
        rows = [("coefficient", f"{self.coefficient}, {self.weights}")]
        for group in self.groups[:_SHOWN]:
            rows.append((text.label(group.name), self._group_text(group)))
        if len(self.groups) > _SHOWN:
            rows.append(("...", f"{text.plural(len(self.groups), 'group')} in all"))
        rows += self._summary_rows()
        for one in self.differences[:_SHOWN] if len(self.differences) > 1 else self.differences:
            name = f"{text.label(one.first)} - {text.label(one.second)}"
            shown = f"{numbers.decimal(one.difference)} ({numbers.interval(one.ci)})"
            rows.append((name, f"{shown}, {self._equation(one.pvalue)}"))
        if len(self.differences) > _SHOWN:
            rows.append(("...", f"{text.plural(len(self.differences), 'difference')} in all"))
        if self.n_undefined:
            left_out = f"{text.plural(self.n_undefined, 'group')} left out, because the coefficient is undefined"
            rows.append(("note", left_out))
        return rows

    def _group_text(self, group: GroupAgreement) -> str:
        size = "" if group.n_subjects is None else f", {text.plural(group.n_subjects, 'subject')}"
        if group.value is None:
            return f"undefined: {group.reason}{size}"
        return f"{numbers.decimal(group.value)} ({numbers.interval(group.ci)}){size}"
