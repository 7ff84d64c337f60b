"""Compare the disagreement that the margins of a sample force with what margins that differ by chance force.

Bootstrap resamples show how much the forced disagreement of a sample exceeds that of its population on average.
Permuting the ratings of each subject among the raters shows how much is forced if the raters use the categories equally
often.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kappamax._parallel import run_tasks
from kappamax._progress import Progress
from kappamax._rootsum import RootSum
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Floats, Integers
from kappamax.disagreement.objective import Objective
from kappamax.maximum.least_disagreements import least_disagreements
from kappamax.maximum.solution import Solution
from kappamax.patterns import margins_of
from kappamax.rater_deviations import ComparedRatings
from kappamax.rating_permutations import permuted_margins
from kappamax.table import Table

#: function that returns random margins, shape (size, n_raters, n_categories)
Draw = Callable[[Table, int, np.random.Generator], Integers]

_RESAMPLES_PER_BLOCK = 100
_RESAMPLED_COUNTS = 5_000_000  # largest number of counts of resamples that are held together


def compare_with_chance(
    solution: Solution,
    level: float,
    n_resamples: int,
    generator: np.random.Generator,
    n_jobs: int,
    progress: Progress | None,
) -> ChanceComparison:
    """Compare the forced disagreement with that of bootstrap resamples and of permuted ratings."""
    objective, prices = solution.problem.objective, real_prices(solution)
    sizes = [min(_RESAMPLES_PER_BLOCK, n_resamples - start) for start in range(0, n_resamples, _RESAMPLES_PER_BLOCK)]
    draws: list[tuple[Draw, Floats]] = [(_resampled, prices), (_permuted, np.zeros_like(prices))]
    tasks = ((objective, *how, size, generator.spawn(1)[0]) for how in draws for size in sizes)
    values, done = np.empty(2 * n_resamples), 0
    for block in run_tasks(_block, tasks, n_jobs):
        values[done : done + len(block)] = block
        done += len(block)
        if progress is not None:
            progress(done, 2 * n_resamples, "resampling")
    excess, permuted = values[:n_resamples], values[n_resamples:]
    own = objective.table.margins[None]
    forced = float(least_disagreements(objective, own)[0])
    own_excess = float(_excess(objective, prices, own)[0])  # zero unless the prices leave a gap
    n_extreme = int((permuted >= forced * (1 - ROUNDING_MARGIN)).sum())
    return ChanceComparison(
        forced=forced,
        bias=max(0.0, float(excess.mean()) - own_excess),
        pvalue=(1 + n_extreme) / (1 + n_resamples),
        least_forced=max(0.0, forced - float(np.quantile(permuted, level))),
        n_resamples=n_resamples,
    )


@dataclass(frozen=True)
class ChanceComparison:
    """Comparison of the forced disagreement with what chance gives.

    Attributes
    ----------
    forced : float
        Disagreement that the margins of the sample force.
    bias : float
        Mean over bootstrap resamples of the forced disagreement, minus `forced`.
    pvalue : float
        Probability that permuted ratings force at least as much.
    least_forced : float
        Lower confidence limit of the disagreement that the margins of the population force: `forced` minus a quantile
        of what permuted ratings force. For metric weights this follows from the triangle inequality.
    n_resamples : int
        Number of resamples and of permutations.
    """

    forced: float
    bias: float
    pvalue: float
    least_forced: float
    n_resamples: int


def real_prices(solution: Solution) -> Floats:
    """Return the prices in units of disagreement as doubles, shape (n_raters, n_categories)."""
    assert solution.prices is not None  # without time limit, solvers of complete ratings give prices
    objective, numerators = solution.problem.objective, solution.prices.numerators
    unit = solution.prices.denominator * objective.scale * objective.denominator
    prices = [
        float(RootSum({f: int(n) for f, n in zip(objective.radicands, own, strict=True)}) / unit)
        for own in numerators.reshape(-1, len(objective.radicands))
    ]
    return np.array(prices).reshape(numerators.shape[:2])


def _block(objective: Objective, draw: Draw, prices: Floats, size: int, generator: np.random.Generator) -> Floats:
    """Return the forced disagreement of a block of random margins, minus what the prices of the sample prove of it.

    The part that is subtracted is linear in the margins. Its mean over resamples is the forced disagreement of the
    sample, so subtracting it leaves the bias, with less Monte Carlo error.
    """
    margins = draw(objective.table, size, generator)
    return _excess(objective, prices, margins)


def _excess(objective: Objective, prices: Floats, margins: Integers) -> Floats:
    """Return the least disagreement of margins minus the bound that the prices prove, shape (n,)."""
    bounds = (prices * margins).sum(axis=(1, 2)) / float(objective.n_units)
    return np.asarray(least_disagreements(objective, margins) - bounds)


def _resampled(table: Table, size: int, generator: np.random.Generator) -> Integers:
    """Return the margins of bootstrap resamples, shape (size, n_raters, n_categories)."""
    margins = np.empty((size, *table.margins.shape), dtype=np.int64)
    codes = table.patterns[:, :, None] == np.arange(table.n_categories)
    step = max(1, _RESAMPLED_COUNTS // len(table.counts))
    for start in range(0, size, step):
        part = margins[start : start + step]
        counts = generator.multinomial(table.n_subjects, table.counts / table.n_subjects, size=len(part))
        part[:] = np.tensordot(counts, codes.astype(np.int64), axes=1)
    return margins


def _permuted(table: Table, size: int, generator: np.random.Generator) -> Integers:
    """Return the margins after random permutations of the ratings of each subject among the raters."""
    differ = (table.patterns != table.patterns[:, :1]).any(axis=1)
    patterns, counts = table.patterns[differ], table.counts[differ]
    compared = ComparedRatings(patterns, counts, table.n_categories, table.n_subjects)
    alike = table.margins - margins_of(patterns, counts, table.n_categories)
    return np.asarray(alike + permuted_margins(compared, size, generator))
