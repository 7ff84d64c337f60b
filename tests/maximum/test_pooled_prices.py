"""Tests of prices that are the same for all raters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.maximum.pooled_prices import pooled_prices
from kappamax.maximum.price_bounds import bound_of, feasible, lowest_reduced_costs
from kappamax.maximum.problem import CompleteProblem, Watch
from tests.support.maximum_problems import SCHEMES, least_cost, small_tables
from tests.support.strategies import examples


@settings(max_examples=examples(150))
@given(st.data())
def test_the_bound_is_below_every_table(data):
    """The least reduced cost is that of all patterns, and the bound does not exceed the cost of any table."""
    table = data.draw(small_tables(max_raters=3, max_categories=3))
    problem = CompleteProblem(as_objective(table, weights=data.draw(st.sampled_from(SCHEMES))), -1)
    prices, lowest = pooled_prices(problem, Watch())
    assert [lowest] == lowest_reduced_costs(problem, prices)
    bound = feasible(problem, prices, [lowest])[1]
    assert bound == bound_of(problem, prices)
    assert bound <= least_cost(problem)
    assert (prices.numerators == prices.numerators[0]).all()


@pytest.mark.parametrize("weights", ["unweighted", "sqrt", "quadratic", "power(0.3)"])
def test_the_bound_is_attained_by_six_raters(weights):
    """With six raters and different margins, the bound is the minimum that `max_kappa` proves."""
    rng = np.random.default_rng(11)
    table = km.from_ratings(rng.choice(4, size=(60, 6), p=[0.4, 0.3, 0.2, 0.1]), categories=range(4))
    problem = CompleteProblem(as_objective(table, weights=weights), -1)
    bound = bound_of(problem, pooled_prices(problem, Watch())[0])
    result = km.max_kappa(table, weights=weights)
    assert result.minimum_proven
    assert result.minimum_solution.cost == bound


def test_without_time_there_are_no_prices(monkeypatch):
    """The result is None if the linear program is cut short."""
    problem = CompleteProblem(as_objective(km.from_ratings([[1, 2, 3], [2, 2, 1]])), -1)
    monkeypatch.setattr("kappamax.maximum.pooled_prices.solve_linear", lambda *given: None)
    assert pooled_prices(problem, Watch()) is None
