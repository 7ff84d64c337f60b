"""Several coefficients of the same subjects with their joint sampling variation, and tests of their equality."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import kappamax as km
from kappamax.hotelling import differences_of, equality_test, pvalue_by_f, studentised
from kappamax.joint_coefficients import Deviations, joint_coefficients
from kappamax.joint_inference import as_settings, joint_estimates, quantile_beyond, share_beyond
from kappamax.standard_errors import slopes
from tests.support.strategies import examples

COEFFICIENTS = ("kappa", "fleiss", "gwet", "brennan-prediger", "krippendorff", "percent")


@st.composite
def clustered(draw, *, missing=True):
    """Return a table of three or four raters with or without clusters, and two or three specs."""
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    n, r = draw(st.integers(6, 30)), draw(st.integers(3, 4))
    codes = rng.integers(0, 3, (n, r))
    codes = np.where(rng.random((n, r)) < 0.6, codes[:, :1], codes)
    if missing and draw(st.booleans()):
        codes[rng.random((n, r)) < 0.2] = -1
    codes[0], codes[1], codes[2] = 0, 1, 2
    clusters = rng.integers(0, n // 2, n) if draw(st.booleans()) else None
    table = km.Table(codes, rng.integers(1, 4, n), (0, 1, 2), ordered=True, clusters=clusters)
    specs = [
        {
            "raters": rng.choice(r, rng.integers(2, r + 1), replace=False).tolist(),
            "weights": str(rng.choice(["unweighted", "linear", "quadratic"])),
            "coefficient": str(rng.choice(COEFFICIENTS)),
        }
        for _ in range(draw(st.integers(2, 3)))
    ]
    return table, specs


def joint_of(table, specs):
    return joint_coefficients(table, specs, "kappas", weights="unweighted", coefficient="kappa")


def values_of(table, specs):
    """Return the coefficients one by one, by the public function."""
    return np.array(
        [
            km.agreement(table.select(s["raters"]), weights=s["weights"], coefficient=s["coefficient"]).value
            for s in specs
        ]
    )


@given(clustered())
@settings(max_examples=examples(50), deadline=None)
def test_values_at_counts_are_those_of_the_table(case):
    """Evaluating at the counts of the table gives its coefficients, also if they miss different subjects."""
    table, specs = case
    joint = joint_of(table, specs)
    assert joint.values == pytest.approx(values_of(table, specs), abs=1e-12)
    assert joint.values_at(table.counts) == pytest.approx(joint.values, abs=1e-9)
    many = joint.values_at(np.array([table.counts, 2 * table.counts, 3 * table.counts]))
    assert many.shape == (3, len(specs))


@given(clustered())
@settings(max_examples=examples(50), deadline=None)
def test_the_delta_method_is_the_sum_over_subjects_or_clusters(case):
    """A loop over the subjects gives the same covariances."""
    table, specs = case
    joint = joint_of(table, specs)
    if joint.n_units < 2:
        return
    gradients = np.array(
        [
            slopes(objective, table.patterns[:, columns])
            for objective, columns in zip(joint.objectives, joint.columns, strict=True)
        ]
    )
    places = {tuple(pattern): i for i, pattern in enumerate(table.patterns.tolist())}
    rows = table.clusters or table.grouped
    units = np.arange(len(rows.counts)) if table.clusters is None else rows.codes
    totals: dict[int, np.ndarray] = {}
    repeats: dict[int, int] = {}
    for unit, pattern, count in zip(units.tolist(), rows.patterns.tolist(), rows.counts.tolist(), strict=True):
        own = gradients[:, places[tuple(pattern)]]
        if table.clusters is None:
            totals[unit], repeats[unit] = own, count
        else:
            totals[unit], repeats[unit] = totals.get(unit, 0) + count * own, 1
    n = sum(repeats.values())
    mean = sum(repeats[unit] * total for unit, total in totals.items()) / n
    expected = sum(repeats[u] * np.outer(t - mean, t - mean) for u, t in totals.items())
    expected = expected * joint.n_units / (joint.n_units - 1)
    assert joint.delta_deviations().covariance() == pytest.approx(expected, abs=1e-12)


@given(clustered())
@settings(max_examples=examples(30), deadline=None)
def test_the_jackknife_leaves_out_each_subject_or_cluster(case):
    """Tables without each subject or cluster, made one by one, give the same covariances."""
    table, specs = case
    joint = joint_of(table, specs)
    made = joint.jackknife_deviations()
    rows = table.clusters or table.grouped
    values, counts = [], []
    for unit in np.unique(np.arange(len(rows.counts)) if table.clusters is None else rows.codes):
        if table.clusters is None:
            left, often = rows.counts - (np.arange(len(rows.counts)) == unit), rows.counts[unit]
        else:
            left, often = np.where(rows.codes == unit, 0, rows.counts), 1
        try:
            rest = km.Table(rows.patterns, left, table.categories, ordered=True)
            values.append(values_of(rest, specs))
        except km.errors.KappamaxError:
            values.append(np.full(len(specs), np.nan))
        counts.append(often)
    values, counts = np.array(values), np.array(counts, dtype=float)
    if np.isnan(values).any():
        assert made is None
        return
    deviations = values - counts @ values / counts.sum()
    expected = (deviations * counts[:, None]).T @ deviations * (counts.sum() - 1) / counts.sum()
    assert made.covariance() == pytest.approx(expected, abs=1e-11)


@given(clustered(missing=False))
@settings(max_examples=examples(30), deadline=None)
def test_covariances_in_the_sample_itself_are_those_of_the_delta_method(case):
    """A resample in which every unit occurs as in the sample has the covariances of the sample."""
    table, specs = case
    joint = joint_of(table, specs)
    if joint.n_units < 2:
        return
    units = table.counts if table.clusters is None else np.ones(table.clusters.n_clusters, dtype=np.int64)
    found = joint.covariances_at(units[None], table.counts[None])[0]
    assert found == pytest.approx(joint.delta_deviations().covariance(), abs=1e-9)


def test_clusters_of_one_subject_change_nothing():
    """The delta method and the jackknife have the same covariances, and the bootstrap nearly so."""
    rng = np.random.default_rng(3)
    codes = np.where(rng.random((40, 3)) < 0.5, rng.integers(0, 3, (40, 1)), rng.integers(0, 3, (40, 3)))
    specs = [["1", "2"], ["1", "3"]]
    plain, alone = (km.Table(codes, None, (0, 1, 2), ordered=True, clusters=c) for c in (None, range(40)))
    for method in ("delta", "jackknife"):
        one, two = (km.compare_dependent(t, kappas=specs, method=method) for t in (plain, alone))
        assert one.covariance == pytest.approx(two.covariance, rel=1e-9)
        assert one.pvalue == pytest.approx(two.pvalue, rel=1e-9)
        assert (one.n_units, two.n_units) == (40, 40)
    one, two = (
        km.compare_dependent(t, kappas=specs, method="bootstrap", n_resamples=4000, rng=s)
        for t, s in ((plain, 1), (alone, 2))
    )
    spread = 4 * (2 * one.pvalue * (1 - one.pvalue) / 4000) ** 0.5
    assert abs(one.pvalue - two.pvalue) < spread
    assert two.coefficients[0].se == pytest.approx(one.coefficients[0].se, rel=4 / 4000**0.5)


def test_copies_of_every_cluster_divide_the_variance():
    """Twenty copies of ten clusters have a variance smaller by 20 * (199 / 200) / (9 / 10), as for means."""
    rng = np.random.default_rng(4)
    codes, clusters = rng.integers(0, 2, (50, 3)), np.arange(50) // 5
    specs = [["1", "2"], ["1", "3"]]
    one = km.Table(codes, None, (0, 1), ordered=True, clusters=clusters)
    many = km.Table(
        np.tile(codes, (20, 1)),
        None,
        (0, 1),
        ordered=True,
        clusters=np.concatenate([clusters + 10 * i for i in range(20)]),
    )
    first, second = (km.compare_dependent(t, kappas=specs, method="delta").covariance for t in (one, many))
    assert first / second == pytest.approx(np.full((2, 2), 20 * (199 / 200) / (9 / 10)))


def test_the_number_of_processes_does_not_change_the_bootstrap():
    table = km.example("depression")
    specs = [["diag", "BDI"], ["diag", "GHQ"]]
    one, two = (
        km.compare_dependent(table, kappas=specs, method="bootstrap", n_resamples=250, rng=3, n_jobs=n) for n in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


def test_progress_of_the_bootstrap_is_reported():
    calls = []
    km.compare_dependent(
        km.example("depression"),
        kappas=[["diag", "BDI"], ["diag", "GHQ"]],
        method="bootstrap",
        n_resamples=150,
        progress=lambda *call: calls.append(call),
    )
    assert calls == [(100, 150, "resampling"), (150, 150, "resampling")]


# --- Hotelling's T2 --------------------------------------------------------------------------------------------------


def test_t2_of_means_is_that_of_the_textbook():
    """For means of a sample, T2 = n d' S^-1 d with the sample covariance S, and two means give the paired t test."""
    rng = np.random.default_rng(1)
    sample = rng.normal(size=(12, 4)) @ rng.normal(size=(4, 4))
    n = len(sample)
    rows = sample - sample.mean(axis=0)
    weights = np.full(n, 1 / (n * (n - 1)))
    deviations = Deviations(rows, weights)
    contrasts = np.vstack([np.ones(3), -np.eye(3)])
    test = equality_test(sample.mean(axis=0), *deviations, deviations.of(contrasts).errors())
    differences = sample @ contrasts
    expected = n * differences.mean(axis=0) @ np.linalg.solve(np.cov(differences.T), differences.mean(axis=0))
    assert test.rank == 3
    assert test.statistic == pytest.approx(expected)
    two = Deviations(rows[:, :2], weights)
    paired = equality_test(sample[:, :2].mean(axis=0), *two, two.of(contrasts[:2, :1]).errors())
    assert pvalue_by_f(paired.statistic, 1, n) == pytest.approx(stats.ttest_rel(sample[:, 0], sample[:, 1]).pvalue)


def test_dependent_estimates_reduce_the_rank():
    """A copy of an estimate adds nothing; one that is no copy but has its deviations makes T2 undetermined."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(10, 2))
    rows = np.column_stack([rows, rows[:, 1]]) - rows.mean(axis=0)[[0, 1, 1]]
    weights, contrasts = np.full(10, 0.1), np.vstack([np.ones(2), -np.eye(2)])
    deviations = Deviations(rows, weights)
    errors = deviations.of(contrasts).errors()
    copied = equality_test(np.array([1.0, 2.0, 2.0]), *deviations, errors)
    alone = equality_test(np.array([1.0, 2.0]), rows[:, :2], weights, errors[:1])
    assert (copied.rank, alone.rank) == (1, 1)
    assert copied.statistic == pytest.approx(alone.statistic)
    other = equality_test(np.array([1.0, 2.0, 3.0]), *deviations, errors)
    assert (other.statistic, other.undetermined) == (None, True)
    constant = equality_test(np.array([1.0, 1.0]), np.zeros((5, 2)), np.ones(5), np.zeros(1))
    assert (constant.statistic, constant.rank, constant.undetermined) == (None, 0, False)


def test_resamples_without_variance_are_infinitely_far():
    """They count as more extreme than any sample; others have the squared distance and its roots by pair."""
    values = np.array([[0.5, 0.1], [0.6, 0.2], [np.nan, 0.0]])
    covariances = np.array([[[0.04, 0.0], [0.0, 0.05]], np.full((2, 2), 0.04), np.full((2, 2), np.nan)])
    basis = differences_of(2) / 0.3
    found = studentised(values, values - [0.4, 0.3], covariances, basis, np.array([0.3]))
    assert found.equality.tolist() == pytest.approx([0.3**2 / 0.09, np.inf, np.inf])
    assert found.differences[:, 0].tolist() == pytest.approx([1.0, np.inf, np.inf])


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, float("inf")]), min_size=2, max_size=60), st.floats(0.5, 0.99))
def test_the_quantile_and_the_share_decide_alike(drawn, level):
    """A statistic above the quantile has a p-value of at most 1 - level, and one at the quantile a larger one."""
    drawn = np.array(drawn)
    limit = quantile_beyond(drawn, level)
    for statistic in (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0):
        assert (statistic > limit) == (share_beyond(drawn, statistic) <= 1 - level + 1e-9)


def test_jackknife_of_too_many_subjects_is_the_delta_method():
    table = km.Table([[0, 0, 0], [0, 1, 1], [1, 1, 0]], [10**12] * 3, (0, 1), ordered=True)
    joint = joint_coefficients(table, [[0, 1], [0, 2]], "kappas", weights="unweighted", coefficient="kappa")
    assert joint_estimates(joint, as_settings("jackknife", 10, 0, 1, None)).method == "delta"
