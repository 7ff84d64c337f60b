"""Messages for the page name its controls, and advice has the values that these controls take."""

import pytest

from kappamax.errors import ORDER_TO_GIVE, Advice, InvalidRatingsError
from kappamax.io.read_spec import ReadSpec
from kappamax.web.advice import BOXES, CONTROLS, LAYOUTS, controls_of, likely_controls, message_of
from kappamax.web.schemas import FileRequest


def refused(*advice):
    return InvalidRatingsError("the rule is broken.", advice=advice)


@pytest.mark.parametrize(
    ("options", "words", "controls"),
    [
        (
            {"layout": "long", "subject": "a", "rater": "b", "rating": "c"},
            "Set Layout to one row per rating, set Column of subjects to 'a', set Column of raters to 'b' and set "
            "Column of ratings to 'c'.",
            {"layout": "long", "subject": "a", "rater": "b", "rating": "c"},
        ),
        (
            {"layout": "patterns", "count": "n"},
            "Set Layout to patterns with counts and set Column of counts to 'n'.",
            {"layout": "patterns", "count": "n"},
        ),
        ({"raters": ["a", "b, c"]}, "Tick the columns of raters 'a', 'b, c'.", {"raters": 'a,"b, c"'}),
        ({"subject": ["a", "b"]}, "Set Column of subjects to 'a' and 'b'.", {"subject": "a,b"}),
        ({"rename": {"": "no"}}, "Enter =no as Labels to rename.", {"rename": "=no"}),
        ({"no_header": True}, "Tick The first row is data.", {"no_header": "true"}),
        ({"missing": [9, 99]}, "Enter 9,99 as Codes of missing ratings.", {"missing": "9,99"}),
        ({"rename": {"Yse": "Yes"}}, "Enter Yse=Yes as Labels to rename.", {"rename": "Yse=Yes"}),
        ({"skip_rows": 2}, "Enter 2 as Lines above the header.", {"skip_rows": "2"}),
        ({"categories": ORDER_TO_GIVE}, "Give the order of the categories.", {}),
    ],
)
def test_advice_is_worded_for_the_page(options, words, controls):
    """Each kind of control has its own words, and the values are those of a request."""
    error = refused(Advice(options))
    assert message_of(error) == f"the rule is broken. {words}"
    assert likely_controls(error) == controls


def test_conditions_and_alternatives_are_said():
    """The most likely advice is last, and its values are those that are applied."""
    error = refused(
        Advice({"accept_labels": True}, "if all labels are meant as they stand"),
        Advice({"ignore_case": True}, "otherwise"),
    )
    assert message_of(error).endswith(
        "If all labels are meant as they stand, tick Take labels as they stand. Otherwise, tick Ignore upper and lower "
        "case."
    )
    assert likely_controls(error) == {"ignore_case": "true"}


def test_advice_that_the_page_cannot_follow_is_left_out():
    """Options that have no control are not named."""
    error = refused(Advice({"weights": "linear"}))
    assert (message_of(error), likely_controls(error)) == ("the rule is broken.", {})
    assert controls_of({}) == {}


def test_every_option_for_reading_has_a_control():
    """The page accepts and names every option of `read_ratings`."""
    options = set(ReadSpec.__dataclass_fields__)
    assert {*CONTROLS, *BOXES} == options
    assert set(FileRequest.__struct_fields__) == options | {"file", "content"}
    assert set(LAYOUTS) == {"wide", "long", "counts", "patterns"}
