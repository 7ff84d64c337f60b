"""Tests of the local search that gives every subject a pattern."""

import numpy as np
import pytest

import kappamax as km
from kappamax._jit import kernel
from kappamax.coefficients import as_objective
from kappamax.maximum import placement
from kappamax.maximum.linear_program import PatternProgram
from kappamax.maximum.placement import placed_table
from kappamax.maximum.price_bounds import real_reduced_costs
from kappamax.maximum.problem import Watch, problem_for
from kappamax.patterns import margins_of
from tests.maximum.test_rounding import crowd


def relaxed_design(table, weights="sqrt"):
    """Return a problem with all patterns, the solution of its linear program, and the patterns of reduced cost zero."""
    problem = problem_for(as_objective(table, weights=weights), 1)
    patterns = np.concatenate(list(problem.all_patterns()))
    relaxed = PatternProgram(problem, patterns).solve(Watch())
    tight = patterns[real_reduced_costs(problem, relaxed.prices, patterns) < 1e-6]
    return problem, patterns, relaxed, tight


def state(table):
    """Return the arguments of the search: the first choice, its excess, and the choices of all sets."""
    problem, patterns, relaxed, tight = relaxed_design(table)
    choices = placement._Choices(problem, tight, relaxed.prices)
    start = np.random.default_rng(1).permutation(choices.nearest(patterns, relaxed.amounts))
    arrays = choices.set_of[start], choices.first, choices.n_tight, choices.codes, choices.raters, choices.costs
    return choices, start, arrays


def test_the_search_keeps_account_of_the_excess_and_the_cost():
    """After many steps the excess is that of the patterns, and the best choice has none and the cost that is told."""
    choices, start, arrays = state(crowd(40, n_raters=6))
    now, excess, best, least = start.copy(), choices.excess(start), start.copy(), np.array([np.inf])
    assert excess.any()
    placement._repair(now, excess, best, least, *arrays, -1.0, 400, 5)
    assert (excess == choices.excess(now)).all()
    assert (choices.set_of[now] == choices.set_of[start]).all()
    assert np.isfinite(least[0])
    assert not choices.excess(best).any()
    assert least[0] == pytest.approx(choices.costs[best].sum())


def test_the_compiled_search_takes_the_same_steps():
    """The search gives the same choices with and without numba."""
    pytest.importorskip("numba")
    choices, start, arrays = state(crowd(40, n_raters=6, seed=3))
    ends = []
    for run in (placement._repair, kernel(placement._repair, work=1, worth=0)):
        now, excess, best, least = start.copy(), choices.excess(start), start.copy(), np.array([np.inf])
        run(now, excess, best, least, *arrays, -1.0, 100, 7)
        ends.append((now.tolist(), best.tolist(), float(least[0])))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("most_choices", [400_000, 4_000, 0], ids=["all", "near", "tight"])
def test_a_placed_table_has_the_margins_and_sets_of_raters(monkeypatch, most_choices):
    """The choices are all patterns, those that differ little from tight ones, or tight ones only."""
    monkeypatch.setattr(placement, "_MOST_CHOICES", most_choices)
    problem, patterns, relaxed, tight = relaxed_design(crowd(50, n_raters=8, seed=2))
    table = placed_table(problem, patterns, relaxed, tight, relaxed.value, Watch(20.0))
    assert (margins_of(*table, problem.n_categories) == problem.margins).all()
    assert float(problem.total(*table)) >= relaxed.value - 1e-6


def test_raters_in_excess_are_placed_anew_if_the_search_does_not_end(monkeypatch):
    """Without a single step the ratings in excess are rearranged, and the margins hold."""
    monkeypatch.setattr(placement, "_MOST_OPERATIONS", 0)
    problem, patterns, relaxed, tight = relaxed_design(crowd(50, n_raters=8, seed=2))
    table = placed_table(problem, patterns, relaxed, tight, relaxed.value, Watch())
    assert (margins_of(*table, problem.n_categories) == problem.margins).all()


def test_too_many_subjects_are_not_placed(monkeypatch):
    """There is no table then."""
    monkeypatch.setattr(placement, "_MOST_PLACED", 49)
    problem, patterns, relaxed, tight = relaxed_design(crowd(50, n_raters=8, seed=2))
    assert placed_table(problem, patterns, relaxed, tight, relaxed.value, Watch()) is None


def uneven(n_subjects, seed):
    """Return a table in which subjects have one to four of ten raters, who use the categories differently."""
    rng = np.random.default_rng(seed)
    own = rng.dirichlet(np.full(4, 2.0), size=10)
    codes = np.full((n_subjects, 10), -1)
    for row in codes:
        for a in rng.choice(10, rng.integers(1, 5), replace=False):
            row[a] = rng.choice(4, p=own[a])
    return km.Table(codes, np.ones(n_subjects, dtype=int), tuple(range(4)), ordered=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weights", ["unweighted", "sqrt"])
@pytest.mark.parametrize(
    "table", [lambda s: crowd(150, seed=s), lambda s: crowd(60, 8, 3, 2, s), lambda s: uneven(120, s)]
)
def test_the_maximum_of_designs_with_many_sets_of_raters_is_proven(table, weights, seed):
    """Every subject has its own few raters; the table reaches the bound, and the check agrees."""
    result = km.max_kappa(table(seed), weights=weights, time_limit=60)
    assert result.proven
    assert not km.verify(result).faults
