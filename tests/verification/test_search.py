"""Compare the searches of the verification with enumeration, for small numbers and near their limits."""

from itertools import product

import numpy as np
import pytest

from kappamax.fibers import enumeration
from kappamax.verification import search


@pytest.fixture(params=["as it is", "compiled"])
def rng(request, monkeypatch):
    """Return a random generator; the kernels are run in plain Python or compiled."""
    if request.param == "compiled":
        numba = pytest.importorskip("numba")
        made = {source: numba.njit(cache=True)(source) for source in (search._patterns_below, enumeration._depth_first)}
        for module in (search, enumeration):
            monkeypatch.setattr(module, "kernel", lambda source, **_: made[source])
    return np.random.default_rng(11)


def all_patterns(costs, prices):
    """Return every pattern in order and its cost minus its prices, in Python integers."""
    r, k = prices.shape
    for x in product(range(k), repeat=r):
        pairs = sum(int(costs[a, b, x[a], x[b]]) for a in range(r) for b in range(a + 1, r))
        yield x, pairs - sum(int(prices[a, x[a]]) for a in range(r))


def test_patterns_below_a_limit_are_those_found_by_trying_all(rng):
    """The search agrees with enumeration for ties, limits at the boundary, negative costs and sums near 2^61."""
    for _ in range(150):
        r, k = int(rng.integers(1, 5)), int(rng.integers(1, 4))
        size = int(rng.choice([2, 10, 2**40, 2**enumeration.BITS // (r * r + r + 2)]))
        costs = np.zeros((r, r, k, k), dtype=np.int64)
        for a, b in zip(*np.triu_indices(r, 1), strict=True):
            costs[a, b] = rng.integers(-size + 1, size, size=(k, k))
        prices = rng.integers(-size + 1, size, size=(r, k))
        everything = list(all_patterns(costs, prices))
        limit = everything[int(rng.integers(len(everything)))][1] + int(rng.integers(-1, 2))
        below = [(x, left) for x, left in everything if left < limit]
        found = search.patterns_below(costs, prices, limit, most=4)
        assert found.patterns.tolist() == [list(x) for x, _ in below[:4]]
        assert found.total == len(below)
        assert found.least == min((left for _, left in below), default=limit)


def all_tables(columns, left, costs, limit):
    """Return every table whose cost is below the limit, in Python integers."""
    if limit <= 0:
        return
    if not columns:
        if not any(left):
            yield ()
        return
    for n in range(min(left[i] for i in columns[0] if i >= 0) + 1):
        rest = [amount - n * columns[0].count(i) for i, amount in enumerate(left)]
        for others in all_tables(columns[1:], rest, costs[1:], limit - n * costs[0]):
            yield (n, *others)


def test_tables_below_a_limit_are_those_found_by_trying_all(rng):
    """The search agrees with enumeration for zero costs, missing ratings, impossible margins and limits near 2^60."""
    for _ in range(150):
        r, k = int(rng.integers(1, 4)), int(rng.integers(1, 3))
        patterns = rng.permutation(list(product(range(k), repeat=r)))[:6]
        columns = np.where(rng.random(patterns.shape) < 0.9, patterns + k * np.arange(r), -1)
        columns = np.column_stack([columns, np.full(len(columns), r * k)]).astype(np.int64)
        counts = rng.integers(0, 3, size=len(columns))
        needed = np.zeros(r * k + 1, dtype=np.int64)
        for column, count in zip(columns, counts, strict=True):
            np.add.at(needed, column[column >= 0], count)
        needed[int(rng.integers(len(needed)))] += int(rng.random() < 0.1)
        costs = rng.integers(0, int(rng.choice([1, 2, 10, 2**60 // max(1, needed[-1])])) + 1, size=len(columns))
        limit = int(sum(costs.astype(object) * counts)) + int(rng.integers(-1, 2))
        found = enumeration.tables_below(columns, needed, costs, limit)
        expected = all_tables(columns.tolist(), needed.tolist(), costs.tolist(), limit)
        assert found.finished
        assert sorted(map(tuple, found.counts.tolist())) == sorted(expected)
