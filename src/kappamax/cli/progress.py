"""How far long work is, on standard error where that is a terminal; nothing otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar", "progress_line"]


@contextmanager
def progress_line() -> Iterator[Callable[[str], None] | None]:
    """A line that is written over."""
    stream = sys.stderr
    if not stream.isatty():
        yield None
        return

    def tell(message: str) -> None:
        stream.write(f"\r\x1b[K{message[:78]}")
        stream.flush()

    try:
        yield tell
    finally:
        stream.write("\r\x1b[K")
        stream.flush()


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[float, float], None] | None]:
    """A bar with the time left, moved by (work done, work in all); gone when the work is done."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn(title), BarColumn(), TaskProgressColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def tell(done: float, in_all: float) -> None:
            bar.update(task, completed=done, total=in_all)

        yield tell
