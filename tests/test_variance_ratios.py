"""F tests and confidence limits hold for any degrees of freedom."""

from fractions import Fraction
from math import inf, sqrt

import pytest
from scipy import stats

from kappamax import variance_ratios
from kappamax.variance_ratios import VarianceRatio, as_double, f_quantiles, f_tail


def ratio(subjects, error, rest, df1=4, df2=8, interval_df=8):
    return VarianceRatio(*map(Fraction, (subjects, error, rest)), df1, df2, interval_df)


@pytest.mark.parametrize(("df1", "df2"), [(1, 1), (5, 18), (0.3, 40), (1e6, 2e6), (7.5, 1e9)])
def test_quantiles_enclose_the_level(df1, df2):
    """Each tail has half of the remaining probability."""
    low, high = f_quantiles(0.9, df1, df2)
    assert stats.f.cdf(low, df1, df2) == pytest.approx(0.05, rel=1e-9)
    assert stats.f.sf(high, df1, df2) == pytest.approx(0.05, rel=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999999])
@pytest.mark.parametrize("df", [(2e7, 2e7), (2e7, 6e7)])
def test_expansions_continue_the_functions_of_scipy(df, level, monkeypatch):
    """Both are accurate to 1e-7 standard deviations of F here; scipy 1.14 is the less accurate one, by up to 8e-8."""
    expanded = f_quantiles(level, *df)
    tails = [f_tail(Fraction(one), *map(int, df)) for one in expanded]
    monkeypatch.setattr(variance_ratios, "_LARGE_DF", inf)
    width = sqrt(2 / df[0] + 2 / df[1])
    assert expanded == pytest.approx(f_quantiles(level, *df), abs=1e-7 * width)
    assert tails == pytest.approx([f_tail(Fraction(one), *map(int, df)) for one in expanded], rel=1e-6)


@pytest.mark.parametrize("df", [(10**15, 10**15), (4 * 10**18, 4 * 10**18), (10**12, 4 * 10**18)])
def test_quantiles_and_tails_of_huge_degrees_of_freedom_belong_together(df):
    """The quantile and the tail are expanded in different ways; F differs from 1 by its last digits only."""
    low, high = f_quantiles(0.95, *df)
    steps = 2.0**-53 / sqrt(2 / df[0] + 2 / df[1])  # rounding of F near 1, in standard deviations
    assert f_tail(Fraction(high), *df) == pytest.approx(0.025, rel=10 * steps + 1e-7)
    assert f_tail(Fraction(low), *df) == pytest.approx(0.975, rel=10 * steps + 1e-7)


def test_tails_at_the_ends():
    """The tail beyond zero is everything, and nothing is beyond what exceeds all doubles."""
    for df in (3, 10**10):
        assert f_tail(Fraction(0), df, df) == 1
        assert f_tail(Fraction(10) ** 400, df, df) == 0
        assert f_tail(Fraction(1, 10**400), df, df) == pytest.approx(1)


def test_an_estimate_and_its_interval_by_hand():
    """S = 6, E = 2 and D = 4 give (6 - 2) / (6 + 4); the limits have g S in place of S."""
    one = ratio(6, 2, 4)
    assert (one.value, one.statistic) == (Fraction(2, 5), 3.0)
    assert one.pvalue == pytest.approx(stats.f.sf(3, 4, 8))
    low, high = stats.f.ppf([0.025, 0.975], 8, 4)
    assert one.interval(0.95) == pytest.approx(((low * 6 - 2) / (low * 6 + 4), (high * 6 - 2) / (high * 6 + 4)))


def test_what_has_no_value_test_or_interval():
    """Zeros are named cases: nothing is divided by them."""
    perfect, nothing, constant = ratio(6, 0, 0), ratio(0, 2, 4), ratio(0, 0, 4, interval_df=None)
    assert (perfect.value, perfect.statistic, perfect.pvalue, perfect.interval(0.95)) == (1, inf, None, None)
    assert (nothing.value, nothing.statistic, nothing.pvalue, nothing.interval(0.95)) == (Fraction(-1, 2), 0, 1, None)
    assert (constant.value, constant.statistic, constant.pvalue) == (0, None, None)
    assert constant.interval(0.95) is None
    for below in (-6, -7):
        assert ratio(6, 2, below).value is ratio(6, 2, below).interval(0.95) is None
    assert ratio(6, 0, 4).interval(0.95)[1] < 1  # the error is zero, and the rest is not


def test_a_denominator_that_vanishes_within_the_interval_has_no_lower_limit():
    """With D < 0, g S + D is negative for small g."""
    low, high = ratio(6, 2, Fraction(-19, 10)).interval(0.95)
    assert low == -inf
    assert 0 < high < 1


def test_less_than_one_degree_of_freedom_is_not_enough_for_an_interval():
    """Sums of mean squares have at least one; differences may have any number above zero."""
    assert ratio(1, 50, 40, interval_df=Fraction(10, 9)).interval(0.95) is not None
    assert ratio(1, 50, 40, interval_df=Fraction(9, 10)).interval(0.95) is None
    assert ratio(1, 50, 40, interval_df=Fraction(1, 10**400)).interval(0.95) is None


def test_numbers_beyond_doubles_are_infinite():
    """The sign is kept."""
    assert [as_double(Fraction(sign * 10**400)) for sign in (1, -1)] == [inf, -inf]
    assert as_double(Fraction(1, 3)) == 1 / 3
