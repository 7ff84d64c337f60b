"""Determine the format of a text file: its encoding, compression, delimiter, quotes and first row.

Errors that DuckDB would ignore, or would report in messages that do not help, are found before DuckDB reads the file.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np

from kappamax.errors import UnreadableFileError

_GZIP = b"\x1f\x8b"
_DELIMITERS = (",", "\t", ";", "|")
_SAMPLE = 1 << 20
_ROWS_TRIED = 20
_BYTES_PER_CHUNK = 1 << 24
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MOST_COLUMNS = 2_000


class TextFormat(NamedTuple):
    """The format of a text file.

    Attributes
    ----------
    first : list of str
        Cells of the first row that is not blank.
    delimiter : str
        Character that separates the cells.
    skip : int
        Number of blank lines above the first row.
    compression : str
        Compression, by its name in DuckDB.
    """

    first: list[str]
    delimiter: str
    skip: int
    compression: str


def text_format(path: Path, name: str, beginning: str, delimiter: str | None) -> TextFormat:
    """Return the format of a text file; the default delimiter is the one that splits the first rows most evenly."""
    skip = len(re.match(r"(?:[ \t]*\r?\n)*", beginning).group().splitlines())  # type: ignore[union-attr]  # it always matches
    lines = beginning.splitlines()[skip:][:_ROWS_TRIED]
    tried = [(one, _records(lines, one)) for one in (_DELIMITERS if delimiter is None else (delimiter,))]
    readable = [(one, records) for one, records in tried if records]
    if not readable:
        raise UnreadableFileError(
            f"{name}: the first row cannot be split into cells, since a quotation mark is not closed or a cell is "
            "longer than 131,072 characters."
        )
    best, records = max(readable, key=lambda one: _evenness(one[1]))
    if len(records[0]) > _MOST_COLUMNS:
        raise UnreadableFileError(
            f"a text file can have at most {_MOST_COLUMNS:,} columns; the first row of {name} has "
            f"{len(records[0]):,}. Use layout long, with one row per rating, for more."
        )
    compression = checked_compression(path, name)
    _require_closed_quotes(path, name, best)
    return TextFormat([cell.strip() for cell in records[0]], best, skip, compression)


def beginning_of(path: Path, name: str) -> str:
    """Return the first lines of a text file; the last of them is complete."""
    with _opened(path) as file:
        sample = _read(file, _SAMPLE, name)
    if len(sample) == _SAMPLE:
        end = sample.rfind(b"\n") + 1
        if not end and b"\0" not in sample:
            raise UnreadableFileError(f"{name}: the first line is longer than {len(sample):,} bytes.")
        sample = sample[:end] or sample
    if not sample.strip(b" \t\r\n,;|" + _BYTE_ORDER_MARK):
        raise UnreadableFileError(f"{name} is empty.")
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableFileError(f"{name} is UTF-16 text; save it as UTF-8 (in a spreadsheet: CSV UTF-8).")
    if b"\0" in sample:
        raise UnreadableFileError(f"{name} is a binary file, not text with columns.")
    try:
        return sample.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start >= len(sample) - 4:  # a character cut by the end of the sample
            return sample[: error.start].decode("utf-8-sig")
        line = sample[: error.start].count(b"\n") + 1
        raise UnreadableFileError(
            f"{name} is not UTF-8 text: line {line} has the byte 0x{sample[error.start]:02x}."
        ) from None


def checked_compression(path: Path, name: str) -> str:
    """Return the compression of a file by its name in DuckDB, and verify its checksum, which DuckDB does not do."""
    if not _is_gzip(path):
        return "uncompressed"  # older JSON readers of DuckDB do not accept "none"
    with _opened(path) as file:
        while _read(file, _SAMPLE, name):
            pass
    return "gzip"


def _require_closed_quotes(path: Path, name: str, delimiter: str) -> None:
    """Reject text after a closing quotation mark, which DuckDB would join to the quoted part."""
    with _opened(path) as file:
        if not _doubtful_quotes(file, name, delimiter):
            return
    with _opened(path) as file, io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="") as lines:
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
            raise UnreadableFileError(f"{name}, line {rows.line_num}: {message}.") from None


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


def _opened(path: Path) -> BinaryIO:
    """Open the bytes of a file, decompressed if it is compressed."""
    return cast(BinaryIO, gzip.open(path)) if _is_gzip(path) else path.open("rb")


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == _GZIP


def _read(file: BinaryIO, size: int, name: str) -> bytes:
    """Return the next bytes of a file; a damaged compressed file raises an error."""
    try:
        return file.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFileError(f"{name} cannot be read: {error}.") from None


def _evenness(records: Sequence[Sequence[str]]) -> tuple[bool, int]:
    """Return whether the first rows have the same length above 1, and the length of the first row."""
    width = len(records[0])
    return width > 1 and all(len(record) == width for record in records), width


def _records(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the first rows split by a delimiter, without blank rows, up to a row that cannot be split."""
    records = []
    with suppress(csv.Error):
        for row in csv.reader(lines, delimiter=delimiter, strict=True):
            records.append(row)
    return [row for row in records if row]
