"""Hold content in files that exist only while it is read.

On Linux, content can be held in a file in memory, which is never written to a disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO


@contextmanager
def bytes_as_file(content: bytes) -> Iterator[Path]:
    """Yield a path from which some bytes can be read more than once."""
    with written_file(lambda file: file.write(content)) as path:
        yield path


@contextmanager
def written_file(write: Callable[[BinaryIO], object]) -> Iterator[Path]:
    """Yield a path from which what `write` has written can be read more than once.

    On Linux the bytes stay in memory and are never written to a disk. On other systems they are in a temporary file
    that only this user can read and that is removed afterwards.
    """
    with new_file() as (file, path):
        write(file)
        file.flush()
        yield path


@contextmanager
def new_file(folder: Path | None = None) -> Iterator[tuple[BinaryIO, Path]]:
    """Yield a file that is open for writing, and a path from which it can be read.

    The file is in the folder if one is given, otherwise where `written_file` holds bytes. It is removed afterwards.
    """
    if folder is None and hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("kappamax"), "wb") as file:
            yield file, Path(f"/proc/self/fd/{file.fileno()}")
        return
    with TemporaryDirectory(dir=folder) as own:
        path = Path(own) / "held"
        with path.open("wb") as file:
            yield file, path
