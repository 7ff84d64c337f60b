"""What cannot be inferred in, a clear error out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kappamax._checks.options import choice
from kappamax.errors import InvalidOptionError, NotSupportedError


def cohen_complete(method: str, holds: bool) -> None:
    """The formulas of Fleiss, Cohen and Everitt are for one case."""
    if not holds:
        raise NotSupportedError(
            f"the {method} standard error is for Cohen's kappa of two raters without missing ratings; "
            "use 'gwet' or 'jackknife'."
        )


def comparison_keys(spec: Mapping[str, Any]) -> None:
    """The options of one side of a comparison."""
    if not isinstance(spec, Mapping):
        raise InvalidOptionError(f"first and second must be mappings such as {{'weights': 'linear'}}; got {spec!r}.")
    for key in spec:
        choice("first and second", key, ("raters", "weights", "coefficient", "group_size"))
