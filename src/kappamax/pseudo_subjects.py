"""Define the pseudo-subjects that are added to a table for adjusted intervals and tests.

Half a squared normal quantile of pseudo-subjects is added, which is about two for a level of 95%: a share of them is
rated alike by all raters, and the ratings of the others are independent, with all categories equally likely. For two
raters and two categories, twice as many are added and all are independent. The numbers were chosen by a study of
coverage (docs/intervals.md).
"""

from __future__ import annotations

from functools import cached_property
from math import comb
from typing import Any

import numpy as np

from kappamax._typing import Array
from kappamax.disagreement.evaluator import Evaluator, Totals
from kappamax.disagreement.krippendorff_metrics import squared_distances
from kappamax.standard_errors import Derivatives, quantile_of
from kappamax.weights import PairWeights

_UNANIMOUS = 0.3  # share of the pseudo-subjects that all raters rate alike


def pseudo_subjects_for(evaluator: Evaluator, level: float) -> tuple[PseudoSubjects, float]:
    """Return the pseudo-subjects that are added to a table at a confidence level, and their number."""
    n_pseudo, unanimous = n_pseudo_subjects(evaluator.table.n_raters, evaluator.table.n_categories, level)
    return PseudoSubjects(evaluator, unanimous), n_pseudo


def n_pseudo_subjects(n_raters: int, n_categories: int, level: float) -> tuple[float, float]:
    """Return the number of pseudo-subjects, and the share of them that all raters rate alike."""
    squared = quantile_of((1 + level) / 2, None) ** 2
    return (squared, 0.0) if n_raters == n_categories == 2 else (squared / 2, _UNANIMOUS)


def with_pseudo_subjects(evaluator: Evaluator, totals: Totals, pseudo: PseudoSubjects, n_pseudo: float) -> Totals:
    """Return the totals of tables to which pseudo-subjects are added."""
    return evaluator.rescored(_sum(totals, pseudo.totals, n_pseudo))


class PseudoSubjects:
    """Subjects that are added to a table: some are rated alike by all raters, the others independently.

    All categories are equally likely. With missing ratings, the sets of raters are those of the table, with the same
    frequencies. Sums and moments over pseudo-subjects are computed from those of single ratings and of pairs; patterns
    are not listed.

    Parameters
    ----------
    evaluator : Evaluator
        Evaluator of the objective.
    unanimous : float
        Share of the subjects that all raters rate alike.
    """

    def __init__(self, evaluator: Evaluator, unanimous: float) -> None:
        self.evaluator, self.unanimous = evaluator, unanimous
        objective = self.objective = evaluator.objective
        rows = objective.table.rows
        enough = rows.n_ratings >= objective.coefficient.group_size
        if objective.table.complete:
            self.sets, self.shares = np.ones((1, objective.table.n_raters)), np.ones(1)
        else:
            own, index = np.unique(rows.patterns[enough] >= 0, axis=0, return_inverse=True)
            totals = np.bincount(index.ravel(), weights=rows.counts[enough])
            self.sets, self.shares = own.astype(float), totals / totals.sum()
        sizes = self.sizes = self.sets.sum(axis=1).astype(int)
        features = evaluator.features(np.where(self.sets > 0, 0, -1).astype(rows.patterns.dtype))
        self.units, self.use_weights = features.units, features.use_weights
        self.factors = np.array([float(objective.coefficient.subject_weight(int(size))) for size in sizes])

    @cached_property
    def totals(self) -> Totals:
        """Expected contributions of one pseudo-subject to the totals."""
        k = self.objective.table.n_categories
        use: Any = np.repeat((self.shares * self.use_weights) @ self.sets, k).reshape(-1, k) / k
        if self.objective.coefficient.use != "raters":
            use = use.sum(axis=0)
        if self.objective.varying_weights:
            met = self.shares @ (self.factors * self.sizes * (self.sizes - 1))
            pairs = np.full((k, k), (1 - self.unanimous) * met / (2 * k**2))
            return Totals(0.0, float(self.shares @ self.units), 1.0, use, pairs)  # scored with the weights of the whole
        score = (1 - self.unanimous) * float(self.shares @ self._score_effects(None)[0])
        return Totals(score, float(self.shares @ self.units), 1.0, use)

    def slope_moments(self, derivatives: Derivatives, totals: Totals) -> tuple[Array, Array]:
        """Return the mean and the variance of the slope of the coefficient over pseudo-subjects, shape (...,).

        The slope of a pattern is by_score * score + by_units * units + by_size + the sum of by_use over its ratings.
        For independent ratings, its variance is the sum of the variances of the effects of single ratings and of the
        interactions of pairs.
        """
        by_score, by_units, by_size, by_use = derivatives
        by_rating = by_use - by_use.mean(axis=-1, keepdims=True)
        constants = by_units * self.units + by_size + self.use_weights * (by_use.mean(axis=-1) @ self.sets.T)
        mean_scores, effects, interactions = self._score_effects(totals)
        scale = by_score * self.factors
        means = constants + by_score * mean_scores
        single = scale[..., None, None] * effects + self.use_weights[:, None, None] * by_rating[..., None, :, :]
        variances = (self.sets * (single**2).mean(axis=-1)).sum(axis=-1) + scale**2 * interactions
        alike = self.use_weights**2 * ((self.sets @ by_rating) ** 2).mean(axis=-1)  # all raters in one category
        share = self.unanimous
        mean = ((1 - share) * means + share * constants) @ self.shares
        around = mean[..., None]
        second = (1 - share) * (variances + (means - around) ** 2) + share * (alike + (constants - around) ** 2)
        return mean, second @ self.shares

    def _score_effects(self, totals: Totals | None) -> tuple[Array, Array, Array]:
        """Return the mean score of independent ratings, the effects of single ratings, and the variance of the rest.

        The shapes are (..., sets), (..., sets, r or 1, k) and (..., sets). The effects and the variance are those of
        the disagreement before it is multiplied by the weight of the subject. With weights that depend on the use of
        categories, `totals` says at which use.
        """
        weights, sizes = self.objective.weights, self.sizes
        if self.objective.coefficient.group_size > 2:
            return self._group_effects()
        if isinstance(weights, PairWeights):
            return self._effects_by_pair(weights)
        if self.objective.varying_weights:
            assert totals is not None
            matrix = squared_distances(self.evaluator.positions(totals.use))
        else:
            matrix = weights.matrix
        mean, first, _, rest = _decomposed(matrix)
        pairs = sizes * (sizes - 1) / 2
        effects = (sizes - 1)[:, None, None] * first[..., None, None, :]
        return pairs * mean[..., None] * self.factors, effects, pairs * rest[..., None]

    def _effects_by_pair(self, weights: PairWeights) -> tuple[Array, Array, Array]:
        """Return `_score_effects` for weights per pair of raters."""
        r, k = self.objective.table.n_raters, self.objective.table.n_categories
        means, interactions, effects = np.zeros((r, r)), np.zeros((r, r)), np.zeros((r, r, k))
        for (a, b), own in weights.by_pair.items():
            means[a, b], effects[a, b], effects[b, a], interactions[a, b] = _decomposed(own.matrix)
        both = np.einsum("sa,sb->sab", self.sets, self.sets)
        together = np.einsum("sb,abk->sak", self.sets, effects)
        return (both * means).sum(axis=(1, 2)) * self.factors, together, (both * interactions).sum(axis=(1, 2))

    def _group_effects(self) -> tuple[Array, Array, Array]:
        """Return `_score_effects` for groups of g > 2 raters, who disagree unless all of them agree.

        A single rating tells nothing about agreement. Two groups with m > 0 raters in common agree both with
        probability k^(1 - 2g + m), and groups without common raters are independent.
        """
        g, k = self.objective.coefficient.group_size, self.objective.table.n_categories
        agree = float(k) ** (1 - g)
        means, variances = [], []
        for size in self.sizes.tolist():
            n_groups = comb(size, g)
            both = [
                comb(g, m) * comb(size - g, g - m) * (float(k) ** (1 - 2 * g + m) - agree**2) for m in range(1, g + 1)
            ]
            means.append(n_groups * (1 - agree))
            variances.append(n_groups * sum(both))
        return np.array(means) * self.factors, np.zeros((len(means), 1, k)), np.array(variances)


def _decomposed(matrix: Array) -> tuple[Array, Array, Array, Array]:
    """Return the mean of u(x, y) for independent x and y, the effects of x and of y, and the variance of the rest."""
    mean = matrix.mean(axis=(-2, -1))
    first, second = matrix.mean(axis=-1) - mean[..., None], matrix.mean(axis=-2) - mean[..., None]
    rest = matrix - mean[..., None, None] - first[..., :, None] - second[..., None, :]
    return mean, first, second, (rest**2).mean(axis=(-2, -1))


def _sum(totals: Totals, more: Totals, times: float) -> Totals:
    return Totals(*(own + times * other for own, other in zip(totals, more, strict=True)))
