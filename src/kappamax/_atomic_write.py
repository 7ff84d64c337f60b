"""Write a file whole or not at all."""

from __future__ import annotations

import tempfile
from pathlib import Path

from kappamax._checks import reports as checks

__all__ = ["write_whole"]


def write_whole(path: Path, content: str) -> None:
    """Write a file beside its place and move it there, so that no half-written one is ever seen."""
    checks.folder(path)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as beside:
        whole = Path(beside) / path.name
        whole.write_text(content, encoding="utf-8", newline="\n")
        whole.replace(path)
