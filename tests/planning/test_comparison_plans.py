"""The number of subjects for a comparison of two coefficients: by hand, and by simulated studies."""

from math import ceil, sqrt

import numpy as np
import pytest
from scipy import stats

import kappamax as km
from kappamax.planning import compare_sample_size

TRAINED = {"margins": [0.7, 0.3], "kappa": 0.7}
UNTRAINED = {"margins": [0.7, 0.3], "kappa": 0.5}
BOTH = {"first": TRAINED, "second": UNTRAINED}
PAIRS = {"first": ["ref", "a"], "second": ["ref", "b"]}


def test_percent_agreement_of_two_groups_by_hand():
    """The variances are 0.9 * 0.1 and 0.7 * 0.3, so n = (z + z')^2 (0.09 + 0.21) / 0.2^2."""
    options = {"coefficient": "percent", "power": 0.8}
    assumed = {name: {"margins": [0.5, 0.5], "kappa": p} for name, p in (("first", 0.9), ("second", 0.7))}
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    plan = compare_sample_size(**assumed, **options)
    assert plan.n_first == plan.n_second == ceil(z**2 * 0.3 / 0.04)
    assert plan.n_subjects == 2 * plan.n_first
    twice = compare_sample_size(**assumed, **options, ratio=2)
    assert twice.n_first == ceil(z**2 * (0.09 + 0.21 / 2) / 0.04)
    assert twice.n_second == 2 * twice.n_first
    one = stats.norm.ppf(0.95) + stats.norm.ppf(0.8)
    below = compare_sample_size(**assumed, **options, alternative="non-inferiority", margin=0.1)
    assert below.n_first == ceil(one**2 * 0.3 / 0.3**2)
    width = compare_sample_size(**assumed, coefficient="percent", width=0.1)
    assert width.n_first == ceil((2 * stats.norm.ppf(0.975) / 0.1) ** 2 * 0.3)


def test_a_correlation_reduces_the_variance_by_hand():
    """For the same subjects the variance is 0.09 + 0.21 - 2 * 0.5 * sqrt(0.09 * 0.21)."""
    assumed = {name: {"margins": [0.5, 0.5], "kappa": p} for name, p in (("first", 0.9), ("second", 0.7))}
    plan = compare_sample_size(**assumed, coefficient="percent", power=0.9, correlation=0.5, alpha=0.01)
    variance = 0.3 - sqrt(0.09 * 0.21)
    z = stats.norm.ppf(0.995) + stats.norm.ppf(0.9)
    assert plan.n_subjects == plan.n_first == plan.n_second == ceil(z**2 * variance / 0.04)
    assert plan.expected_se == pytest.approx(sqrt(variance / plan.n_subjects))


def test_equivalence_of_equal_coefficients_by_hand():
    """With a difference of 0 each of two one-sided tests may fail with probability (1 - power) / 2."""
    same = {"margins": [0.5, 0.5], "kappa": 0.8}
    plan = compare_sample_size(
        first=same, second=same, coefficient="percent", power=0.8, alternative="equivalence", margin=0.1
    )
    z = stats.norm.ppf(0.95) + stats.norm.ppf(0.9)
    assert plan.n_first == ceil(z**2 * 2 * 0.16 / 0.01)
    shifted = compare_sample_size(
        first={"margins": [0.5, 0.5], "kappa": 0.85},
        second={"margins": [0.5, 0.5], "kappa": 0.8},
        coefficient="percent",
        power=0.8,
        alternative="equivalence",
        margin=0.1,
    )
    assert shifted.n_first > plan.n_first


def test_a_pilot_has_the_standard_error_of_compare():
    """With as many subjects as the pilot, the standard error is that of `compare`, up to N / (N - 1)."""
    pilot = km.example("diagnoses")
    pairs = {"first": ["rater1", "rater3"], "second": ["rater2", "rater3"]}
    found = km.compare(pilot, **pairs)
    plan = compare_sample_size(pilot, **pairs, width=0.2)
    expected = found.se * sqrt((pilot.n_subjects - 1) / plan.n_subjects)
    assert plan.expected_se == pytest.approx(expected)
    assert (plan.first, plan.second, plan.difference) == (found.first, found.second, found.difference)
    assert plan.paired
    assert plan.source == "pilot"
    methods = {"first": {"coefficient": "fleiss"}, "second": {"coefficient": "gwet"}}
    assert compare_sample_size(pilot, **methods, width=0.02).coefficients == ("fleiss", "gwet")
    zero = compare_sample_size(pilot, **pairs, power=0.8, alternative="equivalence", margin=0.1, difference=0)
    assert zero.difference == 0


def test_an_assumed_correlation_equals_that_of_a_pilot():
    """With the correlation and the values of a pilot the plan is the pilot's, since 2 x 2 tables are determined."""
    codes = np.array([[0, 0, 0]] * 40 + [[1, 1, 1]] * 25 + [[0, 1, 1]] * 6 + [[1, 0, 1]] * 4 + [[1, 1, 0]] * 5)
    pilot = km.Table(codes, None, [1, 2], ["ref", "a", "b"], ordered=True)
    by_pilot = compare_sample_size(pilot, **PAIRS, width=0.2)
    margins = pilot.margins / pilot.n_subjects
    first = {"margins": [margins[0].tolist(), margins[1].tolist()], "kappa": by_pilot.first}
    second = {"margins": [margins[0].tolist(), margins[2].tolist()], "kappa": by_pilot.second}
    assumed = compare_sample_size(first=first, second=second, width=0.2, correlation=by_pilot.correlation)
    assert assumed.n_subjects == by_pilot.n_subjects
    assert assumed.expected_se == pytest.approx(by_pilot.expected_se, rel=1e-5)


def test_text_names_the_goal():
    """The sentence has both sizes or one, the values and the claim."""
    plan = compare_sample_size(**BOTH, power=0.8)
    assert plan.sentences()[0] == (
        "If the coefficients are 0.7 and 0.5, groups of 296 and 296 subjects give a probability of 80% of showing that "
        "they differ if the true difference is 0.2 (two-sided test, alpha 0.05)."
    )
    paired = compare_sample_size(**BOTH, width=0.3, correlation=0.2)
    assert (
        "subjects, for both coefficients, give a 95% interval of the difference about 0.3 wide"
        in (paired.sentences()[0])
    )
    assert "correlation 0.2 of the estimates" in paired.sentences()[1]
    assert "of both groups" in repr(plan)
    assert plan.to_dict()["sentences"] == plan.sentences()
    few = compare_sample_size(**BOTH, width=1.5)
    assert "the formula is inaccurate for as few as" in few.notes[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either the width of an interval or the power"),
        ({"width": 0.2, "power": 0.8}, "either the width of an interval or the power"),
        ({"power": 0.8, "margin": 0.1}, "margin, the smallest difference that matters, must be given with"),
        ({"power": 0.8, "alternative": "equivalence"}, "margin, the smallest difference that matters, must be given"),
        ({"width": 0.2, "difference": 0.1}, "margin and difference must be given with power"),
        ({"power": 0.8, "alternative": "greater"}, "alternative must be"),
        ({"power": 0.04}, "power must be above alpha, 0.05; got 0.04"),
        ({"power": 0.8, "difference": 0}, "must differ from 0"),
        ({"power": 0.8, "alternative": "non-inferiority", "margin": 0.1, "difference": -0.1}, "must be above -margin"),
        ({"power": 0.8, "alternative": "equivalence", "margin": 0.1}, "must lie between -margin and margin"),
        ({"width": 0.2, "correlation": 1}, "correlation must lie between -1 and 1"),
        ({"width": 0.2, "correlation": 0.5, "ratio": 2}, "correlation must not be given with ratio"),
        ({"width": 0.2, "ratio": 0}, "ratio must lie between 0.001 and 1000; got 0"),
        ({"width": 1e-9}, "the goal would need more than"),
        ({"width": 0.2, "first": ["a", "b"]}, "first must be a mapping such as"),
        ({"width": 0.2, "first": {"margins": [0.5, 0.5]}}, "first must be a mapping such as"),
        ({"width": 0.2, "second": UNTRAINED | {"raters": 2}}, "second must be .*margins"),
        ({"width": 0.2, "second": {"margins": [[0.9, 0.1], [0.5, 0.5]], "kappa": 0.9}}, "kappa must be at most"),
        (
            {"width": 0.2, "first": TRAINED | {"kappa": 1}, "second": TRAINED | {"kappa": 1}},
            "every study has the same difference",
        ),
    ],
)
def test_comparisons_that_cannot_be_planned(options, message):
    """The error names the option and the rule."""
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        compare_sample_size(**BOTH | options)


def test_pilots_that_cannot_be_planned():
    """A pilot determines the correlation; clusters and varying weights are refused."""
    codes = [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]]
    pilot = km.Table(codes, None, [1, 2], ["ref", "a", "b"], ordered=True)
    for option in ({"correlation": 0.5}, {"ratio": 2}):
        with pytest.raises(km.errors.InvalidOptionError, match="must not be given with pilot ratings"):
            compare_sample_size(pilot, **PAIRS, width=0.2, **option)
    with pytest.raises(km.errors.InvalidOptionError, match="first and second must be lists of raters"):
        compare_sample_size(pilot, first="ref", second=["ref", "b"], width=0.2)
    with pytest.raises(km.errors.InvalidOptionError, match="every study has the same difference"):
        compare_sample_size(pilot, first=["ref", "a"], second=["ref", "a"], width=0.2)
    clustered = km.Table(codes, None, [1, 2], ["ref", "a", "b"], ordered=True, clusters=[0, 0, 1, 1])
    with pytest.raises(km.errors.NotSupportedError, match="these pilot ratings have clusters"):
        compare_sample_size(clustered, **PAIRS, width=0.2)
    with pytest.raises(km.errors.NotSupportedError, match="depend on the ratings"):
        compare_sample_size(pilot, **PAIRS, width=0.2, coefficient="krippendorff", weights="ordinal")


def _population():
    """Return ratings of 100,000 subjects; both judges guess on the fifth of the subjects that is difficult."""
    rng = np.random.default_rng(4)
    n = 100_000
    ref, difficult = rng.integers(0, 3, n), rng.random(n) < 0.2
    judges = [np.where((rng.random(n) < q) & ~difficult, ref, rng.integers(0, 3, n)) for q in (0.9, 0.7)]
    return km.Table(np.column_stack([ref, *judges]), None, [1, 2, 3], ["ref", "a", "b"], ordered=True)


def _study(population, n, rng):
    counts = rng.multinomial(n, population.counts / population.n_subjects)
    return population.like(population.patterns[counts > 0], counts[counts > 0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "test",
    [
        {"alternative": "two-sided"},
        {"alternative": "non-inferiority", "margin": 0.1},
        {"alternative": "equivalence", "margin": 0.35},
    ],
)
def test_compare_has_the_planned_power(test):
    """It rejects in 80% of simulated studies; the docs state a bias of up to three points."""
    population, rng = _population(), np.random.default_rng(5)
    plan = compare_sample_size(population, **PAIRS, power=0.8, **test)
    assert plan.correlation > 0.1
    pvalues = [km.compare(_study(population, plan.n_subjects, rng), **PAIRS, **test).pvalue for _ in range(500)]
    rejected = np.mean([pvalue is not None and pvalue <= 0.05 for pvalue in pvalues])
    assert abs(rejected - 0.8) < 0.03 + 4 * sqrt(0.8 * 0.2 / 500)


@pytest.mark.slow
def test_compare_has_the_planned_width():
    """The mean width of its interval is within 1% of the planned one and Monte Carlo error."""
    population, rng = _population(), np.random.default_rng(6)
    plan = compare_sample_size(population, **PAIRS, width=0.2)
    found = [km.compare(_study(population, plan.n_subjects, rng), **PAIRS).ci for _ in range(200)]
    widths = np.diff(found)[:, 0]
    assert abs(widths.mean() - 0.2) < 0.002 + 4 * widths.std() / sqrt(200)


@pytest.mark.slow
def test_independent_groups_have_the_planned_power():
    """The difference is compared with its standard error, from the standard errors of both groups."""
    rng = np.random.default_rng(7)
    plan = compare_sample_size(**BOTH, power=0.8, ratio=2)
    unchecked = km.planning.Formula(n_draws=0)
    tables = [km.sample_size(**one, width=0.2, method=unchecked).table for one in (TRAINED, UNTRAINED)]
    rejected = []
    for _ in range(500):
        studies = [_study(table, n, rng) for table, n in zip(tables, (plan.n_first, plan.n_second), strict=True)]
        first, second = map(km.kappa, studies)
        rejected.append(abs(first.value - second.value) > 1.96 * sqrt(first.se**2 + second.se**2))
    assert abs(np.mean(rejected) - 0.8) < 0.03 + 4 * sqrt(0.8 * 0.2 / 500)
