"""Write values, lists, cards and columns as plain text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from textwrap import wrap
from typing import Any
from unicodedata import category, combining, east_asian_width

from kappamax.display import numbers

MAX_ROWS = 20
_MAX_LISTED = 8
_MAX_LENGTH = 80
_LABEL_WIDTH = 16
_CARD_WIDTH = 88
_SHORTEST_LINE = 40
_SENTENCES = ("data", "note")  # names of rows that hold sentences, not values or formulas
_NUMBER = re.compile(r"[-+]?[0-9]{1,300}(\.[0-9]*)?")
_JOINERS = "\u200c\u200d"  # without a width of their own, but part of the spelling in some scripts


def value(item: Any) -> str:
    """Return a plain value of any type as text for a reader."""
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


def printable(words: str) -> str:
    """Return text in one line, with all characters escaped that are invisible or could control a terminal.

    Escaped are control characters, line ends, characters that change the direction of text, and other characters
    without a shape, apart from spaces and joiners of letters.
    """
    if words.isprintable():
        return words
    return "".join(letter if is_visible(letter) else repr(letter)[1:-1] for letter in words)


def is_visible(letter: str) -> bool:
    """Return whether a character can be printed as it is: a sign with a shape, a space or a joiner of letters."""
    return letter.isprintable() or letter in _JOINERS or category(letter) == "Zs"


def listing(items: Iterable[Any], most: int = _MAX_LISTED) -> str:
    """Return labels as Python literals, with at most `most` of them: "'a', 'b', ... (12 in all)"."""
    items = list(items)
    shown = ", ".join(shortened(repr(item)) for item in items[:most])
    return shown if len(items) <= most else f"{shown}, ... ({len(items)} in all)"


def conjunction(names: Sequence[str]) -> str:
    """Return names as a list with commas and "and"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def plural(number: int, noun: str) -> str:
    """Return a number and its noun, such as "1 subject" or "2,000 subjects"."""
    return f"{numbers.count(number)} {noun}" + ("" if number == 1 else "s")


def limits(complete: bool) -> str:
    """Return the words for the quantities that are equal in all tables of a fiber, for use in a sentence."""
    return "the margins" if complete else "the margins and the set of raters of each subject"


def weighting(name: str) -> str:
    """Return the name of a weighting for use in a heading, such as "unweighted" or "linear weights"."""
    return name if name == "unweighted" else f"{name} weights"


def capitalized(words: str) -> str:
    """Return text with its first letter in upper case."""
    return words[:1].upper() + words[1:]


def rater(name: str) -> str:
    """Return the name of a rater for use in a sentence: "rater 2" if the name is a number."""
    return f"rater {name}" if name.isdigit() else name


def columns(header: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """Return the lines of a table; the columns at the positions `left` are aligned to the left, others to the right."""
    header, *rows = ([printable(cell) for cell in line] for line in [header, *rows])
    widths = [max(map(width, column)) for column in zip(header, *rows, strict=True)]
    lines = [header, ["-" * wide for wide in widths], *rows]
    return ["  ".join(_padded(line, widths, left)).rstrip() for line in lines]


def width(words: str) -> int:
    """Return the number of terminal columns that a line of text takes; most Asian characters take two."""
    if words.isascii():
        return len(words)
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in words)


def label(name: Any, most: int = _LABEL_WIDTH, *, ending: bool = False) -> str:
    """Return a label as one line of at most `most` columns; `ending` keeps the end of a label that is too long.

    Control characters are escaped, and a label that is empty or begins or ends with a space is quoted.
    """
    words = str(name)
    if len(words) > 4 * most:  # this is enough even if many characters are combining marks, which take no column
        words = words[: 2 * most] + words[-2 * most :]
    words = printable(words)
    if not words or words != words.strip():
        words = f"'{words}'"
    if width(words) <= most:
        return words
    room = most - 3
    last = _cut(words[::-1], room // 2)[::-1] if ending else ""
    return f"{_cut(words, room - width(last))}...{last}"


def labels(names: Iterable[Any], most: int = _LABEL_WIDTH) -> list[str]:
    """Return every name formatted by `label`; the ends of names are kept if the names would be equal without them."""
    names = list(names)
    shown = [label(name, most) for name in names]
    return shown if len(set(shown)) == len(shown) else [label(name, most, ending=True) for name in names]


def _cut(words: str, most: int) -> str:
    """Return the longest beginning of a text that takes at most `most` columns."""
    while width(words) > most:
        words = words[:-1]
    return words


def _padded(line: Sequence[str], widths: Sequence[int], left: Collection[int]) -> list[str]:
    """Return the cells of a line with the spaces that align them."""
    spaces = [" " * (wide - width(cell)) for cell, wide in zip(line, widths, strict=True)]
    cells = zip(line, spaces, strict=True)
    return [cell + space if i in left else space + cell for i, (cell, space) in enumerate(cells)]


def in_natural_order(names: Iterable[str]) -> list[str]:
    """Return names sorted as a reader would: numbers by their values, and numbers within text likewise."""
    names = list(names)
    if all(_NUMBER.fullmatch(name) for name in names):
        return sorted(names, key=lambda name: (float(name), name))
    return sorted(names, key=_natural_key)


def _natural_key(name: str) -> tuple[list[tuple[int, str]], str]:
    """Return a key that compares text with text, and digits as numbers of any size; equal keys by the name."""
    parts = re.split(r"([0-9]+)", name)
    for i in range(1, len(parts), 2):
        parts[i] = parts[i].lstrip("0")
    return [(len(part) if i % 2 else 0, part) for i, part in enumerate(parts)], name


def shortened(text: str) -> str:
    """Return text without its middle part if it is longer than 80 characters."""
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 20]} ... {text[-15:]}"


def card(title: str, rows: Sequence[tuple[str, str]]) -> str:
    """Return a title and the aligned rows; the sentences of rows called data and note continue on further lines."""
    rows = [(printable(name), printable(shown)) for name, shown in rows]
    indent = max((len(name) for name, _ in rows), default=0) + 4
    room = max(_SHORTEST_LINE, _CARD_WIDTH - indent)
    lines = [printable(title)]
    for name, shown in rows:
        long = name in _SENTENCES and len(shown) > room
        first, *more = wrap(shown, room, break_long_words=False, break_on_hyphens=False) if long else [shown]
        lines += [f"  {name:<{indent - 4}}  {first}", *(" " * indent + one for one in more)]
    return "\n".join(lines)
