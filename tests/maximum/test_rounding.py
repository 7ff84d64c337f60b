"""Tests of whole tables near the solution of a linear program."""

import numpy as np
import pytest

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.maximum.linear_program import PatternProgram, Relaxation
from kappamax.maximum.problem import Watch, problem_for
from kappamax.maximum.rounding import rounded_table
from kappamax.patterns import margins_of


def crowd(n_subjects, n_raters=12, n_categories=4, per_subject=3, seed=0):
    """Return a table in which every subject has its own few raters, drawn at random."""
    rng = np.random.default_rng(seed)
    codes = np.full((n_subjects, n_raters), -1)
    for row in codes:
        chosen = rng.choice(n_raters, per_subject, replace=False)
        truth = rng.integers(0, n_categories)
        row[chosen] = np.where(rng.random(per_subject) < 0.7, truth, rng.integers(0, n_categories, per_subject))
    return km.Table(codes, np.ones(n_subjects, dtype=int), tuple(range(n_categories)), ordered=True)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("complete", [True, False])
def test_a_rounded_table_has_the_margins_and_costs_little_more(complete, sign):
    """The margins and the number of subjects of each set hold, and the cost is near that of the linear program."""
    table = km.from_ratings(np.random.default_rng(1).integers(0, 3, (40, 5))) if complete else crowd(60)
    problem = problem_for(as_objective(table, weights="sqrt"), sign)
    patterns = np.concatenate(list(problem.all_patterns()))
    relaxed = PatternProgram(problem, patterns).solve(Watch())
    reduced = problem.real(patterns) - sum(relaxed.prices[a][patterns[:, a]] for a in range(problem.n_raters))
    found = rounded_table(problem, patterns, relaxed, patterns[reduced < 1e-6], relaxed.value + 1e-6, Watch())
    assert (margins_of(*found, problem.n_categories) == problem.margins).all()
    cost, observed = float(problem.total(*found)), float(problem.objective.score) * sign
    assert relaxed.value - 1e-6 <= cost
    assert cost - relaxed.value <= 0.1 * (observed - relaxed.value)


def test_amounts_with_other_margins_are_refused():
    """Amounts beyond the margins have no rounded table."""
    problem = problem_for(as_objective(km.from_ratings([[1, 2, 1], [2, 2, 1], [1, 1, 2]])), 1)
    patterns = np.array([[0, 0, 0]], dtype=np.int32)
    relaxed = Relaxation(np.array([3.0]), 0.0, np.zeros((3, 2)))
    assert rounded_table(problem, patterns, relaxed, patterns, 0.0, Watch()) is None
