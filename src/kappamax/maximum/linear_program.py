"""Find an optimal table by a linear program over listed patterns, solved with HiGHS.

The solution of the linear program almost always consists of whole numbers; if it does not, an integer program is solved
as well. HiGHS works in doubles, and its results are not trusted: tables are rounded and their margins are checked, and
prices are made exact and their bound is computed exactly. If the precision of doubles does not suffice, the prices are
refined: the reduced costs, scaled up, define another linear program, whose solution adds nine digits to the prices
(iterative refinement).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kappamax._typing import Array, Codes, Floats, Integers
from kappamax.maximum.exact_prices import certified_near
from kappamax.maximum.first_table import first_table
from kappamax.maximum.gap_search import close_gap
from kappamax.maximum.highs import LinearProgram, solve_integer
from kappamax.maximum.price_bounds import bound_of, certified, reduced_costs
from kappamax.maximum.problem import Problem, Watch
from kappamax.maximum.remainders import with_remainders
from kappamax.maximum.solution import Prices, Solution
from kappamax.patterns import margins_of

POSITIVE_AMOUNT = 1e-6  # smaller amounts in a solution are zero up to the tolerance of the solver
_REFINEMENTS = 8  # largest number of refinements
_REFINED_BITS = 30  # binary digits that each refinement adds to the prices
_DEAR = 1e7  # larger scaled reduced costs are replaced by this number, so that small ones keep their precision


def solve_over_all_cells(problem: Problem, watch: Watch) -> Solution:
    """Solve the linear program over all patterns, and the integer program if its solution has fractions."""
    cells = np.concatenate(list(problem.all_patterns()))
    relaxed = PatternProgram(problem, cells).solve(watch)
    if relaxed is None:
        return first_table(problem)
    table, method = whole_table(problem, cells, relaxed.amounts), "linear program over all cells"
    if table is None:
        watch.tell("the solution of the linear program has fractions; solving the integer program")
        table, method = integer_table(problem, cells, watch), "integer program over all cells"
    if table is None:
        rough = first_table(problem)
        table, method = (rough.patterns, rough.counts), rough.method
    solution = certified_near(
        problem, *table, relaxed.prices, cells, cells[relaxed.amounts > POSITIVE_AMOUNT], method, watch
    )
    if not solution.proven:
        solution = refined(solution, cells, watch)
    known = with_remainders(solution)
    return known if known.proven else close_gap(problem, solution, cells, watch)


def refined(solution: Solution, patterns: Array, watch: Watch) -> Solution:
    """Return the solution with refined prices and, if the refinement finds a better table, with that table.

    Only rational costs are refined. Weights that are rounded real numbers have integer costs of twenty digits, so a few
    refinements decide which table is best.

    Parameters
    ----------
    solution : Solution
        Solution that is not proven.
    patterns : array, shape (m, r)
        Patterns that include every pattern that an optimal table may use.
    watch : Watch
        Time limit and progress.

    Returns
    -------
    Solution
        The refined solution, or the given one if nothing improved.
    """
    problem = solution.problem
    if problem.objective.radicands != (1,):
        return solution
    for _ in range(_REFINEMENTS):
        assert solution.prices is not None
        if solution.proven or watch.over:
            return solution
        numerators, denominator = solution.prices.numerators.astype(object), solution.prices.denominator
        unit = float(solution.cost - bound_of(problem, solution.prices, watch)) / problem.n_subjects
        left = np.array([n / denominator for n in reduced_costs(problem, solution.prices, patterns)[:, 0].tolist()])
        relaxed = PatternProgram(problem, patterns, np.minimum(left / unit, _DEAR)).solve(watch)
        if relaxed is None:
            return solution
        change = relaxed.prices * (unit * float(denominator) * 2.0**_REFINED_BITS)
        finer = (numerators << _REFINED_BITS) + np.array(
            [[[round(c)] for c in row] for row in change.tolist()], dtype=object
        )
        table = whole_table(problem, patterns, relaxed.amounts)
        if table is None or problem.total(*table) >= solution.cost:
            table = solution.patterns, solution.counts
        sharper = certified(problem, *table, Prices(finer, denominator << _REFINED_BITS), solution.method, watch)
        if sharper.bound <= solution.bound and sharper.cost >= solution.cost:
            return solution
        solution = sharper
    return solution


class Relaxation(NamedTuple):
    """Solution of a linear program in doubles, with the amount of each pattern, the optimum and the dual prices."""

    amounts: Floats
    value: float
    prices: Floats


class PatternProgram:
    """Linear program over patterns, to which patterns can be added.

    Parameters
    ----------
    problem : Problem
        Problem whose margins the amounts of the patterns must add up to.
    patterns : array, shape (m, r)
        The first patterns.
    costs : array, shape (m,), optional
        Costs of the patterns, default those of the problem.
    """

    def __init__(self, problem: Problem, patterns: Array, costs: Array | None = None) -> None:
        self.problem = problem
        costs = problem.real(patterns) if costs is None else costs
        self.program = LinearProgram(problem.sides, float(np.abs(costs).max()))
        self.costs = np.zeros(0)
        self._add(patterns, costs)

    def add(self, patterns: Array) -> None:
        """Add patterns."""
        self._add(patterns, self.problem.real(patterns))

    def _add(self, patterns: Array, costs: Array) -> None:
        self.program.add(costs, incidence(self.problem, patterns))
        self.costs = np.concatenate([self.costs, costs])

    def solve(self, watch: Watch) -> Relaxation | None:
        """Minimise the cost over amounts >= 0 that add up to the margins; None if the time limit is reached."""
        found = self.program.solve(watch)
        if found is None:
            return None
        amounts, prices = found
        return Relaxation(amounts, float(self.costs @ amounts), self.problem.at_constraints(prices))


def whole_table(problem: Problem, patterns: Array, amounts: Array) -> tuple[Codes, Integers] | None:
    """Return the amounts as a table if they are whole numbers with exactly the required margins, else None."""
    counts = np.rint(amounts).astype(np.int64)
    if (counts < 0).any() or np.abs(amounts - counts).max() > 1e-4 * max(1.0, problem.n_subjects / 1e6):
        return None
    patterns, counts = patterns[counts > 0], counts[counts > 0]
    return (patterns, counts) if (margins_of(patterns, counts, problem.n_categories) == problem.margins).all() else None


def integer_table(problem: Problem, patterns: Array, watch: Watch) -> tuple[Codes, Integers] | None:
    """Return the table of least cost over the given patterns, or None if the solver finds no table."""
    found = solve_integer(problem.real(patterns), incidence(problem, patterns), problem.sides, watch)
    return None if found is None else whole_table(problem, patterns, found)


def incidence(problem: Problem, patterns: Array) -> Any:
    """Return the constraint matrix, with one row per entry of `problem.constraints` and one column per pattern."""
    from scipy.sparse import csc_array

    row_at = np.full(problem.margins.size, -1, dtype=np.int32)  # scipy before 1.15 passes only int32 to HiGHS
    row_at[problem.constraints] = np.arange(len(problem.constraints))
    rows = row_at[patterns + problem.n_categories * np.arange(problem.n_raters)]
    starts = np.concatenate([[0], np.cumsum((rows >= 0).sum(axis=1))]).astype(np.int32)
    rows = rows[rows >= 0]
    return csc_array((np.ones(len(rows)), rows, starts), shape=(len(problem.constraints), len(patterns)))
