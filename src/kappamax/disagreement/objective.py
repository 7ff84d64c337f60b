"""Compute the exact score of tables, and the value of a coefficient at a score.

Every coefficient has the form 1 - D_o / D_e, where D_o is the observed and D_e the expected disagreement. The score of
a table is its total observed disagreement in whole units, which is a vector of coefficients of square roots if the
weights contain such roots. D_e depends on the table only through the use of categories.
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
from kappamax.disagreement.krippendorff_metrics import ordinal_metric
from kappamax.disagreement.pattern_disagreement import PatternDisagreement
from kappamax.disagreement.quadratic_forms import exact_form
from kappamax.errors import InvalidRatingsError, NotSupportedError, UndefinedKappaError
from kappamax.patterns import category_counts, margins_of, n_ratings_of
from kappamax.table import Table
from kappamax.weights import PairWeights, Weights

#: function that returns x' U y over the last axis of two arrays of shares, exactly if these are fractions
Form = Callable[[Array, Array], Any]


@dataclass(frozen=True)
class Coefficient:
    """Chance-corrected coefficient, described by the properties in which the coefficients differ.

    Attributes
    ----------
    name : str
        Name that users pass as an argument.
    title : str
        Name shown in results.
    expected : callable (p, n, form) -> D_e
        Function that returns the expected disagreement. Its arguments are the shares p, with shape (..., r, k) per
        rater or (..., k) pooled, the number n of ratings that pooled shares are based on, and form(x, y) = x' U y. It
        must work for fractions, doubles and complex numbers.
    use : {"raters", "subjects", "pairable"}
        Use of categories that the expected disagreement depends on. "raters" means the margins of each rater,
        "subjects" the mean over subjects of the shares of categories within a subject, and "pairable" the pooled
        ratings of subjects with at least two ratings.
    group_size : int
        Number of raters who must agree at a time (g), default 2.
    by_rating : bool
        Whether the weight of a subject is its number of ratings, as for Krippendorff's alpha. By default every subject
        has the same weight.
    chance_free : bool
        Whether the expected disagreement does not depend on the ratings, default False.
    """

    name: str
    title: str
    expected: Callable[[Array, Any, Form], Any]
    use: str
    group_size: int = 2
    by_rating: bool = False
    chance_free: bool = False

    def subject_weight(self, n_ratings: int) -> Fraction:
        """Return the contribution of one disagreeing group to the total, for a subject with `n_ratings` ratings."""
        if n_ratings < self.group_size:
            return Fraction(0)
        share = Fraction(1, comb(n_ratings, self.group_size))
        return share * n_ratings if self.by_rating else share

    def subject_units(self, n_ratings: int) -> int:
        """Return the weight of a subject with `n_ratings` ratings in the mean over subjects."""
        if n_ratings < self.group_size:
            return 0
        return n_ratings if self.by_rating else 1


class Objective:
    """Score of tables, and the value of a coefficient at a score.

    Parameters
    ----------
    table : Table
        Observed table.
    weights : Weights or PairWeights
        Weights that were checked against the table (see `as_weights`).
    coefficient : Coefficient
        Coefficient, usually one of `kappamax.coefficients.COEFFICIENTS`.

    Raises
    ------
    NotSupportedError
        If the coefficient is not defined for the weights.
    InvalidRatingsError
        If no subject was rated by enough raters.
    """

    def __init__(self, table: Table, weights: Weights | PairWeights, coefficient: Coefficient) -> None:
        if isinstance(weights, PairWeights) and coefficient.use != "raters":
            _raise_one_weighting(coefficient, weights.symmetric)
        self.table = table
        self.weights = weights
        self.coefficient = coefficient
        self.disagreement = PatternDisagreement(weights, table.n_raters, table.n_categories, coefficient.group_size)
        #: square-free numbers whose roots occur in scores; (1,) for rational weights
        self.radicands = self.disagreement.radicands
        #: common denominator of all weights
        self.denominator = self.disagreement.denominator
        shares = {size: coefficient.subject_weight(size) for size in self.sizes}
        #: common denominator of the weights of subjects, by which scores are multiplied
        self.scale = lcm(*(share.denominator for share in shares.values()))
        #: factor by which the disagreement of a subject is multiplied in the score, by its number of ratings
        self.factors = {0: 0} | {size: int(share * self.scale) for size, share in shares.items()}
        #: weight of a subject in the mean, by its number of ratings
        self.units = np.array([coefficient.subject_units(size) for size in range(table.n_raters + 1)])
        self.n_units = dot(table.rows.counts, self.units[table.rows.n_ratings])
        if self.n_units == 0:
            g = coefficient.group_size
            few = {2: "two", 3: "three", 4: "four"}.get(g, str(g))
            raise InvalidRatingsError(f"no subject was rated by {few} raters, so there is nothing to compare.")

    def for_table(self, table: Table) -> Objective:
        """Return the objective of another table; weights that depend on the use of categories are computed again."""
        weights = ordinal_metric(table) if self.varying_weights else self.weights
        return Objective(table, weights, self.coefficient)

    @property
    def varying_weights(self) -> bool:
        """Whether the weights depend on how often each category was used."""
        return isinstance(self.weights, Weights) and self.weights.depends_on_use

    def require_fixed_weights(self, what: str) -> None:
        """Require that the weights are the same for every rearrangement of the ratings.

        They are, if ratings are complete or, with missing ratings, if the pooled use of categories is the same.
        """
        if self.varying_weights and not self.fixed_chance:
            raise NotSupportedError(
                f"{what} is not available for {self.weights.name} weights and these missing ratings: a rater who used "
                "several categories rated subjects with a single rating as well as others, so rearranging the ratings "
                "changes the weights. Leave out the subjects with a single rating, which do not affect "
                f"{self.coefficient.title}, or use other weights, such as gwet-ordinal or quadratic."
            )

    @cached_property
    def sizes(self) -> list[int]:
        """Distinct numbers of ratings per subject."""
        return [self.table.n_raters] if self.table.complete else np.unique(self.table.rows.n_ratings).tolist()

    def scores(self, patterns: Codes) -> Array:
        """Return the exact score of each pattern, shape (m, number of radicands), in whole units."""
        bound = self.disagreement.largest * max(self.factors.values())
        raw = widen(self.disagreement.exact(patterns, bound), bound)
        return np.asarray(raw * widen(self.factors_by_size, bound)[n_ratings_of(patterns)][:, None])

    def real_scores(self, patterns: Codes) -> Floats:
        """Return the score of each pattern in doubles, shape (m,), in the same units."""
        factors = self.factors_by_size.astype(float) * float(self.denominator)
        return np.asarray(self.disagreement.real(patterns) * factors[n_ratings_of(patterns)])

    @property
    def factors_by_size(self) -> Array:
        """`factors` as an array over 0, ..., r ratings, with 0 for numbers of ratings that do not occur."""
        return np.array([self.factors.get(size, 0) for size in range(self.table.n_raters + 1)], dtype=object)

    @cached_property
    def score(self) -> RootSum:
        """Score of the table, which is its total observed disagreement in whole units."""
        total = RootSum()
        for size in self.sizes:
            patterns, counts = self._rows_of_size(size)
            total += self.disagreement.total(patterns, counts) * self.factors[size]
        return total

    def _rows_of_size(self, size: int) -> tuple[Codes, Integers]:
        """Return the patterns of the table with `size` ratings, and their counts."""
        rows = self.table.rows
        if len(self.sizes) == 1:
            return rows.patterns, rows.counts
        chosen = rows.n_ratings == size
        return rows.patterns[chosen], rows.counts[chosen]

    def total(self, scores: Array, counts: Integers) -> RootSum:
        """Return the score of a table from the scores and counts of its patterns."""
        return RootSum({f: dot(scores[:, i], counts) for i, f in enumerate(self.radicands)})

    def observed(self, score: RootSum) -> RootSum:
        """Return the observed disagreement D_o at a score."""
        return score / (self.scale * self.denominator * self.n_units)

    @cached_property
    def expected(self) -> RootSum:
        """Expected disagreement D_e.

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
        raise UndefinedKappaError("the expected disagreement is zero under these weights")

    @cached_property
    def fixed_chance(self) -> bool:
        """Whether D_e is the same for every rearrangement of each rater's ratings over the subjects this rater rated.

        This holds if D_e depends only on the margins of each rater, or not on the ratings at all. The pooled use of
        categories is the same for every rearrangement if and only if every rater who used two categories or more rated
        only subjects whose ratings have the same weight in it.
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
        """Weight of one rating in the use of categories, in whole units, by the subject's number of ratings."""
        if self.coefficient.use == "subjects":
            return {size: self.use_scale // size for size in self.sizes}
        return {size: int(self.coefficient.use == "raters" or size >= 2) for size in self.sizes}

    @cached_property
    def use_scale(self) -> int:
        """Number of units of `rating_weights` that make up one."""
        return lcm(*self.sizes) if self.coefficient.use == "subjects" else 1

    def pooled_use(self, patterns: Codes) -> Array:
        """Return the contribution of one subject of each pattern to the pooled use, shape (m, k), in whole units."""
        by_size = np.array([self.rating_weights.get(size, 0) for size in range(self.table.n_raters + 1)], dtype=object)
        bound = int(by_size.max()) * self.table.n_raters
        counts = widen(category_counts(patterns, self.table.n_categories), bound)
        return np.asarray(counts * widen(by_size, bound)[n_ratings_of(patterns)][:, None])

    def expected_at(self, use: Array) -> RootSum:
        """Return D_e at a use of categories in whole units, with shape (r, k) per rater or (k,) pooled.

        Unlike `expected`, it may be zero.
        """
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
        """Return the coefficient 1 - D_o / D_e at a score, correctly rounded."""
        return quotient(self.expected - self.observed(score), self.expected)

    def exact_value(self, score: RootSum) -> Fraction | None:
        """Return the coefficient at a score as a fraction, or None if it is irrational or the weights are not exact."""
        if not self.weights.exact:
            return None
        return rational_quotient(self.expected - self.observed(score), self.expected)

    def pairs(self) -> Iterator[tuple[int, int, Weights]]:
        """Yield every pair of raters and its weights."""
        return self.disagreement.pairs()

    def entries(self) -> Iterator[tuple[int, int, Array]]:
        """Yield every pair of raters and the exact disagreement of their ratings, shape (k, k, number of radicands).

        The disagreement is in whole units, before multiplication by the factor for the number of ratings. The sum over
        all pairs of one subject times that factor does not overflow. The caller must bound sums over subjects (see
        `kappamax._integers.Digits`).
        """
        return self.disagreement.entries(max(self.factors.values()))

    @cached_property
    def use(self) -> Array:
        """Use of categories in whole units, with shape (r, k) per rater or (k,) pooled."""
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
        """Return D_e of Cohen's and Conger's kappa with weights per pair, the mean over pairs of p_a' U_ab p_b."""
        pairs = [pair_form(shares[..., a, :], shares[..., b, :], weights=w) for (a, b), w in weights.by_pair.items()]
        return sum(pairs[1:], start=pairs[0]) / len(pairs)


def _raise_one_weighting(coefficient: Coefficient, symmetric: bool) -> NoReturn:
    """Raise the error for weights that only Cohen's and Conger's kappa are defined for."""
    what = "different weights for different pairs of raters" if symmetric else "asymmetric weights"
    if coefficient.chance_free:
        reason = f"requires the same symmetric weights for all pairs of raters; got {what}."
    elif symmetric:
        reason = f"pools the raters' margins and is not defined for {what}."
    else:
        reason = f"pools the raters' margins, does not distinguish the raters, and is not defined for {what}."
    raise NotSupportedError(f"{coefficient.title} {reason} Use Cohen's or Conger's kappa for such weights.")
