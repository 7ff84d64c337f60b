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
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._checks import coefficients as checks
from kappamax._exact import RootSum, dot, quotient, rational_quotient, widen
from kappamax.forms import exact_form, form, weighted_sum
from kappamax.table import Table, category_counts, margins_of, n_ratings_of, pair_counts
from kappamax.weights import PairWeights, Weights

__all__ = ["Coefficient", "Form", "Objective", "Totals"]

Array = npt.NDArray[Any]

_CHUNK_CELLS = 4_000_000


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
    """

    name: str
    title: str
    expected: Callable[[Array, Any, Form], Any]
    use: str
    group_size: int = 2
    by_rating: bool = False

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


class Totals(NamedTuple):
    """Everything a coefficient depends on, each entry a sum over subjects; leading axes are replicates."""

    score: Any
    units: Any
    size: Any
    use: Any


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
            checks.one_weighting_for_pooled(coefficient.title, weights.symmetric)
        self.table = table
        self.weights = weights
        self.coefficient = coefficient
        shares = {size: coefficient.subject_weight(size) for size in np.unique(table.n_ratings).tolist()}
        self.scale = lcm(*(share.denominator for share in shares.values()))
        #: whole factor by which a subject's disagreement enters the score, by its number of ratings
        self.factors = {0: 0} | {size: int(share * self.scale) for size, share in shares.items()}
        self.n_units = dot(table.counts, self.units.astype(np.int64))
        checks.some_pair_rated(self.n_units, coefficient.group_size)

    # Exact

    @cached_property
    def radicands(self) -> tuple[int, ...]:
        """The square-free numbers whose roots occur in scores; (1,) for rational weights."""
        seen: set[int] = set()
        for weights in self._all_weights():
            seen |= set(np.unique(weights.radicands[weights.multipliers != 0]).tolist())
        return tuple(sorted(seen)) or (1,)

    @cached_property
    def denominator(self) -> int:
        """The common denominator of all weights."""
        return lcm(*(weights.denominator for weights in self._all_weights()))

    def scores(self, patterns: npt.NDArray[np.int32]) -> Array:
        """The exact score of each pattern, shape (m, number of radicands), in whole units."""
        factors = np.array([self.factors[size] for size in n_ratings_of(patterns).tolist()], dtype=object)
        g = self.coefficient.group_size
        bound = self._largest_multiplier() * comb(self.table.n_raters, g) * max(self.factors.values(), default=1)
        raw = self._group_scores(patterns)[:, None] if g > 2 else self._pair_scores(patterns, bound)
        return np.asarray(widen(raw, bound) * widen(factors, bound)[:, None])

    @cached_property
    def score(self) -> RootSum:
        """The table's score: its total observed disagreement in whole units."""
        total = RootSum()
        for size in np.unique(self.table.n_ratings).tolist():
            patterns, counts = self.table.patterns, self.table.counts
            if not (chosen := self.table.n_ratings == size).all():
                patterns, counts = patterns[chosen], counts[chosen]
            if self.coefficient.group_size > 2:
                part = RootSum(dot(self._group_scores(patterns), counts))
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
        expected = self._exact_expected()
        if expected == 0:
            checks.undefined(self.table.margins, self.table.categories)
        return expected

    def value(self, score: RootSum) -> float:
        """The coefficient at a score: 1 - D_o / D_e, correctly rounded."""
        return quotient(self.expected - self.observed(score), self.expected)

    def exact_value(self, score: RootSum) -> Fraction | None:
        """The coefficient at a score as a fraction, or None where roots remain or the weights are not exact."""
        if not self.weights.exact:
            return None
        return rational_quotient(self.expected - self.observed(score), self.expected)

    # In doubles, for many tables at once

    @cached_property
    def disagreements(self) -> npt.NDArray[np.float64]:
        """What one subject of each pattern adds to the total disagreement, shape (m,)."""
        return self._disagreements(self.table.patterns, self.table.n_ratings)

    @cached_property
    def units(self) -> npt.NDArray[np.float64]:
        """How much one subject of each pattern counts in the mean, shape (m,)."""
        return self._units(self.table.n_ratings)

    @cached_property
    def use_weights(self) -> npt.NDArray[np.float64]:
        """How much each of a pattern's ratings counts in the use of categories, shape (m,)."""
        return self._use_weights(self.table.n_ratings)

    def features_of(self, patterns: npt.NDArray[np.int32]) -> tuple[Array, Array, Array]:
        """`disagreements`, `units` and `use_weights` for any patterns."""
        n_ratings = n_ratings_of(patterns)
        return self._disagreements(patterns, n_ratings), self._units(n_ratings), self._use_weights(n_ratings)

    def pair_matrix(self, a: int, b: int) -> npt.NDArray[np.float64]:
        """The weights between two raters, a < b."""
        return (self.weights.by_pair[a, b] if isinstance(self.weights, PairWeights) else self.weights).matrix

    def totals(self, counts: Array | None = None) -> Totals:
        """The sums a coefficient depends on, for the table's own counts or for rows of other counts, shape (..., m)."""
        if counts is None:
            own = self.table.counts.astype(float)
            return Totals(own @ self.disagreements, own @ self.units, own.sum(), self._own_use(own))
        counts = np.asarray(counts, dtype=float)
        use: Any = 0
        for chunk in self.chunks():
            use = use + np.tensordot(counts[..., chunk], self.pattern_totals(chunk).use, axes=1)
        return Totals(counts @ self.disagreements, counts @ self.units, counts.sum(axis=-1), use)

    def chunks(self) -> Iterator[slice]:
        """Slices of the patterns that keep what `pattern_totals` returns below some megabytes."""
        step = max(1, _CHUNK_CELLS // (self.table.n_raters * self.table.n_categories))
        return (slice(start, start + step) for start in range(0, len(self.table.counts), step))

    def pattern_totals(self, index: slice) -> Totals:
        """The contribution of one subject of each pattern in a slice; use is dense, so slices keep it small."""
        patterns, weights = self.table.patterns[index], self.use_weights[index]
        k = self.table.n_categories
        use = (patterns[:, :, None] == np.arange(k)) * weights[:, None, None]
        if self.coefficient.use != "raters":
            use = use.sum(axis=1)
        return Totals(self.disagreements[index], self.units[index], np.ones(len(patterns)), use)

    def value_of(self, totals: Totals) -> Array:
        """The coefficient at given totals, broadcasting over leading axes; NaN where it is 0/0."""
        expected = self.expected_of(totals.use)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = 1 - totals.score / totals.units / expected
        return np.where(expected == 0, np.nan, value)

    def expected_of(self, use: Array) -> Array:
        """Expected disagreement at a given use of categories, broadcasting over leading axes."""
        total = use.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = use / total[..., None]
            if isinstance(self.weights, PairWeights):
                return np.asarray(self._expected_by_pair(shares, self.weights, form))
            return np.asarray(self.coefficient.expected(shares, total, partial(form, weights=self.weights)))

    # Pieces

    def _all_weights(self) -> Iterator[Weights]:
        if isinstance(self.weights, PairWeights):
            yield from self.weights.by_pair.values()
        else:
            yield self.weights

    def _largest_multiplier(self) -> int:
        return max(int(w.multipliers.max()) * (self.denominator // w.denominator) for w in self._all_weights())

    def _units(self, n_ratings: Array) -> npt.NDArray[np.float64]:
        by_size = [self.coefficient.subject_units(size) for size in range(self.table.n_raters + 1)]
        return np.asarray(np.array(by_size, dtype=float)[n_ratings])

    def _use_weights(self, n_ratings: Array) -> npt.NDArray[np.float64]:
        if self.coefficient.use == "subjects":
            return np.asarray(1.0 / n_ratings.clip(min=1))
        if self.coefficient.use == "pairable":
            return np.asarray(n_ratings >= 2, dtype=float)
        return np.ones(len(n_ratings))

    def _disagreements(self, patterns: npt.NDArray[np.int32], n_ratings: Array) -> npt.NDArray[np.float64]:
        shares = np.zeros(self.table.n_raters + 1)
        for size, factor in self.factors.items():
            shares[size] = factor / self.scale
        if self.coefficient.group_size > 2:
            raw = self._group_scores(patterns).astype(float) / self.denominator
        elif isinstance(self.weights, Weights) and self._through_counts:
            c = category_counts(patterns, self.table.n_categories).astype(float)
            raw = (c @ self.weights.matrix * c).sum(axis=1) / 2
        else:
            raw = np.zeros(len(patterns))
            for a, b, weights in self._pairs():
                raw += _padded(weights.matrix)[patterns[:, a], patterns[:, b]]
        return np.asarray(raw * shares[n_ratings])

    @property
    def _through_counts(self) -> bool:
        """Whether half of c' U c over category counts c is cheaper than a sum over pairs of raters."""
        r, k = self.table.n_raters, self.table.n_categories
        return isinstance(self.weights, Weights) and k * k < r * (r - 1) // 2

    def _pairs(self) -> Iterator[tuple[int, int, Weights]]:
        """Every pair of raters and its weights."""
        for a in range(self.table.n_raters):
            for b in range(a + 1, self.table.n_raters):
                yield (
                    a,
                    b,
                    self.weights.by_pair[a, b] if isinstance(self.weights, PairWeights) else self.weights,
                )

    def _pair_scores(self, patterns: npt.NDArray[np.int32], bound: int) -> Array:
        """Disagreement summed over the pairs of raters of each pattern, in multiples of each root."""
        if isinstance(self.weights, Weights) and self._through_counts and self.radicands == (1,):
            c = widen(category_counts(patterns, self.table.n_categories), 2 * bound)
            return np.asarray((c @ widen(self.weights.multipliers, 2 * bound) * c).sum(axis=1) // 2)[:, None]
        roots = np.array(self.radicands)
        scores = widen(np.zeros((len(patterns), len(roots)), dtype=np.int64), bound)
        rows = np.arange(len(patterns))
        for a, b, weights in self._pairs():
            cells = patterns[:, a], patterns[:, b]
            multipliers = _padded(widen(weights.multipliers, bound)) * (self.denominator // weights.denominator)
            columns = _padded(np.searchsorted(roots, weights.radicands).clip(max=len(roots) - 1))
            scores[rows, columns[cells]] += multipliers[cells]
        return scores

    def _pair_total(self, patterns: npt.NDArray[np.int32], counts: npt.NDArray[np.int64]) -> RootSum:
        """Disagreement summed over pairs of raters and subjects: how often each two categories met, times u."""
        k = self.table.n_categories
        if isinstance(self.weights, Weights) and self._through_counts:
            c = category_counts(patterns, k)
            bound = int(counts.sum()) * self.table.n_raters**2
            met = widen(c.T, bound) @ (widen(c, bound) * widen(counts, bound)[:, None])  # both orders of i != j
            return weighted_sum(met, self.weights) * self.denominator / 2
        total = RootSum()
        for a, b, weights in self._pairs():
            total += weighted_sum(pair_counts(patterns[:, a], patterns[:, b], counts, k), weights)
        return total * self.denominator

    def _group_scores(self, patterns: npt.NDArray[np.int32]) -> Array:
        """How many groups of g raters do not all agree, for each pattern."""
        g = self.coefficient.group_size
        ways = np.array([comb(n, g) for n in range(self.table.n_raters + 1)], dtype=object)
        counts = category_counts(patterns, self.table.n_categories)
        return np.asarray((ways[counts.sum(axis=1)] - ways[counts].sum(axis=1)) * self.denominator)

    def _own_use(self, counts: Array) -> Array:
        """Use of categories, (r, k) per rater or (k,) pooled."""
        k, weighted = self.table.n_categories, counts * self.use_weights
        use = np.stack(
            [np.bincount(codes + 1, weights=weighted, minlength=k + 1)[1:] for codes in self.table.patterns.T]
        )
        return use if self.coefficient.use == "raters" else use.sum(axis=0)

    def _exact_use(self) -> Array:
        """Use of categories as whole numbers, or as fractions where subjects with fewer ratings count more each."""
        table = self.table
        if self.coefficient.use == "raters":
            return table.margins.astype(object)
        per_rating = {size: Fraction(1, size) for size in np.unique(table.n_ratings).tolist()}
        if self.coefficient.use == "pairable":
            per_rating = {size: Fraction(size >= 2) for size in per_rating}
        use = np.full(table.n_categories, Fraction(0), dtype=object)
        for size, weight in per_rating.items():
            chosen = table.n_ratings == size
            margins = margins_of(table.patterns[chosen], table.counts[chosen], table.n_categories)
            use = use + weight * margins.astype(object).sum(axis=0)
        return use

    def _exact_expected(self) -> RootSum:
        use = self._exact_use()
        total = np.asarray(use.sum(axis=-1))
        shares = np.vectorize(lambda number, whole: Fraction(number) / whole, otypes=[object])(use, total[..., None])
        if isinstance(self.weights, PairWeights):
            expected = self._expected_by_pair(shares, self.weights, exact_form)
        else:
            expected = self.coefficient.expected(shares, total, partial(exact_form, weights=self.weights))
        return expected if isinstance(expected, RootSum) else RootSum(expected)

    def _expected_by_pair(self, shares: Array, weights: PairWeights, pair_form: Callable[..., Any]) -> Any:
        """Cohen and Conger with weights per pair: the mean over pairs of p_a' U_ab p_b."""
        pairs = [pair_form(shares[..., a, :], shares[..., b, :], weights=w) for (a, b), w in weights.by_pair.items()]
        return sum(pairs[1:], start=pairs[0]) / len(pairs)


def _padded(matrix: Array) -> Array:
    """A k x k matrix with a row and a column of zeros at the end, where code -1 (missing) points."""
    return np.pad(matrix, ((0, 1), (0, 1)))
