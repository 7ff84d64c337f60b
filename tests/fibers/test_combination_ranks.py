"""Combinations and digits correspond to integers, and random integers have the right range."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from kappamax.fibers.combination_ranks import combination_at, combination_rank, digits_of, number_of, random_below


@pytest.mark.parametrize(("n", "size"), [(5, 2), (6, 3), (4, 4), (7, 1)])
def test_ranks_are_those_of_lexicographic_order(n, size):
    """The order is that of `itertools.combinations`."""
    for rank, chosen in enumerate(combinations(range(n), size)):
        assert combination_rank(chosen, n) == rank
        assert combination_at(rank, n, size) == chosen


def test_ranks_beyond_64_bits_lead_back_to_their_combinations():
    """The last combination of 60 out of 200 items has rank C(200, 60) - 1."""
    last = tuple(range(140, 200))
    assert combination_rank(last, 200) == comb(200, 60) - 1
    assert combination_at(comb(200, 60) - 1, 200, 60) == last


def test_digits_by_hand():
    """The most significant digit comes first: 11 = 1 * 9 + 0 * 3 + 2."""
    assert digits_of(11, 3, 4) == [0, 1, 0, 2]
    assert number_of([0, 1, 0, 2], 3) == 11


def test_random_integers_take_all_values_below_the_limit():
    """In 200 draws below 5, a value would be missing with a probability below 1e-18."""
    rng = np.random.default_rng(1)
    assert {random_below(5, rng) for _ in range(200)} == {0, 1, 2, 3, 4}
