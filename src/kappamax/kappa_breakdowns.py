"""Compute the agreement of each pair of raters, on each category, and without each rater.

A coefficient that is undefined for some pair, category or rater is reported with the reason, and the others are still
computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isqrt
from typing import Any

import numpy as np

from kappamax._integers import widen
from kappamax._result import TableResult
from kappamax._rootsum import quotient
from kappamax._typing import Floats
from kappamax.coefficients import as_objective, coefficient_for
from kappamax.disagreement.quadratic_forms import weighted_sum
from kappamax.display import numbers, text
from kappamax.errors import InvalidRatingsError, NotSupportedError, UndefinedKappaError
from kappamax.io import Ratings, as_table
from kappamax.patterns import pair_counts
from kappamax.table import Label, Table
from kappamax.weights import PairWeights, Weights, WeightsLike, as_weights

_LONGEST_NAME = 9
_MOST_PAIRS = 500_000
_MOST_LEFT_OUT = 5_000_000_000  # number of raters, squared, times patterns, which takes some minutes
_PATTERNS_OF_OVERHEAD = 4_000  # patterns that are scored in the time that a rater takes for other reasons


def pairwise_kappas(
    *ratings: Ratings, weights: WeightsLike = "unweighted", categories: Sequence[Label] | None = None
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

    Returns
    -------
    PairwiseKappas
        Symmetric matrix of kappas, with NaN and a reason where a kappa is undefined.

    Raises
    ------
    NotSupportedError
        If there are more than 500,000 pairs of raters.

    Examples
    --------
    >>> import kappamax as km
    >>> pairs = km.pairwise_kappas([1, 2, 2, 1], [1, 2, 1, 1], [2, 2, 1, 1])
    >>> pairs.values[0].tolist(), round(pairs.light, 4)
    ([1.0, 0.5, 0.0], 0.3333)
    """
    table = as_table(*ratings, categories=categories)
    if (n_pairs := table.n_raters * (table.n_raters - 1) // 2) > _MOST_PAIRS:
        raise NotSupportedError(
            f"pairwise_kappas is limited to {_MOST_PAIRS:,} pairs of raters; {table.n_raters:,} raters make "
            f"{n_pairs:,}. Table.select chooses some of the raters."
        )
    resolved = as_weights(weights, categories=table.categories, ordered=table.ordered, raters=table.raters)
    values = np.eye(table.n_raters)
    reasons: dict[str, str] = {}
    for a in range(table.n_raters):
        for b in range(a + 1, table.n_raters):
            value, reason = _pair_kappa(table, a, b, resolved.for_raters([a, b]))
            values[a, b] = values[b, a] = np.nan if value is None else value
            if reason is not None:
                reasons[f"{table.raters[a]}, {table.raters[b]}"] = reason
    return PairwiseKappas(table.raters, resolved.name, values, reasons, table.frame_library, _data=table.data)


def category_kappas(
    *ratings: Ratings, coefficient: str = "kappa", categories: Sequence[Label] | None = None
) -> CategoryKappas:
    """Compute the agreement on each category, with all other categories combined into one.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    CategoryKappas
        Coefficient of every category, or None and the reason where it is undefined.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.category_kappas(km.example("cohen1968"))
    >>> {category: round(value, 2) for category, value in found.values.items()}
    {'personality disorder': 0.56, 'neurosis': 0.52, 'psychosis': 0.31}
    """
    table = as_table(*ratings, categories=categories)
    name = coefficient_for(coefficient, table.n_raters).name
    found = {c: _value_or_reason(table.collapse(c), coefficient=name) for c in table.categories}
    values = {category: value for category, (value, _) in found.items()}
    return CategoryKappas(name, values, _reasons(found), table.frame_library, _data=table.data)


def leave_one_out(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    categories: Sequence[Label] | None = None,
) -> LeaveOneOut:
    """Compute the coefficient without each rater in turn, for three or more raters.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    LeaveOneOut
        Coefficient of all raters, and coefficient without each of them.

    Raises
    ------
    NotSupportedError
        If there are fewer than three raters, or so many raters and patterns that leaving out each rater would take many
        minutes.
    UndefinedKappaError
        If the coefficient of all raters is undefined.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.leave_one_out([1, 2, 2, 1], [1, 2, 1, 1], [2, 2, 1, 1])
    >>> found.without
    {'1': 0.5, '2': 0.0, '3': 0.5}
    """
    table = as_table(*ratings, categories=categories)
    if table.n_raters < 3:
        raise NotSupportedError(f"leaving one rater out needs at least three raters; got {table.n_raters}.")
    most = isqrt(_MOST_LEFT_OUT // (len(table.counts) + _PATTERNS_OF_OVERHEAD))
    if table.n_raters > most:
        raise NotSupportedError(
            f"leave_one_out is limited to {most:,} raters for ratings with {len(table.counts):,} different patterns; "
            f"got {table.n_raters:,} raters. Table.select chooses some of them."
        )
    whole = as_objective(table, weights=weights, coefficient=coefficient)
    found = {}
    for left_out in range(table.n_raters):
        rest = [rater for rater in range(table.n_raters) if rater != left_out]
        found[table.raters[left_out]] = _value_or_reason(
            table.select(rest), weights=whole.weights.for_raters(rest), coefficient=coefficient
        )
    values = {rater: value for rater, (value, _) in found.items()}
    name = coefficient_for(coefficient, table.n_raters).name
    value = whole.value(whole.score)
    return LeaveOneOut(name, whole.weights.name, value, values, _reasons(found), table.frame_library, _data=table.data)


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
    reasons : dict
        Reason for every undefined kappa; the keys are pairs such as "A, B".
    """

    raters: tuple[str, ...]
    weights: str
    values: Floats
    reasons: dict[str, str] = field(default_factory=dict)
    _library: str | None = field(default=None, repr=False, compare=False)

    @property
    def light(self) -> float:
        """Light's kappa, the mean over all pairs; NaN if the kappa of some pair is undefined."""
        return float(self.values[np.triu_indices(len(self.raters), 1)].mean())

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data for JSON; undefined values are null."""
        values = [[None if np.isnan(value) else float(value) for value in row] for row in self.values]
        return super().to_dict() | {"values": values}

    def _columns(self) -> dict[str, Iterable[Any]]:
        first, second = np.triu_indices(len(self.raters), 1)
        pairs = [(self.raters[a], self.raters[b]) for a, b in zip(first, second, strict=True)]
        values = [None if np.isnan(value) else float(value) for value in self.values[first, second]]
        reasons = [self.reasons.get(f"{a}, {b}") for a, b in pairs]
        return {"rater_1": [a for a, _ in pairs], "rater_2": [b for _, b in pairs], "value": values, "reason": reasons}

    def _frame_library(self) -> str | None:
        return self._library

    def _rows(self) -> list[tuple[str, str]]:
        names = text.labels(self.raters, _LONGEST_NAME)
        header = "  ".join(f"{name:>{_LONGEST_NAME}}" for name in names)
        rows = [
            (name, "  ".join(f"{numbers.decimal(value):>{_LONGEST_NAME}}" for value in row))
            for name, row in zip(names, self.values, strict=True)
        ]
        return [("weights", self.weights), ("", header), *rows, *self.reasons.items()]


@dataclass(frozen=True, repr=False)
class CategoryKappas(TableResult):
    """Agreement on each category, with all other categories combined into one.

    Attributes
    ----------
    coefficient : str
        Short name of the coefficient.
    values : dict
        Coefficient by category; None where it is undefined.
    reasons : dict
        Reason by category, for every coefficient that is undefined.
    """

    coefficient: str
    values: dict[Label, float | None]
    reasons: dict[Label, str] = field(default_factory=dict)
    _library: str | None = field(default=None, repr=False, compare=False)

    def _columns(self) -> dict[str, Iterable[Any]]:
        reasons = [self.reasons.get(category) for category in self.values]
        return {"category": self.values.keys(), "value": self.values.values(), "reason": reasons}

    def _frame_library(self) -> str | None:
        return self._library

    def _rows(self) -> list[tuple[str, str]]:
        return [(str(category), text.value(value)) for category, value in self.values.items()]


@dataclass(frozen=True, repr=False)
class LeaveOneOut(TableResult):
    """Coefficient of all raters, and coefficient without each of them.

    Attributes
    ----------
    coefficient : str
        Short name of the coefficient.
    weights : str
        Name of the weights.
    value : float
        Coefficient of all raters.
    without : dict
        Coefficient without each rater, by rater; None where it is undefined.
    reasons : dict
        Reason by rater, for every coefficient that is undefined.
    """

    coefficient: str
    weights: str
    value: float
    without: dict[str, float | None]
    reasons: dict[str, str] = field(default_factory=dict)
    _library: str | None = field(default=None, repr=False, compare=False)

    def _columns(self) -> dict[str, Iterable[Any]]:
        return {
            "rater": self.without.keys(),
            "without": self.without.values(),
            "effect": self.effects.values(),
            "reason": [self.reasons.get(rater) for rater in self.without],
        }

    def _frame_library(self) -> str | None:
        return self._library

    @property
    def effects(self) -> dict[str, float | None]:
        """Value with all raters minus the value without each rater; None where the latter is undefined."""
        return {rater: None if rest is None else self.value - rest for rater, rest in self.without.items()}


def _pair_kappa(table: Table, a: int, b: int, weights: Weights | PairWeights) -> tuple[float | None, str | None]:
    """Return Cohen's kappa of two raters on the subjects that both rated, or the reason why it is undefined."""
    if isinstance(weights, Weights) and (value := _cohen(table, a, b, weights)) is not None:
        return value, None
    codes = table.patterns[:, [a, b]]
    both = (codes >= 0).all(axis=1)
    if not both.any():
        return None, "no subject was rated by both"
    names = (table.raters[a], table.raters[b])
    pair = Table(codes[both], table.counts[both], table.categories, names, ordered=table.ordered)
    return _value_or_reason(pair, weights=weights)


def _cohen(table: Table, a: int, b: int, weights: Weights) -> float | None:
    """Return Cohen's kappa of two raters from their counts, in a tenth of the time of an objective; None if 0/0."""
    met = pair_counts(table.patterns[:, a], table.patterns[:, b], table.counts, table.n_categories)
    n = int(met.sum())
    if n == 0:
        return None
    rows, columns = (widen(margin, n * n) for margin in (met.sum(axis=1), met.sum(axis=0)))
    expected = weighted_sum(np.outer(rows, columns), weights, n * n)
    return None if expected == 0 else quotient(expected - weighted_sum(met, weights, n), expected)


def _value_or_reason(table: Table, **options: Any) -> tuple[float | None, str | None]:
    """Return the value of a coefficient, or the reason why it is undefined."""
    try:
        objective = as_objective(table, **options)
        return objective.value(objective.score), None
    except UndefinedKappaError as error:
        return None, error.reason
    except InvalidRatingsError as error:
        return None, str(error)


def _reasons(found: dict[Any, tuple[float | None, str | None]]) -> dict[Any, str]:
    return {key: reason for key, (_, reason) in found.items() if reason is not None}
