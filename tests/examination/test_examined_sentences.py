"""Every sentence of a report is true, as a list of all rearrangements shows."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

import kappamax as km
from kappamax.reporting.report_results import WeightingReport
from tests.support import naive_agreement as naive
from tests.support.comparing import assert_shown
from tests.support.designs import EXACT_NAMES, KINDS, ROOT_NAMES, Design, as_rows, draw, seeds
from tests.support.listing import Listing, listing_of

_LIMITS = "(?:the margins(?: and the set of raters of each subject)?)"
_NUMBER = r"(-?[\d,]+\.\d+)"
_COUNTABLE = EXACT_NAMES + ROOT_NAMES


@pytest.mark.parametrize("seed", seeds(96))
def test_every_sentence_of_a_report_is_true(seed):
    """Each sentence is recognised, its numbers are those of the listing, and its condition holds."""
    design = draw(seed, most_orders=300, names=_COUNTABLE)
    name = design.coefficients[(seed // len(KINDS)) % len(design.coefficients)]
    examine_sentences(design, name)


@pytest.mark.slow
def test_every_sentence_of_a_report_is_true_on_a_thousand_designs():
    """Every sentence is true, and every kind of sentence occurs, except for three rare ones."""
    said: Counter[str] = Counter()
    for seed in range(1000, 2000):
        design = draw(seed, most_orders=500, names=_COUNTABLE)
        said.update(examine_sentences(design, design.coefficients[seed // 12 % len(design.coefficients)]))
    rare = {"says_all_alike", "says_same_shares", "says_no_margins_test"}
    assert {check.__name__ for _, check in CLAIMS} - set(said) <= rare


def examine_sentences(design: Design, name: str) -> list[str]:
    """Check every sentence of a report, and return the names of the checks that were used."""
    listing = listing_of(design, name)
    (result,) = km.report(design.table, weights=[design.weights], coefficient=name).results
    if listing.value is None:
        assert " is undefined because " in result.sentences[0]
        return []
    used = []
    first, *others = result.sentences
    if result.test is not None and result.test.method == "monte-carlo":
        # only the value is checked here, because p-values from random tables are checked elsewhere
        others.append(first[: first.index(". ") + 1])
    else:
        others.append(first)
    for sentence in others:
        used += check_sentence(sentence, design, listing)
    if result.weights_in_words is not None:
        used += check_where(result, design, listing)
    return used


def check_sentence(sentence: str, design: Design, listing: Listing) -> list[str]:
    """Check every claim in a sentence; a sentence without a known claim is a failure."""
    found = [(re.search(pattern, sentence), check) for pattern, check in CLAIMS]
    claims = [(match, check) for match, check in found if match]
    assert claims, f"not examined: {sentence}"
    for match, check in claims:
        check(match, design, listing)
    return [check.__name__ for _, check in claims]


def says_value(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check the value."""
    assert_shown(match[1], listing.value)


def says_less_than_mean(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that the value is below the mean under chance, and check the one-sided p-value."""
    assert listing.value < listing.null_mean
    assert_shown(match[1], listing.null_mean)
    says_pvalue(match[2], listing)


def says_rarely(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that the p-value is at most 0.05."""
    assert listing.pvalue("greater") <= Fraction(1, 20)
    says_pvalue(match[1], listing)


def says_could_arise(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that the value is not below the mean, and that the p-value is above 0.05, or 0.1 for "could easily"."""
    assert naive.key(listing.value) >= naive.key(listing.null_mean) - 4
    assert listing.pvalue("greater") > Fraction(1, 20)
    assert bool(match[1]) == (listing.pvalue("greater") > Fraction(1, 10))
    says_pvalue(match[2], listing)


def says_pvalue(said: str, listing: Listing) -> None:
    """Check a p-value, or that it is below 0.0001."""
    if said == "p < 0.0001":
        assert listing.pvalue("greater") < Fraction(1, 10**4)
    else:
        assert_shown(said.removeprefix("p = "), listing.pvalue("greater"))


def says_full_agreement(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that all ratings of every subject with two or more ratings are equal."""
    assert listing.value == 1
    rated = [[code for code in row if code >= 0] for row in design.rows]
    assert all(len(set(codes)) == 1 for codes in rated if len(codes) > 1)
    assert bool(match[1]) == any(len(codes) < 2 for codes in rated)


def says_weightless(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that different ratings occur and that their weights are zero."""
    assert listing.value == 1
    assert naive.mean_disagreement(design.counts, design.u) == 0
    assert any(len({code for code in row if code >= 0}) > 1 for row in design.rows)


def says_share(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check the ratio of the value to the largest value."""
    assert 0 <= listing.value < listing.maximum
    assert_shown(match[1], 100 * listing.value / listing.maximum, digits=1)
    assert_shown(match[2], listing.maximum)


def says_corrected_share(match: re.Match[str], design: Design, listing: Listing) -> None:
    """The share in the population is at most that of the sample, and at least the value."""
    assert listing.value is not None
    assert float(listing.value) > 0
    assert 100 * float(listing.value) - 0.06 <= float(match[1]) <= 100.05


def says_reached(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that the observed table has the largest value."""
    assert naive.key(listing.value) == naive.key(listing.maximum)
    assert_shown(match[1], listing.maximum)


def says_no_share_below_zero(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that the value is negative and that the largest value is not."""
    assert listing.value < 0 < listing.maximum
    assert_shown(match[1], listing.maximum)


def says_undefined_share(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that there is only one value, or that no value is above zero."""
    assert listing.maximum <= 0 or naive.key(listing.maximum) == naive.key(listing.minimum)
    assert_shown(match[1], listing.maximum)


def says_equal_margins(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that all raters have the same margins, that no rating is missing, and that full agreement is possible."""
    first, *others = naive.margins(design.counts, design.k)
    assert all(other == first for other in others)
    assert design.complete
    assert listing.maximum == 1
    assert any(all(len(set(row)) == 1 for row in rows) for rows in listing.ways)


def says_one_is_possible(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that some table has the value 1."""
    assert listing.maximum == 1


def says_cap(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that the largest value is below 1."""
    assert listing.maximum < 1
    assert_shown(match[1], listing.maximum)


def says_all_alike(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that all raters used each category equally often and that ratings are missing."""
    first, *others = naive.margins(design.counts, design.k)
    assert all(other == first for other in others)
    assert not design.complete


def says_same_shares(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that each category has the same share of every rater's ratings but not the same count."""
    first, *others = naive.rater_shares(design.counts, design.k)
    assert all(other == first for other in others)
    assert len({sum(own) for own in naive.margins(design.counts, design.k)}) > 1


def says_difference(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that no two raters differ more in any category, and check the two numbers."""
    shares = naive.rater_shares(design.counts, design.k)
    category = [repr(label) for label in design.labels].index(match[3])
    more, fewer = int(match[2]) - 1, int(match[4]) - 1
    spread = shares[more][category] - shares[fewer][category]
    largest = max(one[i] - other[i] for one in shares for other in shares for i in range(design.k))
    assert abs(spread - largest) < Fraction(1, 10**12)
    assert spread > 0
    tied = sum(one[i] - other[i] == largest for one in shares for other in shares for i in range(design.k))
    assert (match[1] == "One of the largest differences") == (tied > (2 if design.k == 2 else 1))
    counts = naive.margins(design.counts, design.k)
    if design.complete:
        said = match[5].replace("once", "1").replace("never", "0").replace(" times", "").split(" compared with ")
        assert [int(part) for part in said] == [counts[more][category], counts[fewer][category]]
    else:
        said = match[5].removesuffix(" of the ratings").split(" compared with ")
        for part, own in zip(said, (shares[more], shares[fewer]), strict=True):
            assert_shown(part.removesuffix("%"), 100 * own[category], digits=1)


def says_split(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check the smallest disagreement of any table, and the rest of the observed disagreement."""
    observed, forced = disagreements(design, listing)
    assert 0 < forced < observed
    for said, true in ((match[1], observed), (match[2], forced), (match[4], observed - forced)):
        assert_shown(said, true)
    assert_shown(match[3], 100 * forced / observed, digits=1)


def says_all_forced(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that no table has less disagreement than the observed one."""
    observed, forced = disagreements(design, listing)
    assert 0 < forced == observed
    assert_shown(match[1], observed)


def says_nothing_forced(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that some table has no disagreement."""
    observed, forced = disagreements(design, listing)
    assert forced == 0
    assert_shown(match[1], observed)


def says_number(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check the number of tables that attain the maximum."""
    n = 1 if match[1] == "Exactly one table attains" else int(match[1].split()[0].replace(",", ""))
    assert n == len(listing.attaining(listing.maximum))


def says_unknown(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that ratings are missing; the number of maximisers is always known for complete ratings."""
    assert not design.complete


def disagreements(design: Design, listing: Listing) -> tuple[Fraction, Fraction]:
    """Return the mean disagreement of the observed table, and the smallest one of any table."""
    name = listing.coefficient
    means = {rows: naive.disagreement(name, Counter(rows), design.u, design.k)[0] for rows in listing.defined}
    return means[listing.observed], min(means.values())


def says_margins(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that the wording follows the p-value of the test of the margins, which is checked elsewhere."""
    test = km.marginal_homogeneity(design.table, rng=0)
    alike = bool(match[1])
    assert alike == (test.pvalue > 0.05)
    assert f"p = {test.pvalue:.4f}" in match.string or test.pvalue < 1e-4


def says_no_margins_test(match: re.Match[str], design: Design, listing: Listing) -> None:
    """Check that the test of the margins has no p-value."""
    assert km.marginal_homogeneity(design.table, rng=0).pvalue is None


CLAIMS = (
    (r"^Whether the raters use the categories differently cannot be tested because", says_no_margins_test),
    (r"^The raters(?: use the categories differently|' use of the categories differs (no )?more than)", says_margins),
    (rf"^[^.]* is {_NUMBER}(?: \(\d|\.( [A-Z]|$))", says_value),
    (rf"This is less than the mean of {_NUMBER} expected by chance \((p [^)]*)\)", says_less_than_mean),
    (r"Agreement this high would rarely arise by chance \((p [^)]*)\)", says_rarely),
    (r"Agreement this high could( easily)? arise by chance \((p [^)]*)\)", says_could_arise),
    (r"The raters agree on every subject( that at least two of them rated)?", says_full_agreement),
    (r"Every disagreement that occurs has weight zero", says_weightless),
    (rf"^The raters reached (\d+\.\d)% of the largest value that {_LIMITS} allow \({_NUMBER}, proven\)", says_share),
    (r"are estimated to reach (\d+\.\d)% of the maximum \(95% confidence interval", says_corrected_share),
    (rf"^The raters reached the largest value that {_LIMITS} allow \({_NUMBER}, proven\)", says_reached),
    (rf" allow is {_NUMBER} \(proven\)\. A negative value cannot be interpreted as a share", says_no_share_below_zero),
    (
        rf"^The ratio to the largest value that {_LIMITS} allow \({_NUMBER}, proven\) is undefined because ",
        says_undefined_share,
    ),
    (r"^Each category was used equally often by all raters, so the margins allow full agreement", says_equal_margins),
    (r" allow a value of 1\.$", says_one_is_possible),
    (rf" do not allow a value above {_NUMBER}", says_cap),
    (r", although each category was used equally often by all raters", says_all_alike),
    (r", although each category has the same share of every rater's ratings", says_same_shares),
    (
        r"\. (.+) between the raters is that rater (\d) used category (.+) more often than rater (\d) \((.*)\)\.$",
        says_difference,
    ),
    (
        rf"^Of the observed disagreement of {_NUMBER}, {_NUMBER} \((\d+\.\d)%\) is forced by {_LIMITS}, "
        rf"and {_NUMBER} was avoidable",
        says_split,
    ),
    (rf"^All of the observed disagreement of {_NUMBER} is forced by {_LIMITS}", says_all_forced),
    (rf"^None of the observed disagreement of {_NUMBER} is forced by {_LIMITS}", says_nothing_forced),
    (r"^(Exactly one table attains|[\d,]+ tables attain) the maximum\.", says_number),
    (r"^The number of tables that attain the maximum was not determined", says_unknown),
)


def check_where(result: WeightingReport, design: Design, listing: Listing) -> list[str]:
    """Check the sentences about the weights and about the table that attains the maximum."""
    words = result.weights_in_words
    match = re.search(r"In a table that attains the maximum, the raters agree on ([\d,]+) of (\d+) subjects?", words)
    assert match, words
    rated = [[code for code in row if code >= 0] for row in as_rows(result.maximum.table)]
    compared = [codes for codes in rated if len(codes) > 1]
    assert int(match[2]) == len(compared)
    assert int(match[1]) == sum(len(set(codes)) == 1 for codes in compared)
    steps = re.search(r"the ratings of a subject differ by at most (\d+) categor(y|ies)\.", words)
    if steps:
        assert int(steps[1]) == max(max(codes) - min(codes) for codes in compared)
    matrix = next(iter(design.u.values()))
    triangle = re.search(
        r"between (.+) and (.+) has a larger weight than those between (.+) and (.+) and between (.+) and (.+) "
        r"together",
        words,
    )
    if triangle:
        names = [repr(label) for label in design.labels]
        i, h, i2, j, j2, h2 = (names.index(name) for name in triangle.groups())
        assert (i, j, h) == (i2, j2, h2)
        assert matrix[i][h] > matrix[i][j] + matrix[j][h]
    if "The weights are a metric" in words:
        places = range(design.k)
        tiny = Fraction(1, 10**40)
        assert all(matrix[i][h] <= matrix[i][j] + matrix[j][h] + tiny for i, j, h in product(places, repeat=3))
    if "attained by a table with as many subjects on the diagonal as the margins allow" in words:
        on = {rows: sum(len(set(row)) == 1 for row in rows) for rows in listing.ways}
        best = listing.attaining(listing.maximum)
        assert max(on[rows] for rows in best) == max(on.values())
    return []


@pytest.mark.parametrize(
    "rows",
    [
        [(0, -1, 0), (1, 1, -1), (-1, 0, 1)],
        [(1, 1, 1, 1), (0, 0, -1, -1), (-1, 1, -1, 0), (-1, 0, 0, -1)],
    ],
)
def test_sentences_about_equal_use_are_true(rows):
    """Missing ratings limit the value even if all raters used the categories equally often or for equal shares."""
    u = naive.for_all_pairs(naive.named_weights("unweighted", 2), len(rows[0]))
    design = Design("equal use", tuple(rows), 2, "unweighted", u, "rational", (1, 2), ordered=True)
    assert {"says_all_alike", "says_same_shares"} & set(examine_sentences(design, "kappa"))


def test_a_false_sentence_is_noticed():
    """A wrong share, a wrong limit, a wrong number of tables and an unknown sentence are found."""
    design = draw(0, most_orders=300, kinds=("complete",), names=("linear",))
    listing = listing_of(design, "kappa")
    false = f"{float(listing.maximum) / 2 - 0.01:.4f}"
    for sentence in (
        f"Cohen's kappa with linear weights is {float(listing.value) + 0.001:.4f}.",
        f"The margins do not allow a value above {false}.",
        f"The raters reached the largest value that the margins allow ({false}, proven).",
        "987 tables attain the maximum.",
        "The raters are kind.",
    ):
        with pytest.raises(AssertionError):
            check_sentence(sentence, design, listing)
