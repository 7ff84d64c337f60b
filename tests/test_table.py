"""The table: canonical, immutable, and exact at any size."""

import numpy as np
import pytest
from hypothesis import given

import kappamax as km
from kappamax import Table
from kappamax.patterns import group_patterns
from tests.support.strategies import tables


def test_equal_data_give_equal_tables_whatever_their_order():
    """Patterns are merged and sorted; empty ones and zero counts are dropped."""
    a = Table([[1, 0], [0, 0], [1, 0]], [1, 2, 3], ["x", "y"], ordered=True)
    b = Table([[0, 0], [1, 0], [-1, -1], [0, 1]], [2, 4, 9, 0], ["x", "y"], ordered=True)
    assert a == b
    assert hash(a) == hash(b)
    assert a.patterns.tolist() == [[0, 0], [1, 0]]
    assert a.counts.tolist() == [2, 4]
    assert a != Table([[0, 0], [1, 0]], [2, 4], ["x", "y"], ordered=False)
    assert (a == "a table") is False


def test_margins_and_pairs_by_hand():
    """Three raters, two subjects, one rating missing."""
    t = Table([[0, 1, -1], [1, 1, 0]], [2, 3], ["no", "yes"], ["a", "b", "c"], ordered=True)
    assert t.margins.tolist() == [[2, 3], [0, 5], [3, 0]]
    assert t.pair("a", "b").tolist() == [[0, 2], [0, 3]]
    assert t.pair(2, "a").tolist() == [[0, 3], [0, 0]]
    assert (t.n_subjects, t.n_raters, t.n_categories, t.n_missing, t.complete) == (5, 3, 2, 2, False)
    assert t.labels() == [["no", "yes", None], ["yes", "yes", "no"]]
    assert t.select(["c", "a"]).margins.tolist() == [[3, 0], [2, 3]]
    assert t.collapse("yes").margins.tolist() == [[3, 2], [5, 0], [0, 3]]


@given(tables(missing=True))
def test_margins_are_the_sums_of_pairs(table):
    """For a complete pair of raters, rows and columns of their table are their margins."""
    for a in range(table.n_raters):
        for b in range(table.n_raters):
            pair = table.pair(a, b)
            if a != b and table.complete:
                assert pair.sum(axis=1).tolist() == table.margins[a].tolist()
                assert pair.sum(axis=0).tolist() == table.margins[b].tolist()
            assert (pair == table.pair(b, a).T).all()


@given(tables())
def test_dense_and_back(table):
    """The dense array of a complete table holds the same counts."""
    again = km.from_counts(table.dense(), categories=table.categories)
    assert again == table


def test_counts_up_to_ten_to_the_twelve_are_exact():
    """Sums never go through doubles."""
    n = 10**12 + 1
    t = Table([[0, 0], [0, 1], [1, 1]], [n, 1, 3], [1, 2], ordered=True)
    assert t.n_subjects == n + 4
    assert t.margins.tolist() == [[n + 1, 3], [n, 4]]


def test_grouping_many_raters_beyond_64_bit_keys():
    """60 raters on 5 categories make 6^60 keys; prefixes are renumbered instead."""
    rng = np.random.default_rng(1)
    codes = rng.integers(-1, 5, size=(50, 60)).astype(np.int32)
    codes = codes[rng.integers(0, 50, size=400)]
    patterns, counts = group_patterns(codes, None, n_categories=5)
    expected, times = np.unique(codes, axis=0, return_counts=True)
    assert np.array_equal(patterns, expected)
    assert np.array_equal(counts, times)


def test_arrays_cannot_be_changed():
    """A table is a value."""
    t = Table([[0, 1]], [1], [1, 2], ordered=True)
    with pytest.raises(ValueError, match="read-only"):
        t.counts[0] = 2
    with pytest.raises(ValueError, match="read-only"):
        t.margins[0, 0] = 2


def test_to_dict_keeps_counts_beyond_doubles_as_text():
    """JSON readers lose integers above 2^53."""
    t = Table([[0, 1]], [2**60], ["a", "b"], ordered=True)
    assert t.to_dict() == {
        "categories": ["a", "b"],
        "raters": ["1", "2"],
        "patterns": [["a", "b"]],
        "counts": [str(2**60)],
    }


def test_html_shows_labels_escaped():
    """Two raters as a crossed table, more as a list of patterns; no label can smuggle markup."""
    two = Table([[0, 1]], [3], ["<b>", "y"], ordered=True)
    assert "&lt;b&gt;" in two._repr_html_()
    assert "<b>" not in two._repr_html_()
    three = Table([[0, 1, 1], [1, -1, 0]], [3, 1], ["<b>", "y"], ordered=True)
    assert "<b>" not in three._repr_html_()
    assert "1 missing rating)" in three._repr_html_()


@pytest.mark.parametrize(
    ("patterns", "counts", "message"),
    [
        ([[0], [1]], [1, 1], "at least two raters; got 1"),
        ([0, 1], [1, 1], "patterns must be a 2-D array"),
        (np.empty((0, 2)), [], "there is no subject"),
        ([[0, 2]], [1], r"positions 0 to 1, or -1 for missing; cell \(1, 2\) is 2"),
        ([[0.5, 1]], [1], "positions in the categories"),
        ([[0, 1], [1]], [1, 1], "rows have different lengths"),
        ([["x", "y"]], [1], "positions in the categories"),
        ([[0, 1]], [1, 2], r"one number per pattern \(1\)"),
        ([[0, 1]], [-1], r"whole numbers >= 0; cell \(1\) is -1"),
        ([[0, 1]], [1.5], r"whole numbers >= 0; cell \(1\) is 1.5"),
        ([[0, 1]], [0], "every count is zero"),
        ([[0, 1], [1, 1]], [2**61, 2**61], "add up to less than 2"),
        ([[0, -1], [1, -1]], [1, 1], "'2' rated none"),
    ],
)
def test_what_cannot_be_a_table(patterns, counts, message):
    """Every rule names the place where it is broken."""
    with pytest.raises(km.InputError, match=message):
        Table(patterns, counts, ["x", "y"], ordered=True)


def test_names_are_checked():
    """Raters and categories must be there, and there once."""
    with pytest.raises(km.InvalidOptionError, match="'a' occurs twice"):
        Table([[0, 1]], [1], ["x", "y"], ["a", "a"], ordered=True)
    with pytest.raises(km.InvalidOptionError, match="all 2 raters; got 1"):
        Table([[0, 1]], [1], ["x", "y"], ["a"], ordered=True)
    with pytest.raises(km.InvalidOptionError, match="'x' occurs twice"):
        Table([[0, 1]], [1], ["x", "x"], ordered=True)
    t = Table([[0, 1]], [1], ["x", "y"], ordered=True)
    with pytest.raises(km.InvalidOptionError, match="rater must be one of '1', '2'"):
        t.pair("a", "b")
    with pytest.raises(km.InvalidOptionError, match="category must be one of 'x', 'y'; got 'z'"):
        t.collapse("z")


def test_no_dense_array_where_it_makes_no_sense():
    """Missing ratings, or more cells than memory holds."""
    with pytest.raises(km.NotSupportedError, match="missing ratings has no dense array"):
        Table([[0, 1], [0, -1]], [1, 1], ["x", "y"], ordered=True).dense()
    many = Table([[0] * 20, [4] * 20], [1, 1], range(5), ordered=True)
    with pytest.raises(km.NotSupportedError, match="20 raters make 9.5e\\+13 cells"):
        many.dense()
