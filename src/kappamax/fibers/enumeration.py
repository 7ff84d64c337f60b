"""Margins in, the tables with those margins out, one at a time.

Depth first over the patterns in order, each as often as its raters' margins leave room; a branch ends as soon as a
category that no later pattern uses is not used up, and a pattern that could occur very often is not tried less often
than what later patterns can make up for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["OutOfSteps", "iter_tables"]

Array = npt.NDArray[Any]

_MANY = 16  # times that a pattern is tried one after the other


class OutOfSteps(Exception):  # noqa: N818  # a limit the caller set, not an error
    """The search has taken as many steps as the caller allowed; what was listed before stands."""


def iter_tables(margins: Array, patterns: Array, most_steps: int | None = None) -> Iterator[npt.NDArray[np.int64]]:
    """Every way to reach the margins with the given patterns, as counts in the order of the patterns.

    Parameters
    ----------
    margins : integers, shape (r, k)
        Each rater's category counts, with one total.
    patterns : integers, shape (m, r)
        The patterns that may occur, each once.
    most_steps : int, optional
        Steps of the search, dead ends included, after which it raises `OutOfSteps`.

    Examples
    --------
    >>> diagonal_or_not = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> [counts.tolist() for counts in iter_tables(np.array([[1, 1], [1, 1]]), diagonal_or_not)]
    [[1, 0, 0, 1], [0, 1, 1, 0]]
    """
    cells = [tuple(enumerate(pattern)) for pattern in patterns.tolist()]
    last = {cell: position for position, pattern in enumerate(cells) for cell in pattern}
    left = {(a, i): int(count) for a, row in enumerate(margins) for i, count in enumerate(row)}
    if any(count and cell not in last for cell, count in left.items()):
        return
    closing = [[cell for cell in pattern if last[cell] == position] for position, pattern in enumerate(cells)]
    users: dict[tuple[int, int], list[int]] = {cell: [] for cell in last}
    for position, pattern in enumerate(cells):
        for cell in pattern:
            users[cell].append(position)

    def fewest(position: int) -> int:
        """How often a pattern must occur at least, if later patterns take as much of its categories as they can."""
        found = 0
        for cell in cells[position]:
            missing = left[cell]
            for later in users[cell][bisect_right(users[cell], position) :]:
                missing -= min(left[other] for other in cells[later] if other != cell)
                if missing <= found:
                    break
            found = max(found, missing)
        return found

    counts = [0] * len(cells)
    least = [0] * len(cells)
    position, entering, steps = 0, True, 0
    while position >= 0:
        steps += 1
        if most_steps is not None and steps > most_steps:
            raise OutOfSteps
        pattern = cells[position]
        if entering:
            counts[position] = min(left[cell] for cell in pattern)
            least[position] = fewest(position) if counts[position] > _MANY else 0
            for cell in pattern:
                left[cell] -= counts[position]
        else:
            counts[position] -= 1
            for cell in pattern:
                left[cell] += 1
        # too few of this pattern; or a category is not used up, and fewer of this pattern leave even more of it
        if counts[position] < least[position] or any(left[cell] for cell in closing[position]):
            for cell in pattern:
                left[cell] += counts[position]
            counts[position] = 0
            position, entering = position - 1, False
        elif position == len(cells) - 1:
            yield np.array(counts, dtype=np.int64)
            entering = False
        else:
            position, entering = position + 1, True
