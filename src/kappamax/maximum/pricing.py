"""Find the patterns of least reduced cost for given dual prices.

Where patterns are too many to list, a depth-first search over raters excludes most of them together: a partial pattern
is dropped as soon as even the cheapest choice of every remaining rater, each on its own, cannot bring it below the
limit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._jit import kernel
from kappamax.maximum.problem import OutOfTime, Problem, RaterSet, Watch

__all__ = ["PatternsFound", "Pricing"]

Array = npt.NDArray[Any]

_WORTH_COMPILING = 2000  # possible patterns
_AT_A_TIME = 1_000_000  # numbers looked at before the time and Ctrl-C are heeded
_ALWAYS = 50  # times as many are looked at even if the time is up: enough for most designs


class PatternsFound(NamedTuple):
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
        #: every set of raters, and lower bounds for the cost of all pairs among its raters d, d + 1, ...
        self.sets = [(one, _cost_of_the_rest(one)) for one in problem.rater_sets()]
        self.run = kernel(_search, work=float(problem.n_cells), worth=_WORTH_COMPILING)

    def least(self, prices: Array, limit: float = np.inf) -> PatternsFound:
        """Return the pattern of least reduced cost, if that is below the limit."""
        best = PatternsFound(np.zeros((0, len(prices)), dtype=np.int32), np.zeros(0), 0, np.inf)
        for one, rest in self.sets:
            found = self._found(one, rest, prices, min(limit, best.least), 0)
            if found.total:
                best = found
        return best

    def below(self, prices: Array, limit: float, most: int) -> PatternsFound:
        """Return up to `most` patterns with reduced cost below the limit, and how many there are."""
        patterns, reduced, totals, least = zip(
            *(self._found(one, rest, prices, limit, most) for one, rest in self.sets), strict=True
        )
        return PatternsFound(np.concatenate(patterns)[:most], np.concatenate(reduced)[:most], sum(totals), min(least))

    def rough_least(self, prices: Array) -> float:
        """Return a number that no pattern's reduced cost is below, without a search: every pair of raters alone."""
        lowest = []
        for one, _ in self.sets:
            own, paid = _prices_of_set(one, prices)
            if (r := len(own)) == 1:
                lowest.append(-float(own.max()) - paid)
                continue
            shared = own / (r - 1)  # each rater's price is paid to r - 1 pairs
            pairs = one.pair_costs - shared[:, None, :, None] - shared[None, :, None, :]
            lowest.append(float(pairs.min(axis=(2, 3))[np.triu_indices(r, 1)].sum()) - paid)
        return min(lowest)

    @property
    def scale(self) -> float:
        """The largest cost of a pattern, up to a factor."""
        return max(float(np.abs(one.pair_costs).max(initial=0)) * len(one.raters) ** 2 for one, _ in self.sets)

    def _found(self, one: RaterSet, rest: Array, prices: Array, limit: float, most: int) -> PatternsFound:
        """Search the patterns of one set of raters; with most = 0 keep only the one of least reduced cost."""
        own, paid = _prices_of_set(one, prices)
        r, k = own.shape
        patterns = np.zeros((max(1, most), r), dtype=np.int32)
        reduced = np.zeros(max(1, most))
        due = np.zeros((r + 1, r, k))  # due[d, t, x]: rating x of rater t beside the first d raters, less its price
        due[0] = -own
        state = due, np.full(r, -1, dtype=np.int32), np.zeros(r + 1), np.zeros(2, dtype=np.int64), np.full(1, np.inf)
        rounds, steps = 0, max(1, _AT_A_TIME // (r * k))
        while not self.run(one.pair_costs, rest, limit + paid, most, patterns, reduced, *state, steps):
            rounds += 1
            if rounds >= _ALWAYS and self.watch.over:
                raise OutOfTime
        count, least = int(state[3][1]), float(state[4][0])
        kept = min(count, max(1, most))
        whole = np.repeat(one.other_codes[None, :], kept, axis=0)
        whole[:, one.raters] = patterns[:kept]
        return PatternsFound(whole, reduced[:kept] - paid, count, least - paid)


def _prices_of_set(one: RaterSet, prices: Array) -> tuple[npt.NDArray[np.float64], float]:
    """The prices of the raters' own categories, and the sum that all other columns pay together."""
    others = np.setdiff1d(np.arange(len(prices)), one.raters)
    own = np.ascontiguousarray(prices[one.raters, : one.pair_costs.shape[-1]])
    return own, float(prices[others, one.other_codes[others]].sum())


def _cost_of_the_rest(one: RaterSet) -> npt.NDArray[np.float64]:
    least = one.pair_costs.min(axis=(2, 3))
    return np.array([least[d:, d:].sum() for d in range(len(one.raters) + 1)])


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
