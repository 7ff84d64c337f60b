"""Measure how often 95 % intervals contain the coefficient of the population.

All 2 x 2 tables are enumerated, so that their coverage is exact. Larger tables are drawn at random. Coverage is over
the tables in which the coefficient is defined; how often it is not is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import isfinite, sqrt

import numpy as np
from scipy.special import gammaln

import kappamax as km
from benchmarks import interval_candidates as candidates
from benchmarks import null_value_tests
from benchmarks.inverted_tests import accepted_by_tests
from benchmarks.null_value_tests import NullValueTests
from kappamax._typing import Array, Integers
from kappamax.coefficients import as_objective
from kappamax.confidence_intervals import smallest_value
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective

GRID = np.linspace(-0.995, 0.995, 200)  # values of kappa at which tests are inverted to measure widths
COARSE_GRID = GRID[::4] + 0.015  # beyond 2 x 2 tables
MARGINS = (
    *((p, p) for p in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)),
    *((0.5, 0.3), (0.8, 0.6), (0.9, 0.75), (0.95, 0.9), (0.7, 0.2), (0.98, 0.9)),
)
KAPPAS = (-0.4, -0.2, -0.05, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99)
LEAST_DEFINED = 0.1  # share of defined tables below which a population is left out
_MOST_FOR_JACKKNIFE = 27


@dataclass(frozen=True)
class Cell:
    """Coverage and mean width of one interval in one population, and the share of undefined samples.

    `kind` is "formula", "test" or "bootstrap". `n_draws` is the number of defined samples, or None if all tables were
    enumerated.
    """

    interval: str
    kind: str
    coverage: float
    width: float
    undefined: float
    n_raters: int
    n_categories: int
    weights: str
    n_subjects: int
    population: str
    coefficient: str = "kappa"
    n_draws: int | None = None

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the coverage; 0 if all tables were enumerated."""
        return 0.0 if self.n_draws is None else sqrt(self.coverage * (1 - self.coverage) / self.n_draws)

    @property
    def place(self) -> str:
        """Design, weights, number of subjects and population in words."""
        design = f"{self.n_raters} raters, {self.n_categories} categories, {self.weights}"
        return f"{design}, N = {self.n_subjects}, {self.population}"


def enumerated(n_subjects: int, *, tests: bool, bootstrap: bool) -> list[Cell]:
    """Return the coverage of all intervals for 2 x 2 tables, from all tables of `n_subjects`."""
    objective = as_objective(km.from_counts([[1, 1], [1, 1]]))
    counts = defined_tables(n_subjects)
    ways = gammaln(n_subjects + 1) - gammaln(counts + 1).sum(axis=1)
    limits = {"formula": candidates.by_formula(objective, counts, jackknife=True)}
    limits["formula"]["Wilson, expected agreement fixed"] = candidates.wilson(counts)
    if tests:
        limits["test"] = {"exact (kappamax)": candidates.exact(counts)}
    if bootstrap:
        limits["bootstrap"] = candidates.bootstrapped(objective, counts, np.random.default_rng(n_subjects))
    accepted, widths = _inverted(objective, counts) if tests else ({}, {})
    found = []
    for (first, second), kappa in product(MARGINS, KAPPAS):
        cells = _cells(first, second, kappa)
        if cells is None:
            continue
        chance = np.exp(ways + (counts * np.log(np.maximum(cells, 1e-300))).sum(axis=1))
        defined = float(chance.sum())
        chance = chance / defined
        row = partial(
            Cell,
            undefined=1 - defined,
            n_raters=2,
            n_categories=2,
            weights="unweighted",
            n_subjects=n_subjects,
            population=f"margins {first:g} and {second:g}, kappa {kappa:g}",
        )
        for kind, name, covered, width in _measured(limits, kappa, -1.0):
            found.append(row(name, kind, float(chance @ covered), float(chance @ width)))
        for name, width in widths.items():
            found.append(row(name, "test", float(chance @ accepted[kappa][name]), float(chance @ width)))
    return found


def defined_tables(n_subjects: int) -> Integers:
    """Return all 2 x 2 tables of `n_subjects` in which kappa is defined, shape (number of tables, 4)."""
    a, b, c = np.indices((n_subjects + 1,) * 3).reshape(3, -1)
    counts = np.stack([a, b, c, n_subjects - a - b - c], axis=1)
    return counts[(counts[:, 3] >= 0) & (counts[:, 0] < n_subjects) & (counts[:, 3] < n_subjects)]


def simulated(
    n_raters: int,
    k: int,
    weights: str,
    n_subjects: int,
    n_draws: int,
    *,
    coefficient: str = "kappa",
    beside: bool = False,
) -> list[Cell]:
    """Return the coverage of the intervals by formula in several populations, from tables drawn at random.

    `beside` adds the bootstrap and the test with the standard error at the null value.
    """
    codes = np.array(list(product(range(k), repeat=n_raters)))
    objective = as_objective(km.from_ratings(codes + 1), weights=weights, coefficient=coefficient)
    evaluator, smallest = Evaluator(objective), smallest_value(objective)
    smallest = smallest if isfinite(smallest) else -1.0
    rng = np.random.default_rng([n_raters, k, n_subjects, len(weights)])
    found = []
    for population, shares in populations(codes, k):
        truth = float(evaluator.value_of(evaluator.totals(shares * 1e9)))
        counts = rng.multinomial(n_subjects, shares / shares.sum(), size=n_draws)
        defined = np.isfinite(evaluator.value_of(evaluator.totals(counts)))
        if defined.mean() < LEAST_DEFINED:
            continue
        counts = counts[defined]
        row = partial(
            Cell,
            undefined=float(1 - defined.mean()),
            n_raters=n_raters,
            n_categories=k,
            weights=weights,
            n_subjects=n_subjects,
            population=population,
            coefficient=coefficient,
            n_draws=len(counts),
        )
        few = coefficient == "kappa" and len(codes) <= _MOST_FOR_JACKKNIFE
        limits = {"formula": candidates.by_formula(objective, counts, jackknife=few)}
        if beside:
            limits["bootstrap"] = candidates.bootstrapped(objective, counts, rng)
        for kind, name, covered, width in _measured(limits, truth, smallest):
            found.append(row(name, kind, float(covered.mean()), float(width.mean())))
        if beside:
            test = NullValueTests(objective, counts)
            inside = COARSE_GRID[smallest <= COARSE_GRID]
            accepted = float(np.sum([test.accept(kappa).mean() for kappa in inside])) / len(COARSE_GRID)
            found.append(row(null_value_tests.NAME, "test", float(test.accept(truth).mean()), 2 * accepted))
    return found


def _inverted(objective: Objective, counts: Array) -> tuple[dict[float, dict[str, Array]], dict[str, Array]]:
    """Return which tables accept each of `KAPPAS` by the names of tests, and the widths of the inverted tests."""
    test = NullValueTests(objective, counts)

    def accepted(kappa: float) -> dict[str, Array]:
        return accepted_by_tests(counts, kappa) | {null_value_tests.NAME: test.accept(kappa)}

    widths: dict[str, Array] = {}
    for kappa in GRID:
        for name, own in accepted(kappa).items():
            widths[name] = widths.get(name, 0) + own * (2 / len(GRID))
    return {kappa: accepted(kappa) for kappa in KAPPAS}, widths


def _measured(
    limits: Mapping[str, Mapping[str, candidates.Limits]], truth: float, smallest: float
) -> Iterator[tuple[str, str, Array, Array]]:
    """Yield the kind and the name of each interval, whether it contains the truth, and its width.

    The width is that of the part of the interval between `smallest` and 1, so that widths can be compared.
    """
    for kind, own in limits.items():
        for name, (low, high) in own.items():
            covered = (low <= truth + 1e-12) & (truth <= high + 1e-12)
            yield kind, name, covered, np.clip(high, smallest, 1) - np.clip(low, smallest, 1)


def populations(codes: Array, k: int) -> Iterator[tuple[str, Array]]:
    """Yield populations: raters who know some answers and guess the others, who err by one category, or who differ."""
    geometric = 3.0 ** -np.arange(k)
    used = {
        "even": np.full(k, 1 / k),
        "skewed": geometric / geometric.sum(),
        "rare": np.array([0.9] + [0.1 / (k - 1)] * (k - 1)),
    }
    alike = (codes == codes[:, :1]).all(axis=1)
    for name, shares in used.items():
        for known in (0, 0.2, 0.5, 0.8, 0.95):
            cells = (1 - known) * shares[codes].prod(axis=1)
            cells[alike] += known * shares
            yield f"{name} use, {known:g} known", cells
        for right in (0.6, 0.9):
            reported = right * np.eye(k)
            for i in range(k):
                near = [j for j in (i - 1, i + 1) if 0 <= j < k]
                reported[i, near] += (1 - right) / len(near)
            yield f"{name} use, {right:g} right", sum(shares[i] * reported[i][codes].prod(axis=1) for i in range(k))
    skewed = used["skewed"]
    for known in (0, 0.5, 0.8):
        cells = skewed[codes[:, :-1]].prod(axis=1) * skewed[::-1][codes[:, -1]] * (1 - known)
        cells[alike] += known * used["even"]
        yield f"different use, {known:g} known", cells


def _cells(first: float, second: float, kappa: float) -> Array | None:
    """Return the cells of a population with these margins and kappa, or None if there is none."""
    apart = (1 - kappa) * (first * (1 - second) + second * (1 - first))
    one, other = (apart + first - second) / 2, (apart - first + second) / 2
    cells = np.array([first - one, one, other, 1 - first - other])
    return np.maximum(cells, 0) if (cells > -1e-12).all() else None
