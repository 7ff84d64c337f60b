"""Time counting, distributions and random tables, beside Normaliz and scipy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import PyNormaliz
from scipy.stats import random_table

import kappamax as km
from benchmarks import peers
from benchmarks.speed import Comparison, compare, timed
from kappamax.coefficients import as_objective
from kappamax.fibers.table_scores import TableScores

__all__ = ["Figure", "comparisons", "figures", "normaliz_count"]

SEED = 3


@dataclass(frozen=True)
class Figure:
    """One question alone: what was measured, what was aimed at, and the memory the method states."""

    case: str
    measured: str
    target: str
    met: bool
    memory: str = ""


def comparisons(*, quick: bool) -> list[Comparison]:
    """Counting beside Normaliz, draws beside scipy."""
    return [*_counting(quick), *_drawing(quick)]


def figures(*, quick: bool) -> list[Figure]:
    """Distributions and draws of three raters."""
    paper = km.example("rapallo2022")
    five = km.from_counts(np.diag([12] * 5) if not quick else np.diag([5] * 5))
    three = km.example("rapallo2022-three")
    n = five.n_subjects
    return [
        _distribution("the paper's fiber (644,850 tables), linear", paper, "linear", 0.05, 15),
        _distribution("the paper's fiber, quadratic", paper, "quadratic", 0.05, 15),
        _distribution("the paper's fiber, sqrt (integer vectors)", paper, "sqrt", 5, 3),
        _distribution(f"5 x 5, N = {n}, linear", five, "linear", 10, 1),
        _distribution(f"5 x 5, N = {n}, quadratic", five, "quadratic", 20, 1),
        _distribution("3 raters, k = 3, N = 16, linear (2,160,537 tables)", three, "linear", 1, 5),
        _three_raters(2_000 if quick else 100_000),
    ]


def _counting(quick: bool) -> Iterator[Comparison]:
    designs: list[tuple[str, km.Table, float | None]] = [
        ("3 x 3, N = 30", _table([[11, 9, 10], [8, 12, 10]]), None),
        ("4 x 4, N = 33 (the paper's)", km.example("rapallo2022"), 100),
    ]
    for name, table, target in designs[:1] if quick else designs:
        ours = timed(lambda table=table: km.fiber(table).count(), float)
        theirs = timed(lambda table=table: normaliz_count(table.margins.tolist()), float)
        yield compare(f"counting {name}", ours, "Normaliz", theirs, target=target, repetitions=3)


def _drawing(quick: bool) -> Iterator[Comparison]:
    """For two raters ours is scipy's generator with a choice of its two methods; 0.9 leaves room for noise."""
    size = 2_000 if quick else 100_000
    for k, n in ((4, 33), (5, 100), (5, 10_000)):
        table = _table([np.full(k, n // k).tolist()] * 2)
        rows, columns = (row.tolist() for row in table.margins)
        ours = timed(lambda table=table: km.fiber(table).sample(size, rng=SEED), _mean)
        theirs = timed(
            lambda r=rows, c=columns: random_table(r, c).rvs(size, random_state=np.random.default_rng(SEED)), _mean
        )
        case = f"{size:,} tables {k} x {k}, N = {n:,}"
        yield compare(case, ours, "scipy random_table", theirs, target=0.9, repetitions=9, tolerance=n / size**0.5)


def _mean(tables: Any) -> float:
    return float(tables[:, 0, 0].mean())


def _table(margins: list[list[int]]) -> km.Table:
    codes = np.stack([np.repeat(np.arange(len(row)), row) for row in margins], axis=1)
    return km.from_ratings(codes + 1)


def normaliz_count(margins: list[list[int]]) -> int:
    """The number of two-rater tables with the margins, by Normaliz."""
    rows, columns = margins
    k = len(rows)
    equations = []
    for axis, sums in enumerate((rows, columns)):
        for place, total in enumerate(sums):
            cells = [int((cell // k, cell % k)[axis] == place) for cell in range(k * k)]
            equations.append([*cells, -total])
    cone = PyNormaliz.Cone(inhom_equations=equations, signs=[[1] * (k * k)])
    return int(cone.NumberLatticePoints())


def _distribution(case: str, table: km.Table, weights: str, limit: float, repetitions: int) -> Figure:
    peers.note(case)
    space = TableScores([as_objective(table, weights=weights)], 1e9)
    memory = f"{space.counter.table_bytes(space.n_totals) / 1e6:.3g} MB"
    seconds = _median(lambda: km.fiber(table).distribution(weights), repetitions)
    return Figure(case, _shown(seconds), f"< {_shown(limit)}", seconds < limit, memory)


def _three_raters(size: int) -> Figure:
    ratings = np.random.default_rng(SEED).integers(1, 6, size=(100, 3))
    fiber = km.fiber(km.from_ratings(ratings, categories=[1, 2, 3, 4, 5]))
    rate = size / _median(lambda: fiber.sample(size, rng=SEED), 3)
    case = "random tables of 3 raters, k = 5, N = 100"
    return Figure(case, f"{rate:,.0f} per second", ">= 100,000 per second", rate >= 100_000)


def _median(call: Callable[[], Any], repetitions: int) -> float:
    call()
    seconds = []
    for _ in range(repetitions):
        start = perf_counter()
        call()
        seconds.append(perf_counter() - start)
    return median(seconds)


def _shown(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"
