"""A request in, the same work as a call of the library and as a command out."""

from __future__ import annotations

import csv
import shlex
from io import StringIO
from typing import Any

from kappamax.table import Table

__all__ = ["calls_of"]

_MOST_CELLS = 2_000


def calls_of(request: dict[str, Any], table: Table, names: list[str]) -> dict[str, str | None]:
    """How to get the results of a request from Python and from a terminal; None where a command cannot say it."""
    asked = request.get("weights")
    weights = ", ".join(map(_weighting, names if asked is None else asked))
    return {
        "python": f"km.report({_python_table(table)}, weights=[{weights}])",
        "terminal": _command(table, names if asked is None else asked),
    }


def _python_table(table: Table) -> str:
    labels, raters = list(table.categories), list(table.raters)
    if table.patterns.size > _MOST_CELLS:
        return 'km.read_ratings("ratings.csv")'
    if _square(table):
        return f"km.from_counts({table.dense().tolist()}, categories={labels}, raters={raters})"
    codes, counts = table.patterns.tolist(), table.counts.tolist()
    return f"km.Table({codes}, {counts}, {labels}, {raters}, ordered={table.ordered})"


def _weighting(asked: Any) -> str:
    if isinstance(asked, str):
        return repr(asked)
    if "positions" in asked:
        return f"km.Weights.from_positions({asked['positions']}, {asked.get('scheme', 'linear')!r})"
    kind, name = asked.get("kind", "disagreement"), asked.get("name", "custom")
    return f"km.Weights.from_matrix({asked['matrix']}, kind={kind!r}, name={name!r})"


def _command(table: Table, asked: list[Any]) -> str | None:
    if not all(isinstance(one, str) for one in asked):
        return None
    options = "".join(f" --weights {shlex.quote(one)}" for one in asked)
    if not _square(table):
        return f"kappamax report ratings.csv{options}"
    lines = " ".join(shlex.quote(line) for line in _csv_lines(table))
    raters = shlex.quote(_csv_line(table.raters))
    return f"printf '%s\\n' {lines} | kappamax report - --layout counts --raters {raters}{options}"


def _csv_lines(table: Table) -> list[str]:
    counts = table.dense().tolist()
    rows = [[label, *row] for label, row in zip(table.categories, counts, strict=True)]
    return [_csv_line(["", *table.categories]), *map(_csv_line, rows)]


def _csv_line(cells: Any) -> str:
    out = StringIO()
    csv.writer(out, lineterminator="").writerow(cells)
    return out.getvalue()


def _square(table: Table) -> bool:
    return table.n_raters == 2 and table.complete and table.ordered and table.patterns.size <= _MOST_CELLS
