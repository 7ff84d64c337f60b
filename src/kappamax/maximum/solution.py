"""Hold what a solver found: a table, the bound below which no table can be, and the prices that prove it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kappamax._integers import dot, magnitude, widen
from kappamax._rootsum import RootSum
from kappamax._typing import Array, Codes, Floats, Integers
from kappamax.disagreement.objective import Objective
from kappamax.maximum.problem import Problem
from kappamax.table import Table


@dataclass(frozen=True)
class Prices:
    """One exact price per rater and category: numerators over one denominator, a vector over the roots each.

    Prices prove a bound: a table that pays for each of its ratings costs at least the prices' total, as long as no
    pattern costs less than its ratings' prices.
    """

    numerators: Array
    denominator: int = 1

    def real(self, roots: Array) -> Floats:
        """Return the prices in doubles, shape (r, k)."""
        return np.asarray(self.numerators.astype(float) @ roots / float(self.denominator))

    def of(self, patterns: Codes) -> Array:
        """Return the numerators of what each pattern's ratings are worth together, shape (m, number of roots)."""
        wide = widen(self.numerators, len(self.numerators) * magnitude(self.numerators))
        return np.asarray(sum(own[codes] for own, codes in zip(wide, patterns.T, strict=True)))

    def total(self, margins: Integers, radicands: tuple[int, ...]) -> RootSum:
        """Return what all ratings of the margins are worth."""
        worth = {f: dot(self.numerators[:, :, i].ravel(), margins.ravel()) for i, f in enumerate(radicands)}
        return RootSum(worth) / self.denominator


def zero_prices(problem: Problem) -> Prices:
    """Return prices of zero for every rater and category."""
    return Prices(np.zeros((*problem.margins.shape, len(problem.roots)), dtype=np.int64))


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

    def bound(self, margins: Integers, use: Array, radicands: tuple[int, ...]) -> RootSum:
        """Return a cost that no table with this use of categories is below."""
        worth = {f: dot(self.use[:, i], use) for i, f in enumerate(radicands)}
        return self.prices.total(margins, radicands) + RootSum(worth) / self.prices.denominator

    def real_bounds(self, margins: Integers, uses: Array, roots: Array) -> Floats:
        """Return the bound in doubles for many uses, shape (n,)."""
        own = self.use.astype(float) @ roots / float(self.prices.denominator)
        return np.asarray(float((self.prices.real(roots) * margins).sum()) + uses @ own)


@dataclass(frozen=True)
class Solution:
    """What a solver found: a table, its cost, the bound and what proves it.

    Attributes
    ----------
    problem : Problem
        What was solved.
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
    proof : "prices", "search" or None
        How the optimum is proven: by the prices alone, or by searching the gap they leave.
    cuts : tuple of Cut
        In place of prices, where what chance gives depends on the table.
    """

    problem: Problem = field(repr=False)
    patterns: Codes
    counts: Integers
    cost: RootSum
    bound: RootSum
    method: str
    prices: Prices | None = field(default=None, repr=False)
    proof: str | None = None
    cuts: tuple[Cut, ...] = field(default=(), repr=False)

    @property
    def proven(self) -> bool:
        """Whether no table costs less."""
        return self.proof is not None

    @property
    def table(self) -> Table:
        """The table with the labels of the observed one."""
        return self.problem.table(self.patterns, self.counts)

    @cached_property
    def objective(self) -> Objective:
        """The objective of the table: the problem's own, unless chance gives something else there."""
        own = self.problem.objective
        return own if own.fixed_chance else Objective(self.table, own.weights, own.coefficient)
