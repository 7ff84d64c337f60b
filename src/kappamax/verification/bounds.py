"""Check what prices prove about all tables with the same margins and the same sets of raters.

A rater pays a price for each rating and a subject pays a price for its set of raters. If no pattern costs less than
what its ratings and its subject pay, no table costs less than all payments together; if some pattern does, by at most
d, the bound falls by d for every subject of that set. Any prices prove some bound, so nothing has to be assumed about
where they come from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._rootsum import RootSum
from kappamax.fibers import enumeration
from kappamax.verification import search
from kappamax.verification.budget import Budget, Unknown
from kappamax.verification.definitions import Design, Rows, by_raters, margins_of
from kappamax.verification.uses import Use, attainable_uses

__all__ = ["Bounds", "Prices"]

Array = npt.NDArray[Any]
Raters = tuple[int, ...]

LISTED_PATTERNS = 5_000
MOST_PATTERNS = 100_000
MOST_ENTRIES = 20_000_000  # costs of two ratings handed to a search


@dataclass(frozen=True)
class Prices:
    """Numerators over one positive denominator, each a tuple of coefficients of the roots of the design's radicands.

    Attributes
    ----------
    ratings : one list per rater of one numerator per category
    sets : mapping from a set of raters to one numerator
    use : one numerator per category
        For what a rating adds to the pooled use of its category, in units of 1 / `use_unit`.
    """

    ratings: list[list[tuple[int, ...]]]
    sets: Mapping[Raters, tuple[int, ...]]
    denominator: int
    use: list[tuple[int, ...]]


class Bounds:
    """Least costs over all tables with the margins and sets of raters of one table.

    Parameters
    ----------
    design : Design
        Its expected disagreement must be the same for all those tables.
    rows : mapping from pattern to count
        A table with the margins and sets of raters.
    sign : 1 or -1
        1 for costs that are disagreement, so that the least cost is the largest coefficient; -1 for the reverse.
    prices : Prices
    budget : Budget, optional
        What is left of the work that may be done.
    """

    def __init__(self, design: Design, rows: Rows, sign: int, prices: Prices, budget: Budget | None = None) -> None:
        self.design = design
        self.budget = budget or Budget()
        self.sign = sign
        self.prices = prices
        self.margins = margins_of(rows, design.n_raters, design.n_categories)
        self.subjects = {raters: sum(part.values()) for raters, part in by_raters(rows).items()}
        #: whether a bound is lower than the prices prove, since too many patterns were to be compared exactly
        self.rounded = False
        self.step = design.step([len(raters) for raters in self.subjects])
        # costs and prices in whole units of 1 / unit
        below = {matrix.denominator for matrix in design.pairs.values()}
        parts = [denominator * design.share(n).denominator for denominator in below for n in self._sizes]
        self.unit = lcm(prices.denominator, *parts)
        #: the pooled use of categories is counted in units of one over this number
        self.use_unit = lcm(*(design.use_weight(len(raters)).denominator for raters in self.subjects))

    @property
    def _sizes(self) -> set[int]:
        return {len(raters) for raters in self.subjects if len(raters) >= self.design.group_size}

    @property
    def bound(self) -> RootSum:
        """A cost that no table is below, proven by the prices; the use of categories must have no prices."""
        assert not any(map(any, self.prices.use)), "the bound depends on the use of categories"
        return self._attainable(self._least)

    @cached_property
    def _least(self) -> RootSum:
        """What all payments and the patterns that cost less than theirs leave, before the use of categories is paid."""
        paid = self.paid
        for raters, n_subjects in self.subjects.items():
            paid += self._lowest[raters] * n_subjects
        return paid

    @cached_property
    def paid(self) -> RootSum:
        """All payments together, for any table with the margins and sets of raters."""
        total = [0] * len(self.design.radicands)
        for row, counts in zip(self.prices.ratings, self.margins, strict=True):
            for price, count in zip(row, counts, strict=True):
                total = [t + count * p for t, p in zip(total, price, strict=True)]
        for raters, count in self.subjects.items():
            total = [t + count * p for t, p in zip(total, self.prices.sets[raters], strict=True)]
        return self._number(total) / self.prices.denominator

    def bound_at(self, use: Use) -> RootSum:
        """A cost that no table with this pooled use of categories is below."""
        worth = [sum(n * price[p] for n, price in zip(use, self.prices.use, strict=True)) for p in self._places]
        return self._attainable(self._least + self._number(worth) / self.prices.denominator)

    def uses(self) -> list[Use]:
        """Every pooled use of categories that some table has."""
        kinds: list[dict[int, int]] = [{} for _ in self.margins]
        for raters, n_subjects in self.subjects.items():
            for a in raters:
                weight = self._use_weight(raters)
                kinds[a][weight] = kinds[a].get(weight, 0) + n_subjects
        found = attainable_uses(self.margins, kinds)
        if found is None:
            raise Unknown
        return found

    def proves(self, cost: RootSum) -> bool:
        """Whether the prices alone show that no table costs less."""
        return self.bound >= cost

    def better_table(self, cost: RootSum) -> Rows | None:
        """A table that costs less, found by searching what the prices leave open; None if there is none.

        Raises
        ------
        Unknown
            If the search reaches its limit.
        """
        if self.proves(cost):
            return None
        gap = cost - self._least
        room = gap  # a better table has at most so much beyond what is paid
        if self.step and cost.rational is not None:
            room = self._attainable(cost) - self.step - self._least
        found = []
        for raters, lowest in self._lowest.items():  # beside these no pattern costs less than its payments
            found += [
                (one, left - lowest) for one, left in self._patterns(raters, lowest + gap) if left - lowest <= room
            ]
        shift = enumeration.BITS - 1 - room.exponent()
        lowered = np.array([left.floor(shift) for _, left in found], dtype=np.int64)
        columns, needed = self._resources([pattern for pattern, _ in found])
        tables = enumeration.tables_below(columns, needed, lowered, room.ceiling(shift) + 1)
        for counts in tables.counts:
            total = sum((left * int(n) for (_, left), n in zip(found, counts, strict=True) if n), RootSum())
            if total < gap:
                return {pattern: int(n) for (pattern, _), n in zip(found, counts, strict=True) if n}
        if not tables.finished:
            raise Unknown
        return None

    def _attainable(self, cost: RootSum) -> RootSum:
        """The least multiple of the step that is not below a cost; the cost itself without a step."""
        if not self.step or cost.rational is None:
            return cost
        return RootSum(-(-cost.rational // self.step) * self.step)

    def all_tables(self) -> Iterator[Rows]:
        """Every table with the margins and sets of raters.

        Raises
        ------
        Unknown
            If there are more than the search lists.
        """
        n, k = self.design.n_raters, self.design.n_categories
        patterns: list[tuple[int, ...]] = []
        if sum(k ** len(raters) for raters in self.subjects) > LISTED_PATTERNS:
            raise Unknown
        for raters in self.subjects:
            choices = [range(k) if a in raters else [-1] for a in range(n)]
            patterns += product(*choices)
        columns, needed = self._resources(patterns)
        free = np.zeros(len(columns), dtype=np.int64)
        found = enumeration.tables_below(columns, needed, free, 1, enumeration.LISTED_TABLES)
        if not found.finished:
            raise Unknown
        for counts in found.counts:
            yield {pattern: int(n) for pattern, n in zip(patterns, counts, strict=True) if n}

    @cached_property
    def _lowest(self) -> dict[Raters, RootSum]:
        """For each set of raters, a number <= 0 that no pattern's cost less its payments is below."""
        return {raters: self._lowest_of(raters) for raters in self.subjects}

    def _lowest_of(self, raters: Raters) -> RootSum:
        try:
            return min((left for _, left in self._patterns(raters, RootSum())), default=RootSum())
        except _TooMany as many:
            self.rounded = True
            return min(RootSum(), many.least)

    def _patterns(self, raters: Raters, limit: RootSum) -> list[tuple[tuple[int, ...], RootSum]]:
        """Every pattern of a set of raters whose cost less its payments is below a limit, with that difference."""
        n, k = len(raters), self.design.n_categories
        if k**n <= max(k, LISTED_PATTERNS):
            codes = [list(some) for some in product(range(k), repeat=n)]
        elif self.design.group_size > 2:
            raise Unknown
        else:
            codes = self._searched(raters, limit)
        self.budget.spend(len(codes) * (n * n + len(self.design.radicands)))
        found = []
        for some in codes:
            left = self._left(raters, some)
            if left < limit:
                pattern = [-1] * self.design.n_raters
                for a, code in zip(raters, some, strict=True):
                    pattern[a] = code
                found.append((tuple(pattern), left))
        return found

    def _left(self, raters: Raters, codes: list[int]) -> RootSum:
        """What a pattern costs less what its ratings and its subject pay."""
        total: dict[int, Any] = {}
        if self.design.group_size > 2:
            total[1] = self.sign * self.design.groups_apart(tuple(codes)) * self._share(raters)
        else:
            for (a, i), (b, j) in combinations(zip(raters, codes, strict=True), 2):
                f, cost = self._cost(raters, a, b, i, j)
                total[f] = total.get(f, 0) + cost
        prices = [self.prices.sets[raters], *(self._pay(raters, a, i) for a, i in zip(raters, codes, strict=True))]
        for p, f in enumerate(self.design.radicands):
            paid = sum(price[p] for price in prices)
            if paid:
                total[f] = total.get(f, 0) - paid * (self.unit // self.prices.denominator)
        return RootSum(total) / self.unit

    def _cost(self, raters: Raters, a: int, b: int, i: int, j: int) -> tuple[int, int]:
        """Radicand and whole multiple, in units of 1 / unit, of what two ratings cost."""
        matrix = self.design.pairs[a, b]
        return int(matrix.radicands[i, j]), self.sign * int(matrix.multipliers[i, j]) * self._share(
            raters
        ) // matrix.denominator

    def _pay(self, raters: Raters, a: int, i: int) -> list[int]:
        """The numerator of what a rater pays for a rating on a subject of these raters."""
        weight = self._use_weight(raters)
        return [price + weight * use for price, use in zip(self.prices.ratings[a][i], self.prices.use[i], strict=True)]

    def _use_weight(self, raters: Raters) -> int:
        return int(self.design.use_weight(len(raters)) * self.use_unit)

    @property
    def _places(self) -> range:
        return range(len(self.design.radicands))

    def _share(self, raters: Raters) -> int:
        return int(self.design.share(len(raters)) * self.unit) if len(raters) >= self.design.group_size else 0

    def _searched(self, raters: Raters, limit: RootSum) -> list[list[int]]:
        """Patterns that may be below a limit, found with integers that are nowhere too large."""
        n, k = len(raters), self.design.n_categories
        if n * n * k * k > MOST_ENTRIES:
            raise Unknown
        self.budget.spend(n * n * k * k // 2)
        pays = [[self._number(self._pay(raters, a, i)) / self.prices.denominator for i in range(k)] for a in raters]
        entries: dict[tuple[int, int], RootSum] = {}
        keys = np.empty((n, n, k, k), dtype=object)
        for x, y in combinations(range(n), 2):
            for i, j in product(range(k), repeat=2):
                key = self._cost(raters, raters[x], raters[y], i, j)
                keys[x, y, i, j] = key
                if key not in entries:
                    entries[key] = RootSum({key[0]: key[1]}) / self.unit
        paid = self._number(self.prices.sets[raters]) / self.prices.denominator
        largest = max(number.exponent() for numbers in (entries.values(), *pays, [paid, limit]) for number in numbers)
        shift = enumeration.BITS - largest - (n * n + n + 2).bit_length()
        lowered = {key: number.floor(shift) for key, number in entries.items()}
        costs = np.zeros((n, n, k, k), dtype=np.int64)
        for x, y in combinations(range(n), 2):
            costs[x, y] = np.vectorize(lowered.__getitem__, otypes=[np.int64])(keys[x, y])
        raised = np.array([[number.ceiling(shift) for number in row] for row in pays], dtype=np.int64)
        top = (limit + paid).ceiling(shift)
        found = search.patterns_below(costs, raised, top, MOST_PATTERNS, self.budget.steps(n * k))
        if found is None:
            raise Unknown
        self.budget.spend_steps(found.steps, n * k)
        if found.total > MOST_PATTERNS:
            raise _TooMany(RootSum(Fraction(found.least) / Fraction(2) ** shift) - paid)
        return [list(map(int, pattern)) for pattern in found.patterns]

    def _resources(self, patterns: list[tuple[int, ...]]) -> tuple[Array, Array]:
        """Each pattern's ratings and set of raters as resources, and how much of each a table uses."""
        r, k = self.design.n_raters, self.design.n_categories
        place = {raters: r * k + position for position, raters in enumerate(self.subjects)}
        columns = [
            [*(a * k + code if code >= 0 else -1 for a, code in enumerate(pattern)), place[_raters(pattern)]]
            for pattern in patterns
        ]
        needed = [count for row in self.margins for count in row] + list(self.subjects.values())
        return np.array(columns, dtype=np.int64).reshape(-1, r + 1), np.array(needed, dtype=np.int64)

    def _number(self, coefficients: Any) -> RootSum:
        return RootSum(dict(zip(self.design.radicands, coefficients, strict=True)))


class _TooMany(Unknown):
    """More patterns than are compared exactly; no pattern's cost less its payments is below `least`."""

    def __init__(self, least: RootSum) -> None:
        self.least = least


def _raters(pattern: tuple[int, ...]) -> Raters:
    return tuple(a for a, code in enumerate(pattern) if code >= 0)
