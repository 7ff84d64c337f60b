"""Compute the costs of swapping ratings, in numbers that the compiled walk can add without overflow.

A walk tracks the score of an objective in 64-bit integers if the score of every table fits, and in doubles otherwise. A
score that is held fixed must be tracked exactly in both cases. If it does not fit, its residues modulo several coprime
numbers are tracked instead, because a change is zero if and only if it is divisible by all of these numbers.
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

_LARGEST_MODULUS = 2**52  # integers up to this, and sums of two of them, are exact as doubles


class SwapCosts(NamedTuple):
    """Costs of pairs of ratings of one subject, by component of the score.

    Attributes
    ----------
    costs : int64 or float64, shape (n_slots, n_slots, n_components)
        Symmetric costs of pairs of slots. If all pairs of raters have the same weights, a slot is a category. Otherwise
        it is a category of one rater, with index `rater * k + category`, and two slots of one rater have cost zero.
    slots : int64, shape (r,)
        Slot of the first category of each rater.
    factors : same type as `costs`, shape (r + 1, n_components)
        Factors by which the costs of a subject are multiplied, indexed by its number of ratings.
    worth : floats, shape (n_components,)
        Disagreement, in subjects, that corresponds to one unit of each component; 0 for components that are held fixed.
    moduli : same type as `costs`
        Numbers that must divide the changes of the last components, which are held fixed.
    slack : float
        Largest absolute change that counts as zero; it is 0 for integers.
    """

    costs: Array
    slots: Integers
    factors: Array
    worth: Floats
    moduli: Array
    slack: float


def swap_costs(objective: Objective, held: Objective | None = None, *, excursion: int = 1) -> SwapCosts:
    """Return the swap costs of an objective and, optionally, of another objective whose score is held fixed.

    Parameters
    ----------
    objective : Objective
        Objective whose score may change.
    held : Objective, optional
        Objective of the same table whose score is held fixed. By default no score is held.
    excursion : int, optional
        Maximum number of swaps before the held score must return to its value, default 1.

    Returns
    -------
    SwapCosts
    """
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
    """Return the costs, factors, worth and slack of an objective whose score may change."""
    exact, factors = _exact_costs(objective, per_rater)
    r, top = objective.table.n_raters, max(factors)
    roots = np.sqrt(np.array(objective.radicands, dtype=float))
    # the product bounds the score of every table, and therefore the difference of two scores
    if objective.weights.exact and magnitude(exact) * top * r * r * objective.table.n_subjects < SUMMABLE:
        each = np.repeat(np.array(factors, dtype=np.int64)[:, None], len(roots), axis=1)
        return exact.astype(np.int64), each, roots / float(objective.scale * objective.denominator), 0.0
    # the doubles are scaled such that the largest cost and the largest factor are 1
    real = (exact.astype(float) @ roots)[:, :, None]
    unit = float(real.max())
    worth = np.array([unit / float(objective.denominator) * (top / objective.scale)])
    return real / unit, np.array([[factor / top] for factor in factors]), worth, DOUBLE_TOLERANCE * r * (r - 1) / 2


def _held_costs(objective: Objective, per_rater: bool, excursion: int) -> tuple[Array, Array, Array]:
    """Return the costs, factors and moduli of an objective whose score is held fixed exactly.

    All sums are integers below 2^52, so they can also be computed in doubles.
    """
    exact, factors = _exact_costs(objective, per_rater)
    n_terms = 8 * objective.table.n_raters**2 * excursion  # number of terms of d'G and d'Ud / 2 of both subjects
    reach = magnitude(exact) * max(factors) * n_terms
    moduli = [_LARGEST_MODULUS] if reach < _LARGEST_MODULUS else coprime(isqrt(_LARGEST_MODULUS // n_terms), 2 * reach)
    n_roots = len(objective.radicands)
    costs = np.concatenate([(exact % m).astype(np.int64) for m in moduli], axis=2)
    by_size = np.array([[factor % m for m in moduli] for factor in factors], dtype=np.int64)
    return costs, np.repeat(by_size, n_roots, axis=1), np.repeat(np.array(moduli, dtype=np.int64), n_roots)


def _exact_costs(objective: Objective, per_rater: bool) -> tuple[Array, list[int]]:
    """Return the exact costs of pairs of slots, as int64 or Python integers, and the factors by number of ratings."""
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
