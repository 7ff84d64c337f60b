"""Designs whose maximum cannot be computed in, a clear error out."""

from __future__ import annotations

from kappamax._checks.options import is_number
from kappamax.errors import InvalidOptionError, NotSupportedError


def fixed_chance(title: str, fixed: bool) -> None:
    """With missing ratings only some coefficients expect the same by chance for all tables with the margins."""
    if not fixed:
        raise NotSupportedError(
            f"with missing ratings {title} has no maximum over the margins: rearranging ratings changes what it "
            "expects by chance. Conger's kappa, Brennan-Prediger and percent agreement have one."
        )


def pairwise_if_incomplete(group_size: int) -> None:
    """Groups of raters are optimised for complete ratings only."""
    if group_size > 2:
        raise NotSupportedError(f"the maximum for {group_size} raters at a time needs complete ratings.")


def complete(n_missing: int, what: str) -> None:
    """Some questions are asked of complete ratings only."""
    if n_missing:
        raise NotSupportedError(f"{what} needs complete ratings; {n_missing} are missing.")


def pairwise_beyond_cells(group_size: int, n_cells: int, most: int) -> None:
    """Agreement of more than two raters at a time is optimised over listed cells only."""
    if group_size > 2:
        raise NotSupportedError(
            f"the maximum for {group_size} raters at a time is found up to {most:,} possible patterns; "
            f"this design has {float(n_cells):.3g}."
        )


def time_limit(seconds: float | None, argument: str = "time_limit") -> None:
    """Seconds above zero, or none."""
    if seconds is not None and (not is_number(seconds) or not seconds > 0):
        raise InvalidOptionError(f"{argument} must be a number of seconds > 0; got {seconds!r}.")


def proven_maximum(proven: bool) -> None:
    """Maximisers are known only of a proven maximum."""
    if not proven:
        raise NotSupportedError("the maximum is not proven, so the tables that reach it are not known.")


def no_gap(holds: bool) -> None:
    """Beyond listing, maximisers are described by prices that meet the maximum exactly."""
    if not holds:
        raise NotSupportedError("too many tables reach the maximum to list, and no prices describe them exactly.")
