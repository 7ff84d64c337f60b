"""The jackknife and the kappas of pairs, of categories and without one rater equal those of naive loops."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import isnan, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import t as student

import kappamax as km
from tests.support import naive_agreement as naive
from tests.support.comparing import assert_coefficient
from tests.support.designs import EXACT_NAMES, ROOT_NAMES, Design, draw, seeds

_SYMMETRIC = ("complete", "few gaps", "many gaps", "singly rated", "constant rater", "unused category", "text")
_NAMES = EXACT_NAMES + ROOT_NAMES
_DELTA = 1e-10  # tolerance for standard errors, whose slopes are computed in doubles and squared
_CLOSE = 1e-12  # relative tolerance for leave-one-out values, which are computed in doubles


@pytest.mark.parametrize("seed", seeds(100))
def test_the_jackknife_leaves_out_one_subject_at_a_time(seed):
    """All leave-one-out values, the standard error and the bias equal those of the definition."""
    design = draw(seed, most_orders=10**9, names=_NAMES)
    examine_jackknife(design, design.coefficients[(seed // 12) % len(design.coefficients)])


@pytest.mark.slow
def test_the_jackknife_leaves_out_one_subject_at_a_time_on_thousands_of_designs():
    """The results equal those of the definition for every coefficient."""
    for seed in range(1000, 3000):
        design = draw(seed, most_orders=10**9, names=_NAMES)
        for name in design.coefficients:
            examine_jackknife(design, name)


def examine_jackknife(design: Design, name: str) -> None:
    """Compare the jackknife of a coefficient with its definition."""
    options = {"weights": design.weights, "coefficient": name}
    whole = value_or_none(name, design.counts, design)
    if whole is None:
        with pytest.raises(km.errors.UndefinedKappaError):
            km.jackknife(design.table, **options)
        return
    left = {row: value_or_none(name, without(design.counts, row), design) for row in design.counts}
    result = km.jackknife(design.table, **options)
    assert abs(result.value - float(whole)) <= _CLOSE
    said = dict(zip(map(tuple, design.table.patterns.tolist()), result.values.tolist(), strict=True))
    for row, value in left.items():
        if value is None:
            assert isnan(said[row])
        else:
            assert abs(said[row] - float(value)) <= _CLOSE * (1 + abs(float(value)))
    assert result.n_undefined == sum(n for row, n in design.counts.items() if left[row] is None)
    n = len(design.rows)
    if n < 2 or None in left.values():
        assert result.se is None
        assert result.bias is None
        return
    values = [left[row] for row in design.rows]
    mean = sum(values, Fraction(0)) / n
    variance = Fraction(n - 1, n) * sum((value - mean) ** 2 for value in values)
    largest = 1 + max(abs(float(value)) for value in values)
    assert abs(result.se - sqrt(variance)) <= _CLOSE * n * largest
    assert abs(result.bias - float((n - 1) * (mean - whole))) <= _CLOSE * n * largest
    error = km.standard_error(design.table, method="jackknife", **options)
    assert error.se == result.se


@pytest.mark.parametrize("seed", seeds(60))
def test_kappas_of_pairs_are_over_the_subjects_both_rated(seed):
    """Each pair has Cohen's kappa or NaN if it is undefined, and Light's kappa is the mean of the pairs."""
    design = draw(seed, most_orders=10**9, names=EXACT_NAMES, kinds=_SYMMETRIC)
    result = km.pairwise_kappas(design.table, weights=design.weights)
    found = []
    for (a, b), matrix in design.u.items():
        both = Counter((row[a], row[b]) for row in design.rows if row[a] >= 0 and row[b] >= 0)
        said = float(result.values[a, b])
        if not both or naive.disagreement("cohen", both, {(0, 1): matrix}, design.k)[1] == 0:
            assert isnan(said)
            continue
        observed, expected = naive.disagreement("cohen", both, {(0, 1): matrix}, design.k)
        assert_coefficient(said, observed, expected, "rational")
        assert result.values[b, a] == said
        found.append(1 - observed / expected)
    if found and len(found) == len(design.u):
        assert abs(result.light - float(sum(found) / len(found))) <= _CLOSE


@pytest.mark.parametrize("seed", seeds(60))
def test_kappas_of_categories_compare_each_category_with_the_rest(seed):
    """The coefficient is that of ratings with two values, one for this category and one for all others."""
    design = draw(seed, most_orders=10**9, names=EXACT_NAMES, kinds=_SYMMETRIC)
    name = ("kappa", "fleiss", "krippendorff", "gwet", "brennan-prediger")[seed % 5]
    result = km.category_kappas(design.table, coefficient=name)
    flat = naive.for_all_pairs(naive.named_weights("unweighted", 2), design.n_raters)
    for code, label in enumerate(design.labels):
        two = Counter(tuple(c if c < 0 else int(c == code) for c in row) for row in design.rows)
        observed, expected = naive.disagreement(name, two, flat, 2)
        if expected == 0:
            assert result.values[label] is None
            assert result.reasons[label]
        else:
            assert_coefficient(result.values[label], observed, expected, "rational")


@pytest.mark.parametrize("seed", seeds(60))
def test_leaving_out_a_rater_gives_the_coefficient_of_the_others(seed):
    """The coefficient without a rater is right for three or more raters, also with missing ratings."""
    drawn = (draw(other, most_orders=10**9, names=EXACT_NAMES, kinds=_SYMMETRIC) for other in range(seed, 10**6, 63))
    design = next(found for found in drawn if found.n_raters > 2)
    name = design.coefficients[seed % len(design.coefficients)]
    if value_or_none(name, design.counts, design) is None:
        with pytest.raises(km.errors.UndefinedKappaError):
            km.leave_one_out(design.table, weights=design.weights, coefficient=name)
        return
    result = km.leave_one_out(design.table, weights=design.weights, coefficient=name)
    u = {(a, b): matrix for (a, b), matrix in design.u.items() if b < design.n_raters - 1}
    for out in range(design.n_raters):
        rest = Counter(row[:out] + row[out + 1 :] for row in design.rows)
        del rest[(-1,) * (design.n_raters - 1)]
        rater = str(out + 1)
        try:
            observed, expected = naive.disagreement(name, rest, u, design.k)
        except naive.UndefinedError:
            expected = Fraction(0)
        if expected == 0:
            assert result.without[rater] is None
            assert result.reasons[rater]
        else:
            assert_coefficient(result.without[rater], observed, expected, "rational")


def value_or_none(name: str, counts: dict[naive.Pattern, int], design: Design) -> Fraction | None:
    """Return the coefficient, or None if it is undefined."""
    if not counts:
        return None
    if name == "kappa" and any(sum(own) == 0 for own in naive.margins(counts, design.k)):
        return None  # the shares of a rater without ratings are undefined
    try:
        return naive.value(name, counts, design.u, design.k)
    except naive.UndefinedError:
        return None


def without(counts: dict[naive.Pattern, int], row: naive.Pattern) -> dict[naive.Pattern, int]:
    """Return the table without one subject of a pattern."""
    left = Counter(counts)
    left[row] -= 1
    return {pattern: count for pattern, count in left.items() if count}


@pytest.mark.parametrize("seed", range(10))
def test_the_jackknife_holds_for_repeated_patterns(seed):
    """If a pattern has a count above one, each of its subjects is left out in turn."""
    rng = np.random.default_rng(seed)
    counts = {(i, j): int(rng.integers(1, 40)) for i in range(3) for j in range(3)}
    table = km.Table(list(counts), list(counts.values()), [1, 2, 3], ordered=True)
    u = {(0, 1): naive.named_weights("linear", 3)}
    n = sum(counts.values())
    values = [(naive.value("cohen", without(counts, row), u, 3), count) for row, count in counts.items()]
    mean = sum(value * count for value, count in values) / n
    variance = Fraction(n - 1, n) * sum(count * (value - mean) ** 2 for value, count in values)
    result = km.standard_error(table, weights="linear", method="jackknife")
    assert abs(result.se - sqrt(variance)) <= 1e-10 * result.se


@pytest.mark.parametrize("seed", seeds(60))
def test_standard_errors_are_the_delta_method_on_subjects(seed):
    """Fleiss, Cohen and Everitt's formula lacks the factor n / (n - 1), and other intervals use Student's t."""
    design = draw(seed, most_orders=10**9, names=EXACT_NAMES)
    name = design.coefficients[(seed // 12) % len(design.coefficients)]
    whole = value_or_none(name, design.counts, design)
    n = sum(1 for row in design.rows if sum(code >= 0 for code in row) > 1)
    if whole is None or n < 2:
        return
    variance = sum(count * slope(name, row, design) ** 2 for row, count in design.counts.items())
    options = {"weights": design.weights, "coefficient": name}
    delta = km.standard_error(design.table, method="delta", **options)
    assert abs(delta.se - sqrt(variance * n / (n - 1))) <= _DELTA
    if design.complete:
        assert abs(km.standard_error(design.table, method="gwet", **options).se - delta.se) <= _DELTA
    usual, quantile = delta.se, float(student.ppf(0.95, n - 1))
    if design.complete and name == "kappa" and design.n_raters == 2:
        usual, quantile = sqrt(variance), NormalDist().inv_cdf(0.95)
        old = km.standard_error(design.table, method="fleiss-cohen-everitt", **options)
        assert abs(old.se - usual) <= _DELTA
    result = km.agreement(design.table, level=0.9, interval="normal", **options)
    assert abs(result.se - usual) <= _DELTA
    low, high = float(whole) - quantile * usual, float(whole) + quantile * usual
    assert abs(result.ci[0] - low) <= _DELTA * quantile
    assert abs(result.ci[1] - min(1, high)) <= _DELTA * quantile


@pytest.mark.parametrize("seed", range(30))
def test_a_comparison_takes_the_difference_of_slopes(seed):
    """The standard error of the difference accounts for the correlation of two coefficients of the same subjects."""
    design = draw(seed, most_orders=10**9, names=EXACT_NAMES, kinds=("complete", "few gaps", "near agreement"))
    n = sum(1 for row in design.rows if sum(code >= 0 for code in row) > 1)
    both = [value_or_none(name, design.counts, design) for name in ("kappa", "gwet")]
    if None in both or n < 2:
        return
    variance = sum(
        count * (slope("kappa", row, design) - slope("gwet", row, design)) ** 2 for row, count in design.counts.items()
    )
    first, second = ({"coefficient": name, "weights": design.weights} for name in ("kappa", "gwet"))
    result = km.compare(design.table, first=first, second=second)
    assert abs(result.difference - float(both[0] - both[1])) <= _DELTA
    assert abs(result.se - sqrt(variance * n / (n - 1))) <= _DELTA


def slope(name: str, row: naive.Pattern, design: Design) -> float:
    """Return the derivative with respect to the count of a pattern, by a difference of 10^-30 in fractions."""
    step = Fraction(1, 10**30)
    nudged = {**design.counts, row: design.counts[row] + step}
    whole = naive.value(name, design.counts, design.u, design.k)
    return float((naive.value(name, nudged, design.u, design.k) - whole) / step)
