"""Find the patterns of least reduced cost by dynamic programming over compositions.

If all pairs of raters have the same weights, the cost of a pattern depends only on its composition, that is, on how
often each category occurs in it. The largest sum of prices of the first d raters with a given composition follows from
the sums of the first d - 1 raters: the last of them chose one of the categories, and the others have one rating less in
that category. There are C(r + k, k) such sums for r raters and k categories, whatever the prices are. They give the
best pattern of every composition, and because the sum that the remaining raters can reach is known exactly, all
patterns below a limit are listed without a dead end.

Several sets of as many raters each are treated at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np

from kappamax._typing import Array, Codes, Floats, Integers

_IMPOSSIBLE = -(2**62)  # smaller than every sum of prices in whole numbers


def n_sums(n_raters: int, n_categories: int) -> int:
    """Return the number of sums that the dynamic program computes for one set of raters."""
    return comb(n_raters + n_categories, n_categories)


@dataclass(frozen=True)
class Compositions:
    """All compositions of a number of ratings.

    They are ordered by the number of ratings in all categories but the last. The first `sizes[d]` of them, with fewer
    ratings in the last category, are therefore the compositions of d ratings.

    Attributes
    ----------
    counts : array, shape (m, k)
        Number of ratings in each category.
    sizes : list of int
        Number of compositions of 0, 1, ..., r ratings.
    before : array, shape (k - 1, m)
        Position of the composition with one rating less in each category but the last; m if there is none.
    """

    counts: Array
    sizes: list[int]
    before: Array

    @property
    def patterns(self) -> Codes:
        """One pattern of every composition, with the ratings in increasing order."""
        n_raters, k = len(self.sizes) - 1, self.counts.shape[1]
        codes = np.repeat(np.tile(np.arange(k, dtype=np.int32), len(self.counts)), self.counts.ravel())
        return codes.reshape(len(self.counts), n_raters)


@lru_cache(maxsize=8)
def compositions_of(n_raters: int, n_categories: int) -> Compositions:
    """Return all compositions of `n_raters` ratings into `n_categories` categories."""
    m = n_categories - 1  # the number of ratings in the last category follows from the others
    sizes = [comb(d + m, m) for d in range(n_raters + 1)]
    n, none = sizes[-1], sizes[-1]
    counts = np.zeros((n, m + 1), dtype=np.min_scalar_type(-n_raters - 1))
    before = np.full((m, n), none, dtype=np.int32)
    last = np.zeros(n, dtype=np.int32)  # highest category with a rating, apart from the last category of all
    first_child = np.full(
        n, none, dtype=np.int64
    )  # the children have one rating more, at or after the highest category
    for total in range(1, n_raters + 1):
        parents = np.arange(sizes[total - 2] if total > 1 else 0, sizes[total - 1])
        n_children = m - last[parents]
        first_child[parents] = sizes[total - 1] + np.cumsum(n_children) - n_children
        own = slice(sizes[total - 1], sizes[total])
        parent = np.repeat(parents, n_children)
        added = np.arange(sizes[total - 1], sizes[total]) - first_child[parent] + last[parent]
        last[own] = added
        counts[own] = counts[parent]
        counts[np.arange(sizes[total - 1], sizes[total]), added] += 1
        for j in range(m):
            # without a rating below the one added, a child is the child of the parent without that rating
            rest = before[j, parent]
            some = np.flatnonzero((rest < none) & (j < added))
            before[j, own][some] = first_child[rest[some]] + added[some] - last[rest[some]]
            before[j, own][added == j] = parent[added == j]
    counts[:, m] = n_raters - counts.sum(axis=1, dtype=np.int64)
    return Compositions(counts, sizes, before)


def best_sums(tables: Compositions, prices: Array) -> Array:
    """Return the largest sum of prices of the first d raters of every set, for every composition of d ratings.

    Parameters
    ----------
    tables : Compositions
        The compositions of r ratings.
    prices : array, shape (number of sets, r, k)
        Prices of the categories, in doubles or in whole numbers whose sums are below 2^60.

    Returns
    -------
    array, shape (r + 1, number of sets, m + 1)
        The sums; a very small number where there is no composition.
    """
    n_sets, r, k = prices.shape
    n = len(tables.counts)
    impossible = _IMPOSSIBLE if prices.dtype.kind == "i" else -np.inf
    best = np.full((r + 1, n_sets, n + 1), impossible, dtype=prices.dtype)
    best[0, :, 0] = 0
    for d in range(1, r + 1):
        size, own = tables.sizes[d], prices[:, d - 1]
        sums = best[d - 1, :, :size] + own[:, [k - 1]]
        for j in range(k - 1):
            np.maximum(sums, best[d - 1].take(tables.before[j, :size], axis=1) + own[:, [j]], out=sums)
        best[d, :, :size] = sums
    return best


def traced(tables: Compositions, prices: Array, best: Array, sets: Integers, at: Integers) -> Codes:
    """Return the pattern with the largest sum of prices for some sets and compositions, shape (number of them, r)."""
    r = prices.shape[1]
    patterns = np.empty((len(at), r), dtype=np.int32)
    at = at.copy()
    for d in range(r, 0, -1):
        before = np.concatenate([tables.before[:, at], at[None]])
        chosen = np.argmax(best[d - 1][sets, before] + prices[sets, d - 1].T, axis=0)
        patterns[:, d - 1] = chosen
        at = before[chosen, np.arange(len(at))]
    return patterns


def listed(
    tables: Compositions, prices: Floats, best: Floats, room: Floats, most: int
) -> tuple[Integers, Codes, Floats, bool]:
    """Return all patterns whose sum of prices is less than `room` below the best one of their composition.

    Parameters
    ----------
    tables : Compositions
        The compositions of r ratings.
    prices : array, shape (number of sets, r, k)
        Prices in doubles.
    best : array
        Result of `best_sums`.
    room : array, shape (number of sets, m)
        Limit for every set and composition; where it is zero or less, there are no patterns.
    most : int
        Number of patterns after which the others, with less room, are left out.

    Returns
    -------
    sets, patterns, left : arrays
        Set and codes of each pattern, and its room minus the amount by which its sum of prices is below the best.
    complete : bool
        Whether no pattern was left out.
    """
    r = prices.shape[1]
    sets, at = np.nonzero(room > 0)
    left, complete = room[sets, at], True
    patterns = np.zeros((len(at), r), dtype=np.int32)
    for d in range(r, 0, -1):
        if len(at) > most:
            kept, complete = _largest(left, most), False
            sets, at, left, patterns = sets[kept], at[kept], left[kept], patterns[kept]
        before = np.concatenate([tables.before[:, at], at[None]])
        lost = best[d][sets, at] - (best[d - 1][sets, before] + prices[sets, d - 1].T)
        lost -= lost.min(axis=0)  # rounding errors must not exclude the best choice
        chosen, rows = np.nonzero(lost < left)
        left = left[rows] - lost[chosen, rows]
        patterns, sets, at = patterns[rows], sets[rows], before[chosen, rows]
        patterns[:, d - 1] = chosen
    if len(at) > most:
        kept = _largest(left, most)
        return sets[kept], patterns[kept], left[kept], False
    return sets, patterns, left, complete


def _largest(numbers: Floats, most: int) -> Integers:
    """Return the positions of the largest numbers, in order."""
    return np.sort(np.argpartition(-numbers, most)[:most])


def exact_best_sums(
    tables: Compositions, worth: Floats, parts: Integers, margin: float, positive: Callable[[Integers], bool]
) -> Integers:
    """Return the largest sum of exact prices for every set and composition of all raters.

    Doubles decide between two sums unless they are nearly equal.

    Parameters
    ----------
    tables : Compositions
        The compositions of r ratings.
    worth : array, shape (number of sets, r, k)
        Prices in doubles.
    parts : array of whole numbers, shape (number of sets, r, k, number of parts)
        The same prices in parts, such as the coefficients of square roots.
    margin : float
        Sums in doubles that differ by more than this number are different.
    positive : callable
        Returns whether the exact number with the given parts is positive.

    Returns
    -------
    array of whole numbers, shape (number of sets, m, number of parts)
        Parts of the largest sums.
    """
    n_sets, r, k = worth.shape
    n = len(tables.counts)
    sums = np.full((n_sets, n + 1), -np.inf)
    exact = np.zeros((n_sets, n + 1, parts.shape[-1]), dtype=np.int64)
    sums[:, 0] = 0
    for d in range(1, r + 1):
        size, own, whole = tables.sizes[d], worth[:, d - 1], parts[:, d - 1]
        best = sums[:, :size] + own[:, [k - 1]]
        best_exact = exact[:, :size] + whole[:, [k - 1]]
        for j in range(k - 1):
            before = tables.before[j, :size]
            other = sums.take(before, axis=1) + own[:, [j]]
            with np.errstate(invalid="ignore"):  # the difference of two impossible sums
                more = other - best
            taken = more > margin
            near = np.nonzero(np.abs(more) <= margin)
            if len(near[0]):
                change = exact[near[0], before[near[1]]] + whole[near[0], j] - best_exact[near]
                different = change.any(axis=1)
                kinds, which = np.unique(change[different], axis=0, return_inverse=True)
                better = np.array([positive(kind) for kind in kinds], dtype=bool)
                taken[near[0][different], near[1][different]] = better[which.ravel()]
            rows, columns = np.nonzero(taken)
            best[rows, columns] = other[rows, columns]
            best_exact[rows, columns] = exact[rows, before[columns]] + whole[rows, j]
        sums[:, :size], exact[:, :size] = best, best_exact
    return exact[:, :n]
