"""Define the callback through which all long computations report their progress."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import inf
from time import monotonic

from kappamax.display import text
from kappamax.errors import InvalidOptionError

Progress = Callable[[float, float | None, str], None]
"""Called as ``progress(done, total, message)``; `total` is None where it is not known in advance."""

ProgressLike = Progress | bool | None
"""What users may pass as `progress`: a callback, True for a line on standard error, or None."""

WorkCallback = Callable[[float, float], None]
"""Called as ``callback(done, total)`` by functions that do only one kind of work."""


def as_progress(progress: ProgressLike) -> Progress | None:
    """Return the callback for progress: True writes to standard error, None and False mean that there is none."""
    if progress is None or progress is False:
        return None
    if progress is True:
        return _ProgressLine()
    if not callable(progress):
        raise InvalidOptionError(
            f"progress must be True, or a function that is called as progress(done, total, message); got {progress!r}."
        )
    return progress


def callback_for(progress: ProgressLike, message: str) -> WorkCallback | None:
    """Return a callback that passes a fixed message to `progress`, or None if `progress` is None."""
    tell = as_progress(progress)
    return None if tell is None else lambda done, total: tell(done, total, message)


class _ProgressLine:
    """Show the progress of long work on one line of standard error, at most ten times a second.

    Where standard error is not a terminal, only the end of the work is shown.
    """

    def __init__(self) -> None:
        self.last = -inf

    def __call__(self, done: float, total: float | None, message: str) -> None:
        """Write the line again, and end it if the work is done."""
        if sys.stderr is None:  # it is closed
            return
        finished = total is not None and done >= total
        if not finished and (monotonic() < self.last + 0.1 or not sys.stderr.isatty()):
            return
        self.last = monotonic()
        start = "\r\x1b[K" if sys.stderr.isatty() else ""
        share = f"{100 * done / total:.0f}% " if total else ""
        sys.stderr.write(f"{start}{share}{text.printable(message)[:70]}" + ("\n" if finished else ""))
        sys.stderr.flush()
