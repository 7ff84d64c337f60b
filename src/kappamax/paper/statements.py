"""Check the statements of section 4 of the paper about the effect of moves on agreement."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from kappamax._rootsum import RootSum
from kappamax.fibers.markov_basis import basic_moves
from kappamax.fibers.moves import Move
from kappamax.io import from_counts
from kappamax.kappas import kappa
from kappamax.maximum.max_kappa import max_kappa
from kappamax.maximum.maximizers import iter_maximizers
from kappamax.paper.moves import FIGURE_2
from kappamax.paper.verdict import NAMED_WEIGHTS, Check, Verdict, corrected, holds, random_tables, same
from kappamax.table import Table
from kappamax.weights import Weights, WeightsLike

_DISTANCES = ("unweighted", "linear", "sqrt")
_THREE_RATERS = ((4, 0, 3, 1), (3, 2, 2, 1), (0, 2, 4, 2))
_METRIC = [[0, 7, 4, 3], [7, 0, 5, 4], [4, 5, 0, 1], [3, 4, 1, 0]]


def two_raters() -> Iterator[Verdict]:
    """Check lemma 1 and propositions 3 and 4 for every move with up to five categories that they cover."""
    effects = []
    for k, name in product((2, 3, 4, 5), NAMED_WEIGHTS):
        u = Weights.from_scheme(name, k)
        for i, j in permutations(range(k), 2):
            change = Move(((i, i), (j, j)), ((i, j), (j, i)), k).change(name)
            effects.append(change == u.entry(i, j) * -2 and change <= RootSum())
    yield holds("Lemma 1", "agreement grows by 2 u_ij / N if two subjects move to the diagonal", effects)
    effects = []
    for k, name in product((3, 4, 5), _DISTANCES):
        for i, j, h in combinations(range(k), 3):
            for a, b in ((i, h), (h, i)):
                effects.append(Move(((a, b), (j, j)), ((a, j), (j, b)), k).change(name) <= RootSum())
    yield holds(
        "Proposition 3", "agreement does not fall if a diagonal cell gains a subject, for distance weights", effects
    )
    effects = []
    for k in (3, 4, 5):
        for i, h in combinations(range(k), 2):
            for j, g in combinations(range(k), 2):
                if h <= j or g <= i:
                    effects.append(Move(((i, j), (h, g)), ((i, g), (h, j)), k).change("linear") == RootSum())
    yield holds("Proposition 4", "a move on one side of the diagonal does not change linear kappa", effects)


def other_kinds() -> Iterator[Verdict]:
    """Check which kinds of moves of figure 1 change agreement in one direction only (section 4)."""
    odd = Weights.from_matrix(
        [[0, 0.1, 0.1, 0.1], [0.1, 0, 0.1, 0.1], [0.1, 0.1, 0, 1], [0.1, 0.1, 1, 0]], kind="disagreement"
    )
    found: dict[str, set[str]] = {}
    tried: tuple[WeightsLike, ...] = (*NAMED_WEIGHTS, odd)
    for name, move in product(tried, basic_moves(4)):
        letter = move.kind.letter
        if letter == "d" or any(i == j for i, j in move.plus):  # excludes the inverse moves
            found.setdefault(letter, set()).add(move.effect(name))
    yield same(
        "Section 4",
        "moves of kind (a) change agreement in one direction only, for all weights",
        True,
        "lowers" not in found["a"],
    )
    for letter in "bcd":
        common = not {"raises", "lowers"} <= found[letter]
        yield same(
            "Section 4",
            f"moves of kind ({letter}) change agreement in one direction only, for all weights",
            False,
            common,
        )


def example_move() -> Iterator[Verdict]:
    """Check the example after proposition 3."""
    observed = from_counts([[4, 0, 0, 0], [0, 4, 1, 0], [0, 0, 4, 1], [0, 0, 0, 4]])
    after = Move(((1, 3), (2, 2)), ((1, 2), (2, 3)), 4).after(observed)
    expected = [[4, 0, 0, 0], [0, 4, 0, 1], [0, 0, 5, 0], [0, 0, 0, 4]]
    yield same("After Prop. 3", "the table after the move", expected, after.dense().tolist())
    for name, published in (("sqrt", "greater"), ("quadratic", "less"), ("linear", "equal")):
        yield same(
            "After Prop. 3", f"kappa after the move, {name} weights", published, _compared(observed, after, name)
        )
    distances = {_compared(observed, after, name) for name in _DISTANCES}
    ours = " or ".join(sorted(distances, reverse=True))
    why = "linear weights are a distance and give equality"
    yield corrected(
        "After Prop. 3", "kappa after the move, any distance weights", "greater", ours, "greater or equal", why
    )


def diagonal() -> Iterator[Verdict]:
    """Check the remarks about distance weights and the diagonal (section 4)."""
    what = "with distance weights, the maximum is attained with the largest counts on the diagonal"
    filled = []
    for table, name in product(random_tables(4, 2, 10), _DISTANCES):
        filled.append(any(_fills_diagonal(one) for one in iter_maximizers(table, weights=name)))
    yield holds("Section 4", f"{what}, two raters", filled)
    margins, weights = np.array(_THREE_RATERS), Weights.from_matrix(_METRIC, kind="disagreement")
    best, rest = (_least_score(one, weights) for one in (margins, margins - margins.min(axis=0)))
    ours = f"least disagreement {best}, with the full diagonal {rest}" if weights.metric else "not a distance"
    known = "least disagreement 44, with the full diagonal 46"
    why = "margins (4,0,3,1), (3,2,2,1), (0,2,4,2) with the distance u12 = 7, u13 = 4, u14 = 3, u23 = 5, u24 = 4, "
    why += "u34 = 1; true of linear and unweighted kappa"
    yield corrected("Section 4", f"{what}, three raters", "holds", ours, known, why)
    moderate = []
    for k in (3, 4, 5):
        for i, j, h in combinations(range(k), 3):
            one = Table(np.array([[i, j], [j, h]]), np.ones(2, dtype=int), list(range(k)), ordered=True)
            moderate.append([*iter_maximizers(one, weights="quadratic")] == [one])
    yield holds("Section 4", "quadratic weights prefer two moderate disagreements to one strong one", moderate)


def more_raters() -> Iterator[Verdict]:
    """Check proposition 5, the remarks about it, and lemma 2."""
    seen, moved = [], []
    for k, r in ((3, 3), (2, 4)):
        for move in basic_moves(k, r):
            projections = []
            for a, b in combinations(range(r), 2):
                margin = move.dense().sum(axis=tuple(c for c in range(r) if c not in (a, b)))
                pairs = {(cell[a], cell[b]) for cell in (*move.plus, *move.minus)}
                projected = move.project(a, b)
                image = np.zeros_like(margin) if projected is None else projected.dense()
                projections.append(projected)
                seen.append(_is_basic(margin) == (len(pairs) == 4) and bool((image == margin).all()))
                seen.append(_is_basic(margin) or not margin.any())
            moved.append(any(projected is not None for projected in projections))
    what = "a two-way margin of a basic move is a basic move if its four cells differ and null otherwise"
    yield holds("Proposition 5", what, seen)
    yield holds("After Prop. 5", "at least one two-way margin of a basic move is a basic move", moved)
    for letter, (plus, minus) in FIGURE_2.items():
        move = Move(plus, minus, 3)
        number = sum(move.project(a, b) is not None for a, b in combinations(range(3), 2))
        yield same(f"Figure 2({letter})", "two-way margins that are basic moves", 2, number)
    yield holds(
        "Before Prop. 5",
        "the change of kappa is the sum of the contributions of the two-way margins of the move",
        _contributions(),
    )
    effects = []
    for (k, r), name in product(((3, 3), (2, 4)), NAMED_WEIGHTS):
        for move in basic_moves(k, r):
            if all(len(set(cell)) == 1 for cell in move.plus):
                effects.append(move.change(name) <= RootSum())
    yield holds("Lemma 2", "agreement does not fall if two subjects move to full agreement", effects)


CHECKS: tuple[Check, ...] = (two_raters, other_kinds, example_move, diagonal, more_raters)


def _compared(before: Table, after: Table, name: str) -> str:
    """Return how kappa of the second table compares with kappa of the first."""
    old, new = kappa(before, weights=name).value, kappa(after, weights=name).value
    return "greater" if new > old else "less" if new < old else "equal"


def _fills_diagonal(table: Table) -> bool:
    """Return whether the counts on the diagonal are as large as the margins allow."""
    return bool((np.diag(table.dense()) == table.margins.min(axis=0)).all())


def _least_score(margins: Any, weights: Weights) -> int:
    """Return the smallest disagreement of all tables with these margins, in the units of `_METRIC`."""
    columns = [np.repeat(np.arange(margins.shape[1]), row) for row in margins]
    table = Table(np.stack(columns, axis=1), np.ones(len(columns[0]), dtype=int), list(range(4)), ordered=True)
    best = max_kappa(table, weights=weights)
    pairs = table.n_subjects * table.n_raters * (table.n_raters - 1) // 2
    largest = max(map(max, _METRIC))  # the library scales weights to a largest entry of 1
    return round((1 - kappa(best.table, weights=weights).observed_agreement) * pairs * largest)


def _is_basic(table: Any) -> bool:
    """Return whether a two-way table has +1 and -1 at the corners of a rectangle and 0 elsewhere."""
    plus, minus = np.argwhere(table == 1).tolist(), np.argwhere(table == -1).tolist()
    if (len(plus), len(minus), np.abs(table).sum()) != (2, 2, 4):
        return False
    (i, j), (h, g) = plus
    return i != h and j != g and sorted(minus) == sorted([[i, g], [h, j]])


def _contributions() -> Iterator[bool]:
    """Yield whether the change of observed agreement of three raters is the sum of those of the projections."""
    for move, name in product(list(basic_moves(3, 3))[::7], ("linear", "quadratic", "sqrt")):
        cells = [*move.minus, (0, 1, 2), (0, 0, 0)]
        table = Table(np.array(cells), np.ones(len(cells), dtype=int), [1, 2, 3], ordered=True)
        before, after = (kappa(one, weights=name).observed_agreement for one in (table, move.after(table)))
        parts = [move.project(a, b) for a, b in combinations(range(3), 2)]
        change = sum(float(part.change(name)) for part in parts if part is not None)
        yield bool(np.isclose(after - before, -change / (3 * len(cells)), rtol=0, atol=1e-12))
