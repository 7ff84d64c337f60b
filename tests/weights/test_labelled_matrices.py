"""Matrices of weights with labels are arranged in the order of the categories of a table."""

import pickle

import numpy as np
import pytest

import kappamax as km
from kappamax import Weights

LABELS = ["none", "mild", "severe"]
COSTS = [[0, 1, 4], [1, 0, 2], [4, 2, 0]]
RATINGS = [["none", "none"], ["mild", "none"], ["severe", "mild"], ["severe", "severe"], ["none", "severe"]]


def test_labelled_weights_follow_the_categories_in_any_order():
    """The value is the same for every order of the labels and of the categories, and text needs no order."""
    plain = km.kappa(
        km.from_ratings(RATINGS, categories=LABELS), weights=Weights.from_matrix(COSTS, kind="disagreement")
    )
    for order in ([0, 1, 2], [2, 0, 1], [1, 0, 2]):
        matrix = np.array(COSTS)[np.ix_(order, order)]
        weights = Weights.from_matrix(matrix, kind="disagreement", labels=[LABELS[i] for i in order])
        for categories in (None, LABELS, LABELS[::-1]):
            found = km.kappa(km.from_ratings(RATINGS, categories=categories), weights=weights)
            assert found.exact == plain.exact


def test_asymmetric_labelled_weights_keep_rows_and_columns():
    """The row stays the first rater and the column the second."""
    one_way = [[0, 1, 3], [0, 0, 2], [0, 0, 0]]
    weights = Weights.from_matrix(one_way, kind="disagreement", labels=LABELS)
    table = km.from_ratings([["none", "severe"], ["mild", "none"], ["severe", "severe"], ["none", "mild"]])
    ordered = km.from_ratings(
        [["none", "severe"], ["mild", "none"], ["severe", "severe"], ["none", "mild"]], categories=LABELS
    )
    expected = km.kappa(ordered, weights=Weights.from_matrix(one_way, kind="disagreement")).exact
    assert km.kappa(table, weights=weights).exact == expected


def test_labels_are_kept_shown_and_pickled():
    """The labels are the headings of the matrix."""
    weights = Weights.from_matrix(COSTS, kind="disagreement", labels=LABELS, name="costs")
    assert weights.labels == tuple(LABELS)
    assert not weights.needs_order
    assert "none" in repr(weights)
    assert "severe" in weights._repr_html_()
    again = pickle.loads(pickle.dumps(weights))
    assert again.labels == weights.labels


def test_a_mismatch_lists_the_labels_and_the_categories():
    """Weights with other labels, with too few or with too many are refused."""
    table = km.from_ratings(RATINGS)
    weights = Weights.from_matrix(COSTS, kind="disagreement", labels=["none", "mild", "bad"], name="costs")
    expected = (
        "weights costs must be labelled with the categories of the ratings; the labels are 'none', 'mild', 'bad', "
        "and the categories are 'mild', 'none', 'severe'"
    )
    with pytest.raises(km.errors.InvalidWeightsError, match=expected):
        km.kappa(table, weights=weights)
    two = Weights.from_matrix([[0, 1], [1, 0]], kind="disagreement", labels=["none", "mild"])
    with pytest.raises(km.errors.InvalidWeightsError, match="the labels are 'none', 'mild', and the categories are"):
        km.kappa(table, weights=two)


def test_labels_are_one_per_row():
    """Labels that do not fit the matrix, or that are equal, are refused."""
    with pytest.raises(km.errors.InvalidWeightsError, match="one label per row of the matrix, 3; got"):
        Weights.from_matrix(COSTS, kind="disagreement", labels=["none", "mild"])
    with pytest.raises(km.errors.InvalidWeightsError, match="one label per row of the matrix, 3; got 'abc'"):
        Weights.from_matrix(COSTS, kind="disagreement", labels="abc")
    with pytest.raises(km.errors.InvalidWeightsError, match="must differ; 'mild' occurs twice"):
        Weights.from_matrix(COSTS, kind="disagreement", labels=["mild", "none", "mild"])


def test_a_zero_weight_is_noted_by_its_labels():
    """The note names the categories, since their positions depend on the table."""
    merged = Weights.from_matrix([[0, 0, 1], [0, 0, 1], [1, 1, 0]], kind="disagreement", labels=LABELS)
    assert merged.notes == ("weight of 'none' and 'mild' is zero, so these two categories count as full agreement",)


def test_pairs_of_raters_may_have_labelled_weights():
    """Every pair is arranged in the order of the categories."""
    three = [[*row, row[0]] for row in RATINGS]
    weights = Weights.from_matrix(COSTS, kind="disagreement", labels=LABELS)
    pairs = dict.fromkeys([("1", "2"), ("1", "3"), ("2", "3")], weights)
    assert (
        km.kappa(km.from_ratings(three), weights=pairs).exact == km.kappa(km.from_ratings(three), weights=weights).exact
    )
