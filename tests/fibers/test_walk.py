"""Walks keep margins and held scores, and visit tables with the frequencies of their target."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.fibers import connectivity, swap_walk
from kappamax.fibers import fiber as fiber_module
from kappamax.fibers.swap_costs import swap_costs
from kappamax.fibers.swap_kernel import PatternCounts
from kappamax.fibers.swap_walk import SwapWalk
from kappamax.fibers.walk import autocorrelation_time
from kappamax.table import Table
from tests.support.small_fibers import SMALL, chi_square_pvalue, expected_counts
from tests.support.strategies import examples, tables

WEIGHTS = ["unweighted", "linear", "quadratic", "sqrt", "circular"]


def table_of(walker):
    """Return the current table of a walk."""
    table = walker.objective.table
    ones = np.ones(len(walker.codes), dtype=int)
    return Table(walker.codes, ones, table.categories, table.raters, ordered=table.ordered)


@settings(max_examples=examples(80))
@given(tables(missing=True), st.sampled_from(WEIGHTS), st.booleans(), st.integers(0, 1000))
def test_the_kernel_keeps_margins_scores_and_counts(table, weights, uniform, seed):
    """After several hundred steps the running score, cells and counts are those computed from the ratings."""
    objective = as_objective(table, weights=weights)
    walker = SwapWalk(objective, np.random.default_rng(seed), uniform=uniform, counted=True)
    trace, taken, changed = walker.advance(np.full(150, 0.01), thin=3)
    assert (taken, trace.shape) == (150, (50, len(walker.state.score)))
    assert 0 <= changed <= 150
    reached = table_of(walker)
    assert (reached.margins == table.margins).all()
    moved = float(as_objective(reached, weights=weights).score - objective.score)
    unit = float(objective.scale * objective.denominator)
    assert trace[-1] @ walker.state.worth == pytest.approx(moved / unit, abs=1e-9)
    counted = PatternCounts.of(walker.codes, table.n_categories)
    assert (walker.pattern_counts.counts == counted.counts).all()
    assert (walker.pattern_counts.cells == counted.cells).all()


PAIRS = {(0, 1): "linear", (0, 2): "quadratic", (1, 2): "linear"}


@pytest.mark.parametrize(
    ("weights", "held", "uniform", "counted"),
    [
        ("sqrt", "linear", True, True),
        ("quadratic", PAIRS, False, False),
        ("power(0.3)", "linear", False, False),
        (PAIRS, None, True, True),
        (PAIRS, None, False, False),
        ("linear", None, False, True),
        ("linear", None, False, False),
    ],
)
def test_plain_and_compiled_kernels_agree(monkeypatch, weights, held, uniform, counted):
    """With the same random numbers both give the same walk, for every compiled variant."""
    pytest.importorskip("numba")
    table = km.example("rapallo2022-three")
    objective = as_objective(table, weights=weights)
    stays = None if held is None else as_objective(table, weights=held)
    ends = []
    for worth in (0, 10**9):
        monkeypatch.setattr(swap_walk, "_WORTH_COMPILING", worth)
        rng = np.random.default_rng(5)
        walker = SwapWalk(objective, rng, held=stays, uniform=uniform, excursion=3, counted=counted)
        trace, *counts = walker.advance(np.full(400, 0.1))
        ends.append((trace.tolist(), counts, walker.codes.tolist()))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("weights", ["linear", "sqrt", "unweighted", PAIRS])
@pytest.mark.parametrize("held", ["linear", "quadratic", PAIRS])
def test_excursions_keep_scores_counts_and_margins(weights, held):
    """Rejected swaps are undone and accepted ones are counted, as recomputing from the ratings shows."""
    table = km.example("rapallo2022-three")
    objective, stays = as_objective(table, weights=weights), as_objective(table, weights=held)
    walker = SwapWalk(objective, np.random.default_rng(3), held=stays, excursion=3, uniform=True)
    trace, _, changed = walker.advance(np.full(3_000, 0.2))
    assert changed > 0
    reached = table_of(walker)
    assert (reached.margins == table.margins).all()
    assert as_objective(reached, weights=held).score == stays.score
    moved = as_objective(reached, weights=weights).score - objective.score
    assert [moved.terms.get(f, 0) for f in objective.radicands] == trace[-1, : len(objective.radicands)].tolist()
    counted = PatternCounts.of(walker.codes, table.n_categories)
    assert (walker.pattern_counts.counts == counted.counts).all()
    assert (walker.pattern_counts.cells == counted.cells).all()


@settings(max_examples=examples(60))
@given(tables(missing=True), st.sampled_from(["linear", "sqrt", "power(0.3)"]), st.integers(0, 99))
def test_contacts_that_are_kept_are_those_of_the_ratings(table, weights, seed):
    """The walk is the same whether contacts are stored or computed when needed."""
    walker = SwapWalk(as_objective(table, weights=weights), np.random.default_rng(seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(swap_walk, "LARGEST_CONTACTS", 0)
        other = SwapWalk(as_objective(table, weights=weights), np.random.default_rng(seed))
    assert walker.contacts is not None
    assert other.contacts is None
    traces = [one.advance(np.full(200, 0.5))[0] for one in (walker, other)]
    assert (walker.codes == other.codes).all()
    np.testing.assert_allclose(*traces, atol=1e-9)
    again = swap_walk._contacts(walker.codes, walker.state.costs)
    np.testing.assert_allclose(walker.contacts, again, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["null", "uniform"])
@pytest.mark.parametrize("name", SMALL)
def test_walks_visit_tables_with_their_target_probabilities(name, target):
    """A chi-square test does not reject, for tables that are far enough apart in the walk to be independent."""
    fiber = km.fiber(SMALL[name])
    walk = fiber.walk(400_000, target=target, thin=100, keep_tables=True, rng=2)
    visited = Counter(km.from_counts(counts, categories=fiber.table.categories) for counts in walk.counts)
    expected = expected_counts(fiber.table, 4000)
    if target == "uniform":
        expected = dict.fromkeys(expected, 4000 / len(expected))
    assert walk.effective_size > 3000
    assert chi_square_pvalue(visited, expected) > 1e-4


@pytest.mark.parametrize(("target", "tilt"), [("null", 1.5), ("null", -1.0), ("uniform", 0.7)])
def test_a_tilted_walk_has_the_tilted_mean(target, tilt):
    """The mean agrees with the exact distribution within five standard errors by the effective sample size."""
    table = km.example("rapallo2022")
    fiber = km.fiber(table)
    exact = fiber.distribution("linear")
    base = exact.probabilities if target == "null" else np.array(exact.n_tables, dtype=float)
    disagreement = np.array([float(score) for score in exact.scores]) / 3  # weights are multiples of 1/3
    chance = base * np.exp(-tilt * (disagreement - disagreement.mean()))
    chance /= chance.sum()
    mean = chance @ exact.values
    spread = (chance @ (exact.values - mean) ** 2) ** 0.5
    walk = fiber.walk(400_000, weights="linear", target=target, tilt=tilt, rng=4)
    assert abs(walk.values.mean() - mean) < 5 * spread / walk.effective_size**0.5
    assert walk.values[-1] == pytest.approx(km.kappa(walk.table, weights="linear").value, abs=1e-12)


def test_a_held_kappa_does_not_change_and_its_tables_have_their_probabilities():
    """In a fiber small enough to list, all tables with that kappa are visited with their probabilities."""
    table = km.from_counts([[3, 2, 1], [1, 3, 1], [0, 1, 3]])
    fiber = km.fiber(table)
    value = km.kappa(table, weights="linear").value
    walk = fiber.walk(600_000, weights="quadratic", held="linear", thin=200, keep_tables=True, rng=1)
    visited = Counter(km.from_counts(counts, categories=table.categories) for counts in walk.counts)
    shares = {one: share for one, share in expected_counts(table, 1.0).items() if _linear(one) == value}
    assert len(shares) == fiber.same_kappa("linear").n_tables > 10
    assert walk.connected is True
    expected = {one: 3000 * share / sum(shares.values()) for one, share in shares.items()}
    assert walk.effective_size > 2500
    assert chi_square_pvalue(visited, expected) > 1e-4


def _linear(table):
    return km.kappa(table, weights="linear").value


def listed_levels(table, weights):
    """Return all tables of a fiber by score."""
    found = {}
    for member in km.fiber(table).tables():
        found.setdefault(as_objective(member, weights=weights).score, []).append(member)
    return found


def test_excursions_of_two_moves_connect_the_linear_levels_of_some_fibers():
    """They connect every level of these fibers, while single moves that preserve kappa do not."""
    needed = Counter()
    rng = np.random.default_rng(3)
    for _ in range(4):
        table = km.from_counts(np.bincount(rng.integers(9, size=9), minlength=9).reshape(3, 3))
        for members in listed_levels(table, "linear").values():
            found = km.fiber(members[0]).level_set("linear")
            assert found.n_tables == len(members)
            assert found.connected
            needed[found.excursion] += 1
    assert set(needed) == {1, 2}


def test_two_moves_do_not_connect_every_linear_level():
    """The two tables with these margins and this linear kappa differ by three moves, as listing the fiber shows."""
    table = km.from_ratings([[0, 1], [0, 1], [1, 0], [3, 0], [3, 3]], categories=range(4))
    level = listed_levels(table, "linear")[as_objective(table, weights="linear").score]
    assert len(level) == 2
    reached = [km.fiber(table).level_set("linear", excursion=n) for n in (1, 2, 3, 4)]
    assert [one.n_reached for one in reached] == [1, 1, 2, 2]
    assert [one.connected for one in reached] == [False, False, True, True]
    assert reached[-1].excursion == 3
    here, there = (one.dense() for one in level)
    changes = [move.dense() for move in km.moves.basic_moves(4)]
    assert not any((here + one == there).all() for one in changes)
    assert not any((here + one + two == there).all() for one in changes for two in changes)


def test_a_level_that_single_moves_do_not_connect():
    """The result states this and the number of tables that are reached."""
    rng = np.random.default_rng(3)
    table = km.from_counts(np.bincount(rng.integers(9, size=9), minlength=9).reshape(3, 3))
    split = [
        km.fiber(members[0]).level_set("linear", excursion=1)
        for members in listed_levels(table, "linear").values()
        if len(members) > 1
    ]
    assert any(one.connected is False and one.n_reached < one.n_tables for one in split)


@pytest.mark.slow
def test_the_papers_tables_with_one_linear_kappa_are_connected():
    """Excursions of two moves connect the 1,654 and the 2,324 tables."""
    for name, n in (("rapallo2022", 1654), ("rapallo2022-three", 2324)):
        found = km.fiber(km.example(name)).level_set("linear")
        assert (found.n_tables, found.n_reached, found.connected, found.excursion) == (n, n, True, 2)


def test_unknown_connectivity_is_none(monkeypatch):
    """Connectivity is None if there are too many tables to visit or ratings are missing."""
    fiber = km.fiber(km.example("rapallo2022"))
    monkeypatch.setattr(connectivity, "VISITED_TABLES", 50)
    assert fiber.level_set("linear").connected is None
    monkeypatch.setattr(fiber_module, "_VISITED_ON_A_WALK", 10)
    walk = fiber.walk(100, held="linear", rng=1)
    assert walk.connected is None
    assert "it is not known whether the walk can reach every table with this value" in repr(walk)
    gaps = km.fiber(km.example("gwet2014")).walk(100, weights="linear", held="unweighted", rng=1)
    assert gaps.connected is None


def test_autocorrelation_time_of_a_known_chain():
    """The time is (1 + a) / (1 - a) for x_t = a x_(t-1) + noise and 1 for independent draws, within five percent."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=400_000)
    assert autocorrelation_time(noise) == pytest.approx(1, rel=0.05)
    chain = np.empty_like(noise)
    chain[0] = noise[0]
    for t in range(1, len(noise)):
        chain[t] = 0.8 * chain[t - 1] + noise[t]
    assert autocorrelation_time(chain) == pytest.approx(9, rel=0.05)
    assert autocorrelation_time(np.ones(100)) is None
    assert autocorrelation_time(np.zeros(0)) is None


def test_ctrl_c_keeps_the_walk_so_far():
    """The exception Interrupted holds the walk up to that point."""

    def stop(*_now):
        raise KeyboardInterrupt

    with pytest.raises(km.errors.Interrupted) as caught:
        km.fiber(km.example("rapallo2022")).walk(200_000, rng=1, progress=stop)
    assert 0 < caught.value.best.n_steps < 200_000


def test_costs_are_symmetric_in_the_raters():
    """Both orders of two raters have the same costs, even for asymmetric weights; slots of one rater cost nothing."""
    asymmetric = km.Weights.from_matrix([[0, 1, 2], [3, 0, 1], [4, 1, 0]], kind="disagreement")
    table = km.from_counts([[1, 2, 0], [0, 1, 1], [1, 0, 2]])
    costs = swap_costs(as_objective(table, weights=asymmetric)).costs[:, :, 0]
    for x, y in product(range(3), repeat=2):
        assert costs[x, 3 + y] == costs[3 + y, x] == [[0, 1, 2], [3, 0, 1], [4, 1, 0]][x][y]
        assert costs[x, y] == costs[3 + x, 3 + y] == 0


def test_options_are_checked():
    """Errors are raised before the walk starts."""
    fiber = km.fiber(km.example("rapallo2022"))
    with pytest.raises(km.errors.InvalidOptionError, match="target must be one of 'null', 'uniform'"):
        fiber.walk(10, target="flat")
    with pytest.raises(km.errors.InvalidOptionError, match="n_steps must be a whole number >= 1"):
        fiber.walk(0)
    with pytest.raises(km.errors.InvalidOptionError, match="tilt must be a finite number"):
        fiber.walk(10, tilt=float("inf"))
    with pytest.raises(km.errors.NotSupportedError, match=r"power\(0.3\) weights are not exact numbers"):
        fiber.walk(10, held="power(0.3)")
    many = km.from_ratings(np.random.default_rng(0).integers(1, 6, size=(30, 12)))
    with pytest.raises(km.errors.NotSupportedError, match="2.44e\\+08 possible patterns"):
        km.fiber(many).walk(10, target="uniform")
    assert km.fiber(many).walk(1000, weights="linear", rng=1).acceptance > 0.5


def test_more_raters_than_bits_of_a_word():
    """70 raters swap one at a time, and the held kappa does not change."""
    ratings = np.random.default_rng(2).integers(1, 4, size=(12, 70))
    table = km.from_ratings(ratings, categories=[1, 2, 3])
    walk = km.fiber(table).walk(3000, weights="linear", held="unweighted", rng=1)
    assert walk.acceptance > 0
    assert (walk.table.margins == table.margins).all()
    assert km.kappa(walk.table).value == km.kappa(table).value


def test_tables_with_missing_ratings_are_not_kept():
    """Dense counts have no place for a missing rating, so the walk refuses to keep them."""
    fiber = km.fiber(km.from_ratings([[1, 2], [2, 2], [1, None], [2, 1]]))
    with pytest.raises(km.errors.NotSupportedError, match="keep_tables needs complete ratings, but 1 rating is"):
        fiber.walk(8, keep_tables=True, rng=1)
    assert fiber.walk(8, rng=1).values.shape == (8,)
