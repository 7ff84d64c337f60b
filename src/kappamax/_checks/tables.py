"""Counts and patterns in, clean arrays or a clear error out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._validate import cell_name, is_number
from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError, InvalidRatingsError, InvalidTableError, NotSupportedError

_MAX_TOTAL = 2**62
_MAX_CELLS = 10_000_000


def count_array(counts: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """An array of whole numbers >= 0 whose total fits."""
    try:
        array = np.asarray(counts)
    except ValueError:
        raise InvalidTableError("counts must form a rectangular array; its rows have different lengths.") from None
    if array.dtype.kind not in "biuf":
        array = np.array(counts, dtype=object)
        for index, item in np.ndenumerate(array):
            if not is_number(item):
                place = f"cell {cell_name(index)}" if index else "the argument"
                raise InvalidTableError(f"counts must be whole numbers >= 0; {place} is {item!r}.")
    with np.errstate(invalid="ignore"):
        wrong = ~((array >= 0) & (array == np.floor(array)) & (array < _MAX_TOTAL))
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        place = f"cell {cell_name(where)}" if where else "the argument"
        if array[where] >= _MAX_TOTAL:
            raise InvalidTableError(f"counts must be below 2^62; {place} is {float(array[where]):g}.")
        raise InvalidTableError(f"counts must be whole numbers >= 0; {place} is {array[where]:g}.")
    whole = array.astype(np.int64)
    if whole.size and float(whole.astype(float).sum()) >= _MAX_TOTAL:
        raise InvalidTableError(f"counts must add up to less than 2^62; got {float(whole.astype(float).sum()):.3g}.")
    return whole


def square_counts(counts: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """A k x k (x k ...) array of counts with at least one subject."""
    array = count_array(counts)
    if array.ndim < 2 or len(set(array.shape)) != 1:
        shape = " x ".join(str(size) for size in array.shape)
        raise InvalidTableError(
            f"counts must be square, one axis of k categories per rater; got {shape or 'a number'}."
        )
    if not array.any():
        raise InvalidTableError("counts hold no subject: every cell is zero.")
    return array


def patterns(codes: npt.ArrayLike, *, n_categories: int) -> npt.NDArray[np.int32]:
    """An (m, r) array of positions in the categories, -1 for missing."""
    try:
        array = np.asarray(codes)
    except ValueError:
        raise InvalidTableError("patterns must have one entry per rater; its rows have different lengths.") from None
    if array.size and array.dtype.kind not in "biu":
        raise InvalidTableError(
            f"patterns must be whole numbers, positions in the categories; got {array.dtype} values."
        )
    if array.ndim != 2:
        raise InvalidTableError(f"patterns must be a 2-D array, one column per rater; got {array.ndim} dimensions.")
    if array.shape[1] < 2:
        raise InvalidRatingsError(f"agreement needs at least two raters; got {array.shape[1]}.")
    if array.shape[0] == 0:
        raise InvalidRatingsError("there is no subject to compare.")
    if array.min() < -1 or array.max() >= n_categories:
        wrong = np.argwhere((array < -1) | (array >= n_categories))[0]
        raise InvalidTableError(
            f"patterns must hold positions 0 to {n_categories - 1}, or -1 for missing; "
            f"cell {cell_name(wrong)} is {array[tuple(wrong)]}."
        )
    return array.astype(np.int32)


def pattern_counts(counts: npt.ArrayLike, *, n_patterns: int) -> npt.NDArray[np.int64]:
    """One count per pattern, at least one of them above zero."""
    array = count_array(counts)
    if array.shape != (n_patterns,):
        raise InvalidTableError(f"counts must hold one number per pattern ({n_patterns}); got shape {array.shape}.")
    if not array.any():
        raise InvalidRatingsError("there is no subject to compare: every count is zero.")
    return array


def label_sequence(labels: Sequence[Any]) -> Sequence[Any]:
    """Labels in an order; text is a sequence of letters and not meant, and a set has no order."""
    if isinstance(labels, str):
        raise InvalidOptionError(f"categories must be a sequence of labels; got the text {labels!r}.")
    if not hasattr(labels, "__getitem__") or not hasattr(labels, "__len__") or isinstance(labels, Mapping):
        raise InvalidOptionError(f"categories must be a list of labels in order; got {type(labels).__name__}.")
    for label in labels:
        if not isinstance(label, Hashable):
            raise InvalidOptionError(f"categories must be a list of labels; {label!r} is not a label.")
    return labels


def categories(labels: Sequence[Any]) -> tuple[Any, ...]:
    """At least one label, none twice."""
    chosen = tuple(label_sequence(labels))
    if not chosen:
        raise InvalidOptionError("categories must name at least one category; got none.")
    twice = [label for label, times in Counter(chosen).items() if times > 1]
    if twice:
        raise InvalidOptionError(f"categories must differ; {twice[0]!r} occurs twice.")
    return chosen


def rater_names(names: Sequence[str] | None, n_raters: int) -> tuple[str, ...]:
    """One distinct name per rater."""
    if names is None:
        return tuple(str(i + 1) for i in range(n_raters))
    texts = tuple(str(name) for name in names)
    if len(texts) != n_raters:
        raise InvalidOptionError(f"raters must name all {n_raters} raters; got {len(texts)} names.")
    twice = next((name for name, times in Counter(texts).items() if times > 1), None)
    if twice is not None:
        raise InvalidOptionError(f"raters must have different names; {twice!r} occurs twice.")
    return texts


def every_rater_rated(names: Sequence[str], totals: npt.NDArray[np.int64]) -> None:
    """Each rater has a rating."""
    idle = np.flatnonzero(totals == 0)
    if len(idle):
        raise InvalidRatingsError(f"every rater must have rated a subject; {names[int(idle[0])]!r} rated none.")


def dense_shape(n_categories: int, n_raters: int, complete: bool) -> tuple[int, ...]:
    """The shape of the k^r array, where it makes sense."""
    if not complete:
        raise NotSupportedError("a table with missing ratings has no dense array; use its patterns and counts.")
    if n_categories**n_raters > _MAX_CELLS:
        raise NotSupportedError(
            f"{n_categories} categories and {n_raters} raters make {float(n_categories**n_raters):.2g} cells; "
            f"the dense array stops at {_MAX_CELLS:,}. Use patterns and counts."
        )
    return (n_categories,) * n_raters


def rater_index(names: Sequence[str], rater: str | int) -> int:
    """A rater's column, from a name or a position."""
    if isinstance(rater, str) and rater in names:
        return names.index(rater)
    if isinstance(rater, int | np.integer) and 0 <= rater < len(names):
        return int(rater)
    raise InvalidOptionError(f"rater must be one of {listing(names)} or a position below {len(names)}; got {rater!r}.")


def category_index(labels: Sequence[Any], label: object) -> int:
    """A category's position."""
    if label in labels:
        return labels.index(label)
    raise InvalidOptionError(f"category must be one of {listing(labels)}; got {label!r}.")


def categories_for(labels: Sequence[Any], n_categories: int) -> tuple[Any, ...]:
    """One label per row of an array of counts."""
    chosen = categories(labels)
    if len(chosen) != n_categories:
        raise InvalidOptionError(
            f"categories must name the {n_categories} rows of the counts; got {len(chosen)}: {listing(chosen)}."
        )
    return chosen


def crosstab_labels(rows: Sequence[Any], columns: Sequence[Any]) -> Sequence[Any]:
    """The labels of a frame of counts, the same on both sides."""
    if rows != columns:
        raise InvalidTableError(
            "a frame of counts must have the same labels in the same order on both sides; "
            f"rows are {listing(rows)} and columns {listing(columns)}."
        )
    return columns
