"""Tests that the verification accepts a result if and only if listing all rearrangements confirms every claim."""

from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.errors import NotSupportedError, UndefinedKappaError
from tests.support.brute_force import claims_hold
from tests.support.strategies import examples

WEIGHTS = ["unweighted", "linear", "quadratic", "ordinal", "power(0.3)", "circular", "custom", "per pair"]
COEFFICIENTS = ["kappa", "fleiss", "gwet", "brennan-prediger", "krippendorff", "percent"]
UNVERIFIED = ("method",)  # described, not claimed


@st.composite
def results(draw):
    """Draw the range of a coefficient for two to five subjects, with or without missing ratings."""
    r, k = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    row = st.lists(st.integers(0, k - 1), min_size=r, max_size=r)
    codes = np.array(draw(st.lists(row, min_size=2, max_size=4 if r == 3 else 5)))
    gaps = draw(st.lists(st.integers(0, codes.size - 1), max_size=3))
    codes.ravel()[gaps] = -1
    assume((codes >= 0).any(axis=0).all() and ((codes >= 0).sum(axis=1) >= 2).any())
    table = km.Table(codes, np.ones(len(codes), dtype=int), tuple(range(1, k + 1)), ordered=True)
    coefficient = draw(st.sampled_from(COEFFICIENTS))
    weights = draw(st.sampled_from(WEIGHTS))
    if weights in ("custom", "per pair"):
        entries = draw(st.lists(st.integers(0, 5), min_size=2 * k * k, max_size=2 * k * k))
        matrices = [
            np.array(part).reshape(k, k) * ~np.eye(k, dtype=bool) for part in (entries[: k * k], entries[k * k :])
        ]
        assume(all((matrix + matrix.T).any() for matrix in matrices))
        made = [km.Weights.from_matrix(m + m.T, kind="disagreement") for m in matrices]
        weights = made[0]
        if coefficient == "kappa" and r == 3 and draw(st.booleans()):
            weights = {(0, 1): made[0], (0, 2): made[1], (1, 2): made[0]}
    try:
        result = km.max_kappa(table, weights=weights, coefficient=coefficient).with_minimum()
    except (UndefinedKappaError, NotSupportedError):
        assume(False)
    if result.objective.fixed_chance and draw(st.integers(0, 3)) == 0:
        result = _unproven(result)
    return result


def _unproven(result):
    """Return the result as a search without enough time would leave it."""
    solution = replace(result.solution, proof=None)
    return replace(
        result, proof=None, proven=False, ratio=None, ratio_reason="the maximum is not proven", solution=solution
    )


def _changed_number(draw, value):
    if value is None:
        return 0.5
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return draw(
            st.sampled_from(
                ["prices", "remainders", "search", "linear", "conger", "the margins allow one value only", value + " "]
            )
        )
    change = draw(st.sampled_from([1e-12, -1e-12, 0.1, -0.1, 1]))
    return value + (Fraction(change) if isinstance(value, Fraction) else change)


def _other_table(draw, result, table):
    """Draw another table: the observed one, that of the other end, or one with changed or moved ratings."""
    kind = draw(st.sampled_from(["observed", "other end", "changed", "moved", "renamed"]))
    if kind == "observed":
        return result.objective.table
    if kind == "other end":
        return result.minimum_table if table is result.table else result.table
    if kind == "renamed":
        return km.Table(table.patterns, table.counts, [f"{c}!" for c in table.categories], table.raters, ordered=True)
    codes = np.repeat(table.patterns, table.counts, axis=0).copy()
    if kind == "changed":
        at = draw(st.integers(0, codes.size - 1))
        codes.ravel()[at] = draw(st.integers(-1, table.n_categories - 1))
    else:
        rater = draw(st.integers(0, table.n_raters - 1))
        codes[:, rater] = np.roll(codes[:, rater], 1)
    return table.like(codes, np.ones(len(codes), dtype=np.int64))


def _changed_prices(draw, solution):
    prices = solution.prices
    kind = draw(st.sampled_from(["none", "denominator", "negative", "entry", "fraction", "doubled", "row", "floats"]))
    if prices is None or kind == "none":
        return None
    numerators = prices.numerators.astype(object)
    if kind == "denominator":
        return replace(prices, denominator=prices.denominator * 2)
    if kind == "negative":
        return replace(prices, numerators=-numerators, denominator=-prices.denominator)
    if kind == "doubled":
        return replace(prices, numerators=numerators * 2, denominator=prices.denominator * 2)
    if kind == "floats":
        return replace(prices, numerators=numerators.astype(float))
    at = draw(st.integers(0, numerators.size - 1))
    by = draw(st.sampled_from([1, -1, prices.denominator, -prices.denominator, 10**30]))
    numerators = numerators.copy()
    if kind == "row":
        numerators[at % len(numerators)] += by
    elif kind == "fraction":
        numerators.ravel()[at] += Fraction(1, 3)
    else:
        numerators.ravel()[at] += by
    return replace(prices, numerators=numerators)


def _changed_cut(draw, cut):
    """Draw a cut with changed prices, or none."""
    kind = draw(st.sampled_from(["left out", "prices", "use"]))
    if kind == "left out":
        return []
    if kind == "prices":
        prices = _changed_prices(draw, cut)
        return [] if prices is None else [replace(cut, prices=prices)]
    use = cut.use.copy()
    use[draw(st.integers(0, len(use) - 1)), 0] += draw(st.sampled_from([1, -1, cut.prices.denominator]))
    return [replace(cut, use=use)]


@st.composite
def tampered(draw):
    """Draw a result with one changed field, possibly inside its solutions."""
    result = draw(results())
    names = [field.name for field in fields(result) if field.name not in UNVERIFIED and not field.name.startswith("_")]
    name = draw(st.sampled_from([*names, "minimum_solution"]))  # all claims about the minimum come from its solution
    value = getattr(result, name)
    if name == "table":
        return replace(result, table=_other_table(draw, result, value))
    if name not in ("solution", "minimum_solution"):
        return replace(result, **{name: _changed_number(draw, value)})
    inner = draw(st.sampled_from(["patterns", "cost", "bound", "proof", "prices", "prices", "prices"]))
    if inner == "prices" and value.cuts:
        at = draw(st.integers(0, len(value.cuts) - 1))
        changed = replace(value, cuts=(*value.cuts[:at], *_changed_cut(draw, value.cuts[at]), *value.cuts[at + 1 :]))
    elif inner == "prices":
        changed = replace(value, prices=_changed_prices(draw, value))
    elif inner == "proof":
        changed = replace(value, proof=draw(st.sampled_from(["prices", "remainders", "search", None])))
    elif inner == "patterns":
        start = result.minimum_solution if name == "solution" else result.solution
        changed = replace(value, patterns=start.patterns, counts=start.counts)
    else:
        changed = replace(value, **{inner: getattr(value, inner) + draw(st.sampled_from([1, -1]))})
    if name == "minimum_solution":
        return replace(result, _least=changed)
    made = replace(result, solution=changed)
    if inner == "proof" and draw(st.booleans()):  # the same change in the result and in the solution
        made = replace(made, proof=changed.proof, proven=changed.proof is not None)
    return made


@pytest.mark.slow
@settings(max_examples=examples(400))
@given(tampered())
def test_a_tampered_result_is_accepted_exactly_if_it_is_still_true(result):
    """Random changes of fields, tables, prices and proofs are accepted only if the claims are still true."""
    verification = km.verify(result)
    assert not verification.unchecked
    assert verification.holds == claims_hold(result), verification.faults


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(results())
def test_results_of_the_solvers_are_true_and_accepted(result):
    """Claims are true for all coefficients and weights."""
    assert claims_hold(result)
    assert km.verify(result)
