"""Open Arrow files, among them Feather files, and Arrow streams by pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from kappamax.errors import UnreadableFileError
from kappamax.io.frame_columns import kept_label
from kappamax.table import Label


class ArrowFile(NamedTuple):
    """The content of an Arrow file.

    Attributes
    ----------
    rows : pyarrow.dataset.Dataset or pyarrow.Table
        Rows in a form that DuckDB can query.
    declared : dict
        Categories of ordered dictionaries, by the name of the column.
    """

    rows: Any
    declared: dict[str, tuple[Label, ...]]


def read_arrow_file(path: Path, name: str, kind: str) -> ArrowFile:
    """Return the content of an Arrow file, which is read when it is queried, or of a stream, which is read at once."""
    try:
        import pyarrow
        from pyarrow import dataset, feather, ipc
    except ImportError:
        raise UnreadableFileError(
            'Arrow and Feather files need the extra arrow. Run pip install "kappamax[arrow]", or save the data as CSV '
            "UTF-8 or Parquet.",
            code="extra-needed",
        ) from None
    try:
        if kind == "Feather 1":
            return ArrowFile(_sound(feather.read_table(str(path))), {})
        if kind == "Arrow stream":
            with pyarrow.OSFile(str(path)) as file:
                table = _sound(ipc.open_stream(file).read_all())
            chunks = {field.name: table[field.name].unify_dictionaries().chunks for field in _ordered(table.schema)}
            return ArrowFile(table, {column: _labels(found[0]) for column, found in chunks.items() if found})
        declared = {}
        with pyarrow.OSFile(str(path)) as file:  # reading a mapped file that shrinks would end the process
            whole = ipc.open_file(file)
            schema = whole.schema
            for number in range(whole.num_record_batches):
                _sound(whole.get_batch(number))
            for field in _ordered(schema):
                only = ipc.IpcReadOptions(included_fields=[schema.get_field_index(field.name)])
                reader = ipc.open_file(file, options=only)
                if reader.num_record_batches:  # the first one has the whole dictionary, since a file has one per column
                    declared[field.name] = _labels(reader.get_batch(0).column(0))
        return ArrowFile(dataset.dataset(str(path), format="ipc"), declared)
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise UnreadableFileError(f"{name} cannot be read as an Arrow file: {reason}.", code="damaged-file") from None


def _sound(rows: Any) -> Any:
    """Return a table or batch after checking it; offsets that point beyond the file would end the process in DuckDB."""
    rows.validate(full=True)
    return rows


def _ordered(schema: Any) -> list[Any]:
    """Return the fields of a schema that are ordered dictionaries."""
    return [field for field in schema if getattr(field.type, "ordered", False)]


def _labels(column: Any) -> tuple[Label, ...]:
    return tuple(map(kept_label, column.dictionary.to_pylist()))
