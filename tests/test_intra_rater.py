"""Agreement of raters with themselves: reference values, the parts against their own functions, and special cases."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

import kappamax as km
from kappamax.errors import InvalidOptionError, InvalidRatingsError, NotSupportedError
from kappamax.rater_occasions import as_rater_occasions
from tests.support.fees import fees

OCCASIONS = {"CO": ["val_CO", "val_COR"], "MH": ["val_MH", "val_MHR"], "TB": ["val_TB", "val_TBR"]}
FOUR = {"A": [0, 2], "B": [1, 3]}


@pytest.mark.parametrize(
    ("weights", "values", "statistic", "pvalue"),
    [("linear", (0.750, 0.935, 0.793), 3.419, 0.246), ("quadratic", None, 3.069, 0.280)],
)
def test_scores_of_swallowing_have_the_values_of_multiagree(weights, values, statistic, pvalue):
    """Source: the R package multiagree (S. Vanbelle), data fees, clustered by patient."""
    found = km.intra_rater_agreement(fees(), occasions=OCCASIONS, weights=weights)
    if values is not None:
        assert tuple(round(one.value, 3) for one in found.raters.values()) == values
    assert (round(found.equality.statistic, 3), round(found.equality.pvalue, 3)) == (statistic, pvalue)
    assert found.equality.df == (2, 12)  # three raters, 14 patients
    assert (found.n_subjects, found.n_clusters) == (20, 14)


@pytest.mark.parametrize("coefficient", ["kappa", "gwet", "krippendorff"])
def test_every_part_is_that_of_its_own_function(coefficient):
    """Raters, occasions and shifts are those of `agreement` and `marginal_homogeneity` for the same columns."""
    table, options = fees(), {"weights": "linear", "coefficient": coefficient, "level": 0.9}
    found = km.intra_rater_agreement(table, occasions=OCCASIONS, **options)
    for rater, columns in OCCASIONS.items():
        own, one = table.select(columns), found.raters[rater]
        alone = km.agreement(own, **options)
        assert (one.value, one.exact, one.se, one.ci) == (alone.value, alone.exact, alone.se, alone.ci)
        assert (one.columns, one.n_subjects) == (tuple(columns), 20)
        assert found.shifts[rater] == km.marginal_homogeneity(own)
    for occasion, columns in {"1": ["val_CO", "val_MH", "val_TB"], "2": ["val_COR", "val_MHR", "val_TBR"]}.items():
        alone = km.agreement(table.select(columns), **options)
        assert (found.occasions[occasion].value, found.occasions[occasion].ci) == (alone.value, alone.ci)
    assert found.mean.value == pytest.approx(np.mean([one.value for one in found.raters.values()]))


@pytest.mark.parametrize("clustered", [False, True])
def test_two_raters_are_tested_as_by_a_paired_difference(clustered):
    """The square of the difference over its standard error is Hotelling's statistic of two raters."""
    table = fees()
    if not clustered:
        table = km.Table(table.patterns, table.counts, table.categories, table.raters, ordered=True)
    pair = {rater: OCCASIONS[rater] for rater in ("CO", "TB")}
    found = km.intra_rater_agreement(table, occasions=pair, weights="linear")
    if not clustered:
        whole = km.compare(table, first=pair["CO"], second=pair["TB"], weights="linear")
        assert found.equality.statistic == pytest.approx(whole.statistic**2)
        assert found.equality.pvalue == pytest.approx(whole.pvalue)
    # the variances of the sum and of the difference add up to twice those of both coefficients
    difference = found.raters["CO"].value - found.raters["TB"].value
    variances = [
        km.standard_error(table.select(own), weights="linear", method="delta").se ** 2 for own in pair.values()
    ]
    together = 4 * found.mean.se**2 + difference**2 / found.equality.statistic
    assert together == pytest.approx(2 * sum(variances))


def test_the_mean_has_the_error_of_the_jackknife():
    """The delta method and the delete-one jackknife of the mean agree to about 1 / n, and the latter is an option."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 300)
    columns = [np.where(rng.random(300) < 0.2, rng.integers(0, 3, 300), truth) for _ in range(4)]
    found = km.intra_rater_agreement(*columns, occasions=FOUR, weights="linear")
    rows, means = np.column_stack(columns), []
    for left_out in range(300):
        rest = np.delete(rows, left_out, axis=0).T
        means.append(
            np.mean([km.kappa(rest[a], rest[b], weights="linear", interval="normal").value for a, b in FOUR.values()])
        )
    jackknife = sqrt(299 / 300 * ((np.array(means) - np.mean(means)) ** 2).sum())
    assert found.mean.se == pytest.approx(jackknife, rel=2 / 300)
    other = km.intra_rater_agreement(*columns, occasions=FOUR, weights="linear", method="jackknife")
    assert other.mean.se == pytest.approx(jackknife)


def test_a_rater_with_the_same_rating_throughout_is_left_out_of_the_mean():
    """By hand: B has p_o = 2/3 and p_e = (2 x 1 + 1 x 2) / 9 = 4/9, so kappa is 2/5; that of C is 1."""
    columns = [1, 1, 1], [1, 2, 1], [2, 2, 1], [1, 1, 1], [1, 2, 2], [2, 2, 1]
    found = km.intra_rater_agreement(*columns, occasions={"A": [0, 3], "B": [1, 4], "C": [2, 5]})
    assert found.raters["A"].reason == "all ratings are 1"
    assert [found.raters[rater].exact for rater in "BC"] == [Fraction(2, 5), 1]
    assert found.mean.value == pytest.approx(7 / 10)
    assert [one.name for one in found.equality.coefficients] == ["B", "C"]
    assert any("without A" in note for note in found.notes)


@pytest.mark.parametrize("last", [[1, 1], [1, 2]])
def test_there_is_no_mean_of_fewer_than_two_defined_coefficients(last):
    """The mean is undefined with a reason, which is also that of the missing test."""
    found = km.intra_rater_agreement([1, 1], last, [1, 1], last, occasions=FOUR)
    assert (found.mean.value, found.equality) == (None, None)
    assert found.mean.reason == "fewer than two raters have a defined coefficient"
    assert "not tested: fewer than two raters" in repr(found)


def test_a_rater_who_never_rated_a_subject_twice_has_no_value():
    """The other rater still has one."""
    columns = [1, 2, None, None], [1, 2, 2, 1], [None, None, 1, 2], [1, 2, 1, 1]
    found = km.intra_rater_agreement(*columns, occasions=FOUR)
    assert found.raters["A"].reason == "no subject has two ratings to compare"
    assert (found.raters["A"].n_subjects, found.raters["B"].n_subjects) == (0, 4)
    assert found.shifts["A"].pvalue is None


def test_perfect_retests_have_no_interval_of_the_mean_and_no_test():
    """A standard error of zero does not mean certainty."""
    found = km.intra_rater_agreement([1, 2, 1], [1, 2, 2], [1, 2, 1], [1, 2, 2], occasions=FOUR)
    assert (found.mean.value, found.mean.se, found.mean.ci) == (1, 0, None)
    assert found.equality.pvalue is None
    assert "standard errors of their differences are zero" in found.equality.reason
    assert found.raters["A"].ci[0] < 1
    assert any("does not mean certainty" in note for note in found.notes)


def test_one_cluster_gives_no_standard_error_of_the_mean():
    """A single cluster has no spread."""
    columns = [1, 2, 1, 2], [1, 2, 2, 2], [1, 1, 2, 2], [1, 2, 1, 1]
    found = km.intra_rater_agreement(*columns, occasions=FOUR, cluster=[1, 1, 1, 1])
    assert (found.mean.se, found.mean.ci) == (None, None)
    assert "fewer than two clusters" in found.equality.reason


def test_one_rater_has_no_mean():
    """There is nobody to compare the rater with."""
    found = km.intra_rater_agreement([1, 2, 1], [1, 2, 2], occasions={"A": [0, 1]})
    assert (found.mean, found.equality, found.occasions) == (None, None, {})
    assert found.raters["A"].exact == Fraction(2, 5)
    assert found.to_frame("pandas")["rater"].tolist() == ["A"]


def test_three_occasions_are_compared_by_the_kappa_of_several_raters():
    """The kappa of three occasions is Conger's."""
    columns = [1, 2, 1, 2, 2], [1, 2, 2, 2, 1], [1, 1, 1, 2, 2]
    found = km.intra_rater_agreement(*columns, occasions={"A": [0, 1, 2]})
    assert found.title == "Conger's kappa"
    assert found.raters["A"].value == km.kappa(*columns).value


def test_weights_by_pair_of_raters_are_refused():
    """All columns of a rater are compared by the same weights."""
    with pytest.raises(NotSupportedError, match="the same weights for all raters"):
        km.intra_rater_agreement([1, 2], [1, 2], occasions={"A": [0, 1]}, weights={("1", "2"): "linear"})


@pytest.mark.parametrize(
    ("occasions", "columns", "expected"),
    [
        ({"A": ["y", 0]}, ["x", "y", "z"], {"A": {"1": 1, "2": 0}}),
        (", ", ["A, 1", "A, 2", "B, 1", "B, 2"], {"A": {"1": 0, "2": 1}, "B": {"1": 2, "2": 3}}),
        ("_", ["Dr_A_pre", "Dr_A_post", "site"], {"Dr_A": {"pre": 0, "post": 1}}),
        (["1", "2"], ["A_2", "A_1", "B1", "B2"], {"A": {"1": 1, "2": 0}, "B": {"1": 2, "2": 3}}),
        (["", "R"], ["val_CO", "val_COR"], {"val_CO": {"1": 0, "2": 1}}),
        ([" retest", "test"], ["A test", "A retest"], {"A": {"retest": 1, "test": 0}}),
        (["1", "11"], ["A1", "A11"], {"A": {"1": 0, "11": 1}}),
    ],
)
def test_columns_are_found_by_list_by_separator_and_by_ending(occasions, columns, expected):
    """Endings keep their order, and the longest ending counts."""
    found = as_rater_occasions(occasions, columns).columns
    assert found == expected
    assert [list(own) for own in found.values()] == [list(own) for own in expected.values()]


def test_a_column_of_a_rater_with_one_occasion_is_named_in_a_note():
    """Raters without a retest do not take part."""
    table = km.from_ratings([[1, 1, 2], [2, 2, 2], [1, 2, 1]], raters=["A_1", "A_2", "B_1"])
    found = km.intra_rater_agreement(table, occasions="_")
    assert list(found.raters) == ["A"]
    assert found.notes == ("'B_1' belongs to no rater with two occasions and is not used",)


@pytest.mark.parametrize(
    ("occasions", "words"),
    [
        (", ", "no rater has two of the columns 'a1', 'a2', 'a 1'"),
        ({}, "no rater has two of the columns"),
        ({"A": ["a1"]}, "must list two or more columns of each rater"),
        ({"A": "a1"}, "must list two or more columns of each rater"),
        ({"A": ["a1", "a9"]}, "rater must be one of"),
        ({"A": ["a1", "a2"], "B": ["a2", "a 1"]}, "column 'a2' is listed for 'A' and for 'B'"),
        ({"A": ["a1", "a1"]}, "column 'a1' is listed for 'A' and for 'A'"),
        (["1", "2"], "columns 'a1' and 'a 1' are both occasion '1' of 'a'"),
        (["1"], "two or more different endings"),
        (["1", "1"], "two or more different endings"),
        (["1", 2], "two or more different endings"),
        (["_1", "1"], "must differ in letters or digits"),
        ("", "must not be empty"),
        (3, "occasions must be a mapping such as"),
    ],
)
def test_columns_that_cannot_be_assigned_are_refused(occasions, words):
    """The error names the argument and the columns."""
    with pytest.raises(InvalidOptionError, match=words):
        as_rater_occasions(occasions, ("a1", "a2", "a 1"))


def test_the_text_names_raters_occasions_and_tests():
    """The text has a line for every part."""
    shown = repr(km.intra_rater_agreement(fees(), occasions=OCCASIONS, weights="linear"))
    for words in (
        "CO  ",
        "0.7500",
        "mean",
        "equal raters",
        "0.2464",
        "shift of CO",
        "between raters, 2",
        "14 clusters",
    ):
        assert words in shown


@pytest.mark.parametrize("occasions", ["_", ["1", "2"], {"A": ["A_1", "A_2"], "B": ["B_1", "B_2"]}])
def test_a_frame_may_have_columns_that_would_look_like_different_items(occasions):
    """Reading refuses A_1, A_2, B_1 and B_2 as raters unless they are occasions."""
    pandas = pytest.importorskip("pandas")
    columns = {"A_1": [1, 2, 1, 2], "A_2": [1, 2, 2, 2], "B_1": [1, 2, 1, 1], "B_2": [1, 1, 1, 2]}
    frame = pandas.DataFrame(columns)
    with pytest.raises(InvalidRatingsError, match="not all columns"):
        km.kappa(frame)
    found = km.intra_rater_agreement(frame, occasions=occasions)
    assert [one.exact for one in found.raters.values()] == [
        km.kappa(columns[f"{rater}_1"], columns[f"{rater}_2"]).exact for rater in "AB"
    ]
    with pytest.raises(InvalidRatingsError, match="not all columns"):
        km.intra_rater_agreement(frame, occasions="x")


def test_a_list_of_columns_reads_no_other_column_of_a_frame():
    """The labels of other columns are no categories."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"arm": [1, 9, 9, 1], "A": [1, 2, 1, 2], "AR": [1, 2, 2, 2]})
    found = km.intra_rater_agreement(frame, occasions={"A": ["A", "AR"]}, weights="linear")
    assert found.data.categories == (1, 2)
    assert found.raters["A"].exact == Fraction(1, 2)


def test_the_covariances_have_two_methods():
    """The bootstrap is not one of them."""
    with pytest.raises(InvalidOptionError, match="method must be one of 'delta', 'jackknife'"):
        km.intra_rater_agreement([1, 2], [1, 2], occasions={"A": [0, 1]}, method="bootstrap")


@pytest.mark.parametrize(("coefficient", "weights"), [("kappa", "linear"), ("krippendorff", "ordinal")])
def test_a_report_has_a_section_about_the_occasions(coefficient, weights):
    """Its numbers are those of `intra_rater_agreement`; without occasions there is no section."""
    columns = {
        "A_1": [1, 2, 3, 1, 3, 2],
        "A_2": [1, 2, 3, 2, 3, 2],
        "B_1": [1, 2, 2, 1, 3, 2],
        "B_2": [2, 2, 2, 1, 3, 1],
    }
    table = km.from_ratings(list(zip(*columns.values(), strict=True)), raters=list(columns))
    options = {"weights": weights, "coefficient": coefficient}
    made = km.report(table, **options, occasions="_", time_limit=1)
    found = km.intra_rater_agreement(table, **options, occasions="_", rng=0)
    assert made.retest.raters == found.raters
    assert made.retest.mean == found.mean
    for shown in (made.to_text(), made.to_html()):
        assert "Test and retest" in shown
        assert f"{found.raters['A'].value:.4f}" in shown
        assert found.equality_in_words in shown
    assert "Test and retest" not in km.report(table, weights="unweighted", time_limit=1).to_text()


def test_a_report_reads_the_columns_of_a_frame_as_occasions():
    """The columns A_1, A_2, B_1 and B_2 of a frame would be refused as raters."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"A_1": [1, 2, 1, 2], "A_2": [1, 2, 2, 2], "B_1": [1, 2, 1, 1], "B_2": [1, 1, 1, 2]})
    assert list(km.report(frame, weights="unweighted", occasions="_", time_limit=1).retest.raters) == ["A", "B"]
