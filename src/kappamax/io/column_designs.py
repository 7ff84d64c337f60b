"""Recognise columns that belong to the design of a study rather than to one rater each.

A column may number the observations within a subject, as the teeth of a patient, and the raters may have rated several
items or on several occasions, with one column for each rater and item. Both would be read as further raters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import log

from kappamax.io import column_names as names
from kappamax.io.column_profiles import ColumnProfile

_FEWEST_ROWS = 12
_FEWEST_ROWS_COMPARED = 8
_AGREES = 0.2
#: probability below which different labels in all rows of every subject are no coincidence
_NO_COINCIDENCE = 0.001


def numbers_within(profile: ColumnProfile, subject: ColumnProfile) -> bool:
    """Return whether a column numbers the rows of each subject, as the eyes of a patient.

    Its labels differ in all rows of every subject, although labels drawn at random would coincide.
    """
    pairs = list(zip(subject.labels, profile.labels, strict=True))
    if profile.n_present < len(pairs) or profile.n_distinct < 2 or len(set(pairs)) < len(pairs):
        return False
    same = sum((n / profile.n_present) ** 2 for n in profile.counts.values())
    n_comparisons = sum(n * (n - 1) // 2 for n in subject.counts.values())
    return n_comparisons * log(1 - same) < log(_NO_COINCIDENCE)


def crossed_columns(profiles: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Return two columns whose labels are combined in all ways, each once, as plots and days are; otherwise none."""
    n_rows = len(profiles[0].labels) if profiles else 0
    for one, other in combinations(profiles, 2):
        if (
            n_rows >= _FEWEST_ROWS
            and one.n_distinct * other.n_distinct == n_rows
            and min(one.n_distinct, other.n_distinct) > 1
        ):
            pairs = set(zip(one.labels, other.labels, strict=True))
            if len(pairs) == n_rows and one.n_present == other.n_present == n_rows:
                return [one, other]
    return []


def agrees_with_others(profile: ColumnProfile, others: Sequence[ColumnProfile]) -> bool:
    """Return whether a column agrees with one of the others beyond chance, as a rater does."""
    return any(_agreement(profile, other) > _AGREES for other in others)


def columns_of_other_items(profiles: Sequence[ColumnProfile]) -> tuple[str, dict[str, str]]:
    """Return the first of several items, and the item of every column that is about another one.

    The names combine two or more items or occasions with two or more raters, as pain_A, pain_B, fever_A and fever_B.
    There are no such columns if the dict is empty.
    """
    words = {profile.name: names.words_of(profile.name) for profile in profiles}
    for place in range(1, max(map(len, words.values()), default=0)):
        parts = {name: (" ".join(own[:place]), " ".join(own[place:])) for name, own in words.items()}
        first, second = (list(dict.fromkeys(part[i] for part in parts.values())) for i in (0, 1))
        full = len(set(parts.values())) == len(parts) == len(first) * len(second) > 0
        if not full or min(len(first), len(second)) < 2 or "" in second or all(map(names.names_rater, first)):
            continue
        item = 1 if _like_raters(first) and not _like_raters(second) else 0
        main = (first, second)[item][0]
        return main, {name: part[item] for name, part in parts.items() if part[item] != main}
    return "", {}


def _like_raters(words: Sequence[str]) -> bool:
    """Return whether all texts are numbers, single letters or words for raters."""
    return all(word.isdigit() or len(word) == 1 or names.names_rater(word) for word in words)


def _agreement(one: ColumnProfile, other: ColumnProfile) -> float:
    """Return Cohen's kappa of two columns; 0 if there are too few rows."""
    rows = [(a, b) for a, b in zip(one.labels, other.labels, strict=True) if a is not None and b is not None]
    if len(rows) < _FEWEST_ROWS_COMPARED:
        return 0.0
    ours, theirs = Counter(a for a, _ in rows), Counter(b for _, b in rows)
    observed = sum(a == b for a, b in rows) / len(rows)
    expected = sum(n * theirs[label] for label, n in ours.items()) / len(rows) ** 2
    return (observed - expected) / (1 - expected) if expected < 1 else 0.0
