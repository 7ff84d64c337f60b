"""Subjects' ratings and random numbers in, the ratings after many swaps out, at a cost that hardly grows with raters.

The walk of `swaps` for one weighting of all pairs of raters and no held score. Kept for every subject is what
each category would meet there: G[e, q] = sum over its ratings x of u(q, x). A subject whose category counts change by
d has its disagreement changed by d'G + d'Ud / 2, so a swap by one rater is judged in O(1) and made in O(k).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["LARGEST_CONTACTS", "contacts_of", "contacts_walk"]

Array = npt.NDArray[Any]

LARGEST_CONTACTS = 100_000_000
_CHUNK = 65_536
_NEVER = -746.0  # where exp() is zero


def contacts_of(codes: Array, costs: Array) -> Array:
    """What each category would meet at each subject, shape (n_subjects, k, n_components).

    Parameters
    ----------
    codes : integers, shape (n_subjects, n_raters)
        -1 is missing and meets nothing.
    costs : int64 or float64, shape (n_components, k, k)
    """
    n_parts, k, _ = costs.shape
    padded = np.zeros((k + 1, k, n_parts), dtype=costs.dtype)
    padded[:k] = np.moveaxis(costs, 0, 2)
    contacts = np.empty((len(codes), k, n_parts), dtype=costs.dtype)
    for start in range(0, len(codes), _CHUNK):
        part = contacts[start : start + _CHUNK]
        part[:] = 0
        for column in codes[start : start + _CHUNK].T:
            part += padded[column]
    return contacts


def contacts_walk(
    codes: Array,
    contacts: Array,
    costs: Array,
    factors: Array,
    tilts: Array,
    slack: float,
    score: Array,
    single: int,
    words: Array,
    uniforms: Array,
    coldness: Array,
    patience: int,
    by_score: bool,
    stale: int,
    before: int,
    thin: int,
    trace: Array,
) -> Any:
    """Steps of one swap each until words, uniforms or patience run out; compiled by numba for long walks.

    Two random words choose a swap: 31 bits each for the two subjects; then 11 bits say whether one rater swaps (below
    `single`) or a set, and 51 others which. A uniform is used only where a change lowers agreement.
    """
    n_subjects, r = codes.shape
    n_parts, k = len(score), costs.shape[1]
    change = np.zeros_like(score)
    gained = np.zeros(k, dtype=np.int64)
    changed, taken, used = 0, 0, 0
    due = thin - before % thin
    for step in range(len(words)):
        where, which = words[step, 0], words[step, 1]
        a = np.uint64((((where >> 32) & 0x7FFFFFFF) * n_subjects) >> 31)  # unsigned: no index counts from the end
        b = np.uint64(((where & 0x7FFFFFFF) * n_subjects) >> 31)
        one = ((which >> 52) & 0x7FF) < single
        rater = np.uint64(((which & 0x7FFFFFFF) * r) >> 31)
        bits = which & 0x7FFFFFFFFFFFF
        inside, rise = False, 0.0
        x, y = codes[a, rater], codes[b, rater]
        if one:
            inside = x != y and x >= 0 and y >= 0
            if inside:
                for c in range(n_parts):
                    met = costs[c, x, y]
                    change[c] = factors[a] * (contacts[a, y, c] - contacts[a, x, c] - met)
                    change[c] += factors[b] * (contacts[b, x, c] - contacts[b, y, c] - met)
                    if abs(change[c]) <= slack:  # rounding of doubles; integers have no slack
                        change[c] = 0
                    rise += tilts[c] * change[c]
        else:
            gained[:] = 0
            change[:] = 0
            for s in range(r):
                if (bits >> s) & 1 == 1 and codes[a, s] >= 0 and codes[b, s] >= 0 and codes[a, s] != codes[b, s]:
                    inside = True
                    gained[codes[b, s]] += 1
                    gained[codes[a, s]] -= 1
            if inside:
                for q in range(k):
                    if gained[q] != 0:
                        for c in range(n_parts):
                            among = 0 * costs[c, q, q]  # of the costs' type
                            for p in range(q):
                                among += gained[p] * costs[c, p, q]
                            change[c] += gained[q] * factors[a] * (contacts[a, q, c] + among)
                            change[c] -= gained[q] * factors[b] * (contacts[b, q, c] - among)
                for c in range(n_parts):
                    if abs(change[c]) <= slack:
                        change[c] = 0
                    rise += tilts[c] * change[c]
        moved = False
        if inside:
            exponent = -coldness[step] * rise
            accepted = exponent >= 0.0
            if exponent < 0.0 and exponent > _NEVER:
                if used == len(uniforms):
                    break
                accepted = uniforms[used] < math.exp(exponent)
                used += 1
            if accepted:
                for s in range(r):  # the table changes if another rater tells the two subjects apart
                    swapped = s == rater if one else (bits >> s) & 1 == 1 and codes[a, s] >= 0 and codes[b, s] >= 0
                    if codes[a, s] != codes[b, s] and not swapped:
                        changed += 1
                        moved = not by_score
                        break
                if one:
                    codes[a, rater], codes[b, rater] = y, x
                    for q in range(k):
                        for c in range(n_parts):
                            more = costs[c, q, y] - costs[c, q, x]
                            contacts[a, q, c] += more
                            contacts[b, q, c] -= more
                else:
                    for s in range(r):
                        if (bits >> s) & 1 == 1 and codes[a, s] >= 0 and codes[b, s] >= 0:
                            codes[a, s], codes[b, s] = codes[b, s], codes[a, s]
                    for p in range(k):
                        if gained[p] != 0:
                            for q in range(k):
                                for c in range(n_parts):
                                    contacts[a, q, c] += gained[p] * costs[c, q, p]
                                    contacts[b, q, c] -= gained[p] * costs[c, q, p]
                for c in range(n_parts):
                    score[c] += change[c]
                    moved = moved or change[c] != 0
        stale = 0 if moved else stale + 1
        taken += 1
        due -= 1
        if due == 0:
            trace[(taken + before) // thin - 1] = score
            due = thin
        if patience > 0 and stale >= patience:
            break
    return taken, changed, used, stale
