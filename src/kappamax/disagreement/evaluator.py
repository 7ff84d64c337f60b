"""Compute a coefficient in doubles for many tables at once.

The bootstrap, the jackknife and derivatives need a coefficient at thousands of tables. A coefficient depends only on
sums over subjects. Each table is therefore one row of counts, and its sums are the product of this row with the
contributions of one subject of each pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._typing import Array, Codes, Floats
from kappamax.disagreement.krippendorff_metrics import midranks, pattern_distances, squared_distances, variance_form
from kappamax.disagreement.objective import Objective
from kappamax.disagreement.quadratic_forms import form
from kappamax.patterns import category_counts, n_ratings_of
from kappamax.weights import PairWeights

_USES_PER_CHUNK = 4_000_000  # entries of the use of categories that are held in memory at a time


class Totals(NamedTuple):
    """Sums over subjects that determine a coefficient; leading axes are replicates.

    Attributes
    ----------
    score : float or array
        Total disagreement.
    units : float or array
        Total weight of the subjects in the mean.
    size : float or array
        Number of subjects.
    use : array
        Use of categories, per rater with shape (..., r, k) or pooled with shape (..., k).
    pairs : float or array
        Weights with which pairs of ratings enter the score, by their categories, with shape (..., k, k), if the
        disagreement weights depend on the use of categories; otherwise 0.
    """

    score: Any
    units: Any
    size: Any
    use: Any
    pairs: Any = 0.0


class Features(NamedTuple):
    """Contributions of one subject of each pattern, arrays of shape (m,).

    Attributes
    ----------
    disagreements : floats
        Contribution to the total disagreement.
    units : floats
        Weight in the mean over subjects.
    use_weights : floats
        Weight of each of the subject's ratings in the use of categories.
    rated : bool
        Whether the subject has at least one rating.
    """

    disagreements: Floats
    units: Floats
    use_weights: Floats
    rated: npt.NDArray[np.bool_]


class Evaluator:
    """Value of an objective, in doubles, for any counts of the patterns of its table.

    Parameters
    ----------
    objective : Objective
        Table, weights and coefficient.
    """

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.table = objective.table

    @cached_property
    def own(self) -> Features:
        """Features of the patterns of the table."""
        return self.features(self.table.patterns)

    def features(self, patterns: Codes) -> Features:
        """Return the contributions of one subject of each pattern to the totals."""
        objective, n_ratings = self.objective, n_ratings_of(patterns)
        sizes = range(self.table.n_raters + 1)
        units = objective.units.astype(float)
        use = {"subjects": [1 / max(size, 1) for size in sizes], "pairable": [float(size >= 2) for size in sizes]}
        use_weights = np.array(use.get(objective.coefficient.use, [1.0 for _ in sizes]))
        disagreements = objective.disagreement.real(patterns) * self._factors[n_ratings]
        return Features(disagreements, units[n_ratings], use_weights[n_ratings], n_ratings > 0)

    def disagreements_at(self, patterns: Codes, use: Array) -> Floats:
        """Return the contribution of each pattern to the total disagreement at a given use, shape (..., m)."""
        return np.asarray(pattern_distances(patterns, self.positions(use)) * self._factors[n_ratings_of(patterns)])

    def totals(self, counts: Array | None = None) -> Totals:
        """Return the totals for the counts of the table, or for rows of other counts, shape (..., m)."""
        if counts is None:
            objective = self.objective
            score = objective.score / (objective.scale * objective.denominator)
            own_use = (objective.use.astype(object) / objective.use_scale).astype(float)  # Python integers of any size
            pairs = self._sums(self.table.counts).pairs if self.objective.varying_weights else 0.0
            return Totals(float(score), float(objective.n_units), float(self.table.n_subjects), own_use, pairs)
        return self.rescored(self._sums(np.asarray(counts, dtype=float)))

    def _sums(self, counts: Array) -> Totals:
        """Return the sums of the contributions of one subject of each pattern, multiplied by rows of counts."""
        use: Any = 0
        pairs: Any = 0.0
        for chunk in self.chunks():
            own = self.pattern_totals(chunk)
            use = use + np.tensordot(counts[..., chunk], own.use, axes=1)
            if self.objective.varying_weights:
                pairs = pairs + np.tensordot(counts[..., chunk], own.pairs, axes=1)
        return Totals(counts @ self.own.disagreements, counts @ self.own.units, counts.sum(axis=-1), use, pairs)

    def rescored(self, totals: Totals) -> Totals:
        """Return totals with the score under the weights that belong to their use of categories."""
        if not self.objective.varying_weights:
            return totals
        distances = squared_distances(self.positions(totals.use))
        return totals._replace(score=(totals.pairs * distances).sum(axis=(-2, -1)))

    def with_changed_weights(self, moved: Totals, totals: Totals) -> Totals:
        """Return totals with a complex step in the use of categories, with the change of the score through the weights.

        Parameters
        ----------
        moved : Totals
            Totals with one more axis, along which single entries have a complex step.
        totals : Totals
            Totals without the steps.
        """
        if not self.objective.varying_weights:
            return moved
        positions = self.positions(totals.use)
        # derivative of the score by each position, for symmetric pairs
        slopes = 4 * (totals.pairs * (positions[..., :, None] - positions[..., None, :])).sum(axis=-1)
        steps = np.imag(self.positions(moved.use))
        return moved._replace(score=moved.score + 1j * (slopes[..., None, :] * steps).sum(axis=-1))

    def chunks(self) -> Iterator[slice]:
        """Return slices of the patterns for which the result of `pattern_totals` takes some megabytes at most."""
        wide = self.table.n_raters * self.table.n_categories
        if self.objective.varying_weights:
            wide = max(wide, self.table.n_categories**2)
        step = max(1, _USES_PER_CHUNK // wide)
        return (slice(start, start + step) for start in range(0, len(self.table.counts), step))

    def pattern_totals(self, index: slice) -> Totals:
        """Return the contributions of one subject of each pattern in a slice as totals with a dense `use`."""
        patterns, weights = self.table.patterns[index], self.own.use_weights[index]
        k = self.table.n_categories
        use = (patterns[:, :, None] == np.arange(k)) * weights[:, None, None]
        if self.objective.coefficient.use != "raters":
            use = use.sum(axis=1)
        pairs: Any = 0.0
        if self.objective.varying_weights:
            counts = category_counts(patterns, k).astype(float)
            met = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(k)
            pairs = met * (self._factors[n_ratings_of(patterns)] / 2)[:, None, None]
        return Totals(self.own.disagreements[index], self.own.units[index], np.ones(len(patterns)), use, pairs)

    def value_of(self, totals: Totals) -> Array:
        """Return the coefficient at given totals, with broadcasting over leading axes; NaN where it is 0/0."""
        expected = self.expected_of(totals.use)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = 1 - totals.score / totals.units / expected
        return np.where(expected == 0, np.nan, value)

    def expected_of(self, use: Array) -> Array:
        """Return the expected disagreement at a given use of categories, with broadcasting over leading axes."""
        total = use.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = use / total[..., None]
            if isinstance(self.objective.weights, PairWeights):
                return np.asarray(self.objective.expected_by_pair(shares, self.objective.weights, form))
            disagreement = (
                variance_form(self.positions(use))
                if self.objective.varying_weights
                else partial(form, weights=self.objective.weights)
            )
            return np.asarray(self.objective.coefficient.expected(shares, total, disagreement))

    @cached_property
    def _factors(self) -> Floats:
        """Factor by which the disagreement of a subject is multiplied in the score, by its number of ratings."""
        return np.array([factor / self.objective.scale for factor in self.objective.factors_by_size])

    def positions(self, use: Array) -> Array:
        """Return the midranks of the categories at a use of categories, in units in which the weights are scaled."""
        return midranks(use) / self._range

    @cached_property
    def _range(self) -> float:
        """Distance between the midranks of the first and the last category of the table."""
        ranks = midranks(np.asarray(self.objective.use / self.objective.use_scale, dtype=float))
        return float(ranks[-1] - ranks[0]) or 1.0
