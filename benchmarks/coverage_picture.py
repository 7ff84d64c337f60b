"""Draw the coverage of intervals as an SVG picture: one row per interval, in which darker means more populations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from kappamax.display.html import escaped

_LEFT, _WIDTH, _ROW, _TOP = 380, 460, 24, 34
_FROM, _BINS = 0.5, 100


def picture(rows: Mapping[str, Sequence[float]]) -> str:
    """Return the picture of coverages, between 0 and 1, by interval; those below 50 % are drawn at the left end."""
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
    for at, (name, coverages) in enumerate(rows.items()):
        y = _TOP + _ROW * at + _ROW / 2
        parts.append(f'<text x="{_LEFT - 12}" y="{y + 4:.1f}" text-anchor="end" fill="#222222">{escaped(name)}</text>')
        bins = Counter(min(_BINS - 1, int((max(one, _FROM) - _FROM) / (1 - _FROM) * _BINS)) for one in coverages)
        for position, n in sorted(bins.items()):
            left, shade = _LEFT + _WIDTH * position / _BINS, min(1.0, 0.12 + 8 * n / len(coverages))
            parts.append(
                f'<rect x="{left:.1f}" y="{y - 8:.1f}" width="{_WIDTH / _BINS:.1f}" height="16" fill="#1f5f99" '
                f'fill-opacity="{shade:.2f}"/>'
            )
    x = _x(0.95)
    parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 8}" y2="{height - 28}" stroke="#b3261e"/>')
    parts.append(f'<text x="{x:.1f}" y="{_TOP - 14}" text-anchor="middle" fill="#b3261e">95 %</text>')
    return "\n".join([*parts, "</svg>", ""])


def _x(coverage: float) -> float:
    return _LEFT + _WIDTH * (max(coverage, _FROM) - _FROM) / (1 - _FROM)
