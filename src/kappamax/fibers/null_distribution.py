"""Compute the null distribution of a coefficient, exactly or from a sample of random tables.

By default the distribution is computed exactly if this takes little time and fits into memory, and estimated from a
sample otherwise. `Distribution` defines the null distribution. If no ratings are missing, the number of tables with
each value can be counted as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from kappamax._integers import distinct_rows
from kappamax._parallel import run_tasks
from kappamax._progress import WorkCallback
from kappamax._rootsum import order
from kappamax._typing import Array
from kappamax._validate import MOST_DRAWS, as_generator, as_whole_number
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import Interrupted, NotSupportedError
from kappamax.fibers.distribution import Distribution
from kappamax.fibers.limits import MEMORY_LIMIT, require_little_work
from kappamax.fibers.rearrangement_scores import RearrangementScores
from kappamax.fibers.sampling import ScoreSampler
from kappamax.fibers.subject_scores import SubjectScores, recursion_available
from kappamax.fibers.table_scores import TableScores, Tally

METHODS = ("auto", "exact", "monte-carlo")
#: number of additions up to which the method "auto" computes the exact distribution
EXACT_WORK = 2_000_000_000
_SMALL_WORK = 50_000_000
_SHUFFLED_RATINGS = 5_000_000
_FEWEST_DRAWS, _MOST_DRAWS = 2_000, 100_000
_BLOCKS = 50
_DRAWN_TOGETHER = 1_000  # drawing fewer tables than this rater by rater takes hardly less time


def null_distribution(
    objective: Objective,
    *,
    method: str = "auto",
    n_draws: int | None = None,
    rng: np.random.Generator | int | None = None,
    n_jobs: int = 1,
    memory_limit: float = MEMORY_LIMIT,
    work_limit: float | None = None,
    progress: WorkCallback | None = None,
) -> Distribution:
    """Return the null distribution of a coefficient.

    Parameters
    ----------
    objective : Objective
        The observed table, the weights and the coefficient.
    method, n_draws, rng, n_jobs, memory_limit, progress
        As for `exact_test`.
    work_limit : float, optional
        Number of additions that the method "exact" may take. By default there is no limit.

    Returns
    -------
    Distribution

    Raises
    ------
    NotSupportedError
        If the method is "exact" and the exact distribution cannot be computed.
    Interrupted
        If Ctrl-C stops the sampling. The attribute `best` of the exception is the distribution of the tables drawn so
        far.
    """
    objective.require_fixed_weights("the null distribution")
    generator = as_generator(rng)
    reason = None
    if method != "monte-carlo":
        most = EXACT_WORK if method == "auto" else work_limit or np.inf
        try:
            space, work = _score_space(objective, memory_limit, most)
            if method == "exact" and work_limit is not None:
                require_little_work("the distribution", work, work_limit)
            if work <= most:
                found = space.tally(progress=progress)
                return Distribution.of_outcomes(objective, found.rows, found.probabilities)
            reason = f"the exact distribution would take {numbers.rough(work, 2)} additions"
        except NotSupportedError as error:
            if method == "exact":
                raise
            reason = str(error)
    n_ratings = objective.table.n_subjects * objective.table.n_raters
    if n_draws is None:
        n_draws = max(_FEWEST_DRAWS, min(_MOST_DRAWS, _SHUFFLED_RATINGS // max(1, n_ratings)))
    n_draws = as_whole_number("n_draws", n_draws, 1, MOST_DRAWS)
    sampler = ScoreSampler(objective, memory_limit)
    n_blocks = min(n_draws, _BLOCKS if sampler.by_rater is None else max(1, min(_BLOCKS, n_draws // _DRAWN_TOGETHER)))
    sizes = np.diff(np.linspace(0, n_draws, n_blocks + 1).astype(int)).tolist()
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
    objective: Objective, *, memory_limit: float, progress: WorkCallback | None = None
) -> Distribution:
    """Return the exact null distribution of a coefficient, with the number of tables at every value.

    Parameters
    ----------
    objective : Objective
        The observed table, the weights and the coefficient.
    memory_limit : float
        Number of bytes that counting may use.
    progress : callable, optional
        Function that is called with the amount of work done and the total amount of work.

    Returns
    -------
    Distribution

    Raises
    ------
    NotSupportedError
        If ratings are missing, the weights are not exact, or counting would need more memory than the limit.
    UndefinedKappaError
        If the coefficient is 0/0.
    """
    space = TableScores([objective], memory_limit)
    found = space.tally(n_tables=True, progress=progress)
    objective.value(objective.score)  # raises if the coefficient is undefined
    by_value = order([score for (score,) in space.scores(found.rows)])[::-1]  # the value decreases with the score
    n_tables = tuple(found.n_tables[i] for i in by_value)
    return Distribution(objective, found.rows[by_value], found.probabilities[by_value], n_tables)


class _ScoreSpace(Protocol):
    """Interface that `TableScores`, `SubjectScores` and `RearrangementScores` share."""

    def work(self, most: float = ...) -> int: ...
    def tally(self, *, progress: WorkCallback | None = ...) -> Tally: ...


def _score_space(objective: Objective, memory_limit: float, most: float) -> tuple[_ScoreSpace, int]:
    """Return the object that computes the exact distribution of the scores, and the number of additions it takes.

    Small fibers are counted or listed, because the loops of the recursion over subjects must be compiled first. For
    larger ones the method with less work is chosen. If the number of additions is found to exceed `most`, a lower bound
    on it is returned.
    """
    if not objective.table.complete:
        rearranged = RearrangementScores(objective, memory_limit)
        return rearranged, rearranged.work(most)
    small = _small_space(objective, memory_limit)
    if small is not None:
        return small, small.work(most)
    methods: list[Callable[[], _ScoreSpace]] = [lambda: TableScores([objective], memory_limit)]
    if recursion_available():
        methods.insert(0, lambda: SubjectScores(objective, memory_limit))
    found: list[tuple[_ScoreSpace, int]] = []
    refused: list[NotSupportedError] = []
    for make in methods:
        try:
            space = make()
            found.append((space, space.work(most)))
        except NotSupportedError as error:
            refused.append(error)
        if found and found[-1][1] <= EXACT_WORK:
            break
    if not found:
        raise refused[0]
    return min(found, key=lambda one: one[1])


def _small_space(objective: Objective, memory_limit: float) -> TableScores | None:
    """Return the scores of a fiber if it is so small that counting or listing its tables takes little time."""
    try:
        space = TableScores([objective], memory_limit)
    except NotSupportedError:  # if this is not for lack of memory, the other methods raise the same error
        return None
    return space if space.work(_SMALL_WORK) <= _SMALL_WORK else None


def _drawn(sampler: ScoreSampler, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the distinct scores of `size` random tables, and how often each occurs."""
    return _tallied(sampler.scores(size, rng))


def _gathered(objective: Objective, drawn: list[tuple[Array, Array]], done: int, reason: str | None) -> Distribution:
    """Return the distribution of the draws of all blocks."""
    rows, counts = (np.concatenate(both) for both in zip(*drawn, strict=True))
    return Distribution.of_outcomes(objective, *_tallied(rows, counts), done, reason)


def _tallied(rows: Array, counts: Array | None = None) -> tuple[Array, Array]:
    """Return the distinct rows in order, and how often each occurs."""
    distinct, place = distinct_rows(rows)
    return distinct, np.bincount(place, weights=counts)
