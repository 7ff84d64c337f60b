"""Make data frames of pandas, polars or pyarrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

from kappamax._validate import as_choice
from kappamax.errors import InvalidOptionError, NotSupportedError

LIBRARIES = ("pandas", "polars", "pyarrow")
_LARGEST_INTEGER = 2**63 - 1


def frame_of(columns: Mapping[str, Iterable[Any]], library: str | None = None) -> Any:
    """Return a frame with the given columns.

    Parameters
    ----------
    columns : mapping from str to iterables of equal length
        Names and values of the columns.
    library : {"pandas", "polars", "pyarrow"}, optional
        Library of the frame. By default it is the first of these that is installed.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The columns in the order given. Fractions become floats; a column with an integer beyond 64 bits, or with both
        text and numbers, becomes text.

    Raises
    ------
    InvalidOptionError
        If the library has another name.
    NotSupportedError
        If the library is not installed.
    """
    if library is not None:
        if not isinstance(library, str):
            raise InvalidOptionError(f"library must be one of 'pandas', 'polars', 'pyarrow'; got {library!r}.")
        library = as_choice("library", library, LIBRARIES)
    for name in LIBRARIES if library is None else (library,):
        if find_spec(name) is not None:
            import narwhals as nw  # 0.1 s to import

            plain = {column: _plain_column(list(values)) for column, values in columns.items()}
            return nw.from_dict(plain, backend=name).to_native()  # type: ignore[arg-type]  # one of LIBRARIES
    needed = f"{library}, which is not" if library else "pandas, polars or pyarrow, none of which is"
    raise NotSupportedError(f"a frame needs {needed} installed. Install it with: pip install {library or 'pandas'}.")


def library_of(data: Any) -> str | None:
    """Return the library that a frame or series belongs to, or None if frames of that library cannot be made."""
    home = type(data).__module__.split(".")[0]
    return home if home in LIBRARIES else None


def _plain_column(values: Sequence[Any]) -> list[Any]:
    """Return values that every library accepts as one column."""
    found = [float(value) if isinstance(value, Fraction) else value for value in values]
    kinds = {type(value) for value in found if value is not None}
    huge = any(type(value) is int and abs(value) > _LARGEST_INTEGER for value in found)
    if huge or (str in kinds and len(kinds) > 1):
        return [None if value is None else str(value) for value in found]
    return found
