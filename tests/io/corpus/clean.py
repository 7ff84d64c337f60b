"""Clean files in the wide layout, with scales and names of raters that nobody should be asked about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.io.corpus.case import Case, draw
from tests.io.corpus.writers import csv_case

#: Legitimate scales that look short, graded, rare or alike
SCALES: dict[str, Sequence[Any]] = {
    "t-stages": ["T1", "T2", "T3", "T4"],
    "t-substages": ["T1a", "T1b", "T2a", "T2b", "T3"],
    "roman": ["I", "II", "III", "IV"],
    "roman-long": ["I", "IIa", "IIb", "IIIa", "IIIb", "IIIc", "IV"],
    "tnm": ["T1N0M0", "T2N0M0", "T2N1M0", "T3N1M1"],
    "letters": ["A", "B", "C"],
    "letters-four": ["a", "b", "c", "d"],
    "pluses": ["0", "1+", "2+", "3+", "4+"],
    "plus-signs": ["+", "++", "+++"],
    "zero-to-ten": list(range(11)),
    "one-to-five": [1, 2, 3, 4, 5],
    "one-to-seven": [1, 2, 3, 4, 5, 6, 7],
    "signs": ["+", "-"],
    "signs-words": ["positive", "negative"],
    "yes-no": ["yes", "no"],
    "yes-no-unclear": ["yes", "no", "unclear"],
    "y-n": ["Y", "N"],
    "benign": ["benign", "malignant"],
    "typical": ["typical", "atypical"],
    "casual": ["casual", "causal"],
    "lesion-words": ["nodular", "modular", "tubular"],
    "hyper-hypo": ["hypertension", "hypotension", "normotension"],
    "inter-intra": ["interstate", "intrastate"],
    "symmetric": ["symmetric", "asymmetric"],
    "moral": ["moral", "amoral", "immoral"],
    "effect": ["affect", "effect"],
    "birads": [1, 2, 3, 4, 5, 6],
    "birads-words": ["BI-RADS 1", "BI-RADS 2", "BI-RADS 3", "BI-RADS 4", "BI-RADS 5"],
    "birads-fours": ["3", "4A", "4B", "4C", "5"],
    "gleason": ["3+3", "3+4", "4+3", "4+4"],
    "gleason-sums": [6, 7, 8, 9, 10],
    "rankin": [0, 1, 2, 3, 4, 5, 6],
    "coma": list(range(3, 16)),
    "icd": ["F32.0", "F32.1", "F32.2", "F33.1", "F41.1"],
    "icd-11": ["1E30", "1E31", "1E32", "1E50"],
    "icd-roots": ["J18", "J20", "J44", "I50"],
    "emotions": ["anger", "disgust", "fear", "joy", "sadness", "surprise"],
    "severity": ["none", "mild", "moderate", "severe"],
    "severity-capital": ["None", "Mild", "Moderate", "Severe"][1:],
    "absent": ["absent", "present"],
    "binary": [0, 1],
    "one-two": [1, 2],
    "booleans": ["True", "False"],
    "booleans-r": ["TRUE", "FALSE"],
    "minus-one": [-1, 0, 1],
    "minus-two": [-2, -1, 0, 1, 2],
    "minus-three": [-3, -2, -1, 0, 1, 2, 3],
    "likert": ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"],
    "frequency-words": ["never", "rarely", "sometimes", "often", "always"],
    "german": ["gut", "mittel", "schlecht"],
    "german-umlauts": ["größer", "kleiner", "gleich"],
    "french": ["léger", "modéré", "sévère"],
    "spanish": ["sí", "no", "quizás"],
    "chinese": ["正面", "负面", "中性"],
    "arabic": ["إيجابي", "سلبي", "محايد"],
    "russian": ["да", "нет"],
    "greek": ["α", "β", "γ"],
    "hindi": ["हाँ", "नहीं"],
    "emoji": ["😀", "😐", "😢"],
    "thumbs": ["👍", "👎"],
    "stars": ["★", "★★", "★★★"],
    "qfd": [0, 1, 3, 9],
    "saaty": [1, 3, 5, 7, 9],
    "fibonacci": [1, 2, 3, 5, 8, 13],
    "half-points": [0, 0.5, 1, 1.5, 2, 2.5, 3],
    "half-grades": ["1.0", "1.5", "2.0", "2.5"],
    "percent": ["0%", "25%", "50%", "75%", "100%"],
    "percent-numbers": [0, 25, 50, 75, 100],
    "tens": [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100],
    "commas": ["yes, certain", "yes, uncertain", "no"],
    "long-labels": ["the claim is supported by the source", "the claim is contradicted by the source", "not stated"],
    "quotes": ['"safe"', '"unsafe"'],
    "topics": ["sports", "politics", "economy", "culture", "science", "health", "travel"],
    "tags": ["NOUN", "VERB", "ADJ", "ADV", "DET"],
    "nli": ["entailment", "contradiction", "neutral"],
    "include": ["include", "exclude"],
    "school-grades": ["A+", "A", "A-", "B+", "B"],
    "sizes": ["S", "M", "L", "XL", "XXL"],
    "histology": ["G1", "G2", "G3", "GX"],
    "her2": ["0", "1+", "2+", "3+"],
    "ordinal-words": ["first", "second", "third"],
    "numbers-as-words": ["one", "two", "three"],
    "colours": ["red", "green", "blue", "grey"],
    "left-right": ["left", "right", "both"],
    "asa": ["ASA I", "ASA II", "ASA III", "ASA IV"],
    "nyha": ["NYHA I", "NYHA II", "NYHA III"],
    "apgar": [5, 6, 7, 8, 9, 10],
    "codes-three-digits": [110, 120, 130, 210, 220],
    "codes-letters-digits": ["C1", "C2", "C10", "C11"],
    "years": [2018, 2019, 2020],
    "ranges": ["0-5", "6-10", "11-20"],
    "less-than": ["<1 cm", "1-2 cm", ">2 cm"],
    "fdi": ["D0", "D1", "D2", "D3"],
    "pass-fail": ["pass", "fail"],
    "win-draw-loss": ["W", "D", "L"],
    "na-like": ["Na", "K", "Cl"][1:],
    "single-letters-n": ["N", "A", "S"],
    "unknown": ["yes", "no", "unknown"],
    "not-applicable-words": ["met", "not met", "not applicable"],
    "other": ["bug", "feature", "question", "other"],
    "code-smells": ["spaghetti", "duplicate", "dead"],
    "species": ["Parus major", "Parus minor", "Sitta europaea"],
    "genes": ["BRCA1", "BRCA2", "TP53"],
    "stop-words": ["is", "in", "it", "if"],
    "sleep": ["W", "N1", "N2", "N3", "R"],
    "entities": ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"],
    "anatomy": ["sup", "inf", "med", "lat"],
    "underscores": ["1_1", "1_2", "2_1"],
    "arabic-digits": ["١", "٢", "٣"],
    "minus-sign": ["+", "−"],
    "three-signs": ["+", "-", "±"],
    "bracketed-signs": ["-", "(+)", "+", "++"],
    "purity": [96, 97, 98, 99, 100],
    "single-digits": list(range(10)),
    "dysphagia": ["dysphagia", "dysphasia", "dysarthria"],
    "febrile": ["febrile", "afebrile"],
    "nulls": ["H0", "H1"],
    "versions": ["v1", "v2", "v3"],
    "times": ["09:00", "12:00", "15:00"],
    "fractions": ["1/4", "1/2", "3/4"],
    "negations": ["relevant", "irrelevant", "not relevant to all"],
    "two-words": ["grade 1a", "grade 1b", "grade 2"],
    "brackets": ["[1]", "[2]", "[3]"],
    "money": ["$", "$$", "$$$"],
    "hashes": ["#good", "#bad"],
    "equal-signs": ["=", "<", ">"],
    "slashes": ["yes/no", "no/no", "yes/yes"],
    "roman-lower": ["i", "ii", "iii"],
    "all-words": ["all", "some", "no"],
    "total-words": ["total", "partial", "no"],
    "bool-digits": ["0", "1"],
}

#: Scales whose labels are numbers, so that the output may spell them differently
NUMBERS_AS_TEXT = ("half-grades",)

#: Names of raters as they come
NAMES: tuple[Sequence[str], ...] = (
    ("A", "B"), ("r1", "r2", "r3"), ("rater_1", "rater_2"), ("Dr. Smith", "Dr. Jones"), ("human", "gpt-4"),
    ("gold", "pred"), ("t1", "t2"), ("before", "after"), ("2019", "2020"), ("Anna", "Ben", "Carla", "Dev"),
    ("rater1", "rater2", "rater3"), ("obs1", "obs2"), ("Reviewer 1", "Reviewer 2"), ("annotator_a", "annotator_b"),
    ("y_true", "y_pred"), ("test", "retest"), ("Prüfer 1", "Prüfer 2"),
    ("coder1", "coder2", "coder3", "coder4", "coder5"), ("x", "y"), ("rating_1", "rating_2"),
    ("manual", "automatic"), ("label_1", "label_2"), ("nurse", "physician", "student"), ("KM", "TR"), ("V1", "V2"),
    ("J1", "J2", "J3", "J4", "J5", "J6", "J7", "J8"), ("expert", "novice"), ("truth", "model"), ("pre", "post"),
    ("rater 1: score", "rater 2: score"), ("site A", "site B"), ("wife", "husband"), ("morning", "evening"),
    ("M", "N"), ("Anna", "Max"), ("Anna", "Ben", "Max"), ("May", "June"), ("CT", "MRI"), ("visit 1", "visit 2"),
    ("score_t1", "score_t2"), ("day1", "day2"), ("time1", "time2"), ("week 0", "week 4"), ("left", "right"),
    ("mother", "father"), ("self", "peer", "teacher"), ("note_1", "note_2"), ("bone age R1", "bone age R2"),
    ("sex_A", "sex_B"), ("agree_A", "agree_B"), ("total_rater1", "total_rater2"), ("match_1", "match_2"),
    ("Gold", "Silver"), ("Site 1", "Site 2", "Site 3"), ("count_A", "count_B"), ("Q1", "Q2"),
    ("gpt-4o", "claude", "human"),
    ("Ann", "Ann (repeat)"), ("prediction", "target"), ("label", "prediction"), ("diagnosis 1", "diagnosis 2"),
    ("patient", "nurse", "doctor"), ("patient", "caregiver"), ("student", "teacher", "peer"), ("Round 1", "Round 2"),
    ("human_1", "human_2", "model_1", "model_2"), ("expert 1", "expert 2", "novice 1", "novice 2"), ("pre", "post"),
    ("Reader A: final", "Reader B: final"), ("first reading", "second reading"), ("lab result", "home test"),
)  # fmt: skip


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    for seed, (name, labels) in enumerate(SCALES.items(), 1000):
        names = NAMES[seed % len(NAMES)]
        n = (40, 25, 60, 100, 200, 33, 80)[seed % 7]
        ratings = draw(seed, labels, n=max(n, 4 * len(labels)), raters=len(names), agreement=(0.6, 0.75, 0.9)[seed % 3])
        spelled = None if name in NUMBERS_AS_TEXT or not isinstance(labels[0], str) else tuple(labels)
        yield csv_case(f"scale-{name}.csv", names, ratings, ratings, wrong=None, categories=spelled)
    yield from _rare()
    yield from _names()
    yield from _repeated_subjects()
    yield from _sizes()


def _rare() -> Iterator[Case]:
    """Categories that occur once or twice are still categories."""
    rare: dict[str, tuple[Sequence[Any], Sequence[float]]] = {
        "five-of-five": ([1, 2, 3, 4, 5], [0.4, 0.3, 0.2, 0.1, 0.005]),
        "one-of-five": ([1, 2, 3, 4, 5], [0.005, 0.2, 0.3, 0.3, 0.2]),
        "zero": ([0, 1, 2, 3], [0.005, 0.3, 0.4, 0.3]),
        "nine-of-nine": (list(range(10)), [0.1] * 9 + [0.004]),
        "ten-of-ten": (list(range(1, 11)), [0.1] * 9 + [0.004]),
        "very-skewed": ([0, 1], [0.97, 0.03]),
        "skewed-words": (["no", "yes"], [0.95, 0.05]),
        "severe": (["none", "mild", "moderate", "severe"], [0.5, 0.3, 0.19, 0.01]),
        "malignant": (["benign", "malignant"], [0.97, 0.03]),
        "stage-four": (["T1", "T2", "T3", "T4"], [0.5, 0.3, 0.19, 0.01]),
        "roman-four": (["I", "II", "III", "IV"], [0.5, 0.3, 0.19, 0.01]),
        "her2-three": (["0", "1+", "2+", "3+"], [0.5, 0.3, 0.19, 0.01]),
        "atypical": (["typical", "atypical", "indeterminate"], [0.5, 0.3, 0.02]),
        "letter": (["A", "B", "C", "D", "E"], [0.3, 0.3, 0.2, 0.19, 0.005]),
        "emotion": (["joy", "fear", "anger", "disgust"], [0.5, 0.3, 0.19, 0.01]),
        "half": ([1, 1.5, 2, 2.5, 3], [0.3, 0.01, 0.3, 0.01, 0.3]),
        "minus-one": ([-1, 0, 1], [0.01, 0.5, 0.49]),
        "gleason": (["3+3", "3+4", "4+3", "4+5"], [0.5, 0.3, 0.19, 0.01]),
        "spam": (["ham", "spam"], [0.98, 0.02]),
        "other": (["policy", "economy", "other"], [0.6, 0.38, 0.02]),
        "cat-bat": (["cat", "bat", "dog"], [0.6, 0.02, 0.38]),
        "birads-six": ([1, 2, 3, 4, 5, 6], [0.3, 0.3, 0.2, 0.1, 0.09, 0.005]),
        "nihss": (list(range(43)), [0.9**i for i in range(43)]),
        "hundred": (list(range(0, 101, 5)), [0.9**i for i in range(21)]),
        "two-letters": (["AA", "AB", "BB"], [0.7, 0.28, 0.02]),
        "grades": (["grade 1", "grade 2", "grade 3"], [0.7, 0.28, 0.02]),
        "categories": (["category a", "category b", "category c"], [0.6, 0.38, 0.02]),
        "type": (["type I", "type II", "type III"], [0.6, 0.38, 0.02]),
        "afebrile": (["febrile", "afebrile"], [0.97, 0.03]),
        "asymptomatic": (["symptomatic", "asymptomatic"], [0.97, 0.03]),
        "not-applicable": (["yes", "no", "not applicable"], [0.5, 0.4, 0.1]),
        "unknown": (["yes", "no", "unknown"], [0.5, 0.4, 0.1]),
        "empty": (["fox", "deer", "empty"], [0.2, 0.2, 0.6]),
        "response": (["complete response", "partial response", "no response"], [0.3, 0.4, 0.3]),
        "done": (["done", "not done"], [0.8, 0.2]),
        "nine-qfd": ([0, 1, 3, 9], [0.4, 0.3, 0.2, 0.1]),
    }  # fmt: skip
    for seed, (name, (labels, shares)) in enumerate(rare.items(), 1200):
        n = max(150, 3 * len(labels))
        ratings = draw(seed, labels, n=n, raters=2 + seed % 3, agreement=0.8, shares=shares)
        header = [f"rater{a + 1}" for a in range(len(ratings[0]))]
        yield csv_case(f"rare-{name}.csv", header, ratings, ratings, wrong=None)


def _names() -> Iterator[Case]:
    """Raters may be called anything."""
    scales: tuple[Sequence[Any], ...] = ([1, 2, 3], ["no", "yes"], ["low", "medium", "high"], [0, 1, 2, 3, 4])
    for seed, names in enumerate(NAMES, 1300):
        ratings = draw(seed, scales[seed % 4], n=30 + seed % 20, raters=len(names))
        yield csv_case(f"names-{seed}.csv", names, ratings, ratings, wrong=None)


def _repeated_subjects() -> Iterator[Case]:
    """Several rows of a subject have different ratings, without a column that numbers them."""
    wide = draw(1380, list(range(0, 101, 2)), n=40)
    yield csv_case(
        "two-eyes.csv", ["patient", "r1", "r2"], [[1 + i // 2, *row] for i, row in enumerate(wide)], wide, wrong=None
    )
    ranks = [(1 + i % 5, (2, 1, 3, 5, 4)[i % 5] if i // 5 % 2 else 1 + i % 5) for i in range(40)]
    yield csv_case(
        "ranks.csv", ["case", "Ann", "Bob"], [[f"p{i // 5}", *row] for i, row in enumerate(ranks)], ranks, wrong=None
    )


def _sizes() -> Iterator[Case]:
    """Few subjects, many subjects, many raters, missing ratings, other delimiters."""
    shapes = [(5, 2), (6, 3), (7, 4), (10, 2), (12, 4), (15, 8), (20, 6), (300, 2), (500, 3), (500, 8)]
    for seed, (n, raters) in enumerate(shapes, 1400):
        ratings = draw(seed, [1, 2, 3, 4] if seed % 2 else ["no", "maybe", "yes"], n=n, raters=raters, agreement=0.7)
        yield csv_case(f"size-{n}-{raters}.csv", [f"r{a + 1}" for a in range(raters)], ratings, ratings, wrong=None)
    for seed, (delimiter, suffix) in enumerate([(";", "csv"), ("\t", "tsv"), ("|", "txt"), (",", "txt")], 1420):
        ratings = draw(seed, ["low", "medium", "high"], n=40, raters=3, missing=0.1)
        name = f"delimiter-{seed}.{suffix}"
        yield csv_case(name, ["A", "B", "C"], ratings, ratings, delimiter=delimiter, newline="\r\n", wrong=None)
    for seed, token in enumerate(["", "NA", "NaN", "null"], 1430):
        ratings = draw(seed, [1, 2, 3, 4, 5], n=60, raters=4, missing=0.2)
        yield csv_case(f"missing-{seed}.csv", ["A", "B", "C", "D"], ratings, ratings, missing=token, wrong=None)
    ratings = draw(1440, ["no", "yes"], n=45, raters=3)
    yield csv_case("quoted.csv", ["A", "B", "C"], ratings, ratings, quote_all=True, wrong=None)
    yield csv_case("mark.csv", ["A", "B", "C"], ratings, ratings, encoding="utf-8-sig", wrong=None)
    perfect = [(label, label) for label in ["a", "b", "c", "a", "b"] * 8]
    yield csv_case("perfect.csv", ["A", "B"], perfect, perfect, wrong=None)
    reversed_labels = [("no", "yes"), ("yes", "no")] * 12 + [("no", "no")]
    yield csv_case("worse-than-chance.csv", ["A", "B"], reversed_labels, reversed_labels, wrong=None)
    one_rater_constant = [("no", "no")] * 30 + [("yes", "no")] * 4
    yield csv_case("one-rater-one-category.csv", ["A", "B"], one_rater_constant, one_rater_constant, wrong=None)
    scores = draw(1450, list(range(0, 43, 2)), n=9, raters=3, agreement=0.6)
    yield csv_case("nearly-unique-scores.csv", ["A", "B", "C"], scores, scores, wrong=None)
    ranks = [(1, 1, 2), (2, 3, 1), (3, 2, 3), (4, 4, 5), (5, 6, 4), (6, 5, 6), (7, 8, 7), (8, 7, 8)]
    yield csv_case("rankings.csv", ["judge 1", "judge 2", "judge 3"], ranks, ranks, wrong=None)
    many = draw(1451, [1, 2, 3], n=8, raters=12)
    yield csv_case("more-raters-than-subjects.csv", [f"rater{a}" for a in range(1, 13)], many, many, wrong=None)
    square = draw(1452, list(range(11)), n=5, raters=5, agreement=0.5)
    yield csv_case("square.csv", ["r1", "r2", "r3", "r4", "r5"], square, square, wrong=None)
    disjoint = [(label, other) for label, other in [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a")] * 5]
    yield csv_case("never-agree.csv", ["A", "B"], disjoint, disjoint, wrong=None)
