"""Estimate standard errors and intervals by the jackknife and the bootstrap.

Subjects with the same pattern are interchangeable, so a resample of the subjects is a multinomial draw of counts, and
the jackknife needs one value per pattern. If the subjects are in clusters, whole clusters are drawn or left out.
Resamples are drawn in blocks, each with a separate random generator, so the results do not depend on the number of
processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from kappamax._parallel import run_tasks
from kappamax._progress import ProgressLike, as_progress
from kappamax._result import Result
from kappamax._tolerances import NO_SPREAD
from kappamax._typing import Array
from kappamax._validate import as_choice, as_generator, as_number_between, as_whole_number
from kappamax.cluster_resampling import resampled_counts
from kappamax.coefficients import as_objective
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import InvalidOptionError
from kappamax.io import Ratings, as_table
from kappamax.jackknife_values import Statistic, exact_changes, leave_one_out_values, value_at
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

_RESAMPLES_PER_BLOCK = 100
_MOST_RESAMPLES = 10_000_000
_RESAMPLED_COUNTS = 5_000_000  # largest number of counts of resamples that are held together
_MANY_SUBJECTS = 10_000
_FEW_PATTERNS = 1_000
INTERVALS = ("bca", "percentile")


def jackknife(
    *ratings: Ratings,
    statistic: Callable[[Table], float] | None = None,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    cluster: Any = None,
    categories: Sequence[Label] | None = None,
) -> Jackknife:
    """Compute the delete-one jackknife of a statistic over subjects or, if they are in clusters, over clusters.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    statistic : callable, optional
        Function that takes a Table and returns a float. By default, the statistic is the coefficient given by `weights`
        and `coefficient`.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, or an array with one entry per subject. Whole clusters
        are then left out. By default, the clusters that a Table has.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    Jackknife
        Jackknife standard error and bias, and the leave-one-out values.

    Examples
    --------
    >>> import kappamax as km
    >>> round(km.jackknife(km.from_counts([[20, 5], [10, 15]])).se, 4)
    0.1299
    """
    chosen, table = _chosen(ratings, statistic, weights, coefficient, categories, cluster)
    values, counts = leave_one_out_values(table, chosen)
    n = int(counts.sum())
    estimate = _estimate(table, chosen)
    n_undefined = int(counts[np.isnan(values)].sum())
    if n < 2 or n_undefined:
        return Jackknife(estimate, None, None, values, counts, n_undefined, _data=table.data)
    if isinstance(chosen, Objective) and table.clusters is None and n > _MANY_SUBJECTS and len(counts) <= _FEW_PATTERNS:
        mean, changes = exact_changes(chosen)
    else:
        changes = values - estimate
        mean = float(counts.astype(float) @ changes / n)
    variance = (n - 1) / n * float(counts.astype(float) @ (changes - mean) ** 2)
    bias = (n - 1) * mean
    return Jackknife(estimate, variance**0.5, bias, values, counts, n_undefined, _data=table.data)


def bootstrap(
    *ratings: Ratings,
    statistic: Callable[[Table], float] | None = None,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    method: str = "bca",
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
    n_jobs: int = 1,
    progress: ProgressLike = None,
    cluster: Any = None,
    categories: Sequence[Label] | None = None,
) -> Bootstrap:
    """Bootstrap a statistic by drawing subjects or, if they are in clusters, clusters with replacement.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    statistic : callable, optional
        Function that takes a Table and returns a float. If several processes are used, it must be picklable. By
        default, the statistic is the coefficient given by `weights` and `coefficient`.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    method : {"bca", "percentile"}
        Method for the interval, default "bca". This method corrects the percentile interval for bias and skewness
        (Efron 1987).
    level : float
        Confidence level of the interval, default 0.95.
    n_resamples : int
        Number of resamples, default 2,000, at most 10 million. Resamples in which the statistic is undefined are
        counted and excluded.
    rng : int, numpy.random.Generator or None
        Seed or random generator. None (default) uses a new random seed.
    n_jobs : int
        Number of processes, default 1. The result does not depend on it.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with the
        number of finished resamples and the number of all resamples.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, or an array with one entry per subject. Whole clusters
        are then drawn. By default, the clusters that a Table has.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    Bootstrap
        Confidence interval, standard error, bias and all resampled values.

    Examples
    --------
    >>> import kappamax as km
    >>> b = km.bootstrap(km.from_counts([[20, 5], [10, 15]]), n_resamples=500, rng=1)
    >>> b.ci[0] < b.value < b.ci[1]
    True
    """
    method = as_choice("method", method, INTERVALS)
    level = as_number_between("level", level, 0, 1)
    n_resamples = as_whole_number("n_resamples", n_resamples, 2, _MOST_RESAMPLES)
    generator = as_generator(rng)
    progress = as_progress(progress)
    chosen, table = _chosen(ratings, statistic, weights, coefficient, categories, cluster)
    estimate = _estimate(table, chosen)
    sizes = [min(_RESAMPLES_PER_BLOCK, n_resamples - start) for start in range(0, n_resamples, _RESAMPLES_PER_BLOCK)]
    tasks = ((table, chosen, size, generator.spawn(1)[0]) for size in sizes)
    replicates, done = np.empty(n_resamples), 0
    for block in run_tasks(_block, tasks, n_jobs):
        replicates[done : done + len(block)] = block
        done += len(block)
        if progress is not None:
            progress(done, n_resamples, "resampling")
    defined = replicates[~np.isnan(replicates)]
    n_undefined = len(replicates) - len(defined)
    ci = se = bias = None
    if len(defined) > 1:
        ends = _bca_levels(table, chosen, estimate, defined, level) if method == "bca" else _percentile_levels(level)
        low, high = np.quantile(defined, ends).tolist()
        ci, se, bias = (low, high), float(defined.std(ddof=1)), float(defined.mean() - estimate)
    return Bootstrap(
        value=estimate,
        ci=ci,
        se=se,
        bias=bias,
        level=level,
        method=method,
        n_resamples=n_resamples,
        n_undefined=n_undefined,
        replicates=replicates,
        notes=_notes(defined, n_resamples),
        _data=table.data,
    )


@dataclass(frozen=True, repr=False)
class Jackknife(Result):
    """Leave-one-out values of a statistic, and the standard error and bias estimated from them.

    ``float(result)`` returns the statistic of the whole table.

    Attributes
    ----------
    value : float
        Statistic of the whole table.
    se, bias : float or None
        Jackknife standard error and bias; None with fewer than two subjects or clusters, or if the statistic is
        undefined without one of them.
    values : array, shape (m,)
        Statistic without one subject of each pattern, or without each cluster.
    counts : array, shape (m,)
        Number of subjects with each pattern, or 1 for each cluster.
    n_undefined : int
        Number of subjects or clusters without which the statistic is undefined.
    """

    value: float
    se: float | None
    bias: float | None
    values: Array = field(repr=False)
    counts: Array = field(repr=False)
    n_undefined: int = 0

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, repr=False)
class Bootstrap(Result):
    """Resampled values of a statistic and the interval computed from them.

    ``float(result)`` returns the statistic of the observed table.

    Attributes
    ----------
    value : float
        Statistic of the observed table.
    ci : tuple of two floats, or None
        Confidence interval; None if the statistic was defined in fewer than two resamples.
    se, bias : float or None
        Standard deviation of the resampled values, and their mean minus `value`; None if the statistic was defined in
        fewer than two resamples.
    level : float
        Confidence level of the interval.
    method : {"bca", "percentile"}
        Method by which the interval was computed.
    n_resamples : int
        Number of resamples.
    n_undefined : int
        Number of resamples in which the statistic was undefined, for example because all ratings were equal. They are
        excluded from the interval.
    replicates : array, shape (n_resamples,)
        Value of the statistic in every resample; NaN where it is undefined.
    notes : tuple of str
        Notes about resamples that were excluded, and about an interval without width.
    """

    value: float
    ci: tuple[float, float] | None
    se: float | None
    bias: float | None
    level: float
    method: str
    n_resamples: int
    n_undefined: int
    replicates: Array = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)

    def __float__(self) -> float:
        return self.value

    def _rows(self) -> list[tuple[str, str]]:
        undefined = f", {numbers.count(self.n_undefined)} of them undefined" if self.n_undefined else ""
        return [
            ("value", numbers.decimal(self.value)),
            (f"{100 * self.level:g}% interval", f"{numbers.interval(self.ci)} ({self.method})"),
            ("standard error", numbers.decimal(self.se)),
            ("bias", numbers.decimal(self.bias)),
            ("resamples", f"{numbers.count(self.n_resamples)}{undefined}"),
            *(("note", note) for note in self.notes),
        ]


def _chosen(
    ratings: tuple[Any, ...],
    statistic: Callable[[Table], float] | None,
    weights: WeightsLike,
    coefficient: str,
    categories: Sequence[Label] | None,
    cluster: Any,
) -> tuple[Statistic, Table]:
    """Return the statistic to resample, which is a coefficient if no function is given, and the table."""
    if statistic is not None:
        if not callable(statistic):
            raise InvalidOptionError(f"statistic must be a function of a Table; got {statistic!r}.")
        return statistic, as_table(*ratings, categories=categories, cluster=cluster)
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories, cluster=cluster)
    return objective, objective.table


def _notes(defined: Array, n_resamples: int) -> tuple[str, ...]:
    """Return the notes about the interval, given the resampled values that are defined."""
    notes = []
    n_undefined = n_resamples - len(defined)
    if n_undefined:
        left = f"{numbers.count(n_undefined)} of {numbers.count(n_resamples)} resamples were excluded because the "
        left += "statistic is undefined in them"
        notes.append(f"{left}; the interval describes only the others" if len(defined) > 1 else left)
    if len(defined) > 1 and float(np.ptp(defined)) <= NO_SPREAD:
        notes.append(
            "the interval has no width because resampling these ratings shows no variation, so it says nothing about "
            "other subjects"
        )
    return tuple(notes)


def _block(table: Table, statistic: Statistic, size: int, generator: np.random.Generator) -> Array:
    """Return the values of the statistic in a block of `size` resamples, in parts if there are many patterns."""
    part = max(1, _RESAMPLED_COUNTS // len(table.counts))
    values = []
    for start in range(0, size, part):
        counts = resampled_counts(table, min(part, size - start), generator)
        if isinstance(statistic, Objective):
            evaluator = Evaluator(statistic)
            values.append(evaluator.value_of(evaluator.totals(counts)))
        else:
            values.append(np.array([value_at(statistic, table, row) for row in counts]))
    return np.concatenate(values)


def _estimate(table: Table, statistic: Statistic) -> float:
    if isinstance(statistic, Objective):
        return statistic.value(statistic.score)
    return float(statistic(table))


def _percentile_levels(level: float) -> tuple[float, float]:
    return (1 - level) / 2, (1 + level) / 2


def _bca_levels(
    table: Table, statistic: Statistic, estimate: float, replicates: Array, level: float
) -> tuple[float, float]:
    """Return quantile levels corrected for bias and acceleration (Efron 1987).

    If the bias or the acceleration cannot be estimated, the levels of the percentile interval are returned.
    """
    normal = NormalDist()
    below = ((replicates < estimate).mean() + (replicates <= estimate).mean()) / 2
    values, counts = leave_one_out_values(table, statistic)
    defined = ~np.isnan(values)
    counts, values = counts[defined], values[defined]
    deviations = counts @ values / max(1, counts.sum()) - values
    spread = float(counts @ deviations**2)
    if not 0 < below < 1 or spread == 0:
        return _percentile_levels(level)
    bias = normal.inv_cdf(float(below))
    acceleration = float(counts @ deviations**3) / (6 * spread**1.5)
    shifted = [bias + normal.inv_cdf(end) for end in _percentile_levels(level)]
    low, high = (normal.cdf(bias + z / (1 - acceleration * z)) for z in shifted)
    return low, high
