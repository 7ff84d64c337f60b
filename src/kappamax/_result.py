"""Provide the base class of the results that public functions return."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import Field, dataclass, field, fields, replace
from fractions import Fraction
from math import isnan
from typing import Any, Self

import numpy as np

from kappamax._frames import frame_of
from kappamax._tolerances import EXACT_DOUBLES
from kappamax.display import html, numbers, text
from kappamax.reading import DataSummary

_NOTHING = [("reason", None), ("df", None)]  # fields that are shown only where there is something to show


@dataclass(frozen=True, repr=False)
class Result:
    """Base class of the frozen dataclasses that public functions return; their numbers are not rounded."""

    _data: DataSummary | None = field(default=None, kw_only=True, repr=False, compare=False)

    @property
    def data(self) -> DataSummary | None:
        """Description of the ratings and of how they were read; None if the result is not about ratings."""
        return self._data

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data for JSON; fractions and integers above 2^53 are strings."""
        return {one.name: plain(getattr(self, one.name)) for one in public_fields(self)}

    def _rows(self) -> list[tuple[str, str]]:
        """Return the lines that are shown to a reader, each as a name and formatted text."""
        shown = [one.name for one in public_fields(self) if one.repr]
        plain_fields = self.to_dict()
        absent = {name for name in shown if plain_fields[name] in ({}, []) or (name, plain_fields[name]) in _NOTHING}
        return [_row(name, plain_fields[name]) for name in shown if name not in absent]

    def __repr__(self) -> str:
        return text.card(type(self).__name__, self._all_rows())

    def _repr_html_(self) -> str:
        return html.card(type(self).__name__, self._all_rows())

    def _all_rows(self) -> list[tuple[str, str]]:
        """Return the lines of the result and, if the ratings come from a file or there are notes, what was read."""
        data = self.data
        if data is None or not data.noteworthy:
            return self._rows()
        return [*self._rows(), ("data", str(data)), *(("note", note) for note in data.notes)]

    def _size_rows(self, words: str) -> list[tuple[str, str]]:
        """Return a line with the size of the data, unless the description of the data is shown as well."""
        return [] if self.data is not None and self.data.noteworthy else [("data", words)]

    def _about(self, data: DataSummary | None) -> Self:
        """Return the same result with a description of the ratings that it is about."""
        return replace(self, _data=data)


class TableResult(Result):
    """Base class of the results that have rows and columns."""

    def to_frame(self, library: str | None = None) -> Any:
        """Return the result as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            Library of the frame. By default it is the library of the frame that the ratings came from, if they came
            from a frame; otherwise the first of these three that is installed.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            One row per item. Values are not rounded, and undefined values are missing.

        Raises
        ------
        InvalidOptionError
            If the library has another name.
        NotSupportedError
            If the library is not installed.
        """
        return frame_of(self._columns(), library or self._frame_library())

    def _columns(self) -> dict[str, Iterable[Any]]:
        """Return the names and values of the columns."""
        raise NotImplementedError

    def _frame_library(self) -> str | None:
        """Return the library of the frame that the ratings came from, if it is known."""
        return None


def _row(name: str, value: Any) -> tuple[str, str]:
    """Return the name and the formatted text of a field; a p-value is never shown as 0.0000."""
    if name == "pvalue":
        return "p-value", numbers.pvalue(value)
    return name.replace("_", " "), text.value(value)


def plain(value: Any) -> Any:
    """Return a value as plain data for JSON, without rounding."""
    if value is None or type(value) in (str, bool):  # the most frequent case
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, int) and abs(value) > EXACT_DOUBLES:
        return str(value)
    if isinstance(value, float) and isnan(value):
        return None
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return value


def public_fields(result: Result) -> list[Field[Any]]:
    """Return the fields of a result, without those that are kept for its methods only."""
    return [one for one in fields(result) if not one.name.startswith("_")]
