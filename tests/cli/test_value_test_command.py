"""`kappamax test --null` and `--equivalence` test a coefficient against a value or a range of values."""

import json

import pytest

import kappamax as km
from tests.support.command_line import run


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(run("example", "rapallo2022").stdout, encoding="utf-8")
    return [str(path), "--layout", "counts"]


def test_a_value_is_tested_as_by_the_library(ratings):
    """The JSON has the fields of `value_test` for each weighting."""
    done = run("test", *ratings, "--null", "0.3", "--alternative", "two-sided", "-w", "linear,unweighted", "--json")
    results = json.loads(done.stdout)["results"]
    for result in results:
        options = {"weights": result["weights"], "null": 0.3, "alternative": "two-sided"}
        ours = km.value_test(km.example("rapallo2022"), **options)
        assert (
            result == {"coefficient": "cohen", "title": "Cohen's kappa", "weights": result["weights"]} | ours.to_dict()
        )
    assert [result["weights"] for result in results] == ["linear", "unweighted"]
    assert {result["method"] for result in results} == {"simulation"}


def test_a_range_is_tested_as_by_the_library(ratings):
    """Ends may be fractions, and the standard error may be chosen."""
    done = run("test", *ratings, "--equivalence", "1/10,0.9", "--variance", "estimate", "--json")
    (result,) = json.loads(done.stdout)["results"]
    ours = km.equivalence_test(km.example("rapallo2022"), low=0.1, high=0.9, method="estimate")
    assert result["pvalue"] == ours.pvalue
    assert result["above"] == ours.above.to_dict()
    assert result["below"]["method"] == "fleiss-cohen-everitt"


@pytest.mark.parametrize(
    ("options", "title", "note"),
    [
        (
            ["--null", "0.3"],
            "Test of Cohen's kappa against 0.3",
            "A small p-value shows that the coefficient is above 0.3",
        ),
        (["--null", "0.3", "--alternative", "less"], "against 0.3", "shows that the coefficient is below 0.3"),
        (["--null", "-0.99"], "against -0.99", "the margins do not allow the value -0.99"),
        (["--equivalence", "0.2,0.8"], "Test whether Cohen's kappa lies between 0.2 and 0.8", "two one-sided tests"),
    ],
)
def test_the_text_names_the_test(ratings, options, title, note):
    """The title and a note say what was tested and what a small p-value shows."""
    done = run("test", *ratings, *options, COLUMNS="300")
    assert (done.returncode, done.stderr) == (0, "")
    assert title in done.stdout
    assert note in done.stdout


def test_an_undefined_coefficient_has_a_row_and_a_reason(tmp_path):
    """The exit code is 0, as for the other commands."""
    path = tmp_path / "same.csv"
    path.write_text("a,b\nyes,yes\nyes,yes\n", encoding="utf-8")
    for options in (["--null", "0.3"], ["--equivalence", "0.3,0.9"]):
        done = run("test", str(path), *options)
        assert done.returncode == 0
        assert "undefined: both raters used only 'yes'" in done.stdout


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--null", "0.3", "--equivalence", "0.2,0.8"], 2, "--null and --equivalence exclude each other"),
        (["--variance", "null"], 2, "--variance needs --null or --equivalence"),
        (["--null", "0.3", "--draws", "0"], 1, "n_draws must be a whole number >= 1; got 0"),
        (["--null", "0.3", "--method", "auto"], 2, "--method has no meaning with --null"),
        (["--equivalence", "0.2,0.8", "--two-sided", "distance"], 2, "--two-sided has no meaning with --equivalence"),
        (["--equivalence", "0.2,0.8", "--alternative", "less"], 2, "--alternative has no meaning with --equivalence"),
        (["--equivalence", "0.2"], 2, "'0.2' is not a list of two values such as 0.6,0.9"),
        (["--equivalence", "0.2,x"], 2, "'0.2,x' is not a list of two values such as 0.6,0.9"),
        (["--equivalence", "0.8,0.2"], 1, "low must be below high; got 0.8 and 0.2"),
        (["--null", "1.2"], 1, "null must be at most 1, the largest value of a coefficient; got 1.2"),
        (["--null", "0.3", "--variance", "estimated"], 1, "Did you mean 'estimate'"),
    ],
)
def test_options_of_another_test_are_refused(ratings, options, code, message):
    """An option that would have no effect is an error."""
    done = run("test", *ratings, *options)
    assert done.returncode == code
    assert message in done.stderr
