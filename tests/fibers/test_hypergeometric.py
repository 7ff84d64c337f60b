"""Hypergeometric random numbers of large populations have the right distribution."""

from fractions import Fraction
from math import fsum, log, log1p

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, hypergeom, kstest, poisson

from kappamax.fibers.hypergeometric import _by_rejection, hypergeometric, log_ratio

N_DRAWN = 100_000


def drawn(good, bad, n, seed=1, source=_by_rejection):
    """Return many random numbers with the same parameters."""
    arrays = (np.full(N_DRAWN, number, dtype=np.int64) for number in (good, bad, n))
    return source(*arrays, np.random.default_rng(seed))


def pvalue_of(numbers, law):
    """Return the p-value of a chi-square test; numbers with fewer than ten expected draws are pooled."""
    likely = np.arange(int(law.ppf(1e-6)), int(law.ppf(1 - 1e-6)) + 1)
    likely = likely[law.pmf(likely) * N_DRAWN >= 10]
    seen = np.array([(numbers == one).sum() for one in likely])
    seen, expected = np.append(seen, N_DRAWN - seen.sum()), np.append(law.pmf(likely), 0) * N_DRAWN
    expected[-1] = N_DRAWN - expected[:-1].sum()
    if expected[-1] < 5:
        seen[-2], expected[-2] = seen[-2] + seen[-1], expected[-2] + expected[-1]
        seen, expected = seen[:-1], expected[:-1]
    return chisquare(seen, expected).pvalue


@pytest.mark.parametrize(
    ("good", "bad", "n"),
    [(1, 1, 1), (5, 3, 4), (50, 70, 33), (1000, 10, 200), (10, 1000, 990), (300, 300, 593), (20_000, 30_000, 25_000)],
)
def test_small_populations_have_scipys_probabilities(good, bad, n):
    """A chi-square test at the level 1 in 10,000 does not reject."""
    assert pvalue_of(drawn(good, bad, n), hypergeom(good + bad, good, n)) > 1e-4


def test_a_chi_square_notices_wrong_probabilities():
    """The test rejects numbers of a population with one more good item."""
    assert pvalue_of(drawn(51, 70, 33), hypergeom(120, 50, 33)) < 1e-4


def test_certain_numbers():
    """The number is certain if nothing or everything is drawn, or if there is one kind of items."""
    for good, bad, n, expected in ((7, 4, 0, 0), (3, 4, 7, 3), (0, 5, 3, 0), (5, 0, 3, 3)):
        assert (drawn(good, bad, n) == expected).all()


@pytest.mark.parametrize("total", [10**10, 10**13, 4 * 10**18])
@pytest.mark.parametrize(("share", "part"), [(0.5, 0.5), (0.3, 0.1), (0.9, 0.7)])
def test_large_populations_are_nearly_normal(total, share, part):
    """Standardised numbers pass a test of normality, and half of the numbers are even."""
    good, n = int(total * share), int(total * part)
    numbers = drawn(good, total - good, n, source=hypergeometric)
    mean = Fraction(good * n, total)
    spread = (float(mean) * (1 - good / total) * (1 - n / total)) ** 0.5
    z = ((numbers - int(mean)) - float(mean - int(mean))) / spread
    assert kstest(z, "norm").pvalue > 1e-4
    assert abs((numbers % 2).mean() - 0.5) < 4 * 0.5 / N_DRAWN**0.5


def test_rare_items_of_a_large_population_are_nearly_poisson():
    """A million items drawn from 10^16 contain ten good items on average."""
    assert pvalue_of(drawn(10**11, 10**16 - 10**11, 10**6, source=hypergeometric), poisson(10)) > 1e-4


def test_small_and_large_populations_in_one_array():
    """Each entry is drawn from its own population."""
    good, bad, n = (np.array([[5, 10**12], [0, 3]]), np.array([[3, 10**12], [4, 10**15]]), np.array([[8, 7], [2, 0]]))
    found = hypergeometric(good, bad, n, np.random.default_rng(1))
    assert found[0, 0] == 5
    assert 0 <= found[0, 1] <= 7
    assert found[1].tolist() == [0, 0]


@given(st.integers(2, 2**61), st.integers(2, 2**61), st.integers(2, 2**61), st.integers(-50, 50))
def test_ratios_of_probabilities(good, bad, n, steps):
    """The ratio is the product of the exact ratios of consecutive probabilities, for populations of any size."""
    n = min(n, good + bad - 1)
    low, high = max(0, n - bad), min(n, good)
    start = min(max(low, (good + 1) * (n + 1) // (good + bad + 2)), high)
    steps = min(max(steps, low - start), high - start)
    first, last = sorted((start, start + steps))
    ratios = [Fraction((good - x) * (n - x), (x + 1) * (bad - n + x + 1)) for x in range(first, last)]
    logs = [log1p(float(ratio - 1)) if 0.5 < ratio < 2 else log(float(ratio)) for ratio in ratios]
    exact = fsum(logs) * (1 if steps >= 0 else -1)
    arrays = (np.array([number], dtype=np.int64) for number in (good, bad, n, start))
    assert log_ratio(*arrays, np.array([float(steps)]))[0] == pytest.approx(exact, rel=1e-9, abs=1e-9)
