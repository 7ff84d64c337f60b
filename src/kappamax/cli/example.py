"""Define `kappamax example NAME`, which prints a bundled dataset."""

from __future__ import annotations

from pathlib import Path

import click

from kappamax.cli.command import command

__all__ = ["example"]


def _names(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the names of the examples that begin so, which are those of their files."""
    files = (Path(__file__).parents[1] / "data").glob("*.csv")
    return sorted(file.stem for file in files if file.stem.startswith(begun))


@command(
    {"Input": [click.Argument(["name"], required=False, shell_complete=_names)]},
    ["kappamax example", "kappamax example rapallo2022 | kappamax kappa - --layout counts -w linear"],
)
def example(name: str | None) -> None:
    """Print the bundled dataset NAME, or list all of them."""
    from kappamax._validate import as_choice
    from kappamax.datasets import EXAMPLES

    if name is None:
        width = max(map(len, EXAMPLES))
        for one in EXAMPLES.values():
            click.echo(f"{one.name:<{width}}  {one.layout:<6}  {one.title}")
        return
    chosen = EXAMPLES[as_choice("name", name, tuple(EXAMPLES))]
    click.echo(chosen.path.read_text(encoding="utf-8"), nl=False)
