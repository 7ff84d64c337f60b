"""Plans that are not possible raise errors with the reason."""

import numpy as np
import pytest

import kappamax as km
from tests.support.flat_settings import sample_size

TWO = {"margins": [0.7, 0.3], "kappa": 0.6}
TEST = {"power": 0.8, "null": 0.4}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0.2}, "pilot ratings, or margins and kappa, must be given"),
        ({"margins": [0.7, 0.3], "width": 0.2}, "kappa, the assumed value of the coefficient, must be given with"),
        (TWO, "the width of an interval, or the power and the null of a test, must be given"),
        (TWO | TEST | {"width": 0.2}, "either width, or power and null, must be given, not both"),
        (TWO | {"power": 0.8}, "null is missing"),
        (TWO | {"null": 0.4}, "power is missing"),
        (TWO | {"width": 0}, "width must lie between 0 and 2; got 0"),
        (TWO | {"width": float("nan")}, "width must lie between 0 and 2; got nan"),
        (TWO | {"width": 1e-9}, "an interval of width 1e-09 would need more than 1,000,000,000,000 subjects"),
        (TWO | {"width": 0.2, "level": 1}, "level must lie between 0 and 1; got 1"),
        (TWO | TEST | {"power": 1}, "power must lie between 0 and 1; got 1"),
        (TWO | TEST | {"power": 0.05}, "power must be above alpha, 0.05; got 0.05"),
        (TWO | TEST | {"null": 0.6}, "null must differ from the assumed value 0.6, since no test can distinguish"),
        (TWO | TEST | {"null": 0.7}, "'greater' needs an assumed value above null; got 0.6 and null 0.7. Use 'less'"),
        (TWO | TEST | {"alternative": "less"}, "'less' needs an assumed value below null; .* Use 'greater'"),
        (
            TWO | TEST | {"null": -2},
            "null must be at least -0.4286, the smallest Cohen's kappa that these margins allow",
        ),
        (TWO | TEST | {"null": "x"}, "null must be a finite number; got 'x'"),
        (TWO | TEST | {"null": 0.6 - 1e-7}, "power 0.8 would need more than"),
        (TWO | {"width": 0.2, "kappa": "a"}, "kappa must be a finite number; got 'a'"),
        (TWO | {"width": 0.2, "kappa": 1.2}, "kappa must be at most 1.0000, the largest Cohen's kappa that these"),
        (
            TWO | {"power": 0.8, "null": 0.4, "kappa": 1, "variance": "estimate"},
            "with the assumed value every study has Cohen's kappa 1 and a standard error",
        ),
        (
            TWO | {"power": 0.8, "null": 1, "alternative": "less"},
            "with the null value every study has Cohen's kappa 1 .* Choose another null value",
        ),
        (
            {"margins": [0.9999999, 0.0000001], "kappa": 0.5, "width": 0.2},
            "margins must be 0 or at least 1e-06; got 1e-07",
        ),
        (
            {"margins": [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]], "kappa": 0.6, "width": 0.2},
            "kappa must be at most 0.5774, the largest Cohen's kappa that these margins allow; got 0.6",
        ),
        (
            {"margins": [[1, 0], [0.5, 0.5]], "kappa": 0.1, "width": 0.2},
            "kappa must be at most 0.0000",
        ),
        ({"margins": [0.7, 0.2], "kappa": 0.5, "width": 0.2}, "margins must add up to 1; got 0.9"),
        ({"margins": [70, 30], "kappa": 0.5, "width": 0.2}, "got 100. Divide percentages by 100"),
        ({"margins": [-0.1, 1.1], "kappa": 0.5, "width": 0.2}, "margins must be shares >= 0; share 1 is -0.1"),
        ({"margins": [1], "kappa": 0.5, "width": 0.2}, "margins must have at least two categories; got 1"),
        ({"margins": "ab", "kappa": 0.5, "width": 0.2}, "margins must be a list of shares, as in"),
        ({"margins": [0.5, [0.5]], "kappa": 0.5, "width": 0.2}, "got a mixture of both"),
        ({"margins": [[0.5, 0.5], [0.2, 0.8, 0]], "kappa": 0.5, "width": 0.2}, "the same number of categories; got 2"),
        ({"margins": [[0.5, 0.5], [0.2, 0.9]], "kappa": 0.5, "width": 0.2}, "the margins of rater 2 must add up to 1"),
        (TWO | {"width": 0.2, "n_raters": 1}, "n_raters must be a whole number >= 2; got 1"),
        ({"margins": [[0.5, 0.5]] * 3, "kappa": 0.5, "width": 0.2, "n_raters": 2}, "one for each of 2; got 3"),
        (TWO | {"width": 0.2, "categories": ["a"]}, "categories must name the 2 categories of the margins; got 1"),
        (TWO | {"width": 0.2, "method": "simulation", "n_draws": 10}, "n_draws must be at least 100; got 10"),
        (TWO | {"width": 0.2, "n_draws": 10}, "n_draws must be at least 100, or 0; got 10"),
        (TWO | {"width": 0.2, "joint": "wide"}, "Did you mean 'widest'"),
        (TWO | TEST | {"variance": "nul"}, "Did you mean 'null'"),
    ],
)
def test_plans_that_are_not_possible_are_refused(options, message):
    """Each error names the argument, the rule and the value."""
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        sample_size(**options)


def test_raters_who_use_one_category_have_no_kappa():
    """The expected disagreement is zero."""
    with pytest.raises(km.errors.UndefinedKappaError, match="both raters used only 1"):
        sample_size(margins=[1, 0], kappa=0.5, width=0.2)


def test_options_that_a_pilot_determines_are_refused():
    """Pilot ratings determine the margins, the raters and the joint distribution."""
    pilot = km.example("cohen1968")
    with pytest.raises(km.errors.InvalidOptionError, match="margins must not be given with pilot ratings"):
        sample_size(pilot, margins=[0.5, 0.5], kappa=0.5, width=0.2)
    with pytest.raises(km.errors.InvalidOptionError, match="n_raters must not be given with pilot ratings"):
        sample_size(pilot, n_raters=3, width=0.2)
    with pytest.raises(km.errors.InvalidOptionError, match="joint='widest' must not be given with pilot ratings"):
        sample_size(pilot, joint="widest", width=0.2)


def test_pilots_with_missing_ratings_cannot_be_given_another_value():
    """Only the proportions of the pilot itself are available."""
    pilot = km.example("gwet2014")
    with pytest.raises(km.errors.NotSupportedError, match="Use variance='estimate' or omit the incomplete subjects"):
        sample_size(pilot, power=0.8, null=0.5)
    with pytest.raises(km.errors.NotSupportedError, match="the assumed value is that of the pilot"):
        sample_size(pilot, kappa=0.5, width=0.2)


def test_too_many_patterns_are_refused():
    """Twenty raters and two categories have a million patterns, of which a pilot contains only a few."""
    with pytest.raises(km.errors.NotSupportedError, match="2 categories and 20 raters have 2.20 possible patterns"):
        sample_size(margins=[0.5, 0.5], kappa=0.5, width=0.2, n_raters=20)
    with pytest.raises(km.errors.NotSupportedError, match="joint='widest' is limited to 4,000 possible patterns"):
        sample_size(margins=[0.5, 0.5], kappa=0.5, width=0.2, n_raters=13, joint="widest", n_draws=0)
    ratings = np.random.default_rng(1).integers(0, 2, size=(30, 20))
    ratings[:, 1:] = np.where(np.random.default_rng(2).random((30, 19)) < 0.7, ratings[:, :1], ratings[:, 1:])
    plan = sample_size(km.from_ratings(ratings.tolist()), width=0.1, rng=1, n_draws=200)
    assert plan.maximum is None
    assert plan.n_subjects > 30


def test_margins_that_are_not_short_decimals_are_approximated_closely():
    """Irrational margins are reproduced within a millionth, and the value within rounding."""
    plan = sample_size(margins=[np.pi / 4, 1 - np.pi / 4], kappa=1 / np.e, width=0.2, n_draws=0)
    assert km.kappa(plan.table).value == pytest.approx(1 / np.e, abs=1e-12)
    assert plan.table.margins[0][0] / plan.table.n_subjects == pytest.approx(np.pi / 4, abs=1e-6)
