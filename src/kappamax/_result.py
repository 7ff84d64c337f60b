"""Provide the base class of all results: frozen, unrounded, and able to show themselves."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from math import isnan
from typing import Any

import numpy as np

from kappamax._tolerances import EXACT_DOUBLES
from kappamax.display import html, text


class Result:
    """Base of the frozen dataclasses that public functions return."""

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain data for JSON: fractions as strings, integers above 2^53 as strings."""
        return {field.name: plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]  # subclasses are dataclasses

    def _rows(self) -> list[tuple[str, str]]:
        """The lines shown to a reader: a name and formatted text each."""
        shown = [field.name for field in fields(self) if field.repr]  # type: ignore[arg-type]  # subclasses are dataclasses
        plain_fields = self.to_dict()
        return [(name.replace("_", " "), text.value(plain_fields[name])) for name in shown]

    def __repr__(self) -> str:
        return text.card(type(self).__name__, self._rows())

    def _repr_html_(self) -> str:
        return html.card(type(self).__name__, self._rows())


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
    if isinstance(value, int) and abs(value) > EXACT_DOUBLES:
        return str(value)
    if isinstance(value, float) and isnan(value):
        return None
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return value
