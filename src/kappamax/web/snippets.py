"""Write the Python call and the command that give the results of a request."""

from __future__ import annotations

import csv
import shlex
from io import StringIO
from typing import Any

from kappamax.table import Table
from kappamax.web.schemas import OwnWeights

_MOST_PRINTED = 2_000


def calls_of(table: Table, weights: list[str | OwnWeights]) -> dict[str, str | None]:
    """Return the Python call and the command that give the same results; the command is None if there is none."""
    written = ", ".join(map(_weighting, weights))
    return {
        "python": f"km.report({_python_table(table)}, weights=[{written}])",
        "terminal": _command(table, weights),
    }


def _python_table(table: Table) -> str:
    """Return the Python expression for a table."""
    labels, raters = list(table.categories), list(table.raters)
    if table.patterns.size > _MOST_PRINTED:
        return 'km.read_ratings("ratings.csv")'
    if _square(table):
        return f"km.from_counts({table.dense().tolist()}, categories={labels}, raters={raters})"
    codes, counts = table.patterns.tolist(), table.counts.tolist()
    return f"km.Table({codes}, {counts}, {labels}, {raters}, ordered={table.ordered})"


def _weighting(asked: str | OwnWeights) -> str:
    """Return the Python expression for a weighting."""
    if isinstance(asked, str):
        return repr(asked)
    if asked.positions is not None:
        return f"km.Weights.from_positions({asked.positions}, {asked.scheme!r})"
    return f"km.Weights.from_matrix({asked.matrix}, kind={asked.kind!r}, name={asked.name!r})"


def _command(table: Table, weights: list[str | OwnWeights]) -> str | None:
    """Return the command, or None if a weighting has no name on the command line."""
    names = [one for one in weights if isinstance(one, str)]
    if len(names) < len(weights):
        return None
    options = "".join(f" --weights {shlex.quote(one)}" for one in names)
    if not _square(table):
        return f"kappamax report ratings.csv{options}"
    lines = " ".join(shlex.quote(line) for line in _csv_lines(table))
    raters = shlex.quote(_csv_line(table.raters))
    if any(isinstance(label, str) for label in table.categories):  # the order of text is not known unless it is given
        options = f" --categories {shlex.quote(_csv_line(table.categories))}{options}"
    return f"printf '%s\\n' {lines} | kappamax report - --layout counts --raters {raters}{options}"


def _csv_lines(table: Table) -> list[str]:
    """Return the square of counts as lines of CSV."""
    counts = table.dense().tolist()
    rows = [[label, *row] for label, row in zip(table.categories, counts, strict=True)]
    return [_csv_line(["", *table.categories]), *map(_csv_line, rows)]


def _csv_line(cells: Any) -> str:
    """Return cells as a line of CSV."""
    out = StringIO()
    csv.writer(out, lineterminator="").writerow(cells)
    return out.getvalue()


def _square(table: Table) -> bool:
    """Return whether a table can be written as a square of counts that is not too large."""
    return table.n_raters == 2 and table.complete and table.ordered and table.patterns.size <= _MOST_PRINTED
