"""Random tables have the right margins and frequencies."""

import tracemalloc
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import random_table

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.fibers import hypergeometric, sampling
from kappamax.fibers.distribution import mean_score
from kappamax.fibers.rater_by_rater import RaterByRater
from kappamax.fibers.sampling import ScoreSampler, arrangements
from kappamax.patterns import category_counts
from kappamax.table import Table
from tests.support.small_fibers import SMALL, chi_square_pvalue, expected_counts, tally
from tests.support.strategies import examples, tables


@pytest.mark.parametrize("name", SMALL)
def test_sampled_tables_have_their_probabilities(name):
    """The frequencies of 20,000 draws agree with probabilities from factorials."""
    fiber = km.fiber(SMALL[name])
    drawn = tally(fiber.sample(20_000, rng=3), lambda counts: km.from_counts(counts, categories=fiber.table.categories))
    assert chi_square_pvalue(drawn, expected_counts(fiber.table, 20_000)) > 1e-4


def drawn_by_rater(table, size, rng, *, classes=False):
    """Return the patterns and counts of tables drawn rater by rater, without a limit on the number of cells."""
    way = RaterByRater.of(table, classes=classes, most_cells=10**6)
    return way.patterns, np.concatenate(list(way.draw(size, np.random.default_rng(rng))))


@pytest.mark.parametrize("limit", [hypergeometric._NUMPY_LIMIT, 1])
@pytest.mark.parametrize("name", SMALL)
def test_tables_drawn_rater_by_rater_have_their_probabilities(name, limit, monkeypatch):
    """Frequencies are right with numpy's hypergeometric numbers and with those for large populations."""
    monkeypatch.setattr(hypergeometric, "_NUMPY_LIMIT", limit)
    table = SMALL[name]
    patterns, counts = drawn_by_rater(table, 20_000, 3)
    drawn = tally(counts, lambda row: table.like(patterns, row))
    assert chi_square_pvalue(drawn, expected_counts(table, 20_000)) > 1e-4


GAPS = km.from_ratings([[1, 1, None], [1, 2, 1], [2, None, 2], [2, 2, 2], [None, 1, 2], [1, 2, None]])


def all_arrangements(table):
    """Return the frequency of each table among all arrangements of every rater's ratings."""
    rows = np.repeat(table.patterns, table.counts, axis=0)
    found = [rows]
    for rater in range(table.n_raters):
        rated = np.flatnonzero(rows[:, rater] >= 0)
        orders = set(permutations(rows[rated, rater].tolist()))
        moved = []
        for before, order in product(found, orders):
            after = before.copy()
            after[rated, rater] = order
            moved.append(after)
        found = moved
    ones = np.ones(len(rows), dtype=np.int64)
    counted = Counter(table.like(codes, ones) for codes in found)
    return {member: times / len(found) for member, times in counted.items()}


@pytest.mark.slow
@pytest.mark.parametrize("way", ["shuffled", "rater by rater", "iter_sample"])
def test_tables_with_missing_ratings_have_their_probabilities(way):
    """The frequencies agree with all arrangements of a small table."""
    if way == "rater by rater":
        patterns, counts = drawn_by_rater(GAPS, 20_000, 1)
        drawn = tally(counts, lambda row: GAPS.like(patterns, row))
    elif way == "shuffled":
        ones = np.ones(GAPS.n_subjects, dtype=np.int64)
        blocks = arrangements(GAPS, 20_000, np.random.default_rng(1))
        drawn = Counter(GAPS.like(rows, ones) for block in blocks for rows in np.moveaxis(block, 0, 2))
    else:
        drawn = Counter(km.fiber(GAPS).iter_sample(20_000, rng=1))
    expected = {member: share * 20_000 for member, share in all_arrangements(GAPS).items()}
    assert chi_square_pvalue(drawn, expected) > 1e-4


@pytest.mark.parametrize("name", ["three raters", "gaps"])
def test_classes_of_patterns_have_the_scores_of_their_tables(name):
    """Patterns with the same scores are drawn together, with the frequencies of full enumeration."""
    table = SMALL.get(name, GAPS)
    objective = as_objective(table, weights="linear")
    patterns, counts = drawn_by_rater(table, 20_000, 7, classes=True)
    drawn = Counter((counts @ objective.scores(patterns)[:, 0]).tolist())
    expected: Counter = Counter()
    for member, share in all_arrangements(table).items():
        expected[int(as_objective(member, weights="linear").score.rational)] += 20_000 * share
    assert chi_square_pvalue(drawn, expected) > 1e-4


def test_few_classes_of_many_patterns():
    """Ten raters and five categories have 10^7 patterns, but only 1001 classes if all pairs have the same weights."""
    codes = np.random.default_rng(0).integers(5, size=(200, 10))
    table = Table(codes, np.full(200, 10**9), tuple(range(5)), ordered=True)
    way = RaterByRater.of(table, classes=True, most_cells=10**5)
    assert len(way.patterns) == 1001
    (counts,) = way.draw(3, np.random.default_rng(1))
    for row in counts:
        assert row.sum() == table.n_subjects
        assert (category_counts(way.patterns, 5).T @ row == table.margins.sum(axis=0)).all()
    assert RaterByRater.of(table, classes=False, most_cells=10**5) is None


@pytest.mark.parametrize("times", [1, 10**3, 10**10, 10**17])
def test_scores_of_any_number_of_subjects_have_their_mean_and_spread(times):
    """For two raters var(sum of u n) is N^2 / (N - 1) times the variance of u without row and column means."""
    table = km.from_counts(np.array([[4, 3, 2], [2, 4, 3], [3, 2, 5]]) * times)
    objective = as_objective(table, weights="linear")
    p, q = table.margins / table.n_subjects
    u = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    rest = u - (u @ q)[:, None] - p @ u + p @ u @ q
    spread = (p @ rest**2 @ q / (table.n_subjects - 1)) ** 0.5
    way = RaterByRater.of(table, classes=False, most_cells=100)
    counts = np.concatenate(list(way.draw(4000, np.random.default_rng(2))))
    mean = Fraction(int(mean_score(objective).rational.numerator), int(mean_score(objective).rational.denominator))
    scores = objective.scores(way.patterns)[:, 0].astype(object)
    z = np.array([float((Fraction(int(row.astype(object) @ scores)) - mean) / table.n_subjects) for row in counts])
    z /= spread
    assert abs(z.mean()) < 4 / 4000**0.5
    assert abs(z.var() - 1) < 4 * (2 / 4000) ** 0.5


def test_ten_billion_subjects_are_tested_and_sampled_quickly():
    """Two and three raters and missing ratings are supported, while rearranging single subjects is refused."""
    many = 10**10
    two = km.from_counts(np.array([[4, 3], [3, 4]]) * many)
    three = km.from_ratings([[1, 1, 2], [1, 2, 2], [2, 2, 1], [2, 1, 1], [1, 1, 1]])
    three = three.like(three.patterns, three.counts * many)
    gaps = GAPS.like(GAPS.patterns, GAPS.counts * many)
    for table in (two, three, gaps):
        assert km.exact_test(table, n_draws=20, rng=1).pvalue in (1 / 21, 1.0)
        (member,) = km.fiber(table).iter_sample(rng=1)
        assert (member.margins == table.margins).all()
        with pytest.raises(
            km.errors.NotSupportedError,
            match=r"the ratings of .*e\+1[01] single subjects would take .*; the limit is 1 GB \(memory_limit\)",
        ):
            km.fiber(table).walk(10)
    assert (km.fiber(three).sample(2, rng=1).sum(axis=(1, 2, 3)) == three.n_subjects).all()


def test_scores_of_few_cells_are_those_of_their_tables():
    """The number of subjects is so large that drawing cells is faster."""
    table = km.from_counts([[20, 5, 1], [7, 30, 4], [0, 9, 25]])
    patterns, counts = drawn_by_rater(table, 5, 3)
    for weights in ("linear", "sqrt"):
        objective = as_objective(table, weights=weights)
        drawn = [table.like(patterns, row) for row in counts]
        scores = ScoreSampler(objective).scores(5, np.random.default_rng(3))
        assert scores.tolist() == scores_of(objective, drawn, weights)


def test_a_chi_square_notices_wrong_frequencies():
    """Draws that are uniform over tables are rejected."""
    fiber = km.fiber(SMALL["two raters"])
    members = list(fiber.tables())
    drawn = Counter(members[i] for i in np.random.default_rng(1).integers(len(members), size=20_000))
    assert chi_square_pvalue(drawn, expected_counts(fiber.table, 20_000)) < 1e-4


def test_two_raters_are_drawn_by_scipy():
    """The same generator gives the same tables."""
    table = km.example("rapallo2022")
    drawn = random_table(*(row.tolist() for row in table.margins)).rvs(5, random_state=np.random.default_rng(7))
    assert (km.fiber(table).sample(5, rng=7) == drawn).all()


@settings(max_examples=examples(80))
@given(tables(missing=True), st.integers(0, 1000))
def test_draws_keep_margins_and_the_raters_of_each_subject(table, seed):
    """There may be any number of raters, with and without missing ratings."""
    for member in km.fiber(table).iter_sample(3, rng=seed):
        assert (member.margins == table.margins).all()
        assert Counter(_rated(member)) == Counter(_rated(table))
        assert member.categories == table.categories


def _rated(table):
    for pattern, count in zip(table.patterns.tolist(), table.counts.tolist(), strict=True):
        yield from [tuple(code >= 0 for code in pattern)] * count


def scores_of(objective, drawn, weights):
    """Return the score of each table, in the format of `ScoreSampler.scores`."""
    scores = [as_objective(one, weights=weights).score for one in drawn]
    return [[int(score.terms.get(f, 0)) for f in objective.radicands] for score in scores]


@settings(max_examples=examples(60))
@given(tables(missing=True), st.sampled_from(["unweighted", "linear", "sqrt"]), st.integers(0, 100))
def test_scores_of_draws_are_scores_of_tables(table, weights, seed):
    """The scores of the sampler equal the objective's scores of the same arrangements."""
    objective = as_objective(table, weights=weights)
    blocks = arrangements(table, 4, np.random.default_rng(seed))
    rows = np.concatenate([np.moveaxis(block, 0, 2) for block in blocks])
    drawn = [Table(row, np.ones(len(row), dtype=int), table.categories, ordered=True) for row in rows]
    scores = ScoreSampler(objective).shuffled(4, np.random.default_rng(seed))
    assert scores.tolist() == scores_of(objective, drawn, weights)


@settings(max_examples=examples(60))
@given(tables(missing=True), st.sampled_from(["linear", "sqrt"]), st.sampled_from(["kappa", "fleiss"]))
def test_scores_that_are_looked_up_are_those_that_are_computed(table, weights, coefficient):
    """Scores and uses of categories are the same whether computed once for all patterns or for each subject."""
    objective = as_objective(table, weights=weights, coefficient=coefficient)
    (drawn,) = arrangements(table, 30, np.random.default_rng(1))
    found = []
    for most in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sampling, "_LOOKED_UP_PATTERNS", most)
            found.append(ScoreSampler(objective).scores_of(drawn).tolist())
    assert found[0] == found[1]


def test_scores_of_many_draws_come_from_scipys_tables(monkeypatch):
    """scipy is used if shuffling would take longer than importing it."""
    table = km.example("rapallo2022")
    monkeypatch.setattr(sampling, "_WORTH_SCIPY", 0)
    for weights in ("linear", "sqrt"):
        objective = as_objective(table, weights=weights)
        drawn = [km.from_counts(counts) for counts in km.fiber(table).sample(5, rng=3)]
        scores = ScoreSampler(objective).scores(5, np.random.default_rng(3))
        assert scores.tolist() == scores_of(objective, drawn, weights)


def test_seeds_repeat_draws():
    """The same seed gives the same draws, and another seed gives other draws."""
    fiber = km.fiber(km.example("rapallo2022-three"))
    assert (fiber.sample(20, rng=1) == fiber.sample(20, rng=1)).all()
    assert (fiber.sample(20, rng=1) != fiber.sample(20, rng=2)).any()


def test_dense_counts_that_do_not_exist_or_do_not_fit_are_refused():
    """Dense counts of many raters or with missing ratings raise an error, while `iter_sample` accepts both."""
    many = km.from_ratings(np.random.default_rng(0).integers(1, 6, size=(30, 12)))
    with pytest.raises(
        km.errors.NotSupportedError, match="5 categories and 12 raters have 2.44e\\+08 possible patterns"
    ):
        km.fiber(many).sample(1)
    with pytest.raises(km.errors.NotSupportedError, match="needs complete ratings"):
        km.fiber(km.example("gwet2014")).sample(1)
    with pytest.raises(km.errors.InvalidOptionError, match="size must be a whole number >= 1; got 0"):
        km.fiber(many).sample(0)
    assert next(km.fiber(many).iter_sample(rng=1)).n_raters == 12


def test_a_single_category_leaves_one_table():
    """The table is correct although scipy does not support a single cell."""
    table = km.from_ratings([[1, 1]] * 30)
    assert km.fiber(table).sample(3, rng=1).tolist() == [[[30]]] * 3


MANY = km.Table(np.random.default_rng(1).integers(0, 4, size=(20_000, 12)), None, (1, 2, 3, 4), ordered=True)


def test_shuffled_subjects_stay_within_the_memory_that_is_required_of_them():
    """The memory that is held for one table of 4^12 possible patterns is below the amount that is compared."""
    needed = 8 * sampling._NUMBERS_PER_RATING * MANY.n_raters * MANY.n_subjects
    pairs = as_objective(MANY, weights=dict.fromkeys(combinations(range(12), 2), "linear"))
    calls = (
        lambda: list(km.fiber(MANY, memory_limit=needed).iter_sample(2, rng=1)),
        lambda: ScoreSampler(pairs, needed).shuffled(2, np.random.default_rng(1)),
    )
    for call in calls:
        call()
        assert peak_of(call) < needed + 10_000_000  # beside the subjects, a few fixed arrays
    with pytest.raises(km.errors.NotSupportedError, match="the limit is 11.5 MB"):
        list(km.fiber(MANY, memory_limit=needed - 1).iter_sample(rng=1))
    with pytest.raises(
        km.errors.NotSupportedError, match="2e.04 single subjects would take 11.5 MB of memory; the limit"
    ):
        km.exact_test(pairs, method="monte-carlo", n_draws=5, memory_limit=needed - 1)


def test_a_walk_stays_within_the_memory_that_is_required_of_it():
    """The refusal one byte below the amount states the amount, and the walk that is allowed holds less."""
    table = MANY.select(range(4))
    needed = 8 * table.n_subjects * (3 * 4 + 4 + 1 + 3)  # ratings, contacts, factors, and the grouping of the result
    with pytest.raises(km.errors.NotSupportedError, match="3.2 MB of memory; the limit is 3.2 MB .memory_limit."):
        km.fiber(table, memory_limit=needed - 1).walk(20, weights="linear", thin=20)

    def walk():
        km.fiber(table, memory_limit=needed).walk(20, weights="linear", thin=20, rng=1)

    walk()
    assert peak_of(walk) < needed + 500_000


def test_a_record_of_a_walk_that_does_not_fit_into_memory_is_refused():
    """The number of recorded values is known before the first step."""
    fiber = km.fiber(km.example("rapallo2022"))
    with pytest.raises(km.errors.NotSupportedError, match="record of the walk would take 960 GB .* A larger `thin`"):
        fiber.walk(10**10)
    with pytest.raises(km.errors.NotSupportedError, match="record of the walk would take 2.24 GB"):
        fiber.walk(10**7, keep_tables=True)


def test_counting_by_hand_takes_no_longer_for_a_million_subjects():
    """A fiber of one table is listed; a fiber of many tables with many states is refused."""
    assert km.fiber(km.Table([[1, 1, 1]], [10**18], (1, 2), ordered=True)).count() == 1
    many = km.from_counts(np.full((2, 2), 10**8))
    with pytest.raises(
        km.errors.NotSupportedError, match=r"counting these tables would take .* additions; the limit is 1e\+12"
    ):
        km.fiber(many, memory_limit=1e30).count()


def peak_of(call):
    """Return the largest number of bytes that Python and numpy hold during a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
