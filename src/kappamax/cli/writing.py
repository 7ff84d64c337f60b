"""Results in, JSON or a table on standard output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from kappamax.table import Table

__all__ = ["SCHEMA_VERSION", "data_line", "echo_json", "echo_pattern_table", "echo_table", "undefined"]

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


def undefined(table: Table, scheme: str, coefficient: str, names: Sequence[str], reason: str) -> dict[str, Any]:
    """A result that is null throughout, with its reason."""
    from kappamax.coefficients import coefficient_for

    chosen = coefficient_for(coefficient, table.n_raters)
    named = {"coefficient": chosen.name, "title": chosen.title, "weights": scheme}
    return named | dict.fromkeys(names) | {"reason": reason}


def echo_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> None:
    """A title, aligned columns (the first to the left) and notes below."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=box.SIMPLE_HEAD)
    for i, name in enumerate(header):
        grid.add_column(Text(name), justify="left" if i == 0 else "right", no_wrap=True)
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    unbounded = console.options.update(max_width=1000)
    console.width = max(80, console.width, console.measure(grid, options=unbounded).maximum)  # no number is cut to fit
    console.print(Text(title, style="bold"))
    console.print(grid)
    for note in notes:
        console.print(Text(f"  {note}"))


def data_line(table: Table) -> str:
    """Who and what, in one line."""
    from kappamax.display import text

    missing = f", {text.plural(table.n_missing, 'rating')} missing" if table.n_missing else ""
    return (
        f"{text.plural(table.n_subjects, 'subject')}, {table.n_raters} raters{missing}; "
        f"categories {text.listing(table.categories)}"
    )


def echo_pattern_table(title: str, table: Table) -> None:
    """A table of counts: crossed for two raters, the most frequent patterns for more."""
    from kappamax.display import numbers, text

    if table.n_raters == 2:
        first, second = (f"rater {name}" if name.isdigit() else name for name in table.raters)
        header = [f"{first} \\ {second}", *map(str, table.categories)]
        rows = [
            [str(label), *map(numbers.count, row)]
            for label, row in zip(table.categories, table.pair(0, 1).tolist(), strict=True)
        ]
        echo_table(title, header, rows)
        return
    order = sorted(range(len(table.counts)), key=lambda i: -int(table.counts[i]))
    labels = table.labels()
    rows = [[*map(str, labels[i]), numbers.count(int(table.counts[i]))] for i in order[: text.MAX_ROWS]]
    hidden = len(order) - len(rows)
    echo_table(title, [*table.raters, "subjects"], rows, [f"{hidden} more patterns"] if hidden else [])
