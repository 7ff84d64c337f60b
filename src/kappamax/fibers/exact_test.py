"""Test whether raters agree more, or less, than by chance; see `distribution` for what chance is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kappamax._result import Result
from kappamax._validate import as_choice
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import Interrupted, NotSupportedError
from kappamax.fibers.counting import MEMORY_LIMIT, Progress
from kappamax.fibers.distribution import ALTERNATIVES, Distribution, two_sided_by_probability
from kappamax.fibers.null_distribution import METHODS, null_distribution
from kappamax.io import Ratings
from kappamax.table import Label
from kappamax.weights import WeightsLike


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
    progress: Progress | None = None,
    categories: Sequence[Label] | None = None,
) -> ExactTest:
    """Test whether raters agree more (or less) than by chance, given their margins and who rated whom.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays; or an Objective
        With missing ratings, each rater's ratings are rearranged over the subjects that rater rated.
    weights, coefficient, categories
        As for `agreement`. On complete ratings all coefficients with the same weights have the same p-value. With
        missing ratings this holds for Conger's kappa, Brennan-Prediger and percent agreement, which order the
        rearrangements by observed agreement. Fleiss' kappa, Gwet's AC and Krippendorff's alpha expect different
        agreement by chance in different rearrangements, so each has its own p-value.
    alternative : "greater", "less" or "two-sided"
        More agreement than by chance, less agreement, or a difference in either direction.
    two_sided : "distance" or "probability"
        Definition of the two-sided p-value. "distance", the default, sums the probabilities of all values of the
        coefficient at least as far from the mean by chance as the observed value. "probability" sums those of all
        values that are no more probable than the observed value; for two raters and two categories this is the
        two-sided test of R's `fisher.test` and `scipy.stats.fisher_exact`. It needs the exact distribution.
    method : "auto", "exact" or "monte-carlo"
        "auto" is exact where the distribution takes some seconds at most and fits into `memory_limit`.
    n_draws : int, optional
        Random tables for Monte Carlo: 2,000 to 100,000 by the size of the ratings, if left out.
    rng : int, Generator or None
        Seed or source of randomness.
    n_jobs : int
        Processes; the result does not depend on it.
    memory_limit : float
        Bytes for the exact method.
    progress : callable, optional
        Called with (work done, work in all).

    Notes
    -----
    With missing ratings Krippendorff's alpha may be 0/0 in some rearrangements: those that leave a single category to
    the subjects with two or more ratings. They count as extreme, so the p-value is rather too large than too small.

    Raises
    ------
    UndefinedKappaError
        If all raters used a single category, or only categories between which the weights are zero.
    NotSupportedError
        If the exact distribution is asked for, by `method` or by `two_sided`, and is not possible; the message says
        why.
    Interrupted
        On Ctrl-C during Monte Carlo; `.best` is the test with the draws so far.

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
        n_draws = 1  # draws are of no use here: the p-value is exact or refused
    objective.value(objective.score)  # raises where the coefficient is undefined
    try:
        null = null_distribution(
            objective,
            method=method,
            n_draws=n_draws,
            rng=rng,
            n_jobs=n_jobs,
            memory_limit=memory_limit,
            progress=progress,
        )
    except Interrupted as stopped:
        raise Interrupted(ExactTest.from_distribution(stopped.best, alternative, two_sided)) from None
    return ExactTest.from_distribution(null, alternative, two_sided)


@dataclass(frozen=True, repr=False)
class ExactTest(Result):
    """A test of agreement beyond chance.

    Attributes
    ----------
    value : float
        The observed coefficient.
    null_mean : float
        The mean of the coefficient by chance, over all rearrangements of the ratings that are equally likely then. It
        is 0 for Cohen's kappa and, on complete ratings, for Conger's; elsewhere it is not, and the sign of the value
        does not tell whether the raters agree more than by chance, but that of value - null_mean does. Exact, but for
        coefficients that pool the raters' ratings where some are missing: then it is as accurate as the p-value.
    pvalue : float
        The probability by chance of a table at least as extreme. For Monte Carlo (b + 1) / (n_draws + 1) with b
        such tables among the draws: never zero, and valid as a p-value.
    method : "exact" or "monte-carlo"
    se : float or None
        Monte Carlo standard error of the p-value; None where it is exact.
    n_draws : int or None
    reason : str or None
        Why the p-value is not exact.
    two_sided : "distance", "probability" or None
        Definition of a two-sided p-value; None for a one-sided test.
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

    @classmethod
    def from_distribution(cls, null: Distribution, alternative: str, two_sided: str = "distance") -> ExactTest:
        """Return the test that a distribution by chance gives."""
        pvalue = null.pvalue(alternative, two_sided=two_sided)
        return cls(
            coefficient=null.coefficient,
            title=null.objective.coefficient.title,
            weights=null.weights,
            value=null.observed,
            pvalue=pvalue,
            alternative=alternative,
            method="exact" if null.n_draws is None else "monte-carlo",
            se=None if null.n_draws is None else (pvalue * (1 - pvalue) / null.n_draws) ** 0.5,
            n_draws=null.n_draws,
            reason=null.reason,
            null_mean=null.mean,
            two_sided=two_sided.lower() if alternative == "two-sided" else None,
        )

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("weights", self.weights),
            ("value", numbers.decimal(self.value)),
            ("mean by chance", numbers.decimal(self.null_mean)),
            ("p-value", numbers.pvalue(self.pvalue)),
            ("alternative", f"{self.alternative}, by {self.two_sided}" if self.two_sided else self.alternative),
            ("method", self.method if self.n_draws is None else f"{self.method}, {self.n_draws:,} tables"),
        ]
        return rows if self.se is None else [*rows, ("standard error", numbers.pvalue(self.se))]
