"""Files that hold no ratings of two raters: every number would be wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.io.corpus.case import Case, draw
from tests.io.corpus.long_tables import long_rows
from tests.io.corpus.writers import beside, csv_case, json_lines, sheets, text

GRADES = ["mild", "moderate", "severe"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module; their ratings say only what the file was made from."""
    ratings = draw(2300, GRADES, n=20, raters=6)
    counts = [tuple(Counter(row)[label] for label in GRADES) for row in ratings]
    yield csv_case("counts-of-each-subject.csv", GRADES, counts, ratings)
    yield csv_case("counts-of-each-subject-and-id.csv", ["subject", *GRADES], beside(range(1, 21), counts), ratings)
    yield csv_case("one-rater.csv", ["patient", "grade"], beside(range(1, 21), [row[0] for row in ratings]), ratings)
    yield csv_case(
        "one-rater-and-age.csv", ["age", "grade"], beside(range(30, 50), [row[0] for row in ratings]), ratings
    )
    yield csv_case("one-column.csv", ["grade"], [[row[0]] for row in ratings], ratings)
    yield csv_case("demographics.csv", ["age", "sex"], beside(range(30, 50), "mf" * 10), ratings)
    words = [{"mild": "leicht", "moderate": "mittel", "severe": "schwer"}[row[1]] for row in ratings]
    yield csv_case("two-languages.csv", ["A", "B"], beside([row[0] for row in ratings], words), ratings)
    codes = [{"mild": 1, "moderate": 2, "severe": 3}[row[0]] for row in ratings]
    yield csv_case("label-and-code.csv", ["label", "code"], beside([row[0] for row in ratings], codes), ratings)
    per_rater = [(name, [["patient", "grade"], *map(list, enumerate((row[a] for row in ratings), 1))])
                 for a, name in enumerate(("Anna", "Ben"))]  # fmt: skip
    yield Case("sheet-per-rater.xlsx", sheets(*per_rater), ratings)
    yield Case("empty.csv", text(""), ratings)
    yield Case("header-only.csv", text("A,B\n"), ratings)
    yield Case("prose.txt", text("The readers agreed well.\nSee the report for details.\n"), ratings)
    yield Case("page.html", text("<!doctype html>\n<title>Login</title>\n<p>Please log in, then download.\n"), ratings)
    lists = [{"id": i, "A": list(row[:2]), "B": list(row[2:4])} for i, row in enumerate(ratings)]
    yield Case("lists.jsonl", json_lines(lists), ratings)
    alone = [row[:1] for row in ratings]
    yield csv_case("long-one-rater.csv", ["item", "rater", "label"], long_rows(alone, range(1, 21), ["A"]), ratings)
    twice = [*long_rows([row[:2] for row in ratings], range(1, 21), ["A", "B"]), [3, "A", "mild"], [3, "A", "severe"]]
    yield csv_case("long-rated-twice.csv", ["item", "rater", "label"], twice, ratings)
    nobody = [[row[0], ""] if i % 2 else ["", row[1]] for i, row in enumerate(ratings)]
    yield csv_case("never-together.csv", ["A", "B"], nobody, ratings)
    shares = [["", "mild", "severe"], ["mild", "40.0%", "10.0%"], ["severe", "5.0%", "45.0%"]]
    yield csv_case("percentages.csv", shares[0], shares[1:], ratings)
    shares = [["", "mild", "severe"], ["mild", 0.4, 0.1], ["severe", 0.05, 0.45]]
    yield csv_case("proportions.csv", shares[0], shares[1:], ratings)
