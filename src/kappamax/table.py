"""Hold how often each pattern of ratings occurs.

With 20 raters and 5 categories there are 10^14 possible patterns, but at most one per subject occurs, so only those are
held; a dense array is a view for small designs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._integers import dot
from kappamax._result import plain
from kappamax._typing import Codes, Integers
from kappamax._validate import as_rater_index, cell_name, is_number
from kappamax.display import html, text
from kappamax.errors import InvalidOptionError, InvalidRatingsError, InvalidTableError, NotSupportedError
from kappamax.patterns import MISSING, as_dense_shape, group_patterns, margins_of, n_ratings_of, pair_counts

Label = str | int | float

LARGEST_TOTAL = 2**62  # subjects of a table; counts and their sums then fit into 64 bits
_GROUPED_AT_ONCE = 20_000


class Rows(NamedTuple):
    """Patterns that may repeat, how many subjects each stands for, and how many ratings each holds."""

    patterns: Codes
    counts: Integers
    n_ratings: Integers


class Table:
    """How often each pattern of ratings occurs.

    Usually made by `from_ratings`, `from_counts` or `read_ratings`. Equal patterns are merged, patterns without a
    rating or with count zero are dropped, and the rest is sorted, so equal data give equal tables.

    Parameters
    ----------
    patterns : integers, shape (m, n_raters)
        For each pattern the position in `categories` of every rater's rating; -1 where there is none.
    counts : integers, shape (m,), or None
        Number of subjects with that pattern. None if every row is one subject.
    categories : sequence of labels
        All categories, used or not.
    raters : sequence of str, optional
        Names; "1", "2", ... if left out.
    ordered : bool
        Whether the order of `categories` means something. Weights that need an order refuse a table without one.
    n_left_out : int
        Number of subjects that were given but are not among the patterns, for the record.

    Attributes
    ----------
    n_subjects, n_raters, n_categories : int
        Number of subjects with at least one rating (N), of raters (r) and of categories, unused ones included (k).
    rows : Rows
        The patterns as they are held: distinct, or one per subject where there are many. Sums over subjects need no
        more; `patterns` and `counts` hold each distinct pattern once.
    n_left_out : int
        Subjects that were given but are not in the table, since nobody rated them or they were dropped on request.

    Examples
    --------
    >>> Table([[0, 0], [0, 1]], [3, 1], ["no", "yes"], ordered=True).margins
    array([[4, 0],
           [3, 1]])
    """

    categories: tuple[Label, ...]
    raters: tuple[str, ...]
    ordered: bool
    rows: Rows
    n_subjects: int
    n_raters: int
    n_categories: int
    n_left_out: int

    def __init__(
        self,
        patterns: npt.ArrayLike,
        counts: npt.ArrayLike | None,
        categories: Sequence[Label],
        raters: Sequence[str] | None = None,
        *,
        ordered: bool,
        n_left_out: int = 0,
    ) -> None:
        codes = _as_patterns(patterns, len(categories))
        sizes = None if counts is None else as_counts(counts)
        if sizes is not None and sizes.shape != (len(codes),):
            raise InvalidTableError(f"counts must hold one number per pattern ({len(codes)}); got shape {sizes.shape}.")
        if sizes is not None and not sizes.any():
            raise InvalidRatingsError("there is no subject to compare: every count is zero.")
        self.categories = as_categories(categories)
        self.raters = as_rater_names(raters, codes.shape[1])
        self.ordered = bool(ordered)
        self._hold(codes, sizes, n_left_out)
        idle = np.flatnonzero(self.margins.sum(axis=1) == 0)
        if len(idle):
            raise InvalidRatingsError(f"every rater must have rated a subject; {self.raters[idle[0]]!r} rated none.")

    def like(self, patterns: npt.ArrayLike, counts: npt.ArrayLike) -> Table:
        """Other patterns of the same raters and categories, taken as they are: codes in range, counts >= 0."""
        made = Table.__new__(Table)
        made.categories, made.raters, made.ordered = self.categories, self.raters, self.ordered
        made._hold(np.asarray(patterns, dtype=np.int32), np.asarray(counts, dtype=np.int64), 0)
        return made

    def _hold(self, codes: Codes, sizes: Integers | None, n_left_out: int) -> None:
        """Keep patterns and counts: grouped and sorted at once, or, for many single subjects, when that is needed."""
        self.n_raters, self.n_categories = codes.shape[1], len(self.categories)
        given = len(codes) if sizes is None else int(sizes.sum())
        if sizes is None and len(codes) > _GROUPED_AT_ONCE:
            n_ratings = n_ratings_of(codes)
            if not n_ratings.all():
                codes, n_ratings = codes[n_ratings > 0], n_ratings[n_ratings > 0]
            self.rows = _read_only(Rows(codes, np.ones(len(codes), dtype=np.int64), n_ratings))
        else:
            self.rows = self.grouped = self._group(codes, sizes)
        self.n_subjects = int(self.rows.counts.sum())
        self.n_left_out = n_left_out + given - self.n_subjects

    def _group(self, codes: Codes, sizes: Integers | None) -> Rows:
        patterns, counts = group_patterns(codes, sizes, n_categories=self.n_categories)
        return _read_only(Rows(patterns, counts, n_ratings_of(patterns)))

    @cached_property
    def grouped(self) -> Rows:
        """The distinct patterns in lexicographic order, how often each occurs, and how many ratings each holds."""
        return self._group(self.rows.patterns, None)

    @property
    def patterns(self) -> Codes:
        """The distinct patterns in lexicographic order, shape (m, n_raters)."""
        return self.grouped.patterns

    @property
    def counts(self) -> Integers:
        """How often each pattern occurs, shape (m,)."""
        return self.grouped.counts

    @property
    def n_ratings(self) -> Integers:
        """How many ratings each pattern holds, shape (m,)."""
        return self.grouped.n_ratings

    @property
    def n_missing(self) -> int:
        """Ratings that are missing, over all subjects that have one."""
        return dot(self.rows.counts, self.n_raters - self.rows.n_ratings)

    @property
    def n_incomplete(self) -> int:
        """Subjects that lack the rating of at least one rater."""
        return int(self.rows.counts[self.rows.n_ratings < self.n_raters].sum())

    @cached_property
    def complete(self) -> bool:
        """Whether every rater rated every subject."""
        return bool((self.rows.n_ratings == self.n_raters).all())

    @cached_property
    def margins(self) -> Integers:
        """How often each rater used each category, shape (n_raters, n_categories)."""
        margins = margins_of(self.rows.patterns, self.rows.counts, self.n_categories)
        margins.setflags(write=False)
        return margins

    def pair(self, first: str | int, second: str | int) -> Integers:
        """The k x k counts of two raters, over the subjects both rated."""
        a, b = self.rater_index(first), self.rater_index(second)
        return pair_counts(self.rows.patterns[:, a], self.rows.patterns[:, b], self.rows.counts, self.n_categories)

    def dense(self) -> Integers:
        """The k^r array of counts, for complete tables of at most 10 million cells."""
        if not self.complete:
            raise NotSupportedError("a table with missing ratings has no dense array; use its patterns and counts.")
        array = np.zeros(as_dense_shape(self.n_categories, self.n_raters), dtype=np.int64)
        array[tuple(self.patterns.T)] = self.counts
        return array

    def select(self, raters: Sequence[str | int]) -> Table:
        """The table of some of the raters, in the order given."""
        columns = [self.rater_index(rater) for rater in raters]
        names = [self.raters[column] for column in columns]
        return Table(self.patterns[:, columns], self.counts, self.categories, names, ordered=self.ordered)

    def collapse(self, category: Label) -> Table:
        """The two-category table "this category" against "any other"."""
        if category not in self.categories:
            raise InvalidOptionError(f"category must be one of {text.listing(self.categories)}; got {category!r}.")
        position = self.categories.index(category)
        codes = np.where(self.patterns == MISSING, MISSING, self.patterns != position)
        return Table(codes, self.counts, (str(category), f"not {category}"), self.raters, ordered=False)

    def rater_index(self, rater: str | int) -> int:
        """The column of a rater given by name, or by position if it is an integer."""
        return as_rater_index(rater, self.raters)

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


def as_counts(counts: npt.ArrayLike) -> Integers:
    """Return an array of whole numbers >= 0 whose total fits into 64 bits."""
    try:
        array = np.asarray(counts)
    except ValueError:
        raise InvalidTableError("counts must form a rectangular array; its rows have different lengths.") from None
    if array.dtype.kind not in "biuf":
        array = np.array(counts, dtype=object)
        for index, item in np.ndenumerate(array):
            if not is_number(item):
                place = f"cell {cell_name(index)}" if index else "the argument"
                raise InvalidTableError(f"counts must be whole numbers >= 0; {place} is {item!r}.")
    with np.errstate(invalid="ignore"):
        wrong = ~((array >= 0) & (array == np.floor(array)) & (array < LARGEST_TOTAL))
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        place = f"cell {cell_name(where)}" if where else "the argument"
        if array[where] >= LARGEST_TOTAL:
            raise InvalidTableError(f"counts must be below 2^62; {place} is {float(array[where]):g}.")
        raise InvalidTableError(f"counts must be whole numbers >= 0; {place} is {array[where]:g}.")
    whole = array.astype(np.int64)
    if (total := float(whole.astype(float).sum())) >= LARGEST_TOTAL:
        raise InvalidTableError(f"counts must add up to less than 2^62; got {total:.3g}.")
    return whole


def require_labels_in_order(labels: Sequence[Any]) -> None:
    """Require a sequence of labels: text is a sequence of letters, and a set or a mapping has no order."""
    if isinstance(labels, str):
        raise InvalidOptionError(f"categories must be a sequence of labels; got the text {labels!r}.")
    if not hasattr(labels, "__getitem__") or not hasattr(labels, "__len__") or isinstance(labels, Mapping):
        raise InvalidOptionError(f"categories must be a list of labels in order; got {type(labels).__name__}.")
    for label in labels:
        if not isinstance(label, Hashable):
            raise InvalidOptionError(f"categories must be a list of labels; {label!r} is not a label.")


def as_categories(labels: Sequence[Any]) -> tuple[Any, ...]:
    """Return at least one label, none of them twice."""
    require_labels_in_order(labels)
    if not len(labels):
        raise InvalidOptionError("categories must name at least one category; got none.")
    if (twice := _repeated(labels)) is not None:
        raise InvalidOptionError(f"categories must differ; {twice!r} occurs twice.")
    return tuple(labels)


def as_rater_names(names: Sequence[str] | None, n_raters: int) -> tuple[str, ...]:
    """Return one distinct name per rater."""
    if names is None:
        return tuple(str(i + 1) for i in range(n_raters))
    texts = tuple(str(name) for name in names)
    if len(texts) != n_raters:
        raise InvalidOptionError(f"raters must name all {n_raters} raters; got {len(texts)} names.")
    if (twice := _repeated(texts)) is not None:
        raise InvalidOptionError(f"raters must have different names; {twice!r} occurs twice.")
    return texts


def _as_patterns(codes: npt.ArrayLike, n_categories: int) -> Codes:
    """Return an (m, r) array of positions in the categories, -1 for missing."""
    try:
        array = np.asarray(codes)
    except ValueError:
        raise InvalidTableError("patterns must have one entry per rater; its rows have different lengths.") from None
    if array.size and array.dtype.kind not in "biu":
        raise InvalidTableError(
            f"patterns must be whole numbers, positions in the categories; got {array.dtype} values."
        )
    if array.ndim != 2:
        raise InvalidTableError(f"patterns must be a 2-D array, one column per rater; got {array.ndim} dimensions.")
    if array.shape[1] < 2:
        raise InvalidRatingsError(f"agreement needs at least two raters; got {array.shape[1]}.")
    if array.shape[0] == 0:
        raise InvalidRatingsError("there is no subject to compare.")
    if array.min() < -1 or array.max() >= n_categories:
        wrong = np.argwhere((array < -1) | (array >= n_categories))[0]
        raise InvalidTableError(
            f"patterns must hold positions 0 to {n_categories - 1}, or -1 for missing; "
            f"cell {cell_name(wrong)} is {array[tuple(wrong)]}."
        )
    return np.array(array, dtype=np.int32, order="F")


def _repeated(labels: Sequence[Any]) -> Any:
    """The first label that occurs twice, or None."""
    return next((label for label, times in Counter(labels).items() if times > 1), None)


def _read_only(rows: Rows) -> Rows:
    for array in rows:
        array.setflags(write=False)
    return rows
