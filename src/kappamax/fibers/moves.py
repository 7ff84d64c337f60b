"""Define basic moves, their kinds, their projections on pairs of raters, and their effect on agreement.

A move is an integer table with zero margins. Adding it to a table gives another table of the same fiber. A basic move
has +1 in two cells and -1 in two others, which means that two subjects swap the ratings of some raters.
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
    """A basic move: two patterns gain one subject each, and two other patterns lose one subject each.

    Parameters
    ----------
    plus : two patterns
        Patterns that gain a subject. A pattern is a tuple of category codes, counted from 0, one for each rater.
    minus : two patterns
        Patterns that lose a subject.
    n_categories : int
        Number of categories, at least 2.

    Attributes
    ----------
    plus, minus : tuple of two patterns
        The patterns in lexicographic order, so that equal moves compare equal.
    n_categories : int
        Number of categories.
    n_raters : int
        Number of raters.
    kind : Kind
        Kind of the move in the classification of the paper.

    Raises
    ------
    InvalidTableError
        If the patterns are not tuples of category codes of the same two or more raters, if the margins of some rater
        would change, or if `plus` and `minus` are equal.
    InvalidOptionError
        If `n_categories` is not a whole number of at least 2.

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
            raise InvalidTableError(
                f"every cell of a move must have one category for each of two or more raters; got {shown} categories."
            )
        for rater, codes in enumerate(zip(*plus, *minus, strict=True)):
            gained, lost = sorted(codes[:2]), sorted(codes[2:])
            if gained != lost:
                raise InvalidTableError(
                    f"a move must have zero margins; rater {rater + 1} gains categories {gained[0] + 1} and "
                    f"{gained[1] + 1} and loses {lost[0] + 1} and {lost[1] + 1}."
                )
        if plus == minus:
            both = " and ".join(map(cell_name, plus))
            raise InvalidTableError(f"plus and minus must be different cells; both are {both}.")
        for name, value in (("plus", plus), ("minus", minus), ("n_categories", k)):
            object.__setattr__(self, name, value)

    @property
    def n_raters(self) -> int:
        """Number of raters."""
        return len(self.plus[0])

    @property
    def kind(self) -> Kind:
        """Kind of the move, as in figure 1 of the paper for two raters and in the proof of proposition 2 for more."""
        return _kind_of_two(self) if self.n_raters == 2 else _kind_of_more(self)

    def dense(self) -> Integers:
        """Return the move as an array with one axis of length k for each rater.

        Returns
        -------
        integers, shape (k, ..., k)
            The entries are 1 in the plus cells, -1 in the minus cells and 0 elsewhere.

        Raises
        ------
        NotSupportedError
            If the array would have more than 10 million cells.
        """
        array = np.zeros(as_dense_shape(self.n_categories, self.n_raters), dtype=np.int64)
        for pattern in self.plus:
            array[pattern] += 1
        for pattern in self.minus:
            array[pattern] -= 1
        return array

    def margins(self) -> Integers:
        """Return the change of the margins, which is zero.

        Returns
        -------
        integers, shape (r, k)
        """
        margins = np.zeros((self.n_raters, self.n_categories), dtype=np.int64)
        for patterns, sign in ((self.plus, 1), (self.minus, -1)):
            for pattern in patterns:
                margins[np.arange(self.n_raters), pattern] += sign
        return margins

    def reversed(self) -> Move:
        """Return the move with `plus` and `minus` exchanged, which undoes this one.

        Returns
        -------
        Move
        """
        return Move(self.minus, self.plus, self.n_categories)

    def project(self, first: int, second: int) -> Move | None:
        """Return the projection of the move on two raters (proposition 5).

        Parameters
        ----------
        first, second : int
            Indices of the raters, counted from 0.

        Returns
        -------
        Move or None
            A basic move of two raters, or None if the projection is zero.

        Raises
        ------
        InvalidOptionError
            If there is no rater with one of these indices.
        """
        return self._among([self._rater("first", first), self._rater("second", second)])

    def change(self, weights: WeightsLike) -> RootSum:
        """Return the exact change of the total disagreement, sum u(plus) - sum u(minus), over all pairs of raters.

        Parameters
        ----------
        weights : str, Weights or mapping
            Name of the weights, a `Weights` object, or a mapping from pairs of raters to either.

        Returns
        -------
        RootSum
            Change in the unit of the weights; it is negative if agreement rises.
        """
        resolved = weights_for(weights, self.n_categories, self.n_raters)
        return sum(pair_changes(self, resolved).values(), RootSum())

    def effect(self, weights: WeightsLike) -> Effect:
        """Return whether the move raises, lowers or keeps agreement.

        The effect is determined exactly. If the weights are not exact, changes within their tolerance for each pair of
        raters count as zero.

        Parameters
        ----------
        weights : str, Weights or mapping
            Name of the weights, a `Weights` object, or a mapping from pairs of raters to either.

        Returns
        -------
        {"raises", "lowers", "keeps"}
        """
        resolved = weights_for(weights, self.n_categories, self.n_raters)
        return effect_of(self.change(resolved), resolved.tolerance, self.n_raters)

    def applies_to(self, table: Table) -> bool:
        """Return whether the move can be added to a table, that is, whether both minus patterns occur in it.

        Parameters
        ----------
        table : Table
            Table with the same numbers of raters and categories.

        Returns
        -------
        bool

        Raises
        ------
        InvalidTableError
            If the table has another number of raters or categories.
        """
        return self._missing_cell(table) is None

    def after(self, table: Table) -> Table:
        """Return the table that results from adding the move to a table.

        Parameters
        ----------
        table : Table
            Table with the same numbers of raters and categories.

        Returns
        -------
        Table

        Raises
        ------
        InvalidTableError
            If the table has another number of raters or categories, or a minus pattern does not occur in it.
        """
        absent = self._missing_cell(table)
        if absent is not None:
            raise InvalidTableError(
                f"the move takes a subject from pattern {cell_name(absent)}, which does not occur in the table."
            )
        patterns = np.concatenate([table.patterns, [*self.plus]])
        counts = np.concatenate([table.counts, [1, 1]])
        for pattern in self.minus:
            counts[:-2] -= (table.patterns == pattern).all(axis=1)
        return table.like(patterns, counts)

    def to_dict(self) -> dict[str, Any]:
        """Return the move as plain data for JSON.

        Returns
        -------
        dict
            The keys are `plus`, `minus` and `n_categories`.
        """
        return {"plus": plain(self.plus), "minus": plain(self.minus), "n_categories": self.n_categories}

    def __str__(self) -> str:
        return self.written([str(code + 1) for code in range(self.n_categories)])

    def __repr__(self) -> str:
        return f"Move({self})"

    def written(self, labels: Sequence[Any]) -> str:
        """Return the move as text, with given labels of the categories.

        Parameters
        ----------
        labels : sequence
            Labels of the categories in the order of their codes.

        Returns
        -------
        str
            The four cells with their signs, such as "+(2,4) +(3,3) -(2,3) -(3,4)".
        """
        signed = [("+", pattern) for pattern in self.plus] + [("-", pattern) for pattern in self.minus]
        return " ".join(f"{sign}({','.join(str(labels[code]) for code in pattern)})" for sign, pattern in signed)

    def _rater(self, argument: str, rater: int) -> int:
        position = as_whole_number(argument, rater, 0)
        return as_rater_index(position, [str(a + 1) for a in range(self.n_raters)])

    def _among(self, raters: Sequence[int]) -> Move | None:
        """Return the projection of the move on the given raters, or None if it is zero."""
        plus, minus = (sorted(tuple(cell[a] for a in raters) for cell in cells) for cells in (self.plus, self.minus))
        return None if plus == minus else Move((plus[0], plus[1]), (minus[0], minus[1]), self.n_categories)

    def _missing_cell(self, table: Table) -> Pattern | None:
        if (self.n_raters, self.n_categories) != (table.n_raters, table.n_categories):
            raise InvalidTableError(
                f"the move has {self.n_raters} raters and {self.n_categories} categories, but the table has "
                f"{table.n_raters} raters and {table.n_categories} categories."
            )
        absent = (pattern for pattern in self.minus if not (table.patterns == pattern).all(axis=1).any())
        return next(absent, None)


@dataclass(frozen=True)
class Kind:
    """Kind of a move in the classification of the paper.

    Attributes
    ----------
    letter : str
        Letter of the kind. For two raters (figure 1), "a" means that two cells lie on the diagonal, "b" that one cell
        does and the others lie on one side of it, "c" that one cell does and the others lie on both sides, and "d" that
        no cell does. For more raters (proof of proposition 2), "a" means that the projection on the first r - 1 raters
        is a basic move, and "b" that it is zero.
    n_diagonal : int
        Number of the four cells in which all raters agree.
    side : {"above", "below", "both"} or None
        Side of the diagonal on which the other cells lie; None for more than two raters.
    words : str
        Description of the kind in words.
    """

    letter: str
    n_diagonal: int
    side: str | None
    words: str

    def __str__(self) -> str:
        return f"({self.letter}) {self.words}"


def effect_of(change: RootSum, tolerance: float, n_raters: int) -> Effect:
    """Return the effect on agreement of a change of disagreement, given a tolerance for each pair of raters."""
    slack = RootSum(Fraction(tolerance) * (n_raters * (n_raters - 1) // 2))
    if change > slack:
        return "lowers"
    return "raises" if change < slack * -1 else "keeps"


def pair_changes(move: Move, weights: Weights | PairWeights) -> dict[tuple[int, int], RootSum]:
    """Return the change of disagreement of each pair of raters."""
    changes = {}
    for a, b in combinations(range(move.n_raters), 2):
        u = weights_of_pair(weights, a, b)
        gained, lost = (
            sum((u.entry(cell[a], cell[b]) for cell in cells), RootSum()) for cells in (move.plus, move.minus)
        )
        changes[a, b] = gained - lost
    return changes


def weights_of_pair(weights: Weights | PairWeights, a: int, b: int) -> Weights:
    """Return the weights of raters a and b, where a < b."""
    return weights.by_pair[a, b] if isinstance(weights, PairWeights) else weights


def weights_for(weights: WeightsLike, n_categories: int, n_raters: int) -> Weights | PairWeights:
    """Return the weights for k ordered categories and r raters, after checking that they fit."""
    raters = [str(rater + 1) for rater in range(n_raters)]
    return as_weights(weights, categories=range(1, n_categories + 1), ordered=True, raters=raters)


def _as_cells(argument: str, cells: Any, n_categories: int) -> tuple[Pattern, Pattern]:
    """Return two patterns of category codes in lexicographic order, after checking them."""
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
    """Return the kind of a move of two raters, as in figure 1 of the paper."""
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
    """Return the kind of a move of three or more raters, as in the proof of proposition 2 of the paper."""
    n_diagonal = sum(len(set(cell)) == 1 for cell in (*move.plus, *move.minus))
    if move._among(range(move.n_raters - 1)) is None:
        return Kind("b", n_diagonal, None, "two subjects swap only the rating of the last rater")
    return Kind("a", n_diagonal, None, "a basic move of the first raters, split over the categories of the last")
