"""Split text into lines, and make the ends of the rows of a large text file uniform, which DuckDB requires.

A line ends in LF, CR LF or CR; a file may contain all of them. Line ends within quotation marks belong to a cell and
are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import BinaryIO

import numpy as np

from kappamax._typing import Array

_BYTES_PER_CHUNK = 1 << 22
_MOST_CUTS = 1_000
_CR, _LF, _QUOTE = b'\r\n"'


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends; other characters, such as a form feed, do not end a line."""
    return list(StringIO(text, newline=""))


def end_of_last_row(text: bytes) -> int:
    """Return the position after the last line end outside quotation marks in the beginning of a text; 0 if none is.

    If the last thousand lines all end within quotation marks, the position after the last line is returned.
    """
    end = last = text.rfind(b"\n") + 1
    n_marks = text.count(b'"', 0, end)
    for _ in range(_MOST_CUTS):
        if n_marks % 2 == 0 or not end:
            return end
        earlier = text.rfind(b"\n", 0, end - 1) + 1
        n_marks -= text.count(b'"', earlier, end)
        end = earlier
    return last


def rows_end_in_lf(file: BinaryIO) -> bool:
    """Return whether all rows of a text end in LF; their cells may contain any line ends."""
    return not any(b"\r" in content and cr.any() for content, _, cr, _ in _marked_chunks(file))


def rows_end_in_cr_lf(file: BinaryIO) -> bool:
    """Return whether all rows of a text end in CR LF, and no cell contains a line end, which DuckDB would misread."""
    for content, _, cr, pairs in _marked_chunks(file):
        if not content.count(b"\r") == content.count(b"\n") == int(pairs.sum()) == int(cr.sum()):
            return False
    return True


def uniform_chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the parts of a text whose rows all end in LF."""
    for _, data, cr, pairs in _marked_chunks(file):
        yield np.where(cr, np.uint8(_LF), data)[~pairs].tobytes()


def _marked_chunks(file: BinaryIO) -> Iterator[tuple[bytes, Array, Array, Array]]:
    """Yield bytes of a text, also as an array, and which of them are CR outside quotation marks, and CR before LF."""
    n_quotes, held = 0, b""
    while True:
        chunk = file.read(_BYTES_PER_CHUNK)
        content = held + chunk
        held = b"\r" if chunk and content.endswith(b"\r") else b""  # its LF may be in the next chunk
        content = content[: len(content) - len(held)]
        data = np.frombuffer(content, dtype=np.uint8)
        cr = data == _CR
        if b"\r" in content and (n_quotes % 2 or b'"' in content):
            cr &= (n_quotes + np.cumsum(data == _QUOTE)) % 2 == 0
        n_quotes += content.count(b'"')
        pairs = np.append(cr[:-1] & (data[1:] == _LF), np.zeros(min(len(data), 1), dtype=bool))
        yield content, data, cr, pairs
        if not chunk:
            return
