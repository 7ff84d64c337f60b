"""Compute confidence intervals that cover the coefficient of the population as often as they say.

The usual interval, the estimate -+ a quantile times its standard error, covers far less often than its level if
agreement is high, if a category is rare, or if there are few subjects, and it has no width at all if the raters agree
perfectly. The adjusted interval is the usual one after some pseudo-subjects are added to the table, as Agresti and
Coull (1998) do for a proportion. Half a squared normal quantile of pseudo-subjects is added, which is about two for a
level of 95%: a share of them is rated alike by all raters, and the ratings of the others are independent, with all
categories equally likely. For two raters and two categories, twice as many are added and all are independent, which
adds about one subject to each cell. The numbers were chosen by a study of coverage (docs/intervals.md).
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations_with_replacement
from math import comb, inf
from typing import Any

import numpy as np

from kappamax._typing import Array
from kappamax._validate import as_choice, as_number_between
from kappamax.disagreement.evaluator import Evaluator, Totals
from kappamax.disagreement.krippendorff_metrics import squared_distances
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.exact_interval import exact_interval
from kappamax.standard_errors import (
    Derivatives,
    StandardError,
    derivatives_at,
    normal_interval,
    pattern_slopes,
    quantile_of,
    quantiles_of,
    sample_counts,
)
from kappamax.table import Rows
from kappamax.weights import PairWeights

INTERVALS = ("auto", "adjusted", "exact", "normal")
MOST_ADJUSTED = 10_000  # different patterns of ratings; for more, the subjects are so many that the formula is used
_MOST_LISTED = 20_000  # patterns that are listed to find the largest disagreement
_ROUNDING = 1e-9  # largest eigenvalue that counts as zero
_UNANIMOUS = 0.3  # share of the pseudo-subjects that all raters rate alike


def confidence_interval(
    objective: Objective, error: StandardError, *, level: float = 0.95, method: str = "auto"
) -> tuple[tuple[float, float] | None, str]:
    """Return a confidence interval of a coefficient, and the name of its method.

    Parameters
    ----------
    objective : Objective
        Table, weights and coefficient.
    error : StandardError
        Standard error of the coefficient, on which the interval "normal" is based.
    level : float
        Confidence level, default 0.95.
    method : {"auto", "adjusted", "exact", "normal"}
        Method of the interval, default "auto", which is "adjusted" up to 10,000 different patterns of ratings and
        "normal" for more.

    Raises
    ------
    NotSupportedError
        If the method is "exact" and the coefficient is not Cohen's kappa of a complete 2 x 2 table of up to 100
        subjects.
    """
    level = as_number_between("level", level, 0, 1)
    method = as_choice("interval", method, INTERVALS)
    if method == "auto":
        method = "adjusted" if len(objective.table.rows.counts) <= MOST_ADJUSTED else "normal"
    if method == "adjusted":
        return adjusted_interval(objective, level), method
    if method == "exact":
        return _exact_interval(objective, level), method
    return normal_interval(objective.value(objective.score), error, level), method


def _exact_interval(objective: Objective, level: float) -> tuple[float, float]:
    """Return the interval of a 2 x 2 table whose coverage is proven."""
    table = objective.table
    if objective.coefficient.name != "cohen" or not table.complete or table.n_categories != 2:
        raise NotSupportedError(
            "the exact interval is for Cohen's kappa of two raters and two categories without missing ratings; "
            "use the interval 'adjusted'."
        )
    counts = np.zeros((2, 2), dtype=np.int64)
    counts[table.patterns[:, 0], table.patterns[:, 1]] = table.counts
    return exact_interval(counts, level=level)


def adjusted_interval(objective: Objective, level: float) -> tuple[float, float]:
    """Return the adjusted interval of a table, which contains the estimate and lies in the range of the coefficient."""
    evaluator = Evaluator(objective)
    centers, reaches = _centers_and_reaches(evaluator, evaluator.totals(), objective.table.rows, level)
    low, high = _limits(objective, np.asarray(objective.value(objective.score)), centers, reaches)
    return float(low), float(high)


def adjusted_intervals_at(objective: Objective, counts: Array, level: float) -> tuple[Array, Array, Array]:
    """Return the limits of the adjusted interval at each row of counts, and its full width before it is truncated.

    The shapes are (...,). The limits are NaN where the coefficient is undefined.
    """
    evaluator = Evaluator(objective)
    totals = evaluator.totals(counts)
    rows = objective.table.grouped._replace(counts=np.asarray(counts, dtype=float))
    centers, reaches = _centers_and_reaches(evaluator, totals, rows, level)
    return *_limits(objective, evaluator.value_of(totals), centers, reaches), 2 * reaches


def adjusted_centers_and_errors(
    objective: Objective, counts: Array | None, level: float, *, share: float = 1.0
) -> tuple[Array, Array]:
    """Return the value and the standard error of tables with the pseudo-subjects of an interval, shape (...,).

    The tables are the rows of `counts`, or the table of the objective if `counts` is None. Of the pseudo-subjects, only
    a share is added if `share` is below 1.
    """
    evaluator = Evaluator(objective)
    table = objective.table
    rows = table.rows if counts is None else table.grouped._replace(counts=np.asarray(counts, dtype=float))
    pseudo, n_pseudo = pseudo_subjects(evaluator, level)
    n_pseudo *= share
    totals = with_pseudo_subjects(evaluator, evaluator.totals(counts), pseudo, n_pseudo)
    errors = adjusted_errors(pseudo, n_pseudo, totals, derivatives_at(evaluator, totals), rows)
    return evaluator.value_of(totals), errors


def _limits(objective: Objective, estimates: Array, centers: Array, reaches: Array) -> tuple[Array, Array]:
    """Return center -+ reach within the range of the coefficient, extended to the estimate."""
    low, high = np.maximum(centers - reaches, smallest_value(objective)), np.minimum(centers + reaches, 1.0)
    return np.minimum(low, estimates), np.maximum(high, estimates)


def _centers_and_reaches(evaluator: Evaluator, totals: Totals, rows: Rows, level: float) -> tuple[Array, Array]:
    """Return the value of tables with pseudo-subjects, and their standard error times a quantile."""
    pseudo, n_pseudo = pseudo_subjects(evaluator, level)
    totals = with_pseudo_subjects(evaluator, totals, pseudo, n_pseudo)
    reaches = adjusted_reaches(pseudo, n_pseudo, totals, derivatives_at(evaluator, totals), rows, level)
    return evaluator.value_of(totals), reaches


def pseudo_subjects(evaluator: Evaluator, level: float) -> tuple[PseudoSubjects, float]:
    """Return the pseudo-subjects that are added to a table at a confidence level, and their number."""
    small = evaluator.table.n_raters == evaluator.table.n_categories == 2
    squared = quantile_of((1 + level) / 2, None) ** 2
    n_pseudo, unanimous = (squared, 0.0) if small else (squared / 2, _UNANIMOUS)
    return PseudoSubjects(evaluator, unanimous), n_pseudo


def with_pseudo_subjects(evaluator: Evaluator, totals: Totals, pseudo: PseudoSubjects, n_pseudo: float) -> Totals:
    """Return the totals of tables to which pseudo-subjects are added."""
    return evaluator.rescored(_sum(totals, pseudo.totals, n_pseudo))


def adjusted_reaches(
    pseudo: PseudoSubjects, n_pseudo: float, totals: Totals, derivatives: Derivatives, rows: Rows, level: float
) -> Array:
    """Return a quantile times the standard error of a statistic of tables with pseudo-subjects.

    The statistic is known by its derivatives at the totals of these tables. `rows` are the subjects without the
    pseudo-subjects.
    """
    errors = adjusted_errors(pseudo, n_pseudo, totals, derivatives, rows)
    if _by_normal(pseudo.objective):
        return np.asarray(quantile_of((1 + level) / 2, None) * errors)
    n = _adjusted_size(pseudo.objective, rows, n_pseudo)
    return np.asarray(quantiles_of((1 + level) / 2, n - 1) * errors)


def adjusted_errors(
    pseudo: PseudoSubjects, n_pseudo: float, totals: Totals, derivatives: Derivatives, rows: Rows
) -> Array:
    """Return the standard error of a statistic of tables with pseudo-subjects; see `adjusted_reaches`."""
    evaluator, objective = pseudo.evaluator, pseudo.objective
    mean, variance = pseudo.slope_moments(derivatives, totals)
    slopes = pattern_slopes(evaluator, totals, derivatives, rows.patterns)
    counts = sample_counts(objective, rows, "gwet")
    center = ((counts * slopes).sum(axis=-1) + n_pseudo * mean) / (counts.sum(axis=-1) + n_pseudo)
    spread = (counts * (slopes - center[..., None]) ** 2).sum(axis=-1) + n_pseudo * (variance + (mean - center) ** 2)
    if _by_normal(objective):
        return np.asarray(np.sqrt(spread))
    n = _adjusted_size(objective, rows, n_pseudo)
    return np.asarray(np.sqrt(spread * n / (n - 1)))


def _by_normal(objective: Objective) -> bool:
    """Return whether the quantile is that of the normal distribution, as in the formula of Cohen's kappa."""
    return objective.coefficient.name == "cohen" and objective.table.complete


def _adjusted_size(objective: Objective, rows: Rows, n_pseudo: float) -> Array:
    """Return the number of subjects with ratings to compare, with pseudo-subjects; NaN if it is 1 or less."""
    n = sample_counts(objective, rows, "delta").sum(axis=-1) + n_pseudo
    return np.where(n > 1, n, np.nan)


class PseudoSubjects:
    """Subjects that are added to a table: some are rated alike by all raters, the others independently.

    All categories are equally likely. With missing ratings, the sets of raters are those of the table, with the same
    frequencies. Sums and moments over pseudo-subjects are computed from those of single ratings and of pairs; patterns
    are not listed.

    Parameters
    ----------
    evaluator : Evaluator
        Evaluator of the objective.
    unanimous : float
        Share of the subjects that all raters rate alike.
    """

    def __init__(self, evaluator: Evaluator, unanimous: float) -> None:
        self.evaluator, self.unanimous = evaluator, unanimous
        objective = self.objective = evaluator.objective
        rows = objective.table.rows
        enough = rows.n_ratings >= objective.coefficient.group_size
        if objective.table.complete:
            self.sets, self.shares = np.ones((1, objective.table.n_raters)), np.ones(1)
        else:
            own, index = np.unique(rows.patterns[enough] >= 0, axis=0, return_inverse=True)
            totals = np.bincount(index.ravel(), weights=rows.counts[enough])
            self.sets, self.shares = own.astype(float), totals / totals.sum()
        sizes = self.sizes = self.sets.sum(axis=1).astype(int)
        features = evaluator.features(np.where(self.sets > 0, 0, -1).astype(rows.patterns.dtype))
        self.units, self.use_weights = features.units, features.use_weights
        self.factors = np.array([float(objective.coefficient.subject_weight(int(size))) for size in sizes])

    @cached_property
    def totals(self) -> Totals:
        """Expected contributions of one pseudo-subject to the totals."""
        k = self.objective.table.n_categories
        use: Any = np.repeat((self.shares * self.use_weights) @ self.sets, k).reshape(-1, k) / k
        if self.objective.coefficient.use != "raters":
            use = use.sum(axis=0)
        if self.objective.varying_weights:
            met = self.shares @ (self.factors * self.sizes * (self.sizes - 1))
            pairs = np.full((k, k), (1 - self.unanimous) * met / (2 * k**2))
            return Totals(0.0, float(self.shares @ self.units), 1.0, use, pairs)  # scored with the weights of the whole
        score = (1 - self.unanimous) * float(self.shares @ self._score_effects(None)[0])
        return Totals(score, float(self.shares @ self.units), 1.0, use)

    def slope_moments(self, derivatives: Derivatives, totals: Totals) -> tuple[Array, Array]:
        """Return the mean and the variance of the slope of the coefficient over pseudo-subjects, shape (...,).

        The slope of a pattern is by_score * score + by_units * units + by_size + the sum of by_use over its ratings.
        For independent ratings, its variance is the sum of the variances of the effects of single ratings and of the
        interactions of pairs.
        """
        by_score, by_units, by_size, by_use = derivatives
        by_rating = by_use - by_use.mean(axis=-1, keepdims=True)
        constants = by_units * self.units + by_size + self.use_weights * (by_use.mean(axis=-1) @ self.sets.T)
        mean_scores, effects, interactions = self._score_effects(totals)
        scale = by_score * self.factors
        means = constants + by_score * mean_scores
        single = scale[..., None, None] * effects + self.use_weights[:, None, None] * by_rating[..., None, :, :]
        variances = (self.sets * (single**2).mean(axis=-1)).sum(axis=-1) + scale**2 * interactions
        alike = self.use_weights**2 * ((self.sets @ by_rating) ** 2).mean(axis=-1)  # all raters in one category
        share = self.unanimous
        mean = ((1 - share) * means + share * constants) @ self.shares
        around = mean[..., None]
        second = (1 - share) * (variances + (means - around) ** 2) + share * (alike + (constants - around) ** 2)
        return mean, second @ self.shares

    def _score_effects(self, totals: Totals | None) -> tuple[Array, Array, Array]:
        """Return the mean score of independent ratings, the effects of single ratings, and the variance of the rest.

        The shapes are (..., sets), (..., sets, r or 1, k) and (..., sets). The effects and the variance are those of
        the disagreement before it is multiplied by the weight of the subject. With weights that depend on the use of
        categories, `totals` says at which use.
        """
        weights, sizes = self.objective.weights, self.sizes
        if self.objective.coefficient.group_size > 2:
            return self._group_effects()
        if isinstance(weights, PairWeights):
            return self._effects_by_pair(weights)
        if self.objective.varying_weights:
            assert totals is not None
            matrix = squared_distances(self.evaluator.positions(totals.use))
        else:
            matrix = weights.matrix
        mean, first, _, rest = _decomposed(matrix)
        pairs = sizes * (sizes - 1) / 2
        effects = (sizes - 1)[:, None, None] * first[..., None, None, :]
        return pairs * mean[..., None] * self.factors, effects, pairs * rest[..., None]

    def _effects_by_pair(self, weights: PairWeights) -> tuple[Array, Array, Array]:
        """Return `_score_effects` for weights per pair of raters."""
        r, k = self.objective.table.n_raters, self.objective.table.n_categories
        means, interactions, effects = np.zeros((r, r)), np.zeros((r, r)), np.zeros((r, r, k))
        for (a, b), own in weights.by_pair.items():
            means[a, b], effects[a, b], effects[b, a], interactions[a, b] = _decomposed(own.matrix)
        both = np.einsum("sa,sb->sab", self.sets, self.sets)
        together = np.einsum("sb,abk->sak", self.sets, effects)
        return (both * means).sum(axis=(1, 2)) * self.factors, together, (both * interactions).sum(axis=(1, 2))

    def _group_effects(self) -> tuple[Array, Array, Array]:
        """Return `_score_effects` for groups of g > 2 raters, who disagree unless all of them agree.

        A single rating tells nothing about agreement. Two groups with m > 0 raters in common agree both with
        probability k^(1 - 2g + m), and groups without common raters are independent.
        """
        g, k = self.objective.coefficient.group_size, self.objective.table.n_categories
        agree = float(k) ** (1 - g)
        means, variances = [], []
        for size in self.sizes.tolist():
            n_groups = comb(size, g)
            both = [
                comb(g, m) * comb(size - g, g - m) * (float(k) ** (1 - 2 * g + m) - agree**2) for m in range(1, g + 1)
            ]
            means.append(n_groups * (1 - agree))
            variances.append(n_groups * sum(both))
        return np.array(means) * self.factors, np.zeros((len(means), 1, k)), np.array(variances)


def smallest_value(objective: Objective) -> float:
    """Return a lower bound of the coefficient over all populations, or minus infinity if none is known.

    Let no rating be missing, and let u be of negative type, which means that p' U p is a concave function of shares p,
    as for unweighted, linear, quadratic and square-root weights. Then D_o is at most r / (r - 1) times D_e, so Cohen's,
    Conger's and Fleiss' kappa and Krippendorff's alpha are at least -1 / (r - 1) (docs/intervals.md has the proof). For
    Gwet's and Brennan and Prediger's coefficients, D_e is at least the mean of u, and D_o is at most that of the
    pattern with the largest disagreement.
    """
    coefficient, weights, table = objective.coefficient, objective.weights, objective.table
    if coefficient.name == "percent":
        return 0.0
    if isinstance(weights, PairWeights) or coefficient.group_size > 2:
        return -inf
    u = weights.matrix
    if coefficient.name in ("brennan-prediger", "gwet"):
        n_ratings = table.n_raters if table.complete else 2  # subjects with more ratings cannot disagree more
        return 1 - _largest_disagreement(objective, u, n_ratings) / float(u.mean())
    # with missing ratings, subjects with one rating contribute to D_e alone
    if coefficient.name not in ("cohen", "conger", "fleiss", "krippendorff") or not table.complete:
        return -inf
    centered = u - u.mean(axis=0) - u.mean(axis=1)[:, None] + u.mean()
    negative_type = float(np.linalg.eigvalsh(centered).max()) <= _ROUNDING * float(u.max())
    return -1 / (table.n_raters - 1) if negative_type else -inf


def _largest_disagreement(objective: Objective, u: Array, n_ratings: int) -> float:
    """Return the largest mean disagreement of the pairs of ratings of one subject, or an upper bound of it."""
    k = objective.table.n_categories
    if n_ratings == 2 or comb(n_ratings + k - 1, n_ratings) > _MOST_LISTED:
        return float(u.max())
    patterns = np.array(list(combinations_with_replacement(range(k), n_ratings)))
    return float(objective.disagreement.real(patterns).max()) / comb(n_ratings, 2)


def _decomposed(matrix: Array) -> tuple[Array, Array, Array, Array]:
    """Return the mean of u(x, y) for independent x and y, the effects of x and of y, and the variance of the rest."""
    mean = matrix.mean(axis=(-2, -1))
    first, second = matrix.mean(axis=-1) - mean[..., None], matrix.mean(axis=-2) - mean[..., None]
    rest = matrix - mean[..., None, None] - first[..., :, None] - second[..., None, :]
    return mean, first, second, (rest**2).mean(axis=(-2, -1))


def _sum(totals: Totals, more: Totals, times: float) -> Totals:
    return Totals(*(own + times * other for own, other in zip(totals, more, strict=True)))
