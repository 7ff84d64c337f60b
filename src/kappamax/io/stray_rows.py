"""Find rows that are not data: blank rows, repeated headers, and rows of totals or means below the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from kappamax.display.text import plural
from kappamax.io.column_names import is_total
from kappamax.io.labels import label_of

_LAST_ROWS = 4


class StrayRows(NamedTuple):
    """Positions of rows that are not data, counted from one, and the sentences that say so."""

    positions: list[int]
    notes: list[str]


def stray_rows(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> StrayRows:
    """Return the rows of a whole table that are not data."""
    blank = [i for i, row in enumerate(rows, start=1) if all(_is_empty(cell) for cell in row)]
    headers = [i for i, row in enumerate(rows, start=1) if _is_header(names, row)]
    totals = _total_rows(rows)
    kinds = {"blank row": blank, "repeated header row": headers, "total row": totals}
    notes = [
        f"{plural(len(found), kind)} {'was' if len(found) == 1 else 'were'} left out."
        for kind, found in kinds.items()
        if found
    ]
    return StrayRows(sorted({*blank, *headers, *totals}), notes)


def _is_header(names: Sequence[str], row: Sequence[Any]) -> bool:
    return all(isinstance(cell, str) and cell.strip() == name for cell, name in zip(row, names, strict=True))


def _total_rows(rows: Sequence[Sequence[Any]]) -> list[int]:
    """Return the rows at the end whose first cell says that they contain totals, and whose other cells are numbers."""
    found = []
    filled = [(i, row) for i, row in enumerate(rows, start=1) if not all(_is_empty(cell) for cell in row)]
    firsts = [row[0] for _, row in filled]
    for i, row in reversed(filled[-_LAST_ROWS:]):
        numbers = [label_of(cell) for cell in row[1:] if not _is_empty(cell)]
        if not is_total(row[0]) or firsts.count(row[0]) > 1 or any(isinstance(number, str) for number in numbers):
            break
        found.append(i)
    return found if len(found) < len(filled) else []


def _is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())
