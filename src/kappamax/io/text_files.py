"""Determine the format of a text file: its compression, delimiter and header.

Errors that DuckDB would ignore, or would report in messages that do not help, are found before DuckDB reads the file.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np

from kappamax.errors import UnreadableFileError
from kappamax.io.line_ends import end_of_last_row, lines_of, rows_end_in_cr_lf, rows_end_in_lf
from kappamax.io.read_spec import ReadSpec
from kappamax.io.text_grid import table_start

WHOLE = 8_000_000  # bytes up to which a file is split into cells in Python
_SAMPLE = 1 << 20
_GZIP = b"\x1f\x8b"
_DAMAGE = (OSError, EOFError, zlib.error)  # errors of compressed files
_BYTES_PER_CHUNK = 1 << 24
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class TextFormat(NamedTuple):
    """The format of a large text file.

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
    notes : tuple of str
        Sentences about lines that are not part of the table.
    """

    header: list[str]
    delimiter: str
    skip: int
    compression: str
    notes: tuple[str, ...]


def text_format(path: Path, name: str, beginning: str, spec: ReadSpec) -> TextFormat:
    """Return the format of a text file; the default delimiter is the one that splits the first rows most evenly."""
    start = table_start(lines_of(beginning), name, spec)
    if len(start.delimiter) > 1:
        raise UnreadableFileError(
            f"{name}: columns that are separated by spaces can be read from files below {WHOLE // 1_000_000} MB only.",
            code="columns-not-separated",
        )
    compression = checked_compression(path, name)
    _require_closed_quotes(path, name, start.delimiter)
    return TextFormat(start.header, start.delimiter, start.skip, compression, tuple(start.notes))


def sample_of(path: Path, name: str) -> tuple[bytes, bool]:
    """Return the first bytes of a text file, decompressed, and whether these are the whole file."""
    with opened(path) as file:
        sample = _read(file, WHOLE + 1, name)
    if not sample.strip(b" \t\r\n,;|\0" + _BYTE_ORDER_MARK):
        raise UnreadableFileError(f"{name} is empty.", code="empty-file")
    return sample[:WHOLE], len(sample) <= WHOLE


def line_end_of(path: Path, name: str) -> str | None:
    """Return how all rows of a text file end, as DuckDB names it, or None if they do not all end in the same way.

    Rows that end in CR alone also give None, as do rows that end in CR LF if a cell contains a line end.
    """
    for ends, written in ((rows_end_in_lf, r"\n"), (rows_end_in_cr_lf, r"\r\n")):
        with opened(path) as file:
            try:
                if ends(file):
                    return written
            except _DAMAGE as error:
                raise UnreadableFileError(f"{name} cannot be read: {error}.", code="damaged-file") from None
    return None


def start_of_rows(sample: bytes, n_lines: int) -> int | None:
    """Return the position of the first row below some lines if a cell above it contains a line end, otherwise None."""
    start, n_marks, within = 0, 0, False
    for _, end in zip(range(n_lines), re.finditer(rb"\r\n|\r|\n", sample), strict=False):
        n_marks += sample.count(b'"', start, end.start())
        start, within = end.end(), within or n_marks % 2 == 1
    return start if within else None


def beginning_of(sample: bytes, name: str) -> str:
    """Return the first lines of UTF-8 text; the last of them is complete."""
    sample = sample[:_SAMPLE]
    end = end_of_last_row(sample) or sample.rfind(b"\n") + 1
    if not end:
        raise UnreadableFileError(f"{name}: the first line is longer than {len(sample):,} bytes.", code="long-line")
    return sample[:end].decode("utf-8-sig", errors="ignore")


def checked_compression(path: Path, name: str) -> str:
    """Return the compression of a file by its name in DuckDB, and verify its checksum, which DuckDB does not do."""
    if not _is_gzip(path):
        return "uncompressed"  # older JSON readers of DuckDB do not accept "none"
    with opened(path) as file:
        while _read(file, _SAMPLE, name):
            pass
    return "gzip"


def opened(path: Path) -> BinaryIO:
    """Open the bytes of a file, decompressed if it is compressed."""
    return cast(BinaryIO, gzip.open(path)) if _is_gzip(path) else path.open("rb")


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
    except _DAMAGE as error:
        raise UnreadableFileError(f"{name} cannot be read: {error}.", code="damaged-file") from None
