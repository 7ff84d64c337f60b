"""Tests of equality by formula agree with scipy and with hand-made examples."""

import numpy as np
import pytest
from scipy import stats

from kappamax.group_comparisons.group_estimates import Contrast, Estimates, contrast
from kappamax.group_comparisons.welch_tests import (
    chi_square,
    chi_square_test,
    range_probability,
    simultaneous_level,
    simultaneous_pvalues,
    two_sided_pvalues,
    welch_test,
)


@pytest.mark.parametrize("n_groups", [2, 3, 10, 100])
def test_the_range_of_normal_variables(n_groups):
    """The probabilities are those of scipy's studentised range without an estimated variance."""
    widths = np.array([0.0, 0.5, 2.0, 3.5, 5.0, 9.0])
    expected = stats.studentized_range.cdf(widths, n_groups, np.inf)
    assert range_probability(widths, n_groups) == pytest.approx(expected, abs=1e-8)


def test_the_range_of_two_variables_by_hand():
    """The difference of two normal variables has the variance 2."""
    widths = np.array([0.3, 1.0, 2.7718])
    assert range_probability(widths, 2) == pytest.approx(2 * stats.norm.cdf(widths / np.sqrt(2)) - 1, abs=1e-12)


def test_welch_test_of_two_samples_is_the_welch_t_test():
    """The p-values of scipy's t-test, and of its Welch ANOVA, are found from means and standard errors."""
    rng = np.random.default_rng(1)
    samples = [rng.normal(size=8), rng.normal(0.5, 3, size=20), rng.normal(1, 0.5, size=13)]
    means = np.array([one.mean() for one in samples])
    errors = np.array([one.std(ddof=1) / len(one) ** 0.5 for one in samples])
    dfs = np.array([len(one) - 1.0 for one in samples])
    two = welch_test(Estimates(means[:2], errors[:2], dfs[:2]))
    assert two.pvalue == pytest.approx(stats.ttest_ind(*samples[:2], equal_var=False).pvalue, rel=1e-10)
    difference = contrast(np.array([1.0, -1.0]), Estimates(means[:2], errors[:2], dfs[:2]))
    assert float(two_sided_pvalues(difference)) == pytest.approx(two.pvalue, rel=1e-10)
    low, high = difference.limits(0.9)
    expected = stats.ttest_ind(*samples[:2], equal_var=False).confidence_interval(0.9)
    assert (float(low), float(high)) == pytest.approx(tuple(expected), rel=1e-10)
    # Welch (1951) by hand for three groups
    weights = 1 / errors**2
    shares = weights / weights.sum()
    spread = ((1 - shares) ** 2 / dfs).sum()
    between = (weights * (means - shares @ means) ** 2).sum() / 2
    three = welch_test(Estimates(means, errors, dfs))
    assert three.statistic == pytest.approx(between / (1 + 2 / 8 * spread))
    assert (three.df, three.df_error) == (2, pytest.approx(8 / (3 * spread)))
    assert three.pvalue == pytest.approx(stats.f.sf(three.statistic, 2, three.df_error))


def test_the_chi_square_test_by_hand():
    """Weights 4 and 1, values 0 and 1: mean 0.2, statistic 4 * 0.04 + 0.64 = 0.8."""
    found = chi_square_test(np.array([0.0, 1.0]), np.array([0.5, 1.0]))
    assert found == (pytest.approx(0.8), 1, None, pytest.approx(stats.chi2.sf(0.8, 1)))
    many = chi_square(np.array([[0.0, 1.0], [2.0, 2.0]]), np.array([[0.5, 1.0], [0.1, 7.0]]))
    assert many == pytest.approx([0.8, 0.0])


def test_adjusted_pvalues_lie_between_plain_ones_and_bonferroni():
    """With two groups nothing is adjusted; tiny p-values are multiplied by the number of pairs."""
    pvalues = np.array([1.0, 0.5, 0.04, 1e-6, 1e-200, 0.0])
    assert simultaneous_pvalues(pvalues, 2) == pytest.approx(pvalues, abs=1e-12)
    adjusted = simultaneous_pvalues(pvalues, 5)
    assert (adjusted >= pvalues).all()
    assert (adjusted <= np.minimum(1, 10 * pvalues)).all()
    assert adjusted[4] == pytest.approx(1e-199)
    assert np.isnan(simultaneous_pvalues(np.array([np.nan]), 4)).all()


@pytest.mark.parametrize("n_groups", [2, 5, 40])
def test_simultaneous_intervals_decide_as_the_adjusted_pvalues_do(n_groups):
    """A plain p-value of 1 - simultaneous level is adjusted to 1 - level."""
    each = simultaneous_level(0.95, n_groups)
    assert (each == pytest.approx(0.95)) == (n_groups == 2)
    assert simultaneous_pvalues(np.array([1 - each]), n_groups) == pytest.approx([0.05], abs=1e-9)


def test_a_standard_error_of_zero_has_no_pvalue():
    """It is NaN, without a warning."""
    zero = Contrast(np.array([0.1, 0.1]), np.array([0.0, 0.1]), np.array([np.nan, 5.0]))
    assert np.isnan(two_sided_pvalues(zero)).tolist() == [True, False]
