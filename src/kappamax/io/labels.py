"""Turn raw values into labels, and labels into the codes of categories.

Labels are normalised only in this module. The same rating may be 1, 1.0, "1" or numpy.int64(1), depending on its
source; all of these are the same label. Missing values are None, NaN or text such as "NA"; they are never a category.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite, isnan
from typing import Any

import numpy as np

from kappamax._typing import Codes
from kappamax._validate_table import LARGEST_TOTAL, as_categories, require_labels_in_order
from kappamax.display.text import listing, plural
from kappamax.errors import InvalidRatingsError, InvalidTableError, KappamaxWarning, NotSupportedError
from kappamax.io.declared_categories import DeclaredCategories, found_categories, without
from kappamax.io.read_spec import ReadSpec
from kappamax.patterns import MISSING
from kappamax.table import Label

#: text that is read as a missing rating, with a warning, unless `categories` or `missing` names it
MISSING_TEXT = ("NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "None", "null", "NULL")
_MISSING = frozenset(("", *MISSING_TEXT))

#: function from a rater's position and a raw value to the place where it first occurs, such as ", line 7"
Locate = Callable[[int, Any], str]

_NUMBER_LABEL = re.compile(r"[+-]?(0|[1-9]\d{0,29})(\.\d{1,30})?")
_MOST_CATEGORIES = 2_000  # weights are a matrix of categories x categories


def label_of(value: Any, kept: frozenset[str] = frozenset()) -> Label | None:
    """Return a raw value as a label, or None if it is missing; text in `kept` is a label even if it looks missing."""
    if isinstance(value, str):
        bare = value.strip()
        if bare in _MISSING and bare not in kept:
            return None
        if not _NUMBER_LABEL.fullmatch(bare):
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
        raise InvalidRatingsError("labels must be text or numbers; got bytes. Decode them first, as in a.astype(str).")
    return str(value)


def as_count(cell: Any, place: Callable[[Any], str]) -> int:
    """Return a whole number, which may be given as text, as a count; `place` returns the place of a cell in errors."""
    written = "" if cell is None else str(cell).strip()
    whole, _, decimals = written.partition(".")
    if not (whole.isascii() and whole.isdigit() and len(whole) <= 30) or decimals.strip("0"):
        raise InvalidTableError(f"counts must be whole numbers >= 0; {place(cell)} is {written!r}.")
    count = int(whole)
    if count >= LARGEST_TOTAL:
        raise InvalidTableError(f"counts must be below 2^62; {place(cell)} is {written}.")
    return count


def as_named_categories(labels: Sequence[Any]) -> tuple[Label, ...]:
    """Return the categories that a caller names as normalised labels, in the same order."""
    require_labels_in_order(labels)
    categories = as_categories([_named_label(label) for label in labels])
    _require_few_categories(len(categories))
    return categories


def encode(
    columns: Sequence[Sequence[Hashable]],
    *,
    raters: Sequence[str],
    spec: ReadSpec,
    declared: Sequence[DeclaredCategories],
    locate: Locate | None = None,
) -> tuple[list[Codes], tuple[Label, ...], bool]:
    """Return for each rater the code of every raw value, the categories, and whether these are ordered.

    Parameters
    ----------
    columns : sequence of sequences
        Distinct raw values of each rater.
    raters : sequence of str
        Names of the raters, for messages.
    spec : ReadSpec
        If it names categories, any other rating raises an error.
    declared : sequence
        Categories that the column of each rater declares, or None.
    locate : callable, optional
        Function that returns the place where a raw value of a rater first occurs, for messages.
    """
    missing = frozenset(_named_label(label) for label in spec.missing)
    given = None if spec.categories is None else as_named_categories(spec.categories)
    both = next((label for label in given or () if label in missing), None)
    if both is not None:
        raise InvalidRatingsError(f"a label must not be both in categories and in missing; {both!r} is.")
    declared = [without(own, missing) for own in declared]
    kept = frozenset(label for named in (given, *declared) for label in named or () if isinstance(label, str))
    labels = [[_rating(value, kept, missing) for value in column] for column in columns]
    used = dict.fromkeys(label for column in labels for label in column if label is not None)
    if not used:
        raise InvalidRatingsError("there must be at least one rating; every value is missing.")
    texts = {value.strip() for column in columns for value in column if isinstance(value, str)} - kept - missing
    if read_as_missing := [text for text in MISSING_TEXT if text in texts]:
        read = "was read as a missing rating" if len(read_as_missing) == 1 else "were read as missing ratings"
        warnings.warn(
            f"{listing(read_as_missing)} {read}; list such text in categories=[...] if it is a category, or in "
            "missing=[...] to avoid this warning (on the command line --categories and --missing).",
            KappamaxWarning,
            stacklevel=2,
        )
    _require_few_categories(len(used))
    categories, ordered = (given, True) if given is not None else found_categories(used, declared)
    position: dict[Label | None, int] = {label: i for i, label in enumerate(categories)} | {None: MISSING}
    for i, column in enumerate(labels):
        for raw, label in zip(columns[i], column, strict=True):
            if label not in position:
                place = "" if locate is None else locate(i, raw)
                raise InvalidRatingsError(
                    f"rating {label!r} (rater {raters[i]!r}{place}) is not in categories {listing(categories)}."
                )
    return [np.array([position[label] for label in column], dtype=np.int32) for column in labels], categories, ordered


def warn_of_similar_labels(labels: Sequence[Label], n_ratings: Sequence[int]) -> None:
    """Warn of labels that occur in the ratings and that a reader would take for the same label."""
    by_look: dict[str, list[int]] = {}
    for i, label in enumerate(labels):
        if n_ratings[i]:
            by_look.setdefault(_look(label), []).append(i)
    twins = [same for same in by_look.values() if len(same) > 1]
    if twins:
        shown = " and ".join(f"{labels[i]!r} ({plural(n_ratings[i], 'rating')})" for i in twins[0])
        spelled = len({_bare(labels[i]) for i in twins[0]}) == 1
        why = "differ only in case or spaces" if spelled else "may mean the same"
        more = f" This holds for {len(twins) - 1} more groups of labels." if len(twins) > 1 else ""
        warnings.warn(f"labels {shown} {why}; they count as different categories.{more}", KappamaxWarning, stacklevel=2)


def _named_label(label: Any) -> Label:
    """Return a label that the caller names in normalised form, even if it looks like a missing value."""
    kept = frozenset({label.strip()} - {""}) if isinstance(label, str) else frozenset[str]()
    normal = label_of(label, kept)
    if normal is None:
        raise InvalidRatingsError(f"categories must be labels; {label!r} is a missing value.")
    return normal


def _rating(value: Any, kept: frozenset[str], missing: frozenset[Label]) -> Label | None:
    """Return a raw value as a label, or None if it is missing or a code that the caller gave for missing ratings."""
    label = label_of(value, kept)
    if not missing or label is None:
        return label
    return None if (label.strip() if isinstance(label, str) else label) in missing else label


def _require_few_categories(n_categories: int) -> None:
    if n_categories > _MOST_CATEGORIES:
        raise NotSupportedError(
            f"the ratings have {n_categories:,} different labels; a table holds up to {_MOST_CATEGORIES:,} categories."
        )


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _look(label: Label) -> str:
    """Return the form in which similar labels are equal: without case, extra spaces and leading zeros, 1 for True."""
    bare = _bare(label)
    number = bare.lstrip("0") or "0" if bare.isdigit() else bare
    return {"true": "1", "false": "0"}.get(number, number)


def _bare(label: Label) -> str:
    return " ".join(str(label).split()).casefold()
