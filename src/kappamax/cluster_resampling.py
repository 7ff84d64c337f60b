"""Count the patterns of each cluster, and draw resamples of the subjects or of whole clusters.

A resample is a row of counts, one per pattern of the table. Subjects of one cluster may be alike, so they are drawn
together: a resample has as many clusters as the table, drawn with replacement, and its number of subjects varies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kappamax._typing import Integers
from kappamax.patterns import pattern_positions
from kappamax.table import Table

_FEW_PATTERNS = 1_000
_SUBJECTS_PER_PATTERN = 8  # drawing one count takes about as long as drawing this many subjects


def resampled_counts(table: Table, size: int, rng: np.random.Generator) -> Integers:
    """Return the counts of the patterns of a table in resamples, one per row, shape (size, m).

    Clusters are drawn if the table has them; otherwise, subjects are drawn.

    Parameters
    ----------
    table : Table
        Table of m patterns.
    size : int
        Number of resamples.
    rng : numpy.random.Generator
        Random generator.
    """
    if table.clusters is None:
        return resampled_units(table, size, rng)
    by_pattern, n_clusters = counts_by_cluster(table).T.tocsr(), table.clusters.n_clusters
    rows = [by_pattern @ _draw(n_clusters, rng) for _ in range(size)]  # one at a time, since clusters may be many
    return np.array(rows, dtype=np.int64).reshape(size, len(table.counts))


def resampled_units(table: Table, size: int, rng: np.random.Generator) -> Integers:
    """Return how often each cluster is drawn in resamples, one per row, or the counts of the patterns without clusters.

    The arguments are those of `resampled_counts`, which draws the same resamples from the same generator. The shape is
    (size, n_clusters) or (size, m).
    """
    m, n = len(table.counts), table.n_subjects
    if table.clusters is not None:
        n_clusters = table.clusters.n_clusters
        return np.array([_draw(n_clusters, rng) for _ in range(size)], dtype=np.int64).reshape(size, n_clusters)
    if m <= _FEW_PATTERNS or m * _SUBJECTS_PER_PATTERN <= n:
        return rng.multinomial(n, table.counts / n, size=size)
    starts = np.cumsum(table.counts) - table.counts
    return np.array([np.add.reduceat(_draw(n, rng), starts) for _ in range(size)], dtype=np.int64).reshape(size, m)


def _draw(n: int, rng: np.random.Generator) -> Integers:
    """Return how often each of n units occurs in a sample of n units with replacement."""
    return np.bincount(rng.integers(n, size=n), minlength=n)


def counts_by_cluster(table: Table) -> Any:
    """Return the number of subjects of each pattern in each cluster, a sparse array of shape (n_clusters, m).

    Its product with a value for each pattern is the total of the values in each cluster.

    Parameters
    ----------
    table : Table
        Table with clusters and m patterns.
    """
    from scipy.sparse import csr_array  # imported here because the import takes 0.1 s

    assert table.clusters is not None
    clusters = table.clusters
    places = pattern_positions(clusters.patterns, table.patterns, table.n_categories)
    return csr_array((clusters.counts, (clusters.codes, places)), shape=(clusters.n_clusters, len(table.counts)))
