"""Find how two coefficients go together over all tables with the observed margins, without listing them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kappamax._result import Result, TableResult
from kappamax._rootsum import RootSum, order
from kappamax._typing import Floats
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.fibers.counting import Progress
from kappamax.fibers.table_scores import TableScores


def joint_distribution(
    first: Objective, second: Objective, *, memory_limit: float, progress: Progress | None = None
) -> JointDistribution:
    """Return the distribution of two coefficients together over all tables with the observed margins."""
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
    )


def same_value(
    objective: Objective, others: Sequence[Objective] = (), *, memory_limit: float, progress: Progress | None = None
) -> SameValue:
    """Return how many tables share the observed score, and how far other coefficients vary over them."""
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
    return SameValue(objective.weights.name, objective.value(objective.score), sum(n_tables), tuple(ranges))


@dataclass(frozen=True, repr=False)
class JointDistribution(TableResult):
    """Two coefficients over all tables with the observed margins, in increasing order of the first, then the second.

    Attributes
    ----------
    weights : (str, str)
    value : (float, float)
    values : floats, shape (n, 2)
        Every pair of values that some table has.
    n_tables : tuple of n ints
    probabilities : floats, shape (n,)
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
        """For every value of the first coefficient: its tables, and the least and largest second coefficient."""
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
    """How far a coefficient varies, and in how many tables it is least and largest."""

    weights: str
    value: float
    minimum: float
    maximum: float
    n_at_minimum: int
    n_at_maximum: int


@dataclass(frozen=True, repr=False)
class SameValue(Result):
    """How many tables share the observed value of a coefficient, and other weightings over them."""

    weights: str
    value: float
    n_tables: int
    other: tuple[OtherRange, ...] = ()

    def _rows(self) -> list[tuple[str, str]]:
        rows = [("tables with this value", numbers.count(self.n_tables))]
        for one in self.other:
            ends = numbers.interval((one.minimum, one.maximum))
            at = f"(in {numbers.count(one.n_at_minimum)} and {numbers.count(one.n_at_maximum)} tables)"
            rows.append((f"{one.weights} over them", f"{ends} {at}"))
        return [("weights", self.weights), ("value", numbers.decimal(self.value)), *rows]


def _ranks(scores: Sequence[RootSum]) -> list[int]:
    """The rank of each score among the different ones."""
    distinct = list(dict.fromkeys(scores))
    rank = {distinct[i]: place for place, i in enumerate(order(distinct))}
    return [rank[score] for score in scores]
