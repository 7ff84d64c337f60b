"""`kappamax fiber` and `kappamax test` show what the library returns, as text and as JSON."""

import json

import numpy as np
import pytest

import kappamax as km
from tests.support.command_line import run

_BY_PROBABILITY = ("--two-sided", "probability")


@pytest.fixture
def paper(tmp_path):
    path = tmp_path / "paper.csv"
    path.write_text(run("example", "rapallo2022").stdout, encoding="utf-8")
    return [str(path), "--layout", "counts"]


def results(done):
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)["results"]


@pytest.mark.slow
def test_fiber_json_follows_the_contract(paper):
    """The JSON has the numbers of tables and the distribution that the library returns."""
    linear, sqrt = results(run("fiber", *paper, "-w", "linear", "-w", "sqrt", "--json"))
    ours = km.fiber(km.example("rapallo2022")).distribution("linear")
    assert linear == {"coefficient": "cohen", "title": "Cohen's kappa"} | ours.to_dict()
    assert (linear["n_tables"], linear["n_same_value"]) == (644_850, 1654)
    assert set(linear["distribution"][0]) == {"value", "n_tables", "probability"}
    assert sum(row["n_tables"] for row in sqrt["distribution"]) == 644_850
    assert sum(row["probability"] for row in sqrt["distribution"]) == pytest.approx(1, abs=1e-12)


def test_fiber_shows_the_values(paper):
    """The observed value is marked, and lines have at most 80 columns."""
    done = run("fiber", *paper, "-w", "linear")
    assert done.returncode == 0
    assert "0.5023 observed    1,654" in done.stdout
    assert all(len(line.rstrip()) <= 80 for line in done.stdout.splitlines())


def test_listing_has_a_limit(paper, tmp_path):
    """Small fibers are listed, and large ones raise an error that gives their size."""
    done = run("fiber", *paper, "--list")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "kappamax: --list shows at most 10,000 tables, but 644,850 have these margins. Use --sample instead.\n"
    )
    small = tmp_path / "small.csv"
    small.write_text("1,1\n0,1\n", encoding="utf-8")
    (found,) = results(run("fiber", str(small), "--layout", "counts", "--list", "--json"))
    assert [table["counts"] for table in found["tables"]] == [[1, 1, 1], [2, 1]]
    assert "Table 2 of 2" in run("fiber", str(small), "--layout", "counts", "--list").stdout


def test_sampling(paper):
    """The requested number of tables is drawn, and the same seed gives the same tables."""
    first, second = (results(run("fiber", *paper, "--sample", "3", "--seed", "5", "--json"))[0] for _ in range(2))
    assert first["sample"] == second["sample"]
    assert len(first["sample"]) == 3
    assert all(sum(table["counts"]) == 33 for table in first["sample"])
    assert run("fiber", *paper, "--sample", "0").returncode == 1


def test_tables_that_cannot_be_counted_are_null_with_a_reason(tmp_path):
    """A sample is drawn even if the tables cannot be counted or the coefficient is undefined."""
    big = tmp_path / "big.csv"
    ratings = np.random.default_rng(0).integers(1, 6, size=(60, 6))
    big.write_text("a,b,c,d,e,f\n" + "\n".join(",".join(map(str, row)) for row in ratings), encoding="utf-8")
    (found,) = results(run("fiber", str(big), "--sample", "1", "--json"))
    assert found["value"] == pytest.approx(km.kappa(km.from_ratings(ratings)).value)
    assert (found["n_tables"], found["n_same_value"], found["distribution"]) == (None, None, None)
    assert "of memory" in found["reason"]
    assert len(found["sample"]) == 1
    gaps = tmp_path / "gaps.csv"
    gaps.write_text("a,b\n1,1\n1,\n2,1\n2,2\n", encoding="utf-8")
    assert "needs complete ratings, but 1 rating is missing" in results(run("fiber", str(gaps), "--json"))[0]["reason"]
    assert "needs complete ratings" in run("fiber", str(gaps)).stdout
    one = tmp_path / "one.csv"
    one.write_text("a,b\n1,1\n1,1\n", encoding="utf-8")
    assert results(run("fiber", str(one), "--json"))[0]["reason"] == "both raters used only 1"


def test_test_json_follows_the_contract(paper):
    """The JSON has the p-value, alternative, method and standard error that the library returns."""
    linear, rounded = results(run("test", *paper, "-w", "linear", "-w", "power(0.3)", "--seed", "1", "--json"))
    ours = km.exact_test(km.example("rapallo2022"), weights="linear")
    assert linear == ours.to_dict()
    assert linear["title"] == "Cohen's kappa"
    assert (linear["method"], linear["se"], linear["alternative"]) == ("exact", None, "greater")
    assert rounded["method"] == "importance-sampling"
    assert 0 < rounded["se"] < 0.05 * rounded["pvalue"]


def test_test_options(paper):
    """The options for alternative, method, draws and processes reach the library."""
    (less,) = results(run("test", *paper, "--alternative", "less", "--json"))
    assert less["pvalue"] > 0.99
    arguments = ("--method", "monte-carlo", "--draws", "500", "--seed", "3", "--json")
    one, two = (results(run("test", *paper, *arguments, "--jobs", jobs))[0] for jobs in ("1", "2"))
    assert one == two
    assert one["n_draws"] == 500
    wrong = run("test", *paper, "--alternative", "bigger")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "alternative must be one of 'greater', 'less', 'two-sided'; got 'bigger'" in wrong.stderr


def test_test_two_sided_by_probability(tmp_path):
    """The p-value is that of fisher.test, and a note below the table gives its definition."""
    counts = tmp_path / "counts.csv"
    counts.write_text(",1,2\n1,0,3\n2,2,5\n", encoding="utf-8")
    arguments = ("test", str(counts), "--layout", "counts", "--alternative", "two-sided")
    (distance,), (probability,) = (results(run(*arguments, *more, "--json")) for more in ((), _BY_PROBABILITY))
    assert (round(distance["pvalue"], 3), round(probability["pvalue"], 3)) == (0.533, 1.0)
    assert "values no more probable than the observed one" in run(*arguments, *_BY_PROBABILITY).stdout
    assert "values at least as far from the mean as the observed one" in run(*arguments).stdout
    assert "Two-sided" not in run("test", str(counts), "--layout", "counts").stdout


def test_test_shows_a_table(tmp_path, paper):
    """Notes give the values that the p-value counts, and the number of random tables with the reason."""
    shown = run("test", *paper).stdout
    assert "exact" in shown
    assert "mean by chance" in shown
    assert "The p-value counts values at least as large as the observed one." in shown
    gaps = tmp_path / "gaps.csv"
    gaps.write_text("a,b\n1,1\n1,\n2,1\n2,2\n", encoding="utf-8")
    shown = run("test", str(gaps), "-c", "scott", "--alternative", "less").stdout
    assert "0.2889          -0.0370    0.8333                 exact" in shown  # 13/45, -1/27 and 15/18 by listing
    assert "The p-value counts values at most as large as the observed one." in shown
    shown = run("test", str(gaps), "-w", "power(0.3)", "--draws", "200", "--seed", "1").stdout
    assert "power(0.3): 200 random tables (power(0.3) weights are not exact numbers" in shown
    one = tmp_path / "one.csv"
    one.write_text("a,b\n1,1\n1,1\n", encoding="utf-8")
    assert "undefined: both raters used only 1" in run("test", str(one)).stdout


def test_memory_and_seeds_are_checked(paper):
    """The memory limit is in gigabytes, and a negative seed is wrong usage."""
    (small,) = results(run("fiber", *paper, "-w", "linear", "--memory-limit", "0.001", "--json"))
    assert "would take 1.51 MB of memory; the limit is 1 MB" in small["reason"]
    assert small["n_tables"] == 644_850
    assert run("test", *paper, "--seed", "-1").returncode == 2
    assert run("test", *paper, "--memory-limit", "0").returncode == 2
