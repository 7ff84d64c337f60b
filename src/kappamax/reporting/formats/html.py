"""Write a report as one self-contained HTML page: words, tables, and pictures with a table behind each."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from kappamax.display import html, numbers, text
from kappamax.reporting.figures_svg import (
    MARGINS_TITLE,
    crossed,
    margins_picture,
    null_picture,
    null_title,
    pairs_picture,
    pairs_title,
)
from kappamax.reporting.formats.rows import margin_rows, pair_rows, result_rows
from kappamax.reporting.sentences import of_design, of_table
from kappamax.table import Table

if TYPE_CHECKING:
    from kappamax.reporting.report import Report, WeightingReport

_PATTERNS_SHOWN = 20


def html_of(report: Report) -> str:
    """Return the report as a whole page."""
    return html.page(report.title, _sections(report))


def fragment_of(report: Report) -> str:
    """Return the report without the page around it, for a notebook."""
    return f'<div class="kappamax"><h1>{escape(report.title)}</h1>{"".join(_sections(report))}</div>'


def _sections(report: Report) -> list[str]:
    parts = [
        _lead(report),
        html.section("Results", _table(*result_rows(report), caption=_results_caption(report)), _words(report)),
        html.section(MARGINS_TITLE, _margins(report)),
        html.section(
            f"Observed, and the largest agreement {text.limits(report.table.complete)} allow", *_tables(report)
        ),
        html.section("Every value that chance could give", *_nulls(report)),
    ]
    if any(result.weights_in_words for result in report.results):
        parts.append(html.section("What the choice of weights does here", _weights(report)))
    if report.pairs is not None:
        parts.append(html.section("Every two raters", _pairs(report)))
    if report.moves is not None and report.moves.n_raising:
        parts.append(html.section("What would raise agreement most", _moves(report)))
    parts.append(html.section("Methods", f"<blockquote>{escape(report.methods())}</blockquote>"))
    return parts


def _lead(report: Report) -> str:
    design = " ".join([of_design(report.table, 20), *of_table(report.table)])
    main = " ".join(report.main.sentences[:2])
    return f'<p class="faint">{escape(design)}</p>\n<p class="lead">{escape(main)}</p>'


def _results_caption(report: Report) -> str:
    tests = [result.test for result in report.results if result.test is not None]
    drawn = "; * Monte Carlo" if any(test.se is not None for test in tests) else ""
    tested = f"P-value: {report.alternative}, given {text.limits(report.table.complete)}{drawn}."
    return (
        f"{report.coefficient}. Reached: value / maximum. Tables: how many have the maximum. "
        f"{tested if tests else 'No test was made.'}"
    )


def _words(report: Report) -> str:
    parts = "".join(
        f"<div><h3>{escape(result.weights)}</h3>\n<ul>"
        + "".join(f"<li>{escape(said)}</li>" for said in result.sentences)
        + "</ul></div>\n"
        for result in report.results
    )
    return f'<div class="words">{parts}</div>'


def _margins(report: Report) -> str:
    header, rows = margin_rows(report)
    behind = _table(header, rows, caption="Ratings by category and rater")
    picture = margins_picture(report)
    return behind if picture is None else _figure(picture, "", behind)


def _tables(report: Report) -> list[str]:
    if report.table.n_raters != 2 or not report.table.complete:
        return _pattern_tables(report)
    parts = [
        _folded(result, report, _two_maps(report.table, result))
        for result in _main_first(report)
        if result.maximum is not None
    ]
    return parts or ["<p>There is no largest value to show.</p>"]


def _two_maps(observed: Table, result: WeightingReport) -> str:
    names = [text.rater(name) for name in observed.raters]
    labels = observed.categories
    pictures = []
    for title, picture, counts in crossed(result):
        rows = [[str(label), *map(numbers.count, row)] for label, row in zip(labels, counts.tolist(), strict=True)]
        header = [f"{names[0]} \\ {names[1]}", *map(str, labels)]
        pictures.append(_figure(picture, title, _table(header, rows, caption=title)))
    note = "<p class='faint'>Framed cells differ from the observed table.</p>"
    return f'<div class="side">{"".join(pictures)}</div>\n{note}'


def _pattern_tables(report: Report) -> list[str]:
    parts = [_patterns(report.table, "Observed patterns")]
    for result in _main_first(report):
        if result.maximum is not None:
            shown = f"Patterns with the largest agreement, {result.weights}: {numbers.decimal(result.maximum.maximum)}"
            parts.append(_folded(result, report, _patterns(result.maximum.table, shown)))
    return parts


def _patterns(table: Table, caption: str) -> str:
    order = sorted(range(len(table.counts)), key=lambda i: -int(table.counts[i]))
    labels = table.labels()
    rows = [
        [*("-" if label is None else str(label) for label in labels[i]), numbers.count(int(table.counts[i]))]
        for i in order[:_PATTERNS_SHOWN]
    ]
    hidden = len(order) - len(rows)
    more = f"; {hidden} more patterns" if hidden > 0 else ""
    return _table([*map(text.rater, table.raters), "subjects"], rows, caption=f"{caption}{more}")


def _nulls(report: Report) -> list[str]:
    parts = [
        _folded(result, report, _null(result, report)) for result in _main_first(report) if result.null is not None
    ]
    if parts:
        return parts
    undefined = all(result.agreement is None for result in report.results)
    reason = "The coefficient is undefined, so there is nothing to show." if undefined else "No test was made."
    return [f"<p>{reason}</p>"]


def _null(result: WeightingReport, report: Report) -> str:
    assert result.null is not None
    order = np.argsort(result.null.values)
    values, chances = result.null.values[order], result.null.probabilities[order]
    title = null_title(report, result)
    source = (
        "exact probabilities"
        if result.null.n_draws is None
        else f"{numbers.count(result.null.n_draws)} random tables, seed {report.seed}"
    )
    picture = null_picture(report, result)
    kept = np.flatnonzero(chances >= np.sort(chances)[::-1][: 3 * _PATTERNS_SHOWN][-1])
    rows = [[numbers.decimal(float(values[i])), numbers.pvalue(float(chances[i]))] for i in kept]
    more = len(values) - len(kept)
    hidden = f"; {numbers.count(more)} less likely values left out" if more else ""
    caption = f"Values and probabilities with {result.weights} weights, {source}{hidden}"
    return _figure(picture, f"{title}; {source}", _table(["value", "probability"], rows, caption=caption))


def _weights(report: Report) -> str:
    return (
        "<ul>"
        + "".join(
            f"<li><strong>{escape(result.weights)}</strong>: {escape(result.weights_in_words)}</li>"
            for result in report.results
            if result.weights_in_words
        )
        + "</ul>"
    )


def _pairs(report: Report) -> str:
    title = pairs_title(report)
    behind = _table(*pair_rows(report), caption=title)
    picture = pairs_picture(report)
    return behind if picture is None else _figure(picture, title, behind)


def _moves(report: Report) -> str:
    assert report.moves is not None
    raising = [one for one in report.moves if one.effect == "raises"]
    rows = [[report.moves.written(one.move), numbers.decimal(one.value_after)] for one in raising]
    caption = (
        f"Two subjects swap the ratings of some raters; {report.main.weights} weights, "
        f"{numbers.count(report.moves.n_raising)} such moves in all"
    )
    return _table(["move", "value after"], rows, caption=caption)


def _main_first(report: Report) -> Sequence[WeightingReport]:
    return [report.main, *(result for result in report.results if result is not report.main)]


def _folded(result: WeightingReport, report: Report, content: str) -> str:
    """The main weighting open, the others to unfold."""
    if result is report.main:
        return f"<h3>{escape(result.weights)}</h3>\n{content}"
    return f"<details><summary>{escape(result.weights)}</summary>\n{content}</details>"


def _figure(picture: str, caption: str, behind: str) -> str:
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{picture}{words}<details><summary>The same as a table</summary>{behind}</details></figure>"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str) -> str:
    """A table that scrolls sideways on a narrow screen, with the keyboard too."""
    inner = html.table(header, rows, caption=caption)
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}">{inner}</div>'
