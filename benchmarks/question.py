"""Build one question with our answer and a second opinion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import kappamax as km
from benchmarks import by_hand

__all__ = [
    "BY_HAND",
    "Answer",
    "Convention",
    "Number",
    "Question",
    "Rows",
    "categories_of",
    "coefficient",
    "linear",
    "rows_of",
    "table_of",
]

Number = Fraction | float | None
Rows = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Answer:
    """A package's number (None: NaN, None or an error) and what it said besides."""

    value: float | None
    said: str = ""
    offered: bool = True
    failed: bool = False


@dataclass(frozen=True)
class Convention:
    """Another answer, and how it comes about."""

    words: str
    value: Number


@dataclass(frozen=True)
class Question:
    """One question. `kind` says how labels arrive: number, text or factor (an ordered categorical)."""

    name: str
    group: str
    text: str
    quantity: str
    rows: Rows
    categories: tuple[Any, ...]
    weights: str
    ours: Callable[[], Number]
    by_hand: Callable[[], Number]
    conventions: Callable[[], Sequence[Convention]] = tuple
    kind: str = "number"
    told: bool = True
    proof: str = "formula in fractions"

    @property
    def codes(self) -> list[list[int | None]]:
        """The ratings as places in the list of categories."""
        return by_hand.coded(self.rows, self.categories)

    @property
    def k(self) -> int:
        """The number of categories."""
        return len(self.categories)


BY_HAND: dict[str, Callable[..., Number]] = {
    "kappa": by_hand.conger,
    "scaled kappa": by_hand.conger,
    "conger": by_hand.conger,
    "fleiss": by_hand.fleiss,
    "light": by_hand.light,
    "alpha": by_hand.alpha,
}


def coefficient(
    name: str,
    group: str,
    text: str,
    quantity: str,
    table: km.Table,
    weights: str,
    conventions: Callable[[], Sequence[Convention]] = tuple,
    *,
    told: bool = True,
) -> Question:
    rows = by_hand.coded(rows_of(table), categories_of(table))

    def ours() -> Number:
        if quantity == "light":
            pairs = km.pairwise_kappas(table, weights=weights)
            return pairs.light
        coefficient = {"fleiss": "fleiss", "alpha": "krippendorff"}.get(quantity, "kappa")
        try:
            return km.agreement(table, weights=weights, coefficient=coefficient).exact
        except km.errors.UndefinedKappaError:
            return None

    return Question(
        name,
        group,
        text,
        quantity,
        rows_of(table),
        categories_of(table),
        weights,
        ours,
        lambda: BY_HAND[quantity](rows, table.n_categories, weights),
        conventions,
        told=told,
    )


def linear(
    name: str,
    group: str,
    text: str,
    rows: Rows,
    categories: tuple[Any, ...],
    others: Sequence[Convention],
    kind: str = "number",
    told: bool = True,
) -> Question:
    return Question(
        name,
        group,
        text,
        "kappa",
        rows,
        categories,
        "linear",
        lambda: _asked(rows, categories, kind, told).exact,
        lambda: by_hand.conger(by_hand.coded(rows, categories), len(categories), "linear"),
        lambda: others,
        kind=kind,
        told=told,
    )


def _asked(rows: Rows, categories: tuple[Any, ...], kind: str, told: bool) -> km.Agreement:
    """Linear kappa of labels as they arrive; the order of an ordered categorical comes with it."""
    if kind == "factor":
        import pandas as pd

        columns = [pd.Categorical(column, categories, ordered=True) for column in zip(*rows, strict=True)]
        return km.kappa(pd.DataFrame(dict(zip("ab", columns, strict=True))), weights="linear")
    return km.kappa(*zip(*rows, strict=True), weights="linear", categories=list(categories) if told else None)


def table_of(rows: Rows, categories: tuple[Any, ...]) -> km.Table:
    return km.from_ratings([list(row) for row in rows], categories=list(categories))


def numbered(table: km.Table) -> km.Table:
    """The same table with numbers for words, in the order of the publication, so that every weighting is defined."""
    return table_of(rows_of(table), categories_of(table))


def categories_of(table: km.Table) -> tuple[Any, ...]:
    """Numbers for words, so that the order of a table's categories is no part of the question."""
    words = any(isinstance(label, str) for label in table.categories)
    return tuple(range(1, table.n_categories + 1)) if words else table.categories


def rows_of(table: km.Table) -> Rows:
    """A table's subjects, one row of labels each."""
    categories = categories_of(table)
    labels = [tuple(None if code < 0 else categories[code] for code in row) for row in table.patterns.tolist()]
    return tuple(row for row, count in zip(labels, table.counts.tolist(), strict=True) for _ in range(count))
