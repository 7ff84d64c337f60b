"""Describe the scores that one table's ratings reach by chance, whether or not some ratings are missing.

`TableScores` finds them for complete ratings, by counting tables, and `RearrangementScores` for incomplete ones, by
counting rearrangements of the ratings. Both write the components of a score as digits of one total by mixed radix, so
that counting takes a single number per pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from kappamax._rootsum import widen
from kappamax.errors import NotSupportedError
from kappamax.fibers.counting import Progress
from kappamax.weights import PairWeights, Weights

__all__ = ["ScoreSpace", "Tally", "packed", "require_exact_weights"]

Array = npt.NDArray[Any]


class Tally(NamedTuple):
    """Outcomes that are reached by chance.

    Attributes
    ----------
    rows : whole numbers, shape (n, number of components)
        Components of the score and, where chance varies, the pooled use of every category.
    probabilities : floats, shape (n,)
        Empty if they were not asked for.
    n_tables : list of n ints
        How many tables have each outcome; empty if they were not counted.
    """

    rows: Array
    probabilities: npt.NDArray[np.float64]
    n_tables: list[int]


class ScoreSpace(Protocol):
    """The scores that the ratings of one table reach by chance."""

    def work(self, most: float = ...) -> int:
        """Return how many additions the probabilities take.

        Finding out takes time as well: as soon as they are known to be more than `most`, a lower bound is returned.
        """

    def tally(self, *, progress: Progress | None = None) -> Tally:
        """Return every outcome that is reached, with its probability by chance."""


def packed(costs: Sequence[Array], sizes: Sequence[int]) -> Array:
    """Return several costs of each pattern as one number, in whose totals the i-th digit is below sizes[i]."""
    total = widen(np.zeros(len(costs[0]), dtype=np.int64), prod(sizes))
    for own, size in zip(costs, sizes, strict=True):
        total = total * size + own
    return total


def require_exact_weights(weights: Weights | PairWeights) -> None:
    """Require exact weights: scores are counted only where they are exact."""
    if not weights.exact:
        raise NotSupportedError(
            f"{weights.name} weights are not exact numbers, so tables cannot be counted by score. "
            "Sampling and the Monte Carlo test work."
        )
