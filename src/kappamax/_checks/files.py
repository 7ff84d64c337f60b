"""Files and what they hold in, a clear error out."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from gzip import GzipFile
from pathlib import Path
from typing import IO, Any, NoReturn, TextIO

from kappamax.display.text import listing, shortened
from kappamax.errors import InvalidOptionError, InvalidRatingsError, InvalidTableError, UnreadableFileError


def path(value: object) -> None:
    """Something that can name a file."""
    if not isinstance(value, str | os.PathLike) or isinstance(value, bytes):
        raise UnreadableFileError(f"path must be the name of a file; got {type(value).__name__}.")


def regular_file(path: Path) -> bool:
    """Whether a path that may be read is a file that can be read more than once."""
    try:
        if path.is_dir():
            raise UnreadableFileError(f"{path} is a folder, not a file.")
        if path.exists() and not path.is_file():
            return False
        with path.open("rb"):
            return True
    except FileNotFoundError:
        raise UnreadableFileError(f"there is no file {path}.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnreadableFileError(f"{shortened(str(path))} cannot be read: {reason}.") from None


def open_stdin(stream: TextIO | None) -> TextIO:
    """Standard input, which a caller may have closed."""
    if stream is None:
        raise UnreadableFileError("standard input is closed.")
    return stream


def sample(file: IO[bytes] | GzipFile, size: int, name: str) -> bytes:
    """The beginning of a file, which may be compressed and cut short."""
    try:
        return file.read(size)
    except (OSError, EOFError) as error:
        raise UnreadableFileError(f"{name} cannot be read: {error}.") from None


def text(sample: bytes, name: str) -> str:
    """The beginning of a file as text."""
    if not sample.strip(b" \t\r\n,;|\xef\xbb\xbf"):
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


def reading_failed(name: str, message: str) -> NoReturn:
    """What DuckDB said, in one line."""
    line = re.search(r"Line: (\d+)", message)
    where = f"{name}, line {line.group(1)}" if line else name
    width = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if width:
        expected, found = width.groups()
        raise UnreadableFileError(f"{where}: every row must have {expected} columns like the first; got {found}.")
    if re.search(r"unterminated quote|not terminated|quote should be followed", message, re.IGNORECASE):
        raise UnreadableFileError(f"{where}: a quotation mark is not closed.")
    if "state machine" in message:
        raise UnreadableFileError(f"{where}: lines must end alike; some end in CR LF and some in LF.")
    if re.search(r"unicode|utf-?8|encod", message, re.IGNORECASE):
        raise UnreadableFileError(f"{where}: the text is not UTF-8.")
    raise UnreadableFileError(f"{where}: {message.strip().splitlines()[0]}")


def header(names: Sequence[str], name: str) -> list[str]:
    """Column names, none twice, none empty."""
    for i, column in enumerate(names):
        if not column:
            raise UnreadableFileError(
                f"{name}: every column must have a name in the first row; column {i + 1} has none. "
                "A matrix of counts is read with layout counts."
            )
    for i, column in enumerate(names):
        if column in names[:i]:
            raise UnreadableFileError(f"{name}: columns must have different names; {column!r} occurs twice.")
    return list(names)


def some_row(rows: Sequence[Any], name: str) -> None:
    """Something after the header."""
    if not rows:
        raise InvalidRatingsError(f"{name} holds no subject: there is no row after the header.")


def looks_wide(names: Sequence[str], labels: Sequence[Any], name: str) -> None:
    """A header that belongs to another layout, or is none at all."""
    lowered = [column.lower() for column in names]
    if {"subject", "rater", "rating"} <= set(lowered):
        raise InvalidRatingsError(f"{name} has columns subject, rater and rating: read it with layout long.")
    if lowered[-1] in {"count", "counts", "freq", "frequency"}:
        raise InvalidRatingsError(f"{name} ends in a column {names[-1]!r}: read it with layout patterns.")
    if all(isinstance(label, int | float) for label in labels):
        raise InvalidRatingsError(
            f"the first row of {name} must name the raters, but it holds numbers: {listing(labels)}. "
            "Add a header, or name these columns with raters if they are the names."
        )


def no_nul(rows: Sequence[tuple[Any, ...]], name: str) -> None:
    """Zero bytes after the beginning of a file."""
    if any(isinstance(cell, str) and "\0" in cell for row in rows for cell in row):
        raise UnreadableFileError(f"{name} is a binary file, not text with columns.")


def without_count(names: list[str], count: str) -> list[str]:
    """Raters' columns of the patterns layout."""
    if count in names:
        raise InvalidRatingsError(f"column {count!r} holds the counts, so it cannot be a rater.")
    return names


def every_row_named(n_nameless: int, name: str) -> None:
    """Rows of the long layout say who rated what."""
    if n_nameless:
        raise InvalidRatingsError(f"{name}: every row must name a subject and a rater; {n_nameless} rows do not.")


def whole_count(cell: Any, place: str) -> int:
    """A count written as text."""
    written = "" if cell is None else str(cell).strip()
    if re.fullmatch(r"\d{1,30}(\.0*)?", written):
        if (count := int(written.split(".")[0])) < 2**62:
            return count
        raise InvalidTableError(f"counts must be below 2^62; {place} is {written}.")
    raise InvalidTableError(f"counts must be whole numbers >= 0; {place} is {written!r}.")


def long_column(present: Sequence[str], name: str) -> str:
    """A column of the long layout, in any case."""
    found = [column for column in present if column.lower() == name]
    if not found:
        raise InvalidRatingsError(
            f"layout long needs columns subject, rater and rating; {name!r} is missing from {listing(present)}."
        )
    if len(found) > 1:
        raise InvalidRatingsError(f"layout long needs one column {name}; there are {listing(found)}.")
    return found[0]


def no_double(found: Sequence[tuple[Any, ...]]) -> None:
    """A rater rates a subject once."""
    if found:
        subject, rater = found[0]
        raise InvalidRatingsError(f"a rater must rate a subject once; {rater!r} rated {subject!r} more than once.")


def same_labels(rows: Sequence[Any], columns: Sequence[Any]) -> None:
    """Rows and columns of a labelled matrix of counts."""
    if None in columns:
        raise InvalidTableError(
            f"a labelled matrix of counts must name every column; column {columns.index(None) + 2} has no name."
        )
    if list(rows) != list(columns):
        raise InvalidTableError(
            "a matrix of counts must have the same labels in the same order on both sides; "
            f"rows are {listing(rows)} and columns {listing(columns)}."
        )


def same_set(categories: Sequence[Any], labels: Sequence[Any]) -> Sequence[Any]:
    """`categories` beside a labelled matrix may only repeat its labels: the matrix has an order of its own."""
    if [str(c) for c in categories] != [str(label) for label in labels]:
        raise InvalidOptionError(
            f"the matrix of counts has its own order of categories, {listing(labels)}; leave categories out."
        )
    return labels


def square(counts: Sequence[Sequence[int]], name: str) -> None:
    """As many rows as columns."""
    widths = {len(row) for row in counts}
    if widths != {len(counts)}:
        shape = f"{len(counts)} rows and {max(widths, default=0)} columns"
        raise InvalidTableError(f"a matrix of counts must be square; {name} has {shape}.")


def no_totals(counts: Sequence[Sequence[int]], name: str) -> None:
    """A last row and column that repeat the sums of the others would be read as one more category."""
    if len(counts) < 3 or not any(counts[-1]):
        return
    body = [row[:-1] for row in counts[:-1]]
    rows = [sum(row) for row in body]
    columns = [sum(column) for column in zip(*body, strict=True)]
    if [row[-1] for row in counts[:-1]] == rows and list(counts[-1]) == [*columns, sum(rows)]:
        raise InvalidTableError(f"the last row and column of {name} are the totals of the others; leave them out.")
