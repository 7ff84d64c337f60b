"""Simulate how often `value_test` rejects a null value that is true.

`python -m benchmarks.value_test_levels` prints the tables of docs/howto/testing-a-value.md, in half an hour on 2 cores.
Their entries are the shares of studies, in percent, in which tests at the 5% level reject.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

import kappamax as km
from benchmarks.markdown import table as markdown_table

SIZES = (20, 50, 100)
METHODS = ("simulation", "null", "estimate")
ALTERNATIVES = ("greater", "less", "two-sided")
N_STUDIES = 1_000
N_DRAWS = 999

Levels = Mapping[tuple[str, str], float]


class Setting(NamedTuple):
    """A design and its population: raters who know some answers and guess the others by the shares of categories.

    `first` is the share of the first category; the others share the rest equally.
    """

    n_raters: int
    n_categories: int
    weights: str
    first: float
    kappa: float

    @property
    def patterns(self) -> np.ndarray:
        """All possible patterns."""
        return np.array(list(product(range(self.n_categories), repeat=self.n_raters)))

    @property
    def shares(self) -> np.ndarray:
        """Shares of the patterns, for which kappa with any weights is the share of known answers."""
        used = np.array([self.first] + [(1 - self.first) / (self.n_categories - 1)] * (self.n_categories - 1))
        guessed = used[self.patterns].prod(axis=1)
        alike = (self.patterns == self.patterns[:, :1]).all(axis=1)
        guessed *= 1 - self.kappa
        guessed[alike] += self.kappa * used
        return guessed


def settings() -> Iterator[Setting]:
    """Yield the designs and populations of the study."""
    for r, k in product((2, 3), (2, 3)):
        for weights in ("unweighted",) if k == 2 else ("unweighted", "quadratic"):
            yield from (Setting(r, k, weights, *rest) for rest in product((0.5, 0.9), (0.0, 0.4, 0.6, 0.8)))


def rejections(setting: Setting, n: int, n_studies: int, seed: Sequence[int]) -> Levels:
    """Return the share of simulated studies that reject at the 5% level, by method and alternative.

    Studies in which kappa is undefined do not reject.
    """
    rng = np.random.default_rng(seed)
    found = dict.fromkeys(product(METHODS, ALTERNATIVES), 0)
    studies, times = np.unique(rng.multinomial(n, setting.shares, size=n_studies), axis=0, return_counts=True)
    labels = range(1, setting.n_categories + 1)
    for counts, often in zip(studies, times.tolist(), strict=True):
        used = counts > 0
        study = km.Table(setting.patterns[used], counts[used], labels, ordered=True)
        for method in METHODS:
            options = {"weights": setting.weights, "null": setting.kappa, "method": method}
            try:
                below, above = (
                    km.value_test(study, alternative=side, n_draws=N_DRAWS, rng=1, **options).pvalue
                    for side in ("less", "greater")
                )
            except km.errors.UndefinedKappaError:
                break
            if below is None or above is None:
                continue
            pvalues = {"less": below, "greater": above, "two-sided": 2 * min(below, above)}
            for alternative, pvalue in pvalues.items():
                found[method, alternative] += often * (pvalue <= 0.05)
    return {key: count / n_studies for key, count in found.items()}


def cell_seed(setting: Setting, n: int) -> list[int]:
    """Return the seed of the studies of a setting."""
    numbers = (setting.n_raters, setting.n_categories, len(setting.weights), setting.first, setting.kappa)
    return [n, *(round(10 * number) for number in numbers)]


def main() -> None:
    """Print the tables in Markdown."""
    rows = list(settings())
    cells = list(product(rows, SIZES))
    run = Parallel(n_jobs=os.cpu_count())
    levels = run(delayed(rejections)(setting, n, N_STUDIES, cell_seed(setting, n)) for setting, n in cells)
    found = dict(zip(cells, levels, strict=True))
    sides = [f"{side}, N = {n}" for side, n in product(ALTERNATIVES, SIZES)]
    body = [
        [f"{one:g}" if isinstance(one, float) else str(one) for one in setting]
        + [f"{100 * found[setting, n]['simulation', side]:.1f}" for side, n in product(ALTERNATIVES, SIZES)]
        for setting in rows
    ]
    print(markdown_table(["raters", "categories", "weights", "first category", "kappa", *sides], body))
    print()
    summary = []
    for n, side in product(SIZES, ALTERNATIVES):
        ranges = []
        for method in METHODS:
            own = [100 * found[setting, n][method, side] for setting in rows]
            ranges.append(f"{min(own):.1f} to {max(own):.1f}")
        summary.append([str(n), side, *ranges])
    print(markdown_table(["N", "alternative", *METHODS], summary))


if __name__ == "__main__":
    main()
