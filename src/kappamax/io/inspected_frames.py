"""Read frames, records and arrays tentatively for an inspection."""

from __future__ import annotations

from contextlib import suppress
from inspect import signature
from typing import Any, NoReturn

import numpy as np

from kappamax._frames import library_of
from kappamax.errors import InvalidRatingsError, KappamaxError
from kappamax.io.column_profiles import sample_size
from kappamax.io.frames import first_rows
from kappamax.io.inspected_data import (
    ABOUT_LABELS,
    Attempt,
    InspectedData,
    Options,
    Sample,
    numbers_of_labels,
    python_call,
)
from kappamax.io.ratings import from_counts, from_ratings
from kappamax.io.records import is_records
from kappamax.table import Label, Table

_MOST_ROWS = 1_000_000  # number of rows up to which a frame in memory is read as a whole
_OPTIONS = frozenset(signature(from_ratings).parameters) - {"ratings"}


class InspectedFrame(InspectedData):
    """A frame of any library that `from_ratings` reads, or records."""

    options = _OPTIONS

    def __init__(self, data: Any) -> None:
        self.data = data
        try:
            self.columns, rows, self.n_rows, head = first_rows(data, sample_size(1))
        except TypeError:
            raise_no_data(data)
        self.rows = rows[: sample_size(len(self.columns))]
        self.whole = self.n_rows is not None and self.n_rows <= _MOST_ROWS
        self.read = data if self.whole else head

    def attempt(self, options: Options) -> Attempt:
        """Read the frame; a matrix of counts is a pandas frame with labels on rows and columns."""
        sample = Sample(self.columns, self.rows, self.n_rows, options.get("layout") or "wide")
        if not _is_matrix(self.data, options):
            return _attempt(sample, self.read, options)
        try:
            table = from_counts(self.data, **_about_matrix(options))
        except KappamaxError as error:
            return Attempt(sample, None, {}, error)
        return Attempt(sample, table, numbers_of_labels(table), None)

    def call(self, options: Options) -> str:
        """Return the call of `from_ratings` or `from_counts`."""
        if _is_matrix(self.data, options):
            return python_call("km.from_counts", "ratings", _about_matrix(options))
        return python_call("km.from_ratings", "ratings", options)


class InspectedArrays(InspectedData):
    """Rows of labels with one entry per rater, or one array of labels per rater."""

    options = _OPTIONS

    def __init__(self, *ratings: Any) -> None:
        self.several = len(ratings) > 1
        rows = list(zip(*map(list, ratings), strict=False)) if self.several else ratings[0]
        self.data = rows
        self.rows = [tuple(row) if isinstance(row, list | tuple | np.ndarray) else (row,) for row in rows]
        if self.several and len(lengths := {len(one) for one in ratings}) > 1:
            raise InvalidRatingsError(
                f"label arrays must have the same length; got {', '.join(map(str, sorted(lengths)))}."
            )

    def attempt(self, options: Options) -> Attempt:
        """Read the arrays."""
        width = max(map(len, self.rows), default=0)
        named = list(options.get("raters") or ())
        names = [str(name) for name in named] if len(named) == width else [str(i + 1) for i in range(width)]
        rows = [(*row, *[None] * (width - len(row))) for row in self.rows[: sample_size(width)]]
        return _attempt(Sample(names, rows, len(self.rows), None), self.data, options)

    def call(self, options: Options) -> str:
        """Return the call of `from_ratings`."""
        return python_call("km.from_ratings", "list(zip(*ratings))" if self.several else "ratings", options)


def inspected_arrays(*ratings: Any) -> InspectedData:
    """Return a frame, rows of labels, or two or more arrays of labels."""
    if any(isinstance(one, Table) for one in ratings):
        raise InvalidRatingsError("inspect needs ratings as they are before they are read; a Table has been read.")
    if len(ratings) > 1:
        if any(isinstance(one, str) or not hasattr(one, "__len__") for one in ratings):
            raise_no_data(next(one for one in ratings if isinstance(one, str) or not hasattr(one, "__len__")))
        return InspectedArrays(*ratings)
    (only,) = ratings
    is_rows = isinstance(only, list | tuple | np.ndarray) and not is_records(only)
    return InspectedArrays(only) if is_rows else InspectedFrame(only)


def raise_no_data(data: Any) -> NoReturn:
    """Raise the error about an object that cannot be inspected."""
    raise InvalidRatingsError(
        f"inspect needs the name of a file, a frame, or arrays of labels; got {type(data).__name__}."
    )


def _is_matrix(data: Any, options: Options) -> bool:
    return options.get("layout") == "counts" and library_of(data) == "pandas"


def _about_matrix(options: Options) -> Options:
    return {name: value for name, value in options.items() if name in ("categories", "raters")}


def _attempt(sample: Sample, data: Any, options: Options) -> Attempt:
    """Read a frame or rows of labels with some options."""
    bare = {name: value for name, value in options.items() if name not in ABOUT_LABELS}
    bare |= {"accept_labels": True} if "accept_labels" in _OPTIONS else {}
    table, labels, refusal = None, dict[Label, int](), None
    try:
        table = from_ratings(data, **options)
    except KappamaxError as error:
        refusal = error
    with suppress(KappamaxError):
        same = table is not None and not ABOUT_LABELS & options.keys()
        labels = numbers_of_labels(table if same and table is not None else from_ratings(data, **bare))
    return Attempt(sample, table, labels, refusal)
