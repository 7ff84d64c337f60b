"""Write files completely or not at all, in the format given by the ending of the file name."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from kappamax.errors import InvalidOptionError


def write_by_ending(path: str | Path, writers: Mapping[str, Callable[[], str | bytes]]) -> None:
    """Write the content returned by the function that belongs to the ending of the file name."""
    write_whole(Path(path), writers[ending_of(path, writers)]())


def ending_of(path: str | Path, known: Collection[str]) -> str:
    """Return the ending of a file name in lower case; it must be one of the known endings."""
    ending = Path(path).suffix.lower()
    if ending not in known:
        *others, last = known
        raise InvalidOptionError(f"the file must end in {', '.join(others)} or {last}; got {Path(path).name!r}.")
    return ending


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file in a temporary folder and move it to its place, so that an incomplete file is never visible."""
    if not path.parent.is_dir():
        raise InvalidOptionError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into.")
    if path.is_dir():
        raise InvalidOptionError(f"the path must name a file; {str(path)!r} is a folder.")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as beside:
        whole = Path(beside) / path.name
        whole.write_bytes(content.encode() if isinstance(content, str) else content)
        whole.replace(path)
