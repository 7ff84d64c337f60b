"""Check the arguments that define a table of ratings: patterns, counts, categories and names of raters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._typing import Codes, Integers
from kappamax._validate import cell_name, is_number
from kappamax.errors import InvalidOptionError, InvalidRatingsError, InvalidTableError

LARGEST_TOTAL = 2**62  # the number of subjects is below this, so that counts and their sums fit into 64 bits


def as_patterns(codes: npt.ArrayLike, n_categories: int) -> Codes:
    """Return the patterns as an (m, r) array of positions in the categories, -1 for a missing rating."""
    try:
        array = np.asarray(codes)
    except ValueError:
        raise InvalidTableError("patterns must have one entry per rater; the rows have different lengths.") from None
    if array.size and array.dtype.kind not in "biu":
        raise InvalidTableError(
            f"patterns must be positions in the categories, which are whole numbers; got {array.dtype} values."
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
            f"patterns must be positions from 0 to {n_categories - 1}, or -1 for a missing rating; "
            f"cell {cell_name(wrong)} is {array[tuple(wrong)]}."
        )
    return np.array(array, dtype=np.int32, order="F")


def as_counts(counts: npt.ArrayLike) -> Integers:
    """Return counts as an array of whole numbers >= 0 whose total is below 2^62."""
    try:
        array = np.asarray(counts)
    except ValueError:
        raise InvalidTableError("counts must form a rectangular array; the rows have different lengths.") from None
    if array.dtype.kind not in "biuf":
        array = np.array(counts, dtype=object)
        for index, item in np.ndenumerate(array):
            if not is_number(item):
                place = f"cell {cell_name(index)}" if index else "the argument"
                raise InvalidTableError(f"counts must be whole numbers >= 0; {place} is {item!r}.")
    with np.errstate(invalid="ignore"):
        wrong = ~((array >= 0) & (array == np.floor(array)) & (array < LARGEST_TOTAL))
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        place = f"cell {cell_name(where)}" if where else "the argument"
        if array[where] >= LARGEST_TOTAL:
            raise InvalidTableError(f"counts must be below 2^62; {place} is {float(array[where]):g}.")
        raise InvalidTableError(f"counts must be whole numbers >= 0; {place} is {array[where]:g}.")
    whole = array.astype(np.int64)
    # doubles near 2^62 are 512 apart, so a total above half of it is added up exactly
    if whole.astype(float).sum() >= LARGEST_TOTAL / 2 and (total := sum(whole.ravel().tolist())) >= LARGEST_TOTAL:
        raise InvalidTableError(f"counts must add up to less than 2^62; got {float(total):.3g}.")
    return whole


def require_labels_in_order(labels: Sequence[Any]) -> None:
    """Require a sequence of labels; text, sets and mappings are rejected."""
    if isinstance(labels, str):
        raise InvalidOptionError(f"categories must be a sequence of labels; got the text {labels!r}.")
    if not hasattr(labels, "__getitem__") or not hasattr(labels, "__len__") or isinstance(labels, Mapping):
        raise InvalidOptionError(f"categories must be a list of labels in order; got {type(labels).__name__}.")
    for label in labels:
        if not isinstance(label, Hashable):
            raise InvalidOptionError(f"categories must be a list of labels; {label!r} is not a label.")


def as_categories(labels: Sequence[Any]) -> tuple[Any, ...]:
    """Return the categories, which must be at least one label and all different."""
    require_labels_in_order(labels)
    if not len(labels):
        raise InvalidOptionError("categories must name at least one category; got none.")
    if (twice := _repeated(labels)) is not None:
        raise InvalidOptionError(f"categories must differ; {twice!r} occurs twice.")
    return tuple(labels)


def as_rater_names(names: Sequence[str] | None, n_raters: int) -> tuple[str, ...]:
    """Return one distinct name per rater, by default "1", "2", and so on."""
    if names is None:
        return tuple(str(i + 1) for i in range(n_raters))
    texts = tuple(str(name) for name in names)
    if len(texts) != n_raters:
        raise InvalidOptionError(f"raters must have one name for each of the {n_raters} raters; got {len(texts)}.")
    if (twice := _repeated(texts)) is not None:
        raise InvalidOptionError(f"raters must have different names; {twice!r} occurs twice.")
    return texts


def _repeated(labels: Sequence[Any]) -> Any:
    """Return the first label that occurs twice, or None."""
    return next((label for label, times in Counter(labels).items() if times > 1), None)
