"""Write a header and rows of text as a table in CSV, Markdown or LaTeX.

Labels come from data files. Each format escapes what it would otherwise interpret: formulas of spreadsheets, HTML and
marks of Markdown, and commands of LaTeX.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from kappamax.display import text

_NUMBER_CELL = re.compile(r"(?:[-<>=~ ]*\d[\d,.% *to-]*)?")
_PLAIN_NUMBER = re.compile(r"[-+]?(\d[\d,]*\.?\d*|\.\d+)(e[-+]?\d+)?%?", re.IGNORECASE)
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")  # spreadsheets of some languages also accept the wide characters
_MARKDOWN = re.compile(r"[\\`*_\[\]|~$]|<(?=[A-Za-z/!?])|&(?=[A-Za-z#])")
_MARKDOWN_START = re.compile(r"^(?:(?=[#>+=-])|\d{1,9}(?=[.)]))")  # of a heading, a quotation or a list
_SPECIAL = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
}


def csv_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as comma-separated values; `None` becomes an empty cell.

    Text that a spreadsheet would run as a formula has an apostrophe before it. Numbers are left as they are.
    """
    out = StringIO()
    usual, quoted = (csv.writer(out, lineterminator="\n", quoting=one) for one in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    for row in [header, *rows]:
        cells = [_csv_cell(cell) for cell in row]
        has_cr = any(isinstance(cell, str) and "\r" in cell for cell in cells)  # which ends a row for many readers
        (quoted if has_cr else usual).writerow(cells)
    return out.getvalue()


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, notes: Sequence[str] = ()) -> str:
    """Return rows as a Markdown table with a list of notes below; columns of numbers are aligned to the right."""
    columns = list(zip(*rows, strict=True))
    rules = ["---:" if column and all(_NUMBER_CELL.fullmatch(cell) for cell in column) else "---" for column in columns]
    lines = [[_markdown(cell) for cell in line] for line in [header, *rows]]
    lines.insert(1, rules or ["---"] * len(header))
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    below = "".join(f"- {_MARKDOWN_START.sub(_with_backslash, _markdown(note.strip()))}\n" for note in notes)
    return table + ("\n" if notes else "") + below


def latex_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str, notes: Sequence[str] = ()
) -> str:
    """Return rows as a LaTeX table with the rules of the booktabs package, and notes below it."""
    said = " \\\\\n".join(map(_escaped, notes))
    below = f"\\par\\smallskip\n\\parbox{{\\linewidth}}{{\\footnotesize\n{said}}}\n" if said else ""
    body = "\n".join(" & ".join(map(_escaped, row)) + r" \\" for row in rows)
    return (
        "\\begin{table}\n\\centering\n"
        f"\\caption{{{_escaped(caption)}}}\n\\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}\n\\toprule\n"
        f"{' & '.join(map(_escaped, header))} \\\\\n\\midrule\n{body}\n\\bottomrule\n"
        f"\\end{{tabular}}\n{below}\\end{{table}}\n"
    )


def _csv_cell(cell: Any) -> Any:
    """Return a cell with an apostrophe if it is text that a spreadsheet would take for a formula."""
    if not isinstance(cell, str) or not _FORMULA.match(cell) or _PLAIN_NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def _markdown(words: str) -> str:
    """Return text in one line in which nothing is markup; cells of numbers are left as they are."""
    if _NUMBER_CELL.fullmatch(words):
        return words
    return _MARKDOWN.sub(lambda found: f"\\{found[0]}", text.printable(words))


def _with_backslash(found: re.Match[str]) -> str:
    return f"{found[0]}\\"


def _escaped(words: str) -> str:
    """Return text in one line without commands; a bracket or star at its beginning is no option of a line break."""
    shown = "".join(_SPECIAL.get(letter, letter) for letter in text.printable(words))
    shown = shown.replace("--", "-{}-")  # no ligature for a dash
    return f"{{}}{shown}" if shown.lstrip().startswith(("[", "*")) else shown
