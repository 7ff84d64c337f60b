"""Wrong patterns, counts, categories and names of raters raise errors that say what is wrong."""

import numpy as np
import pytest

import kappamax as km
from kappamax.table import Table


@pytest.mark.parametrize(
    ("patterns", "counts", "message"),
    [
        ([[0], [1]], [1, 1], "at least two raters; got 1"),
        ([0, 1], [1, 1], "patterns must be a 2-D array"),
        (np.empty((0, 2)), [], "there is no subject"),
        ([[0, 2]], [1], r"positions from 0 to 1, or -1 for a missing rating; cell \(1, 2\) is 2"),
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
def test_wrong_patterns_and_counts_are_errors(patterns, counts, message):
    """Every error names the place where a rule is broken."""
    with pytest.raises(km.errors.InputError, match=message):
        Table(patterns, counts, ["x", "y"], ordered=True)


def test_wrong_names_of_raters_and_categories_are_errors():
    """There must be one name per rater, and the names of raters and categories must differ."""
    with pytest.raises(km.errors.InvalidOptionError, match="'a' occurs twice"):
        Table([[0, 1]], [1], ["x", "y"], ["a", "a"], ordered=True)
    with pytest.raises(km.errors.InvalidOptionError, match="each of the 2 raters; got 1"):
        Table([[0, 1]], [1], ["x", "y"], ["a"], ordered=True)
    with pytest.raises(km.errors.InvalidOptionError, match="'x' occurs twice"):
        Table([[0, 1]], [1], ["x", "x"], ordered=True)


def test_a_table_without_categories_leads_to_the_functions_that_make_tables():
    """Counts or ratings given to Table itself are answered with the right function."""
    for arguments in (([[1, 2], [3, 4]],), ([[1, 2], [3, 4]], None, ["x", "y"])):
        with pytest.raises(km.errors.InvalidTableError, match=r"Use km\.from_counts\(\.\.\.\) for a table of counts"):
            Table(*arguments)
