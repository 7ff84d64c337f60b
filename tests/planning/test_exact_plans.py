"""Plans for the exact test against chance have the power that enumeration gives."""

from math import lgamma, sqrt

import numpy as np
import pytest

import kappamax as km
from kappamax.planning import Formula, Simulation

CELLS = np.array([[0.574, 0.126], [0.126, 0.174]])  # margins 0.7 and 0.3, kappa 0.4


def power_by_enumeration(n, cells, alternative="greater"):
    """Return the probability that the exact test of a 2 x 2 table of n subjects rejects at the 5 % level."""
    total = 0.0
    for a in range(n + 1):
        for b in range(n + 1 - a):
            for c in range(n + 1 - a - b):
                counts = np.array([[a, b], [c, n - a - b - c]])
                if not (counts.any(axis=0).all() or counts.any(axis=1).all()):
                    continue  # one category only: kappa is undefined
                if km.exact_test(km.from_counts(counts), alternative=alternative, method="exact").pvalue <= 0.05:
                    ways = lgamma(n + 1) - sum(lgamma(int(count) + 1) for count in counts.ravel())
                    total += float(np.exp(ways + (counts * np.log(cells)).sum()))
    return total


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_the_simulated_power_is_that_of_all_tables(alternative):
    """The power of the exact test agrees within four Monte Carlo errors, and it does not reject too often."""
    method = Formula(variance="exact", n_draws=4000)
    plan = km.sample_size(
        margins=[0.7, 0.3], kappa=0.4, power=0.34, null=0, alternative=alternative, method=method, rng=1
    )
    expected = power_by_enumeration(plan.n_subjects, CELLS, alternative)
    assert plan.studies.power == pytest.approx(expected, abs=4 * sqrt(expected * (1 - expected) / 4000))
    level = power_by_enumeration(plan.n_subjects, np.outer([0.7, 0.3], [0.7, 0.3]), alternative)
    assert level <= 0.05
    assert plan.studies.false_positives == pytest.approx(level, abs=4 * sqrt(level * (1 - level) / 4000))


def test_the_exact_test_needs_more_subjects_than_the_formula():
    """The exact test is conservative; its number is found by simulation, and there is no critical value."""
    plan = km.sample_size(
        margins=[0.7, 0.3], kappa=0.6, power=0.8, null=0, method=Simulation(variance="exact", n_draws=200), rng=1
    )
    assert plan.n_subjects > plan.n_formula
    assert (plan.variance, plan.critical_value) == ("exact", None)
    assert plan.studies.power > 0.7


def test_three_raters_and_weights_have_exact_plans():
    """The exact test of three raters is simulated as well, and the result does not depend on the processes."""
    options = {"margins": [0.5, 0.3, 0.2], "kappa": 0.5, "n_raters": 3, "weights": "linear", "power": 0.7, "null": 0}
    method = Formula(variance="exact", n_draws=100)
    one, two = (km.sample_size(**options, method=method, rng=1, n_jobs=jobs) for jobs in (1, 2))
    assert one.studies == two.studies
    assert one.studies.n_draws == 100
    assert 0.3 < one.studies.power <= 1


def test_only_chance_has_an_exact_test():
    """Another null value is refused by name."""
    with pytest.raises(km.errors.InvalidOptionError, match="null must be 0 with variance='exact'.*got 0.2"):
        km.sample_size(margins=[0.5, 0.5], kappa=0.6, power=0.8, null=0.2, method=Formula(variance="exact"))
