"""Prices in, the patterns that cost least beside them out: depth-first search over raters with a bound.

Where patterns are too many to list, most of them are cut off together: a partial pattern is dropped as soon as even
the cheapest choice of every remaining rater, each on its own, cannot bring it below the limit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._jit import kernel
from kappamax.maximum.problem import OutOfTime, Part, Problem, Watch

__all__ = ["Found", "Pricing"]

Array = npt.NDArray[Any]

_WORTH_COMPILING = 2000  # possible patterns
_AT_A_TIME = 1_000_000  # numbers looked at before the time and Ctrl-C are heeded
_ALWAYS = 50  # times as many are looked at even if the time is up: enough for most designs


class Found(NamedTuple):
    """Patterns below a limit: some of them, their reduced costs, how many there are, and the least reduced cost."""

    patterns: npt.NDArray[np.int32]
    reduced: npt.NDArray[np.float64]
    total: int
    least: float


class Pricing:
    """The search for one problem; only the prices change from call to call.

    Each call ends with `OutOfTime` where the time of the watch runs out before it is done.
    """

    def __init__(self, problem: Problem, watch: Watch | None = None) -> None:
        self.watch = watch or Watch()
        self.parts = list(problem.parts())
        #: for each part a lower bound for the cost of all pairs among its raters d, d + 1, ...
        self.rests = [_rest(part) for part in self.parts]
        self.run = kernel(_search, work=float(problem.n_cells), worth=_WORTH_COMPILING)

    def least(self, prices: Array, limit: float = np.inf) -> Found:
        """The pattern of least reduced cost, if that is below the limit."""
        best = Found(np.zeros((0, len(prices)), dtype=np.int32), np.zeros(0), 0, np.inf)
        for part, rest in zip(self.parts, self.rests, strict=True):
            found = self._call(part, rest, prices, min(limit, best.least), 0)
            if found.total:
                best = found
        return best

    def below(self, prices: Array, limit: float, most: int) -> Found:
        """Up to `most` patterns with reduced cost below the limit, and how many there are."""
        found = [self._call(part, rest, prices, limit, most) for part, rest in zip(self.parts, self.rests, strict=True)]
        return Found(
            np.concatenate([one.patterns for one in found])[:most],
            np.concatenate([one.reduced for one in found])[:most],
            sum(one.total for one in found),
            min(one.least for one in found),
        )

    def _call(self, part: Part, rest: Array, prices: Array, limit: float, most: int) -> Found:
        r, k = len(part.raters), part.pair_costs.shape[-1]
        patterns = np.zeros((max(1, most), r), dtype=np.int32)
        reduced = np.zeros(max(1, most))
        others = np.setdiff1d(np.arange(len(prices)), part.raters)
        paid = float(prices[others, part.base[others]].sum())  # columns that are the same in every pattern of the part
        own = np.ascontiguousarray(prices[part.raters, :k])
        due = np.zeros((r + 1, r, k))  # due[d, t, x]: rating x of rater t beside the first d raters, less its price
        due[0] = -own
        state = due, np.full(r, -1, dtype=np.int32), np.zeros(r + 1), np.zeros(2, dtype=np.int64), np.full(1, np.inf)
        rounds, steps = 0, max(1, _AT_A_TIME // (r * k))
        while not self.run(part.pair_costs, rest, limit + paid, most, patterns, reduced, *state, steps):
            rounds += 1
            if rounds >= _ALWAYS and self.watch.over:
                raise OutOfTime
        count, least = int(state[3][1]), float(state[4][0])
        kept = min(count, max(1, most))
        whole = np.repeat(part.base[None, :], kept, axis=0)
        whole[:, part.raters] = patterns[:kept]
        return Found(whole, reduced[:kept] - paid, count, least - paid)

    def rough_least(self, prices: Array) -> float:
        """A number that no pattern's reduced cost is below, without a search: every pair of raters on its own."""
        lowest = []
        for part in self.parts:
            r, k = len(part.raters), part.pair_costs.shape[-1]
            others = np.setdiff1d(np.arange(len(prices)), part.raters)
            paid = float(prices[others, part.base[others]].sum())
            own = prices[part.raters, :k]
            if r == 1:
                lowest.append(-float(own.max()) - paid)
                continue
            shared = own / (r - 1)  # each rater's price is paid to r - 1 pairs
            pairs = part.pair_costs - shared[:, None, :, None] - shared[None, :, None, :]
            lowest.append(float(pairs.min(axis=(2, 3))[np.triu_indices(r, 1)].sum()) - paid)
        return min(lowest)

    @property
    def scale(self) -> float:
        """The largest cost of a pattern, up to a factor."""
        return max(float(np.abs(part.pair_costs).max(initial=0)) * len(part.raters) ** 2 for part in self.parts)


def _rest(part: Part) -> npt.NDArray[np.float64]:
    least = part.pair_costs.min(axis=(2, 3))
    return np.array([least[d:, d:].sum() for d in range(len(part.raters) + 1)])


def _search(costs, rest, limit, most, patterns, reduced, due, choice, paid, progress, lowest, most_steps):  # type: ignore[no-untyped-def]  # compiled by numba
    """Depth first over raters, as many steps as allowed; whether the search came to its end.

    With most = 0 the limit falls to the best found and only that one is kept. The arrays from `due` on hold where the
    search stands: `progress` the depth and the number of patterns found, `lowest` the least reduced cost.
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
