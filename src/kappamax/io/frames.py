"""A frame or a series in, its columns or its table out; the group-by runs in the frame's own engine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from kappamax._checks import columns as checks
from kappamax._checks import ratings as rating_checks
from kappamax.io.arrays import Column, column_of, table_of_columns
from kappamax.io.labels import Levels, Locate, label_of
from kappamax.io.read_spec import Plan
from kappamax.table import Label, Table

__all__ = [
    "as_frame",
    "fetched",
    "few_values",
    "levels_of",
    "series_column",
    "table_of_frame",
    "table_of_rows",
    "with_text",
]

_COUNT = "kappamax_n"
_WIDE = Plan()


def as_frame(data: Any) -> Any | None:
    """A narwhals frame if the data is a frame of any library narwhals knows, else None."""
    import narwhals as nw  # 0.1 s to import

    frame = nw.from_native(_with_text_names(data), pass_through=True)
    return frame if isinstance(frame, nw.DataFrame | nw.LazyFrame) else None


def series_column(data: Any) -> Column:
    """One column of labels: a series keeps its declared levels, anything else goes by its values."""
    home = type(data).__module__.split(".")[0]
    if home in {"builtins", "numpy"}:
        return column_of(data)
    import narwhals as nw

    if home == "pandas":  # an array of its own, such as a Categorical, becomes a series; a series stays one
        import pandas as pd

        data = pd.Series(data)
    series = nw.from_native(data, allow_series=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return column_of(data)
    levels = _levels(series.dtype)
    if series.dtype not in (nw.Enum, nw.Categorical):
        return column_of(series.to_numpy())._replace(levels=levels)
    labels = series.cast(nw.String).to_numpy().astype(object)
    labels[series.is_null().to_numpy()] = None  # older pandas turn what is missing into the text "nan"
    return column_of(labels)._replace(levels=levels)


def table_of_frame(frame: Any, plan: Plan = _WIDE) -> Table:
    """Count the patterns of a frame in its own engine; only those come back."""
    checks.frame_layout(plan.layout)
    if plan.layout == "long":
        from kappamax.io.long_frames import table_of_long_frame

        return table_of_long_frame(frame, plan)
    schema = frame.collect_schema()
    present = list(schema.names())
    if plan.layout == "patterns":
        count = plan.count_column(present)
        names = checks.without_count(plan.rating_columns(present, {count}), count)
        rows = [
            (*row[:-2], row[-1] * checks.whole_count(row[-2], partial("column {!r}".format, count)))
            for row in _grouped(frame, [*names, count])
        ]
    else:
        names = plan.rating_columns(present)
        if _holds_objects(schema, names):
            return table_of_columns([series_column(frame[name]) for name in names], raters=names, plan=plan)
        rows = _grouped(frame, names)
    if plan.categories is None:
        few_values(names, rows, chosen=plan.raters is not None)
    return table_of_rows(rows, raters=names, plan=plan, levels=[levels_of(frame, name) for name in names])


def fetched(frame: Any) -> list[tuple[Any, ...]]:
    """The rows of a frame, computed first if it is lazy."""
    import narwhals as nw

    if not isinstance(frame, nw.LazyFrame):
        return list(frame.rows())
    native = frame.to_native()
    if hasattr(native, "fetchall"):  # DuckDB: collecting would need pyarrow
        return list(native.fetchall())
    if frame.implementation.is_pyspark():
        return [tuple(row) for row in native.collect()]
    return list(frame.collect().rows())


def few_values(names: Sequence[str], rows: Sequence[tuple[Any, ...]], *, chosen: bool) -> None:
    """Check that the columns of some patterns and counts look like ratings."""
    distinct = []
    for i, name in enumerate(names):
        try:
            distinct.append(len({row[i] for row in rows}))
        except TypeError:
            value = next(row[i] for row in rows if isinstance(row[i], list | dict))
            rating_checks.one_label(value, f"an entry of column {name!r}")
    rating_checks.few_values(names, distinct, sum(row[-1] for row in rows), chosen=chosen)


def with_text(frame: Any, names: Sequence[str]) -> Any:
    """The frame with categoricals as text: engines disagree on how to group and compare them."""
    import narwhals as nw

    schema = frame.collect_schema()
    declared = [name for name in names if schema[name] in (nw.Enum, nw.Categorical)]
    if not declared:
        return frame
    given = (nw.when(~nw.col(name).is_null()).then(nw.col(name).cast(nw.String)).alias(name) for name in declared)
    return frame.with_columns(given)  # what is missing stays so: older pandas turn it into the text "nan"


def levels_of(frame: Any, name: str) -> Levels:
    """The categories that a column declares in order, unused ones included."""
    return _levels(frame.collect_schema()[name]) or _arrow_levels(frame.to_native(), name)


def table_of_rows(
    rows: Sequence[tuple[Any, ...]],
    *,
    raters: Sequence[str],
    plan: Plan = _WIDE,
    levels: Sequence[Levels] | None = None,
    locate: Locate | None = None,
) -> Table:
    """A table from distinct raw patterns, each row one value per rater and a count."""
    if not rows:
        rating_checks.no_subject()
    *values, counts = zip(*rows, strict=True)
    columns = [column_of(list(column)) for column in values]
    if levels is not None:
        columns = [column._replace(levels=declared) for column, declared in zip(columns, levels, strict=True)]
    return table_of_columns(columns, counts=counts, raters=raters, plan=plan, locate=locate)


def _grouped(frame: Any, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """The distinct rows of some columns, each with how often it occurs."""
    import narwhals as nw

    return fetched(with_text(frame.select(names), names).group_by(names).agg(nw.len().alias(_COUNT)))


def _holds_objects(schema: Any, names: Sequence[str]) -> bool:
    """Whether a column mixes Python objects, among which an engine may take True for 1."""
    import narwhals as nw

    return any(schema[name] == nw.Object for name in names)


def _with_text_names(data: Any) -> Any:
    """A pandas frame with its column names as text; pandas allows numbers and doubles, narwhals does not."""
    if type(data).__module__.split(".")[0] != "pandas" or not hasattr(data, "set_axis") or not hasattr(data, "columns"):
        return data
    return data.set_axis(rating_checks.different([str(name) for name in data.columns]), axis="columns")


def _arrow_levels(native: Any, name: str) -> Levels:
    """The values of an ordered pyarrow dictionary, which narwhals shows without its order."""
    kind = getattr(getattr(native, "schema", None), "field", lambda _: None)(name) if _is_arrow(native) else None
    if kind is None or not getattr(kind.type, "ordered", False):
        return None
    chunks = native[name].unify_dictionaries().chunks
    return tuple(_level(level) for level in chunks[0].dictionary.to_pylist()) if chunks else None


def _is_arrow(native: Any) -> bool:
    return type(native).__module__.partition(".")[0] == "pyarrow"


def _levels(dtype: Any) -> Levels:
    """The categories of an ordered categorical, unused ones included."""
    import narwhals as nw

    if dtype != nw.Enum:
        return None
    return tuple(_level(level) for level in dtype.categories)


def _level(level: Any) -> Label:
    """A declared level as a label; it is a category even if it reads like a missing value."""
    label = label_of(level, frozenset({str(level).strip()}))
    return level if label is None else label
