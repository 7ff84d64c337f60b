"""Define `kappamax paper`, which recomputes the source paper, and `kappamax study`, which repeats its simulations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kappamax._atomic_write import require_output, write_whole
from kappamax.cli.command import Option, command
from kappamax.cli.options import ALL_CORES, JSON, as_weightings, seed
from kappamax.cli.runner import echo_json, echo_line, echo_table, notes_to_stderr, progress_bar
from kappamax.errors import Interrupted, InvalidOptionError

if TYPE_CHECKING:
    from kappamax.paper.study.run import Study
    from kappamax.paper.study.scenarios import Scenario

_ONLY, _AGAIN = "Use only scenarios with this", "The option may be repeated. Default: all scenarios."


@command(
    "kappamax paper --tables 20",
    "kappamax paper --output paper.md",
    Simulation=[
        Option("--tables N", "Number of tables to simulate for each row of the study.", default=100),
        seed("the simulated tables", default=1),
    ],
    Limits=[ALL_CORES],
    Output=[
        Option(
            "-o --output FILE",
            "Write the results to FILE as a Markdown page instead of printing them. Default: print them.",
            type=click.Path(path_type=Path),
        ),
        JSON,
    ],
)
@click.pass_context
def paper(context: click.Context, tables: int, jobs: int, seed: int, output: Path | None, as_json: bool) -> None:
    """Recompute the results of the source paper.

    Each item is classified as reproduced, corrected (with the reason), not reproduced (a simulated figure that differs
    by more than the cut-off) or not determined by the paper. The exit code is 1 if an item is not reproduced or if the
    verdict on an item differs from the expected one.
    """
    from kappamax.paper.check import check_paper

    if output is not None:
        require_output(output)
    with notes_to_stderr(), progress_bar("the paper's study") as tell:
        found = check_paper(n_tables=tables, rng=seed, n_jobs=jobs, progress=tell)
    if output is not None:
        write_whole(output, found.to_markdown())
    if as_json:
        echo_json(found.to_dict())
    elif output is None:
        for item in found.items:
            click.echo(f"{item.status:<14}  {item.where}: {item.what}")
            click.echo(f"{'':<14}  paper {item.published}; ours {item.ours}")
            if item.reason is not None:
                click.echo(f"{'':<14}  {item.reason}")
        counts = ", ".join(f"{n} {status}" for status, n in found.counts().items() if n)
        click.echo(f"\n{len(found.items)} items: {counts}")
    if found.changed or found.not_reproduced:
        context.exit(1)


@command(
    "kappamax study --raters 2 --categories 3 --weights linear --tables 100",
    "kappamax study --scenarios scenarios.toml --output study.csv",
    Scenarios=[
        Option("--raters N", f"{_ONLY} number of raters. {_AGAIN}", type=int, multiple=True, dest="n_raters"),
        Option(
            "--categories N", f"{_ONLY} number of categories. {_AGAIN}", type=int, multiple=True, dest="n_categories"
        ),
        Option("--subjects N", f"{_ONLY} number of subjects. {_AGAIN}", type=int, multiple=True, dest="n_subjects"),
        Option(
            "-w --weights NAME",
            f"{_ONLY} weighting. {_AGAIN}",
            multiple=True,
            names="weights.SCHEMES",
            callback=as_weightings,
        ),
        Option(
            "--homogeneous/--non-homogeneous",
            "Use only scenarios with homogeneous margins, or only those with non-homogeneous margins. Default: both.",
            default=None,
        ),
        Option("--scenarios FILE", "TOML file of scenarios. Default: the scenarios of the paper.", type=click.Path()),
    ],
    Simulation=[
        Option("--tables N", "Number of tables to simulate for each scenario.", default=1000),
        seed("the simulated tables", default=1),
    ],
    Limits=[ALL_CORES],
    Output=[
        Option(
            "-o --output --out FILE",
            "Also write the results to FILE. The ending of its name chooses the format: .csv, .tex, .json, or a figure "
            "(.png, .svg, .pdf). Default: no file is written.",
            type=click.Path(),
            dest="out",
        ),
        Option(
            "--checkpoint FILE",
            "File that keeps finished work, so that an interrupted study can continue. Default: the output file with "
            ".checkpoint added to its name, or no file without --output.",
            type=click.Path(),
        ),
        JSON,
    ],
)
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
    """Simulate the stopping time of annealing.

    The scenarios are the 60 rows of the study in the paper, some of them, or those of a TOML file. An interrupted study
    with an output or checkpoint file continues if it is started again with the same options.
    """
    from kappamax.paper.study.run import ENDINGS, run_study

    inputs = [] if scenarios is None else [scenarios]
    if out is not None:
        require_output(out, ENDINGS, inputs=inputs)
        checkpoint = checkpoint or f"{out}.checkpoint"
    if checkpoint is not None:
        require_output(checkpoint, inputs=[*inputs, *([out] if out is not None else [])])
    chosen = _chosen(scenarios, **only)
    try:
        with notes_to_stderr(), progress_bar("study") as tell:
            found = run_study(chosen, n_tables=tables, rng=seed, n_jobs=jobs, checkpoint=checkpoint, progress=tell)
    except Interrupted:
        again = (
            f"run the same command again to continue from {checkpoint}"
            if checkpoint
            else "use --checkpoint to be able to continue later"
        )
        echo_line(f"kappamax: stopped; {again}", err=True)
        raise
    if out is not None:
        found.save(out)
    if as_json:
        data = {"n_tables": found.n_tables, "seed": found.seed}
        echo_json({"data": data, "results": [row.to_dict() for row in found]})
    else:
        _show(found)


def _chosen(
    scenarios: str | None, *, homogeneous: bool | None, weights: tuple[str, ...], **only: Any
) -> tuple[Scenario, ...]:
    """Return the scenarios that have all the requested settings."""
    from kappamax.paper.study.scenarios import paper_scenarios, read_scenarios
    from kappamax.weights import as_scheme

    rows = paper_scenarios() if scenarios is None else read_scenarios(scenarios)
    only["weights"] = [as_scheme(name)[0] for name in weights]
    for field, wanted in only.items():
        rows = tuple(row for row in rows if not wanted or getattr(row, field) in wanted)
    if homogeneous is not None:
        rows = tuple(row for row in rows if row.homogeneous == homogeneous)
    if not rows:
        raise InvalidOptionError("no scenario has all of these settings.")
    return rows


def _show(found: Study) -> None:
    from kappamax.paper.study.rows import NOT_DETERMINED, shown_rows, summary

    notes = [f"{name}: {shown}" for name, shown in summary(found.rows)]
    if any(not row.determined for row in found):
        notes.append(f"n.d. means {NOT_DETERMINED}, which does not give the margins of the third rater")
    echo_table(f"Stopping time of annealing, {found.n_tables:,} tables per row", *shown_rows(found.rows), notes)
