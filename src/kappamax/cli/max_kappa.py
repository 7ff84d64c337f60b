"""Define `kappamax max FILE`, which prints the largest agreement that the margins allow."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kappamax._atomic_write import require_output
from kappamax.cli.command import Option, command
from kappamax.cli.options import INPUT, JSON, WEIGHTS
from kappamax.cli.runner import (
    Finding,
    Findings,
    echo_line,
    echo_pattern_table,
    echo_rows,
    inputs_of,
    progress_line,
    run,
)
from kappamax.display import numbers, text

if TYPE_CHECKING:
    from kappamax.margin_tests import MarginalHomogeneityTest
    from kappamax.maximum.maximum_result import Maximum
    from kappamax.table import Table

_MOST_SHOWN = 100
_FIELDS = (
    *("value", "maximum", "minimum", "ratio", "method", "proven", "proof", "bound"),
    *("exact_minimum", "minimum_method", "minimum_proven", "minimum_proof", "minimum_bound", "table", "minimum_table"),
)


@command(
    "kappamax max ratings.csv",
    "kappamax max ratings.csv --weights linear --minimum --count-tables",
    name="max",
    Input=INPUT,
    Weights=WEIGHTS,
    Limits=[
        Option(
            "--time-limit SECONDS",
            "Time limit for finding each maximum, minimum and number of tables, in seconds. If it is reached, the best "
            "table found and a bound are printed. Default: no limit.",
            type=float,
        )
    ],
    Output=[
        Option("--minimum", "Also find the minimum, and show a table that attains it."),
        Option("--count-tables", "Also count the tables that attain the maximum.", dest="counted"),
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
def maximum(certificate: Path | None, **options: Any) -> None:
    """Find the largest agreement that the margins of FILE allow.

    The column "reached" is the value divided by the maximum, and "proof" says how the maximum is proven. A table that
    attains the maximum is shown. Where the margins do not allow a value of 1, a note gives the p-value of a test of
    whether the raters use the categories differently at all. If FILE is "-", standard input is read.
    """
    asked = _Asked(*(options.pop(name) for name in _Asked._fields))
    if certificate is not None and len(options["weights"]) + (options["weights_matrix"] is not None) > 1:
        raise click.UsageError("--certificate takes only one weighting; got several.")
    if certificate is not None:
        require_output(certificate, inputs=inputs_of(options))

    def save(found: Findings) -> None:
        if certificate is not None and found[0].result is not None:
            found[0].result.save_certificate(certificate)
            echo_line(f"certificate written to {certificate}", err=True)

    run(
        options,
        partial(_measure, asked=asked),
        partial(_show, asked=asked),
        fields=_FIELDS,
        finish=save,
        about=_about_margins,
    )


class _Asked(NamedTuple):
    """What the options ask for beyond the maximum, and the time limit of each search."""

    time_limit: float | None
    minimum: bool
    counted: bool
    list_all: bool


def _measure(table: Table, *, asked: _Asked, **weighting: Any) -> Finding:
    """Return the maximum and, on request, the minimum, the number of tables that attain the maximum, and these."""
    from kappamax._result import plain
    from kappamax.maximum.max_kappa import max_kappa
    from kappamax.maximum.maximizers import count_maximizers

    with progress_line() as tell:
        result = max_kappa(table, time_limit=asked.time_limit, progress=tell, **weighting)
        if asked.minimum:
            result = result.with_minimum(time_limit=asked.time_limit, progress=tell)
        content = dict.fromkeys(_FIELDS) | result.to_dict()
        if asked.counted or asked.list_all:
            count = count_maximizers(result, time_limit=asked.time_limit)
            content["n_maximizers"] = plain(count.n)
            if count.n is None:
                content |= {"n_maximizers_at_least": count.at_least, "n_maximizers_reason": count.reason}
        if asked.list_all and _can_list(result):
            content["maximizers"] = [one.to_dict() for one in _maximizers(result)]
    return Finding(content, result)


def _show(table: Table, found: Findings, *, asked: _Asked) -> None:
    header = ["value", "maximum", *(["minimum"] if asked.minimum else []), "reached", "proof"]
    if asked.counted or asked.list_all:
        header.append("tables")
    echo_rows(table, found, header=header, row=partial(_row, asked=asked), notes=_margins_notes(table, found))
    for finding in found:
        result = finding.result
        if result is None:
            continue
        title, shown = f"A table that attains the maximum, {text.weighting(result.weights)}", [result.table]
        if asked.list_all and _can_list(result):
            shown = _maximizers(result)
            title = f"Table {{}} of {_n_maximizers(finding)} that attain the maximum, {text.weighting(result.weights)}"
        for number, one in enumerate(shown, start=1):
            echo_pattern_table(title.format(number), one)
        if asked.minimum and result.has_minimum and result.minimum_table is not None:
            title = f"A table that attains the minimum, {text.weighting(result.weights)}"
            echo_pattern_table(title, result.minimum_table)


def _row(finding: Finding, *, asked: _Asked) -> tuple[list[str], list[str]]:
    found, uncounted = finding.result, finding.plain.get("n_maximizers_reason")
    notes = []
    if found.ratio_reason is not None:
        notes.append(f"the ratio is undefined: {found.ratio_reason}")
    if uncounted:
        notes.append(f"the count of tables is only a lower bound: {uncounted}")
    if not found.proven:
        notes.append(f"the maximum is not proven; it is at most {numbers.decimal(found.bound)}")
    minimum = [found.minimum] if asked.minimum and found.has_minimum and found.minimum is not None else []
    values = numbers.decimals(found.value, found.maximum, *minimum)
    if asked.minimum and not minimum:
        values.append("not found")
    if asked.minimum and found.has_minimum and not found.minimum_proven:
        notes.append(f"the minimum is not proven; it is at least {numbers.decimal(found.minimum_bound)}")
    reached = "undefined" if found.ratio is None else numbers.share(found.value, found.ratio)
    row = [*values, reached, found.proof or "not proven"]
    return [*row, _n_maximizers(finding)] if asked.counted or asked.list_all else row, notes


_MARGINS_SEED = 0  # of random permutations, so that the same file gives the same output


@lru_cache(maxsize=1)
def _margins_test(table: Table) -> MarginalHomogeneityTest | None:
    """Return the test of whether the raters use the categories equally often, or None if the design is too large."""
    from kappamax.errors import NotSupportedError
    from kappamax.margin_tests import marginal_homogeneity

    try:
        return marginal_homogeneity(table, rng=_MARGINS_SEED)
    except NotSupportedError:
        return None


def _about_margins(table: Table) -> dict[str, Any]:
    """Return the test of the margins as a field of the JSON."""
    from kappamax._result import plain

    return {"marginal_homogeneity": plain(_margins_test(table))}


def _margins_notes(table: Table, found: Findings) -> list[str]:
    """Return the outcome of the test of the margins if they do not allow a value of 1."""
    from kappamax.reporting.sentences import is_capped, of_margins_test

    if not any(is_capped(finding.result) for finding in found) or (test := _margins_test(table)) is None:
        return []
    return [of_margins_test(test)]


def _n_maximizers(finding: Finding) -> str:
    """Return the number of tables that attain the maximum, or a lower bound for it, as text."""
    n = finding.plain.get("n_maximizers")
    return f">= {finding.plain.get('n_maximizers_at_least', 1)}" if n is None else str(n)


def _can_list(result: Maximum) -> bool:
    return result.proven and result.objective.fixed_chance


def _maximizers(result: Maximum) -> list[Table]:
    from kappamax.maximum.maximizers import iter_maximizers

    return list(islice(iter_maximizers(result), _MOST_SHOWN))
