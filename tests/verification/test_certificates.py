"""Tests of certificates that are correct, forged, or read from files."""

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax._rootsum import RootSum
from kappamax.maximum.solution import Prices
from tests.support.strategies import examples


@pytest.fixture
def good():
    return km.max_kappa(km.example("rapallo2022"), weights="linear").with_minimum()


def observed_as_maximum(result, **changes):
    """Return a result that shows the observed table as the maximum in every place."""
    objective = result.objective
    score = objective.score
    table = objective.table
    solution = replace(
        result.solution, patterns=table.patterns, counts=table.counts, cost=score, bound=score, **changes
    )
    exact = objective.exact_value(score)
    return replace(
        result, table=table, maximum=result.value, bound=result.value, exact_maximum=exact, ratio=1.0, solution=solution
    )


def test_the_observed_table_is_no_maximum_without_prices(good):
    """A result with `proof="prices"` and no prices is rejected."""
    assert km.verify(observed_as_maximum(good, prices=None)).faults == ("maximum: the certificate contains no prices",)


def test_the_observed_table_is_no_maximum_with_the_maximums_prices(good):
    """The prices of the maximum prove a larger value than that of the observed table."""
    assert "maximum: the prices do not prove the score" in km.verify(observed_as_maximum(good)).faults[0]
    searched = observed_as_maximum(good, proof="search")
    assert km.verify(replace(searched, proof="search")).faults == ("maximum: a table has a more extreme value",)


def test_prices_over_a_negative_denominator_are_refused(good):
    """A negative denominator would reverse every comparison."""
    prices = good.solution.prices
    turned = Prices(-prices.numerators, -prices.denominator)
    assert (
        "denominator of the prices is out of range"
        in km.verify(replace(good, solution=replace(good.solution, prices=turned))).faults[0]
    )


def test_fractional_numerators_are_refused(good):
    """Numerators are not truncated to whole numbers."""
    numerators = good.solution.prices.numerators.astype(object)
    numerators[0, 0, 0] += Fraction(1, 2)
    wrong = replace(good, solution=replace(good.solution, prices=Prices(numerators, 1)))
    assert "a price's numerator must be a whole number" in km.verify(wrong).faults[0]


def test_an_unproven_solution_is_not_proven_outside(good):
    """A result cannot be proven if its solution is not proven."""
    wrong = replace(good, solution=replace(good.solution, proof=None))
    assert km.verify(wrong).faults == (
        "maximum: proof must be 'prices', 'remainders', 'search' or null, and must be the same in the claim and in its "
        "solution",
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("exact_maximum", Fraction(3, 4)),
        ("ratio", 0.9),
        ("ratio", None),
        ("ratio_reason", "the margins allow one value only"),
        ("bound", 0.9),
        ("value", 0.6),
        ("maximum", 0.76),
        ("title", "Conger's kappa"),
        ("coefficient", "fleiss"),
        ("weights", "sqrt"),
        ("weights", "mine"),
        ("proven", False),
        ("proof", "search"),
    ],
)
def test_every_number_a_reader_sees_is_checked(good, field, value):
    """A change of any single field is a fault."""
    assert km.verify(good)
    assert not km.verify(replace(good, **{field: value}))


@pytest.mark.parametrize(
    ("field", "value"), [("value", -0.6), ("bound", -0.6), ("exact", None), ("proof", None), ("proven", False)]
)
def test_every_number_of_the_minimum_is_checked(good, field, value):
    """A change of any single claim about the minimum is a fault."""
    document = good.certificate()
    assert km.verify(document)
    document["minimum"][field] = value
    assert not km.verify(document)


@pytest.mark.parametrize("end", ["maximum", "minimum"])
def test_the_table_a_reader_sees_is_the_one_that_is_checked(good, end):
    """The table of the result is checked as well as that of the solution."""
    other = km.from_counts([[6, 5, 0, 0], [0, 4, 4, 0], [0, 0, 8, 0], [0, 0, 0, 6]])
    for table in (other, good.objective.table):
        document = good.certificate()
        document[end]["table"] |= {"patterns": table.patterns.tolist(), "counts": table.counts.tolist()}
        assert not km.verify(document)


def test_a_result_without_a_minimum_claims_none():
    """The certificate has no minimum then, and the claims about the maximum are checked."""
    result = km.max_kappa(km.example("rapallo2022"), weights="linear")
    assert result.certificate()["minimum"] is None
    assert km.verify(result)
    assert not km.verify(result.certificate() | {"ratio": 0.5})


def test_one_value_needs_the_minimum_as_its_proof():
    """If the observed table attains the maximum and no exchange matters, the certificate must have the minimum."""
    result = km.max_kappa([1, 1, 2, 2], [1, 1, 1, 1])
    assert result.ratio is None
    assert result.has_minimum
    assert km.verify(result)
    assert "the minimum is missing" in km.verify(result.certificate() | {"minimum": None}).faults[0]


def test_full_agreement_needs_no_minimum():
    """An exchange of two ratings changes the score, so that several values are possible."""
    result = km.max_kappa([1, 1, 2, 2], [1, 1, 2, 2])
    assert (result.ratio, result.has_minimum) == (1.0, False)
    assert km.verify(result)


def test_the_table_has_the_observed_sets_of_raters():
    """A table with the observed margins whose missing rating was moved is rejected."""
    table = km.from_ratings([[1, 1], [2, None], [1, 2], [2, 2]], categories=[1, 2])
    result = km.max_kappa(table)
    assert km.verify(result)
    moved = km.from_ratings([[1, 1], [1, None], [2, 2], [2, 2]], categories=[1, 2])
    assert (moved.margins == table.margins).all()
    assert km.verify(replace(result, table=moved)).holds == (moved == result.table)
    both = km.from_ratings([[1, 1], [None, 2], [2, None], [1, 2], [2, None]], categories=[1, 2])
    fewer = km.from_ratings([[1, 1], [None, 2], [2, 2], [1, None], [2, None]], categories=[1, 2])
    assert (both.margins == fewer.margins).all()
    wrong = replace(km.max_kappa(both), table=fewer)
    assert "maximum: the proof is for a different table from the one shown" in km.verify(wrong).faults


def test_a_proof_by_search_is_searched_again():
    """The verification repeats the search for five raters whose optimum no prices prove."""
    u = km.Weights.from_matrix([[0, 7, 1], [7, 0, 2], [1, 2, 0]], kind="disagreement")
    margins = [(2, 6, 3), (6, 1, 4), (3, 7, 1), (6, 3, 2), (2, 8, 1)]
    codes = np.array([np.repeat([1, 2, 3], row) for row in margins]).T
    result = km.max_kappa(km.from_ratings(codes, categories=[1, 2, 3]), weights=u).with_minimum()
    assert result.minimum_proof == "search"
    assert km.verify(result)
    document = result.certificate()
    document["minimum"]["proof"] = document["minimum"]["solution"]["proof"] = "prices"
    assert not km.verify(document)


def test_certificates_that_take_too_much_work_are_not_checked(good, monkeypatch):
    """A certificate that takes too much work is neither accepted nor refuted."""
    from kappamax.fibers import enumeration

    u = km.Weights.from_matrix([[0, 7, 1], [7, 0, 2], [1, 2, 0]], kind="disagreement")
    margins = [(2, 6, 3), (6, 1, 4), (3, 7, 1), (6, 3, 2), (2, 8, 1)]
    codes = np.array([np.repeat([1, 2, 3], row) for row in margins]).T
    result = km.max_kappa(km.from_ratings(codes, categories=[1, 2, 3]), weights=u).with_minimum()
    monkeypatch.setattr(enumeration, "TABLE_STEPS", 1)
    found = km.verify(result)
    assert not found
    assert found.faults == ()
    assert "takes more work than the limits of the verification allow" in found.unchecked[0]


@pytest.mark.parametrize("weights", ["unweighted", "linear", "sqrt", "power(0.3)"])
@pytest.mark.parametrize("name", ["rapallo2022", "rapallo2022-three", "gwet2014"])
def test_a_certificate_survives_a_file(tmp_path, name, weights):
    """A certificate is verified from its JSON file alone."""
    result = km.max_kappa(km.example(name), weights=weights)
    result.save_certificate(tmp_path / "proof.json")
    assert km.verify(tmp_path / "proof.json")
    assert km.verify(json.loads(json.dumps(result.certificate())))


def test_the_verification_imports_no_solver(good, tmp_path):
    """Neither HiGHS nor any of our own solvers is loaded when a file is verified."""
    good.save_certificate(tmp_path / "proof.json")
    program = (
        "import sys, kappamax as km\n"
        "assert km.verify(sys.argv[1])\n"
        "print([m for m in sys.modules if m.startswith(('scipy', 'kappamax.maximum', 'kappamax.disagreement'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "proof.json"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def _paths(node, path=()):
    """Yield the path of every entry of a document."""
    yield path
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield from _paths(value, (*path, key))


HARMLESS = {"kappamax_version", "method"}
STRANGE = [
    None,
    True,
    -1,
    0,
    1,
    4,
    10**40,
    0.5,
    "",
    "1/2",
    "1e999999999",
    "sqrt",
    [],
    {},
    [1],
    {"1": "7"},
    float("inf"),
]


@settings(max_examples=examples(300))
@given(st.data())
def test_a_file_changed_anywhere_is_refuted_or_says_the_same(data):
    """If any entry is replaced, there is no exception and no false claim is accepted."""
    result = data.draw(st.sampled_from(RESULTS))
    document = json.loads(json.dumps(result.certificate()))
    path = data.draw(st.sampled_from([path for path in _paths(document) if path and path[-1] not in HARMLESS]))
    place = document
    for key in path[:-1]:
        place = place[key]
    before, place[path[-1]] = place[path[-1]], data.draw(st.sampled_from(STRANGE))
    found = km.verify(document)
    if found:  # the change affects only names, the form of a number, or prices that prove the same bound
        assert (
            place[path[-1]] == before
            or "prices" in path
            or path[-1] == "radicands"
            or path[-2:-1] in (("categories",), ("raters",))
        )


RESULTS = [
    km.max_kappa(km.example("rapallo2022"), weights="linear"),
    km.max_kappa(km.from_ratings([[1, None], [1, 2], [2, 2], [None, 1]], categories=[1, 2]), weights="unweighted"),
    km.max_kappa(km.from_counts([[2, 1, 0], [0, 1, 1], [1, 0, 1]]), weights="sqrt"),
]


def test_as_many_subjects_as_a_table_holds():
    """Counts near 2^61 are verified."""
    assert km.verify(km.max_kappa(km.from_counts([[2**60, 1], [3, 2**60]])))


def test_the_exact_score_is_compared_with_roots(good):
    """A score with an additional root is rejected."""
    wrong = replace(good, solution=replace(good.solution, cost=good.solution.cost + RootSum({2: 1})))
    assert "maximum: the score is not the score of the table" in km.verify(wrong).faults
