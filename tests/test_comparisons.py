"""Two coefficients of the same subjects are compared."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

import kappamax as km
from tests.support.strategies import examples, tables


def test_comparing_a_coefficient_with_itself_gives_zero():
    """The difference and its standard error are 0, and there is no p-value."""
    t = km.example("anxiety")
    c = km.compare(t, first={"weights": "linear"}, second={"weights": "linear"})
    assert (c.difference, c.se, c.ci, c.pvalue) == (0, 0, (0, 0), None)
    assert c.reason == "the standard error of the difference is zero"


@pytest.mark.parametrize("alternative", ["two-sided", "non-inferiority", "equivalence"])
def test_a_standard_error_that_is_zero_except_for_rounding_is_zero(alternative):
    """Linear and unweighted kappa of two categories are the same coefficient, computed in two ways."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        t = km.from_ratings(rng.integers(0, 2, size=(rng.integers(10, 200), 3)))
        c = km.compare(
            t,
            first={"coefficient": "fleiss"},
            second={"coefficient": "fleiss", "weights": "power(0.3)"},
            alternative=alternative,
            margin=None if alternative == "two-sided" else 0.1,
        )
        assert (c.difference, c.se, c.statistic, c.pvalue) == (0, 0, None, None)
        assert "standard error of the difference is zero" in repr(c)


def test_paired_comparison_agrees_with_the_jackknife():
    """The standard error of the difference of two kappas agrees with the jackknife of the difference."""
    t = km.example("diagnoses")
    c = km.compare(
        t,
        first={"raters": ["1", "2"]} if "1" in t.raters else {"raters": t.raters[:2]},
        second={"raters": t.raters[2:4]},
    )
    first, second = km.kappa(t.select([0, 1])).value, km.kappa(t.select([2, 3])).value
    assert (c.first, c.second, c.difference) == (first, second, first - second)
    difference = km.jackknife(
        t, statistic=lambda s: km.kappa(s.select([0, 1])).value - km.kappa(s.select([2, 3])).value
    )
    assert c.se == pytest.approx(difference.se, rel=0.1)
    assert c.ci[0] < c.difference < c.ci[1]
    below, above = stats.t.cdf(c.statistic, 29), stats.t.sf(c.statistic, 29)
    assert c.pvalue == pytest.approx(2 * min(below, above), rel=1e-9)


def test_comparing_two_coefficients_with_missing_ratings():
    """All coefficients and pairs of raters can be compared if ratings are missing."""
    t = km.example("gwet2014")
    c = km.compare(t, first={"coefficient": "gwet"}, second={"coefficient": "fleiss"})
    assert c.difference == pytest.approx(0.775444068127 - 0.761169275422, abs=1e-9)
    pair = km.compare(t, first={"raters": ["rater1", "rater2"]}, second={"raters": ["rater3", "rater4"]})
    assert pair.n_subjects == 12
    assert pair.se > 0
    with pytest.raises(km.errors.InvalidOptionError, match="got 'wieghts'. Did you mean 'weights'"):
        km.compare(t, first={"wieghts": "linear"}, second={})


def test_tests_with_a_margin_by_hand():
    """The statistic is the distance of the difference from the margin, in standard errors."""
    t = km.example("diagnoses")
    pairs = {"first": t.raters[:2], "second": [t.raters[0], t.raters[2]]}
    plain = km.compare(t, **pairs)
    not_inferior = km.compare(t, **pairs, alternative="non-inferiority", margin=0.3)
    assert not_inferior.statistic == pytest.approx((plain.difference + 0.3) / plain.se)
    assert not_inferior.pvalue == pytest.approx(stats.t.sf(not_inferior.statistic, 29))
    equivalent = km.compare(t, **pairs, alternative="equivalence", margin=0.3)
    above, below = stats.t.sf(not_inferior.statistic, 29), stats.t.cdf((plain.difference - 0.3) / plain.se, 29)
    assert equivalent.pvalue == pytest.approx(max(above, below))
    assert equivalent.statistic == pytest.approx((plain.difference - 0.3) / plain.se)  # the difference is positive
    assert (plain.level, not_inferior.level, equivalent.level) == (0.95, 0.9, 0.9)
    assert "first - second is above -0.3" in repr(not_inferior)
    assert "first - second lies between -0.3 and 0.3" in repr(equivalent)
    assert "margin" not in repr(plain)


@given(tables(min_raters=3, max_rows=6))
@settings(max_examples=examples(100), deadline=None)
def test_the_interval_decides_as_the_test_does(table):
    """The p-value is below 0.05 if and only if the 90% interval lies on the right side of the margin."""
    options = {"first": {"coefficient": "percent"}, "second": {"coefficient": "percent", "raters": table.raters[:2]}}
    for margin in (0.05, 0.2, 1):
        one = km.compare(table, **options, alternative="non-inferiority", margin=margin)
        both = km.compare(table, **options, alternative="equivalence", margin=margin)
        swapped = km.compare(
            table, first=options["second"], second=options["first"], alternative="equivalence", margin=margin
        )
        if one.pvalue is None:
            assert both.pvalue is None
            assert one.reason is not None
            continue
        assert abs(one.pvalue - 0.05) < 1e-9 or (one.pvalue < 0.05) == (one.ci[0] > -margin)
        inside = -margin < both.ci[0] and both.ci[1] < margin
        assert abs(both.pvalue - 0.05) < 1e-9 or (both.pvalue < 0.05) == inside
        assert both.pvalue >= one.pvalue
        assert swapped.pvalue == pytest.approx(both.pvalue)


def test_one_subject_has_no_comparison():
    """There is no standard error, and the reason says why."""
    c = km.compare([1], [2], [1], first={}, second={"coefficient": "percent"}, alternative="equivalence", margin=0.1)
    assert (c.se, c.ci, c.pvalue) == (None, None, None)
    assert c.reason == "fewer than two subjects have ratings to compare, so there is no standard error"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"alternative": "equivalence"},
            "alternative 'equivalence' needs margin, the smallest difference that matters",
        ),
        ({"alternative": "non-inferiority"}, "alternative 'non-inferiority' needs margin"),
        ({"margin": 0.1}, "margin must be given with alternative 'non-inferiority' or 'equivalence'"),
        ({"alternative": "equivalence", "margin": 0}, "margin must lie between 0 and 2; got 0"),
        ({"alternative": "equivalence", "margin": -0.1}, "margin must lie between 0 and 2; got -0.1"),
        ({"alternative": "non-inferiority", "margin": 2}, "margin must lie between 0 and 2; got 2"),
        ({"alternative": "non-inferiority", "margin": float("nan")}, "margin must lie between 0 and 2; got nan"),
        ({"alternative": "noninferiority"}, "Did you mean 'non-inferiority'"),
        ({"level": 1}, "level must lie between 0 and 1; got 1"),
    ],
)
def test_options_that_have_no_meaning_are_refused(options, message):
    """The message names the option and what is allowed."""
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        km.compare(km.example("anxiety"), first={}, second={"coefficient": "gwet"}, **options)


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["non-inferiority", "equivalence"])
def test_tests_with_a_margin_hold_their_level(alternative):
    """At a true difference of -margin, 5% of the studies reject, within four Monte Carlo errors and 1/sqrt(N).

    Three raters give the true category with probabilities 0.9, 0.9 and 0.7. The difference of the kappas of raters 1
    and 3 and of raters 1 and 2 in this population is minus the margin.
    """
    patterns = np.array(np.meshgrid(*[[0, 1]] * 3, indexing="ij")).reshape(3, -1).T
    right = np.array([0.9, 0.9, 0.7])
    shares = sum(0.5 * np.where(patterns == truth, right, 1 - right).prod(axis=1) for truth in (0, 1))
    pairs = {"first": ["1", "3"], "second": ["1", "2"]}
    big = km.Table(patterns, np.round(shares * 10**6).astype(int), (0, 1), ordered=True)
    margin = -km.compare(big, **pairs).difference
    assert 0.2 < margin < 0.5
    n, n_draws = 100, 2000
    rejected = 0
    for counts in np.random.default_rng(4).multinomial(n, shares, size=n_draws):
        study = km.Table(patterns[counts > 0], counts[counts > 0], (0, 1), ordered=True)
        rejected += km.compare(study, **pairs, alternative=alternative, margin=margin).pvalue <= 0.05
    assert abs(rejected / n_draws - 0.05) < 4 * (0.05 * 0.95 / n_draws) ** 0.5 + 0.1 / n**0.5


def test_comparisons_respect_clusters():
    """Clusters of one subject change nothing, and clusters of two equal subjects count as one subject each."""
    t = km.example("diagnoses")
    patterns = np.repeat(t.patterns, t.counts, axis=0)
    pairs = {"first": t.raters[:2], "second": t.raters[2:4]}
    expected = km.compare(t, **pairs)
    for times in (1, 2):
        clusters = np.repeat(np.arange(len(patterns)), times)
        rows = np.repeat(patterns, times, axis=0)
        own = km.Table(rows, None, t.categories, t.raters, ordered=False, clusters=clusters)
        found = km.compare(own, **pairs)
        assert found.difference == expected.difference
        assert (found.se, *found.ci, found.pvalue) == pytest.approx((expected.se, *expected.ci, expected.pvalue))
    independent = km.compare(km.Table(rows, None, t.categories, t.raters, ordered=False), **pairs)
    assert found.se > 1.4 * independent.se


def test_comparisons_of_one_cluster_have_no_standard_error():
    """The degrees of freedom are the number of clusters with ratings to compare, minus one."""
    t = km.Table([[0, 0, 1], [1, 1, 0], [0, 1, 1]], None, [1, 2], ["a", "b", "c"], ordered=True, clusters=[1, 1, 1])
    found = km.compare(t, first=["a", "b"], second=["a", "c"])
    assert (found.se, found.ci, found.pvalue) == (None, None, None)
