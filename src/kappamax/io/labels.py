"""Turn raw values into labels.

Labels are normalised only in this module. The same rating may be 1, 1.0, "1" or numpy.int64(1), depending on its
source; all of these are the same label. Missing values are None, NaN or text such as "NA"; they are never a category.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite, isnan
from string import ascii_lowercase
from typing import Any

import numpy as np

from kappamax._validate_table import LARGEST_TOTAL, as_categories, require_labels_in_order
from kappamax.errors import InvalidRatingsError, InvalidTableError, NotSupportedError
from kappamax.table import Label

#: text that is read as a missing rating, in any case, unless `categories` or `rename` names it
MISSING_SPELLINGS = (
    *("", "na", "n/a", "n.a.", "n.a", "#n/a", "<na>", "nan", "null", "missing", "(missing)", "<missing>"),
    *("(null)", "[null]", "<null>", "(blank)", "[blank]", "[missing]", "(empty)", "[empty]", "<none>", "(none)"),
    *("not rated", "unrated", "no rating", "not scored", "skipped", "(na)", "[na]"),
    *("fehlend", "manquant", "mancante", "faltante", "k.a.", "k. a.", "n. a.", "n/d", "s/d", "no data", "missing data"),
    *("keine angabe", "fehlt", "sin dato", "sin datos", "(leer)", "(vide)", "(vuoto)", "(en blanco)", "(vacío)"),
    *("нет данных", "欠損", "欠測", "缺失"),
    *(".", "-", "--", "---", "\u2013", "\u2014", "?", "??", "???", *(f".{letter}" for letter in ascii_lowercase)),
    *("#div/0!", "#ref!", "#value!", "#name?", "#null!", "#num!", "#calc!", "#spill!", "#nv", "#wert!", "#bezug!"),
)
MISSING_TEXT = frozenset(MISSING_SPELLINGS)

_NUMBER_LABEL = re.compile(r"[+-]?((0|[1-9]\d{0,29})(\.\d{0,30})?|\.\d{1,30})")
_SPACES = re.compile(r"[\s\u200b\u200c\u200d\u2060\ufeff]+")
_MOST_CATEGORIES = 2_000  # weights are a matrix of categories x categories


def clean_text(value: str) -> str:
    """Return text in composed form, without surrounding spaces and with single ordinary spaces inside."""
    if value.isascii() and value.isprintable() and " " not in value:  # the most frequent case
        return value
    return _SPACES.sub(" ", unicodedata.normalize("NFC", value)).strip()


def label_of(value: Any, kept: frozenset[str] = frozenset()) -> Label | None:
    """Return a raw value as a label, or None if it is missing; text in `kept` is a label even if it looks missing."""
    if isinstance(value, str):
        bare = clean_text(value)
        if bare not in kept and bare.lower() in MISSING_TEXT:
            return None
        if bare[:1] == "\u2212" and bare[1:2].isdigit():  # a minus sign
            bare = f"-{bare[1:]}"
        if not _NUMBER_LABEL.fullmatch(bare):
            return bare
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
    categories = as_categories([named_label(label) for label in labels])
    require_few_categories(len(categories))
    return categories


def named_label(label: Any) -> Label:
    """Return a label that the caller names in normalised form, even if it looks like a missing value."""
    kept = frozenset({clean_text(label)} - {""}) if isinstance(label, str) else frozenset[str]()
    normal = label_of(label, kept)
    if normal is None:
        raise InvalidRatingsError(f"categories must be labels; {label!r} is a missing value.")
    return normal


def require_few_categories(n_categories: int) -> None:
    """Require that there are not more categories than a table can have."""
    if n_categories > _MOST_CATEGORIES:
        raise NotSupportedError(
            f"the ratings have {n_categories:,} different labels; a table holds up to {_MOST_CATEGORIES:,} categories."
        )


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() else value
