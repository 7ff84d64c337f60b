"""Ratings in; how much of their disagreement the margins force, and how much was avoidable, out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kappamax._checks import maximum as checks
from kappamax._result import Result
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import UndefinedKappaError
from kappamax.io import Ratings, as_table
from kappamax.maximum.max_kappa import max_kappa
from kappamax.maximum.problem import Problem, Solution
from kappamax.maximum.solve import solve
from kappamax.resampling import Bootstrap, Progress, bootstrap
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

__all__ = ["DisagreementSplit", "bootstrap_ratio", "disagreement_split"]


def disagreement_split(
    *ratings: Ratings, weights: WeightsLike = "unweighted", categories: Sequence[Label] | None = None
) -> DisagreementSplit:
    """Split the observed disagreement into what the margins force and what was avoidable.

    Forced is the least mean disagreement of any table with the margins: over all raters, over each pair of raters on
    its own, and, unweighted, on each category against the others. Where the least is not proven, `forced` is a bound:
    at least so much is forced.

    Examples
    --------
    >>> import kappamax as km
    >>> split = km.disagreement_split(km.example("rapallo2022"), weights="linear")
    >>> round(split.observed, 4), round(split.forced, 4), round(split.avoidable, 4)
    (0.202, 0.101, 0.101)
    """
    table = as_table(*ratings, categories=categories)
    checks.complete(table.n_missing, "the split of disagreement")
    objective = as_objective(table, weights=weights)
    solution = solve(Problem(objective, 1))
    observed, forced = _parts(objective, solution)
    pairs = {}
    for a in range(table.n_raters):
        for b in range(a + 1, table.n_raters):
            pair = as_objective(table.select([a, b]), weights=objective.weights.for_raters([a, b]))
            pairs[f"{table.raters[a]}, {table.raters[b]}"] = _parts(pair, solve(Problem(pair, 1)))
    single = {}
    for label in table.categories:
        alone = as_objective(table.collapse(label))
        single[label] = _parts(alone, solve(Problem(alone, 1)))
    name = objective.weights.name
    return DisagreementSplit(name, observed, forced, observed - forced, pairs, single, solution.proven)


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


@dataclass(frozen=True, repr=False)
class DisagreementSplit(Result):
    """Mean disagreement: observed = forced + avoidable; pairs and categories as (observed, forced).

    Attributes
    ----------
    proven : bool
        Whether `forced` is proven to be the least possible over all raters; if not, at least so much is forced and at
        most `avoidable` was avoidable.
    """

    weights: str
    observed: float
    forced: float
    avoidable: float
    by_pair: dict[str, tuple[float, float]]
    by_category: dict[Label, tuple[float, float]]
    proven: bool


@dataclass(frozen=True)
class _Ratio:
    """Value over maximum, as a statistic other processes can unpickle."""

    weights: Any
    coefficient: str

    def __call__(self, table: Table) -> float:
        result = max_kappa(table, weights=self.weights, coefficient=self.coefficient)
        if result.ratio is None:
            raise UndefinedKappaError(str(result.ratio_reason))
        return result.ratio


def _parts(objective: Objective, least: Solution) -> tuple[float, float]:
    """Observed mean disagreement, and the least that is proven to be forced."""
    return float(objective.observed(objective.score)), max(0.0, float(objective.observed(least.bound)))
