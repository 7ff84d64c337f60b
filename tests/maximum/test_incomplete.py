"""With missing ratings, the range over all tables with the same sets of raters is found and proven."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.errors import UndefinedKappaError
from kappamax.maximum.column_generation import generate_columns
from kappamax.maximum.linear_program import solve_over_all_cells
from kappamax.maximum.problem import Problem, Watch
from tests.support.maximum_problems import incomplete, rearrangements, weights_for
from tests.support.strategies import examples, tables


@settings(max_examples=examples(120))
@given(st.data())
def test_the_range_is_that_of_all_rearrangements(data):
    """For any weights, both ends are proven and verified, and the maximisers are those of the enumeration."""
    table = data.draw(incomplete())
    weights = data.draw(weights_for(table))
    try:
        result = km.max_kappa(table, weights=weights)
    except UndefinedKappaError:
        assume(False)
    objective = as_objective(table, weights=weights)
    found = {made: as_objective(made, weights=weights).score for made in rearrangements(table)}
    assert objective.value(min(found.values())) == result.maximum
    assert objective.value(max(found.values())) == result.minimum
    assert result.proven
    assert result.minimum_proven
    assert km.verify(result)
    best = {made for made, score in found.items() if score == min(found.values())}
    assert set(km.maximum.iter_maximizers(table, weights=weights)) == best
    assert km.maximum.count_maximizers(table, weights=weights).n == len(best)


@settings(max_examples=examples(60))
@given(st.data(), st.sampled_from([1, -1]))
def test_program_and_column_generation_agree(data, sign):
    """Both methods find the same optimum for up to five raters."""
    table = data.draw(tables(missing=True, min_raters=3, max_raters=5, max_categories=3, max_rows=10))
    assume(not table.complete)
    problem = Problem(as_objective(table, weights=data.draw(weights_for(table))), sign)
    reference, generated = solve_over_all_cells(problem, Watch()), generate_columns(problem, Watch())
    assert reference.proven
    assert generated.proven
    assert reference.cost == generated.cost


def test_gwets_example():
    """The range of Conger's kappa is proven for twelve units, four raters and seven missing ratings."""
    t = km.example("gwet2014")
    result = km.max_kappa(t, weights="linear")
    assert result.proven
    assert result.minimum_proven
    assert km.verify(result)
    assert result.minimum < result.value < result.maximum < 1
    assert (result.table.margins == t.margins).all()
    assert km.kappa(result.table, weights="linear").value == result.maximum
    gaps = sorted(map(tuple, np.repeat(t.patterns, t.counts, axis=0) < 0))
    assert sorted(map(tuple, np.repeat(result.table.patterns, result.table.counts, axis=0) < 0)) == gaps


@pytest.mark.parametrize("coefficient", ["brennan-prediger", "percent"])
def test_other_coefficients_with_a_fixed_chance_term(coefficient):
    """The table that maximises Conger's kappa also maximises these coefficients."""
    t = km.example("gwet2014")
    result = km.max_kappa(t, coefficient=coefficient)
    assert result.proven
    best = km.max_kappa(t).table
    assert km.agreement(best, coefficient=coefficient).value == result.maximum


@pytest.mark.slow
def test_many_raters_with_missing_ratings():
    """Column generation handles eight raters and five categories with a fifth of the ratings missing."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 5, size=(40, 1))
    ratings = np.where(rng.random((40, 8)) < 0.5, truth, rng.integers(0, 5, size=(40, 8))).astype(float)
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    result = km.max_kappa(km.from_ratings(ratings), weights="quadratic", time_limit=20)
    assert result.method == "column generation"
    assert result.value < result.maximum <= result.bound
    assert km.verify(result)
