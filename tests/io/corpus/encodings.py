"""Text files in other encodings and with other line ends."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

from tests.io.corpus.case import Case, careless, draw
from tests.io.corpus.writers import beside, csv_case, csv_text, text

GERMAN = ["gutartig", "bösartig", "zweifelhaft"]
FRENCH = ["léger", "modéré", "sévère"]
SPANISH = ["sí", "no", "quizás"]
POLISH = ["łagodny", "złośliwy"]
RUSSIAN = ["доброкачественный", "злокачественный"]
CHINESE = ["正面", "负面", "中性"]
JAPANESE = ["良性", "悪性"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield from _western()
    yield from _unicode()
    yield from _named_by_the_user()
    yield from _line_ends()
    yield from _compositions()


def _western() -> Iterator[Case]:
    tables: dict[str, tuple[str, list[Any], list[str]]] = {
        "latin-german": ("latin-1", GERMAN, ["Prüfer 1", "Prüfer 2"]),
        "latin-french": ("latin-1", FRENCH, ["évaluateur A", "évaluateur B"]),
        "latin-spanish": ("latin-1", SPANISH, ["juez 1", "juez 2"]),
        "latin-header-only": ("latin-1", [1, 2, 3], ["Müller", "Bär"]),
        "windows-quotes": ("cp1252", ["“good”", "“bad”"], ["A", "B"]),
        "windows-dash": ("cp1252", ["low – normal", "high"], ["A", "B"]),
        "windows-apostrophe": ("cp1252", ["can’t tell", "agree", "disagree"], ["A", "B"]),
        "windows-euro": ("cp1252", ["< 10 €", "> 10 €"], ["A", "B"]),
        "latin-portuguese": ("latin-1", ["não", "sim"], ["avaliador 1", "avaliador 2"]),
        "latin-nordic": ("latin-1", ["godt", "dårligt", "ved ikke"], ["læge", "sygeplejerske"]),
    }
    for seed, (name, (encoding, labels, header)) in enumerate(tables.items(), 800):
        ratings = draw(seed, labels, n=40)
        yield csv_case(
            f"{name}.csv", header, ratings, ratings,
            encoding=encoding, delimiter=";", newline="\r\n", wrong=None, note=".", categories=tuple(map(str, labels)),
        )  # fmt: skip
    ratings = draw(815, GERMAN, n=40)
    names = [f"Fräulein {chr(65 + i % 26)}{i}" for i in range(40)]
    yield csv_case("latin-id.csv", ["Name", "A", "B"], beside(names, ratings), ratings, encoding="latin-1")
    late = draw(816, ["gut", "schlecht"], n=3000)
    late[2990] = ("größer", "größer")
    yield csv_case("latin-late.csv", ["A", "B"], late, late, encoding="latin-1", wrong=None)


def _unicode() -> Iterator[Case]:
    marks = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
    for seed, (name, encoding, with_mark) in enumerate(
        [
            ("utf-16-le-mark", "utf-16-le", True),
            ("utf-16-be-mark", "utf-16-be", True),
            ("utf-16-le-bare", "utf-16-le", False),
            ("utf-16-be-bare", "utf-16-be", False),
        ],
        820,
    ):
        labels = [GERMAN, FRENCH, ["no", "yes"], [1, 2, 3]][seed % 4]
        ratings = draw(seed, labels, n=40, raters=3)
        content = csv_text([["A", "B", "C"], *ratings], delimiter="\t", newline="\r\n").encode(encoding)
        data = (marks[encoding] if with_mark else b"") + content
        yield Case(
            f"{name}.txt", lambda path, data=data: path.write_bytes(data), ratings,
            note=".", categories=tuple(map(str, labels)),
        )  # fmt: skip
    chinese = draw(825, CHINESE, n=40)
    content = csv_text([["id", "甲", "乙"], *beside(range(1, 41), chinese)], delimiter="\t", newline="\r\n")
    wrong = careless(beside(range(1, 41), chinese))
    yield Case("utf-16-excel.txt", text(content, "utf-16"), chinese, wrong=wrong, categories=tuple(CHINESE))
    for seed, labels in enumerate([GERMAN, CHINESE, ["no", "yes"]], 826):
        ratings = draw(seed, labels, n=40)
        rows = beside(range(1, 41), ratings)
        yield csv_case(f"utf-8-mark-{seed}.csv", ["id", "A", "B"], rows, ratings, encoding="utf-8-sig")


def _named_by_the_user() -> Iterator[Case]:
    tables: dict[str, tuple[str, list[str]]] = {
        "cp1251": ("cp1251", RUSSIAN),
        "koi8": ("koi8-r", RUSSIAN),
        "gb18030": ("gb18030", CHINESE),
        "shift-jis": ("shift_jis", JAPANESE),
        "cp1250": ("cp1250", POLISH),
        "mac": ("mac_roman", FRENCH),
        "cp437": ("cp437", GERMAN),
    }
    for seed, (name, (encoding, labels)) in enumerate(tables.items(), 840):
        ratings = draw(seed, labels, n=40)
        yield csv_case(
            f"named-{name}.csv", ["A", "B"], ratings, ratings,
            encoding=encoding, options=("--encoding", encoding), wrong=None, categories=tuple(labels),
        )  # fmt: skip


def _line_ends() -> Iterator[Case]:
    ratings = draw(850, ["no", "yes"], n=40)
    rows = beside(range(1, 41), ratings)
    yield csv_case("carriage-returns.csv", ["id", "A", "B"], rows, ratings, newline="\r")
    yield csv_case("windows.csv", ["id", "A", "B"], rows, ratings, newline="\r\n")
    lines = csv_text([["id", "A", "B"], *rows]).splitlines()
    mixed = "".join(line + ("\r\n" if i % 2 else "\n") for i, line in enumerate(lines))
    yield Case("mixed.csv", text(mixed), ratings, wrong=careless(rows))
    yield Case("no-final-newline.csv", text("\n".join(lines)), ratings, wrong=careless(rows))
    yield Case("end-of-file-mark.csv", text("\r\n".join(lines) + "\r\n\x1a"), ratings, wrong=careless(rows))
    doubled = "\r\n\r\n".join(lines)
    yield Case("double-spaced.csv", text(doubled), ratings, wrong=careless(rows))


def _compositions() -> Iterator[Case]:
    """One rater's labels are decomposed, as text from a Mac is."""
    for seed, labels in enumerate((GERMAN, FRENCH, SPANISH), 860):
        ratings = draw(seed, labels, n=40)
        rows = [[a, unicodedata.normalize("NFD", b)] for a, b in ratings]
        yield csv_case(f"decomposed-{seed}.csv", ["A", "B"], rows, ratings, categories=tuple(labels))
