"""A file in, a table out: DuckDB reads the text and groups equal patterns, so only those come into memory.

Everything is read as text; labels are normalised afterwards, in one place for all routes.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

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
_ROWS_TRIED = 20


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
    checks.path(path)
    with _local_file(path) as local:
        source = _source_of(local, "standard input" if str(path) == "-" else str(path))
        return _READERS[layout](source, categories, raters)


class _Source(NamedTuple):
    """A text file whose first row and delimiter are known, asked by SQL."""

    path: Path
    name: str
    first: list[str]
    delimiter: str
    skip: int
    compression: str

    def rows(self, query: str, *, header: bool = True) -> list[tuple[Any, ...]]:
        """Run a query over `file`, whose columns are c0, c1, ..., all text."""
        import duckdb  # 0.1 s to import

        columns = {f"c{i}": "VARCHAR" for i in range(len(self.first))}
        with duckdb.connect(config=_DUCKDB) as connection:
            try:
                connection.execute(
                    "CREATE VIEW file AS SELECT * FROM read_csv("
                    f"{_quoted(_literal(self.path))}, header = {header}, delim = {_quoted(self.delimiter)}, "
                    f"quote = '\"', escape = '\"', skip = {self.skip}, compression = '{self.compression}', "
                    "auto_detect = false, null_padding = false, strict_mode = true, hive_partitioning = false, "
                    f"columns = {columns})"
                )
                return connection.execute(query).fetchall()
            except duckdb.Error as error:
                checks.reading_failed(self.name, str(error))
            except RuntimeError as error:
                if "interrupt" not in str(error).lower():
                    raise
                raise KeyboardInterrupt from None  # how DuckDB reports Ctrl-C

    def column(self, name: str) -> str:
        """The SQL name of a column given by its header."""
        return f"c{self.first.index(name)}"


def _read_wide(source: _Source, categories: Sequence[Label] | None, raters: Sequence[str] | None) -> Table:
    header = checks.header(source.first, source.name)
    if raters is None:
        checks.looks_wide(header, [label_of(cell) for cell in header], source.name)
    names = rating_checks.raters_among(header if raters is None else raters, header, "column")
    columns = ", ".join(source.column(name) for name in names)
    rows = source.rows(f"SELECT {columns}, count(*) FROM file GROUP BY ALL")
    checks.some_row(rows, source.name)
    checks.no_nul(rows, source.name)
    distinct = [len({row[i] for row in rows}) for i in range(len(names))]
    rating_checks.few_values(names, distinct, sum(row[-1] for row in rows))
    return table_of_rows(rows, raters=names, categories=categories)


def _read_patterns(source: _Source, categories: Sequence[Label] | None, raters: Sequence[str] | None) -> Table:
    header = checks.header(source.first, source.name)
    by_lower = {name.lower(): name for name in reversed(header)}
    count = next((by_lower[name] for name in _COUNT_NAMES if name in by_lower), header[-1])
    chosen = [name for name in header if name != count] if raters is None else list(raters)
    names = checks.without_count(rating_checks.raters_among(chosen, header, "column"), count)
    columns = ", ".join(source.column(name) for name in names)
    rows = source.rows(f"SELECT {columns}, {source.column(count)} FROM file")
    checks.some_row(rows, source.name)
    counts = [checks.whole_count(row[-1], f"line {line}, column {count!r}") for line, row in enumerate(rows, start=2)]
    merged = [(*row[:-1], number) for row, number in zip(rows, counts, strict=True)]
    return table_of_rows(merged, raters=names, categories=categories)


def _read_long(source: _Source, categories: Sequence[Label] | None, raters: Sequence[str] | None) -> Table:
    header = checks.header(source.first, source.name)
    subject, rater, rating = (
        source.column(checks.long_column(header, name)) for name in ("subject", "rater", "rating")
    )
    subject, rater = f"nullif(trim({subject}), '')", f"nullif(trim({rater}), '')"
    nameless = source.rows(f"SELECT count(*) FROM file WHERE {subject} IS NULL OR {rater} IS NULL")
    checks.every_row_named(nameless[0][0], source.name)
    double = source.rows(f"SELECT {subject}, {rater} FROM file GROUP BY ALL HAVING count(*) > 1 ORDER BY ALL LIMIT 1")
    checks.no_double(double)
    found = source.rows(
        f"SELECT who FROM (SELECT {rater} AS who, row_number() OVER () AS line FROM file) "
        "GROUP BY who ORDER BY min(line)"
    )
    checks.some_row(found, source.name)
    present = [name for (name,) in found]
    names = rating_checks.raters_among(present if raters is None else raters, present, "rater")
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
    checks.no_totals(counts, source.name)
    return table_of_counts(counts, categories=labels, raters=raters)


_READERS = {"wide": _read_wide, "long": _read_long, "counts": _read_counts, "patterns": _read_patterns}
_DUCKDB: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


@contextmanager
def _local_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The file itself; standard input and pipes, which can be read only once, are kept in a temporary file."""
    if str(path) != "-" and checks.regular_file(Path(path)):
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


def _source_of(path: Path, name: str) -> _Source:
    """The file's first row that is not blank, and the delimiter that splits the first rows most evenly."""
    with path.open("rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path) if compressed else path.open("rb") as file:
        sample = checks.sample(file, _SAMPLE, name)
    text = checks.text(sample, name)
    skip = len(re.match(r"(?:[ \t]*\r?\n)*", text).group().splitlines())  # type: ignore[union-attr]  # matches always
    lines = text.splitlines()[skip:]
    tried = [(delimiter, _records(lines[:_ROWS_TRIED], delimiter, name)) for delimiter in _DELIMITERS]
    delimiter, records = max(tried, key=lambda one: _evenness(one[1]))
    header = [cell.strip() for cell in records[0]]
    return _Source(path, name, header, delimiter, skip, "gzip" if compressed else "none")


def _evenness(records: Sequence[Sequence[str]]) -> tuple[bool, int]:
    """Whether the first rows have one length above 1, and the length of the first."""
    width = len(records[0])
    return width > 1 and all(len(record) == width for record in records), width


def _records(lines: Sequence[str], delimiter: str, name: str) -> list[list[str]]:
    """The first rows under one delimiter, blank ones left out."""
    try:
        return [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error as error:
        checks.reading_failed(name, str(error))


def _literal(path: Path) -> str:
    """A path as DuckDB's pattern that matches this path alone."""
    return re.sub(r"([\[*?])", r"[\1]", str(path))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
