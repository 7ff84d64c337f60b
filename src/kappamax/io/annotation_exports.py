"""Recognise the exports of annotation tools, and turn them into rows with a subject, a rater and a rating.

The keys of the first objects of a JSON file, or the columns of a text file, say which tool wrote it. The modules of
`io.exports` describe what each tool writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kappamax.errors import Advice, InvalidOptionError, InvalidRatingsError
from kappamax.io.exports import argilla, doccano, label_studio, prodigy
from kappamax.io.exports.annotations import Export, Rating, ratings_of
from kappamax.io.read_spec import ReadSpec, as_column
from kappamax.io.structured_labels import is_structured

if TYPE_CHECKING:
    from kappamax.io.file_formats import Source

Objects = Iterable[Mapping[str, Any]]

#: names of the tools whose exports are recognised, for messages
TOOLS = "Label Studio, Prodigy, doccano and Argilla"

_FORMATS: list[tuple[str, Callable[[Sequence[Mapping[str, Any]]], bool], Callable[[Objects, ReadSpec], Export]]] = [
    ("Label Studio", label_studio.is_label_studio, label_studio.read_tasks),
    ("Prodigy", prodigy.is_prodigy, prodigy.read_tasks),
    ("doccano", doccano.is_doccano, doccano.read_documents),
    ("Argilla", argilla.is_argilla, argilla.read_records),
]
_COLUMNS = ("subject", "rater", "rating")


def export_reader(early: Sequence[Mapping[str, Any]], spec: ReadSpec, name: str) -> Callable[[Objects], Export] | None:
    """Return the function that reads the export whose first objects are given, or None if they are not an export.

    Prodigy's tasks are also a table with one column per key, which is read if the caller chooses its layout or columns.
    """
    if not early:
        return None
    found = next(((tool, read) for tool, fits, read in _FORMATS if fits(early)), None)
    if found is None:
        return None
    tool, read = found
    if spec.layout not in (None, "long") and not any(is_structured(value) for one in early for value in one.values()):
        return None
    _require_long(tool, spec, name)
    return lambda objects: read(objects, spec)


def source_of_export(source: Source, export: Export, spec: ReadSpec) -> Source:
    """Return an open file with the rows of an export: a subject, a rater and a rating."""
    ratings, notes = ratings_of(export, spec, source.name)
    return _source_of_ratings(source, ratings, notes, spec)


def open_annotator_files(source: Source, path: Path, spec: ReadSpec) -> Source | None:
    """Return the rows of a folder or a ZIP file with one file per annotator, or None if it holds other files."""
    files = doccano.annotator_files(path, source.name)
    if files is None:
        return None
    _require_long(doccano.TOOL, spec, source.name)
    return source_of_export(source, doccano.read_files(files, source.name), spec)


def flat_export(source: Source, spec: ReadSpec) -> Source | None:
    """Return the rows of an export that has one row per annotation, or None if the columns are not those of one."""
    columns = source.columns
    if doccano.is_flat_doccano(columns) and spec.raters is None and spec.layout is None:
        doccano.raise_one_annotator(source.name)
    chosen = spec.subject is not None or spec.rater is not None or spec.layout not in (None, "long")
    if chosen or not label_studio.is_flat_label_studio(columns):
        return None
    _require_long("Label Studio", spec, source.name)
    others = [column for column in columns if column not in label_studio.OWN_COLUMNS]
    named = [] if spec.rating is None else [as_column("rating", spec.rating, others)]
    controls = named or _flat_controls(source, others)
    read = [source.texts[column] for column in ("id", "annotator", "annotation_id", *controls)]
    export = label_studio.read_rows(source.rows(f"SELECT {', '.join(read)} FROM file"), controls)
    data = [column for column in others if column not in controls]
    if data and not named:
        which = ", ".join(repr(column) for column in data)
        export.notes.append(f"Columns taken for data of the tasks or free text, and left out: {which}.")
    return source_of_export(source, export, spec)


def _require_long(tool: str, spec: ReadSpec, name: str) -> None:
    """Require that the caller does not ask for a layout or columns that an export does not have."""
    if spec.layout not in (None, "long"):
        raise InvalidOptionError(
            f"layout must be long for the {tool} export {name}; got {spec.layout!r}.",
            code="layout-of-export",
            advice=[Advice({"layout": "long"})],
        )
    if tool != "Prodigy" and (spec.subject is not None or spec.rater is not None):
        raise InvalidOptionError(
            f"subject and rater cannot be chosen for the {tool} export {name}; they are its tasks and annotators.",
            code="columns-of-export",
        )
    if spec.cluster is not None:
        raise InvalidOptionError(
            f"cluster cannot be given for the {tool} export {name}, of which only tasks, annotators and labels are "
            "read. Write them to a table with a column of clusters first.",
            code="columns-of-export",
        )


def _flat_controls(source: Source, columns: Sequence[str]) -> list[str]:
    """Return the columns with the answers to controls, by how their values vary within tasks."""
    if not columns:
        return []
    task = source.texts["id"]
    texts = [f"nullif(trim({source.texts[column]}), '')" for column in columns]
    within = ", ".join(f"count(DISTINCT coalesce({text}, '')) AS w{i}" for i, text in enumerate(texts))
    largest = ", ".join(f"max(w{i})" for i in range(len(texts)))
    counts = ", ".join(f"count(DISTINCT {text}), count({text})" for text in texts)
    ((n_tasks, *most),) = source.rows(
        f"SELECT count(*), {largest} FROM (SELECT {within} FROM file WHERE {source.texts['annotation_id']} <> '' "
        f"GROUP BY {task})"
    )
    ((n_annotators, *numbers),) = source.rows(f"SELECT count(DISTINCT {source.texts['annotator']}), {counts} FROM file")
    if n_annotators < 2:
        raise InvalidRatingsError(
            f"agreement needs at least two raters; the Label Studio export {source.name} has {n_annotators}.",
            code="too-few-raters",
        )
    return label_studio.flat_controls(
        [
            label_studio.FlatColumn(column, most[i] or 0, numbers[2 * i], numbers[2 * i + 1])
            for i, column in enumerate(columns)
        ],
        n_tasks,
    )


def _source_of_ratings(source: Source, ratings: Sequence[Rating], notes: Sequence[str], spec: ReadSpec) -> Source:
    """Return an open file whose view `file` has the given ratings.

    A column that the caller names has that name, so that the name is found among the columns.
    """
    asked = (spec.subject, spec.rater, spec.rating)
    names = [own or usual for own, usual in zip(asked, _COLUMNS, strict=True)]
    cells = {
        f"c{i}": np.array([_text(value) for value in column], dtype=object)
        for i, column in enumerate(zip(*ratings, strict=True))
    }
    source.connection.register("export_cells", cells)
    source.rows(
        "CREATE TABLE export_rows AS SELECT c0::VARCHAR AS c0, c1::VARCHAR AS c1, c2::VARCHAR AS c2 FROM export_cells"
    )
    source.connection.unregister("export_cells")
    source.rows("CREATE OR REPLACE VIEW file AS SELECT * FROM export_rows")
    columns = dict(zip(names, cells, strict=False))
    return replace(
        source,
        values=columns,
        texts=columns,
        unit="annotation",
        first=1,
        not_raters=frozenset(),
        line="row_number() OVER ()",
        layout="long",
        notes=(*source.notes, *notes),
    )


def _text(value: Any) -> str | None:
    """Return a name or a label as text that can be stored as UTF-8; numbers are written like labels."""
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
