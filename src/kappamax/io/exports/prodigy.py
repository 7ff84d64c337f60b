"""Read exports of Prodigy, which have one annotated task per line.

A choice task has a list `accept` of the options that were chosen. A binary task has a label, which the annotator
accepts or rejects. In both, `ignore` is a missing rating. Agreement is measured on tasks with the same `_input_hash`,
as in Prodigy's own metrics (https://prodi.gy/docs/metrics).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kappamax.display.text import listing, plural
from kappamax.errors import InvalidRatingsError
from kappamax.io.exports.annotations import LABEL, SPANS, Annotation, Export, choices, name_of, numbered
from kappamax.io.read_spec import ReadSpec

_SESSION_TIME = re.compile(r"\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}")
_OTHER = "other annotations"
_ANSWERS = frozenset({"accept", "reject", "ignore"})
_HASHES = ("_input_hash", "_task_hash")
_ANNOTATORS = ("_annotator_id", "_session_id")
_BINARY_INTERFACES = frozenset(["classification", "ner", "spans", "text", "html", "image", "audio", "video", "diff"])


def is_prodigy(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether objects are tasks that were annotated in Prodigy."""
    answered = sum(_is_answered(task) and any(key in task for key in (*_HASHES, *_ANNOTATORS)) for task in objects)
    return answered > len(objects) / 2


def read_tasks(tasks: Iterable[Mapping[str, Any]], spec: ReadSpec) -> Export:
    """Return the annotations of Prodigy's tasks.

    The controls are "accept" for choice tasks, and the labels of binary tasks, or "answer" if they have no label.
    """
    export = Export("Prodigy", noun="label", rater_key="_annotator_id or _session_id", asks_all=False)
    n_ignored = n_rejected = 0
    others: dict[str, None] = {}
    for line, task in numbered(tasks):
        answer = task.get("answer")
        keys: Sequence[str] = _HASHES
        raw: Any = answer if answer in ("accept", "reject") else None
        if spec.rating != "answer" and ("accept" in task or "options" in task):
            control, raw = "accept", task.get("accept") if answer == "accept" else None
            n_rejected += answer == "reject"
        elif spec.rating == "answer" or _is_binary(task):
            control = "answer" if spec.rating == "answer" else name_of(task.get("label")) or "answer"
            keys = _HASHES[::-1] if "spans" in task and control == "answer" else _HASHES
        else:
            control, raw = _OTHER, None
            others[str(task.get("_view_id", "spans"))] = None
        n_ignored += answer == "ignore"
        export.controls[control] = SPANS if control == _OTHER else LABEL
        who = _first(task, _ANNOTATORS if spec.rater is None else (spec.rater,))
        subject = _first(task, (*keys, "text") if spec.subject is None else (spec.subject,))
        export.annotations.append(Annotation(subject, who, f"line {line}", ((control, raw),)))
    if _OTHER in export.controls and "accept" not in export.controls:
        raise InvalidRatingsError(
            f"the annotations of this Prodigy export are not single labels; they were made with {listing(others)}. "
            "Supported are choice tasks with one option and binary tasks.",
            code="spans-as-labels",
            fields={"tool": "Prodigy", "interfaces": list(others)},
            advice=choices(
                ["answer"], condition=lambda _: "if the annotators accepted or rejected what they were shown"
            ),
        )
    chosen = spec.rating or next((control for control, kind in export.controls.items() if kind == LABEL), "")
    if chosen == "accept":
        export.reading = "the chosen option"
    else:
        export.reading = "the answer accept or reject" + ("" if chosen == "answer" else " for the label {}")
    if any(_SESSION_TIME.fullmatch(one.rater or "") for one in export.annotations):
        export.notes.append("Some annotators are sessions without a name, which have the time of their start instead.")
    for number, answer in ((n_ignored, "ignore"), (n_rejected, "reject")):
        if number:
            which = "choice task" if answer == "reject" else "annotation"
            verb = "counts as a missing rating" if number == 1 else "count as missing ratings"
            export.notes.append(f"{plural(number, which)} with the answer {answer} {verb}.")
    return export


def _is_answered(task: Mapping[str, Any]) -> bool:
    answer = task.get("answer")
    return isinstance(answer, str) and answer in _ANSWERS


def _is_binary(task: Mapping[str, Any]) -> bool:
    """Return whether the annotator only accepted or rejected what the task shows."""
    if isinstance(task.get("_is_binary"), bool):
        return bool(task["_is_binary"])
    if "_view_id" in task:
        return task["_view_id"] in _BINARY_INTERFACES
    return "spans" not in task or isinstance(task.get("label"), str)


def _first(task: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    """Return the first of some values that a task has, as text."""
    return next((name for key in keys if (name := name_of(task.get(key))) is not None), None)
