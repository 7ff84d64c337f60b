"""The tables of all groups have the same categories."""

import numpy as np
import pandas as pd
import pytest

import kappamax as km
from kappamax.errors import InvalidOptionError, InvalidRatingsError
from kappamax.group_comparisons.group_tables import as_group_tables


def shared(*groups, categories=None):
    """Return the tables of groups that are called a, b and so on."""
    return list(as_group_tables(dict(zip("abcdef", groups, strict=False)), categories).values())


def test_numbers_are_in_increasing_order():
    """Category 3 is between 1 and 4 in both tables, and the ratings are the same as before."""
    first, second = shared(km.from_ratings([[1, 4], [1, 1]]), km.from_ratings([[3, 1], [4, 3]]))
    assert first.categories == second.categories == (1, 3, 4)
    assert first.ordered
    assert first.labels() == [[1, 1], [1, 4]]
    assert second.labels() == [[3, 1], [4, 3]]


def test_text_without_an_order_stays_without_one():
    """Labels are in order of appearance."""
    first, second = shared(km.from_ratings([["x", "y"]]), km.from_ratings([["z", "y"]]))
    assert first.categories == second.categories == ("x", "y", "z")
    assert not first.ordered
    assert not second.ordered


def test_ordered_text_follows_the_longest_scale():
    """A group without "mid" gets it in its place, and text without an order takes the declared one."""
    scale = ["low", "mid", "high"]
    long = km.from_ratings([["low", "high"], ["mid", "mid"]], categories=scale)
    short = km.from_ratings([["low", "high"], ["low", "low"]], categories=["low", "high"])
    unordered = km.from_ratings([["high", "low"], ["mid", "low"]])
    tables = shared(short, long, unordered)
    assert [table.categories for table in tables] == [tuple(scale)] * 3
    assert all(table.ordered for table in tables)
    assert tables[0].labels() == [["low", "low"], ["low", "high"]]
    assert tables[2].labels() == [["mid", "low"], ["high", "low"]]


@pytest.mark.parametrize("other", [["high", "low"], ["low", "best"]])
def test_scales_that_contradict_each_other_are_refused(other):
    """Another order, or a label that the longest scale does not have, is an error that names both."""
    long = km.from_ratings([["low", "high"]], categories=["low", "mid", "high"])
    with pytest.raises(InvalidOptionError, match="same categories in the same order; one group has 'low', 'mid'"):
        shared(long, km.from_ratings([[other[0], other[1]]], categories=other))


def test_given_categories_apply_to_all_groups():
    """They may be in another order; a rating that is not among them is an error."""
    tables = shared(km.from_ratings([["x", "y"]]), km.from_ratings([["z", "y"]]), categories=["z", "y", "x"])
    assert [table.categories for table in tables] == [("z", "y", "x")] * 2
    assert all(table.ordered for table in tables)
    with pytest.raises(InvalidOptionError, match="categories must contain all ratings; 'z' is missing"):
        shared(km.from_ratings([["x", "y"]]), km.from_ratings([["z", "y"]]), categories=["x", "y"])
    unused = km.from_ratings([["x", "y"]], categories=["x", "y", "z"])
    assert shared(unused, unused, categories=["x", "y"])[0].categories == ("x", "y")


def test_missing_ratings_clusters_and_the_record_of_reading_are_kept():
    """Only the codes change."""
    table = km.Table([[0, -1], [1, 1], [0, 0]], [2, 3, 1], [5, 7], ordered=True, clusters=["p", "q", "p"])
    first, _ = shared(table, km.from_ratings([[6, 7], [5, 5]]))
    assert first.categories == (5, 6, 7)
    assert first.labels() == [[5, None], [5, 5], [7, 7]]
    assert first.counts.tolist() == [2, 1, 3]
    assert first.clusters.n_clusters == 2
    assert first.clusters.counts.sum() == 6
    assert np.bincount(first.clusters.codes, weights=first.clusters.counts).tolist() == [3, 3]


def test_ratings_that_cannot_be_read_are_reasons_unless_all_are():
    """A frame in which a rater rated nobody leaves its group out; if no group is left, its error is raised."""
    good = km.from_ratings([[1, 2], [2, 2]])
    empty = pd.DataFrame({"a": [1, 2], "b": [None, None]})
    found = as_group_tables({"good": good, "empty": empty}, None)
    assert found["good"] is good
    assert isinstance(found["empty"], InvalidRatingsError)
    with pytest.raises(InvalidRatingsError):
        as_group_tables({"1": empty, "2": empty}, None)
    with pytest.raises(InvalidRatingsError, match="could be counts or ratings"):
        as_group_tables([("1", [[1, 2], [2, 1]]), ("2", [[1, 2], [2, 1]])], None)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({}, "at least two entries; got 0"),
        ({"a": km.from_ratings([[1, 2]])}, "at least two entries; got 1"),
        ([("a", km.from_ratings([[1, 2]])), ("a", km.from_ratings([[1, 2]]))], "'a' occurs twice"),
        ([km.from_ratings([[1, 2]])] * 2, "must be a mapping from names to ratings"),
        ("ab", "must be a mapping from names to ratings.*got str"),
        (km.from_ratings([[1, 2]]), "must be a mapping from names to ratings.*got Table"),
        (5, "got int"),
    ],
)
def test_what_is_not_two_groups_is_refused(groups, message):
    """The message says what is expected."""
    with pytest.raises(InvalidOptionError, match=message):
        as_group_tables(groups, None)
