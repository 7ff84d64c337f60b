"""Crosstabs of two raters and tables of patterns with counts, as programs print them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tests.io.corpus.case import Case, Grid, Ratings, careless, draw
from tests.io.corpus.writers import csv_case, sheets, text

GRADES = ["mild", "moderate", "severe"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield from _crosstabs()
    yield from _totals()
    yield from _around_the_crosstab()
    yield from _bare()
    yield from _thousands()
    yield from _patterns()


def crosstab(ratings: Ratings, rows: Sequence[Any], columns: Sequence[Any] | None = None) -> Grid:
    """Return the counts of two raters, one row per label of the first."""
    counts = Counter(ratings)
    return [[label, *(counts[label, other] for other in columns or rows)] for label in rows]


def with_totals(cells: Grid, word: str = "Total") -> Grid:
    """Return a crosstab with a column and a row of totals."""
    rows = [[*row, sum(row[1:])] for row in cells]
    return [*rows, [word, *(sum(column) for column in list(zip(*rows, strict=True))[1:])]]


def _crosstabs() -> Iterator[Case]:
    scales: dict[str, tuple[list[Any], str]] = {
        "pandas": (["no", "yes"], "rater_a"),
        "words": (GRADES, ""),
        "numbers": ([1, 2, 3, 4, 5], ""),
        "numbers-named": ([0, 1, 2], "r1"),
        "binary": ([0, 1], ""),
        "corner": (GRADES, "A \\ B"),
        "corner-words": (["benign", "malignant", "unclear"], "Reader 1 / Reader 2"),
        "letters": (["A", "B", "C", "D"], "x"),
        "signs": (["-", "+"], ""),
        "plus": (["+", "++", "+++"], ""),
        "booleans": (["False", "True"], "human"),
    }
    for seed, (name, (labels, corner)) in enumerate(scales.items(), 500):
        ratings = draw(seed, labels, n=120)
        yield csv_case(f"crosstab-{name}.csv", [corner, *labels], crosstab(ratings, labels), ratings)
    ratings = draw(520, GRADES, n=90)
    cells = crosstab(ratings, GRADES)
    yield csv_case("crosstab-r.csv", ["", *GRADES], cells, ratings, quote_all=True)
    yield csv_case("crosstab-tabs.txt", ["", *GRADES], cells, ratings, delimiter="\t")
    yield csv_case("crosstab-semicolons.csv", ["", *GRADES], cells, ratings, delimiter=";", newline="\r\n")
    yield csv_case("crosstab-typed.csv", ["", *GRADES], cells, ratings, options=("--layout", "counts"))
    r_table = "\t".join(GRADES) + "\n" + "".join("\t".join(map(str, row)) + "\n" for row in cells)
    yield Case("crosstab-r-without-corner.txt", text(r_table), ratings, wrong=careless([row[1:] for row in cells]))
    other = [GRADES[2], GRADES[0], GRADES[1]]
    yield csv_case("crosstab-other-order.csv", ["", *other], crosstab(ratings, GRADES, other), ratings)
    never = [(a, "moderate" if b == "severe" else b) for a, b in ratings]
    yield csv_case("crosstab-not-square.csv", ["A", *GRADES[:2]], crosstab(never, GRADES, GRADES[:2]), never)
    prefixed = [[f"A: {row[0]}", *row[1:]] for row in cells]
    header = ["", *(f"B: {label}" for label in GRADES)]
    yield csv_case("crosstab-prefixed.csv", header, prefixed, ratings)
    yield Case("crosstab.xlsx", sheets(("Sheet1", [["", *GRADES], *cells])), ratings, wrong=careless(cells))
    floats = [[row[0], *(f"{count}.0" for count in row[1:])] for row in cells]
    yield csv_case("crosstab-floats.csv", ["", *GRADES], floats, ratings)
    blank = [[row[0], *(count or "" for count in row[1:])] for row in crosstab(never, GRADES, GRADES)]
    yield csv_case("crosstab-blank-for-zero.csv", ["", *GRADES], blank, never)


def _totals() -> Iterator[Case]:
    words = ("Total", "All", "Sum", "total", "Gesamt", "Summe", "Grand Total", "Gesamtergebnis", "TOTAL", "Σ", "")
    for seed, word in enumerate(words, 530):
        labels: list[Any] = GRADES if seed % 2 else [1, 2, 3, 4]
        ratings = draw(seed, labels, n=100)
        cells = with_totals(crosstab(ratings, labels), word)
        yield csv_case(f"totals-{seed}.csv", ["", *labels, word], cells, ratings)
    ratings = draw(545, GRADES, n=80)
    cells = crosstab(ratings, GRADES)
    yield csv_case("totals-rows-only.csv", ["", *GRADES, "Total"], [[*row, sum(row[1:])] for row in cells], ratings)
    sums = ["Total", *(sum(row[i] for row in cells) for i in range(1, 4))]
    yield csv_case("totals-columns-only.csv", ["", *GRADES], [*cells, sums], ratings)
    titled = [["Reader B", "", "", "", ""], ["", *GRADES, "Total"], *with_totals(cells)]
    yield Case("totals.xlsx", sheets(("Tabelle1", titled)), ratings, wrong=careless(titled[2:]))


def _around_the_crosstab() -> Iterator[Case]:
    ratings = draw(550, GRADES, n=110)
    cells = with_totals(crosstab(ratings, GRADES))
    title = "Reader A * Reader B Crosstabulation"
    body = [["Reader A" if i == 0 else "", *row] for i, row in enumerate(cells)]
    body[-1] = ["Total", "", *cells[-1][1:]]
    spss = [[title, "", "", "", "", ""], ["Count", "", "", "", "", ""], ["", "", "Reader B", "", "", "Total"],
            ["", "", *GRADES, ""], *body]  # fmt: skip
    yield csv_case("spss.csv", None, spss, ratings, wrong=careless(spss[1:]))
    pivot = [["Count of id", "Column Labels", "", "", ""], ["Row Labels", *GRADES, "Grand Total"], *cells[:-1],
             ["Grand Total", *cells[-1][1:]]]  # fmt: skip
    yield csv_case("pivot.csv", None, pivot, ratings, wrong=careless(pivot[1:]))
    yield Case("pivot.xlsx", sheets(("Sheet4", pivot)), ratings, wrong=careless(pivot[1:]))
    stacked = [["", "reader B", "", ""], ["reader A", *GRADES], *crosstab(ratings, GRADES)]
    yield csv_case("two-headers.csv", None, stacked, ratings, wrong=careless(stacked[1:]))
    footer = "\nCohen's kappa: see text\n"
    yield csv_case("footer.csv", ["", *GRADES], crosstab(ratings, GRADES), ratings, after=footer)
    titled = "Agreement of the two readers\n\n"
    yield csv_case("title.csv", ["", *GRADES], crosstab(ratings, GRADES), ratings, before=titled)


def _bare() -> Iterator[Case]:
    ratings = draw(560, [1, 2, 3], n=100)
    cells = [row[1:] for row in crosstab(ratings, [1, 2, 3])]
    yield csv_case("bare.csv", None, cells, ratings, wrong=careless(cells[1:]))
    yield csv_case("bare-typed.csv", None, cells, ratings, wrong=careless(cells[1:]), options=("--layout", "counts"))
    two = draw(561, [1, 2], n=100)
    cells = [row[1:] for row in crosstab(two, [1, 2])]
    yield csv_case("bare-two.csv", None, cells, two, wrong=None)
    headed = [[label, *row] for label, row in zip(["no", "yes"], cells, strict=True)]
    yield csv_case("bare-rows-named.csv", None, headed, two, wrong=None)


def _thousands() -> Iterator[Case]:
    rng = random.Random(6)
    counts = {(a, b): rng.randint(1000, 3000) if a == b else rng.randint(5, 80) for a in GRADES for b in GRADES}
    ratings: Ratings = [pair for pair, n in counts.items() for _ in range(n)]
    for name, mark, delimiter in (
        ("german", ".", ";"),
        ("english", ",", ","),
        ("swiss", "'", ";"),
        ("french", "\u202f", ";"),
    ):
        cells = [[a, *(f"{counts[a, b]:,}".replace(",", mark) for b in GRADES)] for a in GRADES]
        yield csv_case(f"thousands-{name}.csv", ["", *GRADES], cells, ratings, delimiter=delimiter)


def _patterns() -> Iterator[Case]:
    heads = ("count", "n", "Freq", "frequency", "Anzahl", "N", "times", "effectif", "frecuencia", "cases", "weight_n")
    for seed, count in enumerate(heads, 570):
        labels: list[Any] = GRADES if seed % 2 else [1, 2, 3]
        ratings = draw(seed, labels, n=150, raters=2 + seed % 2)
        rows = [[*pattern, times] for pattern, times in sorted(Counter(ratings).items())]
        header = [*(f"rater_{a + 1}" for a in range(len(ratings[0]))), count]
        yield csv_case(f"patterns-{seed}.csv", header, rows, ratings)
    ratings = draw(585, ["no", "yes"], n=140)
    rows = [[i, *pattern, times] for i, (pattern, times) in enumerate(sorted(Counter(ratings).items()), 1)]
    yield csv_case("patterns-r.csv", ["", "Var1", "Var2", "Freq"], rows, ratings, quote_all=True)
    yield csv_case(
        "patterns-typed.csv", ["A", "B", "n"], [row[1:] for row in rows], ratings, options=("--layout", "patterns")
    )
    yield csv_case("patterns-first.csv", ["count", "A", "B"], [[row[3], row[1], row[2]] for row in rows], ratings)
    shares = [[*row[1:], round(row[3] / 140 * 100, 1)] for row in rows]
    yield csv_case("patterns-percent.csv", ["A", "B", "n", "percent"], shares, ratings)
    yield csv_case("patterns-total.csv", ["A", "B", "n"], [*(row[1:] for row in rows), ["Total", "", 140]], ratings)
