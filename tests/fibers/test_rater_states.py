"""The index of the ways in which a rater may have used the categories."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kappamax.fibers.rater_states import RaterStates

CAPS = st.lists(st.integers(1, 5), min_size=1, max_size=4)


def _listed(caps, placed):
    """Return all states with a sum in lexicographic order."""
    return [use for use in product(*(range(cap + 1) for cap in caps)) if sum(use) == placed]


@given(CAPS, st.integers(0, 20))
def test_states_are_indexed_in_lexicographic_order_without_gaps(caps, placed):
    """The states of a layer, and the indices of their predecessors, agree with an enumeration."""
    placed = min(placed, sum(caps))
    states, wanted = RaterStates(caps), _listed(caps, placed)
    assert states.n_states(placed) == len(wanted)
    if placed == 0:
        return
    before = {use: index for index, use in enumerate(_listed(caps, placed - 1))}
    uses, sources = (np.full((len(wanted), len(caps)), -1, dtype=np.int64) for _ in range(2))
    states.fill_layer(placed, uses, sources)
    assert list(map(tuple, uses.tolist())) == wanted
    for use, own in zip(wanted, sources.tolist(), strict=True):
        for j, source in enumerate(own):
            less = tuple(n - (i == j) for i, n in enumerate(use))
            assert source == (before[less] if use[j] else -1)


@given(CAPS, st.integers(0, 20))
def test_the_probabilities_of_the_states_are_hypergeometric(caps, placed):
    """The probability of a state is prod C(b_j, u_j) / C(N, t), up to the stated number of roundings."""
    placed = min(placed, sum(caps))
    found = RaterStates(caps).chances(placed)
    for use, chance in zip(_listed(caps, placed), found.tolist(), strict=True):
        exact = Fraction(prod(comb(cap, n) for cap, n in zip(caps, use, strict=True)), comb(sum(caps), placed))
        assert abs(Fraction(chance) / exact - 1) <= (2 * len(caps) + 1) * Fraction(1, 2**52)


def test_the_probabilities_of_many_subjects_do_not_overflow():
    """C(3000, 1500) exceeds the range of doubles, but the probabilities of the states add up to 1."""
    assert RaterStates([1500, 1500]).chances(1500).sum() == pytest.approx(1, rel=1e-13)
