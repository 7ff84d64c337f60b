"""Coefficients, weights and tables that do not go together in, a clear error out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from kappamax._validate import as_whole_number
from kappamax.errors import InvalidOptionError, InvalidRatingsError, NotSupportedError, UndefinedKappaError


def one_weighting_for_pooled(title: str, symmetric: bool, chance_free: bool) -> NoReturn:
    """Coefficients other than Cohen's and Conger's are defined for one symmetric weighting."""
    if chance_free:
        what = "different weights for different pairs of raters" if symmetric else "asymmetric weights"
        raise NotSupportedError(
            f"{title} is defined for one symmetric weighting of all pairs of raters; got {what}. "
            "Cohen's and Conger's kappa take them."
        )
    if not symmetric:
        raise NotSupportedError(
            f"{title} pools the raters' margins, so it cannot tell which rater comes first: "
            "asymmetric weights are not defined for it. Cohen's and Conger's kappa take them."
        )
    raise NotSupportedError(
        f"{title} pools the raters' margins, so different weights for different pairs of raters are not defined "
        "for it. Cohen's and Conger's kappa take them."
    )


def two_raters(n_raters: int) -> None:
    """Cohen's kappa is for two."""
    if n_raters != 2:
        raise NotSupportedError(f"Cohen's kappa is for two raters; got {n_raters}. For more, use 'conger'.")


def group_size(size: int, n_raters: int, coefficient: str, weights_name: str) -> int:
    """The g of g-wise agreement."""
    size = as_whole_number("group_size", size, 2)
    if size > n_raters:
        raise InvalidOptionError(f"group_size must be at most the number of raters, {n_raters}; got {size}.")
    if size > 2 and coefficient not in {"conger", "percent"}:
        raise NotSupportedError(f"agreement of {size} raters at a time is defined for conger and percent only.")
    if size > 2 and weights_name != "unweighted":
        raise NotSupportedError(
            f"agreement of {size} raters at a time is defined for unweighted ratings only; got {weights_name} weights."
        )
    return size


def undefined(margins: npt.NDArray[np.int64], labels: Sequence[Any]) -> NoReturn:
    """Expected disagreement is zero."""
    used = np.flatnonzero(margins.any(axis=0))
    if len(labels) == 1 or len(used) == 1:
        who = "both raters" if len(margins) == 2 else "all raters"
        raise UndefinedKappaError(f"{who} used only {labels[int(used[0])]!r}")
    raise UndefinedKappaError("chance leaves no disagreement to expect under these weights")


def some_pair_rated(n_units: float, group_size: int) -> None:
    """Some subject has enough ratings to compare."""
    if n_units == 0:
        raise InvalidRatingsError(
            f"no subject was rated by {_number_word(group_size)} raters, so there is nothing to compare."
        )


def _number_word(number: int) -> str:
    return {2: "two", 3: "three", 4: "four"}.get(number, str(number))


def three_raters(n_raters: int) -> None:
    """Leaving one rater out must leave two."""
    if n_raters < 3:
        raise NotSupportedError(f"leaving one rater out needs at least three raters; got {n_raters}.")
