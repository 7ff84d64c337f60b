"""The jackknife and the bootstrap of any statistic are right and reproducible."""

from fractions import Fraction
from inspect import signature
from math import isqrt

import numpy as np
import pytest
from hypothesis import assume, given

import kappamax as km
from kappamax import resampling
from kappamax.coefficients import as_objective
from kappamax.disagreement.evaluator import Evaluator
from kappamax.errors import UndefinedKappaError
from tests.support.strategies import tables


def kappa_value(table):
    """Return kappa; other processes can import this function."""
    return km.kappa(table, weights="linear").value


@given(tables(missing=True, max_rows=6))
def test_jackknife_leaves_out_one_subject_at_a_time(table):
    """The computation by patterns equals deleting each subject and computing the value again."""
    try:
        fast = km.jackknife(table, weights="linear")
    except UndefinedKappaError:
        assume(False)
    slow = km.jackknife(table, statistic=kappa_value)
    assert fast.values == pytest.approx(slow.values, abs=1e-9, nan_ok=True)
    assert fast.n_undefined == slow.n_undefined
    if fast.se is not None:
        assert fast.se == pytest.approx(slow.se, abs=1e-9)
        assert fast.bias == pytest.approx(slow.bias, abs=1e-7)


def test_jackknife_by_hand():
    """If 3 of 4 subjects agree, the values are 2/3 three times and 1 once, and se^2 = 3/4 * sum of squares."""
    result = km.jackknife([1, 1, 2, 2], [1, 1, 2, 1], coefficient="percent")
    values = np.repeat(result.values, result.counts)
    assert sorted(values) == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1])
    assert result.se == pytest.approx(np.sqrt(3 / 4 * (3 * (1 / 12) ** 2 + (1 / 4) ** 2)))
    assert result.bias == pytest.approx(0, abs=1e-12)


def test_bootstrap_does_not_depend_on_the_number_of_processes():
    """Each block has a separate random generator."""
    t = km.example("anxiety")
    one = km.bootstrap(t, statistic=kappa_value, n_resamples=250, rng=7)
    two = km.bootstrap(t, statistic=kappa_value, n_resamples=250, rng=7, n_jobs=2)
    assert np.array_equal(one.replicates, two.replicates)
    assert one.ci == two.ci
    fast = km.bootstrap(t, weights="linear", n_resamples=250, rng=7)
    assert fast.replicates == pytest.approx(one.replicates, abs=1e-12)
    assert km.bootstrap(t, weights="linear", n_resamples=250, rng=8).ci != fast.ci


def test_bootstrap_standard_error_is_near_the_formula():
    """For 7,477 subjects, the two differ by at most four Monte Carlo errors, each se / sqrt(2 * 2000)."""
    t = km.example("vision")
    b = km.bootstrap(t, weights="quadratic", method="percentile", rng=1)
    se = km.kappa(t, weights="quadratic").se
    assert abs(b.se - se) < 4 * se / np.sqrt(2 * 2000)
    assert abs(b.bias) < 4 * se / np.sqrt(2000)
    # a 2.5% quantile has standard error sqrt(0.025 * 0.975 / 2000) / density; the normal density there is 0.0584 / se
    quantile = np.sqrt(0.025 * 0.975 / 2000) / (0.0584 / se)
    assert b.ci == pytest.approx(km.kappa(t, weights="quadratic").ci, abs=4 * quantile)


def test_bca_shifts_and_percentile_does_not():
    """Percentile limits are quantiles of the resamples, and BCa limits differ from them."""
    t = km.example("rapallo2022")
    p = km.bootstrap(t, method="percentile", rng=3, n_resamples=999)
    assert p.ci == pytest.approx(tuple(np.quantile(p.replicates, [0.025, 0.975])))
    b = km.bootstrap(t, method="bca", rng=3, n_resamples=999)
    assert np.array_equal(b.replicates, p.replicates)
    assert b.ci != p.ci


@pytest.mark.slow
def test_bca_agrees_with_scipy():
    """The limits agree with those of scipy.stats.bootstrap within the Monte Carlo error of different resamples."""
    from scipy import stats

    x, y = np.repeat(km.example("cohen1968").patterns, km.example("cohen1968").counts, axis=0).T

    def kappa(a, b):
        return km.kappa(a, b, categories=[0, 1, 2]).value

    seed = {"rng" if "rng" in signature(stats.bootstrap).parameters else "random_state": np.random.default_rng(1)}
    theirs = stats.bootstrap((x, y), kappa, paired=True, vectorized=False, n_resamples=999, method="BCa", **seed)
    ours = km.bootstrap(x, y, n_resamples=20_000, rng=2)
    # a 2.5% quantile of 999 draws has standard error sqrt(0.025 * 0.975 / 999) / density, density ~ 0.0584 / se
    error = 4 * np.sqrt(0.025 * 0.975 / 999) / (0.0584 / ours.se)
    assert ours.ci == pytest.approx(tuple(theirs.confidence_interval), abs=error)


def test_undefined_resamples_are_counted():
    """With three subjects, some resamples have only one category."""
    b = km.bootstrap([1, 1, 2], [1, 2, 2], n_resamples=300, rng=1)
    assert b.n_undefined == np.isnan(b.replicates).sum() > 0
    assert b.ci is not None


def test_a_statistic_that_never_varies_has_a_point_interval():
    """The percentile interval is used instead of BCa if the values do not vary."""
    b = km.bootstrap([1, 2], [1, 2], coefficient="percent", n_resamples=50, rng=1)
    assert b.ci == (1, 1)
    assert b.se == 0


def test_progress_is_reported():
    """Progress is reported after every block of a hundred resamples."""
    seen = []
    km.bootstrap(
        km.example("rapallo2022"),
        n_resamples=250,
        rng=1,
        progress=lambda done, total, _message: seen.append((done, total)),
    )
    assert seen == [(100, 250), (200, 250), (250, 250)]


def test_resamples_of_ten_to_the_twelve_subjects():
    """The time does not depend on the number of subjects, because counts are drawn."""
    t = km.Table([[0, 0], [0, 1], [1, 1]], [10**12, 10**11, 10**12], [1, 2], ordered=True)
    b = km.bootstrap(t, n_resamples=200, rng=1)
    assert 0 < b.se < 1e-5


def test_options_are_checked():
    """Unknown methods, levels and numbers of resamples are errors."""
    t = km.example("rapallo2022")
    with pytest.raises(km.errors.InvalidOptionError, match="method must be one of 'bca', 'percentile'; got 'bc'"):
        km.bootstrap(t, method="bc")
    with pytest.raises(km.errors.InvalidOptionError, match="n_resamples must be a whole number >= 2; got 1"):
        km.bootstrap(t, n_resamples=1)
    with pytest.raises(km.errors.InvalidOptionError, match="level must lie between 0 and 1; got 1"):
        km.bootstrap(t, level=1)


def test_arrays_are_kept_out_of_the_short_description():
    """The text representation has no arrays."""
    b = km.bootstrap(km.example("rapallo2022"), n_resamples=100, rng=1)
    assert "replicates" not in repr(b)
    assert "values" not in repr(km.jackknife(km.example("rapallo2022")))
    assert len(b.to_dict()["replicates"]) == 100


def test_objective_at_other_counts_is_the_objective_of_that_table():
    """Each row of counts gives the value of the table with these counts."""
    t = km.example("gwet2014")
    for coefficient in ("conger", "fleiss", "gwet", "krippendorff", "brennan-prediger", "percent"):
        objective = as_objective(t, weights="sqrt", coefficient=coefficient)
        counts = np.stack([t.counts, t.counts + np.arange(len(t.counts))])
        values = Evaluator(objective).value_of(Evaluator(objective).totals(counts))
        for row, value in zip(counts, values, strict=True):
            other = km.Table(t.patterns, row, t.categories, ordered=True)
            assert km.agreement(other, weights="sqrt", coefficient=coefficient).value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("n_jobs", [0, 1.5, float("nan"), "two"])
def test_a_number_of_processes_is_checked(n_jobs):
    """The error is raised before joblib is called."""
    with pytest.raises(km.errors.InvalidOptionError, match="n_jobs must be a whole number other than 0"):
        km.bootstrap(km.example("rapallo2022"), n_resamples=100, n_jobs=n_jobs)


def test_undefined_resamples_and_an_interval_without_width_are_noted():
    """One subject of a hundred has the second category; kappa is undefined without it and 1 with it."""
    found = km.bootstrap(km.from_counts([[99, 0], [0, 1]]), rng=1)
    assert found.ci == (1, 1)
    n = found.n_undefined
    assert n == np.isnan(found.replicates).sum() > 500
    left, width = found.notes
    expected = f"{n} of 2,000 resamples were excluded because the statistic is undefined in them"
    assert left == f"{expected}; the interval describes only the others"
    assert width.startswith("the interval has no width because resampling these ratings shows no variation")
    assert found.to_dict()["notes"] == [left, width]
    assert all(note in " ".join(repr(found).split()) for note in found.notes)
    ratio = km.maximum.bootstrap_ratio(km.from_counts([[99, 0], [0, 1]]), n_resamples=50, rng=1)
    assert "the interval describes only the others" in ratio.notes[0]


def test_an_ordinary_bootstrap_has_no_notes():
    """The notes are empty if all resamples are defined and differ."""
    found = km.bootstrap(km.example("anxiety"), n_resamples=100, rng=1)
    assert (found.n_undefined, found.notes) == (0, ())
    assert "note" not in repr(found)


def test_a_bootstrap_without_defined_resamples_says_why_it_has_no_interval():
    """The statistic is defined only for the observed table."""
    table = km.from_counts([[5, 1], [1, 5]])

    def whole(one):
        if one != table:
            raise UndefinedKappaError("not the whole table")
        return 0.5

    found = km.bootstrap(table, statistic=whole, n_resamples=5, rng=1)
    assert found.ci is None
    assert found.notes == ("5 of 5 resamples were excluded because the statistic is undefined in them",)


@pytest.mark.parametrize("times", [10**3, 10**8, 10**11])
@pytest.mark.parametrize("weights", ["unweighted", "sqrt"])
def test_the_jackknife_of_many_subjects_is_not_rounding_noise(times, weights):
    """The bias of 3e-14 for a billion subjects is computed exactly, because it is lost in doubles."""
    counts = np.array([[37, 11, 2], [5, 29, 4], [1, 3, 8]]) * times
    found = km.jackknife(km.from_counts(counts), weights=weights)
    n = int(counts.sum())
    values = {}
    for cell in np.ndindex(3, 3):
        less = counts.copy()
        less[cell] -= 1
        values[cell] = _precise_kappa(less.tolist(), weights)
    estimate = _precise_kappa(counts.tolist(), weights)
    mean = sum(int(counts[cell]) * value for cell, value in values.items()) / n
    variance = Fraction(n - 1, n) * sum(int(counts[cell]) * (value - mean) ** 2 for cell, value in values.items())
    assert found.bias == pytest.approx(float((n - 1) * (mean - estimate)), rel=1e-6)
    assert found.se == pytest.approx(float(variance) ** 0.5, rel=1e-9)


def _precise_kappa(counts, weights):
    """Return Cohen's kappa as a fraction, with the square root of 1/2 to 200 bits."""
    half = Fraction(isqrt(2**399), 2**200) if weights == "sqrt" else Fraction(1)
    u = [[0, half, 1], [half, 0, half], [1, half, 0]]
    n = sum(map(sum, counts))
    rows, columns = [sum(row) for row in counts], [sum(column) for column in zip(*counts, strict=True)]
    cells = list(np.ndindex(3, 3))
    observed = sum(counts[i][j] * u[i][j] for i, j in cells) / Fraction(n)
    return 1 - observed / (sum(rows[i] * columns[j] * u[i][j] for i, j in cells) / Fraction(n * n))


@pytest.mark.parametrize("statistic", ["", 0, "kappa"])
def test_a_statistic_is_a_function(statistic):
    """The name of a function is not accepted."""
    with pytest.raises(km.errors.InvalidOptionError, match="statistic must be a function of a Table"):
        km.jackknife(km.example("rapallo2022"), statistic=statistic)


def test_resamples_of_many_patterns_are_drawn_in_parts(monkeypatch):
    """The resamples are the same, however many of them are held together."""
    table = km.example("rapallo2022")
    together = km.bootstrap(table, weights="linear", n_resamples=250, rng=1).replicates
    monkeypatch.setattr(resampling, "_RESAMPLED_COUNTS", 7 * len(table.counts))
    assert km.bootstrap(table, weights="linear", n_resamples=250, rng=1).replicates == pytest.approx(
        together, rel=1e-12
    )


def test_more_than_ten_million_resamples_are_refused():
    """The replicates alone would take gigabytes."""
    with pytest.raises(km.errors.InvalidOptionError, match="n_resamples must be at most 10,000,000; got 100,000,000"):
        km.bootstrap(km.example("rapallo2022"), n_resamples=10**8)
    with pytest.raises(km.errors.InvalidOptionError, match="n_resamples must be at most 10,000,000; got 10,000,001"):
        km.maximum.bootstrap_ratio(km.example("rapallo2022"), n_resamples=10**7 + 1)
