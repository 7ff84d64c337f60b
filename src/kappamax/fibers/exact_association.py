"""Estimate and test the association behind agreement, conditionally on the margins and exactly.

The model gives the ratings x of a subject a probability proportional to a product of one factor for each rater's rating
and exp(theta w(x)), where w(x) is the mean agreement of the pairs of raters. Given the margins, the total agreement is
sufficient for theta, and its distribution depends on theta alone (`score_tilting`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isinf
from typing import Any

import numpy as np

from kappamax._progress import ProgressLike, callback_for
from kappamax._result import Result, plain
from kappamax._validate import as_choice, as_finite_number, as_number_between
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import InvalidOptionError, NotSupportedError, UndefinedKappaError
from kappamax.fibers.distribution import ALTERNATIVES
from kappamax.fibers.limits import MEMORY_LIMIT, require_independent_subjects
from kappamax.fibers.log_probabilities import log_probabilities
from kappamax.fibers.score_tilting import TWO_SIDED, TiltedScores
from kappamax.io import Ratings
from kappamax.table import Label
from kappamax.weights import WeightsLike

#: default number of additions that computing the null distribution may take, which is about a minute
WORK_LIMIT = 2e10


def exact_association(
    *ratings: Ratings | Objective,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    level: float = 0.95,
    null: float = 0.0,
    alternative: str = "greater",
    two_sided: str = "distance",
    mid_p: bool = False,
    memory_limit: float = MEMORY_LIMIT,
    work_limit: float = WORK_LIMIT,
    progress: ProgressLike = None,
    categories: Sequence[Label] | None = None,
) -> ExactAssociation:
    """Estimate the association of the raters given their margins, with an exact confidence interval and test.

    For two raters, the model is p_ij proportional to a_i b_j exp(theta w_ij), where w_ij is the agreement of the
    categories i and j, which is one minus their disagreement weight. For more raters, w is the mean agreement of the
    pairs of raters. Conditioning on the margins removes the unknown a_i and b_j. Raters who rate independently of each
    other have theta = 0, and theta > 0 means more agreement than expected by chance.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays; or an Objective
        The observed ratings. Some may be missing.
    weights : str, Weights or mapping, optional
        Weights, as for `agreement`; default "unweighted".
    coefficient : str, optional
        Name of the coefficient on whose scale the result is also given, as for `agreement`; default "kappa". Theta does
        not depend on it.
    level : float, optional
        Confidence level, default 0.95.
    null : float, optional
        Value of theta under the null hypothesis, default 0, which means that the raters rate independently.
    alternative : {"greater", "less", "two-sided"}, optional
        Alternative hypothesis: theta is greater than `null` (the default), less, or different.
    two_sided : {"distance", "probability", "tails"}, optional
        Definition of the two-sided p-value. "distance", the default, sums the probabilities of all values of the
        coefficient that are at least as far from its mean under the null hypothesis as the observed value.
        "probability" sums the probabilities of all values that are no more probable than the observed value, as R's
        `fisher.test` does. "tails" is twice the smaller one-sided p-value; it is at most 1 - level if `null` is outside
        the confidence interval, and above otherwise.
    mid_p : bool, optional
        Whether the probability of the observed agreement counts half in the interval and in the p-value. The interval
        is then shorter and its coverage closer to `level`, but it may be below. Default False.
    memory_limit : float, optional
        Number of bytes that computing the null distribution may use, default 1e9.
    work_limit : float, optional
        Number of additions that computing the null distribution may take, default 2e10, which is about a minute.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with the
        amount of work.
    categories : sequence of labels, optional
        All categories in order, including unused ones, as for `agreement`. By default they are taken from the ratings.

    Returns
    -------
    ExactAssociation
        The conditional maximum likelihood estimate of theta, its confidence interval and the test.

    Raises
    ------
    UndefinedKappaError
        If the coefficient is undefined, or if theta is not identified because all tables with these margins have the
        same agreement.
    NotSupportedError
        If the exact null distribution exceeds the limits of memory or work or, for weights that are not exact, if the
        fiber has too many tables. The message gives the reason. Also if the coefficient compares more than two raters
        at a time, or if ratings are missing and the coefficient does not compare tables by the mean agreement of each
        subject's pairs of raters alone.
    InvalidOptionError
        If an option has an unknown value, `level` is not between 0 and 1, `null` is not finite, `work_limit` is not
        positive, or `two_sided` is not
        "distance" and `alternative` is not "two-sided".

    See Also
    --------
    exact_test : Test of theta = 0, also for designs without an exact distribution.

    Notes
    -----
    The interval consists of all theta that neither of the two one-sided tests at level (1 - level) / 2 rejects. The
    probability that it contains the true theta is at least `level`, for every theta and all margins.

    Theta is infinite if the observed agreement is the largest (plus infinity) or the smallest (minus infinity) that the
    margins allow; the interval then has one finite end.

    Examples
    --------
    For two raters and two categories, exp(2 theta) is the odds ratio, and the results are those of R's `fisher.test`
    and of `scipy.stats.contingency.odds_ratio`.

    >>> import kappamax as km
    >>> found = km.exact_association(km.from_counts([[3, 7], [6, 4]]))
    >>> round(found.odds_ratio, 4), [round(limit, 4) for limit in found.odds_ratio_ci]
    (0.3054, [0.03, 2.4643])
    """
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories)
    require_independent_subjects("the exact association", objective.table)
    _require_mean_agreement(objective)
    level = as_number_between("level", level, 0, 1)
    null = as_finite_number("null", null)
    alternative = as_choice("alternative", alternative, ALTERNATIVES)
    two_sided = as_choice("two_sided", two_sided, TWO_SIDED)
    if alternative != "two-sided" and two_sided != "distance":
        raise InvalidOptionError(f"two_sided={two_sided!r} needs alternative='two-sided'; got {alternative!r}.")
    work_limit = as_number_between("work_limit", work_limit, 0, inf)
    value = objective.value(objective.score)  # raises if the coefficient is undefined
    tell = callback_for(progress, "null distribution")
    found = log_probabilities(objective, memory_limit=memory_limit, work_limit=work_limit, progress=tell)
    tilted = TiltedScores.of(objective, found)
    if not tilted.identified:
        raise UndefinedKappaError("theta is not identified, because all tables with these margins agree equally")
    tail = (1 - level) / 2
    theta = tilted.estimate()
    low, high = (tilted.limit(tail, upper=upper, mid_p=mid_p) for upper in (False, True))
    contrast = _log_odds_ratio_per_theta(objective)
    return ExactAssociation(
        coefficient=objective.coefficient.name,
        title=objective.coefficient.title,
        weights=objective.weights.name,
        value=value,
        theta=theta,
        ci=(low, high),
        level=level,
        end=tilted.end,
        value_ci=(tilted.mean_value(low), tilted.mean_value(high)),
        null=null,
        pvalue=tilted.pvalue(null, alternative, two_sided, mid_p=mid_p),
        alternative=alternative,
        two_sided=two_sided if alternative == "two-sided" else None,
        mid_p=bool(mid_p),
        odds_ratio=None if contrast is None else _exponential(contrast * theta),
        odds_ratio_ci=None if contrast is None else (_exponential(contrast * low), _exponential(contrast * high)),
        _data=objective.table.data,
    )


@dataclass(frozen=True, repr=False)
class ExactAssociation(Result):
    """Association of the raters given their margins, with an exact confidence interval and test.

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
    theta : float
        Conditional maximum likelihood estimate, at which the mean of the coefficient, given the margins, is the
        observed value. It is infinite if the observed table is at an end of the fiber.
    ci : tuple of two floats
        Confidence interval for theta, whose ends may be infinite.
    level : float
        Confidence level.
    end : {"largest", "smallest"} or None
        "largest" if no table with these margins agrees more than the observed one, so that theta is plus infinity;
        "smallest" if none agrees less, so that theta is minus infinity; None if theta is finite.
    value_ci : tuple of two floats
        Mean of the coefficient, given the margins, at both ends of `ci`. This is the confidence interval for that mean.
        At an infinite end it is the largest or the smallest value of the coefficient that the margins allow.
    null : float
        Value of theta under the null hypothesis.
    pvalue : float
        Exact p-value of the test of theta = `null`.
    alternative : {"greater", "less", "two-sided"}
        The alternative hypothesis.
    two_sided : {"distance", "probability", "tails"} or None
        Definition of the two-sided p-value; None for a one-sided test.
    mid_p : bool
        Whether the probability of the observed agreement counts half in the interval and in the p-value.
    odds_ratio : float or None
        Conditional maximum likelihood estimate of the odds ratio; None unless there are two raters and two categories.
    odds_ratio_ci : tuple of two floats, or None
        Confidence interval for the odds ratio; None unless there are two raters and two categories.
    """

    coefficient: str
    title: str
    weights: str
    value: float
    theta: float
    ci: tuple[float, float]
    level: float
    end: str | None
    value_ci: tuple[float, float]
    null: float
    pvalue: float
    alternative: str
    two_sided: str | None
    mid_p: bool
    odds_ratio: float | None
    odds_ratio_ci: tuple[float, float] | None

    @property
    def end_sentence(self) -> str | None:
        """Sentence that says why theta is infinite; None if it is finite."""
        if self.end is None:
            return None
        sign = "plus" if self.end == "largest" else "minus"
        return f"theta is {sign} infinity, because the observed agreement is the {self.end} that the margins allow"

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data for JSON, in which infinite numbers are null."""
        return {name: _without_infinity(value) for name, value in super().to_dict().items()}

    def _rows(self) -> list[tuple[str, str]]:
        interval = f"{100 * self.level:g}% {'mid-p ' if self.mid_p else ''}interval"
        rows = [
            ("weights", self.weights),
            ("value", numbers.decimal(self.value)),
            ("theta", numbers.decimal(self.theta)),
            (f"{interval} of it", numbers.interval(self.ci)),
            ("mean value at these ends", numbers.interval(self.value_ci)),
        ]
        if self.odds_ratio is not None:
            rows.append(("odds ratio", numbers.decimal(self.odds_ratio)))
            rows.append((f"{interval} of it", numbers.interval(self.odds_ratio_ci)))
        rows += [
            (f"p-value, theta = {self.null:g}", numbers.pvalue(self.pvalue)),
            ("alternative", f"{self.alternative}, by {self.two_sided}" if self.two_sided else self.alternative),
        ]
        return rows if self.end_sentence is None else [*rows, ("note", f"{self.end_sentence}.")]


def _require_mean_agreement(objective: Objective) -> None:
    """Require that the coefficient compares tables by the mean agreement of each subject's pairs of raters alone."""
    coefficient = objective.coefficient
    if coefficient.group_size > 2:
        raise NotSupportedError(
            f"exact_association works with pairwise agreement; got {coefficient.group_size} raters at a time."
        )
    objective.require_fixed_weights("the exact association")
    if not objective.table.complete and (coefficient.by_rating or not objective.fixed_chance):
        raise NotSupportedError(
            f"with these missing ratings, {coefficient.title} does not compare tables by their mean agreement alone. "
            "Use coefficient 'kappa', 'brennan-prediger' or 'percent' for the exact association; theta is the same for "
            "all of them."
        )


def _log_odds_ratio_per_theta(objective: Objective) -> float | None:
    """Return the log odds ratio at theta = 1, or None unless there are two raters and two categories.

    It is w_11 + w_22 - w_12 - w_21 = u_12 + u_21, which is 2 for all named weights.
    """
    if objective.table.n_raters != 2 or objective.table.n_categories != 2:
        return None
    (_, _, weights), *_ = objective.pairs()
    return float(weights.matrix[0, 1] + weights.matrix[1, 0])


def _exponential(exponent: float) -> float:
    """Return the exponential of a number that may be large or infinite."""
    with np.errstate(over="ignore"):
        return float(np.exp(exponent))


def _without_infinity(value: Any) -> Any:
    """Return plain data in which infinite numbers are replaced by None."""
    if isinstance(value, list):
        return [_without_infinity(item) for item in value]
    return None if isinstance(value, float) and isinf(value) else plain(value)
