"""Standard errors and comparisons with missing ratings agree with simulations and the jackknife."""

from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given

import kappamax as km
from kappamax.coefficients import COEFFICIENTS, as_objective
from kappamax.disagreement.evaluator import Evaluator
from kappamax.errors import InvalidRatingsError, UndefinedKappaError
from kappamax.standard_errors import slopes, standard_errors_at
from tests.support.strategies import scheme_names, tables

POOLED = ["fleiss", "gwet", "brennan-prediger", "krippendorff", "percent"]


def population(n_raters, n_categories, *, copied, missing):
    """Return a table of expected counts in which raters find a uniform true category with probability `copied`.

    Otherwise they choose a category at random. Ratings are missing at random with probability `missing`.
    """
    codes = np.array(list(product(range(-1, n_categories), repeat=n_raters)))
    truths = np.arange(n_categories)[:, None, None]
    given = (1 - missing) * (copied * (codes == truths) + (1 - copied) / n_categories)
    shares = np.where(codes < 0, missing, given).prod(axis=2).mean(axis=0)
    rated = (codes >= 0).any(axis=1)
    return km.Table(codes[rated], np.rint(shares[rated] * 1e12).astype(int), range(n_categories), ordered=True)


def assert_variances_agree(values, variances):
    """Assert that the mean estimated variance equals the variance of the values within four Monte Carlo errors."""
    n = len(values)
    deviations = values - values.mean()
    empirical = (deviations**2).mean()
    error = sqrt(((deviations**4).mean() - empirical**2) / n + variances.var() / n)
    assert abs(variances.mean() - empirical) < 4 * error


def simulated(objective, n_subjects, n_samples, seed):
    """Return the counts of simulated samples and their coefficients, all of which are defined."""
    table = objective.table
    counts = np.random.default_rng(seed).multinomial(n_subjects, table.counts / table.n_subjects, size=n_samples)
    evaluator = Evaluator(objective)
    values = evaluator.value_of(evaluator.totals(counts))
    assert np.isfinite(values).all()
    return counts, values


@pytest.mark.parametrize("weights", ["unweighted", "linear"])
@pytest.mark.parametrize("coefficient", ["kappa", *POOLED])
@pytest.mark.parametrize(("n_raters", "copied", "missing"), [(2, 0.96, 0.25), (3, 0.8, 0.5), (4, 0.7, 0.3)])
def test_standard_errors_with_missing_ratings_measure_how_much_the_coefficient_varies(
    n_raters, copied, missing, coefficient, weights
):
    """The mean squared standard error of simulated samples equals the variance of the coefficient."""
    table = population(n_raters, 3, copied=copied, missing=missing)
    objective = as_objective(table, weights=weights, coefficient=coefficient)
    counts, values = simulated(objective, 200, 1000, seed=n_raters)
    assert_variances_agree(values, standard_errors_at(objective, counts) ** 2)


def test_a_standard_error_twice_too_large_is_noticed():
    """The assertion fails for Gwet's standard errors, and for variances that are wrong by a factor of 1.5."""
    objective = as_objective(population(2, 3, copied=0.96, missing=0.25))
    counts, values = simulated(objective, 200, 1000, seed=2)
    variances = standard_errors_at(objective, counts) ** 2
    for factor in (1.5, 1 / 1.5):
        with pytest.raises(AssertionError):
            assert_variances_agree(values, factor * variances)
    gradient = slopes(objective, gwet=True, counts=counts.astype(float))
    with pytest.raises(AssertionError):
        assert_variances_agree(values, (counts * gradient**2).sum(axis=1))


@pytest.mark.parametrize("coefficient", ["kappa", *POOLED])
def test_the_jackknife_gives_the_same_standard_error(coefficient):
    """With 300 subjects and 30% of the ratings missing, the two standard errors differ by less than 3%."""
    table = population(3, 3, copied=0.8, missing=0.3)
    counts = np.random.default_rng(1).multinomial(300, table.counts / table.n_subjects)
    sample = km.Table(table.patterns, counts, table.categories, ordered=True)
    delta = km.agreement(sample, coefficient=coefficient, weights="linear")
    jackknife = km.agreement(sample, coefficient=coefficient, weights="linear", method="jackknife")
    assert (delta.se_method, jackknife.se_method) == ("delta", "jackknife")
    assert delta.se == pytest.approx(jackknife.se, rel=0.03)
    assert delta.ci == pytest.approx(jackknife.ci, abs=0.1 * delta.se)


def test_full_agreement_with_single_ratings_shows_no_variation():
    """With 20 pairs that agree and 10 single ratings, agreement does not vary, so the standard error is 0."""
    pairs = [[i % 3, i % 3] for i in range(20)]
    result = km.kappa(km.from_ratings([*pairs, *([i % 3, None] for i in range(10))]))
    assert (result.value, result.se, result.se_method) == (1, 0, "delta")
    assert any("does not mean certainty" in note for note in result.notes)


@pytest.mark.parametrize("coefficient", sorted(set(COEFFICIENTS) - {"cohen"}))
@given(table=tables(min_raters=2, max_raters=4), name=scheme_names)
def test_delta_is_gwets_without_missing_ratings(coefficient, table, name):
    """The two methods differ only in the share of subjects with two or more ratings, which is 1 here."""
    assume(table.n_subjects > 1)
    try:
        delta, gwet, auto = (
            km.standard_error(table, weights=name, coefficient=coefficient, method=method)
            for method in ("delta", "gwet", "auto")
        )
    except UndefinedKappaError:
        assume(False)
    assert delta.se == pytest.approx(gwet.se, rel=1e-9, abs=1e-9)
    assert (delta.df, auto.method, auto.se, auto.df) == (gwet.df, "gwet", gwet.se, gwet.df)


@pytest.mark.parametrize("coefficient", ["brennan-prediger", "krippendorff", "percent"])
@given(table=tables(missing=True), name=scheme_names)
def test_subjects_rated_once_change_nothing_where_chance_does_not_depend_on_them(coefficient, table, name):
    """A million single ratings change neither the standard error nor the degrees of freedom."""
    more = km.Table(
        [*table.patterns.tolist(), [0] + [-1] * (table.n_raters - 1)],
        [*table.counts.tolist(), 10**6],
        table.categories,
        ordered=True,
    )
    try:
        first, second = (
            km.standard_error(one, weights=name, coefficient=coefficient, method="delta") for one in (table, more)
        )
    except (UndefinedKappaError, InvalidRatingsError):
        assume(False)
    assert first.df == second.df
    assert (first.se is None) == (second.se is None)
    if first.se is not None:
        assert second.se == pytest.approx(first.se, rel=1e-6, abs=1e-9)


def test_delta_by_hand():
    """Of four subjects with two ratings, 3 agree, so se = sqrt(3/16 / 3), and Student's t has 3 degrees of freedom."""
    result = km.agreement([1, 2, 1, 1, 1, None], [1, 2, 1, 2, None, 2], coefficient="percent", interval="normal")
    assert (result.value, result.se) == pytest.approx((0.75, 0.25))
    assert result.ci == (pytest.approx(0.75 - 3.182446 * 0.25, abs=1e-6), 1)


def test_one_subject_to_compare_has_no_standard_error():
    """Subjects with a single rating give no standard error."""
    result = km.agreement([1, 1, 2, 2], [2, None, None, None], coefficient="percent", interval="normal")
    assert (result.se, result.ci) == (None, None)
    assert km.standard_error([1, 1, 2, 2], [2, None, None, None], coefficient="percent", method="jackknife").se is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"coefficient": "krippendorff"}, {"coefficient": "fleiss"}),
        ({"coefficient": "krippendorff"}, {"coefficient": "conger"}),
        ({"coefficient": "gwet"}, {"coefficient": "percent"}),
        ({"weights": "linear"}, {"weights": "quadratic"}),
        ({"raters": ["1", "2"]}, {"raters": ["1", "3"]}),
        ({"raters": ["1", "2"], "coefficient": "krippendorff"}, {"raters": ["2", "3"], "coefficient": "fleiss"}),
    ],
)
def test_comparisons_with_missing_ratings_agree_with_the_jackknife_of_the_difference(first, second):
    """The standard errors of the difference agree for 300 subjects with 30% of the ratings missing."""
    table = population(3, 3, copied=0.8, missing=0.3)
    counts = np.random.default_rng(1).multinomial(300, table.counts / table.n_subjects)
    sample = km.Table(table.patterns, counts, table.categories, ordered=True)

    def value(one, spec):
        chosen = dict(spec)
        raters = chosen.pop("raters", one.raters)
        return km.agreement(one.select([one.rater_index(rater) for rater in raters]), **chosen).value

    compared = km.compare(sample, first=first, second=second)
    jackknife = km.jackknife(sample, statistic=lambda one: value(one, first) - value(one, second))
    assert compared.difference == pytest.approx(jackknife.value)
    assert compared.se == pytest.approx(jackknife.se, rel=0.05)


def test_the_standard_error_of_a_difference_measures_how_much_it_varies():
    """Alpha and Fleiss' kappa are compared in 300 simulated samples with 30% of the ratings missing."""
    table = population(3, 3, copied=0.8, missing=0.3)
    generator = np.random.default_rng(4)
    found = []
    for counts in generator.multinomial(100, table.counts / table.n_subjects, size=300):
        sample = km.Table(table.patterns, counts, table.categories, ordered=True)
        found.append(km.compare(sample, first={"coefficient": "krippendorff"}, second={"coefficient": "fleiss"}))
    assert_variances_agree(np.array([c.difference for c in found]), np.array([c.se for c in found]) ** 2)


def test_the_smaller_sample_gives_a_comparison_its_degrees_of_freedom():
    """Raters 1 and 2 share 40 subjects and raters 1 and 3 share 4, so Student's t has 3 degrees of freedom."""
    ratings = [[i % 2, i % 2 if i % 5 else 1 - i % 2, None if i >= 4 else (i // 2) % 2] for i in range(40)]
    compared = km.compare(km.from_ratings(ratings), first={"raters": ["1", "2"]}, second={"raters": ["1", "3"]})
    assert compared.n_subjects == 40
    assert compared.ci[1] - compared.difference == pytest.approx(3.182446 * compared.se, rel=1e-6)


def test_the_null_standard_error_gives_no_interval():
    """The null standard error holds only if kappa is 0."""
    with pytest.raises(
        km.errors.NotSupportedError, match=r"gives no confidence interval; use method 'auto' or 'jackknife'"
    ):
        km.agreement(km.example("cohen1968"), method="null")
