"""Files and what they hold in, a clear error out."""

from __future__ import annotations

import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from gzip import GzipFile
from pathlib import Path
from typing import IO, Any, NoReturn, TextIO

from kappamax._validate import did_you_mean
from kappamax.display.text import listing, shortened
from kappamax.errors import InvalidOptionError, InvalidRatingsError, InvalidTableError, UnreadableFileError

_MOST_COLUMNS = 2_000


def path(value: object) -> None:
    """Something that can name a file."""
    if not isinstance(value, str | os.PathLike) or isinstance(value, bytes):
        raise UnreadableFileError(f"path must be the name of a file; got {type(value).__name__}.")


def lasting(path: Path) -> bool:
    """Whether a path that may be read is a file, or a folder of them, that can be read more than once."""
    try:
        if path.is_dir():
            return True
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
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFileError(f"{name} cannot be read: {error}.") from None


def first_bytes(path: Path, size: int) -> bytes:
    """How a file begins."""
    with path.open("rb") as file:
        return file.read(size)


def whole_lines(sample: bytes, name: str) -> bytes:
    """A beginning without its last line, which may be cut."""
    end = sample.rfind(b"\n") + 1
    if not end and b"\0" not in sample:
        raise UnreadableFileError(f"{name}: the first line is longer than {len(sample):,} bytes.")
    return sample[:end] or sample


def parquet_files(folder: Path) -> list[Path]:
    """The Parquet files of a folder and its folders, without those that are hidden or say how the rest was written."""
    found = sorted(file for file in folder.rglob("*.parquet") if file.is_file() and file.name[0] not in "._")
    if not found:
        raise UnreadableFileError(f"{folder} is a folder without Parquet files.")
    return found


def partition_keys(files: Sequence[Path], folder: Path) -> list[str]:
    """The columns that names of folders such as rater=anna/ inside a folder hold: the same for every file."""
    first: list[str] | None = None
    for file in files:
        parts = file.relative_to(folder).parts[:-1]
        keys = [part.partition("=")[0] for part in parts if part.find("=") > 0]
        twice = next((key for i, key in enumerate(keys) if key in keys[:i]), None)
        if twice is not None:
            raise UnreadableFileError(f"{folder}: {file.relative_to(folder)} is in two folders named {twice}=...")
        first = keys if first is None else first
        if keys != first:
            had, has = (listing(one) if one else "none" for one in (first, keys))
            raise UnreadableFileError(
                f"{folder}: folders such as rater=anna must name the same columns for every file; "
                f"{files[0].relative_to(folder)} has {had} and {file.relative_to(folder)} has {has}."
            )
    return first or []


def only_objects(n_others: int, n_doubles: int, name: str) -> None:
    """Each line of JSON is an object with different keys."""
    if n_doubles:
        raise UnreadableFileError(f"{name}: the keys of a JSON object must differ; {n_doubles:,} have one twice.")
    if n_others:
        raise UnreadableFileError(f"{name}: every line must be a JSON object; {n_others:,} are not.")


def some_key(keys: list[str], name: str) -> list[str]:
    """Objects with at least one key between them."""
    if not keys:
        raise UnreadableFileError(f"{name}: the JSON objects have no keys.")
    return keys


def some_split(tried: Sequence[tuple[str, list[list[str]]]], name: str) -> list[tuple[str, list[list[str]]]]:
    """Delimiters under which the first rows can be read."""
    readable = [(delimiter, records) for delimiter, records in tried if records]
    if not readable:
        raise UnreadableFileError(
            f"{name}: the first row cannot be split; a quotation mark is not closed, or a cell is longer than 131,072 "
            "characters."
        )
    return readable


def sheet_of_spreadsheet(sheet: object, spreadsheet: bool, name: str) -> None:
    """Only a spreadsheet has sheets."""
    if sheet is not None and not spreadsheet:
        raise InvalidOptionError(f"sheet is for spreadsheets, and {name} is none.")


def delimiter_of_text(delimiter: object, text: bool, name: str) -> None:
    """One character, and only text has it between columns."""
    if delimiter is None:
        return
    if not text:
        raise InvalidOptionError(f"delimiter is for text, and {name} is none.")
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0' or not delimiter.isascii():
        raise InvalidOptionError(
            f"delimiter must be one ASCII character other than a quotation mark; got {delimiter!r}."
        )


def sheet_among(sheet: str | int | None, present: Sequence[str], name: str) -> str:
    """A sheet by its name, or by its position counted from one; the only one if none is named."""
    if sheet is None:
        if len(present) != 1:
            raise InvalidOptionError(f"{name} has the sheets {listing(present)}; choose one with sheet.")
        return present[0]
    if sheet in present:
        return str(sheet)
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(present):
        return present[int(sheet) - 1]
    raise InvalidOptionError(
        f"there is no sheet {sheet!r} in {name}; the sheets are {listing(present)}.{did_you_mean(str(sheet), present)}"
    )


def calamine() -> Any:
    """The package that reads spreadsheets."""
    try:
        import python_calamine
    except ImportError:
        raise UnreadableFileError(
            'spreadsheets need the extra excel: pip install "kappamax[excel]", or save the sheet as CSV UTF-8.'
        ) from None
    return python_calamine


@contextmanager
def calamine_failures(name: str) -> Iterator[None]:
    """What the reader of spreadsheets said, in one line."""
    try:
        yield
    except (calamine().CalamineError, OSError, ValueError) as error:
        if isinstance(error, InvalidOptionError):
            raise
        raise UnreadableFileError(f"{name} cannot be read as a spreadsheet: {str(error).splitlines()[0]}.") from None


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


def broken_quotes(name: str, line: int, message: str) -> NoReturn:
    """What Python's strict reader of text says about a line."""
    if "expected after" in message:
        message = "a quoted cell must end at its closing quotation mark"
    elif "end of data" in message:
        message = "a quotation mark is not closed"
    raise UnreadableFileError(f"{name}, line {line}: {message}.")


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
    if "Maximum line size" in message:
        raise UnreadableFileError(f"{where}: the row is longer than 2,000,000 bytes.")
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
    twice = next((column for column, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise UnreadableFileError(f"{name}: columns must have different names; {twice!r} occurs twice.")
    return list(names)


def few_columns(n_columns: int, name: str) -> None:
    """Rows that can be read."""
    if n_columns > _MOST_COLUMNS:
        raise UnreadableFileError(
            f"{name} has {n_columns:,} columns in its first row; text is read up to {_MOST_COLUMNS:,}. "
            "One row per rating is read with layout long."
        )


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


def labels_first(grid: list[list[Any]], name: str) -> list[list[Any]]:
    """Named columns of counts with their labels on the left, where the file has a column of them or none."""
    header, rows = grid[0], grid[1:]
    if len(header) == len(rows):
        return [["", *header], *([label, *row] for label, row in zip(header, rows, strict=True))]
    for i in range(len(header)):
        others = [*header[:i], *header[i + 1 :]]
        if [str(row[i]) for row in rows] == others:
            return [["", *others], *([row[i], *row[:i], *row[i + 1 :]] for row in rows)]
    raise InvalidTableError(
        f"a matrix of counts must be square, or have one more column with the other columns' names; {name} has "
        f"{len(rows)} rows and the columns {listing(header)}."
    )


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
