"""`kappamax example NAME`: print a bundled dataset as it would be read."""

from __future__ import annotations

import click

from kappamax._validate import as_choice
from kappamax.cli.completion import example_names

__all__ = ["example"]


@click.command()
@click.argument("name", required=False, shell_complete=example_names)
def example(name: str | None) -> None:
    """Print a bundled dataset, or list them all.

    \b
    kappamax example rapallo2022 | kappamax kappa - --layout counts --weights linear
    """
    from kappamax.datasets import EXAMPLES

    if name is None:
        width = max(map(len, EXAMPLES))
        for one in EXAMPLES.values():
            click.echo(f"{one.name:<{width}}  {one.layout:<6}  {one.title}")
        return
    chosen = EXAMPLES[as_choice("name", name, tuple(EXAMPLES))]
    click.echo(chosen.path.read_text(encoding="utf-8"), nl=False)
