"""Compare two coefficients of the same subjects, and test whether they differ or are equivalent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kappamax._result import Result
from kappamax._validate import as_choice, as_number_between
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers, text
from kappamax.errors import InvalidOptionError
from kappamax.io import Ratings, as_table
from kappamax.paired_errors import paired_error, subject_slopes
from kappamax.standard_errors import StandardError, one_sided_pvalues, quantile_of
from kappamax.table import Label, Table
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
    categories: Sequence[Label] | None = None,
) -> Comparison:
    """Compare two coefficients computed from the same subjects.

    The standard error of the difference is computed by the delta method for the paired difference, so it accounts for
    the correlation of the two coefficients.

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
    table = as_table(*ratings, categories=categories)
    objectives, raters = [], []
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
        raters.append(columns)
    difference = _difference(table, objectives, raters)
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


def _difference(table: Table, objectives: Sequence[Objective], raters: Sequence[Sequence[int]]) -> _Difference:
    """Return the difference of two coefficients of the same subjects, by the delta method for the paired difference.

    `raters` are the columns of the raters of each coefficient in the table.
    """
    by_first, by_second = (subject_slopes(table, *one) for one in zip(objectives, raters, strict=True))
    first, second = (one.value(one.score) for one in objectives)
    return _Difference(first, second, paired_error(table, by_first, by_second))


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
