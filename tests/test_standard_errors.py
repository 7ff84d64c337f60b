"""Standard errors and confidence intervals equal those of the published formulas."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given

import kappamax as km
from kappamax import standard_errors
from kappamax.coefficients import COEFFICIENTS, as_objective
from kappamax.disagreement import quadratic_forms
from kappamax.disagreement.evaluator import Evaluator
from kappamax.errors import UndefinedKappaError
from kappamax.standard_errors import slopes
from tests.support.strategies import scheme_names, tables

ALL = sorted(set(COEFFICIENTS) - {"cohen"})


@pytest.mark.parametrize("coefficient", ALL)
@given(table=tables(missing=True, max_rows=6), name=scheme_names)
def test_slopes_are_differences_in_the_limit(coefficient, table, name):
    """The derivatives by a complex step agree with central differences for the count of each pattern."""
    try:
        objective = as_objective(table, weights=name, coefficient=coefficient)
        objective.value(objective.score)
    except UndefinedKappaError:
        assume(False)
    h = 1e-5
    counts = table.counts + h * np.stack([np.eye(len(table.counts)), -np.eye(len(table.counts))])
    up, down = Evaluator(objective).value_of(Evaluator(objective).totals(counts))
    assert slopes(objective) == pytest.approx((up - down) / (2 * h), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("coefficient", ALL)
def test_slopes_of_many_categories_are_those_of_few_steps_at_a_time(coefficient, monkeypatch):
    """The derivatives do not depend on the size of the blocks or on the treatment of repeated rows."""
    ratings = np.random.default_rng(3).integers(0, 60, size=(200, 2))
    objective = as_objective(km.from_ratings(ratings), weights="quadratic", coefficient=coefficient)
    whole = slopes(objective)
    monkeypatch.setattr(standard_errors, "_MOST_STEPPED", 1_000)
    assert slopes(objective) == pytest.approx(whole, rel=1e-12)
    monkeypatch.setattr(quadratic_forms, "_NOT_COMPARED", 10**9)
    assert slopes(objective) == pytest.approx(whole, rel=1e-12)


@given(tables(max_raters=2), scheme_names)
def test_fleiss_cohen_everitt_by_their_formula(table, name):
    """Var = [sum p_ij (w_ij - (w_i. + w_.j)(1 - kappa))^2 - (kappa - p_e (1 - kappa))^2] / (N (1 - p_e)^2)."""
    try:
        result = km.kappa(table, weights=name)
    except UndefinedKappaError:
        assume(False)
    w = 1 - km.Weights.from_scheme(name, table.n_categories).matrix
    p = table.pair(0, 1) / table.n_subjects
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    bar = (w @ columns)[:, None] + (rows @ w)[None, :]
    chance = rows @ w @ columns
    kappa = result.value
    assume(table.n_subjects > 1)
    bracket = (p * (w - bar * (1 - kappa)) ** 2).sum() - (kappa - chance * (1 - kappa)) ** 2
    variance = max(0.0, bracket) / (table.n_subjects * (1 - chance) ** 2)
    assert result.se**2 == pytest.approx(variance, rel=1e-6, abs=1e-12)


@given(tables(min_raters=3, max_raters=4), scheme_names)
def test_gwets_variance_of_conger_by_its_formula(table, name):
    """The standard error equals that of Gwet's (2021) linearised values of the subjects for complete ratings."""
    assume(table.n_subjects > 1)
    try:
        result = km.kappa(table, weights=name)
    except UndefinedKappaError:
        assume(False)
    w = 1 - km.Weights.from_scheme(name, table.n_categories).matrix
    rows = np.repeat(table.patterns, table.counts, axis=0)
    n, r = rows.shape
    shares = table.margins / n
    pairs = [(a, b) for a in range(r) for b in range(r) if a != b]
    agree = np.mean([w[rows[:, a], rows[:, b]] for a, b in pairs], axis=0)
    chance = np.mean([shares[a] @ w @ shares[b] for a, b in pairs])
    own = np.mean([(w @ shares[b])[rows[:, a]] for a, b in pairs], axis=0)
    kappa = (agree.mean() - chance) / (1 - chance)
    values = (agree - chance) / (1 - chance) - 2 * (1 - kappa) * (own - chance) / (1 - chance)
    assert result.se == pytest.approx(sqrt(((values - kappa) ** 2).sum() / (n * (n - 1))), rel=1e-6, abs=1e-9)


def test_gwets_variance_with_missing_ratings():
    """The standard errors equal those of irrCAC 0.4.4 for its example with missing ratings."""
    table = km.example("gwet2014")
    published = {"unweighted": 0.14916815248, "linear": 0.145085402493, "quadratic": 0.143670663829}
    for name, se in published.items():
        assert km.standard_error(table, weights=name, method="gwet").se == pytest.approx(se, abs=1e-9)


def test_interval_by_hand():
    """Kappa is 0.4 and the normal quantile 1.959964; Gwet's interval uses Student's t with n - 1 degrees of freedom."""
    t = km.from_counts([[20, 5], [10, 15]])
    result = km.kappa(t, interval="normal")
    assert result.ci == pytest.approx((0.4 - 1.959964 * result.se, 0.4 + 1.959964 * result.se), abs=1e-6)
    gwet = km.agreement(t, method="gwet")
    assert gwet.se == pytest.approx(result.se * sqrt(50 / 49), rel=1e-12)
    assert gwet.ci[0] == pytest.approx(0.4 - 2.009575 * gwet.se, abs=1e-6)
    assert km.kappa(t, level=0.5, interval="normal").ci[0] == pytest.approx(0.4 - 0.674490 * result.se, abs=1e-6)


def test_no_interval_reaches_above_one():
    """The upper limit of the interval is at most 1."""
    t = km.from_counts([[30, 1], [0, 2]])
    assert km.kappa(t, interval="normal").ci[1] == km.kappa(t).ci[1] == 1


def test_perfect_agreement_has_zero_standard_error_and_no_test_by_it():
    """The standard error is 0, the normal interval is a point, and the test statistic is None."""
    t = km.from_counts([[3, 0], [0, 4]])
    result = km.kappa(t, interval="normal")
    assert (result.value, result.se, result.ci) == (1, 0, (1, 1))
    test = km.value_test(t, null=0.5, method="estimate")
    assert (test.statistic, test.pvalue) == (None, None)


def test_one_subject_has_no_standard_error_for_more_raters():
    """With N - 1 = 0, the standard error is None."""
    result = km.kappa([1], [2], [1], interval="normal")
    assert result.se is None
    assert result.ci is None
    assert "undefined" in repr(result)
    assert km.jackknife([1], [2], [1]).se is None


def test_methods_that_do_not_apply_are_refused():
    """Fleiss, Cohen and Everitt's formulas are for two raters and complete data."""
    with pytest.raises(km.errors.NotSupportedError, match="the null standard error is for Cohen's kappa of two raters"):
        km.standard_error(km.example("anxiety"), method="null")
    with pytest.raises(km.errors.NotSupportedError, match="fleiss-cohen-everitt"):
        km.standard_error(km.example("cohen1968"), coefficient="fleiss", method="fleiss-cohen-everitt")
    with pytest.raises(km.errors.InvalidOptionError, match="Did you mean 'gwet'"):
        km.standard_error(km.example("anxiety"), method="gwett")
    with pytest.raises(km.errors.InvalidOptionError, match="alternative must be one of"):
        km.value_test(km.example("anxiety"), alternative="both")


def test_a_coefficient_that_cannot_vary_has_zero_standard_error():
    """Kappa is always 0 if one rater uses a single category, and rounding errors are not taken for variance."""
    constant = km.kappa([1, 1, 1, 1, 1, 1], [1, 2, 1, 1, 3, 1])
    assert (constant.value, constant.se) == (0, 0)
    assert km.value_test([1, 1, 1, 1, 1, 1], [1, 2, 1, 1, 3, 1], null=0.1, method="null").pvalue is None


def test_one_subject_gives_no_standard_error_for_two_raters():
    """A single subject gives no standard error."""
    assert km.kappa([1], [2]).se is None


def test_the_jackknife_is_undefined_without_the_only_informative_subject():
    """The coefficient is undefined without the only 'b', so there is no standard error, and the case is counted."""
    ratings = ["a"] * 10, ["a"] * 10, ["a"] * 9 + ["b"]
    jackknife = km.jackknife(*ratings, coefficient="fleiss")
    assert (jackknife.se, jackknife.n_undefined) == (None, 1)
    assert km.agreement(*ratings, coefficient="fleiss", method="jackknife").ci is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: km.kappa(t, level="0.9"), "level must lie between 0 and 1; got '0.9'"),
        (lambda t: km.value_test(t, null=float("nan")), "null must be a finite number; got nan"),
        (lambda t: km.value_test(t, null="0"), "null must be a finite number; got '0'"),
        (lambda t: km.bootstrap(t, n_resamples=None), "n_resamples must be a whole number >= 2; got None"),
        (lambda t: km.compare(t, first=None, second={}), "must be lists of raters"),
        (
            lambda t: km.agreement(t, coefficient="percent", group_size=float("inf")),
            "group_size must be a whole number",
        ),
    ],
)
def test_arguments_of_the_wrong_kind_are_errors(call, message):
    """The error names the argument, the rule and the value."""
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        call(km.example("rapallo2022"))


def test_the_null_standard_error_of_constant_raters_is_undefined():
    """The expected agreement is 1, so kappa is undefined too."""
    with pytest.raises(km.errors.UndefinedKappaError, match="both raters used only 1"):
        km.standard_error(km.from_ratings([[1, 1]] * 3, categories=[1, 2]), method="null")
