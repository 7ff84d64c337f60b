"""Define the limits of the page, which `docs/limits.md` lists, and refuse tables that exceed them.

They are the same for tables that are typed, pasted and read from files.
"""

from __future__ import annotations

from kappamax.errors import InvalidRequestError

MAX_SUBJECTS = 1_000_000
MAX_CATEGORIES = 100
MAX_RATERS = 100
MAX_PATTERNS = 20_000
#: largest number of ratings in the different patterns of a table, that is patterns times raters
MAX_PATTERN_CELLS = 200_000
MAX_WEIGHTINGS = 8
#: largest number of categories of the table in which counts are typed; larger tables are shown as a summary
MAX_GRID_CATEGORIES = 12

MAX_FILE_BYTES = 20_000_000
MAX_REQUEST_BYTES = 1_000_000
#: bytes after which a request that is too long is no longer read to its end
MAX_BYTES_READ = 100_000_000
#: bytes of all requests that are being received or answered at one time
MAX_BYTES_HELD = 200_000_000
MAX_CONNECTIONS = 200

#: time limits in seconds for small tables of two raters and small files, and for all other requests
QUICK_SECONDS = 15.0
LONG_SECONDS = 60.0
#: time limits in seconds for receiving a request, for sending a part of an answer, and for a connection without either
RECEIVING_SECONDS = 30.0
SENDING_SECONDS = 30.0
IDLE_SECONDS = 30.0
#: address space in bytes of each process that computes, on Linux
MAX_WORKER_BYTES = 3_000_000_000


def require_within_limits(*, n_subjects: int, n_categories: int, n_raters: int, n_patterns: int) -> None:
    """Require that a table is not larger than the page accepts."""
    for what, found, most in (("categories", n_categories, MAX_CATEGORIES), ("raters", n_raters, MAX_RATERS)):
        if found > most:
            raise _too_many(what, most, f"{found:,}", what)
    most = min(MAX_PATTERNS, MAX_PATTERN_CELLS // n_raters)
    if n_patterns > most:
        raise _too_many("different patterns", most, f"{n_patterns:,}")
    if n_subjects > MAX_SUBJECTS:
        shown = f"{n_subjects:,}" if n_subjects < 2**53 else "far more"  # a number in JSON may have thousands of digits
        raise _too_many("subjects", MAX_SUBJECTS, shown, "counts")


def _too_many(what: str, most: int, shown: str, field: str | None = None) -> InvalidRequestError:
    return InvalidRequestError(
        f"the page accepts at most {most:,} {what}; got {shown}. The command line accepts more.",
        field=field,
        status=413,
    )
