"""Compute agreement from its definitions, independently of the rest of the library.

The formulas of the coefficients are implemented here a second time on purpose, because a check that shared them with
the code under test would share their mistakes. All arithmetic is exact and uses integers, fractions and sums of square
roots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, gcd, lcm
from typing import Any

import numpy as np

from kappamax._integers import sum_by_key
from kappamax._rootsum import RootSum, quotient, rational_quotient
from kappamax._typing import Array

#: one code per rater, -1 for a missing rating
Pattern = tuple[int, ...]
#: positions of the raters who rated a subject
Raters = tuple[int, ...]
#: number of subjects with each pattern
Rows = Mapping[Pattern, int]

TITLES = {
    "cohen": "Cohen's kappa",
    "conger": "Conger's kappa",
    "fleiss": "Fleiss' kappa",
    "gwet": "Gwet's AC",
    "brennan-prediger": "Brennan-Prediger",
    "krippendorff": "Krippendorff's alpha",
    "percent": "Percent agreement",
}


@dataclass(frozen=True)
class PairMatrix:
    """Disagreement weights of two raters, `multipliers * sqrt(radicands) / denominator`, of shape (k, k)."""

    multipliers: Array
    radicands: Array
    denominator: int

    def total(self, met: Array) -> RootSum:
        """Return the total disagreement, where `met[i, j]` is the number of subjects with the ratings i and j."""
        return RootSum(dict(sum_by_key(self.radicands, met * self.multipliers))) / self.denominator


@dataclass(frozen=True)
class Design:
    """Raters, categories, weights and a coefficient.

    Attributes
    ----------
    n_raters, n_categories : int
        Numbers of raters and categories.
    coefficient : str
        Name of the coefficient, one of `TITLES`.
    group_size : int
        Number of raters who must agree at a time (g).
    pairs : mapping from (a, b) with a < b to PairMatrix
        Disagreement weights of every pair of raters.
    """

    n_raters: int
    n_categories: int
    coefficient: str
    group_size: int
    pairs: Mapping[tuple[int, int], PairMatrix]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of raters and categories."""
        return self.n_raters, self.n_categories

    def work(self, rows: Rows) -> int:
        """Return the approximate number of operations for the score and the expected disagreement of a table."""
        pairs = sum(comb(len(raters), 2) for raters in by_raters(rows)) + comb(self.n_raters, 2)
        return len(rows) * self.n_raters + pairs * (10 + self.n_categories**2 // 20) + self.work_at_use

    @property
    def work_at_use(self) -> int:
        """Approximate number of operations for the expected disagreement at a use of categories."""
        return 10 + self.n_categories**2 // 20 + len(self.radicands) ** 2

    def value(self, rows: Rows) -> float | None:
        """Return the coefficient, correctly rounded, or None if it is 0/0."""
        chance = self.expected(rows)
        return None if chance == 0 else quotient(chance - self.observed(rows), chance)

    def exact_value(self, rows: Rows) -> Fraction | None:
        """Return the coefficient as a fraction, or None if it is irrational."""
        chance = self.expected(rows)
        return rational_quotient(chance - self.observed(rows), chance)

    def observed(self, rows: Rows) -> RootSum:
        """Return the observed disagreement, which is the mean over the subjects."""
        return self.score(rows) / self.n_units(rows)

    def score(self, rows: Rows) -> RootSum:
        """Return the sum over the subjects of the mean disagreement of the groups of raters who rated the subject."""
        total = RootSum()
        for raters, part in by_raters(rows).items():
            if len(raters) < self.group_size:
                continue
            share = self.share(len(raters))
            patterns, counts = np.array(list(part)), np.array(list(part.values()), dtype=object)
            if self.group_size > 2:
                apart = [self.groups_apart(pattern) for pattern in part]
                total += RootSum(sum(n * count for n, count in zip(apart, part.values(), strict=True)) * share)
                continue
            for a, b in combinations(raters, 2):
                met = np.zeros((self.n_categories, self.n_categories), dtype=object)
                np.add.at(met, (patterns[:, a], patterns[:, b]), counts)
                total += self.pairs[a, b].total(met) * share
        return total

    def n_units(self, rows: Rows) -> int:
        """Return the number of subjects that enter the mean or, for Krippendorff's alpha, of their ratings."""
        total = 0
        for raters, part in by_raters(rows).items():
            if len(raters) >= self.group_size:
                total += sum(part.values()) * (len(raters) if self.coefficient == "krippendorff" else 1)
        return total

    def expected(self, rows: Rows) -> RootSum:
        """Return the expected disagreement."""
        k, r = self.n_categories, self.n_raters
        if self.coefficient == "percent":
            return RootSum(1)
        if self.coefficient in ("cohen", "conger"):
            own = [_shares(row) for row in margins_of(rows, r, k)]
            if self.group_size > 2:
                return RootSum(1 - _all_alike(own, self.group_size))
            mean = sum((_form(own[a], matrix, own[b]) for (a, b), matrix in self.pairs.items()), RootSum())
            return mean / comb(r, 2)
        return self.expected_at(self.use(rows))

    def expected_at(self, use: Sequence[Fraction]) -> RootSum:
        """Return the expected disagreement at a pooled use of categories."""
        k, matrix = self.n_categories, next(iter(self.pairs.values()))  # one weighting for all pairs of raters
        if self.coefficient == "brennan-prediger":
            return matrix.total(np.full((k, k), 1, dtype=object)) / k**2
        shares, n = _shares(use), sum(use)
        if self.coefficient == "krippendorff":
            return _form(shares, matrix, shares) * (Fraction(n) / (n - 1))
        if self.coefficient == "fleiss" or k == 1:
            return _form(shares, matrix, shares)
        spread = sum((p * (1 - p) for p in shares), Fraction(0))
        sum_of_agreement = RootSum(k**2) - matrix.total(np.full((k, k), 1, dtype=object))
        return RootSum(1) - sum_of_agreement * (spread / (k * (k - 1)))

    def use_weight(self, n_ratings: int) -> Fraction:
        """Return the weight of a rating in the pooled use of categories, for a subject with `n_ratings` ratings.

        Krippendorff pools the ratings of subjects with two ratings or more. Fleiss and Gwet give every subject the
        same weight.
        """
        return Fraction(n_ratings >= 2) if self.coefficient == "krippendorff" else Fraction(1, n_ratings)

    def use(self, rows: Rows) -> list[Fraction]:
        """Return the pooled use of categories."""
        use = [Fraction(0)] * self.n_categories
        for raters, part in by_raters(rows).items():
            for pattern, count in part.items():
                for a in raters:
                    use[pattern[a]] += count * self.use_weight(len(raters))
        return use

    def fixed_chance(self, rows: Rows) -> bool:
        """Return whether all tables with the same margins and sets of raters have the same expected disagreement.

        The pooled use is the same if and only if every rater who used two categories or more rated only subjects whose
        ratings have the same weight.
        """
        if self.coefficient not in ("fleiss", "gwet", "krippendorff"):
            return True
        used: list[set[int]] = [set() for _ in range(self.n_raters)]
        kinds: list[set[Fraction]] = [set() for _ in range(self.n_raters)]
        for raters, part in by_raters(rows).items():
            for a in raters:
                used[a] |= {pattern[a] for pattern in part}
                kinds[a].add(self.use_weight(len(raters)))
        return all(len(kinds[a]) < 2 or len(used[a]) < 2 for a in range(self.n_raters))

    @cached_property
    def radicands(self) -> tuple[int, ...]:
        """Square-free numbers whose roots occur in the weights."""
        found = {int(f) for m in self.pairs.values() for f in np.unique(m.radicands[m.multipliers != 0])}
        return tuple(sorted(found)) or (1,)

    def share(self, n_ratings: int) -> Fraction:
        """Return the contribution of a disagreeing group to the score of a subject with `n_ratings` ratings."""
        return Fraction(n_ratings if self.coefficient == "krippendorff" else 1, comb(n_ratings, self.group_size))

    def step(self, sizes: Sequence[int]) -> Fraction | None:
        """Return a number that divides every score of subjects with these numbers of ratings.

        The result is None if the weights contain roots.
        """
        if self.radicands != (1,):
            return None
        shares = [self.share(n) for n in sizes if n >= self.group_size]
        weights = [Fraction(1)]
        if self.group_size == 2:
            weights = [Fraction(int(m), p.denominator) for p in self.pairs.values() for m in np.unique(p.multipliers)]
        return _common_divisor(shares) * _common_divisor(weights)

    def groups_apart(self, pattern: Pattern) -> int:
        """Return the number of groups of g raters who do not all agree."""
        codes = [code for code in pattern if code >= 0]
        alike = sum(comb(codes.count(code), self.group_size) for code in set(codes))
        return comb(len(codes), self.group_size) - alike


def raters_of(pattern: Pattern) -> Raters:
    """Return the raters who rated a subject."""
    return tuple(a for a, code in enumerate(pattern) if code >= 0)


def by_raters(rows: Rows) -> dict[Raters, dict[Pattern, int]]:
    """Return the patterns grouped by the set of raters who rated the subject."""
    found: dict[Raters, dict[Pattern, int]] = {}
    for pattern, count in rows.items():
        found.setdefault(raters_of(pattern), {})[pattern] = count
    return found


def subjects_of(rows: Rows) -> dict[Raters, int]:
    """Return the number of subjects of each set of raters."""
    return {raters: sum(part.values()) for raters, part in by_raters(rows).items()}


def margins_of(rows: Rows, n_raters: int, n_categories: int) -> list[list[int]]:
    """Return the number of times each rater used each category."""
    margins = [[0] * n_categories for _ in range(n_raters)]
    for pattern, count in rows.items():
        for a, code in enumerate(pattern):
            if code >= 0:
                margins[a][code] += count
    return margins


def _common_divisor(numbers: Sequence[Fraction]) -> Fraction:
    """Return the largest number of which all given numbers are integer multiples."""
    below = lcm(*(number.denominator for number in numbers))
    return Fraction(gcd(*(int(number * below) for number in numbers)), below)


def _shares(use: Sequence[Any]) -> list[Fraction]:
    total = Fraction(sum(use))
    return [Fraction(one) / total for one in use]


def _form(x: Sequence[Fraction], matrix: PairMatrix, y: Sequence[Fraction]) -> RootSum:
    """Return the mean disagreement of two ratings that are drawn with probabilities x and y."""
    x_scale, y_scale = (lcm(*(share.denominator for share in shares)) for shares in (x, y))
    first = np.array([int(share * x_scale) for share in x], dtype=object)
    second = np.array([int(share * y_scale) for share in y], dtype=object)
    return matrix.total(np.multiply.outer(first, second)) / (x_scale * y_scale)


def _all_alike(shares: Sequence[Sequence[Fraction]], g: int) -> Fraction:
    """Return the mean over groups of g raters of the probability that all of them choose the same category."""
    total = Fraction(0)
    for of_category in zip(*shares, strict=True):
        polynomials = [Fraction(1)] + [Fraction(0)] * g  # elementary symmetric polynomials of the raters' shares
        for share in of_category:
            for degree in range(g, 0, -1):
                polynomials[degree] += polynomials[degree - 1] * share
        total += polynomials[g]
    return total / comb(len(shares), g)
