"""A file in, a table out: DuckDB groups equal patterns, so only those come into memory."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from kappamax._checks import columns as column_checks
from kappamax._checks import files as checks
from kappamax._checks import ratings as rating_checks
from kappamax.io.arrays import table_of_counts
from kappamax.io.duckdb_source import Source, source_of, sql_list
from kappamax.io.frames import few_values, table_of_rows
from kappamax.io.labels import label_of
from kappamax.io.read_spec import Plan
from kappamax.table import Label, Table

__all__ = ["open_source", "read_ratings", "table_of_source"]

_MOST_CELLS = 20_000_000
_MOST_PAIRS = 200_000


def read_ratings(
    path: str | os.PathLike[str],
    *,
    layout: str = "wide",
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
    """A table from a file: text with columns, Parquet (a file or a folder), JSON lines, or a spreadsheet.

    Parameters
    ----------
    path : path, or "-" for standard input
    layout : str
        "wide": a header, then one row per subject and one column per rater.
        "long": columns subject, rater, rating, one row per rating.
        "counts": a square matrix of counts, with labels if its top-left cell is empty or not a number.
        "patterns": one column per rater and a column of counts, called count, counts, n, freq or frequency, or else the
        last one.
    categories : sequence of labels, optional
        All categories in order, unused ones included.
    raters : sequence of str, optional
        Which columns (wide, patterns) or raters (long) to use, in which order; for counts, the raters' names.
    subject : str, optional
        The column that names the subjects: for long if it is not called so, otherwise a column to leave aside.
    rater, rating : str, optional
        The columns of a long layout, where they are not called so.
    count : str, optional
        The column of counts of a patterns layout.
    missing : sequence of labels
        Codes that stand for a missing rating, beside empty cells and the texts NA, N/A, #N/A, <NA>, NaN, nan, None,
        null and NULL.
    complete_only : bool
        Drop subjects that lack a rating; `Table.n_left_out` says how many.
    sheet : str or int, optional
        A spreadsheet's sheet by name, or by position counted from one.
    delimiter : str, optional
        What separates columns of text; left out, it is a comma, tab, semicolon or bar, whichever splits rows evenly.

    Raises
    ------
    UnreadableFileError
        If the file is missing, empty, broken, or has rows of different lengths.
    """
    plan = Plan(layout, categories, raters, subject, rater, rating, count, missing, complete_only)
    with open_source(path, headed=plan.layout != "counts", sheet=sheet, delimiter=delimiter) as source:
        return table_of_source(source, plan)


@contextmanager
def open_source(
    path: str | os.PathLike[str], *, headed: bool, sheet: str | int | None, delimiter: str | None
) -> Iterator[Source]:
    """Open a file, a folder or standard input for queries."""
    checks.path(path)
    name = "standard input" if str(path) == "-" else str(path)
    with (
        _local_file(path) as local,
        source_of(local, name, headed=headed, sheet=sheet, delimiter=delimiter) as source,
    ):
        yield source


def table_of_source(source: Source, plan: Plan) -> Table:
    """The table that a file holds in the layout planned."""
    return _READERS[plan.layout](source, plan)


def _read_wide(source: Source, plan: Plan) -> Table:
    header = source.columns
    if plan.raters is None:
        checks.looks_wide(header, [label_of(cell) for cell in header], source.name)
    names = plan.rating_columns(header, source.apart)
    return _table_of_columns(source, plan, names, _grouped(source, plan, names))


def _read_patterns(source: Source, plan: Plan) -> Table:
    header = source.columns
    count = plan.count_column(header)
    names = column_checks.without_count(plan.rating_columns(header, {count, *source.apart}), count)
    rows = _grouped(source, plan, [*names, count])
    counts = [
        times * column_checks.whole_count(size, partial(_place_of_count, source, count, size))
        for *_, size, times in rows
    ]
    merged = [(*row[:-2], number) for row, number in zip(rows, counts, strict=True)]
    return _table_of_columns(source, plan, names, merged)


def _read_long(source: Source, plan: Plan) -> Table:
    subject, rater, rating = plan.long_columns(source.columns)
    named = (
        f"SELECT nullif(trim({source.texts[subject]}), '') AS subject, "
        f"nullif(trim({source.texts[rater]}), '') AS rater, "
        f"coalesce({source.texts[rating]}, '') AS rating FROM file"
    )
    tally = source.rows(
        "SELECT rater, rating, min(line), count(*) FILTER (subject IS NULL OR rater IS NULL) "
        f"FROM (SELECT *, row_number() OVER () AS line FROM ({named})) GROUP BY ALL ORDER BY min(line) "
        f"LIMIT {_MOST_PAIRS + 1}"
    )
    column_checks.few_pairs(len(tally), _MOST_PAIRS, rater, rating)
    checks.some_row(tally, source.name)
    column_checks.every_row_named(sum(row[-1] for row in tally), source.name)
    checks.no_nul(tally, source.name)
    names = plan.raters_of(dict.fromkeys(row[0] for row in tally))
    column_checks.few_raters(len(names), rater)
    n_values = len({row[1] for row in tally if row[0] in names})
    keys = [f"r{i}" for i in range(len(names))]
    ratings = [f"max(rating) FILTER (rater = {sql_list([one])}) AS {key}" for one, key in zip(names, keys, strict=True)]
    present = " + ".join(f"({key} IS NOT NULL)::INT" for key in keys)
    chosen = f"SELECT * FROM ({named}) WHERE rater IN ({sql_list(names)})"
    rows = source.rows(
        f"SELECT {', '.join(keys)}, count(*), max(n - ({present})) "
        f"FROM (SELECT {', '.join(ratings)}, count(*) AS n FROM ({chosen}) GROUP BY subject) GROUP BY ALL "
        f"LIMIT {_MOST_CELLS // len(names) + 1}"
    )
    if len(rows) > _MOST_CELLS // len(names):
        rating_checks.few_patterns(_MOST_CELLS // len(names))
    if any(row[-1] for row in rows):
        _refuse_double(source, named, sql_list(names))
    n_subjects = sum(row[-2] for row in rows)
    if plan.categories is None:
        rating_checks.few_values([rating], [n_values], n_subjects * len(names), chosen=plan.rating is not None)
    lines = {(who, what): line for who, what, line, _ in reversed(tally)}

    def locate(i: int, value: Any) -> str:
        return f", {source.unit} {lines[names[i], value] - 1 + source.first}"

    return table_of_rows([row[:-1] for row in rows], raters=names, plan=plan, locate=locate)


def _refuse_double(source: Source, named: str, raters: str) -> NoReturn:
    """Name the first subject and rater that occur together twice, and where."""
    numbered = f"(SELECT *, row_number() OVER () AS line FROM ({named})) WHERE rater IN ({raters})"
    ((subject, rater, first),) = source.rows(
        f"SELECT subject, rater, min(line) FROM {numbered} GROUP BY ALL HAVING count(*) > 1 ORDER BY min(line) LIMIT 1"
    )
    ((second,),) = source.rows(
        f"SELECT min(line) FROM {numbered} "
        f"AND subject = {sql_list([subject])} AND rater = {sql_list([rater])} AND line > {first}"
    )
    offset = source.first - 1
    column_checks.rated_once(subject, rater, f", in {source.unit}s {first + offset} and {second + offset}")


def _read_counts(source: Source, plan: Plan) -> Table:
    cells = [[*row] for row in source.rows(f"SELECT {', '.join(source.texts.values())} FROM file")]
    if source.labelled:
        cells = checks.labels_first([source.columns, *cells], source.name)
    checks.no_nul([tuple(row) for row in cells], source.name)
    corner = label_of(cells[0][0]) if cells else None
    labels: Sequence[Any] | None = plan.categories
    if not isinstance(corner, int | float):
        columns = [label_of(cell) for cell in cells[0][1:]]
        checks.same_labels([label_of(row[0]) for row in cells[1:]], columns)
        cells = [row[1:] for row in cells[1:]]
        labels = columns if plan.categories is None else checks.same_set(plan.categories, columns)
        offset = 2
    else:
        offset = 1
    counts = [
        [
            column_checks.whole_count(cell, partial("row {}, column {}".format, i, j))
            for j, cell in enumerate(row, start=offset)
        ]
        for i, row in enumerate(cells, start=offset)
    ]
    checks.square(counts, source.name)
    checks.no_totals(counts, source.name)
    return table_of_counts(counts, categories=labels, raters=plan.raters)


_READERS = {"wide": _read_wide, "long": _read_long, "counts": _read_counts, "patterns": _read_patterns}


def _grouped(source: Source, plan: Plan, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """The distinct rows of some columns, each with how often it occurs, as long as they fit into memory."""
    columns = [source.values[name] for name in names]
    most = _MOST_CELLS // len(columns)
    rows = source.rows(f"SELECT {', '.join(columns)}, count(*) FROM file GROUP BY ALL LIMIT {most + 1}")
    if len(rows) > most:
        counts = ", ".join(f"approx_count_distinct({column})" for column in columns)
        ((n_rows, *distinct),) = source.rows(f"SELECT count(*), {counts} FROM file")
        rating_checks.few_values(names, distinct, n_rows, chosen=plan.raters is not None)
        rating_checks.few_patterns(most)
    return rows


def _place_of_count(source: Source, column: str, value: Any) -> str:
    return f"column {column!r}{source.place(column, value)}"


def _table_of_columns(source: Source, plan: Plan, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Table:
    """The table of some rating columns, from their distinct patterns and counts."""
    checks.some_row(rows, source.name)
    checks.no_nul(rows, source.name)
    if plan.categories is None:
        few_values(names, rows, chosen=plan.raters is not None)
    return table_of_rows(rows, raters=names, plan=plan, locate=lambda i, value: source.place(names[i], value))


@contextmanager
def _local_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The file or folder itself; standard input and pipes, which can be read only once, go into a temporary file."""
    if str(path) != "-" and checks.lasting(Path(path)):
        yield Path(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        local = Path(folder) / "input"
        with local.open("wb") as copy, _byte_stream(path) as stream:
            shutil.copyfileobj(stream, copy)
        yield local


@contextmanager
def _byte_stream(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    if str(path) == "-":
        yield checks.open_stdin(sys.stdin).buffer
        return
    with Path(path).open("rb") as stream:
        yield stream
