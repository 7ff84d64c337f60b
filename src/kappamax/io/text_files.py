"""Determine the format of a text file: its compression, delimiter, header, and lines that are not part of the table.

Errors that DuckDB would ignore, or would report in messages that do not help, are found before DuckDB reads the file.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np

from kappamax.display.text import listing, plural
from kappamax.errors import UnreadableFileError
from kappamax.io.read_spec import ReadSpec

SAMPLE = 1 << 20
_GZIP = b"\x1f\x8b"
_DELIMITERS = (",", "\t", ";", "|")
_ROWS_TRIED = 100
_LAST_BYTES = 1 << 16
_BYTES_PER_CHUNK = 1 << 24
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MOST_COLUMNS = 2_000
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_IMPORT_ROW = '{"ImportId"'  # the third row of a Qualtrics export, after the questions


class TextFormat(NamedTuple):
    """The format of a text file.

    Attributes
    ----------
    header : list of str
        Cells of the header, or of the first row if there is no header; "" where a cell is empty.
    delimiter : str
        Character that separates the cells.
    skip : int
        Number of lines above the first row of data, including the header.
    compression : str
        Compression, by its name in DuckDB.
    n_footer_bytes : int
        Number of bytes after the last row of the table.
    notes : tuple of str
        Sentences about lines that are not part of the table.
    """

    header: list[str]
    delimiter: str
    skip: int
    compression: str
    n_footer_bytes: int
    notes: tuple[str, ...]


class _Record(NamedTuple):
    """A row split into cells, with the numbers of its first and last line, counted from 0."""

    cells: list[str]
    start: int
    end: int

    @property
    def n_filled(self) -> int:
        return sum(1 for cell in self.cells if cell.strip())


def text_format(path: Path, name: str, beginning: str, spec: ReadSpec) -> TextFormat:
    """Return the format of a text file; the default delimiter is the one that splits the first rows most evenly."""
    lines = beginning.splitlines(keepends=True)
    above, notes = spec.skip_rows or 0, list[str]()
    delimiter = spec.delimiter
    if above == 0 and lines and (separator := _SEPARATOR_LINE.fullmatch(lines[0])):
        above, delimiter = 1, delimiter or separator.group(1)
        notes.append(f"The first line, {lines[0].strip()!r}, was read as the delimiter.")
    delimiter, records = _split(lines[above:], above, name, delimiter)
    filled = [record for record in records if record.n_filled]
    if not filled:
        raise UnreadableFileError(f"{name} is empty.", code="empty-file")
    width = _usual_width(filled)
    first = filled[0]
    if spec.skip_rows is None:
        first = _header_record(filled, width)
        if skipped := [record for record in filled if record.start < first.start]:
            shown = listing([delimiter.join(record.cells).strip().strip(delimiter) for record in skipped], most=3)
            notes.append(f"{plural(len(skipped), 'line')} above the table {_was(len(skipped))} left out: {shown}.")
    header = _header_cells(first, filled, width)
    if len(header) > _MOST_COLUMNS:
        raise UnreadableFileError(
            f"a text file can have at most {_MOST_COLUMNS:,} columns; the first row of {name} has {len(header):,}. "
            "Use layout long, with one row per rating, for more.",
            code="too-many-columns",
        )
    last_line = first.start - 1 if spec.no_header else first.end
    imported = next((record for record in filled[:4] if any(_IMPORT_ROW in cell for cell in record.cells)), None)
    if imported is not None and imported.start > first.end and not spec.no_header:
        last_line = imported.end
        notes.append("The rows of a Qualtrics export below its header, which hold questions, were left out.")
    compression = checked_compression(path, name)
    n_footer_bytes, footer = (
        (0, list[str]()) if compression != "uncompressed" else _footer(path, delimiter, len(header))
    )
    if footer:
        notes.append(
            f"{plural(len(footer), 'line')} below the table {_was(len(footer))} left out: {listing(footer, 3)}."
        )
    _require_closed_quotes(path, name, delimiter)
    return TextFormat(header, delimiter, last_line + 1, compression, n_footer_bytes, tuple(notes))


def sample_of(path: Path, name: str) -> bytes:
    """Return the first bytes of a text file, decompressed."""
    with opened(path) as file:
        sample = _read(file, SAMPLE, name)
    if not sample.strip(b" \t\r\n,;|\0" + _BYTE_ORDER_MARK):
        raise UnreadableFileError(f"{name} is empty.", code="empty-file")
    return sample


def beginning_of(sample: bytes, name: str) -> str:
    """Return the first lines of UTF-8 text; the last of them is complete."""
    if len(sample) == SAMPLE:
        end = sample.rfind(b"\n") + 1
        if not end:
            raise UnreadableFileError(f"{name}: the first line is longer than {len(sample):,} bytes.", code="long-line")
        sample = sample[:end]
    return sample.decode("utf-8-sig", errors="ignore")


def transposed(path: Path, text: TextFormat) -> bytes:
    """Return the table in a text file with rows and columns exchanged, as comma-separated text."""
    with opened(path) as file, io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as lines:
        rows = [row for row in csv.reader(lines, delimiter=text.delimiter) if any(map(str.strip, row))]
    start = next((i for i, row in enumerate(rows) if [cell.strip() for cell in row] == text.header), 0)
    whole = [row for row in rows[start:] if len(row) == len(text.header)]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(zip(*whole, strict=True))
    return out.getvalue().encode()


def checked_compression(path: Path, name: str) -> str:
    """Return the compression of a file by its name in DuckDB, and verify its checksum, which DuckDB does not do."""
    if not _is_gzip(path):
        return "uncompressed"  # older JSON readers of DuckDB do not accept "none"
    with opened(path) as file:
        while _read(file, SAMPLE, name):
            pass
    return "gzip"


def opened(path: Path) -> BinaryIO:
    """Open the bytes of a file, decompressed if it is compressed."""
    return cast(BinaryIO, gzip.open(path)) if _is_gzip(path) else path.open("rb")


def _split(lines: Sequence[str], above: int, name: str, delimiter: str | None) -> tuple[str, list[_Record]]:
    """Return the delimiter and the first rows; a space is tried only if no other delimiter splits the rows."""
    tried = [(one, _records(lines, above, one)) for one in (_DELIMITERS if delimiter is None else (delimiter,))]
    readable = [(one, records) for one, records in tried if records]
    if not readable:
        raise UnreadableFileError(
            f"{name}: the first row cannot be split into cells, since a quotation mark is not closed or a cell is "
            "longer than 131,072 characters.",
            code="unclosed-quote",
        )
    best = max(readable, key=lambda one: _evenness(one[1]))
    if delimiter is None and max(map(len, (record.cells for record in best[1]))) == 1:
        spaced = _records(lines, above, " ")
        if spaced and _evenness(spaced)[0] == 1.0:
            return " ", spaced
    return best


def _records(lines: Sequence[str], above: int, delimiter: str) -> list[_Record]:
    """Return the first rows split by a delimiter, up to a row that cannot be split."""
    records = []
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    with suppress(csv.Error):
        start = 0
        for cells in reader:
            records.append(_Record(cells, above + start, above + reader.line_num - 1))
            start = reader.line_num
            if len(records) == _ROWS_TRIED:
                break
    return records


def _evenness(records: Sequence[_Record]) -> tuple[float, int]:
    """Return the share of rows with the usual number of cells, and this number; 0 if it is 1."""
    filled = [record for record in records if record.n_filled] or records
    width = _usual_width(filled)
    if width == 1:
        return 0.0, 1
    return sum(len(record.cells) == width for record in filled) / len(filled), width


def _usual_width(records: Sequence[_Record]) -> int:
    """Return the most frequent number of cells of a row; the larger number if two are equally frequent."""
    widths = Counter(len(record.cells) for record in records)
    return max(widths, key=lambda width: (widths[width], width))


def _header_record(records: Sequence[_Record], width: int) -> _Record:
    """Return the first row that is neither a title nor a comment."""
    for i, record in enumerate(records[:-1]):
        title = width > 1 and (record.n_filled < 2 or len(record.cells) < width - 1)
        marked = record.cells[0].startswith("#") and len(record.cells[0].strip()) > 1
        comment = marked and not records[i + 1].cells[0].startswith("#") and len(records[i + 1].cells) >= width - 1
        several = marked and records[i + 1].cells[0].startswith("#")
        if not (title or comment or several):
            return record
    return records[-1] if width > 1 and len(records) == 1 else records[0]


def _header_cells(first: _Record, records: Sequence[_Record], width: int) -> list[str]:
    """Return the cells of the header, completed if it has one cell less than the rows, as tables written by R have."""
    header = [cell.strip().removeprefix("\ufeff") for cell in first.cells]
    while len(header) > width and header[-1] == "":
        header.pop()
    below = [record.cells for record in records if record.start > first.start and len(record.cells) == width]
    if len(header) == width - 1 and below:
        ends_empty = all(cells[-1].strip() == "" for cells in below)
        return [*header, ""] if ends_empty else ["", *header]
    return header


def _footer(path: Path, delimiter: str, width: int) -> tuple[int, list[str]]:
    """Return the number of bytes after the last row of the table, and the lines among them that are not blank.

    A footer has one cell only, where the rows have several.
    """
    if width < 2:
        return 0, []
    with path.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - _LAST_BYTES))
        end = file.read()
    lines = end.splitlines(keepends=True)[0 if size <= _LAST_BYTES else 1 :]
    dropped: list[bytes] = []
    while lines and delimiter.encode() not in lines[-1] and b'"' not in lines[-1]:
        dropped.insert(0, lines.pop())
    while dropped and not dropped[0].strip():
        dropped.pop(0)
    if not lines or not any(line.strip() for line in dropped):
        return 0, []
    return sum(map(len, dropped)), [line.decode(errors="replace").strip() for line in dropped if line.strip()]


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _require_closed_quotes(path: Path, name: str, delimiter: str) -> None:
    """Reject text after a closing quotation mark, which DuckDB would join to the quoted part."""
    with opened(path) as file:
        if not _doubtful_quotes(file, name, delimiter):
            return
    with opened(path) as file, io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="") as lines:
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            for _ in rows:
                pass
        except csv.Error as error:
            message = str(error)
            if "expected after" in message:
                message = "a quoted cell must end at its closing quotation mark"
            elif "end of data" in message:
                message = "a quotation mark is not closed"
            raise UnreadableFileError(f"{name}, line {rows.line_num}: {message}.", code="unclosed-quote") from None


def _doubtful_quotes(file: BinaryIO, name: str, delimiter: str) -> bool:
    """Return whether the text may contain a quotation mark that neither begins nor ends a cell.

    This test is quick, and it may also return True for correct text. Marks open and close in turn. An opening mark must
    follow the end of a cell or another mark (two marks in a row stand for one inside a cell), and the end of a cell or
    another mark must follow a closing mark.
    """
    ends = np.zeros(256, dtype=bool)
    ends[list(b'\r\n"' + delimiter.encode())] = True
    seen, last = 0, b"\n"
    while chunk := _read(file, _BYTES_PER_CHUNK, name):
        data = np.frombuffer(last + chunk.removeprefix(_BYTE_ORDER_MARK), dtype=np.uint8)
        marks = np.flatnonzero(data == ord('"'))
        first = seen - (last == b'"')  # number of marks before the first one in `marks`
        opening, closing = marks[first % 2 :: 2], marks[1 - first % 2 :: 2]
        before, after = data[opening[opening > 0] - 1], data[closing[closing < len(data) - 1] + 1]
        if not (ends[before].all() and ends[after].all()):
            return True
        seen, last = first + len(marks), chunk[-1:]
    return seen % 2 == 1


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == _GZIP


def _read(file: BinaryIO, size: int, name: str) -> bytes:
    """Return the next bytes of a file; a damaged compressed file raises an error."""
    try:
        return file.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFileError(f"{name} cannot be read: {error}.", code="damaged-file") from None
