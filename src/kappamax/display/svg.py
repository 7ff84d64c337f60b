"""Draw heat maps, bars and discrete distributions as small accessible SVG pictures.

The pictures are used in reports, notebooks and the local page. Colours are CSS variables with default values, so that a
page can choose them for light and dark mode. Every picture has a title and a description, and is legible in black and
white.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kappamax._typing import Array
from kappamax.display import numbers, text
from kappamax.display.html import escaped

INK = "var(--km-ink, #1b1f24)"
FAINT = "var(--km-faint, #5b6570)"
ACCENT = "var(--km-accent, #1f5fbf)"
SECOND = "var(--km-second, #b3541e)"
_FONT = 'font-family="system-ui, sans-serif" font-size="13"'
_CELL = 46
_LONGEST_LABEL = 16


def heat_map(
    values: Array,
    rows: Sequence[Any],
    columns: Sequence[Any],
    *,
    title: str,
    row_name: str = "",
    column_name: str = "",
    marked: Array | None = None,
    largest: float | None = None,
) -> str:
    """Return a heat map, whose cells are shaded by their share of the largest value.

    Parameters
    ----------
    values : numbers, shape (n, m)
        Numbers that are written into the cells; NaN cells are empty.
    rows, columns : sequences of labels
        Labels of the rows and columns.
    title : str
        Title of the picture.
    row_name, column_name : str
        Names of the rows and columns, empty by default.
    marked : bools, shape (n, m), optional
        Cells that are framed, default none.
    largest : float, optional
        Value with full shade, default the largest of `values`. Maps with the same value can be compared.
    """
    shown = [[_number(item) for item in row] for row in values.tolist()]
    left = 24 + 7 * max([len(_label(row)) for row in rows], default=0)
    width, height = left + _CELL * len(columns) + 4, 48 + _CELL * len(rows) + 4
    most = largest or float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    parts = [_text(left + _CELL * len(columns) / 2, 14, column_name, anchor="middle", fill=FAINT)]
    if row_name:
        parts.append(_text(0, 14, row_name, fill=FAINT))
    for j, name in enumerate(columns):
        parts.append(_text(left + _CELL * (j + 0.5), 38, _label(name), anchor="middle"))
    for i, name in enumerate(rows):
        y = 48 + _CELL * i
        parts.append(_text(left - 8, y + _CELL / 2 + 5, _label(name), anchor="end"))
        for j in range(len(columns)):
            x = left + _CELL * j
            value = float(values[i, j])
            shade = 0.0 if np.isnan(value) else 0.55 * min(1.0, abs(value) / most)
            parts.append(_rectangle(x, y, _CELL - 2, _CELL - 2, fill=ACCENT if value >= 0 else SECOND, opacity=shade))
            if marked is not None and marked[i, j]:
                parts.append(_frame(x + 1, y + 1, _CELL - 4, _CELL - 4))
            parts.append(_text(x + _CELL / 2 - 1, y + _CELL / 2 + 5, shown[i][j], anchor="middle"))
    described = "; ".join(f"{name}: {', '.join(row)}" for name, row in zip(rows, shown, strict=True))
    return _picture(width, height, title, described, parts)


def paired_bars(labels: Sequence[Any], names: Sequence[str], values: Array, *, title: str) -> str:
    """Return a bar chart with one group of bars per label and one bar per name.

    Parameters
    ----------
    labels : sequence of n labels
        Labels of the groups.
    names : sequence of m str
        Names of the bars in each group.
    values : numbers >= 0, shape (m, n)
        Lengths of the bars, which are written at their ends.
    title : str
        Title of the picture.
    """
    left, full = 20 + 7 * max([len(_label(label)) for label in labels], default=0), 260
    bar, gap = 18, 12
    most = float(values.max(initial=0)) or 1.0
    top = 8 + 18 * len(names)
    parts = []
    for a, name in enumerate(names):
        parts.append(_rectangle(left, 4 + 18 * a, 12, 12, fill=_colour(a), opacity=_strength(a)))
        parts.append(_text(left + 18, 15 + 18 * a, text.shortened(str(name))))
    y = float(top + 8)
    for i, label in enumerate(labels):
        middle = y + bar * len(names) / 2 + 5
        parts.append(_text(left - 8, middle, _label(label), anchor="end"))
        for a in range(len(names)):
            length = full * float(values[a, i]) / most
            parts.append(_rectangle(left, y, length, bar - 3, fill=_colour(a), opacity=_strength(a)))
            parts.append(_text(left + length + 6, y + bar - 6, _number(values[a, i].item())))
            y += bar
        y += gap
    described = "; ".join(
        f"{label}: " + ", ".join(f"{name} {_number(values[a, i].item())}" for a, name in enumerate(names))
        for i, label in enumerate(labels)
    )
    return _picture(left + full + 60, y, title, described, parts)


def atoms(
    values: Array, heights: Array, *, title: str, marks: Sequence[tuple[float, str]] = (), axis: str = "kappa"
) -> str:
    """Return a picture of a discrete distribution with one line per value.

    Parameters
    ----------
    values, heights : numbers, shape (n,)
        Values in increasing order, and their probabilities.
    title : str
        Title of the picture.
    marks : sequence of pairs (value, name)
        Values that are marked and named, default none.
    axis : str
        Name of the horizontal axis, default "kappa".
    """
    width, height, left, bottom = 560, 250, 24, 46
    ends = [float(values.min()), float(values.max()), *(value for value, _ in marks)]
    low, high = min(ends), max(ends)
    spread = (high - low) or 1.0
    low, spread = low - 0.04 * spread, 1.08 * spread
    most = float(heights.max()) or 1.0
    floor, top = height - bottom, 22 + 16 * len(marks)

    def across(value: float) -> float:
        return float(left + (width - 2 * left) * (value - low) / spread)

    thick = max(0.6, min(6.0, 0.6 * (width - 2 * left) / max(1, len(values))))
    parts = [_line(left, floor, width - left, floor, FAINT)]
    tall = (floor - top) / most * heights
    seen = tall >= 0.2
    drawn = zip(map(across, values[seen].tolist()), (floor - tall[seen]).tolist(), strict=True)
    strokes = "".join(f"M{x:.1f} {floor}V{y:.1f}" for x, y in drawn)
    parts.append(f'<path d="{strokes}" stroke="{ACCENT}" stroke-width="{thick:.2g}"/>')
    for tick in _ticks(low, low + spread):
        parts.append(_line(across(tick), floor, across(tick), floor + 5, FAINT))
        parts.append(_text(across(tick), floor + 19, numbers.decimal(tick, 1), anchor="middle", fill=FAINT))
    parts.append(_text(width / 2, height - 6, axis, anchor="middle", fill=FAINT))
    beyond = left + 0.6 * (width - 2 * left)  # beyond this point names are to the left of their lines
    # names near the edges are placed higher, so that no line crosses a name
    rows = sorted(marks, key=lambda mark: -across(mark[0]) if across(mark[0]) > beyond else across(mark[0]))
    for value, name in marks:
        x, y = across(value), 14 + 16 * rows.index((value, name))
        parts.append(_line(x, floor, x, y + 4, SECOND, 1.6, dashed=(value, name) != marks[0]))
        words = f"{name} {numbers.decimal(value)}"
        if x > beyond:
            parts.append(_text(x - 5, y + 8, words, anchor="end"))
        else:
            parts.append(_text(x + 5, y + 8, words))
    described = (
        f"{len(values)} values from {numbers.decimal(float(values[0]))} to {numbers.decimal(float(values[-1]))}; "
        + "; ".join(f"{name} at {numbers.decimal(value)}" for value, name in marks)
    )
    return _picture(width, height, title, described, parts)


def _picture(width: float, height: float, title: str, described: str, parts: Sequence[str]) -> str:
    """Return the SVG element, which has attributes instead of inline styles, since a page may forbid these."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" {_FONT} aria-label="{escaped(title)}">'
        f"<title>{escaped(title)}</title><desc>{escaped(described)}</desc>{''.join(parts)}</svg>"
    )


def _text(x: float, y: float, words: str, *, anchor: str = "start", fill: str = INK) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{escaped(words)}</text>'


def _rectangle(x: float, y: float, width: float, height: float, *, fill: str, opacity: float) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" fill="{fill}" '
        f'fill-opacity="{opacity:.3f}" stroke="{FAINT}" stroke-opacity="0.35" stroke-width="0.5"/>'
    )


def _frame(x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" fill="none" '
        f'stroke="{SECOND}" stroke-width="2" stroke-dasharray="4 2"/>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str, width: float = 1.0, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="5 3"' if dashed else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" '
        f'stroke-width="{width:.2g}"{dash}/>'
    )


def _colour(place: int) -> str:
    return (ACCENT, SECOND)[place % 2]


def _strength(place: int) -> float:
    """Return the opacity of a bar; raters after the second have lighter shades of the two colours."""
    return max(0.25, 0.85 - 0.2 * (place // 2))


def _label(name: Any) -> str:
    words = text.printable(str(name))
    return words if len(words) <= _LONGEST_LABEL else f"{words[: _LONGEST_LABEL - 1]}…"


def _number(item: float) -> str:
    if isinstance(item, int):
        return numbers.count(item)
    return "" if np.isnan(item) else numbers.decimal(item, 2)


def _ticks(low: float, high: float) -> list[float]:
    """Return at most nine round numbers between two ends."""
    for step in (0.1, 0.2, 0.25, 0.5, 1.0):
        first = int(np.ceil(low / step))
        ticks = [place * step for place in range(first, int(np.floor(high / step)) + 1)]
        if len(ticks) <= 9:
            return ticks
    return [low, high]
