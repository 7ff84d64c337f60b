"""Compute standard errors and confidence intervals of coefficients.

All formulas for standard errors use the derivatives of the coefficient with respect to the count of each pattern. The
derivatives are computed by a complex step, which is exact up to rounding, so no coefficient needs a separate formula
for its variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, prod, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._result import Result
from kappamax._typing import Array, Codes
from kappamax._validate import as_choice, as_number_between
from kappamax.clusters import Clusters
from kappamax.coefficients import as_objective
from kappamax.disagreement.evaluator import Evaluator, Totals
from kappamax.disagreement.objective import Objective
from kappamax.disagreement.pattern_disagreement import PATTERNS_PER_BLOCK
from kappamax.errors import NotSupportedError
from kappamax.io import Ratings
from kappamax.patterns import n_ratings_of
from kappamax.resampling import jackknife
from kappamax.sampled_raters import rater_variance
from kappamax.table import Label, Rows
from kappamax.weights import WeightsLike

INFERENCES = ("subjects", "raters", "both")
SE_METHODS = ("auto", "fleiss-cohen-everitt", "delta", "gwet", "jackknife", "null")
_COMPLEX_STEP = 1e-150
_LOST = 1e-13
_MOST_STEPPED = 4_000_000


def standard_error(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    method: str = "auto",
    inference: str = "subjects",
    cluster: Any = None,
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
        - "delta": the delta method, for any coefficient, any number of raters, missing ratings, and clusters;
        - "gwet": the formula of Gwet (2008, 2021) as in irrCAC; without missing ratings it equals "delta", with missing
          ratings it is often too large;
        - "jackknife": the delete-one jackknife over subjects or, if there are clusters, over clusters;
        - "null": the standard error of Cohen's kappa under independence, for the test of kappa = 0 only;
        - "auto": "fleiss-cohen-everitt" for Cohen's kappa and "gwet" for other coefficients if no rating is missing,
          otherwise "delta", and "delta" if the subjects are in clusters.
    inference : {"subjects", "raters", "both"}
        The random sample, default "subjects". "raters": the raters are a sample of a population of
        raters, and the subjects are fixed; "both": subjects and raters are samples. The variance due to the raters is
        the delete-one jackknife over raters of Gwet (2008), for three or more raters.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, such as the patient of a lesion, or an array with one
        entry per subject. Clusters are then regarded as the random sample. By default, subjects are independent.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    StandardError
        Standard error, its method and its degrees of freedom.

    Raises
    ------
    NotSupportedError
        If the method is "fleiss-cohen-everitt" or "null" and the coefficient is not Cohen's kappa of complete ratings,
        if the method assumes independent subjects and there are clusters, or if the raters are a sample of fewer than
        three.

    Examples
    --------
    >>> import kappamax as km
    >>> round(km.standard_error(km.from_counts([[20, 5], [10, 15]])).se, 4)
    0.127
    """
    method = as_choice("method", method, SE_METHODS)
    inference = as_choice("inference", inference, INFERENCES)
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories, cluster=cluster)
    error = _standard_error(objective, method) if inference != "raters" else None
    if inference != "subjects":
        error = _with_raters(objective, error)
    assert error is not None
    return error._about(objective.table.data)


def _standard_error(objective: Objective, method: str) -> StandardError:
    if method == "auto":
        method = _default_method(objective)
    if objective.table.clusters is not None:
        return _error_over_clusters(objective, objective.table.clusters, method)
    cohen = objective.coefficient.name == "cohen" and objective.table.complete
    if method in ("fleiss-cohen-everitt", "null") and not cohen:
        raise NotSupportedError(
            f"the {method} standard error is for Cohen's kappa of two raters without missing ratings; "
            "use 'delta' or 'jackknife'."
        )
    if method == "null":
        return StandardError(null_standard_error(objective), method, None)
    rows = objective.table.rows
    n = int(sample_counts(objective, rows, method).sum())
    if n < 2:
        return StandardError(None, method, None)
    if method == "jackknife":
        return StandardError(jackknife(objective).se, method, n - 1)
    gradient = slopes(objective, rows.patterns, gwet=method == "gwet")
    se = float(_by_formula(objective, rows, gradient, method))
    return StandardError(se, method, None if method == "fleiss-cohen-everitt" else n - 1)


def _error_over_clusters(objective: Objective, clusters: Clusters, method: str) -> StandardError:
    """Return the standard error for a sample of clusters: the spread of the sums of the slopes in each cluster."""
    if method not in ("delta", "jackknife"):
        raise NotSupportedError(
            f"the {method} standard error assumes independent subjects, but the subjects are in clusters; use 'delta' "
            "or 'jackknife'."
        )
    compared = compared_clusters(objective, clusters)
    n = int(compared.sum())
    if n < 2:
        return StandardError(None, method, None)
    if method == "jackknife":
        return StandardError(jackknife(objective).se, method, n - 1)
    sums = cluster_sums(clusters, slopes(objective, clusters.patterns))
    if objective.coefficient.by_rating:  # subjects with one rating have slope 0 and are excluded from the mean
        sums = sums[compared]
    variance = float(((sums - sums.mean()) ** 2).sum()) * n / (n - 1)
    return StandardError(sqrt(variance), method, n - 1)


def cluster_sums(clusters: Clusters, gradient: Array) -> Array:
    """Return the sum over the subjects of each cluster of slopes, given for each row of the clusters."""
    return np.bincount(clusters.codes, weights=clusters.counts * gradient, minlength=clusters.n_clusters)


def compared_clusters(objective: Objective, clusters: Clusters) -> npt.NDArray[np.bool_]:
    """Return for each cluster whether some subject has ratings to compare; the others add no information."""
    enough = n_ratings_of(clusters.patterns) >= objective.coefficient.group_size
    return np.bincount(clusters.codes[enough], minlength=clusters.n_clusters) > 0


def _with_raters(objective: Objective, subjects: StandardError | None) -> StandardError:
    """Return the standard error due to a sample of raters, to which that due to the subjects is added if it is given.

    The degrees of freedom of the sum of the variances are those of Satterthwaite (1946).
    """
    r, by_raters = objective.table.n_raters, rater_variance(objective)
    if subjects is None:
        return StandardError(sqrt(by_raters), "jackknife", r - 1, "raters")
    if subjects.se is None:
        return StandardError(None, subjects.method, None, "both")
    by_subjects, df = subjects.se**2, subjects.df or inf
    total = by_subjects + by_raters
    below = by_subjects**2 / df + by_raters**2 / (r - 1)
    return StandardError(sqrt(total), subjects.method, total**2 / below if below > 0 else r - 1, "both")


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
    patterns = objective.table.patterns if patterns is None else patterns
    return pattern_slopes(evaluator, totals, derivatives_at(evaluator, totals, gwet=gwet), patterns)


class Derivatives(NamedTuple):
    """Derivatives of a coefficient with respect to its totals; leading axes are replicates.

    Attributes
    ----------
    by_score, by_units, by_size : array, shape (..., 1)
        Derivatives with respect to the total disagreement, the total weight of the subjects, and their number.
    by_use : array, shape (..., r, k)
        Derivatives with respect to the use of each category by each rater.
    """

    by_score: Array
    by_units: Array
    by_size: Array
    by_use: Array


def derivatives_at(evaluator: Evaluator, totals: Totals, *, gwet: bool = False) -> Derivatives:
    """Return the derivatives of the coefficient at given totals by a complex step; `gwet` is as in `slopes`."""
    objective = evaluator.objective
    share = np.asarray(totals.units / totals.size)[..., None]

    def value(moved: Totals) -> Array:
        if not gwet or objective.coefficient.by_rating:
            return evaluator.value_of(moved)
        with np.errstate(divide="ignore", invalid="ignore"):  # not finite where the coefficient is undefined
            return np.asarray((moved.units - moved.score / evaluator.expected_of(moved.use)) / (share * moved.size))

    table = objective.table
    own_axes = 2 if objective.coefficient.use == "raters" else 1
    own_shape = totals.use.shape[-own_axes:]
    n_steps = 3 + prod(own_shape)
    block = max(1, _MOST_STEPPED // n_steps)
    steps = (slice(start, start + block) for start in range(0, n_steps, block))
    by_total = np.concatenate(
        [
            np.imag(value(evaluator.with_changed_weights(_stepped(totals, own_shape, part), totals))) / _COMPLEX_STEP
            for part in steps
        ],
        axis=-1,
    )
    by_use = by_total[..., 3:].reshape(*by_total.shape[:-1], *own_shape)
    if own_axes == 1:
        by_use = by_use[..., None, :]
    by_use = np.broadcast_to(by_use, (*by_use.shape[:-2], table.n_raters, table.n_categories))
    by_score, by_units, by_size = (by_total[..., i, None] for i in range(3))
    return Derivatives(by_score, by_units, by_size, by_use)


def pattern_slopes(evaluator: Evaluator, totals: Totals, derivatives: Derivatives, patterns: Codes) -> Array:
    """Return the derivative of the coefficient with respect to the count of each pattern, shape (..., m)."""
    by_score, by_units, by_size, by_use = derivatives
    # index -1, the code of a missing rating, selects the last entry, which is 0
    by_code = np.concatenate([by_use, np.zeros_like(by_use[..., :1])], axis=-1)
    found = np.empty((*by_use.shape[:-2], len(patterns)))
    for start in range(0, len(patterns), PATTERNS_PER_BLOCK):
        block = slice(start, start + PATTERNS_PER_BLOCK)
        codes = patterns[block]
        scores, units, use_weights, rated = evaluator.features(codes)
        if evaluator.objective.varying_weights:
            scores = evaluator.disagreements_at(codes, totals.use)
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


def quantile_of(level: float, df: float | None) -> float:
    """Return a quantile of the normal distribution or, with degrees of freedom, of Student's t distribution."""
    return NormalDist().inv_cdf(level) if df is None else float(quantiles_of(level, df))


def quantiles_of(level: float, df: Array | float) -> Array:
    """Return a quantile of Student's t distribution for each number of degrees of freedom."""
    from scipy.special import stdtrit  # imported here because the import takes 0.2 s

    return np.asarray(stdtrit(df, level))


def one_sided_pvalues(statistic: float, df: float | None) -> tuple[float, float]:
    """Return the p-values of the alternatives "less" and "greater", normal or, with degrees of freedom, Student's t."""
    from scipy.special import ndtr, stdtr  # NormalDist is inaccurate in the far tail

    below, above = (float(ndtr(z) if df is None else stdtr(df, z)) for z in (statistic, -statistic))
    return below, above


def sample_counts(objective: Objective, rows: Rows, method: str) -> Array:
    """Return the counts of the subjects that determine the sample size n.

    These are the subjects with at least two ratings to compare. Other subjects at most contribute to expected
    agreement, so they add no information about the variance of observed agreement. Gwet's formula counts every subject,
    except for Krippendorff's alpha.
    """
    if method == "gwet" and not objective.coefficient.by_rating:
        return rows.counts
    return rows.counts * (rows.n_ratings >= objective.coefficient.group_size)


@dataclass(frozen=True, repr=False)
class StandardError(Result):
    """Standard error of a coefficient; ``float(result)`` returns its value.

    Attributes
    ----------
    se : float or None
        Standard error; None where it cannot be estimated.
    method : str
        Method by which the standard error was computed; that of the variance due to the subjects if there are two.
    df : float or None
        Degrees of freedom of Student's t distribution; None for the normal distribution.
    inference : {"subjects", "raters", "both"}
        The random sample that the standard error supposes.
    """

    se: float | None
    method: str
    df: float | None
    inference: str = "subjects"

    def __float__(self) -> float:
        return nan if self.se is None else self.se


def _default_method(objective: Objective) -> str:
    """Return the method that "auto" stands for."""
    if not objective.table.complete or objective.table.clusters is not None:
        return "delta"
    return "fleiss-cohen-everitt" if objective.coefficient.name == "cohen" else "gwet"


def _by_formula(objective: Objective, rows: Rows, gradient: Array, method: str) -> Array:
    """Return standard errors from the slopes at counts, shape (..., m); NaN where fewer than two subjects count."""
    n = sample_counts(objective, rows, method).sum(axis=-1)
    # for alpha, subjects with one rating have slope 0 and are excluded from the mean
    own = sample_counts(objective, rows, "gwet")
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
    return Totals(score, units, size, use, totals.pairs)
