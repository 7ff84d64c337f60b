"""List every pooled use of categories that some rearrangement of the ratings has.

A rating counts more on a subject with few ratings than on one with many, so the pooled use of categories depends on
which kind of subject each of a rater's ratings falls on. Raters can be rearranged independently of each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

#: whole numbers, one per category
Use = tuple[int, ...]

MOST_USES = 20_000
_WORK = 20  # sums that are formed for every use that may be listed
_MANY_CATEGORIES = 20  # beyond, sums take longer and fewer are formed


def attainable_uses(
    margins: Sequence[Sequence[int]], subjects: Sequence[Mapping[int, int]], most: int = MOST_USES
) -> list[Use] | None:
    """Every use of categories, in order; None if there are more than `most` or too many sums lead to them.

    Parameters
    ----------
    margins : for each rater, how often each category was used
    subjects : for each rater, how many subjects were rated, by what a rating counts on them
    """
    k = len(margins[0])
    total: set[Use] = {(0,) * k}
    room = _WORK * most * _MANY_CATEGORIES // max(k, _MANY_CATEGORIES)  # sums of uses that may still be formed
    for margin, kinds in zip(margins, subjects, strict=True):
        own, room = _uses_of_rater(tuple(margin), kinds, room)
        room -= len(own) * len(total)
        if room < 0:
            return None
        total = {tuple(x + y for x, y in zip(one, other, strict=True)) for one, other in product(total, own)}
        if len(total) > most:
            return None
    return sorted(total)


def _uses_of_rater(margin: Use, kinds: Mapping[int, int], room: int) -> tuple[set[Use], int]:
    """The uses of one rater, whose ratings are distributed over kinds of subjects in every possible way.

    Also returns how many sums may still be formed; below zero, the uses are not complete.
    """
    states: dict[Use, set[Use]] = {margin: {(0,) * len(margin)}}  # by the ratings not yet placed
    for weight, count in kinds.items():
        following: dict[Use, set[Use]] = {}
        for left, uses in states.items():
            for placed in _choices(left, count):
                room -= len(uses)
                if room < 0:
                    return set(), room
                rest = tuple(a - b for a, b in zip(left, placed, strict=True))
                moved = {tuple(u + weight * p for u, p in zip(use, placed, strict=True)) for use in uses}
                following.setdefault(rest, set()).update(moved)
        states = following
    return set().union(*states.values()), room


def _choices(available: Use, count: int) -> Iterator[Use]:
    """All ways to choose so many of the available ratings, in order."""
    if count > sum(available):
        return
    chosen = _last_first(available, count)
    while True:
        yield tuple(chosen)
        behind = 0  # what the categories behind a place hold: one more there is one less behind
        for place in reversed(range(len(chosen))):
            if behind and chosen[place] < available[place]:
                break
            behind += chosen[place]
        else:
            return
        chosen[place] += 1
        chosen[place + 1 :] = _last_first(available[place + 1 :], behind - 1)


def _last_first(available: Use, count: int) -> list[int]:
    """So many of the available ratings, from the last category on."""
    chosen = []
    for number in reversed(available):
        chosen.append(min(number, count))
        count -= chosen[-1]
    return chosen[::-1]
