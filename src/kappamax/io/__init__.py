"""Ratings in any form in, one table out.

`from_ratings`, `from_counts` and `read_ratings` are for callers; `as_table` is what every public function calls first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._checks import ratings as checks
from kappamax._checks.columns import array_layout
from kappamax.io.arrays import column_of, table_of_columns, table_of_counts
from kappamax.io.files import read_ratings
from kappamax.io.frames import as_frame, series_column, table_of_frame, table_of_rows
from kappamax.io.read_spec import Plan
from kappamax.table import Label, Table

__all__ = ["Ratings", "as_table", "from_counts", "from_ratings", "read_ratings"]

#: a Table, a frame, or (two or more of them) label arrays
Ratings = Any


def from_ratings(
    ratings: Any,
    *,
    layout: str = "wide",
    categories: Sequence[Label] | None = None,
    raters: Sequence[str] | None = None,
    subject: str | None = None,
    rater: str | None = None,
    rating: str | None = None,
    count: str | None = None,
    missing: Sequence[Any] = (),
    complete_only: bool = False,
) -> Table:
    """A table from an array (subjects x raters) or a frame, whose own engine then does the counting.

    Parameters
    ----------
    ratings : array or nested list, shape (n_subjects, n_raters), or a frame
        Frames: pandas, polars (eager and lazy), pyarrow, DuckDB relations, Dask, PySpark.
        None, NaN and empty text are missing. So are the texts NA, N/A, #N/A, <NA>, NaN, nan, None, null and NULL, with
        a warning, unless `categories` or `missing` names them.
    layout : str
        Of a frame: "wide" (one column per rater), "long" (columns subject, rater, rating) or "patterns" (one column
        per rater and a column of counts).
    categories : sequence of labels, optional
        All categories in order. Left out, an ordered categorical keeps its own order and unused levels, numbers sort
        as numbers, and text has no order.
    raters : sequence of str, optional
        Names of the raters; for a frame, the columns to use, or in a long layout the raters.
    subject, rater, rating, count, missing, complete_only
        As for `read_ratings`.

    Examples
    --------
    >>> from_ratings([["a", "b"], ["a", "a"]], categories=["a", "b", "c"])
    Table(2 subjects, 2 raters, categories 'a', 'b', 'c')
    """
    plan = Plan(layout, categories, raters, subject, rater, rating, count, missing, complete_only)
    if not isinstance(ratings, list | tuple | np.ndarray):
        frame = as_frame(ratings)
        if frame is None:
            checks.refuse_type(ratings)
        return table_of_frame(frame, plan)
    array_layout(plan.layout, plan.subject)
    if isinstance(ratings, np.ndarray):
        if ratings.ndim != 2:
            checks.two_dimensions(ratings.shape)
        columns: list[Any] = [ratings[:, i] for i in range(ratings.shape[1])]
    else:
        checks.rows_of_one_length([row if isinstance(row, list | tuple | np.ndarray) else None for row in ratings])
        columns = [list(column) for column in zip(*ratings, strict=True)]
    return table_of_columns([column_of(column) for column in columns], raters=raters, plan=plan)


def from_counts(
    counts: npt.ArrayLike, *, categories: Sequence[Label] | None = None, raters: Sequence[str] | None = None
) -> Table:
    """A table from its counts: a k x k array for two raters, k x k x k for three, and so on.

    Parameters
    ----------
    counts : array of whole numbers >= 0
        counts[i, j] subjects were put into category i by the first rater and j by the second.
    categories : sequence of k labels, optional
        In the order of the array; 1, ..., k if left out.
    raters : sequence of str, optional

    Examples
    --------
    >>> from_counts([[20, 5], [10, 15]], categories=["no", "yes"]).n_subjects
    50
    """
    return table_of_counts(counts, categories=categories, raters=raters)


def as_table(*ratings: Ratings, categories: Sequence[Label] | None = None) -> Table:
    """Whatever a caller may pass as ratings, as a table."""
    if len(ratings) == 1:
        (only,) = ratings
        if isinstance(only, Table):
            return only if categories is None else _relabelled(only, categories)
        if isinstance(only, np.ndarray | list | tuple):
            checks.refuse_bare_array(np.shape(only) if isinstance(only, np.ndarray) else (len(only),))
        frame = as_frame(only)
        if frame is None:
            checks.refuse_type(only)
        return table_of_frame(frame, Plan(categories=categories))
    return table_of_columns([series_column(one) for one in ratings], plan=Plan(categories=categories))


def _relabelled(table: Table, categories: Sequence[Label]) -> Table:
    """The same ratings with the categories in another order, or with unused ones added."""
    rows = [(*labels, count) for labels, count in zip(table.labels(), table.counts.tolist(), strict=True)]
    return table_of_rows(rows, raters=table.raters, plan=Plan(categories=categories))
