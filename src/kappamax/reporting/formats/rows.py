"""Arrange the numbers of a report in headers and rows, which the formats write as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from kappamax.display import numbers, text
from kappamax.rater_pairs import interval_text
from kappamax.reporting.formats.json import data_of

if TYPE_CHECKING:
    from kappamax.reporting.report_results import Report, WeightingReport

_RATERS_LISTED = 30  # raters whose pairs are listed with intervals

CSV_COLUMNS = (
    *("group", "n_subjects", "n_raters", "n_categories", "n_missing", "weights", "value", "ci_low", "ci_high", "se"),
    *("maximum", "maximum_proven", "maximum_bound", "minimum", "ratio", "pvalue", "pvalue_at_most"),
    *("test", "n_draws", "n_maximizers", "margins_test", "margins_pvalue", "error"),
    *("file", "layout", "raters", "categories", "ordered", "n_incomplete", "n_left_out", "missing_as"),
    *("columns_left_out", "notes", "n_clusters", "cluster"),
)


def result_rows(report: Report) -> tuple[list[str], list[list[str]]]:
    """Return the header and one row of rounded numbers per weighting."""
    interval = f"{100 * report.level:g}% interval"
    header = ["weights", "value", interval, "maximum", "minimum", "reached", "p-value", "tables"]
    return header, [_row(result) for result in report.results]


def draws_explained(n_draws: Sequence[int | None]) -> str:
    """Return what the mark * of p-values means, given the number of random tables of each test; empty if all are exact.

    An upper bound on a p-value, such as "<= 0.0004", means that none of the random tables was as extreme.
    """
    drawn = sorted({n for n in n_draws if n is not None})
    if not drawn:
        return ""
    most = numbers.count(drawn[-1])
    between = most if len(drawn) == 1 else f"{numbers.count(drawn[0])} to {most}"
    return f"* marks Monte Carlo estimates from {between} random tables"


def columns_explained(report: Report) -> str:
    """Return the explanation of the columns "reached" and "tables" of `result_rows`."""
    said = (
        'The column "reached" is the value divided by the maximum, and "tables" is the number of tables that attain '
        "the maximum."
    )
    if any(result.agreement is not None and result.agreement.value < 0 for result in report.results):
        said += ' For a negative value, which is not a share of the maximum, "reached" is "-".'
    return said


def margin_rows(report: Report) -> tuple[list[str], list[list[str]]]:
    """Return the header and one row per category, with the number of times each rater used it."""
    table = report.table
    rows = [
        [str(label), *(numbers.count(int(n)) for n in column)]
        for label, column in zip(table.categories, table.margins.T, strict=True)
    ]
    return ["category", *map(text.rater, table.raters)], rows


def pair_rows(report: Report, longest_name: int | None = None) -> tuple[list[str], list[list[str]]]:
    """Return the header and one row per pair of raters, with its kappa, its interval and the number of subjects.

    For more than 30 raters, there is one row per rater with the kappas of its pairs, because a list would be too long.
    In a list, names of raters that are longer than `longest_name` are shortened.
    """
    pairs = report.pairs
    assert pairs is not None
    if len(pairs.raters) > _RATERS_LISTED:
        rows = [
            [rater, *("" if i == j else numbers.decimal(value) for j, value in enumerate(row))]
            for i, (rater, row) in enumerate(zip(pairs.raters, pairs.values.tolist(), strict=True))
        ]
        return ["rater", *pairs.raters], rows
    names = [text.rater(name) for name in pairs.raters]
    if longest_name is not None:
        names = text.labels(names, longest_name)
    rows = [
        [
            " and ".join(names[rater] for rater in pair),
            numbers.decimal(pairs.values[pair]),
            interval_text(pairs.ci[pair]),
            numbers.count(pairs.n_subjects[pair]),
        ]
        for pair in combinations(range(len(pairs.raters)), 2)
    ]
    return ["raters", "kappa", f"{100 * pairs.level:g}% interval", "subjects"], rows


def csv_row(group: str, report: Report, result: WeightingReport) -> dict[str, Any]:
    """Return the unrounded results of one weighting by the names in `CSV_COLUMNS`; unknown values are None."""
    table, agreement, most, test = report.table, result.agreement, result.maximum, result.test
    row: dict[str, Any] = dict.fromkeys(CSV_COLUMNS) | {"group": group, "weights": result.weights}
    row |= {name: value for name, value in data_of(table).items() if name in row}
    row |= {name: getattr(table, name) for name in row if name.startswith("n_") and hasattr(table, name)}
    row["notes"] = list(report.notes)
    row["error"] = result.reason or result.maximum_reason
    if agreement is not None:
        row |= {"value": agreement.value, "se": agreement.se}
        row["ci_low"], row["ci_high"] = agreement.ci or (None, None)
    if most is not None:
        row |= {"maximum": most.maximum, "maximum_proven": most.proven, "maximum_bound": most.bound}
        row |= {"minimum": most.minimum, "ratio": most.ratio}
    if test is not None:
        row |= {"pvalue": test.pvalue, "pvalue_at_most": test.at_most, "test": test.method, "n_draws": test.n_draws}
    if result.n_maximizers is not None:
        row["n_maximizers"] = result.n_maximizers.n
    if report.marginal_homogeneity is not None:
        row["margins_test"] = report.marginal_homogeneity.method
        row["margins_pvalue"] = report.marginal_homogeneity.pvalue
    return row


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the columns of rows with the names in `CSV_COLUMNS`; lists and mappings are written as text."""
    return {name: [_as_cell(name, row[name]) for row in rows] for name in CSV_COLUMNS}


def _as_cell(name: str, value: Any) -> Any:
    """Return an entry of a row as a number or text."""
    if name == "notes" and value is not None:
        return " ".join(value)
    if name == "missing_as" and value is not None:
        return "; ".join(f"{said or 'empty'}: {n}" for said, n in value.items())
    return "; ".join(map(str, value)) if isinstance(value, list | dict) else value


def _row(result: WeightingReport) -> list[str]:
    """Return the rounded results of one weighting."""
    if result.agreement is None:
        return [result.weights, "undefined", *[""] * 6]
    row = [result.weights, numbers.decimal(result.agreement.value), numbers.interval(result.agreement.ci)]
    if result.maximum is None:
        row += [""] * 3
    else:
        most = result.maximum
        row += [
            _bounded(most.maximum, most.bound, most.proven, "<="),
            _bounded(most.minimum, most.minimum_bound, most.minimum_proven, ">="),
            "undefined" if most.ratio is None else numbers.share(most.value, most.ratio),
        ]
    test, count = result.test, result.n_maximizers
    row.append("" if test is None else test.pvalue_text + ("" if test.se is None else "*"))
    row.append("" if count is None else numbers.count(count.n) if count.n is not None else f">= {count.at_least:,}")
    return row


def _bounded(value: float | None, bound: float, proven: bool, sign: str) -> str:
    """Return an extreme value, with its bound if it is not proven."""
    if value is None:
        return f"{sign} {numbers.decimal(bound)}"
    return numbers.decimal(value) if proven else f"{numbers.decimal(value)} ({sign} {numbers.decimal(bound)})"
