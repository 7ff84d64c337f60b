"""Count the tables with given margins, in total and by total cost, without listing them.

Counting is a dynamic program. Subjects are placed one after another, in the order of one rater's categories. A state
records how often each of the other raters has used each category but one; the number of subjects placed determines the
count of the omitted category. For every state, a vector over total costs holds the number of ways in which the state is
reached. Placing a subject with some pattern adds the vector of one state to that of another, shifted by the cost of the
pattern.

The order of two loops determines what is counted. If the program processes each pattern in turn, within a category of
the first rater, and uses it any number of times, it counts tables. If it processes each subject in turn and gives it
any pattern, it counts arrangements of the ratings over subjects, which are equally likely under the null distribution.
Numbers of tables are exact: numbers beyond 62 bits are counted modulo several coprime numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import factorial, prod
from typing import Any

import numpy as np

from kappamax._integers import SUMMABLE, coprime
from kappamax._progress import WorkCallback
from kappamax._typing import Array, Codes, Floats
from kappamax.fibers.limits import MEMORY_LIMIT, require_few_patterns, require_memory

Slices = tuple[slice, ...]
Placement = tuple[Slices, Slices, int]  # target states of a pattern, the states it starts from, and its cost

_BITS = 62
_UNREACHED = -SUMMABLE
_FEW_STATES = 200
_PER_ARRAY = 10_000
_SCALE_EVERY = 8  # number of subjects between rescalings; each subject multiplies the ways by at most 2^20
_LARGE = 2.0**200


def count_tables(
    margins: Array,
    patterns: Array | None = None,
    *,
    memory_limit: float = MEMORY_LIMIT,
    progress: WorkCallback | None = None,
) -> int:
    """Return the exact number of tables with the given margins.

    Parameters
    ----------
    margins : integers, shape (r, k)
        Marginal totals of each rater. All rows have the same sum.
    patterns : integers, shape (m, r), optional
        Patterns that may occur in the tables. By default all patterns may occur.
    memory_limit : float, optional
        Number of bytes that counting may use, default 1e9.
    progress : callable, optional
        Function that is called with the amount of work done and the total amount of work.

    Returns
    -------
    int
        Number of tables.

    Raises
    ------
    NotSupportedError
        If counting would need more memory than `memory_limit`, or more than a million patterns are possible.

    Examples
    --------
    >>> count_tables(np.array([[11, 8, 7, 7], [6, 9, 12, 6]]))
    644850
    """
    counter = TableCounter(margins, all_patterns(margins) if patterns is None else patterns)
    require_memory("counting these tables", counter.table_bytes(), memory_limit)
    return counter.n_tables(progress=progress)[0]


def all_patterns(margins: Array) -> Codes:
    """Return all patterns that consist of used categories, shape (m, r)."""
    used = [np.flatnonzero(row) for row in margins]
    require_few_patterns(prod(len(categories) for categories in used))
    patterns = np.zeros((1, 0), dtype=np.int32)
    for categories in used:  # rater by rater, because numpy's grids have at most 64 axes, and 32 in older versions
        own = np.tile(categories.astype(np.int32), len(patterns))
        patterns = np.column_stack([np.repeat(patterns, len(categories), axis=0), own])
    return patterns


def n_orders(counts: Sequence[int]) -> int:
    """Return the number of distinct orders of ratings with the given category counts."""
    return factorial(sum(counts)) // prod(map(factorial, counts))


class TableCounter:
    """Counter of the tables, and of the arrangements of ratings, with given margins and patterns.

    Parameters
    ----------
    margins : integers, shape (r, k)
        Marginal totals of each rater. All rows have the same sum.
    patterns : integers, shape (m, r)
        Distinct patterns that may occur.
    """

    def __init__(self, margins: Array, patterns: Array) -> None:
        sizes = [prod(int(n) + 1 for n in row) // (int(row.max()) + 1) for row in margins]
        first = int(np.argmax(sizes))  # subjects are placed in the order of the rater that would need the most states
        raters = [first, *(a for a in range(len(margins)) if a != first)]
        self.margins = margins[raters]
        #: indices of the patterns that consist of used categories
        self.possible = np.flatnonzero((margins[np.arange(len(margins)), patterns] > 0).all(axis=1))
        self.patterns = patterns[self.possible][:, raters]
        self.first = [int(n) for n in self.margins[0]]
        self.axes: dict[tuple[int, int], int] = {}
        shape: list[int] = []
        for a, row in enumerate(self.margins[1:], start=1):
            implied = int(np.argmax(row))
            for i, n in enumerate(row.tolist()):
                if i != implied and n > 0:
                    self.axes[a, i] = len(shape)
                    shape.append(n + 1)
        self.shape = tuple(shape)

    @property
    def n_states(self) -> int:
        """Number of states of the dynamic program."""
        return prod(self.shape)

    def table_bytes(self, n_totals: int = 1) -> int:
        """Return the number of bytes that counting tables takes."""
        return 8 * self.n_states * n_totals * (max(self.first) + 1)

    def probability_bytes(self, n_totals: int = 1) -> int:
        """Return the number of bytes that computing probabilities takes."""
        return 8 * self.n_states * n_totals * 2

    def work(self, n_totals: int = 1) -> int:
        """Return the number of additions that counting or computing probabilities takes.

        The fixed cost of adding one array to another is taken to be that of ten thousand additions.
        """
        steps = sum(n * len(self._by_category[i]) for i, n in enumerate(self.first))
        return steps * (self.n_states * n_totals + _PER_ARRAY)

    def largest_total(self, costs: Array) -> int:
        """Return the largest total cost of a table, given the cost of each pattern."""
        best = np.full(self.shape, _UNREACHED, dtype=np.int64)
        best[(0,) * best.ndim] = 0
        for _, moves in self._subjects(self._costs(costs)):
            placed = np.full_like(best, _UNREACHED)
            for target, source, cost in moves:
                np.maximum(placed[target], best[source] + cost, out=placed[target])
            best = placed
        return int(best[(-1,) * best.ndim])

    def n_tables(
        self, costs: Array | None = None, n_totals: int = 1, progress: WorkCallback | None = None
    ) -> list[int]:
        """Return the exact number of tables with total cost 0, 1, ..., n_totals - 1.

        Parameters
        ----------
        costs : integers >= 0, shape (m,), optional
            Cost of each pattern, by default 0.
        n_totals : int, optional
            A number above the largest total cost of any table, default 1.
        progress : callable, optional
            Function that is called with the amount of work done and the total amount of work.

        Returns
        -------
        list of n_totals ints
        """
        chosen = self._costs(costs)
        about = self.approximate_count()
        if about < 2.0**_BITS:
            return [int(n) for n in self._tables(chosen, n_totals, np.dtype(np.int64), None, progress)]
        moduli = coprime((1 << _BITS) // (max(self.first) + 2), int(about * 1.01))
        residues = []
        for turn, modulus in enumerate(moduli):
            tell = progress and _progress_of_turn(progress, turn, len(moduli))
            residues.append(self._tables(chosen, n_totals, np.dtype(np.int64), modulus, tell).tolist())
        return [_from_residues(column, moduli) for column in zip(*residues, strict=True)]

    def approximate_count(self) -> float:
        """Return the number of tables, computed in floating point."""
        return float(self._tables(self._costs(None), 1, np.dtype(float), None, None)[0])

    def probabilities(self, costs: Array, n_totals: int, progress: WorkCallback | None = None) -> Floats:
        """Return the probability of total cost 0, 1, ..., n_totals - 1 if all arrangements are equally likely.

        Arrangements are counted in floating point. Since nothing is subtracted, the relative error of each probability
        is about 1e-15 per subject.

        Parameters
        ----------
        costs : integers >= 0, shape (m,)
            Cost of each pattern.
        n_totals : int
            A number above the largest total cost of any table.
        progress : callable, optional
            Function that is called with the amount of work done and the total amount of work.

        Returns
        -------
        floats, shape (n_totals,)
        """
        start = np.zeros((*self.shape, n_totals))
        start[(0,) * start.ndim] = 1
        ways, halvings = place_subjects(start, self._subjects(self._costs(costs), progress))
        arrangements = prod(map(n_orders, self.margins[1:].tolist()))
        return np.asarray(ways[(-1,) * len(self.shape)] * ((1 << halvings) / arrangements))

    def _tables(
        self, costs: list[int], n_totals: int, dtype: np.dtype[Any], modulus: int | None, progress: WorkCallback | None
    ) -> Array:
        """Return the number of tables at each total cost, computed in one data type and modulo at most one number."""
        layers = np.zeros((max(self.first) + 1, *self.shape, n_totals), dtype=dtype)
        layers[(0,) * layers.ndim] = 1
        before, n_subjects = 0, sum(self.first)
        for category, n in enumerate(self.first):
            layers[1 : n + 1] = 0
            rows = self._by_category[category]
            for done, row in enumerate(rows, start=1):
                for times in range(1, n + 1):
                    target, source = self._shifted(row, before + times)
                    into = layers[times][(*target, slice(costs[row], None))]
                    into += layers[times - 1][(*source, slice(None, max(0, n_totals - costs[row])))]
                if modulus is not None:
                    layers[1 : n + 1] %= modulus
                if progress is not None:
                    progress(before * len(rows) + n * done, n_subjects * len(rows))
            layers[0] = layers[n]
            before += n
        return np.asarray(layers[(0, *(-1,) * len(self.shape))])

    def _subjects(
        self, costs: list[int], progress: WorkCallback | None = None
    ) -> Iterator[tuple[Slices, Iterable[Placement]]]:
        """Yield, for each subject, the states that are possible once it is placed and its possible placements."""
        done, n_subjects = 0, sum(self.first)
        for category, n in enumerate(self.first):
            for _ in range(n):
                done += 1
                yield self._box(done), [(*self._shifted(row, done), costs[row]) for row in self._by_category[category]]
                if progress is not None:
                    progress(done, n_subjects)

    @cached_property
    def _by_category(self) -> list[list[int]]:
        """Indices of the patterns in which the first rater uses each category."""
        return [np.flatnonzero(self.patterns[:, 0] == i).tolist() for i in range(len(self.first))]

    @cached_property
    def _steps(self) -> list[list[int]]:
        """Axes of the state along which each pattern moves it by one."""
        return [
            [self.axes[a, i] for a, i in enumerate(pattern) if (a, i) in self.axes]
            for pattern in self.patterns.tolist()
        ]

    @cached_property
    def _everywhere(self) -> Slices:
        """All states."""
        return tuple(slice(0, size) for size in self.shape)

    @cached_property
    def _moves(self) -> list[tuple[Slices, Slices]]:
        """Target and source states of each pattern if all states are processed."""
        return [shifted(axes, self._everywhere, self._everywhere) for axes in self._steps]

    def _box(self, placed: int) -> Slices:
        """Return the states that are possible once `placed` subjects are placed.

        A category has been used at most `placed` times, and at least as often as the remaining subjects require. If
        there are few states, all of them are returned, because processing the impossible ones, which contribute
        nothing, takes less time than computing slices.
        """
        if self.n_states <= _FEW_STATES:
            return self._everywhere
        rest = sum(self.first) - placed
        return tuple(slice(max(0, size - 1 - rest), min(size - 1, placed) + 1) for size in self.shape)

    def _shifted(self, row: int, placed: int) -> tuple[Slices, Slices]:
        """Return the states, with `placed` subjects placed, that a pattern leads to, and the states it starts from."""
        if self.n_states <= _FEW_STATES:
            return self._moves[row]
        return shifted(self._steps[row], self._box(placed), self._box(placed - 1))

    def _costs(self, costs: Array | None) -> list[int]:
        if costs is None:
            return [0] * len(self.patterns)
        return [int(cost) for cost in costs[self.possible]]


def place_subjects(
    ways: Array, subjects: Iterable[tuple[Slices, Iterable[Placement]]], halvings: int = 0
) -> tuple[Array, int]:
    """Return the number of ways in which each state and total is reached after more subjects are placed.

    Parameters
    ----------
    ways : floats, shape (states..., n_totals)
        Number of ways in which each state and total is reached before the subjects are placed, divided by 2^halvings.
        The array is overwritten.
    subjects : iterable
        For each subject, the states that are possible once it is placed and its possible placements, one for each
        pattern.
    halvings : int, optional
        Binary exponent by which `ways` is scaled down, default 0.

    Returns
    -------
    ways : floats, shape (states..., n_totals)
        Number of ways after the subjects are placed, divided by 2^halvings.
    halvings : int
        Binary exponent, which is increased whenever the numbers become large.
    """
    n_totals = ways.shape[-1]
    after = np.empty_like(ways)
    for turn, (box, moves) in enumerate(subjects, start=1):
        after[box] = 0
        for target, source, cost in moves:
            into = after[(*target, slice(cost, None))]
            into += ways[(*source, slice(None, max(0, n_totals - cost)))]
        if turn % _SCALE_EVERY == 0 and (most := float(after[box].max(initial=0))) > _LARGE:
            by = int(np.frexp(most)[1])
            after[box] = np.ldexp(after[box], -by)
            halvings += by
        ways, after = after, ways
    return ways, halvings


def shifted(axes: Sequence[int], to: Slices, since: Slices) -> tuple[Slices, Slices]:
    """Return the states of the box `to` that one step along `axes` reaches from the box `since`, and their sources."""
    target, source = [], []
    for axis, (after, before) in enumerate(zip(to, since, strict=True)):
        step = 1 if axis in axes else 0
        low, high = max(after.start, before.start + step), min(after.stop, before.stop + step)
        target.append(slice(low, max(low, high)))
        source.append(slice(low - step, max(low, high) - step))
    return tuple(target), tuple(source)


def _from_residues(residues: tuple[int, ...], moduli: list[int]) -> int:
    """Return the number below the product of the moduli that has these residues (Chinese remainder theorem)."""
    number, step = 0, 1
    for residue, modulus in zip(residues, moduli, strict=True):
        number += step * ((residue - number) * pow(step, -1, modulus) % modulus)
        step *= modulus
    return number


def _progress_of_turn(progress: WorkCallback, turn: int, turns: int) -> WorkCallback:
    """Return a callback that reports the progress of one of several equal parts of the work."""
    return lambda done, in_all: progress(turn * in_all + done, turns * in_all)
