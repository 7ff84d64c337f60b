"""Arrange the counts of a table of ratings as a header and rows of text.

Two raters give a square table with totals. More raters, or missing ratings, give a list of the most frequent patterns.
Labels come from data files, so they are shortened and their control characters are escaped. Therefore no label can
break the layout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kappamax._typing import Array
from kappamax.display import numbers, text

MOST_CATEGORIES = 20  # a larger square table is hard to read
MOST_PATTERNS = 10
_MOST_RATERS = 40
WIDTH = 80
_LABEL_WIDTHS = (16, 10, 6)


class Shown(NamedTuple):
    """A header, rows of text, and the notes that say what was left out."""

    header: list[str]
    rows: list[list[str]]
    notes: list[str]

    def lines(self) -> list[str]:
        """Return aligned lines of text, with the notes below."""
        return [*text.columns(self.header, self.rows), *self.notes]


def crossed(counts: Array, categories: Sequence[Any], raters: Sequence[str]) -> Shown | None:
    """Return the square table of two raters with its totals, or None if it does not fit into 80 columns.

    Parameters
    ----------
    counts : integers, shape (k, k)
        Number of subjects; the rows are the categories of the first rater.
    categories : sequence of k labels
        Categories in the order of the counts.
    raters : sequence of 2 str
        Names of the raters.
    """
    full = np.vstack([counts, counts.sum(axis=0)])
    full = np.column_stack([full, full.sum(axis=1)]).tolist()
    cells = [[numbers.count(n) for n in row] for row in full]

    names = [*text.labels(categories), "total"]
    rows = [[name, *row] for name, row in zip(names, cells, strict=True)]

    def arranged(width: int, _named: bool) -> Shown:
        return Shown([corner(raters, width), *text.labels(categories, width), "total"], rows, [])

    shown = _fitting(arranged)
    return shown if _width(shown) <= WIDTH else None


def corner(raters: Sequence[str], width: int = _LABEL_WIDTHS[0]) -> str:
    """Return the first cell of a square table, which names the rater of the rows and the rater of the columns."""
    return " \\ ".join(text.labels(map(text.rater, raters), width))


def frequent_patterns(
    patterns: Array, counts: Array, categories: Sequence[Any], raters: Sequence[str], most: int = MOST_PATTERNS
) -> Shown:
    """Return the most frequent patterns with their counts; "-" stands for a missing rating.

    Parameters
    ----------
    patterns : integers, shape (m, r)
        Positions in `categories`; -1 where a rating is missing. Ties keep this order.
    counts : integers, shape (m,)
        Number of subjects with each pattern.
    categories : sequence of labels
        All categories.
    raters : sequence of r str
        Names of the raters.
    most : int
        Largest number of patterns shown, default 10.
    """
    order = np.argsort(-counts, kind="stable")[:most]
    codes, times = patterns[order, :_MOST_RATERS].tolist(), [numbers.count(n) for n in counts[order].tolist()]
    used = sorted({code for row in codes for code in row if code >= 0})
    hidden = len(counts) - len(order)
    notes = [f"... and {text.plural(hidden, 'more pattern')}"] if hidden else []

    def arranged(width: int, named: bool) -> Shown:
        labels = dict(zip(used, text.labels((categories[code] for code in used), width), strict=True))
        names = [text.rater(name) if named or i == 0 else name for i, name in enumerate(raters[:_MOST_RATERS])]
        header = text.labels(names, max(width, 8))
        rows = [[*(labels.get(code, "-") for code in row), n] for row, n in zip(codes, times, strict=True)]
        return Shown([*header, "subjects"], rows, notes)

    shown = _fitting(arranged)
    return _without_last_raters(shown, len(raters))


def _fitting(arranged: Callable[[int, bool], Shown]) -> Shown:
    """Return the first arrangement that fits into a line.

    The columns are named "rater 1", "rater 2" or, if this is too wide, "rater 1", "2". If this is too wide as well, the
    labels are shortened.
    """
    shown = arranged(_LABEL_WIDTHS[0], True)
    for width in _LABEL_WIDTHS:
        if _width(shown) <= WIDTH:
            break
        shown = arranged(width, False)
    return shown


def _without_last_raters(shown: Shown, n_raters: int) -> Shown:
    """Return as many columns of the first raters as fit into a line, with a note on the number of other raters."""
    header, rows, notes = shown
    kept = len(header) - 1
    if kept == n_raters and _width(shown) <= WIDTH:
        return shown
    widths = _widths(shown)
    while kept > 2 and sum(widths[:kept]) + 2 * kept + len("...") + 2 + widths[-1] > WIDTH:
        kept -= 1
    return Shown(
        [*header[:kept], "...", header[-1]],
        [[*row[:kept], "...", row[-1]] for row in rows],
        [*notes, f"... and {text.plural(n_raters - kept, 'more rater')}"],
    )


def _widths(shown: Shown) -> list[int]:
    return [max(map(text.width, column)) for column in zip(shown.header, *shown.rows, strict=True)]


def _width(shown: Shown) -> int:
    widths = _widths(shown)
    return sum(widths) + 2 * (len(widths) - 1)
