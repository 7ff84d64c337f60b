"""Find an optimal table by a linear program over listed patterns, solved with HiGHS.

The program's solution is almost always whole; where it is not, an integer program follows. HiGHS works in doubles and
nothing it returns is trusted: tables are rounded and counted again, and prices are made exact and checked. Where the
digits of doubles do not suffice, prices are sharpened: with them subtracted, the costs that matter are small; scaled
up, they make another linear program, whose solution corrects the prices by nine digits more (iterative refinement).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kappamax._typing import Array, Codes, Floats, Integers
from kappamax.maximum.exact_prices import certified_near
from kappamax.maximum.first_table import first_table
from kappamax.maximum.gap_search import close_gap
from kappamax.maximum.price_bounds import bound_of, certified, reduced_costs
from kappamax.maximum.problem import Problem, Watch
from kappamax.maximum.solution import Prices, Solution
from kappamax.patterns import margins_of

POSITIVE_AMOUNT = 1e-6  # smaller amounts of a solver are zero up to its tolerance
_REFINEMENTS = 8
_REFINED_BITS = 30  # more binary digits for the prices in each round of refinement
_DEAR = 1e7  # in units of what matters: costs beyond it are no longer told apart


def solve_over_all_cells(problem: Problem, watch: Watch) -> Solution:
    """Solve the linear program over every cell, and the integer program where that leaves fractions."""
    cells = np.concatenate(list(problem.all_patterns()))
    relaxed = relaxation(problem, cells, watch)
    if relaxed is None:
        return first_table(problem)
    table, method = whole_table(problem, cells, relaxed.amounts), "linear program over all cells"
    if table is None:
        watch.tell("the linear program leaves fractions; integer program")
        table, method = integer_table(problem, cells, watch), "integer program over all cells"
    if table is None:
        rough = first_table(problem)
        table, method = (rough.patterns, rough.counts), rough.method
    solution = certified_near(
        problem, *table, relaxed.prices, cells, cells[relaxed.amounts > POSITIVE_AMOUNT], method, watch
    )
    if not solution.proven:
        solution = refined(solution, cells, watch)
    return solution if solution.proven else close_gap(problem, solution, cells)


def refined(solution: Solution, patterns: Array, watch: Watch) -> Solution:
    """Return the solution with sharper prices and, where these show a better table, with that one.

    Only rational costs are refined. Weights that are rounded reals have whole costs of twenty digits, so a few rounds
    settle which table is the best one.

    Parameters
    ----------
    patterns : array, shape (m, r)
        Should hold every pattern that a best table may use.
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
        relaxed = relaxation(problem, patterns, watch, np.minimum(left / unit, _DEAR))
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
    """Solution of a linear program: how much of each pattern, its value, and the dual prices, all in doubles."""

    amounts: Floats
    value: float
    prices: Floats


def relaxation(problem: Problem, patterns: Array, watch: Watch, costs: Array | None = None) -> Relaxation | None:
    """Minimise the cost over any amounts >= 0 of the given patterns that add up to the margins; None if time runs out.

    The costs are the problem's own unless others are given.
    """
    costs = problem.real(patterns) if costs is None else costs
    found = solve_linear(costs, incidence(patterns, problem.n_categories), problem.margins.ravel(), watch)
    if found is None:
        return None
    amounts, prices = found
    return Relaxation(amounts, float(costs @ amounts), prices.reshape(problem.margins.shape))


def whole_table(problem: Problem, patterns: Array, amounts: Array) -> tuple[Codes, Integers] | None:
    """Return the amounts as a table if they are whole and have the margins exactly, else None."""
    counts = np.rint(amounts).astype(np.int64)
    if (counts < 0).any() or np.abs(amounts - counts).max() > 1e-4 * max(1.0, problem.n_subjects / 1e6):
        return None
    patterns, counts = patterns[counts > 0], counts[counts > 0]
    return (patterns, counts) if (margins_of(patterns, counts, problem.n_categories) == problem.margins).all() else None


def integer_table(problem: Problem, patterns: Array, watch: Watch) -> tuple[Codes, Integers] | None:
    """Return the table of the given patterns with the least cost that the solver finds; None without any."""
    rows, sides = incidence(patterns, problem.n_categories), problem.margins.ravel()
    found = solve_integer(problem.real(patterns), rows, sides, watch)
    return None if found is None else whole_table(problem, patterns, found)


def solve_linear(costs: Array, rows: Any, sides: Array, watch: Watch) -> tuple[Array, Array] | None:
    """Return amounts >= 0 with rows @ amounts = sides of least cost, and the rows' prices; None if time runs out."""
    from scipy.optimize import linprog

    scale, size = float(np.abs(costs).max()) or 1.0, float(sides.max())
    options = {} if watch.left is None else {"time_limit": watch.left}
    found = linprog(costs / scale, A_eq=rows, b_eq=sides / size, method="highs-ds", options=options)
    if found.status != 0:
        return None
    return found.x * size, np.asarray(found.eqlin.marginals) * scale


def solve_integer(costs: Array, rows: Any, sides: Array, watch: Watch) -> Floats | None:
    """Return whole amounts >= 0, in doubles, with rows @ amounts = sides and the least cost found; None without any."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    options: dict[str, Any] = {"mip_rel_gap": 0.0}
    if watch.left is not None:
        options["time_limit"] = watch.left
    found = milp(
        costs / (float(np.abs(costs).max()) or 1.0),
        constraints=LinearConstraint(rows, sides.astype(float), sides.astype(float)),
        integrality=np.ones(len(costs)),
        bounds=Bounds(0, np.inf),
        options=options,
    )
    return None if found.x is None else np.asarray(found.x)


def incidence(patterns: Array, k: int) -> Any:
    """Return the constraint matrix: one row per rater and category, one column per pattern."""
    from scipy.sparse import csc_array

    m, r = patterns.shape
    rows = (patterns + k * np.arange(r)).ravel().astype(np.int32)  # scipy before 1.15 hands HiGHS no other integers
    starts = np.arange(0, m * r + 1, r, dtype=np.int32)
    return csc_array((np.ones(m * r), rows, starts), shape=(r * k, m))
