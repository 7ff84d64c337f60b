"""Simulate how often `value_test` rejects a null value that is true.

`python -m benchmarks.value_test_levels` prints the table of docs/howto/testing-a-value.md. It gives the share of
studies, in percent, in which tests at the 5% level reject, with the standard error under the null value and with the
estimated one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

import kappamax as km
from kappamax.standard_errors import one_sided_pvalues

SIZES = (20, 50, 100)
METHODS = ("null", "estimate")
ALTERNATIVES = ("greater", "two-sided")


def settings() -> Iterator[tuple[int, int, float, float]]:
    """Raters, categories, share of the first category (the others share the rest), and the true value of kappa."""
    return product((2, 3), (2, 3), (0.5, 0.8), (0.0, 0.4, 0.6, 0.8))


def n_draws(n_raters: int, n_categories: int) -> int:
    """Number of simulated studies; fewer where nearly all of them are different tables."""
    return 10_000 if n_categories**n_raters <= 9 else 4_000


def margins(n_categories: int, first: float) -> list[float]:
    return [first] + [(1 - first) / (n_categories - 1)] * (n_categories - 1)


def population(n_raters: int, shares: list[float], kappa: float) -> tuple[km.Table, np.ndarray]:
    """The table that planning assumes for these margins, and the shares of its patterns."""
    unchecked = km.planning.Formula(n_draws=0)
    table = km.sample_size(margins=shares, kappa=kappa, width=0.5, n_raters=n_raters, method=unchecked).table
    return table, table.counts / table.n_subjects


def rejections(
    table: km.Table, shares: np.ndarray, null: float, n: int, draws: int, rng: np.random.Generator
) -> dict[tuple[str, str], float]:
    """Share of simulated studies that reject at the 5% level, by method and alternative.

    Studies in which kappa is undefined do not reject.
    """
    found = dict.fromkeys(product(METHODS, ALTERNATIVES), 0)
    studies, times = np.unique(rng.multinomial(n, shares, size=draws), axis=0, return_counts=True)
    for counts, often in zip(studies, times.tolist(), strict=True):
        used = counts > 0
        study = km.Table(table.patterns[used], counts[used], table.categories, ordered=True)
        for method in METHODS:
            try:
                test = km.value_test(study, null=null, method=method)
            except km.errors.UndefinedKappaError:
                break
            if test.statistic is None:
                continue
            less, greater = one_sided_pvalues(test.statistic, test.df)
            found[method, "greater"] += often * (greater <= 0.05)
            found[method, "two-sided"] += often * (2 * min(less, greater) <= 0.05)
    return {key: count / draws for key, count in found.items()}


def main() -> None:
    """Print the table in Markdown."""
    sides = [f"{alternative}, N = {n}" for alternative, n in product(ALTERNATIVES, SIZES)]
    print("| raters | categories | first category | kappa |", " | ".join(sides), "|")
    print("|---|---|---|---|" + "---|" * len(sides))
    for r, k, first, kappa in settings():
        table, shares = population(r, margins(k, first), kappa)
        seed = [r, k, round(10 * first), round(10 * kappa)]
        levels = [rejections(table, shares, kappa, n, n_draws(r, k), np.random.default_rng([*seed, n])) for n in SIZES]
        cells = [
            " / ".join(f"{100 * level[method, alternative]:.1f}" for method in METHODS)
            for alternative, level in product(ALTERNATIVES, levels)
        ]
        print(f"| {r} | {k} | {first:g} | {kappa:g} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
