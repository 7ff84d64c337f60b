"""Tests of the tables of greatest disagreement for distances along a tree."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.maximum.balanced_tables import Edges, balanced, balanced_table, tree_of
from kappamax.maximum.closed_forms import comonotone_table
from kappamax.maximum.problem import CompleteProblem
from kappamax.patterns import margins_of
from tests.support.maximum_problems import least_cost, small_tables
from tests.support.strategies import examples


def distances(own, path):
    """Return the distances between categories along a tree."""
    at = np.concatenate([[0], np.cumsum(path)])
    costs = np.abs(at[:, None] - at[None, :]) + np.add.outer(own, own)
    np.fill_diagonal(costs, 0)
    return costs


def problem_of(margins, weights):
    patterns, counts = comonotone_table(margins)
    table = km.Table(patterns, counts, tuple(range(margins.shape[1])), ordered=True)
    return CompleteProblem(as_objective(table, weights=weights), -1)


@st.composite
def trees(draw, k):
    lengths = st.integers(0, 5)
    own = draw(st.lists(lengths, min_size=k, max_size=k))
    path = draw(st.lists(lengths, min_size=k - 1, max_size=k - 1))
    return np.array(own), np.array(path, dtype=int)


@settings(max_examples=examples(200))
@given(st.data())
def test_a_tree_is_recognised_by_its_distances(data):
    """The edges found give the same distances, in half units; other matrices have no tree."""
    k = data.draw(st.integers(2, 6))
    costs = distances(*data.draw(trees(k)))
    found = tree_of(costs)
    assert (distances(found.own, found.path) == 2 * costs).all()
    squares = np.subtract.outer(np.arange(4), np.arange(4)) ** 2
    assert tree_of(squares) is None


@settings(max_examples=examples(200))
@given(st.data())
def test_the_table_has_the_greatest_disagreement(data):
    """The cost is that of the enumeration, for unweighted, linear and other distances along a tree."""
    table = data.draw(small_tables(max_raters=3, max_categories=3))
    assume(table.n_categories > 1)
    costs = distances(*data.draw(trees(table.n_categories)))
    assume(costs.any())
    own = km.Weights.from_matrix(costs, kind="disagreement")
    for weights in ("unweighted", "linear", own):
        problem = CompleteProblem(as_objective(table, weights=weights), -1)
        solution = balanced(problem)
        assert solution.proven
        assert solution.cost == solution.bound == least_cost(problem)
        assert (margins_of(solution.patterns, solution.counts, problem.n_categories) == problem.margins).all()


@settings(max_examples=examples(100))
@given(st.data())
def test_every_edge_carries_the_same_number_of_ratings_up_to_one(data):
    """Edges of nonzero length are balanced for margins of any kind, up to 10^12 subjects."""
    r, k = data.draw(st.integers(2, 6)), data.draw(st.integers(2, 6))
    n = data.draw(st.sampled_from([1, 2, 7, 100, 10**12]))
    cuts = st.lists(st.integers(0, n), min_size=k - 1, max_size=k - 1).map(lambda cut: np.diff([0, *sorted(cut), n]))
    margins = np.array([data.draw(cuts) for _ in range(r)])
    own, path = data.draw(trees(k))
    patterns, counts = balanced_table(margins, Edges(own, path))
    assert (margins_of(patterns, counts, k) == margins).all()
    carried = np.stack([(patterns == j).sum(axis=1) for j in range(k)], axis=1)
    for numbers in (carried[:, own > 0], np.cumsum(carried, axis=1)[:, :-1][:, path > 0]):
        assert (numbers.max(axis=0, initial=0) - numbers.min(axis=0, initial=r) <= 1).all()


@pytest.mark.parametrize("weights", ["unweighted", "linear"])
def test_a_large_design_is_proven_and_verified(weights):
    """Ten raters and six categories, with 10^9 subjects: the independent check accepts the minimum."""
    rng = np.random.default_rng(5)
    margins = np.array([rng.multinomial(10**9, rng.dirichlet(np.ones(6))) for _ in range(6)])
    problem = problem_of(margins, weights)
    result = km.max_kappa(problem.objective.table, weights=weights)
    assert result.minimum_proven
    assert result.minimum_method == "balanced categories"
    assert not km.verify(result).faults


def test_other_weights_are_left_to_other_methods():
    """Weights per pair, squares, roots and the opposite sign have no closed form here."""
    table = km.from_ratings([[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    assert balanced(CompleteProblem(as_objective(table, weights="quadratic"), -1)) is None
    assert balanced(CompleteProblem(as_objective(table, weights="sqrt"), -1)) is None
    assert balanced(CompleteProblem(as_objective(table, weights="linear"), 1)) is None
    pairs = {(0, 1): "linear", (0, 2): "unweighted", (1, 2): "linear"}
    assert balanced(CompleteProblem(as_objective(table, weights=pairs), -1)) is None
