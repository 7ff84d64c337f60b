"""The relations between quadratic kappa, alpha and intraclass correlations hold exactly, in fractions.

The theory page "Kappa and intraclass correlations" proves them.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kappamax as km
from kappamax.analysis_of_variance import SumsOfSquares, scale_of
from tests.support.strategies import tables

NUMBERS = st.integers(-30, 30)


@st.composite
def scaled_tables(draw, **options):
    """Draw a table of at least two subjects, positions of its categories, and its mean squares."""
    table = draw(tables(**options))
    assume(table.n_subjects > 1)
    positions = draw(st.lists(NUMBERS, min_size=table.n_categories, max_size=table.n_categories, unique=True))
    n, r, subjects, raters, error = SumsOfSquares.of(table, scale_of(table, positions))
    squares = (subjects / (n - 1), raters / (r - 1), error / ((n - 1) * (r - 1)), (raters + error) / (n * (r - 1)))
    return table, positions, squares


def exact(table, positions, coefficient="kappa"):
    """Return a coefficient with quadratic weights over positions as a fraction."""
    weights = km.Weights.from_positions(positions, "quadratic")
    return km.agreement(table, coefficient=coefficient, weights=weights, interval="normal").exact


@given(scaled_tables())
def test_quadratic_kappa_is_a_ratio_of_mean_squares(drawn):
    """It is ICC(2,1) with N in place of N - 1, and with MSC / N as the variance of the raters."""
    table, positions, (msr, msc, mse, msw) = drawn
    n, r = table.n_subjects, table.n_raters
    q = exact(table, positions)
    assert q == (msr - mse) / (msr + (r - 1) * mse + r * msc / (n - 1))
    plain = Fraction(n - 1, n)  # turns mean squares with N - 1 into those with N
    assert q == plain * (msr - mse) / (plain * (msr + (r - 1) * mse) + r * msc / n)
    assert msw == msc / n + plain * mse


@given(scaled_tables())
def test_icc_2_1_is_a_function_of_quadratic_kappa_and_the_number_of_subjects(drawn):
    """ICC(2,1) = N q / (N - 1 + q), for two raters and for more; both are undefined for N = 2 and q = -1."""
    table, positions, _ = drawn
    n, q = table.n_subjects, exact(table, positions)
    found = km.icc(table, positions=positions)
    assert found.quadratic_kappa == float(q)
    value = found["ICC(2,1)"].exact
    if value is None:
        assert (n, q) == (2, -1)
        return
    assert value == n * q / (n - 1 + q)
    assert q == (n - 1) * value / (n - value)
    assert value - q == q * (1 - q) / (n - 1 + q)
    assert abs(q) <= abs(value)
    assert q <= 0 or value - q < Fraction(1, 4 * (n - 1))


@given(scaled_tables(max_raters=2))
def test_quadratic_kappa_of_two_raters_is_lins_concordance(drawn):
    """It is 2 s12 / (s11 + s22 + (m1 - m2)^2) with moments that are divided by N."""
    table, positions, _ = drawn
    x = np.array(positions, dtype=object)[table.patterns]
    n, counts = table.n_subjects, table.counts.astype(object)
    means = [Fraction(int(counts @ column), n) for column in x.T]
    d = x - np.array(means, dtype=object)
    covariance = [[Fraction((counts * d[:, a] * d[:, b]).sum(), n) for a in (0, 1)] for b in (0, 1)]
    expected = covariance[0][0] + covariance[1][1] + (means[0] - means[1]) ** 2
    assert exact(table, positions) == 2 * covariance[0][1] / expected
    consistency = covariance[0][0] + covariance[1][1]
    found = km.icc(table, positions=positions)["ICC(3,1)"].exact
    assert found == (None if consistency == 0 else 2 * covariance[0][1] / consistency)


@given(scaled_tables())
def test_icc_1_1_is_a_function_of_pooled_coefficients(drawn):
    """Fleiss' kappa is ICC(1,1) with N in place of N - 1, and alpha lies between the two if ICC(1,1) >= 0."""
    table, positions, (msr, _, _, msw) = drawn
    n, r = table.n_subjects, table.n_raters
    fleiss, alpha = (exact(table, positions, name) for name in ("fleiss", "krippendorff"))
    found = km.icc(table, positions=positions)
    value = found["ICC(1,1)"].exact
    plain = Fraction(n - 1, n) * msr
    assert fleiss == (plain - msw) / (plain + (r - 1) * msw)
    assert alpha == (msr - msw) / (msr + (r - 1) * msw * Fraction(n, n - 1))
    assert found.interval_alpha == float(alpha)
    assert value == (r * n - 1) * alpha / (r * (n - 1) + (r - 1) * alpha)
    assert value == (1 + (r * n - 1) * fleiss) / (r * (n - 1) + 1 + (r - 1) * fleiss)
    assert alpha == fleiss + (1 - fleiss) / (r * n)
    assert value < 0 or fleiss <= alpha <= value
    assert abs(alpha) <= abs(value)


@given(scaled_tables())
def test_icc_3_1_is_quadratic_kappa_without_differences_between_means(drawn):
    """The two are equal exactly if the raters have equal means or both are zero; otherwise kappa is nearer to zero."""
    table, positions, (msr, msc, mse, _) = drawn
    q, found = exact(table, positions), km.icc(table, positions=positions)["ICC(3,1)"].exact
    if found is None:
        assert q == 0
        return
    assert abs(q) <= abs(found)
    assert (q == found) == (msc == 0 or msr == mse)


@given(scaled_tables(), st.lists(NUMBERS, min_size=4, max_size=4))
def test_constants_added_by_raters_change_kappa_and_not_icc_3_1(drawn, shifts):
    """After the means have been made equal, quadratic kappa is ICC(3,1)."""
    table, positions, _ = drawn
    n, r = table.n_subjects, table.n_raters
    x = np.array([[Fraction(positions[code]) for code in row] for row in table.patterns.tolist()], dtype=object)
    means = [Fraction(int((table.counts.astype(object) * column).sum()), n) for column in x.T]
    before = km.icc(table, positions=positions)["ICC(3,1)"].exact
    assume(before is not None)
    for constants in (shifts[:r], [-mean for mean in means]):
        moved = x + np.array(constants, dtype=object)
        values = sorted(set(moved.ravel().tolist()))
        assume(len(values) > 1)
        codes = [[values.index(value) for value in row] for row in moved.tolist()]
        again = km.Table(codes, table.counts, range(1, len(values) + 1), ordered=True)
        assert km.icc(again, positions=values)["ICC(3,1)"].exact == before
    assert exact(again, values) == before  # the last constants made the means equal


def test_one_subject_has_a_kappa_and_no_correlation():
    """Kappa of one subject with different ratings is 0; N q / (N - 1 + q) is 0/0."""
    found = km.icc([1], [3])
    assert found.quadratic_kappa == km.kappa([1], [3], weights="quadratic").value == 0
    assert found.interval_alpha == km.agreement([1], [3], coefficient="krippendorff", weights="interval").value == 0
    assert found["ICC(2,1)"].value is None


@pytest.mark.parametrize("labels", [[1, 2, 5], [0.5, 1.25, 3]])
def test_values_of_labels_are_not_ranks(labels):
    """Kappa with the name "quadratic" uses ranks, and alpha with "interval" uses values."""
    table = km.from_counts([[4, 2, 1], [1, 5, 1], [0, 2, 6]], categories=labels)
    found = km.icc(table)
    assert found.quadratic_kappa == km.kappa(table, weights=km.Weights.from_positions(labels, "quadratic")).value
    assert found.quadratic_kappa != km.kappa(table, weights="quadratic").value
    assert found.interval_alpha == km.agreement(table, coefficient="krippendorff", weights="interval").value
    assert km.icc(table, positions=[1, 2, 3]).quadratic_kappa == km.kappa(table, weights="quadratic").value
