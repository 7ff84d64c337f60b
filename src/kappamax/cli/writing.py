"""Results in, JSON or a table on standard output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from kappamax.table import Table

__all__ = ["SCHEMA_VERSION", "echo_json", "echo_table"]

SCHEMA_VERSION = 1


def echo_json(table: Table, results: Sequence[dict[str, Any]]) -> None:
    """One JSON object: the version of its schema, what the data are, and a result per weighting."""
    from kappamax._result import plain

    data = {
        "n_subjects": plain(table.n_subjects),
        "n_raters": table.n_raters,
        "n_categories": table.n_categories,
        "categories": list(table.categories),
        "raters": list(table.raters),
        "n_missing": plain(table.n_missing),
    }
    document = {"schema_version": SCHEMA_VERSION, "data": data, "results": list(results)}
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def echo_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> None:
    """A title, aligned columns (the first to the left) and notes below."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(title=Text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for i, name in enumerate(header):
        grid.add_column(Text(name), justify="left" if i == 0 else "right", no_wrap=True)
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    unbounded = console.options.update(max_width=1000)
    console.width = max(80, console.width, console.measure(grid, options=unbounded).maximum)  # no number is cut to fit
    console.print(grid)
    for note in notes:
        console.print(Text(f"  {note}"))
