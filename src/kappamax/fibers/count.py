"""Margins in, number of tables out, nothing listed; see `ways` for how."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._checks import fibers as checks
from kappamax.fibers.counting import Progress, Ways

__all__ = ["MEMORY_LIMIT", "all_patterns", "count_tables"]

Array = npt.NDArray[Any]

#: bytes that counting may take unless a caller allows more
MEMORY_LIMIT = 1_000_000_000


def count_tables(
    margins: Array,
    patterns: Array | None = None,
    *,
    memory_limit: float = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> int:
    """The number of tables with the given margins, using only the given patterns (all if left out).

    Parameters
    ----------
    margins : integers, shape (r, k)
        Each rater's category counts, with one total.
    patterns : integers, shape (m, r), optional
        The patterns that may occur.
    memory_limit : float
        Bytes.
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
    ways = Ways(margins, all_patterns(margins) if patterns is None else patterns)
    checks.fits("counting these tables", ways.table_bytes(), memory_limit)
    return ways.n_tables(progress=progress)[0]


def all_patterns(margins: Array) -> npt.NDArray[np.int32]:
    """Every pattern of categories that were used, shape (m, r)."""
    used = [np.flatnonzero(row) for row in margins]
    checks.few_patterns([len(categories) for categories in used])
    grid = np.meshgrid(*used, indexing="ij")
    return np.stack([codes.ravel() for codes in grid], axis=1).astype(np.int32)
