"""Define `kappamax paper`, which recomputes the source paper; exit code 1 if a verdict is not the expected one."""

from __future__ import annotations

from pathlib import Path

import click

from kappamax.cli.command import Option, command
from kappamax.cli.options import ALL_CORES, JSON, seed
from kappamax.cli.progress import progress_bar
from kappamax.cli.runner import echo_json, notes_to_stderr

__all__ = ["paper"]


@command(
    {
        "Simulation": [
            Option("--tables N", "Number of simulated tables per row of the study.", default=100),
            seed("the study", default=1),
        ],
        "Limits": [ALL_CORES],
        "Output": [
            Option(
                "-o --output FILE", "Write a Markdown page instead of printing text.", type=click.Path(path_type=Path)
            ),
            JSON,
        ],
    },
    ["kappamax paper --tables 20", "kappamax paper --output paper.md"],
)
@click.pass_context
def paper(context: click.Context, tables: int, jobs: int, seed: int, output: Path | None, as_json: bool) -> None:
    """Recompute the source paper line by line.

    Every item is reproduced, corrected (with the reason), not reproduced (a simulated figure beyond the cut-off) or not
    determined by the paper. The exit code is 1 if an item does not have the verdict it should have.
    """
    from kappamax.paper.check import check_paper

    with notes_to_stderr(), progress_bar("the paper's study") as tell:
        found = check_paper(n_tables=tables, seed=seed, n_jobs=jobs, progress=tell)
    if as_json:
        from kappamax.reporting.formats.json import SCHEMA_VERSION

        echo_json({"schema_version": SCHEMA_VERSION, **found.to_dict()})
    elif output is not None:
        from kappamax._atomic_write import write_whole

        write_whole(output, found.to_markdown())
    else:
        for item in found.items:
            click.echo(f"{item.status:<14}  {item.where}: {item.what}")
            click.echo(f"{'':<14}  paper {item.published}; ours {item.ours}")
            if item.reason is not None:
                click.echo(f"{'':<14}  {item.reason}")
        counts = ", ".join(f"{n} {status}" for status, n in found.counts().items() if n)
        click.echo(f"\n{len(found.items)} items: {counts}")
    if found.changed or found.not_reproduced:
        context.exit(1)
