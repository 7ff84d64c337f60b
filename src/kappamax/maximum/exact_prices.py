"""Turn dual prices in doubles into exact prices for which the intended patterns have reduced cost zero.

An optimal vertex of the dual problem is determined by the patterns whose cost equals the sum of their prices. For two
raters these patterns form a forest, along which the prices follow by exact addition. For more raters they form a system
of equations with entries 0 and 1, which is solved in fractions. Prices that no equation determines keep their rounded
doubles. The proof does not depend on this module, because the bound of the resulting prices is computed exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kappamax._integers import magnitude, widen
from kappamax._rational_solve import independent_rows, solved_in_fractions
from kappamax._rootsum import RootSum
from kappamax._typing import Array
from kappamax.maximum.price_bounds import certified, real_reduced_costs
from kappamax.maximum.problem import Problem, Watch
from kappamax.maximum.solution import Prices, Solution, zero_prices

PRICE_DENOMINATOR = 2**40  # denominator of prices that are rounded from doubles
_TOLERANCES = (1e-11, 1e-9, 1e-7)  # relative reduced costs that count as zero, tried in this order
_LARGEST_COST = 2**50  # larger costs are not solved for exactly


def certified_near(
    problem: Problem,
    patterns: Array,
    counts: Array,
    real: Array,
    tight: Array,
    support: Array,
    method: str,
    watch: Watch | None = None,
) -> Solution:
    """Return a solution with exact prices near given doubles.

    Several ways of making the prices exact are tried, and the prices with the best bound are kept.

    Parameters
    ----------
    problem : Problem
        Problem that the table and the prices belong to.
    patterns, counts : arrays
        Table of the solution.
    real : array, shape (r, k)
        Optimal prices up to rounding.
    tight : array, shape (m, r)
        Patterns that may have reduced cost zero.
    support : array, shape (s, r)
        Patterns that must have reduced cost zero, because an optimal solution of the linear program uses them.
    method : str
        Name of the method that found the table.
    watch : Watch, optional
        Time limit, default none.

    Returns
    -------
    Solution
        The table with the prices of the best bound.
    """
    best: Solution | None = None
    late = watch is not None and watch.over
    for prices in [_rounded_prices(problem, real)] if late else _candidates(problem, real, tight, support):
        solution = certified(problem, patterns, counts, prices, method, watch)
        if best is None or solution.bound > best.bound:
            best = solution
        if best.proven or (watch is not None and watch.over):
            break
    assert best is not None
    if best.proven or watch is None or watch.deadline is None:
        return best
    # if the time limit cut the computation of the bound short, prices of zero often have a better bound
    lowest = [RootSum()] * len(problem.sets) if problem.sign == 1 else None  # no pattern costs less than zero
    zero = certified(problem, patterns, counts, zero_prices(problem), method, Watch(0), lowest)
    return max(best, zero, key=lambda one: one.bound)


def solved_exactly(rows: Array, sides: Array, near: Array, root: float) -> list[list[Fraction]]:
    """Return fractions x near given doubles with rows @ x = sides for the first independent rows.

    There is one column per root. Unknowns that the rows do not determine keep their rounded double, as a multiple of
    the first root.
    """
    basis: list[tuple[int, list[Fraction], list[Fraction]]] = []
    for row, side in zip(rows.tolist(), sides.tolist(), strict=True):
        left, right = [Fraction(entry) for entry in row], [Fraction(entry) for entry in side]
        for pivot, own, known in basis:
            if factor := left[pivot]:
                left = [a - factor * b for a, b in zip(left, own, strict=True)]
                right = [a - factor * b for a, b in zip(right, known, strict=True)]
        pivot = next((i for i, entry in enumerate(left) if entry), -1)
        if pivot >= 0:
            by = left[pivot]
            basis.append((pivot, [entry / by for entry in left], [entry / by for entry in right]))
    n_roots = sides.shape[1]
    x = [
        [Fraction(round(value / root * PRICE_DENOMINATOR), PRICE_DENOMINATOR)] + [Fraction(0)] * (n_roots - 1)
        for value in near.tolist()
    ]
    for pivot, own, known in reversed(basis):
        others = [(entry, i) for i, entry in enumerate(own) if entry and i != pivot]
        x[pivot] = [known[f] - sum((entry * x[i][f] for entry, i in others), Fraction(0)) for f in range(n_roots)]
    return x


def _candidates(problem: Problem, real: Array, tight: Array, support: Array) -> Iterator[Prices]:
    """Yield exact prices for increasing tolerances within which a reduced cost counts as zero, then rounded doubles."""
    reduced = np.abs(real_reduced_costs(problem, real, tight))
    order = np.argsort(reduced, kind="stable")
    scale = 1 + float(np.abs(real).max())
    for tolerance in _TOLERANCES:
        near = tight[order[: np.searchsorted(reduced[order], tolerance * scale)]]
        equations = np.concatenate([support, near])
        exact = _along_forest if problem.n_raters == 2 else _by_elimination
        prices = exact(problem, real, equations)
        if prices is not None:
            yield prices
    yield _rounded_prices(problem, real)


def _rounded_prices(problem: Problem, real: Array) -> Prices:
    """Return prices in doubles as exact prices."""
    return Prices(_rounded(problem, real), PRICE_DENOMINATOR)


def _rounded(problem: Problem, real: Array) -> Array:
    """Return numerators over `PRICE_DENOMINATOR` of prices in doubles, as multiples of the first root."""
    numerators = np.zeros((*real.shape, len(problem.roots)), dtype=object)
    numerators[:, :, 0] = [
        [round(value * PRICE_DENOMINATOR) for value in row] for row in (real / problem.roots[0]).tolist()
    ]
    return numerators


def _along_forest(problem: Problem, real: Array, patterns: Array) -> Prices | None:
    """Return prices for two raters, where each tight pattern determines one price from the other."""
    k = problem.n_categories
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(2 * k)]
    for position in _forest(patterns, k):
        i, j = int(patterns[position, 0]), k + int(patterns[position, 1])
        neighbours[i].append((j, position))
        neighbours[j].append((i, position))
    costs = problem.costs(patterns).astype(object) * PRICE_DENOMINATOR
    numerators = _rounded(problem, real).reshape(2 * k, -1)
    done = [False] * (2 * k)
    for root in range(2 * k):
        waiting = [] if done[root] else [root]
        done[root] = True
        while waiting:
            node = waiting.pop()
            for other, position in neighbours[node]:
                if not done[other]:
                    done[other] = True
                    numerators[other] = costs[position] - numerators[node]
                    waiting.append(other)
    return Prices(_narrowed(numerators.reshape(2, k, -1)), PRICE_DENOMINATOR)


def _forest(patterns: Array, k: int) -> list[int]:
    """Return the first linearly independent patterns, which are edges between rows and columns that close no cycle."""
    parent = list(range(2 * k))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    chosen = []
    for position, (i, j) in enumerate(patterns.tolist()):
        a, b = root(i), root(k + j)
        if a != b:
            parent[a] = b
            chosen.append(position)
    return chosen


def _by_elimination(problem: Problem, real: Array, patterns: Array) -> Prices | None:
    """Return prices for several raters by solving the equations of the tight patterns.

    A determined price is a combination of costs and undetermined prices with fractions as coefficients. If ratings
    are missing, only the prices of the raters' categories are solved for, from the differences between patterns of the
    same set of raters. The price of the set is left at zero; it follows from the least reduced cost of the set.
    """
    n_raters, k = problem.objective.table.n_raters, problem.n_labels
    chosen_codes = patterns[:, :n_raters]
    rated = chosen_codes < k
    rows = np.zeros((len(patterns), n_raters * k), dtype=np.int64)  # row of a pattern: 1 at each of its prices
    where = np.nonzero(rated)
    rows[where[0], where[1] * k + chosen_codes[rated]] = 1
    costs = problem.costs(patterns)
    if not problem.objective.table.complete:
        _, reference, own = np.unique(patterns[:, -1], return_index=True, return_inverse=True)
        rows, costs = rows - rows[reference[own.ravel()]], costs - costs[reference[own.ravel()]]
    chosen, pivots = independent_rows(rows, rows.shape[1] - n_raters + 1)
    open_ones = np.setdiff1d(np.arange(rows.shape[1]), pivots)
    square, rest, costs = rows[chosen][:, pivots], rows[chosen][:, open_ones], costs[chosen]
    if magnitude(costs) > _LARGEST_COST:
        return None
    found = solved_in_fractions(square, np.hstack([costs, rest]).astype(np.int64))
    if found is None:
        return None
    whole, denominator = found
    n_roots = len(problem.roots)
    own_prices = _rounded(problem, real[:n_raters, :k]).reshape(-1, n_roots) * denominator
    shift = whole[:, n_roots:] @ (own_prices[open_ones] // denominator)
    own_prices[pivots] = whole[:, :n_roots] * PRICE_DENOMINATOR - shift
    numerators = np.zeros((*real.shape, n_roots), dtype=object)
    numerators[:n_raters, :k] = own_prices.reshape(n_raters, k, n_roots)
    return Prices(_narrowed(numerators), PRICE_DENOMINATOR * denominator)


def _narrowed(numerators: Array) -> Array:
    """Return the numerators as 64-bit integers where these suffice."""
    return widen(numerators, magnitude(numerators))
