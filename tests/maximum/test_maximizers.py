"""Tests of the tables that attain the maximum and of forced disagreement."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.errors import UndefinedKappaError
from kappamax.maximum import forced_disagreement, maximizers
from kappamax.maximum.problem import CompleteProblem
from kappamax.maximum.solve import solve
from tests.support.maximum_problems import SCHEMES, all_tables, small_tables, weights_for
from tests.support.strategies import examples


def as_set(tables):
    return {(table.patterns.tobytes(), table.counts.tobytes()) for table in tables}


def test_the_papers_five_maximisers():
    """With linear weights, 5 tables attain the maximum, and their quadratic kappa ranges from 0.7665 to 0.8703."""
    t = km.example("rapallo2022")
    found = list(km.maximum.iter_maximizers(t, weights="linear"))
    assert len(found) == 5
    assert km.maximum.count_maximizers(t, weights="linear").n == 5
    figure = [
        [[6, 5, 0, 0], [0, 4, 4, 0], [0, 0, 7, 0], [0, 0, 1, 6]],
        [[6, 3, 2, 0], [0, 6, 2, 0], [0, 0, 7, 0], [0, 0, 1, 6]],
        [[6, 1, 4, 0], [0, 8, 0, 0], [0, 0, 7, 0], [0, 0, 1, 6]],
    ]
    dense = [table.dense().tolist() for table in found]
    assert all(table in dense for table in figure)
    spread = km.maximum.maximizer_range(t, weights="linear", other_weights="quadratic")
    assert (spread.minimum, spread.maximum) == pytest.approx((0.7665, 0.8703), abs=5e-5)
    assert spread.n_tables == 5
    assert km.maximum.count_maximizers(km.example("rapallo2022-three"), weights="linear").n == 1


@settings(max_examples=examples(150))
@given(st.data())
def test_maximisers_are_those_that_enumeration_finds(data):
    """The count and the list agree with the enumeration for any weights and two or three raters."""
    table = data.draw(small_tables(max_raters=3, max_categories=3))
    weights = data.draw(weights_for(table))
    objective = as_objective(table, weights=weights)
    problem = CompleteProblem(objective, 1)
    costs = []
    for pairs in all_tables(problem.margins):
        patterns = np.array([pattern for pattern, _ in pairs], dtype=np.int32)
        made = km.Table(patterns, [count for _, count in pairs], table.categories, ordered=True)
        costs.append((problem.total(made.patterns, made.counts), made))
    best = min(cost for cost, _ in costs)
    expected = as_set(made for cost, made in costs if cost == best)
    try:
        found = list(km.maximum.iter_maximizers(table, weights=weights))
    except UndefinedKappaError:
        assume(False)
    assert as_set(found) == expected
    assert len(found) == len(expected)
    assert km.maximum.count_maximizers(table, weights=weights).n == len(expected)


def test_astronomical_numbers_are_counted_or_bounded(monkeypatch):
    """Many maximisers are counted without listing; otherwise a lower bound and the reason are given."""
    big = km.from_counts(np.full((5, 5), 3) + np.diag([9, 2, 3, 4, 5]) + 2 * np.eye(5, k=2, dtype=int))
    counted = km.maximum.count_maximizers(big)
    assert counted.n is not None
    assert counted.n > 1
    monkeypatch.setattr(maximizers, "COUNTING_WORK", 0)
    monkeypatch.setattr(maximizers, "LISTED_MAXIMIZERS", 2)
    few = km.maximum.count_maximizers(big)
    assert few.n is None
    assert few.at_least == 2
    assert few.reason == "listing stopped at 2 tables"
    monkeypatch.setattr(maximizers, "LISTING_STEPS", 10)
    assert km.maximum.count_maximizers(big).reason == "listing stopped after 10 steps"
    spread = km.maximum.maximizer_range(big, other_weights="linear")
    assert spread.method == "integer program"
    assert spread.minimum <= spread.maximum


@settings(max_examples=examples(50))
@given(st.data())
def test_the_range_over_maximisers_by_listing_and_by_program(data):
    """Listing and the integer program find the same range."""
    table = data.draw(small_tables(max_raters=3, max_categories=3))
    name, other = data.draw(st.sampled_from(SCHEMES)), data.draw(st.sampled_from(SCHEMES))
    try:
        listed = km.maximum.maximizer_range(table, weights=name, other_weights=other)
    except UndefinedKappaError:
        assume(False)
    values = [km.kappa(made, weights=other).value for made in km.maximum.iter_maximizers(table, weights=name)]
    assert (listed.minimum, listed.maximum) == (min(values), max(values))


def test_what_the_margins_force():
    """In Cohen's table, 20 of the 60 observed unweighted disagreements of 200 patients are forced."""
    split = km.maximum.disagreement_split(km.example("cohen1968"))
    assert split.observed == pytest.approx(60 / 200)
    assert split.forced == pytest.approx(20 / 200)
    assert split.avoidable == pytest.approx(40 / 200)
    assert split.by_pair == {"1, 2": (split.observed, split.forced)}
    # personality disorder: rows 120, columns 100, so 20 are forced of 14 + 18 + 10 + 2 = 44 disagreements
    assert split.by_category["personality disorder"] == pytest.approx((44 / 200, 20 / 200))


def test_forced_disagreement_of_several_raters():
    """The disagreement forced in separate pairs does not exceed the disagreement forced in total."""
    split = km.maximum.disagreement_split(km.example("anxiety"), weights="sqrt")
    pairs = list(split.by_pair.values())
    assert len(pairs) == 3
    assert np.mean([forced for _, forced in pairs]) <= split.forced + 1e-12
    assert np.mean([observed for observed, _ in pairs]) == pytest.approx(split.observed)


def test_bootstrap_of_the_ratio():
    """Each resample is divided by its own maximum, and resamples without a ratio are counted."""
    t = km.example("rapallo2022")
    b = km.maximum.bootstrap_ratio(t, weights="linear", n_resamples=100, rng=1)
    assert b.value == km.max_kappa(t, weights="linear").ratio
    assert b.ci[0] < b.value < b.ci[1]
    assert km.maximum.bootstrap_ratio(t, weights="linear", n_resamples=100, rng=1, n_jobs=2).ci == b.ci
    few = km.maximum.bootstrap_ratio([1, 1, 2], [1, 2, 2], n_resamples=100, rng=1)
    assert few.n_undefined > 0


def test_an_unproven_maximum_has_no_known_maximisers():
    """The error says that the maximum is not proven."""
    from dataclasses import replace

    result = km.max_kappa(km.example("rapallo2022"))
    unproven = replace(result, proven=False)
    assert km.maximum.count_maximizers(unproven).reason == "the maximum is not proven"
    with pytest.raises(km.errors.NotSupportedError, match="the maximum is not proven"):
        next(km.maximum.iter_maximizers(unproven))


@pytest.mark.parametrize("power", ["1.0000001", "0.9999999"])
def test_near_ties_of_rounded_weights_are_no_ties(power):
    """With almost linear weights and 100,000 subjects, one table is best by 5e-8 of kappa."""
    table = km.from_counts([[0, 33333, 33333], [0, 0, 33334], [0, 0, 0]])
    assert km.maximum.count_maximizers(table, weights=f"power({power})").n == 1
    assert km.maximum.count_maximizers(table, weights="linear").at_least > 1000
    (only,) = km.maximum.iter_maximizers(table, weights=f"power({power})")
    assert only == km.max_kappa(table, weights=f"power({power})").table


def test_an_unproven_split_gives_a_lower_bound(monkeypatch):
    """The forced disagreement is the bound and not the cost of the best table found."""
    table = km.example("rapallo2022")

    def given_up(problem, watch):
        found = solve(problem, watch)
        return replace(found, proof=None, bound=found.bound / 2)

    monkeypatch.setattr(forced_disagreement, "solve", given_up)
    found, proven = km.maximum.disagreement_split(table, weights="linear"), 1 / 9.9
    assert not found.proven
    assert found.forced == pytest.approx(proven / 2)
    assert found.forced + found.avoidable == pytest.approx(found.observed)


def test_a_result_or_an_objective_stands_for_its_ratings():
    """Functions accept a result or an objective in place of ratings and do not solve the problem again."""
    table = km.example("rapallo2022")
    objective = as_objective(table, weights="linear")
    result = km.max_kappa(objective)
    assert result.objective is objective
    assert result.exact_maximum == km.max_kappa(table, weights="linear").exact_maximum
    listed = as_set(km.maximum.iter_maximizers(table, weights="linear"))
    spread = km.maximum.maximizer_range(table, weights="linear", other_weights="quadratic")
    for given_one in (objective, result):
        assert km.maximum.count_maximizers(given_one).n == 5
        assert as_set(km.maximum.iter_maximizers(given_one)) == listed
        assert km.maximum.maximizer_range(given_one, other_weights="quadratic") == spread
    assert (
        km.maximum.count_maximizers(result, counting_work=0, listing_steps=1).reason == "listing stopped after 1 steps"
    )


def test_listing_stops_after_too_many_steps(monkeypatch):
    """The tables found so far are yielded first, and then an error of ours says that there may be others."""
    monkeypatch.setattr(maximizers, "MOST_STEPS", 20)
    tables = km.maximum.iter_maximizers(km.example("rapallo2022"), weights="linear")
    found: list[km.Table] = []
    with pytest.raises(km.errors.NotSupportedError, match="was stopped after [0-9]+ tables, since it takes more steps"):
        found.extend(tables)
    assert len(found) < 5


def test_an_integer_program_without_a_solution_is_a_refusal(monkeypatch):
    """Counts near 10^18 exceed the precision of the solver, which then finds no table."""
    monkeypatch.setattr(maximizers, "integer_table", lambda *given: None)
    monkeypatch.setattr(maximizers, "LISTED_MAXIMIZERS", 1)
    with pytest.raises(km.errors.NotSupportedError, match="has no solution in doubles for 33 subjects"):
        km.maximum.maximizer_range(km.example("rapallo2022"), weights="linear", other_weights="quadratic")
