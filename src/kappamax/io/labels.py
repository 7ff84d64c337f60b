"""Raw values in, labels and categories out; the only place where labels are normalised.

The same rating arrives as 1, 1.0, "1" or numpy.int64(1) depending on the route; it is one label. Missing values
arrive as None, NaN or text such as "NA"; they are never a category.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite, isnan
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._checks import ratings as checks
from kappamax._checks import tables
from kappamax.patterns import MISSING
from kappamax.table import Label

__all__ = ["MISSING_TEXT", "Levels", "Locate", "encode", "label_of"]

#: text read as a missing rating, with a notice, unless `categories` names it; empty text is missing without one
MISSING_TEXT = ("NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "None", "null", "NULL")
_MISSING = frozenset(("", *MISSING_TEXT))

#: from a rater's position and a raw value to where it first occurs: ", line 7"
Locate = Callable[[int, Any], str]

#: the categories a column declares itself (an ordered categorical), or None
Levels = tuple[Label, ...] | None

_NUMBER = re.compile(r"[+-]?(0|[1-9]\d{0,29})(\.\d{1,30})?")


def label_of(value: Any, kept: frozenset[str] = frozenset()) -> Label | None:
    """One raw value as a label, or None if it is missing.

    Parameters
    ----------
    value
        Anything a column may hold.
    kept : set of str
        Text that stays a label even if it looks like a missing value.
    """
    if isinstance(value, str):
        bare = value.strip()
        if bare in _MISSING and bare not in kept:
            return None
        if not _NUMBER.fullmatch(bare):
            return value
        return _number(float(bare)) if "." in bare else int(bare)
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating | Decimal | Fraction):
        return None if isnan(value) else _number(float(value)) if isfinite(value) else str(float(value))
    if isinstance(value, bytes | bytearray):
        checks.refuse_bytes()
    return str(value)


def encode(
    columns: Sequence[Sequence[Hashable]],
    *,
    raters: Sequence[str],
    categories: Sequence[Any] | None,
    levels: Sequence[Levels],
    missing: Sequence[Any] = (),
    locate: Locate | None = None,
) -> tuple[list[npt.NDArray[np.int32]], tuple[Label, ...], bool]:
    """For each rater the code of every distinct raw value; the categories; and whether their order means something.

    Parameters
    ----------
    columns : for each rater, its distinct raw values
    categories : labels in order, optional
        Given by the caller: then any other rating is an error.
    levels : for each rater, the categories its column declares, or None
    missing : labels that stand for a missing rating
    locate : from a rater's position and a raw value to where it first occurs, for messages
    """
    codes_of_missing = frozenset(_given_label(label) for label in missing)
    given = None
    if categories is not None:
        given = tables.categories([_given_label(label) for label in tables.label_sequence(categories)])
        checks.no_missing_category(given, codes_of_missing)
    levels = [declared and tuple(level for level in declared if level not in codes_of_missing) for declared in levels]
    kept = frozenset(label for source in (given, *levels) for label in source or () if isinstance(label, str))
    labels = [[_rating(value, kept, codes_of_missing) for value in column] for column in columns]
    used = dict.fromkeys(label for column in labels for label in column if label is not None)
    if not used:
        checks.no_rating()
    texts = {value.strip() for column in columns for value in column if isinstance(value, str)}
    checks.say_missing([text for text in MISSING_TEXT if text in texts - kept - codes_of_missing])
    checks.few_categories(max(len(used), len(given or ())))
    chosen, ordered = (given, True) if given is not None else _categories(used, levels)
    position = {label: i for i, label in enumerate(chosen)}
    codes = []
    for i, (rater, column) in enumerate(zip(raters, labels, strict=True)):
        stranger = next((at for at, label in enumerate(column) if label is not None and label not in position), None)
        if stranger is not None:
            place = "" if locate is None else locate(i, columns[i][stranger])
            checks.known_label(column[stranger], chosen, f"rater {rater!r}{place}")
        codes.append(np.array([MISSING if v is None else position[v] for v in column], dtype=np.int32))
    return codes, chosen, ordered


def _categories(used: Iterable[Label], levels: Sequence[Levels]) -> tuple[tuple[Label, ...], bool]:
    """Declared levels if there are any, else numbers in order, else text without an order."""
    declared = dict.fromkeys(level for level in levels if level is not None)
    if len(declared) > 1:
        checks.one_order([list(level) for level in declared])
    if declared:
        return next(iter(declared)), True
    numbers = sorted(label for label in used if not isinstance(label, str))
    words = sorted(label for label in used if isinstance(label, str))
    return (*numbers, *words), not words


def _given_label(label: Any) -> Label:
    """A category named by the caller: normalised, and a category even if it reads like a missing value."""
    kept = frozenset({label.strip()} - {""}) if isinstance(label, str) else frozenset[str]()
    normal = label_of(label, kept)
    return checks.missing_category(label) if normal is None else normal


def _rating(value: Any, kept: frozenset[str], missing: frozenset[Label]) -> Label | None:
    """One raw value as a label, or None if it is missing, by its nature or because the caller said so."""
    label = label_of(value, kept)
    if not missing or label is None:
        return label
    return None if (label.strip() if isinstance(label, str) else label) in missing else label


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() else value
