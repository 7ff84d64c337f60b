"""Random tables have the margins and the frequencies they should."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, random_table
from test_distribution import chance_of

import kappamax as km
from kappamax.coefficients import objective_for
from kappamax.fibers import sample
from kappamax.fibers.sample import arrangements, random_scores
from kappamax.table import Table
from strategies import tables

SMALL = {
    "two raters": km.from_counts([[2, 1, 0], [0, 2, 1], [1, 0, 1]]),
    "three raters": km.from_ratings([[1, 1, 2], [1, 2, 2], [2, 2, 1], [2, 1, 1], [1, 1, 1]]),
}


def expected_counts(table, n):
    """How often each table of the fiber should occur among n draws."""
    return {member: float(chance_of(member)) * n for member in km.fiber(table).tables()}


def chi_square_pvalue(drawn, expected):
    """Of the observed frequencies; a chosen seed fails one time in 10,000 at the level used below."""
    assert set(drawn) <= set(expected)
    return chisquare([drawn[member] for member in expected], list(expected.values())).pvalue


@pytest.mark.parametrize("name", SMALL)
def test_sampled_tables_have_their_probabilities(name):
    """20,000 draws of small fibers against factorials."""
    fiber = km.fiber(SMALL[name])
    drawn = Counter(km.from_counts(counts, categories=fiber.table.categories) for counts in fiber.sample(20_000, rng=3))
    assert chi_square_pvalue(drawn, expected_counts(fiber.table, 20_000)) > 1e-4


def test_tables_drawn_cell_by_cell_have_their_probabilities():
    """The third way, for tables of few cells."""
    table = SMALL["two raters"]
    drawn = Counter(km.from_counts(counts) for counts in sample._cell_by_cell(table, 20_000, np.random.default_rng(3)))
    assert chi_square_pvalue(drawn, expected_counts(table, 20_000)) > 1e-4


@pytest.mark.parametrize("weights", ["linear", "sqrt"])
def test_scores_of_few_cells_are_those_of_their_tables(weights):
    """As many subjects as make cells the quicker way."""
    objective = objective_for(km.from_counts([[20, 5, 1], [7, 30, 4], [0, 9, 25]]), weights=weights)
    drawn = [km.from_counts(one) for one in sample._cell_by_cell(objective.table, 5, np.random.default_rng(3))]
    assert random_scores(objective, 5, np.random.default_rng(3)).tolist() == scores_of(objective, drawn, weights)


def test_a_chi_square_notices_wrong_frequencies():
    """Draws that are uniform over tables are found out."""
    fiber = km.fiber(SMALL["two raters"])
    members = list(fiber.tables())
    drawn = Counter(members[i] for i in np.random.default_rng(1).integers(len(members), size=20_000))
    assert chi_square_pvalue(drawn, expected_counts(fiber.table, 20_000)) < 1e-4


def test_two_raters_are_drawn_by_scipy():
    """The same generator gives the same tables."""
    table = km.example("rapallo2022")
    drawn = random_table(*(row.tolist() for row in table.margins)).rvs(5, random_state=np.random.default_rng(7))
    assert (km.fiber(table).sample(5, rng=7) == drawn).all()


@settings(max_examples=80)
@given(tables(missing=True), st.integers(0, 1000))
def test_draws_keep_margins_and_who_rated_what(table, seed):
    """Any number of raters, with and without gaps."""
    for member in km.fiber(table).iter_sample(3, rng=seed):
        assert (member.margins == table.margins).all()
        assert Counter(_rated(member)) == Counter(_rated(table))
        assert member.categories == table.categories


def _rated(table):
    for pattern, count in zip(table.patterns.tolist(), table.counts.tolist(), strict=True):
        yield from [tuple(code >= 0 for code in pattern)] * count


def scores_of(objective, drawn, weights):
    """The objective's score of each table, in the form of `random_scores`."""
    scores = [objective_for(one, weights=weights).score for one in drawn]
    return [[int(score.terms.get(f, 0)) for f in objective.radicands] for score in scores]


@settings(max_examples=60)
@given(tables(missing=True), st.sampled_from(["unweighted", "linear", "sqrt"]), st.integers(0, 100))
def test_scores_of_draws_are_scores_of_tables(table, weights, seed):
    """The quick sum over pairs is the objective's score of the same arrangements."""
    objective = objective_for(table, weights=weights)
    assume(table.n_raters > 2 or not table.complete or table.n_subjects <= 8)  # or they are drawn cell by cell
    blocks = arrangements(table, 4, np.random.default_rng(seed))
    rows = np.concatenate([np.moveaxis(block, 0, 2) for block in blocks])
    drawn = [Table(row, np.ones(len(row), dtype=int), table.categories, ordered=True) for row in rows]
    scores = random_scores(objective, 4, np.random.default_rng(seed))
    assert scores.tolist() == scores_of(objective, drawn, weights)


def test_scores_of_many_draws_come_from_scipys_tables(monkeypatch):
    """Where shuffling would take longer than importing scipy."""
    table = km.example("rapallo2022")
    monkeypatch.setattr(sample, "_WORTH_SCIPY", 0)
    for weights in ("linear", "sqrt"):
        objective = objective_for(table, weights=weights)
        drawn = [km.from_counts(counts) for counts in km.fiber(table).sample(5, rng=3)]
        assert random_scores(objective, 5, np.random.default_rng(3)).tolist() == scores_of(objective, drawn, weights)


def test_seeds_repeat_draws():
    """And other seeds do not."""
    fiber = km.fiber(km.example("rapallo2022-three"))
    assert (fiber.sample(20, rng=1) == fiber.sample(20, rng=1)).all()
    assert (fiber.sample(20, rng=1) != fiber.sample(20, rng=2)).any()


def test_what_cannot_be_held_is_refused():
    """Dense counts of many raters, gaps; tables one by one work."""
    many = km.from_ratings(np.random.default_rng(0).integers(1, 6, size=(30, 12)))
    with pytest.raises(km.NotSupportedError, match="5 categories and 12 raters have 2.44e\\+08 possible patterns"):
        km.fiber(many).sample(1)
    with pytest.raises(km.NotSupportedError, match="needs complete ratings"):
        km.fiber(km.example("gwet2014")).sample(1)
    with pytest.raises(km.InvalidOptionError, match="size must be a whole number >= 1; got 0"):
        km.fiber(many).sample(0)
    assert next(km.fiber(many).iter_sample(rng=1)).n_raters == 12
