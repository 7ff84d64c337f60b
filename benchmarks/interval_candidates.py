"""Compute the intervals that the coverage study compares, for many tables at once.

Every function takes an objective whose table lists all patterns, and rows of counts at which the coefficient is
defined, and returns lower and upper limits. Intervals that invert tests are in `inverted_tests` and `null_value_tests`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import norm

from kappamax._typing import Array
from kappamax.confidence_intervals import adjusted_intervals_at
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.exact_interval import exact_interval
from kappamax.standard_errors import quantiles_of, standard_errors_at

LEVEL = 0.95
N_RESAMPLES = 400
ADJUSTED, NORMAL = "adjusted (kappamax)", "normal (the usual formula)"
_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
_Z = float(norm.ppf(_TAILS[1]))

Limits = tuple[Array, Array]


def by_formula(objective: Objective, counts: Array, *, jackknife: bool) -> dict[str, Limits]:
    """Return the adjusted interval, the normal interval and its transforms, and on request those of the jackknife.

    A standard error is computed once for all the intervals that use it.
    """
    value, se = _value_and_error(objective, counts)
    reach = _quantile(objective, counts) * se
    found = {ADJUSTED: adjusted_intervals_at(objective, counts, LEVEL)[:2], NORMAL: plain(value, reach)}
    found |= {f"{name} transform": limits(value, reach) for name, limits in TRANSFORMS.items()}
    if jackknife:
        reach = quantiles_of(_TAILS[1], counts.sum(axis=-1) - 1) * jackknife_errors(objective, counts)
        found["jackknife"] = plain(value, reach)
        found |= {f"jackknife, {name} transform": limits(value, reach) for name, limits in TRANSFORMS.items()}
    return found


def plain(value: Array, reach: Array) -> Limits:
    """Return value -+ reach, cut off at 1."""
    return value - reach, np.minimum(1, value + reach)


def log_transformed(value: Array, reach: Array) -> Limits:
    """Return the limits of the delta method for log(1 - kappa)."""
    with np.errstate(all="ignore"):
        reach = np.where(value < 1, reach / (1 - value), 0)
    return 1 - (1 - value) * np.exp(reach), 1 - (1 - value) * np.exp(-reach)


def fisher_transformed(value: Array, reach: Array) -> Limits:
    """Return the limits of the delta method for Fisher's transform of kappa, artanh(kappa)."""
    inner = np.clip(value, -1 + 1e-12, 1 - 1e-12)
    reach = np.where(np.abs(value) < 1, reach / (1 - inner**2), 0)
    return np.tanh(np.arctanh(inner) - reach), np.tanh(np.arctanh(inner) + reach)


def arcsine_transformed(value: Array, reach: Array) -> Limits:
    """Return the limits of the delta method for the arcsine of kappa."""
    inner = np.clip(value, -1, 1)
    with np.errstate(all="ignore"):
        reach = np.where(np.abs(value) < 1, reach / np.sqrt(1 - inner**2), 0)
    low, high = np.arcsin(inner) - reach, np.arcsin(inner) + reach
    return np.sin(np.maximum(low, -np.pi / 2)), np.sin(np.minimum(high, np.pi / 2))


TRANSFORMS: dict[str, Callable[[Array, Array], Limits]] = {
    "log": log_transformed,
    "Fisher": fisher_transformed,
    "arcsine": arcsine_transformed,
}


def jackknife_errors(objective: Objective, counts: Array) -> Array:
    """Return the delete-one jackknife standard error at each row of counts.

    If the coefficient is undefined without one subject, this subject counts as one whose omission changes nothing.
    """
    evaluator, n = Evaluator(objective), counts.sum(axis=-1)
    value = evaluator.value_of(evaluator.totals(counts))
    total, squares = np.zeros_like(value), np.zeros_like(value)
    for pattern in range(counts.shape[-1]):
        present = counts[:, pattern] > 0
        fewer = counts[present].astype(float)
        fewer[:, pattern] -= 1
        change = np.nan_to_num(evaluator.value_of(evaluator.totals(fewer)) - value[present])
        total[present] += counts[present, pattern] * change
        squares[present] += counts[present, pattern] * change**2
    return np.asarray(np.sqrt(np.maximum(squares - total**2 / n, 0) * (n - 1) / n))


def wilson(counts: Array) -> Limits:
    """Return Wilson's (1927) limits for observed agreement of 2 x 2 tables, with the expected agreement held fixed."""
    n = counts.sum(axis=1)
    observed = (counts[:, 0] + counts[:, 3]) / n
    first, second = (counts[:, 0] + counts[:, 1]) / n, (counts[:, 0] + counts[:, 2]) / n
    expected = first * second + (1 - first) * (1 - second)
    center = (observed + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    reach = _Z * np.sqrt(observed * (1 - observed) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
    low, high = ((agreement - expected) / (1 - expected) for agreement in (center - reach, center + reach))
    return low, high


def exact(counts: Array) -> Limits:
    """Return the limits of `kappamax.exact_interval` for 2 x 2 tables."""
    limits = np.array([exact_interval(row.reshape(2, 2), level=LEVEL) for row in counts])
    return limits[:, 0], limits[:, 1]


def bootstrapped(objective: Objective, counts: Array, rng: np.random.Generator) -> dict[str, Limits]:
    """Percentile, BCa and studentised intervals from the same resamples; undefined resamples are left out."""
    evaluator = Evaluator(objective)
    percentile, bca, studentised = [], [], []
    value, se = _value_and_error(objective, counts)
    for row, own, error in zip(counts, value, se, strict=True):
        resamples = rng.multinomial(int(row.sum()), row / row.sum(), size=N_RESAMPLES)
        values = evaluator.value_of(evaluator.totals(resamples))
        defined = np.isfinite(values)
        errors = standard_errors_at(objective, resamples[defined])
        values = values[defined]
        percentile.append(tuple(np.quantile(values, _TAILS)))
        bca.append(_bca(evaluator, row, float(own), values))
        with np.errstate(all="ignore"):
            scaled = (values - own) / errors
        scaled = scaled[np.isfinite(scaled)]
        if len(scaled) == 0 or error == 0:
            studentised.append((float(own), float(own)))
        else:
            low, high = np.quantile(scaled, _TAILS)
            studentised.append((float(own - high * error), min(1.0, float(own - low * error))))
    found = {"percentile": percentile, "BCa": bca, "studentised": studentised}
    return {f"bootstrap, {name}": (np.array(ends)[:, 0], np.array(ends)[:, 1]) for name, ends in found.items()}


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
    return _Z if objective.coefficient.name == "cohen" else quantiles_of(_TAILS[1], counts.sum(axis=-1) - 1)
