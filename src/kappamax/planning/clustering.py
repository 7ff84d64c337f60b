"""Plan studies whose subjects are in clusters, such as the lesions of patients or the sentences of documents.

Subjects of one cluster may be alike, so that they tell less than as many independent subjects. The design effect D is
the ratio of the variances of the coefficient with and without regard to clusters, and N subjects in clusters are as
good as N / D independent ones, except that a study estimates the variance from its clusters, whose number determines
the degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, inf, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from kappamax._validate import as_finite_number
from kappamax.clusters import Clusters
from kappamax.coefficients import as_objective
from kappamax.confidence_intervals import expected_cluster_estimate, expected_cluster_interval
from kappamax.disagreement.objective import Objective
from kappamax.errors import InvalidOptionError
from kappamax.planning.formula import Precision
from kappamax.planning.margin_tables import Chosen
from kappamax.pseudo_subjects import n_pseudo_subjects
from kappamax.standard_errors import cluster_sums, quantile_of, standard_error
from kappamax.table import Table

_LARGEST_CLUSTER = 1_000_000
_MOST_VARIATION = 100
_ROUNDING = 1e-9
_TEST_LEVEL = 0.95  # level of the interval whose pseudo-subjects `value_test` adds


def as_cluster_design(
    cluster_size: float | None, icc: float | None, cluster_cv: float | None, pilot: Table | None, chosen: Chosen
) -> ClusterDesign | None:
    """Return the clusters of a study, or None if its subjects are independent.

    What is not given is estimated from the clusters of pilot ratings, if these have clusters.
    """
    if cluster_size is not None:
        cluster_size = as_finite_number("cluster_size", cluster_size)
        if not 1 <= cluster_size <= _LARGEST_CLUSTER:
            raise InvalidOptionError(
                f"cluster_size must lie between 1 and {_LARGEST_CLUSTER:,} subjects; got {cluster_size:g}."
            )
    icc = None if icc is None else _as_share("icc", icc, 1)
    cluster_cv = None if cluster_cv is None else _as_share("cluster_cv", cluster_cv, _MOST_VARIATION)
    if pilot is not None and pilot.clusters is not None:
        sizes = _sizes_of(pilot.clusters)
        estimated = None
        if icc is None:
            icc, estimated = _pilot_correlation(pilot, pilot.clusters, cluster_size, chosen)
        return ClusterDesign(
            float(sizes.mean()) if cluster_size is None else cluster_size,
            icc,
            float(sizes.std() / sizes.mean()) if cluster_cv is None else cluster_cv,
            estimated,
        )
    if cluster_size is None and icc is None and cluster_cv is None:
        return None
    if cluster_size is None or icc is None:
        missing = "cluster_size" if cluster_size is None else "icc"
        raise InvalidOptionError(f"a study in clusters needs cluster_size and icc; {missing} is missing.")
    return ClusterDesign(cluster_size, icc, cluster_cv or 0.0)


@dataclass(frozen=True)
class ClusterDesign:
    """The clusters of the subjects of a study.

    Attributes
    ----------
    size : float
        Mean number of subjects per cluster.
    icc : float
        Correlation of the contributions of two subjects of a cluster to the coefficient.
    cv : float
        Coefficient of variation of the numbers of subjects per cluster.
    pilot_effect : float or None
        Design effect in the pilot ratings, from which `icc` was estimated; None if `icc` was given.
    effect : float
        Design effect 1 + (size (1 + cv^2) - 1) icc, which is the variance of the coefficient divided by its variance if
        subjects were independent.
    """

    size: float
    icc: float
    cv: float = 0.0
    pilot_effect: float | None = None

    @property
    def effect(self) -> float:
        """Design effect."""
        return 1 + (self.size * (1 + self.cv**2) - 1) * self.icc

    def subjects_in(self, n_clusters: int) -> int:
        """Return the number of subjects in a number of clusters, rounded up."""
        return ceil(self.size * n_clusters - _ROUNDING)

    def clusters_of(self, n: int) -> int:
        """Return the number of clusters that n subjects fill."""
        return floor(n / self.size + _ROUNDING)

    def compared_clusters(self, n: int, counted: float) -> float:
        """Return the number of clusters with ratings to compare if a share of the n subjects has such ratings."""
        without = float((1 - counted) ** self.size)
        return n / self.size * (1 - without)


@dataclass(frozen=True)
class ClusteredPrecision(Precision):
    """Precision of studies in clusters, whose standard errors are estimated from the clusters.

    Attributes
    ----------
    design : ClusterDesign
        Clusters of the studies.
    """

    design: ClusterDesign

    def deviation(self, n: int) -> float:
        """Return the standard deviation of the coefficient in studies with n subjects."""
        return self.sd * sqrt(self.design.effect / n)

    def se(self, n: int) -> float:
        """Return the standard error that a study with n subjects reports."""
        clusters = self.design.compared_clusters(n, self.counted)
        return self.deviation(n) * sqrt(clusters / (clusters - 1)) if clusters > 1 else inf

    def quantile(self, level: float, n: int) -> float:
        """Return the quantile of the t distribution, with one degree of freedom less than there are clusters."""
        clusters = self.design.compared_clusters(n, self.counted)
        return quantile_of(level, clusters - 1) if clusters > 1 else inf


def with_clusters(precision: Precision, design: ClusterDesign | None) -> Precision:
    """Return the precision of studies of the same population in clusters, if there are clusters."""
    if design is None:
        return precision
    return ClusteredPrecision(precision.value, precision.sd, precision.student, precision.counted, design)


def interval_over_clusters(
    population: Objective, precision: ClusteredPrecision, n: int, level: float
) -> tuple[float, float, float]:
    """Return the adjusted interval of a study with n subjects in clusters, and its full width before truncation.

    The study has the proportions of the population.
    """
    return expected_cluster_interval(population, level=level, **_expected_study(population, precision, n))


def adjusted_power(
    population: Objective, null_population: Objective, precision: ClusteredPrecision, n: int, null: float, tail: float
) -> float:
    """Return the probability that a study with n subjects in clusters rejects on the side of the assumed value.

    The test is that of `value_test` for clusters, by the center and the standard error of the adjusted interval.
    Studies at the limit of significance have a value near the null value, so the standard error is the one there.
    Pseudo-subjects do not vary, so the center varies less than the coefficient.
    """
    level = _TEST_LEVEL
    study = _expected_study(population, precision, n)
    center, _ = expected_cluster_estimate(population, level=level, **study)
    _, error = expected_cluster_estimate(null_population, level=level, **study | _counts(null_population, n))
    side = 1 if precision.value > null else -1
    room = side * (center - null) - quantile_of(1 - tail, error.df) * float(error)
    independent = n / precision.design.effect
    n_pseudo, _ = n_pseudo_subjects(population.table.n_raters, population.table.n_categories, level)
    own = precision.deviation(n) * independent / (independent + n_pseudo)
    return float(room > 0) if own == 0 else NormalDist().cdf(room / own)


def _expected_study(population: Objective, precision: ClusteredPrecision, n: int) -> dict[str, Any]:
    """Return the counts, the number of clusters and the design effect of a study of a population."""
    clusters = precision.design.compared_clusters(n, precision.counted)
    return {"n_clusters": clusters, "design_effect": precision.design.effect} | _counts(population, n)


def _counts(population: Objective, n: int) -> dict[str, Any]:
    table = population.table
    return {"counts": table.counts * (n / table.n_subjects)}


def _pilot_correlation(
    pilot: Table, clusters: Clusters, cluster_size: float | None, chosen: Chosen
) -> tuple[float, float]:
    """Return the correlation of subjects of a cluster in pilot ratings, and their design effect.

    A design effect below 1 counts as 1, so the correlation is at least 0, and a correlation above 1 counts as 1.
    """
    objective = as_objective(pilot, **chosen)
    alone = as_objective(pilot.like(pilot.patterns, pilot.counts), **chosen)
    over_clusters, over_subjects = (standard_error(one, method="delta").se for one in (objective, alone))
    if over_clusters is None:
        raise InvalidOptionError(
            "icc must be given, because it cannot be estimated: fewer than two clusters of the pilot have ratings to "
            "compare."
        )
    if not over_subjects:
        raise InvalidOptionError(
            "icc must be given, because it cannot be estimated: the standard error of the coefficient in the pilot "
            "ratings is zero."
        )
    effect = (over_clusters / over_subjects) ** 2
    squares = float((_sizes_of(clusters) ** 2).sum()) / pilot.n_subjects  # mean size times 1 + cv^2
    if squares == 1:
        if cluster_size is not None and cluster_size > 1:
            raise InvalidOptionError(
                "icc must be given, because it cannot be estimated: every cluster of the pilot has one subject."
            )
        return 0.0, effect
    return min(1.0, max(0.0, (effect - 1) / (squares - 1))), effect


def _sizes_of(clusters: Clusters) -> Any:
    """Return the number of subjects of each cluster."""
    return cluster_sums(clusters, np.ones(len(clusters.codes)))


def _as_share(name: str, value: float, most: float) -> float:
    """Return a number from 0 to an upper limit, both included."""
    number = as_finite_number(name, value)
    if not 0 <= number <= most:
        raise InvalidOptionError(f"{name} must lie between 0 and {most:g}; got {number:g}.")
    return number
