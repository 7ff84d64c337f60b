"""Test values of kappa with the standard error at the null value, as `km.value_test` does, for many tables at once.

For each pair of a table and a null value, the standard error is computed at the mixture, with the margins of the table,
of the two nearest ones among four tables: the observed table, the table of independent raters, and the tables of
largest and smallest kappa. Inverting the test gives an interval of the score type: its standard error is not estimated
at the observed table.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from benchmarks.interval_candidates import LEVEL
from kappamax._typing import Array, Integers
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.planning.population import tables_through
from kappamax.standard_errors import slopes

NAME = "standard error at the null value"
_Z = float(norm.ppf((1 + LEVEL) / 2))
_EQUAL = 1e-12


class NullValueTests:
    """The two-sided tests of rows of counts at which kappa is defined.

    Parameters
    ----------
    objective : Objective
        Weights and kappa, with a table that lists all patterns.
    counts : array of int, shape (rows, number of patterns)
        Observed tables.
    """

    def __init__(self, objective: Objective, counts: Integers) -> None:
        self.objective, self.n = objective, counts.sum(axis=1)
        evaluator = Evaluator(objective)
        self.estimates = evaluator.value_of(evaluator.totals(counts))
        by_margins: dict[bytes, tuple[Array, Array]] = {}
        shares, values = [], []
        for row, estimate in zip(counts, self.estimates, strict=True):
            margins = evaluator.totals(row).use.tobytes()
            if margins not in by_margins:
                by_margins[margins] = _other_tables(objective, row)
            others, own_values = by_margins[margins]
            shares.append(np.vstack([others, row / row.sum()]))
            values.append(np.append(own_values, estimate))
        order = np.argsort(values, axis=1, kind="stable")
        self.values = np.take_along_axis(np.array(values), order, axis=1)
        self.shares = np.take_along_axis(np.array(shares), order[:, :, None], axis=1)

    def accept(self, kappa: float) -> Array:
        """Return whether each table accepts kappa.

        If the standard error at kappa is zero, only the estimate itself is accepted.
        """
        return np.asarray(np.abs(self.estimates - kappa) <= _Z * self.errors(kappa) + _EQUAL)

    def errors(self, kappa: float) -> Array:
        """Return the standard error of each test."""
        rows = self.n[:, None] * self._shares_at(kappa)
        gradient = slopes(self.objective, counts=rows)
        return np.asarray(np.sqrt((rows * gradient**2).sum(axis=1)))  # the mean of the gradient is 0

    def _shares_at(self, kappa: float) -> Array:
        """Return the mixtures with this kappa, or the table with the nearest kappa that the margins allow."""
        wanted = np.clip(kappa, self.values[:, 0], self.values[:, -1])
        rows = np.arange(len(wanted))
        above = np.clip((self.values < wanted[:, None]).sum(axis=1), 1, self.values.shape[1] - 1)
        low, high = self.values[rows, above - 1], self.values[rows, above]
        t = np.where(high > low, (wanted - low) / np.where(high > low, high - low, 1), 1.0)[:, None]
        return np.asarray((1 - t) * self.shares[rows, above - 1] + t * self.shares[rows, above])


def _other_tables(objective: Objective, row: Integers) -> tuple[Array, Array]:
    """Return the independent table and those of smallest and largest kappa with the margins of a row of counts."""
    used = row > 0
    table = objective.table.like(objective.table.patterns[used], row[used])
    tables = tables_through(table, {"weights": objective.weights, "coefficient": objective.coefficient.name})
    assert (tables.patterns == objective.table.patterns).all()  # shares and counts are in the same order
    found = (tables.smallest, tables.independent, tables.largest)
    return np.array([one.shares for one in found], dtype=float), np.array([float(one.value) for one in found])
