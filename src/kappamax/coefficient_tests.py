"""Test a coefficient against a value, or compare it with another coefficient of the same subjects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from kappamax._result import Result
from kappamax._typing import Array
from kappamax._validate import as_choice, as_finite_number, as_number_between
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers, text
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.io import Ratings, as_table
from kappamax.standard_errors import StandardError, quantile_of, sample_counts, slopes, standard_error
from kappamax.table import Label
from kappamax.weights import WeightsLike


def value_test(
    *ratings: Ratings,
    null: float = 0.0,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    alternative: str = "greater",
    method: str = "auto",
    categories: Sequence[Label] | None = None,
) -> ValueTest:
    """Test a coefficient against a value, such as the smallest acceptable kappa.

    The statistic (value - null) / se is compared with the normal distribution or, if the standard error has degrees of
    freedom, with Student's t distribution.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    null : float
        Value of the coefficient under the null hypothesis, default 0.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    alternative : {"greater", "less", "two-sided"}
        Alternative hypothesis, default "greater": the coefficient is greater than `null`, less, or different.
    method : str
        Method for the standard error, default "auto"; see `standard_error`. The method "null" is the usual choice for
        ``null=0`` and is not accepted for other values.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    ValueTest
        Observed coefficient, statistic and p-value.

    Raises
    ------
    NotSupportedError
        If the method is "null" and `null` is not 0.

    See Also
    --------
    exact_test : Test against chance with an exact p-value.

    Examples
    --------
    >>> import kappamax as km
    >>> test = km.value_test(km.from_counts([[40, 5], [5, 50]]), null=0.6)
    >>> round(test.value, 4), round(test.pvalue, 4)
    (0.798, 0.0005)
    """
    alternative = as_choice("alternative", alternative, ("two-sided", "greater", "less"))
    null = as_finite_number("null", null)
    if method == "null" and null != 0:  # this standard error holds for independent raters, whose kappa is 0
        raise NotSupportedError(
            f"the null standard error holds only if kappa is 0, so it cannot test {null:g}; "
            "use method 'auto' or 'jackknife'."
        )
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories)
    value = objective.value(objective.score)
    error = standard_error(objective, method=method)
    statistic, pvalue = _z_test(value - null, error, alternative)
    return ValueTest(value, null, alternative, statistic, pvalue, error.se, error.method, error.df, _data=error.data)


def compare(
    *ratings: Ratings,
    first: Mapping[str, Any] | Sequence[str | int],
    second: Mapping[str, Any] | Sequence[str | int],
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    level: float = 0.95,
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
    level : float
        Confidence level of the interval for the difference, default 0.95.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    Comparison
        Both coefficients, their difference with its confidence interval, and a two-sided test of no difference.

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
    """
    table = as_table(*ratings, categories=categories)
    level = as_number_between("level", level, 0, 1)
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
    return _compare(objectives[0], objectives[1], patterns, table.counts, level)._about(table.data)


@dataclass(frozen=True, repr=False)
class ValueTest(Result):
    """Test of a coefficient against a value.

    Attributes
    ----------
    value : float
        Observed coefficient.
    null : float
        Value under the null hypothesis.
    alternative : {"greater", "less", "two-sided"}
        Alternative hypothesis.
    statistic, pvalue : float or None
        Test statistic and p-value; None where the standard error is zero or cannot be estimated.
    se : float or None
        Standard error of the coefficient; None where it cannot be estimated.
    method : str
        Method by which the standard error was computed.
    df : int or None
        Degrees of freedom of Student's t distribution; None for the normal distribution.
    """

    value: float
    null: float
    alternative: str
    statistic: float | None
    pvalue: float | None
    se: float | None
    method: str
    df: int | None


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
        Statistic and two-sided p-value of the test of no difference; None where the standard error is zero or cannot be
        estimated.
    n_subjects : int
        Number of subjects.
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

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("first", numbers.decimal(self.first)),
            ("second", numbers.decimal(self.second)),
            ("difference", numbers.decimal(self.difference)),
            (f"{100 * self.level:g}% interval", numbers.interval(self.ci)),
            ("standard error", numbers.decimal(self.se)),
            ("p-value", numbers.pvalue(self.pvalue)),
            *self._size_rows(text.plural(self.n_subjects, "subject")),
        ]


def _compare(first: Objective, second: Objective, patterns: Sequence[Array], counts: Array, level: float) -> Comparison:
    """Return the difference of two coefficients of the same subjects, by the delta method for the paired difference.

    The number of subjects with two or more ratings may differ between the two coefficients. The smaller number
    determines the degrees of freedom.
    """
    n = min(int(sample_counts(one, one.table.rows, "delta").sum()) for one in (first, second))
    gradient = slopes(first, patterns[0]) - slopes(second, patterns[1])
    variance = float(counts @ (gradient - counts @ gradient / counts.sum()) ** 2)
    se = sqrt(variance * n / (n - 1)) if n > 1 else None
    error = StandardError(se, "paired", n - 1)
    values = first.value(first.score), second.value(second.score)
    difference = values[0] - values[1]
    statistic, pvalue = _z_test(difference, error, "two-sided")
    ci = None if se is None else _spread(difference, error, level)
    return Comparison(*values, difference, se, ci, level, statistic, pvalue, int(counts.sum()))


def _z_test(difference: float, error: StandardError, alternative: str) -> tuple[float | None, float | None]:
    if not error.se:
        return None, None
    z = difference / error.se
    below = _cdf(z, error.df)
    above = _cdf(-z, error.df)
    return z, {"less": below, "greater": above, "two-sided": 2 * min(below, above)}[alternative]


def _spread(center: float, error: StandardError, level: float) -> tuple[float, float]:
    reach = quantile_of((1 + level) / 2, error.df) * float(error.se or 0)
    return center - reach, center + reach


def _cdf(z: float, df: int | None) -> float:
    from scipy.special import ndtr, stdtr  # NormalDist is inaccurate in the far tail

    return float(ndtr(z) if df is None else stdtr(df, z))
