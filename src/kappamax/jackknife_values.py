"""Compute a statistic without each subject or without each cluster, for the jackknife and for BCa intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kappamax._rootsum import RootSum
from kappamax._tolerances import DOUBLE_TOLERANCE
from kappamax._typing import Array, Integers
from kappamax.cluster_resampling import counts_by_cluster
from kappamax.disagreement.evaluator import Evaluator, Totals
from kappamax.disagreement.objective import Objective
from kappamax.errors import InvalidRatingsError, UndefinedKappaError
from kappamax.table import Table

Statistic = Objective | Callable[[Table], float]

_QUOTIENT_BITS = 200


def leave_one_out_values(table: Table, statistic: Statistic) -> tuple[Array, Integers]:
    """Return the statistic without one subject of each pattern, and the number of these subjects.

    If the subjects are in clusters, return the statistic without each cluster, and ones.
    """
    if table.clusters is not None:
        by_cluster = counts_by_cluster(table)
        if isinstance(statistic, Objective):
            values = values_without_each_cluster(statistic, by_cluster)
        else:
            rows = (by_cluster[[i]].toarray()[0] for i in range(by_cluster.shape[0]))
            values = np.array([value_at(statistic, table, table.counts - row) for row in rows])
        return values, np.ones(len(values), dtype=np.int64)
    m = len(table.counts)
    if not isinstance(statistic, Objective):
        values = np.array([value_at(statistic, table, table.counts - (np.arange(m) == i)) for i in range(m)])
        return values, table.counts
    evaluator = Evaluator(statistic)
    whole = evaluator.totals(table.counts)  # sums of pattern totals, so that subtracting the only subject leaves 0
    parts = []
    for chunk in evaluator.chunks():
        one = evaluator.pattern_totals(chunk)
        rest = Totals(*(_rest(total, part) for total, part in zip(whole, one, strict=True)))
        parts.append(evaluator.value_of(evaluator.rescored(rest)))
    return np.concatenate(parts), table.counts


def values_without_each_cluster(objective: Objective, by_cluster: Any) -> Array:
    """Return the coefficient without each cluster, given the number of subjects of each pattern in each cluster."""
    evaluator = Evaluator(objective)
    whole = evaluator.totals(evaluator.table.counts)
    use: Any = 0.0
    pairs: Any = 0.0
    for chunk in evaluator.chunks():
        own = evaluator.pattern_totals(chunk)
        use = use + _summed(by_cluster[:, chunk], own.use)
        if evaluator.objective.varying_weights:
            pairs = pairs + _summed(by_cluster[:, chunk], own.pairs)
    own_parts = (by_cluster @ evaluator.own.disagreements, by_cluster @ evaluator.own.units, by_cluster.sum(axis=1))
    rest = Totals(*(_rest(total, part) for total, part in zip(whole, (*own_parts, use, pairs), strict=True)))
    return evaluator.value_of(evaluator.rescored(rest))


def _rest(whole: Any, part: Any) -> Array:
    """Return whole - part; what is left of a part that is everything, except for rounding, is 0."""
    rest = np.asarray(whole) - part
    return np.where(np.abs(rest) <= DOUBLE_TOLERANCE * np.abs(whole), 0.0, rest)


def _summed(by_cluster: Any, parts: Array) -> Array:
    """Return the sum over the patterns of each cluster of arrays, one per pattern."""
    return np.asarray(by_cluster @ parts.reshape(len(parts), -1)).reshape(-1, *parts.shape[1:])


def value_at(statistic: Callable[[Table], float], table: Table, counts: Array) -> float:
    """Return the statistic at other counts, or NaN if it is undefined or there are no ratings to compare."""
    try:
        other = Table(table.patterns, counts, table.categories, table.raters, ordered=table.ordered)
        return float(statistic(other))
    except (UndefinedKappaError, InvalidRatingsError):
        return float("nan")


def exact_changes(objective: Objective) -> tuple[float, Array]:
    """Return the mean change of the value over all subjects, and the change if one subject of each pattern is left out.

    With many subjects, a change is too small to be computed as the difference of two doubles.
    """
    table, observed, expected = objective.table, objective.observed(objective.score), objective.expected
    whole: list[int] = []  # changes in units of 2^-_QUOTIENT_BITS
    for place in range(len(table.counts)):
        rest = objective.for_table(table.like(table.patterns, table.counts - (np.arange(len(table.counts)) == place)))
        above = observed * rest.expected - rest.observed(rest.score) * expected
        whole.append(_scaled_quotient(above, expected * rest.expected))
    total = sum(count * change for count, change in zip(table.counts.tolist(), whole, strict=True))
    unit = 1 << _QUOTIENT_BITS
    return total / (unit * table.n_subjects), np.array([change / unit for change in whole])


def _scaled_quotient(above: RootSum, below: RootSum) -> int:
    """Return the quotient above / below in units of 2^-_QUOTIENT_BITS, up to an error of a few units."""
    numerator, _ = above.bracket(2 * _QUOTIENT_BITS)
    denominator, _ = below.bracket(2 * _QUOTIENT_BITS)
    return ((numerator * below.denominator) << _QUOTIENT_BITS) // (denominator * above.denominator)
