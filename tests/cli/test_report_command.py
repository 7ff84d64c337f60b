"""`kappamax report` prints and writes reports on one file or on several."""

import json

import pytest

import kappamax as km
from tests.support.command_line import run


@pytest.fixture
def paper(tmp_path):
    path = tmp_path / "rapallo2022.csv"
    path.write_text(run("example", "rapallo2022").stdout, encoding="utf-8")
    return [str(path), "--layout", "counts"]


def test_the_text_is_that_of_the_library(paper):
    """The report is written to standard output, and nothing to standard error."""
    done = run("report", *paper)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == km.report(km.example("rapallo2022")).to_text()


def test_json_and_options(paper):
    """The options for weights, level, seed and title reach the report."""
    options = ("-w", "linear", "--level", "0.9", "--seed", "7", "--alternative", "two-sided", "--title", "T")
    done = run("report", *paper, *options, "--json")
    document = json.loads(done.stdout)
    made = km.report(km.example("rapallo2022"), weights="linear", level=0.9, rng=7, alternative="two-sided", title="T")
    assert document == json.loads(made.to_json())


def test_files(paper, tmp_path):
    """The ending chooses the format, and an input file is never replaced."""
    done = run("report", *paper, "-o", str(tmp_path / "r.html"))
    assert (done.returncode, done.stdout) == (0, "")
    assert "written to" in done.stderr
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    for wrong, words in (
        ("r.pdf", "must end in .html"),
        ("no/r.html", "there is no folder"),
        ("rapallo2022.csv", "must not be an input file"),
    ):
        done = run("report", *paper, "-o", str(tmp_path / wrong))
        assert (done.returncode, done.stdout) == (1, "")
        assert words in done.stderr


def test_groups_and_several_files(paper, tmp_path):
    """Every file has one row, including a file that cannot be read."""
    sites = tmp_path / "sites.csv"
    sites.write_text("site,a,b\nX,1,1\nX,2,2\nX,1,2\nZ,1,3\nZ,2,2\nZ,3,3\n", encoding="utf-8")
    done = run("report", str(sites), "--by", "site", "-w", "linear", "--json", "--jobs", "2")
    assert [row["group"] for row in json.loads(done.stdout)["results"]] == ["X", "Z"]
    several = run("report", str(sites), str(tmp_path / "none.csv"), "--raters", "a,b", "-w", "unweighted")
    assert several.returncode == 0
    assert "there is no file" in several.stdout
    assert run("report", str(sites), "--by", "town").returncode == 1
    assert run("report", *paper, "--batch", "-w", "linear").stdout.splitlines()[2].endswith("< 0.0001")


def test_an_undefined_kappa_is_reported(tmp_path):
    """The report gives the reason."""
    one = tmp_path / "one.csv"
    one.write_text("a,b\n1,1\n1,1\n", encoding="utf-8")
    done = run("report", str(one))
    assert done.returncode == 0
    assert "Cohen's kappa is undefined because both raters used only 1" in done.stdout
