"""Define the callback through which all long computations report their progress."""

from __future__ import annotations

from collections.abc import Callable

from kappamax.errors import InvalidOptionError

Progress = Callable[[float, float | None, str], None]
"""Called as ``progress(done, total, message)``; `total` is None where it is not known in advance."""

WorkCallback = Callable[[float, float], None]
"""Called as ``callback(done, total)`` by functions that do only one kind of work."""


def require_progress(progress: object) -> None:
    """Require that `progress` can be called or is None."""
    if progress is not None and not callable(progress):
        raise InvalidOptionError(
            f"progress must be a function that is called as progress(done, total, message); got {progress!r}."
        )


def callback_for(progress: Progress | None, message: str) -> WorkCallback | None:
    """Return a callback that passes a fixed message to `progress`, or None if `progress` is None."""
    require_progress(progress)
    return None if progress is None else lambda done, total: progress(done, total, message)
