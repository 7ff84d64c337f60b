"""Draw random tables one rater at a time, at a cost that does not depend on the number of subjects.

Under the null distribution the ratings of a rater are arranged in random order over the subjects that the rater rated.
Given the number of subjects with each pattern of the previous raters, the joint counts of these patterns and the
categories of the next rater are therefore a random table with known margins, which is drawn from hypergeometric
distributions. Patterns that have the same score need not be distinguished: if all pairs of raters have the same
weights, patterns are grouped by the set of raters and by how often each category occurs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kappamax._typing import Array, Codes, Integers
from kappamax.fibers.hypergeometric import hypergeometric
from kappamax.patterns import MISSING, category_counts, margins_of
from kappamax.table import Table

_BLOCK_CELLS = 2_000_000


class RaterByRater:
    """Sampler of tables with given margins and, if ratings are missing, given sets of raters of each subject.

    Attributes
    ----------
    patterns : integers, shape (m, r)
        Patterns whose counts are drawn, or one pattern for each class of patterns that are not distinguished.
    """

    def __init__(self, steps: list[_Step], start: Integers, patterns: Codes) -> None:
        self._steps = steps
        self._start = start
        self.patterns = patterns
        self._widest = max((max(step.n_after, step.to.size) for step in steps), default=1)

    @classmethod
    def of(cls, table: Table, *, classes: bool, most_cells: int) -> RaterByRater | None:
        """Return a sampler for the fiber of a table, or None if it would be too expensive.

        Parameters
        ----------
        table : Table
            The observed table.
        classes : bool
            Whether to group patterns by the set of raters and by how often each category occurs.
        most_cells : int
            Maximum number of hypergeometric numbers for each table.

        Returns
        -------
        RaterByRater or None
        """
        rated, group = np.unique(table.patterns != MISSING, axis=0, return_inverse=True)
        start = margins_of(group.reshape(-1, 1).astype(np.int32), table.counts, len(rated))[0]
        patterns = np.full((len(rated), table.n_raters), MISSING, dtype=np.int32)
        group = np.arange(len(rated))
        steps: list[_Step] = []
        n_cells = 0  # number of hypergeometric numbers for each table
        for rater, margin in enumerate(table.margins):
            used = np.flatnonzero(margin)
            rows = np.flatnonzero(rated[group, rater])
            stays = np.flatnonzero(~rated[group, rater])
            n_cells += (len(rows) - 1) * (len(used) - 1)
            if n_cells > most_cells:
                return None
            grown = np.repeat(patterns[rows], len(used), axis=0)
            grown[:, rater] = np.tile(used, len(rows))
            patterns = np.concatenate([patterns[stays], grown])
            group = np.concatenate([group[stays], np.repeat(group[rows], len(used))])
            to = np.arange(len(patterns))
            if classes:
                keys = np.column_stack([group, category_counts(patterns, table.n_categories)])
                _, first, to = np.unique(keys, axis=0, return_index=True, return_inverse=True)
                patterns, group, to = patterns[first], group[first], to.reshape(-1)
            grown_to = to[len(stays) :].reshape(len(rows), len(used))
            steps.append(_Step(rows, stays, margin[used], to[: len(stays)], grown_to, len(patterns)))
        return cls(steps, start, patterns)

    def draw(self, size: int, rng: np.random.Generator) -> Iterator[Integers]:
        """Yield the counts of the patterns in independent random tables, in blocks with one row for each table."""
        block = max(1, _BLOCK_CELLS // self._widest)
        for begin in range(0, size, block):
            counts = np.repeat(self._start[None], min(block, size - begin), axis=0)
            for step in self._steps:
                counts = step.taken(counts, rng)
            yield counts


class _Step(NamedTuple):
    """Step that adds one rater to the patterns of the previous raters.

    Attributes
    ----------
    rows : integers
        Indices of the patterns whose subjects the rater rated.
    stays : integers
        Indices of the other patterns.
    margin : integers
        Margins of the rater over the categories that it used.
    stays_to : integers
        New index of each of the other patterns.
    to : integers, shape (number of rows, number of categories)
        New index of each rated pattern with each category of the rater.
    n_after : int
        Number of patterns after the step.
    """

    rows: Array
    stays: Array
    margin: Integers
    stays_to: Array
    to: Array
    n_after: int

    def taken(self, counts: Integers, rng: np.random.Generator) -> Integers:
        """Return random counts of the patterns with the rating of this rater, given the counts without it."""
        after = np.zeros((len(counts), self.n_after), dtype=np.int64)
        after[:, self.stays_to] = counts[:, self.stays]
        drawn = _spread(counts[:, self.rows], self.margin, rng)
        for j in range(len(self.margin)):  # one category at a time, because += needs distinct indices
            after[:, self.to[:, j]] += drawn[:, :, j]
        return after


def _spread(totals: Integers, margin: Integers, rng: np.random.Generator) -> Integers:
    """Draw tables of shape (size, n_rows, n_columns), given row totals of shape (size, n_rows) and column totals.

    The rows are bisected repeatedly. The part of each column total that falls on the first half has a hypergeometric
    distribution, given the parts drawn before. All halves of the same size are drawn together for all tables.
    """
    size, n_rows = totals.shape
    width = 1 << (n_rows - 1).bit_length()
    padded = np.zeros((size, width), dtype=np.int64)
    padded[:, :n_rows] = totals
    parts = np.repeat(margin[None, None], size, axis=0)  # column totals within each part of the rows
    while width > 1:
        width //= 2
        halves = padded.reshape(size, -1, 2, width).sum(axis=3)
        first = np.empty_like(parts)
        wanted, others = halves[:, :, 0], halves.sum(axis=2)
        for j in range(len(margin) - 1):
            others = others - parts[:, :, j]
            first[:, :, j] = hypergeometric(parts[:, :, j], others, wanted, rng)
            wanted = wanted - first[:, :, j]
        first[:, :, -1] = wanted
        parts = np.stack([first, parts - first], axis=2).reshape(size, -1, len(margin))
    return np.asarray(parts[:, :n_rows])
