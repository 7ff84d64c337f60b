"""List every pooled use of categories that a rearrangement of the ratings can have.

A rating has more weight on a subject with few ratings than on a subject with many. The pooled use of categories
therefore depends on the kind of subject that each rating is assigned to. The ratings of different raters can be
rearranged independently.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

#: weighted number of times that each category is used, one whole number per category
Use = tuple[int, ...]

MOST_USES = 20_000  # largest number of uses that are listed
_WORK = 20  # largest number of sums that are computed, as a multiple of the largest number of uses
_MANY_CATEGORIES = 20  # with more categories a sum takes longer, and fewer are computed


def attainable_uses(
    margins: Sequence[Sequence[int]], subjects: Sequence[Mapping[int, int]], most: int = MOST_USES
) -> list[Use] | None:
    """Return every use of categories in increasing order, or None if there are too many.

    Parameters
    ----------
    margins : sequence of sequences of int
        For each rater, the number of times each category was used.
    subjects : sequence of mappings
        For each rater, the number of subjects rated, by the weight of a rating on these subjects.
    most : int
        Largest number of uses, default `MOST_USES`. The number of sums is limited in proportion to it.

    Returns
    -------
    list of tuple of int, or None
        The uses, in whole units.
    """
    k = len(margins[0])
    total: set[Use] = {(0,) * k}
    room = _WORK * most * _MANY_CATEGORIES // max(k, _MANY_CATEGORIES)  # sums that may still be computed
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
    """Return the uses of one rater whose ratings are distributed over kinds of subjects in every possible way.

    The second value is the number of sums that may still be computed. If it is negative, the uses are incomplete.
    """
    states: dict[Use, set[Use]] = {margin: {(0,) * len(margin)}}  # uses so far, by the ratings not yet placed
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
    """Yield all ways to choose `count` of the available ratings, in lexicographic order."""
    if count > sum(available):
        return
    chosen = _last_first(available, count)
    while True:
        yield tuple(chosen)
        behind = 0  # ratings chosen in later categories; one more in an earlier category means one less in these
        for place in reversed(range(len(chosen))):
            if behind and chosen[place] < available[place]:
                break
            behind += chosen[place]
        else:
            return
        chosen[place] += 1
        chosen[place + 1 :] = _last_first(available[place + 1 :], behind - 1)


def _last_first(available: Use, count: int) -> list[int]:
    """Return the choice of `count` available ratings that takes as many as possible from the last categories."""
    chosen = []
    for number in reversed(available):
        chosen.append(min(number, count))
        count -= chosen[-1]
    return chosen[::-1]
