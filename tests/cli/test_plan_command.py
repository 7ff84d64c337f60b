"""`kappamax plan` finds the number of subjects, as text and as JSON."""

import json

import pytest

import kappamax as km
from tests.support.command_line import run

WIDTH = ["--margins", "0.7,0.3", "--kappa", "0.6", "--width", "0.2", "--seed", "1"]


@pytest.fixture
def pilot(tmp_path):
    path = tmp_path / "pilot.csv"
    path.write_text(run("example", "rapallo2022").stdout, encoding="utf-8")
    return ["--table", str(path), "--layout", "counts"]


def test_the_answer_is_a_table_and_a_sentence():
    """The text has the number, its assumptions and the simulated studies, in at most 80 columns."""
    done = run("plan", *WIDTH, COLUMNS="80")
    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    assert "If Cohen's kappa is 0.6, 295 subjects, each rated by 2 raters, give a 95% interval about 0.2 wide" in words
    assert "In 10,000 simulated studies of that size" in words
    assert max(len(line.rstrip()) for line in done.stdout.splitlines()) <= 80


def test_json_follows_the_contract(pilot):
    """The JSON is that of the library; without pilot ratings the number of subjects is null."""
    options = ["--width", "0.3", "-w", "linear", "-w", "sqrt", "--seed", "1", "--draws", "200", "--json"]
    document = json.loads(run("plan", *pilot, *options).stdout)
    assert document["schema_version"] == 1
    assert document["data"]["n_subjects"] == 33
    ours = km.sample_size(
        km.example("rapallo2022"), width=0.3, weights="linear", rng=1, method=km.planning.Formula(n_draws=200)
    )
    assert [result["weights"] for result in document["results"]] == ["linear", "sqrt"]
    assert document["results"][0] == json.loads(json.dumps(ours.to_dict()))
    assumed = json.loads(run("plan", *WIDTH, "--draws", "0", "--json").stdout)
    assert assumed["data"]["n_subjects"] is None
    (result,) = assumed["results"]
    assert (result["n_subjects"], result["studies"]) == (295, None)
    assert result["table"]["shares"] == pytest.approx([0.616, 0.084, 0.084, 0.216])


def test_raters_is_a_number_with_margins(pilot):
    """--raters is the number of raters with --margins, and selects columns of pilot ratings."""
    three = ["--margins", "0.5,0.5", "--kappa", "0.5", "--width", "0.2", "--raters", "3", "--draws", "0", "--json"]
    assert json.loads(run("plan", *three).stdout)["results"][0]["n_raters"] == 3
    each = ["--margins", "1/3,1/3,1/3", "--margins", "0.3,0.3,0.4", "--kappa", "0.5", "--categories", "no,some,yes"]
    document = json.loads(run("plan", *each, "--width", "0.2", "-w", "linear", "--draws", "0", "--json").stdout)
    assert document["data"]["categories"] == ["no", "some", "yes"]


def test_power_and_simulation():
    """The alternative, the significance level and the critical value are shown."""
    done = run("plan", *WIDTH[:4], "--power", "0.8", "--null", "0.4", "--simulate", "--draws", "500", "--seed", "3")
    words = " ".join(done.stdout.split())
    assert "a probability of 80% of showing that it is above 0.4 (one-sided test, alpha 0.05)" in words
    assert "the formula gives 141" in words
    assert "is significant" in words


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 1, "pilot ratings, or margins and kappa, must be given"),
        (WIDTH[:4], 1, "the width of an interval, or the power and the null of a test, must be given"),
        (
            ["--margins", "0.5,0.3,0.2", "--margins", "0.2,0.3,0.5", "--kappa", "0.6", "--width", "0.2"],
            1,
            "at most 0.5774",
        ),
        (["--margins", "0.5;0.5", "--kappa", "0.6", "--width", "0.2"], 2, "is not a list of shares such as"),
        (["--margins", "1/0,1", "--kappa", "0.6", "--width", "0.2"], 2, "is not a list of shares such as"),
        (["--margins", "nan,1", "--kappa", "0.6", "--width", "0.2"], 1, "share 1 is nan"),
        (["--margins", "1e400,1", "--kappa", "0.6", "--width", "0.2"], 1, "share 1 is inf"),
        ([*WIDTH, "--raters", "a,b"], 2, "--raters must be the number of raters"),
        ([*WIDTH, "--table", "nothing.csv"], 1, "there is no file nothing.csv"),
        ([*WIDTH, "-w", "linera"], 1, "Did you mean 'linear'"),
    ],
)
def test_errors_are_one_line(arguments, code, message):
    """The exit code is 1 for errors of kappamax and 2 for wrong usage, without a traceback."""
    done = run("plan", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_assurance_is_passed_on():
    """The table shows the probability of a narrow interval by formula and in simulated studies."""
    done = run("plan", *WIDTH, "--assurance", "0.9", COLUMNS="120")
    words = " ".join(done.stdout.split())
    assert "assurance simulated" in words
    assert "unweighted 335 0.6000 1.0000 0.9032" in words
    assert "give a 95% interval no wider than 0.2 with a probability of 90%" in words
    refused = run("plan", *WIDTH, "--assurance", "0.2")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "assurance must lie between 0.5 and 1; got 0.2" in refused.stderr


def test_clusters_are_passed_on():
    """The table shows the number of clusters, and the JSON has the design effect."""
    options = ["--cluster-size", "5", "--icc", "0.1", "--cluster-cv", "0.5"]
    words = " ".join(run("plan", *WIDTH, *options[:4], COLUMNS="120").stdout.split())
    assert "weights clusters subjects" in words
    assert "unweighted 86 430 0.6000" in words
    assert "430 subjects in 86 clusters" in words
    (result,) = json.loads(run("plan", *WIDTH, *options, "--json").stdout)["results"]
    ours = km.sample_size(margins=[0.7, 0.3], kappa=0.6, width=0.2, cluster_size=5, icc=0.1, cluster_cv=0.5)
    assert result == json.loads(json.dumps(ours.to_dict()))
    assert result["design_effect"] == pytest.approx(1.525)
    refused = run("plan", *WIDTH, "--icc", "0.1")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "cluster_size is missing" in refused.stderr
