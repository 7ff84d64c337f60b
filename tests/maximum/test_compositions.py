"""Tests of the dynamic program over compositions against all patterns."""

from itertools import product

import numpy as np
import pytest

from kappamax._rootsum import RootSum
from kappamax.maximum.compositions import best_sums, compositions_of, exact_best_sums, listed, n_sums, traced

DESIGNS = [(r, k) for r in range(6) for k in range(1, 5)] + [(2, 9), (12, 2)]


def all_patterns(r, k):
    return np.array(list(product(range(k), repeat=r)), dtype=int).reshape(k**r, r)


def places(tables, patterns):
    """Return the position of the composition of every pattern."""
    at = {tuple(row): i for i, row in enumerate(tables.counts.tolist())}
    k = tables.counts.shape[1]
    return np.array([at[tuple(np.bincount(row, minlength=k))] for row in patterns])


@pytest.mark.parametrize(("r", "k"), DESIGNS)
def test_compositions_are_listed_once(r, k):
    """All compositions occur once, the patterns have them, and one rating less leads to the right composition."""
    tables = compositions_of(r, k)
    counts = tables.counts.tolist()
    assert len({tuple(row) for row in counts}) == len(counts) == tables.sizes[-1]
    assert all(sum(row) == r and min(row) >= 0 for row in counts)
    assert (places(tables, tables.patterns) == np.arange(len(counts))).all()
    assert sum(tables.sizes) == n_sums(r, k)
    for j, x in product(range(k - 1), range(len(counts))):
        less = list(counts[x])
        less[j] -= 1
        less[-1] += 1  # one rating of the others is left for the last category
        assert (counts.index(less) if less[j] >= 0 else len(counts)) == tables.before[j, x]


@pytest.mark.parametrize(("r", "k"), DESIGNS)
def test_sums_patterns_and_lists_are_those_of_all_patterns(r, k):
    """The sums are the greatest of all patterns, the patterns traced have them, and no pattern is missing in a list."""
    rng = np.random.default_rng(r * 10 + k)
    tables, patterns = compositions_of(r, k), all_patterns(r, k)
    at = places(tables, patterns)
    for prices in (rng.normal(size=(3, r, k)), rng.integers(-3, 4, size=(3, r, k))):
        best = best_sums(tables, prices)
        for one in range(3):
            sums = prices[one][np.arange(r), patterns].sum(axis=1)
            want = np.full(len(tables.counts), -np.inf)
            np.maximum.at(want, at, sums)
            assert best[-1, one, :-1] == pytest.approx(want)
            everywhere = np.arange(len(want))
            found = traced(tables, prices, best, np.full(len(want), one), everywhere)
            assert (places(tables, found) == everywhere).all()
            assert prices[one][np.arange(r), found].sum(axis=1) == pytest.approx(want)
    prices = rng.normal(size=(2, r, k))
    best = best_sums(tables, prices)
    room = rng.normal(size=(2, len(tables.counts))) + 0.5
    expected = {}
    for one, pattern in product(range(2), range(len(patterns))):
        lost = best[-1, one, at[pattern]] - prices[one][np.arange(r), patterns[pattern]].sum()
        if lost < room[one, at[pattern]]:
            expected[one, *patterns[pattern].tolist()] = room[one, at[pattern]] - lost
    sets, found, left, complete = listed(tables, prices, best, room, 10**6)
    assert complete
    rows = [(int(one), *row) for one, row in zip(sets, found.tolist(), strict=True)]
    assert len(rows) == len(set(rows))
    assert dict(zip(rows, left, strict=True)) == pytest.approx(expected)
    if len(expected) > 1:
        sets, found, left, complete = listed(tables, prices, best, room, len(expected) - 1)
        assert len(found) == len(expected) - 1
        assert not complete


def test_exact_sums_decide_what_doubles_cannot():
    """Whole numbers of seventeen digits whose difference is lost in doubles are compared exactly."""
    tables = compositions_of(2, 2)
    parts = np.array([[[[0], [10**17]], [[1], [10**17]]]])  # pattern (0, 1) costs 10^17, and pattern (1, 0) one more
    worth = parts[..., 0].astype(float)
    sums = exact_best_sums(tables, worth, parts, 1e3, lambda number: number[0] > 0)
    mixed = [row.tolist() for row in tables.counts].index([1, 1])
    assert sums[0, mixed, 0] == 10**17 + 1


def test_exact_sums_compare_roots():
    """With a margin that calls everything nearly equal, the exact comparison alone finds the greatest sums."""
    rng = np.random.default_rng(0)
    r, k = 4, 3
    tables, patterns = compositions_of(r, k), all_patterns(4, 3)
    parts = rng.integers(-5, 6, size=(2, r, k, 2))
    worth = parts @ np.sqrt([1.0, 2.0])
    sums = exact_best_sums(
        tables, worth, parts, 1e9, lambda number: RootSum({1: int(number[0]), 2: int(number[1])}).sign() > 0
    )
    at = places(tables, patterns)
    for one in range(2):
        want = np.full(len(tables.counts), -np.inf)
        np.maximum.at(want, at, worth[one][np.arange(r), patterns].sum(axis=1))
        assert sums[one] @ np.sqrt([1.0, 2.0]) == pytest.approx(want)
