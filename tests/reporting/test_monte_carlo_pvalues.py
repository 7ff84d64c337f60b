"""P-values of Monte Carlo tests in every format, on the page and on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import kappamax as km
from kappamax.display import numbers
from kappamax.fibers import null_distribution as nulls
from kappamax.web import handlers
from kappamax.web.schemas import ReportRequest
from tests.support.command_line import run

# 3 raters agree on all of 60,000 subjects, so that no random table is as extreme
AGREED = np.zeros((3, 3, 3), dtype=int)
AGREED[0, 0, 0], AGREED[1, 1, 1], AGREED[2, 2, 2], AGREED[0, 1, 2] = 30_000, 20_000, 9_000, 1_000


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (1 / 2778, "<= 0.0004"),
        (1 / 2001, "<= 0.0005"),
        (1 / 4001, "<= 0.0003"),
        (1 / 100_001, "<= 0.00001"),
        (1 / 1001, "<= 0.001"),
        (1 / 10_000, "<= 0.0001"),
        (1 / 2, "<= 0.5"),
        (1.0, "<= 1"),
    ],
)
def test_a_bound_on_a_pvalue_is_rounded_up_to_one_digit(p, shown):
    """The bound that is shown is never below the bound itself."""
    assert numbers.pvalue(p, at_most=True) == shown
    assert float(shown.removeprefix("<= ")) >= p


@pytest.fixture(scope="module")
def made():
    """A report in which no random table is as extreme as the observed one."""
    return km.report(km.from_counts(AGREED), weights="unweighted")


def test_a_floor_is_written_as_a_floor_in_every_format(made):
    """The p-value is at most 1 / 2001 for 2,000 random tables, and each format says so and gives their number."""
    (result,) = made.results
    assert result.test.at_most
    assert result.test.n_draws == 2000
    for said in (made.to_text(), made.to_markdown()):
        assert "<= 0.0005*" in said
        assert "* marks Monte Carlo estimates from 2,000 random tables" in " ".join(said.split())
    assert r"\textless{}= 0.0005*" in made.to_latex()
    assert "&lt;= 0.0005*" in made.to_html()
    assert any("(p <= 0.0005, 2,000 draws)" in sentence for sentence in result.sentences)
    document = json.loads(made.to_json())["results"][0]
    assert document["test"]["at_most"] is True
    assert document["test"]["n_draws"] == 2000
    header, row = made.to_csv().splitlines()
    entries = dict(zip(header.split(","), row.split(","), strict=False))
    assert entries["pvalue_at_most"].lower() == "true"
    assert entries["n_draws"] == "2000"
    assert "<= 0.0005" in repr(result.test)
    assert "<= 0.0005" in repr(result.null)


def test_a_floor_is_written_as_a_floor_in_tables_of_groups():
    """A grouped report marks the bound and gives the number of random tables below the table."""
    grouped = km.report_groups([("a", km.from_counts(AGREED)), ("b", km.example("rapallo2022"))], weights="unweighted")
    for said in (grouped.to_text(), grouped.to_markdown()):
        assert "<= 0.0005*" in said
        assert "* marks Monte Carlo estimates from 2,000 random tables" in said


def test_an_estimate_with_extreme_draws_is_not_a_bound():
    """If some random tables are as extreme, the p-value is an estimate."""
    test = km.exact_test(km.from_counts([[4, 3, 2], [2, 4, 3], [3, 2, 5]]), method="monte-carlo", n_draws=500, rng=1)
    assert not test.at_most
    assert not test.pvalue_text.startswith("<=")


@pytest.mark.parametrize(
    ("counts", "work", "method"),
    [
        ([[20, 5, 1], [4, 15, 6], [2, 3, 14]], nulls.EXACT_WORK, "exact"),
        ([[20, 5, 1], [4, 15, 6], [2, 3, 14]], 10, "importance-sampling"),
        ([[9, 8, 7], [7, 9, 8], [8, 7, 9]], 10, "monte-carlo"),
    ],
)
def test_report_page_and_command_give_one_pvalue(counts, work, method, tmp_path, monkeypatch):
    """The same table, weights and default options give the same p-value, whether it is exact or estimated."""
    path = tmp_path / "counts.csv"
    rows = (f"{label}," + ",".join(map(str, row)) for label, row in enumerate(counts, start=1))
    path.write_text("\n".join([",1,2,3", *rows]))
    monkeypatch.setattr(nulls, "EXACT_WORK", work)
    reported = km.report(km.from_counts(counts), weights="linear").results[0].test
    (on_page,) = handlers.chances(ReportRequest(counts=counts, weights=["linear"]))["results"]
    command = ["test", str(path), "--layout", "counts", "--weights", "linear", "--json"]
    (printed,) = json.loads(run(*command).stdout)["results"]
    assert (reported.method, on_page["test"]["method"], printed["method"]) == (method,) * 3
    assert on_page["pvalue"] == reported.pvalue == printed["pvalue"]
    assert on_page["test"]["n_draws"] == reported.n_draws == printed["n_draws"]
    assert km.exact_test(km.from_counts(counts), weights="linear", rng=0).pvalue == reported.pvalue


def test_small_estimates_are_shown_with_two_digits(monkeypatch):
    """A p-value by importance sampling has a standard error, so that it is shown however small it is."""
    monkeypatch.setattr(nulls, "EXACT_WORK", 10)
    made = km.report(km.from_counts([[20, 1, 0], [1, 20, 1], [0, 1, 20]]), weights="linear")
    (result,) = made.results
    assert result.test.pvalue < 1e-12
    shown = numbers.small(result.test.pvalue)
    assert f"{shown}*" in made.to_text()
    assert any(f"(p = {shown}, estimated from random tables)" in sentence for sentence in result.sentences)
    assert shown in repr(result.test)


@pytest.mark.parametrize(
    ("number", "shown"), [(0.0, "0.0000"), (0.25, "0.2500"), (1.26e-9, "1.3e-9"), (9.99e-5, "1.0e-4")]
)
def test_small_numbers_keep_two_digits(number, shown):
    """Numbers from 0.0001 have four decimals, and smaller ones an exponent."""
    assert numbers.small(number) == shown
