"""A table in, independent random tables with its margins out: each rater's ratings fall on subjects by chance.

Shuffling every rater's ratings over the subjects that rater rated makes all arrangements equally likely, which is the
null distribution of exact tests. With two raters and no gaps scipy's `random_table` draws the counts directly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._exact import Digits, widen
from kappamax.objective import Objective
from kappamax.table import MISSING, Table, n_ratings_of

__all__ = ["arrangements", "random_counts", "random_scores", "subject_rows"]

Array = npt.NDArray[Any]

_BLOCK_RATINGS = 2_000_000
_WORTH_SCIPY = 5_000_000  # ratings to shuffle before scipy's import pays
_SUBJECTS_PER_CELL = 8  # that are shuffled in the time a cell is drawn


def subject_rows(table: Table) -> npt.NDArray[np.int64]:
    """One row of codes per subject, shape (n_subjects, n_raters); -1 is missing."""
    return np.repeat(table.patterns.astype(np.int64), table.counts, axis=0)


def arrangements(table: Table, size: int, rng: np.random.Generator) -> Iterator[npt.NDArray[np.int64]]:
    """Random arrangements of the ratings over subjects, shape (n_raters, n, n_subjects), some n at a time."""
    columns = subject_rows(table).T
    stays = 0 if table.complete else None  # without gaps one rater need not be shuffled
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


def random_counts(table: Table, size: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """The counts of random tables without gaps, shape (size, k, ..., k)."""
    k, r = table.n_categories, table.n_raters
    if r == 2:
        return _two_raters(table, size, rng)
    counts = np.empty((size, k**r), dtype=np.int64)
    done = 0
    for drawn in arrangements(table, size, rng):
        n = drawn.shape[1]
        cells = np.repeat(np.arange(n)[:, None], table.n_subjects, axis=1)
        for codes in drawn:
            cells *= k
            cells += codes
        counts[done : done + n] = np.bincount(cells.ravel(), minlength=n * k**r).reshape(n, k**r)
        done += n
    return counts.reshape((size, *(k,) * r))


def random_scores(objective: Objective, size: int, rng: np.random.Generator) -> Array:
    """The score components of random tables, shape (size, number of radicands), in the objective's whole units.

    Where chance varies, the pooled use of every category follows in k more columns.
    """
    table, k = objective.table, objective.table.n_categories
    many = size * table.n_subjects > _WORTH_SCIPY
    if table.n_raters == 2 and table.complete and (many or _SUBJECTS_PER_CELL * (k - 1) ** 2 < table.n_subjects):
        patterns = np.stack(np.unravel_index(np.arange(k**2), (k, k)), axis=1)
        counts = _two_raters(table, size, rng) if many else _cell_by_cell(table, size, rng)
        return Digits(objective.scores(patterns.astype(np.int32)), table.n_subjects).weighted(counts.reshape(size, -1))
    costs = _PairCosts(objective)
    found = []
    for drawn in arrangements(table, size, rng):
        if not table.complete:
            drawn[drawn == MISSING] = k  # a missing rating meets every other at no cost
        scores = costs.scores(drawn)
        uses = [] if objective.fixed_chance else [_pooled_use(objective, drawn)]
        found.append(np.concatenate([scores, *uses], axis=1))
    return np.concatenate(found)


class _PairCosts:
    """What every two ratings of a subject cost, looked up and summed for many arrangements at once.

    Costs include the factor of the subject's number of ratings. They are held as digits that can be added over all
    subjects and pairs of raters without overflow.
    """

    def __init__(self, objective: Objective) -> None:
        table = objective.table
        sizes, self.block = np.unique(n_ratings_of(subject_rows(table)), return_inverse=True)
        factors = widen([objective.factors[n] for n in sizes.tolist()], max(objective.factors.values()))
        self.base = table.n_categories + 1  # the last code is a missing rating
        which: dict[int, int] = {}
        self.pairs: list[tuple[int, int, int]] = []
        columns: list[Array] = []
        for a, b, entries in objective.entries():
            if id(entries) not in which:
                which[id(entries)] = len(columns)
                one = np.zeros((self.base, self.base, entries.shape[2]), dtype=entries.dtype)
                one[:-1, :-1] = entries
                by_size = [one.reshape(self.base**2, -1).T * factor for factor in factors]
                columns.append(np.concatenate(by_size, axis=1))
            self.pairs.append((a, b, which[id(entries)]))
        self.digits = Digits(np.stack(columns), table.n_subjects * len(self.pairs))

    def scores(self, drawn: npt.NDArray[np.int64]) -> Array:
        """The score components of arrangements of shape (n_raters, n, n_subjects), shape (n, number of radicands)."""
        n_digits, _, n_roots, _ = self.digits.parts.shape
        total = np.zeros((n_digits, drawn.shape[1], n_roots), dtype=np.int64)
        for a, b, which in self.pairs:
            cells = drawn[a] * self.base
            cells += drawn[b]
            if self.block.any():
                cells += self.block * self.base**2
            for digit in range(n_digits):
                for root, column in enumerate(self.digits.parts[digit, which]):
                    total[digit, :, root] += column[cells].sum(axis=1)
        return self.digits.joined(total)


def _pooled_use(objective: Objective, drawn: npt.NDArray[np.int64]) -> Array:
    """The use of categories in arrangements of shape (n_raters, n, n_subjects), shape (n, k), in whole units."""
    table, weights = objective.table, objective.rating_weights
    sizes = n_ratings_of(subject_rows(table))
    bound = max(weights.values()) * table.n_subjects * table.n_raters
    use: Any = 0
    for size, weight in weights.items():
        those = drawn[:, :, sizes == size]
        chosen = np.stack([(those == category).sum(axis=(0, 2)) for category in range(table.n_categories)], axis=1)
        use = use + widen(chosen, bound) * weight
    return np.asarray(use)


def _two_raters(table: Table, size: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    from scipy.stats import random_table  # 0.5 s to import

    rows, columns = table.margins
    # shuffling (Boyett) takes time by subjects, Patefield's method by cells; measured, they meet here
    method = "patefield" if rows.sum() > 0.7 * len(rows) * len(columns) * np.log(rows.sum() + 1) else "boyett"
    drawn = random_table.rvs(rows, columns, size=size, method=method, random_state=rng)
    return np.asarray(drawn, dtype=np.int64).reshape(size, len(rows), len(columns))


def _cell_by_cell(table: Table, size: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Tables of two raters, shape (size, k, k): each cell is hypergeometric given those before it."""
    rows, columns = table.margins.tolist()
    counts = np.zeros((size, len(rows), len(columns)), dtype=np.int64)
    left = np.repeat(table.margins[1][None], size, axis=0)  # of each column
    for i, row in enumerate(rows[:-1]):
        wanted, others = np.full(size, row), left.sum(axis=1)
        for j in range(len(columns) - 1):
            others = others - left[:, j]
            counts[:, i, j] = rng.hypergeometric(left[:, j], others, wanted)
            wanted = wanted - counts[:, i, j]
        counts[:, i, -1] = wanted
        left = left - counts[:, i]
    counts[:, -1] = left
    return counts
