"""Take columns of labels from frames of any library, and rows of values from their engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax.io.arrays import Column, column_of
from kappamax.io.declared_categories import DeclaredCategories
from kappamax.io.labels import label_of
from kappamax.table import Label

_MOST_CLUSTERS = 1 << 40


def cluster_column(data: Any, place: str) -> Column:
    """Return a column of labels of clusters, of which there may be many; `place` is for errors, as in `column_of`."""
    return series_column(data, place, most=_MOST_CLUSTERS)


def series_column(data: Any, place: str | None = None, **options: int) -> Column:
    """Return a column of labels; a series keeps the categories that it declares.

    `place` is the place of a value that is not a label, for errors, and `options` are those of `column_of`.
    """
    home = type(data).__module__.split(".")[0]
    if home in {"builtins", "numpy"}:
        return column_of(data, place, **options)
    import narwhals as nw

    if home == "pandas":  # an array of pandas, such as a Categorical, becomes a series
        import pandas as pd

        data = pd.Series(data)
    series = nw.from_native(data, allow_series=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return column_of(data, place, **options)
    declared = _declared(series.dtype)
    if series.dtype in (nw.List, nw.Array, nw.Struct):
        return column_of(as_objects(series.to_list()), place)
    if series.dtype not in (nw.Enum, nw.Categorical):
        return column_of(series.to_numpy(), place, **options)._replace(declared=declared)
    labels = series.cast(nw.String).to_numpy().astype(object)
    labels[series.is_null().to_numpy()] = None  # older versions of pandas turn missing values into the text "nan"
    return column_of(labels)._replace(declared=declared)


def as_objects(items: Sequence[Any]) -> npt.NDArray[np.object_]:
    """Return an array of objects, which may be lists."""
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        array[i] = item
    return array


def fetched(frame: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a frame; a lazy frame is computed first."""
    import narwhals as nw

    if not isinstance(frame, nw.LazyFrame):
        return list(frame.rows())
    native = frame.to_native()
    if hasattr(native, "fetchall"):  # a DuckDB relation; `collect` would need pyarrow
        return list(native.fetchall())
    if frame.implementation.is_pyspark():
        return [tuple(row) for row in native.collect()]
    return list(frame.collect().rows())


def with_text(frame: Any, names: Sequence[str]) -> Any:
    """Return the frame with categoricals as text, since engines group and compare categoricals differently."""
    import narwhals as nw

    schema = frame.collect_schema()
    declared = [name for name in names if schema[name] in (nw.Enum, nw.Categorical)]
    if not declared:
        return frame
    # missing values are not cast, since older versions of pandas would turn them into the text "nan"
    given = (nw.when(~nw.col(name).is_null()).then(nw.col(name).cast(nw.String)).alias(name) for name in declared)
    return frame.with_columns(given)


def declared_by(frame: Any, name: str) -> DeclaredCategories:
    """Return the categories that a column declares in order, including unused ones."""
    declared = _declared(frame.collect_schema()[name])
    native = frame.to_native()
    if declared or type(native).__module__.partition(".")[0] != "pyarrow":
        return declared
    if not getattr(native.schema.field(name).type, "ordered", False):
        return None
    chunks = native[name].unify_dictionaries().chunks  # narwhals does not show the order of an ordered dictionary
    return tuple(map(kept_label, chunks[0].dictionary.to_pylist())) if chunks else None


def _declared(dtype: Any) -> DeclaredCategories:
    """Return the categories of an ordered categorical, including unused ones."""
    import narwhals as nw

    return tuple(map(kept_label, dtype.categories)) if dtype == nw.Enum else None


def kept_label(value: Any) -> Label:
    """Return a declared category or a name as a label, even if it looks like a missing value."""
    label = label_of(value, frozenset({str(value).strip()}))
    return value if label is None else label


def fetched_columns(frame: Any) -> list[Any]:
    """Return the columns of a lazy frame, which is computed first, as arrays or series."""
    native = frame.to_native()
    if hasattr(native, "fetchnumpy"):  # a DuckDB relation; `collect` would need pyarrow
        return list(native.fetchnumpy().values())
    if frame.implementation.is_pyspark():
        return [as_objects(column) for column in zip(*map(tuple, native.collect()), strict=True)]
    computed = frame.collect()
    return [computed[name].to_numpy() for name in computed.columns]
