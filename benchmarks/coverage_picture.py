"""Draw the coverage of intervals as an SVG picture: one row per interval, one mark per population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from kappamax.display.html import escaped

_LEFT, _WIDTH, _ROW, _TOP = 270, 460, 30, 34
_FROM = 0.5


class HasCoverage(Protocol):
    """A population in which the coverage of an interval was measured."""

    @property
    def coverage(self) -> float:
        """Share of studies in which the interval contains the coefficient."""
        ...


def picture(rows: Mapping[str, Sequence[HasCoverage]]) -> str:
    """Return the picture as text; coverage below 50 % is drawn at the left end."""
    height = _TOP + _ROW * len(rows) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 30} {height}" '
        'font-family="sans-serif" font-size="13">',
        "<title>Coverage of 95 % intervals for kappa of 2 x 2 tables</title>",
        f'<rect width="100%" height="{height}" fill="#ffffff"/>',
    ]
    for tick in range(50, 101, 10):
        x = _x(tick / 100)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 8}" y2="{height - 28}" stroke="#e3e3e3"/>')
        said = f"≤ {tick} %" if tick == 50 else f"{tick} %"
        parts.append(f'<text x="{x:.1f}" y="{height - 10}" text-anchor="middle" fill="#444444">{said}</text>')
    x = _x(0.95)
    parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 8}" y2="{height - 28}" stroke="#b3261e"/>')
    parts.append(f'<text x="{x:.1f}" y="{_TOP - 14}" text-anchor="middle" fill="#b3261e">95 %</text>')
    for at, (name, cells) in enumerate(rows.items()):
        y = _TOP + _ROW * at + _ROW / 2
        parts.append(f'<text x="{_LEFT - 12}" y="{y + 4:.1f}" text-anchor="end" fill="#222222">{escaped(name)}</text>')
        for cell in cells:
            left = _x(cell.coverage)
            parts.append(
                f'<line x1="{left:.1f}" x2="{left:.1f}" y1="{y - 8:.1f}" y2="{y + 8:.1f}" stroke="#1f5f99" '
                'stroke-opacity="0.25" stroke-width="1.5"/>'
            )
    return "\n".join([*parts, "</svg>", ""])


def _x(coverage: float) -> float:
    return _LEFT + _WIDTH * (max(coverage, _FROM) - _FROM) / (1 - _FROM)
