"""Provide the base class of all results: frozen, unrounded, and able to show themselves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import Field, fields
from fractions import Fraction
from math import isnan
from typing import Any

import numpy as np

from kappamax._frames import frame_of
from kappamax.display import html, text

_JSON_SAFE = 2**53


class Result:
    """Base of the frozen dataclasses that public functions return."""

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain data for JSON: fractions as strings, integers above 2^53 as strings."""
        return {field.name: plain(getattr(self, field.name)) for field in _public_fields(self)}

    def _rows(self) -> list[tuple[str, str]]:
        """The lines shown to a reader: a name and formatted text each."""
        shown = [field.name for field in _public_fields(self) if field.repr]
        plain_fields = self.to_dict()
        return [(name.replace("_", " "), text.value(plain_fields[name])) for name in shown]

    def __repr__(self) -> str:
        return text.card(type(self).__name__, self._rows())

    def _repr_html_(self) -> str:
        return html.card(type(self).__name__, self._rows())


class TableResult(Result):
    """Base class of the results that have rows and columns."""

    def to_frame(self, library: str | None = None) -> Any:
        """Return the result as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            Library of the frame. Default: the library of the frame that the ratings came from, if they came from one;
            otherwise pandas, or polars or pyarrow if pandas is not installed.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            One row per item, unrounded; missing where a value is undefined.

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


def plain(value: Any) -> Any:
    """A value as JSON can hold it, with nothing rounded."""
    if value is None or type(value) in (str, bool):  # most of what there is
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
    if isinstance(value, int) and abs(value) > _JSON_SAFE:
        return str(value)
    if isinstance(value, float) and isnan(value):
        return None
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return value


def _public_fields(result: Result) -> list[Field[Any]]:
    """Return the fields of a result, without those that are kept for its methods only."""
    return [field for field in fields(result) if not field.name.startswith("_")]  # type: ignore[arg-type]  # subclasses are dataclasses
