"""Studies are simulated in which all groups have the same coefficient."""

import numpy as np
import pytest

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.group_comparisons.group_estimates import Estimates, group_estimates
from kappamax.group_comparisons.null_studies import NullStudies, null_studies, null_studies_obstacle


def test_pvalues_by_hand():
    """Four studies of three groups with standard errors of one; the observed study counts as a fifth."""
    studies = NullStudies(
        np.array([[0.0, 0.0, 3.0], [1.0, -1.0, 0.0], [0.0, 0.0, 0.0], [-4.0, 4.0, 0.0]]), np.ones((4, 3))
    )
    observed = Estimates(np.array([0.5, 0.5, 2.5]), np.ones(3), np.ones(3))
    # sums of squares around the mean: observed 8/3; studies 6, 2, 0 and 32
    assert studies.equality_pvalue(observed) == pytest.approx(3 / 5)
    # largest |difference| / sqrt(2): studies 3, 2, 0 and 8 over sqrt(2); observed 0, 2 and 2 over sqrt(2)
    first, second = np.triu_indices(3, 1)
    assert studies.pair_pvalues(observed, first, second) == pytest.approx([1.0, 4 / 5, 4 / 5])
    # slope with factors (-1, 0, 1): observed 2, studies 3, 1, 0 and 4 in absolute value
    assert studies.contrast_pvalue(observed, np.array([-1.0, 0.0, 1.0])) == pytest.approx(3 / 5)


def test_two_groups_have_one_pvalue():
    """The test of equality, of the difference and of the trend are the same for two groups."""
    found = km.compare_groups(
        {"a": km.from_counts([[20, 5], [10, 15]]), "b": km.from_counts([[30, 5], [2, 15]])}, trend=[3, 7], n_draws=500
    )
    assert found.homogeneity.pvalue == found.differences[0].pvalue == found.trend.pvalue


def test_a_naive_simulation_gives_the_same_pvalue():
    """Tables of both groups are drawn one at a time from mixtures with independence, with the same kappa."""
    a, b = np.array([[14, 3], [2, 6]]), np.array([[20, 12], [9, 25]])
    found = km.compare_groups({"a": km.from_counts(a), "b": km.from_counts(b)}, n_draws=4000)
    pseudo = 1.959964**2
    shared = [cells + pseudo / 4 * cells.sum() / (a.sum() + b.sum()) for cells in (a, b)]
    weights = [cells.sum() * (1 - _chance(cells)) for cells in (a, b)]
    null = np.average([_kappa(cells) for cells in shared], weights=weights)
    populations = [_mixture(cells + pseudo / 4, null) for cells in (a, b)]

    def statistic(first, second):
        cells = [first + pseudo / 4, second + pseudo / 4]
        gap = _kappa(cells[0]) - _kappa(cells[1])
        return gap**2 / sum(_variance(one) for one in cells)

    observed = statistic(a, b)
    assert found.homogeneity.statistic == pytest.approx(observed, rel=1e-4)
    rng = np.random.default_rng(8)
    drawn = [
        statistic(rng.multinomial(25, p.ravel()).reshape(2, 2), rng.multinomial(66, q.ravel()).reshape(2, 2))
        for p, q in [populations] * 4000
    ]
    share = np.mean(np.array(drawn) >= observed)
    assert abs(found.homogeneity.pvalue - share) < 4 * (2 * share * (1 - share) / 4000) ** 0.5 + 1 / 4000


def _chance(cells):
    shares = cells / cells.sum()
    return shares.sum(axis=1) @ shares.sum(axis=0)


def _kappa(cells):
    chance = _chance(cells)
    return (np.trace(cells) / cells.sum() - chance) / (1 - chance)


def _variance(cells):
    """Return the variance by numerical derivatives with respect to the counts."""
    slopes = np.empty((2, 2))
    for place in np.ndindex(2, 2):
        step = np.zeros((2, 2))
        step[place] = 1e-4
        slopes[place] = (_kappa(cells + step) - _kappa(cells - step)) / 2e-4
    mean = (cells * slopes).sum() / cells.sum()
    return (cells * (slopes - mean) ** 2).sum()


def _mixture(cells, null):
    """Return shares with the margins of the cells and the null value, a mixture with independence or the maximum."""
    shares = cells / cells.sum()
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    other = np.outer(rows, columns)
    if _kappa(shares) < null:
        other = np.diag(np.minimum(rows, columns))
        other[0, 1], other[1, 0] = max(0, rows[0] - columns[0]), max(0, columns[0] - rows[0])
    share = (null - _kappa(other)) / (_kappa(shares) - _kappa(other))
    return share * shares + (1 - share) * other


def test_simulated_groups_have_the_null_value():
    """The mean of the deviations is near the bias of the pseudo-subjects, and errors estimate their spread."""
    tables = [km.from_counts([[40, 10, 5], [8, 50, 9], [4, 6, 60]]), km.from_counts([[90, 2, 1], [3, 3, 0], [1, 0, 2]])]
    objectives = [as_objective(table, weights="quadratic") for table in tables]
    studies = null_studies(objectives, 0.55, 4000, np.random.default_rng(1))
    assert studies.deviations.shape == studies.errors.shape == (4000, 2)
    spread = studies.deviations[:, 0].std()
    assert abs(studies.deviations[:, 0].mean()) < 0.2 * spread
    assert studies.errors[:, 0].mean() == pytest.approx(spread, rel=0.1)


def test_studies_in_which_the_coefficient_is_undefined_are_replaced():
    """Most tables of three subjects with a rare category have one category only."""
    objective = as_objective(km.from_ratings([[1, 1], [1, 1], [1, 2]], categories=[1, 2]))
    studies = null_studies([objective, objective], 0.0, 300, np.random.default_rng(1))
    assert np.isfinite(studies.deviations).all()
    assert (studies.errors > 0).all()


def test_obstacles_name_the_group():
    """Missing ratings, clusters, one subject, too many subjects or patterns, and weights that depend on the ratings."""
    good = km.from_counts([[3, 1], [1, 3]])
    clustered = km.Table([[0, 0], [0, 1]], [2, 3], [1, 2], ordered=True, clusters=[1, 2])
    ordinal = {"coefficient": "krippendorff", "weights": "ordinal"}
    cases = [
        ("some ratings of group 'bad' are missing", km.from_ratings([[1, 2], [2, None], [1, 1]]), {}),
        ("the subjects of group 'bad' are in clusters", clustered, {}),
        ("group 'bad' has only one subject", km.from_ratings([[1, 2]]), {}),
        ("group 'bad' has more than 1,000,000,000 subjects", km.from_counts([[10**9, 1], [2, 3]]), {}),
        (
            "more than 1,000 patterns of ratings are possible in group 'bad'",
            km.from_counts(np.eye(32, dtype=int) + 1),
            {},
        ),
        ("krippendorff-ordinal weights depend on how often each category is used", good, ordinal),
    ]
    for words, table, options in cases:
        objectives = [as_objective(good), as_objective(table, **options)]
        assert null_studies_obstacle(["good", "bad"], objectives) == words
    assert null_studies_obstacle(["good"], [as_objective(good)]) is None


def test_estimates_of_one_table_are_those_of_the_adjusted_interval():
    """The center and the standard error with all pseudo-subjects give the limits of `km.agreement`."""
    table = km.from_counts([[20, 5, 1], [10, 15, 2], [1, 1, 9]])
    (center,), (error,), _ = group_estimates([as_objective(table, weights="linear")], 0.95, [1.0])
    low, high = km.agreement(table, weights="linear").ci
    assert (center - 1.959964 * error, center + 1.959964 * error) == pytest.approx((low, high), abs=1e-6)
