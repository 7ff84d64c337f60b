"""Read a matrix of counts for two raters, whose first row and column may contain labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kappamax.display.text import listing
from kappamax.errors import ORDER_TO_GIVE, Advice, InvalidOptionError, InvalidTableError
from kappamax.io.column_names import is_total
from kappamax.io.labels import MISSING_TEXT, as_count, as_named_categories, clean_text, label_of
from kappamax.io.read_spec import ReadSpec
from kappamax.table import Label, Table


def table_of_matrix(cells: Sequence[Sequence[Any]], spec: ReadSpec, source: str) -> Table:
    """Return the table of a grid of cells, which may have labels and totals."""
    grid = [list(row) for row in cells if any(not _is_blank(cell) for cell in row)]
    notes = list[str]()
    grid = _without_blank_columns(grid)
    labelled = bool(grid) and not isinstance(label_of(grid[0][0]), int | float)
    row_labels: list[Any] = []
    column_labels: list[Any] = []
    if labelled:
        column_labels, row_labels = grid[0][1:], [row[0] for row in grid[1:]]
        grid = [row[1:] for row in grid[1:]]
    counts = _counts(grid, 2 if labelled else 1, notes)
    counts, row_labels, column_labels = _without_totals(counts, row_labels, column_labels, source, notes)
    if labelled:
        counts, categories, ordered = _arranged(counts, row_labels, column_labels, spec, notes)
    else:
        n_rows, n_columns = counts.shape
        if n_rows != n_columns:
            raise InvalidTableError(
                f"a matrix of counts must be square; {source} has {n_rows} rows and {n_columns} columns.",
                code="matrix-not-square",
            )
        given = range(1, n_rows + 1) if spec.categories is None else spec.categories
        categories, ordered = as_named_categories(list(given)), True
        if len(categories) != n_rows:
            raise InvalidOptionError(
                f"categories must have one label for each of the {n_rows} rows of counts; got {len(categories)}: "
                f"{listing(categories)}."
            )
    if not counts.any():
        raise InvalidTableError("counts must contain at least one subject; every cell is zero.")
    patterns = np.argwhere(counts)
    table = Table(patterns, counts[tuple(patterns.T)].astype(np.int64), categories, spec.raters, ordered=ordered)
    table.reading = replace(table.reading, notes=tuple(notes))
    return table


def _counts(grid: Sequence[Sequence[Any]], first: int, notes: list[str]) -> Any:
    """Return cells as Python integers, which do not overflow; empty cells are zero."""
    width = max(map(len, grid), default=0)
    if not grid or not width:
        raise InvalidTableError("a matrix of counts must have at least one row and one column of counts.")
    counts = np.zeros((len(grid), width), dtype=object)
    n_empty = 0
    for i, row in enumerate(grid):
        for j, cell in enumerate(row):
            if _is_blank(cell):
                n_empty += 1
            else:
                counts[i, j] = as_count(cell, lambda _, i=i, j=j: f"row {i + first}, column {j + first}")  # type: ignore[misc]  # mypy does not infer lambdas with defaults
    if n_empty:
        notes.append(f"{n_empty} empty {'cell was' if n_empty == 1 else 'cells were'} read as counts of zero.")
    return counts


def _without_totals(
    counts: Any, rows: list[Any], columns: list[Any], source: str, notes: list[str]
) -> tuple[Any, list[Any], list[Any]]:
    """Return the matrix without a last row and column of totals; totals that do not add up raise an error."""
    row_sums = len(counts) > 1 and (counts[:-1].sum(axis=0) == counts[-1]).all()
    column_sums = counts.shape[1] > 1 and (counts[:, :-1].sum(axis=1) == counts[:, -1]).all()
    unlabelled = not rows and row_sums and column_sums and len(counts) > 2 and counts.any()
    last_row = bool(rows) and is_total(rows[-1]) and not _has_label(columns, rows[-1], last=False)
    last_column = bool(columns) and is_total(columns[-1]) and not _has_label(rows, columns[-1], last=False)
    both_sums = row_sums and column_sums and counts.shape[0] == counts.shape[1] > 2 and counts.any()
    if both_sums and rows and not (last_row or last_column):
        last_row = last_column = True
    for is_there, adds_up, what in ((last_row, row_sums, "row"), (last_column, column_sums, "column")):
        if is_there and not adds_up:
            raise InvalidTableError(
                f"the last {what} of the matrix in {source} is called a total, but its numbers are not the sums of the "
                f"other {what}s.",
                code="wrong-totals",
            )
    if last_row or unlabelled:
        counts, rows = counts[:-1], rows[:-1]
        notes.append("The last row contains totals and was left out.")
    if last_column or unlabelled:
        counts, columns = counts[:, :-1], columns[:-1]
        notes.append("The last column contains totals and was left out.")
    return counts, rows, columns


def _arranged(
    counts: Any, row_labels: Sequence[Any], column_labels: Sequence[Any], spec: ReadSpec, notes: list[str]
) -> tuple[Any, tuple[Label, ...], bool]:
    """Return a square matrix, its categories and whether they are ordered; text has no order unless it is given."""
    rows, columns = _labels(row_labels, "row"), _labels(column_labels, "column")
    found = list(dict.fromkeys([*rows, *columns]))
    if not set(rows) & set(columns):
        raise InvalidTableError(
            "a matrix of counts must have the same labels on rows and columns; "
            f"rows are {listing(rows)} and columns {listing(columns)}.",
            code="different-labels",
            fields={"rows": rows, "columns": columns},
        )
    if set(rows) != set(columns):
        one_sided = [label for label in found if label not in rows or label not in columns]
        notes.append(f"Categories that only one of the raters used: {listing(one_sided)}.")
    text = any(isinstance(label, str) for label in found)
    if spec.categories is None:
        categories = tuple(found) if text or rows == columns else tuple(sorted(found))
        if text:
            notes.append("The categories are text, so they have no order unless categories gives one.")
    else:
        categories = as_named_categories(spec.categories)
        unknown = [label for label in found if label not in categories]
        if unknown:
            raise InvalidOptionError(
                f"categories must name all labels of the matrix of counts, {listing(found)}; {listing(unknown)} "
                f"{'is' if len(unknown) == 1 else 'are'} not among {listing(spec.categories)}.",
                code="categories-do-not-match",
                fields={"labels": found},
                advice=[Advice({"categories": ORDER_TO_GIVE})],
            )
    place = {label: i for i, label in enumerate(categories)}
    square = np.zeros((len(categories), len(categories)), dtype=object)
    square[np.ix_([place[label] for label in rows], [place[label] for label in columns])] = counts
    return square, categories, spec.categories is not None or not text


def _labels(cells: Sequence[Any], what: str) -> list[Label]:
    """Return the labels of rows or columns, which must be different."""
    labels = [label_of(cell, frozenset({clean_text(str(cell))} - {""})) for cell in cells]
    for i, label in enumerate(labels):
        if label is None:
            raise InvalidTableError(
                f"a labelled matrix of counts must name every {what}; {what} {i + 2} has no name.",
                code="nameless-label",
            )
        if label in labels[:i]:
            raise InvalidTableError(
                f"a matrix of counts must have different labels; {label!r} is the name of two {what}s.",
                code="repeated-label",
            )
    return [label for label in labels if label is not None]


def _without_blank_columns(grid: list[list[Any]]) -> list[list[Any]]:
    """Return the grid without columns that have no cell, except the first, whose top cell is usually empty."""
    width = max(map(len, grid), default=0)
    kept = [j for j in range(width) if any(j < len(row) and not _is_blank(row[j]) for row in grid)]
    return [[row[j] if j < len(row) else None for j in kept] for row in grid]


def _has_label(labels: Sequence[Any], label: Any, *, last: bool) -> bool:
    return str(label) in map(str, labels if last else labels[:-1])


def _is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and clean_text(cell).lower() in MISSING_TEXT)
