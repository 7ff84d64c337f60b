"""Margins in, number of tables out.

Counts a fiber one category of the first rater at a time, so nothing is listed. The state is what the other raters have
left of each category; a pattern that may occur any number of times adds to each state what the state with one more of
its ratings holds. Exact: every count is a Python integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._checks import fibers as checks

__all__ = ["STATE_LIMIT", "count_tables", "n_states"]

Array = npt.NDArray[Any]

STATE_LIMIT = 2_000_000
_INT64_SAFE = 2**60


def count_tables(margins: Array, patterns: Array | None = None) -> int:
    """The number of tables with the given margins, using only the given patterns (all if left out).

    Parameters
    ----------
    margins : integers, shape (r, k)
        Each rater's category counts, with one total.
    patterns : integers, shape (m, r), optional
        The patterns that may occur.

    Raises
    ------
    NotSupportedError
        If the state space exceeds two million.

    Examples
    --------
    >>> count_tables(np.array([[11, 8, 7, 7], [6, 9, 12, 6]]))
    644850
    """
    checks.few_states(n_states(margins), STATE_LIMIT)
    if patterns is None:
        r, k = margins.shape
        patterns = np.stack(np.unravel_index(np.arange(k**r), (k,) * r), axis=1)
    estimate = _count(margins, patterns, np.dtype(float))
    return int(_count(margins, patterns, np.dtype(np.int64 if estimate < _INT64_SAFE else object)))


def n_states(margins: Array) -> int:
    """Size of the state space: what every rater but the first may have left of every category."""
    states = 1
    for count in margins[1:].ravel().tolist():
        states *= count + 1
    return states


def _count(margins: Array, patterns: Array, dtype: np.dtype[Any]) -> Any:
    """The dynamic programme in one arithmetic; a state is an array with one axis per rater and category."""
    k = margins.shape[1]
    shape = [int(count) + 1 for count in margins[1:].ravel()]
    ways = np.zeros(shape, dtype=dtype)
    ways[(-1,) * len(shape)] = 1
    rest = int(margins[0].sum())
    for category in range(k):
        rest -= int(margins[0, category])
        for pattern in patterns[patterns[:, 0] == category]:
            axes = [rater * k + int(code) for rater, code in enumerate(pattern[1:])]
            ways = _any_number_of(ways, axes)
        ways = np.where(_left(ways.shape, k) == rest, ways, 0 * ways)
    return ways[(0,) * len(shape)]


def _any_number_of(ways: Array, axes: list[int]) -> Array:
    """Allow a pattern any number of times: new[s] = old[s] + new[s with one more of each of its ratings]."""
    moved = np.moveaxis(ways, axes, range(len(axes))).copy()
    upper: tuple[Any, ...] = (slice(1, None),) * (len(axes) - 1)
    lower: tuple[Any, ...] = (slice(None, -1),) * (len(axes) - 1)
    for left in range(moved.shape[0] - 2, -1, -1):
        moved[(left, *lower)] += moved[(left + 1, *upper)]
    return np.moveaxis(moved, range(len(axes)), axes)


def _left(shape: tuple[int, ...], k: int) -> Array:
    """How many ratings the second rater has left in each state; all raters have placed equally many."""
    total = np.zeros((1,) * len(shape), dtype=np.int64)
    for axis in range(k):
        size = [1] * len(shape)
        size[axis] = shape[axis]
        total = total + np.arange(shape[axis]).reshape(size)
    return np.broadcast_to(total, shape)
