"""Tests of `max_kappa` against the paper, against reference values, and of its errors."""

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import kappamax as km
from kappamax.errors import Interrupted
from kappamax.maximum import maximum_result
from kappamax.maximum.solve import solve

max_kappa_module = import_module("kappamax.maximum.max_kappa")
REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text(encoding="utf-8"))


def test_the_papers_maxima():
    """Figure 3(a) has the maxima 0.7511 (linear), 0.8703 (quadratic) and 0.7528 (sqrt), with the tables of figure 6."""
    t = km.example("rapallo2022")
    published = {"linear": 0.7511, "quadratic": 0.8703, "sqrt": 0.7528}
    for name, value in published.items():
        result = km.max_kappa(t, weights=name)
        assert result.maximum == pytest.approx(value, abs=5e-5)
        assert result.proven
    quadratic = [[6, 5, 0, 0], [0, 4, 4, 0], [0, 0, 7, 0], [0, 0, 1, 6]]
    sqrt = [[6, 1, 4, 0], [0, 8, 0, 0], [0, 0, 7, 0], [0, 0, 1, 6]]
    linear = [[6, 3, 2, 0], [0, 6, 2, 0], [0, 0, 7, 0], [0, 0, 1, 6]]
    assert km.max_kappa(t, weights="quadratic").table.dense().tolist() == quadratic
    assert km.max_kappa(t, weights="sqrt").table.dense().tolist() == sqrt
    best = km.max_kappa(t, weights="linear").maximum
    for table in (quadratic, linear, sqrt):
        assert km.kappa(km.from_counts(table), weights="linear").value == best


@pytest.mark.parametrize(
    ("name", "scheme"), [(n, s) for n, entry in REFERENCE["two_rater"].items() for s in entry["peer_values"]]
)
def test_two_raters_as_in_the_reference(name, scheme):
    """The maximum and minimum are those that HiGHS finds over all cells."""
    entry = REFERENCE["two_rater"][name]
    weights = scheme
    if scheme == "custom":
        weights = km.Weights.from_matrix(entry["custom_disagreement_weights"], kind="disagreement")
    result = km.max_kappa(km.from_counts(entry["table"]), weights=weights)
    values = entry["peer_values"][scheme]
    assert result.maximum == pytest.approx(values["exact_kappa_max_LP"], abs=1e-9)
    assert result.minimum == pytest.approx(values["exact_kappa_min_LP"], abs=1e-9)
    assert result.proven
    assert result.minimum_proven
    assert km.verify(result)


@pytest.mark.parametrize(
    ("name", "scheme"),
    [(n, s) for n, e in REFERENCE["multi_rater"].items() if "reference_formula" in e for s in e["reference_formula"]],
)
def test_many_raters_as_in_the_reference(name, scheme):
    """The maximum is that of the integer program over all cells, for up to six raters and five categories."""
    entry = REFERENCE["multi_rater"][name]
    labels = [[entry["categories"][code - 1] for code in row] for row in entry["ratings"]]
    result = km.max_kappa(km.from_ratings(labels, categories=entry["categories"]), weights=scheme)
    assert result.maximum == pytest.approx(entry["reference_formula"][scheme]["conger_max_MILP"], abs=1e-9)
    assert result.proven
    assert km.verify(result)


def test_the_unweighted_maximum_by_the_diagonal_rule():
    """Cohen's (1968) table has the unweighted maximum 0.8305 and ratio 0.5918, as in Cardillo's kappa.m."""
    result = km.max_kappa(km.example("cohen1968"))
    assert result.maximum == pytest.approx(0.8305, abs=5e-5)
    assert result.ratio == pytest.approx(0.5918, abs=5e-5)


def test_every_coefficient_is_largest_at_the_same_table():
    """With complete data and the same weights, one table attains the maximum of every coefficient."""
    t = km.example("anxiety")
    best = km.max_kappa(t, weights="sqrt")
    for coefficient in ("fleiss", "gwet", "brennan-prediger", "krippendorff", "percent"):
        result = km.max_kappa(t, weights="sqrt", coefficient=coefficient)
        assert result.proven
        assert km.agreement(best.table, weights="sqrt", coefficient=coefficient).value == result.maximum


def test_equal_margins_reach_one():
    """The diagonal table attains the value 1."""
    result = km.max_kappa([1, 2, 3, 1], [2, 3, 1, 1], weights="sqrt")
    assert (result.maximum, result.method, result.proof) == (1, "diagonal", "prices")
    assert result.ratio == result.value


@pytest.fixture
def result():
    return km.max_kappa(km.example("rapallo2022"), weights="sqrt")


def test_results_have_a_representation(result):
    """The result has a text, an HTML and a plain-data form."""
    assert "maximum               0.7528 (proven)" in repr(result)
    assert "60.0%" in repr(result)
    plain = result.to_dict()
    assert plain["table"]["counts"] == [6, 1, 4, 8, 7, 1, 6]
    assert "objective" not in plain
    json.dumps(plain, allow_nan=False)
    unproven = replace(result, proof=None, proven=False, bound=0.8)
    assert "0.7528 (not proven; at most 0.8000)" in repr(unproven)
    single = km.max_kappa([1], [2])
    assert "undefined: the margins allow one value only" in repr(single)


@pytest.mark.parametrize("name", [pytest.param("gwet2014", marks=pytest.mark.slow), "five subjects"])
def test_maximisers_are_not_known_if_the_expected_agreement_varies(name):
    """Listing maximisers raises an error, and counting them returns the reason why the number is unknown."""
    five = km.from_ratings([[1, 1, 2], [2, 2, 1], [1, 2, 2], [2, None, 1], [1, 1, 1]])
    gaps = five if name == "five subjects" else km.example(name)
    with pytest.raises(
        km.errors.NotSupportedError, match="rearranging these ratings changes the expected agreement of Fleiss'"
    ):
        list(km.maximum.iter_maximizers(gaps, coefficient="fleiss"))
    assert "differs between tables" in km.maximum.count_maximizers(gaps, coefficient="fleiss").reason


def test_what_is_refused():
    """Groups of raters with missing ratings or too many patterns, and options out of range, are errors."""
    gaps = km.example("gwet2014")
    with pytest.raises(km.errors.NotSupportedError, match="3 raters at a time requires complete ratings"):
        km.max_kappa(gaps, coefficient="conger", group_size=3)
    with pytest.raises(km.errors.NotSupportedError, match="needs complete ratings; the number of missing ratings is 7"):
        km.maximum.disagreement_split(gaps)
    with pytest.raises(km.errors.InvalidOptionError, match="time_limit must be a number of seconds > 0; got 0"):
        km.max_kappa(gaps, time_limit=0)
    with pytest.raises(km.errors.UndefinedKappaError, match="both raters used only 1"):
        km.max_kappa([1, 1], [1, 1])
    many = km.from_ratings(np.random.default_rng(0).integers(0, 5, size=(20, 7)))
    with pytest.raises(
        km.errors.NotSupportedError, match="3 raters at a time can be found for up to 4,000 possible patterns"
    ):
        km.max_kappa(many, coefficient="conger", group_size=3)


@pytest.mark.parametrize("name", ["rapallo2022", "rapallo2022-three", "anxiety", "gwet2014"])
@pytest.mark.parametrize(
    "weights", ["power(0.3)", "power(1.3)", pytest.param("circular", marks=pytest.mark.slow), "power(1/3)"]
)
def test_weights_that_are_not_exact_are_proven_for_the_doubles_they_are(name, weights):
    """Doubles are fractions, so the maximum is proven and verified without a tolerance."""
    result = km.max_kappa(km.example(name), weights=weights)
    assert result.proven
    assert result.bound == result.maximum
    assert km.verify(result)
    assert km.maximum.count_maximizers(km.example(name), weights=weights).at_least >= 1


def test_the_observed_table_is_always_a_candidate():
    """Even without time for a search, the maximum found is not below the observed value."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 5, size=(60, 1))
    ratings = np.where(rng.random((60, 7)) < 0.6, truth, rng.integers(0, 5, size=(60, 7)))
    result = km.max_kappa(km.from_ratings(ratings), weights="sqrt", time_limit=1e-6)
    assert result.value <= result.maximum <= result.bound
    if not result.proven:
        assert result.ratio is None
        assert result.ratio_reason == "the maximum is not proven"
    assert not km.verify(result).faults


def test_a_minimum_that_was_not_found_is_not_the_observed_value():
    """Without time for a search the minimum is unknown, its bound is known, and nothing shows the observed value."""
    ratings = [[(i * (r + 2) + i // 3) % 5 + 1 for r in range(6)] for i in range(40)]
    result = km.max_kappa(km.from_ratings(ratings, categories=range(1, 6)), weights="sqrt", time_limit=1e-9)
    assert not result.has_minimum
    assert (result.minimum, result.exact_minimum, result.minimum_table) == (None, None, None)
    assert (result.minimum_proven, result.has_minimum) == (False, True)
    assert result.minimum_bound < result.value
    assert f"not found (at least {result.minimum_bound:.4f})" in repr(result)
    found = result.with_minimum()
    assert found.minimum is None  # it was searched for before
    assert km.max_kappa(result.objective, time_limit=1e-9).with_minimum().minimum_proven


def test_the_minimum_is_searched_for_when_it_is_asked_for(monkeypatch):
    """The maximum alone solves one problem, and the minimum a second one, once."""
    solved = []

    def counted(problem, watch=None):
        solved.append(problem.sign)
        return solve(problem, watch)

    monkeypatch.setattr(max_kappa_module, "solve", counted)
    monkeypatch.setattr(maximum_result, "solve", counted)
    result = km.max_kappa(km.example("rapallo2022"), weights="sqrt")
    repr(result), result.to_dict(), result.certificate(), result.count_maximizers()
    assert solved == [1]
    assert round(result.minimum, 4) == -0.4533
    assert result.minimum_proven
    assert "minimum" in result.to_dict()
    assert solved == [1, -1]


def test_ctrl_c_in_the_search_for_the_minimum_keeps_the_maximum(monkeypatch):
    """The interruption holds a result with the proven maximum and the best table so far for the minimum."""
    result = km.max_kappa(km.example("rapallo2022"), weights="sqrt")
    least = result.with_minimum().minimum_solution

    def interrupted(problem, watch=None):
        raise Interrupted(least)

    monkeypatch.setattr(maximum_result, "solve", interrupted)
    with pytest.raises(Interrupted) as stopped:
        result.with_minimum()
    assert stopped.value.best.proven
    assert stopped.value.best.minimum_solution is least


def test_values_that_differ_below_the_digits_of_doubles_are_not_one_value():
    """Two tables whose values differ by one part in 10^20 do not count as one value."""
    u = [[0 if i == j else 10**20 for j in range(5)] for i in range(5)]
    u[0][2] = u[2][0] = 10**20 + 1
    u[4][4], u[4][0], u[0][4] = (
        0,
        2 * 10**20,
        2 * 10**20,
    )  # the last category is not used, so the other weights are one half
    weights = km.Weights.from_matrix(u, kind="disagreement")
    result = km.max_kappa([0, 1], [2, 3], weights=weights, coefficient="percent", categories=range(5))
    assert result.maximum == result.minimum == 0.5
    assert result.exact_maximum != result.exact_minimum
    assert (result.ratio, result.ratio_reason) == (1.0, None)
    assert km.verify(result)
