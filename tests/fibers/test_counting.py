"""Counting agrees with listing, and listing agrees with brute force."""

from itertools import permutations
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.fibers import counting
from kappamax.fibers import enumeration as enumerate_tables
from kappamax.fibers.counting import count_tables
from kappamax.fibers.enumeration import iter_tables
from tests.support.strategies import examples, tables


def all_patterns(r, k):
    return np.stack(np.unravel_index(np.arange(k**r), (k,) * r), axis=1)


def brute_force(margins):
    """Return all tables as sets of sorted subjects, from all arrangements of all raters but the first."""
    columns = [np.repeat(np.arange(len(row)), row).tolist() for row in margins]
    rows = {tuple((value,) for value in columns[0])}
    for column in columns[1:]:
        rows = {
            tuple(sorted((*subject, value) for subject, value in zip(row, order, strict=True)))
            for row in rows
            for order in set(permutations(column))
        }
    return rows


@settings(max_examples=examples(250))
@given(tables(max_raters=3, max_categories=3, max_rows=3).filter(lambda table: table.n_subjects <= 6))
def test_counting_listing_and_brute_force_agree(table):
    """The three agree on small fibers of two and three raters."""
    r, k = table.n_raters, table.n_categories
    listed = list(iter_tables(table.margins, all_patterns(r, k)))
    assert len({tuple(counts.tolist()) for counts in listed}) == len(listed)
    assert count_tables(table.margins) == len(listed) == len(brute_force(table.margins.tolist()))


@settings(max_examples=examples(100))
@given(tables(max_raters=3, max_categories=3, max_rows=4), st.data())
def test_counting_and_listing_agree_on_some_patterns(table, data):
    """Only tables that consist of the given patterns are counted and listed."""
    every = all_patterns(table.n_raters, table.n_categories)
    kept = data.draw(st.lists(st.booleans(), min_size=len(every), max_size=len(every)))
    patterns = every[np.array(kept)]
    if len(patterns) == 0:
        return
    listed = [counts for _, counts in zip(range(3000), iter_tables(table.margins, patterns), strict=False)]
    for counts in listed[:50]:
        made = np.zeros_like(table.margins)
        for pattern, times in zip(patterns, counts, strict=True):
            made[np.arange(len(pattern)), pattern] += times
        assert (made == table.margins).all()
    if len(listed) < 3000:
        assert count_tables(table.margins, patterns) == len(listed)


def test_the_fibers_of_the_paper_have_the_published_sizes():
    """The paper's fibers have 644,850 tables (figure 3(a)) and 2,160,537 tables for three raters."""
    assert count_tables(km.example("rapallo2022").margins) == 644_850
    assert count_tables(km.example("rapallo2022-three").margins) == 2_160_537


def test_known_counts():
    """There are C(n+2, 4) + C(n+3, 4) + C(n+4, 4) 3 x 3 tables with all margins n (MacMahon), and k! with n = 1."""
    for n in (1, 2, 7, 40):
        assert count_tables(np.full((2, 3), n)) == comb(n + 2, 4) + comb(n + 3, 4) + comb(n + 4, 4)
    assert count_tables(np.ones((2, 8), dtype=int)) == factorial(8)


def test_published_counts():
    """The numbers of n x n tables with margins 2 (OEIS A000681) and of 4 x 4 tables with margins n (A001496) agree."""
    squares = [count_tables(np.full((2, n), 2)) for n in range(2, 11)]
    assert squares == [3, 21, 282, 6210, 202410, 9135630, 545007960, 41514583320, 3930730108200]
    assert [count_tables(np.full((2, 4), n)) for n in range(1, 6)] == [24, 282, 2008, 10147, 40176]


def test_counting_by_residues_agrees_with_counting_in_64_bits(monkeypatch):
    """Counting modulo several coprime numbers gives the same result if integers are limited to 12 bits."""
    margins = np.array([[3, 4, 5], [6, 2, 4], [4, 4, 4]])
    plain = count_tables(margins)
    monkeypatch.setattr(counting, "_BITS", 12)
    assert plain > 2**12
    assert count_tables(margins) == plain


@pytest.mark.slow
def test_counts_beyond_64_bits_are_exact():
    """The numbers of n x n tables with margins 3 (OEIS A001500) agree, up to 4.8e20 for n = 11."""
    assert count_tables(np.full((2, 10), 3)) == 523853880779443200
    assert count_tables(np.full((2, 11), 3)) == 477360556805016931200


def test_too_much_memory_is_refused():
    """The error is raised before memory is allocated, and it names the size and the limit."""
    with pytest.raises(km.errors.NotSupportedError, match="would take 6.35 TB of memory; the limit is 1 GB"):
        count_tables(np.full((3, 5), 20))
    with pytest.raises(km.errors.NotSupportedError, match="1.05e\\+06 patterns are possible"):
        count_tables(np.full((20, 2), 3))


@settings(max_examples=examples(150))
@given(tables(max_raters=3, max_categories=3, max_rows=4).filter(lambda table: table.n_subjects <= 9))
def test_starting_at_the_smallest_useful_count_omits_no_table(table):
    """The smallest useful count is computed here for every pattern, not only for those that could occur often."""
    patterns = all_patterns(table.n_raters, table.n_categories)
    listed = [counts.tolist() for counts in iter_tables(table.margins, patterns)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enumerate_tables, "_MANY", -1)
        assert [counts.tolist() for counts in iter_tables(table.margins, patterns)] == listed


def test_patterns_that_occur_very_often_do_not_hinder_listing():
    """A dozen tables of 10^12 subjects are listed in a few hundred steps, in the usual order."""
    few = np.array([[20 + 3, 4, 2], [20 + 2, 5, 2]])
    many = few + np.array([10**12, 0, 0])
    patterns = all_patterns(2, 3)
    listed = [list(iter_tables(margins, patterns, 5_000)) for margins in (few, many)]
    assert len(listed[0]) == len(listed[1]) == count_tables(few)
    for one, other in zip(*listed, strict=True):
        assert (other - one).tolist() == [10**12] + [0] * 8


def test_a_fiber_can_be_iterated_over():
    """Iteration yields the tables of the fiber."""
    fiber = km.fiber(km.from_counts([[2, 1], [1, 2]]))
    assert list(fiber) == list(fiber.tables())
    assert len(list(fiber)) == fiber.count()
