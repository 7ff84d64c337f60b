"""Excel files as people keep them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl

from tests.io.corpus.case import Case, Grid, careless, draw
from tests.io.corpus.long_tables import long_rows
from tests.io.corpus.writers import beside, excel_case, sheets

GRADES = ["mild", "moderate", "severe"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield from _several_sheets()
    yield from _around_the_table()
    yield from _merged()
    yield from _cells()
    yield from _columns()


def _several_sheets() -> Iterator[Case]:
    ratings = draw(1800, GRADES, n=30)
    table: Grid = [["A", "B"], *map(list, ratings)]
    numbered: Grid = [["patient", "A", "B"], *beside(range(1, 31), ratings)]
    wrong = careless(numbered[1:])
    readme: Grid = [["Ratings of the pilot study"], ["One row per patient"], ["Contact: the study office"]]
    legend: Grid = [["code", "meaning"], ["mild", "no treatment"], ["severe", "treatment"]]
    yield Case("sheets-notes-after.xlsx", sheets(("Data", table), ("Notes", readme)), ratings)
    yield Case("sheets-notes-before.xlsx", sheets(("README", readme), ("Ratings", table)), ratings)
    yield Case("sheets-empty.xlsx", sheets(("Tabelle1", table), ("Tabelle2", []), ("Tabelle3", [])), ratings)
    yield Case("sheets-empty-first.xlsx", sheets(("Sheet1", []), ("Sheet2", table)), ratings)
    yield Case("sheets-legend.xlsx", sheets(("Ratings", numbered), ("Legend", legend)), ratings, wrong=wrong)
    yield Case("sheets-codes-first.xlsx", sheets(("Codes", legend), ("All ratings", numbered)), ratings, wrong=wrong)
    pivot: Grid = [["Row Labels", "Count"], ["mild", 12], ["severe", 7], ["Grand Total", 19]]
    yield Case("sheets-pivot.xlsx", sheets(("data", numbered), ("Pivot", pivot)), ratings, wrong=wrong)
    other = draw(1801, GRADES, n=30, agreement=0.4)
    rounds = sheets(("Round 1", table), ("Round 2", [["A", "B"], *map(list, other)]))
    yield Case("sheets-rounds.xlsx", rounds, other, options=("--sheet", "Round 2"), wrong=ratings)
    yield Case("sheets-rounds-by-number.xlsx", rounds, ratings, options=("--sheet", "1"), wrong=other)
    named = sheets(("Fälle & Prüfer's", numbered), ("Hinweise", readme))
    yield Case("sheets-odd-name.xlsx", named, ratings, wrong=wrong)


def _around_the_table() -> Iterator[Case]:
    ratings = draw(1810, GRADES, n=30)
    header = ["patient", "A", "B"]
    body = beside([f"P{i:02d}" for i in range(1, 31)], ratings)
    wrong = careless(body)
    above: dict[str, Grid] = {
        "title": [["Reading session of 3 March"]],
        "title-blank": [["Reading session of 3 March"], []],
        "titles": [["Department of Radiology"], ["Reading session of 3 March"], []],
        "fields": [["Study", "ABC-12"], ["Date", datetime.date(2023, 3, 3)], []],
        "blank": [[], []],
        "logo": [["", "", "", "", "Form 12"], []],
    }
    for name, rows in above.items():
        yield Case(f"above-{name}.xlsx", sheets(("Sheet1", [*rows, header, *body])), ratings, wrong=wrong)
    below: dict[str, Grid] = {
        "source": [[], ["Source: department archive"]],
        "total": [["Total", 30, 30]],
        "legend": [[], ["mild = no treatment"], ["severe = treatment"]],
        "kappa": [[], ["kappa", 0.61]],
        "signature": [[], [], ["", "", "checked by KM"]],
        "blank": [["", "", ""], ["", "", ""]],
    }
    for name, rows in below.items():
        yield Case(f"below-{name}.xlsx", sheets(("Sheet1", [header, *body, *rows])), ratings, wrong=wrong)
    moved = [[], [], *([None, None, *row] for row in [header, *body])]
    yield Case("from-c3.xlsx", sheets(("Sheet1", moved)), ratings, wrong=wrong)
    side = [[*row, None, cell] for row, cell in zip([header, *body], ["Legend", "mild = 1"] + [None] * 29, strict=True)]
    yield Case("legend-beside.xlsx", sheets(("Sheet1", side)), ratings, wrong=wrong)
    both = [["Reading session"], [], header, *body, [], ["Source: archive"]]
    yield Case("above-and-below.xlsx", sheets(("Sheet1", both)), ratings, wrong=wrong)


def _merged() -> Iterator[Case]:
    ratings = draw(1830, GRADES, n=30, raters=4)
    body = beside(range(1, 31), ratings)
    title: Grid = [["Reading session of 3 March"], ["id", "A", "B", "C", "D"], *body]
    yield Case("merged-title.xlsx", sheets(("Sheet1", title), merged=["A1:E1"]), ratings, wrong=careless(body))
    groups: Grid = [["", "Consultants", None, "Residents", None], ["id", "A", "B", "C", "D"], *body]
    merged = sheets(("Sheet1", groups), merged=["B1:C1", "D1:E1"])
    yield Case("merged-groups.xlsx", merged, ratings, wrong=careless(groups[1:]))
    group_id: Grid = [["id", "Consultants", None, "Residents", None], [None, "A", "B", "C", "D"], *body]
    merged = sheets(("Sheet1", group_id), merged=["A1:A2", "B1:C1", "D1:E1"])
    yield Case("merged-groups-and-id.xlsx", merged, ratings, wrong=careless(group_id[1:]))
    for name, seed, subjects in (("numbers", 1831, list(range(1, 21))), ("words", 1832, [f"P{i}" for i in range(20)])):
        pair = draw(seed, [1, 2, 3], n=20)
        rows = long_rows(pair, subjects, ["A", "B"])
        blank = [[None if i % 2 else row[0], *row[1:]] for i, row in enumerate(rows)]
        ranges = [f"A{2 + 2 * i}:A{3 + 2 * i}" for i in range(20)]
        writer = sheets(("Sheet1", [["patient", "reader", "grade"], *blank]), merged=ranges)
        yield Case(f"merged-long-{name}.xlsx", writer, pair, wrong=careless(blank))
    pair = draw(1833, [1, 2, 3, 4], n=20, raters=3)
    rows = sorted(long_rows(pair, range(1, 21), ["A", "B", "C"]), key=lambda row: row[1])
    blank = [[row[1] if i % 20 == 0 else None, row[0], row[2]] for i, row in enumerate(rows)]
    ranges = [f"A{2 + 20 * a}:A{21 + 20 * a}" for a in range(3)]
    writer = sheets(("Sheet1", [["rater", "case", "score"], *blank]), merged=ranges)
    yield Case("merged-long-raters.xlsx", writer, pair, wrong=careless(blank))
    sites = [["Basel" if i == 0 else "Bern" if i == 15 else None, *row] for i, row in enumerate(body)]
    writer = sheets(("Sheet1", [["site", "id", "A", "B", "C", "D"], *sites]), merged=["A2:A16", "A17:A31"])
    yield Case("merged-sites.xlsx", writer, ratings, wrong=careless(sites))


def _cells() -> Iterator[Case]:
    numbers = draw(1840, [1, 2, 3, 4], n=40, raters=3)
    as_text = [[a, str(b), str(c)] for a, b, c in numbers]
    yield excel_case("numbers-as-text.xlsx", ["A", "B", "C"], as_text, numbers, wrong=None)
    some = [[a, str(b) if i % 3 else b, f"{c} "] for i, (a, b, c) in enumerate(numbers)]
    yield excel_case("numbers-some-as-text.xlsx", ["A", "B", "C"], some, numbers)
    yield excel_case("numbers-with-id.xlsx", ["", "A", "B", "C"], beside(range(40), numbers), numbers)
    missing = draw(1841, [1, 2, 3, 4], n=40, raters=3, missing=0.1)
    for error in ("#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?"):
        rows = [[error if label is None else label for label in row] for row in missing]
        name = "".join(letter for letter in error if letter.isalpha())
        yield excel_case(f"error-{name}.xlsx", ["A", "B", "C"], rows, missing)
    words = draw(1842, GRADES, n=40, missing=0.15)
    for name, token in {"na": "NA", "n-a": "n/a", "dash": "-", "dot": ".", "question": "?", "space": " "}.items():
        rows = [[token if label is None else label for label in row] for row in words]
        yield excel_case(f"missing-{name}.xlsx", ["A", "B"], rows, words)
    booleans = draw(1843, [True, False], n=40)
    yield excel_case("booleans-and-id.xlsx", ["id", "A", "B"], beside(range(1, 41), booleans), booleans)
    codes = [[99 if label is None else label for label in row] for row in missing]
    yield excel_case("code-99.xlsx", ["A", "B", "C"], codes, missing)
    capitals = draw(1844, ["yes", "no"], n=40)
    rows = [[a, b.capitalize()] for a, b in capitals]
    yield excel_case("capitals.xlsx", ["A", "B"], rows, capitals)
    spaces = [[a, b + "\u00a0"] for a, b in capitals]
    yield excel_case("no-break-spaces.xlsx", ["A", "B"], spaces, capitals)
    yield excel_case("headless.xlsx", capitals[0], [list(row) for row in capitals[1:]], capitals)
    yield excel_case("line-breaks.xlsx", ["Reader\nA", "Reader\nB", "Age"], beside(capitals, range(30, 70)), capitals)


def _columns() -> Iterator[Case]:
    ratings = draw(1850, GRADES, n=35, raters=2)
    days = [datetime.date(2023, 1 + i % 3, 1 + i % 28) for i in range(35)]
    clock = [datetime.datetime(2023, 5, 1 + i % 28, 8 + i % 9, i) for i in range(35)]
    ages = [31 + 7 * i % 50 for i in range(35)]
    yield excel_case("with-date.xlsx", ["date", "A", "B"], beside(days, ratings), ratings)
    yield excel_case("with-time.xlsx", ["Timestamp", "A", "B"], beside(clock, ratings), ratings)
    yield excel_case("with-age.xlsx", ["id", "age", "A", "B"], beside(range(1, 36), ages, ratings), ratings)
    blank: list[Any] = [None] * 35
    yield excel_case("blank-column.xlsx", ["A", None, "B"], [[a, None, b] for a, b in ratings], ratings, wrong=None)
    yield excel_case("blank-last.xlsx", ["id", "A", "B", None], beside(range(1, 36), ratings, blank), ratings)
    agreed = [a if a == b else None for a, b in ratings]
    yield excel_case("consensus.xlsx", ["A", "B", "Consensus"], beside(ratings, agreed), ratings)
    rows = long_rows(ratings, range(1, 36), ["A", "B"])
    yield excel_case("long.xlsx", ["Case", "Reader", "Grade"], rows, ratings)
    yield Case("hidden-notes.xlsx", _with_hidden_sheet(ratings), ratings)
    yield excel_case("wrong-suffix.csv", ["id", "A", "B"], beside(range(1, 36), ratings), ratings)


def _with_hidden_sheet(ratings: list[tuple[Any, ...]]) -> Any:
    def write(path: Path) -> None:
        sheets(("Ratings", [["A", "B"], *map(list, ratings)]), ("_lists", [["mild"], ["moderate"], ["severe"]]))(path)
        book = openpyxl.load_workbook(path)
        book["_lists"].sheet_state = "hidden"
        book.save(path)

    return write
