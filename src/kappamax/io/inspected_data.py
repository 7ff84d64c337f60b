"""Define data that can be read more than once, so that an inspection can try options and say what they lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from kappamax.errors import KappamaxError
from kappamax.io.read_spec import ReadSpec
from kappamax.table import Label, Table

Options = Mapping[str, Any]

#: options that change labels or leave out subjects because of them
ABOUT_LABELS = {"categories", "missing", "complete_only", "decimal_comma", "ignore_case", "rename"}


@dataclass(frozen=True)
class Sample:
    """The first rows of data, as they are read with some options.

    Attributes
    ----------
    columns : list of str
        Names of the columns.
    rows : list of tuples
        Raw values of the first rows.
    n_rows : int or None
        Number of rows of the data, or None if it is not known.
    layout : str or None
        Layout that the options or the format of the file prescribe, otherwise "wide"; None for arrays.
    header : tuple of str or None
        First row of a matrix of counts.
    not_raters : frozenset of str
        Columns that are not used as raters unless the caller names them.
    notes : tuple of str
        Sentences about what was recognised or left out before the layout was known.
    """

    columns: list[str]
    rows: list[tuple[Any, ...]]
    n_rows: int | None
    layout: str | None
    header: tuple[str, ...] | None = None
    not_raters: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


class Attempt(NamedTuple):
    """The outcome of reading data with some options.

    Attributes
    ----------
    sample : Sample or None
        First rows, or None if the data cannot be opened.
    table : Table or None
        Table, or None if the data cannot be read.
    labels : dict of int
        Number of ratings by label, as the labels stand in the data; empty if that is not known.
    error : KappamaxError or None
        Error that was raised.
    """

    sample: Sample | None
    table: Table | None
    labels: Mapping[Label, int]
    error: KappamaxError | None


class InspectedData:
    """Data that can be read more than once.

    Attributes
    ----------
    name : str or None
        Name of the file; None for data that are no file.
    whole : bool
        Whether all rows are read, not only the first ones.
    options : frozenset of str
        Names of the options for reading that these data accept.
    """

    name: str | None = None
    whole: bool = True
    options: frozenset[str] = frozenset(ReadSpec.__dataclass_fields__)

    def attempt(self, options: Options) -> Attempt:
        """Read the data with some options."""
        raise NotImplementedError

    def call(self, options: Options) -> str:
        """Return the Python call that reads the data with some options."""
        raise NotImplementedError

    def first_lines(self, most: int) -> list[str]:
        """Return the first lines of a text file, which can be shown even if it contains no table."""
        return []


def python_call(function: str, first: str, options: Options) -> str:
    """Return a Python call with its first argument and options by name."""
    named = [f"{name}={list(value) if isinstance(value, tuple) else value!r}" for name, value in options.items()]
    return f"{function}({', '.join([first, *named])})"


def with_labels_as_they_stand(spec: ReadSpec) -> ReadSpec:
    """Return the options for reading all labels as they stand in the data."""
    defaults = ReadSpec()
    return replace(spec, **{name: getattr(defaults, name) for name in ABOUT_LABELS}, accept_labels=True)


def numbers_of_labels(table: Table) -> dict[Label, int]:
    """Return the number of ratings by label, without labels that nobody used."""
    totals = table.margins.sum(axis=0).tolist()
    return {label: n for label, n in zip(table.categories, totals, strict=True) if n}
