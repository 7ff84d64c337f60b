"""Find the largest and smallest coefficient that the margins of ratings allow, with tables and proofs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from kappamax._atomic_write import write_whole
from kappamax._progress import Progress, require_progress
from kappamax._result import Result, plain
from kappamax._validate import require_time_limit
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers, text
from kappamax.errors import Interrupted
from kappamax.io import Ratings
from kappamax.maximum.certificate_document import certificate_of
from kappamax.maximum.column_generation import STOPPED
from kappamax.maximum.first_table import first_table
from kappamax.maximum.problem import Problem, Watch, problem_for
from kappamax.maximum.solution import Solution
from kappamax.maximum.solve import solve
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike


def max_kappa(
    *ratings: Ratings | Objective,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    group_size: int = 2,
    time_limit: float | None = None,
    progress: Progress | None = None,
    categories: Sequence[Label] | None = None,
) -> Maximum:
    """Find the largest and the smallest value of a coefficient over all tables with the observed margins.

    Parameters
    ----------
    *ratings : a Table, a frame, two or more label arrays, or an Objective
        With missing ratings, who rated whom stays fixed: each rater's ratings are rearranged over the subjects that
        rater rated.
    weights, coefficient, group_size, categories
        As for `agreement`. On complete data all coefficients with the same weights and group size share the maximising
        table.
    time_limit : float, optional
        Seconds for each of the two searches; when they run out, the best table found and a bound, `proven=False`, or
        `NotSupportedError` where rearranging ratings changes what the coefficient expects by chance.
    progress : callable, optional
        Called now and then with a line about how far a long search is.

    Raises
    ------
    UndefinedKappaError
        If all raters used a single category, or only categories between which the weights are zero.
    NotSupportedError
        If ratings are missing, rearranging them changes what the coefficient expects by chance, and the design is too
        large to search; or if agreement of more than two raters at a time is asked for with missing ratings or in a
        large design.
    Interrupted
        On Ctrl-C during a long search; its `.best` is the result so far.

    Examples
    --------
    >>> import kappamax as km
    >>> result = km.max_kappa(km.example("rapallo2022"), weights="linear")
    >>> result.exact_maximum, result.proven, result.proof
    (Fraction(166, 221), True, 'prices')
    >>> round(result.ratio, 4)
    0.6687
    """
    objective = as_objective(
        *ratings, weights=weights, coefficient=coefficient, group_size=group_size, categories=categories
    )
    require_time_limit("time_limit", time_limit)
    require_progress(progress)
    problem_of = problem_for if objective.fixed_chance else Problem
    upper, lower = problem_of(objective, 1), problem_of(objective, -1)
    try:
        most = solve(upper, Watch(time_limit, progress))
    except Interrupted as stopped:
        raise Interrupted(_maximum(stopped.best, _without_search(lower))) from None
    try:
        least = solve(lower, Watch(time_limit, progress))
    except Interrupted as stopped:
        raise Interrupted(_maximum(most, stopped.best)) from None
    return _maximum(most, least)


@dataclass(frozen=True, repr=False)
class Maximum(Result):
    """The range of a coefficient over all tables with the observed margins and sets of raters; nothing is rounded.

    Attributes
    ----------
    value : float
        The observed coefficient.
    maximum, minimum : float
        The largest and smallest value found; `exact_maximum` and `exact_minimum` as fractions where they are.
    ratio : float or None
        value / maximum; None, with `ratio_reason`, where the maximum is not proven or not above zero, or where only one
        value is possible.
    table, minimum_table : Table
        Tables that reach them.
    proven, minimum_proven : bool
        Whether it is proven that no table goes further.
    proof, minimum_proof : "prices", "search" or None
        How that is proven: prices for the margins that no pattern undercuts, or a search of the gap they leave.
    bound, minimum_bound : float
        What is proven in any case: no table has a larger, or smaller, value.
    method, minimum_method : str
        How they were found.
    """

    coefficient: str
    title: str
    weights: str
    value: float
    maximum: float
    minimum: float
    ratio: float | None
    ratio_reason: str | None
    exact_maximum: Fraction | None
    exact_minimum: Fraction | None
    method: str
    proven: bool
    proof: str | None
    bound: float
    minimum_method: str
    minimum_proven: bool
    minimum_proof: str | None
    minimum_bound: float
    table: Table = field(repr=False)
    minimum_table: Table = field(repr=False)
    solution: Solution = field(repr=False)
    minimum_solution: Solution = field(repr=False)

    @property
    def objective(self) -> Objective:
        """The observed table with its weights and coefficient."""
        return self.solution.problem.objective

    def to_dict(self) -> dict[str, Any]:
        """Return every field but the solutions as plain data for JSON."""
        names = [name for name in self.__dataclass_fields__ if name not in ("solution", "minimum_solution")]
        return {name: plain(getattr(self, name)) for name in names}

    def certificate(self) -> dict[str, Any]:
        """Return every claim and its proof as plain data: what `verify` checks, ready for JSON.

        The observed table, the weights, both extreme tables with their values, and the prices behind the proofs. See
        docs/maximum.md for the format.
        """
        return certificate_of(self)

    def save_certificate(self, path: str | Path) -> None:
        """Write `certificate()` as JSON, for `verify` or ``kappamax verify`` to check later."""
        write_whole(Path(path), json.dumps(self.certificate(), indent=1, allow_nan=False) + "\n")

    def _rows(self) -> list[tuple[str, str]]:
        ratio = f"undefined: {self.ratio_reason}" if self.ratio is None else numbers.percent(self.ratio)
        return [
            (f"{self.title}, {self.weights}", numbers.decimal(self.value)),
            (
                f"largest {text.limits(self.objective.table.complete)} allow",
                _shown(self.maximum, self.bound, self.proof, "at most"),
            ),
            ("smallest", _shown(self.minimum, self.minimum_bound, self.minimum_proof, "at least")),
            ("reached of the largest", ratio),
            ("found by", self.method),
        ]


def _without_search(problem: Problem) -> Solution:
    """What can be said of an end soon after Ctrl-C: a table and a rough bound."""
    if problem.objective.fixed_chance:
        return first_table(problem, Watch(STOPPED))
    return solve(problem, Watch(0.0))


def _maximum(most: Solution, least: Solution) -> Maximum:
    """Scores turned into values of the coefficient."""
    objective, best, worst = most.problem.objective, most.objective, least.objective
    low, high = most.cost, least.cost * -1  # total disagreement of the two tables
    value, top, bottom = objective.value(objective.score), best.value(low), worst.value(high)
    reason = None
    if not most.proven:
        reason = "the maximum is not proven"
    elif least.proven and low * worst.expected == high * best.expected:  # as doubles, different values can be equal
        reason = f"{text.limits(objective.table.complete)} allow one value only"
    elif top <= 0:  # only with missing ratings
        reason = f"the largest value that {text.limits(objective.table.complete)} allow is not above zero"
    return Maximum(
        coefficient=objective.coefficient.name,
        title=objective.coefficient.title,
        weights=objective.weights.name,
        value=value,
        maximum=top,
        minimum=bottom,
        ratio=None if reason else value / top,
        ratio_reason=reason,
        exact_maximum=best.exact_value(low),
        exact_minimum=worst.exact_value(high),
        method=most.method,
        proven=most.proven,
        proof=most.proof,
        bound=top if most.bound == low else best.value(most.bound),
        minimum_method=least.method,
        minimum_proven=least.proven,
        minimum_proof=least.proof,
        minimum_bound=bottom if least.bound == least.cost else worst.value(least.bound * -1),
        table=most.table,
        minimum_table=least.table,
        solution=most,
        minimum_solution=least,
    )


def _shown(value: float, bound: float, proof: str | None, word: str) -> str:
    if proof is not None:
        return f"{numbers.decimal(value)} (proven)"
    return f"{numbers.decimal(value)} (not proven; {word} {numbers.decimal(bound)})"
