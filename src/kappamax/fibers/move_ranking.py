"""Rank the moves that apply to a table by their effect on agreement.

A move applies if both patterns that lose a subject occur in the table. The moves that apply are therefore the swaps of
the ratings of some raters between two observed patterns that differ in the ratings of these raters. Only these moves
are listed, not all basic moves.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from kappamax._integers import distinct_rows
from kappamax._result import TableResult, plain
from kappamax._rootsum import RootSum, order
from kappamax._typing import Array, Codes
from kappamax._validate import as_choice, as_whole_number
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import NotSupportedError
from kappamax.fibers.limits import missing_ratings
from kappamax.fibers.markov_basis import LISTED_MOVES, star_centres
from kappamax.fibers.moves import Effect, Move, effect_of
from kappamax.io import Ratings
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

_CHUNK_CELLS = 2_000_000
_SHOWN = 10
_LONGEST_NAME = 60


def rank_moves(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    top: int = 20,
    moves: str = "basic",
    categories: Sequence[Label] | None = None,
) -> RankedMoves:
    """Rank the moves that apply to a table by their effect on agreement, with the best move first.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays
        Complete ratings.
    weights : str, Weights or mapping, optional
        Weights, as for `agreement`; default "unweighted".
    coefficient : str, optional
        Name of the coefficient, as for `agreement`; default "kappa".
    top : int, optional
        Maximum number of moves to return, default 20. The counts of the result refer to all moves that apply. Moves
        that change agreement by the same amount are returned in the order of their cells.
    moves : {"basic", "minimal"}, optional
        Set of moves to consider: all basic moves, the default, or those of a minimal Markov basis. See `basic_moves`
        and `minimal_moves`.
    categories : sequence of labels, optional
        All categories in order, including unused ones, as for `agreement`. By default they are taken from the ratings.

    Returns
    -------
    RankedMoves
        The best moves and the numbers of moves that raise, lower and keep agreement.

    Raises
    ------
    NotSupportedError
        If ratings are missing, or more than five million moves apply.
    UndefinedKappaError
        If all raters used a single category, or only categories between which the weights are zero.
    InvalidOptionError
        If `top` is not a whole number of at least 1, or `moves` has an unknown value.

    Examples
    --------
    >>> import kappamax as km
    >>> ranked = km.moves.rank_moves(km.example("rapallo2022"), weights="linear", top=2)
    >>> ranked.n_applicable, ranked.n_raising, ranked.n_keeping, ranked.n_lowering
    (47, 12, 11, 24)
    >>> ranked[0].move, round(ranked[0].value_after, 4)
    (Move(+(1,2) +(4,4) -(1,4) -(4,2)), 0.6018)
    """
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories)
    table = objective.table
    top = as_whole_number("top", top, 1)
    moves = as_choice("moves", moves, ("basic", "minimal"))
    if table.n_missing:
        raise NotSupportedError(f"ranking moves needs complete ratings, but {missing_ratings(table.n_missing)}.")
    value = objective.value(objective.score)
    found = _applicable(objective, minimal=moves == "minimal")
    sums, place = _ranking(objective, found.changes)
    unit = objective.denominator * objective.factors[table.n_raters]
    slack = RootSum(Fraction(objective.weights.tolerance) * (table.n_raters * (table.n_raters - 1) // 2) * unit)
    per_sum = np.bincount(place, minlength=len(sums))
    lows, highs = bisect_left(sums, slack * -1), bisect_right(sums, slack)
    best = np.lexsort((found.swap, found.second, found.first, place))[:top]
    ranked = [
        RankedMove(
            move=_move(table, int(found.first[i]), int(found.second[i]), int(found.swap[i])),
            change=sums[place[i]] / unit,
            effect=effect_of(sums[place[i]] / unit, objective.weights.tolerance, table.n_raters),
            value_before=value,
            value_after=objective.value(objective.score + sums[place[i]]),
        )
        for i in best
    ]
    return RankedMoves(
        coefficient=objective.coefficient.name,
        title=objective.coefficient.title,
        weights=objective.weights.name,
        value=value,
        n_applicable=len(place),
        n_raising=int(per_sum[:lows].sum()),
        n_lowering=int(per_sum[highs:].sum()),
        n_keeping=int(per_sum[lows:highs].sum()),
        moves=tuple(ranked),
        table=table,
        _data=table.data,
    )


@dataclass(frozen=True)
class RankedMove:
    """A move that applies to a table, with its effect.

    Attributes
    ----------
    move : Move
        The move.
    change : RootSum
        Exact change of the total disagreement, summed over pairs of raters, in the unit of the weights.
    effect : {"raises", "lowers", "keeps"}
        Effect of the move on agreement.
    value_before, value_after : float
        Value of the coefficient before and after the move.
    """

    move: Move
    change: RootSum
    effect: Effect
    value_before: float
    value_after: float


@dataclass(frozen=True, repr=False)
class RankedMoves(TableResult):
    """The best of the moves that apply to a table, in order, and the numbers of all these moves by effect on agreement.

    The object is a sequence of `RankedMove`; `ranked[0].move.after(table)` is the table after the best move.

    Attributes
    ----------
    coefficient : str
        Name of the coefficient.
    title : str
        Name of the coefficient for display.
    weights : str
        Name of the weights.
    value : float
        Observed value of the coefficient.
    n_applicable : int
        Number of moves that apply to the table.
    n_raising, n_lowering, n_keeping : int
        Numbers of these moves that raise, lower and keep agreement.
    moves : tuple of RankedMove
        The best moves, best first.
    table : Table
        The observed table.
    """

    coefficient: str
    title: str
    weights: str
    value: float
    n_applicable: int
    n_raising: int
    n_lowering: int
    n_keeping: int
    moves: tuple[RankedMove, ...] = field(repr=False)
    table: Table = field(repr=False)

    def __len__(self) -> int:
        return len(self.moves)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[RankedMove]:
        return iter(self.moves)

    def __getitem__(self, index: int) -> RankedMove:
        return self.moves[index]

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as plain data for JSON, with cells as category labels and without the table.

        Returns
        -------
        dict
        """
        names = ("coefficient", "title", "weights", "value", "n_applicable", "n_raising", "n_lowering", "n_keeping")
        labels = self.table.categories
        moves = [
            {
                "plus": [[labels[code] for code in cell] for cell in ranked.move.plus],
                "minus": [[labels[code] for code in cell] for cell in ranked.move.minus],
                "effect": ranked.effect,
                "change": float(ranked.change),
                "value_after": ranked.value_after,
            }
            for ranked in self.moves
        ]
        return {name: plain(getattr(self, name)) for name in names} | {"moves": moves}

    def _columns(self) -> dict[str, Iterable[Any]]:
        return {
            "move": [self.written(ranked.move) for ranked in self.moves],
            "effect": [ranked.effect for ranked in self.moves],
            "change": [float(ranked.change) for ranked in self.moves],
            "value_after": [ranked.value_after for ranked in self.moves],
        }

    def _frame_library(self) -> str | None:
        return self.table.frame_library

    def _rows(self) -> list[tuple[str, str]]:
        counts = f"{numbers.count(self.n_raising)} raise agreement, {numbers.count(self.n_lowering)} lower it, "
        rows = [
            (f"{self.title}, {self.weights}", numbers.decimal(self.value)),
            ("moves that apply", numbers.count(self.n_applicable)),
            ("of these", f"{counts}{numbers.count(self.n_keeping)} keep it"),
        ]
        for place, ranked in enumerate(self.moves[:_SHOWN], start=1):
            word = "at" if ranked.effect == "keeps" else "to"
            after = f"{ranked.effect} agreement, {word} {numbers.decimal(ranked.value_after)}"
            rows.append((str(place), f"{self.written(ranked.move)}  {after}"))
        if len(self.moves) > _SHOWN:
            rows.append(("...", f"{len(self.moves) - _SHOWN} more in `moves`"))
        return rows

    def written(self, move: Move) -> str:
        """Return a move as text, with the labels of the categories.

        Parameters
        ----------
        move : Move
            The move.

        Returns
        -------
        str
            The four cells with their signs. If the labels make it longer than 60 characters, categories are given by
            their numbers, counted from 1.
        """
        named = move.written(self.table.categories)
        return named if len(named) <= _LONGEST_NAME else str(move)


class _ApplicableMoves(NamedTuple):
    """The moves that apply to a table.

    Attributes
    ----------
    first, second : integers
        Indices of the two patterns between which ratings are swapped.
    swap : integers
        Binary digits that select the raters whose ratings are swapped, among those whose ratings differ.
    changes : integers
        Components of the exact change of the score.
    """

    first: Array
    second: Array
    swap: Array
    changes: Array


def _applicable(objective: Objective, *, minimal: bool) -> _ApplicableMoves:
    """Return all moves that apply to the table, computed in chunks of a few megabytes."""
    table = objective.table
    patterns, own = table.patterns, objective.scores(table.patterns)
    parts = [_ApplicableMoves(*(np.zeros(0, dtype=np.int64),) * 3, own[:0])]
    pairs = _differing_pairs(patterns)
    for q, (first, second) in pairs.items():
        swaps = np.arange(1, 2 ** (q - 1))
        step = max(1, _CHUNK_CELLS // (len(swaps) * table.n_raters))
        for start in range(0, len(first), step):
            chunk = slice(start, start + step)
            i, j, swap = (part.ravel() for part in np.broadcast_arrays(first[chunk, None], second[chunk, None], swaps))
            x, y = patterns[i], patterns[j]
            if minimal:
                kept = _in_a_star(x, y, swap, q, table.n_categories)
                i, j, swap, x, y = i[kept], j[kept], swap[kept], x[kept], y[kept]
            plus = _swapped(x, y, swap, q)
            # int64 scores lie between 0 and 2^62, so both differences and their sum fit into 64 bits
            change = (objective.scores(plus[0]) - own[i]) + (objective.scores(plus[1]) - own[j])
            parts.append(_ApplicableMoves(i, j, swap, change))
    return _ApplicableMoves(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _differing_pairs(patterns: Codes) -> dict[int, tuple[Array, Array]]:
    """Return the pairs of patterns by the number q >= 2 of raters whose ratings differ."""
    rows: dict[int, list[tuple[Array, Array]]] = {}
    n_moves = 0
    for i in range(len(patterns) - 1):
        differing = (patterns[i + 1 :] != patterns[i]).sum(axis=1)
        for q, n in enumerate(np.bincount(differing).tolist()):
            if q >= 2 and n:
                n_moves += n * (2 ** (q - 1) - 1)
                second = i + 1 + np.flatnonzero(differing == q)
                rows.setdefault(q, []).append((np.full(len(second), i), second))
        if n_moves > LISTED_MOVES:
            raise NotSupportedError(
                f"listing these moves needs at least {n_moves:,} rows; the limit is {LISTED_MOVES:,}."
            )
    return {
        q: (np.concatenate([first for first, _ in found]), np.concatenate([second for _, second in found]))
        for q, found in rows.items()
    }


def _swapped(x: Array, y: Array, swap: Array, q: int) -> tuple[Array, Array]:
    """Return two patterns after a swap of the raters that the binary digits of `swap` select.

    The digits refer to the q raters whose ratings differ between the two patterns.
    """
    raters = np.nonzero(x != y)[1].reshape(-1, q)
    swaps = np.zeros(x.shape, dtype=bool)
    np.put_along_axis(swaps, raters, (swap[:, None] >> np.arange(q - 1, -1, -1) & 1).astype(bool), axis=1)
    return np.where(swaps, y, x), np.where(swaps, x, y)


def _in_a_star(x: Array, y: Array, swap: Array, q: int, n_categories: int) -> Array:
    """Return whether each move belongs to the minimal basis, that is, starts or ends at the centre of a star."""
    raters = np.nonzero(x != y)[1].reshape(-1, q)
    ends = np.stack([np.take_along_axis(codes, raters, axis=1) for codes in (x, y)], axis=-1)
    centre = star_centres(np.sort(ends, axis=-1), n_categories, x.shape[1])
    minus = (ends[:, :, 0] > ends[:, :, 1]) @ (1 << np.arange(q - 1, -1, -1))
    return np.asarray((minus == centre) | (minus ^ swap == centre))


def _ranking(objective: Objective, changes: Array) -> tuple[list[RootSum], Array]:
    """Return the distinct changes in exact order, and the index of the change of each move among them."""
    vectors, place = distinct_rows(changes)
    sums = [RootSum(dict(zip(objective.radicands, row, strict=True))) for row in vectors.tolist()]
    ascending = order(sums)
    rank = np.empty(len(ascending), dtype=np.int64)
    rank[ascending] = np.arange(len(ascending))
    return [sums[i] for i in ascending], rank[place]


def _move(table: Table, i: int, j: int, swap: int) -> Move:
    x, y = table.patterns[i : i + 1], table.patterns[j : j + 1]
    first, second = _swapped(x, y, np.array([swap]), int((x != y).sum()))
    plus, minus = ((tuple(a[0].tolist()), tuple(b[0].tolist())) for a, b in ((first, second), (x, y)))
    return Move(plus, minus, table.n_categories)
