"""An objective in; its value in doubles for many tables at once out.

Bootstrap, jackknife and slopes need a coefficient at thousands of counts. All it depends on are sums over subjects,
so each table is one row of counts, and a row's sums are one product with what a subject of each pattern contributes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax.disagreement.objective import Objective
from kappamax.disagreement.quadratic_forms import form, padded
from kappamax.table import category_counts, n_ratings_of
from kappamax.weights import PairWeights, Weights

__all__ = ["Evaluator", "Totals"]

Array = npt.NDArray[Any]

_CHUNK_CELLS = 4_000_000


class Totals(NamedTuple):
    """Everything a coefficient depends on, each entry a sum over subjects; leading axes are replicates."""

    score: Any
    units: Any
    size: Any
    use: Any


class Evaluator:
    """An objective's value at any counts of its table's patterns, in doubles."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.table = objective.table

    @cached_property
    def disagreements(self) -> npt.NDArray[np.float64]:
        """What one subject of each pattern adds to the total disagreement, shape (m,)."""
        return self._disagreements(self.table.patterns, self.table.n_ratings)

    @cached_property
    def units(self) -> npt.NDArray[np.float64]:
        """How much one subject of each pattern counts in the mean, shape (m,)."""
        return self._units(self.table.n_ratings)

    @cached_property
    def use_weights(self) -> npt.NDArray[np.float64]:
        """How much each of a pattern's ratings counts in the use of categories, shape (m,)."""
        return self._use_weights(self.table.n_ratings)

    def features_of(self, patterns: npt.NDArray[np.int32]) -> tuple[Array, Array, Array]:
        """`disagreements`, `units` and `use_weights` for any patterns."""
        n_ratings = n_ratings_of(patterns)
        return self._disagreements(patterns, n_ratings), self._units(n_ratings), self._use_weights(n_ratings)

    def totals(self, counts: Array | None = None) -> Totals:
        """The sums a coefficient depends on, for the table's own counts or for rows of other counts, shape (..., m)."""
        if counts is None:
            own = self.table.counts.astype(float)
            return Totals(own @ self.disagreements, own @ self.units, own.sum(), self._own_use(own))
        counts = np.asarray(counts, dtype=float)
        use: Any = 0
        for chunk in self.chunks():
            use = use + np.tensordot(counts[..., chunk], self.pattern_totals(chunk).use, axes=1)
        return Totals(counts @ self.disagreements, counts @ self.units, counts.sum(axis=-1), use)

    def chunks(self) -> Iterator[slice]:
        """Slices of the patterns that keep what `pattern_totals` returns below some megabytes."""
        step = max(1, _CHUNK_CELLS // (self.table.n_raters * self.table.n_categories))
        return (slice(start, start + step) for start in range(0, len(self.table.counts), step))

    def pattern_totals(self, index: slice) -> Totals:
        """The contribution of one subject of each pattern in a slice; use is dense, so slices keep it small."""
        patterns, weights = self.table.patterns[index], self.use_weights[index]
        k = self.table.n_categories
        use = (patterns[:, :, None] == np.arange(k)) * weights[:, None, None]
        if self.objective.coefficient.use != "raters":
            use = use.sum(axis=1)
        return Totals(self.disagreements[index], self.units[index], np.ones(len(patterns)), use)

    def value_of(self, totals: Totals) -> Array:
        """The coefficient at given totals, broadcasting over leading axes; NaN where it is 0/0."""
        expected = self.expected_of(totals.use)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = 1 - totals.score / totals.units / expected
        return np.where(expected == 0, np.nan, value)

    def expected_of(self, use: Array) -> Array:
        """Expected disagreement at a given use of categories, broadcasting over leading axes."""
        total = use.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = use / total[..., None]
            if isinstance(self.objective.weights, PairWeights):
                return np.asarray(self.objective.expected_by_pair(shares, self.objective.weights, form))
            return np.asarray(
                self.objective.coefficient.expected(shares, total, partial(form, weights=self.objective.weights))
            )

    def _units(self, n_ratings: Array) -> npt.NDArray[np.float64]:
        by_size = [self.objective.coefficient.subject_units(size) for size in range(self.table.n_raters + 1)]
        return np.asarray(np.array(by_size, dtype=float)[n_ratings])

    def _use_weights(self, n_ratings: Array) -> npt.NDArray[np.float64]:
        if self.objective.coefficient.use == "subjects":
            return np.asarray(1.0 / n_ratings.clip(min=1))
        if self.objective.coefficient.use == "pairable":
            return np.asarray(n_ratings >= 2, dtype=float)
        return np.ones(len(n_ratings))

    def _disagreements(self, patterns: npt.NDArray[np.int32], n_ratings: Array) -> npt.NDArray[np.float64]:
        shares = np.zeros(self.table.n_raters + 1)
        for size, factor in self.objective.factors.items():
            shares[size] = factor / self.objective.scale
        if self.objective.coefficient.group_size > 2:
            raw = self.objective.group_scores(patterns).astype(float) / self.objective.denominator
        elif isinstance(self.objective.weights, Weights) and self.objective.through_counts:
            c = category_counts(patterns, self.table.n_categories).astype(float)
            raw = (c @ self.objective.weights.matrix * c).sum(axis=1) / 2
        else:
            raw = np.zeros(len(patterns))
            for a, b, weights in self.objective.pairs():
                raw += padded(weights.matrix)[patterns[:, a], patterns[:, b]]
        return np.asarray(raw * shares[n_ratings])

    def _own_use(self, counts: Array) -> Array:
        """Use of categories, (r, k) per rater or (k,) pooled."""
        k, weighted = self.table.n_categories, counts * self.use_weights
        use = np.stack(
            [np.bincount(codes + 1, weights=weighted, minlength=k + 1)[1:] for codes in self.table.patterns.T]
        )
        return use if self.objective.coefficient.use == "raters" else use.sum(axis=0)
