"""Test values of kappa for all 2 x 2 tables at once, so that the coverage study can invert the tests into intervals.

Cells are in the order 11, 12, 21, 22. A population is described by kappa, the mean m of the raters' shares of the first
category, and the difference e of these shares. With d the probability of disagreement,

    p = (m - d/2, (d + e)/2, (d - e)/2, 1 - m - d/2)   and   d = (1 - kappa) (2 m (1 - m) + e^2 / 2).

The maximum likelihood estimates of m and e for a given kappa are called the constrained estimates.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import Any

import numba
import numpy as np
from scipy.special import gammaln
from scipy.stats import chi2

from benchmarks.interval_candidates import LEVEL
from kappamax._typing import Array

_CRITICAL = float(chi2.ppf(LEVEL, 1))
_GOLDEN = (5**0.5 - 1) / 2
_STEPS = 24
_TIE = 1e-6  # statistics that differ by less are ties; the constrained estimates are accurate to about 1e-8


def accepted_by_tests(counts: Array, kappa: float) -> dict[str, Array]:
    """Return by the name of each test whether it accepts kappa, shape (number of tables,)."""
    counts = np.asarray(counts, dtype=float)
    ratios, cells = likelihood_ratios(counts, kappa)
    scores = pearson(counts, cells)
    return {
        "goodness of fit, equal margins (Donner and Eliasziw)": goodness_of_fit(counts, kappa) <= _CRITICAL,
        "score test, equal margins": equal_margins_score(counts, kappa) <= _CRITICAL,
        "score test": scores <= _CRITICAL,
        "score test, exact p-value": exact_pvalues(counts, scores, cells) > 1 - LEVEL,
        "profile likelihood": ratios <= _CRITICAL,
        "likelihood ratio, exact p-value": exact_pvalues(counts, ratios, cells) > 1 - LEVEL,
    }


def goodness_of_fit(counts: Array, kappa: float) -> Array:
    """Return Donner and Eliasziw's (1992) statistic for equal margins, at the observed mean of the shares."""
    n = counts.sum(axis=1)
    both, apart = counts[:, 0], counts[:, 1] + counts[:, 2]
    share = (2 * both + apart) / (2 * n)
    product = share * (1 - share)
    expected = [share**2 + kappa * product, 2 * product * (1 - kappa), (1 - share) ** 2 + kappa * product]
    observed = [both, apart, counts[:, 3]]
    with np.errstate(all="ignore"):
        parts = [(o - n * e) ** 2 / (n * e) for o, e in zip(observed, expected, strict=True)]
    total = sum(np.where((o == 0) & (e == 0), 0, part) for o, e, part in zip(observed, expected, parts, strict=True))
    return np.where(np.min(expected, axis=0) < 0, np.inf, total)


def equal_margins_score(counts: Array, kappa: float) -> Array:
    """Return the efficient score statistic for equal margins, with m at its constrained estimate.

    Only the sum of the two cells of disagreement matters, so half of it is assigned to each of them.
    """
    counts = np.array(counts, dtype=float)
    counts[:, 1:3] = counts[:, 1:3].mean(axis=1, keepdims=True)
    fits = _constrained(counts, kappa, True)
    return pearson(counts, cells_at(fits[:, 1], fits[:, 2], kappa))


def likelihood_ratios(counts: Array, kappa: float) -> tuple[Array, Array]:
    """Return the likelihood-ratio statistic of kappa for each table, and the cells of the constrained estimates."""
    counts = np.asarray(counts, dtype=float)
    fits = _constrained(counts, kappa, False)
    n = counts.sum(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        top = np.where(counts > 0, counts * np.log(counts / n), 0).sum(axis=1)
    return np.maximum(2 * (top - fits[:, 0]), 0), cells_at(fits[:, 1], fits[:, 2], kappa)


def pearson(counts: Array, cells: Array) -> Array:
    """Return Pearson's X2 of counts and cells; at constrained estimates, it equals the efficient score statistic."""
    expected = np.maximum(counts.sum(axis=1, keepdims=True) * cells, 0)
    with np.errstate(all="ignore"):
        parts = np.where(counts == 0, expected, (counts - expected) ** 2 / expected)
    return np.asarray(parts.sum(axis=1))


def exact_pvalues(counts: Array, statistics: Array, cells: Array) -> Array:
    """Return for each table the probability, at its own cells, of tables with at least its statistic."""
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(np.maximum(cells, 0)), -1e4)
    ways = gammaln(counts.sum(axis=1) + 1) - gammaln(counts + 1).sum(axis=1)
    return np.asarray(_tails(counts, ways, statistics, logs, np.argsort(-statistics)))


def cells_at(m: Array, e: Array, kappa: float) -> Array:
    """Return the cells of populations with mean share m, difference e of the shares, and kappa."""
    d = (1 - kappa) * (2 * m * (1 - m) + e**2 / 2)
    return np.stack([m - d / 2, (d + e) / 2, (d - e) / 2, 1 - m - d / 2], axis=-1)


@numba.njit(cache=True)
def _tails(counts: Any, ways: Any, statistics: Any, logs: Any, order: Any) -> Any:
    found = np.zeros(len(counts))
    for i in range(len(counts)):
        for j in order:
            if statistics[j] < statistics[i] - _TIE:
                break
            power = ways[j]
            for cell in range(4):
                power += counts[j, cell] * logs[i, cell]
            if power > -60:
                found[i] += exp(power)
    return found


@numba.njit(cache=True)
def _constrained(counts: Any, kappa: float, equal: bool) -> Any:
    """Return for each table the largest log likelihood given kappa, and the estimates m and e (0 if `equal`).

    Exchanging the raters, or the categories, changes the sign of e, or of m - 1/2. The search is made with b >= c and
    a >= d, so tables that differ in this way only have the same likelihood to the last bit.
    """
    found = np.empty((len(counts), 3))
    for i in range(len(counts)):
        a, b, c, d = counts[i]
        row = np.array([max(a, d), max(b, c), min(b, c), min(a, d)])
        # with b = c and kappa >= -0.4, the likelihood is largest at e = 0
        largest = 0.0 if equal or (b == c and kappa >= -0.4) else _largest_difference(kappa)
        best, m, e = _best_difference(row, largest, kappa)
        found[i, 0], found[i, 1], found[i, 2] = best, m if a >= d else 1 - m, e if b >= c else -e
    return found


@numba.njit(cache=True)
def _best_difference(row: Any, largest: float, kappa: float) -> Any:
    """Return the largest log likelihood over m and over e from 0 to `largest`, its m and its e."""
    best, m = _best_mean(row, 0.0, kappa)
    e = 0.0
    if largest == 0:
        return best, m, e
    step = largest / _STEPS
    for i in range(1, _STEPS + 1):
        value, at = _best_mean(row, i * step, kappa)
        if value > best:
            best, m, e = value, at, i * step
    low, high = max(e - step, 0.0), min(e + step, largest)
    for _ in range(36):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if _best_mean(row, left, kappa)[0] < _best_mean(row, right, kappa)[0]:
            low = left
        else:
            high = right
    value, at = _best_mean(row, (low + high) / 2, kappa)
    return (value, at, (low + high) / 2) if value > best else (best, m, e)


@numba.njit(cache=True)
def _best_mean(row: Any, e: float, kappa: float) -> Any:
    """Return the largest log likelihood over m for given e >= 0, and its m: grid, then golden sections."""
    low = _smallest_mean(e, kappa)
    high = 1 - low
    step = (high - low) / _STEPS
    best, at = _likelihood(row, low, e, kappa), low
    for i in range(1, _STEPS + 1):
        value = _likelihood(row, low + i * step, e, kappa)
        if value > best:
            best, at = value, low + i * step
    low, high = max(low, at - step), min(high, at + step)
    for _ in range(36):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if _likelihood(row, left, e, kappa) < _likelihood(row, right, e, kappa):
            low = left
        else:
            high = right
    value = _likelihood(row, (low + high) / 2, e, kappa)
    return (value, (low + high) / 2) if value > best else (best, at)


@numba.njit(cache=True)
def _largest_difference(kappa: float) -> float:
    """Return the largest e that some m allows, which is m = 1/2: d <= 1 if kappa < 0, and e <= d otherwise."""
    ratio = 1 - kappa
    return sqrt(2 / ratio - 1) if ratio > 1 else (1 - sqrt(1 - ratio * ratio)) / ratio


@numba.njit(cache=True)
def _smallest_mean(e: float, kappa: float) -> float:
    """Return the smallest m for which no cell is negative, given e >= 0; the largest is 1 minus it.

    The cell 21 needs m (1 - m) >= e / (2 (1 - kappa)) - e^2 / 4, and the cell 11 needs m >= d / 2.
    """
    ratio = 1 - kappa
    apart = 0.5 - sqrt(max(0.25 - e / (2 * ratio) + e * e / 4, 0.0))
    together = (ratio - 1 + sqrt((1 - ratio) ** 2 + (ratio * e) ** 2)) / (2 * ratio)
    return min(max(apart, together), 0.5)


@numba.njit(cache=True)
def _likelihood(row: Any, m: float, e: float, kappa: float) -> float:
    d = (1 - kappa) * (2 * m * (1 - m) + e * e / 2)
    total = 0.0
    for n, p in ((row[0], m - d / 2), (row[1], (d + e) / 2), (row[2], (d - e) / 2), (row[3], 1 - m - d / 2)):
        if n > 0:
            total += n * log(p) if p > 0 else -1e300
    return total
