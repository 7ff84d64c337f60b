"""The number of subjects for an interval that is narrow enough with a given probability."""

from math import sqrt

import numpy as np
import pytest

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.planning.formula import sd_spread
from tests.support.flat_settings import sample_size


def test_the_spread_of_the_standard_error_of_percent_agreement_by_hand():
    """The variance of a share p is p(1 - p), so its root has the derivative (1 - 2p) / (2 sqrt(p(1 - p)))."""
    for agree in (50, 70, 90):
        table = km.from_counts([[agree, 100 - agree], [0, 0]])
        p = agree / 100
        by_hand = abs(1 - 2 * p) / (2 * sqrt(p * (1 - p))) * sqrt(p * (1 - p))
        assert sd_spread(as_objective(table, coefficient="percent")) == pytest.approx(by_hand, abs=1e-7)


@pytest.mark.parametrize("coefficient", ["kappa", "fleiss", "gwet", "brennan-prediger", "krippendorff"])
def test_the_spread_agrees_with_the_infinitesimal_jackknife(coefficient):
    """A little more weight on one subject changes the large-sample standard deviation as the derivative says."""
    counts = np.array([30_000, 4_000, 5_000, 40_000, 3_000, 18_000])
    patterns = [[0, 0, 0], [0, 1, 0], [1, 1, 2], [1, 1, 1], [2, 0, 2], [2, 2, 2]]

    def sd(moved):
        table = km.Table(patterns, moved, (1, 2, 3), ordered=True)
        return km.standard_error(table, coefficient=coefficient, weights="linear", method="delta").se * sqrt(
            table.n_subjects - 1
        )

    n, step = counts.sum(), 20
    influence = [(sd(counts + step * own) - sd(counts - step * own)) * n / (2 * step) for own in np.eye(6, dtype=int)]
    influence = np.array(influence) - counts @ influence / n
    naive = sqrt(counts @ influence**2 / n)
    table = km.Table(patterns, counts, (1, 2, 3), ordered=True)
    spread = sd_spread(as_objective(table, coefficient=coefficient, weights="linear"))
    assert spread == pytest.approx(naive, rel=1e-3)


@pytest.mark.parametrize(
    "options",
    [
        {"margins": [0.7, 0.3], "kappa": 0.6, "width": 0.1},
        {"margins": [[0.2, 0.3, 0.5], [0.3, 0.3, 0.4]], "kappa": 0.5, "weights": "linear", "width": 0.12},
        {"margins": [0.4, 0.6], "kappa": 0.5, "n_raters": 4, "coefficient": "gwet", "width": 0.08},
        {"margins": [0.3, 0.3, 0.4], "kappa": 0.7, "n_raters": 3, "coefficient": "krippendorff", "width": 0.08},
    ],
)
@pytest.mark.parametrize("assurance", [0.8, 0.95])
def test_simulated_intervals_are_narrow_with_the_promised_probability(options, assurance):
    """The share agrees within four Monte Carlo errors and, as widths are skewed, a term of order 1/sqrt(N)."""
    plan = sample_size(**options, assurance=assurance, rng=1, n_draws=4000)
    assert plan.n_subjects > 400
    assert assurance <= plan.expected_assurance < assurance + 0.02
    error = sqrt(assurance * (1 - assurance) / 4000)
    assert abs(plan.studies.share_within - plan.expected_assurance) < 4 * error + 1 / sqrt(plan.n_subjects)


def test_the_number_is_the_smallest_that_reaches_the_assurance():
    """One subject fewer falls short, more assurance needs more subjects, and a mean width needs fewest."""
    options = {"margins": [0.7, 0.3], "kappa": 0.6, "width": 0.2, "method": km.planning.Formula(n_draws=0)}
    sizes = [km.sample_size(**options, assurance=assurance).n_subjects for assurance in (0.51, 0.8, 0.9, 0.99)]
    assert sizes == sorted(set(sizes))
    mean = km.sample_size(**options)
    assert mean.n_subjects <= sizes[0]
    assert (mean.assurance, mean.expected_assurance) == (None, None)
    # 335 subjects reach 0.9 and 334 do not, so 335 are also the number for the probability that 335 reach
    plan = km.sample_size(**options, assurance=0.9)
    again = km.sample_size(**options, assurance=plan.expected_assurance)
    assert again.n_subjects == plan.n_subjects
    assert km.sample_size(**options, assurance=plan.expected_assurance + 1e-9).n_subjects == plan.n_subjects + 1


def test_simulation_finds_about_the_number_of_the_formula():
    """Where the formula is accurate, they agree within four Monte Carlo errors and two percent."""
    options = {"margins": [0.7, 0.3], "kappa": 0.6, "width": 0.15, "assurance": 0.9, "rng": 3}
    plan = sample_size(**options, method="simulation", n_draws=2000)
    assert plan.studies.share_within >= 0.9 - 2 * sqrt(0.9 * 0.1 / 2000)
    assert abs(plan.n_subjects - plan.n_formula) < 4 * plan.n_subjects_se + 0.02 * plan.n_formula


@pytest.mark.parametrize(("kappa", "width"), [(0.999, 0.01), (0.99, 0.1), (0.95, 0.1)])
def test_near_one_pseudo_subjects_make_the_width_vary_less(kappa, width):
    """The formula, which takes this into account, agrees with simulation within four Monte Carlo errors and 5%."""
    plan = sample_size(
        margins=[0.5, 0.5], kappa=kappa, width=width, assurance=0.9, rng=3, method="simulation", n_draws=2000
    )
    assert abs(plan.n_subjects - plan.n_formula) < 4 * plan.n_subjects_se + 0.05 * plan.n_formula


def test_pilot_ratings_and_missing_ratings_have_an_assurance():
    """The spread of the standard error comes from the pilot, also if some of its ratings are missing."""
    for name in ("anxiety", "gwet2014"):
        mean = km.sample_size(km.example(name), width=0.2, method=km.planning.Formula(n_draws=0))
        plan = km.sample_size(km.example(name), width=0.2, assurance=0.9, method=km.planning.Formula(n_draws=0))
        assert plan.n_subjects > mean.n_subjects


def test_sentences_name_the_assurance():
    """The first sentence and the summary give the probability; a formula that misleads says so."""
    plan = km.sample_size(margins=[0.7, 0.3], kappa=0.6, width=0.2, assurance=0.9, rng=1)
    assert "give a 95% interval no wider than 0.2 with a probability of 90%." in plan.sentences()[0]
    assert "a 95% interval 0.2 wide at most, with a probability of 90%" in repr(plan)
    assert "simulated studies no wider" in repr(plan)
    assert not any("mean width in simulated studies differs" in note for note in plan.notes)
    # without disagreement the formula takes the width as known, but it varies with the margins of the study
    rough = km.sample_size(margins=[0.5, 0.5], kappa=1, width=0.05, assurance=0.9, rng=1)
    assert "would give, by the formula," in rough.sentences()[0]
    assert any("narrow enough in" in note and "requested assurance" in note for note in rough.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0.2, "assurance": 0.5}, "assurance must lie between 0.5 and 1; got 0.5"),
        ({"width": 0.2, "assurance": 1}, "assurance must lie between 0.5 and 1; got 1"),
        ({"width": 0.2, "assurance": 90}, "assurance must lie between 0.5 and 1; got 90"),
        ({"width": 0.2, "assurance": "0.9"}, "assurance must lie between 0.5 and 1; got '0.9'"),
        ({"power": 0.8, "null": 0.2, "assurance": 0.9}, "assurance must be given with width"),
    ],
)
def test_an_assurance_without_meaning_is_refused(options, message):
    """The message names the option and what is allowed."""
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        km.sample_size(margins=[0.7, 0.3], kappa=0.6, **options)
