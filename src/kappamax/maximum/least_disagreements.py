"""Compute the least disagreement that many margins allow, without tables and proofs.

Resampling asks for the value only, for hundreds of margins of the same design. With Monge weights the value follows
from the cumulative shares of each pair of raters, and with unweighted disagreement of two or three raters from the
ranked shares. These formulas are evaluated in doubles for all margins together. In all other cases each of the margins
is solved as a problem of its own.
"""

from __future__ import annotations

import numpy as np

from kappamax._typing import Array, Floats, Integers
from kappamax.disagreement.objective import Objective
from kappamax.maximum.closed_forms import comonotone_table
from kappamax.maximum.problem import CompleteProblem
from kappamax.maximum.solution import Solution
from kappamax.maximum.solve import solve

_HELD = 4_000_000  # cells of two-way tables in memory at a time


def least_disagreements(objective: Objective, margins: Integers) -> Floats:
    """Return the least mean disagreement of all tables with each of some margins.

    Parameters
    ----------
    objective : Objective
        Weights, coefficient and labels. Its table has no missing ratings.
    margins : integers, shape (n, n_raters, n_categories)
        Margins; all raters have the same total.

    Returns
    -------
    floats, shape (n,)
        Least mean disagreement over subjects and pairs of raters.
    """
    if not has_formula(objective):
        different, place = np.unique(margins, axis=0, return_inverse=True)
        values = [_solved_value(objective, one) for one in different]
        return np.array(values)[place.reshape(-1)]
    shares = margins / margins.sum(axis=-1, keepdims=True)
    weights = [weights for _, _, weights in objective.pairs()]
    if all(one.monge for one in weights):
        found = sum(_sorted_disagreement(shares[:, a], shares[:, b], own.matrix) for a, b, own in objective.pairs())
        return np.asarray(found / len(weights))
    ranked = np.sort(shares, axis=1).sum(axis=-1)  # sums over the categories of the smallest, second, ... share
    if len(weights) == 1:
        return np.asarray(np.maximum(1 - ranked[:, 0], 0))
    return np.asarray(np.maximum(1 - (2 * ranked[:, 0] + np.minimum(1, ranked[:, 1])) / 3, 0))


def has_formula(objective: Objective) -> bool:
    """Return whether the least disagreement follows from a formula, so that no problem has to be solved."""
    weights = [weights for _, _, weights in objective.pairs()]
    return all(one.monge for one in weights) or (len(weights) in (1, 3) and all(one.power == 0 for one in weights))


def solve_margins(objective: Objective, margins: Integers) -> Solution:
    """Return the table of least disagreement with given margins, which need not be those of the objective's table."""
    table = objective.table
    return solve(CompleteProblem(objective.for_table(table.like(*comonotone_table(margins))), 1))


def _solved_value(objective: Objective, margins: Integers) -> float:
    solution = solve_margins(objective, margins)
    return float(solution.objective.observed(solution.cost))


def _sorted_disagreement(first: Array, second: Array, u: Array) -> Floats:
    """Return the mean disagreement of two raters whose sorted ratings are matched in order, shape (n,).

    The share of subjects with categories up to i and up to j is then the smaller of the two cumulative shares.
    """
    found = np.empty(len(first))
    step = max(1, _HELD // u.size)
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        upto = np.minimum(np.cumsum(first[part], axis=-1)[:, :, None], np.cumsum(second[part], axis=-1)[:, None, :])
        cells = np.diff(np.diff(upto, axis=1, prepend=0), axis=2, prepend=0)
        found[part] = (cells * u).sum(axis=(1, 2))
    return np.maximum(found, 0)
