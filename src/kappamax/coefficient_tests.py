"""Test a coefficient against a value, or test whether it lies between two values.

The default test uses the standard error that the coefficient has if the null value is true. It is computed at the table
that planning assumes: the mixture, with the observed margins, of the observed table and the table of independent raters
or of largest agreement, in which the coefficient equals the null value. The test of a planned study is therefore the
test that was planned. Simulated levels are in the documentation, under "Testing against a value".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from kappamax._result import Result
from kappamax._tolerances import NO_SPREAD
from kappamax._validate import as_choice, as_finite_number
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.io import Ratings
from kappamax.planning.formula import precision_of
from kappamax.planning.margin_tables import MOST_ASSUMED_PATTERNS
from kappamax.planning.population import tables_through
from kappamax.standard_errors import SE_METHODS, StandardError, one_sided_pvalues, standard_error
from kappamax.table import Label
from kappamax.weights import WeightsLike

METHODS = ("auto", "null", "estimate", *(name for name in SE_METHODS if name not in ("auto", "null")))


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
        Value of the coefficient under the null hypothesis, at most 1; default 0.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    alternative : {"greater", "less", "two-sided"}
        Alternative hypothesis, default "greater": the coefficient is greater than `null`, less, or different.
    method : str
        Standard error that the test uses, default "auto":

        - "null": the standard error that the coefficient has if the null value is true, at the table with the observed
          margins that `sample_size` assumes by default; for Cohen's kappa and ``null=0`` this is the formula of Fleiss,
          Cohen and Everitt (1969) for independent raters. It needs complete ratings and at most 20,000 possible
          patterns;
        - "estimate": the standard error that `kappa` reports;
        - "fleiss-cohen-everitt", "delta", "gwet" or "jackknife": see `standard_error`;
        - "auto": "null" if this is available, and otherwise "estimate".
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    ValueTest
        Observed coefficient, statistic and p-value.

    Raises
    ------
    InvalidOptionError
        If `null` is above 1 or not a number, or a name is unknown.
    NotSupportedError
        If the method is "null" and ratings are missing, there are too many possible patterns, or the weights depend on
        the ratings; or if another method is not available for the coefficient.

    See Also
    --------
    equivalence_test : Test whether the coefficient lies between two values.
    exact_test : Test against chance with an exact p-value.
    sample_size : Number of subjects for a given power of this test.

    Notes
    -----
    No table with the observed margins may have the null value, for example because the raters use the categories too
    differently for so much agreement. The method "null" then uses the standard error at the table with the largest (or
    smallest) value that the margins allow, and `reason` says so.

    Examples
    --------
    >>> import kappamax as km
    >>> test = km.value_test(km.from_counts([[40, 5], [5, 50]]), null=0.6)
    >>> round(test.value, 4), round(test.pvalue, 4)
    (0.798, 0.0069)

    The test also has a result if the raters agree on all subjects, although the estimated standard error is then zero.

    >>> round(km.value_test(km.from_counts([[12, 0], [0, 18]]), null=0.6).pvalue, 4)
    0.0037
    """
    alternative = as_choice("alternative", alternative, ("two-sided", "greater", "less"))
    null = _as_null("null", null)
    method = as_choice("method", method, METHODS)
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories)
    return _value_test(objective, null, alternative, method)


def equivalence_test(
    *ratings: Ratings,
    low: float,
    high: float,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    method: str = "auto",
    categories: Sequence[Label] | None = None,
) -> EquivalenceTest:
    """Test whether a coefficient lies between two values, by two one-sided tests.

    The null hypothesis is that the coefficient is at most `low` or at least `high`. The p-value is the larger one of
    the tests against these two values (Schuirmann 1987), so a small p-value shows that the coefficient lies between
    them.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    low, high : float
        Ends of the range of values, with ``low < high <= 1``.
    weights : str, Weights or mapping
        Disagreement weights, default "unweighted"; see `value_test`.
    coefficient : str
        Name of the coefficient, default "kappa"; `agreement` lists the others.
    method : str
        Standard error that both tests use, default "auto"; see `value_test`.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    EquivalenceTest
        Observed coefficient, p-value and the two one-sided tests.

    Raises
    ------
    InvalidOptionError
        If `low` is not below `high`, or one of them is above 1 or not a number.
    NotSupportedError
        If the method is not available; see `value_test`.

    See Also
    --------
    value_test : Test against one value, which shows that a coefficient is above it or below it.
    compare : Test whether two coefficients are equivalent.

    Examples
    --------
    >>> import kappamax as km
    >>> test = km.equivalence_test(km.from_counts([[80, 10], [10, 100]]), low=0.6, high=0.9)
    >>> round(test.value, 4), round(test.pvalue, 4)
    (0.798, 0.0005)
    """
    low, high = _as_null("low", low), _as_null("high", high)
    if low >= high:
        raise InvalidOptionError(f"low must be below high; got {low:g} and {high:g}.")
    method = as_choice("method", method, METHODS)
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories)
    above, below = _value_test(objective, low, "greater", method), _value_test(objective, high, "less", method)
    pvalue = None if above.pvalue is None or below.pvalue is None else max(above.pvalue, below.pvalue)
    return EquivalenceTest(above.value, low, high, pvalue, above, below, _data=objective.table.data)


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
        Standard error of the coefficient that the test uses; None where it cannot be estimated.
    method : str
        Method by which the standard error was computed.
    df : int or None
        Degrees of freedom of Student's t distribution; None for the normal distribution.
    reason : str or None
        Why there is no statistic, why the standard error was estimated although the method is "auto", or why it was
        computed at a table with another value than `null`; None if nothing of this applies.
    """

    value: float
    null: float
    alternative: str
    statistic: float | None
    pvalue: float | None
    se: float | None
    method: str
    df: int | None
    reason: str | None = None


@dataclass(frozen=True, repr=False)
class EquivalenceTest(Result):
    """Test whether a coefficient lies between two values, by two one-sided tests.

    Attributes
    ----------
    value : float
        Observed coefficient.
    low, high : float
        Ends of the range of values.
    pvalue : float or None
        The larger p-value of the two tests; None where one of them has none.
    above, below : ValueTest
        The tests that the coefficient is greater than `low` and less than `high`.
    """

    value: float
    low: float
    high: float
    pvalue: float | None
    above: ValueTest
    below: ValueTest

    @property
    def reasons(self) -> list[str]:
        """The different reasons of the two tests, such as why there is no p-value."""
        return list(dict.fromkeys(test.reason for test in (self.above, self.below) if test.reason is not None))

    def _rows(self) -> list[tuple[str, str]]:
        low, high = f"{self.low:g}", f"{self.high:g}"
        return [
            ("value", numbers.decimal(self.value)),
            ("p-value", numbers.pvalue(self.pvalue)),
            (f"p-value, above {low}", numbers.pvalue(self.above.pvalue)),
            (f"p-value, below {high}", numbers.pvalue(self.below.pvalue)),
            ("alternative", f"the coefficient lies between {low} and {high}"),
            *(("reason", reason) for reason in self.reasons),
        ]


class _TestError(NamedTuple):
    """Standard error that a test uses, and the reason for it if it is not the one asked for."""

    error: StandardError
    reason: str | None = None


def _as_null(argument: str, value: float) -> float:
    """Return a value that a coefficient can have."""
    value = as_finite_number(argument, value)
    if value > 1:
        raise InvalidOptionError(f"{argument} must be at most 1, the largest value of a coefficient; got {value:g}.")
    return value


def _value_test(objective: Objective, null: float, alternative: str, method: str) -> ValueTest:
    value = objective.value(objective.score)
    error, reason = _error_for(objective, null, method)
    se, statistic, pvalue = error.se, None, None
    if se is None:
        reason = "fewer than two subjects have ratings to compare, so the standard error cannot be estimated"
    elif se <= NO_SPREAD:
        se = 0.0
        which = "at a table with the null value" if error.method == "null" else "estimated from the ratings"
        zero = f"the standard error {which} is zero, so there is no test statistic"
        reason = zero if reason is None else f"{reason}; it is zero, so there is no test statistic"
    else:
        statistic = (value - null) / se
        below, above = one_sided_pvalues(statistic, error.df)
        pvalue = {"less": below, "greater": above, "two-sided": 2 * min(below, above)}[alternative]
    return ValueTest(
        value, null, alternative, statistic, pvalue, se, error.method, error.df, reason, _data=objective.table.data
    )


def _error_for(objective: Objective, null: float, method: str) -> _TestError:
    """Return the standard error of a test; `auto` falls back on the estimated one and says why."""
    if method not in ("auto", "null"):
        return _TestError(standard_error(objective, method="auto" if method == "estimate" else method))
    obstacle = _obstacle(objective, null)
    if obstacle is None:
        return _null_error(objective, null)
    if method == "null":
        raise NotSupportedError(f"method 'null' is not available: {obstacle}. Use method 'estimate'.")
    return _TestError(standard_error(objective), f"the standard error is estimated from the ratings: {obstacle}")


def _obstacle(objective: Objective, null: float) -> str | None:
    """Return why no table with the null value can be built, or None if it can."""
    table, coefficient = objective.table, objective.coefficient
    if not table.complete:
        return "no table with the null value can be built from ratings of which some are missing"
    if coefficient.name == "cohen" and null == 0:
        return None
    if table.n_categories**table.n_raters > MOST_ASSUMED_PATTERNS:
        return (
            f"a table with the null value is built for at most {MOST_ASSUMED_PATTERNS:,} possible patterns; there are "
            f"{table.n_categories}^{table.n_raters}"
        )
    if objective.varying_weights:
        return f"{objective.weights.name} weights depend on how often each category is used"
    if coefficient.group_size > 2:
        return "agreement of more than two raters at a time has no table with the null value"
    return None


def _null_error(objective: Objective, null: float) -> _TestError:
    """Return the standard error at the estimated table with the null value.

    If the margins do not allow the null value, the table with the nearest value that they allow is used.
    """
    if objective.coefficient.name == "cohen" and null == 0:
        return _TestError(standard_error(objective, method="null"))
    table = objective.table
    tables = tables_through(table, {"weights": objective.weights, "coefficient": objective.coefficient.name})
    limit, reason = tables.limit_passed(null), None
    if limit is None:
        population = tables.at(null, "null")
    else:
        population = tables.population(limit)
        kind = "largest" if null > limit.value else "smallest"
        reason = (
            f"the observed margins do not allow the value {null:g}, so the standard error is the one at the {kind} "
            f"value that they allow, {numbers.decimal(float(limit.value))}"
        )
    return _TestError(StandardError(precision_of(population).sd / sqrt(table.n_subjects), "null", None), reason)
