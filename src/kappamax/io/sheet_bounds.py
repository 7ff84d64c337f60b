"""Find how far the sheets of a spreadsheet extend, before a reader allocates memory for every cell in between.

A file of a few kilobytes can have a cell in the last row and the last column of a sheet. Readers hold all cells up to
it, so such a sheet is refused before it is read.
"""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from kappamax.display.text import listing
from kappamax.errors import UnreadableFileError
from kappamax.io.compression import damage_reported

MOST_CELLS = 10_000_000
MOST_UNPACKED_BYTES = 1 << 29
_BYTES_PER_CHUNK = 1 << 20
_READ_BY_READERS = (".xml", ".rels", ".bin")
_WORKSHEETS = "xl/worksheets/"
_ROW_RECORD, _CELL_RECORDS = 0, range(2, 12)  # of binary workbooks; record 1 is an empty cell


class Extent(NamedTuple):
    """Number of rows and columns up to the last cells of a sheet that are not empty."""

    n_rows: int = 0
    n_columns: int = 0

    def with_cell(self, row: int, column: int) -> Extent:
        """Return the extent of a sheet that also has a cell, given by its row and column counted from one."""
        return Extent(max(self.n_rows, row), max(self.n_columns, column))


def require_small_sheets(path: Path, name: str, chosen: Collection[str] | None) -> None:
    """Reject a spreadsheet in an archive (Office Open XML, OpenDocument) whose chosen sheets would have too many cells.

    A spreadsheet that is not an archive has at most 65,536 rows and 256 columns. Without `chosen`, the sheets are
    examined that every reader reads when it opens a file, which are all sheets of an OpenDocument file.
    """
    if not zipfile.is_zipfile(path):
        return
    with _archive(path, name) as archive:
        extents = dict(_extents(archive, chosen))
    for sheet, extent in extents.items():
        require_small_extent(extent, sheet, name)
    if sum(extent.n_rows * extent.n_columns for extent in extents.values()) > MOST_CELLS:
        raise UnreadableFileError(
            f"the sheets of {name} must have at most {MOST_CELLS:,} cells in all; {listing(extents)} have more. Choose "
            "one sheet.",
            code="sheet-too-large",
        )


def require_small_archive(path: Path, name: str) -> None:
    """Reject a spreadsheet whose parts are too large when they are unpacked, as in a decompression bomb."""
    if not zipfile.is_zipfile(path):
        return
    with _archive(path, name) as archive:
        parts = [part for part in archive.infolist() if part.filename.lower().endswith(_READ_BY_READERS)]
        size = sum(part.file_size for part in parts)
        if size > MOST_UNPACKED_BYTES:
            raise UnreadableFileError(
                f"a spreadsheet must have at most {MOST_UNPACKED_BYTES >> 20} MB when it is unpacked; {name} has "
                f"{size / (1 << 20):,.0f} MB. Save the sheet as CSV UTF-8.",
                code="sheet-too-large",
            )
        for part in parts:
            for _ in _chunks(archive, part):  # verifies the size and the checksum, which could be forged
                pass
    require_small_sheets(path, name, chosen=None)


def require_small_extent(extent: Extent, sheet: str, name: str) -> None:
    """Reject a sheet that extends too far, often because of a single cell far away from the others."""
    n_cells = extent.n_rows * extent.n_columns
    if n_cells > MOST_CELLS:
        raise UnreadableFileError(
            f"a sheet must have at most {MOST_CELLS:,} cells up to its last row and column; the last cells of sheet "
            f"{sheet!r} in {name} are in row {extent.n_rows:,} and in column {column_letters(extent.n_columns)}, which "
            f"makes {n_cells:,} cells. Delete cells that are far from the table, or save the sheet as CSV UTF-8.",
            code="sheet-too-large",
            fields={"sheet": sheet, "n_rows": extent.n_rows, "n_columns": extent.n_columns},
        )


def column_letters(number: int) -> str:
    """Return the letters that spreadsheets use for a column, counted from one: A, ..., Z, AA, ..."""
    letters = ""
    while number > 0:
        number, place = divmod(number - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters or "A"


@contextmanager
def _archive(path: Path, name: str) -> Iterator[zipfile.ZipFile]:
    """Open an archive; its errors, and those of its XML, are raised as an `UnreadableFileError`."""
    with damage_reported(name, " as a spreadsheet"), zipfile.ZipFile(path) as archive:
        try:
            yield archive
        except expat.ExpatError as error:
            raise ValueError(str(error)) from None


def _extents(archive: zipfile.ZipFile, chosen: Collection[str] | None) -> Iterator[tuple[str, Extent]]:
    """Yield the chosen sheets with their extents; sheets whose names cannot be found are all examined."""
    names = archive.namelist()
    if "content.xml" in names:
        if chosen is None:
            yield from _opendocument_extents(archive).items()
        return
    if chosen is None:
        return
    titles = _titles_of_parts(archive) if "xl/workbook.xml" in names else {}
    for part in names:
        if not part.lower().startswith(_WORKSHEETS):
            continue
        title = titles.get(part)
        if title is not None and title not in chosen:
            continue
        if part.lower().endswith(".xml"):
            yield title or part, _workbook_extent(archive, part)
        elif part.lower().endswith(".bin"):
            yield title or part, _binary_extent(archive.read(part))


def _titles_of_parts(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the titles of sheets by the names of their parts in the archive."""
    titles: dict[str, str] = {}
    targets: dict[str, str] = {}

    def sheet(tag: str, attributes: dict[str, str]) -> None:
        if tag == "sheet":
            titles[_attribute(attributes, "id")] = _attribute(attributes, "name")

    def relationship(tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    _parse(archive, "xl/workbook.xml", sheet)
    if "xl/_rels/workbook.xml.rels" in archive.namelist():
        _parse(archive, "xl/_rels/workbook.xml.rels", relationship)
    return {
        posixpath.normpath(posixpath.join("/xl", target)).lstrip("/"): titles[key]
        for key, target in targets.items()
        if key in titles
    }


def _workbook_extent(archive: zipfile.ZipFile, part: str) -> Extent:
    """Return the extent of a sheet of Office Open XML; a cell without a position follows the cell before it."""
    row = column = n_rows = n_columns = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal row, column, n_rows, n_columns
        if tag == "c":
            column += 1
            place = attributes.get("r")
            if place is not None:
                row, column = _position(place, row, column)
        elif tag in ("v", "is", "f"):  # a cell without a value, a text or a formula only has a format
            n_rows, n_columns = max(n_rows, row), max(n_columns, column)
        elif tag == "row":
            place = attributes.get("r", "")
            row, column = int(place) if place.isdecimal() else row + 1, 0

    _parse(archive, part, start)
    return Extent(n_rows, n_columns)


def _position(place: str, row: int, column: int) -> tuple[int, int]:
    """Return the row and the column of a position such as B12, counted from one; parts that it lacks are kept."""
    letters = place.rstrip("0123456789")
    digits = place[len(letters) :]
    if letters.isascii() and letters.isalpha():
        column = 0
        for letter in letters.upper():
            column = 26 * column + ord(letter) - ord("A") + 1
    return int(digits) if digits else row, column


def _binary_extent(content: bytes) -> Extent:
    """Return the extent of a sheet of a binary workbook, which is a sequence of records with a type and a length."""
    extent, row, at = Extent(), 0, 0
    while at < len(content):
        kind, at = _variable_integer(content, at, 2)
        length, at = _variable_integer(content, at, 4)
        number = int.from_bytes(content[at : at + 4], "little")
        if kind == _ROW_RECORD:
            row = number + 1
        elif kind in _CELL_RECORDS:
            extent = extent.with_cell(row, number + 1)
        at += length
    return extent


def _variable_integer(content: bytes, at: int, most_bytes: int) -> tuple[int, int]:
    """Return an integer stored in groups of seven bits, and the position after it."""
    number = 0
    for i in range(most_bytes):
        if at >= len(content):
            break
        byte = content[at]
        at += 1
        number |= (byte & 0x7F) << (7 * i)
        if byte < 0x80:
            break
    return number, at


def _opendocument_extents(archive: zipfile.ZipFile) -> dict[str, Extent]:
    """Return the extents of the sheets of an OpenDocument file, in which rows and cells may be repeated."""
    extents: dict[str, Extent] = {}
    sheet = ""
    row = column = repeated_rows = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal sheet, row, column, repeated_rows
        if tag == "table":
            sheet, row, repeated_rows = _attribute(attributes, "name"), 0, 0
            extents.setdefault(sheet, Extent())
        elif tag == "table-row":
            row, column = row + repeated_rows, 0
            repeated_rows = _times(attributes, "number-rows-repeated")
        elif tag in ("table-cell", "covered-table-cell"):
            column += _times(attributes, "number-columns-repeated")
            if any(key.endswith(("value-type", "formula")) for key in attributes):
                extents[sheet] = extents.get(sheet, Extent()).with_cell(row + repeated_rows, column)
        elif tag == "p":
            extents[sheet] = extents.get(sheet, Extent()).with_cell(row + repeated_rows, column)

    _parse(archive, "content.xml", start)
    return extents


def _times(attributes: dict[str, str], name: str) -> int:
    times = _attribute(attributes, name)
    return int(times) if times.isdecimal() else 1


def _attribute(attributes: dict[str, str], name: str) -> str:
    """Return an attribute by its name without a namespace; empty if there is none."""
    return next((value for key, value in attributes.items() if key.rpartition(":")[2] == name), "")


def _parse(archive: zipfile.ZipFile, part: str, start: Callable[[str, dict[str, str]], None]) -> None:
    """Call a function with the tag, without its namespace, and the attributes of every element of a part."""
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: start(tag.rpartition(":")[2], attributes)
    for chunk in _chunks(archive, part):
        parser.Parse(chunk)
    parser.Parse(b"", True)


def _chunks(archive: zipfile.ZipFile, part: str | zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(part) as content:
        while chunk := content.read(_BYTES_PER_CHUNK):
            yield chunk
