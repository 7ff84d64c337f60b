"""Compute agreement in exact fractions by its plain definition; None is a missing rating.

Nothing here comes from kappamax: these are the second opinions that its answers, and the reasons given for other
packages' answers, are checked against. Slow on purpose: every formula is a sum over subjects, pairs and categories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any, NamedTuple

__all__ = ["Extremes", "alpha", "coded", "conger", "counted", "extremes", "fleiss", "light", "maximum", "variance"]

Code = int | None
Rows = Sequence[Sequence[Code]]


def coded(rows: Sequence[Sequence[object]], categories: Sequence[object]) -> list[list[Code]]:
    """Labels as places in the list of categories."""
    places = {label: place for place, label in enumerate(categories)}
    return [[None if label is None else places[label] for label in row] for row in rows]


def counted(rows: Rows, k: int) -> list[list[int]]:
    """Two raters' k x k table of the subjects both rated."""
    cells = Counter((row[0], row[1]) for row in rows)
    return [[cells[i, j] for j in range(k)] for i in range(k)]


def conger(rows: Rows, k: int, weights: str) -> Fraction | None:
    """Conger's kappa, for two raters Cohen's; with missing ratings by Gwet's definition. None if it is 0/0."""
    expected = _expected_between(_margins(rows, k), weights)
    return None if expected == 0 else 1 - _observed(rows, k, weights) / expected


def light(rows: Rows, k: int, weights: str) -> Fraction:
    """The mean of Cohen's kappa over the pairs of raters."""
    pairs = list(combinations(range(len(rows[0])), 2))
    values = [conger([(row[a], row[b]) for row in rows], k, weights) for a, b in pairs]
    return sum((value for value in values if value is not None), Fraction()) / len(pairs)


def fleiss(rows: Rows, k: int, weights: str) -> Fraction | None:
    """Fleiss' kappa: chance draws both ratings from the subjects' mean shares."""
    shares = [_shares([code for code in row if code is not None], k) for row in rows if any(c is not None for c in row)]
    pooled = [sum((one[i] for one in shares), Fraction()) / len(shares) for i in range(k)]
    expected = sum(pooled[i] * pooled[j] * _unlike(i, j, k, weights) for i, j in product(range(k), repeat=2))
    return None if expected == 0 else 1 - _observed(rows, k, weights) / expected


def alpha(rows: Rows, k: int, weights: str) -> Fraction | None:
    """Krippendorff's alpha from the coincidences of ratings of the same subject."""
    units = [[code for code in row if code is not None] for row in rows]
    units = [unit for unit in units if len(unit) > 1]
    n = sum(map(len, units))
    pooled = Counter(code for unit in units for code in unit)
    observed = sum(
        _unlike(i, j, k, weights) / (len(unit) - 1) for unit in units for i, j in _ordered_pairs(unit)
    ) / Fraction(n)
    expected = sum(
        pooled[i] * pooled[j] * _unlike(i, j, k, weights) for i, j in product(range(k), repeat=2)
    ) / Fraction(n * (n - 1))
    return None if expected == 0 else 1 - observed / expected


def variance(rows: Rows, k: int, weights: str) -> Fraction:
    """The large-sample variance of two raters' kappa: that of its slope in each cell's share, divided by n."""
    n = len(rows)
    first, second = ([Fraction(total, n) for total in margin] for margin in _margins(rows, k))
    u = [[_unlike(i, j, k, weights) for j in range(k)] for i in range(k)]
    observed = _observed(rows, k, weights)
    expected = _expected_between(_margins(rows, k), weights)

    def slope(i: int, j: int) -> Fraction:
        shift = sum(u[i][h] * second[h] for h in range(k)) + sum(u[h][j] * first[h] for h in range(k))
        return -u[i][j] / expected + observed * shift / expected**2

    slopes = [slope(i, j) for i, j in rows]  # type: ignore[arg-type]  # complete data
    mean = sum(slopes, Fraction()) / n
    return (sum((s * s for s in slopes), Fraction()) / n - mean * mean) / n


class Extremes(NamedTuple):
    """All tables with given margins: how many, and the least and the greatest sum of scores."""

    n_tables: int
    least: int
    greatest: int


def extremes(margins: Sequence[Sequence[int]], weights: str) -> Extremes:
    """Go through every table, one category of the first rater after the other; equal rests are looked at once."""
    return _extremes(tuple(map(tuple, margins)), weights)


@cache
def _extremes(margins: tuple[tuple[int, ...], ...], weights: str) -> Extremes:
    k = len(margins[0])
    rests = {tuple(total for margin in margins[1:] for total in margin): Extremes(1, 0, 0)}
    for category in sorted(range(k), key=lambda i: margins[0][i]):
        slices = _slices(category, margins, weights)
        reached: dict[tuple[int, ...], Extremes] = {}
        for rest, before in rests.items():
            exactly = sum(rest) == margins[0][category] * (len(margins) - 1)  # the last category takes what is left
            for used in (rest,) if exactly else slices:
                left = tuple(have - take for have, take in zip(rest, used, strict=True))
                if used in slices and min(left) >= 0:
                    _add(reached, left, _joined(before, slices[used]))
        rests = reached
    (only,) = rests.values()
    return only


def maximum(margins: Sequence[Sequence[int]], weights: str) -> Fraction:
    """The largest kappa over every table with the margins."""
    k, n, r = len(margins[0]), sum(margins[0]), len(margins)
    least = Fraction(extremes(margins, weights).least, n * r * (r - 1) // 2)
    return 1 - least / (_expected_between(margins, weights) * _largest(k, weights))


def _observed(rows: Rows, k: int, weights: str) -> Fraction:
    """The mean over subjects of the mean over their pairs of ratings."""
    means = []
    for row in rows:
        ratings = [code for code in row if code is not None]
        pairs = list(combinations(ratings, 2))
        if pairs:
            means.append(sum((_unlike(i, j, k, weights) for i, j in pairs), Fraction()) / len(pairs))
    return sum(means, Fraction()) / len(means)


def _expected_between(margins: Sequence[Sequence[int]], weights: str) -> Fraction:
    """The mean over pairs of raters of the disagreement of two independent ratings."""
    k = len(margins[0])
    pairs = list(combinations(margins, 2))
    total = Fraction()
    for one, other in pairs:
        score = sum(one[i] * other[j] * _unlike(i, j, k, weights) for i, j in product(range(k), repeat=2))
        total += Fraction(score) / (sum(one) * sum(other))
    return total / len(pairs)


def _margins(rows: Rows, k: int) -> list[list[int]]:
    columns = zip(*rows, strict=True)
    return [[column.count(i) for i in range(k)] for column in map(list, columns)]


def _shares(ratings: Sequence[int], k: int) -> list[Fraction]:
    return [Fraction(list(ratings).count(i), len(ratings)) for i in range(k)]


def _ordered_pairs(unit: Sequence[int]) -> Iterator[tuple[int, int]]:
    for a, b in combinations(unit, 2):
        yield a, b
        yield b, a


def _unlike(i: int, j: int, k: int, weights: str) -> Fraction:
    """Disagreement of two categories, largest 1."""
    return Fraction(_score(i, j, weights), _largest(k, weights))


def _score(i: int, j: int, weights: str) -> int:
    return {"unweighted": int(i != j), "linear": abs(i - j), "quadratic": (i - j) ** 2}[weights]


def _largest(k: int, weights: str) -> int:
    return _score(0, k - 1, weights) or 1


def _pattern_score(pattern: Sequence[int], weights: str) -> int:
    return sum(_score(i, j, weights) for i, j in combinations(pattern, 2))


def _slices(category: int, margins: Sequence[Sequence[int]], weights: str) -> dict[tuple[int, ...], Extremes]:
    """Every way to share out the subjects of one category of the first rater, by what it uses of the other margins."""
    k, r = len(margins[0]), len(margins)
    ways = {((0,) * (k * (r - 1)), margins[0][category]): Extremes(1, 0, 0)}
    for other in product(range(k), repeat=r - 1):
        score = _pattern_score((category, *other), weights)
        places = {rater * k + chosen for rater, chosen in enumerate(other)}
        reached: dict[tuple[tuple[int, ...], int], Extremes] = {}
        for (used, left), before in ways.items():
            for count in range(left + 1):
                now = tuple(have + count * (place in places) for place, have in enumerate(used))
                _add(reached, (now, left - count), _joined(before, Extremes(1, count * score, count * score)))
        ways = reached
    return {used: one for (used, left), one in ways.items() if left == 0}


def _joined(one: Extremes, other: Extremes) -> Extremes:
    """Both parts of a table together."""
    return Extremes(one.n_tables * other.n_tables, one.least + other.least, one.greatest + other.greatest)


def _add(found: dict[Any, Extremes], key: object, one: Extremes) -> None:
    """Put tables beside those already found under the key."""
    if key in found:
        old = found[key]
        one = Extremes(old.n_tables + one.n_tables, min(old.least, one.least), max(old.greatest, one.greatest))
    found[key] = one
