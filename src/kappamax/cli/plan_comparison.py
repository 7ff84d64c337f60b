"""Define `kappamax plan-comparison`, which finds the number of subjects for a comparison of two coefficients."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.command import Option, command
from kappamax.cli.options import FILE, HOW_TO_READ, JSON, LEVEL, WEIGHTS, as_names, as_numbers
from kappamax.cli.runner import (
    Findings,
    echo_json,
    echo_notes,
    echo_table,
    measure_weightings,
    notes_to_stderr,
    read_table,
)
from kappamax.display import numbers

if TYPE_CHECKING:
    from kappamax.planning.comparison_result import ComparisonSampleSize
    from kappamax.table import Table
    from kappamax.weights import Weights


def _as_margins(_context: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> list[list[Any]]:
    """Return each list of shares as a list of numbers."""
    return [as_numbers(text, "shares such as 0.5,0.3,0.2") for text in texts]


def _as_two_values(_context: click.Context, _option: click.Parameter, text: str | None) -> list[Any] | None:
    """Return the two values of --kappas."""
    if text is None:
        return None
    found = as_numbers(text, "two values such as 0.7,0.5")
    if len(found) != 2:
        raise click.BadParameter(f"{text!r} is not a list of two values such as 0.7,0.5.")
    return found


@command(
    "kappamax plan-comparison --margins 0.7,0.3 --kappas 0.7,0.5 --power 0.8",
    "kappamax plan-comparison --table data.csv --first a,c --second b,c --width 0.2",
    Assumptions=[
        Option(
            "--margins SHARE,SHARE",
            "Expected shares of the categories, such as 0.5,0.3,0.2. Give the option once for all raters or once for "
            "each rater. It is required without --table.",
            multiple=True,
            callback=_as_margins,
        ),
        Option(
            "--second-margins SHARE,SHARE",
            "Expected shares of the categories for the second coefficient. Default: those of --margins.",
            multiple=True,
            callback=_as_margins,
        ),
        Option(
            "--kappas VALUE,VALUE",
            "Expected values of the first and of the second coefficient. It is required with --margins.",
            callback=_as_two_values,
        ),
        Option(
            "--correlation R",
            "Correlation, between -1 and 1, of the two estimates if both are computed from the same subjects. Default "
            "with --margins: the coefficients are those of independent groups of subjects.",
            type=float,
        ),
        Option(
            "--ratio RATIO",
            "Number of subjects of the second group divided by that of the first. Default: 1.",
            type=float,
        ),
        Option("--first RATER,RATER", "Raters of the first coefficient in the pilot ratings.", callback=as_names),
        Option("--second RATER,RATER", "Raters of the second coefficient in the pilot ratings.", callback=as_names),
    ],
    Goal=[
        Option(
            "--width WIDTH",
            "Width of the confidence interval of the difference, from its lower to its upper end. It is required "
            "without --power.",
            type=float,
        ),
        LEVEL,
        Option("--power POWER", "Power of the test, between 0 and 1. It is required without --width.", type=float),
        Option(
            "--alternative NAME",
            "Alternative hypothesis of the test: two-sided (the coefficients differ), non-inferiority (the first is "
            "less than --margin below the second) or equivalence (they differ by less than --margin).",
            default="two-sided",
            names="joint_coefficients.ALTERNATIVES",
        ),
        Option("--margin MARGIN", "Smallest difference that matters, between 0 and 2.", type=float),
        Option(
            "--difference VALUE",
            "Assumed difference, first minus second, for the power. Default: that of --kappas or of the pilot ratings.",
            type=float,
        ),
        Option("--alpha LEVEL", "Significance level of the test, between 0 and 1.", default=0.05),
    ],
    Weights=WEIGHTS,
    Input=[
        Option(
            "--table FILE",
            "File of pilot ratings of the same subjects, which is read according to the options below. It is required "
            "without --margins.",
            type=FILE.type,
            dest="file",
        ),
        *HOW_TO_READ,
    ],
    Output=[JSON],
)
def plan_comparison(**options: Any) -> None:
    """Find the number of subjects for comparing two coefficients.

    The goal is a confidence interval of the difference with a given width (--width) or a test of a given power
    (--power). The assumptions are given by pilot ratings and the raters of both coefficients (--table, --first and
    --second), or by the expected shares of the categories and the expected values (--margins and --kappas).
    """
    same = ("correlation", "ratio", "width", "level", "power", "alternative", "margin", "difference", "alpha")
    settings = {name: options[name] for name in same}
    with notes_to_stderr():
        pilot = None
        if options["file"] is not None:
            if options["margins"] or options["second_margins"] or options["kappas"]:
                raise click.UsageError("--margins, --second-margins and --kappas exclude --table.")
            if not options["first"] or not options["second"]:
                raise click.UsageError("--table needs --first and --second, the raters of both coefficients.")
            pilot = read_table(options)
            settings |= {"first": options["first"], "second": options["second"]}
        else:
            if not options["margins"] or options["kappas"] is None:
                raise click.UsageError("--margins and --kappas, or --table, must be given.")
            if options["first"] or options["second"]:
                raise click.UsageError("--first and --second select raters of pilot ratings; --table is missing.")
            both = (options["margins"], options["second_margins"] or options["margins"])
            first, second = ({"margins": m, "kappa": k} for m, k in zip(both, options["kappas"], strict=True))
            settings |= {"first": first, "second": second, "categories": options["categories"]}
        found, _ = measure_weightings(pilot, options, partial(_measure, **settings))
    if options["as_json"]:
        from kappamax.reporting.formats.json import data_of

        data = None if pilot is None else data_of(pilot)
        echo_json({"data": data, "results": [finding.plain for finding in found]})
    else:
        _show(found)


def _measure(pilot: Table | None, *, weights: str | Weights, **settings: Any) -> ComparisonSampleSize:
    from kappamax.planning.comparison_size import compare_sample_size

    return compare_sample_size(*([] if pilot is None else [pilot]), weights=weights, **settings)


def _show(found: Findings) -> None:
    first = found[0].result
    goal = "power" if first.width is None else "width"
    sizes = ["subjects"] if first.paired else ["group 1", "group 2"]
    header = ["weights", *sizes, "first", "second", "difference", goal]
    rows = []
    for _, result in found:
        counts = [result.n_subjects] if result.paired else [result.n_first, result.n_second]
        values = (result.first, result.second, result.difference, getattr(result, f"expected_{goal}"))
        rows.append([result.weights[0], *map(numbers.count, counts), *numbers.decimals(*values)])
    echo_table(f"Subjects needed for a comparison, {first.titles[0]}", header, rows)
    for _, result in found:
        echo_notes(result.sentences())
        click.echo()
    if first.data is not None:
        echo_notes(first.data.sentences())
