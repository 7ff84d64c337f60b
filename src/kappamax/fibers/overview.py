"""Ratings in; the fiber, with everything one can ask of it, out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._checks import fibers as checks
from kappamax.coefficients import objective_for
from kappamax.fibers import distribution as distributions
from kappamax.fibers.count import MEMORY_LIMIT, all_patterns, count_tables
from kappamax.fibers.distribution import Distribution, JointDistribution, SameValue
from kappamax.fibers.enumerate import iter_tables
from kappamax.fibers.ways import Progress
from kappamax.intake import Ratings, as_table
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

__all__ = ["Fiber", "fiber"]

Array = npt.NDArray[Any]


def fiber(*ratings: Ratings, categories: Sequence[Label] | None = None, memory_limit: float = MEMORY_LIMIT) -> Fiber:
    """All tables with the observed margins: to count, list, sample and walk.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays
    categories : sequence of labels, optional
        As for `kappa`.
    memory_limit : float
        Bytes that counting and distributions may take; beyond it they raise `NotSupportedError` before they start.

    Examples
    --------
    >>> import kappamax as km
    >>> fiber = km.fiber(km.example("rapallo2022"))
    >>> fiber.count()
    644850
    >>> fiber.distribution("linear").n_same_value
    1654
    """
    return Fiber(as_table(*ratings, categories=categories), memory_limit=memory_limit)


class Fiber:
    """All tables with the margins of one table; made by `kappamax.fiber`.

    Attributes
    ----------
    table : Table
        The observed table.
    """

    def __init__(self, table: Table, *, memory_limit: float = MEMORY_LIMIT) -> None:
        self.table = table
        self.memory_limit = memory_limit

    def __repr__(self) -> str:
        return f"Fiber of {self.table!r}"

    def count(self, *, progress: Progress | None = None) -> int:
        """The number of tables, exactly, without listing them."""
        checks.complete(self.table.n_missing)
        return count_tables(self.table.margins, memory_limit=self.memory_limit, progress=progress)

    def tables(self) -> Iterator[Table]:
        """Every table, one at a time.

        Examples
        --------
        >>> import kappamax as km
        >>> [t.dense().tolist() for t in km.fiber(km.from_counts([[1, 1], [0, 1]])).tables()]
        [[[1, 1], [0, 1]], [[0, 2], [1, 0]]]
        """
        checks.complete(self.table.n_missing)
        patterns = all_patterns(self.table.margins)
        for counts in iter_tables(self.table.margins, patterns):
            yield self._member(patterns, counts)

    def distribution(
        self, weights: WeightsLike = "unweighted", *, coefficient: str = "kappa", progress: Progress | None = None
    ) -> Distribution:
        """For every attainable value, the number of tables and the probability by chance, without listing.

        Parameters
        ----------
        weights, coefficient
            As for `agreement`. Weights must be exact; square roots take longer than rational ones.
        progress : callable, optional
            Called with (work done, work in all), twice from start to end.

        Examples
        --------
        >>> import kappamax as km
        >>> d = km.fiber(km.from_counts([[1, 1], [0, 1]])).distribution()
        >>> d.values.tolist(), d.n_tables, d.probabilities.round(3).tolist()
        ([-0.8, 0.4], (1, 1), [0.333, 0.667])
        """
        objective = objective_for(self.table, weights=weights, coefficient=coefficient)
        return distributions.distribution_of(objective, memory_limit=self.memory_limit, progress=progress)

    def joint_distribution(
        self, first: WeightsLike, second: WeightsLike, *, progress: Progress | None = None
    ) -> JointDistribution:
        """The distribution of kappa with two weightings at once: how far can one move while the other stays?"""
        objectives = [objective_for(self.table, weights=weights) for weights in (first, second)]
        return distributions.joint_distribution_of(*objectives, memory_limit=self.memory_limit, progress=progress)

    def same_kappa(
        self,
        weights: WeightsLike = "unweighted",
        *,
        other: WeightsLike | Sequence[WeightsLike] = (),
        progress: Progress | None = None,
    ) -> SameValue:
        """How many tables share the observed kappa, and how far kappa with other weights varies over them.

        Parameters
        ----------
        weights : name or Weights
            Of the kappa that stays.
        other : weights, or a sequence of them
            Of the kappas that vary.

        Examples
        --------
        >>> import kappamax as km
        >>> km.fiber(km.example("rapallo2022")).same_kappa("linear", other="quadratic")
        SameValue
          weights                 linear
          value                   0.5023
          tables with this value  1,654
          quadratic over them     0.3774 to 0.7406 (in 4 and 15 tables)
        """
        several: list[Any] = list(other) if isinstance(other, list | tuple) else [other]
        objective = objective_for(self.table, weights=weights)
        others = [objective_for(self.table, weights=one) for one in several]
        return distributions.same_value_of(objective, others, memory_limit=self.memory_limit, progress=progress)

    def _member(self, patterns: Array, counts: npt.NDArray[np.int64]) -> Table:
        """A table of the fiber from its patterns' counts."""
        table = self.table
        return Table(patterns[counts > 0], counts[counts > 0], table.categories, table.raters, ordered=table.ordered)
