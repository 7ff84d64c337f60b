"""Solve the linear programme, or the integer programme, over given patterns with HiGHS.

Everything here is in doubles and nothing is trusted: tables are rounded and counted again, and prices are made exact
and checked elsewhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax.maximum.problem import Problem, Watch

__all__ = ["Relaxation", "incidence", "integer_table", "relaxation", "solve_integer", "solve_linear", "whole_table"]

Array = npt.NDArray[Any]


class Relaxation(NamedTuple):
    """The linear programme's answer: how much of each pattern, its value, and the prices, all in doubles."""

    amounts: npt.NDArray[np.float64]
    value: float
    prices: npt.NDArray[np.float64]


def relaxation(problem: Problem, patterns: Array, watch: Watch, costs: Array | None = None) -> Relaxation | None:
    """Least cost with any amounts >= 0 of the given patterns that add up to the margins; None if time runs out.

    The costs are the problem's own unless others are given.
    """
    costs = problem.real(patterns) if costs is None else costs
    found = solve_linear(costs, incidence(patterns, problem.n_categories), problem.margins.ravel(), watch)
    if found is None:
        return None
    amounts, prices = found
    return Relaxation(amounts, float(costs @ amounts), prices.reshape(problem.margins.shape))


def solve_linear(costs: Array, rows: Any, sides: Array, watch: Watch) -> tuple[Array, Array] | None:
    """Amounts >= 0 with rows @ amounts = sides of least cost, and the rows' prices; None if time runs out."""
    from scipy.optimize import linprog

    scale, size = float(np.abs(costs).max()) or 1.0, float(sides.max())
    options = {} if watch.left is None else {"time_limit": watch.left}
    found = linprog(costs / scale, A_eq=rows, b_eq=sides / size, method="highs-ds", options=options)
    if found.status != 0:
        return None
    return found.x * size, np.asarray(found.eqlin.marginals) * scale


def whole_table(problem: Problem, patterns: Array, amounts: Array) -> npt.NDArray[np.int64] | None:
    """The amounts as counts if they are whole and have the margins exactly, else None."""
    counts = np.rint(amounts).astype(np.int64)
    if (counts < 0).any() or np.abs(amounts - counts).max() > 1e-4 * max(1.0, problem.n_subjects / 1e6):
        return None
    for rater, margin in enumerate(problem.margins):
        reached = np.zeros(problem.n_categories, dtype=np.int64)
        np.add.at(reached, patterns[:, rater], counts)
        if (reached != margin).any():
            return None
    return counts


def integer_table(problem: Problem, patterns: Array, watch: Watch) -> npt.NDArray[np.int64] | None:
    """Whole counts of the given patterns with the margins and the least cost the solver finds; None without any."""
    found = solve_integer(
        problem.real(patterns), incidence(patterns, problem.n_categories), problem.margins.ravel(), watch
    )
    return None if found is None else whole_table(problem, patterns, found)


def solve_integer(costs: Array, rows: Any, sides: Array, watch: Watch) -> npt.NDArray[np.float64] | None:
    """Whole amounts >= 0, in doubles, with rows @ amounts = sides and the least cost found; None without any."""
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
    """The constraint matrix: one row per rater and category, one column per pattern."""
    from scipy.sparse import csc_array

    m, r = patterns.shape
    rows = (patterns + k * np.arange(r)).ravel().astype(np.int32)  # scipy before 1.15 hands HiGHS no other integers
    starts = np.arange(0, m * r + 1, r, dtype=np.int32)
    return csc_array((np.ones(m * r), rows, starts), shape=(r * k, m))
