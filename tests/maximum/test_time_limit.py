"""Tests with a slow clock: every stage of a search for the maximum honours the time limit."""

import numpy as np
import pytest

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.errors import Interrupted
from kappamax.maximum import first_table, gap_search, highs, placement, pricing
from kappamax.maximum import problem as problems
from kappamax.maximum.problem import Watch, problem_for
from kappamax.maximum.solve import solve
from tests.maximum.test_rounding import crowd

#: every function that does the work of a stage; each call takes a second of the clock below
STAGES = [
    (highs, "_run"),
    (pricing.Pricing, "improving"),
    (pricing.Pricing, "lowest"),
    (pricing.Pricing, "below"),
    (pricing.Pricing, "exact_lowest"),
    (first_table, "_rearranged"),
    (placement, "placed_anew"),
    (gap_search, "tables_below"),
]
LATE = 5  # calls that may follow after the limit: the one that is running, and those that compute the final bound


class Clock:
    """Clock that advances by one second with every call of a stage."""

    def __init__(self, patch):
        self.now, self.calls = 0.0, []
        patch.setattr(problems, "monotonic", lambda: self.now)
        for owner, name in STAGES:
            patch.setattr(owner, name, self._slowed(name, getattr(owner, name)))
        compiled = placement.kernel
        patch.setattr(placement, "kernel", lambda *own, **options: self._slowed("place", compiled(*own, **options)))

    def _slowed(self, name, function):
        def slow(*arguments, **options):
            self.now += 1
            self.calls.append(name)
            return function(*arguments, **options)

        return slow


def designs():
    """Yield designs that need many calls: many raters, weights per pair, many sets of raters, and missing ratings."""
    rng = np.random.default_rng(1)
    many = km.from_ratings(rng.choice(5, size=(60, 9), p=[0.4, 0.2, 0.2, 0.1, 0.1]), categories=range(5))
    pairs = {(a, b): ("sqrt" if (a + b) % 2 else "unweighted") for a in range(9) for b in range(a + 1, 9)}
    yield "many raters", many, "sqrt"
    yield "rounded weights", many, "power(0.3)"
    yield "weights per pair", many, pairs
    yield "sets of raters", crowd(60, n_raters=25, n_categories=5, seed=2), "sqrt"


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("table", "weights"), [pytest.param(*rest, id=name) for name, *rest in designs()])
@pytest.mark.parametrize("limit", [0.5, 3.5, 10.5, 40.5])
def test_every_stage_honours_the_limit(monkeypatch, table, weights, sign, limit):
    """However late the limit is reached, only a few more calls follow, and the bound is a bound."""
    problem = problem_for(as_objective(table, weights=weights), sign)
    clock = Clock(monkeypatch)
    found = solve(problem, Watch(limit))
    assert clock.now <= limit + LATE, clock.calls
    assert found.bound <= found.cost <= problem.objective.score * sign


def test_without_a_limit_more_calls_are_made(monkeypatch):
    """The designs above need more time than the limits allow, so the limits are what ends them."""
    needed = []
    for _, table, weights in designs():
        problem = problem_for(as_objective(table, weights=weights), 1)
        with monkeypatch.context() as patch:
            clock = Clock(patch)
            solve(problem, Watch(1000.0))
            needed.append(clock.now)
    assert min(needed) > 10.5
    assert max(needed) > 40.5


@pytest.mark.parametrize(("owner", "name"), [STAGES[0], STAGES[1], STAGES[5]])
def test_ctrl_c_in_any_stage_gives_the_best_so_far(monkeypatch, owner, name):
    """Ctrl-C in the first table, a linear program or the search for patterns gives a table and a bound."""

    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    _, table, weights = next(designs())
    problem = problem_for(as_objective(table, weights=weights), 1)
    monkeypatch.setattr(owner, name, interrupt)
    with pytest.raises(Interrupted) as stopped:
        solve(problem)
    best = stopped.value.best
    assert best.bound <= best.cost <= problem.objective.score
