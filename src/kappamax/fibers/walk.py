"""Walk through the tables of a fiber towards a target distribution, and say how well the walk mixed.

Steps are swaps of ratings between two subjects (see `swap_walk`). On the null distribution every step is accepted; a
uniform distribution over tables, and a distribution tilted towards agreement, accept some (Metropolis). A walk can also
hold the score of another weighting: swaps may leave it for a few steps in a row and must come back.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kappamax._result import Result
from kappamax._typing import Array, Floats
from kappamax._validate import as_choice, as_finite_number, as_generator, as_whole_number
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import Interrupted
from kappamax.fibers.counting import Progress, require_few_cells
from kappamax.fibers.swap_walk import STEPS_PER_BLOCK, SwapWalk
from kappamax.fibers.table_scores import require_exact_weights
from kappamax.table import Table

TARGETS = ("null", "uniform")
_WINDOW = 5.0
_CONNECTED = {
    True: "every table with it can be reached",
    False: "not every table with it can be reached",
    None: "it may not reach every table with it",
}


def walk_of(
    objective: Objective,
    *,
    n_steps: int,
    target: str = "null",
    tilt: float = 0.0,
    held: Objective | None = None,
    connected: bool | None = None,
    excursion: int = 4,
    thin: int = 1,
    keep_tables: bool = False,
    rng: np.random.Generator | int | None = None,
    progress: Progress | None = None,
) -> Walk:
    """Walk through the fiber of an objective's table; see `Fiber.walk` for the parameters."""
    n_steps = as_whole_number("n_steps", n_steps, 1)
    thin = as_whole_number("thin", thin, 1)
    excursion = as_whole_number("excursion", excursion, 1)
    target = as_choice("target", target, TARGETS)
    tilt = as_finite_number("tilt", tilt)
    if held is not None:
        require_exact_weights(held.weights)
    table = objective.table
    start = objective.value(objective.score)
    uniform = target == "uniform"
    if uniform or keep_tables:
        require_few_cells(table.n_categories + (not table.complete), table.n_raters)
    walk = SwapWalk(objective, as_generator(rng), held=held, uniform=uniform, excursion=excursion, counted=keep_tables)
    step = max(thin, STEPS_PER_BLOCK // thin * thin)
    traces: list[Array] = []
    kept: list[Array] = []
    done = changed = 0

    def result() -> Walk:
        changes = np.concatenate([walk.state.score[None][:0], *traces])
        slope = float(objective.n_units) * float(objective.expected)
        values = start - changes @ walk.state.worth / slope
        time = autocorrelation_time(values)
        shape = (-1, *(table.n_categories,) * table.n_raters)
        codes, ones = walk.codes, np.ones(len(walk.codes), dtype=np.int64)
        return Walk(
            weights=objective.weights.name,
            target=target,
            tilt=tilt,
            held=None if held is None else held.weights.name,
            connected=connected,
            n_steps=done,
            thin=thin,
            acceptance=changed / max(1, done),
            autocorrelation_time=time,
            effective_size=None if time is None else len(values) / time,
            values=values,
            table=table.like(codes, ones),
            counts=np.concatenate(kept).reshape(shape) if kept else None,
        )

    try:
        while done < n_steps:
            size = min(step, n_steps - done)
            snapshots = None
            if keep_tables and walk.pattern_counts is not None:
                snapshots = np.zeros((size // thin, len(walk.pattern_counts.counts)), dtype=np.int64)
            trace, taken, moved = walk.advance(np.full(size, tilt), thin=thin, snapshots=snapshots)
            traces.append(trace)
            if snapshots is not None:
                kept.append(snapshots)
            done, changed = done + taken, changed + moved
            if progress is not None:
                progress(done, n_steps)
    except KeyboardInterrupt:
        raise Interrupted(result()) from None
    return result()


@dataclass(frozen=True, repr=False)
class Walk(Result):
    """A walk through a fiber.

    Attributes
    ----------
    held : str or None
        The weights whose kappa stays.
    connected : bool or None
        Whether the walk can reach every table with that kappa; None where that was not found out.
    acceptance : float
        Share of steps that changed the table.
    values : floats, shape (n_steps // thin,)
        The coefficient after every `thin` steps.
    autocorrelation_time : float or None
        Kept steps that are worth one independent draw, for the mean of `values`; None where they never change.
    effective_size : float or None
        Independent draws that `values` are worth.
    table : Table
        Where the walk ended.
    counts : integers, shape (n_steps // thin, k, ..., k), or None
        Every kept table, if asked for.
    """

    weights: str
    target: str
    tilt: float
    held: str | None
    connected: bool | None
    n_steps: int
    thin: int
    acceptance: float
    autocorrelation_time: float | None
    effective_size: float | None
    values: Floats = field(repr=False)
    table: Table = field(repr=False)
    counts: Array | None = field(repr=False, default=None)

    def _rows(self) -> list[tuple[str, str]]:
        target = self.target if not self.tilt else f"{self.target}, tilted by {self.tilt:g}"
        rows = [("weights", self.weights), ("target", target), ("steps", numbers.count(self.n_steps))]
        if self.held is not None:
            rows.append(("held", f"{self.held} kappa; {_CONNECTED[self.connected]}"))
        rows.append(("steps that changed the table", numbers.percent(self.acceptance)))
        if self.autocorrelation_time is not None and self.effective_size is not None:
            rows.append(("autocorrelation time", f"{self.autocorrelation_time * self.thin:.1f} steps"))
            rows.append(("effective sample size", numbers.count(round(self.effective_size))))
        return rows


def autocorrelation_time(values: Floats) -> float | None:
    """The integrated autocorrelation time 1 + 2 sum rho(t), summed up to five times itself (Sokal's window).

    Values in a row that are worth one independent one; None for fewer than four values or where all are equal.
    """
    n = len(values)
    centred = values - values.mean() if n else values
    if n < 4 or not centred.any():
        return None
    padded = np.fft.rfft(centred, 2 * n)
    covariance = np.fft.irfft(padded * padded.conj())[:n]
    times = 2 * np.cumsum(covariance / covariance[0]) - 1
    inside = np.flatnonzero(np.arange(n) >= _WINDOW * times)
    return float(max(times[inside[0]] if len(inside) else times[-1], 1.0))
