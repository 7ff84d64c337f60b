"""Tests of tables that are listed by completing the counts of a few columns."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kappamax.fibers import completion, enumeration
from kappamax.fibers.completion import completed_tables
from kappamax.fibers.enumeration import tables_below
from tests.support.strategies import examples


def all_tables(columns, needed, costs, limit):
    """Return all tables below the limit, by trying every count of one column after the other."""
    if not len(columns):
        return [()] if not needed.any() and limit > 0 else []
    own = columns[0][columns[0] >= 0]
    found = []
    for count in range(int(needed[own].min()) + 1):
        left = needed.copy()
        np.subtract.at(left, own, count)
        found += [(count, *rest) for rest in all_tables(columns[1:], left, costs[1:], limit - count * costs[0])]
    return found


@st.composite
def problems(draw):
    """Return patterns of three raters with costs, the margins of a table that consists of them, and a limit."""
    k = draw(st.integers(2, 3))
    every = list(product(range(k), repeat=3))
    patterns = np.array(draw(st.lists(st.sampled_from(every), min_size=1, max_size=7, unique=True)))
    counts = np.array(draw(st.lists(st.integers(0, 3), min_size=len(patterns), max_size=len(patterns))))
    needed = np.zeros(3 * k, dtype=np.int64)
    columns = patterns + k * np.arange(3)
    for own, count in zip(columns, counts, strict=True):
        needed[own] += count
    if draw(st.booleans()):
        columns = np.where(draw(st.integers(0, 2)) == np.arange(3), -1, columns)  # a rater without margins
        needed[np.setdiff1d(np.arange(3 * k), columns)] = 0
    costs = np.array(draw(st.lists(st.integers(0, 4), min_size=len(patterns), max_size=len(patterns))))
    return columns, needed, costs, draw(st.integers(1, 12))


@given(problems())
@settings(max_examples=examples(300))
def test_completed_tables_are_all_tables_below_the_limit(problem):
    """Every table is listed once, and no other."""
    columns, needed, costs, limit = problem
    if (needed < 0).any():
        return
    counts = completed_tables(columns, needed, costs, limit, 10**6)
    assert sorted(map(tuple, counts.tolist())) == all_tables(columns, needed, costs, limit)


@given(problems())
@settings(max_examples=examples(100))
def test_the_depth_first_search_finds_the_same_tables(problem):
    """Without completion, the same tables are found."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enumeration, "completed_tables", lambda *_, **_options: None)
        searched = tables_below(*problem)
    assert searched.finished
    assert sorted(searched.counts.tolist()) == sorted(tables_below(*problem).counts.tolist())


def test_large_counts_and_costs_do_not_overflow():
    """Counts of 10^17 and costs of 2^60 are compared exactly."""
    columns = np.array([[0, 2], [1, 3], [0, 3], [1, 2]])
    needed = np.full(4, 10**17)
    costs = np.array([0, 0, 2**60, 2**60])
    assert completed_tables(columns, needed, costs, 2**60, 10).tolist() == [[10**17, 10**17, 0, 0]]


def test_there_is_no_result_beyond_the_limits(monkeypatch):
    """Too many columns, counts or tables give no result, and the depth-first search takes over."""
    columns, needed = np.array([[0, 2], [1, 3], [0, 3], [1, 2]]), np.full(4, 5)
    free = np.zeros(4, dtype=np.int64)
    assert len(completed_tables(columns, needed, free, 1, 6)) == 6
    assert completed_tables(columns, needed, free, 1, 5) is None
    monkeypatch.setattr(completion, "_MOST_STARTS", 5)
    assert completed_tables(columns, needed, free, 1, 6) is None
    assert len(tables_below(columns, needed, free, 1).counts) == 6
    monkeypatch.setattr(completion, "_MOST_COLUMNS", 3)
    assert completed_tables(columns, needed, free, 1, 6) is None


def test_completion_ends_when_the_time_is_over():
    """No table is listed, so that the caller goes on with a search that can be stopped."""
    columns, needed = np.array([[0, 2], [0, 3], [1, 2], [1, 3]]), np.array([3, 3, 3, 3])
    costs = np.array([0, 1, 1, 0])
    assert completed_tables(columns, needed, costs, 10, 100) is not None
    assert completed_tables(columns, needed, costs, 10, 100, stopped=lambda: True) is None
