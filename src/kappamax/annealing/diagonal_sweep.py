"""Make every diagonal move that applies to a table: the last step of the paper's algorithm.

A move with two +1 on the main diagonal takes its -1 from two patterns off it, so for weights with zeros on the diagonal
only it never lowers agreement (lemmas 1 and 2). Each pattern off the diagonal belongs to at most one such move per
basis, so the order in which they are made does not matter.
"""

from __future__ import annotations

import numpy as np

from kappamax._typing import Array, Integers
from kappamax.patterns import MISSING

SWEEPS = ("once", "all", "none")


def sweep_counts(counts: Integers, cells: Array, sweep: str) -> Integers:
    """Make diagonal moves in flattened tables, in place; how many were made in each.

    Parameters
    ----------
    counts : integers, shape (n, k^r)
    cells : integers, shape (n_moves, 4)
        Plus and minus cells of the diagonal moves.
    sweep : "once", "all" or "none"
        Each move at most once, as in the pseudo-code, or until none applies.
    """
    times = np.minimum(counts[:, cells[:, 2]], counts[:, cells[:, 3]])
    if sweep != "all":
        times = times.clip(max=int(sweep == "once"))
    rows = np.arange(len(counts))[:, None]
    for column, sign in enumerate((1, 1, -1, -1)):
        np.add.at(counts, (rows, cells[:, column]), sign * times)
    return np.asarray(times.sum(axis=1))


def sweep_rows(codes: Integers, sweep: str) -> int:
    """Make all basic diagonal moves in one row of codes per subject, in place; how many were made.

    Two subjects can both be brought to the diagonal when the ratings of each are two categories i and j, and wherever
    one has i the other has j.
    """
    if sweep == "none":
        return 0
    low, high = codes.min(axis=1), codes.max(axis=1)
    two = (low != MISSING) & (low < high) & ((codes == low[:, None]) | (codes == high[:, None])).all(axis=1)
    waiting: dict[bytes, list[int]] = {}
    done: set[bytes] = set()
    made = 0
    for subject in np.flatnonzero(two).tolist():
        i, j = low[subject], high[subject]
        own, opposite = codes[subject].tobytes(), (i + j - codes[subject]).tobytes()
        partners = waiting.get(opposite)
        if partners and not (sweep == "once" and opposite in done):
            codes[partners.pop()], codes[subject] = i, j
            done |= {own, opposite}
            made += 1
        else:
            waiting.setdefault(own, []).append(subject)
    return made
