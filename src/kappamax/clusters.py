"""Hold the clusters of the subjects of a table, such as the lesions of a patient or the items of a document.

Subjects of one cluster may be alike. This matters for standard errors and never for the value of a coefficient.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from kappamax._typing import Array, Codes, Integers
from kappamax.errors import InvalidTableError
from kappamax.patterns import group_keys, pattern_keys


class Clusters(NamedTuple):
    """The subjects of a table by cluster.

    Attributes
    ----------
    patterns : integers, shape (m, n_raters)
        Patterns of ratings, coded like those of the table. Rows may repeat; together they are the subjects of the
        table.
    codes : integers, shape (m,)
        Cluster of each row, from 0 to n_clusters - 1.
    counts : integers, shape (m,)
        Number of subjects of each row, at least 1.
    name : str or None
        Name of the column that gives the clusters, for sentences.
    """

    patterns: Codes
    codes: Integers
    counts: Integers
    name: str | None

    @property
    def n_clusters(self) -> int:
        """Number of clusters, each of which has at least one subject."""
        return int(self.codes.max()) + 1

    def same_subjects(self, other: Clusters) -> bool:
        """Return whether the clusters of both have the same subjects, whatever the clusters are called.

        Parameters
        ----------
        other : Clusters
            Clusters of subjects that the same raters rated.
        """
        return self.n_clusters == other.n_clusters and _contents(self) == _contents(other)


def as_cluster_codes(labels: Any, n_rows: int) -> Integers:
    """Return the position of the cluster of each row among all clusters in order; labels are taken as they stand."""
    array = np.asarray(labels)
    if array.dtype.kind not in "biuU":
        array = np.empty(len(labels), dtype=object)
        array[:] = list(labels)
    if array.shape != (n_rows,):
        raise InvalidTableError(f"clusters must hold one entry per pattern ({n_rows}); got shape {array.shape}.")
    if array.dtype.kind in "biu":
        return numbered(array)
    if array.dtype.kind == "O":
        wrong = [i for i, label in enumerate(array.tolist()) if label is None or label != label]  # NaN is not itself
        if wrong:
            raise InvalidTableError(
                f"every row must have a cluster; {len(wrong):,} of {n_rows:,} rows have none, first row {wrong[0] + 1}."
            )
        names = sorted(set(array.tolist()), key=lambda label: (isinstance(label, str), label))
        position = {name: i for i, name in enumerate(names)}
        return np.fromiter(map(position.__getitem__, array.tolist()), dtype=np.int64, count=n_rows)
    return np.asarray(np.unique(array, return_inverse=True)[1], dtype=np.int64)


def clusters_of_subjects(patterns: Codes, codes: Integers, counts: Integers, name: str | None) -> Clusters:
    """Return the clusters of rows as they are, each of which must have a rating and a subject."""
    return _read_only(Clusters(patterns, codes, counts, name))


def grouped_clusters(
    patterns: Codes, codes: Integers, counts: Integers | None, name: str | None, *, n_categories: int
) -> Clusters:
    """Return the distinct patterns of each cluster, in the order of the clusters and then of the patterns.

    Rows without ratings or subjects are dropped, and so are clusters without other rows.

    Parameters
    ----------
    patterns : integers, shape (m, n_raters)
        Positions of categories; -1 for a missing rating.
    codes : integers, shape (m,)
        Cluster of each row, numbered from 0.
    counts : integers, shape (m,), or None
        Number of subjects of each row; None if each is one subject.
    name : str or None
        Name of the column of the clusters.
    n_categories : int
        Number of categories.
    """
    keys, n_keys = pattern_keys(patterns, n_categories)
    kept = keys > 0
    if counts is not None:
        kept &= counts > 0
    if n_keys > 2**62 // (int(codes.max(initial=0)) + 1):
        keys = np.unique(keys, return_inverse=True)[1]
        n_keys = len(keys)
    first, sums = group_keys(codes * n_keys + keys, counts, kept)
    return _read_only(Clusters(np.asfortranarray(patterns[first]), numbered(codes[first]), sums, name))


def numbered(codes: Array) -> Integers:
    """Return whole numbers as positions among those that occur, in increasing order."""
    if codes.dtype.kind == "b":
        codes = codes.astype(np.int64)
    low, high = (int(codes.min()), int(codes.max())) if len(codes) else (0, 0)
    if high - low > 4 * len(codes) + 1024 or high >= 2**62 or low < -(2**62):
        return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.int64)
    shifted: Integers = np.subtract(codes, low, dtype=np.int64, casting="unsafe")
    occurs = np.bincount(shifted) > 0
    return shifted if occurs.all() else (np.cumsum(occurs) - 1)[shifted]


def _contents(clusters: Clusters) -> Counter[bytes]:
    """Return how many clusters have each collection of subjects."""
    patterns, codes, counts, _ = grouped_clusters(
        clusters.patterns, clusters.codes, clusters.counts, None, n_categories=int(clusters.patterns.max()) + 1
    )
    rows = np.column_stack([patterns.astype(np.int64), counts])
    ends = np.flatnonzero(np.diff(codes)) + 1
    bounds = [0, *ends.tolist(), len(codes)]
    return Counter(rows[start:end].tobytes() for start, end in pairwise(bounds))


def _read_only(clusters: Clusters) -> Clusters:
    for array in clusters[:3]:
        array.setflags(write=False)
    return clusters
