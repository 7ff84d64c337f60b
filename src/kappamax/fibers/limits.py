"""Refuse computations on fibers that missing ratings, memory or the number of patterns make impossible.

The errors are raised before a computation starts, and they name an alternative that has no such limit.
"""

from __future__ import annotations

from kappamax.display.text import plural
from kappamax.errors import NotSupportedError
from kappamax.table import Table

#: default number of bytes that counting may use
MEMORY_LIMIT = 1_000_000_000

_MOST_COUNTED_PATTERNS = 1_000_000
_MOST_COUNTS_HELD = 50_000_000
_BEYOND_DOUBLES = 10**300  # whole numbers are capped here before they are divided as doubles


def require_memory(what: str, n_bytes: int, limit: float) -> None:
    """Require that a computation fits into the memory that it may use."""
    if n_bytes > limit:
        raise NotSupportedError(
            f"{what} would take {_bytes_text(n_bytes)} of memory; the limit is {_bytes_text(limit)} (memory_limit). "
            "Sampling and the Monte Carlo test need little memory."
        )


def require_few_patterns(n_patterns: int) -> None:
    """Require that all possible patterns can be listed."""
    if n_patterns > _MOST_COUNTED_PATTERNS:
        raise NotSupportedError(
            f"{float(n_patterns):.3g} patterns are possible; counting and listing tables are limited to "
            f"{_MOST_COUNTED_PATTERNS:,}. Sampling and the Monte Carlo test work for any number of patterns."
        )


def require_few_cells(n_categories: int, n_raters: int, size: int = 1) -> None:
    """Require that `size` tables with one count for every possible pattern fit into memory."""
    n_patterns = n_categories**n_raters
    if n_patterns * size > _MOST_COUNTS_HELD:
        raise NotSupportedError(
            f"{n_categories} categories and {n_raters} raters have {float(n_patterns):.3g} possible patterns, so the "
            f"counts of {size:,} such tables are more than {_MOST_COUNTS_HELD:,} numbers. iter_sample() yields tables "
            "one by one."
        )


def require_complete(table: Table) -> None:
    """Require that no ratings are missing, since only fibers of complete ratings are counted and listed."""
    if table.n_missing:
        raise NotSupportedError(
            f"this method needs complete ratings, but {missing_ratings(table.n_missing)}. `iter_sample`, `walk` and "
            "`exact_test` accept missing ratings."
        )


def missing_ratings(n: int) -> str:
    """Return a clause for an error message, such as "7 ratings are missing"."""
    return f"{plural(n, 'rating')} {'is' if n == 1 else 'are'} missing"


def _bytes_text(n_bytes: float) -> str:
    """Return a number of bytes as text with a suitable unit."""
    n_bytes = min(n_bytes, _BEYOND_DOUBLES)
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"
