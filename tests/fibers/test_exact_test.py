"""Exact tests agree with full enumeration, Fisher's exact test and permutations."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.fibers import null_distribution
from tests.support.small_fibers import SCHEMES, chance_of, small_tables
from tests.support.strategies import NEARLY_FLAT, examples, tables

ALTERNATIVES = ["greater", "less", "two-sided"]


def listed_pvalue(table, weights, alternative):
    """Return, by listing, the probability of all tables at least as extreme, and the mean of the coefficient."""
    observed = km.kappa(table, weights=weights).value
    members = [(km.kappa(one, weights=weights).value, chance_of(one)) for one in km.fiber(table).tables()]
    mean = sum(Fraction(value) * chance for value, chance in members)
    near = 1e-12
    extreme = {
        "greater": lambda value: value >= observed - near,
        "less": lambda value: value <= observed + near,
        "two-sided": lambda value: abs(value - mean) >= abs(observed - mean) - near,
    }[alternative]
    return float(sum(chance for value, chance in members if extreme(value)))


@settings(max_examples=examples(150))
@given(small_tables, st.sampled_from(SCHEMES), st.sampled_from(ALTERNATIVES))
def test_exact_pvalues_agree_with_enumeration(table, weights, alternative):
    """P-values agree for two and three raters, all weights and all alternatives."""
    test = km.exact_test(table, weights=weights, alternative=alternative)
    assert test.method == "exact"
    assert test.se is None
    assert test.pvalue == pytest.approx(listed_pvalue(table, weights, alternative), rel=1e-9)
    assert test.pvalue == pytest.approx(km.fiber(table).distribution(weights).pvalue(alternative), rel=1e-12)


@settings(max_examples=examples(60))
@given(small_tables.filter(lambda table: table.n_raters == 2), st.sampled_from(["linear", "quadratic", "sqrt"]))
def test_two_rater_pvalues_are_those_of_all_permutations(table, weights):
    """All orders of the second rater's ratings are equally likely."""
    rows = np.repeat(table.patterns, table.counts, axis=0)
    u = np.array(km.Weights.from_scheme(weights, table.n_categories).matrix)
    observed = u[rows[:, 0], rows[:, 1]].sum()
    orders = np.array(list(permutations(rows[:, 1].tolist())))
    scores = u[rows[:, 0], orders].sum(axis=1)
    expected = (scores <= observed + 1e-9).mean()
    assert km.exact_test(table, weights=weights).pvalue == pytest.approx(expected, rel=1e-9)


@settings(max_examples=examples(40))
@given(st.lists(st.integers(0, 12), min_size=4, max_size=4))
def test_for_two_categories_pvalues_are_those_of_fishers_exact_test(cells):
    """One-sided p-values are those of scipy's fisher_exact."""
    table = np.array(cells).reshape(2, 2)
    if 0 in table.sum(axis=0) or 0 in table.sum(axis=1):
        return
    for alternative in ("greater", "less"):
        expected = fisher_exact(table, alternative=alternative).pvalue
        assert km.exact_test(km.from_counts(table), alternative=alternative).pvalue == pytest.approx(expected, rel=1e-9)


@settings(max_examples=examples(100))
@given(st.lists(st.integers(0, 12), min_size=4, max_size=4))
def test_two_sided_by_probability_is_fishers_exact_test_for_two_categories(cells):
    """The test and the distribution give the p-value of scipy's two-sided fisher_exact, which is R's definition."""
    table = np.array(cells).reshape(2, 2)
    if 0 in table.sum(axis=0) or 0 in table.sum(axis=1):
        return
    expected = fisher_exact(table, alternative="two-sided").pvalue
    both = {"alternative": "two-sided", "two_sided": "probability"}
    assert km.exact_test(km.from_counts(table), **both).pvalue == pytest.approx(expected, rel=1e-9)
    assert km.fiber(km.from_counts(table)).distribution().pvalue(**both) == pytest.approx(expected, rel=1e-9)


def test_the_two_definitions_of_two_sided_differ():
    """The observed value is among the most probable values, but it is not the closest to the mean.

    With margins (3, 7) and (2, 8), cell (1, 1) is 0, 1 or 2 with probabilities 21/45, 21/45 and 3/45, and its mean is
    0.6. The observed 0 is as probable as 1, but 1 lies closer to the mean.
    """
    table = km.from_counts([[0, 3], [2, 5]])
    distance = km.exact_test(table, alternative="two-sided")
    probability = km.exact_test(table, alternative="two-sided", two_sided="probability")
    assert distance.pvalue == pytest.approx(24 / 45, rel=1e-12)
    assert probability.pvalue == pytest.approx(1, rel=1e-12)
    assert (distance.two_sided, probability.two_sided) == ("distance", "probability")
    assert km.exact_test(table).two_sided is None
    assert "two-sided, by probability" in repr(probability)


@settings(max_examples=examples(80))
@given(small_tables, st.sampled_from(SCHEMES))
def test_two_sided_by_probability_agrees_with_enumeration(table, weights):
    """The p-value is the total probability, as a fraction, of the values no more probable than the observed one."""
    chances = {}
    for one in km.fiber(table).tables():
        score = as_objective(one, weights=weights).score
        chances[score] = chances.get(score, 0) + chance_of(one)
    observed = chances[as_objective(table, weights=weights).score]
    expected = float(sum(chance for chance in chances.values() if chance <= observed))
    test = km.exact_test(table, weights=weights, alternative="two-sided", two_sided="probability")
    assert test.pvalue == pytest.approx(expected, rel=1e-9)


def test_two_sided_by_probability_needs_the_exact_distribution():
    """Sampled distributions are refused with the reason, and so are one-sided tests."""
    table, both = km.example("rapallo2022"), {"alternative": "two-sided", "two_sided": "probability"}
    with pytest.raises(km.errors.NotSupportedError, match="needs the exact distribution, but method is 'monte-carlo'"):
        km.exact_test(table, method="monte-carlo", **both)
    with pytest.raises(
        km.errors.NotSupportedError, match=r"needs the exact distribution, but power\(0.3\) weights are not exact"
    ):
        km.exact_test([1, 2, None, 3], [1, 2, 2, 1], weights="power(0.3)", **both)
    with pytest.raises(km.errors.InvalidOptionError, match="needs alternative='two-sided'; got 'greater'"):
        km.exact_test(table, two_sided="probability")
    with pytest.raises(km.errors.InvalidOptionError, match="two_sided must be one of 'distance', 'probability'"):
        km.exact_test(table, alternative="two-sided", two_sided="fisher")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("weights", ["linear", "sqrt"])
@pytest.mark.parametrize("name", ["rapallo2022-three", "vassarstats"])
def test_monte_carlo_agrees_with_the_exact_method(name, weights, alternative):
    """The difference is within four binomial standard errors, at a p-value that is not tiny."""
    table = next(km.fiber(km.example(name)).iter_sample(rng=11)) if name != "vassarstats" else _weak()
    exact = km.exact_test(table, weights=weights, alternative=alternative, method="exact")
    drawn = km.exact_test(table, weights=weights, alternative=alternative, method="monte-carlo", n_draws=20_000, rng=5)
    assert drawn.method == "monte-carlo"
    assert drawn.n_draws == 20_000
    spread = (exact.pvalue * (1 - exact.pvalue) / 20_000) ** 0.5
    assert abs(drawn.pvalue - exact.pvalue) <= 4 * spread + 1 / 20_001


def _weak():
    return km.from_counts([[4, 3, 2], [2, 4, 3], [3, 2, 5]])


def test_missing_ratings_are_tested_over_the_subjects_each_rater_rated():
    """The exact method and Monte Carlo agree with all arrangements of a small table."""
    table = km.from_ratings([[1, 1, None], [1, 2, 1], [2, None, 2], [2, 2, 2], [None, 1, 2]])
    rows = np.repeat(table.patterns, table.counts, axis=0)
    values = []
    for a in set(permutations([0, 1, 2, 3])):
        for b in set(permutations([0, 1, 2, 3])):
            moved = rows.copy()
            for rater, arrangement in ((0, a), (1, b)):
                rated = np.flatnonzero(rows[:, rater] >= 0)
                moved[rated, rater] = rows[rated[list(arrangement)], rater]
            for c in set(permutations([0, 1, 2, 3])):
                rated = np.flatnonzero(rows[:, 2] >= 0)
                moved[rated, 2] = rows[rated[list(c)], 2]
                values.append(_disagreement(moved))
    expected = float((np.array(values) <= _disagreement(rows) + 1e-12).mean())
    exact = km.exact_test(table)
    assert (exact.method, exact.reason) == ("exact", None)
    assert exact.pvalue == pytest.approx(expected, rel=1e-12)
    test = km.exact_test(table, method="monte-carlo", n_draws=40_000, rng=1)
    assert test.pvalue == pytest.approx(expected, abs=4 * (expected * (1 - expected) / 40_000) ** 0.5 + 1e-4)


def _disagreement(rows):
    """Return Gwet's observed disagreement, the mean over subjects of the share of their pairs that disagree."""
    shares = []
    for row in rows:
        rated = row[row >= 0]
        pairs = [a != b for i, a in enumerate(rated) for b in rated[i + 1 :]]
        shares.append(np.mean(pairs))
    return float(np.mean(shares))


def test_the_method_is_chosen_by_the_work_and_reported(monkeypatch):
    """The exact method is used if it takes little work; otherwise Monte Carlo is used and the reason is given."""
    table = km.example("rapallo2022")
    assert km.exact_test(table).reason is None
    monkeypatch.setattr(null_distribution, "EXACT_WORK", 10)
    assert "the exact distribution would take" in str(km.exact_test(table, n_draws=100, rng=1).reason)
    assert km.exact_test(table, method="exact").method == "exact"
    monkeypatch.undo()
    assert "of memory" in str(km.exact_test(table, n_draws=50, rng=1, memory_limit=1000).reason)
    big = km.from_ratings(np.random.default_rng(0).integers(1, 6, size=(50, 8)))
    with pytest.raises(km.errors.NotSupportedError, match="of memory; the limit is 1 GB"):
        km.exact_test(big, method="exact")
    rounded = km.exact_test(table, weights="power(0.3)", n_draws=50, rng=1)
    assert "power(0.3) weights are not exact" in str(rounded.reason)


def test_weights_that_are_not_exact_tie_within_their_tolerance():
    """Weights that are constant up to rounding have the same ties as constant weights."""
    table = _weak()
    assert not NEARLY_FLAT.exact
    near = km.exact_test(table, weights=NEARLY_FLAT, n_draws=5000, rng=2)
    flat = km.exact_test(table, weights="unweighted", method="monte-carlo", n_draws=5000, rng=2)
    assert near.pvalue == flat.pvalue
    for alternative in ALTERNATIVES:
        near = km.exact_test(table, weights="power(0.3)", alternative=alternative, n_draws=4000, rng=1)
        exact = listed_sample(table, alternative)
        assert near.pvalue == exact


def listed_sample(table, alternative):
    """Return the p-value of the same draws, compared in doubles with a generous tolerance."""
    objective = as_objective(table, weights="power(0.3)")
    from kappamax.fibers.sampling import ScoreSampler

    generators = np.random.default_rng(1).spawn(50)
    scores = np.concatenate([ScoreSampler(objective).scores(80, own) for own in generators])[:, 0].astype(float)
    from kappamax.fibers.distribution import mean_score

    observed, mean = float(objective.score), float(mean_score(objective))
    near = 1e-9 * abs(observed)
    extreme = {
        "greater": scores <= observed + near,
        "less": scores >= observed - near,
        "two-sided": np.abs(scores - mean) >= abs(observed - mean) - near,
    }[alternative]
    return (int(extreme.sum()) + 1) / 4001


def test_the_result_depends_on_the_seed_but_not_on_the_number_of_processes():
    """One and two processes give the same p-value for the same seed."""
    table = km.example("anxiety")
    one = km.exact_test(table, weights="linear", method="monte-carlo", n_draws=2000, rng=4)
    two = km.exact_test(table, weights="linear", method="monte-carlo", n_draws=2000, rng=4, n_jobs=2)
    assert one == two
    assert one.to_dict()["reason"] is None


def test_ctrl_c_keeps_the_draws_so_far():
    """The exception Interrupted holds the test based on the tables drawn so far."""
    calls = []

    def stop(done, _total, _message):
        calls.append(done)
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(km.errors.Interrupted) as caught:
        km.exact_test(km.example("anxiety"), method="monte-carlo", n_draws=1000, rng=1, progress=stop)
    assert caught.value.best.n_draws == calls[-1] == 60
    assert caught.value.best.reason == "interrupted"


def test_all_coefficients_of_complete_ratings_have_the_same_pvalue():
    """The coefficients order the tables in the same way."""
    table = km.example("rapallo2022-three")
    values = {
        km.exact_test(table, weights="linear", coefficient=name).pvalue
        for name in ("kappa", "fleiss", "gwet", "brennan-prediger", "krippendorff", "percent")
    }
    assert max(values) == pytest.approx(min(values), rel=1e-12)


def test_an_objective_is_tested_like_its_ratings():
    """An objective has its own weights and coefficient."""
    table = km.example("rapallo2022-three")
    objective = as_objective(table, weights="linear", coefficient="fleiss")
    assert km.exact_test(objective) == km.exact_test(table, weights="linear", coefficient="fleiss")
    with pytest.raises(
        km.errors.NotSupportedError, match="exact_test works with pairwise agreement; got 3 raters at a time"
    ):
        km.exact_test(as_objective(table, group_size=3))


def test_a_sampled_distribution_has_a_printed_form():
    """The printed form has no numbers of tables, because they were not counted."""
    found = null_distribution.null_distribution(
        as_objective(km.example("anxiety")), method="monte-carlo", n_draws=100, rng=1
    )
    assert found.n_draws == 100
    assert "with the observed value" not in repr(found)
    plain = found.to_dict()
    assert "n_tables" not in plain
    assert sum(row["probability"] for row in plain["distribution"]) == pytest.approx(1)


def test_undefined_kappa_has_no_test():
    """Ratings in a single category raise an error."""
    with pytest.raises(km.errors.UndefinedKappaError, match="both raters used only 1"):
        km.exact_test([1, 1], [1, 1])


def test_options_are_checked():
    """Each error names the option and the allowed values."""
    table = km.example("rapallo2022")
    with pytest.raises(km.errors.InvalidOptionError, match="alternative must be one of 'greater', 'less', 'two-sided'"):
        km.exact_test(table, alternative="more")
    with pytest.raises(km.errors.InvalidOptionError, match="method must be one of 'auto', 'exact', 'monte-carlo'"):
        km.exact_test(table, method="bootstrap")
    with pytest.raises(km.errors.InvalidOptionError, match="n_draws must be a whole number >= 1; got 0"):
        km.exact_test(table, method="monte-carlo", n_draws=0)
    for wrong in (-1, 0.5, "seed"):
        with pytest.raises(km.errors.InvalidOptionError, match="rng must be a whole number >= 0, a Generator or None"):
            km.exact_test(table, method="monte-carlo", rng=wrong)


def test_the_result_has_a_printed_form():
    """The printed form contains the result of the test."""
    shown = repr(km.exact_test(km.example("anxiety"), method="monte-carlo", n_draws=1000, rng=1))
    assert "monte-carlo, 1,000 tables" in shown
    assert "standard error" in shown


@settings(max_examples=examples(30))
@given(tables(missing=True, max_rows=5), st.integers(0, 50))
def test_pvalues_lie_between_zero_and_one(table, seed):
    """Monte Carlo p-values are never zero."""
    for alternative in ALTERNATIVES:
        test = km.exact_test(table, alternative=alternative, n_draws=40, rng=seed)
        assert 0 < test.pvalue <= 1
