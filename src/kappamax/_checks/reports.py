"""Where a report should go in, a clear error out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kappamax.errors import InvalidOptionError, NotSupportedError


def ending(path: Path, known: Sequence[str]) -> str:
    """A file name says by its ending what to write."""
    if path.suffix.lower() not in known:
        raise InvalidOptionError(
            f"the report's file must end in {', '.join(known[:-1])} or {known[-1]}; got {path.name!r}."
        )
    return path.suffix.lower()


def not_the_input(path: Path, source: str) -> None:
    """A report does not replace the ratings it is about."""
    if source != "-" and path.exists() and Path(source).exists() and path.samefile(source):
        raise InvalidOptionError(f"the report would replace its own input, {path.name!r}; give another file.")


def folder(path: Path) -> None:
    """The folder of a file to write exists."""
    if not path.parent.is_dir():
        raise InvalidOptionError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into.")
    if path.is_dir():
        raise InvalidOptionError(f"{str(path)!r} is a folder; the report needs a file.")


def two_to_cross(n_raters: int, n_missing: int) -> None:
    """A crossed table is of two raters who rated everything."""
    if n_raters != 2 or n_missing:
        missing = f" and {n_missing} missing ratings" if n_missing else ""
        raise NotSupportedError(f"a crossed table shows two raters with complete ratings; got {n_raters}{missing}.")


def some_trace(trace: Any) -> Any:
    """A search that kept its trace."""
    if trace is None:
        raise InvalidOptionError("this search kept no trace; anneal with trace=100 to keep every hundredth step.")
    return trace
