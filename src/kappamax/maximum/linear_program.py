"""Margins of several raters in, an optimal table out: a linear programme over all cells, or over some of them.

Its solution is almost always whole; where it is not, an integer programme follows. Prices come with the linear one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax.maximum.closed_forms import comonotone_table
from kappamax.maximum.exact_prices import certified_near
from kappamax.maximum.gap_search import close_gap
from kappamax.maximum.incomplete import IncompleteProblem
from kappamax.maximum.local_search import improved_table
from kappamax.maximum.price_bounds import certified
from kappamax.maximum.problem import Prices, Problem, Solution, Watch
from kappamax.maximum.refinement import refined
from kappamax.maximum.relaxation import integer_table, relaxation, whole_table

__all__ = ["first_guess", "first_table", "programme"]

Array = npt.NDArray[Any]


def programme(problem: Problem, watch: Watch) -> Solution:
    """Linear programme over every cell, integer programme where that leaves fractions."""
    patterns = np.concatenate(list(problem.all_patterns()))
    relaxed = relaxation(problem, patterns, watch)
    if relaxed is None:
        return first_table(problem)
    counts = whole_table(problem, patterns, relaxed.amounts)
    method = "linear programme over all cells"
    if counts is None:
        watch.tell("the linear programme leaves fractions; integer programme")
        counts = integer_table(problem, patterns, watch)
        method = "integer programme over all cells"
    if counts is None:
        rough = first_table(problem)
        patterns, counts, method = rough.patterns, rough.counts, rough.method
    used = counts > 0
    cells = np.concatenate(list(problem.all_patterns()))
    support = cells[relaxed.amounts > 1e-6]
    solution = certified_near(problem, patterns[used], counts[used], relaxed.prices, cells, support, method, watch)
    if not solution.proven:
        solution = refined(problem, solution, cells, watch)
    return solution if solution.proven else close_gap(problem, solution, cells)


def first_table(problem: Problem, watch: Watch | None = None) -> Solution:
    """A table found without a solver, with the bound of prices zero: what is left when time runs out at once."""
    patterns, counts = first_guess(problem)
    zero = np.zeros((problem.n_raters, problem.n_categories, len(problem.roots)), dtype=np.int64)
    return certified(problem, patterns, counts, Prices(zero), "one rater at a time", watch)


def first_guess(problem: Problem) -> tuple[Array, Array]:
    """A table to start from: sorted ratings improved rater by rater, or the observed one if that is no worse."""
    if isinstance(problem, IncompleteProblem):
        return problem.observed()
    improved = improved_table(problem, *comonotone_table(problem.margins))
    return min(improved, problem.observed(), key=lambda table: problem.total(*table))
