"""The exact interval of a 2 x 2 table covers kappa at least as often as its level says, whatever the probabilities.

Coverage is computed by enumeration: the probabilities of all tables whose interval contains kappa are added.
"""

from functools import cache
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from kappamax.errors import InvalidOptionError, InvalidRatingsError, InvalidTableError, NotSupportedError
from kappamax.exact_interval import (
    LARGEST_LEVEL,
    MOST_SUBJECTS,
    SLACK,
    _delta_limit,
    _dominating_cells,
    _ranks,
    _search,
    exact_interval,
)

SIDES = (-1, 1)
SUMMATION = 1e-12  # error of adding up to 1771 probabilities in doubles
SIZES = [5, 8, 10, pytest.param(15, marks=pytest.mark.slow), pytest.param(20, marks=pytest.mark.slow)]


def tables_of(n):
    """Return all tables with n subjects, in the order of cells 11, 12, 21, 22."""
    return [(a, b, c, n - a - b - c) for a in range(n + 1) for b in range(n + 1 - a) for c in range(n + 1 - a - b)]


def kappa_of(p):
    """Return kappa by its definition, for the last axis of an array of cells."""
    p11, p12, p21, p22 = np.moveaxis(np.asarray(p, dtype=float), -1, 0)
    first, second = p11 + p12, p11 + p21
    expected = first * second + (1 - first) * (1 - second)
    return (p11 + p22 - expected) / (1 - expected)


def probabilities(n, p):
    """Return the multinomial probability of every table, shape (points, tables)."""
    tables = np.array(tables_of(n))
    ways = np.array([comb(n, a) * comb(n - a, b) * comb(n - a - b, c) for a, b, c, _ in tables_of(n)], dtype=float)
    found = np.tile(ways, (len(p), 1))
    for i in range(4):
        found *= np.power(np.asarray(p)[:, i, None], tables[:, i])
    return found


def interval(table, **options):
    a, b, c, d = table
    return exact_interval([[a, b], [c, d]], **options)


@cache
def all_intervals(n):
    """Return the limits of every table with n subjects, shape (tables, 2)."""
    return np.array([interval(table) for table in tables_of(n)])


def rank_of(table, side):
    a, b, c, _ = table
    return int(_ranks(sum(table), side)[b, c, a])


def cells_with(kappa, m, e):
    """Return cells with this kappa, mean share m and difference of shares e where they exist, by broadcasting."""
    kappa, m, e = (x.ravel() for x in np.broadcast_arrays(kappa, m, e))
    s = (1 - kappa) * (m * (1 - m) + e * e / 4)
    p = np.stack([m - s, s + e / 2, s - e / 2, 1 - m - s], axis=1)
    return np.maximum(p, 0)[(p >= -1e-15).all(axis=1)]


def many_cells():
    """Return a fine grid of cells that reaches prevalences of 0.99 and beyond and kappas from -0.9 to 0.999."""
    kappas = np.array([-0.9, -0.6, -0.4, -0.2, -0.1, -0.05, 0, 0.05, *np.arange(0.1, 1, 0.05), 0.99, 0.999])
    shares = np.array([0.001, 0.005, 0.01, 0.02, 0.03, *np.arange(0.05, 0.96, 0.05), 0.98, 0.99, 0.999])
    unequal = np.array([-0.5, -0.2, -0.05, 0, 0.01, 0.03, 0.1, 0.25, 0.4, 0.7])
    return cells_with(kappas[:, None, None], shares[None, :, None], unequal[None, None, :])


def missed(n, intervals, p):
    """Return how often the interval is above kappa and below it, shape (points, 2)."""
    chances, value = probabilities(n, p), kappa_of(p)[:, None]
    margin = 1e-12  # of kappa itself
    above, below = intervals[:, 0] > value + margin, intervals[:, 1] < value - margin
    return np.stack([(chances * above).sum(axis=1), (chances * below).sum(axis=1)], axis=1)


def adversarial_cells(n, intervals):
    """Return cells just outside of the limits, where coverage is least, found by local searches from three starts."""
    found = []
    for side in (0, 1):
        for limit in np.unique(intervals[:, side]):
            kappa = limit - 1e-6 if side == 0 else limit + 1e-6
            if not -1 < kappa < 1:
                continue

            def covered(x, kappa=kappa, side=side):
                p = cells_with(kappa, x[0], x[1])
                return -missed(n, intervals, p)[0, side] if len(p) else 0.0

            for start in ((0.5, 0.01), (0.15, 0.01), (0.03, 0.001)):
                x = minimize(covered, start, method="Nelder-Mead", options={"maxfev": 60}).x
                found.append(cells_with(kappa, x[0], x[1]))
    return np.concatenate(found)


def assert_covers(n, intervals, p):
    """Require the coverage of 95%, and that each limit is on the wrong side with 2.5% at most."""
    wrong = missed(n, intervals, p)
    assert wrong.max() <= 0.025 + SUMMATION
    assert wrong.sum(axis=1).max() <= 0.05 + SUMMATION


@pytest.mark.parametrize("n", SIZES)
def test_coverage_is_never_below_its_level(n):
    """Enumeration over a grid of cells, and over cells that were searched for because coverage is low there."""
    intervals = all_intervals(n)
    assert_covers(n, intervals, many_cells())
    assert_covers(n, intervals, adversarial_cells(n, intervals))


@pytest.mark.parametrize("n", [5, 10])
def test_coverage_is_not_far_above_its_level_everywhere(n):
    """At the worst cells each limit is missed with almost 2.5%: the limits cannot be moved."""
    intervals = all_intervals(n)
    worst = missed(n, intervals, adversarial_cells(n, intervals)).max(axis=0)
    assert (worst > 0.0245).all()


@pytest.mark.parametrize("n", [5, 10])
@pytest.mark.parametrize("inwards", [(0.02, 0.0), (0.0, -0.02)])
def test_limits_that_are_moved_inwards_do_not_cover(n, inwards):
    """The check of coverage fails for each limit if it is moved by 0.02."""
    intervals = all_intervals(n) + np.where(abs(all_intervals(n)) < 1, inwards, 0)
    with pytest.raises(AssertionError):
        assert_covers(n, intervals, adversarial_cells(n, intervals))


def test_the_usual_interval_does_not_cover():
    """The check of coverage fails for the delta method, with or without a subject added to each cell."""
    for added in (0, 1):
        cells = np.array(tables_of(10)).T + added
        with np.errstate(invalid="ignore", divide="ignore"):
            intervals = np.stack([_delta_limit(side, *cells) for side in SIDES], axis=1)
        intervals = np.where(np.isnan(intervals), [-1, 1], intervals)
        with pytest.raises(AssertionError):
            assert_covers(10, intervals, many_cells())


def exact_limit(table, side, tail=0.025):
    """Return the limit by definition: the extreme kappa over cells, from a dense grid that is refined."""
    n, rank = sum(table), rank_of(table, side)
    ranks = np.array([rank_of(other, side) for other in tables_of(n)])
    beyond = ranks >= rank if side < 0 else ranks <= rank

    def extremes(m, e):
        """Return side times the extreme kappa with too large a tail, by bisection of s."""
        inside, outside = (e / 2, m) if side < 0 else (m, e / 2)

        def too_large(s):
            p = np.maximum(np.stack([m - s, s + e / 2, s - e / 2, 1 - m - s], axis=1), 0)
            return (probabilities(n, p) * beyond).sum(axis=1) > tail

        some, all_of_them = too_large(inside), too_large(outside)
        inside = np.where(all_of_them, outside, inside)
        for _ in range(40):
            middle = (inside + outside) / 2
            yes = too_large(middle)
            inside, outside = np.where(yes, middle, inside), np.where(yes, outside, middle)
        kappa = 1 - inside / (m * (1 - m) + e * e / 4)
        return np.where(some | all_of_them, side * kappa, -np.inf)

    m, share = (x.ravel() for x in np.meshgrid(0.5 * np.linspace(0.02, 1, 40) ** 2, np.linspace(0, 1, 21)))
    best, width = -np.inf, np.array([0.05, 0.1])
    for _ in range(9):  # ever finer grids around the best point so far
        values = extremes(m, 2 * m * share)
        j = int(np.argmax(values))
        if values[j] > best:
            best, centre = values[j], (m[j], share[j])
        if not np.isfinite(best):
            break
        m, share = (
            x.ravel()
            for x in np.meshgrid(*(c + w * np.linspace(-1, 1, 15) for c, w in zip(centre, width, strict=True)))
        )
        m, share, width = np.clip(m, 1e-9, 0.5), np.clip(share, 0, 1), width / 3
    return side * best


@pytest.mark.parametrize("table", [(1, 0, 0, 0), (0, 1, 0, 0)])
def test_one_subject_says_nothing(table):
    """The whole range is left."""
    assert interval(table) == (-1.0, 1.0)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_limits_are_those_of_a_dense_grid_within_the_slack(n):
    """Brute force over cells finds no kappa beyond a limit, and one within the slack of it."""
    grid_step = 2**-20
    for side in SIDES:
        one_of_each = {rank_of(table, side): table for table in tables_of(n) if n not in (table[0], table[3])}
        for table in one_of_each.values():
            limit, brute = interval(table)[side > 0], exact_limit(table, side)
            if not np.isfinite(brute):  # no cells have a tail that is too large
                continue
            outwards = side * (limit - brute)
            assert -1e-9 <= outwards <= SLACK + grid_step + 1e-4 or limit == kappa_of(np.array(table) / n)


@settings(max_examples=300)
@given(st.data())
def test_a_box_that_is_discarded_has_no_tail_that_is_too_large(data):
    """Points inside boxes of any size and at their corners have no larger tail than the bound of the box allows."""
    n, side = data.draw(st.integers(1, 9)), data.draw(st.sampled_from(SIDES))
    rank = data.draw(st.integers(0, int(_ranks(n, side).max())))
    tail, kappa = data.draw(st.floats(0.001, 0.9)), data.draw(st.floats(-0.99, 0.99))
    m, e = data.draw(st.floats(0, 0.499)), data.draw(st.floats(0, 0.98))
    width = data.draw(st.floats(-4, 0).map(lambda power: 10**power))
    box = np.array([m, min(m + width, 0.5), e, min(e + 2 * width, 1)])
    left = _search(n, rank, side, tail, SLACK)._undecided(box[None], 1 - kappa)
    if left is None or len(left):
        return
    share = np.random.default_rng(1).random((200, 2))
    share[:9] = [(x, y) for x in (0, 0.5, 1) for y in (0, 0.5, 1)]
    m, e = box[0] + share[:, 0] * (box[1] - box[0]), box[2] + share[:, 1] * (box[3] - box[2])
    t = (1 - kappa) * (m * (1 - m) + e * e / 4)
    exists = (e <= 2 * m) & (m > 0) & ((t <= m) if side < 0 else (t >= e / 2))
    s = np.maximum(t, e / 2) if side < 0 else np.minimum(t, m)
    p = np.maximum(np.stack([m - s, s + e / 2, s - e / 2, 1 - m - s], axis=1), 0)[exists]
    ranks = np.array([rank_of(table, side) for table in tables_of(n)])
    beyond = ranks >= rank if side < 0 else ranks <= rank
    assert ((probabilities(n, p) * beyond).sum(axis=1) <= tail + SUMMATION).all()


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4), st.floats(0, 0.3), st.sampled_from(SIDES))
def test_dominating_cells_have_all_agreement_or_all_disagreement_within_bounds(sizes, width, side):
    """For the lower limit cells of agreement are not below their bounds and the others not above; or vice versa."""
    centre = (np.array(sizes) + 0.01) / (sum(sizes) + 0.04)
    low, high = np.maximum(centre - width, 0)[None], np.minimum(centre + width, 1)[None]
    (cells,) = _dominating_cells(low, high, side)
    outer = -side * np.array([1, -1, -1, 1])
    if np.isnan(cells).any():
        assert np.where(outer > 0, high, low).sum() > 1
    else:
        assert cells.sum() == pytest.approx(1, abs=1e-15)
        assert (outer * (cells - np.where(outer > 0, high, low)) >= -1e-15).all()


def test_a_smaller_slack_moves_limits_by_the_slack_at_most():
    """The guarantee does not depend on the slack; the limits do."""
    for table in [(9, 2, 1, 8), (14, 1, 2, 3), (3, 7, 7, 3)]:
        fine, coarse = interval(table, slack=1e-5), interval(table, slack=0.02)
        assert coarse[0] <= fine[0] <= coarse[0] + 0.02 + 1e-6
        assert coarse[1] - 0.02 - 1e-6 <= fine[1] <= coarse[1]


@pytest.mark.parametrize("n", [1, 2, 3, 8, 15])
def test_tables_above_a_rank_are_closed(n):
    """Moving a subject from disagreement to agreement never lowers the rank, and ranks rise and fall once along a."""
    for side in SIDES:
        for a, b, c, d in tables_of(n):
            rank = rank_of((a, b, c, d), side)
            if b:
                assert rank <= min(rank_of((a + 1, b - 1, c, d), side), rank_of((a, b - 1, c, d + 1), side))
            if c:
                assert rank <= min(rank_of((a + 1, b, c - 1, d), side), rank_of((a, b, c - 1, d + 1), side))
        for b in range(n + 1):
            for c in range(n + 1 - b):
                along = _ranks(n, side)[b, c, : n + 1 - b - c]
                steps = np.diff(along)
                rises, falls = np.flatnonzero(steps > 0), np.flatnonzero(steps < 0)
                assert not len(rises) or not len(falls) or rises.max() < falls.min()


@pytest.mark.parametrize("n", [5, 10])
def test_limits_follow_the_ranks(n):
    """A table of a higher rank has no lower limits, up to the slack."""
    for side in SIDES:
        listed = [table for table in tables_of(n) if n not in (table[0], table[3])]
        listed.sort(key=lambda table: rank_of(table, side))
        limits = np.array([interval(table)[side > 0] for table in listed])
        values = np.array([kappa_of(np.array(table) / n) for table in listed])
        limits = limits[limits != values]  # limits that were moved to kappa of the table
        assert (limits >= np.maximum.accumulate(limits) - SLACK - 2**-20).all()


@pytest.mark.parametrize("n", [2, 5, 8, 10])
def test_the_interval_contains_kappa_of_the_table(n):
    """Limits are within -1 and 1, and kappa is between them; where it is undefined, the whole range is left."""
    for table, (low, high) in zip(tables_of(n), all_intervals(n), strict=True):
        if n in (table[0], table[3]):
            assert (low, high) == (-1, 1)
        else:
            assert -1 <= low <= kappa_of(np.array(table) / n) + 1e-15
            assert kappa_of(np.array(table) / n) - 1e-15 <= high <= 1
            assert low < high


def some_tables(most):
    return st.tuples(*[st.integers(0, most // 4)] * 4).filter(lambda table: sum(table) > 0)


@settings(max_examples=30)
@given(some_tables(24))
def test_swapping_raters_or_categories_changes_nothing(table):
    """The limits are equal to the last digit."""
    a, b, c, d = table
    assert interval(table) == interval((a, c, b, d)) == interval((d, c, b, a)) == interval((d, b, c, a))


@settings(max_examples=20)
@given(some_tables(24), st.sampled_from([(0.5, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, 0.9999), (0.9999, 0.999999)]))
def test_intervals_are_nested_in_the_level(table, levels):
    """The interval of the larger level contains the other one, up to the slack."""
    (low, high), (lower, higher) = (interval(table, level=level) for level in levels)
    assert lower <= low + SLACK + 2**-20
    assert higher >= high - SLACK - 2**-20


def test_perfect_agreement_has_a_limit_near_the_rule_of_three():
    """With 60 balanced subjects, disagreement of 6% is possible: 0.94^60 is 0.024, and 1 - 0.06 / 0.5 is 0.88."""
    low, high = interval((30, 0, 0, 30))
    assert high == 1
    assert low == pytest.approx(0.88, abs=0.01)


def test_the_largest_number_of_subjects_is_supported():
    """Intervals become shorter with the number of subjects."""
    widths = [np.diff(interval((4 * k, k, k, 4 * k)))[0] for k in (1, 3, MOST_SUBJECTS // 10)]
    assert widths[0] > widths[1] > widths[2]
    assert widths[2] < 0.4


def test_the_largest_level_is_supported():
    """It gives a wide interval."""
    low, high = interval((9, 2, 1, 8), level=LARGEST_LEVEL)
    assert low < -0.2
    assert high > 0.99


@pytest.mark.parametrize(
    ("counts", "options", "error", "match"),
    [
        ([[1, 2, 3], [1, 2, 3], [1, 2, 3]], {}, InvalidTableError, r"2 rows and 2 columns; got shape \(3, 3\)"),
        ([1, 2, 3, 4], {}, InvalidTableError, r"2 rows and 2 columns; got shape \(4,\)"),
        ([[1, 2], [3]], {}, InvalidTableError, "rows have different lengths"),
        ([[1, -2], [3, 4]], {}, InvalidTableError, r"cell \(1, 2\) is -2"),
        ([[1.5, 2], [3, 4]], {}, InvalidTableError, r"cell \(1, 1\) is 1.5"),
        ([["a", 2], [3, 4]], {}, InvalidTableError, "whole numbers"),
        ([[0, 0], [0, 0]], {}, InvalidRatingsError, "there is no subject to compare"),
        ([[50, 1], [0, 50]], {}, NotSupportedError, "at most 100 subjects; got 101"),
        ([[10**12, 1], [0, 50]], {}, NotSupportedError, "at most 100 subjects; got 1,000,000,000,051"),
        ([[5, 1], [0, 5]], {"level": 1}, InvalidOptionError, "level must lie between 0 and 1; got 1"),
        ([[5, 1], [0, 5]], {"level": float("nan")}, InvalidOptionError, "level must lie between 0 and 1; got nan"),
        ([[5, 1], [0, 5]], {"level": 0.9999999}, NotSupportedError, "levels up to 0.999999; got 0.9999999"),
        ([[5, 1], [0, 5]], {"slack": 0}, InvalidOptionError, "slack must be from 1e-05 to 0.1; got 0"),
        ([[5, 1], [0, 5]], {"slack": 0.2}, InvalidOptionError, "slack must be from 1e-05 to 0.1; got 0.2"),
        ([[5, 1], [0, 5]], {"slack": "a"}, InvalidOptionError, "slack must be a finite number; got 'a'"),
    ],
)
def test_other_input_is_refused(counts, options, error, match):
    """The message names the rule and what came."""
    with pytest.raises(error, match=match):
        exact_interval(counts, **options)


def test_counts_may_be_of_any_type():
    """Arrays of small integers and whole doubles give the same interval."""
    expected = exact_interval([[5, 1], [0, 5]])
    assert exact_interval(np.array([[5, 1], [0, 5]], dtype=np.int8)) == expected
    assert exact_interval(np.array([[5.0, 1.0], [0.0, 5.0]])) == expected
