"""Define the metrics of Krippendorff's alpha that depend on the ratings.

The ordinal metric is the squared distance between the midranks of two categories among all pairable ratings, which are
the ratings of subjects with at least two of them: the midrank of a category is the number of pairable ratings in lower
categories plus half the number in the category itself. The interval and ratio metrics use the values of categories that
are numbers.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from kappamax._rootsum import as_fraction
from kappamax._typing import Array, Floats
from kappamax.display.text import listing
from kappamax.patterns import margins_of
from kappamax.table import Table
from kappamax.weights import KRIPPENDORFF_ORDINAL, Weights, WeightsLike, from_terms, spelled, terms_of


def krippendorff_weights(weights: WeightsLike, table: Table) -> WeightsLike:
    """Return the weights that stand for a metric of Krippendorff's alpha; other weights are returned unchanged."""
    if isinstance(weights, Weights):
        return ordinal_metric(table) if weights.depends_on_use else weights
    if not isinstance(weights, str):
        return weights
    name = spelled(weights)
    if name in ("ordinal", KRIPPENDORFF_ORDINAL):
        return ordinal_metric(table)
    if name in ("interval", "ratio") and not any(isinstance(label, str) for label in table.categories):
        return _over_values(name, table.categories) or weights
    return weights


def ordinal_metric(table: Table) -> Weights:
    """Return the weights of the ordinal metric for a table, scaled so that the largest is 1.

    Parameters
    ----------
    table : Table
        Ratings whose pairable values determine the metric.

    Returns
    -------
    Weights
        Exact weights; those between adjacent categories that nobody used are zero.
    """
    rows = table.rows
    pairable = rows.n_ratings >= 2
    use = margins_of(rows.patterns[pairable], rows.counts[pairable], table.n_categories).sum(axis=0).astype(object)
    terms = terms_of("quadratic", [Fraction(int(rank), 2) for rank in 2 * np.cumsum(use) - use])
    # the power is that of the distance of midranks, not of categories
    return replace(from_terms(terms._replace(name=KRIPPENDORFF_ORDINAL)), power=None, depends_on_use=True)


def midranks(use: Array) -> Array:
    """Return the midrank of each category at a given use of categories, over the last axis."""
    return np.asarray(np.cumsum(use, axis=-1) - use / 2)


def variance_form(positions: Array) -> Any:
    """Return the function form(x, y) = x' U y for U[i, j] = (positions[i] - positions[j])^2, over the last axis."""

    def form(x: Array, y: Array) -> Array:
        centred = positions - ((x * positions).sum(axis=-1) / x.sum(axis=-1))[..., None]
        (x0, x1, x2), (y0, y1, y2) = (
            [(shares * centred**power).sum(axis=-1) for power in range(3)] for shares in (x, y)
        )
        return np.asarray(x2 * y0 - 2 * x1 * y1 + x0 * y2)

    return form


def squared_distances(positions: Array) -> Array:
    """Return U[i, j] = (positions[i] - positions[j])^2 over the last axis."""
    return np.asarray((positions[..., :, None] - positions[..., None, :]) ** 2)


def pattern_distances(patterns: Array, positions: Array) -> Floats:
    """Return the sum of squared distances over all pairs of ratings of each pattern, shape (..., m).

    Parameters
    ----------
    patterns : integers, shape (m, r)
        Codes of categories; -1 for missing ratings.
    positions : array, shape (..., k)
        Positions of the categories.
    """
    # distances from the highest rating, so that the sum is exactly zero if all ratings of a subject are equal
    highest = positions[..., patterns.max(axis=1)]
    total: Any = 0.0
    squares: Any = 0.0
    for codes in patterns.T:
        distance = np.where(codes >= 0, positions[..., codes] - highest, 0.0)
        total, squares = total + distance, squares + distance**2
    return np.asarray((patterns >= 0).sum(axis=1) * squares - total**2)


def _over_values(name: str, values: tuple[Any, ...]) -> Weights | None:
    """Return the interval or ratio metric over the values of the categories, or None if it is the one over ranks."""
    numbers = [as_fraction(value)[0] for value in values]
    steps = {high - low for low, high in pairwise(numbers)}
    if name == "ratio":
        steps.add(numbers[0])  # the ratio metric over multiples of 1, ..., k is that over 1, ..., k
    if len(steps) <= 1:
        return None
    weights = Weights.from_positions(values, "quadratic" if name == "interval" else name)
    note = f"the {name} metric of Krippendorff's alpha was applied to the values of the categories, {listing(values)}"
    return replace(weights, notes=(*weights.notes, note))
