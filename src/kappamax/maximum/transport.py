"""Find the optimal table of two raters and its prices by solving a transportation problem.

The method is the network simplex with integer costs. For metric weights the diagonal is filled first. This does not
change the optimum and leaves a smaller problem, whose prices are extended to all categories by the triangle inequality.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kappamax._typing import Array, Codes, Integers
from kappamax.maximum.exact_prices import certified_near
from kappamax.maximum.network_simplex import cheapest_table
from kappamax.maximum.price_bounds import certified
from kappamax.maximum.problem import CompleteProblem
from kappamax.maximum.solution import Prices, Solution

_LARGEST_TRANSPORT_COST = 2.0**44  # costs are scaled to at most this number and rounded to integers
_EXACT_CATEGORIES = 200  # with more categories, a solution in Python integers takes minutes


def transport(problem: CompleteProblem) -> Solution:
    """Minimise the cost of the table of two raters; for metric weights the diagonal is filled first."""
    ((_, _, real),) = problem.pairs()
    whole, exact = _whole_costs(problem, real)
    rows, columns = problem.margins
    metric = problem.sign == 1 and all(weights.metric for _, _, weights in problem.objective.pairs())
    method = "diagonal first, then transportation" if metric else "transportation"
    table, prices = _table_and_prices(whole, *(diagonal_first if metric else transport_table)(whole, rows, columns))
    if exact:
        return certified(problem, *table, Prices(prices[:, :, None]), method)
    tight = _cells(whole - prices[0][:, None] - prices[1][None, :] <= 4 * problem.n_categories)
    near = prices / (_LARGEST_TRANSPORT_COST / np.abs(real).max())
    solution = certified_near(problem, *table, near, tight, table[0], method)
    if solution.proven or len(problem.roots) > 1 or problem.n_categories > _EXACT_CATEGORIES:
        return solution
    # rational costs that do not fit into 64 bits: solve again with Python integers
    ((_, _, entries),) = problem.entries
    costs = entries[:, :, 0].astype(object)
    table, prices = _table_and_prices(costs, *transport_table(costs, rows, columns))
    return certified(problem, *table, Prices(prices[:, :, None]), "transportation")


def _table_and_prices(costs: Array, cells: Array, second: Array) -> tuple[tuple[Codes, Integers], Array]:
    """Return the patterns and counts of a two-way table, and the prices of both raters given those of the second."""
    first = (costs - second[None, :]).min(axis=1)
    return (_cells(cells), cells[cells > 0]), np.stack([first, second])


def _cells(chosen: Array) -> Codes:
    """Return the positions of the nonzero cells as patterns."""
    return np.stack(np.nonzero(chosen), axis=1).astype(np.int32)


def transport_table(
    costs: Array, rows: Array, columns: Array, repetitions: int = 1, stopped: Callable[[], bool] | None = None
) -> tuple[Array, Array]:
    """Return an optimal table for integer costs, and column prices v.

    The row prices are u[i] = min over j of costs[i, j] - v[j]. `repetitions` is the number of similar problems that the
    caller is going to solve, which may make compiling worth the time. `CompilationStopped` is raised if `stopped`
    returns true before that is done.
    """
    table, v = np.zeros(costs.shape, dtype=np.int64), np.zeros(len(columns), dtype=costs.dtype)
    used = np.ix_(rows > 0, columns > 0)
    own, filled = np.ascontiguousarray(costs[used]), columns > 0
    table[used], v[filled] = cheapest_table(own, rows[rows > 0], columns[filled], repetitions, stopped)
    u = (own - v[filled]).min(axis=1)
    v[~filled] = (costs[np.ix_(rows > 0, ~filled)] - u[:, None]).min(axis=0)
    return table, v


def _whole_costs(problem: CompleteProblem, real: Array) -> tuple[Array, bool]:
    """Return the costs as 64-bit integers and whether they are exact; other costs are scaled and rounded."""
    if len(problem.roots) == 1 and np.abs(real).max() < 2**40:
        return np.rint(real / problem.roots[0]).astype(np.int64), True
    return np.rint(real * (_LARGEST_TRANSPORT_COST / np.abs(real).max())).astype(np.int64), False


def diagonal_first(costs: Array, rows: Array, columns: Array) -> tuple[Array, Array]:
    """Fill the diagonal with min(row, column) of every category, solve the rest, and extend its prices.

    Let v be the prices of the remaining columns. Then phi(i) = min over those j of costs[i, j] - v[j] differs between
    two categories by at most the cost of the two, so that phi and -phi are prices for all cells and their sum equals
    the cost on the diagonal.
    """
    agreed = np.minimum(rows, columns)
    table = np.diag(agreed)
    over, under = np.flatnonzero(rows > agreed), np.flatnonzero(columns > agreed)
    if len(over) == 0:
        return table, np.zeros(len(columns), dtype=np.int64)
    rest, v = transport_table(costs[np.ix_(over, under)], (rows - agreed)[over], (columns - agreed)[under])
    table[np.ix_(over, under)] += rest
    return table, -(costs[:, under] - v[None, :]).min(axis=1)
