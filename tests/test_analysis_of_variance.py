"""Sums of squares follow from patterns and counts, exactly, for any number of subjects and any offset."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappamax as km
from kappamax.analysis_of_variance import SumsOfSquares, scale_of
from tests.support.naive import rows_of
from tests.support.strategies import tables

NUMBERS = st.fractions(-1000, 1000, max_denominator=50)


def sums_by_definition(table, positions):
    """Return the sums of squares for subjects, raters and error from one row per subject, in fractions."""
    x = [[Fraction(positions[code]) for code in row] for row in rows_of(table)]
    n, r = len(x), len(x[0])
    mean = sum(map(sum, x)) / (n * r)
    rows, columns = [sum(row) / r for row in x], [sum(column) / n for column in zip(*x, strict=True)]
    error = sum((x[i][a] - rows[i] - columns[a] + mean) ** 2 for i in range(n) for a in range(r))
    return r * sum((row - mean) ** 2 for row in rows), n * sum((column - mean) ** 2 for column in columns), error


def test_three_subjects_by_hand():
    """Ratings 1, 2; 2, 4; 3, 6 have the means 1.5, 3, 4.5 of the subjects and 2, 4 of the raters."""
    table = km.from_ratings([[1, 2], [2, 4], [3, 6]])
    squares = SumsOfSquares.of(table, scale_of(table, None))
    # 2 (1.5^2 + 0 + 1.5^2) = 9, 3 (1 + 1) = 6, and the total 4 + 1 + 1 + 1 + 0 + 9 = 16 leaves 1
    assert (squares.subjects, squares.raters, squares.error) == (9, 6, 1)
    assert (squares.within, squares.total) == (7, 16)


@given(tables(), st.data())
def test_sums_of_squares_equal_their_definition(table, data):
    """The definition expands the subjects and computes in fractions."""
    k = table.n_categories
    positions = data.draw(st.lists(NUMBERS, min_size=k, max_size=k, unique=True))
    squares = SumsOfSquares.of(table, scale_of(table, positions))
    assert squares[:2] == (table.n_subjects, table.n_raters)
    assert squares[2:] == sums_by_definition(table, positions)


@given(tables(), st.integers(1, 10**17), st.integers(-(10**15), 10**15))
def test_counts_and_offsets_of_any_size_lose_nothing(table, factor, offset):
    """With `factor` times as many subjects at a distance from zero, the sums are `factor` times as large."""
    many = table.like(table.patterns, table.counts * np.int64(min(factor, 2**61 // table.n_subjects)))
    factor = many.n_subjects // table.n_subjects
    positions = [offset + i for i in range(table.n_categories)]
    large = SumsOfSquares.of(many, scale_of(many, positions))
    small = SumsOfSquares.of(table, scale_of(table, None))
    assert large[2:] == tuple(factor * one for one in small[2:])


def test_single_subjects_of_large_data_need_not_be_grouped():
    """A table with one row per subject gives the sums of the table with distinct patterns."""
    rng = np.random.default_rng(1)
    single = km.Table(rng.integers(0, 3, size=(25_000, 2)), None, [1, 2, 3], ordered=True)
    assert len(single.rows.counts) == 25_000
    grouped = km.Table(single.patterns, single.counts, [1, 2, 3], ordered=True)
    assert len(grouped.rows.counts) == 9
    assert len({SumsOfSquares.of(table, scale_of(table, None)) for table in (single, grouped)}) == 1


def test_numbers_are_values_ranks_or_positions():
    """Labels that are numbers keep their distances, and ordered text is one step apart."""
    numbers, text = km.from_ratings([[1, 5], [2, 2]]), km.from_ratings([["a", "b"]], categories=["b", "a", "c"])
    assert scale_of(numbers, None).whole.tolist() == [0, 1, 4]
    assert scale_of(text, None).whole.tolist() == [0, 1, 2]
    given = scale_of(text, [3, 1, Fraction(1, 2)])
    assert (given.whole.tolist(), given.unit) == ([5, 1, 0], 2)
    sources = [scale_of(*one).source for one in [(numbers, None), (text, None), (text, [1, 2, 3])]]
    assert sources == ["values", "ranks", "positions"]
    assert scale_of(km.from_ratings([["yes", "no"]]), None).source == "ranks"  # two categories need no order


def test_decimals_are_the_fractions_meant():
    """The decimal 0.1 is 1/10, and a decimal that is close to no simple fraction is its binary value."""
    table = km.from_counts([[1, 2], [3, 4]])
    assert scale_of(table, [0.1, 0.3])[1:3] == (10, True)
    assert not scale_of(table, [0.1234567890123, 1]).exact


def test_many_different_denominators_are_replaced_by_binary_values():
    """Their common denominator would have thousands of digits."""
    labels = [1 / d for d in range(1, 600)]
    table = km.Table([[i, (7 * i) % 599] for i in range(599)], None, labels, ordered=True)
    scale = scale_of(table, None)
    assert not scale.exact
    assert scale.unit <= 2**63
    squares = SumsOfSquares.of(table, scale)
    x = np.array(labels)[table.patterns]
    assert float(squares.subjects) == pytest.approx(2 * ((x.mean(axis=1) - x.mean()) ** 2).sum(), rel=1e-12)


@pytest.mark.parametrize(
    ("positions", "error", "words"),
    [
        ([1, 2], km.errors.InvalidWeightsError, r"positions must be one number per category; got 2 for 3 categories: "),
        ([1, 2, 2], km.errors.InvalidWeightsError, "positions must differ; 2 occurs twice"),
        ([1, 0.3, 0.1 + 0.2], km.errors.InvalidWeightsError, "differ by more than rounding; two of them are read as"),
        ([1, 2, float("nan")], km.errors.InvalidWeightsError, "positions must be finite numbers; entry 3 is nan"),
        ("123", km.errors.InvalidWeightsError, "positions must be a list of numbers, one per category; got '123'"),
        (
            None,
            km.errors.InvalidOptionError,
            r"the order of these is not known: 'a', 'b', 'c'\. If their positions on a scale are known, pass "
            r"positions=\[NUMBER, \.\.\., NUMBER\]\. Pass categories=\[LOW, \.\.\., HIGH\]\.",
        ),
    ],
)
def test_positions_that_break_a_rule_are_refused(positions, error, words):
    """The message says what the positions must be, or which argument is needed without an order."""
    with pytest.raises(error, match=words):
        scale_of(km.from_ratings([["a", "b"], ["c", "a"]]), positions)


def test_categories_that_are_not_finite_are_refused():
    """They can be given positions."""
    table = km.Table([[0, 1], [1, 1]], None, [1, float("inf")], ordered=True)
    with pytest.raises(km.errors.InvalidOptionError, match=r"need finite numbers; got the category inf\. Pass posi"):
        scale_of(table, None)
    assert scale_of(table, [1, 2]).source == "positions"
