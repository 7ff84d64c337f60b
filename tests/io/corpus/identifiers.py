"""Files with a column that identifies the subjects, which is no rater."""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from tests.io.corpus.case import Case, Ratings, draw
from tests.io.corpus.writers import beside, csv_case

GRADES = ["mild", "moderate", "severe"]

#: Usual names of a column of consecutive numbers
NUMBERED = (
    "id", "ID", "subject", "Subject ID", "patient", "PatientID", "patient_id", "item", "case", "Case No.", "record_id",
    "", "Unnamed: 0", "X", "...1", "index", "Nr", "No.", "#", "Lfd. Nr.", "Fall", "sujet", "id_paciente", "doc_id",
    "participant", "sample", "MRN", "obs", "image_id", "pmid", "row", "StudyID", "subj", "pt_no", "question_id",
    "Patient",
)  # fmt: skip


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield from _numbered()
    yield from _other_values()
    yield from _other_places()
    yield from _beside_look_alikes()


def _numbered() -> Iterator[Case]:
    """Consecutive numbers beside grades 1 to 5, of which the first few are numbers of subjects too."""
    for seed, name in enumerate(NUMBERED):
        ratings = draw(seed, [1, 2, 3, 4, 5], n=24 + seed, raters=2 + seed % 3)
        header = [name, *(f"rater{a + 1}" for a in range(len(ratings[0])))]
        rows = beside(range(1, len(ratings) + 1), ratings)
        yield csv_case(f"number-{seed:02d}.csv", header, rows, ratings, note=re.escape(name) or ".")


def _other_values() -> Iterator[Case]:
    rng = random.Random(1)
    n = 36
    columns: dict[str, tuple[str, Sequence[Any]]] = {
        "prefixed": ("patient", [f"P{i:03d}" for i in range(1, n + 1)]),
        "unusual-name": ("key", [f"S-{i}" for i in rng.sample(range(1000), n)]),
        "file-names": ("image", [f"img_{i:04d}.png" for i in range(n)]),
        "uuids": ("uid", [str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(n)]),
        "addresses": ("url", [f"https://example.org/post/{i}?lang=de" for i in rng.sample(range(10**6), n)]),
        "e-mail": ("E-Mail", [f"person{i}@example.org" for i in range(n)]),
        "long-numbers": ("hospital number", [rng.randrange(10**12, 10**13) for _ in range(n)]),
        "gaps": ("case number", sorted(rng.sample(range(1, 400), n))),
        "from-zero": ("", list(range(n))),
        "titles": ("Title", [f"A study of outcome {i} in ward {i % 7}, a {i}-year follow-up" for i in range(n)]),
        "initials": ("Patient initials", [f"{chr(65 + i % 26)}.{chr(65 + i * 7 % 26)}.{i // 26}" for i in range(n)]),
        "sentences": ("text", [f"the {rng.choice(['red', 'blue'])} device no. {i} stopped" for i in range(n)]),
        "nearly-unique": ("patient", [f"P{max(i, 2):03d}" for i in range(1, n + 1)]),
        "leading-zeros": ("subject", [f"{i:04d}" for i in range(1, n + 1)]),
        "decimal": ("item", [f"{i}.0" for i in range(1, n + 1)]),
        "accession": ("accession", [f"2023-{i:05d}" for i in rng.sample(range(10**5), n)]),
        "tooth": ("tooth", [f"{q}{t}" for q in range(1, 6) for t in range(1, 9)][:n]),
        "slide-block": ("slide", [f"{i // 2 + 1}{'AB'[i % 2]}" for i in range(n)]),
        "seconds": ("window", [f"{i * 10}-{i * 10 + 10}s" for i in range(n)]),
        "clips": ("clip", [f"clip{i:02d}.mp4" for i in range(n)]),
    }  # fmt: skip
    for seed, (name, (heading, values)) in enumerate(columns.items(), 100):
        ratings = draw(seed, GRADES if seed % 2 else [0, 1], n=n, raters=2 + seed % 2)
        header = [heading, *("Dr. Ash", "Dr. Bell", "Dr. Cole")[: len(ratings[0])]]
        yield csv_case(f"id-{name}.csv", header, beside(values, ratings), ratings, note=re.escape(heading) or ".")


def _other_places() -> Iterator[Case]:
    ratings = draw(130, [1, 2, 3], n=30, raters=3)
    numbers = list(range(101, 131))
    yield csv_case("id-last.csv", ["r1", "r2", "r3", "case"], beside(ratings, numbers), ratings)
    middle = [[row[0], number, *row[1:]] for number, row in zip(numbers, ratings, strict=True)]
    yield csv_case("id-middle.csv", ["A", "id", "B", "C"], middle, ratings)
    sites = [f"site {1 + i % 3}" for i in range(30)]
    yield csv_case(
        "id-site-and-patient.csv", ["site", "patient", "r1", "r2", "r3"], beside(sites, numbers, ratings), ratings
    )
    yield csv_case("id-two-of-them.csv", ["", "record_id", "A", "B", "C"], beside(range(30), numbers, ratings), ratings)
    yield csv_case(
        "id-index-and-number.csv", ["", "id", "A", "B", "C"], beside(range(30), range(1, 31), ratings), ratings
    )
    few = draw(131, [1, 2, 3, 4, 5], n=5, agreement=0.6)
    yield csv_case("id-five-subjects.csv", ["subject", "rater1", "rater2"], beside(range(1, 6), few), few)
    ten = draw(132, list(range(11)), n=10, agreement=0.6)
    yield csv_case("id-among-the-scores.csv", ["patient", "nurse", "physician"], beside(range(1, 11), ten), ten)
    four = draw(133, ["A", "B", "C", "D"], n=4, agreement=0.5)
    yield csv_case("id-letters.csv", ["item", "judge 1", "judge 2"], beside("ABCD", four), four)
    tabs = draw(134, ["no", "yes"], n=50)
    yield csv_case("id-tabs.tsv", ["ID", "first", "second"], beside(range(1, 51), tabs), tabs, delimiter="\t")
    german = draw(135, ["gut", "mittel", "schlecht"], n=33)
    yield csv_case(
        "id-excel-deutsch.csv",
        ["Patientennummer", "Prüfer 1", "Prüfer 2"],
        beside(range(1, 34), german),
        german,
        delimiter=";",
        newline="\r\n",
        encoding="utf-8-sig",
    )
    shuffled = list(range(1, 41))
    random.Random(9).shuffle(shuffled)
    mixed = draw(136, [1, 2, 3, 4], n=40, raters=4)
    yield csv_case("id-shuffled.csv", ["case", "w", "x", "y", "z"], beside(shuffled, mixed), mixed)
    incomplete = draw(137, [1, 2, 3, 4], n=40, raters=3, missing=0.15)
    yield csv_case("id-incomplete.csv", ["unit", "c1", "c2", "c3"], beside(range(1, 41), incomplete), incomplete)


def _beside_look_alikes() -> Iterator[Case]:
    """Identifiers beside ratings that look like identifiers, counts or other columns themselves."""
    numbered = draw(140, [1, 2, 3, 4, 5], n=30, raters=3)
    yield csv_case("raters-are-numbers.csv", ["subject", 1, 2, 3], beside(range(1, 31), numbered), numbered)
    yield csv_case("raters-are-years.csv", ["id", 2019, 2020, 2021], beside(range(1, 31), numbered), numbered)
    large = draw(141, [1, 2, 3], n=3000, raters=3)
    yield csv_case("id-large.csv", ["id", "A", "B", "C"], beside(range(1, 3001), large), large)
    square = draw(142, list(range(11)), n=5, raters=5, agreement=0.5)
    yield csv_case("id-square.csv", ["subject", "r1", "r2", "r3", "r4", "r5"], beside(range(1, 6), square), square)
    named = draw(143, list(range(1, 8)), n=4, raters=4, agreement=0.5)
    yield csv_case("id-square-words.csv", ["dish", "Ann", "Bob", "Cem", "Dot"], beside(DISHES[:4], named), named)
    within = [1 + i % 15 for i in range(45)]
    sites = [1 + i // 15 for i in range(45)]
    ratings = draw(144, [1, 2, 3, 4, 5], n=45)
    yield csv_case("id-within-sites.csv", ["site", "patient", "r1", "r2"], beside(sites, within, ratings), ratings)
    lesions = beside([1 + i // 2 for i in range(46)], [1 + i % 2 for i in range(46)], draw(145, [1, 2, 3, 4, 5], n=46))
    yield csv_case("id-lesions.csv", ["patient", "lesion", "r1", "r2"], lesions, draw(145, [1, 2, 3, 4, 5], n=46))
    blanks = [f"P{i}" if i % 9 else "" for i in range(1, 46)]
    yield csv_case("id-blanks.csv", ["patient", "r1", "r2"], beside(blanks, ratings), ratings)
    ranks = _rankings(146, 8, 3)
    yield csv_case("id-rankings.csv", ["item", "judge1", "judge2", "judge3"], beside(range(1, 9), ranks), ranks)
    yield csv_case("id-rankings-words.csv", ["dish", "Ann", "Bob", "Cem"], beside(DISHES, ranks), ranks)
    scores = draw(147, list(range(0, 43, 2)), n=10, raters=3, agreement=0.6)
    yield csv_case("id-nearly-unique-scores.csv", ["patient", "A", "B", "C"], beside(range(1, 11), scores), scores)
    for seed, names in enumerate(
        (("total_rater1", "total_rater2"), ("bone age R1", "bone age R2"), ("sex_A", "sex_B"), ("match_1", "match_2"),
         ("agree_A", "agree_B"), ("note_juge1", "note_juge2"), ("Anna", "Max"), ("May", "June"), ("N", "M")), 150,
    ):  # fmt: skip
        pair = draw(seed, ["M", "F"] if names[0] == "sex_A" else [1, 2, 3, 4], n=40)
        yield csv_case(f"id-and-{names[0].replace(' ', '-')}.csv", ["id", *names], beside(range(1, 41), pair), pair)


#: Items without numbers
DISHES = ("soup", "salad", "pasta", "stew", "curry", "pie", "rice", "cake")


def _rankings(seed: int, n: int, judges: int) -> Ratings:
    """Return rankings that are alike: each judge gives each rank once."""
    rng = random.Random(seed)
    columns = [sorted(range(1, n + 1), key=lambda rank: rank + rng.gauss(0, 1.2)) for _ in range(judges)]
    return list(zip(*columns, strict=True))
