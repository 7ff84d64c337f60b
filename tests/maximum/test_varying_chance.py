"""Tests of the range of Fleiss' kappa, Gwet's AC and Krippendorff's alpha with missing ratings."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.errors import NotSupportedError, UndefinedKappaError
from kappamax.maximum import varying_chance
from kappamax.maximum.highs import solve_linear
from kappamax.verification import uses
from tests.support.maximum_problems import incomplete, rearrangements
from tests.support.strategies import examples

POOLED = ["fleiss", "gwet", "krippendorff"]


@settings(max_examples=examples(150))
@given(incomplete(), st.sampled_from(POOLED), st.sampled_from(["unweighted", "linear", "sqrt", "power(0.3)"]))
def test_the_range_is_that_of_all_rearrangements(table, coefficient, weights):
    """The range excludes rearrangements at which the coefficient is undefined."""
    found = []
    for made in rearrangements(table):
        objective = as_objective(made, weights=weights, coefficient=coefficient)
        try:
            found.append(objective.value(objective.score))
        except UndefinedKappaError:
            continue
    try:
        result = km.max_kappa(table, weights=weights, coefficient=coefficient)
    except UndefinedKappaError:
        assume(False)
    assert (result.maximum, result.minimum) == (max(found), min(found))
    assert result.proven
    assert result.minimum_proven
    assert km.verify(result)


@settings(max_examples=examples(150))
@given(incomplete(), st.sampled_from(POOLED))
def test_expected_disagreement_is_fixed_if_and_only_if_ratings_have_equal_weight(table, coefficient):
    """The stated condition agrees with the enumeration for weights without accidental ties."""
    weights = km.Weights.from_matrix(
        [[abs(i - j) * (7 + i + j) for j in range(table.n_categories)] for i in range(table.n_categories)],
        kind="disagreement",
    )
    uses_seen = {tuple(as_objective(made, coefficient=coefficient).use) for made in rearrangements(table)}
    objective = as_objective(table, weights=weights, coefficient=coefficient)
    assert objective.fixed_chance == (len(uses_seen) == 1)
    assert uses_seen == set(varying_chance.uses_of(objective))


def test_equal_numbers_of_ratings_fix_the_expected_disagreement():
    """In a design in which two of three raters rate every subject, the expected disagreement is fixed."""
    table = km.from_ratings([[0, None, 0], [1, 1, None], [None, 0, 1]], categories=[0, 1])
    found = {name: km.max_kappa(table, coefficient=name) for name in ("conger", "fleiss", "gwet", "krippendorff")}
    assert {name: str(result.exact_maximum) for name, result in found.items()} == {
        "conger": "1/3",
        "fleiss": "1/3",
        "gwet": "1/3",
        "krippendorff": "4/9",
    }
    for result in found.values():
        assert result.proven
        assert km.verify(result)


@pytest.mark.slow
def test_the_maximum_is_found_if_the_expected_agreement_varies():
    """In Gwet's example the maximum of Fleiss' kappa is 8243/9779."""
    result = km.max_kappa(km.example("gwet2014"), coefficient="fleiss")
    assert str(result.exact_maximum) == "8243/9779"
    assert result.proof == "prices"
    assert km.agreement(result.table, coefficient="fleiss").value == result.maximum
    assert not km.verify(km.max_kappa(km.example("gwet2014"), coefficient="fleiss")).faults


def test_what_is_refused(monkeypatch):
    """Too many uses of categories or too many patterns raise an error with the reason."""
    table = km.example("gwet2014")
    with monkeypatch.context() as patch:
        patch.setattr(uses, "MOST_USES", 10)
        patch.setattr(varying_chance, "attainable_uses", lambda *given: uses.attainable_uses(*given, most=10))
        with pytest.raises(
            NotSupportedError,
            match="the expected agreement of Fleiss' kappa; .* up to 20,000 possible uses of the categories, but",
        ):
            km.max_kappa(table, coefficient="fleiss")
    with monkeypatch.context() as patch:
        patch.setattr(varying_chance, "MOST_POSSIBLE_PATTERNS", 10)
        with pytest.raises(NotSupportedError, match="found for up to 10 possible patterns, but this design has"):
            km.max_kappa(table, coefficient="fleiss")


@pytest.mark.slow
def test_what_is_not_proven_has_a_bound(monkeypatch):
    """The verification accepts the bound of too few cuts and rejects a sharper one."""
    table = km.example("gwet2014")
    best = km.max_kappa(table, coefficient="fleiss")
    monkeypatch.setattr(varying_chance, "MOST_CUTS", 3)
    monkeypatch.setattr(varying_chance, "LISTED_TABLES", 10)
    result = km.max_kappa(table, coefficient="fleiss")
    assert not result.proven
    assert result.value <= result.maximum <= best.maximum <= result.bound
    assert result.minimum_bound <= best.minimum <= result.minimum <= result.value
    assert result.ratio is None
    assert km.verify(result)
    solution = replace(result.solution, bound=(result.solution.bound + result.solution.cost) / 2)
    sharper = result.objective.value(solution.bound)
    assert not km.verify(replace(result, solution=solution, bound=sharper))


@pytest.mark.slow
def test_without_time_the_result_is_the_observed_table():
    """The bound is that of zero prices."""
    table = km.example("gwet2014")
    result = km.max_kappa(table, coefficient="fleiss", time_limit=1e-9)
    assert result.value <= result.maximum <= result.bound
    assert result.minimum is None
    assert result.minimum_bound < result.value
    assert km.verify(result)


def test_an_undefined_coefficient_is_named():
    """The coefficient is 0/0 for every rearrangement if the used categories never disagree."""
    free = km.Weights.from_matrix([[0, 0, 1], [0, 0, 1], [1, 1, 0]], kind="disagreement")
    table = km.Table([[0, 1], [1, -1], [0, 0]], [1, 1, 1], ["a", "b", "c"], ordered=True)
    with pytest.raises(UndefinedKappaError, match="the expected disagreement is zero under these weights"):
        km.max_kappa(table, coefficient="fleiss", weights=free)


@pytest.mark.slow
@pytest.mark.parametrize("after", [2, 12])
def test_an_interrupted_search_returns_the_best_result_so_far(monkeypatch, after):
    """An interrupted search returns a correct result that is not proven."""
    calls = []

    def interrupted(*given):
        calls.append(given)
        if len(calls) == after:
            raise KeyboardInterrupt
        return solve_linear(*given)

    monkeypatch.setattr(varying_chance, "solve_linear", interrupted)
    with pytest.raises(km.errors.Interrupted) as caught:
        km.max_kappa(km.example("gwet2014"), coefficient="fleiss").with_minimum()
    best = caught.value.best
    assert not (best.proven and best.has_minimum and best.minimum_proven)
    assert best.value <= best.maximum <= best.bound
    assert not km.verify(best).faults


def test_exact_solutions_near_doubles():
    """The equations hold exactly, and undetermined prices keep their doubles."""
    rows = np.array([[1, 1, 0], [1, 1, 0], [0, 1, 2]])
    x = varying_chance.solved_exactly(rows, np.array([[3], [3], [1]], dtype=object), np.array([2.9, 0.1, 0.45]), 1.0)
    assert x[0][0] + x[1][0] == 3
    assert x[1][0] + 2 * x[2][0] == 1
    assert float(x[2][0]) == pytest.approx(0.45)
