"""Draw random designs of every kind that the library accepts, small enough to list all their rearrangements."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import kappamax as km
from tests.support import naive_agreement as naive

KINDS = (
    "complete",
    "few gaps",
    "many gaps",
    "singly rated",
    "constant rater",
    "unused category",
    "weights per pair",
    "asymmetric",
    "near agreement",
    "one subject",
    "text",
    "one category each",
)
EXACT_NAMES = ("unweighted", "linear", "quadratic", "gwet-ordinal", "ratio", "bipolar", "power(3)")
ROOT_NAMES = ("sqrt", "power(1.5)", "power(0.5)")
REAL_NAMES = ("circular", "power(0.3)")
POOLED = ("fleiss", "gwet", "krippendorff")
PAIRWISE = ("kappa", "brennan-prediger", "percent")
_LABELS = ("calm", "mild", "severe", "Ünruhig", "10")


@dataclass(frozen=True)
class Design:
    """Ratings as rows of codes, with weights for the library and the same weights for the naive formulas."""

    kind: str
    rows: tuple[naive.Pattern, ...]
    k: int
    weights: Any
    u: naive.ByPair
    arithmetic: str  # kind of numbers of the weights, "rational", "root" or "real"
    labels: tuple[Any, ...]
    ordered: bool

    @property
    def table(self) -> km.Table:
        """Ratings as a table of the library."""
        return km.Table(self.rows, [1] * len(self.rows), self.labels, ordered=self.ordered)

    @property
    def counts(self) -> dict[naive.Pattern, int]:
        """Ratings in the form that the naive formulas accept."""
        return dict(Counter(self.rows))

    @property
    def n_raters(self) -> int:
        """Number of raters."""
        return len(self.rows[0])

    @property
    def complete(self) -> bool:
        """Whether no ratings are missing."""
        return all(code >= 0 for row in self.rows for code in row)

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of the coefficients that are defined for the weights."""
        if self.kind in ("weights per pair", "asymmetric"):
            return ("kappa",)
        return PAIRWISE + POOLED


def draw(seed: int, *, most_orders: int, kinds: tuple[str, ...] = KINDS, names: tuple[str, ...] = ()) -> Design:
    """Return the design of a seed, whose ratings can be rearranged in at most `most_orders` ways."""
    rng = np.random.default_rng(seed)
    kind = kinds[seed % len(kinds)]
    while True:
        rows, k = _rows(rng, kind)
        while len(rows) > 1 and naive.number_of_orders(rows) > most_orders:
            rows = rows[1:]
        if _usable(rows) and naive.number_of_orders(rows) <= most_orders:
            break
    weights, u, arithmetic = _weights(rng, kind, k, len(rows[0]), names or EXACT_NAMES * 2 + ROOT_NAMES + REAL_NAMES)
    labels: tuple[Any, ...] = _LABELS[:k] if kind == "text" else tuple(range(1, k + 1))
    return Design(kind, rows, k, weights, u, arithmetic, labels, ordered=kind != "text" or weights != "unweighted")


def seeds(n: int) -> list[Any]:
    """Return the seeds 0, ..., n - 1 as parameters of a test; beyond three of every kind they are slow."""
    return [pytest.param(seed, marks=pytest.mark.slow if seed >= 3 * len(KINDS) else ()) for seed in range(n)]


def naive_table(table: km.Table) -> dict[naive.Pattern, int]:
    """Return a table of the library in the form that the naive formulas accept."""
    return {tuple(row): int(count) for row, count in zip(table.patterns.tolist(), table.counts.tolist(), strict=True)}


def as_rows(table: km.Table) -> tuple[naive.Pattern, ...]:
    """Return a table of the library as sorted rows, one per subject."""
    return tuple(sorted(row for row, count in naive_table(table).items() for _ in range(count)))


def _rows(rng: np.random.Generator, kind: str) -> tuple[tuple[naive.Pattern, ...], int]:
    n_raters = 2 if kind == "asymmetric" else int(rng.integers(2, 6))
    k = int(rng.integers(2, 6))
    n = 1 if kind == "one subject" else int(rng.integers(2, 9))
    used = int(rng.integers(1, k)) if kind == "unused category" else k
    codes = rng.integers(0, used, size=(n, n_raters))
    if kind == "near agreement" or rng.random() < 0.3:
        copied = rng.random((n, n_raters)) < 0.8
        codes = np.where(copied, codes[:, :1], codes)
    if kind == "constant rater":
        codes[:, rng.integers(n_raters)] = rng.integers(k)
    if kind == "one category each":
        codes = np.broadcast_to(rng.integers(0, k, size=n_raters), (n, n_raters)).copy()
        codes[0] = rng.integers(0, k, size=n_raters)
    missing = {"few gaps": 0.15, "many gaps": 0.5, "singly rated": 0.2}.get(kind, 0.0)
    if kind in ("weights per pair", "text", "constant rater", "unused category", "asymmetric") and rng.random() < 0.4:
        missing = 0.25
    codes[rng.random((n, n_raters)) < missing] = -1
    if kind == "singly rated":
        codes[0, 1:] = -1
        codes[-1, :-1] = -1
    kept = codes[(codes >= 0).any(axis=1)]
    return tuple(tuple(row) for row in kept.tolist()), k


def _usable(rows: tuple[naive.Pattern, ...]) -> bool:
    """Return whether every rater rated a subject and a subject has two ratings, as the library requires."""
    if not rows:
        return False
    everyone = all(any(code >= 0 for code in column) for column in zip(*rows, strict=True))
    return everyone and any(sum(code >= 0 for code in row) > 1 for row in rows)


def _weights(
    rng: np.random.Generator, kind: str, k: int, n_raters: int, names: tuple[str, ...]
) -> tuple[Any, naive.ByPair, str]:
    """Return weights for the library, the same weights for the naive formulas, and the kind of their numbers."""
    if kind == "asymmetric":
        matrix = rng.integers(0, 6, size=(k, k))
        np.fill_diagonal(matrix, 0)
        matrix[0, k - 1] = 6
        return km.Weights.from_matrix(matrix, kind="disagreement"), {(0, 1): naive.scaled(matrix.tolist())}, "rational"
    if kind == "weights per pair":
        pairs = list(combinations(range(n_raters), 2))
        chosen = [str(rng.choice([name for name in names if name in EXACT_NAMES])) for _ in pairs]
        by_name = {(str(a + 1), str(b + 1)): name for (a, b), name in zip(pairs, chosen, strict=True)}
        u = {pair: naive.named_weights(name, k) for pair, name in zip(pairs, chosen, strict=True)}
        return by_name, u, "rational"
    how = rng.random()
    if how < 0.15:
        upper = np.triu(rng.integers(0, 5, size=(k, k)), 1)
        upper[0, k - 1] = 5
        matrix = upper + upper.T
        weights = km.Weights.from_matrix(matrix, kind="disagreement")
        return weights, naive.for_all_pairs(naive.scaled(matrix.tolist()), n_raters), "rational"
    if how < 0.3:
        upper = np.triu(rng.integers(0, 10, size=(k, k)), 1)
        agreement = [[Fraction(int(entry), 10) for entry in row] for row in upper + upper.T + 10 * np.eye(k, dtype=int)]
        disagreement = [[1 - entry for entry in row] for row in agreement]
        weights = km.Weights.from_matrix(np.array(agreement, dtype=object), kind="agreement")
        return weights, naive.for_all_pairs(disagreement, n_raters), "rational"
    name = str(rng.choice(names))
    arithmetic = "real" if name in REAL_NAMES else "root" if name in ROOT_NAMES else "rational"
    return name, naive.for_all_pairs(naive.named_weights(name, k), n_raters), arithmetic
