"""Walk through a fiber by moves drawn from a Markov basis, the paper's proposal.

A step draws one signed move, all equally likely. It is made if no count falls below zero and, where it lowers
agreement, with probability exp(change / temperature). Changes of agreement are known per move before the walk starts;
whether one is zero is decided exactly.
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
from kappamax.errors import NotSupportedError
from kappamax.fibers.markov_basis import LISTED_MOVES, MoveSet
from kappamax.fibers.swap_walk import UNIFORMS_AT_ONCE

_WORTH_COMPILING = 200_000


def require_listable(moves: MoveSet, n_missing: int = 0) -> None:
    """Require complete ratings and moves that can be listed."""
    if n_missing:
        raise NotSupportedError(
            f"moves are drawn for complete ratings; {n_missing} are missing. proposal='swaps' works with gaps."
        )
    if moves.n_moves > LISTED_MOVES:
        raise NotSupportedError(
            f"drawing moves needs a list of them: there are {float(moves.n_moves):.3g} and the limit is "
            f"{LISTED_MOVES:,}. proposal='swaps' works for any design."
        )


class Neighbours:
    """The moves of a set as arrays, with what each does to agreement under an objective.

    Attributes
    ----------
    cells : integers, shape (n_moves, 4)
        The two plus and the two minus cells of the flattened table.
    gains : floats, shape (n_moves,)
        Change of agreement in counts (mean over pairs of raters, summed over subjects), zero exactly where it is.
    scores : integers, shape (k^r, number of radicands)
        The exact score of each cell.
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
        # scores lie between 0 and 2^62 where they are int64, so sums of two and their difference fit
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
        """How many signed moves there are to draw from."""
        return len(self.cells)

    def diagonal(self) -> Codes:
        """The cells of moves with two +1 on the main diagonal, shape (n, 4)."""
        steps = (len(self.scores) - 1) // (self.shape[0] - 1)  # between two cells of the diagonal
        return np.asarray(self.cells[(self.cells[:, :2] % steps == 0).all(axis=1)])

    def score(self, counts: Array) -> list[int]:
        """The exact score of a flattened table, a number per radicand."""
        return [dot(counts, column) for column in self.scores.T]


class MoveWalk:
    """Counts that drawn moves change.

    Parameters
    ----------
    neighbours : Neighbours
    counts : integers, shape (k^r,)
        Changed in place.
    rng : Generator
        Moves and acceptance are drawn from two generators spawned from it, so a walk is the same however its steps
        are divided into calls.
    work : float
        Steps that are expected in all, over this walk and others like it: whether compiling is worth it.
    """

    def __init__(self, neighbours: Neighbours, counts: Integers, rng: np.random.Generator, *, work: float) -> None:
        self.neighbours = neighbours
        self.counts = counts
        self._drawing, self._accepting = rng.spawn(2)
        self._uniforms = np.zeros(0)
        self._run = kernel(move_walk, work=work, worth=_WORTH_COMPILING)
        self.stale = 0

    def advance(self, temperatures: Array, *, patience: int, by_agreement: bool) -> tuple[int, int]:
        """One step per temperature (in counts); steps taken, fewer if patience ran out, and moves made."""
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
        """Make the diagonal moves of the final step; how many."""
        return int(sweep_counts(self.counts[None], self.neighbours.diagonal(), sweep)[0])

    def table(self) -> tuple[Array, Array]:
        """Patterns and counts."""
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
    """Steps until draws, uniforms or patience run out; compiled by numba for long walks."""
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
                success = gain != 0.0 or not by_agreement  # zero is set exactly
        taken += 1
        stale = 0 if success else stale + 1
        if patience > 0 and stale >= patience:
            break
    return taken, made, used, stale
