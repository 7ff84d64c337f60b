"""Define `kappamax report FILE`, which writes a full report on one file, or one table for several files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from kappamax._atomic_write import require_output
from kappamax.cli.command import Option, command
from kappamax.cli.options import (
    BENCHMARK,
    INPUT,
    JSON,
    LEVEL,
    alternative,
    jobs,
    occasions_by_default,
    seed,
    weights_by_default,
)
from kappamax.cli.runner import (
    echo_line,
    how_to_read,
    inputs_of,
    notes_to_stderr,
    progress_bar,
    progress_line,
    read_occasions,
    read_table,
    weightings,
)
from kappamax.display.text import in_natural_order
from kappamax.errors import Interrupted, KappamaxError


@command(
    "kappamax report ratings.csv --output report.html",
    "kappamax report ratings.csv --by week --trend",
    Input=[
        *INPUT,
        click.Argument(["more"], nargs=-1, type=click.Path(), metavar="[FILE]..."),
        Option("--batch", "Print one row per file and weighting, even for a single file."),
        Option(
            "--by COLUMN",
            "Column that divides the subjects into groups; one row per group and weighting is printed. Default: no "
            "groups.",
        ),
        Option(
            "--trend",
            "Test a linear trend over the groups of --by or over several files, in the order of the numbers or dates "
            "in their names.",
        ),
        occasions_by_default("no section on test and retest"),
    ],
    Weights=weights_by_default(
        "unweighted, linear, quadratic and sqrt if the categories are ordered, otherwise unweighted"
    ),
    Statistics=[LEVEL, alternative(), BENCHMARK, seed("the Monte Carlo tests", default=0)],
    Limits=[
        Option(
            "--time-limit SECONDS",
            "Time limit for all searches of a report or group, in seconds.",
            default=30.0,
        ),
        jobs(" for several files or groups"),
    ],
    Output=[
        Option("--title TEXT", "Title of the report.", default="Agreement between raters"),
        Option(
            "-o --output FILE",
            "Write the report to FILE instead of printing it. The ending of its name chooses the format: .html, .json, "
            ".csv, .tex, .md or .txt. Default: print it as text.",
            type=click.Path(path_type=Path),
        ),
        JSON,
    ],
)
def report(
    more: tuple[str, ...],
    batch: bool,
    by: str | None,
    benchmark: str | None,
    trend: bool,
    occasions: Any,
    seed: int,
    jobs: int,
    title: str,
    output: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Write a full report on the agreement of the raters in FILE.

    The report gives kappa, its maximum and a test against chance, and explains them. With several files, a table with
    one row per file and weighting is printed; after Ctrl-C, its rows for files or groups that are not finished say so.
    Several files or groups are compared: their coefficients are pooled and tested for equality and, with --trend, for a
    trend.
    If FILE is "-", standard input is read.
    """
    from kappamax.reporting.report import report as report_of

    settings = {name: options[name] for name in ("coefficient", "level", "alternative", "time_limit")}
    settings |= {"weights": weightings(options) or None, "rng": seed}
    files = (options["file"], *more)
    if trend:
        files = tuple(in_natural_order(files))
    grouped = bool(batch or by is not None or more)
    if grouped and benchmark is not None:
        raise click.UsageError("--benchmark is for a report on one file; the table of several groups has no labels.")
    if trend and by is None and not more:
        raise click.UsageError("--trend needs groups: --by COLUMN or several files.")
    if grouped and occasions is not None:
        raise click.UsageError("--occasions is for a report on one file; the table of several groups has no section.")
    if output is not None:
        from kappamax.reporting import group_report, report_results

        known = group_report.WRITERS if grouped else report_results.WRITERS
        require_output(output, known, inputs=inputs_of(options, *more))
    interrupted = False
    with notes_to_stderr():
        if grouped:
            from kappamax.reporting.group_report import report_groups

            try:
                with progress_bar("groups") as bar:
                    groups = _groups(options, files, by)
                    made: Any = report_groups(groups, trend=trend, n_jobs=jobs, progress=bar, **settings)
            except Interrupted as stopped:
                made, interrupted = stopped.best, True
        else:
            with progress_line() as tell:
                table = read_table(options) if occasions is None else read_occasions(options, occasions)
                more_of_it = {"title": title, "benchmark": benchmark, "occasions": occasions}
                made = report_of(table, progress=tell, **more_of_it, **settings)
    if output is not None:
        made.save(output)
        echo_line(f"{'incomplete ' if interrupted else ''}report written to {output}", err=True)
    if as_json:
        click.echo(made.to_json())
    elif output is None:
        click.echo(made.to_text(), nl=False)
    if interrupted:
        raise KeyboardInterrupt


def _groups(options: dict[str, Any], files: tuple[str, ...], by: str | None) -> Iterator[tuple[str, Any]]:
    """Yield the name of every file, or of every group in it, with its table or the error raised by reading it."""
    from kappamax.io.files import read_groups

    for file in files:
        try:
            if by is None:
                yield file, read_table(options | {"file": file})
            else:
                for name, found in read_groups(file, by=by, **how_to_read(options)):
                    yield name if len(files) == 1 else f"{file}: {name}", found
        except KappamaxError as error:
            if by is not None and len(files) == 1:
                raise
            yield file, error
