"""Write a report as one self-contained HTML page of sentences, tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
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
from kappamax.reporting.formats.retest import retest_rows, retest_sentences, retest_title
from kappamax.reporting.formats.rows import columns_explained, draws_explained, margin_rows, pair_rows, result_rows
from kappamax.reporting.sentences import of_data, weighting_name
from kappamax.table import Table

if TYPE_CHECKING:
    from kappamax.intra_rater import IntraRaterAgreement
    from kappamax.reporting.report_results import Report, WeightingReport

_PATTERNS_SHOWN = 20


def html_of(report: Report) -> str:
    """Return the report as a complete HTML page."""
    return html.page(report.title, _sections(report))


def fragment_of(report: Report) -> str:
    """Return the report as an HTML fragment, which a notebook shows."""
    return f'<div class="kappamax"><h1>{html.escaped(report.title)}</h1>{"".join(_sections(report))}</div>'


def _sections(report: Report) -> list[str]:
    parts = [
        _lead(report),
        html.section("Results", _table(*result_rows(report), caption=_results_caption(report)), _words(report)),
        html.section(MARGINS_TITLE, _margins(report)),
        html.section("Observed table and table with the largest agreement", *_tables(report)),
        html.section("Distribution under chance", *_nulls(report)),
    ]
    if any(result.weights_in_words for result in report.results):
        parts.append(html.section("Effect of the weights", _weights(report)))
    if report.pairs is not None:
        parts.append(html.section("Pairs of raters", _pairs(report)))
    if report.retest is not None:
        parts.append(html.section("Test and retest", *_retest(report.retest)))
    if report.moves is not None and report.moves.n_raising:
        parts.append(html.section("Moves that raise agreement most", _moves(report)))
    parts.append(html.section("Methods", f"<blockquote>{html.escaped(report.methods())}</blockquote>"))
    return parts


def _lead(report: Report) -> str:
    data = " ".join(of_data(report.table, 20))
    main = " ".join(report.main.sentences[:2])
    return f'<p class="faint">{html.escaped(data)}</p>\n{_notes(report)}<p class="lead">{html.escaped(main)}</p>'


def _notes(report: Report) -> str:
    """Return the notes of the reading as a list, which is empty if there are none."""
    items = "".join(f"<li>{html.escaped(note)}</li>" for note in report.notes)
    return f'<ul class="faint" aria-label="Notes on the data">{items}</ul>\n' if items else ""


def _results_caption(report: Report) -> str:
    tests = [result.test for result in report.results if result.test is not None]
    sides = {"greater": "one-sided (more agreement)", "less": "one-sided (less agreement)"}
    side = sides.get(report.alternative, report.alternative)
    drawn = draws_explained([test.n_draws for test in tests])
    tested = f"P-values are {side} and conditional on {text.limits(report.table.complete)}{drawn and f'; {drawn}'}."
    said = tested if tests else "No test against chance was performed."
    return f"{report.coefficient}. {columns_explained(report)} {said}"


def _words(report: Report) -> str:
    parts = "".join(
        f"<div><h3>{html.escaped(result.weights)}</h3>\n<ul>"
        + "".join(f"<li>{html.escaped(said)}</li>" for said in result.sentences)
        + "</ul></div>\n"
        for result in report.results
    )
    return f'<div class="words">{parts}</div>'


def _margins(report: Report) -> str:
    header, rows = margin_rows(report)
    behind = _table(header, rows, caption="Number of ratings by category and rater")
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
    return parts or ["<p>The largest value is not known.</p>"]


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
    parts = [_patterns(report.table, "Observed patterns of ratings")]
    for result in _main_first(report):
        if result.maximum is not None:
            value = numbers.decimal(result.maximum.maximum)
            shown = f"Patterns of the largest agreement, {weighting_name(result.weights)}: {value}"
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
    more = f"; {text.plural(hidden, 'less frequent pattern')} not shown" if hidden > 0 else ""
    return _table([*map(text.rater, table.raters), "subjects"], rows, caption=f"{caption}{more}")


def _nulls(report: Report) -> list[str]:
    parts = [
        _folded(result, report, _null(result, report)) for result in _main_first(report) if result.null is not None
    ]
    if parts:
        return parts
    undefined = all(result.agreement is None for result in report.results)
    reason = "The coefficient is undefined." if undefined else "No test against chance was performed."
    return [f"<p>{reason}</p>"]


def _null(result: WeightingReport, report: Report) -> str:
    assert result.null is not None
    order = np.argsort(result.null.values)
    values, chances = result.null.values[order], result.null.probabilities[order]
    title = null_title(report, result)
    source = (
        "exact probabilities"
        if result.null.n_draws is None
        else f"estimated from {numbers.count(result.null.n_draws)} random tables (seed {report.seed})"
    )
    picture = null_picture(report, result)
    kept = np.flatnonzero(chances >= np.sort(chances)[::-1][: 3 * _PATTERNS_SHOWN][-1])
    rows = [[numbers.decimal(float(values[i])), numbers.pvalue(float(chances[i]))] for i in kept]
    more = len(values) - len(kept)
    hidden = f"; {text.plural(more, 'less likely value')} not shown" if more else ""
    caption = f"Values and their probabilities, {weighting_name(result.weights)}, {source}{hidden}"
    return _figure(picture, f"{title}; {source}", _table(["value", "probability"], rows, caption=caption))


def _weights(report: Report) -> str:
    return (
        "<ul>"
        + "".join(
            f"<li><strong>{html.escaped(result.weights)}</strong>: {html.escaped(result.weights_in_words)}</li>"
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
    n_raising = report.moves.n_raising
    raise_it = f"{text.plural(n_raising, 'move')} {'raises' if n_raising == 1 else 'raise'} agreement"
    best = "" if n_raising == len(raising) else " The best ones are shown."
    caption = (
        f"In a move, two subjects swap the ratings of some raters. {raise_it} ({weighting_name(report.main.weights)})."
        f"{best}"
    )
    return _table(["move", "value after"], rows, caption=caption)


def _main_first(report: Report) -> Sequence[WeightingReport]:
    return [report.main, *(result for result in report.results if result is not report.main)]


def _folded(result: WeightingReport, report: Report, content: str) -> str:
    """Return the content of a weighting, which is collapsed unless the weighting is the main one."""
    if result is report.main:
        return f"<h3>{html.escaped(result.weights)}</h3>\n{content}"
    return f"<details><summary>{html.escaped(result.weights)}</summary>\n{content}</details>"


def _figure(picture: str, caption: str, behind: str) -> str:
    words = f"<figcaption>{html.escaped(caption)}</figcaption>" if caption else ""
    return f"<figure>{picture}{words}<details><summary>Show as a table</summary>{behind}</details></figure>"


def _retest(result: IntraRaterAgreement) -> list[str]:
    items = "".join(f"<li>{html.escaped(said)}</li>" for said in retest_sentences(result))
    return [_table(*retest_rows(result), caption=retest_title(result)), f"<ul>{items}</ul>"]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str) -> str:
    """Return a table in a region that scrolls horizontally, also with the keyboard."""
    inner = html.table(header, rows, caption=caption)
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{html.escaped(caption)}">{inner}</div>'
