"""Define `kappamax test FILE`, which tests whether the raters agree more than expected by chance."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from kappamax.cli.command import Option, command
from kappamax.cli.options import INPUT, JSON, MEMORY, WEIGHTS, alternative, jobs, seed
from kappamax.cli.runner import Finding, Findings, echo_rows, name_of, progress_bar, run
from kappamax.display import numbers, text

if TYPE_CHECKING:
    from kappamax.fibers.exact_test import ExactTest
    from kappamax.table import Table
    from kappamax.weights import Weights

_FIELDS = ("value", "pvalue", "alternative", "method", "se", "n_draws", "at_most", "two_sided", "null_mean")
_EXTREME_VALUES = {
    "greater": "The p-value counts values at least as large as the observed one.",
    "less": "The p-value counts values at most as large as the observed one.",
    "distance": "The p-value counts values at least as far from the mean as the observed one.",
    "probability": "The p-value counts values no more probable than the observed one.",
}


@command(
    "kappamax test ratings.csv",
    "kappamax test ratings.csv --alternative two-sided --method exact",
    Input=INPUT,
    Weights=WEIGHTS,
    Test=[
        alternative(),
        Option(
            "--two-sided NAME",
            "Definition of the two-sided p-value: distance (all values at least as far from the mean as the observed "
            "one) or probability (all values no more probable than the observed one, as in R's fisher.test).",
            default="distance",
            names="fibers.distribution.TWO_SIDED",
        ),
        Option(
            "--method NAME",
            "Method of the test: exact, monte-carlo, or auto (exact if this takes at most a few seconds and fits "
            "into memory, otherwise monte-carlo).",
            default="auto",
            names="fibers.null_distribution.METHODS",
        ),
        Option(
            "--draws N",
            "Number of random tables of a Monte Carlo test. Default: between 2,000 and 100,000, fewer for larger data.",
            type=int,
        ),
        seed("the random tables", default=0),
    ],
    Limits=[MEMORY, jobs()],
    Output=[JSON],
)
def test(draws: int | None, seed: int | None, memory_limit: float, jobs: int, **options: Any) -> None:
    """Test whether the raters agree more than expected by chance.

    The test is conditional on the margins of FILE and on the set of raters of each subject. If FILE is "-", standard
    input is read.
    """
    settings = {name: options.pop(name) for name in ("alternative", "two_sided", "method")}
    settings |= {"n_draws": draws, "n_jobs": jobs, "rng": seed, "memory_limit": 1e9 * memory_limit}
    run(options, partial(_measure, **settings), _show, fields=_FIELDS)


def _measure(table: Table, *, weights: str | Weights, **settings: Any) -> ExactTest:
    from kappamax.fibers.exact_test import exact_test

    with progress_bar(f"{name_of(weights)} test") as tell:
        return exact_test(table, weights=weights, progress=tell, **settings)


def _show(table: Table, found: Findings) -> None:
    used = {one.result.two_sided or one.result.alternative for one in found if one.result is not None}
    echo_rows(
        table,
        found,
        title=f"Test of {{title}} against chance, given {text.limits(table.complete)}",
        header=["value", "mean by chance", "p-value", "std. error", "method"],
        row=_row,
        notes=[sentence for name, sentence in _EXTREME_VALUES.items() if name in used],
    )


def _row(finding: Finding) -> tuple[list[str], list[str]]:
    found, notes = finding.result, []
    if found.n_draws is not None:
        why = f" ({found.reason.split('. ')[0].rstrip('.')})" if found.reason else ""
        kind = "weighted random tables" if found.method == "importance-sampling" else "random tables"
        notes.append(f"{numbers.count(found.n_draws)} {kind}{why}")
    se = "" if found.se is None else f"{found.se:.1g}"
    return [*numbers.decimals(found.value, found.null_mean), found.pvalue_text, se, found.method], notes
