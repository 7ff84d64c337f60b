"""Write the results of a report as a table in CSV, LaTeX or Markdown, and a report to a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kappamax._atomic_write import write_whole
from kappamax._checks import reports as checks
from kappamax.display.tables import csv_table, latex_table, markdown_table
from kappamax.reporting.formats.rows import result_rows
from kappamax.reporting.report import Report, WeightingReport

__all__ = [
    "CSV_COLUMNS",
    "csv_of",
    "latex_of",
    "markdown_of",
    "plain_row",
    "write_report",
]

CSV_COLUMNS = (
    *("group", "n_subjects", "n_raters", "n_categories", "n_missing", "weights", "value", "ci_low", "ci_high", "se"),
    *("maximum", "maximum_proven", "maximum_bound", "minimum", "ratio", "pvalue", "test", "n_maximizers", "error"),
)


def csv_of(reports: Sequence[tuple[str, Report]]) -> str:
    """One row per group and weighting, unrounded."""
    rows = [plain_row(group, report, result) for group, report in reports for result in report.results]
    return csv_table(CSV_COLUMNS, [list(row.values()) for row in rows])


def plain_row(group: str, report: Report, result: WeightingReport) -> dict[str, Any]:
    """One weighting of one group as a row."""
    table, measured, most, count = report.table, result.agreement, result.maximum, result.n_maximizers
    low, high = measured.ci if measured is not None and measured.ci is not None else (None, None)
    return {
        "group": group,
        "n_subjects": table.n_subjects,
        "n_raters": table.n_raters,
        "n_categories": table.n_categories,
        "n_missing": table.n_missing,
        "weights": result.weights,
        "value": None if measured is None else measured.value,
        "ci_low": low,
        "ci_high": high,
        "se": None if measured is None else measured.se,
        "maximum": None if most is None else most.maximum,
        "maximum_proven": None if most is None else most.proven,
        "maximum_bound": None if most is None else most.bound,
        "minimum": None if most is None else most.minimum,
        "ratio": None if most is None else most.ratio,
        "pvalue": None if result.test is None else result.test.pvalue,
        "test": None if result.test is None else result.test.method,
        "n_maximizers": None if count is None else count.n,
        "error": result.reason or result.maximum_reason,
    }


def markdown_of(report: Report) -> str:
    """The table of results in Markdown."""
    return markdown_table(*result_rows(report))


def latex_of(report: Report) -> str:
    """The table of results in LaTeX (package booktabs)."""
    caption = f"{report.coefficient} of {report.table.n_raters} raters on {report.table.n_subjects} subjects."
    return latex_table(*result_rows(report), caption=caption)


def write_report(report: Report, path: Path) -> None:
    """The report in the form that the ending of the file's name says."""
    made = {
        ".html": report.to_html,
        ".htm": report.to_html,
        ".json": report.to_json,
        ".csv": report.to_csv,
        ".tex": report.to_latex,
        ".md": report.to_markdown,
        ".txt": report.to_text,
    }
    write_whole(path, made[checks.ending(path, tuple(made))]())
