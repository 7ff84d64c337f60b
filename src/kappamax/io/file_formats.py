"""Open a file of any format so that its columns can be queried in SQL.

There is one function for each format: text with columns, JSON, and Parquet (a file or a folder). Spreadsheets are
converted to text. The first bytes of a file decide its format, not its name. DuckDB reads and groups the rows within a
memory limit and with a temporary folder, so that only the results of queries are held in Python.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from kappamax.display.text import listing, shortened
from kappamax.errors import InvalidOptionError, UnreadableFileError
from kappamax.io.annotation_exports import flat_export, open_annotator_files
from kappamax.io.read_spec import ReadSpec
from kappamax.io.text_files import TextFormat, beginning_of, text_format
from kappamax.table import Label

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_PARQUET = b"PAR1"
_SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_INDEX_COLUMNS = re.compile(r"__index_level_\d+__|__null_dask_index__")
_MEMORY_MB = 500
_MEMORY_MB_PER_CORE = 50
_DUCKDB_ERRORS = {
    r"Expected Number of Columns: (\d+) Found: (\d+)": "every row must have {} columns, as the first row has; got {}.",
    r"(?i)unterminated quote|not terminated|quote should be followed": "a quotation mark is not closed.",
    r"Maximum line size": "the row is longer than 2,000,000 bytes.",
    r"state machine": "all lines must have the same ending; some end in CR LF and some in LF.",
    r"(?i)unicode|utf-?8|encod": "the text is not UTF-8.",
}


@contextmanager
def open_file(path: str | os.PathLike[str], spec: ReadSpec) -> Iterator[Source]:
    """Open a file, a folder or standard input ("-") for queries.

    Standard input and pipes, which can be read only once, are copied into a temporary file. Data that do not fit into
    memory are moved to a temporary folder.
    """
    if not isinstance(path, str | os.PathLike):
        raise UnreadableFileError(f"path must be the name of a file; got {type(path).__name__}.")
    is_stdin, local = str(path) == "-", Path(path)
    if is_stdin and sys.stdin is None:
        raise UnreadableFileError("standard input is closed.")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        if is_stdin or not _is_lasting(local):
            with (
                nullcontext(sys.stdin.buffer) if is_stdin else local.open("rb") as stream,
                (folder / "input").open("wb") as copy,
            ):
                shutil.copyfileobj(stream, copy)
            local = folder / "input"
        yield _source(stack, local, "standard input" if is_stdin else str(path), spec, spill=folder / "spill")


@contextmanager
def open_bytes(content: bytes, name: str, spec: ReadSpec) -> Iterator[Source]:
    """Open the content of a file for queries; content that does not fit into memory raises an error."""
    with ExitStack() as stack:
        yield _source(stack, stack.enter_context(bytes_as_file(content)), name, spec, spill=None)


@contextmanager
def bytes_as_file(content: bytes) -> Iterator[Path]:
    """Yield a path from which some bytes can be read more than once.

    On Linux the bytes stay in memory and are never written to a disk. On other systems they are in a temporary file
    that only this user can read and that is removed afterwards.
    """
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("kappamax"), "wb") as file:
            file.write(content)
            file.flush()
            yield Path(f"/proc/self/fd/{file.fileno()}")
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "held"
        path.write_bytes(content)
        yield path


@dataclass(frozen=True)
class Source:
    """An open file whose columns can be queried in SQL as the view `file`.

    Attributes
    ----------
    name : str
        Name of the file, for messages.
    connection : DuckDBPyConnection
        Connection in which the view `file` exists.
    values, texts : dict of str
        SQL expression of each column, by the name of the column: `values` has the type of the file, and `texts` is
        text.
    unit : str
        Word for a row in messages, such as "line".
    first : int
        Number that a reader of the file gives to the first row of the view.
    not_raters : frozenset of str
        Columns that are not used as raters unless the caller names them.
    labelled : bool
        Whether the columns have names; False for a grid of cells.
    layout : str or None
        Layout that the format prescribes, or None if it does not prescribe one.
    declared : dict
        Ordered categories that columns declare, by the name of the column, as value labels do.
    notes : tuple of str
        Sentences about what was recognised or left out when the file was opened.
    """

    name: str
    connection: DuckDBPyConnection
    values: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    unit: str = "row"
    first: int = 1
    not_raters: frozenset[str] = frozenset()
    labelled: bool = True
    layout: str | None = None
    declared: dict[str, tuple[Label, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in the order of the file."""
        return list(self.values)

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query.

        An error of DuckDB is raised as an `UnreadableFileError`, and Ctrl-C as a `KeyboardInterrupt`.
        """
        import duckdb

        try:
            return self.connection.execute(query, parameters).fetchall()
        except duckdb.Error as error:
            message = str(error)
            line = re.search(r"Line: (\d+)", message)
            where = f"{self.name}, line {line.group(1)}" if line else self.name
            for pattern, words in _DUCKDB_ERRORS.items():
                if found := re.search(pattern, message):
                    raise UnreadableFileError(f"{where}: {words.format(*found.groups())}") from None
            raise UnreadableFileError(f"{where}: {message.strip().splitlines()[0]}") from None
        except RuntimeError as error:
            if "interrupt" not in str(error).lower():
                raise
            raise KeyboardInterrupt from None

    def place(self, column: str, value: Any) -> str:
        """Return the place where a raw value first occurs in a column, for messages."""
        ((line,),) = self.rows(
            f"SELECT min(line) FROM (SELECT {self.values[column]} AS value, row_number() OVER () AS line FROM file) "
            "WHERE value IS NOT DISTINCT FROM ?",
            [value],
        )
        return "" if line is None else f", {self.unit} {self.number(line)}"

    def number(self, line: int) -> int:
        """Return the number that a reader of the file gives to a row of the view, counted from one."""
        return line - 1 + self.first


def sql_list(texts: Iterable[str]) -> str:
    """Return texts as SQL literals, separated by commas."""
    return ", ".join("'" + text.replace("'", "''") + "'" for text in texts)


def _source(stack: ExitStack, path: Path, name: str, spec: ReadSpec, *, spill: Path | None) -> Source:
    """Open a local file in the format that its first bytes indicate; it is closed with the stack."""
    import duckdb  # the import takes 0.1 s

    start = b""
    if not path.is_dir():
        with path.open("rb") as file:
            start = file.read(4)
    is_spreadsheet, is_parquet = start in _SPREADSHEETS, path.is_dir() or start == _PARQUET
    if spec.sheet is not None and not is_spreadsheet:
        raise InvalidOptionError(f"sheet can be given for spreadsheets only; {name} is not a spreadsheet.")
    delimiter = spec.delimiter
    if delimiter is not None:
        if is_spreadsheet or is_parquet:
            raise InvalidOptionError(f"delimiter can be given for text files only; {name} is not a text file.")
        if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0' or not delimiter.isascii():
            raise InvalidOptionError(
                f"delimiter must be one ASCII character other than a quotation mark; got {delimiter!r}."
            )
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": f"{_MEMORY_MB + _MEMORY_MB_PER_CORE * (os.cpu_count() or 1)}MB",
        "temp_directory": "" if spill is None else str(spill),
    }
    source = Source(name, stack.enter_context(duckdb.connect(config=config)))
    if path.is_dir() or is_spreadsheet:
        opened = open_annotator_files(source, path, spec)
        if opened is not None:
            return opened
    if is_parquet:
        return _parquet(source, path, spec)
    if is_spreadsheet:
        from kappamax.io.spreadsheets import sheet_as_text

        path, delimiter = stack.enter_context(bytes_as_file(sheet_as_text(path, name, spec.sheet))), ","
    if delimiter is None and not is_spreadsheet:
        from kappamax.io.json_files import is_json, open_json

        if is_json(path):
            return open_json(stack, source, path, spec)
    beginning = beginning_of(path, name)
    source = replace(source, unit="row" if is_spreadsheet else "line", labelled=spec.layout != "counts")
    source = _text(source, path, text_format(path, name, beginning, delimiter))
    return flat_export(source, spec) or source


def _text(source: Source, path: Path, text: TextFormat) -> Source:
    """Open text with columns; all cells are read as text, since labels are normalised later for all formats."""
    headed = source.labelled
    header = text.first if headed else [f"column {i + 1}" for i in range(len(text.first))]
    if "" in header:
        raise UnreadableFileError(
            f"{source.name}: every column must have a name in the first row; column {header.index('') + 1} has none. "
            "A matrix of counts is read with layout counts."
        )
    twice = next((column for column, times in Counter(header).items() if times > 1), None)
    if twice is not None:
        raise UnreadableFileError(f"{source.name}: columns must have different names; {twice!r} occurs twice.")
    columns = {f"c{i}": "VARCHAR" for i in range(len(header))}
    source.rows(
        f"CREATE VIEW file AS SELECT * FROM read_csv({path_pattern(path)}, header = {headed}, "
        f"delim = {sql_list([text.delimiter])}, quote = '\"', escape = '\"', skip = {text.skip}, "
        f"compression = '{text.compression}', auto_detect = false, null_padding = false, strict_mode = true, "
        f"hive_partitioning = false, columns = {columns})",
    )
    cells = dict(zip(header, columns, strict=True))
    return replace(source, values=cells, texts=cells, first=text.skip + 1 + headed)


def _parquet(source: Source, path: Path, spec: ReadSpec) -> Source:
    """Open a Parquet file, or a folder of Parquet files whose subfolders may define columns (rater=a/part-0.parquet).

    Only the names of folders inside the given folder define columns. DuckDB's `hive_partitioning` would also use the
    folders above it, so the columns are computed from the part of each path inside the given folder.
    """
    files, keys = [path], list[str]()
    if path.is_dir():  # hidden files and metadata files are left out
        files = sorted(file for file in path.rglob("*.parquet") if file.is_file() and file.name[0] not in "._")
        if not files:
            raise UnreadableFileError(
                f"{path} must be a file or a folder with Parquet files; the folder contains none."
            )
        keys = _partition_keys(files, path)
    reading = f"read_parquet([{', '.join(map(path_pattern, files))}], hive_partitioning = false"
    query = f"SELECT * FROM {reading})"
    if keys:
        own = {column.lower(): column for column, *_ in source.rows(f"DESCRIBE {query}")}
        where = "file"
        while where in own or where in map(str.lower, keys):
            where += "_"
        begins = len(str(files[0])) - len(str(files[0].relative_to(path)))
        made = ", ".join(f"{_partition_value(key, where, begins)} AS {_identifier(key)}" for key in keys)
        left_out = [where, *(_identifier(own[key.lower()]) for key in keys if key.lower() in own)]
        query = f"SELECT * EXCLUDE ({', '.join(left_out)}), {made} FROM {reading}, filename = '{where}')"
    source.rows(f"CREATE VIEW file AS {query}")
    types = {column: kind for column, kind, *_ in source.rows(f"DESCRIBE {query}")}
    values = {column: _identifier(column) for column in types}
    texts = {column: as_text(values[column], kind) for column, kind in types.items()}
    not_raters = frozenset(column for column in types if column in keys or _INDEX_COLUMNS.fullmatch(column))
    source = replace(source, values=values, texts=texts, not_raters=not_raters)
    if not any(map(is_nested_type, types.values())):
        return source
    from kappamax.io.json_files import open_nested

    return open_nested(source, types, spec)


def _partition_keys(files: Sequence[Path], folder: Path) -> list[str]:
    """Return the columns that names of folders such as rater=anna/ define; they must be the same for every file."""
    first: list[str] | None = None
    for file in files:
        inside = file.relative_to(folder)
        keys = [part.partition("=")[0] for part in inside.parts[:-1] if part.find("=") > 0]
        twice = next((key for i, key in enumerate(keys) if key in keys[:i]), None)
        if twice is not None:
            raise UnreadableFileError(
                f"{folder}: a folder such as rater=anna must occur once in a path; {inside} is in two named {twice}=..."
            )
        first = keys if first is None else first
        if keys != first:
            had, has = (listing(one) if one else "none" for one in (first, keys))
            raise UnreadableFileError(
                f"{folder}: folders such as rater=anna must name the same columns for every file; "
                f"{files[0].relative_to(folder)} has {had} and {inside} has {has}."
            )
    return first or []


def _partition_value(key: str, where: str, begins: int) -> str:
    """Return the SQL expression of the value that the name of a folder gives to a key.

    `where` is the column with the path of the file, and `begins` is the length of the part above the given folder.
    """
    folder = rf"(?:^|[/\\])\Q{key}\E=([^/\\]*)[/\\]"
    return (
        f"nullif(url_decode(regexp_extract(substr({where}, {begins + 1}), {sql_list([folder])}, 1)), "
        "'__HIVE_DEFAULT_PARTITION__')"
    )


def is_nested_type(kind: str) -> bool:
    """Return whether the values of a DuckDB type are lists, objects or maps."""
    return kind.endswith("]") or kind.startswith(("STRUCT(", "MAP(", "UNION("))


def _is_lasting(path: Path) -> bool:
    """Return whether a path is a file or a folder, which can be read more than once; a pipe cannot."""
    try:
        if path.is_dir():
            return True
        if path.exists() and not path.is_file():
            return False
        with path.open("rb"):
            return True
    except FileNotFoundError:
        raise UnreadableFileError(f"there is no file {path}.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnreadableFileError(f"{shortened(str(path))} cannot be read: {reason}.") from None


def as_text(column: str, kind: str) -> str:
    """Return the SQL expression of a typed column as text, written like the label of the same value."""
    if kind == "BOOLEAN":
        return f"CASE {column} WHEN true THEN 'True' WHEN false THEN 'False' END"
    if kind in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN NOT isnan({column}) THEN CAST({column} AS VARCHAR) END"
    return f"CAST({column} AS VARCHAR)"


def path_pattern(path: Path) -> str:
    """Return the SQL literal of a DuckDB file pattern that matches this path only."""
    return sql_list([re.sub(r"([\[*?])", r"[\1]", str(path))])


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
