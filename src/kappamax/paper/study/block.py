"""A scenario, a seed and which of its tables in; their stopping times, and which stopped below the maximum, out.

Every table has a generator of its own, made from the seed, the scenario's settings and the table's number, so results
do not depend on blocks, workers or order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._rootsum import RootSum
from kappamax.annealing.diagonal_sweep import sweep_counts
from kappamax.annealing.move_walk import MoveWalk, Neighbours
from kappamax.coefficients import coefficient_for
from kappamax.disagreement.objective import Objective
from kappamax.fibers.moves import weights_for
from kappamax.paper.study.proofs import Proofs
from kappamax.paper.study.scenarios import Scenario
from kappamax.table import Table

__all__ = ["Block", "generator_of", "run_block", "stopping_times"]

Counts = npt.NDArray[np.int64]

_LEAST_STEPS = 256


@dataclass(frozen=True)
class Block:
    """Some tables of a scenario.

    Attributes
    ----------
    start : int
        Number of the first table.
    steps : tuple of int
        Stopping times T.
    below : tuple of bool
        Whether the search ended below the proven maximum, after the final sweep.
    repaired : int
        Searches that were below before the sweep and not after.
    seconds, seconds_maximum : float
        Time in all, and what of it went into finding the true maxima.
    """

    start: int
    steps: tuple[int, ...]
    below: tuple[bool, ...]
    repaired: int
    seconds: float
    seconds_maximum: float


def run_block(scenario: Scenario, seed: int, start: int, stop: int) -> Block:
    """Anneal the tables numbered from start to stop."""
    began = perf_counter()
    plan = _plan(scenario)
    steps, ends = stopping_times(scenario, seed, start, stop)
    unswept = [plan.neighbours.score(counts) for counts in ends]
    sweep_counts(ends, plan.neighbours.diagonal(), scenario.sweep)
    annealed = perf_counter()
    below, repaired = [], 0
    for counts, before in zip(ends, unswept, strict=True):
        after = plan.neighbours.score(counts)
        short = plan.below_maximum(counts, after)
        below.append(short)
        repaired += not short and after != before
    ended = perf_counter()
    return Block(start, tuple(steps), tuple(below), repaired, ended - began, ended - annealed)


def stopping_times(scenario: Scenario, seed: int, start: int, stop: int) -> tuple[list[int], Counts]:
    """The stopping times of some tables and the flattened tables at which they ended, before the sweep."""
    plan = _plan(scenario)
    ends = np.empty((stop - start, plan.chances.size), dtype=np.int64)
    steps = []
    key = scenario.key
    for counts, number in zip(ends, range(start, stop), strict=True):
        rng = generator_of(key, seed, number)
        counts[:] = rng.multinomial(scenario.n_subjects, plan.chances)
        steps.append(_anneal(scenario, plan, counts, rng))
    return steps, ends


def generator_of(key: bytes, seed: int, number: int) -> np.random.Generator:
    """The randomness of one table of the scenario with this key."""
    words = np.frombuffer(key, dtype=">u4").tolist()
    return np.random.default_rng(np.random.SeedSequence([seed, *words], spawn_key=(number,)))


@dataclass(frozen=True)
class _Plan:
    """What all tables of a scenario share."""

    neighbours: Neighbours
    chances: npt.NDArray[np.float64]
    proofs: Proofs

    def below_maximum(self, counts: Counts, score: list[int]) -> bool:
        """Whether a table's score is above the least that its margins allow."""
        objective, kept = self.neighbours.objective, counts > 0
        table = Table(self.neighbours.patterns[kept], counts[kept], objective.table.categories, ordered=True)
        return not self.proofs.least(table, RootSum(dict(zip(objective.radicands, score, strict=True))))


@lru_cache(maxsize=64)
def _plan(scenario: Scenario) -> _Plan:
    k, r = scenario.n_categories, scenario.n_raters
    table = Table(np.zeros((1, r), dtype=np.int32), [scenario.n_subjects], list(range(1, k + 1)), ordered=True)
    objective = Objective(table, weights_for(scenario.weights, k, r), coefficient_for("kappa", r))
    chances: Any = np.ones(1)
    for row in scenario.margins or ((1 / k,) * k,) * r:
        chances = np.multiply.outer(chances, np.array(row)).ravel()
    return _Plan(Neighbours(objective, scenario.move_set), chances, Proofs(objective))


def _anneal(scenario: Scenario, plan: _Plan, counts: Counts, rng: np.random.Generator) -> int:
    """Walk until the stopping rule is met, in place; the stopping time T."""
    walk = MoveWalk(plan.neighbours, counts, rng, work=np.inf)
    patience, limit = scenario.patience, scenario.limit
    scale = scenario.n_subjects if scenario.temperature_unit == "proportions" else 1
    done = 0
    size = max(patience, _LEAST_STEPS)
    while (limit is None or done < limit) and not (patience and walk.stale >= patience):
        size = size if limit is None else min(size, limit - done)
        temperatures = scenario.schedule.temperatures(done, size) * scale
        done += walk.advance(temperatures, patience=patience, by_agreement=scenario.stopping.by_agreement)[0]
        size = max(patience // 4, _LEAST_STEPS)
    return done
