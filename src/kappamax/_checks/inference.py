"""What cannot be inferred in, a clear error out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kappamax._validate import as_choice
from kappamax.errors import InvalidOptionError, NotSupportedError


def cohen_complete(method: str, holds: bool) -> None:
    """The formulas of Fleiss, Cohen and Everitt are for one case."""
    if not holds:
        raise NotSupportedError(
            f"the {method} standard error is for Cohen's kappa of two raters without missing ratings; "
            "use 'delta' or 'jackknife'."
        )


def interval_method(method: str) -> None:
    """The standard error under independence says how kappa varies around 0, not around its value."""
    if method == "null":
        raise NotSupportedError(
            "the null standard error holds only if the raters are independent, so it gives no confidence interval; "
            "use method 'auto' or 'jackknife' for an interval, and value_test(..., method='null') to test kappa = 0."
        )


def null_tests_zero(method: str, value: float) -> None:
    """Under independence kappa is 0, so no other value can be tested with the standard error it has there."""
    if method == "null" and value != 0:
        raise NotSupportedError(
            f"the null standard error holds only if kappa is 0, so it cannot test {value:g}; "
            "use method 'auto' or 'jackknife'."
        )


def comparison_keys(spec: Mapping[str, Any]) -> None:
    """The options of one side of a comparison."""
    if not isinstance(spec, Mapping):
        raise InvalidOptionError(f"first and second must be mappings such as {{'weights': 'linear'}}; got {spec!r}.")
    for key in spec:
        as_choice("first and second", key, ("raters", "weights", "coefficient", "group_size"))
