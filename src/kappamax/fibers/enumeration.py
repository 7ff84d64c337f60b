"""List the tables with given margins, or those of them whose total cost is below a limit.

Both are done by one depth-first search over the patterns in order. The count of each pattern starts at the largest
value that the remaining margins and the limit allow and is then decreased. A branch is abandoned as soon as some
category cannot be used up because no later pattern contains it. If a pattern could occur many times, its smallest
useful count is computed from what later patterns can contribute. The search can be suspended after any step, so tables
are listed lazily. Short searches run in plain Python, and long ones are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np

from kappamax._jit import STEPS_WITHOUT_COMPILER, CompilationStopped, kernel
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Array, Floats, Integers
from kappamax.fibers.completion import completed_tables
from kappamax.fibers.counting import TableCounter, all_patterns
from kappamax.fibers.log_factorials import log_growth
from kappamax.patterns import pair_counts
from kappamax.table import Table

#: integers passed to a search, and all sums of them, must be below 2 to this power
BITS = 61
#: maximum number of tables that are listed in place of counting
LISTED_TABLES = 20_000
MOST_TABLES = 1_000
TABLE_STEPS = 20_000_000
_FEW_STEPS = 200_000
_STEPS_UNCOMPILED = 50_000
_STEPS_AT_ONCE = 1_000_000  # steps of one call of the compiled search, which Ctrl-C cannot interrupt
_MANY = 16  # the smallest useful count of a pattern is computed only if its largest possible count is above this
_BLOCK_NUMBERS = 100_000
_MOST_COUNTS = 100_000_000
_LISTED_NUMBERS = 5_000_000
_RATERS = 4
_WORTH_COUNTING = 20_000_000


class OutOfSteps(Exception):  # noqa: N818  # not an error, because the caller set the limit
    """Signal that a search has reached its maximum number of steps; the tables listed before remain valid."""


def iter_tables(margins: Array, patterns: Array, most_steps: int | None = None) -> Iterator[Integers]:
    """Yield every table with the given margins and patterns, as counts in the order of the patterns.

    Parameters
    ----------
    margins : integers, shape (r, k)
        Marginal totals of each rater. All rows have the same sum.
    patterns : integers, shape (m, r)
        Distinct patterns that may occur.
    most_steps : int, optional
        Maximum number of steps of the search, including steps that lead to no table. Without numba it is at most a
        million. By default there is no maximum.

    Yields
    ------
    integers, shape (m,)
        Count of each pattern.

    Raises
    ------
    OutOfSteps
        If the search reaches the maximum number of steps.

    Examples
    --------
    >>> diagonal_or_not = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> [counts.tolist() for counts in iter_tables(np.array([[1, 1], [1, 1]]), diagonal_or_not)]
    [[1, 0, 0, 1], [0, 1, 1, 0]]
    """
    r, k = margins.shape
    return _search(patterns + k * np.arange(r), margins.ravel(), np.zeros(len(patterns)), 1, most_steps)


class TablesBelow(NamedTuple):
    """Tables whose total cost is below a limit.

    Attributes
    ----------
    counts : integers, shape (number of tables, m)
        Count of each column in each table.
    finished : bool
        Whether the search was completed, so that these are all such tables.
    """

    counts: Integers
    finished: bool


def tables_below(
    columns: Array,
    needed: Array,
    costs: Array,
    limit: int,
    most: int = MOST_TABLES,
    *,
    stopped: Callable[[], bool] | None = None,
) -> TablesBelow:
    """List the tables that consist of the given columns, use up the given resources and cost less than a limit.

    Parameters
    ----------
    columns : integers, shape (m, c)
        Resources that each column uses, one unit of each; -1 stands for no resource. The resources of a pattern are
        the categories of its raters.
    needed : integers, shape (number of resources,)
        Amount of each resource that a table uses.
    costs : integers >= 0, shape (m,)
        Cost of each column.
    limit : int
        Tables are listed if their total cost is below this number.
    most : int, optional
        Maximum number of tables, default 1000. It is reduced if there are so many columns that the tables would not fit
        into memory.
    stopped : callable, optional
        Function that is called now and then; the search ends when it returns True. By default the search ends only when
        it is complete or has run out of steps.

    Returns
    -------
    TablesBelow
        The tables. They are marked as unfinished if there are more of them, or if the search was stopped or ran out of
        steps.
    """
    if len(columns) and limit > 0:
        completed = completed_tables(columns, needed, costs, limit, most, stopped=stopped)
        if completed is not None:
            return TablesBelow(completed, True)
    order = np.argsort(-costs, kind="stable")  # expensive columns first, because they can occur least often
    most = max(1, min(most, _MOST_COUNTS // max(1, len(columns))))
    found: list[Integers] = []
    finished = True
    try:
        for counts in _search(columns[order], needed, costs[order], limit, TABLE_STEPS, stopped):
            if len(found) == most:
                raise OutOfSteps
            found.append(counts)
    except OutOfSteps:
        finished = False
    listed = np.zeros((len(found), len(columns)), dtype=np.int64)
    for row, counts in zip(listed, found, strict=True):
        row[order] = counts
    return TablesBelow(listed, finished)


def few_tables(table: Table, patterns: Array, n_tables: int | None = None) -> Integers | None:
    """Return the counts of the given patterns in every table of a fiber, or None if listing them would take too long.

    `n_tables` is the number of tables, if it is known. Otherwise the search is abandoned after too many steps.
    """
    most = min(LISTED_TABLES, _LISTED_NUMBERS // len(patterns))
    if n_tables is not None and n_tables > most:
        return None
    found: list[Integers] = []
    try:
        for counts in iter_tables(table.margins, patterns, _FEW_STEPS if n_tables is None else None):
            found.append(counts)
            if len(found) > most:
                return None
    except OutOfSteps:
        return None
    return np.stack(found)


def fewest_tables(table: Table) -> int:
    """Return a lower bound on the number of tables in the fiber of a table, at little cost."""
    best = _fewest_by_squares(table)
    if best > LISTED_TABLES:
        return best
    # dropping raters and merging categories cannot turn one table into two, so the number of reduced tables is a bound
    merged = [_merged(row, 3 if table.n_raters == 2 else 2) for row in table.margins[:_RATERS]]
    while len(merged) >= 2:
        margins = np.array(merged, dtype=np.int64)
        counter = TableCounter(margins, all_patterns(margins))
        if counter.work() <= _WORTH_COUNTING:
            return max(best, int(counter.approximate_count() * (1 - ROUNDING_MARGIN)))
        merged.pop()
    return best


def chances_of(tables: Integers) -> Floats:
    """Return the probability under the null distribution of every table of a fiber, given the counts in all tables.

    The probability of a table is proportional to 1 / (n_1! n_2! ...). It is computed relative to the first table.
    """
    logs = log_ratios_of(tables, tables[0])
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def log_ratios_of(tables: Integers, reference: Integers) -> Floats:
    """Return the logarithm of the null probability of every table, divided by that of a reference table of the fiber.

    The logarithms are most accurate for tables near the reference.
    """
    steps = tables - reference
    rest, base = log_growth(np.broadcast_to(reference, tables.shape), steps)
    return np.asarray(-(rest + steps * np.log(base)).sum(axis=1))


def _fewest_by_squares(table: Table) -> int:
    """Return a lower bound on the number of tables from disjoint 2 x 2 subtables of the counts of two raters.

    In such a subtable, subjects can be moved from one diagonal to the other and back. Subtables without common cells
    can be changed independently, so their numbers of choices are multiplied.
    """
    best = 1
    for first, second in pairwise(table.patterns.T):
        counts = pair_counts(first, second, table.counts, table.n_categories)
        used = counts[counts.any(axis=1)][:, counts.any(axis=0)].tolist()
        choices = (
            min(used[i][j], used[i + 1][j + 1]) + min(used[i][j + 1], used[i + 1][j]) + 1
            for i in range(0, len(used) - 1, 2)
            for j in range(0, len(used[0]) - 1, 2)
        )
        best = max(best, prod(choices))
    return best


def _merged(margin: Array, n_groups: int) -> list[int]:
    """Return the margins of a rater with the categories merged into groups of nearly equal size."""
    groups = [0] * n_groups
    for count in sorted(margin.tolist(), reverse=True):
        groups[groups.index(min(groups))] += count
    return groups


class _Columns(NamedTuple):
    """Columns of a search, as flat arrays for the compiled kernel or as lists, which are faster in plain Python.

    Attributes
    ----------
    resources : integers
        Resources of each column, the same number for all columns; -1 stands for no resource.
    by_resource : integers
        Positions in `resources`, sorted by resource and then by column.
    rank : integers
        Index of each position in `by_resource`.
    last : integers
        Last column that uses each resource.
    costs : integers
        Cost of each column.
    """

    resources: Any
    by_resource: Any
    rank: Any
    last: Any
    costs: Any


class _Progress(NamedTuple):
    """State of a search that may be suspended.

    Attributes
    ----------
    left : integers
        Remaining amount of each resource.
    counts : integers
        Current count of each column.
    least : integers
        Smallest useful count of each column, given the counts of the columns before it.
    spent : integers
        Total cost of the columns before each column.
    place : integers
        Current column, whether it is being entered (1) or left (0), and the number of steps taken.
    """

    left: Any
    counts: Any
    least: Any
    spent: Any
    place: Any


def _search(
    columns: Array,
    needed: Array,
    costs: Array,
    limit: int,
    most_steps: int | None,
    stopped: Callable[[], bool] | None = None,
) -> Iterator[Integers]:
    """Yield the tables whose cost is below the limit, in descending lexicographic order of their counts."""
    m, c = columns.shape
    resources = columns.ravel().astype(np.int64)
    last = np.full(len(needed), -1, dtype=np.int64)
    last[resources[resources >= 0]] = (np.arange(m * c) // max(c, 1))[resources >= 0]
    if limit <= 0 or ((last < 0) & (needed > 0)).any():  # no cost is below the limit, or no column uses a resource
        return
    by_resource = np.argsort(resources, kind="stable")
    arrays = (resources, by_resource, np.argsort(by_resource), last, costs.astype(np.int64))
    problem = _Columns(*(array.tolist() for array in arrays))
    progress = _Progress(needed.tolist(), [0] * m, [0] * m, [0] * (m + 1), [0, 1, 0])
    found: Any = [0] * m
    while progress.place[0] >= 0:
        steps = progress.place[2]
        if steps and stopped is not None and stopped():
            raise OutOfSteps
        run = kernel(_depth_first, work=steps + 1, worth=_STEPS_UNCOMPILED, stopped=stopped)
        long = steps >= _STEPS_UNCOMPILED
        until = steps + _STEPS_AT_ONCE if long else _STEPS_UNCOMPILED
        if most_steps is not None:
            if long and run is _depth_first:
                most_steps = min(most_steps, STEPS_WITHOUT_COMPILER)
            if steps >= most_steps:
                raise OutOfSteps
            until = min(until, most_steps)
        if run is not _depth_first and isinstance(found, list):
            problem, progress = _Columns(*map(np.array, problem)), _Progress(*map(np.array, progress))
            found = np.zeros(m * max(1, _BLOCK_NUMBERS // m), dtype=np.int64)
        try:
            n_found = run(problem, progress, c, limit, until, found)
        except CompilationStopped:
            raise OutOfSteps from None
        yield from np.array(found[: n_found * m], dtype=np.int64).reshape(-1, m)


def _depth_first(problem: _Columns, progress: _Progress, c: int, limit: int, until: int, found: Any) -> Any:
    """Search until step `until` or until `found` is full, and return the number of tables written to `found`.

    This function is compiled by numba for long searches.
    """
    resources, by_resource, rank, last, costs = problem
    left, counts, least, spent, place = progress
    m = len(counts)
    position, entering, steps = place[0], place[1], place[2]
    n_found = 0
    while position >= 0 and steps < until and (n_found + 1) * m <= len(found):
        steps += 1
        first = position * c
        change = -1
        if entering == 1:  # start with the largest count that the resources and the limit allow
            change = 2**62 if costs[position] == 0 else (limit - 1 - spent[position]) // costs[position]
            for t in range(first, first + c):
                resource = resources[t]
                if resource >= 0 and left[resource] < change:
                    change = left[resource]
            least[position] = 0
            if change > _MANY:  # the smallest useful count is the amount that later columns cannot use up
                for t in range(first, first + c):
                    missing, u = left[resources[t]] if resources[t] >= 0 else 0, rank[t] + 1
                    while missing > least[position] and u < m * c and resources[by_resource[u]] == resources[t]:
                        later = by_resource[u] // c
                        room = 2**62
                        for s in range(later * c, later * c + c):
                            if resources[s] >= 0 and resources[s] != resources[t]:
                                room = min(room, left[resources[s]])
                        missing -= room
                        u += 1
                    least[position] = max(least[position], missing)
        counts[position] += change
        closed = counts[position] >= least[position]
        for t in range(first, first + c):
            resource = resources[t]
            if resource >= 0:
                left[resource] -= change
                if last[resource] == position and left[resource] > 0:
                    closed = False
        if not closed:  # smaller counts would leave even more of the resource unused, so the column is reset to zero
            for t in range(first, first + c):
                if resources[t] >= 0:
                    left[resources[t]] += counts[position]
            counts[position] = 0
            position, entering = position - 1, 0
            continue
        spent[position + 1] = spent[position] + counts[position] * costs[position]
        entering = 1
        position += 1
        if position == m:
            for p in range(m):
                found[n_found * m + p] = counts[p]
            n_found += 1
            position, entering = m - 1, 0
    place[0], place[1], place[2] = position, entering, steps
    return n_found
