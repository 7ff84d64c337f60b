"""Find rows that are not data: blank rows, lines of dashes, repeated headers, and rows of totals, means or notes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from kappamax.display.text import plural
from kappamax.io.column_names import is_summary_row, is_total
from kappamax.io.labels import label_of

_SEPARATOR = re.compile(r"[-=_*.:]{2,}")


class StrayRows(NamedTuple):
    """Positions of rows that are not data, counted from one, and the sentences that say so."""

    positions: list[int]
    notes: list[str]


def stray_rows(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> StrayRows:
    """Return the rows of a whole table that are not data."""
    blank = [i for i, row in enumerate(rows, start=1) if all(is_empty(cell) for cell in row)]
    lines = [i for i, row in enumerate(rows, start=1) if is_separator(row)]
    headers = (
        [] if _names_are_labels(names, rows) else [i for i, row in enumerate(rows, start=1) if _is_header(names, row)]
    )
    kinds = {
        "blank": blank,
        "lines of dashes": lines,
        "repetitions of the header": headers,
        "totals, means or notes": _summary_rows(rows),
    }
    notes = [
        f"{plural(len(found), 'row')} {'was' if len(found) == 1 else 'were'} left out: {kind}."
        for kind, found in kinds.items()
        if found
    ]
    return StrayRows(sorted({i for found in kinds.values() for i in found}), notes)


def is_empty(cell: Any) -> bool:
    """Return whether a cell is empty."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def is_separator(row: Sequence[Any]) -> bool:
    """Return whether a row is a line drawn with dashes or similar characters."""
    filled = [cell for cell in row if not is_empty(cell)]
    return bool(filled) and all(isinstance(cell, str) and _SEPARATOR.fullmatch(cell.strip()) for cell in filled)


def _is_header(names: Sequence[str], row: Sequence[Any]) -> bool:
    if all(map(is_empty, row)):
        return False
    same = [
        (isinstance(cell, str) and cell.strip() == name) or (is_empty(cell) and name == f"column {number}")
        for number, (cell, name) in enumerate(zip(row, names, strict=True), start=1)
    ]
    return all(same[1:]) and (same[0] or len(same) > 2)  # the first cell may be the number of the row


def _names_are_labels(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether names of columns also occur as ratings, in rows that do not repeat the header."""
    known = set(names)
    return any(cell in known for row in rows if not _is_header(names, row) for cell in row if isinstance(cell, str))


def _summary_rows(rows: Sequence[Sequence[Any]]) -> list[int]:
    """Return the rows whose first cell says that they contain totals or notes, and whose other cells are numbers.

    They are recognised below all other rows, and between other rows if the first column identifies the rows.
    """
    filled = [(i, row) for i, row in enumerate(rows, start=1) if not all(is_empty(cell) for cell in row)]
    firsts = [row[0] for _, row in filled]
    identified = len(set(map(str, firsts))) == len(firsts) > 1
    found = []
    for place, (i, row) in enumerate(filled):
        if not is_summary_row(row[0]) or firsts.count(row[0]) > 1:
            continue
        numbers = [label_of(cell) for cell in row[1:] if not is_empty(cell)]
        only_numbers = not any(isinstance(number, str) for number in numbers)
        if only_numbers or 2 * len(numbers) <= len(row) or (identified and is_total(row[0])):
            found.append((place, i))
    last = len(filled)
    at_end = []
    for place, i in reversed(found):
        if place == last - 1:
            at_end.append(i)
            last = place
    chosen = [i for _, i in found] if identified else at_end
    return chosen if len(chosen) < len(filled) else []
