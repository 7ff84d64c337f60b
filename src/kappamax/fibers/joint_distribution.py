"""Compute the joint distribution of two coefficients over all tables with the observed margins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kappamax._progress import WorkCallback
from kappamax._result import Result, TableResult
from kappamax._rootsum import RootSum, order
from kappamax._typing import Floats
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.fibers.table_scores import TableScores


def joint_distribution(
    first: Objective, second: Objective, *, memory_limit: float, progress: WorkCallback | None = None
) -> JointDistribution:
    """Return the joint distribution of two coefficients over all tables with the observed margins.

    Parameters
    ----------
    first, second : Objective
        Objectives of the same table.
    memory_limit : float
        Number of bytes that counting may use.
    progress : callable, optional
        Function that is called with the amount of work done and the total amount of work.

    Returns
    -------
    JointDistribution

    Raises
    ------
    NotSupportedError
        If ratings are missing, the weights are not exact, or counting would need more memory than the limit.
    UndefinedKappaError
        If a coefficient is 0/0.
    """
    space = TableScores([first, second], memory_limit)
    found = space.tally(n_tables=True, progress=progress)
    pairs = space.scores(found.rows)
    ranks = [_ranks([pair[which] for pair in pairs]) for which in (0, 1)]
    by_value = sorted(range(len(pairs)), key=lambda i: (-ranks[0][i], -ranks[1][i]))
    values = [[first.value(pairs[i][0]), second.value(pairs[i][1])] for i in by_value]
    return JointDistribution(
        weights=(first.weights.name, second.weights.name),
        value=(first.value(first.score), second.value(second.score)),
        values=np.array(values),
        n_tables=tuple(found.n_tables[i] for i in by_value),
        probabilities=found.probabilities[by_value],
        _data=first.table.data,
    )


def same_value(
    objective: Objective, others: Sequence[Objective] = (), *, memory_limit: float, progress: WorkCallback | None = None
) -> SameValue:
    """Return the number of tables with the observed score and the range of other coefficients over these tables.

    Parameters
    ----------
    objective : Objective
        Objective whose score is fixed at the observed score.
    others : sequence of Objective, optional
        Objectives of the same table whose ranges are computed. By default there are none.
    memory_limit : float
        Number of bytes that counting may use.
    progress : callable, optional
        Function that is called with the amount of work done and the total amount of work.

    Returns
    -------
    SameValue

    Raises
    ------
    NotSupportedError
        If ratings are missing, the weights are not exact, or counting would need more memory than the limit.
    UndefinedKappaError
        If a coefficient is 0/0.
    """
    ranges: list[OtherRange] = []
    n_tables: list[int] = []
    for objectives in [[objective, other] for other in others] or [[objective]]:
        space = TableScores(objectives, memory_limit)
        found = space.tally(n_tables=True, probabilities=False, at=objective.score, progress=progress)
        n_tables = found.n_tables
        for other in objectives[1:]:
            scores = [second for _, second in space.scores(found.rows)]
            best_to_worst = order(scores)
            best, worst = best_to_worst[0], best_to_worst[-1]
            ranges.append(
                OtherRange(
                    weights=other.weights.name,
                    value=other.value(other.score),
                    minimum=other.value(scores[worst]),
                    maximum=other.value(scores[best]),
                    n_at_minimum=n_tables[worst],
                    n_at_maximum=n_tables[best],
                )
            )
    value, data = objective.value(objective.score), objective.table.data
    return SameValue(objective.weights.name, value, sum(n_tables), tuple(ranges), _data=data)


@dataclass(frozen=True, repr=False)
class JointDistribution(TableResult):
    """Joint distribution of kappa under two weightings over all tables with the observed margins.

    Attributes
    ----------
    weights : (str, str)
        Names of the two weightings.
    value : (float, float)
        Kappa of the observed table under each weighting.
    values : floats, shape (n, 2)
        All pairs of values that some table has, in increasing order of the first value and then of the second.
    n_tables : tuple of n ints
        Exact number of tables with each pair of values.
    probabilities : floats, shape (n,)
        Probability of each pair of values under the null distribution.
    """

    weights: tuple[str, str]
    value: tuple[float, float]
    values: Floats = field(repr=False)
    n_tables: tuple[int, ...] = field(repr=False)
    probabilities: Floats = field(repr=False)

    def _columns(self) -> dict[str, Iterable[Any]]:
        first, second = self.values.T.tolist()
        counted = {"n_tables": self.n_tables, "probability": self.probabilities.tolist()}
        return {"first_value": first, "second_value": second} | counted

    def ranges(self) -> list[tuple[float, int, float, float]]:
        """Return the range of the second coefficient at every value of the first.

        Returns
        -------
        list of (float, int, float, float)
            For each value of the first coefficient, in increasing order, a tuple of the value, the number of tables
            with it, and the smallest and largest value of the second coefficient over these tables.

        Examples
        --------
        >>> import kappamax as km
        >>> joint = km.fiber(km.example("rapallo2022")).joint_distribution("linear", "quadratic")
        >>> value, n_tables, smallest, largest = joint.ranges()[-1]
        >>> round(value, 4), n_tables, round(smallest, 4), round(largest, 4)
        (0.7511, 5, 0.7665, 0.8703)
        """
        starts = np.flatnonzero(np.diff(self.values[:, 0], prepend=np.nan) != 0).tolist()
        ends = [*starts[1:], len(self.values)]
        return [
            (
                float(self.values[start, 0]),
                sum(self.n_tables[start:end]),
                float(self.values[start, 1]),
                float(self.values[end - 1, 1]),
            )
            for start, end in zip(starts, ends, strict=True)
        ]


@dataclass(frozen=True, repr=False)
class OtherRange(Result):
    """Range of a coefficient over the tables that share the observed value of another coefficient.

    Attributes
    ----------
    weights : str
        Name of the weights of this coefficient.
    value : float
        Value of this coefficient in the observed table.
    minimum, maximum : float
        Smallest and largest value of this coefficient over the tables.
    n_at_minimum, n_at_maximum : int
        Number of tables that attain the minimum and the maximum.
    """

    weights: str
    value: float
    minimum: float
    maximum: float
    n_at_minimum: int
    n_at_maximum: int


@dataclass(frozen=True, repr=False)
class SameValue(Result):
    """The tables that share the observed value of a coefficient.

    Attributes
    ----------
    weights : str
        Name of the weights of the coefficient.
    value : float
        Observed value of the coefficient.
    n_tables : int
        Number of tables with this value.
    other : tuple of OtherRange
        Range of the coefficient under each of the other weightings over these tables.
    """

    weights: str
    value: float
    n_tables: int
    other: tuple[OtherRange, ...] = ()

    def _rows(self) -> list[tuple[str, str]]:
        rows = [("tables with this value", numbers.count(self.n_tables))]
        for one in self.other:
            ends = numbers.interval((one.minimum, one.maximum))
            at = f"(in {numbers.count(one.n_at_minimum)} and {numbers.count(one.n_at_maximum)} tables)"
            rows.append((f"range of {one.weights} kappa", f"{ends} {at}"))
        return [("weights", self.weights), ("value", numbers.decimal(self.value)), *rows]


def _ranks(scores: Sequence[RootSum]) -> list[int]:
    """Return the rank of each score among the distinct scores."""
    distinct = list(dict.fromkeys(scores))
    rank = {distinct[i]: place for place, i in enumerate(order(distinct))}
    return [rank[score] for score in scores]
