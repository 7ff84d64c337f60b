"""Define the table of ratings, which gives the number of subjects with each pattern of ratings.

With 20 raters and 5 categories there are 10^14 possible patterns, but at most one per subject occurs. Therefore only
the patterns that occur are stored, and a dense array is made on request for small designs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._frames import frame_of
from kappamax._result import plain
from kappamax._typing import Codes, Integers
from kappamax._validate import as_rater_index
from kappamax._validate_table import as_categories, as_counts, as_patterns, as_rater_names
from kappamax.clusters import Clusters, as_cluster_codes
from kappamax.display import rating_tables, text
from kappamax.errors import InvalidOptionError, InvalidRatingsError, InvalidTableError, NotSupportedError
from kappamax.patterns import MISSING, as_dense_shape, pair_counts
from kappamax.rated_subjects import RatedSubjects, Rows
from kappamax.reading import DataSummary, Reading
from kappamax.table_printing import PrintedTable

__all__ = ["Clusters", "Label", "Rows", "Table"]

Label = str | int | float


class Table(RatedSubjects):
    """The number of subjects with each pattern of ratings.

    Tables are usually made by `from_ratings`, `from_counts` or `read_ratings`. Equal patterns are merged, patterns
    without a rating or with a count of zero are dropped, and the others are sorted, so that equal data give equal
    tables.

    Parameters
    ----------
    patterns : integers, shape (m, n_raters)
        For each pattern, the position in `categories` of every rater's rating; -1 for a missing rating.
    counts : integers, shape (m,), or None
        Number of subjects with each pattern. None if every row is one subject.
    categories : sequence of labels
        All categories, including unused ones.
    raters : sequence of str, optional
        Names of the raters, default "1", "2", and so on.
    ordered : bool
        Whether the categories are ordered. If they are not, weights that depend on an order cannot be used.
    n_left_out : int
        Number of subjects in the data that are not among the patterns, default 0.
    clusters : labels or integers, shape (m,), optional
        Cluster of the subjects of each row of `patterns`. By default, subjects are not in clusters.
    cluster_name : str, optional
        Name of the clusters, such as "patient".

    Attributes
    ----------
    categories : tuple of labels
        All categories, including unused ones.
    raters : tuple of str
        Names of the raters.
    ordered : bool
        Whether the categories are ordered.
    n_subjects, n_raters, n_categories : int
        Number of subjects with at least one rating (N), of raters (r) and of categories, including unused ones (k).
    rows : Rows
        The stored patterns, which are distinct or, for large data, one per subject. They suffice for sums over
        subjects; `patterns` and `counts` contain each distinct pattern once.
    n_left_out : int
        Number of subjects that are not in the table because no rater rated them or because they were left out on
        request.
    reading : Reading
        Record of how the ratings were read: file, layout, what counts as missing, what was left out, and notes.
    clusters : Clusters or None
        The subjects by cluster; None if they are not in clusters. Clusters affect standard errors only.

    Raises
    ------
    InvalidTableError
        If patterns, counts or clusters do not have the right shape, or contain a wrong number.
    InvalidRatingsError
        If there are fewer than two raters, there is no subject, or a rater rated no subject.
    InvalidOptionError
        If categories or raters are not different labels, or their number is wrong.

    Examples
    --------
    >>> Table([[0, 0], [0, 1]], [3, 1], ["no", "yes"], ordered=True).margins
    array([[4, 0],
           [3, 1]])
    """

    categories: tuple[Label, ...]
    raters: tuple[str, ...]
    ordered: bool
    frame_library: str | None = None
    reading: Reading = Reading()

    def __init__(
        self,
        patterns: npt.ArrayLike,
        counts: npt.ArrayLike | None = None,
        categories: Sequence[Label] | None = None,
        raters: Sequence[str] | None = None,
        *,
        ordered: bool | None = None,
        n_left_out: int = 0,
        clusters: npt.ArrayLike | None = None,
        cluster_name: str | None = None,
    ) -> None:
        if categories is None or ordered is None:
            raise InvalidTableError(
                "a Table is made from patterns with categories= and ordered=. Use km.from_counts(...) for a table of "
                "counts, and km.from_ratings(...) for ratings."
            )
        codes = as_patterns(patterns, len(categories))
        sizes = None if counts is None else as_counts(counts)
        if sizes is not None and sizes.shape != (len(codes),):
            raise InvalidTableError(f"counts must hold one number per pattern ({len(codes)}); got shape {sizes.shape}.")
        if sizes is not None and not sizes.any():
            raise InvalidRatingsError("there must be at least one subject; every count is zero.")
        self.categories = as_categories(categories)
        self.raters = as_rater_names(raters, codes.shape[1])
        self.ordered = bool(ordered)
        belongs = None if clusters is None else as_cluster_codes(clusters, len(codes))
        self._hold(codes, sizes, len(self.categories), n_left_out, belongs, cluster_name)
        idle = np.flatnonzero(self.margins.sum(axis=1) == 0)
        if len(idle):
            raise InvalidRatingsError(
                f"every rater must have rated at least one subject; {self.raters[idle[0]]!r} rated none."
            )

    def like(self, patterns: npt.ArrayLike, counts: npt.ArrayLike) -> Table:
        """Return a table of other patterns with the same raters and categories; the arguments are not checked.

        Parameters
        ----------
        patterns : integers, shape (m, n_raters)
            Positions in `categories`; -1 for a missing rating.
        counts : integers, shape (m,)
            Number of subjects with each pattern.

        Returns
        -------
        Table
        """
        made = Table.__new__(Table)
        made.categories, made.raters, made.ordered = self.categories, self.raters, self.ordered
        made.reading = Reading(notes=self.reading.notes)  # these patterns were not read from the file
        made._hold(np.asarray(patterns, dtype=np.int32), np.asarray(counts, dtype=np.int64), self.n_categories)
        return made

    @property
    def data(self) -> DataSummary:
        """Description of the ratings and of how they were read, which results also contain."""
        n_missing = self.n_raters * self.n_subjects - sum(self.margins.sum(axis=1).tolist())
        return DataSummary(
            n_subjects=self.n_subjects,
            raters=self.raters,
            categories=self.categories,
            ordered=self.ordered,
            n_missing=n_missing,
            n_incomplete=self.n_incomplete if n_missing else 0,
            n_left_out=self.n_left_out,
            reading=self.reading,
            n_clusters=self.clusters and self.clusters.n_clusters,
            cluster=self.clusters and self.clusters.name,
        )

    def pair(self, first: str | int, second: str | int) -> Integers:
        """Return the table of counts of two raters, over the subjects that both rated.

        Parameters
        ----------
        first, second : str or int
            Names or positions of the raters of the rows and of the columns.

        Returns
        -------
        integers, shape (n_categories, n_categories)

        Raises
        ------
        InvalidOptionError
            If there is no such rater.
        """
        a, b = self.rater_index(first), self.rater_index(second)
        return pair_counts(self.rows.patterns[:, a], self.rows.patterns[:, b], self.rows.counts, self.n_categories)

    def dense(self) -> Integers:
        """Return the counts of all possible patterns as an array with one axis per rater.

        Returns
        -------
        integers, shape (n_categories,) * n_raters

        Raises
        ------
        NotSupportedError
            If ratings are missing, or the array would have more than 10 million cells.
        """
        if not self.complete:
            raise NotSupportedError("a table with missing ratings has no dense array; use patterns and counts.")
        array = np.zeros(as_dense_shape(self.n_categories, self.n_raters), dtype=np.int64)
        array[tuple(self.patterns.T)] = self.counts
        return array

    def select(self, raters: Sequence[str | int]) -> Table:
        """Return the table of some of the raters.

        Parameters
        ----------
        raters : sequence of str or int
            Names or positions of the raters, in the order of the new table.

        Returns
        -------
        Table

        Raises
        ------
        InvalidOptionError
            If there is no such rater.
        """
        columns = [self.rater_index(rater) for rater in raters]
        names = [self.raters[column] for column in columns]
        return self._as_read(lambda codes: codes[:, columns], self.categories, names, ordered=self.ordered)

    def collapse(self, category: Label) -> Table:
        """Return the table with two categories: the given category, and all others.

        Parameters
        ----------
        category : label
            One of the categories.

        Returns
        -------
        Table

        Raises
        ------
        InvalidOptionError
            If there is no such category.
        """
        if category not in self.categories:
            raise InvalidOptionError(f"category must be one of {text.listing(self.categories)}; got {category!r}.")
        position = self.categories.index(category)

        def others(codes: Codes) -> Codes:
            return np.where(codes == MISSING, MISSING, codes != position).astype(np.int32)

        return self._as_read(others, (str(category), f"not {category}"), self.raters, ordered=False)

    def _as_read(
        self, recode: Callable[[Codes], Codes], categories: Sequence[Label], raters: Sequence[str], *, ordered: bool
    ) -> Table:
        """Return a table of the same subjects, which keeps their clusters and the record of how they were read.

        `recode` returns the new patterns of subjects, given their patterns in this table.
        """
        old: Rows | Clusters = self.clusters or self.grouped
        made = Table(
            recode(old.patterns),
            None if self.clusters and len(old.counts) == self.n_subjects else old.counts,
            categories,
            raters,
            ordered=ordered,
            n_left_out=self.n_left_out,
            clusters=self.clusters and self.clusters.codes,
            cluster_name=self.clusters and self.clusters.name,
        )
        made.reading = self.reading
        return made

    def rater_index(self, rater: str | int) -> int:
        """Return the column of a rater.

        Parameters
        ----------
        rater : str or int
            Name of the rater, or position if it is an integer.

        Returns
        -------
        int

        Raises
        ------
        InvalidOptionError
            If there is no such rater.
        """
        return as_rater_index(rater, self.raters)

    def labels(self) -> list[list[Label | None]]:
        """Return the patterns as lists of labels.

        Returns
        -------
        list of lists of labels
            One list per pattern, with None for a missing rating.
        """
        names: list[Label | None] = [*self.categories, None]
        return [[names[code] for code in pattern] for pattern in self.patterns.tolist()]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data for JSON.

        Returns
        -------
        dict
            Categories, raters, patterns as lists of labels, and counts.
        """
        return {
            "categories": list(self.categories),
            "raters": list(self.raters),
            "patterns": self.labels(),
            "counts": plain(self.counts),
        }

    def to_frame(self, library: str | None = None) -> Any:
        """Return the patterns and their counts as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            Library of the frame. Default: the library of the frame that the ratings came from, if they came from one;
            otherwise pandas, or polars or pyarrow if pandas is not installed.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            One row per pattern: a column for each rater, named after the rater, and the column "count". It can be read
            again by ``from_ratings(frame, layout="patterns", count="count")``.

        Raises
        ------
        InvalidOptionError
            If the library has another name, or if a rater is called "count".
        NotSupportedError
            If the library is not installed.
        """
        if "count" in self.raters:
            raise InvalidOptionError(
                "no rater can be called 'count', since the frame has a column of this name for the counts."
            )
        columns = dict(zip(self.raters, zip(*self.labels(), strict=True), strict=True))
        return frame_of(columns | {"count": self.counts.tolist()}, library or self.frame_library)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return (
            self.categories == other.categories
            and self.raters == other.raters
            and self.ordered == other.ordered
            and np.array_equal(self.patterns, other.patterns)
            and np.array_equal(self.counts, other.counts)
            and _same_clusters(self.clusters, other.clusters)
        )

    def __hash__(self) -> int:
        n_clusters = self.clusters and self.clusters.n_clusters
        return hash((self.categories, self.raters, self.patterns.tobytes(), self.counts.tobytes(), n_clusters))

    def __repr__(self) -> str:
        return self._printed().as_text()

    def _repr_html_(self) -> str:
        return self._printed().as_html()

    def _printed(self) -> PrintedTable:
        square = self.n_raters == 2 and self.complete and self.n_categories <= rating_tables.MOST_CATEGORIES
        return PrintedTable(self.data, self.pair(0, 1) if square else None, self.patterns, self.counts)


def _same_clusters(first: Clusters | None, second: Clusters | None) -> bool:
    """Return whether subjects are in the same clusters, whose names do not matter."""
    if first is None or second is None:
        return first is second
    return first.same_subjects(second)
