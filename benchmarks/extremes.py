"""Time the largest and the smallest kappa over kinds of margins and seeds, and report the slowest.

Every design is solved for five kinds of margins and five seeds. The depth-first search over patterns, which was the
only method before, runs beside it on the first seed. Designs in which every subject has its own few raters follow.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from unittest.mock import patch

import numpy as np

import kappamax as km
from benchmarks import peers
from kappamax._typing import Integers
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.maximum.closed_forms import comonotone_table
from kappamax.maximum.problem import Watch, problem_for
from kappamax.maximum.solution import Solution
from kappamax.maximum.solve import solve

__all__ = ["Extreme", "Gap", "extremes", "gaps"]

KINDS = ("uniform", "nearly uniform", "moderately different", "very different", "one rater apart")
N_SUBJECTS = 1000
SEARCH_LIMIT = 5.0  # seconds for the depth-first search
#: raters, categories, and the targets in seconds of the slowest maximum and minimum
DESIGNS = ((10, 10, 3.0, 6.0), (20, 5, 2.0, 5.0), (50, 3, 5.0, None), (6, 30, 10.0, None))


@dataclass(frozen=True)
class Extreme:
    """One design and weighting over all kinds of margins and seeds.

    Attributes
    ----------
    case : str
        Design, weights, and maximum or minimum.
    median, slowest : float
        Seconds.
    slowest_kind : str
        Kind of margins of the slowest run.
    proven, n_runs : int
        Number of proven results and of all runs.
    search : float
        Slowest run with the depth-first search, on the first seed of every kind.
    search_proven : int
        Number of results that the depth-first search proved, of as many as there are kinds.
    target : float or None
        Target for the slowest run.
    peak_mb : float
        Peak of memory of the process so far.
    """

    case: str
    median: float
    slowest: float
    slowest_kind: str
    proven: int
    n_runs: int
    search: float
    search_proven: int
    target: float | None
    peak_mb: float


@dataclass(frozen=True)
class Gap:
    """One design with many sets of raters: seconds, the value found, its bound, the time limit and the target."""

    case: str
    seconds: float
    value: float
    bound: float
    proven: bool
    limit: float


def extremes(*, quick: bool) -> Iterator[Extreme]:
    """Every design, weighting and sign; `quick` uses two seeds and small designs."""
    n_seeds = 2 if quick else 5
    solve(problem_for(_objective(margins("nearly uniform", 8, 5, 0), "sqrt"), 1))  # compile before the clock runs
    for r, k, most, least in ((6, 5, None, None),) if quick else DESIGNS:
        for weights in ("unweighted", "sqrt"):
            for sign, target in ((1, most), (-1, least)):
                if target is None and not quick and sign == -1 and (r, k) == (6, 30) and weights == "sqrt":
                    continue  # too many compositions for a proof in reasonable time
                yield _extreme(r, k, weights, sign, target, n_seeds)


def _extreme(r: int, k: int, weights: str, sign: int, target: float | None, n_seeds: int) -> Extreme:
    case = f"{r} raters, {k} categories, {weights}, {'maximum' if sign == 1 else 'minimum'}"
    runs: list[tuple[float, str, bool]] = []
    search: list[tuple[float, bool]] = []
    for kind in KINDS:
        peers.note(f"{case}: {kind}")
        for seed in range(n_seeds):
            problem = problem_for(_objective(margins(kind, r, k, seed), weights), sign)
            start = perf_counter()
            found = solve(problem, Watch(120))
            runs.append((perf_counter() - start, kind, found.proven))
        search.append(_by_search(_objective(margins(kind, r, k, 0), weights), sign))
    slowest = max(runs)
    return Extreme(
        case,
        median(seconds for seconds, _, _ in runs),
        slowest[0],
        slowest[1],
        sum(proven for *_, proven in runs),
        len(runs),
        max(seconds for seconds, _ in search),
        sum(proven for _, proven in search),
        target,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def _by_search(objective: Objective, sign: int) -> tuple[float, bool]:
    """Return the seconds that the depth-first search takes, and whether it proves the result."""
    with (
        patch("kappamax.maximum.pricing._MOST_SUMS", 0),
        patch("kappamax.maximum.solve.balanced", lambda problem: None),
    ):
        start = perf_counter()
        found: Solution = solve(problem_for(objective, sign), Watch(SEARCH_LIMIT))
    return perf_counter() - start, found.proven


def margins(kind: str, r: int, k: int, seed: int) -> Integers:
    """Return random margins of one kind."""
    rng = np.random.default_rng(seed)
    equal = np.full(k, 1 / k)
    if kind == "uniform":
        return np.repeat(np.bincount(np.arange(N_SUBJECTS) % k, minlength=k)[None], r, axis=0)
    if kind == "nearly uniform":
        return rng.multinomial(N_SUBJECTS, equal, size=r)
    if kind == "one rater apart":
        own = np.repeat(rng.multinomial(N_SUBJECTS, equal)[None], r, axis=0)
        own[-1] = rng.multinomial(N_SUBJECTS, rng.dirichlet(np.ones(k)))
        return own
    spread = 20.0 if kind == "moderately different" else 1.0
    return np.array([rng.multinomial(N_SUBJECTS, rng.dirichlet(np.full(k, spread))) for _ in range(r)])


def gaps(*, quick: bool) -> Iterator[Gap]:
    """Designs with 3 of 20 raters per subject, and one with a fifth of the ratings missing."""
    designs = [(f"3 of 20 raters, {n:,} subjects", _crowd(n), limit) for n, limit in ((100, 10), (1000, 10))]
    if not quick:
        designs.append(("3 of 20 raters, 33,333 subjects", _crowd(33_333), 30))
        designs.append(("8 raters, 500 subjects, a fifth missing", _with_gaps(), 10))
    for case, table, limit in designs:
        for weights in ("unweighted", "sqrt"):
            peers.note(f"{case}, {weights}")
            objective = as_objective(table, weights=weights)
            start = perf_counter()
            found = solve(problem_for(objective, 1), Watch(limit))
            seconds = perf_counter() - start
            value, bound = objective.value(found.cost), objective.value(found.bound)
            yield Gap(f"{case}, {weights}", seconds, value, bound, found.proven, limit)


def _objective(own: Integers, weights: str) -> Objective:
    patterns, counts = comonotone_table(own)
    return as_objective(km.Table(patterns, counts, tuple(range(own.shape[1])), ordered=True), weights=weights)


def _crowd(n_subjects: int) -> km.Table:
    rng = np.random.default_rng(1)
    codes = np.full((n_subjects, 20), -1)
    for row in codes:
        chosen = rng.choice(20, 3, replace=False)
        row[chosen] = np.where(rng.random(3) < 0.7, rng.integers(0, 5), rng.integers(0, 5, 3))
    return km.Table(codes, np.ones(n_subjects, dtype=np.int64), tuple(range(5)), ordered=True)


def _with_gaps() -> km.Table:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 5, size=(500, 1))
    codes = np.where(rng.random((500, 8)) < 0.7, truth, rng.integers(0, 5, size=(500, 8)))
    codes[rng.random(codes.shape) < 0.2] = -1
    return km.Table(codes, np.ones(500, dtype=np.int64), tuple(range(5)), ordered=True)
