"""Prices in, the patterns that cost least beside them out: depth-first search over raters with a bound.

Where patterns are too many to list, most of them are cut off together: a partial pattern is dropped as soon as even
the cheapest choice of every remaining rater, each on its own, cannot bring it below the limit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._jit import kernel
from kappamax.maximum.problem import Part, Problem

__all__ = ["Found", "Pricing"]

Array = npt.NDArray[Any]

_WORTH_COMPILING = 2000  # possible patterns


class Found(NamedTuple):
    """Patterns below a limit: some of them, their reduced costs, how many there are, and the least reduced cost."""

    patterns: npt.NDArray[np.int32]
    reduced: npt.NDArray[np.float64]
    total: int
    least: float


class Pricing:
    """The search for one problem; only the prices change from call to call."""

    def __init__(self, problem: Problem) -> None:
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
        count, least = self.run(part.pair_costs, own, rest, limit + paid, most, patterns, reduced)
        kept = min(count, max(1, most))
        whole = np.repeat(part.base[None, :], kept, axis=0)
        whole[:, part.raters] = patterns[:kept]
        return Found(whole, reduced[:kept] - paid, int(count), float(least) - paid)


def _rest(part: Part) -> npt.NDArray[np.float64]:
    least = part.pair_costs.min(axis=(2, 3))
    return np.array([least[d:, d:].sum() for d in range(len(part.raters) + 1)])


def _search(costs, prices, rest, limit, most, patterns, reduced):  # type: ignore[no-untyped-def]  # compiled by numba
    """Depth first over raters; with most = 0 the limit falls to the best found and only that one is kept."""
    r, k = prices.shape
    # due[d, t, x]: what rating x of rater t costs beside the first d raters, less its price
    due = np.zeros((r + 1, r, k))
    due[0] = -prices
    choice = np.full(r, -1, dtype=np.int32)
    paid = np.zeros(r + 1)
    count, least = 0, np.inf
    depth = 0
    while depth >= 0:
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
    return count, least
