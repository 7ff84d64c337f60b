"""Tests of systems of equations that are solved in fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kappamax._rational_solve import independent_rows, solved_in_fractions
from tests.support.strategies import examples


@given(st.integers(1, 12), st.integers(0, 2**32), st.integers(0, 50))
@settings(max_examples=examples(200))
def test_the_solution_fulfils_the_equations(n, seed, bits):
    """Numerators and denominator solve the system exactly, and have no common factor."""
    rng = np.random.default_rng(seed)
    square = rng.integers(0, 2, (n, n))
    chosen, _ = independent_rows(square, n)
    if len(chosen) < n:
        return
    right = rng.integers(-(2**bits), 2**bits, (n, 3), endpoint=True)
    numerators, denominator = solved_in_fractions(square, right)
    x = [[Fraction(int(number), denominator) for number in row] for row in numerators]
    for row, sides in zip(square.tolist(), right.tolist(), strict=True):
        assert [sum(a * own[j] for a, own in zip(row, x, strict=True)) for j in range(3)] == sides
    assert np.gcd.reduce([denominator, *map(int, numerators.ravel())]) == 1


def test_denominators_are_found():
    """The inverse of a 0/1 matrix made from a Hadamard matrix of order 32 has the denominator 16."""
    points = np.arange(32)
    bits = np.array([[(i & j).bit_count() % 2 for j in points] for i in points])[1:, 1:]  # Hadamard matrix of 0 and 1
    numerators, denominator = solved_in_fractions(bits, np.eye(31, dtype=np.int64))
    assert denominator == 16
    assert (bits @ numerators == 16 * np.eye(31, dtype=int)).all()


def test_numbers_that_are_too_large_give_nothing(monkeypatch):
    """With fewer digits than the solution needs, there is no result."""
    monkeypatch.setattr("kappamax._rational_solve._MOST_DIGITS", 3)
    assert solved_in_fractions(np.eye(2, dtype=np.int64), np.array([[1], [2]])) is None


def test_the_first_independent_rows_are_chosen():
    """Rows that depend on earlier ones are left out, and the search ends at the given rank."""
    rows = np.array([[1, 1, 0], [2, 2, 0], [0, 1, 1], [1, 0, -1], [0, 0, 1]])
    assert independent_rows(rows, 3)[0] == [0, 2, 4]
    assert independent_rows(rows, 2)[0] == [0, 2]
