"""Provide the costs by which swaps of ratings are judged, in numbers that the compiled walk adds without overflow.

A walk follows an objective's score in 64-bit integers where the score of every table fits, and in doubles otherwise. A
score that must stay as it is has to be followed exactly in either case: where it does not fit, its remainders modulo
several coprime numbers are followed instead, since a change is zero exactly when all of them divide it.
"""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

import numpy as np

from kappamax._integers import SUMMABLE, coprime, magnitude
from kappamax._tolerances import DOUBLE_TOLERANCE
from kappamax._typing import Array, Floats, Integers
from kappamax.disagreement.objective import Objective
from kappamax.weights import PairWeights

_LARGEST_MODULUS = 2**52  # whole numbers up to here, and sums of two, are exact in doubles


class SwapCosts(NamedTuple):
    """The costs of two ratings on one subject, component by component.

    Attributes
    ----------
    costs : int64 or float64, shape (n_slots, n_slots, n_components)
        Symmetric. A slot is a category if all pairs of raters share one weighting, and otherwise a category of one
        rater, at position `rater * k + category`; two slots of one rater then cost nothing.
    slots : int64, shape (r,)
        The slot of each rater's first category.
    factors : of the same type as `costs`, shape (r + 1, n_components)
        By which a subject's costs are multiplied, by its number of ratings.
    worth : floats, shape (n_components,)
        Disagreement, in subjects, that a unit of each component stands for; 0 for components that are held.
    moduli : of the same type as `costs`
        Numbers that must divide the changes of the last components, which are held.
    slack : float
        Changes up to this size count as none: 0 for integers.
    """

    costs: Array
    slots: Integers
    factors: Array
    worth: Floats
    moduli: Array
    slack: float


def swap_costs(objective: Objective, held: Objective | None = None, *, excursion: int = 1) -> SwapCosts:
    """Return the costs of an objective, and of one whose score must be the same after up to `excursion` swaps."""
    per_rater = any(one is not None and isinstance(one.weights, PairWeights) for one in (objective, held))
    costs, factors, worth, slack = _free_costs(objective, per_rater)
    moduli = np.zeros(0, dtype=costs.dtype)
    if held is not None:
        own, by_size, moduli = (array.astype(costs.dtype) for array in _held_costs(held, per_rater, excursion))
        costs, factors = np.concatenate([costs, own], axis=2), np.concatenate([factors, by_size], axis=1)
        worth = np.concatenate([worth, np.zeros(len(moduli))])
    slots = np.arange(objective.table.n_raters) * (objective.table.n_categories if per_rater else 0)
    return SwapCosts(costs, slots, factors, worth, moduli, slack)


def _free_costs(objective: Objective, per_rater: bool) -> tuple[Array, Array, Array, float]:
    """Costs, factors, worth and slack of an objective whose score may change."""
    exact, factors = _exact_costs(objective, per_rater)
    r, top = objective.table.n_raters, max(factors)
    roots = np.sqrt(np.array(objective.radicands, dtype=float))
    # no table's score, and so no difference of two, exceeds this bound
    if objective.weights.exact and magnitude(exact) * top * r * r * objective.table.n_subjects < SUMMABLE:
        each = np.repeat(np.array(factors, dtype=np.int64)[:, None], len(roots), axis=1)
        return exact.astype(np.int64), each, roots / float(objective.scale * objective.denominator), 0.0
    # doubles: the largest cost is 1, and so is the largest factor
    real = (exact.astype(float) @ roots)[:, :, None]
    unit = float(real.max())
    worth = np.array([unit / float(objective.denominator) * (top / objective.scale)])
    return real / unit, np.array([[factor / top] for factor in factors]), worth, DOUBLE_TOLERANCE * r * (r - 1) / 2


def _held_costs(objective: Objective, per_rater: bool, excursion: int) -> tuple[Array, Array, Array]:
    """Costs, factors and moduli of an objective whose score must stay as it is, exactly.

    All sums are whole numbers below 2^52, so they may be followed in doubles as well.
    """
    exact, factors = _exact_costs(objective, per_rater)
    n_terms = 8 * objective.table.n_raters**2 * excursion  # for two subjects: d'G and d'Ud / 2 with |d| <= 2r
    reach = magnitude(exact) * max(factors) * n_terms
    moduli = [_LARGEST_MODULUS] if reach < _LARGEST_MODULUS else coprime(isqrt(_LARGEST_MODULUS // n_terms), 2 * reach)
    n_roots = len(objective.radicands)
    costs = np.concatenate([(exact % m).astype(np.int64) for m in moduli], axis=2)
    by_size = np.array([[factor % m for m in moduli] for factor in factors], dtype=np.int64)
    return costs, np.repeat(by_size, n_roots, axis=1), np.repeat(np.array(moduli, dtype=np.int64), n_roots)


def _exact_costs(objective: Objective, per_rater: bool) -> tuple[Array, list[int]]:
    """The exact costs of two slots, int64 or Python integers, and the factors by number of ratings."""
    table = objective.table
    factors = objective.factors_by_size.tolist()
    if not per_rater:
        _, _, shared = next(objective.entries())
        return shared, factors
    pairs = list(objective.entries())
    r, k = table.n_raters, table.n_categories
    costs = np.zeros((r, k, r, k, len(objective.radicands)), dtype=np.result_type(*(u for _, _, u in pairs)))
    for a, b, u in pairs:
        costs[a, :, b] = u
        costs[b, :, a] = u.swapaxes(0, 1)
    return costs.reshape(r * k, r * k, -1), factors
