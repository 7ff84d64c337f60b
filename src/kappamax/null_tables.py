"""Compute the standard error that a coefficient has if a null value is true.

It is computed at the table that planning assumes: the mixture, with the observed margins, of the observed table and the
table of independent raters or of largest agreement, in which the coefficient equals the null value. The test of a
planned study is therefore the test that was planned.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from kappamax.confidence_intervals import adjusted_estimate
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import NotSupportedError
from kappamax.planning.formula import precision_of
from kappamax.planning.margin_tables import MOST_ASSUMED_PATTERNS
from kappamax.planning.population import tables_through
from kappamax.standard_errors import StandardError, standard_error

_LEVEL = 0.95  # confidence level of the interval whose pseudo-subjects are added


class NullError(NamedTuple):
    """Standard error that a test uses.

    Attributes
    ----------
    error : StandardError
        Standard error and its degrees of freedom.
    reason : str or None
        Why it is not the one at the null value.
    center : float or None
        Value that is compared with the null value, if it is not the observed one.
    """

    error: StandardError
    reason: str | None = None
    center: float | None = None


def error_for(objective: Objective, null: float, method: str) -> NullError:
    """Return the standard error of a test; `auto` falls back on that of the adjusted interval and says why."""
    if method not in ("auto", "null", "adjusted"):
        return NullError(standard_error(objective, method="auto" if method == "estimate" else method))
    table = objective.table
    classical = objective.coefficient.name == "cohen" and table.complete and null == 0 and table.clusters is None
    obstacle = None if classical else null_table_obstacle(objective, MOST_ASSUMED_PATTERNS)
    if method != "adjusted" and obstacle is None:
        return _null_error(objective, null)
    if method == "null":
        raise NotSupportedError(f"method 'null' is not available: {obstacle}. Use method 'adjusted'.")
    if standard_error(objective).se is None:
        return NullError(StandardError(None, "adjusted", None))
    center, error = adjusted_estimate(objective, _LEVEL)
    reason = None if method == "adjusted" else f"no population with the null value is used: {obstacle}"
    return NullError(error, reason, center)


def null_table_obstacle(objective: Objective, most_patterns: int) -> str | None:
    """Return why no table with the null value can be built, or None if it can."""
    table, coefficient = objective.table, objective.coefficient
    if table.clusters is not None:
        return "the subjects are in clusters"
    if not table.complete:
        return "no table with the null value can be built from ratings of which some are missing"
    if table.n_categories**table.n_raters > most_patterns:
        return (
            f"a table with the null value is built for at most {most_patterns:,} possible patterns; there are "
            f"{table.n_categories}^{table.n_raters}"
        )
    if objective.varying_weights:
        return f"{objective.weights.name} weights depend on how often each category is used"
    if coefficient.group_size > 2:
        return "agreement of more than two raters at a time has no table with the null value"
    return None


def _null_error(objective: Objective, null: float) -> NullError:
    """Return the standard error at the estimated table with the null value.

    If the margins do not allow the null value, the table with the nearest value that they allow is used.
    """
    if objective.coefficient.name == "cohen" and null == 0:
        return NullError(standard_error(objective, method="null"))
    table = objective.table
    tables = tables_through(table, {"weights": objective.weights, "coefficient": objective.coefficient.name})
    limit, reason = tables.limit_passed(null), None
    if limit is None:
        population = tables.at(null, "null")
    else:
        population = tables.population(limit)
        kind = "largest" if null > limit.value else "smallest"
        reason = (
            f"the observed margins do not allow the value {null:g}, so the standard error is the one at the {kind} "
            f"value that they allow, {numbers.decimal(float(limit.value))}"
        )
    return NullError(StandardError(precision_of(population).sd / sqrt(table.n_subjects), "null", None), reason)
