"""Tests of exact sums of square roots and of integers beyond 64 bits."""

from fractions import Fraction
from math import gcd, prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kappamax._integers import Digits, coprime, distinct_rows, dot, sum_by_key, widen
from kappamax._rootsum import RootSum, as_fraction, order, quotient, square_free

sums = st.dictionaries(st.sampled_from([1, 2, 3, 5, 6, 7]), st.fractions(-50, 50, max_denominator=20)).map(RootSum)


def test_sign_is_right_where_doubles_give_zero():
    """131836323 - 93222358 sqrt(2) is positive, but 0.0 in doubles."""
    number = RootSum({1: 131836323, 2: -93222358})
    assert 131836323 - 93222358 * sqrt(2) == 0.0
    assert number.sign() == 1
    assert (number * -1).sign() == -1


@given(sums, sums)
def test_order_agrees_with_doubles_where_those_are_clear(a, b):
    """If doubles differ by more than rounding errors, the exact order is the same."""
    difference = float(a) - float(b)
    if abs(difference) > 1e-9:
        assert (a > b) == (difference > 0)
    assert (a == b) == (a.terms == b.terms)
    assert (a - a).sign() == 0


@given(sums, sums)
def test_arithmetic_agrees_with_doubles(a, b):
    """Sums, differences and multiples of root sums are those of their values."""
    assert float(a + b) == pytest.approx(float(a) + float(b), abs=1e-9)
    assert float(a - b) == pytest.approx(float(a) - float(b), abs=1e-9)
    assert float(a * Fraction(3, 7)) == pytest.approx(float(a) * 3 / 7, abs=1e-9)
    assert float(a / 4) == pytest.approx(float(a) / 4, abs=1e-9)


_wide = st.integers(-(2**120), 2**120) | st.integers(-9, 9)
_convergents = st.sampled_from([{1: 131836323, 2: -93222358}, {1: 1 << 100, 3: -((1 << 100) * 100000 // 173205)}])


@given(
    st.dictionaries(st.sampled_from([1, 2, 3]), _wide).map(RootSum) | _convergents.map(RootSum), st.integers(-90, 90)
)
def test_floor_ceiling_and_exponent_are_close_even_if_the_terms_nearly_cancel(number, shift):
    """Huge terms with a small sum do not make the bounds wider."""
    scaled = number * Fraction(2) ** shift
    assert 0 <= scaled - number.floor(shift) < Fraction(65, 64)
    assert 0 <= RootSum(number.ceiling(shift)) - scaled < Fraction(65, 64)
    size, b = (number if number.sign() >= 0 else number * -1), number.exponent()
    assert size < Fraction(2) ** b
    assert not number or size >= Fraction(2) ** (b - 2)


@given(sums, sums, sums)
def test_products_agree_with_doubles_and_distribute(a, b, c):
    """Products agree with doubles, and a (b + c) equals a b + a c exactly."""
    size = sum(abs(float(x) * f**0.5) for f, x in a.terms.items()) * sum(
        abs(float(x) * f**0.5) for f, x in b.terms.items()
    )
    assert float(a * b) == pytest.approx(float(a) * float(b), abs=1e-9 * size)
    assert a * (b + c) == a * b + a * c


def test_quotient_of_multiples_is_a_fraction():
    """2 sqrt(2) + 4 over 3 sqrt(2) + 6 is 2/3 although both are irrational."""
    assert quotient(RootSum({1: 4, 2: 2}), RootSum({1: 6, 2: 3})) == 2 / 3


@given(st.integers(1, 10_000))
def test_square_free_part(number):
    """Number = m^2 f, and no square above one divides f."""
    m, f = square_free(number)
    assert m * m * f == number
    assert all(f % (p * p) for p in range(2, 101))


def test_decimals_are_read_as_the_simple_fraction_they_stand_for():
    """0.1 is read as 1/10, and pi, which is not a simple fraction, as its exact binary value."""
    assert as_fraction(0.1) == (Fraction(1, 10), True)
    assert as_fraction(0.3333333333333333) == (Fraction(1, 3), True)
    assert as_fraction(5) == (Fraction(5), True)
    assert as_fraction(3.141592653589793) == (Fraction(3.141592653589793), False)


@given(st.lists(st.tuples(st.integers(0, 2**62 - 1), st.integers(0, 2**62 - 1)), max_size=5))
def test_dot_never_overflows(pairs):
    """Sums of products beyond 64 bits are exact."""
    left, right = (np.array([pair[i] for pair in pairs], dtype=np.int64) for i in (0, 1))
    assert dot(left, right) == sum(a * b for a, b in pairs)


def test_sum_by_key_beyond_64_bits():
    """Values of one key add up exactly."""
    keys, values = np.array([[1, 2], [2, 1]]), np.array([[2**62, 1], [2, 2**62]])
    assert dict(sum_by_key(keys, values)) == {1: 2**63, 2: 3}
    assert dict(sum_by_key(np.empty(0), np.empty(0))) == {}


def test_numbers_are_ordered_exactly_where_doubles_tie():
    """131836323 - 93222358 sqrt(2) is ordered after 0, although doubles cannot distinguish them."""
    tiny = RootSum({1: 131836323, 2: -93222358})
    assert order([tiny, RootSum(), tiny * -1, RootSum(1), RootSum(-1), RootSum({2: 1})]) == [4, 2, 1, 0, 3, 5]
    assert order([]) == []


@given(st.data(), st.integers(1, 2**62 - 1), st.sampled_from([1, 30, 61, 62, 63, 64, 65, 200]))
def test_digits_add_up_to_the_numbers(data, n_terms, bits):
    """Sums of up to `n_terms` whole numbers of any size are exact."""
    numbers = data.draw(st.lists(st.integers(0, 2**bits), min_size=1, max_size=4))
    first = data.draw(st.lists(st.integers(0, n_terms // len(numbers)), min_size=len(numbers), max_size=len(numbers)))
    counts = np.array([first, [n_terms] + [0] * (len(numbers) - 1)], dtype=np.int64)
    digits = Digits(widen(numbers, max(numbers)), n_terms)
    found = digits.weighted(counts)
    assert found.tolist() == [sum(c * x for c, x in zip(row, numbers, strict=True)) for row in counts.tolist()]
    assert int(digits.parts.max()) * n_terms < 2**63


def test_sums_that_fit_have_one_digit():
    """Numbers whose sums fit into 64 bits have one digit, and one more bit requires a second digit."""
    one, two = (Digits(np.array([2**52 - 1 + more]), 2**10 - 1) for more in (0, 1))
    assert (len(one.parts), one.weighted(np.array([1023])).dtype) == (1, np.int64)
    assert (len(two.parts), two.weighted(np.array([1023])).dtype) == (2, object)
    assert Digits(np.zeros((0, 2), dtype=np.int64), 5).parts.shape == (1, 0, 2)


@given(st.lists(st.lists(st.integers(-(2**70), 2**70) | st.integers(-2, 2), min_size=2, max_size=2), min_size=1))
def test_distinct_rows_of_whole_numbers_of_any_size(rows):
    """Distinct rows are sorted, and the positions restore the array, for any integer type."""
    for columns in (2, 1):
        cut = [row[:columns] for row in rows]
        for array in (np.array(cut, dtype=object), np.array([[x % 3 for x in row] for row in cut])):
            found, place = distinct_rows(array)
            assert found.tolist() == sorted(map(list, {tuple(row) for row in array.tolist()}))
            assert found[place].tolist() == array.tolist()


def test_lists_of_whole_numbers_are_not_converted_to_doubles():
    """Numpy alone would convert a list of a number beyond 2^63 and a small number to doubles."""
    assert np.asarray([2**63 + 1, 1]).dtype == float
    assert widen([2**63 + 1, 1], 2**64).tolist() == [2**63 + 1, 1]


@given(st.integers(100, 2**31), st.integers(1, 2**100))
def test_coprime_numbers(largest, bound):
    """No two share a factor, none is too large, and their product exceeds the bound."""
    found = coprime(largest, bound)
    assert prod(found) > bound
    assert max(found) <= largest
    assert all(gcd(a, b) == 1 for i, a in enumerate(found) for b in found[:i])
