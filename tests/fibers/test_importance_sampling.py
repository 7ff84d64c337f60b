"""Small p-values by importance sampling beside exact ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.fibers import importance_sampling
from kappamax.fibers import null_distribution as nulls
from kappamax.fibers.importance_sampling import tail_estimate
from kappamax.fibers.null_distribution import null_distribution

UNIFORM = [[9, 2, 1], [2, 9, 1], [1, 1, 10]]
SKEWED = [[38, 3, 1, 0], [4, 9, 1, 0], [1, 0, 3, 1], [0, 1, 0, 2]]
WITH_ZEROS = [[12, 0, 3, 0], [0, 0, 0, 0], [2, 0, 10, 0], [0, 0, 1, 9]]
DIFFERENT = [[8, 6, 4, 0], [0, 4, 7, 3], [0, 0, 3, 9], [0, 0, 0, 6]]
STRONG = (12 * np.eye(5, dtype=int) + np.eye(5, k=1, dtype=int)).tolist()
REVERSED = [[0, 0, 0, 0, 15], [0, 0, 0, 11, 0], [0, 0, 11, 0, 0], [0, 13, 0, 0, 0], [10, 0, 0, 0, 0]]
PERFECT = [[10, 0, 0], [0, 8, 0], [0, 0, 12]]
THREE = np.zeros((2, 2, 2), dtype=int)
THREE[0, 0, 0], THREE[1, 1, 1], THREE[0, 0, 1], THREE[1, 0, 1] = 14, 11, 3, 2

SMALL = [
    (counts, weights, "greater")
    for counts in (UNIFORM, SKEWED, WITH_ZEROS, DIFFERENT, PERFECT, THREE)
    for weights in ("unweighted", "linear", "quadratic")
]
CASES = [
    *SMALL,
    (STRONG, "unweighted", "greater"),
    (STRONG, "linear", "greater"),
    (REVERSED, "linear", "less"),
    (REVERSED, "linear", "two-sided"),
    (PERFECT, "unweighted", "two-sided"),
]


@pytest.mark.parametrize(("counts", "weights", "alternative"), CASES)
def test_estimates_agree_with_exact_pvalues(counts, weights, alternative):
    """For p-values from 1e-3 to 1e-38, the estimate is within four standard errors, which are below 6 %."""
    objective = as_objective(km.from_counts(counts), weights=weights)
    exact = null_distribution(objective, method="exact").pvalue(alternative)
    assert exact < 2e-3
    found = tail_estimate(objective, alternative, np.random.default_rng(1))
    assert found is not None
    assert found.se < 0.06 * found.pvalue
    assert abs(found.pvalue - exact) <= 4 * found.se + 1e-9 * exact


@pytest.mark.slow
@pytest.mark.parametrize(
    ("counts", "weights"),
    [(UNIFORM, "linear"), (SKEWED, "quadratic"), (WITH_ZEROS, "unweighted"), (DIFFERENT, "linear"), (THREE, "linear")],
)
def test_intervals_of_two_standard_errors_cover_the_exact_pvalue(counts, weights):
    """Over 150 seeds, about 95 % of the intervals contain the exact p-value, and estimates average to it."""
    objective = as_objective(km.from_counts(counts), weights=weights)
    exact = null_distribution(objective, method="exact").pvalue()
    found = [tail_estimate(objective, "greater", rng) for rng in np.random.default_rng(7).spawn(150)]
    deviations = np.array([(one.pvalue - exact) / one.se for one in found if one is not None])
    assert len(deviations) >= 145
    covered = int((np.abs(deviations) <= 1.96).sum())
    low, high = binom.interval(1 - 1e-4, len(deviations), 0.95)
    assert low <= covered <= high
    assert abs(deviations.mean()) < 4 / len(deviations) ** 0.5


def test_no_estimate_is_given_where_it_could_not_be_trusted(monkeypatch):
    """Missing ratings, too many subjects, two samples that disagree, and few effective draws give no estimate."""
    rng = np.random.default_rng(1)
    gaps = as_objective(km.from_ratings([[1, 1, None], [2, 2, 2], [1, None, 1], [2, 2, 2]]))
    assert tail_estimate(gaps, "greater", rng) is None
    assert tail_estimate(as_objective(km.from_counts([[10**6, 1], [1, 10**6]])), "greater", rng) is None
    objective = as_objective(km.from_counts(UNIFORM))
    assert tail_estimate(objective, "greater", rng) is not None
    with monkeypatch.context() as patch:
        patch.setattr(importance_sampling, "_AGREEMENT", 0)
        assert tail_estimate(objective, "greater", rng) is None
    with monkeypatch.context() as patch:
        patch.setattr(importance_sampling, "_EFFECTIVE_DRAWS", 10**6)
        assert tail_estimate(objective, "greater", rng) is None


def test_a_tail_that_no_table_reaches_has_probability_zero():
    """Full agreement of two raters is farther from the mean than any disagreement can be, so one tail is empty."""
    objective = as_objective(km.from_counts(PERFECT))
    one = tail_estimate(objective, "greater", np.random.default_rng(3))
    both = tail_estimate(objective, "two-sided", np.random.default_rng(3))
    assert one == both


def test_the_test_uses_importance_sampling_only_for_small_pvalues(monkeypatch):
    """It replaces a Monte Carlo estimate that rests on few extreme tables, unless that method was requested."""
    table, weak = km.from_counts(UNIFORM), km.from_counts([[4, 3, 2], [2, 4, 3], [3, 2, 5]])
    exact = km.exact_test(table).pvalue
    monkeypatch.setattr(nulls, "EXACT_WORK", 10)
    small = km.exact_test(table, rng=2)
    assert (small.method, small.at_most) == ("importance-sampling", False)
    assert abs(small.pvalue - exact) < 5 * small.se
    assert "additions" in str(small.reason)
    assert km.exact_test(weak, rng=2).method == "monte-carlo"
    requested = km.exact_test(table, method="monte-carlo", n_draws=500, rng=2)
    assert (requested.method, requested.at_most, requested.pvalue) == ("monte-carlo", True, 1 / 501)
