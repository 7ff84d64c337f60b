"""Check the statements of sections 5 and 7 of the paper about the largest kappa and simulated annealing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from math import exp
from typing import Any

import numpy as np

from kappamax.annealing.diagonal_sweep import sweep_counts
from kappamax.annealing.methods import MoveMethod
from kappamax.annealing.move_walk import Neighbours, move_walk
from kappamax.annealing.schedules import Geometric
from kappamax.annealing.simulated_annealing import anneal
from kappamax.annealing.stopping_rules import StaleMoves
from kappamax.coefficients import as_objective
from kappamax.datasets import example
from kappamax.display import numbers
from kappamax.fibers.markov_basis import basic_moves
from kappamax.io import from_counts
from kappamax.kappas import kappa
from kappamax.maximum.max_kappa import max_kappa
from kappamax.maximum.maximizers import count_maximizers, iter_maximizers, maximizer_range
from kappamax.paper.verdict import Check, Verdict, corrected, holds, random_tables, same
from kappamax.table import Table

_WEIGHTS = ("quadratic", "linear", "sqrt")
_FIGURE_6 = {
    "left": ([[6, 5, 0, 0], [0, 4, 4, 0], [0, 0, 7, 0], [0, 0, 1, 6]], "0.8703, 0.7511, 0.6771", "quadratic"),
    "centre": ([[6, 3, 2, 0], [0, 6, 2, 0], [0, 0, 7, 0], [0, 0, 1, 6]], "0.8184, 0.7511, 0.7150", "linear"),
    "right": ([[6, 1, 4, 0], [0, 8, 0, 0], [0, 0, 7, 0], [0, 0, 1, 6]], "0.7665, 0.7511, 0.7528", "sqrt"),
}


def largest() -> Iterator[Verdict]:
    """Check the largest kappa for the margins of figure 3(a)."""
    table = example("rapallo2022")
    for name, published in (("linear", "0.7511"), ("quadratic", "0.8703"), ("sqrt", "0.7528")):
        best = max_kappa(table, weights=name)
        ours = numbers.decimal(best.maximum) if best.proven else "not proven"
        yield same("Section 5", f"largest kappa, {name} weights (our value is proven)", published, ours)
        reached = anneal(table, weights=name, rng=1).reached == best.maximum
        yield same("Figure 5", f"annealing attains the largest kappa, {name} weights", True, reached)
    number = count_maximizers(table, weights="linear").n
    yield same("Section 5", "tables that attain the largest linear kappa", 5, number)
    spread = maximizer_range(table, weights="linear", other_weights="quadratic")
    ends = f"{numbers.decimal(spread.minimum)} to {numbers.decimal(spread.maximum)}"
    yield same("Section 5", "range of quadratic kappa over these tables", "0.7665 to 0.8703", ends)
    attained = spread.maximum == max_kappa(table, weights="quadratic").maximum
    yield same("Section 5", "the upper end is the largest quadratic kappa", True, attained)


def three_tables() -> Iterator[Verdict]:
    """Check the three tables of figure 6."""
    table = example("rapallo2022")
    for place, (counts, values, name) in _FIGURE_6.items():
        one = from_counts(counts)
        ours = [numbers.decimal(kappa(one, weights=weights).value) for weights in _WEIGHTS]
        yield same(f"Figure 6, {place}", "quadratic, linear and sqrt kappa", values, ", ".join(ours))
        largest = kappa(one, weights=name).value == max_kappa(table, weights=name).maximum
        attains = [bool((one.margins == table.margins).all()), largest]
        yield holds(
            f"Figure 6, {place}", f"the table has the margins of figure 3(a) and the largest {name} kappa", attains
        )
    shared = {kappa(from_counts(counts), weights="linear").exact for counts, _, _ in _FIGURE_6.values()}
    yield same("Figure 6", "number of different values of linear kappa of the three tables", 1, len(shared))
    best = {name: [one.dense() for one in iter_maximizers(table, weights=name)] for name in ("quadratic", "sqrt")}
    far = [int(np.triu(one, 2).sum() + np.tril(one, -2).sum()) for one in best["quadratic"]]
    yield same(
        "Section 5", "subjects with ratings two or more categories apart at the largest quadratic kappa", 0, max(far)
    )
    full = min(int(np.trace(one)) for one in best["sqrt"])
    most = int(table.margins.min(axis=0).sum())
    yield same(
        "Section 5", "subjects on the diagonal at the largest sqrt kappa, the largest possible number", most, full
    )
    apart = [not (one == other).all() for one, other in product(best["quadratic"], best["sqrt"])]
    yield holds(
        "Section 7", "different tables attain the largest kappa for distance weights and for quadratic weights", apart
    )


def transitions() -> Iterator[Verdict]:
    """Check the probability that a move is accepted (section 5)."""
    changes, temperatures = (-0.1, -0.5, -2.0), (0.1, 0.5, 2.0)
    yield holds("Section 5", "a move that does not lower agreement is accepted", [
        _made(change, tau, 1 - 1e-12) for change, tau in product((0.0, 0.1, 2.0), temperatures)
    ])  # fmt: skip
    bounds = []
    for change, tau in product(changes, temperatures):
        chance = exp(change / tau)
        bounds.append(_made(change, tau, chance * (1 - 1e-9)) and not _made(change, tau, chance * (1 + 1e-9)))
    yield holds("Section 5", "a move that lowers agreement is accepted with probability exp(change / tau)", bounds)
    cooling = Geometric(2, 0.9).temperatures(0, 50)
    form = [np.allclose(cooling, 2 * 0.9 ** np.arange(50), rtol=1e-12, atol=0), bool((np.diff(cooling) < 0).all())]
    yield holds("Section 5", "the temperature tau_0 d^b decreases", form)
    by_text = "always 1" if exp((0.5 - 0.5) / 0.1) == 1 else "?"
    ours = "exp((A(n') - A(n)) / tau)" if by_text == "always 1" and not _made(-0.5, 0.1, 0.5) else by_text
    why = "the printed formula is always 1; the pseudo-code is correct"
    published = "exp((A(n') - A(n')) / tau)"
    yield corrected("Section 5", "transition probability", published, ours, "exp((A(n') - A(n)) / tau)", why)


def last_step() -> Iterator[Verdict]:
    """Check the final sweep and the stopping rule (section 5)."""
    better = []
    for one, name in product([*random_tables(3, 2, 30), *random_tables(3, 3, 30)], _WEIGHTS):
        before, after = (_swept(one, name, sweep) for sweep in ("none", "once"))
        better.append(kappa(after, weights=name).value >= kappa(before, weights=name).value - 1e-12)
    yield holds("Figure 5", "the final moves to the diagonal do not lower agreement", better)
    twice = from_counts([[0, 2], [2, 0]])
    left = _swept(twice, "linear", "once").dense()
    ours = "each once" if left[0, 1] and left[1, 0] else "all possible"
    why = "the pseudo-code applies each move once; it could apply again if both cells have counts of two or more"
    yield corrected("Section 5", "moves of the final step", "all possible", ours, "each once", why)
    found = anneal(example("rapallo2022"), weights="sqrt", method=MoveMethod(stopping=StaleMoves(1000)), rng=1)
    idle = found.steps - found.settled == 1000 and found.settled > 0
    why = "a word is missing; the algorithm stops if no move is accepted any more"
    ours = "1,000 steps without a move" if idle else "?"
    published = "1,000 steps with moves"
    yield corrected("Section 5", "stopping rule for small problems", published, ours, "1,000 steps without a move", why)


def large_tables() -> Iterator[Verdict]:
    """Check why annealing is slow on large and sparse tables (sections 5 and 6)."""
    designs = ((3, 2), (5, 2), (3, 3), (7, 2), (5, 3))  # 9 to 125 cells
    numbers_of = [basic_moves(k, r).n_moves for k, r in designs]
    yield holds("Section 5", "the number of moves grows with the number of cells", np.diff(numbers_of) > 0)
    shares = {n: [_applicable(k, r, n) for k, r in designs] for n in (20, 100)}
    falls = [share < before for each in shares.values() for before, share in pairwise(each)]
    yield holds("Section 5", "the probability of an applicable move falls with the number of cells", falls)
    sparse = [few < many for few, many in zip(shares[20], shares[100], strict=True)]
    yield holds(
        "Section 6",
        "the probability of an applicable move is lower for sparse tables (N = 20 compared with N = 100)",
        sparse,
    )
    raters = [basic_moves(3, r).n_moves < basic_moves(3, r + 1).n_moves for r in range(2, 8)]
    yield holds("Section 6", "the number of basic moves grows with the number of raters", raters)


CHECKS: tuple[Check, ...] = (largest, three_tables, transitions, last_step, large_tables)


def _made(change: float, temperature: float, uniform: float) -> bool:
    """Return whether a step accepts a move with this change of agreement, for a given uniform random number."""
    counts, cells = np.array([0, 0, 1, 1]), np.array([[0, 1, 2, 3]])
    draws, uniforms, temperatures = np.array([0]), np.array([uniform]), np.array([temperature])
    _, made, _, _ = move_walk(counts, cells, np.array([change]), draws, uniforms, temperatures, 0, True, 0)
    return bool(made)


def _swept(table: Table, weights: str, sweep: str) -> Table:
    """Return the table after the final sweep."""
    near = Neighbours(as_objective(table, weights=weights), basic_moves(table.n_categories, table.n_raters))
    counts: Any = table.dense().reshape(1, -1).copy()
    sweep_counts(counts, near.diagonal(), sweep)
    return Table(near.patterns, counts[0], table.categories, ordered=True)


def _applicable(k: int, r: int, n: int) -> float:
    """Return the share of basic moves that can be applied to tables with independent uniform ratings."""
    _, minus = basic_moves(k, r).arrays()
    tables = [one.dense().ravel() for one in random_tables(k, r, n, size=20)]
    return float(np.mean([(counts[minus] > 0).all(axis=1).mean() for counts in tables]))
