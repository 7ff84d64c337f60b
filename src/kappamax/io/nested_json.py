"""Find the places in nested JSON that may hold the labels, for errors about files that are not a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: usual names of keys that hold labels, the most usual first
LABEL_NAMES = (
    "label",
    "labels",
    "rating",
    "ratings",
    "choice",
    "choices",
    "category",
    "class",
    "code",
    "score",
    "grade",
    "annotation",
    "answer",
    "value",
    "response",
)
_DEEPEST = 12
_MOST_VALUES = 20_000
_MOST_PATHS = 500
_FEW_LABELS = 50


def label_paths(objects: Iterable[Mapping[str, Any]], start: str = "", most: int = 3) -> list[str]:
    """Return the paths below nested keys whose values look like labels, the most likely first.

    A path such as "annotations[].label" leads through objects and lists. Values look like labels if there are few
    different ones, or if the last key of the path is a usual name for a label.

    Examples
    --------
    >>> label_paths([{"id": 1, "by": [{"who": "anna", "label": "x"}, {"who": "ben", "label": "y"}]}])
    ['by[].label']
    """
    found: dict[str, list[Any]] = {}
    waiting: list[tuple[str, Any, int]] = [(start, one, 0) for one in objects][::-1]
    seen = 0
    while waiting and seen < _MOST_VALUES:
        path, value, depth = waiting.pop()
        seen += 1
        if isinstance(value, dict) and depth < _DEEPEST:
            waiting += [(f"{path}.{key}" if path else str(key), inner, depth + 1) for key, inner in value.items()]
        elif isinstance(value, list) and depth < _DEEPEST:
            waiting += [(f"{path}[]", inner, depth + 1) for inner in value]
        elif value is not None and depth > 1 and (path in found or len(found) < _MOST_PATHS):
            found.setdefault(path, []).append(value)
    likely = [path for path, values in found.items() if _looks_like_labels(path, values)]
    return sorted(likely, key=lambda path: (_name_rank(path), path.count(".") + path.count("[]"), path))[:most]


def _looks_like_labels(path: str, values: Sequence[Any]) -> bool:
    """Return whether the values of a path are few different short texts, numbers or truth values."""
    scalars = [value for value in values if isinstance(value, str | int | float)]
    if len(scalars) < len(values) or any(isinstance(value, str) and len(value) > 60 for value in scalars):
        return False
    few = len(set(map(str, scalars)))
    return few <= _FEW_LABELS and (few < len(scalars) or _name_rank(path) < len(LABEL_NAMES))


def _name_rank(path: str) -> int:
    """Return the position of the last key of a path among the usual names of labels."""
    last = path.replace("[]", "").rpartition(".")[2].lower()
    return LABEL_NAMES.index(last) if last in LABEL_NAMES else len(LABEL_NAMES)
