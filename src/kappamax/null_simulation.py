"""Simulate the statistic of a test in a population in which a coefficient has the null value.

Few subjects disagree in most studies, so the normal approximation of a test against a value rejects too often on one
side and too seldom on the other. The distribution of the statistic is therefore simulated. The population is made from
the observed table: the pseudo-subjects of the adjusted interval are added, and the result is mixed with a table that
has the same margins, that of independent raters or of largest agreement, so that the coefficient has the null value.
The statistic is (center - null) / se with the center and the standard error of the adjusted interval.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kappamax._tolerances import TIES
from kappamax._typing import Array
from kappamax.coefficients import as_objective
from kappamax.confidence_intervals import adjusted_centers_and_errors
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.patterns import indices_of, patterns_at
from kappamax.planning.population import tables_through
from kappamax.pseudo_subjects import pseudo_subjects_for
from kappamax.table import Table

MOST_SIMULATED_SUBJECTS = 1_000
MOST_SIMULATED_PATTERNS = 1_000
_COUNTS_AT_ONCE = 2_000_000
_PARTS = 10**6  # parts of a subject in which the counts of the smoothed table are rounded
_LEVEL = 0.95  # confidence level of the interval whose pseudo-subjects are added


class SimulatedTest(NamedTuple):
    """Statistic of a test and its simulated p-values.

    Attributes
    ----------
    statistic, se : float
        Observed statistic, and the standard error in it.
    below, above : float
        P-values of the alternatives "less" and "greater": the share of studies with at most, and with at least, the
        observed statistic, where the observed study counts as one of them.
    n_defined : int
        Number of simulated studies in which the coefficient is defined.
    limit : float or None
        Value of the coefficient in the population if its margins do not allow the null value; otherwise None.
    """

    statistic: float
    se: float
    below: float
    above: float
    n_defined: int
    limit: float | None


def simulated_test(objective: Objective, null: float, n_draws: int, rng: np.random.Generator) -> SimulatedTest:
    """Return the p-values of a null value, from studies that are drawn from a population with this value."""
    drawn, true_value, limit = null_population(objective, null)
    center, se = adjusted_centers_and_errors(objective, None, _LEVEL)
    statistic = float((center - null) / se)
    shares = drawn.table.counts / drawn.table.counts.sum()
    n_below = n_above = n_defined = 0
    for size in blocks_of_draws(n_draws, len(shares)):
        counts = rng.multinomial(objective.table.n_subjects, shares, size=size)
        statistics = _statistics(drawn, counts, true_value)
        n_defined += len(statistics)
        n_below += int((statistics <= statistic + TIES).sum())
        n_above += int((statistics >= statistic - TIES).sum())
    p_below, p_above = ((1 + n) / (1 + n_defined) for n in (n_below, n_above))
    return SimulatedTest(statistic, float(se), p_below, p_above, n_defined, limit)


class NullPopulation(NamedTuple):
    """Population with the null value, from which studies are drawn.

    Attributes
    ----------
    objective : Objective
        Objective of a table with the shares of all patterns in the population.
    value : float
        Value of the coefficient in the population.
    limit : float or None
        The same value if it is not the null value, because the margins do not allow that; otherwise None.
    """

    objective: Objective
    value: float
    limit: float | None


def null_population(objective: Objective, null: float) -> NullPopulation:
    """Return the population with the null value, or with the nearest value that its margins allow."""
    options: dict[str, Any] = {"weights": objective.weights, "coefficient": objective.coefficient.name}
    tables = tables_through(_smoothed(objective), options)
    limit = tables.limit_passed(null)
    table = (tables.at(null, "null") if limit is None else tables.population(limit)).table
    nearest = None if limit is None else float(limit.value)
    return NullPopulation(as_objective(table, **options), null if nearest is None else nearest, nearest)


def _statistics(objective: Objective, counts: Array, null: float) -> Array:
    """Return the statistic of every row of counts in which the coefficient is defined."""
    evaluator = Evaluator(objective)
    defined = np.isfinite(evaluator.value_of(evaluator.totals(counts)))
    centers, errors = adjusted_centers_and_errors(objective, counts[defined], _LEVEL)
    return np.asarray((centers - null) / errors)


def _smoothed(objective: Objective) -> Table:
    """Return the table of all possible patterns, with the pseudo-subjects of the adjusted interval added."""
    table = objective.table
    k, r = table.n_categories, table.n_raters
    patterns = patterns_at(np.arange(k**r), (k,) * r)
    pseudo, n_pseudo = pseudo_subjects_for(Evaluator(objective), _LEVEL)
    alike = (patterns == patterns[:, :1]).all(axis=1)
    counts = n_pseudo * ((1 - pseudo.unanimous) / k**r + pseudo.unanimous / k * alike)
    counts[indices_of(table.patterns.T, (k,) * r)] += table.counts
    return table.like(patterns, np.rint(_PARTS * counts).astype(np.int64))


def blocks_of_draws(n_draws: int, n_patterns: int) -> list[int]:
    """Return sizes of blocks of draws that fit into memory together."""
    most = max(1, _COUNTS_AT_ONCE // n_patterns)
    return [min(most, n_draws - start) for start in range(0, n_draws, most)]
