"""Frames and series keep their order, unused categories and missing values."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kappamax as km

A = ["mild", "none", "severe", None, "mild"]
B = ["mild", "mild", "none", "none", "mild"]
ORDER = ["none", "mild", "severe", "critical"]
EXPECTED = km.Table([[1, 1], [0, 1], [2, 0], [-1, 0]], [2, 1, 1, 1], ORDER, ["a", "b"], ordered=True)


def frames():
    ordered = pd.CategoricalDtype(ORDER, ordered=True)
    yield "pandas", pd.DataFrame({"a": pd.Categorical(A, dtype=ordered), "b": pd.Categorical(B, dtype=ordered)})
    enum = pl.Enum(ORDER)
    yield "polars", pl.DataFrame({"a": pl.Series(A, dtype=enum), "b": pl.Series(B, dtype=enum)})
    yield "polars lazy", pl.LazyFrame({"a": pl.Series(A, dtype=enum), "b": pl.Series(B, dtype=enum)})


@pytest.mark.parametrize(("name", "frame"), list(frames()))
def test_ordered_categoricals_keep_order_and_unused_levels(name, frame):
    """'critical' is a category although no rater used it."""
    assert km.from_ratings(frame) == EXPECTED
    assert km.kappa(frame, weights="linear").n_categories == 4


def test_ordered_series_keep_their_categories():
    """Two ordered pandas or polars series are label arrays with an order."""
    ordered = pd.CategoricalDtype(ORDER, ordered=True)
    a, b = pd.Series(A, dtype=ordered), pd.Series(B, dtype=ordered)
    value = km.kappa(EXPECTED, weights="quadratic").value
    assert km.kappa(a, b, weights="quadratic").value == value
    enum = pl.Enum(ORDER)
    assert km.kappa(pl.Series(A, dtype=enum), pl.Series(B, dtype=enum), weights="quadratic").value == value
    assert km.kappa(a, B, weights="quadratic").value == value
    assert km.kappa(a.array, b.array, weights="quadratic").value == value  # bare pandas.Categorical


def test_plain_text_columns_have_no_order():
    """An ordinal weighting raises an error without categories=."""
    frame = pd.DataFrame({"a": A, "b": B})
    assert not km.from_ratings(frame).ordered
    with pytest.raises(km.errors.InvalidWeightsError, match="need ordered categories"):
        km.kappa(frame, weights="linear")
    assert km.from_ratings(frame, categories=ORDER) == EXPECTED
    unordered = frame.astype("category")
    assert km.from_ratings(unordered, categories=ORDER) == EXPECTED
    assert not km.from_ratings(unordered).ordered
    assert not km.from_ratings(
        pl.DataFrame({"a": A, "b": B}, schema={"a": pl.Categorical, "b": pl.Categorical})
    ).ordered


@pytest.mark.parametrize("dtype", ["float64", "Int64", "object", "string"])
def test_numbers_with_missing_values_in_pandas(dtype):
    """The labels are the same whether or not missing values turned integers into floats."""
    frame = pd.DataFrame({"a": [1, 2, 10, None], "b": [1, 10, 10, 2]}, dtype="object").astype(dtype)
    expected = km.Table([[0, 0], [1, 2], [2, 2], [-1, 1]], [1, 1, 1, 1], [1, 2, 10], ["a", "b"], ordered=True)
    assert km.from_ratings(frame) == expected
    assert km.kappa(frame["a"], frame["b"]).value == km.kappa(expected).value


def test_columns_can_be_chosen():
    """Only the columns that the caller names are raters."""
    frame = pd.DataFrame({"id": range(5), "a": A, "b": B})
    assert km.from_ratings(frame, raters=["a", "b"], categories=ORDER) == EXPECTED
    with pytest.raises(km.errors.InvalidRatingsError, match="no column 'c'; the columns are 'id', 'a', 'b'"):
        km.from_ratings(frame, raters=["a", "c"])


def test_two_declared_orders_are_an_error():
    """Different declared orders are an error."""
    frame = pd.DataFrame(
        {
            "a": pd.Categorical(["x"], categories=["x", "y"], ordered=True),
            "b": pd.Categorical(["y"], categories=["y", "x"], ordered=True),
        }
    )
    with pytest.raises(
        km.errors.InvalidRatingsError, match="declare different ordered categories: 'x', 'y' and 'y', 'x'"
    ):
        km.from_ratings(frame)
    assert km.from_ratings(frame, categories=["x", "y"]).margins.tolist() == [[1, 0], [0, 1]]


def test_a_label_outside_the_declared_order_is_an_error():
    """Text in other columns must be among the declared categories."""
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y"], categories=["x", "y"], ordered=True), "b": ["x", "z"]})
    with pytest.raises(km.errors.InvalidRatingsError, match="'z' .* is not among the categories 'x', 'y'"):
        km.from_ratings(frame)


def test_empty_frames_are_errors():
    """A frame without rows or with one column is an error."""
    with pytest.raises(km.errors.InvalidRatingsError, match="no subject"):
        km.from_ratings(pd.DataFrame({"a": [], "b": []}))
    with pytest.raises(km.errors.InvalidRatingsError, match="at least two raters; the frame has the columns 'a'"):
        km.from_ratings(pd.DataFrame({"a": [1, 2]}))


def test_large_frames_are_grouped_in_their_engine():
    """100,000 rows are returned as 25 patterns."""
    rng = np.random.default_rng(2)
    codes = rng.integers(1, 6, size=(100_000, 2))
    frame = pd.DataFrame(codes, columns=["a", "b"])
    assert km.from_ratings(frame) == km.from_ratings(codes, raters=["a", "b"])
    assert km.from_ratings(pl.from_pandas(frame)) == km.from_ratings(codes, raters=["a", "b"])


def test_names_of_columns_become_text_and_must_differ():
    """Numbers become names of columns, and repeated names are an error."""
    assert km.from_ratings(pd.DataFrame([[1, 1], [2, 1]])).raters == ("0", "1")
    with pytest.raises(km.errors.InvalidRatingsError, match="different names; 'a' occurs twice"):
        km.from_ratings(pd.DataFrame([[1, 1], [2, 1]], columns=["a", "a"]))
    with pytest.raises(km.errors.InvalidRatingsError, match="different names; 'a' occurs twice"):
        km.from_ratings(pd.DataFrame({"a": [1], "b": [2]}), raters=["a", "a"])


def test_identifiers_are_not_raters():
    """A column in which every row differs is not a rating."""
    frame = pd.DataFrame({"case": range(50), "a": [1, 2] * 25, "b": [2, 1] * 25})
    found = km.from_ratings(frame)
    assert found.raters == ("a", "b")
    assert list(found.reading.columns_left_out) == ["case"]
    assert found == km.from_ratings(frame, raters=["a", "b"])


def test_a_declared_category_may_look_like_a_missing_value():
    """In the scale None, Mild, Severe, the declared level None is a category."""
    levels = ["None", "Mild", "Severe"]
    dtype = pd.CategoricalDtype(levels, ordered=True)
    frame = pd.DataFrame({"a": ["None", "Mild", "Severe"], "b": ["None", "None", "Severe"]}).astype(dtype)
    t = km.from_ratings(frame)
    assert t.categories == tuple(levels)
    assert t.n_missing == 0
