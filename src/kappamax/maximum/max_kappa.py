"""Ratings in; the largest and smallest coefficient their margins allow, with tables and proofs, out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from kappamax._atomic_write import write_whole
from kappamax._checks import maximum as checks
from kappamax._result import Result, plain
from kappamax._rootsum import RootSum
from kappamax._version import __version__
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers, text
from kappamax.errors import Interrupted
from kappamax.io import Ratings, as_table
from kappamax.maximum.column_generation import STOPPED
from kappamax.maximum.incomplete import IncompleteProblem
from kappamax.maximum.linear_program import first_table
from kappamax.maximum.problem import Prices, Problem, Solution, Watch
from kappamax.maximum.solve import problem_for, solve
from kappamax.maximum.varying_chance import extreme_of_pooled
from kappamax.table import Label, Table
from kappamax.verification.check import FORMAT, VERSION
from kappamax.weights import Weights, WeightsLike

__all__ = ["Maximum", "max_kappa", "maximum_of", "table_of"]


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
    table = as_table(*ratings, categories=categories)
    checks.time_limit(time_limit)
    objective = as_objective(table, weights=weights, coefficient=coefficient, group_size=group_size)
    return maximum_of(objective, time_limit=time_limit, progress=progress)


def maximum_of(
    objective: Objective, *, time_limit: float | None = None, progress: Callable[[str], None] | None = None
) -> Maximum:
    """The range of an objective that is at hand."""
    if not objective.fixed_chance:
        checks.pairwise_if_incomplete(objective.coefficient.group_size)
        return _pooled_range(objective, time_limit, progress)
    upper, lower = problem_for(objective, 1), problem_for(objective, -1)
    try:
        most = solve(upper, Watch(time_limit, progress))
    except Interrupted as stopped:
        raise Interrupted(_maximum(upper, stopped.best, first_table(lower, Watch(STOPPED)))) from None
    try:
        least = solve(lower, Watch(time_limit, progress))
    except Interrupted as stopped:
        raise Interrupted(_maximum(upper, most, stopped.best)) from None
    return _maximum(upper, most, least)


def _pooled_range(objective: Objective, time_limit: float | None, progress: Callable[[str], None] | None) -> Maximum:
    """The range where rearranging ratings changes what chance gives."""
    problem = IncompleteProblem(objective, 1)
    try:
        most = extreme_of_pooled(objective, 1, Watch(time_limit, progress))
    except Interrupted as stopped:
        least = extreme_of_pooled(objective, -1, Watch(0.0))  # the observed table and a rough bound
        raise Interrupted(_maximum(problem, stopped.best, least)) from None
    try:
        return _maximum(problem, most, extreme_of_pooled(objective, -1, Watch(time_limit, progress)))
    except Interrupted as stopped:
        raise Interrupted(_maximum(problem, most, stopped.best)) from None


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
    objective: Objective = field(repr=False)
    solution: Solution = field(repr=False)
    minimum_solution: Solution = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Every field but the inner workings, as plain data for JSON."""
        hidden = {"objective", "solution", "minimum_solution"}
        names = [name for name in self.__dataclass_fields__ if name not in hidden]
        return {name: plain(getattr(self, name)) for name in names}

    def certificate(self) -> dict[str, Any]:
        """Every claim and its proof as plain data: what `verify` checks, ready for JSON.

        The observed table, the weights, both extreme tables with their values, and the prices behind the proofs. See
        docs/maximum.md for the format.
        """
        coefficient = self.objective.coefficient
        kind = Problem if self.objective.table.complete else IncompleteProblem
        upper, lower = kind(self.objective, 1), kind(self.objective, -1)
        return {
            "format": FORMAT,
            "version": VERSION,
            "kappamax_version": __version__,
            "coefficient": self.coefficient,
            "title": self.title,
            "group_size": coefficient.group_size,
            "weights": _plain_weights(self.objective) | {"label": self.weights},
            "observed": _plain_table(self.objective.table),
            "value": self.value,
            "ratio": self.ratio,
            "ratio_reason": self.ratio_reason,
            "maximum": {
                "value": self.maximum,
                "exact": plain(self.exact_maximum),
                "proven": self.proven,
                "proof": self.proof,
                "bound": self.bound,
                "method": self.method,
                "table": _plain_table(self.table),
                "solution": _certified_end(upper, self.solution),
            },
            "minimum": {
                "value": self.minimum,
                "exact": plain(self.exact_minimum),
                "proven": self.minimum_proven,
                "proof": self.minimum_proof,
                "bound": self.minimum_bound,
                "method": self.minimum_method,
                "table": _plain_table(self.minimum_table),
                "solution": _certified_end(lower, self.minimum_solution),
            },
        }

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


def _maximum(problem: Problem, most: Solution, least: Solution) -> Maximum:
    """Scores turned into values of the coefficient."""
    objective = problem.objective
    best, worst = (_objective_at(problem, end) for end in (most, least))
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
        table=table_of(problem, most.patterns, most.counts),
        minimum_table=table_of(problem, least.patterns, least.counts),
        objective=objective,
        solution=most,
        minimum_solution=least,
    )


def _objective_at(problem: Problem, solution: Solution) -> Objective:
    """The objective of a solver's table: the problem's own, unless chance gives something else there."""
    own = problem.objective
    if own.fixed_chance:
        return own
    return Objective(table_of(problem, solution.patterns, solution.counts), own.weights, own.coefficient)


def table_of(problem: Problem, patterns: Any, counts: Any) -> Table:
    """A solver's table with the labels of the observed one."""
    return problem.objective.table.like(problem.decoded(patterns), counts)


def _certified_end(problem: Problem, solution: Solution) -> dict[str, Any]:
    """What a solver's answer is about and what proves it, in units of disagreement, as plain data."""
    objective = problem.objective
    unit = problem.sign * objective.scale * objective.denominator
    patterns = problem.decoded(solution.patterns)
    proof: dict[str, Any] = {"prices": None if solution.prices is None else _plain_prices(problem, solution.prices)}
    if solution.cuts:
        cuts = [_plain_prices(problem, cut.prices) | {"use": _whole(cut.use)} for cut in solution.cuts]
        proof = {"cuts": cuts}
    return {
        "table": {"patterns": _whole(patterns), "counts": _whole(solution.counts)},
        "score": _terms(solution.cost / unit),
        "bound": _terms(solution.bound / unit),
        "proof": solution.proof,
    } | proof


def _plain_prices(problem: Problem, prices: Prices) -> dict[str, Any]:
    """Prices of ratings and of sets of raters as whole numbers over one denominator."""
    objective = problem.objective
    ratings, sets = problem.prices_by_set(prices.numerators)
    return {
        "radicands": list(objective.radicands),
        "denominator": _whole(prices.denominator * objective.scale * objective.denominator),
        "ratings": _whole(ratings),
        "sets": [{"raters": list(raters), "price": _whole(price)} for raters, price in sets.items()],
    }


def _plain_weights(objective: Objective) -> dict[str, Any]:
    """The weights of every pair of raters, each matrix once."""
    matrices: dict[int, Weights] = {}
    of_pair = []
    for _, _, weights in objective.pairs():
        matrices.setdefault(id(weights), weights)
        of_pair.append(list(matrices).index(id(weights)))
    return {
        "name": objective.weights.name,
        "exact": objective.weights.exact,
        "matrices": [
            {
                "denominator": weights.denominator,
                "multipliers": _whole(weights.multipliers),
                "radicands": _whole(weights.radicands),
            }
            for weights in matrices.values()
        ],
        "of_pair": of_pair,
    }


def _plain_table(table: Table) -> dict[str, Any]:
    return {
        "categories": list(table.categories),
        "raters": list(table.raters),
        "patterns": _whole(table.patterns),
        "counts": _whole(table.counts),
    }


def _terms(number: RootSum) -> dict[str, str]:
    return {str(f): str(c) for f, c in number.terms.items()}


def _whole(values: Any) -> Any:
    """Arrays as lists; what is not a whole number is left as it is, for the checker to refuse."""
    return values.tolist() if isinstance(values, np.ndarray) else values


def _shown(value: float, bound: float, proof: str | None, word: str) -> str:
    if proof is not None:
        return f"{numbers.decimal(value)} (proven)"
    return f"{numbers.decimal(value)} (not proven; {word} {numbers.decimal(bound)})"
