"""Convert combinations and digits to integers of any size and back, and draw such integers.

The integers are Python integers, because sets of moves may have more elements than 64 bits can index.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np


def digits_of(number: int, base: int, n_digits: int) -> list[int]:
    """Return the digits of a number in a base, the most significant digit first."""
    digits = []
    for _ in range(n_digits):
        number, digit = divmod(number, base)
        digits.append(digit)
    return digits[::-1]


def number_of(digits: Sequence[int], base: int) -> int:
    """Return the number with the given digits in a base, the most significant digit first."""
    number = 0
    for digit in digits:
        number = number * base + digit
    return number


def combination_rank(chosen: Sequence[int], n: int) -> int:
    """Return the rank of a combination of items from 0, ..., n - 1 in lexicographic order."""
    after = sum(comb(n - 1 - item, len(chosen) - place) for place, item in enumerate(chosen))
    return comb(n, len(chosen)) - 1 - after


def combination_at(rank: int, n: int, size: int) -> tuple[int, ...]:
    """Return the combination of `size` items from 0, ..., n - 1 with a given rank in lexicographic order."""
    chosen: list[int] = []
    for item in range(n):
        with_item = comb(n - 1 - item, size - len(chosen) - 1) if len(chosen) < size else 0
        if len(chosen) < size and rank < with_item:
            chosen.append(item)
        else:
            rank -= with_item
    return tuple(chosen)


def random_below(n: int, rng: np.random.Generator) -> int:
    """Return a uniform random integer below n, for n of any size, by rejection sampling of random bits."""
    n_bits = n.bit_length()
    while True:
        number = int.from_bytes(rng.bytes((n_bits + 7) // 8), "big") >> (-n_bits % 8)
        if number < n:
            return number
