"""Coefficients are tested against a value and compared with each other."""

import pytest

import kappamax as km


def test_value_test_by_hand():
    """The statistic is (kappa - value) / se, and the two-sided p-value is twice the smaller one-sided p-value."""
    t = km.from_counts([[20, 5], [10, 15]])
    se = km.kappa(t).se
    test = km.value_test(t, null=0.6, alternative="two-sided")
    assert test.statistic == pytest.approx((0.4 - 0.6) / se)
    less = km.value_test(t, null=0.6, alternative="less")
    greater = km.value_test(t, null=0.6, alternative="greater")
    assert test.pvalue == pytest.approx(2 * less.pvalue)
    assert less.pvalue + greater.pvalue == pytest.approx(1)
    far = km.value_test(km.example("vision"), null=-1)
    assert 0 < far.pvalue < 1e-300 or far.pvalue == 0


def test_comparing_a_coefficient_with_itself_gives_zero():
    """The difference and its standard error are 0, and there is no p-value."""
    t = km.example("anxiety")
    c = km.compare(t, first={"weights": "linear"}, second={"weights": "linear"})
    assert (c.difference, c.se, c.pvalue) == (0, 0, None)


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
    assert c.pvalue == pytest.approx(2 * min(_t_tail(c.statistic, 29), _t_tail(-c.statistic, 29)), rel=1e-9)


def _t_tail(z, df):
    from scipy.stats import t

    return t.cdf(z, df)


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
