"""Compute the agreement of each pair of raters.

The value of each pair is exact. The standard errors and intervals of all pairs are computed together, from the k x k
tables of the counts of each pair, because there may be thousands of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from kappamax._integers import widen
from kappamax._result import TableResult, plain
from kappamax._rootsum import quotient
from kappamax._tolerances import NO_SPREAD
from kappamax._typing import Array, Floats, Integers
from kappamax._validate import as_choice, as_number_between
from kappamax.coefficients import as_objective
from kappamax.confidence_intervals import INTERVALS, MOST_ADJUSTED, smallest_value
from kappamax.disagreement.objective import Objective
from kappamax.disagreement.quadratic_forms import weighted_sum
from kappamax.display import numbers, text
from kappamax.errors import NotSupportedError
from kappamax.estimates import Estimate, estimate_rows, estimated, limit_columns
from kappamax.io import Ratings, as_table
from kappamax.patterns import MISSING, pair_counts
from kappamax.pseudo_subjects import n_pseudo_subjects
from kappamax.standard_errors import quantile_of
from kappamax.table import Label, Table
from kappamax.weights import PairWeights, Weights, WeightsLike, as_weights

MOST_PAIRS = 500_000
MOST_CLUSTERED = 5_000  # pairs of raters of clustered subjects, which take some milliseconds each
MOST_EXACT = 200  # pairs of raters with exact intervals, which take up to some seconds each
_LONGEST_NAME = 9
_MOST_LISTED = 15  # pairs that are listed with their intervals; more pairs are shown as a matrix of values
_CELLS_PER_BLOCK = 250_000  # cells of the tables of the pairs that are held in memory at a time


def pairwise_kappas(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    categories: Sequence[Label] | None = None,
    level: float = 0.95,
    interval: str = "auto",
    cluster: Any = None,
) -> PairwiseKappas:
    """Compute Cohen's kappa for every pair of raters.

    Each pair is compared on the subjects that both raters rated. The mean over the pairs, Light's kappa, is the
    attribute `light` of the result.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.
    level : float
        Confidence level of the intervals, default 0.95. Each interval has this level; that all of them contain the
        kappas of the population has a smaller probability.
    interval : {"auto", "adjusted", "exact", "normal"}
        Method for the confidence intervals, default "auto"; see `agreement`.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, such as the patient of a lesion, or an array with one
        entry per subject; see `agreement`.

    Returns
    -------
    PairwiseKappas
        Symmetric matrices of kappas, numbers of subjects, standard errors and confidence intervals, with NaN and a
        reason where a kappa is undefined.

    Raises
    ------
    NotSupportedError
        If there are more than 500,000 pairs of raters, more than 5,000 if the subjects are in clusters, or more than
        200 if the interval is "exact"; or if the interval is "exact" and some pair has not two categories and up to 100
        independent subjects.

    See Also
    --------
    compare : Test whether two pairs of raters agree equally well.

    Examples
    --------
    >>> import kappamax as km
    >>> pairs = km.pairwise_kappas([1, 2, 2, 1], [1, 2, 1, 1], [2, 2, 1, 1])
    >>> pairs.values[0].tolist(), round(pairs.light, 4)
    ([1.0, 0.5, 0.0], 0.3333)
    >>> pairs.ci[0, 1].round(2).tolist(), int(pairs.n_subjects[0, 1])
    ([-0.4, 0.91], 4)
    """
    table = as_table(*ratings, categories=categories, cluster=cluster)
    level = as_number_between("level", level, 0, 1)
    interval = as_choice("interval", interval, INTERVALS)
    _require_few_pairs(table, interval)
    resolved = as_weights(weights, categories=table.categories, ordered=table.ordered, raters=table.raters)
    measure = _one_by_one if table.clusters is not None or interval == "exact" else _together
    found = measure(table, resolved, level, interval)
    return PairwiseKappas(table.raters, resolved.name, *found, level, interval, table.frame_library, _data=table.data)


@dataclass(frozen=True, repr=False)
class PairwiseKappas(TableResult):
    """Cohen's kappa of every pair of raters.

    Attributes
    ----------
    raters : tuple of str
        Names of the raters.
    weights : str
        Name of the weights.
    values : array of float, shape (n_raters, n_raters)
        Symmetric matrix with ones on the diagonal; NaN where a kappa is undefined.
    n_subjects : array of int, shape (n_raters, n_raters)
        Number of subjects that both raters rated; on the diagonal, number of subjects that the rater rated.
    se : array of float, shape (n_raters, n_raters)
        Standard errors, with zeros on the diagonal; NaN where a kappa is undefined or its standard error cannot be
        estimated.
    ci : array of float, shape (n_raters, n_raters, 2)
        Confidence intervals, with ones on the diagonal; NaN where there is none.
    reasons : dict
        Reason for every undefined kappa; the keys are pairs such as "A, B".
    level : float
        Confidence level of each interval.
    interval : str
        Method for the intervals that was asked for; `agreement` says what "auto" stands for.
    """

    raters: tuple[str, ...]
    weights: str
    values: Floats
    n_subjects: Integers
    se: Floats
    ci: Floats
    reasons: dict[str, str]
    level: float
    interval: str
    _library: str | None = field(default=None, repr=False, compare=False)

    @property
    def light(self) -> float:
        """Light's kappa, the mean over all pairs; NaN if the kappa of some pair is undefined."""
        return float(self.values[np.triu_indices(len(self.raters), 1)].mean())

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data for JSON; undefined values and intervals are null."""
        ci = [[None if None in ends else ends for ends in row] for row in plain(self.ci)]
        return super().to_dict() | {"ci": ci}

    def _columns(self) -> dict[str, Iterable[Any]]:
        upper = np.triu_indices(len(self.raters), 1)
        pairs = [(self.raters[a], self.raters[b]) for a, b in zip(*upper, strict=True)]
        return {
            "rater_1": [a for a, _ in pairs],
            "rater_2": [b for _, b in pairs],
            "value": plain(self.values[upper]),
            "n_subjects": self.n_subjects[upper].tolist(),
            "se": plain(self.se[upper]),
            **limit_columns(plain(self.ci[upper])),
            "reason": [self.reasons.get(f"{a}, {b}") for a, b in pairs],
        }

    def _frame_library(self) -> str | None:
        return self._library

    def _rows(self) -> list[tuple[str, str]]:
        names = text.labels(self.raters, _LONGEST_NAME)
        pairs = list(combinations(range(len(names)), 2))
        if len(pairs) <= _MOST_LISTED:
            header = ["kappa", f"{100 * self.level:g}% interval", "subjects"]
            cells = [
                [numbers.decimal(self.values[pair]), interval_text(self.ci[pair]), numbers.count(self.n_subjects[pair])]
                for pair in pairs
            ]
            reasons = [self.reasons.get(f"{self.raters[a]}, {self.raters[b]}") for a, b in pairs]
            listed = [f"{names[a]}, {names[b]}" for a, b in pairs]
            return [("weights", self.weights), *estimate_rows(listed, header, cells, reasons)]
        heads = "  ".join(f"{name:>{_LONGEST_NAME}}" for name in names)
        rows = [
            (name, "  ".join(f"{numbers.decimal(value):>{_LONGEST_NAME}}" for value in row))
            for name, row in zip(names, self.values, strict=True)
        ]
        return [("weights", self.weights), ("", heads), *rows, *self.reasons.items()]


def interval_text(limits: Floats) -> str:
    """Return the interval of a pair as text; "undefined" if its limits are NaN."""
    low, high = limits.tolist()
    return numbers.interval(None if np.isnan(low) else (low, high))


class _Matrices(NamedTuple):
    """Fields of a result, whose matrices are filled above the diagonal first."""

    values: Floats
    n_subjects: Integers
    se: Floats
    ci: Floats
    reasons: dict[str, str]


def _require_few_pairs(table: Table, interval: str) -> None:
    """Require that the kappas of all pairs of raters can be computed in some minutes."""
    most, why = MOST_PAIRS, ""
    if interval == "exact":
        most, why = MOST_EXACT, " for exact intervals"
    elif table.clusters is not None:
        most, why = MOST_CLUSTERED, " for subjects in clusters"
    n_pairs = table.n_raters * (table.n_raters - 1) // 2
    if n_pairs > most:
        raise NotSupportedError(
            f"pairwise_kappas is limited to {most:,} pairs of raters{why}; {table.n_raters:,} raters make "
            f"{n_pairs:,}. Table.select chooses some of the raters."
        )


def _together(table: Table, weights: Weights | PairWeights, level: float, interval: str) -> _Matrices:
    """Return the kappas of all pairs, with the standard errors and intervals of many pairs at a time."""
    made, k = _blank(table), table.n_categories
    block = max(1, _CELLS_PER_BLOCK // k**2)
    lowest = smallest_value(_any_pair(table, weights)) if isinstance(weights, Weights) else -inf
    for a in range(table.n_raters):
        for start in range(a + 1, table.n_raters, block):
            others = range(start, min(start + block, table.n_raters))
            own = [weights.by_pair[a, b] if isinstance(weights, PairWeights) else weights for b in others]
            u = weights.matrix if isinstance(weights, Weights) else np.stack([one.matrix for one in own])
            columns = table.patterns.T
            tables = np.stack([pair_counts(columns[a], columns[b], table.counts, k) for b in others])
            values = np.array([_exact_kappa(*pair) for pair in zip(tables, own, strict=True)])
            n_subjects = tables.sum(axis=(1, 2))
            _, errors = _kappas_and_errors(tables, u)
            errors = np.where(n_subjects < 2, np.nan, np.where(errors <= NO_SPREAD, 0.0, errors))
            row = np.s_[a, others.start : others.stop]
            made.values[row], made.n_subjects[row], made.se[row] = values, n_subjects, errors
            made.ci[row] = _limits(tables, u, values, errors, lowest, level, interval)
            for b in np.array(others)[np.isnan(values)].tolist():
                made.reasons[_key(table, a, b)] = _single_pair(table, a, b, weights, level, interval).reason or ""
    return _mirrored(made)


def _one_by_one(table: Table, weights: Weights | PairWeights, level: float, interval: str) -> _Matrices:
    """Return the kappas of all pairs, each by the functions for a single table."""
    made = _blank(table)
    for a, b in combinations(range(table.n_raters), 2):
        one = _single_pair(table, a, b, weights, level, interval)
        made.n_subjects[a, b] = one.n_subjects
        made.values[a, b], made.se[a, b] = (np.nan if number is None else number for number in (one.value, one.se))
        made.ci[a, b] = np.nan if one.ci is None else one.ci
        if one.reason is not None:
            made.reasons[_key(table, a, b)] = one.reason
    return _mirrored(made)


def _single_pair(table: Table, a: int, b: int, weights: Weights | PairWeights, level: float, interval: str) -> Estimate:
    """Return Cohen's kappa of two raters on the subjects that both rated, or the reason why it is undefined."""
    rows = table.clusters or table.grouped
    codes = rows.patterns[:, [a, b]]
    both = (codes != MISSING).all(axis=1)
    if not both.any():
        return Estimate(0, reason="no subject was rated by both")
    pair = Table(
        codes[both],
        rows.counts[both],
        table.categories,
        (table.raters[a], table.raters[b]),
        ordered=table.ordered,
        clusters=table.clusters and table.clusters.codes[both],
        cluster_name=table.clusters and table.clusters.name,
    )
    return estimated(pair, level, interval, weights=weights.for_raters([a, b]))


def _blank(table: Table) -> _Matrices:
    """Return matrices with the diagonals of a result."""
    r = table.n_raters
    return _Matrices(np.eye(r), np.diag(table.margins.sum(axis=1)), np.zeros((r, r)), np.ones((r, r, 2)), {})


def _mirrored(made: _Matrices) -> _Matrices:
    """Return the matrices with the entries above the diagonal copied below it."""
    above = np.triu_indices(len(made.values), 1)
    for matrix in made[:4]:
        matrix[above[::-1]] = matrix[above]
    return made


def _key(table: Table, a: int, b: int) -> str:
    return f"{table.raters[a]}, {table.raters[b]}"


def _any_pair(table: Table, weights: Weights) -> Objective:
    """Return an objective of two raters with the categories of a table."""
    return as_objective(Table([[0, 0]], None, table.categories, ordered=table.ordered), weights=weights)


def _exact_kappa(met: Integers, weights: Weights) -> float:
    """Return Cohen's kappa of a table of counts, in a tenth of the time of an objective; NaN if it is 0/0."""
    n = int(met.sum())
    if n == 0:
        return nan
    rows, columns = (widen(margin, n * n) for margin in (met.sum(axis=1), met.sum(axis=0)))
    expected = weighted_sum(np.outer(rows, columns), weights, n * n)
    return nan if expected == 0 else quotient(expected - weighted_sum(met, weights, n), expected)


def _kappas_and_errors(tables: Array, u: Array) -> tuple[Array, Array]:
    """Return Cohen's kappa of tables and its standard error by the formula of Fleiss, Cohen and Everitt (1969).

    The tables have shape (m, k, k) and need not be whole numbers; the weights have shape (k, k) or (m, k, k). Kappa is
    1 - D_o / D_e. The derivative of n * kappa with respect to the count of a cell (i, j) is

        D_o / D_e * ((u_i + u_j) / D_e - 1) - u_ij / D_e,

    where u_i and u_j are the mean weights of row i and of column j under the margins of the other rater. Its mean over
    the subjects is 0. The results are NaN where kappa is 0/0.
    """
    n = tables.sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = tables / n[:, None, None]
        rows, columns = shares.sum(axis=2), shares.sum(axis=1)
        by_row = (u @ columns[:, :, None])[:, :, 0]
        by_column = (rows[:, None, :] @ u)[:, 0, :]
        observed, expected = (shares * u).sum(axis=(1, 2)), (rows * by_row).sum(axis=1)
        ratio = (observed / expected)[:, None, None]
        chance = expected[:, None, None]
        slopes = ratio * ((by_row[:, :, None] + by_column[:, None, :]) / chance - 1) - u / chance
        variances = (shares * slopes**2).sum(axis=(1, 2)) / n
    return 1 - ratio[:, 0, 0], np.sqrt(variances)


def _limits(
    tables: Integers, u: Array, values: Floats, errors: Floats, lowest: float, level: float, interval: str
) -> Floats:
    """Return the limits of the normal or the adjusted intervals, shape (m, 2); see `confidence_intervals`."""
    quantile = quantile_of((1 + level) / 2, None)
    normal = np.stack([values - quantile * errors, np.minimum(values + quantile * errors, 1.0)], axis=1)
    if interval == "normal":
        return normal
    k = tables.shape[-1]
    n_pseudo, unanimous = n_pseudo_subjects(2, k, level)
    pseudo = unanimous * np.eye(k) / k + (1 - unanimous) / k**2
    centers, spreads = _kappas_and_errors(tables + n_pseudo * pseudo, u)
    low, high = np.maximum(centers - quantile * spreads, lowest), np.minimum(centers + quantile * spreads, 1.0)
    adjusted = np.stack([np.minimum(low, values), np.maximum(high, values)], axis=1)
    many = np.count_nonzero(tables, axis=(1, 2)) > MOST_ADJUSTED
    return np.where((many & (interval == "auto"))[:, None], normal, adjusted)
