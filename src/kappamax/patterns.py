"""Group patterns of ratings, and count ratings and categories in them.

A pattern holds one code per rater, which is the position of a category or -1 for a missing rating. Arrays of patterns
are stored by rater (in Fortran order), so every function processes them one rater at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kappamax._typing import Array, Codes, Integers
from kappamax.display import numbers
from kappamax.errors import NotSupportedError

MISSING = -1  # code of a missing rating
_DENSE_CELLS = 10_000_000  # largest number of cells of a dense array
MOST_AXES = 64  # largest number of axes of numpy's arrays


def group_patterns(codes: Codes, counts: Integers | None, *, n_categories: int) -> tuple[Codes, Integers]:
    """Return the distinct patterns in lexicographic order and the number of subjects with each of them.

    Parameters
    ----------
    codes : array of int, shape (n, n_raters)
        One row per subject, or per pattern if `counts` is given. The code -1 is a missing rating. Rows without ratings
        are dropped.
    counts : array of int, shape (n,), optional
        Number of subjects of each row, default 1.
    n_categories : int
        Number of categories; codes are below this number.

    Returns
    -------
    patterns : array of int, shape (m, n_raters)
        Distinct patterns.
    counts : array of int, shape (m,)
        Number of subjects with each pattern.
    """
    keys, _ = pattern_keys(codes, n_categories)
    kept = keys > 0  # the key of a subject without ratings is zero
    if counts is not None:
        kept &= counts > 0
    first, sums = group_keys(keys, counts, kept)
    return np.asfortranarray(codes[first]), sums


def pattern_keys(codes: Codes, n_categories: int) -> tuple[Integers, int]:
    """Return a number for each pattern, and an upper bound of these numbers.

    Numbers are in the lexicographic order of the patterns; that of a pattern without ratings is zero, and others are
    positive.
    """
    base = n_categories + 1
    keys, n_keys = np.zeros(len(codes), dtype=np.int64), 1
    for column in codes.T:
        if n_keys > 2**62 // base:  # the mixed-radix key would overflow, so number the prefixes that occur
            distinct, keys = np.unique(np.append(keys, 0), return_inverse=True)
            keys, n_keys = keys[:-1], len(distinct)
        keys *= base
        keys += column
        keys += 1
        n_keys *= base
    return keys, n_keys


def pattern_positions(patterns: Codes, among: Codes, n_categories: int) -> Integers:
    """Return the position of each pattern among others, which are distinct and in lexicographic order.

    Every pattern must occur among the others, except for patterns without ratings, whose position is -1.
    """
    m = len(among)
    keys, _ = pattern_keys(np.concatenate([among, patterns]), n_categories)
    return np.where(keys[m:] > 0, np.searchsorted(keys[:m], keys[m:]), -1)


def group_keys(keys: Integers, counts: Integers | None, kept: npt.NDArray[np.bool_]) -> tuple[Array, Integers]:
    """Return a row of each distinct key, in increasing order of the keys, and the number of subjects with this key.

    Rows that are not in `kept` are left out. `counts` is the number of subjects of each row, default 1.
    """
    order = np.argsort(keys)
    keys = keys[order]
    if not kept.all():
        kept = kept[order]
        order, keys = order[kept], keys[kept]
    is_new = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    starts = np.flatnonzero(is_new)
    if counts is None:
        sums = np.diff(starts, append=len(keys))
    else:
        sums = np.add.reduceat(counts[order], starts) if len(starts) else np.zeros(0, dtype=np.int64)
    return order[starts], sums


def as_dense_shape(n_categories: int, n_raters: int) -> tuple[int, ...]:
    """Return the shape of an array with a cell for each of the k^r patterns.

    Raises
    ------
    NotSupportedError
        If the array would have more than 10 million cells or more than 64 axes.
    """
    k, r = n_categories, n_raters
    if k == 1 and r > MOST_AXES:
        raise NotSupportedError(
            f"a dense array has one axis per rater and at most {MOST_AXES}; got {r} raters. Use patterns and counts."
        )
    if k**r > _DENSE_CELLS:
        raise NotSupportedError(
            f"a dense array must have at most {_DENSE_CELLS:,} cells, but {k} categories and {r} raters make "
            f"{numbers.rough(k**r, 2)}. Use patterns and counts."
        )
    return (k,) * r


def n_ratings_of(patterns: Array) -> Integers:
    """Return the number of ratings in each pattern, shape (m,)."""
    total = np.zeros(len(patterns), dtype=np.int64)
    for column in patterns.T:
        total += column != MISSING
    return total


def margins_of(patterns: Codes, counts: Integers, n_categories: int) -> Integers:
    """Return the number of times each rater used each category, shape (n_raters, n_categories)."""
    margins = np.empty((patterns.shape[1], n_categories), dtype=np.int64)
    for rater, codes in enumerate(patterns.T):
        rated = codes != MISSING
        margins[rater] = (
            _sum_at(codes, counts, n_categories) if rated.all() else _sum_at(codes[rated], counts[rated], n_categories)
        )
    return margins


def pair_counts(
    first: Codes,
    second: Codes,
    counts: Integers,
    n_categories: int,
) -> Integers:
    """Return the k x k table of the codes of two raters, over the subjects that both rated."""
    both = (first != MISSING) & (second != MISSING)
    cells = first[both].astype(np.int64) * n_categories + second[both]
    return _sum_at(cells, counts[both], n_categories**2).reshape(n_categories, n_categories)


def category_counts(patterns: Codes, n_categories: int) -> Integers:
    """Return the number of raters who chose each category in each pattern, shape (m, n_categories)."""
    small = np.uint8 if patterns.shape[1] < 256 else np.int64
    counts = np.zeros((n_categories, len(patterns)), dtype=small)
    for category, row in enumerate(counts):
        for column in patterns.T:
            row += column == category
    return counts.T.astype(np.int64)


def _sum_at(positions: Array, counts: Integers | None, size: int) -> Integers:
    """Return the exact sums of counts (or ones) at integer positions; `bincount` with weights would use doubles."""
    if counts is None or (counts == 1).all():
        return np.bincount(positions, minlength=size)
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, positions, counts)
    return total


def indices_of(codes: Sequence[Array] | Array, sizes: Sequence[int]) -> Integers:
    """Return the index of each pattern among all patterns, given its codes rater by rater and the number of each.

    Unlike `numpy.ravel_multi_index`, it works for any number of raters; numpy's arrays have at most 64 axes.
    """
    index: Integers = np.zeros(len(codes[0]), dtype=np.int64)
    for own, size in zip(codes, sizes, strict=True):
        index = index * size + own
    return index


def patterns_at(indices: Array, sizes: Sequence[int]) -> Codes:
    """Return the patterns with the given indices among all patterns, one column per rater; see `indices_of`."""
    patterns = np.empty((len(indices), len(sizes)), dtype=np.int32)
    left = np.asarray(indices)
    for rater in range(len(sizes) - 1, -1, -1):
        left, patterns[:, rater] = np.divmod(left, sizes[rater])
    return patterns
