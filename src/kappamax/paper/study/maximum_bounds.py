"""Decide for many tables of one design whether they attain the maximum that their margins allow.

Dual prices that no pattern undercuts give a bound for all margins of the design, not only those they were found for.
So prices are kept, and a table whose score they meet is optimal without another search. The answer is exact either way.
"""

from __future__ import annotations

import numpy as np

from kappamax._rootsum import RootSum
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Array, Floats
from kappamax.disagreement.objective import Objective
from kappamax.maximum.closed_forms import comonotone_table
from kappamax.maximum.price_bounds import lowest_reduced_cost, settles
from kappamax.maximum.problem import problem_for
from kappamax.maximum.solution import Prices
from kappamax.maximum.solve import solve
from kappamax.table import Table

_MOST_KEPT = 1_000


class MaximumBounds:
    """The bounds on scores that are known for a design.

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
        """Whether no table with the margins of this one has a score below its score."""
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
        if prices is not None and len(self.prices) < _MOST_KEPT and lowest_reduced_cost(problem, prices) == 0:
            self.prices.append(prices)
            self._worth.append(prices.real(self.roots).ravel())
        return settles(problem, score, solution.bound)

    def _met(self, margins: Array, score: RootSum) -> bool:
        """Whether prices that were kept prove the score; doubles select the candidates, exact sums decide."""
        if not self.prices:
            return False
        real = float(score)
        totals = np.array(self._worth) @ margins.ravel()
        near = np.flatnonzero(np.abs(totals - real) <= ROUNDING_MARGIN * (1 + abs(real)))
        return any(self.prices[i].total(margins, self.objective.radicands) == score for i in near)
