"""`kappamax plan`: how many subjects a study needs, one row per weighting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.completion import ALTERNATIVES, name_option
from kappamax.cli.input_options import (
    Reading,
    comma_list,
    measuring_options,
    notes_to_stderr,
    pilot_options,
    read_table,
)
from kappamax.cli.progress import progress_bar
from kappamax.cli.weightings import each_weighting

if TYPE_CHECKING:
    from kappamax.planning.sample_size import SampleSize
    from kappamax.table import Table

__all__ = ["plan"]


def _margins(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> list[list[Any]]:
    """Each --margins as a list of numbers; 1/3 is a number."""
    from fractions import Fraction

    rows: list[list[Any]] = []
    for text in texts:
        parts = comma_list(context, option, text) or []
        try:
            rows.append([Fraction(part) if "/" in part else float(part) for part in parts])
        except (ValueError, ZeroDivisionError):
            raise click.BadParameter(f"{text!r} is not a list of shares such as 0.5,0.3,0.2.") from None
    return rows


@click.command(short_help="How many subjects a study needs.")
@click.option(
    "--margins",
    multiple=True,
    callback=_margins,
    metavar="0.5,0.3,0.2",
    help="How often each category will be used; once for all raters, or once for each.",
)
@click.option("--kappa", type=float, metavar="K", help="The value you expect; with --table, the pilot's if left out.")
@click.option("--width", type=float, metavar="W", help="Goal: the interval's whole width, from end to end.")
@click.option("--level", type=float, default=0.95, show_default=True, metavar="L", help="Of the confidence interval.")
@click.option("--power", type=float, metavar="P", help="Goal: the chance to reject the value --null.")
@click.option("--null", type=float, metavar="K0", help="The value to test against.")
@name_option(
    "--alternative",
    among=ALTERNATIVES,
    metavar="A",
    help="greater (the coefficient is above --null), less or two-sided.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, metavar="A", help="The size of the test.")
@name_option(
    "--variance",
    among=("null", "estimate"),
    metavar="V",
    help="The test's standard error: null (that of the value --null) or estimate (the study's own).",
)
@name_option(
    "--joint",
    among=("mixture", "widest"),
    metavar="J",
    help="Which table with the margins and the value: mixture (chance and largest agreement) or widest.",
)
@measuring_options()
@click.option("--simulate", is_flag=True, help="Find the number from simulated studies instead of the formula.")
@click.option("--draws", type=int, metavar="N", help="Simulated studies, 0 for none. Default: up to 10,000.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Of the simulated studies.")
@click.option(
    "--jobs", type=int, default=1, show_default=True, metavar="N", help="Processes; the result does not depend on it."
)
@pilot_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def plan(
    reading: Reading,
    margins: list[list[Any]],
    weights: tuple[str, ...],
    simulate: bool,
    draws: int | None,
    seed: int | None,
    jobs: int,
    as_json: bool,
    **goal: Any,
) -> None:
    """How many subjects a study needs: for an interval of some width, or for a test of some power.

    Say what you expect: pilot ratings (--table), or how often each category will be used and how large kappa will be
    (--margins and --kappa). With --margins, --raters is the number of raters.
    """
    options: dict[str, Any] = goal | {"n_draws": draws, "rng": seed, "n_jobs": jobs}
    options["method"] = "simulation" if simulate else "formula"
    with notes_to_stderr():
        pilot = read_table(reading) if reading.file is not None else None
        if margins:
            options |= {"margins": margins, "categories": reading.categories, "n_raters": _n_raters(reading.raters)}
        found, _ = each_weighting(weights, lambda scheme: _planned(pilot, scheme, options))
    if as_json:
        from kappamax.reporting.formats.json import as_json as as_text
        from kappamax.reporting.formats.json import document

        content = document(pilot or found[0][1].table, [plain for plain, _ in found])
        if pilot is None:
            content["data"]["n_subjects"] = None  # nobody has been rated yet
        click.echo(as_text(content))
    else:
        _show([result for _, result in found])


def _n_raters(names: list[str] | None) -> int | None:
    """--raters beside --margins."""
    if names is None:
        return None
    if len(names) != 1 or not names[0].isdigit():
        raise click.BadParameter("with --margins it is the number of raters, such as 3.", param_hint="'--raters'")
    return int(names[0])


def _planned(pilot: Table | None, scheme: str, options: dict[str, Any]) -> tuple[dict[str, Any], SampleSize]:
    from kappamax.planning.sample_size import sample_size

    with progress_bar(f"{scheme} studies") as tell:
        result = sample_size(*([] if pilot is None else [pilot]), weights=scheme, progress=tell, **options)
    return result.to_dict(), result


def _show(found: list[SampleSize]) -> None:
    from kappamax.cli.output import echo_sentences, echo_table
    from kappamax.display import numbers

    first = found[0]
    by_width = first.width is not None
    header = ["weights", "subjects", "assumed", "maximum", "width" if by_width else "power", "simulated"]
    rows = []
    for result in found:
        formula = result.expected_width if by_width else result.expected_power
        studies = result.studies
        simulated = None if studies is None else (studies.mean_width if by_width else studies.power)
        rows.append(
            [
                result.weights,
                numbers.count(result.n_subjects),
                numbers.decimal(result.assumed),
                "" if result.maximum is None else numbers.decimal(result.maximum),
                numbers.decimal(formula),
                "" if simulated is None else numbers.decimal(simulated),
            ]
        )
    echo_table(f"Subjects needed, {first.title}", header, rows)
    for result in found:
        echo_sentences(result.sentences())
