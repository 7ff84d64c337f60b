"""Sum the deviations between the raters' ratings over the subjects of each cluster, for tests of their margins."""

from __future__ import annotations

from math import lcm

import numpy as np

from kappamax._integers import widen
from kappamax._typing import Array
from kappamax.clusters import Clusters
from kappamax.patterns import n_ratings_of
from kappamax.table import Table


def cluster_moments(table: Table, clusters: Clusters) -> tuple[Array, Array, int]:
    """Return the sum of the deviations of the clusters, the sum of their squares, and the number of clusters.

    The deviation of a rating is its indicator of each category, minus the mean of the indicators over the raters of
    the subject. Deviations are multiplied by a common unit, so that they are whole numbers. The last rater and the last
    category are left out, since the deviations sum to zero over raters and over categories. Clusters in which no
    subject has two ratings are not counted.
    """
    n_ratings = n_ratings_of(clusters.patterns)
    used = n_ratings >= 2
    patterns, counts, sizes = clusters.patterns[used], clusters.counts[used], n_ratings[used]
    kept, codes = np.unique(clusters.codes[used], return_inverse=True)
    unit = lcm(*(int(size) for size in np.unique(sizes)))
    r, k, n = table.n_raters, table.n_categories, len(kept)
    largest = unit * r * int(counts.sum())
    factors = widen(counts * (unit // sizes), largest)
    sums = np.zeros((n, (r - 1) * (k - 1)), dtype=widen(np.zeros(1, dtype=np.int64), n * largest**2).dtype)
    for category in range(k - 1):
        present = patterns == category
        together = present.sum(axis=1)
        for rater in range(r - 1):
            rated = patterns[:, rater] >= 0
            deviations = factors * (sizes * present[:, rater] - together) * rated
            np.add.at(sums[:, rater * (k - 1) + category], codes, deviations)
    return sums.sum(axis=0), sums.T @ sums, n
