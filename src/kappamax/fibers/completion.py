"""List the tables below a cost limit by completing the counts of a few columns.

If as many columns are left out that the others are linearly independent, the counts of the columns left out determine
all counts. The most expensive columns are left out, because they can occur least often. If these are few, all their
counts are listed and completed by exact arithmetic. This is much faster than a depth-first search if the other columns
are free of charge and can occur many times.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kappamax._integers import magnitude, widen
from kappamax._rational_solve import independent_rows, solved_in_fractions
from kappamax._typing import Array, Integers

_MOST_COLUMNS = 600  # largest number of columns
_MOST_STARTS = 200_000  # largest number of counts of the columns left out
_MOST_COUNTS = 20_000_000  # largest number of counts that are held together
_NUMBERS_AT_A_TIME = 2_000_000


def completed_tables(
    columns: Array, needed: Array, costs: Array, limit: int, most: int, *, stopped: Callable[[], bool] | None = None
) -> Integers | None:
    """Return the counts of all columns in every table that costs less than the limit.

    The parameters are those of `kappamax.fibers.enumeration.tables_below`. The result is None if there are too many
    columns, too many counts to complete, or more than `most` tables, or if the time is over.
    """
    m = len(columns)
    if not 0 < m <= _MOST_COLUMNS:
        return None
    uses = np.zeros((m, len(needed)), dtype=np.int64)
    where = np.nonzero(columns >= 0)
    np.add.at(uses, (where[0], columns[where]), 1)
    cheapest_first = np.argsort(costs, kind="stable")
    chosen, pivots = independent_rows(uses[cheapest_first], m)
    kept = cheapest_first[chosen]
    left_out = np.setdiff1d(np.arange(m), kept)
    starts = _starts(uses[left_out], needed, costs[left_out], limit, stopped)
    if starts is None:
        return None
    square = uses[kept][:, pivots].T
    solved = solved_in_fractions(square, np.column_stack([needed[pivots], uses[left_out][:, pivots].T]))
    if solved is None:
        return None
    numerators, denominator = solved
    largest = magnitude(numerators) * (1 + int(starts.sum(axis=1).max(initial=0)))
    first, change = widen(numerators[:, 0], largest), widen(numerators[:, 1:], largest)
    found = []
    step = max(1, _NUMBERS_AT_A_TIME // m)
    for part in range(0, len(starts), step):
        if stopped is not None and stopped():
            return None
        own = starts[part : part + step]
        rest = first - own @ change.T
        whole = ((rest % denominator == 0) & (rest >= 0)).all(axis=1)
        counts = np.zeros((int(whole.sum()), m), dtype=np.int64)
        counts[:, left_out], counts[:, kept] = own[whole], rest[whole] // denominator
        counts = counts[(counts @ uses == needed).all(axis=1)]
        found.append(counts[counts.astype(object) @ costs.astype(object) < limit])
        if sum(map(len, found)) > most:
            return None
    return np.concatenate(found)


def _starts(
    uses: Integers, needed: Array, costs: Array, limit: int, stopped: Callable[[], bool] | None
) -> Integers | None:
    """Return all counts of the columns left out that the resources and the limit allow, or None if they are many."""
    most = min(_MOST_STARTS, _MOST_COUNTS // max(1, len(uses)))
    starts, spent, left = np.zeros((1, len(uses)), dtype=np.int64), np.zeros(1, dtype=np.int64), needed[None]
    for column in np.argsort(-costs, kind="stable").tolist():
        if stopped is not None and stopped():
            return None
        used = np.flatnonzero(uses[column])
        room = left[:, used].min(axis=1, initial=np.iinfo(np.int64).max)
        if costs[column] > 0:
            room = np.minimum(room, (limit - 1 - spent) // int(costs[column]))
        if int((room + 1).astype(object).sum()) > most:
            return None
        n = room + 1
        own = np.repeat(np.arange(len(starts)), n)
        count = np.arange(len(own)) - np.repeat(np.cumsum(n) - n, n)
        starts, spent, left = starts[own], spent[own] + count * int(costs[column]), left[own]
        starts[:, column] = count
        left[:, used] -= count[:, None] * uses[column, used]
    return starts
