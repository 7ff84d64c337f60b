"""Files with something above, below, between or beside the rows of the table, or without a header."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.io.corpus.case import Case, Grid, careless, draw
from tests.io.corpus.writers import beside, csv_case, csv_text, text

GRADES = ["mild", "moderate", "severe"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield from _above()
    yield from _below()
    yield from _within()
    yield from _blank_columns()
    yield from _without_header()
    yield from _two_headers()
    yield from _legends()


def _above() -> Iterator[Case]:
    above = {
        "title": "Inter-rater study 2023\n",
        "title-blank": "Inter-rater study 2023\n\n",
        "title-commas": "Inter-rater study 2023,,\n",
        "title-commas-blank": "Inter-rater study 2023,,\n,,\n",
        "two-titles": "Department of Radiology,,\nReading session of 3 March,,\n",
        "titles-blank": "Department of Radiology\nReading session of 3 March\n\n",
        "fields": "Study:,ABC-12\nDate:,2023-03-03\n\n",
        "fields-commas": "Study:,ABC-12,\nDate:,2023-03-03,\n,,\n",
        "blank-lines": "\n\n",
        "comma-lines": ",,\n,,\n",
        "comment": "# exported on 2023-03-03 by labtool 2.1\n",
        "comments": "# exported by labtool 2.1\n# one row per lesion\n# grades: mild, moderate, severe\n",
        "comment-commas": "# columns: A, B, C\n",
        "percent-comment": "% exported by labtool\n",
        "slashes-comment": "// exported by labtool\n",
        "sep": "sep=,\n",
        "sep-quoted": '"sep=,"\n',
        "sep-capital": "SEP=,\r\n",
        "quoted-title": '"Ratings, as of 3 March 2023"\n',
        "title-over-middle": ",Readers,\n",
    }
    for seed, (name, lines) in enumerate(above.items(), 600):
        ratings = draw(seed, GRADES if seed % 2 else [1, 2, 3, 4], n=30, raters=3)
        rows = [["A", "B", "C"], *map(list, ratings)]
        yield csv_case(
            f"above-{name}.csv", ["A", "B", "C"], ratings, ratings, before=lines, wrong=careless(rows), note="."
        )
    ratings = draw(630, GRADES, n=30)
    rows = beside(range(1, 31), ratings)
    header = ["patient", "A", "B"]
    facts: dict[str, Any] = {"delimiter": ";", "newline": "\r\n"}
    yield csv_case("above-sep-semicolon.csv", header, rows, ratings, before="sep=;\r\n", **facts)
    yield csv_case("above-title-and-id.csv", header, rows, ratings, before="Reading of 3 March;;\r\n;;\r\n", **facts)
    before = "\ufeffsep=;\r\nReading of 3 March\r\n\r\n"
    yield csv_case("above-everything.csv", header, rows, ratings, before=before, **facts)


def _below() -> Iterator[Case]:
    below = {
        "source": "Source: department archive\n",
        "blank-source": "\nSource: department archive\n",
        "commas-source": ",,,\n,,,\nSource: department archive,,,\n",
        "n": "\nN = 36\n",
        "blank-lines": "\n\n\n",
        "comma-lines": ",,,\n,,,\n,,,\n",
        "comment": "# end of export\n",
        "generated": '\n"Generated 2024-01-05 10:22, user mk"\n',
        "kappa": "\nkappa,0.61,,\n",
        "percent-agreement": "\nAgreement (%),71.4,,\n",
        "dashes": "---,---,---,---\n",
        "rows": "(36 rows)\n",
    }
    for seed, (name, lines) in enumerate(below.items(), 640):
        ratings = draw(seed, GRADES if seed % 2 else [1, 2, 3, 4], n=36, raters=3)
        rows = beside(range(1, 37), ratings)
        yield csv_case(f"below-{name}.csv", ["case", "A", "B", "C"], rows, ratings, after=lines)
    for seed, word in enumerate(
        ("Total", "Sum", "Mean", "Average", "Summe", "Mittelwert", "SD", "Median", "Count"), 660
    ):
        ratings = draw(seed, [1, 2, 3, 4, 5], n=40, raters=2)
        sums = [sum(column) for column in zip(*ratings, strict=True)]
        means = [word, *(total if word in ("Total", "Sum", "Summe") else round(total / 40, 2) for total in sums)]
        if word == "Median":
            means = [word, *(sorted(column)[20] for column in zip(*ratings, strict=True))]
        rows = [*beside([f"P{i}" for i in range(1, 41)], ratings), means]
        yield csv_case(f"below-{word}.csv", ["patient", "A", "B"], rows, ratings)
    numbered = draw(670, [0, 1], n=40, raters=3)
    sums = ["Total", *(sum(column) for column in zip(*numbered, strict=True))]
    yield csv_case("below-total-numbered.csv", ["", "A", "B", "C"], [*beside(range(40), numbered), sums], numbered)
    means = ["mean", *(sum(column) / 40 for column in zip(*numbered, strict=True))]
    both = [*beside(range(40), numbered), sums, means]
    yield csv_case("below-total-and-mean.csv", ["id", "A", "B", "C"], both, numbered)


def _within() -> Iterator[Case]:
    ratings = draw(680, GRADES, n=40)
    header = ["A", "B"]
    rows: Grid = [list(row) for row in ratings]
    again = [*rows[:20], header, *rows[20:]]
    yield csv_case("repeated-header.csv", header, again, ratings, note=".")
    often = [cell for start in range(0, 40, 10) for cell in [header, *rows[start : start + 10]]][1:]
    yield csv_case("repeated-header-often.csv", header, often, ratings, note=".")
    numbered = beside(range(1, 41), ratings)
    again = [*numbered[:20], ["id", *header], *numbered[20:]]
    yield csv_case("repeated-header-id.csv", ["id", *header], again, ratings)
    numbers = draw(681, [1, 2, 3], n=40)
    again = [*map(list, numbers[:20]), header, *map(list, numbers[20:])]
    yield csv_case("repeated-header-numbers.csv", header, again, numbers, note=".")
    blank = [*numbered[:10], ["", "", ""], *numbered[10:25], ["", "", ""], *numbered[25:]]
    yield csv_case("blank-rows.csv", ["id", *header], blank, ratings)
    sections = [["Ward 1", "", ""], *numbered[:20], ["Ward 2", "", ""], *numbered[20:]]
    yield csv_case("sections.csv", ["id", *header], sections, ratings)
    lines = csv_text([header, *rows[:12]]) + "\n" + csv_text(rows[12:])
    yield Case("blank-lines.csv", text(lines), ratings, wrong=None)
    subtotals = [*beside(range(1, 21), numbers[:20]), ["Subtotal", *map(sum, zip(*numbers[:20], strict=True))],
                 *beside(range(21, 41), numbers[20:]), ["Total", *map(sum, zip(*numbers, strict=True))]]  # fmt: skip
    yield csv_case("subtotals.csv", ["id", *header], subtotals, numbers)


def _blank_columns() -> Iterator[Case]:
    ratings = draw(690, GRADES, n=35)
    blank = [""] * 35
    yield csv_case("blank-last.csv", ["A", "B", "", ""], beside(ratings, blank, blank), ratings, wrong=None)
    yield csv_case("blank-first.csv", ["", "A", "B"], beside(blank, ratings), ratings, wrong=None)
    split = [[a, "", b] for a, b in ratings]
    yield csv_case("blank-middle.csv", ["A", "", "B"], split, ratings, wrong=None)
    yield csv_case("blank-named.csv", ["A", "B", "C"], beside(ratings, blank), ratings, wrong=None)
    numbered = beside(range(1, 36), blank, ratings, blank)
    yield csv_case("blank-and-id.csv", ["id", "", "A", "B", ""], numbered, ratings)
    trailing = "A,B\n" + "".join(f"{a},{b},\n" for a, b in ratings)
    yield Case("trailing-comma.csv", text(trailing), ratings, wrong=None)
    newline = [["Rater\nA", "Rater\nB"], *ratings]
    yield Case("header-with-line-breaks.csv", text(csv_text(newline)), ratings, wrong=None)
    padded = "id, A, B\n" + "".join(f"{i}, {a}, {b}\n" for i, (a, b) in enumerate(ratings, 1))
    yield Case("spaces-after-commas.csv", text(padded), ratings, wrong=careless(beside(range(35), ratings)))
    aligned = "id   A        B\n" + "".join(f"{i:<4} {a:<8} {b}\n" for i, (a, b) in enumerate(ratings, 1))
    yield Case("aligned-with-spaces.txt", text(aligned), ratings, wrong=careless(beside(range(35), ratings)))
    single = "".join(f"{a} {b}\n" for a, b in [("A", "B"), *ratings])
    yield Case("single-spaces.txt", text(single), ratings, wrong=None)
    markdown = "| A | B |\n|---|---|\n" + "".join(f"| {a} | {b} |\n" for a, b in ratings)
    yield Case("markdown.md", text(markdown), ratings, wrong=careless([["---", "---"], *ratings]))


def _without_header() -> Iterator[Case]:
    """The first row is a subject."""
    scales: dict[str, list[Any]] = {
        "words": ["benign", "malignant"],
        "grades": GRADES,
        "numbers": [1, 2, 3],
        "binary": [0, 1],
        "scale": [1, 2, 3, 4, 5],
        "letters": ["A", "B", "C"],
        "yes-no": ["yes", "no"],
        "booleans": ["TRUE", "FALSE"],
        "stages": ["T1", "T2", "T3"],
    }
    for seed, (name, labels) in enumerate(scales.items(), 700):
        ratings = draw(seed, labels, n=40, raters=2 + seed % 3, agreement=0.6)
        rows = sorted(ratings, key=lambda row: len({str(label) for label in row}) == 1)  # the first row disagrees
        yield csv_case(f"headless-{name}.csv", None, rows, rows, wrong=careless(rows[1:]))
    agreeing = [(1, 1), *draw(710, [1, 2, 3], n=39)]
    yield csv_case("headless-equal.csv", None, agreeing, agreeing, wrong=careless(agreeing[1:]))
    ratings = draw(711, GRADES, n=30)
    yield csv_case("headless-id.csv", None, beside(range(1, 31), ratings), ratings)
    prefixed = beside([f"P{i:02d}" for i in range(30)], ratings)
    yield csv_case("headless-prefixed-id.csv", None, prefixed, ratings)
    yield csv_case("headless-tabs.txt", None, ratings, ratings, delimiter="\t", wrong=careless(ratings[1:]))
    long = [[i, rater, label] for i, row in enumerate(ratings, 1) for rater, label in zip("AB", row, strict=True)]
    yield csv_case("headless-long.csv", None, long, ratings)


def _two_headers() -> Iterator[Case]:
    ratings = draw(720, GRADES, n=32, raters=4)
    rows: Grid = [list(row) for row in ratings]
    merged = [["Radiologists", "", "Residents", ""], ["Ash", "Bell", "Cole", "Dunn"]]
    yield csv_case("merged-header.csv", None, [*merged, *rows], ratings, wrong=careless([merged[1], *rows]))
    repeated = [["Radiologist", "Radiologist", "Resident", "Resident"], ["1", "2", "1", "2"]]
    yield csv_case("two-headers.csv", None, [*repeated, *rows], ratings, wrong=careless([repeated[1], *rows]))
    numbered = [["", "Radiologists", "", "Residents", ""], ["Patient", "Ash", "Bell", "Cole", "Dunn"]]
    yield csv_case(
        "merged-header-id.csv", None, [*numbered, *beside(range(1, 33), ratings)], ratings,
        wrong=careless([numbered[1][1:], *rows]),
    )  # fmt: skip
    pair = draw(721, [1, 2, 3, 4], n=32)
    labelled = [["r1", "r2"], ["Grade given by the first reader", "Grade given by the second reader"]]
    yield csv_case("names-and-labels.csv", None, [*labelled, *pair], pair, wrong=careless([labelled[1], *pair]))
    units = [["reader A", "reader B"], ["(1-4)", "(1-4)"]]
    yield csv_case("names-and-units.csv", None, [*units, *pair], pair, wrong=careless([units[1], *pair]))
    types = [["r1", "r2"], ["int", "int"]]
    yield csv_case("names-and-types.csv", None, [*types, *pair], pair, wrong=careless([types[1], *pair]))


def _legends() -> Iterator[Case]:
    """A legend of the codes stands below or beside the table."""
    ratings = draw(730, [1, 2, 3], n=30)
    rows = beside(range(1, 31), ratings)
    legend = "\n1 = mild\n2 = moderate\n3 = severe\n"
    yield csv_case("legend-below.csv", ["case", "A", "B"], rows, ratings, after=legend)
    yield csv_case(
        "legend-below-commas.csv", ["case", "A", "B"], rows, ratings, after=",,\nLegend,,\n1,mild,\n2,severe,\n"
    )
    codes = [["", 1, "mild"], ["", 2, "moderate"], ["", 3, "severe"], *([["", "", ""]] * 27)]
    wide = [[*row, *code] for row, code in zip(rows, codes, strict=True)]
    yield csv_case("legend-beside.csv", ["case", "A", "B", "", "code", "meaning"], wide, ratings)
    words = [["", "1 = mild"], ["", "2 = moderate"], ["", "3 = severe"], *([["", ""]] * 27)]
    wide = [[*row, *code] for row, code in zip(rows, words, strict=True)]
    yield csv_case("legend-words-beside.csv", ["case", "A", "B", "", "Legend"], wide, ratings)
    summary = "\nGrade,n\n1,22\n2,19\n3,19\n"
    yield csv_case("summary-below.csv", ["case", "A", "B"], rows, ratings, after=summary)
    words = draw(731, GRADES, n=30)
    crosstab = "".join(f"{a}," + ",".join(str(words.count((a, b))) for b in GRADES) + "\n" for a in GRADES)
    after = "\n," + ",".join(GRADES) + "\n" + crosstab
    yield csv_case("crosstab-below.csv", ["case", "A", "B"], beside(range(1, 31), words), words, after=after)
