"""Bootstrap the ratio of a coefficient to its maximum.

Every resample has margins, and so a maximum, of its own. `kappamax.resampling` resamples any statistic and stands
below this package, so it cannot compute maxima itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kappamax._progress import Progress
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
    progress: Progress | None = None,
    categories: Sequence[Label] | None = None,
) -> Bootstrap:
    """Bootstrap the ratio of a coefficient to its maximum; every resample has margins, and so a maximum, of its own.

    Resamples whose margins allow one value only have no ratio; they are counted in `n_undefined`.

    Parameters
    ----------
    *ratings, weights, coefficient, categories
        As for `max_kappa`.
    method, level, n_resamples, rng, n_jobs, progress
        As for `bootstrap`.
    """
    return bootstrap(
        *ratings,
        statistic=_Ratio(weights, coefficient),
        categories=categories,
        method=method,
        level=level,
        n_resamples=n_resamples,
        rng=rng,
        n_jobs=n_jobs,
        progress=progress,
    )


@dataclass(frozen=True)
class _Ratio:
    """Value over maximum, as a statistic that other processes can unpickle."""

    weights: Any
    coefficient: str

    def __call__(self, table: Table) -> float:
        result = max_kappa(table, weights=self.weights, coefficient=self.coefficient)
        if result.ratio is None:
            raise UndefinedKappaError(str(result.ratio_reason))
        return result.ratio
