"""Simulated studies confirm the formula if it is accurate, and find the number of subjects if it is not."""

import numpy as np
import pytest

import kappamax as km
from tests.support.flat_settings import sample_size

RARE = {"margins": [0.99, 0.01], "kappa": 0.5}


@pytest.mark.parametrize(
    "options",
    [
        {"margins": [0.5, 0.5], "kappa": 0.6},
        {"margins": [[0.2, 0.3, 0.5], [0.3, 0.3, 0.4]], "kappa": 0.5, "weights": "linear"},
        {"margins": [0.3, 0.3, 0.4], "kappa": 0.5, "n_raters": 3, "weights": "quadratic"},
        {"margins": [0.4, 0.6], "kappa": 0.5, "n_raters": 4, "coefficient": "gwet"},
    ],
)
def test_simulated_intervals_have_the_width_of_the_formula(options):
    """With a thousand subjects or more, they agree within four Monte Carlo errors and a term of order 1/N."""
    plan = sample_size(width=0.1, rng=1, n_draws=2000, **options)
    studies = plan.studies
    assert plan.n_subjects > 400
    assert (
        abs(studies.mean_width - plan.expected_width) < 4 * studies.width_se + 2 * plan.expected_width / plan.n_subjects
    )
    # the coverage of 2,000 intervals has error sqrt(0.95 * 0.05 / 2000)
    assert abs(studies.coverage - 0.95) < 4 * (0.95 * 0.05 / 2000) ** 0.5
    assert studies.n_unusable == 0


@pytest.mark.parametrize("variance", ["null", "estimate"])
@pytest.mark.parametrize(
    ("options", "alternative"),
    [
        ({"margins": [0.5, 0.5], "kappa": 0.5, "null": 0.4}, "greater"),
        ({"margins": [0.3, 0.3, 0.4], "kappa": 0.4, "null": 0.5, "weights": "linear"}, "less"),
        ({"margins": [0.4, 0.6], "kappa": 0.5, "null": 0.4, "n_raters": 3}, "two-sided"),
    ],
)
def test_simulated_tests_have_the_power_and_the_size_of_the_formula(options, alternative, variance):
    """With hundreds of subjects, both agree within four Monte Carlo errors and a term of order 1/sqrt(N)."""
    plan = sample_size(power=0.8, alternative=alternative, variance=variance, rng=2, n_draws=4000, **options)
    studies = plan.studies
    skewness = 0.5 / plan.n_subjects**0.5
    assert abs(studies.power - plan.expected_power) < 4 * studies.power_se + skewness
    assert abs(studies.false_positives - 0.05) < 4 * studies.false_positives_se + skewness


def test_the_number_found_by_simulation_reaches_the_goal():
    """If the formula is accurate, both numbers agree within four Monte Carlo errors."""
    options = {"margins": [0.4, 0.6], "kappa": 0.5, "rng": 3, "n_draws": 2000, "method": "simulation"}
    wide = sample_size(width=0.1, **options)
    assert abs(wide.n_subjects - wide.n_formula) < 4 * wide.n_subjects_se + 2
    test = sample_size(power=0.8, null=0.3, **options)
    assert test.studies.power >= 0.8 - 2 * test.studies.power_se
    assert abs(test.n_subjects - test.n_formula) < 4 * test.n_subjects_se + 0.1 * test.n_formula


def test_near_one_studies_without_disagreement_have_an_interval():
    """At kappa 0.999 half of the studies show no disagreement, and the formula still agrees with simulation."""
    options = {"margins": [0.5, 0.5], "kappa": 0.999, "width": 0.01, "rng": 4, "n_draws": 1000}
    formula, simulation = sample_size(**options), sample_size(method="simulation", **options)
    # a study of N subjects sees no disagreement with probability (1 - 0.0005)^N, which is 0.54 for N = 1246
    assert 0.5 < 0.9995**formula.n_subjects < 0.6
    assert formula.studies.n_unusable == 0
    assert abs(simulation.n_subjects - formula.n_subjects) < 4 * simulation.n_subjects_se + 0.02 * formula.n_subjects
    assert any("close to 1, the largest value" in note for note in formula.notes)
    assert not any("have no result" in note for note in formula.notes)


def test_a_note_gives_the_reason_why_studies_have_no_result():
    """Intervals need two categories; tests with an estimated standard error also need disagreement."""
    rare = sample_size(width=1.2, rng=1, n_draws=1000, **RARE)
    # all ratings of N subjects are in one category with probability (0.99 - 0.01 * 0.99 * 0.5)^N
    silent = 0.98505**rare.n_subjects
    assert rare.studies.n_unusable / 1000 == pytest.approx(silent, abs=4 * (silent * (1 - silent) / 1000) ** 0.5)
    assert any(note.endswith("no result, because they show a single category") for note in rare.notes)
    near = {"margins": [0.5, 0.5], "kappa": 0.95, "null": 0.8, "power": 0.8, "variance": "estimate"}
    plan = sample_size(rng=1, n_draws=1000, **near)
    assert any(note.endswith("because they show no disagreement or a single category") for note in plan.notes)


def test_an_interval_that_is_not_defined_counts_as_the_whole_range():
    """Otherwise studies of few subjects, which often miss the rare category, would seem to be precise."""
    plan = sample_size(width=0.9, rng=1, n_draws=1000, method="simulation", **RARE)
    assert plan.n_subjects > 200
    assert plan.studies.mean_width == pytest.approx(0.9, abs=0.1)


def test_a_test_with_the_estimated_standard_error_can_reject_too_often():
    """For 0.7 against 0.85 at rates of 1/2, the estimated standard error is too small, and the null one is not."""
    options = {"margins": [0.5, 0.5], "kappa": 0.85, "null": 0.7, "power": 0.8, "rng": 5, "n_draws": 4000}
    null, own = sample_size(**options), sample_size(variance="estimate", **options)
    assert own.n_subjects < null.n_subjects == 117
    assert own.studies.false_positives > 0.05 + 4 * own.studies.false_positives_se
    assert null.studies.false_positives < 0.05 + 4 * null.studies.false_positives_se


def test_results_depend_on_the_seed_and_not_on_the_processes():
    """Every block of studies has its own generator."""
    options = {"margins": [0.4, 0.6], "kappa": 0.5, "width": 0.2, "n_draws": 1500, "method": "simulation"}
    one, two = sample_size(rng=7, **options), sample_size(rng=7, n_jobs=2, **options)
    assert one.to_dict() == two.to_dict()
    assert sample_size(rng=8, **options).studies != one.studies


def test_progress_is_reported():
    """The callback receives the number of studies simulated and the number expected."""
    seen = []
    sample_size(margins=[0.5, 0.5], kappa=0.5, width=0.2, n_draws=2500, progress=lambda *now: seen.append(now))
    assert [done for done, _, _ in seen] == [1000, 2000, 2500]
    assert all(done <= in_all for done, in_all, _ in seen)


def test_plans_from_a_pilot_with_missing_ratings_assume_as_many_missing_ratings():
    """The share of missing ratings is that of the pilot; another value and the null variance are refused."""
    pilot = km.example("gwet2014")
    for coefficient in ("kappa", "krippendorff"):
        plan = sample_size(pilot, width=0.1, coefficient=coefficient, rng=1, n_draws=1000)
        assert plan.studies.mean_width == pytest.approx(0.1, rel=0.02)
        assert "rated as in the pilot" in plan.sentences()[0]
    test = sample_size(pilot, power=0.8, null=0.6, variance="estimate", rng=1, n_draws=1000)
    assert test.studies.false_positives is None
    assert test.maximum is None


def test_a_plan_has_a_printed_form():
    """Text, HTML and sentences contain the number, the goal, the maximum and the range."""
    plan = sample_size(
        margins=[[0.2, 0.3, 0.5], [0.4, 0.3, 0.3]], kappa=0.5, width=0.2, weights="linear", rng=1, n_draws=200
    )
    for shown in (repr(plan), plan._repr_html_()):
        assert "subjects needed" in shown
        assert f"{plan.n_range[0]} to {plan.n_range[1]}" in shown
        assert "0.5745" in shown
    words = " ".join(plan.sentences())
    assert "The margins do not determine which categories are confused" in words
    assert "With these margins, Cohen's kappa with linear weights is at most 0.574." in words


def test_a_rare_category_leads_to_a_note():
    """The note names the rater, the category and its expected number of ratings if this is below five."""
    plan = sample_size(margins=[0.6, 0.2, 0.1, 0.07, 0.03], kappa=0.6, width=0.4, rng=1, n_draws=200)
    (note,) = plan.notes
    assert note.startswith(f"rater 1 is expected to use category 5 only {0.03 * plan.n_subjects:.1f} times")
    assert 0.03 * plan.n_subjects < 5
    many = sample_size(margins=[0.6, 0.2, 0.1, 0.07, 0.03], kappa=0.6, width=0.1, rng=1, n_draws=200)
    assert 0.03 * many.n_subjects >= 5
    assert not any("is expected to use category" in note for note in many.notes)


def test_the_critical_value_decides_the_test():
    """A study rejects if and only if its value lies sd_0 / sqrt(N) times the normal quantile beyond the null value."""
    plan = sample_size(margins=[0.5, 0.5], kappa=0.85, null=0.7, power=0.8, n_draws=0)
    # rates of one half: sd_0^2 = 1 - 0.7^2 = 0.51
    assert plan.critical_value == pytest.approx(0.7 + 1.6448536269514722 * (0.51 / 117) ** 0.5)
    assert (
        sample_size(margins=[0.5, 0.5], kappa=0.85, null=0.7, power=0.8, variance="estimate", n_draws=0).critical_value
        is None
    )


def test_the_interval_of_a_study_without_disagreement_covers_values_near_one():
    """For a kappa near 1 half of the studies show no disagreement, and the coverage is not below the level."""
    plan = sample_size(margins=[0.5, 0.5], kappa=0.99, width=0.1, rng=1, n_draws=2000)
    # a study of N subjects sees no disagreement with probability 0.995^N, so the usual intervals would often miss
    assert 0.995**plan.n_subjects > 0.5
    assert plan.studies.coverage > 0.95 - 4 * (0.95 * 0.05 / 2000) ** 0.5
    sure = sample_size(margins=[0.5, 0.5], kappa=0.999, width=0.01, rng=1, n_draws=2000)
    assert sure.studies.coverage > 0.98
    assert any("of the simulated intervals contain the assumed value, not 95%" in note for note in sure.notes)


def test_a_known_standard_error_makes_every_study_usable():
    """With variance="null" a study without disagreement rejects."""
    plan = sample_size(margins=[0.5, 0.5], kappa=0.99, null=0.9, power=0.8, rng=1, n_draws=1000)
    assert plan.studies.n_unusable == 0
    assert plan.studies.power > 0.8


def test_the_first_sentence_is_conditional_if_the_formula_misses_the_power():
    """The formula misses the power for twenty subjects and a category with a share of one in fifty."""
    plan = sample_size(margins=[0.98, 0.02], kappa=0.8, null=0, power=0.8, rng=1, n_draws=1000)
    assert plan.studies.power < 0.4
    assert (
        "20 subjects, each rated by 2 raters, would give, by the formula, a probability of 80%" in plan.sentences()[0]
    )


def test_a_null_value_that_the_margins_do_not_allow_can_be_tested():
    """No table with the null value is needed if the test uses the standard error of the study."""
    options = {"margins": [[0.5, 0.5], [0.4, 0.6]], "kappa": 0.5, "null": 0.9, "alternative": "less", "power": 0.8}
    assert sample_size(variance="estimate", n_draws=0, **options).n_subjects > 2
    with pytest.raises(km.errors.InvalidOptionError, match="null must be at most 0.8"):
        sample_size(**options)


def test_the_formula_gives_the_power_with_missing_ratings():
    """Studies drawn from a pilot in which 25 of 60 subjects were rated once have the power of the formula."""
    rng = np.random.default_rng(5)
    first = rng.integers(0, 2, size=60)
    second = np.where(rng.random(60) < 0.15, 1 - first, first).astype(object)
    second[:25] = None
    pilot = km.from_ratings(np.stack([first.astype(object), second], axis=1), categories=[0, 1])
    plan = sample_size(pilot, power=0.8, null=0.8, variance="estimate", rng=1, n_draws=4000)
    assert abs(plan.studies.power - plan.expected_power) < 4 * plan.studies.power_se + 0.5 / plan.n_subjects**0.5


def test_the_range_contains_both_extremes_for_any_power():
    """For a power below one half, a table with a larger standard error needs fewer subjects."""
    options = {"margins": [0.2, 0.25, 0.55], "kappa": 0.9, "null": 0.1, "weights": "quadratic", "n_draws": 0}
    low, high = sample_size(power=0.3, **options).n_range
    assert (low, high) == (2, 6)
