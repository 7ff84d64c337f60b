"""Walk through a fiber by moves drawn from a Markov basis, as proposed in the paper.

A step draws one signed move uniformly at random. The move is rejected if a count would fall below zero. Otherwise a
move that does not lower agreement is accepted, and a move that lowers agreement is accepted with probability
exp(change / temperature). The change of agreement of every move is computed before the walk starts, and whether it is
zero is determined exactly.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kappamax._integers import dot
from kappamax._jit import kernel
from kappamax._tolerances import EXP_UNDERFLOW
from kappamax._typing import Array, Codes, Integers
from kappamax.annealing.diagonal_sweep import sweep_counts
from kappamax.annealing.schedules import COLDEST
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import NotSupportedError
from kappamax.fibers.limits import missing_ratings
from kappamax.fibers.markov_basis import LISTED_MOVES, MoveSet
from kappamax.fibers.swap_walk import UNIFORMS_AT_ONCE

_UNCOMPILED_MOVE_WORK = 200_000


def require_listable(moves: MoveSet, n_missing: int = 0) -> None:
    """Require complete ratings and a set of moves that can be listed."""
    if n_missing:
        raise NotSupportedError(
            f"the method 'moves' needs complete ratings, but {missing_ratings(n_missing)}. The method 'swaps' accepts "
            "missing ratings."
        )
    if moves.n_moves > LISTED_MOVES:
        raise NotSupportedError(
            f"the method 'moves' lists all moves and is limited to {LISTED_MOVES:,} of them; there are "
            f"{numbers.rough(moves.n_moves)}. The method 'swaps' works for any number of raters and categories."
        )


class Neighbours:
    """The moves of a set as arrays, with the change of agreement of each move under an objective.

    Parameters
    ----------
    objective : Objective
        Objective of the observed table.
    moves : MoveSet
        Set of moves.

    Attributes
    ----------
    cells : integers, shape (n_moves, 4)
        The two plus cells and the two minus cells of each move, as indices into the flattened table.
    gains : floats, shape (n_moves,)
        Change of agreement of each move, averaged over pairs of raters and summed over subjects. Changes of zero are
        determined exactly.
    scores : integers, shape (k^r, number of radicands)
        Exact score of each cell.
    n_moves : int
        Number of signed moves.
    """

    def __init__(self, objective: Objective, moves: MoveSet) -> None:
        table = objective.table
        self.objective = objective
        self.moves = moves
        self.shape = (table.n_categories,) * table.n_raters
        plus, minus = moves.arrays()
        every = np.stack(np.unravel_index(np.arange(table.n_categories**table.n_raters), self.shape), axis=1)
        self.patterns = every.astype(np.int32)
        self.scores = objective.scores(self.patterns)
        # int64 scores lie between 0 and 2^62, so the sums of two scores and their difference fit into 64 bits
        more = self.scores[plus].sum(axis=1) - self.scores[minus].sum(axis=1)
        roots = np.sqrt(np.array(objective.radicands, dtype=float))
        unit = float(objective.scale * objective.denominator)
        gains = -(more.astype(float) @ roots) / unit
        same = (more == 0).all(axis=1)
        if not objective.weights.exact:
            pairs = table.n_raters * (table.n_raters - 1) / 2
            same |= np.abs(gains) <= objective.weights.tolerance * pairs
        self.gains = np.where(same, 0.0, gains)
        self.cells = np.concatenate([plus, minus], axis=1).astype(np.int32)

    @property
    def n_moves(self) -> int:
        """Number of signed moves."""
        return len(self.cells)

    def diagonal(self) -> Codes:
        """Return the cells of the moves with two +1 on the main diagonal, shape (n, 4)."""
        steps = (len(self.scores) - 1) // (self.shape[0] - 1)  # difference of the indices of adjacent diagonal cells
        return np.asarray(self.cells[(self.cells[:, :2] % steps == 0).all(axis=1)])

    def score(self, counts: Array) -> list[int]:
        """Return the exact score of a flattened table, one integer for each radicand."""
        return [dot(counts, column) for column in self.scores.T]


class MoveWalk:
    """Random walk that changes the counts of a table by moves.

    Parameters
    ----------
    neighbours : Neighbours
        Moves to draw from.
    counts : integers, shape (k^r,)
        Counts of the flattened table, which are changed in place.
    rng : Generator
        Source of randomness. Moves and acceptance are drawn from two generators spawned from it, so the walk does not
        depend on how its steps are divided into calls.
    work : float
        Expected total number of steps of this walk and similar ones, which determines whether the walk is compiled.
    """

    def __init__(self, neighbours: Neighbours, counts: Integers, rng: np.random.Generator, *, work: float) -> None:
        self.neighbours = neighbours
        self.counts = counts
        self._drawing, self._accepting = rng.spawn(2)
        self._uniforms = np.zeros(0)
        self._run = kernel(move_walk, work=work, worth=_UNCOMPILED_MOVE_WORK)
        self.stale = 0

    def advance(self, temperatures: Array, *, patience: int, by_agreement: bool) -> tuple[int, int]:
        """Take one step for each temperature.

        Parameters
        ----------
        temperatures : floats, shape (n_steps,)
            Temperature of each step, in counts.
        patience : int
            Number of consecutive steps without success after which the walk stops. With 0 the walk takes all steps.
        by_agreement : bool
            Whether a step counts as a success if it changes agreement (True) or if it changes the table (False).

        Returns
        -------
        n_taken : int
            Number of steps taken, which is smaller than requested if the patience ran out.
        n_made : int
            Number of moves made.
        """
        near = self.neighbours
        draws = self._drawing.integers(near.n_moves, size=len(temperatures), dtype=np.uint32)
        coldest = np.maximum(temperatures, COLDEST)
        taken = made = 0
        while taken < len(draws) and not (patience and self.stale >= patience):
            steps, moved, used, self.stale = self._run(
                *(self.counts, near.cells, near.gains, draws[taken:], self._uniforms, coldest[taken:]),
                *(patience, by_agreement, self.stale),
            )
            taken, made = taken + int(steps), made + int(moved)
            self._uniforms = self._uniforms[int(used) :]
            if not len(self._uniforms):
                self._uniforms = self._accepting.random(UNIFORMS_AT_ONCE)
        return taken, made

    def sweep(self, sweep: str) -> int:
        """Make the diagonal moves of the final sweep and return their number."""
        return int(sweep_counts(self.counts[None], self.neighbours.diagonal(), sweep)[0])

    def table(self) -> tuple[Array, Array]:
        """Return the patterns and counts of the current table."""
        kept = self.counts > 0
        return self.neighbours.patterns[kept], self.counts[kept]


def move_walk(
    counts: Array,
    cells: Array,
    gains: Array,
    draws: Array,
    uniforms: Array,
    temperatures: Array,
    patience: int,
    by_agreement: bool,
    stale: int,
) -> Any:
    """Take steps until `draws`, `uniforms` or the patience is exhausted.

    This function is compiled by numba for long walks.
    """
    taken, made, used = 0, 0, 0
    for step in range(len(draws)):
        move = draws[step]
        success = False
        if counts[cells[move, 2]] > 0 and counts[cells[move, 3]] > 0:
            gain = gains[move]
            accepted = gain >= 0.0
            if not accepted:
                exponent = gain / temperatures[step]
                if exponent > EXP_UNDERFLOW:
                    if used == len(uniforms):
                        break
                    accepted = math.exp(exponent) > uniforms[used]
                    used += 1
            if accepted:
                counts[cells[move, 0]] += 1
                counts[cells[move, 1]] += 1
                counts[cells[move, 2]] -= 1
                counts[cells[move, 3]] -= 1
                made += 1
                success = gain != 0.0 or not by_agreement  # gains of zero are exact, see `Neighbours`
        taken += 1
        stale = 0 if success else stale + 1
        if patience > 0 and stale >= patience:
            break
    return taken, made, used, stale
