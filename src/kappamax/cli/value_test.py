"""Test a coefficient against a value or a range of values for `kappamax test --null` and `--equivalence`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from kappamax.cli.runner import Finding, Findings, coefficient_names, echo_rows, run
from kappamax.display import numbers

if TYPE_CHECKING:
    from kappamax.table import Table
    from kappamax.weights import Weights

_VALUE_FIELDS = ("value", "null", "alternative", "statistic", "pvalue", "se", "method", "df", "n_draws")
_RANGE_FIELDS = ("value", "low", "high", "pvalue", "above", "below")
_CLAIMS = {"greater": "is above", "less": "is below", "two-sided": "differs from"}


def run_value_test(options: dict[str, Any], null: float, alternative: str, **settings: Any) -> None:
    """Test every weighting against a value and print the results."""
    settings |= {"null": null, "alternative": alternative}
    show = partial(_show_value_tests, null=null)
    run(options, partial(_measure, "value_test", **settings), show, fields=_VALUE_FIELDS)


def run_equivalence_test(options: dict[str, Any], low: Any, high: Any, **settings: Any) -> None:
    """Test whether the coefficient of every weighting lies between two values and print the results."""
    settings |= {"low": low, "high": high}
    show = partial(_show_equivalence_tests, low=float(low), high=float(high))
    run(options, partial(_measure, "equivalence_test", **settings), show, fields=_RANGE_FIELDS)


def _measure(test: str, table: Table, *, weights: str | Weights, coefficient: str, **settings: Any) -> Finding:
    from kappamax import coefficient_tests
    from kappamax.coefficients import as_objective

    objective = as_objective(table, weights=weights, coefficient=coefficient)
    result = getattr(coefficient_tests, test)(objective, **settings)
    names = coefficient_names(objective) | {"weights": objective.weights.name}
    return Finding(names | result.to_dict(), result)


def _show_value_tests(table: Table, found: Findings, *, null: float) -> None:
    tests = [one.result for one in found if one.result is not None]
    notes = [f"A small p-value shows that the coefficient {_CLAIMS[tests[0].alternative]} {null:g}."] if tests else []
    echo_rows(
        table,
        found,
        title=f"Test of {{title}} against {null:g}",
        header=["value", "statistic", "p-value", "std. error", "method"],
        row=_value_row,
        notes=notes,
    )


def _value_row(finding: Finding) -> tuple[list[str], list[str]]:
    test = finding.result
    shown = numbers.decimals(test.value, test.statistic, test.se)
    pvalue = numbers.pvalue(test.pvalue, at_most=test.at_most)
    return [*shown[:2], pvalue, shown[2], test.method], [test.reason] if test.reason else []


def _show_equivalence_tests(table: Table, found: Findings, *, low: float, high: float) -> None:
    echo_rows(
        table,
        found,
        title=f"Test whether {{title}} lies between {low:g} and {high:g}",
        header=["value", "p-value", f"above {low:g}", f"below {high:g}", "method"],
        row=_equivalence_row,
        notes=[
            f"A small p-value shows that the coefficient lies between {low:g} and {high:g}.",
            "It is the larger one of the p-values of two one-sided tests.",
        ],
    )


def _equivalence_row(finding: Finding) -> tuple[list[str], list[str]]:
    test = finding.result
    pvalues = [numbers.pvalue(one.pvalue, at_most=one.at_most) for one in (test, test.above, test.below)]
    return [numbers.decimal(test.value), *pvalues, test.above.method], test.reasons
