"""Compute the probabilities of the scores of complete ratings by the recursion over subjects.

The recursion does not count tables. Where only probabilities are needed, it takes much less time and memory than
`table_scores`, unless the fiber is small.
"""

from __future__ import annotations

from functools import cached_property
from importlib.util import find_spec
from math import prod

import numpy as np

from kappamax._integers import SUMMABLE, dot, magnitude
from kappamax._progress import WorkCallback
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.fibers.counting import all_patterns
from kappamax.fibers.limits import require_complete, require_memory
from kappamax.fibers.score_lattice import ScoreLattice, lattice_of, packed
from kappamax.fibers.subject_recursion import SubjectRecursion, least_work
from kappamax.fibers.table_scores import Tally, require_exact_weights

#: lower bounds on the memory for each state of a layer and for each subject
_BYTES_PER_STATE, _BYTES_PER_SUBJECT = 10, 50


class SubjectScores:
    """The scores of an objective over the fiber of a table of complete ratings.

    Parameters
    ----------
    objective : Objective
        The observed table, the weights and the coefficient.
    memory_limit : float
        Number of bytes that the computation may use.

    Raises
    ------
    NotSupportedError
        If ratings are missing, the weights are not exact, or too many patterns are possible.
    """

    def __init__(self, objective: Objective, memory_limit: float) -> None:
        require_complete(objective.table)
        require_exact_weights(objective.weights)
        self.objective, self.memory_limit = objective, memory_limit
        self.patterns = all_patterns(objective.table.margins)

    def work(self, most: float = np.inf) -> int:
        """Return the amount of work, measured in additions, or a lower bound on it that exceeds `most`.

        Raises
        ------
        NotSupportedError
            If the computation would need more memory than the limit, or the scores are too large.
        """
        table = self.objective.table
        least = least_work(table.margins)
        if least > most:
            return least
        n_layers = table.n_subjects + 1
        n_bytes = _BYTES_PER_STATE * (least // (len(self.patterns) * n_layers)) + _BYTES_PER_SUBJECT * n_layers
        require_memory("the distribution", n_bytes, self.memory_limit)
        work = self._recursion.work(most)
        if work <= most:
            require_memory("the distribution", self.n_bytes, self.memory_limit)
        return work

    @property
    def n_bytes(self) -> int:
        """Largest number of bytes held at one time."""
        return self._recursion.n_bytes

    def tally(self, *, progress: WorkCallback | None = None) -> Tally:
        """Return every score that some table has, with its probability."""
        smallest, probabilities = self._recursion.probabilities(progress)
        reached = np.flatnonzero(probabilities)
        digits = np.unravel_index(reached + smallest, self._sizes)
        return Tally(self._lattice.rows(digits), probabilities[reached], [])

    @cached_property
    def _recursion(self) -> SubjectRecursion:
        costs = [one.costs for one in self._lattice.independent]
        return SubjectRecursion(self.objective.table.margins, packed(costs, self._sizes))

    @cached_property
    def _lattice(self) -> ScoreLattice:
        """Components of the scores, expressed by independent components."""
        objective, table = self.objective, self.objective.table
        own = [dot(column, table.counts) for column in objective.scores(table.patterns).T]
        return lattice_of(table, objective.scores(self.patterns), own)

    @cached_property
    def _sizes(self) -> list[int]:
        """A number above the largest total of each independent component."""
        n = self.objective.table.n_subjects
        costs = [one.costs for one in self._lattice.independent]
        if prod(magnitude(own) * n + 1 for own in costs) >= SUMMABLE:
            raise NotSupportedError("the exact distribution has too many different scores.")
        if len(costs) == 1:
            return [magnitude(costs[0]) * n + 1]
        return [SubjectRecursion(self.objective.table.margins, own).largest + 1 for own in costs]


def recursion_available() -> bool:
    """Return whether numba, without which the recursion is slow, is installed."""
    return find_spec("numba") is not None
