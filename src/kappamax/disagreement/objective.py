"""Score tables exactly under given weights and a coefficient.

Every coefficient has the form 1 - D_o / D_e: observed over expected disagreement. The score of a table is its total
observed disagreement in whole units (a vector over square roots where the weights have them); D_e depends on the table
only through how often categories were used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import comb, lcm
from typing import Any, NoReturn

import numpy as np

from kappamax._integers import dot, widen
from kappamax._rootsum import RootSum, quotient, rational_quotient
from kappamax._typing import Array, Codes, Floats, Integers
from kappamax.disagreement.pattern_disagreement import PatternDisagreement
from kappamax.disagreement.quadratic_forms import exact_form
from kappamax.errors import InvalidRatingsError, NotSupportedError, UndefinedKappaError
from kappamax.patterns import category_counts, margins_of, n_ratings_of
from kappamax.table import Table
from kappamax.weights import PairWeights, Weights

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
            _raise_one_weighting(coefficient, weights.symmetric)
        self.table = table
        self.weights = weights
        self.coefficient = coefficient
        self.disagreement = PatternDisagreement(weights, table.n_raters, table.n_categories, coefficient.group_size)
        #: the square-free numbers whose roots occur in scores; (1,) for rational weights
        self.radicands = self.disagreement.radicands
        #: the common denominator of all weights
        self.denominator = self.disagreement.denominator
        shares = {size: coefficient.subject_weight(size) for size in self.sizes}
        self.scale = lcm(*(share.denominator for share in shares.values()))
        #: whole factor by which a subject's disagreement enters the score, by its number of ratings
        self.factors = {0: 0} | {size: int(share * self.scale) for size, share in shares.items()}
        #: how much a subject counts in the mean, by its number of ratings
        self.units = np.array([coefficient.subject_units(size) for size in range(table.n_raters + 1)])
        self.n_units = dot(table.rows.counts, self.units[table.rows.n_ratings])
        if self.n_units == 0:
            g = coefficient.group_size
            few = {2: "two", 3: "three", 4: "four"}.get(g, str(g))
            raise InvalidRatingsError(f"no subject was rated by {few} raters, so there is nothing to compare.")

    @cached_property
    def sizes(self) -> list[int]:
        """The numbers of ratings that subjects have."""
        return [self.table.n_raters] if self.table.complete else np.unique(self.table.rows.n_ratings).tolist()

    def scores(self, patterns: Codes) -> Array:
        """The exact score of each pattern, shape (m, number of radicands), in whole units."""
        bound = self.disagreement.largest * max(self.factors.values())
        raw = widen(self.disagreement.exact(patterns, bound), bound)
        return np.asarray(raw * widen(self.factors_by_size, bound)[n_ratings_of(patterns)][:, None])

    def real_scores(self, patterns: Codes) -> Floats:
        """The score of each pattern in doubles, shape (m,), in the same units."""
        factors = self.factors_by_size.astype(float) * float(self.denominator)
        return np.asarray(self.disagreement.real(patterns) * factors[n_ratings_of(patterns)])

    @property
    def factors_by_size(self) -> Array:
        """`factors` as an array over 0, ..., r ratings; 0 for numbers of ratings that no subject has."""
        return np.array([self.factors.get(size, 0) for size in range(self.table.n_raters + 1)], dtype=object)

    @cached_property
    def score(self) -> RootSum:
        """The table's score: its total observed disagreement in whole units."""
        total = RootSum()
        for size in self.sizes:
            patterns, counts = self._rows_of_size(size)
            total += self.disagreement.total(patterns, counts) * self.factors[size]
        return total

    def _rows_of_size(self, size: int) -> tuple[Codes, Integers]:
        """The table's patterns with so many ratings, and their counts."""
        rows = self.table.rows
        if len(self.sizes) == 1:
            return rows.patterns, rows.counts
        chosen = rows.n_ratings == size
        return rows.patterns[chosen], rows.counts[chosen]

    def total(self, scores: Array, counts: Integers) -> RootSum:
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
        expected = self.expected_at(self.use)
        if expected != 0:
            return expected
        margins = self.table.margins
        used = np.flatnonzero(margins.any(axis=0))
        if len(used) == 1:
            who = "both raters" if len(margins) == 2 else "all raters"
            raise UndefinedKappaError(f"{who} used only {self.table.categories[int(used[0])]!r}")
        raise UndefinedKappaError("chance leaves no disagreement to expect under these weights")

    @cached_property
    def fixed_chance(self) -> bool:
        """Whether D_e is the same however each rater's ratings are rearranged over the subjects that rater rated.

        It is where chance depends on each rater's margins or on nothing. The pooled use of categories stays the same
        exactly when every rater who used two categories or more rated only subjects whose ratings weigh the same in it.
        """
        if self.coefficient.use == "raters" or self.coefficient.chance_free or self.table.complete:
            return True
        rows = self.table.rows
        for codes, margin in zip(rows.patterns.T, self.table.margins, strict=True):
            weights = {self.rating_weights[size] for size in np.unique(rows.n_ratings[codes >= 0]).tolist()}
            if len(weights) > 1 and np.count_nonzero(margin) > 1:
                return False
        return True

    @cached_property
    def rating_weights(self) -> dict[int, int]:
        """How much one rating weighs in the use of categories, in whole units, by its subject's number of ratings."""
        if self.coefficient.use == "subjects":
            return {size: self.use_scale // size for size in self.sizes}
        return {size: int(self.coefficient.use == "raters" or size >= 2) for size in self.sizes}

    @cached_property
    def use_scale(self) -> int:
        """Units of `rating_weights` in one."""
        return lcm(*self.sizes) if self.coefficient.use == "subjects" else 1

    def pooled_use(self, patterns: Codes) -> Array:
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

    def pairs(self) -> Iterator[tuple[int, int, Weights]]:
        """Every pair of raters and its weights."""
        return self.disagreement.pairs()

    def entries(self) -> Iterator[tuple[int, int, Array]]:
        """Every pair of raters and the exact disagreement of their ratings, shape (k, k, number of radicands).

        In whole units before the factor of a subject's number of ratings. One subject's sum over all pairs, times that
        factor, does not overflow; sums over subjects are the caller's to bound (see `kappamax._integers.Digits`).
        """
        return self.disagreement.entries(max(self.factors.values()))

    @cached_property
    def use(self) -> Array:
        """How often categories were used, in whole units: shape (r, k) per rater or (k,) pooled."""
        table = self.table
        if self.coefficient.use == "raters":
            return table.margins.astype(object)
        use = np.zeros(table.n_categories, dtype=object)
        for size, weight in self.rating_weights.items():
            alone = len(self.sizes) == 1
            margins = table.margins if alone else margins_of(*self._rows_of_size(size), table.n_categories)
            use = use + weight * margins.astype(object).sum(axis=0)
        return use

    def expected_by_pair(self, shares: Array, weights: PairWeights, pair_form: Callable[..., Any]) -> Any:
        """Cohen and Conger with weights per pair: the mean over pairs of p_a' U_ab p_b."""
        pairs = [pair_form(shares[..., a, :], shares[..., b, :], weights=w) for (a, b), w in weights.by_pair.items()]
        return sum(pairs[1:], start=pairs[0]) / len(pairs)


def _raise_one_weighting(coefficient: Coefficient, symmetric: bool) -> NoReturn:
    """Coefficients other than Cohen's and Conger's are defined for one symmetric weighting."""
    what = "different weights for different pairs of raters" if symmetric else "asymmetric weights"
    if coefficient.chance_free:
        reason = f"is defined for one symmetric weighting of all pairs of raters; got {what}."
    elif symmetric:
        reason = f"pools the raters' margins, so {what} are not defined for it."
    else:
        reason = f"pools the raters' margins, so it cannot tell which rater comes first: {what} are not defined for it."
    raise NotSupportedError(f"{coefficient.title} {reason} Cohen's and Conger's kappa take them.")
