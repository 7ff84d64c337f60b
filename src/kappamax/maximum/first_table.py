"""Find a good table without a solver.

The table is the start of column generation, and the result if the time limit is reached at once. The ratings of one
rater at a time are rearranged. While the other raters are fixed, this is a transportation problem, which is solved
exactly. No proof depends on the quality of the table.
"""

from __future__ import annotations

import numpy as np

from kappamax._jit import CompilationStopped
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Codes, Integers
from kappamax.maximum.closed_forms import comonotone_table
from kappamax.maximum.price_bounds import certified
from kappamax.maximum.problem import CompleteProblem, Problem, Watch
from kappamax.maximum.solution import Solution, zero_prices
from kappamax.maximum.transport import transport_table
from kappamax.patterns import group_patterns

_LARGEST_REARRANGEMENT_COST = 2.0**40  # costs are scaled to at most this number and rounded to integers
_STEPS_PER_RATER = 20  # largest number of rearrangements of each rater's ratings

Table = tuple[Codes, Integers]


def first_table(problem: Problem, watch: Watch | None = None) -> Solution:
    """Return a table found without a solver, with the bound that prices of zero prove."""
    return certified(problem, *first_guess(problem, watch), zero_prices(problem), "one rater at a time", watch)


def first_guess(problem: Problem, watch: Watch | None = None) -> Table:
    """Return sorted ratings improved rater by rater, or the observed table if it is better or has missing ratings."""
    if not isinstance(problem, CompleteProblem):
        return problem.observed()
    sorted_ratings = improved(problem, *comonotone_table(problem.margins), watch)
    observed = problem.objective.score * problem.sign
    return sorted_ratings if problem.total(*sorted_ratings) <= observed else problem.observed()


def improved(problem: Problem, patterns: Codes, counts: Integers, watch: Watch | None = None) -> Table:
    """Rearrange the ratings of one rater after the other until this no longer lowers the cost."""
    n_raters, stale = problem.objective.table.n_raters, 0
    least_gain = ROUNDING_MARGIN * problem.scale
    for step in range(_STEPS_PER_RATER * n_raters):
        try:
            candidate, gain = _rearranged(problem, patterns, counts, step % n_raters, watch)
        except CompilationStopped:
            break
        stale += 1
        if gain > least_gain:
            (patterns, counts), stale = candidate, 0
        elif stale == n_raters:
            break
        if watch is not None and watch.over:
            break
    return patterns, counts


def placed_anew(problem: Problem, patterns: Codes, counts: Integers, rater: int, watch: Watch | None = None) -> Table:
    """Return the table in which one rater's ratings are rearranged at least cost for the ratings of the others.

    The given table need not have the required margins for this rater; the result has.
    """
    return _rearranged(problem, patterns, counts, rater, watch)[0]


def _rearranged(
    problem: Problem, patterns: Codes, counts: Integers, rater: int, watch: Watch | None = None
) -> tuple[Table, float]:
    """Return the table with one rater's ratings rearranged at least cost, and by how much that lowers the cost."""
    k = problem.n_labels
    rated = patterns[:, rater] < k
    own = patterns[rated]
    before = float(counts[rated] @ problem.rating_costs(own, rater)[np.arange(len(own)), own[:, rater]])
    own[:, rater] = 0
    rest, totals = group_patterns(own, counts[rated], n_categories=problem.n_categories)
    costs = problem.rating_costs(rest, rater)
    lowest = costs.min(initial=np.inf)
    scale = _LARGEST_REARRANGEMENT_COST / (float((costs - lowest).max(initial=0.0)) or 1.0)
    scaled = np.rint((costs - lowest) * scale).astype(np.int64)
    stopped = None if watch is None else lambda: watch.over
    table, _ = transport_table(scaled, totals, problem.margins[rater, :k], 1 + problem.n_raters // 10, stopped)
    row, code = np.nonzero(table)
    placed = rest[row].astype(np.int32)
    placed[:, rater] = code
    found = np.concatenate([patterns[~rated], placed]), np.concatenate([counts[~rated], table[row, code]])
    return found, before - float((costs * table).sum())
