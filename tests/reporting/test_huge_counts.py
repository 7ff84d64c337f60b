"""Reports, tests and maxima of tables with counts near 10^12."""

from __future__ import annotations

import numpy as np
import pytest

import kappamax as km
from kappamax.fibers import rater_by_rater
from kappamax.fibers.hypergeometric import hypergeometric


def _counts(shape):
    """Return counts of up to 10^12, some of them small."""
    rng = np.random.default_rng(5)
    return np.where(rng.random(shape) < 0.7, rng.integers(10**11, 10**12, shape), rng.integers(0, 9, shape))


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (6, 6), (2, 2, 2), (3, 3, 3)])
def test_huge_counts_are_reported_tested_and_maximised(shape):
    """Every part of the report is there, and the parts agree with the functions for single questions."""
    table = km.from_counts(_counts(shape))
    made = km.report(table, weights=["unweighted", "linear"], time_limit=5)
    for result in made.results:
        assert result.test is not None
        assert result.maximum is not None
        assert result.test.pvalue == km.exact_test(table, weights=result.weights, rng=0).pvalue
        most = km.max_kappa(table, weights=result.weights, time_limit=5)
        assert most.proven == result.maximum.proven
        assert most.maximum == pytest.approx(result.maximum.maximum, abs=1e-9)


def test_the_number_of_calls_does_not_depend_on_the_number_of_tables_drawn(monkeypatch):
    """Random tables are drawn many at a time, because a call for a few of them takes as long as for a thousand."""
    calls = []
    monkeypatch.setattr(rater_by_rater, "hypergeometric", lambda *given: calls.append(1) or hypergeometric(*given))
    test = km.exact_test(km.from_counts(_counts((12, 12))), n_draws=2000, rng=1)
    assert test.n_draws == 2000
    levels, categories, blocks = 4, 12, 2  # 12 rows are bisected four times
    assert len(calls) <= blocks * levels * (categories - 1)
