"""Take a label out of a list that holds exactly one, and refuse sets of labels, spans and other structures.

Files and frames share these rules: the list ["a"] is the label "a", an empty list is a missing rating, and everything
else that is not a single label is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Final, NoReturn

import numpy as np

from kappamax.display.text import listing, plural, shortened
from kappamax.errors import Advice, InvalidRatingsError

#: sentence for errors that says what a rating may be
SUPPORTED = "A rating is one label: text, a number or a truth value, alone or as the only entry of a list."

_POSITIONS = (
    {"start", "end"},
    {"start_offset", "end_offset"},
    {"startOffset", "endOffset"},
    {"x", "y"},
    {"points"},
    {"bbox"},
    {"rle"},
)
_STRUCTURES = (Mapping, list, tuple, Set, np.ndarray)


class _NoLabel:
    """Type of `NO_LABEL`."""

    def __repr__(self) -> str:
        return "NO_LABEL"


#: result of `single_label` for a value that is not a single label
NO_LABEL: Final = _NoLabel()


def is_structured(value: Any) -> bool:
    """Return whether a value is a list, a tuple, a set, an array or an object with keys."""
    return isinstance(value, _STRUCTURES)


def is_structured_type(kind: type) -> bool:
    """Return whether the values of a type are lists, tuples, sets, arrays or objects with keys."""
    return issubclass(kind, _STRUCTURES)


def single_label(value: Any) -> Any:
    """Return the label that a value holds, None if it holds none, or `NO_LABEL` if it is not a single label.

    Examples
    --------
    >>> single_label("a"), single_label(["a"]), single_label([]), single_label(["a", "b"])
    ('a', 'a', None, NO_LABEL)
    """
    if not is_structured(value):
        return value
    if isinstance(value, Mapping | Set) or (isinstance(value, np.ndarray) and value.ndim != 1) or len(value) > 1:
        return NO_LABEL
    entry = next(iter(value), None)
    return NO_LABEL if is_structured(entry) else entry


def raise_structured(
    place: str, value: Any, *, fields: Mapping[str, Any] | None = None, advice: Sequence[Advice] = ()
) -> NoReturn:
    """Raise the error about a rating that is not a single label; `place` says where it is."""
    code, words = _described(value)
    raise InvalidRatingsError(
        f"a rating must be one label; {place} is {words}. {SUPPORTED}", code=code, fields=fields, advice=advice
    )


def _described(value: Any) -> tuple[str, str]:
    """Return the code of the error about a value, and a description of the value."""
    entries = list(value) if not isinstance(value, Mapping) else [value]
    if _is_span(value):
        return "spans-as-labels", f"a span, which has a position: {shortened(repr(value))}"
    if any(_is_span(entry) for entry in entries):
        return "spans-as-labels", f"a list of spans, which have positions: {shortened(repr(value))}"
    if isinstance(value, Mapping):
        return "object-as-label", f"an object with the keys {listing(value)}"
    if any(is_structured(entry) for entry in entries):
        return "list-of-lists-as-label", f"a list of lists or objects: {shortened(repr(value))}"
    noun = "set" if isinstance(value, Set) else "list"
    return "several-labels", f"a {noun} of {plural(len(entries), 'label')}: {listing(entries)}"


def _is_span(value: Any) -> bool:
    """Return whether a value has a position: an object with offsets or coordinates, or [start, end, label]."""
    if isinstance(value, Mapping):
        return any(keys <= value.keys() for keys in _POSITIONS)
    return (
        isinstance(value, list | tuple)
        and len(value) == 3
        and all(isinstance(part, int) and not isinstance(part, bool) for part in value[:2])
        and isinstance(value[2], str)
    )
