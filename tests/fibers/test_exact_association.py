"""The exact conditional association agrees with Fisher's odds ratio and with enumeration, and keeps its level."""

from fractions import Fraction
from itertools import combinations, pairwise, permutations
from math import comb, exp, fsum, inf, isinf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact
from scipy.stats.contingency import odds_ratio

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.errors import InvalidOptionError, NotSupportedError, UndefinedKappaError
from kappamax.fibers import log_probabilities, score_tilting
from kappamax.fibers.log_probabilities import log_probabilities as log_probabilities_of
from kappamax.fibers.null_distribution import null_distribution
from tests.support.small_fibers import SCHEMES, chance_of, small_tables
from tests.support.strategies import NEARLY_FLAT, examples, matrices, tables

ALTERNATIVES = ["greater", "less", "two-sided"]
FIBERS = {
    "2 x 2": km.from_counts([[3, 2], [2, 4]]),
    "2 x 2, skewed": km.from_counts([[7, 1], [2, 1]]),
    "3 x 3": km.from_counts([[2, 1, 0], [0, 2, 1], [1, 0, 1]]),
    "3 x 3, one rare": km.from_counts([[4, 1, 0], [1, 3, 0], [0, 1, 1]]),
    "three raters": km.from_ratings([[1, 1, 2], [1, 2, 2], [2, 2, 1], [2, 1, 1], [1, 1, 1]]),
    "three raters, three categories": km.from_ratings([[1, 1, 1], [2, 2, 3], [3, 2, 3], [1, 3, 2]]),
}


@st.composite
def few_subjects(draw):
    """Draw the ratings of three to six subjects by two or three raters, in two or three categories."""
    r, k, n = draw(st.integers(2, 3)), draw(st.integers(2, 3)), draw(st.integers(3, 6))
    codes = draw(st.lists(st.lists(st.integers(0, k - 1), min_size=r, max_size=r), min_size=n, max_size=n))
    return km.Table(codes, [1] * n, tuple(range(1, k + 1)), ordered=True)


def agreement_of(table, weights):
    """Return the sum over subjects of the mean agreement 1 - u of the pairs of raters, by loops."""
    pairs = list(combinations(range(table.n_raters), 2))
    total = []
    for codes, count in zip(table.patterns.tolist(), table.counts.tolist(), strict=True):
        total += [count * (1 - weights.matrix[codes[a], codes[b]]) / len(pairs) for a, b in pairs]
    return fsum(total)


def listed(table, weights):
    """Return the tables of the fiber, their total agreement (equal up to rounding if tied) and null probability."""
    members = list(km.fiber(table).tables())
    scores = [round(agreement_of(one, weights), 9) for one in members]
    return members, np.array(scores), np.array([float(chance_of(one)) for one in members])


def tilted(scores, chances, theta):
    """Return the probabilities of the tables at a theta."""
    weights = chances * np.exp(theta * (scores - scores.mean()))
    return weights / weights.sum()


def named(table, scheme):
    return km.Weights.from_scheme(scheme, table.n_categories)


def test_fisher_test_of_r():
    """R 4's fisher.test(matrix(c(3, 6, 7, 4), 2)) prints 0.305415 and the interval 0.03005364 to 2.46429183.

    R finds these roots by `uniroot`, whose default tolerance is .Machine$double.eps^0.25 = 1.2e-4 in the odds ratio or
    its reciprocal. Ours are the roots: the tails are 0.025, in exact arithmetic, while those at R's limits are 0.02501
    and 0.02500007.
    """
    found = km.exact_association(km.from_counts([[3, 7], [6, 4]]), alternative="two-sided", two_sided="probability")
    tolerance = np.finfo(float).eps ** 0.25
    low, high = found.odds_ratio_ci
    assert found.odds_ratio == pytest.approx(0.305415, abs=tolerance)
    assert low == pytest.approx(0.03005364, abs=tolerance)
    assert 1 / high == pytest.approx(1 / 2.46429183, abs=tolerance)
    assert found.odds_ratio == pytest.approx(exp(2 * found.theta), rel=1e-14)
    assert found.odds_ratio_ci == pytest.approx([exp(2 * limit) for limit in found.ci], rel=1e-14)

    def chances(ratio):
        weights = [comb(10, x) * comb(10, 9 - x) * Fraction(ratio) ** x for x in range(10)]
        return [weight / sum(weights) for weight in weights]

    assert float(sum(chances(low)[3:])) == pytest.approx(0.025, rel=1e-12)
    assert float(sum(chances(high)[:4])) == pytest.approx(0.025, rel=1e-12)
    assert float(sum(x * p for x, p in enumerate(chances(found.odds_ratio)))) == pytest.approx(3, rel=1e-12)
    assert float(sum(chances(0.03005364)[3:])) == pytest.approx(0.02501, abs=1e-6)
    assert found.pvalue == pytest.approx(fisher_exact([[3, 7], [6, 4]]).pvalue, rel=1e-12)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.integers(0, 25), min_size=4, max_size=4), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_two_by_two_tables_agree_with_scipy(cells, level):
    """Estimate and interval of scipy's conditional odds ratio, also with zero cells, and the tests of Fisher."""
    counts = np.array(cells).reshape(2, 2)
    assume(counts.sum(axis=0).all() and counts.sum(axis=1).all())
    found = km.exact_association(km.from_counts(counts), level=level)
    theirs = odds_ratio(counts, kind="conditional")
    low, high = theirs.confidence_interval(level)
    assert found.odds_ratio == pytest.approx(theirs.statistic, rel=1e-6)
    assert found.odds_ratio_ci == (pytest.approx(low, rel=1e-6), pytest.approx(high, rel=1e-6))
    assert found.pvalue == pytest.approx(fisher_exact(counts, alternative="greater").pvalue, rel=1e-9)


@pytest.mark.parametrize("counts", [[[1000, 200], [250, 1000]], [[4000, 2], [1, 3]], [[5000, 4000], [3000, 6000]]])
def test_large_two_by_two_tables_agree_with_scipy(counts):
    """Probabilities far below the range of doubles are handled."""
    found, theirs = km.exact_association(km.from_counts(counts)), odds_ratio(counts, kind="conditional")
    assert found.odds_ratio == pytest.approx(theirs.statistic, rel=1e-8)
    assert found.odds_ratio_ci == pytest.approx(list(theirs.confidence_interval(0.95)), rel=1e-8)


@settings(max_examples=examples(120), deadline=None)
@given(small_tables, st.data(), st.sampled_from([0.5, 0.95]))
def test_estimate_and_interval_solve_their_equations(table, data, level):
    """At theta the mean agreement is the observed one, and at the limits the tails are (1 - level) / 2."""
    schemes = st.sampled_from([*SCHEMES, "power(0.3)"]).map(lambda scheme: named(table, scheme))
    weights = data.draw(st.one_of(schemes, matrices(table.n_categories)))
    _, scores, chances = listed(table, weights)
    own = round(agreement_of(table, weights), 9)
    assert own in scores
    if len(set(scores)) == 1:
        with pytest.raises(UndefinedKappaError, match="theta is not identified, because all tables"):
            km.exact_association(table, weights=weights)
        return
    found = km.exact_association(table, weights=weights, level=level)
    assert found.end == ("largest" if own == max(scores) else "smallest" if own == min(scores) else None)
    assert isinf(found.theta) == (found.end is not None)
    values = np.array([km.kappa(one, weights=weights).value for one in km.fiber(table).tables()])
    if found.end is None:
        mean = tilted(scores, chances, found.theta) @ scores
        assert mean == pytest.approx(own, abs=1e-7)
        assert tilted(scores, chances, found.theta) @ values == pytest.approx(found.value, abs=1e-7)
    else:
        assert found.theta == (inf if found.end == "largest" else -inf)
    for limit, value, chosen, end in zip(
        found.ci, found.value_ci, (scores >= own, scores <= own), ("smallest", "largest"), strict=True
    ):
        assert isinf(limit) == (found.end == end)
        if isinf(limit):
            assert value == pytest.approx(values.max() if limit > 0 else values.min(), abs=1e-12)
        else:
            shares = tilted(scores, chances, limit)
            assert shares[chosen].sum() == pytest.approx((1 - level) / 2, rel=1e-6)
            assert shares @ values == pytest.approx(value, abs=1e-7)


@settings(max_examples=examples(100), deadline=None)
@given(small_tables, st.sampled_from(SCHEMES), st.sampled_from(ALTERNATIVES), st.booleans())
def test_the_test_of_zero_is_the_exact_test(table, weights, alternative, by_probability):
    """With theta = 0 under the null hypothesis, p-values are those of `exact_test`, by every definition."""
    options = {"alternative": alternative}
    if by_probability and alternative == "two-sided":
        options["two_sided"] = "probability"
    expected = km.exact_test(table, weights=weights, **options).pvalue
    try:
        found = km.exact_association(table, weights=weights, **options)
    except UndefinedKappaError:
        assert expected == pytest.approx(1)
    else:
        assert found.pvalue == pytest.approx(expected, rel=1e-9)


@settings(max_examples=examples(60), deadline=None)
@given(few_subjects(), st.sampled_from(["linear", "sqrt", "power(0.3)"]), st.floats(-3, 3), st.booleans())
def test_pvalues_at_any_theta_agree_with_enumeration(table, scheme, null, mid_p):
    """All alternatives and definitions, with the observed agreement counted whole or half."""
    weights = named(table, scheme)
    _, scores, chances = listed(table, weights)
    own = round(agreement_of(table, weights), 9)
    if len(set(scores)) == 1:
        with pytest.raises(UndefinedKappaError):
            km.exact_association(table, weights=weights)
        return
    shares = tilted(scores, chances, null)
    by_score = {score: shares[scores == score].sum() for score in set(scores)}
    mean = shares @ scores
    near = 1e-7
    half = by_score[own] / 2 if mid_p else 0
    greater = sum(p for score, p in by_score.items() if score >= own) - half
    less = sum(p for score, p in by_score.items() if score <= own) - half
    expected = {
        ("greater", "distance"): greater,
        ("less", "distance"): less,
        ("two-sided", "tails"): min(1, 2 * min(greater, less)),
    }
    distances = {score: abs(score - mean) - abs(own - mean) for score in by_score}
    if all(score == own or abs(distance) > near for score, distance in distances.items()):
        chosen = [p for score, p in by_score.items() if distances[score] > 0 or score == own]
        expected["two-sided", "distance"] = sum(chosen) - half
    if all(score == own or abs(p / by_score[own] - 1) > 1e-5 for score, p in by_score.items()):
        expected["two-sided", "probability"] = sum(p for p in by_score.values() if p <= by_score[own]) - half
    for (alternative, two_sided), pvalue in expected.items():
        found = km.exact_association(
            table, weights=weights, null=null, alternative=alternative, two_sided=two_sided, mid_p=mid_p
        )
        assert found.pvalue == pytest.approx(pvalue, rel=1e-6, abs=1e-12), (alternative, two_sided)


def one_table_per_score(table, weights):
    """Return one table of the fiber for each total agreement, in increasing order, and the null probabilities."""
    members, scores, chances = listed(table, weights)
    distinct = sorted(set(scores))
    chosen = [members[int(np.flatnonzero(scores == score)[0])] for score in distinct]
    return (
        chosen,
        np.array([agreement_of(one, weights) for one in chosen]),
        np.array([chances[scores == score].sum() for score in distinct]),
    )


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic", "sqrt", "power(0.3)"])
@pytest.mark.parametrize("name", FIBERS)
def test_the_interval_covers_every_theta_at_least_as_often_as_it_claims(name, weights):
    """The exact coverage, summed over all tables with these margins, is never below the level.

    The coverage jumps at the ends of the intervals, so theta takes values just beside each of them.
    """
    table = FIBERS[name]
    chosen, scores, chances = one_table_per_score(table, named(table, weights))
    for level in (0.5, 0.9, 0.95):
        intervals = [km.exact_association(one, weights=weights, level=level).ci for one in chosen]
        ends = [end for interval in intervals for end in interval if not isinf(end)]
        beside = [end + step for end in ends for step in (-1e-7, 1e-7)]
        for theta in [*np.linspace(-8, 8, 65), *beside]:
            covers = np.array([low <= theta <= high for low, high in intervals])
            assert tilted(scores, chances, theta)[covers].sum() >= level - 1e-11


@pytest.mark.parametrize("weights", ["unweighted", "linear", "sqrt"])
@pytest.mark.parametrize("name", FIBERS)
def test_estimates_and_limits_increase_with_agreement(name, weights):
    """A table with more agreement has a larger estimate and larger limits, and infinity only at the ends."""
    table = FIBERS[name]
    chosen, _, _ = one_table_per_score(table, named(table, weights))
    found = [km.exact_association(one, weights=weights) for one in chosen]
    for one, other in pairwise(found):
        assert one.theta < other.theta
        assert one.ci[0] < other.ci[0]
        assert one.ci[1] < other.ci[1]
        assert one.value_ci[0] < other.value_ci[0]
    assert [one.end for one in found] == ["smallest", *[None] * (len(found) - 2), "largest"]


@pytest.mark.parametrize("two_sided", [None, *score_tilting.TWO_SIDED])
@pytest.mark.parametrize("name", FIBERS)
def test_the_test_keeps_its_level(name, two_sided):
    """Under the null hypothesis a p-value of at most p has probability at most p, for every attained p."""
    table = FIBERS[name]
    chosen, scores, chances = one_table_per_score(table, named(table, "linear"))
    options = {} if two_sided is None else {"alternative": "two-sided", "two_sided": two_sided}
    for null in (-1.5, 0, 0.7):
        shares = tilted(scores, chances, null)
        found = [km.exact_association(one, weights="linear", null=null, **options).pvalue for one in chosen]
        for p in found:
            assert shares[np.array(found) <= p + 1e-12].sum() <= p + 1e-11


@pytest.mark.parametrize("name", FIBERS)
def test_the_test_by_tails_rejects_exactly_the_values_outside_the_interval(name):
    """Just inside the limits the p-value is above 1 - level, and just outside below, also with mid-p."""
    for mid_p in (False, True):
        found = km.exact_association(FIBERS[name], weights="linear", level=0.9, mid_p=mid_p)
        for limit, outward in zip(found.ci, (-1, 1), strict=True):
            for step in (-1e-6, 1e-6) if not isinf(limit) else ():
                test = km.exact_association(
                    *(FIBERS[name],),
                    weights="linear",
                    null=limit + step * outward,
                    alternative="two-sided",
                    two_sided="tails",
                    mid_p=mid_p,
                )
                assert (test.pvalue < 0.1) == (step > 0)


def test_mid_p_intervals_are_shorter():
    """They are contained in the exact interval, and infinite at the same ends."""
    for table in (km.from_counts([[3, 7], [6, 4]]), km.from_counts([[5, 0], [0, 5]])):
        whole, half = (km.exact_association(table, mid_p=mid_p) for mid_p in (False, True))
        assert whole.ci[0] < half.ci[0]
        assert half.ci[1] < whole.ci[1] or whole.ci[1] == half.ci[1] == inf
        assert (whole.theta, half.mid_p) == (half.theta, True)


def test_log_odds_ratios_of_adjacent_categories():
    """With quadratic weights all local odds ratios are exp(2 theta / (k - 1)^2): uniform association."""
    table, k = km.example("rapallo2022"), 4
    w = 1 - np.array(named(table, "quadratic").matrix)
    local = w[:-1, :-1] + w[1:, 1:] - w[:-1, 1:] - w[1:, :-1]
    assert local == pytest.approx(np.full((k - 1, k - 1), 2 / (k - 1) ** 2))
    linear = 1 - np.array(named(table, "linear").matrix)
    local = linear[:-1, :-1] + linear[1:, 1:] - linear[:-1, 1:] - linear[1:, :-1]
    assert local == pytest.approx(np.diag(np.full(k - 1, 2 / (k - 1))))


@settings(max_examples=examples(60), deadline=None)
@given(
    tables(max_raters=3, max_categories=3, max_rows=3, missing=True).filter(lambda table: table.n_subjects <= 5),
    st.sampled_from(["unweighted", "linear", "power(0.3)"]),
)
def test_missing_ratings_agree_with_all_rearrangements(table, scheme):
    """Each rater's ratings are rearranged over the subjects that this rater rated, all orders equally likely."""
    weights = named(table, scheme)
    try:
        found = km.exact_association(table, weights=weights, level=0.8)
    except UndefinedKappaError:
        return
    own = [tuple(row) for row in np.repeat(table.patterns, table.counts, axis=0).tolist()]

    def agreement(rows):
        total = 0.0
        for row in rows:
            pairs = list(combinations([code for code in row if code >= 0], 2))
            total += fsum(1 - weights.matrix[i, j] for i, j in pairs) / len(pairs) if pairs else 0
        return round(total, 9)

    members = [[]]
    for column in zip(*own, strict=True):
        rated = [e for e, code in enumerate(column) if code >= 0]
        orders = set(permutations([column[e] for e in rated]))
        places = [dict(zip(rated, order, strict=True)) for order in orders]
        members = [[*member, place] for member in members for place in places]
    scores = np.array(
        [agreement([tuple(place.get(e, -1) for place in member) for e in range(len(own))]) for member in members]
    )
    chances = np.full(len(scores), 1 / len(scores))
    observed = agreement(own)
    if not isinf(found.theta):
        assert tilted(scores, chances, found.theta) @ scores == pytest.approx(observed, abs=1e-7)
    for limit, chosen in zip(found.ci, (scores >= observed, scores <= observed), strict=True):
        if not isinf(limit):
            assert tilted(scores, chances, limit)[chosen].sum() == pytest.approx(0.1, rel=1e-6)


def test_weights_per_pair_of_raters():
    """The agreement of a pattern is the mean over the pairs, each with its own weights."""
    table = km.from_ratings([[1, 1, 2], [2, 3, 3], [1, 3, 2], [3, 2, 3], [1, 2, 1], [2, 2, 2]], raters=["a", "b", "c"])
    by_pair = {("a", "b"): "linear", ("a", "c"): "unweighted", ("b", "c"): "quadratic"}
    found = km.exact_association(table, weights=by_pair)
    columns = list(combinations(range(3), 2))
    matrices_by_pair = dict(zip(columns, [named(table, name).matrix for name in by_pair.values()], strict=True))
    members = list(km.fiber(table).tables())

    def agreement(one):
        pairs = [
            count * (1 - u[x[a], x[b]]) / 3
            for x, count in zip(one.patterns.tolist(), one.counts.tolist(), strict=True)
            for (a, b), u in matrices_by_pair.items()
        ]
        return fsum(pairs)

    scores = np.array([agreement(one) for one in members])
    own = scores[members.index(table)]
    chances = np.array([float(chance_of(one)) for one in members])
    assert tilted(scores, chances, found.theta) @ scores == pytest.approx(own, abs=1e-9)
    shares = tilted(scores, chances, found.ci[1])
    assert shares[scores <= own + 1e-9].sum() == pytest.approx(0.025, rel=1e-9)


def test_asymmetric_weights_change_the_exponent_of_the_odds_ratio():
    """The odds ratio is exp((u_12 + u_21) theta), and does not depend on the weights."""
    table = km.from_counts([[3, 7], [6, 4]])
    uneven = km.Weights.from_matrix([[0, 1], [Fraction(1, 4), 0]], kind="disagreement")
    plain, found = km.exact_association(table), km.exact_association(table, weights={(0, 1): uneven})
    assert found.odds_ratio == pytest.approx(plain.odds_ratio, rel=1e-12)
    assert found.odds_ratio_ci == pytest.approx(plain.odds_ratio_ci, rel=1e-12)
    assert found.theta == pytest.approx(plain.theta * 2 / 1.25, rel=1e-12)


@pytest.mark.parametrize("coefficient", ["fleiss", "gwet", "brennan-prediger", "krippendorff", "percent"])
def test_theta_does_not_depend_on_the_coefficient(coefficient):
    """On complete ratings all coefficients have the same theta; only the scale of the mean differs."""
    table = km.from_ratings([[1, 1, 2], [2, 3, 3], [1, 3, 2], [3, 2, 3], [1, 2, 1], [2, 2, 2]])
    kappa, other = (km.exact_association(table, weights="linear", coefficient=one) for one in ("kappa", coefficient))
    assert other.theta == pytest.approx(kappa.theta, rel=1e-12)
    assert other.ci == pytest.approx(kappa.ci, rel=1e-12)
    assert other.value == km.agreement(table, weights="linear", coefficient=coefficient).value
    assert other.value_ci[0] < other.value < other.value_ci[1]


def test_irrational_scores_that_nearly_tie_are_told_apart():
    """Ties are decided exactly for square roots, and within the tolerance for doubles."""
    table = km.from_counts([[2, 1, 1], [1, 2, 0], [0, 1, 2]])
    nearly, flat = (km.exact_association(table, weights=w) for w in (NEARLY_FLAT, "unweighted"))
    assert nearly.theta == pytest.approx(flat.theta, rel=1e-9)
    assert nearly.ci == pytest.approx(flat.ci, rel=1e-9)
    by_probability = {"alternative": "two-sided", "two_sided": "probability", "null": 0.3}
    assert km.exact_association(table, weights=NEARLY_FLAT, **by_probability).pvalue == pytest.approx(
        km.exact_association(table, weights="unweighted", **by_probability).pvalue, rel=1e-9
    )


@pytest.mark.parametrize("weights", ["unweighted", "linear", "sqrt"])
def test_both_ways_to_the_probabilities_agree(weights, monkeypatch):
    """Listing the tables gives the logarithms of the probabilities that the null distribution gives."""
    objective = as_objective(km.from_counts([[9, 2, 1], [3, 8, 2], [0, 4, 7]]), weights=weights)
    counted = log_probabilities_of(objective, memory_limit=1e9, work_limit=1e9)
    monkeypatch.setattr(log_probabilities, "_SAFE_BITS", 0)
    listed_ones = log_probabilities_of(objective, memory_limit=1e9, work_limit=1e9)
    order = np.lexsort(counted.rows.T.astype(float))
    again = np.lexsort(listed_ones.rows.T.astype(float))
    assert (counted.rows[order] == listed_ones.rows[again]).all()
    logs = listed_ones.logs - np.logaddexp.reduce(listed_ones.logs)
    assert logs[again] == pytest.approx(counted.logs[order], rel=1e-11)


def test_the_smallest_probability_below_the_limit_is_accurate():
    """With nearly 2^900 arrangements, the probability of the only table with the largest score is 1 / C(N, N/2)."""
    objective = as_objective(km.from_counts([[450, 0], [0, 450]]))
    null = null_distribution(objective, method="exact")
    best = int(np.argmax(null.values))
    assert null.probabilities[best] == pytest.approx(float(Fraction(1, comb(900, 450))), rel=1e-11)
    assert log_probabilities._arrangement_bits(objective.table) < log_probabilities._SAFE_BITS


def test_tables_of_a_trillion_subjects_of_whom_few_disagree():
    """The odds ratio of a fiber with eleven tables, against logarithms of exact binomial coefficients."""
    n = 10**12
    found = km.exact_association(km.from_counts([[n, 5], [7, 3]]))
    # the lower right cell x has weight C(10, x) C(n + 2, 8 - x), up to a constant
    weights = [comb(10, x) * comb(n + 2, 8 - x) for x in range(9)]

    def tail(ratio, chosen):
        terms = [weight * Fraction(ratio) ** x for x, weight in enumerate(weights)]
        return float(sum(terms[x] for x in chosen) / sum(terms))

    low, high = found.odds_ratio_ci
    assert tail(low, range(3, 9)) == pytest.approx(0.025, rel=1e-6)
    assert tail(high, range(4)) == pytest.approx(0.025, rel=1e-6)


def test_an_odds_ratio_is_given_for_two_raters_and_two_categories_only():
    """It is None for more raters and more categories."""
    assert km.exact_association(FIBERS["3 x 3"]).odds_ratio is None
    assert km.exact_association(FIBERS["three raters"]).odds_ratio_ci is None
    assert km.exact_association(FIBERS["2 x 2"]).odds_ratio is not None


def test_infinite_numbers_are_said_and_are_null_in_json():
    """The result says why theta is infinite; plain data has no infinite numbers."""
    best, worst = (km.exact_association(km.from_counts(c)) for c in ([[4, 0], [0, 3]], [[0, 4], [4, 0]]))
    assert (best.theta, best.ci[1], best.odds_ratio) == (inf, inf, inf)
    assert (worst.theta, worst.ci[0], worst.odds_ratio) == (-inf, -inf, 0)
    assert "theta is plus infinity, because the observed agreement is" in repr(best)
    assert worst.end_sentence == (
        "theta is minus infinity, because the observed agreement is the smallest that the margins allow"
    )
    plain = best.to_dict()
    assert (plain["theta"], plain["ci"][1], plain["odds_ratio"], plain["end"]) == (None, None, None, "largest")
    assert plain["ci"][0] == best.ci[0]
    assert worst.to_dict()["odds_ratio_ci"] == [0.0, worst.odds_ratio_ci[1]]


def test_margins_without_information():
    """If every table has the same agreement, theta is not identified; kappa may be defined or not."""
    with pytest.raises(UndefinedKappaError, match="theta is not identified, because all tables with these margins"):
        km.exact_association(km.from_counts([[3, 2], [0, 0]]))
    with pytest.raises(UndefinedKappaError, match="both raters used only 1"):
        km.exact_association(km.from_counts([[3, 0], [0, 0]]))
    with pytest.raises(UndefinedKappaError, match="theta is not identified"):
        km.exact_association([1], [2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1}, "level must lie between 0 and 1; got 1"),
        ({"work_limit": 0}, "work_limit must lie between 0 and inf; got 0"),
        ({"null": inf}, "null must be a finite number; got inf"),
        ({"alternative": "more"}, "alternative must be one of"),
        ({"two_sided": "tail", "alternative": "two-sided"}, "two_sided must be one of .* Did you mean 'tails'"),
        ({"two_sided": "tails"}, "two_sided='tails' needs alternative='two-sided'; got 'greater'"),
    ],
)
def test_options_are_checked(options, message):
    """Each error names the option and what is allowed."""
    with pytest.raises(InvalidOptionError, match=message):
        km.exact_association(FIBERS["2 x 2"], **options)


def test_what_is_too_large_is_refused():
    """The message names the limit and what has none."""
    ratings = np.random.default_rng(0).integers(1, 6, size=(60, 6))
    with pytest.raises(NotSupportedError, match="of memory; the limit is 1 MB"):
        km.exact_association(km.from_ratings(ratings[:40, :2]), weights="linear", memory_limit=1e6)
    with pytest.raises(NotSupportedError, match=r"more than 2\^900 arrangements .* more than 1,000,000 tables"):
        km.exact_association(km.from_counts([[10**12, 10**9], [10**9, 10**12]]))
    with pytest.raises(NotSupportedError, match=r"power\(0\.3\) weights are not exact .* more than 800,000 tables"):
        km.exact_association(km.from_ratings(ratings[:, :2]), weights="power(0.3)")
    gaps = [
        [None if (i + a) % 7 == 0 else code for a, code in enumerate(row)] for i, row in enumerate(ratings.tolist())
    ]
    with pytest.raises(NotSupportedError, match="so many arrangements of incomplete ratings"):
        km.exact_association(km.from_ratings(gaps), weights="power(0.3)")
    with pytest.raises(NotSupportedError, match=r"2\^900 arrangements .* incomplete ratings"):
        km.exact_association(km.from_ratings([*ratings[:, :2].tolist() * 10, [1, None]]))


def test_distributions_that_take_hours_are_refused():
    """The message names the limit, which can be changed."""
    rng = np.random.default_rng(0)
    ratings = rng.integers(1, 5, size=(100, 2)).tolist()
    gaps = km.from_ratings([[a if i % 9 else None, b if i % 11 else None] for i, (a, b) in enumerate(ratings)])
    with pytest.raises(NotSupportedError, match=r"additions; the limit is 2e\+10 \(work_limit\)"):
        km.exact_association(gaps, weights="quadratic", memory_limit=1e15)
    with pytest.raises(NotSupportedError, match=r"additions; the limit is 1e\+03 \(work_limit\)"):
        km.exact_association(km.example("rapallo2022"), weights="linear", work_limit=1000)


def test_coefficients_that_do_not_fit_are_refused():
    """Agreement of more than two raters at a time, and missing ratings that change the expected agreement."""
    gaps = km.from_ratings([[1, 1, 2], [2, 2, None], [1, None, 1], [2, 1, 2], [1, None, None]])
    for coefficient in ("fleiss", "gwet", "krippendorff"):
        with pytest.raises(NotSupportedError, match="Use coefficient 'kappa', 'brennan-prediger' or 'percent'"):
            km.exact_association(gaps, coefficient=coefficient)
    thetas = {round(km.exact_association(gaps, coefficient=c).theta, 12) for c in ("kappa", "percent")}
    assert len(thetas) == 1
    with pytest.raises(NotSupportedError, match="pairwise agreement; got 3 raters at a time"):
        km.exact_association(as_objective(FIBERS["three raters"], group_size=3))


def test_progress_is_reported():
    """The callback is told about the null distribution."""
    calls = []
    km.exact_association(
        km.example("rapallo2022"), weights="linear", progress=lambda done, total, message: calls.append(message)
    )
    assert set(calls) == {"null distribution"}
