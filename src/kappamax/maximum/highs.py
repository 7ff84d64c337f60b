"""Solve linear and integer programs with HiGHS.

All programs have the form: minimise costs @ x over x >= 0 with rows @ x = sides. Columns can be added to a linear
program, which is then solved again from the last solution. Costs and sides are scaled, because HiGHS has absolute
tolerances.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kappamax._typing import Array, Floats
from kappamax.maximum.problem import Watch


class LinearProgram:
    """Linear program to which columns can be added.

    Parameters
    ----------
    sides : array, shape (m,)
        Right-hand sides.
    scale : float
        Typical size of the costs.
    """

    def __init__(self, sides: Array, scale: float) -> None:
        self.size = float(np.abs(sides).max(initial=0)) or 1.0
        self.scale = scale or 1.0
        self.solver = _solver(sides.astype(float) / self.size)

    def add(self, costs: Floats, columns: Any) -> None:
        """Add columns, which are a sparse matrix of shape (m, number of columns) in compressed form."""
        _add_columns(self.solver, costs / self.scale, columns)

    def solve(self, watch: Watch) -> tuple[Floats, Floats] | None:
        """Return the optimal amounts and the dual prices of the rows, or None if the time limit is reached."""
        if not _run(self.solver, watch):
            return None
        found = self.solver.getSolution()
        return np.array(found.col_value) * self.size, np.array(found.row_dual) * self.scale


def solve_linear(costs: Floats, rows: Any, sides: Array, watch: Watch) -> tuple[Floats, Floats] | None:
    """Return amounts >= 0 of least cost with rows @ amounts = sides, and the dual prices of the rows.

    The result is None if the time limit is reached.
    """
    program = LinearProgram(sides, float(np.abs(costs).max()))
    program.add(costs, _compressed(rows))
    return program.solve(watch)


def solve_integer(costs: Floats, rows: Any, sides: Array, watch: Watch) -> Floats | None:
    """Return whole amounts >= 0, as doubles, of least cost with rows @ amounts = sides, or None if none are found."""
    import highspy

    solver = _solver(sides.astype(float))
    _add_columns(solver, costs / (float(np.abs(costs).max()) or 1.0), _compressed(rows))
    n = len(costs)
    kinds = np.full(n, int(highspy.HighsVarType.kInteger), dtype=np.uint8)
    solver.changeColsIntegrality(n, np.arange(n, dtype=np.int32), kinds)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.HandleKeyboardInterrupt = True
    _run(solver, watch)
    if solver.getInfo().primal_solution_status != highspy.kSolutionStatusFeasible:
        return None
    return np.array(solver.getSolution().col_value)


def _solver(sides: Floats) -> Any:
    """Return a solver that prints nothing, with the right-hand sides and without columns."""
    import highspy

    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    m, none = len(sides), np.zeros(0, dtype=np.int32)
    solver.addRows(m, sides, sides, 0, np.zeros(m, dtype=np.int32), none, np.zeros(0))
    return solver


def _add_columns(solver: Any, costs: Floats, columns: Any) -> None:
    n = len(costs)
    no_limit = np.full(n, np.inf)
    starts, indices = columns.indptr[:-1].astype(np.int32), columns.indices.astype(np.int32)
    solver.addCols(n, costs, np.zeros(n), no_limit, columns.nnz, starts, indices, columns.data.astype(float))


def _compressed(rows: Any) -> Any:
    from scipy.sparse import csc_array

    return csc_array(rows)


def _run(solver: Any, watch: Watch) -> bool:
    """Run the solver for the time that is left, and return whether it found the optimum."""
    import highspy

    if watch.left is not None:
        solver.setOptionValue("time_limit", solver.getRunTime() + watch.left)  # the clock runs over all runs
    solver.run()
    return bool(solver.getModelStatus() == highspy.HighsModelStatus.kOptimal)
