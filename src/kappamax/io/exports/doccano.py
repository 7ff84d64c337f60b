"""Read exports of doccano, in which annotators are users, names, or one file each.

- Version 1 writes one file per member of a project, packed as a ZIP file, with `id`, `text` and the list `label`.
- Before, an object had a list of `annotations`, each with a `label` and a `user`.
- The first versions wrote one object per document and user, with `labels` and `username`.

The formats follow the repository doccano/doccano: backend/data_export, and its issues 46 and 113 for the older ones.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from kappamax.errors import UnreadableFileError
from kappamax.io.compression import damage_reported
from kappamax.io.exports.annotations import LABEL, SPANS, Annotation, Export, name_of, numbered
from kappamax.io.input_files import parquet_files
from kappamax.io.read_spec import ReadSpec

#: name of the tool
_SHARED = "all"  # name of the file of a project in which all annotators share their labels
TOOL = "doccano"

_TEXTS = ("text", "data", "filename")
_LABELS = ("label", "labels", "cats")
_NAMED_LABELS = ("labels", "entities", "sentences")
_RATERS = frozenset(
    ["username", "user", "user_id", "annotator", "annotator_id", "rater", "rater_id", "worker", "worker_id", "coder"]
)
_NOT_AN_ARCHIVE = frozenset({"[Content_Types].xml", "mimetype"})  # Excel and OpenDocument
_LARGEST = 100_000_000

#: sentence for errors that says how the files of several annotators are read together
TOGETHER = (
    "doccano exports one file per annotator: read the exported ZIP file, or the folder with all of these files, "
    "instead of a single one."
)


def is_doccano(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether objects are documents of doccano with their annotators."""
    return any(_annotations(one) and any(key in one for key in _TEXTS) for one in objects) or any(
        "username" in one and any(isinstance(one.get(key), list) for key in _NAMED_LABELS) for one in objects
    )


def is_one_annotator(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether objects are documents of doccano that do not name their annotator."""
    return all(
        any(key in one for key in _TEXTS)
        and any(isinstance(one.get(key), list) for key in _LABELS)
        and not any(str(key).lower() in _RATERS for key in one)
        for one in objects
    )


def is_flat_doccano(columns: Iterable[str]) -> bool:
    """Return whether columns are those of doccano's CSV."""
    return {"text", "label", "Comments"} <= set(columns)


def raise_one_annotator(name: str) -> NoReturn:
    """Raise the error about a file that holds the labels of one annotator."""
    raise UnreadableFileError(
        f"{name} has one label per text, and nothing in it says who gave a label. {TOGETHER}",
        code="no-annotator",
        fields={"tool": TOOL},
    )


def read_documents(documents: Iterable[Mapping[str, Any]], spec: ReadSpec) -> Export:
    """Return the annotations of documents that name their annotators."""
    export = Export(TOOL, task="document", rater_key="user", reading="the label", noun="list")
    for line, document in numbered(documents):
        subject = _first(document, ("id", "doc_id", *_TEXTS))
        key = next((key for key in _NAMED_LABELS if key in document), None)
        if key is not None or "username" in document:
            answer = None if key is None else document[key]
            kind = SPANS if key in ("entities", "sentences") or _has_spans(answer) else LABEL
            _add(export, subject, name_of(document.get("username")), f"line {line}", answer, kind)
            continue
        by_user: dict[str | None, list[Any]] = {}
        for annotation in _annotations(document):
            by_user.setdefault(name_of(annotation.get("user")), []).append(annotation)
        for user, given in by_user.items():
            spans = any("start_offset" in one for one in given)
            answers = given if spans else [one["label"] for one in given]
            _add(export, subject, user, f"document {subject}", answers, SPANS if spans else LABEL)
    return export


def annotator_files(path: Path, name: str) -> list[tuple[str, bytes]] | None:
    """Return the annotators' files in a folder or a ZIP file, or None if it holds other files.

    A folder with Parquet files and a spreadsheet, which is a ZIP file too, are left to their own readers.
    """
    if path.is_dir():
        if parquet_files(path):
            return None
        sizes = {file: file.stat().st_size for file in sorted(path.iterdir()) if _is_annotators(file)}
        _require_small(sum(sizes.values()), name)
        if len(sizes) == 1 and next(iter(sizes)).stem != _SHARED:
            return None
        return _if_doccano([(file.stem, file.read_bytes()) for file in sizes])
    if not zipfile.is_zipfile(path):
        return None
    with damage_reported(name), zipfile.ZipFile(path) as archive:
        entries = [info for info in archive.infolist() if _is_annotators(Path(info.filename))]
        if len(entries) == 1 and Path(entries[0].filename).stem != _SHARED:
            return None
        if not entries or not _NOT_AN_ARCHIVE.isdisjoint(archive.namelist()):
            return None
        _require_small(sum(info.file_size for info in entries), name)
        return _if_doccano([(Path(info.filename).stem, archive.read(info)) for info in entries])


def _if_doccano(files: list[tuple[str, bytes]]) -> list[tuple[str, bytes]] | None:
    """Return files if the first line of one names a text and a label, as doccano writes them; otherwise None."""
    starts = [content.lstrip().partition(b"\n")[0].lower() for _, content in files]
    return files if any(b"text" in start and b"label" in start for start in starts) else None


def read_files(files: Sequence[tuple[str, bytes]], name: str) -> Export:
    """Return the annotations of one file per annotator, each given by the annotator's name and its content."""
    export = Export(TOOL, task="document", reading="the label", noun="list")
    if [annotator for annotator, _ in files] == [_SHARED]:
        raise UnreadableFileError(
            f"{name} is a doccano export of a project in which all annotators share their labels, so nothing says who "
            "gave a label. Agreement needs a project without shared labels.",
            code="no-annotator",
            fields={"tool": TOOL},
        )
    whole = [(annotator, _parsed(content, f"{name}: {annotator}")) for annotator, content in files]
    ids = all("id" in document for _, documents in whole for document in documents)
    for annotator, documents in whole:
        if not is_one_annotator(documents):
            raise UnreadableFileError(
                f"{name}: a folder or a ZIP file must hold Parquet files, or one file per annotator as doccano exports "
                f"them, with the keys text and label; the file of {annotator!r} is different."
            )
        for line, document in numbered(documents):
            key = next(key for key in _LABELS if key in document)
            kind = SPANS if _has_spans(document[key]) else LABEL
            subject = _first(document, ("id",) if ids else _TEXTS)
            _add(export, subject, annotator, f"line {line} of {annotator}", document[key], kind)
    export.notes.append("Each file holds the labels of one annotator, whose name is the name of the file.")
    return export


def _is_annotators(file: Path) -> bool:
    return file.suffix.lower() in {".jsonl", ".json", ".csv"} and file.name[0] not in "._"


def _require_small(size: int, name: str) -> None:
    if size > _LARGEST:
        raise UnreadableFileError(
            f"{name}: the files of all annotators together can have at most {_LARGEST // 1_000_000} MB; they have "
            f"{size // 1_000_000:,} MB.",
            code="json-too-large",
        )


def _parsed(content: bytes, place: str) -> list[dict[str, Any]]:
    """Return the documents in a file: one object per line, an array of objects, or CSV."""
    try:
        text = content.decode("utf-8-sig")
        if text.lstrip()[:1] == "[":
            documents = json.loads(text)
        elif text.lstrip()[:1] == "{":
            documents = [json.loads(line) for line in text.splitlines() if line.strip()]
        else:
            rows = csv.DictReader(io.StringIO(text))
            documents = [
                {**row, "label": (row.get("label") or "").split("#") if row.get("label") else []} for row in rows
            ]
    except (ValueError, RecursionError, csv.Error) as error:
        raise UnreadableFileError(f"{place} cannot be read: {str(error).splitlines()[0]}.") from None
    if not documents or not all(isinstance(document, dict) for document in documents):
        raise UnreadableFileError(f"{place} must contain documents with text and label; it contains none.")
    return list(documents)


def _annotations(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the annotations of a document that have a label and a user."""
    found = document.get("annotations")
    listed = found if isinstance(found, list) else []
    return [one for one in listed if isinstance(one, dict) and "label" in one and "user" in one]


def _add(export: Export, subject: str | None, rater: str | None, place: str, answer: Any, kind: str) -> None:
    """Add an annotation; labels that are spans in one document are spans in all."""
    control = "label"
    if export.controls.get(control) != SPANS:
        export.controls[control] = kind
    export.annotations.append(Annotation(subject, rater, place, ((control, answer),)))


def _has_spans(answer: Any) -> bool:
    return isinstance(answer, list) and any(isinstance(entry, list | dict) for entry in answer)


def _first(document: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    """Return the first of some values that a document has, as text."""
    return next((name for key in keys if (name := name_of(document.get(key))) is not None), None)
