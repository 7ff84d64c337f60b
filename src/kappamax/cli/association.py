"""Define `kappamax association FILE`, which estimates the association of the raters given their margins."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.command import Option, command
from kappamax.cli.options import INPUT, JSON, LEVEL, MEMORY, WEIGHTS, alternative
from kappamax.cli.runner import Finding, Findings, echo_rows, name_of, progress_bar, run
from kappamax.display import numbers, text

if TYPE_CHECKING:
    from kappamax.fibers.exact_association import ExactAssociation
    from kappamax.table import Table
    from kappamax.weights import Weights

_FIELDS = (
    *("value", "theta", "ci", "level", "end", "value_ci", "null", "pvalue", "alternative", "two_sided", "mid_p"),
    *("odds_ratio", "odds_ratio_ci"),
)


@command(
    "kappamax association ratings.csv",
    "kappamax association ratings.csv -w quadratic --alternative two-sided",
    Input=INPUT,
    Weights=WEIGHTS,
    Interval=[
        LEVEL,
        Option(
            "--mid-p",
            "Count the probability of the observed agreement half, in the interval and in the p-value. The interval "
            "is shorter, but its coverage may be below the confidence level.",
        ),
    ],
    Test=[
        Option("--null NUMBER", "Value of theta under the null hypothesis.", type=float, default=0.0),
        alternative("theta is greater than its value under the null hypothesis"),
        Option(
            "--two-sided NAME",
            "Definition of the two-sided p-value: distance (all values at least as far from the mean as the observed "
            "one), probability (all values no more probable than the observed one, as in R's fisher.test) or tails "
            "(twice the smaller one-sided p-value, which agrees with the interval).",
            default="distance",
            names="fibers.score_tilting.TWO_SIDED",
        ),
    ],
    Limits=[
        MEMORY,
        Option(
            "--work-limit N",
            "Largest number of additions for computing the exact distribution. The default takes about a minute.",
            type=click.FloatRange(min=0, min_open=True),
            default=2e10,
        ),
    ],
    Output=[JSON],
)
def association(memory_limit: float, work_limit: float, **options: Any) -> None:
    """Estimate the association of the raters given their margins.

    The model is p_ij ~ a_i b_j exp(theta w_ij), where w_ij is the agreement of two categories. The estimate, the
    interval and the test of theta are exact and conditional on the margins of FILE and on the set of raters of each
    subject. For two raters and two categories the odds ratio is given as well. If FILE is "-", standard input is read.
    """
    settings = {name: options.pop(name) for name in ("level", "mid_p", "null", "alternative", "two_sided")}
    settings |= {"memory_limit": 1e9 * memory_limit, "work_limit": work_limit}
    run(options, partial(_measure, **settings), _show, fields=_FIELDS, known=_known)


def _measure(table: Table, *, weights: str | Weights, **settings: Any) -> ExactAssociation:
    from kappamax.fibers.exact_association import exact_association

    with progress_bar(f"{name_of(weights)} association") as tell:
        return exact_association(table, weights=weights, progress=tell, **settings)


def _known(table: Table, **weighting: Any) -> dict[str, Any]:
    """Return the value of the coefficient, which may be known where theta is not identified."""
    from kappamax.coefficients import as_objective
    from kappamax.errors import UndefinedKappaError

    objective = as_objective(table, **weighting)
    try:
        return {"value": objective.value(objective.score)}
    except UndefinedKappaError:
        return {}


def _show(table: Table, found: Findings) -> None:
    results = [one.result for one in found if one.result is not None]
    interval, notes = "interval", []
    if results:
        one = results[0]
        interval = f"{100 * one.level:g}% {'mid-p ' if one.mid_p else ''}interval"
        by = f", by {one.two_sided}" if one.two_sided else ""
        notes = [
            "Theta is 0 if the raters rate independently of each other.",
            f"The mean value is the mean of {one.title} at both ends of the interval.",
            f"The p-value is that of theta = {one.null:g}; the alternative is {one.alternative}{by}.",
        ]
    echo_rows(
        table,
        found,
        title=f"Association behind {{title}}, given {text.limits(table.complete)}",
        header=["value", "theta", interval, "mean value", "p-value"],
        row=_row,
        undefined=lambda finding: [numbers.decimal(finding.plain["value"]), "undefined", "", "", ""],
        notes=notes,
    )


def _row(finding: Finding) -> tuple[list[str], list[str]]:
    found: ExactAssociation = finding.result
    notes = [] if found.end_sentence is None else [found.end_sentence]
    if found.odds_ratio is not None:
        shown = f"{numbers.decimal(found.odds_ratio)}, interval {numbers.interval(found.odds_ratio_ci)}"
        notes.append(f"the odds ratio is {shown}")
    cells = [
        *numbers.decimals(found.value, found.theta),
        numbers.interval(found.ci),
        numbers.interval(found.value_ci),
        numbers.pvalue(found.pvalue),
    ]
    return cells, notes
