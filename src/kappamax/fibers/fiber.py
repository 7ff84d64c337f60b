"""Define the fiber of a table, which is the set of all tables with the same margins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kappamax._progress import ProgressLike, callback_for
from kappamax._typing import Array, Integers
from kappamax._validate import as_generator, as_whole_number
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.fibers.connectivity import LevelSet, level_set_of
from kappamax.fibers.counting import TableCounter, all_patterns, count_tables
from kappamax.fibers.distribution import Distribution
from kappamax.fibers.enumeration import few_tables, iter_tables
from kappamax.fibers.joint_distribution import JointDistribution, SameValue, joint_distribution, same_value
from kappamax.fibers.limits import MEMORY_LIMIT, require_complete, require_few_cells, require_little_work
from kappamax.fibers.null_distribution import EXACT_WORK, distribution_over_tables
from kappamax.fibers.sampling import random_counts, random_tables
from kappamax.fibers.walk import MOST_MOVES_OF_EXCURSION, Walk, walk_of
from kappamax.io import Ratings, as_table
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

_VISITED_ON_A_WALK = 2_000


def fiber(*ratings: Ratings, categories: Sequence[Label] | None = None, memory_limit: float = MEMORY_LIMIT) -> Fiber:
    """Return the fiber of the ratings, which is the set of all tables with the observed margins.

    The tables can be counted, listed, sampled and walked through, and the distribution of kappa over them can be
    computed. Counting, listing and distributions need complete ratings. `Fiber.iter_sample` and `Fiber.walk` accept
    missing ratings; in this case all tables of the fiber have the observed set of raters of each subject.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays
        The observed ratings, as for `kappa`.
    categories : sequence of labels, optional
        All categories in order, including unused ones, as for `kappa`. By default they are taken from the ratings.
    memory_limit : float, optional
        Number of bytes that counting, distributions, samples and walks may use, default 1e9. A computation that would
        need more raises `NotSupportedError` before it starts. Samples need it only if there are so many possible
        patterns that the ratings of single subjects are shuffled; walks always hold the ratings of single subjects.

    Returns
    -------
    Fiber

    Raises
    ------
    InvalidRatingsError, InvalidTableError
        If the ratings cannot be read as a table.

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
    """The set of all tables with the margins of one table, as returned by `kappamax.fiber`.

    Attributes
    ----------
    table : Table
        The observed table.
    memory_limit : float
        Number of bytes that counting, distributions, samples and walks may use.

    Examples
    --------
    >>> import kappamax as km
    >>> fiber = km.fiber(km.from_counts([[1, 1], [0, 1]]))
    >>> fiber.count(), len(list(fiber.tables()))
    (2, 2)
    """

    def __init__(self, table: Table, *, memory_limit: float = MEMORY_LIMIT) -> None:
        self.table = table
        self.memory_limit = memory_limit

    def __iter__(self) -> Iterator[Table]:
        return self.tables()

    def __repr__(self) -> str:
        return "Fiber of " + repr(self.table).partition("\n")[0]

    def count(self, *, progress: ProgressLike = None) -> int:
        """Return the exact number of tables, without listing them.

        Parameters
        ----------
        progress : callable or True, optional
            True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with
            the amount of work.

        Returns
        -------
        int

        Raises
        ------
        NotSupportedError
            If ratings are missing, counting would need more memory than the limit or more than 10^12 additions, or more
            than a million patterns are possible.

        Examples
        --------
        >>> import kappamax as km
        >>> km.fiber(km.example("rapallo2022")).count()
        644850
        """
        require_complete(self.table)
        patterns = all_patterns(self.table.margins)
        if (work := TableCounter(self.table.margins, patterns).work()) > EXACT_WORK:
            few = few_tables(self.table, patterns)
            if few is not None:
                return len(few)
            require_little_work("counting these tables", work)
        tell = callback_for(progress, "counting tables")
        return count_tables(self.table.margins, patterns, memory_limit=self.memory_limit, progress=tell)

    def tables(self) -> Iterator[Table]:
        """Yield every table of the fiber, one at a time.

        Yields
        ------
        Table

        Raises
        ------
        NotSupportedError
            If ratings are missing, or more than a million patterns are possible.

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
        self, weights: WeightsLike = "unweighted", *, coefficient: str = "kappa", progress: ProgressLike = None
    ) -> Distribution:
        """Return all attainable values of a coefficient, with the number of tables and the probability of each.

        The tables are counted without listing them. Probabilities refer to the null distribution, under which the
        ratings of each rater are arranged over the subjects in random order.

        Parameters
        ----------
        weights : str, Weights or mapping, optional
            Weights, as for `agreement`; default "unweighted". The weights must be exact. Weights with square roots take
            longer than rational weights.
        coefficient : str, optional
            Name of the coefficient, as for `agreement`; default "kappa".
        progress : callable or True, optional
            True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with
            the amount of work, first while tables are counted and then while probabilities are computed.

        Returns
        -------
        Distribution

        Raises
        ------
        NotSupportedError
            If ratings are missing, the weights are not exact, or the computation would need more memory than the limit.
        UndefinedKappaError
            If all raters used a single category, or only categories between which the weights are zero.

        Examples
        --------
        >>> import kappamax as km
        >>> d = km.fiber(km.from_counts([[1, 1], [0, 1]])).distribution()
        >>> d.values.tolist(), d.n_tables, d.probabilities.round(3).tolist()
        ([-0.8, 0.4], (1, 1), [0.333, 0.667])
        """
        objective = as_objective(self.table, weights=weights, coefficient=coefficient)
        tell = callback_for(progress, "distribution over the fiber")
        return distribution_over_tables(objective, memory_limit=self.memory_limit, progress=tell)

    def joint_distribution(
        self, first: WeightsLike, second: WeightsLike, *, progress: ProgressLike = None
    ) -> JointDistribution:
        """Return the joint distribution of kappa under two weightings.

        It shows how much kappa under one weighting can vary while kappa under the other is fixed.

        Parameters
        ----------
        first, second : str, Weights or mapping
            The two weightings, as for `kappa`. The weights must be exact.
        progress : callable or True, optional
            True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with
            the amount of work.

        Returns
        -------
        JointDistribution

        Raises
        ------
        NotSupportedError
            If ratings are missing, the weights are not exact, or the computation would need more memory than the limit.
        UndefinedKappaError
            If kappa is 0/0.

        Examples
        --------
        >>> import kappamax as km
        >>> joint = km.fiber(km.from_counts([[1, 1], [0, 1]])).joint_distribution("unweighted", "linear")
        >>> joint.values.tolist(), joint.n_tables
        ([[-0.8, -0.8], [0.4, 0.4]], (1, 1))
        """
        objectives = [as_objective(self.table, weights=weights) for weights in (first, second)]
        tell = callback_for(progress, "joint distribution over the fiber")
        return joint_distribution(*objectives, memory_limit=self.memory_limit, progress=tell)

    def same_kappa(
        self,
        weights: WeightsLike = "unweighted",
        *,
        other: WeightsLike | Sequence[WeightsLike] = (),
        progress: ProgressLike = None,
    ) -> SameValue:
        """Return the number of tables with the observed kappa, and the range of kappa under other weights over them.

        Parameters
        ----------
        weights : str, Weights or mapping, optional
            Weights of the kappa that is fixed at its observed value, as for `kappa`; default "unweighted". The weights
            must be exact.
        other : weights, or a sequence of weights, optional
            Other weights, for each of which the range of kappa over these tables is computed. By default there are
            none.
        progress : callable or True, optional
            True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with
            the amount of work.

        Returns
        -------
        SameValue

        Raises
        ------
        NotSupportedError
            If ratings are missing, the weights are not exact, or the computation would need more memory than the limit.
        UndefinedKappaError
            If kappa is 0/0.

        Examples
        --------
        >>> import kappamax as km
        >>> km.fiber(km.example("rapallo2022")).same_kappa("linear", other="quadratic")
        SameValue
          weights                   linear
          value                     0.5023
          tables with this value    1,654
          range of quadratic kappa  0.3774 to 0.7406 (in 4 and 15 tables)
          data                      Read from rapallo2022.csv (counts layout): 33 subjects,
                                    raters 1 and 2, categories 1 < 2 < 3 < 4.
        """
        several: list[Any] = list(other) if isinstance(other, list | tuple) else [other]
        objective = as_objective(self.table, weights=weights)
        others = [as_objective(self.table, weights=one) for one in several]
        tell = callback_for(progress, "tables with the same value")
        return same_value(objective, others, memory_limit=self.memory_limit, progress=tell)

    def sample(self, size: int = 1, *, rng: np.random.Generator | int | None = None) -> Integers:
        """Draw independent random tables from the null distribution, as arrays of counts.

        Parameters
        ----------
        size : int, optional
            Number of tables, default 1.
        rng : int, Generator or None, optional
            Seed or source of randomness. None, the default, draws a fresh seed.

        Returns
        -------
        integers, shape (size, k, ..., k)
            Counts of each table, with one axis for each rater.

        Raises
        ------
        NotSupportedError
            If ratings are missing or the counts would be more than 50 million numbers. `iter_sample` works in these
            cases.
        InvalidOptionError
            If `size` is not a whole number of at least 1.

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
        """Draw independent random tables from the null distribution, one at a time.

        There may be any number of raters, and ratings may be missing.

        Parameters
        ----------
        size : int, optional
            Number of tables, default 1.
        rng : int, Generator or None, optional
            Seed or source of randomness. None, the default, draws a fresh seed.

        Yields
        ------
        Table

        Raises
        ------
        NotSupportedError
            If there are too many possible patterns to draw their counts, and the subjects would need more memory than
            the limit.
        InvalidOptionError
            If `size` is not a whole number of at least 1.

        Examples
        --------
        >>> import kappamax as km
        >>> [table.n_subjects for table in km.fiber(km.example("gwet2014")).iter_sample(2, rng=1)]
        [12, 12]
        """
        size = as_whole_number("size", size, 1)
        for patterns, counts in random_tables(self.table, size, as_generator(rng), self.memory_limit):
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
        progress: ProgressLike = None,
    ) -> Walk:
        """Run a random walk through the fiber that swaps ratings between subjects, and record kappa.

        Parameters
        ----------
        n_steps : int, optional
            Number of steps, default 100,000.
        weights : str, Weights or mapping, optional
            Weights of the kappa that is recorded and of the agreement to which `tilt` refers; default "unweighted".
        target : {"null", "uniform"}, optional
            Target distribution: the null distribution, the default, or the uniform distribution over tables.
        tilt : float, optional
            Tilt of the target distribution, default 0. The probability of every table is multiplied by exp(tilt * a),
            where a is its observed agreement times the number of subjects. Positive values favour agreement, and
            negative values favour disagreement.
        held : str, Weights or mapping, optional
            Weights of a kappa that is held fixed, so that the walk visits only tables with the same value. The weights
            must be exact. If there are at most 2,000 such tables, the attribute `connected` of the result states
            whether the walk can reach all of them. By default no kappa is held fixed.
        excursion : int, optional
            Maximum number of swaps in a step of a walk that holds a kappa fixed, default 4. The swaps may leave the
            held value but must return to it.
        thin : int, optional
            Number of steps between recorded values, default 1.
        keep_tables : bool, optional
            Whether to keep the counts of every recorded table, default False.
        rng : int, Generator or None, optional
            Seed or source of randomness. None, the default, draws a fresh seed.
        progress : callable or True, optional
            True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with
            the number of steps.

        Returns
        -------
        Walk

        Raises
        ------
        InvalidOptionError
            If a number or an option is out of range.
        NotSupportedError
            If the weights of the held kappa are not exact, if the walk has a uniform target or keeps tables and there
            are too many possible patterns, or if the subjects or the kept tables would need more memory than the limit.
        UndefinedKappaError
            If kappa is 0/0.
        Interrupted
            If Ctrl-C stops the walk. The attribute `best` of the exception is the walk up to that point.

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
            memory_limit=self.memory_limit,
            progress=callback_for(progress, "steps of the walk"),
        )

    def level_set(self, weights: WeightsLike = "unweighted", *, excursion: int = 4) -> LevelSet:
        """Determine whether moves connect the observed table to every other table with the same kappa.

        Parameters
        ----------
        weights : str, Weights or mapping, optional
            Weights of kappa, default "unweighted". The weights must be exact.
        excursion : int, optional
            Maximum length of an excursion, default 4. An excursion is a sequence of moves that may leave the value of
            kappa but must return to it. Lengths 1, 2, ... are tried until all tables are reached.

        Returns
        -------
        LevelSet

        Raises
        ------
        NotSupportedError
            If ratings are missing, the weights are not exact, or the tables are too many to count within the memory
            limit.
        UndefinedKappaError
            If kappa is 0/0.
        InvalidOptionError
            If `excursion` is not a whole number of at least 1.

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
          data       Read from rapallo2022.csv (counts layout): 33 subjects, raters 1 and 2,
                     categories 1 < 2 < 3 < 4.
        """
        objective = as_objective(self.table, weights=weights)
        excursion = as_whole_number("excursion", excursion, 1, MOST_MOVES_OF_EXCURSION)
        return level_set_of(objective, excursion=excursion, memory_limit=self.memory_limit)

    def _connected(self, held: Objective, excursion: int) -> bool | None:
        """Return whether excursions reach every table with the held score, or None if this would take too long."""
        try:
            n_tables = same_value(held, memory_limit=self.memory_limit).n_tables
            if n_tables > _VISITED_ON_A_WALK:
                return None
            return level_set_of(held, excursion=excursion, memory_limit=self.memory_limit).connected
        except NotSupportedError:  # ratings are missing, or there are too many tables to count
            return None

    def _member(self, patterns: Array, counts: Integers) -> Table:
        """Return the table of the fiber with the given patterns and counts."""
        return self.table.like(patterns[counts > 0], counts[counts > 0])
