"""Bytes in, a path that readers of files can open out.

In memory where the system offers that (Linux), so that nothing reaches a disk; elsewhere a temporary file that only
this user can read and that is removed afterwards.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["held"]


@contextmanager
def held(content: bytes) -> Iterator[Path]:
    """A path under which some bytes can be read, more than once."""
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("kappamax"), "wb") as file:
            file.write(content)
            file.flush()
            yield Path(f"/proc/self/fd/{file.fileno()}")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "held"
        path.write_bytes(content)
        yield path
