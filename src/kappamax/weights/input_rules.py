"""Check the positions and matrices from which weights are made."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from kappamax._rootsum import as_fraction
from kappamax._tolerances import DOUBLE_TOLERANCE
from kappamax._validate import is_number
from kappamax.errors import InvalidWeightsError

_HUGE = 1e300  # larger numbers are not accepted as positions or weights


def as_positions(values: Sequence[Any]) -> list[Any]:
    """Return positions as a list of distinct finite numbers."""
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) == 0:
        raise InvalidWeightsError(f"positions must be a list of numbers, one per category; got {values!r}.")
    positions = list(values)
    for i, number in enumerate(positions):
        if not is_number(number) or not -_HUGE < number < _HUGE:
            raise InvalidWeightsError(f"positions must be finite numbers; entry {i + 1} is {number!r}.")
        if number in positions[:i]:
            raise InvalidWeightsError(f"positions must differ; {number!r} occurs twice.")
    return positions


def as_exact_positions(values: Sequence[Any]) -> list[tuple[Fraction, bool]]:
    """Return distinct positions as fractions, each with whether it is taken as exactly the number meant."""
    read = [as_fraction(position) for position in as_positions(values)]
    numbers = [number for number, _ in read]
    if len(set(numbers)) < len(numbers):
        close = next(number for number in numbers if numbers.count(number) > 1)
        raise InvalidWeightsError(f"positions must differ by more than rounding; two of them are read as {close}.")
    return read


def as_matrix_rows(matrix: Any, kind: str) -> list[list[Any]]:
    """Return the rows of a square matrix that obeys the rules of its kind."""
    try:
        given = list(np.asarray(matrix) if hasattr(matrix, "to_numpy") else matrix)
    except TypeError:
        raise InvalidWeightsError(f"a weight matrix must have rows; got {type(matrix).__name__}.") from None
    rows = [list(row) if isinstance(row, Sequence | np.ndarray) else [row] for row in given]
    k, diagonal = len(rows), 1 if kind == "agreement" else 0
    for i, row in enumerate(rows):
        if len(row) != k:
            raise InvalidWeightsError(f"a weight matrix must be square; row {i + 1} has {len(row)} of {k} entries.")
    if k == 0:
        raise InvalidWeightsError("a weight matrix must have at least one row; got none.")
    for i, j in product(range(k), repeat=2):
        entry = rows[i][j]
        shown = entry.item() if hasattr(entry, "item") else str(entry) if isinstance(entry, Fraction) else repr(entry)
        place = f"entry ({i + 1}, {j + 1}) is {shown}"
        if not is_number(entry) or not -_HUGE < entry < _HUGE:
            raise InvalidWeightsError(f"weights must be finite numbers; {place}.")
        if entry < 0:
            raise InvalidWeightsError(f"weights must be >= 0; {place}.")
        if kind == "agreement" and entry > 1:
            raise InvalidWeightsError(f"agreement weights must be at most 1; {place}.")
        if i == j and entry != diagonal:
            raise InvalidWeightsError(f"the diagonal of {kind} weights must be {diagonal}; {place}.")
    return rows


def as_matrix_labels(labels: Sequence[Any], n_rows: int) -> tuple[Any, ...]:
    """Return the labels of the rows of a matrix, which must be one distinct label per row."""
    given = tuple(labels)
    if isinstance(labels, str) or len(given) != n_rows:
        raise InvalidWeightsError(f"labels must be one label per row of the matrix, {n_rows}; got {labels!r}.")
    twice = next((label for i, label in enumerate(given) if label in given[:i]), None)
    if twice is not None:
        raise InvalidWeightsError(f"labels of a weight matrix must differ; {twice!r} occurs twice.")
    return given


def matrix_notes(
    values: list[list[Fraction]], entries: list[list[Any]], labels: Sequence[Any] | None, exact: bool
) -> tuple[str, ...]:
    """Return notes on zeros off the diagonal of a matrix and on how floats were read."""
    zeros = [(i, j) for i, row in enumerate(values) for j, value in enumerate(row) if i != j and value == 0]
    notes = []
    if zeros:
        i, j = zeros[0]
        where = f"({i + 1}, {j + 1})" if labels is None else f"of {labels[i]!r} and {labels[j]!r}"
        notes.append(f"weight {where} is zero, so these two categories count as full agreement")
    if any(
        isinstance(entry, float | np.floating) and not float(entry).is_integer() for row in entries for entry in row
    ):
        if exact:
            notes.append("weights given as decimals were read as the nearest simple fractions")
        else:
            notes.append(
                "weights are not simple fractions, so values that differ by at most "
                f"{DOUBLE_TOLERANCE:g} count as equal"
            )
    return tuple(notes)
