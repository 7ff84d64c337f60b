"""Find the patterns of least reduced cost by a depth-first search over the raters.

The search is used for weights per pair of raters, and for designs with too many compositions. It drops a partial
pattern as soon as it cannot fall below the limit even if every remaining rater, independently of the others, makes the
cheapest choice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kappamax._jit import CompilationStopped, kernel
from kappamax._typing import Codes, Floats
from kappamax.fibers.enumeration import OutOfSteps
from kappamax.maximum.problem import OutOfTime, RaterSet, Watch

_UNCOMPILED_PATTERNS = 2000  # possible patterns up to which plain Python is faster than importing numba
_SWEEPS = 2  # number of times that every rater changes a rating in a search nearby
_AT_A_TIME = 1_000_000  # numbers processed between two checks of the time limit and Ctrl-C


class DepthFirstSearch:
    """Search over the patterns of one set of raters.

    The methods raise `OutOfTime` if the time limit is reached before the search is complete.

    Parameters
    ----------
    one : RaterSet
        The set of raters.
    watch : Watch
        Time limit.
    """

    def __init__(self, one: RaterSet, watch: Watch) -> None:
        self.one, self.watch = one, watch
        least = one.pair_costs.min(axis=(2, 3))
        #: entry d is a lower bound of the cost of all pairs of raters >= d
        self.rest = np.array([least[d:, d:].sum() for d in range(len(one.raters) + 1)])
        n_patterns = float(one.pair_costs.shape[-1]) ** len(one.raters)
        self.run: Callable[..., Any] = kernel(
            _search, work=n_patterns, worth=_UNCOMPILED_PATTERNS, stopped=lambda: watch.over
        )

    def found(
        self, prices: Floats, limit: float, most: int, most_steps: int | None = None
    ) -> tuple[Codes, Floats, int]:
        """Return patterns with reduced cost below the limit, their reduced costs, and the number of all such patterns.

        With `most` = 0, only the pattern of least reduced cost is returned. `OutOfSteps` is raised after `most_steps`
        steps, if these are given.
        """
        r, k = prices.shape
        patterns = np.zeros((max(1, most), r), dtype=np.int32)
        reduced = np.zeros(max(1, most))
        # due[d, t, x] is the cost of rating x of rater t together with the first d raters, minus its price
        due = np.zeros((r + 1, r, k))
        due[0] = -prices
        state = due, np.full(r, -1, dtype=np.int32), np.zeros(r + 1), np.zeros(2, dtype=np.int64), np.full(1, np.inf)
        steps = max(1, _AT_A_TIME // (r * k))
        taken = 0
        while not self._run(self.one.pair_costs, self.rest, limit, most, patterns, reduced, *state, steps):
            taken += steps
            if self.watch.over:
                raise OutOfTime
            if most_steps is not None and taken > most_steps:
                raise OutOfSteps
        count = int(state[3][1])
        kept = min(count, max(1, most))
        return patterns[:kept], reduced[:kept], count

    def _run(self, *arguments: Any) -> bool:
        try:
            return bool(self.run(*arguments))
        except CompilationStopped:
            raise OutOfTime from None

    def nearby(self, prices: Floats, starts: Codes, limit: float, most: int) -> Codes:
        """Return patterns below the limit, found from given patterns by changing one rating at a time.

        Every rater in turn chooses the category of least cost for the ratings of the others, a few times.
        """
        costs = self.one.pair_costs + self.one.pair_costs.transpose(1, 0, 3, 2)
        patterns, n_raters = starts.copy(), len(prices)
        for _ in range(_SWEEPS):
            for rater in range(n_raters):
                due = np.repeat(-prices[None, rater], len(patterns), axis=0)
                for other in range(n_raters):
                    if other != rater:
                        due += costs[other, rater][patterns[:, other]]
                patterns[:, rater] = due.argmin(axis=1)
        patterns = np.unique(patterns, axis=0)
        reduced = np.zeros(len(patterns))
        for rater in range(n_raters):
            reduced -= prices[rater][patterns[:, rater]]
            for other in range(rater):
                reduced += costs[other, rater][patterns[:, other], patterns[:, rater]]
        best = np.argsort(reduced, kind="stable")[:most]
        return patterns[best[reduced[best] < limit]]


def _search(costs, rest, limit, most, patterns, reduced, due, choice, paid, progress, lowest, most_steps):  # type: ignore[no-untyped-def]  # compiled by numba
    """Continue the depth-first search over raters for up to `most_steps` steps and return whether it is complete.

    With `most` = 0 the limit falls to the least reduced cost found, and only that pattern is kept. The arrays from
    `due` on hold the state of the search; `progress` holds the depth and the number of patterns found, and `lowest` the
    least reduced cost.
    """
    r, k = due.shape[1:]
    depth, count, least = progress[0], progress[1], lowest[0]
    for _ in range(most_steps):
        if depth < 0:
            break
        choice[depth] += 1
        if choice[depth] >= k:
            choice[depth] = -1
            depth -= 1
            continue
        here = choice[depth]
        total = paid[depth] + due[depth, depth, here]
        bound = total + rest[depth + 1]
        for t in range(depth + 1, r):
            cheapest = np.inf
            for x in range(k):
                value = due[depth, t, x] + costs[depth, t, here, x]
                due[depth + 1, t, x] = value
                cheapest = min(cheapest, value)
            bound += cheapest
        if bound >= limit or (most == 0 and bound >= least):
            continue
        if depth == r - 1:
            least = min(least, total)
            if most == 0:
                count = 1
                patterns[0] = choice
                reduced[0] = total
            else:
                if count < most:
                    patterns[count] = choice
                    reduced[count] = total
                count += 1
            continue
        paid[depth + 1] = total
        depth += 1
    progress[0], progress[1], lowest[0] = depth, count, least
    return depth < 0
