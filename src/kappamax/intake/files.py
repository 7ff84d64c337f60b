"""A file in, a table out: DuckDB reads the text and groups equal patterns, so only those come into memory.

Everything is read as text; labels are normalised afterwards, in one place for all routes.
"""

from __future__ import annotations

import csv
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kappamax._checks import files as checks
from kappamax._checks import options
from kappamax._checks import ratings as rating_checks
from kappamax.intake.arrays import table_of_counts
from kappamax.intake.frames import table_of_rows
from kappamax.intake.labels import label_of
from kappamax.table import Label, Table

__all__ = ["LAYOUTS", "read_ratings"]

LAYOUTS = ("wide", "long", "counts", "patterns")
_DELIMITERS = (",", "\t", ";", "|")
_COUNT_NAMES = ("count", "counts", "n", "freq", "frequency")
_SAMPLE = 1 << 20


def read_ratings(
    path: str | os.PathLike[str],
    *,
    layout: str = "wide",
    categories: Sequence[Label] | None = None,
    raters: Sequence[str] | None = None,
) -> Table:
    """A table from a text file with columns (comma, tab, semicolon or bar between them).

    Parameters
    ----------
    path : path, or "-" for standard input
    layout : str
        "wide": a header, then one row per subject and one column per rater.
        "long": columns subject, rater, rating, one row per rating.
        "counts": a square matrix of counts, with labels if its top-left cell is empty or not a number.
        "patterns": one column per rater and a column of counts, called count or n, or else the last one.
    categories : sequence of labels, optional
        All categories in order, unused ones included.
    raters : sequence of str, optional
        Which columns (wide, patterns) or raters (long) to use, in which order; for counts, the raters' names.

    Raises
    ------
    UnreadableFileError
        If the file is missing, empty, not text, or has rows of different lengths.
    """
    layout = options.choice("layout", layout, LAYOUTS)
    with _local_file(path) as local:
        name = "standard input" if str(path) == "-" else str(path)
        first, delimiter = _first_record(local, name)
        source = _Source(local, name, first, delimiter)
        return _READERS[layout](source, categories, raters)


class _Source:
    """A text file with a known delimiter, asked by SQL."""

    def __init__(self, path: Path, name: str, first: list[str], delimiter: str) -> None:
        self.path, self.name, self.first, self.delimiter = path, name, first, delimiter

    def rows(self, query: str, *, header: bool = True) -> list[tuple[Any, ...]]:
        """Run a query over `file`, whose columns are c0, c1, ..., all text."""
        import duckdb  # 0.1 s to import

        columns = {f"c{i}": "VARCHAR" for i in range(len(self.first))}
        with duckdb.connect(config=_DUCKDB) as connection:
            try:
                connection.execute(
                    "CREATE VIEW file AS SELECT * FROM read_csv("
                    f"{_quoted(str(self.path))}, header = {header}, delim = {_quoted(self.delimiter)}, quote = '\"', "
                    "escape = '\"', auto_detect = false, null_padding = false, strict_mode = true, "
                    f"columns = {columns})"
                )
                return connection.execute(query).fetchall()
            except duckdb.Error as error:
                checks.reading_failed(self.name, str(error))

    def column(self, name: str) -> str:
        """The SQL name of a column given by its header."""
        return f"c{self.first.index(name)}"


def _read_wide(source: _Source, categories: Sequence[Label] | None, raters: Sequence[str] | None) -> Table:
    header = checks.header(source.first, source.name)
    names = rating_checks.columns_named(list(raters or header), header)
    checks.two_columns(names, source.name)
    columns = ", ".join(source.column(name) for name in names)
    rows = source.rows(f"SELECT {columns}, count(*) FROM file GROUP BY ALL")
    checks.some_row(rows, source.name)
    checks.few_values(names, [len({row[i] for row in rows}) for i in range(len(names))], sum(row[-1] for row in rows))
    return table_of_rows(rows, raters=names, categories=categories)


def _read_patterns(source: _Source, categories: Sequence[Label] | None, raters: Sequence[str] | None) -> Table:
    header = checks.header(source.first, source.name)
    count = next((name for name in header if name.strip().lower() in _COUNT_NAMES), header[-1])
    names = rating_checks.columns_named(list(raters or [name for name in header if name != count]), header)
    columns = ", ".join(source.column(name) for name in names)
    rows = source.rows(f"SELECT {columns}, {source.column(count)} FROM file")
    checks.some_row(rows, source.name)
    counts = [checks.whole_count(row[-1], f"line {line}, column {count!r}") for line, row in enumerate(rows, start=2)]
    merged = [(*row[:-1], number) for row, number in zip(rows, counts, strict=True)]
    return table_of_rows(merged, raters=names, categories=categories)


def _read_long(source: _Source, categories: Sequence[Label] | None, raters: Sequence[str] | None) -> Table:
    header = checks.header(source.first, source.name)
    by_lower = {name.strip().lower(): name for name in header}
    subject, rater, rating = (
        source.column(checks.long_column(by_lower, name, header)) for name in ("subject", "rater", "rating")
    )
    double = source.rows(f"SELECT {subject}, {rater} FROM file GROUP BY ALL HAVING count(*) > 1 ORDER BY ALL LIMIT 1")
    checks.no_double(double)
    found = source.rows(
        f"SELECT {rater} FROM (SELECT {rater}, row_number() OVER () AS line FROM file) "
        f"GROUP BY {rater} ORDER BY min(line)"
    )
    checks.some_row(found, source.name)
    present = [name for (name,) in found if name is not None]
    names = checks.raters_named(list(raters or present), present)
    columns = ", ".join(f"max({rating}) FILTER ({rater} = {_quoted(name)}) AS r{i}" for i, name in enumerate(names))
    keys = ", ".join(f"r{i}" for i in range(len(names)))
    rows = source.rows(f"SELECT {keys}, count(*) FROM (SELECT {columns} FROM file GROUP BY {subject}) GROUP BY ALL")
    return table_of_rows(rows, raters=names, categories=categories)


def _read_counts(source: _Source, categories: Sequence[Label] | None, raters: Sequence[str] | None) -> Table:
    rows = [list(row) for row in source.rows("SELECT * FROM file", header=False)]
    corner = label_of(rows[0][0]) if rows else None
    labels: Sequence[Any] | None = categories
    if not isinstance(corner, int | float):
        columns = [label_of(cell) for cell in rows[0][1:]]
        checks.same_labels([label_of(row[0]) for row in rows[1:]], columns)
        rows = [row[1:] for row in rows[1:]]
        labels = columns if categories is None else checks.same_set(categories, columns)
        offset = 2
    else:
        offset = 1
    counts = [
        [checks.whole_count(cell, f"row {i}, column {j}") for j, cell in enumerate(row, start=offset)]
        for i, row in enumerate(rows, start=offset)
    ]
    checks.square(counts, source.name)
    return table_of_counts(counts, categories=labels, raters=raters)


_READERS = {"wide": _read_wide, "long": _read_long, "counts": _read_counts, "patterns": _read_patterns}
_DUCKDB: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


@contextmanager
def _local_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The file itself, or standard input kept in a temporary file."""
    if str(path) != "-":
        local = Path(path)
        checks.readable(local)
        yield local
        return
    with tempfile.TemporaryDirectory() as folder:
        local = Path(folder) / "input"
        with local.open("wb") as copy:
            while chunk := sys.stdin.buffer.read(_SAMPLE):
                copy.write(chunk)
        yield local


def _first_record(path: Path, name: str) -> tuple[list[str], str]:
    """The first row and the delimiter: the one that splits it into the most columns."""
    with path.open("rb") as file:
        sample = file.read(_SAMPLE)
    text = checks.text(sample, name)
    records = [next(csv.reader(io.StringIO(text, newline=""), delimiter=d), []) for d in _DELIMITERS]
    widths = [len(record) for record in records]
    best = widths.index(max(widths))
    return [cell.lstrip("\ufeff") for cell in records[best]], _DELIMITERS[best]


def _quoted(text: str) -> str:
    return "'" + re.sub("'", "''", text) + "'"
