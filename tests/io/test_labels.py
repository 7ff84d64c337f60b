"""Raw values of every type become labels, and missing values are never a category."""

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
from kappamax.io.suspicious_labels import meaning_of


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
        (" mild", "mild"),
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
    """Codes with leading zeros and words stay as they are, without surrounding spaces."""
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
    with pytest.raises(km.errors.InvalidRatingsError, match="'c' .* is not among the categories 'a', 'b'"):
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
def test_every_spelling_of_missing_is_missing_in_every_route(route, tmp_path):
    """All routes note such text, in any case, unless categories names it."""
    for text in ("NA", "n/A", "Null", ".b", "?", "#DIV/0!", "Missing", "fehlend", "-"):
        if (route, text) == ("excel", "#DIV/0!"):  # in a sheet this is an error value, which is read as an empty cell
            continue
        given = ROUTES[route](text, tmp_path)
        read = km.read_ratings if isinstance(given, Path) else km.from_ratings
        found = read(given)
        assert (found.n_missing, found.categories) == (1, ("mild", "severe")), text
        assert found.reading.missing == {text: 1}
        assert f"Values read as missing ratings: 1 {text!r}." in found.reading.notes
        assert read(given, missing=[text]) == found
        named = read(given, categories=[text, "mild", "severe"])
        assert (named.n_missing, named.categories) == (0, (text, "mild", "severe")), text


@pytest.mark.parametrize("text", MISSING_SPELLINGS)
def test_every_spelling_of_missing_is_missing_in_any_case(text):
    """Upper and lower case do not matter."""
    for one in (text, text.upper(), text.title(), f" {text}\u00a0"):
        assert label_of(one) is None


def test_none_beside_other_words_is_asked_about():
    """The text None is missing beside numbers, and may be a grade beside words."""
    assert km.from_ratings([["None", 1], [2, 1]]).reading.missing == {"None": 1}
    with pytest.raises(km.errors.InvalidRatingsError, match="'None' .* Otherwise, pass rename={'None': 'none'}."):
        km.from_ratings([["None", "Mild"], ["Severe", "Severe"]])
    with pytest.raises(km.errors.InvalidRatingsError, match=r"'None' .* Otherwise, pass missing=\['None'\]."):
        km.from_ratings([["None", "cat"], ["dog", "dog"]])
    assert km.from_ratings([["none", "mild"], ["mild", "mild"]]).categories == ("mild", "none")


def test_a_dash_is_a_category_beside_a_plus_sign():
    """Signs are categories, and a dash alone is a missing rating."""
    assert km.from_ratings([["+", "-"], ["-", "-"]]).categories == ("+", "-")
    assert km.from_ratings([["a", "-"], ["b", "b"]]).n_missing == 1


def test_section_numbers_are_not_decimals():
    """A rater who writes 1.1 and 1.10 means two labels; otherwise 1.50 is 1.5."""
    assert km.from_ratings([["1.1", "1.1"], ["1.10", "1.1"]]).categories == (1.1, "1.10")
    assert km.from_ratings([["1.50", "1.5"], ["2.0", "2"]]).categories == (1.5, 2)


def test_ratings_that_are_all_missing_are_an_error():
    """Ratings without a label are an error."""
    with pytest.raises(km.errors.InvalidRatingsError, match="every value is missing"):
        km.kappa([None, "NA"], ["", None])


def test_spaces_never_make_a_category():
    """Surrounding, doubled and non-breaking spaces and the encoding of accents do not matter, which a note says."""
    found = km.from_ratings([["yes", " yes"], ["no", "no\u00a0"], ["very  good", "very\u00a0good"]])
    assert found.categories == ("no", "very good", "yes")
    assert any(note.startswith("Spaces around labels") for note in found.reading.notes)
    assert km.from_ratings([["\u00e9", "e\u0301"], ["b", "b"]]).categories == ("b", "\u00e9")


@pytest.mark.parametrize(("one", "other"), [(1, "01"), (1, True), ("0", False), ("7", "007"), ("Yes", "yes")])
def test_labels_that_may_mean_the_same_are_doubtful(one, other):
    """Codes with leading zeros, truth values and case are asked about, and can be accepted."""
    with pytest.raises(km.errors.InvalidRatingsError, match="may mean the same|differ only in case") as caught:
        km.from_ratings([[one, other], [one, one]])
    assert caught.value.code == "doubtful-labels"
    assert km.from_ratings([[one, other], [one, one]], accept_labels=True).n_categories == 2
    assert km.from_ratings([[one, other], [one, one]], **caught.value.advice[-1].options).n_categories == 1


def test_truth_values_among_numbers_are_not_numbers():
    """The labels of True and 1 are different, in lists and in frames."""
    for column in ([True, 1, 3], [1, True, 3]):
        frame = pd.DataFrame({"a": pd.Series(column, dtype=object), "b": [3, 3, 3]})
        assert km.from_ratings(frame, accept_labels=True).categories == (1, 3, "True")
        assert km.from_ratings([[value, 3] for value in column], accept_labels=True).categories == (1, 3, "True")


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


def test_labels_of_thousands_of_digits_are_compared_digit_by_digit():
    """Python refuses to make an integer of so many digits."""
    digits = "1" + "9" * 5000
    assert meaning_of(f"00{digits}") == digits
    assert meaning_of("٠٠٧") == meaning_of("007") == "7"
    assert meaning_of("000") == "0"
    assert km.from_ratings([[digits, "x"], ["x", "x"], [digits, digits]]).n_categories == 2
