"""Time proven maxima beside general solvers that are given the same problem."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import ot
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csc_array

import kappamax as km
from benchmarks.speed import Comparison, compare, timed
from kappamax.coefficients import as_objective
from kappamax.maximum.problem import CompleteProblem
from kappamax.maximum.solution import Solution
from kappamax.maximum.solve import solve
from kappamax.maximum.transport import diagonal_first

__all__ = ["comparisons"]

Array = npt.NDArray[Any]

SEED = 7
SCALE = 2.0**44


def comparisons(*, quick: bool) -> list[Comparison]:
    """Beside linprog, POT and milp; `quick` makes the problems small."""
    small, large = (20, 50) if quick else (100, 1000)
    _solved(_problem(8, 5, 100, "sqrt"))  # compile before the clock runs
    return [
        _monge(small, "linear"),
        _monge(small, "quadratic"),
        *(_transport(k, kind) for k in (small, large) for kind in ("nearly uniform", "very different", "mirrored")),
        _three_raters(5 if quick else 7),
    ]


def _monge(k: int, weights: str) -> Comparison:
    problem = _problem(2, k, 20 * k, weights)
    case = f"2 raters, {k} categories, {weights}, proven"
    theirs = timed(lambda: _linear_program(problem), lambda found: float(found.fun) / k)
    objective = problem.objective
    ours = timed(lambda: _solved(CompleteProblem(objective, 1)), lambda solution: float(solution.cost) / k)
    return compare(case, ours, "scipy linprog over all cells", theirs, target=100, repetitions=25, tolerance=1e-6)


def _transport(k: int, kind: str) -> Comparison:
    """The slowest of five seeds, relative to POT."""
    beside = [_transport_of(k, kind, seed) for seed in range(5)]
    return min(beside, key=lambda one: one.ratio)


def _transport_of(k: int, kind: str, seed: int) -> Comparison:
    rng = np.random.default_rng(seed)
    spread = {"nearly uniform": 1000.0, "very different": 1.0, "mirrored": 0.3}[kind]
    shares = rng.dirichlet(np.full(k, spread), size=2)
    if kind == "mirrored":  # the raters use opposite ends of the scale
        shares = np.stack([np.sort(shares[0]), np.sort(shares[1])[::-1]])
    rows, columns = (rng.multinomial(20 * k, share) for share in shares)
    costs = np.sqrt(np.abs(np.subtract.outer(np.arange(k), np.arange(k))))
    whole = np.rint(costs * (SCALE / costs.max())).astype(np.int64)

    def value(table: Array) -> float:
        return float((table * costs).sum()) / float(costs.max())

    ours = timed(lambda: diagonal_first(whole, rows, columns)[0], value)
    theirs = timed(lambda: ot.emd(rows.astype(float), columns.astype(float), costs), value)
    case = f"2 raters, {k} categories, sqrt, {kind}, the table"
    repetitions = 5 if k > 100 else 25
    return compare(case, ours, "POT ot.emd", theirs, target=1, repetitions=repetitions, tolerance=1e-6)


def _three_raters(k: int) -> Comparison:
    problem = _problem(3, k, 100, "sqrt")
    theirs = timed(lambda: _integer_program(problem), lambda found: float(found.fun))
    ours = timed(lambda: _solved(problem), lambda solution: float(solution.cost))
    case = f"3 raters, {k} categories, N = 100, sqrt, proven"
    return compare(case, ours, "scipy milp over all cells", theirs, target=1, tolerance=1e-6)


def _solved(problem: CompleteProblem) -> Solution:
    solution = solve(problem)
    assert solution.proven
    return solution


def _problem(r: int, k: int, n: int, weights: str) -> CompleteProblem:
    """Random margins around uniform ones, arranged in some order."""
    rng = np.random.default_rng(SEED)
    margins = [rng.multinomial(n, rng.dirichlet(np.full(k, 20.0))) for _ in range(r)]
    ratings = np.stack([rng.permutation(np.repeat(np.arange(k), margin)) for margin in margins], axis=1)
    table = km.from_ratings(ratings, categories=list(range(k)))
    return CompleteProblem(as_objective(table, weights=weights), 1)


def _incidence(problem: CompleteProblem) -> tuple[Array, Any]:
    patterns = np.concatenate(list(problem.all_patterns()))
    m, r = patterns.shape
    rows = (patterns + problem.n_categories * np.arange(r)).ravel()
    shape = (r * problem.n_categories, m)
    return problem.real(patterns), csc_array((np.ones(m * r), rows, np.arange(0, m * r + 1, r)), shape=shape)


def _linear_program(problem: CompleteProblem) -> Any:
    costs, matrix = _incidence(problem)
    return linprog(costs, A_eq=matrix, b_eq=problem.margins.ravel(), method="highs")


def _integer_program(problem: CompleteProblem) -> Any:
    costs, matrix = _incidence(problem)
    margins = problem.margins.ravel()
    equal = LinearConstraint(matrix, margins, margins)
    return milp(costs, constraints=equal, integrality=np.ones(len(costs)), bounds=Bounds(0, np.inf))
