"""Reports in every format say what was read, and why weighted coefficients are left out."""

import csv
import io
import json
import re

import pytest

import kappamax as km
from kappamax.reporting.formats.rows import CSV_COLUMNS
from tests.support.golden import ENDINGS
from tests.support.messy_file import SAID, write_messy

PLACEHOLDER = "--categories LOW,...,HIGH on the command line, categories=[LOW, ..., HIGH] in Python"


@pytest.fixture
def table(tmp_path):
    return km.read_ratings(write_messy(tmp_path))


def written(report, path):
    """Return a report that was saved in a file, as plain words without the signs of its format."""
    report.save(path)
    text = path.read_text(encoding="utf-8").replace("&#x27;", "'").replace("&quot;", '"').replace("\\\\", "")
    return " ".join(re.sub(r"\\([\[\]_])|-\{\}(?=-)", lambda sign: sign[1] or "-", text).split())


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_says_what_was_read(table, ending, tmp_path):
    """File, missing ratings and the column left out are in each format, with every note and the advice on the order."""
    shown = written(km.report(table), tmp_path / f"r.{ending}")
    said = [*table.reading.notes, PLACEHOLDER]
    if ending in ("json", "csv"):  # these have numbers instead of the sentence
        said = [one.replace('"', '\\"') for one in said] + ["messy.csv"]
    else:
        said += SAID
    for one in said:
        assert one in shown


@pytest.mark.parametrize("ending", ["csv", "json", "md", "tex", "txt"])
def test_every_group_has_its_notes(table, ending, tmp_path):
    """A report on several groups has the notes of each, and notes of all groups once."""
    same = km.from_ratings([[1, 1], [1, 2], [2, 2]])
    shown = written(km.report_groups([("A", table), ("B", same)]), tmp_path / f"r.{ending}")
    for note in table.reading.notes:
        assert note in shown
    if ending in ("md", "tex", "txt"):
        assert "A: Read from messy.csv (wide layout): 6 subjects" in shown
        assert "B: " not in shown
        twice = written(km.report_groups([("A", table), ("B", table)]), tmp_path / f"r.{ending}")
        assert twice.count("Each group: Column 'id' was left out") == 1


def test_a_notebook_shows_the_groups_with_their_notes(table):
    """The rows are an HTML table, and the notes are a list below it, with escaped names."""
    shown = km.report_groups([("<A>", table)])._repr_html_().replace("&#x27;", "'")
    assert shown.startswith("<table><caption>Agreement by group</caption>")
    assert "<li>&lt;A&gt;: Column 'id' was left out" in shown
    assert "<ul>" not in km.report_groups([("A", km.from_counts([[5, 1], [2, 6]]))])._repr_html_()


def test_a_note_names_the_first_of_many_groups(table):
    """At most three groups are named."""
    same = km.from_counts([[5, 1], [2, 6]])
    groups = [(f"g{i}", table if i < 5 else same) for i in range(6)]
    assert "g0, g1, g2 and 2 more: Column 'id' was left out" in km.report_groups(groups, weights="unweighted").to_text()


def test_csv_has_columns_about_the_data(table):
    """Lists are written as text, and the names of the columns are documented."""
    (row,) = csv.DictReader(io.StringIO(km.report(table).to_csv()))
    assert tuple(row) == CSV_COLUMNS
    expected = {
        "file": "messy.csv",
        "layout": "wide",
        "raters": "ann; bob",
        "categories": "maybe; no; yes",
        "ordered": "False",
        "n_missing": "2",
        "n_incomplete": "2",
        "n_left_out": "1",
        "missing_as": "empty: 3; NA: 1",
        "columns_left_out": "id; empty",
    }
    assert {name: row[name] for name in expected} == expected
    assert row["notes"].startswith(" ".join(table.reading.notes))
    frame = km.report(table).to_frame("pandas")
    assert frame["raters"].tolist() == ["ann; bob"]


def test_a_group_in_json_has_lists(table):
    """JSON has lists and objects where CSV has text, and null for a group that could not be reported."""
    made = km.report_groups([("A", table), ("B", km.errors.InvalidRatingsError("no ratings."))])
    good, bad = json.loads(made.to_json())["results"]
    assert (good["raters"], good["missing_as"]) == (["ann", "bob"], {"": 3, "NA": 1})
    assert good["notes"][:-1] == list(table.reading.notes)
    assert (bad["file"], bad["notes"], bad["error"]) == (None, None, "no ratings.")


def test_methods_mention_what_is_missing_only_if_something_is(table):
    """Left-out subjects and columns are in the paragraph on a messy file, and not in that on a clean table."""
    methods = km.report(table).methods()
    assert "Missing ratings (2 of 12) were handled by" in methods
    assert "1 subject without a rating was left out. The columns 'id', 'empty' were not used." in methods
    clean = km.report(km.example("rapallo2022")).methods()
    assert "left out" not in clean
    assert "not used" not in clean
    assert "issing" not in clean


def test_weights_are_left_out_with_a_reason():
    """The reason is given for three or more categories without an order, unless weightings were requested."""
    three = km.from_ratings([["a", "b"], ["b", "b"], ["c", "a"]])
    report = km.report(three)
    assert "because the categories are text, whose order is not known" in report.weights_left_out
    assert PLACEHOLDER in report.weights_left_out
    assert "a,b,c" not in report.weights_left_out
    assert report.notes == (report.weights_left_out,)
    assert km.report(three, weights="unweighted").weights_left_out is None
    assert km.report(three, categories=["a", "b", "c"]).weights_left_out is None
    assert km.report(km.from_ratings([["a", "b"], ["b", "b"], ["a", "a"]])).weights_left_out is None
    assert km.report(km.from_counts([[5, 1, 0], [2, 6, 1], [0, 0, 3]])).weights_left_out is None


def test_the_text_of_a_report_without_a_file_describes_the_design():
    """Ratings from arrays have no file to name."""
    shown = km.report([1, 2, 3, 1], [1, 2, 2, 1]).to_text()
    assert "4 subjects were rated by 2 raters in 3 ordered categories: 1, 2, 3." in shown
    assert "Read from" not in shown


def test_markdown_signs_in_names_are_escaped(tmp_path):
    """A name cannot change the format of the list of notes."""
    path = tmp_path / "messy.csv"
    path.write_text("id,*a*,<b>c\n11,1,2\n12,2,2\n13,1,1\n14,1,2\n15,2,2\n", encoding="utf-8")
    shown = km.report(km.read_ratings(path)).to_markdown()
    assert "raters '\\*a\\*' and '\\<b>c', categories 1 < 2" in shown
