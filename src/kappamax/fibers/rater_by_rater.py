"""Draw random tables one rater at a time, at a cost that does not grow with the number of subjects.

By chance a rater's ratings fall on the subjects that rater rated in any order. So, given how many subjects have each
pattern of the raters before, how often each category of the next rater meets each of these patterns is a random table
with known margins, made of hypergeometric numbers. Patterns are told apart as far as
necessary: where all pairs of raters share one weighting, only by who rated and how often each category was chosen.
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
    """A way to draw tables with given margins and given sets of raters.

    Attributes
    ----------
    patterns : integers, shape (m, r)
        The patterns whose counts are drawn, or one pattern for each class of patterns that are not told apart.
    """

    def __init__(self, steps: list[_Step], start: Integers, patterns: Codes) -> None:
        self._steps = steps
        self._start = start
        self.patterns = patterns
        self._widest = max((step.n_after * len(step.margin) for step in steps), default=1)

    @classmethod
    def of(cls, table: Table, *, classes: bool, most_cells: int) -> RaterByRater | None:
        """The way for a table, or None where it would take more than so many hypergeometric numbers per table.

        Parameters
        ----------
        table : Table
        classes : bool
            Whether to tell patterns apart only by who rated and how often each category was chosen.
        most_cells : int
        """
        rated, group = np.unique(table.patterns != MISSING, axis=0, return_inverse=True)
        start = margins_of(group.reshape(-1, 1).astype(np.int32), table.counts, len(rated))[0]
        patterns = np.full((len(rated), table.n_raters), MISSING, dtype=np.int32)
        group = np.arange(len(rated))
        steps: list[_Step] = []
        n_cells = 0  # hypergeometric numbers that a table takes
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
        """Counts of the patterns in independent tables, some rows at a time."""
        block = max(1, _BLOCK_CELLS // self._widest)
        for begin in range(0, size, block):
            counts = np.repeat(self._start[None], min(block, size - begin), axis=0)
            for step in self._steps:
                counts = step.taken(counts, rng)
            yield counts


class _Step(NamedTuple):
    """One more rater: which patterns so far are rated by it, and what becomes of each."""

    rows: Array
    stays: Array
    margin: Integers
    stays_to: Array
    to: Array
    n_after: int

    def taken(self, counts: Integers, rng: np.random.Generator) -> Integers:
        """Counts of the patterns with this rater's rating, from the counts without it."""
        after = np.zeros((len(counts), self.n_after), dtype=np.int64)
        after[:, self.stays_to] = counts[:, self.stays]
        drawn = _spread(counts[:, self.rows], self.margin, rng)
        for j in range(len(self.margin)):  # within a category no two patterns become one
            after[:, self.to[:, j]] += drawn[:, :, j]
        return after


def _spread(totals: Integers, margin: Integers, rng: np.random.Generator) -> Integers:
    """Random tables with given row totals, shape (size, n_rows), and column totals: (size, n_rows, n_columns).

    The rows are halved again and again. How much of each column falls on the first half is hypergeometric given what
    was drawn before, and all halves of one generation, in all tables, are drawn at once.
    """
    size, n_rows = totals.shape
    width = 1 << (n_rows - 1).bit_length()
    padded = np.zeros((size, width), dtype=np.int64)
    padded[:, :n_rows] = totals
    parts = np.repeat(margin[None, None], size, axis=0)  # of each column, in every part of the rows
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
