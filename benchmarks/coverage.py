"""Measure how often 95 % intervals contain the coefficient of the population.

All 2 x 2 tables are enumerated, so that their coverage is exact. Larger tables are drawn at random. Coverage is over
the tables in which the coefficient is defined; how often it is not is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import sqrt

import numpy as np
from scipy.special import gammaln

import kappamax as km
from benchmarks import interval_candidates as candidates
from kappamax._typing import Array
from kappamax.coefficients import as_objective
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective

GRID = np.linspace(-0.995, 0.995, 200)  # values of kappa at which tests are inverted to measure widths
MARGINS = (
    *((p, p) for p in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)),
    *((0.5, 0.3), (0.8, 0.6), (0.9, 0.75), (0.95, 0.9), (0.7, 0.2), (0.98, 0.9)),
)
KAPPAS = (-0.4, -0.2, -0.05, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99)
BY_FORMULA: dict[str, Callable[[Objective, Array], candidates.Limits]] = {
    "adjusted (kappamax)": candidates.adjusted,
    "normal (the usual formula)": candidates.normal,
    "log transform": candidates.log_transformed,
    "Fisher transform": candidates.fisher_transformed,
    "arcsine transform": candidates.arcsine_transformed,
    "jackknife": candidates.jackknife,
}
BY_TEST: dict[str, Callable[[Array, float], Array]] = {
    "goodness of fit (Donner and Eliasziw)": candidates.goodness_of_fit,
    "profile likelihood": candidates.profile_likelihood,
    "likelihood ratio, exact p-value": candidates.exact_likelihood_ratio,
}
BOOTSTRAP = {"percentile": "bootstrap, percentile", "BCa": "bootstrap, BCa", "studentised": "bootstrap, studentised"}
COEFFICIENTS = ("fleiss", "gwet", "brennan-prediger", "krippendorff", "percent")
_MOST_FOR_JACKKNIFE = 27


@dataclass(frozen=True)
class Cell:
    """Coverage and mean width of one interval in one population, and the share of undefined samples."""

    interval: str
    n_raters: int
    n_categories: int
    weights: str
    n_subjects: int
    population: str
    coverage: float
    width: float
    undefined: float
    n_draws: int | None = None

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the coverage; 0 if all tables were enumerated."""
        return 0.0 if self.n_draws is None else sqrt(self.coverage * (1 - self.coverage) / self.n_draws)

    @property
    def name(self) -> str:
        """Design, weights, number of subjects and population in words."""
        design = f"{self.n_raters} raters, {self.n_categories} categories, {self.weights}"
        return f"{design}, N = {self.n_subjects}, {self.population}"


def enumerated(n_subjects: int, *, tests: bool, bootstrap: bool) -> list[Cell]:
    """Return the coverage of all intervals for 2 x 2 tables, from all tables of `n_subjects`."""
    objective = as_objective(km.from_counts([[1, 1], [1, 1]]))
    a, b, c = np.indices((n_subjects + 1,) * 3).reshape(3, -1)
    counts = np.stack([a, b, c, n_subjects - a - b - c], axis=1)
    counts = counts[(counts[:, 3] >= 0) & (counts[:, 0] < n_subjects) & (counts[:, 3] < n_subjects)]
    ways = gammaln(n_subjects + 1) - gammaln(counts + 1).sum(axis=1)
    limits = {name: interval(objective, counts) for name, interval in BY_FORMULA.items()}
    if bootstrap:
        drawn = candidates.bootstrapped(objective, counts, np.random.default_rng(n_subjects))
        limits |= {BOOTSTRAP[name]: ends for name, ends in drawn.items()}
    accepted = {name: {kappa: test(counts, kappa) for kappa in KAPPAS} for name, test in BY_TEST.items() if tests}
    inverted = {name: np.stack([test(counts, kappa) for kappa in GRID]) for name, test in BY_TEST.items() if tests}
    found = []
    for (first, second), kappa in product(MARGINS, KAPPAS):
        cells = _cells(first, second, kappa)
        if cells is None:
            continue
        chance = np.exp(ways + (counts * np.log(np.maximum(cells, 1e-300))).sum(axis=1))
        defined = chance.sum()
        chance = chance / defined
        population = f"margins {first:g} and {second:g}, kappa {kappa:g}"
        row = partial(Cell, n_raters=2, n_categories=2, weights="unweighted", n_subjects=n_subjects)
        for name, (low, high) in limits.items():
            covered = (low <= kappa + 1e-12) & (kappa <= high + 1e-12)
            found.append(
                row(
                    name,
                    population=population,
                    coverage=float(chance @ covered),
                    width=float(chance @ (high - low)),
                    undefined=float(1 - defined),
                )
            )
        for name in accepted:
            width = float(chance @ inverted[name].mean(axis=0)) * 2
            coverage = float(chance @ accepted[name][kappa])
            found.append(row(name, population=population, coverage=coverage, width=width, undefined=float(1 - defined)))
    return found


def simulated(
    n_raters: int,
    k: int,
    weights: str,
    n_subjects: int,
    n_draws: int,
    coefficient: str = "kappa",
    bootstrap: bool = False,
) -> list[Cell]:
    """Return the coverage of the intervals by formula in several populations, from tables drawn at random."""
    codes = np.array(list(product(range(k), repeat=n_raters)))
    objective = as_objective(km.from_ratings(codes + 1), weights=weights, coefficient=coefficient)
    evaluator = Evaluator(objective)
    rng = np.random.default_rng([n_raters, k, n_subjects, len(weights)])
    found = []
    for population, shares in populations(codes, k):
        truth = float(evaluator.value_of(evaluator.totals(shares * 1e9)))
        counts = rng.multinomial(n_subjects, shares / shares.sum(), size=n_draws)
        defined = np.isfinite(evaluator.value_of(evaluator.totals(counts)))
        if defined.mean() < 0.1:  # hardly any study of this size has a value
            continue
        counts = counts[defined]
        intervals = dict(BY_FORMULA)
        if coefficient != "kappa":
            intervals = {name: intervals[name] for name in list(BY_FORMULA)[:2]}
        elif len(codes) > _MOST_FOR_JACKKNIFE:
            intervals.pop("jackknife")
        limits = {name: interval(objective, counts) for name, interval in intervals.items()}
        if bootstrap:
            limits |= {BOOTSTRAP[n]: ends for n, ends in candidates.bootstrapped(objective, counts, rng).items()}
        for name, (low, high) in limits.items():
            covered = (low <= truth + 1e-12) & (truth <= high + 1e-12)
            found.append(
                Cell(
                    name if coefficient == "kappa" else f"{name}|{coefficient}",
                    *(n_raters, k, weights, n_subjects, population),
                    *(float(covered.mean()), float((high - low).mean()), float(1 - defined.mean()), len(counts)),
                )
            )
    return found


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
