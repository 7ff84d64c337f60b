"""Provide the fiber of a table: all tables with the same margins, to count, list, draw, test and walk through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kappamax._typing import Array, Integers
from kappamax._validate import as_generator, as_whole_number
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.fibers.connectivity import LevelSet, level_set_of
from kappamax.fibers.counting import (
    MEMORY_LIMIT,
    Progress,
    all_patterns,
    count_tables,
    require_complete,
    require_few_cells,
)
from kappamax.fibers.distribution import Distribution
from kappamax.fibers.enumeration import iter_tables
from kappamax.fibers.joint_distribution import JointDistribution, SameValue, joint_distribution, same_value
from kappamax.fibers.null_distribution import distribution_over_tables
from kappamax.fibers.sampling import random_counts, random_tables
from kappamax.fibers.walk import Walk, walk_of
from kappamax.io import Ratings, as_table
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

_VISITED_ON_A_WALK = 2_000


def fiber(*ratings: Ratings, categories: Sequence[Label] | None = None, memory_limit: float = MEMORY_LIMIT) -> Fiber:
    """All tables with the observed margins: to count, list, sample and walk.

    Counting, listing and distributions need complete ratings. Samples and walks do not: with missing ratings, who rated
    whom stays fixed too.

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
        return "Fiber of " + repr(self.table).partition("\n")[0]

    def count(self, *, progress: Progress | None = None) -> int:
        """The number of tables, exactly, without listing them."""
        require_complete(self.table)
        return count_tables(self.table.margins, memory_limit=self.memory_limit, progress=progress)

    def tables(self) -> Iterator[Table]:
        """Every table, one at a time.

        Examples
        --------
        >>> import kappamax as km
        >>> [t.dense().tolist() for t in km.fiber(km.from_counts([[1, 1], [0, 1]])).tables()]
        [[[1, 1], [0, 1]], [[0, 2], [1, 0]]]
        """
        require_complete(self.table)
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
        objective = as_objective(self.table, weights=weights, coefficient=coefficient)
        return distribution_over_tables(objective, memory_limit=self.memory_limit, progress=progress)

    def joint_distribution(
        self, first: WeightsLike, second: WeightsLike, *, progress: Progress | None = None
    ) -> JointDistribution:
        """The distribution of kappa with two weightings at once: how far can one move while the other stays?"""
        objectives = [as_objective(self.table, weights=weights) for weights in (first, second)]
        return joint_distribution(*objectives, memory_limit=self.memory_limit, progress=progress)

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
        objective = as_objective(self.table, weights=weights)
        others = [as_objective(self.table, weights=one) for one in several]
        return same_value(objective, others, memory_limit=self.memory_limit, progress=progress)

    def sample(self, size: int = 1, *, rng: np.random.Generator | int | None = None) -> Integers:
        """Independent tables as likely as by chance, as counts of shape (size, k, ..., k).

        Parameters
        ----------
        size : int
        rng : int, Generator or None
            Seed or source of randomness.

        Raises
        ------
        NotSupportedError
            If ratings are missing or there are too many possible patterns: `iter_sample` gives such tables.

        Examples
        --------
        >>> import kappamax as km
        >>> km.fiber(km.example("rapallo2022")).sample(1000, rng=1).shape
        (1000, 4, 4)
        """
        size = as_whole_number("size", size, 1)
        require_complete(self.table)
        require_few_cells(self.table.n_categories, self.table.n_raters, size)
        return random_counts(self.table, size, as_generator(rng))

    def iter_sample(self, size: int = 1, *, rng: np.random.Generator | int | None = None) -> Iterator[Table]:
        """Independent tables as likely as by chance, one at a time; any number of raters, missing ratings too."""
        size = as_whole_number("size", size, 1)
        for patterns, counts in random_tables(self.table, size, as_generator(rng)):
            yield self._member(patterns, counts)

    def walk(
        self,
        n_steps: int = 100_000,
        *,
        weights: WeightsLike = "unweighted",
        target: str = "null",
        tilt: float = 0.0,
        held: WeightsLike | None = None,
        excursion: int = 4,
        thin: int = 1,
        keep_tables: bool = False,
        rng: np.random.Generator | int | None = None,
        progress: Progress | None = None,
    ) -> Walk:
        """Walk through the fiber by swapping ratings between subjects.

        Parameters
        ----------
        n_steps : int
        weights : name or Weights
            Of the kappa that is recorded, and towards which the target may be tilted.
        target : "null" or "uniform"
            Tables as likely as by chance, or all equally likely.
        tilt : float
            Every table's probability is multiplied by exp(tilt * a), a being its agreement in subjects (N times the
            observed agreement): above zero towards agreement, below zero away from it.
        held : name or Weights, optional
            Of a kappa that stays as it is: the walk goes through the tables that share it. `connected` of the result
            says whether it can reach all of them, found out by visiting them where they are 2,000 or fewer.
        excursion : int
            Swaps in a row after which a held kappa must be back.
        thin : int
            Record every so many steps.
        keep_tables : bool
            Also keep the counts of every recorded table.
        rng : int, Generator or None
        progress : callable, optional
            Called with (steps done, steps in all).

        Raises
        ------
        Interrupted
            On Ctrl-C; `.best` is the walk so far.

        Examples
        --------
        >>> import kappamax as km
        >>> walk = km.fiber(km.example("rapallo2022")).walk(2000, weights="quadratic", held="linear", rng=1)
        >>> round(km.kappa(walk.table, weights="linear").value, 4)
        0.5023
        """
        objective = as_objective(self.table, weights=weights)
        stays = None if held is None else as_objective(self.table, weights=held)
        return walk_of(
            objective,
            n_steps=n_steps,
            target=target,
            tilt=tilt,
            held=stays,
            connected=None if stays is None else self._connected(stays, excursion),
            excursion=excursion,
            thin=thin,
            keep_tables=keep_tables,
            rng=rng,
            progress=progress,
        )

    def level_set(self, weights: WeightsLike = "unweighted", *, excursion: int = 4) -> LevelSet:
        """Whether moves lead from the observed table to every other with the same kappa.

        Parameters
        ----------
        weights : name or Weights
        excursion : int
            Moves in a row that may leave that kappa; lengths 1, 2, ... are tried until all tables are reached.

        Examples
        --------
        >>> import kappamax as km
        >>> km.fiber(km.example("rapallo2022")).level_set("linear")
        LevelSet
          weights    linear
          n tables   1,654
          n reached  1,654
          connected  yes
          excursion  2
        """
        objective = as_objective(self.table, weights=weights)
        excursion = as_whole_number("excursion", excursion, 1)
        return level_set_of(objective, excursion=excursion, memory_limit=self.memory_limit)

    def _connected(self, held: Objective, excursion: int) -> bool | None:
        """Whether excursions reach every table with a score, or None where that takes too long to find out."""
        try:
            n_tables = same_value(held, memory_limit=self.memory_limit).n_tables
            if n_tables > _VISITED_ON_A_WALK:
                return None
            return level_set_of(held, excursion=excursion, memory_limit=self.memory_limit).connected
        except NotSupportedError:  # ratings missing, or too many tables to count
            return None

    def _member(self, patterns: Array, counts: Integers) -> Table:
        """A table of the fiber from its patterns' counts."""
        return self.table.like(patterns[counts > 0], counts[counts > 0])
