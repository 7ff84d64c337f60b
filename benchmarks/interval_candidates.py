"""Compute the intervals that the coverage study compares, for many tables at once.

Every function takes an objective whose table lists all patterns, and rows of counts, and returns lower and upper
limits. For 2 x 2 tables, functions of a value of kappa say for which tables a test accepts it.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

import numba
import numpy as np
from scipy.special import gammaln
from scipy.stats import chi2, norm

from kappamax._typing import Array
from kappamax.confidence_intervals import adjusted_intervals_at
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.standard_errors import quantiles_of, standard_errors_at

LEVEL = 0.95
N_RESAMPLES = 400
_Z = float(norm.ppf((1 + LEVEL) / 2))
_GOLDEN = (5**0.5 - 1) / 2

Limits = tuple[Array, Array]


def adjusted(objective: Objective, counts: Array) -> Limits:
    """The interval that kappamax uses."""
    return adjusted_intervals_at(objective, counts, LEVEL)[:2]


def normal(objective: Objective, counts: Array) -> Limits:
    """The value -+ a quantile times the standard error, cut off at 1."""
    value, se = _value_and_error(objective, counts)
    reach = _quantile(objective, counts) * se
    return value - reach, np.minimum(1, value + reach)


def log_transformed(objective: Objective, counts: Array) -> Limits:
    """The delta method for log(1 - kappa)."""
    value, se = _value_and_error(objective, counts)
    with np.errstate(all="ignore"):
        reach = np.where(se > 0, _quantile(objective, counts) * se / (1 - value), 0)
    return 1 - (1 - value) * np.exp(reach), 1 - (1 - value) * np.exp(-reach)


def fisher_transformed(objective: Objective, counts: Array) -> Limits:
    """The delta method for Fisher's transform of kappa."""
    value, se = _value_and_error(objective, counts)
    inner = np.clip(value, -1 + 1e-12, 1 - 1e-12)
    reach = _quantile(objective, counts) * np.where(np.abs(value) < 1, se / (1 - inner**2), 0)
    return np.tanh(np.arctanh(inner) - reach), np.tanh(np.arctanh(inner) + reach)


def arcsine_transformed(objective: Objective, counts: Array) -> Limits:
    """The delta method for the arcsine of kappa."""
    value, se = _value_and_error(objective, counts)
    inner = np.clip(value, -1, 1)
    with np.errstate(all="ignore"):
        reach = np.where(np.abs(value) < 1, _quantile(objective, counts) * se / np.sqrt(1 - inner**2), 0)
    low, high = np.arcsin(inner) - reach, np.arcsin(inner) + reach
    return np.sin(np.maximum(low, -np.pi / 2)), np.sin(np.minimum(high, np.pi / 2))


def jackknife(objective: Objective, counts: Array) -> Limits:
    """The value -+ a quantile of Student's t times the jackknife standard error, cut off at 1."""
    evaluator, n = Evaluator(objective), counts.sum(axis=-1)
    value = evaluator.value_of(evaluator.totals(counts))
    variance = np.zeros_like(value)
    for pattern in range(counts.shape[-1]):
        present = counts[:, pattern] > 0
        fewer = counts[present].astype(float)
        fewer[:, pattern] -= 1
        # without the only subject in a category, the coefficient may be undefined
        change = np.nan_to_num(evaluator.value_of(evaluator.totals(fewer)) - value[present])
        variance[present] += counts[present, pattern] * change**2
    reach = quantiles_of((1 + LEVEL) / 2, n - 1) * np.sqrt(variance * (n - 1) / n)
    return value - reach, np.minimum(1, value + reach)


def bootstrapped(objective: Objective, counts: Array, rng: np.random.Generator) -> dict[str, Limits]:
    """Percentile, BCa and studentised intervals from the same resamples; undefined resamples are left out."""
    evaluator = Evaluator(objective)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ("percentile", "BCa", "studentised")}
    value, se = _value_and_error(objective, counts)
    for row, own, error in zip(counts, value, se, strict=True):
        resamples = rng.multinomial(int(row.sum()), row / row.sum(), size=N_RESAMPLES)
        values = evaluator.value_of(evaluator.totals(resamples))
        defined = np.isfinite(values)
        errors = standard_errors_at(objective, resamples[defined])
        values = values[defined]
        found["percentile"].append(tuple(np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])))
        found["BCa"].append(_bca(evaluator, row, float(own), values))
        with np.errstate(all="ignore"):
            scaled = (values - own) / errors
        scaled = scaled[np.isfinite(scaled)]
        if len(scaled) == 0 or error == 0:
            found["studentised"].append((float(own), float(own)))
        else:
            low, high = np.quantile(scaled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
            found["studentised"].append((float(own - high * error), min(1.0, float(own - low * error))))
    return {name: tuple(np.array(limits).T) for name, limits in found.items()}  # type: ignore[misc]  # two arrays


def _bca(evaluator: Evaluator, row: Array, own: float, values: Array) -> tuple[float, float]:
    """Return the bias-corrected and accelerated interval of one table (Efron 1987)."""
    share = ((values < own).mean() + (values <= own).mean()) / 2
    if not 0 < share < 1:
        return own, own
    fewer = row - np.eye(len(row))[row > 0]
    left = evaluator.value_of(evaluator.totals(fewer))
    times, defined = row[row > 0], np.isfinite(left)
    mean = np.average(left[defined], weights=times[defined])
    down = mean - left[defined]
    spread = (times[defined] * down**2).sum()
    speed = (times[defined] * down**3).sum() / (6 * spread**1.5) if spread > 0 else 0.0
    bias = norm.ppf(share)
    ends = [norm.cdf(bias + (bias + z) / (1 - speed * (bias + z))) for z in (-_Z, _Z)]
    low, high = np.quantile(values, ends)
    return float(low), float(high)


def _value_and_error(objective: Objective, counts: Array) -> tuple[Array, Array]:
    evaluator = Evaluator(objective)
    return evaluator.value_of(evaluator.totals(counts)), standard_errors_at(objective, counts)


def _quantile(objective: Objective, counts: Array) -> Any:
    return _Z if objective.coefficient.name == "cohen" else quantiles_of((1 + LEVEL) / 2, counts.sum(axis=-1) - 1)


# 2 x 2 tables, by inversion of tests; a test is accepted or not at each kappa of a grid


def goodness_of_fit(counts: Array, kappa: float) -> Array:
    """Return whether Donner and Eliasziw's (1992) goodness-of-fit test, for equal margins, accepts kappa."""
    n = counts.sum(axis=1)
    both, apart = counts[:, 0], counts[:, 1] + counts[:, 2]
    share = (2 * both + apart) / (2 * n)
    product = share * (1 - share)
    expected = [share**2 + kappa * product, 2 * product * (1 - kappa), (1 - share) ** 2 + kappa * product]
    observed = [both, apart, counts[:, 3]]
    with np.errstate(all="ignore"):
        parts = [(o - n * e) ** 2 / (n * e) for o, e in zip(observed, expected, strict=True)]
    total = sum(np.where((o == 0) & (e == 0), 0, part) for o, e, part in zip(observed, expected, parts, strict=True))
    return np.asarray(np.nan_to_num(total, nan=np.inf) <= chi2.ppf(LEVEL, 1))


def likelihood_ratios(counts: Array, kappa: float) -> tuple[Array, Array]:
    """Return the likelihood-ratio statistic of kappa for each table, and the cells of the constrained estimates."""
    counts = np.asarray(counts, dtype=float)
    fits = _constrained(counts, kappa)
    n = counts.sum(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        top = np.where(counts > 0, counts * np.log(counts / n), 0).sum(axis=1)
    return np.maximum(2 * (top - fits[:, 0]), 0), _cells(fits[:, 1], fits[:, 2], kappa)


def profile_likelihood(counts: Array, kappa: float) -> Array:
    """Return whether the likelihood-ratio test with the chi-squared distribution accepts kappa."""
    return np.asarray(likelihood_ratios(counts, kappa)[0] <= chi2.ppf(LEVEL, 1))


def exact_likelihood_ratio(counts: Array, kappa: float) -> Array:
    """Return whether the likelihood-ratio test accepts kappa, with its exact p-value at the constrained estimate."""
    statistics, cells = likelihood_ratios(counts, kappa)
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(np.maximum(cells, 0)), -1e4)
    n = counts.sum(axis=1)
    ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1)
    order = np.argsort(-statistics)
    return np.asarray(_tails(np.asarray(counts, dtype=float), ways, statistics, logs, order) > 1 - LEVEL)


def _cells(m: Array, e: Array, kappa: float) -> Array:
    """Return the cells of tables with mean margin m, difference e of the margins, and kappa."""
    d = (1 - kappa) * (2 * m * (1 - m) + e**2 / 2)
    return np.stack([m - d / 2, (d + e) / 2, (d - e) / 2, 1 - m - d / 2], axis=-1)


@numba.njit(cache=True)
def _tails(counts: Any, ways: Any, statistics: Any, logs: Any, order: Any) -> Any:
    """Return for each table the probability, at its own cells, of tables with at least its statistic."""
    found = np.zeros(len(counts))
    for i in range(len(counts)):
        for j in order:
            if statistics[j] < statistics[i] - 1e-9:
                break
            power = ways[j]
            for cell in range(4):
                power += counts[j, cell] * logs[i, cell]
            if power > -60:
                found[i] += exp(power)
    return found


@numba.njit(cache=True)
def _likelihood(row: Any, m: float, e: float, kappa: float) -> float:
    d = (1 - kappa) * (2 * m * (1 - m) + e * e / 2)
    total = 0.0
    for n, p in ((row[0], m - d / 2), (row[1], (d + e) / 2), (row[2], (d - e) / 2), (row[3], 1 - m - d / 2)):
        if p < -1e-12 or (n > 0 and p <= 0):
            return -1e300
        if n > 0:
            total += n * log(p)
    return total


@numba.njit(cache=True)
def _best_mean(row: Any, e: float, kappa: float) -> Any:
    """Return the largest likelihood over m, for a given difference of the margins, and its m: grid, then sections."""
    low, high = abs(e) / 2, 1 - abs(e) / 2
    best, at = _likelihood(row, low, e, kappa), low
    for step in range(1, 25):
        m = low + (high - low) * step / 24
        value = _likelihood(row, m, e, kappa)
        if value > best:
            best, at = value, m
    width = (high - low) / 24
    low, high = max(low, at - width), min(high, at + width)
    for _ in range(36):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if _likelihood(row, left, e, kappa) < _likelihood(row, right, e, kappa):
            low = left
        else:
            high = right
    value = _likelihood(row, (low + high) / 2, e, kappa)
    return (value, (low + high) / 2) if value > best else (best, at)


@numba.njit(cache=True)
def _constrained(counts: Any, kappa: float) -> Any:
    """Return for each table the largest likelihood among cells with this kappa, and their m and e."""
    found = np.empty((len(counts), 3))
    for i in range(len(counts)):
        row = counts[i]
        sign = 1.0 if row[1] > row[2] else -1.0
        best, at = -1e301, 0.0
        steps = 1 if row[1] == row[2] else 24
        for step in range(steps):
            value = _best_mean(row, sign * step / 24, kappa)[0]
            if value > best:
                best, at = value, sign * step / 24
        low, high = at, at
        if steps > 1:
            low, high = max(min(at - 1 / 24, at + 1 / 24), -0.9999), min(at + 1 / 24, 0.9999)
            if sign > 0:
                low = max(low, 0.0)
            else:
                high = min(high, 0.0)
        for _ in range(30 if steps > 1 else 0):
            left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            if _best_mean(row, left, kappa)[0] < _best_mean(row, right, kappa)[0]:
                low = left
            else:
                high = right
        found[i, 0], found[i, 1] = _best_mean(row, (low + high) / 2, kappa)
        found[i, 2] = (low + high) / 2
    return found
