"""Read ratings from plain Python data with names: a list of records, or a dict of columns.

A record is a dict with the values of one row, as in a JSON file. Keys that a record lacks are missing values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from kappamax.errors import InvalidRatingsError


def is_records(data: Any) -> bool:
    """Return whether data are a list of dicts, which are records, or a dict of columns."""
    return isinstance(data[0] if isinstance(data, list | tuple) and data else data, Mapping)


def columns_of_records(data: Mapping[Any, Any] | Sequence[Mapping[Any, Any]]) -> dict[str, Any]:
    """Return the columns of a list of records or of a dict of columns, by name."""
    if isinstance(data, Mapping):
        columns = _with_text_keys(data)
        for name, values in columns.items():
            if isinstance(values, str | bytes | Mapping | Set) or not hasattr(values, "__len__"):
                raise InvalidRatingsError(
                    f"every column of a dict must be a list or an array of ratings; {name!r} has type "
                    f"{type(values).__name__}.",
                    code="not-a-column",
                )
        lengths = {name: len(values) for name, values in columns.items()}
        if len(set(lengths.values())) > 1:
            shown = ", ".join(f"{name!r} has {n}" for name, n in lengths.items())
            raise InvalidRatingsError(f"the columns of a dict must have the same length; {shown}.")
        return columns
    for i, record in enumerate(data):
        if not isinstance(record, Mapping):
            raise InvalidRatingsError(
                f"every record must be a dict; record {i + 1} has type {type(record).__name__}.", code="not-a-record"
            )
    rows = [_with_text_keys(record) for record in data]
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}


def _with_text_keys(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a dict with text as keys, which must stay different."""
    named = {str(key): value for key, value in record.items()}
    if len(named) < len(record):
        raise InvalidRatingsError("the keys of a dict must be different as text, but some are not, such as 1 and '1'.")
    return named


def with_joined(columns: Mapping[str, Any], name: str, parts: Sequence[str]) -> dict[str, Any]:
    """Return columns with a further one that joins the values of some columns in each row."""
    rows = zip(*(columns[part] for part in parts), strict=True)
    return {
        **columns,
        name: [None if None in row else " | ".join(str(one).replace("|", "||") for one in row) for row in rows],
    }
