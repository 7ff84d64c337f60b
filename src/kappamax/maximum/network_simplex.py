"""Solve the transportation problem exactly by the simplex method for networks.

A basis is a spanning tree of the rows and columns, whose edges are the cells of the basis. Every node but the root has
a parent and the count of the cell between the two. The prices of the rows and columns follow from the tree, since a
cell of the basis has reduced cost zero. A pivot adds a cell whose reduced cost is negative, changes the counts along
the cycle that this cell closes, and removes the cell of the cycle whose count becomes zero first.

Pivots that change no count could repeat forever. A perturbation excludes them: every row has one unit of an infinitely
small amount more, and the last column has as many of these units as there are rows. If all totals are positive, no
count of a basis is then zero, and every pivot lowers the cost. A count is therefore stored with its small units.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kappamax._jit import kernel
from kappamax._typing import Array, Integers

_UNCOMPILED_CELLS = 400  # cells up to which plain Python is faster than importing numba


def cheapest_table(
    costs: Array, rows: Integers, columns: Integers, repetitions: int, stopped: Callable[[], bool] | None = None
) -> tuple[Array, Array]:
    """Return a table of least cost and the prices of its columns, for integer costs and positive totals.

    `repetitions` is the number of similar problems that the caller is going to solve. `CompilationStopped` is raised if
    `stopped` returns true before the functions are compiled.
    """
    k, m = costs.shape
    parent, depth = np.full(k + m, -1, dtype=np.int64), np.zeros(k + m, dtype=np.int64)
    counts, prices = np.zeros((k + m, 2), dtype=np.int64), np.zeros(k + m, dtype=costs.dtype)
    work = 0 if costs.dtype == object else costs.size * repetitions  # Python integers are not compiled
    for step in (_first_tree, _pivots):
        run = kernel(step, work=work, worth=_UNCOMPILED_CELLS, stopped=stopped)
        run(costs, rows, columns, parent, depth, counts, prices)
    table = np.zeros((k, m), dtype=np.int64)
    node = np.flatnonzero(parent >= 0)
    table[np.minimum(node, parent[node]), np.maximum(node, parent[node]) - k] = counts[node, 0]
    return table, prices[k:]


# The functions below are compiled by numba. Nodes are the rows 0, ..., k - 1 and the columns k, ..., k + m - 1.


def _first_tree(costs, rows, columns, parent, depth, counts, prices):  # type: ignore[no-untyped-def]
    """Fill the cheapest cells of one row after the other, and make the filled cells a tree.

    The parent of a row or column is the one that it shares the last of its total with. The root is the last column.
    """
    k, m = costs.shape
    left = np.zeros((m, 2), dtype=np.int64)
    left[:, 0] = columns
    left[-1, 1] = k
    order, n_filled = np.zeros(k + m, dtype=np.int64), 0
    open_columns = np.ones(m, dtype=np.bool_)
    for i in range(k):
        total, units = rows[i], 1
        for j in np.argsort(costs[i], kind="mergesort"):  # equal costs in order, compiled or not
            if not open_columns[j]:
                continue
            if total < left[j, 0] or (total == left[j, 0] and units <= left[j, 1]):
                left[j, 0] -= total
                left[j, 1] -= units
                parent[i] = k + j
                counts[i, 0], counts[i, 1] = total, units
                order[n_filled] = i
                n_filled += 1
                break
            total -= left[j, 0]
            units -= left[j, 1]
            open_columns[j] = False
            parent[k + j] = i
            counts[k + j, 0], counts[k + j, 1] = left[j]
            order[n_filled] = k + j
            n_filled += 1
    for at in range(n_filled - 1, -1, -1):
        node = order[at]
        up = parent[node]
        depth[node] = depth[up] + 1
        prices[node] = costs[min(node, up), max(node, up) - k] - prices[up]


def _pivots(costs, rows, columns, parent, depth, counts, prices):  # type: ignore[no-untyped-def]
    """Add a cell of negative reduced cost to the basis for as long as there is one."""
    k, m = costs.shape
    u, v = prices[:k], prices[k:]
    # the children of a node: the first, and for each of them the next and the previous
    first, following, previous = np.full(k + m, -1), np.full(k + m, -1), np.full(k + m, -1)
    for node in range(k + m):
        up = parent[node]
        if up >= 0:
            if first[up] >= 0:
                previous[first[up]] = node
            following[node], first[up] = first[up], node
    stack = np.zeros(k + m, dtype=np.int64)
    row, n_optimal = 0, 0
    while n_optimal < k:
        i = row
        row = (row + 1) % k
        reduced = costs[i] - v
        gain = reduced.min() - u[i]
        if gain >= 0:
            n_optimal += 1
            continue
        n_optimal = 0
        j = k + np.argmin(reduced)

        # the cells of the cycle lose and gain in turn: a row on the side of i, and a column on the side of j, lose
        leaving, count, units = -1, 0, 0
        p, q = i, j
        while p != q:
            if depth[p] >= depth[q]:
                node, loses = p, p < k
                p = parent[p]
            else:
                node, loses = q, q >= k
                q = parent[q]
            if loses and (
                leaving < 0 or counts[node, 0] < count or (counts[node, 0] == count and counts[node, 1] < units)
            ):
                leaving, count, units = node, counts[node, 0], counts[node, 1]
        top = p
        for side in range(2):
            node = i if side == 0 else j
            while node != top:
                sign = -1 if (node < k) == (side == 0) else 1
                counts[node, 0] += sign * count
                counts[node, 1] += sign * units
                node = parent[node]

        # hang the part of the tree below the leaving cell from the other end of the new cell
        root, up = (i, j) if leaving < k else (j, i)
        node = root
        while True:
            old, old_count, old_units = parent[node], counts[node, 0], counts[node, 1]
            if previous[node] >= 0:
                following[previous[node]] = following[node]
            else:
                first[old] = following[node]
            if following[node] >= 0:
                previous[following[node]] = previous[node]
            parent[node], counts[node, 0], counts[node, 1] = up, count, units
            previous[node], following[node] = -1, first[up]
            if first[up] >= 0:
                previous[first[up]] = node
            first[up] = node
            if node == leaving:
                break
            up, node, count, units = node, old, old_count, old_units

        # the new cell gets reduced cost zero
        stack[0], size = root, 1
        while size:
            size -= 1
            node = stack[size]
            depth[node] = depth[parent[node]] + 1
            prices[node] += gain if (node < k) == (root < k) else -gain
            node = first[node]
            while node >= 0:
                stack[size] = node
                size += 1
                node = following[node]
