"""Find a good table without a solver.

The table is the start of column generation, and the result if the time limit is reached at once. The ratings of one
rater at a time are rearranged. While the other raters are fixed, this is a transportation problem, which is solved
exactly. No proof depends on the quality of the table.
"""

from __future__ import annotations

import numpy as np

from kappamax._typing import Codes, Floats, Integers
from kappamax.maximum.closed_forms import comonotone_table
from kappamax.maximum.price_bounds import certified
from kappamax.maximum.problem import CompleteProblem, Problem, Watch
from kappamax.maximum.solution import Solution, zero_prices
from kappamax.maximum.transport import transport_table
from kappamax.patterns import group_patterns, margins_of

_LARGEST_REARRANGEMENT_COST = 2.0**40  # costs are scaled to at most this number and rounded to integers
_ROUNDINGS = 12  # attempts to round the solution of a linear program
_WHOLE = 1e-6  # amounts this close below a whole number are whole up to the tolerance of the solver
_STEPS_PER_RATER = 20  # largest number of rearrangements of each rater's ratings


def first_table(problem: Problem, watch: Watch | None = None) -> Solution:
    """Return a table found without a solver, with the bound that prices of zero prove."""
    return certified(problem, *first_guess(problem), zero_prices(problem), "one rater at a time", watch)


def first_guess(problem: Problem) -> tuple[Codes, Integers]:
    """Return sorted ratings improved rater by rater, or the observed table if it is better or has missing ratings."""
    if not isinstance(problem, CompleteProblem):
        return problem.observed()
    improved = _improved(problem, *comonotone_table(problem.margins))
    observed = problem.objective.score * problem.sign
    return improved if problem.total(*improved) <= observed else problem.observed()


def rounded_table(
    problem: CompleteProblem, patterns: Codes, amounts: Floats, enough: float, watch: Watch
) -> tuple[Codes, Integers] | None:
    """Return a table of whole counts near the amounts of a linear program, of the least cost found in a few attempts.

    The amounts are rounded down, the ratings that are left over are matched at random, and the table is improved rater
    by rater. The search ends as soon as the cost is at most `enough`.
    """
    rng, best, least = np.random.default_rng(0), None, np.inf
    counts = np.floor(amounts + _WHOLE).astype(np.int64)
    left = problem.margins - margins_of(patterns, counts, problem.n_categories)
    if (left < 0).any():
        return None
    for _ in range(_ROUNDINGS):
        rest = np.stack([rng.permutation(np.repeat(np.arange(len(own)), own)) for own in left], axis=1)
        whole = np.concatenate([patterns, rest.astype(np.int32)])
        totals = np.concatenate([counts, np.ones(len(rest), dtype=np.int64)])
        start = group_patterns(whole[totals > 0], totals[totals > 0], n_categories=problem.n_categories)
        table = _improved(problem, *start)
        cost = float(problem.total(*table))
        if cost < least:
            best, least = table, cost
        if watch.over or least <= enough:
            break
    return best


def _improved(problem: CompleteProblem, patterns: Codes, counts: Integers) -> tuple[Codes, Integers]:
    """Rearrange the ratings of one rater after the other until this no longer lowers the cost."""
    best, stale = problem.total(patterns, counts), 0
    for step in range(_STEPS_PER_RATER * problem.n_raters):
        candidate = _placed_anew(problem, patterns, counts, step % problem.n_raters)
        cost = problem.total(*candidate)
        stale += 1
        if cost < best:
            best, (patterns, counts), stale = cost, candidate, 0
        elif stale == problem.n_raters:
            break
    return patterns, counts


def _placed_anew(problem: CompleteProblem, patterns: Codes, counts: Integers, rater: int) -> tuple[Codes, Integers]:
    """Return the table in which one rater's ratings are rearranged at least cost for the ratings of the others."""
    k = problem.n_categories
    rest, totals = group_patterns(np.delete(patterns, rater, axis=1), counts, n_categories=k)
    full = np.insert(np.repeat(rest, k, axis=0), rater, np.tile(np.arange(k), len(rest)), axis=1).astype(np.int32)
    costs = problem.real(full).reshape(len(rest), k)
    costs -= costs.min()
    scaled = np.rint(costs * (_LARGEST_REARRANGEMENT_COST / (costs.max() or 1.0))).astype(np.int64)
    table, _ = transport_table(scaled, totals, problem.margins[rater], problem.n_raters)
    used = np.flatnonzero(table.ravel())
    return full[used], table.ravel()[used]
