"""Lists of records and dicts of columns are read like frames."""

import numpy as np
import pandas as pd
import pytest

import kappamax as km
from tests.support.routes import CATEGORIES, EXPECTED, LAYOUTS, RATERS, typed_rows


def columns(layout):
    rows = typed_rows(layout)
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_records_give_the_table_of_the_frame(layout):
    """Records, columns, and columns of arrays give the same table in every layout."""
    arrays = {name: np.array(values, dtype=object) for name, values in columns(layout).items()}
    for data in (typed_rows(layout), tuple(typed_rows(layout)), columns(layout), arrays):
        assert km.from_ratings(data, layout=layout, raters=RATERS, categories=CATEGORIES) == EXPECTED
        assert km.from_ratings(data, layout=layout, raters=RATERS).categories == (1, 2, 10)


def test_every_function_takes_records():
    """A dict of columns and a list of records stand for a frame."""
    data = {"anna": [1, 2, 2, 1], "ben": [1, 2, 1, 1]}
    expected = km.kappa(data["anna"], data["ben"]).exact
    assert km.kappa(data).exact == expected
    assert km.kappa([{"anna": a, "ben": b} for a, b in zip(*data.values(), strict=True)]).exact == expected


def test_a_key_that_a_record_lacks_is_a_missing_rating():
    """Raters are in the order in which their keys first occur."""
    table = km.from_ratings([{"a": 1, "b": 2}, {"b": 2, "c": 1}, {"c": None, "a": 2}])
    assert table.raters == ("a", "b", "c")
    assert table.n_missing == 4


def test_columns_keep_the_order_that_they_declare():
    """A series with an ordered categorical type may be a column of a dict."""
    grade = pd.CategoricalDtype(["low", "high", "extreme"], ordered=True)
    data = {"a": pd.Series(["low", "high"], dtype=grade), "b": ["high", "low"]}
    assert km.from_ratings(data).categories == ("low", "high", "extreme")
    long = {"subject": [1, 1], "rater": ["a", "b"], "rating": pd.Series(["low", "high"], dtype=grade)}
    assert km.from_ratings(long, layout="long").categories == ("low", "high", "extreme")


def test_keys_that_are_not_text_are_names():
    """They must be different as text."""
    assert km.from_ratings({1: [1, 2], 2: [1, 1]}).raters == ("1", "2")
    with pytest.raises(km.errors.InvalidRatingsError, match="the keys of a dict must be different as text"):
        km.from_ratings({1: [1, 2], "1": [1, 1]})


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"a": [1, 2], "b": 3}, "every column of a dict must be a list or an array of ratings; 'b' has type int"),
        ({"a": [1, 2], "b": "xy"}, "'b' has type str"),
        ({"a": [1, 2], "b": [1]}, "the columns of a dict must have the same length; 'a' has 2, 'b' has 1"),
        ([{"a": 1, "b": 1}, [1, 2]], "every record must be a dict; record 2 has type list"),
        ([{"a": 1, "b": ["x"]}, {"a": 2, "b": ["y", "z"]}], "a rating must be one label"),
        ({}, "the data have no columns"),
        ([{}], "the data have no columns"),
        ({"a": {1, 2}, "b": [1, 2]}, "'a' has type set"),
        ({"a": [], "b": []}, "there is no subject to compare"),
        ({"a": [1, 2]}, "agreement needs the columns of at least two raters"),
    ],
)
def test_data_that_are_not_records_are_errors(data, said):
    """The errors name the column or the record."""
    with pytest.raises(km.errors.InvalidRatingsError, match=said):
        km.from_ratings(data)


def test_columns_that_are_not_raters_are_recognised():
    """An identifier is left out with a note, and a column that shares no category is refused, as in a frame."""
    data = {"id": list(range(100, 130)), "a": [1, 2] * 15, "b": [1, 2, 2] * 10}
    table = km.from_ratings(data)
    assert table.raters == ("a", "b")
    assert list(table.reading.columns_left_out) == ["id"]
    with pytest.raises(km.errors.InvalidRatingsError, match="'where' shares no category"):
        km.from_ratings(data | {"where": ["x", "x", "y"] * 10})


def test_a_matrix_of_counts_is_no_record():
    """The error names the function for counts."""
    with pytest.raises(km.errors.InvalidOptionError, match="use km.from_counts"):
        km.from_ratings({"a": [1, 2], "b": [3, 4]}, layout="counts")
