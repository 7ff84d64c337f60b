"""Sample sizes by formula agree with other derivations, published values and simulated studies."""

from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.confidence_intervals import adjusted_intervals_at
from kappamax.planning.formula import MOST_SUBJECTS, least_subjects
from kappamax.planning.goals import WidthGoal
from kappamax.planning.margin_tables import population_of
from kappamax.planning.population import from_margins, from_pilot
from kappamax.standard_errors import standard_error, standard_errors_at
from tests.support.flat_settings import sample_size
from tests.support.strategies import examples

QUANTILE = NormalDist().inv_cdf
COEFFICIENTS = ["kappa", "fleiss", "gwet", "brennan-prediger", "krippendorff", "percent"]


def formula(*pilot, **options):
    """Return a plan without simulated studies."""
    return sample_size(*pilot, n_draws=0, **options)


def two_by_two(rate1, rate2, kappa):
    """Return the four cells of the 2 x 2 table with given margins and kappa."""
    expected = rate1 * rate2 + (1 - rate1) * (1 - rate2)
    observed = kappa * (1 - expected) + expected
    both = (observed - 1 + rate1 + rate2) / 2
    return np.array([[both, rate1 - both], [rate2 - both, 1 - rate1 - rate2 + both]])


def variance_by_hand(p):
    """Return N times the variance of unweighted kappa, term by term (Fleiss, Cohen and Everitt 1969)."""
    row, column = p.sum(axis=1), p.sum(axis=0)
    observed, expected = np.trace(p), row @ column
    agreeing = sum(p[i, i] * ((1 - expected) - (row[i] + column[i]) * (1 - observed)) ** 2 for i in range(len(p)))
    crossed = (
        sum(p[i, j] * (column[i] + row[j]) ** 2 for i in range(len(p)) for j in range(len(p)) if i != j)
        * (1 - observed) ** 2
    )
    return (agreeing + crossed - (observed * expected - 2 * expected + observed) ** 2) / (1 - expected) ** 4


def width_by_hand(p, n):
    """Return the width of the adjusted interval of a 2 x 2 table: z^2 / 4 subjects are added to each of n * p."""
    z = QUANTILE(0.975)
    total = n + z**2
    return 2 * z * sqrt(variance_by_hand((n * p + z**2 / 4) / total) / total)


@pytest.mark.parametrize(
    ("rates", "kappa"), [((0.5, 0.5), 0.6), ((0.7, 0.7), 0.3), ((0.3, 0.45), 0.5), ((0.1, 0.1), 0.99), ((0.2, 0.2), 1)]
)
@pytest.mark.parametrize("width", [0.05, 0.2, 0.7])
def test_the_width_follows_from_the_variance_by_hand(rates, kappa, width):
    """N is the smallest with this width, with the variance by Fleiss, Cohen and Everitt after z^2 / 4 per cell."""
    margins = [[1 - rate, rate] for rate in rates]
    plan = formula(margins=margins, kappa=kappa, width=width)
    p, n = two_by_two(1 - rates[0], 1 - rates[1], kappa), plan.n_subjects
    assert plan.sd**2 == pytest.approx(variance_by_hand(p), rel=1e-12, abs=1e-12)
    assert plan.expected_width == pytest.approx(width_by_hand(p, n), rel=1e-9)
    assert width_by_hand(p, n) <= width < width_by_hand(p, n - 1)
    assert plan.n_range == (n, n)


def test_equal_rates_of_one_half_by_hand():
    """With rates of 1/2 the variance is 1 - kappa^2, and z^2 = 3.84 pseudo-subjects multiply kappa by N / (N + 3.84).

    For kappa 0.6, N = 246 gives 0.5908 -+ 0.1001 and N = 247 gives 0.5908 -+ 0.0998.
    """
    plan = formula(margins=[0.5, 0.5], kappa=0.6, width=0.2)
    assert plan.sd == pytest.approx(0.8)
    assert plan.n_subjects == 247
    z = QUANTILE(0.975)
    center = 0.6 * 247 / (247 + z**2)
    reach = z * sqrt((1 - center**2) / (247 + z**2))
    assert plan.expected_ci == pytest.approx((center - reach, center + reach))
    assert "give a 95% interval about 0.2 wide (0.49 to 0.69)." in plan.sentences()[0]


def test_perfect_agreement_has_a_number_of_subjects_for_a_width():
    """With rates of 1/2, N unanimous subjects have c -+ z sqrt((1 - c^2) / (N + z^2)), where c = N / (N + z^2)."""
    plan = formula(margins=[0.5, 0.5], kappa=1, width=0.05)
    z = QUANTILE(0.975)

    def width(n):
        return 2 * z * sqrt((1 - (n / (n + z**2)) ** 2) / (n + z**2))

    assert plan.sd == 0
    assert width(plan.n_subjects) <= 0.05 < width(plan.n_subjects - 1)
    assert plan.expected_ci[1] == 1
    assert plan.expected_width == pytest.approx(width(plan.n_subjects))
    assert not any("close to" in note for note in plan.notes)
    three = formula(margins=[0.2, 0.3, 0.5], kappa=1, n_raters=3, width=0.1)
    assert 10 < three.n_subjects < 1000
    assert three.expected_width <= 0.1


def test_the_power_follows_from_both_variances_by_hand():
    """N is ((z_alpha sd_0 + z_beta sd_1) / (kappa_1 - kappa_0))^2 (Cantor 1996)."""
    plan = formula(margins=[[0.7, 0.3], [0.6, 0.4]], kappa=0.6, null=0.3, power=0.9)
    sd1, sd0 = (sqrt(variance_by_hand(two_by_two(0.7, 0.6, kappa))) for kappa in (0.6, 0.3))
    assert (plan.sd, plan.null_sd) == (pytest.approx(sd1), pytest.approx(sd0))
    assert plan.n_subjects == ceil(((QUANTILE(0.95) * sd0 + QUANTILE(0.9) * sd1) / 0.3) ** 2)
    own = formula(margins=[[0.7, 0.3], [0.6, 0.4]], kappa=0.6, null=0.3, power=0.9, variance="estimate")
    assert own.n_subjects == ceil(((QUANTILE(0.95) + QUANTILE(0.9)) * sd1 / 0.3) ** 2)
    both = formula(margins=[[0.7, 0.3], [0.6, 0.4]], kappa=0.6, null=0.3, power=0.9, alternative="two-sided")
    assert both.n_subjects == ceil(((QUANTILE(0.975) * sd0 + QUANTILE(0.9) * sd1) / 0.3) ** 2)


# R's irr 0.84, N.cohen.kappa and N2.cohen.kappa: the examples of its manual with the output rdrr.io shows beside them.
# N.cohen.kappa(0.5, 0.5, 0.7, 0.85) has the true value third and the null value fourth, so it tests 0.85 against a true
# 0.7, though the manual's comment says the reverse; the reverse takes 117.
IRR = [
    ({"margins": [0.5, 0.5], "kappa": 0.7, "null": 0.85, "alternative": "less", "power": 0.8}, 96),
    ({"margins": [0.2, 0.25, 0.55], "kappa": 0.6, "null": 0.4, "power": 0.8, "joint": "widest"}, 101),
    ({"margins": [0.2, 0.25, 0.55], "kappa": 0.6, "null": 0.4, "power": 0.9, "joint": "widest"}, 136),
    ({"margins": [0.2, 0.05, 0.2, 0.05, 0.2, 0.3], "kappa": 0.5, "null": 0.1, "power": 0.8, "joint": "widest"}, 18),
]


@pytest.mark.parametrize(("options", "published"), IRR)
def test_irr_gives_the_same_number(options, published):
    """R's irr follows Cantor (1996) for two categories and Flack et al. (1988), with the widest table, for more."""
    assert formula(**options).n_subjects == published


def test_lrstat_gives_the_same_number():
    """getDesignAgreement of R's lrstat gives 82 subjects and power 0.8006 for the example of its manual."""
    margins = [[0.1, 0.2, 0.3, 0.4], [0.15, 0.2, 0.24, 0.41]]
    plan = formula(margins=margins, kappa=0.6, null=0.4, power=0.8, joint="widest")
    assert plan.n_subjects == 82
    assert round(plan.expected_power, 4) == 0.8006


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("weights", ["unweighted", "linear", "sqrt"])
@pytest.mark.parametrize("name", ["anxiety", "gwet2014"])
def test_the_expected_interval_is_that_of_a_study_with_the_same_proportions(name, coefficient, weights):
    """A pilot repeated a thousand times has the expected interval, with or without missing ratings."""
    pilot = km.example(name)
    study = km.Table(pilot.patterns, pilot.counts * 1000, pilot.categories, pilot.raters, ordered=True)
    result = km.agreement(study, coefficient=coefficient, weights=weights)
    chosen = {"coefficient": coefficient, "weights": weights}
    goal = WidthGoal(from_pilot([pilot], None, None, chosen).objective, 0.1, 0.95)
    # alpha is corrected by n / (n - 1) for its n ratings, tens of thousands here; in a population it is not
    close = 1e-4 if coefficient == "krippendorff" else 1e-9
    assert goal.formula(study.n_subjects) == pytest.approx(result.ci[1] - result.ci[0], rel=close)
    assert goal.limits(study.n_subjects) == pytest.approx(result.ci, rel=close)
    # the usual interval is what the adjusted one approaches; its relative difference is of order 1 / N
    usual = km.agreement(study, interval="normal", **chosen)
    assert goal.precision.width(0.95, study.n_subjects) == pytest.approx(usual.ci[1] - usual.ci[0], rel=close)
    if coefficient != "krippendorff":
        small = km.agreement(pilot, coefficient=coefficient, weights=weights)
        assert goal.limits(pilot.n_subjects) == pytest.approx(small.ci, rel=1e-9)


def test_a_pilot_needs_as_many_subjects_as_it_has_for_the_width_of_its_own_interval():
    """The interval of 33 subjects is not truncated, so 33 subjects, or 34 by rounding, have its width."""
    pilot = km.example("rapallo2022")
    ci = km.kappa(pilot, weights="linear").ci
    plan = formula(pilot, weights="linear", width=ci[1] - ci[0] + 1e-12)
    assert plan.n_subjects == 33
    assert plan.expected_ci == pytest.approx(ci)


POPULATIONS = [
    {"margins": [0.5, 0.5], "kappa": 0.0},
    {"margins": [0.5, 0.5], "kappa": 0.9999},
    {"margins": [0.99, 0.01], "kappa": 0.6},
    {"margins": [0.97, 0.02, 0.01], "kappa": 0.99},
    {"margins": [0.3, 0.3, 0.4], "kappa": 1, "n_raters": 3},
    {"margins": [0.9, 0.1], "kappa": 0.3, "n_raters": 4},
]


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("assumed", POPULATIONS)
def test_widths_decrease_with_the_number_of_subjects(assumed, coefficient):
    """They do from 2 to a trillion subjects, whatever the value, unless a category is expected far less than once."""
    margins, kappa, n_raters = assumed["margins"], assumed["kappa"], assumed.get("n_raters", 2)
    table = from_margins(margins, kappa, n_raters, None, {"coefficient": "kappa", "weights": "linear"}).objective.table
    goal = WidthGoal(population_of(table, {"coefficient": coefficient, "weights": "linear"}), 0.2, 0.95)
    widths = [goal.formula(int(n)) for n in np.unique(np.geomspace(2, 1e12, 60).astype(int))]
    assert np.all(np.diff(widths) < 0)


def test_the_number_of_subjects_is_that_from_which_on_the_interval_is_narrow_enough():
    """One rating in 10,000 and three raters: the interval widens from 238 to 1653 subjects, beyond a narrow one."""
    population = from_margins([0.9999, 0.0001], 0, 3, None, {"coefficient": "kappa", "weights": "unweighted"}).objective
    goal = WidthGoal(population, 1, 0.95)
    assert goal.formula(238) < goal.formula(1653)
    width = (goal.formula(238) + goal.formula(1653)) / 2
    plan = formula(margins=[0.9999, 0.0001], kappa=0, n_raters=3, width=width)
    assert plan.n_subjects > 1653
    assert goal.formula(plan.n_subjects - 1) > width
    later = np.geomspace(plan.n_subjects, 1e12, 50).astype(int)
    assert all(goal.formula(int(n)) <= width for n in later)


@pytest.mark.parametrize("least", [2, 3, 4, 5, 1000, 2**20, MOST_SUBJECTS - 1, MOST_SUBJECTS])
def test_the_search_finds_the_first_number_of_the_last_run(least):
    """A number that reaches the goal earlier by accident does not count, and no number is found above the limit."""
    assert least_subjects(lambda n: n >= least) == least
    if least > 8:
        assert least_subjects(lambda n: n >= least or n < 3) == least
    assert least_subjects(lambda n: n > MOST_SUBJECTS) is None
    assert least_subjects(lambda _: False) is None


def test_studies_have_the_adjusted_interval_unless_they_have_too_many_patterns():
    """16,384 patterns are possible, but a study with 10,000 subjects has at most 10,000 of them."""
    chosen = {"coefficient": "fleiss", "weights": "unweighted"}
    population = from_margins([0.5, 0.5], 0.5, 14, None, chosen).objective
    goal = WidthGoal(population, 0.2, 0.95)
    table = population.table
    assert len(table.counts) > 10_000
    for n in (20, 10_000):
        low, high, width = adjusted_intervals_at(population, table.counts * (n / table.n_subjects), 0.95)
        assert (*goal.limits(n), goal.formula(n)) == pytest.approx((low, high, width))
    assert goal.formula(10_001) == goal.precision.width(0.95, 10_001)
    assert goal.limits(10_001) == pytest.approx((0.5 - goal.formula(10_001) / 2, 0.5 + goal.formula(10_001) / 2))


@pytest.mark.parametrize("level", [0.01, 0.5, 0.95, 0.9999])
@pytest.mark.parametrize("method", ["formula", "simulation"])
def test_subjects_who_are_rated_once_do_not_lead_to_a_width(level, method):
    """With less than one expected subject to compare there is no interval, so more subjects are needed."""
    ratings = [[1, None]] * 30 + [[1, 1]] * 3 + [[2, 1]] + [[2, 2]] * 2
    pilot = km.from_ratings(np.array(ratings, dtype=object), categories=[1, 2])
    plan = sample_size(pilot, width=1.9, level=level, coefficient="gwet", method=method, n_draws=200, rng=1)
    assert plan.n_subjects > 2
    if method == "formula":
        assert 0 < plan.expected_width <= 1.9
    else:
        assert plan.studies.mean_width <= 1.9 + 2 * plan.studies.width_se


def test_a_larger_pilot_with_the_same_shares_gives_the_same_number():
    """Only proportions matter."""
    pilot = km.example("cohen1968")
    tenfold = km.Table(pilot.patterns, pilot.counts * 10, pilot.categories, ordered=True)
    assert formula(pilot, width=0.1).n_subjects == formula(tenfold, width=0.1).n_subjects


@given(st.floats(0.05, 0.6), st.floats(1.01, 2))
@settings(max_examples=examples(25))
def test_a_narrower_interval_takes_more_subjects(width, factor):
    """One subject less is not enough, and no table with these margins and value lies outside the range."""
    options = {"margins": [0.3, 0.3, 0.4], "kappa": 0.5, "weights": "linear"}
    wide, narrow = formula(width=width * factor, **options), formula(width=width, **options)
    assert narrow.n_subjects >= wide.n_subjects
    population = from_margins([0.3, 0.3, 0.4], 0.5, 2, None, {"weights": "linear", "coefficient": "kappa"}).objective
    assert narrow.expected_width <= width < WidthGoal(population, width, 0.95).formula(narrow.n_subjects - 1)
    assert narrow.n_range[0] <= narrow.n_subjects <= narrow.n_range[1]


@given(st.floats(0.3, 0.98), st.floats(0.0, 0.45), st.floats(0.01, 0.1))
@settings(max_examples=examples(25))
def test_more_power_and_nearer_values_take_more_subjects(power, null, step):
    """The number of subjects increases with the power and as the null value approaches the assumed value."""
    options = {"margins": [0.4, 0.6], "kappa": 0.6}
    plan = formula(power=power, null=null, **options)
    assert formula(power=min(0.99, power + step), null=null, **options).n_subjects >= plan.n_subjects
    assert formula(power=power, null=null + step, **options).n_subjects >= plan.n_subjects
    assert plan.expected_power >= power


def test_a_plan_without_an_expected_interval_says_nothing_about_its_limits():
    """One subject in 51 has two ratings, and simulated studies count as 2 wide without one, so few may suffice."""
    ratings = [[1, None]] * 300 + [[1, 1]] * 3 + [[2, 1]] + [[2, 2]] * 2
    pilot = km.from_ratings(np.array(ratings, dtype=object), categories=[1, 2])
    plan = sample_size(pilot, width=1.9999, level=0.3, coefficient="percent", method="simulation", n_draws=100, rng=1)
    assert plan.n_subjects < 51
    assert (plan.expected_width, plan.expected_ci) == (None, None)
    assert "give a 30% interval about 1.9999 wide." in plan.sentences()[0]


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_standard_errors_of_many_tables_are_those_of_each(coefficient):
    """The batch computation of the simulations agrees with `standard_error` for each table."""
    pilot = km.example("gwet2014")
    objective = as_objective(pilot, weights="linear", coefficient=coefficient)
    rows = np.random.default_rng(1).multinomial(40, pilot.counts / pilot.n_subjects, size=20)
    for row, se in zip(rows, standard_errors_at(objective, rows), strict=True):
        table = km.Table(pilot.patterns, row, pilot.categories, pilot.raters, ordered=True)
        one = standard_error(as_objective(table, weights="linear", coefficient=coefficient))
        assert se == pytest.approx(one.se, rel=1e-9)
    cohen = as_objective(km.example("rapallo2022"), weights="sqrt")
    (se,) = standard_errors_at(cohen, cohen.table.counts[None])
    assert se == pytest.approx(standard_error(cohen).se, rel=1e-12)
