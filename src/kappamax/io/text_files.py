"""Find out how a text file is written: its encoding, compression, delimiter, quotes and first row.

Everything that DuckDB would accept in silence, or report in words that do not help, is checked before it reads.
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
    """How a text file is written.

    `first` is the first row that is not blank, `skip` the number of blank lines above it, and `compression` what DuckDB
    calls the compression.
    """

    first: list[str]
    delimiter: str
    skip: int
    compression: str


def text_format(path: Path, name: str, beginning: str, delimiter: str | None) -> TextFormat:
    """Return how a text file with columns is written; a delimiter not given is that which splits rows most evenly."""
    skip = len(re.match(r"(?:[ \t]*\r?\n)*", beginning).group().splitlines())  # type: ignore[union-attr]  # matches always
    lines = beginning.splitlines()[skip:][:_ROWS_TRIED]
    tried = [(one, _records(lines, one)) for one in (_DELIMITERS if delimiter is None else (delimiter,))]
    readable = [(one, records) for one, records in tried if records]
    if not readable:
        raise UnreadableFileError(
            f"{name}: the first row cannot be split; a quotation mark is not closed, or a cell is longer than 131,072 "
            "characters."
        )
    best, records = max(readable, key=lambda one: _evenness(one[1]))
    if len(records[0]) > _MOST_COLUMNS:
        raise UnreadableFileError(
            f"{name} has {len(records[0]):,} columns in its first row; text is read up to {_MOST_COLUMNS:,}. "
            "One row per rating is read with layout long."
        )
    compression = checked_compression(path, name)
    _require_closed_quotes(path, name, best)
    return TextFormat([cell.strip() for cell in records[0]], best, skip, compression)


def beginning_of(path: Path, name: str) -> str:
    """Return the first lines of a text file, whole lines only."""
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
    """Return how a file is compressed, in DuckDB's words; its checksum is verified, which DuckDB does not do."""
    if not _is_gzip(path):
        return "uncompressed"  # older JSON readers do not know "none"
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
    """Return whether some quotation mark may neither begin nor end a cell; quickly, so sound text may be doubtful too.

    Marks open and close in turn. Before an opening one there must be the end of a cell, or a mark (two in a row stand
    for one inside a cell); after a closing one the same.
    """
    ends = np.zeros(256, dtype=bool)
    ends[list(b'\r\n"' + delimiter.encode())] = True
    seen, last = 0, b"\n"
    while chunk := _read(file, _BYTES_PER_CHUNK, name):
        data = np.frombuffer(last + chunk.removeprefix(_BYTE_ORDER_MARK), dtype=np.uint8)
        marks = np.flatnonzero(data == ord('"'))
        first = seen - (last == b'"')  # how many marks came before the first of these
        opening, closing = marks[first % 2 :: 2], marks[1 - first % 2 :: 2]
        before, after = data[opening[opening > 0] - 1], data[closing[closing < len(data) - 1] + 1]
        if not (ends[before].all() and ends[after].all()):
            return True
        seen, last = first + len(marks), chunk[-1:]
    return seen % 2 == 1


def _opened(path: Path) -> BinaryIO:
    """Open the bytes of a file, unpacked if it is compressed."""
    return cast(BinaryIO, gzip.open(path)) if _is_gzip(path) else path.open("rb")


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == _GZIP


def _read(file: BinaryIO, size: int, name: str) -> bytes:
    """Return the next bytes of a file, which may be compressed and cut short."""
    try:
        return file.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFileError(f"{name} cannot be read: {error}.") from None


def _evenness(records: Sequence[Sequence[str]]) -> tuple[bool, int]:
    """Return whether the first rows have one length above 1, and the length of the first."""
    width = len(records[0])
    return width > 1 and all(len(record) == width for record in records), width


def _records(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the first rows under one delimiter, blank ones left out, up to one that is cut or broken."""
    records = []
    with suppress(csv.Error):
        for row in csv.reader(lines, delimiter=delimiter, strict=True):
            records.append(row)
    return [row for row in records if row]
