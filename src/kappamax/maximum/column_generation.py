"""Find an optimal table of many raters by column generation.

A linear program over few patterns gives prices; a search finds patterns that cost less than those prices and adds
them; when none is left, the program over the few patterns has the optimum of the program over all. Every round proves
a bound: the prices' total plus, for every subject, the least reduced cost.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax.errors import Interrupted
from kappamax.maximum.exact_prices import certified_near
from kappamax.maximum.first_table import first_guess
from kappamax.maximum.gap_search import close_gap
from kappamax.maximum.linear_program import integer_table, refined, relaxation, whole_table
from kappamax.maximum.price_bounds import Pricing, certified
from kappamax.maximum.problem import OutOfTime, Problem, Watch
from kappamax.maximum.solution import Solution

__all__ = ["STOPPED", "generate_columns"]

Array = npt.NDArray[Any]

STOPPED = 0.1  # seconds for each bound after Ctrl-C
_SMOOTHING = 0.5
_NEW_PATTERNS = 60
_LOOKED_AT = 300
_TIGHT_PATTERNS = 5000
_MOST_PATTERNS = 200_000
_CLEAR = 1e-9


def generate_columns(problem: Problem, watch: Watch) -> Solution:
    """Generate patterns until the linear program is solved, then find a whole table and exact prices.

    On Ctrl-C, `Interrupted` carries the best table and bound so far.
    """
    pricing = Pricing(problem, watch)
    best = first_guess(problem)
    pool = _Pool(best[0])
    state = _GeneratedPrices(np.zeros(problem.margins.shape))
    try:
        with suppress(OutOfTime):
            _generate(problem, pricing, pool, state, watch)
        return _whole(problem, pricing, pool, state, best, watch)
    except KeyboardInterrupt:
        stopped = Watch(STOPPED)
        near = certified_near(problem, *best, state.center, best[0], best[0], "column generation", stopped)
        raise Interrupted(near) from None


def _whole(
    problem: Problem, pricing: Pricing, pool: _Pool, state: _GeneratedPrices, best: tuple[Array, Array], watch: Watch
) -> Solution:
    """The best whole table over the patterns generated, with exact prices, its gap closed if there is one."""
    relaxed = relaxation(problem, pool.patterns, watch)
    support = best[0]
    if relaxed is not None:
        support = pool.patterns[relaxed.amounts > 1e-6]
        table = whole_table(problem, pool.patterns, relaxed.amounts) or integer_table(problem, pool.patterns, watch)
        if table is not None and problem.total(*table) < problem.total(*best):
            best = table
    prices = state.newest if state.finished else state.center
    scale = 1 + float(np.abs(prices).max())
    tight = pool.patterns
    if state.finished:
        with suppress(OutOfTime):
            tight = pricing.below(prices, _CLEAR * 100 * scale, _TIGHT_PATTERNS).patterns
    solution = certified_near(problem, *best, prices, tight, support, "column generation", watch)
    if not solution.proven and not watch.over:
        solution = refined(solution, np.unique(np.concatenate([tight, pool.patterns]), axis=0), watch)
    if not solution.proven and not watch.over:
        with suppress(OutOfTime):
            return _gap_closed(problem, pricing, solution, watch)
    return solution


def _gap_closed(problem: Problem, pricing: Pricing, solution: Solution, watch: Watch) -> Solution:
    """List every pattern that a better table could use, and solve the integer program over them."""
    assert solution.prices is not None
    watch.tell("closing the gap between table and bound")
    worth = solution.prices.real(problem.roots)
    gap = float(solution.cost - solution.bound) + _CLEAR * (1 + float(np.abs(worth).max()))
    least = min(0.0, pricing.least(worth).least)
    within = pricing.below(worth, least + gap, _MOST_PATTERNS)
    if within.total > _MOST_PATTERNS:
        return solution
    candidates = np.unique(np.concatenate([within.patterns, solution.patterns]), axis=0)
    table = integer_table(problem, candidates, watch)
    if table is not None and problem.total(*table) < solution.cost:
        solution = certified(problem, *table, solution.prices, solution.method, watch)
    return solution if solution.proven else close_gap(problem, solution, candidates)


@dataclass
class _GeneratedPrices:
    """The prices with the best bound so far, the newest ones, and whether no pattern undercuts those."""

    center: Array
    newest: Array = field(default_factory=lambda: np.zeros(0))
    finished: bool = False


class _Pool:
    """The patterns generated so far, each once."""

    def __init__(self, patterns: Array) -> None:
        self.patterns = np.unique(patterns, axis=0)
        self._known = {row.tobytes() for row in np.ascontiguousarray(self.patterns)}

    def add(self, patterns: Array) -> bool:
        """Add the patterns that are new, and return whether any was."""
        fresh = [row for row in np.ascontiguousarray(patterns) if row.tobytes() not in self._known]
        self._known.update(row.tobytes() for row in fresh)
        if fresh:
            self.patterns = np.concatenate([self.patterns, fresh])
        return bool(fresh)


def _generate(problem: Problem, pricing: Pricing, pool: _Pool, state: _GeneratedPrices, watch: Watch) -> None:
    """Add patterns until none is cheaper than its prices, or time is up.

    Prices halfway between the best so far and the newest find useful patterns sooner (smoothing).
    """
    best_bound, rounds = -np.inf, 0
    while not watch.over:
        relaxed = relaxation(problem, pool.patterns, watch)
        if relaxed is None:
            return
        state.newest = relaxed.prices
        clear = -_CLEAR * (1 + float(np.abs(state.newest).max()))
        smoothed = state.newest if rounds == 0 else _SMOOTHING * state.center + (1 - _SMOOTHING) * state.newest
        rounds += 1
        added = False
        for prices in (smoothed, state.newest):
            found = pricing.least(prices, limit=clear)
            least = found.least if found.total else 0.0
            bound = float((prices * problem.margins).sum()) + problem.n_subjects * least
            if bound > best_bound:
                best_bound, state.center = bound, prices
            if not found.total:
                if prices is state.newest:
                    state.finished = True
                    return
                continue
            several = pricing.below(prices, least / 2, _LOOKED_AT)
            order = np.argsort(several.reduced)[:_NEW_PATTERNS]
            added = pool.add(np.concatenate([found.patterns, several.patterns[order]]))
            if added:
                break
        watch.tell(
            f"round {rounds}: {len(pool.patterns)} patterns, within {relaxed.value - best_bound:.3g} of the bound"
        )
        if not added:
            state.finished = True
            return
