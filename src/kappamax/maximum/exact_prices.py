"""Make prices in doubles exact, so that the patterns they should make tight are tight.

An optimal vertex of the prices is fixed by the patterns whose cost it meets exactly. For two raters those patterns form
a forest, along which prices follow by exact addition. For more raters the equations have entries 0 and 1: they are
solved in doubles, rounded to a small denominator and checked exactly. Prices that no equation fixes keep their rounded
doubles. Nothing here is trusted: the certificate checks the result.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kappamax._integers import magnitude, widen
from kappamax._typing import Array
from kappamax.maximum.price_bounds import certified, real_reduced_costs
from kappamax.maximum.problem import Problem, Watch
from kappamax.maximum.solution import Prices, Solution, zero_prices

_TOLERANCES = (1e-11, 1e-9, 1e-7)
_PRIME = 1_048_573  # products of residues and sums of a thousand of them stay below 2^63
_DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 12, 24, 60)
PRICE_DENOMINATOR = 2**40  # of prices that are rounded from doubles


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
    """Return a solution with exact prices near given doubles: the best bound among a few ways of making them exact.

    Parameters
    ----------
    patterns, counts : arrays
        The table.
    real : array, shape (r, k)
        Optimal prices up to rounding.
    tight : array, shape (m, r)
        Patterns that may have reduced cost zero.
    support : array, shape (s, r)
        Patterns that must have it, because an optimal solution of the linear program uses them.
    """
    best: Solution | None = None
    for prices in _candidates(problem, real, tight, support):
        solution = certified(problem, patterns, counts, prices, method, watch)
        if best is None or solution.bound > best.bound:
            best = solution
        if best.proven:
            break
    assert best is not None
    if best.proven or watch is None or watch.deadline is None:
        return best
    zero = certified(
        problem, patterns, counts, zero_prices(problem), method, Watch(0)
    )  # often better after little time
    return max(best, zero, key=lambda one: one.bound)


def _candidates(problem: Problem, real: Array, tight: Array, support: Array) -> Iterator[Prices]:
    """Exact prices by ever looser ideas of what is tight; at last the doubles themselves, rounded."""
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
    yield Prices(_rounded(problem, real), PRICE_DENOMINATOR)


def _rounded(problem: Problem, real: Array) -> Array:
    """Numerators over 2^40 of prices in doubles, as multiples of the first root."""
    numerators = np.zeros((*real.shape, len(problem.roots)), dtype=object)
    numerators[:, :, 0] = [
        [round(value * PRICE_DENOMINATOR) for value in row] for row in (real / problem.roots[0]).tolist()
    ]
    return numerators


def _along_forest(problem: Problem, real: Array, patterns: Array) -> Prices | None:
    """Two raters: each tight pattern fixes the price at one end by that at the other."""
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
    """The first patterns that are linearly independent: edges between rows and columns that close no circle."""
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
    """Several raters: fixed prices as whole combinations of costs and open prices, over a small denominator."""
    n_patterns, r = patterns.shape
    rows = np.zeros((n_patterns, problem.margins.size), dtype=np.int64)  # per pattern: ones at its raters' prices
    rows[np.arange(n_patterns)[:, None], patterns + problem.n_categories * np.arange(r)] = 1
    chosen, pivots = _independent(rows, rows.shape[1] - r + 1)
    open_ones = np.setdiff1d(np.arange(rows.shape[1]), pivots)
    square, rest = rows[chosen][:, pivots], rows[chosen][:, open_ones]
    costs = problem.costs(patterns[chosen])
    right = np.hstack([costs.astype(float), rest.astype(float)])
    doubles = np.linalg.solve(square.astype(float), right)
    for denominator in _DENOMINATORS:
        scaled = np.rint(doubles * denominator)
        if np.abs(scaled).max(initial=0) < 2**40 and np.abs(doubles * denominator - scaled).max(initial=0) < 1e-3:
            break
    else:
        return None
    whole = scaled.astype(np.int64)
    exact = np.hstack([costs, rest]).astype(np.int64) * denominator
    if not (square @ whole == exact).all():
        return None
    n_roots = len(problem.roots)
    numerators = _rounded(problem, real).reshape(-1, n_roots) * denominator
    shift = whole[:, n_roots:].astype(object) @ (numerators[open_ones] // denominator)
    numerators[pivots] = whole[:, :n_roots].astype(object) * PRICE_DENOMINATOR - shift
    return Prices(_narrowed(numerators.reshape(*real.shape, n_roots)), PRICE_DENOMINATOR * denominator)


def _independent(rows: Array, rank: int) -> tuple[list[int], list[int]]:
    """The first rows that are linearly independent and a pivot column for each, by elimination modulo a prime."""
    basis = np.zeros((0, rows.shape[1]), dtype=np.int64)
    pivots: list[int] = []
    chosen: list[int] = []
    for position, row in enumerate(rows):
        rest = (row - row[pivots] @ basis) % _PRIME if pivots else row
        where = np.flatnonzero(rest)
        if len(where) == 0:
            continue
        rest = rest * pow(int(rest[where[0]]), -1, _PRIME) % _PRIME
        if pivots:
            basis = (basis - basis[:, [where[0]]] * rest) % _PRIME
        basis = np.vstack([basis, rest])
        pivots.append(int(where[0]))
        chosen.append(position)
        if len(chosen) == rank:
            break
    return chosen, pivots


def _narrowed(numerators: Array) -> Array:
    """64-bit integers where they suffice."""
    return widen(numerators, magnitude(numerators))
