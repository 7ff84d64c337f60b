"""Designs whose maximum cannot be computed in, a clear error out."""

from __future__ import annotations

from kappamax._checks.options import is_number
from kappamax.errors import InvalidOptionError, NotSupportedError


def complete(n_missing: int) -> None:
    """The maximum fixes who rated what; with missing ratings that is another problem."""
    if n_missing:
        raise NotSupportedError(
            f"the maximum is defined here for complete ratings; {n_missing} are missing. "
            "Leave out incomplete subjects, or the raters who have gaps."
        )


def pairwise_beyond_cells(group_size: int, n_cells: int, most: int) -> None:
    """Agreement of more than two raters at a time is optimised over listed cells only."""
    if group_size > 2:
        raise NotSupportedError(
            f"the maximum for {group_size} raters at a time is found up to {most:,} possible patterns; "
            f"this design has {float(n_cells):.3g}."
        )


def time_limit(seconds: float | None) -> None:
    """Seconds above zero, or none."""
    if seconds is not None and (not is_number(seconds) or not seconds > 0):
        raise InvalidOptionError(f"time_limit must be a number of seconds > 0; got {seconds!r}.")


def proven_maximum(proven: bool) -> None:
    """Maximisers are known only of a proven maximum."""
    if not proven:
        raise NotSupportedError("the maximum is not proven, so the tables that reach it are not known.")


def no_gap(holds: bool) -> None:
    """Beyond listing, maximisers are described by prices that meet the maximum exactly."""
    if not holds:
        raise NotSupportedError("too many tables reach the maximum to list, and no prices describe them exactly.")
