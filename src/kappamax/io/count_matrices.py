"""Read a matrix of counts for two raters, whose first row and column may contain labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from kappamax.display.text import listing
from kappamax.errors import ORDER_TO_GIVE, Advice, InvalidOptionError, InvalidTableError
from kappamax.io.column_names import is_total
from kappamax.io.labels import MISSING_TEXT, as_count, as_named_categories, clean_text, label_of
from kappamax.io.read_spec import ReadSpec
from kappamax.table import Label, Table

_SCIENTIFIC = re.compile(r"\d(\.\d+)?[eE]\+\d\d")
_COUNT = re.compile(rf"\d{{1,30}}(\.0*)?|{_SCIENTIFIC.pattern}")
_SHARE = re.compile(r"\d{1,3}([.,]\d+)? ?%?|\.\d+")
_THOUSANDS = re.compile(r"\d{1,3}([.,'\u2019\u00a0\u202f ]\d{3})+")
_MOST_ROWS = 200


class _Matrix(NamedTuple):
    """Labels and cells of a matrix; the labels are empty if there are none."""

    row_labels: list[Any]
    column_labels: list[Any]
    cells: list[list[Any]]
    first_row: int
    first_column: int


def table_of_matrix(cells: Sequence[Sequence[Any]], spec: ReadSpec, source: str) -> Table:
    """Return the table of a grid of cells, which may have labels and totals."""
    return _table_of(_without_idle_lines(_matrix_of(_without_blanks(cells))), spec, source)


def table_of_labelled_counts(
    row_labels: Sequence[Any], column_labels: Sequence[Any], cells: Sequence[Sequence[Any]], spec: ReadSpec, source: str
) -> Table:
    """Return the table of counts whose rows and columns have labels, among which there may be totals."""
    return _table_of(_Matrix(list(row_labels), list(column_labels), [list(row) for row in cells], 1, 1), spec, source)


def has_totals(counts: Any) -> bool:
    """Return whether the last row and the last column of a square array are the sums of the others."""
    square = counts.ndim == 2 and counts.shape[0] == counts.shape[1] > 2 and bool(counts.any())
    return square and bool(
        (counts[:-1].sum(axis=0) == counts[-1]).all() and (counts[:, :-1].sum(axis=1) == counts[:, -1]).all()
    )


def _table_of(matrix: _Matrix, spec: ReadSpec, source: str) -> Table:
    """Return the table of a matrix."""
    notes = list[str]()
    counts = _counts(matrix, notes)
    counts, rows, columns = _without_totals(counts, matrix.row_labels, matrix.column_labels, source, notes)
    if rows and columns:
        rows, columns = _without_prefixes(rows, columns)
        counts, categories, ordered = _arranged(counts, rows, columns, spec, notes)
    else:
        n_rows, n_columns = counts.shape
        if n_rows != n_columns:
            raise InvalidTableError(
                f"a matrix of counts must be square; {source} has {n_rows} rows and {n_columns} columns.",
                code="matrix-not-square",
            )
        given = spec.categories or rows or columns or range(1, n_rows + 1)
        categories = as_named_categories(list(given))
        ordered = spec.categories is not None or not any(isinstance(label, str) for label in categories)
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


def looks_like_counts(cells: Sequence[Sequence[Any]]) -> bool:
    """Return whether a grid of cells is a matrix of counts with the same labels on rows and columns."""
    matrix = _matrix_with_same_labels(cells)
    return matrix is not None and all(_is_blank(cell) or _is_count(cell) for row in matrix.cells for cell in row)


def looks_like_percentages(cells: Sequence[Sequence[Any]]) -> bool:
    """Return whether a grid is a matrix of percentages or proportions with the same labels on rows and columns."""
    matrix = _matrix_with_same_labels(cells)
    if matrix is None or not matrix.column_labels:
        return False
    written = [str(cell).strip() for row in matrix.cells for cell in row if not _is_blank(cell)]
    return bool(written) and all(map(_SHARE.fullmatch, written)) and not all(map(_is_count, written))


def _matrix_with_same_labels(cells: Sequence[Sequence[Any]]) -> _Matrix | None:
    """Return the matrix in a grid of cells if its rows and columns have the same labels, otherwise None."""
    grid = _without_blanks(cells)
    if not 2 <= len(grid) <= _MOST_ROWS:
        return None
    matrix = _without_idle_lines(_matrix_of(grid))
    rows, columns = (
        [str(label) for label in labels if not is_total(label) and not _is_empty(label)]
        for labels in _without_prefixes(matrix.row_labels, matrix.column_labels)
    )
    inside = set(rows) <= set(columns) or set(columns) <= set(rows)
    words = not any(isinstance(label_of(label), int | float) for label in rows)
    alike = len(set(rows) & set(columns)) > 1 and (set(rows) == set(columns) or (inside and words))
    one_sided = len(rows) > 1 and not columns and len(rows) == len(matrix.cells[0]) == len(set(rows))
    return matrix if (alike and len(set(rows)) == len(rows)) or one_sided else None


def _matrix_of(grid: list[list[Any]]) -> _Matrix:
    """Return the labels and the cells of a grid.

    Usually the first row and the first column are labels. Otherwise the labels are those next to the block of counts.
    """
    rows, columns = [row[0] for row in grid[1:]], grid[0][1:]
    if not _is_count(grid[0][0]) and (_share_labels(rows, columns) or not rows):
        return _Matrix(rows, columns, [row[1:] for row in grid[1:]], 2, 2)
    if all(_is_count(cell) for row in grid for cell in row):
        return _Matrix([], [], grid, 1, 1)
    if all(_is_count(cell) for row in grid for cell in row[1:]) and not any(_is_count(row[0]) for row in grid):
        return _Matrix([row[0] for row in grid], [], [row[1:] for row in grid], 1, 2)
    top = next((i for i, row in enumerate(grid) if sum(map(_is_count, row)) > 1), None)
    if top == 0 and _is_count(grid[0][0]):
        return _Matrix([], [], grid, 1, 1)
    if top is None or top == 0:
        return _Matrix(rows, columns, [row[1:] for row in grid[1:]], 2, 2)
    left = next(j for j, cell in enumerate(grid[top]) if _is_count(cell))
    above = [
        next((grid[i][j] for i in range(top - 1, -1, -1) if not _is_blank(grid[i][j])), None)
        for j in range(left, len(grid[top]))
    ]
    beside = [next((row[j] for j in range(left - 1, -1, -1) if not _is_blank(row[j])), None) for row in grid[top:]]
    return _Matrix(beside, above, [row[left:] for row in grid[top:]], top + 1, left + 1)


def _without_idle_lines(matrix: _Matrix) -> _Matrix:
    """Return the matrix without rows and columns that have a name but no cell, as the name of a rater may have."""
    rows, columns, cells, *place = matrix
    if not rows or not columns:
        return matrix
    used = [i for i, row in enumerate(cells) if not all(map(_is_empty, row)) or rows[i] in columns]
    across = [j for j in range(len(columns)) if not all(_is_empty(row[j]) for row in cells) or columns[j] in rows]
    kept = [[cells[i][j] for j in across] for i in used]
    return _Matrix([rows[i] for i in used], [columns[j] for j in across], kept, *place)


def _share_labels(rows: Sequence[Any], columns: Sequence[Any]) -> bool:
    """Return whether labels of rows and columns are the same, possibly with prefixes and without some of them."""
    rows, columns = _without_prefixes(rows, columns)
    known = {str(label).strip() for label in columns if not _is_empty(label)}
    same = {str(label).strip() for label in rows if not _is_empty(label)} & known
    return len(same) >= min(2, len(known)) > 0


def _without_prefixes(rows: Sequence[Any], columns: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return labels without a prefix such as "A: " that all rows or all columns have, if the rest is the same."""
    bare = [_without_prefix(labels) for labels in (rows, columns)]
    same = {str(label) for label in bare[0]} & {str(label) for label in bare[1]}
    return (bare[0], bare[1]) if len(same) > 1 else (list(rows), list(columns))


def _without_prefix(labels: Sequence[Any]) -> list[Any]:
    named = [str(label) for label in labels if not _is_empty(label) and not is_total(label)]
    prefix = re.match(r".*\w[^\w+]+", _common_beginning(named)) if len(named) > 1 else None
    if prefix is None:
        return list(labels)
    return [
        label if is_total(label) or _is_empty(label) else str(label).removeprefix(prefix.group()) for label in labels
    ]


def _common_beginning(texts: Sequence[str]) -> str:
    """Return the longest beginning that all texts share."""
    first, last = min(texts), max(texts)
    return first[: next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]


def _counts(matrix: _Matrix, notes: list[str]) -> Any:
    """Return cells as Python integers, which do not overflow; empty cells are zero."""
    grid = matrix.cells
    width = max(map(len, grid), default=0)
    if not grid or not width:
        raise InvalidTableError("a matrix of counts must have at least one row and one column of counts.")
    counts = np.zeros((len(grid), width), dtype=object)
    n_empty = n_grouped = 0
    for i, row in enumerate(grid):
        for j, cell in enumerate(row):
            if _is_blank(cell):
                n_empty += 1
                continue
            written = str(cell).strip()
            if _THOUSANDS.fullmatch(written):
                n_grouped += 1
                written = re.sub(r"\D", "", written)
            if _SCIENTIFIC.fullmatch(written):
                written = (
                    str(Decimal(written).normalize().to_integral_value()) if Decimal(written) % 1 == 0 else written
                )
            place = f"row {i + matrix.first_row}, column {j + matrix.first_column}"
            counts[i, j] = as_count(written, lambda _, place=place: place)  # type: ignore[misc]  # mypy does not infer lambdas with defaults
    if n_empty:
        notes.append(f"{n_empty} empty {'cell was' if n_empty == 1 else 'cells were'} read as counts of zero.")
    if n_grouped:
        notes.append("Separators of thousands were recognised in the counts.")
    return counts


def _without_totals(
    counts: Any, rows: list[Any], columns: list[Any], source: str, notes: list[str]
) -> tuple[Any, list[Any], list[Any]]:
    """Return the matrix without a last row and column of totals; totals that do not add up raise an error."""
    row_sums = len(counts) > 1 and (counts[:-1].sum(axis=0) == counts[-1]).all()
    column_sums = counts.shape[1] > 1 and (counts[:, :-1].sum(axis=1) == counts[:, -1]).all()
    last_row = bool(rows) and is_total(rows[-1]) and not _has_label(columns, rows[-1], last=False)
    last_column = bool(columns) and is_total(columns[-1]) and not _has_label(rows, columns[-1], last=False)
    if has_totals(counts) and not (last_row or last_column):
        last_row = last_column = True
    for is_there, adds_up, what in ((last_row, row_sums, "row"), (last_column, column_sums, "column")):
        if is_there and not adds_up:
            raise InvalidTableError(
                f"the last {what} of the matrix in {source} is called a total, but its numbers are not the sums of the "
                f"other {what}s.",
                code="wrong-totals",
            )
    if last_row:
        counts, rows = counts[:-1], rows[:-1]
        notes.append("The last row contains totals and was left out.")
    if last_column:
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


def _without_blanks(cells: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return the grid without blank rows, and without columns that have no cell."""
    grid = [list(row) for row in cells if any(not _is_empty(cell) for cell in row)]
    width = max(map(len, grid), default=0)
    kept = [j for j in range(width) if any(j < len(row) and not _is_empty(row[j]) for row in grid)]
    return [[row[j] if j < len(row) else None for j in kept] for row in grid]


def _has_label(labels: Sequence[Any], label: Any, *, last: bool) -> bool:
    return str(label) in map(str, labels if last else labels[:-1])


def _is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and clean_text(cell).lower() in MISSING_TEXT)


def _is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not clean_text(cell))


def _is_count(cell: Any) -> bool:
    written = "" if cell is None else str(cell).strip()
    return bool(_COUNT.fullmatch(written) or _THOUSANDS.fullmatch(written))
