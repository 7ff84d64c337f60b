"""The statements that the theory pages prove hold for random small designs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import COEFFICIENTS, as_objective
from kappamax.maximum.closed_forms import comonotone_table
from kappamax.maximum.problem import CompleteProblem
from kappamax.maximum.solve import solve
from tests.support.strategies import examples, matrices, tables


def small(**options):
    """Return a strategy for tables whose fiber can be listed."""
    return tables(max_rows=4, **options).filter(lambda table: table.n_subjects <= 6)


def fills_the_diagonal(table):
    """Return whether all raters agree on as many subjects of every category as the margins allow."""
    agreed = (table.patterns == table.patterns[:, :1]).all(axis=1)
    diagonal = np.bincount(table.patterns[agreed, 0], table.counts[agreed], table.n_categories)
    return bool((diagonal == table.margins.min(axis=0)).all())


def metric_of(weights):
    """Return the metric weights that are the shortest paths between categories."""
    u = weights.multipliers.astype(np.int64).copy()
    for j in range(len(u)):
        u = np.minimum(u, u[:, [j]] + u[[j], :])
    return km.Weights.from_matrix(u, kind="disagreement")


def test_a_table_that_does_not_fill_the_diagonal_is_recognised():
    """In the first table, the margins allow agreement on more subjects."""
    assert not fills_the_diagonal(km.from_ratings([[1, 2], [2, 1]]))
    assert fills_the_diagonal(km.from_ratings([[1, 1], [2, 2]]))


@given(st.lists(st.integers(0, 9), min_size=2, max_size=5))
def test_functions_of_the_distance_are_monge_exactly_when_convex(steps):
    """The weights are u[i, j] = g(|i - j|) with g(0) = 0."""
    g = [0, *steps]
    assume(max(g) > 0)
    k = len(g)
    u = [[g[abs(i - j)] for j in range(k)] for i in range(k)]
    convex = all(2 * g[d] <= g[d - 1] + g[d + 1] for d in range(1, k - 1))
    assert km.Weights.from_matrix(u, kind="disagreement").monge == convex


@given(st.data(), st.integers(3, 4), st.integers(2, 4))
def test_sorting_fails_on_two_subjects_where_weights_are_not_monge(data, k, r):
    """A counterexample needs two subjects and two raters; the other raters use a single category."""
    weights = data.draw(matrices(k))
    assume(not weights.monge)
    u = weights.multipliers
    excess = u[:-1, :-1] + u[1:, 1:] - u[:-1, 1:] - u[1:, :-1]
    i, j = np.argwhere(excess > 0)[0]
    margins = np.zeros((r, k), dtype=np.int64)
    margins[0, [i, i + 1]] = 1
    margins[1, [j, j + 1]] = 1
    margins[2:, 0] = 2
    table = km.Table(*comonotone_table(margins), range(k), ordered=True)
    problem = CompleteProblem(as_objective(table, weights=weights, coefficient="percent"), 1)
    assert solve(problem).cost < problem.total(table.patterns, table.counts)


@given(tables(max_raters=5))
def test_linear_weights_have_a_formula(table):
    """The smallest disagreement is the sum of the areas between the raters' cumulative counts."""
    cumulative = np.cumsum(table.margins, axis=1)
    formula = sum(int(np.abs(a - b).sum()) for a, b in combinations(cumulative, 2))
    objective = as_objective(table, weights="linear", coefficient="percent")
    assert solve(CompleteProblem(objective, 1)).cost * (table.n_categories - 1) == formula * objective.denominator


@settings(deadline=None)
@given(small(max_raters=5, max_categories=3))
def test_unweighted_maximisers_fill_the_diagonal(table):
    """Every maximiser does so, for any number of raters."""
    for checked, best in enumerate(km.maximum.iter_maximizers(table, coefficient="percent")):
        assert fills_the_diagonal(best)
        if checked == 50:
            break


@settings(deadline=None)
@given(small(max_raters=4, max_categories=3))
def test_some_linear_maximiser_fills_the_diagonal(table):
    """At least one maximiser does so, for any number of raters."""
    assert any(
        fills_the_diagonal(best) for best in km.maximum.iter_maximizers(table, weights="linear", coefficient="percent")
    )


@given(st.data())
def test_two_raters_fill_the_diagonal_exactly_where_weights_are_metric(data):
    """With metric weights some maximiser does; if a triangle is violated, no maximiser does for certain margins."""
    table = data.draw(small(max_raters=2, min_categories=3))
    weights = data.draw(matrices(table.n_categories))
    found = km.maximum.iter_maximizers(table, weights=metric_of(weights), coefficient="percent")
    assert any(fills_the_diagonal(best) for best in found)
    if weights.violated_triangle is not None:
        i, j, h = weights.violated_triangle
        options = {"weights": weights, "coefficient": "percent", "categories": range(table.n_categories)}
        assert not any(fills_the_diagonal(best) for best in km.maximum.iter_maximizers([i, j], [j, h], **options))


@settings(deadline=None)
@given(st.data(), st.sampled_from([(3, 2), (3, 3), (2, 4)]))
def test_reaching_full_agreement_never_lowers_metric_agreement(data, size):
    """Proposition 3 holds for categories without an order and for any number of raters."""
    weights = metric_of(data.draw(matrices(size[0])))
    for move in km.moves.basic_moves(*size):
        if any(len(set(pattern)) == 1 for pattern in move.plus):
            assert move.effect(weights) != "lowers"


@given(small(max_raters=2, min_categories=3), st.sampled_from(["linear", "unweighted"]))
def test_a_cell_takes_every_value_between_its_extremes(table, weights):
    """The tables are all maximisers of two raters."""
    best = np.array([one.dense() for one in km.maximum.iter_maximizers(table, weights=weights, coefficient="percent")])
    for cell in best.reshape(len(best), -1).T:
        assert len(set(cell.tolist())) == cell.max() - cell.min() + 1


@given(tables(), st.sampled_from(["unweighted", "linear", "sqrt", "quadratic"]))
def test_gwets_chance_term_is_never_below_brennan_and_predigers(table, weights):
    """Therefore it is positive, and the coefficient falls as disagreement rises."""
    gwet, uniform = (
        as_objective(table, weights=weights, coefficient=name).expected for name in ("gwet", "brennan-prediger")
    )
    assert gwet >= uniform > 0


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
@settings(deadline=None, max_examples=examples(20))
@given(table=small(max_raters=2, max_categories=3))
def test_every_coefficient_orders_the_fiber_alike(name, table):
    """With complete ratings and the same weights, all coefficients rank the tables in the same order."""
    chosen = as_objective(table, weights="linear", coefficient=name)
    for other in km.fiber(table).tables():
        own, percent = (as_objective(other, weights="linear", coefficient=one) for one in (name, "percent"))
        assert own.expected == chosen.expected
        assert own.observed(own.score) == percent.observed(percent.score)


@given(st.data())
def test_steps_of_scores_are_those_of_the_core(data):
    """Scores of a fiber differ by multiples of the gcd of the weights after row and column effects are subtracted."""
    table = data.draw(small(max_raters=2, max_categories=3))
    weights = data.draw(matrices(table.n_categories))
    u = weights.multipliers
    core = u - u[:1] - u[:, :1] + u[0, 0]
    step = int(np.gcd.reduce(core, axis=None))
    scores = {int((one.dense() * u).sum()) for one in km.fiber(table).tables()}
    assert len({score % step for score in scores}) == 1
