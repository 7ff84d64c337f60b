"""Read files tentatively for an inspection.

A small file is read as a whole. Of a large one only the first rows are read. These are the rows from which `files`
decides about the layout and the columns, so these decisions are those of a whole reading.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

from kappamax.errors import KappamaxError, UnreadableFileError
from kappamax.io.column_profiles import sample_size
from kappamax.io.file_formats import Source, open_bytes, open_file
from kappamax.io.files import table_of_source
from kappamax.io.input_files import parquet_files, stream_bytes
from kappamax.io.inspected_data import (
    Attempt,
    InspectedData,
    Options,
    Sample,
    numbers_of_labels,
    python_call,
    with_labels_as_they_stand,
)
from kappamax.io.line_ends import end_of_last_row
from kappamax.io.read_spec import ReadSpec
from kappamax.table import Label, Table

_MOST_BYTES = 32_000_000  # size up to which a file is read as a whole
_MOST_STREAM_BYTES = 1 << 29  # of standard input and pipes, which are held in memory
_USUAL_COMPRESSION = 8
_BEGINNING = 10_000_000  # bytes of a larger text file that are read, more than are split into cells in Python
_GZIP = b"\x1f\x8b"


class InspectedFile(InspectedData):
    """A file on disk, or the content of a file.

    Parameters
    ----------
    path : str
        Path of the file, as it is written in a call; "-" is standard input.
    name : str
        Name of the file, for messages.
    content : bytes, optional
        Content of the file. By default the file is opened by its path.
    whole : bool
        Whether all rows are read, not only the first ones; default True.
    """

    def __init__(self, path: str, name: str, content: bytes | None = None, *, whole: bool = True) -> None:
        self.path, self.name, self.content, self.whole = path, name, content, whole

    def attempt(self, options: Options) -> Attempt:
        """Open the file with some options and read it."""
        try:
            spec = ReadSpec(**options)
            with self._opened(spec) as source:
                return self._read(source, spec)
        except KappamaxError as error:
            return Attempt(None, None, {}, error)

    def call(self, options: Options) -> str:
        """Return the call of `read_ratings`."""
        return python_call("km.read_ratings", repr(self.path), options)

    def first_lines(self, most: int) -> list[str]:
        """Return the first lines if the file is text."""
        start = (self.content or _beginning(Path(self.path)))[: _BEGINNING // 100]
        if b"\0" in start or not start.strip():
            return []
        return start.decode("utf-8-sig", errors="replace").splitlines()[:most]

    @contextmanager
    def _opened(self, spec: ReadSpec) -> Iterator[Source]:
        opened = open_file(self.path, spec) if self.content is None else open_bytes(self.content, str(self.name), spec)
        with opened as source:
            yield source

    def _read(self, source: Source, spec: ReadSpec) -> Attempt:
        """Read an open file; of a large one, the rows from which `files` decides, and one more."""
        size = sample_size(len(source.columns))
        n_rows = None if self.content is not None and not self.whole else _number_of_rows(source)
        if not self.whole:
            source.rows(f"CREATE TEMP TABLE first_rows AS SELECT * FROM file LIMIT {size + 1}")
            source.rows("CREATE OR REPLACE VIEW file AS SELECT * FROM first_rows")
        table, refusal = None, None
        try:
            table = table_of_source(source, spec)
        except KappamaxError as error:
            refusal = error
        labels = _labels(source, spec, table)
        if self.whole:
            n_rows = _number_of_rows(source)  # without rows that are not data
        rows = source.rows(f"SELECT {', '.join(source.values.values())} FROM file LIMIT {size}")
        layout = spec.layout or source.layout or "wide"
        sample = Sample(source.columns, rows, n_rows, layout, source.header, source.not_raters, source.notes)
        return Attempt(sample, table, labels, refusal)


def inspected_file(path: str | os.PathLike[str]) -> InspectedFile:
    """Return a file on disk or standard input; of a large text file only the beginning is kept."""
    name, local = str(path), Path(path)
    if name == "-" and sys.stdin is not None:
        return inspected_bytes(
            stream_bytes(sys.stdin.buffer, "standard input", _MOST_STREAM_BYTES), "-", "standard input"
        )
    try:
        if local.exists() and not local.is_file() and not local.is_dir():  # a pipe can be read only once
            with local.open("rb") as stream:
                return inspected_bytes(stream_bytes(stream, name, _MOST_STREAM_BYTES), name, name)
        if _size_of(local) > _MOST_BYTES:
            beginning = None if local.is_dir() else _whole_lines(_beginning(local))
            return InspectedFile(name, name, beginning, whole=False)
    except UnreadableFileError:
        raise
    except (OSError, ValueError):
        pass  # the error is reported when the file is opened
    return InspectedFile(name, name)


def inspected_bytes(content: bytes, path: str, name: str) -> InspectedFile:
    """Return the content of a file; of a large text only the beginning is kept."""
    if len(content) <= _MOST_BYTES:
        return InspectedFile(path, name, content)
    return InspectedFile(path, name, _whole_lines(content[:_BEGINNING]) or content, whole=False)


def _number_of_rows(source: Source) -> int:
    ((n_rows,),) = source.rows("SELECT count(*) FROM file")
    return int(n_rows)


def _labels(source: Source, spec: ReadSpec, table: Table | None) -> dict[Label, int]:
    """Return the number of ratings by label as it stands in the file, or nothing if that cannot be read."""
    bare = with_labels_as_they_stand(spec)
    if table is None or bare != replace(spec, accept_labels=True):
        try:
            table = table_of_source(source, bare)
        except KappamaxError:
            return {}
    return numbers_of_labels(table)


def _size_of(path: Path) -> int:
    """Return the size of a file or of the files in a folder; that of compressed text is estimated."""
    if path.is_dir():
        return sum(file.stat().st_size for file in parquet_files(path))
    size = path.stat().st_size
    return size * _USUAL_COMPRESSION if _is_gzip(path) else size


def _beginning(path: Path) -> bytes:
    """Return the first bytes of a file, decompressed; nothing if it cannot be read."""
    try:
        with cast(BinaryIO, gzip.open(path)) if _is_gzip(path) else path.open("rb") as file:
            return file.read(_BEGINNING)
    except (OSError, EOFError, ValueError, zlib.error):
        return b""


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == _GZIP


def _whole_lines(text: bytes) -> bytes | None:
    """Return the beginning of a text without its last, incomplete row; None if the bytes are not lines of text."""
    if b"\0" in text or re.match(rb"(\xef\xbb\xbf)?\s*\[", text):
        return None
    return text[: end_of_last_row(text)] or None
