"""Define `kappamax max FILE`, which prints the largest and smallest agreement that the margins allow."""

from __future__ import annotations

from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.command import Option, command
from kappamax.cli.options import INPUT, JSON, WEIGHTS
from kappamax.cli.runner import Finding, Findings, echo_pattern_table, echo_rows, progress_line, run
from kappamax.display import numbers, text

if TYPE_CHECKING:
    from kappamax.maximum.max_kappa import Maximum
    from kappamax.table import Table

_MOST_SHOWN = 100
_FIELDS = (
    *("value", "maximum", "minimum", "ratio", "method", "proven", "proof", "bound"),
    *("n_maximizers", "minimum_method", "minimum_proven", "minimum_proof", "minimum_bound", "table", "minimum_table"),
)


@command(
    "kappamax max ratings.csv",
    "kappamax max ratings.csv --weights linear --categories none,mild,severe --all",
    name="max",
    Input=INPUT,
    Weights=WEIGHTS,
    Limits=[
        Option(
            "--time-limit SECONDS",
            "Time limit for finding each maximum and minimum, in seconds. If it is reached, the best table found and a "
            "bound are printed. Default: no limit.",
            type=float,
        )
    ],
    Output=[
        Option("--minimum", "Also show a table that attains the minimum."),
        Option(
            "--all",
            f"Show all tables that attain a proven maximum, up to {_MOST_SHOWN}, instead of one.",
            dest="list_all",
        ),
        Option(
            "--certificate FILE",
            "Write a proof to FILE, which `kappamax verify` can check. Only one weighting may be given. Default: no "
            "proof is written.",
            type=click.Path(path_type=Path),
        ),
        JSON,
    ],
)
def maximum(time_limit: float | None, minimum: bool, list_all: bool, certificate: Path | None, **options: Any) -> None:
    """Find the largest agreement that the margins of FILE allow.

    The smallest agreement is found as well. The column "reached" is the value divided by the maximum, "proof" says how
    the maximum is proven, and "tables" is the number of tables that attain it, one of which is shown. If FILE is "-",
    standard input is read.
    """
    if certificate is not None and len(options["weights"]) + (options["weights_matrix"] is not None) > 1:
        raise click.UsageError("--certificate takes only one weighting; got several.")

    def save(found: Findings) -> None:
        if certificate is not None and found[0].result is not None:
            found[0].result.save_certificate(certificate)
            click.echo(f"certificate written to {certificate}", err=True)

    measure = partial(_measure, time_limit=time_limit, list_all=list_all)
    run(options, measure, partial(_show, minimum=minimum, list_all=list_all), fields=_FIELDS, finish=save)


def _measure(table: Table, *, time_limit: float | None, list_all: bool, **weighting: Any) -> Finding:
    """Return the maximum and minimum, the number of tables that attain the maximum, and these tables on request."""
    from kappamax._result import plain
    from kappamax.maximum.max_kappa import max_kappa
    from kappamax.maximum.maximizers import count_maximizers

    with progress_line() as tell:
        result = max_kappa(table, time_limit=time_limit, progress=tell, **weighting)
        count = count_maximizers(result)
        content = result.to_dict() | {"n_maximizers": plain(count.n)}
        if count.n is None:
            content |= {"n_maximizers_at_least": count.at_least, "n_maximizers_reason": count.reason}
        if list_all and _can_list(result):
            content["maximizers"] = [one.to_dict() for one in _maximizers(result)]
    return Finding(content, result)


def _show(table: Table, found: Findings, *, minimum: bool, list_all: bool) -> None:
    header = ["value", "maximum", "minimum", "reached", "proof", "tables"]
    echo_rows(table, found, header=header, row=_row)
    for finding in found:
        result = finding.result
        if result is None:
            continue
        title, shown = f"A table that attains the maximum, {text.weighting(result.weights)}", [result.table]
        if list_all and _can_list(result):
            shown = _maximizers(result)
            title = f"Table {{}} of {_n_maximizers(finding)} that attain the maximum, {text.weighting(result.weights)}"
        for number, one in enumerate(shown, start=1):
            echo_pattern_table(title.format(number), one)
        if minimum:
            title = f"A table that attains the minimum, {text.weighting(result.weights)}"
            echo_pattern_table(title, result.minimum_table)


def _row(finding: Finding) -> tuple[list[str], list[str]]:
    found, uncounted = finding.result, finding.plain.get("n_maximizers_reason")
    notes = []
    if found.ratio_reason is not None:
        notes.append(f"the ratio is undefined: {found.ratio_reason}")
    if uncounted:
        notes.append(f"the count of tables is only a lower bound: {uncounted}")
    if not found.proven:
        notes.append(f"the maximum is not proven; it is at most {numbers.decimal(found.bound)}")
    if not found.minimum_proven:
        notes.append(f"the minimum is not proven; it is at least {numbers.decimal(found.minimum_bound)}")
    reached = "undefined" if found.ratio is None else numbers.share(found.value, found.ratio)
    values = numbers.decimals(found.value, found.maximum, found.minimum)
    return [*values, reached, found.proof or "not proven", _n_maximizers(finding)], notes


def _n_maximizers(finding: Finding) -> str:
    """Return the number of tables that attain the maximum, or a lower bound for it, as text."""
    n = finding.plain.get("n_maximizers")
    return f">= {finding.plain.get('n_maximizers_at_least', 1)}" if n is None else str(n)


def _can_list(result: Maximum) -> bool:
    return result.proven and result.objective.fixed_chance


def _maximizers(result: Maximum) -> list[Table]:
    from kappamax.maximum.maximizers import iter_maximizers

    return list(islice(iter_maximizers(result), _MOST_SHOWN))
