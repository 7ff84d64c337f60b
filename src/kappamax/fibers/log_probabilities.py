"""Compute the logarithms of the null probabilities of all scores of a fiber, however small they are.

If the number of arrangements of the ratings is below 2^900, no probability is below 2^-900, and the null distribution
in doubles has every score with its full accuracy. Otherwise, and if the weights are not exact, the tables are listed,
which is possible if there are few of them, and the logarithms of their probabilities follow from their factorials.
"""

from __future__ import annotations

from math import lgamma, log

import numpy as np

from kappamax._integers import Digits, distinct_rows
from kappamax._progress import WorkCallback
from kappamax._typing import Array, Integers
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.fibers.counting import TableCounter, all_patterns
from kappamax.fibers.enumeration import OutOfSteps, fewest_tables, iter_tables, log_ratios_of
from kappamax.fibers.null_distribution import null_distribution
from kappamax.fibers.rearrangement_scores import can_be_listed, listed_tally
from kappamax.fibers.score_tilting import LogProbabilities
from kappamax.table import Table

_SAFE_BITS = 900  # the smallest normal double is about 2^-1022
_MOST_TABLES, _MOST_COUNTS = 1_000_000, 20_000_000
_BYTES_PER_COUNT = 50  # counts, steps and logarithms of all tables, and temporary arrays
_MOST_STEPS = 20_000_000


def log_probabilities(
    objective: Objective, *, memory_limit: float, work_limit: float, progress: WorkCallback | None = None
) -> LogProbabilities:
    """Return all scores of a fiber, with the logarithms of their null probabilities.

    Parameters
    ----------
    objective : Objective
        The observed table, the weights and a coefficient whose expected disagreement is the same for all arrangements.
    memory_limit : float
        Number of bytes that the computation may use.
    work_limit : float
        Number of additions that the computation may take.
    progress : callable, optional
        Function that is called with the amount of work done and the total amount of work.

    Returns
    -------
    LogProbabilities

    Raises
    ------
    NotSupportedError
        If the exact distribution cannot be computed within the limits, or if there are too many tables to be
        listed and the weights are not exact or a probability may be below the range of doubles.
    """
    table = objective.table
    safe = _arrangement_bits(table) < _SAFE_BITS
    if objective.weights.exact and safe:
        null = null_distribution(
            objective, method="exact", memory_limit=memory_limit, work_limit=work_limit, progress=progress
        )
        return LogProbabilities(null.rows, np.log(null.probabilities))
    if table.complete:
        patterns = all_patterns(table.margins)
        most = int(min(_MOST_TABLES, _MOST_COUNTS // len(patterns), memory_limit // (_BYTES_PER_COUNT * len(patterns))))
        counts = _tables(table, patterns, most)
        if counts is not None:
            rows = Digits(objective.scores(patterns), table.n_subjects).weighted(counts)
            return _by_score(rows, log_ratios_of(counts, _own_counts(table, patterns)))
        many = f"more than {most:,} tables"
    elif can_be_listed(table):
        found = listed_tally(objective)
        return LogProbabilities(found.rows, np.log(found.probabilities))
    else:
        many = "so many arrangements of incomplete ratings"
    if not objective.weights.exact:
        raise NotSupportedError(
            f"{objective.weights.name} weights are not exact numbers, so all tables would have to be listed, which is "
            f"not possible with {many}. The Monte Carlo method of `exact_test` supports these weights."
        )
    raise NotSupportedError(
        f"there are more than 2^{_SAFE_BITS} arrangements of these ratings, so probabilities may be too small for "
        f"doubles, and their logarithms cannot be computed with {many}. `exact_test` has no such limit."
    )


def _arrangement_bits(table: Table) -> float:
    """Return the binary logarithm of the number of arrangements, or of a number of equally likely groups of them.

    If ratings are complete, the ratings of one rater need not be rearranged.
    """
    logs = [lgamma(sum(row) + 1) - sum(lgamma(n + 1) for n in row) for row in table.margins.tolist()]
    return (sum(logs) - (max(logs) if table.complete else 0.0)) / log(2)


def _tables(table: Table, patterns: Array, most: int) -> Integers | None:
    """Return the counts of all patterns in every table of a fiber, or None if there are more than `most` tables."""
    if np.count_nonzero(table.margins, axis=1).tolist() == [2, 2]:
        return _two_by_two_tables(table, most)
    if fewest_tables(table) > most:
        return None
    counter = TableCounter(table.margins, patterns)
    if counter.work() <= _MOST_STEPS and counter.approximate_count() > most:
        return None
    found: list[Integers] = []
    try:
        for counts in iter_tables(table.margins, patterns, _MOST_STEPS):
            found.append(counts)
            if len(found) > most:
                return None
    except OutOfSteps:
        return None
    return np.stack(found)


def _two_by_two_tables(table: Table, most: int) -> Integers | None:
    """Return the counts in all tables of two raters who used two categories each, or None if there are too many."""
    (first, _), (second, other) = (row[row > 0].tolist() for row in table.margins)
    low, high = max(0, first - other), min(first, second)
    if high - low + 1 > most:
        return None
    corner = np.arange(low, high + 1)
    return np.stack([corner, first - corner, second - corner, other - first + corner], axis=1)


def _own_counts(table: Table, patterns: Array) -> Integers:
    """Return the counts of all patterns in the observed table."""
    own = {tuple(codes): n for codes, n in zip(table.patterns.tolist(), table.counts.tolist(), strict=True)}
    return np.array([own.get(tuple(codes), 0) for codes in patterns.tolist()], dtype=np.int64)


def _by_score(rows: Array, logs: Array) -> LogProbabilities:
    """Return the distinct rows with the logarithms of the sums of the probabilities of each."""
    distinct, place = distinct_rows(rows)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(distinct)))
    return LogProbabilities(distinct, np.asarray(np.logaddexp.reduceat(logs[order], starts)))
