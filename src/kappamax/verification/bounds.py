"""Compute the bound that prices prove for all tables with the same margins and the same sets of raters.

Each rating has a price, and each subject has the price of its set of raters. If no pattern costs less than the sum of
its prices, no table costs less than the total of all prices. If some pattern costs less by at most d, the bound falls
by d for every subject with that set of raters. Any prices prove some bound, so no assumption about their origin is
needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import lcm
from typing import Any

import numpy as np

from kappamax._rootsum import RootSum
from kappamax._typing import Array
from kappamax.fibers import enumeration
from kappamax.verification import search
from kappamax.verification.budget import Budget, Unknown
from kappamax.verification.definitions import Design, Pattern, Raters, Rows, margins_of, raters_of, subjects_of
from kappamax.verification.uses import Use, attainable_uses

LISTED_PATTERNS = 5_000  # possible patterns up to which all of them are listed
MOST_SEARCHED = 100_000  # largest number of patterns found by a search that are compared exactly
MOST_ENTRIES = 20_000_000  # largest number of costs of two ratings in a search


@dataclass(frozen=True)
class ClaimedPrices:
    """Prices as a certificate states them.

    A numerator is a tuple of coefficients of the roots of the design's radicands.

    Attributes
    ----------
    ratings : list of lists
        One list per rater, with one numerator per category.
    sets : mapping
        One numerator for every set of raters.
    denominator : int
        Positive denominator of all numerators.
    use : list
        One numerator per category, which is the price of 1 / `use_unit` of its pooled use (see `Bounds`).
    """

    ratings: list[list[tuple[int, ...]]]
    sets: Mapping[Raters, tuple[int, ...]]
    denominator: int
    use: list[tuple[int, ...]]


class Bounds:
    """Lower bounds of the cost over all tables with the margins and sets of raters of one table.

    Parameters
    ----------
    design : Design
        Raters, categories, weights and coefficient.
    rows : mapping from pattern to count
        Table with the margins and sets of raters.
    sign : {1, -1}
        1 if the cost is the disagreement, so that the least cost gives the largest coefficient; -1 if it is the
        negative disagreement.
    prices : ClaimedPrices
        Prices to check.
    budget : Budget, optional
        Remaining work, default the limit of one certificate.
    """

    def __init__(
        self, design: Design, rows: Rows, sign: int, prices: ClaimedPrices, budget: Budget | None = None
    ) -> None:
        self.design = design
        self.budget = budget or Budget()
        self.sign = sign
        self.prices = prices
        self.margins = margins_of(rows, *design.shape)
        self.subjects = subjects_of(rows)
        #: whether a bound is lower than what the prices prove because too many patterns would need an exact comparison
        self.rounded = False
        self.step = design.step([len(raters) for raters in self.subjects])
        # costs and prices in whole units of 1 / unit
        shares = {raters: design.share(n) for raters in self.subjects if (n := len(raters)) >= design.group_size}
        below = {matrix.denominator for matrix in design.pairs.values()}
        parts = [denominator * share.denominator for denominator in below for share in shares.values()]
        self.unit = lcm(prices.denominator, *parts)
        self._share = {raters: int(shares.get(raters, 0) * self.unit) for raters in self.subjects}
        #: the pooled use of categories is counted in units of one over this number
        self.use_unit = lcm(*(design.use_weight(len(raters)).denominator for raters in self.subjects))
        self._use_weight = {raters: int(design.use_weight(len(raters)) * self.use_unit) for raters in self.subjects}

    @cached_property
    def _least(self) -> RootSum:
        """Lower bound of the cost without the prices of the use of categories."""
        priced = [
            pair for row in zip(self.prices.ratings, self.margins, strict=True) for pair in zip(*row, strict=True)
        ]
        priced += [(self.prices.sets[raters], count) for raters, count in self.subjects.items()]
        least = self._worth(priced)
        for raters, n_subjects in self.subjects.items():
            least += self._lowest[raters] * n_subjects
        return least

    def _worth(self, priced: Iterable[tuple[Sequence[int], int]]) -> RootSum:
        """Return the sum of prices, given as pairs of a numerator and a count."""
        total = [0] * len(self.design.radicands)
        for price, count in priced:
            total = [t + count * p for t, p in zip(total, price, strict=True)]
        return RootSum(dict(zip(self.design.radicands, total, strict=True))) / self.prices.denominator

    def bound_at(self, use: Use) -> RootSum:
        """Return the lower bound of the cost of all tables with this pooled use of categories."""
        return self.attainable(self._least + self._worth(zip(self.prices.use, use, strict=True)))

    def uses(self) -> list[Use]:
        """Return every pooled use of categories that a table can have."""
        kinds: list[dict[int, int]] = [{} for _ in self.margins]
        for raters, n_subjects in self.subjects.items():
            weight = self._use_weight[raters]
            for a in raters:
                kinds[a][weight] = kinds[a].get(weight, 0) + n_subjects
        found = attainable_uses(self.margins, kinds)
        if found is None:
            raise Unknown
        return found

    def proves(self, cost: RootSum) -> bool:
        """Return whether the prices alone show that no table costs less; the use of categories must have no prices."""
        assert not any(map(any, self.prices.use)), "the bound depends on the use of categories"
        return self.attainable(self._least) >= cost

    def refutes(self, cost: RootSum) -> bool:
        """Return whether some table costs less, as decided by a search between the cost and the bound of the prices.

        Raises
        ------
        Unknown
            If the search reaches its limit.
        """
        if self.proves(cost):
            return False
        gap = cost - self._least
        room = gap  # largest sum of reduced costs of a better table
        if self.step and cost.rational is not None:
            room = self.attainable(cost) - self.step - self._least
        found = []
        for raters, lowest in self._lowest.items():
            within = self._patterns(raters, lowest + gap)
            found += [(pattern, left - lowest) for pattern, left in within if left - lowest <= room]
        shift = enumeration.BITS - 1 - room.exponent()
        lowered = np.array([left.floor(shift) for _, left in found], dtype=np.int64)
        columns, needed = self._resources([pattern for pattern, _ in found])
        tables = enumeration.tables_below(columns, needed, lowered, room.ceiling(shift) + 1)
        for counts in tables.counts:
            if sum((left * int(n) for (_, left), n in zip(found, counts, strict=True) if n), RootSum()) < gap:
                return True
        if not tables.finished:
            raise Unknown
        return False

    def attainable(self, cost: RootSum) -> RootSum:
        """Return the least multiple of the step that is not below a cost, or the cost itself if there is no step."""
        if not self.step or cost.rational is None:
            return cost
        return RootSum(-(-cost.rational // self.step) * self.step)

    def all_tables(self) -> Iterator[Rows]:
        """Yield every table with the margins and sets of raters.

        Raises
        ------
        Unknown
            If there are too many tables or patterns to list.
        """
        if sum(self.design.n_categories ** len(raters) for raters in self.subjects) > LISTED_PATTERNS:
            raise Unknown
        patterns = [pattern for raters in self.subjects for pattern in self._all_patterns(raters)]
        columns, needed = self._resources(patterns)
        free = np.zeros(len(columns), dtype=np.int64)
        found = enumeration.tables_below(columns, needed, free, 1, enumeration.LISTED_TABLES)
        if not found.finished:
            raise Unknown
        for counts in found.counts:
            yield {pattern: int(n) for pattern, n in zip(patterns, counts, strict=True) if n}

    @cached_property
    def _lowest(self) -> dict[Raters, RootSum]:
        """For each set of raters, a number <= 0 that is a lower bound of the reduced costs of its patterns."""
        lowest = {}
        for raters in self.subjects:
            try:
                lowest[raters] = min((left for _, left in self._patterns(raters, RootSum())), default=RootSum())
            except _TooMany as many:
                self.rounded = True
                lowest[raters] = min(RootSum(), many.least)
        return lowest

    def _all_patterns(self, raters: Raters) -> Iterator[Pattern]:
        """Yield every pattern of a set of raters."""
        codes = range(self.design.n_categories)
        return product(*(codes if a in raters else [-1] for a in range(self.design.n_raters)))

    def _patterns(self, raters: Raters, limit: RootSum) -> list[tuple[Pattern, RootSum]]:
        """Return every pattern of a set of raters whose reduced cost is below a limit, with its reduced cost."""
        n, k = len(raters), self.design.n_categories
        if k**n <= max(k, LISTED_PATTERNS):
            patterns = list(self._all_patterns(raters))
        elif self.design.group_size > 2:
            raise Unknown
        else:
            patterns = self._searched(raters, limit)
        self.budget.spend(len(patterns) * (n * n + len(self.design.radicands)))
        return [(pattern, left) for pattern in patterns if (left := self._left(raters, pattern)) < limit]

    def _left(self, raters: Raters, pattern: Pattern) -> RootSum:
        """Return the reduced cost of a pattern: its cost minus the prices of its ratings and of its set of raters."""
        total: dict[int, Any] = {}
        if self.design.group_size > 2:
            total[1] = self.sign * self.design.groups_apart(pattern) * self._share[raters]
        else:
            for a, b in combinations(raters, 2):
                f, cost = self._cost(raters, a, b, pattern[a], pattern[b])
                total[f] = total.get(f, 0) + cost
        prices = [self.prices.sets[raters], *(self._pay(raters, a, pattern[a]) for a in raters)]
        for p, f in enumerate(self.design.radicands):
            paid = sum(price[p] for price in prices)
            if paid:
                total[f] = total.get(f, 0) - paid * (self.unit // self.prices.denominator)
        return RootSum(total) / self.unit

    def _cost(self, raters: Raters, a: int, b: int, i: int, j: int) -> tuple[int, int]:
        """Return the cost of two ratings as a radicand and a multiple of its root, in units of 1 / unit."""
        matrix = self.design.pairs[a, b]
        cost = self.sign * int(matrix.multipliers[i, j]) * self._share[raters] // matrix.denominator
        return int(matrix.radicands[i, j]), cost

    def _pay(self, raters: Raters, a: int, i: int) -> list[int]:
        """Return the numerator of the price of a rating of one rater on a subject with these raters."""
        weight = self._use_weight[raters]
        return [price + weight * use for price, use in zip(self.prices.ratings[a][i], self.prices.use[i], strict=True)]

    def _searched(self, raters: Raters, limit: RootSum) -> list[Pattern]:
        """Return patterns whose reduced cost may be below a limit, found with integers that do not exceed the costs."""
        n, k = len(raters), self.design.n_categories
        if n * n * k * k > MOST_ENTRIES:
            raise Unknown
        self.budget.spend(n * n * k * k // 2)
        pays = [[self._worth([(self._pay(raters, a, i), 1)]) for i in range(k)] for a in raters]
        codes = list(product(range(k), repeat=2))
        keys = [self._cost(raters, a, b, i, j) for a, b in combinations(raters, 2) for i, j in codes]
        entries = {key: RootSum({key[0]: key[1]}) / self.unit for key in set(keys)}
        paid = self._worth([(self.prices.sets[raters], 1)])
        largest = max(number.exponent() for numbers in (entries.values(), *pays, [paid, limit]) for number in numbers)
        shift = enumeration.BITS - largest - (n * n + n + 2).bit_length()
        lowered = {key: number.floor(shift) for key, number in entries.items()}
        costs = np.zeros((n, n, k, k), dtype=np.int64)
        costs[np.triu_indices(n, 1)] = np.array([lowered[key] for key in keys], dtype=np.int64).reshape(-1, k, k)
        raised = np.array([[number.ceiling(shift) for number in row] for row in pays], dtype=np.int64)
        top = (limit + paid).ceiling(shift)
        found = search.patterns_below(costs, raised, top, MOST_SEARCHED, self.budget.steps(n * k))
        if found is None:
            raise Unknown
        self.budget.spend_steps(found.steps, n * k)
        if found.total > MOST_SEARCHED:
            raise _TooMany(RootSum(Fraction(found.least) / Fraction(2) ** shift) - paid)
        patterns = np.full((len(found.patterns), self.design.n_raters), -1)
        patterns[:, raters] = found.patterns
        return list(map(tuple, patterns.tolist()))

    def _resources(self, patterns: list[Pattern]) -> tuple[Array, Array]:
        """Return the ratings and the set of raters of each pattern as resources, and the amount of each in a table."""
        r, k = self.design.shape
        place = {raters: r * k + position for position, raters in enumerate(self.subjects)}
        columns = [
            [*(a * k + code if code >= 0 else -1 for a, code in enumerate(pattern)), place[raters_of(pattern)]]
            for pattern in patterns
        ]
        needed = [count for row in self.margins for count in row] + list(self.subjects.values())
        return np.array(columns, dtype=np.int64).reshape(-1, r + 1), np.array(needed, dtype=np.int64)


class _TooMany(Unknown):
    """Raised when too many patterns would need an exact comparison; `least` is a lower bound of their reduced costs."""

    def __init__(self, least: RootSum) -> None:
        self.least = least
