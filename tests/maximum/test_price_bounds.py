"""Tests of the patterns of least reduced cost, of the bounds that dual prices prove, and of time limits."""

import os
import signal
import sys
import threading
from fractions import Fraction
from time import monotonic

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax._rootsum import RootSum
from kappamax.coefficients import as_objective
from kappamax.errors import Interrupted
from kappamax.maximum import price_bounds, pricing
from kappamax.maximum.pricing import Pricing
from kappamax.maximum.problem import CompleteProblem
from kappamax.maximum.solution import Prices
from tests.support.maximum_problems import least_cost, small_tables, weights_for
from tests.support.strategies import examples


def test_the_least_reduced_cost_by_hand():
    """The least reduced cost of three raters and two categories is -1, and the bound is 1 - 2 = -1.

    The prices of the second category are 1, 0 and 0. Unweighted costs are 0 for 000 and 111 and 2 for the others. The
    prices of 111 add up to 1, so its reduced cost is -1, which is the least. The first rater used the second category
    once, so the total of the prices is 1, and the bound is lower by 1 for each of the two subjects.
    """
    problem = CompleteProblem(as_objective(km.from_ratings([[1, 1, 0], [0, 1, 1]], categories=[0, 1])), 1)
    numerators = np.zeros((3, 2, 1), dtype=np.int64)
    numerators[0, 1] = 1
    lowest, patterns = Pricing(problem).improving(numerators[:, :, 0].astype(float), 0.0, 10)
    assert (patterns.tolist(), lowest.tolist()) == ([[1, 1, 1]], [-1])
    below = Pricing(problem).below(numerators[:, :, 0].astype(float), 0.5, 10)
    assert sorted(map(tuple, below.patterns.tolist())) == [(0, 0, 0), (1, 1, 1)]
    assert price_bounds.lowest_reduced_costs(problem, Prices(numerators)) == [-1]
    assert price_bounds.bound_of(problem, Prices(numerators)) == 1 - 2


@pytest.mark.parametrize("way", ["listed", "by composition", "searched", "too many to compare"])
@settings(max_examples=examples(60))
@given(st.data(), st.sampled_from([1, -1]))
def test_the_least_reduced_cost_is_exact(way, data, sign):
    """The result is the exact least over all patterns, or slightly lower if too many patterns are close to it."""
    table = data.draw(small_tables(max_raters=3, max_categories=3))
    problem = CompleteProblem(as_objective(table, weights=data.draw(weights_for(table))), sign)
    shape = (*problem.margins.shape, len(problem.roots))
    values = data.draw(st.lists(st.integers(-6, 6), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    prices = Prices(np.array(values).reshape(shape), data.draw(st.integers(1, 4)))
    radicands = problem.objective.radicands
    costs = []
    for pattern in np.concatenate(list(problem.all_patterns())):
        paid = sum((prices.numerators[a, c] for a, c in enumerate(pattern)), np.zeros(len(radicands), dtype=int))
        paid = RootSum({f: Fraction(int(n), prices.denominator) for f, n in zip(radicands, paid, strict=True)})
        costs.append(problem.total(pattern[None, :], np.array([1])) - paid)
    least = min(costs)
    with pytest.MonkeyPatch.context() as patch:
        if way != "listed":
            patch.setattr(price_bounds, "_LISTED_CELLS", 0)
        if way in ("searched", "too many to compare"):
            patch.setattr(pricing, "_MOST_SUMS", 0)
        if way == "too many to compare":
            patch.setattr(price_bounds, "_MOST_TIED", 0)
        (found,) = price_bounds.lowest_reduced_costs(problem, prices)
    two_raters = problem.n_raters == 2 and len(problem.roots) == 1  # a matrix, which is always listed
    if way == "too many to compare" and not two_raters:
        size = 1 + np.abs(prices.real(problem.roots)).max() + problem.scale
        assert least - 2 * Fraction(price_bounds.ROUNDING_MARGIN * size) <= found <= least
    else:
        assert found == least
    assert price_bounds.bound_of(problem, prices) <= least_cost(problem)


def test_a_bound_within_one_step_of_a_cost_settles_it():
    """Costs of linear weights for four categories are multiples of 1/3; with roots, the bound must equal the cost."""
    table = km.example("rapallo2022")
    linear = CompleteProblem(as_objective(table, weights="linear"), 1)
    assert price_bounds.cost_step(linear) == 1
    cost = RootSum(Fraction(5))
    assert price_bounds.settles(linear, cost, cost - Fraction(1, 2))
    assert not price_bounds.settles(linear, cost, cost - 1)
    roots = CompleteProblem(as_objective(table, weights="sqrt"), 1)
    assert price_bounds.cost_step(roots) is None
    assert price_bounds.settles(roots, cost, cost)
    assert not price_bounds.settles(roots, cost, cost - Fraction(1, 10**9))


def large():
    """Return a table of twenty raters and eight categories, which has 1.2e18 possible patterns."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 8, size=100)
    ratings = np.repeat(truth[:, None], 20, axis=1)
    wrong = rng.random(ratings.shape) < 0.5
    ratings[wrong] = rng.integers(0, 8, size=wrong.sum())
    return km.from_ratings(ratings, categories=range(8))


def per_pair():
    """Return different weights for every second pair of twenty raters, which exclude a search by compositions."""
    return {(a, b): ("sqrt" if (a + b) % 2 else "unweighted") for a in range(20) for b in range(a + 1, 20)}


@pytest.mark.parametrize("weights", [per_pair(), "sqrt"], ids=["per pair", "sqrt"])
def test_a_time_limit_ends_the_search_for_patterns(weights):
    """The complete search would take hours; the result is a table with a bound."""
    start = monotonic()
    result = km.max_kappa(large(), weights=weights, time_limit=0.05)
    assert monotonic() - start < 60  # a few seconds on an idle machine
    assert result.value <= result.maximum <= result.bound <= 1
    assert result.minimum_bound <= result.value  # has the same limit
    assert not result.proven
    assert not km.verify(result).faults


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process alone")
def test_ctrl_c_ends_the_search_for_patterns():
    """The result so far is available soon after Ctrl-C."""
    km.max_kappa(large(), weights=per_pair(), time_limit=0.1)  # compiles the kernels
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = monotonic()
    with pytest.raises(Interrupted) as stopped:
        km.max_kappa(large(), weights=per_pair())
    assert monotonic() - start < 60
    best = stopped.value.best
    assert best.value <= best.maximum <= best.bound <= 1
    assert not best.has_minimum
