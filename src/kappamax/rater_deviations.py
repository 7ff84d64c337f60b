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

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from kappamax._integers import Digits
from kappamax._semidefinite import RegularPart, regular_part
from kappamax._typing import Array, Codes, Integers
from kappamax.display import numbers
from kappamax.errors import NotSupportedError
from kappamax.patterns import MISSING, margins_of
from kappamax.table import Table

#: largest number of rows of a covariance matrix
MOST_COORDINATES = 2000
_MOST_WORK = 20_000_000  # additions of whole numbers of any size for a covariance matrix, which take some seconds
_SET_WORK = 10_000  # additions that take as long as the other work for one set of raters


class RaterSet(NamedTuple):
    """Patterns of the subjects with the same raters and with ratings that are not all equal.

    Attributes
    ----------
    raters : tuple of int
        Raters of these subjects.
    patterns : integers, shape (m, number of these raters)
        Positions of the categories among the compared ones.
    counts : integers, shape (m,)
        Number of subjects with each pattern.
    """

    raters: tuple[int, ...]
    patterns: Codes
    counts: Integers


class SameSize(NamedTuple):
    """Patterns of the subjects with the same number of ratings, which are not all equal.

    Attributes
    ----------
    raters, patterns : integers, shape (n, number of ratings)
        Raters of each pattern, and their ratings.
    counts : integers, shape (n,)
        Number of subjects with each pattern.
    """

    raters: Codes
    patterns: Codes
    counts: Integers

    @property
    def n_ratings(self) -> int:
        """Number of ratings of each subject."""
        return int(self.patterns.shape[1])


@dataclass(frozen=True)
class ComparedRatings:
    """Subjects from which the raters' use of the categories can be compared.

    Attributes
    ----------
    patterns : integers, shape (m, n_raters)
        Patterns of the subjects whose ratings are not all equal: positions of the categories among those in which
        these subjects were rated, the most frequent one last, and -1 for a missing rating.
    counts : integers, shape (m,)
        Number of subjects with each of these patterns.
    n_categories : int
        Number of categories in which these subjects were rated.
    n_subjects : int
        Number of subjects with two or more ratings, whether these are equal or not.
    """

    patterns: Codes
    counts: Integers
    n_categories: int
    n_subjects: int

    @classmethod
    def of(cls, table: Table) -> ComparedRatings:
        """Return the subjects of a table that were rated by two or more raters."""
        patterns, counts = table.patterns, table.counts
        rated = patterns != MISSING
        differs = (rated & (patterns != patterns.max(axis=1, keepdims=True))).any(axis=1)
        n_subjects = int(counts[table.n_ratings >= 2].sum())
        patterns, counts, rated = patterns[differs], counts[differs], rated[differs]
        uses = margins_of(patterns, counts, table.n_categories).astype(float).sum(axis=0)
        order = np.argsort(uses, kind="stable")  # forms leave out the last category, and are smallest if it is frequent
        n_unused = int((uses == 0).sum())
        places = np.append(np.argsort(order) - n_unused, MISSING).astype(np.int32)
        return cls(places[patterns], counts, table.n_categories - n_unused, n_subjects)

    @property
    def n_raters(self) -> int:
        """Number of raters."""
        return int(self.patterns.shape[1])

    @property
    def n_different(self) -> int:
        """Number of subjects whose ratings are not all equal."""
        return int(self.counts.sum())

    @property
    def complete(self) -> bool:
        """Whether all raters rated all of the subjects whose ratings are not all equal."""
        return bool((self.patterns != MISSING).all())

    @cached_property
    def sets(self) -> list[RaterSet]:
        """Subjects whose ratings are not all equal, by their raters."""
        rated = self.patterns != MISSING
        if rated.all():
            return [RaterSet(tuple(range(self.n_raters)), self.patterns, self.counts)]
        different, place = np.unique(rated, axis=0, return_inverse=True)
        order = np.argsort(place.reshape(-1), kind="stable")
        starts = np.searchsorted(place.reshape(-1)[order], np.arange(len(different) + 1))
        found = []
        for number, one in enumerate(different):
            rows, raters = order[starts[number] : starts[number + 1]], np.flatnonzero(one)
            found.append(RaterSet(tuple(raters.tolist()), self.patterns[np.ix_(rows, raters)], self.counts[rows]))
        return found

    @cached_property
    def sizes(self) -> list[SameSize]:
        """Subjects whose ratings are not all equal, by their number of ratings."""
        rated = self.patterns != MISSING
        n_ratings = rated.sum(axis=1)
        found = []
        for m in np.unique(n_ratings).tolist():
            rows = np.flatnonzero(n_ratings == m)
            place, raters = np.nonzero(rated[rows])
            codes = self.patterns[rows][place, raters]
            found.append(SameSize(raters.reshape(-1, m).astype(np.int32), codes.reshape(-1, m), self.counts[rows]))
        return found

    @cached_property
    def unit(self) -> int:
        """Number that makes every deviation whole: the least common multiple of the numbers of ratings."""
        return lcm(*(one.n_ratings for one in self.sizes))

    @cached_property
    def margins(self) -> Integers:
        """Number of times each rater used each category, shape (n_raters, n_categories)."""
        return margins_of(self.patterns, self.counts, self.n_categories)

    @cached_property
    def expected(self) -> Array:
        """Mean of the margins if ratings are permuted, times `unit`, as Python integers."""
        total = np.zeros((self.n_raters, self.n_categories), dtype=object)
        for one in self.sizes:
            rated = incidence(one.raters, self.n_raters)
            used = incidence(one.patterns, self.n_categories)
            total += weighted_product(rated, used, one.counts, one.n_ratings) * (self.unit // one.n_ratings)
        return total

    def deviations(self) -> Array:
        """Return the deviations times `unit`, as Python integers, shape (n_raters, n_categories)."""
        return np.asarray(self.margins.astype(object) * self.unit - self.expected)

    def require_feasible(self, n_coordinates: int, work: int) -> None:
        """Require that a covariance matrix, and the work to compute it, are not too large."""
        if n_coordinates > MOST_COORDINATES or work > _MOST_WORK:
            raise NotSupportedError(
                f"this test of marginal homogeneity compares {self.n_raters} raters in {self.n_categories} categories "
                f"by a matrix of {numbers.count(n_coordinates)} rows, which takes {numbers.rough(work)} operations; "
                f"the limits are {numbers.count(MOST_COORDINATES)} rows and {numbers.rough(_MOST_WORK)} operations."
            )


def incidence(codes: Codes, n_columns: int) -> Any:
    """Return a sparse matrix with one row per pattern: how often each code occurs in it."""
    from scipy.sparse import csr_array

    n, m = codes.shape
    rows = np.repeat(np.arange(n), m)
    return csr_array((np.ones(n * m, dtype=np.int64), (rows, codes.ravel())), shape=(n, n_columns))


def weighted_product(left: Any, right: Any, counts: Integers, largest: int) -> Array:
    """Return left' diag(counts) right as Python integers, for sparse matrices of whole numbers up to `largest`."""
    digits = Digits(counts, len(counts) * largest * largest)
    products = [(left.T @ right.multiply(part[:, None]).tocsr()).toarray() for part in digits.parts]
    return np.asarray(digits.joined(np.stack(products)).astype(object))


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
            ratings.require_feasible(k - 1, 0)
            (only,) = ratings.sets
            part = regular_part(_laplacian(only, k)[: k - 1, : k - 1])
            raters = np.repeat(np.arange(r)[:, None], part.rank, axis=1)
            return cls(raters, np.tile(part.kept, (r, 1)).astype(np.int64), part, Fraction(r - 1, r), True)
        work = sum((len(one.raters) * k) ** 2 + _SET_WORK for one in ratings.sets)
        ratings.require_feasible((r - 1) * (k - 1), work)
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


def _laplacian(one: RaterSet, n_categories: int) -> Array:
    """Return the sum over subjects of m diag(c) - c c', where m is their number of ratings, shape (k, k).

    Its entries off the diagonal are minus the numbers of pairs of ratings of one subject in two categories.
    """
    used = incidence(one.patterns, n_categories)
    pairs = weighted_product(used, used, one.counts, len(one.raters))
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
