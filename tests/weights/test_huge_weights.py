"""Tests that weights with huge numerators and denominators give the same results as plain Python integers.

Scores are whole numbers in units of one over the common denominator of the weights, and can exceed 10^20 for decimal
powers, circular weights or custom fractions. No result may depend on their size.
"""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax._rootsum import RootSum
from kappamax.annealing.methods import METHODS
from kappamax.coefficients import COEFFICIENTS, as_objective
from kappamax.fibers.distribution import mean_score
from kappamax.fibers.null_distribution import null_distribution
from kappamax.fibers.sampling import ScoreSampler, arrangements
from tests.support import naive
from tests.support.strategies import examples, tables

NAMES = ["power(1.7)", "power(0.3)", "power(31)", "power(9.5)", "circular", "bipolar", "ratio"]
ALTERNATIVES = ["greater", "less", "two-sided"]


@st.composite
def huge_fractions(draw, n_categories):
    """Draw a symmetric matrix of fractions near a power of two around or far beyond 64 bits."""
    bits = draw(st.sampled_from([20, 45, 58, 60, 61, 62, 63, 64, 120]))
    entry = st.fractions(1, 8, max_denominator=4) if bits == 20 else st.integers(2 ** (bits - 1), 2**bits)
    u = [[Fraction(0)] * n_categories for _ in range(n_categories)]
    largest = 2**bits + draw(st.integers(0, 3))
    for i, j in combinations(range(n_categories), 2):
        u[i][j] = u[j][i] = Fraction(draw(entry)) / largest
    u[0][1] = u[1][0] = Fraction(1)
    return km.Weights.from_matrix(u, kind="disagreement")


@st.composite
def weighted_tables(draw, **limits):
    """Draw a table and weights, the same for all pairs of raters or different."""
    table = draw(tables(**limits))
    one = st.one_of(huge_fractions(table.n_categories), st.sampled_from(NAMES))
    if draw(st.booleans()):
        return table, draw(one)
    return table, {pair: draw(one) for pair in combinations(range(table.n_raters), 2)}


def entries_of(objective):
    """Return the function u(a, b, i, j), computed exactly from the weights."""
    by_pair = {(a, b): weights for a, b, weights in objective.pairs()}
    return lambda a, b, i, j: by_pair[a, b].entry(i, j)


def disagreement(rows, u):
    """Return the exact mean over subjects of the mean over their pairs (Gwet's definition)."""
    means = []
    for row in rows:
        pairs = [(a, b) for a, b in combinations(range(len(row)), 2) if min(row[a], row[b]) >= 0]
        if pairs:
            means.append(sum((u(a, b, row[a], row[b]) for a, b in pairs), RootSum()) / len(pairs))
    return sum(means, RootSum()) / len(means)


def weighted_disagreement(patterns, counts, u):
    """Return the exact mean disagreement of patterns with counts."""
    rated = [sum(code >= 0 for code in pattern) >= 2 for pattern in patterns]
    each = [disagreement([pattern], u) if kept else RootSum() for pattern, kept in zip(patterns, rated, strict=True)]
    n_subjects = sum(count for count, kept in zip(counts, rated, strict=True) if kept)
    return sum((one * count for one, count in zip(each, counts, strict=True)), RootSum()) / n_subjects


def rows_of(table):
    """Return one list of codes per subject, with -1 for a missing rating."""
    return np.repeat(table.patterns, table.counts, axis=0).tolist()


@settings(max_examples=examples(100))
@given(weighted_tables(missing=True))
def test_every_coefficient_is_that_of_its_definition(case):
    """Kappa is exact as a fraction of Python integers, and all coefficients agree up to rounding."""
    table, weights = case
    objective = as_objective(table, weights=weights)
    u = entries_of(objective)
    assert objective.observed(objective.score) == disagreement(rows_of(table), u)
    plain, k = naive.rows_of(table), table.n_categories
    formulas = {
        "kappa": naive.conger,
        "fleiss": naive.fleiss,
        "gwet": naive.gwet,
        "brennan-prediger": naive.brennan_prediger,
        "krippendorff": naive.krippendorff,
    }
    for name, formula in formulas.items():
        if name != "kappa" and not isinstance(weights, str | km.Weights):
            continue
        try:
            value = km.agreement(table, weights=weights, coefficient=name).value
        except km.errors.UndefinedKappaError:
            continue
        expected = formula(plain, k, lambda *cell: float(u(*cell)))
        assert value == pytest.approx(float(expected), rel=1e-9, abs=1e-9)


@settings(max_examples=examples(100))
@given(weighted_tables(missing=True), st.integers(0, 99))
def test_scores_of_random_tables_are_those_of_their_ratings(case, seed):
    """For shuffled ratings and any weights, sums over subjects and pairs of raters are exact."""
    table, weights = case
    objective = as_objective(table, weights=weights)
    u = entries_of(objective)
    blocks = arrangements(table, 3, np.random.default_rng(seed))
    expected = [disagreement(rows, u) for block in blocks for rows in np.moveaxis(block, 0, 2).tolist()]
    found = ScoreSampler(objective).shuffled(3, np.random.default_rng(seed)).tolist()
    sums = [RootSum(dict(zip(objective.radicands, row, strict=True))) for row in found]
    assert [objective.observed(one) for one in sums] == expected


@settings(max_examples=examples(60))
@given(weighted_tables(missing=True), st.integers(10**5, 10**16), st.integers(0, 99))
def test_scores_of_tables_drawn_by_cells_are_those_of_their_counts(case, times, seed):
    """The scores are exact also if tables are drawn cell by cell because there are many subjects."""
    table, weights = case
    objective = as_objective(table.like(table.patterns, table.counts * times), weights=weights)
    u, way = entries_of(objective), ScoreSampler(objective).by_rater
    drawn = np.concatenate(list(way.draw(3, np.random.default_rng(seed)))).tolist()
    expected = [weighted_disagreement(way.patterns.tolist(), counts, u) for counts in drawn]
    found = ScoreSampler(objective).scores(3, np.random.default_rng(seed)).tolist()
    sums = [RootSum(dict(zip(objective.radicands, row, strict=True))) for row in found]
    assert [objective.observed(one) for one in sums] == expected


@settings(max_examples=examples(60))
@given(weighted_tables(missing=True), st.sampled_from(ALTERNATIVES), st.integers(0, 99))
def test_monte_carlo_pvalues_count_what_python_integers_count(case, alternative, seed):
    """The p-value counts draws at least as extreme as the observed table, within the tolerance of inexact weights."""
    table, weights = case
    objective = as_objective(table, weights=weights)
    null = null_distribution(objective, method="monte-carlo", n_draws=40, rng=seed)
    n_blocks = 40 if ScoreSampler(objective).by_rater is None else 1
    own = np.random.default_rng(seed).spawn(n_blocks)
    rows = [row for rng in own for row in ScoreSampler(objective).scores(40 // n_blocks, rng).tolist()]
    drawn = [objective.observed(RootSum(dict(zip(objective.radicands, row, strict=True)))) for row in rows]
    observed, mean = objective.observed(objective.score), objective.observed(mean_score(objective))
    near = Fraction(objective.weights.tolerance)
    extreme = {
        "greater": lambda one: one <= observed + near,
        "less": lambda one: one >= observed - near,
        "two-sided": lambda one: size(one - mean) >= size(observed - mean) - near,
    }[alternative]
    assert null.pvalue(alternative) == (sum(extreme(one) for one in drawn) + 1) / 41


def size(number):
    """Return the absolute value of an exact number."""
    return number if number.sign() >= 0 else number * -1


@pytest.mark.parametrize("weights", ["power(1.7)", "circular", "power(1/3)", "bipolar", "ratio", "power(9.5)"])
def test_strong_agreement_of_many_subjects_is_significant_for_all_weights(weights):
    """None of 200 random tables of a thousand subjects attains a kappa of one half."""
    table = km.from_counts(np.full((5, 5), 20) + np.diag([100] * 5))
    test = km.exact_test(table, weights=weights, method="monte-carlo", n_draws=200, rng=1)
    assert test.value == pytest.approx(0.5, abs=0.01)
    assert test.pvalue == 1 / 201
    opposite = km.exact_test(table, weights=weights, method="monte-carlo", n_draws=200, rng=1, alternative="less")
    assert opposite.pvalue == 1


@settings(max_examples=examples(40))
@given(weighted_tables(max_rows=5))
def test_ranked_moves_have_the_stated_effect(case):
    """Effects and order of all moves agree with the exact disagreement before and after."""
    table, weights = case
    objective = as_objective(table, weights=weights)
    u, before = entries_of(objective), disagreement(rows_of(table), entries_of(objective))
    ranked = km.moves.rank_moves(table, weights=weights, top=1000)
    changes = [disagreement(rows_of(one.move.after(table)), u) - before for one in ranked]
    pairs = table.n_raters * (table.n_raters - 1) // 2
    assert changes == [one.change / (table.n_subjects * pairs) for one in ranked]
    assert all(first <= second for first, second in pairwise(changes))
    near = Fraction(objective.weights.tolerance) / table.n_subjects
    assert ranked.n_raising == sum(change < near * -1 for change in changes)
    assert ranked.n_lowering == sum(change > near for change in changes)


@settings(max_examples=examples(40))
@given(weighted_tables(max_rows=4, max_raters=3, max_categories=3))
def test_distributions_count_the_tables_that_python_integers_count(case):
    """Numbers of tables by value, with the observed value, and connected by moves agree with Python integers."""
    table, weights = case
    objective = as_objective(table, weights=weights)
    assume(objective.weights.exact)
    assume(km.fiber(table).count() <= 500)
    u = entries_of(objective)
    members = [disagreement(rows_of(one), u) for one in km.fiber(table).tables()]
    own = disagreement(rows_of(table), u)
    found = km.fiber(table).distribution(weights)
    assert [objective.observed(score) for score in found.scores] == sorted(set(members), reverse=True)
    assert list(found.n_tables) == [members.count(one) for one in sorted(set(members), reverse=True)]
    same = km.fiber(table).same_kappa(weights, other="unweighted")
    levels = km.fiber(table).level_set(weights)
    assert same.n_tables == found.n_same_value == levels.n_tables == members.count(own)
    assert 1 <= levels.n_reached <= levels.n_tables


@settings(max_examples=examples(30))
@given(weighted_tables(missing=True), st.sampled_from(["null", "uniform"]), st.integers(0, 99))
def test_walks_record_the_coefficient_of_the_table_they_reach(case, target, seed):
    """The recorded value is correct, whether the walk uses integers or doubles."""
    table, weights = case
    walk = km.fiber(table).walk(300, weights=weights, target=target, tilt=0.3, rng=seed)
    assert walk.values[-1] == pytest.approx(km.kappa(walk.table, weights=weights).value, rel=1e-9, abs=1e-9)


@settings(max_examples=examples(40))
@given(weighted_tables(missing=True), st.integers(0, 99))
def test_a_held_score_of_any_size_stays_exactly(case, seed):
    """The held score is compared modulo coprime numbers, which is exact."""
    table, weights = case
    objective = as_objective(table, weights=weights)
    assume(objective.weights.exact)
    walk = km.fiber(table).walk(200, weights="unweighted", held=weights, rng=seed)
    assert as_objective(walk.table, weights=weights).score == objective.score


def test_walks_that_hold_huge_weights_visit_the_tables_they_should():
    """With weights that differ by one part in 2^64, a walk visits exactly the tables with the held score."""
    table = km.from_counts([[3, 2, 1], [1, 3, 1], [1, 1, 3]])
    members = list(km.fiber(table).tables())
    one, near = Fraction(1), 1 - Fraction(1, 2**64)
    held = {}
    for last in (one, near):
        weights = km.Weights.from_matrix([[0, one, last], [one, 0, one], [last, one, 0]], kind="disagreement")
        score = as_objective(table, weights=weights).score
        held[last] = {member for member in members if as_objective(member, weights=weights).score == score}
        walk = km.fiber(table).walk(20_000, weights="linear", held=weights, keep_tables=True, rng=1)
        visited = {km.from_counts(counts, categories=table.categories) for counts in np.unique(walk.counts, axis=0)}
        assert visited == held[last]
    assert 5 < len(held[near]) < len(held[one])


@settings(max_examples=examples(15))
@given(weighted_tables(max_rows=5, max_raters=3), st.sampled_from(["moves", "swaps"]), st.integers(0, 99))
def test_annealing_and_the_solver_report_the_value_of_their_tables(case, proposal, seed):
    """The maximum is not below the result of annealing, and both are the kappas of their tables."""
    table, weights = case
    found = km.anneal(table, weights=weights, method=METHODS[proposal](max_steps=300), rng=seed)
    best = km.max_kappa(table, weights=weights)
    for result, value in ((found, found.reached), (best, best.maximum)):
        assert value == km.kappa(result.table, weights=weights).value
        assert (result.table.margins == table.margins).all()
    assert found.reached <= best.bound + 1e-9


@settings(max_examples=examples(40))
@given(weighted_tables(missing=True, min_raters=3))
def test_pairs_and_raters_left_out_have_the_kappa_of_their_ratings(case):
    """Pairwise kappas and leave-one-rater-out values agree with the ratings."""
    table, weights = case
    u, k = entries_of(as_objective(table, weights=weights)), table.n_categories
    rows = naive.rows_of(table)
    values = km.pairwise_kappas(table, weights=weights).values
    for a, b in combinations(range(table.n_raters), 2):
        both = [[row[a], row[b]] for row in rows if row[a] is not None and row[b] is not None]
        if not np.isnan(values[a, b]):
            expected = naive.conger(both, k, lambda _a, _b, i, j, a=a, b=b: float(u(a, b, i, j)))
            assert values[a, b] == pytest.approx(float(expected), rel=1e-9, abs=1e-9)
    for name, value in km.leave_one_out(table, weights=weights).without.items():
        kept = [rater for rater in range(table.n_raters) if table.raters[rater] != name]
        rest = [[row[rater] for rater in kept] for row in rows]
        if value is not None and all(any(row[a] is not None for row in rest) for a in range(len(kept))):
            rest = [row for row in rest if any(code is not None for code in row)]
            expected = naive.conger(rest, k, lambda a, b, i, j, kept=kept: float(u(kept[a], kept[b], i, j)))
            assert value == pytest.approx(float(expected), rel=1e-9, abs=1e-9)


@settings(max_examples=examples(30))
@given(weighted_tables(missing=True), st.sampled_from(sorted(COEFFICIENTS)))
def test_resampled_values_are_those_of_the_resampled_tables(case, coefficient):
    """The leave-one-out values of the jackknife are those of the tables without one subject."""
    table, weights = case
    assume(isinstance(weights, str | km.Weights) or coefficient == "conger")
    assume(coefficient != "cohen" or table.n_raters == 2)
    try:
        found = km.jackknife(table, weights=weights, coefficient=coefficient)
    except km.errors.UndefinedKappaError:
        return
    for i, value in enumerate(found.values):
        counts = table.counts - (np.arange(len(table.counts)) == i)
        try:
            rest = km.Table(table.patterns, counts, table.categories, ordered=True)
            expected = km.agreement(rest, weights=weights, coefficient=coefficient).value
        except (km.errors.UndefinedKappaError, km.errors.InvalidRatingsError):
            continue
        assert value == pytest.approx(expected, rel=1e-7, abs=1e-7)


def test_fine_weights_have_the_numbers_of_the_coarse_ones_they_approach():
    """Standard errors, bootstrap and report agree for linear weights and weights that differ from them by 2^-64."""
    table = km.from_counts([[20, 5, 1], [4, 22, 6], [2, 3, 25]])
    half = Fraction(1, 2) + Fraction(1, 2**64)
    fine = km.Weights.from_matrix([[0, half, 1], [half, 0, half], [1, half, 0]], kind="disagreement")
    for method in ("fleiss-cohen-everitt", "gwet", "jackknife", "null"):
        expected = km.standard_error(table, weights="linear", method=method).se
        assert km.standard_error(table, weights=fine, method=method).se == pytest.approx(expected, rel=1e-9)
    near, exact = (km.bootstrap(table, weights=one, n_resamples=200, rng=3) for one in (fine, "linear"))
    assert near.replicates == pytest.approx(exact.replicates, rel=1e-9)
    shown = [km.report(table, weights=[one], rng=1).to_dict()["results"][0] for one in (fine, "linear")]
    for name in ("value", "maximum", "minimum", "ratio"):
        assert shown[0][name] == pytest.approx(shown[1][name], rel=1e-9)


def test_pairs_without_a_common_denominator_are_rounded():
    """Weights whose common denominator exceeds the range of doubles are rounded, and a note says so."""
    table = km.example("rapallo2022-three")
    k = table.n_categories

    def weights(base):
        u = [[Fraction(abs(i - j)) + (i != j) * Fraction(1, base) for j in range(k)] for i in range(k)]
        return km.Weights.from_matrix(u, kind="disagreement")

    pairs = dict(zip([(0, 1), (0, 2), (1, 2)], map(weights, (2**500, 3**300, 5**210)), strict=True))
    result = km.kappa(table, weights=pairs)
    assert result.exact is None
    assert any("no simple common denominator" in note for note in result.notes)
    assert result.value == pytest.approx(km.kappa(table, weights="linear").value, rel=1e-12)
    assert km.exact_test(table, weights=pairs, n_draws=50, rng=1).pvalue <= 1


def test_floats_that_differ_by_300_orders_of_magnitude():
    """Weights of 1e-300 and 1 can be combined."""
    table = km.from_counts([[5, 2, 1], [1, 6, 2], [0, 3, 7]])
    u = [[0, 1e-300, 0.7123456789], [1e-300, 0, 1], [0.7123456789, 1, 0]]
    weights = km.Weights.from_matrix(u, kind="disagreement")
    test = km.exact_test(table, weights=weights, n_draws=100, rng=1)
    assert test.value == pytest.approx(km.max_kappa(table, weights=weights).value)
    assert km.fiber(table).walk(100, weights=weights, rng=1).values.shape == (100,)


def test_hundreds_of_raters_with_missing_ratings():
    """Values are exact although the common multiple of all numbers of ratings has hundreds of digits."""
    rng = np.random.default_rng(1)
    ratings = rng.integers(1, 4, size=(70, 60)).astype(object)
    for i, row in enumerate(ratings):
        row[rng.permutation(60)[2 + i % 58 :]] = None
    table = km.from_ratings(ratings.tolist())
    assert as_objective(table).scale > 2**64
    walk = km.fiber(table).walk(500, weights="linear", rng=1)
    assert walk.values[-1] == pytest.approx(km.kappa(walk.table, weights="linear").value, abs=1e-9)
    u = entries_of(as_objective(table, weights="linear"))
    expected = [disagreement(rows_of(one), u) for one in km.fiber(table).iter_sample(2, rng=5)]
    objective = as_objective(table, weights="linear")
    scores = ScoreSampler(objective).scores(2, np.random.default_rng(5))
    assert [objective.observed(RootSum(int(score))) for score in scores[:, 0]] == expected
