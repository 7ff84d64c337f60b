"""Compute and compare sums of square roots exactly.

Scores of rational weights are integers. Scores of square-root weights are integer combinations of square roots of
square-free numbers. These roots are linearly independent over the rationals. Therefore two sums are equal if and only
if their coefficients are equal, and the sign of a nonzero sum can be computed with increasing precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, total_ordering
from math import gcd, isqrt, lcm

import numpy as np

from kappamax._tolerances import DOUBLE_TOLERANCE

LARGEST_FACTORED = 10**10  # trial division takes long to find the square-free part of larger numbers
_MAX_DENOMINATOR = 100_000  # largest denominator of a fraction that a float is converted to


@total_ordering
class RootSum:
    """Exact number that is a sum of terms c * sqrt(f) with square-free f and rational c.

    The coefficients are held as whole numbers over a common denominator in lowest terms, so that equal numbers have
    equal attributes.

    Parameters
    ----------
    terms : mapping, int or Fraction
        Coefficients c by radicand f, or a rational number; default 0.

    Examples
    --------
    >>> RootSum({1: 131836323, 2: -93222358}) > 0
    True
    """

    __slots__ = ("denominator", "whole")

    whole: dict[int, int]
    denominator: int

    def __init__(self, terms: Mapping[int, int | Fraction] | int | Fraction = 0) -> None:
        if not isinstance(terms, Mapping):
            terms = {1: terms}
        scale = lcm(*(c.denominator for c in terms.values()))
        self.whole = {f: int(c.numerator) * (scale // c.denominator) for f, c in terms.items() if c}
        self.denominator = scale if self.whole else 1

    @property
    def terms(self) -> dict[int, Fraction]:
        """Coefficient of each root."""
        return {f: Fraction(c, self.denominator) for f, c in sorted(self.whole.items())}

    @property
    def rational(self) -> Fraction | None:
        """The number as a fraction, or None if it is irrational."""
        return rational_quotient(self, _ONE)

    def __add__(self, other: RootSum | int | Fraction) -> RootSum:
        return _combined(self, _as_root_sum(other), 1)

    def __sub__(self, other: RootSum | int | Fraction) -> RootSum:
        return _combined(self, _as_root_sum(other), -1)

    def __mul__(self, factor: RootSum | int | Fraction) -> RootSum:
        if isinstance(factor, RootSum):
            return _product(self, factor)
        above = int(factor.numerator)
        return _lowest({f: c * above for f, c in self.whole.items()}, self.denominator * int(factor.denominator))

    def __truediv__(self, divisor: int | Fraction) -> RootSum:
        return self * Fraction(int(divisor.denominator), int(divisor.numerator))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RootSum | int | Fraction):
            return NotImplemented
        other = _as_root_sum(other)
        return self.denominator == other.denominator and self.whole == other.whole

    def __lt__(self, other: RootSum | int | Fraction) -> bool:
        return (self - other).sign() < 0

    def __hash__(self) -> int:
        return hash((frozenset(self.whole.items()), self.denominator))

    def __bool__(self) -> bool:
        return bool(self.whole)

    def __float__(self) -> float:
        return quotient(self, _ONE)

    def __repr__(self) -> str:
        return " + ".join(f"{c}*sqrt({f})" if f > 1 else f"{c}" for f, c in self.terms.items()) or "0"

    def sign(self) -> int:
        """Return the exact sign, -1, 0 or 1."""
        signs = {1 if c > 0 else -1 for c in self.whole.values()}
        if len(signs) < 2:
            return sum(signs)
        bits = 64
        while True:
            low, high = self.bracket(bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            bits *= 2

    def bracket(self, bits: int) -> tuple[int, int]:
        """Return a lower and an upper bound of the sum as whole numbers of units 2**-bits / denominator."""
        low = high = 0
        for f, c in self.whole.items():
            floor, ceiling = _root_between(f, bits)
            low += c * (floor if c > 0 else ceiling)
            high += c * (ceiling if c > 0 else floor)
        return low, high

    def floor(self, shift: int = 0) -> int:
        """Return a whole number that does not exceed the sum times 2**shift and is less than 1 + 2**-6 below it."""
        # terms can be far larger than their sum, and the error of each term is its coefficient times 2**-bits
        needed = max(0, shift) + 8 + sum(map(abs, self.whole.values())).bit_length()
        bits = 64 * (needed // 64 + 1)  # few distinct precisions, so that the cache of roots is effective
        low, _ = self.bracket(bits)
        return low // (self.denominator << (bits - shift))

    def ceiling(self, shift: int = 0) -> int:
        """Return a whole number that is not below the sum times 2**shift and less than 1 + 2**-6 above it."""
        return -(self * -1).floor(shift)

    def exponent(self) -> int:
        """Return the least b, or one more, such that the sum lies between -2**b and 2**b; 0 for zero."""
        bits = 64
        while self.whole:
            low, high = self.bracket(bits)
            size = max(-low, high)
            if size >= (high - low + self.denominator) << 32:  # the relative error is below 2**-32
                return (size // self.denominator).bit_length() - bits + 1
            bits *= 2
        return 0


def quotient(numerator: RootSum, denominator: RootSum) -> float:
    """Return the double nearest to numerator / denominator; the denominator must not be zero."""
    above, below = denominator.denominator, numerator.denominator
    if (found := _ratio(numerator, denominator)) is not None:
        return (found[0] * above) / (found[1] * below)  # Python rounds quotients of integers correctly
    bits = 128
    while True:
        n_ends, d_ends = numerator.bracket(bits), denominator.bracket(bits)
        if d_ends[0] > 0 or d_ends[1] < 0:
            ends = [(n * above) / (d * below) for n in n_ends for d in d_ends]
            if min(ends) == max(ends):  # all quotients in the bracket round to the same double
                return ends[0]
        bits *= 2


def rational_quotient(numerator: RootSum, denominator: RootSum) -> Fraction | None:
    """Return numerator / denominator as a fraction, or None if the quotient is irrational."""
    found = _ratio(numerator, denominator)
    return None if found is None else Fraction(found[0] * denominator.denominator, found[1] * numerator.denominator)


def order(sums: Sequence[RootSum]) -> list[int]:
    """Return the positions of numbers in increasing order; numbers that are close in doubles are compared exactly."""
    parts = [[c / number.denominator * f**0.5 for f, c in number.whole.items()] for number in sums]
    reals = [sum(part) for part in parts]
    size = [sum(map(abs, part)) for part in parts]
    by_double = sorted(range(len(sums)), key=reals.__getitem__)
    ordered: list[int] = []
    run: list[int] = []
    for i in by_double:
        if run and reals[i] - reals[run[-1]] > DOUBLE_TOLERANCE * (size[i] + size[run[-1]]):
            ordered += sorted(run, key=sums.__getitem__)
            run = []
        run.append(i)
    return ordered + sorted(run, key=sums.__getitem__)


def square_free(number: int) -> tuple[int, int]:
    """Return (m, f) with number = m * m * f and square-free f, and (0, 1) for zero."""
    if number == 0:
        return 0, 1
    m, f, p = 1, number, 2
    while p * p <= f:
        while f % (p * p) == 0:
            f //= p * p
            m *= p
        p += 1
    return m, f


def as_fraction(number: object) -> tuple[Fraction, bool]:
    """Return a number as a fraction, and whether it is taken as exactly the number that the caller meant.

    Integers and fractions are returned unchanged. A float is converted to a fraction with a denominator up to 100,000
    if there is one within one unit in the last place, so that 0.1 becomes 1/10. Otherwise the float is converted to its
    exact binary value, and the second result is False.
    """
    if isinstance(number, Fraction | int | np.integer):
        return Fraction(int(number)) if isinstance(number, np.integer) else Fraction(number), True
    value = float(number)  # type: ignore[arg-type]  # raises for anything that is not a number, as intended
    guess = Fraction(value).limit_denominator(_MAX_DENOMINATOR)
    if abs(Fraction(value) - guess) <= Fraction(float(np.spacing(abs(value)))):
        return guess, True
    return Fraction(value), False


def _as_root_sum(number: RootSum | int | Fraction) -> RootSum:
    return number if isinstance(number, RootSum) else RootSum(number)


def _combined(first: RootSum, second: RootSum, sign: int) -> RootSum:
    """Return first + sign * second."""
    scale = lcm(first.denominator, second.denominator)
    own, its = scale // first.denominator, sign * (scale // second.denominator)
    total = {f: c * own for f, c in first.whole.items()}
    for f, c in second.whole.items():
        total[f] = total.get(f, 0) + c * its
    return _lowest(total, scale)


def _product(first: RootSum, second: RootSum) -> RootSum:
    """Return first * second, using sqrt(f) * sqrt(g) = m * sqrt((f / m) * (g / m)) with m = gcd(f, g)."""
    total: dict[int, int] = {}
    for f, c in first.whole.items():
        for g, d in second.whole.items():
            m = gcd(f, g)
            root = (f // m) * (g // m)
            total[root] = total.get(root, 0) + c * d * m
    return _lowest(total, first.denominator * second.denominator)


def _lowest(whole: dict[int, int], denominator: int) -> RootSum:
    """Return a sum in lowest terms, without terms that are zero."""
    made = RootSum.__new__(RootSum)
    common = gcd(denominator, *whole.values())
    made.whole = {f: c // common for f, c in whole.items() if c}
    made.denominator = denominator // common
    return made


def _ratio(numerator: RootSum, denominator: RootSum) -> tuple[int, int] | None:
    """Return two whole numbers in the ratio of the coefficients of two sums, or None if that ratio is not constant."""
    above, below = numerator.whole, denominator.whole
    if not above:
        return 0, 1
    if above.keys() != below.keys():
        return None
    root, *others = below
    same = all(above[f] * below[root] == above[root] * below[f] for f in others)
    return (above[root], below[root]) if same else None


@lru_cache(maxsize=1024)
def _root_between(number: int, bits: int) -> tuple[int, int]:
    """Return a lower and an upper bound of the square root of a number, as whole numbers of units 2**-bits."""
    scaled = number << (2 * bits)
    floor = isqrt(scaled)
    return floor, floor if floor * floor == scaled else floor + 1


_ONE = RootSum(1)
