"""Quadratic forms in generalised inverses are exact for small matrices and right for large ones."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kappamax import _semidefinite
from kappamax._semidefinite import regular_part
from tests.support.strategies import examples


@st.composite
def factors(draw):
    """Draw a matrix of small whole numbers, whose product with its transpose is positive semidefinite."""
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    entries = draw(st.lists(st.integers(-3, 3), min_size=rows * columns, max_size=rows * columns))
    return np.array(entries).reshape(rows, columns)


@pytest.mark.parametrize("exact", [True, False])
@given(factor=factors(), seed=st.integers(0, 1000))
@settings(max_examples=examples(100), deadline=None)
def test_forms_are_those_of_the_pseudoinverse(exact, factor, seed):
    """Rank and form of a vector in the column space do not depend on the generalised inverse."""
    matrix = factor.T @ factor
    vector = matrix @ np.random.default_rng(seed).integers(-3, 4, size=len(matrix))
    part = _semidefinite._exact_part(matrix) if exact else _semidefinite._rounded_part(matrix)
    assert part.rank == np.linalg.matrix_rank(matrix)
    expected = vector @ np.linalg.pinv(matrix, hermitian=True) @ vector
    assert float(part.form(vector[part.kept][None])) == pytest.approx(expected, rel=1e-8, abs=1e-8)
    kept = matrix[np.ix_(part.kept, part.kept)]
    assert kept @ part.inverse == pytest.approx(np.eye(part.rank), abs=1e-7)
    assert (part.numerators is not None) == exact


def test_a_form_is_an_exact_fraction():
    """The inverse of ((2, 1), (1, 2)) is ((2, -1), (-1, 2)) / 3, so the form of (1, 3) is 14 / 3."""
    part = regular_part(np.array([[2, 1], [1, 2]]))
    assert part.form(np.array([[1, 3]])) == Fraction(14, 3)
    assert (part.denominator, part.numerators.tolist()) == (3, [[2, -1], [-1, 2]])


def test_entries_of_very_different_size_do_not_hide_the_rank():
    """A pivot of 1 beside 10^30 is not zero; doubles could not tell."""
    n = 10**30
    part = regular_part(np.array([[n, n], [n, n + 1]], dtype=object))
    assert part.rank == 2
    assert part.form(np.array([[0, 1]])) == 1
    assert regular_part(np.array([[n, n], [n, n]], dtype=object)).rank == 1


def test_a_matrix_of_zeros_has_rank_zero():
    """Then every form is zero, whether exact or in doubles."""
    for size in (1, 3, 50):
        part = regular_part(np.zeros((size, size), dtype=np.int64))
        assert part.rank == 0
        assert part.form(np.zeros((1, 0))) == 0
