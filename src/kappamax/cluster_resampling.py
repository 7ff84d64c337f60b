"""Count the patterns of each cluster, and draw resamples of the subjects or of whole clusters.

A resample is a row of counts, one per pattern of the table. Subjects of one cluster may be alike, so they are drawn
together: a resample has as many clusters as the table, drawn with replacement, and its number of subjects varies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kappamax._typing import Integers
from kappamax.clusters import Clusters
from kappamax.patterns import pattern_keys
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
    m, n = len(table.counts), table.n_subjects
    if table.clusters is not None:
        by_pattern = counts_by_cluster(table).T.tocsr()
        n_clusters = table.clusters.n_clusters
        resamples = np.empty((size, m), dtype=np.int64)
        for row in resamples:
            row[:] = by_pattern @ np.bincount(rng.integers(n_clusters, size=n_clusters), minlength=n_clusters)
        return resamples
    if m <= _FEW_PATTERNS or m * _SUBJECTS_PER_PATTERN <= n:
        return rng.multinomial(n, table.counts / n, size=size)
    subjects = np.repeat(np.arange(m), table.counts)
    return np.array([np.bincount(subjects[rng.integers(n, size=n)], minlength=m) for _ in range(size)]).reshape(size, m)


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
    cells = (clusters.codes, _positions(table, clusters))
    return csr_array((clusters.counts, cells), shape=(clusters.n_clusters, len(table.counts)))


def _positions(table: Table, clusters: Clusters) -> Integers:
    """Return the position of the pattern of each row of the clusters among the patterns of the table."""
    m = len(table.patterns)
    keys, _ = pattern_keys(np.concatenate([table.patterns, clusters.patterns]), table.n_categories)
    return np.searchsorted(keys[:m], keys[m:])  # patterns of the table are sorted like their keys
