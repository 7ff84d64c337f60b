"""Describe one file of the corpus: how it is written, and the ratings that a person would read in it.

The truth is computed from the ratings by `kappa_of`, which shares nothing with the library.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

Label = Any
Ratings = list[tuple[Label, ...]]
Grid = list[list[Any]]

#: Cells that even the most careless reader takes as missing
EMPTY = ("", None)


@dataclass(frozen=True)
class Case:
    """A file and what is true of it.

    Attributes
    ----------
    name : str
        Name of the file, with its suffix; unique in the corpus.
    write : callable
        Writes the file to the path that it is given.
    ratings : list of tuple
        One row per subject with one label per rater, None if it is missing: what a person reads in the file.
    options : tuple of str
        Options that every user would type for this file; mostly none.
    note : str, optional
        Regular expression that one of the notes must match if the file is read without a refusal.
    wrong : list of tuple, optional
        Ratings that a careless reader would take from the file, which give another number.
    categories : tuple, optional
        Labels that the output must name, in any order; None if they are not compared.
    """

    name: str
    write: Callable[[Path], Any]
    ratings: Ratings = field(repr=False)
    options: tuple[str, ...] = ()
    note: str | None = None
    wrong: Ratings | None = field(default=None, repr=False)
    categories: tuple[str, ...] | None = None

    @property
    def rated(self) -> Ratings:
        """The subjects that at least one rater rated."""
        return [row for row in self.ratings if any(label is not None for label in row)]

    @property
    def n_subjects(self) -> int:
        """Number of subjects that at least one rater rated."""
        return len(self.rated)

    @property
    def n_raters(self) -> int:
        """Number of raters."""
        return len(self.ratings[0])

    @property
    def n_missing(self) -> int:
        """Number of ratings that are missing among the subjects that somebody rated."""
        return sum(label is None for row in self.rated for label in row)

    @cached_property
    def kappa(self) -> Fraction:
        """Cohen's kappa for two raters, Conger's for more."""
        return kappa_of(self.rated)


class UndefinedError(Exception):
    """Raised if kappa is 0/0, or no two raters rated the same subject."""


def kappa_of(ratings: Iterable[Sequence[Label]]) -> Fraction:
    """Return Cohen's or Conger's kappa of rows of labels, by loops over subjects and pairs of raters.

    The observed disagreement is the mean over subjects of the mean over their pairs of ratings, the expected one the
    mean over pairs of raters of the probability that two labels differ, drawn from what each of them gave.
    """
    rows = [tuple(row) for row in ratings]
    observed = []
    for row in rows:
        pairs = list(combinations([label for label in row if label is not None], 2))
        if pairs:
            observed.append(Fraction(sum(a != b for a, b in pairs), len(pairs)))
    given = [Counter(label for label in column if label is not None) for column in zip(*rows, strict=True)]
    expected = [
        1 - Fraction(sum(one[label] * other[label] for label in one), one.total() * other.total())
        for one, other in combinations(given, 2)
        if one and other
    ]
    if not observed or not sum(expected):
        raise UndefinedError
    return 1 - (sum(observed) / len(observed)) / (sum(expected) / len(expected))


def careless(cells: Iterable[Sequence[Any]]) -> Ratings:
    """Return the ratings of somebody who takes every column as a rater and every text as a label."""
    return [tuple(None if cell in EMPTY else str(cell) for cell in row) for row in cells]


def draw(
    seed: int,
    labels: Sequence[Label],
    n: int = 40,
    raters: int = 2,
    *,
    agreement: float = 0.7,
    shares: Sequence[float] | None = None,
    missing: float = 0.0,
) -> Ratings:
    """Return ratings in which each rater sees the subject's true label, or else guesses.

    Every label occurs at least once if there are enough subjects, and every subject has a rating.
    """
    rng = random.Random(seed)
    weights = list(shares or [1.0] * len(labels))
    true = list(labels[: n // 2]) + rng.choices(labels, weights, k=n - min(len(labels), n // 2))
    rng.shuffle(true)
    rows: Ratings = []
    for label in true:
        row = [label if rng.random() < agreement else rng.choices(labels, weights)[0] for _ in range(raters)]
        keep = rng.randrange(raters)
        rows.append(tuple(None if a != keep and rng.random() < missing else one for a, one in enumerate(row)))
    for code, label in enumerate(labels):  # a label that nobody gave is no category of the file
        if not any(label in row for row in rows) and code < n:
            rows[code] = (label,) * raters
    return rows
