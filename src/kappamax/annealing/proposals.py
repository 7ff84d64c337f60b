"""A search's settings and a generator in; a table that steps change, by the one proposal or the other, out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kappamax.annealing.diagonal_sweep import sweep_counts, sweep_rows
from kappamax.annealing.move_walk import MoveWalk, Neighbours
from kappamax.annealing.schedules import Schedule, Stopping
from kappamax.disagreement.objective import Objective
from kappamax.fibers.markov_basis import MoveSet
from kappamax.fibers.swap_walk import SwapWalk

__all__ = ["SWAP_STEPS", "Search", "proposal_for"]

SWAP_STEPS = 10_000_000
_COLDEST = 1e-280


@dataclass(frozen=True)
class Search:
    """Everything about a search but its randomness."""

    objective: Objective
    proposal: str
    moves: MoveSet
    schedule: Schedule
    unit: str
    stopping: Stopping
    max_steps: int | None
    sweep: str
    trace: int | None

    @property
    def n_moves(self) -> int:
        """What a step draws from."""
        table = self.objective.table
        if self.proposal == "moves":
            return self.moves.n_moves
        return int(table.n_raters * table.n_subjects * (table.n_subjects - 1) // 2)

    @property
    def patience(self) -> int:
        """Steps without success after which to stop."""
        return self.stopping.patience_for(self.n_moves)

    @property
    def limit(self) -> int | None:
        """Steps after which to stop in any case."""
        own = self.max_steps
        if own is None and self.proposal == "swaps" and self.stopping.limit is None:
            own = SWAP_STEPS
        limits = [limit for limit in (own, self.stopping.limit) if limit is not None]
        return min(limits, default=None)

    def temperatures(self, first: int, n: int) -> Any:
        """Of some steps, in counts."""
        scale = self.objective.table.n_subjects if self.unit == "proportions" else 1
        return self.schedule.temperatures(first, n) * scale


def proposal_for(search: Search, rng: np.random.Generator) -> ByMoves | BySwaps:
    """The proposal a search asks for."""
    return ByMoves(search, rng) if search.proposal == "moves" else BySwaps(search, rng)


class ByMoves:
    """The paper's proposal."""

    def __init__(self, search: Search, rng: np.random.Generator) -> None:
        self.search = search
        self.neighbours = Neighbours(search.objective, search.moves)
        counts = search.objective.table.dense().ravel()
        expected = min(search.limit or np.inf, 2.0 * search.patience or np.inf)
        self.walk = MoveWalk(self.neighbours, counts, rng, work=expected)

    @property
    def stale(self) -> int:
        """Steps since the last success."""
        return self.walk.stale

    def advance(self, temperatures: Any) -> tuple[int, int]:
        """One step per temperature in counts, until patience runs out; steps taken and those that changed the table."""
        by_agreement = self.search.stopping.by_agreement
        return self.walk.advance(temperatures, patience=self.search.patience, by_agreement=by_agreement)

    def sweep(self) -> int:
        """Make the diagonal moves; how many."""
        made = sweep_counts(self.walk.counts[None], self.neighbours.diagonal(), self.search.sweep)
        return int(made[0])

    def table(self) -> tuple[Any, Any]:
        """Patterns and counts."""
        kept = self.walk.counts > 0
        return self.neighbours.patterns[kept], self.walk.counts[kept]


class BySwaps:
    """Swaps between two subjects."""

    def __init__(self, search: Search, rng: np.random.Generator) -> None:
        self.search, self.rng = search, rng
        self.walker = SwapWalk(search.objective)

    @property
    def stale(self) -> int:
        """Steps since the last success."""
        return self.walker.stale

    def advance(self, temperatures: Any) -> tuple[int, int]:
        """One step per temperature in counts, until patience runs out; steps taken and those that changed the table."""
        coldness = np.maximum(temperatures, _COLDEST)
        np.reciprocal(coldness, out=coldness)
        by_agreement = self.search.stopping.by_agreement
        _, taken, changed = self.walker.advance(
            self.rng, coldness, patience=self.search.patience, thin=len(coldness), by_score=by_agreement
        )
        return taken, changed

    def sweep(self) -> int:
        """Make the diagonal moves; how many."""
        return sweep_rows(self.walker.codes, self.search.sweep)

    def table(self) -> tuple[Any, Any]:
        """Patterns and counts."""
        return self.walker.codes, np.ones(len(self.walker.codes), dtype=np.int64)
