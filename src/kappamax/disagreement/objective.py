"""A table, weights and a coefficient in; exact scores and what they are worth out.

Everything that scores tables works on this one object. Every coefficient has the form 1 - D_o / D_e: observed over
expected disagreement. The score of a table is its total observed disagreement in whole units (a vector over square
roots where the weights have them); D_e depends on the table only through how often categories were used.

This is the one file that knows of weights per pair, missing ratings and roots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import comb, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._checks import coefficients as checks
from kappamax._rootsum import RootSum, dot, quotient, rational_quotient, widen
from kappamax.disagreement.quadratic_forms import exact_form, padded, weighted_sum
from kappamax.table import Table, category_counts, margins_of, n_ratings_of, pair_counts
from kappamax.weights import PairWeights, Weights

__all__ = ["Coefficient", "Form", "Objective"]

Array = npt.NDArray[Any]


#: x' U y over the last axis of two arrays of shares: doubles give doubles, fractions give exact numbers
Form = Callable[[Array, Array], Any]


@dataclass(frozen=True)
class Coefficient:
    """One chance-corrected coefficient, as the pieces in which the coefficients differ.

    Attributes
    ----------
    name, title : str
        The word users type and the name readers see.
    expected : callable (p, n, form) -> D_e
        Expected disagreement from shares p, (..., r, k) per rater or (..., k) pooled; the number n of ratings behind
        pooled shares; and form(x, y) = x' U y. It must not care whether numbers are fractions, doubles or complex.
    use : "raters", "subjects" or "pairable"
        Which use of categories chance depends on: each rater's margins; the mean over subjects of the shares in which
        a subject's raters chose; or the pooled ratings of subjects with at least two.
    group_size : int
        How many raters must agree at a time (g); 2 is pairwise.
    by_rating : bool
        Whether a subject counts once per rating (Krippendorff) instead of once.
    chance_free : bool
        Whether expected disagreement does not depend on the ratings at all.
    """

    name: str
    title: str
    expected: Callable[[Array, Any, Form], Any]
    use: str
    group_size: int = 2
    by_rating: bool = False
    chance_free: bool = False

    def subject_weight(self, n_ratings: int) -> Fraction:
        """What one disagreeing group of raters adds to the total for a subject with so many ratings."""
        if n_ratings < self.group_size:
            return Fraction(0)
        share = Fraction(1, comb(n_ratings, self.group_size))
        return share * n_ratings if self.by_rating else share

    def subject_units(self, n_ratings: int) -> int:
        """How much a subject with so many ratings counts in the mean."""
        if n_ratings < self.group_size:
            return 0
        return n_ratings if self.by_rating else 1


class Objective:
    """The score of tables, and the coefficient's value at a score.

    Parameters
    ----------
    table : Table
        Fixes the margins, who rated whom, and so the expected disagreement.
    weights : Weights or PairWeights
        Checked against the table before (see `as_weights`).
    coefficient : Coefficient
        See `kappamax.coefficients`.
    """

    def __init__(self, table: Table, weights: Weights | PairWeights, coefficient: Coefficient) -> None:
        if isinstance(weights, PairWeights) and coefficient.use != "raters":
            checks.one_weighting_for_pooled(coefficient.title, weights.symmetric, coefficient.chance_free)
        self.table = table
        self.weights = weights
        self.coefficient = coefficient
        shares = {size: coefficient.subject_weight(size) for size in np.unique(table.n_ratings).tolist()}
        self.scale = lcm(*(share.denominator for share in shares.values()))
        #: whole factor by which a subject's disagreement enters the score, by its number of ratings
        self.factors = {0: 0} | {size: int(share * self.scale) for size, share in shares.items()}
        units = np.array([coefficient.subject_units(size) for size in range(table.n_raters + 1)])
        self.n_units = dot(table.counts, units[table.n_ratings])
        checks.some_pair_rated(self.n_units, coefficient.group_size)

    @cached_property
    def radicands(self) -> tuple[int, ...]:
        """The square-free numbers whose roots occur in scores; (1,) for rational weights."""
        return tuple(sorted(frozenset().union(*(weights.roots for weights in self._all_weights())))) or (1,)

    @cached_property
    def denominator(self) -> int:
        """The common denominator of all weights."""
        return lcm(*(weights.denominator for weights in self._all_weights()))

    def scores(self, patterns: npt.NDArray[np.int32]) -> Array:
        """The exact score of each pattern, shape (m, number of radicands), in whole units."""
        by_size = np.array([self.factors.get(size, 0) for size in range(self.table.n_raters + 1)], dtype=object)
        g = self.coefficient.group_size
        bound = self._largest_multiplier() * comb(self.table.n_raters, g) * max(self.factors.values(), default=1)
        raw = self.group_scores(patterns)[:, None] if g > 2 else self._pair_scores(patterns, bound)
        factors = widen(by_size, bound)[n_ratings_of(patterns)]
        return np.asarray(widen(raw, bound) * factors[:, None])

    @cached_property
    def score(self) -> RootSum:
        """The table's score: its total observed disagreement in whole units."""
        total = RootSum()
        for size in np.unique(self.table.n_ratings).tolist():
            patterns, counts = self.table.patterns, self.table.counts
            if not (chosen := self.table.n_ratings == size).all():
                patterns, counts = patterns[chosen], counts[chosen]
            if self.coefficient.group_size > 2:
                part = RootSum(dot(self.group_scores(patterns), counts))
            else:
                part = self._pair_total(patterns, counts)
            total += part * self.factors[size]
        return total

    def total(self, scores: Array, counts: npt.NDArray[np.int64]) -> RootSum:
        """The score of any table with these pattern scores and counts."""
        return RootSum({f: dot(scores[:, i], counts) for i, f in enumerate(self.radicands)})

    def observed(self, score: RootSum) -> RootSum:
        """Mean disagreement D_o at a score."""
        return score / (self.scale * self.denominator * self.n_units)

    @cached_property
    def expected(self) -> RootSum:
        """Mean disagreement D_e that chance alone would give.

        Raises
        ------
        UndefinedKappaError
            If it is zero, so that the coefficient is 0/0.
        """
        expected = self.expected_at(self._exact_use())
        if expected == 0:
            checks.undefined(self.table.margins, self.table.categories)
        return expected

    @cached_property
    def fixed_chance(self) -> bool:
        """Whether D_e is the same however each rater's ratings are rearranged over the subjects that rater rated.

        It is where chance depends on each rater's margins or on nothing. The pooled use of categories stays the same
        exactly when every rater who used two categories or more rated only subjects whose ratings weigh the same in it.
        """
        if self.coefficient.use == "raters" or self.coefficient.chance_free or self.table.complete:
            return True
        for codes, margin in zip(self.table.patterns.T, self.table.margins, strict=True):
            weights = {self.rating_weights[size] for size in self.table.n_ratings[codes >= 0].tolist()}
            if len(weights) > 1 and np.count_nonzero(margin) > 1:
                return False
        return True

    @cached_property
    def rating_weights(self) -> dict[int, int]:
        """How much one rating weighs in the use of categories, in whole units, by its subject's number of ratings."""
        sizes = np.unique(self.table.n_ratings).tolist()
        if self.coefficient.use == "subjects":
            return {size: self.use_scale // size for size in sizes}
        return {size: int(self.coefficient.use == "raters" or size >= 2) for size in sizes}

    @cached_property
    def use_scale(self) -> int:
        """Units of `rating_weights` in one."""
        return lcm(*np.unique(self.table.n_ratings).tolist()) if self.coefficient.use == "subjects" else 1

    def pooled_use(self, patterns: npt.NDArray[np.int32]) -> Array:
        """What one subject of each pattern adds to the pooled use of categories, shape (m, k), in whole units."""
        by_size = np.array([self.rating_weights.get(size, 0) for size in range(self.table.n_raters + 1)], dtype=object)
        bound = int(by_size.max()) * self.table.n_raters
        counts = widen(category_counts(patterns, self.table.n_categories), bound)
        return np.asarray(counts * widen(by_size, bound)[n_ratings_of(patterns)][:, None])

    def expected_at(self, use: Array) -> RootSum:
        """D_e at another use of categories, in whole units: (r, k) per rater or (k,) pooled; zero is not refused."""
        use = use.astype(object)
        total = np.asarray(use.sum(axis=-1))
        shares = np.vectorize(Fraction, otypes=[object])(use, total[..., None])
        if isinstance(self.weights, PairWeights):
            expected = self.expected_by_pair(shares, self.weights, exact_form)
        else:
            ratings = np.asarray(total / Fraction(self.use_scale))
            expected = self.coefficient.expected(shares, ratings, partial(exact_form, weights=self.weights))
        return expected if isinstance(expected, RootSum) else RootSum(expected)

    def value(self, score: RootSum) -> float:
        """The coefficient at a score: 1 - D_o / D_e, correctly rounded."""
        return quotient(self.expected - self.observed(score), self.expected)

    def exact_value(self, score: RootSum) -> Fraction | None:
        """The coefficient at a score as a fraction, or None where roots remain or the weights are not exact."""
        if not self.weights.exact:
            return None
        return rational_quotient(self.expected - self.observed(score), self.expected)

    def _all_weights(self) -> Iterator[Weights]:
        if isinstance(self.weights, PairWeights):
            yield from self.weights.by_pair.values()
        else:
            yield self.weights

    def _largest_multiplier(self) -> int:
        return max(int(w.multipliers.max()) * (self.denominator // w.denominator) for w in self._all_weights())

    @property
    def through_counts(self) -> bool:
        """Whether half of c' U c over category counts c is cheaper than a sum over pairs of raters."""
        r, k = self.table.n_raters, self.table.n_categories
        return isinstance(self.weights, Weights) and k * k < r * (r - 1) // 2

    def pairs(self) -> Iterator[tuple[int, int, Weights]]:
        """Every pair of raters and its weights."""
        for a in range(self.table.n_raters):
            for b in range(a + 1, self.table.n_raters):
                yield (
                    a,
                    b,
                    self.weights.by_pair[a, b] if isinstance(self.weights, PairWeights) else self.weights,
                )

    def entries(self) -> Iterator[tuple[int, int, Array]]:
        """Every pair of raters and the exact disagreement of their ratings, shape (k, k, number of radicands).

        In whole units before the factor of a subject's number of ratings. One subject's sum over all pairs, times that
        factor, does not overflow; sums over subjects are the caller's to bound (see `kappamax._rootsum.Digits`). Pairs
        that share their weights share the array.
        """
        made: dict[int, Array] = {}
        for a, b, weights in self.pairs():
            if id(weights) not in made:
                scale = self.denominator // weights.denominator
                bound = int(weights.multipliers.max()) * scale * max(self.factors.values()) * self.table.n_raters**2
                whole = widen(weights.multipliers, bound) * scale
                parts = [np.where(weights.radicands == f, whole, 0) for f in self.radicands]
                made[id(weights)] = np.stack(parts, axis=2)
            yield a, b, made[id(weights)]

    def _pair_scores(self, patterns: npt.NDArray[np.int32], bound: int) -> Array:
        """Disagreement summed over the pairs of raters of each pattern, in multiples of each root."""
        if isinstance(self.weights, Weights) and self.through_counts and self.radicands == (1,):
            c = widen(category_counts(patterns, self.table.n_categories), 2 * bound)
            return np.asarray((c @ widen(self.weights.multipliers, 2 * bound) * c).sum(axis=1) // 2)[:, None]
        if self.radicands == (1,):
            total = widen(np.zeros(len(patterns), dtype=np.int64), bound)
            for a, b, weights in self.pairs():
                scale = self.denominator // weights.denominator
                total += padded(widen(weights.multipliers, bound) * scale)[patterns[:, a], patterns[:, b]]
            return total[:, None]
        roots = np.array(self.radicands)
        scores = widen(np.zeros((len(patterns), len(roots)), dtype=np.int64), bound)
        rows = np.arange(len(patterns))
        for a, b, weights in self.pairs():
            cells = patterns[:, a], patterns[:, b]
            multipliers = padded(widen(weights.multipliers, bound)) * (self.denominator // weights.denominator)
            columns = padded(np.searchsorted(roots, weights.radicands).clip(max=len(roots) - 1))
            scores[rows, columns[cells]] += multipliers[cells]
        return scores

    def _pair_total(self, patterns: npt.NDArray[np.int32], counts: npt.NDArray[np.int64]) -> RootSum:
        """Disagreement summed over pairs of raters and subjects: how often each two categories met, times u."""
        k = self.table.n_categories
        if isinstance(self.weights, Weights) and self.through_counts:
            c = category_counts(patterns, k)
            bound = int(counts.sum()) * self.table.n_raters**2
            met = widen(c.T, bound) @ (widen(c, bound) * widen(counts, bound)[:, None])  # both orders of i != j
            return weighted_sum(met, self.weights) * self.denominator / 2
        total = RootSum()
        for a, b, weights in self.pairs():
            total += weighted_sum(pair_counts(patterns[:, a], patterns[:, b], counts, k), weights)
        return total * self.denominator

    def group_scores(self, patterns: npt.NDArray[np.int32]) -> Array:
        """How many groups of g raters do not all agree, for each pattern."""
        g = self.coefficient.group_size
        ways = np.array([comb(n, g) for n in range(self.table.n_raters + 1)], dtype=object)
        counts = category_counts(patterns, self.table.n_categories)
        return np.asarray((ways[counts.sum(axis=1)] - ways[counts].sum(axis=1)) * self.denominator)

    def _exact_use(self) -> Array:
        """Use of categories in whole units."""
        table = self.table
        if self.coefficient.use == "raters":
            return table.margins.astype(object)
        use = np.zeros(table.n_categories, dtype=object)
        for size, weight in self.rating_weights.items():
            chosen = table.n_ratings == size
            margins = margins_of(table.patterns[chosen], table.counts[chosen], table.n_categories)
            use = use + weight * margins.astype(object).sum(axis=0)
        return use

    def expected_by_pair(self, shares: Array, weights: PairWeights, pair_form: Callable[..., Any]) -> Any:
        """Cohen and Conger with weights per pair: the mean over pairs of p_a' U_ab p_b."""
        pairs = [pair_form(shares[..., a, :], shares[..., b, :], weights=w) for (a, b), w in weights.by_pair.items()]
        return sum(pairs[1:], start=pairs[0]) / len(pairs)
