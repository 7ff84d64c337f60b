"""Arrays of whole numbers keep every digit, whatever bound is given for their products."""

from __future__ import annotations

import numpy as np
import pytest

from kappamax._integers import dot, widen

HUGE = 10**40


def test_numbers_beyond_64_bits_stay_python_integers_if_the_bound_is_small():
    """The bound of a product with zero is zero, but the other factor is not."""
    assert widen(np.array([HUGE, 0], dtype=object), 0).tolist() == [HUGE, 0]
    assert widen(np.array([2, 3], dtype=object), 5).dtype == np.int64
    assert widen(np.array([2, 3]), 2**62).dtype == object


@pytest.mark.parametrize("n", [3, 200])
def test_the_dot_product_of_zeros_and_huge_numbers_is_zero(n):
    """Short and long vectors are multiplied exactly, whichever of them is zero."""
    zeros, huge = np.zeros(n, dtype=np.int64), np.array([HUGE] * n, dtype=object)
    assert dot(zeros, huge) == dot(huge, zeros) == 0
    assert dot(huge, zeros + 2) == 2 * n * HUGE
