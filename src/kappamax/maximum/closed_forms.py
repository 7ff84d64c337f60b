"""Construct an optimal table and its prices directly in the cases that have a closed form.

With equal margins, all ratings lie on the diagonal. With Monge weights, every rater's ratings are sorted and matched in
order. For three raters and unweighted disagreement, as many subjects as possible receive three equal ratings, and then
as many as possible receive two.
"""

from __future__ import annotations

import numpy as np

from kappamax._integers import magnitude, widen
from kappamax._rootsum import RootSum
from kappamax._typing import Array, Codes, Integers
from kappamax.maximum.price_bounds import certified
from kappamax.maximum.problem import CompleteProblem
from kappamax.maximum.solution import Prices, Solution, zero_prices


def diagonal(problem: CompleteProblem) -> Solution:
    """Return the table in which raters with equal margins agree on every subject; prices of zero prove it optimal."""
    used = np.flatnonzero(problem.margins[0])
    patterns = np.repeat(used[:, None], problem.n_raters, axis=1).astype(np.int32)
    lowest = [RootSum()]  # no pattern costs less than zero
    return certified(problem, patterns, problem.margins[0][used], zero_prices(problem), "diagonal", lowest=lowest)


def comonotone(problem: CompleteProblem) -> Solution:
    """Return the table of sorted ratings, which minimises the disagreement of every pair if the weights are Monge.

    A rater's price of a category is the sum of the prices that it has in each pair of raters. The prices in a pair
    follow from the staircase of matched categories.
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
    """Return the table of greatest disagreement for two raters and Monge weights.

    The highest ratings of one rater are matched with the lowest ratings of the other.
    """
    turned = problem.margins.copy()
    turned[1] = turned[1][::-1]
    patterns, counts = comonotone_table(turned)
    patterns[:, 1] = problem.n_categories - 1 - patterns[:, 1]
    ((_, _, entries),) = problem.entries
    first, second = _staircase_prices(entries[:, ::-1], turned[0], turned[1])
    prices = Prices(np.stack([first, second[::-1]]))
    return certified(problem, patterns, counts, prices, "reversed order")


def three_raters_unweighted(problem: CompleteProblem) -> Solution:
    """Return the table of least unweighted disagreement for three raters.

    For each category, let a <= b <= c be the numbers of times that the three raters used it. At most
    2 sum(a) + min(N, sum(b)) pairs can agree. The table attains this number: in each category, all three raters agree
    on a subjects, and two raters agree on up to b - a others, as long as subjects remain. In units of agreeing pairs,
    the price of a category is 2 for the rater who used it least often and 1 for the rater in the middle. If sum(b)
    exceeds N, a price of 1 for every subject replaces the prices of the rater in the middle.
    """
    margins, n = problem.margins, problem.n_subjects
    order = np.argsort(margins, axis=0, kind="stable")  # for each category, raters by increasing use of it
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
    """Return the patterns and counts that result from sorting every rater's ratings and matching them in order."""
    ends = np.cumsum(margins, axis=1)
    sorted_ends = np.sort(ends, axis=None)
    steps = np.diff(sorted_ends, prepend=0)
    counts = steps[steps > 0]
    patterns = np.empty((len(counts), len(margins)), dtype=np.int32)
    for rater, own in enumerate(ends):
        patterns[:, rater] = own.searchsorted(sorted_ends[steps > 0], side="left")
    return patterns, counts


def _staircase_prices(entries: Array, rows: Array, columns: Array) -> tuple[Array, Array]:
    """Return prices whose sums equal the entries along the staircase of matched categories, including its corners.

    The staircase passes from row i to row i + 1 in one column, and the row price changes by the difference of the
    entries in that column. Column prices follow in the same way.
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
    """Return a table that attains the number of agreeing pairs given in `three_raters_unweighted`."""
    left = margins - ranked[0]
    rows = [([i, i, i], int(count)) for i, count in enumerate(ranked[0]) if count]
    room = int(left[0].sum())
    waiting: list[tuple[int, int, int, int]] = []  # (p, q, i, n): raters p and q agree on category i for n subjects
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
    """Remove `count` ratings from a stack of (category, times) and return them."""
    drawn = []
    while count:
        category, times = stack.pop()
        if times > count:
            stack.append((category, times - count))
            times = count
        drawn.append((category, times))
        count -= times
    return drawn
