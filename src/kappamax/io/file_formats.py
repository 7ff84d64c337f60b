"""Open a file of any format so that its columns can be queried in SQL.

There is one function for each format: text with columns and JSON here, formats whose columns have types in
`typed_files`. Spreadsheets are converted to text, and compressed files are unpacked. The first bytes of a file decide
its format, not its name. DuckDB reads and groups the rows within a memory limit and with a temporary folder, so that
only the results of queries are held in Python.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from kappamax.display.text import shortened
from kappamax.errors import InvalidOptionError, UnreadableFileError
from kappamax.io.compression import unpacked
from kappamax.io.file_signatures import TYPED_FORMATS
from kappamax.io.read_spec import ReadSpec
from kappamax.io.temporary_files import bytes_as_file
from kappamax.io.text_files import TextFormat, beginning_of, checked_compression, text_format
from kappamax.table import Label

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_EARLY = 1000  # the keys of the first objects keep their order, and keys that first occur later are sorted
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
        Categories that columns declare, by the name of the column, as value labels do. They are ordered, except
        `UnorderedCategories`.
    labels : dict
        Labels by code of the columns whose codes were replaced by value labels, by the name of the column.
    descriptions : dict of str
        What columns contain in the words of the file, such as the question that was asked, by the name of the column.
    notes : tuple of str
        Sentences about what was recognised or left out when the file was opened.
    notes_on : callable
        Function from the names of the columns that are used to sentences about what was recognised in them.
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
    labels: dict[str, dict[Any, str]] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    notes_on: Callable[[Sequence[str]], tuple[str, ...]] = field(default=lambda names: ())

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

    path, kind, notes = unpacked(stack, path, name, None if spill is None else spill.parent)
    is_spreadsheet = kind == "spreadsheet"
    if spec.sheet is not None and not is_spreadsheet:
        raise InvalidOptionError(f"sheet can be given for spreadsheets only; {name} is not a spreadsheet.")
    delimiter = spec.delimiter
    if delimiter is not None:
        if kind != "text":
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
    source = Source(name, stack.enter_context(duckdb.connect(config=config)), notes=notes)
    if kind in TYPED_FORMATS:
        from kappamax.io.typed_files import opened_with_types

        return opened_with_types(source, path, kind, spec.encoding)
    if is_spreadsheet:
        from kappamax.io.spreadsheets import sheet_as_text

        path, delimiter = stack.enter_context(bytes_as_file(sheet_as_text(path, name, spec.sheet))), ","
    beginning = beginning_of(path, name)
    if delimiter is None and re.match(r'\s*\{\s*("|\})', beginning):
        return _json(replace(source, unit="line"), path, "newline_delimited")
    if delimiter is None and re.match(r"\s*\[\s*\{", beginning):
        return _json(source, path, "array")
    source = replace(source, unit="row" if is_spreadsheet else "line", labelled=spec.layout != "counts")
    return _text(source, path, text_format(path, name, beginning, delimiter))


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


def _json(source: Source, path: Path, form: str) -> Source:
    """Open one JSON object per line, or an array of objects; a key that an object lacks is a missing value."""
    source.rows(
        f"CREATE VIEW file AS SELECT json FROM read_json_objects({path_pattern(path)}, format = '{form}', "
        f"compression = '{checked_compression(path, source.name)}', hive_partitioning = false)",
    )
    ((n_others, n_doubles),) = source.rows(
        "SELECT count(*) FILTER (json_type(json) <> 'OBJECT'), "
        "count(*) FILTER (len(json_keys(json)) > len(list_distinct(json_keys(json)))) FROM file"
    )
    early = source.rows(f"SELECT unnest(json_keys(json)) FROM (FROM file LIMIT {_EARLY})")
    every = source.rows("SELECT DISTINCT unnest(json_keys(json)) AS key FROM file ORDER BY key")
    if n_doubles:
        raise UnreadableFileError(
            f"{source.name}: the keys of a JSON object must differ; {n_doubles:,} objects have a key twice."
        )
    if n_others:
        raise UnreadableFileError(f"{source.name}: every line must be a JSON object; {n_others:,} lines are not.")
    texts = {}
    for (key,) in [*early, *every]:
        # unlike the name of a column in SQL, a JSON pointer is case-sensitive
        pointer = "/" + key.replace("~", "~0").replace("/", "~1")
        value = f"json_extract(json, {sql_list([pointer])})"
        truth = f"CASE {value}::VARCHAR WHEN 'true' THEN 'True' ELSE 'False' END"
        texts[key] = f"CASE json_type({value}) WHEN 'BOOLEAN' THEN {truth} ELSE {value} ->> '$' END"
    if not texts:
        raise UnreadableFileError(f"{source.name}: the JSON objects have no keys.")
    return replace(source, values=texts, texts=texts)


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


def path_pattern(path: Path) -> str:
    """Return the SQL literal of a DuckDB file pattern that matches this path only."""
    return sql_list([re.sub(r"([\[*?])", r"[\1]", str(path))])
