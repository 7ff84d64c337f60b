"""Convert a sheet of a spreadsheet to comma-separated text, so that it is read like a text file."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from datetime import date, time
from io import StringIO
from pathlib import Path
from typing import Any

from kappamax._validate import did_you_mean
from kappamax.display.text import listing
from kappamax.errors import Advice, InvalidOptionError, UnreadableFileError
from kappamax.io.sheet_bounds import Extent, require_small_archive, require_small_extent, require_small_sheets

_OTHER_SHEETS = re.compile(r"(?i)note|read.?me|legend|code|pivot|hinweis|info|list|summary|instruction|_|meta")


def sheet_as_text(path: Path, name: str, sheet: str | int | None) -> bytes:
    """Return the sheet that the caller names, or the only sheet, as comma-separated text.

    Empty columns around the used area and empty rows below it are left out. Empty rows above it become blank lines, so
    that rows keep their numbers.
    """
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise UnreadableFileError(
            'spreadsheets need the extra excel. Run pip install "kappamax[excel]", or save the sheet as CSV UTF-8.'
        ) from None
    require_small_archive(path, name)
    try:
        with CalamineWorkbook.from_path(path) as book:
            chosen = [_chosen_sheet(sheet, book.sheet_names, name)] if sheet is not None else book.sheet_names
            require_small_sheets(path, name, chosen)
            sheets = {one: _cells_of(book, one, name) for one in chosen}
    except (InvalidOptionError, UnreadableFileError):
        raise
    except (CalamineError, OSError, ValueError) as error:
        raise UnreadableFileError(f"{name} cannot be read as a spreadsheet: {str(error).splitlines()[0]}.") from None
    cells = sheets[_only_sheet(sheets, name) if sheet is None else chosen[0]]
    filled = {i: [j for j, value in enumerate(row) if value != ""] for i, row in enumerate(cells)}
    used = {i: (places[0], places[-1]) for i, places in filled.items() if places}
    if not used:
        return b""
    top, bottom = min(used), max(used)
    left, right = min(first for first, _ in used.values()), max(last for _, last in used.values())
    text = StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(  # cells that contain one of these characters are quoted
        [_cell_text(value) for value in row[left : right + 1]] if i >= top else []
        for i, row in enumerate(cells[: bottom + 1])
    )
    return text.getvalue().encode()


def _cells_of(book: Any, sheet: str, name: str) -> list[list[Any]]:
    found = book.get_sheet_by_name(sheet)
    require_small_extent(Extent(found.total_height, found.total_width), sheet, name)
    return list(found.to_python(skip_empty_area=False))


def _only_sheet(sheets: Mapping[str, Sequence[Sequence[Any]]], name: str) -> str:
    """Return the name of the only sheet that is not empty; if there are several, the largest is advised."""
    n_rows = {sheet: sum(_n_filled(row) > 1 for row in cells) for sheet, cells in sheets.items()}
    used = [sheet for sheet, cells in sheets.items() if any(map(_n_filled, cells))]
    if len(used) <= 1:
        return used[0] if used else next(iter(sheets))
    best = max(used, key=lambda sheet: (not _OTHER_SHEETS.search(sheet), n_rows[sheet]))
    raise InvalidOptionError(
        f"sheet must be given, since {name} has the sheets {listing(sheets)}.",
        code="several-sheets",
        fields={"sheets": list(sheets)},
        advice=[Advice({"sheet": best})],
    )


def _n_filled(row: Sequence[Any]) -> int:
    return sum(cell not in ("", None) for cell in row)


def _chosen_sheet(sheet: str | int, present: Sequence[str], name: str) -> str:
    """Return the name of a sheet given by its name or by its position counted from one."""
    if sheet in present:
        return str(sheet)
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(present):
        return present[int(sheet) - 1]
    raise InvalidOptionError(
        f"there is no sheet {sheet!r} in {name}; the sheets are {listing(present)}.{did_you_mean(str(sheet), present)}"
    )


def _cell_text(value: Any) -> str:
    """Return a cell as text; whole numbers, which a sheet stores as decimals, have no decimal point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, date | time) else str(value)
