"""Split the disagreement of raters into the part that their margins force and the part that was avoidable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from kappamax._result import TableResult
from kappamax._validate import require_time_limit
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.io import Ratings
from kappamax.maximum.problem import CompleteProblem, Watch
from kappamax.maximum.solution import Solution
from kappamax.maximum.solve import solve
from kappamax.table import Label
from kappamax.weights import WeightsLike


def disagreement_split(
    *ratings: Ratings | Objective,
    weights: WeightsLike = "unweighted",
    time_limit: float | None = None,
    categories: Sequence[Label] | None = None,
) -> DisagreementSplit:
    """Split the observed disagreement into the part that the margins force and the part that was avoidable.

    The forced part is the least mean disagreement of all tables with the observed margins. It is computed for all
    raters together, for each pair of raters, and, unweighted, for each category against the others. Where the least
    disagreement is not proven, `forced` is a lower bound.

    Parameters
    ----------
    *ratings : Table, frame, two or more arrays of labels, or Objective
        Ratings of the subjects, none of them missing.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    time_limit : float, optional
        Largest number of seconds for all searches together, default no limit. When the time is over, `forced` is a
        lower bound where it is not proven.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    DisagreementSplit
        Observed, forced and avoidable disagreement.

    Raises
    ------
    NotSupportedError
        If ratings are missing.

    Examples
    --------
    >>> import kappamax as km
    >>> split = km.maximum.disagreement_split(km.example("rapallo2022"), weights="linear")
    >>> round(split.observed, 4), round(split.forced, 4), round(split.avoidable, 4)
    (0.202, 0.101, 0.101)
    """
    objective = as_objective(*ratings, weights=weights, categories=categories)
    require_time_limit("time_limit", time_limit)
    watch = Watch(time_limit)
    table = objective.table
    if table.n_missing:
        raise NotSupportedError(
            f"disagreement_split needs complete ratings; the number of missing ratings is {table.n_missing}."
        )
    solution = solve(CompleteProblem(objective, 1), watch)
    observed, forced = _observed_and_forced(solution)
    pairs = {}
    for a, b in combinations(range(table.n_raters), 2):
        pair = as_objective(table.select([a, b]), weights=objective.weights.for_raters([a, b]))
        pairs[f"{table.raters[a]}, {table.raters[b]}"] = _observed_and_forced(solve(CompleteProblem(pair, 1), watch))
    single = {}
    for label in table.categories:
        alone = as_objective(table.collapse(label))
        single[label] = _observed_and_forced(solve(CompleteProblem(alone, 1), watch))
    name, avoidable = objective.weights.name, observed - forced
    return DisagreementSplit(name, observed, forced, avoidable, pairs, single, solution.proven, _data=table.data)


@dataclass(frozen=True, repr=False)
class DisagreementSplit(TableResult):
    """Mean disagreement, split into a forced and an avoidable part.

    Attributes
    ----------
    weights : str
        Name of the weights.
    observed, forced, avoidable : float
        Observed disagreement, the part of it that the margins force, and the rest.
    by_pair : dict
        Observed and forced disagreement of each pair of raters; the keys are pairs such as "A, B".
    by_category : dict
        Observed and forced disagreement on each category against the others, unweighted.
    proven : bool
        Whether `forced` is proven to be the least possible disagreement of all raters. If not, `forced` is a lower
        bound and `avoidable` an upper bound.
    """

    weights: str
    observed: float
    forced: float
    avoidable: float
    by_pair: dict[str, tuple[float, float]]
    by_category: dict[Label, tuple[float, float]]
    proven: bool

    def _columns(self) -> dict[str, Iterable[Any]]:
        parts = [("all raters", "", (self.observed, self.forced))]
        parts += [("pair", pair, split) for pair, split in self.by_pair.items()]
        parts += [("category", str(category), split) for category, split in self.by_category.items()]
        return {
            "part": [part for part, _, _ in parts],
            "name": [name for _, name, _ in parts],
            "observed": [observed for _, _, (observed, _) in parts],
            "forced": [forced for _, _, (_, forced) in parts],
            "avoidable": [observed - forced for _, _, (observed, forced) in parts],
        }


def _observed_and_forced(least: Solution) -> tuple[float, float]:
    """Return the observed mean disagreement, and the least that is proven to be forced."""
    objective = least.problem.objective
    return float(objective.observed(objective.score)), max(0.0, float(objective.observed(least.bound)))
