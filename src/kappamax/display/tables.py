"""Write a header and rows of text as a table in CSV, Markdown or LaTeX."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

_NUMBER_CELL = re.compile(r"(?:[-<>=~ ]*\d[\d,.% *to-]*)?$")
_MARKDOWN = re.compile(r"[\\`*_\[\]]|<(?=[A-Za-z/!?])")
_SPECIAL = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def csv_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as comma-separated values; `None` becomes an empty cell."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, notes: Sequence[str] = ()) -> str:
    """Return rows as a Markdown table with a list of notes below; columns of numbers are aligned to the right."""
    columns = list(zip(*rows, strict=True))
    rules = ["---:" if column and all(_NUMBER_CELL.match(cell) for cell in column) else "---" for column in columns]
    lines = [header, rules or ["---"] * len(header), *rows]
    table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"
    return table + ("\n" if notes else "") + "".join(f"- {_MARKDOWN.sub(_escaped_letter, note)}\n" for note in notes)


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


def _escaped_letter(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


def _escaped(words: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in words).replace("--", "-{}-")  # no ligature for a dash
