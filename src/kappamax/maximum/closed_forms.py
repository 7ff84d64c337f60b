"""Find an optimal table and its prices without a solver, in the cases that have a formula.

Equal margins: the diagonal. Monge weights: every rater's ratings sorted and matched in order. Three raters, unweighted:
triples first, then pairs.
"""

from __future__ import annotations

import numpy as np

from kappamax._integers import magnitude, widen
from kappamax._typing import Array, Codes, Integers
from kappamax.maximum.price_bounds import certified
from kappamax.maximum.problem import CompleteProblem
from kappamax.maximum.solution import Prices, Solution, zero_prices


def diagonal(problem: CompleteProblem) -> Solution:
    """Raters with equal margins can agree on every subject; prices of zero prove it."""
    used = np.flatnonzero(problem.margins[0])
    patterns = np.repeat(used[:, None], problem.n_raters, axis=1).astype(np.int32)
    return certified(problem, patterns, problem.margins[0][used], zero_prices(problem), "diagonal")


def comonotone(problem: CompleteProblem) -> Solution:
    """Sorted ratings matched in order minimise every pair's disagreement at once if the weights are Monge.

    The prices are the sums over pairs of the pair's own prices, which follow the staircase of matched ratings.
    """
    patterns, counts = comonotone_table(problem.margins)
    largest = max(magnitude(entries) for _, _, entries in problem.entries)
    numerators = widen(zero_prices(problem).numerators, 4 * largest * problem.n_categories * problem.n_raters)
    for a, b, entries in problem.entries:
        first, second = _staircase_prices(entries, problem.margins[a], problem.margins[b])
        numerators[a] += first
        numerators[b] += second
    return certified(problem, patterns, counts, Prices(numerators), "sorted ratings")


def reversed_order(problem: CompleteProblem) -> Solution:
    """Two raters, Monge weights, most disagreement: one rater's highest ratings meet the other's lowest."""
    turned = problem.margins.copy()
    turned[1] = turned[1][::-1]
    patterns, counts = comonotone_table(turned)
    patterns[:, 1] = problem.n_categories - 1 - patterns[:, 1]
    ((_, _, entries),) = problem.entries
    first, second = _staircase_prices(entries[:, ::-1], turned[0], turned[1])
    prices = Prices(np.stack([first, second[::-1]]))
    return certified(problem, patterns, counts, prices, "reversed order")


def three_raters_unweighted(problem: CompleteProblem) -> Solution:
    """With sorted counts a <= b <= c of each category, at most 2 sum(a) + min(N, sum(b)) pairs can agree.

    Triples take a of every category; then two raters agree on what is left of b while the third says something else.
    Prices, in agreeing pairs: 2 for each category's rarest rater, and 1 for its middle one or else 1 per subject.
    """
    margins, n = problem.margins, problem.n_subjects
    order = np.argsort(margins, axis=0, kind="stable")  # for each category its raters from rarest to most frequent
    ranked = np.take_along_axis(margins, order, axis=0)
    patterns, counts = _triples_and_pairs(margins, order, ranked)
    unit = int(problem.costs(np.array([[0, 1, 1]], dtype=np.int32))[0, 0]) // 2  # cost of one disagreeing pair
    worth = np.zeros(margins.shape, dtype=np.int64)
    categories = np.arange(problem.n_categories)
    worth[order[0], categories] += 2
    if ranked[1].sum() <= n:
        worth[order[1], categories] += 1
    else:
        worth[0] += 1
    worth = -worth
    worth[0] += 3  # a subject has three pairs, so cost = 3 - agreeing pairs
    return certified(problem, patterns, counts, Prices((unit * worth)[:, :, None]), "triples, then pairs")


def comonotone_table(margins: Array) -> tuple[Codes, Integers]:
    """Return patterns and counts when every rater's ratings are sorted and matched in order."""
    ends = np.cumsum(margins, axis=1)
    sorted_ends = np.sort(ends, axis=None)
    steps = np.diff(sorted_ends, prepend=0)
    counts = steps[steps > 0]
    patterns = np.empty((len(counts), len(margins)), dtype=np.int32)
    for rater, own in enumerate(ends):
        patterns[:, rater] = own.searchsorted(sorted_ends[steps > 0], side="left")
    return patterns, counts


def _staircase_prices(entries: Array, rows: Array, columns: Array) -> tuple[Array, Array]:
    """Prices that are exact along the staircase of matched categories, also across its corners.

    Going down from row i to i + 1 happens at one column and changes the row price by what the entry changes there;
    going right from column j to j + 1 likewise.
    """
    k = len(rows)
    row_ends, column_ends = np.cumsum(rows)[:-1], np.cumsum(columns)[:-1]
    at_column = np.searchsorted(column_ends, row_ends, side="left")
    at_row = np.searchsorted(row_ends, column_ends, side="right")
    step = np.arange(k - 1)
    first, second = np.zeros_like(entries[:, 0]), np.zeros_like(entries[0])
    first[1:] = np.cumsum(entries[step + 1, at_column] - entries[step, at_column], axis=0)
    second[1:] = np.cumsum(entries[at_row, step + 1] - entries[at_row, step], axis=0)
    return first, second + entries[0, 0]


def _triples_and_pairs(margins: Array, order: Array, ranked: Array) -> tuple[Codes, Integers]:
    """A table that reaches the bound of `three_raters_unweighted`."""
    left = margins - ranked[0]
    rows = [([i, i, i], int(count)) for i, count in enumerate(ranked[0]) if count]
    room = int(left[0].sum())
    waiting: list[tuple[int, int, int, int]] = []  # raters p and q agree on i, so often
    for i in range(margins.shape[1]):
        take = min(room, int(ranked[1, i] - ranked[0, i]))
        if take:
            p, q = int(order[1, i]), int(order[2, i])
            left[[p, q], i] -= take
            room -= take
            waiting.append((p, q, i, take))
    spare = [[(i, int(count)) for i, count in enumerate(left[rater]) if count] for rater in range(3)]
    for p, q, i, count in waiting:
        odd = 3 - p - q
        for category, times in _draw(spare[odd], count):
            pattern = [i, i, i]
            pattern[odd] = category
            rows.append((pattern, times))
    while spare[0]:
        times = min(stack[-1][1] for stack in spare)
        rows.append(([_draw(stack, times)[0][0] for stack in spare], times))
    return np.array([pattern for pattern, _ in rows], dtype=np.int32), np.array([times for _, times in rows])


def _draw(stack: list[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Take so many ratings off a stack of (category, times)."""
    drawn = []
    while count:
        category, times = stack.pop()
        if times > count:
            stack.append((category, times - count))
            times = count
        drawn.append((category, times))
        count -= times
    return drawn
