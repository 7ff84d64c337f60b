"""State what every solver minimises: the total exact cost of a table with given margins.

The largest coefficient is the least total cost of a table with the observed margins, cost being disagreement; for the
smallest coefficient the sign is reversed. Costs are whole numbers, or vectors of them over square roots.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._rootsum import RootSum
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.table import MISSING, Table

__all__ = [
    "CompleteProblem",
    "Counts",
    "IncompleteProblem",
    "OutOfTime",
    "Patterns",
    "Problem",
    "RaterSet",
    "Watch",
    "problem_for",
    "require_fixed_chance",
]

Array = npt.NDArray[Any]
Patterns = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]

_CHUNK = 1 << 18
_FEW_ENTRIES = 1_000_000


def problem_for(objective: Objective, sign: int) -> Problem:
    """Return the problem of an objective, with or without missing ratings.

    Parameters
    ----------
    objective : Objective
    sign : 1 or -1
        1 to minimise disagreement, -1 to maximise it.

    Raises
    ------
    NotSupportedError
        If rearranging the ratings changes the expected disagreement, or if ratings are missing and more than two
        raters must agree at a time.
    """
    require_fixed_chance(objective)
    return (CompleteProblem if objective.table.complete else IncompleteProblem)(objective, sign)


def require_fixed_chance(objective: Objective) -> None:
    """Require that all tables with the same margins and sets of raters have the same expected disagreement."""
    if not objective.fixed_chance:
        raise NotSupportedError(
            f"rearranging these ratings changes what {objective.coefficient.title} expects by chance: a rater who used "
            "several categories rated subjects with different numbers of ratings. Conger's kappa, Brennan-Prediger and "
            "percent agreement do not depend on that."
        )


class RaterSet(NamedTuple):
    """The raters of some subjects, as a search over their patterns needs them.

    Attributes
    ----------
    raters : array, shape (s,)
        Their columns in a pattern.
    pair_costs : array, shape (s, s, k, k)
        The cost of each pair of their ratings, in doubles; zero unless the first rater comes before the second.
    other_codes : array, shape (number of columns,)
        The codes of all other columns, which are the same in every pattern of this set.
    """

    raters: npt.NDArray[np.intp]
    pair_costs: npt.NDArray[np.float64]
    other_codes: npt.NDArray[np.int32]


class Problem(ABC):
    """Least total cost over all tables with the margins and sets of raters of one table.

    Attributes
    ----------
    objective : Objective
        Scores tables; its table is the observed one.
    sign : 1 or -1
        1 to minimise disagreement, -1 to maximise it.
    margins : array, shape (n_raters, n_categories)
        What a table must add up to. `n_raters` is the number of columns of a pattern, `n_categories` the number of
        codes of each column.
    n_cells : int
        Number of possible patterns.
    factors : list of int
        What one disagreeing pair (or group) of raters can count in the score.
    """

    margins: npt.NDArray[np.int64]
    n_cells: int
    factors: list[int]

    def __init__(self, objective: Objective, sign: int) -> None:
        self.objective = objective
        self.sign = sign
        self.n_subjects = objective.table.n_subjects
        self.roots = np.sqrt(np.array(objective.radicands, dtype=float))

    @property
    def n_raters(self) -> int:
        """Number of columns of a pattern."""
        return int(self.margins.shape[0])

    @property
    def n_categories(self) -> int:
        """Number of codes of each column."""
        return int(self.margins.shape[1])

    @abstractmethod
    def costs(self, patterns: Patterns) -> Array:
        """Return the exact cost of each pattern, shape (m, number of roots)."""

    @abstractmethod
    def real(self, patterns: Patterns) -> npt.NDArray[np.float64]:
        """Return the cost of each pattern in doubles."""

    @abstractmethod
    def all_patterns(self) -> Iterator[Patterns]:
        """Yield every possible pattern, some hundred thousand at a time."""

    @abstractmethod
    def rater_sets(self) -> Iterator[RaterSet]:
        """Yield the sets of raters over whose patterns a search has to go."""

    @abstractmethod
    def observed(self) -> tuple[Patterns, Counts]:
        """Return the observed table as solvers see tables."""

    @abstractmethod
    def decoded(self, patterns: Patterns) -> Patterns:
        """Return patterns as a `Table` holds them."""

    @abstractmethod
    def prices_by_set(self, numerators: Array) -> tuple[Array, dict[tuple[int, ...], Array]]:
        """Return prices of every rater's categories, shape (r, k, number of roots), and one for every set of raters."""

    def total(self, patterns: Patterns, counts: Counts) -> RootSum:
        """Return the exact cost of a table."""
        return self.objective.total(self.costs(patterns), counts)

    def number(self, coefficients: Sequence[int]) -> RootSum:
        """Return the exact number with these coefficients of the roots."""
        return RootSum(dict(zip(self.objective.radicands, coefficients, strict=True)))

    def table(self, patterns: Patterns, counts: Counts) -> Table:
        """Return a solver's table with the labels of the observed one."""
        return self.objective.table.like(self.decoded(patterns), counts)


class CompleteProblem(Problem):
    """The problem of a table without missing ratings: every cell is a pattern, and pairs of ratings have costs."""

    def __init__(self, objective: Objective, sign: int) -> None:
        super().__init__(objective, sign)
        self.margins = objective.table.margins
        self.n_cells = int(self.n_categories**self.n_raters)
        self.factors = [objective.factors.get(self.n_raters, 0)]
        #: how many numbers `entries` holds for each pair
        self.n_entries = int(self.n_categories**2 * len(self.roots))

    def pairs(self) -> Iterator[tuple[int, int, npt.NDArray[np.float64]]]:
        """Yield every pair of raters and the cost of their ratings, in the units of `real`."""
        scale = self.sign * self.factors[0] * float(self.objective.denominator)
        for a, b, weights in self.objective.pairs():
            yield a, b, weights.matrix * scale

    @cached_property
    def entries(self) -> list[tuple[int, int, Array]]:
        """Every pair of raters and the exact cost of their ratings, shape (k, k, number of roots)."""
        scale = self.sign * self.factors[0]
        scaled: dict[int, Array] = {}  # pairs with the same weights share the array
        return [(a, b, scaled.setdefault(id(own), scale * own)) for a, b, own in self.objective.entries()]

    def costs(self, patterns: Patterns) -> Array:
        """Return the sum over pairs of raters, looked up where the costs of pairs fit into memory."""
        if self.objective.coefficient.group_size > 2 or self.n_entries > _FEW_ENTRIES:
            return np.asarray(self.sign * self.objective.scores(patterns))
        return np.asarray(sum(entries[patterns[:, a], patterns[:, b]] for a, b, entries in self.entries))

    def real(self, patterns: Patterns) -> npt.NDArray[np.float64]:
        """Return the sum over pairs of raters in doubles."""
        if len(self.roots) == 1:
            return np.asarray(self.costs(patterns)[:, 0].astype(float) * self.roots[0])
        total = np.zeros(len(patterns))
        for a, b, matrix in self.pairs():
            total += matrix[patterns[:, a], patterns[:, b]]
        return total

    def all_patterns(self) -> Iterator[Patterns]:
        """Yield every cell."""
        shape = (self.n_categories,) * self.n_raters
        for start in range(0, self.n_cells, _CHUNK):
            cells = np.arange(start, min(start + _CHUNK, self.n_cells))
            yield np.stack(np.unravel_index(cells, shape), axis=1).astype(np.int32)

    def rater_sets(self) -> Iterator[RaterSet]:
        """Yield the one set: all raters."""
        costs = np.zeros((self.n_raters, self.n_raters, self.n_categories, self.n_categories))
        for a, b, matrix in self.pairs():
            costs[a, b] = matrix
        yield RaterSet(np.arange(self.n_raters), costs, np.zeros(self.n_raters, dtype=np.int32))

    def observed(self) -> tuple[Patterns, Counts]:
        """Return the observed table."""
        return self.objective.table.patterns, self.objective.table.counts

    def decoded(self, patterns: Patterns) -> Patterns:
        """Return the patterns themselves."""
        return patterns

    def prices_by_set(self, numerators: Array) -> tuple[Array, dict[tuple[int, ...], Array]]:
        """Return the prices, and zero for the one set of raters."""
        return numerators, {tuple(range(self.n_raters)): np.zeros(len(self.roots), dtype=np.int64)}


class IncompleteProblem(Problem):
    """The problem of a table with missing ratings: who rated which subject stays fixed.

    Each rater's ratings may be rearranged only over the subjects that rater rated. A missing rating is one more
    category, "not rated", and one more column says which set of raters a subject has; with the number of subjects of
    every set as that column's margin, solvers see margins and patterns as always. Only patterns that fit their set
    exist.
    """

    def __init__(self, objective: Objective, sign: int) -> None:
        if objective.coefficient.group_size > 2:
            raise NotSupportedError(
                f"the maximum for {objective.coefficient.group_size} raters at a time needs complete ratings."
            )
        super().__init__(objective, sign)
        table = objective.table
        self.n_real, self.n_labels = table.n_raters, table.n_categories
        self.sets, set_of_pattern = np.unique(table.patterns != MISSING, axis=0, return_inverse=True)
        self._set_of_pattern = set_of_pattern.ravel()
        margins = np.zeros((self.n_real + 1, max(self.n_labels + 1, len(self.sets))), dtype=np.int64)
        margins[: self.n_real, : self.n_labels] = table.margins
        margins[: self.n_real, self.n_labels] = table.n_subjects - table.margins.sum(axis=1)
        np.add.at(margins[-1], self._set_of_pattern, table.counts)
        self.margins = margins
        sizes = self.sets.sum(axis=1).tolist()
        self.n_cells = sum(int(self.n_labels) ** size for size in sizes)
        self.factors = sorted({objective.factors[size] for size in sizes} - {0}) or [1]

    def costs(self, patterns: Patterns) -> Array:
        """Return the score of each pattern, with the sign."""
        return np.asarray(self.sign * self.objective.scores(self.decoded(patterns)))

    def real(self, patterns: Patterns) -> npt.NDArray[np.float64]:
        """Return the score of each pattern in doubles, with the sign."""
        return np.asarray(self.costs(patterns).astype(float) @ self.roots)

    def all_patterns(self) -> Iterator[Patterns]:
        """Yield every pattern that fits its set, one set after the other."""
        for index, members in enumerate(self.sets):
            raters = np.flatnonzero(members)
            shape = (self.n_labels,) * len(raters)
            patterns = np.full((self.n_labels ** len(raters), self.n_raters), self.n_labels, dtype=np.int32)
            patterns[:, raters] = np.stack(np.unravel_index(np.arange(len(patterns)), shape), axis=1)
            patterns[:, -1] = index
            yield patterns

    def rater_sets(self) -> Iterator[RaterSet]:
        """Yield every set of raters that rated a subject together."""
        matrices = {(a, b): weights.matrix for a, b, weights in self.objective.pairs()}
        for index, members in enumerate(self.sets):
            raters = np.flatnonzero(members)
            scale = self.sign * self.objective.factors[len(raters)] * float(self.objective.denominator)
            costs = np.zeros((len(raters), len(raters), self.n_labels, self.n_labels))
            for x, a in enumerate(raters):
                for y, b in enumerate(raters[x + 1 :], start=x + 1):
                    costs[x, y] = matrices[int(a), int(b)] * scale
            other_codes = np.full(self.n_raters, self.n_labels, dtype=np.int32)
            other_codes[-1] = index
            yield RaterSet(raters, costs, other_codes)

    def observed(self) -> tuple[Patterns, Counts]:
        """Return the observed table with codes for missing ratings and for sets."""
        table = self.objective.table
        codes = np.where(table.patterns == MISSING, self.n_labels, table.patterns)
        return np.column_stack([codes, self._set_of_pattern]).astype(np.int32), table.counts

    def decoded(self, patterns: Patterns) -> Patterns:
        """Return patterns without the column of sets, and with -1 for a missing rating."""
        own = patterns[:, : self.n_real]
        return np.where(own == self.n_labels, MISSING, own).astype(np.int32)

    def prices_by_set(self, numerators: Array) -> tuple[Array, dict[tuple[int, ...], Array]]:
        """Return prices of every rater's categories; the price of a set includes those of its missing ratings."""
        wide = numerators.astype(object) if numerators.dtype.kind in "iu" else numerators
        sets = {}
        for index, members in enumerate(self.sets):
            absent = wide[: self.n_real, self.n_labels][~members]
            sets[tuple(np.flatnonzero(members).tolist())] = absent.sum(axis=0) + wide[-1, index]
        return wide[: self.n_real, : self.n_labels], sets


class OutOfTime(Exception):  # noqa: N818  # an answer, not an error
    """A search that the time limit ended."""


class Watch:
    """The time limit of a solver, and the callback that is told about its progress."""

    def __init__(self, time_limit: float | None = None, progress: Callable[[str], None] | None = None) -> None:
        self.deadline = None if time_limit is None else monotonic() + time_limit
        self.progress = progress

    @property
    def left(self) -> float | None:
        """Seconds left, at least a moment; None without a limit."""
        return None if self.deadline is None else max(0.05, self.deadline - monotonic())

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.deadline is not None and monotonic() > self.deadline

    def tell(self, message: str) -> None:
        """Report progress in one line."""
        if self.progress is not None:
            self.progress(message)
