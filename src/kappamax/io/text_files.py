"""The beginning of a text file in, its first row and delimiter out."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np

from kappamax._checks import files as checks

__all__ = ["GZIP", "Top", "closed_quotes", "first_rows", "json_format", "sound"]

GZIP = b"\x1f\x8b"
_DELIMITERS = (",", "\t", ";", "|")
_SAMPLE = 1 << 20
_ROWS_TRIED = 20
_CHUNK = 1 << 24
_MARK = ord('"')
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Top(NamedTuple):
    """How a text file begins: its first row that is not blank, what separates columns, and the blank lines above."""

    first: list[str]
    delimiter: str
    skip: int


def first_rows(path: Path, name: str, delimiter: str | None = None) -> Top:
    """The first row, and the delimiter that splits the first rows most evenly unless it is given."""
    text = _beginning(path, name)
    skip = len(re.match(r"(?:[ \t]*\r?\n)*", text).group().splitlines())  # type: ignore[union-attr]  # matches always
    lines = text.splitlines()[skip:]
    choices = _DELIMITERS if delimiter is None else (delimiter,)
    tried = [(one, _records(lines[:_ROWS_TRIED], one)) for one in choices]
    best, records = max(checks.some_split(tried, name), key=lambda one: _evenness(one[1]))
    return Top([cell.strip() for cell in records[0]], best, skip)


def json_format(path: Path, name: str) -> str | None:
    """What kind of JSON a file begins with, in DuckDB's words; None if it is other text."""
    text = _beginning(path, name)
    if re.match(r'\s*\{\s*("|\})', text):
        return "newline_delimited"
    return "array" if re.match(r"\s*\[\s*\{", text) else None


def sound(path: Path, name: str) -> str:
    """How a file is compressed, in DuckDB's words; its checksum is verified, which DuckDB does not do."""
    if checks.first_bytes(path, 2) != GZIP:
        return "uncompressed"  # older JSON readers do not know "none"
    with gzip.open(path) as file:
        while checks.sample(file, _SAMPLE, name):
            pass
    return "gzip"


def closed_quotes(path: Path, name: str, delimiter: str) -> None:
    """Refuse text after a closing quotation mark, which DuckDB would join to the quoted part."""
    with _opened(path) as file:
        if not _doubtful_quotes(file, name, delimiter):
            return
    with _opened(path) as file, io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="") as lines:
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            for _ in rows:
                pass
        except csv.Error as error:
            checks.broken_quotes(name, rows.line_num, str(error))


def _doubtful_quotes(file: BinaryIO, name: str, delimiter: str) -> bool:
    """Whether some quotation mark neither begins nor ends a cell; quickly, and now and then of sound text too.

    Marks open and close in turn. Before an opening one there must be the end of a cell, or a mark (two in a row stand
    for one inside a cell); after a closing one the same.
    """
    ends = np.zeros(256, dtype=bool)
    ends[list(b'\r\n"' + delimiter.encode())] = True
    seen, last = 0, b"\n"
    while chunk := checks.sample(file, _CHUNK, name):
        data = np.frombuffer(last + chunk.removeprefix(_BYTE_ORDER_MARK), dtype=np.uint8)
        marks = np.flatnonzero(data == _MARK)
        first = seen - (last == b'"')  # how many marks came before the first of these
        opening, closing = marks[first % 2 :: 2], marks[1 - first % 2 :: 2]
        before, after = data[opening[opening > 0] - 1], data[closing[closing < len(data) - 1] + 1]
        if not (ends[before].all() and ends[after].all()):
            return True
        seen, last = first + len(marks), chunk[-1:]
    return seen % 2 == 1


def _beginning(path: Path, name: str) -> str:
    """The first lines, whole ones only, as text."""
    with _opened(path) as file:
        sample = checks.sample(file, _SAMPLE, name)
    if len(sample) == _SAMPLE:
        sample = checks.whole_lines(sample, name)
    return checks.text(sample, name)


def _opened(path: Path) -> BinaryIO:
    """The bytes of a file, unpacked if it is compressed."""
    packed = checks.first_bytes(path, 2) == GZIP
    return cast(BinaryIO, gzip.open(path)) if packed else path.open("rb")


def _evenness(records: Sequence[Sequence[str]]) -> tuple[bool, int]:
    """Whether the first rows have one length above 1, and the length of the first."""
    width = len(records[0])
    return width > 1 and all(len(record) == width for record in records), width


def _records(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """The first rows under one delimiter, blank ones left out, up to one that is cut or broken."""
    records = []
    with suppress(csv.Error):
        for row in csv.reader(lines, delimiter=delimiter, strict=True):
            records.append(row)
    return [row for row in records if row]
