"""An objective with missing ratings and a direction in; the problem the solvers minimise out.

Who rated what stays fixed: each rater's ratings may be rearranged only over the subjects that rater rated. A rating
that is not there is one more category, "not rated", and one more column says which set of raters a subject has; with
the number of subjects of every set as that column's margin, the solvers see margins and patterns as always. Only
patterns that fit their set exist.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from kappamax.disagreement.objective import Objective
from kappamax.maximum.problem import Array, Part, Patterns, Problem
from kappamax.patterns import MISSING

__all__ = ["IncompleteProblem"]


class IncompleteProblem(Problem):
    """Least total cost over all tables with the margins and the sets of raters of an incomplete table."""

    def __init__(self, objective: Objective, sign: int) -> None:
        super().__init__(objective, sign)
        table = objective.table
        self.n_real, self.n_labels = table.n_raters, table.n_categories
        self.sets, of_pattern = np.unique(table.patterns != MISSING, axis=0, return_inverse=True)
        self._index = {row.tobytes(): i for i, row in enumerate(self.sets)}
        of_pattern = of_pattern.ravel()
        self.n_raters = self.n_real + 1
        self.n_categories = max(self.n_labels + 1, len(self.sets))
        margins = np.zeros((self.n_raters, self.n_categories), dtype=np.int64)
        margins[: self.n_real, : self.n_labels] = table.margins
        margins[: self.n_real, self.n_labels] = table.n_subjects - table.margins.sum(axis=1)
        np.add.at(margins[-1], of_pattern, table.counts)
        self.margins = margins
        self.factors = sorted({objective.factors[int(size)] for size in self.sets.sum(axis=1)} - {0}) or [1]

    @property
    def n_cells(self) -> int:
        """Number of patterns that fit their set."""
        return sum(int(self.n_labels) ** int(size) for size in self.sets.sum(axis=1))

    def encoded(self, patterns: Patterns) -> Patterns:
        """Patterns with -1 for missing as the solvers see them."""
        rated = np.ascontiguousarray(patterns != MISSING)
        column = np.array([self._index[row.tobytes()] for row in rated], dtype=np.int32)
        return np.column_stack([np.where(rated, patterns, self.n_labels), column]).astype(np.int32)

    def decoded(self, patterns: Patterns) -> Patterns:
        """Patterns as tables hold them."""
        own = patterns[:, : self.n_real]
        return np.where(own == self.n_labels, MISSING, own).astype(np.int32)

    def prices_by_set(self, numerators: Array) -> tuple[Array, dict[tuple[int, ...], Array]]:
        """Prices of every rater's categories; "not rated" is paid for by the set of raters."""
        wide = numerators.astype(object) if numerators.dtype.kind in "iu" else numerators
        sets = {}
        for index, members in enumerate(self.sets):
            absent = wide[: self.n_real, self.n_labels][~members]
            sets[tuple(np.flatnonzero(members).tolist())] = absent.sum(axis=0) + wide[-1, index]
        return wide[: self.n_real, : self.n_labels], sets

    def costs(self, patterns: Patterns) -> Array:
        """The exact cost of each pattern, shape (m, number of roots)."""
        return np.asarray(self.sign * self.objective.scores(self.decoded(patterns)))

    def real(self, patterns: Patterns) -> npt.NDArray[np.float64]:
        """The cost of each pattern in doubles."""
        return np.asarray(self.costs(patterns).astype(float) @ self.roots)

    def all_patterns(self) -> Iterator[Patterns]:
        """Every pattern that fits its set, one set after the other."""
        for index, members in enumerate(self.sets):
            raters = np.flatnonzero(members)
            shape = (self.n_labels,) * len(raters)
            patterns = np.full((self.n_labels ** len(raters), self.n_raters), self.n_labels, dtype=np.int32)
            patterns[:, raters] = np.stack(np.unravel_index(np.arange(len(patterns)), shape), axis=1)
            patterns[:, -1] = index
            yield patterns

    def parts(self) -> Iterator[Part]:
        """One search per set: its raters, what their pairs cost, and the codes of everyone else."""
        matrices = {(a, b): weights.matrix for a, b, weights in self.objective.pairs()}
        for index, members in enumerate(self.sets):
            raters = np.flatnonzero(members)
            scale = self.sign * self.objective.factors[len(raters)] * float(self.objective.denominator)
            costs = np.zeros((len(raters), len(raters), self.n_labels, self.n_labels))
            for x, a in enumerate(raters):
                for y, b in enumerate(raters[x + 1 :], start=x + 1):
                    costs[x, y] = matrices[int(a), int(b)] * scale
            base = np.full(self.n_raters, self.n_labels, dtype=np.int32)
            base[-1] = index
            yield Part(raters, costs, base)

    def observed(self) -> tuple[Patterns, npt.NDArray[np.int64]]:
        """The observed table as solvers see tables."""
        return self.encoded(self.objective.table.patterns), self.objective.table.counts
