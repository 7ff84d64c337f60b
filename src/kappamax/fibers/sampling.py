"""Draw independent random tables with the margins of a table: each rater's ratings fall on subjects by chance.

Shuffling every rater's ratings over the subjects that rater rated makes all arrangements equally likely, which is the
null distribution of exact tests. Where there are many subjects, counts are drawn directly: rater by rater, or by
scipy's `random_table` for two raters without gaps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from math import factorial, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._checks import fibers as checks
from kappamax._integers import Digits, widen
from kappamax.disagreement.objective import Objective
from kappamax.fibers.rater_by_rater import RaterByRater
from kappamax.patterns import MISSING, n_ratings_of
from kappamax.table import Table
from kappamax.weights import Weights

__all__ = [
    "ScoreSampler",
    "all_arrangements",
    "arrangements",
    "n_arrangements",
    "random_counts",
    "random_scores",
    "random_tables",
    "subject_rows",
]

Array = npt.NDArray[Any]

_BLOCK_RATINGS = 2_000_000
_WORTH_SCIPY = 5_000_000  # ratings to shuffle before scipy's import pays
_SCIPY_SUBJECTS = 100_000  # beyond, drawing rater by rater is quicker, and keeps its precision
_SUBJECTS_PER_CELL = 8  # that are shuffled in the time a cell is drawn
_MOST_CELLS = 2_000_000


def subject_rows(table: Table) -> npt.NDArray[np.int64]:
    """One row of codes per subject, shape (n_subjects, n_raters); -1 is missing."""
    checks.few_ratings(table.n_subjects * table.n_raters)
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


def n_arrangements(table: Table) -> int:
    """How many different arrangements of the ratings over the subjects that each rater rated there are."""
    return prod(factorial(sum(row)) // prod(map(factorial, row)) for row in table.margins.tolist())


def all_arrangements(table: Table) -> npt.NDArray[np.int64]:
    """Every arrangement of the ratings over subjects, shape (n_raters, n_arrangements, n_subjects)."""
    columns = subject_rows(table).T
    by_rater = []
    for column in columns:
        rated = np.flatnonzero(column != MISSING)
        orders = np.array(list(_orders(Counter(column[rated].tolist()))), dtype=np.int64)
        own = np.full((len(orders), len(column)), MISSING, dtype=np.int64)
        own[:, rated] = orders
        by_rater.append(own)
    chosen = np.indices([len(own) for own in by_rater]).reshape(len(by_rater), -1)
    return np.stack([own[which] for own, which in zip(by_rater, chosen, strict=True)])


def _orders(left: Counter[int]) -> Iterator[list[int]]:
    """Every different order of some ratings, given how often each category occurs among them."""
    if not left.total():
        yield []
    for category in sorted(+left):
        for rest in _orders(left - Counter([category])):
            yield [category, *rest]


def random_counts(table: Table, size: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """The counts of random tables without gaps, shape (size, k, ..., k)."""
    k, r = table.n_categories, table.n_raters
    if r == 2 and table.n_subjects <= _SCIPY_SUBJECTS:
        return _two_raters(table, size, rng)
    counts = np.zeros((size, k**r), dtype=np.int64)
    done = 0
    by_rater = _cheap_way(table, classes=False)
    if by_rater is not None:
        at = np.ravel_multi_index(tuple(by_rater.patterns.T), (k,) * r)
        for block in by_rater.draw(size, rng):
            counts[done : done + len(block), at] = block
            done += len(block)
        return counts.reshape((size, *(k,) * r))
    for drawn in arrangements(table, size, rng):
        n = drawn.shape[1]
        cells = np.repeat(np.arange(n)[:, None], table.n_subjects, axis=1)
        for codes in drawn:
            cells *= k
            cells += codes
        counts[done : done + n] = np.bincount(cells.ravel(), minlength=n * k**r).reshape(n, k**r)
        done += n
    return counts.reshape((size, *(k,) * r))


def random_tables(table: Table, size: int, rng: np.random.Generator) -> Iterator[tuple[Array, npt.NDArray[np.int64]]]:
    """Random tables one at a time, missing ratings too: patterns and how often each occurs."""
    by_rater = _cheap_way(table, classes=False)
    if by_rater is not None:
        for block in by_rater.draw(size, rng):
            for counts in block:
                yield by_rater.patterns[counts > 0], counts[counts > 0]
        return
    for drawn in arrangements(table, size, rng):
        for rows in np.moveaxis(drawn, 0, 2):
            yield rows, np.ones(len(rows), dtype=np.int64)


class ScoreSampler:
    """Draws the scores of random tables under an objective, by whichever of three ways is cheapest.

    Shuffling takes time by subjects, scipy's `random_table` (two raters) by cells and a little by subjects, and
    drawing rater by rater by cells alone.
    """

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        table = objective.table
        self.classes = isinstance(objective.weights, Weights) and table.n_raters > 2
        self.by_rater = _cheap_way(table, classes=self.classes)

    def scores(self, size: int, rng: np.random.Generator) -> Array:
        """The score components of random tables, shape (size, number of radicands), in the objective's whole units.

        Where chance varies, the pooled use of every category follows in k more columns.
        """
        table = self.objective.table
        two = table.n_raters == 2 and table.complete and table.n_subjects <= _SCIPY_SUBJECTS
        if two and size * table.n_subjects > _WORTH_SCIPY:
            k = table.n_categories
            patterns = np.stack(np.unravel_index(np.arange(k**2), (k, k)), axis=1)
            return self._of_counts(patterns, [_two_raters(table, size, rng).reshape(size, -1)])
        if self.by_rater is not None:
            return self._of_counts(self.by_rater.patterns, self.by_rater.draw(size, rng))
        return self.shuffled(size, rng)

    def shuffled(self, size: int, rng: np.random.Generator) -> Array:
        """The same by shuffling every rater's ratings."""
        return np.concatenate([self.scores_of(drawn) for drawn in arrangements(self.objective.table, size, rng)])

    def scores_of(self, arranged: npt.NDArray[np.int64]) -> Array:
        """The same for given arrangements of shape (n_raters, n, n_subjects)."""
        table = self.objective.table
        if not table.complete:  # a missing rating meets every other at no cost
            arranged = np.where(arranged == MISSING, table.n_categories, arranged)
        scores = self._pair_costs.scores(arranged)
        uses = [] if self.objective.fixed_chance else [_pooled_use(self.objective, arranged)]
        return np.concatenate([scores, *uses], axis=1)

    def _of_counts(self, patterns: Array, blocks: Iterable[npt.NDArray[np.int64]]) -> Array:
        """The scores of tables given by the counts of patterns."""
        features = [self.objective.scores(patterns.astype(np.int32))]
        if not self.objective.fixed_chance:
            features.append(self.objective.pooled_use(patterns.astype(np.int32)))
        digits = Digits(np.concatenate(features, axis=1), self.objective.table.n_subjects)
        return np.concatenate([digits.weighted(block) for block in blocks])

    @cached_property
    def _pair_costs(self) -> _PairCosts:
        return _PairCosts(self.objective)


def random_scores(objective: Objective, size: int, rng: np.random.Generator) -> Array:
    """The score components of so many random tables; see `ScoreSampler`."""
    return ScoreSampler(objective).scores(size, rng)


def _cheap_way(table: Table, *, classes: bool) -> RaterByRater | None:
    """How to draw rater by rater where that is cheaper than shuffling, or shuffling would take too much memory."""
    ratings = table.n_subjects * (table.n_raters - 1)
    most = min(ratings // _SUBJECTS_PER_CELL, _MOST_CELLS)
    return RaterByRater.of(table, classes=classes, most_cells=most)


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
