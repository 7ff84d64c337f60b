"""Simulate how often comparisons of kappas of the same subjects reject a hypothesis that is true.

`python -m benchmarks.comparison_levels` prints the tables of docs/howto/comparing-kappas.md, in about half an hour on
one core. Their entries are the shares of studies, in percent, in which tests at the 5% level reject.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import stats

import kappamax as km
from benchmarks.markdown import table as markdown_table

METHODS = ("jackknife", "delta", "bootstrap")
#: number of subjects or of clusters, and whether these are clusters of 1 to 6 subjects
SIZES = ((20, False), (50, False), (100, False), (20, True), (50, True))
N_STUDIES = {"jackknife": 1_000, "delta": 1_000, "bootstrap": 500}
N_RESAMPLES = 199
SHARED = 0.5  # share of subjects whose true category, and of ratings whose being known, is that of the whole cluster

#: names of the compared kappas, with the number of raters and the pairs of raters
DESIGNS: Mapping[str, tuple[int, tuple[tuple[int, int], ...]]] = {
    "2, one rater in common": (3, ((0, 1), (0, 2))),
    "2, no rater in common": (4, ((0, 1), (2, 3))),
    "3, one rater in common": (4, ((0, 1), (0, 2), (0, 3))),
    "5, one rater in common": (6, ((0, 1), (0, 2), (0, 3), (0, 4), (0, 5))),
}

Levels = Mapping[tuple[str, str], float]


class Setting(NamedTuple):
    """A design and its population: raters who know some answers and guess the others by the shares of categories.

    `first` is the share of the first category; the others share the rest equally. `kappa` is the kappa of any two
    raters or, if there is a margin, that of the first two; that of the first and the last is smaller by the margin.
    """

    design: str
    n_categories: int
    weights: str
    first: float
    kappa: float
    margin: float = 0.0

    @property
    def known(self) -> np.ndarray:
        """Share of the answers that each rater knows; kappa of two raters is the product of their shares."""
        n_raters, _ = DESIGNS[self.design]
        shares = np.full(n_raters, self.kappa**0.5)
        shares[-1] = (self.kappa - self.margin) / shares[0]
        return shares


def settings() -> Iterator[Setting]:
    """Yield the designs and populations in which all kappas are equal."""
    for design in DESIGNS:
        scale = (3, "quadratic") if design.startswith("3") else (2, "unweighted")
        yield from (Setting(design, *scale, first, kappa) for first, kappa in product((0.5, 0.9), (0.3, 0.6, 0.8)))


def margin_settings() -> Iterator[Setting]:
    """Yield the populations in which the second kappa is smaller than the first by the margin."""
    for first, kappa in product((0.5, 0.9), (0.6, 0.8)):
        yield Setting("2, one rater in common", 2, "unweighted", first, kappa, 0.2)


def study(setting: Setting, size: int, clustered: bool, rng: np.random.Generator) -> km.Table:
    """Return the ratings of one study."""
    k, known = setting.n_categories, setting.known
    shares = np.array([setting.first] + [(1 - setting.first) / (k - 1)] * (k - 1))
    clusters = np.repeat(np.arange(size), rng.integers(1, 7, size) if clustered else 1)
    n, r = len(clusters), len(known)
    truth = rng.choice(k, n, p=shares)
    knows = rng.random((n, r)) < known
    if clustered:
        alike = rng.random(n) < SHARED
        truth = np.where(alike, rng.choice(k, size, p=shares)[clusters], truth)
        together = rng.random((n, r)) < SHARED
        knows = np.where(together, (rng.random((size, r)) < known)[clusters], knows)
    ratings = np.where(knows, truth[:, None], rng.choice(k, (n, r), p=shares))
    return km.Table(ratings, None, range(1, k + 1), ordered=True, clusters=clusters if clustered else None)


def rejections(
    setting: Setting, size: int, clustered: bool, n_studies: Mapping[str, int], seed: Sequence[int]
) -> Levels:
    """Return the shares of simulated studies that reject at the 5% level, by method and by kind of test.

    Studies in which a kappa is undefined or has no test do not reject.
    """
    rng = np.random.default_rng(seed)
    pairs = DESIGNS[setting.design][1]
    found: dict[tuple[str, str], float] = {}
    for i in range(max(n_studies.values())):
        table = study(setting, size, clustered, rng)
        for method, wanted in n_studies.items():
            if i >= wanted:
                continue
            options = {"method": method, "weights": setting.weights, "n_resamples": N_RESAMPLES, "rng": i}
            try:
                tests = _tests(table, pairs, setting, options)
            except km.errors.UndefinedKappaError:
                continue
            for test, pvalue in tests.items():
                rejects = pvalue is not None and pvalue <= 0.05
                found[method, test] = found.get((method, test), 0.0) + rejects / wanted
    return found


def _tests(
    table: km.Table, pairs: Sequence[Sequence[int]], setting: Setting, options: Mapping[str, object]
) -> dict[str, float | None]:
    """Return the p-value of equality and the smallest adjusted p-value of a difference, or that of a margin test.

    "covariance" is the p-value of equality by the F distribution with the covariance of the method, which differs from
    "equality" for the bootstrap. The null hypothesis of the test with a margin, non-inferiority, is just true.
    """
    if setting.margin:
        second, first = pairs
        options = {**options, "alternative": "non-inferiority", "margin": setting.margin}
        return {"margin": km.compare(table, first=first, second=second, **options).pvalue}
    result = km.compare_dependent(table, kappas=pairs, **options)
    adjusted = [one.adjusted_pvalue for one in result.differences if one.adjusted_pvalue is not None]
    return {"equality": result.pvalue, "differences": min(adjusted, default=None), "covariance": _by_f(result)}


def _by_f(result: km.results.DependentComparison) -> float | None:
    """Return the p-value of equality by the covariance of the result and the F distribution; None if it is singular."""
    values = np.array([one.value for one in result.coefficients])
    q, n = len(values) - 1, result.n_units
    contrasts = np.hstack([np.ones((q, 1)), -np.eye(q)])
    if result.covariance is None or np.linalg.cond(own := contrasts @ result.covariance @ contrasts.T) > 1e10:
        return None
    t2 = contrasts @ values @ np.linalg.solve(own, contrasts @ values)
    return float(stats.f.sf((n - q) / (q * (n - 1)) * t2, q, n - q))


def cell_seed(setting: Setting, size: int, clustered: bool) -> list[int]:
    """Return the seed of the studies of a setting."""
    return [
        size,
        int(clustered),
        list(DESIGNS).index(setting.design),
        *(round(10 * number) for number in (setting.first, setting.kappa, setting.margin)),
    ]


def _printed(rows: Sequence[Setting], run: Parallel, tests: Sequence[str]) -> None:
    """Simulate settings and print the levels of the jackknife, and the ranges of all methods."""
    cells = list(product(rows, SIZES))
    levels = run(delayed(rejections)(setting, *size, N_STUDIES, cell_seed(setting, *size)) for setting, size in cells)
    found = dict(zip(cells, levels, strict=True))
    names = [f"{'C' if clustered else 'N'} = {size}" for size, clustered in SIZES]
    header = ["kappas", "categories", "weights", "first category", "kappa", *names]
    for test in tests:
        body = [
            [setting.design, *(f"{one:g}" if isinstance(one, float) else str(one) for one in setting[1:5])]
            + [
                " / ".join(f"{100 * found[setting, size].get((method, test), 0.0):.1f}" for method in METHODS)
                for size in SIZES
            ]
            for setting in rows
        ]
        print(f"{test}: {' / '.join(METHODS)}\n")
        print(markdown_table(header, body), end="\n\n")
        summary = []
        for size, name in zip(SIZES, names, strict=True):
            ranges = []
            for method in METHODS:
                own = [100 * found[setting, size].get((method, test), 0.0) for setting in rows]
                ranges.append(f"{min(own):.1f} to {max(own):.1f}")
            summary.append([name, *ranges])
        print(markdown_table([test, *METHODS], summary), end="\n\n", flush=True)


def main() -> None:
    """Print the tables in Markdown."""
    run = Parallel(n_jobs=int(os.environ.get("KAPPAMAX_JOBS", os.cpu_count() or 1)))
    _printed(list(settings()), run, ("equality", "differences", "covariance"))
    _printed(list(margin_settings()), run, ("margin",))


if __name__ == "__main__":
    main()
