"""A file of any kind in, something that answers SQL about its columns out.

DuckDB reads and groups, within a limit of memory and with a folder to spill into, so that only what a query returns
comes into memory. What kind a file is, its first bytes say, not its name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from kappamax._checks import files as checks
from kappamax.io.text_files import closed_quotes, first_rows, json_format, sound

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Source", "source_of", "sql_list"]

_PARQUET = b"PAR1"
_SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_INDEX_COLUMNS = re.compile(r"__index_level_\d+__|__null_dask_index__")
_EARLY = 1000  # objects whose keys keep their order
_MEMORY_MB = 500
_MEMORY_MB_PER_CORE = 50


@dataclass(frozen=True)
class Source:
    """A file's columns, asked by SQL over the view `file`.

    `values` has the SQL of each column by name, `texts` the same as text, and `apart` the columns that are no raters
    unless asked for. The first row is number `first` of what `unit` says; `labelled` is False for a bare grid of cells.
    """

    name: str
    connection: DuckDBPyConnection
    values: dict[str, str]
    texts: dict[str, str]
    unit: str = "row"
    first: int = 1
    apart: frozenset[str] = frozenset()
    labelled: bool = True

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in the file's order."""
        return list(self.values)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query over `file` returns."""
        with _failures_of(self.name):
            return self.connection.execute(query).fetchall()

    def place(self, column: str, value: Any) -> str:
        """Where a raw value first occurs in a column, for messages."""
        query = (
            f"SELECT min(line) FROM (SELECT {self.values[column]} AS value, row_number() OVER () AS line FROM file) "
            "WHERE value IS NOT DISTINCT FROM ?"
        )
        with _failures_of(self.name):
            ((line,),) = self.connection.execute(query, [value]).fetchall()
        return "" if line is None else f", {self.unit} {line - 1 + self.first}"


def sql_list(texts: Iterable[str]) -> str:
    """Texts as SQL writes them, with commas between."""
    return ", ".join(map(_quoted, texts))


@contextmanager
def source_of(
    path: Path, name: str, *, headed: bool, sheet: str | int | None, delimiter: str | None, spill: bool = True
) -> Iterator[Source]:
    """Open a file for queries; `headed` says whether the first row of text or of a sheet names the columns.

    What does not fit into memory goes into a temporary folder; without `spill` it is an error instead.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory())) if spill else None
        connection = stack.enter_context(_connection(folder))
        start = b"" if path.is_dir() else checks.first_bytes(path, 4)
        sheets, parquet = start in _SPREADSHEETS, path.is_dir() or start == _PARQUET
        checks.sheet_of_spreadsheet(sheet, sheets, name)
        checks.delimiter_of_text(delimiter, not (sheets or parquet), name)
        if parquet:
            yield _parquet(connection, path, name)
            return
        if sheets:
            from kappamax.io.excel import sheet_as_text

            path, delimiter = stack.enter_context(sheet_as_text(path, name, sheet)), ","
        json = json_format(path, name) if delimiter is None else None
        if json is not None:
            yield _json(connection, path, name, json)
        else:
            unit = "row" if sheets else "line"
            yield _text(connection, path, name, unit, headed=headed, delimiter=delimiter)


def _text(
    connection: DuckDBPyConnection, path: Path, name: str, unit: str, *, headed: bool, delimiter: str | None
) -> Source:
    """Text with columns, all read as text: labels are normalised later, in one place for all routes."""
    top = first_rows(path, name, delimiter)
    checks.few_columns(len(top.first), name)
    compression = sound(path, name)
    closed_quotes(path, name, top.delimiter)
    header = checks.header(top.first, name) if headed else [f"column {i + 1}" for i in range(len(top.first))]
    columns = {f"c{i}": "VARCHAR" for i in range(len(header))}
    _view(
        connection,
        name,
        f"SELECT * FROM read_csv({_quoted(_literal(path))}, header = {headed}, delim = {_quoted(top.delimiter)}, "
        f"quote = '\"', escape = '\"', skip = {top.skip}, compression = '{compression}', "
        "auto_detect = false, null_padding = false, strict_mode = true, hive_partitioning = false, "
        f"columns = {columns})",
    )
    cells = dict(zip(header, columns, strict=True))
    return Source(name, connection, cells, cells, unit, top.skip + 1 + headed, labelled=headed)


def _parquet(connection: DuckDBPyConnection, path: Path, name: str) -> Source:
    """A Parquet file, or a folder of them whose own names may hold columns (rater=a/part-0.parquet).

    Only the names of folders inside the one given are columns. DuckDB's `hive_partitioning` would also take those of
    the folders it is in, so columns are made of the part of each file's name that is inside.
    """
    files = checks.parquet_files(path) if path.is_dir() else [path]
    keys = checks.partition_keys(files, path) if path.is_dir() else []
    reading = f"read_parquet([{sql_list(map(_literal, files))}], hive_partitioning = false"
    query = f"SELECT * FROM {reading})"
    if keys:
        own = {column.lower(): column for column in _types(connection, name, query)}
        where = _identifier(_unused("file", {*own, *map(str.lower, keys)}))
        begins = len(str(files[0])) - len(str(files[0].relative_to(path)))
        made = ", ".join(f"{_partition(key, where, begins)} AS {_identifier(key)}" for key in keys)
        left_out = [where, *(_identifier(own[key.lower()]) for key in keys if key.lower() in own)]
        named = f"{reading}, filename = {_quoted(where[1:-1])})"
        query = f"SELECT * EXCLUDE ({', '.join(left_out)}), {made} FROM {named}"
    _view(connection, name, query)
    types = _types(connection, name, query)
    values = {column: _identifier(column) for column in types}
    texts = {column: _as_text(values[column], kind) for column, kind in types.items()}
    apart = frozenset(column for column in types if column in keys or _INDEX_COLUMNS.fullmatch(column))
    return Source(name, connection, values, texts, apart=apart)


def _types(connection: DuckDBPyConnection, name: str, query: str) -> dict[str, str]:
    """The columns of a query and their types."""
    with _failures_of(name):
        return {column: kind for column, kind, *_ in connection.execute(f"DESCRIBE {query}").fetchall()}


def _unused(wanted: str, taken: Collection[str]) -> str:
    """A column name that no column has."""
    while wanted in taken:
        wanted += "_"
    return wanted


def _partition(key: str, where: str, begins: int) -> str:
    """The SQL of a folder's value for a key, in the part of a file's name from some place on."""
    folder = rf"(?:^|[/\\])\Q{key}\E=([^/\\]*)[/\\]"
    return (
        f"nullif(url_decode(regexp_extract(substr({where}, {begins + 1}), {_quoted(folder)}, 1)), "
        "'__HIVE_DEFAULT_PARTITION__')"
    )


def _json(connection: DuckDBPyConnection, path: Path, name: str, form: str) -> Source:
    """One JSON object per line, or an array of them; a key that an object lacks is missing there."""
    _view(
        connection,
        name,
        f"SELECT json FROM read_json_objects({_quoted(_literal(path))}, format = '{form}', "
        f"compression = '{sound(path, name)}', hive_partitioning = false)",
    )
    with _failures_of(name):
        ((others, doubles),) = connection.execute(
            "SELECT count(*) FILTER (json_type(json) <> 'OBJECT'), "
            "count(*) FILTER (len(json_keys(json)) > len(list_distinct(json_keys(json)))) FROM file"
        ).fetchall()
        early = connection.execute(f"SELECT unnest(json_keys(json)) FROM (FROM file LIMIT {_EARLY})").fetchall()
        every = connection.execute("SELECT DISTINCT unnest(json_keys(json)) AS key FROM file ORDER BY key").fetchall()
    checks.only_objects(others, doubles, name)
    keys = checks.some_key(list(dict.fromkeys(key for (key,) in [*early, *every])), name)
    texts = {key: _json_text(f"json_extract(json, {_quoted(_pointer(key))})") for key in keys}
    return Source(name, connection, texts, texts, "line" if form == "newline_delimited" else "row")


@contextmanager
def _connection(folder: Path | None) -> Iterator[DuckDBPyConnection]:
    import duckdb  # 0.1 s to import

    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": f"{_MEMORY_MB + _MEMORY_MB_PER_CORE * (os.cpu_count() or 1)}MB",
        "temp_directory": "" if folder is None else str(folder / "spill"),
    }
    with duckdb.connect(config=config) as connection:
        yield connection


def _view(connection: DuckDBPyConnection, name: str, query: str) -> None:
    with _failures_of(name):
        connection.execute(f"CREATE VIEW file AS {query}")


@contextmanager
def _failures_of(name: str) -> Iterator[None]:
    """DuckDB's errors as ours, and its report of Ctrl-C as KeyboardInterrupt."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        checks.reading_failed(name, str(error))
    except RuntimeError as error:
        if "interrupt" not in str(error).lower():
            raise
        raise KeyboardInterrupt from None


def _as_text(column: str, kind: str) -> str:
    """A typed column as the text that a label of the same value would have."""
    if kind == "BOOLEAN":
        return f"CASE {column} WHEN true THEN 'True' WHEN false THEN 'False' END"
    if kind in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN NOT isnan({column}) THEN CAST({column} AS VARCHAR) END"
    return f"CAST({column} AS VARCHAR)"


def _json_text(value: str) -> str:
    truth = f"CASE {value}::VARCHAR WHEN 'true' THEN 'True' ELSE 'False' END"
    return f"CASE json_type({value}) WHEN 'BOOLEAN' THEN {truth} ELSE {value} ->> '$' END"


def _pointer(key: str) -> str:
    """The JSON pointer to a key; unlike column names in SQL it tells A from a."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _literal(path: Path) -> str:
    """A path as DuckDB's pattern that matches this path alone."""
    return re.sub(r"([\[*?])", r"[\1]", str(path))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
