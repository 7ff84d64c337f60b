"""Files with columns beside the raters: who the subjects are, what was agreed, and what was computed."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.io.corpus.case import Case, Grid, Ratings, careless, draw
from tests.io.corpus.writers import beside, csv_case, csv_text

YES_NO = ["no", "yes"]
SCALE = [1, 2, 3, 4, 5]
GRADES = ["mild", "moderate", "severe"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield from _one_column_about_the_subject()
    yield from _several_columns()
    yield from _agreed_ratings()
    yield from _computed_columns()
    yield from _codes_and_labels()
    yield from _columns_of_each_rater()
    yield from _awkward_names()


def _one_column_about_the_subject() -> Iterator[Case]:
    """One column that describes the subjects, before or after the raters."""
    rng = random.Random(2)

    def pick(values: Sequence[Any], empty: float = 0.0) -> Callable[[int], list[Any]]:
        return lambda n: ["" if rng.random() < empty else rng.choice(values) for _ in range(n)]

    remarks = ["poor image quality", "see report", "second reading needed", "motion artefact", "ok"]
    columns: list[tuple[str, str, list[Any], Callable[[int], list[Any]]]] = [
        ("age", "age", GRADES, pick(range(18, 90))),
        ("age-numbers", "Age", SCALE, pick(range(18, 90))),
        ("age-in-the-scale", "age", SCALE, pick(range(1, 12))),
        ("age-group", "age_group", SCALE, pick([1, 2, 3])),
        ("alter", "Alter", SCALE, pick(range(18, 90))),
        ("sex", "sex", GRADES, pick(["m", "f"])),
        ("sex-codes", "Sex", [1, 2, 3], pick([1, 2])),
        ("gender", "gender", YES_NO, pick(["male", "female", "diverse"])),
        ("geschlecht", "Geschlecht", ["ja", "nein"], pick(["m", "w"])),
        ("sexe", "sexe", ["oui", "non"], pick(["H", "F"])),
        ("sexo", "sexo", ["sí", "no"], pick(["H", "M"])),
        ("site-letters", "site", YES_NO, pick(["A", "B", "C"])),
        ("site-numbers", "site", SCALE, pick([1, 2, 3])),
        ("center", "center", [0, 1], pick([1, 2, 3, 4])),
        ("ward", "Ward", GRADES, pick(["3A", "3B", "ICU"])),
        ("arm", "arm", [0, 1], pick([0, 1])),
        ("group", "group", GRADES, pick(["treatment", "control"])),
        ("visit", "visit", SCALE, pick([1, 2, 3])),
        ("batch", "batch", SCALE, pick([1, 2, 3, 4])),
        ("notes", "notes", YES_NO, pick(remarks, empty=0.7)),
        ("comment", "Comments", SCALE, pick(remarks, empty=0.5)),
        ("bemerkung", "Bemerkung", SCALE, pick(["unscharf", "bitte prüfen"], empty=0.8)),
        ("notes-with-label", "remarks", YES_NO, pick(["yes", "check", "no image"], empty=0.8)),
        ("date", "date", GRADES, lambda n: [f"2023-0{rng.randint(1, 9)}-{rng.randint(10, 28)}" for _ in range(n)]),
        ("datum", "Datum", GRADES, lambda n: [f"{rng.randint(10, 28)}.0{rng.randint(1, 3)}.2023" for _ in range(n)]),
        ("one-day", "Date", GRADES, pick(["3/14/2023", "3/15/2023"])),
        ("year", "year", SCALE, pick([2019, 2020, 2021])),
        ("minutes", "duration_min", SCALE, pick([2, 3, 4, 5, 6, 7])),
        ("seconds", "reading time (s)", SCALE, lambda n: [round(rng.uniform(8, 90), 1) for _ in range(n)]),
        ("bmi", "BMI", SCALE, lambda n: [round(rng.gauss(26, 4), 1) for _ in range(n)]),
        ("weight", "weight_kg", SCALE, pick(range(48, 110))),
        ("constant", "study", GRADES, pick(["ABC-1"])),
        ("version", "form_version", SCALE, pick([1])),
        ("language", "language", ["positive", "negative", "neutral"], pick(["en", "de", "fr"])),
        ("source", "source", ["positive", "negative", "neutral"], pick(["twitter", "reddit"])),
        ("length", "n_tokens", [0, 1], pick(range(5, 60))),
        ("modality", "modality", GRADES, pick(["CT", "MRI"])),
        ("side", "side", GRADES, pick(["left", "right"])),
        ("no-name", "V7", GRADES, pick(["red", "blue"])),
        ("status", "status", YES_NO, pick(["complete", "in progress"])),
    ]  # fmt: skip
    for seed, (name, heading, labels, values) in enumerate(columns, 200):
        ratings = draw(seed, labels, n=40 + seed % 9, raters=2 + seed % 2)
        raters = [f"rater{a + 1}" for a in range(len(ratings[0]))]
        column = values(len(ratings))
        if seed % 3:
            yield csv_case(f"with-{name}.csv", [heading, *raters], beside(column, ratings), ratings)
        else:
            yield csv_case(f"with-{name}.csv", [*raters, heading], beside(ratings, column), ratings)


def _several_columns() -> Iterator[Case]:
    rng = random.Random(3)
    n = 45
    about: dict[str, list[Any]] = {
        "patient": [f"P{i:03d}" for i in range(1, n + 1)],
        "age": [rng.randint(30, 85) for _ in range(n)],
        "sex": [rng.choice("mf") for _ in range(n)],
        "site": [rng.choice(["Basel", "Bern"]) for _ in range(n)],
        "date": [f"2022-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}" for _ in range(n)],
    }
    ratings = draw(260, GRADES, n=n)
    yield csv_case("clinical-study.csv", [*about, "reader A", "reader B"], beside(*about.values(), ratings), ratings)
    numbers = draw(261, SCALE, n=n, raters=4)
    yield csv_case("clinical-numbers.csv", [*about, "r1", "r2", "r3", "r4"], beside(*about.values(), numbers), numbers)
    notes = [rng.choice(["", "", "blurred", "repeat"]) for _ in range(n)]
    yield csv_case("clinical-around.csv", ["age", "r1", "r2", "notes"], beside(about["age"], ratings, notes), ratings)
    incomplete = draw(262, YES_NO, n=n, raters=3, missing=0.1)
    yield csv_case(
        "clinical-incomplete.csv",
        ["patient", "sex", "Dr. A", "Dr. B", "Dr. C", "comment"],
        beside(about["patient"], about["sex"], incomplete, notes),
        incomplete,
    )
    commas = draw(263, YES_NO, n=n)
    yield csv_case(
        "names-with-commas.csv",
        ["age", "Smith, John", "Doe, Jane"],
        beside(about["age"], commas),
        commas,
    )
    quotes = draw(264, YES_NO, n=n)
    yield csv_case(
        "names with spaces and 'quotes'.csv", ["sex", "O'Neil", 'J. "Bo" Day'], beside(about["sex"], quotes), quotes
    )
    unicode_names = draw(265, YES_NO, n=n)
    yield csv_case(
        "names-unicode.csv", ["site", "Zoë Müller", "李 雷"], beside(about["site"], unicode_names), unicode_names
    )


def _agreed_ratings() -> Iterator[Case]:
    """Columns that say what the raters agreed on, in the raters' own labels."""
    agreed = (
        "consensus", "Consensus", "final", "final_label", "gold", "gold_standard", "majority", "majority_vote",
        "adjudicated", "Konsens", "reference", "ground_truth", "truth", "consenso", "resolved",
    )  # fmt: skip
    for seed, heading in enumerate(agreed, 300):
        ratings = draw(seed, YES_NO if seed % 2 else GRADES, n=50, raters=2 + seed % 2, agreement=0.6)
        header = [*(f"coder_{'ABC'[a]}" for a in range(len(ratings[0]))), heading]
        yield csv_case(f"agreed-{seed}.csv", header, beside(ratings, _majority(ratings)), ratings)
    ratings = draw(320, YES_NO, n=40, agreement=0.6)
    partly = [row[0] if row[0] == row[1] else "" for row in ratings]
    yield csv_case("agreed-partly.csv", ["A", "B", "consensus"], beside(ratings, partly), ratings)
    same = ["yes" if row[0] == row[1] else "no" for row in ratings]
    for name in ("agree", "Agreement", "match", "same?", "Übereinstimmung", "concordance", "disagree"):
        yield csv_case(f"agree-{name.lower().strip('?')}.csv", ["A", "B", name], beside(ratings, same), ratings)
    binary = draw(321, [0, 1], n=60, agreement=0.6)
    for name in ("agree", "match", "conflict"):
        flags = [int(row[0] == row[1]) for row in binary]
        yield csv_case(f"agree-01-{name}.csv", ["r1", "r2", name], beside(binary, flags), binary)
    truths = draw(322, ["True", "False"], n=60, agreement=0.6)
    flags = [str(row[0] == row[1]) for row in truths]
    yield csv_case("agree-booleans.csv", ["human", "gpt-4", "correct"], beside(truths, flags), truths)
    flags = ["x" if row[0] != row[1] else "" for row in truths]
    yield csv_case("disagree-crosses.csv", ["human", "gpt-4", "discuss"], beside(truths, flags), truths)


def _computed_columns() -> Iterator[Case]:
    three = draw(330, SCALE, n=40, raters=3)
    two = draw(331, [1, 2, 3], n=40)
    for name in ("mean", "Average", "avg_score", "Mittelwert", "moyenne"):
        means = [round(sum(row) / 3, 2) for row in three]
        yield csv_case(f"computed-{name}.csv", ["r1", "r2", "r3", name], beside(three, means), three)
    for name in ("sum", "Total", "Summe", "total score"):
        yield csv_case(f"computed-{name}.csv", ["r1", "r2", name], beside(two, [sum(row) for row in two]), two)
    yield csv_case("computed-diff.csv", ["r1", "r2", "diff"], beside(two, [row[0] - row[1] for row in two]), two)
    distances = [abs(row[0] - row[1]) for row in two]
    yield csv_case("computed-abs.csv", ["r1", "r2", "abs difference"], beside(two, distances), two)
    yield csv_case(
        "computed-median.csv", ["r1", "r2", "r3", "median"], beside(three, [sorted(row)[1] for row in three]), three
    )
    yield csv_case("computed-max.csv", ["r1", "r2", "r3", "max"], beside(three, [max(row) for row in three]), three)
    spread = [max(row) - min(row) for row in three]
    yield csv_case("computed-range.csv", ["r1", "r2", "r3", "range"], beside(three, spread), three)
    votes = [Counter(row).most_common(1)[0][1] for row in three]
    yield csv_case("computed-votes.csv", ["r1", "r2", "r3", "n_agree"], beside(three, votes), three)


def _codes_and_labels() -> Iterator[Case]:
    ratings = draw(340, GRADES, n=45)
    codes = [tuple(GRADES.index(label) + 1 for label in row) for row in ratings]
    yield csv_case("codes-after.csv", ["r1", "r2", "r1_code", "r2_code"], beside(ratings, codes), ratings)
    pairs = [(a, x, b, y) for (a, b), (x, y) in zip(ratings, codes, strict=True)]
    yield csv_case("codes-beside.csv", ["rater1", "rater1_num", "rater2", "rater2_num"], beside(pairs), ratings)
    yield csv_case(
        "codes-before.csv",
        ["A code", "A label", "B code", "B label"],
        beside([(x, a, y, b) for a, x, b, y in pairs]),
        ratings,
    )
    german = draw(341, ["ja", "nein", "unklar"], n=45)
    coded = [tuple({"ja": 1, "nein": 0, "unklar": 9}[label] for label in row) for row in german]
    yield csv_case(
        "codes-deutsch.csv",
        ["Fall", "Prüfer1", "Prüfer2", "Prüfer1_Code", "Prüfer2_Code"],
        beside(range(1, 46), german, coded),
        german,
        delimiter=";",
    )
    short = [tuple(label[:3].upper() for label in row) for row in ratings]
    yield csv_case("codes-short.csv", ["r1", "r2", "r1_abbr", "r2_abbr"], beside(ratings, short), ratings)


def _columns_of_each_rater() -> Iterator[Case]:
    """Each rater has further columns: confidence, time, comments."""
    rng = random.Random(4)
    ratings = draw(350, YES_NO, n=48)
    rows: Grid = [[a, rng.randint(1, 5), b, rng.randint(1, 5)] for a, b in ratings]
    yield csv_case("each-confidence.csv", ["r1", "r1_confidence", "r2", "r2_confidence"], rows, ratings)
    numbers = draw(351, SCALE, n=48)
    rows = [[a, rng.randint(1, 5), b, rng.randint(1, 5)] for a, b in numbers]
    header = ["rater1", "rater1 confidence (1-5)", "rater2", "rater2 confidence (1-5)"]
    yield csv_case("each-confidence-numbers.csv", header, rows, numbers)
    rows = [[a, f"2024-05-0{rng.randint(1, 9)}", b, f"2024-05-1{rng.randint(0, 9)}"] for a, b in ratings]
    yield csv_case("each-date.csv", ["rating_A", "date_A", "rating_B", "date_B"], rows, ratings)
    rows = [[a, rng.choice(["", "", "unsure"]), b, rng.choice(["", "", "faint"])] for a, b in ratings]
    yield csv_case("each-comment.csv", ["A", "A comment", "B", "B comment"], rows, ratings)
    probabilities = [[a, b, round(rng.random(), 3)] for a, b in ratings]
    yield csv_case("model-probability.csv", ["human", "model", "model_prob"], probabilities, ratings)
    two_items = [[*one, *other] for one, other in zip(ratings, draw(352, YES_NO, n=48, agreement=0.4), strict=True)]
    header = ["q1_anna", "q1_ben", "q2_anna", "q2_ben"]
    yield csv_case("two-items.csv", header, two_items, ratings, options=("--raters", "q1_anna,q1_ben"))


def _awkward_names() -> Iterator[Case]:
    """Names of files and columns that a suggested command has to quote, and delimiters within cells."""
    rng = random.Random(5)
    ratings = draw(360, YES_NO, n=44)
    ages = [rng.randint(20, 80) for _ in ratings]
    for name in ("Ratings (final) – Kopie.csv", "a&b $HOME.csv", "50% done; really.csv", "Bewertung Müller.csv"):
        yield csv_case(name, ["age", "A", "B"], beside(ages, ratings), ratings)
    headings = {
        "spaces": ("Age ", " Reader 1", "Reader 2 "),
        "no-break": ("Age", "Reader\u00a01", "Reader\u00a02"),
        "line-breaks": ("Age", "Reader\n1", "Reader\n2"),
        "signs": ("age", "A=1", "B&C"),
        "dollars": ("age", "$A", "`B`"),
        "dashes": ("age", "-A", "--B"),
        "hash": ("age", "#1", "#2"),
        "equal": ("age", "rating", "rating"),
        "blank": ("age", "A", ""),
        "blanks": ("age", "", ""),
        "commas": ("age", "A, first", "B, second"),
        "percent": ("age", "A (%)", "B (%)"),
        "backslash": ("age", "A\\1", "B\\1"),
    }
    for name, header in headings.items():
        yield csv_case(f"headings-{name}.csv", header, beside(ages, ratings), ratings)
    who = [(rng.choice("KMT"), a, rng.choice("XYZ"), b) for a, b in ratings]
    header = ["rater 1 name", "rater 1 rating", "rater 2 name", "rater 2 rating"]
    yield csv_case("names-of-raters.csv", header, beside(who), ratings)
    remarks = [f"blurred, dark, {i} mm, see above" for i in range(44)]
    yield csv_case("semicolons-with-commas.csv", ["A", "B", "notes"], beside(ratings, remarks), ratings, delimiter=";")
    yield csv_case("tabs-with-commas.csv", ["A", "B", "notes"], beside(ratings, remarks), ratings, delimiter="\t")
    remarks = [f"blurred; dark; {i} mm; see above" for i in range(44)]
    yield csv_case("commas-with-semicolons.csv", ["A", "B", "notes"], beside(ratings, remarks), ratings)
    answers = [f"Dear {i},\nwe are sorry.\n\nYours, the shop" for i in range(44)]
    yield csv_case("text-with-line-breaks.csv", ["answer", "A", "B"], beside(answers, ratings), ratings)
    weights = [f"{rng.randint(50, 99)},{rng.randint(0, 9)}" for _ in ratings]
    scores = draw(361, SCALE, n=44)
    yield csv_case("decimal-comma-elsewhere.csv", ["Gewicht", "A", "B"], beside(weights, scores), scores, delimiter=";")
    header = ["Row", "Age", "Reader 1", "Reader 2"]
    rows = beside(range(1, 45), ages, ratings)
    yield csv_case("suffix.tsv", header, rows, ratings)
    yield csv_case("suffix.txt", header, rows, ratings, delimiter=";")
    table = csv_text([header, *rows])
    writer = lambda path: path.write_bytes(gzip.compress(table.encode(), mtime=0))  # noqa: E731
    yield Case("compressed.csv.gz", writer, ratings, wrong=careless(rows))


def _majority(ratings: Ratings) -> list[Any]:
    return [Counter(row).most_common(1)[0][0] for row in ratings]
