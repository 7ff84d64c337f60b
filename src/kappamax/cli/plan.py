"""Define `kappamax plan`, which finds the number of subjects that a study needs, one row per weighting."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.command import Option, command
from kappamax.cli.options import FILE, HOW_TO_READ, JSON, LEVEL, WEIGHTS, alternative, as_numbers, jobs, seed
from kappamax.cli.runner import (
    Findings,
    echo_json,
    echo_notes,
    echo_table,
    measure_weightings,
    name_of,
    notes_to_stderr,
    progress_bar,
    read_table,
)
from kappamax.display import numbers

if TYPE_CHECKING:
    from kappamax.planning.sample_size_result import SampleSize
    from kappamax.table import Table
    from kappamax.weights import Weights


def _as_margins(_context: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> list[list[Any]]:
    """Return each --margins as a list of numbers."""
    return [as_numbers(text, "shares such as 0.5,0.3,0.2") for text in texts]


@command(
    "kappamax plan --margins 0.7,0.3 --kappa 0.6 --width 0.2 --assurance 0.9",
    "kappamax plan --table pilot.csv --power 0.8 --null 0.4",
    Assumptions=[
        Option(
            "--margins SHARE,SHARE",
            "Expected shares of the categories, such as 0.5,0.3,0.2 or 1/2,1/3,1/6. Give the option once for all "
            "raters or once for each rater. It is required without --table.",
            multiple=True,
            callback=_as_margins,
        ),
        Option(
            "--kappa VALUE",
            "Expected value of the coefficient. It is required with --margins. Default with --table: the value in the "
            "pilot ratings.",
            type=float,
        ),
        Option(
            "--joint NAME",
            "Assumed table with these margins and this value: mixture (a mixture of independence and the table of "
            "largest agreement) or widest (the table with the largest standard error).",
            default="mixture",
            names="planning.methods.JOINTS",
        ),
    ],
    Goal=[
        Option(
            "--width WIDTH",
            "Width of the confidence interval of the study (the adjusted one that `kappamax kappa` prints), from its "
            "lower to its upper end, before it is cut off at 1. It is required without --power.",
            type=float,
        ),
        LEVEL,
        Option(
            "--assurance PROBABILITY",
            "Probability, between 0.5 and 1, that the interval is no wider than --width. Default: --width is the mean "
            "width.",
            type=float,
        ),
        Option(
            "--power POWER",
            "Power of the test, which is the probability of rejecting the null value, between 0 and 1. It is required "
            "without --width.",
            type=float,
        ),
        Option(
            "--null VALUE",
            "Null value of the coefficient, against which the study tests. It is required with --power.",
            type=float,
        ),
        alternative("the coefficient is above the null value"),
        Option("--alpha LEVEL", "Significance level of the test, between 0 and 1.", default=0.05),
        Option(
            "--variance NAME",
            "Standard error that the test uses: null (the standard error at the null value) or estimate (estimated "
            "from the ratings of the study); exact plans the exact test against chance, for --null 0.",
            default="null",
            names="planning.methods.VARIANCES",
        ),
    ],
    Clusters=[
        Option(
            "--cluster-size M",
            "Mean number of subjects per cluster if subjects are in clusters, such as the lesions of patients. It is "
            "required with --icc. Default: subjects are independent or, if the pilot ratings have clusters, the mean "
            "size of these.",
            type=float,
        ),
        Option(
            "--icc R",
            "Correlation, from 0 to 1, of the contributions of two subjects of a cluster to the coefficient. It is "
            "required with --cluster-size unless it can be estimated from pilot ratings with clusters.",
            type=float,
        ),
        Option(
            "--cluster-cv CV",
            "Coefficient of variation of the numbers of subjects per cluster. Default: 0, or that of the clusters of "
            "the pilot ratings.",
            type=float,
        ),
    ],
    Weights=WEIGHTS,
    Simulation=[
        Option("--simulate", "Find the number of subjects by simulation instead of by formula."),
        Option(
            "--draws N",
            "Number of studies to simulate for each number of subjects. With 0, the formula is not checked by "
            "simulation. Default: 10,000, fewer if thousands of patterns are possible.",
            type=int,
        ),
        seed("the simulated studies"),
    ],
    Limits=[jobs()],
    Input=[
        Option(
            "--table FILE",
            "File of pilot ratings, which is read according to the options below. It is required without --margins.",
            type=FILE.type,
            dest="file",
        ),
        *HOW_TO_READ,
    ],
    Output=[JSON],
)
def plan(
    margins: list[list[Any]], simulate: bool, draws: int | None, seed: int | None, jobs: int, **options: Any
) -> None:
    """Find the number of subjects that a study needs.

    The goal is a confidence interval of a given width (--width, and --assurance if it must not be wider) or a test of a
    given power (--power and --null). The assumptions are given by pilot ratings (--table), or by the expected shares of
    the categories and the expected value of the coefficient (--margins and --kappa). With --margins, --raters is the
    number of raters. With --cluster-size and --icc, the subjects of the study are in clusters.
    """
    from kappamax.planning.methods import Formula, Simulation

    goal = ("kappa", "width", "level", "assurance", "power", "null", "alternative", "alpha")
    clusters = ("cluster_size", "icc", "cluster_cv")
    settings: dict[str, Any] = {name: options[name] for name in (*goal, *clusters)} | {"rng": seed, "n_jobs": jobs}
    way = Simulation if simulate else Formula
    settings["method"] = way(joint=options["joint"], variance=options["variance"], n_draws=draws)
    with notes_to_stderr():
        pilot = read_table(options) if options["file"] is not None else None
        if margins:
            n_raters = _as_n_raters(options["raters"])
            settings |= {"margins": margins, "categories": options["categories"], "n_raters": n_raters}
        found, _ = measure_weightings(pilot, options, partial(_measure, **settings))
    if options["as_json"]:
        from kappamax.reporting.formats.json import document

        content = document(pilot or found[0].result.table, [plain for plain, _ in found])
        if pilot is None:
            content["data"]["n_subjects"] = None  # no subject has been rated yet
        echo_json(content)
    else:
        _show(found)


def _as_n_raters(names: list[str] | None) -> int | None:
    """Return --raters as a number, which is its meaning with --margins."""
    if names is None:
        return None
    if len(names) != 1 or not names[0].isdigit():
        raise click.BadParameter(
            "with --margins, --raters must be the number of raters, such as 3.", param_hint="'--raters'"
        )
    return int(names[0])


def _measure(pilot: Table | None, *, weights: str | Weights, **settings: Any) -> SampleSize:
    from kappamax.planning.sample_size import sample_size

    with progress_bar(f"{name_of(weights)} studies") as tell:
        return sample_size(*([] if pilot is None else [pilot]), weights=weights, progress=tell, **settings)


def _show(found: Findings) -> None:
    first = found[0].result
    goal = "power" if first.width is None else "width" if first.assurance is None else "assurance"
    clusters = ["clusters"] if first.n_clusters is not None else []
    header = ["weights", *clusters, "subjects", "assumed", "maximum", goal, "simulated"]
    in_studies = {"assurance": "share_within", "width": "mean_width", "power": "power"}[goal]
    rows = []
    for _, result in found:
        by_formula = getattr(result, f"expected_{goal}")
        simulated = None if result.studies is None else getattr(result.studies, in_studies)
        optional = ["" if value is None else numbers.decimal(value) for value in (result.maximum, simulated)]
        assumed, formula = numbers.decimals(result.assumed, by_formula)
        sizes = [result.n_clusters, result.n_subjects] if clusters else [result.n_subjects]
        rows.append([result.weights, *map(numbers.count, sizes), assumed, optional[0], formula, optional[1]])
    echo_table(f"Subjects needed, {first.title}", header, rows)
    for _, result in found:
        echo_notes(result.sentences())
        click.echo()
    if first.data is not None:
        echo_notes(first.data.sentences())
