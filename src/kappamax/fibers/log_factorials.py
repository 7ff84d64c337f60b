"""Compute differences of logarithms of factorials without cancellation error.

Probabilities of tables are products of factorials. For 10^12 subjects the logarithm of one factorial has an error of
about 0.01 in double precision, while the ratio of two probabilities is needed to many digits.
"""

from __future__ import annotations

import numpy as np

from kappamax._typing import Array, Floats

_TABLE = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, 64)))])  # logarithms of small factorials
_SMALL = 30
_SERIES = 0.02


def log_growth(start: Array, steps: Array) -> tuple[Floats, Floats]:
    """Return c and b such that ln (a + d)! - ln a! = c + d ln b, where a = start, d = steps, a >= 0 and a + d >= 0.

    By Stirling's series the difference is d ln a + a f(d / a) + ln(1 + d / a) / 2 + s(a + d) - s(a), where
    f(t) = (1 + t) ln(1 + t) - t, and s is the remainder of Stirling's series. The first term is by far the largest, and
    it nearly cancels in the sum over all factorials of a probability. Therefore b = a, and the caller adds these terms
    by multiplying the values of b. For small a, b = 1 and c is the whole difference.
    """
    a, d = start.astype(float), np.asarray(steps, dtype=float)
    few = np.minimum(a, a + d) < _SMALL
    rest, base = np.empty(a.shape), np.where(few, 1.0, a)
    rest[few] = _log_factorial(a[few] + d[few]) - _log_factorial(a[few])
    a, d = a[~few], d[~few]
    rest[~few] = a * _curvature(d / a) + np.log1p(d / a) / 2 + _stirling_rest(a + d) - _stirling_rest(a)
    return rest, base


def _curvature(t: Array) -> Array:
    """Return (1 + t) ln(1 + t) - t, by its series for small t to avoid cancellation."""
    near = np.abs(t) < _SERIES
    found = np.empty_like(t)
    found[~near] = (1 + t[~near]) * np.log1p(t[~near]) - t[~near]
    small, series = t[near], np.zeros(int(near.sum()))
    for n in range(9, 1, -1):  # t^2 / 2 - t^3 / 6 + t^4 / 12 - ...
        series = small * series + (-1) ** n / (n * (n - 1))
    found[near] = series * small**2
    return found


def _stirling_rest(x: Array) -> Array:
    """Return the remainder s(x) of Stirling's series after x ln x - x + ln(2 pi x) / 2, for x >= 30."""
    return np.asarray((1 / 12 - (1 / 360 - 1 / (1260 * x**2)) / x**2) / x)


def _log_factorial(x: Array) -> Array:
    """Return the logarithm of x!."""
    large = np.maximum(x, _SMALL)
    series = large * np.log(large) - large + np.log(2 * np.pi * large) / 2 + _stirling_rest(large)
    return np.where(x < len(_TABLE), _TABLE[np.minimum(x, len(_TABLE) - 1).astype(np.int64)], series)
