"""Compute differences of logarithms of factorials without losing what is left when their large parts cancel.

Probabilities of tables are products of factorials. For 10^12 subjects doubles give the logarithm of one factorial to
0.01, while the ratio of two probabilities is needed to many digits.
"""

from __future__ import annotations

import numpy as np

from kappamax._typing import Array, Floats

_TABLE = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, 64)))])  # logarithms of small factorials
_SMALL = 30
_SERIES = 0.02


def log_growth(start: Array, steps: Array) -> tuple[Floats, Floats]:
    """Two numbers c and b with ln (a + d)! - ln a! = c + d ln b, for a = start >= 0 and a + d >= 0, of one shape.

    With Stirling's series the difference is d ln a + a f(d / a) + ln(1 + d / a) / 2 + s(a + d) - s(a), where
    f(t) = (1 + t) ln(1 + t) - t. The first part is by far the largest, and over all factorials of a probability it
    nearly cancels, so it is left to the caller to add up: b is a. For small a the difference is c, and b is 1.
    """
    a, d = start.astype(float), np.asarray(steps, dtype=float)
    few = np.minimum(a, a + d) < _SMALL
    rest, base = np.empty(a.shape), np.where(few, 1.0, a)
    rest[few] = _log_factorial(a[few] + d[few]) - _log_factorial(a[few])
    a, d = a[~few], d[~few]
    rest[~few] = a * _curvature(d / a) + np.log1p(d / a) / 2 + _stirling_rest(a + d) - _stirling_rest(a)
    return rest, base


def _curvature(t: Array) -> Array:
    """(1 + t) ln(1 + t) - t, also where t is so small that the difference would lose it."""
    near = np.abs(t) < _SERIES
    found = np.empty_like(t)
    found[~near] = (1 + t[~near]) * np.log1p(t[~near]) - t[~near]
    small, series = t[near], np.zeros(int(near.sum()))
    for n in range(9, 1, -1):  # t^2 / 2 - t^3 / 6 + t^4 / 12 - ...
        series = small * series + (-1) ** n / (n * (n - 1))
    found[near] = series * small**2
    return found


def _stirling_rest(x: Array) -> Array:
    """What Stirling's series adds to x ln x - x + ln(2 pi x) / 2, for x from 30 on."""
    return np.asarray((1 / 12 - (1 / 360 - 1 / (1260 * x**2)) / x**2) / x)


def _log_factorial(x: Array) -> Array:
    """The logarithm of x!."""
    large = np.maximum(x, _SMALL)
    series = large * np.log(large) - large + np.log(2 * np.pi * large) / 2 + _stirling_rest(large)
    return np.where(x < len(_TABLE), _TABLE[np.minimum(x, len(_TABLE) - 1).astype(np.int64)], series)
