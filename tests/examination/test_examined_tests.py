"""P-values, means under chance, numbers of tables and random tables agree with a list of all rearrangements."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import kappamax as km
from kappamax.fibers.exact_test import ExactTest
from tests.support import naive_agreement as naive
from tests.support.comparing import assert_number, assert_probability
from tests.support.designs import EXACT_NAMES, KINDS, ROOT_NAMES, Design, as_rows, draw, seeds
from tests.support.listing import Listing, Rows, listing_of

COUNTABLE = EXACT_NAMES + ROOT_NAMES
WHOLE = ("complete", "constant rater", "near agreement", "one category each", "text")


@pytest.mark.parametrize("seed", seeds(108))
def test_pvalues_are_shares_of_all_rearrangements(seed):
    """Both one-sided p-values, both two-sided p-values and the mean under chance are those of the list."""
    design = draw(seed, most_orders=600, names=COUNTABLE)
    name = design.coefficients[(seed // len(KINDS)) % len(design.coefficients)]
    examine_test(design, name, listing_of(design, name))


@pytest.mark.slow
def test_pvalues_are_shares_of_all_rearrangements_on_thousands_of_designs():
    """The p-values are right for larger designs, for which the coefficients alternate."""
    for seed in range(1000, 3000):
        design = draw(seed, most_orders=1500, names=COUNTABLE)
        name = design.coefficients[(seed // len(KINDS)) % len(design.coefficients)]
        examine_test(design, name, listing_of(design, name))


def examine_test(design: Design, name: str, listing: Listing) -> None:
    """Compare every p-value of a coefficient with the list of all rearrangements."""
    options = {"weights": design.weights, "coefficient": name}
    if listing.value is None:
        with pytest.raises(km.errors.UndefinedKappaError):
            km.exact_test(design.table, **options)
        return
    for alternative, two_sided in (
        ("greater", "distance"),
        ("less", "distance"),
        ("two-sided", "distance"),
        ("two-sided", "probability"),
    ):
        options |= {"alternative": alternative, "two_sided": two_sided}
        test = exact_or_none(design, options)
        if test is None:
            if two_sided == "distance":
                examine_monte_carlo(km.exact_test(design.table, n_draws=2000, rng=1, **options), listing)
            continue
        assert_probability(test.pvalue, listing.pvalue(alternative, two_sided), len(design.rows))
        assert_number(test.null_mean, listing.null_mean, ulps=16, scale=1 - listing.minimum)


def exact_or_none(design: Design, options: dict[str, Any]) -> ExactTest | None:
    """Return the exact test, or None if it is too large, which is allowed only with missing ratings."""
    if design.complete:
        return km.exact_test(design.table, method="exact", **options)
    try:
        return km.exact_test(design.table, method="exact", **options)
    except km.errors.NotSupportedError:
        return None


def examine_monte_carlo(test: ExactTest, listing: Listing) -> None:
    """Check that a p-value from random tables is within six standard errors (and the added draw) of the exact one."""
    true = float(listing.pvalue(test.alternative))
    error = (true * (1 - true) / test.n_draws) ** 0.5
    assert abs(test.pvalue - true) <= 6 * error + 1 / test.n_draws


@pytest.mark.parametrize("seed", range(24))
def test_random_tables_give_nearly_the_same_pvalue(seed):
    """Monte Carlo p-values are near the exact ones for all kinds of designs and all alternatives."""
    design = draw(seed, most_orders=400)
    name = design.coefficients[seed % len(design.coefficients)]
    listing = listing_of(design, name)
    if listing.value is not None and design.arithmetic != "real":
        for alternative in ("greater", "less", "two-sided"):
            options = {"alternative": alternative, "method": "monte-carlo", "n_draws": 2000, "rng": seed}
            test = km.exact_test(design.table, weights=design.weights, coefficient=name, **options)
            examine_monte_carlo(test, listing)


@pytest.mark.parametrize("seed", seeds(60))
def test_distributions_are_those_of_all_tables(seed):
    """The number of tables, the tables, and the values with their probabilities are right for complete ratings."""
    design = draw(seed, most_orders=1500, kinds=WHOLE, names=COUNTABLE)
    if not design.complete:
        design = draw(seed, most_orders=1500, kinds=("complete",), names=COUNTABLE)
    examine_fiber(design, design.coefficients[(seed // 5) % len(design.coefficients)])


@pytest.mark.slow
def test_distributions_are_those_of_all_tables_on_a_thousand_designs():
    """The distributions are right for more designs, for which the coefficients alternate."""
    for seed in range(1000, 2000):
        design = draw(seed, most_orders=1500, kinds=("complete", "unused category"), names=COUNTABLE)
        if design.complete:
            examine_fiber(design, design.coefficients[seed // 2 % len(design.coefficients)])


def examine_fiber(design: Design, name: str) -> None:
    """Compare the fiber with the list of all rearrangements."""
    listing = listing_of(design, name)
    fiber = km.fiber(design.table)
    assert fiber.count() == len(listing.ways)
    assert Counter(as_rows(table) for table in fiber.tables()) == Counter(dict.fromkeys(listing.ways, 1))
    if listing.value is None:
        with pytest.raises(km.errors.UndefinedKappaError):
            fiber.distribution(design.weights, coefficient=name)
        return
    spread = fiber.distribution(design.weights, coefficient=name)
    by_key: dict[int, list[tuple[Fraction, int]]] = {}
    for rows, value in listing.defined.items():
        by_key.setdefault(naive.key(value), []).append((value, listing.ways[rows]))
    assert spread.n_tables == tuple(len(found) for _, found in sorted(by_key.items()))
    assert spread.n_same_value == len(listing.attaining(listing.value))
    total = sum(listing.ways.values())
    for said, probability, (_, found) in zip(spread.values, spread.probabilities, sorted(by_key.items()), strict=True):
        assert_number(float(said), found[0][0], scale=1 - listing.minimum)
        assert_probability(float(probability), Fraction(sum(n for _, n in found), total), len(design.rows))
    if name == "kappa":
        examine_same_kappa(design, listing)


def examine_same_kappa(design: Design, listing: Listing) -> None:
    """Check the number of tables with the observed kappa, and the range of unweighted kappa over them."""
    same = km.fiber(design.table).same_kappa(design.weights, other="unweighted")
    alike = listing.attaining(listing.value)
    assert same.n_tables == len(alike)
    u = naive.for_all_pairs(naive.named_weights("unweighted", design.k), design.n_raters)
    others = [naive.value("kappa", Counter(rows), u, design.k) for rows in alike]
    (varied,) = same.other
    assert_number(varied.minimum, min(others), scale=1)
    assert_number(varied.maximum, max(others), scale=1)
    assert (varied.n_at_minimum, varied.n_at_maximum) == (others.count(min(others)), others.count(max(others)))


# With this threshold for all comparisons, a correct sampler fails once in a million runs of the whole module.
_SAMPLED = range(12)
_FAR = 1e-6 / (2 * len(_SAMPLED))


@pytest.mark.slow
@pytest.mark.parametrize("seed", _SAMPLED)
def test_random_tables_occur_as_often_as_by_chance(seed):
    """A chi-square test accepts the drawn tables, for complete and for missing ratings."""
    gaps = seed % 2 == 1
    kinds = ("few gaps", "many gaps", "singly rated") if gaps else ("complete", "near agreement")
    design = draw(seed + 100, most_orders=400, kinds=kinds)
    ways, size = naive.tables_of(design.rows), 3000
    fiber = km.fiber(design.table)
    drawn = Counter(as_rows(table) for table in fiber.iter_sample(size, rng=seed))
    assert far_from_chance(drawn, ways, size) > _FAR
    if not gaps:
        counts = fiber.sample(size, rng=seed + 1)
        assert far_from_chance(Counter(map(_rows_of, counts)), ways, size) > _FAR


def test_the_chi_square_notices_a_biased_sampler():
    """Tables that are drawn uniformly are rejected."""
    ways = naive.tables_of(((0, 0), (0, 0), (0, 1), (1, 1), (1, 1)))  # the three tables arise in 12, 36 and 12 ways
    tables = list(ways)
    chosen = np.random.default_rng(1).integers(0, len(tables), size=3000)
    assert far_from_chance(Counter(tables[i] for i in chosen), ways, 3000) < _FAR


def far_from_chance(drawn: Counter[Rows], ways: dict[Rows, int], size: int) -> float:
    """Return the p-value of a chi-square test; tables expected fewer than ten times are combined."""
    assert set(drawn) <= set(ways), "a table outside the fiber was drawn"
    total = sum(ways.values())
    expected = {rows: size * n / total for rows, n in ways.items()}
    common = [rows for rows in expected if expected[rows] >= 10]
    cells = [(drawn[rows], expected[rows]) for rows in common]
    rest = size - sum(mean for _, mean in cells)
    if rest >= 10:
        cells.append((size - sum(n for n, _ in cells), rest))
    statistic = sum((n - mean) ** 2 / mean for n, mean in cells)
    return float(chi2.sf(statistic, len(cells) - 1)) if len(cells) > 1 else 1.0


def _rows_of(counts: np.ndarray) -> Rows:
    """Return a dense array of counts as sorted rows."""
    return tuple(sorted(tuple(map(int, cell)) for cell in np.argwhere(counts) for _ in range(counts[tuple(cell)])))
