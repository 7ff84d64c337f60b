"""Kappas of pairs and categories, and effects of leaving out raters, have correct standard errors and intervals."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import kappamax as km
from kappamax import confidence_intervals, kappa_breakdowns, rater_pairs
from kappamax.weights import as_weights
from tests.support import naive
from tests.support import naive_agreement as exact
from tests.support.designs import draw, seeds
from tests.support.page_blocks import ROOT
from tests.support.strategies import examples, scheme_names, tables

COEFFICIENTS = ("kappa", "fleiss", "gwet", "krippendorff", "brennan-prediger", "percent")
CLOSE = {"rel": 1e-9, "abs": 1e-9}


def in_clusters(table, clusters):
    """Return the table with its subjects in clusters, given for each subject in the order of the patterns."""
    patterns = np.repeat(table.patterns, table.counts, axis=0)
    return km.Table(patterns, None, table.categories, table.raters, ordered=table.ordered, clusters=clusters)


def both_rated(table, a, b):
    """Return the table of two raters, of the subjects that both rated, or None if there are none."""
    rows = table.clusters or table.grouped
    codes = rows.patterns[:, [a, b]]
    both = (codes >= 0).all(axis=1)
    clusters = None if table.clusters is None else table.clusters.codes[both]
    names = (table.raters[a], table.raters[b])
    if not both.any():
        return None
    return km.Table(codes[both], rows.counts[both], table.categories, names, ordered=table.ordered, clusters=clusters)


def assert_estimate(se, ci, expected):
    """Assert that a standard error and the limits of an interval are those of a result of `agreement`."""
    assert np.isnan(se) if expected.se is None else se == pytest.approx(expected.se, **CLOSE)
    assert np.isnan(ci).all() if expected.ci is None else tuple(ci) == pytest.approx(expected.ci, **CLOSE)


def assert_pairs(found, table, weights="unweighted", **options):
    """Assert that every pair has the results of `agreement` for the subjects that both raters rated."""
    own = as_weights(weights, categories=table.categories, ordered=table.ordered, raters=table.raters)
    for a, b in combinations(range(table.n_raters), 2):
        pair = both_rated(table, a, b)
        assert found.n_subjects[a, b] == found.n_subjects[b, a] == (0 if pair is None else pair.n_subjects)
        assert np.array_equal(found.se, found.se.T, equal_nan=True)
        assert np.array_equal(found.ci, found.ci.transpose(1, 0, 2), equal_nan=True)
        try:
            expected = km.agreement(pair, weights=own.for_raters([a, b]), **options) if pair else None
        except km.errors.UndefinedKappaError:
            expected = None
        if expected is None:
            assert np.isnan([found.values[a, b], found.se[a, b], *found.ci[a, b]]).all()
            continue
        assert found.values[a, b] == expected.value
        assert_estimate(found.se[a, b], found.ci[a, b], expected)
        if expected.ci is not None:
            assert found.ci[a, b, 0] <= found.values[a, b] <= found.ci[a, b, 1]


def test_the_comparisons_with_agreement_can_fail():
    """The assertions fail for another standard error, another limit and a missing interval."""
    table = km.example("diagnoses")
    found = km.pairwise_kappas(table)
    assert_pairs(found, table)
    for field in ("se", "ci", "n_subjects"):
        wrong = getattr(found, field).copy()
        wrong[1, 2] = wrong[2, 1] = wrong[1, 2] * 2
        with pytest.raises(AssertionError):
            assert_pairs(km.results.PairwiseKappas(**vars(found) | {field: wrong}), table)
    with pytest.raises(AssertionError):
        assert_pairs(found, table, level=0.9)
    expected = km.agreement(table.select([0, 1]))
    with pytest.raises(AssertionError):
        assert_estimate(np.nan, expected.ci, expected)


# Pairs of raters


@given(
    tables(min_raters=3, missing=True, max_categories=5),
    scheme_names,
    st.sampled_from(["auto", "adjusted", "normal"]),
    st.sampled_from([0.5, 0.95, 0.999]),
)
@settings(max_examples=examples(200), deadline=None)
def test_a_pair_has_the_interval_of_its_ratings(table, weights, interval, level):
    """The standard error and the interval are those of `agreement` for the subjects that both raters rated."""
    options = {"weights": weights, "interval": interval, "level": level}
    assert_pairs(km.pairwise_kappas(table, **options), table, **options)


@pytest.mark.parametrize("seed", seeds(72))
def test_a_pair_of_every_design_has_the_interval_of_its_ratings(seed):
    """Designs include one subject, raters without common subjects, and weights per pair, which may be asymmetric."""
    design = draw(seed, most_orders=10**9)
    found = km.pairwise_kappas(design.table, weights=design.weights)
    assert_pairs(found, design.table, weights=design.weights)


@given(tables(min_raters=3, max_raters=3, missing=True), st.sampled_from(["unweighted", "linear", "quadratic"]))
@settings(max_examples=examples(100), deadline=None)
def test_a_pair_by_the_published_formula(table, name):
    """The standard error is that of Fleiss, Cohen and Everitt; the adjusted one has pseudo-subjects in every cell."""
    k = table.n_categories
    u = km.Weights.from_scheme(name, k).matrix.tolist()
    found = km.pairwise_kappas(table, weights=name, level=0.9)
    z = stats.norm.ppf(0.95)
    more, alike = (z**2, 0.0) if k == 2 else (z**2 / 2, 0.3)
    for a, b in combinations(range(3), 2):
        counts = table.pair(a, b).tolist()
        if np.isnan(found.values[a, b]):
            continue
        value, se = naive.cohen_error(counts, u)
        if found.n_subjects[a, b] > 1:
            assert found.se[a, b] ** 2 == pytest.approx(se**2, rel=1e-6, abs=1e-12)
        else:
            assert np.isnan(found.se[a, b])
        added = [
            [n + more * ((1 - alike) / k**2 + alike / k * (i == j)) for j, n in enumerate(row)]
            for i, row in enumerate(counts)
        ]
        center, spread = naive.cohen_error(added, u)
        low, high = min(max(center - z * spread, -1), value), max(min(center + z * spread, 1), value)
        assert found.ci[a, b] == pytest.approx([low, high], abs=1e-7)


def test_the_naive_formula_has_the_published_variance():
    """Fleiss, Cohen and Everitt (1969) give 0.002885 for their example."""
    counts = km.example("fleiss1969").pair(0, 1).tolist()
    _, se = naive.cohen_error(counts, (1 - np.eye(3)).tolist())
    assert se**2 == pytest.approx(0.002885, abs=5e-7)


def test_numbers_of_subjects_by_hand():
    """The first rater rated three subjects, two of them with the second rater and one with the third."""
    found = km.pairwise_kappas([1, 2, 1, None], [1, 2, None, 1], [None, 1, None, 2])
    assert found.n_subjects.tolist() == [[3, 2, 1], [2, 3, 2], [1, 2, 2]]
    assert (found.se[0, 1], found.values[0, 1]) == (0, 1)
    assert found.ci[0, 1, 0] < 0.5
    assert np.isnan(found.se[0, 2])  # one subject, on which they disagree: kappa is 0
    assert found.values[0, 2] == 0
    assert found.ci[0, 2, 0] < 0 < found.ci[0, 2, 1]
    assert np.diag(found.se).tolist() == [0, 0, 0]
    assert found.ci[1, 1].tolist() == [1, 1]


def test_the_normal_interval_of_one_subject_is_undefined():
    """There is no standard error, so the limits are NaN, and null in JSON."""
    found = km.pairwise_kappas([1, 2, 1], [2, None, None], [1, 2, 2], interval="normal")
    assert found.values[0, 1] == 0
    assert np.isnan(found.ci[0, 1]).all()
    said = found.to_dict()
    assert said["se"][0][1] is None
    assert said["ci"][0][1] is None
    assert said["ci"][0][0] == [1, 1]
    assert said["interval"] == "normal"
    assert "undefined" in repr(found)
    frame = found.to_frame("polars")
    assert frame.columns == ["rater_1", "rater_2", "value", "n_subjects", "se", "low", "high", "reason"]
    assert frame["low"].null_count() == 2
    assert frame["n_subjects"].to_list() == [1, 3, 1]


def test_pairs_in_blocks_are_those_of_all_at_once(monkeypatch):
    """The results do not depend on the number of pairs that are computed together."""
    table = km.example("diagnoses")
    whole = km.pairwise_kappas(table)
    monkeypatch.setattr(rater_pairs, "_CELLS_PER_BLOCK", 50)
    assert np.array_equal(km.pairwise_kappas(table).ci, whole.ci)
    assert np.array_equal(km.pairwise_kappas(table).se, whole.se)


def test_pairs_with_many_different_ratings_have_the_normal_interval(monkeypatch):
    """The limit is that of `agreement`, for each pair."""
    monkeypatch.setattr(rater_pairs, "MOST_ADJUSTED", 8)
    monkeypatch.setattr(confidence_intervals, "MOST_ADJUSTED", 8)
    table = km.example("diagnoses")
    sizes = {np.count_nonzero(table.pair(a, b)) > 8 for a, b in combinations(range(6), 2)}
    assert sizes == {True, False}
    assert_pairs(km.pairwise_kappas(table), table)
    assert_pairs(km.pairwise_kappas(table, interval="adjusted"), table, interval="adjusted")


def test_huge_counts_and_many_categories():
    """Counts near 2^50 and 150 categories have finite intervals, which are those of `agreement`."""
    huge = km.Table([[0, 0, 1], [0, 1, 1], [1, 1, 1], [1, 0, 0]], [2**50, 3, 2**49, 2**48], [1, 2], ordered=True)
    assert_pairs(km.pairwise_kappas(huge), huge)
    many = km.Table(np.random.default_rng(1).integers(0, 150, (60, 3)), None, list(range(150)), ordered=True)
    assert_pairs(km.pairwise_kappas(many, weights="linear"), many, weights="linear")


def test_exact_intervals_of_pairs():
    """They are those of `agreement` for two categories; other tables and too many pairs are refused."""
    table = km.from_ratings([[1, 1, 2], [2, 2, 2], [1, 2, 1], [1, 1, 1], [2, 2, 1], [2, 2, 2]])
    assert_pairs(km.pairwise_kappas(table, interval="exact"), table, interval="exact")
    with pytest.raises(km.errors.NotSupportedError, match="two raters and two categories"):
        km.pairwise_kappas(km.example("diagnoses"), interval="exact")


def test_exact_and_clustered_pairs_have_lower_limits(monkeypatch):
    """The refusals say why the limit is lower."""
    table = km.example("diagnoses")
    monkeypatch.setattr(rater_pairs, "MOST_EXACT", 14)
    with pytest.raises(km.errors.NotSupportedError, match="limited to 14 pairs of raters for exact intervals; 6 rater"):
        km.pairwise_kappas(table, interval="exact")
    monkeypatch.setattr(rater_pairs, "MOST_CLUSTERED", 14)
    own = in_clusters(table, np.arange(30) // 2)
    with pytest.raises(km.errors.NotSupportedError, match="limited to 14 pairs of raters for subjects in clusters"):
        km.pairwise_kappas(own)
    assert km.pairwise_kappas(table).values.shape == (6, 6)
    assert km.report(own, weights="unweighted").pairs is None
    assert "Pairs of raters" not in km.report(own, weights="unweighted").to_html()


@given(tables(min_raters=3, max_raters=3, missing=True), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_pairs_in_clusters_have_the_interval_over_clusters(table, data):
    """The results are those of `agreement` for the clusters of the subjects that both raters rated."""
    n = table.n_subjects
    own = in_clusters(table, data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    for interval in ("auto", "normal"):
        found = km.pairwise_kappas(own, weights="linear", interval=interval)
        assert_pairs(found, own, weights="linear", interval=interval)
        assert np.array_equal(found.values, km.pairwise_kappas(table, weights="linear").values, equal_nan=True)


# Categories


@given(
    tables(missing=True, max_categories=4),
    st.sampled_from(COEFFICIENTS),
    st.sampled_from(["auto", "normal"]),
    st.sampled_from([0.8, 0.95]),
)
@settings(max_examples=examples(150), deadline=None)
def test_a_category_has_the_interval_of_the_collapsed_table(table, coefficient, interval, level):
    """The standard error and the interval are those of `agreement` with all other categories combined."""
    options = {"coefficient": coefficient, "interval": interval, "level": level}
    found = km.category_kappas(table, **options)
    n = int(table.counts[table.n_ratings >= 2].sum())
    for category in table.categories:
        assert found.n_subjects[category] == n
        try:
            expected = km.agreement(table.collapse(category), **options)
        except km.errors.UndefinedKappaError:
            assert (found.values[category], found.se[category], found.ci[category]) == (None, None, None)
            assert found.reasons[category]
            continue
        assert (found.values[category], found.se[category], found.ci[category]) == (
            expected.value,
            expected.se,
            expected.ci,
        )


def test_categories_of_clustered_and_exact_tables():
    """Clusters of the subjects are kept, and the exact interval is available for two raters."""
    table = km.example("diagnoses")
    own = in_clusters(table, np.arange(30) // 3)
    found = km.category_kappas(own)
    for category in table.categories:
        expected = km.agreement(own.collapse(category))
        assert (found.se[category], found.ci[category]) == (expected.se, expected.ci)
    assert found.se != km.category_kappas(table).se
    small = km.from_counts([[8, 1, 1], [1, 6, 0], [0, 2, 5]])
    found = km.category_kappas(small, interval="exact")
    assert found.ci[1] == km.agreement(small.collapse(1), interval="exact").ci
    assert (found.level, found.interval) == (0.95, "exact")


def test_frames_and_text_of_categories():
    """The frame has the limits of the intervals, and an undefined category has its reason in both."""
    found = km.category_kappas(["x", "y", "x"], ["x", "y", "y"], categories=["x", "y", "z"], level=0.9)
    frame = found.to_frame("pandas")
    assert list(frame.columns) == ["category", "value", "n_subjects", "se", "low", "high", "reason"]
    assert frame.loc[0, ["low", "high"]].tolist() == list(found.ci["x"])
    assert frame["low"].isna().tolist() == [False, False, True]
    low, high = found.ci["y"]
    shown = repr(found)
    assert f"{found.values['y']:.4f}  {low:.4f} to {high:.4f}" in shown
    assert "90% interval" in shown
    assert "undefined: both raters used only 'not z'" in shown
    assert found.to_dict()["ci"] == {"x": list(found.ci["x"]), "y": [low, high], "z": None}


# Raters left out


@given(tables(min_raters=3, max_raters=4, missing=True, max_categories=3), st.sampled_from(COEFFICIENTS))
@settings(max_examples=examples(150), deadline=None)
def test_an_effect_has_the_standard_error_of_the_comparison(table, coefficient):
    """The effect of a rater is the difference that `compare` finds between all raters and all others."""
    options = {"weights": "linear", "coefficient": coefficient}
    try:
        found = km.leave_one_out(table, **options, level=0.9)
    except km.errors.UndefinedKappaError:
        assume(False)
    for rater in table.raters:
        rest = [other for other in table.raters if other != rater]
        if found.without[rater] is None:
            assert (found.se[rater], found.ci[rater]) == (None, None)
            assert (found.effect_se[rater], found.effect_ci[rater]) == (None, None)
            continue
        expected = km.agreement(table.select(rest), **options, level=0.9)
        assert (found.without[rater], found.se[rater], found.ci[rater]) == (expected.value, expected.se, expected.ci)
        compared = km.compare(table, first=table.raters, second=rest, **options, level=0.9)
        assert found.effects[rater] == compared.difference
        if compared.se is None:
            assert (found.effect_se[rater], found.effect_ci[rater]) == (None, None)
        else:
            assert found.effect_se[rater] == pytest.approx(compared.se, **CLOSE)
            assert found.effect_ci[rater] == pytest.approx(compared.ci, **CLOSE)
        selected = table.select(rest)
        assert found.n_subjects[rater] == selected.counts[selected.n_ratings >= 2].sum()


def naive_effect_error(design, coefficient, left_out):
    """Return the standard error of the effect of a rater from differences of exact values, or None.

    The derivative with respect to the count of a pattern is a central difference of fractions.
    """
    rest = [a for a in range(design.n_raters) if a != left_out]
    u = {(rest.index(a), rest.index(b)): m for (a, b), m in design.u.items() if left_out not in (a, b)}

    def effect(counts):
        others = Counter()
        for row, count in counts.items():
            own = tuple(row[a] for a in rest)
            if max(own) >= 0:
                others[own] += count
        without = exact.value(coefficient, others, u, design.k)
        return exact.value(coefficient, counts, design.u, design.k) - without

    counts, h = design.counts, Fraction(1, 10**7)
    slope = {
        row: float((effect(counts | {row: n + h}) - effect(counts | {row: n - h})) / (2 * h))
        for row, n in counts.items()
    }
    n_subjects = len(design.rows)
    mean = sum(slope[row] for row in design.rows) / n_subjects
    n = min(
        sum(sum(row[a] >= 0 for a in raters) >= 2 for row in design.rows) for raters in (range(design.n_raters), rest)
    )
    return sqrt(n / (n - 1) * sum((slope[row] - mean) ** 2 for row in design.rows)) if n > 1 else None


@pytest.mark.parametrize("seed", seeds(60))
def test_an_effect_has_the_standard_error_of_the_definition(seed):
    """It agrees with differences of exact values, also with missing ratings and weights per pair."""
    design = next(one for one in (draw(seed + 1000 * i, most_orders=10**9) for i in range(99)) if one.n_raters > 2)
    coefficient = design.coefficients[seed % len(design.coefficients)]
    try:
        found = km.leave_one_out(design.table, weights=design.weights, coefficient=coefficient)
    except km.errors.UndefinedKappaError:
        return
    for place, rater in enumerate(found.without):
        if found.without[rater] is None:
            continue
        expected = naive_effect_error(design, coefficient, place)
        if expected is None:
            assert (found.effect_se[rater], found.effect_ci[rater]) == (None, None)
        else:
            assert found.effect_se[rater] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_the_designs_above_reach_every_case():
    """Some effects have a standard error, some have none because of one subject, and some are undefined."""
    cases = set()
    for seed in range(36):
        design = next(one for one in (draw(seed + 1000 * i, most_orders=10**9) for i in range(99)) if one.n_raters > 2)
        try:
            found = km.leave_one_out(design.table, weights=design.weights)
        except km.errors.UndefinedKappaError:
            continue
        cases |= {(value is None, found.effect_se[rater] is None) for rater, value in found.without.items()}
    assert cases == {(False, False), (False, True), (True, True)}


def test_effects_in_clusters_by_the_sums_of_the_slopes():
    """Clusters of one subject change nothing, and neither do clusters of two equal subjects.

    Two equal subjects double the sum of a cluster and halve each slope. If they are taken as independent, the variance
    is half as large, apart from the factor n / (n - 1).
    """
    table = km.example("diagnoses")
    plain = km.leave_one_out(table)
    alone = km.leave_one_out(in_clusters(table, np.arange(30)))
    assert alone.effect_se == pytest.approx(plain.effect_se, rel=1e-12)
    assert alone.effect_ci["rater1"] == pytest.approx(plain.effect_ci["rater1"], rel=1e-12)
    patterns = np.repeat(np.repeat(table.patterns, table.counts, axis=0), 2, axis=0)
    twice = km.Table(patterns, None, table.categories, table.raters, ordered=False, clusters=np.arange(60) // 2)
    double = km.leave_one_out(twice)
    assert double.value == plain.value
    assert double.effect_se == pytest.approx(plain.effect_se, rel=1e-9)
    assert double.effect_ci["rater6"] == pytest.approx(plain.effect_ci["rater6"], rel=1e-9)
    independent = km.leave_one_out(km.Table(patterns, None, table.categories, table.raters, ordered=False))
    ratio = double.effect_se["rater1"] / independent.effect_se["rater1"]
    assert ratio == pytest.approx(sqrt(2 * (30 / 29) / (60 / 59)))


def test_effects_in_clusters_count_the_clusters_with_ratings_to_compare():
    """Without the third rater, one of three clusters has no ratings to compare; one degree of freedom is left."""
    rows = [[0, 1, 0], [1, 1, 1], [0, 0, 1], [1, 0, 1], [0, -1, 0], [1, -1, 0]]
    table = km.Table(rows, None, [1, 2], ["a", "b", "c"], ordered=True, clusters=[1, 1, 2, 2, 3, 3])
    found = km.leave_one_out(table)
    assert found.n_subjects == {"a": 4, "b": 6, "c": 4}
    low, high = found.effect_ci["c"]
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 1) * found.effect_se["c"])
    low, high = found.effect_ci["b"]
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 2) * found.effect_se["b"])


def test_an_effect_without_spread():
    """If all raters agree, the effect and its standard error are 0; the coefficients have intervals with a width."""
    found = km.leave_one_out([1, 2, 3, 1], [1, 2, 3, 1], [1, 2, 3, 1])
    assert set(found.effects.values()) == {0.0}
    assert set(found.effect_se.values()) == {0.0}
    assert found.effect_ci["1"] == (0.0, 0.0)
    low, high = found.ci["1"]
    assert (low < 0.6, high) == (True, 1)


def test_frames_and_text_of_raters_left_out():
    """The frame has both intervals, and the text that of the effect."""
    found = km.leave_one_out(km.example("diagnoses"), level=0.8)
    frame = found.to_frame("pandas").set_index("rater")
    names = ["without", "n_subjects", "se", "low", "high", "effect", "effect_se", "effect_low", "effect_high", "reason"]
    assert list(frame.columns) == names
    assert frame.loc["rater2", ["effect_low", "effect_high"]].tolist() == list(found.effect_ci["rater2"])
    low, high = found.effect_ci["rater1"]
    shown = repr(found)
    assert f"{found.effects['rater1']:.4f}" in shown
    assert f"{low:.4f} to {high:.4f}" in shown
    assert "80% interval of effect" in shown


# All of them


LONG = [f"a rater with a name of some length, number {i}" for i in range(6)]


@pytest.mark.parametrize("n_raters", [3, 6])
def test_the_text_fits_into_80_columns(n_raters):
    """Names of raters and categories are shortened, and the lines of the numbers are not wrapped."""
    labels = ["a category whose label is far too long to be shown", "another label that is far too long to be shown"]
    codes = np.random.default_rng(0).integers(0, 2, (12, n_raters))
    table = km.Table(codes, None, labels, LONG[:n_raters], ordered=True)
    for found in (km.pairwise_kappas(table), km.category_kappas(table), km.leave_one_out(table)):
        rows = found._rows()
        widest = max(len(name) for name, _ in rows)
        assert max(widest + 4 + len(words) for _, words in rows) <= 80


def test_many_pairs_are_shown_as_a_matrix():
    """Seven raters make 21 pairs, which are shown without intervals."""
    table = km.from_ratings(np.random.default_rng(0).integers(0, 2, (12, 7)).tolist())
    shown = repr(km.pairwise_kappas(table))
    assert "interval" not in shown
    assert shown.count("1.0000") >= 7
    assert "95% interval" in repr(km.pairwise_kappas(table.select(range(6))))


@pytest.mark.parametrize("function", [km.pairwise_kappas, km.category_kappas, km.leave_one_out])
def test_options_are_checked(function):
    """The errors name the option and the rule."""
    table = km.example("anxiety")
    with pytest.raises(km.errors.InvalidOptionError, match="level must lie between"):
        function(table, level=1.5)
    with pytest.raises(km.errors.InvalidOptionError, match="interval must be"):
        function(table, interval="wide")
    with pytest.raises(km.errors.NotSupportedError, match="exact interval is for"):
        function(table, interval="exact")


@pytest.mark.parametrize("function", [km.pairwise_kappas, km.category_kappas, km.leave_one_out])
def test_clusters_are_given_as_an_array_or_a_column(function):
    """Both give the results of a table with clusters."""
    ratings = np.random.default_rng(5).integers(1, 4, (24, 3))
    columns = {name: column.tolist() for name, column in zip("abc", ratings.T, strict=True)}
    clusters = [f"ward {i // 3}" for i in range(24)]
    pd = pytest.importorskip("pandas")
    by_column = function(pd.DataFrame(columns | {"ward": clusters}), cluster="ward")
    by_table = function(km.from_ratings(pd.DataFrame(columns | {"ward": clusters}), cluster="ward"))
    by_array = function(*columns.values(), cluster=clusters)
    for name in ("se", "ci"):
        one, other, third = (plain(getattr(found, name)) for found in (by_column, by_table, by_array))
        assert one == other == third
    assert plain(by_column.se) != plain(function(pd.DataFrame(columns)).se)


def plain(field):
    """Return the numbers of a field, whatever the raters are called."""
    return field.tolist() if isinstance(field, np.ndarray) else list(field.values())


def test_leaving_out_raters_is_limited_by_the_number_of_categories(monkeypatch):
    """The work grows with the use of categories by each rater, unless the coefficient pools the raters."""
    table = km.example("diagnoses")
    m, k = len(table.counts), table.n_categories
    monkeypatch.setattr(kappa_breakdowns, "_MOST_WORK", kappa_breakdowns._work(6, m, k, False))
    assert len(km.leave_one_out(table, coefficient="fleiss").without) == 6
    with pytest.raises(km.errors.NotSupportedError, match=f"limited to 5 raters for ratings with {m} different"):
        km.leave_one_out(table)


def population(shares_known):
    """Return patterns and counts that are proportional to their probabilities, for raters of given skill.

    Three categories have probabilities 1/2, 1/3 and 1/6. A rater knows the category with a given probability and
    guesses uniformly otherwise.
    """
    r = len(shares_known)
    patterns = np.array(np.meshgrid(*[range(3)] * r, indexing="ij")).reshape(r, -1).T
    counts = np.zeros(len(patterns), dtype=object)
    for category, prior in enumerate((3, 2, 1)):
        one = np.full(len(patterns), prior, dtype=object)
        for rater, share in enumerate(shares_known):
            right = patterns[:, rater] == category
            one = one * np.where(right, 10 + 2 * share, 10 - share)  # of 30, if `share` of 10 is known
        counts += one
    return patterns, counts


def coverage(shares_known, n_subjects, n_studies=1_000):
    """Return how often 95% intervals contain the effects and the kappas of the pairs of the population."""
    patterns, counts = population(shares_known)
    whole = km.Table(patterns, counts.astype(np.int64), [1, 2, 3], ordered=True)
    true, true_pairs = km.leave_one_out(whole), km.pairwise_kappas(whole)
    drawn = np.random.default_rng(20).multinomial(n_subjects, (counts / counts.sum()).astype(float), size=n_studies)
    above = np.triu_indices(4, 1)
    effects, pairs = np.zeros(4), np.zeros(6)
    for study in drawn:
        table = km.Table(patterns[study > 0], study[study > 0], [1, 2, 3], ordered=True)
        found = km.leave_one_out(table, interval="normal")
        effects += [low <= true.effects[rater] <= high for rater, (low, high) in found.effect_ci.items()]
        ci = km.pairwise_kappas(table).ci[above]
        pairs += (ci[:, 0] <= true_pairs.values[above]) & (true_pairs.values[above] <= ci[:, 1])
    return true.value, effects / n_studies, pairs / n_studies


def monte_carlo_error(probability, n_studies=1_000, n_shares=20):
    """Return the largest deviation of some shares from a probability that occurs in 99% of all simulations."""
    return stats.norm.ppf(1 - 0.01 / (2 * n_shares)) * sqrt(probability * (1 - probability) / n_studies)


@pytest.mark.slow
@pytest.mark.parametrize("shares_known", [(8, 8, 8, 8), (9, 8, 7, 2)])
def test_intervals_cover(shares_known):
    """95% intervals of effects and of pairs cover in 95% of the studies of 80 subjects, up to Monte Carlo error."""
    _, effects, pairs = coverage(shares_known, 80)
    assert np.abs(effects - 0.95).max() <= monte_carlo_error(0.95)
    assert np.abs(pairs - 0.95).max() <= monte_carlo_error(0.95)


@pytest.mark.slow
@pytest.mark.parametrize(("shares_known", "n_subjects", "kappa", "share"), [(8, 80, 0.62, 0.94), (9, 30, 0.80, 0.86)])
def test_intervals_of_effects_cover_as_documented(shares_known, n_subjects, kappa, share):
    """The page on three and more raters has these shares of the studies, as whole percentages."""
    value, effects, _ = coverage([shares_known] * 4, n_subjects)
    assert value == pytest.approx(kappa, abs=0.005)
    assert effects.mean() == pytest.approx(share, abs=monte_carlo_error(share, n_shares=1) + 0.005)
    page = (ROOT / "docs" / "howto" / "three-and-more-raters.md").read_text(encoding="utf-8")
    assert f"{100 * share:.0f} % of" in page
