"""Define a basic move: its kind, its projections and its effect on agreement.

A move is an integer table with zero margins. A basic move has +1 in two cells and -1 in two others: two subjects swap
the ratings of some raters. Adding moves to a table is how one walks through its fiber.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

import numpy as np

from kappamax._result import plain
from kappamax._rootsum import RootSum
from kappamax._typing import Integers
from kappamax._validate import as_rater_index, as_whole_number, cell_name
from kappamax.errors import InvalidTableError
from kappamax.patterns import as_dense_shape
from kappamax.table import Table
from kappamax.weights import PairWeights, Weights, WeightsLike, as_weights

Pattern = tuple[int, ...]
Effect = Literal["raises", "lowers", "keeps"]


@dataclass(frozen=True, repr=False)
class Move:
    """A basic move: one subject more in each of two patterns, one less in each of two others.

    Parameters
    ----------
    plus, minus : two patterns each
        Tuples of category codes, counted from 0, one per rater. Each pair is put in order, so equal moves are equal.
    n_categories : int

    Raises
    ------
    InvalidTableError
        If some rater's margin would change, or nothing would.

    Examples
    --------
    >>> move = Move(plus=[(1, 3), (2, 2)], minus=[(1, 2), (2, 3)], n_categories=4)
    >>> move
    Move(+(2,4) +(3,3) -(2,3) -(3,4))
    >>> move.effect("sqrt"), move.effect("quadratic"), move.effect("linear")
    ('raises', 'lowers', 'keeps')
    """

    plus: tuple[Pattern, Pattern]
    minus: tuple[Pattern, Pattern]
    n_categories: int

    def __post_init__(self) -> None:
        k = as_whole_number("n_categories", self.n_categories, 2)
        plus, minus = _as_cells("plus", self.plus, k), _as_cells("minus", self.minus, k)
        lengths = sorted({len(pattern) for pattern in (*plus, *minus)})
        if len(lengths) > 1 or lengths[0] < 2:
            shown = ", ".join(map(str, lengths))
            raise InvalidTableError(f"a move's cells must name the same two or more raters; got {shown} categories.")
        for rater, codes in enumerate(zip(*plus, *minus, strict=True)):
            gained, lost = sorted(codes[:2]), sorted(codes[2:])
            if gained != lost:
                raise InvalidTableError(
                    f"a move must have zero margins; rater {rater + 1} gains categories {gained[0] + 1} and "
                    f"{gained[1] + 1} and loses {lost[0] + 1} and {lost[1] + 1}."
                )
        if plus == minus:
            raise InvalidTableError("a move must change something; plus and minus are the same cells.")
        for name, value in (("plus", plus), ("minus", minus), ("n_categories", k)):
            object.__setattr__(self, name, value)

    @property
    def n_raters(self) -> int:
        """Number of raters (r)."""
        return len(self.plus[0])

    @property
    def kind(self) -> Kind:
        """Which of the paper's kinds the move is of: figure 1 for two raters, the proof of proposition 2 for more."""
        return _kind_of_two(self) if self.n_raters == 2 else _kind_of_more(self)

    def dense(self) -> Integers:
        """The move as a k^r array, for at most 10 million cells."""
        array = np.zeros(as_dense_shape(self.n_categories, self.n_raters), dtype=np.int64)
        for pattern in self.plus:
            array[pattern] += 1
        for pattern in self.minus:
            array[pattern] -= 1
        return array

    def margins(self) -> Integers:
        """What the move adds to each rater's margins, shape (r, k): zeros."""
        margins = np.zeros((self.n_raters, self.n_categories), dtype=np.int64)
        for patterns, sign in ((self.plus, 1), (self.minus, -1)):
            for pattern in patterns:
                margins[np.arange(self.n_raters), pattern] += sign
        return margins

    def reversed(self) -> Move:
        """The move that undoes this one."""
        return Move(self.minus, self.plus, self.n_categories)

    def project(self, first: int, second: int) -> Move | None:
        """What two raters (counted from 0) see of the move: a basic move, or None for the null move (proposition 5)."""
        return self._among([self._rater("first", first), self._rater("second", second)])

    def change(self, weights: WeightsLike) -> RootSum:
        """How much total disagreement changes, summed over pairs of raters, exactly: sum u(plus) - sum u(minus)."""
        resolved = weights_for(weights, self.n_categories, self.n_raters)
        return sum(pair_changes(self, resolved).values(), RootSum())

    def effect(self, weights: WeightsLike) -> Effect:
        """Whether the move raises, lowers or keeps agreement.

        Decided exactly; for weights that are not exact, a change within their tolerance per pair of raters keeps it.
        """
        resolved = weights_for(weights, self.n_categories, self.n_raters)
        return effect_of(self.change(resolved), resolved.tolerance, self.n_raters)

    def applies_to(self, table: Table) -> bool:
        """Whether both patterns that lose a subject occur in the table."""
        return self._missing_cell(table) is None

    def after(self, table: Table) -> Table:
        """The table with the move added.

        Raises
        ------
        InvalidTableError
            If the table is of another design, or a pattern that loses a subject does not occur.
        """
        absent = self._missing_cell(table)
        if absent is not None:
            raise InvalidTableError(f"the move takes a subject from pattern {cell_name(absent)}, which does not occur.")
        patterns = np.concatenate([table.patterns, [*self.plus]])
        counts = np.concatenate([table.counts, [1, 1]])
        for pattern in self.minus:
            counts[:-2] -= (table.patterns == pattern).all(axis=1)
        return table.like(patterns, counts)

    def to_dict(self) -> dict[str, Any]:
        """Cells and number of categories, as plain data."""
        return {"plus": plain(self.plus), "minus": plain(self.minus), "n_categories": self.n_categories}

    def __str__(self) -> str:
        return self.written([str(code + 1) for code in range(self.n_categories)])

    def __repr__(self) -> str:
        return f"Move({self})"

    def written(self, labels: Sequence[Any]) -> str:
        """The four cells with the given names of the categories."""
        signed = [("+", pattern) for pattern in self.plus] + [("-", pattern) for pattern in self.minus]
        return " ".join(f"{sign}({','.join(str(labels[code]) for code in pattern)})" for sign, pattern in signed)

    def _rater(self, argument: str, rater: int) -> int:
        position = as_whole_number(argument, rater, 0)
        return as_rater_index(position, [str(a + 1) for a in range(self.n_raters)])

    def _among(self, raters: Sequence[int]) -> Move | None:
        """The projection on some of the raters, or None if nothing is left of it."""
        plus, minus = (sorted(tuple(cell[a] for a in raters) for cell in cells) for cells in (self.plus, self.minus))
        return None if plus == minus else Move((plus[0], plus[1]), (minus[0], minus[1]), self.n_categories)

    def _missing_cell(self, table: Table) -> Pattern | None:
        if (self.n_raters, self.n_categories) != (table.n_raters, table.n_categories):
            raise InvalidTableError(
                f"the move is for {self.n_raters} raters and {self.n_categories} categories; "
                f"the table has {table.n_raters} and {table.n_categories}."
            )
        absent = (pattern for pattern in self.minus if not (table.patterns == pattern).all(axis=1).any())
        return next(absent, None)


@dataclass(frozen=True)
class Kind:
    """The kind of a move, by the paper's letter.

    Attributes
    ----------
    letter : str
        Two raters (figure 1): "a" two cells on the diagonal, "b" one and the rest on one side of it, "c" one and the
        rest on both sides, "d" none. More raters (proof of proposition 2): "a" if the first r - 1 raters see a basic
        move, "b" if they see none.
    n_diagonal : int
        How many of the four cells have all raters agree.
    side : "above", "below", "both" or None
        Where the other cells lie from the diagonal; None for more than two raters.
    words : str
        The same in words.
    """

    letter: str
    n_diagonal: int
    side: str | None
    words: str

    def __str__(self) -> str:
        return f"({self.letter}) {self.words}"


def effect_of(change: RootSum, tolerance: float, n_raters: int) -> Effect:
    """The direction of agreement for a change of disagreement, zero within a tolerance per pair of raters."""
    slack = RootSum(Fraction(tolerance) * (n_raters * (n_raters - 1) // 2))
    if change > slack:
        return "lowers"
    return "raises" if change < slack * -1 else "keeps"


def pair_changes(move: Move, weights: Weights | PairWeights) -> dict[tuple[int, int], RootSum]:
    """The change of disagreement between every two raters."""
    changes = {}
    for a, b in combinations(range(move.n_raters), 2):
        u = weights_of_pair(weights, a, b)
        gained, lost = (
            sum((u.entry(cell[a], cell[b]) for cell in cells), RootSum()) for cells in (move.plus, move.minus)
        )
        changes[a, b] = gained - lost
    return changes


def weights_of_pair(weights: Weights | PairWeights, a: int, b: int) -> Weights:
    """The weights of two raters, a < b."""
    return weights.by_pair[a, b] if isinstance(weights, PairWeights) else weights


def weights_for(weights: WeightsLike, n_categories: int, n_raters: int) -> Weights | PairWeights:
    """Weights checked against a design without labels; its categories are in order."""
    raters = [str(rater + 1) for rater in range(n_raters)]
    return as_weights(weights, categories=range(1, n_categories + 1), ordered=True, raters=raters)


def _as_cells(argument: str, cells: Any, n_categories: int) -> tuple[Pattern, Pattern]:
    """Two patterns of category codes, in order."""
    try:
        patterns = sorted(tuple(int(code) for code in pattern) for pattern in cells)
        whole = all(code == int(code) for pattern in cells for code in pattern)
    except (TypeError, ValueError):
        patterns, whole = [], False
    if len(patterns) != 2 or not whole:
        raise InvalidTableError(f"{argument} must be two patterns of category codes; got {cells!r}.")
    for pattern in patterns:
        if any(not 0 <= code < n_categories for code in pattern):
            raise InvalidTableError(f"{argument} must have codes from 0 to {n_categories - 1}; got {pattern}.")
    return patterns[0], patterns[1]


def _kind_of_two(move: Move) -> Kind:
    """Figure 1 of the paper."""
    cells = (*move.plus, *move.minus)
    n_diagonal = sum(i == j for i, j in cells)
    sides = {"above" if i < j else "below" for i, j in cells if i != j}
    side = sides.pop() if len(sides) == 1 else "both"
    where = "on both sides of it" if side == "both" else f"{side} it"
    if n_diagonal == 2:
        return Kind("a", 2, side, "two cells on the diagonal")
    if n_diagonal == 1:
        return Kind("c" if side == "both" else "b", 1, side, f"one cell on the diagonal, the others {where}")
    return Kind("d", 0, side, f"no cell on the diagonal, all {where}")


def _kind_of_more(move: Move) -> Kind:
    """Parts (a) and (b) in the proof of proposition 2."""
    n_diagonal = sum(len(set(cell)) == 1 for cell in (*move.plus, *move.minus))
    if move._among(range(move.n_raters - 1)) is None:
        return Kind("b", n_diagonal, None, "two subjects swap the last rater's rating only")
    return Kind("a", n_diagonal, None, "a basic move of the first raters, split over the last one's categories")
