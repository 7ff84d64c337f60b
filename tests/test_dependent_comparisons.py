"""Any number of coefficients of the same subjects are compared."""

import numpy as np
import pytest
from scipy import stats

import kappamax as km
from benchmarks import comparison_levels

DEPRESSION = {"BDI": ["diag", "BDI"], "GHQ": ["diag", "GHQ"]}
FEES = {"CO": ["val_CO", "val_COR"], "MH": ["val_MH", "val_MHR"], "TB": ["val_TB", "val_TBR"]}

#: Ratings of 15 subjects by four raters on two occasions, printed in the README of the R package pairedCAC (Gwet 2021)
PAIRED = [
    "1111 1111", "1123 3332", "1123 3333", "2223 1121", "1211 1111", "2111 1111", "2222 2222", "2322 2211",
    "3333 3333", "1111 1113", "1123 2222", "3333 3333", "3233 3333", "1211 1211", "2111 3333",
]  # fmt: skip


def fees():
    """Return the 20 swallows of 14 patients that all raters scored twice, as in the publication."""
    path = km.datasets.EXAMPLES["fees"].path
    return km.read_ratings(path, cluster="patient", complete_only=True)


def paired():
    raters = [f"{name}{time}" for time in (1, 2) for name in "ABCD"]
    return km.from_ratings([[int(one) for one in row.replace(" ", "")] for row in PAIRED], raters=raters)


# --- published values ------------------------------------------------------------------------------------------------


def test_depression_as_published():
    """Kappas, standard errors, T2 and p-value of `delta.pair` for independent subjects in the R package multiagree.

    Source: S. Vanbelle, multiagree, example of delta.pair with data of Vanbelle and Albert (2008): 0.538 (0.141), 0.746
    (0.107), T2 = 2.248, p = 0.140. For independent subjects, multiagree divides sums of squares by N where we divide by
    N - 1, as it does itself for clusters; so its variances are ours times 49/50, and its T2 is ours times 50/49.
    """
    found = km.compare_dependent(km.example("depression"), kappas=DEPRESSION, method="delta")
    assert [one.value for one in found.coefficients] == pytest.approx([0.538, 0.746], abs=5e-4)
    published = [one.se * (49 / 50) ** 0.5 for one in found.coefficients]
    assert published == pytest.approx([0.141, 0.107], abs=5e-4)
    t2 = found.statistic * 50 / 49
    assert t2 == pytest.approx(2.248, abs=5e-4)
    assert stats.f.sf(t2, 1, 49) == pytest.approx(0.140, abs=5e-4)
    assert (found.statistic, found.pvalue) == pytest.approx((2.2032, 0.1441), abs=5e-5)  # ours
    assert found.df == (1, 49)


def test_depression_by_the_bootstrap_as_published():
    """Standard errors and their correlation of `boot.pair` with 1,000 resamples, up to the error of both simulations.

    Source: S. Vanbelle, multiagree, file multiagree_pack.docx: 0.144, 0.114 and a correlation of 0.395. A standard
    error from B resamples has a relative error of about 1 / sqrt(2 B), and a correlation one of (1 - rho^2) / sqrt(B).
    """
    found = km.compare_dependent(km.example("depression"), kappas=DEPRESSION, method="bootstrap", n_resamples=20_000)
    relative = (1 / 2000 + 1 / 40_000) ** 0.5
    for one, published in zip(found.coefficients, (0.144, 0.114), strict=True):
        assert one.se == pytest.approx(published, abs=3 * relative * published + 5e-4)
    correlation = found.covariance[0, 1] / np.sqrt(found.covariance[0, 0] * found.covariance[1, 1])
    assert correlation == pytest.approx(0.395, abs=3 * (1 - 0.395**2) * (1 / 1000 + 1 / 20_000) ** 0.5)


@pytest.mark.parametrize(
    ("weights", "kappas", "t2", "pvalue"),
    [("linear", (0.750, 0.935, 0.793), 3.419, 0.246), ("quadratic", None, 3.069, 0.280)],
)
def test_fees_as_published(weights, kappas, t2, pvalue):
    """Kappas of the two occasions of each rater, T2 and p-value with patients as clusters.

    Source: S. Vanbelle, R package multiagree, example of delta.pair; Vanbelle (2017), Biometrical Journal 59.
    """
    table = fees()
    assert (table.n_subjects, table.clusters.n_clusters) == (20, 14)
    found = km.compare_dependent(table, kappas=FEES, weights=weights, method="delta")
    if kappas is not None:
        assert [one.value for one in found.coefficients] == pytest.approx(kappas, abs=5.001e-4)
    assert (found.statistic, found.pvalue) == pytest.approx((t2, pvalue), abs=5e-4)
    assert found.df == (2, 12)


@pytest.mark.parametrize(
    ("coefficient", "second_raters", "values", "se", "statistic", "pvalue"),
    [
        ("fleiss", 4, (0.3856655, 0.7248495), 0.1574322, 2.154477, 0.04910569),
        ("fleiss", 3, (0.3856655, 0.7942073), 0.1612858, 2.53303, 0.02389035),
        ("gwet", 4, (0.4069193, 0.737382), 0.1452689, 2.274835, 0.03917311),
        ("conger", 4, (0.3932584, 0.7250859), 0.1527202, 2.172781, 0.04745695),
        ("krippendorff", 4, (0.3959044, 0.7294354), 0.1548083, 2.154477, 0.04910569),
        ("brennan-prediger", 4, (0.4, 0.7333333), 0.1477342, 2.256304, 0.04056859),
        ("percent", 4, (0.6, 0.8222222), 0.09848947, 2.256304, 0.04056859),
    ],
)
def test_two_occasions_as_in_paired_cac(coefficient, second_raters, values, se, statistic, pvalue):
    """Coefficients of four raters on two occasions, standard error of the difference, t statistic and p-value.

    Source: K. L. Gwet, README of the R package pairedCAC (2021), which implements Gwet (2016), Educational and
    Psychological Measurement 76, 609-637. Its difference is second minus first. For Krippendorff's alpha it regards the
    number of ratings in the small-sample term as fixed, where we differentiate by it, so its standard error differs.
    """
    table = paired()
    kappas = {"first": table.raters[:4], "second": table.raters[4 : 4 + second_raters]}
    found = km.compare_dependent(table, kappas=kappas, coefficient=coefficient, method="delta")
    assert [one.value for one in found.coefficients] == pytest.approx(values, abs=5e-8)
    difference = found.differences[0]
    if coefficient == "krippendorff":
        assert difference.se == pytest.approx(se, rel=0.01)
        return
    assert difference.se == pytest.approx(se, rel=5e-7)
    assert -difference.statistic == pytest.approx(statistic, rel=5e-7)
    assert difference.pvalue == pytest.approx(pvalue, rel=5e-7)
    assert found.pvalue == pytest.approx(pvalue, rel=5e-7)


# --- the result ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["delta", "jackknife", "bootstrap"])
def test_two_coefficients_are_compared_as_by_compare(method):
    """The difference, its standard error, its interval and its p-value are those of `compare`."""
    for table, kappas in ((km.example("depression"), DEPRESSION), (fees(), {"CO": FEES["CO"], "TB": FEES["TB"]})):
        found = km.compare_dependent(table, kappas=kappas, method=method)
        first, second = kappas.values()
        two = km.compare(table, first=first, second=second, method=method)
        difference = found.differences[0]
        assert (difference.difference, difference.se) == (two.difference, two.se)
        assert (difference.statistic, difference.pvalue) == pytest.approx((two.statistic, two.pvalue), rel=1e-12)
        assert difference.adjusted_pvalue == pytest.approx(two.pvalue, rel=1e-9)
        assert found.pvalue == pytest.approx(two.pvalue, rel=1e-9)
        assert difference.ci == (None if two.ci is None else pytest.approx(two.ci))
        assert two.df == (None if method == "bootstrap" else found.n_units - 1)


def test_intervals_and_adjusted_p_values_decide_alike():
    """An interval excludes 0 exactly if the adjusted p-value is at most 1 - level."""
    table = km.example("diagnoses")
    for method in ("delta", "jackknife", "bootstrap"):
        for level in (0.5, 0.8, 0.95):
            found = km.compare_dependent(
                table,
                kappas=[table.raters[:2], table.raters[2:4], table.raters[4:]],
                method=method,
                level=level,
                n_resamples=499,
            )
            for one in found.differences:
                excludes = one.ci is not None and not one.ci[0] <= 0 <= one.ci[1]
                assert excludes == (one.adjusted_pvalue <= 1 - level)
                assert one.adjusted_pvalue >= one.pvalue


def test_adjusted_p_values_are_those_of_sidak():
    """With three differences, the adjusted p-value is 1 - (1 - p)^3."""
    for one in km.compare_dependent(fees(), kappas=FEES, weights="linear").differences:
        assert one.adjusted_pvalue == pytest.approx(1 - (1 - one.pvalue) ** 3)
        assert one.pvalue == pytest.approx(2 * stats.t.sf(abs(one.statistic), 13))
        assert one.statistic == pytest.approx(one.difference / one.se)


def test_the_order_of_the_coefficients_does_not_matter():
    """T2 and the p-value stay the same, and differences change their sign."""
    names = list(FEES)
    one = km.compare_dependent(fees(), kappas=FEES, weights="linear")
    other = km.compare_dependent(fees(), kappas={name: FEES[name] for name in reversed(names)}, weights="linear")
    assert (one.statistic, one.pvalue) == pytest.approx((other.statistic, other.pvalue))
    assert one.covariance == pytest.approx(other.covariance[::-1, ::-1])
    assert [d.difference for d in one.differences] == pytest.approx([-d.difference for d in other.differences[::-1]])


def test_all_pairs_of_raters_are_the_default():
    """Three raters have three kappas, named by the raters."""
    found = km.compare_dependent(km.example("anxiety"))
    names = ["rater1 & rater2", "rater1 & rater3", "rater2 & rater3"]
    assert [one.name for one in found.coefficients] == names
    assert [(one.first, one.second) for one in found.differences] == [
        (names[0], names[1]),
        (names[0], names[2]),
        (names[1], names[2]),
    ]


def test_names_say_what_differs():
    """Raters, weights or kinds of coefficients; many raters are abbreviated and equal names are numbered."""
    table = km.example("diagnoses")

    def names(*specs):
        return [one.name for one in km.compare_dependent(table, kappas=specs).coefficients]

    first, last = table.raters[0], table.raters[-1]
    assert names({"coefficient": "fleiss"}, {"coefficient": "gwet"}) == ["Fleiss' kappa", "Gwet's AC"]
    assert names(table.raters, table.raters[:5])[0] == f"{first} & ... & {last} (6 raters)"
    pair = " & ".join(table.raters[:2])
    assert names(table.raters[:2], table.raters[:2]) == [pair, f"{pair} (2)"]
    ordered = km.example("anxiety")
    by_weights = km.compare_dependent(ordered, kappas=[{"weights": "linear"}, {"weights": "quadratic"}])
    assert [one.name for one in by_weights.coefficients] == ["linear", "quadratic"]
    assert [one.raters for one in by_weights.coefficients] == [ordered.raters] * 2


def test_the_result_shows_what_it_is():
    """The text has all coefficients, differences and the test, and the frame one row per difference."""
    found = km.compare_dependent(fees(), kappas=FEES, weights="linear", method="delta")
    shown = repr(found)
    for part in ("CO - MH", "Hotelling's T2  3.4190, F with 2 and 12 df", "0.2464", "in 14 clusters"):
        assert part in shown
    frame = found.to_frame("pandas")
    assert frame["first"].tolist() == ["CO", "CO", "MH"]
    assert frame["adjusted_pvalue"].tolist() == [one.adjusted_pvalue for one in found.differences]
    plain = found.to_dict()
    assert plain["df"] == [2, 12]
    assert plain["coefficients"][0]["raters"] == FEES["CO"]
    by_bootstrap = km.compare_dependent(fees(), kappas=FEES, method="bootstrap", n_resamples=99)
    assert "99 resamples" in repr(by_bootstrap)
    assert by_bootstrap.df is None


def test_clusters_can_be_given_with_the_ratings():
    """A column of a frame or an array gives the same comparison as a table with clusters."""
    pandas = pytest.importorskip("pandas")
    path = km.datasets.EXAMPLES["fees"].path
    frame = pandas.read_csv(path).dropna()
    frame[frame.columns[1:]] = frame[frame.columns[1:]].astype(int)
    expected = km.compare_dependent(fees(), kappas=FEES, weights="linear")
    by_name = km.compare_dependent(frame, kappas=FEES, weights="linear", cluster="patient")
    columns = [frame[name].tolist() for name in frame.columns[1:]]
    specs = [[0, 1], [2, 3], [4, 5]]
    by_array = km.compare_dependent(*columns, kappas=specs, weights="linear", cluster=frame["patient"].tolist())
    assert by_name.pvalue == by_array.pvalue == expected.pvalue
    assert km.compare(frame, first=FEES["CO"], second=FEES["MH"], cluster="patient").df == 13


# --- named cases -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["delta", "jackknife", "bootstrap"])
def test_coefficients_that_are_the_same_reduce_the_degrees_of_freedom(method):
    """With two categories, linear and quadratic kappa are unweighted kappa."""
    table = km.example("depression")
    specs = [{"raters": ["diag", "BDI"]}, {"raters": ["diag", "BDI"], "weights": "linear"}, {"raters": ["diag", "GHQ"]}]
    found = km.compare_dependent(table, kappas=specs, method=method)
    assert found.reason == "the covariance of the 2 differences from the first coefficient has rank 1"
    two = km.compare_dependent(table, kappas=[specs[0], specs[2]], method=method)
    assert (found.statistic, found.pvalue) == pytest.approx((two.statistic, two.pvalue))
    same = found.differences[0]
    assert (same.difference, same.se, same.ci, same.statistic, same.adjusted_pvalue) == (0, 0, (0, 0), None, None)
    only = km.compare_dependent(table, kappas=specs[:2], method=method)
    assert (only.statistic, only.pvalue) == (None, None)
    assert only.reason == "all coefficients are equal, and the standard errors of their differences are zero"


def test_a_difference_without_variance_has_no_test():
    """Rater 2 is perfect and percent agreement of raters 1 and 3 is 0 for every subject."""
    table = km.from_ratings([[1, 1, 2], [2, 2, 1], [1, 1, 2], [2, 2, 1]])
    kappas = [{"raters": ["1", "2"], "coefficient": "percent"}, {"raters": ["1", "3"], "coefficient": "percent"}]
    found = km.compare_dependent(table, kappas=kappas)
    assert (found.statistic, found.pvalue) == (None, None)
    assert found.reason == "a difference that is not zero has a standard error of zero"
    assert found.differences[0].ci == (1, 1)


def test_too_few_subjects_or_clusters():
    """One cluster has no standard errors; as many clusters as differences have no test of equality."""
    codes = np.array([[0, 0, 1], [1, 1, 1], [0, 1, 0], [1, 0, 0]])
    one = km.Table(codes, None, (0, 1), ordered=True, clusters=[7] * 4)
    found = km.compare_dependent(one)
    assert found.reason == "fewer than two clusters have ratings to compare, so there is no standard error"
    assert found.covariance is None
    assert [(d.se, d.ci, d.pvalue) for d in found.differences] == [(None, None, None)] * 3
    assert [(c.se, c.ci) for c in found.coefficients] == [(None, None)] * 3
    two = km.compare_dependent(km.Table(codes, None, (0, 1), ordered=True, clusters=[0, 0, 1, 1]), method="delta")
    assert (two.pvalue, two.reason) == (None, "2 clusters are too few to test 2 differences")
    assert all(d.se is not None for d in two.differences)


def test_a_coefficient_that_is_undefined_without_a_subject_has_no_jackknife():
    """Without the only subject in the second category, kappa is 0/0."""
    table = km.from_ratings([[1, 1, 1]] * 9 + [[2, 2, 1]])
    kappas = [["1", "2"], {"raters": ["1", "2"], "coefficient": "percent"}]
    found = km.compare_dependent(table, kappas=kappas)
    assert found.reason == "a coefficient is undefined without one subject, so there is no jackknife standard error"
    by_bootstrap = km.compare_dependent(
        km.from_ratings([[1, 1, 1]] * 9 + [[2, 1, 2], [2, 2, 1]]), method="bootstrap", n_resamples=400
    )
    assert by_bootstrap.n_undefined > 0
    assert "resamples a coefficient is undefined" in by_bootstrap.notes[0]
    assert "no standard error in more than 5% of the resamples" in by_bootstrap.notes[1]
    assert all(one.ci is None for one in by_bootstrap.differences)


def test_undefined_coefficients_are_named():
    table = km.from_ratings([[1, 1, 1], [1, 1, 2], [1, 1, 1]], raters=["ann", "bob", "eve"])
    with pytest.raises(km.errors.UndefinedKappaError, match="the coefficient of ann, bob: both raters used only 1"):
        km.compare_dependent(table, kappas=[["ann", "eve"], ["ann", "bob"]])


def test_missing_ratings_leave_out_different_subjects():
    """Each coefficient uses its own subjects; the degrees of freedom are those of the smaller number."""
    table = km.example("fees")
    found = km.compare_dependent(table, kappas=FEES, weights="linear")
    for one, raters in zip(found.coefficients, FEES.values(), strict=True):
        assert one.value == km.kappa(table.select(raters), weights="linear").value
    assert (found.n_units, found.df) == (15, (2, 13))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kappas": [["diag", "BDI"]]}, "kappas must have at least two coefficients; got 1"),
        ({"kappas": "diag"}, "kappas must be a list such as"),
        ({"kappas": [["diag", "BDI"], "GHQ"]}, "kappas must be lists of raters such as"),
        ({"kappas": {"a": ["diag", "BDI"], "": ["diag", "GHQ"]}}, "the names of kappas must be text; got ''"),
        ({"kappas": [{"wieghts": "linear"}, {}]}, "got 'wieghts'. Did you mean 'weights'"),
        ({"kappas": [["diag", "bdi"], ["diag", "GHQ"]]}, "rater must be one of"),
        ({"method": "detla"}, "Did you mean 'delta'"),
        ({"level": 1.5}, "level must lie between 0 and 1"),
        ({"method": "bootstrap", "n_resamples": 1}, "n_resamples must be a whole number >= 2"),
        ({"cluster": "patient"}, "pass cluster= to km.from_ratings"),
    ],
)
def test_options_without_meaning_are_refused(options, message):
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        km.compare_dependent(km.example("depression"), **options)


def test_two_raters_need_specs_and_a_hundred_coefficients_are_the_limit():
    with pytest.raises(km.errors.InvalidOptionError, match="the ratings have two raters only"):
        km.compare_dependent(km.example("rapallo2022"))
    with pytest.raises(km.errors.NotSupportedError, match="at most 100 coefficients are compared; got 101"):
        km.compare_dependent(km.example("anxiety"), kappas=[["rater1", "rater2"]] * 101)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "clustered"), [(50, False), (20, True)])
def test_tests_of_equality_hold_their_level_with_a_rare_category(size, clustered):
    """Part of the study of docs/howto/comparing-kappas.md: the jackknife and the bootstrap reject at most 7.5%.

    Three Monte Carlo errors are added. The delta method, whose level is higher there, rejects more often than the
    jackknife in the same studies.
    """
    setting = comparison_levels.Setting("3, one rater in common", 3, "quadratic", 0.9, 0.6)
    n_studies = {"jackknife": 600, "delta": 600, "bootstrap": 200}
    found = comparison_levels.rejections(setting, size, clustered, n_studies, [1, size])
    for method in ("jackknife", "bootstrap"):
        limit = 0.075 + 3 * (0.075 * 0.925 / n_studies[method]) ** 0.5
        assert found[method, "equality"] <= limit
        assert found[method, "differences"] <= limit
    assert found["delta", "equality"] > found["jackknife", "equality"]
