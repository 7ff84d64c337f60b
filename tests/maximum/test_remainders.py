"""Tests of the disagreement that the remainders of the use of categories force."""

from math import factorial, prod

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax._rootsum import RootSum
from kappamax.coefficients import as_objective
from kappamax.maximum import remainders
from kappamax.maximum.problem import problem_for
from kappamax.maximum.remainders import forced_by_remainders
from kappamax.maximum.solve import solve
from tests.maximum.test_rounding import crowd
from tests.support.brute_force import Truth
from tests.support.strategies import examples


def table_of(rows, k):
    """Return a table of single subjects, in which -1 is a missing rating."""
    return km.Table(np.array(rows), np.ones(len(rows), dtype=int), tuple(range(k)), ordered=True)


@st.composite
def designs(draw):
    """Return a table of few subjects, each with two ratings (or two or four) of three or more raters."""
    r, k = draw(st.integers(3, 5)), draw(st.integers(2, 3))
    rows = []
    for _ in range(draw(st.integers(2, 5))):
        size = draw(st.sampled_from([2, 2, 2, 3] if r == 3 else [2, 2, 4]))
        raters = draw(st.permutations(range(r)))[:size]
        rows.append([draw(st.integers(0, k - 1)) if a in raters else -1 for a in range(r)])
    rows += [[0, *[-1] * (a - 1), 0, *[-1] * (r - a - 1)] for a in range(1, r)]  # every rater has a rating
    table = table_of(rows, k)
    assume(prod(factorial(sum(own)) // prod(map(factorial, own)) for own in table.margins.tolist()) <= 20_000)
    return table


@given(designs(), st.sampled_from(["unweighted", "linear", "quadratic"]))
@settings(max_examples=examples(150))
def test_no_table_has_less_disagreement(table, weights):
    """The bound is that of a separate computation, and no table with the margins lies below it."""
    objective = as_objective(table, weights=weights, coefficient="percent")
    problem = problem_for(objective, 1)
    truth = Truth(objective, "percent")
    unit = objective.scale * objective.denominator
    found = forced_by_remainders(problem)
    forced = RootSum() if found is None else found / unit
    assert forced == truth.forced_by_remainders()
    assert forced <= min(truth.disagreement(rows) for rows in truth.all_tables)


def test_an_odd_use_of_two_categories_forces_one_disagreement():
    """Two ratings per subject and an odd number of ratings in each category leave one subject with both."""
    table = table_of([[0, 0, -1], [-1, 0, 0], [1, -1, 0], [1, 1, -1], [-1, 1, 1], [0, -1, 0]], 2)
    result = km.max_kappa(table)
    assert result.table.margins.sum(axis=0).tolist() == [7, 5]
    assert (result.proof, result.solution.cost) == ("remainders", 1)
    assert km.verify(result).holds


@pytest.mark.parametrize("weights", ["unweighted", "sqrt", "linear"])
def test_crowds_are_proven(weights):
    """The maximum of 200 subjects with 3 of 12 raters each is proven by the remainders, and the proof is verified."""
    result = km.max_kappa(crowd(200), weights=weights, time_limit=60)
    assert result.proof == "remainders"
    assert km.verify(result).holds


@pytest.mark.parametrize(
    ("table", "sign"),
    [
        (km.from_ratings(np.random.default_rng(0).integers(0, 3, (10, 3))), 1),
        (crowd(30), -1),
        (table_of([[0, 0, -1], [1, 0, 1], [-1, 1, 1]], 2), 1),
    ],
    ids=["complete", "greatest disagreement", "no common divisor"],
)
def test_nothing_is_forced(table, sign):
    """There is no bound for complete ratings, for the minimum, and for two or three ratings per subject."""
    assert forced_by_remainders(problem_for(as_objective(table), sign)) is None


def test_weights_per_pair_have_no_bound():
    """The disagreement of a composition depends on the raters if their pairs have different weights."""
    pairs = {(0, 1): "linear", (0, 2): "quadratic", (1, 2): "linear"}
    table = table_of([[0, 1, -1], [-1, 0, 0], [1, -1, 0], [2, 2, -1]], 3)
    assert forced_by_remainders(problem_for(as_objective(table, weights=pairs), 1)) is None


def test_too_many_sums_give_a_smaller_bound(monkeypatch):
    """After the largest number of steps, the bound is positive and at most the full one."""
    problem = problem_for(as_objective(crowd(100, n_categories=6, per_subject=4)), 1)
    full = forced_by_remainders(problem)
    monkeypatch.setattr(remainders, "_MOST_STEPS", 200)
    assert RootSum() < forced_by_remainders(problem) < full
    monkeypatch.setattr(remainders, "_MOST_COMPOSITIONS", 5)
    assert forced_by_remainders(problem) is None


def test_an_unproven_table_keeps_the_better_bound(monkeypatch):
    """If the table found costs more than the remainders force, the bound of the remainders is stated."""
    problem = problem_for(as_objective(crowd(200)), 1)
    monkeypatch.setattr("kappamax.maximum.column_generation.rounded_table", lambda *_: None)
    monkeypatch.setattr("kappamax.maximum.column_generation.integer_table", lambda *_: None)
    found = solve(problem)
    assert found.proof is None
    assert found.bound == forced_by_remainders(problem) > RootSum()
