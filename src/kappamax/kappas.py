"""Compute kappa and other coefficients of agreement, with their standard errors and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from kappamax._result import Result
from kappamax._tolerances import NO_SPREAD
from kappamax._typing import Floats
from kappamax.coefficients import as_objective, coefficient_for
from kappamax.display import numbers, text
from kappamax.errors import InvalidRatingsError, NotSupportedError, UndefinedKappaError
from kappamax.inference import normal_interval, standard_error
from kappamax.io import Ratings, as_table
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike, as_weights


def kappa(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    categories: Sequence[Label] | None = None,
    level: float = 0.95,
) -> Agreement:
    """Cohen's kappa for two raters, Conger's for more, weighted or not.

    kappa = (p_o - p_e) / (1 - p_e) = 1 - D_o / D_e, with agreement or disagreement averaged over pairs of raters.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays
        Two label arrays are used as scikit-learn's `cohen_kappa_score` uses them.
    weights : str, Weights or mapping
        "unweighted", "linear", "quadratic", "sqrt", "power(1.5)", "ordinal", "ratio", "circular", "bipolar"; weights
        from `Weights.from_positions` or `Weights.from_matrix`; or {(rater, rater): weights} for every pair.
    categories : sequence of labels, optional
        All categories in order, unused ones included. Needed for ordinal weights if the labels are plain text.
    level : float
        Of the confidence interval.

    Raises
    ------
    UndefinedKappaError
        If all raters used a single category, or only categories between which the weights are zero: kappa is then 0/0.
    InvalidWeightsError
        If the weights need an order the categories do not have.

    Examples
    --------
    >>> import kappamax as km
    >>> result = km.kappa([1, 2, 3, 3], [1, 2, 3, 2], weights="linear")
    >>> result.exact
    Fraction(5, 7)
    """
    return agreement(*ratings, weights=weights, categories=categories, level=level)


def agreement(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    group_size: int = 2,
    categories: Sequence[Label] | None = None,
    level: float = 0.95,
    method: str = "auto",
) -> Agreement:
    """Agreement between raters, by any of the usual coefficients.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays
    weights, categories, level
        As for `kappa`.
    coefficient : str
        "kappa" (Cohen's or Conger's by the number of raters), "cohen", "conger", "fleiss" (or "scott"), "gwet" (AC1
        unweighted, AC2 weighted), "brennan-prediger", "krippendorff", or "percent". Missing ratings are treated as
        Gwet defines it, Krippendorff's alpha by its own definition.
    group_size : int
        How many raters must agree at a time (Conger's g), for unweighted conger and percent.
    method : str
        How the standard error is computed, as for `standard_error`; "null" is refused, since it gives no interval.

    Examples
    --------
    >>> import kappamax as km
    >>> km.agreement(km.from_counts([[20, 5], [10, 15]]), coefficient="percent").value
    0.7
    """
    if method == "null":
        raise NotSupportedError(
            "the null standard error holds only if the raters are independent, so it gives no confidence interval; "
            "use method 'auto' or 'jackknife' for an interval, and value_test(..., method='null') to test kappa = 0."
        )
    objective = as_objective(
        *ratings, weights=weights, coefficient=coefficient, group_size=group_size, categories=categories
    )
    table, score = objective.table, objective.score
    value = objective.value(score)
    error = standard_error(objective, method=method)
    return Agreement(
        coefficient=objective.coefficient.name,
        title=objective.coefficient.title,
        weights=objective.weights.name,
        value=value,
        exact=objective.exact_value(score),
        observed_agreement=1 - float(objective.observed(score)),
        expected_agreement=1 - float(objective.expected),
        se=error.se,
        se_method=error.method,
        ci=normal_interval(value, error, level),
        level=level,
        n_subjects=table.n_subjects,
        n_raters=table.n_raters,
        n_categories=table.n_categories,
        notes=(*objective.weights.notes, *_silent(error.se)),
    )


def _silent(se: float | None) -> tuple[str, ...]:
    """What to say of a standard error of zero, which does not mean certainty."""
    if se is None or se > NO_SPREAD:
        return ()
    return (
        "the standard error is 0 because these ratings show no variation, so the interval says nothing about other "
        "subjects",
    )


def pairwise_kappas(
    *ratings: Ratings, weights: WeightsLike = "unweighted", categories: Sequence[Label] | None = None
) -> PairwiseKappas:
    """Cohen's kappa of every pair of raters, each over the subjects both rated; `.light` is their mean."""
    table = as_table(*ratings, categories=categories)
    resolved = as_weights(weights, categories=table.categories, ordered=table.ordered, raters=table.raters)
    values = np.eye(table.n_raters)
    reasons: dict[str, str] = {}
    for a in range(table.n_raters):
        for b in range(a + 1, table.n_raters):
            value, reason = _pair_kappa(table, a, b, resolved.for_raters([a, b]))
            values[a, b] = values[b, a] = np.nan if value is None else value
            if reason is not None:
                reasons[f"{table.raters[a]}, {table.raters[b]}"] = reason
    return PairwiseKappas(table.raters, resolved.name, values, reasons)


def category_kappas(
    *ratings: Ratings, coefficient: str = "kappa", categories: Sequence[Label] | None = None
) -> CategoryKappas:
    """Each category's own agreement: "this category" against "any other", unweighted."""
    table = as_table(*ratings, categories=categories)
    name = coefficient_for(coefficient, table.n_raters).name
    found = {c: _value_or_reason(table.collapse(c), coefficient=name) for c in table.categories}
    values = {category: value for category, (value, _) in found.items()}
    return CategoryKappas(name, values, _reasons(found))


def leave_one_out(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    categories: Sequence[Label] | None = None,
) -> LeaveOneOut:
    """What the coefficient would be without each rater, for three or more raters."""
    table = as_table(*ratings, categories=categories)
    if table.n_raters < 3:
        raise NotSupportedError(f"leaving one rater out needs at least three raters; got {table.n_raters}.")
    whole = as_objective(table, weights=weights, coefficient=coefficient)
    found = {}
    for left_out in range(table.n_raters):
        rest = [rater for rater in range(table.n_raters) if rater != left_out]
        found[table.raters[left_out]] = _value_or_reason(
            table.select(rest), weights=whole.weights.for_raters(rest), coefficient=coefficient
        )
    values = {rater: value for rater, (value, _) in found.items()}
    name = coefficient_for(coefficient, table.n_raters).name
    return LeaveOneOut(name, whole.weights.name, whole.value(whole.score), values, _reasons(found))


@dataclass(frozen=True, repr=False)
class Agreement(Result):
    """One coefficient with everything needed to report it; nothing is rounded.

    Attributes
    ----------
    value : float
    exact : Fraction or None
        The same value as a fraction, where the weights are rational.
    observed_agreement, expected_agreement : float
        p_o and p_e, weighted.
    se, ci : float, (float, float) or None
        Standard error by `se_method` and the interval at `level`, cut at 1; None for a single subject.
    notes : tuple of str
        What a reader should know about the weights, and about a standard error of zero.
    """

    coefficient: str
    title: str
    weights: str
    value: float
    exact: Fraction | None
    observed_agreement: float
    expected_agreement: float
    se: float | None
    se_method: str
    ci: tuple[float, float] | None
    level: float
    n_subjects: int
    n_raters: int
    n_categories: int
    notes: tuple[str, ...] = ()

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            (f"{self.title}, {self.weights}", numbers.decimal(self.value)),
            (f"{100 * self.level:g}% interval", numbers.interval(self.ci)),
            ("standard error", numbers.decimal(self.se)),
            ("observed agreement", numbers.decimal(self.observed_agreement)),
            ("expected agreement", numbers.decimal(self.expected_agreement)),
            (
                "data",
                f"{numbers.count(self.n_subjects)} subjects, {self.n_raters} raters, {self.n_categories} categories",
            ),
        ]
        return rows + [("note", note) for note in self.notes]


@dataclass(frozen=True, repr=False)
class PairwiseKappas(Result):
    """Cohen's kappa of every pair of raters; NaN where undefined, with the reason."""

    raters: tuple[str, ...]
    weights: str
    values: Floats
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def light(self) -> float:
        """Light's kappa: the mean over pairs, NaN if some pair's kappa is undefined."""
        return float(self.values[np.triu_indices(len(self.raters), 1)].mean())

    def to_dict(self) -> dict[str, Any]:
        """As plain data; undefined values are null."""
        values = [[None if np.isnan(value) else float(value) for value in row] for row in self.values]
        return super().to_dict() | {"values": values}

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            (rater, "  ".join(f"{numbers.decimal(value):>9}" for value in row))
            for rater, row in zip(self.raters, self.values, strict=True)
        ]
        return [("weights", self.weights), *rows, *self.reasons.items()]


@dataclass(frozen=True, repr=False)
class CategoryKappas(Result):
    """The agreement on each category alone; None where undefined, with the reason."""

    coefficient: str
    values: dict[Label, float | None]
    reasons: dict[Label, str] = field(default_factory=dict)

    def _rows(self) -> list[tuple[str, str]]:
        return [(str(category), text.value(value)) for category, value in self.values.items()]


@dataclass(frozen=True, repr=False)
class LeaveOneOut(Result):
    """The coefficient of all raters (`value`) and without each one (`without`)."""

    coefficient: str
    weights: str
    value: float
    without: dict[str, float | None]
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def effects(self) -> dict[str, float | None]:
        """How much each rater's presence adds: value - value without."""
        return {rater: None if rest is None else self.value - rest for rater, rest in self.without.items()}


def _pair_kappa(table: Table, a: int, b: int, weights: WeightsLike) -> tuple[float | None, str | None]:
    """Cohen's kappa of two raters over the subjects both rated, or why there is none."""
    codes = table.patterns[:, [a, b]]
    both = (codes >= 0).all(axis=1)
    if not both.any():
        return None, "no subject was rated by both"
    names = (table.raters[a], table.raters[b])
    pair = Table(codes[both], table.counts[both], table.categories, names, ordered=table.ordered)
    return _value_or_reason(pair, weights=weights)


def _value_or_reason(table: Table, **options: Any) -> tuple[float | None, str | None]:
    """A coefficient's value, or why it is undefined."""
    try:
        objective = as_objective(table, **options)
        return objective.value(objective.score), None
    except UndefinedKappaError as error:
        return None, error.reason
    except InvalidRatingsError as error:
        return None, str(error)


def _reasons(found: dict[Any, tuple[float | None, str | None]]) -> dict[Any, str]:
    return {key: reason for key, (_, reason) in found.items() if reason is not None}
