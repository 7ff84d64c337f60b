"""Value labels and missing codes of statistical files are applied to columns."""

import math
from datetime import date

import numpy as np
import pytest

import kappamax as km
from kappamax.io.declared_categories import UnorderedCategories
from kappamax.io.value_labels import Variable, labelled_columns, require_labels_of_all

GRADES = {1.0: "mild", 2.0: "moderate", 3.0: "severe"}


def variable(name, values, *, labels=None, missing=None, measure="unknown"):
    distinct = list(dict.fromkeys(values))
    codes = np.array([distinct.index(value) for value in values])
    return Variable(name, distinct, codes, labels or {}, missing or {}, measure)


def test_labels_replace_codes_in_the_order_of_the_codes():
    """Labels that no rater used are categories too; the note gives the order."""
    found = labelled_columns([variable("r", [3.0, 1.0, None], labels={3.0: "severe", 1.0: "mild", 2.0: "moderate"})])
    assert found.columns["r"].tolist() == ["severe", "mild", None]
    assert found.declared["r"] == ("mild", "moderate", "severe")
    assert not isinstance(found.declared["r"], UnorderedCategories)
    (note,) = found.notes_on(["r"])
    assert note.startswith(
        "The value labels of 'r' were taken in the order of their codes: 'mild', 'moderate', 'severe'."
    )


@pytest.mark.parametrize(
    ("measure", "ordered", "said"),
    [("ordinal", True, "as ordinal"), ("scale", True, "as scale"), ("nominal", False, "have no order")],
)
def test_the_measurement_level_decides_whether_labels_are_ordered(measure, ordered, said):
    """A nominal variable declares its labels without an order."""
    found = labelled_columns([variable("r", [1.0, 2.0], labels=GRADES, measure=measure)])
    assert isinstance(found.declared["r"], UnorderedCategories) is not ordered
    assert said in found.notes_on(["r"])[0]


def test_labels_of_text_have_no_order():
    """The alphabetical order of codes that are text is not an order of the categories."""
    found = labelled_columns([variable("r", ["f", "m"], labels={"m": "male", "f": "female"}, measure="ordinal")])
    assert isinstance(found.declared["r"], UnorderedCategories)
    assert found.notes_on(["r"]) == ("The value labels of 'r' have no order, since their codes are not numbers.",)


def test_codes_are_kept_if_some_have_no_label():
    """Variables that are coded alike are treated alike, and others keep their labels; the note says why."""
    found = labelled_columns(
        [
            variable("a", [1.0, 2.0, 4.0], labels=GRADES),
            variable("b", [1.0, 3.0], labels=GRADES),
            variable("c", [1.0, 2.0], labels={1.0: "mild", 2.0: "moderate"}),
            variable("d", [1.0, 2.0], labels={1.0: "yes", 2.0: "no"}),
        ]
    )
    assert [found.columns[name].tolist() for name in "abc"] == [[1, 2, 4], [1, 3], [1, 2]]
    assert list(found.declared) == list(found.labels) == ["d"]
    said = "The codes of 'a', 'c' were kept instead of their value labels, since 4 has no label."
    assert found.notes_on(["a", "c"]) == (said,)


def test_codes_are_kept_if_two_have_the_same_label():
    """Otherwise two categories would become one."""
    found = labelled_columns([variable("r", [1.0, 2.0], labels={1.0: "yes", 2.0: "yes"})])
    assert found.columns["r"].tolist() == [1, 2]
    assert "since several codes have the label 'yes'" in found.notes_on(["r"])[0]


def test_a_scale_with_labels_at_its_ends_stays_a_scale_of_numbers():
    """The order of the numbers is known without labels."""
    found = labelled_columns([variable("r", [0.0, 5.0, 10.0], labels={0.0: "not at all", 10.0: "extremely"})])
    assert found.columns["r"].tolist() == [0, 5, 10]
    assert not found.declared


def test_declared_missing_codes_become_missing_ratings():
    """The note counts them over the columns that are used."""
    found = labelled_columns(
        [
            variable("a", [1.0, 98.0, 98.0], labels=GRADES, missing={98.0: "98 'refused'"}),
            variable("b", [99.0, 1.0, 1.5], missing={99.0: "99"}),
        ]
    )
    assert found.columns["a"].tolist() == ["mild", None, None]
    assert math.isnan(found.columns["b"][0])
    assert "2 ratings are missing by the file's own missing codes: 98 'refused' (2)." in found.notes_on(["a"])
    assert found.notes_on(["b"]) == ("1 rating is missing by the file's own missing codes: 99 (1).",)
    assert "3 ratings are missing by the file's own missing codes: 98 'refused' (2), 99 (1)." in found.notes_on("ab")


def test_dates_become_text():
    """A column with text or dates is a column of texts."""
    found = labelled_columns([variable("r", [date(2020, 1, 2), None])])
    assert found.columns["r"].tolist() == ["2020-01-02", None]


def test_codes_beside_labels_are_refused():
    """The advice gives the codes their labels; codes that the caller renames are not refused."""
    labels = {"a": GRADES}
    rows = [("mild", 1.0, 2.0), ("severe", 3.0, None), ("mild", 7.0, 1.0)]
    with pytest.raises(
        km.errors.InvalidRatingsError, match="'a' have value labels, but 'b', 'c' contain the codes 1, 2, 3 without"
    ) as raised:
        require_labels_of_all(["a", "b", "c"], rows, labels)
    (advice,) = raised.value.advice
    assert advice.options == {"raters": ["a", "b", "c"], "rename": {"1": "mild", "2": "moderate", "3": "severe"}}
    require_labels_of_all(["a", "b", "c"], rows, labels, renamed=["1", "2", "3"])
    require_labels_of_all(["a"], rows, labels)
    require_labels_of_all(["a", "b"], [("mild", "mild"), ("mild", 8.0)], labels)
