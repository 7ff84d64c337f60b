"""Compute the standard error of a study with N subjects, and the least N for a width or a power.

The standard errors are those of `inference`, from the same slopes, at the assumed table: sd / sqrt(N) with a normal
quantile for Cohen's kappa, and sd / sqrt(N - 1) with Student's t for everything else. With missing ratings the 1 is
one subject with ratings to compare.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt

from kappamax._typing import Array, Codes
from kappamax.disagreement.objective import Objective
from kappamax.inference import quantile_of, slopes

MOST_SUBJECTS = 10**12


@dataclass(frozen=True)
class Precision:
    """How precise a study of a population is.

    Attributes
    ----------
    value : float
        The coefficient in the population.
    sd : float
        sqrt(N) times the standard deviation of the coefficient, and times its standard error, for large N.
    student : bool
        Whether Student's t is used, and n - 1 in place of n: everywhere but for Cohen's kappa without missing ratings.
    counted : float
        The share of subjects that make up n: those with ratings to compare, two or more.
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
        """Return the quantile by which the standard error is multiplied."""
        df = n * self.counted - 1
        if not self.student:
            return quantile_of(level, None)
        return quantile_of(level, df) if df > 0 else inf

    def width(self, level: float, n: int) -> float:
        """Return the whole width of the interval with n subjects, before it is cut at 1."""
        return 2 * self.quantile((1 + level) / 2, n) * self.se(n)


def precision_of(objective: Objective) -> Precision:
    """Return the precision of studies of a population, by the standard error of `inference`."""
    table = objective.table
    shares = table.counts / table.n_subjects
    gradient = gradient_of(objective, None)
    sd = sqrt(max(0.0, float(shares @ (gradient - shares @ gradient) ** 2)))
    counted = float(shares @ (table.n_ratings >= objective.coefficient.group_size))
    by_cohen = objective.coefficient.name == "cohen" and table.complete
    return Precision(objective.value(objective.score), sd, not by_cohen, counted)


def gradient_of(objective: Objective, patterns: Codes | None) -> Array:
    """Return the derivative of the coefficient in the share of each pattern, by default of the table's own."""
    return slopes(objective, patterns) * objective.table.n_subjects


def least_subjects(reached: Callable[[int], bool]) -> int | None:
    """Return the least number of subjects, at least 2, that reaches a goal; None beyond `MOST_SUBJECTS`."""
    low, high = 1, 2
    while not reached(high):
        low, high = high, 2 * high
        if high > 2 * MOST_SUBJECTS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high if high <= MOST_SUBJECTS else None
