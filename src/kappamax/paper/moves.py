"""Check the statements of section 3 of the paper about Markov moves and Markov bases."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import Any

from kappamax.fibers.counting import all_patterns, count_tables
from kappamax.fibers.markov_basis import basic_moves
from kappamax.fibers.moves import Move
from kappamax.paper.verdict import Check, Verdict, corrected, holds, random_tables, same
from kappamax.table import Table

_FIGURE_1 = {"a": ((0, 0), (2, 2)), "b": ((0, 3), (1, 1)), "c": ((1, 1), (2, 3)), "d": ((0, 3), (1, 2))}
FIGURE_2 = {
    "a": (((0, 0, 1), (2, 2, 2)), ((2, 0, 1), (0, 2, 2))),
    "b": (((0, 0, 0), (1, 1, 2)), ((0, 0, 2), (1, 1, 0))),
}


def kinds() -> Iterator[Verdict]:
    """Check the kinds of the moves in figures 1 and 2."""
    for letter, (first, second) in _FIGURE_1.items():
        move = Move((first, second), ((first[0], second[1]), (second[0], first[1])), 4)
        yield same(f"Figure 1({letter})", "kind of the move", letter, move.kind.letter)
    for letter, (plus, minus) in FIGURE_2.items():
        yield same(f"Figure 2({letter})", "type of the move", letter, Move(plus, minus, 3).kind.letter)


def definition() -> Iterator[Verdict]:
    """Check definition 5 and the sentence before it."""
    same_sets = [set(basic_moves(k)) == set(_two_rater_moves(k)) for k in (2, 3, 4)]
    yield holds("Definition 5", "reduces to Definition 4 for two raters", same_sets)
    kept = [not move.margins().any() for move in basic_moves(3, 3)]
    changed = [move.project(0, 1) is not None for move in basic_moves(3, 3)]
    ours = "one-way margins" if all(kept) and any(changed) else "two-way margins"
    why = "basic moves preserve the margins of single raters and change those of pairs of raters"
    yield corrected(
        "Definition 5", "margins that the entries -1 preserve", "two-way margins", ours, "one-way margins", why
    )
    first, second = (0, 0, 1), (1, 1, 2)
    null = [sorted(_exchanged(first, second, kept)) == [first, second] for kept in ((0,), (0, 1), (0, 1, 2))]
    ours = "non-empty and proper" if null == [False, False, True] else "non-empty"
    why = "the move is null if S contains all raters"
    yield corrected(
        "Definition 5",
        "sets S of raters whose ratings are not exchanged",
        "non-empty",
        ours,
        "non-empty and proper",
        why,
    )


def bases() -> Iterator[Verdict]:
    """Check propositions 1 and 2 on small fibers, and the construction in the proof of proposition 2."""
    for number, (k, r, n) in (("1", (3, 2, 6)), ("2", (2, 3, 4)), ("2", (2, 4, 3))):
        moves = list(basic_moves(k, r))
        what = f"basic moves connect fibers (r = {r}, k = {k}, N = {n})"
        yield holds(f"Proposition {number}", what, [_connected(table, moves) for table in random_tables(k, r, n)])
    for k, n in ((2, 4), (3, 3)):
        made, known = _construction(k), set(basic_moves(k, 3))
        yield holds("Proposition 2, proof", f"moves (a) and (b) are basic moves (k = {k})", [m in known for m in made])
        connected = [_connected(table, made) for table in random_tables(k, 3, n)]
        yield holds("Proposition 2, proof", f"moves (a) and (b) connect fibers (r = 3, k = {k}, N = {n})", connected)


CHECKS: tuple[Check, ...] = (kinds, definition, bases)


def _two_rater_moves(k: int) -> list[Move]:
    """Return the moves of definition 4."""
    rows = columns = list(permutations(range(k), 2))
    return [Move(((i, j), (h, g)), ((i, g), (h, j)), k) for (i, h), (j, g) in product(rows, columns)]


def _exchanged(first: Any, second: Any, kept: tuple[int, ...]) -> tuple[Any, Any]:
    """Return two patterns after the ratings of all raters except `kept` were exchanged."""
    swapped = [(a, b) if rater in kept else (b, a) for rater, (a, b) in enumerate(zip(first, second, strict=True))]
    return tuple(a for a, _ in swapped), tuple(b for _, b in swapped)


def _construction(k: int) -> list[Move]:
    """Return the moves of three raters constructed from those of two raters, as in the proof of proposition 2."""
    found = set()
    for move in basic_moves(k):
        for minus, (low, high) in product(permutations(move.minus), product(range(k), repeat=2)):
            plus = ((*move.plus[0], low), (*move.plus[1], high))
            found.add(Move(plus, ((*minus[0], low), (*minus[1], high)), k))
    for first, second in combinations(product(range(k), repeat=2), 2):
        for low, high in permutations(range(k), 2):
            plus, less = ((*first, low), (*second, high)), ((*first, high), (*second, low))
            found.add(Move(plus, less, k))
    return list(found)


def _connected(table: Table, moves: list[Move]) -> bool:
    """Return whether moves lead from a table to every other table with the same margins."""
    start = table.dense()
    steps = [(move.minus, move.dense()) for move in moves]
    seen, front = {start.tobytes()}, [start]
    while front:
        here = front.pop()
        for minus, change in steps:
            if all(here[cell] > 0 for cell in minus):
                there = here + change
                if there.tobytes() not in seen:
                    seen.add(there.tobytes())
                    front.append(there)
    return len(seen) == count_tables(table.margins, all_patterns(table.margins))
