"""Define `kappamax kappa FILE`, which prints the agreement of the raters, one row per weighting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kappamax.cli.command import Option, command
from kappamax.cli.options import BENCHMARK, INPUT, INTERVAL, JSON, LEVEL, WEIGHTS
from kappamax.cli.runner import Finding, echo_rows, run
from kappamax.display import numbers

if TYPE_CHECKING:
    from kappamax.table import Table


@command(
    "kappamax kappa ratings.csv",
    "kappamax kappa ratings.csv --weights linear --categories none,mild,severe",
    Input=INPUT,
    Weights=WEIGHTS,
    Output=[
        LEVEL,
        INTERVAL,
        Option(
            "--inference SAMPLE",
            "What the standard error and the interval regard as a random sample: subjects, raters or both.",
            default="subjects",
            names="standard_errors.INFERENCES",
        ),
        BENCHMARK,
        JSON,
    ],
)
def kappa(level: float, interval: str, inference: str, benchmark: str | None, **options: Any) -> None:
    """Measure the agreement of the raters in FILE.

    The coefficient, its confidence interval and standard error, and the observed and expected agreement are printed for
    every weighting. If FILE is "-", standard input is read.
    """
    from kappamax.kappas import agreement

    fields: tuple[str, ...] = (
        *(
            "value",
            "exact",
            "observed_agreement",
            "expected_agreement",
            "se",
            "se_method",
            "ci",
            "ci_method",
            "inference",
        ),
    )
    header = ["value", f"{100 * level:g}% interval", "std. error", "observed", "expected"]
    measure: Callable[..., Any] = partial(agreement, level=level, interval=interval, inference=inference)
    if benchmark is not None:
        from kappamax._validate import as_choice
        from kappamax.benchmark_scales import SCALES

        as_choice("benchmark", benchmark, SCALES)
        measure, fields = partial(_on_scale, benchmark, measure), (*fields, "benchmark")
    run(
        options,
        measure,
        partial(echo_rows, header=header, row=_row, undefined=_undefined_row),
        fields=fields,
        known=partial(_known, level),
    )


def _on_scale(scale: str, measure: Callable[..., Any], table: Table, **weighting: Any) -> Finding:
    """Return the agreement with its place on a verbal scale, which is also one of its notes."""
    from kappamax.benchmark_scales import benchmark

    found = measure(table, **weighting)
    placed = benchmark(found, scale=scale)
    noted = replace(found, notes=(*found.notes, f"the value is {placed.in_words}"))
    return Finding(found.to_dict() | {"benchmark": placed.to_dict()}, noted)


def _row(finding: Finding) -> tuple[list[str], Iterable[str]]:
    found = finding.result
    value, se, observed, expected = numbers.decimals(
        found.value, found.se, found.observed_agreement, found.expected_agreement
    )
    return [value, numbers.interval(found.ci), se, observed, expected], found.notes


def _undefined_row(finding: Finding) -> list[str]:
    return ["undefined", "", "", numbers.decimal(finding.plain["observed_agreement"]), ""]


def _known(level: float, table: Table, **weighting: Any) -> dict[str, Any]:
    """Return the fields of the JSON that are known even if the coefficient is undefined."""
    from kappamax._result import plain
    from kappamax.coefficients import as_objective

    objective = as_objective(table, **weighting)
    return {
        "weights": objective.weights.name,
        "observed_agreement": 1 - float(objective.observed(objective.score)),
        "level": level,
        "n_subjects": plain(table.n_subjects),
        "n_clusters": None if table.clusters is None else table.clusters.n_clusters,
        "n_raters": table.n_raters,
        "n_categories": table.n_categories,
        "notes": list(objective.weights.notes),
    }
