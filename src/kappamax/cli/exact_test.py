"""Define `kappamax test FILE`, which tests agreement against chance, against a value or against a range of values."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kappamax.cli.command import Option, command
from kappamax.cli.options import INPUT, JSON, MEMORY, WEIGHTS, alternative, as_numbers, jobs, seed
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
#: options that only the test against chance has
_CHANCE_ONLY = ("two_sided", "method", "memory_limit", "jobs")


def _as_range(_context: click.Context, _option: click.Parameter, text: str | None) -> list[Any] | None:
    """Return --equivalence as its two ends."""
    if text is None:
        return None
    ends = as_numbers(text, "two values such as 0.6,0.9")
    if len(ends) != 2:
        raise click.BadParameter(f"{text!r} is not a list of two values such as 0.6,0.9.")
    return ends


@command(
    "kappamax test ratings.csv",
    "kappamax test ratings.csv --null 0.6 --alternative two-sided",
    Input=INPUT,
    Weights=WEIGHTS,
    Test=[
        alternative("more agreement than expected by chance, or a coefficient above --null"),
        Option(
            "--null VALUE",
            "Value against which the coefficient is tested. Default: an exact or Monte Carlo test against chance.",
            type=float,
        ),
        Option(
            "--equivalence LOW,HIGH",
            "Test whether the coefficient lies between these values, by two one-sided tests. Default: no such test.",
            callback=_as_range,
        ),
        Option(
            "--variance NAME",
            "Method of a test with --null or --equivalence: simulation (of studies with the tested value), or a "
            "standard error: null (at the tested value), estimate (from the ratings), or a method such as jackknife. "
            "With auto, simulation for up to 1,000 subjects, and otherwise null, unless ratings are missing or too "
            "many patterns are possible.",
            default="auto",
            names="coefficient_tests.METHODS",
        ),
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
            "Number of random tables of a Monte Carlo test, or of simulated studies with --null. Default: between "
            "2,000 and 100,000, fewer for larger data; 10,000 studies with --null.",
            type=int,
        ),
        seed("the random tables", default=0),
    ],
    Limits=[MEMORY, jobs()],
    Output=[JSON],
)
def test(
    null: float | None,
    equivalence: list[Any] | None,
    variance: str,
    draws: int | None,
    seed: int | None,
    memory_limit: float,
    jobs: int,
    **options: Any,
) -> None:
    """Test agreement against chance or against a value.

    The test against chance is conditional on the margins of FILE and on the set of raters of each subject. With --null
    or --equivalence, the coefficient is tested against a value or a range of values. If FILE is "-", standard input is
    read.
    """
    _require_one_test(null, equivalence)
    if null is not None or equivalence is not None:
        from kappamax.cli.value_test import run_equivalence_test, run_value_test

        settings: dict[str, Any] = {"method": variance, "rng": seed} | ({} if draws is None else {"n_draws": draws})
        if null is not None:
            run_value_test(options, null, options["alternative"], **settings)
        elif equivalence is not None:
            low, high = equivalence
            run_equivalence_test(options, low, high, **settings)
        return
    settings = {name: options.pop(name) for name in ("alternative", "two_sided", "method")}
    settings |= {"n_draws": draws, "n_jobs": jobs, "rng": seed, "memory_limit": 1e9 * memory_limit}
    run(options, partial(_measure, **settings), _show, fields=_FIELDS)


def _require_one_test(null: float | None, equivalence: list[Any] | None) -> None:
    """Require that all options that were given belong to the same test."""
    if null is not None and equivalence is not None:
        raise click.UsageError("--null and --equivalence exclude each other.")
    chosen = "--null" if null is not None else "--equivalence" if equivalence is not None else None
    excluded = {None: ("variance",), "--null": _CHANCE_ONLY, "--equivalence": (*_CHANCE_ONLY, "alternative")}[chosen]
    context = click.get_current_context()
    for name in excluded:
        if context.get_parameter_source(name) not in (ParameterSource.DEFAULT, None):
            option = f"--{name.replace('_', '-')}"
            needed = "needs --null or --equivalence" if chosen is None else f"has no meaning with {chosen}"
            raise click.UsageError(f"{option} {needed}.")


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
