"""Files of studies with several observations per subject, several items or several occasions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.io.corpus.case import Case, Ratings, draw
from tests.io.corpus.long_tables import long_rows
from tests.io.corpus.writers import beside, csv_case, json_array, json_lines

SCALE = [1, 2, 3, 4, 5]
GRADES = ["mild", "moderate", "severe"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield from _numbered_within_subjects()
    yield from _facts_with_the_labels_of_ratings()
    yield from _several_items()
    yield from _subjects_named_by_two_columns()
    yield from _lists_without_names()
    yield from _marks()
    yield from _codes_of_one_rater()


def _numbered_within_subjects() -> Iterator[Case]:
    """A column numbers the observations of each subject by numbers that are also ratings."""
    designs: list[tuple[str, str, int, Sequence[object]]] = [
        ("patient", "eye", 2, [1, 2]),
        ("patient", "level", 5, SCALE),
        ("participant", "trial", 5, SCALE),
        ("participant", "question", 4, [1, 2, 3, 4]),
        ("student", "task", 3, [1, 2, 3]),
        ("segment", "film", 6, [1, 2, 3, 4, 5, 6]),
        ("plot", "day", 4, [1, 2, 3, 4]),
        ("quadrat", "transect", 4, [1, 2, 3, 4]),
    ]
    for seed, (subject, within, size, numbers) in enumerate(designs, 2600):
        ratings = draw(seed, SCALE, n=8 * size, raters=2 + seed % 2)
        raters = ["Ann", "Bob", "Cleo"][: len(ratings[0])]
        about = [1 + i // size for i in range(len(ratings))], [numbers[i % size] for i in range(len(ratings))]
        yield csv_case(f"{subject}-and-{within}.csv", [subject, within, *raters], beside(*about, ratings), ratings)


def _facts_with_the_labels_of_ratings() -> Iterator[Case]:
    """A column about the subjects has the labels of the ratings, and only its name says what it is."""
    for seed, name in enumerate(("female", "male", "smoker", "eye", "exposed"), 2620):
        ratings = draw(seed, [0, 1], n=40)
        fact = [(i * 7 + i // 3) % 2 for i in range(40)]
        yield csv_case(f"fact-{name}.csv", ["id", name, "A", "B"], beside(range(1, 41), fact, ratings), ratings)
    ratings = draw(2630, SCALE, n=40)
    classes = [1 + i * 7 % 4 for i in range(40)]
    yield csv_case(
        "class-of-students.csv",
        ["student", "class", "teacher1", "teacher2"],
        beside(range(1, 41), classes, ratings),
        ratings,
    )


def _several_items() -> Iterator[Case]:
    """Every rater has one column per item or occasion; the agreement of a file is that on its first item."""
    headings = [
        ["pain_A", "pain_B", "fever_A", "fever_B"],
        ["item1_rater1", "item1_rater2", "item2_rater1", "item2_rater2"],
        ["Q1 coder1", "Q1 coder2", "Q1 coder3", "Q2 coder1", "Q2 coder2", "Q2 coder3"],
        ["anna_pre", "anna_post", "ben_pre", "ben_post"],
        ["A_time1", "A_time2", "B_time1", "B_time2"],
    ]
    chosen = [[0, 1], [0, 1], [0, 1, 2], [0, 1], [0, 2]]
    for i, (heading, first) in enumerate(zip(headings, chosen, strict=True)):
        every = draw(2640 + i, GRADES if i % 2 else [0, 1, 2], n=40, raters=len(heading))
        ratings = [tuple(row[a] for a in first) for row in every]
        rows = beside([f"S{n:02d}" for n in range(40)], every)
        yield csv_case(f"items-{i + 1}.csv", ["id", *heading], rows, ratings)


def _subjects_named_by_two_columns() -> Iterator[Case]:
    """Numbers of subjects repeat in every site, or the same subjects are rated on several occasions."""
    for seed, (outer, inner, rater, rating) in enumerate(
        [
            ("site", "patient", "reader", "grade"),
            ("centre", "subject", "rater", "rating"),
            ("visit", "patient_id", "rater", "score"),
            ("occasion", "id", "judge", "rating"),
            ("session", "item", "annotator", "label"),
        ],
        2660,
    ):
        ratings = draw(seed, GRADES, n=30, raters=2 + seed % 2)
        subjects = [(1 + i // 10, 1 + i % 10) for i in range(30)]
        long = long_rows(ratings, subjects, ["Ann", "Bob", "Cleo"][: len(ratings[0])])
        rows = [[*subject, name, label] for subject, name, label in long]
        yield csv_case(f"within-{outer}.csv", [outer, inner, rater, rating], rows, ratings, wrong=_without(ratings))


def _without(ratings: Ratings) -> Ratings:
    """Return the ratings of the first ten subjects, which remain if numbers of subjects are taken as names."""
    return ratings[:10]


def _lists_without_names() -> Iterator[Case]:
    """Lists in JSON, one per subject."""
    ratings = draw(2680, GRADES, n=30)
    yield Case("lists.json", json_array([list(row) for row in ratings]), ratings, wrong=ratings[1:])
    named = draw(2681, [1, 2, 3], n=30, raters=3)
    yield Case("named-lists.json", json_array([["A", "B", "C"], *map(list, named)]), named)
    lines = draw(2682, GRADES, n=30)
    yield Case("lists.jsonl", json_lines([list(row) for row in lines]), lines, wrong=lines[1:])


def _marks() -> Iterator[Case]:
    """A mark says that a code applies, and an empty cell that it does not."""
    for seed, mark in enumerate(("x", "●", 1), 2690):
        ratings = draw(seed, [mark, "no"], n=40, raters=2 + seed % 2)
        cells = [tuple("" if label == "no" else label for label in row) for row in ratings]
        heading = ["document", "Ann", "Bob", "Cleo"][: 1 + len(ratings[0])]
        yield csv_case(f"mark-{seed}.csv", heading, beside([f"Interview {i}" for i in range(40)], cells), ratings)


def _codes_of_one_rater() -> Iterator[Case]:
    """One rater wrote abbreviations or codes, and the other whole words."""
    written: list[tuple[list[str], list[object]]] = [
        (["no", "yes"], [0, 1]),
        (["negative", "positive"], ["N", "P"]),
        (["absent", "present"], [0, 1]),
        (["mild", "severe", "none"], ["m", "s", "n"]),
    ]
    for seed, (words, codes) in enumerate(written, 2700):
        ratings = draw(seed, words, n=40)
        rows = [[i, codes[words.index(a)], b] for i, (a, b) in enumerate(ratings, 1)]
        yield csv_case(f"codes-{seed}.csv", ["id", "A", "B"], rows, ratings)
