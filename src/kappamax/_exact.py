"""Integers and fractions in, exact sums of square roots out.

Scores of rational weights are integers; scores of square-root weights are integer combinations of square roots of
square-free numbers. Those roots are linearly independent over the rationals, so two sums are equal exactly when
their coefficients are, and the sign of a difference can be found by computing with more and more bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import total_ordering
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["RootSum", "as_fraction", "dot", "magnitude", "order", "quotient", "square_free", "sum_by_key", "widen"]

_INT64_SAFE = 2**62
_MAX_DENOMINATOR = 100_000
_CLOSE = 1e-12


@total_ordering
class RootSum:
    """An exact number: the sum of c * sqrt(f) over square-free f, with rational c.

    Examples
    --------
    >>> RootSum({1: 131836323, 2: -93222358}) > 0
    True
    """

    __slots__ = ("terms",)

    terms: dict[int, Fraction]

    def __init__(self, terms: Mapping[int, int | Fraction] | int | Fraction = 0) -> None:
        if not isinstance(terms, Mapping):
            terms = {1: terms}
        self.terms = {f: Fraction(c) for f, c in sorted(terms.items()) if c != 0}

    @property
    def rational(self) -> Fraction | None:
        """The same number as a fraction, or None if a root is left."""
        if not self.terms:
            return Fraction(0)
        return self.terms[1] if set(self.terms) == {1} else None

    def __add__(self, other: RootSum | int | Fraction) -> RootSum:
        total = dict(self.terms)
        for f, c in _as_root_sum(other).terms.items():
            total[f] = total.get(f, Fraction(0)) + c
        return RootSum(total)

    def __sub__(self, other: RootSum | int | Fraction) -> RootSum:
        return self + _as_root_sum(other) * -1

    def __mul__(self, factor: int | Fraction) -> RootSum:
        return RootSum({f: c * factor for f, c in self.terms.items()})

    def __truediv__(self, divisor: int | Fraction) -> RootSum:
        return self if divisor == 1 else self * (1 / Fraction(divisor))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RootSum | int | Fraction):
            return NotImplemented
        return self.terms == _as_root_sum(other).terms

    def __lt__(self, other: RootSum | int | Fraction) -> bool:
        return (self - other).sign() < 0

    def __hash__(self) -> int:
        return hash(tuple(self.terms.items()))

    def __float__(self) -> float:
        return quotient(self, RootSum(1))

    def __repr__(self) -> str:
        return " + ".join(f"{c}*sqrt({f})" if f > 1 else f"{c}" for f, c in self.terms.items()) or "0"

    def sign(self) -> int:
        """-1, 0 or 1, decided exactly."""
        signs = {1 if c > 0 else -1 for c in self.terms.values()}
        if len(signs) < 2:
            return sum(signs)
        bits = 64
        while True:
            low, high = self.bracket(bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            bits *= 2

    def bracket(self, bits: int) -> tuple[Fraction, Fraction]:
        """A lower and an upper bound, each root known to `bits` binary digits."""
        low = high = Fraction(0)
        for f, c in self.terms.items():
            floor = isqrt(f << (2 * bits))
            ceiling = floor if floor * floor == f << (2 * bits) else floor + 1
            ends = (c * floor, c * ceiling)
            low += min(ends)
            high += max(ends)
        return low / (1 << bits), high / (1 << bits)


def quotient(numerator: RootSum, denominator: RootSum) -> float:
    """The double nearest to numerator / denominator (denominator not zero)."""
    exact = rational_quotient(numerator, denominator)
    if exact is not None:
        return float(exact)
    bits = 128
    while True:
        n_low, n_high = numerator.bracket(bits)
        d_low, d_high = denominator.bracket(bits)
        if d_low > 0 or d_high < 0:
            ends = [n / d for n in (n_low, n_high) for d in (d_low, d_high)]
            low, high = float(min(ends)), float(max(ends))
            if low == high:  # the bracket has shrunk below the spacing of doubles
                return low
        bits *= 2


def rational_quotient(numerator: RootSum, denominator: RootSum) -> Fraction | None:
    """Numerator / denominator as a fraction where one is a rational multiple of the other, else None."""
    if not numerator.terms:
        return Fraction(0)
    if set(numerator.terms) != set(denominator.terms):
        return None
    ratios = {c / denominator.terms[f] for f, c in numerator.terms.items()}
    return ratios.pop() if len(ratios) == 1 else None


def order(sums: Sequence[RootSum]) -> list[int]:
    """The positions of numbers from smallest to largest: by doubles, and exactly where those are close."""
    reals = [sum(float(c) * f**0.5 for f, c in number.terms.items()) for number in sums]
    size = [sum(abs(float(c)) * f**0.5 for f, c in number.terms.items()) for number in sums]
    by_double = sorted(range(len(sums)), key=reals.__getitem__)
    ordered: list[int] = []
    run: list[int] = []
    for i in by_double:
        if run and reals[i] - reals[run[-1]] > _CLOSE * (size[i] + size[run[-1]]):
            ordered += sorted(run, key=sums.__getitem__)
            run = []
        run.append(i)
    return ordered + sorted(run, key=sums.__getitem__)


def square_free(number: int) -> tuple[int, int]:
    """Write number = m * m * f with f square-free; return (m, f), and (0, 1) for zero."""
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
    """A number as a fraction, and whether that fraction is what the caller meant.

    Integers and fractions are themselves. A float is the fraction with a denominator up to 100,000 that lies within
    one unit in its last place (0.1 is 1/10); failing that it stands for its own binary value, and the flag is False.
    """
    if isinstance(number, Fraction | int | np.integer):
        return Fraction(int(number)) if isinstance(number, np.integer) else Fraction(number), True
    value = float(number)  # type: ignore[arg-type]  # anything else that is not a number raises here, as it should
    guess = Fraction(value).limit_denominator(_MAX_DENOMINATOR)
    if abs(Fraction(value) - guess) <= Fraction(float(np.spacing(abs(value)))):
        return guess, True
    return Fraction(value), False


def widen(array: npt.ArrayLike, bound: int) -> npt.NDArray[Any]:
    """The integers of `array` as int64 where `bound` shows that nothing overflows, as Python integers otherwise."""
    return np.asarray(array).astype(np.int64 if bound < _INT64_SAFE else object, copy=False)


def magnitude(array: npt.NDArray[Any]) -> int:
    """The largest absolute value among whole numbers, 0 if there are none."""
    return max(int(array.max()), -int(array.min())) if array.size else 0


def dot(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> int:
    """The exact sum of products of two integer vectors of any size."""
    if left.size == 0:
        return 0
    bound = magnitude(left) * magnitude(right) * left.size
    return int(np.dot(widen(left, bound), widen(right, bound)))


def sum_by_key(keys: npt.NDArray[Any], values: npt.NDArray[Any]) -> Iterable[tuple[int, int]]:
    """For every distinct key the exact sum of its values."""
    flat_keys, flat_values = keys.ravel(), values.ravel()
    if flat_keys.size == 0:
        return []
    bound = magnitude(flat_values) * flat_values.size
    distinct, group = np.unique(flat_keys, return_inverse=True)
    sums = widen(np.zeros(len(distinct), dtype=np.int64), bound)
    np.add.at(sums, group, widen(flat_values, bound))
    return [(int(key), int(total)) for key, total in zip(distinct, sums, strict=True)]


def _as_root_sum(number: RootSum | int | Fraction) -> RootSum:
    return number if isinstance(number, RootSum) else RootSum(number)
