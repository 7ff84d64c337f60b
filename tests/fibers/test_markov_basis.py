"""Sets of moves have the right size, order and distribution, agree with 4ti2, and connect fibers."""

import os
import shutil
import subprocess
from collections import Counter
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import kappamax as km
from kappamax.fibers.counting import count_tables
from kappamax.fibers.enumeration import iter_tables
from tests.support.strategies import drawn_moves, examples

DESIGNS = [(2, 2), (3, 2), (4, 2), (2, 3), (3, 3), (2, 4), pytest.param(3, 4, marks=pytest.mark.slow), (2, 5)]
SETS = {"basic": km.moves.basic_moves, "minimal": km.moves.minimal_moves}


def definition_five(k, r):
    """Return all moves of definition 5 with S proper, from two cells and the raters who keep their ratings."""
    moves = set()
    for x, y in combinations(product(range(k), repeat=r), 2):
        differing = [a for a in range(r) if x[a] != y[a]]
        for size in range(1, len(differing)):
            for kept in combinations(differing, size):
                one = tuple(x[a] if a in kept else y[a] for a in range(r))
                other = tuple(y[a] if a in kept else x[a] for a in range(r))
                moves.add(km.moves.Move((x, y), (one, other), k))
    return moves


def closed_form(k, r, in_block):
    return sum(comb(r, q) * k ** (r - q) * comb(k, 2) ** q * in_block(2 ** (q - 1)) for q in range(2, r + 1))


@pytest.mark.parametrize(("k", "r"), [(2, 2), (4, 2), (2, 3), (3, 3), (2, 4)])
def test_basic_moves_are_those_of_the_definition(k, r):
    """The set contains every move of the definition exactly once."""
    listed = list(km.moves.basic_moves(k, r))
    assert set(listed) == definition_five(k, r)
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize(("k", "r"), DESIGNS)
def test_closed_forms_agree_with_listing(k, r):
    """The formulas give the numbers of basic and minimal moves, signed and unsigned."""
    basic, minimal = km.moves.basic_moves(k, r), km.moves.minimal_moves(k, r)
    assert basic.n_unsigned == closed_form(k, r, lambda p: comb(p, 2)) == sum(1 for _ in basic) / 2
    assert minimal.n_unsigned == closed_form(k, r, lambda p: p - 1) == sum(1 for _ in minimal) / 2
    assert set(minimal) <= set(basic)
    assert all(move.reversed() in minimal for move in minimal)


def test_the_papers_numbers_of_moves():
    """Two raters have 18, 200 and 882 moves; three have 324 and 9,000 minimal of 486 and 15,000 basic moves."""
    assert [len(km.moves.basic_moves(k)) for k in (3, 5, 7)] == [18, 200, 882]
    assert [len(km.moves.minimal_moves(k, 3)) for k in (3, 5)] == [324, 9000]
    assert [len(km.moves.basic_moves(k, 3)) for k in (3, 5)] == [486, 15000]


@pytest.mark.parametrize(("k", "r"), DESIGNS)
@pytest.mark.parametrize("name", SETS)
def test_index_iteration_and_arrays_have_one_order(name, k, r):
    """moves[i] is the i-th move of the iteration and row i of the arrays."""
    moves = SETS[name](k, r)
    listed = list(moves)
    assert all(moves[i] == move and moves.index(move) == i for i, move in enumerate(listed[:500]))
    strides = np.array([k ** (r - 1 - a) for a in range(r)])
    plus, minus = moves.arrays()
    assert (np.array([move.plus for move in listed]) @ strides == plus).all()
    assert (np.array([move.minus for move in listed]) @ strides == minus).all()
    assert plus.dtype == minus.dtype == np.int64


@given(drawn_moves(most_raters=30))
def test_any_index_leads_to_a_move_and_back(drawn):
    """Indices lead to moves and back for up to thirty raters, for whom they have more than forty digits."""
    moves, index = drawn
    move = moves[index]
    assert moves.index(move) == index
    assert move in moves
    assert moves[index - moves.n_moves] == move
    assert move.reversed() in moves
    assert move.reversed() != move
    assert not move.margins().any()


def test_the_first_and_the_last_move_of_a_very_large_set():
    """Forty raters have subtables with more moves than 64 bits can index."""
    for moves in (km.moves.basic_moves(5, 20), km.moves.minimal_moves(5, 20), km.moves.basic_moves(2, 40)):
        assert moves.index(moves[0]) == 0
        assert moves.index(moves[-1]) == moves.n_moves - 1
        assert moves
        with pytest.raises(km.errors.NotSupportedError, match="len\\(\\) is limited to 2\\^63 - 1"):
            len(moves)
    assert repr(km.moves.basic_moves(3)) == "MoveSet(18 basic moves, 3 categories, 2 raters)"


def chi_square_limit(df):
    """Return a limit that a chi-square statistic exceeds in one run out of a million."""
    return chi2.isf(1e-6, df)


@pytest.mark.parametrize(("moves", "n"), [(km.moves.basic_moves(3), 9_000), (km.moves.minimal_moves(2, 4), 11_000)])
def test_draws_are_uniform(moves, n):
    """A chi-square test over all moves does not reject uniformity."""
    counts = Counter(moves.draw(np.random.default_rng(20), n))
    expected = n / moves.n_moves
    statistic = sum((counts[move] - expected) ** 2 / expected for move in moves)
    assert statistic < chi_square_limit(moves.n_moves - 1)


def test_draws_from_very_large_sets_are_uniform():
    """The number q of raters that vary has the distribution of the closed form, for 20 raters and 5 categories."""
    moves, n = km.moves.basic_moves(5, 20), 4_000
    drawn = moves.draw(7, n)
    sizes = Counter(sum(i != j for i, j in zip(*move.plus, strict=True)) for move in drawn)
    share = {q: 2 * comb(20, q) * 5 ** (20 - q) * 10**q * comb(2 ** (q - 1), 2) / moves.n_moves for q in range(2, 21)}
    likely = [q for q in share if n * share[q] > 20]
    rare = 1 - sum(share[q] for q in likely)
    statistic = sum((sizes[q] - n * share[q]) ** 2 / (n * share[q]) for q in likely)
    statistic += (n - sum(sizes[q] for q in likely) - n * rare) ** 2 / (n * rare)
    assert statistic < chi_square_limit(len(likely))
    assert moves.draw(7) == drawn[0]


def split(move, k):
    """Return part (a) of the proof of proposition 2: all ways to place one +1 and one -1 at h and the others at h'."""
    for (x, y), (v, w) in product([move.plus, move.plus[::-1]], [move.minus, move.minus[::-1]]):
        for h, other in product(range(k), repeat=2):
            yield km.moves.Move(((*x, h), (*y, other)), ((*v, h), (*w, other)), k)


def swap(k, r):
    """Return part (b) of the proof: two cells of the first r - 1 raters swap two categories of the last."""
    for x, y in combinations(product(range(k), repeat=r - 1), 2):
        for h, other in product(range(k), repeat=2):
            if h != other:
                yield km.moves.Move(((*x, h), (*y, other)), ((*x, other), (*y, h)), k)


@pytest.mark.parametrize(("k", "r"), [(2, 3), (3, 3), (2, 4), (2, 5), pytest.param(3, 4, marks=pytest.mark.slow)])
def test_the_construction_of_proposition_2_gives_exactly_the_basic_moves(k, r):
    """Both parts together give exactly the basic moves, and their kinds are (a) and (b)."""
    part_a = {move for smaller in km.moves.basic_moves(k, r - 1) for move in split(smaller, k)}
    part_b = set(swap(k, r))
    assert part_a.isdisjoint(part_b)
    assert part_a | part_b == set(km.moves.basic_moves(k, r))
    assert {move.kind.letter for move in part_a} == {"a"}
    assert {move.kind.letter for move in part_b} == {"b"}


def literal_construction(k, r):
    """Return proposition 2 with one way to split each unsigned move: +x, -v at h and +y, -w at h' >= h."""
    if r == 2:
        return set(list(km.moves.basic_moves(k, 2))[::2])
    found = set()
    for move in literal_construction(k, r - 1):
        (x, y), (v, w) = move.plus, move.minus
        for h in range(k):
            for other in range(h, k):
                found.add(km.moves.Move(((*x, h), (*y, other)), ((*v, h), (*w, other)), k))
    for x, y in combinations(product(range(k), repeat=r - 1), 2):
        for h, other in combinations(range(k), 2):
            found.add(km.moves.Move(((*x, h), (*y, other)), ((*x, other), (*y, h)), k))
    return found


@pytest.mark.parametrize(("k", "r"), [(2, 3), (3, 3), (4, 3), (2, 4), (3, 4), (2, 5)])
def test_splitting_each_move_once_gives_a_minimal_basis(k, r):
    """The result is another spanning tree of every block, with as many moves as the minimal basis."""
    moves = literal_construction(k, r)
    assert len(moves) == km.moves.minimal_moves(k, r).n_unsigned
    assert moves <= set(km.moves.basic_moves(k, r))
    assert_spanning_trees(moves, k, r)


def block_of(move):
    """Return the block of a move, given by the one or two categories of each rater."""
    return tuple(tuple(sorted({x, y})) for x, y in zip(*move.plus, strict=True))


def assert_spanning_trees(moves, k, r):
    """Assert that the unsigned moves connect the antipodal pairs of each block without a cycle."""
    edges = {}
    for move in moves:
        edges.setdefault(block_of(move), []).append((move.plus, move.minus))
    n_blocks = closed_form(k, r, lambda p: 1)
    assert len(edges) == n_blocks
    for block, joined in edges.items():
        n_pairs = 2 ** (sum(len(levels) == 2 for levels in block) - 1)
        tree = {pair: pair for edge in joined for pair in edge}

        def root(pair, tree=tree):
            while tree[pair] != pair:
                pair = tree[pair]
            return pair

        for one, other in joined:
            assert root(one) != root(other), "a circle"
            tree[root(one)] = root(other)
        assert len(joined) == n_pairs - 1
        assert len(tree) == n_pairs


def test_the_spanning_tree_assertion_can_fail():
    """The assertion fails if an edge is missing or if a cycle replaces it."""
    moves = {move for move in km.moves.minimal_moves(2, 3) if move.plus < move.minus}
    assert_spanning_trees(moves, 2, 3)
    with pytest.raises(AssertionError):
        assert_spanning_trees(moves - {max(moves, key=lambda move: len(set(zip(*move.plus, strict=True))))}, 2, 3)
    everything = {move for move in km.moves.basic_moves(2, 3) if move.plus < move.minus}
    with pytest.raises(AssertionError, match="a circle"):
        assert_spanning_trees(everything, 2, 3)


def four_ti_2(k, r, folder):
    """Return the minimal Markov basis that the program 4ti2 prints, unsigned."""
    program = shutil.which("4ti2-markov") or shutil.which("markov")
    if program is None:
        assert os.environ.get("CI") != "true", "4ti2 must be installed in CI"
        pytest.skip("needs the program 4ti2 (Debian package 4ti2)")
    cells = list(product(range(k), repeat=r))
    design = [[int(cell[a] == i) for cell in cells] for a in range(r) for i in range(k)]
    lines = [f"{len(design)} {len(cells)}", *(" ".join(map(str, row)) for row in design)]
    (folder / "design.mat").write_text("\n".join(lines) + "\n", encoding="utf-8")
    subprocess.run([program, "-q", str(folder / "design")], check=True, capture_output=True)
    rows = (folder / "design.mar").read_text(encoding="utf-8").splitlines()[1:]
    moves = []
    for row in filter(None, rows):
        signs = [int(sign) for sign in row.split()]
        plus, minus = ([cell for cell, sign in zip(cells, signs, strict=True) if sign == own] for own in (1, -1))
        moves.append(km.moves.Move(plus, minus, k))
    return moves


@pytest.mark.parametrize(("k", "r"), [(3, 2), (4, 2), (5, 2), (2, 3), (3, 3), (4, 3)])
def test_minimal_moves_are_those_of_4ti2(k, r, tmp_path):
    """For two and three raters both sets are equal up to sign."""
    printed = four_ti_2(k, r, tmp_path)
    assert {*printed, *(move.reversed() for move in printed)} == set(km.moves.minimal_moves(k, r))
    assert len(printed) == km.moves.minimal_moves(k, r).n_unsigned


@pytest.mark.parametrize(("k", "r"), [(2, 4), (3, 4), (2, 5)])
def test_the_minimal_moves_and_those_of_4ti2_are_spanning_trees(k, r, tmp_path):
    """For four and more raters both sets have the same size and contain a spanning tree of every block."""
    printed = four_ti_2(k, r, tmp_path)
    ours = [move for move in km.moves.minimal_moves(k, r) if move.plus < move.minus]
    assert len(printed) == len(ours) == km.moves.minimal_moves(k, r).n_unsigned
    assert_spanning_trees(printed, k, r)
    assert_spanning_trees(ours, k, r)


def reached(start, plus, minus):
    """Return how many tables can be reached from a table by moves given as flat cells."""
    seen, fresh = {start.tobytes()}, [start]
    while fresh:
        table = fresh.pop()
        for up, down in zip(plus[(table[minus] > 0).all(axis=1)], minus[(table[minus] > 0).all(axis=1)], strict=True):
            after = table.copy()
            after[up] += 1
            after[down] -= 1
            if after.tobytes() not in seen:
                seen.add(after.tobytes())
                fresh.append(after)
    return len(seen)


def first_table(margins):
    r, k = margins.shape
    cells = np.stack(np.unravel_index(np.arange(k**r), (k,) * r), axis=1)
    return next(iter_tables(margins, cells))


FIBERS = [
    [[2, 3, 2], [3, 1, 3]],
    [[1, 2, 1, 2], [2, 1, 2, 1]],
    [[3, 3], [2, 4], [4, 2]],
    [[2, 1, 1], [1, 1, 2], [1, 2, 1]],
    [[0, 2, 2], [2, 2, 0], [1, 1, 2]],
    [[1, 3], [2, 2], [2, 2], [3, 1]],
    [[2, 2], [2, 2], [2, 2], [2, 2]],
    [[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 0]],
]


@pytest.mark.parametrize("margins", FIBERS, ids=str)
@pytest.mark.parametrize("name", SETS)
def test_moves_connect_fibers(name, margins):
    """A breadth-first search from one table reaches every table of the fiber (propositions 1 and 2)."""
    margins = np.array(margins)
    r, k = margins.shape
    assert reached(first_table(margins), *SETS[name](k, r).arrays()) == count_tables(margins)


@settings(max_examples=examples(25))
@given(st.data())
def test_minimal_moves_connect_random_fibers(data):
    """Fibers of two to four raters, two or three categories and up to four subjects are connected."""
    r, k = data.draw(st.sampled_from([(2, 3), (3, 2), (3, 3), (4, 2)]))
    n = data.draw(st.integers(2, 4 if (r, k) != (3, 3) else 3))
    ratings = data.draw(st.lists(st.lists(st.integers(0, k - 1), min_size=n, max_size=n), min_size=r, max_size=r))
    margins = np.array([np.bincount(row, minlength=k) for row in ratings])
    assert reached(first_table(margins), *km.moves.minimal_moves(k, r).arrays()) == count_tables(margins)


@pytest.mark.parametrize(("k", "r"), [(3, 2), (2, 3), (3, 3), (2, 4)])
def test_no_minimal_move_can_be_omitted(k, r):
    """Without one move, not all tables with the margins of its two subjects can be reached."""
    moves = km.moves.minimal_moves(k, r)
    plus, minus = moves.arrays()
    for index in range(0, len(moves), max(1, len(moves) // 60)):
        move = moves[index]
        without = [i for i in range(len(moves)) if i not in (index, moves.index(move.reversed()))]
        start = np.zeros(k**r, dtype=np.int64)
        start[minus[index]] = 1
        margins = np.array([[sum(cell[a] == i for cell in move.minus) for i in range(k)] for a in range(r)])
        fiber = count_tables(margins)
        assert reached(start, plus, minus) == fiber
        assert reached(start, plus[without], minus[without]) < fiber
