"""Compute with arrays of whole numbers that may exceed 64 bits.

Arrays hold 64-bit integers if a bound shows that no overflow can occur, and Python integers otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd, prod
from operator import mul

import numpy as np
import numpy.typing as npt

from kappamax._typing import Array, Integers

SUMMABLE = 2**60  # a few numbers up to this size can be added and subtracted in 64 bits
_INT64_SAFE = 2**62  # numbers below it, and the sum of two of them, fit into 64 bits
_SUMMED_BY_PYTHON = 64  # for shorter vectors, a sum in Python is faster than numpy


def widen(array: npt.ArrayLike, bound: int) -> Array:
    """Return `array` as int64 if its integers and numbers up to `bound` fit into it, as Python integers otherwise.

    The bound usually belongs to a product, which is small if the other factor is zero, whatever the array holds.
    """
    # without dtype=object, numpy may convert lists of large integers to doubles
    whole = array if isinstance(array, np.ndarray) else np.array(array, dtype=object)
    if whole.dtype == object and bound < _INT64_SAFE:
        bound = magnitude(whole)
    return whole.astype(np.int64 if bound < _INT64_SAFE else object, copy=False)


def magnitude(array: Array) -> int:
    """Return the largest absolute value among whole numbers, or 0 if there are none."""
    return max(int(array.max()), -int(array.min())) if array.size else 0


def dot(left: Array, right: Array) -> int:
    """Return the exact dot product of two vectors of integers of any size."""
    if left.size <= _SUMMED_BY_PYTHON:
        return sum(map(mul, left.tolist(), right.tolist()))
    bound = magnitude(left) * magnitude(right) * left.size
    return int(np.dot(widen(left, bound), widen(right, bound)))


class Digits:
    """Whole numbers >= 0 written in 64-bit digits so small that sums of a given number of them do not overflow.

    Scores of many random tables are sums of a few different costs. If such a sum fits into 64 bits, each cost is a
    single digit. Otherwise the digits are summed separately, at the speed of 64-bit arithmetic, and the sums are
    combined into Python integers at the end.

    Parameters
    ----------
    array : array of int
        Whole numbers >= 0 of any size.
    n_terms : int
        Largest number of terms of a sum, below 2^62.

    Attributes
    ----------
    parts : int64, shape (number of digits, *shape of the array)
        Digits, lowest first.
    """

    def __init__(self, array: Array, n_terms: int) -> None:
        self.bits = max(1, _INT64_SAFE.bit_length() - 1 - n_terms.bit_length())  # n_terms digits stay below 2^62
        n_digits = max(1, -(-magnitude(array).bit_length() // self.bits))
        mask = (1 << self.bits) - 1
        digits = [array] if n_digits == 1 else [(array >> (self.bits * place)) & mask for place in range(n_digits)]
        self.parts: Integers = np.stack(digits).astype(np.int64)

    def joined(self, sums: Integers) -> Array:
        """Return the sums of the numbers, given the sums of their digits along the first axis."""
        if len(sums) == 1:
            return np.asarray(sums[0])
        shifted = (part.astype(object) << (self.bits * place) for place, part in enumerate(sums))
        return np.asarray(sum(shifted), dtype=object)

    def weighted(self, counts: Integers) -> Array:
        """Return the exact matrix product of counts and numbers; each row of counts >= 0 sums to at most `n_terms`."""
        return self.joined(np.stack([counts @ part for part in self.parts]))


def distinct_rows(rows: Array) -> tuple[Array, npt.NDArray[np.intp]]:
    """Return the distinct rows of integers of any size in increasing order, and the position of each row in them."""
    if rows.dtype != object:
        if rows.shape[1] == 1:  # sorting numbers is much faster than sorting rows
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
    """Return pairwise coprime whole numbers up to `largest` whose product exceeds `bound`.

    A whole number of absolute value up to `bound` / 2 is zero if and only if all of them divide it.
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
    """Return the exact sum of the values of every distinct key."""
    flat_keys, flat_values = keys.ravel(), values.ravel()
    if flat_keys.size == 0:
        return []
    bound = magnitude(flat_values) * flat_values.size
    distinct, group = np.unique(flat_keys, return_inverse=True)
    sums = widen(np.zeros(len(distinct), dtype=np.int64), bound)
    np.add.at(sums, group, widen(flat_values, bound))
    return [(int(key), int(total)) for key, total in zip(distinct, sums, strict=True)]
