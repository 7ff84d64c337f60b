"""Simulate studies of several groups in which all groups have the same coefficient.

Each group keeps its number of subjects and its margins, up to pseudo-subjects, so that the simulated studies have the
shape of the observed one, however different the groups are (see `null_simulation`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kappamax._tolerances import TIES
from kappamax._typing import Array, Floats
from kappamax.confidence_intervals import adjusted_centers_and_errors
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.group_comparisons.group_estimates import TEST_LEVEL, Estimates
from kappamax.group_comparisons.welch_tests import chi_square
from kappamax.null_simulation import MOST_SIMULATED_PATTERNS, null_population
from kappamax.null_tables import null_table_obstacle

_STUDIES_AT_ONCE = 10_000
_COUNTS_AT_ONCE = 2_000_000
_MOST_SUBJECTS = 10**9


class NullStudies(NamedTuple):
    """Estimates of the groups in simulated studies, arrays of shape (n_studies, n_groups).

    Attributes
    ----------
    deviations : floats
        Values of the tables with pseudo-subjects, minus the value in the population.
    errors : floats
        Standard errors of the tables with pseudo-subjects.
    """

    deviations: Floats
    errors: Floats

    def equality_pvalue(self, estimates: Estimates) -> float:
        """Return the p-value of the hypothesis that the coefficients of all groups are equal."""
        observed = float(chi_square(estimates.centers, estimates.errors))
        return self._share(int((chi_square(self.deviations, self.errors) >= observed - TIES).sum()))

    def pair_pvalues(self, estimates: Estimates, first: Array, second: Array) -> Floats:
        """Return the p-values of differences of two groups, adjusted by the largest difference in each study."""
        gaps = estimates.centers[first] - estimates.centers[second]
        observed = np.abs(gaps) / np.hypot(estimates.errors[first], estimates.errors[second])
        largest = np.zeros(len(self.errors))
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            own = np.abs(self.deviations[:, a] - self.deviations[:, b]) / np.hypot(self.errors[:, a], self.errors[:, b])
            np.maximum(largest, own, out=largest)
        above = len(largest) - np.searchsorted(np.sort(largest), observed - TIES)
        return np.array([self._share(n) for n in above.tolist()])

    def contrast_pvalue(self, estimates: Estimates, factors: Array) -> float:
        """Return the two-sided p-value of the hypothesis that a linear combination of the coefficients is zero."""
        observed = abs(float(factors @ estimates.centers)) / float(np.sqrt(factors**2 @ estimates.errors**2))
        drawn = np.abs(self.deviations @ factors) / np.sqrt(self.errors**2 @ factors**2)
        return self._share(int((drawn >= observed - TIES).sum()))

    def _share(self, n_extreme: int) -> float:
        """Return the share of extreme studies, where the observed study counts as one of them."""
        return (1 + n_extreme) / (1 + len(self.errors))


def null_studies_obstacle(names: Sequence[str], objectives: Sequence[Objective]) -> str | None:
    """Return why no studies of these groups can be simulated, or None if they can."""
    for name, objective in zip(names, objectives, strict=True):
        table = objective.table
        if table.clusters is not None:
            return f"the subjects of group {name!r} are in clusters"
        if not table.complete:
            return f"some ratings of group {name!r} are missing"
        if table.n_categories**table.n_raters > MOST_SIMULATED_PATTERNS:
            return f"more than {MOST_SIMULATED_PATTERNS:,} patterns of ratings are possible in group {name!r}"
        if table.n_subjects < 2:
            return f"group {name!r} has only one subject"
        if table.n_subjects > _MOST_SUBJECTS:
            return f"group {name!r} has more than {_MOST_SUBJECTS:,} subjects"
        if obstacle := null_table_obstacle(objective, MOST_SIMULATED_PATTERNS):
            return obstacle
    return None


def null_studies(objectives: Sequence[Objective], null: float, n_studies: int, rng: np.random.Generator) -> NullStudies:
    """Return studies in which the coefficient of every group has the null value in the population.

    If the margins of a group do not allow this value, its population has the nearest value that they allow; since
    deviations from the value in the population are compared, this changes the standard errors only.
    """
    drawn = [_drawn(objective, null, n_studies, rng) for objective in objectives]
    deviations, errors = zip(*drawn, strict=True)
    return NullStudies(np.stack(deviations, axis=1), np.stack(errors, axis=1))


def _drawn(objective: Objective, null: float, n_studies: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return deviations and errors of simulated tables of one group in which the coefficient is defined."""
    population, value, _ = null_population(objective, null)
    shares = population.table.counts / population.table.counts.sum()
    evaluator = Evaluator(population)
    deviations, errors = np.full(n_studies, np.nan), np.ones(n_studies)
    step = max(1, min(_STUDIES_AT_ONCE, _COUNTS_AT_ONCE // len(shares)))
    for start in range(0, n_studies, step):
        block = slice(start, min(start + step, n_studies))
        counts = rng.multinomial(objective.table.n_subjects, shares, size=block.stop - block.start)
        distinct, places = np.unique(counts, axis=0, return_inverse=True)
        centers, own_errors = adjusted_centers_and_errors(population, distinct, TEST_LEVEL)
        undefined = np.isnan(evaluator.value_of(evaluator.totals(distinct)))
        deviations[block] = np.where(undefined, np.nan, centers - value)[places.ravel()]
        errors[block] = own_errors[places.ravel()]
    # the observed coefficient is defined, so studies in which it is not are replaced by others
    undefined = np.flatnonzero(np.isnan(deviations))
    if len(undefined) == n_studies:  # of very few studies; then nothing is known about the group
        return np.zeros(n_studies), errors
    if len(undefined):
        others = rng.choice(np.flatnonzero(~np.isnan(deviations)), size=len(undefined))
        deviations[undefined], errors[undefined] = deviations[others], errors[others]
    return deviations, errors
