"""Count the tables with given margins, in all and by total cost, without listing them.

Subjects are placed one after another, in the order of one rater's categories. A state says how often each of the other
raters has used each category but one, which the number of subjects placed implies; a vector over totals says in how
many ways the state is reached. Placing a subject moves the vector of one state to another, shifted by its cost.

The order of two loops decides what is counted. Within a category, *pattern after pattern, each any number of times*
counts tables; *subject after subject, each with any pattern* counts arrangements of the ratings over subjects, which
chance makes equally likely. Numbers of tables are exact: beyond 62 bits they are counted modulo several coprime
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from math import factorial, prod
from typing import Any

import numpy as np

from kappamax._integers import SUMMABLE, coprime
from kappamax._typing import Array, Codes, Floats
from kappamax.errors import NotSupportedError
from kappamax.table import Table

Slices = tuple[slice, ...]
Placement = tuple[Slices, Slices, int]  # the states that a pattern leads to, those that it comes from, and its cost

#: called with (work done, work in all)
Progress = Callable[[int, int], None]

#: bytes that counting may take unless a caller allows more
MEMORY_LIMIT = 1_000_000_000

_BITS = 62
_UNREACHED = -SUMMABLE
_FEW_STATES = 200
_PER_ARRAY = 10_000
_SCALE_EVERY = 8  # subjects, each of which multiplies the number of ways by 2^20 at most
_LARGE = 2.0**200
_MOST_COUNTED_PATTERNS = 1_000_000
_MOST_COUNTS_HELD = 50_000_000
_BEYOND_DOUBLES = 10**300  # larger whole numbers are not divided


def count_tables(
    margins: Array,
    patterns: Array | None = None,
    *,
    memory_limit: float = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> int:
    """Return the number of tables with the given margins, using only the given patterns (all if left out).

    Parameters
    ----------
    margins : integers, shape (r, k)
        Each rater's category counts, with one total.
    patterns : integers, shape (m, r), optional
        The patterns that may occur.
    memory_limit : float
        Bytes that counting may take.
    progress : callable, optional
        Called with (work done, work in all).

    Raises
    ------
    NotSupportedError
        If counting would need more memory.

    Examples
    --------
    >>> count_tables(np.array([[11, 8, 7, 7], [6, 9, 12, 6]]))
    644850
    """
    counter = TableCounter(margins, all_patterns(margins) if patterns is None else patterns)
    require_memory("counting these tables", counter.table_bytes(), memory_limit)
    return counter.n_tables(progress=progress)[0]


def all_patterns(margins: Array) -> Codes:
    """Return every pattern of categories that were used, shape (m, r)."""
    used = [np.flatnonzero(row) for row in margins]
    require_few_patterns(prod(len(categories) for categories in used))
    grid = np.meshgrid(*used, indexing="ij")
    return np.stack([codes.ravel() for codes in grid], axis=1).astype(np.int32)


def n_orders(counts: Sequence[int]) -> int:
    """Return in how many different orders ratings come of which so many are in each category."""
    return factorial(sum(counts)) // prod(map(factorial, counts))


def require_memory(what: str, n_bytes: int, limit: float) -> None:
    """Require that work fits into the memory it may take."""
    if n_bytes > limit:
        raise NotSupportedError(
            f"{what} would take {_bytes_text(n_bytes)} of memory; the limit is {_bytes_text(limit)} (memory_limit). "
            "Sampling and the Monte Carlo test need little."
        )


def require_few_patterns(n_patterns: int) -> None:
    """Require that all possible patterns can be listed."""
    if n_patterns > _MOST_COUNTED_PATTERNS:
        raise NotSupportedError(
            f"{float(n_patterns):.3g} patterns are possible; counting and listing tables work up to "
            f"{_MOST_COUNTED_PATTERNS:,}. Sampling and the Monte Carlo test work for any number."
        )


def require_few_cells(n_categories: int, n_raters: int, size: int = 1) -> None:
    """Require that a count for every possible pattern can be held, for each of so many tables."""
    n_patterns = n_categories**n_raters
    if n_patterns * size > _MOST_COUNTS_HELD:
        raise NotSupportedError(
            f"{n_categories} categories and {n_raters} raters have {float(n_patterns):.3g} possible patterns: counts "
            f"of {size:,} such tables are more than {_MOST_COUNTS_HELD:,} numbers. "
            "iter_sample() gives tables one by one."
        )


def require_complete(table: Table) -> None:
    """Require that no ratings are missing: only then is a fiber counted, listed and connected."""
    if table.n_missing:
        raise NotSupportedError(
            f"this needs complete ratings; {table.n_missing} are missing. Sampling and exact_test work with gaps."
        )


class TableCounter:
    """Counts tables, and arrangements of ratings, with given margins and patterns.

    Parameters
    ----------
    margins : integers, shape (r, k)
        Each rater's category counts, with one total.
    patterns : integers, shape (m, r)
        The patterns that may occur, each once.
    """

    def __init__(self, margins: Array, patterns: Array) -> None:
        sizes = [prod(int(n) + 1 for n in row) // (int(row.max()) + 1) for row in margins]
        first = int(np.argmax(sizes))  # the rater whose categories would need most states
        raters = [first, *(a for a in range(len(margins)) if a != first)]
        self.margins = margins[raters]
        #: which of the patterns use only categories that were used
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
        """How many combinations of used categories there are."""
        return prod(self.shape)

    def table_bytes(self, n_totals: int = 1) -> int:
        """Memory that counting tables takes."""
        return 8 * self.n_states * n_totals * (max(self.first) + 1)

    def probability_bytes(self, n_totals: int = 1) -> int:
        """Memory that probabilities take."""
        return 8 * self.n_states * n_totals * 2

    def work(self, n_totals: int = 1) -> int:
        """Additions, for either question; adding one array to another takes as long as ten thousand more."""
        steps = sum(n * len(self._by_category[i]) for i, n in enumerate(self.first))
        return steps * (self.n_states * n_totals + _PER_ARRAY)

    def largest_total(self, costs: Array) -> int:
        """The largest total cost of a table, for costs per given pattern."""
        best = np.full(self.shape, _UNREACHED, dtype=np.int64)
        best[(0,) * best.ndim] = 0
        for _, moves in self._subjects(self._costs(costs)):
            placed = np.full_like(best, _UNREACHED)
            for target, source, cost in moves:
                np.maximum(placed[target], best[source] + cost, out=placed[target])
            best = placed
        return int(best[(-1,) * best.ndim])

    def n_tables(self, costs: Array | None = None, n_totals: int = 1, progress: Progress | None = None) -> list[int]:
        """The number of tables with total cost 0, 1, ..., n_totals - 1, exactly.

        Parameters
        ----------
        costs : whole numbers >= 0, shape (m,)
            One per given pattern; zero if left out.
        n_totals : int
            Above the largest total of any table.
        progress : callable, optional
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
        """The number of tables up to rounding, in the time of one count."""
        return float(self._tables(self._costs(None), 1, np.dtype(float), None, None)[0])

    def probabilities(self, costs: Array, n_totals: int, progress: Progress | None = None) -> Floats:
        """The probability of total cost 0, 1, ..., n_totals - 1 where all arrangements are equally likely.

        Arrangements are counted in doubles; as nothing is subtracted, each probability is right to some 1e-15 of
        itself per subject.
        """
        start = np.zeros((*self.shape, n_totals))
        start[(0,) * start.ndim] = 1
        ways, halvings = place_subjects(start, self._subjects(self._costs(costs), progress))
        arrangements = prod(map(n_orders, self.margins[1:].tolist()))
        return np.asarray(ways[(-1,) * len(self.shape)] * ((1 << halvings) / arrangements))

    def _tables(
        self, costs: list[int], n_totals: int, dtype: np.dtype[Any], modulus: int | None, progress: Progress | None
    ) -> Array:
        """Numbers of tables by total, in one arithmetic."""
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
        self, costs: list[int], progress: Progress | None = None
    ) -> Iterator[tuple[Slices, Iterable[Placement]]]:
        """Subject after subject: the states that are possible once it is placed, and what its patterns do."""
        done, n_subjects = 0, sum(self.first)
        for category, n in enumerate(self.first):
            for _ in range(n):
                done += 1
                yield self._box(done), [(*self._shifted(row, done), costs[row]) for row in self._by_category[category]]
                if progress is not None:
                    progress(done, n_subjects)

    @cached_property
    def _by_category(self) -> list[list[int]]:
        """The patterns in which the first rater chose each category."""
        return [np.flatnonzero(self.patterns[:, 0] == i).tolist() for i in range(len(self.first))]

    @cached_property
    def _steps(self) -> list[list[int]]:
        """The axes along which each pattern moves the state."""
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
        """For each pattern the states it leads to and comes from, among all states."""
        return [shifted(axes, self._everywhere, self._everywhere) for axes in self._steps]

    def _box(self, placed: int) -> Slices:
        """The states possible with so many subjects placed: no more than those, no fewer than the rest can make up.

        Where there are few states all of them are: those that are not possible lead nowhere, and cost less than slices.
        """
        if self.n_states <= _FEW_STATES:
            return self._everywhere
        rest = sum(self.first) - placed
        return tuple(slice(max(0, size - 1 - rest), min(size - 1, placed) + 1) for size in self.shape)

    def _shifted(self, row: int, placed: int) -> tuple[Slices, Slices]:
        """The states that a pattern leads to, with which so many subjects are placed, and those it comes from."""
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
    """Return in how many ways each state and total is reached after some more subjects, each with any of its patterns.

    Parameters
    ----------
    ways : floats, shape (states..., n_totals)
        In how many ways they are reached before, divided by 2^halvings. This array is used up.
    subjects : iterable
        For each subject the states that are possible once it is placed, and what its patterns do.
    halvings : int

    Returns
    -------
    (ways, halvings)
        The same afterwards; ways are halved where they become large.
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
    """The states of one box that a step along some axes leads to, and the states of another that it comes from."""
    target, source = [], []
    for axis, (after, before) in enumerate(zip(to, since, strict=True)):
        step = 1 if axis in axes else 0
        low, high = max(after.start, before.start + step), min(after.stop, before.stop + step)
        target.append(slice(low, max(low, high)))
        source.append(slice(low - step, max(low, high) - step))
    return tuple(target), tuple(source)


def _from_residues(residues: tuple[int, ...], moduli: list[int]) -> int:
    """The number below the product of the moduli that leaves these residues (Chinese remainder theorem)."""
    number, step = 0, 1
    for residue, modulus in zip(residues, moduli, strict=True):
        number += step * ((residue - number) * pow(step, -1, modulus) % modulus)
        step *= modulus
    return number


def _progress_of_turn(progress: Progress, turn: int, turns: int) -> Progress:
    """Progress of one of several equal turns."""
    return lambda done, in_all: progress(turn * in_all + done, turns * in_all)


def _bytes_text(n_bytes: float) -> str:
    """Return a number of bytes in a unit that keeps it short."""
    n_bytes = min(n_bytes, _BEYOND_DOUBLES)
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"
