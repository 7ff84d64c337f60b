"""Numbers and text as readers see them."""

import numpy as np
import pytest

from kappamax.display import html, numbers, text


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.50226, "0.5023"), (-0.00001, "0.0000"), (None, "undefined"), (float("nan"), "undefined"), (1, "1.0000")],
)
def test_decimals(value, shown):
    """Four digits, no negative zero, no NaN."""
    assert numbers.decimal(value) == shown


def test_other_numbers():
    """Intervals, percentages, p-values and counts."""
    assert numbers.interval((0.1, 0.25)) == "0.1000 to 0.2500"
    assert numbers.interval(None) == "undefined"
    assert numbers.percent(0.6733) == "67.3%"
    assert numbers.pvalue(0.00001) == "< 0.0001"
    assert numbers.pvalue(0.04) == "0.0400"
    assert numbers.count(1234567) == "1,234,567"


def test_values_of_every_kind():
    """None, booleans, numbers, lists and dicts."""
    assert text.value(None) == "-"
    assert text.value(True) == "yes"
    assert text.value([1, 0.5]) == "1, 0.5000"
    assert text.value(list(range(20))).endswith(", ...")
    assert text.value({"a": 1}) == "a 1"
    assert text.listing(["a", 1]) == "'a', 1"
    assert text.listing(range(12), most=2) == "0, 1, ... (12 in all)"


def test_html_is_escaped_and_shaded():
    """Labels are text, whatever they look like; shading follows the largest number."""
    page = html.heat_table(np.array([[0, 4], [1, 2]]), ["<x>", "y"], ["<x>", "y"], caption="<c>")
    assert "<x>" not in page
    assert "&lt;c&gt;" in page
    assert "rgba(31,119,180,0.500)" in page
    assert html.card("T", [("a", "<b>")]).count("&lt;b&gt;") == 1
