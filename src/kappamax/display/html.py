"""Write self-contained HTML: cards and tables for notebooks, and sections and whole pages for reports.

All text is escaped. The HTML contains no script and loads nothing from elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from kappamax._typing import Array
from kappamax.display import text

_STYLE = """
:root { color-scheme: light dark; --km-paper: #ffffff; --km-ink: #1b1f24; --km-faint: #5b6570; --km-line: #d0d7de;
  --km-accent: #1f5fbf; --km-second: #b3541e; --km-soft: #f3f5f8; }
@media (prefers-color-scheme: dark) { :root { --km-paper: #14171b; --km-ink: #e8ebef; --km-faint: #a4aeb9;
  --km-line: #3a424c; --km-accent: #7fb0ff; --km-second: #f0a06a; --km-soft: #1e242b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem; max-width: 72rem; background: var(--km-paper); color: var(--km-ink);
  font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.25rem; margin: 2rem 0 .6rem; }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
p { max-width: 46rem; margin: .5rem 0; } .faint { color: var(--km-faint); }
.lead { font-size: 1.1rem; } ul { max-width: 46rem; }
.words { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0 2rem; }
.scroll { overflow-x: auto; } .side { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
figure { margin: .6rem 0; max-width: 100%; } svg { max-width: 100%; height: auto; }
figcaption { color: var(--km-faint); font-size: .9rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .93rem; }
caption { text-align: left; color: var(--km-faint); padding: .2rem 0; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--km-line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } thead th { border-bottom: 2px solid var(--km-line); }
details { margin: .3rem 0 1rem; } summary { cursor: pointer; color: var(--km-accent); }
summary:focus-visible, a:focus-visible, .scroll:focus-visible { outline: 3px solid var(--km-accent);
  outline-offset: 2px; }
blockquote { margin: .6rem 0; padding: .6rem 1rem; background: var(--km-soft); border-left: 4px solid var(--km-accent);
  max-width: 46rem; }
@media print { body { max-width: none; font-size: 11pt; } details > *:not(summary) { display: block; }
  h2 { break-after: avoid; } figure, table { break-inside: avoid; } }
"""


def escaped(words: str) -> str:
    """Return text for use in HTML or SVG; characters that are invisible or change the direction of text are shown."""
    return escape(text.printable(words))


def card(title: str, rows: Sequence[tuple[str, str]]) -> str:
    """Return an HTML table with a title and one row for each pair of a name and a value."""
    body = "".join(
        f'<tr><th scope="row" style="text-align:left">{escaped(name)}</th><td>{escaped(shown)}</td></tr>'
        for name, shown in rows
    )
    return f"<table><caption>{escaped(title)}</caption><tbody>{body}</tbody></table>"


def table(header: Sequence[Any], rows: Sequence[Sequence[Any]], *, caption: str) -> str:
    """Return an HTML table with a header row."""
    head = "".join(f'<th scope="col">{escaped(str(name))}</th>' for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escaped(text.value(item))}</td>" for item in row) + "</tr>" for row in rows)
    return f"<table><caption>{escaped(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def heat_table(
    array: Array,
    rows: Sequence[Any],
    columns: Sequence[Any],
    *,
    caption: str,
    corner: str = "",
    totals: bool = False,
) -> str:
    """Return a matrix of numbers whose cells are shaded by their share of the largest number.

    Parameters
    ----------
    array : numbers, shape (n, m)
        Numbers of the cells.
    rows, columns : sequences of labels
        Labels of the n rows and m columns.
    caption : str
        Caption of the table.
    corner : str
        Text of the first cell of the header, empty by default.
    totals : bool
        Whether the sums of rows and columns are shown too, without shading; default False.
    """
    largest = float(array.max()) or 1.0
    names = [*columns, *["total"] * totals]
    head = "".join(f'<th scope="col">{escaped(str(name))}</th>' for name in [corner, *names])
    body = ""
    for name, line in zip(rows, array.tolist(), strict=True):
        cells = "".join(
            f'<td style="text-align:right;background:rgba(31,119,180,{0.5 * item / largest:.3f})">'
            f"{escaped(text.value(item))}</td>"
            for item in line
        )
        body += _row(name, cells + _plain_cells([sum(line)] * totals))
    if totals:
        body += _row("total", _plain_cells([*array.sum(axis=0).tolist(), array.sum().item()]))
    return f"<table><caption>{escaped(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(name: Any, cells: str) -> str:
    return f'<tr><th scope="row">{escaped(str(name))}</th>{cells}</tr>'


def _plain_cells(items: Sequence[Any]) -> str:
    return "".join(f'<td style="text-align:right">{escaped(text.value(item))}</td>' for item in items)


def page(title: str, sections: Sequence[str], *, language: str = "en") -> str:
    """Return a complete HTML document with a title and sections."""
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="kappamax">\n'
        f"<title>{escaped(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escaped(title)}</h1>\n" + "\n".join(sections) + "\n</main>\n</body>\n</html>\n"
    )


def section(title: str, *parts: str) -> str:
    """Return a section with a heading; empty parts are left out."""
    return f"<section>\n<h2>{escaped(title)}</h2>\n" + "\n".join(part for part in parts if part) + "\n</section>"
