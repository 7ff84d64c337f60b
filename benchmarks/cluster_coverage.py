"""Simulate how often 95 % intervals contain kappa if subjects are in clusters.

`python -m benchmarks.cluster_coverage` prints the table of docs/howto/clustered-ratings.md in some minutes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import product

import numpy as np
from joblib import Parallel, delayed

import kappamax as km
from benchmarks.markdown import table as markdown_table
from kappamax._typing import Array

N_STUDIES = 400
LARGEST_CLUSTER = 6


@dataclass(frozen=True)
class Setting:
    """A design, and a population in which subjects of a cluster share answers.

    Raters know the true category of a share `kappa` of the subjects and guess the others. With probability `alike`, a
    subject has the true category, the knowledge or the guesses of its cluster, each independently of the others.
    """

    n_clusters: int
    n_raters: int
    n_categories: int
    weights: str
    first: float
    kappa: float
    alike: float

    def study(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return the codes of a study, one row per subject, and the cluster of each subject."""
        k, c, r = self.n_categories, self.n_clusters, self.n_raters
        shares = [self.first] + [(1 - self.first) / (k - 1)] * (k - 1)
        clusters = np.repeat(np.arange(c), rng.integers(1, LARGEST_CLUSTER + 1, c))
        n = len(clusters)
        shared = rng.random((3, n)) < self.alike
        truth = np.where(shared[0], rng.choice(k, c, p=shares)[clusters], rng.choice(k, n, p=shares))
        known = np.where(shared[1], (rng.random(c) < self.kappa)[clusters], rng.random(n) < self.kappa)
        guesses = np.where(
            shared[2][:, None], rng.choice(k, (c, r), p=shares)[clusters], rng.choice(k, (n, r), p=shares)
        )
        return np.where(known[:, None], truth[:, None], guesses), clusters


SETTINGS = [
    Setting(c, *design, *population)
    for c, design, population in product(
        (20, 50),
        ((2, 2, "unweighted"), (2, 3, "linear"), (2, 3, "quadratic"), (3, 3, "unweighted")),
        ((0.5, 0.6, 0.0), (0.5, 0.6, 0.8), (0.8, 0.8, 0.5), (0.8, 0.8, 1.0)),
    )
]


def coverage(setting: Setting, n_studies: int, seed: int) -> dict[str, float]:
    """Return the share of the studies with a defined kappa whose intervals contain kappa."""
    rng = np.random.default_rng(seed)
    hits = dict.fromkeys(("adjusted, clusters", "normal, clusters", "adjusted, subjects"), 0)
    n_defined = 0
    labels = range(1, setting.n_categories + 1)
    for _ in range(n_studies):
        codes, clusters = setting.study(rng)
        if (codes == codes[0, 0]).all():
            continue
        n_defined += 1
        together = km.Table(codes, None, labels, ordered=True, clusters=clusters)
        alone = km.Table(codes, None, labels, ordered=True)
        for name, table, interval in (
            ("adjusted, clusters", together, "adjusted"),
            ("normal, clusters", together, "normal"),
            ("adjusted, subjects", alone, "adjusted"),
        ):
            low, high = km.kappa(table, weights=setting.weights, interval=interval).ci or (np.nan, np.nan)
            hits[name] += low <= setting.kappa <= high
    return {name: count / n_defined for name, count in hits.items()}


def main() -> None:
    """Print the table in Markdown."""
    run = Parallel(n_jobs=os.cpu_count())
    found = run(delayed(coverage)(setting, N_STUDIES, seed) for seed, setting in enumerate(SETTINGS))
    header = ["clusters", "raters", "categories", "weights", "first category", "kappa", "alike", *found[0]]
    body = [
        [*(str(value) for value in vars(setting).values()), *(f"{100 * share:.1f} %" for share in shares.values())]
        for setting, shares in zip(SETTINGS, found, strict=True)
    ]
    means = [f"{100 * np.mean([shares[name] for shares in found]):.1f} %" for name in found[0]]
    print(markdown_table(header, [*body, ["mean", *[""] * 6, *means]]))


if __name__ == "__main__":
    main()
