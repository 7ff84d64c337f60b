"""Write the claims of a result and their proof as a document of plain numbers and text.

Only this module writes the format, and only `kappamax.verification.parse` reads it. The format is described in
docs/maximum.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kappamax._result import plain
from kappamax._rootsum import RootSum
from kappamax._version import __version__
from kappamax.disagreement.objective import Objective
from kappamax.maximum.problem import Problem
from kappamax.maximum.solution import Prices, Solution
from kappamax.table import Table
from kappamax.verification.parse import FORMAT, VERSION
from kappamax.weights import Weights

ONE_VALUE = "allow one value only"  # end of the reason why the ratio to the maximum is undefined

if TYPE_CHECKING:
    from kappamax.maximum.maximum_result import Maximum


def certificate_of(result: Maximum) -> dict[str, Any]:
    """Return every claim of a result and its proof as plain data."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "kappamax_version": __version__,
        "coefficient": result.coefficient,
        "title": result.title,
        "group_size": result.objective.coefficient.group_size,
        "weights": _weights(result.objective) | {"label": result.weights},
        "observed": _table(result.objective.table),
        "value": result.value,
        "ratio": result.ratio,
        "ratio_reason": result.ratio_reason,
        "maximum": _end(result, "maximum", ""),
        "minimum": _end(result, "minimum", "minimum_") if _has_claim(result) else None,
    }


def _has_claim(result: Maximum) -> bool:
    """Return whether a minimum is known and claimed; that only one value is possible is such a claim."""
    one_value = result.ratio_reason is not None and result.ratio_reason.endswith(ONE_VALUE)
    return (result.has_minimum or one_value) and result.minimum is not None


def _end(result: Maximum, end: str, prefix: str) -> dict[str, Any]:
    """Return the claims about the largest or smallest value, whose attributes in the result begin with `prefix`."""
    return {
        "value": getattr(result, end),
        "exact": plain(getattr(result, f"exact_{end}")),
        **{name: getattr(result, prefix + name) for name in ("proven", "proof", "bound", "method")},
        "table": _table(getattr(result, f"{prefix}table")),
        "solution": _solution(getattr(result, f"{prefix}solution")),
    }


def _solution(solution: Solution) -> dict[str, Any]:
    """Return the table, score, bound and proof of a solution, in units of disagreement."""
    problem = solution.problem
    unit = problem.sign * problem.objective.scale * problem.objective.denominator
    proof: dict[str, Any] = {"prices": None if solution.prices is None else _prices(problem, solution.prices)}
    if solution.cuts:
        proof = {"cuts": [_prices(problem, cut.prices) | {"use": _whole(cut.use)} for cut in solution.cuts]}
    return {
        "table": {"patterns": _whole(problem.decoded(solution.patterns)), "counts": _whole(solution.counts)},
        "score": _terms(solution.cost / unit),
        "bound": _terms(solution.bound / unit),
        "proof": solution.proof,
    } | proof


def _prices(problem: Problem, prices: Prices) -> dict[str, Any]:
    """Return the prices of ratings and of sets of raters as whole numbers over a common denominator."""
    objective = problem.objective
    ratings, sets = problem.prices_by_set(prices.numerators)
    return {
        "radicands": list(objective.radicands),
        "denominator": _whole(prices.denominator * objective.scale * objective.denominator),
        "ratings": _whole(ratings),
        "sets": [{"raters": list(raters), "price": _whole(price)} for raters, price in sets.items()],
    }


def _weights(objective: Objective) -> dict[str, Any]:
    """Return the distinct weight matrices, and for every pair of raters the index of its matrix."""
    matrices: dict[int, Weights] = {}
    of_pair = []
    for _, _, weights in objective.pairs():
        matrices.setdefault(id(weights), weights)
        of_pair.append(list(matrices).index(id(weights)))
    return {
        "name": objective.weights.name,
        "exact": objective.weights.exact,
        "matrices": [
            {
                "denominator": weights.denominator,
                "multipliers": _whole(weights.multipliers),
                "radicands": _whole(weights.radicands),
            }
            for weights in matrices.values()
        ],
        "of_pair": of_pair,
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "categories": list(table.categories),
        "raters": list(table.raters),
        "patterns": _whole(table.patterns),
        "counts": _whole(table.counts),
    }


def _terms(number: RootSum) -> dict[str, str]:
    return {str(f): str(c) for f, c in number.terms.items()}


def _whole(values: Any) -> Any:
    """Return an array as lists and anything else unchanged; the verification rejects what is not a whole number."""
    return values.tolist() if isinstance(values, np.ndarray) else values
