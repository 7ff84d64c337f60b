"""P-values of tests against a value are simulated in a population with the null value."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kappamax as km
from benchmarks.value_test_levels import N_STUDIES, SIZES, Setting, cell_seed, rejections
from benchmarks.value_test_levels import settings as studied_settings
from kappamax.coefficients import as_objective
from kappamax.null_simulation import _smoothed, simulated_test
from tests.support.page_blocks import ROOT
from tests.support.strategies import examples, tables


def test_the_smoothed_table_by_hand():
    """Two raters, two categories: 1.96^2 / 4 subjects are added to each cell; three raters: 1.96^2 / 2 in all."""
    added = 1.959964**2
    small = as_objective(km.from_counts([[3, 1], [0, 6]]))
    expected = np.array([[3, 1], [0, 6]]) + added / 4
    assert _smoothed(small).dense() / 1e6 == pytest.approx(expected, abs=2e-6)
    three = as_objective(km.from_ratings([[1, 1, 1], [1, 2, 1]]))
    dense = _smoothed(three).dense() / 1e6
    independent, alike = 0.7 * added / 2 / 8, 0.3 * added / 2 / 2
    assert dense[0, 0, 0] == pytest.approx(1 + independent + alike, abs=2e-6)
    assert dense[0, 1, 0] == pytest.approx(1 + independent, abs=2e-6)
    assert dense[1, 1, 0] == pytest.approx(independent, abs=2e-6)


def test_pvalues_are_found_again_one_study_at_a_time():
    """A naive loop over studies from the mixture with independence, with the public adjusted interval, agrees."""
    table, null, n_draws = km.from_counts([[14, 3], [2, 6]]), 0.2, 4000
    test = km.value_test(table, null=null, n_draws=n_draws)
    smooth = np.array([[14, 3], [2, 6]]) + 1.959964**2 / 4
    smooth /= smooth.sum()
    independent = np.outer(smooth.sum(axis=1), smooth.sum(axis=0))
    expected = np.trace(independent)
    kappa = (np.trace(smooth) - expected) / (1 - expected)
    population = independent + null / kappa * (smooth - independent)

    def statistic(counts):
        pseudo = np.asarray(counts) + 1.959964**2 / 4
        return (_kappa(pseudo) - null) / _standard_error(pseudo)

    observed = statistic([[14, 3], [2, 6]])
    assert test.statistic == pytest.approx(observed, rel=1e-5)
    rng = np.random.default_rng(5)
    drawn = [statistic(one.reshape(2, 2)) for one in rng.multinomial(25, population.ravel(), size=n_draws)]
    share = np.mean(np.array(drawn) >= observed - 1e-9)
    assert abs(test.pvalue - share) < 4 * (2 * share * (1 - share) / n_draws) ** 0.5 + 1 / n_draws


def _kappa(cells):
    shares = cells / cells.sum()
    expected = shares.sum(axis=1) @ shares.sum(axis=0)
    return (np.trace(shares) - expected) / (1 - expected)


def _standard_error(cells):
    """Return the standard error by numerical derivatives with respect to the counts."""
    slopes = np.empty((2, 2))
    for cell in product((0, 1), repeat=2):
        step = np.zeros((2, 2))
        step[cell] = 1e-4
        slopes[cell] = (_kappa(cells + step) - _kappa(cells - step)) / 2e-4
    mean = (cells * slopes).sum() / cells.sum()
    return (cells * (slopes - mean) ** 2).sum() ** 0.5


@given(tables(max_raters=3, max_categories=3), st.sampled_from(["kappa", "fleiss", "gwet", "krippendorff", "percent"]))
@settings(max_examples=examples(40), deadline=None)
def test_every_coefficient_has_a_simulated_test(table, coefficient):
    """P-values lie between 1 / (n + 1) and 1, sides complete each other, and larger null values are less likely."""
    assume(table.n_subjects > 1)
    try:
        objective = as_objective(table, weights="linear", coefficient=coefficient)
        objective.value(objective.score)
    except km.errors.UndefinedKappaError:
        assume(False)
    low, high = (simulated_test(objective, null, 200, np.random.default_rng(1)) for null in (0.05, 0.9))
    for found in (low, high):
        assert 1 / (found.n_defined + 1) <= min(found.below, found.above)
        assert 1 <= found.below + found.above <= 2
        assert found.se > 0
    assert low.statistic > high.statistic


def test_the_same_ratings_have_the_same_pvalue():
    """The default seed is fixed; another one gives another p-value within the Monte Carlo error."""
    t = km.from_counts([[20, 5], [10, 15]])
    first, again, other = (km.value_test(t, null=0.2, rng=seed) for seed in (0, 0, 1))
    assert first == again
    assert first.pvalue != other.pvalue
    assert abs(first.pvalue - other.pvalue) < 4 * (2 * first.pvalue / 10_000) ** 0.5


def test_a_pvalue_without_an_extreme_study_is_an_upper_bound():
    """It is shown as such."""
    test = km.value_test(km.from_counts([[50, 1], [1, 50]]), null=0.1, n_draws=99)
    assert (test.pvalue, test.n_draws, test.at_most) == (0.01, 99, True)
    assert "<= 0.01" in repr(test)
    assert "simulation, 99 studies" in repr(test)
    assert not km.value_test(km.from_counts([[20, 5], [10, 15]]), null=0.4).at_most


@pytest.mark.parametrize(
    ("counts", "options", "method"),
    [
        ([[400, 100], [100, 400]], {}, "simulation"),
        ([[401, 100], [100, 400]], {}, "null"),
        ([[401, 100], [100, 400]], {"method": "simulation", "n_draws": 10}, "simulation"),
        ([[4, 1], [1, 4]], {"null": 1}, "null"),
        (np.eye(32, dtype=int) + 1, {"n_draws": 10}, "null"),
    ],
)
def test_large_studies_and_the_value_one_are_not_simulated(counts, options, method):
    """The rule of `auto` is tested at its limits: 1,000 subjects and 1,000 patterns."""
    assert km.value_test(km.from_counts(counts), **{"null": 0.3} | options).method == method


@pytest.mark.parametrize(
    ("ratings", "options", "message"),
    [
        ([[1, 2], [2, None], [1, 1]], {}, "of which some are missing"),
        ([[1, 2]], {"categories": [1, 2]}, "there is only one subject"),
        ([[1, 2], [2, 1], [1, 1]], {"null": 1}, "all studies with the null value 1 are without disagreement"),
        (np.arange(64).reshape(32, 2) // 2, {}, "at most 1,000 possible patterns; there are 32^2"),
    ],
)
def test_where_nothing_can_be_simulated_the_method_is_refused(ratings, options, message):
    """The error names the obstacle."""
    categories = options.get("categories")
    table = km.from_ratings(ratings, raters=["a", "b"], categories=categories)
    with pytest.raises(km.errors.NotSupportedError, match="method 'simulation' is not available") as caught:
        km.value_test(table, method="simulation", null=options.get("null", 0.2))
    assert message in str(caught.value)


def documented_levels():
    """Return the rows of the table of levels in the documentation."""
    page = (ROOT / "docs" / "howto" / "testing-a-value.md").read_text(encoding="utf-8")
    lines = [line.strip("| \n").split("|") for line in page.splitlines() if line.startswith(("| 2 ", "| 3 "))]
    return [[cell.strip() for cell in line] for line in lines if len(line) == 14]


def test_the_documented_levels_are_those_of_the_study():
    """There is one row per setting, and no simulated test rejects a true value in more than 9% of the studies."""
    rows = documented_levels()
    assert [row[:5] for row in rows] == [
        [f"{one:g}" if isinstance(one, float) else str(one) for one in setting] for setting in studied_settings()
    ]
    assert max(float(cell) for row in rows for cell in row[5:]) < 9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "n"),
    [
        (Setting(2, 2, "unweighted", 0.9, 0.6), 20),
        (Setting(2, 3, "quadratic", 0.9, 0.4), 50),
        (Setting(3, 3, "quadratic", 0.9, 0.6), 20),
        (Setting(3, 2, "unweighted", 0.9, 0.4), 50),
    ],
)
def test_the_levels_in_the_documentation_are_found_again(setting, n):
    """Other random studies give the documented levels within four Monte Carlo errors of both simulations."""
    row = documented_levels()[list(studied_settings()).index(setting)]
    n_studies = 300
    found = rejections(setting, n, n_studies, [*cell_seed(setting, n), 1])
    for i, (side, size) in enumerate(product(("greater", "less", "two-sided"), SIZES)):
        if size == n:
            level = float(row[5 + i]) / 100
            error = 4 * (max(level, 0.01) * (1 / n_studies + 1 / N_STUDIES)) ** 0.5 + 0.0005
            assert abs(found["simulation", side] - level) < error
