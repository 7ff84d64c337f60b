"""A proven maximum in; how many tables reach it, which ones, and what else can be said of them out.

With prices that meet the optimum exactly, a table is optimal exactly when every pattern it uses has reduced cost zero:
counting and listing maximisers is counting and listing the fiber over those patterns. Where the prices leave a gap,
tables over the patterns within the gap are listed and those of optimal score kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._checks import maximum as checks
from kappamax._result import Result
from kappamax._rootsum import RootSum
from kappamax.coefficients import as_objective
from kappamax.fibers.count import MEMORY_LIMIT
from kappamax.fibers.counting import Ways
from kappamax.fibers.enumeration import BITS, OutOfSteps, iter_tables, tables_below
from kappamax.io import Ratings, as_table
from kappamax.maximum.max_kappa import Maximum, max_kappa, table_of
from kappamax.maximum.price_bounds import LISTED_CELLS, bound_of, lowest_reduced_cost, reduced_costs
from kappamax.maximum.pricing import Pricing
from kappamax.maximum.problem import Problem, Watch
from kappamax.maximum.relaxation import integer_table
from kappamax.maximum.solve import problem_for
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

__all__ = [
    "MaximizerCount",
    "MaximizerRange",
    "count_maximizers",
    "iter_maximizers",
    "maximizer_count_of",
    "maximizer_range",
    "maximizers_of",
]

Array = npt.NDArray[Any]

LISTED_TABLES = 100_000
COUNTING_WORK = 1_000_000_000
QUICK_STEPS = 10_000
LISTING_STEPS = 300_000
_MOST_PATTERNS = 100_000
_LISTED_NUMBERS = 20_000_000
_NEAR = 1e-6
_ROUNDED_BITS = 50  # weights that are not exact are right to about so many binary digits


def iter_maximizers(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    categories: Sequence[Label] | None = None,
) -> Iterator[Table]:
    """Every table with the observed margins that reaches the maximum, one at a time.

    Examples
    --------
    >>> import kappamax as km
    >>> len(list(km.iter_maximizers(km.example("rapallo2022"), weights="linear")))
    5
    """
    table = as_table(*ratings, categories=categories)
    return maximizers_of(max_kappa(table, weights=weights, coefficient=coefficient))


def count_maximizers(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    categories: Sequence[Label] | None = None,
) -> MaximizerCount:
    """How many tables with the observed margins reach the maximum, exactly or "at least" with the reason.

    Examples
    --------
    >>> import kappamax as km
    >>> km.count_maximizers(km.example("rapallo2022"), weights="linear").n
    5
    """
    table = as_table(*ratings, categories=categories)
    return maximizer_count_of(max_kappa(table, weights=weights, coefficient=coefficient))


def maximizer_range(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    other_weights: WeightsLike = "unweighted",
    other_coefficient: str = "kappa",
    coefficient: str = "kappa",
    categories: Sequence[Label] | None = None,
) -> MaximizerRange:
    """How far another coefficient, or the same with other weights, varies over the tables that reach the maximum.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.maximizer_range(km.example("rapallo2022"), weights="linear", other_weights="quadratic")
    >>> round(found.minimum, 4), round(found.maximum, 4)
    (0.7665, 0.8703)
    """
    table = as_table(*ratings, categories=categories)
    result = max_kappa(table, weights=weights, coefficient=coefficient)
    checks.proven_maximum(result.proven)
    checks.fixed_chance(result.title, result.objective.fixed_chance)
    other = as_objective(table, weights=other_weights, coefficient=other_coefficient)
    patterns, beyond = _patterns(result)
    problem = problem_for(other, 1)
    scores = problem.costs(patterns)
    try:
        listed = list(islice(_counts(result, patterns, beyond, LISTING_STEPS), LISTED_TABLES))
    except OutOfSteps:
        listed = []
    if 0 < len(listed) < LISTED_TABLES:
        values = [other.total(scores, counts) for counts in listed]
        return MaximizerRange(other.value(max(values)), other.value(min(values)), len(listed), "listing")
    checks.no_gap(not any(beyond))
    ends = []
    for sign in (-1, 1):
        counts = integer_table(problem_for(other, sign), patterns, Watch())
        assert counts is not None  # the maximiser itself is such a table
        ends.append(other.value(other.total(scores, counts)))
    return MaximizerRange(ends[0], ends[1], None, "integer programme")


@dataclass(frozen=True, repr=False)
class MaximizerCount(Result):
    """How many tables reach the maximum: `n`, or None with `at_least` and the reason."""

    n: int | None
    at_least: int
    reason: str | None = None


@dataclass(frozen=True, repr=False)
class MaximizerRange(Result):
    """The smallest and largest value of a coefficient over the tables that reach another one's maximum."""

    minimum: float
    maximum: float
    n_tables: int | None
    method: str


def maximizer_count_of(
    result: Maximum, *, counting_work: float | None = None, listing_steps: int | None = None
) -> MaximizerCount:
    """The number of maximisers of a result that is at hand, within so many additions or steps of a list."""
    most_work = COUNTING_WORK if counting_work is None else counting_work
    steps = LISTING_STEPS if listing_steps is None else listing_steps
    if not result.proven:
        return MaximizerCount(None, 1, "the maximum is not proven")
    if not result.objective.fixed_chance:
        return MaximizerCount(None, 1, "what the coefficient expects by chance differs between tables")
    patterns, beyond = _patterns(result)
    if len(patterns) > _MOST_PATTERNS:
        return MaximizerCount(None, 1, f"more than {_MOST_PATTERNS:,} patterns can occur in them")
    margins = problem_for(result.objective, 1).margins
    few = _listed(result, patterns, beyond, min(QUICK_STEPS, steps))
    if few.n is not None:
        return few
    ways = Ways(margins, patterns)
    if not any(beyond) and ways.table_bytes() <= MEMORY_LIMIT and ways.work() <= most_work:
        (n,) = ways.n_tables()
        return MaximizerCount(n, n)
    return _listed(result, patterns, beyond, steps)


def _listed(result: Maximum, patterns: Array, beyond: list[RootSum], most_steps: int) -> MaximizerCount:
    """How many maximisers a listing of so many steps finds."""
    found = 0
    try:
        for _ in islice(_counts(result, patterns, beyond, most_steps), LISTED_TABLES):
            found += 1
    except OutOfSteps:
        return MaximizerCount(None, max(1, found), f"listing stopped after {most_steps:,} steps")
    if found < LISTED_TABLES:
        return MaximizerCount(found, found)
    return MaximizerCount(None, found, f"listing stopped at {LISTED_TABLES:,} tables")


def maximizers_of(result: Maximum) -> Iterator[Table]:
    """The tables that reach a maximum that is at hand, one at a time."""
    checks.proven_maximum(result.proven)
    checks.fixed_chance(result.title, result.objective.fixed_chance)
    problem = problem_for(result.objective, 1)
    patterns, beyond = _patterns(result)
    for counts in _counts(result, patterns, beyond):
        yield table_of(problem, patterns, counts)


def _counts(
    result: Maximum, patterns: Array, beyond: list[RootSum], most_steps: int | None = None
) -> Iterator[npt.NDArray[np.int64]]:
    """Counts of the patterns in every maximiser; `OutOfSteps` where a limit is reached first."""
    problem = problem_for(result.objective, 1)
    if not any(beyond):
        yield from iter_tables(problem.margins, patterns, most_steps)
        return
    room = _room(result)
    shift = BITS - 1 - room.exponent()
    lowered = np.array([cost.floor(shift) for cost in beyond], dtype=np.int64)
    columns = (patterns + problem.n_categories * np.arange(problem.n_raters)).astype(np.int64)
    most = min(LISTED_TABLES, _LISTED_NUMBERS // len(patterns))
    found = tables_below(columns, problem.margins.ravel(), lowered, room.ceiling(shift) + 1, most)
    for counts in found.counts:
        if sum((cost * int(n) for cost, n in zip(beyond, counts, strict=True) if n), RootSum()) <= room:
            yield counts
    if not found.finished:
        raise OutOfSteps


def _patterns(result: Maximum) -> tuple[npt.NDArray[np.int32], list[RootSum]]:
    """The patterns that can occur in maximisers, and what each of them costs beyond its prices."""
    problem, prices = problem_for(result.objective, 1), result.solution.prices
    assert prices is not None
    room, lowest = _room(result), lowest_reduced_cost(problem, prices)
    worth = prices.real(problem.roots)
    limit = float(room + lowest) + _NEAR * (1 + float(np.abs(worth).max()))
    if problem.n_cells <= LISTED_CELLS:
        near = np.concatenate([_near(problem, worth, patterns, limit) for patterns in problem.all_patterns()])
    else:
        near = Pricing(problem).below(worth, limit, _MOST_PATTERNS + 1).patterns
    exact = reduced_costs(problem, prices, near).tolist()
    radicands = result.objective.radicands
    beyond = [RootSum(dict(zip(radicands, row, strict=True))) / prices.denominator - lowest for row in exact]
    kept = [cost <= room for cost in beyond]
    return near[np.array(kept, dtype=bool)], [cost for cost, fits in zip(beyond, kept, strict=True) if fits]


def _room(result: Maximum) -> RootSum:
    """What the patterns of a maximiser cost together beyond their prices, at most.

    Zero where the prices meet the maximum exactly. Weights that are not exact are rounded: tables whose totals differ
    by no more than their rounding can explain count as equal.
    """
    problem, prices = problem_for(result.objective, 1), result.solution.prices
    assert prices is not None
    gap = result.solution.cost - bound_of(problem, prices)
    if result.objective.weights.exact:
        return gap
    pairs = problem.n_subjects * (problem.objective.table.n_raters**2 // 2)
    return gap + Fraction(pairs * problem.objective.denominator * int(max(problem.factors)), 2**_ROUNDED_BITS)


def _near(problem: Problem, worth: Array, patterns: Array, limit: float) -> Array:
    reduced = problem.real(patterns) - sum(worth[a][patterns[:, a]] for a in range(problem.n_raters))
    return np.asarray(patterns[reduced <= limit])
