"""Simulate studies of a population.

A study is a multinomial draw of counts, so its cost does not grow with the number of subjects. Studies come in blocks
with spawned generators: results do not depend on how many processes share the work.
"""

from __future__ import annotations

import numpy as np

from kappamax._parallel import run_tasks
from kappamax._typing import Array
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.inference import standard_errors_at
from kappamax.resampling import Progress

_STUDIES_PER_BLOCK = 1000
_CELLS = 2_000_000


def default_draws(n_patterns: int) -> int:
    """Return how many studies to simulate: as many as take about a second, from a thousand to ten thousand."""
    return max(1_000, min(10_000, 10 * _CELLS // n_patterns))


class Simulator:
    """Draws studies and reports the progress."""

    def __init__(self, n_draws: int, generator: np.random.Generator, n_jobs: int, progress: Progress | None) -> None:
        self.n_draws, self.generator, self.n_jobs, self.progress = n_draws, generator, n_jobs, progress
        self.done, self.planned = 0, 0

    def draw(self, population: Objective, n: int) -> tuple[Array, Array]:
        """Return the coefficient and its standard error in `n_draws` studies with n subjects."""
        table = population.table
        wide = max(len(table.counts), (table.n_raters * table.n_categories) ** 2)
        block = max(10, min(_STUDIES_PER_BLOCK, _CELLS // wide))
        sizes = [min(block, self.n_draws - start) for start in range(0, self.n_draws, block)]
        tasks = ((population, n, *one) for one in zip(sizes, self.generator.spawn(len(sizes)), strict=True))
        found = []
        for studies in run_tasks(_studies, tasks, self.n_jobs):
            found.append(studies)
            self.done += len(studies[0])
            if self.progress is not None:
                self.progress(self.done, max(self.done, self.planned))
        estimates, errors = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return estimates, errors


def _studies(population: Objective, n: int, size: int, generator: np.random.Generator) -> tuple[Array, Array]:
    """Return the coefficient and its standard error in some studies with n subjects."""
    table = population.table
    counts = generator.multinomial(n, table.counts / table.n_subjects, size=size)
    evaluator = Evaluator(population)
    return evaluator.value_of(evaluator.totals(counts)), standard_errors_at(population, counts)
