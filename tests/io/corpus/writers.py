"""Write grids of cells as the files that people and programs make."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl

from tests.io.corpus.case import Case, Grid, Ratings, careless

Writer = Callable[[Path], Any]


def csv_text(
    cells: Sequence[Sequence[Any]],
    *,
    delimiter: str = ",",
    newline: str = "\n",
    quote_all: bool = False,
    missing: str = "",
) -> str:
    """Return cells as delimited text; None is written as `missing`."""
    stream = io.StringIO()
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=newline, quoting=quoting)
    writer.writerows([missing if cell is None else cell for cell in row] for row in cells)
    return stream.getvalue()


def text(content: str, encoding: str = "utf-8") -> Writer:
    """Return a writer of a text file."""
    return lambda path: path.write_bytes(content.encode(encoding))


def csv_case(
    name: str,
    header: Sequence[Any] | None,
    rows: Sequence[Sequence[Any]],
    ratings: Ratings,
    *,
    encoding: str = "utf-8",
    delimiter: str = ",",
    newline: str = "\n",
    quote_all: bool = False,
    missing: str = "",
    before: str = "",
    after: str = "",
    wrong: Ratings | str | None = "careless",
    **facts: Any,
) -> Case:
    """Return a case whose file is delimited text with a header and rows, and lines before and after them.

    Unless it is given, the wrong reading takes every column of `rows` as a rater.
    """
    cells = [*([] if header is None else [list(header)]), *rows]
    table = csv_text(cells, delimiter=delimiter, newline=newline, quote_all=quote_all, missing=missing)
    if wrong == "careless":
        wrong = careless([[missing if cell is None else cell for cell in row] for row in rows])
    return Case(name, text(before + table + after, encoding), ratings, wrong=wrong, **facts)


def sheets(*named: tuple[str, Grid], merged: Sequence[str] = ()) -> Writer:
    """Return a writer of an Excel file with named sheets; `merged` are ranges to merge on the first one."""

    def write(path: Path) -> None:
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, cells in named:
            sheet = book.create_sheet(title)
            for row in cells:
                sheet.append(row)
        for cell_range in merged:
            book.worksheets[0].merge_cells(cell_range)
        book.save(path)

    return write


def excel_case(
    name: str, header: Sequence[Any], rows: Grid, ratings: Ratings, *, sheet: str = "Sheet1", **facts: Any
) -> Case:
    """Return a case whose file is an Excel file with one sheet."""
    facts.setdefault("wrong", careless(rows))
    return Case(name, sheets((sheet, [list(header), *map(list, rows)])), ratings, **facts)


def json_lines(records: Sequence[dict[str, Any] | list[Any]]) -> Writer:
    """Return a writer of one JSON object or list per line."""
    return text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))


def json_array(content: Any, *, indent: int | None = 2) -> Writer:
    """Return a writer of one JSON value."""
    return text(json.dumps(content, ensure_ascii=False, indent=indent))


def beside(*columns: Sequence[Any]) -> Grid:
    """Return rows of cells from columns and blocks of columns (lists of tuples)."""
    blocks = [[list(cell) if isinstance(cell, tuple) else [cell] for cell in column] for column in columns]
    return [[cell for part in parts for cell in part] for parts in zip(*blocks, strict=True)]
