"""Compare the speed of kappamax with its peers, case by case.

Both sides get the same data in the form each likes best and take turns, so that a ratio does not depend on what else
the machine was doing. Every value is compared as well: a fast wrong answer stops the run.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa, to_table

import kappamax as km
from benchmarks import peers

__all__ = ["Comparison", "DisagreementError", "Run", "ask", "codes", "compare", "comparisons", "timed"]

Array = npt.NDArray[Any]

CATEGORIES = 5
LABELS = np.array(["none", "mild", "moderate", "severe", "critical"])
SHARE_KNOWN = 0.6
_TURN = 0.01  # seconds
TOLERANCE = 1e-9
IRRCAC_WEIGHTS = {"unweighted": "identity", "quadratic": "quadratic"}


def comparisons(*, cut: int = 1) -> list[Comparison]:
    """Every case; `cut` divides the sizes."""
    return [
        *_integers(10_000_000 // cut),
        *_text(10_000_000 // cut),
        *_objects(1_000_000 // cut),
        *_many_raters(100_000 // cut),
        _twenty_raters(100_000 // cut),
    ]


@dataclass(frozen=True)
class Comparison:
    """Median seconds of both sides; `target` is the least ratio aimed at."""

    case: str
    ours: float
    peer: str | None = None
    theirs: float | None = None
    target: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times longer the peer takes."""
        return None if self.theirs is None else self.theirs / self.ours

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without one."""
        return None if self.target is None or self.ratio is None else self.ratio >= self.target


class DisagreementError(Exception):
    """Kappamax and a peer give different values."""


class Timed(NamedTuple):
    """One call: how long it took and the value it gave."""

    seconds: float
    value: float


Run = Callable[[], Timed]


def _integers(n: int) -> Iterator[Comparison]:
    first, second = codes(n, 2)
    both = np.stack([first, second], axis=1)
    ours = _ours(first, second)
    case = f"two arrays of {n:,} integers"
    floor = timed(lambda: np.bincount(first * CATEGORIES + second), _kappa_of_cells)
    yield compare(case, ours, "floor: numpy.bincount", floor, target=0.5)
    yield compare(case, ours, "scikit-learn", timed(lambda: cohen_kappa_score(first, second)), target=15)
    statsmodels = timed(lambda: cohens_kappa(to_table(both)[0], return_results=False))
    yield compare(case, ours, "statsmodels (to_table)", statsmodels)


def _text(n: int) -> Iterator[Comparison]:
    first, second = LABELS[codes(n, 2)]
    theirs = timed(lambda: cohen_kappa_score(first, second))
    case = f"two arrays of {n:,} texts"
    yield compare(case, _ours(first, second), "scikit-learn", theirs, target=5, repetitions=3)


def _objects(n: int) -> Iterator[Comparison]:
    first, second = LABELS.astype(object)[codes(n, 2)]
    theirs = timed(lambda: cohen_kappa_score(first, second))
    case = f"two arrays of {n:,} Python strings"
    yield compare(case, _ours(first, second), "scikit-learn", theirs, target=5, repetitions=3)


def _many_raters(n: int) -> Iterator[Comparison]:
    ratings = np.ascontiguousarray(codes(n, 10).T)
    with _irrcac(ratings) as conger:
        for weights in IRRCAC_WEIGHTS:
            ours = _ours_of_rows(ratings, weights)
            case = f"10 raters, {n:,} subjects, {weights}"
            matrix = km.Weights.from_scheme(weights, CATEGORIES).matrix
            floor = timed(partial(_plain_conger, ratings, matrix))
            yield compare(case, ours, "floor: plain numpy, no standard error", floor, target=2 / 3)
            yield compare(case, ours, "irrCAC", conger(weights), target=15)


def _plain_conger(ratings: Array, u: Array) -> float:
    """Conger's kappa of codes 0, 1, ... as one would write it down: no missing ratings, checks or standard error."""
    n, r = ratings.shape
    chosen = np.zeros((n, CATEGORIES))
    for column in ratings.T:
        chosen[np.arange(n), column] += 1
    observed = ((chosen @ u) * chosen).sum() / (n * r * (r - 1))
    shares = np.stack([np.bincount(column, minlength=CATEGORIES) for column in ratings.T]) / n
    pooled = shares.sum(axis=0)
    expected = (pooled @ u @ pooled - ((shares @ u) * shares).sum()) / (r * (r - 1))
    return float(1 - observed / expected)


def _twenty_raters(n: int) -> Comparison:
    case = f"20 raters, {n:,} subjects, quadratic"
    peers.note(case)
    ours = _ours_of_rows(np.ascontiguousarray(codes(n, 20).T), "quadratic")
    return Comparison(case, median(ours().seconds for _ in range(5)))


def compare(
    case: str,
    ours: Run,
    peer: str,
    theirs: Run,
    *,
    target: float | None = None,
    repetitions: int = 5,
    tolerance: float = TOLERANCE,
) -> Comparison:
    """Let both sides take turns; their values must agree within the tolerance."""
    peers.note(f"{case}: {peer}")
    mine, other = [], []
    for _ in range(repetitions):
        mine.append(ours())
        other.append(theirs())
        if not abs(mine[-1].value - other[-1].value) <= tolerance:
            raise DisagreementError(f"{case}: kappamax gives {mine[-1].value!r}, {peer} {other[-1].value!r}")
    return Comparison(case, median(run.seconds for run in mine), peer, median(run.seconds for run in other), target)


def timed(call: Callable[[], Any], value: Callable[[Any], float] = float) -> Run:
    """A call with a stopwatch, or the mean of many if it is short; reading the value off its result is not timed."""

    def run() -> Timed:
        calls, start = 0, perf_counter()
        while (passed := perf_counter() - start) < _TURN or not calls:
            result = call()
            calls += 1
        return Timed(passed / calls, value(result))

    return run


def _ours(first: Array, second: Array) -> Run:
    return timed(lambda: km.kappa(first, second), lambda result: result.value)


def _ours_of_rows(ratings: Array, weights: str) -> Run:
    return timed(lambda: km.kappa(km.from_ratings(ratings), weights=weights), lambda result: result.value)


@contextmanager
def _irrcac(ratings: Array) -> Iterator[Callable[[str], Run]]:
    """A process that holds the ratings as a frame and answers with Conger's kappa by weights."""
    python = peers.python_of("irrcac")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "ratings.npy"
        np.save(file, ratings)
        command = [str(python), "-W", "ignore", "-m", "benchmarks.irrcac_worker", str(file)]
        with subprocess.Popen(
            command, cwd=peers.ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as worker:
            yield lambda weights: partial(ask, worker, IRRCAC_WEIGHTS[weights])


def ask(worker: subprocess.Popen[str], question: str) -> Timed:
    """One line to a worker, its answer back."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    print(question, file=worker.stdin, flush=True)
    return Timed(**json.loads(worker.stdout.readline()))


def codes(n: int, n_raters: int) -> Array:
    """Categories given by raters (rows) who know the true one six times in ten and guess otherwise."""
    rng = np.random.default_rng(20)
    truth = rng.integers(CATEGORIES, size=n)
    guesses = rng.integers(CATEGORIES, size=(n_raters, n))
    return np.where(rng.random((n_raters, n)) < SHARE_KNOWN, truth, guesses)


def _kappa_of_cells(cells: Array) -> float:
    """Cohen's kappa by its definition, from the counts of the pairs of categories in one row."""
    shares = cells.reshape(CATEGORIES, CATEGORIES) / cells.sum()
    by_chance = shares.sum(axis=1) @ shares.sum(axis=0)
    return float((np.trace(shares) - by_chance) / (1 - by_chance))
