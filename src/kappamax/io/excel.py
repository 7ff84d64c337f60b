"""A sheet of a spreadsheet in, the same cells as a text file out, so that one reader serves both."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, time
from io import StringIO
from pathlib import Path
from typing import Any

from kappamax._checks import files as checks
from kappamax.io.memory import held

__all__ = ["sheet_as_text"]


@contextmanager
def sheet_as_text(path: Path, name: str, sheet: str | int | None) -> Iterator[Path]:
    """One sheet as comma-separated text, the only sheet there is unless one is named; gone afterwards."""
    calamine = checks.calamine()
    with checks.calamine_failures(name), calamine.CalamineWorkbook.from_path(path) as book:
        chosen = checks.sheet_among(sheet, book.sheet_names, name)
        rows = book.get_sheet_by_name(chosen).to_python(skip_empty_area=False)
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([_cell(value) for value in row] for row in _trimmed(rows))
    with held(text.getvalue().encode()) as held_text:
        yield held_text


def _trimmed(rows: list[list[Any]]) -> list[list[Any]]:
    """The used area: no empty columns around it nor rows below; rows above are blank lines, so that rows keep count."""
    used = [i for row in rows for i, value in enumerate(row) if value != ""]
    filled = [i for i, row in enumerate(rows) if any(value != "" for value in row)]
    if not used:
        return []
    area = slice(min(used), max(used) + 1)
    above: list[list[Any]] = [[]] * filled[0]
    return above + [row[area] for row in rows[filled[0] : filled[-1] + 1]]


def _cell(value: Any) -> str:
    """A cell as a reader of the sheet would write it: every number is stored as a decimal."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, date | time) else str(value)
