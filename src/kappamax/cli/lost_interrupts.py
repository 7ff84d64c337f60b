"""Raise Ctrl-C again if it was lost in code whose exceptions Python ignores.

Python ignores the exceptions of destructors, and of functions that libraries in C call. Numba runs many of them while
it compiles; a KeyboardInterrupt in one of them would only be printed, and the work would go on.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_DELAY = 0.01  # an exception inside the hook would be ignored too; in this time the hook and the destructor end


@contextmanager
def lost_interrupts_raised_again() -> Iterator[None]:
    """Raise a KeyboardInterrupt again, as often as it is ignored, while the context is active."""
    before = sys.unraisablehook

    def raise_again(lost: Any) -> None:
        if lost.exc_type is not None and issubclass(lost.exc_type, KeyboardInterrupt):
            threading.Timer(_DELAY, _interrupt).start()
        else:
            before(lost)

    sys.unraisablehook = raise_again
    try:
        yield
    finally:
        sys.unraisablehook = before


def _interrupt() -> None:
    """Interrupt the main thread as Ctrl-C does."""
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # also ends a system call that waits
