"""Open files whose columns have types: Parquet, Arrow, and the files of Stata, SPSS and SAS.

Values keep their types, so that a number is a number whatever its text would look like.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from kappamax._tolerances import EXACT_DOUBLES
from kappamax._typing import Array
from kappamax.display.text import listing
from kappamax.errors import UnreadableFileError
from kappamax.io.file_formats import Source, as_text, is_nested_type, path_pattern, sql_list
from kappamax.io.file_signatures import ARROW_FORMATS
from kappamax.io.input_files import parquet_files
from kappamax.io.input_limits import require_few_columns
from kappamax.io.read_spec import ReadSpec

_INDEX_COLUMNS = re.compile(r"__index_level_\d+__|__null_dask_index__")


def opened_with_types(source: Source, path: Path, kind: str, spec: ReadSpec) -> Source:
    """Open a file in one of the formats `TYPED_FORMATS`."""
    if kind == "Parquet":
        return _parquet(source, path, spec)
    if kind in ARROW_FORMATS:
        return _arrow(source, path, kind, spec)
    return _statistical(source, path, kind, spec.encoding)


def _parquet(source: Source, path: Path, spec: ReadSpec) -> Source:
    """Open a Parquet file, or a folder of Parquet files whose subfolders may define columns (rater=a/part-0.parquet).

    Only the names of folders inside the given folder define columns. DuckDB's `hive_partitioning` would also use the
    folders above it, so the columns are computed from the part of each path inside the given folder.
    """
    files, keys = [path], list[str]()
    if path.is_dir():
        files = parquet_files(path)
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
    return _typed(source, query, spec, keys)


def _arrow(source: Source, path: Path, kind: str, spec: ReadSpec) -> Source:
    """Open an Arrow file or stream; a file is read in parts when it is queried."""
    from kappamax.io.arrow_files import read_arrow_file

    data = read_arrow_file(path, source.name, kind)
    source.connection.register("arrow_data", data.rows)
    return replace(_typed(source, "SELECT * FROM arrow_data", spec), declared=data.declared)


def _typed(source: Source, query: str, spec: ReadSpec, keys: Collection[str] = ()) -> Source:
    """Open the result of a query, whose columns have types; `keys` are columns that are no raters."""
    source.rows(f"CREATE VIEW file AS {query}")
    types = {column: kind for column, kind, *_ in source.rows(f"DESCRIBE {query}")}
    require_few_columns(len(types), source.name)
    values = {column: _identifier(column) for column in types}
    texts = {column: as_text(values[column], kind) for column, kind in types.items()}
    not_raters = frozenset(column for column in types if column in keys or _INDEX_COLUMNS.fullmatch(column))
    source = replace(source, values=values, texts=texts, not_raters=not_raters)
    if not any(map(is_nested_type, types.values())):
        return source
    from kappamax.io.json_files import open_nested

    return open_nested(source, types, spec)


def _statistical(source: Source, path: Path, kind: str, encoding: str | None) -> Source:
    """Open a file of Stata, SPSS or SAS; the names of its variables may differ only in case."""
    from kappamax.io.statistical_files import read_statistical_file

    file = read_statistical_file(path, source.name, kind, encoding)
    require_few_columns(len(file.columns), source.name)
    cells = {name: f"c{i}" for i, name in enumerate(file.columns)}
    source.connection.register("variables", {cells[name]: values for name, values in file.columns.items()})
    source.rows("CREATE VIEW file AS SELECT * FROM variables")
    texts = {
        name: f"CAST({f'CAST({cells[name]} AS BIGINT)' if _are_whole(values) else cells[name]} AS VARCHAR)"
        for name, values in file.columns.items()
    }
    return replace(
        source,
        values=cells,
        texts=texts,
        declared=file.declared,
        labels=file.labels,
        descriptions=file.descriptions,
        notes=(*source.notes, *file.notes),
        notes_on=file.notes_on,
    )


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


def _are_whole(values: Array) -> bool:
    """Return whether all values are whole numbers or NaN, so that they are shown without a decimal point."""
    if values.dtype.kind != "f":
        return False
    numbers = values[~np.isnan(values)]
    return bool((np.abs(numbers) < EXACT_DOUBLES).all() and (numbers == np.floor(numbers)).all())


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
