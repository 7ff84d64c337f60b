"""Single moves have the right cells, kinds, projections, changes of disagreement and effects on tables."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappamax as km
from kappamax.fibers.moves import pair_changes
from kappamax.weights import PairWeights
from tests.support.strategies import drawn_moves


def test_a_move_by_hand():
    """The order in which cells are given does not matter, and the printed form counts categories from 1."""
    move = km.moves.Move([(2, 2), (0, 0)], [(2, 0), (0, 2)], n_categories=4)
    assert move == km.moves.Move([(0, 0), (2, 2)], [(0, 2), (2, 0)], 4)
    assert hash(move) == hash(km.moves.Move([(0, 0), (2, 2)], [(0, 2), (2, 0)], 4))
    assert repr(move) == "Move(+(1,1) +(3,3) -(1,3) -(3,1))"
    assert move.dense().tolist() == [[1, 0, -1, 0], [0, 0, 0, 0], [-1, 0, 1, 0], [0, 0, 0, 0]]
    assert (move.reversed().dense() == -move.dense()).all()
    assert move.to_dict() == {"plus": [[0, 0], [2, 2]], "minus": [[0, 2], [2, 0]], "n_categories": 4}
    # linear over four categories: u(1,3) = 2/3, twice
    assert move.change("linear") == km.Weights.from_scheme("linear", 4).entry(0, 2) * -2


def test_the_four_kinds_of_figure_1():
    """The paper's four moves have kinds (a) to (d)."""
    figure = {
        "a": ([(0, 0), (2, 2)], [(0, 2), (2, 0)]),
        "b": ([(0, 3), (1, 1)], [(0, 1), (1, 3)]),
        "c": ([(1, 1), (2, 3)], [(1, 3), (2, 1)]),
        "d": ([(0, 3), (1, 2)], [(0, 2), (1, 3)]),
    }
    kinds = {letter: km.moves.Move(*cells, 4).kind for letter, cells in figure.items()}
    assert {letter: kind.letter for letter, kind in kinds.items()} == {letter: letter for letter in "abcd"}
    assert [kind.n_diagonal for kind in kinds.values()] == [2, 1, 1, 0]
    assert [kind.side for kind in kinds.values()] == ["both", "above", "both", "above"]
    assert kinds["c"].words == "one cell on the diagonal, the others on both sides of it"
    assert str(kinds["d"]) == "(d) no cell on the diagonal, all above it"
    assert km.moves.Move([(1, 0), (2, 2)], [(1, 2), (2, 0)], 3).kind.letter == "c"
    assert km.moves.Move([(1, 1), (2, 0)], [(1, 0), (2, 1)], 3).kind.side == "below"


def test_kinds_are_counted_by_hand():
    """The two pairs of categories are equal (a), share one category (2 ways (b), 4 ways (c)) or are disjoint (d)."""
    for k in (3, 4, 5):
        counts = Counter(move.kind.letter for move in km.moves.basic_moves(k))
        assert counts["a"] == 2 * comb(k, 2)
        assert counts["b"] == 2 * 2 * comb(k, 3)
        assert counts["c"] == 2 * 4 * comb(k, 3)
        assert counts["d"] == 2 * 6 * comb(k, 4)
        assert counts.total() == len(km.moves.basic_moves(k))


@pytest.mark.parametrize(("k", "r"), [(2, 3), (3, 3), (2, 4), (3, 4)])
def test_projections_are_basic_or_null(k, r):
    """Proposition 5 holds for four distinct pairs, and some pair of raters always sees a basic move."""
    for move in list(km.moves.basic_moves(k, r))[:: 1 if k**r < 50 else 7]:
        seen = 0
        for a, b in combinations(range(r), 2):
            pairs = {(cell[a], cell[b]) for cell in (*move.plus, *move.minus)}
            projected = move.project(a, b)
            assert (projected is not None) == (len(pairs) == 4)
            summed = move.dense().sum(axis=tuple(c for c in range(r) if c not in (a, b)))
            assert (summed == (0 if projected is None else projected.dense())).all()
            seen += projected is not None
        assert seen >= 1


@given(drawn_moves(), st.sampled_from(["unweighted", "linear", "quadratic", "sqrt", "ordinal", "circular"]))
def test_changes_are_those_of_the_dense_table(drawn, scheme):
    """The change is the sum of u times the projected move over pairs of raters, and reversing a move reverses it."""
    move = drawn[0][drawn[1]]
    u = km.Weights.from_scheme(scheme, move.n_categories)
    by_hand = sum(
        (u.matrix * projected.dense()).sum()
        for a, b in combinations(range(move.n_raters), 2)
        if (projected := move.project(a, b)) is not None
    )
    assert float(move.change(u)) == pytest.approx(by_hand, abs=1e-12)
    assert move.reversed().change(u) == move.change(u) * -1
    opposite = {"raises": "lowers", "lowers": "raises", "keeps": "keeps"}
    assert move.reversed().effect(u) == opposite[move.effect(u)]


def test_weights_per_pair_and_asymmetric_weights():
    """Each pair of raters has its own weights, and an asymmetric matrix is indexed by (first, second)."""
    linear, quadratic = (km.Weights.from_scheme(name, 3) for name in ("linear", "quadratic"))
    weights = PairWeights({(0, 1): linear, (0, 2): quadratic, (1, 2): linear})
    move = km.moves.Move([(0, 0, 2), (1, 2, 0)], [(0, 2, 0), (1, 0, 2)], 3)
    parts = pair_changes(move, weights)
    # raters 1, 2: u(1,1) + u(2,3) - u(1,3) - u(2,1) = 0 + 1/2 - 1 - 1/2; raters 1, 3 the reverse, quadratic
    assert (parts[0, 1], parts[0, 2], parts[1, 2]) == (-1, 1, 0)
    assert move.change(weights) == 0
    assert move.effect(weights) == "keeps"
    skew = km.Weights.from_matrix([[0, 1], [4, 0]], kind="disagreement")
    assert float(km.moves.Move([(0, 0), (1, 1)], [(0, 1), (1, 0)], 2).change(skew)) == -1.25


def test_weights_that_are_not_exact_keep_agreement_within_their_tolerance():
    """Rounded multiples of a root are additive only up to rounding."""
    matrix = [[round(abs(i - j) / 2**0.5, 14) for j in range(4)] for i in range(4)]
    weights = km.Weights.from_matrix(matrix, kind="disagreement")
    assert not weights.exact
    one_side = km.moves.Move([(0, 2), (1, 3)], [(0, 3), (1, 2)], 4)
    assert one_side.change(weights) != 0
    assert one_side.effect(weights) == "keeps"
    assert km.moves.Move([(0, 1), (2, 3)], [(0, 3), (2, 1)], 4).effect(weights) == "raises"


def test_a_move_changes_a_table():
    """The margins do not change, four cells do, and the reverse move restores the table."""
    table = km.from_counts([[4, 0, 0, 0], [0, 4, 1, 0], [0, 0, 4, 1], [0, 0, 0, 4]])
    move = km.moves.Move([(1, 3), (2, 2)], [(1, 2), (2, 3)], 4)
    after = move.after(table)
    assert after.dense().tolist() == [[4, 0, 0, 0], [0, 4, 0, 1], [0, 0, 5, 0], [0, 0, 0, 4]]
    assert (after.margins == table.margins).all()
    assert move.reversed().after(after) == table
    assert not move.applies_to(after)
    with pytest.raises(
        km.errors.InvalidTableError, match=r"takes a subject from pattern \(2, 3\), which does not occur"
    ):
        move.after(after)
    with pytest.raises(km.errors.InvalidTableError, match="has 2 raters and 4 categories, but the table has 3 raters"):
        move.after(km.example("rapallo2022-three"))


@pytest.mark.parametrize(
    ("plus", "minus", "message"),
    [
        (
            [(0, 0), (1, 1)],
            [(0, 1), (1, 1)],
            "zero margins; rater 2 gains categories 1 and 2 and loses 2 and 2",
        ),
        ([(0, 0), (1, 1)], [(1, 1), (0, 0)], r"different cells; both are \(1, 1\) and \(2, 2\)"),
        ([(0, 0), (3, 3)], [(0, 3), (3, 0)], r"plus must have codes from 0 to 2; got \(3, 3\)"),
        ([(0, 0)], [(0, 0)], "plus must be two patterns of category codes"),
        ([(0, 0), (1, 1)], [(0.5, 1), (1, 0)], "minus must be two patterns of category codes"),
        ([(0, 0), (1, 1)], 3, "minus must be two patterns of category codes"),
        ([(0, 0), (1, 1, 1)], [(0, 1), (1, 0)], "each of two or more raters; got 2, 3 categories"),
        ([(0,), (1,)], [(1,), (0,)], "each of two or more raters; got 1 categories"),
    ],
)
def test_cells_that_do_not_form_a_move_are_refused(plus, minus, message):
    """The message names the rule that the cells break."""
    with pytest.raises(km.errors.InvalidTableError, match=message):
        km.moves.Move(plus, minus, 3)


def test_wrong_arguments_are_named():
    """Indices, sizes, raters and sets that are too large to list raise errors."""
    moves = km.moves.minimal_moves(3, 3)
    with pytest.raises(km.errors.InvalidOptionError, match="must lie in 0 to 323; got 324"):
        moves[324]
    with pytest.raises(km.errors.InvalidOptionError, match="must be a whole number; got '1'"):
        moves["1"]
    outside = next(move for move in km.moves.basic_moves(3, 3) if move not in moves)
    with pytest.raises(km.errors.InvalidOptionError, match="is not one of MoveSet\\(324 minimal moves"):
        moves.index(outside)
    assert km.moves.basic_moves(3, 2)[0] not in moves
    assert "move" not in moves
    with pytest.raises(km.errors.InvalidOptionError, match="n_categories must be a whole number >= 2; got 1"):
        km.moves.basic_moves(1)
    with pytest.raises(km.errors.InvalidOptionError, match="n_raters must be a whole number >= 2; got 1"):
        km.moves.minimal_moves(3, 1)
    # 2 * (3 * 20 * 190^2 * 1 + 190^3 * 6)
    with pytest.raises(km.errors.NotSupportedError, match="needs 86,640,000 rows; the limit is 5,000,000"):
        km.moves.basic_moves(20, 3).arrays()
    with pytest.raises(km.errors.InvalidOptionError, match="a position below 3; got 3"):
        moves[0].project(0, 3)
    with pytest.raises(km.errors.NotSupportedError):
        km.moves.basic_moves(5, 20)[0].dense()
