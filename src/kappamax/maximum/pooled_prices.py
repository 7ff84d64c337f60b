"""Find prices that are the same for all raters, which bound the disagreement from above.

If only the total use of each category over all raters is fixed, instead of the margins of each rater, the disagreement
can only become greater. This relaxation is a linear program over compositions with one equation per category, and its
prices do not depend on the rater. For the greatest disagreement of three or more raters, the margins of the raters
rarely restrict more than the total use does, so that the bound is usually attained. For the least disagreement the
bound is zero and of no use.
"""

from __future__ import annotations

from math import lcm

import numpy as np

from kappamax._rootsum import RootSum
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Floats, Integers
from kappamax.maximum.compositions import Compositions, compositions_of
from kappamax.maximum.exact_prices import solved_exactly
from kappamax.maximum.highs import solve_linear
from kappamax.maximum.problem import CompleteProblem, Watch
from kappamax.maximum.solution import Prices

_NEW_COMPOSITIONS = 100  # compositions added per round
_MOST_ROUNDS = 200
_TIGHT = 1e-7  # relative reduced cost of the compositions that may determine the prices


def pooled_prices(problem: CompleteProblem, watch: Watch) -> tuple[Prices, RootSum] | None:
    """Return exact prices and the least reduced cost under them, or None if the time limit is reached."""
    r, k = problem.margins.shape
    tables = compositions_of(r, k)
    costs, use = problem.real(tables.patterns), problem.margins.sum(axis=0)
    known = _first_compositions(tables, use, problem.n_subjects)
    for _ in range(_MOST_ROUNDS):
        found = solve_linear(costs[known], tables.counts[known].T.astype(float), use.astype(float), watch)
        if found is None:
            return None
        amounts, prices = found
        reduced = costs - tables.counts @ prices
        clear = ROUNDING_MARGIN * (1 + float(np.abs(prices).max()))
        best = np.argpartition(reduced, min(_NEW_COMPOSITIONS, len(reduced) - 1))[:_NEW_COMPOSITIONS]
        new = np.setdiff1d(best[reduced[best] < -clear], known)
        support = known[amounts > 0]
        if len(new) == 0 or watch.over:
            break
        known = np.concatenate([known, new])
    return _exact(problem, tables, prices, support, reduced)


def _first_compositions(tables: Compositions, use: Integers, n_subjects: int) -> Integers:
    """Return the positions of compositions that use every category as often as required, evenly over the subjects.

    With all ratings in order and subject s receiving every N-th of them, starting with the s-th, the number of ratings
    of a subject in neighbouring categories differs by at most one between subjects.
    """
    r, k = len(tables.sizes) - 1, len(use)
    ends = np.cumsum(use.astype(object))
    starts = sorted({int(-end) % n_subjects for end in ends})  # the compositions change at these subjects only
    at_ends = np.array([[0, *((end + start) // n_subjects for end in ends)] for start in [0, *starts]])
    counts = np.concatenate([np.diff(at_ends.astype(np.int64), axis=1), r * np.eye(k, dtype=np.int64)])
    place = {tuple(row): at for at, row in enumerate(tables.counts.tolist())}
    return np.unique([place[tuple(row)] for row in counts.tolist()])


def _exact(
    problem: CompleteProblem, tables: Compositions, near: Floats, support: Integers, reduced: Floats
) -> tuple[Prices, RootSum]:
    """Return exact prices near given doubles, and the least reduced cost under them."""
    scale = 1 + float(np.abs(near).max())
    tight = np.flatnonzero(np.abs(reduced) < _TIGHT * scale)
    tight = tight[np.argsort(np.abs(reduced[tight]), kind="stable")]
    tight = np.concatenate([support, tight[: 50 * len(near)]])
    costs = problem.costs(tables.patterns[tight])
    exact = solved_exactly(tables.counts[tight].astype(np.int64), costs, near, float(problem.roots[0]))
    denominator = lcm(*(number.denominator for row in exact for number in row))
    own = np.array([[int(number * denominator) for number in row] for row in exact], dtype=object)
    prices = Prices(np.repeat(own[None], problem.n_raters, axis=0), denominator)
    worth = prices.real(problem.roots)[0]
    real = problem.real(tables.patterns) - tables.counts @ worth
    low = np.flatnonzero(real <= real.min() + ROUNDING_MARGIN * scale)
    left = problem.costs(tables.patterns[low]).astype(object) * denominator - tables.counts[low].astype(object) @ own
    least = min(problem.number(row) for row in {tuple(row) for row in left.tolist()})
    return prices, least / denominator
