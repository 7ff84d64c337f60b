"""Find the distribution of a coefficient by chance: exactly, or from a sample of random tables.

It is exact where it takes little work and fits into memory, and a sample otherwise; see `Distribution` for what chance
is. For complete ratings the tables can be counted as well.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from kappamax._integers import distinct_rows
from kappamax._parallel import run_tasks
from kappamax._rootsum import order
from kappamax._typing import Array
from kappamax._validate import as_generator, as_whole_number
from kappamax.disagreement.objective import Objective
from kappamax.errors import Interrupted, NotSupportedError
from kappamax.fibers.counting import MEMORY_LIMIT, Progress
from kappamax.fibers.distribution import Distribution
from kappamax.fibers.rearrangement_scores import RearrangementScores
from kappamax.fibers.sampling import ScoreSampler
from kappamax.fibers.table_scores import TableScores, Tally

METHODS = ("auto", "exact", "monte-carlo")
EXACT_WORK = 3_000_000_000
_SHUFFLED_RATINGS = 2_000_000_000
_FEWEST_DRAWS, _MOST_DRAWS = 2_000, 100_000
_BLOCKS = 50
_UNCOUNTED = 10**300  # beyond which work is not told any more


def null_distribution(
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
) -> Distribution:
    """Return the distribution of a coefficient by chance; see `exact_test` for the parameters.

    `exact_work` is how many additions "auto" takes for an exact distribution, and `n_blocks` in how many parts, each
    with its own generator, random tables are drawn.
    """
    generator = as_generator(rng)
    reason = None
    if method != "monte-carlo":
        most = np.inf if method == "exact" else EXACT_WORK if exact_work is None else exact_work
        try:
            space = _score_space(objective, memory_limit)
            work = space.work(most)
            if work <= most:
                found = space.tally(progress=progress)
                return Distribution.of_outcomes(objective, found.rows, found.probabilities)
            reason = f"the exact distribution would take {float(min(work, _UNCOUNTED)):.2g} additions"
        except NotSupportedError as error:
            if method == "exact":
                raise
            reason = str(error)
    n_ratings = objective.table.n_subjects * objective.table.n_raters
    if n_draws is None:
        n_draws = max(_FEWEST_DRAWS, min(_MOST_DRAWS, _SHUFFLED_RATINGS // max(1, n_ratings)))
    n_draws = as_whole_number("n_draws", n_draws, 1)
    sizes = [size for size in np.diff(np.linspace(0, n_draws, n_blocks + 1).astype(int)).tolist() if size]
    sampler = ScoreSampler(objective)
    tasks = ((sampler, size, own) for size, own in zip(sizes, generator.spawn(len(sizes)), strict=True))
    drawn: list[tuple[Array, Array]] = []
    done = 0
    try:
        for size, block in zip(sizes, run_tasks(_drawn, tasks, n_jobs), strict=True):
            drawn.append(block)
            done += size
            if progress is not None:
                progress(done, n_draws)
    except KeyboardInterrupt:
        if not done:
            raise
        raise Interrupted(_gathered(objective, drawn, done, "interrupted")) from None
    return _gathered(objective, drawn, done, reason)


def distribution_over_tables(
    objective: Objective, *, memory_limit: float, progress: Progress | None = None
) -> Distribution:
    """Return the distribution of a coefficient by chance with the number of tables at every value."""
    space = TableScores([objective], memory_limit)
    found = space.tally(n_tables=True, progress=progress)
    objective.value(objective.score)  # raises where the coefficient is undefined
    by_value = order([score for (score,) in space.scores(found.rows)])[::-1]  # it falls as disagreement rises
    n_tables = tuple(found.n_tables[i] for i in by_value)
    return Distribution(objective, found.rows[by_value], found.probabilities[by_value], n_tables)


class _ScoreSpace(Protocol):
    """The scores that ratings reach by chance, of complete ratings (`TableScores`) or with some missing."""

    def work(self, most: float = ...) -> int: ...
    def tally(self, *, progress: Progress | None = ...) -> Tally: ...


def _score_space(objective: Objective, memory_limit: float) -> _ScoreSpace:
    """What the exact distribution is computed with."""
    if objective.table.complete:
        return TableScores([objective], memory_limit)
    return RearrangementScores(objective, memory_limit)


def _drawn(sampler: ScoreSampler, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """The different scores of so many random tables, and how often each came."""
    return _tallied(sampler.scores(size, rng))


def _gathered(objective: Objective, drawn: list[tuple[Array, Array]], done: int, reason: str | None) -> Distribution:
    """Several blocks of draws as one distribution."""
    rows, counts = (np.concatenate(both) for both in zip(*drawn, strict=True))
    return Distribution.of_outcomes(objective, *_tallied(rows, counts), done, reason)


def _tallied(rows: Array, counts: Array | None = None) -> tuple[Array, Array]:
    """The different rows in order, and how often each occurs."""
    distinct, place = distinct_rows(rows)
    return distinct, np.bincount(place, weights=counts)
