"""Simulate how often tests of `compare_groups` reject true hypotheses, and how often its intervals cover.

`python -m benchmarks.group_test_levels` prints the tables of docs/howto/groups-and-time.md, in an hour on one core;
`python -m benchmarks.group_test_levels 20,20` simulates the groups of 20 and 20 subjects only. Entries are shares of
studies in percent.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

import kappamax as km
from benchmarks.markdown import table as markdown_table
from benchmarks.value_test_levels import Setting

#: number of simulated studies by the sizes of the groups
DESIGNS = {
    (20, 20): 400,
    (20, 80): 200,
    (50, 50): 200,
    (20,) * 5: 200,
    (10, 20, 40, 60, 100): 100,
}
SHOWN = ((20, 20), (20,) * 5)  # designs whose populations are listed in the documentation
CALLS = (("simulation", "stratified"), ("welch", "subjects"), ("chi2", "inverse-variance"))
LEVELS = ("simulation", "welch", "chi2", "pairs", "trend")
COVERAGES = ("differences", "stratified", "subjects", "inverse-variance", "slope")
N_DRAWS = 399
_MANY = 10  # groups above which few populations are simulated


class Population(NamedTuple):
    """Groups of subjects whose raters know some answers and guess the others by the shares of the categories.

    `first` and `kappas` are the share of the first category and kappa, in turn, of the first, second, first, ... group.
    """

    sizes: tuple[int, ...]
    n_categories: int
    weights: str
    first: tuple[float, float]
    kappas: tuple[float, float]

    @property
    def groups(self) -> list[Setting]:
        """The population of every group."""
        return [
            Setting(2, self.n_categories, self.weights, self.first[i % 2], self.kappas[i % 2])
            for i in range(len(self.sizes))
        ]

    @property
    def cells(self) -> list[str]:
        """The first cells of the row of the population in a table."""
        shares, kappas = (" / ".join(f"{one:g}" for one in dict.fromkeys(pair)) for pair in (self.first, self.kappas))
        return [_design(self.sizes), str(self.n_categories), self.weights, shares, kappas]


def populations(sizes: tuple[int, ...]) -> Iterator[Population]:
    """Yield the populations of the study for groups of given sizes."""
    prevalences = ((0.5, 0.5), (0.9, 0.9), (0.5, 0.9))
    kappas = ((0.0, 0.0), (0.4, 0.4), (0.8, 0.8), (0.8, 0.4))
    scales = ((2, "unweighted"), (3, "unweighted"), (3, "quadratic"))
    if len(sizes) > _MANY:
        prevalences, kappas, scales = prevalences[:1], kappas[1:3], scales[::2]
    yield from (Population(sizes, *scale, *rest) for scale in scales for rest in product(prevalences, kappas))


def simulated(population: Population, n: int, seed: Sequence[int]) -> dict[str, float]:
    """Return the shares of studies that reject at the 5% level, and of 95% intervals that contain the true value.

    "pairs" is the share of studies in which a true hypothesis about some pair of groups is rejected, and "differences"
    the share in which all simultaneous intervals contain the true differences. Populations with different kappas have
    these two only.
    """
    rng = np.random.default_rng(seed)
    truth = {str(i): setting.kappa for i, setting in enumerate(population.groups)}
    equal = len(set(truth.values())) == 1
    seen: dict[str, list[bool]] = defaultdict(list)
    for _ in range(n):
        tables = {str(i): _drawn(setting, size, rng) for i, (setting, size) in enumerate(_groups_of(population))}
        for method, pooling in CALLS if equal else CALLS[:1]:
            options = {"weights": population.weights, "method": method, "pooling": pooling, "n_draws": N_DRAWS}
            found = km.compare_groups(tables, trend=method == "simulation", **options)
            if equal:
                pvalue = found.homogeneity.pvalue
                seen[method].append(pvalue is not None and pvalue <= 0.05)
                seen[pooling].append(_contains(found.pooled.ci, truth["0"]))
            if method == "simulation":
                _add_contrasts(found, truth, equal, seen)
    return {name: float(np.mean(own)) for name, own in seen.items() if own}


def _groups_of(population: Population) -> Iterator[tuple[Setting, int]]:
    yield from zip(population.groups, population.sizes, strict=True)


def _drawn(setting: Setting, n: int, rng: np.random.Generator) -> km.Table:
    counts = rng.multinomial(n, setting.shares)
    labels = range(1, setting.n_categories + 1)
    return km.Table(setting.patterns[counts > 0], counts[counts > 0], labels, ordered=True)


def _add_contrasts(
    found: km.results.GroupComparison, truth: dict[str, float], equal: bool, seen: dict[str, list[bool]]
) -> None:
    """Record whether tests of differences and trends reject, and whether their intervals cover."""
    true = [truth[one.first] - truth[one.second] for one in found.differences]
    if true:
        pairs = list(zip(found.differences, true, strict=True))
        seen["differences"].append(all(_contains(one.ci, difference) for one, difference in pairs))
        if 0 in true:
            seen["pairs"].append(any(one.pvalue <= 0.05 for one, difference in pairs if difference == 0))
    if equal and found.trend.slope is not None:
        seen["trend"].append(found.trend.pvalue <= 0.05)
        seen["slope"].append(_contains(found.trend.ci, 0.0))


def _contains(ends: tuple[float, float] | None, value: float) -> bool:
    return ends is not None and ends[0] <= value + 1e-12 and value - 1e-12 <= ends[1]


def study_seed(population: Population) -> list[int]:
    """Return the seed of the studies of a population."""
    numbers = (population.n_categories, len(population.weights), *population.first, *population.kappas)
    return [len(population.sizes), sum(population.sizes), *(round(10 * number) for number in numbers)]


def _design(sizes: tuple[int, ...]) -> str:
    alike = len(set(sizes)) == 1 and len(sizes) > 2
    return f"{len(sizes)} x {sizes[0]}" if alike else ", ".join(map(str, sizes))


def main(designs: Sequence[tuple[int, ...]]) -> None:
    """Print the ranges of each design, and the populations of the smallest groups, in Markdown."""
    names, rows, summary = (*LEVELS, *COVERAGES), [], []
    for sizes in designs:
        found = []
        for population in populations(sizes):
            found.append(simulated(population, DESIGNS[sizes], study_seed(population)))
            shares = [f"{100 * found[-1][name]:.1f}" if name in found[-1] else "" for name in names]
            print("|".join([*population.cells, *shares]), file=sys.stderr, flush=True)
            if sizes in SHOWN:
                rows.append([*population.cells, *shares])
        ranges = []
        for name in names:
            own = [100 * one[name] for one in found if name in one]
            ranges.append(f"{min(own):.1f} to {max(own):.1f}" if own else "")
        summary.append([_design(sizes), str(DESIGNS[sizes]), *ranges])
    print(markdown_table(["subjects", "studies", *names], summary))
    print()
    print(markdown_table(["subjects", "categories", "weights", "first category", "kappa", *names], rows))


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else None
    main([sizes for sizes in DESIGNS if asked is None or _design(sizes).replace(" ", "") == asked.replace(" ", "")])
