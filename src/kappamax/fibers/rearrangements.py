"""Count the rearrangements of incomplete ratings by total cost, or list all of them.

The ratings of each rater are rearranged over the subjects that the rater rated, so every subject keeps its set of
raters. Subjects are placed one after another, grouped by their set of raters. A state records how often each rater has
used each category but one; the number of ratings placed determines the count of the omitted category. For every state,
a vector over total costs holds the number of ways in which the state is reached. The largest group is placed last, in
the order of the categories of one rater (the ordered rater), as `TableCounter` does for complete ratings. For this
group the state need not include the counts of the ordered rater, since its remaining ratings are known. With few
missing ratings the work is therefore about the same as for complete ratings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from kappamax._progress import WorkCallback
from kappamax._typing import Array, Codes, Floats, Integers
from kappamax.fibers.counting import Placement, Slices, n_orders, place_subjects, shifted
from kappamax.fibers.limits import require_few_patterns
from kappamax.fibers.sampling import subject_rows
from kappamax.patterns import MISSING, patterns_at
from kappamax.table import Table

Row = tuple[list[int], int]  # axes of the state along which a pattern moves it by one, and the cost of the pattern


def n_arrangements(table: Table) -> int:
    """Return the number of distinct arrangements of each rater's ratings over the subjects that the rater rated."""
    return prod(map(n_orders, table.margins.tolist()))


def all_arrangements(table: Table) -> Integers:
    """Return all arrangements of the ratings over subjects, shape (n_raters, n_arrangements, n_subjects)."""
    by_rater = []
    for column in subject_rows(table).T:
        rated = np.flatnonzero(column != MISSING)
        orders = np.array(list(_orders(Counter(column[rated].tolist()))), dtype=np.int64)
        own = np.full((len(orders), len(column)), MISSING, dtype=np.int64)
        own[:, rated] = orders
        by_rater.append(own)
    sizes = [len(own) for own in by_rater]
    chosen = patterns_at(np.arange(prod(sizes)), sizes).T
    return np.stack([own[which] for own, which in zip(by_rater, chosen, strict=True)])


class RearrangementCounter:
    """Counter of the rearrangements of each rater's ratings over the subjects that the rater rated.

    Parameters
    ----------
    table : Table
        The observed table.

    Raises
    ------
    NotSupportedError
        If too many patterns are possible.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        sets, of_pattern = np.unique(table.patterns != MISSING, axis=0, return_inverse=True)
        sizes = np.zeros(len(sets), dtype=np.int64)
        np.add.at(sizes, of_pattern.ravel(), table.counts)
        used = [np.flatnonzero(row).tolist() for row in table.margins]
        n_patterns = [prod(len(used[a]) for a in np.flatnonzero(members).tolist()) for members in sets]
        require_few_patterns(sum(n_patterns))
        last = max(range(len(sets)), key=lambda i: int(sizes[i]) * n_patterns[i])
        order = [*(i for i in range(len(sets)) if i != last), last]
        self.sets, self.sizes = sets[order], sizes[order]
        self.n_patterns = [n_patterns[i] for i in order]
        self.used = used
        #: the ordered rater, which is the rater of the last set that would need the most states
        self.ordered = max(
            np.flatnonzero(self.sets[-1]).tolist(), key=lambda a: prod(n + 1 for n in table.margins[a].tolist())
        )
        raters = [self.ordered, *(a for a in range(table.n_raters) if a != self.ordered)]
        implied = table.margins.argmax(axis=1).tolist()
        #: raters and categories whose counts make up a state, those of the ordered rater first
        self.axes = [(a, i) for a in raters for i in used[a] if i != implied[a]]
        self.n_ordered = sum(a == self.ordered for a, _ in self.axes)
        self.full = [int(table.margins[axis]) for axis in self.axes]
        #: number of ratings of the rater of each axis, in total and in the last set
        self.ratings = [int(table.margins[a].sum()) for a, _ in self.axes]
        self.last = [int(self.sizes[-1]) * bool(self.sets[-1][a]) for a, _ in self.axes]

    @cached_property
    def patterns(self) -> Codes:
        """All patterns that a subject may have, grouped by set of raters, shape (m, r); -1 is a missing rating."""
        choices = ([self.used[a] if own else [MISSING] for a, own in enumerate(row)] for row in self.sets.tolist())
        return np.array([codes for chosen in choices for codes in product(*chosen)], dtype=np.int32)

    @cached_property
    def own(self) -> npt.NDArray[np.intp]:
        """Indices of the observed patterns in `patterns`."""
        place = {tuple(codes): i for i, codes in enumerate(self.patterns.tolist())}
        return np.array([place[tuple(codes)] for codes in self.table.patterns.tolist()])

    def work(self, n_totals: int = 1) -> int:
        """Return an upper bound on the number of additions that computing probabilities takes."""
        before, additions = [0] * len(self.axes), 0
        for members, size, n_patterns in zip(self.sets[:-1], self.sizes[:-1].tolist(), self.n_patterns, strict=False):
            after = self._placed(before, members, size)
            additions += size * n_patterns * _volume(_hull(self._box(before), self._box(after)))
            before = after
        starts = prod(self._first_shape[: self.n_ordered])
        n_used = int(np.count_nonzero(self.table.margins[self.ordered]))
        additions += starts * int(self.sizes[-1]) * (self.n_patterns[-1] // n_used) * prod(self._last_shape)
        return additions * n_totals

    def n_bytes(self, n_totals: int = 1) -> int:
        """Return the number of bytes that computing probabilities takes."""
        return 16 * n_totals * (prod(self._first_shape) + prod(self._last_shape))

    def probabilities(self, costs: Array, n_totals: int, progress: WorkCallback | None = None) -> Floats:
        """Return the probability of total cost 0, 1, ..., n_totals - 1 if all rearrangements are equally likely.

        Parameters
        ----------
        costs : integers >= 0, shape (m,)
            Cost of each pattern.
        n_totals : int
            A number above the largest total cost of any rearrangement.
        progress : callable, optional
            Function that is called with the amount of work done and the total amount of work.

        Returns
        -------
        floats, shape (n_totals,)
        """
        rows = self._rows(costs)
        nobody = np.zeros((*self._first_shape, n_totals))
        nobody[(0,) * nobody.ndim] = 1
        ways, halvings = place_subjects(nobody, self._first_subjects(rows))
        found: list[tuple[Array, int]] = []
        starts = list(np.ndindex(*self._first_shape[: self.n_ordered]))
        for done, start in enumerate(starts, start=1):
            counts = self._remaining(start)
            if counts is not None and ways[start].any():
                ends, by = place_subjects(self._entered(ways[start]), self._last_subjects(rows, counts), halvings)
                orders = n_orders(counts)  # number of orders of the ordered rater's ratings
                bits = orders.bit_length()
                found.append((ends[(-1,) * len(self._last_shape)] * (orders / (1 << bits)), by + bits))
            if progress is not None:
                progress(done, len(starts))
        most = max(by for _, by in found)
        total = np.sum([np.ldexp(ends, by - most) for ends, by in found], axis=0)
        return np.asarray(total / total.sum())

    @cached_property
    def _first_shape(self) -> tuple[int, ...]:
        """Shape of the states before the last set, limited by the margins and the numbers of ratings before it."""
        outside = zip(self.full, self.ratings, self.last, strict=True)
        return tuple(min(full, ratings - last) + 1 for full, ratings, last in outside)

    @cached_property
    def _last_shape(self) -> tuple[int, ...]:
        """Shape of the states in the last set, which record the counts of its raters except the ordered one."""
        return tuple(min(self.full[i], self.last[i]) + 1 for i in self._followed)

    @cached_property
    def _followed(self) -> list[int]:
        """Axes of the states in the last set, which belong to its raters except the ordered one."""
        return [i for i in range(self.n_ordered, len(self.axes)) if self.last[i]]

    def _rows(self, costs: Array) -> list[list[Row]]:
        """Return, for each set of raters, the axes along which its patterns move the state, and their costs."""
        places = {axis: place for place, axis in enumerate(self.axes)}
        moves = [[places[at] for at in enumerate(codes) if at in places] for codes in self.patterns.tolist()]
        every = list(zip(moves, costs.tolist(), strict=True))
        ends = np.cumsum(self.n_patterns).tolist()
        return [every[end - n : end] for end, n in zip(ends, self.n_patterns, strict=True)]

    def _first_subjects(self, rows: list[list[Row]]) -> Iterator[tuple[Slices, Iterable[Placement]]]:
        """Yield, for each subject outside the last set, the states possible afterwards and its placements."""
        placed = [0] * len(self.axes)
        box = self._box(placed)
        for members, size, own in zip(self.sets[:-1], self.sizes[:-1].tolist(), rows, strict=False):
            for _ in range(size):
                placed = self._placed(placed, members, 1)
                before, box = box, self._box(placed)
                yield box, [(*shifted(axes, box, before), cost) for axes, cost in own]

    def _last_subjects(self, rows: list[list[Row]], counts: list[int]) -> Iterator[tuple[Slices, Iterable[Placement]]]:
        """Yield the same for the subjects of the last set, in the order of the ordered rater's categories.

        `counts` is the number of ratings of the ordered rater in each category.
        """
        places = {axis: place for place, axis in enumerate(self._followed)}
        codes = self.patterns[-self.n_patterns[-1] :, self.ordered].tolist()
        rest = int(self.sizes[-1])
        box = tuple(slice(0, size) for size in self._last_shape)
        for category, n in enumerate(counts):
            of_category = [row for row, code in zip(rows[-1], codes, strict=True) if code == category]
            own = [([places[axis] for axis in axes if axis in places], cost) for axes, cost in of_category]
            for _ in range(n):
                rest -= 1
                before, box = box, tuple(slice(max(0, size - 1 - rest), size) for size in self._last_shape)
                yield box, [(*shifted(axes, box, before), cost) for axes, cost in own]

    def _remaining(self, start: tuple[int, ...]) -> list[int] | None:
        """Return the counts of the ordered rater in the last set, given a state before it; None if it is impossible."""
        margins = self.table.margins[self.ordered]
        counts = margins.tolist()
        for (_, category), n in zip(self.axes[: self.n_ordered], start, strict=True):
            counts[category] -= n
        outside = int(margins.sum() - self.sizes[-1])
        counts[int(margins.argmax())] -= outside - sum(start)
        return counts if min(counts) >= 0 else None

    def _entered(self, ways: Array) -> Array:
        """Convert the states after all sets but the last into the states at the start of the last set.

        The counts of raters outside the last set must be complete. The other counts are measured from the smallest
        value from which the last set can complete them.
        """
        chosen: list[int | slice] = []
        for i in range(self.n_ordered, len(self.axes)):
            low = self.full[i] - min(self.full[i], self.last[i])
            chosen.append(slice(low, None) if self.last[i] else -1)
        entered = np.zeros((*self._last_shape, ways.shape[-1]))
        kept = ways[tuple(chosen)]
        entered[tuple(slice(0, size) for size in kept.shape)] = kept
        return entered

    def _placed(self, before: list[int], members: Array, size: int) -> list[int]:
        """Return the number of placed ratings of the rater of each axis, after `size` more subjects of a set."""
        return [n + size * bool(members[a]) for n, (a, _) in zip(before, self.axes, strict=True)]

    def _box(self, placed: list[int]) -> Slices:
        """Return the states possible before the last set, given the number of ratings placed for each axis."""
        rows = zip(placed, self.full, self.ratings, self._first_shape, strict=True)
        return tuple(slice(max(0, full - (in_all - n)), min(size - 1, n) + 1) for n, full, in_all, size in rows)


def _orders(left: Counter[int]) -> Iterator[list[int]]:
    """Yield all distinct orders of ratings with the given category counts."""
    if not left.total():
        yield []
    for category in sorted(+left):
        for rest in _orders(left - Counter([category])):
            yield [category, *rest]


def _hull(first: Slices, second: Slices) -> Slices:
    """Return the smallest box that contains two boxes."""
    return tuple(slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(first, second, strict=True))


def _volume(box: Slices) -> int:
    return prod(max(0, side.stop - side.start) for side in box)
