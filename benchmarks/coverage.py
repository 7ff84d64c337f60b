"""Measure how often 95% intervals from small samples contain the kappa of the population.

In the population all raters give the one true category with probability 3/5 and otherwise choose independently,
each category always with its own share, so kappa is 3/5 for any weights. Its cells are whole numbers, and kappamax
computes kappa from them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

import kappamax as km
from benchmarks import peers

__all__ = ["LEVEL", "N_RESAMPLES", "Coverage", "coverages"]

Array = npt.NDArray[Any]
Interval = tuple[float, float] | None

LEVEL = 0.95
WEIGHTS = "linear"
N_RESAMPLES = 500
SHARES = np.array([5, 3, 2])  # of the categories, in tenths
KNOWN, GUESSED = 3, 2  # of the subjects, in fifths
CHUNK = 50


def coverages(*, quick: bool) -> list[Coverage]:
    """Every setting and interval; `quick` makes do with few tables."""
    n_tables = 40 if quick else 2000
    return [
        row for n_raters in (2, 3) for n_subjects in (20, 50) for row in _coverages_of(n_raters, n_subjects, n_tables)
    ]


@dataclass(frozen=True)
class Coverage:
    """How often an interval held the population's kappa, over the tables where there was an interval."""

    n_raters: int
    n_subjects: int
    kappa: float
    interval: str
    n_tables: int
    n_undefined: int
    coverage: float

    @property
    def monte_carlo_error(self) -> float:
        """Standard error of the coverage from simulating so many tables."""
        return sqrt(self.coverage * (1 - self.coverage) / (self.n_tables - self.n_undefined))


def _coverages_of(n_raters: int, n_subjects: int, n_tables: int) -> list[Coverage]:
    """Draw tables of so many subjects, and see which intervals hold the kappa of the population."""
    peers.note(f"coverage: {n_raters} raters, {n_subjects} subjects")
    population = _population(n_raters)
    kappa = km.kappa(km.from_counts(population), weights=WEIGHTS).value
    rng = np.random.default_rng([n_raters, n_subjects])
    cells = population.ravel() / population.sum()
    tables = rng.multinomial(n_subjects, cells, size=n_tables).reshape(n_tables, *population.shape)
    seeds = rng.integers(2**63, size=n_tables)
    tasks = (
        delayed(_chunk_held)(tables[start : start + CHUNK], seeds[start : start + CHUNK], kappa)
        for start in range(0, n_tables, CHUNK)
    )
    held = np.concatenate(Parallel(n_jobs=os.cpu_count())(tasks))
    return [
        Coverage(n_raters, n_subjects, kappa, name, n_tables, int(np.isnan(column).sum()), float(np.nanmean(column)))
        for name, column in zip(INTERVALS, held.T, strict=True)
    ]


def _population(n_raters: int) -> Array:
    """Counts of every pattern of categories: agreement by knowing, and by chance."""
    guessed = reduce(np.multiply.outer, [SHARES] * n_raters)
    known = np.zeros_like(guessed)
    known[(np.arange(len(SHARES)),) * n_raters] = SHARES * SHARES.sum() ** (n_raters - 1)
    return np.asarray(KNOWN * known + GUESSED * guessed)


def _chunk_held(tables: Array, seeds: Array, kappa: float) -> Array:
    """For each table and interval: 1 if kappa lies in it, 0 if not, NaN if there is no interval."""
    return np.array([_held(counts, int(seed), kappa) for counts, seed in zip(tables, seeds, strict=True)])


def _held(counts: Array, seed: int, kappa: float) -> list[float]:
    table = km.from_counts(counts)
    try:
        intervals = [interval(table, seed) for interval in INTERVALS.values()]
    except km.errors.UndefinedKappaError:
        return [np.nan] * len(INTERVALS)
    return [np.nan if ends is None else float(ends[0] <= kappa <= ends[1]) for ends in intervals]


def _by_formula(table: km.Table, seed: int) -> Interval:
    return km.agreement(table, weights=WEIGHTS, level=LEVEL).ci


def _by_jackknife(table: km.Table, seed: int) -> Interval:
    result = km.jackknife(table, weights=WEIGHTS)
    if result.se is None:
        return None
    reach = NormalDist().inv_cdf((1 + LEVEL) / 2) * result.se
    return result.value - reach, result.value + reach


def _by_bootstrap(table: km.Table, seed: int, *, method: str) -> Interval:
    return km.bootstrap(table, weights=WEIGHTS, method=method, level=LEVEL, n_resamples=N_RESAMPLES, rng=seed).ci


INTERVALS: dict[str, Callable[[km.Table, int], Interval]] = {
    "formula": _by_formula,
    "jackknife": _by_jackknife,
    "bootstrap, percentile": partial(_by_bootstrap, method="percentile"),
    "bootstrap, BCa": partial(_by_bootstrap, method="bca"),
}
