"""`kappamax report FILE`: the whole answer in words, tables and pictures; of many files or groups, one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from kappamax.cli.completion import ALTERNATIVES, name_option
from kappamax.cli.input_options import Reading, measuring_options, notes_to_stderr, read_table, reading_options
from kappamax.cli.progress import progress_bar, progress_line

__all__ = ["report"]


@click.command(short_help="Everything about the agreement, in words.")
@reading_options
@click.argument("more", nargs=-1, type=click.Path())
@measuring_options("unweighted, linear, quadratic and sqrt where categories have an order, else unweighted")
@click.option("--level", type=float, default=0.95, show_default=True, metavar="L", help="Of the confidence intervals.")
@name_option("--alternative", among=ALTERNATIVES, metavar="A", help="greater, less or two-sided.")
@click.option("--time-limit", type=float, default=30.0, show_default=True, metavar="S", help="Seconds per search.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Of Monte Carlo tests."
)
@click.option("--title", default="Agreement between raters", show_default=True, help="Heading of the report.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File: .html, .json, .csv, .tex, .md or .txt.",
)
@click.option("--batch", is_flag=True, help="One row per file and weighting; so it is for several files.")
@click.option("--by", metavar="COLUMN", help="One row per value of this column and weighting.")
@click.option("--jobs", type=int, default=1, show_default=True, metavar="N", help="Processes for many files or groups.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
def report(
    reading: Reading,
    more: tuple[str, ...],
    weights: tuple[str, ...],
    coefficient: str,
    level: float,
    alternative: str,
    time_limit: float,
    seed: int,
    title: str,
    output: Path | None,
    batch: bool,
    by: str | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Everything about the agreement in FILE: kappa, its maximum, a test, and what they mean."""
    from kappamax.errors import InvalidOptionError
    from kappamax.reporting.report import report as report_of

    options: dict[str, Any] = {
        "weights": list(weights) or None,
        "coefficient": coefficient,
        "level": level,
        "alternative": alternative,
        "time_limit": time_limit,
        "rng": seed,
    }
    files = (reading.file, *more)
    if output is not None:
        for file in files:
            if file != "-" and output.exists() and Path(file).exists() and output.samefile(file):
                raise InvalidOptionError(f"the report would replace its own input, {output.name!r}; give another file.")
    with notes_to_stderr():
        if batch or by is not None or more:
            from kappamax.reporting.group_report import report_groups

            with progress_bar("groups") as bar:
                made: Any = report_groups(_groups(reading, files, by), n_jobs=jobs, progress=bar, **options)
        else:
            with progress_line() as tell:
                made = report_of(read_table(reading), title=title, progress=tell, **options)
    if output is not None:
        made.save(output)
        click.echo(f"written to {output}", err=True)
    if as_json:
        click.echo(made.to_json())
    elif output is None:
        click.echo(made.to_text(), nl=False)


def _groups(reading: Reading, files: tuple[str, ...], by: str | None) -> Iterator[tuple[str, Any]]:
    """Every file, or every group of every file, with its table or the error that reading it raised."""
    from kappamax.errors import KappamaxError
    from kappamax.io.files import read_groups

    for file in files:
        own = replace(reading, file=file)
        if by is None:
            try:
                yield file, read_table(own)
            except KappamaxError as error:
                yield file, error
            continue
        arguments = asdict(own)
        path = arguments.pop("file")
        try:
            for name, found in read_groups(path, by=by, **arguments):
                yield name if len(files) == 1 else f"{file}: {name}", found
        except KappamaxError as error:
            if len(files) == 1:
                raise
            yield file, error
