"""Weightings and what to do with one in; what was found for each, and whether Ctrl-C came in between, out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kappamax.errors import Interrupted

__all__ = ["Found", "each_weighting"]

Found = tuple[dict[str, Any], Any]  # plain data, and the result itself where it is defined


def each_weighting(weights: Sequence[str], work: Callable[[str], Found]) -> tuple[list[Found], bool]:
    """The result of every weighting in turn; after Ctrl-C the best so far is the last of them."""
    found: list[Found] = []
    for scheme in weights or ("unweighted",):
        try:
            found.append(work(scheme))
        except Interrupted as stopped:
            return [*found, (stopped.best.to_dict(), stopped.best)], True
    return found, False
