"""Measure the steps and the time of both proposals of annealing, and of the whole study."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import kappamax as km
from kappamax.annealing.methods import METHODS
from kappamax.annealing.move_walk import MoveWalk, Neighbours
from kappamax.annealing.search import Search
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.fibers.swap_walk import SwapWalk
from kappamax.table import Table

__all__ = ["Measure", "measures"]

SEED = 7
BLOCK = 50_000
COLD = 0.001
FLAT = [(2, 10), (4, 10), (7, 10), (10, 10), (14, 10), (20, 5)]


@dataclass(frozen=True)
class Measure:
    """One figure beside what it should be; `at_most` says which way."""

    case: str
    value: float
    unit: str
    target: float | None = None
    at_most: bool = True

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without one."""
        if self.target is None:
            return None
        return self.value <= self.target if self.at_most else self.value >= self.target


def measures(*, quick: bool) -> list[Measure]:
    """Every figure; `quick` takes few steps and tables."""
    return [
        _move_step(3 if quick else 40),
        *_swap_steps(3 if quick else 20),
        *_beside(1 if quick else 7),
        *_ten_raters(),
        _study(5 if quick else 1000),
    ]


def _move_step(blocks: int) -> Measure:
    objective = _objective(5, 2, 100, "linear")
    neighbours = Neighbours(objective, km.moves.basic_moves(5))
    walk = MoveWalk(neighbours, objective.table.dense().ravel(), np.random.default_rng(SEED), work=np.inf)
    cold = np.full(BLOCK, COLD)
    nanoseconds = _per_step(lambda: walk.advance(cold, patience=0, by_agreement=True), blocks)
    return Measure("a step by moves, 2 raters, 5 categories, N = 100", nanoseconds, "ns", 50)


def _swap_steps(blocks: int) -> list[Measure]:
    found = []
    for r, k in FLAT:
        objective = _objective(k, r, 1000, "linear")
        walk, cold = SwapWalk(objective, np.random.default_rng(SEED)), np.full(BLOCK, 1 / COLD)

        def advance(walk: SwapWalk = walk, cold: Any = cold) -> object:
            return walk.advance(cold, thin=BLOCK)

        case = f"a step by swaps, {r} raters, {k} categories, N = 1000 ({float(k**r):.0e} patterns)"
        found.append(Measure(case, _per_step(advance, blocks), "ns"))
    first, last = found[0].value, found[-2].value
    return [*found, Measure("the same, 10^14 patterns beside 10^2", last / first, "times", 2)]


def _beside(repetitions: int) -> list[Measure]:
    """Steps and seconds to the proven maximum; preparing the list of moves, or the swaps, is part of the search."""
    objective = _objective(7, 3, 100, "quadratic")
    steps: dict[str, list[int]] = {"moves": [], "swaps": []}
    seconds: dict[str, list[float]] = {"moves": [], "swaps": []}
    for seed in range(-1, repetitions):  # the first compiles
        for proposal in steps:
            found = km.anneal(objective.table, weights="quadratic", method=proposal, rng=seed + 1)
            assert found.proven
            taken = _shortest(partial(_walk, objective, proposal, found.settled, seed + 1))
            if seed >= 0:
                seconds[proposal].append(taken)
                steps[proposal].append(found.settled)
    case = "7 x 7 x 7, N = 100, quadratic, to the proven maximum"
    return [
        *(Measure(f"{case}: steps by {name}", median(steps[name]), "steps") for name in steps),
        *(Measure(f"{case}: time by {name}", 1000 * median(seconds[name]), "ms") for name in steps),
        Measure("fewer steps by swaps", median(steps["moves"]) / median(steps["swaps"]), "times", 40, at_most=False),
        Measure("less time by swaps", median(seconds["moves"]) / median(seconds["swaps"]), "times", 80, at_most=False),
    ]


def _ten_raters() -> list[Measure]:
    case = "10 raters, 5 categories, N = 1000"
    swaps = km.annealing.SwapMethod(max_steps=2_000_000)
    found = []
    for weights in ("linear", "sqrt"):
        objective = _objective(5, 10, 1000, weights)
        best = km.max_kappa(objective.table, weights=weights)
        assert best.proven
        start = perf_counter()
        ended = km.anneal(objective.table, weights=weights, method=swaps, rng=1)
        seconds = perf_counter() - start
        found.append(Measure(f"{case}, {weights}: 2 million swaps and the bound", seconds, "s"))
        _walk(objective, "swaps", 10, 1)
        start = perf_counter()
        _walk(objective, "swaps", 2_000_000, 1)
        found.append(Measure(f"{case}, {weights}: the swaps alone", perf_counter() - start, "s", 1))
        short = 100 * (1 - ended.reached / best.maximum)
        found.append(Measure(f"{case}, {weights}: below the proven maximum", short, "%", 1))
    drawn = km.moves.basic_moves(5, 10).draw(1, 20_000)
    patterns = set(map(tuple, objective.table.patterns.tolist()))
    applicable = sum(all(cell in patterns for cell in move.minus) for move in drawn)
    return [*found, Measure(f"{case}: of 20,000 moves drawn, applicable", applicable, "moves", 0)]


def _study(n_tables: int) -> Measure:
    km.paper.run_study(km.paper.paper_scenarios(), n_tables=1, n_jobs=2)  # compile in both processes
    start = perf_counter()
    km.paper.run_study(km.paper.paper_scenarios(), n_tables=n_tables, n_jobs=2)
    case = f"the paper's study, 60 rows of {n_tables:,} tables, 2 of {os.cpu_count()} cores"
    return Measure(case, perf_counter() - start, "s", 150)


def _walk(objective: Objective, proposal: str, steps: int, seed: int) -> None:
    """So many steps of a search, without its bound."""
    fixed = km.annealing.FixedSteps(max(1, steps))
    search = Search(objective, METHODS[proposal](stopping=fixed, sweep="none"))
    walk = search.start(np.random.default_rng(seed))
    for first in range(0, steps, BLOCK):
        temperatures = search.temperatures(first, min(BLOCK, steps - first))
        walk.advance(temperatures, patience=search.patience, by_agreement=search.method.stopping.by_agreement)


def _shortest(task: Callable[[], object], lasting: float = 0.3) -> float:
    """Seconds of the fastest of all runs within some time, the same for short tasks and long ones."""
    seconds, ends = [], perf_counter() + lasting
    while perf_counter() < ends:
        start = perf_counter()
        task()
        seconds.append(perf_counter() - start)
    return min(seconds)


def _per_step(advance: Any, blocks: int) -> float:
    """Median nanoseconds of a step, after compiling."""
    advance()
    seconds = []
    for _ in range(blocks):
        start = perf_counter()
        advance()
        seconds.append(perf_counter() - start)
    return 1e9 * median(seconds) / BLOCK


def _objective(k: int, r: int, n: int, weights: str) -> Objective:
    codes = np.random.default_rng(SEED).integers(k, size=(n, r))
    return as_objective(Table(codes, np.ones(n, dtype=np.int64), list(range(k)), ordered=True), weights=weights)
