"""Tests of exact prices near doubles, under which tight patterns have reduced cost zero."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax._rational_solve import independent_rows
from kappamax.coefficients import as_objective
from kappamax.maximum import exact_prices
from kappamax.maximum.exact_prices import certified_near
from kappamax.maximum.price_bounds import bound_of, reduced_costs
from kappamax.maximum.problem import CompleteProblem, Watch
from kappamax.maximum.solution import Prices
from kappamax.maximum.solve import solve
from tests.support.maximum_problems import least_cost, small_tables, weights_for
from tests.support.strategies import examples, tables


def every_pattern(problem):
    return np.concatenate(list(problem.all_patterns()))


def incidence(patterns, n_categories):
    """Return one row per pattern with a one for each of its ratings."""
    m, r = patterns.shape
    rows = np.zeros((m, r * n_categories), dtype=np.int64)
    for row, pattern in zip(rows, patterns, strict=True):
        for rater, code in enumerate(pattern):
            row[rater * n_categories + code] = 1
    return rows


def first_independent(rows):
    """Return the positions of the rows that increase the rank of the rows before them, computed by numpy."""
    chosen = []
    for position in range(len(rows)):
        if np.linalg.matrix_rank(rows[[*chosen, position]]) > len(chosen):
            chosen.append(position)
    return chosen


@st.composite
def pattern_lists(draw, n_raters, n_categories=4):
    """Draw some distinct patterns in any order."""
    row = st.tuples(*[st.integers(0, n_categories - 1)] * n_raters)
    return np.array(draw(st.lists(row, min_size=1, max_size=12, unique=True)), dtype=np.int32)


def test_edges_that_close_a_cycle_are_not_in_the_forest():
    """Three of the four cells of rows 0, 1 and columns 0, 1 connect all of them, so the fourth closes a cycle."""
    patterns = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [2, 2]])
    assert exact_prices._forest(patterns, 3) == [0, 1, 2, 4]


@given(pattern_lists(2))
def test_the_forest_is_the_first_independent_patterns(patterns):
    """The forest agrees with ranks computed by numpy."""
    assert exact_prices._forest(patterns, 4) == first_independent(incidence(patterns, 4))


@given(pattern_lists(3))
def test_elimination_chooses_the_first_independent_patterns(patterns):
    """Elimination modulo a prime agrees with ranks in doubles, and the pivot columns form an invertible matrix."""
    rows = incidence(patterns, 4)
    chosen, pivots = independent_rows(rows, 100)
    assert chosen == first_independent(rows)
    assert abs(np.linalg.det(rows[chosen][:, pivots])) > 0.5
    fewer, _ = independent_rows(rows, 2)
    assert fewer == chosen[:2]


@settings(max_examples=examples(60))
@given(st.data(), st.sampled_from([1, -1]))
def test_prices_along_a_forest_meet_every_cost_on_it_exactly(data, sign):
    """For two raters, the reduced costs of the patterns of the forest are zero for any initial prices."""
    table = data.draw(tables(max_raters=2))
    problem = CompleteProblem(as_objective(table, weights=data.draw(weights_for(table))), sign)
    patterns = every_pattern(problem)[data.draw(st.permutations(range(problem.n_cells)))]
    real = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=problem.margins.shape)
    prices = exact_prices._along_forest(problem, real, patterns)
    forest = patterns[exact_prices._forest(patterns, problem.n_categories)]
    assert not reduced_costs(problem, prices, forest).any()
    # the undetermined price is that of the first row, which is rounded to multiples of 2^-40
    first = prices.real(problem.roots)[0, 0]
    assert abs(first - real[0, 0]) <= 2**-40


@settings(max_examples=examples(60))
@given(st.data(), st.sampled_from([1, -1]))
def test_prices_by_elimination_meet_every_chosen_cost_exactly(data, sign):
    """For three and four raters, the first independent patterns have reduced cost zero if the method returns prices."""
    table = data.draw(tables(min_raters=3, max_raters=4, max_categories=3))
    problem = CompleteProblem(as_objective(table, weights=data.draw(weights_for(table))), sign)
    order = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(problem.n_cells)
    patterns = every_pattern(problem)[order[: data.draw(st.integers(1, 30))]]
    prices = exact_prices._by_elimination(problem, np.zeros(problem.margins.shape), patterns)
    if prices is None:
        return
    chosen = first_independent(incidence(patterns, problem.n_categories))
    assert not reduced_costs(problem, prices, patterns[chosen]).any()
    assert prices.denominator % 2**40 == 0


def test_prices_may_be_fractions(monkeypatch):
    """Three patterns with two ones determine the first rater's price of a one, (1 + 2 - 2) / 2, which is not whole."""
    symmetric = km.Weights.from_matrix([[0, 1], [1, 0]], kind="disagreement")
    upper = km.Weights.from_matrix([[0, 1], [0, 0]], kind="disagreement")
    table = km.from_ratings([[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]], categories=[0, 1])
    objective = as_objective(table, weights={(0, 1): symmetric, (0, 2): symmetric, (1, 2): upper})
    problem, zero = CompleteProblem(objective, 1), np.zeros((3, 2))
    patterns = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=np.int32)
    assert problem.costs(patterns).ravel().tolist() == [0, 1, 2, 2]
    found = exact_prices._by_elimination(problem, zero, patterns)
    assert found.denominator == 2 * 2**40
    first, _, _ = found.real(problem.roots)
    assert first[1] - first[0] == 0.5
    monkeypatch.setattr(exact_prices, "_LARGEST_COST", 1)
    assert exact_prices._by_elimination(problem, zero, patterns) is None


@settings(max_examples=examples(60))
@given(st.data(), st.sampled_from([1, -1]), st.sampled_from([0.0, 1e-13, 1e-3, 1.0]))
def test_what_is_certified_near_any_doubles_is_true(data, sign, noise):
    """The bound never exceeds the least cost of all tables, and is equal to it near optimal prices."""
    table = data.draw(small_tables(max_raters=3, max_categories=3))
    problem = CompleteProblem(as_objective(table, weights=data.draw(weights_for(table))), sign)
    best = solve(problem)
    optimal = best.prices.real(problem.roots)
    shift = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=optimal.shape)
    found = certified_near(
        problem,
        best.patterns,
        best.counts,
        optimal + noise * (1 + np.abs(optimal).max()) * shift,
        every_pattern(problem),
        best.patterns,
        "test",
    )
    assert found.bound <= least_cost(problem) == found.cost
    assert found.method == "test"
    if noise < 1e-9 and best.proof == "prices":
        assert found.proven
        assert found.bound == found.cost


def test_the_best_bound_of_several_candidates_is_kept(monkeypatch):
    """None of three candidates proves the observed table optimal, and the candidate with the best bound is returned."""
    problem = CompleteProblem(as_objective(km.from_counts([[2, 1], [1, 2]])), 1)
    candidates = []
    for worth in (3, 1, 2):
        numerators = np.zeros((2, 2, 1), dtype=np.int64)
        numerators[0, :, 0] = -worth  # for every rating of the first rater
        numerators[1, 0, 0] = worth  # compensated for three of the six ratings of the second rater
        candidates.append(Prices(numerators))
    monkeypatch.setattr(exact_prices, "_candidates", lambda *_: iter(candidates))
    patterns, counts = problem.observed()
    found = certified_near(problem, patterns, counts, np.zeros((2, 2)), patterns, patterns, "test")
    assert found.prices is candidates[1]
    assert found.bound == max(bound_of(problem, prices) for prices in candidates) == -3


def test_prices_of_zero_replace_worse_prices_under_a_time_limit():
    """With a time limit, the bound is at least that of zero prices, which is 0 because disagreement is not negative."""
    problem = CompleteProblem(as_objective(km.from_counts([[2, 1], [1, 2]])), 1)
    far = np.array([[50.0, -50.0], [50.0, -50.0]])
    arguments = (problem, *problem.observed(), far, problem.observed()[0][:0], problem.observed()[0][:0], "test")
    assert certified_near(*arguments).bound < 0
    assert certified_near(*arguments, Watch(60)).bound == 0
