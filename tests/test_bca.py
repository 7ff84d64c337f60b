"""The BCa interval equals a naive implementation and that of scipy with the same resamples."""

from statistics import NormalDist
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import kappamax as km

DESIGNS = {
    "two raters": (km.example("rapallo2022"), {"weights": "linear"}),
    "skewed": (km.from_counts([[40, 2], [1, 3]]), {}),
    "three raters": (km.example("rapallo2022-three"), {"weights": "sqrt"}),
    "missing ratings": (km.example("gwet2014"), {"coefficient": "krippendorff"}),
    "few subjects": (km.from_ratings([[1, 1], [1, 2], [2, 2], [2, 2], [3, 1]]), {}),
}


def rows_of(table):
    """Return one row of codes per subject."""
    return np.repeat(table.patterns, table.counts, axis=0)


def value_of(rows, table, options):
    """Return the coefficient of some subjects, or NaN if it is undefined."""
    kept = rows[(rows >= 0).any(axis=1)]
    try:
        sample = km.Table(kept, np.ones(len(kept), dtype=int), table.categories, table.raters, ordered=True)
        return km.agreement(sample, **options).value
    except (km.errors.UndefinedKappaError, km.errors.InvalidRatingsError):
        return float("nan")


def naive_bca(estimate, replicates, left_out, level):
    """Return the BCa interval as defined by Efron (1987).

    The bias z0 is computed from the share of resamples below the estimate, and the acceleration a from the skewness of
    the values without each subject (`left_out`).
    """
    normal = NormalDist()
    n_below = sum(1.0 if value < estimate else 0.5 if value == estimate else 0.0 for value in replicates)
    z0 = normal.inv_cdf(n_below / len(replicates))
    mean = sum(left_out) / len(left_out)
    cubes = sum((mean - value) ** 3 for value in left_out)
    squares = sum((mean - value) ** 2 for value in left_out)
    a = cubes / (6 * squares**1.5)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = normal.inv_cdf(tail)
        share = normal.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))
        ends.append(quantile(sorted(replicates), share))
    return tuple(ends)


def quantile(ordered, share):
    """Return a quantile of sorted values by linear interpolation."""
    place = share * (len(ordered) - 1)
    before = int(place)
    after = min(before + 1, len(ordered) - 1)
    return ordered[before] + (place - before) * (ordered[after] - ordered[before])


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("name", DESIGNS)
def test_the_interval_is_what_its_definition_says(name, level):
    """The naive implementation uses the same resamples and leaves out one subject after the other."""
    table, options = DESIGNS[name]
    found = km.bootstrap(table, **options, level=level, n_resamples=400, rng=5)
    rows = rows_of(table)
    left_out = [value_of(np.delete(rows, i, axis=0), table, options) for i in range(len(rows))]
    replicates = found.replicates[~np.isnan(found.replicates)]
    defined = [value for value in left_out if not np.isnan(value)]
    assert found.value == value_of(rows, table, options)
    assert found.ci == pytest.approx(naive_bca(found.value, replicates.tolist(), defined, level), abs=1e-9)
    assert found.ci != pytest.approx(tuple(np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])), abs=1e-4)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("name", ["two raters", "skewed", "three raters", "missing ratings"])
def test_the_interval_is_scipys_for_the_same_resamples(name, level):
    """scipy uses our resamples and adds none, so the limits agree up to rounding."""
    table, options = DESIGNS[name]
    found = km.bootstrap(table, **options, level=level, n_resamples=400, rng=6)
    theirs = stats.bootstrap(
        tuple(rows_of(table).T),
        lambda *columns: value_of(np.stack(columns, axis=1), table, options),
        paired=True,
        vectorized=False,
        method="BCa",
        confidence_level=level,
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=found.replicates[~np.isnan(found.replicates)]),
    )
    assert found.ci == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)


def test_ties_with_the_estimate_count_by_half():
    """Percent agreement of four subjects has only five possible values, so many resamples equal the estimate."""
    table = km.from_ratings([[1, 1], [2, 2], [1, 1], [1, 2]])
    found = km.bootstrap(table, coefficient="percent", n_resamples=300, rng=2)
    ties = (found.replicates == found.value).mean()
    assert 0.2 < ties < 0.6
    left_out = [1.0, 2 / 3, 2 / 3, 2 / 3]
    assert found.ci == pytest.approx(naive_bca(found.value, found.replicates.tolist(), left_out, 0.95))


def test_no_bias_and_no_skewness_leave_the_percentile_interval():
    """Percent agreement is linear, and 50 of 100 subjects agree, so there is neither bias nor skewness."""
    table = km.from_counts([[25, 25], [25, 25]])
    found = km.bootstrap(table, coefficient="percent", n_resamples=501, rng=4)
    mirrored = np.concatenate([found.replicates, 1 - found.replicates])  # symmetric about the estimate 1/2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(km.resampling, "_block", lambda *_: mirrored)
        patch.setattr(km.resampling, "_RESAMPLES_PER_BLOCK", len(mirrored))
        bca = km.bootstrap(table, coefficient="percent", n_resamples=len(mirrored), rng=4)
        plain = km.bootstrap(table, coefficient="percent", n_resamples=len(mirrored), rng=4, method="percentile")
    assert bca.ci == pytest.approx(plain.ci, abs=1e-12)
