"""Columns asked for by name in, those names or a clear error out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NoReturn

from kappamax._validate import did_you_mean
from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError, InvalidRatingsError, InvalidTableError, NotSupportedError

_MOST_RATERS = 1000


def fits_layout(argument: str, value: object, layout: str, allowed: Sequence[str]) -> None:
    """A column that this layout has."""
    if value is None:
        return
    if not isinstance(value, str):
        raise InvalidOptionError(f"{argument} must be the name of a column; got {type(value).__name__}.")
    if layout not in allowed:
        raise InvalidOptionError(
            f"{argument} names a column of layout {' or '.join(allowed)}, but layout is {layout!r}."
        )


def no_codes_in_counts(missing: Collection[Any], layout: str) -> None:
    """A matrix of counts has no ratings that could be missing."""
    if missing and layout == "counts":
        raise InvalidOptionError("missing names ratings, and a matrix of counts has none.")


def list_of_names(argument: str, values: object) -> None:
    """A list; text would be taken apart into letters."""
    if isinstance(values, str) or not (values is None or hasattr(values, "__iter__")):
        raise InvalidOptionError(f"{argument} must be a list; got {values!r}.")


def column_among(argument: str, name: str, present: Sequence[str]) -> str:
    """A column that is there."""
    if name not in present:
        raise InvalidRatingsError(
            f"there is no column {name!r} for {argument}; the columns are {listing(present)}."
            f"{did_you_mean(name, present)}"
        )
    return name


def long_column(present: Sequence[str], role: str) -> str:
    """A column of the long layout called by its role, in any case."""
    found = [column for column in present if column.lower() == role]
    if not found:
        raise InvalidRatingsError(
            f"layout long needs columns subject, rater and rating; {role!r} is missing from {listing(present)}. "
            f"Name it: {role}='...' (on the command line --{role} NAME)."
        )
    if len(found) > 1:
        raise InvalidRatingsError(f"layout long needs one column {role}; there are {listing(found)}.")
    return found[0]


def different_roles(columns: Sequence[str]) -> Sequence[str]:
    """Subject, rater and rating are three columns."""
    if len(set(columns)) < len(columns):
        raise InvalidOptionError(f"subject, rater and rating must be three different columns; got {listing(columns)}.")
    return columns


def without_count(names: list[str], count: str) -> list[str]:
    """Raters' columns of the patterns layout."""
    if count in names:
        raise InvalidRatingsError(f"column {count!r} holds the counts, so it cannot be a rater.")
    return names


def every_row_named(n_nameless: int, name: str) -> None:
    """Rows of the long layout say who rated what."""
    if n_nameless:
        raise InvalidRatingsError(f"{name}: every row must name a subject and a rater; {n_nameless} rows do not.")


def rated_once(subject: object, rater: object, places: str = "") -> NoReturn:
    """A rater who rated a subject twice."""
    raise InvalidRatingsError(f"a rater must rate a subject once; {rater!r} rated {subject!r} more than once{places}.")


def few_pairs(n_pairs: int, most: int, rater: str, rating: str) -> None:
    """Columns that can be rater and rating."""
    if n_pairs > most:
        raise InvalidRatingsError(
            f"columns {rater!r} and {rating!r} have more than {most:,} distinct pairs of values, so they are probably "
            "not rater and rating."
        )


def few_raters(n_raters: int, column: str) -> None:
    """Each rater becomes a column of the table."""
    if n_raters > _MOST_RATERS:
        raise NotSupportedError(
            f"column {column!r} names {n_raters:,} raters; a table holds up to {_MOST_RATERS:,}. "
            "Choose some of them: raters=[...] (on the command line --raters a,b)."
        )


def whole_count(cell: Any, place: Callable[[], str]) -> int:
    """A count: a whole number, or text that is one; `place` says where it stands, if that is needed."""
    written = "" if cell is None else str(cell).strip()
    whole, _, decimals = written.partition(".")
    if whole.isascii() and whole.isdigit() and len(whole) <= 30 and not decimals.strip("0"):
        if (count := int(whole)) < 2**62:
            return count
        raise InvalidTableError(f"counts must be below 2^62; {place()} is {written}.")
    raise InvalidTableError(f"counts must be whole numbers >= 0; {place()} is {written!r}.")


def frame_layout(layout: str) -> None:
    """A frame of counts has a function of its own."""
    if layout == "counts":
        raise InvalidOptionError("layout 'counts' is for files; km.from_counts(frame) takes a square frame of counts.")


def array_layout(layout: str, subject: object) -> None:
    """Columns of an array have no names."""
    if layout != "wide" or subject is not None:
        asked = f"layout {layout!r}" if layout != "wide" else "subject"
        raise InvalidOptionError(f"{asked} needs columns with names; pass a frame instead of an array.")


def can_be_grouped(layout: str) -> None:
    """A matrix of counts has no rows to group."""
    if layout == "counts":
        raise InvalidOptionError("groups need rows of ratings; a matrix of counts has none.")


def few_groups(n_groups: int, most: int, column: str) -> None:
    """A column of groups, not of subjects."""
    if n_groups > most:
        raise InvalidOptionError(
            f"column {column!r} has {n_groups:,} different values; groups are made up to {most:,}."
        )
