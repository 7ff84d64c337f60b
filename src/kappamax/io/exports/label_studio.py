"""Read exports of Label Studio: JSON with all tasks, JSON-MIN, and CSV or TSV.

In JSON an object is a task with a list of annotations, and an annotation has one result per control and region. In
JSON-MIN and CSV a row is an annotation, and the answers to the controls are columns beside the columns of the task's
data. Only the answers differ between the annotators of a task, which tells them from the data.

The formats follow https://labelstud.io/guide/export.html and the converter of label-studio-sdk.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kappamax.display.text import listing
from kappamax.errors import InvalidRatingsError
from kappamax.io.exports.annotations import (
    LABEL,
    SPANS,
    TEXT,
    Annotation,
    Export,
    choices,
    left_out,
    name_of,
    numbered,
)
from kappamax.io.read_spec import ReadSpec

#: columns of JSON-MIN and CSV that are neither data of the task nor answers
OWN_COLUMNS = frozenset(
    ["id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement", "history"]
)

_ANSWER_KEYS = {
    "choices": "choices",
    "rating": "rating",
    "number": "number",
    "pairwise": "selected",
    "taxonomy": "taxonomy",
}
_TOOL = "Label Studio"


def is_label_studio(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether objects are tasks of Label Studio: one has an annotation, or all have data and annotations."""
    return all(
        isinstance(task.get("data"), dict) and isinstance(task.get("annotations"), list) for task in objects
    ) or any(
        isinstance(annotation, dict) and isinstance(annotation.get("result"), list)
        for task in objects
        for annotation in _listed(task, "annotations", "completions")
    )


def is_flat_label_studio(columns: Iterable[str]) -> bool:
    """Return whether columns are those of JSON-MIN or CSV."""
    return {"id", "annotator", "annotation_id", "lead_time"} <= set(columns)


def read_tasks(tasks: Iterable[Mapping[str, Any]], spec: ReadSpec) -> Export:
    """Return the annotations of tasks in Label Studio's JSON."""
    export = Export(_TOOL, rater_key="completed_by")
    seen: set[tuple[str, Any]] = set()
    n_skipped = n_predictions = n_drafts = n_empty = n_truths = 0
    for position, task in numbered(tasks):
        subject = name_of(task.get("id")) or f"number {position}"
        annotations = [one for one in _listed(task, "annotations", "completions") if isinstance(one, dict)]
        n_predictions += len(_listed(task, "predictions"))
        n_drafts += len(_listed(task, "drafts"))
        n_empty += not annotations
        for annotation in annotations:
            own = name_of(annotation.get("id"))
            if own is not None and (subject, own) in seen:  # some versions write a task once for every annotation
                continue
            seen.add((subject, own))
            if annotation.get("was_cancelled") or annotation.get("skipped"):
                n_skipped += 1
                continue
            n_truths += bool(annotation.get("ground_truth"))
            place = f"task {subject}" if own is None else f"annotation {own} of task {subject}"
            answers = tuple(_answers(annotation.get("result"), export.controls))
            export.annotations.append(Annotation(subject, _annotator(annotation), place, answers))
    export.notes += [
        *left_out(n_skipped, "skipped annotation", ""),
        *left_out(n_predictions, "prediction", ", since only annotations count as ratings"),
        *left_out(n_drafts, "draft", ""),
        *left_out(
            n_empty, "task", " because no one annotated it" if n_empty == 1 else " because no one annotated them"
        ),
    ]
    if n_truths:
        export.notes.append(f"{n_truths:,} of the annotations are marked as ground truth; they count like the others.")
    return export


class FlatColumn(NamedTuple):
    """A column of JSON-MIN or CSV that may be data of the tasks or the answers to a control.

    Attributes
    ----------
    name : str
        Name of the column.
    n_within : int
        Largest number of different values that one task has.
    n_distinct, n_given : int
        Number of different values, and number of rows with a value.
    """

    name: str
    n_within: int
    n_distinct: int
    n_given: int


def flat_controls(columns: Sequence[FlatColumn], n_tasks: int) -> list[str]:
    """Return the columns of JSON-MIN or CSV that are answers to controls.

    Answers are the columns in which the annotators of a task differ, except for free text, which never repeats. If they
    differ in none, it is the only column that has fewer values than there are tasks.
    """
    repeated = [column for column in columns if column.n_distinct < column.n_given or column.n_given < 3]
    differing = [column.name for column in repeated if column.n_within > 1]
    if differing:
        return differing
    few = [column.name for column in repeated if 0 < column.n_distinct < n_tasks]
    if len(few) == 1:
        return few
    names = [column.name for column in columns]
    raise InvalidRatingsError(
        "the annotators of this Label Studio export agree in every column, so the control cannot be told from the data "
        f"of the tasks; the columns are {listing(names)}. Choose the control.",
        code="several-controls",
        fields={"tool": _TOOL, "columns": names},
        advice=choices(reversed(few or names)),
    )


def read_rows(rows: Iterable[Sequence[str | None]], controls: Sequence[str]) -> Export:
    """Return the annotations in rows of JSON-MIN or CSV: id, annotator, annotation_id and the answers to controls."""
    export = Export(_TOOL)
    cache: dict[str, tuple[str, Any]] = {}
    n_empty = 0
    for position, (task, annotator, own, *answers) in numbered(rows):
        if not own and not annotator:
            n_empty += 1
            continue
        given = []
        for control, text in zip(controls, answers, strict=True):
            if text is None or not text.strip():
                continue
            if text not in cache:
                cache[text] = _parsed(text)
            kind, answer = cache[text]
            given.append((control, answer))
            export.controls[control] = _worse(export.controls.get(control), kind)
        place = f"annotation {own} of task {task}" if own else f"row {position}"
        export.annotations.append(Annotation(name_of(task), name_of(annotator), place, tuple(given)))
    why = " because no one annotated it" if n_empty == 1 else " because no one annotated them"
    export.notes += left_out(n_empty, "task", why)
    return export


def _listed(task: Mapping[str, Any], *keys: str) -> list[Any]:
    """Return the list under the first of some keys that holds one."""
    for key in keys:
        value = task.get(key)
        if isinstance(value, list):
            return value
    return []


def _annotator(annotation: Mapping[str, Any]) -> str | None:
    """Return the annotator: the e-mail address or the number of a user."""
    user = annotation.get("completed_by")
    if isinstance(user, dict):
        return name_of(user.get("email")) or name_of(user.get("id"))
    return name_of(user)


def _answers(results: Any, controls: dict[str, str]) -> Iterable[tuple[str, Any]]:
    """Yield the controls and answers in the results of an annotation, and record what the answers are."""
    for result in results if isinstance(results, list) else []:
        if not isinstance(result, dict) or not isinstance(result.get("from_name"), str):
            continue  # a relation between regions
        control, value, kind = result["from_name"], result.get("value"), result.get("type")
        key = _ANSWER_KEYS.get(kind) if isinstance(kind, str) else None
        if kind == "textarea":
            controls[control] = _worse(controls.get(control), TEXT)
            yield control, value.get("text") if isinstance(value, dict) else value
        elif key is None or not isinstance(value, dict) or set(value) != {key} or "item_index" in result:
            controls[control] = _worse(controls.get(control), SPANS)
            yield control, value
        else:
            controls[control] = _worse(controls.get(control), LABEL)
            yield control, _paths(value[key])


def _paths(answer: Any) -> Any:
    """Return an answer whose nested choices, which are lists from the topmost choice down, are texts."""
    if not isinstance(answer, list):
        return answer
    if len(answer) == 1 and isinstance(answer[0], str):
        return answer[0]
    return [
        " / ".join(entry)
        if isinstance(entry, list) and entry and all(isinstance(part, str) for part in entry)
        else entry
        for entry in answer
    ]


def _parsed(text: str) -> tuple[str, Any]:
    """Return what the text of an answer in JSON-MIN or CSV is, and the answer.

    One choice is plain text; several choices are {"choices": [...]}, and the answers to other controls are lists such
    as [{"rating": 4}].
    """
    if text.lstrip()[:1] not in ("[", "{"):
        return LABEL, text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return LABEL, text
    answers = value if isinstance(value, list) else [value]
    found = []
    for answer in answers:
        if not isinstance(answer, dict):
            found.append(answer)
        elif len(answer) == 1 and next(iter(answer)) in _ANSWER_KEYS.values():
            (inner,) = answer.values()
            paths = _paths(inner)
            found += paths if isinstance(paths, list) else [paths]
        else:
            return SPANS, value
    return LABEL, found


def _worse(before: str | None, kind: str) -> str:
    """Return what a control's answers are if some are of one kind and some of another."""
    return kind if before in (None, LABEL) else before if kind == LABEL or before == SPANS else kind
