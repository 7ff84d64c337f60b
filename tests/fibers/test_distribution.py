"""Distributions over fibers agree with listing, with scipy and with the paper."""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom, random_table

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.fibers import counting, enumeration, table_scores
from kappamax.fibers.counting import all_patterns
from kappamax.fibers.distribution import mean_score
from kappamax.fibers.enumeration import iter_tables
from kappamax.fibers.table_scores import TableScores
from tests.support.small_fibers import SCHEMES, chance_of, small_tables
from tests.support.strategies import examples, matrices


def listed(table, *weights):
    """Return the distribution found by listing, {scores: [number of tables, probability]}."""
    found = defaultdict(lambda: [0, Fraction(0)])
    for member in km.fiber(table).tables():
        scores = tuple(as_objective(member, weights=one).score for one in weights)
        found[scores][0] += 1
        found[scores][1] += chance_of(member)
    return dict(found)


@settings(max_examples=examples(150))
@given(small_tables, st.sampled_from(SCHEMES))
def test_the_distribution_agrees_with_listing(table, scheme):
    """Scores, numbers of tables and probabilities agree for two and three raters."""
    expected = listed(table, scheme)
    found = km.fiber(table).distribution(scheme)
    assert {(score,): n for score, n in zip(found.scores, found.n_tables, strict=True)} == {
        score: n for score, (n, _) in expected.items()
    }
    chances = [float(expected[score,][1]) for score in found.scores]
    np.testing.assert_allclose(found.probabilities, chances, rtol=1e-13)
    assert (np.diff(found.values) > 0).all()
    assert found.value in found.values
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-12)


@settings(max_examples=examples(60))
@given(st.data())
def test_any_whole_matrix_has_a_distribution(data):
    """Reducing and encoding costs is correct for arbitrary weights, including asymmetric ones and weights per pair."""
    table = data.draw(small_tables)
    weights = data.draw(matrices(table.n_categories))
    if table.n_raters == 3:
        weights = {pair: data.draw(matrices(table.n_categories)) for pair in ((0, 1), (0, 2), (1, 2))}
    expected = listed(table, weights)
    found = km.fiber(table).distribution(weights)
    assert dict(zip(found.scores, found.n_tables, strict=True)) == {score: n for (score,), (n, _) in expected.items()}


@settings(max_examples=examples(60))
@given(small_tables, st.sampled_from(list(product(SCHEMES, SCHEMES))))
def test_the_joint_distribution_agrees_with_listing(table, pair):
    """Both agree even if one score is determined by the other and is omitted from the count."""
    expected = listed(table, *pair)
    first, second = (as_objective(table, weights=one) for one in pair)
    found = km.fiber(table).joint_distribution(*pair)
    by_value = {(first.value(a), second.value(b)): each for (a, b), each in expected.items()}
    assert {tuple(row): n for row, n in zip(found.values.tolist(), found.n_tables, strict=True)} == {
        values: n for values, (n, _) in by_value.items()
    }
    for (value, n, low, high), (start, group) in zip(found.ranges(), sorted(_grouped(by_value).items()), strict=True):
        assert value == start
        assert n == sum(size for _, size in group)
        assert (low, high) == (min(group)[0], max(group)[0])


def _grouped(by_value):
    groups = defaultdict(list)
    for (a, b), (n, _) in by_value.items():
        groups[a].append((b, n))
    return groups


@settings(max_examples=examples(60))
@given(small_tables, st.sampled_from(list(product(SCHEMES, SCHEMES))))
def test_tables_with_the_same_kappa_agree_with_listing(table, pair):
    """Their number, the range of the other kappa and the numbers of tables at its ends agree."""
    own, other = (as_objective(table, weights=one) for one in pair)
    expected = {b: n for (a, b), (n, _) in listed(table, *pair).items() if a == own.score}
    found = km.fiber(table).same_kappa(pair[0], other=pair[1])
    assert found.n_tables == sum(expected.values())
    assert found == km.fiber(table).same_kappa(pair[0], other=[pair[1]])
    assert km.fiber(table).same_kappa(pair[0]).n_tables == found.n_tables
    (spread,) = found.other
    assert (spread.minimum, spread.n_at_minimum) == (other.value(max(expected)), expected[max(expected)])
    assert (spread.maximum, spread.n_at_maximum) == (other.value(min(expected)), expected[min(expected)])


def test_the_example_of_the_paper():
    """1,654 tables share the observed linear kappa, of which 4 and 15 attain the extremes of quadratic kappa.

    The paper counts 1,527, and 3 and 3 (figure 3), because sums of |i - j| / 3 in doubles differ between tables with
    the same kappa. The range of quadratic kappa is as printed.
    """
    found = km.fiber(km.example("rapallo2022")).same_kappa("linear", other=["quadratic", "sqrt"])
    assert found.value == pytest.approx(0.5023, abs=5e-5)
    assert found.n_tables == 1654
    quadratic, sqrt = found.other
    assert (quadratic.minimum, quadratic.maximum) == pytest.approx((0.3774, 0.7406), abs=5e-5)
    assert (quadratic.n_at_minimum, quadratic.n_at_maximum) == (4, 15)
    assert sqrt.minimum <= 0.4520 <= sqrt.maximum


@pytest.mark.slow
def test_the_papers_count_is_a_rounding_artefact():
    """Sums in extended precision, rounded and compared with == as in R, give 1,527 tables, and 3 and 3."""
    if np.finfo(np.longdouble).nmant < 63:
        pytest.skip("extended precision is the same as double here")
    table = km.example("rapallo2022")
    patterns = all_patterns(table.margins)
    distance = np.abs(patterns[:, 0] - patterns[:, 1])
    observed = table.dense().ravel()

    def rounded(counts, weights=distance / 3):
        return float(np.cumsum((weights * counts).astype(np.longdouble))[-1])

    tied = [counts for counts in iter_tables(table.margins, patterns) if counts @ distance == observed @ distance]
    kept = [counts for counts in tied if rounded(counts) == rounded(observed)]
    squares = [rounded(counts, distance**2 / 9) for counts in kept]
    assert (len(tied), len(kept)) == (1654, 1527)
    assert (squares.count(max(squares)), squares.count(min(squares))) == (3, 3)


def test_the_example_of_the_paper_with_three_raters():
    """2,324 tables share linear kappa 0.4872, and quadratic kappa ranges from 0.3364 to 0.6313 over them."""
    found = km.fiber(km.example("rapallo2022-three")).same_kappa("linear", other="quadratic")
    assert found.value == pytest.approx(0.4872, abs=5e-5)
    assert found.n_tables == 2324
    (quadratic,) = found.other
    assert (quadratic.minimum, quadratic.maximum) == pytest.approx((0.3364, 0.6313), abs=5e-5)


@pytest.mark.slow
def test_the_range_is_that_of_max_kappa():
    """The ends of the distribution are the proven minimum and maximum, and the count of maximisers is the last one."""
    table = km.example("rapallo2022")
    for weights in ("unweighted", "linear", "quadratic", "sqrt"):
        found = km.fiber(table).distribution(weights)
        best = km.max_kappa(table, weights=weights)
        assert (found.values[0], found.values[-1]) == (best.minimum, best.maximum)
        assert found.n_tables[-1] == km.maximum.count_maximizers(table, weights=weights).n
        assert sum(found.n_tables) == km.fiber(table).count() == 644_850


def test_two_by_two_is_the_hypergeometric_distribution():
    """The top left cell has the distribution of scipy's hypergeom, and kappa increases with it."""
    table = km.from_counts([[7, 3], [2, 8]])
    found = km.fiber(table).distribution()
    np.testing.assert_allclose(found.probabilities, hypergeom(20, 10, 9).pmf(np.arange(10)), rtol=1e-13)


def test_probabilities_match_scipys_random_table():
    """The probability of every table of a 3 x 3 fiber is that of scipy's probability mass function."""
    table = km.from_counts([[2, 1, 0], [1, 2, 1], [0, 0, 3]])
    expected = defaultdict(float)
    for member in km.fiber(table).tables():
        mass = random_table(*(row.tolist() for row in table.margins)).pmf(member.dense())
        expected[km.kappa(member, weights="quadratic").value] += mass
    found = km.fiber(table).distribution("quadratic")
    np.testing.assert_allclose(found.probabilities, [expected[value] for value in found.values], rtol=1e-12)


def test_the_mean_of_kappa_under_the_null_distribution_is_zero():
    """For complete ratings the expected disagreement is the mean disagreement over all arrangements."""
    for name in ("rapallo2022", "rapallo2022-three"):
        for weights in ("unweighted", "linear", "quadratic"):
            objective = as_objective(km.example(name), weights=weights)
            assert objective.value(mean_score(objective)) == 0
            found = km.fiber(km.example(name)).distribution(weights)
            assert found.probabilities @ found.values == pytest.approx(0, abs=1e-15)


def test_many_subjects_neither_overflow_nor_underflow():
    """1,200 subjects have 10^358 arrangements; probabilities above 1e-250 agree with scipy's hypergeom."""
    found = km.fiber(km.from_counts([[450, 150], [100, 500]])).distribution()
    expected = hypergeom(1200, 600, 550).pmf(np.arange(551))
    seen = expected > 1e-250
    np.testing.assert_allclose(found.probabilities[seen], expected[seen], rtol=1e-9)
    assert found.probabilities[~seen].max() < 1e-249
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-12)


def test_few_tables_with_many_states_are_listed(monkeypatch):
    """Listing gives the same numbers as counting, and a fiber with too many tables is refused."""
    fiber = km.fiber(km.from_counts([[9, 3, 1], [2, 10, 2], [0, 4, 4]]))
    counted = fiber.distribution("quadratic").n_tables
    fiber.memory_limit = 100_000
    assert fiber.distribution("quadratic").n_tables == counted
    monkeypatch.setattr(enumeration, "LISTED_TABLES", 10)
    with pytest.raises(km.errors.NotSupportedError, match="counting tables by score would take .* the limit is 100 kB"):
        fiber.distribution("quadratic")


@settings(max_examples=examples(60))
@given(small_tables, st.sampled_from([*SCHEMES, "ratio", "bipolar"]))
def test_listed_tables_have_the_numbers_of_counted_ones(table, weights):
    """Scores, numbers of tables and probabilities agree, also for two weightings together."""
    fiber = km.fiber(table)
    found = fiber.distribution(weights), fiber.joint_distribution("linear", weights), fiber.same_kappa(weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_scores, "_WORTH_LISTING", 0)
        assert TableScores([as_objective(table, weights=weights)], 1e9)._lists(n_tables=True)
        again = fiber.distribution(weights), fiber.joint_distribution("linear", weights), fiber.same_kappa(weights)
    assert again[0].scores == found[0].scores
    assert again[2] == found[2]
    for one, other in zip(again[:2], found[:2], strict=True):
        assert one.n_tables == other.n_tables
        np.testing.assert_allclose(one.probabilities, other.probabilities, rtol=1e-12)


@settings(max_examples=examples(60))
@given(small_tables)
def test_a_fiber_has_at_least_as_many_tables_as_the_lower_bound(table):
    """The lower bound does not exceed the number of tables, and listing stops at its limit."""
    n_tables = km.fiber(table).count()
    patterns = all_patterns(table.margins)
    assert 1 <= enumeration.fewest_tables(table) <= n_tables
    assert len(enumeration.few_tables(table, patterns)) == n_tables
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enumeration, "LISTED_TABLES", n_tables - 1)
        assert enumeration.few_tables(table, patterns) is None


@pytest.mark.parametrize("weights", ["ratio", "bipolar", "power(9.5)"])
def test_huge_scores_of_few_tables_have_a_distribution(weights):
    """A fiber of some thousand tables is listed if its totals would take terabytes."""
    table = km.from_counts(np.diag([2] * 5))
    found = km.fiber(table).distribution(weights)
    assert sum(found.n_tables) == km.fiber(table).count() == 6210
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert found.pvalue() == pytest.approx(1 / (factorial(10) / 2**5), rel=1e-12)  # all agree
    assert km.exact_test(table, weights=weights).pvalue == pytest.approx(found.pvalue(), rel=1e-12)
    drawn = km.exact_test(table, weights=weights, alternative="less", method="monte-carlo", n_draws=100, rng=1)
    assert drawn.pvalue == pytest.approx(km.exact_test(table, weights=weights, alternative="less").pvalue) == 1


@pytest.mark.parametrize("many", [10**6, 10**12, 10**17])
def test_few_tables_of_any_number_of_subjects(many):
    """The probability that 3 ratings of one rater meet some of 4 of the other is 1 - C(N - 4, 3) / C(N, 3)."""
    table = km.from_counts([[many, 3], [2, 1]])
    n = table.n_subjects
    expected = 1 - Fraction((n - 4) * (n - 5) * (n - 6), n * (n - 1) * (n - 2))
    test = km.exact_test(table, weights="linear")
    assert test.method == "exact"
    assert test.pvalue == pytest.approx(float(expected), rel=1e-12)
    assert km.fiber(table).distribution("ratio").n_tables == (1, 1, 1, 1)


def test_residues_give_the_same_distribution(monkeypatch):
    """Counting by score modulo several numbers gives the same numbers of tables."""
    table = km.example("rapallo2022")
    plain = km.fiber(table).distribution("linear").n_tables
    monkeypatch.setattr(counting, "_BITS", 14)
    assert km.fiber(table).distribution("linear").n_tables == plain


def test_progress_runs_from_start_to_end(monkeypatch):
    """Progress is complete even if several residues are counted."""
    seen = []
    monkeypatch.setattr(counting, "_BITS", 14)
    km.fiber(km.example("rapallo2022")).count(progress=lambda done, total, _message: seen.append(done / total))
    assert seen == sorted(seen)
    assert seen[-1] == 1


def test_a_fiber_of_one_table():
    """A fiber of one table has one value with probability one, and kappa is still defined."""
    found = km.fiber(km.from_counts([[3, 2], [0, 0]])).distribution()
    assert (found.values.tolist(), found.n_tables, found.probabilities.tolist()) == ([0.0], (1,), [1.0])
    assert found.pvalue() == 1


def test_what_cannot_be_counted_is_refused():
    """Missing ratings and weights that are not exact are refused."""
    gaps = km.fiber(km.example("gwet2014"))
    for ask in (gaps.count, gaps.distribution, lambda: next(gaps.tables())):
        with pytest.raises(km.errors.NotSupportedError, match="needs complete ratings, but 7 ratings are missing"):
            ask()
    with pytest.raises(km.errors.NotSupportedError, match=r"power\(0.3\) weights are not exact numbers"):
        km.fiber(km.example("rapallo2022")).distribution("power(0.3)")


def test_results_have_a_printed_form_and_convert_to_plain_data():
    """The printed forms contain the counts, and the plain data contain the values."""
    found = km.fiber(km.example("rapallo2022")).distribution("linear")
    assert "tables with the observed value  1,654" in repr(found)
    plain = found.to_dict()
    assert plain["n_tables"] == 644_850
    assert plain["distribution"][-1] == {
        "value": found.values[-1],
        "n_tables": 5,
        "probability": found.probabilities[-1],
    }
    assert "Fiber of Table(33 subjects" in repr(km.fiber(km.example("rapallo2022")))
