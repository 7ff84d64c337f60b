"""Count the patterns of ratings in a frame by the frame's own engine, so that only the counts are transferred.

Frames of pandas, polars, pyarrow, DuckDB, Dask and PySpark are read through narwhals. A lazy frame with one row per
rating is grouped by subject and then by pattern. If such a frame is in memory, its rows are sorted by subject instead.
Lists of records and dicts of columns are read like frames in memory, and need no library of frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._frames import library_of
from kappamax.errors import InvalidOptionError, InvalidRatingsError
from kappamax.io.arrays import Column, column_of, table_of_columns, table_of_rows, with_notes
from kappamax.io.column_profiles import profiles_of, sample_size
from kappamax.io.column_roles import left_out_notes, raters_among
from kappamax.io.declared_categories import DeclaredCategories
from kappamax.io.hugging_face import as_arrow
from kappamax.io.labels import as_count, label_of
from kappamax.io.layout_guess import advice_for_frames, other_layout
from kappamax.io.read_spec import ReadSpec, as_different_names, raise_rated_twice, require_named_rows
from kappamax.io.records import columns_of_records, is_records, with_joined
from kappamax.io.structured_labels import SUPPORTED
from kappamax.patterns import MISSING
from kappamax.table import Label, Table

_MOST_MATRIX_ROWS = 300
_TASKS_TRIED = 200  # number of objects by which an export is recognised
_N, _NAMELESS = "kappamax_n", "kappamax_nameless"


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
            return _long_from_engine(frame, columns, spec)
        found = [series_column(frame[name], f"an entry of column {name!r}") for name in columns]
        return _long_from_memory(found, columns, spec, _declared_by(frame, columns[2]))
    left_out = dict[str, str]()
    if spec.layout == "patterns":
        names, count = spec.pattern_columns(present)
        rows = [
            (*row[:-2], row[-1] * as_count(row[-2], lambda _: f"column {count!r}"))
            for row in _grouped(frame, [*names, count])
        ]
    else:
        names, left_out = _rater_columns(present, spec, lambda columns, n: _fetched(frame.select(columns).head(n)))
        # among Python objects, an engine may treat True as 1, and some engines cannot group lists
        kinds = (nw.Object, nw.List, nw.Array, nw.Struct)
        if isinstance(frame, nw.DataFrame) and any(schema[name] in kinds for name in names):
            found = [series_column(frame[name], f"an entry of column {name!r}") for name in names]
            table = table_of_columns(found, raters=names, spec=spec)
            return _with_left_out(table, left_out)
        rows = _grouped(frame, names)
    table = table_of_rows(rows, raters=names, spec=spec, declared=[_declared_by(frame, name) for name in names])
    return _with_left_out(table, left_out)


def _rater_columns(
    present: Sequence[str], spec: ReadSpec, first_rows: Callable[[Sequence[str], int], Sequence[Sequence[Any]]]
) -> tuple[list[str], dict[str, str]]:
    """Return the columns of the raters and why others are left out; columns that are not ratings are rejected.

    `first_rows` returns the values of some columns in a number of rows.
    """
    if spec.raters is not None:
        return spec.rating_columns(present), {}
    subjects = spec.subject_columns(present)
    columns = [name for name in present if name not in subjects]
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


def _table_of_records(columns: Mapping[str, Any], spec: ReadSpec) -> Table:
    """Return the table of columns with names, which may be lists, arrays or series."""
    _require_rows_of_ratings(spec)
    present = list(columns)
    if not present:
        raise InvalidRatingsError("there is no subject to compare: the data have no columns.")
    if spec.layout == "long":
        if len(parts := spec.subject_columns(present)) > 1:
            columns = with_joined(columns, spec.subject or "", parts)
        names = spec.long_columns(list(columns))
        found = [series_column(columns[name], f"an entry of column {name!r}") for name in names]
        return _long_from_memory(found, names, spec, found[2].declared)
    counts, left_out = None, dict[str, str]()
    if spec.layout == "patterns":
        raters, count = spec.pattern_columns(present)
        counts = [as_count(number, lambda _: f"column {count!r}") for number in columns[count]]
    else:
        raters, left_out = _rater_columns(
            present, spec, lambda names, n: list(zip(*(columns[name][:n] for name in names), strict=True))
        )
    found = [series_column(columns[name], f"an entry of column {name!r}") for name in raters]
    notes = list[str]()
    if spec.categories is None and found[0].size:
        n_values = [len(np.unique(column.codes(slice(None)))) for column in found]
        notes = spec.few_values_notes(raters, n_values, found[0].size if counts is None else sum(counts))
    table = _with_left_out(table_of_columns(found, raters=raters, spec=spec, counts=counts), left_out)
    table.reading = replace(table.reading, notes=(*table.reading.notes, *notes))
    return table


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
    return list(frame.collect_schema().names()), _fetched(head), n_rows, head.to_native()


def series_column(data: Any, place: str | None = None) -> Column:
    """Return a column of labels; a series keeps the categories that it declares.

    `place` is the place of a value that is not a label, for errors.
    """
    home = type(data).__module__.split(".")[0]
    if home in {"builtins", "numpy"}:
        return column_of(data, place)
    import narwhals as nw

    if home == "pandas":  # an array of pandas, such as a Categorical, becomes a series
        import pandas as pd

        data = pd.Series(data)
    series = nw.from_native(data, allow_series=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return column_of(data, place)
    declared = _declared(series.dtype)
    if series.dtype in (nw.List, nw.Array, nw.Struct):
        cells = np.empty(len(series), dtype=object)
        for i, cell in enumerate(series.to_list()):
            cells[i] = cell
        return column_of(cells, place)
    if series.dtype not in (nw.Enum, nw.Categorical):
        return column_of(series.to_numpy(), place)._replace(declared=declared)
    labels = series.cast(nw.String).to_numpy().astype(object)
    labels[series.is_null().to_numpy()] = None  # older versions of pandas turn missing values into the text "nan"
    return column_of(labels)._replace(declared=declared)


def _long_from_memory(
    found: Sequence[Column], columns: tuple[str, str, str], spec: ReadSpec, declared: DeclaredCategories
) -> Table:
    """Read one row per rating from columns in memory; raters keep the order of the rows.

    The columns are those of the subjects, raters and ratings, and `declared` are the categories of the ratings.
    """
    if found[0].size == 0:
        raise InvalidRatingsError("there is no subject to compare.")
    (subject_names, subjects), (rater_names, raters) = map(_named, found[:2])
    rating = found[2]
    require_named_rows(int(((subjects == MISSING) | (raters == MISSING)).sum()), "the frame")
    values = rating.codes(slice(None))
    known, first = np.unique(raters, return_index=True)
    names = spec.long_raters((str(rater_names[code]) for code in known[np.argsort(first)]), columns[1])
    place = {name: i for i, name in enumerate(names)}
    who = np.array([place.get(str(name), MISSING) for name in rater_names], dtype=np.intp)[raters]
    kept = who != MISSING
    who, values = who[kept], values[kept]
    present, what = np.unique(subjects[kept], return_inverse=True)
    pairs = what * len(names) + who
    order = np.argsort(pairs, kind="stable")
    again = order[1:][pairs[order][1:] == pairs[order][:-1]]
    if len(again):
        row = int(again.min())
        raise_rated_twice(str(subject_names[present[what[row]]]), names[who[row]])
    notes = list[str]()
    if spec.categories is None:
        notes = spec.few_values_notes([columns[2]], [len(np.unique(values))], len(values))
    missing = len(rating.values)  # the code of None, which is added to the values below
    patterns = np.full((len(names), len(present)), missing, dtype=np.intp)
    patterns[who, what] = values
    values_or_none = [*rating.values, None]
    table = table_of_columns(
        [Column(values_or_none, codes.__getitem__, len(present), declared) for codes in patterns],
        raters=names,
        spec=spec,
    )
    return with_notes(table, notes)


def _long_from_engine(frame: Any, columns: tuple[str, str, str], spec: ReadSpec) -> Table:
    """Read one row per rating in the frame's own engine; raters are sorted."""
    import narwhals as nw

    subject, rater, rating = columns
    schema = frame.collect_schema()
    for name in columns:
        if schema[name] in (nw.List, nw.Array, nw.Struct):
            raise InvalidRatingsError(
                f"a rating must be one label; column {name!r} has the type {schema[name]}. {SUPPORTED} A lazy frame "
                "must hold the labels themselves.",
                code="several-labels",
                fields={"column": name},
            )
    declared = _declared_by(frame, rating)
    frame = _with_text(frame.select(columns), columns)
    nameless = nw.when(nw.col(subject).is_null()).then(nw.lit(1)).otherwise(nw.lit(0))
    tally = _fetched(
        frame.with_columns(nameless.alias(_NAMELESS)).group_by(rater).agg(nw.col(_NAMELESS).sum(), nw.len().alias(_N))
    )
    if not tally:
        raise InvalidRatingsError("there is no subject to compare.")
    require_named_rows(sum(n if _name(who) is None else missing for who, missing, n in tally), "the frame")
    # numbers in increasing order, then text
    found = sorted((row[0] for row in tally), key=lambda who: (isinstance(kept_label(who), str), kept_label(who)))
    raw = {str(_name(who)): who for who in found}
    names = spec.long_raters(raw, rater)
    chosen = frame.filter(nw.col(rater).is_in([raw[name] for name in names]))
    double = _fetched(
        chosen.group_by(subject, rater).agg(nw.len().alias(_N)).filter(nw.col(_N) > 1).sort(subject, rater).head(1)
    )
    if double:
        raise_rated_twice(*double[0][:2])
    keys = [f"kappamax_r{i}" for i in range(len(names))]
    rows = _fetched(
        chosen.with_columns(
            nw.when(nw.col(rater) == raw[name]).then(nw.col(rating)).alias(key)
            for name, key in zip(names, keys, strict=True)
        )
        .group_by(subject)
        .agg(nw.col(key).max() for key in keys)
        .group_by(keys)
        .agg(nw.len().alias(_N))
    )
    notes = list[str]()
    if spec.categories is None:
        values = {value for row in rows for value in row[:-1]}
        notes = spec.few_values_notes([rating], [len(values)], len(names) * sum(row[-1] for row in rows))
    return with_notes(table_of_rows(rows, raters=names, spec=spec, declared=[declared] * len(names)), notes)


def _grouped(frame: Any, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the distinct rows of some columns, each followed by the number of its occurrences."""
    import narwhals as nw

    return _fetched(_with_text(frame.select(names), names).group_by(names).agg(nw.len().alias(_N)))


def _fetched(frame: Any) -> list[tuple[Any, ...]]:
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


def _with_text(frame: Any, names: Sequence[str]) -> Any:
    """Return the frame with categoricals as text, since engines group and compare categoricals differently."""
    import narwhals as nw

    schema = frame.collect_schema()
    declared = [name for name in names if schema[name] in (nw.Enum, nw.Categorical)]
    if not declared:
        return frame
    # missing values are not cast, since older versions of pandas would turn them into the text "nan"
    given = (nw.when(~nw.col(name).is_null()).then(nw.col(name).cast(nw.String)).alias(name) for name in declared)
    return frame.with_columns(given)


def _named(column: Column) -> tuple[Sequence[Any], npt.NDArray[np.intp]]:
    """Return the names in a column and the position of each row's name, -1 for a row without a name.

    1, 1.0 and "1" are the same name, and surrounding spaces are ignored.
    """
    codes = column.codes(slice(None))
    if isinstance(column.values, range):
        return column.values, codes
    raw = [_name(value) for value in column.values]
    names = list(dict.fromkeys(name for name in raw if name is not None))
    position: dict[str | None, int] = {name: i for i, name in enumerate(names)} | {None: MISSING}
    return names, np.array([position[name] for name in raw], dtype=np.intp)[codes]


def _name(value: Any) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    label = label_of(value)
    return None if label is None else str(label)


def _with_text_names(data: Any) -> Any:
    """Return a pandas frame with text as column names; narwhals does not accept numbers or repeated names."""
    if type(data).__module__.split(".")[0] != "pandas" or not hasattr(data, "set_axis") or not hasattr(data, "columns"):
        return data
    return data.set_axis(as_different_names([str(name) for name in data.columns]), axis="columns")


def _declared_by(frame: Any, name: str) -> DeclaredCategories:
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
