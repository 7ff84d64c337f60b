"""Take the steps of a walk by swaps, in a kernel that numba compiles for long walks.

`swap_walk` defines swaps and contacts and prepares the arrays of the kernel.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kappamax._tolerances import EXP_UNDERFLOW
from kappamax._typing import Array, Integers


class SwapState(NamedTuple):
    """Arrays of a walk, grouped as one argument of the compiled kernel.

    Attributes
    ----------
    codes : int64, shape (n_subjects, r)
        Current ratings; -1 is a missing rating.
    slots, costs, worth : arrays
        See `SwapCosts`.
    factors : same type as `costs`, shape (n_subjects, n_components)
        Factors by which the costs of each subject are multiplied.
    score : same type as `costs`, shape (n_components,)
        Change of each component of the score since the start of the walk.
    """

    codes: Array
    slots: Array
    costs: Array
    factors: Array
    worth: Array
    score: Array


class PatternCounts(NamedTuple):
    """Counts of all possible patterns, and the pattern of each subject.

    Attributes
    ----------
    cells : integers, shape (n_subjects,)
        Index of the pattern of each subject.
    strides : integers, shape (r,)
        Difference of the index per category of each rater.
    counts : integers, shape (number of patterns,)
        Number of subjects with each pattern.
    """

    cells: Integers
    strides: Integers
    counts: Integers

    @classmethod
    def of(cls, codes: Integers, n_categories: int) -> PatternCounts:
        """Count the patterns of given ratings, where a missing rating is an additional category."""
        base = n_categories + bool((codes < 0).any())
        strides = base ** np.arange(codes.shape[1], dtype=np.int64)[::-1]
        cells = (codes % base) @ strides
        return cls(cells, strides, np.bincount(cells, minlength=int(base ** codes.shape[1])))


class SwapRules(NamedTuple):
    """Settings of a walk.

    Attributes
    ----------
    single : int
        Number of swaps, out of 2^11 on average, that involve a single rater.
    uniform : bool
        Whether the target distribution is uniform over tables.
    slack : float
        Largest absolute change of the score that counts as zero.
    patience, by_score, thin
        See `SwapWalk.advance`.
    """

    single: int
    uniform: bool
    slack: float
    patience: int
    by_score: bool
    thin: int


def swap_steps(
    state: SwapState,
    contacts: Array | None,
    pattern_counts: PatternCounts | None,
    moduli: Array | None,
    rules: SwapRules,
    words: Array,
    uniforms: Array,
    coldness: Array,
    stale: int,
    before: int,
    trace: Array,
    snapshots: Array,
) -> Any:
    """Take steps until `words`, `uniforms` or the patience is exhausted.

    A step is one swap or, if a score is held, an excursion of several swaps. Two random words determine a swap. The
    first gives the two subjects, by 31 bits each. In the second, 11 bits determine whether one rater swaps (if they are
    below `single`) or a set of raters, and 51 bits which. A uniform number is used only if a step makes the table less
    likely.

    Numba compiles one variant for each combination of `contacts`, `pattern_counts` and `moduli` that are None, without
    the code that needs them.
    """
    codes, slots, costs, factors, worth, score = state
    n_subjects, r = codes.shape
    n_slots, n_components = costs.shape[1:]
    excursion = words.shape[1]
    zero = 0 * score[0]  # has the type of the costs
    change = np.zeros_like(score)
    gained = np.zeros(n_slots, dtype=np.int64)  # ratings that the first subject gains and the second loses
    touched = np.zeros(n_slots, dtype=np.int64)  # slots in which ratings are gained or lost
    near = np.zeros((2, n_slots, n_components), dtype=costs.dtype) if contacts is None else contacts
    if pattern_counts is not None:
        cells, strides, counts = pattern_counts
    swapped = np.zeros((excursion, 2), dtype=np.uint64)
    rows = np.zeros((excursion, 2, r), dtype=np.int64)
    places = np.zeros((excursion, 2), dtype=np.int64)
    taken, changed, used = 0, 0, 0
    due = rules.thin - before % rules.thin
    for step in range(len(words)):
        if used == len(uniforms):
            break
        made, last, accepted, differs, moved = 0, False, False, False, False
        log_ratio = 0.0
        if moduli is not None:
            change[:] = 0
        while not last:
            where, which = words[step, made, 0], words[step, made, 1]
            a = np.uint64((((where >> 32) & 0x7FFFFFFF) * n_subjects) >> 31)  # numba checks signed indices for < 0
            b = np.uint64(((where & 0x7FFFFFFF) * n_subjects) >> 31)
            one = ((which >> 52) & 0x7FF) < rules.single
            rater = np.uint64(((which & 0x7FFFFFFF) * r) >> 31)
            bits = which & 0x7FFFFFFFFFFFF
            made += 1
            x, y = codes[a, rater], codes[b, rater]
            lost, won = x, y
            if contacts is None:  # if contacts are stored, slots are categories
                lost, won = slots[rater] + x, slots[rater] + y
            inside = one and x != y and x >= 0 and y >= 0  # whether ratings that are swapped differ
            n_touched = 0
            if not one:
                gained[:] = 0
                for s in range(r):
                    if (bits >> s) & 1 == 1 and codes[a, s] != codes[b, s] and codes[a, s] >= 0 and codes[b, s] >= 0:
                        inside = True
                        gained[slots[s] + codes[a, s]] -= 1
                        gained[slots[s] + codes[b, s]] += 1
                for p in range(n_slots):
                    if gained[p] != 0:
                        touched[n_touched] = p
                        n_touched += 1
            i, j = a, b
            if contacts is None:
                i, j = np.uint64(0), np.uint64(1)
                if one and inside:
                    touched[0], touched[1], n_touched = lost, won, 2
                for n in range(n_touched):
                    for c in range(n_components):
                        first, second = zero, zero
                        for t in range(r):
                            if codes[a, t] >= 0:
                                first += costs[touched[n], slots[t] + codes[a, t], c]
                            if codes[b, t] >= 0:
                                second += costs[touched[n], slots[t] + codes[b, t], c]
                        near[0, touched[n], c], near[1, touched[n], c] = first, second
            rise = 0.0
            if inside:  # the disagreement of the two subjects changes by d'G + d'Ud / 2 each
                for c in range(n_components):
                    if one:
                        first, second = near[i, won, c] - near[i, lost, c], near[j, won, c] - near[j, lost, c]
                        among = -costs[lost, won, c]
                    else:
                        first, second, among = zero, zero, zero
                        for n in range(n_touched):
                            p = touched[n]
                            first += gained[p] * near[i, p, c]
                            second += gained[p] * near[j, p, c]
                            for m in range(n):
                                among += gained[p] * gained[touched[m]] * costs[p, touched[m], c]
                    more = factors[a, c] * (first + among) + factors[b, c] * (among - second)
                    if moduli is not None:
                        more += change[c]
                    if abs(more) <= rules.slack:  # rounding error of doubles; the slack of integers is 0
                        more = zero
                    change[c] = more
                    rise += worth[c] * more
            if pattern_counts is not None:
                here, there = cells[a], cells[b]
                to, back = here, there
                for s in range(r):
                    if (s == rater if one else (bits >> s) & 1 == 1) and codes[a, s] >= 0 and codes[b, s] >= 0:
                        to += (codes[b, s] - codes[a, s]) * strides[s]
                        back -= (codes[b, s] - codes[a, s]) * strides[s]
                if rules.uniform and to != here and to != there:
                    log_ratio += math.log(counts[to] + 1) + math.log(counts[back] + 1 + (to == back))
                    log_ratio -= math.log(counts[here]) + math.log(counts[there] - (here == there))
            home, last = True, True
            if moduli is not None:
                for c in range(len(moduli)):
                    home = home and change[n_components - len(moduli) + c] % moduli[c] == 0
                last = home or made == excursion
            if home and inside:
                exponent = log_ratio - coldness[step] * rise
                accepted = exponent >= 0.0
                if exponent < 0.0 and exponent > EXP_UNDERFLOW:
                    accepted = uniforms[used] < math.exp(exponent)
                    used += 1
            if moduli is not None and not last:
                swapped[made - 1, 0], swapped[made - 1, 1] = a, b
                rows[made - 1, 0], rows[made - 1, 1] = codes[a], codes[b]
                if pattern_counts is not None:
                    places[made - 1, 0], places[made - 1, 1] = here, there
            if accepted or (inside and not last):
                for s in range(r):  # the table changes only if the subjects also differ on a rater that does not swap
                    chosen = s == rater if one else (bits >> s) & 1 == 1 and codes[a, s] >= 0 and codes[b, s] >= 0
                    if codes[a, s] != codes[b, s] and not chosen:
                        differs = True
                        break
                if one:
                    codes[a, rater], codes[b, rater] = y, x
                else:
                    for s in range(r):
                        if (bits >> s) & 1 == 1 and codes[a, s] >= 0 and codes[b, s] >= 0:
                            codes[a, s], codes[b, s] = codes[b, s], codes[a, s]
                if pattern_counts is not None:
                    counts[here] -= 1
                    counts[there] -= 1
                    counts[to] += 1
                    counts[back] += 1
                    cells[a], cells[b] = to, back
                if contacts is not None:
                    if one:
                        for q in range(n_slots):
                            for c in range(n_components):
                                more = costs[q, won, c] - costs[q, lost, c]
                                contacts[a, q, c] += more
                                contacts[b, q, c] -= more
                    else:
                        for n in range(n_touched):
                            p = touched[n]
                            for q in range(n_slots):
                                for c in range(n_components):
                                    more = gained[p] * costs[q, p, c]
                                    contacts[a, q, c] += more
                                    contacts[b, q, c] -= more
                if accepted:
                    changed += differs
                    moved = differs and not rules.by_score
                    for c in range(n_components):
                        score[c] += change[c]
                        moved = moved or change[c] != 0
            elif moduli is not None and last:  # undo the swaps before this one
                for swap in range(made - 2, -1, -1):
                    for side in range(2):
                        e = swapped[swap, side]
                        codes[e] = rows[swap, side]
                        if pattern_counts is not None:
                            counts[cells[e]] -= 1
                            counts[places[swap, side]] += 1
                            cells[e] = places[swap, side]
        stale = 0 if moved else stale + 1
        taken += 1
        due -= 1
        if due == 0:
            due = rules.thin
            trace[(before + taken) // rules.thin - 1] = score
            if pattern_counts is not None and len(snapshots) > 0:
                snapshots[(before + taken) // rules.thin - 1] = counts
        if rules.patience > 0 and stale >= rules.patience:
            break
    return taken, changed, used, stale
