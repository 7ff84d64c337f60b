"""Fibers too large to count in, a clear error out."""

from __future__ import annotations

from kappamax.errors import NotSupportedError


def few_states(n_states: int, limit: int) -> None:
    """The state space of a count fits into memory."""
    if n_states > limit:
        raise NotSupportedError(f"counting these tables needs {float(n_states):.3g} states; the limit is {limit:,}.")
