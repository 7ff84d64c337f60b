"""An objective and a direction in; exact costs of patterns out: what every solver minimises.

The largest coefficient is the least total cost of a table with the given margins, cost being disagreement; for the
smallest coefficient the sign is turned. Costs are whole numbers, or vectors of them over square roots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._integers import dot, magnitude, widen
from kappamax._rootsum import RootSum
from kappamax.disagreement.objective import Objective

__all__ = ["Cut", "OutOfTime", "Part", "Prices", "Problem", "Solution", "Watch"]

Array = npt.NDArray[Any]
Patterns = npt.NDArray[np.int32]

_CHUNK = 1 << 18
_FEW_ENTRIES = 1_000_000


class Problem:
    """Least total cost over all tables with the objective's margins.

    Parameters
    ----------
    objective : Objective
        Of a table without missing ratings.
    sign : 1 or -1
        1 to minimise disagreement, -1 to maximise it.
    """

    def __init__(self, objective: Objective, sign: int) -> None:
        self.objective = objective
        self.sign = sign
        self.margins = objective.table.margins
        self.n_raters, self.n_categories = self.margins.shape
        self.n_subjects = objective.table.n_subjects
        self.roots = np.sqrt(np.array(objective.radicands, dtype=float))
        #: what one disagreeing pair (or group) of raters can count in the score
        self.factors = [objective.factors.get(self.n_raters, 0)]

    @property
    def n_cells(self) -> int:
        """Number of possible patterns."""
        return int(self.n_categories**self.n_raters)

    def costs(self, patterns: Patterns) -> Array:
        """The exact cost of each pattern, shape (m, number of roots)."""
        if self.objective.coefficient.group_size > 2 or self.n_entries > _FEW_ENTRIES:
            return np.asarray(self.sign * self.objective.scores(patterns))
        return np.asarray(sum(entries[patterns[:, a], patterns[:, b]] for a, b, entries in self.entries))

    def real(self, patterns: Patterns) -> npt.NDArray[np.float64]:
        """The cost of each pattern in doubles."""
        if len(self.roots) == 1:
            return np.asarray(self.costs(patterns)[:, 0].astype(float) * self.roots[0])
        total = np.zeros(len(patterns))
        for a, b, matrix in self.pairs():
            total += matrix[patterns[:, a], patterns[:, b]]
        return total

    def pairs(self) -> Iterator[tuple[int, int, npt.NDArray[np.float64]]]:
        """Every pair of raters and the cost of their ratings, in the units of `real`."""
        scale = self.sign * self.factors[0] * float(self.objective.denominator)
        for a, b, weights in self.objective.pairs():
            yield a, b, weights.matrix * scale

    @cached_property
    def entries(self) -> list[tuple[int, int, Array]]:
        """Every pair of raters and the exact cost of their ratings, shape (k, k, number of roots)."""
        scale = self.sign * self.factors[0]
        return [(a, b, scale * entries) for a, b, entries in self.objective.entries()]

    @property
    def n_entries(self) -> int:
        """How many numbers `entries` holds for each pair."""
        return int(self.n_categories**2 * len(self.roots))

    def parts(self) -> Iterator[Part]:
        """What a search over patterns has to try: here all raters at once."""
        costs = np.zeros((self.n_raters, self.n_raters, self.n_categories, self.n_categories))
        for a, b, matrix in self.pairs():
            costs[a, b] = matrix
        yield Part(np.arange(self.n_raters), costs, np.zeros(self.n_raters, dtype=np.int32))

    def decoded(self, patterns: Patterns) -> Patterns:
        """Patterns as tables hold them."""
        return patterns

    def prices_by_set(self, numerators: Array) -> tuple[Array, dict[tuple[int, ...], Array]]:
        """Prices of every rater's categories, shape (r, k, number of roots), and one for every set of raters."""
        return numerators, {tuple(range(self.n_raters)): np.zeros(len(self.roots), dtype=np.int64)}

    def observed(self) -> tuple[Patterns, npt.NDArray[np.int64]]:
        """The observed table as solvers see tables."""
        return self.objective.table.patterns, self.objective.table.counts

    def total(self, patterns: Patterns, counts: npt.NDArray[np.int64]) -> RootSum:
        """The exact cost of a table."""
        return self.objective.total(self.costs(patterns), counts)

    def all_patterns(self) -> Iterator[Patterns]:
        """Every possible pattern, some hundred thousand at a time."""
        shape = (self.n_categories,) * self.n_raters
        for start in range(0, self.n_cells, _CHUNK):
            cells = np.arange(start, min(start + _CHUNK, self.n_cells))
            yield np.stack(np.unravel_index(cells, shape), axis=1).astype(np.int32)


class Part(NamedTuple):
    """Some raters, the cost of each pair of their ratings (a before b), and the codes of all columns without them."""

    raters: npt.NDArray[np.intp]
    pair_costs: npt.NDArray[np.float64]
    base: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Prices:
    """One exact price per rater and category: numerators over one denominator, a vector over the roots each.

    Prices prove a bound: a table that pays for each of its ratings costs at least the prices' total, as long as no
    pattern costs less than its ratings' prices.
    """

    numerators: Array
    denominator: int = 1

    def real(self, roots: Array) -> npt.NDArray[np.float64]:
        """The prices in doubles, shape (r, k)."""
        return np.asarray(self.numerators.astype(float) @ roots / float(self.denominator))

    def of(self, patterns: Patterns) -> Array:
        """Numerators of what each pattern's ratings are worth together, shape (m, number of roots)."""
        raters = range(self.numerators.shape[0])
        bound = len(raters) * magnitude(self.numerators)
        wide = widen(self.numerators, bound)
        return np.asarray(sum(wide[a][patterns[:, a]] for a in raters))

    def total(self, margins: npt.NDArray[np.int64], radicands: tuple[int, ...]) -> RootSum:
        """What all ratings of the margins are worth."""
        worth = {f: dot(self.numerators[:, :, i].ravel(), margins.ravel()) for i, f in enumerate(radicands)}
        return RootSum(worth) / self.denominator


@dataclass(frozen=True)
class Cut:
    """Prices of ratings and prices of the pooled use of categories: a bound that depends on that use.

    No pattern costs less than the prices of its ratings and of what it adds to the use. So a table costs at least the
    prices' total plus the price of its use.

    Attributes
    ----------
    prices : Prices
    use : whole numbers, shape (k, number of roots)
        Numerators, over the denominator of the prices, per unit of use.
    """

    prices: Prices
    use: Array

    def bound(self, margins: npt.NDArray[np.int64], use: Array, radicands: tuple[int, ...]) -> RootSum:
        """A cost that no table with this use of categories is below."""
        worth = {f: dot(self.use[:, i], use) for i, f in enumerate(radicands)}
        return self.prices.total(margins, radicands) + RootSum(worth) / self.prices.denominator

    def real_bounds(self, margins: npt.NDArray[np.int64], uses: Array, roots: Array) -> npt.NDArray[np.float64]:
        """The same in doubles for many uses, shape (n,)."""
        own = self.use.astype(float) @ roots / float(self.prices.denominator)
        return np.asarray(float((self.prices.real(roots) * margins).sum()) + uses @ own)


class OutOfTime(Exception):  # noqa: N818  # an answer, not an error
    """A search that the time limit ended."""


class Watch:
    """How long a solver may go on, and whom it tells how far it is."""

    def __init__(self, time_limit: float | None = None, progress: Callable[[str], None] | None = None) -> None:
        self.deadline = None if time_limit is None else monotonic() + time_limit
        self.progress = progress

    @property
    def left(self) -> float | None:
        """Seconds left, at least a moment, None without a limit."""
        return None if self.deadline is None else max(0.05, self.deadline - monotonic())

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.deadline is not None and monotonic() > self.deadline

    def tell(self, message: str) -> None:
        """One line about how far the work is."""
        if self.progress is not None:
            self.progress(message)


@dataclass(frozen=True)
class Solution:
    """What a solver found: a table, its cost, the bound and what proves it.

    Attributes
    ----------
    patterns, counts : arrays
        A table with the margins.
    cost : RootSum
        Its exact cost.
    bound : RootSum
        No table costs less; equal to `cost` where that is proven.
    method : str
        How it was found, in words.
    prices : Prices or None
        The prices behind the bound.
    cuts : tuple of Cut
        In place of prices, where what chance gives depends on the table.
    proof : "prices", "search" or None
        How the optimum is proven: by the prices alone, or by searching the gap they leave.
    """

    patterns: Patterns
    counts: npt.NDArray[np.int64]
    cost: RootSum
    bound: RootSum
    method: str
    prices: Prices | None = field(default=None, repr=False)
    proof: str | None = None
    cuts: tuple[Cut, ...] = field(default=(), repr=False)

    @cached_property
    def proven(self) -> bool:
        """Whether no table costs less."""
        return self.proof is not None
