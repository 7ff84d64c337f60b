"""Indices of patterns are those of numpy, for any number of raters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappamax as km
from kappamax.patterns import indices_of, patterns_at


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_indices_are_those_of_numpy(sizes):
    """Both directions agree with numpy's functions, which are limited to 64 raters."""
    indices = np.arange(np.prod(sizes))
    patterns = patterns_at(indices, sizes)
    assert patterns.T.tolist() == [axis.tolist() for axis in np.unravel_index(indices, sizes)]
    assert indices_of(patterns.T, sizes).tolist() == indices.tolist()


def test_seventy_raters_have_indices():
    """Raters with a single category do not change the index."""
    sizes = [1] * 69 + [3]
    assert patterns_at(np.arange(3), sizes)[:, -1].tolist() == [0, 1, 2]
    assert indices_of(patterns_at(np.arange(3), sizes).T, sizes).tolist() == [0, 1, 2]


def test_arrays_with_more_than_64_axes_are_refused():
    """Seventy raters who could only use one category make one cell but seventy axes."""
    table = km.Table([[0] * 70], [5], ("a",), ordered=True)
    with pytest.raises(km.errors.NotSupportedError, match="one axis per rater and at most 64; got 70 raters"):
        table.dense()
    with pytest.raises(km.errors.NotSupportedError, match="at most 64 axes; got 70 raters. iter_sample"):
        km.fiber(table).sample(2)
    assert [one.n_subjects for one in km.fiber(table).iter_sample(2, rng=1)] == [5, 5]
