"""Make every diagonal move that applies to a table, which is the last step of the paper's algorithm.

A diagonal move has its two +1 on the main diagonal and its two -1 off the diagonal. Since weights are zero on the
diagonal, such a move never lowers agreement (lemmas 1 and 2). Each pattern off the diagonal belongs to at most one such
move of a basis, so the result does not depend on the order of the moves.
"""

from __future__ import annotations

import numpy as np

from kappamax._typing import Array, Integers
from kappamax.patterns import MISSING

SWEEPS = ("once", "all", "none")


def sweep_counts(counts: Integers, cells: Array, sweep: str) -> Integers:
    """Make diagonal moves in flattened tables, in place, and return the number of moves made in each.

    Parameters
    ----------
    counts : integers, shape (n, k^r)
        Counts of n flattened tables, which are changed in place.
    cells : integers, shape (n_moves, 4)
        Plus and minus cells of the diagonal moves.
    sweep : {"once", "all", "none"}
        "once" makes each move at most once, as in the pseudo-code of the paper, "all" makes moves until none applies,
        and "none" makes no moves.

    Returns
    -------
    integers, shape (n,)
        Number of moves made in each table.
    """
    times = np.minimum(counts[:, cells[:, 2]], counts[:, cells[:, 3]])
    if sweep != "all":
        times = times.clip(max=int(sweep == "once"))
    rows = np.arange(len(counts))[:, None]
    for column, sign in enumerate((1, 1, -1, -1)):
        np.add.at(counts, (rows, cells[:, column]), sign * times)
    return np.asarray(times.sum(axis=1))


def sweep_rows(codes: Integers, sweep: str) -> int:
    """Make all basic diagonal moves in ratings given by subject, in place, and return the number of moves made.

    A diagonal move applies to two subjects whose ratings are in two categories i and j if every rater who gave i to one
    of them gave j to the other.

    Parameters
    ----------
    codes : integers, shape (n_subjects, r)
        Ratings of each subject, which are changed in place; -1 is a missing rating.
    sweep : {"once", "all", "none"}
        As for `sweep_counts`.

    Returns
    -------
    int
        Number of moves made.
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
