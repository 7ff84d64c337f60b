"""Count the patterns of ratings in a frame by the frame's own engine, so that only the counts are transferred.

Frames of pandas, polars, pyarrow, DuckDB, Dask and PySpark are read through narwhals. If the subjects are in clusters,
the columns of a frame in memory are read like arrays. Lists of records and dicts of columns are read like frames in
memory, and need no library of frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kappamax._frames import library_of
from kappamax.errors import InvalidOptionError, InvalidRatingsError
from kappamax.io.arrays import Column, table_of_columns, table_of_rows, with_notes
from kappamax.io.column_profiles import profiles_of, sample_size
from kappamax.io.column_roles import left_out_notes, raters_among
from kappamax.io.frame_columns import (
    cluster_column,
    declared_by,
    fetched,
    fetched_columns,
    series_column,
    with_text,
)
from kappamax.io.hugging_face import as_arrow
from kappamax.io.labels import as_count
from kappamax.io.layout_guess import advice_for_frames, other_layout
from kappamax.io.long_frames import long_from_engine, long_from_memory
from kappamax.io.read_spec import ReadSpec, as_different_names
from kappamax.io.records import columns_of_records, is_records, with_joined
from kappamax.io.row_names import named_clusters
from kappamax.table import Table

_MOST_MATRIX_ROWS = 300
_TASKS_TRIED = 200  # number of objects by which an export is recognised
_N = "kappamax_n"


def table_of_frame(data: Any, spec: ReadSpec) -> Table:
    """Return the table of a frame of any library that narwhals knows."""
    table = _table_of_frame(data, spec)
    table.frame_library = library_of(data)
    table.reading = replace(table.reading, layout=spec.layout or "wide")
    return table


def _table_of_frame(data: Any, spec: ReadSpec) -> Table:
    """Return the table of a frame, without the name of the frame's library."""
    import narwhals as nw  # the import takes 0.1 s

    data = as_arrow(data)
    if is_records(data):
        return _table_of_export(data, spec) or _table_of_records(columns_of_records(data), spec)
    frame = nw.from_native(_with_text_names(data), pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        raise InvalidRatingsError(
            f"ratings must be a Table, a frame, or two or more label arrays; got {type(data).__name__}. "
            "Options such as weights= are given by name."
        )
    _require_rows_of_ratings(spec)
    schema = frame.collect_schema()
    present = list(schema.names())
    if spec.layout == "long":
        if len(parts := spec.subject_columns(present)) > 1:
            doubled = [nw.col(part).cast(nw.String).str.replace_all("|", "||", literal=True) for part in parts]
            frame = frame.with_columns(nw.concat_str(doubled, separator=" | ").alias(spec.subject or ""))
            present.append(spec.subject or "")
        columns = spec.long_columns(present)
        if isinstance(frame, nw.LazyFrame):
            return long_from_engine(frame, columns, spec)
        found = [series_column(frame[name], f"an entry of column {name!r}") for name in columns]
        clusters = _cluster_column({name: frame[name] for name in spec.cluster_columns(present)})
        return long_from_memory(found, clusters, columns, spec, declared_by(frame, columns[2]))
    if spec.cluster is not None:
        return _table_by_cluster(frame, present, spec)
    left_out = dict[str, str]()
    if spec.layout == "patterns":
        names, count = spec.pattern_columns(present)
        rows = [
            (*row[:-2], row[-1] * as_count(row[-2], lambda _: f"column {count!r}"))
            for row in fetched(_grouped(frame, [*names, count]))
        ]
    else:
        names, left_out = _rater_columns(present, spec, lambda columns, n: fetched(frame.select(columns).head(n)))
        # among Python objects, an engine may treat True as 1, and some engines cannot group lists
        kinds = (nw.Object, nw.List, nw.Array, nw.Struct)
        if isinstance(frame, nw.DataFrame) and any(schema[name] in kinds for name in names):
            found = [series_column(frame[name], f"an entry of column {name!r}") for name in names]
            table = table_of_columns(found, raters=names, spec=spec)
            return _with_left_out(table, left_out)
        rows = fetched(_grouped(frame, names))
    table = table_of_rows(rows, raters=names, spec=spec, declared=[declared_by(frame, name) for name in names])
    return _with_left_out(table, left_out)


def _table_by_cluster(frame: Any, present: Sequence[str], spec: ReadSpec) -> Table:
    """Return the table of a frame with a column of clusters; a lazy frame is grouped in its own engine."""
    import narwhals as nw

    if isinstance(frame, nw.DataFrame):
        return _table_of_records({name: frame[name] for name in present}, spec, frame)
    left_out, counted = dict[str, str](), list[str]()
    if spec.layout == "patterns":
        raters, count = spec.pattern_columns(present)
        counted = [count]
    else:
        raters, left_out = _rater_columns(present, spec, lambda columns, n: fetched(frame.select(columns).head(n)))
    names = [*raters, *spec.cluster_columns(present), *counted]
    *cells, n_rows = fetched_columns(_grouped(frame, names))
    columns = dict(zip(names, cells, strict=True))
    counts = [int(n) for n in n_rows]
    if counted:
        numbers = [as_count(number, lambda _: f"column {count!r}") for number in columns[count]]
        counts = [n * number for n, number in zip(counts, numbers, strict=True)]
    return _with_left_out(_table_of_named(columns, raters, spec, counts=counts, frame=frame), left_out)


def _rater_columns(
    present: Sequence[str], spec: ReadSpec, first_rows: Callable[[Sequence[str], int], Sequence[Sequence[Any]]]
) -> tuple[list[str], dict[str, str]]:
    """Return the columns of the raters and why others are left out; columns that are not ratings are rejected.

    `first_rows` returns the values of some columns in a number of rows.
    """
    if spec.raters is not None:
        return spec.rating_columns(present), {}
    unused = spec.columns_aside(present)
    columns = [name for name in present if name not in unused]
    rows = first_rows(columns, sample_size(len(columns)))
    if not rows:
        raise InvalidRatingsError("there is no subject to compare.", code="no-subject")
    profiles = profiles_of(columns, rows, spec.rename)
    try:
        if error := other_layout(profiles, rows[:_MOST_MATRIX_ROWS], "the frame", has_header=False):
            raise error
        return raters_among(profiles, "the frame", spec.categories)
    except InvalidRatingsError as error:
        raise error.with_advice(advice_for_frames(error.advice)) from None


def _with_left_out(table: Table, left_out: dict[str, str]) -> Table:
    """Return the table with notes about the columns that were left out."""
    notes = (*left_out_notes(left_out), *table.reading.notes)
    table.reading = replace(table.reading, columns_left_out=left_out, notes=notes)
    return table


def _table_of_export(data: Any, spec: ReadSpec) -> Table | None:
    """Return the table of a list of tasks as an annotation tool exports them, or None if they are plain records."""
    from kappamax.io.annotation_exports import export_reader
    from kappamax.io.exports.annotations import ratings_of

    if isinstance(data, Mapping) or not all(isinstance(one, Mapping) for one in data):
        return None
    read = export_reader(data[:_TASKS_TRIED], spec, "the list")
    if read is None:
        return None
    ratings, notes = ratings_of(read(data), spec, "the list", noun="list")
    names = ("subject", "rater", "rating")
    columns = {name: list(column) for name, column in zip(names, zip(*ratings, strict=True), strict=True)}
    unnamed = replace(spec, layout="long", subject=None, rater=None, rating=None)
    return with_notes(_table_of_records(columns, unnamed), notes)


def _table_of_records(columns: Mapping[str, Any], spec: ReadSpec, frame: Any = None) -> Table:
    """Return the table of columns with names, which may be lists, arrays or series of a frame."""
    _require_rows_of_ratings(spec)
    present = list(columns)
    if not present:
        raise InvalidRatingsError("there is no subject to compare: the data have no columns.")
    if spec.layout == "long":
        if len(parts := spec.subject_columns(present)) > 1:
            columns = with_joined(columns, spec.subject or "", parts)
        names = spec.long_columns(list(columns))
        found = [series_column(columns[name], f"an entry of column {name!r}") for name in names]
        clusters = _cluster_column({name: columns[name] for name in spec.cluster_columns(present)})
        return long_from_memory(found, clusters, names, spec, found[2].declared)
    counts, left_out = None, dict[str, str]()
    if spec.layout == "patterns":
        raters, count = spec.pattern_columns(present)
        counts = [as_count(number, lambda _: f"column {count!r}") for number in columns[count]]
    else:
        raters, left_out = _rater_columns(
            present, spec, lambda names, n: list(zip(*(columns[name][:n] for name in names), strict=True))
        )
    table = _table_of_named(columns, raters, spec, counts=counts, frame=frame, numbered=True)
    return _with_left_out(table, left_out)


def _table_of_named(
    columns: Mapping[str, Any],
    raters: Sequence[str],
    spec: ReadSpec,
    *,
    counts: Sequence[int] | None,
    frame: Any = None,
    numbered: bool = False,
) -> Table:
    """Return the table of columns with names, which may be lists, arrays or series of a frame.

    `counts` gives the number of subjects of each row, and `numbered` says whether rows have an order.
    """
    found = [series_column(columns[name], f"an entry of column {name!r}") for name in raters]
    if frame is not None:
        declared = [declared_by(frame, name) for name in raters]
        found = [column._replace(declared=own) for column, own in zip(found, declared, strict=True)]
    clusters = None
    for column in _cluster_column({name: columns[name] for name in spec.cluster_columns(list(columns))}):
        place = (lambda i: f"row {i + 1}") if numbered else None
        _, clusters = named_clusters(column, None if numbered else counts, name=spec.cluster, place=place)
    notes = list[str]()
    if spec.categories is None and found[0].size:
        n_values = [int(np.count_nonzero(np.bincount(column.codes(slice(None))))) for column in found]
        notes = spec.few_values_notes(raters, n_values, found[0].size if counts is None else sum(counts))
    table = table_of_columns(found, raters=raters, spec=spec, counts=counts, clusters=clusters)
    table.reading = replace(table.reading, notes=(*table.reading.notes, *notes))
    return table


def _cluster_column(named: Mapping[str, Any]) -> list[Column]:
    """Return the column of clusters, if there is one."""
    return [cluster_column(data, f"an entry of column {name!r}") for name, data in named.items()]


def _require_rows_of_ratings(spec: ReadSpec) -> None:
    if spec.layout == "counts":
        raise InvalidOptionError(
            "layout 'counts' is for files only; use km.from_counts(frame) for a square frame of counts."
        )


def first_rows(data: Any, most: int) -> tuple[list[str], list[tuple[Any, ...]], int | None, Any]:
    """Return the columns of a frame, its first rows, its number of rows if it is known, and a frame of these rows."""
    import narwhals as nw

    data = as_arrow(data)
    if is_records(data):
        columns = columns_of_records(data)
        n_records = max(map(len, columns.values()), default=0)
        first = {name: list(values[:most]) for name, values in columns.items()}
        return list(columns), list(zip(*first.values(), strict=True)), n_records, data if n_records <= most else first
    frame = nw.from_native(_with_text_names(data))
    head = frame.head(most)
    n_rows = len(frame) if isinstance(frame, nw.DataFrame) else None
    return list(frame.collect_schema().names()), fetched(head), n_rows, head.to_native()


def _grouped(frame: Any, names: Sequence[str]) -> Any:
    """Return the distinct rows of some columns, each followed by the number of its occurrences."""
    import narwhals as nw

    return with_text(frame.select(names), names).group_by(names).agg(nw.len().alias(_N))


def _with_text_names(data: Any) -> Any:
    """Return a pandas frame with text as column names; narwhals does not accept numbers or repeated names."""
    if type(data).__module__.split(".")[0] != "pandas" or not hasattr(data, "set_axis") or not hasattr(data, "columns"):
        return data
    return data.set_axis(as_different_names([str(name) for name in data.columns]), axis="columns")
