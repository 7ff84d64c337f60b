"""The indices of a 2 x 2 table follow their definitions, published values and the identity of Byrt et al."""

from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappamax as km

INDICES = (
    *("observed_agreement", "kappa", "pabak", "prevalence_index", "bias_index"),
    *("positive_agreement", "negative_agreement"),
)
cells = st.tuples(*[st.integers(0, 30)] * 4).filter(any)


def indices_of(a, b, c, d, **options):
    """Return the indices of a table whose last category is positive."""
    return km.two_by_two_indices(km.from_counts([[d, c], [b, a]], categories=["no", "yes"]), **options)


@given(cells)
def test_the_indices_are_those_of_their_formulas(abcd):
    """All are exact fractions of the four counts."""
    a, b, c, d = abcd
    n = a + b + c + d
    found = indices_of(a, b, c, d)
    counted = (found.both_positive, found.first_positive, found.second_positive, found.both_negative)
    assert (counted, found.n_subjects, found.positive, found.negative) == (abcd, n, "yes", "no")
    assert found.observed_agreement.exact == Fraction(a + d, n)
    assert found.pabak.exact == 2 * Fraction(a + d, n) - 1
    assert found.prevalence_index.exact == Fraction(a - d, n)
    assert found.bias_index.exact == Fraction(b - c, n)
    for estimate, same in ((found.positive_agreement, a), (found.negative_agreement, d)):
        if 2 * same + b + c:
            assert estimate.exact == Fraction(2 * same, 2 * same + b + c)
        else:
            assert estimate.reason == ("no rater used 'yes'" if d else "no rater used 'no'")


@given(cells)
def test_kappa_is_determined_by_pabak_prevalence_and_bias(abcd):
    """Kappa = (PABAK - PI^2 + BI^2) / (1 - PI^2 + BI^2) (Byrt, Bishop and Carlin 1993)."""
    found = indices_of(*abcd)
    prevalence, bias = found.prevalence_index.exact**2, found.bias_index.exact**2
    if found.kappa.exact is None:
        assert found.kappa.reason
        assert 1 - prevalence + bias == 0
    else:
        assert found.kappa.exact == (found.pabak.exact - prevalence + bias) / (1 - prevalence + bias)


@given(cells, st.sampled_from([0.8, 0.95]))
def test_intervals_contain_their_values(abcd, level):
    """Every defined index has an interval with a width, within its range."""
    found = indices_of(*abcd, level=level)
    for name in INDICES:
        one = getattr(found, name)
        if one.value is not None:
            lowest = 0 if "agreement" in name else -1
            assert lowest <= one.ci[0] <= one.value <= one.ci[1] <= 1
            assert one.ci[1] - one.ci[0] > 0.01


@given(cells)
def test_exchanging_the_categories_or_the_raters_changes_signs_only(abcd):
    """The positive category changes the sign of the prevalence index, and the first rater that of the bias index."""
    a, b, c, d = abcd
    found, other, turned = indices_of(a, b, c, d), indices_of(a, b, c, d, positive="no"), indices_of(a, c, b, d)
    assert other.prevalence_index.exact == -found.prevalence_index.exact
    assert other.bias_index.exact == -found.bias_index.exact
    assert other.positive_agreement == found.negative_agreement
    assert other.pabak.exact == found.pabak.exact == turned.pabak.exact
    assert turned.bias_index.exact == -found.bias_index.exact
    assert turned.prevalence_index == found.prevalence_index


@pytest.mark.parametrize(
    ("counts", "kappa", "pabak"),
    [([[19, 10], [6, 256]], 0.67, 0.89), ([[596, 61], [29, 987]], 0.89, 0.89)],
)
def test_kappa_and_pabak_of_epir(counts, kappa, pabak):
    """Examples of epi.kappa in the manual of epiR 2.0.94: salmon of two laboratories, and pregnant dairy cows."""
    found = km.two_by_two_indices(km.from_counts(counts), positive=1)
    assert (round(found.kappa.value, 2), round(found.pabak.value, 2)) == (kappa, pabak)


def test_equal_agreement_and_different_kappa_by_hand():
    """Two tables with 85% agreement: kappa is 0.70 and 0.32 (tables of Feinstein and Cicchetti 1990).

    Positive and negative agreement are 80/95 and 90/105, and 160/175 and 10/25.
    """
    balanced, rare = indices_of(40, 9, 6, 45), indices_of(80, 10, 5, 5)
    assert balanced.pabak.exact == rare.pabak.exact == Fraction(7, 10)
    assert (round(balanced.kappa.value, 2), round(rare.kappa.value, 2)) == (0.70, 0.32)
    assert (balanced.positive_agreement.exact, balanced.negative_agreement.exact) == (Fraction(16, 19), Fraction(6, 7))
    assert (rare.positive_agreement.exact, rare.negative_agreement.exact) == (Fraction(32, 35), Fraction(2, 5))
    assert (balanced.prevalence_index.value, rare.prevalence_index.value) == (-0.05, 0.75)


def test_standard_errors_by_hand():
    """The differences of single subjects have mean (b - c) / N and mean square (b + c) / N; N - 1 divides."""
    found = indices_of(40, 9, 6, 45)
    assert found.bias_index.se == pytest.approx(sqrt((15 / 100 - 0.03**2) / 99))
    assert found.prevalence_index.se == pytest.approx(sqrt((85 / 100 - 0.05**2) / 99))
    assert found.observed_agreement.se == pytest.approx(sqrt(0.85 * 0.15 / 99))
    assert found.pabak.se == pytest.approx(2 * sqrt(0.85 * 0.15 / 99))


def test_the_interval_of_a_difference_by_hand():
    """With z^2 / 4 for Bonett and Price's 1: center (b - c) / n, variance ((b + c + z^2 / 2) / n - center^2) / n."""
    z = 1.959963984540054
    n = 100 + z**2 / 2
    center = 3 / n
    reach = z * sqrt(((15 + z**2 / 2) / n - center**2) / n)
    assert indices_of(40, 9, 6, 45).bias_index.ci == pytest.approx((center - reach, center + reach))


def test_coefficients_are_those_of_agreement():
    """Value, standard error and interval are taken over."""
    table = km.from_counts([[45, 6], [9, 40]])
    found = km.two_by_two_indices(table, level=0.9)
    for name, coefficient in (("observed_agreement", "percent"), ("kappa", "kappa"), ("pabak", "brennan-prediger")):
        one, same = getattr(found, name), km.agreement(table, coefficient=coefficient, level=0.9)
        assert (one.value, one.exact, one.se, one.ci) == (same.value, same.exact, same.se, same.ci)


def test_subjects_of_one_rater_are_not_used():
    """The note says how many they are."""
    found = km.two_by_two_indices([1, 1, 0, None, 1], [1, 0, 0, 1, None])
    assert (found.both_positive, found.first_positive, found.second_positive, found.both_negative) == (1, 1, 0, 1)
    assert found.notes == ("2 subjects whom only one rater rated were not used",)
    complete = km.two_by_two_indices([1, 1, 0], [1, 0, 0])
    assert [getattr(found, name) for name in INDICES] == [getattr(complete, name) for name in INDICES]


def test_one_subject_has_no_standard_errors():
    """The intervals are wide."""
    found = indices_of(1, 0, 0, 0)
    assert (found.pabak.se, found.bias_index.se) == (None, None)
    assert found.pabak.ci == (-1, 1)
    assert found.kappa.reason == "both raters used only 'yes'"


def test_huge_counts_are_exact():
    """The counts are whole numbers of any size."""
    n = 2**60
    found = indices_of(n, 1, 3, n)
    assert found.bias_index.exact == Fraction(-2, 2 * n + 4)
    assert found.to_dict()["both_positive"] == str(n)


def test_the_card_names_the_positive_category_and_the_raters():
    """Undefined indices give their reason."""
    shown = repr(indices_of(0, 0, 0, 5))
    assert "positive agreement  undefined: no rater used 'yes'" in shown
    assert "positive            'yes'" in shown
    assert "both positive 0, only rater 1 0, only rater 2 0, both negative 5" in shown
    assert "PABAK               1.0000  (" in shown


@pytest.mark.parametrize(
    ("ratings", "options", "error", "message"),
    [
        (([1, 2, 3], [1, 2, 2]), {}, km.errors.NotSupportedError, r"for two categories; got 3: 1, 2, 3\. Table.col"),
        (([1, 2, 3], [1, 2, 2]), {}, km.errors.NotSupportedError, "specific_agreement and category_kappas"),
        (([1, 2], [1, 2], [2, 2]), {}, km.errors.NotSupportedError, "for two raters; got 3"),
        (([1, 1], [1, 1]), {}, km.errors.InvalidRatingsError, r"all ratings are 1\. Pass categories="),
        (([1, None], [None, 2]), {}, km.errors.InvalidRatingsError, "no subject was rated by both raters"),
        (([1, 2], [1, 2]), {"positive": 3}, km.errors.InvalidOptionError, "positive must be one of 1, 2; got 3"),
        (([1, 2], [1, 2]), {"level": 1}, km.errors.InvalidOptionError, "level must lie between 0 and 1"),
    ],
)
def test_other_tables_are_refused(ratings, options, error, message):
    """The errors name the functions that take them."""
    with pytest.raises(error, match=message):
        km.two_by_two_indices(*ratings, **options)
