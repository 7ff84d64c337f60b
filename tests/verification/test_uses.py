"""Tests of the uses of categories that rearrangements can have."""

from itertools import permutations, product

import numpy as np
import pytest

import kappamax as km
from kappamax.errors import NotSupportedError
from kappamax.verification.uses import attainable_uses

SLOW = pytest.mark.slow


def naive(margins, subjects):
    """Return the uses for every order of every rater's ratings over subjects with given weights."""
    own = []
    for margin, kinds in zip(margins, subjects, strict=True):
        weights = [weight for weight, count in kinds.items() for _ in range(count)]
        ratings = [code for code, count in enumerate(margin) for _ in range(count)]
        found = set()
        for order in set(permutations(ratings)):
            use = [0] * len(margin)
            for code, weight in zip(order, weights, strict=True):
                use[code] += weight
            found.add(tuple(use))
        own.append(found)
    return sorted({tuple(map(sum, zip(*choice, strict=True))) for choice in product(*own)})


def test_uses_are_those_of_all_orders():
    """The uses agree with enumeration for small margins and one to three kinds of subjects."""
    rng = np.random.default_rng(7)
    for _ in range(100):
        k = int(rng.integers(1, 4))
        margins = rng.integers(0, 3, size=(2, k)).tolist()
        subjects = []
        for margin in margins:
            weights, counts = np.unique(rng.integers(0, 3, size=sum(margin)), return_counts=True)
            subjects.append(dict(zip(weights.tolist(), counts.tolist(), strict=True)))
        assert attainable_uses(margins, subjects) == naive(margins, subjects)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "k"),
    [pytest.param(10**12, 2, marks=SLOW), pytest.param(10**7, 3, marks=SLOW), (1, 1500)],
)
def test_too_many_uses_are_detected_before_they_are_listed(n, k):
    """The result is None if there are too many subjects or categories to list the uses."""
    assert attainable_uses([[2 * n] * k] * 2, [{1: n * k, 2: n * k}, {1: 2 * n * k}]) is None


@pytest.mark.slow
def test_a_maximum_over_too_many_uses_is_refused():
    """The maximum of Fleiss' kappa is refused for missing ratings of 60 million subjects."""
    patterns = np.array([[0, 0], [1, 1], [2, 2], [0, -1], [1, -1], [2, -1]])
    table = km.Table(patterns, np.full(6, 10**7), (1, 2, 3), ordered=True)
    with pytest.raises(NotSupportedError, match="up to 20,000 possible uses of the categories"):
        km.max_kappa(table, coefficient="fleiss")
