"""Time the largest and the smallest kappa over kinds of margins and seeds, and report the slowest.

`km.max_kappa` is called as users call it, and then the minimum of its result is searched for, for five kinds of margins
and five seeds. The depth-first search over patterns, which was the only method before, runs beside it on the first
seed. Designs in which every subject has its own few raters follow, for five seeds each.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
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

_Target = tuple[str, Callable[[float, float, bool], bool]]

KINDS = ("uniform", "nearly uniform", "moderately different", "very different", "one rater apart")
N_SUBJECTS = 1000
LIMIT = 120.0  # seconds for each maximum and minimum
SEARCH_LIMIT = 3.0  # seconds for the depth-first search
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
    """One design with many sets of raters over all seeds.

    Attributes
    ----------
    case : str
        Design and weights.
    median, slowest : float
        Seconds.
    largest_gap : float
        Largest difference between the bound and the value found.
    proven, n_runs : int
        Number of proven results and of all runs.
    limit : float
        Time limit of each run in seconds.
    target : str
        Target for all runs.
    met : bool
        Whether every run meets it.
    """

    case: str
    median: float
    slowest: float
    largest_gap: float
    proven: int
    n_runs: int
    limit: float
    target: str
    met: bool


def extremes(*, quick: bool) -> Iterator[Extreme]:
    """Every design, weighting and sign; `quick` uses two seeds and small designs."""
    n_seeds = 2 if quick else 5
    for weights in ("unweighted", "sqrt"):  # compile before the clock runs
        km.max_kappa(_table(margins("nearly uniform", 8, 5, 0)), weights=weights).with_minimum()
    for r, k, most, least in ((6, 5, None, None),) if quick else DESIGNS:
        for weights in ("unweighted", "sqrt"):
            # 6 raters and 30 categories have too many compositions for a proof of the minimum in reasonable time
            both = (r, k, weights) != (6, 30, "sqrt")
            yield from _extremes_of(r, k, weights, (most, least) if both else (most,), n_seeds)


def _extremes_of(r: int, k: int, weights: str, targets: tuple[float | None, ...], n_seeds: int) -> Iterator[Extreme]:
    """The maximum and, if there are two targets, the minimum of one design."""
    runs: dict[int, list[tuple[float, str, bool]]] = {1: [], -1: []}
    search: dict[int, list[tuple[float, bool]]] = {1: [], -1: []}
    signs = (1, -1)[: len(targets)]
    for kind in KINDS:
        peers.note(f"{r} raters, {k} categories, {weights}: {kind}")
        for seed in range(n_seeds):
            table = _table(margins(kind, r, k, seed))
            start = perf_counter()
            found = km.max_kappa(table, weights=weights, time_limit=LIMIT)
            runs[1].append((perf_counter() - start, kind, found.proven))
            if len(signs) == 2:
                start = perf_counter()
                found = found.with_minimum(time_limit=LIMIT)
                runs[-1].append((perf_counter() - start, kind, found.minimum_proven))
        for sign in signs:
            search[sign].append(_by_search(as_objective(_table(margins(kind, r, k, 0)), weights=weights), sign))
    for sign, target in zip(signs, targets, strict=True):
        case = f"{r} raters, {k} categories, {weights}, {'maximum' if sign == 1 else 'minimum'}"
        yield _extreme(case, runs[sign], search[sign], target)


def _extreme(
    case: str, runs: list[tuple[float, str, bool]], search: list[tuple[float, bool]], target: float | None
) -> Extreme:
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
    km.max_kappa(_crowd(60, 9), time_limit=60)  # compile before the clock runs
    small = ("proven within 1 s", lambda seconds, gap, proven: proven and seconds < 1)
    large = ("gap below 0.1 %", lambda seconds, gap, proven: gap < 0.001)
    designs: list[tuple[str, Callable[[int], km.Table], float, int, _Target]] = [
        ("3 of 20 raters, 100 subjects", lambda seed: _crowd(100, seed), 10, 5, small),
        ("3 of 20 raters, 1,000 subjects", lambda seed: _crowd(1000, seed), 10, 5, large),
        ("3 of 20 raters, 33,333 subjects", lambda seed: _crowd(33_333, seed), 30, 2, large),
        ("8 raters, 500 subjects, a fifth missing", _with_gaps, 10, 5, large),
    ]
    for case, table_of, limit, n_seeds, (words, meets) in designs[:1] if quick else designs:
        for weights in ("unweighted", "sqrt"):
            peers.note(f"{case}, {weights}")
            runs = []
            for seed in range(n_seeds):
                table = table_of(seed)
                start = perf_counter()
                found = km.max_kappa(table, weights=weights, time_limit=limit)
                runs.append((perf_counter() - start, found.bound - found.maximum, found.proven))
            times = [seconds for seconds, _, _ in runs]
            yield Gap(
                case=f"{case}, {weights}",
                median=median(times),
                slowest=max(times),
                largest_gap=max(gap for _, gap, _ in runs),
                proven=sum(proven for _, _, proven in runs),
                n_runs=len(runs),
                limit=limit,
                target=words,
                met=all(meets(*run) for run in runs),
            )


def _table(own: Integers) -> km.Table:
    patterns, counts = comonotone_table(own)
    return km.Table(patterns, counts, tuple(range(own.shape[1])), ordered=True)


def _crowd(n_subjects: int, seed: int) -> km.Table:
    rng = np.random.default_rng(seed)
    codes = np.full((n_subjects, 20), -1)
    for row in codes:
        chosen = rng.choice(20, 3, replace=False)
        row[chosen] = np.where(rng.random(3) < 0.7, rng.integers(0, 5), rng.integers(0, 5, 3))
    return km.Table(codes, np.ones(n_subjects, dtype=np.int64), tuple(range(5)), ordered=True)


def _with_gaps(seed: int) -> km.Table:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, size=(500, 1))
    codes = np.where(rng.random((500, 8)) < 0.7, truth, rng.integers(0, 5, size=(500, 8)))
    codes[rng.random(codes.shape) < 0.2] = -1
    return km.Table(codes, np.ones(500, dtype=np.int64), tuple(range(5)), ordered=True)
