"""Results in, JSON or a table on standard output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from kappamax.table import Table

__all__ = [
    "data_line",
    "echo_json",
    "echo_pattern_table",
    "echo_sentences",
    "echo_table",
    "named",
    "undefined_result",
]


def echo_json(table: Table, results: Sequence[dict[str, Any]]) -> None:
    """One JSON object: the version of its schema, what the data are, and a result per weighting."""
    from kappamax.reporting.formats.json import as_json, document

    click.echo(as_json(document(table, results)))


def named(table: Table, coefficient: str, weights: str) -> dict[str, Any]:
    """What every result says first: the coefficient, its name for readers, and the weights."""
    from kappamax.coefficients import coefficient_for

    chosen = coefficient_for(coefficient, table.n_raters)
    return {"coefficient": chosen.name, "title": chosen.title, "weights": weights}


def undefined_result(
    table: Table, coefficient: str, weights: str, fields: Sequence[str], reason: str
) -> dict[str, Any]:
    """A result whose fields are null, with the reason."""
    return named(table, coefficient, weights) | dict.fromkeys(fields) | {"reason": reason}


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


def echo_sentences(sentences: Sequence[str]) -> None:
    """One paragraph per sentence, broken where the terminal ends, and an empty line."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    for sentence in sentences:
        console.print(Padding(Text(sentence), (0, 0, 0, 2), expand=False))
    console.print()


def data_line(table: Table) -> str:
    """Who and what, in one line."""
    from kappamax.display import text

    subjects = text.plural(table.n_incomplete, "subject")
    missing = f", {text.plural(table.n_missing, 'rating')} missing in {subjects}" if table.n_missing else ""
    left_out = f", {text.plural(table.n_left_out, 'subject')} left out" if table.n_left_out else ""
    return (
        f"{text.plural(table.n_subjects, 'subject')}, {table.n_raters} raters{missing}{left_out}; "
        f"categories {text.listing(table.categories)}"
    )


def echo_pattern_table(title: str, table: Table) -> None:
    """A table of counts: crossed for two raters, the most frequent patterns for more."""
    from kappamax.display import numbers, text

    if table.n_raters == 2:
        first, second = map(text.rater, table.raters)
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
