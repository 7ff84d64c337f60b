"""Clean files in other formats, and in the layouts that the user names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.io.corpus.case import Case, draw
from tests.io.corpus.counts_tables import crosstab
from tests.io.corpus.json_parquet import writer_of
from tests.io.corpus.long_tables import long_rows
from tests.io.corpus.writers import csv_case, excel_case

SCALES: tuple[list[Any], ...] = (
    [1, 2, 3, 4, 5],
    ["mild", "moderate", "severe"],
    [0, 1],
    ["T1", "T2", "T3"],
    ["A", "B", "C"],
)


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    for seed, labels in enumerate(SCALES, 2500):
        ratings = draw(seed, labels, n=40, raters=3, missing=0.05 * (seed % 2))
        names = ["Ann", "Bob", "Cem"]
        for kind in ("jsonl", "json", "parquet", "feather"):
            yield Case(f"{seed}.{kind}", writer_of(kind, names, ratings), ratings)
        yield excel_case(f"{seed}.xlsx", names, [list(row) for row in ratings], ratings, wrong=None)
        rows = long_rows(ratings, range(1, 41), names)
        layout = ("--layout", "long")
        yield csv_case(f"{seed}-long.csv", ["subject", "rater", "rating"], rows, ratings, options=layout, wrong=None)
        named = (*layout, "--subject", "item", "--rater", "annotator", "--rating", "label")
        heading = ["item", "annotator", "label", "seconds"]
        timed = [[*row, 3 + i % 50] for i, row in enumerate(rows)]
        yield csv_case(f"{seed}-long-named.csv", heading, timed, ratings, options=named, wrong=None)
        pair = draw(seed + 20, labels, n=80)
        counts = ("--layout", "counts")
        yield csv_case(f"{seed}-counts.csv", ["", *labels], crosstab(pair, labels), pair, options=counts, wrong=None)
        patterns = [[*pattern, n] for pattern, n in sorted(Counter(pair).items())]
        counted = ("--layout", "patterns", "--count", "times")
        yield csv_case(f"{seed}-patterns.csv", ["A", "B", "times"], patterns, pair, options=counted, wrong=None)
        chosen = [[i, 30 + i, *row, "see report"] for i, row in enumerate(ratings, 1)]
        header = ["id", "age", *names, "notes"]
        raters = ("--raters", "Ann,Bob,Cem")
        yield csv_case(f"{seed}-raters.csv", header, chosen, ratings, options=raters, wrong=None)
    missing = draw(2510, [1, 2, 3], n=60, raters=2, missing=0.1)
    yield csv_case(
        "missing-typed.csv", ["A", "B"], missing, missing, missing="9", options=("--missing", "9"), wrong=None
    )
    nine = draw(2511, [0, 1, 2, 3, 9], n=60, shares=[5, 5, 4, 3, 0.3])
    yield csv_case("nine-accepted.csv", ["A", "B"], nine, nine, options=("--accept-labels",), wrong=None)
    ordered = draw(2512, ["None", "Mild", "Severe"], n=60)
    typed = ("--categories", "None,Mild,Severe")
    yield csv_case("categories-typed.csv", ["A", "B"], ordered, ordered, options=typed, wrong=None)
