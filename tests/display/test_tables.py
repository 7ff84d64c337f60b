"""Each format of a table escapes what it would interpret, once."""

import csv
import io

import numpy as np
import pytest

import kappamax as km
from kappamax.display import html, svg, tables, text
from tests.support.hostile_labels import (
    LABELS,
    assert_safe_csv,
    assert_safe_html,
    assert_safe_latex,
    assert_safe_markdown,
    assert_safe_text,
    batches,
    hidden_characters,
    rows_of,
)

ALL = list(LABELS.values())
HEADER, ROWS = ["weights", *ALL], [[label, *ALL] for label in ALL]


def test_text_is_safe():
    """Cells of columns, and titles and rows of cards, are escaped."""
    assert_safe_text("\n".join(text.columns(HEADER, ROWS)))
    assert_safe_text(text.card(ALL[0], [(label, label) for label in ALL] + [("note", label * 20) for label in ALL]))
    assert len(text.columns(HEADER, ROWS)) == len(ROWS) + 2


def test_csv_is_safe_and_read_back():
    """An apostrophe is all that is added, and only to formulas."""
    rows = assert_safe_csv(tables.csv_table(HEADER, ROWS))
    expected = [[f"'{cell}" if cell[0] in "=+-@＝" else cell for cell in row] for row in [HEADER, *ROWS]]
    assert rows == expected


@pytest.mark.parametrize("number", [-0.5, -3, "-0.5", "-1e-5", "+2", "-1,234", "-12.5%", 1e-300, None, True, ""])
def test_negative_numbers_stay_numbers_in_csv(number):
    """A number is not a formula, whether it is text or not."""
    ((_, cell),) = list(csv.reader(io.StringIO(tables.csv_table(["a", "b"], [["x", number]]))))[1:]
    assert cell == ("" if number is None else str(number))


@pytest.mark.parametrize("cell", ["-1; 0; 1", "--1", "-", "-1e", "+1+1", "=1", "\t=1", "\r=1", "\n=1", "@x", "－1"])
def test_text_that_begins_like_a_formula_has_an_apostrophe(cell):
    """The header is treated like the rows."""
    (header, (found,)) = list(csv.reader(io.StringIO(tables.csv_table([cell], [[cell]]), newline="")))
    assert header == [found] == [f"'{cell}"]


def test_markdown_is_safe():
    """Bars, marks, HTML, entities and line ends are text, in cells and in notes."""
    content = tables.markdown_table(HEADER, ROWS, notes=[*ALL, "1. x", "2) x", "> x", "- x", "+ x", "=== x"])
    assert_safe_markdown(content)
    assert r"first\\nsecond \| third" in content
    assert r"1\. x" in content


def test_cells_of_numbers_are_not_escaped_in_markdown():
    """Marks of p-values and bounds stay legible."""
    assert r"| \\n |" in tables.markdown_table(["p"], [["\n"]])
    assert "| 0.0123* | <= 0.5 |" in tables.markdown_table(["p", "q"], [["0.0123*", "<= 0.5"]])


def test_latex_is_safe():
    """There are no commands, options, comments or cells other than ours."""
    assert_safe_latex(tables.latex_table(HEADER, ROWS, caption=" ".join(ALL), notes=ALL))
    shown = tables.latex_table(["a", "b"], [["[1cm]", "[x]"], ["*", "y"]], caption="c", notes=["[x]", "[y]"])
    assert "{}[1cm] & {}[x] \\\\\n{}* & y" in shown
    assert "{}[x] \\\\\n{}[y]" in shown
    assert "{} [x] & b" in tables.latex_table(["a", "b"], [[" [x]", "b"]], caption="c")  # spaces do not protect it


def test_html_and_svg_are_safe():
    """Texts and attributes are escaped in cards, tables, pages and pictures."""
    values = np.arange(float(len(ALL) ** 2)).reshape(len(ALL), -1)
    everything = " ".join(ALL)
    parts = [
        html.card(everything, [(label, label) for label in ALL]),
        html.table(HEADER, ROWS, caption=everything),
        html.heat_table(values, ALL, ALL, caption=everything, corner=ALL[0], totals=True),
        svg.heat_map(values, ALL, ALL, title=everything, row_name=everything, column_name=everything),
        svg.paired_bars(ALL, ALL, values, title=everything),
        svg.atoms(values[0], values[0], title=everything, marks=[(1.0, label) for label in ALL], axis=everything),
    ]
    content = html.page(everything, [html.section(everything, *parts)])
    shown = assert_safe_html(content)
    for label in ALL:
        assert text.printable(label) in shown


@pytest.mark.parametrize("labels", batches())
def test_what_python_shows_is_safe(labels):
    """Tables, results, weights and reports are shown as text and, in notebooks, as HTML."""
    table = km.from_ratings([list(row) for row in rows_of(labels)], raters=[labels[0], f"{labels[-1]}."])
    matrix = 1 - np.eye(len(table.categories), dtype=int)
    weights = km.Weights.from_matrix(matrix, kind="disagreement", name=labels[0], labels=table.categories)
    report = km.report(table, weights=[weights], title=" ".join(labels))
    for shown in (table, km.kappa(table, weights=weights), weights, km.max_kappa(table), report):
        assert_safe_text(repr(shown))
        assert_safe_html(shown._repr_html_())
    assert_safe_html(report.to_html())


def test_scripts_that_need_joiners_and_spaces_are_left_alone():
    """Characters that belong to the spelling of a language, and spaces, are printed."""
    for word in ("می\u200cخواهم", "क्\u200dष", "20\u00a0%", "日本　語", "naïve", "👩\u200d🔬"):
        assert text.printable(word) == word
        assert hidden_characters(word) == set()
    assert text.printable("a\tb\x1b\u202e\n") == r"a\tb\x1b\u202e\n"


@pytest.mark.parametrize(
    ("check", "content"),
    [
        (assert_safe_text, "a\x1b[31m"),
        (assert_safe_text, "a\u202eb"),
        (assert_safe_csv, "a,b\n=1,2\n"),
        (assert_safe_csv, "a,b\n1\n"),
        (assert_safe_html, "<p>a"),
        (assert_safe_html, "<script>x</script>"),
        (assert_safe_html, "<p onclick='x'>a</p>"),
        (assert_safe_html, "<!-- x -->"),
        (assert_safe_markdown, "| a | b |\n| --- | --- |\n| x | y | z |\n"),
        (assert_safe_markdown, "| a |\n| --- |\n| <b>x |\n"),
        (assert_safe_markdown, "| a |\n| --- |\n| x |\n\n- # note\n"),
        (assert_safe_latex, "\\toprule\na & b \\\\\n\\midrule\na \\\\\n\\bottomrule\n"),
        (assert_safe_latex, "\\toprule\na \\\\\n[2cm] \\\\\n\\bottomrule\n"),
        (assert_safe_latex, "\\input{x}"),
        (assert_safe_latex, "50% of"),
        (assert_safe_latex, "}{"),
    ],
)
def test_the_checks_of_this_module_can_fail(check, content):
    """Each check rejects what it is meant to find."""
    with pytest.raises(AssertionError):
        check(content)
