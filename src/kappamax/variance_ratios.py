"""Define a ratio of variances that is estimated by mean squares, with its F test and confidence limits.

The tails and quantiles of the F distribution are accurate for any number of subjects. Those of scipy are not if there
are 10^12 subjects or more.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, expm1, inf, log1p, sqrt
from typing import NamedTuple

_LARGE_DF = 1e7  # above it, expansions are as accurate as scipy's functions, or more


class VarianceRatio(NamedTuple):
    """The estimate (S - E) / (S + D) with the mean square S of the subjects and a mean square E of the error.

    Attributes
    ----------
    subjects, error, rest : Fraction
        S, E and D.
    df1, df2 : int
        Degrees of freedom of F = S / E.
    interval_df : Fraction, int or None
        Degrees of freedom of E + D in the interval, which may be approximate; None if they are 0/0.
    """

    subjects: Fraction
    error: Fraction
    rest: Fraction
    df1: int
    df2: int
    interval_df: Fraction | int | None

    @property
    def value(self) -> Fraction | None:
        """The estimate; None if its denominator is not positive."""
        below = self.subjects + self.rest
        return (self.subjects - self.error) / below if below > 0 else None

    @property
    def statistic(self) -> float | None:
        """The F statistic, which is infinite if only E is zero; None for 0/0."""
        if not self.error:
            return inf if self.subjects else None
        return as_double(self.subjects / self.error)

    @property
    def pvalue(self) -> float | None:
        """Probability of a larger F if the ratio is zero; None if E is zero."""
        return f_tail(self.subjects / self.error, self.df1, self.df2) if self.error else None

    def interval(self, level: float) -> tuple[float, float] | None:
        """Return the estimates with g S in place of S, for the two quantiles g of an F distribution.

        The lower limit is minus infinity if the denominator is not positive there. There is no interval if S is zero,
        if E and D are zero, or if the approximate degrees of freedom are less than one.
        """
        if self.value is None or self.interval_df is None or self.interval_df < 1:
            return None
        if not self.subjects or not (self.error or self.rest):
            return None
        low, high = f_quantiles(level, as_double(Fraction(self.interval_df)), self.df1)
        return self._limit(low), self._limit(high)

    def _limit(self, factor: float) -> float:
        """Return the estimate with g S in place of S."""
        if factor == inf:
            return 1.0
        scaled = Fraction(factor) * self.subjects
        below = scaled + self.rest
        return as_double((scaled - self.error) / below) if below > 0 else -inf


def f_tail(statistic: Fraction, df1: int, df2: int) -> float:
    """Return the probability that an F distribution exceeds a statistic."""
    from scipy.special import fdtrc, ndtr

    if as_double(statistic) == inf:
        return 0.0
    if min(df1, df2) <= _LARGE_DF:
        return float(fdtrc(df1, df2, as_double(statistic)))
    # the cube root is nearly normal (Wilson and Hilferty); the difference from 1 is taken before rounding
    distance = as_double(statistic - 1)
    excess = expm1(log1p(distance) / 3) if distance > -1 else -1.0
    low, high = 2 / 9 / df1, 2 / 9 / df2
    return float(ndtr(-(excess - high * (1 + excess) + low) / sqrt(high * (1 + excess) ** 2 + low)))


def f_quantiles(level: float, df1: float, df2: float) -> tuple[float, float]:
    """Return the quantiles of an F distribution that enclose a probability, with equal tails."""
    from scipy.special import fdtri

    tail = (1 - level) / 2
    if min(df1, df2) <= _LARGE_DF:
        low, high = float(fdtri(df1, df2, tail)), float(fdtri(df2, df1, tail))
        return low, 1 / high if high else inf
    return _expanded_quantile(tail, df1, df2), 1 / _expanded_quantile(tail, df2, df1)


def _expanded_quantile(probability: float, df1: float, df2: float) -> float:
    """Return a quantile by the Cornish-Fisher expansion of half the logarithm of F (Abramowitz and Stegun, 26.5.22)."""
    from scipy.special import ndtri

    normal = float(ndtri(probability))
    low, high = 1 / (df1 - 1), 1 / (df2 - 1)
    mean = 2 / (low + high)
    third = (normal**2 - 3) / 6
    return exp(2 * (normal * sqrt(mean + third) / mean - (low - high) * (third + 5 / 6 - 2 / (3 * mean))))


def as_double(number: Fraction) -> float:
    """Return the nearest double, which is infinite if the number exceeds the range of doubles."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf
