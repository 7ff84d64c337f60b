"""Define the result of a solver: its table, a bound on the cost of all tables, and the prices that prove the bound."""

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
    """Exact dual prices, one for every rater and category.

    If no pattern costs less than the sum of the prices of its ratings, then no table costs less than the total of the
    prices over all ratings. This total is the bound that the prices prove.

    Attributes
    ----------
    numerators : array of whole numbers, shape (r, k, number of roots)
        Coefficients of the roots, times the denominator.
    denominator : int
        Common denominator, default 1.
    """

    numerators: Array
    denominator: int = 1

    def real(self, roots: Array) -> Floats:
        """Return the prices in doubles, shape (r, k)."""
        return np.asarray(self.numerators.astype(float) @ roots / float(self.denominator))

    def of(self, patterns: Codes) -> Array:
        """Return the numerators of the sum of prices of each pattern, shape (m, number of roots)."""
        wide = widen(self.numerators, len(self.numerators) * magnitude(self.numerators))
        return np.asarray(sum(own[codes] for own, codes in zip(wide, patterns.T, strict=True)))

    def total(self, margins: Integers, radicands: tuple[int, ...]) -> RootSum:
        """Return the total of the prices over all ratings of the margins."""
        worth = {f: dot(self.numerators[:, :, i].ravel(), margins.ravel()) for i, f in enumerate(radicands)}
        return RootSum(worth) / self.denominator


def zero_prices(problem: Problem) -> Prices:
    """Return prices of zero for every rater and category."""
    return Prices(np.zeros((*problem.margins.shape, len(problem.roots)), dtype=np.int64))


@dataclass(frozen=True)
class Cut:
    """Prices of ratings and of the pooled use of categories, which prove a bound that depends on that use.

    No pattern costs less than the prices of its ratings plus the price of its contribution to the pooled use.
    Therefore a table costs at least the total of the prices plus the price of its pooled use.

    Attributes
    ----------
    prices : Prices
        Prices of the ratings.
    use : array of whole numbers, shape (k, number of roots)
        Numerators of the price per unit of use, over the denominator of the prices.
    """

    prices: Prices
    use: Array

    def bound(self, margins: Integers, use: Array, radicands: tuple[int, ...]) -> RootSum:
        """Return the lower bound of the cost of all tables with this use of categories."""
        worth = {f: dot(self.use[:, i], use) for i, f in enumerate(radicands)}
        return self.prices.total(margins, radicands) + RootSum(worth) / self.prices.denominator

    def real_bounds(self, margins: Integers, uses: Array, roots: Array) -> Floats:
        """Return the bound in doubles for many uses, shape (n,)."""
        own = self.use.astype(float) @ roots / float(self.prices.denominator)
        return np.asarray(float((self.prices.real(roots) * margins).sum()) + uses @ own)


@dataclass(frozen=True)
class Solution:
    """Result of a solver.

    Attributes
    ----------
    problem : Problem
        Problem that was solved.
    patterns, counts : arrays
        Best table found, in the coding of the problem.
    cost : RootSum
        Exact cost of the table.
    bound : RootSum
        Lower bound of the cost of all tables, equal to `cost` if the table is proven to be optimal.
    method : str
        Name of the method that found the table.
    prices : Prices or None
        Prices that prove the bound.
    proof : {"prices", "remainders", "search", None}
        Whether the optimum is proven by the prices alone, by the remainders of the use of categories, by a search of
        the gap that the prices leave, or not at all.
    cuts : tuple of Cut
        Cuts that prove the bound instead of prices if the expected disagreement depends on the table, default none.
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
        """Whether the table is proven to have the least cost."""
        return self.proof is not None

    @property
    def table(self) -> Table:
        """Table found, with the labels of the observed table."""
        return self.problem.table(self.patterns, self.counts)

    @cached_property
    def objective(self) -> Objective:
        """Objective of the table found; it differs from that of the problem if the expected disagreement varies."""
        own = self.problem.objective
        return own if own.fixed_chance else own.for_table(self.table)
