"""The paper's statements hold whenever they are reported to hold, and moves are ranked exactly."""

import json
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.fibers import move_ranking
from kappamax.weights import PairWeights
from tests.support.strategies import examples, matrices, scheme_names, tables

PAPER = [[4, 0, 0, 0], [0, 4, 1, 0], [0, 0, 4, 1], [0, 0, 0, 4]]
MOVE = km.moves.Move([(1, 3), (2, 2)], [(1, 2), (2, 3)], 4)
SCHEMES = ["unweighted", "linear", "quadratic", "sqrt", "ordinal", "ratio", "circular", "bipolar", "power(1.5)"]


def statements(explanation):
    """Return whether each statement holds, for statements that occur once."""
    return {reason.statement: reason.holds for reason in explanation.reasons}


def signs(move, matrix):
    """Return the sign of the change of disagreement, computed from a matrix of fractions."""
    change = sum(matrix[i][j] for i, j in move.plus) - sum(matrix[i][j] for i, j in move.minus)
    return (change > 0) - (change < 0)


SIGN = {"raises": -1, "keeps": 0, "lowers": 1}


def test_one_move_and_three_verdicts():
    """As in the paper's table after proposition 3, sqrt weights raise kappa, quadratic lower it and linear keep it."""
    table = km.from_counts(PAPER)
    for scheme, effect in (("sqrt", "raises"), ("quadratic", "lowers"), ("linear", "keeps")):
        assert MOVE.effect(scheme) == km.moves.explain_move(MOVE, scheme).effect == effect
        before, after = (km.kappa(t, weights=scheme).value for t in (table, MOVE.after(table)))
        assert (after < before) - (after > before) == SIGN[effect]
    assert statements(km.moves.explain_move(MOVE, "sqrt"))["Proposition 3"] is True
    assert statements(km.moves.explain_move(MOVE, "sqrt"))["Proposition 4"] is False
    assert statements(km.moves.explain_move(MOVE, "quadratic"))["Proposition 3"] is False
    assert statements(km.moves.explain_move(MOVE, "quadratic"))["Triangle inequality"] is False
    assert statements(km.moves.explain_move(MOVE, "linear"))["Proposition 4"] is True


def test_explanations_contain_the_numbers():
    """u(2,4) = 2/3 = 1/3 + 1/3 for linear weights, and the violated triangle is named for quadratic weights."""
    words = {reason.statement: reason.words for reason in km.moves.explain_move(MOVE, "linear").reasons}
    assert words["Sum of weights"] == "u(2,4) + u(3,3) - u(2,3) - u(3,4) = 2/3 + 0 - 1/3 - 1/3 = 0"
    assert words["Triangle inequality"].startswith(
        "u(2,4) = 2/3 = u(2,3) + u(3,4) = 1/3 + 1/3 = 2/3, so agreement does"
    )
    back = km.moves.explain_move(MOVE.reversed(), "quadratic")
    words = {reason.statement: reason.words for reason in back.reasons}
    assert words["Triangle inequality, reversed"].endswith("agreement rises")
    assert "quadratic weights have u(1,3) > u(1,2) + u(2,3)" in words["Proposition 3, reversed"]
    skew = km.Weights.from_matrix([[0, 1, 2], [2, 0, 2], [2, 1, 0]], kind="disagreement")
    reasons = km.moves.explain_move(km.moves.Move([(0, 2), (1, 1)], [(0, 1), (1, 2)], 3), skew).reasons
    assert any("custom weights are not symmetric" in reason.words for reason in reasons)


def conditions(move, matrix, metric, linear):
    """Return when lemma 1 and propositions 3 and 4 apply, in the paper's notation with indices i, j, h."""
    k = len(matrix)
    found = {}
    for sign, name in ((move, ""), (move.reversed(), ", reversed")):
        cells = {**dict.fromkeys(sign.plus, 1), **dict.fromkeys(sign.minus, -1)}
        for i, j in combinations(range(k), 2):
            if cells == {(i, i): 1, (j, j): 1, (i, j): -1, (j, i): -1}:
                found[f"Lemma 1{name}"] = True
        for i, j, h in combinations(range(k), 3):
            for a, b, c in ((i, j, h), (h, j, i)):
                if cells == {(a, c): 1, (b, b): 1, (a, b): -1, (b, c): -1}:
                    found[f"Proposition 3{name}"] = metric
        for (i1, i2), (j1, j2) in product(combinations(range(k), 2), repeat=2):
            one_side = i2 <= j1 or j2 <= i1
            if one_side and cells == {(i1, j1): 1, (i2, j2): 1, (i1, j2): -1, (i2, j1): -1}:
                found["Proposition 4"] = linear
    return found


WEIGHTINGS = {
    "linear": [[abs(i - j) for j in range(4)] for i in range(4)],
    "quadratic": [[(i - j) ** 2 for j in range(4)] for i in range(4)],
    "unweighted": [[int(i != j) for j in range(4)] for i in range(4)],
    "over positions": [[abs(x - y) for y in (0, 1, 5, 7)] for x in (0, 1, 5, 7)],
    "turned around": [[abs(x - y) for y in (3, 0, 2, 1)] for x in (3, 0, 2, 1)],
    "some triangles": [[0, 1, 3, 2], [1, 0, 1, 2], [3, 1, 0, 2], [2, 2, 2, 0]],
    "with a zero": [[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]],
}


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_conditions_are_found_exactly_when_they_hold(name):
    """All 72 moves of two raters and four categories agree with the paper's conditions and with brute force."""
    u = WEIGHTINGS[name]
    weights = km.Weights.from_matrix(u, kind="disagreement")
    metric = all(u[i][h] <= u[i][j] + u[j][h] for i, j, h in product(range(4), repeat=3))
    linear = all(u[i][h] == u[i][j] + u[j][h] for i, j, h in combinations(range(4), 3))
    for move in km.moves.basic_moves(4):
        explained = km.moves.explain_move(move, weights)
        named = {s: holds for s, holds in statements(explained).items() if s.startswith(("Lemma", "Proposition"))}
        assert named == conditions(move, u, metric, linear)
        assert SIGN[explained.effect] == signs(move, u)
        assert all(explained.effect in reason.allows for reason in explained.reasons)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("k", "r"), [(2, 2), (5, 2), (3, 3)])
def test_no_statement_claims_a_wrong_direction(scheme, k, r):
    """Every basic move of two raters and every fifth of three has an effect that all statements allow."""
    weights = km.Weights.from_scheme(scheme, k)
    for move in list(km.moves.basic_moves(k, r))[:: 1 if r == 2 else 5]:
        explained = km.moves.explain_move(move, weights)
        assert explained.effect == move.effect(weights)
        assert explained.change == move.change(weights)
        assert all(explained.effect in reason.allows for reason in explained.reasons)
        if r == 2 and move.kind.n_diagonal == 1:
            (triangle,) = (reason for reason in explained.reasons if reason.statement.startswith("Triangle"))
            assert triangle.allows == (explained.effect,)
            assert triangle.holds or not weights.metric


@settings(max_examples=examples(60))
@given(st.data())
def test_statements_hold_for_random_weights(data):
    """Statements agree with random symmetric matrices over four categories, of which most are not metric."""
    weights = data.draw(matrices(4))
    move = data.draw(st.sampled_from(list(km.moves.basic_moves(4))))
    explained = km.moves.explain_move(move, weights)
    assert all(explained.effect in reason.allows for reason in explained.reasons)


def test_three_raters_are_explained_pair_by_pair():
    """Lemma 2 applies if all agree in both plus (or minus) cells, and proposition 5 occurs once per pair of raters."""
    for move in km.moves.basic_moves(3, 3):
        reasons = km.moves.explain_move(move, "sqrt").reasons
        named = {reason.statement for reason in reasons}
        assert ("Lemma 2" in named) == all(len(set(cell)) == 1 for cell in move.plus)
        assert ("Lemma 2, reversed" in named) == all(len(set(cell)) == 1 for cell in move.minus)
        by_pair = [reason.words for reason in reasons if reason.statement == "Proposition 5"]
        nulls = sum(move.project(a, b) is None for a, b in combinations(range(3), 2))
        assert (len(by_pair), sum("null move" in words for words in by_pair)) == (3, nulls)


def test_each_pair_is_explained_with_its_own_weights():
    """If only raters 1 and 2 have linear weights, the statement on metric weights holds only for this pair."""
    linear, quadratic = (km.Weights.from_scheme(name, 3) for name in ("linear", "quadratic"))
    weights = PairWeights({(0, 1): linear, (0, 2): quadratic, (1, 2): quadratic})
    move = km.moves.Move([(0, 2, 2), (1, 1, 1)], [(0, 1, 1), (1, 2, 2)], 3)
    words = [reason.words for reason in km.moves.explain_move(move, weights).reasons]
    assert any("raters 1 and 2" in line and "Proposition 3" in line for line in words)
    assert any("raters 1 and 3" in line and "Proposition 3" not in line for line in words)


def test_explanations_have_a_printed_form_and_convert_to_plain_data():
    """Explanations convert to JSON, and their printed form shows the move and every statement."""
    explained = km.moves.explain_move(MOVE, "sqrt")
    assert json.loads(json.dumps(explained.to_dict()))["exact_change"] == "-2/3*sqrt(3) + 1/3*sqrt(6)"
    shown = repr(explained)
    assert "+(2,4) +(3,3) -(2,3) -(3,4)" in shown
    assert all(reason.words in shown for reason in explained.reasons)
    assert "Proposition 3" in explained._repr_html_()


def applicable(table, moves):
    """Return the moves whose minus cells both occur, computed from the dense table."""
    dense = table.dense()
    return [move for move in moves if all(dense[cell] > 0 for cell in move.minus)]


@settings(max_examples=examples(60))
@given(tables(max_raters=3, max_categories=3), scheme_names, st.sampled_from(["basic", "minimal"]))
def test_ranked_moves_are_all_that_apply_in_exact_order(table, scheme, which):
    """The ranking agrees with applying every basic move one by one."""
    every = (km.moves.basic_moves if which == "basic" else km.moves.minimal_moves)(table.n_categories, table.n_raters)
    weights = km.Weights.from_scheme(scheme, table.n_categories)
    expected = applicable(table, every)
    ranked = km.moves.rank_moves(table, weights=weights, top=10**6, moves=which)
    assert {one.move for one in ranked} == set(expected)
    assert len(ranked) == ranked.n_applicable == len(expected)
    changes = [one.change for one in ranked]
    assert changes == sorted(changes)
    effects = [one.effect for one in ranked]
    assert [effects.count(e) for e in ("raises", "lowers", "keeps")] == [
        ranked.n_raising,
        ranked.n_lowering,
        ranked.n_keeping,
    ]
    for one in list(ranked)[:10]:
        assert one.change == one.move.change(weights)
        assert one.effect == one.move.effect(weights)
        assert one.value_before == km.kappa(table, weights=weights).value
        assert one.value_after == km.kappa(one.move.after(table), weights=weights).value


@settings(max_examples=examples(15))
@given(tables(min_raters=4, max_raters=5, max_categories=3, max_rows=4), st.sampled_from(["basic", "minimal"]))
def test_ranked_moves_of_more_raters(table, which):
    """All applicable moves of four and five raters are found, whatever the size of the chunks."""
    every = (km.moves.basic_moves if which == "basic" else km.moves.minimal_moves)(table.n_categories, table.n_raters)
    ranked = km.moves.rank_moves(table, weights="linear", top=10**6, moves=which)
    assert all(one.move in every and one.move.applies_to(table) for one in ranked)
    assert len({one.move for one in ranked}) == ranked.n_applicable
    patterns = [tuple(row) for row in table.patterns.tolist()]
    if which == "basic":
        differing = [sum(i != j for i, j in zip(x, y, strict=True)) for x, y in combinations(patterns, 2)]
        assert ranked.n_applicable == sum(2 ** (q - 1) - 1 for q in differing if q >= 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(move_ranking, "_CHUNK_CELLS", 1)
        assert km.moves.rank_moves(table, weights="linear", top=10**6, moves=which).moves == ranked.moves


def test_whole_numbers_beyond_64_bits():
    """Weights with large denominators are ranked in Python integers, with the same result."""
    table = km.example("rapallo2022")
    large = [[Fraction(abs(i - j) * (10**20 + 1), 3 * 10**20 + 3 * 7**i * 7**j) for j in range(4)] for i in range(4)]
    weights = km.Weights.from_matrix(large, kind="disagreement")
    assert weights.multipliers.dtype == object
    ranked = km.moves.rank_moves(table, weights=weights, top=100)
    assert [one.change for one in ranked] == sorted(
        move.change(weights) for move in applicable(table, km.moves.basic_moves(4))
    )


def test_the_best_move_leads_towards_the_maximum():
    """Repeating the best move increases kappa and, for linear weights and two raters, ends here at the maximum."""
    table = km.example("rapallo2022")
    top = km.max_kappa(table, weights="linear")
    while (ranked := km.moves.rank_moves(table, weights="linear", top=1)).n_raising:
        table = ranked[0].move.after(table)
        assert km.kappa(table, weights="linear").value == ranked[0].value_after > ranked.value
    assert ranked.value == top.maximum


def test_ranked_moves_have_a_printed_form_and_convert_to_plain_data():
    """JSON contains labels; the printed form contains numbers of categories if the labels are too long."""
    table = km.from_counts(PAPER, categories=["w", "x", "y", "z"])
    ranked = km.moves.rank_moves(table, weights="sqrt", coefficient="gwet", top=3)
    plain = json.loads(json.dumps(ranked.to_dict()))
    assert plain["moves"][0]["plus"] == [["x", "z"], ["y", "y"]]
    assert plain["moves"][0]["value_after"] == km.agreement(MOVE.after(table), weights="sqrt", coefficient="gwet").value
    assert len(plain["moves"]) == len(ranked) == 3
    assert "+(x,z) +(y,y) -(x,y) -(y,z)  raises agreement" in repr(ranked)
    long = km.moves.rank_moves(km.example("diagnoses"), top=1)
    moves, data = repr(long).split("  data  ")
    assert "Depression" not in moves
    assert "'1. Depression'" in data
    identical = km.moves.rank_moves([1, 2, 2], [1, 2, 2])
    assert (identical.n_applicable, identical.n_lowering, bool(identical)) == (1, 1, True)
    single = km.moves.rank_moves([1, 1], [1, 2])
    assert (single.n_applicable, len(single), bool(single)) == (0, 0, True)


def test_what_cannot_be_ranked_is_refused(monkeypatch):
    """Missing ratings, a single category, too many moves and wrong options raise errors."""
    with pytest.raises(
        km.errors.NotSupportedError, match="ranking moves needs complete ratings, but 7 ratings are missing"
    ):
        km.moves.rank_moves(km.example("gwet2014"))
    with pytest.raises(km.errors.NotSupportedError, match="1 rating is missing"):
        km.moves.rank_moves([1, 2, None], [1, 2, 2])
    with pytest.raises(km.errors.UndefinedKappaError):
        km.moves.rank_moves([1, 1], [1, 1])
    with pytest.raises(km.errors.InvalidOptionError, match="moves must be one of 'basic', 'minimal'; got 'basis'"):
        km.moves.rank_moves(km.from_counts(PAPER), moves="basis")
    with pytest.raises(km.errors.InvalidOptionError, match="top must be a whole number >= 1; got 0"):
        km.moves.rank_moves(km.from_counts(PAPER), top=0)
    monkeypatch.setattr(move_ranking, "LISTED_MOVES", 10)
    with pytest.raises(km.errors.NotSupportedError, match="needs at least 1[1-5] rows; the limit is 10"):
        km.moves.rank_moves(km.from_counts(PAPER))
