"""Draw the layers of pyproject.toml into docs/architecture.svg: `python docs/architecture_diagram.py`.

A test compares the file with what this script draws, so the diagram follows the layers.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "architecture.svg"

#: what a layer does, for those a reader meets first
NOTES = {
    "cli": "answers on the terminal",
    "web": "the local page",
    "results": "result classes, for type hints",
    "plot": "pictures by matplotlib",
    "reporting": "words, tables, pictures",
    "paper": "the paper and its study",
    "comparisons": "of the same subjects",
    "annealing | planning": "search; how many subjects",
    "kappas | maximum": "value; largest, with proof",
    "verification": "proofs checked, no solver",
    "moves": "public names of moves",
    "fibers": "count, sample, test, moves",
    "category_agreement": "positive, negative agreement",
    "confidence_intervals | margin_tests": "adjusted; do margins differ?",
    "rating_permutations | clustered_margins": "use of categories",
    "exact_interval | pseudo_subjects": "guaranteed; adjusted",
    "standard_errors": "delta method",
    "resampling | sampled_raters": "jackknife, bootstrap",
    "cluster_resampling": "draws subjects or clusters",
    "coefficients": "what chance gives",
    "disagreement": "scores, exact and in doubles",
    "datasets | intraclass_correlation": "examples; ICC",
    "io": "arrays, frames, files",
    "table | weights": "patterns, counts; exact u",
    "display": "rounding, text, HTML, SVG",
}
#: the layers that ratings pass, in order
WAY = ("io", "table | weights", "disagreement", "coefficients", "kappas | maximum", "reporting", "cli")

WIDTH, ROW, TOP, LEFT = 400, 30, 44, 46
_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1b1f24 }
.note { font-size: 11px; fill: #57606a } .way { fill: #1f5fbf } .number { fill: #ffffff; font-weight: 600 }
.page { fill: #ffffff } .box { fill: #eef2f7; stroke: #b6c2d1 } .on { fill: #dce9fb; stroke: #1f5fbf }
.line { fill: none; stroke: #1f5fbf; stroke-width: 2 } .dot { fill: #1f5fbf }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .note { fill: #a9b4c0 } .way { fill: #7fb0ff } .number { fill: #10151c }
  .page { fill: #10151c } .box { fill: #1c2530; stroke: #3d4b5c } .on { fill: #16335c; stroke: #7fb0ff }
  .line { stroke: #7fb0ff } .dot { fill: #7fb0ff }
}
""".strip()


def layers() -> list[str]:
    """The layers from the top, as the import linter has them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = settings["tool"]["importlinter"]["contracts"]
    return [str(layer) for layer in contract["layers"]]


def diagram() -> str:
    """The picture as SVG: one row per layer, and numbers along the way that ratings take."""
    rows = layers()
    heights = {layer: TOP + ROW * place for place, layer in enumerate(rows)}
    height = TOP + ROW * len(rows) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title">',
        "<title id='title'>The layers of kappamax, and the path of ratings through them</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}" rx="8"/>',
        '<text class="note" x="14" y="20">A module imports only from rows below its own.</text>',
        '<text class="way" x="14" y="36">Numbers: the path of ratings.</text>',
    ]
    parts += [part for layer in rows for part in _row(layer, heights[layer])]
    parts += _way([heights[layer] + ROW // 2 - 2 for layer in WAY if layer in heights])
    return "\n".join([*parts, "</svg>", ""])


def _row(layer: str, y: int) -> list[str]:
    """The boxes of a layer side by side, and its note where there is room."""
    names, parts, x = layer.split(" | "), [], LEFT
    on = " on" if layer in WAY else ""
    for name in names:
        width = 14 + round(7.4 * len(name))
        parts.append(f'<rect class="box{on}" x="{x}" y="{y}" width="{width}" height="{ROW - 5}" rx="4"/>')
        parts.append(f'<text x="{x + width / 2:g}" y="{y + 17}" text-anchor="middle">{name}</text>')
        x += width + 5
    note = NOTES.get(layer, "")
    if note and x + 5.6 * len(note) < WIDTH - 8:
        parts.append(f'<text class="note" x="{max(x + 4, 212)}" y="{y + 17}">{note}</text>')
    return parts


def _way(heights: list[int]) -> list[str]:
    """Down from the first stop to the second, then up through the others."""
    first, second, *up = heights
    parts = [
        f'<path class="line" d="M14 {first} V{second} H30 V{up[-1]}"/>',
        f'<text class="way" x="4" y="{first - 16}">in</text>',
        f'<text class="way" x="22" y="{up[-1] - 16}">out</text>',
    ]
    stops = [(14, first), (14, second), *((30, y) for y in up)]
    for number, (x, y) in enumerate(stops, start=1):
        parts.append(f'<circle class="dot" cx="{x}" cy="{y}" r="9"/>')
        parts.append(f'<text class="number" x="{x}" y="{y + 4}" text-anchor="middle">{number}</text>')
    return parts


if __name__ == "__main__":
    TARGET.write_text(diagram(), encoding="utf-8")
