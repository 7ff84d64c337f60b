"""Read records of Argilla that were written to JSON, in the formats of versions 1 and 2.

- Version 2 (`dataset.records.to_json`): `responses` has a list of `{"value", "user_id"}` for every question.
- Version 2, flattened (`to_list(flatten=True)` and `to_datasets`): `label.responses`, `label.responses.users` and
  `label.responses.status` are lists of the same length.
- Version 1: `responses` is a list of `{"user_id", "status", "values": {"label": {"value": ...}}}`; written by
  `format_as("datasets")`, every question is a key with a list of `{"user_id", "value", "status"}`.

Only submitted responses are ratings. The formats follow argilla/src/argilla/records and argilla-v1 in the repository
argilla-io/argilla.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kappamax.io.exports.annotations import LABEL, SPANS, Annotation, Export, left_out, name_of, numbered
from kappamax.io.read_spec import ReadSpec
from kappamax.io.structured_labels import is_structured

_FLAT, _USERS, _STATUS = ".responses", ".responses.users", ".responses.status"


class _Response(NamedTuple):
    """The answer of one user to one question."""

    question: str
    user: Any
    value: Any
    status: Any


def is_argilla(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether objects are records of Argilla: one has a response, or all have fields and responses."""
    named = all(
        isinstance(one.get("fields"), dict) and isinstance(one.get("responses"), dict | list) for one in objects
    )
    return named or any(next(_responses(record), None) is not None for record in objects)


def read_records(records: Iterable[Mapping[str, Any]], spec: ReadSpec) -> Export:
    """Return the submitted responses of records."""
    export = Export(
        "Argilla", noun="question", task="record", rater_key="user_id", reading="the response to the question {}"
    )
    statuses: Counter[str] = Counter()
    n_unknown = n_suggested = n_empty = 0
    for position, record in numbered(records):
        subject = next(
            (name for key in ("id", "external_id") if (name := name_of(record.get(key))) is not None),
            f"number {position}",
        )
        by_user: dict[str | None, list[tuple[str, Any]]] = {}
        n_suggested += any(
            value and (key == "suggestions" or key.endswith(("-suggestion", ".suggestion")))
            for key, value in record.items()
        )
        for response in _responses(record):
            status = getattr(response.status, "lower", str)() if response.status is not None else None
            n_unknown += status is None
            if status not in (None, "submitted"):
                statuses[str(status)] += 1
                continue
            kind = SPANS if _has_spans(response.value) else LABEL
            if export.controls.get(response.question) != SPANS:
                export.controls[response.question] = kind
            by_user.setdefault(name_of(response.user), []).append((response.question, response.value))
        n_empty += not by_user
        for user, answers in by_user.items():
            place = f"the response of {user} to record {subject}"
            export.annotations.append(Annotation(subject, user, place, tuple(answers)))
    for status, number in statuses.items():
        export.notes += left_out(number, "response", f" because {'its' if number == 1 else 'their'} status is {status}")
    if n_unknown:
        export.notes.append("The file does not give the status of the responses; all of them were read.")
    if n_suggested:
        export.notes.append("Suggestions were left out, since only responses count as ratings.")
    export.notes += left_out(n_empty, "record", " because no submitted response was found")
    return export


def _responses(record: Mapping[str, Any]) -> Iterator[_Response]:
    """Yield the responses of a record in any of the formats."""
    responses = record.get("responses")
    if isinstance(responses, dict):
        for question, given in responses.items():
            yield from _listed(question, given)
    elif isinstance(responses, list):
        for one in responses:
            values = one.get("values") if isinstance(one, dict) else None
            for question, value in values.items() if isinstance(values, dict) and "user_id" in one else ():
                answer = value.get("value") if isinstance(value, dict) else value
                yield _Response(question, one["user_id"], answer, one.get("status"))
    else:
        for key, given in record.items():
            users = record.get(f"{key}.users")
            if key.endswith(_FLAT) and isinstance(given, list) and isinstance(users, list):
                question = key.removesuffix(_FLAT)
                status = record.get(question + _STATUS)
                known = status if isinstance(status, list) and len(status) == len(given) else [None] * len(given)
                for user, value, one in zip(users, given, known, strict=False):
                    yield _Response(question, user, value, one)
            else:
                yield from _listed(key, given, needed=("user_id", "value", "status"))


def _listed(question: str, given: Any, needed: Sequence[str] = ("user_id", "value")) -> Iterator[_Response]:
    """Yield the responses in a list of objects with a user and a value."""
    for one in given if isinstance(given, list) else ():
        if isinstance(one, dict) and all(key in one for key in needed):
            yield _Response(question, one["user_id"], one["value"], one.get("status"))


def _has_spans(value: Any) -> bool:
    """Return whether a response consists of spans or of a ranking, which are objects."""
    return isinstance(value, dict) or (is_structured(value) and any(isinstance(entry, dict) for entry in value))
