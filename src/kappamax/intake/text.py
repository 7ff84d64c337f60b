"""The beginning of a text file in, its first row and delimiter out."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from kappamax._checks import files as checks

__all__ = ["GZIP", "Top", "early_keys", "first_rows", "is_json_lines"]

GZIP = b"\x1f\x8b"
_DELIMITERS = (",", "\t", ";", "|")
_SAMPLE = 1 << 20
_ROWS_TRIED = 20


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
    tried = [(one, _records(lines[:_ROWS_TRIED], one, name)) for one in choices]
    best, records = max(tried, key=lambda one: _evenness(one[1]))
    return Top([cell.strip() for cell in records[0]], best, skip)


def is_json_lines(path: Path, name: str) -> bool:
    """Whether the first row is the beginning of a JSON object."""
    return re.match(r'\s*\{\s*("|\})', _beginning(path, name)) is not None


def early_keys(path: Path, name: str) -> list[str]:
    """The keys of the first JSON objects in the order they appear; a line that is none is left to the reader."""
    keys: dict[str, None] = {}
    for line in _beginning(path, name).splitlines():
        with suppress(ValueError):
            keys |= dict.fromkeys(json.loads(line)) if line.lstrip().startswith("{") else {}
    return list(keys)


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


def _records(lines: Sequence[str], delimiter: str, name: str) -> list[list[str]]:
    """The first rows under one delimiter, blank ones left out."""
    try:
        return [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error as error:
        checks.reading_failed(name, str(error))
