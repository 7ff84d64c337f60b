"""Files and what they hold in, a clear error out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError, InvalidRatingsError, InvalidTableError, UnreadableFileError

_MANY_VALUES = 100


def readable(path: Path) -> None:
    """A file that exists and may be read."""
    if path.is_dir():
        raise UnreadableFileError(f"{path} is a folder, not a file.")
    try:
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise UnreadableFileError(f"there is no file {path}.") from None
    except OSError as error:
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror or error}.") from None


def text(sample: bytes, name: str) -> str:
    """The beginning of a file as text."""
    if not sample.strip(b" \t\r\n,;|\xef\xbb\xbf"):
        raise UnreadableFileError(f"{name} is empty.")
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
    if re.search(r"unicode|utf-?8|encod", message, re.IGNORECASE):
        raise UnreadableFileError(f"{where}: the text is not UTF-8.")
    raise UnreadableFileError(f"{where}: {message.strip().splitlines()[0]}")


def header(names: Sequence[str], name: str) -> list[str]:
    """Column names, none twice."""
    for i, column in enumerate(names):
        if column in names[:i]:
            raise UnreadableFileError(f"{name}: columns must have different names; {column!r} occurs twice.")
    return list(names)


def two_columns(names: Sequence[str], name: str) -> None:
    """At least two raters."""
    if len(names) < 2:
        raise InvalidRatingsError(
            f"agreement needs at least two raters, one column each; {name} has {len(names)}: {listing(names)}."
        )


def some_row(rows: Sequence[Any], name: str) -> None:
    """Something after the header."""
    if not rows:
        raise InvalidRatingsError(f"{name} holds no subject: there is no row after the header.")


def few_values(names: Sequence[str], n_values: Sequence[int], n_rows: int) -> None:
    """Columns of ratings repeat few values; an identifier does not."""
    for name, n in zip(names, n_values, strict=True):
        if n > _MANY_VALUES and n > n_rows / 2:
            raise InvalidRatingsError(
                f"column {name!r} has {n} distinct values in {n_rows} rows, so it is probably not a rating. "
                f"Choose the raters' columns: raters=[...] (on the command line --raters a,b)."
            )


def whole_count(cell: Any, place: str) -> int:
    """A count written as text."""
    written = "" if cell is None else str(cell).strip()
    if re.fullmatch(r"\d{1,18}(\.0*)?", written):
        return int(written.split(".")[0])
    raise InvalidTableError(f"counts must be whole numbers >= 0; {place} is {written!r}.")


def long_column(by_lower: Mapping[str, str], name: str, present: Sequence[str]) -> str:
    """A column of the long layout."""
    if name not in by_lower:
        raise InvalidRatingsError(
            f"layout long needs columns subject, rater and rating; {name!r} is missing from {listing(present)}."
        )
    return by_lower[name]


def no_double(found: Sequence[tuple[Any, ...]]) -> None:
    """A rater rates a subject once."""
    if found:
        subject, rater = found[0]
        raise InvalidRatingsError(f"a rater must rate a subject once; {rater!r} rated {subject!r} more than once.")


def raters_named(names: list[str], present: Sequence[str]) -> list[str]:
    """Raters of a long file."""
    for name in names:
        if name not in present:
            near = get_close_matches(name, list(present), n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise InvalidRatingsError(f"there is no rater {name!r}; the raters are {listing(present)}.{hint}")
    if len(names) < 2:
        raise InvalidRatingsError(f"agreement needs at least two raters; got {listing(names) or 'none'}.")
    return names


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
