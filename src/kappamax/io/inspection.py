"""Inspect ratings before they are read: columns and their roles, labels, layout, notes, and the call that reads them.

If reading the data as they are is refused, the advice of the refusal is followed, and that of further refusals, until
the data can be read. The call is therefore one that was carried out.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from kappamax._result import Result, plain
from kappamax.errors import ORDER_TO_GIVE, Advice, InvalidOptionError, InvalidRatingsError, KappamaxError
from kappamax.io.column_profiles import profiles_of
from kappamax.io.inspected_columns import InspectedColumn, inspected_columns
from kappamax.io.inspected_data import Attempt, InspectedData, Options, Sample
from kappamax.io.inspected_files import inspected_file
from kappamax.io.inspected_frames import inspected_arrays
from kappamax.io.inspection_text import lines_of
from kappamax.io.labels import label_of
from kappamax.io.read_spec import ReadSpec
from kappamax.io.suspicious_labels import doubts_about
from kappamax.table import Label

_MOST_REFUSALS = 5
_PREVIEW = 5


def inspect(*ratings: Any, **options: Any) -> Inspection:
    """Describe ratings before they are read, and find out how to read them.

    Nothing is refused that can be shown: if `read_ratings` or `from_ratings` would refuse the data as they are, the
    statement of the refusal is part of the result, its advice is followed, and the resulting call is returned.

    Parameters
    ----------
    *ratings : str or path, frame, or arrays
        File to inspect, "-" for standard input; or a frame, an array with one row per subject, or one array of labels
        per rater.
    **options : Any
        Options for reading, which are those of `read_ratings` for a file and of `from_ratings` for other data.

    Returns
    -------
    Inspection
        Columns and their roles, labels, layout, first rows, notes, and the call that reads the ratings.

    Raises
    ------
    UnreadableFileError
        If the file does not exist, or if it is empty or not text with columns.
    InvalidOptionError
        If an option does not fit the data, or has a value that it cannot have.
    InvalidRatingsError
        If the data are no file, frame or arrays.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.inspect(km.datasets.EXAMPLES["anxiety"].path)
    >>> [(column.name, column.role) for column in found.columns]
    [('rater1', 'ratings'), ('rater2', 'ratings'), ('rater3', 'ratings')]
    >>> found.labels
    {1: 10, 2: 16, 3: 18, 4: 8, 5: 4, 6: 4}
    """
    if not ratings:
        raise InvalidRatingsError("inspect needs the name of a file, a frame, or arrays of labels; got nothing.")
    is_file = len(ratings) == 1 and isinstance(ratings[0], str | os.PathLike)
    data = inspected_file(ratings[0]) if is_file else inspected_arrays(*ratings)
    return inspection_of(data, options)


def inspection_of(data: InspectedData, options: Options) -> Inspection:
    """Return the inspection of data that can be read more than once."""
    given = {name: value for name, value in options.items() if not _is_default(value)}
    for name in given:
        if name not in data.options:
            raise InvalidOptionError(
                f"{name!r} is not an option for reading {'files' if data.name else 'frames and arrays'}."
            )
    ReadSpec(**given)  # options that contradict each other raise an error
    settled, attempt, errors = _followed(data, given)
    refusals = tuple(map(_refusal, errors))
    if attempt.sample is None:
        lines = data.first_lines(_PREVIEW)
        if not lines:
            raise errors[0]
        return _unread(data, lines, refusals)
    sample, table = attempt.sample, attempt.table
    columns = inspected_columns(sample, settled, given, table)
    labels = dict(attempt.labels) or _labels_in(columns, sample)
    return Inspection(
        source=data.name,
        layout=sample.layout,
        n_rows=sample.n_rows,
        n_rows_inspected=sample.n_rows if data.whole and sample.n_rows is not None else len(sample.rows),
        columns=columns,
        preview=tuple(tuple(map(_cell, row)) for row in sample.rows[:_PREVIEW]),
        raters=() if table is None else table.raters,
        categories=() if table is None else table.categories,
        ordered=None if table is None else table.ordered,
        n_subjects=None if table is None or not data.whole else table.n_subjects,
        labels=labels,
        doubts=_doubts(errors, labels if table is None and not {"categories", "accept_labels"} & given.keys() else {}),
        missing={} if table is None else table.reading.missing,
        notes=sample.notes if table is None else table.reading.notes or sample.notes,
        refusals=refusals,
        options=settled,
        call=None if table is None else data.call(settled),
        verified=table is not None and data.whole,
    )


@dataclass(frozen=True, repr=False)
class Refusal(Result):
    """A refusal to read data with some options.

    Attributes
    ----------
    code : str
        Code of the error, such as "long-table-read-as-wide".
    statement : str
        Rule that is broken and what breaks it.
    advice : tuple of Advice
        Options that settle the question, the most likely last.
    """

    code: str
    statement: str
    advice: tuple[Advice, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data for JSON."""
        advice = [{"condition": one.condition, "options": plain(dict(one.options))} for one in self.advice]
        return {"code": self.code, "statement": self.statement, "advice": advice}


@dataclass(frozen=True, repr=False)
class Inspection(Result):
    """A description of ratings before they are read, and the call that reads them.

    Attributes
    ----------
    source : str or None
        Name of the file; None for data that are no file.
    layout : str or None
        Layout in which the data can be read: "wide", "long", "counts" or "patterns"; None for arrays, and if it is not
        known.
    n_rows : int or None
        Number of rows, or None if it is not known, as for large text files.
    n_rows_inspected : int
        Number of rows that were inspected. Of large data, these are the first ones.
    columns : tuple of InspectedColumn
        Columns with their roles.
    preview : tuple of tuples of str
        First rows, at most five, as they stand.
    raters : tuple of str
        Names of the raters; empty if the data cannot be read.
    categories : tuple of labels
        Categories, in order if they have one; empty if the data cannot be read.
    ordered : bool or None
        Whether the categories are ordered, or None if the data cannot be read.
    n_subjects : int or None
        Number of subjects, or None if it is not known.
    labels : dict of int
        Number of ratings by label, as the labels stand in the data.
    doubts : tuple of str
        Statements about labels that are probably mistakes.
    missing : dict of int
        Number of missing ratings by the text that was recognised as missing; empty cells have the key "".
    notes : tuple of str
        Sentences about everything that was recognised or left out.
    refusals : tuple of Refusal
        Refusals to read the data, first with the options of the caller, then with the advised options.
    options : dict
        Options for reading the data: those of the caller and those that were advised.
    call : str or None
        Python call that reads the data, or None if none was found.
    verified : bool
        Whether all rows were read with this call. If it is false, only the rows that were inspected were read.
    """

    source: str | None
    layout: str | None
    n_rows: int | None
    n_rows_inspected: int
    columns: tuple[InspectedColumn, ...]
    preview: tuple[tuple[str, ...], ...]
    raters: tuple[str, ...]
    categories: tuple[Label, ...]
    ordered: bool | None
    n_subjects: int | None
    labels: Mapping[Label, int]
    doubts: tuple[str, ...]
    missing: Mapping[str, int]
    notes: tuple[str, ...]
    refusals: tuple[Refusal, ...]
    options: Mapping[str, Any]
    call: str | None
    verified: bool

    def __repr__(self) -> str:
        return "\n".join(lines_of(self))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def _followed(data: InspectedData, given: Options) -> tuple[Options, Attempt, list[KappamaxError]]:
    """Follow the advice of refusals until the data can be read, or until no advice leads further.

    Returns the last attempt that shows something, with its options, and the errors of all attempts.
    """
    options = dict(given)
    shown, errors = (options, data.attempt(options)), list[KappamaxError]()
    attempt = shown[1]
    while attempt.error is not None:
        errors.append(attempt.error)
        advised = {**options, **_likely_options(attempt.error, data)}
        if advised == options or len(errors) == _MOST_REFUSALS:
            break
        options, attempt = advised, data.attempt(advised)
        if attempt.sample is not None:
            shown = options, attempt
    return *shown, errors


def _likely_options(error: KappamaxError, data: InspectedData) -> Options:
    """Return the options that an error advises as the most likely ones, if the data accept them."""
    options = error.advice[-1].options if error.advice else {}
    usable = set(options) <= data.options and ORDER_TO_GIVE not in options.values()
    return options if usable else {}


def _unread(data: InspectedData, lines: list[str], refusals: tuple[Refusal, ...]) -> Inspection:
    """Return the inspection of a text file that contains no table: its first lines and the refusal."""
    return Inspection(
        source=data.name,
        layout=None,
        n_rows=None,
        n_rows_inspected=len(lines),
        columns=(),
        preview=tuple((line,) for line in lines),
        raters=(),
        categories=(),
        ordered=None,
        n_subjects=None,
        labels={},
        doubts=(),
        missing={},
        notes=(),
        refusals=refusals,
        options={},
        call=None,
        verified=False,
    )


def _refusal(error: KappamaxError) -> Refusal:
    return Refusal(error.code, error.statement, error.advice)


def _labels_in(columns: Sequence[InspectedColumn], sample: Sample) -> dict[Label, int]:
    """Return the number of rows by label in the columns that contain ratings, if the data cannot be read."""
    rated = [i for i, column in enumerate(columns) if column.role == "ratings"]
    tally = Counter[Label]()
    for profile in profiles_of([sample.columns[i] for i in rated], [[row[i] for i in rated] for row in sample.rows]):
        tally += profile.counts
    return dict(tally)


def _doubts(errors: Sequence[KappamaxError], labels: Mapping[Label, int]) -> tuple[str, ...]:
    """Return the doubts about labels for which reading was refused, or those about labels that were never read."""
    refused = [doubt["statement"] for error in errors for doubt in error.fields.get("doubts", ())]
    return tuple(refused or [doubt.statement for doubt in doubts_about(labels)])


def _cell(value: Any) -> str:
    """Return a raw value as text; missing values of frames are empty."""
    return "" if label_of(value) is None and not isinstance(value, str) else str(value)


def _is_default(value: Any) -> bool:
    """Return whether an option has the value that stands for not giving it."""
    return value is None or value is False or (isinstance(value, list | tuple | dict) and not value)
