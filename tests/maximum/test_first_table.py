"""Tests of tables found without a solver, by rearranging one rater's ratings at a time."""

import numpy as np
import pytest

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.maximum.first_table import improved, placed_anew
from kappamax.maximum.problem import problem_for
from kappamax.patterns import margins_of


def problem_of(seed, weights, *, gaps, sign=1):
    """Return a problem of four raters and three categories, with or without missing ratings."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (12, 4))
    if gaps:
        codes[rng.random(codes.shape) < 0.3] = -1
        codes = codes[(codes >= 0).any(axis=1)]
    table = km.Table(codes, np.ones(len(codes), dtype=int), (0, 1, 2), ordered=True)
    if weights == "per pair":
        weights = {(a, b): ("sqrt" if (a + b) % 2 else "unweighted") for a in range(4) for b in range(a + 1, 4)}
    return problem_for(as_objective(table, weights=weights), sign)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("weights", ["unweighted", "sqrt", "per pair"])
def test_costs_of_ratings_are_differences_of_costs_of_patterns(weights, gaps, sign, seed):
    """A change of one rating changes the cost of its pattern by the difference of the costs of the two ratings."""
    problem = problem_of(seed, weights, gaps=gaps, sign=sign)
    patterns, _ = problem.observed()
    for rater in range(4):
        rated = patterns[patterns[:, rater] < 3]
        every = np.repeat(rated, 3, axis=0)
        every[:, rater] = np.tile(np.arange(3), len(rated))
        whole, own = problem.real(every).reshape(-1, 3), problem.rating_costs(rated, rater)
        assert np.allclose(whole - whole[:, :1], own - own[:, :1])


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("sign", [1, -1])
def test_rearranging_keeps_the_margins_and_never_costs_more(gaps, sign):
    """The margins and the bound on the cost hold for every rater and for the improved table."""
    problem = problem_of(5, "sqrt", gaps=gaps, sign=sign)
    table = problem.observed()
    for rater in range(4):
        found = placed_anew(problem, *table, rater)
        assert (margins_of(*found, problem.n_categories) == problem.margins).all()
        assert problem.total(*found) <= problem.total(*table)
    best = improved(problem, *table)
    assert (margins_of(*best, problem.n_categories) == problem.margins).all()
    assert problem.total(*best) <= min(problem.total(*placed_anew(problem, *best, rater)) for rater in range(4))


def test_groups_of_three_raters_have_costs_too():
    """The cost of a rating is that of its pattern if three raters must agree at a time."""
    table = km.from_ratings([[0, 0, 1, 1], [1, 1, 1, 0], [0, 1, 0, 0], [1, 0, 0, 1]])
    problem = problem_for(as_objective(table, coefficient="conger", group_size=3), 1)
    patterns, counts = problem.observed()
    assert problem.total(*improved(problem, patterns, counts)) <= problem.total(patterns, counts)
