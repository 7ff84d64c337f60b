"""Objectives in; for every attainable value the number of tables and the probability by chance out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._result import Result, plain
from kappamax._rootsum import RootSum, order
from kappamax._validate import as_choice
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import InvalidOptionError
from kappamax.fibers.counting import Progress
from kappamax.fibers.score_lattice import ScoreSpace
from kappamax.patterns import n_ratings_of

__all__ = [
    "ALTERNATIVES",
    "TWO_SIDED",
    "Distribution",
    "JointDistribution",
    "OtherRange",
    "SameValue",
    "as_extreme",
    "distribution_of",
    "joint_distribution_of",
    "mean_score",
    "no_more_probable",
    "same_value_of",
    "two_sided_by_probability",
]

Array = npt.NDArray[Any]

ALTERNATIVES = ("greater", "less", "two-sided")
TWO_SIDED = ("distance", "probability")
_TIED = 1 + 1e-7


def distribution_of(objective: Objective, *, memory_limit: float, progress: Progress | None = None) -> Distribution:
    """The distribution of a coefficient over all tables with the observed margins."""
    space = ScoreSpace([objective], memory_limit)
    rows, n_tables, chances = space.tally(progress=progress)
    scores = [one for (one,) in space.scores(rows)]
    by_value = order(scores)[::-1]  # the coefficient falls as disagreement rises
    return Distribution(
        coefficient=objective.coefficient.name,
        weights=objective.weights.name,
        observed=objective.value(objective.score),
        values=np.array([objective.value(scores[i]) for i in by_value]),
        n_tables=tuple(n_tables[i] for i in by_value),
        probabilities=chances[by_value],
        scores=tuple(scores[i] for i in by_value),
        observed_score=objective.score,
        mean_score=mean_score(objective),
    )


def joint_distribution_of(
    first: Objective, second: Objective, *, memory_limit: float, progress: Progress | None = None
) -> JointDistribution:
    """The distribution of two coefficients together over all tables with the observed margins."""
    space = ScoreSpace([first, second], memory_limit)
    rows, n_tables, chances = space.tally(progress=progress)
    pairs = space.scores(rows)
    ranks = [_ranks([pair[which] for pair in pairs]) for which in (0, 1)]
    by_value = sorted(range(len(pairs)), key=lambda i: (-ranks[0][i], -ranks[1][i]))
    values = [[first.value(pairs[i][0]), second.value(pairs[i][1])] for i in by_value]
    return JointDistribution(
        weights=(first.weights.name, second.weights.name),
        observed=(first.value(first.score), second.value(second.score)),
        values=np.array(values),
        n_tables=tuple(n_tables[i] for i in by_value),
        probabilities=chances[by_value],
    )


def same_value_of(
    objective: Objective, others: Sequence[Objective], *, memory_limit: float, progress: Progress | None = None
) -> SameValue:
    """How many tables share the observed score, and how far other coefficients vary over them."""
    found: list[OtherRange] = []
    n_same = 0
    for other in others:
        space = ScoreSpace([objective, other], memory_limit)
        rows, n_tables, _ = space.tally(chances=False, at=objective.score, progress=progress)
        scores = [second for _, second in space.scores(rows)]
        worst_to_best = order(scores)[::-1]
        low, high = worst_to_best[0], worst_to_best[-1]
        n_same = sum(n_tables)
        found.append(
            OtherRange(
                weights=other.weights.name,
                observed=other.value(other.score),
                minimum=other.value(scores[low]),
                maximum=other.value(scores[high]),
                n_at_minimum=n_tables[low],
                n_at_maximum=n_tables[high],
            )
        )
    if not others:
        space = ScoreSpace([objective], memory_limit)
        n_same = sum(space.tally(chances=False, at=objective.score, progress=progress).n_tables)
    return SameValue(objective.weights.name, objective.value(objective.score), n_same, tuple(found))


def mean_score(objective: Objective) -> RootSum:
    """The mean score by chance: each rater's ratings in any order over the subjects that rater rated.

    A pair of raters then disagrees by p_a' U p_b on average, on every subject that both rated.
    """
    table = objective.table
    factors = np.array([objective.factors.get(size, 0) for size in range(table.n_raters + 1)], dtype=object)
    each = table.counts.astype(object) * factors[n_ratings_of(table.patterns)]
    rated = table.patterns >= 0
    mean = RootSum()
    for a, b, entries in objective.entries():
        together = int(each[rated[:, a] & rated[:, b]].sum())
        left, right = table.margins[a].astype(object), table.margins[b].astype(object)
        pairs = int(left.sum() * right.sum())
        for i, f in enumerate(objective.radicands):
            mean += RootSum({f: Fraction(together * int(left @ entries[:, :, i].astype(object) @ right), pairs)})
    return mean


def as_extreme(scores: Sequence[RootSum], observed: RootSum, mean: RootSum, alternative: str) -> list[bool]:
    """Whether each score speaks at least as strongly against chance as the observed one.

    "greater" asks for at least as much agreement, "less" for at most as much, "two-sided" for a score at least as far
    from its mean by chance, on either side. See `no_more_probable` for the other two-sided definition.
    """
    alternative = as_choice("alternative", alternative, ALTERNATIVES)
    if alternative == "greater":
        return [score <= observed for score in scores]
    if alternative == "less":
        return [score >= observed for score in scores]
    far = _size(observed - mean)
    return [_size(score - mean) >= far for score in scores]


def two_sided_by_probability(alternative: str, two_sided: str) -> bool:
    """Whether the two-sided p-value by probability is asked for; an error where the test is not two-sided."""
    by_probability = as_choice("two_sided", two_sided, TWO_SIDED) == "probability"
    if by_probability and as_choice("alternative", alternative, ALTERNATIVES) != "two-sided":
        raise InvalidOptionError(f"two_sided='probability' needs alternative='two-sided'; got {alternative!r}.")
    return by_probability


def no_more_probable(probabilities: Array, observed: float) -> npt.NDArray[np.bool_]:
    """Whether each probability is at most the observed value's, with the relative tolerance of R's fisher.test."""
    return np.asarray(probabilities <= observed * _TIED)


@dataclass(frozen=True, repr=False)
class Distribution(Result):
    """A coefficient over all tables with the observed margins: its values in increasing order.

    Attributes
    ----------
    observed : float
        The coefficient of the observed table.
    values : floats, shape (n,)
        Every value that some table has.
    n_tables : tuple of n ints
        How many tables have it, exactly.
    probabilities : floats, shape (n,)
        How likely it is where each rater's ratings fall on subjects by chance (the hypergeometric distribution).
    scores : tuple of n exact numbers
        The total disagreement behind each value.
    """

    coefficient: str
    weights: str
    observed: float
    values: npt.NDArray[np.float64]
    n_tables: tuple[int, ...]
    probabilities: npt.NDArray[np.float64]
    scores: tuple[RootSum, ...] = field(repr=False)
    observed_score: RootSum = field(repr=False)
    mean_score: RootSum = field(repr=False)

    @property
    def n_same_value(self) -> int:
        """How many tables have the observed value."""
        return self.n_tables[self.scores.index(self.observed_score)]

    def pvalue(self, alternative: str = "greater", *, two_sided: str = "distance") -> float:
        """The probability by chance of a value at least as extreme as the observed one.

        Parameters
        ----------
        alternative : "greater", "less" or "two-sided"
            At least as much agreement as observed, at most as much, or a value extreme in either direction.
        two_sided : "distance" or "probability"
            The definition of the two-sided p-value, as for `exact_test`.
        """
        if two_sided_by_probability(alternative, two_sided):
            observed = self.probabilities[self.scores.index(self.observed_score)]
            extreme: Array | list[bool] = no_more_probable(self.probabilities, observed)
        else:
            extreme = as_extreme(self.scores, self.observed_score, self.mean_score, alternative)
        return min(1.0, float(self.probabilities[extreme].sum()))

    def to_dict(self) -> dict[str, Any]:
        """Plain data: one entry of `distribution` per value."""
        rows = zip(self.values.tolist(), self.n_tables, self.probabilities.tolist(), strict=True)
        return {
            "weights": self.weights,
            "coefficient": self.coefficient,
            "value": self.observed,
            "n_tables": plain(sum(self.n_tables)),
            "n_same_value": plain(self.n_same_value),
            "distribution": [{"value": v, "n_tables": plain(n), "probability": p} for v, n, p in rows],
        }

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("weights", self.weights),
            ("observed value", numbers.decimal(self.observed)),
            ("tables", numbers.count(sum(self.n_tables))),
            ("with the observed value", numbers.count(self.n_same_value)),
            ("different values", numbers.count(len(self.values))),
            ("range", numbers.interval((float(self.values[0]), float(self.values[-1])))),
            ("chance of as much agreement", numbers.pvalue(self.pvalue())),
        ]


@dataclass(frozen=True, repr=False)
class JointDistribution(Result):
    """Two coefficients over all tables with the observed margins, in increasing order of the first, then the second.

    Attributes
    ----------
    weights : (str, str)
    observed : (float, float)
    values : floats, shape (n, 2)
        Every pair of values that some table has.
    n_tables : tuple of n ints
    probabilities : floats, shape (n,)
    """

    weights: tuple[str, str]
    observed: tuple[float, float]
    values: npt.NDArray[np.float64] = field(repr=False)
    n_tables: tuple[int, ...] = field(repr=False)
    probabilities: npt.NDArray[np.float64] = field(repr=False)

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
    observed: float
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


def _size(number: RootSum) -> RootSum:
    return number if number.sign() >= 0 else number * -1
