"""Test whether raters agree more, or less, than expected by chance.

The null distribution is defined in `distribution`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kappamax._progress import ProgressLike, callback_for
from kappamax._result import Result
from kappamax._validate import as_choice, as_generator
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import Interrupted, NotSupportedError
from kappamax.fibers.distribution import ALTERNATIVES, Distribution, two_sided_by_probability
from kappamax.fibers.importance_sampling import tail_estimate
from kappamax.fibers.limits import MEMORY_LIMIT, require_independent_subjects
from kappamax.fibers.null_distribution import METHODS, null_distribution
from kappamax.io import Ratings
from kappamax.table import Label
from kappamax.weights import WeightsLike

_ENOUGH_EXTREME = 10  # number of extreme random tables, plus one, above which importance sampling is not needed


def exact_test(
    *ratings: Ratings | Objective,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    alternative: str = "greater",
    two_sided: str = "distance",
    method: str = "auto",
    n_draws: int | None = None,
    rng: np.random.Generator | int | None = None,
    n_jobs: int = 1,
    memory_limit: float = MEMORY_LIMIT,
    progress: ProgressLike = None,
    categories: Sequence[Label] | None = None,
) -> ExactTest:
    """Test whether raters agree more (or less) than expected by chance, given their margins.

    Under the null hypothesis the ratings of each rater are arranged in random order over the subjects that the rater
    rated. The test conditions on the margins and on which raters rated which subjects.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays; or an Objective
        The observed ratings. Some may be missing.
    weights : str, Weights or mapping, optional
        Weights, as for `agreement`; default "unweighted".
    coefficient : str, optional
        Name of the coefficient, as for `agreement`; default "kappa". For complete ratings all coefficients with the
        same weights have the same p-value. With missing ratings this holds for Conger's kappa, Brennan-Prediger and
        percent agreement, which order the rearrangements by observed agreement. The expected agreement of Fleiss'
        kappa, Gwet's AC and Krippendorff's alpha differs between rearrangements, so each has its own p-value.
    alternative : {"greater", "less", "two-sided"}, optional
        Alternative hypothesis: more agreement than expected by chance (the default), less agreement, or a difference in
        either direction.
    two_sided : {"distance", "probability"}, optional
        Definition of the two-sided p-value. "distance", the default, sums the probabilities of all values of the
        coefficient that are at least as far from the mean of the null distribution as the observed value. "probability"
        sums the probabilities of all values that are no more probable than the observed value; for two raters and two
        categories this is the two-sided test of R's `fisher.test` and of `scipy.stats.fisher_exact`. It needs the exact
        distribution.
    method : {"auto", "exact", "monte-carlo"}, optional
        Method for the null distribution. "exact" computes it exactly, and "monte-carlo" estimates it from random
        tables. "auto", the default, chooses "exact" if this takes at most some seconds and fits into `memory_limit`,
        and "monte-carlo" otherwise. If fewer than 10 of these random tables are then as extreme as the observed one,
        the p-value is estimated by importance sampling, which gives a standard error for p-values of any size. It needs
        complete ratings and not too many subjects and patterns.
    n_draws : int, optional
        Number of random tables of the Monte Carlo method. The default depends on the number of ratings and lies between
        2,000 and 100,000.
    rng : int, Generator or None, optional
        Seed or source of randomness of the Monte Carlo method. None, the default, draws a fresh seed.
    n_jobs : int, optional
        Number of processes of the Monte Carlo method, default 1. The result does not depend on it.
    memory_limit : float, optional
        Number of bytes that the exact method, and the ratings of single subjects if they are shuffled, may use, default
        1e9.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with the
        amount of work.
    categories : sequence of labels, optional
        All categories in order, including unused ones, as for `agreement`. By default they are taken from the ratings.

    Returns
    -------
    ExactTest
        The p-value, and the method by which it was computed.

    Raises
    ------
    UndefinedKappaError
        If all raters used a single category, or only categories between which the weights are zero.
    NotSupportedError
        If the exact distribution is required, by `method` or by `two_sided`, and cannot be computed. The message gives
        the reason. Also if the coefficient compares more than two raters at a time, if ratings are missing and
        rearranging them changes the weights of Krippendorff's ordinal metric, or if there are so many subjects and
        possible patterns that neither counts of patterns nor single ratings can be drawn within `memory_limit`.
    InvalidOptionError
        If an option has an unknown value, `n_draws` is not a whole number of at least 1, or `two_sided` is
        "probability" and `alternative` is not "two-sided".
    Interrupted
        If Ctrl-C stops the Monte Carlo method. The attribute `best` of the exception is the test based on the tables
        drawn so far.

    Notes
    -----
    With missing ratings, Krippendorff's alpha is 0/0 in the rearrangements in which all ratings of the subjects with
    two or more ratings are in a single category. These rearrangements count as extreme, so the test is conservative.

    Examples
    --------
    >>> import kappamax as km
    >>> test = km.exact_test(km.from_counts([[4, 1], [1, 4]]))
    >>> round(test.pvalue, 4), test.method  # (5 * 5 + 1) / C(10, 5)
    (0.1032, 'exact')
    """
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories)
    if (size := objective.coefficient.group_size) > 2:
        raise NotSupportedError(f"exact_test works with pairwise agreement; got {size} raters at a time.")
    alternative = as_choice("alternative", alternative, ALTERNATIVES)
    method = as_choice("method", method, METHODS)
    if two_sided_by_probability(alternative, two_sided):
        n_draws = 1  # a sampled distribution is refused in any case, so one table is enough
    objective.value(objective.score)  # raises if the coefficient is undefined
    try:
        _, test = chance_test(
            objective,
            alternative,
            two_sided,
            method=method,
            n_draws=n_draws,
            rng=rng,
            n_jobs=n_jobs,
            memory_limit=memory_limit,
            progress=callback_for(progress, "null distribution"),
        )
    except Interrupted as stopped:
        raise Interrupted(ExactTest.from_distribution(stopped.best, alternative, two_sided)) from None
    return test


def chance_test(
    objective: Objective,
    alternative: str,
    two_sided: str = "distance",
    *,
    rng: np.random.Generator | int | None,
    **options: Any,
) -> tuple[Distribution, ExactTest]:
    """Return the null distribution of a coefficient and the test that is based on it.

    If the distribution was sampled for lack of time or memory and few of the random tables are as extreme as the
    observed one, the p-value is estimated by importance sampling, where this is possible.

    Parameters
    ----------
    objective : Objective
        The observed table, the weights and the coefficient.
    alternative : {"greater", "less", "two-sided"}
        The alternative hypothesis.
    two_sided : {"distance", "probability"}, optional
        Definition of the two-sided p-value, default "distance".
    rng : int, Generator or None
        Seed or source of randomness.
    **options
        Further options of `null_distribution`.

    Returns
    -------
    null : Distribution
        The null distribution.
    test : ExactTest
        The test.
    """
    require_independent_subjects("the test against chance", objective.table)
    generator = as_generator(rng)
    null = null_distribution(objective, rng=generator, **options)
    test = ExactTest.from_distribution(null, alternative, two_sided)
    if null.n_draws is None or null.reason is None or test.pvalue * (null.n_draws + 1) > _ENOUGH_EXTREME:
        return null, test
    tail = tail_estimate(objective, alternative, generator.spawn(1)[0])
    if tail is None:
        return null, test
    return null, replace(
        test, pvalue=tail.pvalue, se=tail.se, n_draws=tail.n_draws, method="importance-sampling", at_most=False
    )


@dataclass(frozen=True, repr=False)
class ExactTest(Result):
    """Result of a test of agreement against chance.

    Attributes
    ----------
    coefficient : str
        Name of the coefficient.
    title : str
        Name of the coefficient for display.
    weights : str
        Name of the weights.
    value : float
        Observed value of the coefficient.
    pvalue : float
        Probability, under the null distribution, of a table at least as extreme as the observed one. For the Monte
        Carlo method it is (b + 1) / (n_draws + 1), where b is the number of such tables among the draws; it is never
        zero and gives a valid test. For importance sampling it is an unbiased estimate.
    alternative : {"greater", "less", "two-sided"}
        The alternative hypothesis.
    method : {"exact", "monte-carlo", "importance-sampling"}
        Method by which the p-value was computed.
    se : float or None
        Monte Carlo standard error of the p-value; None if it is exact.
    n_draws : int or None
        Number of random tables; None if the p-value is exact.
    reason : str or None
        Reason why the p-value is not exact, or "interrupted" if Ctrl-C stopped the test; None if it is exact or if the
        Monte Carlo method was requested.
    at_most : bool
        Whether the p-value is only an upper bound, because no random table was as extreme as the observed one.
    null_mean : float
        Mean of the coefficient under the null distribution. It is 0 for Cohen's kappa and, if ratings are complete, for
        Conger's kappa. For other coefficients it is not 0 in general, so the raters agree more than expected by chance
        if ``value - null_mean`` is positive. The mean is exact, except for coefficients that pool the raters' ratings
        if ratings are missing. In this case it is as accurate as the p-value.
    two_sided : {"distance", "probability"} or None
        Definition of the two-sided p-value; None for a one-sided test.
    """

    coefficient: str
    title: str
    weights: str
    value: float
    pvalue: float
    alternative: str
    method: str
    se: float | None
    n_draws: int | None
    reason: str | None
    null_mean: float
    two_sided: str | None = None
    at_most: bool = False

    @classmethod
    def from_distribution(cls, null: Distribution, alternative: str, two_sided: str = "distance") -> ExactTest:
        """Return the test that is based on a null distribution.

        Parameters
        ----------
        null : Distribution
            The null distribution.
        alternative : {"greater", "less", "two-sided"}
            The alternative hypothesis.
        two_sided : {"distance", "probability"}, optional
            Definition of the two-sided p-value, default "distance".

        Returns
        -------
        ExactTest
        """
        pvalue = null.pvalue(alternative, two_sided=two_sided)
        return cls(
            coefficient=null.coefficient,
            title=null.objective.coefficient.title,
            weights=null.weights,
            value=null.value,
            pvalue=pvalue,
            alternative=alternative,
            method="exact" if null.n_draws is None else "monte-carlo",
            se=None if null.n_draws is None else (pvalue * (1 - pvalue) / null.n_draws) ** 0.5,
            n_draws=null.n_draws,
            reason=null.reason,
            null_mean=null.mean,
            two_sided=two_sided.lower() if alternative == "two-sided" else None,
            at_most=null.only_bounds(pvalue),
            _data=null.data,
        )

    @property
    def pvalue_text(self) -> str:
        """The rounded p-value, or "<= " and a bound if no random table was as extreme as the observed one.

        Estimates by importance sampling are shown with two digits, however small they are.
        """
        if self.method == "importance-sampling":
            return numbers.small(self.pvalue)
        return numbers.pvalue(self.pvalue, at_most=self.at_most)

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("weights", self.weights),
            ("value", numbers.decimal(self.value)),
            ("mean by chance", numbers.decimal(self.null_mean)),
            ("p-value", self.pvalue_text),
            ("alternative", f"{self.alternative}, by {self.two_sided}" if self.two_sided else self.alternative),
            ("method", self.method if self.n_draws is None else f"{self.method}, {self.n_draws:,} tables"),
        ]
        return rows if self.se is None else [*rows, ("standard error", numbers.small(self.se))]
