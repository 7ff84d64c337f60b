"""List the tables of a small fiber, with the probability of each by chance.

Where there are few tables it does not matter how many subjects, states or possible scores there are.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax.fibers.counting import TableCounter, all_patterns
from kappamax.fibers.enumeration import OutOfSteps, iter_tables
from kappamax.fibers.log_factorials import log_growth
from kappamax.patterns import pair_counts
from kappamax.table import Table

__all__ = ["LISTED_TABLES", "chances_of", "few_tables", "fewest_tables"]

Array = npt.NDArray[Any]

LISTED_TABLES = 20_000
_LISTED_NUMBERS = 5_000_000
_STEPS = 200_000
_RATERS = 4
_WORTH_COUNTING = 20_000_000
_ROUNDING = 1e-9


def few_tables(table: Table, patterns: Array, n_tables: int | None = None) -> npt.NDArray[np.int64] | None:
    """The counts of the given patterns in every table with a table's margins; None where these are not soon listed.

    `n_tables` is their number, if it is known; otherwise a search that meets too many dead ends is given up.
    """
    most = min(LISTED_TABLES, _LISTED_NUMBERS // len(patterns))
    if n_tables is not None and n_tables > most:
        return None
    found: list[npt.NDArray[np.int64]] = []
    try:
        for counts in iter_tables(table.margins, patterns, _STEPS if n_tables is None else None):
            found.append(counts)
            if len(found) > most:
                return None
    except OutOfSteps:
        return None
    return np.stack(found)


def fewest_tables(table: Table) -> int:
    """A number of tables that there are at least, soon known."""
    best = _from_blocks(table)
    if best > LISTED_TABLES:
        return best
    # tables of some of the raters over merged categories differ only where the tables themselves do
    merged = [_merged(row, 3 if table.n_raters == 2 else 2) for row in table.margins[:_RATERS]]
    while len(merged) >= 2:
        margins = np.array(merged, dtype=np.int64)
        counter = TableCounter(margins, all_patterns(margins))
        if counter.work() <= _WORTH_COUNTING:
            return max(best, int(counter.approximate_count() * (1 - _ROUNDING)))
        merged.pop()
    return best


def _from_blocks(table: Table) -> int:
    """The same from 2 x 2 blocks of two raters' counts.

    In a block, subjects can be moved from one diagonal to the other and back. Blocks that share no cell do not hinder
    each other, so their numbers of choices multiply.
    """
    best = 1
    for first, second in pairwise(table.patterns.T):
        counts = pair_counts(first, second, table.counts, table.n_categories)
        used = counts[counts.any(axis=1)][:, counts.any(axis=0)].tolist()
        blocks = (
            min(used[i][j], used[i + 1][j + 1]) + min(used[i][j + 1], used[i + 1][j]) + 1
            for i in range(0, len(used) - 1, 2)
            for j in range(0, len(used[0]) - 1, 2)
        )
        best = max(best, prod(blocks))
    return best


def _merged(margin: Array, n_groups: int) -> list[int]:
    """A rater's category counts with categories merged into a few groups of nearly equal size."""
    groups = [0] * n_groups
    for count in sorted(margin.tolist(), reverse=True):
        groups[groups.index(min(groups))] += count
    return groups


def chances_of(tables: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The probability by chance of every table of a fiber, from the counts of all patterns in all of them.

    It is proportional to 1 / (n_1! n_2! ...), and is worked out beside that of the first table.
    """
    steps = tables - tables[0]
    rest, base = log_growth(np.broadcast_to(tables[0], tables.shape), steps)
    logs = -(rest + steps * np.log(base)).sum(axis=1)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())
