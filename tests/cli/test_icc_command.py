"""`kappamax icc` shows what the library returns, as text and as JSON."""

import json

import pytest

import kappamax as km
from tests.support.command_line import run


@pytest.fixture
def scores():
    return str(km.datasets.EXAMPLES["shrout-fleiss"].path)


def test_the_json_is_the_result_of_the_library(scores):
    """Every option is passed on, and every field is printed."""
    positions = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12.5]
    done = run("icc", scores, "--level", "0.9", "--positions", ",".join(map(str, positions)), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    expected = km.icc(km.example("shrout-fleiss"), level=0.9, positions=positions).to_dict()
    shown = json.loads(done.stdout)
    assert shown["results"] == expected.pop("coefficients")
    assert shown["analysis"] == expected


def test_the_text_has_every_coefficient_and_says_what_it_means(scores):
    """Lines have at most 80 columns, and the notes name the scale, quadratic kappa and alpha."""
    done = run("icc", scores, "--level", "0.9")
    assert done.returncode == 0
    found = km.icc(km.example("shrout-fleiss"), level=0.9)
    assert "90% interval" in done.stdout
    for one in found.coefficients:
        low, high = one.ci
        assert f"{one.name}      {one.value:.4f}   {low:7.4f} to {high:.4f}   {one.statistic:7.4f}" in done.stdout
    words = " ".join(done.stdout.split())
    assert "The categories stand for the values of their labels." in words
    assert "are about the mean of the 4 ratings of a subject." in words
    assert "quadratic kappa is 0.2537 and Krippendorff's interval alpha is 0.1473." in words
    assert all(len(line.rstrip()) <= 80 for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--categories", "no,maybe,yes"], "The categories stand for their ranks 1, 2, ..."),
        (["--positions", "1,0,3"], "The categories stand for the positions given by --positions."),
    ],
)
def test_text_is_put_on_a_scale(options, words, tmp_path):
    """An order or positions make text categories numbers."""
    path = tmp_path / "text.csv"
    path.write_text("a,b\nno,no\nmaybe,yes\nyes,yes\nno,maybe\n", encoding="utf-8")
    done = run("icc", str(path), *options)
    assert done.returncode == 0
    assert words in done.stdout


def test_what_is_undefined_has_its_reason(tmp_path):
    """The reason is printed with the coefficients that it is about, and is a field of the JSON."""
    path = tmp_path / "perfect.csv"
    path.write_text("a,b\n1,1\n2,2\n4,4\n", encoding="utf-8")
    words = " ".join(run("icc", str(path)).stdout.split())
    assert "ICC(1,1) 1.0000 undefined inf 2, 3 undefined" in words
    assert "ICC(2,k) and ICC(3,k): all raters agree on every subject, so F is infinite, there is no" in words
    (first, *_) = json.loads(run("icc", str(path), "--json").stdout)["results"]
    assert (first["value"], first["ci"], first["statistic"], first["pvalue"]) == (1, None, None, None)
    assert first["reason"].startswith("all raters agree on every subject")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (
            "a,b\n1,1\n2,\n2,2\n",
            [],
            "need complete ratings; 1 subject of 3 lacks ratings. To leave these out, run the following command. "
            "Run: kappamax icc FILE --complete-only\n",
        ),
        (
            "a,b\nx,y\ny,z\n",
            [],
            "the order of these is not known: 'x', 'y', 'z'. If their positions on a scale are known, use --positions "
            "NUMBER,...,NUMBER. Run: kappamax icc FILE --categories LOW,...,HIGH\n",
        ),
        ("a,b\nx,y\ny,z\n", ["--positions", "1,2"], "positions must be one number per category; got 2 for 3 cat"),
        ("a,b\n1,2\n2,2\n", ["--level", "95"], "level must lie between 0 and 1; got 95"),
    ],
)
def test_refusals_are_one_line(content, options, message, tmp_path):
    """The line ends with the command to run, if there is one."""
    path = tmp_path / "ratings.csv"
    path.write_text(content, encoding="utf-8")
    done = run("icc", str(path), *options)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr.replace(str(path), "FILE")
    assert done.stderr.count("\n") == 1


def test_advice_that_is_followed_gives_an_answer(tmp_path):
    """Subjects that lack a rating are left out, and the answer says so."""
    path = tmp_path / "ratings.csv"
    path.write_text("a,b\n1,1\n2,\n2,2\n1,2\n", encoding="utf-8")
    done = run("icc", str(path), "--complete-only")
    assert done.returncode == 0
    assert "1 subject with missing ratings left out" in " ".join(done.stdout.split())


def test_positions_that_are_no_numbers_are_wrong_usage(scores):
    """The exit code is 2, as for other options."""
    done = run("icc", scores, "--positions", "a,b")
    assert done.returncode == 2
    assert "'a,b' is not a list of numbers such as 0,1,3,10." in done.stderr
