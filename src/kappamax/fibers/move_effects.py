"""Explain why a move raises, lowers or preserves agreement, by the lemmas and propositions of the paper.

Each reason refers to one statement. It records whether the conditions of the statement hold for the move and the
weights, and which effects on agreement the statement allows.
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
    """Explain why a move raises, lowers or preserves agreement under given weights.

    Parameters
    ----------
    move : Move
        The move to explain.
    weights : str, Weights or mapping, optional
        Name of the weights, a `Weights` object, or a mapping from pairs of raters to either; default "unweighted". The
        categories are assumed to be ordered.

    Returns
    -------
    Explanation
        The change of disagreement and one `Reason` for each statement of the paper that concerns the move: lemmas 1 and
        2 (two cells on the diagonal), proposition 3 (metric weights), proposition 4 (linear weights) and proposition 5
        (projections on pairs of raters).

    Raises
    ------
    InvalidWeightsError
        If there are no weights of this name, or the weights do not fit the categories and raters of the move.

    Examples
    --------
    >>> import kappamax as km
    >>> km.moves.explain_move(km.moves.Move([(1, 3), (2, 2)], [(1, 2), (2, 3)], n_categories=4), "quadratic")
    Explanation
      move                           +(2,4) +(3,3) -(2,3) -(3,4)
      kind                           (b) one cell on the diagonal, the others above it
      weights                        quadratic
      change of disagreement         2/9
      agreement                      falls
      Sum of weights                 u(2,4) + u(3,3) - u(2,3) - u(3,4) = 4/9 + 0 - 1/9 - 1/9 = 2/9
      Triangle inequality, violated  u(2,4) = 4/9 > u(2,3) + u(3,4) = 1/9 + 1/9 = 2/9, so agreement falls
      Proposition 3, not applicable  metric weights are needed, but quadratic weights have u(1,3) > u(1,2) + u(2,3)
      Proposition 4, not applicable  all cells lie on one side of the diagonal, but linear weights are needed
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
    """One statement about the effect of a move.

    Attributes
    ----------
    statement : str
        Name of the statement, such as "Lemma 1" or "Proposition 3". The suffix ", reversed" means that the statement is
        applied to the reverse of the move.
    holds : bool
        Whether the conditions of the statement hold for the move and the weights.
    words : str
        Explanation in words, with the numbers.
    allows : tuple of str
        Effects on agreement that the statement allows: "raises", "lowers", "keeps". It allows all three if its
        conditions do not hold.
    """

    statement: str
    holds: bool
    words: str
    allows: tuple[Effect, ...]


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """Effect of a move on agreement, with its reasons.

    Attributes
    ----------
    move : Move
        The move that is explained.
    weights : str
        Name of the weights.
    change : RootSum
        Exact change of the total disagreement, summed over pairs of raters, in the unit of the weights. The largest
        weight is 1 for named weights and disagreement matrices, and at most 1 for agreement matrices.
    effect : {"raises", "lowers", "keeps"}
        Effect of the move on agreement.
    reasons : tuple of Reason
        Statements that concern the move.
    """

    move: Move
    weights: str
    change: RootSum
    effect: Effect
    reasons: tuple[Reason, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data for JSON.

        Returns
        -------
        dict
            The fields of the explanation and the letter of the move's `kind`. The change is given as a float, `change`,
            and as an exact expression, `exact_change`.
        """
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
        return rows + [(_label(reason), reason.words) for reason in self.reasons]


class _Cell(NamedTuple):
    """A cell of the table of two raters, with its weight."""

    i: int
    j: int
    u: RootSum

    def __str__(self) -> str:
        return f"u({self.i + 1},{self.j + 1})"


def _two_raters(move: Move, weights: Weights) -> Iterator[Reason]:
    """Yield the statements of the paper that concern a move of two raters."""
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
    """Return lemma 1: a move with m_ii = m_jj = +1 decreases disagreement by u_ij + u_ji >= 0."""
    off = minus if not back else plus
    change, word = ("leave", "rises") if back else ("reach", "falls")
    words = f"two subjects {change} the diagonal, so disagreement {word} by "
    words += f"{off[0]} + {off[1]} = {_shown(off[0].u + off[1].u)}, which is not negative for any weights"
    return Reason(f"Lemma 1{back}", True, words, _one_way(back))


def _triangle(plus: list[_Cell], minus: list[_Cell], weights: Weights, back: str) -> Reason:
    """Return the comparison of u(i,h) with u(i,j) + u(j,h) for the diagonal cell (j,j), which determines the effect."""
    with_diagonal, others = (minus, plus) if back else (plus, minus)
    long = next(cell for cell in with_diagonal if cell.i != cell.j)
    (diagonal,) = (cell for cell in with_diagonal if cell.i == cell.j)
    into, out = sorted(others, key=lambda cell: cell.j != diagonal.j)  # (i, j), then (j, h)
    effect = effect_of(long.u - into.u - out.u, weights.tolerance, 2)
    sign = {"raises": "<", "keeps": "=", "lowers": ">"}[effect]
    if back:
        effect = _OPPOSITE[effect]
    around = f"{into} + {out} = {_shown(into.u)} + {_shown(out.u)} = {_shown(into.u + out.u)}"
    words = f"{long} = {_shown(long.u)} {sign} {around}, so agreement {_VERBS[effect]}"
    return Reason(f"Triangle inequality{back}", sign != ">", words, (effect,))


def _metric(weights: Weights, back: str) -> Reason:
    """Return proposition 3, on metric weights and moves with one diagonal cell and the others on one side of it."""
    name = f"Proposition 3{back}"
    if weights.metric:
        change, word = ("leaves", "rise") if back else ("reaches", "fall")
        words = f"{weights.name} weights are metric, one subject {change} the diagonal, and the other cells lie on one "
        words += f"side of it, so agreement cannot {word}"
        return Reason(name, True, words, _one_way(back))
    return Reason(name, False, f"metric weights are needed, but {_why_not_metric(weights)}", _ANY)


def _why_not_metric(weights: Weights) -> str:
    if weights.violated_triangle is None:
        return f"{weights.name} weights are not symmetric"
    i, j, h = (position + 1 for position in weights.violated_triangle)
    return f"{weights.name} weights have u({i},{h}) > u({i},{j}) + u({j},{h})"


def _linear(weights: Weights) -> Reason:
    """Return proposition 4: for linear weights, a move on one side of the diagonal does not change agreement."""
    where = "all cells lie on one side of the diagonal"
    if weights.additive:
        words = f"{where}, and {weights.name} weights are additive along the scale, so agreement does not change"
        return Reason("Proposition 4", True, words, ("keeps",))
    return Reason("Proposition 4", False, f"{where}, but linear weights are needed", _ANY)


def _more_raters(move: Move, weights: Weights | PairWeights, change: RootSum, effect: Effect) -> Iterator[Reason]:
    """Yield the statements of the paper that concern a move of three or more raters."""
    for agreed, others, back in ((move.plus, move.minus, ""), (move.minus, move.plus, ", reversed")):
        if all(len(set(cell)) == 1 for cell in agreed) and agreed != others:
            yield _all_agree(agreed[0][0], agreed[1][0], back)
    for (a, b), pair_change in pair_changes(move, weights).items():
        yield _projection(move, a, b, pair_change, weights_of_pair(weights, a, b))
    yield Reason("Sum over pairs", True, f"the changes of all pairs of raters add up to {_shown(change)}", (effect,))


def _all_agree(i: int, j: int, back: str) -> Reason:
    """Return lemma 2, on moves with m_i...i = m_j...j = +1."""
    change, word = ("leave", "rise") if back else ("reach", "fall")
    words = f"two subjects {change} full agreement, on categories {i + 1} and {j + 1}, so the agreement of no pair of "
    words += f"raters can {word}"
    return Reason(f"Lemma 2{back}", True, words, _one_way(back))


def _projection(move: Move, a: int, b: int, change: RootSum, weights: Weights) -> Reason:
    """Return proposition 5: the projection of a basic move on two raters is a basic move or the null move.

    The effect on one pair of raters does not restrict the effect on all of them.
    """
    seen = move.project(a, b)
    words = f"the projection on raters {a + 1} and {b + 1} is "
    if seen is None:
        return Reason("Proposition 5", True, f"{words}the null move, so their agreement does not change", _ANY)
    named = [reason.statement for reason in _two_raters(seen, weights) if reason.holds][1:]  # without the sum
    effect = effect_of(change, weights.tolerance, 2)
    words += f"{seen}, of kind ({seen.kind.letter}), with change {_shown(change)}, so their agreement {_VERBS[effect]}"
    return Reason("Proposition 5", True, words + (f" ({'; '.join(named)})" if named else ""), _ANY)


def _one_way(back: str) -> tuple[Effect, ...]:
    """Return the possible effects of a move that cannot lower agreement, or of the reverse of such a move."""
    return ("lowers", "keeps") if back else ("raises", "keeps")


def _shown(number: RootSum) -> str:
    """Return a number as a fraction if the denominator is small, and as a decimal otherwise."""
    exact = number.rational
    return str(exact) if exact is not None and exact.denominator <= _LARGEST_SHOWN else numbers.decimal(float(number))


def _label(reason: Reason) -> str:
    """Return the name of a statement, and whether it is violated or not applicable."""
    if reason.holds:
        return reason.statement
    return f"{reason.statement}, {'violated' if reason.statement.startswith('Triangle') else 'not applicable'}"


_VERBS = {"raises": "rises", "lowers": "falls", "keeps": "does not change"}
_OPPOSITE: dict[Effect, Effect] = {"raises": "lowers", "lowers": "raises", "keeps": "keeps"}
