"""Read files of ratings, with one reader for each layout.

All layouts are read in the same way: DuckDB groups equal patterns, so that only distinct patterns are held in memory;
their values are turned into codes of categories; and the codes and counts become a table.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn, cast

import numpy as np

from kappamax.display.text import listing
from kappamax.errors import (
    InvalidOptionError,
    InvalidRatingsError,
    InvalidTableError,
    KappamaxError,
    NotSupportedError,
    UnreadableFileError,
)
from kappamax.io.arrays import table_of_rows
from kappamax.io.file_formats import Source, open_file, sql_list
from kappamax.io.labels import as_count, label_of
from kappamax.io.ratings import from_counts
from kappamax.io.read_spec import ReadSpec, as_column, raise_rated_twice, require_named_rows
from kappamax.io.value_labels import require_labels_of_all
from kappamax.table import Label, Table

_MOST_CELLS = 20_000_000
_MOST_PAIRS = 200_000
_MOST_GROUPS = 10_000
_TOO_MANY_PATTERNS = "the ratings have more than {:,} distinct patterns; a table of them does not fit into memory."


def read_ratings(
    path: str | os.PathLike[str],
    *,
    layout: str | None = None,
    categories: Sequence[Label] | None = None,
    raters: Sequence[str] | None = None,
    subject: str | None = None,
    rater: str | None = None,
    rating: str | None = None,
    count: str | None = None,
    missing: Sequence[Any] = (),
    complete_only: bool = False,
    sheet: str | int | None = None,
    delimiter: str | None = None,
) -> Table:
    """Read ratings from a file: text with columns, Parquet (a file or a folder), JSON lines, or a spreadsheet.

    Parameters
    ----------
    path : str or path
        File or folder to read; "-" is standard input.
    layout : str, optional
        Layout of the file. Default: the layout that its format prescribes, otherwise "wide".

        - "wide" has a header, one row per subject and one column per rater.
        - "long" has one row per rating, with the columns subject, rater and rating.
        - "counts" is a square matrix of counts for two raters. It has labels if its top-left cell is empty or not a
          number.
        - "patterns" has one column per rater and a column of counts.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default, the labels that occur; numbers are in increasing
        order, and text has no order.
    raters : sequence of str, optional
        Columns of the raters or, in the long layout, the raters to use, in this order, default all. In the counts
        layout, the names of the two raters, default "1" and "2".
    subject : str, optional
        Column that identifies the subjects. In the long layout the default is "subject". In the wide and patterns
        layouts this column is not used as a rater.
    rater, rating : str, optional
        Columns of the raters and ratings in the long layout, default "rater" and "rating".
    count : str, optional
        Column of counts in the patterns layout. By default a column called count, counts, n, freq or frequency,
        otherwise the last column.
    missing : sequence of labels
        Codes that stand for a missing rating, in addition to empty cells and the texts NA, N/A, #N/A, <NA>, NaN, nan,
        None, null and NULL. By default there are no further codes.
    complete_only : bool
        Whether subjects with a missing rating are left out, default False. `Table.n_left_out` is their number.
    sheet : str or int, optional
        Sheet of a spreadsheet, by name or by position counted from one. It must be given if there are several sheets.
    delimiter : str, optional
        Character that separates the columns of text. By default a comma, tab, semicolon or bar, whichever splits the
        rows most evenly.

    Returns
    -------
    Table
        The counts of all patterns of ratings.

    Raises
    ------
    UnreadableFileError
        If the file does not exist, is empty or damaged, or has rows of different lengths.
    InvalidRatingsError
        If a column is missing, a rating is not among the categories, or fewer than two raters are left.
    InvalidTableError
        If a count is not a whole number >= 0, or a matrix of counts is not square.
    InvalidOptionError
        If an argument does not fit the layout or the file.

    Examples
    --------
    >>> import kappamax as km
    >>> km.read_ratings(km.datasets.EXAMPLES["anxiety"].path).n_subjects
    20
    """
    spec = ReadSpec(layout, categories, raters, subject, rater, rating, count, missing, complete_only, sheet, delimiter)
    with open_file(path, spec) as source:
        return table_of_source(source, spec)


def read_groups(
    path: str | os.PathLike[str], *, by: str, **options: Any
) -> Iterator[tuple[str, Table | KappamaxError]]:
    """Yield the table of every group of rows, or the error that reading the group raises.

    All groups have the categories of the whole file, including those that are not used in a group. The groups are in
    the order of their names.

    Parameters
    ----------
    path, **options
        As for `read_ratings`; the layout "counts" is not supported.
    by : str
        Column that names the group of each row. Rows without a name form the group "".

    Yields
    ------
    name : str
        Name of the group.
    found : Table or KappamaxError
        Table of the group, or the error that was raised.
    """
    spec = ReadSpec(**options)
    if spec.layout == "counts":
        raise InvalidOptionError("by needs a layout with rows of ratings; a matrix of counts has none.")
    with open_file(path, spec) as source:
        as_column("by", by, source.columns)
        source = replace(source, not_raters=source.not_raters | {by})
        whole = table_of_source(source, spec)
        shared = replace(spec, categories=list(whole.categories))
        name = f"coalesce(trim({source.texts[by]}), '')"
        names = [row[0] for row in source.rows(f"SELECT DISTINCT {name} AS own FROM file ORDER BY own")]
        if len(names) > _MOST_GROUPS:
            raise InvalidOptionError(
                f"by must name a column with at most {_MOST_GROUPS:,} different values; {by!r} has {len(names):,}."
            )
        source.rows("ALTER VIEW file RENAME TO whole_file")
        for own in names:
            source.rows(f"CREATE OR REPLACE VIEW file AS SELECT * FROM whole_file WHERE {name} = {sql_list([own])}")
            try:
                table = table_of_source(replace(source, unit="row of the group", first=1), shared)
            except KappamaxError as error:
                yield own, error
            else:
                yield own, Table(table.patterns, table.counts, whole.categories, table.raters, ordered=whole.ordered)


def table_of_source(source: Source, spec: ReadSpec) -> Table:
    """Return the table of an open file."""
    spec = replace(spec, layout=spec.layout or source.layout or "wide")
    table = _READERS[spec.layout or ""](source, spec)
    used = spec.long_columns(source.columns)[2:] if spec.layout == "long" else table.raters
    notes = (*table.reading.notes, *source.notes, *source.notes_on(used))
    table.reading = replace(table.reading, source=source.name, layout=spec.layout, notes=notes)
    return table


def _read_wide(source: Source, spec: ReadSpec) -> Table:
    """Read one row per subject and one column per rater."""
    header = source.columns
    if spec.raters is None:
        lowered = [column.lower() for column in header]
        if {"subject", "rater", "rating"} <= set(lowered):
            raise InvalidRatingsError(f"{source.name} has columns subject, rater and rating; read it with layout long.")
        if lowered[-1] in {"count", "counts", "freq", "frequency"}:
            raise InvalidRatingsError(
                f"the last column of {source.name} is {header[-1]!r}; read it with layout patterns."
            )
        labels = [label_of(column) for column in header]
        if all(isinstance(label, int | float) for label in labels):
            raise InvalidRatingsError(
                f"the first row of {source.name} must name the raters, but it holds numbers: {listing(labels)}. "
                "Add a header or, if these are the names of the columns, list them in raters."
            )
    names = spec.rating_columns(header, source.not_raters)
    return _read_columns(source, spec, names)


def _read_patterns(source: Source, spec: ReadSpec) -> Table:
    """Read one row per pattern, with a column of counts."""
    names, count = spec.pattern_columns(source.columns, source.not_raters)
    return _read_columns(source, spec, names, count)


def _read_columns(source: Source, spec: ReadSpec, names: Sequence[str], count: str | None = None) -> Table:
    """Read one column per rater; `count` is the column of the numbers of subjects, if there is one."""
    wanted = [*names, count] if count is not None else names
    columns = [source.values[name] for name in wanted]
    most = _MOST_CELLS // len(columns)
    rows = source.rows(f"SELECT {', '.join(columns)}, count(*) FROM file GROUP BY ALL LIMIT {most + 1}")
    if len(rows) > most:
        distinct = ", ".join(f"approx_count_distinct({column})" for column in columns)
        ((n_rows, *n_values),) = source.rows(f"SELECT count(*), {distinct} FROM file")
        spec.require_few_values(wanted, n_values, n_rows)
        raise NotSupportedError(_TOO_MANY_PATTERNS.format(most))
    if not rows:
        raise InvalidRatingsError(f"{source.name} contains no subject; there is no row after the header.")
    _require_text(rows, source.name)
    if spec.raters is not None or len(names) == 2:  # otherwise a column without labels may be no rater
        require_labels_of_all(names, rows, source.labels, spec.rename)
    if count is not None:
        rows = [
            (*ratings, times * as_count(number, lambda cell: f"column {count!r}{source.place(count, cell)}"))
            for *ratings, number, times in rows
        ]
    return table_of_rows(
        rows,
        raters=names,
        spec=spec,
        declared=[source.declared.get(name) for name in names],
        locate=lambda i, value: source.place(names[i], value),
    )


def _read_long(source: Source, spec: ReadSpec) -> Table:
    """Read one row per rating."""
    subject, rater, rating = spec.long_columns(source.columns)
    named = (
        f"SELECT nullif(trim({source.texts[subject]}), '') AS subject, "
        f"nullif(trim({source.texts[rater]}), '') AS rater, "
        f"coalesce({source.texts[rating]}, '') AS rating FROM file"
    )
    numbered = f"(SELECT *, row_number() OVER () AS line FROM ({named}))"
    tally = source.rows(
        "SELECT rater, rating, min(line), count(*) FILTER (subject IS NULL OR rater IS NULL) "
        f"FROM {numbered} GROUP BY ALL ORDER BY min(line) LIMIT {_MOST_PAIRS + 1}"
    )
    if len(tally) > _MOST_PAIRS:
        raise InvalidRatingsError(
            f"columns {rater!r} and {rating!r} have more than {_MOST_PAIRS:,} distinct pairs of values, so they are "
            "probably not rater and rating."
        )
    if not tally:
        raise InvalidRatingsError(f"{source.name} contains no subject; there is no row after the header.")
    require_named_rows(sum(row[-1] for row in tally), source.name)
    _require_text(tally, source.name)
    names = spec.long_raters(dict.fromkeys(row[0] for row in tally), rater)
    keys = [f"r{i}" for i in range(len(names))]
    ratings = [f"max(rating) FILTER (rater = {sql_list([one])}) AS {key}" for one, key in zip(names, keys, strict=True)]
    present = " + ".join(f"({key} IS NOT NULL)::INT" for key in keys)
    chosen = f"WHERE rater IN ({sql_list(names)})"
    most = _MOST_CELLS // len(names)
    rows = source.rows(
        f"SELECT {', '.join(keys)}, count(*), max(n - ({present})) "
        f"FROM (SELECT {', '.join(ratings)}, count(*) AS n FROM ({named}) {chosen} GROUP BY subject) "
        f"GROUP BY ALL LIMIT {most + 1}"
    )
    if len(rows) > most:
        raise NotSupportedError(_TOO_MANY_PATTERNS.format(most))
    if any(row[-1] for row in rows):
        _raise_rated_twice(source, f"FROM {numbered} {chosen}")
    if spec.categories is None:
        n_values = len({row[1] for row in tally if row[0] in names})
        spec.require_few_values([rating], [n_values], len(names) * sum(row[-2] for row in rows))
    lines = {(who, what): line for who, what, line, _ in reversed(tally)}

    def locate(i: int, value: Any) -> str:
        return f", {source.unit} {source.number(lines[names[i], value])}"

    return table_of_rows(
        [row[:-1] for row in rows],
        raters=names,
        spec=spec,
        declared=[source.declared.get(rating)] * len(names),
        locate=locate,
    )


def _raise_rated_twice(source: Source, ratings: str) -> NoReturn:
    """Raise an error that names the first subject and rater that occur together twice, and their lines."""
    ((subject, rater, first),) = source.rows(
        f"SELECT subject, rater, min(line) {ratings} GROUP BY ALL HAVING count(*) > 1 ORDER BY min(line) LIMIT 1"
    )
    ((second,),) = source.rows(
        f"SELECT min(line) {ratings} AND subject = ? AND rater = ? AND line > ?", [subject, rater, first]
    )
    raise_rated_twice(subject, rater, f", in {source.unit}s {source.number(first)} and {source.number(second)}")


def _read_counts(source: Source, spec: ReadSpec) -> Table:
    """Read a square matrix of counts, whose first row and column may contain labels."""
    cells = [[*row] for row in source.rows(f"SELECT {', '.join(source.texts.values())} FROM file")]
    if source.labelled:
        cells = _labels_first(source.columns, cells, source.name)
    _require_text(cells, source.name)
    corner = label_of(cells[0][0]) if cells else None
    categories, first = spec.categories, 1
    if not isinstance(corner, int | float):
        columns, rows = [label_of(cell) for cell in cells[0][1:]], [label_of(row[0]) for row in cells[1:]]
        if None in columns:
            raise InvalidTableError(
                f"a labelled matrix of counts must name every column; column {columns.index(None) + 2} has no name."
            )
        if rows != columns:
            raise InvalidTableError(
                "a matrix of counts must have the same labels in the same order on rows and columns; "
                f"rows are {listing(rows)} and columns {listing(columns)}."
            )
        if categories is not None and [str(one) for one in categories] != [str(label) for label in columns]:
            raise InvalidOptionError(
                f"categories must be the labels of the matrix of counts in its order, {listing(columns)}; "
                f"got {listing(categories)}."
            )
        categories, first = cast(list[Label], columns), 2
        cells = [row[1:] for row in cells[1:]]
    counts = [
        [as_count(cell, partial("row {}, column {}".format, i, j)) for j, cell in enumerate(row, start=first)]
        for i, row in enumerate(cells, start=first)
    ]
    widths = {len(row) for row in counts}
    if widths != {len(counts)}:
        shape = f"{len(counts)} rows and {max(widths, default=0)} columns"
        raise InvalidTableError(f"a matrix of counts must be square; {source.name} has {shape}.")
    grid = np.array(counts, dtype=object)  # Python integers, which do not overflow
    totals = (grid[:-1].sum(axis=0) == grid[-1]).all() and (grid[:, :-1].sum(axis=1) == grid[:, -1]).all()
    if len(grid) > 2 and totals and grid.any():
        raise InvalidTableError(
            f"a matrix of counts must not contain totals; the last row and column of {source.name} are totals."
        )
    return from_counts(counts, categories=categories, raters=spec.raters)


_READERS = {"wide": _read_wide, "long": _read_long, "counts": _read_counts, "patterns": _read_patterns}


def _labels_first(header: list[str], rows: list[list[Any]], name: str) -> list[list[Any]]:
    """Return named columns of counts as a matrix with labels in its first row and column."""
    if len(header) == len(rows):
        return [["", *header], *([label, *row] for label, row in zip(header, rows, strict=True))]
    for i in range(len(header)):
        others = [*header[:i], *header[i + 1 :]]
        if [str(row[i]) for row in rows] == others:
            return [["", *others], *([row[i], *row[:i], *row[i + 1 :]] for row in rows)]
    raise InvalidTableError(
        f"a matrix of counts must be square, or have one more column with the names of the others; {name} has "
        f"{len(rows)} rows and the columns {listing(header)}."
    )


def _require_text(rows: Sequence[Sequence[Any]], name: str) -> None:
    """Reject zero bytes, which may occur after a beginning that looks like text."""
    if any(isinstance(cell, str) and "\0" in cell for row in rows for cell in row):
        raise UnreadableFileError(f"{name} is a binary file, not text with columns.")
