"""Names, positions and matrices in, clean weights or a clear error out."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from kappamax._checks.tables import rater_index
from kappamax._validate import as_choice, did_you_mean, is_number
from kappamax.display.text import listing
from kappamax.errors import InvalidWeightsError

_HUGE = 1e300


def scheme(
    name: str, schemes: Sequence[str], aliases: Mapping[str, str], powers: Mapping[str, Fraction]
) -> tuple[str, Fraction | None]:
    """A scheme's own name, and its power if it is a power of the distance."""
    if not isinstance(name, str):
        raise InvalidWeightsError(f"weights must be given by name; got {type(name).__name__}.")
    match = re.fullmatch(r"power\s*[(:]\s*([0-9./]+)\s*\)?", name.strip().lower())
    if match:
        try:
            power = Fraction(match.group(1))
        except (ValueError, ZeroDivisionError):
            raise InvalidWeightsError(f"the power must be a number > 0, as in 'power(1.5)'; got {name!r}.") from None
        if not 0 < power <= 100:
            raise InvalidWeightsError(f"the power must lie between 0 and 100; got {name!r}.")
        return next((own for own, p in powers.items() if p == power), _power_name(power)), power
    lowered = name.strip().lower()
    own = aliases.get(lowered, lowered)
    if own not in schemes:
        hint = did_you_mean(own, [*schemes, *aliases, "power(p)"])
        raise InvalidWeightsError(
            f"weights must be one of {listing([*schemes, 'power(p)'], most=20)}; got {name!r}.{hint}"
        )
    return own, powers.get(own)


def _power_name(power: Fraction) -> str:
    """The name of power weights, from which the power can be read again."""
    decimal = f"{float(power):.15g}"
    return f"power({decimal if Fraction(decimal) == power else power})"


def positional_scheme(name: str) -> str:
    """A scheme that positions make sense for."""
    if name.strip().lower() in {"unweighted", "identity", "nominal", "ordinal"}:
        raise InvalidWeightsError(f"{name} weights do not depend on positions; leave positions out.")
    return name


def positions(values: Sequence[Any]) -> list[Any]:
    """Distinct finite numbers."""
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) == 0:
        raise InvalidWeightsError(f"positions must be a list of numbers, one per category; got {values!r}.")
    numbers = list(values)
    for i, number in enumerate(numbers):
        if not is_number(number) or not -_HUGE < number < _HUGE:
            raise InvalidWeightsError(f"positions must be finite numbers; entry {i + 1} is {number!r}.")
        if number in numbers[:i]:
            raise InvalidWeightsError(f"positions must differ; {number!r} occurs twice.")
    return numbers


def ratio_divisor(total: Fraction) -> Fraction:
    """Ratio weights divide by x_i + x_j."""
    if total == 0:
        raise InvalidWeightsError("ratio weights divide by x_i + x_j, which is 0 for two of these positions.")
    return total


def matrix_kind(kind: str) -> str:
    """Whether a matrix holds disagreement or agreement."""
    return as_choice("kind", kind, ("disagreement", "agreement"))


def weight_matrix(matrix: npt.ArrayLike, kind: str) -> list[list[Any]]:
    """The entries of a square matrix that obeys the rules of its kind."""
    rows = [list(row) if isinstance(row, Sequence | np.ndarray) else [row] for row in _rows_of(matrix)]
    k = len(rows)
    for i, row in enumerate(rows):
        if len(row) != k:
            raise InvalidWeightsError(f"a weight matrix must be square; row {i + 1} has {len(row)} of {k} entries.")
    if k == 0:
        raise InvalidWeightsError("a weight matrix must have at least one row; got none.")
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            place = (
                f"entry ({i + 1}, {j + 1}) is {entry!r}"
                if not hasattr(entry, "item")
                else (f"entry ({i + 1}, {j + 1}) is {entry.item()!r}")
            )
            if not is_number(entry) or not -_HUGE < entry < _HUGE:
                raise InvalidWeightsError(f"weights must be finite numbers; {place}.")
            if entry < 0:
                raise InvalidWeightsError(f"weights must be >= 0; {place}.")
            if kind == "agreement" and entry > 1:
                raise InvalidWeightsError(f"agreement weights must be at most 1; {place}.")
            diagonal = 1 if kind == "agreement" else 0
            if i == j and entry != diagonal:
                raise InvalidWeightsError(f"the diagonal of {kind} weights must be {diagonal}; {place}.")
    if kind == "disagreement":
        some_disagreement(max(max(row) for row in rows))
    return rows


def some_disagreement(largest: Any) -> None:
    """Some weight is above zero."""
    if largest == 0:
        raise InvalidWeightsError("every weight is zero: nothing counts as disagreement.")


def refuse(weights: object) -> NoReturn:
    """A matrix does not say whether it holds agreement or disagreement; anything else is no weights at all."""
    if not isinstance(weights, Sequence | np.ndarray) and not hasattr(weights, "to_numpy"):
        raise InvalidWeightsError(f"weights must be a name, Weights, or a mapping per pair; got {weights!r}.")
    raise InvalidWeightsError(
        "a bare matrix could hold agreement or disagreement. "
        "Say which: km.Weights.from_matrix(m, kind='disagreement') or kind='agreement'."
    )


def weights_fit(n_categories: int, needs_order: bool, name: str, labels: Sequence[Any], ordered: bool) -> None:
    """Weights of the table's size, and an order where they need one."""
    if n_categories != len(labels):
        raise InvalidWeightsError(
            f"weights must match the categories: {name} weights are {n_categories} x {n_categories}, "
            f"but there are {len(labels)} categories: {listing(labels)}."
        )
    if needs_order and not ordered and len(labels) > 2:
        raise InvalidWeightsError(
            f"{name} weights need ordered categories, but these are text: {listing(labels)}. "
            "Pass categories=[...] with the labels in order; on the command line, once in order, "
            f"--categories {','.join(map(str, labels[:5]))}{',...' if len(labels) > 5 else ''}."
        )


def two_raters_for_asymmetric(n_raters: int) -> None:
    """One asymmetric matrix says who is first only for two raters."""
    if n_raters != 2:
        raise InvalidWeightsError(
            f"weights must be symmetric for {n_raters} raters: one asymmetric matrix does not say which rater of a "
            "pair comes first. Pass weights per pair, {('a', 'b'): Weights, ...}."
        )


def rater_pair(key: object, raters: Sequence[str]) -> tuple[int, int]:
    """A key of weights per pair."""
    if not isinstance(key, tuple) or len(key) != 2:
        raise InvalidWeightsError(f"weights per pair must have keys (rater, rater); got {key!r}.")
    a, b = rater_index(raters, key[0]), rater_index(raters, key[1])
    if a == b:
        raise InvalidWeightsError(f"weights per pair must name two raters; got {key!r}.")
    return a, b


def pair_weights(value: object, key: object, known: bool) -> None:
    """One pair's weights, given once."""
    if known:
        raise InvalidWeightsError(f"weights per pair must name each pair once; {key!r} comes again.")
    if not value:
        raise InvalidWeightsError(f"weights for the pair {key!r} must be a name or Weights; got {value!r}.")


def every_pair(pairs: Collection[tuple[int, int]], raters: Sequence[str]) -> None:
    """Weights for all pairs of raters."""
    for a in range(len(raters)):
        for b in range(a + 1, len(raters)):
            if (a, b) not in pairs:
                raise InvalidWeightsError(
                    f"weights per pair must cover every pair; ({raters[a]!r}, {raters[b]!r}) is missing."
                )


def pairs_fit(pairs: Collection[tuple[int, int]], n_raters: int) -> None:
    """Weights per pair made for this number of raters."""
    expected = n_raters * (n_raters - 1) // 2
    if len(pairs) != expected or max(b for _, b in pairs) >= n_raters:
        raise InvalidWeightsError(f"weights per pair cover {len(pairs)} pairs, but {n_raters} raters make {expected}.")


def _rows_of(matrix: Any) -> list[Any]:
    if isinstance(matrix, np.ndarray) or hasattr(matrix, "to_numpy"):
        return list(np.asarray(matrix))
    try:
        return list(matrix)
    except TypeError:
        raise InvalidWeightsError(f"a weight matrix must have rows; got {type(matrix).__name__}.") from None
