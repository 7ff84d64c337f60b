"""Store the patterns of ratings of all subjects, and count subjects and ratings in them.

More than 20,000 single subjects are not grouped until their distinct patterns are asked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from kappamax._integers import dot
from kappamax._typing import Codes, Integers
from kappamax.clusters import Clusters, clusters_of_subjects, grouped_clusters, numbered
from kappamax.patterns import group_patterns, margins_of, n_ratings_of

_GROUPED_AT_ONCE = 20_000


class Rows(NamedTuple):
    """Patterns, which may repeat, with the number of subjects and the number of ratings of each."""

    patterns: Codes
    counts: Integers
    n_ratings: Integers


class RatedSubjects:
    """The patterns of ratings of all subjects, and their clusters.

    Attributes
    ----------
    rows : Rows
        The stored patterns, which are distinct or, for large data, one per subject.
    n_subjects, n_raters, n_categories : int
        Number of subjects with at least one rating, of raters and of categories.
    n_left_out : int
        Number of subjects that are not among the patterns.
    clusters : Clusters or None
        The subjects by cluster; None if they are not in clusters.
    """

    rows: Rows
    n_subjects: int
    n_raters: int
    n_categories: int
    n_left_out: int
    clusters: Clusters | None = None

    def _hold(
        self,
        codes: Codes,
        sizes: Integers | None,
        n_categories: int,
        n_left_out: int = 0,
        belongs: Integers | None = None,
        cluster_name: str | None = None,
    ) -> None:
        """Store patterns and counts; a large number of single subjects is grouped only when `grouped` is used.

        `belongs` is the cluster of each row.
        """
        self.n_raters, self.n_categories = codes.shape[1], n_categories
        given = len(codes) if sizes is None else int(sizes.sum())
        if sizes is None and len(codes) > _GROUPED_AT_ONCE:
            n_ratings = n_ratings_of(codes)
            if not n_ratings.all():
                rated = n_ratings > 0
                codes, n_ratings = codes[rated], n_ratings[rated]
                belongs = None if belongs is None else numbered(belongs[rated])
            self.rows = _read_only(Rows(codes, np.ones(len(codes), dtype=np.int64), n_ratings))
            if belongs is not None:
                self.clusters = clusters_of_subjects(codes, belongs, self.rows.counts, cluster_name)
        else:
            self.rows = self.grouped = self._group(codes, sizes)
            if belongs is not None:
                self.clusters = grouped_clusters(codes, belongs, sizes, cluster_name, n_categories=self.n_categories)
        self.n_subjects = int(self.rows.counts.sum())
        self.n_left_out = n_left_out + given - self.n_subjects

    def _group(self, codes: Codes, sizes: Integers | None) -> Rows:
        patterns, counts = group_patterns(codes, sizes, n_categories=self.n_categories)
        return _read_only(Rows(patterns, counts, n_ratings_of(patterns)))

    @cached_property
    def grouped(self) -> Rows:
        """The distinct patterns in lexicographic order, with the number of subjects and of ratings of each."""
        return self._group(self.rows.patterns, None)

    @property
    def patterns(self) -> Codes:
        """The distinct patterns in lexicographic order, shape (m, n_raters)."""
        return self.grouped.patterns

    @property
    def counts(self) -> Integers:
        """Number of subjects with each pattern, shape (m,)."""
        return self.grouped.counts

    @property
    def n_ratings(self) -> Integers:
        """Number of ratings in each pattern, shape (m,)."""
        return self.grouped.n_ratings

    @property
    def n_missing(self) -> int:
        """Number of missing ratings over all subjects in the table."""
        return dot(self.rows.counts, self.n_raters - self.rows.n_ratings)

    @property
    def n_incomplete(self) -> int:
        """Number of subjects that lack the rating of at least one rater."""
        return int(self.rows.counts[self.rows.n_ratings < self.n_raters].sum())

    @cached_property
    def complete(self) -> bool:
        """Whether every rater rated every subject."""
        return bool((self.rows.n_ratings == self.n_raters).all())

    @cached_property
    def margins(self) -> Integers:
        """Number of subjects that each rater put into each category, shape (n_raters, n_categories)."""
        margins = margins_of(self.rows.patterns, self.rows.counts, self.n_categories)
        margins.setflags(write=False)
        return margins


def _read_only(rows: Rows) -> Rows:
    for array in rows:
        array.setflags(write=False)
    return rows
