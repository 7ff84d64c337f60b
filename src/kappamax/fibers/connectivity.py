"""Determine whether moves connect all tables that share the observed score.

Basic moves connect a fiber, but the basic moves that preserve a score may not connect the tables that share it.
Excursions are therefore allowed: an excursion is a sequence of a few moves that may leave the score but must return to
it. A breadth-first search finds the tables that excursions of a given length reach, and their number is compared with
the exact number of tables that have the score.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from kappamax._integers import Digits
from kappamax._result import Result
from kappamax.disagreement.objective import Objective
from kappamax.fibers.joint_distribution import same_value
from kappamax.fibers.limits import require_few_cells
from kappamax.fibers.markov_basis import basic_moves
from kappamax.patterns import patterns_at

VISITED_TABLES = 100_000


def level_set_of(objective: Objective, *, excursion: int, memory_limit: float) -> LevelSet:
    """Return the number of tables that share the observed score and the number of them that excursions reach.

    Parameters
    ----------
    objective : Objective
        Objective of the observed table.
    excursion : int
        Maximum number of moves in an excursion. Lengths 1, 2, ... are tried until all tables are reached.
    memory_limit : float
        Number of bytes that counting may use.

    Returns
    -------
    LevelSet

    Raises
    ------
    NotSupportedError
        If ratings are missing, the weights are not exact, or the tables are too many to count within the memory limit.
    """
    n_tables = same_value(objective, memory_limit=memory_limit).n_tables
    table = objective.table
    require_few_cells(table.n_categories, table.n_raters)
    for length in range(1, excursion + 1):
        n_reached, finished = _visit(objective, length)
        if n_reached == n_tables or not finished:
            break
    connected = True if n_reached == n_tables else False if finished else None
    return LevelSet(objective.weights.name, n_tables, n_reached, connected, length, _data=table.data)


@dataclass(frozen=True, repr=False)
class LevelSet(Result):
    """The tables that share the observed value of a coefficient, and whether moves connect them.

    Attributes
    ----------
    weights : str
        Name of the weights of the coefficient.
    n_tables : int
        Number of tables that share the observed value.
    n_reached : int
        Number of these tables that can be reached from the observed table by excursions of at most `excursion` moves.
    connected : bool or None
        Whether all of them were reached. None if the search visited 100,000 tables and stopped before it was complete.
    excursion : int
        Smallest excursion length that reaches all of them or, if none does, the largest length that was tried.
    """

    weights: str
    n_tables: int
    n_reached: int
    connected: bool | None
    excursion: int


def _visit(objective: Objective, excursion: int) -> tuple[int, bool]:
    """Return how many tables with the observed score are reached, and whether the search was completed."""
    table = objective.table
    plus, minus = basic_moves(table.n_categories, table.n_raters).arrays()
    cells = patterns_at(np.arange(table.n_categories**table.n_raters), (table.n_categories,) * table.n_raters)
    scores = Digits(objective.scores(cells), table.n_subjects)
    start = table.dense().ravel()
    observed = scores.weighted(start)
    away = {start.tobytes(): 0}  # for every visited table, the fewest moves since a table with the observed score
    queue = deque([start])
    n_reached = 1
    while queue:
        if len(away) > VISITED_TABLES:
            return n_reached, False
        here = queue.popleft()
        steps = away[here.tobytes()]
        able = np.flatnonzero((here[minus] > 0).all(axis=1))
        there = np.repeat(here[None], len(able), axis=0)
        rows = np.arange(len(able))[:, None]
        there[rows, plus[able]] += 1
        there[rows, minus[able]] -= 1
        home = (scores.weighted(there) == observed).all(axis=1)
        for reached, back in zip(there, home.tolist(), strict=True):
            now = 0 if back else steps + 1
            if now >= excursion:
                continue
            key = reached.tobytes()
            before = away.get(key)
            if before is None or now < before:
                away[key] = now
                queue.append(reached)
                n_reached += back and before is None
    return n_reached, True
