"""`kappamax association` shows what the library returns, as text and as JSON."""

import json

import pytest

import kappamax as km
from tests.support.command_line import run


@pytest.fixture
def paper():
    return [str(km.datasets.EXAMPLES["rapallo2022"].path), "--layout", "counts"]


def test_the_json_is_the_result_of_the_library(paper):
    """Every option is passed on, and every field is printed."""
    options = ("--level", "0.9", "--null", "0.5", "--alternative", "two-sided", "--two-sided", "tails", "--mid-p")
    done = run("association", *paper, "-w", "linear,sqrt", *options, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    settings = {"level": 0.9, "null": 0.5, "alternative": "two-sided", "two_sided": "tails", "mid_p": True}
    expected = [km.exact_association(km.example("rapallo2022"), weights=w, **settings) for w in ("linear", "sqrt")]
    assert json.loads(done.stdout)["results"] == [one.to_dict() for one in expected]


def test_the_text_has_the_estimate_both_intervals_and_the_alternative(paper):
    """Lines have at most 80 columns, and the notes say what the columns mean."""
    done = run("association", *paper, "-w", "linear", "--level", "0.9", "--alternative", "two-sided")
    assert done.returncode == 0
    assert "90% interval" in done.stdout
    found = km.exact_association(km.example("rapallo2022"), weights="linear", level=0.9)
    assert f"{found.theta:.4f}   {found.ci[0]:.4f} to {found.ci[1]:.4f}" in done.stdout
    assert "The p-value is that of theta = 0; the alternative is two-sided, by distance." in done.stdout
    assert all(len(line.rstrip()) <= 80 for line in done.stdout.splitlines())


def test_infinity_and_the_odds_ratio_are_explained(tmp_path):
    """A perfect table of two categories has both notes."""
    path = tmp_path / "perfect.csv"
    path.write_text("a,b\n1,1\n2,2\n1,1\n", encoding="utf-8")
    words = " ".join(run("association", str(path)).stdout.split())
    assert "theta is plus infinity, because the observed agreement is the largest that the margins allow." in words
    assert "unweighted: the odds ratio is inf, interval 0.0513 to inf." in words


def test_theta_that_is_not_identified_is_undefined_and_kappa_is_shown(tmp_path):
    """The reason is given in the text and in the JSON, in which the value is known."""
    path = tmp_path / "fixed.csv"
    path.write_text("a,b\n1,1\n1,2\n1,2\n", encoding="utf-8")
    words = " ".join(run("association", str(path)).stdout.split())
    assert "unweighted 0.0000 undefined" in words
    assert "theta is not identified, because all tables with these margins agree equally." in words
    (found,) = json.loads(run("association", str(path), "--json").stdout)["results"]
    assert (found["value"], found["theta"], found["ci"]) == (0, None, None)
    assert found["reason"].startswith("theta is not identified")


def test_refusals_are_one_line(paper):
    """Unknown names and fibers that are too large end with exit code 1."""
    for arguments in (["--two-sided", "tail", "--alternative", "two-sided"], ["--memory-limit", "1e-9", "-w", "sqrt"]):
        done = run("association", *paper, *arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("kappamax: ")
        assert done.stderr.count("\n") == 1
