"""Turn one JSON object that holds a whole table into rows.

A table may be written as one list per column, as an object with a list of rows, or by `DataFrame.to_json` of pandas in
any of its orientations (https://pandas.pydata.org/docs/reference/api/pandas.DataFrame.to_json.html).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kappamax.display.text import listing
from kappamax.errors import Advice, InvalidRatingsError, UnreadableFileError
from kappamax.io.read_spec import ReadSpec
from kappamax.io.structured_labels import is_structured

_SPLIT = frozenset({"columns", "index", "data", "index_names", "column_names"})
_MOST_ADVISED = 20


class JsonTable(NamedTuple):
    """The rows of a table, the path that leads to them, and notes about what was recognised."""

    rows: list[Mapping[str, Any]]
    path: str = ""
    notes: tuple[str, ...] = ()


def table_of_object(document: Mapping[str, Any], spec: ReadSpec, name: str) -> JsonTable:
    """Return the rows that a JSON object holds; an object that does not hold a table is a single row."""
    columns, data, schema = (document.get(key) for key in ("columns", "data", "schema"))
    if isinstance(columns, list) and isinstance(data, list) and set(document) <= _SPLIT:
        return JsonTable(_split_rows(columns, data, name))
    if isinstance(schema, dict) and isinstance(data, list) and isinstance(schema.get("fields"), list):
        return JsonTable(_without_index(data, schema, spec), "data[]")
    values = list(document.values())
    if values and all(isinstance(value, list) for value in values) and not (len(values) == 1 and _objects(values[0])):
        return JsonTable(_rows_of_lists(document, name))
    if len(values) > 1 and all(isinstance(value, dict) for value in values):
        return _table_of_objects(document, spec, name)
    lists = [key for key, value in document.items() if _objects(value)]
    if len(lists) == 1 and not any(is_structured(value) for key, value in document.items() if key != lists[0]):
        return JsonTable(document[lists[0]], f"{lists[0]}[]", (f"The rows are the objects in {lists[0]!r}.",))
    return JsonTable([document])


def _split_rows(columns: Sequence[Any], data: Sequence[Any], name: str) -> list[Mapping[str, Any]]:
    """Return the rows of a table whose columns are named apart from the cells."""
    names = [str(column) for column in columns]
    for i, row in enumerate(data):
        if not isinstance(row, list) or len(row) != len(names):
            raise UnreadableFileError(
                f"{name}: every list in 'data' must have one entry for each of the {len(names)} columns; list {i + 1} "
                f"has {len(row) if isinstance(row, list) else 'none'}."
            )
    return [dict(zip(names, row, strict=True)) for row in data]


def _without_index(data: Sequence[Any], schema: Mapping[str, Any], spec: ReadSpec) -> list[Mapping[str, Any]]:
    """Return the rows of pandas' orientation "table" without the index, unless the caller names it."""
    keys = schema.get("primaryKey")
    named = {spec.subject, spec.rater, spec.rating, spec.count, spec.cluster, *(spec.raters or ())}
    index = {key for key in keys if key not in named} if isinstance(keys, list) else set()
    return [
        {key: cell for key, cell in row.items() if key not in index} if isinstance(row, dict) else row for row in data
    ]


def _rows_of_lists(columns: Mapping[str, list[Any]], name: str) -> list[Mapping[str, Any]]:
    """Return the rows of a table that is written as one list per column."""
    lengths = {key: len(column) for key, column in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{key!r} has {n:,}" for key, n in list(lengths.items())[:8])
        raise UnreadableFileError(f"{name}: lists of the same table must have the same length; {shown}.")
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _table_of_objects(document: Mapping[str, Mapping[str, Any]], spec: ReadSpec, name: str) -> JsonTable:
    """Return the rows of an object of objects, whose outer keys may name the columns or the rows."""
    outer = list(document)
    inner = list(dict.fromkeys(key for value in document.values() for key in value))
    if any(is_structured(cell) for value in document.values() for cell in value.values()):
        return JsonTable([{"id": key, **value} for key, value in document.items()], "*")
    columns = (spec.subject, spec.rater, spec.rating, spec.count, spec.cluster)
    asked = [*(spec.raters or ()), *(one for one in columns if one)]
    by_columns = _is_counted(inner) and not _is_counted(outer)
    by_rows = _is_counted(outer) and not _is_counted(inner)
    if not by_columns and not by_rows and asked:
        by_columns, by_rows = (all(one in keys for one in asked) for keys in (outer, inner))
    if by_columns == by_rows:
        levels = sorted((keys for keys in (outer, inner) if 2 <= len(keys) <= _MOST_ADVISED), key=len, reverse=True)
        raise InvalidRatingsError(
            f"{name} is an object of objects, so its raters may be the outer keys ({listing(outer)}) or the inner keys "
            f"({listing(inner)}). Name the raters.",
            code="object-of-objects",
            fields={"outer": outer, "inner": inner},
            advice=[Advice({"raters": keys}) for keys in levels],
        )
    if by_rows:
        return JsonTable(list(document.values()))
    return JsonTable([{key: document[key].get(row) for key in outer} for row in inner])


def _is_counted(keys: Sequence[str]) -> bool:
    """Return whether keys are the whole numbers from zero, as the index of a frame is by default."""
    return {str(i) for i in range(len(keys))} == set(keys)


def _objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)
