"""Open JSON: one object per line, an array of objects, or one object that holds a table.

DuckDB reads the objects of large files one by one. An export of an annotation tool is turned into one row per
annotation; other objects are rows whose keys are the columns.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, cast

from kappamax.display.text import listing
from kappamax.errors import InvalidRatingsError, UnreadableFileError
from kappamax.io.annotation_exports import TOOLS, export_reader, flat_export, source_of_export
from kappamax.io.exports import doccano
from kappamax.io.file_formats import Source, as_text, is_nested_type, path_pattern, sql_list
from kappamax.io.input_limits import MOST_KEYS, require_few_columns
from kappamax.io.json_tables import table_of_object
from kappamax.io.nested_json import label_paths
from kappamax.io.read_spec import ReadSpec
from kappamax.io.structured_columns import StructuredColumn, labels_of_raters, names_ratings, without_structured
from kappamax.io.structured_labels import is_structured, raise_structured
from kappamax.io.temporary_files import bytes_as_file
from kappamax.io.text_files import checked_compression

_GZIP = b"\x1f\x8b"
_START = 1 << 16
_EARLY = 1000  # the keys of the first objects keep their order, and keys that first occur later are sorted
_TRIED = 200  # number of objects by which an export is recognised
_BATCH = 10_000
_LARGEST_DOCUMENT = 100_000_000
_ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


def is_json(path: Path) -> bool:
    """Return whether a file begins like JSON: with an object, or with an array of objects, arrays or texts."""
    with _opened(path) as file:
        try:
            start = file.read(_START)
        except (OSError, EOFError, zlib.error):
            return False  # a damaged compressed file, about which the text reader raises an error
    encoding = _encoding(start)
    text = start.decode(encoding or "utf-8", "replace")
    return re.match(r'\s*(\{\s*["}]|\[\s*[\[{"\]])', text) is not None


def open_json(stack: ExitStack, source: Source, path: Path, spec: ReadSpec) -> Source:
    """Open a JSON file; a key that an object lacks is a missing value."""
    checked_compression(path, source.name)
    with _opened(path) as file:
        start = file.read(_START)
    encoding = _encoding(start)
    if encoding is not None:
        path = stack.enter_context(bytes_as_file(_decoded(_whole(path, source.name), encoding, source.name).encode()))
    text = start.decode(encoding or "utf-8", "replace").lstrip()
    nested_in = ""
    if text.startswith("["):
        _require_objects(text, source.name)
        form = "array"
        source = replace(source, unit="row")
    elif _is_lines(path):
        form = "newline_delimited"
        source = replace(source, unit="line")
    elif (document := _document(path, source.name)) is None:
        form = "unstructured"
        source = replace(source, unit="row")
    else:
        form = "newline_delimited"
        table = table_of_object(document, spec, source.name)
        lines = b"".join(json.dumps(row).encode() + b"\n" for row in table.rows)
        path = stack.enter_context(bytes_as_file(lines))
        source = replace(source, unit="row", notes=(*source.notes, *table.notes))
        nested_in = table.path
    return _open_objects(source, path, form, spec, nested_in)


def _open_objects(source: Source, path: Path, form: str, spec: ReadSpec, nested_in: str) -> Source:
    """Open a file of JSON objects as an export, or as rows."""
    source.rows(
        f"CREATE VIEW file AS SELECT json FROM read_json_objects({path_pattern(path)}, format = '{form}', "
        f"compression = '{'gzip' if _is_gzip(path) else 'uncompressed'}', hive_partitioning = false)",
    )
    exported, early = _open_export(source, "SELECT json::VARCHAR FROM file", spec)
    return exported or _open_rows(source, spec, early, nested_in)


def open_nested(source: Source, kinds: Mapping[str, str], spec: ReadSpec) -> Source:
    """Return an open file of typed columns, some of which hold lists or objects, as an export or as rows.

    `kinds` gives the DuckDB type of each column.
    """
    exported, early = _open_export(source, "SELECT to_json(file)::VARCHAR FROM file", spec)
    if exported is not None:
        return exported
    values, texts, lists, structured = dict(source.values), dict(source.texts), [], []
    for column in filter(lambda column: is_nested_type(kinds[column]), kinds):
        value, inner = source.values[column], kinds[column].rpartition("[")[0]
        single = kinds[column].endswith("]") and not is_nested_type(inner)
        longer = f"len({value}) > 1" if single else f"{value} IS NOT NULL"
        found = source.rows(f"SELECT to_json({value})::VARCHAR FROM file WHERE {longer} LIMIT 1")
        if found:
            structured.append(StructuredColumn(column, _parsed(found[0][0], source.name)))
        elif single:
            values[column] = f"{value}[1]"
            texts[column] = as_text(values[column], inner)
            lists.append(column)
    source = replace(source, values=values, texts=texts)
    return _without_structures(source, spec, early, lists, structured)


def _open_export(source: Source, query: str, spec: ReadSpec) -> tuple[Source | None, list[Mapping[str, Any]]]:
    """Return the rows of a file whose objects are an export, or None, and the first objects of the file."""
    early = [_parsed(text, source.name) for (text,) in source.rows(f"{query} LIMIT {_TRIED}")]
    objects: list[Mapping[str, Any]] = [one for one in early if isinstance(one, dict)]
    read = export_reader(objects, spec, source.name) if len(objects) == len(early) else None
    if read is None:
        return None, objects
    return source_of_export(source, read(_all_objects(source, query)), spec), objects


def _open_rows(source: Source, spec: ReadSpec, early: Sequence[Mapping[str, Any]], nested_in: str) -> Source:
    """Open objects as rows whose keys are the columns."""
    ((n_others, n_doubles, n_deep),) = source.rows(
        "SELECT count(*) FILTER (json_type(json) <> 'OBJECT'), "
        "count(*) FILTER (len(json_keys(json)) > len(list_distinct(json_keys(json)))), "
        r"count(*) FILTER (regexp_matches(json::VARCHAR, '^.[^\[{]*[\[{]')) FROM file"
    )
    ((n_keys,),) = source.rows("SELECT count(DISTINCT key) FROM (SELECT unnest(json_keys(json)) AS key FROM file)")
    require_few_columns(n_keys, source.name, most=MOST_KEYS)
    first = source.rows(f"SELECT unnest(json_keys(json)) FROM (FROM file LIMIT {_EARLY})")
    every = source.rows("SELECT DISTINCT unnest(json_keys(json)) AS key FROM file ORDER BY key")
    if n_doubles:
        raise UnreadableFileError(
            f"{source.name}: the keys of a JSON object must differ; {n_doubles:,} objects have a key twice."
        )
    if n_others:
        raise UnreadableFileError(f"{source.name}: every line must be a JSON object; {n_others:,} lines are not.")
    keys = list(dict.fromkeys(key for (key,) in [*first, *every]))
    if not keys:
        raise UnreadableFileError(f"{source.name}: the JSON objects have no keys.")
    source = replace(source, values={key: _value(key) for key in keys})
    source = replace(source, texts={key: _label(value) for key, value in source.values.items()})
    exported = flat_export(source, spec)
    if exported is not None:
        return exported
    if n_deep:
        source = _open_structures(source, spec, early, nested_in)
    return replace(source, values=source.texts)


def _open_structures(source: Source, spec: ReadSpec, early: Sequence[Mapping[str, Any]], nested_in: str) -> Source:
    """Return objects as rows with labels in place of lists of one label, and without other lists and objects."""
    tests = ", ".join(
        f"count(*) FILTER (json_type({value}) = 'ARRAY'), count(*) FILTER ({_is_structure(value)})"
        for value in source.values.values()
    )
    (numbers,) = source.rows(f"SELECT {tests} FROM file")
    texts, lists, structured = dict(source.texts), [], []
    for i, (key, value) in enumerate(source.values.items()):
        n_lists, n_structured = numbers[2 * i : 2 * i + 2]
        if n_structured:
            found = source.rows(f"SELECT ({value})::VARCHAR FROM file WHERE {_is_structure(value)} LIMIT 1")
            structured.append(StructuredColumn(key, _parsed(found[0][0], source.name)))
        elif n_lists:
            texts[key] = f"CASE json_type({value}) WHEN 'ARRAY' THEN {_label(_entry(value))} ELSE {texts[key]} END"
            lists.append(key)
    return _without_structures(replace(source, texts=texts), spec, early, lists, structured, nested_in)


def _without_structures(
    source: Source,
    spec: ReadSpec,
    early: Sequence[Mapping[str, Any]],
    lists: Sequence[str],
    structured: Sequence[StructuredColumn],
    nested_in: str = "",
) -> Source:
    """Return an open file with a note about columns of lists of one label, and without structured columns."""
    if doccano.is_one_annotator(early) and not names_ratings(spec):
        others = {*lists, *(column.name for column in structured)}
        plain = {key: text for key, text in source.texts.items() if key not in others}
        if not labels_of_raters(source, plain):
            doccano.raise_one_annotator(source.name)
    if lists:
        note = f"Lists of one label were read as that label: {listing(lists)}."
        source = replace(source, notes=(*source.notes, note))
    if not structured:
        return source
    return without_structured(source, structured, spec, lambda: _raise_nested(source, structured, early, nested_in))


def _raise_nested(
    source: Source, structured: Sequence[StructuredColumn], early: Sequence[Mapping[str, Any]], nested_in: str
) -> None:
    """Raise the error about nested JSON that is not an export of a known tool."""
    for column in structured if all(_is_list_of_labels(column.example) for column in structured) else ():
        raise_structured(
            f"an entry of {column.name!r} in {source.name}", column.example, fields={"column": column.name}
        )
    keys = [column.name for column in structured]
    paths = label_paths(early, nested_in)
    maybe = f"; labels may be at {', '.join(paths)}" if paths else ""
    raise InvalidRatingsError(
        f"{source.name}: the values of {', '.join(f'{nested_in}.{key}'.lstrip('.') for key in keys[:5])} are lists or "
        f"objects{maybe}. Supported are one object per subject or per rating whose values are labels, and exports of "
        f"{TOOLS}.",
        code="nested-json",
        fields={"keys": keys, "paths": paths},
    )


def _is_list_of_labels(value: Any) -> bool:
    return isinstance(value, list) and not any(is_structured(entry) for entry in value)


def _all_objects(source: Source, query: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a file, a batch at a time."""
    cursor = source.connection.cursor()
    try:
        cursor.execute(query)
        while batch := cursor.fetchmany(_BATCH):
            for (text,) in batch:
                one = _parsed(text, source.name)
                if not isinstance(one, dict):
                    raise UnreadableFileError(f"{source.name}: every line must be a JSON object; {text[:40]} is not.")
                yield one
    finally:
        cursor.close()


def _value(key: str) -> str:
    """Return the SQL expression of the value of a key; unlike the name of a column, a pointer is case-sensitive."""
    return f"json_extract(json, {sql_list(['/' + key.replace('~', '~0').replace('/', '~1')])})"


def _is_structure(value: str) -> str:
    """Return the SQL test for a JSON value that is neither a label nor a list of at most one label."""
    return (
        f"coalesce(json_type({value}) = 'OBJECT' OR json_array_length({value}) > 1 "
        f"OR json_type({value}, '$[0]') IN ('ARRAY', 'OBJECT'), false)"
    )


def _entry(value: str) -> str:
    return f"json_extract({value}, '$[0]')"


def _label(value: str) -> str:
    """Return the SQL expression of a JSON value as the text of a label."""
    truth = f"CASE {value}::VARCHAR WHEN 'true' THEN 'True' ELSE 'False' END"
    return f"CASE json_type({value}) WHEN 'BOOLEAN' THEN {truth} ELSE {value} ->> '$' END"


def _require_objects(text: str, name: str) -> None:
    """Require that an array holds objects, given the beginning of the file."""
    inside = text[1:].lstrip()
    if inside.startswith("]"):
        raise UnreadableFileError(f"{name} is an empty JSON array.")
    if not inside.startswith("{"):
        kind = "a list of lists that hold further lists or objects" if inside.startswith("[") else "a list of texts"
        raise UnreadableFileError(
            f"{name} is {kind}. Write a list of objects, one per subject, such as "
            '[{"anna": "x", "ben": "y"}], or one list per rater, such as {"anna": ["x"], "ben": ["y"]}.',
            code="list-of-lists",
        )


def _is_lines(path: Path) -> bool:
    """Return whether the first line of a file is an object and is followed by another one."""
    with _opened(path) as file:
        first = b""
        while not first.strip():
            first = file.readline(_LARGEST_DOCUMENT)
            if not first:
                return False
        try:
            json.loads(first)
        except (ValueError, RecursionError):
            return False
        return any(chunk.strip() for chunk in iter(lambda: file.read(_START), b""))


def _whole(path: Path, name: str) -> bytes:
    """Return the content of a file that is read as one JSON document."""
    with _opened(path) as file:
        content = file.read(_LARGEST_DOCUMENT + 1)
    if len(content) > _LARGEST_DOCUMENT:
        raise UnreadableFileError(
            f"{name}: a single JSON object can have at most {_LARGEST_DOCUMENT // 1_000_000} MB. Write one object per "
            "line or an array of objects for more.",
            code="json-too-large",
        )
    return content


def _document(path: Path, name: str) -> Mapping[str, Any] | None:
    """Return the object that a file consists of, or None if further objects follow it."""
    text = _decoded(_whole(path, name), "utf-8", name)
    try:
        decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: _object(pairs, name))
        found, end = decoder.raw_decode(text, len(text) - len(text.lstrip()))
    except RecursionError:
        raise UnreadableFileError(f"{name}: the JSON objects are nested too deeply.") from None
    except json.JSONDecodeError as error:
        raise UnreadableFileError(f"{name} is not valid JSON: {error}.") from None
    return cast(Mapping[str, Any], found) if not text[end:].strip() else None


def _object(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    """Return an object of a JSON document, whose keys must differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        key = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise UnreadableFileError(f"{name}: the keys of a JSON object must differ; {key!r} occurs twice.")
    return found


def _parsed(text: str, name: str) -> Any:
    """Return the value of a JSON text."""
    try:
        return json.loads(text)
    except RecursionError:
        raise UnreadableFileError(f"{name}: the JSON objects are nested too deeply.") from None
    except ValueError as error:
        raise UnreadableFileError(f"{name} is not valid JSON: {error}.") from None


def _decoded(content: bytes, encoding: str, name: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UnreadableFileError(f"{name} is not {encoding} text: line {line} cannot be decoded.") from None


def _encoding(start: bytes) -> str | None:
    """Return the encoding that a byte order mark indicates, or None if there is no mark."""
    return next((encoding for mark, encoding in _ENCODINGS.items() if start.startswith(mark)), None)


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if _is_gzip(path) else path.open("rb")


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == _GZIP
