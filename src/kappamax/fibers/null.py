"""An objective in; the distribution of its score by chance, exact or drawn, and p-values out.

By chance each rater's ratings fall on the subjects in any order, all orders equally likely. The distribution is exact
where it takes little work and fits into memory, and a sample of random tables otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._checks import options
from kappamax._exact import RootSum, distinct_rows
from kappamax._parallel import run_tasks
from kappamax.errors import Interrupted, NotSupportedError
from kappamax.fibers.count import MEMORY_LIMIT, all_patterns
from kappamax.fibers.distribution import as_extreme, mean_score
from kappamax.fibers.listing import LISTED_TABLES, fewest_tables
from kappamax.fibers.sample import ScoreSampler
from kappamax.fibers.scores import ScoreSpace
from kappamax.fibers.ways import Progress, Ways
from kappamax.objective import Objective

__all__ = ["EXACT_WORK", "METHODS", "Null", "null_of"]

Array = npt.NDArray[Any]

METHODS = ("auto", "exact", "monte-carlo")
EXACT_WORK = 3_000_000_000
_SHUFFLED_RATINGS = 2_000_000_000
_FEWEST_DRAWS, _MOST_DRAWS = 2_000, 100_000
_BLOCKS = 50
_CLEAR = 1e-9


def null_of(
    objective: Objective,
    *,
    method: str = "auto",
    exact_work: float | None = None,
    n_draws: int | None = None,
    n_blocks: int = _BLOCKS,
    rng: np.random.Generator | int | None = None,
    n_jobs: int = 1,
    memory_limit: float = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Null:
    """The distribution of an objective's score by chance; see `exact_test` for the parameters.

    `exact_work` is how many additions "auto" takes for an exact distribution, and `n_blocks` in how many parts, each
    with its own generator, random tables are drawn.
    """
    generator = options.generator(rng)
    reason = None
    if method != "monte-carlo":
        most = np.inf if method == "exact" else EXACT_WORK if exact_work is None else exact_work
        try:
            work = _least_work(objective, memory_limit)  # soon known, and enough to give up on large designs
            if work <= most or fewest_tables(objective.table) <= LISTED_TABLES:
                space = ScoreSpace([objective], memory_limit)
                work = space.least_work()
                if work <= most:
                    work = space.work()
                if work <= most:
                    return _exact_null(space, objective, progress)
            reason = f"the exact distribution would take {float(work):.2g} additions"
        except NotSupportedError as error:
            if method == "exact":
                raise
            reason = str(error)
    draws = _draws_for(objective.table.n_subjects * objective.table.n_raters) if n_draws is None else n_draws
    draws = options.at_least("n_draws", draws, 1)
    sizes = [size for size in np.diff(np.linspace(0, draws, n_blocks + 1).astype(int)).tolist() if size]
    sampler = ScoreSampler(objective)
    tasks = ((sampler, size, own) for size, own in zip(sizes, generator.spawn(len(sizes)), strict=True))
    drawn: list[tuple[Array, Array]] = []
    done = 0
    try:
        for size, block in zip(sizes, run_tasks(_drawn, tasks, n_jobs), strict=True):
            drawn.append(block)
            done += size
            if progress is not None:
                progress(done, draws)
    except KeyboardInterrupt:
        if not done:
            raise
        raise Interrupted(_gathered(objective, drawn, done, "interrupted")) from None
    return _gathered(objective, drawn, done, reason)


@dataclass(frozen=True)
class Null:
    """Scores by chance: every different one with its share of all arrangements, or of the draws.

    Attributes
    ----------
    rows : whole numbers, shape (n, number of radicands)
        Components of the score.
    counts : numbers, shape (n,)
        Probabilities, or how many draws had that score.
    n_draws : int or None
        None where the distribution is exact.
    reason : str or None
        Why it is not.
    """

    objective: Objective
    rows: Array
    counts: Array
    n_draws: int | None
    reason: str | None

    @property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """The share of each score."""
        return np.asarray(self.counts if self.n_draws is None else self.counts / self.n_draws, dtype=float)

    @cached_property
    def values(self) -> npt.NDArray[np.float64]:
        """The coefficient at each score, in doubles."""
        return np.asarray(1 - self._observed / float(self.objective.expected))

    @cached_property
    def _observed(self) -> npt.NDArray[np.float64]:
        """The mean disagreement at each score, in doubles; whole numbers of any size are divided as such."""
        objective = self.objective
        shares = self.rows.astype(object) / (objective.scale * objective.denominator * objective.n_units)
        return np.asarray(shares.astype(float) @ np.sqrt(np.array(objective.radicands, dtype=float)))

    def pvalue(self, alternative: str) -> float:
        """The probability by chance of a score at least as extreme as the observed one.

        From draws it is (b + 1) / (n_draws + 1) with b such draws: never zero, and valid as a p-value.
        """
        extreme = float(self.counts[self._extreme(alternative)].sum())
        return min(1.0, extreme) if self.n_draws is None else (extreme + 1) / (self.n_draws + 1)

    def _extreme(self, alternative: str) -> npt.NDArray[np.bool_]:
        """Which scores are at least as extreme: by doubles where they are clear; else exactly, or within the tolerance
        of weights that are not exact.
        """
        objective = self.objective
        observed, mean = objective.score, mean_score(objective)
        here, expected = float(objective.observed(observed)), float(objective.observed(mean))
        beyond = _beyond(self._observed, here, expected, alternative)
        extreme = np.asarray(beyond >= -objective.weights.tolerance)
        if objective.weights.exact:
            near = np.flatnonzero(np.abs(beyond) <= _CLEAR * (np.abs(self._observed).max() + abs(here)))
            scores = [RootSum(dict(zip(objective.radicands, row, strict=True))) for row in self.rows[near].tolist()]
            extreme[near] = as_extreme(scores, observed, mean, alternative)
        return extreme


def _least_work(objective: Objective, memory_limit: float) -> int:
    """Additions that the distribution takes at least; zero where something else is in its way."""
    table = objective.table
    if not table.complete or not objective.weights.exact:
        return 0
    ways = Ways(table.margins, all_patterns(table.margins))
    return ways.work() if ways.chance_bytes() <= memory_limit else 0


def _exact_null(space: ScoreSpace, objective: Objective, progress: Progress | None) -> Null:
    rows, _, chances = space.tally(n_tables=False, progress=progress)
    return Null(objective, rows, chances, None, None)


def _drawn(sampler: ScoreSampler, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """The different scores of so many random tables, and how often each came."""
    return _tallied(sampler.scores(size, rng))


def _gathered(objective: Objective, drawn: list[tuple[Array, Array]], done: int, reason: str | None) -> Null:
    """Several blocks of draws as one."""
    if len(drawn) == 1:
        return Null(objective, *drawn[0], done, reason)
    rows, counts = (np.concatenate(both) for both in zip(*drawn, strict=True))
    return Null(objective, *_tallied(rows, counts), done, reason)


def _tallied(rows: Array, counts: Array | None = None) -> tuple[Array, Array]:
    """The different rows in order, and how often each occurs."""
    distinct, place = distinct_rows(rows)
    return distinct, np.bincount(place, weights=counts)


def _beyond(scores: Array, observed: float, mean: float, alternative: str) -> Array:
    """How far beyond the observed score each score is in the direction of the alternative; negative if it is not."""
    if alternative == "greater":
        return observed - scores
    if alternative == "less":
        return scores - observed
    return np.asarray(np.abs(scores - mean) - abs(observed - mean))


def _draws_for(n_ratings: int) -> int:
    """How many random tables are worth their time by default."""
    return max(_FEWEST_DRAWS, min(_MOST_DRAWS, _SHUFFLED_RATINGS // max(1, n_ratings)))
