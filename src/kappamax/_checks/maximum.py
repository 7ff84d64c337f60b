"""Designs whose maximum cannot be computed in, a clear error out."""

from __future__ import annotations

from kappamax._validate import is_number
from kappamax.errors import InvalidOptionError, NotSupportedError


def fixed_chance(title: str, fixed: bool) -> None:
    """Some questions are about scores alone, so the chance term must be the same for all tables."""
    if not fixed:
        raise NotSupportedError(
            f"rearranging these ratings changes what {title} expects by chance: a rater who used several categories "
            "rated subjects with different numbers of ratings. Conger's kappa, Brennan-Prediger and percent agreement "
            "do not depend on that."
        )


def few_patterns_if_pooled(title: str, n_patterns: int, most: int) -> None:
    """A search over the use of categories lists all patterns."""
    if n_patterns > most:
        raise NotSupportedError(
            f"rearranging these ratings changes what {title} expects by chance; its maximum is then found up to "
            f"{most:,} possible patterns, and this design has {float(n_patterns):.3g}."
        )


def few_uses(title: str, holds: bool, most: int) -> None:
    """A search over the use of categories lists all of them."""
    if not holds:
        raise NotSupportedError(
            f"rearranging these ratings changes what {title} expects by chance, in more than {most:,} ways: its "
            "maximum is not known."
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
