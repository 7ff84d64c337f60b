"""Decide what happens to columns of a file that hold lists or objects instead of labels.

Such a column is left out with a note if it is clear that the ratings are in other columns. It is refused if the caller
names it, if it shares labels with the ratings, or if no other columns look like ratings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from kappamax.display.text import listing
from kappamax.io.nested_json import LABEL_NAMES
from kappamax.io.read_spec import ReadSpec
from kappamax.io.structured_labels import is_structured, raise_structured

if TYPE_CHECKING:
    from kappamax.io.file_formats import Source

_MOST_LABELS = 50
_ROWS_TRIED = 1000


class StructuredColumn(NamedTuple):
    """A column with a value that is not a single label, and the first such value."""

    name: str
    example: Any


def without_structured(
    source: Source, columns: Sequence[StructuredColumn], spec: ReadSpec, refuse: Callable[[], None]
) -> Source:
    """Return an open file without columns of lists and objects, or raise an error if they may hold the ratings.

    Parameters
    ----------
    source : Source
        Open file.
    columns : sequence of StructuredColumn
        Columns that hold lists or objects.
    spec : ReadSpec
        Arguments of the caller, which may name columns.
    refuse : callable
        Function that raises the error about a file whose ratings seem to be in such columns.
    """
    structured = {column.name: column.example for column in columns}
    roles = (spec.rating, spec.rater, spec.subject, spec.count, spec.cluster)
    asked = [*(spec.raters or () if spec.layout != "long" else ()), *roles]
    for name in asked:
        if name in structured:
            raise_structured(f"an entry of column {name!r}", structured[name], fields={"column": name})
    kept = {name: text for name, text in source.texts.items() if name not in structured}
    if not names_ratings(spec):
        labels = labels_of_raters(source, kept)
        if not labels and not _has_labels(source, kept):
            refuse()
        if any(_entries(example) & labels and _varies(source, name) for name, example in structured.items()):
            refuse()
    which = listing(structured)
    note = f"Left out, since a label is neither a list nor an object: {which}."
    values = {name: value for name, value in source.values.items() if name in kept}
    return replace(source, values=values, texts=kept, notes=(*source.notes, note))


def names_ratings(spec: ReadSpec) -> bool:
    """Return whether the caller names the columns of the ratings."""
    return spec.rating is not None or (spec.raters is not None and spec.layout != "long")


def labels_of_raters(source: Source, texts: Mapping[str, str]) -> set[str]:
    """Return the labels of columns that look like raters because they share a label, or an empty set.

    `texts` gives the SQL expressions of the columns.
    """
    few = [values for values in _values_of(source, texts).values() if len(values) <= _MOST_LABELS]
    return {
        label
        for i, column in enumerate(few)
        for j, other in enumerate(few)
        if i != j and column & other
        for label in column | other
    }


def _has_labels(source: Source, texts: Mapping[str, str]) -> bool:
    """Return whether a column with a usual name for labels has few different values, as in a long table."""
    named = {name: text for name, text in texts.items() if name.lower() in LABEL_NAMES}
    return any(len(values) <= _MOST_LABELS for values in _values_of(source, named).values())


def _values_of(source: Source, texts: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the different values of columns in the first rows, without columns that are empty."""
    if not texts:
        return {}
    rows = source.rows(f"SELECT {', '.join(texts.values())} FROM file LIMIT {_ROWS_TRIED}")
    columns = ({value for value in column if value is not None} for column in zip(*rows, strict=True))
    return {name: values for name, values in zip(texts, columns, strict=False) if values}


def _varies(source: Source, name: str) -> bool:
    """Return whether a column has different values; the options of a question, for instance, are always the same."""
    ((number,),) = source.rows(f"SELECT count(DISTINCT {source.texts[name]}) FROM file")
    return bool(number > 1)


def _entries(value: Any) -> set[str]:
    """Return the labels in a list or an object, at any depth."""
    found, waiting = set(), [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += one.values()
        elif is_structured(one):
            waiting += list(one)
        elif one is not None:
            found.add(str(one))
    return found
