"""Loops of the recursion over subjects, which numba compiles.

A joint state of several raters is an index in a mixed radix, whose digits are the indices of the raters' states. Every
function processes the states, or groups of states, from `start` to `stop`, so that several threads can share the work.
"""

from __future__ import annotations

import numpy as np

from kappamax._typing import Array


def extend_ranges(
    start: int,
    stop: int,
    sizes: Array,
    sizes_before: Array,
    uses: Array,
    sources: Array,
    patterns: Array,
    costs: Array,
    lows_before: Array,
    highs_before: Array,
    lows: Array,
    highs: Array,
) -> None:
    """Find the smallest and the largest total cost in each state after one more subject."""
    n_raters = len(sizes)
    at = np.empty(n_raters, dtype=np.int64)
    for x in range(start, stop):
        rest = x
        for a in range(n_raters - 1, -1, -1):
            at[a] = rest % sizes[a]
            rest //= sizes[a]
        found = False
        for i in range(len(patterns)):
            source = 0
            for a in range(n_raters):
                own = sources[a, at[a], patterns[i, a]]
                if own < 0:
                    source = -1
                    break
                source = source * sizes_before[a] + own
            if source >= 0:
                low, high = lows_before[source] + costs[i], highs_before[source] + costs[i]
                lows[x] = min(lows[x], low) if found else low
                highs[x] = max(highs[x], high) if found else high
                found = True


def extend(
    start: int,
    stop: int,
    sizes: Array,
    sizes_before: Array,
    uses: Array,
    sources: Array,
    placed: int,
    patterns: Array,
    costs: Array,
    lows_before: Array,
    starts_before: Array,
    ways_before: Array,
    lows: Array,
    starts: Array,
    ways: Array,
) -> None:
    """Compute the distribution of the total cost, given each state, after one more subject.

    The probability that the subject has pattern i, given the state, is the product of u / placed over the raters, where
    u is the rater's use of its category in the pattern.
    """
    n_raters = len(sizes)
    at = np.empty(n_raters, dtype=np.int64)
    for x in range(start, stop):
        rest = x
        for a in range(n_raters - 1, -1, -1):
            at[a] = rest % sizes[a]
            rest //= sizes[a]
        own_ways = ways[starts[x] : starts[x + 1]]
        own_ways[:] = 0.0
        for i in range(len(patterns)):
            source = 0
            chance = 1.0
            for a in range(n_raters):
                own = sources[a, at[a], patterns[i, a]]
                if own < 0:
                    source = -1
                    break
                source = source * sizes_before[a] + own
                chance *= uses[a, at[a], patterns[i, a]] / placed
            if source >= 0:
                added = ways_before[starts_before[source] : starts_before[source + 1]]
                first = lows_before[source] + costs[i] - lows[x]
                into = own_ways[first : first + len(added)]
                for p in range(len(added)):
                    into[p] += chance * added[p]


def meet(
    start: int,
    stop: int,
    first_lows: Array,
    first_starts: Array,
    first_ways: Array,
    last_lows: Array,
    last_starts: Array,
    last_ways: Array,
    chances: Array,
    smallest: int,
    group: int,
    found: Array,
) -> None:
    """Add up the distribution of the total cost over the states of the layer in which two parts meet, by groups.

    The state of the last subjects that belongs to state x of the first subjects is x counted from the end, because the
    uses of the categories in both states add up to the margins, and states are indexed in lexicographic order.
    """
    n = len(chances)
    sums = np.empty(found.shape[1])
    for g in range(start, stop):
        for x in range(g * group, min(n, (g + 1) * group)):
            z = n - 1 - x
            one = first_ways[first_starts[x] : first_starts[x + 1]]
            other = last_ways[last_starts[z] : last_starts[z + 1]]
            if len(one) > len(other):
                one, other = other, one
            own = sums[: len(one) + len(other) - 1]
            own[:] = 0.0
            for p in range(len(one)):
                if one[p] == 0.0:  # no way to reach this total; with several components, this is true of most totals
                    continue
                factor = chances[x] * one[p]
                into = own[p : p + len(other)]
                for q in range(len(other)):
                    into[q] += factor * other[q]
            first = first_lows[x] + last_lows[z] - smallest
            into = found[g, first : first + len(own)]
            for p in range(len(own)):
                into[p] += own[p]
