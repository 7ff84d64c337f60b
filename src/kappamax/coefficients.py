"""Define the coefficients of agreement and build the objective of ratings under one of them.

All coefficients here share the observed disagreement and differ in what they expect by chance: one short function
each. The same function runs on fractions (exact), on arrays of doubles (many tables) and on complex numbers (slopes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import comb
from typing import Any

import numpy as np

from kappamax._typing import Array
from kappamax._validate import as_choice, as_whole_number
from kappamax.disagreement.objective import Coefficient, Form, Objective
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.io import Ratings, as_table
from kappamax.table import Label
from kappamax.weights import WeightsLike, as_weights


def as_objective(
    *ratings: Ratings | Objective,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    group_size: int = 2,
    categories: Sequence[Label] | None = None,
) -> Objective:
    """Return the objective of ratings under weights and a coefficient, with every combination checked.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays; or an Objective, which is returned as it is
    weights : name, Weights, or a mapping from pairs of raters to either
    coefficient : str
        "kappa" is Cohen's for two raters and Conger's for more; see `COEFFICIENTS` for the others.
    group_size : int
        How many raters must agree at a time; above 2 for unweighted Conger and percent agreement.
    categories : sequence of labels, optional
        All categories in order.
    """
    if len(ratings) == 1 and isinstance(ratings[0], Objective):
        return ratings[0]
    table = as_table(*ratings, categories=categories)
    chosen = coefficient_for(coefficient, table.n_raters)
    resolved = as_weights(weights, categories=table.categories, ordered=table.ordered, raters=table.raters)
    g = as_whole_number("group_size", group_size, 2)
    if g > table.n_raters:
        raise InvalidOptionError(f"group_size must be at most the number of raters, {table.n_raters}; got {g}.")
    if g > 2:
        if chosen.name not in {"conger", "percent"}:
            raise NotSupportedError(f"agreement of {g} raters at a time is defined for conger and percent only.")
        if resolved.name != "unweighted":
            raise NotSupportedError(
                f"agreement of {g} raters at a time is defined for unweighted ratings only; "
                f"got {resolved.name} weights."
            )
        expected = partial(_expected_groups, g=g) if chosen.name == "conger" else chosen.expected
        title = f"{chosen.title}, {g} raters at a time"
        chosen = replace(chosen, group_size=g, expected=expected, title=title)
    return Objective(table, resolved, chosen)


def coefficient_for(name: str, n_raters: int) -> Coefficient:
    """A coefficient by name or alias."""
    own = as_choice("coefficient", name, (*COEFFICIENTS, *_ALIASES))
    own = _ALIASES.get(own, own)
    if own == "cohen" and n_raters != 2:
        raise NotSupportedError(f"Cohen's kappa is for two raters; got {n_raters}. For more, use 'conger'.")
    if own == "kappa":
        own = "cohen" if n_raters == 2 else "conger"
    return COEFFICIENTS[own]


# The formulas: expected disagreement from shares p, ratings n, and form(x, y) = x' U y.


def _expected_per_rater(p: Array, n: Any, form: Form) -> Any:
    """Cohen and Conger: the mean over pairs of raters of p_a' U p_b."""
    r, pooled = p.shape[-2], p.sum(axis=-2)
    return (form(pooled, pooled) - form(p, p).sum(axis=-1)) / (r * (r - 1))


def _expected_pooled(p: Array, n: Any, form: Form) -> Any:
    """Scott and Fleiss: p' U p with the pooled shares."""
    return form(p, p)


def _expected_pairable(p: Array, n: Any, form: Form) -> Any:
    """Krippendorff: two different ratings drawn from the n pairable ones."""
    return form(p, p) * (n / (n - 1))


def _expected_uniform(p: Array, n: Any, form: Form) -> Any:
    """Brennan and Prediger: every category equally likely."""
    k, one = p.shape[-1], np.ones_like(p)
    return form(one, one) / k**2


def _expected_gwet(p: Array, n: Any, form: Form) -> Any:
    """Gwet's AC1 and AC2: D_e = 1 - p_e with p_e = sum(w) * sum p(1 - p) / (k(k - 1)) and w = 1 - u."""
    k, one = p.shape[-1], np.ones_like(p)
    if k == 1:
        return form(p, p)
    spread = (p * (1 - p)).sum(axis=-1)
    return (form(one, one) - k**2) * (spread / (k * (k - 1))) + 1


def _expected_nothing(p: Array, n: Any, form: Form) -> Any:
    """Percent agreement: no correction for chance."""
    return 1 + 0 * n


def _expected_groups(p: Array, n: Any, form: Form, *, g: int) -> Any:
    """Conger, g raters at a time: 1 - mean over groups of the chance that all of them choose the same category."""
    r, zero = p.shape[-2], 0 * p[..., 0, :]
    symmetric = [zero + 1] + [zero] * g  # elementary symmetric polynomials of each category's r shares
    for rater in range(r):
        for degree in range(g, 0, -1):
            symmetric[degree] = symmetric[degree] + symmetric[degree - 1] * p[..., rater, :]
    return 1 - symmetric[g].sum(axis=-1) / comb(r, g)


COEFFICIENTS = {
    coefficient.name: coefficient
    for coefficient in (
        Coefficient("cohen", "Cohen's kappa", _expected_per_rater, "raters"),
        Coefficient("conger", "Conger's kappa", _expected_per_rater, "raters"),
        Coefficient("fleiss", "Fleiss' kappa", _expected_pooled, "subjects"),
        Coefficient("gwet", "Gwet's AC", _expected_gwet, "subjects"),
        Coefficient("brennan-prediger", "Brennan-Prediger", _expected_uniform, "subjects", chance_free=True),
        Coefficient("krippendorff", "Krippendorff's alpha", _expected_pairable, "pairable", by_rating=True),
        Coefficient("percent", "Percent agreement", _expected_nothing, "subjects", chance_free=True),
    )
}
_ALIASES = {
    "kappa": "kappa",
    "scott": "fleiss",
    "ac1": "gwet",
    "ac2": "gwet",
    "bp": "brennan-prediger",
    "alpha": "krippendorff",
}
