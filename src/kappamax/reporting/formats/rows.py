"""A report in; its table of results as a header and rows of text out, for every layout."""

from __future__ import annotations

from kappamax.display import numbers, text
from kappamax.reporting.report import Report, WeightingReport

__all__ = ["margin_rows", "pair_rows", "result_rows"]


def result_rows(report: Report) -> tuple[list[str], list[list[str]]]:
    """One row per weighting."""
    interval = f"{100 * report.level:g}% interval"
    header = ["weights", "value", interval, "maximum", "minimum", "reached", "p-value", "tables"]
    return header, [_row(result) for result in report.results]


def margin_rows(report: Report) -> tuple[list[str], list[list[str]]]:
    """How often each rater used each category."""
    table = report.table
    rows = [
        [str(label), *(numbers.count(int(n)) for n in column)]
        for label, column in zip(table.categories, table.margins.T, strict=True)
    ]
    return ["category", *map(text.rater, table.raters)], rows


def pair_rows(report: Report) -> tuple[list[str], list[list[str]]]:
    """Every two raters' kappa."""
    assert report.pairs is not None
    rows = [
        [rater, *(_pair(value, i == j) for j, value in enumerate(row))]
        for i, (rater, row) in enumerate(zip(report.pairs.raters, report.pairs.values.tolist(), strict=True))
    ]
    return ["rater", *report.pairs.raters], rows


def _row(result: WeightingReport) -> list[str]:
    if result.agreement is None:
        return [result.weights, "undefined", *[""] * 6]
    row = [result.weights, numbers.decimal(result.agreement.value), numbers.interval(result.agreement.ci)]
    if result.maximum is None:
        row += ["", "", ""]
    else:
        most = result.maximum
        row += [
            _bounded(most.maximum, most.bound, most.proven, "<="),
            _bounded(most.minimum, most.minimum_bound, most.minimum_proven, ">="),
            "undefined" if most.ratio is None else numbers.percent(most.ratio),
        ]
    assert result.test is not None
    row.append(numbers.pvalue(result.test.pvalue) + ("" if result.test.se is None else "*"))
    count = result.n_maximizers
    row.append("" if count is None else numbers.count(count.n) if count.n is not None else f">= {count.at_least:,}")
    return row


def _bounded(value: float, bound: float, proven: bool, sign: str) -> str:
    return numbers.decimal(value) if proven else f"{numbers.decimal(value)} ({sign} {numbers.decimal(bound)})"


def _pair(value: float, same: bool) -> str:
    return "" if same else numbers.decimal(value)
