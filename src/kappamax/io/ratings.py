"""Convert ratings in any form to a table.

`from_ratings` and `from_counts` are public. Every other public function calls `as_table` first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._frames import library_of
from kappamax._validate_table import as_counts, require_labels_in_order
from kappamax.display.text import listing
from kappamax.errors import InputError, InvalidOptionError, InvalidRatingsError, InvalidTableError
from kappamax.io.arrays import Column, RowClusters, column_of, table_of_columns, with_notes
from kappamax.io.count_matrices import has_totals, looks_like_counts, table_of_labelled_counts
from kappamax.io.frame_columns import cluster_column, series_column
from kappamax.io.frames import table_of_frame
from kappamax.io.labels import as_named_categories
from kappamax.io.layout_guess import transposed_error
from kappamax.io.read_spec import ReadSpec, joined_names
from kappamax.io.records import is_records
from kappamax.io.row_names import named_clusters
from kappamax.patterns import MISSING
from kappamax.table import Label, Table

#: a Table, a frame, or one of several arrays of labels
Ratings = Any

_MOST_LABELS = 100


def from_ratings(
    ratings: Any,
    *,
    layout: str | None = None,
    categories: Sequence[Label] | None = None,
    raters: Sequence[str] | None = None,
    subject: str | Sequence[str] | None = None,
    rater: str | None = None,
    rating: str | None = None,
    count: str | None = None,
    cluster: Any = None,
    missing: Sequence[Any] = (),
    complete_only: bool = False,
    decimal_comma: bool = False,
    ignore_case: bool = False,
    rename: Mapping[str, Any] | None = None,
    accept_labels: bool = False,
) -> Table:
    """Return the table of ratings in an array with one row per subject, in a frame, or in records.

    The patterns of a frame are counted by its own engine.

    Parameters
    ----------
    ratings : array or nested list, shape (n_subjects, n_raters), or a frame, or records
        Ratings. A frame may be one of pandas, polars (eager or lazy), pyarrow, DuckDB, Dask or PySpark, or a dataset
        of the Hugging Face library `datasets`. Records are a list of dicts, one per row, or a dict of columns; they are
        read like a frame. None, NaN, empty text and text such as NA, null, "." and "?" are missing ratings, unless
        `categories` names them.
    layout : str, optional
        Layout of a frame or of records: "wide" (one column per rater, the default), "long" (one row per rating, with
        the columns subject, rater and rating) or "patterns" (one column per rater and a column of counts).
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default, an ordered categorical keeps its order and its
        unused categories, numbers are in increasing order, and text has no order.
    raters : sequence of str, optional
        Names of the raters of an array, default "1", "2", and so on. For a frame, the columns or, in the long layout,
        the raters to use, default all.
    subject : str or sequence of str, optional
        Column of a frame that identifies the subjects, or columns that identify them together. In the long layout the
        default is "subject". In the wide and patterns layouts these columns are not used as raters.
    rater, rating : str, optional
        Columns of the raters and ratings in the long layout, default "rater" and "rating".
    count : str, optional
        Column of counts in the patterns layout. By default a column called count, counts, n, freq or frequency,
        otherwise the last column.
    cluster : str or array, optional
        Cluster of each subject, such as the patient of a lesion: the name of a column of a frame, or an array with one
        entry per subject of an array. Clusters affect standard errors only. By default, subjects are not in clusters.
    missing : sequence of labels
        Codes that stand for a missing rating, in addition to those named above. By default there are no further codes.
    complete_only : bool
        Whether subjects with a missing rating are left out, default False. `Table.n_left_out` is their number.
    decimal_comma : bool
        Whether the text 1,5 is the number 1.5, default False.
    ignore_case : bool
        Whether labels that differ only in case are the same, default False.
    rename : mapping, optional
        Labels to be replaced, with their new labels. By default no label is replaced.
    accept_labels : bool
        Whether labels are taken as they stand even if they look like mistakes, default False.

    Returns
    -------
    Table
        The counts of all patterns of ratings.

    Raises
    ------
    InvalidRatingsError
        If there is no subject, there are fewer than two raters, rows have different lengths, a rating is not among the
        categories, or a subject does not belong to exactly one cluster.
    InvalidOptionError
        If an argument does not fit the layout or the data.

    Examples
    --------
    >>> from_ratings([["a", "b"], ["a", "a"]], categories=["a", "b", "c"])
    Table(2 subjects, 2 raters, categories 'a', 'b', 'c')
    rater 1 \\ rater 2  a  b  c  total
    -----------------  -  -  -  -----
    a                  1  1  0      2
    b                  0  0  0      0
    c                  0  0  0      0
    total              1  1  0      2
    """
    has_columns = not isinstance(ratings, list | tuple | np.ndarray) or is_records(ratings)
    spec = ReadSpec(
        layout=layout,
        categories=categories,
        raters=raters,
        subject=joined_names(subject),
        rater=rater,
        rating=rating,
        count=count,
        cluster=cluster if has_columns else None,
        missing=missing,
        complete_only=complete_only,
        decimal_comma=decimal_comma,
        ignore_case=ignore_case,
        rename=rename or {},
        accept_labels=accept_labels,
    )
    if has_columns:
        return table_of_frame(ratings, spec)
    if spec.layout not in (None, "wide") or spec.subject is not None:
        asked = f"layout {spec.layout!r}" if spec.layout not in (None, "wide") else "subject"
        raise InvalidOptionError(f"{asked} needs columns with names; pass a frame instead of an array.")
    if isinstance(ratings, np.ndarray):
        if ratings.ndim != 2:
            raise InvalidRatingsError(f"ratings must be a 2-D array, subjects x raters; got shape {ratings.shape}.")
        _require_subjects_in_rows(len(ratings), ratings.shape[1], spec, "km.from_ratings(ratings.T)")
        columns = [column_of(column) for column in ratings.T.copy()]  # one contiguous array per rater
        return table_of_columns(columns, raters=raters, spec=spec, clusters=_clusters_of(cluster, len(ratings)))
    if not ratings:
        raise InvalidRatingsError("there is no subject to compare.")
    for i, row in enumerate(ratings):
        if not isinstance(row, list | tuple | np.ndarray):
            raise InvalidRatingsError(
                f"ratings must be a list of rows, one row per subject; row {i + 1} has type {type(row).__name__}."
            )
        if len(row) != len(ratings[0]):
            raise InvalidRatingsError(
                f"every subject must have one entry per rater; row {i + 1} has {len(row)} and row 1 has "
                f"{len(ratings[0])}."
            )
    _require_subjects_in_rows(len(ratings), len(ratings[0]), spec, "km.from_ratings(list(zip(*ratings)))")
    columns = [column_of(column) for column in zip(*ratings, strict=True)]
    return table_of_columns(columns, raters=raters, spec=spec, clusters=_clusters_of(cluster, len(ratings)))


def _require_subjects_in_rows(n_rows: int, n_columns: int, spec: ReadSpec, call: str) -> None:
    """Reject an array whose rows are probably raters; `call` is the call that reads it so."""
    if spec.raters is None:
        error = transposed_error(n_rows, [str(i + 1) for i in range(n_columns)], "the array", call)
        if error is not None:
            raise error


def from_counts(
    counts: npt.ArrayLike, *, categories: Sequence[Label] | None = None, raters: Sequence[str] | None = None
) -> Table:
    """Return the table of an array of counts, with one axis per rater.

    Parameters
    ----------
    counts : array of whole numbers >= 0, shape (k, k) for two raters, (k, k, k) for three, and so on
        Number of subjects with each pattern. For two raters, counts[i, j] is the number of subjects that the first
        rater put into category i and the second into category j. A square pandas frame, such as a crosstab, keeps its
        labels; text labels have no order unless `categories` gives one.
    categories : sequence of k labels, optional
        Categories in the order of the array, default 1, ..., k. For a frame with labels, all categories in order,
        including unused ones; its rows and columns are rearranged accordingly.
    raters : sequence of str, optional
        Names of the raters, default "1", "2", and so on.

    Returns
    -------
    Table
        The counts of all patterns of ratings.

    Raises
    ------
    InvalidTableError
        If the array is not square, a count is not a whole number >= 0, or all counts are zero.
    InvalidOptionError
        If the number of categories or raters does not fit the array.

    Examples
    --------
    >>> from_counts([[20, 5], [10, 15]], categories=["no", "yes"]).n_subjects
    50
    """
    if _has_labels(counts):  # a pandas crosstab
        return _table_of_labelled_counts(counts, categories, raters)
    if isinstance(counts, np.ma.MaskedArray):
        counts = np.ma.filled(counts.astype(float), np.nan)
    array = as_counts(counts)
    if array.ndim < 2 or len(set(array.shape)) != 1:
        shape = " x ".join(str(size) for size in array.shape)
        raise InvalidTableError(
            f"counts must be square, one axis of k categories per rater; got {shape or 'a number'}."
        )
    if not array.any():
        raise InvalidTableError("counts must contain at least one subject; every cell is zero.")
    notes = list[str]()
    if has_totals(array) and (categories is None or len(categories) == len(array) - 1):
        array = array[:-1, :-1]
        notes.append("The last row and the last column contain totals and were left out.")
    k = array.shape[0]
    named: Sequence[Any] = range(1, k + 1) if categories is None else categories
    labels = as_named_categories(named)
    if len(labels) != k:
        raise InvalidOptionError(
            f"categories must have one label for each of the {k} rows of counts; got {len(labels)}: {listing(named)}."
        )
    cells = np.argwhere(array)
    return with_notes(Table(cells, array[tuple(cells.T)], labels, raters, ordered=True), notes)


def as_table(*ratings: Ratings, categories: Sequence[Label] | None = None, cluster: Any = None) -> Table:
    """Return the table of ratings that a caller passes as a Table, a frame, or two or more label arrays.

    `cluster` is the name of a column of a frame, or an array with one entry per subject for label arrays.
    """
    try:
        return _as_table(*ratings, categories=categories, cluster=cluster)
    except InputError as error:
        if not error.advice:
            raise
        data = "ratings" if len(ratings) == 1 else '{"1": first, "2": second}'
        call = f"km.from_ratings({data}, ...)"
        raise error.with_advice([one if one.call else replace(one, call=call) for one in error.advice]) from None


def _as_table(*ratings: Ratings, categories: Sequence[Label] | None, cluster: Any) -> Table:
    """Return the table of ratings, with errors that give advice for `from_ratings`."""
    if len(ratings) > 1 and any(isinstance(one, Table) for one in ratings):
        raise InvalidRatingsError("give one Table, or two or more arrays of labels; a Table has all raters.")
    if len(ratings) != 1:
        _require_same_index(ratings if cluster is None else [*ratings, cluster])
        columns = [series_column(one) for one in ratings]
        clusters = _clusters_of(cluster, columns[0].size) if columns else None
        table = table_of_columns(columns, spec=ReadSpec(categories=categories), clusters=clusters)
        table.frame_library = next(filter(None, map(library_of, ratings)), None)
        return table
    (only,) = ratings
    if isinstance(only, Table):
        _require_no_cluster(only, cluster)
        return only if categories is None else _with_categories(only, categories)
    if _is_crosstab(only):
        raise InvalidRatingsError(
            "a frame with the same labels on rows and columns looks like a table of counts. "
            "Use km.from_counts(frame), or km.from_ratings(frame) if its columns are raters."
        )
    if isinstance(only, np.ndarray | list | tuple) and not is_records(only):
        shape = only.shape if isinstance(only, np.ndarray) else _shape_of(only)
        raise InvalidRatingsError(
            f"a bare {' x '.join(map(str, shape))} array could be counts or ratings. "
            "Use km.from_counts(a) for a table of counts or km.from_ratings(a) for subjects x raters."
        )
    return table_of_frame(only, ReadSpec(categories=categories, cluster=cluster))


def _with_categories(table: Table, categories: Sequence[Label]) -> Table:
    """Return the table of the same subjects with other categories, which must include all that were used."""
    rows, clusters = table.clusters or table.grouped, None
    if table.clusters is not None:
        clusters = RowClusters(table.clusters.codes, table.clusters.name)
    labels = [*table.categories, None]
    columns = [
        Column(labels, np.where(codes == MISSING, len(labels) - 1, codes).__getitem__, len(codes))
        for codes in rows.patterns.T
    ]
    single = clusters is not None and len(rows.counts) == table.n_subjects
    made = table_of_columns(
        columns,
        counts=None if single else rows.counts,
        raters=table.raters,
        spec=ReadSpec(categories=categories),
        clusters=clusters,
    )
    made.reading, made.n_left_out, made.frame_library = table.reading, table.n_left_out, table.frame_library
    return made


def _clusters_of(cluster: Any, n_subjects: int) -> RowClusters | None:
    """Return the clusters of the subjects of arrays."""
    if cluster is None:
        return None
    if isinstance(cluster, str) or not hasattr(cluster, "__len__"):
        raise InvalidOptionError(
            f"cluster must be an array with one entry per subject if the ratings are arrays; got {cluster!r}. Pass a "
            "frame to name a column."
        )
    column = cluster_column(cluster, "an entry of cluster")
    if column.size != n_subjects:
        raise InvalidRatingsError(
            f"cluster must have one entry for each of the {n_subjects:,} subjects; got {column.size:,}."
        )
    name = getattr(cluster, "name", None)
    name = None if name in (None, "") else str(name)
    return named_clusters(column, name=name, place=lambda i: f"entry {i + 1}")[1]


def _require_no_cluster(table: Table, cluster: Any) -> None:
    """Reject clusters for a Table, in which the subjects have no order."""
    if cluster is None:
        return
    if table.clusters is not None:
        raise InvalidOptionError(
            f"the Table knows the clusters of its subjects already ({table.data.subjects}); leave cluster= out."
        )
    raise InvalidOptionError(
        "a Table does not keep the order of its subjects; pass cluster= to km.from_ratings or km.read_ratings."
    )


def _is_crosstab(data: Any) -> bool:
    """Return whether a pandas frame has the same labels on rows and columns, as a crosstab has."""
    if library_of(data) != "pandas" or not hasattr(data, "columns") or max(data.shape) > _MOST_LABELS:
        return False
    rows, columns = list(data.index), list(data.columns)
    if rows == columns:
        return True
    known = set(rows) & set(columns)
    numbered = rows == list(range(len(rows)))
    return not numbered and looks_like_counts([["", *columns], *_cells_of(data)]) if known else False


def _require_same_index(ratings: Sequence[Any]) -> None:
    """Reject pandas series whose rows have the same names in another order, since they would be compared by place."""
    first, *others = [one.index for one in ratings if library_of(one) == "pandas" and hasattr(one, "index")] or [None]
    for index in others:
        if not index.equals(first) and index.is_unique and first.is_unique and len(index.intersection(first)):
            raise InvalidRatingsError(
                "series must have the same index in the same order, since ratings are compared row by row. Put them "
                "into one frame, such as pandas.concat([a, b], axis=1), or pass a.to_numpy() and b.to_numpy() if their "
                "rows are in the same order.",
                code="different-index",
            )


def _shape_of(rows: Sequence[Any]) -> tuple[int, ...]:
    """Return the length of a list and, if its first entry is a list, the length of that."""
    first = rows[0] if rows else None
    return (len(rows), len(first)) if isinstance(first, list | tuple | np.ndarray) else (len(rows),)


def _has_labels(counts: Any) -> bool:
    """Return whether counts are in a pandas frame with labels of its own."""
    if not (hasattr(counts, "index") and hasattr(counts, "columns")):
        return False
    return not list(counts.index) == list(counts.columns) == list(range(len(counts.index)))


def _table_of_labelled_counts(frame: Any, categories: Sequence[Label] | None, raters: Sequence[str] | None) -> Table:
    """Return the table of a pandas frame of counts; its categories are ordered if it or the caller says so."""
    if categories is not None:
        require_labels_in_order(categories)
    spec = ReadSpec(layout="counts", categories=categories, raters=raters)
    rows = [row[1:] for row in _cells_of(frame)]
    table = table_of_labelled_counts(list(frame.index), list(frame.columns), rows, spec, "the frame")
    table.ordered = table.ordered or getattr(frame.index, "ordered", False)
    return table


def _cells_of(frame: Any) -> list[list[Any]]:
    """Return the rows of a pandas frame, each after its label; cells without a value are None."""
    values = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    return [[label, *row] for label, row in zip(frame.index, values, strict=True)]
