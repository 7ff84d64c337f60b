"""Compute the distribution of the score over all rearrangements of incomplete ratings.

The ratings of each rater are rearranged over the subjects that the rater rated. If the expected disagreement depends on
the pooled use of the categories, which differs between rearrangements, the joint distribution of the score and that use
is computed. As for complete ratings, the costs are reduced and encoded as one total in a mixed radix. If there are few
rearrangements, all of them are listed instead.
"""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from kappamax._integers import distinct_rows, dot, widen
from kappamax._progress import WorkCallback
from kappamax._typing import Array
from kappamax.disagreement.objective import Objective
from kappamax.fibers.limits import require_memory
from kappamax.fibers.rearrangements import RearrangementCounter, all_arrangements, n_arrangements
from kappamax.fibers.sampling import ScoreSampler
from kappamax.fibers.score_lattice import packed
from kappamax.fibers.table_scores import Tally, require_exact_weights
from kappamax.table import Table

#: maximum number of subjects, and of ratings in all arrangements together, up to which arrangements are listed
_LISTED_SUBJECTS, _LISTED_RATINGS = 200, 2_000_000


class RearrangementScores:
    """The scores of all rearrangements of incomplete ratings and, if needed, the pooled use of the categories.

    The use is needed if the expected disagreement depends on it.

    Parameters
    ----------
    objective : Objective
        Objective of a table with missing ratings.
    memory_limit : float
        Number of bytes that the computation may use.

    Raises
    ------
    NotSupportedError
        If the weights are not exact, too many patterns are possible, or the states exceed the memory limit.
    """

    def __init__(self, objective: Objective, memory_limit: float) -> None:
        require_exact_weights(objective.weights)
        self.objective, self.memory_limit = objective, memory_limit
        self.listed = can_be_listed(objective.table)
        if not self.listed:
            require_memory("the distribution", self.counter.n_bytes(), memory_limit)

    def tally(self, *, progress: WorkCallback | None = None) -> Tally:
        """Return all outcomes and their probabilities.

        An outcome is a score and, if the expected disagreement varies, the pooled use of the categories.
        """
        if self.listed:
            return listed_tally(self.objective)
        require_memory("the distribution", self.counter.n_bytes(self.n_totals), self.memory_limit)
        costs = packed([one.costs for one in self._components], [one.size for one in self._components])
        probabilities = self.counter.probabilities(costs, self.n_totals, progress)
        reached = np.flatnonzero(probabilities)
        return Tally(self._rows(reached), probabilities[reached], [])

    def work(self, most: float = np.inf) -> int:
        """Return the number of additions that the probabilities take, which is 0 if all arrangements are listed.

        If the number is found to exceed `most`, a lower bound on it is returned.
        """
        if self.listed:
            return 0
        least = self.counter.work()
        return least if least > most else self.counter.work(self.n_totals)

    @cached_property
    def counter(self) -> RearrangementCounter:
        """Counter of the rearrangements."""
        return RearrangementCounter(self.objective.table)

    @cached_property
    def n_totals(self) -> int:
        """Number of distinct totals in the mixed radix."""
        return prod(one.size for one in self._components)

    def _rows(self, totals: Array) -> Array:
        """Return the components of the score, and of the use if it is needed, for each total."""
        digits = np.unravel_index(totals, [one.size for one in self._components])
        columns = [one.offset + one.step * d.astype(object) for one, d in zip(self._components, digits, strict=True)]
        if not self.objective.fixed_chance:
            implied, n_roots = self._implied, len(self.objective.radicands)
            columns.insert(n_roots + implied, self._own_use.sum() - sum(columns[n_roots:]))
        return np.stack(columns, axis=1)

    @cached_property
    def _own_use(self) -> Array:
        """Pooled use of the categories in the observed table."""
        table = self.objective.table
        return np.asarray(table.counts.astype(object) @ self.objective.pooled_use(table.patterns))

    @property
    def _implied(self) -> int:
        """Category whose use is determined by the use of the others."""
        return int(np.argmax(self._own_use))

    @cached_property
    def _components(self) -> list[_TotalComponent]:
        """Components of the totals, in order."""
        objective, counter = self.objective, self.counter
        found = [_component(counter, column, column, 1) for column in objective.scores(counter.patterns).T]
        if objective.fixed_chance:
            return found
        weights = objective.rating_weights.values()
        for category, use in enumerate(objective.pooled_use(counter.patterns).T):
            if category != self._implied:
                # The number of ratings in a category is fixed. Its use is therefore determined by the excess over the
                # smallest rating weight, or by the shortfall from the largest one. The smaller range is chosen.
                chosen = widen((counter.patterns == category).sum(axis=1), max(weights) * objective.table.n_raters)
                either = (use - min(weights) * chosen, 1), (max(weights) * chosen - use, -1)
                found.append(min((_component(counter, use, *one) for one in either), key=lambda one: one.size))
        return found


def can_be_listed(table: Table) -> bool:
    """Return whether there are so few arrangements of the ratings that all of them can be listed."""
    return (
        table.n_subjects <= _LISTED_SUBJECTS
        and n_arrangements(table) * table.n_subjects * table.n_raters <= _LISTED_RATINGS
    )


def listed_tally(objective: Objective) -> Tally:
    """Return all outcomes and their probabilities from the list of all arrangements; the weights may be inexact."""
    rows, place = distinct_rows(ScoreSampler(objective).scores_of(all_arrangements(objective.table)))
    return Tally(rows, np.bincount(place) / len(place), [])


class _TotalComponent(NamedTuple):
    """One component of the totals.

    Attributes
    ----------
    costs : integers
        Reduced cost of each pattern.
    size : int
        Number of possible totals of the reduced costs, 0, ..., size - 1.
    step, offset : int
        The component itself is offset + step * total.
    """

    costs: Array
    size: int
    step: int
    offset: int


def _component(counter: RearrangementCounter, column: Array, costs: Array, sign: int) -> _TotalComponent:
    """Return a component as small integers >= 0, from costs that equal `sign` times the component up to a constant.

    Costs that depend only on the category of one rater, or only on the set of raters, contribute the same amount to
    every rearrangement and are therefore removed.
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
