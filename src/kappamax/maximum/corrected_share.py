"""Estimate the share of its maximum that a coefficient reaches in the population, corrected for chance margins.

The margins of a sample differ by chance even if the raters use the categories equally often in the population. The
sample then forces disagreement that the population does not force, its maximum is too small, and the ratio of the
coefficient to that maximum is too large.

The forced disagreement is a convex function of the margins with a kink where the margins are equal. Its bias is of the
order of 1 / sqrt(N) at the kink and much smaller elsewhere. If the population's margins are equal, a bootstrap resample
has differences of margins with twice the variance of those of the sample, and forces sqrt(2) times as much
disagreement on average. Therefore 1 / (sqrt(2) - 1) times the bootstrap estimate of the bias is subtracted. This is the
whole bias at the kink. Away from it, the bootstrap estimate is small and the factor does little harm. If permuting the
ratings of each subject among the raters often forces at least as much disagreement, nothing is taken to be forced.

The confidence interval is the union of two intervals. The first is the adjusted interval of the ratio by the delta
method, whose derivatives contain the dual prices of the maximum; it is valid where margins differ clearly. The second
is the adjusted interval of the coefficient divided by an upper confidence limit of the maximum; it is valid where they
are equal or nearly equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

import numpy as np

from kappamax._progress import ProgressLike, as_progress
from kappamax._result import Result
from kappamax._validate import as_generator, as_number_between, as_whole_number, require_n_jobs
from kappamax.coefficients import as_objective
from kappamax.confidence_intervals import (
    adjusted_interval,
    adjusted_reaches,
)
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import NotSupportedError
from kappamax.io import Ratings
from kappamax.maximum.forced_by_chance import ChanceComparison, compare_with_chance, real_prices
from kappamax.maximum.least_disagreements import has_formula, solve_margins
from kappamax.maximum.max_kappa import max_kappa
from kappamax.maximum.maximum_result import Maximum
from kappamax.pseudo_subjects import pseudo_subjects_for, with_pseudo_subjects
from kappamax.standard_errors import Derivatives, derivatives_at
from kappamax.table import Label
from kappamax.weights import WeightsLike

#: p-value from which on the sample's forced disagreement is taken to be chance
CHANCE_PVALUE = 0.25
_BIAS_FACTOR = 1 / (sqrt(2) - 1)
_RESAMPLES, _RESAMPLES_BY_SOLVER, _MOST_RESAMPLES = 1000, 200, 1_000_000
_MOST_PARTS, _MOST_TOTAL = 1000, 2**60  # units of a pseudo-subject, and the largest total of margins in these units


def share_of_maximum(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: np.random.Generator | int | None = None,
    n_jobs: int = 1,
    progress: ProgressLike = None,
    categories: Sequence[Label] | None = None,
) -> ShareOfMaximum:
    """Estimate the share of its maximum that a coefficient reaches, corrected for margins that differ by chance.

    The quantity that is estimated is the coefficient of the population of subjects, divided by its largest value over
    all populations with the same margins. The plain ratio of a sample, ``Maximum.ratio``, exceeds it on average,
    because the margins of a sample differ by chance.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects, none of them missing. A frame has one column per rater; arrays have one entry per
        subject.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    level : float
        Confidence level, default 0.95.
    n_resamples : int, optional
        Number of bootstrap resamples and of random permutations, at most a million. The default is 1,000 if the maximum
        follows from a formula (Monge weights such as linear and quadratic, and unweighted disagreement of two or three
        raters), and 200 if a problem is solved for each of them, which takes longer.
    rng : int, numpy.random.Generator or None
        Seed or source of randomness. None (default) draws a fresh seed.
    n_jobs : int
        Number of processes, default 1. The result does not depend on it.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` from time
        to time; `done` and `total` are numbers of resamples and permutations.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    ShareOfMaximum
        Corrected share and maximum, the plain ones, and a confidence interval of the share.

    Raises
    ------
    UndefinedKappaError
        If all raters used a single category, or only categories between which the weights are zero.
    NotSupportedError
        If ratings are missing, or if the weights depend on the ratings.

    See Also
    --------
    kappamax.max_kappa : The maximum of the sample itself, with a proof.
    kappamax.maximum.bootstrap_ratio : Bootstrap of the plain ratio; also with missing ratings.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.maximum.share_of_maximum(km.example("rapallo2022"), weights="linear", rng=1)
    >>> round(found.ratio, 2), round(found.share, 2)
    (0.67, 0.61)
    """
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories)
    if objective.table.clusters is not None:
        raise NotSupportedError(
            "the corrected share assumes independent subjects, but the subjects are in clusters; bootstrap_ratio "
            "resamples clusters."
        )
    level = as_number_between("level", level, 0, 1)
    usual = _RESAMPLES if has_formula(objective) else _RESAMPLES_BY_SOLVER
    n_resamples = as_whole_number("n_resamples", usual if n_resamples is None else n_resamples, 2, _MOST_RESAMPLES)
    generator = as_generator(rng)
    require_n_jobs(n_jobs)
    progress = as_progress(progress)
    if objective.table.n_missing:
        raise NotSupportedError(
            "share_of_maximum needs complete ratings; the number of missing ratings is "
            f"{objective.table.n_missing}. Use maximum.bootstrap_ratio."
        )
    if objective.varying_weights:
        raise NotSupportedError(
            f"share_of_maximum needs weights that do not depend on the ratings; got {objective.weights.name} weights. "
            "Use maximum.bootstrap_ratio."
        )
    found = max_kappa(objective)
    plain = _plain(found, level)
    if found.ratio is None:
        return plain
    chance = ChanceComparison(forced=0.0, bias=0.0, pvalue=1.0, least_forced=0.0, n_resamples=0)
    if found.solution.cost != 0:
        chance = compare_with_chance(found.solution, level, n_resamples, generator, n_jobs, progress)
    forced = chance.forced - _BIAS_FACTOR * chance.bias if chance.pvalue < CHANCE_PVALUE else 0.0
    expected = float(objective.expected)
    corrected = min(1.0, max(1 - max(0.0, forced) / expected, found.maximum))
    share = found.value / corrected
    top = 1 - chance.least_forced / expected
    return replace(
        plain,
        share=share,
        corrected_maximum=corrected,
        ci=_interval(objective, level, share, top),
        pvalue=chance.pvalue,
        n_resamples=chance.n_resamples,
        notes=_notes(chance),
    )


@dataclass(frozen=True, repr=False)
class ShareOfMaximum(Result):
    """Share of its maximum that a coefficient reaches; ``float(result)`` returns the corrected share.

    Attributes
    ----------
    title : str
        Name of the coefficient.
    weights : str
        Name of the weights.
    value : float
        Coefficient of the sample.
    maximum : float
        Largest value of the coefficient that the margins of the sample allow.
    ratio : float or None
        ``value / maximum``, the plain ratio of the sample; None if it is undefined.
    corrected_maximum : float or None
        Estimate of the maximum of the population. It is at least `maximum`, and 1 if the margins of the sample differ
        no more than by chance.
    share : float or None
        ``value / corrected_maximum``, the estimated share of the population; None if `ratio` is.
    ci : tuple of two floats, or None
        Confidence interval of the share in the population; None if `ratio` is.
    level : float
        Confidence level.
    pvalue : float or None
        Probability that at least as much disagreement is forced if the ratings of each subject are permuted at random
        among the raters. The corrected maximum is 1 from 0.25 on.
    n_resamples : int
        Number of bootstrap resamples, and of random permutations. It is 0 if the margins force no disagreement, so that
        nothing has to be corrected, and if the ratio is undefined. The disagreement that margins force is defined for
        every resample, so that none is excluded.
    reason : str or None
        Reason why the ratio is undefined; None if it is defined.
    notes : tuple of str
        Notes about how the maximum was corrected.
    """

    title: str
    weights: str
    value: float
    maximum: float
    ratio: float | None
    corrected_maximum: float | None
    share: float | None
    ci: tuple[float, float] | None
    level: float
    pvalue: float | None
    n_resamples: int
    reason: str | None = None
    notes: tuple[str, ...] = field(default=(), repr=False)

    def __float__(self) -> float:
        return float("nan") if self.share is None else self.share

    def _rows(self) -> list[tuple[str, str]]:
        first = [
            (f"{self.title}, {self.weights}", numbers.decimal(self.value)),
            ("maximum of the sample", numbers.decimal(self.maximum)),
        ]
        if self.ratio is None:
            return [*first, ("share of the maximum", f"undefined: {self.reason}")]
        return [
            *first,
            ("plain ratio", numbers.decimal(self.ratio)),
            ("corrected maximum", numbers.decimal(self.corrected_maximum)),
            ("corrected share", numbers.decimal(self.share)),
            (f"{100 * self.level:g}% interval", numbers.interval(self.ci)),
            ("resamples", numbers.count(self.n_resamples)),
            *(("note", note) for note in self.notes),
        ]


def _plain(found: Maximum, level: float) -> ShareOfMaximum:
    """Return the result without correction and interval."""
    return ShareOfMaximum(
        title=found.title,
        weights=found.weights,
        value=found.value,
        maximum=found.maximum,
        ratio=found.ratio,
        corrected_maximum=None,
        share=None,
        ci=None,
        level=level,
        pvalue=None,
        n_resamples=0,
        reason=found.ratio_reason,
        _data=found.data,
    )


def _notes(chance: ChanceComparison) -> tuple[str, ...]:
    """Return how the maximum was corrected."""
    if chance.n_resamples == 0:
        return ("the margins force no disagreement, so nothing was corrected",)
    if chance.pvalue < CHANCE_PVALUE:
        return ("the disagreement that the margins force is reduced by its estimated bias",)
    shown = numbers.pvalue(chance.pvalue)
    return (f"the margins differ no more than by chance (p = {shown}), so the corrected maximum is 1",)


def _interval(objective: Objective, level: float, share: float, top: float) -> tuple[float, float]:
    """Return the union of the adjusted interval of the ratio and that of the coefficient divided by `top`.

    Parameters
    ----------
    objective : Objective
        Table, weights and coefficient.
    level : float
        Confidence level.
    share : float
        Corrected share, which the interval contains.
    top : float
        Upper confidence limit of the maximum.
    """
    low, high = adjusted_interval(objective, level)
    center, reach = _ratio_and_reach(objective, level)
    return min(low / top, center - reach, share), min(1.0, max(high / top, center + reach, share))


def _ratio_and_reach(objective: Objective, level: float) -> tuple[float, float]:
    """Return the plain ratio of the table with pseudo-subjects, and its standard error times a quantile.

    The maximum is 1 - F / D_e, where F is the total of the prices over all ratings, so the derivative of F by the count
    of a pattern is the sum of the prices of its ratings. The ratio is kappa / maximum.
    """
    evaluator, table = Evaluator(objective), objective.table
    pseudo, n_pseudo = pseudo_subjects_for(evaluator, level)
    totals = with_pseudo_subjects(evaluator, evaluator.totals(), pseudo, n_pseudo)
    per_category = n_pseudo / table.n_categories
    unit = max(1, min(_MOST_PARTS, _MOST_TOTAL // table.n_subjects))  # whole margins, as the solvers need them
    prices = real_prices(solve_margins(objective, unit * table.margins + round(unit * per_category)))
    forced = totals._replace(score=float((prices * (table.margins + per_category)).sum()))
    value, maximum = float(evaluator.value_of(totals)), float(evaluator.value_of(forced))
    of_value, of_maximum = derivatives_at(evaluator, totals), derivatives_at(evaluator, forced)
    ratio = value / maximum
    use_weight = float(evaluator.own.use_weights[0])  # the same for all patterns, because no ratings are missing
    of_ratio = Derivatives(
        of_value.by_score / maximum,
        (of_value.by_units - ratio * of_maximum.by_units) / maximum,
        (of_value.by_size - ratio * of_maximum.by_size) / maximum,
        (of_value.by_use - ratio * (of_maximum.by_use + of_maximum.by_score * prices / use_weight)) / maximum,
    )
    return ratio, float(adjusted_reaches(pseudo, n_pseudo, totals, of_ratio, table.rows, level))
