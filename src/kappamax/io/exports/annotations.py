"""Hold the annotations of an export, and turn those of one control into ratings.

Every tool has tasks, annotators and one or more controls, which are the questions that annotators answer. The modules
of the tools collect raw answers. This module chooses the control, takes the labels out of the answers, and finds
annotators who annotated a task twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from kappamax._validate import did_you_mean
from kappamax.display.text import listing, plural
from kappamax.errors import Advice, InvalidOptionError, InvalidRatingsError, UnreadableFileError
from kappamax.io.read_spec import ReadSpec
from kappamax.io.structured_labels import NO_LABEL, raise_structured, single_label

#: what the answers to a control are
LABEL, SPANS, TEXT = "labels", "spans or regions", "free text"


class Annotation(NamedTuple):
    """The answers of one annotator to the controls of one task.

    Attributes
    ----------
    subject, rater : str or None
        Names of the task and of the annotator; None if the file does not give them.
    place : str
        Words for the place of the annotation in the file, for messages.
    answers : tuple of pairs
        Control and raw answer.
    """

    subject: str | None
    rater: str | None
    place: str
    answers: tuple[tuple[str, Any], ...]


class Rating(NamedTuple):
    """One label that an annotator gave to a task, or None if it is missing."""

    subject: str
    rater: str
    label: Any


@dataclass
class Export:
    """The annotations in the export of a tool.

    Attributes
    ----------
    tool : str
        Name of the tool.
    annotations : list of Annotation
        Annotations in the order of the file.
    controls : dict
        What the answers to each control are: `LABEL`, `SPANS` or `TEXT`, by the name of the control.
    noun : str
        Word for a control in messages.
    task : str
        Word for a subject in messages.
    rater_key : str
        Key that names the annotator, for messages.
    reading : str
        Words for what is read; a pair of braces stands for the name of the control.
    asks_all : bool
        Whether every annotation is asked for every control, so that an answer it does not have is a missing rating.
    notes : list of str
        Sentences about what was recognised or left out.
    """

    tool: str
    annotations: list[Annotation] = field(default_factory=list)
    controls: dict[str, str] = field(default_factory=dict)
    noun: str = "control"
    task: str = "task"
    rater_key: str = "annotator"
    reading: str = "the label of the control {}"
    asks_all: bool = True
    notes: list[str] = field(default_factory=list)


def ratings_of(export: Export, spec: ReadSpec, name: str, *, noun: str = "file") -> tuple[list[Rating], list[str]]:
    """Return the ratings of the control that the caller names, or of the only one, and notes about them.

    `name` and `noun` say in messages and notes what the export is.
    """
    control = _chosen_control(export, spec, name)
    nameless = sum(one.subject is None or one.rater is None for one in export.annotations)
    if nameless:
        raise UnreadableFileError(
            f"{name}: every annotation must name its annotator; {nameless:,} of {len(export.annotations):,} "
            f"annotations in this {export.tool} export have no {export.rater_key}.",
            code="no-annotator",
            fields={"tool": export.tool},
        )
    found: dict[tuple[str, str], tuple[Any, str]] = {}
    n_equal = 0
    for subject, rater, place, answers in export.annotations:
        if not export.asks_all and all(answered != control for answered, _ in answers):
            continue
        assert subject is not None
        assert rater is not None
        label = _label(export, control, answers, place)
        before = found.get((subject, rater))
        if before is not None and before[0] is not None and label is not None:
            if before[0] != label and (spec.raters is None or rater in spec.raters):
                raise _rated_twice(export, (subject, rater), before, (label, place))
            n_equal += 1
        elif before is None or label is not None:
            found[subject, rater] = (label, place)
    if not found:
        raise UnreadableFileError(f"{name}: this {export.tool} export has no annotations.", code="no-annotations")
    ratings = [Rating(subject, rater, label) for (subject, rater), (label, _) in found.items()]
    return ratings, [*_summary(export, control, ratings, noun), *export.notes, *_repeated(n_equal)]


def choices(
    options: Iterable[str], argument: str = "rating", condition: Callable[[str], str] | None = None
) -> list[Advice]:
    """Return one piece of advice for each option that a caller can choose."""
    return [Advice({argument: option}, "" if condition is None else condition(option)) for option in options]


def numbered(objects: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Return objects with their positions in the file, counted from one."""
    return zip(count(1), objects, strict=False)


def name_of(value: Any) -> str | None:
    """Return a task's or an annotator's identifier as text, or None if there is none."""
    if value is None or isinstance(value, list | dict) or (isinstance(value, float) and value != value):
        return None
    return str(value).strip() or None


def left_out(number: int, noun: str, why: str) -> list[str]:
    """Return the note about annotations that are left out, if there are any."""
    return [f"{plural(number, noun)} {'was' if number == 1 else 'were'} left out{why}."] if number else []


def _chosen_control(export: Export, spec: ReadSpec, name: str) -> str:
    """Return the control whose answers are the ratings."""
    labels = [control for control, kind in export.controls.items() if kind == LABEL]
    fields = {"tool": export.tool, "controls": dict(export.controls)}
    if spec.rating is not None:
        if spec.rating not in export.controls:
            raise InvalidOptionError(
                f"rating must be a {export.noun} of the {export.tool} export {name}, {listing(export.controls)}; "
                f"got {spec.rating!r}.{did_you_mean(spec.rating, list(export.controls))}",
                code="unknown-control",
                fields=fields,
                advice=choices(reversed(labels)),
            )
        return spec.rating
    if len(labels) > 1:
        raise InvalidRatingsError(
            f"{name} is {_with_article(export.tool)} export with {len(labels)} {export.noun}s: {listing(labels)}. "
            "Choose the one whose labels are to be compared.",
            code="several-controls",
            fields=fields,
            advice=choices(reversed(labels)),
        )
    if labels:
        return labels[0]
    if not export.controls:
        raise UnreadableFileError(f"{name}: this {export.tool} export has no annotations.", code="no-annotations")
    kinds = " and ".join(f"{kind} ({export.noun} {control!r})" for control, kind in export.controls.items())
    raise InvalidRatingsError(
        f"{name} is {_with_article(export.tool)} export whose annotations are {kinds}. Supported are {export.noun}s "
        f"with one label per {export.task}.",
        code="spans-as-labels" if SPANS in export.controls.values() else "text-as-labels",
        fields=fields,
    )


def _label(export: Export, control: str, answers: tuple[tuple[str, Any], ...], place: str) -> Any:
    """Return the label in the answer to a control, or None if the control was not answered."""
    given = [answer for answered, answer in answers if answered == control]
    if not given:
        return None
    value = given[0] if len(given) == 1 else given
    label = single_label(value)
    if label is NO_LABEL:
        others = [other for other, kind in export.controls.items() if kind == LABEL and other != control]
        raise_structured(
            f"the {export.noun} {control!r} of {place}",
            value,
            fields={"tool": export.tool, "control": control},
            advice=choices(others),
        )
    return label


def _rated_twice(
    export: Export, pair: tuple[str, str], first: tuple[Any, str], second: tuple[Any, str]
) -> InvalidRatingsError:
    """Return the error about an annotator who gave a task two different labels."""
    subject, rater = pair
    others = list(dict.fromkeys(one.rater for one in export.annotations if one.rater not in (rater, None)))
    return InvalidRatingsError(
        f"a rater must rate a subject only once; {rater!r} annotated {export.task} {subject!r} twice: {first[0]!r} in "
        f"{first[1]} and {second[0]!r} in {second[1]}. Delete one of them in {export.tool} and export again.",
        code="rated-twice",
        fields={"subject": subject, "rater": rater},
        advice=[Advice({"raters": others}, f"to leave out {rater!r}")] if 2 <= len(others) <= 20 else (),
    )


def _with_article(tool: str) -> str:
    return f"{'an' if tool[0] in 'AEIOU' else 'a'} {tool}"


def _summary(export: Export, control: str, ratings: list[Rating], noun: str) -> list[str]:
    """Return the notes about what the file is and what was read."""
    n_tasks, n_raters = (len({rating[i] for rating in ratings}) for i in (0, 1))
    others: Mapping[str, str] = {other: kind for other, kind in export.controls.items() if other != control}
    notes = [
        f"The {noun} is {_with_article(export.tool)} export: {plural(n_tasks, export.task)}, "
        f"{plural(n_raters, 'annotator')}; {export.reading.format(repr(control))} was read."
    ]
    if others:
        verb = "was" if len(others) == 1 else "were"
        names = ", ".join(f"{other!r} ({kind})" for other, kind in others.items())
        notes.append(f"The {export.noun}{'' if len(others) == 1 else 's'} {names} {verb} left out.")
    n_missing = sum(rating.label is None for rating in ratings)
    if n_missing:
        notes.append(
            f"{plural(n_missing, 'annotation')} without a label: missing {'rating' if n_missing == 1 else 'ratings'}."
        )
    return notes


def _repeated(n_equal: int) -> list[str]:
    """Return the note about annotations that repeat a label of the same annotator for the same task."""
    if not n_equal:
        return []
    verb = "repeats" if n_equal == 1 else "repeat"
    return [f"{plural(n_equal, 'annotation')} that {verb} the annotator's label for the same task counted once."]
