"""Decide which method solves a problem.

1. Raters with equal margins can agree on everything: the diagonal.
2. Monge weights: every rater's ratings sorted and matched in order, any number of raters. For the most disagreement of
   two raters, in reversed order.
3. Two raters: transportation, the diagonal first for metric weights. Three raters, unweighted: triples, then pairs.
4. Up to some thousands of cells: the linear program over all of them, the integer program where that is not whole.
5. Beyond: column generation.
6. Missing ratings: 4 or 5, with the number of subjects of every set of raters as one more margin.
7. Missing ratings whose rearrangement changes what chance gives: linear programs for fixed use of categories.
8. When the time limit runs out, the best table so far (the observed one if none is better) and its bound, not proven.

A method of 1 to 3 whose prices fall short of a proof, as rounded weights can make them, is followed by 4 or 5.
"""

from __future__ import annotations

from kappamax.errors import NotSupportedError
from kappamax.maximum.closed_forms import comonotone, diagonal, reversed_order, three_raters_unweighted
from kappamax.maximum.column_generation import generate_columns
from kappamax.maximum.linear_program import solve_over_all_cells
from kappamax.maximum.price_bounds import at_least_as_observed, better_of
from kappamax.maximum.problem import CompleteProblem, Problem, Watch
from kappamax.maximum.solution import Solution
from kappamax.maximum.transport import transport
from kappamax.maximum.varying_chance import solve_varying_chance

MOST_LISTED_CELLS = 4000
LARGEST_ENTRIES = 20_000_000  # exact costs per pair of raters: categories squared times roots


def solve(problem: Problem, watch: Watch | None = None) -> Solution:
    """Minimise the cost over all tables with the problem's margins, by the first method above that proves it.

    The observed table is always a candidate: no solution costs more. Where the chance term varies, what is optimised is
    the coefficient, and costs are compared in relation to what chance gives.
    """
    watch = watch or Watch()
    if not problem.objective.fixed_chance:
        return solve_varying_chance(problem, watch)
    special = _special(problem) if isinstance(problem, CompleteProblem) else None
    if special is not None and special.proven:
        return special
    group_size = problem.objective.coefficient.group_size
    if problem.n_cells <= MOST_LISTED_CELLS:
        found = solve_over_all_cells(problem, watch)
    elif group_size == 2:
        found = generate_columns(problem, watch)
    else:
        raise NotSupportedError(
            f"the maximum for {group_size} raters at a time is found up to {MOST_LISTED_CELLS:,} possible patterns; "
            f"this design has {float(problem.n_cells):.3g}."
        )
    return at_least_as_observed(found if special is None else better_of(special, found, watch))


def _special(problem: CompleteProblem) -> Solution | None:
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
