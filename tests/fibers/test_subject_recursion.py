"""The recursion over subjects beside exact rational distributions and the other methods."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from fractions import Fraction
from itertools import product
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.fibers import null_distribution as nulls
from kappamax.fibers.subject_recursion import SubjectRecursion, least_work
from kappamax.fibers.subject_scores import SubjectScores
from kappamax.fibers.table_scores import TableScores


def _exact(margins, costs):
    """Return the exact probability of each total cost, by a recursion over subjects in whole numbers."""
    first, *others = ([n for n in row if n] for row in margins.tolist())
    ways = {tuple(map(tuple, others)): Counter({0: 1})}
    for category in np.repeat(np.arange(len(first)), first).tolist():
        after: dict[tuple[tuple[int, ...], ...], Counter[int]] = {}
        for left, totals in ways.items():
            for codes in product(*(range(len(row)) for row in others)):
                if all(row[j] for row, j in zip(left, codes, strict=True)):
                    state = tuple(
                        tuple(n - (i == j) for i, n in enumerate(row)) for row, j in zip(left, codes, strict=True)
                    )
                    into = after.setdefault(state, Counter())
                    for total, n in totals.items():
                        into[total + int(costs[(category, *codes)])] += n
        ways = after
    (totals,) = ways.values()
    n_orders = prod(factorial(sum(row)) // prod(map(factorial, row)) for row in others)
    return {total: Fraction(n, n_orders) for total, n in totals.items()}


def _ratings(draw, n_raters, most):
    """Return random margins of used categories and random costs."""
    n = draw(st.integers(1, most))
    margins = []
    for _ in range(n_raters):
        codes = draw(st.lists(st.integers(0, 3 if n_raters == 2 else 2), min_size=n, max_size=n))
        margins.append(np.bincount(codes, minlength=4))
    margins = np.array(margins)
    shape = [int((row > 0).sum()) for row in margins]
    costs = draw(st.lists(st.integers(0, 7), min_size=prod(shape), max_size=prod(shape)))
    return margins, np.array(costs).reshape(shape)


@st.composite
def two_raters(draw):
    """Draw margins and costs of two raters."""
    return _ratings(draw, 2, 25)


@st.composite
def three_raters(draw):
    """Draw margins and costs of three raters."""
    return _ratings(draw, 3, 8)


def _assert_exact(margins, costs):
    """Check the probabilities of all totals against exact ones, within the stated relative error."""
    recursion = SubjectRecursion(margins, costs.ravel())
    smallest, found = recursion.probabilities()
    exact = _exact(margins, costs)
    assert {smallest + i for i in np.flatnonzero(found)} == set(exact)
    assert recursion.relative_error < 1e-12
    for total, chance in exact.items():
        assert abs(Fraction(float(found[total - smallest])) / chance - 1) <= Fraction(recursion.relative_error)


@given(two_raters())
def test_probabilities_of_two_raters_have_the_stated_relative_error(case):
    """Every probability agrees with the exact rational one, including the smallest."""
    _assert_exact(*case)


@settings(max_examples=40)
@given(three_raters())
def test_probabilities_of_three_raters_have_the_stated_relative_error(case):
    """The same holds if the state is the use of two raters' categories."""
    _assert_exact(*case)


def test_the_check_of_probabilities_fails_for_other_probabilities(monkeypatch):
    """A relative change of 1e-11 in the smallest probability is noticed."""
    margins, costs = np.array([[3, 4], [5, 2]]), np.array([[0, 1], [2, 0]])
    _assert_exact(margins, costs)
    smallest, found = SubjectRecursion(margins, costs.ravel()).probabilities()
    found[0] *= 1 + 1e-11
    monkeypatch.setattr(SubjectRecursion, "probabilities", lambda self: (smallest, found))
    with pytest.raises(AssertionError):
        _assert_exact(margins, costs)


def test_the_smallest_probability_of_a_long_distribution_is_accurate():
    """With 40 subjects in each of 2 categories, full agreement has probability 1 / C(80, 40), about 9e-24."""
    margins = np.array([[40, 40], [40, 40]])
    recursion = SubjectRecursion(margins, np.array([0, 1, 1, 0]))
    smallest, found = recursion.probabilities()
    exact = Fraction(factorial(40) ** 2, factorial(80))
    assert smallest == 0
    assert abs(Fraction(float(found[0])) / exact - 1) <= Fraction(recursion.relative_error)


def test_large_margins_do_not_underflow():
    """With 4,000 subjects the numbers of arrangements exceed doubles, but the probabilities add up to 1."""
    margins = np.array([[3990, 10], [3985, 15]])
    _, found = SubjectRecursion(margins, np.array([0, 1, 1, 0])).probabilities()
    assert found.sum() == pytest.approx(1, rel=1e-12)


@given(two_raters(), st.floats(1, 1e6))
def test_the_work_is_estimated_before_it_is_done(case, most):
    """The cheap bound is below the work, and an estimate that is cut short exceeds the limit."""
    margins, costs = case
    work = SubjectRecursion(margins, costs.ravel()).work()
    assert least_work(margins) <= work
    limited = SubjectRecursion(margins, costs.ravel()).work(most)
    assert limited == work if work <= most else most < limited <= work


def test_the_stated_memory_is_not_exceeded():
    """The largest amount of memory allocated at one time is at most what was stated beforehand."""
    table = km.from_counts(np.full((4, 4), 4))
    recursion = SubjectScores(as_objective(table, weights="quadratic"), 1e9)._recursion
    recursion.probabilities()  # compiles the loops
    stated = recursion.n_bytes
    tracemalloc.start()
    recursion.probabilities()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert stated / 3 < most < stated


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic", "sqrt"])
@pytest.mark.parametrize("name", ["rapallo2022", "rapallo2022-three"])
def test_scores_and_probabilities_equal_those_of_counting(name, weights):
    """Both methods find the same scores, also for weights whose scores have several components."""
    objective = as_objective(km.example(name), weights=weights)
    counted, found = TableScores([objective], 1e9).tally(), SubjectScores(objective, 4e9).tally()
    assert counted.rows.tolist() == found.rows.tolist()
    assert found.probabilities == pytest.approx(counted.probabilities, rel=1e-13)


def test_the_recursion_is_used_for_fibers_that_are_not_small(monkeypatch):
    """A limit on small fibers selects the recursion, and without numba the tables are counted as before."""
    objective = as_objective(km.example("rapallo2022"), weights="linear")
    before = nulls.null_distribution(objective)
    used = []
    monkeypatch.setattr(nulls, "SubjectScores", lambda *given: used.append(given) or SubjectScores(*given))
    monkeypatch.setattr(nulls, "_SMALL_WORK", 0)
    after = nulls.null_distribution(objective)
    assert len(used) == 1
    assert after.probabilities == pytest.approx(before.probabilities, rel=1e-13)
    assert after.scores == before.scores
    monkeypatch.setattr(nulls, "recursion_available", lambda: False)
    assert nulls.null_distribution(objective).probabilities.tolist() == before.probabilities.tolist()
    assert len(used) == 1


def test_a_memory_limit_refuses_the_recursion():
    """Both exact methods need more than a megabyte for 100 subjects and 5 categories."""
    table = km.from_counts(np.full((5, 5), 4))
    with pytest.raises(km.errors.NotSupportedError, match="of memory; the limit is 1 MB"):
        km.exact_test(table, weights="linear", method="exact", memory_limit=1e6)


def test_scores_beyond_64_bits_are_refused():
    """A weight of 10^18 times the number of subjects cannot be a total of the recursion."""
    weights = km.Weights.from_matrix([[0, 1, 10**18], [1, 0, 7], [10**18, 7, 0]], kind="disagreement")
    objective = as_objective(km.from_counts(np.full((3, 3), 9)), weights=weights)
    with pytest.raises(km.errors.NotSupportedError, match="too many different scores"):
        SubjectScores(objective, 1e9).work()


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
def test_five_categories_and_a_hundred_subjects_are_tested_exactly(weights):
    """The default limits on work and memory admit this ordinary study under every common weighting."""
    table = km.from_counts(np.full((5, 5), 4) + 2 * np.eye(5, dtype=int) * 5 - 2)
    assert km.exact_test(table, weights=weights).method == "exact"
