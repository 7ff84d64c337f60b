"""Each sentence appears where it is true and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest

import kappamax as km
from kappamax._rootsum import RootSum
from kappamax.reporting import sentences


def said(table, **options):
    """All sentences of a report, in one string."""
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
    """Said with the proof, and with the difference in margins that stands out."""
    words = said(PAPER, weights="linear")
    assert "The raters reached 66.9% of the largest value that the margins allow (0.7511, proven)." in words
    assert "The margins cap the value at 0.7511." in words
    assert "rater 2 says 3 more often than rater 1 (12 times against 7)" in words
    assert "5 tables attain the maximum." in words
    assert (
        "Of the mean disagreement of 0.2020, 0.1010 (50.0%) is forced by the margins and 0.1010 was avoidable." in words
    )
    assert "agreement this high would rarely arise by chance (p < 0.0001)" in words


def test_how_often_is_said_in_words():
    """Never, once, or a number."""
    assert sentences._times(12, 7) == "12 times against 7"
    assert sentences._times(1, 0) == "once against never"
    assert sentences._times(3, 1) == "3 times against once"


def test_methods_name_the_weights():
    """Unweighted is not a weighting."""
    assert (
        "by Cohen's kappa, unweighted and with linear, quadratic and sqrt weights, with 95%"
        in km.report(PAPER).methods()
    )
    assert "by Cohen's kappa, unweighted, with 95%" in km.report(EQUAL, weights="unweighted").methods()
    assert "by Cohen's kappa, with linear weights, with 95%" in km.report(PAPER, weights="linear").methods()


def test_methods_define_a_two_sided_p_value():
    """There is more than one definition."""
    words = km.report(PAPER, weights="linear", alternative="two-sided").methods()
    assert "P-values (two-sided, by distance from the mean under chance) are exact, given the margins." in words


def test_perfect_agreement():
    """Nothing to reach, nothing forced."""
    words = said(PERFECT)
    assert "the raters agree on every subject" in words
    assert "The raters reached the largest value that the margins allow (1.0000, proven)." in words
    assert "says" not in words
    assert "mean disagreement" not in words
    assert "the raters agree on every subject" not in said(PAPER)


def test_equal_margins():
    """The margins do not stand in the way."""
    words = said(EQUAL)
    assert "Each category was used equally often by all raters, so the margins allow full agreement." in words
    assert "None of the mean disagreement of 0.3333 is forced by the margins." in words
    assert "equally often" not in said(PAPER)
    assert "None of the mean disagreement" not in said(PAPER)


def test_negative_kappa_has_no_share():
    """A sentence of its own."""
    words = said(NEGATIVE)
    assert "less than the mean of 0.0000 that chance gives (p = " in words
    assert "a value below zero is no share of it" in words
    assert "reached" not in words
    assert "below zero" not in said(PAPER)


def test_chance_could_give_as_much():
    """Where the p-value is not small."""
    assert "agreement this high could arise by chance (p = 0.5" in said(WEAK)
    assert "could arise" not in said(PAPER)
    words = said(WEAK, alternative="two-sided")
    assert "agreement this far from the mean that chance gives could arise by chance (p = " in words
    assert "agreement this low would rarely arise by chance (p = " in said(NEGATIVE, alternative="less")


def test_a_ratio_that_is_undefined():
    """The margins allow one table only."""
    assert "A share of the largest value (0.0000, proven) is undefined: the margins allow one value only." in said(
        FORCED
    )
    assert "is undefined" not in said(PAPER)


def test_kappa_that_is_undefined():
    """One category only: the reason, and nothing else."""
    (result,) = km.report(ONE, weights="unweighted").results
    assert result.sentences == sentences.undefined("Cohen's kappa", "both raters used only 'no'")
    assert result.agreement is result.maximum is result.test is None


def test_the_ratings_themselves():
    """Missing ratings and unused categories are named."""
    gaps = km.example("gwet2014")
    assert sentences.of_table(gaps) == ("7 ratings of 48 are missing, on 4 subjects.",)
    unused = km.from_ratings([["a", "b"], ["b", "b"]], categories=["a", "b", "c"])
    assert sentences.of_table(unused) == ("Nobody used 'c'.",)
    assert sentences.of_table(PAPER) == ()
    one = km.from_ratings([["a", "b"], ["b", None], ["b", "a"]])
    assert sentences.of_table(one)[0].startswith("1 rating of 6 is missing, on 1 subject.")


def test_missing_ratings_compare_shares():
    """Counts of different totals would mislead."""
    words = said(km.example("gwet2014"), weights="unweighted")
    assert "%" in words
    assert "times against" not in words


def test_no_maximum_is_said_with_its_reason():
    """Fleiss' kappa with gaps in a design too large to search."""
    rng = np.random.default_rng(0)
    ratings = rng.integers(0, 3, size=(200, 4)).astype(float)
    ratings[rng.random(ratings.shape) < 0.3] = np.nan
    words = said(km.from_ratings(ratings), coefficient="fleiss", weights="unweighted")
    assert (
        "The largest value to compare with is not known: rearranging these ratings changes what Fleiss' kappa" in words
    )


def test_an_unproven_maximum_is_said_as_bounds():
    """No share, cap or split of a number that may not be the largest."""
    proven = km.max_kappa(PAPER, weights="linear")
    solution = replace(proven.solution, bound=RootSum(8), proof=None)
    most = replace(proven, proven=False, proof=None, bound=0.8, ratio=None, solution=solution)
    assert sentences._reached(most) == (
        "The largest value that the margins allow lies between 0.7511, the best found, and 0.8000; the raters reached "
        "between 62.8% and 66.9% of it."
    )
    assert sentences._cause(most)[0].startswith("The margins cap the value at 0.8000.")
    assert sentences._split(most) == ["At least 0.0808 of the mean disagreement of 0.2020 is forced by the margins."]
    assert sentences._where(most).startswith("In the best table found 23 of 33 subjects")
    open_end = replace(most, bound=1.0, solution=replace(solution, bound=RootSum(0)))
    assert sentences._cause(open_end) == sentences._split(open_end) == []
    assert "not proven" not in said(PAPER)


def test_a_short_time_limit_claims_nothing_false():
    """The largest value found may be the observed one; it is never below it, and nothing is split."""
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
    """One, several, at least so many, or not determined."""
    count = km.count_maximizers(PAPER, weights="linear")
    assert sentences._tables(count) == "5 tables attain the maximum."
    assert sentences._tables(replace(count, n=1)) == "Exactly one table attains the maximum."
    few = replace(count, n=None, at_least=7, reason="listing stopped")
    assert sentences._tables(few) == "At least 7 tables attain the maximum (listing stopped)."
    none = replace(few, at_least=1)
    assert sentences._tables(none) == "How many tables attain the maximum was not determined (listing stopped)."


FREE = km.Weights.from_matrix([[0, 0, 1], [0, 0, 1], [1, 1, 0]], kind="disagreement")


def test_a_maximum_of_one_does_not_mean_equal_margins():
    """A disagreement of weight zero: the margins differ and the largest value is 1."""
    words = said(km.from_counts([[4, 2, 0], [0, 3, 1], [0, 1, 3]]), weights=FREE)
    assert "The margins allow a value of 1." in words
    assert "equally often" not in words


def test_a_value_of_one_does_not_mean_full_agreement():
    """Disagreements of weight zero, and subjects that one rater alone rated."""
    words = said(km.from_counts([[4, 2, 0], [0, 4, 0], [0, 0, 3]]), weights=FREE)
    assert "is 1.0000: every disagreement that occurs has weight zero" in words
    assert "agree on every subject" not in words
    single = said(km.from_ratings([[1, 1], [2, 2], [1, None]], categories=[1, 2]), weights="unweighted")
    assert "the raters agree on every subject that two or more of them rated" in single


def test_below_zero_is_not_below_chance():
    """Scott's pi is -0.010 where Cohen's kappa is 0.130: its mean by chance is lower still."""
    table = km.from_counts([[6, 9], [1, 4]])
    scott = said(table, coefficient="scott", weights="unweighted")
    assert "is -0.0101 " in scott
    assert "less than" not in scott
    assert "agreement this high could arise by chance" in scott
    assert km.exact_test(table, coefficient="scott").null_mean < -0.1
    reverse = said(km.from_counts([[9, 6], [4, 1]]), coefficient="scott", weights="unweighted")
    assert "less than the mean of " in reverse


def test_percent_agreement_is_not_beyond_chance():
    """It is not corrected for chance, and no sentence says so."""
    words = said(EQUAL, coefficient="percent", weights="unweighted")
    assert "beyond chance" not in words
    assert "The raters reached 66.7% of the largest value that the margins allow" in words
    assert "was measured by percent agreement" in km.report(EQUAL, coefficient="percent").methods()


CAPPED = km.from_ratings([[0, None, 0], [1, 1, None], [None, 0, 1]], categories=[0, 1])


def test_who_rated_whom_is_named_beside_the_margins():
    """Equal margins, and yet a largest kappa of 1/3: the margins are not the cause."""
    words = said(CAPPED, weights="unweighted")
    assert "The raters reached the largest value that the margins and who rated whom allow (0.3333, proven)." in words
    assert "The margins and who rated whom cap the value at 0.3333, although each category was used equally" in words
    assert "is forced by the margins and who rated whom" in words
    assert "so the margins allow full agreement" not in words
    assert "who rated whom" not in said(PAPER)


def test_equal_shares_are_not_called_equally_often():
    """The second rater gave twice as many ratings as the others, so used each category twice as often."""
    rows = [[1, 1, 1, 1], [0, 0, None, None], [None, 1, None, 0], [None, 0, 0, None]]
    words = said(km.from_ratings(rows, categories=[0, 1]), weights="unweighted")
    assert "cap the value at 0.7500, although each category has the same share of every rater's ratings." in words
    assert "equally often" not in words


def test_methods_say_how_missing_ratings_were_treated():
    """Alpha has a definition of its own; complete ratings need none."""
    gaps = km.example("gwet2014")
    conger = km.report(gaps, weights="unweighted").methods()
    assert "Missing ratings were treated as by Gwet; standard errors are by the delta method." in conger
    assert "values that the margins and who rated whom allow were computed and proven optimal" in conger
    alpha = km.report(gaps, weights="unweighted", coefficient="alpha").methods()
    assert "Missing ratings were treated as Krippendorff defines alpha; standard errors are by the delta" in alpha
    assert "Gwet" not in alpha
    assert "Missing" not in km.report(PAPER).methods()


@pytest.mark.slow
def test_no_split_where_the_chance_term_moves():
    """The largest Fleiss' kappa need not have the least disagreement."""
    words = said(km.example("gwet2014"), coefficient="fleiss", weights="unweighted")
    assert "avoidable" not in words
    assert "was not determined (what the coefficient expects by chance differs between tables)" in words


def test_what_the_weights_do():
    """Flat, additive, a distance, or not, in the paper's terms."""
    flat, linear, quadratic, sqrt = weights_said(PAPER)
    assert flat.startswith("Every disagreement between two raters counts the same")
    assert "moving subjects on one side of the diagonal changes nothing" in linear
    assert "the triangle inequality is an equality" in linear
    assert "from 1 to 3 costs more than from 1 to 2 and from 2 to 3 together" in quadratic
    assert "In a table with the maximum 23 of 33 subjects have full agreement, and the largest" in quadratic
    assert quadratic.endswith("disagreement is 1 category apart.")
    assert "as many subjects on the diagonal as the margins allow" in sqrt
    assert "27 of 33 subjects have full agreement, and the largest disagreement is 2 categories apart." in sqrt
    three = weights_said(km.example("rapallo2022-three"), weights="sqrt")[0]
    assert "on the diagonal" not in three
    gaps = km.from_ratings([[1, 1], [2, 3], [3, None], [1, 2]], categories=[1, 2, 3])
    assert "on the diagonal" not in weights_said(gaps, weights="sqrt")[0]
    assert "of 3 subjects with two ratings or more" in weights_said(gaps, weights="sqrt")[0]
    assert "one side of the diagonal" not in weights_said(gaps, weights="linear")[0]
    nominal = weights_said(km.from_ratings([["a", "b"], ["b", "b"], ["a", "a"]]))[0]
    assert "apart" not in nominal


@pytest.mark.parametrize("seed", range(5))
def test_every_report_has_sentences(seed):
    """Random tables of any kind."""
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 4, size=(rng.integers(3, 30), rng.integers(2, 5)))
    for result in km.report(km.from_ratings(ratings, categories=[1, 2, 3])).results:
        assert len(result.sentences) >= 2
        assert all(words.endswith(".") for words in result.sentences)


def test_full_agreement_gives_no_interval_in_words():
    """From 1 to 1 would look like certainty."""
    words = km.report([1, 2, 3], [1, 2, 3], weights="linear").results[0].sentences[0]
    assert words.endswith("is 1.0000: the raters agree on every subject, which leaves no interval to give.")
