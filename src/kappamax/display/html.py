"""Labels and arrays in, small self-contained HTML out: escaped, no script, nothing loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy.typing as npt

from kappamax.display import text

__all__ = ["card", "heat_table", "table"]


def card(title: str, rows: Sequence[tuple[str, str]]) -> str:
    """A title and one row per name and value."""
    body = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(name)}</th><td>{escape(shown)}</td></tr>'
        for name, shown in rows
    )
    return f"<table><caption>{escape(title)}</caption><tbody>{body}</tbody></table>"


def table(header: Sequence[Any], rows: Sequence[Sequence[Any]], *, caption: str) -> str:
    """A table with a header row."""
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(text.value(item))}</td>" for item in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def heat_table(array: npt.NDArray[Any], rows: Sequence[Any], columns: Sequence[Any], *, caption: str) -> str:
    """A matrix of numbers, each cell shaded by its share of the largest; readable without the shading."""
    largest = float(array.max()) or 1.0
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in columns)
    body = ""
    for name, line in zip(rows, array.tolist(), strict=True):
        cells = "".join(
            f'<td style="text-align:right;background:rgba(31,119,180,{0.5 * item / largest:.3f})">'
            f"{escape(text.value(item))}</td>"
            for item in line
        )
        body += f'<tr><th scope="row">{escape(str(name))}</th>{cells}</tr>'
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr><th></th>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
