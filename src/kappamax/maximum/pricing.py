"""Find the patterns of a problem that have a small reduced cost under given prices.

Sets of raters whose pairs have the same weights are searched by dynamic programming over compositions, all sets of the
same size at once. A depth-first search is used for weights per pair of raters, and if there are too many compositions.
If there are many of them, the depth-first search comes first, and is given up for good when it has taken as many steps
as the dynamic program would.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kappamax._rootsum import RootSum
from kappamax._typing import Array, Codes, Floats, Integers
from kappamax.fibers.enumeration import OutOfSteps
from kappamax.maximum.compositions import best_sums, compositions_of, exact_best_sums, listed, n_sums, traced
from kappamax.maximum.depth_first import DepthFirstSearch
from kappamax.maximum.problem import Problem, Watch
from kappamax.maximum.solution import Prices
from kappamax.weights import Weights

_FEW_SUMS = 20_000_000  # sums, times categories, up to which the dynamic program is used at once
_MOST_SUMS = 120_000_000  # sums, times categories, above which it does not fit into memory
_SUMS_AT_A_TIME = 5_000_000  # sums of several sets that are computed at once
_STEPS_PER_SUM = 0.2  # steps of the depth-first search that take about as long as one sum
_PART_BITS = 44  # binary digits of a part of a whole number


class PatternsFound(NamedTuple):
    """Patterns below a limit.

    Attributes
    ----------
    patterns : array, shape (m, r)
        Some or all of the patterns below the limit.
    reduced : array, shape (m,)
        Their reduced costs.
    complete : bool
        Whether these are all patterns below the limit.
    """

    patterns: Codes
    reduced: Floats
    complete: bool


class Pricing:
    """Search for the patterns of a problem that have a small reduced cost under given prices.

    The methods raise `OutOfTime` if the time limit is reached before the search is complete.

    Parameters
    ----------
    problem : Problem
        Problem whose patterns are searched.
    watch : Watch, optional
        Time limit, default none.
    """

    def __init__(self, problem: Problem, watch: Watch | None = None) -> None:
        self.problem, self.watch = problem, watch or Watch()
        self.groups = [_SetsOfOneSize(problem, sets, self.watch) for sets in _by_size(problem)]

    @property
    def by_composition(self) -> bool:
        """Whether dynamic programming over compositions is possible for all sets of raters."""
        return all(group.by_composition for group in self.groups)

    @property
    def slow(self) -> bool:
        """Whether a complete search takes long."""
        return any(group.slow for group in self.groups)

    @property
    def too_slow_after_the_limit(self) -> bool:
        """Whether the least reduced costs of all sets together take too long once the time limit is reached."""
        return self.slow or sum(group.work * len(group.sets) for group in self.groups) > _FEW_SUMS

    def lowest(self, prices: Array) -> Floats:
        """Return the least reduced cost of every set of raters."""
        lowest = np.empty(len(self.problem.sets))
        for group in self.groups:
            lowest[group.sets] = group.lowest(prices)
        return lowest

    def improving(self, prices: Array, limit: float, most: int) -> tuple[Floats, Codes]:
        """Return the least reduced cost of every set, and patterns with reduced costs below the limit.

        There are about `most` patterns, and at least one for every set that has such patterns. The least reduced cost
        of a set without such patterns may be replaced by the limit.
        """
        lowest, patterns = np.empty(len(self.problem.sets)), []
        for group in self.groups:
            lowest[group.sets], own = group.improving(prices, limit, max(1, most // len(self.problem.sets)))
            patterns.append(own)
        return lowest, np.concatenate(patterns)

    def nearby(self, prices: Array, starts: Codes, limit: float, most: int) -> Codes:
        """Return up to `most` patterns below the limit, found from given patterns by changing one rating at a time.

        The search can miss patterns. It is made only if a complete search takes long; otherwise the result is empty.
        """
        if len(self.groups) > 1 or not self.problem.objective.table.complete or not self.groups[0].slow:
            return np.zeros((0, self.problem.n_raters), dtype=np.int32)
        return self.groups[0].searches[0].nearby(np.ascontiguousarray(prices), starts, limit, most)

    def below(self, prices: Array, limit: float, most: int) -> PatternsFound:
        """Return up to `most` patterns with reduced cost below the limit."""
        patterns, reduced, complete = zip(*(group.below(prices, limit, most) for group in self.groups), strict=True)
        own, costs = np.concatenate(patterns), np.concatenate(reduced)
        return PatternsFound(own[:most], costs[:most], all(complete) and len(own) <= most)

    def rough_lowest(self, prices: Array) -> Floats:
        """Return a lower bound of the reduced costs of every set that needs no search."""
        lowest = np.empty(len(self.problem.sets))
        for group in self.groups:
            lowest[group.sets] = group.rough_lowest(prices)
        return lowest

    def exact_lowest(self, prices: Prices) -> list[RootSum] | None:
        """Return the least exact reduced cost of every set, or None if there are too many compositions."""
        if not self.by_composition:
            return None
        lowest: dict[int, RootSum] = {}
        for group in self.groups:
            lowest |= group.exact_lowest(prices)
        return [lowest[index] for index in range(len(lowest))]


def _by_size(problem: Problem) -> Iterator[Integers]:
    """Yield the positions of all sets of raters with the same size."""
    sizes = problem.sets.sum(axis=1)
    for size in np.unique(sizes):
        yield np.flatnonzero(sizes == size)


class _SetsOfOneSize:
    """The sets of raters of one size, which share the costs of their compositions."""

    def __init__(self, problem: Problem, sets: Integers, watch: Watch) -> None:
        self.problem, self.sets, self.watch = problem, sets, watch
        self.raters = np.array([np.flatnonzero(problem.sets[index]) for index in sets])
        self.size = self.raters.shape[1]
        self.work = work = n_sums(self.size, problem.n_labels) * problem.n_labels
        alike = isinstance(problem.objective.weights, Weights)
        self.by_composition = alike and work <= _MOST_SUMS
        self.slow = not self.by_composition or work > _FEW_SUMS
        #: steps after which the depth-first search is given up; None if it is the only way, 0 if it is not used
        self.patience = 0 if not self.slow else int(work * _STEPS_PER_SUM) if self.by_composition else None

    @cached_property
    def searches(self) -> list[DepthFirstSearch]:
        """Depth-first search of every set."""
        return [DepthFirstSearch(self.problem.rater_set(index), self.watch) for index in self.sets]

    @cached_property
    def costs(self) -> Floats:
        """Cost of every composition."""
        return self.problem.real(self._patterns(0, compositions_of(self.size, self.problem.n_labels).patterns))

    def lowest(self, prices: Array) -> Floats:
        """Return the least reduced cost of every set."""
        return self.improving(prices, np.inf, 1)[0]

    def improving(self, prices: Array, limit: float, most: int) -> tuple[Floats, Codes]:
        """Return the least reduced cost of every set, and up to `most` patterns of each set below the limit."""
        own, paid = self._own_prices(prices)
        if self._searching:
            try:
                return self._improving_by_search(own, paid, limit, most)
            except OutOfSteps:
                self.patience = 0
        tables = compositions_of(self.size, self.problem.n_labels)
        lowest, patterns = np.empty(len(self.sets)), [np.zeros((0, self.problem.n_raters), dtype=np.int32)]
        for some in self._chunks():
            best = best_sums(tables, own[some])
            reduced = self.costs - best[-1, :, :-1] - paid[some, None]
            lowest[some] = reduced.min(axis=1)
            n = min(most, reduced.shape[1])
            at = np.argpartition(reduced, n - 1, axis=1)[:, :n] if n < reduced.shape[1] else np.arange(n)[None, :]
            at = np.broadcast_to(at, (len(reduced), n))
            rows = np.repeat(np.arange(len(reduced)), n)
            good = reduced[rows, at.ravel()] < limit
            rows, at = rows[good], at.ravel()[good]
            found = traced(tables, own[some], best, rows, at)
            patterns.append(self._patterns(np.arange(len(self.sets))[some][rows], found))
        return lowest, np.concatenate(patterns)

    def below(self, prices: Array, limit: float, most: int) -> tuple[Codes, Floats, bool]:
        """Return patterns below the limit, their reduced costs, and whether these are all such patterns."""
        own, paid = self._own_prices(prices)
        if self._searching:
            try:
                return self._below_by_search(own, paid, limit, most)
            except OutOfSteps:
                self.patience = 0
        tables = compositions_of(self.size, self.problem.n_labels)
        patterns, reduced = [np.zeros((0, self.problem.n_raters), dtype=np.int32)], [np.zeros(0)]
        complete = True
        for some in self._chunks():
            best = best_sums(tables, own[some])
            room = limit - (self.costs - best[-1, :, :-1] - paid[some, None])
            rows, found, left, every = listed(tables, own[some], best, room, most)
            patterns.append(self._patterns(np.arange(len(self.sets))[some][rows], found))
            reduced.append(limit - left)
            complete = complete and every
        return np.concatenate(patterns), np.concatenate(reduced), complete

    def rough_lowest(self, prices: Array) -> Floats:
        """Return a lower bound of the reduced costs of every set that needs no search.

        Every pair of raters is treated separately, with the price of each rater divided among the pairs.
        """
        own, paid = self._own_prices(prices)
        if self.size == 1:
            return np.asarray(-own[:, 0].max(axis=1) - paid)
        members = self.problem.sets[self.sets].astype(float)
        least = self.problem.least_pair_costs(prices[: members.shape[1]] / (self.size - 1), self.size)
        return np.asarray(((members @ least) * members).sum(axis=1) - paid)

    def exact_lowest(self, prices: Prices) -> dict[int, RootSum]:
        """Return the least exact reduced cost of every set."""
        problem = self.problem
        tables = compositions_of(self.size, problem.n_labels)
        costs = problem.costs(self._patterns(0, tables.patterns)).astype(object) * prices.denominator
        numerators = prices.numerators.astype(object)
        roots = problem.roots / float(prices.denominator)
        n_parts = -(-max(int(abs(n)) for n in [*numerators.ravel(), 1]).bit_length() // _PART_BITS)
        factors = [1 << (_PART_BITS * i) for i in range(n_parts)]
        scale = np.concatenate([roots * float(factor) for factor in factors])
        real = prices.real(problem.roots)
        largest = float((np.abs(numerators).astype(float) @ np.abs(roots)).max(initial=0)) + problem.scale
        margin = (self.size + len(scale)) * (self.size + 2) * 2.0**-50 * largest  # more than all rounding errors

        def positive(parts: Integers) -> bool:
            return problem.number(_joined(parts[None], factors)[0]).sign() > 0

        own = numerators[self.raters][:, :, : problem.n_labels]
        split = np.concatenate([_part(own, i, n_parts) for i in range(n_parts)], axis=-1)
        absent = self._absent(numerators)
        lowest: dict[int, RootSum] = {}
        for some in self._chunks(len(scale)):
            worth = np.ascontiguousarray(real[self.raters[some]][:, :, : problem.n_labels])
            sums = exact_best_sums(tables, worth, split[some], margin, positive)
            reduced = self.costs - sums @ scale
            for row, index in enumerate(self.sets[some]):
                near = np.flatnonzero(reduced[row] <= reduced[row].min() + margin)
                kinds = {
                    tuple(c - int(s) for c, s in zip(costs[at], total, strict=True))
                    for at, total in zip(near.tolist(), _joined(sums[row, near], factors), strict=True)
                }
                least = min(problem.number(kind) for kind in kinds)
                lowest[int(index)] = (least - problem.number(absent[some][row].tolist())) / prices.denominator
        return lowest

    @property
    def _searching(self) -> bool:
        return self.patience != 0

    def _improving_by_search(self, own: Floats, paid: Floats, limit: float, most: int) -> tuple[Floats, Codes]:
        lowest, patterns = np.empty(len(self.sets)), [np.zeros((0, self.problem.n_raters), dtype=np.int32)]
        for i, search in enumerate(self.searches):
            found, reduced, total = search.found(own[i], limit + paid[i], 0, self.patience)
            lowest[i] = reduced[0] - paid[i] if total else limit
            if total and most > 1:
                several, costs, _ = search.found(own[i], min(limit, lowest[i] / 2) + paid[i], 5 * most, self.patience)
                found = np.concatenate([found, several[np.argsort(costs, kind="stable")[: most - 1]]])
            patterns.append(self._patterns(i, found))
        return lowest, np.concatenate(patterns)

    def _below_by_search(self, own: Floats, paid: Floats, limit: float, most: int) -> tuple[Codes, Floats, bool]:
        patterns, reduced = [np.zeros((0, self.problem.n_raters), dtype=np.int32)], [np.zeros(0)]
        complete = True
        for i, search in enumerate(self.searches):
            found, costs, total = search.found(own[i], limit + paid[i], most, self.patience)
            patterns.append(self._patterns(i, found))
            reduced.append(costs - paid[i])
            complete = complete and total <= most
        return np.concatenate(patterns), np.concatenate(reduced), complete

    def _chunks(self, n_parts: int = 1) -> Iterator[slice]:
        """Yield slices of the sets that are treated at once."""
        step = max(1, _SUMS_AT_A_TIME // (n_parts * n_sums(self.size, self.problem.n_labels)))
        for start in range(0, len(self.sets), step):
            yield slice(start, start + step)

    def _own_prices(self, prices: Array) -> tuple[Floats, Floats]:
        """Return the prices of the categories of every set's raters, and the sum of the prices of all other columns."""
        own = np.ascontiguousarray(prices[:, : self.problem.n_labels][self.raters])
        return own, self._absent(prices[:, :, None])[:, 0].astype(float)

    def _absent(self, prices: Array) -> Array:
        """Return the sum of the prices of "not rated" and of the set, for every set."""
        problem = self.problem
        if problem.objective.table.complete:
            return np.zeros((1, prices.shape[-1]), dtype=prices.dtype)
        missing = ~problem.sets[self.sets]
        return np.asarray(missing.astype(prices.dtype) @ prices[:-1, problem.n_labels] + prices[-1, self.sets])

    def _patterns(self, rows: int | Integers, own: Codes) -> Codes:
        """Return patterns of the problem from the codes of the raters of some sets."""
        if self.problem.objective.table.complete:
            return own
        rows = np.broadcast_to(rows, len(own))
        whole = np.full((len(own), self.problem.n_raters), self.problem.n_labels, dtype=np.int32)
        whole[np.arange(len(own))[:, None], self.raters[rows]] = own
        whole[:, -1] = self.sets[rows]
        return whole


def _part(numbers: Array, i: int, n_parts: int) -> Integers:
    """Return the i-th part of whole numbers; all parts but the last are at least zero."""
    shifted = numbers >> (_PART_BITS * i)
    return (shifted if i == n_parts - 1 else shifted & ((1 << _PART_BITS) - 1)).astype(np.int64)


def _joined(parts: Integers, factors: list[int]) -> list[list[int]]:
    """Return the whole numbers of some rows of parts."""
    by_part = parts.reshape(len(parts), len(factors), -1).tolist()
    return [
        [sum(f * n for f, n in zip(factors, column, strict=True)) for column in zip(*row, strict=True)]
        for row in by_part
    ]
