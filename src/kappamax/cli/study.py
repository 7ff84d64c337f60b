"""`kappamax study`: the paper's simulation study, or your own scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.completion import WEIGHTS, one_of
from kappamax.cli.input_options import notes_to_stderr
from kappamax.cli.progress import progress_bar

if TYPE_CHECKING:
    from kappamax.paper.study.run import Study
    from kappamax.paper.study.scenarios import Scenario

__all__ = ["study"]


@click.command(short_help="How long annealing takes, by simulation.")
@click.option("--raters", type=int, multiple=True, metavar="R", help="Only rows with so many raters; may be repeated.")
@click.option("--categories", type=int, multiple=True, metavar="K", help="Only rows with so many categories.")
@click.option("--subjects", type=int, multiple=True, metavar="N", help="Only rows with so many subjects.")
@click.option(
    "--weights", "-w", multiple=True, metavar="W", shell_complete=one_of(WEIGHTS), help="Only rows with these weights."
)
@click.option("--homogeneous/--non-homogeneous", default=None, help="Only rows with such margins.")
@click.option(
    "--scenarios", type=click.Path(), metavar="FILE", help="Your own scenarios (TOML) instead of the paper's."
)
@click.option("--tables", type=int, default=1000, metavar="N", show_default=True, help="Simulated tables per row.")
@click.option("--jobs", type=int, default=-1, metavar="N", help="Processes; as many as there are cores if left out.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, metavar="N", show_default=True, help="For other random tables."
)
@click.option(
    "--output",
    "-o",
    "--out",
    "out",
    type=click.Path(),
    metavar="FILE",
    help="Write .csv, .tex, .json, or a figure (.png, .svg, .pdf).",
)
@click.option("--checkpoint", type=click.Path(), metavar="FILE", help="Where to resume. Default: OUTPUT.checkpoint.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def study(
    scenarios: str | None,
    tables: int,
    jobs: int,
    seed: int,
    out: str | None,
    checkpoint: str | None,
    as_json: bool,
    **only: Any,
) -> None:
    """How long annealing takes over simulated tables: the 60 rows of the paper, or some of them.

    A study that was stopped, by Ctrl-C or a power cut, continues where it was when started again with the same options.
    """
    from kappamax._atomic_write import ending_of
    from kappamax.errors import Interrupted
    from kappamax.paper.study.run import ENDINGS, run_study

    if out is not None:
        ending_of(out, ENDINGS)
        checkpoint = checkpoint or f"{out}.checkpoint"
    chosen = _chosen(scenarios, **only)
    settings: dict[str, Any] = {"n_tables": tables, "seed": seed, "n_jobs": jobs, "checkpoint": checkpoint}
    try:
        with notes_to_stderr(), progress_bar("study") as tell:
            found = run_study(chosen, progress=tell, **settings)
    except Interrupted:
        again = (
            f"the same command continues from {checkpoint}" if checkpoint else "give --checkpoint to be able to resume"
        )
        click.echo(f"kappamax: stopped; {again}", err=True)
        raise
    if out is not None:
        found.save(out)
    if as_json:
        _echo_json(found)
    else:
        _show(found)


def _chosen(scenarios: str | None, *, homogeneous: bool | None, **only: Any) -> tuple[Scenario, ...]:
    """The scenarios with all the settings asked for."""
    from kappamax.errors import InvalidOptionError
    from kappamax.paper.study.scenarios import paper_scenarios, read_scenarios

    names = {"raters": "n_raters", "categories": "n_categories", "subjects": "n_subjects", "weights": "weights"}
    rows = paper_scenarios() if scenarios is None else read_scenarios(scenarios)
    for option, wanted in only.items():
        rows = tuple(row for row in rows if not wanted or getattr(row, names[option]) in wanted)
    if homogeneous is not None:
        rows = tuple(row for row in rows if row.homogeneous == homogeneous)
    if not rows:
        raise InvalidOptionError("none of the paper's 60 rows has all of these settings.")
    return rows


def _echo_json(found: Study) -> None:
    from kappamax.reporting.formats.json import SCHEMA_VERSION, as_json

    document = {
        "schema_version": SCHEMA_VERSION,
        "data": {"n_tables": found.n_tables, "seed": found.seed},
        "results": [row.to_dict() for row in found],
    }
    click.echo(as_json(document))


def _show(found: Study) -> None:
    from kappamax.cli.output import echo_table
    from kappamax.paper.study.rows import NOT_DETERMINED, shown_rows, summary

    notes = [f"{name}: {shown}" for name, shown in summary(found.rows)]
    if any(not row.determined for row in found):
        notes.append(f"n.d.: {NOT_DETERMINED}, which does not say what the third rater's margins are")
    echo_table(f"Stopping time of annealing, {found.n_tables:,} tables per row", *shown_rows(found.rows), notes)
