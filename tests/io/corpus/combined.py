"""Files with several problems at once, drawn at random from those of the other modules."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.io.corpus.case import Case, Grid, Ratings, careless, draw
from tests.io.corpus.labels import changed
from tests.io.corpus.long_tables import long_rows
from tests.io.corpus.writers import csv_text, sheets, text

GRADES = ["mild", "moderate", "severe"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    for seed in range(2400, 2445):
        yield _case(seed, WIDE, _wide(seed))
    for seed in range(2450, 2475):
        yield _case(seed, LONG, _long(seed))


@dataclass
class Draft:
    """A table on its way to becoming a file."""

    header: list[Any]
    rows: Grid
    ratings: Ratings
    rng: random.Random
    raters: slice  # where the labels are in a row
    above: Grid = field(default_factory=list)
    below: Grid = field(default_factory=list)
    delimiter: str = ","
    newline: str = "\n"
    encoding: str = "utf-8"
    missing: str = ""
    words: bool = True  # labels are words
    done: list[str] = field(default_factory=list)

    def insert(self, place: int, heading: str, cells: list[Any]) -> None:
        """Insert a column before the given place."""
        self.header.insert(place, heading)
        for row, cell in zip(self.rows, cells, strict=True):
            row.insert(place, cell)
        if place <= self.raters.start:
            self.raters = slice(self.raters.start + 1, self.raters.stop + 1)

    def relabel(self, change: Callable[[Any], Any], share: float) -> None:
        """Write some of the labels differently."""
        labels = changed(
            [tuple(row[self.raters]) for row in self.rows], change, seed=self.rng.randrange(999), share=share
        )
        for row, new in zip(self.rows, labels, strict=True):
            row[self.raters] = list(new)


def _identifier(draft: Draft) -> None:
    name = draft.rng.choice(["id", "patient", "", "Case No.", "record_id"])
    draft.insert(0, name, list(range(1, len(draft.rows) + 1)))


def _age(draft: Draft) -> None:
    draft.insert(draft.raters.stop, "age", [draft.rng.randint(20, 90) for _ in draft.rows])


def _sex(draft: Draft) -> None:
    draft.insert(draft.raters.start, "sex", [draft.rng.choice("mf") for _ in draft.rows])


def _notes(draft: Draft) -> None:
    remarks = ["", "", "", "poor image", "see report"]
    draft.insert(len(draft.header), "notes", [draft.rng.choice(remarks) for _ in draft.rows])


def _stamp(draft: Draft) -> None:
    draft.insert(
        0, "Timestamp", [f"2024-03-{draft.rng.randint(1, 28):02d} 10:{i % 60:02d}:00" for i in range(len(draft.rows))]
    )


def _consensus(draft: Draft) -> None:
    labels = [[label for label in row[draft.raters] if label is not None] for row in draft.rows]
    draft.insert(draft.raters.stop, "consensus", [row[0] for row in labels])


def _title(draft: Draft) -> None:
    draft.above = [["Reading session of 3 March"], *([[]] if draft.rng.random() < 0.5 else [])]


def _comment(draft: Draft) -> None:
    draft.above = [["# exported by labtool 2.1"]]


def _footer(draft: Draft) -> None:
    draft.below = [[], ["Source: department archive"]]


def _blank_rows(draft: Draft) -> None:
    for place in sorted(draft.rng.sample(range(5, len(draft.rows)), 2), reverse=True):
        draft.rows.insert(place, [""] * len(draft.header))


def _repeated_header(draft: Draft) -> None:
    draft.rows.insert(len(draft.rows) // 2, list(draft.header))


def _capitals(draft: Draft) -> None:
    draft.relabel(lambda label: label.capitalize() if isinstance(label, str) else label, 0.2)


def _spaces(draft: Draft) -> None:
    draft.relabel(lambda label: None if label is None else f"{label} ", 0.2)


def _slip(draft: Draft) -> None:
    draft.relabel(lambda label: "moderat" if label == "moderate" else label, 0.01)


def _semicolons(draft: Draft) -> None:
    draft.delimiter, draft.newline = ";", "\r\n"


def _umlauts(draft: Draft) -> None:
    draft.header = [f"{name} (Prüfer)" if name in ("A", "B", "C") else name for name in draft.header]
    draft.encoding = "cp1252"


def _token(draft: Draft) -> None:
    draft.missing = draft.rng.choice(["NA", "n/a", "-", ".", "?", "#N/A"])


def _code(draft: Draft) -> None:
    draft.missing = "99"


Problem = Callable[[Draft], None]

#: Problems in the order in which they are made; of two in one tuple, only one is drawn
WIDE: tuple[tuple[Problem, ...], ...] = (
    (_consensus,), (_capitals, _slip), (_spaces,), (_token, _code), (_sex,), (_age,), (_identifier, _stamp), (_notes,),
    (_title, _comment), (_footer,), (_blank_rows, _repeated_header), (_semicolons,), (_umlauts,),
)  # fmt: skip
LONG: tuple[tuple[Problem, ...], ...] = (
    (_capitals, _slip), (_spaces,), (_stamp, _notes), (_title, _comment), (_footer,), (_blank_rows, _repeated_header),
    (_semicolons,),
)  # fmt: skip


def _wide(seed: int) -> Draft:
    rng = random.Random(seed)
    words = rng.random() < 0.6
    n_raters = rng.choice([2, 2, 3])
    ratings = draw(
        seed, GRADES if words else [1, 2, 3, 4, 5], n=rng.choice([40, 60, 90]), raters=n_raters, missing=0.07
    )
    header: list[Any] = ["A", "B", "C"][:n_raters]
    return Draft(header, [list(row) for row in ratings], ratings, rng, slice(0, n_raters), words=words)


def _long(seed: int) -> Draft:
    rng = random.Random(seed)
    words = rng.random() < 0.6
    ratings = draw(seed, GRADES if words else [1, 2, 3, 4, 5], n=40, raters=rng.choice([2, 3]), missing=0.05)
    header = rng.choice([["item", "annotator", "label"], ["patient", "reader", "grade"], ["essay", "judge", "mark"]])
    rows = long_rows(ratings, range(1, 41), ["Ann", "Bob", "Cem"][: len(ratings[0])])
    rng.shuffle(rows)
    return Draft(list(header), rows, ratings, rng, slice(2, 3), words=words)


def _case(seed: int, problems: tuple[tuple[Problem, ...], ...], draft: Draft) -> Case:
    chosen = sorted(draft.rng.sample(range(len(problems)), draft.rng.choice([2, 3, 3, 4])))
    for place in chosen:
        problem = draft.rng.choice(problems[place])
        if not draft.words and problem in (_capitals, _slip):
            problem = _spaces
        problem(draft)
        draft.done.append(problem.__name__.strip("_").replace("_", "-"))
    name = f"{seed}-{'-'.join(draft.done)}"
    if draft.missing:
        draft.rows = [[draft.missing if cell is None else cell for cell in row] for row in draft.rows]
    wrong = careless(draft.rows)
    if wrong == careless(draft.ratings):  # only lines above or below the table, or another delimiter
        wrong = careless([draft.header, *draft.rows])
    cells = [*draft.above, draft.header, *draft.rows, *draft.below]
    if seed % 4 == 0 and draft.delimiter == "," and draft.encoding == "utf-8":
        return Case(f"{name}.xlsx", sheets(("Sheet1", cells)), draft.ratings, wrong=wrong)
    content = csv_text(cells, delimiter=draft.delimiter, newline=draft.newline)
    return Case(f"{name}.csv", text(content, draft.encoding), draft.ratings, wrong=wrong)
