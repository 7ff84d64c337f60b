"""Resamples of subjects and of whole clusters, and the patterns of each cluster."""

from collections import Counter

import numpy as np
import pytest

from kappamax.cluster_resampling import counts_by_cluster, resampled_counts
from kappamax.table import Table


def table(patterns, clusters=None, counts=None, n_categories=3):
    return Table(patterns, counts, list(range(n_categories)), ordered=True, clusters=clusters)


SMALL = table([[0, 0], [0, 1], [2, -1], [0, 0], [1, 1]], ["b", "a", "b", "a", "c"], [1, 2, 3, 4, 5])


def test_patterns_of_clusters_by_hand():
    """Clusters are in the order of their labels and patterns in the order of the table: 00, 01, 11, 2-."""
    assert counts_by_cluster(SMALL).toarray().tolist() == [[4, 2, 0, 0], [1, 0, 0, 3], [0, 0, 5, 0]]


@pytest.mark.parametrize("n_raters", [2, 45])
def test_patterns_of_clusters_add_up_to_the_table(n_raters):
    """Also with so many raters that patterns do not fit into one integer, and with more subjects than are grouped."""
    rng = np.random.default_rng(4)
    for n in (50, 25_000):
        codes = rng.integers(-1, 3, size=(n, n_raters))
        belongs = rng.integers(n // 5, size=n)
        made = table(codes, belongs)
        found = counts_by_cluster(made)
        assert found.sum(axis=0).tolist() == made.counts.tolist()
        rated = (codes >= 0).any(axis=1)
        first = np.unique(belongs[rated])[0]
        expected = Counter(map(tuple, codes[rated & (belongs == first)].tolist()))
        own = found[[0]].toarray()[0]
        got = {tuple(made.patterns[i].tolist()): int(own[i]) for i in np.flatnonzero(own)}
        assert got == expected


def test_resamples_of_clusters_are_sums_of_whole_clusters():
    """Every resample of three clusters is the sum of three rows of the clusters' counts."""
    rows = counts_by_cluster(SMALL).toarray()
    sums = {tuple((rows[i] + rows[j] + rows[k]).tolist()) for i in range(3) for j in range(3) for k in range(3)}
    drawn = resampled_counts(SMALL, 400, np.random.default_rng(1))
    assert drawn.shape == (400, 4)
    assert {tuple(row) for row in drawn.tolist()} == sums


@pytest.mark.parametrize("many", [False, True])
def test_resamples_of_subjects_have_multinomial_moments(many):
    """The mean of each count is the count, and its variance n p (1 - p); a large number of patterns changes nothing.

    The sum of squares of 2,000 standardised resamples of a mean has a standard deviation of about sqrt(2 m).
    """
    rng = np.random.default_rng(2)
    codes = np.stack(np.unravel_index(np.arange(1200 if many else 12), (35, 35)), axis=1)
    counts = rng.integers(1, 4, size=len(codes))
    made = table(codes, None, counts, 35)
    size, n, m = 2000, made.n_subjects, len(codes)
    drawn = resampled_counts(made, size, rng)
    assert (drawn.sum(axis=1) == n).all()
    variance = made.counts * (1 - made.counts / n)
    z = (drawn.mean(axis=0) - made.counts) / np.sqrt(variance / size)
    assert abs((z**2).sum() - m) < 4 * np.sqrt(2 * m)
    assert abs((drawn.var(axis=0) / variance).mean() - 1) < 4 * np.sqrt(3 / (size * m))


def test_resamples_of_clusters_have_the_moments_of_a_sum():
    """The covariance of the counts is the sum over clusters of the products of deviations from the mean cluster."""
    rng = np.random.default_rng(3)
    made = table(rng.integers(0, 3, size=(60, 2)), rng.integers(12, size=60))
    rows = counts_by_cluster(made).toarray()
    size = 4000
    drawn = resampled_counts(made, size, rng)
    deviations = rows - rows.mean(axis=0)
    variance = (deviations**2).sum(axis=0)
    assert (np.abs(drawn.mean(axis=0) - made.counts) < 4 * np.sqrt(variance / size)).all()
    spread = ((drawn - made.counts) ** 2).std(axis=0) / np.sqrt(size)
    assert (np.abs(((drawn - made.counts) ** 2).mean(axis=0) - variance) < 4 * spread).all()


def test_clusters_of_one_subject_are_drawn_like_subjects():
    """The two ways of drawing have the same distribution of a count, up to the Monte Carlo error."""
    codes = [[0, 0]] * 6 + [[1, 1]] * 4
    size = 4000
    one, other = (
        resampled_counts(table(codes, belongs), size, np.random.default_rng(5))[:, 0] for belongs in (None, range(10))
    )
    shares = [np.bincount(drawn, minlength=11) / size for drawn in (one, other)]
    pooled = (shares[0] + shares[1]) / 2
    assert (np.abs(shares[0] - shares[1]) <= 4 * np.sqrt(2 * pooled / size) + 1e-12).all()


def test_one_seed_gives_the_same_resamples():
    one, other = (resampled_counts(SMALL, 5, np.random.default_rng(7)) for _ in range(2))
    assert one.tolist() == other.tolist()
    assert resampled_counts(SMALL, 0, np.random.default_rng(7)).shape == (0, 4)
