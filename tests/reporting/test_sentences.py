"""Each sentence appears only where it is true."""

from dataclasses import replace

import numpy as np
import pytest

import kappamax as km
from kappamax._rootsum import RootSum
from kappamax.reporting import sentences


def said(table, **options):
    """Return all sentences of a report as one string."""
    return " ".join(words for result in km.report(table, **options).results for words in result.sentences)


def weights_said(table, **options):
    return [result.weights_in_words for result in km.report(table, **options).results]


PAPER = km.example("rapallo2022")
PERFECT = km.from_counts([[5, 0], [0, 7]], categories=["no", "yes"])
NEGATIVE = km.from_counts([[1, 6], [5, 1]], categories=["no", "yes"])
EQUAL = km.from_counts([[4, 2], [2, 4]], categories=["no", "yes"])
FORCED = km.from_counts([[3, 2], [0, 0]], categories=["no", "yes"])
WEAK = km.from_counts([[3, 2], [2, 3]], categories=["no", "yes"])
ONE = km.from_counts([[9, 0], [0, 0]], categories=["no", "yes"])


def test_the_share_of_the_maximum():
    """The sentences give the share, the proof, and the largest difference between the margins."""
    words = said(PAPER, weights="linear")
    assert "The raters reached 66.9% of the largest value that the margins allow (0.7511, proven)." in words
    assert "The margins do not allow a value above 0.7511." in words
    assert "rater 2 used category 3 more often than rater 1 (12 times compared with 7)" in words
    assert "5 tables attain the maximum." in words
    assert (
        "Of the observed disagreement of 0.2020, 0.1010 (50.0%) is forced by the margins, and 0.1010 was avoidable."
        in words
    )
    assert "Agreement this high would rarely arise by chance (p < 0.0001)." in words


def margins_test(**fields):
    """Return a test of the margins of the paper's table with other fields."""
    return replace(km.marginal_homogeneity(PAPER), **fields)


def test_the_test_of_the_margins_stands_beside_the_cap():
    """The margins of the paper's table differ no more than by chance, those of other raters do."""
    words = said(PAPER, weights="linear")
    alike = "The raters' use of the categories differs no more than chance would explain"
    assert f"{alike} (Stuart-Maxwell test, p = 0.1637)." in words
    assert "differently" not in words
    assert words.index("do not allow a value above") < words.index(alike) < words.index("is forced by")
    words = said(km.from_counts([[80, 15], [0, 5]]))
    assert "The raters use the categories differently (McNemar test, p = 0.0001)." in words
    assert "no more than chance" not in words


def test_margins_that_allow_full_agreement_are_not_tested_in_words():
    """Where the margins are equal, or the raters agree, no sentence is about the test."""
    for table in (EQUAL, PERFECT, ONE):
        assert "use of the categories" not in said(table)
        assert "differently" not in said(table)


def test_the_raters_differ_up_to_a_pvalue_of_five_percent():
    """At 0.05 they do, and just above they do not."""
    differ = "The raters use the categories differently (Stuart-Maxwell test, p = 0.0500)."
    assert sentences.of_margins_test(margins_test(pvalue=0.05)) == differ
    above = sentences.of_margins_test(margins_test(pvalue=float(np.nextafter(0.05, 1))))
    assert above.startswith("The raters' use of the categories differs no more than chance would explain")


def test_the_null_hypothesis_of_several_raters_is_named():
    """A permutation test of three raters supposes that they are interchangeable; Bhapkar's test does not."""
    test = margins_test(pvalue=0.01, title="exact permutation test", exchangeability=True)
    assert sentences.of_margins_test(test) == (
        "The raters' use of the categories differs more than chance would explain if the raters were interchangeable "
        "(exact permutation test, p = 0.0100)."
    )
    wald = replace(test, title="Bhapkar test", exchangeability=False)
    assert sentences.of_margins_test(wald) == "The raters use the categories differently (Bhapkar test, p = 0.0100)."


def test_estimated_and_undefined_tests_of_margins_say_so():
    """The number of random permutations, a bound, and the reason why there is no p-value are given."""
    drawn = margins_test(pvalue=1 / 5001, n_draws=5000, at_most=True, title="permutation test")
    assert "(permutation test, p <= 0.0002, estimated from 5,000 random permutations)" in sentences.of_margins_test(
        drawn
    )
    undefined = margins_test(pvalue=None, reason="no subject has two or more ratings")
    assert sentences.of_margins_test(undefined) == (
        "Whether the raters use the categories differently cannot be tested because no subject has two or more ratings."
    )


def test_designs_that_are_too_large_are_reported_without_a_test_of_margins(monkeypatch):
    """The report has no test and no sentence about it."""

    def refused(*_ratings, **_options):
        raise km.errors.NotSupportedError("too large")

    monkeypatch.setattr("kappamax.reporting.report.marginal_homogeneity", refused)
    made = km.report(PAPER, weights="linear")
    assert made.marginal_homogeneity is None
    assert "use of the categories" not in made.to_text()
    assert "categories equally often was tested" not in made.methods()
    assert made.to_dict()["report"]["marginal_homogeneity"] is None


def test_numbers_of_uses_are_written_in_words():
    """The words are "never", "once" or a number of times."""
    assert sentences._times(12, 7) == "12 times compared with 7"
    assert sentences._times(1, 0) == "once compared with never"
    assert sentences._times(3, 1) == "3 times compared with once"


def test_a_tied_largest_difference_is_one_of_several():
    """Categories 1 and 3 differ by five uses; with two categories there is one difference only."""
    assert "One of the largest differences between the raters is that rater 2 used" in said(PAPER, weights="linear")
    two = km.from_counts([[3, 3], [1, 3]])
    assert "The largest difference between the raters is that rater 1 used category 1" in said(two)
    single = km.from_counts([[1, 0, 2], [0, 1, 1], [0, 0, 1]])
    assert "The largest difference between the raters is that rater 2 used category 3 more" in said(single)
    three = km.from_ratings([[1, 1, 1], [1, 1, 2], [2, 2, 2]])
    assert "One of the largest differences between the raters is that rater 1 used category 1" in said(three)


def test_methods_name_the_weights():
    """The unweighted coefficient is named apart from the weights."""
    assert (
        "by Cohen's kappa, unweighted and with linear, quadratic and sqrt weights, with 95%"
        in km.report(PAPER).methods()
    )
    assert "by Cohen's kappa, unweighted, with 95%" in km.report(EQUAL, weights="unweighted").methods()
    assert "by Cohen's kappa, with linear weights, with 95%" in km.report(PAPER, weights="linear").methods()


def test_methods_define_a_two_sided_p_value():
    """The methods paragraph names the definition, because there are several."""
    words = km.report(PAPER, weights="linear", alternative="two-sided").methods()
    assert (
        "P-values are two-sided (by distance from the mean under chance) and exact, conditional on the margins."
        in words
    )


def test_perfect_agreement():
    """No sentence compares margins or splits the disagreement."""
    words = said(PERFECT)
    assert "The raters agree on every subject" in words
    assert "The raters reached the largest value that the margins allow (1.0000, proven)." in words
    assert "more often" not in words
    assert "disagreement" not in words
    assert "The raters agree on every subject" not in said(PAPER)


def test_equal_margins():
    """Equal margins allow full agreement and force no disagreement."""
    words = said(EQUAL)
    assert "Each category was used equally often by all raters, so the margins allow full agreement." in words
    assert "None of the observed disagreement of 0.3333 is forced by the margins." in words
    assert "equally often" not in said(PAPER)
    assert "None of the observed disagreement" not in said(PAPER)
    assert "All of the observed disagreement" not in said(PAPER)


def test_all_disagreement_is_forced_where_the_maximum_is_attained():
    """The observed table is the only one with these margins."""
    words = said(FORCED)
    assert "All of the observed disagreement of 0.4000 is forced by the margins." in words
    assert "avoidable" not in words


def test_negative_kappa_has_no_share():
    """A negative value is compared with the mean under chance and is not called a share of the maximum."""
    words = said(NEGATIVE)
    assert "This is less than the mean of 0.0000 expected by chance (p = " in words
    assert "(proven). A negative value cannot be interpreted as a share of it." in words
    assert "reached" not in words
    assert "negative value" not in said(PAPER)


def test_agreement_that_could_arise_by_chance():
    """The words depend on the p-value: at most 0.05, at most 0.1, or larger."""
    assert "Agreement this high could easily arise by chance (p = 0.5" in said(WEAK)
    assert "could" not in said(PAPER)
    words = said(WEAK, alternative="two-sided")
    assert "Agreement this far from its expected value could easily arise by chance (p = " in words
    assert "Agreement this low would rarely arise by chance (p = " in said(NEGATIVE, alternative="less")
    test = km.exact_test(WEAK)
    for pvalue, rarely in ((0.05, "would rarely"), (0.0501, "could"), (0.1, "could"), (0.1001, "could easily")):
        assert sentences._beside_chance(replace(test, pvalue=pvalue)).startswith(
            f"Agreement this high {rarely} arise by chance (p = {pvalue:.4f})"
        )


def test_a_ratio_that_is_undefined():
    """The margins allow one table only."""
    words = "The ratio to the largest value that the margins allow (0.0000, proven) is undefined because the margins"
    assert words in said(FORCED)
    assert "is undefined" not in said(PAPER)


def test_kappa_that_is_undefined():
    """The only sentence gives the reason, which is that all ratings are the same."""
    (result,) = km.report(ONE, weights="unweighted").results
    assert result.sentences == sentences.undefined("Cohen's kappa", "both raters used only 'no'")
    assert result.sentences[0].startswith("Cohen's kappa is undefined because both raters used only 'no'.")
    assert result.agreement is result.maximum is result.test is None


def test_the_ratings_themselves():
    """The sentences name missing ratings and unused categories."""
    gaps = km.example("gwet2014")
    assert sentences.of_table(gaps) == ("7 of 48 ratings are missing, affecting 4 subjects.",)
    unused = km.from_ratings([["a", "b"], ["b", "b"]], categories=["a", "b", "c"])
    assert sentences.of_table(unused) == ("No rater used the category 'c'.",)
    more = km.from_ratings([["a", "b"], ["b", "b"]], categories=["a", "b", "c", "d"])
    assert sentences.of_table(more) == ("No rater used any of the categories 'c' and 'd'.",)
    assert sentences.of_table(PAPER) == ()
    one = km.from_ratings([["a", "b"], ["b", None], ["b", "a"]])
    assert sentences.of_table(one)[0].startswith("1 of 6 ratings is missing, affecting 1 subject.")


def test_subjects_raters_and_categories_are_counted():
    """The sentence uses the singular or plural and mentions the order of the categories."""
    assert sentences.of_design(PAPER, 2) == (
        "33 subjects were rated by 2 raters in 4 ordered categories: 1, 2, ... (4 in all)."
    )
    assert (
        sentences.of_design(km.from_ratings([["a", "a"]]), 2) == "1 subject was rated by 2 raters in 1 category: 'a'."
    )


def test_missing_ratings_compare_shares():
    """With missing ratings, percentages are compared, because the raters' totals differ."""
    words = said(km.example("gwet2014"), weights="unweighted")
    assert "% of the ratings)" in words
    assert "times compared" not in words


@pytest.mark.slow
def test_an_unknown_maximum_has_a_reason():
    """The maximum of Fleiss' kappa is unknown for many missing ratings in a large design."""
    rng = np.random.default_rng(0)
    ratings = rng.integers(0, 3, size=(200, 4)).astype(float)
    ratings[rng.random(ratings.shape) < 0.3] = np.nan
    words = said(km.from_ratings(ratings), coefficient="fleiss", weights="unweighted")
    assert "The largest possible value is not known: rearranging these ratings changes the expected agreement" in words


def test_an_unproven_maximum_is_described_by_bounds():
    """Shares, limits and disagreement are computed from the bounds."""
    proven = km.max_kappa(PAPER, weights="linear")
    solution = replace(proven.solution, bound=RootSum(8), proof=None)
    most = replace(proven, proven=False, proof=None, bound=0.8, ratio=None, solution=solution)
    assert sentences._reached(most) == (
        "The largest value that the margins allow lies between 0.7511 (the best value found) and 0.8000 (a proven "
        "upper bound). The raters reached between 62.8% and 66.9% of it."
    )
    assert sentences._cause(most)[0].startswith("The margins do not allow a value above 0.8000.")
    assert sentences._split(most) == [
        "At least 0.0808 of the observed disagreement of 0.2020 is forced by the margins."
    ]
    assert sentences._where(most).startswith("In the best table found, the raters agree on 23 of 33 subjects")
    open_end = replace(most, bound=1.0, solution=replace(solution, bound=RootSum(0)))
    assert sentences._cause(open_end) == sentences._split(open_end) == []
    assert "not proven" not in said(PAPER)


def test_a_short_time_limit_claims_nothing_false():
    """The best value found is not below the observed one, and no sentence assumes that it is the maximum."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 5, size=(60, 1))
    ratings = np.where(rng.random((60, 7)) < 0.6, truth, rng.integers(0, 5, size=(60, 7)))
    report = km.report(km.from_ratings(ratings), weights="sqrt", time_limit=1e-6)
    (result,) = report.results
    assert result.maximum.maximum >= result.agreement.value
    if not result.maximum.proven:
        words = " ".join(result.sentences)
        assert "lies between" in words
        assert "avoidable" not in words
        assert "attain" not in words
        assert result.forced_disagreement is None
        assert "where they are not proven optimal, a bound is given" in report.methods()


def test_how_many_tables_attain_the_maximum():
    """The sentence gives the exact number, a lower bound, or the reason why the number is unknown."""
    count = km.maximum.count_maximizers(PAPER, weights="linear")
    assert sentences._tables(count) == "5 tables attain the maximum."
    assert sentences._tables(replace(count, n=1)) == "Exactly one table attains the maximum."
    few = replace(count, n=None, at_least=7, reason="listing stopped")
    assert sentences._tables(few) == "At least 7 tables attain the maximum (listing stopped)."
    none = replace(few, at_least=1)
    assert sentences._tables(none) == (
        "The number of tables that attain the maximum was not determined (listing stopped)."
    )


FREE = km.Weights.from_matrix([[0, 0, 1], [0, 0, 1], [1, 1, 0]], kind="disagreement")


def test_a_maximum_of_one_does_not_mean_equal_margins():
    """With a disagreement of weight zero, the margins can differ although the largest value is 1."""
    words = said(km.from_counts([[4, 2, 0], [0, 3, 1], [0, 1, 3]]), weights=FREE)
    assert "The margins allow a value of 1." in words
    assert "equally often" not in words


def test_a_value_of_one_does_not_mean_full_agreement():
    """Disagreements can have weight zero, and some subjects may have a single rating."""
    words = said(km.from_counts([[4, 2, 0], [0, 4, 0], [0, 0, 3]]), weights=FREE)
    assert "to 1.0000). Every disagreement that occurs has weight zero" in words
    assert "agree on every subject" not in words
    single = said(km.from_ratings([[1, 1], [2, 2], [1, None]], categories=[1, 2]), weights="unweighted")
    assert "The raters agree on every subject that at least two of them rated" in single


def test_below_zero_is_not_below_chance():
    """Scott's pi of -0.010 is above its mean under chance, which is below -0.1."""
    table = km.from_counts([[6, 9], [1, 4]])
    scott = said(table, coefficient="scott", weights="unweighted")
    assert "is -0.0101 " in scott
    assert "less than" not in scott
    assert "Agreement this high could easily arise by chance" in scott
    assert km.exact_test(table, coefficient="scott").null_mean < -0.1
    reverse = said(km.from_counts([[9, 6], [4, 1]]), coefficient="scott", weights="unweighted")
    assert "less than the mean of " in reverse


def test_percent_agreement_is_not_beyond_chance():
    """No sentence calls percent agreement corrected for chance."""
    words = said(EQUAL, coefficient="percent", weights="unweighted")
    assert "beyond chance" not in words
    assert "The raters reached 66.7% of the largest value that the margins allow" in words
    assert "was measured by percent agreement" in km.report(EQUAL, coefficient="percent").methods()


CAPPED = km.from_ratings([[0, None, 0], [1, 1, None], [None, 0, 1]], categories=[0, 1])


def test_the_sets_of_raters_are_named_as_a_cause():
    """The largest kappa is 1/3 although the margins are equal, so the missing ratings are named as a cause."""
    words = said(CAPPED, weights="unweighted")
    limits = "the margins and the set of raters of each subject"
    assert f"The raters reached the largest value that {limits} allow (0.3333, proven)." in words
    assert "do not allow a value above 0.3333, although each category was used equally often by all raters." in words
    assert f"is forced by {limits}" in words
    assert "so the margins allow full agreement" not in words
    assert "set of raters" not in said(PAPER)


def test_equal_shares_are_not_called_equally_often():
    """The second rater used each category twice as often as the others, but for the same share of the ratings."""
    rows = [[1, 1, 1, 1], [0, 0, None, None], [None, 1, None, 0], [None, 0, 0, None]]
    words = said(km.from_ratings(rows, categories=[0, 1]), weights="unweighted")
    assert "a value above 0.7500, although each category has the same share of every rater's ratings." in words
    assert "equally often" not in words


def test_methods_say_how_missing_ratings_were_treated():
    """Alpha has its own definition for missing ratings, and complete ratings are not mentioned."""
    gaps = km.example("gwet2014")
    conger = km.report(gaps, weights="unweighted").methods()
    assert "Missing ratings (7 of 48) were handled by Gwet's method, and standard errors were computed by the" in conger
    limits = "the margins and the set of raters of each subject"
    assert f"values that {limits} allow were computed and proven optimal" in conger
    alpha = km.report(gaps, weights="unweighted", coefficient="alpha").methods()
    assert (
        "Missing ratings (7 of 48) were handled by Krippendorff's definition of alpha, and standard errors were"
        in alpha
    )
    assert "Gwet" not in alpha
    assert "Missing" not in km.report(PAPER).methods()


@pytest.mark.slow
def test_no_split_where_the_chance_term_moves():
    """A table with the largest Fleiss' kappa need not have the smallest disagreement."""
    words = said(km.example("gwet2014"), coefficient="fleiss", weights="unweighted")
    assert "avoidable" not in words
    assert "was not determined (the agreement expected by chance differs between tables)" in words


def test_the_effect_of_the_weights():
    """Weights are described as equal, additive, a metric, or not a metric."""
    flat, linear, quadratic, sqrt = weights_said(PAPER)
    assert flat.startswith("All disagreements between two raters count equally")
    assert "moves within one side of the diagonal do not change the value" in linear
    assert "the triangle inequality holds with equality" in linear
    assert "between 1 and 3 has a larger weight than those between 1 and 2 and between 2 and 3 together" in quadratic
    assert "In a table that attains the maximum, the raters agree on 23 of 33 subjects, and" in quadratic
    assert quadratic.endswith("the ratings of a subject differ by at most 1 category.")
    assert "as many subjects on the diagonal as the margins allow" in sqrt
    assert "agree on 27 of 33 subjects, and the ratings of a subject differ by at most 2 categories." in sqrt
    three = weights_said(km.example("rapallo2022-three"), weights="sqrt")[0]
    assert "on the diagonal" not in three
    gaps = km.from_ratings([[1, 1], [2, 3], [3, None], [1, 2]], categories=[1, 2, 3])
    assert "on the diagonal" not in weights_said(gaps, weights="sqrt")[0]
    assert "of 3 subjects with at least two ratings" in weights_said(gaps, weights="sqrt")[0]
    assert "one side of the diagonal" not in weights_said(gaps, weights="linear")[0]
    nominal = weights_said(km.from_ratings([["a", "b"], ["b", "b"], ["a", "a"]]))[0]
    assert "differ by" not in nominal


@pytest.mark.parametrize("seed", range(5))
def test_every_report_has_sentences(seed):
    """The report of a random table has at least two sentences per weighting."""
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 4, size=(rng.integers(3, 30), rng.integers(2, 5)))
    for result in km.report(km.from_ratings(ratings, categories=[1, 2, 3])).results:
        assert len(result.sentences) >= 2
        assert all(words.endswith(".") for words in result.sentences)


def test_full_agreement_has_an_interval():
    """Agreement on three subjects is no certainty."""
    made = km.report([1, 2, 3], [1, 2, 3], weights="linear").results[0]
    low, high = made.agreement.ci
    assert low < 0.5
    assert high == 1
    assert made.sentences[0].endswith(
        f"is 1.0000 (95% confidence interval {low:.4f} to 1.0000). The raters agree on every subject."
    )
