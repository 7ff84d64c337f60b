"""Labels that are spelled in more than one way, and codes and words for missing ratings."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.io.corpus.case import Case, Ratings, draw
from tests.io.corpus.writers import beside, csv_case

GRADES = ["mild", "moderate", "severe"]
TUMOUR = ["benign", "malignant", "uncertain"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield from _spaces()
    yield from _capitals()
    yield from _misspellings()
    yield from _missing_codes()
    yield from _missing_words()
    yield from _none()
    yield from _numbers()
    yield from _distinct_after_all()


def changed(
    ratings: Ratings, change: Callable[[Any], Any], *, seed: int, share: float = 0.3, rater: int | None = None
) -> Ratings:
    """Return ratings of which a share, of one rater or of all, is written differently; at least one always is."""
    rng = random.Random(seed)
    rows = [list(row) for row in ratings]
    places = [
        (i, a)
        for i, row in enumerate(rows)
        for a, label in enumerate(row)
        if label is not None and a == (a if rater is None else rater) and change(label) != label
    ]
    for i, a in rng.sample(places, max(1, round(share * len(places)))):
        rows[i][a] = change(rows[i][a])
    return [tuple(row) for row in rows]


def _spaces() -> Iterator[Case]:
    changes: dict[str, Callable[[str], str]] = {
        "after": lambda label: label + " ",
        "before": lambda label: " " + label,
        "around": lambda label: f"  {label} ",
        "no-break-after": lambda label: label + "\u00a0",
        "no-break-before": lambda label: "\u00a0" + label,
        "narrow": lambda label: label + "\u202f",
        "tab": lambda label: label + "\t",
        "zero-width": lambda label: label + "\u200b",
        "mark": lambda label: "\ufeff" + label,
        "line-break": lambda label: label + "\n",
    }
    for seed, (name, change) in enumerate(changes.items(), 1500):
        ratings = draw(seed, GRADES, n=50)
        rows = changed(ratings, change, seed=seed, rater=seed % 2)
        yield csv_case(f"space-{name}.csv", ["A", "B"], rows, ratings, note=".", categories=tuple(GRADES))
    ratings = draw(1515, ["very good", "good", "not good"], n=50)
    rows = changed(ratings, lambda label: label.replace(" ", "\u00a0"), seed=1, rater=1)
    yield csv_case("space-no-break-within.csv", ["A", "B"], rows, ratings)
    rows = changed(ratings, lambda label: label.replace(" ", "  "), seed=1, rater=1)
    yield csv_case("space-double-within.csv", ["A", "B"], rows, ratings)
    numbers = draw(1516, [1, 2, 3], n=50)
    rows = changed(numbers, lambda label: f"{label} ", seed=1, rater=1)
    yield csv_case("space-numbers.csv", ["A", "B"], rows, numbers)
    missing = draw(1517, GRADES, n=50, missing=0.2)
    blank = [tuple(" " if label is None else label for label in row) for row in missing]
    yield csv_case("space-for-missing.csv", ["A", "B"], blank, missing)
    blank = [tuple("\u00a0" if label is None else label for label in row) for row in missing]
    yield csv_case("no-break-for-missing.csv", ["A", "B"], blank, missing)


def _capitals() -> Iterator[Case]:
    changes: dict[str, tuple[Sequence[str], Callable[[str], str]]] = {
        "first": (GRADES, str.capitalize),
        "all": (GRADES, str.upper),
        "yes": (["yes", "no"], str.capitalize),
        "yes-upper": (["yes", "no"], str.upper),
        "letters": (["a", "b", "c"], str.upper),
        "booleans": (["true", "false"], str.upper),
        "booleans-mixed": (["True", "False"], str.upper),
        "stages": (["t1", "t2", "t3"], str.upper),
        "german": (["gut", "mäßig", "schlecht"], str.capitalize),
        "y-n": (["y", "n"], str.upper),
        "phrases": (["not sure", "certain", "very certain"], str.capitalize),
    }
    for seed, (name, (labels, change)) in enumerate(changes.items(), 1530):
        ratings = draw(seed, labels, n=60)
        rows = changed(ratings, change, seed=seed, rater=1, share=(0.1, 0.5, 1.0)[seed % 3])
        yield csv_case(f"capitals-{name}.csv", ["A", "B"], rows, ratings)
    ratings = draw(1545, TUMOUR, n=60, raters=3)
    rows = changed(changed(ratings, str.capitalize, seed=1), str.upper, seed=2, share=0.1)
    yield csv_case("capitals-three-ways.csv", ["A", "B", "C"], rows, ratings)
    numbered = beside(range(1, 61), rows)
    yield csv_case("capitals-and-id.csv", ["id", "A", "B", "C"], numbered, ratings)
    spaced = changed(rows, lambda label: label + " ", seed=3)
    yield csv_case("capitals-and-spaces.csv", ["A", "B", "C"], spaced, ratings)


def _misspellings() -> Iterator[Case]:
    """One or two ratings are misspelled, in labels that occur often."""
    slips: dict[str, tuple[Sequence[str], dict[str, str]]] = {
        "letter": (TUMOUR, {"malignant": "malignent"}),
        "letter-missing": (TUMOUR, {"malignant": "maligant"}),
        "letter-doubled": (TUMOUR, {"benign": "bennign"}),
        "letters-swapped": (TUMOUR, {"malignant": "malignatn"}),
        "plural": (["tumour", "healthy", "uncertain"], {"tumour": "tumours"}),
        "american": (["tumour", "healthy", "uncertain"], {"tumour": "tumor"}),
        "two-of-them": (TUMOUR, {"malignant": "malignent", "uncertain": "uncertan"}),
        "moderate": (GRADES, {"moderate": "moderat"}),
        "severe": (GRADES, {"severe": "sevre"}),
        "positive": (["positive", "negative", "neutral"], {"positive": "postive"}),
        "german": (["gutartig", "bösartig"], {"bösartig": "bösarig"}),
        "umlaut": (["gutartig", "bösartig"], {"bösartig": "bosartig"}),
        "accent": (["léger", "modéré", "sévère"], {"sévère": "sevère"}),
        "phrase": (["strongly agree", "agree", "disagree"], {"strongly agree": "strongly agre"}),
        "hyphen": (["low-grade", "high-grade"], {"low-grade": "low–grade"}),
        "underscore": (["not_relevant", "relevant"], {"not_relevant": "not relevant"}),
        "full-stop": (["include", "exclude"], {"include": "include."}),
        "cyrillic": (["A", "B", "C"], {"A": "А", "C": "С"}),
        "greek": (["A", "B", "O"], {"B": "Β"}),
        "number-with-full-stop": (["1", "2", "3"], {"2": "2."}),
        "number-without-zero": (["0.5", "1.0", "1.5"], {"0.5": ".5"}),
    }
    for seed, (name, (labels, slip)) in enumerate(slips.items(), 1550):
        ratings = draw(seed, labels, n=120)
        rows = ratings
        for right, wrong in slip.items():
            rows = changed(rows, lambda label, r=right, w=wrong: w if label == r else label, seed=seed, share=0.03)
        yield csv_case(f"slip-{name}.csv", ["A", "B"], rows, ratings)
    ratings = draw(1580, TUMOUR, n=120)
    rows = changed(ratings, lambda label: "malignent" if label == "malignant" else label, seed=5, share=0.03)
    rows = changed(rows, lambda label: label.capitalize(), seed=6, rater=0, share=0.2)
    yield csv_case("slip-and-capitals.csv", ["A", "B"], rows, ratings)


def _missing_codes() -> Iterator[Case]:
    """A number far outside the scale stands for a missing rating."""
    codes: dict[str, tuple[Sequence[int], int]] = {
        "nine-of-five": ([1, 2, 3, 4, 5], 9),
        "nine-of-binary": ([0, 1], 9),
        "nine-of-four": ([1, 2, 3, 4], 9),
        "ninety-nine": ([1, 2, 3, 4, 5], 99),
        "ninety-nine-of-binary": ([0, 1], 99),
        "ninety-nine-of-ten": (list(range(11)), 99),
        "nines-three": ([1, 2, 3], 999),
        "nines-four": ([0, 1, 2, 3], 9999),
        "minus-nine": ([1, 2, 3, 4], -9),
        "minus-ninety-nine": ([0, 1, 2], -99),
        "minus-three-nines": ([1, 2, 3, 4, 5], -999),
        "eighty-eight": ([1, 2, 3, 4], 88),
        "seventy-seven": ([1, 2, 3, 4], 77),
        "minus-one": ([1, 2, 3, 4, 5], -1),
    }
    for seed, (name, (labels, code)) in enumerate(codes.items(), 1600):
        ratings = draw(seed, labels, n=80, raters=2 + seed % 2, missing=0.06)
        header = ["A", "B", "C"][: len(ratings[0])]
        yield csv_case(f"code-{name}.csv", header, ratings, ratings, missing=str(code))
    ratings = draw(1620, [1, 2, 3, 4], n=90, raters=3, missing=0.1)
    rng = random.Random(7)
    rows = [tuple(rng.choice([88, 99]) if label is None else label for label in row) for row in ratings]
    yield csv_case("code-two.csv", ["A", "B", "C"], rows, ratings)
    rows = [tuple(rng.choice(["", 99]) if label is None else label for label in row) for row in ratings]
    yield csv_case("code-and-empty.csv", ["A", "B", "C"], rows, ratings)
    rows = [tuple(99 if label is None else label for label in row) for row in ratings]
    yield csv_case("code-and-id.csv", ["id", "A", "B", "C"], beside(range(1, 91), rows), ratings)
    yield csv_case("code-typed.csv", ["A", "B", "C"], rows, ratings, options=("--missing", "99"))
    words = draw(1621, GRADES, n=90, raters=3, missing=0.1)
    yield csv_case("code-among-words.csv", ["A", "B", "C"], words, words, missing="99")


def _missing_words() -> Iterator[Case]:
    tokens = (
        "NA", "na", "Na", "n/a", "N/A", "N/a", "NaN", "nan", "NAN", "null", "NULL", "Null", ".", ".a", ".z", "-", "?",
        "missing", "Missing", "MISSING", "<NA>", "#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NULL!", "#NUM!",
        "#NV", "--", "—", "n.a.", "k.A.", "<missing>", "(null)", "NULL ", "#n/a",
    )  # fmt: skip
    tokens += (
        "---", "??", "n. a.", "(vide)", "(en blanco)", "keine Angabe", "sin dato", "no data", "Not assessed",
        "not done", "not recorded", "nicht beurteilt", "non évalué", "no evaluado", "не оценено", "TBD",
    )  # fmt: skip
    among_numbers = ("fehlend", "[blank]", "not rated", "don't know", "illegible", "x", "skipped", "/")
    for seed, token in enumerate((*tokens, *among_numbers), 1640):
        labels: list[Any] = [1, 2, 3, 4] if seed % 2 or token in among_numbers else GRADES
        ratings = draw(seed, labels, n=70, raters=3, missing=0.12)
        rows = [tuple(token if label is None else label for label in row) for row in ratings]
        yield csv_case(f"word-{seed}.csv", ["A", "B", "C"], rows, ratings, categories=tuple(map(str, labels)))
    ratings = draw(1710, GRADES, n=70, raters=3, missing=0.2)
    rng = random.Random(8)
    some = ["", "NA", "n/a", "-", ".", "?"]
    rows = [tuple(rng.choice(some) if label is None else label for label in row) for row in ratings]
    yield csv_case("word-many.csv", ["A", "B", "C"], rows, ratings)
    quoted = [tuple("NA" if label is None else label for label in row) for row in ratings]
    yield csv_case("word-quoted.csv", ["A", "B", "C"], quoted, ratings, quote_all=True)
    nobody: Ratings = [*ratings[:30], (None, None, None), *ratings[30:], (None, None, None)]
    yield csv_case("word-nobody.csv", ["id", "A", "B", "C"], beside(range(1, 73), nobody), nobody, missing="NA")


def _none() -> Iterator[Case]:
    """`None` is a grade beside grades, and no rating beside other words if it is rare."""
    grades = draw(1700, ["None", "Mild", "Moderate", "Severe"], n=100)
    dropped: Ratings = [tuple(None if label == "None" else label for label in row) for row in grades]
    yield csv_case("none-grade.csv", ["A", "B"], grades, grades, wrong=dropped)
    lower = [tuple(label.lower() for label in row) for row in grades]
    yield csv_case(
        "none-lower.csv", ["A", "B"], lower, lower, wrong=[tuple(None if x == "none" else x for x in r) for r in lower]
    )
    pain = draw(1701, ["None", "Some", "Severe"], n=100, raters=3)
    yield csv_case(
        "none-pain.csv", ["A", "B", "C"], pain, pain, wrong=[tuple(None if x == "None" else x for x in r) for r in pain]
    )
    python = draw(1702, ["cat", "dog", "horse"], n=120, raters=3, missing=0.04)
    yield csv_case("none-python.csv", ["A", "B", "C"], python, python, missing="None")
    numbers = draw(1703, [1, 2, 3, 4], n=100, raters=3, missing=0.1)
    yield csv_case("none-numbers.csv", ["A", "B", "C"], numbers, numbers, missing="None")


def _numbers() -> Iterator[Case]:
    ratings = draw(1710, [1, 2, 3, 4], n=60, raters=3, missing=0.1)
    floats = [(row[0], *(None if label is None else f"{label}.0" for label in row[1:])) for row in ratings]
    yield csv_case("numbers-floats.csv", ["A", "B", "C"], floats, ratings)
    padded = [(row[0], *(None if label is None else f"0{label}" for label in row[1:])) for row in ratings]
    yield csv_case("numbers-padded.csv", ["A", "B", "C"], padded, ratings)
    plus = draw(1711, [-1, 0, 1], n=60)
    signed = [(a, f"+{b}" if b > 0 else b) for a, b in plus]
    yield csv_case("numbers-signed.csv", ["A", "B"], signed, plus)
    half = draw(1712, ["1", "1.5", "2", "2.5", "3"], n=60)
    comma = [tuple(label.replace(".", ",") for label in row) for row in half]
    yield csv_case("decimal-commas.csv", ["A", "B"], comma, half, delimiter=";", wrong=None)
    yield csv_case("decimal-commas-quoted.csv", ["A", "B"], comma, half, wrong=None)
    mixed = [(a, b.replace(".", ",")) for a, b in half]
    yield csv_case("decimal-commas-one-rater.csv", ["A", "B"], mixed, half, delimiter=";")
    trailing = [(a, f"{float(b):.1f}".replace(".", ",")) for a, b in half]
    yield csv_case("decimal-commas-padded.csv", ["A", "B"], trailing, half, delimiter=";")
    minus = draw(1713, ["-2", "-1", "0", "1", "2"], n=60)
    typographic = [(a, b.replace("-", "−")) for a, b in minus]
    yield csv_case("numbers-minus-sign.csv", ["A", "B"], typographic, minus)
    percent = draw(1714, ["0%", "50%", "100%"], n=60)
    spaced = [(a, b.replace("%", " %")) for a, b in percent]
    yield csv_case("numbers-percent.csv", ["A", "B"], spaced, percent)


def _distinct_after_all() -> Iterator[Case]:
    """Labels that a hasty reader takes as one, but that both raters use for different things."""
    genotypes = draw(1720, ["AA", "Aa", "aa"], n=90)
    yield csv_case("distinct-genotypes.csv", ["lab 1", "lab 2"], genotypes, genotypes, wrong=_map(genotypes, str.upper))
    chords = draw(1721, ["C", "c", "G", "g"], n=90)
    yield csv_case("distinct-chords.csv", ["A", "B"], chords, chords, wrong=_map(chords, str.upper))
    codes = draw(1722, ["1.1", "1.2", "1.10", "1.20", "2.1"], n=120)
    yield csv_case("distinct-sections.csv", ["A", "B"], codes, codes, wrong=_map(codes, float))
    long_codes = draw(1723, ["900000000000207008", "900000000000207009", "900000000000207010"], n=60)
    yield csv_case("distinct-long-codes.csv", ["A", "B"], long_codes, long_codes, wrong=_map(long_codes, float))
    zero = draw(1725, ["0", "1", "2"], n=80)
    slip = changed(zero, lambda label: "O" if label == "0" else label, seed=1, share=0.04)
    yield csv_case("letter-for-zero.csv", ["A", "B"], slip, zero)


def _map(ratings: Ratings, change: Callable[[Any], Any]) -> Ratings:
    return [tuple(change(label) for label in row) for row in ratings]
