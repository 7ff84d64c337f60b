"""Find the table of greatest disagreement if the weights are distances along a tree of categories.

Unweighted and linear disagreement, with any positions, are such distances: u[i, j] is the sum of the lengths of the
edges between categories i and j. An edge splits the categories into two sets. If h of the r raters choose a category of
one of the sets, the edge adds its length times h (r - h) to the disagreement of the subject. This is concave in h, so
the total is greatest if h is the same for all subjects up to one, that is, q or q + 1 with q = floor(H / N), where H is
the number of ratings in the set.

Such a table exists, for all edges at once. The margins divided by N are a flow from raters through categories and along
the tree in which every edge carries between q and q + 1. Flows with whole bounds are averages of whole flows with the
same bounds, and a whole flow is a pattern. The table is built from such patterns: each is used as often as the rest of
the margins allows, after which at least one more bound is tight. docs/theory.md contains the proof.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kappamax._integers import widen
from kappamax._rootsum import RootSum
from kappamax._typing import Array, Codes, Integers
from kappamax.maximum.price_bounds import certified
from kappamax.maximum.problem import CompleteProblem
from kappamax.maximum.solution import Prices, Solution

NAME = "balanced categories"
_MOST_WORK = 300_000_000  # number of flows times their number of edges above which other methods are used


class Edges(NamedTuple):
    """Lengths of the edges of a tree of categories, in half units.

    The tree is a path with a node for every category, and each category hangs on its node.

    Attributes
    ----------
    own : array of whole numbers, shape (k,)
        Length of the edge between each category and its node on the path.
    path : array of whole numbers, shape (k - 1,)
        Length of the edge between neighbouring nodes of the path.
    """

    own: Array
    path: Array


def tree_of(costs: Array) -> Edges | None:
    """Return the tree along which a symmetric matrix of whole numbers measures distances, or None if there is none.

    Only trees of the form that `Edges` describes, with the categories in their order, are found.
    """
    k = len(costs)
    twice = 2 * costs.astype(object)
    own, path = np.zeros(k, dtype=object), np.zeros(k - 1, dtype=object)
    own[1:-1] = [(twice[0, i] + twice[i, -1] - twice[0, -1]) // 2 for i in range(1, k - 1)]
    path[:] = [twice[i, i + 1] - own[i] - own[i + 1] for i in range(k - 1)]
    at = np.concatenate([[0], np.cumsum(path)])
    distances = np.abs(at[:, None] - at[None, :]) + own[:, None] + own[None, :]
    np.fill_diagonal(distances, 0)
    if min(own.min(), path.min(initial=0)) < 0 or (distances != twice).any():
        return None
    return Edges(own, path)


def balanced(problem: CompleteProblem) -> Solution | None:
    """Return the table of greatest disagreement, or None if the weights are not distances along a tree."""
    if len(problem.roots) > 1 or problem.sign == 1 or problem.n_categories < 2:
        return None
    r, k = problem.margins.shape
    if (r + 2) * k * r * k > _MOST_WORK:
        return None
    costs = -problem.entries[0][2][:, :, 0]
    if any(entries is not problem.entries[0][2] for _, _, entries in problem.entries):
        return None
    tree = tree_of(costs)
    if tree is None:
        return None
    prices = _prices(problem, tree)
    patterns, counts = balanced_table(problem.margins, tree)
    return certified(problem, patterns, counts, prices, NAME, lowest=[RootSum()])


def _prices(problem: CompleteProblem, tree: Edges) -> Prices:
    """Return prices under which no pattern has a negative reduced cost.

    For whole h, h (r - h) is at most the line through its values at q and q + 1. The line gives the price of a rating
    in the set; the rest of it is paid once for each subject, with the first rater's rating.
    """
    r, k = problem.margins.shape
    n = problem.n_subjects
    use = problem.margins.astype(object).sum(axis=0)
    numerators = np.zeros((r, k), dtype=object)
    sets = [(length, np.arange(k) == i) for i, length in enumerate(tree.own)]
    sets += [(length, np.arange(k) <= i) for i, length in enumerate(tree.path)]
    for length, members in sets:
        q = int(use[members].sum()) // n
        slope = r - 2 * q - 1
        numerators[:, members] -= length * slope
        numerators[0] -= length * q * (q + 1)
    return Prices(widen(numerators, int(np.abs(numerators).max()))[:, :, None], 2)


def balanced_table(margins: Integers, tree: Edges) -> tuple[Codes, Integers]:
    """Return a table in which every edge of the tree carries the same number of ratings of each subject, up to one."""
    left, n_left = margins.astype(object), int(margins[0].sum())
    r, k = margins.shape
    patterns, counts = [], []
    while n_left:
        by_category = left.sum(axis=0)
        used = np.concatenate([by_category, np.cumsum(by_category)[:-1]])
        low = used // n_left
        high = -(-used // n_left)
        free = np.concatenate([tree.own == 0, tree.path == 0])
        low[free], high[free] = 0, r
        chosen = _whole_flow(left > 0, low.astype(np.int64), high.astype(np.int64))
        carried = np.bincount(chosen, minlength=k)
        carried = np.concatenate([carried, np.cumsum(carried)[:-1]])
        room = [int(n) for n in left[np.arange(r), chosen]]
        for h, total, is_free in zip(carried.tolist(), used.tolist(), free.tolist(), strict=True):
            q, rest = divmod(total, n_left)
            if not is_free and rest:
                room.append(rest if h > q else n_left - rest)
        times = min(room)
        left[np.arange(r), chosen] -= times
        n_left -= times
        patterns.append(chosen)
        counts.append(times)
    return np.array(patterns, dtype=np.int32), np.array(counts, dtype=np.int64)


def _whole_flow(possible: Array, low: Integers, high: Integers) -> Integers:
    """Return a category for every rater such that each edge of the tree carries between `low` and `high` ratings.

    The first k bounds belong to the categories' own edges and the others to the path. A lower bound is met by sending
    it from an additional source to the end of the edge and from its beginning to an additional sink.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    r, k = possible.shape
    rater, category, node = np.arange(r), r + np.arange(k), r + k + np.arange(k)
    source, sink, start, end = r + 2 * k + np.arange(4)
    who, what = np.nonzero(possible)
    begins = np.concatenate([np.full(r, source), rater[who], category, node[:-1], [node[-1], sink]])
    ends = np.concatenate([rater, category[what], node, node[1:], [sink, source]])
    bounds_low = np.concatenate([np.ones(r, dtype=np.int64), np.zeros(len(who), dtype=np.int64), low, [0, 0]])
    bounds_high = np.concatenate([np.ones(r, dtype=np.int64), np.ones(len(who), dtype=np.int64), high, [r, r]])
    due = bounds_low > 0
    begins = np.concatenate([begins, np.full(due.sum(), start), begins[due]])
    ends = np.concatenate([ends, ends[due], np.full(due.sum(), end)])
    room = np.concatenate([bounds_high - bounds_low, bounds_low[due], bounds_low[due]]).astype(np.int32)
    n_nodes = r + 2 * k + 4
    at = begins.astype(np.int32), ends.astype(np.int32)  # scipy before 1.15 supports only int32
    found = maximum_flow(csr_array((room, at), shape=(n_nodes, n_nodes)), start, end)
    assert found.flow_value == bounds_low.sum()  # the margins divided by the number of subjects are such a flow
    flow = found.flow.tocsr()[:r, r : r + k].toarray()
    return np.asarray(flow.argmax(axis=1))
