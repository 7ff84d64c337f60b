"""Draw independent random tables with the margins of a table, and their scores.

Shuffling the ratings of each rater over the subjects that the rater rated makes all arrangements equally likely, which
is the null distribution of exact tests. If there are many subjects, the counts of patterns are drawn directly instead,
rater by rater or, for two raters and complete ratings, by scipy's `random_table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from kappamax._integers import Digits
from kappamax._typing import Array, Codes, Integers
from kappamax.disagreement.objective import Objective
from kappamax.fibers.limits import require_subjects_in_memory
from kappamax.fibers.rater_by_rater import RaterByRater
from kappamax.patterns import MISSING, indices_of, patterns_at
from kappamax.table import Table
from kappamax.weights import Weights

_BLOCK_RATINGS = 2_000_000
_WORTH_SCIPY = 5_000_000  # number of ratings to shuffle above which importing scipy takes less time
_SCIPY_SUBJECTS = 100_000  # above this, drawing rater by rater is faster and more precise than scipy
_SUBJECTS_PER_CELL = 8  # number of subjects that are shuffled in the time that drawing one cell takes
_MOST_DRAWN_CELLS = 2_000_000
_NUMBERS_PER_RATING = 6  # 64-bit numbers held for each rating of a table while ratings are shuffled
_LOOKED_UP_PATTERNS = 50_000  # maximum number of patterns whose scores are computed once for all draws


def random_counts(table: Table, size: int, rng: np.random.Generator) -> Integers:
    """Return the counts of random tables of complete ratings, shape (size, k, ..., k)."""
    k, r = table.n_categories, table.n_raters
    if r == 2 and table.n_subjects <= _SCIPY_SUBJECTS:
        return _two_raters(table, size, rng)
    by_rater = _cheap_way(table, classes=False)
    blocks: Iterable[Array]
    if by_rater is None:
        blocks, at = _shuffled_counts(table, size, rng), np.arange(k**r)
    else:
        blocks, at = by_rater.draw(size, rng), indices_of(by_rater.patterns.T, (k,) * r)
    counts = np.zeros((size, k**r), dtype=np.int64)
    done = 0
    for block in blocks:
        counts[done : done + len(block), at] = block
        done += len(block)
    return counts.reshape((size, *(k,) * r))


def random_tables(
    table: Table, size: int, rng: np.random.Generator, memory_limit: float | None = None
) -> Iterator[tuple[Array, Integers]]:
    """Yield random tables one at a time, as patterns and their counts; ratings may be missing."""
    by_rater = _cheap_way(table, classes=False)
    if by_rater is not None:
        for block in by_rater.draw(size, rng):
            for counts in block:
                yield by_rater.patterns[counts > 0], counts[counts > 0]
        return
    for drawn in arrangements(table, size, rng, memory_limit):
        for rows in np.moveaxis(drawn, 0, 2):
            yield rows, np.ones(len(rows), dtype=np.int64)


def arrangements(
    table: Table, size: int, rng: np.random.Generator, memory_limit: float | None = None
) -> Iterator[Integers]:
    """Yield random arrangements of the ratings over subjects, in blocks of shape (n_raters, n, n_subjects).

    If single subjects would take more memory than the limit, `NotSupportedError` is raised before they are made.
    """
    require_subjects_in_memory(table, _NUMBERS_PER_RATING * table.n_raters, memory_limit)
    columns = subject_rows(table).T
    stays = 0 if table.complete else None  # if ratings are complete, one rater need not be shuffled
    block = max(1, _BLOCK_RATINGS // max(1, columns.size))
    for start in range(0, size, block):
        n = min(block, size - start)
        drawn = np.repeat(columns[:, None, :], n, axis=1)
        for rater, column in enumerate(columns):
            rated = column != MISSING
            if rater != stays and rated.all():
                rng.permuted(drawn[rater], axis=1, out=drawn[rater])
            elif rater != stays:
                drawn[rater][:, rated] = rng.permuted(drawn[rater][:, rated], axis=1)
        yield drawn


def subject_rows(table: Table) -> Integers:
    """Return one row of category codes for each subject, shape (n_subjects, n_raters); -1 is a missing rating."""
    return np.repeat(table.patterns.astype(np.int64), table.counts, axis=0)


class ScoreSampler:
    """Sampler of the scores of random tables under an objective, which chooses the fastest of three methods.

    The time that shuffling takes depends on the number of subjects. The time of scipy's `random_table`, which is
    limited to two raters, depends on the number of cells and slightly on the number of subjects. The time of drawing
    rater by rater depends only on the number of cells.
    """

    def __init__(self, objective: Objective, memory_limit: float | None = None) -> None:
        self.objective, self.memory_limit = objective, memory_limit
        classes = isinstance(objective.weights, Weights) and objective.table.n_raters > 2
        self.by_rater = _cheap_way(objective.table, classes=classes)

    def scores(self, size: int, rng: np.random.Generator) -> Array:
        """Return the integer components of the scores of random tables, shape (size, number of radicands).

        If the expected disagreement varies, the pooled use of each category follows in k further columns.
        """
        table = self.objective.table
        two = table.n_raters == 2 and table.complete and table.n_subjects <= _SCIPY_SUBJECTS
        if two and size * table.n_subjects > _WORTH_SCIPY:
            k = table.n_categories
            return self._summands(_patterns_of(k, 2)).weighted(_two_raters(table, size, rng).reshape(size, k**2))
        if self.by_rater is not None:
            summands = self._summands(self.by_rater.patterns)
            return np.concatenate([summands.weighted(block) for block in self.by_rater.draw(size, rng)])
        return self.shuffled(size, rng)

    def shuffled(self, size: int, rng: np.random.Generator) -> Array:
        """Return the components of the scores of random tables that are made by shuffling each rater's ratings."""
        drawn = arrangements(self.objective.table, size, rng, self.memory_limit)
        return np.concatenate([self.scores_of(block) for block in drawn])

    def scores_of(self, arranged: Integers) -> Array:
        """Return the components of the scores of given arrangements of shape (n_raters, n, n_subjects)."""
        n_raters, n, n_subjects = arranged.shape
        if self._base**n_raters > min(_LOOKED_UP_PATTERNS, n * n_subjects):
            summands = self._summands(arranged.reshape(n_raters, -1).T)
            return summands.joined(summands.parts.reshape(len(summands.parts), n, n_subjects, -1).sum(axis=2))
        cells = _cells(arranged, self._base)
        if not self.objective.table.complete:
            cells += sum(self._base**rater for rater in range(n_raters))  # codes start at -1
        parts = [[column[cells].sum(axis=1) for column in digits.T] for digits in self._looked_up.parts]
        return self._looked_up.joined(np.moveaxis(np.array(parts), 1, 2))

    def _summands(self, patterns: Array) -> Digits:
        """Return the amount that one subject of each pattern adds to the score and, if needed, to the pooled use."""
        columns = [self.objective.scores(patterns)]
        if not self.objective.fixed_chance:
            columns.append(self.objective.pooled_use(patterns))
        return Digits(np.concatenate(columns, axis=1), self.objective.table.n_subjects)

    @property
    def _base(self) -> int:
        """Number of category codes, including that of a missing rating if ratings are missing."""
        return self.objective.table.n_categories + (not self.objective.table.complete)

    @cached_property
    def _looked_up(self) -> Digits:
        """Summands of all patterns, which are computed in advance if there are few patterns."""
        table = self.objective.table
        return self._summands(_patterns_of(self._base, table.n_raters) - (not table.complete))


def _cheap_way(table: Table, *, classes: bool) -> RaterByRater | None:
    """Return a sampler that draws rater by rater, or None if shuffling is faster or there are too many cells."""
    ratings = table.n_subjects * (table.n_raters - 1)
    most = min(ratings // _SUBJECTS_PER_CELL, _MOST_DRAWN_CELLS)
    return RaterByRater.of(table, classes=classes, most_cells=most)


def _two_raters(table: Table, size: int, rng: np.random.Generator) -> Integers:
    from scipy.stats import random_table  # 0.5 s to import

    rows, columns = table.margins
    if len(rows) == 1:  # scipy returns uninitialised memory for tables with a single cell
        return np.full((size, 1, 1), table.n_subjects, dtype=np.int64)
    # Boyett's method takes time in proportion to the subjects, Patefield's to the cells; the faster one is chosen
    method = "patefield" if rows.sum() > 0.7 * len(rows) * len(columns) * np.log(rows.sum() + 1) else "boyett"
    drawn = random_table.rvs(rows, columns, size=size, method=method, random_state=rng)
    return np.asarray(drawn, dtype=np.int64).reshape(size, len(rows), len(columns))


def _shuffled_counts(table: Table, size: int, rng: np.random.Generator) -> Iterator[Integers]:
    """Yield the counts of all patterns in tables made by shuffling, in blocks with one row for each table."""
    n_patterns = table.n_categories**table.n_raters
    for drawn in arrangements(table, size, rng):
        n = drawn.shape[1]
        cells = _cells(drawn, table.n_categories) + n_patterns * np.arange(n)[:, None]
        yield np.bincount(cells.ravel(), minlength=n * n_patterns).reshape(n, n_patterns)


def _cells(arranged: Integers, base: int) -> Integers:
    """Return the index of each subject's pattern in arrangements of shape (n_raters, n, n_subjects)."""
    cells = np.zeros(arranged.shape[1:], dtype=np.int64)
    for codes in arranged:
        cells *= base
        cells += codes
    return cells


def _patterns_of(base: int, n_raters: int) -> Codes:
    """Return all patterns of `base` codes in the order of their indices."""
    return patterns_at(np.arange(base**n_raters), (base,) * n_raters)
