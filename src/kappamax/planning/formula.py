"""Compute the standard error of a study with N subjects, and the N from which on a width or a power is reached.

Tests are planned with these standard errors. Widths are planned with the adjusted interval (`goals.WidthGoal`), and the
standard errors only describe how much its width varies, or replace it in studies with too many different patterns.

The standard errors are those of `standard_error` at the assumed table. The standard error of Cohen's kappa is
sd / sqrt(N), and it is used with a normal quantile. That of all other coefficients is sd / sqrt(N - 1), and it is used
with a quantile of Student's t. With missing ratings, N - 1 becomes N - 1 / c, where c is the share of subjects with
enough ratings to compare.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from kappamax._typing import Array, Codes
from kappamax.disagreement.objective import Objective
from kappamax.standard_errors import quantile_of, slopes

MOST_SUBJECTS = 10**12
_STEP = 1e-4  # relative change of shares in a difference quotient, whose relative error is about its square


@dataclass(frozen=True)
class Precision:
    """Precision of studies of a population.

    Attributes
    ----------
    value : float
        Value of the coefficient in the population.
    sd : float
        Limit of sqrt(N) times the standard error of the coefficient for large N.
    student : bool
        Whether quantiles of Student's t, and N - 1 instead of N, are used. This is the case unless the coefficient is
        Cohen's kappa and no ratings are missing.
    counted : float
        Share of subjects with enough ratings to compare. Pairwise agreement needs two or more ratings of a subject.
    """

    value: float
    sd: float
    student: bool
    counted: float

    def deviation(self, n: int) -> float:
        """Return the standard deviation of the coefficient in studies with n subjects."""
        return self.sd / sqrt(n)

    def se(self, n: int) -> float:
        """Return the standard error that a study with n subjects reports."""
        size = n - self.student / self.counted
        return self.sd / sqrt(size) if size > 0 else inf

    def quantile(self, level: float, n: int) -> float:
        """Return the quantile of the normal or t distribution by which the standard error is multiplied."""
        df = n * self.counted - 1
        if not self.student:
            return quantile_of(level, None)
        return quantile_of(level, df) if df > 0 else inf

    def width(self, level: float, n: int) -> float:
        """Return the full width of the interval with n subjects, before it is truncated at 1."""
        return 2 * self.quantile((1 + level) / 2, n) * self.se(n)


def precision_of(objective: Objective) -> Precision:
    """Return the precision of studies of a population, based on the formulas in `standard_errors`."""
    table = objective.table
    shares = table.counts / table.n_subjects
    gradient = gradient_of(objective, None)
    sd = sqrt(max(0.0, float(shares @ (gradient - shares @ gradient) ** 2)))
    counted = float(shares @ (table.n_ratings >= objective.coefficient.group_size))
    by_cohen = objective.coefficient.name == "cohen" and table.complete
    return Precision(objective.value(objective.score), sd, not by_cohen, counted)


def sd_spread(objective: Objective) -> float:
    """Return sqrt(N) times the standard deviation of the estimate of `Precision.sd` for large N, by the delta method.

    Let g be the gradient of the coefficient, centred at the shares p, and H its matrix of second derivatives. The
    derivative of the variance p g^2 with respect to the shares is g^2 + 2 H (p g). The product with H is a difference
    quotient of gradients along the direction p g.
    """
    table = objective.table
    shares = table.counts / table.n_subjects
    gradient = gradient_of(objective, None)
    gradient = gradient - shares @ gradient
    variance = float(shares @ gradient**2)
    if variance == 0:
        return 0.0
    step = _STEP / float(np.abs(gradient).max())
    moved = shares * (1 + step * np.array([[1], [-1]]) * gradient)
    ahead, back = slopes(objective, counts=moved * table.n_subjects) * table.n_subjects
    derivative = gradient**2 + (ahead - back) / step
    spread = float(shares @ (derivative - shares @ derivative) ** 2)
    return sqrt(spread) / (2 * sqrt(variance))


def gradient_of(objective: Objective, patterns: Codes | None) -> Array:
    """Return the derivative of the coefficient with respect to the share of each pattern.

    `patterns` defaults to the patterns of the table.
    """
    return slopes(objective, patterns) * objective.table.n_subjects


def least_subjects(reached: Callable[[int], bool]) -> int | None:
    """Return the number of subjects, at least 2, from which on a goal is reached, or None above `MOST_SUBJECTS`.

    `reached` returns whether a number of subjects reaches the goal. It need not be monotone: the adjusted interval of a
    category that is expected less than once can widen a little as subjects are added. Powers of two are therefore tried
    from the largest to the smallest, until one of them falls short.
    """
    high = 2 ** MOST_SUBJECTS.bit_length()
    if not reached(high):
        return None
    while high > 2 and reached(high // 2):
        high //= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high if high <= MOST_SUBJECTS else None
