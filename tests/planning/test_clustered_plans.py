"""Studies in clusters need more subjects: the design effect, the degrees of freedom, and simulated studies."""

from math import ceil, sqrt

import numpy as np
import pytest
from scipy import stats

import kappamax as km
from tests.support.flat_settings import sample_size

TWO = {"margins": [0.7, 0.3], "kappa": 0.6}
IN_FIVES = {"cluster_size": 5, "icc": 0.1}


def test_the_design_effect_by_hand():
    """It is 1 + (5 - 1) * 0.1, and 1 + (5 * (1 + 0.5^2) - 1) * 0.1 if the coefficient of variation is 0.5."""
    plan = sample_size(**TWO, width=0.2, **IN_FIVES)
    assert plan.design_effect == pytest.approx(1.4)
    assert plan.n_subjects == 5 * plan.n_clusters
    varied = sample_size(**TWO, width=0.2, **IN_FIVES, cluster_cv=0.5)
    assert varied.design_effect == pytest.approx(1.525)
    assert varied.n_subjects > plan.n_subjects


def test_the_width_of_many_clusters_by_hand():
    """For percent agreement the variance is p(1 - p) D / N; pseudo-subjects and degrees of freedom matter little."""
    plan = sample_size(margins=[0.5, 0.5], kappa=0.8, coefficient="percent", width=0.02, cluster_size=4, icc=0.5)
    by_hand = (2 * stats.norm.ppf(0.975) / 0.02) ** 2 * 0.8 * 0.2 * 2.5
    assert plan.n_subjects == pytest.approx(by_hand, rel=0.003)
    assert plan.n_clusters == plan.n_subjects / 4


def test_the_number_of_clusters_determines_the_degrees_of_freedom():
    """The planned width is the quantile of Student's t with the clusters and four pseudo-clusters, less one.

    With equal subjects in each cluster, C clusters of M subjects have the center and the spread of C subjects.
    """
    plan = sample_size(margins=[0.5, 0.5], kappa=0.6, width=0.6, cluster_size=10, icc=1)
    n_pseudo = stats.norm.ppf(0.975) ** 2
    n = plan.n_clusters + n_pseudo
    table = plan.table.like(plan.table.patterns, plan.table.counts)
    alone = sample_size(table, width=0.6)
    assert (plan.design_effect, alone.n_clusters) == (10, None)
    widths = [_usual_width(one, plan.table) for one in (plan.n_clusters, plan.n_clusters - 1)]
    factor = stats.t.ppf(0.975, n - 1) * sqrt(n / (n - 1)) / stats.norm.ppf(0.975)
    assert plan.expected_width == pytest.approx(factor * widths[0])
    assert plan.expected_width <= 0.6 < factor * widths[1]
    assert plan.n_clusters > alone.n_subjects


def _usual_width(n, population):
    """Return the width of the adjusted interval of Cohen's kappa of n independent subjects."""
    from kappamax.coefficients import as_objective
    from kappamax.confidence_intervals import adjusted_intervals_at

    counts = population.counts * (n / population.n_subjects)
    return float(adjusted_intervals_at(as_objective(population), counts, 0.95)[2])


@pytest.mark.parametrize("goal", [{"width": 0.2}, {"power": 0.8, "null": 0.4, "variance": "estimate"}])
def test_uncorrelated_subjects_need_hardly_more(goal):
    """With a correlation of 0 only the degrees of freedom differ."""
    alone = sample_size(**TWO, **goal, n_draws=0)
    plan = sample_size(**TWO, **goal, cluster_size=2, icc=0)
    assert plan.design_effect == 1
    assert alone.n_subjects <= plan.n_subjects <= 1.06 * alone.n_subjects


def test_sizes_need_not_be_whole():
    """The subjects of C clusters are rounded up, and the number of clusters is the one that was found."""
    for size in (1, 1.1, 2.5, 3.7, 12):
        plan = sample_size(**TWO, width=0.3, cluster_size=size, icc=0.2)
        assert plan.n_subjects == ceil(round(size * plan.n_clusters, 6))
        assert plan.expected_width <= 0.3


def test_power_in_clusters():
    """More correlation needs more subjects; there is no critical value, because studies estimate the standard error."""
    sizes = []
    for icc in (0, 0.1, 0.5, 1):
        plan = sample_size(**TWO, power=0.8, null=0.4, cluster_size=5, icc=icc)
        assert plan.expected_power >= 0.8
        assert plan.critical_value is None
        sizes.append(plan.n_subjects)
    assert sizes == sorted(set(sizes))
    below = sample_size(margins=[0.7, 0.3], kappa=0.2, power=0.8, null=0.5, alternative="less", **IN_FIVES)
    two_sided = sample_size(margins=[0.7, 0.3], kappa=0.2, power=0.8, null=0.5, alternative="two-sided", **IN_FIVES)
    assert below.n_subjects < two_sided.n_subjects


def test_text_and_rows_name_the_clusters():
    """The first sentence has both numbers, the second one the design effect."""
    plan = sample_size(**TWO, width=0.2, **IN_FIVES)
    first, second, *_ = plan.sentences()
    assert first.startswith("If Cohen's kappa is 0.6, 430 subjects in 86 clusters, each rated by 2 raters, give")
    assert "a correlation of 0.1; with 5 subjects per cluster on average, the variance is 1.4 times" in second
    assert "clusters needed" in repr(plan)
    few = sample_size(**TWO, width=0.9, cluster_size=20, icc=0.1)
    assert any("standard errors over as few as" in note for note in few.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster_size": 5}, "needs cluster_size and icc; icc is missing"),
        ({"icc": 0.1}, "needs cluster_size and icc; cluster_size is missing"),
        ({"cluster_cv": 0.1}, "needs cluster_size and icc; cluster_size is missing"),
        ({"cluster_size": 0.5, "icc": 0.1}, "cluster_size must lie between 1 and 1,000,000 subjects; got 0.5"),
        ({"cluster_size": "a", "icc": 0.1}, "cluster_size must be a finite number; got 'a'"),
        ({"cluster_size": 5, "icc": 1.1}, "icc must lie between 0 and 1; got 1.1"),
        ({"cluster_size": 5, "icc": -0.1}, "icc must lie between 0 and 1; got -0.1"),
        ({"cluster_size": 5, "icc": float("nan")}, "icc must be a finite number; got nan"),
        (IN_FIVES | {"cluster_cv": -1}, "cluster_cv must lie between 0 and 100; got -1"),
        (IN_FIVES | {"method": "simulation"}, "simulated studies have independent subjects; for clusters use"),
        (IN_FIVES | {"n_draws": 100}, "simulated studies have independent subjects; for clusters use"),
        (IN_FIVES | {"variance": "exact"}, "the exact test, which is for independent subjects"),
        (IN_FIVES | {"assurance": 0.9}, "assurance is for independent subjects"),
        (IN_FIVES | {"width": 1e-9}, "would need more than 1,000,000,000,000 subjects"),
    ],
)
def test_clusters_that_cannot_be_planned(options, message):
    """The error names the option and the rule."""
    with pytest.raises((km.errors.InvalidOptionError, km.errors.NotSupportedError), match=message):
        sample_size(**TWO | {"width": 0.2} | options)


def pilot_of(codes, clusters):
    return km.Table(codes, None, [1, 2, 3], ordered=True, clusters=clusters)


@pytest.fixture
def pilot():
    """Thirty clusters of one to six subjects; half of the subjects share the ratings of their cluster."""
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(30), rng.integers(1, 7, 30))
    common, own = (_ratings(rng, size) for size in (30, len(clusters)))
    return pilot_of(np.where(rng.random((len(clusters), 1)) < 0.7, common[clusters], own), clusters)


def _ratings(rng, size):
    """Return ratings of two raters with kappa 0.6."""
    first = rng.integers(0, 3, size)
    return np.column_stack([first, np.where(rng.random(size) < 0.6, first, rng.integers(0, 3, size))])


def test_a_pilot_with_clusters_gives_the_design_effect(pilot):
    """It is the ratio of the variances over clusters and over subjects, and the sizes are those of the pilot."""
    plan = km.sample_size(pilot, width=0.2, weights="linear")
    options = {"weights": "linear", "method": "delta"}
    alone = pilot.like(pilot.patterns, pilot.counts)
    ratio = (km.standard_error(pilot, **options).se / km.standard_error(alone, **options).se) ** 2
    assert ratio > 1
    assert plan.design_effect == pytest.approx(ratio)
    assert plan.pilot_design_effect == pytest.approx(ratio)
    assert plan.cluster_size == pytest.approx(pilot.n_subjects / 30)
    assert "are taken from the pilot, with a correlation of" in " ".join(plan.sentences())
    larger = km.sample_size(pilot, width=0.2, weights="linear", cluster_size=10, cluster_cv=0)
    assert larger.icc == pytest.approx(plan.icc)
    assert larger.design_effect == pytest.approx(1 + 9 * plan.icc)
    given = km.sample_size(pilot, width=0.2, weights="linear", icc=0.25)
    assert (given.icc, given.pilot_design_effect) == (0.25, None)


def test_a_study_like_the_pilot_has_the_width_of_the_pilot(pilot):
    """Planned for the interval of the pilot itself, the study has about as many clusters as the pilot."""
    low, high = km.kappa(pilot, weights="linear").ci
    plan = km.sample_size(pilot, width=high - low, weights="linear")
    assert abs(plan.n_clusters - 30) <= 1


def test_pilots_without_an_estimate():
    """One cluster, perfect agreement, and clusters of one subject do not say how alike subjects are."""
    codes = [[0, 0], [1, 1], [2, 1], [2, 2]]
    with pytest.raises(km.errors.InvalidOptionError, match="fewer than two clusters of the pilot"):
        km.sample_size(pilot_of(codes, [0] * 4), width=0.2)
    with pytest.raises(km.errors.InvalidOptionError, match="standard error of the coefficient in the pilot"):
        km.sample_size(pilot_of([[0, 0], [1, 1], [2, 2], [0, 0]], [0, 0, 1, 1]), width=0.2)
    single = pilot_of(codes, range(4))
    with pytest.raises(km.errors.InvalidOptionError, match="every cluster of the pilot has one subject"):
        km.sample_size(single, width=0.2, cluster_size=3)
    assert km.sample_size(single, width=0.2).design_effect == 1
    assert km.sample_size(single, width=0.2, cluster_size=3, icc=0.5).design_effect == 2


def test_a_design_effect_below_one_counts_as_one():
    """A note says so: each cluster has one subject that agrees and one that does not."""
    codes = [[0, 0], [0, 1], [1, 1], [1, 0], [0, 0], [1, 0]]
    plan = km.sample_size(pilot_of(codes, [0, 0, 1, 1, 2, 2]), width=0.2)
    assert plan.pilot_design_effect < 1
    assert (plan.icc, plan.design_effect) == (0, 1)
    assert any("a ratio below 1 is most likely due to chance" in note for note in plan.notes)


def test_missing_ratings_in_clusters():
    """Clusters without ratings to compare do not count."""
    codes = [[0, 0], [0, 1], [1, 1], [1, 0], [0, 0], [1, 0], [1, -1], [-1, 0], [1, 1], [1, 1]]
    plan = km.sample_size(
        pilot_of(codes, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]), width=0.3, coefficient="gwet", cluster_size=2, icc=0.1
    )
    full = km.sample_size(
        pilot_of(codes[:6] + codes[8:], [0, 0, 1, 1, 2, 2, 4, 4]),
        width=0.3,
        coefficient="gwet",
        cluster_size=2,
        icc=0.1,
    )
    assert plan.n_subjects > full.n_subjects


def _study(plan, rng):
    """Return the table of a study: each subject has the ratings of its cluster with probability sqrt(icc)."""
    size, population = int(plan.cluster_size), plan.table
    shares = population.counts / population.n_subjects
    own = rng.choice(len(shares), p=shares, size=(plan.n_clusters, size))
    common = rng.choice(len(shares), p=shares, size=(plan.n_clusters, 1))
    rows = np.where(rng.random(own.shape) < sqrt(plan.icc), common, own).ravel()
    clusters = np.repeat(np.arange(plan.n_clusters), size)
    return km.Table(
        population.patterns[rows], None, population.categories, population.raters, ordered=True, clusters=clusters
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        TWO | {"width": 0.2, "cluster_size": 5, "icc": 0.1},
        {"margins": [0.3, 0.3, 0.4], "kappa": 0.5, "n_raters": 3, "width": 0.25, "cluster_size": 4, "icc": 0.5},
        {"margins": [0.2, 0.3, 0.5], "kappa": 0.7, "coefficient": "gwet", "width": 0.2, "cluster_size": 3, "icc": 0.2},
    ],
)
def test_simulated_clustered_intervals_are_as_wide_as_planned(options):
    """The mean width is the planned one or up to 5% below it: standard errors over few clusters are small."""
    plan = km.sample_size(**options)
    rng = np.random.default_rng(7)
    coefficient = options.get("coefficient", "kappa")
    found = [km.agreement(_study(plan, rng), coefficient=coefficient).ci for _ in range(400)]
    widths = np.diff(found)[:, 0]
    error = 4 * widths.std() / sqrt(len(widths))
    assert 0.95 * options["width"] - error < widths.mean() < options["width"] + error
    held = np.mean([low <= plan.assumed <= high for low, high in found])
    assert held > 0.95 - 4 * sqrt(0.95 * 0.05 / 400)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        TWO | {"null": 0.4, "cluster_size": 5, "icc": 0.1},
        {"margins": [0.5, 0.5], "kappa": 0.6, "null": 0.4, "cluster_size": 10, "icc": 0.3},
        {"margins": [0.3, 0.3, 0.4], "kappa": 0.7, "null": 0.4, "weights": "linear", "cluster_size": 5, "icc": 0.2},
    ],
)
def test_simulated_clustered_tests_have_the_planned_power(options):
    """`value_test` rejects in 80% of the studies or a little more; four points are the bias that the docs state."""
    plan = km.sample_size(**options, power=0.8)
    rng = np.random.default_rng(8)
    test = {"null": 0.4, "weights": options.get("weights", "unweighted")}
    rejected = np.mean([km.value_test(_study(plan, rng), **test).pvalue <= 0.05 for _ in range(400)])
    error = 4 * sqrt(0.8 * 0.2 / 400)
    assert 0.8 - error < rejected < 0.84 + error
