"""Ratings in; the largest and smallest coefficient their margins allow, with tables and proofs, out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from kappamax._checks import maximum as checks
from kappamax._exact import RootSum
from kappamax._result import Result, plain
from kappamax.coefficients import objective_for
from kappamax.display import numbers
from kappamax.errors import Interrupted
from kappamax.intake import Ratings, as_table
from kappamax.maximum.certificate import bound_of, settles
from kappamax.maximum.gap import search_gap
from kappamax.maximum.pricing import Pricing
from kappamax.maximum.problem import Problem, Solution, Watch
from kappamax.maximum.programme import first_table
from kappamax.maximum.solve import problem_for, solve
from kappamax.objective import Objective
from kappamax.table import Label, Table, margins_of
from kappamax.weights import WeightsLike

_LISTED_CELLS = 100_000
_MOST_PATTERNS = 200_000
_CLEAR = 1e-9

__all__ = ["Maximum", "Verification", "max_kappa", "maximum_of", "table_of", "verify"]


def max_kappa(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    group_size: int = 2,
    time_limit: float | None = None,
    progress: Callable[[str], None] | None = None,
    categories: Sequence[Label] | None = None,
) -> Maximum:
    """The largest and the smallest value of a coefficient over all tables with the observed margins.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays
        With missing ratings, who rated what stays fixed and each rater's ratings are rearranged over the subjects that
        rater rated; Conger's kappa, Brennan-Prediger and percent agreement have a maximum then.
    weights, coefficient, group_size, categories
        As for `agreement`. On complete data all coefficients with the same weights share the maximising table.
    time_limit : float, optional
        Seconds for each of the two searches; when they run out, the best table found and a bound, `proven=False`.
    progress : callable, optional
        Called now and then with a line about how far a long search is.

    Raises
    ------
    UndefinedKappaError
        If all raters used a single category.
    NotSupportedError
        If ratings are missing and the coefficient's chance term is not fixed by the margins.
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
    table = as_table(*ratings, categories=categories)
    checks.time_limit(time_limit)
    objective = objective_for(table, weights=weights, coefficient=coefficient, group_size=group_size)
    return maximum_of(objective, time_limit=time_limit, progress=progress)


def maximum_of(
    objective: Objective, *, time_limit: float | None = None, progress: Callable[[str], None] | None = None
) -> Maximum:
    """The range of an objective that is at hand."""
    upper, lower = problem_for(objective, 1), problem_for(objective, -1)
    try:
        most = solve(upper, Watch(time_limit, progress))
    except Interrupted as stopped:
        raise Interrupted(_maximum(upper, stopped.best, first_table(lower))) from None
    try:
        least = solve(lower, Watch(time_limit, progress))
    except Interrupted as stopped:
        raise Interrupted(_maximum(upper, most, stopped.best)) from None
    return _maximum(upper, most, least)


def verify(result: Maximum) -> Verification:
    """Check a result without any solver: margins, score, and that its prices (or an own search) leave nothing better.

    Examples
    --------
    >>> import kappamax as km
    >>> km.verify(km.max_kappa(km.example("rapallo2022"), weights="sqrt")).holds
    True
    """
    problems = []
    for name, sign, solution, claimed in (
        ("maximum", 1, result.solution, result.maximum),
        ("minimum", -1, result.minimum_solution, result.minimum),
    ):
        problem = problem_for(result.objective, sign)
        problems += [f"{name}: {fault}" for fault in _faults(problem, solution, claimed)]
    return Verification(not problems, tuple(problems))


@dataclass(frozen=True, repr=False)
class Maximum(Result):
    """The range of a coefficient over all tables with the observed margins; nothing is rounded.

    Attributes
    ----------
    value : float
        The observed coefficient.
    maximum, minimum : float
        The largest and smallest value found; `exact_maximum` and `exact_minimum` as fractions where they are.
    ratio : float or None
        value / maximum; None, with `ratio_reason`, where the margins allow one value only or none above zero.
    table, minimum_table : Table
        Tables that reach them.
    proven, minimum_proven : bool
        Whether no table goes further.
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
    objective: Objective = field(repr=False)
    solution: Solution = field(repr=False)
    minimum_solution: Solution = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Every field but the inner workings, as plain data for JSON."""
        hidden = {"objective", "solution", "minimum_solution"}
        names = [name for name in self.__dataclass_fields__ if name not in hidden]
        return {name: plain(getattr(self, name)) for name in names}

    def _rows(self) -> list[tuple[str, str]]:
        ratio = f"undefined: {self.ratio_reason}" if self.ratio is None else numbers.percent(self.ratio)
        return [
            (f"{self.title}, {self.weights}", numbers.decimal(self.value)),
            ("largest the margins allow", _shown(self.maximum, self.bound, self.proof, "at most")),
            ("smallest", _shown(self.minimum, self.minimum_bound, self.minimum_proof, "at least")),
            ("reached of the largest", ratio),
            ("found by", self.method),
        ]


@dataclass(frozen=True, repr=False)
class Verification(Result):
    """Whether a result holds, and what does not."""

    holds: bool
    faults: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.holds


def _maximum(problem: Problem, most: Solution, least: Solution) -> Maximum:
    """Scores turned into values of the coefficient."""
    objective = problem.objective
    low, high = most.cost, least.cost * -1  # scores: least and most disagreement
    value, top, bottom = objective.value(objective.score), objective.value(low), objective.value(high)
    reason = None
    if low == high:
        reason = "the margins allow one value only"
    elif top <= 0:  # only with missing ratings
        reason = "the largest value the margins allow is not above zero"
    return Maximum(
        coefficient=objective.coefficient.name,
        title=objective.coefficient.title,
        weights=objective.weights.name,
        value=value,
        maximum=top,
        minimum=bottom,
        ratio=None if reason else value / top,
        ratio_reason=reason,
        exact_maximum=objective.exact_value(low),
        exact_minimum=objective.exact_value(high),
        method=most.method,
        proven=most.proven,
        proof=most.proof,
        bound=top if most.bound == low else objective.value(most.bound),
        minimum_method=least.method,
        minimum_proven=least.proven,
        minimum_proof=least.proof,
        minimum_bound=bottom if least.bound == least.cost else objective.value(least.bound * -1),
        table=table_of(problem, most.patterns, most.counts),
        minimum_table=table_of(problem, least.patterns, least.counts),
        objective=objective,
        solution=most,
        minimum_solution=least,
    )


def table_of(problem: Problem, patterns: Any, counts: Any) -> Table:
    """A solver's table with the labels of the observed one."""
    return problem.objective.table.like(problem.decoded(patterns), counts)


def _faults(problem: Problem, solution: Solution, claimed: float) -> list[str]:
    """Everything about a solution that does not hold."""
    faults = []
    margins = margins_of(solution.patterns, solution.counts, problem.n_categories)
    if not np.array_equal(margins, problem.margins) or (solution.counts < 0).any():
        faults.append("the table does not have the observed margins")
    cost: RootSum = problem.total(solution.patterns, solution.counts)
    if cost != solution.cost:
        faults.append("the table's score is not the one stated")
    if problem.objective.value(cost * problem.sign) != claimed:
        faults.append("the value is not that of the table")
    if solution.prices is not None and not faults:
        bound = bound_of(problem, solution.prices)
        if solution.proof == "prices" and not settles(problem, cost, bound):
            faults.append("the prices do not prove the score: a pattern costs less than its ratings' prices")
        if solution.proof == "search" and (answer := _searched(problem, solution)) != "none better":
            faults.append(f"the search of the gap says: {answer}")
        if solution.proof is None and bound < solution.bound:
            faults.append("the prices do not prove the bound")
    return faults


def _searched(problem: Problem, solution: Solution) -> str:
    """The own search of a gap, over every pattern that fits into it."""
    if problem.n_cells <= _LISTED_CELLS:
        return search_gap(problem, solution, np.concatenate(list(problem.all_patterns())))
    assert solution.prices is not None
    worth = solution.prices.real(problem.roots)
    gap = float(solution.cost - solution.prices.total(problem.margins, problem.objective.radicands))
    within = Pricing(problem).below(worth, gap + _CLEAR * (1 + float(np.abs(worth).max())), _MOST_PATTERNS)
    if within.total > _MOST_PATTERNS:
        return "bound only"
    return search_gap(problem, solution, within.patterns)


def _shown(value: float, bound: float, proof: str | None, word: str) -> str:
    if proof is not None:
        return f"{numbers.decimal(value)} (proven)"
    return f"{numbers.decimal(value)} (not proven; {word} {numbers.decimal(bound)})"
