"""Numbers of categories and raters in, a set of basic moves out: counted, indexed and drawn from, never listed.

A block is a set of q >= 2 raters with two levels lo < hi each, every other rater fixed at one category. Its 2^q cells
form P = 2^(q-1) antipodal pairs (change every level of one cell to get the other). The tables with two subjects and a
block's margins are exactly its antipodal pairs, and every basic move goes from one of them to another in one block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from kappamax._checks import moves as checks
from kappamax._validate import as_generator, as_whole_number
from kappamax.display import text
from kappamax.fibers.moves import Move, Pattern

__all__ = ["LISTED_MOVES", "MoveSet", "basic_moves", "minimal_moves", "star_centres"]

Array = npt.NDArray[Any]
Generator = np.random.Generator

LISTED_MOVES = 5_000_000


def basic_moves(n_categories: int, n_raters: int = 2) -> MoveSet:
    """All basic moves, each with both signs (definitions 4 and 5 of the paper): every antipodal pair to every other.

    There are 2 * sum over q of C(r, q) k^(r-q) C(k, 2)^q C(2^(q-1), 2), a Markov basis (propositions 1 and 2). The
    paper's set S of raters that keep their ratings must be a proper subset, or the move is null.

    Examples
    --------
    >>> basic_moves(4)
    MoveSet(72 basic moves, 4 categories, 2 raters)
    >>> basic_moves(5, n_raters=20).n_moves
    289856784920540989685058593750000
    """
    return _move_set("basic", n_categories, n_raters)


def minimal_moves(n_categories: int, n_raters: int = 2) -> MoveSet:
    """The moves of a minimal Markov basis, each with both signs.

    The tables with two subjects and a block's margins are the block's P antipodal pairs; nothing else connects them,
    so a basis needs P - 1 moves there that form a spanning tree. Any spanning tree of each block will do: every basic
    move is then a walk along tables with the same two subjects' worth of ratings, and basic moves connect every fiber.
    The tree here is a star around the pair {all lo, all hi}. For three raters there is one exception, so that the set
    is the one the program 4ti2 prints and the paper's study used: where all three raters vary, the first two have the
    last category as hi and the third has the first as lo, the centre is {(lo, lo, hi), (hi, hi, lo)}.

    There are 2 * sum over q of C(r, q) k^(r-q) C(k, 2)^q (2^(q-1) - 1); for two raters these are all basic moves.

    Examples
    --------
    >>> len(minimal_moves(3, n_raters=3)), len(minimal_moves(5, n_raters=3))
    (324, 9000)
    """
    return _move_set("minimal", n_categories, n_raters)


class Block(NamedTuple):
    """Raters that vary, the category of every other rater, and the two levels of each rater that varies."""

    raters: tuple[int, ...]
    fixed: tuple[int, ...]
    levels: tuple[tuple[int, int], ...]


@dataclass(frozen=True, repr=False)
class MoveSet:
    """A set of signed basic moves in a fixed order; made by `basic_moves` and `minimal_moves`.

    Nothing is listed: `moves[index]` and `moves.index(move)` compute one from the other, for any number of moves.
    """

    name: str
    n_categories: int
    n_raters: int

    @property
    def n_moves(self) -> int:
        """Number of moves, of both signs."""
        return sum(comb(self.n_raters, q) * self._per_raters(q) for q in self._sizes)

    @property
    def n_unsigned(self) -> int:
        """Number of moves when a move and its reverse count as one."""
        return self.n_moves // 2

    def __len__(self) -> int:
        return checks.countable(self.n_moves)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        counted = text.plural(self.n_moves, f"{self.name} move")
        return f"MoveSet({counted}, {self.n_categories} categories, {self.n_raters} raters)"

    def __iter__(self) -> Iterator[Move]:
        for block in self._blocks():
            for within in range(self._per_block(len(block.raters))):
                yield self._move(block, within)

    def __getitem__(self, index: int) -> Move:
        """The move at an index; negative ones count from the end."""
        index = checks.move_index(index, self.n_moves)
        k, r = self.n_categories, self.n_raters
        for q in self._sizes:
            size = comb(r, q) * self._per_raters(q)
            if index < size:
                break
            index -= size
        rank, index = divmod(index, self._per_raters(q))
        number, within = divmod(index, self._per_block(q))
        fixed, levels = divmod(number, comb(k, 2) ** q)
        low_high = [_combination(digit, k, 2) for digit in _digits(levels, comb(k, 2), q)]
        block = Block(_combination(rank, r, q), tuple(_digits(fixed, k, r - q)), tuple((i, j) for i, j in low_high))
        return self._move(block, within)

    def index(self, move: Move) -> int:
        """Where a move stands in the set.

        Raises
        ------
        InvalidOptionError
            If the set does not hold it.
        """
        index = self._index(move)
        if index is None:
            checks.refuse_move(move, self)
        return index

    def __contains__(self, move: object) -> bool:
        return isinstance(move, Move) and self._index(move) is not None

    @overload
    def draw(self, rng: Generator | int | None = None) -> Move: ...

    @overload
    def draw(self, rng: Generator | int | None, size: int) -> list[Move]: ...

    def draw(self, rng: Generator | int | None = None, size: int | None = None) -> Move | list[Move]:
        """A random move, or `size` of them one after the other; all are equally likely, however many there are."""
        generator = as_generator(rng)
        if size is None:
            return self[_below(self.n_moves, generator)]
        return [self[_below(self.n_moves, generator)] for _ in range(as_whole_number("size", size, 0))]

    def arrays(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The plus and minus cells of all moves, two arrays of shape (n_moves, 2), in the order of the set.

        A cell is its place in the flattened k^r table (last rater fastest).

        Raises
        ------
        NotSupportedError
            If there are more than five million moves.
        """
        checks.few_moves(self.n_moves, LISTED_MOVES)
        parts = [self._cells_of(raters) for q in self._sizes for raters in combinations(range(self.n_raters), q)]
        plus, minus = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
        return plus, minus

    @property
    def _sizes(self) -> range:
        """How many raters may vary (q)."""
        return range(2, self.n_raters + 1)

    def _per_block(self, q: int) -> int:
        """Signed moves in one block: ordered pairs of P antipodal pairs, or the P - 1 spokes of a star, both ways."""
        p = 2 ** (q - 1)
        return int(p * (p - 1) if self.name == "basic" else 2 * (p - 1))

    def _per_raters(self, q: int) -> int:
        """Signed moves for one set of q raters that vary."""
        return int(self.n_categories ** (self.n_raters - q) * comb(self.n_categories, 2) ** q * self._per_block(q))

    def _blocks(self) -> Iterator[Block]:
        k, r = self.n_categories, self.n_raters
        levels = list(combinations(range(k), 2))
        for q in self._sizes:
            for raters in combinations(range(r), q):
                for fixed in product(range(k), repeat=r - q):
                    for chosen in product(levels, repeat=q):
                        yield Block(raters, fixed, chosen)

    def _move(self, block: Block, within: int) -> Move:
        q = len(block.raters)
        centre = int(star_centres(np.array(block.levels), self.n_categories, self.n_raters))
        # Python integers: beyond 32 raters a block has more moves than 64 bits can number
        plus, minus = (int(pair) for pair in self._pairs(np.array(within, dtype=object), np.array(centre), q))
        return Move(_cells(block, plus, self.n_raters), _cells(block, minus, self.n_raters), self.n_categories)

    def _pairs(self, within: Array, centre: Array, q: int) -> tuple[Array, Array]:
        """The plus and minus antipodal pair of the moves at some places within a block."""
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
        levels = [(min(low[a], high[a]), max(low[a], high[a])) for a in raters]
        plus, minus = (
            _number([int(cells[0][a] > cells[1][a]) for a in raters], 2) for cells in (move.plus, move.minus)
        )
        if self.name == "basic":
            within = plus * int(2 ** (q - 1) - 1) + minus - (minus > plus)
        else:
            centre = int(star_centres(np.array(levels), k, r))
            if centre not in (plus, minus):
                return None
            outer = minus if plus == centre else plus
            within = 2 * (outer - (outer > centre)) + (plus != centre)
        before = sum(comb(r, size) * self._per_raters(size) for size in range(2, q))
        fixed = _number([low[a] for a in range(r) if low[a] == high[a]], k)
        number = fixed * int(comb(k, 2) ** q) + _number([_rank(pair, k) for pair in levels], comb(k, 2))
        return before + _rank(raters, r) * self._per_raters(q) + number * self._per_block(q) + within

    def _cells_of(self, raters: Sequence[int]) -> tuple[Array, Array]:
        """The flat cells of all moves in which these raters vary."""
        k, r, q = self.n_categories, self.n_raters, len(raters)
        strides = np.array([k ** (r - 1 - a) for a in range(r)])
        varying = np.isin(np.arange(r), raters)
        fixed = np.array(list(product(range(k), repeat=r - q)), dtype=np.int64) @ strides[~varying]
        levels = np.array(list(product(combinations(range(k), 2), repeat=q)), dtype=np.int64)
        low = levels[:, :, 0] @ strides[varying]
        steps = (levels[:, :, 1] - levels[:, :, 0]) * strides[varying]
        within, centre = np.arange(self._per_block(q)), star_centres(levels, k, r)
        sides = []
        for pair in self._pairs(within[None, :], centre[:, None], q):
            bits = pair[..., None] >> np.arange(q - 1, -1, -1) & 1
            risen = (bits * steps[:, None, :]).sum(axis=-1)
            cells = np.stack([risen, steps.sum(axis=-1)[:, None] - risen], axis=-1) + low[:, None, None]
            sides.append((fixed[:, None, None, None] + cells).reshape(-1, 2))
        return sides[0], sides[1]


def star_centres(levels: Array, n_categories: int, n_raters: int) -> Array:
    """The antipodal pair at the centre of each block's star, from levels of shape (..., q, 2); see `minimal_moves`."""
    if n_raters != 3 or levels.shape[-2] != 3:
        return np.zeros(levels.shape[:-2], dtype=np.int64)
    first_two_end_last = (levels[..., :2, 1] == n_categories - 1).all(axis=-1)
    return np.asarray(first_two_end_last & (levels[..., 2, 0] == 0)).astype(np.int64)


def _move_set(name: str, n_categories: int, n_raters: int) -> MoveSet:
    k = as_whole_number("n_categories", n_categories, 2)
    return MoveSet(name, k, as_whole_number("n_raters", n_raters, 2))


def _cells(block: Block, pair: int, n_raters: int) -> tuple[Pattern, Pattern]:
    """The two cells of an antipodal pair; the binary digits of its number say who is at hi in the first of them."""
    others = iter(block.fixed)
    low = [-1 if a in block.raters else next(others) for a in range(n_raters)]
    high = list(low)
    for a, levels, bit in zip(block.raters, block.levels, _digits(pair, 2, len(block.raters)), strict=True):
        low[a], high[a] = levels[bit], levels[1 - bit]
    return tuple(low), tuple(high)


def _digits(number: int, base: int, n_digits: int) -> list[int]:
    """A number's digits, the most significant first."""
    digits = []
    for _ in range(n_digits):
        number, digit = divmod(number, base)
        digits.append(digit)
    return digits[::-1]


def _number(digits: Sequence[int], base: int) -> int:
    number = 0
    for digit in digits:
        number = number * base + digit
    return number


def _rank(chosen: Sequence[int], n: int) -> int:
    """How many combinations of as many of n things come before this one in lexicographic order."""
    after = sum(comb(n - 1 - item, len(chosen) - place) for place, item in enumerate(chosen))
    return comb(n, len(chosen)) - 1 - after


def _combination(rank: int, n: int, size: int) -> tuple[int, ...]:
    """The combination of `size` of n things at a place in lexicographic order."""
    chosen: list[int] = []
    for item in range(n):
        with_item = comb(n - 1 - item, size - len(chosen) - 1) if len(chosen) < size else 0
        if len(chosen) < size and rank < with_item:
            chosen.append(item)
        else:
            rank -= with_item
    return tuple(chosen)


def _below(n: int, rng: Generator) -> int:
    """A whole number from 0 to n - 1, all equally likely: random bits, drawn again where they reach n."""
    n_bits = n.bit_length()
    while True:
        number = int.from_bytes(rng.bytes((n_bits + 7) // 8), "big") >> (-n_bits % 8)
        if number < n:
            return number
