"""Tests of transportation problems, against the linear programs of scipy and the prices that prove an optimum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from kappamax.maximum import network_simplex
from kappamax.maximum.transport import transport_table
from tests.support.strategies import examples


@st.composite
def problems(draw):
    """Return integer costs with many ties, and totals of which some are equal or zero."""
    k, m = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    size = draw(st.sampled_from([1, 3, 1000]))
    costs = draw(st.lists(st.lists(st.integers(-size, size), min_size=m, max_size=m), min_size=k, max_size=k))
    cells = draw(st.lists(st.lists(st.sampled_from([0, 0, 1, 1, 5]), min_size=m, max_size=m), min_size=k, max_size=k))
    cells = np.array(cells)
    cells[draw(st.integers(0, k - 1)), draw(st.integers(0, m - 1))] += 1
    return np.array(costs), cells.sum(axis=1), cells.sum(axis=0)


def least_cost(costs, rows, columns):
    """Return the optimum by linear programming."""
    k, m = costs.shape
    sides = np.vstack([np.kron(np.eye(k), np.ones(m)), np.kron(np.ones(k), np.eye(m))])
    return linprog(costs.ravel(), A_eq=sides, b_eq=np.concatenate([rows, columns])).fun


def check(costs, rows, columns, table, v):
    """The table has the totals, and the prices prove that it is optimal."""
    assert table.min() >= 0
    assert (table.sum(axis=1) == rows).all()
    assert (table.sum(axis=0) == columns).all()
    reduced = costs - (costs - v).min(axis=1)[:, None] - v
    assert reduced.min() >= 0
    assert not reduced[table > 0].any()


@pytest.mark.parametrize("dtype", [np.int64, object])
@given(problem=problems())
@settings(max_examples=examples(300))
def test_tables_are_optimal_with_their_prices(problem, dtype):
    """Ties, zero totals and a single row or column make no difference."""
    costs, rows, columns = problem
    table, v = transport_table(costs.astype(dtype), rows, columns)
    check(costs, rows, columns, table, v)
    assert (table * costs).sum() == pytest.approx(least_cost(*problem))


@pytest.mark.parametrize("seed", range(30))
def test_compiled_and_plain_functions_agree(seed):
    """The same pivots lead to the same table and prices."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 3, size=rng.integers(1, 30, 2)) * (rng.random(1) < 0.5) + rng.poisson(0.2)
    cells[0, 0] += 1
    problem = rng.integers(0, rng.choice([2, 1000]), size=cells.shape), cells.sum(axis=1), cells.sum(axis=0)
    plain, compiled = (transport_table(*problem, repetitions) for repetitions in (0, 10**6))
    check(*problem, *compiled)
    assert (plain[0] == compiled[0]).all()
    assert (plain[1] == compiled[1]).all()


@pytest.mark.parametrize("size", [1, 10**12, 4 * 10**17])
@pytest.mark.parametrize("kind", ["equal totals", "random totals", "one large total"])
def test_degenerate_problems_end(size, kind):
    """With equal totals, almost every basis has counts of zero; without the perturbation, pivots may never end."""
    rng, k = np.random.default_rng(0), 40
    costs = rng.integers(0, 3, size=(k, k))
    rows = {"equal totals": np.ones(k, dtype=int), "random totals": rng.integers(1, 9, k), "one large total": None}[
        kind
    ]
    if rows is None:
        rows = np.ones(k, dtype=int)
        rows[3] = 9
    columns = rng.permutation(rows)
    factor = max(1, size // int(rows.sum()))
    check(costs, rows * factor, columns * factor, *transport_table(costs, rows * factor, columns * factor, 10))


def test_costs_up_to_two_to_the_44_do_not_overflow():
    """Prices add up the costs along paths of the tree."""
    rng = np.random.default_rng(1)
    costs = rng.integers(0, 2**44, size=(300, 300))
    rows, columns = rng.multinomial(10**9, np.full(300, 1 / 300), size=2)
    check(costs, rows, columns, *transport_table(costs, rows, columns))


def test_every_cell_is_compiled_above_the_threshold(monkeypatch):
    """Both steps are compiled; small problems are not worth the import of numba."""
    seen = []
    monkeypatch.setattr(network_simplex, "kernel", lambda step, work, worth, stopped: seen.append(work > worth) or step)
    costs = np.ones((30, 30), dtype=np.int64)
    for n in (30, 5):
        transport_table(costs[:n, :n], np.ones(n, dtype=int), np.ones(n, dtype=int))
    assert seen == [True, True, False, False]
