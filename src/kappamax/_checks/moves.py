"""Cells, indexes and tables in, a move that makes sense or a clear error out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from kappamax._validate import as_whole_number, cell_name
from kappamax.display.text import plural
from kappamax.errors import InvalidOptionError, InvalidTableError, NotSupportedError

Pattern = tuple[int, ...]
Cells = tuple[Pattern, Pattern]


def move_cells(plus: Any, minus: Any, n_categories: int) -> tuple[Cells, Cells]:
    """Two plus and two minus cells in which every rater's categories cancel out, each pair in order."""
    k = as_whole_number("n_categories", n_categories, 2)
    up, down = _cells("plus", plus, k), _cells("minus", minus, k)
    lengths = sorted({len(pattern) for pattern in (*up, *down)})
    if len(lengths) > 1 or lengths[0] < 2:
        shown = ", ".join(map(str, lengths))
        raise InvalidTableError(f"a move's cells must name the same two or more raters; got {shown} categories.")
    for rater, (gained, lost) in enumerate(zip(zip(*up, strict=True), zip(*down, strict=True), strict=True)):
        if sorted(gained) != sorted(lost):
            raise InvalidTableError(
                f"a move must have zero margins; rater {rater + 1} gains categories {_counted(gained)} "
                f"and loses {_counted(lost)}."
            )
    if up == down:
        raise InvalidTableError("a move must change something; plus and minus are the same cells.")
    return up, down


def move_index(index: Any, n_moves: int) -> int:
    """A place in a set of moves, counted from the end if negative."""
    if isinstance(index, bool) or not isinstance(index, int | np.integer):
        raise InvalidOptionError(f"the index of a move must be a whole number; got {index!r}.")
    if not -n_moves <= index < n_moves:
        raise InvalidOptionError(f"the index of a move must lie in 0 to {n_moves - 1}; got {index}.")
    return int(index) % n_moves


def refuse_move(move: object, moves: object) -> NoReturn:
    """A move that a set does not hold."""
    raise InvalidOptionError(f"{move!r} is not one of {moves!r}.")


def countable(n_moves: int) -> int:
    """A number of moves that `len` can give."""
    if n_moves >= 2**63:
        raise NotSupportedError(f"len() stops at 2^63 - 1 and there are {n_moves:.3g} moves; use n_moves.")
    return n_moves


def few_moves(n_moves: int, limit: int, *, at_least: bool = False) -> None:
    """A number of moves that fits into memory."""
    if n_moves > limit:
        least = "at least " if at_least else ""
        raise NotSupportedError(f"listing these moves needs {least}{n_moves:,} rows; the limit is {limit:,}.")


def move_fits(n_raters: int, n_categories: int, table_raters: int, table_categories: int) -> None:
    """A move and a table of one design."""
    if (n_raters, n_categories) != (table_raters, table_categories):
        raise InvalidTableError(
            f"the move is for {n_raters} raters and {n_categories} categories; "
            f"the table has {table_raters} and {table_categories}."
        )


def refuse_cell(pattern: Sequence[int]) -> NoReturn:
    """A move that takes a subject from where there is none."""
    raise InvalidTableError(f"the move takes a subject from pattern {cell_name(pattern)}, which does not occur.")


def complete_ratings(n_missing: int) -> None:
    """Moves are ranked over complete ratings."""
    if n_missing:
        raise NotSupportedError(
            f"moves are ranked for complete ratings; {plural(n_missing, 'rating')} {'is' if n_missing == 1 else 'are'} "
            "missing."
        )


def _cells(argument: str, cells: Any, k: int) -> Cells:
    try:
        patterns = sorted(tuple(int(code) for code in pattern) for pattern in cells)
        whole = all(code == int(code) for pattern in cells for code in pattern)
    except (TypeError, ValueError):
        raise InvalidTableError(f"{argument} must be two patterns of category codes; got {cells!r}.") from None
    if len(patterns) != 2 or not whole:
        raise InvalidTableError(f"{argument} must be two patterns of category codes; got {cells!r}.")
    for pattern in patterns:
        if any(not 0 <= code < k for code in pattern):
            raise InvalidTableError(f"{argument} must have codes from 0 to {k - 1}; got {pattern}.")
    return patterns[0], patterns[1]


def _counted(codes: Sequence[int]) -> str:
    """Codes as readers count categories."""
    return " and ".join(str(code + 1) for code in sorted(codes))
