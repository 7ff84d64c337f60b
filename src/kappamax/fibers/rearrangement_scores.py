"""Find the scores that rearrangements of ratings reach where some are missing.

Where expected disagreement depends on the pooled use of categories and differs between rearrangements, that use is
found along with the score. As for complete ratings, costs are reduced and packed into one total by mixed radix. Where
there are few arrangements, all of them are listed instead.
"""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from kappamax._integers import distinct_rows, dot, widen
from kappamax._typing import Array
from kappamax.disagreement.objective import Objective
from kappamax.fibers.counting import Progress, require_memory
from kappamax.fibers.rearrangements import RearrangementCounter, all_arrangements, n_arrangements
from kappamax.fibers.sampling import ScoreSampler
from kappamax.fibers.table_scores import Tally, packed, require_exact_weights

_LISTED_SUBJECTS, _LISTED_RATINGS = 200, 2_000_000  # in one and in all arrangements that are listed


class RearrangementScores:
    """The scores, and the pooled use of categories where chance depends on it, that rearrangements reach.

    Parameters
    ----------
    objective : Objective
        Of a table with missing ratings.
    memory_limit : float
        Bytes that the distribution may take.

    Raises
    ------
    NotSupportedError
        If the weights are not exact, the possible patterns are too many, or the states exceed the memory limit.
    """

    def __init__(self, objective: Objective, memory_limit: float) -> None:
        require_exact_weights(objective.weights)
        self.objective, self.memory_limit = objective, memory_limit
        table = objective.table
        self.listed = (
            table.n_subjects <= _LISTED_SUBJECTS
            and n_arrangements(table) * table.n_subjects * table.n_raters <= _LISTED_RATINGS
        )
        if not self.listed:
            require_memory("the distribution", self.counter.n_bytes(), memory_limit)

    def tally(self, *, progress: Progress | None = None) -> Tally:
        """Return every score (and use of categories, where chance varies) that is reached, and its probability."""
        if self.listed:
            rows, place = distinct_rows(ScoreSampler(self.objective).scores_of(all_arrangements(self.objective.table)))
            return Tally(rows, np.bincount(place) / len(place), [])
        require_memory("the distribution", self.counter.n_bytes(self.n_totals), self.memory_limit)
        costs = packed([one.costs for one in self._components], [one.size for one in self._components])
        probabilities = self.counter.probabilities(costs, self.n_totals, progress)
        reached = np.flatnonzero(probabilities)
        return Tally(self._rows(reached), probabilities[reached], [])

    def work(self, most: float = np.inf) -> int:
        """Return how many additions the probabilities take; none where all arrangements are listed.

        As soon as they are known to be more than `most`, a lower bound is returned.
        """
        if self.listed:
            return 0
        least = self.counter.work()
        return least if least > most else self.counter.work(self.n_totals)

    @cached_property
    def counter(self) -> RearrangementCounter:
        """What counts the rearrangements."""
        return RearrangementCounter(self.objective.table)

    @cached_property
    def n_totals(self) -> int:
        """How many totals are told apart."""
        return prod(one.size for one in self._components)

    def _rows(self, totals: Array) -> Array:
        """The components of the score and, where chance varies, the use of every category; one row per total."""
        digits = np.unravel_index(totals, [one.size for one in self._components])
        columns = [one.offset + one.step * d.astype(object) for one, d in zip(self._components, digits, strict=True)]
        if not self.objective.fixed_chance:
            implied, n_roots = self._implied, len(self.objective.radicands)
            columns.insert(n_roots + implied, self._own_use.sum() - sum(columns[n_roots:]))
        return np.stack(columns, axis=1)

    @cached_property
    def _own_use(self) -> Array:
        """The pooled use of categories in the observed table."""
        table = self.objective.table
        return np.asarray(table.counts.astype(object) @ self.objective.pooled_use(table.patterns))

    @property
    def _implied(self) -> int:
        """The category whose use follows from that of the others."""
        return int(np.argmax(self._own_use))

    @cached_property
    def _components(self) -> list[_TotalComponent]:
        """What totals are made of, in order."""
        objective, counter = self.objective, self.counter
        found = [_component(counter, column, column, 1) for column in objective.scores(counter.patterns).T]
        if objective.fixed_chance:
            return found
        weights = objective.rating_weights.values()
        for category, use in enumerate(objective.pooled_use(counter.patterns).T):
            if category != self._implied:
                # all ratings in a category are as many always, so those of larger or of smaller weight tell its use
                chosen = widen((counter.patterns == category).sum(axis=1), max(weights) * objective.table.n_raters)
                either = (use - min(weights) * chosen, 1), (max(weights) * chosen - use, -1)
                found.append(min((_component(counter, use, *one) for one in either), key=lambda one: one.size))
        return found


class _TotalComponent(NamedTuple):
    """One component of totals: reduced costs per pattern, their range, and the component they stand for."""

    costs: Array
    size: int
    step: int
    offset: int


def _component(counter: RearrangementCounter, column: Array, costs: Array, sign: int) -> _TotalComponent:
    """A component as small whole numbers >= 0, from costs that are `sign` times it up to a constant.

    What a rater's category costs whatever the others choose, or a set of raters whatever they choose, every
    rearrangement costs alike: it is taken out.
    """
    table = counter.table
    keys = np.column_stack([counter.patterns, np.repeat(np.arange(len(counter.sizes)), counter.n_patterns)])
    costs = costs.copy()
    for codes in keys.T:
        for code in np.unique(codes):
            costs[codes == code] -= costs[codes == code].min()
    step = sign * (int(np.gcd.reduce(costs)) or 1)
    costs = costs // abs(step)
    offset = dot(column[counter.own], table.counts) - step * dot(costs[counter.own], table.counts)
    most = []
    for codes, its in zip(keys.T, keys[counter.own].T, strict=True):
        margins = {code: int(table.counts[its == code].sum()) for code in np.unique(its).tolist()}
        most.append(sum(n * int(costs[codes == code].max()) for code, n in margins.items()))
    return _TotalComponent(costs, min(most) + 1, step, offset)
