"""With missing ratings, the range over all rearrangements that keep who rated whom is found and proven."""

from itertools import permutations, product

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
from maximum.test_methods import weights_for
from strategies import tables


def rearrangements(table):
    """Every table in which each rater's ratings are rearranged over the subjects that rater rated."""
    rows = np.repeat(table.patterns, table.counts, axis=0)
    orders = []
    for column in rows.T:
        rated = np.flatnonzero(column >= 0)
        orders.append([(rated, order) for order in set(permutations(column[rated].tolist()))])
    for choice in product(*orders):
        made = np.full(rows.shape, -1)
        for rater, (rated, order) in enumerate(choice):
            made[rated, rater] = order
        yield km.Table(made, np.ones(len(made), dtype=int), table.categories, ordered=True)


@st.composite
def incomplete(draw):
    """Tables of two to four subjects with a missing rating, two used categories and two comparable raters."""
    r, k = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    row = st.lists(st.integers(0, k - 1), min_size=r, max_size=r)
    codes = np.array(draw(st.lists(row, min_size=2, max_size=4)))
    gaps = draw(st.lists(st.integers(0, codes.size - 1), min_size=1, max_size=3))
    codes.ravel()[gaps] = -1
    assume(((codes >= 0).sum(axis=1) >= 2).any())
    assume((codes >= 0).any(axis=0).all())
    return km.Table(codes, np.ones(len(codes), dtype=int), tuple(range(1, k + 1)), ordered=True)


@settings(max_examples=120)
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


@settings(max_examples=60)
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
def test_many_raters_with_gaps():
    """Column generation handles eight raters and five categories with a fifth of the ratings missing."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 5, size=(40, 1))
    ratings = np.where(rng.random((40, 8)) < 0.5, truth, rng.integers(0, 5, size=(40, 8))).astype(float)
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    result = km.max_kappa(km.from_ratings(ratings), weights="quadratic", time_limit=20)
    assert result.method == "column generation"
    assert result.value < result.maximum <= result.bound
    assert km.verify(result)
