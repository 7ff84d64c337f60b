"""Fibers too large to count, list or hold in, a clear error out."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from kappamax.errors import NotSupportedError

_MOST_PATTERNS = 1_000_000
_MOST_CELLS = 50_000_000
_BEYOND_DOUBLES = 10**300  # larger whole numbers are not divided
_MOST_RATINGS = 500_000_000


def fits(what: str, n_bytes: int, limit: float) -> None:
    """Work fits into the memory it may take."""
    if n_bytes > limit:
        raise NotSupportedError(
            f"{what} would take {_size(n_bytes)} of memory; the limit is {_size(limit)} (memory_limit). "
            "Sampling and the Monte Carlo test need little."
        )


def few_patterns(used: Sequence[int]) -> None:
    """All possible patterns can be listed."""
    if prod(used) > _MOST_PATTERNS:
        raise NotSupportedError(
            f"{float(prod(used)):.3g} patterns are possible; counting and listing tables work up to "
            f"{_MOST_PATTERNS:,}. Sampling and the Monte Carlo test work for any number."
        )


def few_tables(n_tables: int, limit: int) -> None:
    """Few enough tables to list."""
    if n_tables > limit:
        shown = f"{n_tables:,}" if n_tables < 10**9 else f"{float(n_tables):.2g}"
        raise NotSupportedError(
            f"the fiber has {shown} tables; they are listed up to {limit:,}. Use its distribution, or a sample."
        )


def complete(n_missing: int) -> None:
    """A fiber is counted, listed and connected for complete ratings."""
    if n_missing:
        raise NotSupportedError(
            f"this needs complete ratings; {n_missing} are missing. Sampling and exact_test work with gaps."
        )


def few_cells(n_categories: int, n_raters: int, size: int = 1) -> None:
    """A count for every possible pattern can be held, for each of so many tables."""
    n_patterns = n_categories**n_raters
    if n_patterns * size > _MOST_CELLS:
        raise NotSupportedError(
            f"{n_categories} categories and {n_raters} raters have {float(n_patterns):.3g} possible patterns: counts "
            f"of {size:,} such tables are more than {_MOST_CELLS:,} numbers. iter_sample() gives tables one by one."
        )


def few_ratings(n_ratings: int) -> None:
    """Every subject's ratings can be held in memory."""
    if n_ratings > _MOST_RATINGS:
        raise NotSupportedError(
            f"{float(n_ratings):.3g} ratings are too many to move between single subjects; the most is "
            f"{_MOST_RATINGS:,}. Tables of few raters and categories can be sampled and tested for any number."
        )


def exact_scores(exact: bool, name: str) -> None:
    """Scores are counted where they are exact."""
    if not exact:
        raise NotSupportedError(
            f"{name} weights are not exact numbers, so tables cannot be counted by score. "
            "Sampling and the Monte Carlo test work."
        )


def _size(n_bytes: float) -> str:
    """Bytes as a reader would say it."""
    n_bytes = min(n_bytes, _BEYOND_DOUBLES)
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"
