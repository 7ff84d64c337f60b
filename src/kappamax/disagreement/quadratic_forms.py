"""Compute bilinear forms x' U y of shares x and y and weights U, exactly or in doubles for many tables at once."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from kappamax._integers import dot, sum_by_key, widen
from kappamax._rootsum import RootSum
from kappamax._typing import Array
from kappamax.weights import Weights

_NOT_COMPARED = 10_000  # for smaller arrays, a product is faster than a comparison that could avoid it


def form(x: Array, y: Array, *, weights: Weights) -> Array:
    """Return x' U y in doubles, or in complex numbers with imaginary parts so small that their products vanish."""
    u = weights.matrix
    if not (np.iscomplexobj(x) or np.iscomplexobj(y)):
        return np.asarray(((x @ u) * y).sum(axis=-1))
    right, left = _once(x.real) @ u, _once(y.real) @ u.T
    value = (right * y.real).sum(axis=-1)
    return np.asarray(value + 1j * ((x.imag * left).sum(axis=-1) + (y.imag * right).sum(axis=-1)))


def exact_form(x: Array, y: Array, *, weights: Weights) -> Any:
    """Return the exact x' U y for vectors of fractions, or for each row of two matrices."""
    if x.ndim > 1:
        rows = [exact_form(a, b, weights=weights) for a, b in zip(x, y, strict=True)]
        return np.array(rows, dtype=object)
    (x, x_scale), (y, y_scale) = _whole(x), _whole(y)
    x, y = widen(np.stack([x, y]), int(max(x)) * int(max(y)))
    return weighted_sum(np.outer(x, y), weights, x_scale * y_scale)


def weighted_sum(cells: Array, weights: Weights, scale: int = 1) -> RootSum:
    """Return the exact sum of cells * u / scale over a k x k array of whole numbers."""
    if weights.roots <= {1}:
        return RootSum(Fraction(dot(cells.ravel(), weights.multipliers.ravel()), weights.denominator * scale))
    bound = int(cells.max()) * int(weights.multipliers.max())
    products = widen(cells, bound) * widen(weights.multipliers, bound)
    return RootSum(dict(sum_by_key(weights.radicands, products))) / (weights.denominator * scale)


def _once(rows: Array) -> Array:
    """Return rows without repetition along axes in which all rows are equal, as the real parts of small steps are."""
    if rows.size <= _NOT_COMPARED:
        return rows
    for axis in range(rows.ndim - 1):
        first = rows[(slice(None),) * axis + (slice(0, 1),)]
        if rows.shape[axis] > 1 and (rows == first).all():
            rows = first
    return rows


def _whole(shares: Array) -> tuple[Array, int]:
    """Return fractions as whole numbers over a common denominator."""
    scale = lcm(*(share.denominator for share in shares))
    return np.array([share.numerator * (scale // share.denominator) for share in shares], dtype=object), scale
