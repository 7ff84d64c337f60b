"""Draw hypergeometric random numbers for populations of any size.

numpy supports fewer than 10^9 good and bad items. For larger populations this module uses the same method, the ratio of
uniforms (Stadlober 1990), with two changes that preserve precision: numbers are counted from the mode, and
probabilities are compared by the logarithm of their ratio, which is computed such that the large terms of the four
factorials cancel.
"""

from __future__ import annotations

import numpy as np

from kappamax._typing import Array, Floats, Integers
from kappamax.fibers.log_factorials import log_growth

_NUMPY_LIMIT = 1_000_000_000
_HAT_WIDTH = 2 * (2 / np.e) ** 0.5
_HAT_EXTRA = 3 - 2 * (3 / np.e) ** 0.5


def hypergeometric(good: Integers, bad: Integers, n_drawn: Integers, rng: np.random.Generator) -> Integers:
    """Draw the number of good items in samples without replacement, one number for each entry of the arrays.

    Parameters
    ----------
    good, bad : int64 arrays
        Numbers of good and of bad items. Their sums must be below 2^62.
    n_drawn : int64 array of the same shape
        Sample sizes.
    rng : Generator
        Source of randomness.

    Returns
    -------
    int64 array of the same shape
    """
    large = (good >= _NUMPY_LIMIT) | (bad >= _NUMPY_LIMIT)
    if not large.any():
        return rng.hypergeometric(good, bad, n_drawn)
    found = np.empty_like(good)
    found[~large] = rng.hypergeometric(good[~large], bad[~large], n_drawn[~large])
    found[large] = _by_rejection(good[large], bad[large], n_drawn[large], rng)
    return found


def _by_rejection(good: Integers, bad: Integers, n_drawn: Integers, rng: np.random.Generator) -> Integers:
    """Draw hypergeometric numbers by the ratio of uniforms, for one-dimensional arrays."""
    total = good + bad
    # by symmetry there are at most as many good items as bad ones, and at most half of all items are drawn
    rare, common = np.minimum(good, bad), np.maximum(good, bad)
    drawn = np.minimum(n_drawn, total - n_drawn)
    most = np.minimum(drawn, rare)
    mean = drawn * (rare / total)
    spread = np.sqrt(mean * (common / total) * ((total - drawn) / np.maximum(total - 1, 1)) + 0.5)
    mode = np.minimum(np.floor((drawn + 1.0) * ((rare + 1.0) / (total + 2.0))).astype(np.int64), most)
    middle = np.clip(mean - mode, -1, 1) + 0.5  # relative to the mode, since large doubles are more than 1 apart
    width = _HAT_WIDTH * spread + _HAT_EXTRA + 1  # wider by 1 than necessary, since the middle may be off by a half
    found = np.zeros_like(good)
    waiting = np.flatnonzero(most > 0)
    while len(waiting):
        u, v = 1 - rng.random(len(waiting)), rng.random(len(waiting))
        steps = np.floor(middle[waiting] + width[waiting] * (v - 0.5) / u)
        inside = (steps >= -mode[waiting]) & (steps <= (most - mode)[waiting])
        at = waiting[inside]
        ratio = log_ratio(rare[at], common[at], drawn[at], mode[at], steps[inside])
        accepted = np.zeros(len(waiting), dtype=bool)
        accepted[inside] = 2 * np.log(u[inside]) <= ratio
        done = waiting[accepted]
        found[done] = mode[done] + steps[accepted].astype(np.int64)
        waiting = waiting[~accepted]
    found = np.where(good > bad, drawn - found, found)
    return np.where(n_drawn > total - n_drawn, good - found, found)


def log_ratio(good: Integers, bad: Integers, n_drawn: Integers, start: Integers, steps: Array) -> Floats:
    """Return the logarithm of P(start + steps) / P(start), where both numbers have positive probability.

    P(x) is proportional to 1 / (x! (good - x)! (n_drawn - x)! (bad - n_drawn + x)!).
    """
    total = np.zeros(len(steps))
    cancelling = np.ones(len(steps))
    for sign, counts in ((1, start), (-1, good - start), (-1, n_drawn - start), (1, bad - n_drawn + start)):
        rest, base = log_growth(counts, sign * steps)
        total += rest
        cancelling *= base if sign > 0 else 1 / base
    return np.asarray(-(total + steps * np.log(cancelling)))
