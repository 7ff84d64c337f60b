"""Define the coefficients of agreement and build the objective of ratings under one of them.

The coefficients share the observed disagreement and differ in the expected disagreement, which is one short function
each. The same function is applied to fractions for exact values, to arrays of doubles for many tables, and to complex
numbers for derivatives.
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
from kappamax.disagreement.krippendorff_metrics import krippendorff_weights
from kappamax.disagreement.objective import Coefficient, Form, Objective
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.io import Ratings, as_table
from kappamax.table import Label
from kappamax.weights import Weights, WeightsLike, as_weights


def as_objective(
    *ratings: Ratings | Objective,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    group_size: int = 2,
    categories: Sequence[Label] | None = None,
    cluster: Any = None,
) -> Objective:
    """Return the objective of ratings under weights and a coefficient, with every combination checked.

    Parameters
    ----------
    *ratings : Table, frame, two or more arrays of labels, or Objective
        Ratings of the subjects. A single Objective is returned unchanged.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    coefficient : str
        Name of the coefficient, default "kappa", which is Cohen's kappa for two raters and Conger's kappa for more. The
        other names are the keys of `COEFFICIENTS`.
    group_size : int
        Number of raters who must agree at a time, default 2. Larger groups are defined for unweighted Conger's kappa
        and percent agreement.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.
    cluster : str or array, optional
        Cluster of each subject: the name of a column of a frame, or an array with one entry per subject for arrays of
        labels. By default, the clusters that a Table has.

    Returns
    -------
    Objective
        Table, weights and coefficient.

    Raises
    ------
    InputError
        If an argument breaks a rule.
    NotSupportedError
        If the coefficient is not defined for the number of raters, the weights or the group size.
    """
    if len(ratings) == 1 and isinstance(ratings[0], Objective):
        if cluster is not None:
            raise InvalidOptionError("cluster must be left out for an Objective, which has a Table.")
        return ratings[0]
    table = as_table(*ratings, categories=categories, cluster=cluster)
    chosen = coefficient_for(coefficient, table.n_raters)
    if chosen.name == "krippendorff":
        weights = krippendorff_weights(weights, table)
    elif isinstance(weights, Weights) and weights.depends_on_use:
        raise NotSupportedError(
            f"{weights.name} weights are computed from the ratings and belong to Krippendorff's alpha; got the "
            f"coefficient {chosen.name!r}. Use gwet-ordinal weights."
        )
    resolved = as_weights(weights, categories=table.categories, ordered=table.ordered, raters=table.raters)
    g = as_whole_number("group_size", group_size, 2)
    if g > table.n_raters:
        raise InvalidOptionError(f"group_size must be at most the number of raters, {table.n_raters}; got {g}.")
    if g > 2:
        if chosen.name not in {"conger", "percent"}:
            raise NotSupportedError(
                f"agreement of {g} raters at a time is defined only for the coefficients 'conger' and 'percent'; "
                f"got {chosen.name!r}."
            )
        if resolved.name != "unweighted":
            raise NotSupportedError(
                f"agreement of {g} raters at a time is defined only for unweighted disagreement; "
                f"got {resolved.name} weights."
            )
        expected = partial(_expected_groups, g=g) if chosen.name == "conger" else chosen.expected
        title = f"{chosen.title}, {g} raters at a time"
        chosen = replace(chosen, group_size=g, expected=expected, title=title)
    return Objective(table, resolved, chosen)


def coefficient_for(name: str, n_raters: int) -> Coefficient:
    """Return the coefficient with the given name or alias for the given number of raters."""
    own = as_choice("coefficient", name, (*COEFFICIENTS, *_ALIASES))
    own = _ALIASES.get(own, own)
    if own == "cohen" and n_raters != 2:
        raise NotSupportedError(f"Cohen's kappa requires two raters; got {n_raters}. Use 'conger' for more.")
    if own == "kappa":
        own = "cohen" if n_raters == 2 else "conger"
    return COEFFICIENTS[own]


# Each function returns the expected disagreement, given shares p, the number n of ratings, and form(x, y) = x' U y.


def _expected_per_rater(p: Array, n: Any, form: Form) -> Any:
    """Return the mean over pairs of raters of p_a' U p_b (Cohen, Conger)."""
    r, pooled = p.shape[-2], p.sum(axis=-2)
    return (form(pooled, pooled) - form(p, p).sum(axis=-1)) / (r * (r - 1))


def _expected_pooled(p: Array, n: Any, form: Form) -> Any:
    """Return p' U p with the pooled shares (Scott, Fleiss)."""
    return form(p, p)


def _expected_pairable(p: Array, n: Any, form: Form) -> Any:
    """Return the mean disagreement of two different ratings drawn from the n pairable ratings (Krippendorff)."""
    return form(p, p) * (n / (n - 1))


def _expected_uniform(p: Array, n: Any, form: Form) -> Any:
    """Return the mean disagreement if all categories are equally likely (Brennan and Prediger)."""
    k, one = p.shape[-1], np.ones_like(p)
    return form(one, one) / k**2


def _expected_gwet(p: Array, n: Any, form: Form) -> Any:
    """Return 1 - p_e with p_e = sum(w) * sum p(1 - p) / (k(k - 1)) and w = 1 - u (Gwet's AC1 and AC2)."""
    k, one = p.shape[-1], np.ones_like(p)
    if k == 1:
        return form(p, p)
    spread = (p * (1 - p)).sum(axis=-1)
    return (form(one, one) - k**2) * (spread / (k * (k - 1))) + 1


def _expected_nothing(p: Array, n: Any, form: Form) -> Any:
    """Return 1, which means no correction for chance (percent agreement)."""
    return 1 + 0 * n


def _expected_groups(p: Array, n: Any, form: Form, *, g: int) -> Any:
    """Return 1 minus the mean over groups of g raters of the probability that all choose the same category (Conger)."""
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
