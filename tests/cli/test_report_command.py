"""`kappamax report` prints and writes reports on one file or on several."""

import json
import signal
import sys
from contextlib import contextmanager

import numpy as np
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


def test_a_trend_over_weeks(tmp_path):
    """Weeks are in order of their numbers, and the slope is per unit, in every format."""
    rng = np.random.default_rng(1)
    rows = [f"{week},{a},{a if rng.random() < 0.5 + week / 25 else 1 - a}" for week in (10, 2, 1) for a in [0, 1] * 10]
    weeks = tmp_path / "weeks.csv"
    weeks.write_text("\n".join(["week,a,b", *rows, ""]), encoding="utf-8")
    command = ["report", str(weeks), "--by", "week", "-w", "unweighted"]
    document = json.loads(run(*command, "--trend", "--json").stdout)
    assert [row["group"] for row in document["results"]] == ["1", "2", "10"]
    (compared,) = document["comparisons"]
    assert compared["trend"]["scores"] == [1, 2, 10]
    assert document["trend_unit"] == "unit"
    slope, pvalue = compared["trend"]["slope"], compared["homogeneity"]["pvalue"]
    for ending in ("txt", "md", "tex"):
        assert run(*command, "--trend", "-o", str(tmp_path / f"out.{ending}")).returncode == 0
        shown = (tmp_path / f"out.{ending}").read_text(encoding="utf-8")
        assert "slope per unit" in shown
        assert f"{slope:.4f}" in shown
        assert f"{pvalue:.4f}" in shown
    assert "slope" not in run(*command).stdout
    assert json.loads(run(*command, "--json").stdout)["comparisons"][0]["trend"] is None
    refused = run("report", str(weeks), "--trend")
    assert refused.returncode == 2
    assert "--trend needs groups: --by COLUMN or several files." in refused.stderr


def test_a_trend_over_files(tmp_path):
    """Files are put into the order of the numbers in their names."""
    for week, counts in (("10", "1,1\n2,2\n1,1\n2,2\n"), ("9", "1,1\n2,1\n1,2\n2,2\n"), ("8", "1,2\n2,1\n1,2\n2,2\n")):
        (tmp_path / f"week{week}.csv").write_text("a,b\n" + counts, encoding="utf-8")
    files = [str(tmp_path / f"week{week}.csv") for week in ("10", "8", "9")]
    document = json.loads(run("report", *files, "--trend", "-w", "unweighted", "--json").stdout)
    assert [row["group"] for row in document["results"]] == [files[1], files[2], files[0]]
    assert document["comparisons"][0]["trend"]["scores"] == [8, 9, 10]
    assert document["comparisons"][0]["trend"]["slope"] > 0


def test_an_undefined_kappa_is_reported(tmp_path):
    """The report gives the reason."""
    one = tmp_path / "one.csv"
    one.write_text("a,b\n1,1\n1,1\n", encoding="utf-8")
    done = run("report", str(one))
    assert done.returncode == 0
    assert "Cohen's kappa is undefined because both raters used only 1" in done.stdout


@contextmanager
def ctrl_c_after_one_group(_title):
    """Stand in for the progress bar, and send what Ctrl-C sends after the first group."""
    yield lambda done, _total, _message: signal.raise_signal(signal.SIGINT)


def test_ctrl_c_writes_the_finished_groups(tmp_path, monkeypatch):
    """The exit code is 130, and the rows of the other groups say that they are missing, in every form."""
    monkeypatch.setattr(sys.modules["kappamax.cli.report"], "progress_bar", ctrl_c_after_one_group)
    sites = tmp_path / "sites.csv"
    sites.write_text("site,a,b\nX,1,1\nX,2,2\nX,1,2\nZ,1,3\nZ,2,2\nZ,3,3\n", encoding="utf-8")
    command = ["report", str(sites), "--by", "site", "-w", "linear", "--jobs", "1"]
    shown = run(*command)
    assert (shown.returncode, shown.stderr) == (130, "kappamax: interrupted\n")
    assert "Z: incomplete: the report was interrupted before this group was finished" in shown.stdout
    assert [line.split()[0] for line in shown.stdout.splitlines()[2:4]] == ["X", "Z"]
    as_json = run(*command, "--json")
    assert as_json.returncode == 130
    first, second = json.loads(as_json.stdout)["results"]
    assert (first["error"], second["value"]) == (None, None)
    written = run(*command, "-o", str(tmp_path / "groups.csv"))
    assert written.returncode == 130
    assert written.stderr == f"incomplete report written to {tmp_path / 'groups.csv'}\nkappamax: interrupted\n"
    assert "incomplete: the report was interrupted" in (tmp_path / "groups.csv").read_text(encoding="utf-8")


def test_a_full_disk_is_named(paper, tmp_path, monkeypatch):
    """The error is one line with the file and the cause, and no incomplete file remains."""

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    done = run("report", *paper, "-o", str(tmp_path / "r.html"))
    assert done.returncode == 1
    assert done.stderr == f"kappamax: {str(tmp_path / 'r.html')!r} cannot be written: No space left on device.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["rapallo2022.csv"]
