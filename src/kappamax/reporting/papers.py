"""Reports in; CSV, LaTeX and Markdown tables out, and files written whole or not at all."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from kappamax._checks import reports as checks
from kappamax._writing import write_whole
from kappamax.reporting.analysis import Report, WeightingReport
from kappamax.reporting.rows import result_rows

__all__ = [
    "CSV_COLUMNS",
    "csv_of",
    "latex_of",
    "latex_table",
    "markdown_of",
    "markdown_table",
    "plain_row",
    "write_report",
]

CSV_COLUMNS = (
    *("group", "n_subjects", "n_raters", "n_categories", "n_missing", "weights", "value", "ci_low", "ci_high", "se"),
    *("maximum", "maximum_proven", "maximum_bound", "minimum", "ratio", "pvalue", "test", "n_maximizers", "error"),
)
_NUMBER = re.compile(r"(?:[-<>=~ ]*\d[\d,.% *to-]*)?$")
_SPECIAL = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def csv_of(reports: Sequence[tuple[str, Report]]) -> str:
    """One row per group and weighting, unrounded."""
    out = StringIO()
    writer = csv.DictWriter(out, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for group, report in reports:
        for result in report.results:
            writer.writerow(plain_row(group, report, result))
    return out.getvalue()


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


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows as a Markdown table, columns of numbers to the right."""
    columns = list(zip(*rows, strict=True))
    rules = ["---:" if column and all(_NUMBER.match(cell) for cell in column) else "---" for column in columns]
    lines = [header, rules or ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def latex_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str) -> str:
    """Rows as a LaTeX table with booktabs rules."""
    body = "\n".join(" & ".join(map(_escaped, row)) + r" \\" for row in rows)
    return (
        "\\begin{table}\n\\centering\n"
        f"\\caption{{{_escaped(caption)}}}\n\\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}\n\\toprule\n"
        f"{' & '.join(map(_escaped, header))} \\\\\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
    )


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


def _escaped(words: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in words)
