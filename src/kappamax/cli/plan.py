"""Define `kappamax plan`, which finds the number of subjects that a study needs, one row per weighting."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.command import Option, command
from kappamax.cli.options import FILE, HOW_TO_READ, JSON, LEVEL, WEIGHTS, alternative, as_names, jobs, seed
from kappamax.cli.runner import (
    Findings,
    echo_json,
    echo_table,
    measure_weightings,
    notes_to_stderr,
    progress_bar,
    read_table,
)
from kappamax.display import numbers

if TYPE_CHECKING:
    from kappamax.planning.sample_size import SampleSize
    from kappamax.table import Table


def _as_margins(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> list[list[Any]]:
    """Return each --margins as a list of numbers; 1/3 is a number."""
    from fractions import Fraction

    rows: list[list[Any]] = []
    for text in texts:
        parts = as_names(context, option, text) or []
        try:
            rows.append([Fraction(part) if "/" in part else float(part) for part in parts])
        except (ValueError, ZeroDivisionError):
            raise click.BadParameter(f"{text!r} is not a list of shares such as 0.5,0.3,0.2.") from None
    return rows


@command(
    "kappamax plan --margins 0.7,0.3 --kappa 0.6 --width 0.2",
    "kappamax plan --table pilot.csv --power 0.8 --null 0.4",
    Assumptions=[
        Option(
            "--margins 0.5,0.3,0.2",
            "Expected share of each category; given once for all raters, or once for each rater.",
            multiple=True,
            callback=_as_margins,
        ),
        Option("--kappa K", "Expected value of the coefficient. Default: that of the pilot ratings.", type=float),
        Option(
            "--joint J",
            "Assumed table with these margins and value: mixture (of chance and largest agreement) or widest.",
            default="mixture",
            names="planning.methods.JOINTS",
        ),
    ],
    Goal=[
        Option("--width W", "Width of the confidence interval, from end to end.", type=float),
        LEVEL,
        Option("--power P", "Probability of rejecting the value --null.", type=float),
        Option("--null K0", "Value of the coefficient to test against.", type=float),
        alternative("Alternative of the test: greater (the coefficient is above --null), less or two-sided."),
        Option("--alpha A", "Significance level of the test.", default=0.05),
        Option(
            "--variance V",
            "Standard error of the test: null (at the value --null) or estimate (from the study's ratings).",
            default="null",
            names="planning.methods.VARIANCES",
        ),
    ],
    Weights=WEIGHTS,
    Simulation=[
        Option("--simulate", "Find the number from simulated studies instead of the formula."),
        Option("--draws N", "Number of simulated studies; 0 for none. Default: up to 10,000.", type=int),
        seed("the simulated studies"),
    ],
    Limits=[jobs()],
    Input=[Option("--table FILE", "File of pilot ratings.", type=FILE.type, dest="file"), *HOW_TO_READ],
    Output=[JSON],
)
def plan(
    margins: list[list[Any]], simulate: bool, draws: int | None, seed: int | None, jobs: int, **options: Any
) -> None:
    """Find the number of subjects that a study needs.

    The goal is an interval of some width or a test of some power. Say what you expect: pilot ratings (--table), or how
    often each category will be used and how large kappa will be (--margins and --kappa). With --margins, --raters is
    the number of raters.
    """
    from kappamax.planning.methods import Formula, Simulation

    goal = ("kappa", "width", "level", "power", "null", "alternative", "alpha")
    settings: dict[str, Any] = {name: options[name] for name in goal} | {"rng": seed, "n_jobs": jobs}
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
            content["data"]["n_subjects"] = None  # nobody has been rated yet
        echo_json(content)
    else:
        _show(found)


def _as_n_raters(names: list[str] | None) -> int | None:
    """Return --raters as a number, which it is if there are --margins."""
    if names is None:
        return None
    if len(names) != 1 or not names[0].isdigit():
        raise click.BadParameter("with --margins it is the number of raters, such as 3.", param_hint="'--raters'")
    return int(names[0])


def _measure(pilot: Table | None, *, weights: str, **settings: Any) -> SampleSize:
    from kappamax.planning.sample_size import sample_size

    with progress_bar(f"{weights} studies") as tell:
        return sample_size(*([] if pilot is None else [pilot]), weights=weights, progress=tell, **settings)


def _show(found: Findings) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    first = found[0].result
    by_width = first.width is not None
    header = ["weights", "subjects", "assumed", "maximum", "width" if by_width else "power", "simulated"]
    rows = []
    for _, result in found:
        by_formula = result.expected_width if by_width else result.expected_power
        studies = result.studies
        simulated = None if studies is None else studies.mean_width if by_width else studies.power
        optional = ["" if value is None else numbers.decimal(value) for value in (result.maximum, simulated)]
        assumed, formula = numbers.decimals(result.assumed, by_formula)
        rows.append([result.weights, numbers.count(result.n_subjects), assumed, optional[0], formula, optional[1]])
    echo_table(f"Subjects needed, {first.title}", header, rows)
    console = Console(highlight=False)
    for _, result in found:
        for sentence in result.sentences():
            console.print(Padding(Text(sentence), (0, 0, 0, 2), expand=False))
        console.print()
