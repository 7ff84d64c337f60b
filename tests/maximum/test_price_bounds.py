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
from kappamax.maximum import price_bounds
from kappamax.maximum.price_bounds import Pricing
from kappamax.maximum.problem import CompleteProblem, Problem
from kappamax.maximum.solution import Prices
from tests.support.maximum_problems import least_cost, small_tables, weights_for
from tests.support.strategies import examples


def problems(rng, n):
    """Yield random designs of two to four raters, half of them with missing ratings, with both signs."""
    for place in range(n):
        codes = rng.integers(0, 3, size=(6, int(rng.integers(2, 5))))
        if place % 2:
            codes[0, 0] = codes[1, 1] = -1
        table = km.Table(codes, np.ones(6, dtype=int), (1, 2, 3), ordered=True)
        kind = Problem if place % 2 else CompleteProblem
        for sign in (1, -1):
            yield kind(as_objective(table, weights=str(rng.choice(["unweighted", "linear", "sqrt"]))), sign)


@pytest.mark.parametrize("at_a_time", [1, 100, 10**6])
def test_the_search_is_the_same_however_often_it_pauses(monkeypatch, at_a_time):
    """The search finds the patterns of the enumeration, and the rough bound is never above the least reduced cost."""
    monkeypatch.setattr(price_bounds, "_AT_A_TIME", at_a_time)
    rng = np.random.default_rng(3)
    for problem in problems(rng, 20):
        patterns = np.concatenate(list(problem.all_patterns()))
        prices = rng.normal(size=problem.margins.shape) * rng.choice([0, 1, 10])
        reduced = problem.real(patterns) - sum(prices[a][patterns[:, a]] for a in range(problem.n_raters))
        search = Pricing(problem)
        assert search.least(prices).least == pytest.approx(reduced.min())
        limit = float(rng.choice(reduced)) + 1e-9
        found = search.below(prices, limit, 1000)
        assert {*map(tuple, found.patterns.tolist())} == {*map(tuple, patterns[reduced < limit].tolist())}
        assert search.rough_least(prices) <= reduced.min() + 1e-9


def test_the_least_reduced_cost_by_hand():
    """The least reduced cost of three raters and two categories is -1, and the bound is 1 - 2 = -1.

    The prices of the second category are 1, 0 and 0. Unweighted costs are 0 for 000 and 111 and 2 for the others. The
    prices of 111 add up to 1, so its reduced cost is -1, which is the least. The first rater used the second category
    once, so the total of the prices is 1, and the bound is lower by 1 for each of the two subjects.
    """
    problem = CompleteProblem(as_objective(km.from_ratings([[1, 1, 0], [0, 1, 1]], categories=[0, 1])), 1)
    numerators = np.zeros((3, 2, 1), dtype=np.int64)
    numerators[0, 1] = 1
    found = Pricing(problem).least(numerators[:, :, 0].astype(float))
    assert (found.patterns.tolist(), found.least) == ([[1, 1, 1]], -1)
    below = Pricing(problem).below(numerators[:, :, 0].astype(float), 0.5, 10)
    assert sorted(map(tuple, below.patterns.tolist())) == [(0, 0, 0), (1, 1, 1)]
    assert price_bounds.lowest_reduced_cost(problem, Prices(numerators)) == -1
    assert price_bounds.bound_of(problem, Prices(numerators)) == 1 - 2


@pytest.mark.parametrize("way", ["listed", "searched", "too many to compare"])
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
    least = RootSum()
    for pattern in np.concatenate(list(problem.all_patterns())):
        paid = sum((prices.numerators[a, c] for a, c in enumerate(pattern)), np.zeros(len(radicands), dtype=int))
        paid = RootSum({f: Fraction(int(n), prices.denominator) for f, n in zip(radicands, paid, strict=True)})
        least = min(least, problem.total(pattern[None, :], np.array([1])) - paid)
    with pytest.MonkeyPatch.context() as patch:
        if way != "listed":
            patch.setattr(price_bounds, "LISTED_CELLS", 0)
        if way == "too many to compare":
            patch.setattr(price_bounds, "_MOST_TIED", 0)
        found = price_bounds.lowest_reduced_cost(problem, prices)
    if way == "too many to compare":
        size = 1 + np.abs(prices.real(problem.roots)).max() + Pricing(problem).scale
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
    """Return a table of fifteen raters and six categories, which has 4.7e11 possible patterns."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 6, size=100)
    ratings = np.repeat(truth[:, None], 15, axis=1)
    wrong = rng.random(ratings.shape) < 0.5
    ratings[wrong] = rng.integers(0, 6, size=wrong.sum())
    return km.from_ratings(ratings, categories=range(6))


@pytest.mark.parametrize("weights", [pytest.param("unweighted", marks=pytest.mark.slow), "sqrt"])
def test_a_time_limit_ends_the_search_for_patterns(weights):
    """The complete search would take hours; the result is a table with a bound."""
    start = monotonic()
    result = km.max_kappa(large(), weights=weights, time_limit=0.1)
    assert monotonic() - start < 60  # a few seconds on an idle machine
    assert result.minimum_bound <= result.minimum <= result.value <= result.maximum <= result.bound <= 1
    assert not result.proven
    assert not km.verify(result).faults


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process alone")
def test_ctrl_c_ends_the_search_for_patterns():
    """The result so far is available soon after Ctrl-C."""
    km.max_kappa(large(), time_limit=0.1)  # compiles the kernels, so that the time below does not include it
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = monotonic()
    with pytest.raises(Interrupted) as stopped:
        km.max_kappa(large())
    assert monotonic() - start < 60
    best = stopped.value.best
    assert best.minimum_bound <= best.minimum <= best.value <= best.maximum <= best.bound <= 1
