"""Read a matrix of weights from a file, with or without labels in its first row and column."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from kappamax.display.text import listing
from kappamax.errors import InvalidWeightsError
from kappamax.io.file_formats import open_file
from kappamax.io.labels import label_of
from kappamax.io.read_spec import ReadSpec
from kappamax.table import Label
from kappamax.weights import Weights

_NUMBER = re.compile(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,2})?|\d{1,40}/\d{1,40}")


def read_weights(path: str | os.PathLike[str], *, kind: str) -> Weights:
    """Read a matrix of weights from a text file or a spreadsheet.

    Parameters
    ----------
    path : str or path
        File with one row per category; "-" is standard input. It has labels in its first row and column if its top-left
        cell is empty or not a number. Entries are whole numbers, decimals or fractions such as 1/3.
    kind : {"disagreement", "agreement"}
        Meaning of the entries, as for `Weights.from_matrix`.

    Returns
    -------
    Weights
        Weights with the name of the file. Labelled weights are arranged in the order of the categories of a table.

    Raises
    ------
    UnreadableFileError
        If the file does not exist, is empty or damaged, or has rows of different lengths.
    InvalidWeightsError
        If the matrix is not square, an entry is not a number, rows and columns have different labels, or the matrix
        breaks a rule of its kind.
    """
    with open_file(path, ReadSpec(layout="counts")) as source:
        cells = [[*row] for row in source.rows(f"SELECT {', '.join(source.texts.values())} FROM file")]
        name = source.name
        if source.header is None:
            raise InvalidWeightsError(
                f"a matrix of weights must be a text file or a spreadsheet; {name} has named columns."
            )
        cells = [list(source.header), *cells]
    cells = [row for row in cells if any(_text(cell) for cell in row)]
    labels: list[Label] | None = None
    columns: list[Label] = []
    first = 1
    if cells and _number(cells[0][0]) is None:
        columns = _as_labels("column", cells[0][1:], name)
        labels = _as_labels("row", [row[0] for row in cells[1:]], name)
        cells, first = [row[1:] for row in cells[1:]], 2
        if set(labels) != set(columns):
            raise InvalidWeightsError(
                f"a matrix of weights must have the same labels on rows and columns; in {name}, rows are "
                f"{listing(labels)} and columns {listing(columns)}."
            )
    if any(len(row) != len(cells) for row in cells):
        raise InvalidWeightsError(
            f"a matrix of weights must be square; {name} has {len(cells)} rows and {len(cells[0])} columns of weights. "
            "If it has labels, they must be in the first row and in the first column, and its top-left cell must not "
            "be a number."
        )
    matrix = [
        [_as_entry(cell, f"row {i}, column {j}", name) for j, cell in enumerate(row, start=first)]
        for i, row in enumerate(cells, start=first)
    ]
    if labels is not None:
        order = [columns.index(label) for label in labels]
        matrix = [[row[place] for place in order] for row in matrix]
    return Weights.from_matrix(np.array(matrix, dtype=object), kind=kind, name=Path(name).name, labels=labels)


def _as_labels(what: str, cells: Sequence[Any], name: str) -> list[Label]:
    """Return the labels of the rows or columns, which must be distinct; text such as NA is a label here."""
    found: list[Label] = []
    for place, cell in enumerate(cells, start=2):
        text = _text(cell)
        label = label_of(text, frozenset({text} - {""}))
        if label is None:
            raise InvalidWeightsError(
                f"a labelled matrix of weights must name every {what}; {what} {place} of {name} has no name."
            )
        if label in found:
            raise InvalidWeightsError(
                f"labels of a matrix of weights must differ; in {name}, {label!r} names two {what}s."
            )
        found.append(label)
    return found


def _as_entry(cell: Any, place: str, name: str) -> Fraction:
    """Return a cell as a number."""
    number = _number(cell)
    if number is None:
        raise InvalidWeightsError(
            f"weights must be numbers with a decimal point, or fractions such as 1/3; {place} of {name} is "
            f"{_text(cell)!r}."
        )
    return number


def _number(cell: Any) -> Fraction | None:
    """Return a cell as a fraction, or None if it is not a number."""
    text = _text(cell)
    try:
        return Fraction(text) if _NUMBER.fullmatch(text) else None
    except ZeroDivisionError:
        return None


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()
