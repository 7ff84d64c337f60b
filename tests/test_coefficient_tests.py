"""Coefficients are tested against a value, and against a range of values."""

from fractions import Fraction
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import kappamax as km
from benchmarks.value_test_levels import Setting
from tests.support.strategies import examples, tables


def test_value_test_by_hand():
    """The statistic is (kappa - value) / se, and the two-sided p-value is twice the smaller one-sided p-value."""
    t = km.from_counts([[20, 5], [10, 15]])
    se = km.kappa(t).se
    test = km.value_test(t, null=0.6, alternative="two-sided", method="estimate")
    assert test.statistic == pytest.approx((0.4 - 0.6) / se)
    assert test.method == "fleiss-cohen-everitt"
    less, greater, both = (
        km.value_test(t, null=0.6, alternative=which, method="null") for which in ("less", "greater", "two-sided")
    )
    assert both.pvalue == pytest.approx(2 * less.pvalue)
    assert less.pvalue + greater.pvalue == pytest.approx(1)
    assert both.method == "null"
    far = km.value_test(km.example("vision"), null=-1)
    assert 0 < far.pvalue < 1e-300 or far.pvalue == 0


def test_the_null_standard_error_of_two_by_two_tables_by_hand():
    """Margins 1/2, 1/2 and 3/5, 2/5 with kappa 1/5 leave one table, whose variance is computed cell by cell.

    The table is 0.35, 0.15; 0.25, 0.25: the sum of the diagonal is p_o = 0.5 + 0.2 * 0.5 = 0.6, and p_e = 0.5. The
    variance is that of Fleiss, Cohen and Everitt (1969), as the formula of Cohen's kappa in their eq. 13.
    """
    t = km.from_counts([[20, 5], [10, 15]])
    p = np.array([[0.35, 0.15], [0.25, 0.25]])
    rows, columns, observed, expected, kappa = p.sum(axis=1), p.sum(axis=0), 0.6, 0.5, 0.2
    first = sum(p[i, i] * ((1 - expected) - (columns[i] + rows[i]) * (1 - observed)) ** 2 for i in (0, 1))
    second = (1 - observed) ** 2 * sum(p[i, j] * (columns[i] + rows[j]) ** 2 for i, j in ((0, 1), (1, 0)))
    third = (observed * expected - 2 * expected + observed) ** 2
    variance = (first + second - third) / (50 * (1 - expected) ** 4)
    test = km.value_test(t, null=kappa, method="null")
    assert test.se == pytest.approx(sqrt(variance), rel=1e-12)
    assert test.statistic == pytest.approx((0.4 - kappa) / sqrt(variance), rel=1e-12)


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
def test_the_null_value_zero_has_the_classical_standard_error(weights):
    """It is that of Fleiss, Cohen and Everitt (1969) under independence, also in the limit of small null values."""
    t = km.from_counts([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    classical = km.standard_error(t, weights=weights, method="null").se
    assert km.value_test(t, weights=weights, method="null").se == classical
    assert km.value_test(t, weights=weights, method="auto", null=0).method == "simulation"
    assert km.value_test(t, weights=weights, null=1e-12, method="null").se == pytest.approx(classical, rel=1e-9)


@given(tables(max_raters=3, max_categories=3), st.sampled_from(["kappa", "fleiss", "gwet", "krippendorff", "percent"]))
@settings(max_examples=examples(60), deadline=None)
def test_the_null_table_has_the_observed_margins_and_the_null_value(table, coefficient):
    """At the observed value the null table is the observed one, so both standard errors agree up to N / (N - 1)."""
    options = {"coefficient": coefficient, "weights": "linear"}
    try:
        value = km.agreement(table, **options).value
    except km.errors.UndefinedKappaError:
        assume(False)
    at_value = km.value_test(table, null=value, method="null", **options)
    n = table.n_subjects
    assume(n > 1)
    delta = km.standard_error(table, method="delta", **options).se
    # the population of alpha has no small-sample term, so alpha's own value is that of another table
    if coefficient != "krippendorff":
        assert at_value.se * sqrt(n) == pytest.approx(delta * sqrt(n - 1), rel=1e-7, abs=1e-7)
    for null in (-0.3, 0.1, 0.5, 0.9):
        test = km.value_test(table, null=null, method="null", **options)
        assert test.se is not None
        assert (test.statistic is None) == (test.se == 0)
        assert test.statistic is not None or test.reason is not None


@given(tables(max_raters=3, max_categories=3))
@settings(max_examples=examples(40), deadline=None)
def test_tests_are_repeated_by_a_naive_search_for_the_null_table(table):
    """The standard error equals that at a mixture of the observed table and independence, built cell by cell."""
    try:
        value = km.kappa(table).value
    except km.errors.UndefinedKappaError:
        assume(False)
    assume(abs(value) > 0.01)
    null = value / 2
    k, r, n = table.n_categories, table.n_raters, table.n_subjects
    observed = table.dense() / n
    independent = np.ones((k,) * r)
    for rater, margin in enumerate(table.margins / n):
        independent = independent * margin.reshape([-1 if axis == rater else 1 for axis in range(r)])
    mixed = (observed + independent) / 2  # kappa is linear between tables with the same margins
    counts = np.round(mixed * 10**9).astype(int)
    population = km.Table(np.argwhere(counts), counts[counts > 0], table.categories, ordered=True)
    assert km.kappa(population).value == pytest.approx(null, abs=1e-6)
    large = km.standard_error(population, method="delta").se * sqrt(population.n_subjects)
    assert km.value_test(table, null=null, method="null").se == pytest.approx(large / sqrt(n), rel=1e-5, abs=1e-7)


def test_perfect_agreement_can_be_tested():
    """The estimated standard error is zero and says nothing; the one under the null value is not."""
    t = km.from_counts([[12, 0], [0, 18]])
    test = km.value_test(t, null=0.6)
    assert test.statistic > 2
    estimated = km.value_test(t, null=0.6, method="estimate")
    assert (estimated.se, estimated.statistic, estimated.pvalue) == (0, None, None)
    assert estimated.reason == "the standard error estimated from the ratings is zero, so there is no test statistic"


@pytest.mark.parametrize(("null", "which"), [(0.8, "largest"), (-0.9, "smallest")])
def test_a_null_value_that_the_margins_do_not_allow_uses_the_nearest_value(null, which):
    """The standard error is that of the table with the largest or smallest value, and the reason says so."""
    t = km.from_counts([[10, 2], [10, 8]])
    best = km.max_kappa(t)
    limit = best.maximum if which == "largest" else best.minimum
    test = km.value_test(t, null=null, alternative="two-sided", method="null")
    assert test.se == pytest.approx(km.value_test(t, null=limit, method="null").se, rel=1e-7)
    assert test.statistic == pytest.approx((test.value - null) / test.se)
    assert f"do not allow the value {null:g}" in test.reason
    assert f"the {which} value that they allow, {limit:.4f}" in test.reason


def test_the_null_value_one_has_no_statistic():
    """All studies with the true value 1 show it, so its standard error is zero."""
    test = km.value_test(km.from_counts([[10, 2], [2, 8]]), null=1, alternative="less")
    assert (test.se, test.statistic, test.pvalue) == (0, None, None)
    assert test.reason == "the standard error at a table with the null value is zero, so there is no test statistic"


def test_a_rater_with_one_category_has_no_test():
    """Only one value is possible with these margins, and its standard error is zero."""
    test = km.value_test([1, 1, 1, 1], [1, 2, 1, 2], null=0.2, method="null")
    assert (test.se, test.pvalue) == (0, None)
    assert test.reason.endswith("the largest value that they allow, 0.0000; it is zero, so there is no test statistic")


@pytest.mark.parametrize(
    ("table", "options", "obstacle"),
    [
        (km.example("gwet2014"), {}, "from ratings of which some are missing"),
        (
            km.from_ratings(np.random.default_rng(1).integers(0, 2, size=(20, 15))),
            {},
            r"at most 20,000 possible patterns; there are 2\^15",
        ),
        (
            km.from_ratings([[1, 1], [2, 3], [3, 3], [1, 2]]),
            {"coefficient": "krippendorff", "weights": "ordinal"},
            "weights depend on how often each category is used",
        ),
    ],
)
def test_where_no_null_table_is_available_the_adjusted_interval_is_inverted(table, options, obstacle):
    """`auto` says why, and `null` is refused."""
    test = km.value_test(table, null=0.3, **options)
    found = km.agreement(table, **options)
    at_limit = km.value_test(table, null=found.ci[0], alternative="two-sided", **options)
    assert at_limit.pvalue == pytest.approx(0.05, rel=1e-6)
    assert test.method == "adjusted"
    assert test.reason.startswith("no population with the null value is used: ")
    with pytest.raises(km.errors.NotSupportedError, match=f"method 'null' is not available: .*{obstacle}"):
        km.value_test(table, null=0.3, method="null", **options)


def test_many_categories_are_tested_against_zero():
    """The classical standard error of two raters needs no list of patterns."""
    codes = np.arange(400) % 200
    test = km.value_test(codes, np.roll(codes, 1), method="null")
    assert test.method == "null"
    assert test.se > 0


def test_huge_counts_are_tested():
    """A rare category of a table with 10^12 subjects is neither rounded away nor refused."""
    t = km.from_counts([[10**12, 3], [7, 2]])
    test = km.value_test(t, null=0.2)
    small = km.value_test(km.from_counts([[10**6, 3], [7, 2]]), null=0.2)
    assert test.se == pytest.approx(small.se, rel=1e-3)
    assert km.value_test(t).se == pytest.approx(km.standard_error(t, method="null").se)


def test_weights_per_pair_of_raters_are_tested():
    """The null table of a mapping of weights has the null value."""
    t = km.example("anxiety")
    weights = dict(zip(combinations(t.raters, 2), ("linear", "quadratic", "linear"), strict=True))
    for method in ("null", "simulation"):
        test = km.value_test(t, weights=weights, null=0.1, method=method)
        assert test.method == method
        assert test.se > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: km.value_test(t, null=1.5), "null must be at most 1, the largest value of a coefficient; got 1.5"),
        (lambda t: km.value_test(t, method="nul"), "Did you mean 'null'"),
        (lambda t: km.equivalence_test(t, low=0.5, high=0.5), "low must be below high; got 0.5 and 0.5"),
        (lambda t: km.equivalence_test(t, low=0.5, high=0.4), "low must be below high; got 0.5 and 0.4"),
        (lambda t: km.equivalence_test(t, low=0.5, high=60), "high must be at most 1, the largest value of a coeff"),
        (lambda t: km.equivalence_test(t, low="a", high=0.5), "low must be a finite number; got 'a'"),
        (lambda t: km.equivalence_test(t, low=0, high=float("inf")), "high must be a finite number; got inf"),
    ],
)
def test_values_that_have_no_meaning_are_refused(call, message):
    """The message names the argument and what is allowed."""
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        call(km.from_counts([[20, 5], [10, 15]]))


def test_an_equivalence_test_is_two_one_sided_tests():
    """Its p-value is the larger one, and the range may be given as fractions."""
    t = km.from_counts([[80, 10], [10, 100]])
    test = km.equivalence_test(t, low=Fraction(3, 5), high=0.9)
    rng = np.random.default_rng(0)
    above, below = km.value_test(t, null=0.6, rng=rng), km.value_test(t, null=0.9, alternative="less", rng=rng)
    assert (test.above.pvalue, test.below.pvalue) == (above.pvalue, below.pvalue)
    assert test.pvalue == max(above.pvalue, below.pvalue)
    assert "the coefficient lies between 0.6 and 0.9" in repr(test)
    outside = km.equivalence_test(t, low=0.85, high=0.9)
    assert outside.pvalue > 0.5
    undefined = km.equivalence_test(t, low=0.6, high=1)
    assert undefined.pvalue is None
    assert "the standard error at a table with the null value is zero" in repr(undefined)
    assert set(test.to_dict()) == {"value", "low", "high", "pvalue", "above", "below"}


@pytest.mark.parametrize(
    ("margins", "kappa", "null"), [([0.7, 0.3], 0.6, 0.4), ([0.5, 0.5], 0.95, 0.8), ([0.9, 0.1], 0.5, 0.2)]
)
def test_the_test_of_a_study_with_the_planned_margins_is_the_planned_test(margins, kappa, null):
    """Two raters and two categories: the null table is the planned one, and so is the critical value."""
    plan = km.sample_size(margins=margins, kappa=kappa, null=null, power=0.8, method=km.planning.Formula(n_draws=0))
    n = 10 * -(-plan.n_subjects // 10)
    first, second = round(n * margins[0]), round(n * margins[1])
    decisions = set()
    for apart in range(second + 1):
        t = km.from_counts([[first - apart, apart], [apart, second - apart]])
        test = km.value_test(t, null=null, method="null")
        assert test.se == pytest.approx(plan.null_sd / sqrt(n), rel=1e-7)
        critical = null + stats.norm.ppf(0.95) * plan.null_sd / sqrt(n)
        assert abs(test.value - critical) < 1e-9 or (test.pvalue < 0.05) == (test.value > critical)
        decisions.add(test.pvalue < 0.05)
    assert decisions == {True, False}
    assert plan.critical_value == pytest.approx(null + stats.norm.ppf(0.95) * plan.null_sd / sqrt(plan.n_subjects))


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"margins": [0.5, 0.5], "kappa": 0.6, "null": 0.4},
        {"margins": [0.7, 0.3], "kappa": 0.4, "null": 0.6, "alternative": "less"},
        {"margins": [1 / 3] * 3, "kappa": 0.6, "null": 0.4},
        {"margins": [0.3, 0.3, 0.4], "kappa": 0.6, "null": 0.4, "weights": "linear", "alternative": "two-sided"},
        {"margins": [0.6, 0.4], "kappa": 0.6, "null": 0.4, "n_raters": 3},
        {"margins": [0.6, 0.4], "kappa": 0.6, "null": 0.4, "n_raters": 3, "coefficient": "gwet"},
    ],
)
def test_the_power_of_the_test_is_the_planned_power(options):
    """They agree within four Monte Carlo errors and, as the margins are estimated, a term of order 1/sqrt(N)."""
    plan = km.sample_size(**options, power=0.8, rng=1)
    how = {name: options[name] for name in ("null", "weights", "coefficient", "alternative") if name in options}
    how |= {"method": "null"}
    share = rejected_share(plan.table, plan.n_subjects, 2000, how, seed=7)
    error = 4 * (0.8 * 0.2 / 2000) ** 0.5
    assert abs(share - plan.expected_power) < error + 0.2 / plan.n_subjects**0.5
    # the simulated studies of the plan use the planned standard error instead of an estimate
    assert abs(share - plan.studies.power) < error + 4 * plan.studies.power_se + 0.1 / plan.n_subjects**0.5


def rejected_share(table, n, n_draws, options, seed):
    """Return the share of simulated studies with n subjects that reject at the 5% level."""
    counts = np.random.default_rng(seed).multinomial(n, table.counts / table.n_subjects, size=n_draws)
    studies, times = np.unique(counts, axis=0, return_counts=True)
    rejected = 0
    for study, often in zip(studies, times.tolist(), strict=True):
        drawn = km.Table(table.patterns[study > 0], study[study > 0], table.categories, ordered=True)
        test = km.value_test(drawn, **options)
        rejected += often * (test.pvalue is not None and test.pvalue <= 0.05)
    return rejected / n_draws


@pytest.mark.slow
@pytest.mark.parametrize("kappa", [0.4, 0.8])
def test_an_equivalence_test_holds_its_level(kappa):
    """At each end of the range, at most 5% of the studies reject, within four Monte Carlo errors."""
    setting = Setting(2, 2, "unweighted", 0.5, kappa)
    n, n_studies = 100, 500
    rejected = 0
    for study in np.random.default_rng(3).multinomial(n, setting.shares, size=n_studies):
        options = {"low": 0.4, "high": 0.8, "n_draws": 999, "rng": 1}
        rejected += km.equivalence_test(km.from_counts(study.reshape(2, 2)), **options).pvalue <= 0.05
    assert rejected / n_studies < 0.05 + 4 * (0.05 * 0.95 / n_studies) ** 0.5
