"""Compare two coefficients of the same subjects, and test whether they differ or are equivalent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from kappamax._progress import ProgressLike
from kappamax._result import Result
from kappamax._validate import as_choice, as_number_between
from kappamax.display import numbers, text
from kappamax.errors import InvalidOptionError
from kappamax.hotelling import differences_of
from kappamax.io import Ratings, as_table
from kappamax.joint_coefficients import joint_coefficients
from kappamax.joint_inference import JointEstimates, as_settings, joint_estimates, quantile_beyond, share_beyond
from kappamax.standard_errors import one_sided_pvalues, quantile_of
from kappamax.table import Label
from kappamax.weights import WeightsLike

ALTERNATIVES = ("two-sided", "non-inferiority", "equivalence")


def compare(
    *ratings: Ratings,
    first: Mapping[str, Any] | Sequence[str | int],
    second: Mapping[str, Any] | Sequence[str | int],
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    alternative: str = "two-sided",
    margin: float | None = None,
    level: float | None = None,
    method: str = "delta",
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int = 1,
    progress: ProgressLike = None,
    cluster: Any = None,
    categories: Sequence[Label] | None = None,
) -> Comparison:
    """Compare two coefficients computed from the same subjects.

    The standard error is that of the paired difference, so it accounts for the correlation of the two coefficients.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    first, second : sequence of raters, or mapping
        Raters of each coefficient, by name; or a mapping with `raters` (default: all) and with `weights`, `coefficient`
        or `group_size` where these differ between the two.
    weights : str, Weights or mapping
        Disagreement weights of both coefficients, default "unweighted".
    coefficient : str
        Name of both coefficients, default "kappa"; `agreement` lists the others.
    alternative : {"two-sided", "non-inferiority", "equivalence"}
        Alternative hypothesis about the difference ``first - second``, default "two-sided": it is not 0. The other two
        need `margin`. "non-inferiority": the difference is above -margin. "equivalence": it lies between -margin and
        margin; the p-value is the larger one of two one-sided tests.
    margin : float, optional
        Smallest difference that matters, between 0 and 2.
    level : float, optional
        Confidence level of the interval for the difference, default 0.95, or 0.90 with a margin. The p-value of a test
        with a margin is below 0.05 if and only if the interval with confidence level 0.90 lies above -margin
        (non-inferiority) or between -margin and margin (equivalence).
    method : {"delta", "jackknife", "bootstrap"}
        Method by which the standard error is estimated, default "delta". The jackknife is better if a category is rare
        or there are few clusters. The bootstrap takes the distribution of the statistic from resamples, in each of
        which the difference is divided by its standard error by the delta method.
    n_resamples : int
        Number of resamples of the bootstrap, default 2,000, at most 10 million.
    rng : int, numpy.random.Generator or None
        Random generator of the bootstrap, or its seed, default 0, so that the same ratings have the same p-value. None
        draws a new seed.
    n_jobs : int
        Number of processes of the bootstrap, default 1. The result does not depend on it.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with the
        number of finished resamples and the number of all resamples.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, such as the patient of a lesion, or an array with one
        entry per subject. Clusters are then regarded as the random sample. By default, the clusters that a Table has.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    Comparison
        Both coefficients, their difference with its confidence interval, and the test of the difference.

    Raises
    ------
    InvalidOptionError
        If `first` or `second` is neither a list of raters nor a mapping with known keys, if an option is out of range,
        or if a margin is missing or has no meaning.
    UndefinedKappaError
        If one of the coefficients is undefined.

    See Also
    --------
    compare_dependent : Compare any number of coefficients of the same subjects.

    Examples
    --------
    Test whether the second rater agrees better with the first rater than the third rater does.

    >>> import kappamax as km
    >>> t = km.from_ratings([[1, 1, 2], [2, 2, 2], [3, 3, 1], [1, 2, 1], [3, 3, 3]], raters=["a", "b", "c"])
    >>> c = km.compare(t, first=["a", "b"], second=["a", "c"])
    >>> round(c.difference, 4), c.n_subjects
    (0.2941, 5)

    Compare linear with quadratic weights.

    >>> c = km.compare(t, first={"weights": "linear"}, second={"weights": "quadratic"})
    >>> round(c.first, 4), round(c.second, 4)
    (0.4118, 0.4118)

    Test whether the first coefficient is at most 0.2 below the second.

    >>> t = km.example("diagnoses")
    >>> pairs = {"first": ["rater1", "rater3"], "second": ["rater2", "rater3"]}
    >>> c = km.compare(t, **pairs, alternative="non-inferiority", margin=0.2)
    >>> round(c.difference, 4), round(c.pvalue, 4), c.level
    (-0.2473, 0.717, 0.9)
    """
    alternative = as_choice("alternative", alternative, ALTERNATIVES)
    if margin is None and alternative != "two-sided":
        raise InvalidOptionError(
            f"alternative {alternative!r} needs margin, the smallest difference that matters, such as 0.1."
        )
    if margin is not None and alternative == "two-sided":
        raise InvalidOptionError(
            "margin must be given with alternative 'non-inferiority' or 'equivalence'; got alternative 'two-sided'."
        )
    margin = None if margin is None else as_number_between("margin", margin, 0, 2)
    level = as_number_between("level", level, 0, 1) if level is not None else 0.95 if margin is None else 0.9
    settings = as_settings(method, n_resamples, rng, n_jobs, progress)
    table = as_table(*ratings, categories=categories, cluster=cluster)
    joint = joint_coefficients(table, [first, second], "first and second", weights=weights, coefficient=coefficient)
    estimates = joint_estimates(joint, settings)
    difference = _difference(estimates)
    statistic, pvalue, reason = _test(difference, alternative, margin or 0.0)
    return Comparison(
        first=float(estimates.values[0]),
        second=float(estimates.values[1]),
        difference=difference.value,
        se=difference.se,
        ci=_interval(difference, level, two_sided=margin is None),
        level=level,
        statistic=statistic,
        pvalue=pvalue,
        n_subjects=table.n_subjects,
        alternative=alternative,
        margin=margin,
        reason=reason,
        method=estimates.method,
        df=None if difference.own_se is None or difference.resampled is not None else estimates.df,
        n_resamples=None if estimates.resampled is None else settings.n_resamples,
        _data=table.data,
    )


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Comparison of two coefficients of the same subjects.

    Attributes
    ----------
    first, second : float
        Values of the two coefficients.
    difference : float
        Difference ``first - second``.
    se : float or None
        Standard error of the difference; None where it cannot be estimated.
    ci : tuple of two floats, or None
        Confidence interval for the difference; None where the standard error cannot be estimated.
    level : float
        Confidence level of the interval.
    statistic, pvalue : float or None
        Statistic and p-value of the test; None where the standard error is zero or cannot be estimated. For a test of
        equivalence they are those of the one-sided test with the larger p-value.
    n_subjects : int
        Number of subjects.
    alternative : {"two-sided", "non-inferiority", "equivalence"}
        Alternative hypothesis.
    margin : float or None
        Smallest difference that matters; None for a two-sided test.
    reason : str or None
        Why there is no p-value; None if there is one.
    method : {"delta", "jackknife", "bootstrap"}
        Method by which the standard error was estimated.
    df : int or None
        Degrees of freedom of Student's t distribution, the number of clusters or subjects with ratings to compare minus
        one; None for the bootstrap, or where the standard error cannot be estimated.
    n_resamples : int or None
        Number of resamples; None if the method is not the bootstrap.
    """

    first: float
    second: float
    difference: float
    se: float | None
    ci: tuple[float, float] | None
    level: float
    statistic: float | None
    pvalue: float | None
    n_subjects: int
    alternative: str = "two-sided"
    margin: float | None = None
    reason: str | None = None
    method: str = "delta"
    df: int | None = None
    n_resamples: int | None = None

    def _rows(self) -> list[tuple[str, str]]:
        claim = (
            {
                "non-inferiority": f"first - second is above -{self.margin:g}",
                "equivalence": f"first - second lies between -{self.margin:g} and {self.margin:g}",
            }
            if self.margin is not None
            else {}
        )
        return [
            ("first", numbers.decimal(self.first)),
            ("second", numbers.decimal(self.second)),
            ("difference", numbers.decimal(self.difference)),
            (f"{100 * self.level:g}% interval", numbers.interval(self.ci)),
            ("standard error", numbers.decimal(self.se)),
            *([] if self.method == "delta" else [("method", self.method)]),
            *((name, words) for name, words in claim.items() if name == self.alternative),
            ("p-value", numbers.pvalue(self.pvalue)),
            *([] if self.reason is None else [("reason", self.reason)]),
            *self._size_rows(text.plural(self.n_subjects, "subject")),
        ]


class _Difference(NamedTuple):
    """Difference of two coefficients of the same subjects.

    `own_se` is the standard error in the statistic, which is that of the delta method for the bootstrap. `resampled`
    holds the statistics of the resamples, or None if the method is not the bootstrap.
    """

    value: float
    se: float | None
    own_se: float | None
    df: int
    reason: str | None
    resampled: Any

    def pvalues(self, statistic: float) -> tuple[float, float]:
        """Return the p-values of the alternatives "less" and "greater"."""
        if self.resampled is None:
            return one_sided_pvalues(statistic, self.df)
        below = np.where(np.isinf(self.resampled), np.inf, -self.resampled)  # no statistic: extreme in both directions
        return share_beyond(below, -statistic), share_beyond(self.resampled, statistic)

    def quantiles(self, level: float, *, two_sided: bool) -> tuple[float, float]:
        """Return the numbers of standard errors by which an interval extends below and above the difference.

        For the bootstrap, they are equal if the interval is that of a two-sided test, and otherwise those of two
        one-sided tests.
        """
        if self.resampled is None:
            reach = quantile_of((1 + level) / 2, self.df)
            return reach, reach
        if two_sided:
            reach = quantile_beyond(np.abs(self.resampled), level)
            return reach, reach
        below = np.where(np.isinf(self.resampled), np.inf, -self.resampled)
        return quantile_beyond(self.resampled, (1 + level) / 2), quantile_beyond(below, (1 + level) / 2)


def _difference(estimates: JointEstimates) -> _Difference:
    """Return the difference of two coefficients with its standard error; one that is zero but for rounding is zero."""
    value = float(estimates.values[0] - estimates.values[1])
    contrast = differences_of(2)
    se = own = None
    if estimates.deviations is not None and estimates.studentising is not None:
        se, own = (float(spread.of(contrast).errors()[0]) for spread in (estimates.deviations, estimates.studentising))
    resampled = None if estimates.resampled is None else estimates.resampled.differences[:, 0]
    return _Difference(value, se, own, estimates.df, estimates.reason, resampled)


def _interval(difference: _Difference, level: float, *, two_sided: bool) -> tuple[float, float] | None:
    """Return the interval of a difference, or None if there is no standard error or too few resamples have one."""
    if difference.own_se is None:
        return None
    if difference.own_se == 0:
        return difference.value, difference.value
    below, above = difference.quantiles(level, two_sided=two_sided)
    if inf in (below, above):
        return None
    return difference.value - below * difference.own_se, difference.value + above * difference.own_se


def _test(difference: _Difference, alternative: str, margin: float) -> tuple[float | None, float | None, str | None]:
    """Return the statistic and the p-value of a test of a difference, or the reason why there is none."""
    se = difference.own_se
    if se is None:
        return None, None, difference.reason
    if se == 0:
        return None, None, "the standard error of the difference is zero"
    if alternative == "two-sided":
        statistic = difference.value / se
        if difference.resampled is not None:
            return statistic, share_beyond(np.abs(difference.resampled), abs(statistic)), None
        return statistic, 2 * min(difference.pvalues(statistic)), None
    above_low, below_high = (difference.value + margin) / se, (difference.value - margin) / se
    _, inferior = difference.pvalues(above_low)
    if alternative == "non-inferiority":
        return above_low, inferior, None
    superior, _ = difference.pvalues(below_high)
    return (above_low, inferior, None) if inferior >= superior else (below_high, superior, None)
