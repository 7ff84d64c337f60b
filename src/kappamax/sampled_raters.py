"""Compute the variance of a coefficient that is due to a random choice of the raters."""

from __future__ import annotations

import numpy as np

from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError


def rater_variance(objective: Objective) -> float:
    """Return the variance due to a sample of raters, by the delete-one jackknife over raters (Gwet 2008).

    It is (r - 1) / r times the sum of the squared deviations of the coefficients without each rater from their mean.

    Raises
    ------
    NotSupportedError
        If no rater can be left out because there are too few.
    UndefinedKappaError
        If the coefficient is undefined without one of the raters.
    """
    table, r, group_size = objective.table, objective.table.n_raters, objective.coefficient.group_size
    if r <= group_size:
        raise NotSupportedError(
            f"the variance due to a sample of raters needs at least {group_size + 1} raters, of whom each is left out "
            f"in turn; got {r}."
        )
    values = []
    for left_out in range(r):
        rest = [rater for rater in range(r) if rater != left_out]
        chosen = as_objective(
            table.select(rest),
            weights=objective.weights.for_raters(rest),
            coefficient=objective.coefficient.name,
            group_size=group_size,
        )
        values.append(chosen.value(chosen.score))
    return float((r - 1) / r * ((np.array(values) - np.mean(values)) ** 2).sum())
