"""Explain why a move raises, lowers or keeps agreement, by the paper's lemmas and propositions.

Each reason names a statement, says whether its conditions hold for this move and these weights, and which effects it
leaves possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from kappamax._result import Result, plain
from kappamax._rootsum import RootSum
from kappamax.display import numbers
from kappamax.fibers.moves import Effect, Move, effect_of, pair_changes, weights_for, weights_of_pair
from kappamax.weights import PairWeights, Weights, WeightsLike

_LARGEST_SHOWN = 1000
_ANY: tuple[Effect, ...] = ("raises", "lowers", "keeps")


def explain_move(move: Move, weights: WeightsLike = "unweighted") -> Explanation:
    """Why a move raises, lowers or keeps agreement under some weights.

    Parameters
    ----------
    move : Move
    weights : name, Weights, or a mapping from pairs of raters to either
        Categories are taken to be in order.

    Returns
    -------
    Explanation
        With one `Reason` per statement of the paper that concerns the move: lemmas 1 and 2 (two diagonal cells),
        proposition 3 (metric weights), proposition 4 (linear weights), proposition 5 (projections on pairs of raters).

    Examples
    --------
    >>> import kappamax as km
    >>> km.moves.explain_move(km.moves.Move([(1, 3), (2, 2)], [(1, 2), (2, 3)], n_categories=4), "quadratic")
    Explanation
      move                        +(2,4) +(3,3) -(2,3) -(3,4)
      kind                        (b) one cell on the diagonal, the others above it
      weights                     quadratic
      change of disagreement      2/9
      agreement                   falls
      Sum of weights              u(2,4) + u(3,3) - u(2,3) - u(3,4) = 4/9 + 0 - 1/9 - 1/9 = 2/9
      Triangle inequality, fails  u(2,4) = 4/9 > u(2,3) + u(3,4) = 1/9 + 1/9 = 2/9: agreement falls
      Proposition 3, fails        needs metric weights; with quadratic ones u(1,3) > u(1,2) + u(2,3)
      Proposition 4, fails        all cells on one side of the diagonal, but needs linear weights
    """
    resolved = weights_for(weights, move.n_categories, move.n_raters)
    change = sum(pair_changes(move, resolved).values(), RootSum())
    effect = effect_of(change, resolved.tolerance, move.n_raters)
    if move.n_raters == 2:
        reasons = _two_raters(move, weights_of_pair(resolved, 0, 1))
    else:
        reasons = _more_raters(move, resolved, change, effect)
    return Explanation(move, resolved.name, change, effect, tuple(reasons))


@dataclass(frozen=True)
class Reason:
    """What one statement says about a move.

    Attributes
    ----------
    statement : str
        "Lemma 1", "Proposition 3", ...; with ", reversed" where it is about the move that undoes this one.
    holds : bool
        Whether its conditions hold.
    words : str
        Why, with the numbers.
    allows : tuple of str
        The effects it leaves possible; all three where it does not apply.
    """

    statement: str
    holds: bool
    words: str
    allows: tuple[Effect, ...]


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """What a move does to agreement, and why.

    Attributes
    ----------
    change : RootSum
        Exact change of total disagreement, summed over pairs of raters, in the unit of the weights. The largest weight
        is 1 for named weights and disagreement matrices, and at most 1 for agreement matrices.
    effect : "raises", "lowers" or "keeps"
        Of agreement.
    """

    move: Move
    weights: str
    change: RootSum
    effect: Effect
    reasons: tuple[Reason, ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain data: the change as a double and in exact writing."""
        return {
            "move": self.move.to_dict(),
            "kind": self.move.kind.letter,
            "weights": self.weights,
            "change": float(self.change),
            "exact_change": repr(self.change),
            "effect": self.effect,
            "reasons": [plain(vars(reason)) for reason in self.reasons],
        }

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("move", str(self.move)),
            ("kind", str(self.move.kind)),
            ("weights", self.weights),
            ("change of disagreement", _shown(self.change)),
            ("agreement", _VERBS[self.effect]),
        ]
        return rows + [
            (reason.statement if reason.holds else f"{reason.statement}, fails", reason.words)
            for reason in self.reasons
        ]


class _Cell(NamedTuple):
    """A cell of two raters' table and its weight."""

    i: int
    j: int
    u: RootSum

    def __str__(self) -> str:
        return f"u({self.i + 1},{self.j + 1})"


def _two_raters(move: Move, weights: Weights) -> Iterator[Reason]:
    """What the paper says about a move of two raters."""
    plus, minus = ([_Cell(i, j, weights.entry(i, j)) for i, j in cells] for cells in (move.plus, move.minus))
    yield _sum_of_weights(plus, minus, weights)
    kind = move.kind
    back = "" if any(cell.i == cell.j for cell in plus) else ", reversed"
    if kind.letter == "a":
        yield _two_on_the_diagonal(plus, minus, back)
    elif kind.n_diagonal == 1:
        yield _triangle(plus, minus, weights, back)
        if kind.letter == "b":
            yield _metric(weights, back)
    if kind.side != "both":
        yield _linear(weights)


def _sum_of_weights(plus: list[_Cell], minus: list[_Cell], weights: Weights) -> Reason:
    change = plus[0].u + plus[1].u - minus[0].u - minus[1].u
    names = f"{plus[0]} + {plus[1]} - {minus[0]} - {minus[1]}"
    values = f"{_shown(plus[0].u)} + {_shown(plus[1].u)} - {_shown(minus[0].u)} - {_shown(minus[1].u)}"
    effect = effect_of(change, weights.tolerance, 2)
    return Reason("Sum of weights", True, f"{names} = {values} = {_shown(change)}", (effect,))


def _two_on_the_diagonal(plus: list[_Cell], minus: list[_Cell], back: str) -> Reason:
    """Lemma 1: m_ii = m_jj = +1 takes u_ij + u_ji >= 0 away."""
    off = minus if not back else plus
    change, word = ("leave", "rises") if back else ("reach", "falls")
    words = f"two subjects {change} the diagonal: disagreement {word} by "
    words += f"{off[0]} + {off[1]} = {_shown(off[0].u + off[1].u)}, never below zero, whatever the weights"
    return Reason(f"Lemma 1{back}", True, words, _one_way(back))


def _triangle(plus: list[_Cell], minus: list[_Cell], weights: Weights, back: str) -> Reason:
    """u(i,h) against u(i,j) + u(j,h) for the diagonal cell (j,j); it decides on either side of the diagonal."""
    with_diagonal, others = (minus, plus) if back else (plus, minus)
    long = next(cell for cell in with_diagonal if cell.i != cell.j)
    (diagonal,) = (cell for cell in with_diagonal if cell.i == cell.j)
    into, out = sorted(others, key=lambda cell: cell.j != diagonal.j)  # (i, j), then (j, h)
    effect = effect_of(long.u - into.u - out.u, weights.tolerance, 2)
    sign = {"raises": "<", "keeps": "=", "lowers": ">"}[effect]
    if back:
        effect = _OPPOSITE[effect]
    around = f"{into} + {out} = {_shown(into.u)} + {_shown(out.u)} = {_shown(into.u + out.u)}"
    words = f"{long} = {_shown(long.u)} {sign} {around}: agreement {_VERBS[effect]}"
    return Reason(f"Triangle inequality{back}", sign != ">", words, (effect,))


def _metric(weights: Weights, back: str) -> Reason:
    """Proposition 3: one diagonal cell, the rest on one side, metric weights."""
    name = f"Proposition 3{back}"
    if weights.metric:
        change, word = ("leaves", "rise") if back else ("reaches", "fall")
        words = f"{weights.name} weights are metric and one subject {change} the diagonal, all on one side of it: "
        words += f"agreement cannot {word}"
        return Reason(name, True, words, _one_way(back))
    return Reason(name, False, f"needs metric weights; {_why_not_metric(weights)}", _ANY)


def _why_not_metric(weights: Weights) -> str:
    if weights.violated_triangle is None:
        return f"{weights.name} ones are not symmetric"
    i, j, h = (position + 1 for position in weights.violated_triangle)
    return f"with {weights.name} ones u({i},{h}) > u({i},{j}) + u({j},{h})"


def _linear(weights: Weights) -> Reason:
    """Proposition 4: on one side of the diagonal, linear weights do not change."""
    if weights.additive:
        words = f"all cells on one side of the diagonal, and {weights.name} weights add up along the scale"
        return Reason("Proposition 4", True, words, ("keeps",))
    return Reason("Proposition 4", False, "all cells on one side of the diagonal, but needs linear weights", _ANY)


def _more_raters(move: Move, weights: Weights | PairWeights, change: RootSum, effect: Effect) -> Iterator[Reason]:
    """What the paper says about a move of three or more raters."""
    for agreed, others, back in ((move.plus, move.minus, ""), (move.minus, move.plus, ", reversed")):
        if all(len(set(cell)) == 1 for cell in agreed) and agreed != others:
            yield _all_agree(agreed[0][0], agreed[1][0], back)
    for (a, b), pair_change in pair_changes(move, weights).items():
        yield _projection(move, a, b, pair_change, weights_of_pair(weights, a, b))
    yield Reason("Sum over pairs", True, f"the pairs' changes add up to {_shown(change)}", (effect,))


def _all_agree(i: int, j: int, back: str) -> Reason:
    """Lemma 2: m_i...i = m_j...j = +1."""
    change, word = ("leave", "rise") if back else ("reach", "fall")
    words = f"two subjects {change} full agreement on {i + 1} and {j + 1}: no pair's agreement can {word}"
    return Reason(f"Lemma 2{back}", True, words, _one_way(back))


def _projection(move: Move, a: int, b: int, change: RootSum, weights: Weights) -> Reason:
    """Proposition 5: two raters see a basic move or nothing; their part says nothing about the others'."""
    seen = move.project(a, b)
    words = f"raters {a + 1} and {b + 1} see "
    if seen is None:
        return Reason("Proposition 5", True, f"{words}a null move: change 0", _ANY)
    named = [reason.statement for reason in _two_raters(seen, weights) if reason.holds][1:]  # after the plain sum
    effect = effect_of(change, weights.tolerance, 2)
    words += f"{seen}, kind ({seen.kind.letter}): change {_shown(change)}, their agreement {_VERBS[effect]}"
    return Reason("Proposition 5", True, words + (f" ({'; '.join(named)})" if named else ""), _ANY)


def _one_way(back: str) -> tuple[Effect, ...]:
    """The effects of a move that cannot lower agreement, or of one that undoes such a move."""
    return ("lowers", "keeps") if back else ("raises", "keeps")


def _shown(number: RootSum) -> str:
    """A short fraction as it is, anything else as a decimal."""
    exact = number.rational
    return str(exact) if exact is not None and exact.denominator <= _LARGEST_SHOWN else numbers.decimal(float(number))


_VERBS = {"raises": "rises", "lowers": "falls", "keeps": "stays as it is"}
_OPPOSITE: dict[Effect, Effect] = {"raises": "lowers", "lowers": "raises", "keeps": "keeps"}
