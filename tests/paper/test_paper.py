"""Every item of the paper has a verdict, and the page lists the verdicts of the command."""

import json
import re
from math import log
from pathlib import Path

import pytest
from scipy.stats import norm

import kappamax as km
from kappamax.paper import check
from kappamax.paper.check import PaperCheck
from kappamax.paper.study import comparison
from kappamax.paper.study.batch import TableBatch
from kappamax.paper.study.claims import claims_from
from kappamax.paper.study.rows import row_of
from kappamax.paper.verdict import Verdict, corrected, holds, same
from tests.support.command_line import run
from tests.support.stored_study import SECONDS, stored_cooling, stored_rows

PAGE = Path(__file__).parents[2] / "docs" / "paper.md"


@pytest.fixture(scope="module")
def items():
    return [item for part in check.CHECKS for item in part()]


@pytest.mark.slow
def test_every_item_is_reproduced_or_corrected_with_a_reason(items):
    """No item has changed."""
    for item in items:
        assert item.status in ("reproduced", "corrected"), item
        assert (item.reason is not None) == (item.status == "corrected")


@pytest.mark.slow
def test_the_corrected_counts_are_these(items):
    """Exact counting gives other numbers than rounded sums."""
    found = {item.what: (item.published, item.ours) for item in items if "Figure 3" in item.where and item.reason}
    assert found == {
        "tables with the same linear kappa": ("1,527", "1,654"),
        "tables with the smallest quadratic kappa among them": ("3", "4"),
        "tables with the largest quadratic kappa among them": ("3", "15"),
        "the weights for which this matters most": (
            "linear",
            "unweighted 3,048, linear 1,654, quadratic 1,540, sqrt 110",
        ),
    }


@pytest.mark.slow
def test_the_remark_about_the_diagonal_is_refuted_for_three_raters(items):
    """The smallest disagreement is 44, and the smallest with a full diagonal is 46."""
    (found,) = (item for item in items if item.what.endswith("diagonal, three raters"))
    assert (found.status, found.ours) == ("corrected", "least disagreement 44, with the full diagonal 46")


def test_verdicts_come_from_what_is_computed():
    """A verdict depends on the computed value, and a statement without cases is not reproduced."""
    assert same("", "", 1, 1).status == "reproduced"
    assert same("", "", 1, 2).status == "changed"
    assert corrected("", "", 1, 2, 2, "why").status == "corrected"
    assert corrected("", "", 1, 3, 2, "why").status == "changed"
    assert corrected("", "", 2, 2, 2, "why").status == "changed"
    assert holds("", "", [True, True]).status == "reproduced"
    assert holds("", "", [True, False]).status == "changed"
    assert holds("", "", []).status == "changed"


def test_the_cutoff_is_sidaks():
    """For 48 rows, 48 standard normal numbers all lie within the cut-off of 3.27 with probability 95 %."""
    assert comparison.cutoff(48) == pytest.approx(3.272, abs=5e-4)
    assert (1 - 2 * norm.sf(comparison.cutoff(48))) ** 48 == pytest.approx(0.95)


def test_a_row_beyond_the_cutoff_is_not_reproduced():
    """The first row is reproduced just within the cut-off and not reproduced just beyond it."""
    row = stored_rows()[0]
    error = (row.se**2 + row.scenario.published.se**2) ** 0.5
    within, beyond = int(3.2 * error), int(3.4 * error) + 1
    for shift, verdict in ((within, "reproduced"), (beyond, "not reproduced"), (-beyond, "not reproduced")):
        moved = stored_rows(shift=shift)
        found = next(comparison.compare_rows(moved))
        assert (abs(moved[0].z) <= comparison.cutoff(48)) == (verdict == "reproduced")
        assert (found.status, found.reason) == (verdict, None if verdict == "reproduced" else "|z| is above 3.27")


@pytest.mark.parametrize("steps", [(1_000, 1_400), (1_000, 1_100, 1_500)])
def test_standard_deviations_of_two_or_three_tables_are_compared(steps):
    """The kurtosis cannot be estimated from so few tables, so that of a normal distribution is used."""
    row = few_tables(steps)
    _, found, _ = comparison.compare_rows([row])
    z = log(row.sd / row.published_sd) / ((3 - 1) / 4 * (1 / len(steps) + 1 / 1_000)) ** 0.5
    assert f"(z = {z:+.2f})" in found.ours


def test_two_values_that_are_equally_frequent_are_compared():
    """Their sample kurtosis is 1, for which the standard error of the standard deviation would be zero."""
    row = few_tables((1_000, 1_000, 1_400, 1_400))
    _, found, _ = comparison.compare_rows([row])
    assert f"(z = {log(row.sd / row.published_sd) / (0.5 * (1 / 4 + 1 / 1_000)) ** 0.5:+.2f})" in found.ours


def test_equal_stopping_times_are_compared():
    """A standard deviation of zero has no logarithm, and its z is reported as 0."""
    _, found, _ = comparison.compare_rows([few_tables((1_000, 1_000))])
    assert "0.0 (z = +0.00)" in found.ours


def few_tables(steps):
    """Return the first row of the study of the paper with given stopping times."""
    scenario = km.paper.paper_scenarios()[0]
    return row_of(scenario, [TableBatch(0, steps, (False,) * len(steps), 0, 0.0, 0.0)])


def test_items_beyond_the_cutoff_and_changed_items_are_counted_apart():
    """Items of both kinds have their own list."""
    found = PaperCheck((Verdict("", "", "", "", "not reproduced"), Verdict("", "", "", "", "changed")), 1)
    assert len(found.not_reproduced) == len(found.changed) == found.counts()["not reproduced"] == 1


@pytest.mark.slow
def test_the_page_lists_every_item_with_its_verdict(items):
    """The page has the place, the subject, the published value and the verdict of every item."""
    page = re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", PAGE.read_text(encoding="utf-8"))  # as it is rendered
    cells = [line.strip("| ").split(" | ") for line in page.splitlines() if line[:2] == "| "]
    listed = {(where, what): (paper, verdict.partition(":")[0]) for where, what, paper, _, verdict in cells[2:]}
    for item in items:
        assert listed[item.where, item.what] == (item.published, item.status)
    simulated = [
        *comparison.compare_claims(claims_from(stored_rows(), stored_cooling(), SECONDS)),
        *comparison.compare_design(stored_rows()),
        *comparison.compare_rows(stored_rows()),
    ]
    for item in simulated:
        assert listed[item.where, item.what][0] == item.published
    headings = {("where", "what"), ("---", "---")}
    assert set(listed) - headings == {(item.where, item.what) for item in (*items, *simulated)}


def test_the_numbers_of_verdicts_on_the_page_are_right():
    """The numbers in the text equal the counts in the tables."""
    text = PAGE.read_text(encoding="utf-8")
    verdicts = re.findall(r"\| (reproduced|corrected|not reproduced|not determined|changed)(?=:| \|)", text)
    stated = re.search(r"(\d+) items: (\d+) reproduced, (\d+) corrected, (\d+) not determined\.", text)
    assert stated is not None
    counted = [verdicts.count(name) for name in ("reproduced", "corrected", "not determined")]
    assert [int(number) for number in stated.groups()] == [len(verdicts), *counted]


@pytest.mark.slow
def test_the_whole_paper_on_the_command_line():
    """The command succeeds with few tables per row and writes every item as JSON."""
    done = run("paper", "--tables", "30", "--jobs", "2", "--json")
    assert done.returncode == 0, done.stdout
    document = json.loads(done.stdout)
    assert document["counts"]["changed"] == document["counts"]["not reproduced"] == 0
    assert document["counts"]["not determined"] == 36
    assert sum(document["counts"].values()) == len(document["items"]) > 270


def test_options_are_checked():
    """A standard error needs two tables."""
    with pytest.raises(km.errors.InvalidOptionError, match="n_tables must be a whole number >= 2"):
        km.paper.check_paper(n_tables=1)
