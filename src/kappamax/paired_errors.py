"""Compute the standard error of the difference of two coefficients of the same subjects.

Both coefficients are differentiated with respect to the counts of the same subjects, so the standard error accounts for
their correlation.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._tolerances import NO_SPREAD
from kappamax._typing import Array
from kappamax.disagreement.objective import Objective
from kappamax.patterns import n_ratings_of
from kappamax.standard_errors import StandardError, cluster_sums, quantile_of, slopes
from kappamax.table import Table


class SubjectSlopes(NamedTuple):
    """Derivatives of a coefficient of some of the raters, for each row of the subjects of a table.

    The rows are those of the clusters of the table or, if it has none, its different patterns.

    Attributes
    ----------
    slopes : array, shape (m,)
        Derivative of the coefficient with respect to the number of subjects of each row.
    compared : array of bool, shape (m,)
        Whether the raters gave enough ratings to compare to the subjects of each row.
    """

    slopes: Array
    compared: npt.NDArray[np.bool_]


def subject_slopes(table: Table, objective: Objective, raters: Sequence[int]) -> SubjectSlopes:
    """Return the derivatives of a coefficient with respect to the counts of the subjects of a table.

    Parameters
    ----------
    table : Table
        All subjects, and at least the raters of the coefficient.
    objective : Objective
        Table of the raters of the coefficient, weights and coefficient.
    raters : sequence of int
        Columns of the raters of the coefficient in `table`.
    """
    patterns = (table.clusters or table.grouped).patterns[:, list(raters)]
    return SubjectSlopes(slopes(objective, patterns), n_ratings_of(patterns) >= objective.coefficient.group_size)


def paired_error(table: Table, first: SubjectSlopes, second: SubjectSlopes) -> StandardError:
    """Return the standard error of the difference of two coefficients of the subjects of a table.

    The number of subjects, or of clusters if there are some, that have ratings to compare may differ between the two
    coefficients. The smaller number determines the degrees of freedom. A standard error that is zero except for
    rounding is zero.
    """
    gradient = first.slopes - second.slopes
    if table.clusters is None:
        counts = table.counts
        n = min(int(counts[one.compared].sum()) for one in (first, second))
        mean = (counts * gradient).sum() / counts.sum()  # unlike a product of vectors, a sum uses no threads
        variance = float((counts * (gradient - mean) ** 2).sum())
    else:
        codes = table.clusters.codes
        n = min(len(np.unique(codes[one.compared])) for one in (first, second))
        sums = cluster_sums(table.clusters, gradient)
        variance = float(((sums - sums.mean()) ** 2).sum())
    se = sqrt(variance * n / (n - 1)) if n > 1 else None
    return StandardError(0.0 if se is not None and se <= NO_SPREAD else se, "paired", n - 1)


def paired_interval(difference: float, error: StandardError, level: float) -> tuple[float, float] | None:
    """Return the interval difference -+ quantile * se, or None if there is no standard error."""
    if error.se is None:
        return None
    reach = quantile_of((1 + level) / 2, error.df) * error.se
    return difference - reach, difference + reach
