"""Reports in all formats equal the golden files, and HTML reports are self-contained."""

import csv
import io
import json
import re

import numpy as np
import pytest

import kappamax as km
from kappamax.display import svg
from kappamax.reporting.formats.rows import CSV_COLUMNS, pair_rows
from tests.support.golden import ENDINGS, FOLDER, reports

MADE = reports()


def written(report, ending):
    forms = {
        "txt": report.to_text,
        "html": report.to_html,
        "json": report.to_json,
        "tex": report.to_latex,
        "md": report.to_markdown,
        "csv": report.to_csv,
    }
    return forms[ending]()


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", MADE)
def test_reports_equal_the_golden_files(name, ending):
    """Reports equal the golden files up to rounding; `python -m tests.support.golden` writes the files again."""
    expected = (FOLDER / f"{name}.{ending}").read_text(encoding="utf-8")
    found = written(MADE[name], ending)
    if ending == "json":
        assert_same(json.loads(found), json.loads(expected))
    elif ending == "csv":
        for row, known in zip(csv.reader(io.StringIO(found)), csv.reader(io.StringIO(expected)), strict=True):
            assert_same([_number(cell) for cell in row], [_number(cell) for cell in known])
    else:
        assert found == expected


def assert_same(found, expected):
    """Assert that two documents are equal, with doubles within 1e-9."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            assert_same(found[key], expected[key])
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    else:
        assert found == expected


def test_assert_same_notices_differences():
    """The assertion fails for different values, keys and lengths."""
    for one, other in (({"a": 1}, {"a": 2}), ([1.0], [1.1]), ({"a": 1}, {"b": 1}), ([1], [1, 2])):
        with pytest.raises(AssertionError):
            assert_same(one, other)


def _number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


def test_the_same_input_gives_the_same_bytes():
    """Repeated reports are identical, including Monte Carlo results."""
    again = reports()
    for name, report in MADE.items():
        for ending in ENDINGS:
            assert written(report, ending) == written(again[name], ending)


@pytest.mark.parametrize("name", MADE)
def test_text_fits_80_columns(name):
    """No line of a text report is longer than 80 characters."""
    assert max(map(len, MADE[name].to_text().splitlines())) <= 80


def test_html_is_self_contained_and_escaped():
    """The page has no script and no address except the SVG name space, and labels are escaped."""
    table = km.from_ratings([["<b>", "x&y"], ["x&y", "x&y"], ["<b>", "<b>"]], raters=['"A"', "<i>"])
    page = km.report(table, title="<script>alert(1)</script>").to_html()
    assert "<script" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "url(" not in page
    assert "@import" not in page


def test_json_has_the_documented_shape():
    """The document has the version of the schema, the data, the results and the report."""
    document = MADE["two"].to_dict()
    assert list(document) == ["schema_version", "data", "results", "report"]
    linear = document["results"][1]
    for field in ("weights", "value", "ci", "maximum", "minimum", "ratio", "proven", "bound", "table", "n_maximizers"):
        assert field in linear
    assert (linear["n_maximizers"], linear["pvalue"]) == (5, MADE["two"].results[1].test.pvalue)
    assert document["report"]["margins"] == {"1": [11, 8, 7, 7], "2": [6, 9, 12, 6]}
    assert document["report"]["options"] == {"level": 0.95, "alternative": "greater", "seed": 0}


def test_undefined_is_null_with_a_reason_everywhere():
    """JSON, CSV, text and HTML show that the coefficient is undefined."""
    report = km.report([1, 1], [1, 1], weights="unweighted")
    (result,) = report.to_dict()["results"]
    assert result["value"] is None
    assert result["reason"] == "both raters used only 1"
    (row,) = csv.DictReader(io.StringIO(report.to_csv()))
    assert (row["value"], row["error"]) == ("", "both raters used only 1")
    assert "undefined" in report.to_text()
    assert "kappa is undefined" in report.to_html()


def test_csv_has_one_row_per_weighting():
    """The CSV file has the documented columns."""
    rows = list(csv.DictReader(io.StringIO(MADE["two"].to_csv())))
    assert [row["weights"] for row in rows] == ["unweighted", "linear", "quadratic", "sqrt"]
    assert tuple(rows[0]) == CSV_COLUMNS


def test_every_format_has_the_test_of_the_margins():
    """Formats with sentences say it in words, CSV and JSON have the p-value."""
    made = km.report(km.example("rapallo2022"), weights="linear")
    for shown in (made.to_text(), made.to_html(), made.to_latex(), made.to_markdown()):
        assert "chance would explain (Stuart-Maxwell test, p = 0.1637)." in " ".join(shown.split())
    (row,) = csv.DictReader(io.StringIO(made.to_csv()))
    assert (row["margins_test"], float(row["margins_pvalue"])) == ("stuart-maxwell", made.marginal_homogeneity.pvalue)
    test = json.loads(made.to_json())["report"]["marginal_homogeneity"]
    assert (test["method"], test["df"], test["n_different"]) == ("stuart-maxwell", 3, 15)
    assert test["pvalue"] == made.marginal_homogeneity.pvalue
    assert "was tested by the Stuart-Maxwell test." in made.methods()
    assert "Maxwell AE (1970)" in made.methods()


@pytest.mark.parametrize(
    ("counts", "words", "reference"),
    [
        ([[5, 9], [2, 5]], "the McNemar test.", "McNemar Q (1947)"),
        ([[5, 6], [2, 5]], "the exact McNemar test.", "McNemar Q (1947)"),
        ([[5, 3, 1], [0, 5, 2], [0, 0, 4]], "an exact test that permutes the ratings of each subject", "Cohen J"),
    ],
)
def test_the_methods_name_the_test_of_the_margins(counts, words, reference):
    """The name depends on the numbers of categories and of different ratings."""
    methods = km.report(km.from_counts(counts), weights="unweighted").methods()
    assert f"Whether the raters use the categories equally often was tested by {words}" in methods
    assert reference in methods


def test_the_methods_name_the_random_permutations():
    """Their number and seed are given; many subjects of three raters are compared by Hotelling's test."""
    methods = km.report(km.example("anxiety"), weights="unweighted", rng=3).methods()
    assert "among its raters (100,000 random permutations, seed 3)." in methods
    rows = [[0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 1]]
    methods = km.report(km.Table(rows, [40] * 4, [0, 1], ordered=True), weights="unweighted").methods()
    assert "was tested by Hotelling's T2 test." in methods
    assert "Hotelling H (1931)" in methods


def test_a_negative_value_is_not_shown_as_a_share():
    """The column "reached" is "-" in all tables for readers, while CSV and JSON have the ratio."""
    table = km.from_counts([[1, 6], [5, 1]])
    made = km.report(table, weights="unweighted")
    assert [row.split("|")[6].strip() for row in made.to_markdown().splitlines()[:3]] == ["reached", "---", "-"]
    groups = km.report_groups([("A", table)], weights="unweighted")
    for shown in (made.to_text(), made.to_html(), made.to_latex(), groups.to_text(), groups.to_markdown()):
        assert "-80.6%" not in shown
    assert 'which is not a share of the maximum, "reached" is "-".' in " ".join(made.to_text().split())
    assert "&quot;reached&quot; is &quot;-&quot;" in made.to_html()
    assert '"reached" is "-"' not in km.report(km.example("rapallo2022"), weights="linear").to_text()
    ratio = -29 / 36  # kappa is -58/85 and the maximum is 72/85
    assert made.to_dict()["results"][0]["ratio"] == pytest.approx(ratio)
    assert float(next(csv.DictReader(io.StringIO(made.to_csv())))["ratio"]) == pytest.approx(ratio)


def test_special_characters_are_escaped_in_latex():
    """Percent signs and comparison signs are escaped."""
    assert "66.9\\%" in MADE["two"].to_latex()
    assert "\\textless{} 0.0001" in MADE["two"].to_latex()


def test_files_are_written_by_their_ending(tmp_path):
    """The ending of a file determines its format, and unknown endings and missing folders are errors."""
    report = MADE["two"]
    for ending in ENDINGS:
        report.save(tmp_path / f"r.{ending}")
        assert (tmp_path / f"r.{ending}").read_text(encoding="utf-8") == written(report, ending)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"r.{ending}" for ending in ENDINGS)
    with pytest.raises(km.errors.InvalidOptionError, match=r"must end in .html, .* or .txt; got 'r.pdf'"):
        report.save(tmp_path / "r.pdf")
    with pytest.raises(km.errors.InvalidOptionError, match="there is no folder"):
        report.save(tmp_path / "nowhere" / "r.html")


def test_a_notebook_shows_the_page_without_its_frame():
    """The notebook representation is an HTML fragment with figures."""
    fragment = MADE["two"]._repr_html_()
    assert fragment.startswith('<div class="kappamax">')
    assert "<svg" in fragment
    assert "<html" not in fragment
    assert repr(MADE["two"]) == MADE["two"].to_text()


def test_unordered_categories_are_reported_unweighted():
    """The default report has no weighting that needs an order."""
    report = km.report(km.from_ratings([["a", "b"], ["b", "b"], ["c", "a"]]))
    assert [result.weights for result in report.results] == ["unweighted"]


def test_many_raters_and_missing_ratings_can_be_reported():
    """Reports on missing ratings and on many raters show patterns."""
    page = km.report(km.example("gwet2014")).to_html()
    assert "Observed patterns" in page
    many = km.from_ratings(np.random.default_rng(0).integers(1, 4, size=(40, 10)), categories=[1, 2, 3])
    assert "10 raters" in km.report(many, weights="linear").to_text()


def test_figures_have_a_title_and_a_description():
    """Every figure has a title and a description, and empty cells stay empty."""
    picture = svg.heat_map(np.array([[1, 0], [2, 3]]), ["a", "b"], ["a", "b"], title="Counts & more")
    assert "<title>Counts &amp; more</title><desc>a: 1, 0; b: 2, 3</desc>" in picture
    assert ">nan<" not in svg.heat_map(np.array([[np.nan, -0.5]]), ["a"], ["a", "b"], title="t")
    bars = svg.paired_bars(["x"], ["A", "B"], np.array([[3], [4]]), title="t")
    assert "<desc>x: A 3, B 4</desc>" in bars
    drawn = svg.atoms(np.array([0.0, 0.5]), np.array([0.4, 0.6]), title="t", marks=[(0.5, "observed")])
    assert "observed at 0.5000" in drawn


def test_options_are_checked():
    """Unknown options are errors."""
    with pytest.raises(km.errors.InvalidOptionError, match="level must lie between 0 and 1"):
        km.report(km.example("rapallo2022"), level=2)
    with pytest.raises(km.errors.InvalidOptionError, match="alternative must be one of"):
        km.report(km.example("rapallo2022"), alternative="more")


def test_pairs_are_listed_with_their_intervals():
    """Text, HTML and JSON have the interval of each pair at the level of the report; names are shortened in text."""
    names = [f"rater with a long name, number {i}" for i in range(3)]
    table = km.Table([[0, 0, 1], [1, 1, 1], [0, 1, 0], [1, 1, 0]], [5, 6, 2, 3], ["x", "y"], names, ordered=True)
    report = km.report(table, weights="unweighted", level=0.9)
    low, high = report.pairs.ci[0, 2]
    _, _, said = report.to_text().partition("Kappa for each pair of raters")
    assert f"{low:.4f} to {high:.4f}" in said
    assert max(map(len, said.splitlines())) <= 80
    assert f"<td>{low:.4f} to {high:.4f}</td><td>16</td>" in report.to_html()
    assert "90% interval" in report.to_html()
    pairs = report.to_dict()["report"]["pairs"]
    assert (pairs["ci"][0][2], pairs["level"], pairs["n_subjects"][0][2]) == ([low, high], 0.9, 16)
    assert (low, high) == pytest.approx(km.kappa(table.select([0, 2]), level=0.9).ci)


def test_the_pairs_of_many_raters_are_a_matrix():
    """A list of the pairs of 31 raters would be too long; with 30 raters there is one."""
    codes = np.random.default_rng(0).integers(0, 2, (9, 31))
    table = km.Table(codes, None, ["x", "y"], ordered=True)
    for n_raters, listed in ((31, False), (30, True)):
        report = km.report(table.select(range(n_raters)), weights="unweighted", time_limit=1)
        header, rows = pair_rows(report)
        assert len(rows) == (n_raters * (n_raters - 1) // 2 if listed else n_raters)
        assert ("95% interval" in header) == listed
