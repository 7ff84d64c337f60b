"""Decide for many tables of one design whether they attain the maximum that their margins allow.

Dual prices for which no pattern has a negative reduced cost give a bound for all margins of the design, not only for
those they were computed for. Prices are therefore kept, and a table whose score equals the bound of such prices is
optimal without another search. The answer is always exact.
"""

from __future__ import annotations

import numpy as np

from kappamax._rootsum import RootSum
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Array, Floats
from kappamax.disagreement.objective import Objective
from kappamax.maximum.closed_forms import comonotone_table
from kappamax.maximum.price_bounds import lowest_reduced_costs, settles
from kappamax.maximum.problem import problem_for
from kappamax.maximum.solution import Prices
from kappamax.maximum.solve import solve
from kappamax.table import Table

_MOST_KEPT = 1_000


class MaximumBounds:
    """Known bounds on the scores of the tables of a design.

    Parameters
    ----------
    objective : Objective
        Objective of any complete table of the design.
    """

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.roots = np.sqrt(np.array(objective.radicands, dtype=float))
        self.monge = objective.weights.exact and all(weights.monge for _, _, weights in objective.pairs())
        self.prices: list[Prices] = []
        self._worth: list[Floats] = []

    def attained(self, table: Table, score: RootSum) -> bool:
        """Return whether no table with the same margins has a smaller score."""
        if score == 0:
            return True
        margins = table.margins
        if self.monge:
            patterns, counts = comonotone_table(margins)
            return score == self.objective.total(self.objective.scores(patterns), counts)
        if self._met(margins, score):
            return True
        problem = problem_for(Objective(table, self.objective.weights, self.objective.coefficient), 1)
        solution = solve(problem)
        prices = solution.prices
        if prices is not None and len(self.prices) < _MOST_KEPT and not any(lowest_reduced_costs(problem, prices)):
            self.prices.append(prices)
            self._worth.append(prices.real(self.roots).ravel())
        return settles(problem, score, solution.bound)

    def _met(self, margins: Array, score: RootSum) -> bool:
        """Return whether kept prices prove that a score is minimal; doubles select candidates, exact sums decide."""
        if not self.prices:
            return False
        real = float(score)
        totals = np.array(self._worth) @ margins.ravel()
        near = np.flatnonzero(np.abs(totals - real) <= ROUNDING_MARGIN * (1 + abs(real)))
        return any(self.prices[i].total(margins, self.objective.radicands) == score for i in near)
