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
from kappamax.io.arrays import column_of, table_of_columns, table_of_rows
from kappamax.io.frames import series_column, table_of_frame
from kappamax.io.labels import as_named_categories
from kappamax.io.read_spec import ReadSpec
from kappamax.io.records import is_records
from kappamax.table import Label, Table

#: a Table, a frame, or one of several arrays of labels
Ratings = Any


def from_ratings(
    ratings: Any,
    *,
    layout: str | None = None,
    categories: Sequence[Label] | None = None,
    raters: Sequence[str] | None = None,
    subject: str | None = None,
    rater: str | None = None,
    rating: str | None = None,
    count: str | None = None,
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
    subject : str, optional
        Column of a frame that identifies the subjects. In the long layout the default is "subject". In the wide and
        patterns layouts this column is not used as a rater.
    rater, rating : str, optional
        Columns of the raters and ratings in the long layout, default "rater" and "rating".
    count : str, optional
        Column of counts in the patterns layout. By default a column called count, counts, n, freq or frequency,
        otherwise the last column.
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
        If there is no subject, there are fewer than two raters, rows have different lengths, or a rating is not among
        the categories.
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
    spec = ReadSpec(
        layout=layout,
        categories=categories,
        raters=raters,
        subject=subject,
        rater=rater,
        rating=rating,
        count=count,
        missing=missing,
        complete_only=complete_only,
        decimal_comma=decimal_comma,
        ignore_case=ignore_case,
        rename=rename or {},
        accept_labels=accept_labels,
    )
    if not isinstance(ratings, list | tuple | np.ndarray) or is_records(ratings):
        return table_of_frame(ratings, spec)
    if spec.layout not in (None, "wide") or spec.subject is not None:
        asked = f"layout {spec.layout!r}" if spec.layout not in (None, "wide") else "subject"
        raise InvalidOptionError(f"{asked} needs columns with names; pass a frame instead of an array.")
    if isinstance(ratings, np.ndarray):
        if ratings.ndim != 2:
            raise InvalidRatingsError(f"ratings must be a 2-D array, subjects x raters; got shape {ratings.shape}.")
        columns = [column_of(column) for column in ratings.T.copy()]  # one contiguous array per rater
        return table_of_columns(columns, raters=raters, spec=spec)
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
    columns = [column_of(column) for column in zip(*ratings, strict=True)]
    return table_of_columns(columns, raters=raters, spec=spec)


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
    frame: Any = counts
    ordered = True
    if hasattr(frame, "index") and hasattr(frame, "columns"):  # a pandas crosstab
        counts, categories, ordered = _labelled_counts(frame, categories)
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
    k = array.shape[0]
    named: Sequence[Any] = range(1, k + 1) if categories is None else categories
    labels = as_named_categories(named)
    if len(labels) != k:
        raise InvalidOptionError(
            f"categories must have one label for each of the {k} rows of counts; got {len(labels)}: {listing(named)}."
        )
    cells = np.argwhere(array)
    return Table(cells, array[tuple(cells.T)], labels, raters, ordered=ordered)


def as_table(*ratings: Ratings, categories: Sequence[Label] | None = None) -> Table:
    """Return the table of ratings that a caller passes as a Table, a frame, or two or more label arrays."""
    try:
        return _as_table(*ratings, categories=categories)
    except InputError as error:
        if not error.advice:
            raise
        data = "ratings" if len(ratings) == 1 else '{"1": first, "2": second}'
        call = f"km.from_ratings({data}, ...)"
        raise error.with_advice([one if one.call else replace(one, call=call) for one in error.advice]) from None


def _as_table(*ratings: Ratings, categories: Sequence[Label] | None = None) -> Table:
    """Return the table of ratings, with errors that give advice for `from_ratings`."""
    if len(ratings) > 1 and any(isinstance(one, Table) for one in ratings):
        raise InvalidRatingsError("give one Table, or two or more arrays of labels; a Table has all raters.")
    if len(ratings) != 1:
        table = table_of_columns([series_column(one) for one in ratings], spec=ReadSpec(categories=categories))
        table.frame_library = next(filter(None, map(library_of, ratings)), None)
        return table
    (only,) = ratings
    if isinstance(only, Table):
        if categories is None:
            return only
        rows = [(*labels, count) for labels, count in zip(only.labels(), only.counts.tolist(), strict=True)]
        table = table_of_rows(rows, raters=only.raters, spec=ReadSpec(categories=categories))
        table.reading, table.n_left_out, table.frame_library = only.reading, only.n_left_out, only.frame_library
        return table
    if _has_equal_labels(only):
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
    return table_of_frame(only, ReadSpec(categories=categories))


def _has_equal_labels(data: Any) -> bool:
    """Return whether a pandas frame has the same labels on rows and columns, as a crosstab has."""
    if library_of(data) != "pandas" or not hasattr(data, "columns") or len(data.index) != len(data.columns):
        return False
    return list(data.index) == list(data.columns)


def _shape_of(rows: Sequence[Any]) -> tuple[int, ...]:
    """Return the length of a list and, if its first entry is a list, the length of that."""
    first = rows[0] if rows else None
    return (len(rows), len(first)) if isinstance(first, list | tuple | np.ndarray) else (len(rows),)


def _labelled_counts(frame: Any, categories: Sequence[Label] | None) -> tuple[Any, Sequence[Label], bool]:
    """Return the counts of a pandas frame, its categories, and whether these are ordered."""
    rows, columns = list(frame.index), list(frame.columns)
    if categories is None:
        if rows != columns:
            raise InvalidTableError(
                "a frame of counts must have the same labels in the same order on rows and columns; "
                f"rows are {listing(rows)} and columns {listing(columns)}. Pass categories= with all labels in order."
            )
        text = any(isinstance(label, str) for label in as_named_categories(columns))
        return frame, columns, not text or bool(getattr(frame.index, "ordered", False))
    require_labels_in_order(categories)
    if rows == columns == list(range(len(rows))):  # no labels of its own
        return frame, categories, True
    unknown = [label for label in [*rows, *columns] if label not in categories]
    if unknown:
        raise InvalidOptionError(
            f"categories must name all labels of the frame; {unknown[0]!r} is not among {listing(categories)}."
        )
    return frame.reindex(index=categories, columns=categories, fill_value=0), categories, True
