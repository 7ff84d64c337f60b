"""`kappamax retest`: occasions by list, ending and separator, text and JSON, and wrong usage."""

import json

import pytest

import kappamax as km
from tests.support.command_line import run
from tests.support.fees import SCORES, fees

READ = ["--cluster", "patient", "-w", "linear"]


@pytest.fixture
def file(tmp_path):
    """Return the path of scores by three observers on two occasions."""
    path = tmp_path / "fees.csv"
    rows = [",".join([patient, *scores]) for patient, scores in (line.split() for line in SCORES.split("\n") if line)]
    path.write_text("\n".join(["patient,CO_1,CO_2,MH_1,MH_2,TB_1,TB_2", *rows]), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "occasions",
    [
        ["--occasions", "_"],
        ["--occasions", "1,2"],
        ["--occasions", "CO=CO_1,CO_2", "--occasions", "MH=MH_1,MH_2", "--occasions", "TB=TB_1,TB_2"],
    ],
)
def test_all_ways_of_naming_the_columns_give_the_result_of_the_library(file, occasions):
    """The document has the numbers of `intra_rater_agreement`."""
    done = run("retest", file, *READ, *occasions, "--json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["results"]
    expected = km.intra_rater_agreement(fees(), occasions=["", "R"], weights="linear")
    assert [one["rater"] for one in found["raters"]] == ["CO", "MH", "TB"]
    for one, other in zip(found["raters"], expected.raters.values(), strict=True):
        assert (one["value"], one["exact"]) == (other.value, str(other.exact))
        assert [one["se"], *one["ci"]] == pytest.approx([other.se, *other.ci])
    assert found["equality"]["pvalue"] == pytest.approx(expected.equality.pvalue)
    assert found["mean"]["ci"] == pytest.approx(list(expected.mean.ci))
    assert [one["value"] for one in found["occasions"]] == [one.value for one in expected.occasions.values()]
    shifts = [one.pvalue for one in expected.shifts.values()]
    assert [one["shift"]["pvalue"] for one in found["raters"]] == pytest.approx(shifts)


def test_the_text_has_a_row_for_every_rater_and_the_mean(file):
    """The sentences below are about the test and the agreement between the raters."""
    shown = " ".join(run("retest", file, *READ, "--occasions", "_").stdout.split())
    for words in (
        "Cohen's kappa of each rater over the occasions, linear weights",
        "CO 0.7500 0.4332 to 0.9791 0.1184 20 0.1328",
        "mean of the raters 0.8262 0.6620 to 0.9903 0.0760",
        "have the same value: p-value 0.2464",
        "Between the raters on occasion 2: 0.6667",
        "20 subjects in 14 clusters",
    ):
        assert words in shown


def test_an_empty_ending_stands_for_names_without_an_ending(tmp_path):
    """The columns A and AR are two occasions of A."""
    path = tmp_path / "plain.csv"
    path.write_text("A,AR\n1,1\n2,2\n1,2\n", encoding="utf-8")
    found = json.loads(run("retest", str(path), "--occasions", ",R", "--json").stdout)["results"][0]
    assert [(one["rater"], one["columns"], one["exact"]) for one in found["raters"]] == [("A", ["A", "AR"], "2/5")]
    assert (found["mean"], found["equality"], found["occasions"]) == (None, None, [])


def test_a_rater_without_a_value_has_a_reason(tmp_path):
    """The table says undefined, and a sentence says why."""
    path = tmp_path / "same.csv"
    path.write_text("A1,A2,B1,B2\n1,1,1,1\n1,1,2,2\n1,1,1,2\n", encoding="utf-8")
    shown = " ".join(run("retest", str(path), "--occasions", "1,2").stdout.split())
    assert "A: undefined: all ratings are 1." in shown
    assert "The mean and the test of equality are without A, whose agreement is undefined." in shown


@pytest.mark.parametrize(
    ("occasions", "code", "words"),
    [
        (["--occasions", "CO=CO_1,CO_2", "--occasions", "CO=MH_1,MH_2"], 2, "must list all columns of a rater at once"),
        (["--occasions", "_", "--occasions", "1,2"], 2, "several times only as RATER=COLUMN,COLUMN"),
        (["--occasions", "A=CO_1,CO_9"], 1, "there is no column 'CO_9'"),
        (["--occasions", "A=CO_1"], 1, "not all columns"),
        (["--occasions", "x,y", "--raters", "CO_1,CO_2"], 1, "no rater has two of the columns 'CO_1', 'CO_2'"),
        ([], 1, "not all columns"),
    ],
)
def test_wrong_occasions_are_refused(file, occasions, code, words):
    """Usage is refused with exit code 2, and what does not fit the file with 1."""
    done = run("retest", file, *READ, *occasions)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in " ".join(done.stderr.split())


def test_the_report_has_a_section_if_it_is_asked_for(file):
    """The section has the same numbers as the command."""
    shown = " ".join(run("report", file, *READ, "--occasions", "_", "--time-limit", "1").stdout.split())
    assert "Test and retest Cohen's kappa of each rater over the occasions, linear weights" in shown
    assert "mean of the raters 0.8262 0.6620..0.9903 0.0760" in shown


def test_a_report_on_groups_has_no_such_section(file):
    """The option is refused."""
    done = run("report", file, *READ, "--occasions", "_", "--batch")
    assert done.returncode == 2
    assert "--occasions is for a report on one file" in done.stderr
