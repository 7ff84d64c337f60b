"""Limits on the number of columns, which hold for files of every format."""

from __future__ import annotations

from kappamax.errors import UnreadableFileError

MOST_COLUMNS = 2_000
MOST_KEYS = 1_000  # of JSON objects, for which a query takes more memory


def require_few_columns(n_columns: int, name: str, *, most: int = MOST_COLUMNS) -> None:
    """Reject a file with more columns than queries about all of them can handle within the limit of memory."""
    if n_columns > most:
        raise UnreadableFileError(
            f"a file can have at most {most:,} columns; {name} has {n_columns:,}. Use layout long, with one row per "
            "rating, for more.",
            code="too-many-columns",
            fields={"n_columns": n_columns, "most": most},
        )
