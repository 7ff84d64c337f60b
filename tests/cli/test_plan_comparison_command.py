"""`kappamax plan-comparison` finds the number of subjects for a comparison, as text and as JSON."""

import json

import pytest

import kappamax as km
from tests.support.command_line import run

ASSUMED = ["--margins", "0.7,0.3", "--kappas", "0.7,0.5"]


@pytest.fixture
def pilot(tmp_path):
    path = tmp_path / "pilot.csv"
    path.write_text("ref,a,b\n" + "1,1,1\n2,2,1\n2,2,2\n1,1,2\n1,2,1\n" * 6, encoding="utf-8")
    return path


def test_the_answer_is_a_table_and_a_sentence():
    """The text has the sizes of both groups, in at most 80 columns."""
    done = run("plan-comparison", *ASSUMED, "--power", "0.8", COLUMNS="80")
    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    assert "unweighted 296 296 0.7000 0.5000 0.2000 0.8004" in words
    assert "groups of 296 and 296 subjects give a probability of 80% of showing that they differ" in words
    assert max(len(line.rstrip()) for line in done.stdout.splitlines()) <= 80
    paired = run("plan-comparison", *ASSUMED, "--width", "0.2", "--correlation", "0.4")
    assert "subjects, for both coefficients, give a 95% interval" in " ".join(paired.stdout.split())


def test_json_is_that_of_the_library(pilot):
    """Pilot ratings are described under data, which is null without them."""
    options = ["--power", "0.8", "--margin", "0.2", "--alternative", "non-inferiority", "--difference", "0"]
    pairs = ["--table", str(pilot), "--first", "ref,a", "--second", "ref,b"]
    document = json.loads(run("plan-comparison", *pairs, *options, "--json").stdout)
    ours = km.planning.compare_sample_size(
        km.read_ratings(pilot),
        first=["ref", "a"],
        second=["ref", "b"],
        power=0.8,
        margin=0.2,
        alternative="non-inferiority",
        difference=0,
    )
    assert document["data"]["n_subjects"] == 30
    assert document["results"] == [json.loads(json.dumps(ours.to_dict()))]
    second = ["--second-margins", "0.6,0.4", "--ratio", "2", "-w", "unweighted", "-w", "linear"]
    document = json.loads(run("plan-comparison", *ASSUMED, *second, "--width", "0.2", "--json").stdout)
    assert document["data"] is None
    assert [one["n_second"] for one in document["results"]] == [2 * one["n_first"] for one in document["results"]]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "--margins and --kappas, or --table, must be given"),
        (["--margins", "0.7,0.3", "--kappas", "0.7", "--width", "0.2"], 2, "is not a list of two values such as"),
        ([*ASSUMED, "--first", "a,b", "--width", "0.2"], 2, "--table is missing"),
        ([*ASSUMED], 1, "either the width of an interval or the power of a test must be given"),
        ([*ASSUMED, "--power", "0.8", "--alternative", "equivalence"], 1, "margin, the smallest difference that"),
        ([*ASSUMED, "--power", "0.8", "--margin", "0.1"], 1, "margin, the smallest difference that matters"),
    ],
)
def test_errors_are_one_line(arguments, code, message):
    """The exit code is 1 for errors of kappamax and 2 for wrong usage, without a traceback."""
    done = run("plan-comparison", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_pilot_ratings_exclude_assumed_values(pilot):
    """The raters of both coefficients must be given with the file."""
    done = run("plan-comparison", "--table", str(pilot), *ASSUMED, "--width", "0.2")
    assert (done.returncode, done.stdout) == (2, "")
    assert "exclude --table" in done.stderr
    done = run("plan-comparison", "--table", str(pilot), "--first", "ref,a", "--width", "0.2")
    assert "--table needs --first and --second" in done.stderr
