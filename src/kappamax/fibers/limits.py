"""Refuse computations on fibers that missing ratings, memory or the number of patterns make impossible.

The errors are raised before a computation starts, and they name an alternative that has no such limit.
"""

from __future__ import annotations

from kappamax.display import numbers
from kappamax.display.text import plural
from kappamax.errors import NotSupportedError
from kappamax.patterns import MOST_AXES
from kappamax.table import Table

#: default number of bytes that counting may use
MEMORY_LIMIT = 1_000_000_000

_MOST_COUNTED_PATTERNS = 1_000_000
_MOST_COUNTS_HELD = 50_000_000
_MOST_WORK = 10**12
_HARDLY_ANY_MEMORY = 1_000_000  # bytes for single subjects below which a limit of memory does not matter
_BEYOND_DOUBLES = 10**300  # whole numbers are capped here before they are divided as doubles


def require_memory(
    what: str, n_bytes: int, limit: float, advice: str = "Sampling and the Monte Carlo test need little memory."
) -> None:
    """Require that a computation fits into the memory that it may use; the advice names an alternative."""
    if n_bytes > limit:
        raise NotSupportedError(
            f"{what} would take {_bytes_text(n_bytes)} of memory; the limit is {_bytes_text(limit)} (memory_limit). "
            f"{advice}"
        )


def require_independent_subjects(what: str, table: Table) -> None:
    """Require that the subjects are not in clusters; `what` is a method that permutes ratings between subjects."""
    if table.clusters is not None:
        raise NotSupportedError(
            f"{what} assumes independent subjects, but the subjects are in clusters. A test against the value 0 "
            "(value_test, --null 0) respects clusters."
        )


def require_little_work(what: str, work: int, limit: float | None = None) -> None:
    """Require that a computation takes at most a number of additions, by default 10^12, which is about an hour."""
    allowed = _MOST_WORK if limit is None else limit
    if work > allowed:
        raise NotSupportedError(
            f"{what} would take at least {numbers.rough(work)} additions; the limit is {allowed:.3g}"
            f"{'' if limit is None else ' (work_limit)'}. Sampling and the Monte Carlo test take less time."
        )


def require_subjects_in_memory(table: Table, n_numbers: int, limit: float | None) -> None:
    """Require that some 64-bit numbers for every single subject fit into memory, by default into 1 GB.

    The ratings of single subjects are needed by walks that swap ratings, and by sampling if there are too many patterns
    to draw their counts.
    """
    n_bytes = 8 * n_numbers * table.n_subjects
    allowed = MEMORY_LIMIT if limit is None else limit
    if n_bytes > max(allowed, _HARDLY_ANY_MEMORY):
        raise NotSupportedError(
            f"rearranging the ratings of {numbers.rough(table.n_subjects)} single subjects would take "
            f"{_bytes_text(n_bytes)} of memory; the limit is {_bytes_text(allowed)}"
            f"{'' if limit is None else ' (memory_limit)'}. With few raters and categories, tables of any size can be "
            "sampled and tested."
        )


def require_few_patterns(n_patterns: int) -> None:
    """Require that all possible patterns can be listed."""
    if n_patterns > _MOST_COUNTED_PATTERNS:
        raise NotSupportedError(
            f"{numbers.rough(n_patterns)} patterns are possible; counting and listing tables are limited to "
            f"{_MOST_COUNTED_PATTERNS:,}. Sampling and the Monte Carlo test work for any number of patterns."
        )


def require_few_cells(n_categories: int, n_raters: int, size: int = 1) -> None:
    """Require that `size` tables with one count for every possible pattern fit into memory."""
    n_patterns = n_categories**n_raters
    if n_patterns * size > _MOST_COUNTS_HELD:
        raise NotSupportedError(
            f"{n_categories} categories and {n_raters} raters have {numbers.rough(n_patterns)} possible patterns, so "
            f"the counts of {size:,} such tables are more than {_MOST_COUNTS_HELD:,} numbers. iter_sample() yields "
            "tables one by one."
        )
    if n_raters >= MOST_AXES:  # with one category; the tables take one more axis
        raise NotSupportedError(
            f"arrays of counts have one axis per rater and at most {MOST_AXES} axes; got {n_raters} raters. "
            "iter_sample() yields tables one by one."
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
