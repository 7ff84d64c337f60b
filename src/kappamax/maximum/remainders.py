"""Compute the disagreement that the remainders of the use of categories force if ratings are missing.

If every subject has s ratings and all raters agree on every subject, then every category is used a multiple of s times.
In general, let g divide the number of ratings of every subject. The remainders modulo g of the use of all categories
are the sum of the remainders of the subjects, and a subject with remainders other than zero has some disagreement. The
least total disagreement with the remainders of the table is the length of a shortest path. The margins of the single
raters are not used, so that this is a lower bound. The proof is in docs/theory/certificates.md.
"""

from __future__ import annotations

from dataclasses import replace
from heapq import heappop, heappush
from itertools import count
from math import comb

import numpy as np

from kappamax._rootsum import RootSum
from kappamax.maximum.compositions import compositions_of
from kappamax.maximum.price_bounds import settles
from kappamax.maximum.problem import CompleteProblem, Problem
from kappamax.maximum.solution import Solution
from kappamax.weights import Weights

_MOST_STEPS = 20_000  # sums of remainders that are computed; each takes some microseconds
_MOST_COMPOSITIONS = 20_000  # compositions of a set of raters whose disagreement is computed

_Remainders = tuple[int, ...]


def forced_by_remainders(problem: Problem) -> RootSum | None:
    """Return a lower bound of the least disagreement of all tables with the margins of the problem.

    There is none if no ratings are missing, for the greatest disagreement, if pairs of raters have different weights,
    if the numbers of ratings of the subjects have no common divisor, or if there are too many compositions.
    """
    divisor = int(np.gcd.reduce(problem.sets.sum(axis=1)))
    alike = isinstance(problem.objective.weights, Weights)
    if isinstance(problem, CompleteProblem) or problem.sign == -1 or divisor < 2 or not alike:
        return None
    use = problem.objective.table.margins.sum(axis=0)
    target = tuple((use % divisor).tolist())
    least = _least_costs(problem, divisor)
    return None if least is None else _shortest_path(least, target, divisor)


def with_remainders(solution: Solution) -> Solution:
    """Return the solution with the bound of the remainders if that is better than the bound of its prices."""
    if solution.proven:
        return solution
    problem, bound = solution.problem, forced_by_remainders(solution.problem)
    if bound is None or bound <= solution.bound:
        return solution
    if settles(problem, solution.cost, bound):
        return replace(solution, bound=solution.cost, proof="remainders")
    return replace(solution, bound=bound)


def _least_costs(problem: Problem, divisor: int) -> dict[_Remainders, RootSum] | None:
    """Return the least disagreement of a subject for all remainders except zero, or None if there are too many."""
    least: dict[_Remainders, RootSum] = {}
    sizes = problem.sets.sum(axis=1)
    for size in np.unique(sizes).tolist():
        if comb(size + problem.n_labels - 1, size) > _MOST_COMPOSITIONS:
            return None
        tables = compositions_of(size, problem.n_labels)
        index = int(np.flatnonzero(sizes == size)[0])
        costs = problem.costs(problem.patterns_of(index, tables.patterns))
        for remainders, row in zip((tables.counts % divisor).tolist(), costs.tolist(), strict=True):
            cost = problem.number(row)
            key = tuple(remainders)
            if any(key) and (key not in least or cost < least[key]):
                least[key] = cost
    return least


def _shortest_path(least: dict[_Remainders, RootSum], target: _Remainders, divisor: int) -> RootSum:
    """Return the least sum of costs whose remainders add up to the target, by Dijkstra's algorithm.

    If there are too many sums, the result is the least sum that is still to be extended, which is a lower bound.
    """
    zero = (0,) * len(target)
    best = {zero: RootSum()}
    order = count()  # equal costs are compared by the order in which they were found
    waiting = [(RootSum(), next(order), zero)]
    steps = 0
    done: set[_Remainders] = set()
    while waiting:
        cost, _, here = heappop(waiting)
        if here == target or steps > _MOST_STEPS:
            return cost
        if here in done:
            continue
        done.add(here)
        for change, own in least.items():
            steps += 1
            there = tuple((x + y) % divisor for x, y in zip(here, change, strict=True))
            total = cost + own
            if there not in best or total < best[there]:
                best[there] = total
                heappush(waiting, (total, next(order), there))
    raise AssertionError("every sum of remainders can be attained")
