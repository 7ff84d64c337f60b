"""Run a Markov chain through the tables of a fiber with a given target distribution, and assess its mixing.

Steps are swaps of ratings between two subjects (see `swap_walk`). If the target is the null distribution, every step is
accepted. If it is the uniform distribution over tables, or a distribution tilted towards agreement, steps are accepted
by the Metropolis rule. A walk can also hold the score of another weighting fixed. A step is then a sequence of a few
swaps that may leave that score but must return to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kappamax._progress import WorkCallback
from kappamax._result import Result
from kappamax._typing import Array, Floats
from kappamax._validate import as_choice, as_finite_number, as_generator, as_whole_number
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import Interrupted, NotSupportedError
from kappamax.fibers.limits import MEMORY_LIMIT, missing_ratings, require_few_cells, require_memory
from kappamax.fibers.swap_walk import STEPS_PER_BLOCK, SwapWalk
from kappamax.fibers.table_scores import require_exact_weights
from kappamax.table import Table

TARGETS = ("null", "uniform")
_WINDOW = 5.0
_MOST_THIN = 1_000_000
MOST_MOVES_OF_EXCURSION = 1000
_NUMBERS_PER_VALUE = 12  # 64-bit numbers held for each recorded value, mostly for its autocorrelation
_CONNECTED = {
    True: "the walk can reach every table with this value",
    False: "the walk cannot reach every table with this value",
    None: "it is not known whether the walk can reach every table with this value",
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
    memory_limit: float | None = None,
    progress: WorkCallback | None = None,
) -> Walk:
    """Walk through the fiber of the table of an objective.

    `connected` records whether the walk can reach every table with the held score. See `Fiber.walk` for the other
    parameters.
    """
    n_steps = as_whole_number("n_steps", n_steps, 1)
    thin = as_whole_number("thin", thin, 1, _MOST_THIN)
    excursion = as_whole_number("excursion", excursion, 1, MOST_MOVES_OF_EXCURSION)
    target = as_choice("target", target, TARGETS)
    tilt = as_finite_number("tilt", tilt)
    if held is not None:
        require_exact_weights(held.weights)
    table = objective.table
    start = objective.value(objective.score)
    uniform = target == "uniform"
    if keep_tables and not table.complete:
        raise NotSupportedError(f"keep_tables needs complete ratings, but {missing_ratings(table.n_missing)}.")
    if uniform or keep_tables:
        require_few_cells(table.n_categories + (not table.complete), table.n_raters)
    n_kept = table.n_categories**table.n_raters if keep_tables else 0
    require_memory(
        "the record of the walk",
        n_steps // thin * (_NUMBERS_PER_VALUE + n_kept) * 8,
        MEMORY_LIMIT if memory_limit is None else memory_limit,
        "A larger `thin` records fewer values.",
    )
    walk = SwapWalk(
        objective,
        as_generator(rng),
        held=held,
        uniform=uniform,
        excursion=excursion,
        counted=keep_tables,
        memory_limit=memory_limit,
    )
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
            _data=table.data,
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
    """Result of a random walk through a fiber.

    Attributes
    ----------
    weights : str
        Name of the weights of the recorded kappa.
    target : {"null", "uniform"}
        Target distribution before tilting.
    tilt : float
        Tilt of the target distribution towards agreement; 0 for none.
    held : str or None
        Name of the weights whose kappa is held fixed; None if no kappa is held.
    connected : bool or None
        Whether the walk can reach every table with the held kappa. None if no kappa is held or this is not known.
    n_steps : int
        Number of steps taken.
    thin : int
        Number of steps between recorded values.
    acceptance : float
        Share of the steps that changed the table.
    autocorrelation_time : float or None
        Integrated autocorrelation time of `values`, in units of recorded values. For estimating the mean, this number
        of consecutive values is worth one independent draw. None if there are fewer than four values or all are equal.
    effective_size : float or None
        Effective sample size, which is the number of recorded values divided by the autocorrelation time; None if the
        autocorrelation time is None.
    values : floats, shape (n_steps // thin,)
        Kappa after every `thin` steps.
    table : Table
        Table at the end of the walk.
    counts : integers, shape (n_steps // thin, k, ..., k), or None
        Counts of every recorded table; None unless `keep_tables` was requested.

    Examples
    --------
    >>> import kappamax as km
    >>> walk = km.fiber(km.example("rapallo2022")).walk(2000, weights="linear", thin=10, rng=1)
    >>> walk.values.shape, walk.effective_size > 50
    ((200,), True)
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
    """Return the integrated autocorrelation time 1 + 2 sum rho(t), or None if it is not defined.

    The sum is truncated at five times the autocorrelation time itself (Sokal's window). The result is the number of
    consecutive values that are worth one independent value. It is None if there are fewer than four values or all
    values are equal.
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
