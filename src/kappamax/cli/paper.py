"""`kappamax paper`: recompute the source paper; exit code 1 if an item does not have the verdict it should have."""

from __future__ import annotations

from pathlib import Path

import click

from kappamax.cli.input_options import notes_to_stderr
from kappamax.cli.progress import progress_bar

__all__ = ["paper"]


@click.command(short_help="Recompute the source paper line by line.")
@click.option("--tables", type=int, default=100, show_default=True, metavar="N", help="Simulated tables per study row.")
@click.option("--jobs", type=int, default=-1, metavar="N", help="Processes; as many as there are cores if left out.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, metavar="N", help="Of the study.")
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Write a Markdown page instead.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
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
        from kappamax.reporting.formats.json import as_json as json_of

        click.echo(json_of({"schema_version": SCHEMA_VERSION, **found.to_dict()}))
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
