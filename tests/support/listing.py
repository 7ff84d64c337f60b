"""List every rearrangement of a design and what each coefficient is worth in it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from tests.support import naive_agreement as naive
from tests.support.designs import Design

Rows = tuple[naive.Pattern, ...]


@dataclass(frozen=True)
class Listing:
    """All tables of a design: in how many ways each arises, and a coefficient's value; None where it is 0/0."""

    coefficient: str
    observed: Rows
    ways: dict[Rows, int]
    values: dict[Rows, Fraction | None]

    @property
    def value(self) -> Fraction | None:
        """Of the observed table."""
        return self.values[self.observed]

    @property
    def defined(self) -> dict[Rows, Fraction]:
        """The tables with a value."""
        return {rows: value for rows, value in self.values.items() if value is not None}

    @property
    def maximum(self) -> Fraction:
        """The largest value."""
        return max(self.defined.values())

    @property
    def minimum(self) -> Fraction:
        """The smallest value."""
        return min(self.defined.values())

    def attaining(self, value: Fraction) -> set[Rows]:
        """The tables with this value."""
        return {rows for rows, other in self.defined.items() if naive.key(other) == naive.key(value)}

    @property
    def null_mean(self) -> Fraction:
        """The mean by chance of the defined values."""
        total = sum(self.ways[rows] for rows in self.defined)
        return sum((self.ways[rows] * value for rows, value in self.defined.items()), Fraction(0)) / total

    def pvalue(self, alternative: str, two_sided: str = "distance") -> Fraction:
        """The probability of a value at least as extreme; where the coefficient is 0/0 it counts as extreme."""
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
    """Every table of a design with the coefficient's value."""
    ways = naive.tables_of(design.rows) if ways is None else ways
    values = {rows: value_or_none(design, rows, coefficient) for rows in ways}
    return Listing(coefficient, tuple(sorted(design.rows)), ways, values)


def value_or_none(design: Design, rows: Rows, coefficient: str) -> Fraction | None:
    """The coefficient in one table."""
    try:
        return naive.value(coefficient, Counter(rows), design.u, design.k)
    except naive.UndefinedError:
        return None
