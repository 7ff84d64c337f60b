"""Test whether the coefficients of independent groups are equal, by formulas.

The standard errors of the groups differ, so the test of all groups is Welch's (1951), and a difference of two groups
has the degrees of freedom of Welch and Satterthwaite. For all differences together, the p-values and limits are
adjusted by the distribution of the range of normal variables, as in the procedure of Tukey and Kramer.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from kappamax._typing import Array, Floats
from kappamax.group_comparisons.group_estimates import Contrast, Estimates

_NODES = np.arange(-8.5, 8.5, 0.025)  # of the integral over a standard normal variable
_SMALL = 1e-9  # adjusted p-values below this are Bonferroni's, since the integral is rounded


class EqualityTest(NamedTuple):
    """Test of the equality of several means.

    Attributes
    ----------
    statistic : float
        Chi-square statistic, or Welch's F statistic.
    df : float
        Degrees of freedom of the numerator: the number of groups - 1.
    df_error : float or None
        Degrees of freedom of the denominator; None for the chi-square distribution.
    pvalue : float
        P-value.
    """

    statistic: float
    df: int
    df_error: float | None
    pvalue: float


def chi_square(centers: Array, errors: Array) -> Array:
    """Return the weighted sum of squares of the deviations from the weighted mean, shape (...,) for (..., n_groups)."""
    weights = 1 / errors**2
    mean = (weights * centers).sum(axis=-1) / weights.sum(axis=-1)
    return np.asarray((weights * (centers - mean[..., None]) ** 2).sum(axis=-1))


def chi_square_test(values: Array, errors: Array) -> EqualityTest:
    """Return the chi-square test of equality by Fleiss (1981), which assumes that the standard errors are known."""
    from scipy.special import chdtrc  # imported here because the import takes 0.2 s

    statistic, df = float(chi_square(values, errors)), len(values) - 1
    return EqualityTest(statistic, df, None, float(chdtrc(df, statistic)))


def welch_test(estimates: Estimates) -> EqualityTest:
    """Return Welch's test of equality."""
    from scipy.special import fdtrc

    n = len(estimates.centers)
    weights = 1 / estimates.errors**2
    spread = float((((1 - weights / weights.sum()) ** 2) / estimates.dfs).sum())
    between = float(chi_square(estimates.centers, estimates.errors)) / (n - 1)
    statistic = between / (1 + 2 * (n - 2) / (n**2 - 1) * spread)
    df_error = (n**2 - 1) / (3 * spread)
    return EqualityTest(statistic, n - 1, df_error, float(fdtrc(n - 1, df_error, statistic)))


def two_sided_pvalues(difference: Contrast) -> Array:
    """Return the p-values of the hypotheses that linear combinations are zero; NaN where a standard error is zero."""
    from scipy.special import stdtr

    errors = np.where(difference.error > 0, difference.error, np.nan)
    return np.asarray(2 * stdtr(difference.df, -np.abs(difference.center / errors)))


def simultaneous_pvalues(pvalues: Array, n_groups: int) -> Array:
    """Return the p-values of all differences of two groups, adjusted for their number."""
    from scipy.special import ndtri

    bonferroni = np.minimum(1.0, pvalues * (n_groups * (n_groups - 1) / 2))
    adjusted = 1 - range_probability(-np.sqrt(2) * ndtri(pvalues / 2), n_groups)
    return np.where(bonferroni < _SMALL, bonferroni, np.clip(adjusted, pvalues, bonferroni))


@cache
def simultaneous_level(level: float, n_groups: int) -> float:
    """Return the confidence level of each difference for which all of them together have a given level."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    width = brentq(lambda width: float(range_probability(np.array([width]), n_groups)[0]) - level, 0, 60, xtol=1e-12)
    return float(2 * ndtr(width / np.sqrt(2)) - 1)


def range_probability(widths: Array, n_groups: int) -> Floats:
    """Return the probabilities that the range of independent standard normal variables is at most each width.

    The integral is n times that of phi(z) (Phi(z) - Phi(z - width))^(n - 1). The trapezoidal rule is accurate to
    rounding, since the function is smooth and vanishes at both ends.
    """
    from scipy.special import ndtr

    density = np.exp(-(_NODES**2) / 2) * (_NODES[1] - _NODES[0]) / np.sqrt(2 * np.pi)
    found = [n_groups * float(density @ (ndtr(_NODES) - ndtr(_NODES - width)) ** (n_groups - 1)) for width in widths]
    return np.array(found)
