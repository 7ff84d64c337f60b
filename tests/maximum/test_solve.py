"""Compare closed forms, transportation, linear programs and column generation with each other and with enumeration."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.errors import UndefinedKappaError
from kappamax.maximum.closed_forms import comonotone, reversed_order, three_raters_unweighted
from kappamax.maximum.column_generation import generate_columns
from kappamax.maximum.gap_search import close_gap
from kappamax.maximum.linear_program import solve_over_all_cells
from kappamax.maximum.price_bounds import certified
from kappamax.maximum.problem import CompleteProblem, Problem, Watch
from kappamax.maximum.solution import Prices
from kappamax.maximum.solve import solve
from kappamax.maximum.transport import transport
from kappamax.patterns import margins_of
from kappamax.verification import bounds
from tests.support.maximum_problems import SCHEMES, least_cost, small_tables, weights_for
from tests.support.strategies import examples, tables


def check(problem, solution, best):
    """Check that the solution is proven and optimal, and that its table has the margins and the cost."""
    assert solution.cost == best
    assert solution.proven
    assert solution.bound == best
    assert (margins_of(solution.patterns, solution.counts, problem.n_categories) == problem.margins).all()
    assert problem.total(solution.patterns, solution.counts) == best


@settings(max_examples=examples(60))
@given(st.data(), st.sampled_from([1, -1]))
def test_costs_of_pairs_add_up_to_those_of_patterns(data, sign):
    """Complete designs have the same costs, patterns and sets of raters as the general case."""
    table = data.draw(tables(max_raters=4, max_categories=4))
    objective = as_objective(table, weights=data.draw(weights_for(table)))
    complete, general = CompleteProblem(objective, sign), Problem(objective, sign)
    patterns = np.concatenate(list(complete.all_patterns()))
    assert (patterns == np.concatenate(list(general.all_patterns()))).all()
    assert len(patterns) == complete.n_cells == complete.n_categories**complete.n_raters
    assert (complete.costs(patterns) == general.costs(patterns)).all()
    assert complete.real(patterns) == pytest.approx(general.real(patterns))
    only = complete.rater_set(0)
    for a, b, matrix in complete.pairs():
        assert (only.pair_costs[a, b] == matrix).all()


@settings(max_examples=examples(300))
@given(st.data(), st.sampled_from([1, -1]))
def test_the_chosen_method_finds_and_proves_what_enumeration_finds(data, sign):
    """The optimum is that of the enumeration for any weights, two to four raters and both signs."""
    table = data.draw(small_tables(max_raters=3, max_categories=3))
    objective = as_objective(table, weights=data.draw(weights_for(table)))
    problem = CompleteProblem(objective, sign)
    check(problem, solve(problem), least_cost(problem))


@pytest.mark.slow
@settings(max_examples=examples(2000))
@given(st.data(), st.sampled_from([1, -1]))
def test_thousands_of_small_designs(data, sign):
    """The same holds for thousands of designs."""
    table = data.draw(small_tables(max_raters=3, max_categories=3))
    objective = as_objective(table, weights=data.draw(weights_for(table)))
    problem = CompleteProblem(objective, sign)
    check(problem, solve(problem), least_cost(problem))


@pytest.mark.slow
@settings(max_examples=examples(1500))
@given(st.data(), st.sampled_from([1, -1]))
def test_thousands_of_designs_by_every_method(data, sign):
    """Transportation, linear program and column generation agree for skewed margins of two to four raters."""
    table = data.draw(tables(max_raters=4, max_categories=4, max_rows=15))
    objective = as_objective(table, weights=data.draw(weights_for(table)))
    problem = CompleteProblem(objective, sign)
    reference = solve_over_all_cells(problem, Watch())
    assert reference.proven
    check(problem, generate_columns(problem, Watch()), reference.cost)
    check(problem, solve(problem), reference.cost)


@settings(max_examples=examples(60))
@given(st.data(), st.sampled_from([1, -1]))
def test_four_raters(data, sign):
    """The optimum is that of the enumeration for four raters and two categories."""
    table = data.draw(small_tables(min_raters=4, max_raters=4, max_categories=2))
    objective = as_objective(table, weights=data.draw(weights_for(table)))
    problem = CompleteProblem(objective, sign)
    check(problem, solve(problem), least_cost(problem))


@settings(max_examples=examples(300))
@given(st.data(), st.sampled_from([1, -1]))
def test_two_raters_by_every_method(data, sign):
    """Transportation, the linear program and column generation agree, and the closed forms where they apply."""
    table = data.draw(tables(max_raters=2, max_categories=5, max_rows=12))
    objective = as_objective(table, weights=data.draw(weights_for(table)))
    problem = CompleteProblem(objective, sign)
    reference = solve_over_all_cells(problem, Watch())
    assert reference.proven
    check(problem, transport(problem), reference.cost)
    check(problem, generate_columns(problem, Watch()), reference.cost)
    if all(w.monge for _, _, w in objective.pairs()):
        check(problem, comonotone(problem) if sign == 1 else reversed_order(problem), reference.cost)


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(st.data(), st.sampled_from([1, -1]))
def test_several_raters_by_every_method(data, sign):
    """The linear program over all cells and column generation agree, and the closed forms where they apply."""
    table = data.draw(tables(min_raters=3, max_raters=5, max_categories=3, max_rows=12))
    objective = as_objective(table, weights=data.draw(weights_for(table)))
    problem = CompleteProblem(objective, sign)
    reference = solve_over_all_cells(problem, Watch())
    assert reference.proven
    check(problem, generate_columns(problem, Watch()), reference.cost)
    if sign == 1 and all(w.monge for _, _, w in objective.pairs()):
        check(problem, comonotone(problem), reference.cost)


@settings(max_examples=examples(200))
@given(tables(min_raters=3, max_raters=3, max_categories=6, max_rows=20))
def test_three_raters_unweighted_by_triples_and_pairs(table):
    """The closed form attains the optimum of the linear program."""
    problem = CompleteProblem(as_objective(table), 1)
    reference = solve_over_all_cells(problem, Watch())
    check(problem, three_raters_unweighted(problem), reference.cost)


@settings(max_examples=examples(100))
@given(small_tables(min_raters=3, max_raters=4, max_categories=2), st.sampled_from([1, -1]))
def test_agreement_of_three_raters_at_a_time(table, sign):
    """The optimum for groups of three raters is that of the enumeration."""
    objective = as_objective(table, coefficient="conger", group_size=3)
    problem = CompleteProblem(objective, sign)
    check(problem, solve(problem), least_cost(problem))


@given(tables(max_raters=4), st.sampled_from(SCHEMES))
def test_minimum_kappa_maximum_are_in_order(table, name):
    """Minimum <= kappa <= maximum <= 1, and both ends are proven and verified."""
    try:
        result = km.max_kappa(table, weights=name)
    except UndefinedKappaError:
        assume(False)
    assert result.minimum <= result.value <= result.maximum <= 1
    assert result.proven
    assert result.minimum_proven
    assert (result.bound, result.minimum_bound) == (result.maximum, result.minimum)
    assert km.verify(result)
    assert (result.table.margins == table.margins).all()
    assert km.kappa(result.table, weights=name).value == result.maximum
    assert km.kappa(result.minimum_table, weights=name).value == result.minimum


def test_filling_the_diagonal_is_not_optimal_for_three_raters():
    """The least disagreement is 44, and 46 with a full diagonal, so the paper's remark on distance weights fails."""
    u = [[0, 7, 4, 3], [7, 0, 5, 4], [4, 5, 0, 1], [3, 4, 1, 0]]
    margins = [(4, 0, 3, 1), (3, 2, 2, 1), (0, 2, 4, 2)]
    weights = km.Weights.from_matrix(u, kind="disagreement")
    assert weights.metric
    columns_of_labels = [np.repeat(np.arange(4), margin) for margin in margins]
    table = km.from_ratings(np.stack(columns_of_labels, axis=1), categories=[0, 1, 2, 3])
    problem = CompleteProblem(as_objective(table, weights=weights), 1)
    solution = solve(problem)
    assert solution.cost == 44
    assert solution.proven
    full = np.minimum.reduce(table.margins)
    rest = table.margins - full
    smaller = km.from_ratings(np.stack([np.repeat(np.arange(4), row) for row in rest], axis=1), categories=[0, 1, 2, 3])
    with_diagonal = solve(CompleteProblem(as_objective(smaller, weights=weights), 1)).cost
    assert with_diagonal == 46


def test_an_optimum_that_no_prices_prove(monkeypatch):
    """For these five raters the largest disagreement is 370, the linear program gives 371, and a search proves 370."""
    u = [[0, 7, 1], [7, 0, 2], [1, 2, 0]]
    margins = [(2, 6, 3), (6, 1, 4), (3, 7, 1), (6, 3, 2), (2, 8, 1)]
    columns_of_labels = [np.repeat(np.arange(3), margin) for margin in margins]
    table = km.from_ratings(np.stack(columns_of_labels, axis=1), categories=[0, 1, 2])
    result = km.max_kappa(table, weights=km.Weights.from_matrix(u, kind="disagreement"))
    assert result.minimum_solution.cost == -370
    assert result.minimum_proof == "search"
    assert result.minimum_proven
    assert km.verify(result)
    monkeypatch.setattr(bounds, "LISTED_PATTERNS", 1)  # search as for designs that are too large to list
    assert km.verify(result)


def test_closing_a_gap_finds_a_better_table():
    """The search attains the maximum from the observed table and prices of zero."""
    problem = CompleteProblem(as_objective(km.from_counts([[2, 1, 0], [1, 0, 2], [0, 2, 1]]), weights="sqrt"), 1)
    zero = Prices(np.zeros((2, 3, len(problem.roots)), dtype=np.int64))
    start = certified(problem, *problem.observed(), zero, "observed")
    found = close_gap(problem, start, np.concatenate(list(problem.all_patterns())), Watch())
    assert (found.cost, found.proof) == (solve(problem).cost, "search")
    assert found.cost < start.cost


@pytest.mark.parametrize("name", ["unweighted", "linear", "quadratic", "sqrt"])
def test_one_subject_two_categories_and_unused_ones(name):
    """With one subject the margins allow one value, also with unused categories."""
    result = km.max_kappa([1], [2], weights=name, categories=[1, 2, 3])
    assert result.maximum == result.minimum == result.value
    assert result.ratio is None
    assert result.ratio_reason == "the margins allow one value only"
    assert result.proven


@pytest.mark.parametrize("n", [10**6, 10**12])
@pytest.mark.parametrize("name", ["unweighted", "linear", "sqrt"])
def test_huge_counts(n, name):
    """Scaling the counts scales the optimum."""
    small = km.example("rapallo2022")
    large = km.Table(small.patterns, small.counts * n, small.categories, ordered=True)
    assert km.max_kappa(large, weights=name).maximum == km.max_kappa(small, weights=name).maximum
    three = km.example("rapallo2022-three")
    big = km.Table(three.patterns, three.counts * n, three.categories, ordered=True)
    result = km.max_kappa(big, weights=name)
    assert result.proven
    assert result.maximum == km.max_kappa(three, weights=name).maximum


def test_huge_terms_that_nearly_cancel_do_not_overflow():
    """Costs of the form a - b sqrt(3) with a and b near 2^96 but a small difference are searched in 64 bits."""
    large, half = 2**45 + 1, 2**44
    matrix = np.full((4, 4), half) - np.diag([half] * 4)
    matrix[0, 1] = matrix[1, 0] = large
    weights = {(0, 1): km.Weights.from_matrix(matrix, kind="disagreement"), (0, 2): "power(1.7)", (1, 2): "power(9.5)"}
    table = km.from_ratings([[2, 3, 2]], categories=[1, 2, 3, 4])
    result = km.max_kappa(table, weights=weights)
    assert result.proven
