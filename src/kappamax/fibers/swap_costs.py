"""Provide what swaps of ratings are judged by, in numbers that the compiled walks can add without overflow.

A walk follows an objective's score in 64-bit integers where the score of every table fits, and in doubles otherwise. A
score that must stay as it is has to be followed exactly in either case: where it does not fit, its remainders modulo
several coprime numbers are followed instead, since a change is zero exactly when all of them divide it.
"""

from __future__ import annotations

from math import isqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._integers import coprime, magnitude
from kappamax.disagreement.objective import Objective
from kappamax.weights import Weights

__all__ = ["SwapCosts", "costs_of", "held_costs_of"]

Array = npt.NDArray[Any]
_Found = list[tuple[Any, Any, Array]]

_SAFE = 2**60
_EXACT_DOUBLES = 2**52  # whole numbers up to here are exact in doubles too
_NEAR = 1e-12


class SwapCosts(NamedTuple):
    """What two raters' ratings on one subject cost.

    Attributes
    ----------
    pairs : int64 or float64, shape (n_components, r, r, k, k)
        For both orders of two raters.
    factors : of the same type, shape (n_components, r + 1)
        By which a subject's costs count, by its number of ratings.
    worth : floats, shape (n_components,)
        Disagreement, in subjects, that a unit of each component stands for.
    moduli : of the same type as `pairs`, shape (n_components,)
        Numbers that must divide the change of a component that is held; 0 for a component that may change.
    slack : float
        Changes up to this size count as none: 0 for integers.
    """

    pairs: Array
    factors: Array
    worth: npt.NDArray[np.float64]
    moduli: Array
    slack: float


def costs_of(objective: Objective) -> SwapCosts:
    """The costs of an objective whose score may change."""
    found, factors, largest = _entries(objective)
    r, top = objective.table.n_raters, max(factors)
    roots = np.sqrt(np.array(objective.radicands, dtype=float))
    free = np.zeros(len(roots), dtype=np.int64)
    # no table's score, and so no difference of two, exceeds this bound
    if objective.weights.exact and largest * top * r * r * objective.table.n_subjects < _SAFE:
        pairs = _laid_out(objective, [(a, b, entries) for a, b, entries in found], np.dtype(np.int64))
        each = np.repeat(np.array([factors], dtype=np.int64), len(roots), axis=0)
        return SwapCosts(pairs, each, roots / float(objective.scale * objective.denominator), free, 0.0)
    # doubles: the largest cost is 1, and so is the largest factor
    real = [(a, b, (entries.astype(float) @ roots)[:, :, None]) for a, b, entries in found]
    unit = max(float(entries.max()) for _, _, entries in real)
    pairs = _laid_out(objective, [(a, b, entries / unit) for a, b, entries in real], np.dtype(float))
    worth = unit / float(objective.denominator) * (top / objective.scale)
    shares = np.array([[factor / top for factor in factors]])
    return SwapCosts(pairs, shares, np.array([worth]), free[:1].astype(float), _NEAR * r * (r - 1) / 2)


def held_costs_of(objective: Objective, excursion: int) -> SwapCosts:
    """The costs of an objective whose score must be the same after up to `excursion` swaps, exactly.

    All sums are whole numbers below 2^52, so they may be followed in doubles as well.
    """
    found, factors, largest = _entries(objective)
    n_terms = 2 * objective.table.n_raters**2 * excursion  # a swap takes two subjects' pairs out and puts them back
    reach = largest * max(factors) * n_terms
    moduli = [_EXACT_DOUBLES] if reach < _EXACT_DOUBLES else coprime(isqrt(_EXACT_DOUBLES // n_terms), 2 * reach)
    whole = np.dtype(np.int64)
    pairs = [_laid_out(objective, [(a, b, entries % m) for a, b, entries in found], whole) for m in moduli]
    each = [np.array([factor % m for factor in factors], dtype=np.int64) for m in moduli]
    n_roots = len(objective.radicands)
    return SwapCosts(
        np.concatenate(pairs),
        np.repeat(each, n_roots, axis=0),
        np.zeros(n_roots * len(moduli)),
        np.repeat(np.array(moduli, dtype=np.int64), n_roots),
        0.0,
    )


def _entries(objective: Objective) -> tuple[_Found, list[int], int]:
    """The exact costs of pairs of raters, the factors by number of ratings, and the largest cost."""
    if isinstance(objective.weights, Weights):  # one symmetric weighting for all pairs
        _, _, shared = next(objective.entries())
        found: _Found = [(slice(None), slice(None), shared)]
    else:
        found = list(objective.entries())
    factors = [objective.factors.get(size, 0) for size in range(objective.table.n_raters + 1)]
    return found, factors, max(magnitude(entries) for _, _, entries in found)


def _laid_out(objective: Objective, found: _Found, dtype: np.dtype[Any]) -> Array:
    """Costs of pairs of raters, (k, k, n_components) each, as one array for both orders of two raters."""
    table = objective.table
    r, k, n_parts = table.n_raters, table.n_categories, found[0][2].shape[2]
    pairs = np.zeros((n_parts, r, r, k, k), dtype=dtype)
    for a, b, entries in found:
        for c in range(n_parts):
            pairs[c, a, b] = entries[:, :, c]
            pairs[c, b, a] = entries[:, :, c].T
    return pairs
