"""Files with the raters in rows and the subjects in columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.io.corpus.case import Case, Ratings, careless, draw
from tests.io.corpus.writers import csv_case, sheets

GRADES = ["mild", "moderate", "severe"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    headings: dict[str, tuple[str, Sequence[str], Sequence[Any], list[Any], int]] = {
        "patients": ("", ["Anna", "Ben"], [f"P{i}" for i in range(1, 31)], GRADES, 2),
        "numbers": ("rater", ["r1", "r2", "r3"], list(range(1, 41)), [1, 2, 3, 4], 3),
        "corner": ("rater \\ case", ["A", "B"], list(range(1, 26)), ["no", "yes"], 2),
        "images": ("reader", ["R1", "R2", "R3", "R4"], [f"img{i:02d}.png" for i in range(24)], [0, 1], 4),
        "items": ("Coder", ["Coder 1", "Coder 2"], [f"Item {i}" for i in range(1, 51)], ["A", "B", "C"], 2),
        "questions": ("", ["human", "gpt-4", "llama"], [f"Q{i}" for i in range(1, 61)], ["correct", "incorrect"], 3),
        "german": ("Prüfer", ["Meier", "Huber"], [f"Fall {i}" for i in range(1, 21)], ["ja", "nein"], 2),
        "days": ("observer", ["x", "y"], [f"2023-05-{i:02d}" for i in range(1, 31)], [1, 2, 3, 4, 5], 2),
        "many": ("judge", ["J1", "J2", "J3", "J4", "J5"], [f"s{i}" for i in range(1, 121)], [1, 2, 3], 5),
        "few": ("rater", ["r1", "r2"], [f"case {i}" for i in range(1, 13)], [1, 2, 3], 2),
        "teeth": ("dentist", ["D1", "D2", "D3"], [f"{q}{t}" for q in range(1, 5) for t in range(1, 9)], [0, 1, 2], 3),
        "names": ("", ["Dr. Ash", "Dr. Bell"], [f"patient {chr(65 + i)}" for i in range(26)], GRADES, 2),
    }
    for seed, (name, (corner, raters, subjects, labels, n_raters)) in enumerate(headings.items(), 900):
        ratings = draw(seed, labels, n=len(subjects), raters=n_raters)
        rows = across(ratings, raters)
        wrong = careless(row[1:] for row in rows)
        yield csv_case(f"across-{name}.csv", [corner, *subjects], rows, ratings, wrong=wrong)
    ratings = draw(920, [1, 2, 3, 4], n=40, raters=3, missing=0.1)
    rows = across(ratings, ["A", "B", "C"])
    yield csv_case("across-incomplete.csv", ["", *range(1, 41)], rows, ratings)
    yield csv_case("across-semicolons.csv", ["", *range(1, 41)], rows, ratings, delimiter=";")
    yield csv_case("across-typed.csv", ["", *range(1, 41)], rows, ratings, options=("--transpose",))
    cells = [["", *(f"P{i}" for i in range(1, 41))], *rows]
    yield Case("across.xlsx", sheets(("Sheet1", cells)), ratings, wrong=careless(rows))
    bare = [row[1:] for row in rows]
    yield csv_case("across-without-names.csv", [f"P{i}" for i in range(1, 41)], bare, ratings)
    binary = draw(921, [0, 1], n=50, raters=2)
    yield csv_case("across-binary.csv", ["rater", *(f"v{i}" for i in range(1, 51))], across(binary, [1, 2]), binary)


def across(ratings: Ratings, raters: Sequence[Any]) -> list[list[Any]]:
    """Return one row per rater, which begins with the rater's name."""
    return [[rater, *column] for rater, column in zip(raters, zip(*ratings, strict=True), strict=True)]
