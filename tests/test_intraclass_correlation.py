"""Intraclass correlations equal published values and an analysis of variance of one row per subject."""

import json
from fractions import Fraction
from math import inf, isnan, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import kappamax as km
from kappamax.intraclass_correlation import NAMES
from tests.support.naive import rows_of
from tests.support.strategies import tables

PINGOUIN = json.loads((Path(__file__).parent / "data" / "pingouin_icc.json").read_text(encoding="utf-8"))["tables"]

#: table 4 of Shrout and Fleiss (1979), Psychological Bulletin 86, 420-428
SHROUT_FLEISS = {
    **{"ICC(1,1)": 0.17, "ICC(2,1)": 0.29, "ICC(3,1)": 0.71},
    **{"ICC(1,k)": 0.44, "ICC(2,k)": 0.62, "ICC(3,k)": 0.91},
}
#: output of psych::ICC in R for the same ratings (p-value, lower and upper bound), as printed in the page "Inter-rater
#: reliability and intra-class correlation" of D. Wollschlaeger's R examples (github.com/dwoll/RExRepos)
PSYCH = {
    "ICC(1,1)": ("0.16477", "-0.133", "0.72"),
    "ICC(2,1)": ("0.00013", "0.019", "0.76"),
    "ICC(3,1)": ("0.00013", "0.342", "0.95"),
    "ICC(1,k)": ("0.16477", "-0.884", "0.91"),
    "ICC(2,k)": ("0.00013", "0.071", "0.93"),
    "ICC(3,k)": ("0.00013", "0.676", "0.99"),
}


def as_printed(value, printed):
    """Return a value with as many decimals as a printed one."""
    return f"{value:.{len(printed.partition('.')[2])}f}"


@np.errstate(divide="ignore", invalid="ignore")
def by_definition(x, level):
    """Return name -> (value, F, p-value, interval) by the formulas as published, in doubles; entries may be NaN."""
    n, r = x.shape
    rows, columns, mean = x.mean(axis=1), x.mean(axis=0), x.mean()
    msr = r * ((rows - mean) ** 2).sum() / (n - 1)
    msc = n * ((columns - mean) ** 2).sum() / (r - 1)
    mse = ((x - rows[:, None] - columns + mean) ** 2).sum() / ((n - 1) * (r - 1))
    msw = ((x - rows[:, None]) ** 2).sum() / (n * (r - 1))
    upper, found = 1 - (1 - level) / 2, {}
    for case, error, df in [(1, msw, n * (r - 1)), (3, mse, (n - 1) * (r - 1))]:
        f = msr / error
        test = (f, stats.f.sf(f, n - 1, df))
        low, high = f / stats.f.ppf(upper, n - 1, df), f * stats.f.ppf(upper, df, n - 1)
        single = [(one - 1) / (one + r - 1) for one in (f, low, high)]
        found[f"ICC({case},1)"] = (single[0], *test, single[1:])
        found[f"ICC({case},k)"] = (1 - 1 / f, *test, [1 - 1 / low, 1 - 1 / high])
    c = (msr - mse) / (msr + (r - 1) * mse + r * (msc - mse) / n)
    a, b = r * c / (n * (1 - c)), 1 + r * c * (n - 1) / (n * (1 - c))
    v = (a * msc + b * mse) ** 2 / ((a * msc) ** 2 / (r - 1) + (b * mse) ** 2 / ((n - 1) * (r - 1)))
    above, below = stats.f.ppf(upper, n - 1, v), stats.f.ppf(upper, v, n - 1)
    low = n * (msr - above * mse) / (above * (r * msc + (r * n - r - n) * mse) + n * msr)
    high = n * (below * msr - mse) / (r * msc + (r * n - r - n) * mse + n * below * msr)
    found["ICC(2,1)"] = (c, *found["ICC(3,1)"][1:3], [low, high])
    mean_of = [r * one / (1 + (r - 1) * one) for one in (c, low, high)]  # Spearman and Brown
    found["ICC(2,k)"] = (mean_of[0], *found["ICC(3,1)"][1:3], mean_of[1:])
    return found


def test_three_subjects_by_hand():
    """Ratings 1, 2; 2, 4; 3, 6: MSR = 9/2, MSC = 6, MSE = 1/2 and MSW = 7/3."""
    found = km.icc([1, 2, 3], [2, 4, 6])
    exact = [one.exact for one in found.coefficients]
    # (9/2 - 7/3) / (9/2 + 7/3); (9/2 - 1/2) / (9/2 + 1/2 + 2 (6 - 1/2) / 3); (9/2 - 1/2) / (9/2 + 1/2)
    assert exact[:3] == [Fraction(13, 41), Fraction(6, 13), Fraction(4, 5)]
    # (9/2 - 7/3) / (9/2); (9/2 - 1/2) / (9/2 + (6 - 1/2) / 3); (9/2 - 1/2) / (9/2)
    assert exact[3:] == [Fraction(13, 27), Fraction(12, 19), Fraction(8, 9)]
    squares = (found.ms_subjects, found.ms_raters, found.ms_error, found.ms_within)
    assert squares == pytest.approx((4.5, 6, 0.5, 7 / 3))
    assert [(one.df1, one.df2) for one in found.coefficients] == [(2, 3), (2, 2), (2, 2)] * 2
    assert found["ICC(1,1)"].statistic == pytest.approx(27 / 14)
    assert found["ICC(3,k)"].statistic == 9


def test_two_subjects_by_hand():
    """A table of counts, 2 x 2: one subject rated 0, 0 and one rated 0, 1 have MSR = MSC = MSE = MSW = 1/4."""
    found = km.icc(km.from_counts([[1, 1], [0, 0]], categories=[0, 1]))
    assert [one.exact for one in found.coefficients] == [0] * 6
    assert (found.ms_subjects, found.ms_raters, found.ms_error, found.ms_within) == (0.25, 0.25, 0.25, 0.25)
    assert found.quadratic_kappa == 0
    # F = 1 with 1 and 1 degrees of freedom is exceeded with probability 1/2
    assert found["ICC(2,1)"].pvalue == pytest.approx(0.5)


def test_the_example_of_shrout_and_fleiss():
    """All six values equal those of their table 4, and the intervals those that psych prints."""
    found = km.icc(km.example("shrout-fleiss"))
    assert [one.name for one in found.coefficients] == list(SHROUT_FLEISS)
    for one in found.coefficients:
        assert round(one.value, 2) == SHROUT_FLEISS[one.name]
        numbers = (one.pvalue, *one.ci)
        assert tuple(map(as_printed, numbers, PSYCH[one.name])) == PSYCH[one.name]
    # table 3 of Shrout and Fleiss
    squares = (found.ms_subjects, found.ms_within, found.ms_raters, found.ms_error)
    assert [round(one, 2) for one in squares] == [11.24, 6.26, 32.49, 1.02]


@pytest.mark.parametrize("case", PINGOUIN)
def test_tables_as_in_pingouin(case):
    """Values, F tests and intervals equal those of another package, which the file names."""
    found = km.icc(km.from_ratings(case["ratings"]))
    for name, expected in case["coefficients"].items():
        one = found[name]
        assert one.value == pytest.approx(expected["value"], rel=1e-12, abs=1e-12)
        assert one.statistic == pytest.approx(expected["F"], rel=1e-12)
        assert (one.df1, one.df2) == tuple(expected["df"])
        assert one.pvalue == pytest.approx(expected["p"], rel=1e-12)
        assert one.ci == pytest.approx(expected["ci"], rel=1e-12, abs=1e-12)


@given(tables(max_rows=12), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_patterns_and_counts_give_the_analysis_of_variance_of_all_subjects(table, level):
    """The formulas as published, on one row per subject, agree wherever they divide by no zero."""
    x = np.array(rows_of(table), dtype=float)
    assume(len(x) > 1)
    found = km.icc(table, level=level)
    assume(min(found.ms_subjects, found.ms_error) > 0)
    for name, (value, f, pvalue, ends) in by_definition(x, level).items():
        one = found[name]
        assert one.statistic == pytest.approx(f)
        assert one.pvalue == pytest.approx(pvalue, rel=1e-6)
        if one.value is None:
            assert name == "ICC(2,k)"
            assert value > 1 or abs(value) > 1e9  # the published formula divides by a number that is not positive
            continue
        assert one.value == pytest.approx(value, abs=1e-9)
        if one.ci is None:
            assert name in ("ICC(2,1)", "ICC(2,k)")
            assert value < 0
            assert "less than one degree of freedom" in one.reason
        elif one.ci[0] == -inf:
            assert name == "ICC(2,k)"
            assert ends[0] > 1 or abs(ends[0]) > 1e9
        else:
            assert one.ci == pytest.approx(ends, rel=1e-6, abs=1e-9)


def test_the_interval_covers_as_often_as_its_level_says():
    """Normal ratings with a known coefficient; the tolerance is four standard errors of 600 studies."""
    rng, n, r, studies, hits = np.random.default_rng(1), 12, 3, 600, np.zeros(2)
    true = 1 / (1 + 0.5)
    for _ in range(studies):
        x = rng.normal(size=(n, 1)) + sqrt(0.5) * rng.normal(size=(n, r))
        one_way, two_way = km.icc(km.from_ratings(x)), km.icc(km.from_ratings(x + np.array([0, 3, 7])))
        for i, (low, high) in enumerate([one_way["ICC(1,1)"].ci, two_way["ICC(3,1)"].ci]):
            hits[i] += low <= true <= high
    assert hits / studies == pytest.approx(0.95, abs=4 * sqrt(0.95 * 0.05 / studies))


@given(tables(), st.integers(-50, 50), st.integers(1, 9))
def test_the_unit_and_the_origin_of_the_scale_do_not_matter(table, offset, unit):
    """A linear change of all positions, also a reversal, changes no coefficient."""
    k = table.n_categories
    for sign in (1, -1):
        moved = km.icc(table, positions=[offset + Fraction(sign * unit * i, 7) for i in range(k)])
        assert moved.coefficients == km.icc(table).coefficients


@given(tables(min_raters=3), st.randoms())
def test_the_order_of_the_raters_does_not_matter(table, random):
    """Renaming the raters changes nothing."""
    order = random.sample(range(table.n_raters), table.n_raters)
    assert km.icc(table.select(order)).coefficients == km.icc(table).coefficients


def test_a_trillion_subjects_are_not_expanded():
    """The values are exact, and the intervals of ICC(1,1) and ICC(3,1) have the width of the normal limit."""
    counts = np.array([[5, 3, 2], [1, 4, 3], [0, 1, 5]])
    for factor in (10**12, 10**17):
        table = km.from_counts(counts * factor)
        n, found = table.n_subjects, km.icc(table)
        q = km.kappa(table, weights="quadratic").exact
        assert found["ICC(2,1)"].exact == n * q / (n - 1 + q)
        for name in ("ICC(1,1)", "ICC(3,1)"):
            value, (low, high) = found[name].value, found[name].ci
            expected = 2 * stats.norm.ppf(0.975) * (1 - value) * (1 + value) / sqrt(n)  # Fisher (1925), two raters
            assert high - low == pytest.approx(expected, rel=1e-6 + 2.0**-52 / expected)
            assert low < value < high
    assert found["ICC(2,1)"].df2 == n - 1


def test_large_offsets_lose_nothing():
    """Ratings near 10^15, where doubles are 1/8 apart, give the coefficients of ratings near zero."""
    x = np.array([[1, 2], [2, 4], [3, 6], [5, 5]])
    far = km.from_ratings((x + 10**15).tolist())
    assert km.icc(far).coefficients == km.icc(km.from_ratings(x)).coefficients


CASES = {
    "agreement": (
        [[1, 1], [2, 2], [4, 4]],
        dict.fromkeys(NAMES, (1, None, inf, None, "all raters agree on every subject, so F is infinite, ")),
    ),
    "one subject": (
        [[1, 2]],
        dict.fromkeys(NAMES, (None, None, None, None, "there is one subject, so the coefficient is undefined")),
    ),
    "equal ratings": (
        [[1, 1], [1, 1]],
        dict.fromkeys(NAMES, (None, None, None, None, "all ratings are equal, so the coefficient is undefined")),
    ),
    "constant differences": (
        [[1, 2], [2, 3], [4, 5]],
        {
            **dict.fromkeys(("ICC(3,1)", "ICC(3,k)"), (1, None, inf, None, "all raters differ by the same amounts")),
            "ICC(2,1)": (Fraction(14, 17), "some", inf, None, "so F is infinite and there is no p-value"),
            "ICC(1,1)": (Fraction(25, 31), "some", 28 / 3, "some", None),
        },
    ),
    "constant raters": (
        [[1, 2], [1, 2], [1, 2]],
        {
            "ICC(1,1)": (-1, None, 0, 1, "all subjects have the same mean rating, so there is no interval"),
            "ICC(1,k)": (None, None, 0, 1, "all subjects have the same mean rating, so the coefficient is undefined"),
            "ICC(2,1)": (0, None, None, None, "so F is undefined, there is no p-value and there is no interval"),
            "ICC(3,1)": (None, None, None, None, "all subjects have the same rating by each rater, so the coefficient"),
        },
    ),
    "opposed": (
        [[1, 2], [2, 1]],
        {
            "ICC(2,1)": (None, None, 0, 1, "all subjects have the same mean rating, so the coefficient is undefined"),
            "ICC(3,1)": (-1, None, 0, 1, "all subjects have the same mean rating, so there is no interval"),
        },
    ),
    "negative denominator": (
        [[1, 3], [3, 1], [1, 1]],
        {
            "ICC(2,1)": (-1, "some", 1 / 3, "some", None),
            "ICC(2,k)": (None, None, 1 / 3, "some", "the estimated variance of the raters is negative, so the coeff"),
        },
    ),
    "no lower limit": (
        [[1, 2], [2, 1], [1, 1], [2, 2]],
        {"ICC(2,k)": (0, "endless", 1, "some", "raters is negative, so the interval has no lower limit")},
    ),
    "less than one degree of freedom": (
        [[4, 0], [4, 0], [0, 3]],
        {"ICC(2,1)": (Fraction(-24, 17), None, 1 / 49, "some", "leaves the interval less than one degree of freed")},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_numbers_that_do_not_exist_have_a_reason(case):
    """Neither NaN nor a rounding error takes the place of a zero."""
    ratings, expected = CASES[case]
    found = km.icc(km.from_ratings(ratings))
    for name, (value, interval, statistic, pvalue, reason) in expected.items():
        one = found[name]
        assert one.exact == value
        assert one.value == (None if value is None else float(value))
        assert (one.ci is None) == (interval is None)
        assert interval != "endless" or one.ci[0] == -inf
        assert one.statistic == pytest.approx(statistic)
        assert (one.pvalue is None) == (pvalue is None)
        assert pvalue in (None, "some") or one.pvalue == pvalue
        assert (one.reason is None) if reason is None else (reason in one.reason)
        assert (one.reason is None) == (None not in (one.value, one.ci, one.pvalue) and one.ci[0] > -inf)


def test_results_are_shown_with_reasons_and_without_infinities_in_json():
    """The text has one row per coefficient; infinite numbers are null in plain data."""
    found = km.icc(km.from_ratings([[1, 2], [2, 1], [1, 1], [2, 2]]))
    assert "ICC(2,k)         0.0000      -inf to 0.9506  1.0000  3, 3   0.5000" in repr(found)
    words = " ".join(repr(found).split())
    assert "ICC(2,k): the estimated variance of the raters is negative, so the interval has no lower limit." in words
    assert found.to_dict()["coefficients"][4]["ci"] == [None, found["ICC(2,k)"].ci[1]]
    perfect = km.icc([1, 2, 3], [1, 2, 3])
    assert perfect.to_dict()["coefficients"][0]["statistic"] is None
    assert json.dumps(perfect.to_dict(), allow_nan=False)
    far = km.icc([1, 2, 1], [2, 1, 1], positions=[0, 1e200])
    assert far.ms_within == far.ms_error == inf
    assert json.dumps(far.to_dict(), allow_nan=False)
    assert far.coefficients == km.icc([1, 2, 1], [2, 1, 1]).coefficients


def test_positions_of_very_different_size_are_computed():
    """Ratios beyond the range of doubles are infinite numbers, not errors."""
    found = km.icc([1, 1, 3], [1, 2, 3], positions=[0, 1e-299, 1e299])
    assert found["ICC(1,1)"].value == 1
    assert (found["ICC(1,1)"].statistic, found["ICC(1,1)"].pvalue) == (inf, 0)
    opposed = km.icc([1, 3, 3], [3, 1, 2], positions=[0, 1e-299, 1e299])
    assert (opposed["ICC(1,1)"].value, opposed["ICC(1,k)"].value) == (-1, -inf)
    assert opposed["ICC(1,k)"].ci == (-inf, -inf)
    assert opposed["ICC(1,k)"].reason is None
    assert json.dumps(found.to_dict(), allow_nan=False)
    assert json.dumps(opposed.to_dict(), allow_nan=False)


def test_coefficients_are_found_by_both_of_their_names():
    """Case and spaces do not matter; other names are refused."""
    found = km.icc(km.example("anxiety"))
    for name, other in NAMES.items():
        assert found[name] is found[other]
        assert (found[name].name, found[name].mcgraw_wong) == (name, other)
    assert found["icc(2, 1)"] is found["ICC(A,1)"]
    assert float(found["ICC(2,1)"]) == found["ICC(2,1)"].value
    assert isnan(float(km.icc([1], [2])["ICC(2,1)"]))
    with pytest.raises(km.errors.InvalidOptionError, match=r"name must be one of .*; got 'ICC\(4,1\)'"):
        found["ICC(4,1)"]
    with pytest.raises(km.errors.InvalidOptionError, match="name must be one of .*; got '1'"):
        found[1]


def test_incomplete_ratings_are_refused():
    """The message says how to leave out the subjects that lack ratings."""
    with pytest.raises(
        km.errors.NotSupportedError,
        match=r"need complete ratings; 4 subjects of 12 lack ratings\. To leave these out, use "
        r"km\.from_ratings\(ratings, complete_only=True\)\.",
    ):
        km.icc(km.example("gwet2014"))
    with pytest.raises(km.errors.NotSupportedError, match="1 subject of 2 lacks ratings"):
        km.icc([1, 2], [1, None])


@pytest.mark.parametrize("level", [0, 1, 95, "high"])
def test_levels_that_are_no_probability_are_refused(level):
    """The level lies between 0 and 1."""
    with pytest.raises(km.errors.InvalidOptionError, match="level must lie between 0 and 1"):
        km.icc([1, 2], [1, 1], level=level)


def test_text_needs_an_order_or_positions():
    """Two categories need neither, and a scale that is given counts before the values of labels."""
    first, second = ["no", "maybe", "yes", "no"], ["no", "yes", "yes", "maybe"]
    with pytest.raises(km.errors.InvalidOptionError, match="the order of these is not known: 'maybe', 'no', 'yes'"):
        km.icc(first, second)
    ordered = km.icc(first, second, categories=["no", "maybe", "yes"])
    assert ordered.scale == "ranks"
    assert km.icc(first, second, positions=[2, 1, 3]).coefficients == ordered.coefficients
    assert km.icc([1, 2, 5, 1], [1, 5, 5, 2], positions=[1, 2, 3]).coefficients == ordered.coefficients
    assert km.icc([1, 2, 5, 1], [1, 5, 5, 2])["ICC(2,1)"].exact != ordered["ICC(2,1)"].exact
    # kappa is (2/3 - 4/9) / (1 - 4/9) = 2/5, and 3 * 2/5 / (2 + 2/5) is 1/2
    assert km.icc(["no", "yes", "no"], ["no", "yes", "yes"])["ICC(2,1)"].exact == Fraction(1, 2)
