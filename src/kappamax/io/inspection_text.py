"""Arrange an inspection as tables and sentences of text, for the command line and for notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from kappamax.display import text
from kappamax.errors import Advice

if TYPE_CHECKING:
    from kappamax.io.inspection import Inspection

_LAYOUTS = {
    "wide": "wide, with one column per rater",
    "long": "long, with one row per rating",
    "counts": "counts, a matrix of counts of two raters",
    "patterns": "patterns, with one row per pattern and a column of counts",
}
_LINE = 78
_NAME, _CELL, _LABEL = 16, 14, 40
_GAP = 3


class Part(NamedTuple):
    """A part of an inspection: a title, a table with all columns aligned to the left, and sentences below it."""

    title: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    sentences: Sequence[str] = ()


def parts_of(inspection: Inspection, worded: Callable[[Advice], str] = str) -> list[Part]:
    """Return everything except the call; `worded` returns advice in words."""
    title, summary = text.label(inspection.source or "Ratings", _LINE, ending=True), summary_of(inspection)
    found = [
        _columns(inspection),
        _preview(inspection),
        _labels(inspection),
        Part("Doubtful labels", sentences=[f"{text.capitalized(doubt)}." for doubt in inspection.doubts]),
        Part("Notes", sentences=[note for note in map(text.printable, inspection.notes) if note not in summary]),
        Part(
            "Refused without further options" if inspection.call else "Refused", sentences=_refusals(inspection, worded)
        ),
    ]
    return [Part(title, sentences=summary), *(part for part in found if part.rows or part.sentences)]


def summary_of(inspection: Inspection) -> list[str]:
    """Return the size and layout of the data, and the subjects, raters, categories and missing ratings."""
    if not inspection.columns:
        return []
    n_rows, n_seen = inspection.n_rows, inspection.n_rows_inspected
    size = text.plural(n_rows, "row") if n_rows is not None else f"more than {text.plural(n_seen, 'row')}"
    found = [f"{size}, {text.plural(len(inspection.columns), 'column')}"]
    found[0] += f"; layout {_LAYOUTS[inspection.layout]}." if inspection.layout else "."
    if n_seen != n_rows:
        of_all = "" if n_rows is None else f" of {n_rows:,}"
        found.append(f"The first {n_seen:,}{of_all} rows were inspected.")
    if inspection.raters:
        subjects = "" if inspection.n_subjects is None else f"{text.plural(inspection.n_subjects, 'subject')}; "
        order = "in this order" if inspection.ordered else "without an order"
        found.append(
            f"{subjects}raters {text.listing(inspection.raters)}; categories {text.listing(inspection.categories)}, "
            f"{order}."
        )
        kinds = [f"{n:,} {'empty' if not word else repr(word)}" for word, n in inspection.missing.items() if n]
        found.append(f"Values read as missing ratings: {', '.join(kinds) or 'none'}.")
    return [text.printable(text.capitalized(sentence)) for sentence in found]


def tried_rows(inspection: Inspection) -> str:
    """Return a sentence that says on which rows the call was tried, or that there is none."""
    if inspection.call is None:
        return "No options were found with which these data can be read."
    how = "with these options" if inspection.options else "without options"
    if inspection.verified:
        return f"All rows were read {how}."
    return f"Only the first {text.plural(inspection.n_rows_inspected, 'row')} were read {how}."


def lines_of(inspection: Inspection) -> list[str]:
    """Return the inspection as lines of plain text, with the Python call at the end."""
    lines: list[str] = []
    for part in parts_of(inspection):
        lines += [part.title] if not lines else ["", part.title]
        table = text.columns(part.header, part.rows, left=range(len(part.header))) if part.rows else []
        lines += [f"  {line}" for line in table]
        for sentence in part.sentences:
            lines += wrap(text.printable(sentence), _LINE, initial_indent="  ", subsequent_indent="  ")
    return [*lines, "", tried_rows(inspection), *([inspection.call] if inspection.call else [])]


def _columns(inspection: Inspection) -> Part:
    shown = inspection.columns[: text.MAX_ROWS]
    names = text.labels([column.name for column in shown], _NAME)
    header = ["column", "contains", "distinct", "why"]
    cells = [[name, column.role, f"{column.n_distinct:,}"] for name, column in zip(names, shown, strict=True)]
    widths = [max(map(text.width, column)) for column in zip(header[:3], *cells, strict=True)]
    room = _LINE - sum(widths) - 4 * _GAP
    rows = []
    for first, column in zip(cells, shown, strict=True):
        why = wrap(text.printable(column.reason), room) or [""]
        rows += [[*first, why[0]], *(["", "", "", more] for more in why[1:])]
    rest = Counter(column.role for column in inspection.columns[text.MAX_ROWS :])
    more = [f"... and {text.plural(rest.total(), 'more column')}: {_counted(rest)}."] if rest else []
    return Part("Columns", header, rows, more)


def _preview(inspection: Inspection) -> Part:
    """Return the first rows, with as many columns as fit into a line."""
    if not inspection.columns:
        return Part("First lines", sentences=[text.label(line, _LINE) for (line,) in inspection.preview])
    names = text.labels([column.name for column in inspection.columns[: text.MAX_ROWS]], _CELL)
    grid = [[text.label(cell, _CELL) if cell else "" for cell in row] for row in inspection.preview]
    kept, room = 0, _LINE
    for i, name in enumerate(names):
        room -= max(map(text.width, [name, *(row[i] for row in grid)])) + _GAP
        if room < 0:
            break
        kept += 1
    more = ["..."] if kept < len(inspection.columns) else []
    return Part("First rows", [*names[:kept], *more], [[*row[:kept], *more] for row in grid])


def _labels(inspection: Inspection) -> Part:
    if inspection.layout == "counts":
        return Part("Labels")
    labels = sorted(inspection.labels.items(), key=lambda one: (isinstance(one[0], str), one[0]))
    names = text.labels([label for label, _ in labels[: text.MAX_ROWS]], _LABEL)
    rows = [[name, f"{n:,}"] for name, (_, n) in zip(names, labels, strict=False)]
    hidden = len(labels) - len(rows)
    return Part(
        "Labels", ["label", "ratings"], rows, [f"... and {text.plural(hidden, 'more label')}."] if hidden else []
    )


def _refusals(inspection: Inspection, worded: Callable[[Advice], str]) -> list[str]:
    """Return what is refused, with the advice that was not followed and the conditions of that which was."""
    found = []
    for i, refusal in enumerate(inspection.refusals):
        followed = inspection.call is not None or i < len(inspection.refusals) - 1
        others = refusal.advice[:-1] if followed else refusal.advice
        condition = refusal.advice[-1].condition if followed else ""
        assumed = [f"The options below apply {condition}."] if condition.startswith("if ") else []
        about_file = inspection.source is not None and refusal.statement.startswith(inspection.source)
        statement = refusal.statement if about_file else text.capitalized(refusal.statement)
        found.append(text.printable(" ".join([statement, *map(worded, others), *assumed])))
    return found


def _counted(roles: Counter[str]) -> str:
    return ", ".join(f"{n:,} {role}" for role, n in roles.most_common())
