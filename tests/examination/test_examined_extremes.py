"""The largest and smallest values and the tables that attain them equal those of a list of all rearrangements."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import kappamax as km
from kappamax.maximum.maximum_result import Maximum
from tests.support import naive_agreement as naive
from tests.support.comparing import assert_number
from tests.support.designs import EXACT_NAMES, KINDS, POOLED, Design, as_rows, draw, seeds
from tests.support.listing import Listing, listing_of

_REAL = 1e-13  # for values up to 1 that are computed from weights stored as doubles


@pytest.mark.parametrize("seed", seeds(72))
def test_extremes_are_those_of_all_rearrangements(seed):
    """Maximum, minimum, tables, ratio, proofs and the number of maximisers are right for one coefficient per design."""
    design = draw(seed, most_orders=400)
    name = design.coefficients[(seed // len(KINDS)) % len(design.coefficients)]
    examine_extremes(design, name, listing_of(design, name))


@pytest.mark.slow
def test_extremes_are_those_of_all_rearrangements_on_a_thousand_designs():
    """The results are right for larger designs, for which the coefficients alternate."""
    for seed in range(1000, 2000):
        design = draw(seed, most_orders=1500)
        name = design.coefficients[(seed // len(KINDS)) % len(design.coefficients)]
        examine_extremes(design, name, listing_of(design, name))


def examine_extremes(design: Design, name: str, listing: Listing) -> None:
    """Compare the extremes of one coefficient with those of the list of all rearrangements."""
    options = {"weights": design.weights, "coefficient": name}
    if listing.value is None:
        with pytest.raises(km.errors.UndefinedKappaError):
            km.max_kappa(design.table, **options)
        return
    if name in POOLED and not design.complete and possible_patterns(design) > 4000:
        return  # not supported if expected agreement varies, as documented
    result = km.max_kappa(design.table, **options)
    most, least = listing.maximum, listing.minimum
    slack = Fraction(_REAL) * (1 + abs(least)) if design.arithmetic == "real" else Fraction(0)
    assert result.proven
    assert result.minimum_proven
    if design.arithmetic == "real":
        said = (result.maximum, result.bound, result.minimum, result.minimum_bound)
        for one, true in zip(said, (most, most, least, least), strict=True):
            assert abs(Fraction(one) - true) <= slack
    else:
        for one, true in ((result.maximum, most), (result.bound, most), (result.minimum, least)):
            assert_number(one, true, scale=1)
        assert_number(result.minimum_bound, least, scale=1)
    if design.arithmetic == "rational":
        assert (result.exact_maximum, result.exact_minimum) == (most, least)
    assert abs(listing.values[as_rows(result.table)] - most) <= slack + Fraction(1, 10**40)
    assert abs(listing.values[as_rows(result.minimum_table)] - least) <= slack + Fraction(1, 10**40)
    checked = km.verify(result)
    assert checked.holds, checked
    examine_ratio(result, listing)
    if design.arithmetic != "real":
        examine_maximizers(design, name, listing)


def possible_patterns(design: Design) -> int:
    """Return the number of possible patterns for the sets of raters of a design."""
    sets = {tuple(code >= 0 for code in row) for row in design.rows}
    return sum(design.k ** sum(who) for who in sets)


def examine_ratio(result: Maximum, listing: Listing) -> None:
    """Check the ratio of the value to the maximum, or the reason why it is undefined."""
    if listing.maximum <= 0 or naive.key(listing.maximum) == naive.key(listing.minimum):
        assert result.ratio is None
        assert result.ratio_reason
    elif result.exact_maximum is not None:
        assert_number(result.ratio, listing.value / listing.maximum, ulps=2)
    else:
        assert_number(result.ratio, listing.value / listing.maximum, ulps=16, scale=1 / listing.maximum)


def examine_maximizers(design: Design, name: str, listing: Listing) -> None:
    """Check that the maximisers are exactly those of the list of all rearrangements, without repetition."""
    options = {"weights": design.weights, "coefficient": name}
    if name in POOLED and not design.complete and len({sum(c >= 0 for c in row) for row in design.rows}) > 1:
        return  # maximisers are not listed if expected agreement varies
    best = listing.attaining(listing.maximum)
    count = km.maximum.count_maximizers(design.table, **options)
    assert count.n == len(best), (count, len(best))
    found = Counter(as_rows(table) for table in km.maximum.iter_maximizers(design.table, **options))
    assert found == Counter(dict.fromkeys(best, 1))


@pytest.mark.parametrize("seed", seeds(40))
def test_forced_disagreement_and_the_range_over_maximisers_are_those_of_the_listing(seed):
    """The split of the disagreement and the range of unweighted kappa over the maximisers are those of the list."""
    design = draw(seed, most_orders=400, kinds=("complete", "near agreement", "constant rater"), names=EXACT_NAMES)
    listing = listing_of(design, "kappa")
    if listing.value is None or not design.complete:
        return
    split = km.maximum.disagreement_split(design.table, weights=design.weights)
    means = {rows: naive.mean_disagreement(Counter(rows), design.u) for rows in listing.ways}
    assert_number(split.observed, means[listing.observed])
    assert_number(split.forced, min(means.values()))
    assert_number(split.avoidable, means[listing.observed] - min(means.values()), scale=1)
    for a, b in combinations(range(design.n_raters), 2):
        pair = {(0, 1): design.u[a, b]}
        of_pair = [naive.mean_disagreement(Counter((row[a], row[b]) for row in rows), pair) for rows in listing.ways]
        own = naive.mean_disagreement(Counter((row[a], row[b]) for row in design.rows), pair)
        observed, forced = split.by_pair[f"{a + 1}, {b + 1}"]
        assert_number(observed, own)
        assert_number(forced, min(of_pair))
    flat = naive.for_all_pairs(naive.named_weights("unweighted", design.k), design.n_raters)
    best = listing.attaining(listing.maximum)
    others = [naive.value("kappa", Counter(rows), flat, design.k) for rows in best]
    found = km.maximum.maximizer_range(design.table, weights=design.weights, other_weights="unweighted")
    assert_number(found.minimum, min(others), scale=1)
    assert_number(found.maximum, max(others), scale=1)
    assert found.n_tables == len(best)


@pytest.mark.parametrize("seed", range(12))
def test_the_maximum_of_two_raters_keeps_for_a_hundred_billion_copies_of_each_subject(seed):
    """The optimal table of a transportation problem scales with its margins."""
    kinds = ("complete", "asymmetric")
    drawn = (draw(other, most_orders=400, kinds=kinds, names=EXACT_NAMES) for other in range(seed, 10**6, 13))
    design = next(found for found in drawn if found.n_raters == 2 and found.complete)
    listing = listing_of(design, "kappa")
    if listing.value is None:
        return
    counts = design.counts
    table = km.Table(list(counts), [10**11 * n for n in counts.values()], design.labels, ordered=True)
    result = km.max_kappa(table, weights=design.weights)
    assert (result.exact_maximum, result.exact_minimum) == (listing.maximum, listing.minimum)
    assert result.proven
    assert result.minimum_proven
    assert km.verify(result).holds


@pytest.mark.parametrize("seed", range(25))
def test_extremes_of_groupwise_agreement_are_those_of_all_rearrangements(seed):
    """The extremes of groupwise agreement are right for groups of three or more raters with complete ratings."""
    rng = np.random.default_rng(seed)
    n_raters, k, n = int(rng.integers(3, 5)), int(rng.integers(2, 4)), int(rng.integers(2, 6))
    size = int(rng.integers(3, n_raters + 1))
    rows = tuple(tuple(row) for row in rng.integers(0, k, size=(n, n_raters)).tolist())
    while naive.number_of_orders(rows) > 2000:
        rows = rows[1:]
    table = km.Table(rows, [1] * len(rows), range(k), ordered=True)
    for name in ("conger", "percent"):
        expected = naive.disagreement(name, Counter(rows), {}, k, size)[1]
        if expected == 0:
            continue
        values = {other: naive.value(name, Counter(other), {}, k, size) for other in naive.tables_of(rows)}
        result = km.max_kappa(table, coefficient=name, group_size=size)
        assert result.proven
        assert result.minimum_proven
        assert (result.exact_maximum, result.exact_minimum) == (max(values.values()), min(values.values()))
        assert values[as_rows(result.table)] == result.exact_maximum
        assert values[as_rows(result.minimum_table)] == result.exact_minimum
        assert km.verify(result).holds


def test_the_examination_notices_a_wrong_listing():
    """The comparison fails if the best table is removed from the list."""
    design = next(
        found
        for found in (draw(seed, most_orders=600, kinds=("complete",), names=("linear",)) for seed in range(100))
        if listing_of(found, "kappa").maximum > (listing_of(found, "kappa").value or 1)
    )
    whole = listing_of(design, "kappa")
    examine_extremes(design, "kappa", whole)
    best = whole.attaining(whole.maximum)
    values = {rows: value for rows, value in whole.values.items() if rows not in best}
    with pytest.raises(AssertionError):
        examine_extremes(design, "kappa", Listing("kappa", whole.observed, whole.ways, values))
