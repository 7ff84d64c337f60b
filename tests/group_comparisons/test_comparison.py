"""The agreement of independent groups of subjects is compared."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

import kappamax as km
from kappamax.errors import InvalidOptionError, NotSupportedError
from tests.support.strategies import examples, tables

WINNIPEG = km.from_counts([[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]])
NEW_ORLEANS = km.from_counts([[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]])
SITES = {"Winnipeg": WINNIPEG, "New Orleans": NEW_ORLEANS}
ONE_CATEGORY = km.from_ratings([[1, 1], [1, 1]], categories=[1, 2])


def test_three_studies_of_fleiss():
    """Problem 18.3 of Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions, 3rd edition (2003).

    Data and solution are those of the R package kappaGold 0.4.0 (data agreem_binary, test-kappaInference.R): kappas
    .39, .48 and .35 with standard errors .21, .25 and .17, pooled .39 with the interval .16 to .62, chi-square 0.18.
    The last number is not reproduced: it is 0.19 from unrounded values, as from the rounded ones (0.1849).
    """
    studies = [[[12, 1], [4, 3]], [[15, 2], [1, 2]], [[15, 6], [3, 6]]]
    groups = {str(i): km.from_counts(counts) for i, counts in enumerate(studies, start=1)}
    found = km.compare_groups(groups, method="chi2", pooling="inverse-variance")
    assert [round(group.value, 2) for group in found.groups] == [0.39, 0.48, 0.35]
    assert [round(group.se, 2) for group in found.groups] == [0.21, 0.25, 0.17]
    assert round(found.pooled.value, 2) == 0.39
    assert tuple(round(end, 2) for end in found.pooled.ci) == (0.16, 0.62)
    assert round(found.homogeneity.statistic, 4) == 0.1922
    assert found.homogeneity.df == 2


def test_the_test_for_equal_kappas_of_sas():
    """The formulas of the documentation of PROC FREQ, for the diagnoses of multiple sclerosis of Westlund and Kurland.

    The counts are those of MSPatients in the R package vcd. The overall kappa is the mean weighted by the inverse
    variances, and the statistic the weighted sum of squares around it, with a chi-square distribution.
    """
    for weights, expected in (("unweighted", 0.9009), ("linear", 1.1889)):
        found = km.compare_groups(SITES, weights=weights, method="chi2", pooling="inverse-variance")
        values, errors = (np.array([getattr(group, name) for group in found.groups]) for name in ("value", "se"))
        overall = (values / errors**2).sum() / (1 / errors**2).sum()
        statistic = ((values - overall) ** 2 / errors**2).sum()
        assert found.pooled.value == pytest.approx(overall, rel=1e-12)
        assert found.pooled.se == pytest.approx((1 / errors**2).sum() ** -0.5, rel=1e-12)
        assert found.homogeneity.statistic == pytest.approx(statistic, rel=1e-12)
        assert found.homogeneity.pvalue == pytest.approx(stats.chi2.sf(statistic, 1), rel=1e-9)
        assert round(statistic, 4) == expected


def test_the_rows_are_those_of_agreement():
    """Value, standard error and interval are the default ones of `km.agreement`, at any level."""
    found = km.compare_groups(SITES, weights="quadratic", level=0.8, n_draws=100)
    for group, table in zip(found.groups, SITES.values(), strict=True):
        own = km.agreement(table, weights="quadratic", level=0.8)
        assert (group.value, group.se, group.ci, group.n_subjects) == (own.value, own.se, own.ci, own.n_subjects)
    assert [group.name for group in found.groups] == list(SITES)
    assert (found.coefficient, found.weights, found.level, found.n_undefined) == ("cohen", "quadratic", 0.8, 0)


def test_the_stratified_coefficient_by_hand():
    """It is 1 - (sum of observed disagreements) / (sum of expected disagreements); 2 x 2 tables in fractions."""
    counts = [np.array([[20, 5], [10, 15]]), np.array([[3, 1], [0, 6]])]
    observed = expected = Fraction(0)
    for cells in counts:
        n = int(cells.sum())
        observed += int(cells[0, 1] + cells[1, 0])
        rows, columns = cells.sum(axis=1).tolist(), cells.sum(axis=0).tolist()
        expected += Fraction(rows[0] * columns[1] + rows[1] * columns[0], n)
    found = km.compare_groups([(i, km.from_counts(cells)) for i, cells in enumerate(counts)], n_draws=100)
    assert found.pooled.value == pytest.approx(float(1 - observed / expected), rel=1e-12)
    assert sum(found.pooled.weights) == pytest.approx(1)
    by_size = km.compare_groups([(i, km.from_counts(cells)) for i, cells in enumerate(counts)], pooling="subjects")
    assert by_size.pooled.weights == pytest.approx((50 / 60, 10 / 60))
    values = [group.value for group in by_size.groups]
    assert by_size.pooled.value == pytest.approx(np.average(values, weights=[50, 10]))
    errors = [group.se for group in by_size.groups]
    assert by_size.pooled.se == pytest.approx(np.hypot(errors[0] * 5, errors[1]) / 6)


def test_the_pooled_interval_of_one_group_is_its_own():
    """Only one group is defined, so all pseudo-subjects are added to it; the quantile is that of Student's t."""
    found = km.compare_groups({"all": WINNIPEG, "none": km.from_ratings([[1, 1]], categories=[1, 2, 3, 4])})
    (low, high), own = found.pooled.ci, found.groups[0].ci
    ratio = stats.t.ppf(0.975, 149 + 1.92 - 1) / stats.norm.ppf(0.975)
    assert high - low == pytest.approx((own[1] - own[0]) * ratio, rel=1e-5)
    assert found.pooled.weights == (1.0, 0.0)


def test_the_slope_is_that_of_a_weighted_regression():
    """numpy's polyfit with weights sqrt(n), for scores that are given, and for positions."""
    groups = [(str(week), km.from_counts([[20, 5], [10 - week, 15 + week]])) for week in (1, 2, 5, 9)]
    found = km.compare_groups(groups, trend=[1, 2, 5, 9], n_draws=100)
    values = [group.value for group in found.groups]
    sizes = [group.n_subjects for group in found.groups]
    assert found.trend.slope == pytest.approx(np.polyfit([1, 2, 5, 9], values, 1, w=np.sqrt(sizes))[0])
    by_position = km.compare_groups(groups, trend=True, n_draws=100).trend
    assert by_position.scores == (1, 2, 3, 4)
    assert by_position.slope == pytest.approx(np.polyfit([1, 2, 3, 4], values, 1, w=np.sqrt(sizes))[0])
    assert found.trend.ci[0] < found.trend.slope < found.trend.ci[1]
    assert km.compare_groups(groups, n_draws=100).trend is None
    assert km.compare_groups(groups, trend=False, n_draws=100).trend is None
    tiny = km.compare_groups(groups, trend=[score * 1e-9 for score in (1, 2, 5, 9)], n_draws=100).trend
    assert tiny.slope == pytest.approx(1e9 * found.trend.slope)
    assert tiny.pvalue == found.trend.pvalue


def test_one_huge_group():
    """A group with almost all subjects is not lost by rounding: the slope of two groups is their difference."""
    huge = km.from_counts([[2**60, 3], [2, 2**59]])
    small = km.from_counts([[8, 3], [2, 7]])
    found = km.compare_groups({"huge": huge, "small": small}, trend=True)
    assert found.trend.slope == pytest.approx(found.groups[1].value - found.groups[0].value)
    assert found.pooled.value == pytest.approx(found.groups[0].value)
    assert found.homogeneity.method == "welch"
    assert "more than 1,000,000,000 subjects" in found.homogeneity.reason
    assert 0 < found.homogeneity.pvalue < 0.05


def test_undefined_groups_are_left_out_and_counted():
    """They keep their row, their reason and their score; tests are about the others."""
    groups = {"1": WINNIPEG, "none": km.from_ratings([[2, 2], [2, 2]], categories=[1, 2, 3, 4]), "3": NEW_ORLEANS}
    found = km.compare_groups(groups, trend=True)
    without = km.compare_groups({"1": WINNIPEG, "3": NEW_ORLEANS}, trend=[1, 3])
    row = found.groups[1]
    assert (row.value, row.se, row.ci, row.n_subjects, row.reason) == (None, None, None, 2, "both raters used only 2")
    assert found.n_undefined == 1
    assert found.homogeneity == without.homogeneity
    assert found.differences == without.differences
    assert found.trend.slope == without.trend.slope
    assert found.pooled.weights == (without.pooled.weights[0], 0.0, without.pooled.weights[1])
    assert "undefined: both raters used only 2" in repr(found)
    assert "1 group left out" in repr(found)


def test_without_two_defined_groups_there_is_no_test():
    """The reason says so, in every part of the result."""
    one = km.compare_groups({"a": km.from_counts([[3, 1], [1, 3]]), "b": ONE_CATEGORY}, trend=True)
    assert (one.homogeneity.pvalue, one.homogeneity.statistic, one.differences) == (None, None, ())
    assert one.homogeneity.reason == "the coefficient is defined in one group only"
    assert one.trend.reason == "the groups in which the coefficient is defined have fewer than two scores"
    none = km.compare_groups({"a": ONE_CATEGORY, "b": ONE_CATEGORY}, trend=True)
    assert (none.pooled.value, none.pooled.ci, none.pooled.reason) == (
        None,
        None,
        "the coefficient is defined in no group",
    )
    assert none.homogeneity.reason == "the coefficient is defined in no group"
    assert "no test: the coefficient is defined in no group" in repr(none)


def test_perfect_agreement_in_all_groups():
    """Standard errors of zero are no obstacle for the default, which finds no difference."""
    groups = {"a": km.from_counts([[12, 0], [0, 8]]), "b": km.from_counts([[30, 0], [0, 70]])}
    found = km.compare_groups(groups)
    assert found.pooled.value == 1
    assert found.pooled.ci[0] < 0.95
    assert found.homogeneity.pvalue > 0.2
    (difference,) = found.differences
    assert difference.difference == 0
    assert difference.ci[0] < -0.1
    old = km.compare_groups(groups, method="chi2", pooling="inverse-variance")
    assert (old.homogeneity.pvalue, old.pooled.value) == (None, None)
    assert old.homogeneity.reason == "the standard error of group 'a' is zero"
    assert old.pooled.reason == "the standard error of some group is zero or cannot be estimated"


def test_the_rule_of_auto():
    """Simulation while some group has at most 1,000 subjects, and for at most 500 groups; otherwise Welch's test."""
    small, large = km.from_counts([[400, 100], [100, 400]]), km.from_counts([[401, 100], [100, 400]])
    assert km.compare_groups({"a": small, "b": large}, n_draws=100).homogeneity.method == "simulation"
    big = km.compare_groups({"a": large, "b": large}).homogeneity
    assert (big.method, big.reason, big.n_draws) == ("welch", "every group has more than 1,000 subjects", None)
    forced = km.compare_groups({"a": large, "b": large}, method="simulation", n_draws=100).homogeneity
    assert (forced.method, forced.n_draws, forced.reason) == ("simulation", 100, None)
    many = {str(i): ONE_CATEGORY if i > 500 else small for i in range(502)}
    assert km.compare_groups(many).homogeneity.reason == "there are more than 500 groups"
    missing = km.from_ratings([[1, 2], [2, 2], [1, None]])
    with pytest.raises(NotSupportedError, match="method 'simulation' is not available.*Use method 'welch'"):
        km.compare_groups({"a": small, "b": missing}, method="simulation")
    welch = km.compare_groups({"a": small, "b": missing}).homogeneity
    assert (welch.method, welch.reason) == ("welch", "some ratings of group 'b' are missing")


def test_more_groups_are_simulated_less_often():
    """10,000 studies for up to five groups, and 1,000 from fifty on; differences are listed for up to 100 groups."""
    table = km.from_counts([[5, 2], [1, 5]])
    sizes = {2: 10_000, 10: 5_000, 60: 1_000, 101: 1_000}
    for n, n_draws in sizes.items():
        found = km.compare_groups({str(i): table for i in range(n)})
        assert found.homogeneity.n_draws == n_draws
        assert found.homogeneity.pvalue == 1
        assert len(found.differences) == (n * (n - 1) // 2 if n <= 100 else 0)


def test_pvalues_do_not_depend_on_the_confidence_level():
    """Intervals become wider, and everything else is the same."""
    narrow, wide = (km.compare_groups(SITES, level=level, trend=True, n_draws=200) for level in (0.5, 0.99))
    assert narrow.homogeneity == wide.homogeneity
    assert [one.pvalue for one in narrow.differences] == [one.pvalue for one in wide.differences]
    for a, b in (
        (narrow.pooled, wide.pooled),
        (narrow.trend, wide.trend),
        (narrow.differences[0], wide.differences[0]),
    ):
        assert b.ci[0] < a.ci[0] < a.ci[1] < b.ci[1]


def test_the_same_ratings_have_the_same_pvalues():
    """The default seed is fixed, and another one changes p-values within the Monte Carlo error."""
    first, again, other = (km.compare_groups(SITES, rng=seed, n_draws=2000).homogeneity for seed in (0, 0, 1))
    assert first == again
    assert first.pvalue != other.pvalue
    assert abs(first.pvalue - other.pvalue) < 4 * (2 * first.pvalue * (1 - first.pvalue) / 2000) ** 0.5


def test_a_small_simulated_pvalue_is_an_upper_bound():
    """It is shown as such for all tests."""
    groups = {"a": km.from_counts([[90, 5], [5, 90]]), "b": km.from_counts([[30, 30], [30, 30]])}
    found = km.compare_groups(groups, trend=True, n_draws=199)
    assert found.homogeneity.pvalue == 1 / 200
    assert found.homogeneity.is_bound(found.homogeneity.pvalue)
    assert repr(found).count("p <= 0.005") == 3
    assert not km.compare_groups(groups, method="welch").homogeneity.is_bound(0.0)


def test_groups_may_have_different_raters():
    """Three raters and two raters: Conger's kappa and Cohen's kappa."""
    three = km.from_ratings([[1, 1, 1], [2, 2, 1], [1, 2, 1], [2, 2, 2], [1, 1, 2]], raters=["x", "y", "z"])
    found = km.compare_groups({"three": three, "two": km.from_counts([[5, 1], [2, 6]])}, n_draws=100)
    assert found.coefficient == "kappa"
    assert found.groups[0].value == km.kappa(three).value
    assert found.homogeneity.method == "simulation"


def test_clusters_are_kept_and_tested_by_their_standard_error():
    """The degrees of freedom are those of the clusters; a single cluster has no test."""
    patterns, counts = [[0, 0], [0, 1], [1, 1], [1, 0]], [9, 2, 8, 1]
    groups = {
        name: km.Table(patterns, counts, [1, 2], ordered=True, clusters=clusters)
        for name, clusters in (("a", [1, 2, 3, 4]), ("b", [1, 1, 2, 3]))
    }
    found = km.compare_groups(groups, trend=True)
    assert found.homogeneity.method == "welch"
    assert "clusters" in found.homogeneity.reason
    errors = [group.se for group in found.groups]
    df = (errors[0] ** 2 + errors[1] ** 2) ** 2 / (errors[0] ** 4 / 3 + errors[1] ** 4 / 2)
    assert found.homogeneity.df_error == pytest.approx(df)
    one = km.Table(patterns, counts, [1, 2], ordered=True, clusters=[1, 1, 1, 1])
    alone = km.compare_groups({"a": groups["a"], "one": one}, trend=True)
    assert alone.homogeneity.reason == "the standard error of group 'one' cannot be estimated"
    assert (alone.differences[0].ci, alone.differences[0].pvalue, alone.trend.pvalue) == (None, None, None)


@pytest.mark.parametrize("coefficient", ["kappa", "fleiss", "gwet", "brennan-prediger", "krippendorff", "percent"])
@given(data=st.data())
@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_every_coefficient_can_be_compared(coefficient, data):
    """Intervals contain their estimates, p-values are probabilities, and the result is plain data for JSON."""
    groups = {str(i): data.draw(tables(min_raters=2, max_raters=2, max_categories=3)) for i in range(3)}
    method = data.draw(st.sampled_from(["auto", "welch"]))
    options = {"coefficient": coefficient, "weights": "linear", "method": method, "n_draws": 100, "trend": [3, 1, 2]}
    found = km.compare_groups(groups, **options)
    parts = [(one.difference, one) for one in found.differences]
    parts += [(found.pooled.value, found.pooled), (found.trend.slope, found.trend)]
    for estimate, part in parts:
        if part.ci is not None:
            assert part.ci[0] <= estimate <= part.ci[1]
    assert all(one.ci[0] >= -2.5 and one.ci[1] <= 2.5 for one in found.differences)
    for pvalue in (found.homogeneity.pvalue, found.trend.pvalue, *(one.pvalue for one in found.differences)):
        assert pvalue is None or 0 <= pvalue <= 1
    json.dumps(found.to_dict(), allow_nan=False)
    assert repr(found)
    if found.homogeneity.pvalue is not None and len(found.differences) == 3 and method == "welch":
        reverse = km.compare_groups(dict(reversed(groups.items())), **options | {"trend": [2, 1, 3]})
        assert reverse.homogeneity.pvalue == pytest.approx(found.homogeneity.pvalue)
        assert reverse.pooled.value == pytest.approx(found.pooled.value)
        assert reverse.trend.slope == pytest.approx(found.trend.slope, abs=1e-9)


def test_compare_takes_two_or_more_tables():
    """They are independent groups called 1, 2 and 3; options for the same subjects are refused."""
    found = km.compare(WINNIPEG, NEW_ORLEANS, WINNIPEG, weights="linear", level=0.9)
    assert isinstance(found, km.results.GroupComparison)
    names = [(str(i), table) for i, table in enumerate((WINNIPEG, NEW_ORLEANS, WINNIPEG), start=1)]
    assert found == km.compare_groups(names, weights="linear", level=0.9)
    for options in ({"first": {}}, {"second": ["1"]}, {"margin": 0.1}, {"alternative": "equivalence"}):
        with pytest.raises(InvalidOptionError, match="two or more tables are compared as independent groups"):
            km.compare(WINNIPEG, NEW_ORLEANS, **options)
    with pytest.raises(InvalidOptionError, match="first and second must be lists of raters"):
        km.compare(WINNIPEG)


def test_the_frame_has_one_row_per_group():
    """Undefined values are missing, and the scores of a trend are a column."""
    groups = {"a": km.from_counts([[3, 1], [1, 3]]), "b": ONE_CATEGORY}
    frame = km.compare_groups(groups, trend=[0.5, 2]).to_frame("pandas")
    assert list(frame) == ["group", "n_subjects", "value", "se", "ci_low", "ci_high", "reason", "score"]
    assert frame["group"].tolist() == ["a", "b"]
    assert frame["value"].isna().tolist() == [False, True]
    assert frame["score"].tolist() == [0.5, 2]
    assert "score" not in km.compare_groups(groups).to_frame("pandas")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trend": [1]}, "trend must be True, or one number for each of the 2 groups; got \\[1\\]"),
        ({"trend": "12"}, "trend must be True"),
        ({"trend": 3}, "trend must be True"),
        ({"trend": [1, float("inf")]}, "trend must be a finite number; got inf"),
        ({"trend": [1, None]}, "trend must be a finite number; got None"),
        ({"method": "chi"}, "Did you mean 'chi2'"),
        ({"pooling": "n"}, "pooling must be one of 'stratified', 'subjects', 'inverse-variance'"),
        ({"level": 0}, "level must lie between 0 and 1"),
        ({"n_draws": 99}, "n_draws must be a whole number >= 100"),
        ({"rng": -1}, "rng must be a whole number"),
        ({"coefficient": "kapa"}, "Did you mean 'kappa'"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    """The message names the option and what is allowed."""
    with pytest.raises(InvalidOptionError, match=message):
        km.compare_groups(SITES, **options)
