"""Write Markdown tables, and say where and with which versions a run was made."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import kappamax as km
from benchmarks import peers

__all__ = ["circumstances", "seconds", "table"]


def circumstances(names: Sequence[str]) -> str:
    """Date, machine and versions, without the machine's name; `names` are packages of the main environment."""
    main, apart = peers.pins("main"), peers.pins("irrcac")
    beside = ", ".join(f"{name} {main[name]}" for name in names)
    behind = ", ".join(f"{name} {apart[name]}" for name in ("numpy", "scipy", "pandas"))
    return (
        f"- {datetime.now(UTC):%Y-%m-%d}\n"
        f"- {_processor()}, {os.cpu_count()} cores\n"
        f"- Python {platform.python_version()}, kappamax {km.__version__}, {beside}\n"
        f"- irrCAC {apart['irrCAC']}, in a process of its own with {behind}"
    )


def seconds(value: float | None) -> str:
    """A time in the unit that suits it."""
    if value is None:
        return ""
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.1f} ms"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose columns line up in print too."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def _processor() -> str:
    file = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", file.read_text(), re.MULTILINE) if file.exists() else None
    return found.group(1).strip() if found else platform.machine()
