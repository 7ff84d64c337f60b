"""State what every solver minimises: the total exact cost of a table with given margins.

The largest coefficient is the least total cost of a table with the observed margins, cost being disagreement; for the
smallest coefficient the sign is reversed. Costs are whole numbers, or vectors of them over square roots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from time import monotonic
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._rootsum import RootSum
from kappamax._typing import Array, Codes, Floats, Integers
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.patterns import MISSING
from kappamax.table import Table

_PATTERNS_PER_CHUNK = 1 << 18


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
    return (CompleteProblem if objective.table.complete else Problem)(objective, sign)


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
    pair_costs: Floats
    other_codes: Codes


class Problem:
    """Least total cost over all tables with the margins and sets of raters of one table.

    Who rated which subject stays fixed: each rater's ratings may be rearranged only over the subjects that rater rated.
    Where ratings are missing, "not rated" is one more category, and one more column of patterns says which set of
    raters a subject has; with the number of subjects of every set as that column's margin, solvers see margins and
    patterns as always. Only patterns that fit their set exist.

    Parameters
    ----------
    objective : Objective
        Scores tables; its table is the observed one.
    sign : 1 or -1
        1 to minimise disagreement, -1 to maximise it.

    Attributes
    ----------
    margins : array, shape (n_raters, n_categories)
        What a table must add up to: `n_raters` is the number of columns of a pattern, `n_categories` the number of
        codes of each column.
    n_cells : int
        Number of possible patterns.
    factors : list of int
        What one disagreeing pair (or group) of raters can count in the score.
    """

    def __init__(self, objective: Objective, sign: int) -> None:
        table, group_size = objective.table, objective.coefficient.group_size
        if group_size > 2 and not table.complete:
            raise NotSupportedError(f"the maximum for {group_size} raters at a time needs complete ratings.")
        self.objective = objective
        self.sign = sign
        self.n_subjects = table.n_subjects
        self.n_labels = table.n_categories
        self.roots = np.sqrt(np.array(objective.radicands, dtype=float))
        if table.complete:
            self.sets = np.ones((1, table.n_raters), dtype=bool)
            self.margins = table.margins
        else:
            self.sets, set_of_pattern = np.unique(table.patterns != MISSING, axis=0, return_inverse=True)
            self._set_of_pattern = set_of_pattern.ravel()
            shape = table.n_raters + 1, max(self.n_labels + 1, len(self.sets))
            self.margins = np.zeros(shape, dtype=np.int64)
            self.margins[:-1, : self.n_labels] = table.margins
            self.margins[:-1, self.n_labels] = table.n_subjects - table.margins.sum(axis=1)
            np.add.at(self.margins[-1], self._set_of_pattern, table.counts)
        self.n_raters, self.n_categories = self.margins.shape
        sizes = self.sets.sum(axis=1).tolist()
        self.n_cells = sum(self.n_labels**size for size in sizes)
        self.factors = sorted({objective.factors[size] for size in sizes} - {0}) or [1]

    def costs(self, patterns: Codes) -> Array:
        """Return the exact cost of each pattern, shape (m, number of roots)."""
        return np.asarray(self.sign * self.objective.scores(self.decoded(patterns)))

    def real(self, patterns: Codes) -> Floats:
        """Return the cost of each pattern in doubles."""
        if len(self.roots) == 1:
            return np.asarray(self.costs(patterns)[:, 0].astype(float) * self.roots[0])
        return np.asarray(self.sign * self.objective.real_scores(self.decoded(patterns)))

    def total(self, patterns: Codes, counts: Integers) -> RootSum:
        """Return the exact cost of a table."""
        return self.objective.total(self.costs(patterns), counts)

    def number(self, coefficients: Sequence[int]) -> RootSum:
        """Return the exact number with these coefficients of the roots."""
        return RootSum(dict(zip(self.objective.radicands, coefficients, strict=True)))

    def all_patterns(self) -> Iterator[Codes]:
        """Yield every pattern that fits its set, some hundred thousand at a time."""
        for index, members in enumerate(self.sets):
            raters = np.flatnonzero(members)
            shape = (self.n_labels,) * len(raters)
            for start in range(0, n_cells := self.n_labels ** len(raters), _PATTERNS_PER_CHUNK):
                cells = np.arange(start, min(start + _PATTERNS_PER_CHUNK, n_cells))
                patterns = self._codes_of_others(index, len(cells))
                patterns[:, raters] = np.stack(np.unravel_index(cells, shape), axis=1)
                yield patterns

    def rater_sets(self) -> Iterator[RaterSet]:
        """Yield the sets of raters over whose patterns a search has to go."""
        matrices = {(a, b): weights.matrix for a, b, weights in self.objective.pairs()}
        for index, members in enumerate(self.sets):
            raters = np.flatnonzero(members)
            scale = self.sign * self.objective.factors[len(raters)] * float(self.objective.denominator)
            costs = np.zeros((len(raters), len(raters), self.n_labels, self.n_labels))
            for x, y in combinations(range(len(raters)), 2):
                costs[x, y] = matrices[int(raters[x]), int(raters[y])] * scale
            yield RaterSet(raters, costs, self._codes_of_others(index, 1)[0])

    def observed(self) -> tuple[Codes, Integers]:
        """Return the observed table as solvers see tables."""
        table = self.objective.table
        if table.complete:
            return table.patterns, table.counts
        codes = np.where(table.patterns == MISSING, self.n_labels, table.patterns)
        return np.column_stack([codes, self._set_of_pattern]).astype(np.int32), table.counts

    def decoded(self, patterns: Codes) -> Codes:
        """Return patterns as a `Table` holds them."""
        if self.objective.table.complete:
            return patterns
        own = patterns[:, : self.objective.table.n_raters]
        return np.where(own == self.n_labels, MISSING, own).astype(np.int32)

    def table(self, patterns: Codes, counts: Integers) -> Table:
        """Return a solver's table with the labels of the observed one."""
        return self.objective.table.like(self.decoded(patterns), counts)

    def prices_by_set(self, numerators: Array) -> tuple[Array, dict[tuple[int, ...], Array]]:
        """Return prices of every rater's categories, shape (r, k, number of roots), and one for every set of raters.

        The price of a set includes what "not rated" costs the raters who are not in it.
        """
        if self.objective.table.complete:
            return numerators, {tuple(range(self.n_raters)): np.zeros(len(self.roots), dtype=np.int64)}
        wide = numerators.astype(object) if numerators.dtype.kind in "iu" else numerators
        sets = {}
        for index, members in enumerate(self.sets):
            absent = wide[:-1, self.n_labels][~members]
            sets[tuple(np.flatnonzero(members).tolist())] = absent.sum(axis=0) + wide[-1, index]
        return wide[:-1, : self.n_labels], sets

    def _codes_of_others(self, index: int, n_rows: int) -> Codes:
        """Patterns in which nobody of a set has rated yet; without missing ratings every code is still to be set."""
        patterns = np.full((n_rows, self.n_raters), self.n_labels, dtype=np.int32)
        patterns[:, -1] = index
        return patterns


class CompleteProblem(Problem):
    """The problem of a table without missing ratings, in which every pair of ratings has a cost of its own."""

    @property
    def n_entries(self) -> int:
        """How many numbers `entries` holds for each pair."""
        return int(self.n_categories**2 * len(self.roots))

    def pairs(self) -> Iterator[tuple[int, int, Floats]]:
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
