"""Tests that closing a gap finds the least cost of all tables, and proves it only if the search is complete."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.fibers import enumeration
from kappamax.fibers.enumeration import tables_below
from kappamax.maximum import gap_search
from kappamax.maximum.gap_search import close_gap
from kappamax.maximum.price_bounds import certified
from kappamax.maximum.problem import CompleteProblem, Problem, Watch
from kappamax.maximum.solution import Prices, zero_prices
from kappamax.maximum.solve import solve
from kappamax.patterns import margins_of
from tests.support.maximum_problems import incomplete, least_cost, rearrangements, small_tables, weights_for
from tests.support.strategies import examples


def every_pattern(problem):
    return np.concatenate(list(problem.all_patterns()))


def unproven(problem, prices):
    """Return the observed table with the bound of given prices, which need not prove it optimal."""
    return certified(problem, *problem.observed(), prices, "observed")


@st.composite
def prices_for(draw, problem):
    """Draw whole prices over a small denominator; most of them exceed the cost of some pattern."""
    numerator = st.integers(-4, 4)
    shape = (*problem.margins.shape, len(problem.roots))
    values = draw(st.lists(numerator, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    return Prices(np.array(values, dtype=np.int64).reshape(shape), draw(st.integers(1, 3)))


@settings(max_examples=examples(60))
@given(st.data(), st.sampled_from([1, -1]))
def test_the_search_ends_at_the_least_cost_whatever_the_prices(data, sign):
    """For complete ratings and arbitrary prices, the search agrees with listing the whole fiber."""
    table = data.draw(small_tables(max_raters=3, max_categories=3))
    problem = CompleteProblem(as_objective(table, weights=data.draw(weights_for(table))), sign)
    start = unproven(problem, data.draw(prices_for(problem)))
    found = close_gap(problem, start, every_pattern(problem), Watch())
    assert found.cost == least_cost(problem)
    assert found.proven
    assert found.bound == found.cost
    assert (margins_of(found.patterns, found.counts, problem.n_categories) == problem.margins).all()
    assert problem.total(found.patterns, found.counts) == found.cost


@settings(max_examples=examples(40))
@given(incomplete(), st.sampled_from(["unweighted", "linear", "sqrt"]), st.sampled_from([1, -1]))
def test_the_search_ends_at_the_least_cost_with_missing_ratings(table, weights, sign):
    """The search agrees with listing all rearrangements that keep the set of raters of each subject."""
    problem = Problem(as_objective(table, weights=weights), sign)
    found = close_gap(problem, unproven(problem, zero_prices(problem)), every_pattern(problem), Watch())
    scores = [as_objective(made, weights=weights).score * sign for made in rearrangements(table)]
    assert found.cost == min(scores)
    assert found.proven


def test_a_gap_below_the_step_of_the_costs_needs_no_search(monkeypatch):
    """Costs of linear weights are whole, so a bound half a unit below the cost of a table proves the table optimal."""
    monkeypatch.setattr(gap_search, "tables_below", None)  # the test would fail if it were called
    problem = CompleteProblem(as_objective(km.from_counts([[2, 1, 0], [0, 2, 1], [0, 0, 1]]), weights="linear"), 1)
    best = solve(problem)
    numerators = 2 * best.prices.numerators
    numerators[0, 2, 0] -= 1  # half a unit less for the only rating of the first rater in the third category
    start = replace(best, prices=Prices(numerators, 2 * best.prices.denominator), bound=best.cost - 1, proof=None)
    found = close_gap(problem, start, every_pattern(problem), Watch())
    assert (found.cost, found.bound, found.proof) == (best.cost, best.cost, "search")


def test_a_search_that_stops_early_proves_nothing(monkeypatch):
    """The table and the bound are unchanged."""
    problem = CompleteProblem(as_objective(km.from_counts([[2, 0, 1], [0, 2, 0], [0, 1, 2]]), weights="sqrt"), 1)
    start = unproven(problem, zero_prices(problem))

    def stopped(*given, **options):
        found = tables_below(*given, **options)
        return found._replace(counts=found.counts[:0], finished=False)

    monkeypatch.setattr(gap_search, "tables_below", stopped)
    assert close_gap(problem, start, every_pattern(problem), Watch()) is start
    assert not start.proven


def test_tables_that_cost_too_much_are_refused(monkeypatch):
    """The search rounds costs down, so the exact cost of every table that it finds is checked."""
    problem = CompleteProblem(as_objective(km.from_counts([[2, 1, 0], [0, 2, 1], [0, 0, 1]]), weights="sqrt"), 1)
    best = solve(problem)
    start = certified(problem, best.patterns, best.counts, zero_prices(problem), "best")
    assert not start.proven
    offered = []

    def generous(columns, needed, costs, limit, **options):
        found = tables_below(columns, needed, np.zeros_like(costs), limit)
        offered.extend(found.counts)
        return found

    monkeypatch.setattr(gap_search, "tables_below", generous)
    found = close_gap(problem, start, every_pattern(problem), Watch())
    assert len(offered) > 1
    assert (found.cost, found.proof) == (best.cost, "search")


def test_a_search_that_is_out_of_time_stops_and_proves_nothing(monkeypatch):
    """The time limit is checked between two parts of the search; without it the same search ends with a proof."""
    monkeypatch.setattr(enumeration, "completed_tables", lambda *given, **options: None)
    monkeypatch.setattr(enumeration, "_STEPS_UNCOMPILED", 2)
    monkeypatch.setattr(enumeration, "_STEPS_AT_ONCE", 2)
    problem = CompleteProblem(as_objective(km.from_counts([[2, 1, 1], [1, 2, 0], [0, 1, 2]]), weights="quadratic"), 1)
    start = unproven(problem, zero_prices(problem))
    assert close_gap(problem, start, every_pattern(problem), Watch()).proof == "search"
    assert close_gap(problem, start, every_pattern(problem), Watch(1e-9)).proof is None
