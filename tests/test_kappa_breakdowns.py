"""Agreement of each pair of raters, on each category and without each rater follows its definition."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

import kappamax as km
from kappamax import kappa_breakdowns, rater_pairs
from tests.support import naive_agreement as naive
from tests.support.comparing import assert_coefficient
from tests.support.designs import draw, seeds
from tests.support.strategies import scheme_names, tables


@given(tables(min_raters=3, missing=True))
def test_pairwise_kappas_are_the_kappas_of_two_columns(table):
    """Each entry is Cohen's kappa of two raters on the subjects that both rated."""
    result = km.pairwise_kappas(table, weights="linear")
    for a in range(table.n_raters):
        for b in range(table.n_raters):
            pair = table.pair(a, b)
            if a == b:
                assert result.values[a, b] == 1
            elif np.isnan(result.values[a, b]):
                assert ", ".join(table.raters[i] for i in sorted((a, b))) in result.reasons
            else:
                assert result.values[a, b] == km.kappa(km.from_counts(pair), weights="linear").value


def disagreement_or_none(coefficient, rows, u, k):
    """Return the observed and expected disagreement by definition, or None if the coefficient is 0/0."""
    counts = Counter(row for row in rows if max(row) >= 0)
    try:
        observed, expected = naive.disagreement(coefficient, counts, u, k)
    except naive.UndefinedError:
        return None
    return (observed, expected) if expected else None


def assert_what_is_defined(said, reason, true, arithmetic):
    """Assert that there is either the value of the definition or, if it is undefined, a reason."""
    if true is None:
        assert said is None or np.isnan(said)
        assert reason
    else:
        assert reason is None
        assert_coefficient(said, *true, arithmetic)


def test_the_comparison_with_the_definition_can_fail():
    """The assertion fails for a wrong value, for a value that is undefined, and for a reason that is not needed."""
    true = (Fraction(1, 3), Fraction(1, 2))
    assert_what_is_defined(1 / 3, None, true, "rational")
    assert_what_is_defined(float("nan"), "why", None, "rational")
    for wrong in ((0.3334, None, true), (1 / 3, "why", true), (1 / 3, "why", None), (None, None, None)):
        with pytest.raises(AssertionError):
            assert_what_is_defined(*wrong, "rational")


@pytest.mark.parametrize("seed", seeds(72))
def test_pairwise_kappas_are_what_the_definition_says(seed):
    """The kappas equal exact ones for missing ratings, all kinds of weights, and undefined pairs."""
    design = draw(seed, most_orders=10**9)
    found = km.pairwise_kappas(design.table, weights=design.weights)
    assert found.raters == design.table.raters
    expected = {}
    for a, b in combinations(range(design.n_raters), 2):
        both = [(row[a], row[b]) for row in design.rows if row[a] >= 0 and row[b] >= 0]
        true = disagreement_or_none("cohen", both, {(0, 1): design.u[a, b]}, design.k) if both else None
        said, reason = found.values[a, b], found.reasons.get(f"{found.raters[a]}, {found.raters[b]}")
        assert_what_is_defined(said, reason, true, design.arithmetic)
        assert found.values[b, a] == said or np.isnan(said)
        expected[a, b] = None if true is None else float(1 - true[0] / true[1])
    assert (np.diag(found.values) == 1).all()
    if None in expected.values():
        assert np.isnan(found.light)
    else:
        assert found.light == pytest.approx(np.mean(list(expected.values())), abs=1e-12)


@pytest.mark.parametrize("seed", seeds(72))
def test_leaving_one_rater_out_is_what_the_definition_says(seed):
    """Every coefficient equals the exact one of the ratings without the column of the rater."""
    design = next(one for one in (draw(seed + 1000 * i, most_orders=10**9) for i in range(99)) if one.n_raters > 2)
    for coefficient in design.coefficients:
        whole = disagreement_or_none(coefficient, design.rows, design.u, design.k)
        if whole is None:
            with pytest.raises(km.errors.UndefinedKappaError):
                km.leave_one_out(design.table, weights=design.weights, coefficient=coefficient)
            continue
        found = km.leave_one_out(design.table, weights=design.weights, coefficient=coefficient)
        assert_coefficient(found.value, *whole, design.arithmetic)
        for place, rater in enumerate(design.table.raters):
            rest = [a for a in range(design.n_raters) if a != place]
            rows = [tuple(row[a] for a in rest) for row in design.rows]
            u = {(rest.index(a), rest.index(b)): m for (a, b), m in design.u.items() if place not in (a, b)}
            true = disagreement_or_none(coefficient, rows, u, design.k)
            assert_what_is_defined(found.without[rater], found.reasons.get(rater), true, design.arithmetic)
            if true is not None:
                assert found.effects[rater] == found.value - found.without[rater]


def test_the_designs_above_reach_every_case():
    """The designs have two to five raters, all kinds of weights, and both reasons for undefined pairs."""
    designs = [draw(seed, most_orders=10**9) for seed in range(72)]
    pairs = [km.pairwise_kappas(design.table, weights=design.weights) for design in designs]
    assert {design.n_raters for design in designs} == {2, 3, 4, 5}
    assert {design.arithmetic for design in designs} == {"rational", "root", "real"}
    reasons = {reason for found in pairs for reason in found.reasons.values()}
    assert "no subject was rated by both" in reasons
    assert any(reason.startswith("both raters used only") for reason in reasons)


def test_pairwise_kappas_say_why_one_is_undefined():
    """The reasons are that two raters share no subject, or that both used a single category."""
    t = km.from_ratings(
        [["x", "x", None], ["x", "x", None], [None, "y", "y"], [None, "x", "y"]], raters=["a", "b", "c"]
    )
    result = km.pairwise_kappas(t)
    assert result.reasons == {"a, b": "both raters used only 'x'", "a, c": "no subject was rated by both"}
    assert np.isnan(result.light)
    assert result.to_dict()["values"][0][1] is None
    assert "no subject was rated by both" in repr(result)


def test_pairwise_kappas_take_weights_per_pair():
    """The kappa of each pair is computed with the weights of this pair."""
    t = km.example("rapallo2022-three")
    pairs = {(0, 1): "linear", (0, 2): "quadratic", (1, 2): "unweighted"}
    result = km.pairwise_kappas(t, weights=pairs)
    for (a, b), name in pairs.items():
        assert result.values[a, b] == km.kappa(t.select([a, b]), weights=name).value
    assert km.leave_one_out(t, weights=pairs).without["X1"] == km.kappa(t.select([1, 2])).value


def test_each_category_alone_by_hand():
    """In the paper's table, both raters used category 1 for 5 subjects, one of them for 6 and 1, and none for 21."""
    result = km.category_kappas(km.example("rapallo2022"))
    assert result.values[1] == km.kappa(km.from_counts([[5, 6], [1, 21]])).value
    unused = km.category_kappas([1, 1, 2], [1, 2, 2], categories=[1, 2, 3])
    assert unused.values[3] is None
    assert unused.reasons == {3: "both raters used only 'not 3'"}


def test_leaving_one_rater_out():
    """The result has the coefficient of the other raters and the effect of each rater."""
    t = km.example("diagnoses")
    result = km.leave_one_out(t)
    assert result.value == km.kappa(t).value
    for i, rater in enumerate(t.raters):
        rest = [j for j in range(6) if j != i]
        assert result.without[rater] == km.kappa(t.select(rest)).value
        assert result.effects[rater] == result.value - result.without[rater]
    with pytest.raises(km.errors.NotSupportedError, match="at least three raters; got 2"):
        km.leave_one_out(km.example("rapallo2022"))
    alone = km.leave_one_out(km.from_ratings([[1, 1, 2], [1, 1, 1]]))
    assert alone.without["3"] is None
    assert alone.reasons == {"3": "both raters used only 1"}
    assert alone.effects["3"] is None


def test_leaving_out_the_rater_who_links_the_others():
    """Without the third rater, no subject has two ratings."""
    result = km.leave_one_out([1, 2, None, None], [None, None, 1, 2], [1, 2, 2, 1])
    assert result.without["3"] is None
    assert "no subject was rated by two raters" in result.reasons["3"]


def test_too_many_pairs_or_raters_are_refused_before_the_work(monkeypatch):
    """The refusals state the size and the limit."""
    table = km.example("diagnoses")
    monkeypatch.setattr(rater_pairs, "MOST_PAIRS", 14)
    with pytest.raises(
        km.errors.NotSupportedError, match="limited to 14 pairs of raters; 6 raters make 15. Table.select"
    ):
        km.pairwise_kappas(table)
    assert km.pairwise_kappas(table.select(range(5))).values.shape == (5, 5)
    monkeypatch.setattr(kappa_breakdowns, "_MOST_WORK", kappa_breakdowns._work(5, len(table.counts), 5, True))
    with pytest.raises(
        km.errors.NotSupportedError, match="limited to 5 raters for ratings with .* patterns; got 6 raters"
    ):
        km.leave_one_out(table)
    assert len(km.leave_one_out(table.select(range(5))).without) == 5


@given(tables(min_raters=3, missing=True), scheme_names)
def test_a_pair_has_the_kappa_of_its_ratings(table, weights):
    """The value from the counts of two raters is, to the last digit, that of an objective of their ratings."""
    found = km.pairwise_kappas(table, weights=weights)
    for a, b in combinations(range(table.n_raters), 2):
        pair = table.pair(a, b)
        try:
            expected = km.kappa(km.from_counts(pair, categories=table.categories), weights=weights).value
        except km.errors.KappamaxError:
            expected = None
        assert found.values[a, b] == expected if expected is not None else np.isnan(found.values[a, b])
