"""Groups of ratings are reported as one table with shared categories."""

import csv
import io
import json

import pytest

import kappamax as km
from kappamax.errors import KappamaxError
from kappamax.io.files import read_groups

WIDE = "site,a,b\nX,1,1\nX,2,2\nX,1,2\nY,1,1\nY,1,1\nZ,1,3\nZ,2,2\nZ,3,3\n"
LONG = "site,subject,rater,rating\n" + "".join(
    f"{site},{site}{i},{rater},{rating}\n"
    for site, pairs in (("X", ((1, 1), (2, 2), (1, 2))), ("Z", ((1, 3), (2, 2))))
    for i, pair in enumerate(pairs)
    for rater, rating in zip("ab", pair, strict=True)
)


@pytest.fixture
def wide(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(WIDE, encoding="utf-8")
    return path


def test_groups_share_the_categories_of_the_file(wide):
    """Category 3 belongs to site X too, although no rater used it there."""
    found = dict(read_groups(wide, by="site"))
    assert list(found) == ["X", "Y", "Z"]
    assert {table.categories for table in found.values()} == {(1, 2, 3)}
    assert found["X"].dense().tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 0]]
    assert found["X"].raters == ("a", "b")


def test_text_stays_without_an_order(tmp_path):
    """Shared text categories remain unordered."""
    path = tmp_path / "text.csv"
    path.write_text(WIDE.replace("1", "no").replace("2", "yes").replace("3", "dunno"), encoding="utf-8")
    assert not any(table.ordered for _, table in read_groups(path, by="site"))


def test_long_and_patterns_layouts(tmp_path):
    """The long and patterns layouts can be grouped."""
    long = tmp_path / "long.csv"
    long.write_text(LONG, encoding="utf-8")
    found = dict(read_groups(long, by="site", layout="long"))
    assert found["X"].dense().tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 0]]
    patterns = tmp_path / "patterns.csv"
    patterns.write_text("site,a,b,n\nX,1,1,5\nX,1,2,2\nZ,3,3,4\n", encoding="utf-8")
    assert dict(read_groups(patterns, by="site", layout="patterns"))["Z"].n_subjects == 4


def test_a_group_that_fails_does_not_stop_the_rest(tmp_path):
    """The row of the failed group has the error message, and the other groups are reported."""
    path = tmp_path / "gap.csv"
    path.write_text("site,a,b\nX,1,1\nX,2,2\nY,1,\nY,2,\n", encoding="utf-8")
    found = dict(read_groups(path, by="site"))
    assert isinstance(found["Y"], KappamaxError)
    made = km.report_groups(found.items(), weights="linear")
    good, bad = made.rows
    assert (good["group"], good["value"], good["error"]) == ("X", 1.0, None)
    assert bad["value"] is None
    assert "'b'" in bad["error"]
    assert made.n_failed == 1
    assert "Y: " in made.to_text()


def test_wrong_columns_and_layouts_are_refused(wide):
    """A missing column and an unsuitable layout are errors."""
    with pytest.raises(km.errors.InvalidRatingsError, match="there is no column 'place' for by"):
        list(read_groups(wide, by="place"))
    with pytest.raises(km.errors.InvalidOptionError, match="a matrix of counts has none"):
        list(read_groups(wide, by="site", layout="counts"))


def test_rows_do_not_depend_on_processes(wide):
    """One process and two processes give the same rows."""
    groups = list(read_groups(wide, by="site"))
    seen = []
    one = km.report_groups(groups, weights=["linear", "unweighted"], progress=lambda *done: seen.append(done))
    two = km.report_groups(groups, weights=["linear", "unweighted"], n_jobs=2)
    assert one == two
    assert seen == [(1, 3, "groups"), (2, 3, "groups"), (3, 3, "groups")]


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_ctrl_c_keeps_the_finished_groups(wide, n_jobs):
    """The finished groups have their rows, and each other group has a row that says that it is missing."""
    groups = list(read_groups(wide, by="site"))

    def stop(done, _total, _message):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(km.errors.Interrupted) as stopped:
        km.report_groups(groups, weights="linear", n_jobs=n_jobs, progress=stop)
    made = stopped.value.best
    assert made.rows[:2] == km.report_groups(groups[:2], weights="linear").rows
    assert [(row["group"], row["value"], row["error"]) for row in made.rows[2:]] == [
        ("Z", None, "incomplete: the report was interrupted before this group was finished")
    ]
    assert "Z: incomplete: the report was interrupted before" in made.to_text()


def test_every_form_of_the_table(wide, tmp_path):
    """CSV, JSON, Markdown, LaTeX and text hold the same rows."""
    made = km.report_groups(read_groups(wide, by="site"), weights="linear")
    rows = list(csv.DictReader(io.StringIO(made.to_csv())))
    assert [row["group"] for row in rows] == ["X", "Y", "Z"]
    assert rows[1]["error"] == "both raters used only 1"
    assert json.loads(made.to_json())["results"][0]["value"] == made.rows[0]["value"]
    assert sum(line.startswith("|") for line in made.to_markdown().splitlines()) == 5 + 3  # and the comparison
    assert made.to_latex().count("\\toprule") == 2
    for ending in ("csv", "json", "md", "tex", "txt"):
        made.save(tmp_path / f"out.{ending}")
        assert (tmp_path / f"out.{ending}").stat().st_size > 100
    with pytest.raises(km.errors.InvalidOptionError, match="must end in .csv"):
        made.save(tmp_path / "out.html")


def test_groups_are_compared_for_each_weighting(wide):
    """The comparisons are those of `km.compare_groups`, and every form but CSV shows them."""
    groups = list(read_groups(wide, by="site"))
    made = km.report_groups(groups, weights=["linear", "unweighted"], level=0.9, trend=True)
    assert [one.weights for one in made.comparisons] == ["linear", "unweighted"]
    assert made.comparisons[0] == km.compare_groups(groups, weights="linear", level=0.9, trend=[1, 2, 3])
    assert (made.not_compared, made.trend_unit, made.level) == (None, "group", 0.9)
    pooled = f"{made.comparisons[0].pooled.value:.4f}"
    for shown in (made.to_text(), made.to_markdown(), made.to_latex(), made._repr_html_()):
        assert pooled in shown
        assert "slope per group" in shown
        assert "which must have different subjects" in shown
        assert shown.count("90% interval".replace("%", "\\%" if "tabular" in shown else "%")) == 3
    document = json.loads(made.to_json())
    assert document["comparisons"][1]["pooled"]["value"] == made.comparisons[1].pooled.value
    assert document["comparisons"][0]["n_undefined"] == 1
    assert "pooled" not in made.to_csv()
    assert "slope" not in km.report_groups(groups, weights="linear").to_text()


def test_groups_that_cannot_be_compared_are_still_reported():
    """The note says why; a single group has no comparison and no note."""
    first = km.from_ratings([["low", "high"], ["low", "low"]], categories=["low", "high"])
    second = km.from_ratings([["low", "high"], ["low", "low"]], categories=["high", "mid", "low"])
    made = km.report_groups([("A", first), ("B", second)], weights="unweighted")
    assert len(made.rows) == 2
    assert made.comparisons == ()
    assert "same categories in the same order" in made.not_compared
    assert "The groups are not compared: the groups must have the same categories" in made.to_text()
    alone = km.report_groups([("A", first)], weights="unweighted")
    assert (alone.comparisons, alone.not_compared) == ((), None)
    assert "compar" not in alone.to_text()


def test_the_methods_of_the_tests_are_noted():
    """Welch's test with its reason, a simulation, and no test at all."""
    complete = km.from_counts([[8, 3], [2, 7]])
    missing = km.from_ratings([[1, 2], [2, 2], [1, None], [1, 1]])
    one = km.from_ratings([[1, 1], [1, 1]], categories=[1, 2])
    notes = {
        words: km.report_groups([("A", complete), ("B", other)], weights=["unweighted", "linear"]).to_text()
        for words, other in {
            "test of equal coefficients: 10,000 simulated studies.": complete,
            "test of equal coefficients: Welch's test, since some ratings of group 'B' are missing.": missing,
            "test of equal coefficients: not available, since the coefficient is defined in one group only.": one,
        }.items()
    }
    for words, shown in notes.items():
        assert shown.count(words) == 1


def test_subjects_without_a_group_are_left_out_of_the_comparison(tmp_path):
    """They have a row of their own, because they are in the file."""
    path = tmp_path / "gap.csv"
    path.write_text("week,a,b\n1,1,1\n1,2,2\n,1,2\n,2,2\n2,1,1\n2,2,1\n", encoding="utf-8")
    made = km.report_groups(read_groups(path, by="week"), weights="unweighted", trend=True)
    assert [row["group"] for row in made.rows] == ["", "1", "2"]
    assert [group.name for group in made.comparisons[0].groups] == ["1", "2"]
    assert made.comparisons[0].trend.scores == (1, 2)


def test_groups_are_in_natural_order(tmp_path):
    """Week 2 comes before week 10, and numbers are sorted by their values."""
    path = tmp_path / "weeks.csv"
    path.write_text("week,a,b\n" + "".join(f"{week},1,{1 + week % 2}\n" for week in (10, 9, 2, 101)), encoding="utf-8")
    assert [name for name, _ in read_groups(path, by="week")] == ["2", "9", "10", "101"]
    path.write_text("week,a,b\nw 10,1,1\nw 9,1,2\nw 2,2,2\nw 101,1,1\n", encoding="utf-8")
    assert [name for name, _ in read_groups(path, by="week")] == ["w 2", "w 9", "w 10", "w 101"]


def test_ctrl_c_during_the_comparison_keeps_all_rows(wide, monkeypatch):
    """The groups are reported and not compared."""
    groups = list(read_groups(wide, by="site"))

    def stop(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("kappamax.reporting.group_report.compare_groups", stop)
    with pytest.raises(km.errors.Interrupted) as stopped:
        km.report_groups(groups, weights="linear")
    assert [row["group"] for row in stopped.value.best.rows] == ["X", "Y", "Z"]
    assert stopped.value.best.comparisons == ()
