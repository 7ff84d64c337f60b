"""Options in, clean values or a clear error out."""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError


def choice(argument: str, value: object, allowed: Collection[str]) -> str:
    """One of a few names; a misspelt one is answered with the nearest."""
    if isinstance(value, str) and value.lower() in allowed:
        return value.lower()
    hint = nearest(str(value).lower(), allowed)
    raise InvalidOptionError(f"{argument} must be one of {listing(allowed, most=20)}; got {value!r}.{hint}")


def nearest(name: str, known: Collection[str]) -> str:
    """A sentence that offers the known name most like a misspelt one, if any is."""
    near = get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" Did you mean {near[0]!r}?" if near else ""


def comma_list(argument: str, text: str) -> list[str]:
    """The parts of a text between commas; one that holds a comma is put in quotation marks."""
    try:
        return [part.strip() for part in next(csv.reader([text], skipinitialspace=True, strict=True))]
    except (csv.Error, StopIteration) as error:
        raise InvalidOptionError(
            f"{argument} must be a list with commas, as in a,b,c; {error or 'it is empty'}."
        ) from None


def between(argument: str, value: float, low: float, high: float) -> float:
    """A number strictly between two bounds."""
    if not is_number(value) or not low < value < high:
        raise InvalidOptionError(f"{argument} must lie between {low:g} and {high:g}; got {value!r}.")
    return float(value)


def at_least(argument: str, value: int, least: int) -> int:
    """A whole number no smaller than a bound."""
    if not is_number(value) or not isfinite(value) or value != int(value) or value < least:
        raise InvalidOptionError(f"{argument} must be a whole number >= {least}; got {value!r}.")
    return int(value)


def finite(argument: str, value: float) -> float:
    """A finite number."""
    if not is_number(value) or not isfinite(value):
        raise InvalidOptionError(f"{argument} must be a finite number; got {value!r}.")
    return float(value)


def processes(n_jobs: int | None) -> None:
    """How many processes joblib may start; -1 is all cores, None as many as its configuration says."""
    if n_jobs is not None and (not is_number(n_jobs) or not isfinite(n_jobs) or n_jobs != int(n_jobs) or n_jobs == 0):
        raise InvalidOptionError(
            f"n_jobs must be a whole number other than 0, such as 2, or -1 for all cores; got {n_jobs!r}."
        )


def generator(rng: np.random.Generator | int | None) -> np.random.Generator:
    """A source of randomness from a seed, a generator or nothing."""
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is not None and (not is_number(rng) or not isfinite(rng) or rng != int(rng) or rng < 0):
        raise InvalidOptionError(f"rng must be a whole number >= 0, a Generator or None; got {rng!r}.")
    return np.random.default_rng(None if rng is None else int(rng))


def cell_name(index: Sequence[Any] | npt.NDArray[Any]) -> str:
    """A place in an array, counted from one as readers do."""
    return "(" + ", ".join(str(int(i) + 1) for i in index) + ")"


def is_number(item: object) -> bool:
    return isinstance(item, int | float | Fraction | np.number) and not isinstance(item, bool | np.bool_)
