"""Patterns and counts in, one immutable table out.

A table says how often each pattern of ratings occurs. With 20 raters and 5 categories there are 10^14 possible
patterns, but at most one per subject occurs, so only those are held; a dense array is a view for small designs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._checks import tables as checks
from kappamax._result import plain
from kappamax._rootsum import dot
from kappamax.display import html, text

__all__ = [
    "MISSING",
    "Label",
    "Table",
    "category_counts",
    "group_patterns",
    "margins_of",
    "n_ratings_of",
    "pair_counts",
]

Label = str | int | float
MISSING = -1


class Table:
    """How often each pattern of ratings occurs.

    Usually made by `from_ratings`, `from_counts` or `read_ratings`. Equal patterns are merged, patterns without a
    rating or with count zero are dropped, and the rest is sorted, so equal data give equal tables.

    Parameters
    ----------
    patterns : integers, shape (m, n_raters)
        For each pattern the position in `categories` of every rater's rating; -1 where there is none.
    counts : integers, shape (m,)
        Subjects with that pattern.
    categories : sequence of labels
        All categories, used or not.
    raters : sequence of str, optional
        Names; "1", "2", ... if left out.
    ordered : bool
        Whether the order of `categories` means something. Weights that need an order refuse a table without one.
    n_left_out : int
        Subjects that were given but are not among the patterns, for the record.

    Examples
    --------
    >>> Table([[0, 0], [0, 1]], [3, 1], ["no", "yes"], ordered=True).margins
    array([[4, 0],
           [3, 1]])
    """

    patterns: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]
    categories: tuple[Label, ...]
    raters: tuple[str, ...]
    ordered: bool
    #: subjects that were given but are not in the table, since nobody rated them or they were dropped on request
    n_left_out: int

    def __init__(
        self,
        patterns: npt.ArrayLike,
        counts: npt.ArrayLike,
        categories: Sequence[Label],
        raters: Sequence[str] | None = None,
        *,
        ordered: bool,
        n_left_out: int = 0,
    ) -> None:
        codes = checks.patterns(patterns, n_categories=len(categories))
        sizes = checks.pattern_counts(counts, n_patterns=len(codes))
        self.categories = checks.categories(categories)
        self.raters = checks.rater_names(raters, codes.shape[1])
        self.ordered = bool(ordered)
        self._hold(codes, sizes, n_left_out)
        checks.every_rater_rated(self.raters, self.margins.sum(axis=1))

    def like(self, patterns: npt.ArrayLike, counts: npt.ArrayLike) -> Table:
        """Other patterns of the same raters and categories, taken as they are: codes in range, counts >= 0."""
        made = Table.__new__(Table)
        made.categories, made.raters, made.ordered = self.categories, self.raters, self.ordered
        made._hold(np.asarray(patterns, dtype=np.int32), np.asarray(counts, dtype=np.int64))
        return made

    def _hold(self, codes: npt.NDArray[np.int32], sizes: npt.NDArray[np.int64], n_left_out: int = 0) -> None:
        """Keep patterns and counts, grouped and sorted."""
        self.patterns, self.counts = group_patterns(codes, sizes, n_categories=len(self.categories))
        self.patterns.setflags(write=False)
        self.counts.setflags(write=False)
        self.n_left_out = n_left_out + int(sizes.sum()) - self.n_subjects

    @property
    def n_subjects(self) -> int:
        """Subjects with at least one rating (N)."""
        return int(self.counts.sum())

    @property
    def n_raters(self) -> int:
        """Number of raters (r)."""
        return len(self.raters)

    @property
    def n_categories(self) -> int:
        """Number of categories, unused ones included (k)."""
        return len(self.categories)

    @cached_property
    def n_ratings(self) -> npt.NDArray[np.int64]:
        """How many ratings each pattern holds, shape (m,)."""
        return n_ratings_of(self.patterns)

    @property
    def n_missing(self) -> int:
        """Ratings that are missing, over all subjects that have one."""
        return dot(self.counts, self.n_raters - self.n_ratings)

    @property
    def n_incomplete(self) -> int:
        """Subjects that lack the rating of at least one rater."""
        return int(self.counts[self.n_ratings < self.n_raters].sum())

    @property
    def complete(self) -> bool:
        """Whether every rater rated every subject."""
        return bool((self.n_ratings == self.n_raters).all())

    @cached_property
    def margins(self) -> npt.NDArray[np.int64]:
        """How often each rater used each category, shape (n_raters, n_categories)."""
        margins = margins_of(self.patterns, self.counts, self.n_categories)
        margins.setflags(write=False)
        return margins

    def pair(self, first: str | int, second: str | int) -> npt.NDArray[np.int64]:
        """The k x k counts of two raters, over the subjects both rated."""
        a, b = self.rater_index(first), self.rater_index(second)
        return pair_counts(self.patterns[:, a], self.patterns[:, b], self.counts, self.n_categories)

    def dense(self) -> npt.NDArray[np.int64]:
        """The k^r array of counts, for complete tables of at most 10 million cells."""
        shape = checks.dense_shape(self.n_categories, self.n_raters, self.complete)
        array = np.zeros(shape, dtype=np.int64)
        array[tuple(self.patterns.T)] = self.counts
        return array

    def select(self, raters: Sequence[str | int]) -> Table:
        """The table of some of the raters, in the order given."""
        columns = [self.rater_index(rater) for rater in raters]
        names = [self.raters[column] for column in columns]
        return Table(self.patterns[:, columns], self.counts, self.categories, names, ordered=self.ordered)

    def collapse(self, category: Label) -> Table:
        """The two-category table "this category" against "any other"."""
        position = checks.category_index(self.categories, category)
        codes = np.where(self.patterns == MISSING, MISSING, self.patterns != position)
        return Table(codes, self.counts, (str(category), f"not {category}"), self.raters, ordered=False)

    def rater_index(self, rater: str | int) -> int:
        """The column of a rater given by name, or by position if it is an integer."""
        return checks.rater_index(self.raters, rater)

    def labels(self) -> list[list[Label | None]]:
        """The patterns as labels, None where a rating is missing."""
        names: list[Label | None] = [*self.categories, None]
        return [[names[code] for code in pattern] for pattern in self.patterns.tolist()]

    def to_dict(self) -> dict[str, Any]:
        """Categories, raters, patterns as labels, and counts, ready for JSON."""
        return {
            "categories": list(self.categories),
            "raters": list(self.raters),
            "patterns": self.labels(),
            "counts": plain(self.counts),
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return (
            self.categories == other.categories
            and self.raters == other.raters
            and self.ordered == other.ordered
            and np.array_equal(self.patterns, other.patterns)
            and np.array_equal(self.counts, other.counts)
        )

    def __hash__(self) -> int:
        return hash((self.categories, self.raters, self.patterns.tobytes(), self.counts.tobytes()))

    def __repr__(self) -> str:
        missing = f", {text.plural(self.n_missing, 'missing rating')}" if self.n_missing else ""
        return (
            f"Table({text.plural(self.n_subjects, 'subject')}, {self.n_raters} raters, "
            f"categories {text.listing(self.categories)}{missing})"
        )

    def _repr_html_(self) -> str:
        if self.n_raters == 2 and self.complete:
            return html.heat_table(
                self.dense(),
                self.categories,
                self.categories,
                caption=f"{self.raters[0]} by {self.raters[1]}",
            )
        order = np.argsort(-self.counts, kind="stable")[: text.MAX_ROWS]
        rows = [[*self.labels()[i], int(self.counts[i])] for i in order]
        hidden = len(self.counts) - len(rows)
        note = f"{self!r}" + (f"; {hidden} more patterns" if hidden else "")
        return html.table([*self.raters, "subjects"], rows, caption=note)


def group_patterns(
    codes: npt.NDArray[np.int32], counts: npt.NDArray[np.int64] | None, *, n_categories: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Distinct patterns in lexicographic order and how often each occurs; the one group-by.

    Parameters
    ----------
    codes : integers, shape (n, n_raters)
        One row per subject (or per pattern, with `counts`); -1 is missing. Rows without a rating are dropped.
    counts : integers, shape (n,), optional
        Subjects each row stands for; one each if left out.
    n_categories : int
        Codes are below this.
    """
    base = n_categories + 1
    keys, n_keys = np.zeros(len(codes), dtype=np.int64), 1
    for column in codes.T:
        if n_keys > 2**62 // base:  # the mixed-radix key would overflow: number the prefixes seen so far instead
            distinct, keys = np.unique(np.append(keys, 0), return_inverse=True)
            keys, n_keys = keys[:-1], len(distinct)
        keys *= base
        keys += column
        keys += 1
        n_keys *= base
    order = np.argsort(keys)
    keys = keys[order]
    kept = keys > 0  # a key of zero is a subject nobody rated
    if counts is not None:
        kept &= counts[order] > 0
    if not kept.all():
        order, keys = order[kept], keys[kept]
    is_new = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    starts = np.flatnonzero(is_new)
    if counts is None:
        sums = np.diff(starts, append=len(keys))
    else:
        sums = np.add.reduceat(counts[order], starts) if len(starts) else np.zeros(0, dtype=np.int64)
    return np.asfortranarray(codes[order[starts]]), sums


def n_ratings_of(patterns: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """How many ratings each pattern holds, shape (m,)."""
    total = np.zeros(len(patterns), dtype=np.int64)
    for column in patterns.T:  # one rater at a time: patterns are stored by rater
        total += column != MISSING
    return total


def margins_of(
    patterns: npt.NDArray[np.int32], counts: npt.NDArray[np.int64], n_categories: int
) -> npt.NDArray[np.int64]:
    """How often each rater used each category, shape (n_raters, n_categories)."""
    margins = np.empty((patterns.shape[1], n_categories), dtype=np.int64)
    for rater, codes in enumerate(patterns.T):
        rated = codes != MISSING
        margins[rater] = _sum_at(codes[rated], counts[rated], n_categories)
    return margins


def pair_counts(
    first: npt.NDArray[np.int32],
    second: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int64],
    n_categories: int,
) -> npt.NDArray[np.int64]:
    """The k x k counts of two raters' codes, over the subjects both rated."""
    both = (first != MISSING) & (second != MISSING)
    cells = first[both].astype(np.int64) * n_categories + second[both]
    return _sum_at(cells, counts[both], n_categories**2).reshape(n_categories, n_categories)


def category_counts(patterns: npt.NDArray[np.int32], n_categories: int) -> npt.NDArray[np.int64]:
    """How many raters chose each category in each pattern, shape (m, n_categories)."""
    counts = np.zeros((n_categories, len(patterns)), dtype=np.int64)
    for category, row in enumerate(counts):
        for column in patterns.T:
            row += column == category
    return counts.T


def _sum_at(positions: npt.NDArray[Any], counts: npt.NDArray[np.int64] | None, size: int) -> npt.NDArray[np.int64]:
    """Sum counts (or ones) at integer positions, exactly: `bincount` with weights would go through doubles."""
    if counts is None or (counts == 1).all():
        return np.bincount(positions, minlength=size)
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, positions, counts)
    return total
