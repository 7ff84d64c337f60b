"""Numbers, labels and tables are formatted as text and HTML."""

import numpy as np
import pytest

import kappamax as km
from kappamax.display import html, numbers, text


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.50226, "0.5023"), (-0.00001, "0.0000"), (None, "undefined"), (float("nan"), "undefined"), (1, "1.0000")],
)
def test_decimals(value, shown):
    """Numbers have four decimals; negative zero and NaN are never shown."""
    assert numbers.decimal(value) == shown


def test_other_numbers():
    """Intervals, percentages, p-values and counts have their own formats."""
    assert numbers.interval((0.1, 0.25)) == "0.1000 to 0.2500"
    assert numbers.interval(None) == "undefined"
    assert numbers.percent(0.6733) == "67.3%"
    assert numbers.pvalue(0.00001) == "< 0.0001"
    assert numbers.pvalue(0.04) == "0.0400"
    assert numbers.count(1234567) == "1,234,567"


def test_values_of_every_kind():
    """None, booleans, numbers, lists and dicts are shown as text."""
    assert text.value(None) == "-"
    assert text.value(True) == "yes"
    assert text.value([1, 0.5]) == "1, 0.5000"
    assert text.value(list(range(20))).endswith(", ...")
    assert text.value({"a": 1}) == "a 1"
    assert text.listing(["a", 1]) == "'a', 1"
    assert text.listing(range(12), most=2) == "0, 1, ... (12 in all)"


def test_html_is_escaped_and_shaded():
    """Labels are escaped, and shading is relative to the largest number."""
    page = html.heat_table(np.array([[0, 4], [1, 2]]), ["<x>", "y"], ["<x>", "y"], caption="<c>")
    assert "<x>" not in page
    assert "&lt;c&gt;" in page
    assert "rgba(31,119,180,0.500)" in page
    assert html.card("T", [("a", "<b>")]).count("&lt;b&gt;") == 1


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.0, "< 0.0001"), (0.00009999, "< 0.0001"), (0.0001, "0.0001"), (1.0, "1.0000"), (None, "undefined")],
)
def test_no_p_value_is_shown_as_zero(p, shown):
    """A p-value below 0.0001 is shown as a bound."""
    assert numbers.pvalue(p) == shown


def test_results_show_small_p_values_as_a_bound():
    """Text and HTML show "< 0.0001", or the bound if no random table is as extreme as the observed one."""
    eyes = km.example("vision")
    columns = [[1] * 50 + [2] * 50, [1] * 50 + [2] * 50, [1, 2] * 50]
    results = {
        "< 0.0001": [
            km.value_test(eyes),
            km.compare(*columns, first={"raters": ["1", "2"]}, second={"raters": ["1", "3"]}),
        ],
        "<= 0.00005": [km.exact_test(eyes, method="monte-carlo", n_draws=20_000, rng=1)],
    }
    for shown, ours in results.items():
        for result in ours:
            assert result.pvalue < 0.0001
            assert "p-value" in repr(result)
            assert shown in repr(result)
            assert shown.replace("<", "&lt;") in result._repr_html_()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("mild", "mild"),
        (3, "3"),
        ("", "''"),
        (" mild", "' mild'"),
        ("a\nb\x1b[31m", r"a\nb\x1b[31m"),
        ("\u202eabc", r"\u202eabc"),
        ("x" * 10_000, "xxxxxxxxxxxxx..."),
        ("日本語" * 10, "日本語日本語..."),
    ],
)
def test_labels_take_one_short_line(name, shown):
    """Control characters are escaped, and long labels are cut to 16 columns."""
    assert text.label(name) == shown
    assert text.width(shown) <= 16


def test_labels_that_differ_at_the_end_stay_different():
    """The ends are kept if the labels would be equal without them."""
    assert text.labels(["grade number 1 of 2", "grade number 2 of 2"], 10) == ["grad...f 2", "grad...f 2"]
    assert text.labels(["category number 1", "category number 2"], 10) == ["cate...r 1", "cate...r 2"]
    assert text.labels(["depression", "schizophrenia"], 10) == ["depression", "schizop..."]


def test_columns_are_aligned_where_characters_are_wide():
    """Wide characters take two columns, marks that combine with a letter take none."""
    lines = text.columns(["日本", "n"], [["abcde", "1"], ["e\u0301", "22"]])
    assert lines == ["日本    n", "-----  --", "abcde   1", "e\u0301      22"]


def test_whole_numbers_of_any_size_have_a_few_digits():
    """Numbers beyond the range of doubles, and beyond the digits that Python converts to text, are written alike."""
    whole = (7, 12345, 5**460, 10**400 - 1, 10**5000)
    assert [numbers.rough(one) for one in whole] == ["7", "1.23e+04", "3.36e+321", "1.00e+400", "1.00e+5000"]
