"""Simulate studies of a population.

A study is a multinomial draw of counts, so the time that it takes does not depend on the number of subjects. Studies
are drawn in blocks with separate generators, so the results do not depend on the number of processes.
"""

from __future__ import annotations

import numpy as np

from kappamax._parallel import run_tasks
from kappamax._progress import Progress
from kappamax._typing import Array
from kappamax.confidence_intervals import adjusted_intervals_at
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.fibers.exact_test import exact_test
from kappamax.standard_errors import standard_errors_at
from kappamax.table import Table

_STUDIES_PER_BLOCK = 1000
_TESTS_PER_BLOCK = 50
_CELLS = 2_000_000


def default_draws(n_patterns: int, *, exact: bool = False) -> int:
    """Return the default number of studies, from 1,000 to 10,000, such that the simulation takes about a second.

    It is 1,000 for exact tests, which take several milliseconds each.
    """
    return 1_000 if exact else max(1_000, min(10_000, 10 * _CELLS // n_patterns))


class Simulator:
    """Simulator of studies that reports its progress.

    Parameters
    ----------
    n_draws : int
        Number of studies to simulate at each call of `draw`.
    generator : Generator
        Source of randomness.
    n_jobs : int
        Number of processes.
    progress : callable or None
        Function that is called as ``progress(done, total, message)`` with the number of simulated studies.
    """

    def __init__(self, n_draws: int, generator: np.random.Generator, n_jobs: int, progress: Progress | None) -> None:
        self.n_draws, self.generator, self.n_jobs, self.progress = n_draws, generator, n_jobs, progress
        self.done, self.planned = 0, 0

    def draw(
        self, population: Objective, n: int, *, level: float | None = None, alternative: str | None = None
    ) -> tuple[Array, ...]:
        """Return the coefficient and its standard error in `n_draws` studies with n subjects.

        With a level, the limits and the width of the adjusted interval are returned instead of the standard error, and
        with an alternative the p-value of the exact test.
        """
        table = population.table
        wide = max(len(table.counts), (table.n_raters * table.n_categories) ** 2)
        block = max(10, min(_STUDIES_PER_BLOCK, _CELLS // wide))
        if alternative is not None:
            block = min(block, _TESTS_PER_BLOCK)
        sizes = [min(block, self.n_draws - start) for start in range(0, self.n_draws, block)]
        tasks = (
            (population, n, level, alternative, *one)
            for one in zip(sizes, self.generator.spawn(len(sizes)), strict=True)
        )
        found = []
        for studies in run_tasks(_studies, tasks, self.n_jobs):
            found.append(studies)
            self.done += len(studies[0])
            if self.progress is not None:
                self.progress(self.done, max(self.done, self.planned), "simulating studies")
        return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))


def _studies(
    population: Objective,
    n: int,
    level: float | None,
    alternative: str | None,
    size: int,
    generator: np.random.Generator,
) -> tuple[Array, ...]:
    """Return the coefficient and its standard error, interval or p-value in `size` studies with n subjects."""
    table = population.table
    counts = generator.multinomial(n, table.counts / table.n_subjects, size=size)
    evaluator = Evaluator(population)
    estimates = evaluator.value_of(evaluator.totals(counts))
    if alternative is not None:
        return estimates, _exact_pvalues(population, counts, np.isfinite(estimates), alternative)
    if level is None:
        return estimates, standard_errors_at(population, counts)
    return estimates, *adjusted_intervals_at(population, counts, level)


def _exact_pvalues(population: Objective, counts: Array, defined: Array, alternative: str) -> Array:
    """Return the p-value of the exact test for each row of counts, or 1 if the coefficient is undefined."""
    table = population.table
    found = np.ones(len(counts))
    rows, index = np.unique(counts[defined], axis=0, return_inverse=True)
    pvalues = []
    for row in rows:
        study = Table(table.patterns[row > 0], row[row > 0], table.categories, table.raters, ordered=table.ordered)
        pvalues.append(exact_test(population.for_table(study), alternative=alternative, method="exact").pvalue)
    found[defined] = np.array(pvalues)[index.ravel()] if pvalues else 1.0
    return found
