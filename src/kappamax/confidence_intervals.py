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

from itertools import combinations_with_replacement
from math import comb, inf

import numpy as np

from kappamax._typing import Array
from kappamax._validate import as_choice, as_number_between
from kappamax.clusters import Clusters
from kappamax.disagreement.evaluator import Evaluator, Totals
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.exact_interval import exact_interval
from kappamax.pseudo_subjects import PseudoSubjects, pseudo_subjects_for, with_pseudo_subjects
from kappamax.standard_errors import (
    Derivatives,
    StandardError,
    cluster_sums,
    compared_clusters,
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
        Method of the interval, default "auto", which is "adjusted" up to 10,000 different patterns of ratings or
        clusters, and "normal" for more, or if the raters are regarded as a sample.

    Raises
    ------
    NotSupportedError
        If the method is "exact" and the coefficient is not Cohen's kappa of a complete 2 x 2 table of up to 100
        independent subjects, or if the raters are regarded as a sample and the method is "adjusted" or "exact".
    """
    level = as_number_between("level", level, 0, 1)
    method = as_choice("interval", method, INTERVALS)
    table = objective.table
    if method == "auto":
        n_units = min(len(table.rows.counts), inf if table.clusters is None else table.clusters.n_clusters)
        method = "adjusted" if n_units <= MOST_ADJUSTED and error.inference == "subjects" else "normal"
    if method != "normal" and error.inference != "subjects":
        raise NotSupportedError(
            f"the interval {method!r} is for a sample of subjects and given raters; for a sample of raters use "
            "'normal'."
        )
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
    if table.clusters is not None:
        raise NotSupportedError("the exact interval is for independent subjects; for clusters use 'adjusted'.")
    counts = np.zeros((2, 2), dtype=np.int64)
    counts[table.patterns[:, 0], table.patterns[:, 1]] = table.counts
    return exact_interval(counts, level=level)


def adjusted_interval(objective: Objective, level: float) -> tuple[float, float]:
    """Return the adjusted interval of a table, which contains the estimate and lies in the range of the coefficient."""
    center, error = adjusted_estimate(objective, level)
    assert error.se is not None
    reach = np.asarray(quantile_of((1 + level) / 2, error.df) * error.se)
    low, high = _limits(objective, np.asarray(objective.value(objective.score)), np.asarray(center), reach)
    return float(low), float(high)


def adjusted_estimate(objective: Objective, level: float) -> tuple[float, StandardError]:
    """Return the value of the table with the pseudo-subjects of an interval, and its standard error.

    The standard error is over clusters if the subjects are in clusters. It is NaN if no subject has enough ratings to
    compare.
    """
    table = objective.table
    if table.clusters is not None:
        return _clustered_estimate(objective, table.clusters, level)
    center, se = adjusted_centers_and_errors(objective, None, level)
    df = None
    if not _by_normal(objective):
        _, n_pseudo = pseudo_subjects_for(Evaluator(objective), level)
        df = float(_adjusted_size(objective, table.rows, n_pseudo)) - 1
    return float(center), StandardError(float(se), "adjusted", df)


def adjusted_intervals_at(objective: Objective, counts: Array, level: float) -> tuple[Array, Array, Array]:
    """Return the limits of the adjusted interval at each row of counts, and its full width before it is truncated.

    The shapes are (...,). The limits are NaN where the coefficient is undefined.
    """
    evaluator = Evaluator(objective)
    totals = evaluator.totals(counts)
    rows = objective.table.grouped._replace(counts=np.asarray(counts, dtype=float))
    centers, reaches = _centers_and_reaches(evaluator, totals, rows, level)
    return *_limits(objective, evaluator.value_of(totals), centers, reaches), 2 * reaches


def expected_cluster_interval(
    objective: Objective, counts: Array, level: float, *, n_clusters: float, design_effect: float
) -> tuple[float, float, float]:
    """Return the adjusted interval of subjects in clusters, given their counts and their design effect.

    The returned values are the limits and the full width before truncation; see `expected_cluster_estimate`.
    """
    center, error = expected_cluster_estimate(
        objective, counts, level, n_clusters=n_clusters, design_effect=design_effect
    )
    reach = np.asarray(quantile_of((1 + level) / 2, error.df) * float(error))
    low, high = _limits(objective, np.asarray(objective.value(objective.score)), np.asarray(center), reach)
    return float(low), float(high), 2 * float(reach)


def expected_cluster_estimate(
    objective: Objective, counts: Array, level: float, *, n_clusters: float, design_effect: float
) -> tuple[float, StandardError]:
    """Return the center of the adjusted interval of subjects in clusters, and its standard error.

    Pseudo-clusters have as many subjects as the design effect says, so the center is that of counts / design_effect
    independent subjects, and so is the sum of the squared contributions of clusters. The degrees of freedom are those
    of clusters and pseudo-clusters.
    """
    _, n_pseudo = pseudo_subjects_for(Evaluator(objective), level)
    independent: Array = np.asarray(counts, dtype=float) / design_effect
    center, se = map(float, adjusted_centers_and_errors(objective, independent, level))
    if not _by_normal(objective):
        n_own = float(_adjusted_size(objective, objective.table.grouped._replace(counts=independent), n_pseudo))
        se *= ((n_own - 1) / n_own) ** 0.5
    n = n_clusters + n_pseudo
    return center, StandardError(se * (n / (n - 1)) ** 0.5, "adjusted", n - 1)


def adjusted_centers_and_errors(objective: Objective, counts: Array | None, level: float) -> tuple[Array, Array]:
    """Return the value and the standard error of tables with the pseudo-subjects of an interval, shape (...,).

    The tables are the rows of `counts`, or the table of the objective if `counts` is None.
    """
    evaluator = Evaluator(objective)
    table = objective.table
    rows = table.rows if counts is None else table.grouped._replace(counts=np.asarray(counts, dtype=float))
    pseudo, n_pseudo = pseudo_subjects_for(evaluator, level)
    totals = with_pseudo_subjects(evaluator, evaluator.totals(counts), pseudo, n_pseudo)
    errors = adjusted_errors(pseudo, n_pseudo, totals, derivatives_at(evaluator, totals), rows)
    return evaluator.value_of(totals), errors


def _limits(objective: Objective, estimates: Array, centers: Array, reaches: Array) -> tuple[Array, Array]:
    """Return center -+ reach within the range of the coefficient, extended to the estimate."""
    low, high = np.maximum(centers - reaches, smallest_value(objective)), np.minimum(centers + reaches, 1.0)
    return np.minimum(low, estimates), np.maximum(high, estimates)


def _centers_and_reaches(evaluator: Evaluator, totals: Totals, rows: Rows, level: float) -> tuple[Array, Array]:
    """Return the value of tables with pseudo-subjects, and their standard error times a quantile."""
    pseudo, n_pseudo = pseudo_subjects_for(evaluator, level)
    totals = with_pseudo_subjects(evaluator, totals, pseudo, n_pseudo)
    reaches = adjusted_reaches(pseudo, n_pseudo, totals, derivatives_at(evaluator, totals), rows, level)
    return evaluator.value_of(totals), reaches


def _clustered_estimate(objective: Objective, clusters: Clusters, level: float) -> tuple[float, StandardError]:
    """Return the value of a table with pseudo-clusters, and its standard error over clusters.

    Subjects of a cluster tell less than as many independent subjects. A pseudo-cluster therefore consists of as many
    equal pseudo-subjects as the design effect says, the ratio of the variances with and without regard to clusters.
    """
    evaluator = Evaluator(objective)
    pseudo, n_pseudo = pseudo_subjects_for(evaluator, level)
    largest = float((cluster_sums(clusters, np.ones(len(clusters.codes))) ** 2).sum() / clusters.counts.sum())
    size = 1.0
    for _ in range(2):  # the design effect is estimated with single pseudo-subjects first
        totals = with_pseudo_subjects(evaluator, evaluator.totals(), pseudo, n_pseudo * size)
        derivatives = derivatives_at(evaluator, totals)
        mean, variance = pseudo.slope_moments(derivatives, totals)
        slopes = pattern_slopes(evaluator, totals, derivatives, clusters.patterns)
        sums = cluster_sums(clusters, slopes)
        independent = float(clusters.counts @ slopes**2)
        effect = float((sums**2).sum()) / independent if independent > 0 else 1.0
        last, size = size, min(max(1.0, effect), largest)
    spread = (sums**2).sum() + n_pseudo * last**2 * (variance + mean**2)
    n = compared_clusters(objective, clusters).sum() + n_pseudo
    se = float(np.sqrt(spread * n / (n - 1)))
    return float(evaluator.value_of(totals)), StandardError(se, "adjusted", n - 1)


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
