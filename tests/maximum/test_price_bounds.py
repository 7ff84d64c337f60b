"""Tests of the search for patterns of negative reduced cost and of its time limit."""

import os
import signal
import sys
import threading
from time import monotonic

import numpy as np
import pytest

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.errors import Interrupted
from kappamax.maximum import price_bounds
from kappamax.maximum.price_bounds import Pricing
from kappamax.maximum.problem import CompleteProblem, Problem


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


def large():
    """Return a table of fifteen raters and six categories, which has 4.7e11 possible patterns."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 6, size=100)
    ratings = np.repeat(truth[:, None], 15, axis=1)
    wrong = rng.random(ratings.shape) < 0.5
    ratings[wrong] = rng.integers(0, 6, size=wrong.sum())
    return km.from_ratings(ratings, categories=range(6))


@pytest.mark.parametrize("weights", ["unweighted", "sqrt"])
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
