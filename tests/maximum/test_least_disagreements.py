"""The least disagreement of many margins equals that of the proven maximum of each."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.maximum.least_disagreements import has_formula, least_disagreements, solve_margins
from tests.support.strategies import examples, tables

WEIGHTS = ["unweighted", "linear", "quadratic", "sqrt", "circular"]


@settings(max_examples=examples(60), deadline=None)
@given(tables(max_raters=4), st.sampled_from(WEIGHTS), st.sampled_from(["kappa", "fleiss", "krippendorff", "gwet"]))
def test_the_value_is_that_of_the_maximum(table, weights, coefficient):
    """Formulas and solvers agree with `max_kappa`: the maximum is 1 - least disagreement / expected disagreement."""
    objective = as_objective(table, weights=weights, coefficient=coefficient)
    try:
        best = km.max_kappa(objective)
    except km.errors.UndefinedKappaError:
        return
    (least,) = least_disagreements(objective, table.margins[None])
    assert 1 - least / float(objective.expected) == pytest.approx(best.maximum, abs=1e-12)


@pytest.mark.parametrize(
    ("n_raters", "weights", "expected"),
    [
        (2, "unweighted", True),
        (3, "unweighted", True),
        (4, "unweighted", False),
        (2, "sqrt", False),
        (6, "quadratic", True),
    ],
)
def test_where_a_formula_holds(n_raters, weights, expected):
    """Monge weights have one for any number of raters, unweighted disagreement for two and three."""
    ratings = np.random.default_rng(1).integers(1, 5, size=(12, n_raters))
    assert has_formula(as_objective(km.from_ratings(ratings), weights=weights)) is expected


def test_margins_by_hand():
    """Margins (3, 1, 0) and (1, 1, 2) of four subjects: two disagree unweighted, and by two categories each."""
    table = km.from_counts(np.eye(3, dtype=int))
    margins = np.array([[[3, 1, 0], [1, 1, 2]], [[2, 2, 0], [2, 2, 0]]])
    assert least_disagreements(as_objective(table), margins).tolist() == [0.5, 0]
    # sorted: 1 1 1 2 and 1 2 3 3, distances 0 1 2 1; linear weights are distance / 2
    assert least_disagreements(as_objective(table, weights="linear"), margins).tolist() == [0.5, 0]
    # squared distances 0 1 4 1, divided by 4
    assert least_disagreements(as_objective(table, weights="quadratic"), margins).tolist() == [0.375, 0]


def test_different_weights_per_pair():
    """The mean over pairs uses the weights of each pair, with and without a formula."""
    ratings = np.random.default_rng(2).integers(1, 4, size=(15, 3))
    table = km.from_ratings(ratings)
    a, b, c = table.raters
    for third in ("quadratic", "unweighted"):
        weights = {(a, b): "linear", (a, c): "quadratic", (b, c): third}
        objective = as_objective(table, weights=weights)
        (least,) = least_disagreements(objective, table.margins[None])
        assert 1 - least / float(objective.expected) == pytest.approx(km.max_kappa(objective).maximum, abs=1e-12)


def test_other_margins_are_solved_with_the_same_labels():
    """The table that is found has the given margins, the categories and the raters."""
    table = km.from_counts([[5, 2], [1, 6]], categories=["no", "yes"])
    found = solve_margins(as_objective(table), np.array([[7, 3], [4, 6]])).table
    assert found.margins.tolist() == [[7, 3], [4, 6]]
    assert (found.categories, found.raters) == (table.categories, table.raters)
