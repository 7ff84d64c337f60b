"""Compare two coefficients of the same subjects, and test whether they differ or are equivalent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple, overload

from kappamax._result import Result
from kappamax._tolerances import NO_SPREAD
from kappamax._typing import Array
from kappamax._validate import as_choice, as_number_between
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers, text
from kappamax.errors import InvalidOptionError
from kappamax.group_comparisons.comparison import compare_groups
from kappamax.group_comparisons.comparison_results import GroupComparison
from kappamax.io import Ratings, as_table
from kappamax.standard_errors import StandardError, one_sided_pvalues, quantile_of, sample_counts, slopes
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

ALTERNATIVES = ("two-sided", "non-inferiority", "equivalence")


@overload
def compare(
    *ratings: Ratings,
    first: Mapping[str, Any] | Sequence[str | int],
    second: Mapping[str, Any] | Sequence[str | int],
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    alternative: str = "two-sided",
    margin: float | None = None,
    level: float | None = None,
    categories: Sequence[Label] | None = None,
) -> Comparison: ...


@overload
def compare(
    *ratings: Table,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    level: float | None = None,
    categories: Sequence[Label] | None = None,
) -> GroupComparison: ...


def compare(
    *ratings: Ratings,
    first: Mapping[str, Any] | Sequence[str | int] | None = None,
    second: Mapping[str, Any] | Sequence[str | int] | None = None,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    alternative: str = "two-sided",
    margin: float | None = None,
    level: float | None = None,
    categories: Sequence[Label] | None = None,
) -> Comparison | GroupComparison:
    """Compare two coefficients computed from the same subjects.

    The standard error of the difference is computed by the delta method for the paired difference, so it accounts for
    the correlation of the two coefficients. Two or more tables are taken as independent groups of subjects, which are
    called "1", "2" and so on and compared by `compare_groups`.

    Parameters
    ----------
    *ratings : Table, frame, two or more arrays of labels, or two or more Tables
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject. Two or more
        Tables have different subjects.
    first, second : sequence of raters, or mapping, optional
        Raters of each coefficient, by name; or a mapping with `raters` (default: all) and with `weights`, `coefficient`
        or `group_size` where these differ between the two. They are required unless there are two or more Tables, and
        must not be given then.
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
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    Comparison or GroupComparison
        Both coefficients, their difference with its confidence interval, and the test of the difference. For two or
        more Tables, the result of `compare_groups`.

    Raises
    ------
    InvalidOptionError
        If `first` or `second` is neither a list of raters nor a mapping with known keys, if an option is out of range,
        if a margin is missing or has no meaning, or if there are two or more Tables and one of these options is given.

    See Also
    --------
    compare_groups : Compare the agreement of independent groups of subjects.

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
    if len(ratings) > 1 and all(isinstance(one, Table) for one in ratings):
        if first is not None or second is not None or margin is not None or alternative != "two-sided":
            raise InvalidOptionError(
                "two or more tables are compared as independent groups of subjects, without first, second, margin and "
                "alternative. To compare coefficients of the same subjects, pass one table with all raters."
            )
        groups = [(str(number), table) for number, table in enumerate(ratings, start=1)]
        level = 0.95 if level is None else level
        return compare_groups(groups, weights=weights, coefficient=coefficient, level=level, categories=categories)
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
    table = as_table(*ratings, categories=categories)
    objectives, patterns = [], []
    for given in (first, second):
        if isinstance(given, str) or not isinstance(given, Mapping | Sequence):
            raise InvalidOptionError(
                "first and second must be lists of raters such as ['a', 'b'], or mappings such as "
                f"{{'weights': 'linear'}}; got {given!r}."
            )
        spec = given if isinstance(given, Mapping) else {"raters": given}
        for key in spec:
            as_choice("first and second", key, ("raters", "weights", "coefficient", "group_size"))
        columns = [table.rater_index(rater) for rater in spec.get("raters", table.raters)]
        chosen = {"weights": weights, "coefficient": coefficient} | dict(spec)
        chosen.pop("raters", None)
        objectives.append(as_objective(table.select(columns), **chosen))
        patterns.append(table.patterns[:, columns])
    difference = _difference(objectives[0], objectives[1], patterns, table.counts)
    statistic, pvalue, reason = _test(difference, alternative, margin or 0.0)
    se, reach = difference.error.se, 0.0
    if se is not None and se > 0:
        reach = quantile_of((1 + level) / 2, difference.error.df) * se
    return Comparison(
        first=difference.first,
        second=difference.second,
        difference=difference.value,
        se=se,
        ci=None if se is None else (difference.value - reach, difference.value + reach),
        level=level,
        statistic=statistic,
        pvalue=pvalue,
        n_subjects=table.n_subjects,
        alternative=alternative,
        margin=margin,
        reason=reason,
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
            *((name, words) for name, words in claim.items() if name == self.alternative),
            ("p-value", numbers.pvalue(self.pvalue)),
            *([] if self.reason is None else [("reason", self.reason)]),
            *self._size_rows(text.plural(self.n_subjects, "subject")),
        ]


class _Difference(NamedTuple):
    """Difference of two coefficients, with its standard error."""

    first: float
    second: float
    error: StandardError

    @property
    def value(self) -> float:
        return self.first - self.second


def _difference(first: Objective, second: Objective, patterns: Sequence[Array], counts: Array) -> _Difference:
    """Return the difference of two coefficients of the same subjects, by the delta method for the paired difference.

    The number of subjects with two or more ratings may differ between the two coefficients. The smaller number
    determines the degrees of freedom. A standard error that is zero except for rounding is zero.
    """
    n = min(int(sample_counts(one, one.table.rows, "delta").sum()) for one in (first, second))
    gradient = slopes(first, patterns[0]) - slopes(second, patterns[1])
    variance = float(counts @ (gradient - counts @ gradient / counts.sum()) ** 2)
    se = sqrt(variance * n / (n - 1)) if n > 1 else None
    error = StandardError(0.0 if se is not None and se <= NO_SPREAD else se, "paired", n - 1)
    return _Difference(first.value(first.score), second.value(second.score), error)


def _test(difference: _Difference, alternative: str, margin: float) -> tuple[float | None, float | None, str | None]:
    """Return the statistic and the p-value of a test of a difference, or the reason why there is none."""
    se, df = difference.error.se, difference.error.df
    if se is None:
        return None, None, "fewer than two subjects have ratings to compare, so there is no standard error"
    if se == 0:
        return None, None, "the standard error of the difference is zero"
    if alternative == "two-sided":
        statistic = difference.value / se
        return statistic, 2 * min(one_sided_pvalues(statistic, df)), None
    above_low, below_high = (difference.value + margin) / se, (difference.value - margin) / se
    _, inferior = one_sided_pvalues(above_low, df)
    if alternative == "non-inferiority":
        return above_low, inferior, None
    superior, _ = one_sided_pvalues(below_high, df)
    return (above_low, inferior, None) if inferior >= superior else (below_high, superior, None)
