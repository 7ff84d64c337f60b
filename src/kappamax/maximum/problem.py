"""Define the problem that every solver solves: minimise the exact cost over all tables with given margins.

The cost of a table is its disagreement. The largest coefficient belongs to the table of least cost with the observed
margins; for the smallest coefficient the sign of the cost is reversed. Costs are whole numbers, or integer combinations
of square roots, which are held as vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from time import monotonic
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._progress import Progress
from kappamax._rootsum import RootSum
from kappamax._typing import Array, Codes, Floats, Integers
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.patterns import MISSING, patterns_at
from kappamax.table import Table
from kappamax.weights import Weights

_PATTERNS_PER_CHUNK = 1 << 18  # patterns that are listed in one array


def problem_for(objective: Objective, sign: int) -> Problem:
    """Return the problem of an objective, with or without missing ratings.

    Parameters
    ----------
    objective : Objective
        Observed table with weights and coefficient.
    sign : {1, -1}
        1 to minimise disagreement, -1 to maximise it.

    Returns
    -------
    Problem
        A `CompleteProblem` if no ratings are missing.

    Raises
    ------
    NotSupportedError
        If rearranging the ratings changes the expected disagreement, or if ratings are missing and more than two
        raters must agree at a time.
    """
    objective.require_fixed_weights("the largest value")
    require_fixed_chance(objective)
    return (CompleteProblem if objective.table.complete else Problem)(objective, sign)


def require_fixed_chance(objective: Objective) -> None:
    """Require that all tables with the same margins and sets of raters have the same expected disagreement."""
    if not objective.fixed_chance:
        raise NotSupportedError(
            f"rearranging these ratings changes the expected agreement of {objective.coefficient.title}, because a "
            "rater who used several categories rated subjects with different numbers of ratings. Use Conger's kappa, "
            "Brennan-Prediger or percent agreement, whose expected agreement does not change."
        )


class RaterSet(NamedTuple):
    """Set of raters who rated the same subjects, in the form that a search over their patterns uses.

    Attributes
    ----------
    raters : array, shape (s,)
        Columns of these raters in a pattern.
    pair_costs : array, shape (s, s, k, k)
        Cost of each pair of their ratings, in doubles; zero unless the first rater comes before the second.
    """

    raters: npt.NDArray[np.intp]
    pair_costs: Floats


class Problem:
    """Minimisation of the cost over all tables with the margins and sets of raters of one table.

    The set of raters of each subject is fixed: each rater's ratings may be rearranged only over the subjects that this
    rater rated. If ratings are missing, "not rated" is an additional category, and an additional column of the patterns
    gives the set of raters of a subject. The margin of that column is the number of subjects of every set, so that
    solvers treat problems with and without missing ratings alike. Only patterns whose ratings come from the raters of
    their set are possible.

    Parameters
    ----------
    objective : Objective
        Observed table with weights and coefficient.
    sign : {1, -1}
        1 to minimise disagreement, -1 to maximise it.

    Attributes
    ----------
    margins : array, shape (n_raters, n_categories)
        Margins that a table must have. `n_raters` is the number of columns of a pattern and `n_categories` the number
        of codes of each column.
    n_cells : int
        Number of possible patterns.
    factors : list of int
        Factors by which the disagreement of one pair (or group) of raters may be multiplied in the score.
    """

    def __init__(self, objective: Objective, sign: int) -> None:
        table, group_size = objective.table, objective.coefficient.group_size
        if group_size > 2 and not table.complete:
            raise NotSupportedError(f"the maximum for {group_size} raters at a time requires complete ratings.")
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

    @property
    def set_sizes(self) -> list[int]:
        """Number of subjects of every set of raters."""
        complete = self.objective.table.complete
        return [self.n_subjects] if complete else self.margins[-1, : len(self.sets)].tolist()

    @cached_property
    def constraints(self) -> Integers:
        """Positions, in the flattened margins, of the totals that a solver must meet.

        The totals of "not rated" are left out because they follow from the number of subjects of every set of raters.
        """
        positions = np.arange(self.margins.size).reshape(self.margins.shape)
        if self.objective.table.complete:
            return positions.ravel()
        return np.concatenate([positions[:-1, : self.n_labels].ravel(), positions[-1, : len(self.sets)]])

    @property
    def sides(self) -> Integers:
        """Totals at the positions of `constraints`."""
        return np.asarray(self.margins.ravel()[self.constraints])

    def at_constraints(self, values: Array) -> Array:
        """Return values of the constraints, shape (n, ...), in the shape of the margins, with zero elsewhere."""
        full = np.zeros((self.margins.size, *values.shape[1:]), dtype=values.dtype)
        full[self.constraints] = values
        return full.reshape(*self.margins.shape, *values.shape[1:])

    @property
    def scale(self) -> float:
        """Upper bound of the absolute cost of a pattern, in doubles."""
        return float(max(self.factors)) * float(self.objective.disagreement.largest) * float(self.roots.max())

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
        """Return the exact number with the given coefficients of the roots."""
        return RootSum(dict(zip(self.objective.radicands, coefficients, strict=True)))

    def all_patterns(self) -> Iterator[Codes]:
        """Yield every possible pattern, in arrays of at most 2^18 patterns."""
        for index, members in enumerate(self.sets):
            shape = (self.n_labels,) * int(members.sum())
            for start in range(0, n_cells := self.n_labels ** len(shape), _PATTERNS_PER_CHUNK):
                cells = np.arange(start, min(start + _PATTERNS_PER_CHUNK, n_cells))
                yield self.patterns_of(index, patterns_at(cells, shape))

    def rater_set(self, index: int) -> RaterSet:
        """Return a set of raters in the form that a depth-first search uses."""
        raters = np.flatnonzero(self.sets[index])
        if not isinstance(self.objective.weights, Weights):
            return RaterSet(raters, self._pair_costs(raters))
        if len(raters) not in self._costs_by_size:  # all sets of one size have the same costs
            self._costs_by_size[len(raters)] = self._pair_costs(raters)
        return RaterSet(raters, self._costs_by_size[len(raters)])

    @cached_property
    def _costs_by_size(self) -> dict[int, Floats]:
        return {}

    def _pair_costs(self, raters: Integers) -> Floats:
        """Return the costs of the ratings of each pair of raters; entry (x, y) is zero unless x < y."""
        costs = np.zeros((len(raters), len(raters), self.n_labels, self.n_labels))
        for x, y in combinations(range(len(raters)), 2):
            costs[x, y] = self._matrices[int(raters[x]), int(raters[y])]
        return costs * self._cost_of_weight(len(raters))

    def _cost_of_weight(self, size: int) -> float:
        """Return the factor between the weights of a pair of raters and their costs in a set of the given size."""
        return self.sign * self.objective.factors[size] * float(self.objective.denominator)

    def least_pair_costs(self, prices: Floats, size: int) -> Floats:
        """Return the least cost minus prices of the ratings of each pair of raters in a set of the given size.

        `prices` has one row for each rater. Entry (x, y) of the result is zero unless x < y.
        """
        n_raters, factor = self.objective.table.n_raters, self._cost_of_weight(size)
        least = np.zeros((n_raters, n_raters))
        own = prices[:, : self.n_labels]
        for x in range(n_raters - 1):
            weights = np.array([self._matrices[x, y] for y in range(x + 1, n_raters)])
            reduced = factor * weights - own[x][None, :, None] - own[x + 1 :, None, :]
            least[x, x + 1 :] = reduced.min(axis=(1, 2))
        return least

    def rating_costs(self, patterns: Codes, rater: int) -> Floats:
        """Return the cost of each category that a rater may give a subject whom the others rate as in a pattern.

        Parameters
        ----------
        patterns : array, shape (m, n_raters)
            Patterns in which this rater rates; the ratings of this rater do not matter.
        rater : int
            Column of the rater.

        Returns
        -------
        array, shape (m, n_labels)
            Costs in doubles, in the units of `real`, up to a constant for each pattern.
        """
        if self.objective.coefficient.group_size > 2:
            every = np.repeat(patterns, self.n_labels, axis=0)
            every[:, rater] = np.tile(np.arange(self.n_labels), len(patterns))
            return self.real(every).reshape(-1, self.n_labels)
        n_raters = self.objective.table.n_raters
        sizes = (patterns[:, :n_raters] < self.n_labels).sum(axis=1)
        factors = self.objective.factors_by_size.astype(float)[sizes]
        costs = np.zeros((len(patterns), self.n_labels))
        for other in range(n_raters):
            if other == rater:
                continue
            first, second = min(rater, other), max(rater, other)
            weights = self._matrices[first, second]
            by_code = np.zeros((self.n_labels + 1, self.n_labels))  # the last row is for "not rated"
            by_code[:-1] = weights.T if rater == first else weights
            costs += by_code[np.minimum(patterns[:, other], self.n_labels)]
        return np.asarray(costs * (self.sign * float(self.objective.denominator) * factors)[:, None])

    @cached_property
    def _matrices(self) -> dict[tuple[int, int], Floats]:
        """Weights of every pair of raters, in doubles."""
        return {(a, b): weights.matrix for a, b, weights in self.objective.pairs()}

    def observed(self) -> tuple[Codes, Integers]:
        """Return the observed table in the coding that solvers use."""
        table = self.objective.table
        if table.complete:
            return table.patterns, table.counts
        codes = np.where(table.patterns == MISSING, self.n_labels, table.patterns)
        return np.column_stack([codes, self._set_of_pattern]).astype(np.int32), table.counts

    def decoded(self, patterns: Codes) -> Codes:
        """Return patterns in the coding of a `Table`."""
        if self.objective.table.complete:
            return patterns
        own = patterns[:, : self.objective.table.n_raters]
        return np.where(own == self.n_labels, MISSING, own).astype(np.int32)

    def table(self, patterns: Codes, counts: Integers) -> Table:
        """Return a solver's table with the labels of the observed table."""
        return self.objective.table.like(self.decoded(patterns), counts)

    def prices_by_set(self, numerators: Array) -> tuple[Array, dict[tuple[int, ...], Array]]:
        """Return the prices of every rater's categories, shape (r, k, number of roots), and of every set of raters.

        The price of a set includes the prices of "not rated" for the raters who are not in it.
        """
        if self.objective.table.complete:
            return numerators, {tuple(range(self.n_raters)): np.zeros(len(self.roots), dtype=np.int64)}
        wide = numerators.astype(object) if numerators.dtype.kind in "iu" else numerators
        sets = {}
        for index, members in enumerate(self.sets):
            absent = wide[:-1, self.n_labels][~members]
            sets[tuple(np.flatnonzero(members).tolist())] = absent.sum(axis=0) + wide[-1, index]
        return wide[:-1, : self.n_labels], sets

    def patterns_of(self, index: int, own: Codes) -> Codes:
        """Return patterns of a set of raters from the codes of its raters, shape (m, number of raters in the set)."""
        patterns = np.full((len(own), self.n_raters), self.n_labels, dtype=np.int32)
        patterns[:, -1] = index
        patterns[:, np.flatnonzero(self.sets[index])] = own
        return patterns


class CompleteProblem(Problem):
    """Problem of a table without missing ratings, in which the cost of a pattern is a sum over pairs of raters."""

    @property
    def n_entries(self) -> int:
        """Number of values that `entries` holds for each pair."""
        return int(self.n_categories**2 * len(self.roots))

    def pairs(self) -> Iterator[tuple[int, int, Floats]]:
        """Yield every pair of raters and the cost of their ratings, in the units of `real`."""
        scale = self.sign * self.factors[0] * float(self.objective.denominator)
        for a, b, weights in self.objective.pairs():
            yield a, b, weights.matrix * scale

    @cached_property
    def entries(self) -> list[tuple[int, int, Array]]:
        """Pairs of raters with the exact cost of their ratings, shape (k, k, number of roots)."""
        scale = self.sign * self.factors[0]
        scaled: dict[int, Array] = {}  # pairs with the same weights share the array
        return [(a, b, scaled.setdefault(id(own), scale * own)) for a, b, own in self.objective.entries()]


class OutOfTime(Exception):  # noqa: N818  # signals a reached limit, not an error
    """Raised when the time limit ends a search."""


class Watch:
    """Time limit of a solver, and the callback that receives its progress messages.

    Parameters
    ----------
    time_limit : float, optional
        Limit in seconds, default none.
    progress : callable, optional
        Called as ``progress(done, None, message)``, where `done` is the number of calls so far. Default none.
    """

    def __init__(self, time_limit: float | None = None, progress: Progress | None = None) -> None:
        self.deadline = None if time_limit is None else monotonic() + time_limit
        self.progress = progress
        self.n_reports = 0

    @property
    def left(self) -> float | None:
        """Seconds left, at least 0.05, or None without a limit."""
        return None if self.deadline is None else max(0.05, self.deadline - monotonic())

    @property
    def over(self) -> bool:
        """Whether the time limit is reached."""
        return self.deadline is not None and monotonic() > self.deadline

    def within(self, seconds: float) -> Watch:
        """Return a watch that ends after some seconds, or earlier with this one."""
        return Watch(seconds if self.left is None else min(seconds, self.left), self.progress)

    def tell(self, message: str) -> None:
        """Pass a progress message to the callback."""
        if self.progress is not None:
            self.n_reports += 1
            self.progress(self.n_reports, None, message)
