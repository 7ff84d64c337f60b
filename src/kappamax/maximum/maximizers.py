"""Count and list the tables that attain a proven maximum, and find how much they differ.

With dual prices that attain the optimum exactly, a table is optimal if and only if every pattern that it uses has
reduced cost zero. Counting and listing maximisers is then counting and listing the fiber over these patterns. Where the
prices leave a gap, the tables over the patterns within the gap are listed, and those with the optimal score are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from kappamax._result import Result
from kappamax._rootsum import RootSum
from kappamax._typing import Integers
from kappamax._validate import require_time_limit
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.fibers.counting import TableCounter
from kappamax.fibers.enumeration import BITS, OutOfSteps, iter_tables, tables_below
from kappamax.fibers.limits import MEMORY_LIMIT
from kappamax.io import Ratings
from kappamax.maximum.linear_program import integer_table
from kappamax.maximum.max_kappa import max_kappa
from kappamax.maximum.maximum_result import Maximum
from kappamax.maximum.price_bounds import feasible, lowest_reduced_costs, reduced_costs
from kappamax.maximum.pricing import Pricing
from kappamax.maximum.problem import OutOfTime, Watch, problem_for, require_fixed_chance
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

LISTED_MAXIMIZERS = 100_000  # largest number of tables that are listed
COUNTING_WORK = 1_000_000_000  # additions up to which tables are counted without listing them
QUICK_STEPS = 10_000  # steps of listing that are tried before counting
MOST_STEPS = 500_000_000  # steps after which an iterator over all maximisers stops
LISTING_STEPS = 300_000  # steps after which listing stops
_WORK_PER_SECOND = 50_000_000  # additions per second when tables are counted, at least
_MOST_PATTERNS = 100_000  # patterns up to which maximisers are counted
_LISTED_COUNTS = 20_000_000  # largest number of counts, tables times patterns, that are listed
_NEAR = 1e-6  # relative tolerance of reduced costs in doubles; patterns within it are compared exactly
_ROUNDED_BITS = 50  # number of binary digits to which weights that are not exact are correct


def iter_maximizers(
    *ratings: Ratings | Objective | Maximum,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    categories: Sequence[Label] | None = None,
) -> Iterator[Table]:
    """Iterate over all tables with the observed margins that attain the maximum.

    Parameters
    ----------
    *ratings : Table, frame, two or more arrays of labels, Objective or Maximum
        Ratings of the subjects, or a result of `max_kappa`. The weights and the coefficient of a result replace the
        arguments.
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
    iterator of Table
        Every maximising table once.

    Raises
    ------
    NotSupportedError
        If the maximum is not proven, or if rearranging the ratings changes the expected agreement of the coefficient.
        Also after all tables that were found, if the search for others was stopped because it took too many steps.

    Examples
    --------
    >>> import kappamax as km
    >>> len(list(km.maximum.iter_maximizers(km.example("rapallo2022"), weights="linear")))
    5
    """
    result = _as_maximum(*ratings, weights=weights, coefficient=coefficient, categories=categories)
    _require_known_maximizers(result)
    return _Candidates(result).tables()


def count_maximizers(
    *ratings: Ratings | Objective | Maximum,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    categories: Sequence[Label] | None = None,
    counting_work: float | None = None,
    listing_steps: int | None = None,
    time_limit: float | None = None,
) -> MaximizerCount:
    """Count the tables with the observed margins that attain the maximum.

    Parameters
    ----------
    *ratings : Table, frame, two or more arrays of labels, Objective or Maximum
        Ratings of the subjects, or a result of `max_kappa`. The weights and the coefficient of a result replace the
        arguments.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.
    counting_work : float, optional
        Number of additions up to which tables are counted without listing them, default 10^9.
    listing_steps : int, optional
        Number of steps after which listing stops, default 300,000.
    time_limit : float, optional
        Largest number of seconds for the count, default no limit. If it is reached, a lower bound is returned. The
        search for the maximum, if it is not given, has the same limit.

    Returns
    -------
    MaximizerCount
        The exact number, or a lower bound with the reason why the number is not known.

    Examples
    --------
    >>> import kappamax as km
    >>> km.maximum.count_maximizers(km.example("rapallo2022"), weights="linear").n
    5
    """
    require_time_limit("time_limit", time_limit)
    result = _as_maximum(
        *ratings, weights=weights, coefficient=coefficient, categories=categories, time_limit=time_limit
    )
    most_work = COUNTING_WORK if counting_work is None else counting_work
    steps = LISTING_STEPS if listing_steps is None else listing_steps
    if time_limit is not None:
        most_work = min(most_work, time_limit * _WORK_PER_SECOND)
    try:
        return _count(result, most_work, steps, Watch(time_limit))._about(result.data)
    except OutOfTime:
        return MaximizerCount(None, 1, "the time limit was reached", _data=result.data)


def _count(result: Maximum, most_work: float, steps: int, watch: Watch) -> MaximizerCount:
    """Return the number of tables that attain the maximum, by listing or counting them within limits."""
    if not result.proven:
        return MaximizerCount(None, 1, "the maximum is not proven")
    if not result.objective.fixed_chance:
        return MaximizerCount(None, 1, "the agreement expected by chance differs between tables")
    candidates = _Candidates(result, watch)
    if len(candidates.patterns) > _MOST_PATTERNS:
        return MaximizerCount(None, 1, f"more than {_MOST_PATTERNS:,} patterns can occur in such tables")
    few = candidates.listed(min(QUICK_STEPS, steps))
    if few.n is not None or watch.over:
        return few
    counter = TableCounter(result.solution.problem.margins, candidates.patterns)
    if candidates.exact and counter.table_bytes() <= MEMORY_LIMIT and counter.work() <= most_work:
        (n,) = counter.n_tables()
        return MaximizerCount(n, n)
    return candidates.listed(steps)


def maximizer_range(
    *ratings: Ratings | Objective | Maximum,
    weights: WeightsLike = "unweighted",
    other_weights: WeightsLike = "unweighted",
    other_coefficient: str = "kappa",
    coefficient: str = "kappa",
    categories: Sequence[Label] | None = None,
) -> MaximizerRange:
    """Find the range of another coefficient, or of other weights, over the tables that attain a maximum.

    Parameters
    ----------
    *ratings : Table, frame, two or more arrays of labels, Objective or Maximum
        Ratings of the subjects, or a result of `max_kappa`. The weights and the coefficient of a result replace the
        arguments.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    other_weights : str, Weights or mapping
        Weights of the coefficient whose range is found, default "unweighted".
    other_coefficient : str
        Name of the coefficient whose range is found, default "kappa".
    coefficient : str
        Name of the coefficient whose maximum the tables attain, default "kappa".
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    MaximizerRange
        The smallest and the largest value over the maximising tables.

    Raises
    ------
    NotSupportedError
        If the maximum is not proven, if rearranging the ratings changes the expected agreement of one of the
        coefficients, or if there are too many tables to list and no prices describe them exactly.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.maximum.maximizer_range(km.example("rapallo2022"), weights="linear", other_weights="quadratic")
    >>> round(found.minimum, 4), round(found.maximum, 4)
    (0.7665, 0.8703)
    """
    result = _as_maximum(*ratings, weights=weights, coefficient=coefficient, categories=categories)
    _require_known_maximizers(result)
    other = as_objective(result.objective.table, weights=other_weights, coefficient=other_coefficient)
    candidates = _Candidates(result)
    scores = problem_for(other, 1).costs(candidates.patterns)
    try:
        listed = list(islice(candidates.counts(LISTING_STEPS), LISTED_MAXIMIZERS))
    except OutOfSteps:
        listed = []
    if 0 < len(listed) < LISTED_MAXIMIZERS:
        values = [other.total(scores, counts) for counts in listed]
        ends = [other.value(max(values)), other.value(min(values))]
        return MaximizerRange(ends[0], ends[1], len(listed), "listing", _data=result.data)
    if not candidates.exact:
        raise NotSupportedError("too many tables attain the maximum to list them, and no prices describe them exactly.")
    ends = []
    for sign in (-1, 1):
        problem = problem_for(other, sign)
        table = integer_table(problem, candidates.patterns, Watch())
        if table is None:
            raise NotSupportedError(
                "too many tables attain the maximum to list them, and the integer program over them has no solution in "
                f"doubles for {float(problem.n_subjects):.3g} subjects."
            )
        ends.append(other.value(problem.total(*table) * sign))
    return MaximizerRange(ends[0], ends[1], None, "integer program", _data=result.data)


@dataclass(frozen=True, repr=False)
class MaximizerCount(Result):
    """Number of tables that attain the maximum.

    Attributes
    ----------
    n : int or None
        Exact number of tables; None if it is not known.
    at_least : int
        Lower bound on the number; equal to `n` if that is known.
    reason : str or None
        Reason why the number is not known; None if it is known.
    """

    n: int | None
    at_least: int
    reason: str | None = None


@dataclass(frozen=True, repr=False)
class MaximizerRange(Result):
    """Range of a coefficient over the tables that attain the maximum of another one.

    Attributes
    ----------
    minimum, maximum : float
        Smallest and largest value of the other coefficient.
    n_tables : int or None
        Number of maximising tables; None if they were not listed.
    method : str
        "listing" if all maximising tables were listed, otherwise "integer program".
    """

    minimum: float
    maximum: float
    n_tables: int | None
    method: str


def _as_maximum(
    *ratings: Any,
    weights: Any,
    coefficient: str,
    categories: Sequence[Label] | None,
    time_limit: float | None = None,
) -> Maximum:
    """Return the maximum of ratings or of an objective; a result of `max_kappa` is returned unchanged."""
    if len(ratings) == 1 and isinstance(ratings[0], Maximum):
        return ratings[0]
    return max_kappa(*ratings, weights=weights, coefficient=coefficient, categories=categories, time_limit=time_limit)


def _require_known_maximizers(result: Maximum) -> None:
    """Require a proven maximum whose expected agreement is the same for all tables."""
    if not result.proven:
        raise NotSupportedError("the maximum is not proven, so the tables that attain it are not known.")
    require_fixed_chance(result.objective)


class _Candidates:
    """The patterns that can occur in maximising tables.

    Attributes
    ----------
    patterns : array, shape (m, r)
        The patterns.
    beyond : list of RootSum
        Amount by which the reduced cost of each pattern exceeds the least reduced cost.
    room : RootSum
        Largest total of these amounts over the subjects of a maximising table. It is zero where the prices attain the
        maximum exactly. Weights that are not exact are rounded, so tables whose totals differ by no more than the
        rounding error count as equal.
    exact : bool
        Whether every table of these patterns is a maximiser.
    """

    def __init__(self, result: Maximum, watch: Watch | None = None) -> None:
        self.watch = watch or Watch()
        self.problem = problem = result.solution.problem
        objective, prices = problem.objective, result.solution.prices
        assert prices is not None
        prices, bound = feasible(problem, prices, lowest_reduced_costs(problem, prices, self.watch))
        if self.watch.over:  # the bound may be rough
            raise OutOfTime
        self.room = result.solution.cost - bound
        if not objective.weights.exact:
            pairs = problem.n_subjects * (objective.table.n_raters**2 // 2)
            self.room += Fraction(pairs * objective.denominator * int(max(problem.factors)), 2**_ROUNDED_BITS)
        worth = prices.real(problem.roots)
        limit = float(self.room) + _NEAR * (1 + float(np.abs(worth).max()))
        near = Pricing(problem, self.watch).below(worth, limit, _MOST_PATTERNS + 1).patterns
        exact = reduced_costs(problem, prices, near).tolist()
        beyond = [problem.number(row) / prices.denominator for row in exact]
        kept = [place for place, cost in enumerate(beyond) if cost <= self.room]
        self.patterns, self.beyond = near[kept], [beyond[place] for place in kept]
        self.exact = not any(self.beyond)

    def counts(self, most_steps: int | None = None) -> Iterator[Integers]:
        """Yield the counts of the patterns in every maximiser; raise `OutOfSteps` if a limit is reached first."""
        problem, room = self.problem, self.room
        if self.exact:
            yield from iter_tables(problem.margins, self.patterns, most_steps)
            return
        shift = BITS - 1 - room.exponent()
        lowered = np.array([cost.floor(shift) for cost in self.beyond], dtype=np.int64)
        columns = (self.patterns + problem.n_categories * np.arange(problem.n_raters)).astype(np.int64)
        most = min(LISTED_MAXIMIZERS, _LISTED_COUNTS // len(self.patterns))
        found = tables_below(columns, problem.margins.ravel(), lowered, room.ceiling(shift) + 1, most)
        for counts in found.counts:
            if sum((cost * int(n) for cost, n in zip(self.beyond, counts, strict=True) if n), RootSum()) <= room:
                yield counts
        if not found.finished:
            raise OutOfSteps

    def tables(self) -> Iterator[Table]:
        """Yield every maximiser; raise `NotSupportedError` if the search for further ones takes too many steps."""
        n_found = 0
        try:
            for counts in self.counts(MOST_STEPS):
                n_found += 1
                yield self.problem.table(self.patterns, counts)
        except OutOfSteps:
            raise NotSupportedError(
                f"listing the tables that attain the maximum was stopped after {n_found:,} tables, since it takes more "
                "steps than the limit. count_maximizers gives a lower bound on their number."
            ) from None

    def listed(self, most_steps: int) -> MaximizerCount:
        """Count the maximisers by listing them, for at most a given number of steps."""
        found = 0
        try:
            for _ in islice(self.counts(most_steps), LISTED_MAXIMIZERS):
                found += 1
                if self.watch.over:
                    return MaximizerCount(None, found, "the time limit was reached")
        except OutOfSteps:
            return MaximizerCount(None, max(1, found), f"listing stopped after {most_steps:,} steps")
        if found < LISTED_MAXIMIZERS:
            return MaximizerCount(found, found)
        return MaximizerCount(None, found, f"listing stopped at {LISTED_MAXIMIZERS:,} tables")
