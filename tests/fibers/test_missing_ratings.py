"""Tests of agreement with missing ratings agree with the enumeration of all rearrangements."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.errors import UndefinedKappaError
from kappamax.fibers import null_distribution as nulls
from kappamax.fibers import rearrangement_scores
from kappamax.fibers.null_distribution import null_distribution
from kappamax.fibers.rearrangement_scores import RearrangementScores
from kappamax.fibers.rearrangements import RearrangementCounter, all_arrangements, n_arrangements
from kappamax.fibers.table_scores import TableScores
from tests.support import naive
from tests.support.strategies import NEARLY_FLAT, examples, tables

ALTERNATIVES = ["greater", "less", "two-sided"]
COEFFICIENTS = ["kappa", "fleiss", "gwet", "brennan-prediger", "krippendorff", "percent"]
SCHEMES = ["unweighted", "linear", "quadratic", "sqrt"]
_ = None


def n_rearrangements(table):
    """Return the number of distinct rearrangements of all raters' ratings."""
    rows = [[int(n) for n in row] for row in table.margins]
    return prod(factorial(sum(row)) // prod(map(factorial, row)) for row in rows)


def rearrangements(table):
    """Return all rearrangements as lists of rows, with None for missing ratings."""
    rows = naive.rows_of(table)
    columns = []
    for column in zip(*rows, strict=True):
        rated = [i for i, code in enumerate(column) if code is not None]
        columns.append([])
        for arranged in sorted(set(permutations([column[i] for i in rated]))):
            moved = list(column)
            for i, code in zip(rated, arranged, strict=True):
                moved[i] = code
            columns[-1].append(moved)
    for chosen in product(*columns):
        yield [list(row) for row in zip(*chosen, strict=True)]


def table_of(rows, categories):
    """Return rows of codes as a table."""
    codes = [[-1 if code is None else code for code in row] for row in rows]
    return km.Table(codes, np.ones(len(codes), dtype=int), categories, ordered=True)


def values_of(table, weights, coefficient):
    """Return the coefficient of every rearrangement as a fraction or a double, or None if it is 0/0."""
    found = []
    for rows in rearrangements(table):
        objective = as_objective(table_of(rows, table.categories), weights=weights, coefficient=coefficient)
        try:
            exact = objective.exact_value(objective.score)
            found.append(objective.value(objective.score) if exact is None else exact)
        except UndefinedKappaError:
            found.append(None)
    return found


def listed_pvalue(values, observed, alternative, two_sided="distance"):
    """Return the share of rearrangements that are at least as extreme, including the undefined ones."""
    defined = [value for value in values if value is not None]
    near = 0 if all(isinstance(value, Fraction) for value in [observed, *defined]) else 1e-9
    mean = sum(defined) / len(defined)
    if two_sided == "probability":
        keys = [value if near == 0 else round(float(value), 9) for value in defined]
        often = Counter(keys)
        own = often[observed if near == 0 else round(float(observed), 9)]
        extreme = sum(often[key] <= own for key in keys)
    else:
        judged = {
            "greater": lambda value: value >= observed - near,
            "less": lambda value: value <= observed + near,
            "two-sided": lambda value: abs(value - mean) >= abs(observed - mean) - near,
        }[alternative]
        extreme = sum(judged(value) for value in defined)
    return (extreme + len(values) - len(defined)) / len(values)


@st.composite
def incomplete_tables(draw, n_raters=None):
    """Return tables of few subjects and two or three raters with one or more missing ratings."""
    r = n_raters or draw(st.integers(2, 3))
    k = draw(st.integers(2, 3))
    n = draw(st.integers(2, 5 if r == 2 else 4))
    rows = draw(st.lists(st.lists(st.integers(-1, k - 1), min_size=r, max_size=r), min_size=n, max_size=n))
    rows[0][-1] = -1
    rows[1] = [max(0, code) for code in rows[1]]
    table = km.Table(rows, np.ones(n, dtype=int), range(k), ordered=True)
    assume(table.margins.sum(axis=0).max() < table.margins.sum())  # more than one category
    return table


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@settings(max_examples=examples(25))
@given(table=incomplete_tables(), weights=st.sampled_from(SCHEMES))
def test_pvalues_with_missing_ratings_agree_with_enumeration(coefficient, table, weights):
    """P-values of all alternatives, and the mean under the null distribution, agree for every coefficient."""
    try:
        observed = km.agreement(table, weights=weights, coefficient=coefficient)
    except UndefinedKappaError:
        assume(False)
    own = observed.value if observed.exact is None else observed.exact
    values = values_of(table, weights, coefficient)
    defined = [value for value in values if value is not None]
    options = {"weights": weights, "coefficient": coefficient}
    for alternative in ALTERNATIVES:
        test = km.exact_test(table, alternative=alternative, **options)
        assert test.method == "exact"
        assert test.pvalue == pytest.approx(listed_pvalue(values, own, alternative), rel=1e-9)
        assert test.null_mean == pytest.approx(float(sum(defined) / len(defined)), abs=1e-9)
    both = {"alternative": "two-sided", "two_sided": "probability"}
    expected = listed_pvalue(values, own, **both)
    assert km.exact_test(table, **both, **options).pvalue == pytest.approx(expected, rel=1e-9)


@settings(max_examples=examples(60))
@given(table=incomplete_tables(), coefficient=st.sampled_from(COEFFICIENTS), weights=st.sampled_from(SCHEMES))
def test_the_distribution_of_scores_and_uses_agrees_with_enumeration(table, coefficient, weights):
    """Every score and use of the categories has its exact share of the rearrangements."""
    objective = as_objective(table, weights=weights, coefficient=coefficient)
    listed = Counter()
    for rows in rearrangements(table):
        codes = np.array([[-1 if code is None else code for code in row] for row in rows], dtype=np.int32)
        row = objective.scores(codes).sum(axis=0).tolist()
        listed[tuple(row if objective.fixed_chance else row + objective.pooled_use(codes).sum(axis=0).tolist())] += 1
    for ratings in (0, rearrangement_scores._LISTED_RATINGS):  # counted and listed
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rearrangement_scores, "_LISTED_RATINGS", ratings)
            space = RearrangementScores(objective, 1e9)
        assert space.listed == (ratings > 0)
        rows, probabilities, _ = space.tally()
        found = dict(zip(map(tuple, rows.tolist()), probabilities.tolist(), strict=True))
        assert found.keys() == listed.keys()
        for row, n in listed.items():
            assert found[row] == pytest.approx(n / n_rearrangements(table), rel=1e-12)


def test_fleiss_kappa_is_tested_by_its_own_value():
    """7/18 of the rearrangements have at least the observed Fleiss' kappa, and 7/12 at least the observed agreement."""
    table = km.from_ratings([[2, _, 0], [0, 0, 2], [2, 1, _], [0, 0, _], [_, 1, _]], categories=[0, 1, 2])
    test = km.exact_test(table, coefficient="fleiss")
    assert (test.pvalue, test.method) == (pytest.approx(7 / 18, rel=1e-12), "exact")
    assert km.exact_test(table, coefficient="percent").pvalue == pytest.approx(7 / 12, rel=1e-12)


@settings(max_examples=examples(25))
@given(table=incomplete_tables(n_raters=3), alternative=st.sampled_from(ALTERNATIVES))
def test_weights_per_pair_are_tested_with_missing_ratings(table, alternative):
    """Conger's kappa may have different weights for each pair of three raters."""
    weights = {("1", "2"): "linear", ("1", "3"): "unweighted", ("2", "3"): "quadratic"}
    try:
        own = km.kappa(table, weights=weights).exact
    except UndefinedKappaError:
        assume(False)
    expected = listed_pvalue(values_of(table, weights, "kappa"), own, alternative)
    assert km.exact_test(table, weights=weights, alternative=alternative).pvalue == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize(("weights", "seed"), [("unweighted", 0), ("sqrt", 1), ("linear", 2)])
def test_random_tables_agree_with_the_exact_method_with_missing_ratings(weights, seed, coefficient):
    """P-values agree within four binomial standard errors, and the mean within four standard errors of a mean of draws.

    A two-sided p-value from draws uses that mean, so it may equal the exact p-value for any mean within its error.
    """
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, 3, size=(8, 3)).astype(object)
    ratings[rng.random((8, 3)) < 0.3] = None
    table = km.from_ratings(ratings, categories=[0, 1, 2])
    objective = as_objective(table, weights=weights, coefficient=coefficient)
    exact = null_distribution(objective, method="exact")
    drawn = null_distribution(objective, method="monte-carlo", n_draws=4000, rng=seed)
    error = 4 * (exact.probabilities @ (exact.values - exact.mean) ** 2 / 4000) ** 0.5
    assert abs(drawn.mean - exact.mean) <= error
    means = [exact.mean] if objective.fixed_chance else np.linspace(exact.mean - error, exact.mean + error, 21)
    own = objective.value(objective.score)
    beyond = [np.abs(exact.values - mean) >= abs(own - mean) - 1e-9 for mean in means]
    expected = {"greater": [exact.pvalue("greater")], "less": [exact.pvalue("less")]}
    expected["two-sided"] = [min(1, exact.probabilities[far].sum() + exact.undefined) for far in beyond]
    for alternative, pvalues in expected.items():
        spread = max(pvalue * (1 - pvalue) / 4000 for pvalue in pvalues) ** 0.5
        found = drawn.pvalue(alternative)
        assert min(pvalues) - 4 * spread - 1 / 4001 <= found <= max(pvalues) + 4 * spread + 1 / 4001


def test_rearrangements_without_a_value_count_as_extreme():
    """If the only b falls on a single rating, as in two of four places, all pairs agree on a and alpha is 0/0."""
    table = km.from_ratings([["a", "a"], ["b", "a"], ["a", _], ["a", _]])
    values = values_of(table, "unweighted", "krippendorff")
    assert values.count(None) == 2
    assert values.count(0) == 2
    for alternative in ALTERNATIVES:
        assert km.exact_test(table, coefficient="krippendorff", alternative=alternative).pvalue == 1
    found = null_distribution(as_objective(table, coefficient="krippendorff"))
    assert (found.undefined, found.mean) == (pytest.approx(0.5), 0)
    drawn = null_distribution(
        as_objective(table, coefficient="krippendorff"), method="monte-carlo", n_draws=1000, rng=1
    )
    assert abs(drawn.undefined - 500) < 4 * 250**0.5
    assert drawn.pvalue("greater") == 1


def test_with_one_missing_rating_the_distribution_is_a_mixture():
    """The distribution is a mixture over the ratings of the subject that only the first rater rated.

    There are 2,000 subjects, so the number of arrangements has some hundred digits.
    """
    counts = [[1975, 8], [6, 10]]
    table = km.from_counts(counts)
    patterns = [*table.patterns.tolist(), [0, -1]]
    more = km.Table(patterns, [*table.counts.tolist(), 1], table.categories, ordered=True)
    found = null_distribution(as_objective(more), method="exact")
    mixed = Counter()
    margins = more.margins[0]
    for category in (0, 1):
        rest = margins - (np.arange(2) == category)
        cell = min(rest[1], more.margins[1][1])
        other = [[rest[0] - more.margins[1][1] + cell, more.margins[1][1] - cell], [rest[1] - cell, cell]]
        found_there = TableScores([as_objective(km.from_counts(other))], 1e9).tally()
        for (score,), chance in zip(found_there.rows.tolist(), found_there.probabilities, strict=True):
            mixed[score] += chance * margins[category] / margins.sum()
    assert found.rows[:, 0].tolist() == sorted(mixed)
    np.testing.assert_allclose(found.counts, [mixed[score] for score in found.rows[:, 0].tolist()], rtol=1e-9)


def test_few_missing_ratings_among_many_are_tested_exactly():
    """The paper's 33 subjects with three missing ratings need no random tables, for any coefficient."""
    table = km.example("rapallo2022")
    rows = np.repeat(table.patterns, table.counts, axis=0)
    rows[[1, 9], 0] = -1
    rows[30, 1] = -1
    gaps = km.Table(rows, np.ones(33, dtype=int), table.categories, ordered=True)
    for coefficient in ("kappa", "fleiss", "percent"):
        assert km.exact_test(gaps, coefficient=coefficient).method == "exact"


def test_large_designs_with_missing_ratings_are_sampled_and_the_reason_is_given(monkeypatch):
    """The reason is work, memory, patterns or weights that are not exact; the exact method raises it as an error."""
    rng = np.random.default_rng(1)
    table = km.from_ratings([[1, 2, None], [2, 2, 1], [1, 1, 1], [None, 2, 2]])
    monkeypatch.setattr(nulls, "EXACT_WORK", 10)
    monkeypatch.setattr(rearrangement_scores, "_LISTED_RATINGS", 0)
    assert "the exact distribution would take" in str(km.exact_test(table, n_draws=50, rng=1).reason)
    assert km.exact_test(table, method="exact").method == "exact"
    assert "not exact" in str(km.exact_test(table, weights="power(0.3)", n_draws=50, rng=1).reason)
    ratings = rng.integers(1, 6, size=(60, 9)).astype(object)
    ratings[0, 0] = None
    with pytest.raises(km.errors.NotSupportedError, match=r"2.34e\+06 patterns are possible"):
        km.exact_test(ratings_of(ratings), method="exact")
    with pytest.raises(km.errors.NotSupportedError, match="of memory; the limit is 1 GB"):
        km.exact_test(ratings_of(ratings[:, :6]), method="exact")


def test_states_beyond_doubles_are_refused_as_well():
    """Three hundred raters, two of whom rate each subject, have more states than a double can represent."""
    rng = np.random.default_rng(1)
    ratings = np.full((2000, 300), -1)
    for row in ratings:
        row[rng.choice(300, 2, replace=False)] = rng.integers(0, 5, 2)
    table = km.Table(ratings, np.ones(2000, dtype=int), range(5), ordered=True)
    assert RearrangementCounter(table).n_bytes() > 10**308
    with pytest.raises(km.errors.NotSupportedError, match="of memory; the limit is 1 GB"):
        null_distribution(as_objective(table), method="exact")


def ratings_of(ratings):
    """Return ratings as a table with five categories."""
    return km.from_ratings(ratings, categories=[1, 2, 3, 4, 5])


@pytest.mark.parametrize("coefficient", ["fleiss", "gwet", "krippendorff"])
def test_weights_that_are_not_exact_are_tested_with_missing_ratings(coefficient):
    """Weights that are constant up to rounding have the same ties as constant weights."""
    rng = np.random.default_rng(3)
    ratings = rng.integers(0, 3, size=(12, 3)).astype(object)
    ratings[rng.random((12, 3)) < 0.3] = None
    table = km.from_ratings(ratings, categories=[0, 1, 2])
    for alternative in ALTERNATIVES:
        options = {"coefficient": coefficient, "alternative": alternative, "n_draws": 2000, "rng": 2}
        near = km.exact_test(table, weights=NEARLY_FLAT, **options)
        assert near.pvalue == km.exact_test(table, method="monte-carlo", **options).pvalue


@given(table=tables(missing=True), coefficient=st.sampled_from(COEFFICIENTS), weights=st.sampled_from(SCHEMES))
def test_expected_disagreement_does_not_vary_if_chance_is_fixed(table, coefficient, weights):
    """The expected disagreement of random rearrangements is that of the observed table if `fixed_chance` is true."""
    objective = as_objective(table, weights=weights, coefficient=coefficient)
    rows = np.repeat(table.patterns, table.counts, axis=0)
    rng = np.random.default_rng(1)
    for column in rows.T:
        rated = column >= 0
        column[rated] = rng.permutation(column[rated])
    moved = as_objective(table.like(rows, np.ones(len(rows))), weights=weights, coefficient=coefficient)
    try:
        expected = objective.expected, moved.expected
    except UndefinedKappaError:
        assume(False)
    if objective.fixed_chance:
        assert expected[0] == expected[1]
    if coefficient in ("fleiss", "gwet", "krippendorff"):
        assert moved.expected == objective.expected_at(objective.pooled_use(rows).sum(axis=0))


def test_the_null_mean_is_not_zero_for_pooled_coefficients():
    """Scott's pi of [[6, 9], [1, 4]] is -1/99 and its mean is -16/99: agreement is higher than expected by chance."""
    table = km.from_counts([[6, 9], [1, 4]])
    # by chance they disagree in 3/4 * 13/20 + 1/4 * 7/20 = 46/80; Scott expects 2 * 11/20 * 9/20 = 99/200
    scott = km.exact_test(table, coefficient="scott")
    assert scott.null_mean == pytest.approx(1 - Fraction(46, 80) / Fraction(99, 200))
    assert scott.null_mean < scott.value < 0
    assert km.exact_test(table).null_mean == 0
    assert km.exact_test(table, method="monte-carlo", n_draws=10, rng=1).null_mean == 0
    assert scott.to_dict()["null_mean"] == scott.null_mean
    assert "mean by chance  -0.1616" in repr(scott)


def test_progress_of_the_exact_method_with_missing_ratings(monkeypatch):
    """Progress is reported up to the end."""
    monkeypatch.setattr(rearrangement_scores, "_LISTED_RATINGS", 0)
    seen = []
    table = km.from_ratings([[1, 2, None], [2, 2, 1], [1, 1, 1], [None, 2, 2]])
    km.exact_test(table, progress=lambda *now: seen.append(now))
    assert seen[-1][0] == seen[-1][1] > 0
    assert len(RearrangementCounter(table).patterns) == 4 + 8 + 4


def test_few_arrangements_are_listed_even_if_their_scores_are_large():
    """216 arrangements whose encoded scores would take gigabytes are listed."""
    table = km.Table([(1, 1, 2, -1, -1), (0, 0, 0, 2, 0), (2, 2, 2, -1, 2)], [1, 1, 1], [1, 2, 3], ordered=True)
    assert n_arrangements(table) == n_rearrangements(table) == 216
    options = {"weights": "ratio", "coefficient": "gwet"}
    found = km.exact_test(table, **options)
    assert found.method == "exact"
    objective = as_objective(table, **options)
    values = []
    for codes in np.moveaxis(all_arrangements(table), 1, 0):
        made = as_objective(table.like(codes.T, np.ones(3, dtype=np.int64)), **options)
        values.append(made.exact_value(made.score))
    own = objective.exact_value(objective.score)
    assert found.pvalue == pytest.approx(sum(value >= own for value in values) / 216, rel=1e-12)
    assert found.null_mean == pytest.approx(float(sum(values) / 216), rel=1e-12)


@settings(max_examples=examples(150))
@given(tables(missing=True, max_rows=3, max_raters=3), st.sampled_from(COEFFICIENTS), st.sampled_from(SCHEMES))
def test_listing_and_counting_agree(table, coefficient, weights):
    """The list of all arrangements and the recursion give the same distribution."""
    objective = as_objective(table, weights=weights, coefficient=coefficient)
    assume(not table.complete and RearrangementScores(objective, 1e9).listed)
    try:
        objective.value(objective.score)
    except km.errors.UndefinedKappaError:
        assume(False)
    listed = null_distribution(objective, method="exact")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rearrangement_scores, "_LISTED_RATINGS", 0)
        counted = null_distribution(objective, method="exact")
    for alternative in ALTERNATIVES:
        assert listed.pvalue(alternative) == pytest.approx(counted.pvalue(alternative), rel=1e-9)
    assert listed.mean == pytest.approx(counted.mean, rel=1e-9, abs=1e-12)
