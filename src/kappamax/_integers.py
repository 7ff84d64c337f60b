"""Compute with arrays of whole numbers that may exceed 64 bits.

Arrays hold 64-bit integers where a bound shows that nothing overflows, and Python integers otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd, prod
from operator import mul

import numpy as np
import numpy.typing as npt

from kappamax._typing import Array, Integers

SUMMABLE = 2**60  # a few numbers up to this size can be added and subtracted in 64 bits
_INT64_SAFE = 2**62
_SUMMED_BY_PYTHON = 64  # so few products are summed faster by Python than bounded by numpy


def widen(array: npt.ArrayLike, bound: int) -> Array:
    """The integers of `array` as int64 where `bound` shows that nothing overflows, as Python integers otherwise."""
    whole = array if isinstance(array, np.ndarray) else np.array(array, dtype=object)  # numpy may make lists doubles
    return whole.astype(np.int64 if bound < _INT64_SAFE else object, copy=False)


def magnitude(array: Array) -> int:
    """The largest absolute value among whole numbers, 0 if there are none."""
    return max(int(array.max()), -int(array.min())) if array.size else 0


def dot(left: Array, right: Array) -> int:
    """The exact sum of products of two integer vectors of any size."""
    if left.size <= _SUMMED_BY_PYTHON:
        return sum(map(mul, left.tolist(), right.tolist()))
    bound = magnitude(left) * magnitude(right) * left.size
    return int(np.dot(widen(left, bound), widen(right, bound)))


class Digits:
    """Whole numbers >= 0 written in 64-bit digits so small that a given number of them can be added.

    Scores of many random tables are sums of a few different costs. Where such a sum fits into 64 bits the costs are
    their own single digit. Otherwise each digit is summed on its own, at the speed of 64-bit arithmetic, and the sums
    are joined to Python integers at the end.

    Parameters
    ----------
    array : whole numbers >= 0 of any size
    n_terms : int
        How many of the numbers are added at most, below 2^62.

    Attributes
    ----------
    parts : int64, shape (number of digits, *shape of the array)
        The digits, lowest first.
    """

    def __init__(self, array: Array, n_terms: int) -> None:
        self.bits = max(1, _INT64_SAFE.bit_length() - 1 - n_terms.bit_length())  # n_terms digits stay below 2^62
        n_digits = max(1, -(-magnitude(array).bit_length() // self.bits))
        mask = (1 << self.bits) - 1
        digits = [array] if n_digits == 1 else [(array >> (self.bits * place)) & mask for place in range(n_digits)]
        self.parts: Integers = np.stack(digits).astype(np.int64)

    def joined(self, sums: Integers) -> Array:
        """The sums of the numbers, from the sums of each of their digits along the first axis."""
        if len(sums) == 1:
            return np.asarray(sums[0])
        shifted = (part.astype(object) << (self.bits * place) for place, part in enumerate(sums))
        return np.asarray(sum(shifted), dtype=object)

    def weighted(self, counts: Integers) -> Array:
        """The exact matrix product of counts >= 0, rows of which add up to at most `n_terms`, with the numbers."""
        return self.joined(np.stack([counts @ part for part in self.parts]))


def distinct_rows(rows: Array) -> tuple[Array, npt.NDArray[np.intp]]:
    """The different rows of whole numbers of any size in order, and which of them each row is."""
    if rows.dtype != object:
        if rows.shape[1] == 1:  # numbers are sorted much sooner than rows of them
            distinct, place = np.unique(rows[:, 0], return_inverse=True)
            return distinct[:, None], place.reshape(-1)
        distinct, place = np.unique(rows, axis=0, return_inverse=True)
        return distinct, place.reshape(-1)
    tuples = [tuple(row) for row in rows.tolist()]
    ordered = sorted(set(tuples))
    places = {row: place for place, row in enumerate(ordered)}
    found = np.array(ordered, dtype=object).reshape(len(ordered), rows.shape[1])
    return found, np.array([places[row] for row in tuples], dtype=np.intp)


def coprime(largest: int, bound: int) -> list[int]:
    """Whole numbers up to `largest`, no two with a common factor, whose product exceeds `bound`.

    A whole number of size up to half of `bound` is zero exactly when all of them divide it.
    """
    chosen: list[int] = []
    candidate = largest
    while prod(chosen) <= bound:
        if all(gcd(candidate, other) == 1 for other in chosen):
            chosen.append(candidate)
        candidate -= 1
        assert candidate > 1, "too few coprime numbers"
    return chosen


def sum_by_key(keys: Array, values: Array) -> Iterable[tuple[int, int]]:
    """For every distinct key the exact sum of its values."""
    flat_keys, flat_values = keys.ravel(), values.ravel()
    if flat_keys.size == 0:
        return []
    bound = magnitude(flat_values) * flat_values.size
    distinct, group = np.unique(flat_keys, return_inverse=True)
    sums = widen(np.zeros(len(distinct), dtype=np.int64), bound)
    np.add.at(sums, group, widen(flat_values, bound))
    return [(int(key), int(total)) for key, total in zip(distinct, sums, strict=True)]
