"""Run one annealing search that starts at the observed table and proposes moves or swaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kappamax._progress import Progress
from kappamax._rootsum import RootSum
from kappamax._typing import Array
from kappamax.annealing.diagonal_sweep import sweep_rows
from kappamax.annealing.methods import AnnealingMethod, MoveMethod
from kappamax.annealing.move_walk import MoveWalk, Neighbours
from kappamax.annealing.trace import Moment, Trace
from kappamax.disagreement.objective import Objective
from kappamax.errors import Interrupted
from kappamax.fibers.markov_basis import MoveSet
from kappamax.fibers.swap_walk import STEPS_PER_BLOCK, SwapWalk
from kappamax.table import Table

_LEAST_TEMPERATURE = 1e-280  # the product of its reciprocal and any change of the score is finite


@dataclass(frozen=True)
class Search:
    """Settings of a search that starts at the observed table.

    Attributes
    ----------
    objective : Objective
        Objective of the observed table.
    method : AnnealingMethod
        Method of the search.
    trace : int or None
        Number of steps between entries of the trace; None if no trace is recorded.
    """

    objective: Objective
    method: AnnealingMethod
    trace: int | None = None

    @property
    def moves(self) -> MoveSet | None:
        """Set of moves that a step draws from; None if the method proposes swaps."""
        table = self.objective.table
        return self.method.move_set(table.n_categories, table.n_raters) if isinstance(self.method, MoveMethod) else None

    @property
    def n_moves(self) -> int:
        """Number of moves, or of swaps by one rater, that a step draws from."""
        table, moves = self.objective.table, self.moves
        if moves is not None:
            return moves.n_moves
        return int(table.n_raters * table.n_subjects * (table.n_subjects - 1) // 2)

    @property
    def patience(self) -> int:
        """Number of steps without success after which the search stops; 0 if there is no such rule."""
        return self.method.stopping.patience_for(self.n_moves)

    def temperatures(self, first: int, n: int) -> Array:
        """Return the temperatures of n steps, starting at step `first`, in counts."""
        scale = self.objective.table.n_subjects if self.method.temperature_unit == "proportions" else 1
        return self.method.schedule.temperatures(first, n) * scale

    def start(self, rng: np.random.Generator) -> MoveWalk | SwapSearch:
        """Return a walk by moves or swaps that starts at the observed table."""
        moves = self.moves
        if moves is None:
            return SwapSearch(SwapWalk(self.objective, rng))
        counts = self.objective.table.dense().ravel()
        expected = min(self.method.limit or np.inf, 2.0 * self.patience or np.inf)
        return MoveWalk(Neighbours(self.objective, moves), counts, rng, work=expected)


@dataclass(frozen=True)
class SearchEnd:
    """Result of one search.

    Attributes
    ----------
    table : Table
        Table at the end of the search.
    score : RootSum
        Exact score of this table.
    steps, settled, accepted, swept, stopped, trace
        See `Annealing`.
    """

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
    progress: Progress | None,
    watch: Callable[[Moment], None] | None,
) -> SearchEnd:
    """Search until the stopping rule or the maximum number of steps ends the search, then make the final sweep.

    Parameters
    ----------
    search : Search
        Settings of the search.
    rng : Generator
        Source of randomness.
    progress : callable or None
        Function that is called as ``progress(done, total, message)`` with the number of steps.
    watch : callable or None
        Function that is called with every entry of the trace, as a `Moment`.

    Returns
    -------
    SearchEnd

    Raises
    ------
    Interrupted
        If Ctrl-C stops the search. The attribute `best` of the exception is the result up to that point, without the
        final sweep.
    """
    walk, objective = search.start(rng), search.objective
    done = accepted = 0
    entries: list[tuple[int, float, float, float]] = []
    method, patience, limit = search.method, search.patience, search.method.limit
    block = search.trace or STEPS_PER_BLOCK

    def end(stopped: str) -> SearchEnd:
        settled = done - walk.stale
        swept = 0 if stopped == "interrupted" else walk.sweep(method.sweep)
        table = objective.table.like(*walk.table())
        score = Objective(table, objective.weights, objective.coefficient).score
        trace = Trace.of(entries) if entries else None
        return SearchEnd(table, score, done, settled, accepted, swept, stopped, trace)

    try:
        while (limit is None or done < limit) and not (patience and walk.stale >= patience):
            size = block if limit is None else min(block, limit - done)
            temperatures = search.temperatures(done, size)
            taken, made = walk.advance(temperatures, patience=patience, by_agreement=method.stopping.by_agreement)
            done, accepted = done + taken, accepted + made
            if search.trace:
                shown = float(method.schedule.temperatures(done - 1, 1)[0])
                patterns, counts = walk.table()
                score = objective.total(objective.scores(np.asarray(patterns, dtype=np.int32)), counts)
                agreement = 1 - float(objective.observed(score))
                entries.append((done, shown, agreement, made / taken))
                if watch is not None:
                    watch(Moment(*entries[-1], patterns, counts))
            if progress is not None:
                progress(done, limit, "annealing")
    except KeyboardInterrupt:
        raise Interrupted(end("interrupted")) from None
    return end("stale" if patience and walk.stale >= patience else "max_steps")


@dataclass(frozen=True)
class SwapSearch:
    """Walk by swaps with the interface of `MoveWalk`."""

    walk: SwapWalk

    @property
    def stale(self) -> int:
        """Number of steps since the last success."""
        return self.walk.stale

    def advance(self, temperatures: Array, *, patience: int, by_agreement: bool) -> tuple[int, int]:
        """Take one step for each temperature, in counts, and return the numbers of steps taken and of swaps made."""
        coldness = np.maximum(temperatures, _LEAST_TEMPERATURE)
        np.reciprocal(coldness, out=coldness)
        _, taken, changed = self.walk.advance(coldness, thin=len(coldness), patience=patience, by_score=by_agreement)
        return taken, changed

    def sweep(self, sweep: str) -> int:
        """Make the diagonal moves of the final sweep and return their number."""
        return sweep_rows(self.walk.codes, sweep)

    def table(self) -> tuple[Array, Array]:
        """Return the patterns and counts of the current table."""
        return self.walk.codes, np.ones(len(self.walk.codes), dtype=np.int64)
