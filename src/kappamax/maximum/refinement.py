"""Sharpen the prices of a linear programme beyond the precision of doubles.

A solver's prices are right to some nine digits. With them subtracted, the costs that matter are small; scaled up, they
make another linear programme, whose solution corrects the prices by nine digits more. Weights that are rounded reals
have whole costs of twenty digits, so a few rounds settle which table is the best one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax.maximum.price_bounds import bound_of, certified, reduced_costs
from kappamax.maximum.problem import Prices, Problem, Solution, Watch
from kappamax.maximum.relaxation import relaxation, whole_table

__all__ = ["refined"]

Array = npt.NDArray[Any]

_ROUNDS = 8
_BITS = 30  # more binary digits for the prices in each round
_DEAR = 1e7  # in units of what matters: costs beyond it are no longer told apart


def refined(problem: Problem, solution: Solution, patterns: Array, watch: Watch) -> Solution:
    """The solution with sharper prices and, where that shows a better table, with that one; rational costs only.

    Parameters
    ----------
    patterns : array, shape (m, r)
        Should hold every pattern that a best table may use.
    """
    if problem.objective.radicands != (1,):
        return solution
    for _ in range(_ROUNDS):
        assert solution.prices is not None
        if solution.proven or watch.over:
            return solution
        numerators, denominator = solution.prices.numerators.astype(object), solution.prices.denominator
        unit = float(solution.cost - bound_of(problem, solution.prices, watch)) / problem.n_subjects
        left = np.array([n / denominator for n in reduced_costs(problem, solution.prices, patterns)[:, 0].tolist()])
        relaxed = relaxation(problem, patterns, watch, np.minimum(left / unit, _DEAR))
        if relaxed is None:
            return solution
        change = relaxed.prices * (unit * float(denominator) * 2.0**_BITS)
        finer = (numerators << _BITS) + np.array([[[round(c)] for c in row] for row in change.tolist()], dtype=object)
        table = _better_table(problem, solution, patterns, whole_table(problem, patterns, relaxed.amounts))
        sharper = certified(problem, *table, Prices(finer, denominator << _BITS), solution.method, watch)
        if sharper.bound <= solution.bound and sharper.cost >= solution.cost:
            return solution
        solution = sharper
    return solution


def _better_table(problem: Problem, solution: Solution, patterns: Array, counts: Array | None) -> tuple[Array, Array]:
    """The table of a solution, or the one just found if it costs less."""
    if counts is not None:
        used = counts > 0
        if problem.total(patterns[used], counts[used]) < solution.cost:
            return patterns[used], counts[used]
    return solution.patterns, solution.counts
