"""Standard errors, intervals, the jackknife and the bootstrap respect clusters of subjects, and samples of raters."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import kappamax as km
from tests.support.strategies import examples, tables

RATINGS = {"first": [1, 1, 2, 2, 3, 3, 1, 2, 3, 3], "second": [1, 2, 2, 2, 3, 1, 1, 3, 3, 2]}
PATIENTS = ["a", "a", "a", "b", "c", "c", "d", "d", "e", "e"]


def clustered(draw_codes, clusters, k=3):
    """Return the table of codes 0, ..., k - 1 in clusters."""
    return km.Table(draw_codes, None, range(1, k + 1), ordered=True, clusters=clusters)


def test_clusters_by_hand():
    """Percent agreement of three clusters: the variance is C / (C - 1) times the sum of squared ratio residuals.

    Agreeing and all subjects: 2 of 2, 1 of 2, 0 of 1. The mean is 3/5; the residuals 2 - 2 * 3/5 = 4/5, 1 - 6/5 = -1/5
    and -3/5, divided by N = 5, have squares 16, 1 and 9 over 25 * 25.
    """
    first, second = [1, 2, 1, 2, 1], [1, 2, 1, 1, 2]
    error = km.standard_error(first, second, coefficient="percent", cluster=["x", "x", "y", "y", "z"])
    assert error.se == pytest.approx(sqrt(3 / 2 * (16 + 1 + 9) / 625))
    assert (error.method, error.df) == ("delta", 2)


@given(
    tables(max_raters=3, max_categories=3, missing=True), st.sampled_from(["kappa", "fleiss", "gwet", "krippendorff"])
)
@settings(max_examples=examples(50), deadline=None)
def test_clusters_of_one_subject_change_nothing(table, coefficient):
    """The delta method and the jackknife over clusters of one subject are those over subjects."""
    patterns = np.repeat(table.patterns, table.counts, axis=0)
    alone = km.Table(patterns, None, table.categories, table.raters, ordered=True, clusters=np.arange(len(patterns)))
    for method in ("delta", "jackknife"):
        options = {"weights": "linear", "coefficient": coefficient, "method": method}
        try:
            expected = km.standard_error(table, **options)
        except km.errors.UndefinedKappaError:
            assume(False)
        found = km.standard_error(alone, **options)
        assert found.df == expected.df
        assert found.se == (None if expected.se is None else pytest.approx(expected.se, rel=1e-9, abs=1e-12))


@given(tables(max_raters=3, max_categories=3), st.data())
@settings(max_examples=examples(40), deadline=None)
def test_clusters_never_change_a_value_and_are_found_again_by_a_naive_jackknife(table, data):
    """The jackknife over clusters is the one that a loop over clusters computes."""
    patterns = np.repeat(table.patterns, table.counts, axis=0)
    clusters = data.draw(st.lists(st.integers(0, 3), min_size=len(patterns), max_size=len(patterns)))
    own = clustered(patterns, clusters, table.n_categories)
    try:
        value = km.kappa(own, weights="linear").value
    except km.errors.UndefinedKappaError:
        assume(False)
    assert value == km.kappa(table, weights="linear").value
    values = []
    for left_out in sorted(set(clusters)):
        kept = np.array(clusters) != left_out
        if not kept.any():
            return
        rest = km.Table(patterns[kept], None, own.categories, ordered=True)
        try:
            values.append(km.kappa(rest, weights="linear").value)
        except km.errors.UndefinedKappaError:
            values.append(np.nan)
    found = km.jackknife(own, weights="linear")
    np.testing.assert_allclose(found.values, values, rtol=1e-9, atol=1e-12)
    c = len(values)
    if np.isfinite(values).all() and c > 1:
        expected = sqrt((c - 1) / c * ((np.array(values) - np.mean(values)) ** 2).sum())
        assert found.se == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_repeated_subjects_in_a_cluster_tell_nothing_new():
    """If each subject is entered three times in one cluster, the standard error and the interval hardly change."""
    codes = np.array([RATINGS["first"], RATINGS["second"]]).T - 1
    single = clustered(codes, np.arange(10))
    triple = clustered(np.repeat(codes, 3, axis=0), np.repeat(np.arange(10), 3))
    one, three = (km.kappa(t, weights="linear") for t in (single, triple))
    assert three.se == pytest.approx(one.se)
    assert three.ci == pytest.approx(one.ci, abs=1e-6)
    ignoring = km.kappa(km.Table(np.repeat(codes, 3, axis=0), None, [1, 2, 3], ordered=True), weights="linear")
    assert ignoring.se < 0.65 * three.se


def test_the_cluster_bootstrap_draws_whole_clusters():
    """Its standard error is near that of the delta method over clusters, and far from that over subjects."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 60)
    codes = np.where(rng.random((60, 2)) < 0.8, truth[:, None], rng.integers(0, 2, (60, 2)))
    table = clustered(np.repeat(codes, 4, axis=0), np.repeat(np.arange(60), 4), 2)
    resampled = km.bootstrap(table, n_resamples=1000, rng=1)
    assert resampled.se == pytest.approx(km.standard_error(table).se, rel=0.15)
    without = km.bootstrap(km.Table(table.patterns, table.counts, [1, 2], ordered=True), n_resamples=1000, rng=1)
    assert without.se < 0.6 * resampled.se
    statistic = km.bootstrap(table, statistic=_percent, n_resamples=200, rng=1, method="percentile")
    assert statistic.se == pytest.approx(km.standard_error(table, coefficient="percent").se, rel=0.3)


def _percent(table):
    return float(table.counts[table.patterns[:, 0] == table.patterns[:, 1]].sum() / table.n_subjects)


def test_arrays_and_frames_name_their_clusters():
    """An array of clusters, a column of a frame, and a table with clusters give the same result."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(RATINGS | {"patient": PATIENTS})
    by_array = km.kappa(RATINGS["first"], RATINGS["second"], weights="linear", cluster=PATIENTS)
    by_column = km.kappa(frame, weights="linear", cluster="patient")
    by_table = km.kappa(km.from_ratings(frame, cluster="patient"), weights="linear")
    assert (by_array.se, by_array.ci) == (by_column.se, by_column.ci) == (by_table.se, by_table.ci)
    assert (by_column.n_clusters, by_column.n_subjects) == (5, 10)
    assert "10 subjects in 5 clusters" in repr(by_array)
    for function in (km.jackknife, km.standard_error):
        assert function(frame, cluster="patient").se != function(frame[["first", "second"]]).se
    options = {"n_resamples": 50, "rng": 1}
    assert km.bootstrap(frame, cluster="patient", **options).se == km.bootstrap(by_table_of(frame), **options).se


def by_table_of(frame):
    return km.from_ratings(frame, cluster="patient")


@pytest.mark.parametrize("method", ["fleiss-cohen-everitt", "gwet", "null"])
def test_formulas_for_independent_subjects_are_refused(method):
    """The error names the methods that respect clusters."""
    with pytest.raises(km.errors.NotSupportedError, match="assumes independent subjects.*'delta' or 'jackknife'"):
        km.standard_error(RATINGS["first"], RATINGS["second"], cluster=PATIENTS, method=method)


def test_one_cluster_has_no_standard_error():
    """Nothing is known about the variation between clusters."""
    found = km.kappa(RATINGS["first"], RATINGS["second"], cluster=["a"] * 10)
    assert found.se is None
    assert km.value_test(RATINGS["first"], RATINGS["second"], cluster=["a"] * 10, null=0.2).pvalue is None


def test_exact_methods_are_for_independent_subjects():
    """The exact interval is refused for clusters."""
    with pytest.raises(km.errors.NotSupportedError, match="exact interval is for independent subjects"):
        km.kappa([1, 2, 1, 2], [1, 2, 2, 2], cluster=["a", "a", "b", "b"], interval="exact")


def test_a_value_is_tested_over_clusters():
    """The statistic is that of the adjusted interval, so the test rejects exactly the values outside of it."""
    ratings = [RATINGS["first"], RATINGS["second"]]
    found = km.kappa(*ratings, cluster=PATIENTS, level=0.95)
    test = km.value_test(*ratings, cluster=PATIENTS, null=found.ci[0], alternative="two-sided")
    assert test.pvalue == pytest.approx(0.05, rel=1e-6)
    assert test.method == "adjusted"
    assert test.reason == "no population with the null value is used: the subjects are in clusters"


def test_raters_as_a_sample_by_hand():
    """Gwet's (2008) jackknife: (r - 1) / r times the squared deviations of the values without each rater."""
    table = km.example("anxiety")
    rest = list(km.leave_one_out(table).without.values())
    expected = sqrt(2 / 3 * sum((value - np.mean(rest)) ** 2 for value in rest))
    raters = km.standard_error(table, inference="raters")
    assert raters.se == pytest.approx(expected)
    assert (raters.df, raters.inference) == (2, "raters")
    subjects, both = km.standard_error(table), km.standard_error(table, inference="both")
    assert both.se == pytest.approx(sqrt(subjects.se**2 + raters.se**2))
    below = subjects.se**4 / subjects.df + raters.se**4 / 2
    assert both.df == pytest.approx(both.se**4 / below)
    found = km.agreement(table, inference="both")
    reach = stats.t.ppf(0.975, both.df) * both.se
    assert found.ci == pytest.approx((found.value - reach, found.value + reach))
    assert (found.ci_method, found.inference) == ("normal", "both")
    assert "samples of subjects and raters" in repr(found)


def test_two_raters_are_no_sample_of_raters():
    """At least three raters are needed, so that each can be left out."""
    with pytest.raises(km.errors.NotSupportedError, match="needs at least 3 raters.*got 2"):
        km.kappa_error = km.standard_error(RATINGS["first"], RATINGS["second"], inference="raters")
    with pytest.raises(km.errors.NotSupportedError, match="'adjusted' is for a sample of subjects"):
        km.agreement(km.example("anxiety"), inference="both", interval="adjusted")


@pytest.mark.slow
def test_clustered_intervals_cover():
    """Thirty clusters of up to six alike subjects: the interval over clusters covers, that over subjects does not."""
    rng = np.random.default_rng(5)
    kappa, n_studies, hits, ignored = 0.6, 300, 0, 0
    for _ in range(n_studies):
        sizes = rng.integers(1, 7, 30)
        clusters = np.repeat(np.arange(30), sizes)
        truth, known = rng.integers(0, 2, 30)[clusters], (rng.random(30) < kappa)[clusters]
        guesses = rng.integers(0, 2, (30, 2))[clusters]
        codes = np.where(known[:, None], truth[:, None], guesses)
        low, high = km.kappa(clustered(codes, clusters, 2)).ci
        hits += low <= kappa <= high
        low, high = km.kappa(km.Table(codes, None, [1, 2], ordered=True)).ci
        ignored += low <= kappa <= high
    assert hits / n_studies > 0.95 - 4 * sqrt(0.05 * 0.95 / n_studies)
    assert ignored / n_studies < 0.8
