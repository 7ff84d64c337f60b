"""Files with one row per rating, whatever their columns are called."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from tests.io.corpus.case import Case, Grid, Ratings, draw
from tests.io.corpus.writers import csv_case

#: Headings of subject, rater and rating, and examples of raters and labels
HEADINGS: tuple[tuple[tuple[str, str, str], Sequence[Any], Sequence[Any]], ...] = (
    (("subject", "rater", "rating"), ["r1", "r2"], [1, 2, 3]),
    (("Subject", "Rater", "Rating"), [1, 2, 3], [1, 2, 3, 4, 5]),
    (("item", "annotator", "label"), ["ann1", "ann2"], ["pos", "neg", "neu"]),
    (("doc_id", "coder", "code"), ["AB", "CD"], ["policy", "person", "other"]),
    (("trial", "judge", "score"), [1, 2, 3, 4], [1, 2, 3, 4, 5]),
    (("text_id", "worker_id", "answer"), ["w17", "w4", "w9"], ["yes", "no"]),
    (("task", "user", "choice"), ["maria", "jon"], ["A", "B", "C"]),
    (("image", "reader", "grade"), ["R1", "R2", "R3"], [0, 1, 2, 3, 4]),
    (("case", "who", "grade"), ["anna", "ben"], [1, 2, 3]),
    (("unit", "observer", "category"), ["obs A", "obs B"], ["grooming", "feeding", "resting"]),
    (("essay", "marker", "mark"), ["M1", "M2"], [2, 3, 4, 5, 6]),
    (("Record ID", "Reviewer", "Decision"), ["Reviewer 1", "Reviewer 2"], ["include", "exclude", "maybe"]),
    (("patient", "method", "result"), ["PCR", "antigen"], ["positive", "negative"]),
    (("patient", "time", "score"), ["pre", "post"], [0, 1, 2, 3]),
    (("participant", "session", "response"), [1, 2], [1, 2, 3, 4, 5, 6, 7]),
    (("question", "model", "verdict"), ["gpt-4", "human", "llama"], ["correct", "incorrect"]),
    (("clip", "student", "emotion"), ["s1", "s2", "s3", "s4"], ["happy", "sad", "angry", "neutral"]),
    (("tooth", "dentist", "caries"), ["Dr. A", "Dr. B"], [0, 1]),
    (("Patient", "Untersucher", "Befund"), ["Meier", "Huber"], ["gut", "mittel", "schlecht"]),
    (("Fall", "Prüfer", "Bewertung"), [1, 2, 3], [1, 2, 3, 4, 5, 6]),
    (("Proband", "Beurteiler", "Urteil"), ["B1", "B2"], ["ja", "nein"]),
    (("sujet", "juge", "note"), ["J1", "J2", "J3"], [1, 2, 3, 4]),
    (("dossier", "évaluateur", "cotation"), ["Durand", "Petit"], ["léger", "modéré", "sévère"]),
    (("sujeto", "evaluador", "puntuación"), ["E1", "E2"], [1, 2, 3]),
    (("caso", "valutatore", "giudizio"), ["V1", "V2"], ["sì", "no"]),
    (("id", "name", "value"), ["rater_1", "rater_2", "rater_3"], [1, 2, 3]),
    (("id", "variable", "value"), ["rater1", "rater2"], ["low", "high"]),
    (("PMID", "screener", "vote"), ["KL", "MM"], ["in", "out"]),
    (("V1", "V2", "V3"), ["x", "y"], ["low", "medium", "high"]),
    (("a", "b", "c"), [1, 2, 3], [1, 2, 3, 4]),
    (("segment", "transcriber", "tag"), ["T1", "T2"], ["N", "V", "ADJ"]),
    (("SubjectID", "RaterID", "Rating"), [101, 102, 103], [1, 2, 3, 4]),
    (("sample_id", "pathologist", "gleason"), ["P1", "P2"], ["3+3", "3+4", "4+3", "4+4"]),
    (("Ausgabe", "Person", "Antwort"), ["Eva", "Tim", "Uwe"], ["richtig", "falsch"]),
)


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    for seed, (heading, raters, labels) in enumerate(HEADINGS, 400):
        ratings = draw(seed, labels, n=25 + seed % 10, raters=len(raters), missing=0.1 if seed % 4 == 0 else 0.0)
        subjects = [f"s{i:02d}" for i in range(len(ratings))] if seed % 2 else list(range(1, len(ratings) + 1))
        rows = long_rows(ratings, subjects, raters)
        if seed % 3 == 0:
            random.Random(seed).shuffle(rows)
        elif seed % 3 == 1:
            rows.sort(key=lambda row: raters.index(row[1]))
        yield csv_case(f"long-{seed}.csv", heading, rows, ratings)
    yield from _other_orders_of_columns()
    yield from _further_columns()
    yield from _incomplete()


def _other_orders_of_columns() -> Iterator[Case]:
    orders = {
        "rater-first": ("rater", "item", "rating"),
        "rating-first": ("rating", "rater", "subject"),
        "rating-middle": ("case", "diagnosis", "doctor"),
        "who-what-about": ("coder", "code", "document"),
    }
    places = {
        "rater-first": (1, 0, 2),
        "rating-first": (2, 1, 0),
        "rating-middle": (0, 2, 1),
        "who-what-about": (1, 2, 0),
    }
    for seed, (name, heading) in enumerate(orders.items(), 450):
        ratings = draw(seed, ["low", "medium", "high"], n=30)
        rows = long_rows(ratings, range(1, 31), ["A", "B"])
        yield csv_case(f"order-{name}.csv", heading, [[row[i] for i in places[name]] for row in rows], ratings)
    numbers = draw(455, [1, 2, 3], n=30, raters=3)
    rows = long_rows(numbers, range(1, 31), [1, 2, 3])
    yield csv_case(
        "order-all-numbers.csv", ["judge", "essay", "mark"], [[row[1], row[0], row[2]] for row in rows], numbers
    )


def _further_columns() -> Iterator[Case]:
    """Times, comments, indices and texts beside the three columns."""
    rng = random.Random(5)
    ratings = draw(460, ["pos", "neg", "neu"], n=30, raters=3)
    rows = long_rows(ratings, [f"doc{i}" for i in range(30)], ["ann1", "ann2", "ann3"])
    stamps = [f"2024-02-{rng.randint(1, 28):02d}T{rng.randint(8, 18):02d}:{rng.randint(0, 59):02d}:00Z" for _ in rows]
    heading = ["item", "annotator", "label"]
    yield csv_case("more-timestamp.csv", [*heading, "timestamp"], _with(rows, stamps), ratings)
    yield csv_case("more-timestamp-first.csv", ["timestamp", *heading], _before(rows, stamps), ratings)
    yield csv_case("more-index.csv", ["", *heading], _before(rows, range(len(rows))), ratings)
    yield csv_case("more-row-id.csv", ["id", *heading], _before(rows, range(1, len(rows) + 1)), ratings)
    seconds = [rng.randint(3, 90) for _ in rows]
    yield csv_case("more-seconds.csv", [*heading, "lead_time"], _with(rows, seconds), ratings)
    confidence = [rng.randint(1, 5) for _ in rows]
    yield csv_case("more-confidence.csv", [*heading, "confidence"], _with(rows, confidence), ratings)
    remarks = [rng.choice(["", "", "", "unclear text"]) for _ in rows]
    yield csv_case("more-comment.csv", [*heading, "comment"], _with(rows, remarks), ratings)
    texts = {f"doc{i}": f"message number {i}, as it was posted" for i in range(30)}
    yield csv_case("more-text.csv", [*heading, "text"], _with(rows, [texts[row[0]] for row in rows]), ratings)
    codes = [{"neg": -1, "neu": 0, "pos": 1}[row[2]] for row in rows]
    yield csv_case("more-code.csv", [*heading, "label_code"], _with(rows, codes), ratings)
    experience = [{"ann1": "expert", "ann2": "novice", "ann3": "expert"}[row[1]] for row in rows]
    yield csv_case("more-experience.csv", [*heading, "experience"], _with(rows, experience), ratings)
    site = [int(row[0][3:]) % 3 + 1 for row in rows]
    yield csv_case("more-site.csv", ["site", *heading], _before(rows, site), ratings)
    second = [rng.choice(["pos", "neg", "neu"]) for _ in rows]
    yield csv_case(
        "more-ratings.csv", ["item", "annotator", "stance", "sentiment"], _with(rows, second), ratings,
        options=("--layout", "long", "--rating", "stance"),
    )  # fmt: skip
    pairs = draw(461, [1, 2, 3, 4, 5], n=35)
    rows = long_rows(pairs, range(1, 36), ["Anna", "Ben"])
    rows = [[subject, 40 + subject, rater, label] for subject, rater, label in rows]
    yield csv_case("more-age.csv", ["patient", "age", "nurse", "NRS"], rows, pairs)
    scores = draw(462, [0, 1, 2, 3, 4, 5, 6], n=6, raters=14, agreement=0.5)
    rows = long_rows(scores, [f"stim{i}" for i in range(1, 7)], [f"p{i:02d}" for i in range(1, 15)])
    yield csv_case("more-raters-than-items.csv", ["participant", "stimulus", "score"],
                   [[row[1], row[0], row[2]] for row in rows], scores)  # fmt: skip
    square = draw(463, [1, 2, 3, 4, 5], n=8, raters=8, agreement=0.5)
    rows = long_rows(square, range(1, 9), range(1, 9))
    yield csv_case("as-many-raters-as-items.csv", ["wine", "taster", "points"], rows, square)


def _incomplete() -> Iterator[Case]:
    """Some ratings are missing, as rows that are not there, or as rows without a rating."""
    crowd = _crowd(470, workers=8, each=3, n=40)
    names = [f"A{i}XK{i * 37 % 91}" for i in range(8)]
    yield csv_case("crowd.csv", ["item_id", "worker", "label"], long_rows(crowd, range(1, 41), names), crowd)
    ratings = draw(471, [1, 2, 3, 4], n=40, raters=3, missing=0.15)
    for name, token in {"empty": "", "na": "NA", "nan": "nan", "dot": ".", "null": "null", "question": "?"}.items():
        rows = [
            [i, f"R{a + 1}", token if label is None else label]
            for i, row in enumerate(ratings, 1)
            for a, label in enumerate(row)
        ]
        yield csv_case(f"incomplete-{name}.csv", ["case", "reader", "grade"], rows, ratings)
    rows = long_rows(ratings, range(1, 41), ["R1", "R2", "R3"])
    yield csv_case("semicolons.csv", ["Fall", "Leser", "Grad"], rows, ratings, delimiter=";", newline="\r\n")
    yield csv_case("tabs.txt", ["case", "reader", "grade"], rows, ratings, delimiter="\t")
    yield csv_case("quoted.csv", ["case", "reader", "grade"], rows, ratings, quote_all=True)
    large = draw(472, ["benign", "malignant"], n=400, raters=4, missing=0.05)
    rows = long_rows(large, [f"L{i:04d}" for i in range(400)], ["Ra", "Rb", "Rc", "Rd"])
    yield csv_case("large.csv", ["lesion", "radiologist", "finding"], rows, large)


def long_rows(ratings: Ratings, subjects: Sequence[Any], raters: Sequence[Any]) -> Grid:
    """Return one row of subject, rater and label per rating; missing ratings have none."""
    return [
        [subject, rater, label]
        for subject, row in zip(subjects, ratings, strict=True)
        for rater, label in zip(raters, row, strict=True)
        if label is not None
    ]


def _crowd(seed: int, *, workers: int, each: int, n: int) -> Ratings:
    """Return ratings of which every subject has only a few, by different workers."""
    rng = random.Random(seed)
    complete = draw(seed, ["yes", "no", "unsure"], n=n, raters=workers)
    chosen = [rng.sample(range(workers), each) for _ in range(n)]
    return [
        tuple(one if a in who else None for a, one in enumerate(row)) for row, who in zip(complete, chosen, strict=True)
    ]


def _with(rows: Grid, column: Sequence[Any]) -> Grid:
    return [[*row, cell] for row, cell in zip(rows, column, strict=True)]


def _before(rows: Grid, column: Sequence[Any]) -> Grid:
    return [[cell, *row] for row, cell in zip(rows, column, strict=True)]
