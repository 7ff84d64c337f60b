"""List every rearrangement of a design with the value of a coefficient."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from tests.support import naive_agreement as naive
from tests.support.designs import Design

Rows = tuple[naive.Pattern, ...]


@dataclass(frozen=True)
class Listing:
    """All tables of a design, with the number of ways in which each arises and its value, None where it is 0/0."""

    coefficient: str
    observed: Rows
    ways: dict[Rows, int]
    values: dict[Rows, Fraction | None]

    @property
    def value(self) -> Fraction | None:
        """Value of the observed table."""
        return self.values[self.observed]

    @property
    def defined(self) -> dict[Rows, Fraction]:
        """Tables at which the coefficient is defined, with its value."""
        return {rows: value for rows, value in self.values.items() if value is not None}

    @property
    def maximum(self) -> Fraction:
        """Largest value."""
        return max(self.defined.values())

    @property
    def minimum(self) -> Fraction:
        """Smallest value."""
        return min(self.defined.values())

    def attaining(self, value: Fraction) -> set[Rows]:
        """Return the tables with the given value."""
        return {rows for rows, other in self.defined.items() if naive.key(other) == naive.key(value)}

    @property
    def null_mean(self) -> Fraction:
        """Mean of the defined values if all ways to rearrange the ratings are equally likely."""
        total = sum(self.ways[rows] for rows in self.defined)
        return sum((self.ways[rows] * value for rows, value in self.defined.items()), Fraction(0)) / total

    def pvalue(self, alternative: str, two_sided: str = "distance") -> Fraction:
        """Return the probability of a value at least as extreme; undefined values count as extreme."""
        assert self.value is not None
        here, mean = naive.key(self.value), naive.key(self.null_mean)
        likely: Counter[int | None] = Counter()
        for rows, value in self.values.items():
            likely[None if value is None else naive.key(value)] += self.ways[rows]
        extreme = {
            ("greater", "distance"): lambda other: other >= here,
            ("less", "distance"): lambda other: other <= here,
            ("two-sided", "distance"): lambda other: abs(other - mean) >= abs(here - mean) - 4,  # keys are rounded
            ("two-sided", "probability"): lambda other: likely[other] <= likely[here],
        }[alternative, two_sided]
        counted = sum(n for other, n in likely.items() if other is None or extreme(other))
        return Fraction(counted, likely.total())


def listing_of(design: Design, coefficient: str, ways: dict[Rows, int] | None = None) -> Listing:
    """Return every table of a design with the value of the coefficient."""
    ways = naive.tables_of(design.rows) if ways is None else ways
    values = {rows: value_or_none(design, rows, coefficient) for rows in ways}
    return Listing(coefficient, tuple(sorted(design.rows)), ways, values)


def value_or_none(design: Design, rows: Rows, coefficient: str) -> Fraction | None:
    """Return the coefficient of one table, or None if it is 0/0."""
    try:
        return naive.value(coefficient, Counter(rows), design.u, design.k)
    except naive.UndefinedError:
        return None
