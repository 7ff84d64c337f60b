"""Read ratings that are plain Python objects: a list of dicts, a dict of lists, or the tasks of an annotation tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from kappamax.errors import InvalidOptionError, InvalidRatingsError
from kappamax.io.annotation_exports import export_reader
from kappamax.io.arrays import column_of, table_of_rows
from kappamax.io.exports.annotations import ratings_of
from kappamax.io.frames import table_of_long_columns
from kappamax.io.labels import as_count
from kappamax.io.read_spec import ReadSpec
from kappamax.io.structured_labels import NO_LABEL, is_structured, raise_structured, single_label
from kappamax.reading import Reading
from kappamax.table import Table

_TRIED = 200  # number of objects by which an export is recognised


def is_records(data: Any) -> bool:
    """Return whether data are a list of dicts or a dict."""
    if isinstance(data, dict):
        return True
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(row, dict) for row in data)


def table_of_records(data: Any, spec: ReadSpec) -> Table:
    """Return the table of a list of dicts, one per row, or of a dict of lists, one per column."""
    if spec.layout == "counts":
        raise InvalidOptionError(
            "layout 'counts' is for files only; use km.from_counts(counts) for an array of counts."
        )
    columns = _columns_of_dict(data) if isinstance(data, dict) else _columns_of_rows(data)
    if not isinstance(data, dict):
        read = export_reader(data[:_TRIED], spec, "the list")
        if read is not None:
            ratings, notes = ratings_of(read(data), spec, "the list", noun="list")
            long = [list(column) for column in zip(*ratings, strict=True)]
            table = _long_table(dict(zip(("subject", "rater", "rating"), long, strict=True)), _unnamed(spec))
            table.reading = Reading(layout="long", notes=tuple(notes))
            return table
    if spec.layout == "long":
        return _long_table(columns, spec)
    if spec.layout == "patterns":
        names, count = spec.pattern_columns(list(columns))
        counts = [as_count(cell, lambda _: f"column {count!r}") for cell in columns[count]]
    else:
        names, counts = spec.rating_columns(list(columns)), [1] * len(next(iter(columns.values()), []))
    totals: Counter[tuple[Any, ...]] = Counter()
    for row, number in zip(zip(*(_labels(columns, name) for name in names), strict=True), counts, strict=True):
        totals[row] += number
    return table_of_rows([(*row, number) for row, number in totals.items()], raters=names, spec=spec)


def _long_table(columns: Mapping[str, Sequence[Any]], spec: ReadSpec) -> Table:
    """Return the table of columns with one row per rating."""
    names = spec.long_columns(list(columns))
    subject, rater, rating = (column_of(_labels(columns, name)) for name in names)
    return table_of_long_columns(subject, rater, rating, names, spec)


def _unnamed(spec: ReadSpec) -> ReadSpec:
    """Return the arguments of the caller without the names of columns, which an export has used already."""
    return ReadSpec("long", spec.categories, spec.raters, missing=spec.missing, complete_only=spec.complete_only)


def _labels(columns: Mapping[str, Sequence[Any]], name: str) -> list[Any]:
    """Return the labels in a column; truth values become text, since True and 1 are equal in Python."""
    labels = []
    for value in columns[name]:
        label = single_label(value) if is_structured(value) else value
        if label is NO_LABEL:
            raise_structured(f"an entry of column {name!r}", value, fields={"column": name})
        labels.append(str(label) if isinstance(label, bool) else label)
    return labels


def _columns_of_rows(rows: Sequence[Mapping[Any, Any]]) -> dict[str, list[Any]]:
    """Return the columns of rows; a key that a row lacks is a missing value."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return {str(key): [row.get(key) for row in rows] for key in keys}


def _columns_of_dict(data: Mapping[Any, Any]) -> dict[str, list[Any]]:
    """Return the columns of a dict of lists of the same length."""
    for key, column in data.items():
        if isinstance(column, str | Mapping) or not (hasattr(column, "__len__") and hasattr(column, "__iter__")):
            raise InvalidRatingsError(
                f"a dict of ratings must have one list per column; the value of {key!r} has type "
                f"{type(column).__name__}."
            )
    lengths = {key: len(column) for key, column in data.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{key!r} has {n:,}" for key, n in list(lengths.items())[:8])
        raise InvalidRatingsError(f"lists of the same table must have the same length; {shown}.")
    return {str(key): list(column) for key, column in data.items()}
