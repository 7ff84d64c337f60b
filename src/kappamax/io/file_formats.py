"""Open a file of any format so that its columns can be queried in SQL.

There is one function for each format: text with columns and JSON here, formats whose columns have types in
`typed_files`. Spreadsheets are converted to text, and compressed files are unpacked. The first bytes of a file decide
its format, not its name. DuckDB reads and groups the rows within a memory limit and with a temporary folder, so that
only the results of queries are held in Python.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kappamax._typing import Array
from kappamax.display.text import listing, plural
from kappamax.errors import Advice, InvalidOptionError, NotSupportedError, UnreadableFileError
from kappamax.io.compression import chunks_of, copied_chunks, unpacked
from kappamax.io.count_matrices import looks_like_counts
from kappamax.io.file_signatures import TYPED_FORMATS, format_of
from kappamax.io.input_files import local_input, name_of_input
from kappamax.io.labels import clean_text
from kappamax.io.line_ends import uniform_chunks
from kappamax.io.read_spec import ReadSpec
from kappamax.io.temporary_files import bytes_as_file, new_file
from kappamax.io.text_encoding import copy_as_utf8, encoding_of, guessed_encoding
from kappamax.io.text_files import (
    beginning_of,
    checked_compression,
    line_end_of,
    opened,
    sample_of,
    start_of_rows,
    text_format,
)
from kappamax.io.text_grid import grid_of
from kappamax.io.transposed_tables import transposed
from kappamax.table import Label

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_MEMORY_MB = 500
LINE = "kappamax_line"
LF = r"\n"
_MEMORY_MB_PER_CORE = 50
_DUCKDB_ERRORS = {
    r"Expected Number of Columns: (\d+) Found: (\d+)": "every row must have {} columns, as the first row has; got {}.",
    r"(?i)unterminated quote|not terminated|quote should be followed": "a quotation mark is not closed.",
    r"Maximum line size": "the row is longer than 2,000,000 bytes.",
    r"(?i)unicode|utf-?8|encod": "the text is not UTF-8.",
    r"(?i)no space left|disk quota": "the temporary folder is full. Free some space, or set TMPDIR to another folder.",
}


@contextmanager
def open_file(path: str | os.PathLike[str], spec: ReadSpec) -> Iterator[Source]:
    """Open a file, a folder or standard input ("-") for queries.

    Standard input and pipes, which can be read only once, are copied into a temporary file. Data that do not fit into
    memory are moved to a temporary folder. A file that changes while it is read raises an error.
    """
    if not isinstance(path, str | os.PathLike):
        raise UnreadableFileError(f"path must be the name of a file; got {type(path).__name__}.")
    with local_input(path) as (local, folder), ExitStack() as stack:
        yield _source(stack, local, name_of_input(path), spec, spill=folder / "spill")


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
    header : tuple of str or None
        Cells of the first row if it was not read as names of columns, as in a matrix of counts; otherwise None.
    named_by_file : bool
        Whether the names of the columns are those of a header in the file.
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
    header_line : int
        Number of the line that contains the header, counted from one; 0 if there is none.
    line : str
        SQL expression of the position of a row, counted from one.
    """

    name: str
    connection: DuckDBPyConnection
    values: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    unit: str = "row"
    first: int = 1
    not_raters: frozenset[str] = frozenset()
    header: tuple[str, ...] | None = None
    named_by_file: bool = True
    layout: str | None = None
    declared: dict[str, tuple[Label, ...]] = field(default_factory=dict)
    labels: dict[str, dict[Any, str]] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    notes_on: Callable[[Sequence[str]], tuple[str, ...]] = field(default=lambda names: ())
    header_line: int = 0
    line: str = "row_number() OVER ()"

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in the order of the file."""
        return list(self.values)

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query.

        An error of DuckDB is raised as an `UnreadableFileError`, and Ctrl-C as a `KeyboardInterrupt`.
        """
        rows: list[tuple[Any, ...]] = self._run(query, parameters, "fetchall")
        return rows

    def arrays(self, query: str) -> dict[str, Array]:
        """Return the columns of a query that has numbers only; errors are those of `rows`."""
        arrays: dict[str, Array] = self._run(query, (), "fetchnumpy")
        return arrays

    def _run(self, query: str, parameters: Sequence[Any], fetch: str) -> Any:
        import duckdb

        try:
            return getattr(self.connection.execute(query, parameters), fetch)()
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

    def without_rows(self, positions: Sequence[int]) -> Source:
        """Return the source without some rows, given by their positions counted from one."""
        dropped = ", ".join(map(str, positions))
        line = "" if self.line == LINE else f", {self.line} AS {LINE}"
        self.rows(
            f"CREATE OR REPLACE TEMP TABLE kept_rows AS SELECT * EXCLUDE (kappamax_position) FROM (SELECT *{line}, "
            f"row_number() OVER () AS kappamax_position FROM file) WHERE kappamax_position NOT IN ({dropped})"
        )
        self.rows("CREATE OR REPLACE VIEW file AS SELECT * FROM kept_rows")
        return replace(self, line=LINE)

    def require_text(self, rows: Sequence[Sequence[Any]]) -> None:
        """Reject zero bytes, which may occur after a beginning that looks like text."""
        if any(isinstance(cell, str) and "\0" in cell for row in rows for cell in row):
            raise UnreadableFileError(f"{self.name} is a binary file, not text with columns.", code="binary-file")

    def place(self, column: str, value: Any) -> str:
        """Return the place where a raw value first occurs in a column, for messages."""
        ((line,),) = self.rows(
            f"SELECT min(line) FROM (SELECT {self.values[column]} AS value, {self.line} AS line FROM file) "
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

    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": f"{_MEMORY_MB + _MEMORY_MB_PER_CORE * (os.cpu_count() or 1)}MB",
        "temp_directory": "" if spill is None else str(spill),
    }
    source = Source(name, stack.enter_context(duckdb.connect(config=config)))
    if path.is_dir() or format_of(path) == "zip":
        from kappamax.io.annotation_exports import open_annotator_files

        exported = open_annotator_files(source, path, spec)
        if exported is not None:
            return exported
    folder = None if spill is None else spill.parent
    path, kind, unpacking = unpacked(stack, path, name, folder)
    is_spreadsheet = kind == "spreadsheet"
    if spec.sheet is not None and not is_spreadsheet:
        raise InvalidOptionError(f"sheet can be given for spreadsheets only; {name} is not a spreadsheet.")
    if spec.delimiter is not None:
        if kind != "text":
            raise InvalidOptionError(f"delimiter can be given for text files only; {name} is not a text file.")
        if not isinstance(spec.delimiter, str) or not re.fullmatch(r'[^"\r\n\0]', spec.delimiter, re.ASCII):
            raise InvalidOptionError(
                f"delimiter must be one ASCII character other than a quotation mark; got {spec.delimiter!r}."
            )
    source = replace(source, notes=unpacking)
    if kind in TYPED_FORMATS:
        from kappamax.io.typed_files import opened_with_types

        return opened_with_types(source, path, kind, spec)
    if is_spreadsheet:
        from kappamax.io.spreadsheets import sheet_as_text

        path = stack.enter_context(bytes_as_file(sheet_as_text(path, name, spec.sheet)))
        spec = replace(spec, delimiter=",")
    if spec.delimiter is None:
        from kappamax.io.json_files import is_json, open_json
        from kappamax.io.json_lists import lists_as_text

        if is_json(path):
            lists = lists_as_text(path)
            if lists is None:
                return open_json(stack, source, path, spec)
            path, spec, is_spreadsheet = stack.enter_context(bytes_as_file(lists)), replace(spec, delimiter=","), True
    sample, is_whole = sample_of(path, name)
    encoding = encoding_of(sample, name, spec.encoding)
    if encoding != "utf-8":
        copy, copied = stack.enter_context(new_file(folder))
        with opened(path) as file:
            copy_as_utf8(file, copy, encoding, name)
        copy.flush()
        path = copied
        sample, is_whole = sample_of(path, name)
        source = replace(source, notes=(*source.notes, f"The file was read as text in the encoding {encoding}."))
    source = replace(source, unit="row" if is_spreadsheet else "line")
    if not is_whole:
        if spec.transpose:
            raise NotSupportedError(f"{name} is too large to be transposed.")
        return _exported(_large_text(stack, source, path, spec, folder), spec)
    checked_compression(path, name)
    try:
        whole = sample.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = sample[: error.start].count(b"\n") + 1
        raise UnreadableFileError(
            f"{name} is not UTF-8 text: line {line} has the byte 0x{sample[error.start]:02x}.",
            code="wrong-encoding",
            advice=[Advice({"encoding": guessed_encoding(sample)})],
        ) from None
    grid = grid_of(whole, name, spec)
    source = replace(source, notes=(*source.notes, *grid.notes))
    header, rows = grid.header, [(row.start + 1, row.cells) for row in grid.rows]
    if spec.transpose:
        header, rows, notes = transposed(header, [row.cells for row in grid.rows])
        source = replace(source, unit="column", notes=(*source.notes, *notes))
    return _exported(_small_text(stack, replace(source, header_line=grid.header_line), header, rows, spec), spec)


def _exported(source: Source, spec: ReadSpec) -> Source:
    """Return the rows of an export of an annotation tool, or the source itself if it is not an export."""
    from kappamax.io.annotation_exports import flat_export

    return flat_export(source, spec) or source


def _small_text(
    stack: ExitStack, source: Source, header: Sequence[str], rows: Sequence[tuple[int, list[str]]], spec: ReadSpec
) -> Source:
    """Open rows that were split into cells, each with the number of its line."""
    out = StringIO()
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([line, *cells] for line, cells in rows)
    path = stack.enter_context(bytes_as_file(out.getvalue().encode(errors="replace")))
    _create_view(source, path, len(header), ",", LF, line=True)
    return _with_header(replace(source, line=LINE, first=1), header, spec)


def _large_text(stack: ExitStack, source: Source, path: Path, spec: ReadSpec, folder: Path | None) -> Source:
    """Open a text file that DuckDB splits into cells; it is copied if DuckDB cannot read it as it is.

    DuckDB requires that all rows end alike, and its number of rows to skip is not the number of lines if a name in the
    header contains a line end.
    """
    name = source.name
    line_end = line_end_of(path, name)
    if line_end is None:
        with opened(path) as file:
            path, line_end = copied_chunks(stack, uniform_chunks(file), name, folder), LF
    sample, _ = sample_of(path, name)
    text = text_format(path, name, beginning_of(sample, name), spec)
    skip, packed = text.skip, text.compression
    start = start_of_rows(sample, skip)
    if start is not None:
        with opened(path) as file:
            file.seek(start)
            path, skip, packed = copied_chunks(stack, chunks_of(file), name, folder), 0, "uncompressed"
    _create_view(source, path, len(text.header), text.delimiter, line_end, skip=skip, compression=packed)
    source = replace(source, first=text.skip + 1, header_line=text.skip, notes=(*source.notes, *text.notes))
    return _with_header(source, text.header, spec)


def _create_view(
    source: Source,
    path: Path,
    n_columns: int,
    delimiter: str,
    line_end: str,
    *,
    line: bool = False,
    skip: int = 0,
    compression: str = "uncompressed",
) -> None:
    """Make text with columns the view `file`; all cells are text, since labels are normalised later for all formats.

    `line` says that the first column is the number of the line.
    """
    columns = {LINE: "BIGINT"} if line else {}
    columns |= {f"c{i}": "VARCHAR" for i in range(n_columns)}
    source.rows(
        f"CREATE VIEW file AS SELECT * FROM read_csv({path_pattern(path)}, header = false, "
        f"delim = {sql_list([delimiter])}, quote = '\"', escape = '\"', skip = {skip}, "
        f"compression = '{compression}', auto_detect = false, null_padding = false, strict_mode = true, "
        f"hive_partitioning = false, new_line = '{line_end}', columns = {columns})",
    )


def _with_header(source: Source, header: Sequence[str], spec: ReadSpec) -> Source:
    """Return the source with the names of its columns."""
    columns = [f"c{i}" for i in range(len(header))]
    cells = {f"column {i + 1}": column for i, column in enumerate(columns)}
    if spec.layout == "counts":
        return replace(source, values=cells, texts=cells, header=tuple(header))
    if spec.no_header:
        return replace(source, values=cells, texts=cells, named_by_file=False)
    return _named_columns(source, header, columns)


def _named_columns(source: Source, header: Sequence[str], columns: Sequence[str]) -> Source:
    """Return the source with the names in the header; blank columns are left out, and equal names are numbered."""
    header = [clean_text(name) for name in header]
    nameless = [i for i, name in enumerate(header) if not name]
    blank = set[int]()
    if nameless:
        tests = ", ".join(f"count(nullif(trim({columns[i]}), ''))" for i in nameless)
        ((*filled,),) = source.rows(f"SELECT {tests} FROM file")
        blank = {i for i, n in zip(nameless, filled, strict=True) if n == 0}
    notes = list(source.notes)
    if blank:
        notes.append(f"{plural(len(blank), 'blank column')} {'was' if len(blank) == 1 else 'were'} left out.")
    unnamed = [i for i in nameless if i not in blank]
    first_rows = source.rows(f"SELECT {', '.join(columns)} FROM file LIMIT 200") if unnamed else []
    if any(i > 0 for i in unnamed) and not _is_data(first_rows):
        line = source.header_line
        grid = [list(header), *map(list, first_rows)]
        counts = Advice({"layout": "counts"}, "if the file is a matrix of counts")
        likely = [
            counts,
            Advice({"no_header": True}, "if the first line is data"),
            Advice({"skip_rows": line}, "if the names are in the next line"),
        ]
        raise UnreadableFileError(
            f"{source.name}: every column must have a name, but {_listed_positions(unnamed)} in line {line}, "
            f"{listing(header)}, {'has' if len(unnamed) == 1 else 'have'} none. The names may be in the next line.",
            code="columns-without-names",
            fields={"header": list(header), "line": line},
            advice=sorted(likely, key=lambda advice: advice is counts and looks_like_counts(grid)),
        )
    names, seen = [], Counter[str]()
    for i, name in enumerate(header):
        own = name or f"column {i + 1}"
        seen[own] += 1
        while seen[own] > 1 and f"{own} ({seen[own]})" in header:
            seen[own] += 1
        names.append(own if seen[own] == 1 else f"{own} ({seen[own]})")
    if unnamed:
        notes.append(f"Columns without a name were numbered: {listing([names[i] for i in unnamed])}.")
    if any(times > 1 for name, times in seen.items()):
        twice = [name for name, times in seen.items() if times > 1 and name in header]
        notes.append(f"Columns with equal names were numbered: {listing(twice)}.")
    cells = {name: columns[i] for i, name in enumerate(names) if i not in blank}
    return replace(source, values=cells, texts=cells, notes=tuple(notes))


def _is_data(rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether the first of some rows is data, not names of columns: most of its cells occur again below."""
    if len(rows) < 2:
        return False
    first, *below = rows
    filled = [(j, cell) for j, cell in enumerate(first) if cell not in (None, "")]
    again = sum(any(row[j] == cell for row in below) for j, cell in filled)
    return 2 * again >= len(filled) > 0 and not looks_like_counts(rows)


def _listed_positions(positions: Sequence[int]) -> str:
    """Return the positions of columns in words: "column 2" or "columns 2 and 4"."""
    shown = [str(i + 1) for i in positions[:8]]
    if len(shown) == 1:
        return f"column {shown[0]}"
    return f"columns {', '.join(shown[:-1])} and {shown[-1]}"


def path_pattern(path: Path) -> str:
    """Return the SQL literal of a DuckDB file pattern that matches this path only."""
    return sql_list([re.sub(r"([\[*?])", r"[\1]", str(path))])


def as_text(column: str, kind: str) -> str:
    """Return the SQL expression of a typed column as text, written like the label of the same value."""
    if kind == "BOOLEAN":
        return f"CASE {column} WHEN true THEN 'True' WHEN false THEN 'False' END"
    if kind in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN NOT isnan({column}) THEN CAST({column} AS VARCHAR) END"
    return f"CAST({column} AS VARCHAR)"


def is_nested_type(kind: str) -> bool:
    """Return whether the values of a DuckDB type are lists, objects or maps."""
    return kind.endswith("]") or kind.startswith(("STRUCT(", "MAP(", "UNION("))
