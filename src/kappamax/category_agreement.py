"""Compute how far raters agree on each category, without a correction for chance.

The proportion of specific agreement of a category is the probability that a second rater chooses it too, given that a
rater chose it. With two categories it is called positive and negative agreement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from kappamax._result import Result, TableResult
from kappamax._typing import Floats, Integers
from kappamax._validate import as_number_between
from kappamax.disagreement.pattern_disagreement import PATTERNS_PER_BLOCK
from kappamax.display import numbers
from kappamax.io import Ratings, as_table
from kappamax.patterns import MISSING
from kappamax.pseudo_subjects import n_pseudo_subjects
from kappamax.standard_errors import quantile_of
from kappamax.table import Label, Table


def specific_agreement(
    *ratings: Ratings, categories: Sequence[Label] | None = None, level: float = 0.95
) -> SpecificAgreement:
    """Compute the proportion of specific agreement on each category.

    If a rater put a subject into a category, this is the proportion of other raters of the same subject who put it
    there too. With n_ij of the n_i raters of subject i choosing category j, it is

        sum over i of n_ij (n_ij - 1)  /  sum over i of n_ij (n_i - 1).

    For two raters and two categories these are the indices of positive and negative agreement of Cicchetti and
    Feinstein (1990), 2a / (2a + b + c) and 2d / (2d + b + c), and the former is also the F1 score of one rater against
    the other.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject. Subjects with one
        rating are not used.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.
    level : float
        Confidence level of the intervals, default 0.95.

    Returns
    -------
    SpecificAgreement
        Proportion of every category with its standard error and confidence interval, or the reason why it is undefined.

    See Also
    --------
    two_by_two_indices : Positive and negative agreement, PABAK and other indices of a 2 x 2 table.
    category_kappas : Agreement on each category, corrected for chance.

    Notes
    -----
    The standard error is that of the delta method, with the subjects as sampling units; for two raters it is the
    formula of Graham and Bull (1998). The interval is the adjusted one of `agreement`, for the category and all others
    combined: pseudo-subjects are added before the formula is applied, so that it has a width also if the proportion is
    0 or 1. The documentation, under "What is computed", says how often it covers.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.specific_agreement(km.example("cohen1968"))
    >>> {category: round(one.value, 2) for category, one in found.categories.items()}
    {'personality disorder': 0.8, 'neurosis': 0.67, 'psychosis': 0.4}
    """
    table = as_table(*ratings, categories=categories)
    level = as_number_between("level", level, 0, 1)
    uses = _uses_by_category(table)
    compared = table.rows.n_ratings >= 2
    sizes = _tally(table.rows.n_ratings[compared], table.rows.counts[compared])
    found = {
        category: _estimate(one, sizes, table.n_raters, level)
        if len(one.counts)
        else IndexEstimate(None, None, None, None, _why_undefined(table, place, bool(sizes)))
        for place, (category, one) in enumerate(zip(table.categories, uses, strict=True))
    }
    n_subjects = sum(sizes.values())
    return SpecificAgreement(found, level, n_subjects, table.n_raters, table.frame_library, _data=table.data)


@dataclass(frozen=True, repr=False)
class IndexEstimate(Result):
    """Index of agreement with its standard error and confidence interval; ``float(result)`` returns the value.

    Attributes
    ----------
    value : float or None
        Observed index; None if it is undefined.
    exact : Fraction or None
        Observed index as a fraction; None if it is undefined.
    se : float or None
        Standard error; None if it cannot be estimated. A standard error of zero does not mean certainty; the interval
        has a width there too.
    ci : tuple of two floats, or None
        Confidence interval; None if the index is undefined.
    reason : str or None
        Reason why the index is undefined; None otherwise.
    """

    value: float | None
    exact: Fraction | None
    se: float | None
    ci: tuple[float, float] | None
    reason: str | None = None

    def __float__(self) -> float:
        return nan if self.value is None else self.value

    @property
    def _shown(self) -> str:
        """The value and the interval, or why there is none."""
        if self.value is None:
            return f"undefined: {self.reason}"
        return f"{numbers.decimal(self.value)}  ({numbers.interval(self.ci)})"


def frame_columns(name: str, estimates: dict[Any, IndexEstimate]) -> dict[str, Iterable[Any]]:
    """Return the columns of a frame with one row per estimate; the first column has the given name."""
    found = list(estimates.values())
    return {
        name: list(estimates),
        "value": [one.value for one in found],
        "se": [one.se for one in found],
        "low": [None if one.ci is None else one.ci[0] for one in found],
        "high": [None if one.ci is None else one.ci[1] for one in found],
        "reason": [one.reason for one in found],
    }


@dataclass(frozen=True, repr=False)
class SpecificAgreement(TableResult):
    """Proportion of specific agreement on each category.

    Attributes
    ----------
    categories : dict
        Proportion of each category with its standard error and interval, an `IndexEstimate`, by category.
    level : float
        Confidence level of the intervals.
    n_subjects : int
        Number of subjects with two or more ratings.
    n_raters : int
        Number of raters.
    """

    categories: dict[Label, IndexEstimate]
    level: float
    n_subjects: int
    n_raters: int
    _library: str | None = field(default=None, repr=False, compare=False)

    def _columns(self) -> dict[str, Iterable[Any]]:
        return frame_columns("category", self.categories)

    def _frame_library(self) -> str | None:
        return self._library

    def _rows(self) -> list[tuple[str, str]]:
        shown = [(str(category), one._shown) for category, one in self.categories.items()]
        return [*shown, ("intervals", f"{100 * self.level:g}%"), ("subjects", numbers.count(self.n_subjects))]


class _Uses(NamedTuple):
    """Subjects with at least two ratings who were put into a category, grouped by how often.

    Attributes
    ----------
    n_same, n_ratings : array of int
        Number of raters who chose the category, and number of all raters of the subject.
    counts : array of int
        Number of subjects.
    """

    n_same: Integers
    n_ratings: Integers
    counts: Integers


def _uses_by_category(table: Table) -> list[_Uses]:
    """Return the uses of every category by the subjects with at least two ratings."""
    base, k = table.n_raters + 1, table.n_categories
    rows = table.rows
    total: dict[int, int] = {}
    for start in range(0, len(rows.counts), PATTERNS_PER_BLOCK):
        block = slice(start, start + PATTERNS_PER_BLOCK)
        patterns, counts, n_ratings = rows.patterns[block], rows.counts[block], rows.n_ratings[block]
        rated = (patterns != MISSING) & (n_ratings >= 2)[:, None]
        row = np.broadcast_to(np.arange(len(counts))[:, None], patterns.shape)[rated]
        keys, n_same = np.unique(row * k + patterns[rated], return_counts=True)
        row, category = np.divmod(keys, k)
        for key, n in _tally((category * base + n_ratings[row]) * base + n_same, counts[row]).items():
            total[key] = total.get(key, 0) + n
    groups: list[list[tuple[int, int, int]]] = [[] for _ in range(k)]
    for key, n in sorted(total.items()):
        rest, same = divmod(key, base)
        place, size = divmod(rest, base)
        groups[place].append((same, size, n))
    return [_Uses(*np.array(group, dtype=np.int64).reshape(-1, 3).T) for group in groups]


def _tally(keys: Integers, counts: Integers) -> dict[int, int]:
    """Return the exact sum of the counts of every distinct key."""
    distinct, place = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(sums, place.reshape(-1), counts)
    return dict(zip(distinct.tolist(), sums.tolist(), strict=True))


def _why_undefined(table: Table, place: int, compared: bool) -> str:
    """Return the reason why no ratings of a category are compared."""
    if not compared:
        return "no subject has two or more ratings"
    category = table.categories[place]
    if table.margins[:, place].any():
        return f"{category!r} was used only for subjects with a single rating"
    return f"no rater used {category!r}"


def _estimate(uses: _Uses, sizes: dict[int, int], n_raters: int, level: float) -> IndexEstimate:
    """Return the proportion of one category, given how many subjects have each number of ratings."""
    groups = list(zip(*(column.tolist() for column in uses), strict=True))
    confirmed = sum(n * same * (same - 1) for same, _, n in groups)
    possible = sum(n * same * (size - 1) for same, size, n in groups)
    exact = Fraction(confirmed, possible)
    value = float(exact)
    se = sqrt(_spread(uses, value)) / possible
    return IndexEstimate(value, exact, se, _adjusted_interval(value, uses, sizes, n_raters, level))


def _spread(uses: _Uses, value: float) -> float:
    """Return the sum over subjects of the squares of confirmed - value * possible, which estimates the variance."""
    n_same, n_ratings, counts = (column.astype(float) for column in uses)
    return float(counts @ (n_same * (n_same - 1 - value * (n_ratings - 1))) ** 2)


def _adjusted_interval(
    value: float, uses: _Uses, sizes: dict[int, int], n_raters: int, level: float
) -> tuple[float, float]:
    """Return the interval after pseudo-subjects are added, whose ratings are in the category or not, equally likely.

    Their numbers of ratings are those of the subjects, as often as these occur.
    """
    n_pseudo, unanimous = n_pseudo_subjects(n_raters, 2, level)
    n_ratings, n_subjects = (np.array(column, dtype=float) for column in zip(*sizes.items(), strict=True))
    added = n_pseudo * n_subjects / n_subjects.sum()
    first, second, third, fourth = _moments(n_ratings, unanimous)
    n_same, own_ratings, counts = (column.astype(float) for column in uses)
    confirmed = counts @ (n_same * (n_same - 1)) + added @ (second - first)
    possible = counts @ (n_same * (own_ratings - 1)) + added @ (first * (n_ratings - 1))
    center = float(confirmed / possible)
    factor = 1 + center * (n_ratings - 1)  # confirmed - center * possible is x^2 - factor x for x ratings
    spread = _spread(uses, center) + added @ (fourth - 2 * factor * third + factor**2 * second)
    if n_raters == 2:
        quantile = quantile_of((1 + level) / 2, None)
    else:
        n = n_subjects.sum() + n_pseudo
        quantile = quantile_of((1 + level) / 2, n - 1) * sqrt(n / (n - 1))
    reach = quantile * sqrt(spread) / float(possible)
    return min(max(center - reach, 0.0), value), max(min(center + reach, 1.0), value)


def _moments(n_ratings: Floats, unanimous: float) -> list[Floats]:
    """Return the first four moments of the number of ratings of a pseudo-subject that are in the category.

    The ratings of a share of the pseudo-subjects are equal; those of the others are independent.
    """
    falling = [n_ratings / 2]
    for order in range(1, 4):
        falling.append(falling[-1] * (n_ratings - order) / 2)
    f1, f2, f3, f4 = falling
    independent = [f1, f2 + f1, f3 + 3 * f2 + f1, f4 + 6 * f3 + 7 * f2 + f1]
    alike = [n_ratings**order / 2 for order in range(1, 5)]
    return [(1 - unanimous) * one + unanimous * other for one, other in zip(independent, alike, strict=True)]
