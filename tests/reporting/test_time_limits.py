"""Tests of the time limit of a report, which all its searches share."""

import json

import numpy as np
import pytest

import kappamax as km
from kappamax.maximum import problem as problems
from kappamax.maximum.maximizers import count_maximizers
from kappamax.reporting.report import _TimeShares


@pytest.fixture(scope="module")
def large():
    """Fifteen raters and six categories, whose extremes take longer than a moment."""
    ratings = np.random.default_rng(3).choice(6, size=(40, 15), p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
    return km.from_ratings(ratings, categories=range(6))


@pytest.fixture(scope="module")
def hurried():
    """Return a report on nine raters with missing ratings, made with a clock on which every search is late at once."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 5, size=(60, 9))
    codes[rng.random(codes.shape) < 0.2] = -1
    table = km.Table(codes, np.ones(60, dtype=int), tuple(range(5)), ordered=True)
    clock = iter(range(0, 10**9, 10))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problems, "monotonic", lambda: float(next(clock)))
        return km.report(table, weights=["sqrt"], time_limit=1.0)


def test_searches_share_the_time_that_is_left(monkeypatch):
    """Each search may take an equal share of the rest, and what a search leaves is for the others."""
    now = [0.0]
    monkeypatch.setattr(problems, "monotonic", lambda: now[0])
    shares = _TimeShares(12.0, 4)
    assert shares.next() == 3.0
    now[0] = 1.0
    assert shares.next() == pytest.approx(11 / 3)
    shares.skip(1)
    assert shares.next() == pytest.approx(11.0)
    now[0] = 20.0
    assert shares.next() == pytest.approx(0.05)  # a moment in which a first table can be found
    assert _TimeShares(None, 4).next() is None


def test_a_report_says_what_the_limit_cut_short(hurried):
    """The note names the searches and the weights, and the whole report is there."""
    (result,) = hurried.results
    assert result.cut_short == ("maximum", "minimum")
    assert hurried.notes[-1] == (
        "The time limit ended the search for the maximum and minimum (sqrt weights); the report gives what was found "
        "by then and proven bounds."
    )
    assert "The time limit ended the search" in " ".join(hurried.to_text().split())
    assert result.test is not None
    assert json.loads(hurried.to_json())["results"][0]["cut_short"] == ["maximum", "minimum"]


def test_a_minimum_that_was_not_found_is_shown_by_its_bound(hurried):
    """No format shows the observed value in its place."""
    (result,) = hurried.results
    most = result.maximum
    assert most.minimum is None
    assert most.minimum_bound < most.value
    assert json.loads(hurried.to_json())["results"][0]["minimum"] is None
    assert hurried.to_frame("pandas")["minimum"].isna().all()
    assert f">= {most.minimum_bound:.4f}" in hurried.to_markdown().replace("&gt;", ">").replace("\\", "")


def test_a_report_with_enough_time_has_no_such_note():
    """Nothing is cut short in a small table."""
    report = km.report(km.example("rapallo2022"), weights=["sqrt"], time_limit=60)
    assert report.results[0].cut_short == ()
    assert not any("time limit" in note for note in report.notes)


def test_counting_ends_at_the_limit(monkeypatch, large):
    """A count that runs out of time is a lower bound with the reason."""
    result = km.max_kappa(large, weights="linear")
    assert result.proven
    clock = iter(range(0, 10**9, 10))
    monkeypatch.setattr(problems, "monotonic", lambda: float(next(clock)))
    count = count_maximizers(result, time_limit=5.0)
    assert (count.n, count.reason) == (None, "the time limit was reached")
    assert count.at_least >= 1


def test_the_limit_of_counting_is_positive(large):
    """A limit of zero is refused by name."""
    with pytest.raises(km.errors.InvalidOptionError, match="time_limit must be"):
        count_maximizers(large, weights="linear", time_limit=0)


def test_a_split_without_time_has_a_lower_bound(large):
    """The disagreement that is forced is then not proven, and not above the proven one."""
    six = large.select(range(6))
    hurried = km.maximum.disagreement_split(six, weights="sqrt", time_limit=1e-9)
    assert not hurried.proven
    assert hurried.forced <= km.maximum.disagreement_split(six, weights="sqrt").forced
    with pytest.raises(km.errors.InvalidOptionError, match="time_limit must be"):
        km.maximum.disagreement_split(large, time_limit=-1)
