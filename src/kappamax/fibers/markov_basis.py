"""Define the set of all basic moves, and a minimal Markov basis, for given numbers of raters and categories.

Moves are computed from their index and are not stored, so a set may contain any number of them. They are grouped by
subtable. A subtable is given by q >= 2 raters with two categories lo < hi each, while every other rater is fixed at one
category. Its 2^q cells form P = 2^(q-1) antipodal pairs: exchanging lo and hi of every rater in one cell gives the
other. The tables with two subjects and the margins of a subtable are exactly its antipodal pairs, and every basic move
leads from one antipodal pair to another pair of the same subtable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import Any, NamedTuple, overload

import numpy as np

from kappamax._typing import Array, Integers
from kappamax._validate import as_generator, as_whole_number
from kappamax.display import text
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.fibers.combination_ranks import combination_at, combination_rank, digits_of, number_of, random_below
from kappamax.fibers.moves import Move, Pattern

Generator = np.random.Generator

LISTED_MOVES = 5_000_000


def basic_moves(n_categories: int, n_raters: int = 2) -> MoveSet:
    """Return the set of all basic moves, each with both signs (definitions 4 and 5 of the paper).

    A basic move leads from one antipodal pair of cells of a subtable to another. There are 2 * sum over q of
    C(r, q) k^(r-q) C(k, 2)^q C(2^(q-1), 2) of them, where r is the number of raters and k the number of categories.
    They form a Markov basis (propositions 1 and 2). In definition 5, the set S of the raters that keep their ratings
    must be a proper subset of the raters; otherwise the move is zero.

    Parameters
    ----------
    n_categories : int
        Number of categories, at least 2.
    n_raters : int, optional
        Number of raters, at least 2, default 2.

    Returns
    -------
    MoveSet

    Raises
    ------
    InvalidOptionError
        If one of the numbers is not a whole number of at least 2.

    Examples
    --------
    >>> basic_moves(4)
    MoveSet(72 basic moves, 4 categories, 2 raters)
    >>> basic_moves(5, n_raters=20).n_moves
    289856784920540989685058593750000
    """
    return MoveSet("basic", n_categories, n_raters)


def minimal_moves(n_categories: int, n_raters: int = 2) -> MoveSet:
    """Return the moves of a minimal Markov basis, each with both signs.

    The tables with two subjects and the margins of a subtable are its P antipodal pairs. Only moves within the subtable
    connect them, so a Markov basis needs at least P - 1 such moves, which form a spanning tree. Conversely, any choice
    of a spanning tree for each subtable gives a Markov basis: every basic move is then a path of moves of the tree, and
    the basic moves connect every fiber.

    The spanning tree used here is a star whose centre is the pair {all lo, all hi}. There is one exception for three
    raters, so that the set equals the output of the program 4ti2, which was used in the study of the paper. If all
    three raters vary, hi is the last category for the first two raters, and lo is the first category for the third, the
    centre is {(lo, lo, hi), (hi, hi, lo)}.

    There are 2 * sum over q of C(r, q) k^(r-q) C(k, 2)^q (2^(q-1) - 1) moves, where r is the number of raters and k the
    number of categories. For two raters these are all basic moves.

    Parameters
    ----------
    n_categories : int
        Number of categories, at least 2.
    n_raters : int, optional
        Number of raters, at least 2, default 2.

    Returns
    -------
    MoveSet

    Raises
    ------
    InvalidOptionError
        If one of the numbers is not a whole number of at least 2.

    Examples
    --------
    >>> len(minimal_moves(3, n_raters=3)), len(minimal_moves(5, n_raters=3))
    (324, 9000)
    """
    return MoveSet("minimal", n_categories, n_raters)


class Subtable(NamedTuple):
    """A subtable, in which some raters have two categories and every other rater has one.

    Attributes
    ----------
    raters : tuple of int
        Raters that vary.
    fixed : tuple of int
        Category of each other rater.
    ends : tuple of (int, int)
        Categories lo and hi of each rater that varies.
    """

    raters: tuple[int, ...]
    fixed: tuple[int, ...]
    ends: tuple[tuple[int, int], ...]


@dataclass(frozen=True, repr=False)
class MoveSet:
    """A set of signed basic moves in a fixed order, as returned by `basic_moves` and `minimal_moves`.

    The moves are not stored. `moves[index]` computes a move from its index and `moves.index(move)` computes the index,
    so the set may contain any number of moves. Iteration, `len` and `in` are supported as for a sequence.

    Attributes
    ----------
    name : {"basic", "minimal"}
        Name of the set.
    n_categories : int
        Number of categories.
    n_raters : int
        Number of raters.
    n_moves : int
        Number of moves, where a move and its reverse count as two.
    n_unsigned : int
        Number of moves, where a move and its reverse count as one.

    Examples
    --------
    >>> moves = basic_moves(3)
    >>> moves[0], moves.index(moves[0]), moves[0].reversed() in moves
    (Move(+(1,1) +(2,2) -(1,2) -(2,1)), 0, True)
    """

    name: str
    n_categories: int
    n_raters: int

    def __post_init__(self) -> None:
        for name in ("n_categories", "n_raters"):
            object.__setattr__(self, name, as_whole_number(name, getattr(self, name), 2))

    @property
    def n_moves(self) -> int:
        """Number of moves, where a move and its reverse count as two."""
        return sum(comb(self.n_raters, q) * self._per_raters(q) for q in self._sizes)

    @property
    def n_unsigned(self) -> int:
        """Number of moves, where a move and its reverse count as one."""
        return self.n_moves // 2

    def __len__(self) -> int:
        if self.n_moves >= 2**63:
            raise NotSupportedError(
                f"len() is limited to 2^63 - 1, but there are {self.n_moves:.3g} moves. Use n_moves instead."
            )
        return self.n_moves

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        counted = text.plural(self.n_moves, f"{self.name} move")
        return f"MoveSet({counted}, {self.n_categories} categories, {self.n_raters} raters)"

    def __iter__(self) -> Iterator[Move]:
        return (self[index] for index in range(self.n_moves))

    def __getitem__(self, index: int) -> Move:
        """Return the move at an index; negative indices count from the end."""
        n_moves = self.n_moves
        if isinstance(index, bool) or not isinstance(index, int | np.integer):
            raise InvalidOptionError(f"the index of a move must be a whole number; got {index!r}.")
        if not -n_moves <= index < n_moves:
            raise InvalidOptionError(f"the index of a move must lie in 0 to {n_moves - 1}; got {index}.")
        index = int(index) % n_moves
        k, r = self.n_categories, self.n_raters
        for q in self._sizes:
            size = comb(r, q) * self._per_raters(q)
            if index < size:
                break
            index -= size
        rank, index = divmod(index, self._per_raters(q))
        number, within = divmod(index, self._per_subtable(q))
        fixed, pairs = divmod(number, comb(k, 2) ** q)
        ends = [combination_at(digit, k, 2) for digit in digits_of(pairs, comb(k, 2), q)]
        subtable = Subtable(
            combination_at(rank, r, q), tuple(digits_of(fixed, k, r - q)), tuple((i, j) for i, j in ends)
        )
        centre = int(star_centres(np.array(ends), k, r)) if self.name == "minimal" else 0
        plus, minus = (int(pair) for pair in self._pairs(within, centre, q))
        return Move(_cells(subtable, plus, r), _cells(subtable, minus, r), k)

    def index(self, move: Move) -> int:
        """Return the index of a move in the set.

        Parameters
        ----------
        move : Move
            The move.

        Returns
        -------
        int
            Index such that `moves[index] == move`.

        Raises
        ------
        InvalidOptionError
            If the set does not contain the move.
        """
        index = self._index(move)
        if index is None:
            raise InvalidOptionError(f"{move!r} is not one of {self!r}.")
        return index

    def __contains__(self, move: object) -> bool:
        return isinstance(move, Move) and self._index(move) is not None

    @overload
    def draw(self, rng: Generator | int | None = None) -> Move: ...

    @overload
    def draw(self, rng: Generator | int | None, size: int) -> list[Move]: ...

    def draw(self, rng: Generator | int | None = None, size: int | None = None) -> Move | list[Move]:
        """Draw random moves independently and uniformly from the set.

        Parameters
        ----------
        rng : int, Generator or None, optional
            Seed or source of randomness. None, the default, draws a fresh seed.
        size : int, optional
            Number of moves to draw. By default a single move is returned.

        Returns
        -------
        Move or list of Move
            One move if `size` is omitted, and a list of `size` moves otherwise.

        Raises
        ------
        InvalidOptionError
            If `size` is not a whole number of at least 0.
        """
        generator = as_generator(rng)
        if size is None:
            return self[random_below(self.n_moves, generator)]
        return [self[random_below(self.n_moves, generator)] for _ in range(as_whole_number("size", size, 0))]

    def arrays(self) -> tuple[Integers, Integers]:
        """Return the plus and minus cells of all moves, in the order of the set.

        Returns
        -------
        plus, minus : integers, shape (n_moves, 2)
            Cells of each move, as indices into the flattened table of k^r cells (the index of the last rater varies
            fastest).

        Raises
        ------
        NotSupportedError
            If there are more than five million moves.
        """
        if self.n_moves > LISTED_MOVES:
            raise NotSupportedError(f"listing these moves needs {self.n_moves:,} rows; the limit is {LISTED_MOVES:,}.")
        parts = [self._cells_of(raters) for q in self._sizes for raters in combinations(range(self.n_raters), q)]
        plus, minus = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
        return plus, minus

    @property
    def _sizes(self) -> range:
        """Possible numbers q of raters that vary."""
        return range(2, self.n_raters + 1)

    def _per_subtable(self, q: int) -> int:
        """Return the number of signed moves in a subtable: P (P - 1) basic ones, or 2 (P - 1) in a star."""
        p = 2 ** (q - 1)
        return int(p * (p - 1) if self.name == "basic" else 2 * (p - 1))

    def _per_raters(self, q: int) -> int:
        """Return the number of signed moves for a given set of q raters that vary."""
        return int(self.n_categories ** (self.n_raters - q) * comb(self.n_categories, 2) ** q * self._per_subtable(q))

    def _pairs(self, within: Any, centre: Any, q: int) -> tuple[Any, Any]:
        """Return the plus and minus antipodal pairs of the moves with given indices within a subtable.

        The arguments are arrays or Python integers. With more than 32 raters the indices exceed 64 bits.
        """
        if self.name == "basic":
            plus, other = within // (2 ** (q - 1) - 1), within % (2 ** (q - 1) - 1)
            return plus, other + (other >= plus)
        spoke, sign = within // 2, within % 2
        outer = spoke + (spoke >= centre)
        return np.where(sign == 0, centre, outer), np.where(sign == 0, outer, centre)

    def _index(self, move: Move) -> int | None:
        k, r = self.n_categories, self.n_raters
        if (move.n_categories, move.n_raters) != (k, r):
            return None
        low, high = move.plus
        raters = [a for a in range(r) if low[a] != high[a]]
        q = len(raters)
        ends = [(min(low[a], high[a]), max(low[a], high[a])) for a in raters]
        plus, minus = (
            number_of([int(cells[0][a] > cells[1][a]) for a in raters], 2) for cells in (move.plus, move.minus)
        )
        if self.name == "basic":
            within = plus * int(2 ** (q - 1) - 1) + minus - (minus > plus)
        else:
            centre = int(star_centres(np.array(ends), k, r))
            if centre not in (plus, minus):
                return None
            outer = minus if plus == centre else plus
            within = 2 * (outer - (outer > centre)) + (plus != centre)
        before = sum(comb(r, size) * self._per_raters(size) for size in range(2, q))
        fixed = number_of([low[a] for a in range(r) if low[a] == high[a]], k)
        number = fixed * int(comb(k, 2) ** q) + number_of([combination_rank(pair, k) for pair in ends], comb(k, 2))
        return before + combination_rank(raters, r) * self._per_raters(q) + number * self._per_subtable(q) + within

    def _cells_of(self, raters: Sequence[int]) -> tuple[Array, Array]:
        """Return the flat cells of all moves in which exactly these raters vary."""
        k, r, q = self.n_categories, self.n_raters, len(raters)
        strides = np.array([k ** (r - 1 - a) for a in range(r)])
        varying = np.isin(np.arange(r), raters)
        fixed = np.array(list(product(range(k), repeat=r - q)), dtype=np.int64) @ strides[~varying]
        ends = np.array(list(product(combinations(range(k), 2), repeat=q)), dtype=np.int64)
        low = ends[:, :, 0] @ strides[varying]
        steps = (ends[:, :, 1] - ends[:, :, 0]) * strides[varying]
        within, centre = np.arange(self._per_subtable(q)), star_centres(ends, k, r)
        sides = []
        for pair in self._pairs(within[None, :], centre[:, None], q):
            bits = pair[..., None] >> np.arange(q - 1, -1, -1) & 1
            risen = (bits * steps[:, None, :]).sum(axis=-1)
            cells = np.stack([risen, steps.sum(axis=-1)[:, None] - risen], axis=-1) + low[:, None, None]
            sides.append((fixed[:, None, None, None] + cells).reshape(-1, 2))
        return sides[0], sides[1]


def star_centres(ends: Array, n_categories: int, n_raters: int) -> Array:
    """Return the number of the antipodal pair at the centre of the star of each subtable.

    `ends` has shape (..., q, 2) and holds lo and hi of each rater that varies. `minimal_moves` describes the exception
    for three raters.
    """
    if n_raters != 3 or ends.shape[-2] != 3:
        return np.zeros(ends.shape[:-2], dtype=np.int64)
    first_two_end_last = (ends[..., :2, 1] == n_categories - 1).all(axis=-1)
    return np.asarray(first_two_end_last & (ends[..., 2, 0] == 0)).astype(np.int64)


def _cells(subtable: Subtable, pair: int, n_raters: int) -> tuple[Pattern, Pattern]:
    """Return the two cells of an antipodal pair.

    The binary digits of the pair's number indicate which raters have category hi in the first cell.
    """
    others = iter(subtable.fixed)
    low = [-1 if a in subtable.raters else next(others) for a in range(n_raters)]
    high = list(low)
    for a, ends, bit in zip(subtable.raters, subtable.ends, digits_of(pair, 2, len(subtable.raters)), strict=True):
        low[a], high[a] = ends[bit], ends[1 - bit]
    return tuple(low), tuple(high)
