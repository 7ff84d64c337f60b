"""Test a coefficient against a value, or test whether it lies between two values.

The default test simulates studies of a population in which the null value is true, because the normal approximation
rejects too often on one side if few subjects disagree. For large studies it uses the standard error that the
coefficient has if the null value is true. Simulated levels are in the documentation, under "Testing against a value".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kappamax._result import Result
from kappamax._tolerances import NO_SPREAD
from kappamax._validate import as_choice, as_finite_number, as_generator, as_whole_number
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.io import Ratings
from kappamax.null_simulation import MOST_SIMULATED_PATTERNS, MOST_SIMULATED_SUBJECTS, simulated_test
from kappamax.null_tables import error_for, null_table_obstacle
from kappamax.standard_errors import one_sided_pvalues
from kappamax.table import Label
from kappamax.weights import WeightsLike

_MOST_DRAWS = 10_000_000
METHODS = (
    "auto",
    "simulation",
    "null",
    "adjusted",
    "estimate",
    "fleiss-cohen-everitt",
    "delta",
    "gwet",
    "jackknife",
)


def value_test(
    *ratings: Ratings,
    null: float = 0.0,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    alternative: str = "greater",
    method: str = "auto",
    n_draws: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    cluster: Any = None,
    categories: Sequence[Label] | None = None,
) -> ValueTest:
    """Test a coefficient against a value, such as the smallest acceptable kappa.

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
        Method of the test, default "auto":

        - "simulation": the statistic (center - null) / se, with the center and the standard error of the adjusted
          interval, is compared with its distribution in studies that are drawn from a population with the null value.
          It needs complete ratings and at most 1,000 possible patterns;
        - "null": (value - null) / se is compared with the normal distribution. The standard error is the one that the
          coefficient has if the null value is true, at the table with the observed margins that `sample_size` assumes
          by default; for Cohen's kappa and ``null=0`` this is the formula of Fleiss, Cohen and Everitt (1969) for
          independent raters. It needs complete ratings and at most 20,000 possible patterns;
        - "adjusted": (center - null) / se, with the center and the standard error of the adjusted interval, is compared
          with the distribution whose quantile the interval uses; for any ratings, and for clusters;
        - "estimate": (value - null) / se with the standard error that `kappa` reports is compared with the normal
          distribution or, if the standard error has degrees of freedom, with Student's t distribution;
        - "fleiss-cohen-everitt", "delta", "gwet" or "jackknife": the same with another standard error; see
          `standard_error`;
        - "auto": "simulation" if this is available, there are 2 to 1,000 subjects and `null` is below 1; otherwise
          "null" if this is available, and "adjusted" if it is not.
    n_draws : int
        Number of simulated studies, default 10,000. The smallest possible p-value is 1 / (n_draws + 1).
    rng : Generator, int or None
        Random generator of the simulated studies, or its seed, default 0, so that the same ratings have the same
        p-value. None draws a new seed.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, or an array with one entry per subject; see
        `agreement`. By default, the clusters that a Table has.
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
        If the method is "simulation" or "null" and ratings are missing, there are too many possible patterns, or the
        weights depend on the ratings; or if another method is not available for the coefficient.

    See Also
    --------
    equivalence_test : Test whether the coefficient lies between two values.
    exact_test : Test against chance with an exact p-value.
    sample_size : Number of subjects for a given power of this test.

    Notes
    -----
    No table with the observed margins may have the null value, for example because the raters use the categories too
    differently for so much agreement. The methods "simulation" and "null" then use the table with the largest (or
    smallest) value that the margins allow, and `reason` says so.

    Examples
    --------
    >>> import kappamax as km
    >>> test = km.value_test(km.from_counts([[40, 5], [5, 50]]), null=0.6)
    >>> round(test.value, 4), round(test.pvalue, 4)
    (0.798, 0.0047)

    The test also has a result if the raters agree on all subjects, although the estimated standard error is then zero.

    >>> round(km.value_test(km.from_counts([[12, 0], [0, 18]]), null=0.6).pvalue, 4)
    0.0009
    """
    alternative = as_choice("alternative", alternative, ("two-sided", "greater", "less"))
    null = _as_null("null", null)
    method = as_choice("method", method, METHODS)
    n_draws, rng = as_whole_number("n_draws", n_draws, 1, _MOST_DRAWS), as_generator(rng)
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories, cluster=cluster)
    return _value_test(objective, null, alternative, _Settings(method, n_draws, rng))


def equivalence_test(
    *ratings: Ratings,
    low: float,
    high: float,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    method: str = "auto",
    n_draws: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    cluster: Any = None,
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
        Method of both tests, default "auto"; see `value_test`.
    n_draws : int
        Number of simulated studies of each test, default 10,000.
    rng : Generator, int or None
        Random generator of the simulated studies, or its seed, default 0; see `value_test`.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, or an array with one entry per subject; see
        `agreement`. By default, the clusters that a Table has.
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
    (0.798, 0.0015)
    """
    low, high = _as_null("low", low), _as_null("high", high)
    if low >= high:
        raise InvalidOptionError(f"low must be below high; got {low:g} and {high:g}.")
    method = as_choice("method", method, METHODS)
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories, cluster=cluster)
    settings = _Settings(method, as_whole_number("n_draws", n_draws, 1, _MOST_DRAWS), as_generator(rng))
    above, below = _value_test(objective, low, "greater", settings), _value_test(objective, high, "less", settings)
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
        Standard error in the statistic; None where it cannot be estimated.
    method : str
        "simulation", or the method by which the standard error was computed.
    df : float or None
        Degrees of freedom of Student's t distribution; None if another distribution is used.
    reason : str or None
        Why there is no statistic, why no population with the null value is used although the method is "auto", or why
        the population of the test has another value than `null`; None if nothing of this applies.
    n_draws : int or None
        Number of simulated studies in which the coefficient is defined; None if the method is not "simulation".
    """

    value: float
    null: float
    alternative: str
    statistic: float | None
    pvalue: float | None
    se: float | None
    method: str
    df: float | None
    reason: str | None = None
    n_draws: int | None = None

    @property
    def at_most(self) -> bool:
        """Whether no simulated study is as extreme as the observed one, so that the p-value is an upper bound."""
        if self.pvalue is None or self.n_draws is None:
            return False
        sides = 2 if self.alternative == "two-sided" else 1
        return self.pvalue <= sides / (self.n_draws + 1)

    def _rows(self) -> list[tuple[str, str]]:
        shown = numbers.decimals(self.value, self.null, self.statistic, self.se)
        return [
            ("value", shown[0]),
            ("null", shown[1]),
            ("alternative", self.alternative),
            ("statistic", shown[2]),
            ("p-value", numbers.pvalue(self.pvalue, at_most=self.at_most)),
            ("se", shown[3]),
            ("method", self.method if self.n_draws is None else f"{self.method}, {self.n_draws:,} studies"),
            *([] if self.df is None else [("df", str(self.df))]),
            *([] if self.reason is None else [("reason", self.reason)]),
        ]


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
    def at_most(self) -> bool:
        """Whether the p-value is an upper bound, because no simulated study is as extreme as the observed one."""
        larger = max((self.above, self.below), key=lambda test: -1.0 if test.pvalue is None else test.pvalue)
        return self.pvalue is not None and larger.at_most

    @property
    def reasons(self) -> list[str]:
        """The different reasons of the two tests, such as why there is no p-value."""
        return list(dict.fromkeys(test.reason for test in (self.above, self.below) if test.reason is not None))

    def _rows(self) -> list[tuple[str, str]]:
        low, high = f"{self.low:g}", f"{self.high:g}"
        return [
            ("value", numbers.decimal(self.value)),
            ("p-value", numbers.pvalue(self.pvalue, at_most=self.at_most)),
            (f"p-value, above {low}", numbers.pvalue(self.above.pvalue, at_most=self.above.at_most)),
            (f"p-value, below {high}", numbers.pvalue(self.below.pvalue, at_most=self.below.at_most)),
            ("alternative", f"the coefficient lies between {low} and {high}"),
            *(("reason", reason) for reason in self.reasons),
        ]


def _as_null(argument: str, value: float) -> float:
    """Return a value that a coefficient can have."""
    value = as_finite_number(argument, value)
    if value > 1:
        raise InvalidOptionError(f"{argument} must be at most 1, the largest value of a coefficient; got {value:g}.")
    return value


class _Settings(NamedTuple):
    """Method of a test, and the number and the generator of simulated studies."""

    method: str
    n_draws: int
    rng: np.random.Generator


def _value_test(objective: Objective, null: float, alternative: str, settings: _Settings) -> ValueTest:
    if _is_simulated(objective, null, settings.method):
        return _by_simulation(objective, null, alternative, settings)
    value = objective.value(objective.score)
    error, reason, center = error_for(objective, null, settings.method)
    se, statistic, pvalue = error.se, None, None
    if se is None:
        reason = "fewer than two subjects have ratings to compare, so the standard error cannot be estimated"
    elif se <= NO_SPREAD:
        se = 0.0
        which = "at a table with the null value" if error.method == "null" else "estimated from the ratings"
        zero = f"the standard error {which} is zero, so there is no test statistic"
        reason = zero if reason is None else f"{reason}; it is zero, so there is no test statistic"
    else:
        statistic = ((value if center is None else center) - null) / se
        pvalue = _chosen(*one_sided_pvalues(statistic, error.df), alternative)
    return ValueTest(
        value, null, alternative, statistic, pvalue, se, error.method, error.df, reason, _data=objective.table.data
    )


def _chosen(below: float, above: float, alternative: str) -> float:
    """Return the p-value of an alternative from those of "less" and "greater"."""
    return {"less": below, "greater": above, "two-sided": min(1.0, 2 * min(below, above))}[alternative]


def _is_simulated(objective: Objective, null: float, method: str) -> bool:
    """Return whether the test is by simulation; raise an error if this was asked for and is not available."""
    if method not in ("auto", "simulation"):
        return False
    table = objective.table
    obstacle = null_table_obstacle(objective, MOST_SIMULATED_PATTERNS)
    if obstacle is None and table.n_subjects < 2:
        obstacle = "there is only one subject"
    if obstacle is None and null == 1:
        obstacle = "all studies with the null value 1 are without disagreement"
    if method == "simulation" and obstacle is not None:
        raise NotSupportedError(f"method 'simulation' is not available: {obstacle}. Use method 'auto'.")
    return obstacle is None and (method == "simulation" or table.n_subjects <= MOST_SIMULATED_SUBJECTS)


def _by_simulation(objective: Objective, null: float, alternative: str, settings: _Settings) -> ValueTest:
    """Return the test whose statistic is compared with simulated studies."""
    value, data = objective.value(objective.score), objective.table.data
    found = simulated_test(objective, null, settings.n_draws, settings.rng)
    reason = None
    if found.limit is not None:
        kind = "largest" if null > found.limit else "smallest"
        reason = (
            f"the margins do not allow the value {null:g}, so studies are drawn from the population with the {kind} "
            f"value that they allow, {numbers.decimal(found.limit)}"
        )
    pvalue = _chosen(found.below, found.above, alternative)
    result = (found.statistic, pvalue, found.se, "simulation", None, reason, found.n_defined)
    return ValueTest(value, null, alternative, *result, _data=data)
