"""A rating is one label, in arrays and in frames of every library."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kappamax as km
from kappamax.io.structured_labels import NO_LABEL, single_label

ONE = {"anna": [["x"], ["y"], []], "ben": [["x"], ["x"], ["y"]]}
TWO = {"anna": [["x", "y"], ["y"], []], "ben": [["x"], ["x"], ["y"]]}
SPAN = {"anna": [{"start": 0, "end": 2, "label": "x"}], "ben": [{"start": 0, "end": 2, "label": "x"}]}


def relation(data):
    return duckdb.from_arrow(pa.table(data))


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars, lazy": lambda data: pl.DataFrame(data).lazy(),
    "pyarrow": pa.table,
    "DuckDB": relation,
}


@pytest.mark.parametrize("library", FRAMES)
def test_a_list_of_one_label_is_the_label_in_every_frame(library):
    """An empty list is a missing rating."""
    assert km.from_ratings(FRAMES[library](ONE)).labels() == [[None, "y"], ["x", "x"], ["y", "x"]]


@pytest.mark.parametrize("library", FRAMES)
def test_lists_of_labels_and_spans_are_refused_in_every_frame(library):
    """The error names the column and says what is supported."""
    with pytest.raises(
        km.errors.InvalidRatingsError, match="column 'anna' is a list of 2 labels: 'x', 'y'. A rating is one label"
    ) as caught:
        km.from_ratings(FRAMES[library](TWO))
    assert caught.value.code == "several-labels"
    with pytest.raises(km.errors.InvalidRatingsError, match="column 'anna' is a span, which has a position") as caught:
        km.from_ratings(FRAMES[library](SPAN))
    assert caught.value.code == "spans-as-labels"


@pytest.mark.parametrize("library", FRAMES)
def test_lists_in_a_long_frame(library):
    """A list of one label is the label, except in a lazy frame, which must hold the labels themselves."""
    rows = {"subject": [1, 1, 2, 2], "rater": ["anna", "ben"] * 2, "rating": [["x"], ["y"], ["x"], ["x"]]}
    frame = FRAMES[library](rows)
    if library in ("polars, lazy", "DuckDB"):
        with pytest.raises(km.errors.InvalidRatingsError, match="column 'rating' has the type List.*lazy frame"):
            km.from_ratings(frame, layout="long")
    else:
        assert km.from_ratings(frame, layout="long").labels() == [["x", "x"], ["x", "y"]]
        rows["rating"][3] = ["x", "y"]
        with pytest.raises(km.errors.InvalidRatingsError, match="column 'rating' is a list of 2 labels"):
            km.from_ratings(FRAMES[library](rows), layout="long")


def test_an_array_of_fixed_length_is_a_list():
    """Polars has a type for it."""
    kind = pl.Array(pl.String, 1)
    frame = pl.DataFrame({"anna": [["x"], ["y"]], "ben": [["x"], ["x"]]}, schema={"anna": kind, "ben": kind})
    assert km.from_ratings(frame).labels() == [["x", "x"], ["y", "x"]]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (("a", "b"), "a list of 2 labels: 'a', 'b'"),
        (frozenset({"a"}), "a set of 1 label: 'a'"),
        ({"a": 1}, "an object with the keys 'a'"),
        ([["a", "b"]], r"a list of lists or objects: \[\['a', 'b'\]\]"),
        ([[0, 4, "a"]], "a list of spans"),
        ([0, 4, "a"], "a span"),
        ({"x": 1, "y": 2}, "a span"),
    ],
)
def test_other_structures_are_refused(value, words):
    """Hashable ones too, which would otherwise be labels of their own."""
    with pytest.raises(km.errors.InvalidRatingsError, match=f"a rating must be one label; entry 1 is {words}"):
        km.from_ratings([[value, "a"], ["a", "b"]])


def test_the_label_in_a_value():
    """Only lists, tuples and arrays of one entry hold one label."""
    assert single_label(np.array(["a"])) == "a"
    assert single_label(("a",)) == "a"
    assert single_label(3) == 3
    assert single_label([]) is None
    assert single_label({}) is NO_LABEL
    assert single_label(np.ones((1, 1))) is NO_LABEL
