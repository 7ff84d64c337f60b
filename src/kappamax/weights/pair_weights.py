"""Define weights that differ between pairs of raters, and convert the argument `weights` of public functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from kappamax._integers import widen
from kappamax._tolerances import DOUBLE_TOLERANCE
from kappamax._validate import as_rater_index
from kappamax.display.text import card, listing, plural
from kappamax.errors import ORDER_TO_GIVE, Advice, InvalidWeightsError
from kappamax.weights.schemes import LARGEST_DENOMINATOR, ROUNDED_DENOMINATOR, raise_several_weightings
from kappamax.weights.weights import Weights


@dataclass(frozen=True, eq=False, repr=False)
class PairWeights:
    """Weights that differ between pairs of raters, or that are not symmetric.

    Attributes
    ----------
    by_pair : dict
        `by_pair[a, b]` with a < b holds the weights u[rating of a, rating of b].
    name : str
        Name shown in reports, default "per pair".
    """

    by_pair: dict[tuple[int, int], Weights]
    name: str = "per pair"

    def for_raters(self, raters: Sequence[int]) -> PairWeights:
        """Return the weights of the pairs among some raters, whose positions are given in increasing order."""
        pairs = [(a, b) for a in range(len(raters)) for b in range(a + 1, len(raters))]
        return PairWeights({(a, b): self.by_pair[raters[a], raters[b]] for a, b in pairs}, name=self.name)

    @property
    def exact(self) -> bool:
        """Whether the weights of every pair are exact."""
        return all(weights.exact for weights in self.by_pair.values())

    @property
    def tolerance(self) -> float:
        """Largest tolerance among the pairs."""
        return max(weights.tolerance for weights in self.by_pair.values())

    @property
    def symmetric(self) -> bool:
        """Whether the weights of every pair are symmetric."""
        return all(weights.symmetric for weights in self.by_pair.values())

    @property
    def needs_order(self) -> bool:
        """Whether the weights of at least one pair need ordered categories."""
        return any(weights.needs_order for weights in self.by_pair.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """Distinct notes of all pairs."""
        return tuple(dict.fromkeys(note for weights in self.by_pair.values() for note in weights.notes))

    def __repr__(self) -> str:
        title = (
            f"PairWeights({self.name}, {plural(len(self.by_pair), 'pair')}, {'exact' if self.exact else 'not exact'})"
        )
        return card(title, [(f"raters {a + 1} and {b + 1}", pair.name) for (a, b), pair in self.by_pair.items()])


WeightsLike = None | str | Weights | PairWeights | Mapping[tuple[str | int, str | int], Any] | npt.ArrayLike


def as_weights(
    weights: WeightsLike, *, categories: Sequence[Any], ordered: bool, raters: Sequence[str]
) -> Weights | PairWeights:
    """Return weights that match the categories and raters of a table.

    Parameters
    ----------
    weights : str, Weights, PairWeights, mapping or None
        Name of a scheme, a `Weights` or `PairWeights` object, or a mapping from pairs of raters to names or `Weights`;
        None stands for "unweighted". A matrix is rejected, because it is not clear whether it holds agreement or
        disagreement.
    categories : sequence
        Categories of the table.
    ordered : bool
        Whether the categories are ordered.
    raters : sequence of str
        Names of the raters.

    Returns
    -------
    Weights or PairWeights
        Weights for all pairs of raters, or for each pair.

    Raises
    ------
    InvalidWeightsError
        If the weights break a rule or do not match the categories and raters.
    """
    if weights is None:  # as in scikit-learn
        weights = "unweighted"
    if isinstance(weights, Mapping):
        weights = _by_pair(weights, categories, raters)
    elif isinstance(weights, str):
        weights = Weights.from_scheme(weights, len(categories))
    elif not isinstance(weights, Weights | PairWeights):
        _raise_not_one_weighting(weights)
    r = len(raters)
    if isinstance(weights, PairWeights):
        by_pair = {pair: _fitted(single, categories, ordered) for pair, single in weights.by_pair.items()}
        weights = PairWeights(by_pair, name=weights.name)
    else:
        weights = _fitted(weights, categories, ordered)
    if isinstance(weights, PairWeights):
        n_pairs = r * (r - 1) // 2
        if len(weights.by_pair) != n_pairs or max(b for _, b in weights.by_pair) >= r:
            raise InvalidWeightsError(
                f"weights per pair must cover every pair of raters; {r} raters form {plural(n_pairs, 'pair')}, "
                f"but there are weights for {len(weights.by_pair)}."
            )
        return _over_one_denominator(weights)
    if weights.symmetric:
        return weights
    if r != 2:
        raise InvalidWeightsError(
            f"weights must be symmetric for {r} raters, because an asymmetric matrix does not say which rater of a "
            "pair comes first. Pass weights per pair, {('a', 'b'): Weights, ...}."
        )
    return PairWeights({(0, 1): weights}, name=weights.name)


def _raise_not_one_weighting(weights: Any) -> NoReturn:
    """Raise the error for an argument that is not one weighting: a list of several, a matrix, or another object."""
    is_list = isinstance(weights, Sequence | Set | np.ndarray) or hasattr(weights, "to_numpy")
    dimensions = getattr(weights, "ndim", 1)
    if is_list and dimensions == 1 and all(isinstance(one, str | None | Weights | PairWeights) for one in weights):
        raise_several_weightings([getattr(one, "name", one) for one in weights])
    if is_list and dimensions:
        raise InvalidWeightsError(
            "weights must not be a matrix, because it could hold agreement or disagreement. "
            "Use km.Weights.from_matrix(m, kind='disagreement') or kind='agreement'."
        )
    raise InvalidWeightsError(
        f"weights must be a name, a Weights object, or a mapping from pairs of raters; got {weights!r}."
    )


def _fitted(weights: Weights, categories: Sequence[Any], ordered: bool) -> Weights:
    """Return weights in the order of the categories, which must be ordered if the weights need an order."""
    k = weights.n_categories
    if weights.labels is not None and tuple(categories) != weights.labels:
        place = {label: i for i, label in enumerate(weights.labels)}
        if set(place) != set(categories):
            raise InvalidWeightsError(
                f"the weights {weights.name} must be labelled with the categories of the ratings; the labels are "
                f"{listing(weights.labels)}, and the categories are {listing(categories)}."
            )
        order = np.ix_(*[[place[category] for category in categories]] * 2)
        return replace(
            weights,
            multipliers=weights.multipliers[order],
            radicands=weights.radicands[order],
            labels=tuple(categories),
        )
    if k != len(categories):
        raise InvalidWeightsError(
            f"weights must match the categories: {weights.name} weights are {k} x {k}, "
            f"but there are {len(categories)} categories: {listing(categories)}."
        )
    if weights.needs_order and not ordered and k > 2:
        raise InvalidWeightsError(
            f"{weights.name} weights need ordered categories, but the order of these is not known: "
            f"{listing(categories)}.",
            code="categories-without-order",
            fields={"weights": weights.name, "categories": list(categories)},
            advice=[Advice({"categories": ORDER_TO_GIVE})],
        )
    return weights


def _by_pair(
    weights: Mapping[tuple[str | int, str | int], Any], categories: Sequence[Any], raters: Sequence[str]
) -> PairWeights:
    """Return weights per pair from a mapping that contains every pair of raters once, in either order."""
    by_pair: dict[tuple[int, int], Weights] = {}
    for key, value in weights.items():
        if not isinstance(key, tuple) or len(key) != 2:
            raise InvalidWeightsError(f"weights per pair must have keys (rater, rater); got {key!r}.")
        a, b = as_rater_index(key[0], raters), as_rater_index(key[1], raters)
        if a == b:
            raise InvalidWeightsError(f"weights per pair must name two raters; got {key!r}.")
        if (min(a, b), max(a, b)) in by_pair:
            raise InvalidWeightsError(f"weights per pair must name each pair once; {key!r} occurs twice.")
        if value is None or (isinstance(value, str) and not value):
            raise InvalidWeightsError(
                f"weights for the pair {key!r} must be a name or a Weights object; got {value!r}."
            )
        if not isinstance(value, str | Weights):
            _raise_not_one_weighting(value)
        single = value if isinstance(value, Weights) else Weights.from_scheme(value, len(categories))
        if a > b:
            a, b = b, a
            single = replace(single, multipliers=single.multipliers.T, radicands=single.radicands.T)
        by_pair[a, b] = single
    for a, b in combinations(range(len(raters)), 2):
        if (a, b) not in by_pair:
            raise InvalidWeightsError(
                f"weights per pair must cover every pair; ({raters[a]!r}, {raters[b]!r}) is missing."
            )
    return PairWeights(by_pair)


def _over_one_denominator(weights: PairWeights) -> PairWeights:
    """Return weights per pair, rounded if their common denominator is too large."""
    if lcm(*(single.denominator for single in weights.by_pair.values())) <= LARGEST_DENOMINATOR:
        return weights
    return PairWeights({pair: _rounded(single) for pair, single in weights.by_pair.items()}, name=weights.name)


def _rounded(weights: Weights) -> Weights:
    """Return weights that are rounded to a fixed denominator and marked as not exact."""
    whole = [
        round(Fraction(m * ROUNDED_DENOMINATOR, weights.denominator)) for m in weights.multipliers.ravel().tolist()
    ]
    multipliers = widen(whole, max(whole)).reshape(weights.multipliers.shape)
    multipliers.setflags(write=False)
    note = (
        "the weights of all pairs have no simple common denominator, so values that differ by at most "
        f"{DOUBLE_TOLERANCE:g} count as equal"
    )
    return replace(
        weights, multipliers=multipliers, denominator=ROUNDED_DENOMINATOR, exact=False, notes=(*weights.notes, note)
    )
