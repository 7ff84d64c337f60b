"""Tests of the patterns of small reduced cost against all patterns, by every way of searching."""

import numpy as np
import pytest

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.maximum import depth_first, pricing
from kappamax.maximum.pricing import Pricing
from kappamax.maximum.problem import CompleteProblem, Problem

PER_PAIR = {(0, 1): "linear", (0, 2): "unweighted", (1, 2): "sqrt"}


def problems(rng, n):
    """Yield random designs of two to four raters, half of them with missing ratings, with both signs."""
    for place in range(n):
        codes = rng.integers(0, 3, size=(6, int(rng.integers(2, 5))))
        if place % 2:
            codes[0, 0] = codes[1, 1] = -1
        table = km.Table(codes, np.ones(6, dtype=int), (1, 2, 3), ordered=True)
        kind = Problem if place % 2 else CompleteProblem
        weights = (
            PER_PAIR if codes.shape[1] == 3 and place % 5 == 0 else str(rng.choice(["unweighted", "linear", "sqrt"]))
        )
        for sign in (1, -1):
            yield kind(as_objective(table, weights=weights), sign)


@pytest.mark.parametrize("way", ["compositions", "depth first", "depth first, given up", "in small chunks"])
@pytest.mark.parametrize("at_a_time", [1, 10**6])
def test_every_search_finds_the_patterns_of_the_enumeration(monkeypatch, way, at_a_time):
    """The least reduced cost of every set, the patterns below a limit and the rough bound agree with all patterns."""
    monkeypatch.setattr(depth_first, "_AT_A_TIME", at_a_time)
    if way == "depth first":
        monkeypatch.setattr(pricing, "_MOST_SUMS", 0)
    if way == "depth first, given up":
        monkeypatch.setattr(pricing, "_FEW_SUMS", 0)
        monkeypatch.setattr(pricing, "_STEPS_PER_SUM", 1e-9)
    if way == "in small chunks":
        monkeypatch.setattr(pricing, "_SUMS_AT_A_TIME", 1)
    rng = np.random.default_rng(3)
    for problem in problems(rng, 20):
        patterns = np.concatenate(list(problem.all_patterns()))
        prices = rng.normal(size=problem.margins.shape) * rng.choice([0, 1, 10])
        reduced = problem.real(patterns) - sum(prices[a][patterns[:, a]] for a in range(problem.n_raters))
        sets = np.zeros(len(patterns), int) if problem.objective.table.complete else patterns[:, -1]
        least = [reduced[sets == index].min() for index in range(len(problem.sets))]
        search = Pricing(problem)
        assert search.lowest(prices) == pytest.approx(least)
        assert (search.rough_lowest(prices) <= np.array(least) + 1e-9).all()
        limit = float(rng.choice(reduced)) + 1e-9
        found = search.below(prices, limit, 1000)
        assert found.complete
        assert {*map(tuple, found.patterns.tolist())} == {*map(tuple, patterns[reduced < limit].tolist())}
        assert np.sort(found.reduced) == pytest.approx(np.sort(reduced[reduced < limit]))
        lowest, improving = search.improving(prices, limit, 5)
        clear = np.array(least) < limit
        assert lowest[clear] == pytest.approx(np.array(least)[clear])
        assert {*map(tuple, improving.tolist())} <= {*map(tuple, patterns[reduced < limit].tolist())}
        reached = np.zeros(len(improving), int) if problem.objective.table.complete else improving[:, -1]
        assert set(reached.tolist()) == set(np.flatnonzero(clear).tolist())


def test_the_least_reduced_cost_of_each_set_is_exact_for_missing_ratings():
    """Exact prices with three roots and denominators give the enumeration's least cost in every set of raters."""
    rng = np.random.default_rng(8)
    for problem in problems(rng, 12):
        if not isinstance(problem.objective.weights, km.Weights):
            continue
        shape = (*problem.margins.shape, len(problem.roots))
        prices = pricing.Prices(rng.integers(-(2**50), 2**50, size=shape), 3 * 2**40)
        patterns = np.concatenate(list(problem.all_patterns()))
        sets = np.zeros(len(patterns), int) if problem.objective.table.complete else patterns[:, -1]
        found = Pricing(problem).exact_lowest(prices)
        costs = problem.costs(patterns).astype(object) * prices.denominator - prices.of(patterns).astype(object)
        for index, low in enumerate(found):
            assert low == min(problem.number(row) for row in costs[sets == index].tolist()) / prices.denominator


def test_patterns_nearby_are_below_the_limit(monkeypatch):
    """Patterns found by changing one rating at a time are below the limit, and the best is often the least of all."""
    monkeypatch.setattr(pricing, "_FEW_SUMS", 0)
    rng = np.random.default_rng(4)
    hits = []
    for problem in problems(rng, 20):
        prices = rng.normal(size=problem.margins.shape)
        starts = problem.observed()[0]
        patterns = np.concatenate(list(problem.all_patterns()))
        reduced = problem.real(patterns) - sum(prices[a][patterns[:, a]] for a in range(problem.n_raters))
        limit = float(np.quantile(reduced, 0.3))
        found = Pricing(problem).nearby(prices, starts, limit, 10)
        assert {*map(tuple, found.tolist())} <= {*map(tuple, patterns[reduced < limit].tolist())}
        if problem.objective.table.complete:
            hits.append(patterns[reduced.argmin()].tolist() in found.tolist())
        else:
            assert len(found) == 0
    assert sum(hits) > len(hits) / 2
