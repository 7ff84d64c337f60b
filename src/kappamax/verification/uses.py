"""List every pooled use of categories that some rearrangement of the ratings has.

A rating counts more on a subject with few ratings than on one with many, so the pooled use of categories depends on
which kind of subject each of a rater's ratings falls on. Raters can be rearranged independently of each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

__all__ = ["MOST_USES", "Use", "attainable_uses"]

#: whole numbers, one per category
Use = tuple[int, ...]

MOST_USES = 20_000
_WORK = 20  # sums that are formed for every use that may be listed


def attainable_uses(
    margins: Sequence[Sequence[int]], subjects: Sequence[Mapping[int, int]], most: int = MOST_USES
) -> list[Use] | None:
    """Every use of categories, in order; None if there are more than `most`.

    Parameters
    ----------
    margins : for each rater, how often each category was used
    subjects : for each rater, how many subjects were rated, by what a rating counts on them
    """
    total: set[Use] = {(0,) * len(margins[0])}
    for margin, kinds in zip(margins, subjects, strict=True):
        own = _uses_of_rater(tuple(margin), kinds, most)
        if own is None or len(own) * len(total) > _WORK * most:
            return None
        total = {tuple(x + y for x, y in zip(one, other, strict=True)) for one, other in product(total, own)}
        if len(total) > most:
            return None
    return sorted(total)


def _uses_of_rater(margin: Use, kinds: Mapping[int, int], most: int) -> set[Use] | None:
    """The uses of one rater, whose ratings are distributed over kinds of subjects in every possible way."""
    states: dict[Use, set[Use]] = {margin: {(0,) * len(margin)}}  # by the ratings not yet placed
    for weight, count in kinds.items():
        following: dict[Use, set[Use]] = {}
        n_uses = 0
        for left, uses in states.items():
            for placed in _choices(left, count):
                rest = tuple(a - b for a, b in zip(left, placed, strict=True))
                moved = {tuple(u + weight * p for u, p in zip(use, placed, strict=True)) for use in uses}
                following.setdefault(rest, set()).update(moved)
                n_uses += len(moved)
                if n_uses > _WORK * most:
                    return None
        states = following
    return set().union(*states.values())


def _choices(available: Use, count: int) -> list[Use]:
    """All ways to choose so many of the available ratings."""
    if len(available) == 1:
        return [(count,)] if count <= available[0] else []
    return [
        (first, *rest)
        for first in range(max(0, count - sum(available[1:])), min(count, available[0]) + 1)
        for rest in _choices(available[1:], count - first)
    ]
