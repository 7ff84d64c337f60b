"""Write values, lists, cards and columns as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kappamax.display import numbers

MAX_ROWS = 20
_MAX_LISTED = 8
_MAX_LENGTH = 80


def value(item: Any) -> str:
    """Any plain value as a reader should see it."""
    if item is None:
        return "-"
    if isinstance(item, bool):
        return "yes" if item else "no"
    if isinstance(item, int):
        return numbers.count(item)
    if isinstance(item, float):
        return numbers.decimal(item)
    if isinstance(item, list | tuple):
        return ", ".join(value(part) for part in item[:_MAX_LISTED]) + (", ..." if len(item) > _MAX_LISTED else "")
    if isinstance(item, dict):
        return value([f"{key} {value(part)}" for key, part in item.items()])
    return str(item)


def listing(items: Iterable[Any], most: int = _MAX_LISTED) -> str:
    """Labels as Python would write them, cut after `most`: "'a', 'b', ... (12 in all)"."""
    items = list(items)
    shown = ", ".join(shortened(repr(item)) for item in items[:most])
    return shown if len(items) <= most else f"{shown}, ... ({len(items)} in all)"


def plural(number: int, noun: str) -> str:
    """A number and its noun: "1 subject", "2,000 subjects"."""
    return f"{numbers.count(number)} {noun}" + ("" if number == 1 else "s")


def limits(complete: bool) -> str:
    """What all tables of a fiber have in common, as a sentence names it."""
    return "the margins" if complete else "the margins and who rated whom"


def capitalized(words: str) -> str:
    """Words at the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def rater(name: str) -> str:
    """A rater as a sentence names one: "rater 2" for a bare number."""
    return f"rater {name}" if name.isdigit() else name


def columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of aligned columns, the first to the left and the others to the right, under a ruled header."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [header, ["-" * width for width in widths], *rows]
    return [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def shortened(text: str) -> str:
    """Text cut in the middle where it is longer than anyone reads."""
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 20]} ... {text[-15:]}"


def card(title: str, rows: Sequence[tuple[str, str]]) -> str:
    """A title and one aligned line per row."""
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join([title, *(f"  {name:<{width}}  {shown}" for name, shown in rows)])
