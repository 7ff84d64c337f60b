"""Choose the method that solves a problem.

1. If all raters have equal margins, they can agree on every subject, and the table is diagonal.
2. If the weights are Monge, every rater's ratings are sorted and matched in order, for any number of raters. To
   maximise the disagreement of two raters, the ratings of one of them are sorted in reverse order.
3. For two raters, a transportation problem is solved; with metric weights the diagonal is filled first. For three
   raters and unweighted disagreement, a formula gives the table. To maximise the disagreement of three or more raters
   if the weights are distances along a tree, the categories are balanced over the subjects.
4. Up to some thousands of possible patterns, the linear program over all of them is solved, and the integer program if
   its solution has fractions.
5. With more patterns, column generation is used.
6. If ratings are missing, method 4 or 5 is used, with the number of subjects of every set of raters as an additional
   margin. The remainders of the use of categories may give a better bound than the prices.
7. If ratings are missing and their rearrangement changes the expected disagreement, linear programs for fixed use of
   categories are solved.
8. If the time limit is reached, the best table so far (possibly the observed one) is returned with its bound, and is
   marked as not proven.

If the prices of methods 1 to 3 do not prove the optimum, which rounded weights can cause, method 4 or 5 follows.
"""

from __future__ import annotations

from kappamax.display import numbers
from kappamax.errors import NotSupportedError
from kappamax.maximum.balanced_tables import balanced
from kappamax.maximum.closed_forms import comonotone, diagonal, reversed_order, three_raters_unweighted
from kappamax.maximum.column_generation import generate_columns
from kappamax.maximum.linear_program import solve_over_all_cells
from kappamax.maximum.price_bounds import at_least_as_observed, better_of
from kappamax.maximum.problem import CompleteProblem, Problem, Watch
from kappamax.maximum.remainders import with_remainders
from kappamax.maximum.solution import Solution
from kappamax.maximum.transport import transport
from kappamax.maximum.varying_chance import solve_varying_chance

MOST_LISTED_CELLS = 4000  # possible patterns up to which the linear program is written down
LARGEST_ENTRIES = 20_000_000  # exact costs per pair of raters (squared number of categories times number of roots)


def solve(problem: Problem, watch: Watch | None = None) -> Solution:
    """Minimise the cost over all tables with the margins of the problem, by the first method above that applies.

    The solution never costs more than the observed table. If the expected disagreement depends on the table, the
    coefficient itself is optimised, that is, the ratio of cost and expected disagreement.

    Parameters
    ----------
    problem : Problem
        Problem to solve.
    watch : Watch, optional
        Time limit and progress callback, default none.

    Returns
    -------
    Solution
        Best table found, its bound and its proof, if there is one.

    Raises
    ------
    NotSupportedError
        If more than two raters must agree at a time and the design has too many patterns, or if the expected
        disagreement depends on the table and there are too many patterns or uses of categories.
    Interrupted
        On Ctrl-C; the exception holds the best table and bound found so far.
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
            f"the maximum for {group_size} raters at a time can be found for up to {MOST_LISTED_CELLS:,} possible "
            f"patterns, but this design has {numbers.rough(problem.n_cells)}."
        )
    return with_remainders(at_least_as_observed(found if special is None else better_of(special, found, watch)))


def _special(problem: CompleteProblem) -> Solution | None:
    """Return the solution of the first of the methods 1 to 3 that applies, or None."""
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
    if pairwise and problem.sign == -1:
        return balanced(problem)
    if pairwise and problem.n_raters == 3 and all(one.power == 0 for one in weights) and problem.sign == 1:
        return three_raters_unweighted(problem)
    return None
