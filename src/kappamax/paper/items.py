"""What the paper says in, what we compute beside it out; one function per part of the paper.

F. Rapallo, "Analysis of the weighted kappa and its maximum with Markov moves", Psychometrika 2022. Numbers of
statements, figures and tables are the paper's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np

from kappamax._result import Result
from kappamax.annealing.search import anneal
from kappamax.datasets import example
from kappamax.display import numbers
from kappamax.fibers.bases import basic_moves
from kappamax.fibers.count import all_patterns, count_tables
from kappamax.fibers.distribution import SameValue
from kappamax.fibers.explanation import explain
from kappamax.fibers.moves import Move
from kappamax.fibers.overview import Fiber
from kappamax.intake import from_counts
from kappamax.maximum.extremes import max_kappa
from kappamax.maximum.maximizers import count_maximizers, maximizer_range
from kappamax.measure import kappa
from kappamax.table import Table
from kappamax.weights import Weights

__all__ = ["STATUSES", "Item", "definitions", "figures", "maxima", "moves", "statements"]

#: "changed" is what a reproduced value becomes when it no longer is
STATUSES = ("reproduced", "corrected", "not determined", "changed")
_NAMED = ("unweighted", "linear", "quadratic", "sqrt")


@dataclass(frozen=True, repr=False)
class Item(Result):
    """One thing the paper says, beside ours.

    Attributes
    ----------
    where : str
        In the paper.
    what : str
    published, ours : str
    status : "reproduced", "corrected", "not determined" or "changed"
    reason : str or None
        Why ours differs.
    """

    where: str
    what: str
    published: str
    ours: str
    status: str
    reason: str | None = None


def definitions() -> Iterator[Item]:
    """Section 2: weights and kappa."""
    for name, is_distance in (("linear", True), ("sqrt", True), ("quadratic", False)):
        metric = all(Weights.from_scheme(name, k).metric for k in range(3, 8))
        yield _same("Section 2", f"{name} weights are a distance", is_distance, metric)
    additive = all(Weights.from_scheme("linear", k).additive for k in range(2, 8))
    yield _same("Section 2", "linear weights: u_ih = u_ij + u_jh for i < j < h", True, additive)
    u = Weights.from_scheme("quadratic", 4).matrix
    yield _same("Eq. 3", "quadratic weight of 1 and 4 of 4 categories", 1.0, float(u[0, 3]))
    table = example("rapallo2022")
    found = kappa(table, weights="linear")
    by_agreement = (found.observed_agreement - found.expected_agreement) / (1 - found.expected_agreement)
    yield _same("Eq. 2", "both forms of weighted kappa agree", True, abs(found.value - by_agreement) < 1e-12)
    yield Item(
        "Section 2",
        "notation for linear kappa",
        "kappa_w",
        "kappa_l",
        "corrected",
        "kappa_w is the general weighted one",
    )


def moves() -> Iterator[Item]:
    """Section 3: Markov moves and bases."""
    cells = {"a": ((0, 0), (2, 2)), "b": ((0, 3), (1, 1)), "c": ((1, 1), (2, 3)), "d": ((0, 3), (1, 2))}
    for letter, (first, second) in cells.items():
        move = Move((first, second), ((first[0], second[1]), (second[0], first[1])), 4)
        yield _same(f"Figure 1({letter})", "kind of the move", letter, move.kind.letter)
    split = Move(((0, 0, 1), (2, 2, 2)), ((2, 0, 1), (0, 2, 2)), 3)
    swap = Move(((0, 0, 0), (1, 1, 2)), ((0, 0, 2), (1, 1, 0)), 3)
    for letter, move in (("a", split), ("b", swap)):
        yield _same(f"Figure 2({letter})", "type of the move", letter, move.kind.letter)
        seen = sum(move.project(a, b) is not None for a, b in combinations(range(3), 2))
        yield _same(f"Figure 2({letter})", "two-way margins that see a basic move", 2, seen)
    yield Item(
        "Definition 5",
        "which sets S of raters keep their ratings",
        "non-empty",
        "non-empty and proper",
        "corrected",
        "with all raters in S the move is null",
    )
    for number, (k, r, n) in (("1", (3, 2, 6)), ("2", (2, 3, 4)), ("2", (2, 4, 3))):
        what = f"basic moves connect all {r}-rater fibers tried (k = {k}, N = {n})"
        yield _same(f"Proposition {number}", what, True, all(_connected(table) for table in _some_tables(k, r, n)))


def statements() -> Iterator[Item]:
    """Section 4: what moves do to agreement."""
    claims: dict[str, list[bool]] = {}
    for k, name in product((3, 4), _NAMED):
        for move in basic_moves(k):
            _note(claims, move, name)
    for name in _NAMED:
        for move in basic_moves(3, 3):
            _note(claims, move, name)
    for statement in ("Lemma 1", "Proposition 3", "Proposition 4", "Proposition 5", "Lemma 2"):
        held = claims.get(statement, [])
        yield _same(
            statement, f"holds for every move it covers ({len(held):,} cases tried)", True, bool(held) and all(held)
        )
    observed = from_counts([[4, 0, 0, 0], [0, 4, 1, 0], [0, 0, 4, 1], [0, 0, 0, 4]])
    move = Move(((1, 3), (2, 2)), ((1, 2), (2, 3)), 4)
    after = move.after(observed)
    for name, published in (("sqrt", "greater"), ("quadratic", "less"), ("linear", "equal")):
        before, now = kappa(observed, weights=name).value, kappa(after, weights=name).value
        ours = "greater" if now > before else "less" if now < before else "equal"
        yield _same("After Prop. 3", f"kappa after the move, {name} weights", published, ours)
    yield Item(
        "After Prop. 3",
        "kappa after the move with distance weights",
        "greater",
        "greater or equal",
        "corrected",
        "linear weights are a distance and give equality",
    )


def figures() -> Iterator[Item]:
    """Section 4: the tables that share a kappa."""
    table = example("rapallo2022")
    fiber = Fiber(table)
    yield _same("Figure 3(a)", "tables in the fiber", 644_850, fiber.count())
    found = fiber.same_kappa("linear", other="quadratic")
    yield _same("Figure 3(a)", "linear kappa", "0.5023", numbers.decimal(found.value))
    why = "sums of thirds rounded to doubles differ between tables that tie; the same rounding gives the paper's number"
    yield _other("Figure 3", "tables with the same linear kappa", 1527, found.n_tables, 1654, why)
    (quadratic,) = found.other
    yield from _range("Figure 3", found, ("0.3774", "0.7406"))
    yield _other("Figure 3(b)", "tables with the least quadratic kappa among them", 3, quadratic.n_at_minimum, 4, why)
    yield _other("Figure 3(c)", "tables with the largest among them", 3, quadratic.n_at_maximum, 15, why)
    least = from_counts([[6, 0, 1, 4], [0, 8, 0, 0], [0, 0, 7, 0], [0, 1, 4, 2]])
    most = from_counts([[6, 5, 0, 0], [0, 3, 5, 0], [0, 1, 2, 4], [0, 0, 5, 2]])
    for letter, one, end in (("b", least, quadratic.minimum), ("c", most, quadratic.maximum)):
        fits = _shares(one, table, "linear") and kappa(one, weights="quadratic").value == end
        yield _same(
            f"Figure 3({letter})", "has these margins, this linear kappa and the extreme quadratic one", True, fits
        )
    three = example("rapallo2022-three")
    found = Fiber(three).same_kappa("linear", other="quadratic")
    yield _same("Figure 5", "linear kappa of three raters", "0.4872", numbers.decimal(found.value))
    yield _same("Figure 5", "tables with the same linear kappa", 2324, found.n_tables)
    yield from _range("Figure 5", found, ("0.3364", "0.6313"))


def maxima() -> Iterator[Item]:
    """Section 5: the largest kappa and annealing."""
    table = example("rapallo2022")
    for name, published in (("linear", "0.7511"), ("quadratic", "0.8703"), ("sqrt", "0.7528")):
        best = max_kappa(table, weights=name)
        yield _same(
            "Section 5", f"largest kappa, {name} weights (ours proven)", published, numbers.decimal(best.maximum)
        )
        reached = anneal(table, weights=name, rng=1).maximum == best.maximum
        yield _same("Figure 7", f"annealing reaches it, {name} weights", True, reached)
    yield _same(
        "Section 5", "tables that reach the largest linear kappa", 5, count_maximizers(table, weights="linear").n
    )
    spread = maximizer_range(table, weights="linear", other_weights="quadratic")
    ends = (numbers.decimal(spread.minimum), numbers.decimal(spread.maximum))
    yield _same("Section 5", "quadratic kappa over them", "0.7665 to 0.8703", " to ".join(ends))
    shown = {
        "left": ([[6, 5, 0, 0], [0, 4, 4, 0], [0, 0, 7, 0], [0, 0, 1, 6]], ("0.8703", "0.7511", "0.6771")),
        "centre": ([[6, 3, 2, 0], [0, 6, 2, 0], [0, 0, 7, 0], [0, 0, 1, 6]], ("0.8184", "0.7511", "0.7150")),
        "right": ([[6, 1, 4, 0], [0, 8, 0, 0], [0, 0, 7, 0], [0, 0, 1, 6]], ("0.7665", "0.7511", "0.7528")),
    }
    for place, (counts, values) in shown.items():
        one = from_counts(counts)
        ours = [numbers.decimal(kappa(one, weights=name).value) for name in ("quadratic", "linear", "sqrt")]
        yield _same(f"Figure 6, {place}", "quadratic, linear and sqrt kappa", ", ".join(values), ", ".join(ours))
    yield Item(
        "Section 5",
        "transition probability",
        "exp((A(n') - A(n')) / tau)",
        "exp((A(n') - A(n)) / tau)",
        "corrected",
        "a slip in the text; the pseudo-code has it right",
    )


def _same(where: str, what: str, published: Any, ours: Any) -> Item:
    """An item that is reproduced if both are equal."""
    return Item(where, what, _shown(published), _shown(ours), "reproduced" if published == ours else "changed")


def _other(where: str, what: str, published: Any, ours: Any, known: Any, reason: str) -> Item:
    """An item for which we know another value than the paper."""
    return Item(where, what, _shown(published), _shown(ours), "corrected" if ours == known else "changed", reason)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return numbers.count(value) if isinstance(value, int) else str(value)


def _range(where: str, found: SameValue, published: tuple[str, str]) -> Iterator[Item]:
    (other,) = found.other
    ends = (numbers.decimal(other.minimum), numbers.decimal(other.maximum))
    yield _same(where, "quadratic kappa over them", " to ".join(published), " to ".join(ends))


def _shares(one: Table, table: Table, weights: str) -> bool:
    same = bool((one.margins == table.margins).all())
    return same and kappa(one, weights=weights).value == kappa(table, weights=weights).value


def _note(claims: dict[str, list[bool]], move: Move, weights: str) -> None:
    """Every statement that covers a move, and whether the exact change bears it out."""
    found = explain(move, weights)
    for reason in found.reasons:
        if reason.holds:
            name = reason.statement.partition(",")[0]
            claims.setdefault(name, []).append(found.effect in reason.allows)


def _some_tables(k: int, r: int, n: int) -> list[Table]:
    """Tables of random ratings, from one seed."""
    rng = np.random.default_rng(1)
    drawn = [rng.integers(k, size=(n, r)) for _ in range(5)]
    return [Table(codes, np.ones(n, dtype=int), list(range(1, k + 1)), ordered=True) for codes in drawn]


def _connected(table: Table) -> bool:
    """Whether basic moves lead from a table to every other with its margins."""
    plus, minus = basic_moves(table.n_categories, table.n_raters).arrays()
    start = table.dense().ravel()
    seen, front = {start.tobytes()}, [start]
    while front:
        here = front.pop()
        for add, take in zip(plus, minus, strict=True):
            if (here[take] > 0).all():
                there = here.copy()
                there[add] += 1
                there[take] -= 1
                if there.tobytes() not in seen:
                    seen.add(there.tobytes())
                    front.append(there)
    return len(seen) == count_tables(table.margins, all_patterns(table.margins))
