"""Simulate a batch of tables of a scenario and anneal them.

Every table has its own random generator, which is determined by the seed, the settings of the scenario and the number
of the table. Results therefore do not depend on batches, processes or order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np

from kappamax._rootsum import RootSum
from kappamax._typing import Floats, Integers
from kappamax.annealing.diagonal_sweep import sweep_counts
from kappamax.annealing.move_walk import MoveWalk, Neighbours
from kappamax.coefficients import coefficient_for
from kappamax.disagreement.objective import Objective
from kappamax.fibers.moves import weights_for
from kappamax.paper.study.maximum_bounds import MaximumBounds
from kappamax.paper.study.scenarios import Scenario
from kappamax.table import Table

BatchKey = tuple[int, int]  # number of the scenario and of the first table

_LEAST_STEPS = 256


@dataclass(frozen=True)
class TableBatch:
    """Stopping times of some tables of a scenario.

    Attributes
    ----------
    start : int
        Number of the first table.
    steps : tuple of int
        Stopping time of each table.
    below : tuple of bool
        Whether the search on each table ended below the proven maximum, after the final sweep.
    repaired : int
        Number of searches that were below the maximum before the sweep and not after it.
    seconds, seconds_maximum : float
        Total time, and the time spent on computing the maxima.
    """

    start: int
    steps: tuple[int, ...]
    below: tuple[bool, ...]
    repaired: int
    seconds: float
    seconds_maximum: float


def run_batch(scenario: Scenario, seed: int, start: int, stop: int) -> TableBatch:
    """Anneal the tables with numbers from `start` to `stop` - 1."""
    began = perf_counter()
    setup = _setup(scenario)
    steps, ends = stopping_times(scenario, seed, start, stop)
    unswept = [setup.neighbours.score(counts) for counts in ends]
    sweep_counts(ends, setup.neighbours.diagonal(), scenario.sweep)
    annealed = perf_counter()
    below, repaired = [], 0
    for counts, before in zip(ends, unswept, strict=True):
        after = setup.neighbours.score(counts)
        short = setup.below_maximum(counts, after)
        below.append(short)
        repaired += not short and after != before
    ended = perf_counter()
    return TableBatch(start, tuple(steps), tuple(below), repaired, ended - began, ended - annealed)


def stopping_times(scenario: Scenario, seed: int, start: int, stop: int) -> tuple[list[int], Integers]:
    """Return the stopping times of some tables, and the flattened final tables before the sweep."""
    setup = _setup(scenario)
    ends = np.empty((stop - start, setup.chances.size), dtype=np.int64)
    steps = []
    key = scenario.key
    for counts, number in zip(ends, range(start, stop), strict=True):
        rng = generator_of(key, seed, number)
        counts[:] = rng.multinomial(scenario.n_subjects, setup.chances)
        steps.append(_anneal(scenario, setup, counts, rng))
    return steps, ends


def generator_of(key: bytes, seed: int, number: int) -> np.random.Generator:
    """Return the random generator of a table of the scenario with this key."""
    words = np.frombuffer(key, dtype=">u4").tolist()
    return np.random.default_rng(np.random.SeedSequence([seed, *words], spawn_key=(number,)))


@dataclass(frozen=True)
class _ScenarioSetup:
    """Moves, pattern probabilities and bounds on the maximum of a scenario."""

    neighbours: Neighbours
    chances: Floats
    bounds: MaximumBounds

    def below_maximum(self, counts: Integers, score: list[int]) -> bool:
        """Return whether the score of a table is above the smallest one that its margins allow."""
        objective, kept = self.neighbours.objective, counts > 0
        table = objective.table.like(self.neighbours.patterns[kept], counts[kept])
        return not self.bounds.attained(table, RootSum(dict(zip(objective.radicands, score, strict=True))))


@lru_cache(maxsize=64)
def _setup(scenario: Scenario) -> _ScenarioSetup:
    """Return the moves, pattern probabilities and bounds of a scenario."""
    k, r = scenario.n_categories, scenario.n_raters
    table = Table(np.zeros((1, r), dtype=np.int32), [scenario.n_subjects], list(range(1, k + 1)), ordered=True)
    objective = Objective(table, weights_for(scenario.weights, k, r), coefficient_for("kappa", r))
    chances: Any = np.ones(1)
    for row in scenario.margins or ((1 / k,) * k,) * r:
        chances = np.multiply.outer(chances, np.array(row)).ravel()
    return _ScenarioSetup(Neighbours(objective, scenario.move_set), chances, MaximumBounds(objective))


def _anneal(scenario: Scenario, setup: _ScenarioSetup, counts: Integers, rng: np.random.Generator) -> int:
    """Anneal a table in place until the stopping rule is met, and return the stopping time T."""
    walk = MoveWalk(setup.neighbours, counts, rng, work=np.inf)
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
