"""`kappamax report FILE`: the whole answer in words, tables and pictures."""

from __future__ import annotations

from pathlib import Path

import click

from kappamax.cli.progress import progress_line
from kappamax.cli.reading import Reading, measuring_options, notes_to_stderr, read_table, reading_options

__all__ = ["report"]


@click.command()
@reading_options
@measuring_options
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the confidence intervals.")
@click.option("--alternative", default="greater", metavar="A", show_default=True, help="greater, less or two-sided.")
@click.option("--time-limit", type=float, default=30.0, show_default=True, metavar="S", help="Seconds per search.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of Monte Carlo tests.")
@click.option("--title", default="Agreement between raters", show_default=True, help="Heading of the report.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="File: .html, .json, .csv, .tex, .md or .txt.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
def report(
    reading: Reading,
    weights: tuple[str, ...],
    coefficient: str,
    level: float,
    alternative: str,
    time_limit: float,
    seed: int,
    title: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Everything about the agreement in FILE: kappa, its maximum, a test, and what they mean."""
    from kappamax._checks.reports import not_the_input
    from kappamax.reporting.analysis import report as report_of

    if output is not None:
        not_the_input(output, reading.file)
    with notes_to_stderr(), progress_line() as tell:
        made = report_of(
            read_table(reading),
            weights=list(weights) or None,
            coefficient=coefficient,
            level=level,
            alternative=alternative,
            time_limit=time_limit,
            rng=seed,
            title=title,
            progress=tell,
        )
    if output is not None:
        made.save(output)
        click.echo(f"written to {output}", err=True)
    if as_json:
        click.echo(made.to_json())
    elif output is None:
        click.echo(made.to_text(), nl=False)
