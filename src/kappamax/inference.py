"""Compute standard errors and intervals of coefficients, test them against a value and compare two of them.

All formulas for standard errors use the derivatives of the coefficient with respect to the count of each pattern. The
derivatives are computed by a complex step, which is exact up to rounding, so no coefficient needs a separate formula
for its variance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan, prod, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from kappamax._result import Result
from kappamax._typing import Array, Codes
from kappamax._validate import as_choice, as_finite_number, as_number_between
from kappamax.coefficients import as_objective
from kappamax.disagreement.evaluator import Evaluator, Totals
from kappamax.disagreement.objective import Objective
from kappamax.disagreement.pattern_disagreement import PATTERNS_PER_BLOCK
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.io import Ratings, as_table
from kappamax.resampling import jackknife
from kappamax.table import Label, Rows
from kappamax.weights import WeightsLike

SE_METHODS = ("auto", "fleiss-cohen-everitt", "delta", "gwet", "jackknife", "null")
_COMPLEX_STEP = 1e-150
_LOST = 1e-13
_MOST_STEPPED = 4_000_000


def standard_error(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    method: str = "auto",
    categories: Sequence[Label] | None = None,
) -> StandardError:
    """Compute the standard error of a coefficient.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    method : str
        Method by which the standard error is computed, default "auto":

        - "fleiss-cohen-everitt": the formula of Fleiss, Cohen and Everitt (1969) for Cohen's kappa without missing
          ratings;
        - "delta": the delta method, for any coefficient, any number of raters, and missing ratings;
        - "gwet": the formula of Gwet (2008, 2021) as in irrCAC; without missing ratings it equals "delta", with missing
          ratings it is often too large;
        - "jackknife": the delete-one jackknife over subjects;
        - "null": the standard error of Cohen's kappa under independence, for the test of kappa = 0 only;
        - "auto": "fleiss-cohen-everitt" for Cohen's kappa and "gwet" for other coefficients if no rating is missing,
          otherwise "delta".
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    StandardError
        Standard error, its method and its degrees of freedom.

    Raises
    ------
    NotSupportedError
        If the method is "fleiss-cohen-everitt" or "null" and the coefficient is not Cohen's kappa of complete ratings.

    Examples
    --------
    >>> import kappamax as km
    >>> round(km.standard_error(km.from_counts([[20, 5], [10, 15]])).se, 4)
    0.127
    """
    method = as_choice("method", method, SE_METHODS)
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories)
    if method == "auto":
        method = _default_method(objective)
    cohen = objective.coefficient.name == "cohen" and objective.table.complete
    if method in ("fleiss-cohen-everitt", "null") and not cohen:
        raise NotSupportedError(
            f"the {method} standard error is for Cohen's kappa of two raters without missing ratings; "
            "use 'delta' or 'jackknife'."
        )
    if method == "null":
        return StandardError(null_standard_error(objective), method, None)
    rows = objective.table.rows
    n = int(_counted(objective, rows, method).sum())
    if n < 2:
        return StandardError(None, method, None)
    if method == "jackknife":
        return StandardError(jackknife(objective).se, method, n - 1)
    gradient = slopes(objective, rows.patterns, gwet=method == "gwet")
    se = float(_by_formula(objective, rows, gradient, method))
    return StandardError(se, method, None if method == "fleiss-cohen-everitt" else n - 1)


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
    return ValueTest(value, null, alternative, statistic, pvalue, error.se, error.method, error.df)


def compare(
    *ratings: Ratings,
    first: Mapping[str, Any],
    second: Mapping[str, Any],
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
    first, second : mapping
        Options of the coefficient: `weights`, `coefficient` and `group_size` as for `agreement`, and `raters`, the
        names of the raters to use. By default, all raters are used.
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
    >>> c = km.compare(t, first={"raters": ["a", "b"]}, second={"raters": ["a", "c"]})
    >>> round(c.difference, 4), c.n_subjects
    (0.2941, 5)
    """
    table = as_table(*ratings, categories=categories)
    level = as_number_between("level", level, 0, 1)
    objectives, patterns = [], []
    for spec in (first, second):
        if not isinstance(spec, Mapping):
            raise InvalidOptionError(
                f"first and second must be mappings such as {{'weights': 'linear'}}; got {spec!r}."
            )
        for key in spec:
            as_choice("first and second", key, ("raters", "weights", "coefficient", "group_size"))
        columns = [table.rater_index(rater) for rater in spec.get("raters", table.raters)]
        chosen = {key: value for key, value in spec.items() if key != "raters"}
        objectives.append(as_objective(table.select(columns), **chosen))
        patterns.append(table.patterns[:, columns])
    return _compare(objectives[0], objectives[1], patterns, table.counts, level)


def slopes(
    objective: Objective,
    patterns: Codes | None = None,
    *,
    gwet: bool = False,
    counts: Array | None = None,
) -> Array:
    """Return the derivative of the coefficient with respect to the count of each pattern, shape (m,).

    Parameters
    ----------
    objective : Objective
        Table, weights and coefficient.
    patterns : integers, shape (m, r), optional
        Patterns whose counts are the variables, default the patterns of the table. The derivative for a pattern without
        ratings is 0.
    gwet : bool
        Whether to treat the share of subjects with two or more ratings as known, as in Gwet's variance, default False.
    counts : array, shape (..., number of patterns of the table), optional
        Other counts at which to differentiate, one table per row. The result then has shape (..., m).
    """
    evaluator = Evaluator(objective)
    totals = evaluator.totals(counts)
    share = np.asarray(totals.units / totals.size)[..., None]

    def value(moved: Totals) -> Array:
        if not gwet or objective.coefficient.by_rating:
            return evaluator.value_of(moved)
        return np.asarray((moved.units - moved.score / evaluator.expected_of(moved.use)) / (share * moved.size))

    table = objective.table
    own_axes = 2 if objective.coefficient.use == "raters" else 1
    own_shape = totals.use.shape[-own_axes:]
    n_steps = 3 + prod(own_shape)
    block = max(1, _MOST_STEPPED // n_steps)
    steps = (slice(start, start + block) for start in range(0, n_steps, block))
    by_total = np.concatenate(
        [np.imag(value(_stepped(totals, own_shape, part))) / _COMPLEX_STEP for part in steps], axis=-1
    )
    by_use = by_total[..., 3:].reshape(*by_total.shape[:-1], *own_shape)
    if own_axes == 1:
        by_use = by_use[..., None, :]
    by_use = np.broadcast_to(by_use, (*by_use.shape[:-2], table.n_raters, table.n_categories))
    # index -1, the code of a missing rating, selects the last entry, which is 0
    by_code = np.concatenate([by_use, np.zeros_like(by_use[..., :1])], axis=-1)
    by_score, by_units, by_size = (by_total[..., i, None] for i in range(3))
    patterns = table.patterns if patterns is None else patterns
    found = np.empty((*by_use.shape[:-2], len(patterns)))
    for start in range(0, len(patterns), PATTERNS_PER_BLOCK):
        block = slice(start, start + PATTERNS_PER_BLOCK)
        codes = patterns[block]
        scores, units, use_weights, rated = evaluator.features(codes)
        through_use = sum(by_code[..., rater, :].take(own, axis=-1) for rater, own in enumerate(codes.T)) * use_weights
        direct = by_score * scores + by_units * units + by_size * rated
        total = direct + through_use
        # effects that cancel except for rounding errors
        lost = np.abs(total) < _LOST * (np.abs(direct) + np.abs(through_use))
        found[..., block] = np.where(lost, 0.0, total)
    return found


def standard_errors_at(objective: Objective, counts: Array) -> Array:
    """Return the default standard error at each row of counts, shape (...,); NaN where it is undefined."""
    method = _default_method(objective)
    rows = objective.table.grouped._replace(counts=np.asarray(counts, dtype=float))
    with np.errstate(divide="ignore", invalid="ignore"):  # rows in which the coefficient is 0/0
        return _by_formula(objective, rows, slopes(objective, gwet=method == "gwet", counts=rows.counts), method)


def null_standard_error(objective: Objective) -> float | None:
    """Return the standard error of Cohen's kappa under independence (Fleiss, Cohen and Everitt 1969, eq. 9)."""
    table = objective.table
    p, q = table.margins / table.n_subjects
    (_, _, weights), *_ = objective.pairs()
    u = weights.matrix
    expected = float(objective.expected)
    deviation = u - (u @ q)[:, None] - (p @ u)[None, :]
    return _root(float(p @ deviation**2 @ q - expected**2) / (table.n_subjects * expected**2))


def normal_interval(value: float, error: StandardError, level: float = 0.95) -> tuple[float, float] | None:
    """Return the interval value -+ quantile * se, cut off at 1, or None if there is no standard error."""
    level = as_number_between("level", level, 0, 1)
    if error.se is None:
        return None
    reach = quantile_of((1 + level) / 2, error.df) * error.se
    return value - reach, min(1.0, value + reach)


@dataclass(frozen=True, repr=False)
class StandardError(Result):
    """Standard error of a coefficient; ``float(result)`` returns its value.

    Attributes
    ----------
    se : float or None
        Standard error; None where it cannot be estimated.
    method : str
        Method by which the standard error was computed.
    df : int or None
        Degrees of freedom of Student's t distribution; None for the normal distribution.
    """

    se: float | None
    method: str
    df: int | None

    def __float__(self) -> float:
        return nan if self.se is None else self.se


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
        Standard error of the coefficient.
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
        Standard error of the difference.
    ci : tuple of two floats, or None
        Confidence interval for the difference.
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


def _compare(first: Objective, second: Objective, patterns: Sequence[Array], counts: Array, level: float) -> Comparison:
    """Return the difference of two coefficients of the same subjects, by the delta method on the paired difference.

    The number of subjects with two or more ratings may differ between the two coefficients. The smaller number
    determines the degrees of freedom.
    """
    n = min(int(_counted(one, one.table.rows, "delta").sum()) for one in (first, second))
    gradient = slopes(first, patterns[0]) - slopes(second, patterns[1])
    variance = float(counts @ (gradient - counts @ gradient / counts.sum()) ** 2)
    se = _root(variance * n / (n - 1)) if n > 1 else None
    error = StandardError(se, "paired", n - 1)
    values = first.value(first.score), second.value(second.score)
    difference = values[0] - values[1]
    statistic, pvalue = _z_test(difference, error, "two-sided")
    ci = None if se is None else _spread(difference, error, level)
    return Comparison(*values, difference, se, ci, level, statistic, pvalue, int(counts.sum()))


def _default_method(objective: Objective) -> str:
    """Return the method that "auto" stands for."""
    if not objective.table.complete:
        return "delta"
    return "fleiss-cohen-everitt" if objective.coefficient.name == "cohen" else "gwet"


def _counted(objective: Objective, rows: Rows, method: str) -> Array:
    """Return the counts of the subjects that determine the sample size n.

    These are the subjects with at least two ratings to compare. Other subjects contribute to expected agreement at
    most, so they add no information about the variance of observed agreement. Gwet's formula counts every subject,
    except for Krippendorff's alpha.
    """
    if method == "gwet" and not objective.coefficient.by_rating:
        return rows.counts
    return rows.counts * (rows.n_ratings >= objective.coefficient.group_size)


def _by_formula(objective: Objective, rows: Rows, gradient: Array, method: str) -> Array:
    """Return standard errors from the slopes at counts, shape (..., m); NaN where fewer than two subjects count."""
    n = _counted(objective, rows, method).sum(axis=-1)
    # for alpha, subjects with one rating have slope 0 and are excluded from the mean
    own = _counted(objective, rows, "gwet")
    mean = (own * gradient).sum(axis=-1) / own.sum(axis=-1)
    variance = (own * (gradient - mean[..., None]) ** 2).sum(axis=-1)
    if method != "fleiss-cohen-everitt":
        variance = variance * np.where(n > 1, n, np.nan) / (n - 1)
    return np.asarray(np.sqrt(variance))


def _root(variance: float) -> float:
    """Return the square root of a variance; a variance that is negative because of rounding counts as zero."""
    return sqrt(max(0.0, variance))


def _stepped(totals: Totals, own_shape: tuple[int, ...], part: slice) -> Totals:
    """Return the totals with a complex step in one variable at a time, for a part of the variables.

    The variables are score, units, size and every entry of `use`. The new axis of the steps is the last one, except in
    `use`, where it precedes the axes of a single table.
    """
    n_steps = 3 + prod(own_shape)
    first, last, _ = part.indices(n_steps)
    steps = 1j * _COMPLEX_STEP * np.eye(last - first, n_steps, first)
    score, units, size = (np.asarray(total)[..., None] + steps[:, i] for i, total in enumerate(totals[:3]))
    use = np.expand_dims(totals.use, -len(own_shape) - 1) + steps[:, 3:].reshape(-1, *own_shape)
    return Totals(score, units, size, use)


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


def quantile_of(level: float, df: float | None) -> float:
    """Return a quantile of the normal distribution or, with degrees of freedom, of Student's t distribution."""
    if df is None:
        return NormalDist().inv_cdf(level)
    from scipy.special import stdtrit  # imported here because the import takes 0.2 s

    return float(stdtrit(df, level))


def _cdf(z: float, df: int | None) -> float:
    from scipy.special import ndtr, stdtr  # NormalDist is inaccurate in the far tail

    return float(ndtr(z) if df is None else stdtr(df, z))
