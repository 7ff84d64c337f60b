"""Measure how far each rater's use of the categories is from what the ratings of the same subjects give on average.

For a subject with m ratings, of which c[i] are in category i, a rater who is like the others uses category i with
probability c[i] / m. The deviation of a rater is the number of times the rater used a category minus the sum of these
probabilities over the subjects that the rater rated. Subjects with one rating, and subjects whose ratings are all
equal, add nothing to any deviation.

If the ratings of each subject are permuted among its raters, the deviations have mean zero, and their covariance
depends only on c and m, which permuting leaves as they are:

    Cov(e[a], e[b]) = ((a == b) m - 1) / (m - 1) (diag(c) / m - c c' / m^2)

for the indicators e of the ratings of two raters of one subject.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from kappamax._integers import Digits
from kappamax._semidefinite import RegularPart, regular_part
from kappamax._typing import Array, Codes, Integers
from kappamax.display import numbers
from kappamax.errors import NotSupportedError
from kappamax.patterns import MISSING, margins_of
from kappamax.table import Table

_MOST_COORDINATES = 2000  # rows of a covariance matrix


class RaterSet(NamedTuple):
    """Patterns of the subjects with the same raters and with ratings that are not all equal.

    Attributes
    ----------
    raters : list of int
        Raters of these subjects.
    patterns : integers, shape (m, number of these raters)
        Positions of the categories among the compared ones.
    counts : integers, shape (m,)
        Number of subjects with each pattern.
    """

    raters: list[int]
    patterns: Codes
    counts: Integers


@dataclass(frozen=True)
class ComparedRatings:
    """Subjects from which the raters' use of the categories can be compared.

    Attributes
    ----------
    n_raters, n_categories : int
        Number of raters, and of the categories in which these subjects were rated differently.
    n_subjects : int
        Number of subjects with two or more ratings.
    n_different : int
        Number of these subjects whose ratings are not all equal.
    sets : tuple of RaterSet
        Subjects whose ratings are not all equal, by their raters.
    """

    n_raters: int
    n_categories: int
    n_subjects: int
    n_different: int
    sets: tuple[RaterSet, ...]

    @classmethod
    def of(cls, table: Table) -> ComparedRatings:
        """Return the subjects of a table that were rated by two or more raters."""
        patterns, counts = table.patterns, table.counts
        rated = patterns != MISSING
        high = patterns.max(axis=1)
        differs = (rated & (patterns != high[:, None])).any(axis=1)
        n_subjects = int(counts[table.n_ratings >= 2].sum())
        patterns, counts, rated = patterns[differs], counts[differs], rated[differs]
        used = np.unique(patterns[rated])
        codes = np.where(rated, np.searchsorted(used, patterns), MISSING).astype(np.int32)
        return cls(table.n_raters, len(used), n_subjects, int(counts.sum()), tuple(_by_raters(codes, counts, rated)))

    @property
    def complete(self) -> bool:
        """Whether all raters rated all of these subjects that were rated differently."""
        return all(len(one.raters) == self.n_raters for one in self.sets)

    @property
    def unit(self) -> int:
        """Number that makes every deviation whole: the least common multiple of the numbers of ratings."""
        return lcm(*(len(one.raters) for one in self.sets))

    def margins(self) -> Array:
        """Return how often each rater used each category, shape (n_raters, n_categories)."""
        total = np.zeros((self.n_raters, self.n_categories), dtype=np.int64)
        for one in self.sets:
            total[one.raters] += margins_of(one.patterns, one.counts, self.n_categories)
        return total

    def expected(self) -> Array:
        """Return `unit` times the mean of the margins if ratings are permuted, as Python integers."""
        total = np.zeros((self.n_raters, self.n_categories), dtype=object)
        for one in self.sets:
            used = margins_of(one.patterns, one.counts, self.n_categories).astype(object).sum(axis=0)
            total[one.raters] += used * (self.unit // len(one.raters))
        return total

    def deviations(self) -> Array:
        """Return `unit` times the deviations, as Python integers, shape (n_raters, n_categories)."""
        return np.asarray(self.margins().astype(object) * self.unit - self.expected())

    def require_few_coordinates(self, n_coordinates: int) -> None:
        """Require that the covariance matrix is not too large."""
        if n_coordinates > _MOST_COORDINATES:
            raise NotSupportedError(
                f"a test of marginal homogeneity compares {self.n_raters} raters in {self.n_categories} categories by "
                f"a matrix of {numbers.count(n_coordinates)} rows; the limit is {numbers.count(_MOST_COORDINATES)}."
            )


@dataclass(frozen=True)
class DeviationForm:
    """Sum of squared deviations, standardised by their covariance if ratings are permuted.

    Attributes
    ----------
    raters, categories : integers, shape (n_vectors, rank)
        Deviations that each vector of the quadratic form contains.
    part : RegularPart
        Inverse of the matrix of the form.
    scale : Fraction
        Factor of the form.
    closing : bool
        Whether the last vector is minus the sum of the others, as it is if all raters rated all subjects.
    """

    raters: Integers
    categories: Integers
    part: RegularPart
    scale: Fraction
    closing: bool

    @classmethod
    def of(cls, ratings: ComparedRatings) -> DeviationForm:
        """Return the form whose matrix is the covariance of the deviations if the ratings are permuted.

        If all raters rated all subjects, the covariance is the same for all raters, and the form is a sum over raters.
        """
        r, k = ratings.n_raters, ratings.n_categories
        if ratings.complete:
            ratings.require_few_coordinates(k - 1)
            (only,) = ratings.sets
            part = regular_part(_laplacian(only, k)[: k - 1, : k - 1])
            raters = np.repeat(np.arange(r)[:, None], part.rank, axis=1)
            return cls(raters, np.tile(part.kept, (r, 1)).astype(np.int64), part, Fraction(r - 1, r), True)
        ratings.require_few_coordinates((r - 1) * (k - 1))
        matrix, factor = _joint_covariance(ratings)
        part = regular_part(matrix)
        a, i = np.divmod(np.array([part.kept], dtype=np.int64), k - 1)
        return cls(a, i, part, Fraction(factor, ratings.unit**2), False)

    @property
    def df(self) -> int:
        """Rank of the covariance of all deviations."""
        return self.part.rank * (len(self.raters) - 1 if self.closing else 1)

    def value(self, deviations: Array) -> Fraction | float:
        """Return the form of deviations times their unit; it is exact where the inverse is."""
        return self.scale * self.part.form(deviations[self.raters, self.categories])


def _by_raters(codes: Codes, counts: Integers, rated: Array) -> Iterator[RaterSet]:
    """Yield the patterns of each set of raters."""
    if rated.all():
        if len(codes):
            yield RaterSet(list(range(codes.shape[1])), codes, counts)
        return
    sets, place = np.unique(rated, axis=0, return_inverse=True)
    order = np.argsort(place.reshape(-1), kind="stable")
    starts = np.searchsorted(place.reshape(-1)[order], np.arange(len(sets) + 1))
    for number, one in enumerate(sets):
        rows = order[starts[number] : starts[number + 1]]
        yield RaterSet(np.flatnonzero(one).tolist(), codes[np.ix_(rows, np.flatnonzero(one))], counts[rows])


def _laplacian(one: RaterSet, n_categories: int) -> Array:
    """Return the sum over subjects of m diag(c) - c c', where m is their number of ratings, shape (k, k).

    Its entries off the diagonal are minus the numbers of pairs of ratings of one subject in two categories.
    """
    from scipy.sparse import csr_array

    n, m = one.patterns.shape
    rows = np.repeat(np.arange(n), m)
    used = csr_array((np.ones(n * m, dtype=np.int64), (rows, one.patterns.ravel())), shape=(n, n_categories))
    digits = Digits(one.counts, n * m * m)
    products = np.stack([(used.T @ used.multiply(part[:, None]).tocsr()).toarray() for part in digits.parts])
    pairs = digits.joined(products).astype(object)
    np.fill_diagonal(pairs, 0)
    return np.asarray(np.diag(pairs.sum(axis=0)) - pairs)


def _joint_covariance(ratings: ComparedRatings) -> tuple[Array, int]:
    """Return the covariance of the deviations of all raters but the last, in all categories but the last.

    It is multiplied by the second number returned, which makes it whole. The deviations that are left out are minus
    the sums of the others.
    """
    r, k = ratings.n_raters, ratings.n_categories
    factor = lcm(*(len(one.raters) ** 2 * (len(one.raters) - 1) for one in ratings.sets))
    total = np.zeros((r, k - 1, r, k - 1), dtype=object)
    for one in ratings.sets:
        m = len(one.raters)
        within = _laplacian(one, k)[: k - 1, : k - 1] * (factor // (m * m * (m - 1)))
        between = m * np.eye(m, dtype=np.int64) - 1
        total[np.ix_(one.raters, range(k - 1), one.raters, range(k - 1))] += np.multiply.outer(
            between.astype(object), within
        ).transpose(0, 2, 1, 3)
    size = (r - 1) * (k - 1)
    return total[: r - 1, :, : r - 1].reshape(size, size), factor
