"""The corrected share of the maximum: its definition, its limits, and its bias and coverage in simulations."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.confidence_intervals import adjusted_interval
from kappamax.maximum.corrected_share import CHANCE_PVALUE, _ratio_and_reach
from kappamax.maximum.forced_by_chance import compare_with_chance
from tests.support.strategies import examples, tables

ROOT = Path(__file__).parents[2]
TABLE = km.example("rapallo2022")
#: margins that differ by far more than chance
CLEAR = km.from_counts([[40, 30, 0], [0, 40, 30], [0, 0, 40]])


def comparison(table, weights="unweighted", n_resamples=400, seed=1):
    """Return the comparison with chance of a table."""
    solution = km.max_kappa(table, weights=weights).solution
    return compare_with_chance(solution, 0.95, n_resamples, np.random.default_rng(seed), 1, None)


def test_the_example_of_the_paper():
    """Unweighted, chance explains the margins (their maximum is 0.76); linearly weighted, it explains a part."""
    plain = km.maximum.share_of_maximum(TABLE, rng=1)
    assert plain.ratio == pytest.approx(0.4 / 0.76)
    assert plain.pvalue > CHANCE_PVALUE
    assert (plain.corrected_maximum, plain.share) == (1, plain.value)
    linear = km.maximum.share_of_maximum(TABLE, weights="linear", rng=1)
    assert linear.maximum < linear.corrected_maximum < 1
    assert linear.value < linear.share == float(linear) < linear.ratio
    assert linear.share == linear.value / linear.corrected_maximum


@settings(max_examples=examples(60), deadline=None)
@given(
    tables(max_raters=3),
    st.sampled_from(["unweighted", "linear", "sqrt"]),
    st.sampled_from(["kappa", "gwet", "fleiss"]),
)
def test_the_share_lies_between_the_coefficient_and_the_ratio(table, weights, coefficient):
    """The maximum only rises, never above 1; the interval contains the share and does not exceed 1."""
    options = {"weights": weights, "coefficient": coefficient}
    try:
        found = km.maximum.share_of_maximum(table, **options, n_resamples=20, rng=1)
    except km.errors.UndefinedKappaError:
        return
    best = km.max_kappa(table, **options)
    assert (found.value, found.maximum, found.ratio) == (best.value, best.maximum, best.ratio)
    assert (found.share is None) == (found.ci is None) == (found.ratio is None) == (found.reason is not None)
    if found.share is None:
        return
    assert found.maximum <= found.corrected_maximum <= 1
    assert min(found.value, found.ratio) - 1e-12 <= found.share <= max(found.value, found.ratio) + 1e-12
    assert found.ci[0] <= found.share <= found.ci[1] <= 1


def test_equal_margins_are_not_corrected():
    """The margins force nothing, so no resamples are drawn; the interval is that of kappa."""
    table = km.from_counts([[20, 5, 2], [4, 15, 3], [3, 2, 10]])
    assert (table.margins[0] == table.margins[1]).all()
    found = km.maximum.share_of_maximum(table, rng=1)
    assert (found.share, found.corrected_maximum, found.n_resamples, found.pvalue) == (found.value, 1, 0, 1)
    assert found.ci == pytest.approx(adjusted_interval(as_objective(table), 0.95), abs=1e-9)
    assert found.notes == ("the margins force no disagreement, so nothing was corrected",)


def test_clearly_different_margins_are_hardly_corrected():
    """The forced disagreement is smooth there, and its bias vanishes with many subjects."""
    small = km.maximum.share_of_maximum(CLEAR, weights="linear", rng=1)
    many = km.maximum.share_of_maximum(km.from_counts(10_000 * CLEAR.dense()), weights="linear", rng=1)
    assert small.pvalue == 1 / 1001
    assert abs(small.share - small.ratio) < 0.01
    assert abs(many.share - many.ratio) < 1e-4


def test_the_bias_is_that_of_a_plain_bootstrap():
    """Subtracting the prices changes the Monte Carlo error only."""
    found = comparison(TABLE, "linear", 4000)
    objective = as_objective(TABLE, weights="linear")
    rng, ends = np.random.default_rng(2), []
    cells = TABLE.dense()
    for counts in rng.multinomial(33, cells.ravel() / 33, size=4000):
        rows, columns = counts.reshape(4, 4).sum(axis=1), counts.reshape(4, 4).sum(axis=0)
        # linear weights: the area between the two distribution functions
        ends.append(np.abs(np.cumsum(rows - columns)).sum() / (3 * 33))
    forced = (1 - km.max_kappa(objective).maximum) * float(objective.expected)
    assert found.forced == pytest.approx(forced)
    assert abs(found.bias - (np.mean(ends) - forced)) < 4 * np.std(ends) * (2 / 4000) ** 0.5


def test_the_pvalue_is_that_of_exchanging_ratings_within_subjects():
    """Two categories: the forced disagreement is |b - c| / N, which the binomial distribution of b decides."""
    from scipy.stats import binomtest

    found = comparison(km.from_counts([[20, 9], [3, 18]]), n_resamples=4000)
    exact = binomtest(3, 12).pvalue
    assert abs(found.pvalue - exact) < 4 * (exact * (1 - exact) / 4000) ** 0.5 + 1 / 4000
    # the 95% quantile of |2 b - 12| / 50 for b ~ Bin(12, 1/2) is 6 / 50: P(|2 b - 12| >= 8) = 0.039
    assert found.least_forced == pytest.approx(0)


def test_the_lower_limit_of_the_forced_disagreement_by_enumeration():
    """Forced in the sample: 30 of 180. All exchanges of the 30 + 30 different ratings are enumerated."""
    from scipy.stats import binom

    chances = np.outer(binom.pmf(np.arange(31), 30, 0.5), binom.pmf(np.arange(31), 30, 0.5)).ravel()
    x, y = (2 * one.ravel() - 30 for one in np.mgrid[:31, :31])  # differences of the first and of the last margin
    forced = (np.abs(x) + np.abs(y - x) + np.abs(y)) / 2
    order = np.argsort(forced)
    quantile = forced[order][np.searchsorted(np.cumsum(chances[order]), 0.95)]
    found = comparison(CLEAR, n_resamples=2000)
    assert found.forced == pytest.approx(30 / 180)
    assert abs(found.least_forced - (30 - quantile) / 180) < 2.5 / 180  # forced numbers of subjects are even


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic", "sqrt"])
@pytest.mark.parametrize("coefficient", ["kappa", "fleiss", "krippendorff", "percent"])
def test_the_standard_error_of_the_ratio_is_that_of_the_bootstrap(weights, coefficient):
    """With many subjects and clearly different margins, the delta method equals the bootstrap within 4 errors."""
    table = km.from_counts(20 * np.array([[40, 21, 4], [2, 37, 25], [1, 3, 43]]))
    objective = as_objective(table, weights=weights, coefficient=coefficient)
    ratio, reach = _ratio_and_reach(objective, 0.95)
    found = km.maximum.bootstrap_ratio(
        table, weights=weights, coefficient=coefficient, method="percentile", n_resamples=400, rng=1
    )
    assert ratio == pytest.approx(found.value, abs=0.002)  # two pseudo-subjects among 3,520
    # a standard deviation of n normal values has the relative error 1 / sqrt(2 n)
    assert reach / 1.959964 == pytest.approx(found.se, rel=4 / 800**0.5)


def test_more_raters_have_the_same_standard_error_as_the_bootstrap():
    """Prices of three raters, one of whom uses the categories differently."""
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 4, size=3000)
    ratings = [np.where(rng.random(3000) < 0.7, truth, rng.choice([1, 2, 3], 3000, p=p)) for p in PLACES]
    table = km.from_ratings(np.stack(ratings, axis=1))
    _, reach = _ratio_and_reach(as_objective(table, weights="linear"), 0.95)
    found = km.maximum.bootstrap_ratio(table, weights="linear", method="percentile", n_resamples=300, rng=1)
    assert reach / 1.959964 == pytest.approx(found.se, rel=4 / 600**0.5)


PLACES = [[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.1, 0.2, 0.7]]


def test_the_result_does_not_depend_on_the_number_of_processes():
    """Each block of resamples has its own generator; another seed gives another result."""
    options = {"weights": "linear", "n_resamples": 250}
    one = km.maximum.share_of_maximum(TABLE, **options, rng=3)
    assert km.maximum.share_of_maximum(TABLE, **options, rng=3, n_jobs=2).to_dict() == one.to_dict()
    assert km.maximum.share_of_maximum(TABLE, **options, rng=4).share != one.share
    assert one.n_resamples == 250


def test_renaming_the_raters_changes_only_the_random_numbers():
    """The interval by formula is the same."""
    one = _ratio_and_reach(as_objective(TABLE, weights="linear"), 0.95)
    assert _ratio_and_reach(as_objective(TABLE.select([1, 0]), weights="linear"), 0.95) == pytest.approx(one)


@pytest.mark.parametrize("ratings", [([1, 1, 1], [1, 2, 2]), ([1], [2])])
def test_only_one_possible_value_is_a_named_case(ratings):
    """The ratio is 0/0; the result says so, shows it, and converts to NaN."""
    found = km.maximum.share_of_maximum(*ratings, rng=1)
    assert (found.ratio, found.share, found.ci, found.corrected_maximum, found.n_resamples) == (None,) * 4 + (0,)
    assert found.reason == "the margins allow one value only"
    assert np.isnan(float(found))
    assert "undefined: the margins allow one value only" in repr(found)


def test_undefined_kappa_is_an_error():
    """All ratings in one category."""
    with pytest.raises(km.errors.UndefinedKappaError, match="both raters used only 1"):
        km.maximum.share_of_maximum([1, 1], [1, 1])


def test_missing_ratings_are_refused():
    """The error names the function that takes them."""
    with pytest.raises(km.errors.NotSupportedError, match=r"complete ratings; .* is 1\. Use maximum.bootstrap_ratio"):
        km.maximum.share_of_maximum([1, None, 2], [1, 2, 2])


def test_weights_that_depend_on_the_ratings_are_refused():
    """Krippendorff's ordinal metric changes from resample to resample."""
    with pytest.raises(km.errors.NotSupportedError, match="weights that do not depend on the ratings; got"):
        km.maximum.share_of_maximum(TABLE, weights="ordinal", coefficient="krippendorff")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1}, "level must lie between 0 and 1; got 1"),
        ({"n_resamples": 1}, "n_resamples must be a whole number >= 2; got 1"),
        ({"n_resamples": 10**7}, "n_resamples must be at most 1,000,000; got 10,000,000"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0"),
        ({"rng": -1}, "rng must be a whole number >= 0"),
    ],
)
def test_options_are_checked(options, message):
    """Each message names the option, the rule and what came."""
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        km.maximum.share_of_maximum(TABLE, **options)


def test_huge_counts():
    """With 10^18 subjects nothing is left to chance."""
    found = km.maximum.share_of_maximum(km.from_counts([[10**18, 10**17], [2 * 10**17, 10**18]]), rng=1)
    assert found.share == pytest.approx(found.ratio, abs=1e-8)
    assert found.ci[1] - found.ci[0] < 1e-7


def test_perfect_agreement_has_an_interval_with_width():
    """All agree, also where the margins force disagreement: the upper limit is 1, the lower one below it."""
    for counts in ([[5, 0], [0, 6]], [[15, 10], [0, 15]]):
        found = km.maximum.share_of_maximum(km.from_counts(counts), rng=1)
        assert found.ratio == 1
        assert found.ci[0] < 0.9 < found.ci[1] == 1


def test_most_of_the_bias_is_removed_if_margins_are_equal():
    """Four equally likely categories, 33 subjects, kappa 0.6: other studies give the documented means."""
    from benchmarks.share_of_maximum import EQUAL_MARGINS, simulate

    n, n_documented = 400, 4000
    found = simulate(EQUAL_MARGINS, n, seed=7)
    for values, documented in ((found.maxima, 0.857), (found.ratios, 0.690), (found.shares, 0.611)):
        error = values.std() * (1 / n + 1 / n_documented) ** 0.5
        assert abs(values.mean() - documented) < 4 * error + 0.0005
    assert abs(found.covered.mean() - 0.973) < 4 * (0.973 * 0.027 * (1 / n + 1 / n_documented)) ** 0.5 + 0.0005


def test_the_population_of_the_simulation_has_the_share_it_says():
    """Kappa of the population divided by its maximum, computed from a table of 10^8 subjects."""
    from benchmarks.share_of_maximum import Setting

    for weights in ("unweighted", "linear", "quadratic"):
        cells = Setting(4, weights, True, "clearly different", 0.6, 33).population()
        table = km.from_counts(np.rint(10**9 * cells).astype(int))
        assert km.max_kappa(table, weights=weights).ratio == pytest.approx(0.6, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("row", range(10))
def test_the_coverage_of_the_worst_settings_is_as_documented(row):
    """Other random studies give the documented coverage within four Monte Carlo errors of both simulations."""
    from benchmarks.share_of_maximum import Setting, simulate

    page = (ROOT / "docs" / "howto" / "share-of-the-maximum.md").read_text(encoding="utf-8")
    lines = [line.strip("| \n").split(" | ") for line in page.splitlines() if line.startswith("| k = ")]
    assert len(lines) == 10
    name, n, _, again = (cell.strip() for cell in lines[row])
    k, weights, shape, margins, share = name.split(", ")
    setting = Setting(
        int(k.removeprefix("k = ")),
        weights,
        shape == "skewed",
        margins,
        float(share.removeprefix("share ")),
        int(n),
    )
    documented, n_documented, n_studies = float(again.removesuffix(" %")) / 100, 1000, 400
    found = simulate(setting, n_studies, seed=3)
    spread = (documented * (1 - documented)) ** 0.5
    assert abs(found.covered.mean() - documented) < 4 * spread * (1 / n_studies + 1 / n_documented) ** 0.5 + 0.0005
    assert documented >= 0.88


@pytest.mark.slow
@pytest.mark.parametrize("margins", ["equal", "slightly different", "clearly different"])
@pytest.mark.parametrize("n", [33, 100])
def test_the_mean_coverage_is_at_least_the_level(margins, n):
    """All designs together, share 0.6: the coverage is not below 95% by more than four Monte Carlo errors.

    The correction reduces the bias where margins are equal, and the mean bias is at most 0.03 in any case.
    """
    from benchmarks.share_of_maximum import DESIGNS, Setting, simulate

    found = [simulate(Setting(k, weights, k % 2 == 1, margins, 0.6, n), 80, seed=4) for k, weights in DESIGNS]
    covered = np.concatenate([one.covered for one in found])
    assert covered.mean() > 0.95 - 4 * (0.95 * 0.05 / len(covered)) ** 0.5
    shares, ratios = (np.concatenate([getattr(one, name) for one in found]) for name in ("shares", "ratios"))
    assert abs(shares.mean() - 0.6) < 0.03 + 4 * shares.std() / len(shares) ** 0.5
    if margins == "equal":
        assert shares.mean() < ratios.mean() - 0.01
