"""Estimate coefficients of parts of the ratings, some of which may be undefined, and show the estimates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kappamax.coefficients import as_objective
from kappamax.confidence_intervals import confidence_interval
from kappamax.disagreement.objective import Objective
from kappamax.display import text
from kappamax.errors import InvalidRatingsError, UndefinedKappaError
from kappamax.standard_errors import standard_error
from kappamax.table import Table


class Estimate(NamedTuple):
    """Coefficient with its standard error and confidence interval, or the reason why it is undefined.

    Attributes
    ----------
    n_subjects : int
        Number of subjects with two or more ratings.
    value, se : float or None
        Coefficient and its standard error.
    ci : tuple of two floats, or None
        Confidence interval.
    reason : str or None
        Reason why the coefficient is undefined; None otherwise.
    objective : Objective or None
        Table, weights and coefficient; None if the coefficient is undefined.
    """

    n_subjects: int
    value: float | None = None
    se: float | None = None
    ci: tuple[float, float] | None = None
    reason: str | None = None
    objective: Objective | None = None


def estimated(table: Table, level: float, interval: str, **options: Any) -> Estimate:
    """Return the coefficient of a table with its interval at a level, by a method; options as in `as_objective`."""
    n_subjects = int(table.rows.counts[table.rows.n_ratings >= 2].sum())
    try:
        objective = as_objective(table, **options)
        value = objective.value(objective.score)
    except UndefinedKappaError as undefined:
        return Estimate(n_subjects, reason=undefined.reason)
    except InvalidRatingsError as refused:
        return Estimate(n_subjects, reason=str(refused))
    error = standard_error(objective)
    ci, _ = confidence_interval(objective, error, level=level, method=interval)
    return Estimate(n_subjects, value, error.se, ci, None, objective)


def limit_columns(intervals: Iterable[tuple[float, float] | None]) -> dict[str, Iterable[Any]]:
    """Return the lower and upper limits of intervals as columns of a frame; None where there is no interval."""
    ends = [(None, None) if one is None else one for one in intervals]
    return {"low": [low for low, _ in ends], "high": [high for _, high in ends]}


def estimate_rows(
    names: Sequence[str], header: Sequence[str], cells: Sequence[Sequence[str]], reasons: Sequence[str | None]
) -> list[tuple[str, str]]:
    """Return a header and one line per name, with its aligned cells or the reason why its value is undefined."""
    defined = [line for line, reason in zip(cells, reasons, strict=True) if reason is None]
    first, _, *lines = text.columns(header, defined, left=())
    shown = iter(lines)
    words = [next(shown) if reason is None else f"undefined: {reason}" for reason in reasons]
    return [("", first), *zip(names, words, strict=True)]


def fields_of(
    found: Mapping[Any, Estimate],
) -> tuple[dict[Any, Any], dict[Any, int], dict[Any, Any], dict[Any, Any], dict[Any, str]]:
    """Return the values, numbers of subjects, standard errors, intervals and reasons of estimates, by their names."""
    return (
        {name: one.value for name, one in found.items()},
        {name: one.n_subjects for name, one in found.items()},
        {name: one.se for name, one in found.items()},
        {name: one.ci for name, one in found.items()},
        {name: one.reason for name, one in found.items() if one.reason is not None},
    )
