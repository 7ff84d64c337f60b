"""Moves and their effects equal those of swapping ratings one by one."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import kappamax as km
from tests.support import naive_agreement as naive
from tests.support.comparing import assert_number
from tests.support.designs import EXACT_NAMES, ROOT_NAMES, draw, naive_table, seeds

Cells = tuple[naive.Pattern, ...]
WHOLE = ("complete", "constant rater", "near agreement", "text", "one category each", "asymmetric", "weights per pair")


@pytest.mark.parametrize("seed", seeds(50))
def test_ranked_moves_do_to_the_value_what_they_say(seed):
    """The ranking has all applicable moves, with the right change of disagreement and the right value after each."""
    design = draw(seed, most_orders=10**5, kinds=WHOLE, names=EXACT_NAMES + ROOT_NAMES)
    if not design.complete:
        design = draw(seed, most_orders=10**5, kinds=("complete",), names=EXACT_NAMES + ROOT_NAMES)
    name = design.coefficients[(seed // len(WHOLE)) % len(design.coefficients)]
    try:
        before = naive.value(name, design.counts, design.u, design.k)
    except naive.UndefinedError:
        with pytest.raises(km.errors.UndefinedKappaError):
            km.moves.rank_moves(design.table, weights=design.weights, coefficient=name)
        return
    ranked = km.moves.rank_moves(design.table, weights=design.weights, coefficient=name, top=10**6)
    listed = {(tuple(sorted(found.move.minus)), tuple(sorted(found.move.plus))) for found in ranked}
    assert listed == swaps_between(set(design.rows))
    assert ranked.n_applicable == len(ranked) == len(listed)
    changes, effects = [], Counter()
    for found in ranked:
        after = naive_table(found.move.after(design.table))
        assert after == moved(design.counts, found.move)
        assert naive.margins(after, design.k) == naive.margins(design.counts, design.k)
        change = naive.total_disagreement(after, design.u) - naive.total_disagreement(design.counts, design.u)
        assert_number(float(found.change), change, scale=1)
        assert found.effect == effect_of(change)
        assert_number(found.value_before, before, scale=1)
        assert_number(found.value_after, naive.value(name, after, design.u, design.k), scale=1)
        changes.append(naive.key(change))
        effects[found.effect] += 1
    assert changes == sorted(changes)
    assert (ranked.n_raising, ranked.n_lowering, ranked.n_keeping) == tuple(
        effects[name] for name in ("raises", "lowers", "keeps")
    )


@pytest.mark.parametrize(("k", "n_raters"), [(2, 2), (3, 2), (4, 2), (2, 3), (3, 3), (2, 4)])
def test_basic_moves_are_all_swaps_between_two_subjects(k, n_raters):
    """Each swap occurs once and keeps the margins, and its effect is the sign of a sum of weights."""
    moves = km.moves.basic_moves(k, n_raters)
    listed = Counter((tuple(sorted(move.minus)), tuple(sorted(move.plus))) for move in moves)
    assert set(listed) == swaps_between(set(product(range(k), repeat=n_raters)))
    assert set(listed.values()) == {1}
    assert len(moves) == moves.n_moves == len(listed)
    u = naive.for_all_pairs(naive.named_weights("quadratic", k), n_raters)
    for move in moves:
        for a in range(n_raters):
            assert sorted(cell[a] for cell in move.plus) == sorted(cell[a] for cell in move.minus)
        gained, lost = (naive.total_disagreement(Counter(cells), u) for cells in (move.plus, move.minus))
        assert move.effect("quadratic") == effect_of(gained - lost)


@pytest.mark.parametrize("n_raters", [2, 3])
def test_minimal_moves_connect_all_tables_of_small_fibers(n_raters):
    """The moves lead from the observed table to all tables of a list without negative counts."""
    rng = np.random.default_rng(n_raters)
    moves = list(km.moves.minimal_moves(3, n_raters))
    basic = swaps_between(set(product(range(3), repeat=n_raters)))
    assert {(tuple(sorted(move.minus)), tuple(sorted(move.plus))) for move in moves} <= basic
    for _ in range(5):
        rows = tuple(sorted(tuple(row) for row in rng.integers(0, 3, size=(4, n_raters)).tolist()))
        seen, waiting = {rows}, [rows]
        while waiting:
            here = Counter(waiting.pop())
            for move in moves:
                after = moved(here, move)
                if min(after.values()) >= 0:
                    reached = tuple(sorted(Counter(after).elements()))
                    if reached not in seen:
                        seen.add(reached)
                        waiting.append(reached)
        assert seen == set(naive.tables_of(rows))


def swaps_between(patterns: set[naive.Pattern]) -> set[tuple[Cells, Cells]]:
    """Return all ways in which two patterns can swap the ratings of some raters and become two others."""
    found = set()
    for x, y in combinations(sorted(patterns), 2):
        for swaps in product((False, True), repeat=len(x)):
            first = tuple(b if swap else a for a, b, swap in zip(x, y, swaps, strict=True))
            second = tuple(a if swap else b for a, b, swap in zip(x, y, swaps, strict=True))
            after = tuple(sorted((first, second)))
            if after != (x, y):
                found.add(((x, y), after))
    return found


def moved(table: dict[naive.Pattern, int], move: km.moves.Move) -> dict[naive.Pattern, int]:
    """Return the counts of a table after a move, without zeros."""
    after = Counter(table)
    for cells, step in ((move.plus, 1), (move.minus, -1)):
        for cell in cells:
            after[tuple(cell)] += step
    return {row: count for row, count in after.items() if count}


def effect_of(change: Fraction) -> str:
    """Return the effect of a change of disagreement on agreement."""
    sign = naive.key(change)
    return "keeps" if sign == 0 else "raises" if sign < 0 else "lowers"


def test_the_effect_follows_the_sign_of_the_change():
    """Less disagreement raises agreement, and a change that is zero to 45 digits keeps it."""
    assert [effect_of(Fraction(x)) for x in (-1, 0, 1)] == ["raises", "keeps", "lowers"]
    assert effect_of(Fraction(1, 10**50)) == "keeps"
