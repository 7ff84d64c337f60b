"""Compute the p-value of deviations between raters if the ratings of each subject are permuted among its raters.

Only the subjects whose ratings are not all equal matter, and of these only the multiset of their ratings. The
distribution of the margins is the convolution of one small distribution per subject. It is computed exactly where the
possible margins are few, and otherwise sampled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import factorial, prod
from typing import NamedTuple

import numpy as np

from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Array, Codes, Floats, Integers
from kappamax.display import numbers
from kappamax.errors import NotSupportedError
from kappamax.patterns import MISSING
from kappamax.rater_deviations import ComparedRatings, DeviationForm, RaterSet

#: largest number of possible margins, and of additions, of the exact distribution
MOST_MARGINS, MOST_ADDITIONS = 2_000_000, 100_000_000
#: largest number of random numbers of one call
MOST_DRAWN = 20_000_000_000
_USUALLY_DRAWN = 10_000_000
_LEAST_DRAWS, _MOST_USUAL_DRAWS = 1000, 100_000
_HELD = 4_000_000  # numbers in memory at a time
_MOST_LEFT = 1_000_000  # ratings in the multisets of which the random permutations keep account
_SPLIT_COST = 10  # a binomial number takes about as long as shuffling this many ratings

#: ratings of a subject in increasing order
Multiset = tuple[int, ...]


class PermutationPvalue(NamedTuple):
    """P-value of the deviations if ratings are permuted within subjects.

    Attributes
    ----------
    pvalue : float
        Probability of a statistic at least as large as the observed one.
    n_draws : int or None
        Number of random permutations; None if the p-value is exact.
    n_extreme : int or None
        Number of those with a statistic at least as large as the observed one.
    """

    pvalue: float
    n_draws: int | None = None
    n_extreme: int | None = None


def permutation_pvalue(
    ratings: ComparedRatings, form: DeviationForm, n_draws: int | None, rng: np.random.Generator
) -> PermutationPvalue:
    """Return the probability that permuted ratings have at least the observed value of a form of the deviations.

    If the exact distribution is too large, it is estimated from `n_draws` random permutations. By default their number
    depends on the size of the data.
    """
    if ratings.n_raters == 2 and form.part.rank == 1:
        return PermutationPvalue(_sign_pvalue(ratings))
    outcomes = _Outcomes(ratings, form)
    groups = _groups(ratings)
    most = _possible_uses(ratings, outcomes)
    if most is not None and _is_small(most, groups):
        return PermutationPvalue(_exact_pvalue(outcomes, most, groups))
    sampler = _Sampler(ratings, groups)
    n_draws = sampler.usual_draws() if n_draws is None else n_draws
    _require_few(n_draws, sampler, "fewer draws or method 'bhapkar'")
    n_extreme = 0
    for margins in sampler.draws(n_draws, rng):
        n_extreme += int(outcomes.extreme(margins[:, outcomes.raters, outcomes.categories]).sum())
    return PermutationPvalue((1 + n_extreme) / (1 + n_draws), n_draws, n_extreme)


def permuted_margins(ratings: ComparedRatings, n_draws: int, rng: np.random.Generator) -> Integers:
    """Return the margins of the compared subjects after random permutations, shape (n_draws, n_raters, n_categories).

    Raises
    ------
    NotSupportedError
        If the permutations take too many random numbers.
    """
    sampler = _Sampler(ratings, _groups(ratings))
    _require_few(n_draws, sampler, "fewer resamples")
    return np.concatenate(list(sampler.draws(n_draws, rng)))


def _require_few(n_draws: int, sampler: _Sampler, advice: str) -> None:
    """Require that the random permutations do not take too many random numbers."""
    if n_draws * sampler.cost > MOST_DRAWN:
        raise NotSupportedError(
            f"{numbers.count(n_draws)} random permutations would take {numbers.rough(n_draws * sampler.cost)} random "
            f"numbers; the limit is {numbers.rough(MOST_DRAWN)}. Use {advice}."
        )


def _sign_pvalue(ratings: ComparedRatings) -> float:
    """Return the p-value of two raters who differ in one pair of categories only, by the binomial distribution."""
    from scipy.special import betainc

    first = ratings.margins[0]
    fewer, total = int(first.min()), ratings.n_different
    if 2 * fewer == total:
        return 1.0
    return float(2 * betainc(total - fewer, fewer + 1, 0.5))


class _Outcomes:
    """Compare the statistics of possible margins with the observed one.

    The statistic depends on a few margins only, which are those of `raters` in `categories`. Statistics are compared
    in doubles; where they are closer than rounding errors, they are compared exactly if the inverse is exact, and count
    as equal otherwise.
    """

    def __init__(self, ratings: ComparedRatings, form: DeviationForm) -> None:
        self.form, self.unit = form, ratings.unit
        stop = len(form.raters) - 1 if form.closing else len(form.raters)
        self.raters, self.categories = form.raters[:stop].ravel(), form.categories[:stop].ravel()
        expected = ratings.expected[self.raters, self.categories]
        self._base: Integers = (expected // self.unit).astype(np.int64)
        self._rest: Array = expected % self.unit
        observed = ratings.margins[self.raters, self.categories]
        self._observed = self._values(observed[None])[0]
        self._exact_observed = self._exact_values(observed[None])[0]

    def extreme(self, margins: Integers) -> Array:
        """Return which margins, shape (n, number of margins), have at least the observed statistic."""
        values = self._values(margins)
        margin = ROUNDING_MARGIN * self._observed
        above: Array = values > self._observed + margin
        near = np.flatnonzero(~above & (values >= self._observed - margin))
        above[near] = self._exact_values(margins[near]) >= self._exact_observed
        return above

    def _values(self, margins: Integers) -> Floats:
        """Return the statistics in doubles, up to a factor."""
        deviations = (margins - self._base) - (self._rest / self.unit).astype(float)
        vectors = self._closed(deviations.reshape(len(margins), -1, self.form.part.rank))
        return np.asarray(((vectors @ self.form.part.inverse) * vectors).sum(axis=(1, 2)))

    def _exact_values(self, margins: Integers) -> Array:
        """Return the statistics as whole numbers, up to a factor; all zero if the inverse is not exact."""
        numerators, rank = self.form.part.numerators, self.form.part.rank
        if numerators is None or not len(margins):
            return np.zeros(len(margins), dtype=np.int64)
        deviations = (margins - self._base).astype(object) * self.unit - self._rest
        vectors = self._closed(deviations.reshape(len(margins), -1, rank))
        products = (vectors.reshape(-1, rank) @ numerators).reshape(vectors.shape)
        return np.asarray((products * vectors).sum(axis=(1, 2)))

    def _closed(self, vectors: Array) -> Array:
        """Return vectors of deviations with the one that is minus the sum of the others, if it is part of the form."""
        return np.concatenate([vectors, -vectors.sum(axis=1, keepdims=True)], axis=1) if self.form.closing else vectors


class _Group(NamedTuple):
    """Subjects with the same raters and the same multiset of ratings."""

    raters: tuple[int, ...]
    ratings: Multiset
    n_subjects: int

    @property
    def n_arrangements(self) -> int:
        return factorial(len(self.ratings)) // prod(map(factorial, Counter(self.ratings).values()))


def _groups(ratings: ComparedRatings) -> list[_Group]:
    """Return the groups of subjects with the same raters and the same multiset of ratings."""
    found = []
    for one in ratings.sets:
        ordered, place = np.unique(np.sort(one.patterns, axis=1), axis=0, return_inverse=True)
        counts = np.zeros(len(ordered), dtype=np.int64)
        np.add.at(counts, place.reshape(-1), one.counts)
        found += [_Group(one.raters, tuple(row), n) for row, n in zip(ordered.tolist(), counts.tolist(), strict=True)]
    return found


def _possible_uses(ratings: ComparedRatings, outcomes: _Outcomes) -> list[int] | None:
    """Return the largest value that each margin of the statistic can have, or None if these are too many margins."""
    if 2 ** len(outcomes.raters) > MOST_MARGINS:
        return None
    found = []
    for rater, category in zip(outcomes.raters.tolist(), outcomes.categories.tolist(), strict=True):
        possible = (ratings.patterns[:, rater] != MISSING) & (ratings.patterns == category).any(axis=1)
        found.append(int(ratings.counts[possible].sum()))
    return found


def _is_small(most: list[int], groups: list[_Group]) -> bool:
    """Return whether the exact distribution takes at most about a second, given the largest margins."""
    n_margins = prod(largest + 1 for largest in most)
    if n_margins > MOST_MARGINS:
        return False
    return n_margins * sum(group.n_subjects * group.n_arrangements for group in groups) <= MOST_ADDITIONS


def _exact_pvalue(outcomes: _Outcomes, most: list[int], groups: list[_Group]) -> float:
    """Return the p-value by convolution over the subjects.

    The margins are the digits of the position in the array of probabilities, so one arrangement of the ratings of a
    subject moves all probabilities by the same number of places.
    """
    sizes = [largest + 1 for largest in most]
    strides = [prod(sizes[place + 1 :]) for place in range(len(sizes))]
    step = dict(zip(zip(outcomes.raters.tolist(), outcomes.categories.tolist(), strict=True), strides, strict=True))
    chances = np.zeros(prod(sizes))
    chances[0], end = 1.0, 1
    for group in groups:
        moves = Counter(
            sum(step.get((rater, code), 0) for rater, code in zip(group.raters, arranged, strict=True))
            for arranged in _arrangements(group.ratings)
        )
        for _ in range(group.n_subjects):
            before = chances[:end].copy()
            chances[:end] = 0.0
            for move, n in moves.items():
                chances[move : move + end] += before * (n / group.n_arrangements)
            end += max(moves)
    extreme = 0.0
    possible = np.flatnonzero(chances)
    for start in range(0, len(possible), chunk := max(1, _HELD // max(1, len(sizes)))):
        places = possible[start : start + chunk]
        margins = np.stack(np.unravel_index(places, sizes), axis=1).astype(np.int64)
        extreme += float(chances[places][outcomes.extreme(margins)].sum())
    return min(1.0, extreme)


def _arrangements(ratings: Multiset) -> Iterator[tuple[int, ...]]:
    """Yield all different orders of some ratings."""
    if not ratings:
        yield ()
    for rating in sorted(set(ratings)):
        for rest in _arrangements(_without(ratings, rating)):
            yield (rating, *rest)


def _without(ratings: Multiset, rating: int) -> Multiset:
    """Return ratings without one of those that are equal to `rating`."""
    place = ratings.index(rating)
    return (*ratings[:place], *ratings[place + 1 :])


class _Sampler:
    """Draw margins after random permutations of the ratings within the subjects.

    Subjects with the same raters and the same multiset are not told apart: the first rater's ratings of them are
    multinomial, and so are the next rater's, given what is left of the multiset. Where there are fewer subjects than
    such remainders, the ratings of single subjects are shuffled instead.

    Attributes
    ----------
    cost : int
        About the number of random numbers that one draw takes.
    """

    def __init__(self, ratings: ComparedRatings, groups: list[_Group]) -> None:
        self._shape = ratings.n_raters, ratings.n_categories
        self._split: dict[tuple[int, ...], dict[Multiset, int]] = {}
        self._shuffled: dict[int, list[RaterSet]] = {}
        by_raters: dict[tuple[int, ...], dict[Multiset, int]] = {}
        for group in groups:
            by_raters.setdefault(group.raters, {})[group.ratings] = group.n_subjects
        self.cost = self._held = 1
        for one in ratings.sets:
            own, m = by_raters[one.raters], len(one.raters)
            n_ratings = int(one.counts.sum()) * m
            n_remainders = _count_remainders(own, min(_MOST_LEFT // m, n_ratings // _SPLIT_COST))
            if n_remainders is None:
                self._shuffled.setdefault(m, []).append(one)
                self.cost += n_ratings
                self._held += n_ratings
            else:
                self._split[one.raters] = own
                self.cost += n_remainders * _SPLIT_COST
                self._held = max(self._held, n_remainders)

    def usual_draws(self) -> int:
        """Return the default number of draws, fewer for larger data."""
        return min(_MOST_USUAL_DRAWS, max(_LEAST_DRAWS, _USUALLY_DRAWN // self.cost))

    def draws(self, n_draws: int, rng: np.random.Generator) -> Iterator[Integers]:
        """Yield arrays of random margins, shape (number of draws at a time, n_raters, n_categories)."""
        chunk = max(1, _HELD // max(self._held, self._shape[0] * self._shape[1]))
        single = [_single_subjects(sets) for sets in self._shuffled.values()]
        for start in range(0, n_draws, chunk):
            margins = np.zeros((min(chunk, n_draws - start), *self._shape), dtype=np.int64)
            for split_raters, own in self._split.items():
                _add_split(margins, split_raters, own, rng)
            for raters, subjects in single:
                _add_shuffled(margins, raters, subjects, rng)
            yield margins


def _single_subjects(sets: list[RaterSet]) -> tuple[Codes, Codes]:
    """Return the raters and the ratings of single subjects, who all have the same number of ratings."""
    raters = [np.tile(np.array(one.raters, dtype=np.int32), (int(one.counts.sum()), 1)) for one in sets]
    return np.concatenate(raters), np.concatenate([np.repeat(one.patterns, one.counts, axis=0) for one in sets])


def _count_remainders(own: dict[Multiset, int], most: int) -> int | None:
    """Return the number of multisets that can be left after some raters, or None if they are more than `most`."""
    count, level = 0, set(own)
    while level:
        count += len(level)
        if count > most:
            return None
        level = {_without(ratings, one) for ratings in level for one in set(ratings) if len(ratings) > 1}
    return count


def _add_split(margins: Integers, raters: tuple[int, ...], own: dict[Multiset, int], rng: np.random.Generator) -> None:
    """Add the margins of random permutations, drawn rater by rater."""
    left = {ratings: np.full(len(margins), n, dtype=np.int64) for ratings, n in own.items()}
    for rater in raters:
        after: dict[Multiset, Integers] = {}
        for ratings, n_subjects in left.items():
            uses = sorted(Counter(ratings).items())
            shares = np.array([n for _, n in uses]) / len(ratings)
            drawn = rng.multinomial(n_subjects, shares) if len(uses) > 1 else n_subjects[:, None]
            for (category, _), n in zip(uses, drawn.T, strict=True):
                margins[:, rater, category] += n
                rest = _without(ratings, category)
                after[rest] = after[rest] + n if rest in after else n
        left = after


def _add_shuffled(margins: Integers, raters: Codes, subjects: Codes, rng: np.random.Generator) -> None:
    """Add the margins of random permutations of the ratings of single subjects."""
    n_draws, n_raters, k = margins.shape
    shuffled = rng.permuted(np.broadcast_to(subjects, (n_draws, *subjects.shape)), axis=-1)
    places = np.arange(n_draws)[:, None, None] * (n_raters * k) + (raters.astype(np.int64) * k + shuffled)
    margins += np.bincount(places.ravel(), minlength=margins.size).reshape(margins.shape)
