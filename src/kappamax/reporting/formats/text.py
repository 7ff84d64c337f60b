"""Write a report as plain text of at most 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from kappamax.display import text
from kappamax.reporting.figures_svg import MARGINS_TITLE, pairs_title
from kappamax.reporting.formats.retest import retest_rows, retest_sentences, retest_title
from kappamax.reporting.formats.rows import columns_explained, draws_explained, margin_rows, pair_rows, result_rows
from kappamax.reporting.sentences import of_data

if TYPE_CHECKING:
    from kappamax.reporting.report_results import Report

_LINE_WIDTH = 78
_RATERS_SHOWN = 8
_LONGEST_NAME = 16  # with which the table of pairs fits


def text_of(report: Report) -> str:
    """Return the report as plain text."""
    table = report.table
    title = text.printable(report.title)
    lines = [title, "=" * text.width(title), ""]
    for said in of_data(table, 12):
        lines += _paragraph(said)
    for note in report.notes:
        lines += _paragraph(f"Note: {note}")
    lines += ["", MARGINS_TITLE, ""]
    header, rows = margin_rows(report)
    if len(table.raters) > _RATERS_SHOWN:
        header, rows = [*header[: _RATERS_SHOWN + 1], "..."], [[*row[: _RATERS_SHOWN + 1], "..."] for row in rows]
    lines += _indented(text.columns(header, rows))
    lines += ["", report.coefficient, ""]
    lines += text.columns(*_narrow(*result_rows(report)))
    lines += ["", *_paragraph(f"{columns_explained(report)} {_pvalue_words(report)}")]
    for result in report.results:
        lines += ["", f"{text.printable(result.weights)}:"]
        for said in result.sentences:
            lines += _paragraph(said, indent=2)
    if any(result.weights_in_words for result in report.results):
        lines += ["", "Effect of the weights"]
        for result in report.results:
            if result.weights_in_words:
                lines += ["", *_paragraph(f"{result.weights}: {result.weights_in_words}", indent=2)]
    if report.pairs is not None and table.n_raters <= _RATERS_SHOWN:
        lines += ["", pairs_title(report), ""]
        lines += _indented(text.columns(*pair_rows(report, _LONGEST_NAME)))
    if report.retest is not None:
        lines += ["", "Test and retest", "", *_paragraph(f"{retest_title(report.retest)}:"), ""]
        lines += _indented(text.columns(*_narrow(*retest_rows(report.retest))))
        for said in retest_sentences(report.retest):
            lines += ["", *_paragraph(said, indent=2)]
    lines += ["", "Methods", "", *_paragraph(report.methods(), indent=2)]
    return "\n".join(lines) + "\n"


def _narrow(header: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Return the rows with shorter intervals, so that all columns fit."""
    return header, [[cell.replace(" to ", "..") if i == 2 else cell for i, cell in enumerate(row)] for row in rows]


def _pvalue_words(report: Report) -> str:
    """Return which test the p-values belong to."""
    tests = [result.test for result in report.results if result.test is not None]
    if not tests:
        return "No test against chance was performed."
    drawn = draws_explained([test.n_draws for test in tests])
    return "P-values are from the exact test" + (f"; {drawn}." if drawn else ".")


def _paragraph(words: str, indent: int = 0) -> list[str]:
    words = text.printable(words)
    return wrap(words, _LINE_WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False)


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
