"""A frame or a series in, its columns or its table out; the group-by runs in the frame's own engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kappamax._checks import ratings as checks
from kappamax.intake.arrays import Column, column_of, table_of_columns
from kappamax.intake.labels import Levels, label_of
from kappamax.table import Table

__all__ = ["as_frame", "series_column", "table_of_frame", "table_of_rows"]

_COUNT = "kappamax_n_subjects"


def as_frame(data: Any) -> Any | None:
    """A narwhals frame if the data is a frame of any library narwhals knows, else None."""
    import narwhals as nw  # 0.1 s to import

    frame = nw.from_native(_with_text_names(data), pass_through=True)
    return frame if isinstance(frame, nw.DataFrame | nw.LazyFrame) else None


def series_column(data: Any) -> Column:
    """One column of labels: a series keeps its declared levels, anything else goes by its values."""
    if type(data).__module__.split(".")[0] in {"builtins", "numpy"}:
        return column_of(data)
    import narwhals as nw

    series = nw.from_native(data, allow_series=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return column_of(data)
    levels = _levels(series.dtype)
    if series.dtype in (nw.Enum, nw.Categorical):
        series = series.cast(nw.String)
    return column_of(series.to_numpy())._replace(levels=levels)


def table_of_frame(
    frame: Any, *, raters: Sequence[str] | None = None, categories: Sequence[Any] | None = None
) -> Table:
    """Count the patterns of a wide frame: one column per rater, or only those named."""
    import narwhals as nw

    schema = frame.collect_schema()
    present = list(schema.names())
    names = checks.raters_among(present if raters is None else raters, present, "column")
    levels = [_levels(schema[name]) for name in names]
    declared = [name for name in names if schema[name] in (nw.Enum, nw.Categorical)]
    grouped = (
        frame.select(names)
        .with_columns(nw.col(name).cast(nw.String) for name in declared)
        .group_by(names)
        .agg(nw.len().alias(_COUNT))
    )
    if isinstance(grouped, nw.LazyFrame):
        grouped = grouped.collect()
    rows = grouped.rows()
    if raters is None:
        checks.few_values(
            names, [len({row[i] for row in rows}) for i in range(len(names))], sum(row[-1] for row in rows)
        )
    return table_of_rows(rows, raters=names, categories=categories, levels=levels)


def table_of_rows(
    rows: Sequence[tuple[Any, ...]],
    *,
    raters: Sequence[str],
    categories: Sequence[Any] | None = None,
    levels: Sequence[Levels] | None = None,
) -> Table:
    """A table from distinct raw patterns, each row one value per rater and a count."""
    if not rows:
        checks.no_subject()
    *values, counts = zip(*rows, strict=True)
    columns = [column_of(list(column)) for column in values]
    if levels is not None:
        columns = [column._replace(levels=declared) for column, declared in zip(columns, levels, strict=True)]
    return table_of_columns(columns, counts=counts, raters=raters, categories=categories)


def _with_text_names(data: Any) -> Any:
    """A pandas frame with its column names as text; pandas allows numbers and doubles, narwhals does not."""
    if type(data).__module__.split(".")[0] != "pandas" or not hasattr(data, "set_axis") or not hasattr(data, "columns"):
        return data
    return data.set_axis(checks.different([str(name) for name in data.columns]), axis="columns")


def _levels(dtype: Any) -> Levels:
    """The categories of an ordered categorical, unused ones included."""
    import narwhals as nw

    if dtype != nw.Enum:
        return None
    return tuple(label_of(level, frozenset({level})) or level for level in dtype.categories)
