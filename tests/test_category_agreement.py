"""The proportion of specific agreement follows its definition, and its interval covers as documented."""

from fractions import Fraction
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappamax as km
from tests.support.strategies import tables

ROOT = Path(__file__).parents[1]


def by_pairs(table, place):
    """Return confirmed and all ordered pairs of ratings of a subject whose first rating is the category."""
    confirmed = possible = 0
    for pattern, count in zip(table.patterns.tolist(), table.counts.tolist(), strict=True):
        rated = [code for code in pattern if code >= 0]
        for i, one in enumerate(rated):
            for j, other in enumerate(rated):
                if i != j and one == place:
                    possible += count
                    confirmed += count * (other == place)
    return confirmed, possible


@given(tables(missing=True))
def test_it_is_the_share_of_pairs_of_ratings_that_agree(table):
    """Among all pairs of ratings of a subject whose first is the category, the second is as well."""
    found = km.specific_agreement(table)
    assert list(found.categories) == list(table.categories)
    for place, estimate in enumerate(found.categories.values()):
        confirmed, possible = by_pairs(table, place)
        if possible:
            assert estimate.exact == Fraction(confirmed, possible)
            assert estimate.value == float(estimate.exact) == float(estimate)
            assert estimate.reason is None
        else:
            assert (estimate.value, estimate.exact, estimate.se, estimate.ci) == (None, None, None, None)
            assert estimate.reason


@given(tables(missing=True), st.sampled_from([0.5, 0.9, 0.99]))
def test_the_interval_contains_the_value_and_widens_with_its_level(table, level):
    """It lies between 0 and 1 and has a width, also if all raters agree."""
    narrow, wide = (km.specific_agreement(table, level=one).categories.values() for one in (level, 0.999))
    for inner, outer in zip(narrow, wide, strict=True):
        if inner.value is not None:
            assert 0 <= inner.ci[0] <= inner.value <= inner.ci[1] <= 1
            assert inner.ci[1] - inner.ci[0] > 0.01
            assert outer.ci[0] <= inner.ci[0]
            assert outer.ci[1] >= inner.ci[1]


@given(tables(max_raters=2, max_categories=2))
def test_for_two_raters_the_standard_error_is_that_of_graham_and_bull(table):
    """With m = b + c it is sqrt(4 a m (a + m)) / (2a + m)^2 (Graham and Bull 1998, as in Uebersax's program sp.sas)."""
    (a, b), (c, d) = table.pair(0, 1).tolist()
    for estimate, same in zip(km.specific_agreement(table).categories.values(), (a, d), strict=True):
        m = b + c
        if same + m:
            assert estimate.se == pytest.approx(sqrt(4 * same * m * (same + m)) / (2 * same + m) ** 2, abs=1e-12)


def test_by_hand():
    """A = 10, b = 20, c = 30 and d = 40: 20 / 70 and 80 / 130, with se sqrt(4 * 10 * 50 * 60) / 70^2."""
    found = km.specific_agreement(km.from_counts([[10, 20], [30, 40]])).categories
    assert (found[1].exact, found[2].exact) == (Fraction(2, 7), Fraction(8, 13))
    assert found[1].se == pytest.approx(sqrt(120_000) / 4900)


def test_three_raters_by_hand():
    """Subjects with 3, 2 and 1 of three ratings in a category: (6 + 2 + 0) / (6 + 4 + 2) = 2/3.

    The deviations confirmed - 2/3 possible are 2, -2/3 and -4/3, so the standard error is sqrt(4 + 4/9 + 16/9) / 12.
    """
    found = km.specific_agreement([1, 1, 1, 2], [1, 1, 2, 2], [1, 2, 2, 2]).categories[1]
    assert found.exact == Fraction(2, 3)
    assert found.se == pytest.approx(sqrt(56 / 9) / 12)


def test_the_adjusted_interval_by_hand():
    """For two raters, z^2 / 4 subjects are added to each cell of the category against all others."""
    z = 1.959963984540054
    a, m = 7 + z**2 / 4, 3 + z**2 / 2
    center, se = 2 * a / (2 * a + m), sqrt(4 * a * m * (a + m)) / (2 * a + m) ** 2
    table = km.from_counts([[7, 2, 0], [1, 4, 1], [0, 1, 5]])
    assert km.specific_agreement(table).categories[1].ci == pytest.approx((center - z * se, center + z * se), abs=1e-9)


@pytest.mark.parametrize(
    ("counts", "category", "published"),
    [
        ([[106, 42], [34, 118]], 2, 0.7564103),
        ([[106, 42], [34, 118]], 1, 0.7361111),
        ([[6, 1, 0, 2, 0], [0, 19, 23, 8, 1], [0, 18, 39, 27, 4], [0, 4, 28, 28, 16], [0, 0, 2, 36, 38]], 4, 0.3163842),
    ],
)
def test_values_of_the_package_agree(counts, category, published):
    """Tables of all pairs of four raters, and specific agreement, of de Vet, Dikmans and Eekhout (2017).

    Source: vignettes "dichotomous" and "polytomous" of the R package Agree by I. Eekhout, functions sumtable() and
    agreement(specific=...), breast data, symmetry rated by four surgeons.
    """
    found = km.specific_agreement(km.from_counts(counts))
    assert found.categories[category].value == pytest.approx(published, abs=5e-8)


def test_fleiss_kappa_of_a_category_is_its_specific_agreement_beyond_its_share():
    """Fleiss (1971) defines kappa_j as (P_j - p_j) / (1 - p_j), with p_j the share of the category in all ratings."""
    table = km.example("diagnoses")
    shares = table.margins.sum(axis=0) / table.margins.sum()
    kappas = km.category_kappas(table, coefficient="fleiss").values
    for share, (category, one) in zip(shares, km.specific_agreement(table).categories.items(), strict=True):
        assert (one.value - share) / (1 - share) == pytest.approx(kappas[category], abs=1e-12)


def test_without_missing_ratings_the_mean_weighted_by_use_is_percent_agreement():
    """Each category counts as often as it was used."""
    table = km.example("anxiety")
    uses = table.margins.sum(axis=0)
    values = [float(one) for one in km.specific_agreement(table).categories.values()]
    used = uses > 0
    mean = np.average(np.array(values)[used], weights=uses[used])
    assert mean == pytest.approx(km.agreement(table, coefficient="percent").value)


def test_reasons_of_undefined_values():
    """Nobody used the category, or only for subjects that cannot be compared."""
    found = km.specific_agreement([1, 1, 3], [1, 2, None], categories=[1, 2, 3, 4]).categories
    assert found[3].reason == "3 was used only for subjects with a single rating"
    assert found[4].reason == "no rater used 4"
    assert np.isnan(float(found[4]))
    alone = km.specific_agreement([1, None], [None, 2])
    assert {one.reason for one in alone.categories.values()} == {"no subject has two or more ratings"}
    assert alone.n_subjects == 0
    assert "undefined: no rater used 4" in repr(km.specific_agreement([1, 1], [1, 2], categories=[1, 2, 4]))


def test_many_subjects_are_counted_in_blocks():
    """More single subjects than a block has give the same result as their grouped table."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, size=(25_000, 3))
    codes[rng.random(codes.shape) < 0.1] = -1
    single = km.Table(codes, None, [1, 2, 3, 4], ordered=True)
    grouped = km.Table(single.patterns, single.counts, [1, 2, 3, 4], ordered=True)
    assert len(single.rows.counts) > len(grouped.rows.counts)
    assert km.specific_agreement(single).categories == km.specific_agreement(grouped).categories


def test_huge_counts_are_exact():
    """Counts above 2^53 are added as integers."""
    n = 2**60 + 1
    found = km.specific_agreement(km.from_counts([[n, 1], [0, n]])).categories[1]
    assert found.exact == Fraction(2 * n, 2 * n + 1)


def test_many_raters():
    """A thousand raters, of whom some are missing, take no longer than a moment."""
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, size=(30, 1000))
    codes[rng.random(codes.shape) < 0.3] = -1
    found = km.specific_agreement(km.Table(codes, None, ["no", "yes"], ordered=False)).categories["yes"]
    assert found.value == pytest.approx(0.5, abs=0.02)  # independent raters, 7 million pairs
    assert found.ci[0] < 0.5 < found.ci[1]


def documented():
    """Return the coverages in the documentation by index and number of subjects."""
    page = (ROOT / "docs" / "coefficients.md").read_text(encoding="utf-8")
    lines = [line.strip("| \n").split(" | ") for line in page.splitlines() if line.endswith(" % |")]
    return {(name, int(n)): cells for name, n, *cells in lines}


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("positive agreement, 2 raters", 20),
        ("percent agreement, 3 raters", 20),
        pytest.param("positive agreement, 2 raters", 50, marks=pytest.mark.slow),
        pytest.param("positive agreement, 3 raters", 20, marks=pytest.mark.slow),
        pytest.param("bias and prevalence index", 20, marks=pytest.mark.slow),
        pytest.param("percent agreement, 5 raters", 50, marks=pytest.mark.slow),
    ],
)
def test_the_documented_coverage_is_found_again(name, n):
    """All tables of N subjects are enumerated."""
    from benchmarks.index_coverage import CASES, coverages

    intervals, populations, sizes = CASES[name]
    assert n in sizes
    found = 100 * coverages(n, populations, intervals)
    expected = [str(len(populations)), *(f"{one:.1f} %" for one in (found[:, 0].mean(), *found.min(axis=0)))]
    assert documented()[name, n] == expected


def test_every_case_of_the_study_is_documented():
    """The page has a row for each index and number of subjects."""
    from benchmarks.index_coverage import CASES

    assert set(documented()) == {(name, n) for name, (_, _, sizes) in CASES.items() for n in sizes}
