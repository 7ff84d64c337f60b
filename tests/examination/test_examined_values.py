"""Every coefficient equals its published definition on random designs of every kind."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import kappamax as km
from tests.support import naive_agreement as naive
from tests.support.comparing import assert_coefficient, assert_number, assert_probability, assert_shown
from tests.support.designs import EXACT_NAMES, KINDS, Design, draw, naive_table, seeds

GAPS = ("few gaps", "many gaps", "singly rated")


@pytest.mark.parametrize("seed", seeds(150))
def test_every_coefficient_is_what_its_definition_says(seed):
    """The value, observed and expected agreement are right, and the coefficient is undefined only if it is 0/0."""
    examine_values(draw(seed, most_orders=10**9))


@pytest.mark.slow
def test_every_coefficient_is_what_its_definition_says_on_thousands_of_designs():
    """The coefficients equal their definitions on many more designs."""
    for seed in range(1000, 4000):
        examine_values(draw(seed, most_orders=10**9))


def examine_values(design: Design) -> None:
    """Compare all coefficients of a design with those of naive formulas."""
    for name in design.coefficients:
        try:
            observed, expected = naive.disagreement(name, design.counts, design.u, design.k)
        except naive.UndefinedError:
            observed = expected = Fraction(0)
        if expected == 0:
            with pytest.raises(km.errors.UndefinedKappaError):
                km.agreement(design.table, coefficient=name, weights=design.weights)
            continue
        result = km.agreement(design.table, coefficient=name, weights=design.weights)
        assert_coefficient(result.value, observed, expected, design.arithmetic)
        if design.arithmetic == "rational":
            assert result.exact == 1 - observed / expected
        elif result.exact is not None:
            assert naive.key(result.exact) == naive.key(1 - observed / expected)
        ulps = 64 if design.arithmetic == "real" else 1
        assert_number(result.observed_agreement, 1 - observed, ulps=ulps, scale=1)
        assert_number(result.expected_agreement, 1 - expected, ulps=ulps, scale=1)


@pytest.mark.parametrize("seed", seeds(40))
def test_agreement_of_groups_of_raters_is_what_its_definition_says(seed):
    """Conger's g-wise kappa and percent agreement equal their definitions, also with missing ratings."""
    rng = np.random.default_rng(seed)
    n_raters, k, n = int(rng.integers(3, 6)), int(rng.integers(2, 5)), int(rng.integers(2, 12))
    size = int(rng.integers(3, n_raters + 1))
    codes = np.where(
        rng.random((n, n_raters)) < 0.7, rng.integers(0, k, size=(n, 1)), rng.integers(0, k, (n, n_raters))
    )
    codes[rng.random((n, n_raters)) < (0.0, 0.1, 0.25)[seed % 3]] = -1
    codes[0] = np.maximum(codes[0], 0)
    rows = [tuple(row) for row in codes.tolist() if max(row) >= 0]
    table = km.Table(rows, [1] * len(rows), range(k), ordered=True)
    counts: dict[naive.Pattern, int] = {}
    for row in rows:
        counts[row] = counts.get(row, 0) + 1
    for name in ("conger", "percent"):
        observed, expected = naive.disagreement(name, counts, {}, k, size)
        if expected == 0:
            continue
        result = km.agreement(table, coefficient=name, group_size=size)
        assert result.exact == 1 - observed / expected
        assert_number(result.value, 1 - observed / expected)
        assert_number(result.observed_agreement, 1 - observed, scale=1)
        assert_number(result.expected_agreement, 1 - expected, scale=1)


@pytest.mark.parametrize("seed", range(30))
def test_values_are_right_for_as_many_as_a_trillion_subjects_per_pattern(seed):
    """The values are right for counts from 1 to 10^12, for complete and for missing ratings."""
    rng = np.random.default_rng(seed)
    small = draw(seed, most_orders=10**9, kinds=("complete", *GAPS), names=EXACT_NAMES)
    counts = {row: int(10 ** rng.uniform(0, 12)) for row in small.counts}
    table = km.Table(list(counts), list(counts.values()), small.labels, ordered=True)
    for name in small.coefficients:
        try:
            observed, expected = naive.disagreement(name, counts, small.u, small.k)
        except naive.UndefinedError:
            continue
        if expected:
            result = km.agreement(table, coefficient=name, weights=small.weights)
            assert result.exact == 1 - observed / expected
            assert_number(result.value, 1 - observed / expected)


@pytest.mark.parametrize("seed", range(20))
def test_labels_are_read_as_the_codes_they_stand_for(seed):
    """An array of text labels with missing ratings, columns of labels, and codes give the same table and value."""
    design = draw(seed, most_orders=10**9, kinds=("text",), names=EXACT_NAMES)
    labels = np.array([[design.labels[c] if c >= 0 else None for c in row] for row in design.rows], dtype=object)
    table = km.from_ratings(labels, categories=design.labels)
    assert naive_table(table) == design.counts
    observed, expected = naive.disagreement("kappa", design.counts, design.u, design.k)
    if expected:
        assert km.agreement(table, weights=design.weights).exact == 1 - observed / expected
        by_column = km.agreement(*labels.T, weights=design.weights, categories=design.labels)
        assert by_column.exact == 1 - observed / expected


def test_every_kind_of_design_is_drawn():
    """The quick run has all kinds of designs, numbers of raters and categories, and undefined coefficients."""
    drawn = [draw(seed, most_orders=10**9) for seed in range(150)]
    assert {design.kind for design in drawn} == set(KINDS)
    assert {design.n_raters for design in drawn} == {2, 3, 4, 5}
    assert {design.k for design in drawn} == {2, 3, 4, 5}
    assert {design.arithmetic for design in drawn} == {"rational", "root", "real"}
    assert {design.complete for design in drawn} == {False, True}


def test_the_comparisons_reject_perturbed_numbers():
    """A change of two units in the last place, another digit and another order of weights are found."""
    third = Fraction(1, 3)
    assert_number(1 / 3, third)
    assert_coefficient(1 / 3, Fraction(2, 3), Fraction(1), "rational")
    assert_probability(1 / 3, third, 5)
    assert_shown("0.3333", third)
    wrong = 1 / 3
    for _ in range(2):
        wrong = np.nextafter(wrong, 1.0)
    for check in (
        lambda: assert_number(wrong, third),
        lambda: assert_coefficient(wrong, Fraction(2, 3), Fraction(1), "rational"),
        lambda: assert_coefficient(1 / 3 + 1e-13, Fraction(2, 3), Fraction(1), "real"),
        lambda: assert_probability(1 / 3 + 1e-13, third, 5),
        lambda: assert_shown("0.3334", third),
        lambda: assert_shown("33.4", 100 * third, digits=1),
    ):
        with pytest.raises(AssertionError, match="is not"):
            check()


def test_the_naive_formulas_reproduce_values_by_hand():
    """Cohen's kappa of a 2 x 2 table, and alpha of Krippendorff's example (0.743 and 0.849), are reproduced."""
    counts = {(0, 0): 20, (0, 1): 5, (1, 0): 10, (1, 1): 15}
    flat = naive.for_all_pairs(naive.named_weights("unweighted", 2), 2)
    assert naive.value("cohen", counts, flat, 2) == Fraction(2, 5)  # (0.7 - 0.5) / 0.5
    _ = -1
    columns = (
        (1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _),
        (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3),
        (_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _),
        (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _),
    )
    table: dict[naive.Pattern, int] = {}
    for row in zip(*columns, strict=True):
        codes = tuple(code - 1 if code > 0 else -1 for code in row)
        table[codes] = table.get(codes, 0) + 1
    for name, published in (("unweighted", 0.743), ("quadratic", 0.849)):
        u = naive.for_all_pairs(naive.named_weights(name, 5), 4)
        assert round(float(naive.value("krippendorff", table, u, 5)), 3) == published


def test_irrational_weights_of_the_naive_formulas_are_right():
    """sin^2(pi/5) equals its closed form (5 - sqrt 5)/8, and the squares of square roots are right."""
    five = naive.named_weights("circular", 5)
    root = Fraction(naive.Decimal(5).sqrt())
    assert naive.key(five[0][1]) == naive.key((5 - root) / (5 + root))
    for i, j in combinations(range(5), 2):
        assert naive.key(naive.named_weights("sqrt", 5)[i][j] ** 2) == naive.key(Fraction(j - i, 4))
