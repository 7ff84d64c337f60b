"""Check the arguments that several public functions share.

A function `as_...` returns the checked value, `require_...` returns nothing, and `raise_...` always raises. Rules that
apply to only one or two functions are checked at the top of these functions.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher, get_close_matches
from fractions import Fraction
from math import isfinite
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from kappamax._typing import Array
from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError, NotSupportedError

if TYPE_CHECKING:
    import numpy as np


#: parts of names that mean opposites; the square of a distance begins with sq but not with sqrt
_OPPOSITES = (("one", "two"), ("min", "max"), ("sqrt", "sq"))
_NEGATIONS = ("un", "non", "dis", "in")
_LARGEST_DOUBLE = sys.float_info.max


def as_choice(argument: str, value: object, allowed: Collection[str]) -> str:
    """Return one of the allowed names in lower case; the error for a misspelt name suggests the closest one."""
    if isinstance(value, str) and value.lower() in allowed:
        return value.lower()
    hint = did_you_mean(str(value).lower(), allowed)
    raise InvalidOptionError(f"{argument} must be one of {listing(allowed, most=20)}; got {value!r}.{hint}")


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return a sentence that suggests the known name closest to a misspelt one, or an empty string.

    Nothing is suggested if the closest name means the opposite.
    """
    near = get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" Did you mean {near[0]!r}?" if near and not _opposed(name, near[0]) else ""


def _opposed(name: str, known: str) -> bool:
    """Return whether two similar names differ in a part that reverses the meaning, as in weighted and unweighted."""
    for pair in _OPPOSITES:
        meant, offered = (next((part for part in pair if part in text), None) for text in (name, known))
        if meant is not None and offered is not None and meant != offered:
            return True
    for negation in _NEGATIONS:
        if name.startswith(negation) != known.startswith(negation):
            bare, whole = name.removeprefix(negation), known.removeprefix(negation)
            if _similarity(bare, whole) > _similarity(name, known):
                return True
    return False


def _similarity(first: str, second: str) -> float:
    return SequenceMatcher(None, first, second).ratio()


def as_list_of_names(argument: str, text: str) -> list[str]:
    """Return the names in a comma-separated list; a name that contains a comma is quoted."""
    try:
        return [part.strip() for part in next(csv.reader([text], skipinitialspace=True, strict=True))]
    except (csv.Error, StopIteration) as error:
        raise InvalidOptionError(
            f"{argument} must be a comma-separated list, as in a,b,c; {error or 'it is empty'}."
        ) from None


def as_number_between(argument: str, value: float, low: float, high: float) -> float:
    """Return a number strictly between two bounds."""
    if not is_number(value) or not low < value < high:
        raise InvalidOptionError(f"{argument} must lie between {low:g} and {high:g}; got {value!r}.")
    return float(value)


MOST_DRAWS = 1_000_000_000  # random tables of one call
_MOST_JOBS = 1000


def as_whole_number(argument: str, value: int, least: int, most: int | None = None) -> int:
    """Return a whole number that is within bounds."""
    if not _is_whole(value) or value < least:
        raise InvalidOptionError(f"{argument} must be a whole number >= {least}; got {value!r}.")
    if most is not None and value > most:
        raise InvalidOptionError(f"{argument} must be at most {most:,}; got {value:,}.")
    return int(value)


def as_finite_number(argument: str, value: float | Fraction) -> float:
    """Return a finite number."""
    if not is_number(value) or not -_LARGEST_DOUBLE <= value <= _LARGEST_DOUBLE:
        raise InvalidOptionError(f"{argument} must be a finite number; got {value!r}.")
    return float(value)


def require_time_limit(argument: str, seconds: float | None) -> None:
    """Require a positive number of seconds, or None for no limit."""
    if seconds is not None and (not is_number(seconds) or not seconds > 0):
        raise InvalidOptionError(f"{argument} must be a number of seconds > 0; got {seconds!r}.")


def require_n_jobs(n_jobs: int | None) -> None:
    """Require a number of processes, -1 for all cores, or None for the number in the configuration of joblib."""
    if n_jobs is not None and (not _is_whole(n_jobs) or n_jobs == 0):
        raise InvalidOptionError(
            f"n_jobs must be a whole number other than 0, such as 2, or -1 for all cores; got {n_jobs!r}."
        )
    if n_jobs is not None and abs(n_jobs) > _MOST_JOBS:
        raise InvalidOptionError(f"n_jobs must be at most {_MOST_JOBS:,}; got {n_jobs:,}.")


def as_generator(rng: np.random.Generator | int | None) -> np.random.Generator:
    """Return a random generator from a seed, a generator or None."""
    import numpy as np  # not at the top, so that the command line can check names without it

    if isinstance(rng, np.random.Generator):
        return rng
    if rng is not None and (not _is_whole(rng) or rng < 0):
        raise InvalidOptionError(f"rng must be a whole number >= 0, a Generator or None; got {rng!r}.")
    return np.random.default_rng(None if rng is None else int(rng))


def as_rater_index(rater: str | int, names: Sequence[str]) -> int:
    """Return the column of a rater given by name, or by position if it is an integer."""
    if isinstance(rater, str) and rater in names:
        return names.index(rater)
    if isinstance(rater, Integral) and 0 <= rater < len(names):
        return int(rater)
    raise InvalidOptionError(f"rater must be one of {listing(names)} or a position below {len(names)}; got {rater!r}.")


def cell_name(index: Sequence[Any] | Array) -> str:
    """Return the position of a cell as text, counted from one."""
    return "(" + ", ".join(str(int(i) + 1) for i in index) + ")"


def _is_whole(item: object) -> bool:
    """Return whether an object is a whole number, of any type and size."""
    if not isinstance(item, Integral):  # a large integer cannot be converted to a double
        return isinstance(item, Real) and isfinite(item) and float(item).is_integer()
    return not isinstance(item, bool)


def is_number(item: object) -> bool:
    """Return whether an object is a real number and not a boolean."""
    return isinstance(item, Real) and not isinstance(item, bool)


def import_pyplot() -> Any:
    """Return matplotlib's pyplot; the error without matplotlib says how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise NotSupportedError('plots require matplotlib. Install it with: pip install "kappamax[plot]".') from None
    return plt
