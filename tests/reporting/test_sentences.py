"""Each sentence appears where it is true and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest

import kappamax as km
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
    assert (
        "The raters reached 66.9% of the largest agreement beyond chance that their margins allow (0.7511, proven)."
        in words
    )
    assert "Rater 2 says 3 more often than rater 1 (12 times against 7)" in words
    assert "differences like this alone cap the value at 0.7511" in words
    assert "5 tables reach the maximum." in words
    assert (
        "Of the mean disagreement of 0.2020, 0.1010 (50.0%) is forced by the margins and 0.1010 was avoidable." in words
    )
    assert "more agreement than chance alone would give (p < 0.0001)" in words


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
    assert "The raters reached the largest agreement that their margins allow (1.0000, proven)." in words
    assert "says" not in words
    assert "mean disagreement" not in words
    assert "the raters agree on every subject" not in said(PAPER)


def test_equal_margins():
    """The margins do not stand in the way."""
    words = said(EQUAL)
    assert "The raters used every category equally often, so the margins do not stand in the way." in words
    assert "None of the mean disagreement of 0.3333 is forced by the margins." in words
    assert "equally often" not in said(PAPER)
    assert "None of the mean disagreement" not in said(PAPER)


def test_negative_kappa_has_no_share():
    """A sentence of its own."""
    words = said(NEGATIVE)
    assert "below zero, so the raters agree less than chance alone would have it" in words
    assert "a share of it means nothing for a value below zero" in words
    assert "reached" not in words
    assert "below zero" not in said(PAPER)


def test_chance_could_give_as_much():
    """Where the p-value is not small."""
    assert "as much agreement is not unusual by chance alone (p = 0.5" in said(WEAK)
    assert "not unusual" not in said(PAPER)
    assert "two-sided)" in said(WEAK, alternative="two-sided")


def test_a_ratio_that_is_undefined():
    """The margins allow one table only."""
    assert "A share of the largest value (0.0000, proven) is undefined: the margins allow one value only." in said(
        FORCED
    )
    assert "is undefined" not in said(PAPER)


def test_kappa_that_is_undefined():
    """One category only: the reason, and nothing else."""
    (result,) = km.report(ONE, weights="unweighted").results
    assert result.sentences == sentences.undefined("both raters used only 'no'")
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
    """Fleiss' kappa with gaps."""
    words = said(km.example("gwet2014"), coefficient="fleiss", weights="unweighted")
    assert "There is no largest value to compare with: with missing ratings Fleiss' kappa has no maximum" in words


def test_an_unproven_maximum_is_said_with_its_bound():
    """From the numbers of a result marked so."""
    most = replace(km.max_kappa(PAPER, weights="linear"), proven=False, bound=0.8)
    assert "0.7511, not proven; at most 0.8000" in sentences._reached(most)
    assert "cap the value at 0.8000" in sentences._cause(PAPER, most)[0]
    count = km.count_maximizers(PAPER, weights="linear")
    assert sentences._tables(count, most) == "How many tables reach the largest value is not known."
    few = replace(count, n=None, at_least=7, reason="listing stopped")
    assert sentences._tables(few, km.max_kappa(PAPER)) == "At least 7 tables reach the maximum (listing stopped)."
    assert "not proven" not in said(PAPER)


def test_what_the_weights_do():
    """Flat, additive, a distance, or not, in the paper's terms."""
    flat, linear, quadratic, sqrt = weights_said(PAPER)
    assert flat.startswith("Every disagreement counts alike")
    assert "the triangle inequality is an equality" in linear
    assert "from 1 to 3 costs more than from 1 to 2 and from 2 to 3 together" in quadratic
    assert "In a table with the maximum 23 of 33 subjects have full agreement, and the strongest" in quadratic
    assert quadratic.endswith("disagreement is 1 category apart.")
    assert "as many subjects on the diagonal as the margins allow" in sqrt
    assert "27 of 33 subjects have full agreement, and the strongest disagreement is 2 categories apart." in sqrt
    three = weights_said(km.example("rapallo2022-three"), weights="sqrt")[0]
    assert "on the diagonal" not in three
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
