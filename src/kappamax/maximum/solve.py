"""A problem in, its solution out: the one place that decides which method solves it.

1. Raters with equal margins can agree on everything: the diagonal.
2. Monge weights: every rater's ratings sorted and matched in order, any number of raters. For the most disagreement of
   two raters, in reversed order.
3. Two raters: transportation, the diagonal first for metric weights. Three raters, unweighted: triples, then pairs.
4. Up to some thousands of cells: the linear programme over all of them, the integer programme where that is not whole.
5. Beyond: column generation.
6. Missing ratings: 4 or 5, with the number of subjects of every set of raters as one more margin.
7. When the time limit runs out, the best table so far (the observed one if none is better) and its bound, not proven.

A method of 1 to 3 whose prices fall short of a proof, as rounded weights can make them, is followed by 4 or 5.
"""

from __future__ import annotations

from kappamax._checks import maximum as checks
from kappamax.disagreement.objective import Objective
from kappamax.maximum.closed_forms import comonotone, diagonal, reversed_order, three_raters_unweighted
from kappamax.maximum.column_generation import columns
from kappamax.maximum.incomplete import IncompleteProblem
from kappamax.maximum.linear_program import programme
from kappamax.maximum.price_bounds import at_least_as_observed, better_of
from kappamax.maximum.problem import Problem, Solution, Watch
from kappamax.maximum.transport import transport

__all__ = ["PROGRAMME_CELLS", "problem_for", "solve"]

PROGRAMME_CELLS = 4000
LARGEST_ENTRIES = 20_000_000  # exact costs per pair of raters: categories squared times roots


def problem_for(objective: Objective, sign: int) -> Problem:
    """The problem of an objective, with or without missing ratings; refused where margins do not fix chance."""
    if objective.table.complete:
        return Problem(objective, sign)
    checks.fixed_chance(objective.coefficient.title, objective.fixed_chance)
    checks.pairwise_if_incomplete(objective.coefficient.group_size)
    return IncompleteProblem(objective, sign)


def solve(problem: Problem, watch: Watch | None = None) -> Solution:
    """The least cost over all tables with the problem's margins, by the first method above that proves it.

    The observed table is always a candidate: no solution costs more.
    """
    watch = watch or Watch()
    special = None if isinstance(problem, IncompleteProblem) else _special(problem)
    if special is not None and special.proven:
        return special
    if problem.n_cells <= PROGRAMME_CELLS:
        found = programme(problem, watch)
    else:
        checks.pairwise_beyond_cells(problem.objective.coefficient.group_size, problem.n_cells, PROGRAMME_CELLS)
        found = columns(problem, watch)
    return at_least_as_observed(problem, found if special is None else better_of(problem, special, found, watch))


def _special(problem: Problem) -> Solution | None:
    """The answer of the first method for a special case that applies, if one does."""
    weights = [weights for _, _, weights in problem.objective.pairs()]
    pairwise = problem.objective.coefficient.group_size == 2
    if problem.sign == 1 and (problem.margins == problem.margins[0]).all():
        return diagonal(problem)
    if pairwise and problem.n_entries <= LARGEST_ENTRIES and all(one.monge for one in weights):
        if problem.sign == 1:
            return comonotone(problem)
        if problem.n_raters == 2:
            return reversed_order(problem)
    if pairwise and problem.n_raters == 2:
        return transport(problem)
    if pairwise and problem.n_raters == 3 and all(one.power == 0 for one in weights) and problem.sign == 1:
        return three_raters_unweighted(problem)
    return None
