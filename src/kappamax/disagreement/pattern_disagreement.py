"""Compute the disagreement within patterns of ratings, exactly and in doubles.

No other module applies weights to ratings. The disagreement of a pattern is the sum of u over all pairs of raters who
rated the subject or, for groups of g > 2 raters, the number of groups whose members do not all agree. A missing rating
does not disagree with any other rating.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from math import comb, lcm
from typing import Any

import numpy as np

from kappamax._integers import widen
from kappamax._rootsum import RootSum
from kappamax._tolerances import EXACT_DOUBLES
from kappamax._typing import Array, Codes, Floats, Integers
from kappamax.disagreement.quadratic_forms import weighted_sum
from kappamax.patterns import category_counts, pair_counts
from kappamax.weights import PairWeights, Weights

PATTERNS_PER_BLOCK = 8_192  # patterns whose numbers fit into the cache of the processor
_FEW_ROOTS = 8  # for fewer roots, one lookup per root is cheaper than additions at scattered positions


class PatternDisagreement:
    """Disagreement within patterns of ratings under given weights.

    Parameters
    ----------
    weights : Weights or PairWeights
        Disagreement weights.
    n_raters, n_categories : int
        Numbers of raters and categories.
    group_size : int
        Number of raters who must agree at a time (g), default 2.

    Attributes
    ----------
    radicands : tuple of int
        Square-free numbers whose roots occur in the weights; (1,) for rational weights.
    denominator : int
        Common denominator of all weights. Exact disagreement is in units of 1 / denominator.
    largest : int
        Upper bound of the exact disagreement of one pattern.
    """

    def __init__(self, weights: Weights | PairWeights, n_raters: int, n_categories: int, group_size: int = 2) -> None:
        self.weights = weights
        self.n_raters, self.n_categories, self.group_size = n_raters, n_categories, group_size
        different = list(weights.by_pair.values()) if isinstance(weights, PairWeights) else [weights]
        self.radicands = tuple(sorted(frozenset().union(*(one.roots for one in different)))) or (1,)
        self.denominator = lcm(*(one.denominator for one in different))
        largest = max(int(one.multipliers.max()) * (self.denominator // one.denominator) for one in different)
        self.largest = largest * comb(n_raters, group_size)

    def pairs(self) -> Iterator[tuple[int, int, Weights]]:
        """Yield every pair of raters and its weights."""
        for a, b in combinations(range(self.n_raters), 2):
            yield a, b, self.weights.by_pair[a, b] if isinstance(self.weights, PairWeights) else self.weights

    def entries(self, factor: int = 1) -> Iterator[tuple[int, int, Array]]:
        """Yield every pair of raters and the exact disagreement of their ratings, shape (k, k, number of radicands).

        The sum over all pairs, times `factor`, does not overflow. Pairs that share their weights share the array.
        """
        made: dict[int, Array] = {}
        for a, b, weights in self.pairs():
            if id(weights) not in made:
                whole = self._multipliers(weights, self.largest * factor)
                parts = [np.where(weights.radicands == f, whole, 0) for f in self.radicands]
                made[id(weights)] = np.stack(parts, axis=2)
            yield a, b, made[id(weights)]

    def exact(self, patterns: Codes, bound: int) -> Array:
        """Return the disagreement of each pattern, shape (m, number of radicands), as whole numbers.

        Python integers are used if numbers up to `bound`, which is at least `largest`, would overflow.
        """
        if self.group_size > 2:
            ways = widen([comb(n, self.group_size) for n in range(self.n_raters + 1)], bound)
            counts = category_counts(patterns, self.n_categories)
            return np.asarray((ways[counts.sum(axis=1)] - ways[counts].sum(axis=1)) * self.denominator)[:, None]
        scores = widen(np.zeros((len(patterns), len(self.radicands)), dtype=np.int64), bound)
        if self._through_counts and isinstance(self.weights, Weights) and len(self.radicands) <= _FEW_ROOTS:
            kind = _exact_type(2 * bound)
            counts = category_counts(patterns, self.n_categories).astype(kind)
            for root, f in enumerate(self.radicands):
                matrix = np.where(self.weights.radicands == f, self._multipliers(self.weights, 2 * bound), 0)
                scores[:, root] = (counts @ matrix.astype(kind) * counts).sum(axis=1) // 2
            return scores
        roots, rows = np.array(self.radicands), np.arange(len(patterns))
        for weights, cells in self._meetings(patterns):
            whole = self._multipliers(weights, bound)
            if len(roots) <= _FEW_ROOTS:
                for root, f in enumerate(self.radicands):
                    scores[:, root] += _with_missing(np.where(weights.radicands == f, whole, 0)).take(cells)
            else:
                columns = np.searchsorted(roots, weights.radicands).clip(max=len(roots) - 1)
                scores[rows, _with_missing(columns).take(cells)] += _with_missing(whole).take(cells)
        return scores

    def real(self, patterns: Codes) -> Floats:
        """Return the disagreement of each pattern in doubles, shape (m,), in units of u."""
        if self.group_size > 2:
            return np.asarray(self.exact(patterns, self.largest)[:, 0].astype(float) / self.denominator)
        if self._through_counts and isinstance(self.weights, Weights):
            counts = category_counts(patterns, self.n_categories).T.astype(float)
            return np.asarray(((self.weights.matrix @ counts) * counts).sum(axis=0) / 2)
        total = np.zeros(len(patterns))
        for weights, cells in self._meetings(patterns):
            total += _with_missing(weights.matrix).take(cells)
        return total

    def total(self, patterns: Codes, counts: Integers) -> RootSum:
        """Return the exact sum of the disagreement over all subjects."""
        k = self.n_categories
        if self.group_size > 2:
            scores = self.exact(patterns, self.largest)[:, 0]
            return RootSum(int(scores.astype(object) @ counts.astype(object)))
        if self._through_counts and isinstance(self.weights, Weights):
            bound = int(counts.sum()) * self.n_raters**2
            kind = _exact_type(bound)
            met = np.zeros((k, k), dtype=kind)  # number of pairs of ratings i and j, both orders if i != j
            for start in range(0, len(patterns), PATTERNS_PER_BLOCK):
                block = slice(start, start + PATTERNS_PER_BLOCK)
                chosen = category_counts(patterns[block], k).astype(kind)
                met += chosen.T @ (chosen * counts[block, None].astype(kind))
            return weighted_sum(widen(met, bound), self.weights) * self.denominator / 2
        total = RootSum()
        for a, b, weights in self.pairs():
            total += weighted_sum(pair_counts(patterns[:, a], patterns[:, b], counts, k), weights)
        return total * self.denominator

    @cached_property
    def _through_counts(self) -> bool:
        """Whether c' U c / 2, with the category counts c, is cheaper than a sum over pairs of raters."""
        return isinstance(self.weights, Weights) and self.n_categories**2 < comb(self.n_raters, 2)

    def _multipliers(self, weights: Weights, bound: int) -> Array:
        """Return the multipliers of the weights of one pair over the common denominator."""
        return np.asarray(widen(weights.multipliers, bound) * (self.denominator // weights.denominator))

    def _meetings(self, patterns: Codes) -> Iterator[tuple[Weights, Integers]]:
        """Yield the weights of every pair of raters, and the cell of their ratings in matrices `_with_missing`."""
        base = self.n_categories + 1
        for a, b, weights in self.pairs():
            cells = patterns[:, a].astype(np.int64) % base  # the code -1 of a missing rating becomes the last position
            cells *= base
            cells += patterns[:, b] % base
            yield weights, cells


def _exact_type(bound: int) -> np.dtype[Any]:
    """Return the type in which matrix products of whole numbers are exact and fast; BLAS supports only doubles."""
    return np.dtype(float) if bound < EXACT_DOUBLES else widen([bound], bound).dtype


def _with_missing(matrix: Array) -> Array:
    """Return a k x k matrix with an additional row and column of zeros for missing ratings."""
    k = len(matrix)
    wide = np.zeros((k + 1, k + 1), dtype=matrix.dtype)  # np.pad would mix 64-bit zeros with Python integers
    wide[:k, :k] = matrix
    return wide
