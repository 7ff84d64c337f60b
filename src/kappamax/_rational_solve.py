"""Solve a square system of linear equations in whole numbers exactly.

The solution is computed modulo increasing powers of a prime (Dixon's lifting): each step adds one digit in base p, from
the inverse of the matrix modulo p and the remaining right-hand side. When there are enough digits, the fractions with
small numerators and denominators that agree with them are found by the Euclidean algorithm, and the equations are
checked exactly.
"""

from __future__ import annotations

from math import isqrt, lcm

import numpy as np

from kappamax._typing import Array, Integers

_PRIME = 1_048_573  # sums of a thousand products of two residues stay below 2^63
_MOST_DIGITS = 32  # digits in base p; fractions of up to about 10^95 are found
_FIRST_CHECK = 4  # number of digits after which the fractions are tried, and again whenever it has doubled


def solved_in_fractions(square: Integers, right: Integers) -> tuple[Array, int] | None:
    """Return numerators and the common denominator of the solution.

    Parameters
    ----------
    square : array of whole numbers, shape (n, n)
        Matrix of the system, invertible modulo the prime 1,048,573, with entries of at most a few digits.
    right : array of whole numbers, shape (n, m)
        Right-hand sides, of absolute value below 2^53.

    Returns
    -------
    tuple or None
        Numerators as Python integers, shape (n, m), and the positive denominator; None if the numbers are too large.
    """
    inverse = _inverse_modulo(square)
    rest = right.astype(np.int64)
    digits = np.zeros(right.shape, dtype=object)
    modulus, check = 1, _FIRST_CHECK
    for position in range(1, _MOST_DIGITS + 1):
        digit = inverse @ (rest % _PRIME) % _PRIME
        digits = digits + digit.astype(object) * modulus
        rest = (rest - square @ digit) // _PRIME  # without a remainder
        modulus *= _PRIME
        if position == check:
            check *= 2
            found = _as_fractions(digits, modulus)
            if found is not None and (square.astype(object) @ found[0] == right.astype(object) * found[1]).all():
                return found
    return None


def independent_rows(rows: Integers, rank: int) -> tuple[list[int], list[int]]:
    """Return the first linearly independent rows and a pivot column of each, by elimination modulo a prime."""
    basis = np.zeros((0, rows.shape[1]), dtype=np.int64)
    pivots: list[int] = []
    chosen: list[int] = []
    for position, row in enumerate(rows):
        rest = (row - row[pivots] @ basis) % _PRIME if pivots else row
        where = np.flatnonzero(rest)
        if len(where) == 0:
            continue
        rest = rest * pow(int(rest[where[0]]), -1, _PRIME) % _PRIME
        if pivots:
            basis = (basis - basis[:, [where[0]]] * rest) % _PRIME
        basis = np.vstack([basis, rest])
        pivots.append(int(where[0]))
        chosen.append(position)
        if len(chosen) == rank:
            break
    return chosen, pivots


def _inverse_modulo(square: Integers) -> Integers:
    """Return the inverse of a matrix modulo the prime, by elimination."""
    n = len(square)
    work = np.hstack([square % _PRIME, np.eye(n, dtype=np.int64)])
    for column in range(n):
        pivot = column + int(np.flatnonzero(work[column:, column])[0])
        work[[column, pivot]] = work[[pivot, column]]
        work[column] = work[column] * pow(int(work[column, column]), -1, _PRIME) % _PRIME
        factors = work[:, [column]].copy()
        factors[column] = 0
        work = (work - factors * work[column]) % _PRIME
    return np.ascontiguousarray(work[:, n:])


def _as_fractions(residues: Array, modulus: int) -> tuple[Array, int] | None:
    """Return the fractions that have given residues, over a common denominator, or None if they are too large."""
    largest = isqrt(modulus // 2)
    denominator = 1
    for residue in residues.ravel().tolist():
        number = residue * denominator % modulus
        if min(number, modulus - number) <= largest:
            continue  # whole with the denominator found so far
        above, below = (modulus, 0), (number, 1)
        while below[0] > largest:
            quotient = above[0] // below[0]
            above, below = below, (above[0] - quotient * below[0], above[1] - quotient * below[1])
        denominator = lcm(denominator, denominator * abs(below[1]))
        if denominator > largest:
            return None
    scaled = residues * denominator % modulus
    return np.where(scaled > modulus // 2, scaled - modulus, scaled), denominator
