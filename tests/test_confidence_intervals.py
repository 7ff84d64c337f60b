"""Adjusted intervals are the usual ones after pseudo-subjects are added, and cover close to their level."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln
from scipy.stats import norm
from scipy.stats import t as student

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.confidence_intervals import (
    MOST_ADJUSTED,
    PseudoSubjects,
    adjusted_interval,
    adjusted_intervals_at,
    smallest_value,
)
from kappamax.disagreement.evaluator import Evaluator, Totals
from kappamax.exact_interval import exact_interval
from kappamax.standard_errors import derivatives_at, pattern_slopes, standard_errors_at

LEVEL = 0.95


def by_hand(counts, n_pseudo):
    """Return the interval of unweighted kappa of a 2 x 2 table after pseudo-subjects are spread over its cells."""
    p = (np.array(counts, dtype=float) + n_pseudo / 4) / (np.sum(counts) + n_pseudo)
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, expected = np.trace(p), rows @ columns
    kappa = (observed - expected) / (1 - expected)
    # Fleiss, Cohen and Everitt (1969)
    a = sum(p[i, i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in range(2))
    b = (1 - kappa) ** 2 * sum(p[i, j] * (columns[i] + rows[j]) ** 2 for i in range(2) for j in range(2) if i != j)
    c = (kappa - expected * (1 - kappa)) ** 2
    reach = norm.ppf(0.975) * np.sqrt((a + b - c) / (np.sum(counts) + n_pseudo)) / (1 - expected)
    return kappa - reach, kappa + reach


@pytest.mark.parametrize("counts", [[[20, 5], [10, 15]], [[30, 2], [1, 3]], [[3, 7], [6, 4]]])
def test_two_by_two_tables_get_about_one_subject_per_cell(counts):
    """The squared normal quantile, 3.84 for 95 %, is spread over the four cells, and the usual formula is applied."""
    assert km.kappa(km.from_counts(counts)).ci == pytest.approx(by_hand(counts, norm.ppf(0.975) ** 2), rel=1e-12)


@pytest.mark.parametrize(("level", "reach"), [(0.8, 1.2816), (0.99, 2.5758)])
def test_the_number_of_pseudo_subjects_follows_the_level(level, reach):
    """A higher level has more pseudo-subjects and a wider interval."""
    table = km.from_counts([[20, 5], [10, 15]])
    assert norm.ppf((1 + level) / 2) == pytest.approx(reach, abs=1e-4)
    inner, outer = km.kappa(table, level=level - 0.05).ci, km.kappa(table, level=level).ci
    assert outer[0] < inner[0] < inner[1] < outer[1]


WEIGHTS = ["unweighted", "linear", "quadratic", "sqrt"]
COEFFICIENTS = ["kappa", "fleiss", "gwet", "brennan-prediger", "krippendorff", "percent"]


def objective_of(draw_ratings, coefficient, weights):
    """Return an objective, or None where the coefficient is undefined."""
    k, ratings = draw_ratings
    try:
        table = km.from_ratings(ratings, categories=list(range(1, k + 1)))
        found = as_objective(table, weights=weights, **coefficient)
        found.value(found.score)
    except km.errors.KappamaxError:
        return None
    return found


@st.composite
def ratings(draw):
    """Return the number of categories and ratings of some subjects, some of them missing."""
    k, r, n = draw(st.integers(2, 4)), draw(st.integers(2, 4)), draw(st.integers(2, 12))
    values = draw(st.lists(st.lists(st.integers(0, k), min_size=r, max_size=r), min_size=n, max_size=n))
    found = np.array(values, dtype=float)
    if draw(st.booleans()):
        found[found == 0] = 1
    return k, np.where(found == 0, np.nan, found)


KINDS = [({"coefficient": name}, weights) for name, weights in product(COEFFICIENTS, WEIGHTS)]
KINDS += [({"coefficient": "conger", "group_size": 3}, "unweighted"), ({"coefficient": "krippendorff"}, "ordinal")]
KINDS += [({"coefficient": "kappa"}, "by pair")]


@given(ratings(), st.sampled_from(KINDS))
def test_pseudo_subjects_are_summed_as_if_their_patterns_were_listed(drawn, kind):
    """Totals, and mean and variance of the slopes, equal those over all patterns of every set of raters."""
    coefficient, weights = kind
    k, n_raters = drawn[0], drawn[1].shape[1]
    if weights == "by pair":
        rng = np.random.default_rng(k)
        matrices = [np.where(np.eye(k), 0, rng.integers(1, 9, (k, k))) for _ in range(comb(n_raters, 2))]
        pairs = [(str(a + 1), str(b + 1)) for a in range(n_raters) for b in range(a + 1, n_raters)]
        weights = {
            pair: km.Weights.from_matrix(own, kind="disagreement") for pair, own in zip(pairs, matrices, strict=True)
        }
    objective = objective_of(drawn, coefficient, weights)
    if objective is None:
        return
    evaluator, unanimous = Evaluator(objective), 0.3
    pseudo = PseudoSubjects(evaluator, unanimous)
    patterns, shares = [], []
    for raters, share in zip(pseudo.sets, pseudo.shares, strict=True):
        for codes in product(range(k), repeat=int(raters.sum())):
            pattern = np.full(n_raters, -1)
            pattern[raters > 0] = codes
            patterns.append(pattern)
            alike = unanimous / k if len(set(codes)) == 1 else 0
            shares.append(share * ((1 - unanimous) / k ** len(codes) + alike))
    patterns, shares = np.array(patterns, dtype=objective.table.patterns.dtype), np.array(shares)
    listed = evaluator.features(patterns)
    assert shares.sum() == pytest.approx(1)
    if not objective.varying_weights:
        assert pseudo.totals.score == pytest.approx(shares @ listed.disagreements, rel=1e-9, abs=1e-12)
    assert pseudo.totals.units == pytest.approx(shares @ listed.units)
    own, more = evaluator.totals(), pseudo.totals
    totals = evaluator.rescored(Totals(*(one + 2 * other for one, other in zip(own, more, strict=True))))
    derivatives = derivatives_at(evaluator, totals)
    slopes = pattern_slopes(evaluator, totals, derivatives, patterns)
    mean, variance = pseudo.slope_moments(derivatives, totals)
    assert mean == pytest.approx(shares @ slopes, rel=1e-9, abs=1e-9)
    assert variance == pytest.approx(shares @ (slopes - mean) ** 2, rel=1e-9, abs=1e-12)


@given(ratings(), st.sampled_from(KINDS[:-1]))
def test_intervals_contain_the_estimate_and_stay_in_the_range(drawn, kind):
    """No limit is beyond 1 or below the smallest value of the coefficient, and there is an interval for every table."""
    objective = objective_of(drawn, *kind)
    if objective is None:
        return
    low, high = adjusted_interval(objective, LEVEL)
    estimate = objective.value(objective.score)
    assert smallest_value(objective) - 1e-12 <= low <= estimate <= high <= 1  # the estimate may be smaller by rounding
    assert low < high


@given(ratings(), st.sampled_from(KINDS[:-1]))
def test_rows_of_counts_have_the_intervals_of_their_tables(drawn, kind):
    """Many tables at once give the limits of one table at a time."""
    objective = objective_of(drawn, *kind)
    if objective is None:
        return
    table = objective.table
    low, high, _ = adjusted_intervals_at(objective, np.stack([table.counts, 3 * table.counts]), LEVEL)
    assert (low[0], high[0]) == pytest.approx(adjusted_interval(objective, LEVEL), abs=1e-9)
    assert high[1] - low[1] < high[0] - low[0]


def test_perfect_agreement_has_an_interval():
    """Twenty subjects without disagreement do not exclude a kappa of 0.7; two hundred do."""
    few, many = (km.kappa(km.from_counts([[n, 0], [0, n]])) for n in (10, 100))
    assert few.se == 0
    assert few.ci[0] < 0.7 < many.ci[0]
    assert few.ci[1] == many.ci[1] == 1
    assert "does not mean certainty: see the interval" in few.notes[0]


def test_one_subject_has_a_wide_interval():
    """Nothing is known from one subject, and the normal interval does not exist."""
    low, high = km.kappa([1], [2]).ci
    assert high - low > 1.5
    assert km.kappa([1], [2], interval="normal").ci is None


def test_the_old_formula_is_available_by_name():
    """The interval "normal" is the value -+ 1.96 se, cut off at 1."""
    table = km.from_counts([[20, 5], [10, 15]])
    found = km.kappa(table, interval="normal")
    assert found.ci_method == "normal"
    assert found.ci == pytest.approx((found.value - 1.959964 * found.se, found.value + 1.959964 * found.se), abs=1e-6)
    three = km.from_ratings([[1, 1, 2], [2, 2, 2], [1, 2, 1], [2, 1, 2]])
    other = km.kappa(three, interval="normal")
    assert other.ci[0] == pytest.approx(other.value - student.ppf(0.975, 3) * other.se)
    assert km.kappa(three).ci_method == "adjusted"


def test_a_method_for_the_standard_error_gives_its_own_interval():
    """Only `interval="adjusted"` combines another standard error with the adjusted interval."""
    table = km.from_counts([[20, 5], [10, 15]])
    assert km.agreement(table, method="jackknife").ci_method == "normal"
    both = km.agreement(table, method="jackknife", interval="adjusted")
    assert (both.ci_method, both.ci) == ("adjusted", km.kappa(table).ci)


def test_very_many_patterns_have_the_interval_of_the_formula():
    """The rule is stated by the number of different patterns."""
    rng = np.random.default_rng(1)
    ratings = rng.integers(0, 10, size=(MOST_ADJUSTED + 2_000, 8))
    assert km.kappa(km.from_ratings(ratings)).ci_method == "normal"
    assert km.kappa(km.from_ratings(ratings[:2_000])).ci_method == "adjusted"


def test_an_unknown_interval_is_refused():
    """The error lists the intervals."""
    with pytest.raises(km.errors.InvalidOptionError, match="interval must be one of 'auto', 'adj"):
        km.kappa([1, 2], [1, 2], interval="wilson")


def test_the_exact_interval_is_for_two_by_two_tables():
    """It is the interval of `exact_interval`, and other tables are refused with what to use instead."""
    found = km.kappa(km.from_counts([[9, 2], [1, 8]]), interval="exact")
    assert found.ci_method == "exact"
    assert found.ci == exact_interval([[9, 2], [1, 8]])
    for other in (km.from_counts([[1, 2, 0], [0, 3, 1], [1, 0, 4]]), km.from_ratings([[1, 2], [2, None], [1, 1]])):
        with pytest.raises(km.errors.NotSupportedError, match="use the interval 'adjusted'"):
            km.kappa(other, interval="exact")
    with pytest.raises(km.errors.NotSupportedError, match="use the interval 'adjusted'"):
        km.agreement(km.from_counts([[9, 2], [1, 8]]), coefficient="gwet", interval="exact")
    with pytest.raises(km.errors.NotSupportedError, match="100 subjects"):
        km.kappa(km.from_counts([[90, 2], [1, 80]]), interval="exact")


def test_adjusted_and_normal_intervals_agree_for_large_samples():
    """A few pseudo-subjects among a million do not matter."""
    table = km.from_counts([[200_000, 50_000, 1_000], [100_000, 150_000, 5_000], [2_000, 3_000, 489_000]])
    for weights in WEIGHTS:
        adjusted, normal = (km.kappa(table, weights=weights, interval=name).ci for name in ("adjusted", "normal"))
        assert adjusted == pytest.approx(normal, abs=5e-6)


def test_the_smallest_values():
    """Published and simple extremes: quadratic Brennan-Prediger for three categories reaches -2."""
    pair = km.from_counts([[0, 0, 5], [0, 0, 0], [5, 0, 0]])
    assert smallest_value(as_objective(pair, coefficient="brennan-prediger", weights="quadratic")) == pytest.approx(-2)
    assert km.agreement(pair, coefficient="brennan-prediger", weights="quadratic").value == pytest.approx(-2)
    assert km.kappa(pair, weights="quadratic").value == pytest.approx(-1)
    assert smallest_value(as_objective(pair, weights="quadratic")) == -1
    three = km.from_ratings([[1, 1, 2], [1, 2, 1], [2, 1, 1]])
    assert km.agreement(three, coefficient="fleiss").value == pytest.approx(-0.5)
    assert smallest_value(as_objective(three, coefficient="fleiss")) == -0.5
    assert smallest_value(as_objective(three, coefficient="brennan-prediger")) == pytest.approx(1 - (2 / 3) / (1 / 2))
    assert smallest_value(as_objective(three, coefficient="percent")) == 0


def test_missing_ratings_allow_smaller_values():
    """Kappa of two raters is -2 if a subject with one rating lowers the expected disagreement."""
    table = km.from_ratings([[1, 2], [2, None], [2, None]])
    assert km.kappa(table).value == pytest.approx(-2)
    assert smallest_value(as_objective(table)) == -np.inf
    assert km.kappa(table).ci[0] <= -2


def test_weights_of_another_type_have_no_known_smallest_value():
    """With u13 = u23 = 0 the value can be arbitrarily small, so the lower limit is not cut off."""
    weights = km.Weights.from_matrix([[0, 1, 0], [1, 0, 0], [0, 0, 0]], kind="disagreement")
    table = km.from_counts([[0, 1, 0], [0, 0, 0], [0, 0, 99]])
    objective = as_objective(table, weights=weights)
    assert objective.value(objective.score) == pytest.approx(-99)
    assert smallest_value(objective) == -np.inf
    assert km.kappa(table, weights=weights).ci[0] <= -99


# coverage of 2 x 2 tables by enumeration


def two_by_two(n):
    """Return all 2 x 2 tables of n subjects, shape (m, 4), as an objective with one row of counts per table."""
    a, b, c = np.indices((n + 1, n + 1, n + 1)).reshape(3, -1)
    d = n - a - b - c
    counts = np.stack([a, b, c, d], axis=1)[d >= 0]
    return as_objective(km.from_counts([[1, 1], [1, 1]])), counts


def cells(prevalence, other, kappa):
    """Return the probabilities of the cells, or None if the margins do not allow this kappa."""
    expected = prevalence * (1 - other) + other * (1 - prevalence)
    apart = (1 - kappa) * expected
    first, second = (apart + prevalence - other) / 2, (apart - prevalence + other) / 2
    p = np.array([prevalence - first, first, second, 1 - prevalence - second])
    return p if (p > -1e-12).all() else None


def coverages(n, limits):
    """Return the coverage over a grid of populations, given defined kappas, by enumeration of all tables."""
    objective, counts = two_by_two(n)
    low, high = limits(objective, counts)
    defined = np.isfinite(low)
    ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1)
    found = []
    pairs = [(p, p) for p in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)] + [(0.5, 0.3), (0.8, 0.6), (0.95, 0.9), (0.7, 0.2)]
    for prevalence, other in pairs:
        for kappa in (-0.4, -0.2, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98):
            p = cells(prevalence, other, kappa)
            if p is None:
                continue
            logs = np.log(np.maximum(p, 1e-300))
            chance = np.exp(ways + (counts * logs).sum(axis=1))[defined]
            found.append(chance[((low <= kappa) & (kappa <= high))[defined]].sum() / chance.sum())
    return np.array(found)


def adjusted(objective, counts):
    return adjusted_intervals_at(objective, counts, LEVEL)[:2]


@pytest.mark.parametrize("n", [20, 30, pytest.param(50, marks=pytest.mark.slow)])
def test_adjusted_intervals_cover_two_by_two_tables(n):
    """Over 118 populations, coverage is 95 % on average and never below 92 %."""
    found = coverages(n, adjusted)
    assert len(found) == 118
    assert found.mean() >= 0.95
    assert found.min() >= 0.92


def test_a_narrower_interval_would_not_cover():
    """The check fails for intervals that are a tenth narrower, and for the usual formula."""

    def narrower(objective, counts):
        low, high = adjusted(objective, counts)
        return low + (high - low) / 20, high - (high - low) / 20

    def usual(objective, counts):
        p = [
            km.kappa(km.from_counts(row.reshape(2, 2)), interval="normal").ci if defined(row) else (np.nan,) * 2
            for row in counts
        ]
        return np.array(p).T

    def defined(row):
        return row[0] + row[1] + row[2] > 0 and row[1] + row[2] + row[3] > 0

    assert coverages(20, narrower).min() < 0.92
    assert coverages(10, usual).min() < 0.1


@pytest.mark.slow
@pytest.mark.parametrize(("n_raters", "k", "weights"), [(2, 5, "quadratic"), (3, 3, "unweighted"), (5, 3, "linear")])
def test_adjusted_intervals_cover_larger_tables(n_raters, k, weights):
    """Coverage over several populations and sizes is 94 % on average and nowhere poor."""
    codes = np.array(list(product(range(k), repeat=n_raters)))
    objective = as_objective(km.from_ratings(codes + 1), weights=weights)
    evaluator, rng, n_draws = Evaluator(objective), np.random.default_rng(1), 2000
    found = []
    for shares in (np.full(k, 1 / k), 3.0 ** -np.arange(k) / (3.0 ** -np.arange(k)).sum()):
        for kappa in (0.0, 0.4, 0.8, 0.95):
            p = (1 - kappa) * shares[codes].prod(axis=1)
            p[(codes == codes[:, :1]).all(axis=1)] += kappa * shares
            for n in (10, 20, 50):
                counts = rng.multinomial(n, p, size=n_draws)
                defined = np.isfinite(evaluator.value_of(evaluator.totals(counts)))
                low, high, _ = adjusted_intervals_at(objective, counts[defined], LEVEL)
                found.append(((low <= kappa) & (kappa <= high)).mean())
    error = np.sqrt(0.94 * 0.06 / (n_draws * len(found)))
    assert np.mean(found) >= 0.94 - 3 * error
    assert np.min(found) >= 0.87 - 3 * np.sqrt(0.87 * 0.13 / n_draws)


@pytest.mark.parametrize(
    ("n", "prevalence", "kappa", "coverage", "of_all"),
    [
        (30, 0.9, 0.8, 0.621, 0.607),
        (20, 0.9, 0.6, 0.591, 0.559),
        (40, 0.9, 0.6, 0.820, 0.818),
        (81, 0.6, 0.857, 0.915, 0.915),
    ],
)
def test_the_usual_interval_covers_as_rarely_as_the_page_says(n, prevalence, kappa, coverage, of_all):
    """The figures of docs/intervals.md, by enumeration of all tables, without undefined studies and with all."""
    objective, counts = two_by_two(n)
    evaluator = Evaluator(objective)
    values, errors = evaluator.value_of(evaluator.totals(counts)), standard_errors_at(objective, counts)
    logs = (counts * np.log(cells(prevalence, prevalence, kappa))).sum(axis=1)
    chance = np.exp(gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) + logs)
    covered = chance[np.abs(values - kappa) <= norm.ppf(0.975) * errors].sum()
    assert covered / chance[np.isfinite(values)].sum() == pytest.approx(coverage, abs=5e-4)
    assert covered == pytest.approx(of_all, abs=5e-4)
