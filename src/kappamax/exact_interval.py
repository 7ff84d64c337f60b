"""Compute a confidence interval of kappa for two raters and two categories whose coverage is never below its level.

The four cells are multinomial with unknown probabilities p. All tables with N subjects are ordered by an approximate
limit, and the lower limit of a table is the smallest kappa(p) at which this table or one that is ordered higher has a
probability above (1 - level) / 2; the upper limit is defined alike (Buehler 1957). The remaining two parameters are
maximised out by branch and bound, whose bounds hold in whole boxes. docs/theory/exact-interval.md has the proofs.

Below, cells are in the order 11, 12, 21, 22 and have the counts a, b, c, d. With m the mean of the raters' shares of
the first category, e the difference of these shares and s half of the probability of disagreement,

    p = (m - s, s + e/2, s - e/2, 1 - m - s)   and   kappa(p) = 1 - s / (m (1 - m) + e^2 / 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, factorial, floor
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from kappamax._typing import Array, Floats, Integers
from kappamax._validate import as_finite_number, as_number_between
from kappamax._validate_table import as_counts
from kappamax.errors import InvalidOptionError, InvalidRatingsError, InvalidTableError, NotSupportedError

MOST_SUBJECTS = 100
LARGEST_LEVEL = 0.999999  # 1 - level must be large beside _ROUNDING
SLACK = 5e-4
_LEAST_SLACK, _MOST_SLACK = 0.00001, 0.1

_LOWER, _UPPER = -1, 1
_DIAGONAL, _OFF_DIAGONAL = [0, 3], [1, 2]
_ORDER_LEVEL = 0.95  # of the approximate limits; the same for all levels, so that intervals are nested
_STEPS_PER_UNIT = 2  # approximate limits that differ by less than 1 / (2 N) are ties
_TIE = 1e-9  # approximate limits that differ by less are equal up to rounding
_ROUNDING = 1e-11  # exceeds the error of every computed probability
_CELL_ROUNDING = 1e-14  # exceeds the error of every computed cell
_GRID = 2**20  # limits are multiples of 1 / 2^20, so 1 - kappa is exact in doubles
_SMALLEST_BOX, _BOXES_AT_ONCE = 1e-7, 64


def exact_interval(counts: npt.ArrayLike, *, level: float = 0.95, slack: float = SLACK) -> tuple[float, float]:
    """Compute a confidence interval of unweighted kappa of a 2 x 2 table that is valid for every sample size.

    Whatever the probabilities of the four cells are, the interval contains their kappa with at least the given
    probability, and each limit is on the wrong side of it with at most half of the remaining probability.

    Parameters
    ----------
    counts : array of whole numbers, shape (2, 2)
        Number of subjects by the category that each of the two raters chose; at most 100 subjects in total.
    level : float
        Confidence level, default 0.95.
    slack : float
        Amount by which a limit may exceed the exact limit outwards, default 0.0005. The guarantee holds for any slack.

    Returns
    -------
    tuple of float
        Lower and upper limit. They are -1 and 1 if all subjects are in one cell of the diagonal, where kappa of the
        table is undefined. Otherwise the interval contains kappa of the table.

    Raises
    ------
    InvalidTableError
        If the counts are not a 2 x 2 table of whole numbers.
    InvalidRatingsError
        If there is no subject.
    NotSupportedError
        If there are more than 100 subjects, or the level exceeds 0.999999.

    Examples
    --------
    >>> from kappamax.exact_interval import exact_interval
    >>> low, high = exact_interval([[9, 2], [1, 8]])
    >>> round(low, 2), round(high, 2)
    (0.27, 0.97)
    """
    table, level, slack = as_counts(counts), as_number_between("level", level, 0, 1), as_finite_number("slack", slack)
    if table.shape != (2, 2):
        raise InvalidTableError(f"counts must be a table of 2 rows and 2 columns; got shape {table.shape}.")
    (a, b), (c, d) = table.tolist()
    n = a + b + c + d
    if n == 0:
        raise InvalidRatingsError("there is no subject to compare.")
    if n > MOST_SUBJECTS:
        raise NotSupportedError(f"the exact interval is for at most {MOST_SUBJECTS} subjects; got {n:,}.")
    if level > LARGEST_LEVEL:
        raise NotSupportedError(f"the exact interval is for levels up to {LARGEST_LEVEL}; got {level!r}.")
    if not _LEAST_SLACK <= slack <= _MOST_SLACK:
        raise InvalidOptionError(f"slack must be from {_LEAST_SLACK} to {_MOST_SLACK}; got {slack!r}.")

    if n in (a, d):
        return -1.0, 1.0
    value = 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d))
    low, high = (_limit(n, int(_ranks(n, side)[b, c, a]), side, (1 - level) / 2, slack) for side in (_LOWER, _UPPER))
    return min(low, value), max(high, value)


@lru_cache(maxsize=4)
def _ranks(n: int, side: int) -> Integers:
    """Return the rank of every table with n subjects in the order for one limit, indexed by b, c and a; -1 if none.

    Tables are ordered by the limit of the delta method after one subject is added to each cell. The set of tables above
    any rank is made closed under moving a subject from disagreement to agreement, and contains an interval of `a` for
    given b and c. Swapping the raters or the categories changes no rank.
    """
    b, c, a = np.indices((n + 1, n + 1, n + 1), sparse=True)
    d = n - a - b - c
    exists = d >= 0
    approximate = _delta_limit(side, a + 1, b + 1, c + 1, np.maximum(d, 0) + 1)
    extreme = approximate[exists].max() if side == _LOWER else approximate[exists].min()
    steps = (approximate - extreme) * n * _STEPS_PER_UNIT
    steps = np.ceil(steps - _TIE) if side == _LOWER else np.floor(steps + _TIE)
    ranks = np.where(exists, steps - steps[exists].min(), -1).astype(np.int64)

    ranks = np.maximum(ranks, ranks.transpose(1, 0, 2))  # equal values may be rounded differently
    for off in range(n, -1, -1):
        agreed = n - off
        x = np.arange(off + 1)
        rows = ranks[x, off - x, : agreed + 1]
        rows = np.maximum(rows, rows[:, ::-1])
        if agreed:
            for moved in (ranks[x + 1, off - x, :agreed], ranks[x, off - x + 1, :agreed]):
                rows[:, 1:] = np.maximum(rows[:, 1:], moved)
                rows[:, :-1] = np.maximum(rows[:, :-1], moved)
        ranks[x, off - x, : agreed + 1] = rows
    up, down = (np.maximum.accumulate(part, axis=2) for part in (ranks, ranks[:, :, ::-1]))
    return np.where(exists, np.minimum(up, down[:, :, ::-1]), -1)


def _delta_limit(side: int, a: Array, b: Array, c: Array, d: Array) -> Array:
    """Return the limit of kappa by the standard error of Fleiss, Cohen and Everitt (1969)."""
    n = a + b + c + d
    first, second = (a + b) / n, (a + c) / n
    expected = first * second + (1 - first) * (1 - second)
    lack = (b + c) / n / (1 - expected)  # 1 - kappa
    squares = a * (1 - (first + second) * lack) ** 2 + d * (1 - (2 - first - second) * lack) ** 2
    squares = squares + lack**2 * (b * (1 + second - first) ** 2 + c * (1 + first - second) ** 2)
    variance = squares / n - (1 - lack - expected * lack) ** 2
    error = np.sqrt(np.maximum(variance, 0) / n) / (1 - expected)
    return np.asarray(1 - lack + side * NormalDist().inv_cdf((1 + _ORDER_LEVEL) / 2) * error)


@lru_cache(maxsize=1024)
def _limit(n: int, rank: int, side: int, tail: float, slack: float) -> float:
    """Return a limit of all tables with this rank, rounded outwards."""
    return _search(n, rank, side, tail, slack).limit()


def _search(n: int, rank: int, side: int, tail: float, slack: float) -> _Search:
    ranks = _ranks(n, side)
    above = ranks >= rank if side == _LOWER else ranks > rank
    first = np.where(above.any(axis=2), above.argmax(axis=2), n + 1)
    last = np.where(above.any(axis=2), n - above[:, :, ::-1].argmax(axis=2), -1)
    return _Search(n, first, last, side, tail, slack)


class _Sums:
    """Probabilities of sets of tables that contain, for given b and c, those with `a` in an interval.

    Parameters
    ----------
    n : int
        Largest number of subjects of a table.
    sets : sequence of (total, first, last)
        Number of subjects of the tables of a set, and arrays with the first and last `a` for given b and c; the
        interval is empty if the first exceeds the last.
    """

    def __init__(self, n: int, sets: Sequence[tuple[int, Integers, Integers]]) -> None:
        self._n = n
        self._parts = []
        agreed = [np.zeros(1, dtype=np.int64)]
        for total, first, last in sets:
            b, c = np.nonzero(np.add.outer(np.arange(total + 1), np.arange(total + 1)) <= total)
            start, stop = np.maximum(first[b, c], 0), np.minimum(last[b, c], total - b - c) + 1
            b, c, start, stop = (x[start < stop] for x in (b, c, start, stop))
            scale = float(Fraction(factorial(max(total, 0)), n ** max(total, 0)))
            self._parts.append((b, c, start, stop, total - b - c, scale))
            agreed.append(total - b - c)
        self._most = int(np.concatenate(agreed).max())
        self._least = min((int(x.min()) for x in agreed[1:] if len(x)), default=0)
        rows, a = np.ogrid[self._least : self._most + 1, : self._most + 1]
        self._d = np.where(rows >= a, rows - a, n + 1)

    def __call__(self, cells: Floats) -> Floats:
        """Return the probability of every set, shape (points, sets), for cells of shape (points, 4)."""
        n, most = self._n, self._most
        powers = np.ones((len(cells), 4, n + 2))  # x^i / i! for x = n p, which are never large; the last is 0
        powers[:, :, 1:-1] = n * cells[:, :, None] / np.arange(1, n + 1)
        np.cumprod(powers, axis=2, out=powers)
        powers[:, :, -1] = 0
        agreeing = np.zeros((len(cells), most - self._least + 1, most + 2))
        agreeing[:, :, 1:] = powers[:, 0, None, : most + 1] * powers[:, 3][:, self._d]
        sums = np.cumsum(agreeing, axis=2).reshape(len(cells), -1)
        found = np.empty((len(cells), len(self._parts)))
        for i, (b, c, start, stop, agreed, scale) in enumerate(self._parts):
            row = (agreed - self._least) * (most + 2)
            terms = sums[:, row + stop] - sums[:, row + start]
            terms *= powers[:, 1][:, b]
            terms *= powers[:, 2][:, c]
            found[:, i] = scale * terms.sum(axis=1)
        return found


class _Search:
    """Branch and bound over m and e for one limit.

    The tail is the probability of the tables at the rank or beyond it: above for the lower limit, below for the upper
    one. `best` is the most extreme kappa that is known to have a tail that is too large, and every box that was
    discarded has none beyond `best` by the slack. `best` only moves outwards, so discarded boxes stay discarded.
    """

    def __init__(self, n: int, first: Integers, last: Integers, side: int, tail: float, slack: float) -> None:
        self.n, self.side, self.tail, self.slack = n, side, tail, slack
        self.best, self._at = float(-side), (0.5, 0.0)
        start, stop = np.pad(first, (0, 2), constant_values=n + 1), np.pad(last, (0, 2), constant_values=-1)
        here, b, c = np.s_[:-2, :-2], np.s_[1:-1, :-2], np.s_[:-2, 1:-1]
        b2, bc, c2 = np.s_[2:, :-2], np.s_[1:-1, 1:-1], np.s_[:-2, 2:]
        if side == _LOWER:  # some two more subjects lead into the set; then two that agree do
            second = start[here] - 2, stop[here]
        else:  # any two more subjects lead into the set; then any two that disagree do
            second = tuple(f.reduce([x[b2], x[bc], x[c2]]) for f, x in ((np.maximum, start), (np.minimum, stop)))
        one_more = [(start[here] - 1, stop[here] - 1), *((start[x], stop[x]) for x in (b, c, here))]
        self._value = _Sums(n, [(n, first, last)])
        self._slopes = _Sums(n, [(n - 1, *limits) for limits in one_more])
        self._bounds = _Sums(n, [(n, first, last), (n - 2, *second)])

    def limit(self) -> float:
        """Return the limit, a multiple of 2^-20 beyond the exact limit."""
        m, share = (x.ravel() for x in np.meshgrid(np.arange(1, 13) ** 2 / 288, [0.0, 0.25, 0.5, 0.75, 0.95]))
        self._descend(m, 2 * m * share, 0.3)
        boxes = np.array([[0.0, 0.5, 0.0, 1.0]])  # least and largest m, least and largest e
        while len(boxes) and (kappa := self._beyond()) * self.side < 1:
            batch = boxes[-_BOXES_AT_ONCE:]
            left = self._undecided(batch, 1 - kappa)
            if left is not None:
                boxes = np.concatenate([boxes[:-_BOXES_AT_ONCE], _halves(left)])
        return max(-1.0, min(1.0, self._beyond()))

    def _beyond(self) -> float:
        """Return `best` moved outwards by the slack, as a multiple of 2^-20."""
        kappa = (self.best + self.side * self.slack) * _GRID
        return (floor(kappa) if self.side == _LOWER else ceil(kappa)) / _GRID

    def _tails(self, sums: Floats) -> Floats:
        return sums if self.side == _LOWER else 1 - sums

    def _too_large(self, m: Array, e: Array, s: Array) -> Array:
        return self._tails(self._value(_cells(m, e, s)))[:, 0] > self.tail

    def _extremes(self, m: Array, e: Array, halvings: int) -> Floats:
        """Return the most extreme kappa with a tail that is too large, for given m and e; NaN if there is none."""
        small, large = (e / 2, m) if self.side == _LOWER else (m, e / 2)
        some, all_of_them = self._too_large(m, e, small), self._too_large(m, e, large)
        inside, outside = np.where(all_of_them, large, small), large
        for _ in range(halvings):
            middle = (inside + outside) / 2
            too_large = self._too_large(m, e, middle)
            inside, outside = np.where(too_large, middle, inside), np.where(too_large, outside, middle)
        return np.where(some | all_of_them, 1 - inside / (m * (1 - m) + e * e / 4), np.nan)

    def _descend(self, m: Array, e: Array, radius: float) -> None:
        """Move `best` outwards by a local search; no guarantee depends on it."""
        while True:
            extremes = self.side * self._extremes(m, e, 14)
            j = int(np.argmax(np.where(np.isnan(extremes), -np.inf, extremes)))
            if extremes[j] > self.side * self.best:
                self._at = float(m[j]), float(e[j])
                self.best = float(self._extremes(m[j : j + 1], e[j : j + 1], 40)[0])
            else:
                radius *= 0.4
            if radius < 1e-3:
                return
            step = np.linspace(-1, 1, 5) * radius
            m, e = (x.ravel() for x in np.meshgrid(self._at[0] * (1 + step), self._at[1] + 2 * self._at[0] * step))
            m = np.clip(m, 1e-9, 0.5)
            e = np.clip(e, 0, 2 * m)

    def _undecided(self, boxes: Floats, lack: float) -> Floats | None:
        """Return the boxes whose tail may be too large where 1 - kappa is `lack`; None if `best` moved."""
        possible, low, high, spread = _cell_bounds(boxes, lack, self.side)
        m, e, s, reached = _centres(boxes, lack, self.side)
        cells = _cells(m, e, s)
        dominating = _dominating_cells(np.minimum(low, cells), np.maximum(high, cells), self.side)
        absent = np.isnan(dominating[:, 0])
        bounds = self._tails(self._bounds(np.where(absent[:, None], 0.25, dominating)))
        bounds[absent] = 1
        left = possible & (bounds[:, 0] + _ROUNDING > self.tail)
        if not left.any():
            return boxes[left]
        boxes, cells, m, e, s, reached = (x[left] for x in (boxes, cells, m, e, s, reached))
        slopes = self._tails(self._slopes(cells))
        agreeing = slopes[:, _DIAGONAL].sum(axis=1) - slopes[:, _OFF_DIAGONAL].sum(axis=1)
        slopes[:, 0 if self.side == _LOWER else 1] += np.maximum(self.side * agreeing, 0)  # not 0 by rounding only
        value = (slopes * cells).sum(axis=1)
        d_m, d_e, d_s = (
            np.maximum(abs(start - x), abs(stop - x)) + _CELL_ROUNDING
            for start, stop, x in ((*boxes.T[:2], m), (*boxes.T[2:], e), (*spread[left].T, s))
        )
        moved = np.maximum(d_m, d_s) + np.maximum(d_s, d_e / 2)  # half of the sum of the changes of all cells
        largest = value + self.n * (_largest_form(boxes, slopes, lack, self.side) - value)
        largest += self.n * (self.n - 1) * moved**2 * bounds[left, 1] + _ROUNDING * (1 + 2 * self.n * moved) ** 2
        undecided = largest > self.tail
        stuck = undecided & ((reached & (value > self.tail)) | (np.maximum(d_m, d_e) < _SMALLEST_BOX))
        if stuck.any():
            j = int(np.argmax(np.where(stuck, value, -1)))
            self.best, self._at = 1 - lack, (float(m[j]), float(e[j]))
            self._descend(m[j : j + 1], e[j : j + 1], 0.1)
            return None
        return np.asarray(boxes[undecided])


def _cells(m: Array, e: Array, s: Array) -> Floats:
    return np.asarray(np.maximum(np.stack([m - s, s + e / 2, s - e / 2, 1 - m - s], axis=1), 0))


def _centres(boxes: Floats, lack: float, side: int) -> tuple[Floats, Floats, Floats, Array]:
    """Return m, e and s at the centres of boxes, and whether they have this kappa or beyond; if not, they are moved."""
    m, e = boxes[:, :2].mean(axis=1), boxes[:, 2:].mean(axis=1)
    s = lack * (m * (1 - m) + e * e / 4)
    reached = (e <= 2 * m) & ((s <= m) if side == _LOWER else (s >= e / 2))
    e = np.minimum(e, 2 * m)
    return m, e, np.clip(s, e / 2, m), reached


def _cell_bounds(boxes: Floats, lack: float, side: int) -> tuple[Array, Floats, Floats, Floats]:
    """Return whether a box has points with this kappa or beyond, and bounds of cells and of s of those nearest to it.

    For the lower limit these are the points with s = max(t, e/2) for t = lack (m (1 - m) + e^2 / 4); they exist if
    t <= m. For the upper limit s = min(t, m), and t >= e/2.
    """
    m1, m2, e1, e2 = boxes.T
    t1, t2 = (lack * (m * (1 - m) + e * e / 4) for m, e in ((m1, e1), (m2, e2)))  # increases in m and e
    in_m = [m - lack * m * (1 - m) for m in (m1, m2, np.clip((1 - 1 / lack) / 2, m1, m2))]  # convex; the last is least
    in_e = [lack * e * e / 4 - e / 2 for e in (e1, e2, np.clip(1 / lack, e1, e2))]
    first = in_m[2] - lack * e2 * e2 / 4, np.maximum(in_m[0], in_m[1]) - lack * e1 * e1 / 4  # m - t
    third = lack * m1 * (1 - m1) + in_e[2], lack * m2 * (1 - m2) + np.maximum(in_e[0], in_e[1])  # t - e/2
    possible = e1 <= 2 * m2
    if side == _LOWER:
        # at m = 0 kappa is undefined; beside it m - t, which is convex in m, is negative if it is at the other end
        possible &= np.where(m1 > 0, first[1], in_m[1] - lack * e1 * e1 / 4) >= -_CELL_ROUNDING * m2
        s1, s2 = np.maximum(t1, e1 / 2), np.maximum(t2, e2 / 2)
        first = np.minimum(first[0], m1 - e2 / 2), np.minimum(first[1], m2 - e1 / 2)
    else:
        possible &= third[1] >= -_CELL_ROUNDING
        s1, s2 = np.minimum(t1, m1), np.minimum(t2, m2)
        third = np.minimum(third[0], m1 - e2 / 2), np.minimum(third[1], m2 - e1 / 2)
    low = np.stack([first[0], s1 + e1 / 2, third[0], 1 - m2 - s2], axis=1)
    high = np.stack([first[1], s2 + e2 / 2, third[1], 1 - m1 - s1], axis=1)
    low, high = np.clip(low - _CELL_ROUNDING, 0, 1), np.clip(high + _CELL_ROUNDING, 0, 1)
    return possible, low, high, np.stack([s1, s2], axis=1)


def _dominating_cells(low: Floats, high: Floats, side: int) -> Floats:
    """Return cells with a tail at least as large as that of all cells within the bounds; NaN if there are none."""
    more, less = (_DIAGONAL, _OFF_DIAGONAL) if side == _LOWER else (_OFF_DIAGONAL, _DIAGONAL)
    cells = low.copy()
    cells[:, more] = high[:, more]
    excess, room = cells.sum(axis=1) - 1, cells[:, less].sum(axis=1)
    cells[:, less] *= (1 - np.maximum(excess, 0) / np.where(room > 0, room, 1))[:, None]
    cells[:, more] += np.maximum(-excess, 0)[:, None] / 2
    cells[excess > room] = np.nan
    return np.asarray(cells / cells.sum(axis=1, keepdims=True))


def _largest_form(boxes: Floats, slopes: Floats, lack: float, side: int) -> Floats:
    """Return a bound of the sum of slope times cell over the points of `_cell_bounds`.

    The sum is x m + y e/2 - z s plus the last slope, with z >= 0 for the lower limit and z <= 0 for the upper one. The
    bound is the smaller one of those that follow from s >= t and from s >= e/2, or from s <= t and from s <= m.
    """
    m1, m2, e1, e2 = boxes.T
    x, y = slopes[:, 0] - slopes[:, 3], slopes[:, 1] - slopes[:, 2]
    z = slopes[:, _DIAGONAL].sum(axis=1) - slopes[:, _OFF_DIAGONAL].sum(axis=1)
    curved = np.where(z == 0, 1, z * lack)
    tops_m = m1, m2, np.where(z < 0, np.clip((1 - x / curved) / 2, m1, m2), m1)
    tops_e = e1, e2, np.where(z > 0, np.clip(y / curved, e1, e2), e1)
    in_m = np.max([x * m - z * lack * m * (1 - m) for m in tops_m], axis=0)
    in_e = np.max([y * e / 2 - z * lack * e * e / 4 for e in tops_e], axis=0)
    linear_m, linear_e = (x, y - z) if side == _LOWER else (x - z, y)
    flat = np.maximum(linear_m * m1, linear_m * m2) + np.maximum(linear_e * e1, linear_e * e2) / 2
    return np.asarray(np.minimum(in_m + in_e, flat) + slopes[:, 3])


def _halves(boxes: Floats) -> Floats:
    """Return both halves of every box, divided where the cells change most."""
    m1, m2, e1, e2 = boxes.T
    rows, axis = np.arange(len(boxes)), np.where(2 * (m2 - m1) >= e2 - e1, 0, 2)
    middle = (boxes[rows, axis] + boxes[rows, axis + 1]) / 2
    first, second = boxes.copy(), boxes.copy()
    first[rows, axis + 1] = second[rows, axis] = middle
    return np.concatenate([first, second])
