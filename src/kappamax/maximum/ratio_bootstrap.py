"""Bootstrap the ratio of a coefficient to its maximum.

Every resample has other margins and therefore another maximum. The module `kappamax.resampling`, which resamples any
statistic, belongs to a lower layer and cannot compute maxima.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kappamax._progress import ProgressLike
from kappamax.errors import UndefinedKappaError
from kappamax.io import Ratings
from kappamax.maximum.max_kappa import max_kappa
from kappamax.resampling import Bootstrap, bootstrap
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike


def bootstrap_ratio(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    method: str = "bca",
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | int | None = None,
    n_jobs: int = 1,
    progress: ProgressLike = None,
    cluster: Any = None,
    categories: Sequence[Label] | None = None,
) -> Bootstrap:
    """Bootstrap the ratio of a coefficient to its maximum.

    The maximum is computed for each resample, because the margins differ between resamples. Resamples whose margins
    allow only one value have no ratio; `n_undefined` is their number.

    Margins that differ by chance make the ratio of a sample too large, and more so in a resample. For complete ratings,
    `share_of_maximum` corrects the ratio and has an interval that covers.

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
    method : {"bca", "percentile"}
        Method for the interval, default "bca"; see `bootstrap`.
    level : float
        Confidence level, default 0.95.
    n_resamples : int
        Number of resamples, default 1,000.
    rng : int, numpy.random.Generator or None
        Seed or source of randomness. None (default) draws a fresh seed.
    n_jobs : int
        Number of processes, default 1. The result does not depend on it.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` from time
        to time; `done` and `total` are numbers of resamples.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, or an array with one entry per subject. Whole clusters
        are then drawn. By default, the clusters that a Table has.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    Bootstrap
        Interval, standard error, bias and all resampled ratios.

    See Also
    --------
    kappamax.maximum.share_of_maximum : Share corrected for margins that differ by chance, with an interval.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.maximum.bootstrap_ratio(km.example("rapallo2022"), weights="linear", n_resamples=100, rng=1)
    >>> round(found.value, 4)
    0.6687
    """
    return bootstrap(
        *ratings,
        statistic=_Ratio(weights, coefficient),
        categories=categories,
        cluster=cluster,
        method=method,
        level=level,
        n_resamples=n_resamples,
        rng=rng,
        n_jobs=n_jobs,
        progress=progress,
    )


@dataclass(frozen=True)
class _Ratio:
    """Ratio of a coefficient to its maximum, as a statistic that other processes can unpickle."""

    weights: Any
    coefficient: str

    def __call__(self, table: Table) -> float:
        result = max_kappa(table, weights=self.weights, coefficient=self.coefficient)
        if result.ratio is None:
            raise UndefinedKappaError(str(result.ratio_reason))
        return result.ratio
