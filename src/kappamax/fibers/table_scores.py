"""Count the tables of a fiber by score, for one or several objectives.

The scores are first reduced to few small totals (`score_lattice`). If the fiber has few tables, but many states or
totals, the tables are listed instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from kappamax._integers import SUMMABLE, Digits, distinct_rows, dot, magnitude
from kappamax._progress import WorkCallback
from kappamax._rootsum import RootSum
from kappamax._typing import Array, Floats, Integers
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.fibers.counting import TableCounter, all_patterns
from kappamax.fibers.enumeration import LISTED_TABLES, chances_of, few_tables, fewest_tables
from kappamax.fibers.limits import require_complete, require_little_work, require_memory
from kappamax.fibers.score_lattice import ScoreLattice, lattice_of, packed
from kappamax.patterns import indices_of
from kappamax.weights import PairWeights, Weights

_WORTH_LISTING = 50_000_000  # number of additions that take about as long as listing LISTED_TABLES tables


class TableScores:
    """The scores of one or several objectives over the fiber of a table of complete ratings.

    Parameters
    ----------
    objectives : sequence of Objective
        Objectives of the same table.
    memory_limit : float
        Number of bytes that a computation may use.

    Raises
    ------
    NotSupportedError
        If ratings are missing, the weights are not exact, or the states alone exceed the memory limit.
    """

    def __init__(self, objectives: Sequence[Objective], memory_limit: float) -> None:
        self.table = objectives[0].table
        require_complete(self.table)
        for objective in objectives:
            require_exact_weights(objective.weights)
        self.objectives = objectives
        self.memory_limit = memory_limit
        self.patterns = all_patterns(self.table.margins)
        self.counter = TableCounter(self.table.margins, self.patterns)
        n_bytes = self.counter.probability_bytes()
        if n_bytes > memory_limit and self._few is None:
            require_memory("the distribution", n_bytes, memory_limit)

    def tally(
        self,
        *,
        n_tables: bool = False,
        probabilities: bool = True,
        at: RootSum | None = None,
        progress: WorkCallback | None = None,
    ) -> Tally:
        """Return every score that some table has, with its probability, its number of tables, or both.

        Parameters
        ----------
        n_tables : bool, optional
            Whether to count the tables with each score, default False.
        probabilities : bool, optional
            Whether to compute the probability of each score under the null distribution, default True.
        at : RootSum, optional
            Score of the first objective, which some table must have. If it is given, only outcomes with this score are
            returned.
        progress : callable, optional
            Function that is called with the amount of work done and the total amount of work, first while tables are
            counted and then while probabilities are computed.

        Returns
        -------
        Tally
        """
        if self._lists(n_tables=n_tables):
            return self._listed(at)
        counted, likely = [], np.zeros(0)
        if n_tables:
            require_memory("counting tables by score", self.counter.table_bytes(self.n_totals), self.memory_limit)
            require_little_work("counting tables by score", self.counter.work(self.n_totals))
            counted = self.counter.n_tables(self._packed, self.n_totals, progress)
        if probabilities:
            require_memory("the distribution", self.counter.probability_bytes(self.n_totals), self.memory_limit)
            require_little_work("the distribution", self.counter.work(self.n_totals))
            likely = self.counter.probabilities(self._packed, self.n_totals, progress)
        totals = range(self.n_totals) if at is None else self._totals_at(at)
        found = counted if n_tables else likely
        reached = [total for total in totals if found[total]]
        digits = np.unravel_index(np.array(reached, dtype=np.int64), self._sizes)
        return Tally(
            self._lattice.rows(digits),
            likely[reached] if probabilities else likely,
            [counted[total] for total in reached] if n_tables else [],
        )

    def work(self, most: float = np.inf) -> int:
        """Return the number of additions that the probabilities take, or the size of the list if tables are listed.

        If the number is found to exceed `most`, a lower bound on it is returned.
        """
        least = self.counter.work()
        if least > most and fewest_tables(self.table) > LISTED_TABLES:
            return least
        least = self._opposed_work()
        if (self._crowded or least > _WORTH_LISTING) and self._few is not None:
            least = self._few.size
        if least > most:
            return least
        if self._lists(n_tables=False):
            assert self._few is not None
            return self._few.size
        return self.counter.work(self.n_totals)

    @cached_property
    def n_totals(self) -> int:
        """Number of distinct totals in the mixed radix."""
        return prod(self._sizes)

    def scores(self, rows: Array) -> list[tuple[RootSum, ...]]:
        """Return the exact scores of the objectives for each row of components of a tally."""
        found = []
        for row in rows.tolist():
            entries = iter(row)
            found.append(tuple(RootSum({f: next(entries) for f in one.radicands}) for one in self.objectives))
        return found

    @cached_property
    def _lattice(self) -> ScoreLattice:
        """Components of the scores, expressed by independent components."""
        columns, own = (
            np.concatenate([objective.scores(patterns) for objective in self.objectives], axis=1)
            for patterns in (self.patterns, self.table.patterns)
        )
        return lattice_of(self.table, columns, [dot(column, self.table.counts) for column in own.T])

    @cached_property
    def _few(self) -> Integers | None:
        """Counts of all patterns in every table, or None if listing the tables would take too long."""
        if fewest_tables(self.table) > LISTED_TABLES:
            return None
        countable = not self._crowded and self.counter.table_bytes() <= self.memory_limit
        return few_tables(self.table, self.patterns, self.counter.n_tables()[0] if countable else None)

    @cached_property
    def _crowded(self) -> bool:
        """Whether the states alone take too much memory or more time than listing tables."""
        return self.counter.probability_bytes() > self.memory_limit or self.counter.work() > _WORTH_LISTING

    def _lists(self, *, n_tables: bool) -> bool:
        """Return whether tables are listed, which is the case if there are few tables but many states or totals."""
        if not self._crowded:
            needed = self.counter.table_bytes if n_tables else self.counter.probability_bytes
            if needed(self.n_totals) <= self.memory_limit and self.counter.work(self.n_totals) <= _WORTH_LISTING:
                return False
        return self._few is not None

    def _opposed_work(self) -> int:
        """Estimate the number of additions from a table in which every second rater's ratings are sorted in reverse.

        The estimate takes the total of this table for the largest total. It is fast to compute and, if the weights are
        distances, close to the true number.
        """
        margins = [row[row > 0] for row in self.table.margins]
        ends = [np.cumsum(row[::-1] if a % 2 else row) for a, row in enumerate(margins)]
        breaks = np.unique(np.concatenate(ends))
        codes = [np.searchsorted(own, breaks) for own in ends]
        turned = [len(own) - 1 - code if a % 2 else code for a, (own, code) in enumerate(zip(ends, codes, strict=True))]
        at = indices_of(turned, [len(own) for own in ends])
        times = np.diff(breaks, prepend=0)
        return self.counter.work(prod(dot(one.costs[at], times) + 1 for one in self._lattice.independent))

    def _listed(self, at: RootSum | None) -> Tally:
        """Return the tally computed from the list of all tables."""
        assert self._few is not None
        scores = [objective.scores(self.patterns) for objective in self.objectives]
        rows = Digits(np.concatenate(scores, axis=1), self.table.n_subjects).weighted(self._few)
        distinct, place = distinct_rows(rows)
        n_tables = np.bincount(place)
        likely = np.asarray(np.bincount(place, weights=chances_of(self._few)), dtype=float)
        if at is not None:
            first = self.objectives[0].radicands
            wanted = [int(at.terms.get(f, 0)) for f in first]
            kept = (distinct[:, : len(first)] == np.array(wanted, dtype=object)).all(axis=1)
            distinct, n_tables, likely = distinct[kept], n_tables[kept], likely[kept]
        return Tally(distinct, likely, n_tables.tolist())

    def _totals_at(self, score: RootSum) -> list[int]:
        """Return all totals at which the first objective has a given score, which some table must have."""
        radicands = self.objectives[0].radicands
        fixed = [
            (int(score.terms.get(radicands[one.column], 0)) - one.offset) // one.step
            for one in self._lattice.independent
            if one.column < len(radicands)
        ]
        totals = np.arange(self.n_totals).reshape(self._sizes)
        return [int(total) for total in totals[tuple(fixed)].ravel()]

    @cached_property
    def _sizes(self) -> list[int]:
        """Number of possible values of each independent component, or a bound on it if costs are too large to add."""
        sizes = []
        for one in self._lattice.independent:
            most = magnitude(one.costs) * self.table.n_subjects
            sizes.append((self.counter.largest_total(one.costs) if 0 < most < SUMMABLE else most) + 1)
        return sizes

    @property
    def _packed(self) -> Array:
        """Cost of each pattern, with its independent components encoded as one number."""
        return packed([one.costs for one in self._lattice.independent], self._sizes)


class Tally(NamedTuple):
    """Distinct outcomes with their probabilities and numbers of tables.

    Attributes
    ----------
    rows : integers, shape (n, number of components)
        Components of the score and, if expected disagreement depends on it, the pooled use of each category.
    probabilities : floats, shape (n,)
        Probability of each outcome under the null distribution; empty if it was not requested.
    n_tables : list of n ints
        Number of tables with each outcome; empty if they were not counted.
    """

    rows: Array
    probabilities: Floats
    n_tables: list[int]


def require_exact_weights(weights: Weights | PairWeights) -> None:
    """Require exact weights, since tables are counted only by exact scores."""
    if not weights.exact:
        raise NotSupportedError(
            f"{weights.name} weights are not exact numbers, so tables cannot be counted by their scores. "
            "Sampling and the Monte Carlo test support these weights."
        )
