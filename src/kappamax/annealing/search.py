"""Run one annealing search from the observed table, by moves or by swaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kappamax._rootsum import RootSum
from kappamax._typing import Array
from kappamax.annealing.diagonal_sweep import sweep_rows
from kappamax.annealing.move_walk import MoveWalk, Neighbours
from kappamax.annealing.schedules import Schedule, Stopping
from kappamax.annealing.trace import Moment, Trace
from kappamax.disagreement.objective import Objective
from kappamax.errors import Interrupted
from kappamax.fibers.markov_basis import MoveSet
from kappamax.fibers.swap_walk import STEPS_PER_BLOCK, SwapWalk
from kappamax.table import Table

SWAP_STEPS = 10_000_000
_LEAST_TEMPERATURE = 1e-280  # its reciprocal, times any change of score, is finite


@dataclass(frozen=True)
class Search:
    """The settings of a search; see `anneal`."""

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
        """The number of moves, or of swaps by one rater, that a step draws from."""
        table = self.objective.table
        if self.proposal == "moves":
            return self.moves.n_moves
        return int(table.n_raters * table.n_subjects * (table.n_subjects - 1) // 2)

    @property
    def patience(self) -> int:
        """Steps without success after which to stop; 0 for no such rule."""
        return self.stopping.patience_for(self.n_moves)

    @property
    def limit(self) -> int | None:
        """Steps after which to stop in any case."""
        own = self.max_steps
        if own is None and self.proposal == "swaps" and self.stopping.limit is None:
            own = SWAP_STEPS
        return min((limit for limit in (own, self.stopping.limit) if limit is not None), default=None)

    def temperatures(self, first: int, n: int) -> Array:
        """The temperatures of n steps, in counts."""
        scale = self.objective.table.n_subjects if self.unit == "proportions" else 1
        return self.schedule.temperatures(first, n) * scale

    def start(self, rng: np.random.Generator) -> MoveWalk | SwapSearch:
        """The walk that the search takes, at the observed table."""
        if self.proposal == "swaps":
            return SwapSearch(SwapWalk(self.objective, rng))
        counts = self.objective.table.dense().ravel()
        expected = min(self.limit or np.inf, 2.0 * self.patience or np.inf)
        return MoveWalk(Neighbours(self.objective, self.moves), counts, rng, work=expected)


@dataclass(frozen=True)
class SearchEnd:
    """Where one search ended; see `Annealing` for the fields."""

    table: Table
    score: RootSum
    steps: int
    settled: int
    accepted: int
    swept: int
    stopped: str
    trace: Trace | None


def run_search(
    search: Search,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None,
    watch: Callable[[Moment], None] | None,
) -> SearchEnd:
    """Search from the observed table until patience or steps run out, then make the final sweep.

    Raises
    ------
    Interrupted
        On Ctrl-C; `.best` is where the search was.
    """
    walk, objective = search.start(rng), search.objective
    done = accepted = 0
    entries: list[tuple[int, float, float, float]] = []
    patience, limit = search.patience, search.limit
    block = search.trace or STEPS_PER_BLOCK

    def end(stopped: str) -> SearchEnd:
        settled = done - walk.stale
        swept = 0 if stopped == "interrupted" else walk.sweep(search.sweep)
        table = objective.table.like(*walk.table())
        score = Objective(table, objective.weights, objective.coefficient).score
        trace = Trace.of(entries) if entries else None
        return SearchEnd(table, score, done, settled, accepted, swept, stopped, trace)

    try:
        while (limit is None or done < limit) and not (patience and walk.stale >= patience):
            size = block if limit is None else min(block, limit - done)
            temperatures = search.temperatures(done, size)
            taken, made = walk.advance(temperatures, patience=patience, by_agreement=search.stopping.by_agreement)
            done, accepted = done + taken, accepted + made
            if search.trace:
                shown = float(search.schedule.temperatures(done - 1, 1)[0])
                patterns, counts = walk.table()
                score = objective.total(objective.scores(np.asarray(patterns, dtype=np.int32)), counts)
                agreement = 1 - float(objective.observed(score))
                entries.append((done, shown, agreement, made / taken))
                if watch is not None:
                    watch(Moment(*entries[-1], patterns, counts))
            if progress is not None:
                progress(done)
    except KeyboardInterrupt:
        raise Interrupted(end("interrupted")) from None
    return end("stale" if patience and walk.stale >= patience else "max_steps")


@dataclass(frozen=True)
class SwapSearch:
    """A walk by swaps with the interface of `MoveWalk`."""

    walk: SwapWalk

    @property
    def stale(self) -> int:
        """Steps since the last success."""
        return self.walk.stale

    def advance(self, temperatures: Array, *, patience: int, by_agreement: bool) -> tuple[int, int]:
        """Take one step per temperature (in counts); steps taken, fewer if patience ran out, and swaps made."""
        coldness = np.maximum(temperatures, _LEAST_TEMPERATURE)
        np.reciprocal(coldness, out=coldness)
        _, taken, changed = self.walk.advance(coldness, thin=len(coldness), patience=patience, by_score=by_agreement)
        return taken, changed

    def sweep(self, sweep: str) -> int:
        """Make the diagonal moves of the final step; how many."""
        return sweep_rows(self.walk.codes, sweep)

    def table(self) -> tuple[Array, Array]:
        """Patterns and counts."""
        return self.walk.codes, np.ones(len(self.walk.codes), dtype=np.int64)
