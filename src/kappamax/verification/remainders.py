"""Compute the least disagreement that the remainders of the use of categories allow.

Let g divide the number of ratings of every subject. If the raters of a subject agree, the subject uses every category a
multiple of g times. The remainders modulo g of the use of all categories are the sum of the remainders of the subjects,
so that some subjects must have disagreement unless all these remainders are zero.
"""

from __future__ import annotations

from collections import deque
from itertools import combinations, combinations_with_replacement
from math import comb, gcd

from kappamax._rootsum import RootSum
from kappamax.verification.budget import Budget, Unknown
from kappamax.verification.definitions import Design, Rows, margins_of, subjects_of

_Remainders = tuple[int, ...]


def least_score(design: Design, rows: Rows, budget: Budget) -> RootSum:
    """Return a lower bound of the scores of all tables with the margins and sets of raters of one table.

    All pairs of raters must have the same symmetric weights.

    Raises
    ------
    Unknown
        If there are too many sums of remainders.
    """
    sizes = {len(raters) for raters in subjects_of(rows)}
    divisor = gcd(*sizes)
    if divisor < 2 or min(sizes) < design.group_size or design.group_size > 2:
        return RootSum()
    margins = margins_of(rows, *design.shape)
    target = tuple(sum(use) % divisor for use in zip(*margins, strict=True))
    costs = _costs(design, sizes, divisor, budget)
    if divisor ** (design.n_categories - 1) * len(costs) * design.n_categories > budget.left:
        raise Unknown
    least = {(0,) * design.n_categories: RootSum()}
    waiting = deque(least)
    while waiting:  # every sum of remainders is extended again after a lower score of it was found
        here = waiting.popleft()
        for change, cost in costs.items():
            budget.spend(design.n_categories)
            there = tuple((x + y) % divisor for x, y in zip(here, change, strict=True))
            score = least[here] + cost
            if there not in least or score < least[there]:
                least[there] = score
                waiting.append(there)
    return least[target]


def _costs(design: Design, sizes: set[int], divisor: int, budget: Budget) -> dict[_Remainders, RootSum]:
    """Return the least score of one subject for each of its remainders other than zero."""
    matrix, k = next(iter(design.pairs.values())), design.n_categories
    found: dict[_Remainders, RootSum] = {}
    for size in sizes:
        share = design.share(size) / matrix.denominator
        budget.spend(comb(size + k - 1, size) * size * size)
        for codes in combinations_with_replacement(range(k), size):
            remainders = tuple(codes.count(code) % divisor for code in range(k))
            if not any(remainders):
                continue
            score = RootSum()
            for i, j in combinations(codes, 2):
                score += RootSum({int(matrix.radicands[i, j]): int(matrix.multipliers[i, j])}) * share
            if remainders not in found or score < found[remainders]:
                found[remainders] = score
    return found
