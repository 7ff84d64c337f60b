"""Raw values of every type become labels, and missing values are never a category."""

import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kappamax as km
from kappamax.io.labels import MISSING_SPELLINGS, label_of


@pytest.mark.parametrize("value", [1, 1.0, "1", " 1 ", "1.0", "1.00", np.int8(1), np.float32(1), np.uint64(1)])
def test_the_label_of_one_does_not_depend_on_its_type(value):
    """The same value of different types is the same label."""
    assert label_of(value) == 1
    assert type(label_of(value)) is int


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.nan, np.float32("nan"), pd.NA, pd.NaT, "", "  ", "NA", "NaN", "null"]
)
def test_missing_values_of_every_type_are_missing(value):
    """None, NaN and their spellings are missing."""
    assert label_of(value) is None


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("none", "none"),
        ("01", "01"),
        ("1e3", "1e3"),
        (" mild", " mild"),
        ("0.5", 0.5),
        (0.5, 0.5),
        ("-2", -2),
        ("0", 0),
        (True, "True"),
        ("12345678901234567890", 12345678901234567890),
        (np.str_("x"), "x"),
    ],
)
def test_text_that_is_not_a_number_is_kept(value, label):
    """Codes with leading zeros, words and spaces stay as they are."""
    assert label_of(value) == label


def test_numbers_sort_as_numbers():
    """10 comes after 9, also as text, and the categories are ordered."""
    values = [str(i) for i in range(1, 11)]
    t = km.from_ratings([[v, v] for v in reversed(values)])
    assert t.categories == tuple(range(1, 11))
    assert t.ordered


def test_text_has_no_order():
    """Text is sorted but not ordered, also if it contains numbers."""
    t = km.from_ratings([["mild", "none"], ["severe", 2]])
    assert t.categories == (2, "mild", "none", "severe")
    assert not t.ordered


def test_given_categories_are_used():
    """Named categories keep their order, may be unused, and may look like missing values."""
    t = km.from_ratings([["b", "a"], ["NA", ""]], categories=["b", "a", "NA", "z"])
    assert t.categories == ("b", "a", "NA", "z")
    assert t.ordered
    assert t.margins.tolist() == [[1, 0, 1, 0], [0, 1, 0, 0]]
    with pytest.raises(km.errors.InvalidRatingsError, match="rating 'c' \\(rater '2'\\) is not in categories 'a', 'b'"):
        km.kappa(["a", "b"], ["a", "c"], categories=["a", "b"])
    with pytest.raises(km.errors.InvalidOptionError, match="categories must differ; 1 occurs twice"):
        km.kappa([1, 2], [1, 2], categories=[1, "1", 2])
    with pytest.raises(km.errors.InvalidOptionError, match="must be a sequence of labels; got the text 'abc'"):
        km.kappa(["a"], ["b"], categories="abc")
    with pytest.raises(km.errors.InvalidRatingsError, match="None is a missing value"):
        km.kappa(["a"], ["b"], categories=["a", None])
    with pytest.raises(km.errors.InvalidOptionError, match="at least one category"):
        km.kappa(["a"], ["b"], categories=[])


def test_categories_can_be_reordered_on_a_table():
    """A table made without an order gets one."""
    t = km.from_ratings([["mild", "none"], ["severe", "mild"], ["none", "none"]])
    ordered = km.kappa(t, weights="linear", categories=["none", "mild", "severe"])
    assert ordered.value == km.kappa([2, 3, 1], [1, 2, 1], weights="linear").value


ROUTES = {
    "list": lambda text, folder: [[text, "mild"], ["mild", "severe"], ["severe", "severe"]],
    "text array": lambda text, folder: np.array(ROUTES["list"](text, folder)),
    "object array": lambda text, folder: np.array(ROUTES["list"](text, folder), dtype=object),
    "pandas": lambda text, folder: pd.DataFrame(ROUTES["list"](text, folder), columns=["a", "b"]),
    "pandas categorical": lambda text, folder: ROUTES["pandas"](text, folder).astype("category"),
    "polars": lambda text, folder: pl.from_pandas(ROUTES["pandas"](text, folder)),
    "pyarrow": lambda text, folder: pa.Table.from_pandas(ROUTES["pandas"](text, folder)),
    "csv": lambda text, folder: _written(ROUTES["pandas"](text, folder).to_csv, folder / "wide.csv"),
    "parquet": lambda text, folder: _written(ROUTES["pandas"](text, folder).to_parquet, folder / "wide.parquet"),
    "excel": lambda text, folder: _written(ROUTES["pandas"](text, folder).to_excel, folder / "wide.xlsx"),
}


def _written(write, path):
    write(path, index=False)
    return path


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("text", MISSING_SPELLINGS[1:])
def test_every_spelling_of_missing_is_missing_in_every_route(text, route, tmp_path):
    """All routes warn of such text, unless categories or missing names it."""
    given = ROUTES[route](text, tmp_path)
    if (route, text) == ("excel", "#N/A"):  # in a sheet this is an error value, not text
        assert km.read_ratings(given).n_missing == 1
        return
    read = km.read_ratings if isinstance(given, Path) else km.from_ratings
    notice = f"^{re.escape(repr(text))} was read as a missing rating; list such text in categories"
    with pytest.warns(km.errors.KappamaxWarning, match=notice):
        found = read(given)
    assert (found.n_missing, found.categories) == (1, ("mild", "severe"))
    assert read(given, missing=[text]) == found
    named = read(given, categories=[text, "mild", "severe"])
    assert (named.n_missing, named.categories) == (0, (text, "mild", "severe"))


def test_several_spellings_of_missing_give_one_warning():
    """One warning lists them in the documented order, also for label arrays."""
    with pytest.warns(km.errors.KappamaxWarning, match="^'NA', 'nan' were read as missing ratings;") as caught:
        km.kappa(["nan", "a", "b", "NA"], ["a", "a", "b", "b"])
    assert len(caught) == 1


def test_missing_values_that_are_not_text_give_no_warning():
    """None, NaN, pd.NA and empty text are missing without a warning, and other spellings are categories."""
    found = km.from_ratings([[None, 1], [np.nan, 2], [pd.NA, 1], ["", 2], [1, 1]])
    assert found.n_missing == 4
    assert km.from_ratings([["none", "na"], ["-", "Null"]]).n_missing == 0


def test_the_list_of_spellings_is_the_documented_one():
    """docs/data.md lists all of them in this order."""
    page = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
    *first, last = (f"`{text}`" for text in MISSING_SPELLINGS)
    assert f"The texts {', '.join(first)} and {last}, spelled like this" in page


def test_ratings_that_are_all_missing_are_an_error():
    """Ratings without a label are an error."""
    with pytest.raises(km.errors.InvalidRatingsError, match="every value is missing"):
        km.kappa([None, "NA"], ["", None])


def test_labels_that_look_alike_give_a_warning():
    """Labels that differ in spaces or case are different categories, with a warning."""
    with pytest.warns(
        km.errors.KappamaxWarning,
        match=r"labels ' yes' \(1 rating\) and 'yes' \(1 rating\) differ only in case or spaces",
    ):
        km.from_ratings([["yes", " yes"], ["no", "no"]])
    with pytest.warns(km.errors.KappamaxWarning, match=r"'Yes' \(1 rating\) and 'yes' \(3 ratings\)"):
        km.from_ratings([["Yes", "yes"], ["yes", "yes"]])


@pytest.mark.parametrize(("one", "other"), [(1, "01"), (1, True), ("0", False), ("7", "007")])
def test_labels_that_may_mean_the_same_give_a_warning(one, other):
    """Codes with leading zeros and truth values are text, with a warning."""
    with pytest.warns(km.errors.KappamaxWarning, match="may mean the same; they count as different categories"):
        t = km.from_ratings([[one, other], [one, one]])
    assert t.n_categories == 2


def test_truth_values_among_numbers_are_not_numbers():
    """The labels of True and 1 are different, in lists and in frames."""
    for column in ([True, 1, 3], [1, True, 3]):
        with pytest.warns(km.errors.KappamaxWarning, match="may mean the same"):
            t = km.from_ratings(pd.DataFrame({"a": pd.Series(column, dtype=object), "b": [3, 3, 3]}))
        assert t.categories == (1, 3, "True")
        with pytest.warns(km.errors.KappamaxWarning, match="may mean the same"):
            assert km.from_ratings([[value, 3] for value in column]).categories == (1, 3, "True")


def test_decimals_and_fractions_are_numbers():
    """Decimal columns and single precision give the labels that were meant."""
    assert label_of(Decimal("2")) == 2
    assert label_of(Decimal("0.5")) == 0.5
    assert label_of(Fraction(1, 2)) == 0.5
    single = km.from_ratings(np.array([[0.1, 0.2], [0.2, 0.2]], dtype=np.float32))
    assert single.categories == (0.1, 0.2)


def test_very_long_numbers_are_text():
    """Text with thousands of digits stays text."""
    assert label_of("9" * 5000) == "9" * 5000
    assert label_of("9" * 400 + ".5") == "9" * 400 + ".5"


@pytest.mark.parametrize("categories", [{1, 2}, {1: 2}, 3, iter([1, 2]), [1, [2]]])
def test_categories_must_have_an_order(categories):
    """Sets and other objects without an order are errors."""
    with pytest.raises(km.errors.InvalidOptionError, match="categories must be a list of labels"):
        km.kappa([1, 2], [1, 2], categories=categories)
    with pytest.raises(km.errors.InvalidRatingsError, match="'' is a missing value"):
        km.kappa([1, 2], [1, 2], categories=["1", "2", ""])


@pytest.mark.parametrize("codes", [[9, 99], ["9", "99"], [9.0, "99"]])
def test_codes_for_missing_ratings_are_missing(codes):
    """Codes may be numbers or text, and the missing ratings and subjects are counted."""
    t = km.from_ratings([[1, 9], ["99", 2], [2, 2], [9, 99], [1, None]], missing=codes)
    assert t.categories == (1, 2)
    assert (t.n_missing, t.n_incomplete, t.n_left_out) == (3, 3, 1)
    whole = km.from_ratings([[1, 9], ["99", 2], [2, 2], [9, 99], [1, None]], missing=codes, complete_only=True)
    assert (whole.n_subjects, whole.n_missing, whole.n_left_out) == (1, 0, 4)
    assert whole.categories == (1, 2)


def test_codes_for_missing_ratings_are_not_categories():
    """A code for missing must not be a given category, and is removed from declared ones."""
    with pytest.raises(km.errors.InvalidRatingsError, match="must not be both in categories and in missing; 9 is"):
        km.from_ratings([[1, 9]], missing=[9], categories=[1, 9])
    levels = pd.CategoricalDtype(["low", "high", "unknown"], ordered=True)
    frame = pd.DataFrame({"a": ["low", "unknown"], "b": ["high", "low"]}).astype(levels)
    assert km.from_ratings(frame, missing=["unknown"]).categories == ("low", "high")
    with pytest.raises(km.errors.InvalidOptionError, match="missing must be a list; got '9'"):
        km.from_ratings([[1, 9]], missing="9")
    with pytest.raises(
        km.errors.InvalidRatingsError, match="complete_only needs at least one subject that every rater rated"
    ):
        km.from_ratings([[1, 9], [9, 1]], missing=[9], complete_only=True)


def test_too_many_categories_are_an_error():
    """More labels than a matrix of weights can have are an error."""
    with pytest.raises(km.errors.NotSupportedError, match="2,001 different labels; a table holds up to 2,000"):
        km.from_ratings(np.arange(2001)[:, None].repeat(2, axis=1))
