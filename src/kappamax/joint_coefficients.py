"""Compute several coefficients of the same subjects together, with their joint sampling variation.

The independent units of the sample are the clusters of the table or, without clusters, its subjects. The covariances of
the coefficients are sums of products of deviations: over the units, of the slopes of the coefficients in each unit
(delta method) or of the coefficients without each unit (jackknife); or over resamples, of the coefficients in each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kappamax._tolerances import NO_SPREAD
from kappamax._typing import Array, Floats, Integers
from kappamax._validate import as_choice
from kappamax.cluster_resampling import counts_by_cluster
from kappamax.coefficients import as_objective
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.errors import InvalidOptionError, UndefinedKappaError
from kappamax.jackknife_values import leave_one_out_values, values_without_each_cluster
from kappamax.patterns import n_ratings_of, pattern_positions
from kappamax.standard_errors import slopes
from kappamax.table import Table
from kappamax.weights import WeightsLike

Spec = Mapping[str, Any] | Sequence[str | int]


def joint_coefficients(
    table: Table, specs: Sequence[Any], argument: str, *, weights: WeightsLike, coefficient: str
) -> JointCoefficients:
    """Return the coefficients of a table that are given by lists of raters or by mappings.

    Parameters
    ----------
    table : Table
        Ratings of the subjects.
    specs : sequence of sequences of raters, or of mappings
        Raters of each coefficient; or a mapping with `raters` (default: all) and with `weights`, `coefficient` or
        `group_size`.
    argument : str
        Name of the argument that holds the specs, for messages.
    weights : str, Weights or mapping
        Weights of the coefficients whose spec does not give them.
    coefficient : str
        Name of the coefficients whose spec does not give one.
    """
    columns, objectives = [], []
    for given in specs:
        if isinstance(given, str) or not isinstance(given, Mapping | Sequence):
            raise InvalidOptionError(
                f"{argument} must be lists of raters such as ['a', 'b'], or mappings such as "
                f"{{'weights': 'linear'}}; got {given!r}."
            )
        spec = given if isinstance(given, Mapping) else {"raters": given}
        for key in spec:
            as_choice(argument, key, ("raters", "weights", "coefficient", "group_size"))
        columns.append([table.rater_index(rater) for rater in spec.get("raters", table.raters)])
        chosen: dict[str, Any] = {"weights": weights, "coefficient": coefficient} | dict(spec)
        chosen.pop("raters", None)
        objectives.append(as_objective(table.select(columns[-1]), **chosen))
    return JointCoefficients(table, objectives, columns)


class Deviations(NamedTuple):
    """Deviations of estimates whose weighted products add up to their covariances.

    Attributes
    ----------
    rows : array, shape (n, K)
        Deviation of each of K estimates in each of n rows.
    weights : array, shape (n,)
        Weight of each row.
    """

    rows: Floats
    weights: Floats

    def covariance(self) -> Floats:
        """Return the covariance matrix of the estimates, shape (K, K)."""
        return np.asarray((self.rows * self.weights[:, None]).T @ self.rows)

    def errors(self) -> Floats:
        """Return the standard errors of the estimates, shape (K,); an error that is zero except for rounding is 0."""
        errors = np.sqrt(self.weights @ self.rows**2)
        return np.where(errors <= NO_SPREAD, 0.0, errors)

    def of(self, contrasts: Array) -> Deviations:
        """Return the deviations of linear combinations of the estimates, one per column of `contrasts`.

        Their covariance is more accurate than that computed from the covariance of the estimates.
        """
        return Deviations(self.rows @ contrasts, self.weights)


class JointCoefficients:
    """Several coefficients of the subjects of one table.

    Parameters
    ----------
    table : Table
        Ratings of the subjects.
    objectives : sequence of Objective
        The K coefficients, each of some raters of the table.
    columns : sequence of lists of int
        Columns of the raters of each coefficient.
    """

    def __init__(self, table: Table, objectives: Sequence[Objective], columns: Sequence[Sequence[int]]) -> None:
        self.table, self.objectives, self.columns = table, tuple(objectives), tuple(map(list, columns))
        self._places = [
            pattern_positions(table.patterns[:, own], objective.table.patterns, table.n_categories)
            for objective, own in zip(self.objectives, self.columns, strict=True)
        ]

    @cached_property
    def values(self) -> Floats:
        """Values of the coefficients, shape (K,)."""
        found = []
        for objective in self.objectives:
            try:
                found.append(objective.value(objective.score))
            except UndefinedKappaError as error:
                raters = ", ".join(objective.table.raters)
                raise UndefinedKappaError(f"the coefficient of {raters}: {error.reason}") from None
        return np.array(found)

    @cached_property
    def by_cluster(self) -> Any:
        """Number of subjects of each pattern in each cluster, a sparse array, or None without clusters."""
        return None if self.table.clusters is None else counts_by_cluster(self.table)

    @cached_property
    def n_units(self) -> int:
        """Number of clusters, or of subjects without clusters, that have ratings to compare for every coefficient.

        If it differs between the coefficients, it is the smallest of these numbers.
        """
        return min(
            self._n_compared(objective, own) for objective, own in zip(self.objectives, self.columns, strict=True)
        )

    def _n_compared(self, objective: Objective, own: Sequence[int]) -> int:
        clusters = self.table.clusters
        patterns = (clusters or self.table.grouped).patterns[:, own]
        enough = n_ratings_of(patterns) >= objective.coefficient.group_size
        if clusters is not None:
            return len(np.unique(clusters.codes[enough]))
        return int(self.table.counts[enough].sum())

    def values_at(self, counts: Array) -> Floats:
        """Return the coefficients at rows of counts of the patterns, shape (..., K); NaN where one is undefined."""
        found = []
        for objective, places in zip(self.objectives, self._places, strict=True):
            evaluator = Evaluator(objective)
            found.append(evaluator.value_of(evaluator.totals(_gathered(counts, places))))
        return np.stack(found, axis=-1)

    def slopes_at(self, counts: Array | None = None) -> Floats:
        """Return the derivatives of the coefficients by the count of each pattern, shape (..., m, K).

        They are taken at the counts of the table, or at rows of other counts.
        """
        found = []
        for objective, places in zip(self.objectives, self._places, strict=True):
            with np.errstate(divide="ignore", invalid="ignore"):  # rows in which the coefficient is 0/0
                own = slopes(objective, counts=None if counts is None else _gathered(counts, places))
            found.append(np.where(places >= 0, own[..., places], 0.0))
        return np.stack(found, axis=-1)

    def delta_deviations(self) -> Deviations:
        """Return the deviations of the delta method; there must be two or more units with ratings to compare."""
        sums, counts = self.slopes_at(), self.table.counts.astype(float)
        if self.by_cluster is not None:
            sums = self.by_cluster @ sums
            counts = np.ones(len(sums))
        rows = sums - counts @ sums / counts.sum()
        return Deviations(rows, counts * (self.n_units / (self.n_units - 1)))

    def jackknife_deviations(self) -> Deviations | None:
        """Return the deviations of the coefficients without each unit; None if one of them is undefined."""
        found, counts = [], self.table.counts.astype(float)
        for objective, places in zip(self.objectives, self._places, strict=True):
            if self.by_cluster is None:
                values, _ = leave_one_out_values(objective.table, objective)
                own = np.where(places >= 0, values[places], float(objective.value(objective.score)))
            else:
                own = values_without_each_cluster(objective, self.by_cluster @ _indicators(places))
                counts = np.ones(len(own))
            found.append(own)
        values = np.stack(found, axis=-1)
        if np.isnan(values).any():
            return None
        n = counts.sum()
        return Deviations(values - counts @ values / n, counts * ((n - 1) / n))

    def covariances_at(self, units: Array, counts: Array) -> Floats:
        """Return the covariances by the delta method in resamples, shape (size, K, K).

        Parameters
        ----------
        units : array, shape (size, n_clusters) or (size, m)
            How often each cluster was drawn or, without clusters, the counts of the patterns.
        counts : array, shape (size, m)
            Counts of the patterns.
        """
        found = np.empty((len(counts), len(self.objectives), len(self.objectives)))
        by_cluster = None if self.by_cluster is None else self.by_cluster.astype(float)
        for own, drawn, products in zip(self.slopes_at(counts), units, found, strict=True):
            sums = own if by_cluster is None else by_cluster @ own
            weighted = sums * drawn[:, None].astype(float)
            means = weighted.sum(axis=0) / drawn.sum()
            products[:] = weighted.T @ sums - drawn.sum() * np.outer(means, means)
        return found * (self.n_units / (self.n_units - 1))


def _gathered(counts: Array, places: Integers) -> Array:
    """Return the counts of other patterns, given the place of each pattern among them, or -1 for none."""
    order = np.argsort(places, kind="stable")
    order = order[np.searchsorted(places[order], 0) :]
    starts = np.flatnonzero(np.diff(places[order], prepend=-1))
    return np.asarray(np.add.reduceat(counts[..., order], starts, axis=-1))


def _indicators(places: Integers) -> Any:
    """Return a sparse array of zeros and ones whose product with counts of patterns is that of `_gathered`."""
    from scipy.sparse import csr_array

    rows = np.flatnonzero(places >= 0)
    ones = np.ones(len(rows), dtype=np.int64)
    return csr_array((ones, (rows, places[rows])), shape=(len(places), int(places.max()) + 1))
